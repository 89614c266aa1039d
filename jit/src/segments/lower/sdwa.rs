//! Parts of registers: the selectors of SDWA forms.

use gcnsim_isa::Sdwa;

use super::Lowering;
use crate::segments::list::{Logic, Value};
use crate::segments::ops::Op;

/// Width and first bit of a part: bytes 0 to 3, words 4 and 5, the dword.
fn bits_of(select: u8) -> (u32, u32) {
    match select as u32 {
        n @ 0..4 => (8, 8 * n),
        n @ 4..6 => (16, 16 * (n - 4)),
        _ => (32, 0),
    }
}

impl Lowering<'_> {
    /// A part of a source, extended to 32 bits.
    pub(super) fn part(&mut self, value: Value, select: u8, is_signed: bool) -> Value {
        let (width, first) = bits_of(select);
        let above = 32 - width - first;
        if is_signed {
            let top = self.list.shift(Op::Shl, value, above);
            return self.list.shift(Op::Sar, top, 32 - width);
        }
        if self.list.is_narrow && width == 8 && first > 0 && above > 0 {
            return self.list.byte(value, first / 8);
        }
        let low = self.list.shift(Op::Shr, value, first);
        if above == 0 {
            return low;
        }
        let field = self.list.dword(u32::MAX >> (32 - width));
        self.list.binary(Op::And, low, field)
    }

    /// A result in the part of VGPR `n` that DST_SEL names, with the other bits as DST_UNUSED says.
    pub(super) fn placed(&mut self, n: u8, selectors: Sdwa, value: Value) -> Value {
        let (width, first) = bits_of(selectors.dst_sel);
        if width == 32 {
            return value;
        }
        if selectors.dst_unused == 2 {
            let (old, moved) = (self.vgpr(n), self.list.shift(Op::Shl, value, first));
            let field = self.list.dword(u32::MAX >> (32 - width) << first);
            return self.list.logic(field, moved, old, Logic::Select);
        }
        let back = if selectors.dst_unused == 1 { Op::Sar } else { Op::Shr };
        let top = self.list.shift(Op::Shl, value, 32 - width);
        if selectors.dst_unused == 0 {
            return self.list.shift(back, top, 32 - width - first);
        }
        let extended = self.list.shift(back, top, 32 - width);
        self.list.shift(Op::Shl, extended, first)
    }
}
