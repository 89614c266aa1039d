//! Reads of LDS. Where a chunk has more than one way to read, the usual one is in line, and the others are
//! [detours](Detour) behind the segment.
//!
//! A gather reads in lanes that are right so far only: their addresses have been compared with bounds. What all lanes
//! share, and whole vectors, are read only where the group's first address leaves room for them in LDS.

use super::loads::Elements;
use super::{Allocator, OutOfRoom, Step};
use crate::segments::encode::{Encoder, Gpr, KOp, Masking, Rm, Width};
use crate::segments::list::{Home, Value};
use crate::segments::ops::Op;
use crate::segments::plan::NEVER;
use gcnsim_helpers::segment_frame::offset;

/// Bits by which the number of a lane of two vectors is shifted, so that its sign says which.
const SELECT: u8 = 28;
/// Predicates of integer compares.
const DIFFERENT: u8 = 4;
const AT_LEAST: u8 = 5;

/// Classes of groups whose elements do not lie as expected: as is next likely, or anywhere.
const OTHER: u8 = 1;
const ANYWHERE: u32 = 2;

/// Code behind the segment that the chunk jumps to, and returns from.
#[derive(Clone, Copy, Debug)]
pub(in crate::segments) struct Detour {
    /// The place behind the jump there, and the one that it returns to.
    pub(super) from: usize,
    pub(super) back: usize,
    pub(super) kind: Kind,
    /// Whether it goes on where the one before it ends. Then no jump leads to it.
    pub(super) follows: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// The elements of a load of guest memory do not lie as is usual.
    Load(Elements),
    /// The elements of a group do not lie as expected.
    Classify { group: u8, is_wide: bool, index: u8, other: Rm, scratch: u8 },
    /// A read of a group whose elements do not.
    Read(Place),
    /// A read at addresses, not all of which are right.
    Some(Place),
    /// A read at one address that is not right.
    NotOne,
}

/// A read, with its registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    group: u8,
    is_uniform: bool,
    /// Whether a read of a pair reads its second half.
    half: Option<bool>,
    dst: u8,
    index: u8,
    offset: i32,
    /// A mask, or a vector with its signs; a vector.
    mask: u8,
    scratch: u8,
    ok: u8,
}

/// What RDX has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum InRdx {
    /// Nothing that is known.
    Other,
    /// The place of a group's first address.
    Base(u8),
    /// The address of LDS.
    Lds,
}

impl Allocator<'_> {
    /// Records that RDX has another value.
    pub(super) fn set_rdx_unknown(&mut self) {
        self.in_rdx = InRdx::Other;
    }
}

/// mov rdx, [rsi + at]
fn load_rdx(code: &mut Encoder, at: i32) {
    code.raw_imm32(&[0x48, 0x8b, 0x96], at as u32);
}

/// The vector of a base, `more` vectors behind it.
fn at_base(width: Width, offset: i32, more: i32) -> Rm {
    Rm::Memory(Gpr::Rdx, offset + more * 4 * width.lanes() as i32)
}

/// Emits a gather in the lanes of `lanes`, as [`Encoder::gather`] does. It begins with zeros, so that it waits for no
/// earlier value.
pub(super) fn gather(
    code: &mut Encoder,
    width: Width,
    [dst, index, mask]: [u8; 3],
    lanes: u8,
    (offset, in_dwords): (i32, bool),
) {
    match width {
        Width::Zmm => code.k_copy(mask, lanes),
        Width::Ymm => code.op(Op::Copy, mask, 0, Rm::Register(lanes), Masking::default(), 0),
    }
    code.op(Op::Xor, dst, dst, Rm::Register(dst), Masking::default(), 0);
    code.gather(dst, Gpr::Rdx, index, in_dwords, offset, mask);
}

/// Emits a load of dwords in the lanes of `lanes`, as [`gather`] does. AVX2 loads one by one if these are all lanes, by
/// another vector, `free`. `all` says that they are.
pub(super) fn scattered(
    code: &mut Encoder,
    width: Width,
    [dst, index, mask, free]: [u8; 4],
    (lanes, all): (u8, bool),
    place: (i32, bool),
) {
    if width == Width::Zmm {
        return gather(code, width, [dst, index, mask], lanes, place);
    }
    let some = (!all).then(|| code.jump_unless_all(lanes));
    code.load_each([dst, free], Gpr::Rdx, index, place.1, place.0, offset::INDICES);
    if let Some(some) = some {
        let out = code.jump(&[0xe9]);
        let start = code.bytes.len();
        code.land(some, start);
        gather(code, width, [dst, index, mask], lanes, place);
        let end = code.bytes.len();
        code.land(out, end);
    }
}

/// Emits a read of elements that lie anywhere.
fn anywhere(code: &mut Encoder, width: Width, read: &Place) {
    let Place { dst, index, mask, scratch, offset, ok, .. } = *read;
    let Some(half) = read.half else {
        return scattered(code, width, [dst, index, mask, scratch], (ok, false), (offset, true));
    };
    gather(code, width, [dst, index, mask], ok, (offset, true));
    gather(code, width, [scratch, index, mask], ok, (offset + 4, true));
    let op = if half { Op::InterleaveHigh } else { Op::InterleaveLow };
    code.op(op, dst, dst, Rm::Register(scratch), Masking::default(), 0);
}

/// Emits a read of elements that lie in a row, or with `is_uniform` all in one place.
fn regular(code: &mut Encoder, width: Width, read: &Place, is_uniform: bool) {
    let (dst, plain) = (read.dst, Masking::default());
    let [first, second] = [0, 1].map(|more| at_base(width, read.offset, more));
    if is_uniform {
        return code.broadcast(dst, read.half.is_some(), Rm::Broadcast(Gpr::Rdx, read.offset));
    }
    code.op(Op::Load, dst, 0, first, plain, 0);
    match (read.half, width) {
        (None, _) => {}
        // Quarters 0 and 2 of both, or 1 and 3; halves 0 of both, or 1.
        (Some(half), Width::Zmm) => {
            code.op(Op::ShuffleQuarters, dst, dst, second, plain, if half { 0b1101_1101 } else { 0b1000_1000 });
        }
        (Some(half), Width::Ymm) => code.op(Op::ShuffleHalves, dst, dst, second, plain, if half { 0x31 } else { 0x20 }),
    }
}

impl Allocator<'_> {
    /// Emits the distances of a group's addresses from the first one.
    pub(super) fn locate(&mut self, step: Step, group: u8) -> Result<(), OutOfRoom> {
        let addresses = self.place(step.node.src[0])?;
        let (first, ok, plain) = (self.scratch()?, self.ok, Masking::default());
        let code = &mut self.code;
        match self.width {
            Width::Zmm => {
                code.op(Op::Compress, addresses, 0, Rm::Register(first), Masking { mask: ok, zero: true }, 0);
            }
            Width::Ymm => code.first_of(first, addresses, ok),
        }
        code.first_to_edx(first);
        code.broadcast(first, false, Rm::Register(first));
        // mov [low], edx; add rdx, [lds]; mov [base], rdx
        code.raw_imm32(&[0x89, 0x96], offset::group_low(group) as u32);
        code.raw_imm32(&[0x48, 0x03, 0x96], offset::LDS as u32);
        code.raw_imm32(&[0x48, 0x89, 0x96], offset::group_base(group) as u32);
        // mov edx, [low]; cmp edx, [room]; sbb edx, edx; not edx; mov [class], edx
        code.raw_imm32(&[0x8b, 0x96], offset::group_low(group) as u32);
        code.raw_imm32(&[0x3b, 0x96], offset::group_room(group, 0) as u32);
        code.raw(&[0x19, 0xd2, 0xf7, 0xd2]);
        code.raw_imm32(&[0x89, 0x96], offset::group_class(group) as u32);
        let dst = self.result(step, false)?;
        self.code.op(Op::Sub32, dst, addresses, Rm::Register(first), plain, 0);
        self.in_rdx = InRdx::Other;
        Ok(())
    }

    /// A constant in memory, as an operand of four bytes.
    fn constant(&self, value: Value) -> Rm {
        let is_vector = self.width == Width::Ymm || matches!(self.home(value), Home::Vector(_));
        if is_vector { self.memory(value) } else { self.element(value) }
    }

    /// Emits the test how the elements of a group lie.
    pub(super) fn classify(&mut self, step: Step, group: u8) -> Result<(), OutOfRoom> {
        let [index, expected, other] = step.node.src;
        let index = self.place(index)?;
        let (expected, other) = (self.constant(expected), self.constant(other));
        let is_mask = self.width == Width::Zmm;
        let scratch = self.take(is_mask)?;
        self.class(is_mask).free |= 1 << scratch;
        different(&mut self.code, self.width, scratch, index, self.ok, expected);
        // or [class], edx; jnz
        self.code.raw_imm32(&[0x09, 0x96], offset::group_class(group) as u32);
        let from = self.code.jump(&[0x0f, 0x85]);
        let is_wide = self.list.groups[group as usize].is_wide;
        let kind = Kind::Classify { group, is_wide, index, other, scratch };
        self.detours.push(Detour { from, back: from, kind, follows: false });
        self.free_sources(step);
        self.in_rdx = InRdx::Other;
        Ok(())
    }

    /// Emits the read of dwords, or of half of a pair.
    pub(super) fn read(&mut self, step: Step, group: Option<u8>, at: u32, half: Option<bool>) -> Result<(), OutOfRoom> {
        let (index, offset, is_mask) = (self.place(step.node.src[0])?, at as i32, self.width == Width::Zmm);
        let (dst, mask) = (self.take(false)?, self.take(is_mask)?);
        // AVX2 joins two vectors by signs, and halves of vectors.
        let needs_scratch = half.is_some() || !is_mask;
        let scratch = if needs_scratch { self.take(false)? } else { dst };
        self.class(is_mask).free |= 1 << mask;
        if needs_scratch {
            self.vectors.free |= 1 << scratch;
        }
        self.free_sources(step);
        self.next[step.node.dst.index()] = step.uses.first;
        self.hold(dst, step.node.dst);
        let wanted = group.map_or(InRdx::Lds, InRdx::Base);
        if self.in_rdx != wanted {
            load_rdx(&mut self.code, group.map_or(offset::LDS, offset::group_base));
            self.in_rdx = wanted;
        }
        let is_uniform = group.is_some_and(|group| self.list.groups[group as usize].is_uniform);
        let read =
            Place { group: group.unwrap_or(0), is_uniform, half, dst, index, offset, mask, scratch, ok: self.ok };
        let (code, width) = (&mut self.code, self.width);
        let Some(group) = group else {
            match width {
                Width::Zmm => gather(code, width, [dst, index, mask], self.ok, (offset, false)),
                Width::Ymm => self.read_each(read),
            }
            return Ok(());
        };
        // cmp dword [class], 0; jne
        code.raw_imm32(&[0x83, 0xbe], offset::group_class(group) as u32);
        code.raw(&[0]);
        let from = code.jump(&[0x0f, 0x85]);
        regular(code, width, &read, is_uniform);
        let back = code.bytes.len();
        self.detours.push(Detour { from, back, kind: Kind::Read(read), follows: false });
        Ok(())
    }

    /// Emits the read of the dword at one address.
    pub(super) fn read_one(&mut self, step: Step, bound: u8, at: u32) -> Result<(), OutOfRoom> {
        let (node, home) = (step.node, self.home(step.node.src[0]));
        let dst = self.take(false)?;
        self.free_sources(step);
        self.next[node.dst.index()] = step.uses.first;
        if step.uses.first == NEVER {
            self.vectors.free |= 1 << dst;
        } else {
            self.hold(dst, node.dst);
        }
        let code = &mut self.code;
        match home {
            // mov edx, [slot]
            Home::Scalar(slot) => code.raw_imm32(&[0x8b, 0x96], offset::sgpr(slot) as u32),
            // mov edx, constant
            Home::Dword(number) => code.raw_imm32(&[0xba], self.list.dwords[number as usize]),
            home => unreachable!("{home:?} may have several addresses"),
        }
        // cmp edx, [bound]; jae; add rdx, [lds]
        code.raw_imm32(&[0x3b, 0x96], offset::bound(bound) as u32);
        let from = code.jump(&[0x0f, 0x83]);
        code.raw_imm32(&[0x48, 0x03, 0x96], offset::LDS as u32);
        code.broadcast(dst, false, Rm::Broadcast(Gpr::Rdx, at as i32));
        self.detours.push(Detour { from, back: code.bytes.len(), kind: Kind::NotOne, follows: false });
        self.in_rdx = InRdx::Other;
        Ok(())
    }

    /// Emits the read of dwords at addresses, one by one if all are right. Reads without other code between them test
    /// that once.
    fn read_each(&mut self, read: Place) {
        let code = &mut self.code;
        let is_next = |last: &Detour| matches!(last.kind, Kind::Some(_)) && last.back == code.bytes.len();
        let follows = self.detours.last().is_some_and(is_next);
        let from = if follows { 0 } else { code.jump_unless_all(read.ok) };
        code.load_each([read.dst, read.scratch], Gpr::Rdx, read.index, false, read.offset, offset::INDICES);
        self.detours.push(Detour { from, back: code.bytes.len(), kind: Kind::Some(read), follows });
    }

    /// Emits the detours.
    pub(in crate::segments) fn detours(code: &mut Encoder, detours: &[Detour], width: Width, ok: u8) {
        for (i, detour) in detours.iter().enumerate() {
            let start = code.bytes.len();
            if !detour.follows {
                code.land(detour.from, start);
            }
            match detour.kind {
                Kind::Classify { group, is_wide, index, other, scratch } => {
                    // mov edx, [low]; cmp edx, [room]; mov dword [class], 2; jae back
                    code.raw_imm32(&[0x8b, 0x96], offset::group_low(group) as u32);
                    code.raw_imm32(&[0x3b, 0x96], offset::group_room(group, 1) as u32);
                    code.raw_imm32(&[0xc7, 0x86], offset::group_class(group) as u32);
                    code.raw(&ANYWHERE.to_le_bytes());
                    let jump = code.jump(&[0x0f, 0x83]);
                    code.land(jump, detour.back);
                    let test = if is_wide { different } else { outside };
                    test(code, width, scratch, index, ok, other);
                    // test edx, edx; jnz back; mov dword [class], 1
                    code.raw(&[0x85, 0xd2]);
                    let jump = code.jump(&[0x0f, 0x85]);
                    code.land(jump, detour.back);
                    code.raw_imm32(&[0xc7, 0x86], offset::group_class(group) as u32);
                    code.raw(&u32::from(OTHER).to_le_bytes());
                }
                Kind::Load(load) => load.elsewhere(code, detour.back),
                Kind::NotOne => match width {
                    Width::Zmm => code.k_op(KOp::Xor, ok, ok, ok),
                    Width::Ymm => code.op(Op::Xor, ok, ok, Rm::Register(ok), Masking::default(), 0),
                },
                Kind::Some(Place { dst, index, offset, mask, .. }) => {
                    gather(code, width, [dst, index, mask], ok, (offset, false));
                }
                Kind::Read(read) => {
                    // cmp dword [class], 1; jne
                    code.raw_imm32(&[0x83, 0xbe], offset::group_class(read.group) as u32);
                    code.raw(&[OTHER]);
                    let jump = code.jump(&[0x0f, 0x85]);
                    match read.half {
                        Some(_) => regular(code, width, &read, !read.is_uniform),
                        None => two_vectors(code, width, &read),
                    }
                    let out = code.jump(&[0xe9]);
                    code.land(out, detour.back);
                    let place = code.bytes.len();
                    code.land(jump, place);
                    anywhere(code, width, &read);
                }
            }
            if !detours.get(i + 1).is_some_and(|next| next.follows) {
                let jump = code.jump(&[0xe9]);
                code.land(jump, detour.back);
            }
        }
    }

    /// Emits the bounds of addresses, and the numbers of addresses with room for vectors.
    pub(in crate::segments) fn bounds(&mut self) {
        let (code, list, width) = (&mut self.code, &self.list, self.width);
        if list.bounds.is_empty() {
            return;
        }
        // mov eax, [bytes]; xor r8d, r8d
        code.raw_imm32(&[0x8b, 0x86], offset::LDS_BYTES as u32);
        code.raw(&[0x45, 0x31, 0xc0]);
        // The number of addresses with `bytes` bytes below EDX: sub edx, bytes - 1; cmovb edx, r8d; mov [at], edx.
        let number = |code: &mut Encoder, bytes: u32, at: i32| {
            code.raw_imm32(&[0x81, 0xea], bytes - 1);
            code.raw(&[0x41, 0x0f, 0x42, 0xd0]);
            code.raw_imm32(&[0x89, 0x96], at as u32);
        };
        for (i, bound) in list.bounds.iter().enumerate() {
            match bound.m0 {
                Some(slot) => {
                    // mov edx, [m0]; and edx, 0x1ffff; cmp edx, eax; cmova edx, eax
                    code.raw_imm32(&[0x8b, 0x96], offset::sgpr(slot) as u32);
                    code.raw_imm32(&[0x81, 0xe2], 0x1_ffff);
                    code.raw(&[0x39, 0xc2, 0x0f, 0x47, 0xd0]);
                }
                // mov edx, eax
                None => code.raw(&[0x89, 0xc2]),
            }
            number(code, bound.bytes, offset::bound(i as u8));
        }
        for (i, group) in list.groups.iter().enumerate() {
            // The last element begins there.
            let last = group.last - if group.is_wide { 4 } else { 0 };
            let (one, two) = (if group.is_wide { 8 } else { 4 }, 8 * width.lanes() as u32);
            let row = if group.is_wide { two } else { two / 2 };
            let other = if group.is_wide && !group.is_uniform { one } else { two };
            for (which, bytes) in [if group.is_uniform { one } else { row }, other].into_iter().enumerate() {
                code.raw(&[0x89, 0xc2]);
                number(code, last + bytes, offset::group_room(i as u8, which));
            }
        }
    }
}

/// Emits the test whether the indices of lanes that are right are those expected: EDX is 0 then.
fn different(code: &mut Encoder, width: Width, scratch: u8, index: u8, ok: u8, expected: Rm) {
    match width {
        Width::Zmm => {
            code.op(Op::CompareU32, scratch, index, expected, Masking { mask: ok, zero: false }, DIFFERENT);
            code.mask_to_edx(scratch);
        }
        Width::Ymm => {
            code.op(Op::EqualI32, scratch, index, expected, Masking::default(), 0);
            code.test_signs(scratch, ok);
        }
    }
}

/// Emits the test whether they are below a limit: EDX is 0 then. For AVX2 it has the bits that they may not have.
fn outside(code: &mut Encoder, width: Width, scratch: u8, index: u8, ok: u8, limit: Rm) {
    match width {
        Width::Zmm => {
            code.op(Op::CompareU32, scratch, index, limit, Masking { mask: ok, zero: false }, AT_LEAST);
            code.mask_to_edx(scratch);
        }
        Width::Ymm => {
            code.op(Op::And, scratch, index, Rm::Register(ok), Masking::default(), 0);
            code.test_bits(scratch, limit);
        }
    }
}

/// Emits a read of dwords within two vectors.
fn two_vectors(code: &mut Encoder, width: Width, read: &Place) {
    let (plain, Place { dst, index, scratch, mask: signs, .. }) = (Masking::default(), *read);
    let [first, second] = [0, 1].map(|more| at_base(width, read.offset, more));
    match width {
        Width::Zmm => {
            code.op(Op::Load, dst, 0, first, plain, 0);
            code.op(Op::Pick, dst, index, second, plain, 0);
        }
        Width::Ymm => {
            code.op(Op::Permute, scratch, index, second, plain, 0);
            code.op(Op::Permute, dst, index, first, plain, 0);
            code.op(Op::Shl, signs, 0, Rm::Register(index), plain, SELECT);
            code.choose(dst, dst, Rm::Register(scratch), signs);
        }
    }
}
