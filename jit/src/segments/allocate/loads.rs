//! Loads of guest memory.
//!
//! A load reads in active lanes only, whose addresses the probe has compared with those of the load's site. The usual
//! arrangement, a row, is read in line, the others in [detours](Detour). A row is found by the first active lane: all
//! of these are as far from its begin as their lanes say. With AVX2 lane 0 takes the place of the first active lane. If
//! it is not active, its distance may be any number: where all active lanes agree with it, it is a good one.
//!
//! Rows of one load mostly follow each other in equal steps, from round to round of a loop or from wave to wave. With a
//! row, the line is fetched where one will begin in a few steps. With other elements, the lines behind those that lanes
//! begin to read are fetched, if they seem to walk. These addresses need not exist: to fetch is no access.
//!
//! Bytes and words that lie near each other are parts of one vector, if the host permutes bytes: they overlap, or are
//! those of small structures.

use std::ops::Range;

use super::lds::{Kind, scattered};
use super::{Allocator, Detour, OutOfRoom, Step};
use crate::placement::LINE;
use crate::segments::encode::{Encoder, Gpr, Masking, Rm, Width};
use crate::segments::list::{Element, Home, Value};
use crate::segments::ops::Op;
use gcnsim_helpers::memory::STEPS_AHEAD;
use gcnsim_helpers::segment_frame::offset;

/// Predicates of integer compares.
const DIFFERENT: u8 = 4;
const AT_LEAST: u8 = 5;
/// Binary logarithm of the bytes of a line of the cache.
const LINE_BITS: u8 = LINE.trailing_zeros() as u8;
/// Bytes of a vector, from which elements are picked that lie near each other.
pub(in crate::segments) const WINDOW: u32 = 64;
/// Number of lanes of a chunk that begin lines, if they walk by themselves.
const FEW: u8 = 4;

/// A load, with its registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elements {
    site: u8,
    element: Element,
    /// The result, and the distances from the site's first address.
    dst: u8,
    distance: u8,
    /// How elements of one or two bytes may lie that are not in a row.
    other: Other,
    /// Two vectors, and a mask or a vector with its signs.
    scratch: [u8; 2],
    mask: u8,
    exec: u8,
    all_are_active: bool,
    width: Width,
}

/// How elements may lie that are not in a row.
#[derive(Clone, Copy, Debug)]
enum Other {
    /// In one place, or anywhere.
    Anywhere,
    /// Or a byte apart: these are the distances of a row of bytes.
    Overlapping(Rm),
    /// Or [near](Elements::near) the first one: this is the number of places in the window that begins with it.
    Near(Rm),
}

/// add rdx, [host]
fn add_host(code: &mut Encoder, site: u8) {
    code.raw_imm32(&[0x48, 0x03, 0x96], offset::site_host(site) as u32);
}

/// Emits what a segment does before its chunks: by how far the rows of its loads moved since the last call.
pub(in crate::segments) fn follow_rows(code: &mut Encoder, sites: Range<u8>) {
    for site in sites {
        // mov edx, [row]; sub edx, [row_before]
        code.raw_imm32(&[0x8b, 0x96], offset::site_row(site) as u32);
        code.raw_imm32(&[0x2b, 0x96], offset::site_row_before(site) as u32);
        widen_rdx(code);
        // shl rdx, STEPS_AHEAD; mov [ahead], rdx; mov edx, [row]; mov [row_before], edx
        code.raw(&[0x48, 0xc1, 0xe2, STEPS_AHEAD]);
        code.raw_imm32(&[0x48, 0x89, 0x96], offset::site_ahead(site) as u32);
        code.raw_imm32(&[0x8b, 0x96], offset::site_row(site) as u32);
        code.raw_imm32(&[0x89, 0x96], offset::site_row_before(site) as u32);
    }
}

/// movsxd rdx, edx
fn widen_rdx(code: &mut Encoder) {
    code.raw(&[0x48, 0x63, 0xd2]);
}

impl Elements {
    /// Emits the compare of all active lanes with the first of them, for distances less those of `row`, and a jump
    /// where they differ. EDX is the first one's. With `all` and AVX2 the code also jumps where a lane is not active.
    fn compare_with_first(&self, code: &mut Encoder, row: Option<Rm>, all: bool) -> usize {
        let ([begins, first], active) = (self.scratch, Masking { mask: self.exec, zero: true });
        let from = match row {
            Some(row) => {
                code.op(Op::Sub32, begins, self.distance, row, Masking::default(), 0);
                begins
            }
            None => self.distance,
        };
        if self.width == Width::Ymm {
            code.broadcast(first, false, Rm::Register(from));
            code.op(Op::EqualI32, self.mask, from, Rm::Register(first), Masking::default(), 0);
            if all {
                code.op(Op::And, self.mask, self.mask, Rm::Register(self.exec), Masking::default(), 0);
            }
            // jne or jnc
            let jump =
                if all { code.jump_unless_all(self.mask) } else { code.jump_unless_within(self.exec, self.mask) };
            code.first_to_edx(from);
            return jump;
        }
        code.op(Op::Compress, from, 0, Rm::Register(first), active, 0);
        code.first_to_edx(first);
        code.broadcast(first, false, Rm::Register(first));
        code.op(Op::CompareU32, self.mask, from, Rm::Register(first), Masking { zero: false, ..active }, DIFFERENT);
        code.k_test(self.mask, self.mask);
        code.jump(&[0x0f, 0x85])
    }

    /// Emits a load in active lanes, in a row that begins `more` bytes behind RDX. With AVX2 all lanes are active if
    /// `op` extends elements.
    fn load_row(&self, code: &mut Encoder, op: Op, to: u8, more: i32) {
        let row = Rm::Memory(Gpr::Rdx, more);
        match self.width {
            Width::Zmm => code.op(op, to, 0, row, Masking { mask: self.exec, zero: true }, 0),
            Width::Ymm if op == Op::Load && !self.all_are_active => code.load_lanes(to, Gpr::Rdx, more, self.exec),
            Width::Ymm => code.op(op, to, 0, row, Masking::default(), 0),
        }
    }

    /// Emits the extension of elements whose bits are the lowest ones.
    fn extend(&self, code: &mut Encoder) {
        let by = 32 - 8 * self.element.bytes;
        let right = if self.element.is_signed { Op::Sar } else { Op::Shr };
        for op in [Op::Shl, right] {
            code.op(op, self.dst, 0, Rm::Register(self.dst), Masking::default(), by);
        }
    }

    /// Emits a load of dwords in active lanes, anywhere. `free` is a vector.
    fn scattered(&self, code: &mut Encoder, distance: u8, free: u8) {
        // mov rdx, [host]
        code.raw_imm32(&[0x48, 0x8b, 0x96], offset::site_host(self.site) as u32);
        let registers = [self.dst, distance, self.mask, free];
        scattered(code, self.width, registers, (self.exec, self.all_are_active), (0, false));
    }

    /// Emits the fetch of the lines behind those that active lanes begin to read, if lanes seem to walk through memory,
    /// each by itself: the host does not expect that of so many. EDX is the first one's distance.
    fn fetch_lines(&self, code: &mut Encoder) {
        let (first, [mask, exec]) = (self.scratch[0], [self.mask, self.exec].map(|mask| Masking { mask, zero: false }));
        // They do if the first one went on by less than a line. (The site has a multiple of its step.)
        // mov [row], edx; mov edx, [ahead]; dec edx; cmp edx, ...; jae over
        code.raw_imm32(&[0x89, 0x96], offset::site_row(self.site) as u32);
        code.raw_imm32(&[0x8b, 0x96], offset::site_ahead(self.site) as u32);
        code.raw(&[0xff, 0xca]);
        code.raw_imm32(&[0x81, 0xfa], (1 << (LINE_BITS + STEPS_AHEAD)) - 1);
        let random = code.jump(&[0x0f, 0x83]);
        // A dword begins a line if its distance has no bit below the size of one.
        code.op(Op::Shl, first, 0, Rm::Register(self.distance), Masking::default(), 32 - LINE_BITS);
        code.op(Op::TestNot, self.mask, first, Rm::Register(first), exec, 0);
        code.mask_to_edx(self.mask);
        // test edx, edx; jz over
        code.raw(&[0x85, 0xd2]);
        let over = code.jump(&[0x0f, 0x84]);
        code.op(Op::Compress, self.distance, 0, Rm::Register(first), Masking { zero: true, ..mask }, 0);
        code.store(first, Gpr::Rsi, offset::BEGINS, 0);
        // popcnt edx, edx; cmp edx, FEW; jbe few
        code.raw(&[0xf3, 0x0f, 0xb8, 0xd2, 0x83, 0xfa, FEW]);
        let few = code.jump(&[0x0f, 0x86]);
        let fetch = |code: &mut Encoder, i: u8| {
            // mov edx, [begins]; add rdx, [host]; prefetcht0 [rdx + a line]
            code.raw_imm32(&[0x8b, 0x96], (offset::BEGINS + 4 * i32::from(i)) as u32);
            add_host(code, self.site);
            code.raw(&[0x0f, 0x18, 0x4a, 1 << LINE_BITS]);
        };
        (FEW..16).for_each(|i| fetch(code, i));
        let place = code.bytes.len();
        code.land(few, place);
        (0..FEW).for_each(|i| fetch(code, i));
        let place = code.bytes.len();
        [random, over].into_iter().for_each(|jump| code.land(jump, place));
    }

    /// Emits the load of elements of one or two bytes that begin with that of the first active lane, at `places` places
    /// of a window: a vector of bytes, all of which the site has. Returns the jumps of other elements.
    fn near(&self, code: &mut Encoder, places: Rm) -> [usize; 2] {
        let ([index, first], plain) = (self.scratch, Masking::default());
        let active = Masking { mask: self.exec, zero: false };
        code.op(Op::Compress, self.distance, 0, Rm::Register(first), Masking { zero: true, ..active }, 0);
        code.first_to_edx(first);
        code.broadcast(first, false, Rm::Register(first));
        code.op(Op::Sub32, index, self.distance, Rm::Register(first), plain, 0);
        code.op(Op::CompareU32, self.mask, index, places, active, AT_LEAST);
        code.k_test(self.mask, self.mask);
        let outside = code.jump(&[0x0f, 0x85]);
        // The last dword of the window is one of the site. add edx, ...; cmp edx, [last]; ja outside
        let last = WINDOW as u8 - 4;
        code.raw(&[0x83, 0xc2, last]);
        code.raw_imm32(&[0x3b, 0x96], offset::site_last(self.site) as u32);
        let beyond = code.jump(&[0x0f, 0x87]);
        widen_rdx(code);
        add_host(code, self.site);
        if self.element.bytes == 2 {
            // The second byte is one place further: -1 becomes -256, which is taken away.
            code.op(Op::Logic, self.dst, self.dst, Rm::Register(self.dst), plain, 0xff);
            code.op(Op::Shl, self.dst, 0, Rm::Register(self.dst), plain, 8);
            code.op(Op::Shl, first, 0, Rm::Register(index), plain, 8);
            code.op(Op::Or, index, index, Rm::Register(first), plain, 0);
            code.op(Op::Sub32, index, index, Rm::Register(self.dst), plain, 0);
        }
        code.op(Op::PermuteBytes, self.dst, index, Rm::Memory(Gpr::Rdx, -i32::from(last)), plain, 0);
        self.extend(code);
        [outside, beyond]
    }

    /// Emits the load of elements that are not in a row.
    pub fn elsewhere(&self, code: &mut Encoder, back: usize) {
        let (plain, [first, other], Element { bytes, is_signed }) = (Masking::default(), self.scratch, self.element);
        // Continues behind the load; what follows is where `jumps` lead.
        let done = |code: &mut Encoder, jumps: &[usize]| {
            let out = code.jump(&[0xe9]);
            code.land(out, back);
            let place = code.bytes.len();
            jumps.iter().for_each(|&jump| code.land(jump, place));
        };
        if let Other::Near(places) = self.other {
            let jumps = self.near(code, places);
            done(code, &jumps);
        }
        let differ = self.compare_with_first(code, None, false);
        // With AVX-512 an active lane is there. With AVX2: jz.
        let none = (self.width == Width::Ymm).then(|| code.jump(&[0x0f, 0x84]));
        if self.width == Width::Ymm {
            // inc dword [declines]: one element for all lanes is left to its helper, which takes less time.
            code.raw_imm32(&[0xff, 0x86], offset::site_declines(self.site) as u32);
        }
        add_host(code, self.site);
        if bytes == 4 {
            code.broadcast(self.dst, false, Rm::Memory(Gpr::Rdx, 0));
        } else {
            // movzx or movsx edx, byte or word [rdx]
            code.raw(&[0x0f, 0xb6 | u8::from(bytes == 2) | u8::from(is_signed) << 3, 0x12]);
            code.broadcast_edx(self.dst);
        }
        done(code, &[&[differ], none.as_slice()].concat());
        if bytes == 4 {
            if self.width == Width::Zmm {
                self.fetch_lines(code);
            }
            return self.scattered(code, self.distance, other);
        }
        if let Other::Overlapping(row) = self.other {
            // Words that overlap, a byte apart, are two rows of bytes.
            let jump = self.compare_with_first(code, Some(row), true);
            widen_rdx(code);
            add_host(code, self.site);
            self.load_row(code, Op::WidenFrom8, self.dst, 0);
            self.load_row(code, Op::WidenFrom8, first, 1);
            code.op(Op::Shl, first, 0, Rm::Register(first), plain, 8);
            code.op(Op::Or, self.dst, self.dst, Rm::Register(first), plain, 0);
            self.extend(code);
            done(code, &[jump]);
        }
        // The dword is the last one of the site where it would reach beyond. It has the element in upper bits then.
        let last = Rm::Broadcast(Gpr::Rsi, offset::site_last(self.site));
        let last = match self.width {
            Width::Zmm => last,
            Width::Ymm => {
                code.broadcast(first, false, last);
                Rm::Register(first)
            }
        };
        code.op(Op::MinU32, first, self.distance, last, plain, 0);
        self.scattered(code, first, other);
        code.op(Op::Sub32, other, self.distance, Rm::Register(first), plain, 0);
        code.op(Op::Shl, other, 0, Rm::Register(other), plain, 3);
        code.op(Op::ShrVar, self.dst, self.dst, Rm::Register(other), plain, 0);
        self.extend(code);
    }
}

impl Allocator<'_> {
    /// Emits a load.
    pub(super) fn load_elements(&mut self, step: Step, site: u8, element: Element) -> Result<(), OutOfRoom> {
        let [distance, row, other] = step.node.src;
        let (distance, is_mask) = (self.place(distance)?, self.width == Width::Zmm);
        let row = self.memory(row);
        let other = match other {
            Value::NONE => Other::Anywhere,
            places if matches!(self.home(places), Home::Dword(_)) => Other::Near(self.element(places)),
            bytes => Other::Overlapping(self.memory(bytes)),
        };
        // All registers differ.
        let (dst, scratch, mask) = (self.take(false)?, [self.take(false)?, self.take(false)?], self.take(is_mask)?);
        self.vectors.free |= 1 << scratch[0] | 1 << scratch[1];
        self.class(is_mask).free |= 1 << mask;
        self.free_sources(step);
        self.next[step.node.dst.index()] = step.uses.first;
        self.hold(dst, step.node.dst);
        let (all_are_active, width) = (self.all_are_active, self.width);
        let load =
            Elements { site, element, dst, distance, other, scratch, mask, exec: self.exec, all_are_active, width };
        let op = match (element.bytes, element.is_signed) {
            (1, false) => Op::WidenFrom8,
            (1, true) => Op::WidenFromI8,
            (2, false) => Op::WidenFrom16,
            (2, true) => Op::WidenFromI16,
            _ => Op::Load,
        };
        let code = &mut self.code;
        let from = load.compare_with_first(code, Some(row), op != Op::Load);
        // mov [row], edx
        code.raw_imm32(&[0x89, 0x96], offset::site_row(site) as u32);
        widen_rdx(code);
        add_host(code, site);
        load.load_row(code, op, dst, 0);
        if self.records.is_none() {
            // add rdx, [ahead]; prefetcht0 [rdx]
            code.raw_imm32(&[0x48, 0x03, 0x96], offset::site_ahead(site) as u32);
            code.raw(&[0x0f, 0x18, 0x0a]);
        }
        self.detours.push(Detour { from, back: self.code.bytes.len(), kind: Kind::Load(load), follows: false });
        self.set_rdx_unknown();
        Ok(())
    }

    /// Emits the test of a probe.
    pub(super) fn probe(&mut self, step: Step) -> Result<(), OutOfRoom> {
        let [a, b, _] = step.node.src;
        let (a, b) = (self.place(a)?, self.place(b)?);
        match self.width {
            Width::Zmm => self.code.k_test(a, b),
            Width::Ymm => {
                let either = self.scratch()?;
                self.code.op(Op::Or, either, a, Rm::Register(b), Masking::default(), 0);
                self.code.test(either);
            }
        }
        let jump = self.code.jump(&[0x0f, 0x85]);
        self.declines.push(jump);
        self.free_sources(step);
        Ok(())
    }
}

#[cfg(test)]
#[path = "loads_tests.rs"]
mod tests;
