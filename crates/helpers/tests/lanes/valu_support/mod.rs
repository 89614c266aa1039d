//! Assembles instructions, and calls helpers as compiled code calls them.
#![allow(dead_code)]

use gcnsim_helpers::Level;
use gcnsim_helpers::valu::{self, Control};
use gcnsim_isa::table::{Encoding, Has, InstDesc, Opcode, Vop1, Vop2, Vop3, Vop3p};
use gcnsim_isa::{Arch, Inst, LANES, Note, Notes, Src, Vgpr, decode};

/// Returns the instruction with a mnemonic in an encoding on a generation.
pub fn find(arch: Arch, encoding: Encoding, mnemonic: &str) -> Opcode {
    let found = rows().find(|opcode| {
        let desc = opcode.desc();
        (desc.mnemonic, desc.encoding) == (mnemonic, encoding) && desc.opcode_on(arch).is_some()
    });
    found.unwrap_or_else(|| panic!("no {mnemonic} in {encoding:?} on {arch}"))
}

/// Returns all rows of VOP1, VOP2, VOP3 and VOP3P.
pub fn rows() -> impl Iterator<Item = Opcode> {
    let vop1 = Vop1::ALL.iter().map(|&op| Opcode::Vop1(op));
    let vop2 = Vop2::ALL.iter().map(|&op| Opcode::Vop2(op));
    let vop3 = Vop3::ALL.iter().map(|&op| Opcode::Vop3(op));
    vop1.chain(vop2).chain(vop3).chain(Vop3p::ALL.iter().map(|&op| Opcode::Vop3p(op)))
}

/// Operand code of a VGPR.
pub fn v(n: u32) -> u32 {
    256 + n
}

/// An instruction in its short form, in its own form (VOP3 and VOP3P), or promoted to VOP3.
#[derive(Clone, Copy)]
pub struct Asm {
    pub arch: Arch,
    pub opcode: Opcode,
    pub vop3: bool,
    pub dst: u32,
    pub src: [u32; 3],
    /// Bits that are or-ed into VOP3 and VOP3P forms. In other forms, the second dword.
    pub more: [u32; 2],
}

impl Asm {
    pub fn new(arch: Arch, opcode: Opcode, dst: u32, src: &[u32]) -> Asm {
        let mut sources = [0; 3];
        sources[..src.len()].copy_from_slice(src);
        Asm { arch, opcode, vop3: false, dst, src: sources, more: [0; 2] }
    }

    /// Returns the instruction in VOP3 form.
    pub fn vop3(self) -> Asm {
        Asm { vop3: true, ..self }
    }

    pub fn more(self, first: u32, second: u32) -> Asm {
        Asm { more: [self.more[0] | first, self.more[1] | second], ..self }
    }

    pub fn words(&self) -> [u32; 2] {
        let desc: &InstDesc = self.opcode.desc();
        let op = desc.opcode_on(self.arch).unwrap_or_else(|| panic!("no {} on {}", desc.mnemonic, self.arch)) as u32;
        let [s0, s1, s2] = self.src;
        let gcn12 = self.arch.is_gcn12_or_later();
        let vop3 = |op: u32| if gcn12 { 0xd000_0000 | op << 16 } else { 0xd000_0000 | op << 17 };
        let sources = s0 | s1 << 9 | s2 << 18;
        let (first, second) = match (desc.encoding, self.vop3) {
            (Encoding::Vop1, false) => (0x7e00_0000 | self.dst << 17 | op << 9 | s0, 0),
            (Encoding::Vop2, false) => (op << 25 | self.dst << 17 | (s1 & 0xff) << 9 | s0, 0),
            (Encoding::Vop1, true) => (vop3(op + if gcn12 { 320 } else { 384 }) | self.dst, sources),
            (Encoding::Vop2, true) => (vop3(op + 256) | self.dst, sources),
            (Encoding::Vop3, _) => (vop3(op) | self.dst, sources),
            (Encoding::Vop3p, _) => (0xd380_0000 | op << 16 | self.dst, sources),
            (encoding, _) => panic!("{encoding:?}"),
        };
        [first | self.more[0], second | self.more[1]]
    }

    pub fn try_inst(&self) -> Option<Inst> {
        let [first, second] = self.words();
        decode(self.arch, first, Some(second)).ok()
    }

    pub fn inst(&self) -> Inst {
        self.try_inst().unwrap_or_else(|| panic!("{} {:08x?}", self.opcode.desc().mnemonic, self.words()))
    }
}

/// Registers and the other inputs of a helper.
#[derive(Clone)]
pub struct Machine {
    pub vgprs: Vec<Vgpr>,
    pub sgprs: [u32; 128],
    pub exec: u64,
    pub mask: u64,
    pub mode: u32,
}

pub const DEFAULT_MODE: u32 = 0x3f0;

impl Machine {
    pub fn new() -> Machine {
        let vgprs = vec![Vgpr([0; LANES]); 32];
        Machine { vgprs, sgprs: [0; 128], exec: !0, mask: 0, mode: DEFAULT_MODE }
    }

    /// Calls the helper of an instruction on its registers. Returns the mask result and the notes.
    pub fn run(&mut self, level: Level, inst: &Inst) -> (u64, Notes) {
        let (sources, dst) = (self.operands(inst), inst.vdst().unwrap() as usize);
        self.run_on(level, inst, dst, sources, true)
    }

    /// Returns the places of an instruction's sources.
    pub fn operands(&self, inst: &Inst) -> [Operand; 3] {
        let mut operands = [Operand::None; 3];
        for (i, operand) in operands.iter_mut().enumerate().take(inst.src_count()) {
            *operand = match inst.src(i) {
                Src::Vgpr(n) => Operand::Vgpr(n as usize),
                Src::Sgpr(n) => Operand::Scalar(std::array::from_fn(|i| self.sgprs[(n as usize + i).min(127)])),
                Src::Imm(value) => Operand::Scalar([value as u32, (value >> 32) as u32, 0, 0]),
                other => panic!("{other:?}"),
            };
        }
        if let Some(vdst) = inst.vdst()
            && inst.desc().fx.has(gcnsim_isa::Fx::RDST)
            && !inst.desc().has.any(Has::VGPR0)
        {
            operands[inst.src_count()] = Operand::Vgpr(vdst as usize);
        }
        operands
    }

    /// Calls the helper with destination and sources in any registers.
    pub fn run_on(
        &mut self,
        level: Level,
        inst: &Inst,
        dst: usize,
        sources: [Operand; 3],
        use_fast: bool,
    ) -> (u64, Notes) {
        let chosen = valu::helper(level, inst).unwrap_or_else(|| panic!("no helper for {inst:?}"));
        let scalars: Vec<Box<Aligned>> = sources
            .iter()
            .map(|source| Box::new(Aligned(if let Operand::Scalar(dwords) = source { *dwords } else { [0; 4] })))
            .collect();
        let base = self.vgprs.as_mut_ptr().cast::<u32>();
        let pointer = |i: usize| match sources[i] {
            Operand::None => std::ptr::dangling(),
            Operand::Scalar(_) => scalars[i].0.as_ptr().wrapping_byte_add(1),
            Operand::Vgpr(n) => base.wrapping_add(n * LANES).cast_const(),
        };
        // Fields that the helper does not need hold garbage.
        let mut control = Control { flags: !0, mask_in: !0, mode: !0, arch: 77, fast: None, notes: [0; 2] };
        if let Some(flags) = chosen.flags {
            control.flags = flags.0;
        }
        if chosen.mask_in {
            control.mask_in = self.mask;
        }
        if let Some(fast) = chosen.fast {
            (control.mode, control.arch, control.fast) = (self.mode, inst.arch as u32, fast.filter(|_| use_fast));
        }
        // SAFETY: there are 32 registers, and the instruction names at most four from 27 on. The scalars outlive the
        // call.
        let mask = unsafe {
            let d = base.wrapping_add(dst * LANES);
            (chosen.helper)(d, pointer(0), pointer(1), pointer(2), self.exec, &mut control)
        };
        // The region raises notes that the words decide, whether or not a helper raises them too.
        (mask, Notes::of_low_words(control.notes).without(inst.static_notes()))
    }
}

#[repr(align(16))]
struct Aligned([u32; 4]);

#[derive(Clone, Copy, Debug)]
pub enum Operand {
    None,
    Vgpr(usize),
    Scalar([u32; 4]),
}

/// Whether `notes` has `note`.
pub fn has(notes: Notes, note: Note) -> bool {
    notes.contains(note)
}
