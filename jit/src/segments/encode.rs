//! An encoder of x86: the instructions of [`Op`], and the few others that a segment needs.
//!
//! Vectors are 512 bits wide, and instructions are encoded by EVEX; or vectors are 256 bits wide, and instructions are
//! encoded by VEX. Memory operands have a base register and a displacement. EVEX displacements of a byte count in units
//! of the operand's size, which makes most of them short.

use super::ops::{Op, Row, Shape};

/// Registers of the machine that segments use, by their numbers.
#[allow(missing_docs)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Gpr {
    Rdx = 2,
    Rsi = 6,
    Rdi = 7,
    R8 = 8,
    R9 = 9,
    R10 = 10,
}

/// Registers that join the masks of chunks.
#[allow(missing_docs)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Joint {
    R10 = 10,
    R11 = 11,
}

impl Joint {
    /// All registers of the type.
    pub const ALL: [Joint; 2] = [Joint::R11, Joint::R10];
}

/// The vectors of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// Eight lanes: AVX2.
    Ymm,
    /// 16 lanes: AVX-512.
    Zmm,
}

impl Width {
    /// Dwords of a vector: the lanes of a chunk.
    pub const fn lanes(self) -> usize {
        match self {
            Width::Ymm => 8,
            Width::Zmm => 16,
        }
    }
}

/// A source in a register or in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rm {
    /// A vector register, or a mask register where the instruction wants one.
    Register(u8),
    /// A vector in memory, or less where the instruction takes less.
    Memory(Gpr, i32),
    /// An element in memory that all lanes get. (Of VEX instructions only broadcasts take it.)
    Broadcast(Gpr, i32),
    /// A vector in the constants after the code, at an offset in bytes.
    Constant(u32),
    /// An element in the constants that all lanes get. (Of VEX instructions only broadcasts take it.)
    BroadcastConstant(u32),
}

impl Rm {
    /// The number of the register, or of the base; 5 stands for the address of the next instruction.
    fn register(self) -> u8 {
        match self {
            Rm::Register(n) => n,
            Rm::Memory(base, _) | Rm::Broadcast(base, _) => base as u8,
            Rm::Constant(_) | Rm::BroadcastConstant(_) => 5,
        }
    }
}

/// What the bytes of an instruction of vectors depend on, besides operands.
#[derive(Clone, Copy)]
struct Form {
    prefix: u8,
    map: u8,
    /// W of EVEX.
    wide: bool,
    /// W of VEX.
    vex_wide: bool,
    opcode: u8,
    immediate: bool,
    /// Bytes of the operand in memory, in which short displacements of EVEX count: a power of two.
    unit: u8,
}

impl Form {
    /// The form of a move of vectors.
    const PLAIN: Form = Form { prefix: 1, map: 1, wide: false, vex_wide: false, opcode: 0, immediate: false, unit: 64 };

    fn of(row: &Row, rm: Rm) -> Form {
        let is_element = matches!(rm, Rm::Broadcast(..) | Rm::BroadcastConstant(_));
        let &Row { prefix, map, wide, vex_wide, opcode, immediate, element, .. } = row;
        Form { prefix, map, wide, vex_wide, opcode, immediate, unit: if is_element { element } else { 64 } }
    }
}

/// Up to eight bytes, in a register of the host.
#[derive(Clone, Copy)]
struct Short {
    bytes: u64,
    len: usize,
}

impl Short {
    #[inline(always)]
    fn of<const N: usize>(bytes: [u8; N]) -> Short {
        bytes.into_iter().fold(Short { bytes: 0, len: 0 }, Short::with)
    }

    /// Appends `byte`.
    #[inline(always)]
    fn with(self, byte: u8) -> Short {
        Short { bytes: self.bytes | (byte as u64) << (8 * self.len), len: self.len + 1 }
    }
}

/// Bits of lanes that take part.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Masking {
    /// The mask register; 0: all lanes.
    pub mask: u8,
    /// Other lanes become zero. (Otherwise they keep what the destination has.)
    pub zero: bool,
}

/// A place in the code that needs the address of a constant.
#[derive(Clone, Copy, Debug)]
struct Fixup {
    /// Offset of the displacement.
    at: usize,
    /// Offset of the instruction's end. The displacement is relative to it.
    end: usize,
    /// Offset of the constant.
    offset: u32,
}

/// Operations of mask registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum KOp {
    /// Bits that both sources have.
    And = 0x41,
    /// Bits that the second source has and the first one lacks.
    AndNot = 0x42,
    /// Bits that one of the sources has.
    Or = 0x45,
    /// Bits that exactly one of the sources has.
    Xor = 0x47,
}

/// Code in the making.
#[derive(Debug)]
pub struct Encoder {
    /// The bytes so far.
    pub bytes: Vec<u8>,
    width: Width,
    fixups: Vec<Fixup>,
}

impl Encoder {
    /// Makes an encoder for vectors of `width`, with room for `bytes` bytes.
    pub fn new(width: Width, bytes: usize) -> Encoder {
        Encoder { bytes: Vec::with_capacity(bytes), width, fixups: Vec::new() }
    }

    /// Appends bytes.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends bytes, then a dword.
    pub fn raw_imm32(&mut self, bytes: &[u8], imm: u32) {
        self.raw(bytes);
        self.raw(&imm.to_le_bytes());
    }

    /// Appends bytes and the displacement of a constant; the instruction ends there.
    pub fn raw_constant(&mut self, bytes: &[u8], offset: u32) {
        self.raw(bytes);
        self.displacement_of(offset, 0);
    }

    fn displacement_of(&mut self, offset: u32, bytes_behind: usize) {
        let at = self.bytes.len();
        self.raw(&[0; 4]);
        self.fixups.push(Fixup { at, end: at + 4 + bytes_behind, offset });
    }

    /// Fills in the addresses of constants, which begin at an offset from the code's start.
    pub fn resolve(&mut self, constants: usize) {
        for fixup in &self.fixups {
            let distance = (constants + fixup.offset as usize).wrapping_sub(fixup.end) as u32;
            self.bytes[fixup.at..fixup.at + 4].copy_from_slice(&distance.to_le_bytes());
        }
        self.fixups.clear();
    }

    /// An instruction. `reg` and `vvvv` are what its shape says; 0 for one that it does not have.
    pub fn op(&mut self, op: Op, reg: u8, vvvv: u8, rm: Rm, masking: Masking, imm: u8) {
        let row = op.row();
        // A shift has its destination in VVVV.
        let (reg, vvvv) = if let Shape::Shift(digit) = row.shape { (digit, reg) } else { (reg, vvvv) };
        self.vector(Form::of(row, rm), reg, vvvv, rm, masking, imm);
    }

    /// `second` where the sign of an element of `choice` is set, else `first`.
    pub fn choose(&mut self, dst: u8, first: u8, second: Rm, choice: u8) {
        let form = Form { immediate: true, ..Form::of(Op::Choose.row(), second) };
        self.vex_vector(form, dst, first, second, choice << 4);
    }

    /// `±(a * b) ± c`, fused. `op` is one of the forms without signs; bit 0 of `signs` negates the addend, bit 1 the
    /// product.
    pub fn fused(&mut self, op: Op, signs: u8, reg: u8, vvvv: u8, rm: Rm) {
        let form = Form::of(op.row(), rm);
        let form = Form { opcode: form.opcode + 2 * signs, ..form };
        self.vector(form, reg, vvvv, rm, Masking::default(), 0);
    }

    /// Loads an element of 4 or 8 bytes into all lanes.
    pub fn broadcast(&mut self, reg: u8, is_wide: bool, rm: Rm) {
        let (opcode, element) = if is_wide { (0x59, 8) } else { (0x58, 4) };
        let form = Form { map: 2, wide: is_wide, opcode, unit: element, ..Form::PLAIN };
        // The element is the whole operand.
        let rm = match rm {
            Rm::Broadcast(base, disp) => Rm::Memory(base, disp),
            Rm::BroadcastConstant(offset) => Rm::Constant(offset),
            other => other,
        };
        self.vector(form, reg, 0, rm, Masking::default(), 0);
    }

    /// Moves EDX to all lanes.
    pub fn broadcast_edx(&mut self, reg: u8) {
        match self.width {
            Width::Zmm => {
                let form = Form { map: 2, opcode: 0x7c, ..Form::PLAIN };
                self.evex(form, reg, 0, Rm::Register(Gpr::Rdx as u8), Masking::default(), 0);
            }
            Width::Ymm => {
                // vmovd xmm, edx
                self.raw(&[0xc5, (reg >> 3 ^ 1) << 7 | 0x79, 0x6e, 0xc2 | (reg & 7) << 3]);
                self.broadcast(reg, false, Rm::Register(reg));
            }
        }
    }

    /// Stores a vector. Of 512 bits, those of lanes outside the mask stay.
    pub fn store(&mut self, reg: u8, base: Gpr, disp: i32, mask: u8) {
        let form = Form { opcode: 0x7f, ..Form::PLAIN };
        self.vector(form, reg, 0, Rm::Memory(base, disp), Masking { mask, zero: false }, 0);
    }

    fn vector(&mut self, form: Form, reg: u8, vvvv: u8, rm: Rm, masking: Masking, imm: u8) {
        match self.width {
            Width::Zmm => self.evex(form, reg, vvvv, rm, masking, imm),
            Width::Ymm => self.vex_vector(form, reg, vvvv, rm, imm),
        }
    }

    /// A VEX instruction of 256 bits. A `Broadcast` operand is the element by itself.
    fn vex_vector(&mut self, form: Form, reg: u8, vvvv: u8, rm: Rm, imm: u8) {
        let base = rm.register();
        let not_reg = (reg >> 3 ^ 1) << 7;
        let rest = (!vvvv & 15) << 3 | 4 | form.prefix;
        // Displacements are in bytes.
        let form = Form { unit: 1, ..form };
        if form.map == 1 && base < 8 {
            // (This form has no W, and no instruction of this map asks for it.)
            self.finish(Short::of([0xc5, not_reg | rest, form.opcode]), form, reg, rm, imm);
        } else {
            let not_base = (base >> 3 ^ 1) << 5;
            let second = not_reg | 1 << 6 | not_base | form.map;
            let third = (form.vex_wide as u8) << 7 | rest;
            self.finish(Short::of([0xc4, second, third, form.opcode]), form, reg, rm, imm);
        }
    }

    fn evex(&mut self, form: Form, reg: u8, vvvv: u8, rm: Rm, masking: Masking, imm: u8) {
        let base = rm.register();
        let is_broadcast = matches!(rm, Rm::Broadcast(..) | Rm::BroadcastConstant(_));
        let inverted = |register: u8, bit: u8, place: u8| (register >> bit & 1 ^ 1) << place;
        let p0 = inverted(reg, 3, 7) | inverted(base, 4, 6) | inverted(base, 3, 5) | inverted(reg, 4, 4) | form.map;
        let p1 = (form.wide as u8) << 7 | (!vvvv & 15) << 3 | 4 | form.prefix;
        let p2 =
            (masking.zero as u8) << 7 | 0b10 << 5 | (is_broadcast as u8) << 4 | inverted(vvvv, 4, 3) | masking.mask;
        self.finish(Short::of([0x62, p0, p1, p2, form.opcode]), form, reg, rm, imm);
    }

    /// An instruction with a given beginning: ModRM, displacement and immediate follow.
    #[inline(always)]
    fn finish(&mut self, head: Short, form: Form, reg: u8, rm: Rm, imm: u8) {
        let fields = (reg & 7) << 3 | rm.register() & 7;
        let with_imm = form.immediate as usize;
        match rm {
            Rm::Register(_) => self.put(head.with(0xc0 | fields).with(imm), head.len + 1 + with_imm),
            Rm::Memory(_, disp) | Rm::Broadcast(_, disp) => {
                let unit = form.unit as i32;
                match i8::try_from(disp >> unit.trailing_zeros()) {
                    Ok(short) if disp & (unit - 1) == 0 => {
                        let bytes = head.with(0x40 | fields).with(short as u8).with(imm);
                        self.put(bytes, head.len + 2 + with_imm);
                    }
                    _ => {
                        self.put(head.with(0x80 | fields), head.len + 1);
                        let tail = Short { bytes: disp as u32 as u64 | (imm as u64) << 32, len: 4 };
                        self.put(tail, tail.len + with_imm);
                    }
                }
            }
            Rm::Constant(offset) | Rm::BroadcastConstant(offset) => {
                self.put(head.with(fields), head.len + 1);
                self.displacement_of(offset, with_imm);
                self.put(Short::of([imm]), with_imm);
            }
        }
    }

    /// Appends the first bytes of a few.
    #[inline(always)]
    fn put(&mut self, short: Short, len: usize) {
        let end = self.bytes.len() + len;
        self.bytes.extend_from_slice(&short.bytes.to_le_bytes());
        self.bytes.truncate(end);
    }

    /// The prefix and opcode of a VEX instruction of mask registers.
    fn vex(&mut self, extended_base: bool, vvvv: u8, is_long: bool, opcode: u8) {
        let first = 0xc1 | (!extended_base as u8) << 5;
        self.raw(&[0xc4, first, (!vvvv & 15) << 3 | (is_long as u8) << 2, opcode]);
    }

    /// `k = a op b` on 16 bits.
    pub fn k_op(&mut self, op: KOp, k: u8, a: u8, b: u8) {
        self.vex(false, a, true, op as u8);
        self.raw(&[0xc0 | k << 3 | b]);
    }

    /// Copies a mask register.
    pub fn k_copy(&mut self, k: u8, from: u8) {
        self.vex(false, 0, false, 0x90);
        self.raw(&[0xc0 | k << 3 | from]);
    }

    /// Sets ZF if both mask registers are zero.
    pub fn k_test(&mut self, a: u8, b: u8) {
        self.vex(false, 0, false, 0x98);
        self.raw(&[0xc0 | a << 3 | b]);
    }

    /// Makes room for the next chunk in a register that joins masks.
    pub fn join_next(&mut self, joint: Joint) {
        // shr joint, lanes
        self.raw(&[0x49, 0xc1, 0xe8 | joint as u8 & 7, self.width.lanes() as u8]);
    }

    /// Puts a mask into the topmost bits of a register that joins masks.
    pub fn join_mask(&mut self, joint: Joint, mask: u8) {
        match self.width {
            Width::Zmm => self.mask_to_edx(mask),
            Width::Ymm => self.signs_to_edx(mask),
        }
        // shl rdx, 64 - lanes; or joint, rdx
        self.raw(&[0x48, 0xc1, 0xe2, 64 - self.width.lanes() as u8, 0x49, 0x09, 0xd0 | joint as u8 & 7]);
    }

    /// Signs of eight lanes as bits.
    fn signs_to_edx(&mut self, vector: u8) {
        // vmovmskps edx, ymm
        match vector {
            0..8 => self.raw(&[0xc5, 0xfc, 0x50, 0xd0 | vector]),
            _ => self.raw(&[0xc4, 0xc1, 0x7c, 0x50, 0xd0 | vector & 7]),
        }
    }

    /// Stores signs of eight lanes as a byte.
    pub fn store_signs(&mut self, vector: u8, base: Gpr, disp: i32) {
        self.signs_to_edx(vector);
        // mov [base + disp], dl
        self.raw_imm32(&[0x40 | base as u8 >> 3, 0x88, 0x90 | base as u8 & 7], disp as u32);
    }

    /// Eight bits in memory as lanes that are all ones or zero. `bits` is a constant: 1, 2, 4, ..., 128.
    pub fn load_signs(&mut self, vector: u8, base: Gpr, disp: i32, bits: u32) {
        self.broadcast(vector, false, Rm::Broadcast(base, disp));
        for op in [Op::And, Op::EqualI32] {
            self.op(op, vector, vector, Rm::Constant(bits), Masking::default(), 0);
        }
    }

    /// Moves lane 0 of a vector to EDX.
    pub fn first_to_edx(&mut self, vector: u8) {
        // vmovd edx, xmm
        let fields = 0xc2 | (vector & 7) << 3;
        let not_high = (vector >> 3 & 1 ^ 1) << 7;
        match self.width {
            Width::Zmm => self.raw(&[0x62, not_high | 0x61 | (vector >> 4 ^ 1) << 4, 0x7d, 8, 0x7e, fields]),
            Width::Ymm => self.raw(&[0xc5, not_high | 0x79, 0x7e, fields]),
        }
    }

    /// Puts the first lane of eight whose sign is set in `mask` into lane 0 of `vector`; lane 0 if there is none. It
    /// changes EDX.
    pub fn first_of(&mut self, vector: u8, from: u8, mask: u8) {
        self.signs_to_edx(mask);
        // tzcnt edx, edx; vmovd xmm, edx; vpermd ymm, ymm, from
        self.raw(&[0xf3, 0x0f, 0xbc, 0xd2, 0xc5, (vector >> 3 ^ 1) << 7 | 0x79, 0x6e, 0xc2 | (vector & 7) << 3]);
        self.op(Op::Permute, vector, vector, Rm::Register(from), Masking::default(), 0);
    }

    /// Loads a dword for each lane of `mask`, which is a mask register or has signs, and is zero afterwards: from
    /// `base + disp + index`, or with `in_dwords` from `base + disp + 4 * index`. Indices are signed. The registers
    /// differ.
    pub fn gather(&mut self, dst: u8, base: Gpr, index: u8, in_dwords: bool, disp: i32, mask: u8) {
        let inverted = |register: u8, bit: u8, place: u8| (register >> bit & 1 ^ 1) << place;
        let high = inverted(dst, 3, 7) | inverted(index, 3, 6) | inverted(base as u8, 3, 5) | 2;
        match self.width {
            Width::Zmm => {
                let last = 0x40 | inverted(index, 4, 3) | mask;
                self.raw(&[0x62, high | inverted(dst, 4, 4), 0x7d, last, 0x90]);
            }
            Width::Ymm => self.raw(&[0xc4, high, (!mask & 15) << 3 | 5, 0x90]),
        }
        let scale = if in_dwords { 2 << 6 } else { 0 };
        self.raw_imm32(&[0x84 | (dst & 7) << 3, scale | (index & 7) << 3 | base as u8 & 7], disp as u32);
    }

    /// Stores a vector in lanes in which `mask` has signs. The second vector is changed.
    pub fn store_some(&mut self, [vector, scratch]: [u8; 2], base: Gpr, disp: i32, mask: u8) {
        self.op(Op::Load, scratch, 0, Rm::Memory(base, disp), Masking::default(), 0);
        self.choose(scratch, scratch, Rm::Register(vector), mask);
        self.store(scratch, base, disp, 0);
    }

    /// Loads the dwords of lanes in which `mask` has signs. Others become zero, and are not touched in memory.
    pub fn load_lanes(&mut self, dst: u8, base: Gpr, disp: i32, mask: u8) {
        // vpmaskmovd dst, mask, [base + disp]
        let form = Form { map: 2, opcode: 0x8c, ..Form::PLAIN };
        self.vex_vector(form, dst, mask, Rm::Memory(base, disp), 0);
    }

    /// Loads a dword for each of eight lanes, one after the other: from `base + disp + index`, or with `in_dwords` from
    /// `base + disp + 4 * index`. Indices are signed; they are stored at `at`, an offset in the frame. `index` may be
    /// one of the other vectors: the result and one for its upper half. It changes R10.
    pub fn load_each(&mut self, vectors: [u8; 2], base: Gpr, index: u8, in_dwords: bool, disp: i32, at: i32) {
        self.store(index, Gpr::Rsi, at, 0);
        for (i, at) in (0..8u8).zip((at..).step_by(4)) {
            let (vector, lane) = (vectors[i as usize / 4], i & 3);
            // movsxd r10, [rsi + at]
            self.raw_imm32(&[0x4c, 0x63, 0x96], at as u32);
            // vmovd xmm, [...] or vpinsrd xmm, xmm, [...], lane
            let (map, source, opcode) = if lane == 0 { (1, 0, 0x6e) } else { (3, vector, 0x22) };
            let high = (vector >> 3 ^ 1) << 7 | (base as u8 >> 3 ^ 1) << 5 | map;
            self.raw(&[0xc4, high, (!source & 15) << 3 | 1, opcode]);
            let sib = if in_dwords { 2 << 6 } else { 0 } | 2 << 3 | base as u8 & 7;
            let field = (vector & 7) << 3 | 4;
            match i8::try_from(disp) {
                Ok(short) => self.raw(&[0x40 | field, sib, short as u8]),
                Err(_) => self.raw_imm32(&[0x80 | field, sib], disp as u32),
            }
            if lane > 0 {
                self.raw(&[lane]);
            }
        }
        let [low, high] = vectors;
        self.op(Op::JoinHalves256, low, low, Rm::Register(high), Masking::default(), 1);
    }

    /// A jump where a lane of `mask` has no sign. It changes R10.
    pub fn jump_unless_all(&mut self, mask: u8) -> usize {
        // vmovmskps r10d, mask; cmp r10b, 0xff; jne
        self.raw(&[0xc4, 0x41 | (mask >> 3 ^ 1) << 5, 0x7c, 0x50, 0xd0 | mask & 7, 0x41, 0x80, 0xfa, 0xff]);
        self.jump(&[0x0f, 0x85])
    }

    /// A jump where the 64 bits at `disp` in the frame are not all ones.
    pub fn jump_unless_ones(&mut self, disp: i32) -> usize {
        // cmp qword [rsi + disp], -1; jne
        self.raw_imm32(&[0x48, 0x83, 0xbe], disp as u32);
        self.raw(&[0xff]);
        self.jump(&[0x0f, 0x85])
    }

    /// A jump where `a` has a one and `b` a zero.
    pub fn jump_unless_within(&mut self, a: u8, b: u8) -> usize {
        self.test_within(a, b);
        // jnc
        self.jump(&[0x0f, 0x83])
    }

    /// Sets ZF if all bits of a vector are zero.
    pub fn test(&mut self, vector: u8) {
        // vptest vector, vector
        self.test_within(vector, vector);
    }

    /// Sets EDX to 0 if no lane of a vector has a bit of `bits`, a vector in memory.
    pub fn test_bits(&mut self, vector: u8, bits: Rm) {
        // vptest vector, bits; setnz dl; movzx edx, dl
        let form = Form { map: 2, opcode: 0x17, ..Form::PLAIN };
        self.vex_vector(form, vector, 0, bits, 0);
        self.raw(&[0x0f, 0x95, 0xc2, 0x0f, 0xb6, 0xd2]);
    }

    /// Sets EDX to 0 if a vector has signs in all lanes in which `mask` has them.
    pub fn test_signs(&mut self, vector: u8, mask: u8) {
        self.test_within(mask, vector);
        // setnc dl; movzx edx, dl
        self.raw(&[0x0f, 0x93, 0xc2, 0x0f, 0xb6, 0xd2]);
    }

    /// Moves a mask register to EDX.
    pub fn mask_to_edx(&mut self, mask: u8) {
        // kmovw edx, k
        self.raw(&[0xc5, 0xf8, 0x93, 0xd0 | mask]);
    }

    /// A jump with a distance of 32 bits: its opcode, then room for the distance. Returns the place behind it, from
    /// which distances count.
    pub fn jump(&mut self, opcode: &[u8]) -> usize {
        self.raw_imm32(opcode, 0);
        self.bytes.len()
    }

    /// Lets a jump lead to a place.
    pub fn land(&mut self, jump: usize, place: usize) {
        self.bytes[jump - 4..jump].copy_from_slice(&(place.wrapping_sub(jump) as u32).to_le_bytes());
    }

    /// Clears the carry flag if `a` has a one where `b` has a zero, and sets ZF if they have no one in common.
    pub fn test_within(&mut self, a: u8, b: u8) {
        // vptest b, a
        let form = Form { map: 2, opcode: 0x17, ..Form::PLAIN };
        self.vex_vector(form, b, 0, Rm::Register(a), 0);
    }

    /// Stores joined masks.
    pub fn store_joint(&mut self, joint: Joint, disp: i32) {
        // mov [rsi + disp], joint
        self.raw_imm32(&[0x4c, 0x89, 0x86 | (joint as u8 & 7) << 3], disp as u32);
    }

    /// Loads 16 bits into a mask register.
    pub fn k_load(&mut self, k: u8, base: Gpr, disp: i32) {
        self.k_memory(0x90, k, base, disp);
    }

    /// Stores a mask register.
    pub fn k_store(&mut self, k: u8, base: Gpr, disp: i32) {
        self.k_memory(0x91, k, base, disp);
    }

    fn k_memory(&mut self, opcode: u8, k: u8, base: Gpr, disp: i32) {
        self.vex(base as u8 >= 8, 0, false, opcode);
        let field = k << 3 | base as u8 & 7;
        match i8::try_from(disp) {
            Ok(short) => self.raw(&[0x40 | field, short as u8]),
            Err(_) => self.raw_imm32(&[0x80 | field], disp as u32),
        }
    }
}

#[cfg(test)]
#[path = "encode_tests.rs"]
mod tests;
