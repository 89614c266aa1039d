//! What happens to a source between its register and the operation: selection of a part (SDWA, OP_SEL, packed halves,
//! mixed precision), then ABS, then NEG (docs/gcn/valu-float-rules.md#order, docs/gcn/valu-packed.md).

use gcnsim_isa::Vgpr;

use crate::float::Fp;

/// The steps for one source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stage {
    pub select: Select,
    /// Sign bits to clear: ABS.
    pub clear: Signs,
    /// Sign bits to flip: NEG.
    pub flip: Signs,
}

/// The part of a dword that counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Select {
    /// The whole dword.
    Whole,
    /// A byte or halfword: shifts to the left and then right leave these bits, zero- or sign-extended.
    Field { left: u8, right: u8, signed: bool },
    /// Two halfwords, for the low and the high result. They begin at bit 0 or 16.
    Halves { low: u8, high: u8 },
    /// The binary16 number that begins at bit 0 or 16, as binary32.
    Widened { from: u8, denormals: HalfDenormals },
}

/// The treatment of a denormal binary16 number that is widened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HalfDenormals {
    /// The number becomes a zero with its sign.
    Flushed,
    /// MODE decides.
    ByMode,
}

impl HalfDenormals {
    /// Whether denormals become zeros.
    fn are_flushed(self, fp: &Fp) -> bool {
        self == HalfDenormals::Flushed || !fp.in_f16_f64
    }

    /// Whether another treatment than ours is likely, too: that MODE decides, or that it does not.
    fn are_doubtful(self, fp: &Fp) -> bool {
        self == HalfDenormals::ByMode || fp.in_f16_f64
    }
}

/// Sign bits: bit 0 stands for bit 15 of a dword, bit 1 for bit 31.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Signs(pub u8);

impl Signs {
    pub const NONE: Signs = Signs(0);
    pub const BIT_15: Signs = Signs(1);
    pub const BIT_31: Signs = Signs(2);

    /// These signs if `there` is set, else none.
    pub fn when(self, there: bool) -> Signs {
        if there { self } else { Signs::NONE }
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        u32::from(self.0 & 1) << 15 | u32::from(self.0 >> 1) << 31
    }
}

impl Stage {
    /// The dword stays as it is.
    pub const NONE: Stage = Stage { select: Select::Whole, clear: Signs::NONE, flip: Signs::NONE };

    /// Whether it changes signs.
    #[inline(always)]
    pub fn has_signs(self) -> bool {
        self.clear.0 | self.flip.0 != 0
    }

    /// The dwords after ABS and NEG.
    #[inline(always)]
    pub fn with_signs<'a>(self, dwords: &Vgpr, room: &'a mut Option<Vgpr>) -> &'a Vgpr {
        let (keep, flip) = (!self.clear.bits(), self.flip.bits());
        map(dwords, room, |dword| dword & keep ^ flip)
    }

    /// Whether an active lane has a denormal binary16 number whose treatment is in doubt.
    #[cold]
    #[inline(never)]
    pub fn meets_doubtful_halves(self, dwords: &Vgpr, active: u64, fp: &Fp) -> bool {
        let Select::Widened { from, denormals } = self.select else { return false };
        let is_denormal = |dword: u32| matches!(dword >> (from & 31) & 0x7fff, 1..0x400);
        let mut lanes = dwords.0.iter().enumerate();
        denormals.are_doubtful(fp) && lanes.any(|(lane, &dword)| active >> lane & 1 == 1 && is_denormal(dword))
    }

    /// The dwords after selection, ABS and NEG.
    #[inline(always)]
    pub fn apply<'a>(self, dwords: &Vgpr, fp: &Fp, room: &'a mut Option<Vgpr>) -> &'a Vgpr {
        let (keep, flip) = (!self.clear.bits(), self.flip.bits());
        match self.select {
            Select::Whole => self.with_signs(dwords, room),
            Select::Field { left, right, signed: false } => {
                map(dwords, room, |dword| dword << (left & 31) >> (right & 31) & keep ^ flip)
            }
            Select::Field { left, right, signed: true } => {
                map(dwords, room, |dword| ((dword << (left & 31)) as i32 >> (right & 31)) as u32 & keep ^ flip)
            }
            Select::Halves { low, high } => {
                map(dwords, room, |dword| (dword >> (low & 31) & 0xffff | dword >> (high & 31) << 16) & keep ^ flip)
            }
            Select::Widened { from, denormals } if denormals.are_flushed(fp) => map(dwords, room, |dword| {
                let half = dword >> (from & 31);
                widened(if half & 0x7c00 == 0 { half & 0x8000 } else { half }) & keep ^ flip
            }),
            Select::Widened { from, .. } => map(dwords, room, |dword| widened(dword >> (from & 31)) & keep ^ flip),
        }
    }
}

#[inline(always)]
fn map<'a>(dwords: &Vgpr, room: &'a mut Option<Vgpr>, of_dword: impl Fn(u32) -> u32) -> &'a Vgpr {
    let mut out = Vgpr(dwords.0);
    for dword in &mut out.0 {
        *dword = of_dword(*dword);
    }
    room.insert(out)
}

impl Select {
    /// The selection of an SDWA selector: 0..=3 are bytes, 4 and 5 halfwords, 6 is all.
    pub fn of_sdwa(sel: u8, signed: bool) -> Select {
        match sel {
            0..=3 => Select::Field { left: 24 - 8 * sel, right: 24, signed },
            4 | 5 => Select::Field { left: 16 - 16 * (sel - 4), right: 16, signed },
            _ => Select::Whole,
        }
    }

    /// The upper half (OP_SEL).
    pub const UPPER: Select = Select::Field { left: 0, right: 16, signed: false };
}

/// The binary16 number in bits \[15:0\] as binary32, exactly; a NaN keeps its payload.
#[inline(always)]
pub(crate) fn widened(bits: u32) -> u32 {
    let (sign, magnitude) = ((bits & 0x8000) << 16, bits & 0x7fff);
    // Denormals are multiples of 2^-24.
    let denormal = (magnitude as i32 as f32 * f32::from_bits((127 - 24) << 23)).to_bits();
    let rebiased = (magnitude << 13) + ((127 - 15) << 23);
    let special = magnitude << 13 | 0xff << 23;
    let finite = if magnitude < 0x0400 { denormal } else { rebiased };
    sign | if magnitude < 0x7c00 { finite } else { special }
}

#[cfg(test)]
mod tests {
    use gcnsim_isa::Arch;

    use super::*;

    fn one(stage: Stage, dword: u32) -> u32 {
        stage.apply(&Vgpr([dword; 64]), &Fp::new(0xf0, Arch::Gcn14), &mut None).0[63]
    }

    #[test]
    fn sdwa_selectors() {
        let select = |sel, signed| Stage { select: Select::of_sdwa(sel, signed), ..Stage::NONE };
        let unsigned = [0x78, 0x56, 0xf4, 0x92, 0x5678, 0x92f4, 0x92f4_5678];
        let signed = [0x78, 0x56, 0xffff_fff4, 0xffff_ff92, 0x5678, 0xffff_92f4, 0x92f4_5678];
        for sel in 0..7 {
            assert_eq!(one(select(sel, false), 0x92f4_5678), unsigned[sel as usize], "{sel}");
            assert_eq!(one(select(sel, true), 0x92f4_5678), signed[sel as usize], "{sel} SEXT");
        }
    }

    #[test]
    fn abs_comes_before_neg() {
        let both = Stage { clear: Signs::BIT_31, flip: Signs::BIT_31, ..Stage::NONE };
        assert_eq!([one(both, 0x3f80_0000), one(both, 0xbf80_0000)], [0xbf80_0000; 2]);
        let half = Stage { select: Select::UPPER, clear: Signs::BIT_15, flip: Signs::NONE };
        assert_eq!(one(half, 0xbc00_1234), 0x3c00);
    }

    #[test]
    fn halves() {
        let halves = |low, high| Stage { select: Select::Halves { low, high }, ..Stage::NONE };
        assert_eq!(one(halves(0, 16), 0x1234_5678), 0x1234_5678);
        assert_eq!(one(halves(16, 0), 0x1234_5678), 0x5678_1234);
        assert_eq!(one(halves(16, 16), 0x1234_5678), 0x1234_1234);
        assert_eq!(one(halves(0, 0), 0x1234_5678), 0x5678_5678);
        let negated = Stage { flip: Signs(3), ..halves(0, 16) };
        assert_eq!(one(negated, 0x1234_5678), 0x9234_d678);
    }

    const BY_MODE: Select = Select::Widened { from: 16, denormals: HalfDenormals::ByMode };

    #[test]
    fn denormal_halves() {
        let flushed = Select::Widened { from: 16, denormals: HalfDenormals::Flushed };
        let of = |select: Select, mode: u32, half: u32| {
            let (stage, fp) = (Stage { select, ..Stage::NONE }, Fp::new(mode, Arch::Gcn14));
            let dwords = Vgpr([half << 16; 64]);
            let note = stage.meets_doubtful_halves(&dwords, 2, &fp);
            assert!(!stage.meets_doubtful_halves(&dwords, 0, &fp));
            (stage.apply(&dwords, &fp, &mut None).0[1], note)
        };
        assert_eq!([of(flushed, 0, 0x83ff), of(flushed, 0xf0, 0x83ff)], [(1 << 31, false), (1 << 31, true)]);
        assert_eq!([of(BY_MODE, 0x80, 0x83ff), of(BY_MODE, 0x40, 0x83ff)], [(1 << 31, true), (0xb87f_c000, true)]);
        assert_eq!([of(flushed, 0xf0, 0x0400), of(BY_MODE, 0, 0x0400)], [(0x3880_0000, false); 2]);
        assert_eq!([of(flushed, 0xf0, 0x8000), of(BY_MODE, 0, 0x8000)], [(1 << 31, false); 2]);
    }

    #[test]
    fn widening() {
        for (half, single) in [
            (0x0000, 0x0000_0000),
            (0x8000, 0x8000_0000),
            (0x3c00, 0x3f80_0000),
            (0xc000, 0xc000_0000),
            (0x7bff, 0x477f_e000),
            (0x0400, 0x3880_0000),
            (0x0001, 0x3380_0000),
            (0x83ff, 0xb87f_c000),
            (0x7c00, 0x7f80_0000),
            (0xfc00, 0xff80_0000),
            (0x7c01, 0x7f80_2000),
            (0xfe00, 0xffc0_0000),
        ] {
            assert_eq!(widened(half), single, "{half:04x}");
            assert_eq!(one(Stage { select: BY_MODE, ..Stage::NONE }, half << 16 | 0x5555), single);
        }
    }
}
