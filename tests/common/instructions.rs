//! Makes instructions by mnemonic, and runs a few of them, for the tests of the interpreter.
#![allow(dead_code)]

use gcnsim::{Outcome, Wave};
use gcnsim_interp::Interp;
use gcnsim_isa::{Arch, Program, WaveState, table};

/// Returns the opcode number of a mnemonic.
pub fn opcode(arch: Arch, mnemonic: &str) -> u32 {
    let row = table::core_rows().find(|row| row.mnemonic == mnemonic).expect(mnemonic);
    row.opcode_on(arch).expect(mnemonic) as u32
}

/// Returns a SOP1 instruction.
pub fn op1(arch: Arch, mnemonic: &str, dst: u32, src: u32) -> Vec<u32> {
    vec![0x17d << 23 | dst << 16 | opcode(arch, mnemonic) << 8 | src]
}

/// Returns a SOP2 instruction.
pub fn op2(arch: Arch, mnemonic: &str, dst: u32, src0: u32, src1: u32) -> Vec<u32> {
    vec![2 << 30 | opcode(arch, mnemonic) << 23 | dst << 16 | src1 << 8 | src0]
}

/// Returns a SOPC instruction.
pub fn opc(arch: Arch, mnemonic: &str, src0: u32, src1: u32) -> Vec<u32> {
    vec![0x17e << 23 | opcode(arch, mnemonic) << 16 | src1 << 8 | src0]
}

/// Returns a SOPK instruction.
pub fn opk(arch: Arch, mnemonic: &str, dst: u32, simm16: u16) -> Vec<u32> {
    vec![0xb << 28 | opcode(arch, mnemonic) << 23 | dst << 16 | simm16 as u32]
}

/// Returns a SOPP instruction. Branch offsets are dwords from the next instruction.
pub fn opp(arch: Arch, mnemonic: &str, simm16: i16) -> Vec<u32> {
    vec![0x17f << 23 | opcode(arch, mnemonic) << 16 | simm16 as u16 as u32]
}

/// Returns a compare in VOPC form. SRC0 is a 9-bit code, VSRC1 the number of a VGPR.
pub fn vopc(arch: Arch, mnemonic: &str, src0: u32, vsrc1: u32) -> Vec<u32> {
    vec![0x3e << 25 | opcode(arch, mnemonic) << 17 | vsrc1 << 9 | src0]
}

/// Returns a compare in VOP3 form. The bits of `abs` and `neg` say which sources have these modifiers.
pub fn vop3(arch: Arch, mnemonic: &str, sdst: u32, src0: u32, src1: u32, abs: u32, neg: u32) -> Vec<u32> {
    let place = if arch.is_gcn12_or_later() { 16 } else { 17 };
    vec![0x34 << 26 | opcode(arch, mnemonic) << place | abs << 8 | sdst, neg << 29 | src1 << 9 | src0]
}

/// Runs a program for at most `max` instructions, from a state of zeros that `init` changes.
pub fn run_words(arch: Arch, words: &[u32], max: u64, init: impl FnOnce(&mut WaveState)) -> (Wave, Outcome) {
    let program = Program::from_words(arch, words);
    let mut wave = Wave::from_state(WaveState::zeroed());
    init(&mut wave.state);
    let outcome = Interp::new(&program).run(&mut wave, max);
    (wave, outcome)
}

/// Executes one instruction, which must complete.
pub fn run_one(arch: Arch, words: &[u32], init: impl FnOnce(&mut WaveState)) -> Wave {
    let (wave, outcome) = run_words(arch, words, 1, init);
    assert_eq!((outcome, wave.executed), (Outcome::Budget, 1));
    wave
}
