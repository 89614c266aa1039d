//! Loads of guest memory with AVX-512.
//!
//! A load reads in active lanes only, whose addresses the probe has compared with those of the load's site. A row is
//! found by the first active lane: all of these are as far from the begin of the row as their lanes say.

use super::{Allocator, OutOfRoom, Step};
use crate::segments::encode::{Gpr, KOp, Masking, Rm};
use crate::segments::list::Value;
use crate::segments::ops::Op;
use gcnsim_helpers::segment_frame::offset;

/// Predicates of integer compares.
const DIFFERENT: u8 = 4;
const AT_LEAST: u8 = 5;

impl Allocator<'_> {
    /// Emits the distances of the begins of rows from the site's first address, for addresses with the low dwords
    /// `low`, to the vector `to`.
    fn begins(&mut self, to: u8, low: u8, row: Value, site: u8) {
        let (plain, row) = (Masking::default(), self.memory(row));
        self.code.op(Op::Sub32, to, low, Rm::Broadcast(Gpr::Rsi, offset::site_low(site)), plain, 0);
        self.code.op(Op::Sub32, to, to, row, plain, 0);
    }

    /// Emits a move of the first active lane of `from` to lane 0 of `to`; 0 if there is none.
    fn first_active(&mut self, to: u8, from: u8) {
        let active = Masking { mask: self.exec, zero: true };
        self.code.op(Op::Compress, from, 0, Rm::Register(to), active, 0);
    }

    /// Emits the load of a row.
    pub(super) fn load_row(&mut self, step: Step, site: u8) -> Result<(), OutOfRoom> {
        let [low, _, row] = step.node.src;
        let low = self.place(low)?;
        let first = self.scratch()?;
        self.begins(first, low, row, site);
        self.first_active(first, first);
        self.code.first_to_edx(first);
        // movsxd rdx, edx; add rdx, [host]
        self.code.raw(&[0x48, 0x63, 0xd2]);
        self.code.raw_imm32(&[0x48, 0x03, 0x96], offset::site_host(site) as u32);
        self.set_rdx_unknown();
        let dst = self.result(step, false)?;
        let active = Masking { mask: self.exec, zero: true };
        self.code.op(Op::Load, dst, 0, Rm::Memory(Gpr::Rdx, 0), active, 0);
        Ok(())
    }

    /// Emits the probe of a load.
    pub(super) fn probe(&mut self, step: Step, site: u8) -> Result<(), OutOfRoom> {
        let [low, high, row] = step.node.src;
        let (low, high) = (self.place(low)?, self.place(high)?);
        let (begins, first) = (self.take(false)?, self.take(false)?);
        let (wrong, more) = (self.take(true)?, self.take(true)?);
        self.vectors.free |= 1 << begins | 1 << first;
        self.masks.free |= 1 << wrong | 1 << more;
        let (active, plain) = (Masking { mask: self.exec, zero: false }, Masking::default());
        let site_high = Rm::Broadcast(Gpr::Rsi, offset::site_high(site));
        self.code.op(Op::CompareU32, wrong, high, site_high, active, DIFFERENT);
        let site_low = Rm::Broadcast(Gpr::Rsi, offset::site_low(site));
        self.code.op(Op::Sub32, first, low, site_low, plain, 0);
        let count = Rm::Broadcast(Gpr::Rsi, offset::site_count(site));
        self.code.op(Op::CompareU32, more, first, count, active, AT_LEAST);
        self.code.k_op(KOp::Or, wrong, wrong, more);
        self.begins(begins, low, row, site);
        self.first_active(first, begins);
        self.code.broadcast(first, false, Rm::Register(first));
        self.code.op(Op::CompareU32, more, begins, Rm::Register(first), active, DIFFERENT);
        self.code.k_test(wrong, more);
        let jump = self.code.jump(&[0x0f, 0x85]);
        self.declines.push(jump);
        self.free_sources(step);
        Ok(())
    }
}
