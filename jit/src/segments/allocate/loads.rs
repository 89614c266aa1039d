//! Loads of guest memory with AVX-512.
//!
//! A load reads in active lanes only, whose addresses the probe has compared with those of the load's site. The usual
//! arrangement, a row, is read in line, the others in [detours](Detour). A row is found by the first active lane: all
//! of these are as far from its begin as their lanes say.
//!
//! Rows of one load mostly follow each other in equal steps, from round to round of a loop or from wave to wave. With a
//! row, the line is fetched where one will begin in a few steps. That address need not exist: to fetch is no access.

use std::ops::Range;

use super::lds::Kind;
use super::{Allocator, Detour, OutOfRoom, Step};
use crate::segments::encode::{Encoder, Gpr, Masking, Rm};
use crate::segments::list::{Element, Value};
use crate::segments::ops::Op;
use gcnsim_helpers::segment_frame::offset;

/// Predicate of integer compares.
const DIFFERENT: u8 = 4;
/// Binary logarithm of the number of steps between a row and the one that is fetched ahead.
const STEPS_AHEAD: u8 = 2;

/// A load, with its registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elements {
    site: u8,
    element: Element,
    /// The result, and the distances from the site's first address.
    dst: u8,
    distance: u8,
    /// The distances of a row of bytes.
    bytes: Rm,
    /// Two vectors and a mask.
    scratch: [u8; 2],
    mask: u8,
    exec: u8,
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
    /// where they differ. EDX is the first one's.
    fn compare_with_first(&self, code: &mut Encoder, row: Option<Rm>) -> usize {
        let ([begins, first], active) = (self.scratch, Masking { mask: self.exec, zero: true });
        let from = match row {
            Some(row) => {
                code.op(Op::Sub32, begins, self.distance, row, Masking::default(), 0);
                begins
            }
            None => self.distance,
        };
        code.op(Op::Compress, from, 0, Rm::Register(first), active, 0);
        code.first_to_edx(first);
        code.broadcast(first, false, Rm::Register(first));
        code.op(Op::CompareU32, self.mask, from, Rm::Register(first), Masking { zero: false, ..active }, DIFFERENT);
        code.k_test(self.mask, self.mask);
        code.jump(&[0x0f, 0x85])
    }

    /// Emits a load in active lanes, in a row that begins `more` bytes behind RDX.
    fn load_row(&self, code: &mut Encoder, op: Op, to: u8, more: i32) {
        code.op(op, to, 0, Rm::Memory(Gpr::Rdx, more), Masking { mask: self.exec, zero: true }, 0);
    }

    /// Emits the extension of elements whose bits are the lowest ones.
    fn extend(&self, code: &mut Encoder) {
        let by = 32 - 8 * self.element.bytes;
        let right = if self.element.is_signed { Op::Sar } else { Op::Shr };
        for op in [Op::Shl, right] {
            code.op(op, self.dst, 0, Rm::Register(self.dst), Masking::default(), by);
        }
    }

    /// Emits a gather of dwords in active lanes.
    fn gather(&self, code: &mut Encoder, distance: u8) {
        code.k_copy(self.mask, self.exec);
        code.op(Op::Xor, self.dst, self.dst, Rm::Register(self.dst), Masking::default(), 0);
        // mov rdx, [host]
        code.raw_imm32(&[0x48, 0x8b, 0x96], offset::site_host(self.site) as u32);
        code.gather(self.dst, Gpr::Rdx, distance, false, 0, self.mask);
    }

    /// Emits the load of elements that are not in a row. An active lane is there.
    pub fn elsewhere(&self, code: &mut Encoder, back: usize) {
        let (plain, [first, other], Element { bytes, is_signed }) = (Masking::default(), self.scratch, self.element);
        // Continues behind the load; what follows is where `jump` leads.
        let done = |code: &mut Encoder, jump: usize| {
            let out = code.jump(&[0xe9]);
            code.land(out, back);
            let place = code.bytes.len();
            code.land(jump, place);
        };
        let jump = self.compare_with_first(code, None);
        // inc dword [declines]: one element for all lanes is left to its helper, which takes less time.
        code.raw_imm32(&[0xff, 0x86], offset::site_declines(self.site) as u32);
        add_host(code, self.site);
        if bytes == 4 {
            code.broadcast(self.dst, false, Rm::Memory(Gpr::Rdx, 0));
        } else {
            // movzx or movsx edx, byte or word [rdx]
            code.raw(&[0x0f, 0xb6 | u8::from(bytes == 2) | u8::from(is_signed) << 3, 0x12]);
            code.broadcast_edx(self.dst);
        }
        done(code, jump);
        if bytes == 4 {
            return self.gather(code, self.distance);
        }
        if bytes == 2 {
            // Words that overlap, a byte apart, are two rows of bytes.
            let jump = self.compare_with_first(code, Some(self.bytes));
            widen_rdx(code);
            add_host(code, self.site);
            self.load_row(code, Op::WidenFrom8, self.dst, 0);
            self.load_row(code, Op::WidenFrom8, first, 1);
            code.op(Op::Shl, first, 0, Rm::Register(first), plain, 8);
            code.op(Op::Or, self.dst, self.dst, Rm::Register(first), plain, 0);
            self.extend(code);
            done(code, jump);
        }
        // The dword is the last one of the site where it would reach beyond. It has the element in upper bits then.
        code.op(Op::MinU32, first, self.distance, Rm::Broadcast(Gpr::Rsi, offset::site_last(self.site)), plain, 0);
        self.gather(code, first);
        code.op(Op::Sub32, other, self.distance, Rm::Register(first), plain, 0);
        code.op(Op::Shl, other, 0, Rm::Register(other), plain, 3);
        code.op(Op::ShrVar, self.dst, self.dst, Rm::Register(other), plain, 0);
        self.extend(code);
    }
}

impl Allocator<'_> {
    /// Emits a load.
    pub(super) fn load_elements(&mut self, step: Step, site: u8, element: Element) -> Result<(), OutOfRoom> {
        let [distance, row, bytes] = step.node.src;
        let distance = self.place(distance)?;
        let [row, bytes] =
            [row, bytes].map(|value| if value == Value::NONE { Rm::Constant(0) } else { self.memory(value) });
        // All registers differ.
        let (dst, scratch, mask) = (self.take(false)?, [self.take(false)?, self.take(false)?], self.take(true)?);
        self.vectors.free |= 1 << scratch[0] | 1 << scratch[1];
        self.masks.free |= 1 << mask;
        self.free_sources(step);
        self.next[step.node.dst.index()] = step.uses.first;
        self.hold(dst, step.node.dst);
        let load = Elements { site, element, dst, distance, bytes, scratch, mask, exec: self.exec };
        let op = match (element.bytes, element.is_signed) {
            (1, false) => Op::WidenFrom8,
            (1, true) => Op::WidenFromI8,
            (2, false) => Op::WidenFrom16,
            (2, true) => Op::WidenFromI16,
            _ => Op::Load,
        };
        let code = &mut self.code;
        let from = load.compare_with_first(code, Some(row));
        // mov [row], edx
        code.raw_imm32(&[0x89, 0x96], offset::site_row(site) as u32);
        widen_rdx(code);
        add_host(code, site);
        load.load_row(code, op, dst, 0);
        // add rdx, [ahead]; prefetcht0 [rdx]
        code.raw_imm32(&[0x48, 0x03, 0x96], offset::site_ahead(site) as u32);
        code.raw(&[0x0f, 0x18, 0x0a]);
        self.detours.push(Detour { from, back: self.code.bytes.len(), kind: Kind::Load(load) });
        self.set_rdx_unknown();
        Ok(())
    }

    /// Emits the test of a probe.
    pub(super) fn probe(&mut self, step: Step) -> Result<(), OutOfRoom> {
        let [a, b, _] = step.node.src;
        let (a, b) = (self.place(a)?, self.place(b)?);
        self.code.k_test(a, b);
        let jump = self.code.jump(&[0x0f, 0x85]);
        self.declines.push(jump);
        self.free_sources(step);
        Ok(())
    }
}

#[cfg(test)]
#[path = "loads_tests.rs"]
mod tests;
