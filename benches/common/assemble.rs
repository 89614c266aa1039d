//! Generated programs: just enough of an assembler for them.

use gcnsim::isa::table::{Sop1, Sop2, Sopc, Sopk, Sopp, Vopc};
use gcnsim::isa::{Arch, Opcode, Program};

/// Operand code of VCC.
pub const VCC: u32 = 106;

/// A program in the making, for GCN 1.4.
#[derive(Default)]
pub struct Assembler {
    words: Vec<u32>,
}

fn number(opcode: Opcode) -> u32 {
    opcode.desc().opcode_on(Arch::Gcn14).expect("an instruction of GCN 1.4") as u32
}

/// Operand code of a small integer constant.
pub fn constant(value: u32) -> u32 {
    assert!(value <= 64);
    128 + value
}

impl Assembler {
    pub fn sop2(&mut self, op: Sop2, dst: u32, a: u32, b: u32) {
        self.words.push(0x8000_0000 | number(Opcode::Sop2(op)) << 23 | dst << 16 | b << 8 | a);
    }

    pub fn sop1(&mut self, op: Sop1, dst: u32, a: u32) {
        self.words.push(0xbe80_0000 | dst << 16 | number(Opcode::Sop1(op)) << 8 | a);
    }

    pub fn sopc(&mut self, op: Sopc, a: u32, b: u32) {
        self.words.push(0xbf00_0000 | number(Opcode::Sopc(op)) << 16 | b << 8 | a);
    }

    pub fn sopk(&mut self, op: Sopk, dst: u32, simm16: u16) {
        self.words.push(0xb000_0000 | number(Opcode::Sopk(op)) << 23 | dst << 16 | simm16 as u32);
    }

    /// Branches take the index of their target dword.
    pub fn branch(&mut self, op: Sopp, target: usize) {
        let distance = target as i64 - (self.words.len() as i64 + 1);
        self.sopp(op, distance as i16 as u16);
    }

    pub fn sopp(&mut self, op: Sopp, simm16: u16) {
        self.words.push(0xbf80_0000 | number(Opcode::Sopp(op)) << 16 | simm16 as u32);
    }

    /// A compare of a source with a VGPR, into VCC.
    pub fn vopc(&mut self, op: Vopc, src0: u32, vsrc1: u32) {
        self.words.push(0x7c00_0000 | number(Opcode::Vopc(op)) << 17 | vsrc1 << 9 | src0);
    }

    /// Index of the next dword.
    pub fn here(&self) -> usize {
        self.words.len()
    }

    /// Makes the branch at an index go to the next dword.
    pub fn land(&mut self, at: usize) {
        let distance = self.words.len() - (at + 1);
        self.words[at] |= distance as u32;
    }

    /// The program, ended.
    pub fn finish(mut self) -> Program {
        self.sopp(Sopp::SEndpgm, 0);
        Program::from_words(Arch::Gcn14, &self.words)
    }
}

/// xorshift64: the same programs in every run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, n: u32) -> u32 {
        (self.next() >> 32) as u32 % n
    }
}

/// A kernel as compilers write them: address arithmetic, shifts and masks, selections, compares with short forward
/// branches, EXEC masks, on `live` SGPRs (even) that are all read and written again and again. `insts` is about its length.
pub fn kernel(seed: u64, insts: usize, live: u32) -> Program {
    let mut random = Random::new(seed);
    let mut code = Assembler::default();
    while code.here() < insts {
        let register = |random: &mut Random| random.below(live);
        let pair = |random: &mut Random| random.below(live / 2) * 2;
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
                code.sop2(Sop2::SOrB64, 126, 126, dd);
            }
            _ => code.sop2(Sop2::SBfeU32, d, a, small),
        }
    }
    code.finish()
}
