//! Puts a result of up to 32 bits into a VGPR: into all of it, or into one field
//! (docs/gcn/valu.md#16-bit-values-in-32-bit-registers, docs/gcn/valu-packed.md#sdwa).

use gcnsim_isa::{LANES, Vgpr};

/// The field that a result is written to, and what happens to the other bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Merge {
    /// First bit.
    pub shift: u8,
    /// Number of bits; 32 is the whole register.
    pub bits: u8,
    pub rest: Rest,
}

/// The treatment of the bits outside the field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Rest {
    Zero,
    /// Bits above the field are copies of its top bit, and bits below it are zero.
    Sign,
    Keep,
}

impl Merge {
    /// The result is the whole content.
    pub const WHOLE: Merge = Merge { shift: 0, bits: 32, rest: Rest::Zero };

    /// The result is one half, and the other half is kept.
    pub fn half(upper: bool) -> Merge {
        Merge { shift: if upper { 16 } else { 0 }, bits: 16, rest: Rest::Keep }
    }

    /// DST_SEL and DST_UNUSED of SDWA.
    pub fn of_sdwa(sel: u8, unused: u8) -> Merge {
        let (shift, bits) = match sel {
            0..=3 => (8 * sel, 8),
            4 | 5 => (16 * (sel - 4), 16),
            _ => return Merge::WHOLE,
        };
        let rest = match unused {
            0 => Rest::Zero,
            1 => Rest::Sign,
            _ => Rest::Keep,
        };
        Merge { shift, bits, rest }
    }

    /// Turns results into contents of registers. `old` has the contents before.
    #[inline(always)]
    pub fn apply(self, out: &mut Vgpr, old: &Vgpr) {
        let (shift, bits) = (u32::from(self.shift), u32::from(self.bits));
        let field = (u32::MAX >> ((32 - bits) & 31)) << (shift & 31);
        let above = (32 - bits - shift) & 31;
        match self.rest {
            Rest::Zero => each(out, old, |result, _| result << (shift & 31) & field),
            Rest::Sign => each(out, old, |result, _| {
                let at_top = (result << (shift & 31) & field) << above;
                (at_top as i32 >> above) as u32
            }),
            Rest::Keep => each(out, old, |result, old| result << (shift & 31) & field | old & !field),
        }
    }
}

#[inline(always)]
fn each(out: &mut Vgpr, old: &Vgpr, of_lane: impl Fn(u32, u32) -> u32) {
    for lane in 0..LANES {
        out.0[lane] = of_lane(out.0[lane], old.0[lane]);
    }
}
