//! Scalar registers by operand code, and where sources are.

use gcnsim_isa::{SourceKind, SourcePlace, WaveState};

macro_rules! codes {
    ($($name:ident)*) => {
        /// Operand code of a scalar register, 0..=127. An enum, so that the compiler knows the range wherever one is
        /// loaded: an index needs no test then, and every instruction has two or three.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub(super) enum RegCode { $($name),* }

        impl RegCode {
            /// The register with a code below 128. (Compiles to nothing but the mask.)
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

impl RegCode {
    /// The upper half of the pair that starts here; pairs start at 126 at most.
    #[inline(always)]
    const fn upper(self) -> usize {
        (self as usize + 1) & 127
    }
}

/// A [`SourcePlace`] whose scalar register is known to be one.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub register: RegCode,
    rest: u8,
}

impl Place {
    #[inline(always)]
    pub const fn new(place: SourcePlace) -> Place {
        let [register, rest] = place.to_bytes();
        Place { register: RegCode::new(register), rest }
    }

    /// The same.
    #[inline(always)]
    pub fn get(self) -> SourcePlace {
        SourcePlace::from_bytes([self.register as u8, self.rest])
    }

    pub fn kind(self) -> SourceKind {
        self.get().kind()
    }

    pub fn is(self, kind: SourceKind) -> bool {
        self.get().is(kind)
    }

    /// Number of the VGPR.
    pub fn vgpr(self) -> u8 {
        self.get().number()
    }
}

/// A scalar register.
#[inline(always)]
pub(super) fn register(state: &WaveState, code: RegCode) -> u32 {
    state.sgpr[code as usize]
}

/// A pair of scalar registers, low half at `code`.
#[inline(always)]
pub(super) fn register_pair(state: &WaveState, code: RegCode) -> u64 {
    state.sgpr[code as usize] as u64 | (state.sgpr[code.upper()] as u64) << 32
}

#[inline(always)]
pub(super) fn set_register(state: &mut WaveState, code: RegCode, value: u32) {
    state.sgpr[code as usize] = value;
}

#[inline(always)]
pub(super) fn set_register_pair(state: &mut WaveState, code: RegCode, value: u64) {
    state.sgpr[code as usize] = value as u32;
    state.sgpr[code.upper()] = (value >> 32) as u32;
}
