//! The places of sources, and scalar registers by operand code.

use std::fmt;

macro_rules! codes {
    ($($name:ident)*) => {
        /// Operand code of a scalar register, 0..=127. It is an enum, so that the compiler knows the range of every
        /// value: an index into 128 registers then needs no test.
        #[allow(missing_docs)]
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub enum RegCode { $($name),* }

        impl RegCode {
            /// The register with the low seven bits of a code. (This compiles to just the mask.)
            #[inline(always)]
            pub const fn new(code: u8) -> RegCode {
                $(const $name: u8 = RegCode::$name as u8;)*
                match code & 127 {
                    $($name => RegCode::$name,)*
                    _ => RegCode::R0,
                }
            }
        }
    };
}

codes! {
    R0 R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R14 R15 R16 R17 R18 R19 R20 R21 R22 R23 R24 R25 R26 R27 R28 R29 R30 R31
    R32 R33 R34 R35 R36 R37 R38 R39 R40 R41 R42 R43 R44 R45 R46 R47 R48 R49 R50 R51 R52 R53 R54 R55 R56 R57 R58 R59 R60
    R61 R62 R63 R64 R65 R66 R67 R68 R69 R70 R71 R72 R73 R74 R75 R76 R77 R78 R79 R80 R81 R82 R83 R84 R85 R86 R87 R88 R89
    R90 R91 R92 R93 R94 R95 R96 R97 R98 R99 R100 R101 R102 R103 R104 R105 R106 R107 R108 R109 R110 R111 R112 R113 R114
    R115 R116 R117 R118 R119 R120 R121 R122 R123 R124 R125 R126 R127
}

/// The kind of a source. The numbers serve [`SourcePlace::shapes`]; bit 7 marks a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum SourceKind {
    /// A scalar register or pair.
    Sgpr = 0b00_00,
    /// A constant.
    Imm = 0b10_00_10_01,
    /// 1 if VCC = 0.
    Vccz = 0b00_11_11,
    /// 1 if EXEC = 0.
    Execz = 0b01_11_11,
    /// The SCC bit.
    Scc = 0b10_11_11,
    /// A vector register or pair.
    Vgpr = 0b11_11_11,
}

/// The place of a source: its kind, and the operand code of a scalar register or the number of a vector register.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(align(2))]
pub struct SourcePlace {
    /// The scalar register. For a vector register: the low seven bits of its number.
    register: RegCode,
    /// The [`SourceKind`]. Bit 6 is bit 7 of the number of a vector register.
    rest: u8,
}

impl SourcePlace {
    /// The place of a source that has no register.
    #[inline(always)]
    pub const fn of_kind(kind: SourceKind) -> SourcePlace {
        SourcePlace::new(kind, 0)
    }

    #[inline(always)]
    pub(super) const fn new(kind: SourceKind, number: u8) -> SourcePlace {
        SourcePlace { register: RegCode::new(number), rest: kind as u8 | (number & 128) >> 1 }
    }

    /// The kind of the source.
    #[inline(always)]
    pub fn kind(self) -> SourceKind {
        use SourceKind::{Execz, Imm, Scc, Sgpr, Vccz, Vgpr};
        let kinds = [Sgpr, Imm, Vccz, Execz, Scc];
        kinds.into_iter().find(|&kind| self.is(kind)).unwrap_or(Vgpr)
    }

    /// Whether it is of this kind.
    #[inline(always)]
    pub const fn is(self, kind: SourceKind) -> bool {
        self.rest & 0xbf == kind as u8
    }

    /// Whether it is a constant.
    #[inline(always)]
    pub const fn is_imm(self) -> bool {
        (self.rest as i8) < 0
    }

    /// Whether it is a scalar register or a constant.
    #[inline(always)]
    pub const fn is_plain(self) -> bool {
        // All other kinds have these bits set.
        self.rest & 0b110 == 0
    }

    /// The scalar register, if it is one.
    #[inline(always)]
    pub const fn register(self) -> RegCode {
        self.register
    }

    /// Number of the vector register, if it is one.
    #[inline(always)]
    pub const fn vgpr(self) -> u8 {
        self.register as u8 | (self.rest & 64) << 1
    }

    /// The shape of two sources: 0 two scalar registers, 1 a constant and a register, 2 a register and a constant, 3
    /// anything else. There are no branches, because the processor could not predict them.
    #[inline(always)]
    pub const fn shapes(src: [SourcePlace; 2]) -> usize {
        (src[0].rest | src[1].rest >> 2) as usize & 3
    }
}

impl fmt::Debug for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.kind(), self.vgpr())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_keep_what_they_are_made_of() {
        use SourceKind::{Execz, Imm, Scc, Sgpr, Vccz, Vgpr};
        for number in 0..=255 {
            let (vector, scalar) = (SourcePlace::new(Vgpr, number), SourcePlace::new(Sgpr, number & 127));
            assert_eq!((vector.kind(), vector.vgpr()), (Vgpr, number));
            assert_eq!((scalar.kind(), scalar.register() as u8), (Sgpr, number & 127));
            assert_eq!(scalar.register(), RegCode::new(number));
        }
        for kind in [Imm, Vccz, Execz, Scc] {
            assert_eq!(SourcePlace::of_kind(kind).kind(), kind);
        }
        let plain = [Sgpr, Imm, Vccz, Execz, Scc, Vgpr].map(|kind| SourcePlace::new(kind, 200).is_plain());
        assert_eq!(plain, [true, true, false, false, false, false]);
    }

    #[test]
    fn shapes() {
        use SourceKind::{Execz, Imm, Scc, Sgpr, Vccz, Vgpr};
        let shapes = |kinds: [SourceKind; 2]| SourcePlace::shapes(kinds.map(SourcePlace::of_kind));
        assert_eq!([[Sgpr, Sgpr], [Imm, Sgpr], [Sgpr, Imm], [Imm, Imm]].map(shapes), [0, 1, 2, 3]);
        for other in [Vccz, Execz, Scc, Vgpr] {
            for kind in [Sgpr, Imm, other] {
                assert_eq!([[kind, other], [other, kind]].map(shapes), [3, 3]);
            }
        }
        assert_eq!(SourcePlace::shapes([200, 3].map(|number| SourcePlace::new(Vgpr, number))), 3);
    }
}
