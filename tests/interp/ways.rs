//! A run of the interpreter has the same result if it is cut into pieces, if the interpreter has run other programs,
//! and if it counts classes or arrivals. The expected result comes from single instructions, each on an interpreter of
//! its own. The test itself keeps counts, classes, the last address and arrivals at jump targets.

use crate::instructions;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use gcnsim::{Outcome, Wave};
use gcnsim_check::generate::Case;
use gcnsim_interp::{HotCounters, Interp, Stop};
use gcnsim_isa::{Arch, Kind, Note, Program};
use gcnsim_launches::sidecar::Sidecar;
use gcnsim_loader as loader;
use gcnsim_machine::Context;
use gcnsim_random::Rng;
use instructions::{op1, op2, opc, opk, opp};

const GFX9: Arch = Arch::Gcn14;

/// A run, recorded instruction by instruction.
struct Trace {
    /// The memory, LDS and GDS that every run starts with.
    context: Box<dyn Fn() -> Context>,
    /// The wave before the first instruction, and after each instruction.
    waves: Vec<Wave>,
    /// The outcome that ends the run, and the final wave. `None` if the length of the trace ends it.
    end: Option<(Outcome, Wave)>,
}

impl Trace {
    fn of(program: &Program, start: Wave, most: usize, context: impl Fn() -> Context + 'static) -> Trace {
        let (mut waves, mut memory) = (vec![start], context());
        let context = Box::new(context);
        while waves.len() <= most {
            let before = &waves[waves.len() - 1];
            let mut wave = before.clone();
            let outcome = Interp::new(program).run_alone(&mut wave, &mut memory, 1);
            let completed = wave.executed > before.executed;
            let at = before.state.pc & !3;
            assert_eq!(wave.executed, before.executed + completed as u64);
            assert_eq!(wave.last_pc, if completed { Some(at) } else { before.last_pc });
            if completed {
                wave.classes.add(program.fetch(at).unwrap().desc().kind, 1);
                waves.push(wave.clone());
            }
            if outcome != Outcome::Budget {
                return Trace { context, waves, end: Some((outcome, wave)) };
            }
        }
        Trace { context, waves, end: None }
    }

    fn len(&self) -> u64 {
        self.waves.len() as u64 - 1
    }

    /// Returns the expected result of a run with the budget `budget`.
    fn expected(&self, budget: u64) -> (Outcome, &Wave) {
        match &self.end {
            Some((outcome, wave)) if budget > self.len() => (*outcome, wave),
            // A wave that ends with its last allowed instruction counts as ended.
            Some((outcome, wave)) if budget > 0 && budget == self.len() && stops_by_itself(outcome) => (*outcome, wave),
            _ => (Outcome::Budget, &self.waves[budget as usize]),
        }
    }

    /// Returns the largest budget for which a result is known.
    fn most(&self) -> u64 {
        self.len() + self.end.is_some() as u64
    }
}

fn stops_by_itself(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Ended | Outcome::Halted)
}

#[track_caller]
fn assert_same(actual: &Wave, expected: &Wave, counts_classes: bool, what: &dyn Fn() -> String) {
    assert_eq!(actual.state, expected.state, "{}", what());
    assert_eq!((actual.executed, actual.last_pc), (expected.executed, expected.last_pc), "{}", what());
    if counts_classes {
        assert_eq!(actual.classes, expected.classes, "{}", what());
    }
}

/// Checks one run with a budget.
fn check_once(interp: &mut Interp, trace: &Trace, budget: u64, counts_classes: bool, what: &str) {
    match counts_classes {
        true => interp.count_classes(),
        false => interp.ignore_classes(),
    }
    let mut wave = trace.waves[0].clone();
    let outcome = interp.run_alone(&mut wave, &mut (trace.context)(), budget);
    let (stop, expected) = trace.expected(budget);
    let what = || format!("{what}, budget {budget}");
    assert_eq!(outcome, stop, "{}", what());
    assert_same(&wave, expected, counts_classes, &what);
}

/// Checks a run in pieces.
fn check_pieces(interp: &mut Interp, trace: &Trace, rng: &mut Rng, what: &str) {
    interp.count_classes();
    let (mut wave, mut context) = (trace.waves[0].clone(), (trace.context)());
    let mut budget = 0;
    while budget < trace.most() {
        let piece = (rng.below(12) as u64).min(trace.most() - budget);
        budget += piece;
        let outcome = interp.run_alone(&mut wave, &mut context, piece);
        let (stop, expected) = trace.expected(budget);
        let what = || format!("{what}, up to {budget} by {piece}");
        assert_eq!(outcome, if piece == 0 { Outcome::Budget } else { stop }, "{}", what());
        assert_same(&wave, expected, true, &what);
        if outcome != Outcome::Budget {
            break;
        }
    }
}

/// Checks a run that counts arrivals. All steps that do not lead forward count as backward jumps.
fn check_counting(interp: &mut Interp, program: &Program, trace: &Trace, threshold: u32, what: &str) {
    interp.count_classes();
    let mut hot = HotCounters::new(program, threshold);
    let mut arrivals = BTreeMap::new();
    let (mut wave, mut context) = (trace.waves[0].clone(), (trace.context)());
    let (mut at, most) = (0, trace.most());
    while at < most {
        // `stop_at` is the number of the step after which the run has to stop.
        let mut stop_at = None;
        for step in at..trace.len().min(most) {
            let [from, to] = [step, step + 1].map(|n| trace.waves[n as usize].state.pc & !3);
            let word = |pc: u64| program.word_index(pc);
            // The PC of a wave stays at an instruction that ends it.
            let ends = step + 1 == trace.len() && trace.end.as_ref().is_some_and(|(end, _)| stops_by_itself(end));
            if !ends && word(to).is_some() && word(to) <= word(from) {
                let count = arrivals.entry(to).or_insert(0);
                *count += 1;
                if *count >= threshold && step + 1 < most {
                    stop_at = Some(step + 1);
                    break;
                }
            }
        }
        let what = || format!("{what}, threshold {threshold}, from {at}");
        let mut stop = Stop::Done(Outcome::Barrier);
        while stop == Stop::Done(Outcome::Barrier) {
            let left = most - wave.executed;
            stop = interp.run_counting(&mut wave, &mut context, left, &mut hot);
        }
        let Some(stopped) = stop_at else {
            let (outcome, expected) = trace.expected(most);
            assert_eq!(stop, Stop::Done(outcome), "{}", what());
            return assert_same(&wave, expected, true, &what);
        };
        assert_eq!(stop, Stop::Hot, "{}", what());
        assert_same(&wave, &trace.waves[stopped as usize], true, &what);
        at = stopped;
    }
}

/// An interpreter of a program without dwords.
fn nothing() -> Interp {
    Interp::new(&Program::from_words(GFX9, &[]))
}

/// Checks all ways to run a program from a state. `knowing` has run another program.
fn check(knowing: &mut Interp, program: &Program, trace: &Trace, rng: &mut Rng, what: &str) {
    // The largest budget comes first or last, because decoding depends on where runs are cut.
    let mut budgets: Vec<u64> = (0..=trace.most().min(24)).chain([trace.most() / 2, trace.most()]).collect();
    if rng.one_in(2) {
        budgets.reverse();
    }
    knowing.begin(program);
    let mut new = Interp::new(program);
    for interp in [&mut *knowing, &mut new] {
        check_once(interp, trace, budgets[0], true, what);
    }
    // The facts for the compiler are those of this program only.
    assert_eq!(knowing.entered_words().collect::<Vec<_>>(), new.entered_words().collect::<Vec<_>>(), "{what}");
    assert_eq!(knowing.computed_jumps().collect::<Vec<_>>(), new.computed_jumps().collect::<Vec<_>>(), "{what}");
    if rng.one_in(2) {
        // After such a long run, functions execute pairs of instructions, if there is a loop.
        knowing.run_alone(&mut trace.waves[0].clone(), &mut (trace.context)(), 20_000);
    }
    for (n, &budget) in budgets.iter().enumerate() {
        check_once(knowing, trace, budget, n % 2 == 0, what);
        check_once(&mut Interp::new(program), trace, budget, n % 2 == 1, what);
    }
    check_pieces(&mut Interp::new(program), trace, rng, what);
    check_pieces(knowing, trace, rng, what);
    for threshold in 1..=3 {
        let mut new = knowing.clone();
        new.begin(program);
        check_counting(&mut new, program, trace, threshold, what);
        check_counting(knowing, program, trace, threshold, what);
    }
}

#[test]
fn generated_programs() {
    let mut rng = Rng::new(0x3a95);
    let (mut knowing, mut ended) = (nothing(), 0);
    for number in 0..250 {
        let case = Case::random(90_000 + number, None);
        let program = case.program();
        let trace = Trace::of(&program, case.wave(), 150, move || case.context());
        ended += trace.end.is_some() as u32;
        check(&mut knowing, &program, &trace, &mut rng, &format!("case {number}"));
    }
    assert!(ended > 100, "{ended} ended");
}

#[test]
fn programs_of_the_corpus() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/programs");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "bin"));
    files.sort();
    assert!(files.len() >= 60, "only {} programs", files.len());
    let mut rng = Rng::new(0xc0);
    let mut knowing = nothing();
    for path in files.iter().step_by(3) {
        let sidecar = Sidecar::beside(path).unwrap().expect("a sidecar");
        let loaded = loader::load(path).unwrap();
        let program = loaded.entries[0].program_at(sidecar.arch.unwrap(), None, sidecar.entry.unwrap_or(0));
        let mut wave = Wave::new(&program);
        if let Some(state) = &sidecar.state {
            state.apply(&mut wave);
        }
        let trace = Trace::of(&program, wave, 150, Context::default);
        check(&mut knowing, &program, &trace, &mut rng, &path.display().to_string());
    }
}

/// Returns a program of a few dwords with many ways to leave blocks, followed by bytes that are not a whole dword.
fn tangle(rng: &mut Rng, words: usize) -> (Vec<u8>, u64) {
    let distance = |rng: &mut Rng| rng.below(9) as i16 - 5;
    let target = |rng: &mut Rng| 2 * rng.below(4);
    let one = |rng: &mut Rng| match rng.below(24) {
        0 => opp(GFX9, "s_sethalt", rng.below(3) as i16),
        1 => opp(GFX9, "s_endpgm", 0),
        2 => [opp(GFX9, "s_trap", 3 * (rng.below(2) as i16)), vec![rng.bits()]][rng.below(2) as usize].clone(),
        3..5 => opp(GFX9, "s_branch", distance(rng)),
        5..7 => opp(GFX9, "s_cbranch_scc0", distance(rng)),
        7..9 => opp(GFX9, "s_cbranch_scc1", distance(rng)),
        9 => opk(GFX9, "s_call_b64", target(rng), distance(rng) as u16),
        10 => opk(GFX9, "s_cbranch_i_fork", 8, distance(rng) as u16),
        11 => op1(GFX9, "s_cbranch_join", 0, 128),
        12..14 => op1(GFX9, "s_setpc_b64", 0, target(rng)),
        14 => op1(GFX9, "s_swappc_b64", target(rng), target(rng)),
        15 => op1(GFX9, "s_getpc_b64", target(rng), 0),
        16 => op1(GFX9, "s_mov_fed_b32", 10, 129),
        // The literal is an instruction itself, sometimes one with a literal.
        17..19 => vec![op2(GFX9, "s_add_u32", 11, 11, 255)[0], opc(GFX9, "s_cmp_lt_u32", 255 - rng.below(2), 11)[0]],
        19 => op2(GFX9, "s_addc_u32", 12, 12, 12),
        20..22 => op2(GFX9, "s_add_u32", 12, 12, 13),
        _ => opc(GFX9, "s_cmp_lt_u32", 12, 11 + rng.below(3)),
    };
    let mut code = Vec::new();
    while code.len() < words {
        code.extend(one(rng));
    }
    code.truncate(words);
    let mut bytes: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend(&[0x81; 3][..rng.below(4) as usize]);
    let base = rng.pick(&[0, 0, 0x100, 0xffff_fff0, 0x7fff_ffff_f000, 0xffff_ffff_fff8, u64::MAX - 15, u64::MAX - 7]);
    (bytes, base & !3)
}

/// One interpreter runs waves that start at every dword and outside.
#[test]
fn waves_that_start_anywhere() {
    let mut rng = Rng::new(0x7a);
    let mut knowing = nothing();
    let (mut halted, mut noted, mut outside) = (0, 0, 0);
    for round in 0..400 {
        let words = if round < 6 { round / 2 } else { 3 + rng.below(30) as usize };
        let (bytes, base) = tangle(&mut rng, words);
        let program = Program::new(GFX9, Arc::new(bytes), base, 0);
        knowing.begin(&program);
        for _ in 0..24 {
            let address = |rng: &mut Rng| match rng.below(8) {
                0 => base.wrapping_add(4 * words as u64).wrapping_add(rng.below(8) as u64),
                1 => base.wrapping_sub(1 + rng.below(8) as u64),
                // Only the high bits are outside the program.
                2 => base.wrapping_add(4 * rng.below(1 + words as u32) as u64) ^ 1 << (33 + rng.below(31)),
                _ => base.wrapping_add(4 * rng.below(1 + words as u32) as u64 + rng.pick(&[0, 0, 0, 1, 2, 3])),
            };
            let mut wave = Wave::new(&program);
            wave.state.pc = address(&mut rng);
            for pair in 0..4 {
                wave.state.set_pair(2 * pair, address(&mut rng));
            }
            wave.state.set_pair(8, rng.bits64());
            wave.state.set_exec(rng.bits64());
            (wave.state.scc, wave.state.sgpr[13]) = (rng.below(2), rng.bits());
            let trace = Trace::of(&program, wave, 40, Context::default);
            match &trace.end {
                Some((Outcome::Halted, _)) => halted += 1,
                Some((outcome, wave)) => {
                    outside += outcome.detail().is_some_and(|detail| detail.kind == "pc-out-of-range") as u32;
                    noted += wave.state.notes.contains(Note::JumpIntoLiteral) as u32;
                }
                None => {}
            }
            let what = format!("round {round}, {:?}", trace.waves[0].state.pc);
            let budget = rng.below(trace.most() as u32 + 1) as u64;
            check_once(&mut knowing, &trace, budget, rng.one_in(2), &what);
            check_once(&mut knowing, &trace, trace.most(), rng.one_in(2), &what);
            if trace.end.is_some() {
                check_once(&mut knowing, &trace, u64::MAX, rng.one_in(2), &what);
            }
            check_pieces(&mut knowing, &trace, &mut rng, &what);
            check_counting(&mut knowing, &program, &trace, rng.between(1, 3), &what);
        }
    }
    assert!(halted > 100 && noted > 100 && outside > 100, "{halted} {noted} {outside}");
}

/// Stretches as long as the longest that is decoded at once, with literals across their ends, entered anywhere near
/// them.
#[test]
fn ends_of_what_is_decoded_at_once() {
    // s_mov_b32 s0 with the same dword as its literal; s_add_u32 s1, s1, 1.
    let long = op1(GFX9, "s_mov_b32", 0, 255)[0];
    let short = op2(GFX9, "s_add_u32", 1, 1, 129)[0];
    let mut rng = Rng::new(0x3ff);
    for before in [0, 1, 1021, 1022, 1023] {
        let mut words = [vec![short; before], vec![long; 2048], vec![short; 1030]].concat();
        words.extend(opp(GFX9, "s_endpgm", 0));
        let program = Program::from_words(GFX9, &words);
        let mut knowing = Interp::new(&program);
        knowing.count_classes();
        for start in [0, before, before + 1, 1022, 1023, 1024, 1025, before + 1023, before + 1024, 2047, 2070] {
            for budget in [1, 511, 512, 513, 1023, 1024] {
                let mut wave = Wave::new(&program);
                wave.state.pc = 4 * start as u64;
                let mut new = wave.clone();
                let outcome = knowing.run(&mut wave, budget);
                assert_eq!(Interp::new(&program).run(&mut new, budget), outcome, "{before} {start} {budget}");
                assert_same(&wave, &new, false, &|| format!("{before} {start} {budget}"));
                let ended = (outcome == Outcome::Ended) as u64;
                assert_eq!(wave.classes.get(Kind::Salu), wave.executed - ended, "{before} {start} {budget}");
                let inside = (before..before + 2048).contains(&start) && (start - before) % 2 == 1;
                assert_eq!(new.state.notes.contains(Note::JumpIntoLiteral), inside, "{before} {start}");
            }
        }
        let mut wave = Wave::new(&program);
        wave.state.pc = 4 * rng.below(before as u32 + 1) as u64;
        assert_eq!(knowing.run(&mut wave, 10_000), Outcome::Ended);
        assert!(wave.state.notes.is_empty());
        assert_eq!([Kind::Salu, Kind::System].map(|kind| wave.classes.get(kind)), [wave.executed - 1, 1], "{before}");
    }
}

/// Runs that are long enough to stop for making pairs, with budgets that end near that point. The loops come to a block
/// that was not decoded before, or do not.
#[test]
fn runs_of_thousands_of_instructions() {
    let words = [
        op2(GFX9, "s_add_u32", 0, 0, 129),  // 0: loop
        op2(GFX9, "s_addc_u32", 1, 1, 128), // 1
        op1(GFX9, "s_mov_fed_b32", 3, 0),   // 2
        opc(GFX9, "s_cmp_eq_u32", 0, 20),   // 3
        opp(GFX9, "s_cbranch_scc1", 3),     // 4: to 8
        opc(GFX9, "s_cmp_lg_u32", 0, 21),   // 5
        opp(GFX9, "s_cbranch_scc1", -7),    // 6: to 0
        op1(GFX9, "s_setpc_b64", 0, 22),    // 7: to where s[22:23] say
        opp(GFX9, "s_branch", -9),          // 8: once, to 0
    ]
    .concat();
    let program = Program::from_words(GFX9, &words);
    let mut knowing = nothing();
    // The undecoded block comes early, near the point where pairs are made, or never. The end is outside, or at the
    // wave's start again.
    for (once, last, target) in [(3, 2900, 400), (1169, 1200, 400), (1171, 2340, 400), (0, 1171, 0), (2339, 3000, 36)] {
        let mut wave = Wave::new(&program);
        (wave.state.sgpr[20], wave.state.sgpr[21], wave.state.sgpr[22]) = (once, last, target);
        let trace = Trace::of(&program, wave, 25_000, Context::default);
        for near in [8190, 16_380, trace.most().min(trace.len()) - 8] {
            knowing.begin(&program);
            for budget in near..=(near + 9).min(trace.most()) {
                check_once(&mut Interp::new(&program), &trace, budget, budget % 2 == 0, "long");
                check_once(&mut knowing, &trace, budget, budget % 2 == 1, "long");
            }
        }
        let mut hot = HotCounters::new(&program, 1171);
        let mut wave = trace.waves[0].clone();
        let mut interp = Interp::new(&program);
        assert_eq!(
            interp.run_counting(&mut wave, &mut gcnsim_machine::Context::default(), u64::MAX, &mut hot),
            Stop::Hot
        );
        let arrivals = |n: u64| (1..=n as usize).filter(|&n| trace.waves[n].state.pc == 0).count();
        assert_eq!((arrivals(wave.executed), arrivals(wave.executed - 1)), (1171, 1170));
        assert_same(&wave, &trace.waves[wave.executed as usize], false, &|| "hot".to_string());
    }
}

/// A target becomes hot with the same instruction after which a run would stop for making pairs.
#[test]
fn targets_that_get_hot_after_thousands_of_arrivals() {
    let program = Program::from_words(GFX9, &opp(GFX9, "s_branch", -1));
    for threshold in (8_188..8_198).chain(16_380..16_390) {
        let mut hot = HotCounters::new(&program, threshold);
        let mut wave = Wave::new(&program);
        assert_eq!(
            Interp::new(&program).run_counting(&mut wave, &mut gcnsim_machine::Context::default(), u64::MAX, &mut hot),
            Stop::Hot
        );
        assert_eq!((wave.executed, wave.state.pc), (threshold as u64, 0));
    }
}
