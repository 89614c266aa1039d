//! Generates programs for GCN 1.4.

use gcnsim_isa::encode::Builder;
use gcnsim_isa::{Arch, Opcode, Program, Sop1, Sop2, Sopc, Sopk, Sopp, Vopc};
use gcnsim_random::Rng;

/// Operand code of VCC.
pub const VCC: u32 = 106;
/// Operand code of EXEC.
pub const EXEC: u32 = 126;

/// A program that is being built.
#[derive(Default)]
pub struct Assembler {
    words: Vec<u32>,
}

/// Operand code of a small integer constant.
pub fn constant(value: u32) -> u32 {
    assert!(value <= 64);
    128 + value
}

impl Assembler {
    /// Appends an instruction, whose operands `fill` sets.
    fn push(&mut self, opcode: impl Into<Opcode>, fill: impl FnOnce(Builder) -> Builder) {
        let builder = fill(Builder::new(Arch::Gcn14, opcode.into()));
        let (word, second) = builder.words().expect("legal operands");
        self.words.push(word);
        self.words.extend(second);
    }

    pub fn sop2(&mut self, op: Sop2, dst: u32, a: u32, b: u32) {
        self.push(op, |inst| inst.dst(dst).src(0, a).src(1, b));
    }

    pub fn sop1(&mut self, op: Sop1, dst: u32, a: u32) {
        self.push(op, |inst| inst.dst(dst).src(0, a));
    }

    pub fn sopc(&mut self, op: Sopc, a: u32, b: u32) {
        self.push(op, |inst| inst.src(0, a).src(1, b));
    }

    pub fn sopk(&mut self, op: Sopk, dst: u32, simm16: u16) {
        self.push(op, |inst| inst.dst(dst).simm16(simm16));
    }

    pub fn sopp(&mut self, op: Sopp, simm16: u16) {
        self.push(op, |inst| inst.simm16(simm16));
    }

    /// Appends a branch to the dword with the index `target`.
    pub fn branch(&mut self, op: Sopp, target: usize) {
        let distance = target as i64 - (self.words.len() as i64 + 1);
        self.sopp(op, distance as i16 as u16);
    }

    /// Appends a compare of a source with a VGPR, into VCC.
    pub fn vopc(&mut self, op: Vopc, src0: u32, vgpr: u32) {
        self.push(op, |inst| inst.src(0, src0).src(1, 256 + vgpr));
    }

    /// Index of the next dword.
    pub fn here(&self) -> usize {
        self.words.len()
    }

    /// Makes the branch at the dword with the index `at` go to the next dword. Its distance must be 0 so far.
    pub fn land(&mut self, at: usize) {
        let distance = self.words.len() - (at + 1);
        self.words[at] |= distance as u32;
    }

    /// Ends and returns the program.
    pub fn finish(mut self) -> Program {
        self.sopp(Sopp::SEndpgm, 0);
        Program::from_words(Arch::Gcn14, &self.words)
    }
}

/// A kernel as compilers write them: address arithmetic, shifts and masks, selections, compares with short forward
/// branches, and EXEC masks. It has `live` SGPRs (an even number), which are all read and written again and again.
/// `insts` is its approximate length.
pub fn kernel(seed: u64, insts: usize, live: u32) -> Program {
    let mut random = Rng::new(seed);
    let mut code = Assembler::default();
    while code.here() < insts {
        let register = |random: &mut Rng| random.below(live);
        let pair = |random: &mut Rng| random.below(live / 2) * 2;
        let (d, a, b) = (register(&mut random), register(&mut random), register(&mut random));
        let (dd, aa, bb) = (pair(&mut random), pair(&mut random), pair(&mut random));
        let small = constant(random.below(32));
        match random.below(20) {
            0..3 => {
                code.sop2(Sop2::SAddU32, dd, aa, bb);
                code.sop2(Sop2::SAddcU32, dd + 1, aa + 1, bb + 1);
            }
            3..5 => code.sop2(Sop2::SAddI32, d, a, small),
            5..7 => code.sop2(Sop2::SLshlB32, d, a, small),
            7 => code.sop2(Sop2::SLshlB64, dd, aa, small),
            8..10 => code.sop2(Sop2::SAndB32, d, a, b),
            10 => code.sop2(Sop2::SMulI32, d, a, b),
            11 => code.sop2(Sop2::SAndB64, dd, aa, bb),
            12..14 => code.sop1(Sop1::SMovB32, d, a),
            14 => code.sopk(Sopk::SMovkI32, d, random.below(65536) as u16),
            15 => {
                code.sopc(Sopc::SCmpLtI32, a, b);
                code.sop2(Sop2::SCselectB32, d, a, small);
            }
            16 | 17 => {
                code.sopc(Sopc::SCmpEqU32, a, small);
                let branch = code.here();
                code.sopp(Sopp::SCbranchScc1, 0);
                for _ in 0..1 + random.below(4) {
                    let (d, a) = (register(&mut random), register(&mut random));
                    code.sop2(Sop2::SLshrB32, d, a, small);
                }
                code.land(branch);
            }
            18 => {
                code.vopc(Vopc::VCmpLtU32, a, random.below(8));
                code.sop1(Sop1::SAndSaveexecB64, dd, VCC);
                let branch = code.here();
                code.sopp(Sopp::SCbranchExecz, 0);
                code.sop2(Sop2::SAddI32, d, d, constant(1));
                code.land(branch);
                code.sop2(Sop2::SOrB64, EXEC, EXEC, dd);
            }
            _ => code.sop2(Sop2::SBfeU32, d, a, small),
        }
    }
    code.finish()
}

/// The branches of a [`large`] program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Short forward branches, and loops of a few dozen instructions, one after the other.
    Local,
    /// In addition, every fourth branch rarely goes somewhere further on, thousands of instructions away.
    Far,
}

/// A program of about `insts` instructions that runs `rounds` times. Every eighth instruction is a branch. Its loops
/// are short and run up to eight times.
pub fn large(seed: u64, insts: usize, rounds: u16, shape: Shape) -> Program {
    // SGPRs: the rounds to go, the first of eight counters of loops, a sum of odd numbers, the odd number, and a limit
    // below which random values seldom are.
    const ROUNDS: u32 = 100;
    const COUNTERS: u32 = 90;
    const NOISE: u32 = 80;
    const ODD: u32 = 81;
    const SELDOM: u32 = 82;
    /// Number of instructions of a unit, which ends with a branch.
    const UNIT: usize = 8;
    /// Number of SGPRs, from s0 on, on which units compute.
    const LIVE: u32 = 24;
    let mut random = Rng::new(seed);
    let mut code = Assembler::default();
    code.sopk(Sopk::SMovkI32, ROUNDS, rounds);
    code.sopk(Sopk::SMovkI32, ODD, 0x9e37);
    code.sop2(Sop2::SLshlB32, SELDOM, constant(1), constant(18));
    let start = code.here();
    // A branch reaches 32,767 dwords, so the way back to `start` leads from one branch to the next. `station` is the
    // last of them so far.
    let mut station = start;
    // `units` has the starts of units, `forward` has forward branches by their target units.
    let mut units = Vec::new();
    let mut forward: Vec<Vec<usize>> = vec![Vec::new(); insts / UNIT + 1];
    for unit in 0..insts / UNIT {
        if code.here() - station > 16_000 {
            let over = code.here();
            code.sopp(Sopp::SBranch, 0);
            let next = code.here();
            code.branch(Sopp::SBranch, station);
            code.land(over);
            station = next;
        }
        units.push(code.here());
        std::mem::take(&mut forward[unit]).into_iter().for_each(|branch| code.land(branch));
        let counter = COUNTERS + unit as u32 % 8;
        let kind = random.below(8);
        // The counters of loops are set a few units ahead. A loop that is entered after that runs once.
        code.sopk(Sopk::SMovkI32, COUNTERS + (unit as u32 + 3) % 8, 1 + random.below(8) as u16);
        for _ in 0..UNIT - 4 {
            let (d, a, b) = (random.below(LIVE), random.below(LIVE), random.below(LIVE));
            match random.below(4) {
                0 => code.sop2(Sop2::SAddU32, d, a, NOISE),
                1 => code.sop2(Sop2::SXorB32, d, b, NOISE),
                2 => code.sop1(Sop1::SBrevB32, d, a),
                _ => code.sop2(Sop2::SAddU32, NOISE, NOISE, ODD),
            }
        }
        let ahead = |units: usize| (unit + 1 + units).min(insts / UNIT);
        match kind {
            0 | 1 if unit >= 3 => {
                code.sop2(Sop2::SSubI32, counter, counter, constant(1));
                code.sopc(Sopc::SCmpGtI32, counter, constant(0));
                code.branch(Sopp::SCbranchScc1, units[unit - random.below(3) as usize]);
            }
            2 | 3 if shape == Shape::Far => {
                code.sop2(Sop2::SAddU32, random.below(LIVE), NOISE, random.below(LIVE));
                code.sopc(Sopc::SCmpLtU32, random.below(LIVE), SELDOM);
                forward[ahead(random.below(3_000.min((insts / UNIT - unit) as u32)) as usize)].push(code.here());
                code.sopp(Sopp::SCbranchScc1, 0);
            }
            _ => {
                code.sop2(Sop2::SAddU32, random.below(LIVE), NOISE, random.below(LIVE));
                code.sopc(Sopc::SCmpLtU32, random.below(LIVE), random.below(LIVE));
                forward[ahead(random.below(3) as usize)].push(code.here());
                code.sopp(Sopp::SCbranchScc1, 0);
            }
        }
    }
    std::mem::take(&mut forward[insts / UNIT]).into_iter().for_each(|branch| code.land(branch));
    code.sop2(Sop2::SSubU32, ROUNDS, ROUNDS, constant(1));
    code.sopc(Sopc::SCmpLgU32, ROUNDS, constant(0));
    code.branch(Sopp::SCbranchScc1, station);
    code.finish()
}

/// A program of about `insts` instructions. Every other one is a branch: back to one of the last forty, or forward over
/// up to sixty. It is made to be compiled and not to be run.
pub fn dense(seed: u64, insts: usize, registers: u32) -> Program {
    let mut random = Rng::new(seed);
    let mut code = Assembler::default();
    // `starts` has the indices of the additions, `forward` forward branches with the numbers of the additions that they
    // go to.
    let mut starts = Vec::new();
    let mut forward: Vec<(usize, usize)> = Vec::new();
    while code.here() < insts {
        starts.push(code.here());
        let [d, a, b] = [(); 3].map(|()| random.below(registers));
        code.sop2(Sop2::SAddU32, d, a, b);
        if random.below(2) == 0 {
            let back = random.below(starts.len().min(40) as u32) as usize;
            code.branch(Sopp::SCbranchScc1, starts[starts.len() - 1 - back]);
        } else {
            forward.push((code.here(), starts.len() + 1 + random.below(60) as usize));
            code.sopp(Sopp::SCbranchScc1, 0);
        }
        forward.retain(|&(branch, unit)| {
            if unit == starts.len() {
                code.land(branch);
            }
            unit != starts.len()
        });
    }
    forward.into_iter().for_each(|(branch, _)| code.land(branch));
    code.finish()
}
