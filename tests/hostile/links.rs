//! Calls and returns whose addresses are mostly ordinary. Links (return addresses) are in odd places, are copied, are
//! sometimes half changed, or are used as masks. Compiled code treats many of them as certain. Each program must agree
//! with the interpreter.

use crate::instructions;

use crate::agree;

use std::sync::Arc;

use agree::{agree, agree_under, program, wave_with};
use gcnsim::{Outcome, Wave};
use gcnsim_engine::{EngineKind, RunOptions};
use gcnsim_interp::{HotCounters, Interp, Stop};
use gcnsim_isa::{Arch, Mode, Note, Notes, Program, reg};
use gcnsim_jit::cache::SharedRegions;
use gcnsim_random::Rng;
use instructions::{op1, op2, opc, opk, opp, vop3, vopc};

/// Registers for links: SGPRs, an odd pair, VCC, a trap register, EXEC.
const LINKS: [u32; 8] = [4, 6, 8, 30, 106, 112, 5, 126];
/// The register that counts the remaining iterations.
const COUNTER: u32 = 20;
const FUNCTIONS: usize = 4;

/// A place in the code that needs the address of a label.
enum Fixup {
    /// The label is in SIMM16, as dwords from the next instruction.
    Simm16,
    /// The label is in a literal, as bytes from the address of this dword.
    Distance(usize),
}

/// A program under construction. Labels 0 to `FUNCTIONS - 1` are those of functions.
struct Links {
    arch: Arch,
    rng: Rng,
    words: Vec<u32>,
    /// The indices of the dwords where labels are.
    labels: Vec<Option<usize>>,
    /// Indices of dwords, the labels that they refer to, and how.
    fixups: Vec<(usize, usize, Fixup)>,
}

impl Links {
    fn put(&mut self, words: Vec<u32>) {
        self.words.extend(words);
    }

    /// Makes a label, which is not placed yet.
    fn label(&mut self) -> usize {
        self.labels.push(None);
        self.labels.len() - 1
    }

    /// Places a label at the next dword.
    fn here(&mut self, label: usize) {
        self.labels[label] = Some(self.words.len());
    }

    fn branch(&mut self, mnemonic: &str, label: usize) {
        self.fixups.push((self.words.len(), label, Fixup::Simm16));
        self.put(opp(self.arch, mnemonic, 0));
    }

    /// Sets a pair of registers to the address of a label.
    fn address(&mut self, pair: u32, label: usize) {
        self.put(op1(self.arch, "s_getpc_b64", pair, 0));
        let from = self.words.len();
        self.put(op2(self.arch, "s_add_u32", pair, pair, 255));
        self.fixups.push((self.words.len(), label, Fixup::Distance(from)));
        self.put(vec![0]);
        self.put(op2(self.arch, "s_addc_u32", pair + 1, pair + 1, 128));
    }

    fn link(&mut self) -> u32 {
        self.rng.pick(&LINKS)
    }

    /// Calls a function with its return address in `link`, directly or by its address.
    fn call(&mut self, link: u32, function: usize) {
        if self.arch == Arch::Gcn14 && self.rng.one_in(2) {
            self.fixups.push((self.words.len(), function, Fixup::Simm16));
            self.put(opk(self.arch, "s_call_b64", link, 0));
        } else {
            let pair = if self.rng.one_in(3) { link } else { self.rng.pick(&[10, 12, 106]) };
            self.address(pair, function);
            self.put(op1(self.arch, "s_swappc_b64", link, pair));
        }
    }

    /// Writes something that may change the link, in all iterations or in a few, so that the compiler cannot be sure of
    /// it.
    fn mess(&mut self, link: u32) {
        let arch = self.arch;
        let over = self.label();
        match self.rng.below(4) {
            0 => {}
            1 => {
                let constant = 128 + self.rng.below(64);
                self.put(opc(arch, "s_cmp_lg_u32", COUNTER, constant));
                self.branch("s_cbranch_scc1", over);
            }
            2 => {
                let constant = 128 + self.rng.below(8);
                self.put(opc(arch, "s_bitcmp1_b32", COUNTER, constant));
                self.branch("s_cbranch_scc0", over);
            }
            _ => {
                let branch = self.rng.pick(&["s_cbranch_vccz", "s_cbranch_execz", "s_cbranch_scc1"]);
                self.branch(branch, over);
            }
        }
        let half = link + self.rng.below(2);
        let other = self.link();
        let small = self.rng.pick(&[128, 128, 132, 132, 129, 136]);
        let words = match self.rng.below(18) {
            0 => op2(arch, "s_add_u32", link, link, small),
            1 => op2(arch, "s_addc_u32", half, half, 128),
            2 => op1(arch, "s_mov_b64", link, other),
            3 => op1(arch, "s_mov_b32", link, other),
            4 => op1(arch, "s_mov_b32", link + 1, self.rng.pick(&[128, 128, 193])),
            5 => opk(arch, "s_cmovk_i32", half, 4),
            6 => opk(arch, "s_addk_i32", link, self.rng.pick(&[0, 4, 4])),
            7 => op1(arch, "s_cmov_b64", link, other),
            8 => op1(arch, "s_or_saveexec_b64", link, 128),
            9 => vop3(arch, "v_cmp_le_u32", link, 256, 256, 0, 0),
            10 => vop3(arch, "v_cmpx_le_u32", link, 256, 256, 0, 0),
            11 => op1(arch, "s_movreld_b32", self.rng.pick(&[4, 6]), other),
            12 => op2(arch, "s_cselect_b64", link, link, other),
            13 => op1(arch, "s_wqm_b64", link, link),
            14 => op2(arch, "s_sub_u32", link, link, small),
            15 => op2(arch, "s_subb_u32", half, half, 128),
            16 => op1(arch, "s_mov_b32", 124, self.rng.pick(&[128, 129, 130])),
            _ => op1(arch, "s_mov_b64", other, link),
        };
        self.put(words);
        self.here(over);
    }

    /// Puts random code that mostly keeps `link`. It calls only functions below `depth`, so recursion ends.
    fn body(&mut self, depth: u32, link: u32) {
        for _ in 0..1 + self.rng.below(4) {
            match self.rng.below(6) {
                0 => self.mess(link),
                1 if depth > 0 => {
                    let (function, own) = (self.rng.below(depth) as usize, self.link());
                    self.call(own, function);
                }
                2 => {
                    // A short loop.
                    let start = self.label();
                    let times = self.rng.pick(&[131, 131, 150, 192]);
                    self.put(op1(self.arch, "s_mov_b32", 21, times));
                    self.here(start);
                    if self.rng.one_in(3) {
                        self.mess(link);
                    }
                    self.put(op2(self.arch, "s_sub_u32", 21, 21, 129));
                    self.put(opc(self.arch, "s_cmp_lg_u32", 21, 128));
                    self.branch("s_cbranch_scc1", start);
                }
                3 => {
                    let over = self.label();
                    self.put(opc(self.arch, "s_bitcmp1_b32", COUNTER, 128));
                    self.branch("s_cbranch_scc1", over);
                    self.put(op2(self.arch, "s_add_u32", 22, 22, 129));
                    self.here(over);
                }
                4 => {
                    // A jump to a label by its address.
                    let (label, pair) = (self.label(), self.link());
                    self.address(pair, label);
                    if self.rng.one_in(3) {
                        self.mess(pair);
                    }
                    self.put(op1(self.arch, "s_setpc_b64", 0, pair));
                    self.put(op2(self.arch, "s_xor_b32", 23, 23, COUNTER));
                    self.here(label);
                }
                _ => self.put(op2(self.arch, "s_add_u32", 24, 24, COUNTER)),
            }
        }
    }

    /// Returns the words of a program: a loop that calls functions, then the functions.
    fn make(arch: Arch, seed: u64) -> Vec<u32> {
        let mut links =
            Links { arch, rng: Rng::new(seed), words: vec![], labels: vec![None; FUNCTIONS], fixups: vec![] };
        let kept: [u32; FUNCTIONS] = std::array::from_fn(|_| links.link());
        let iterations = links.rng.between(20, 200) as u16;
        links.put(opk(arch, "s_movk_i32", COUNTER, iterations));
        let start = links.label();
        links.here(start);
        for _ in 0..2 + links.rng.below(4) {
            let function = links.rng.below(FUNCTIONS as u32) as usize;
            let link = if links.rng.one_in(8) { links.link() } else { kept[function] };
            links.call(link, function);
            if links.rng.one_in(3) {
                links.body(0, link);
            }
        }
        links.put(op2(arch, "s_sub_u32", COUNTER, COUNTER, 129));
        links.put(opc(arch, "s_cmp_lg_u32", COUNTER, 128));
        links.branch("s_cbranch_scc1", start);
        links.put(opp(arch, "s_endpgm", 0));
        for (function, link) in kept.into_iter().enumerate() {
            links.here(function);
            links.body(function as u32, link);
            let (way, dst) = (links.rng.below(6), links.link());
            links.put(match way {
                0 => op1(arch, "s_swappc_b64", link, link),
                1 => op1(arch, "s_swappc_b64", dst, link),
                2 => op1(arch, "s_rfe_b64", 0, link),
                _ => op1(arch, "s_setpc_b64", 0, link),
            });
        }
        for (at, label, fixup) in links.fixups {
            let to = links.labels[label].unwrap();
            match fixup {
                Fixup::Simm16 => links.words[at] |= (to as i32 - at as i32 - 1) as u16 as u32,
                Fixup::Distance(from) => links.words[at] = (4 * (to as i32 - from as i32)) as u32,
            }
        }
        links.words
    }
}

/// An address is computed, changed in some way, and jumped to, all in one block.
#[test]
fn addresses_that_do_not_stay() {
    let arch = Arch::Gcn14;
    let set_scc = opc(arch, "s_cmp_eq_u32", 128, 128);
    let relative = |mnemonic, m0| [op1(arch, "s_mov_b32", 124, m0), op1(arch, mnemonic, 6, 1)].concat();
    for (pair, change) in [
        (8, op1(arch, "s_mov_b32", 8, 128)),
        (8, op1(arch, "s_mov_b32", 9, 129)),
        (8, op1(arch, "s_mov_b64", 8, 14)),
        (8, [set_scc.clone(), op1(arch, "s_cmov_b32", 8, 1)].concat()),
        (8, [set_scc.clone(), op1(arch, "s_cmov_b64", 8, 14)].concat()),
        (8, [set_scc.clone(), opk(arch, "s_cmovk_i32", 9, 3)].concat()),
        (8, [set_scc.clone(), op2(arch, "s_cselect_b64", 8, 14, 8)].concat()),
        (8, [set_scc, op2(arch, "s_addc_u32", 9, 9, 128)].concat()),
        (8, op2(arch, "s_subb_u32", 9, 128, 129)),
        (8, op2(arch, "s_add_i32", 8, 8, 132)),
        (8, opk(arch, "s_addk_i32", 8, 4)),
        (8, opk(arch, "s_mulk_i32", 8, 3)),
        (8, op1(arch, "s_bitset1_b32", 9, 129)),
        (8, op1(arch, "s_not_b64", 8, 8)),
        (8, op1(arch, "s_brev_b64", 8, 8)),
        (8, op2(arch, "s_lshl_b64", 8, 8, 129)),
        (8, op2(arch, "s_bfm_b32", 9, 130, 129)),
        (8, opk(arch, "s_getreg_b32", 8, 0xf801)),
        (8, relative("s_movreld_b32", 130)),
        (8, relative("s_movreld_b32", 131)),
        (8, relative("s_movreld_b64", 130)),
        (8, vop3(arch, "v_cmp_le_u32", 8, 256, 256, 0, 0)),
        (7, vop3(arch, "v_cmp_le_u32", 8, 256, 256, 0, 0)),
        (8, vop3(arch, "v_cmpx_le_u32", 8, 256, 256, 0, 0)),
        (126, vop3(arch, "v_cmpx_ne_u32", 8, 256, 256, 0, 0)),
        (126, vopc(arch, "v_cmpx_ne_u32", 256, 0)),
        (106, vopc(arch, "v_cmp_ne_u32", 256, 0)),
        (8, op1(arch, "s_and_saveexec_b64", 8, 14)),
        (126, op1(arch, "s_and_saveexec_b64", 10, 14)),
        (126, op1(arch, "s_andn2_wrexec_b64", 10, 14)),
        (8, op1(arch, "s_andn2_wrexec_b64", 8, 14)),
        // The fork stack gets the mask in s[0:1] and the address of the waiting side in s[2:3].
        (2, opk(arch, "s_cbranch_i_fork", 14, 0)),
        (0, opk(arch, "s_cbranch_i_fork", 14, 0)),
        (126, opk(arch, "s_cbranch_i_fork", 14, 0)),
        (2, op2(arch, "s_cbranch_g_fork", 0, 14, 16)),
    ] {
        let mut words = [
            op1(arch, "s_getpc_b64", pair, 0),
            op2(arch, "s_add_u32", pair, pair, 144 + 4 * change.len() as u32),
            op2(arch, "s_addc_u32", pair + 1, pair + 1, 128),
        ]
        .concat();
        words.extend(&change);
        words.extend(op1(arch, "s_setpc_b64", 0, pair));
        // If the address did not change, the jump would skip the first of these additions and go to the second.
        words.extend([op2(arch, "s_add_u32", 20, 20, 129), op2(arch, "s_add_u32", 21, 21, 129)].concat());
        words.extend(opp(arch, "s_endpgm", 0));
        let program = program(arch, &words, 0);
        let wave = wave_with(&program, |state| {
            state.sgpr[1] = 3;
            state.set_pair(14, 0xffff_0000_0000_0f0b);
            state.set_pair(16, 4 * (3 + change.len() as u64));
        });
        let (end, _) = agree(&program, &wave, 40);
        assert_eq!((end.state.sgpr[20], end.state.sgpr[21]), (0, 0), "s{pair}: {change:08x?}");
    }
}

/// A loop in a callee is entered from the interpreter, for either caller. Compiled code has the loop only in calling
/// contexts.
#[test]
fn loops_of_callees_are_entered_for_any_caller() {
    let arch = Arch::Gcn14;
    let words = [
        opk(arch, "s_call_b64", 30, 4),
        op2(arch, "s_add_u32", 1, 1, 129),
        opk(arch, "s_call_b64", 30, 2),
        op2(arch, "s_add_u32", 2, 2, 129),
        opp(arch, "s_branch", -5),
        op1(arch, "s_mov_b32", 21, 192),
        op2(arch, "s_sub_u32", 21, 21, 129),
        op2(arch, "s_add_u32", 3, 3, 21),
        opc(arch, "s_cmp_lg_u32", 21, 128),
        opp(arch, "s_cbranch_scc1", -4),
        op1(arch, "s_setpc_b64", 0, 30),
    ]
    .concat();
    let program = program(arch, &words, 0x1000);
    let settings = [(0, 1000), (0, 20), (20, 1000)]
        .map(|(hot, region_max)| RunOptions::default().engine(EngineKind::Check).hot(hot).region_max(region_max));
    let (end, _) = agree_under(&settings, &program, &wave_with(&program, |_| ()), 50_000);
    let calls = 50_000 / (64 * 4 + 4);
    assert!(end.state.sgpr[1].abs_diff(calls / 2) <= 2 && end.state.sgpr[2].abs_diff(calls / 2) <= 2);
}

#[test]
fn links_that_change_now_and_then() {
    let mut faultless = 0;
    for seed in 0..40 {
        let arch = if seed % 4 == 3 { Arch::Gcn12 } else { Arch::Gcn14 };
        let program = program(arch, &Links::make(arch, seed), 0x1000 * (seed % 3));
        let mut rng = Rng::new(seed ^ 77);
        let shared = Arc::new(SharedRegions::default());
        let mut settings = Vec::new();
        for (hot, region_max) in [(0, 1000), (0, 12), (1, 40), (10, 1000), (10, rng.between(2, 60)), (60, 300)] {
            for engine in [EngineKind::JitNoCheck, EngineKind::Check] {
                let count_classes = rng.one_in(2);
                let shared = (!count_classes && region_max == 1000).then(|| shared.clone());
                settings.push({
                    let mut options =
                        RunOptions::default().engine(engine).hot(hot).region_max(region_max).shared(shared);
                    options.count_classes = count_classes;
                    options
                });
            }
        }
        for _ in 0..3 {
            let wave = wave_with(&program, |state| {
                state.scc = rng.below(2);
                state.set_exec(rng.pick(&[0, 1, u64::MAX]));
                state.set_pair(reg::VCC_LO, rng.pick(&[0, 1]));
                state.sgpr[reg::M0 as usize] = rng.below(3);
                if rng.one_in(3) {
                    // Waves start anywhere, even inside literals, with links to anywhere.
                    let mut address = || program.base() + 4 * rng.below(program.word_count() as u32) as u64;
                    state.pc = address();
                    [4, 6, 8, 30, 112].into_iter().for_each(|pair| state.set_pair(pair, address()));
                    state.sgpr[COUNTER as usize] = 60;
                    state.mode |= rng.pick(&[0, Mode::VSKIP, Mode::GPR_IDX_EN]);
                    let notes = Note::ALL.iter().filter(|_| rng.one_in(4));
                    state.notes = notes.fold(Notes::NONE, |notes, note| notes.or(Notes::of(*note)));
                }
            });
            // Checks cut compiled execution into slices of 4096 instructions, so it also goes on in the middle of
            // callees.
            let budget = rng.pick(&[1000, 5000, 20_000]) + rng.below(3000) as u64;
            let (_, outcome) = agree_under(&settings, &program, &wave, budget);
            faultless += (outcome.name() != "fault") as u32;
        }
    }
    assert!(faultless > 40, "{faultless}");
}

/// Interprets up to `budget` instructions in stretches of random length, with and without counting arrivals. If `anew`,
/// each stretch has another interpreter; otherwise one runs all.
fn in_stretches(
    program: &Program,
    start: &Wave,
    budget: u64,
    longest: u32,
    anew: bool,
    rng: &mut Rng,
) -> (Wave, Outcome) {
    let make = || {
        let mut interp = Interp::new(program);
        interp.count_classes();
        interp
    };
    let (mut wave, mut interp) = (start.clone(), make());
    let mut hot = HotCounters::new(program, 3);
    loop {
        if anew {
            interp = make();
        }
        let max = (rng.between(1, longest) as u64).min(budget - wave.executed);
        let before = wave.executed;
        let stop = if rng.one_in(2) {
            interp.run_counting(&mut wave, &mut gcnsim_machine::Context::default(), max, &mut hot)
        } else {
            Stop::Done(interp.run(&mut wave, max))
        };
        match stop {
            Stop::Hot => assert!(wave.executed - before < max),
            Stop::Done(Outcome::Budget) => {
                assert_eq!(wave.executed - before, max);
                if wave.executed == budget {
                    return (wave, Outcome::Budget);
                }
            }
            Stop::Done(outcome) => return (wave, outcome),
        }
    }
}

#[test]
fn the_interpreter_may_stop_anywhere() {
    for seed in 0..20 {
        let program = program(Arch::Gcn14, &Links::make(Arch::Gcn14, seed), 0x1000 * (seed % 3));
        let mut rng = Rng::new(seed);
        let start = wave_with(&program, |state| state.scc = rng.below(2));
        let budget = 3000 + rng.below(50) as u64;
        let mut wave = start.clone();
        let mut interp = Interp::new(&program);
        interp.count_classes();
        let outcome = interp.run(&mut wave, budget);
        assert_eq!(wave.classes.total(), wave.executed);
        for (longest, anew) in [(1, false), (1, true), (7, false), (7, true), (100, false)] {
            let (end, found) = in_stretches(&program, &start, budget, longest, anew, &mut rng);
            assert_eq!(found, outcome, "{seed}");
            assert_eq!(end.state, wave.state, "{seed}");
            assert_eq!((end.executed, end.classes, end.last_pc), (wave.executed, wave.classes, wave.last_pc), "{seed}");
        }
    }
}
