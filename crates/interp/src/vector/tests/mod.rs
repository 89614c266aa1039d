//! Executes instructions on registers that the tests fill. The expected results were worked out by hand from
//! docs/gcn/valu.md and the pages that it names.

mod compare;
mod dpp;
mod halves;
mod lane_moves;
mod masks;
mod modes;
mod packed;
mod sdwa;
mod speed;
mod values;

use gcnsim_isa::table::{Vop1, Vop2, Vop3, Vop3p};
use gcnsim_isa::{Arch, Inst, LANES, NO_OPCODE, Note, Opcode, Vgpr, Vopc, WaveState, decode};

use super::op::VectorOp;

/// Registers of a wave.
struct Setup {
    arch: Arch,
    state: WaveState,
    vgprs: Vec<Vgpr>,
}

impl Setup {
    /// A wave with EXEC all ones and 256 VGPRs of zeros.
    fn new(arch: Arch) -> Setup {
        Setup { arch, state: WaveState::initial(arch, 0), vgprs: vec![Vgpr([0; LANES]); 256] }
    }

    fn exec(mut self, exec: u64) -> Setup {
        self.state.set_exec(exec);
        self
    }

    /// VGPR n, by lane.
    fn fill(&mut self, n: usize, of_lane: impl Fn(u32) -> u32) {
        self.vgprs[n].0 = std::array::from_fn(|lane| of_lane(lane as u32));
    }

    /// VGPRs from n on in all lanes, low dword first.
    fn set(&mut self, n: usize, dwords: usize, value: u128) {
        (0..dwords).for_each(|i| self.fill(n + i, |_| (value >> (32 * i)) as u32));
    }

    fn run(&mut self, words: [u32; 2]) {
        let op = VectorOp::new(&self.inst(words));
        (op.function)(&op, &mut self.state, &mut self.vgprs);
    }

    fn inst(&self, words: [u32; 2]) -> Inst {
        decode(self.arch, words[0], Some(words[1])).unwrap_or_else(|error| panic!("{words:08x?}: {error}"))
    }

    fn lane(&self, n: usize, lane: usize) -> u32 {
        self.vgprs[n].0[lane]
    }

    /// The value of VGPR n, which must be the same in all lanes.
    #[track_caller]
    fn same(&self, n: usize) -> u32 {
        let value = self.lane(n, 0);
        assert_eq!(self.vgprs[n].0, [value; LANES], "v{n}");
        value
    }

    fn notes(&self) -> Vec<Note> {
        self.state.notes.iter().collect()
    }
}

/// Operand code of a VGPR.
const fn v(n: u32) -> u32 {
    256 + n
}

/// Operand code of the constant 0.
const ZERO: u32 = 128;
/// Operand codes of registers.
const VCC: u32 = 106;
const M0: u32 = 124;
const EXEC: u32 = 126;

fn number(arch: Arch, opcode: Opcode) -> u32 {
    let number = opcode.desc().op[arch as usize];
    assert!(number != NO_OPCODE, "{} on {arch}", opcode.desc().mnemonic);
    number as u32
}

fn vop1(arch: Arch, op: Vop1, vdst: u32, src0: u32) -> [u32; 2] {
    [0x7e00_0000 | vdst << 17 | number(arch, Opcode::Vop1(op)) << 9 | src0, 0]
}

fn vop2(arch: Arch, op: Vop2, vdst: u32, src0: u32, vsrc1: u32) -> [u32; 2] {
    [number(arch, Opcode::Vop2(op)) << 25 | vdst << 17 | vsrc1 << 9 | src0, 0]
}

/// A VOP3 word; bits 8 to 15 of the first dword are `bits`.
fn vop3_word(arch: Arch, op: u32, vdst: u32, bits: u32, src: [u32; 3]) -> [u32; 2] {
    let shift = if arch.is_gcn12_or_later() { 16 } else { 17 };
    [0xd000_0000 | op << shift | bits << 8 | vdst, src[0] | src[1] << 9 | src[2] << 18]
}

fn vop3(arch: Arch, op: Vop3, vdst: u32, src: [u32; 3]) -> [u32; 2] {
    vop3_word(arch, number(arch, Opcode::Vop3(op)), vdst, 0, src)
}

fn vop2_e64(arch: Arch, op: Vop2, vdst: u32, bits: u32, src: [u32; 3]) -> [u32; 2] {
    vop3_word(arch, 256 + number(arch, Opcode::Vop2(op)), vdst, bits, src)
}

fn vop3p(op: Vop3p, vdst: u32, src: [u32; 3]) -> [u32; 2] {
    // OP_SEL_HI is all ones.
    let count = Opcode::Vop3p(op).desc().src.len();
    let [w, w1] = vop3p_select(op, vdst, src, 0, if count == 3 { 7 } else { 3 });
    [w, w1]
}

fn vop3p_select(op: Vop3p, vdst: u32, src: [u32; 3], op_sel: u32, op_sel_hi: u32) -> [u32; 2] {
    let opcode = Opcode::Vop3p(op);
    let arch = Arch::ALL.into_iter().rev().find(|&arch| opcode.desc().op[arch as usize] != NO_OPCODE).unwrap();
    let w = 0xd380_0000 | number(arch, opcode) << 16 | (op_sel_hi >> 2) << 14 | op_sel << 11 | vdst;
    [w, src[0] | src[1] << 9 | src[2] << 18 | (op_sel_hi & 3) << 27]
}

fn vopc(arch: Arch, op: Vopc, src0: u32, vsrc1: u32) -> [u32; 2] {
    [0x7c00_0000 | number(arch, Opcode::Vopc(op)) << 17 | vsrc1 << 9 | src0, 0]
}

/// The SDWA form of a VOP1, VOP2 or VOPC word whose SRC0 is a VGPR.
fn sdwa([word, _]: [u32; 2], dst_sel: u32, unused: u32, sel: [u32; 2], modifiers: u32) -> [u32; 2] {
    let second = word & 0xff | dst_sel << 8 | unused << 11 | sel[0] << 16 | sel[1] << 24 | modifiers;
    [word & !0x1ff | 249, second]
}

/// The DPP form, with all rows and banks enabled.
fn dpp([word, _]: [u32; 2], ctrl: u32, bound_ctrl: bool) -> [u32; 2] {
    [word & !0x1ff | 250, word & 0xff | ctrl << 8 | (bound_ctrl as u32) << 19 | 0xff << 24]
}
