//! Compares fast paths with lane functions, on random registers in all modes. Results and notes must agree bit by bit.
#![allow(unsafe_code)]

use gcnsim_helpers::Level;
use gcnsim_helpers::valu::float::FloatMode;
use gcnsim_helpers::valu::float::fast::{Lanes, Pairs, fast, fast64};
use gcnsim_helpers::valu::notes::TRANSCENDENTAL_APPROX;
use gcnsim_isa::Arch;
use gcnsim_random::Rng;

use super::DEFAULT;
use super::lane::lane;

/// Random inputs of fast paths.
trait Inputs {
    fn mode(&mut self) -> FloatMode;
    /// Returns a random number. Its kind is 0: near 1; 1: near the ends of the range, denormal, or zero; 2: any; 3: an
    /// integer; 4: binary16.
    fn f32(&mut self, kind: u32) -> u32;
    /// Returns lanes of one kind, or of all kinds (5).
    fn lanes(&mut self, kind: u32) -> Lanes;
}

impl Inputs for Rng {
    fn mode(&mut self) -> FloatMode {
        let mut mode = self.bits() & 0x3ff;
        if self.below(2) == 0 {
            // The rounding modes of both formats are made equal, as conversions require.
            mode = mode & !0xc | (mode & 3) << 2;
        }
        if self.below(3) == 0 {
            mode &= !0xf;
        }
        mode |= if self.below(8) == 0 { 1 << 23 } else { 0 };
        FloatMode::new(mode, self.pick(&Arch::ALL))
    }

    fn f32(&mut self, kind: u32) -> u32 {
        let r = self.bits();
        let sign = r & 0x8000_0000;
        let fraction = (self.bits() & 0x7f_ffff) & !0u32.checked_shl(self.below(40)).unwrap_or(0) | self.bits() & 3;
        match kind {
            0 => sign | (0x3f80_0000 + (r & 0x0fff_ffff) - 0x0800_0000),
            1 => {
                sign | [0, 0x0080_0000, 0x0100_0000, 0x3f80_0000, 0x7f00_0000, 0x0c00_0000, 0x3300_0000][r as usize % 7]
                    | fraction
            }
            2 => r,
            3 => self.pick(&[r, r >> 24, sign | r >> 8 & 0x1ff, (r as i32 >> 20) as u32]),
            _ => r & 0xffff | if self.below(2) == 0 { 0 } else { r & 0xffff_0000 },
        }
    }

    fn lanes(&mut self, kind: u32) -> Lanes {
        std::array::from_fn(|_| {
            let kind = if kind == 5 { self.below(5) } else { kind };
            let x = self.f32(kind);
            // NaNs are left to other tests: with one in any lane a fast path mostly declines.
            let x = if kind == 4 && x & 0x7fff > 0x7c00 { x & !0x4000 } else { x };
            if x & 0x7fff_ffff > 0x7f80_0000 && kind != 3 { x & 0xbfff_ffff } else { x }
        })
    }
}

const FAST: &[&str] = &[
    "v_add_f32",
    "v_sub_f32",
    "v_subrev_f32",
    "v_mul_f32",
    "v_mul_legacy_f32",
    "v_mac_f32",
    "v_mad_f32",
    "v_madmk_f32",
    "v_madak_f32",
    "v_mac_legacy_f32",
    "v_mad_legacy_f32",
    "v_fma_f32",
    "v_fmac_f32",
    "v_min_f32",
    "v_max_f32",
    "v_min3_f32",
    "v_max3_f32",
    "v_med3_f32",
    "v_trunc_f32",
    "v_ceil_f32",
    "v_floor_f32",
    "v_rndne_f32",
    "v_fract_f32",
    "v_cvt_i32_f32",
    "v_cvt_u32_f32",
    "v_cvt_flr_i32_f32",
    "v_cvt_rpi_i32_f32",
    "v_cvt_f32_i32",
    "v_cvt_f32_u32",
    "v_cvt_f32_ubyte0",
    "v_cvt_f32_ubyte1",
    "v_cvt_f32_ubyte2",
    "v_cvt_f32_ubyte3",
    "v_cvt_off_f32_i4",
    "v_cvt_f32_f16",
    "v_cvt_f16_f32",
    "v_cvt_pkrtz_f16_f32",
    "v_ldexp_f32",
    "v_rcp_f32",
    "v_rcp_iflag_f32",
    "v_sqrt_f32",
    "v_rsq_f32",
];

const FAST64: &[&str] = &["v_add_f64", "v_mul_f64", "v_fma_f64", "v_min_f64", "v_max_f64"];

/// Returns the number of rounds of which a fast path must handle at least one. The portable paths know one rounding and
/// few denormal modes.
fn share(level: Level) -> u64 {
    if level == Level::Portable { 60 } else { 20 }
}

/// Returns the number of registers per mnemonic and level. The environment can raise it for long runs.
fn rounds() -> u64 {
    std::env::var("VALU_FLOAT_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(150)
}

#[test]
fn fast_paths_agree() {
    for level in Level::available() {
        for name in FAST {
            let Some(path) = fast(level, name) else {
                assert_eq!(level, Level::Portable, "{name} has no fast path");
                continue;
            };
            let mut random = Rng::new(name.len() as u64);
            let mut accepted = 0;
            for round in 0..rounds() {
                let m = random.mode();
                // In half of the rounds all sources have the same kind.
                let shared = random.below(12);
                let [a, b, c] = [(); 3].map(|()| {
                    let kind = if shared < 6 { shared } else { random.below(6) };
                    random.lanes(kind)
                });
                // Roots need positive sources.
                let a = if random.below(3) == 0 { a.map(|x| x & 0x7fff_ffff) } else { a };
                let mut d = [0xdead_beef; 64];
                // SAFETY: the path was found on this machine.
                let handled = unsafe { (path.run)(&m, &a, &b, &c, &mut d) };
                accepted += u64::from(handled);
                for i in 0..64 {
                    if !handled {
                        assert_eq!(d[i], 0xdead_beef, "{name} wrote although it declined");
                        continue;
                    }
                    let sources = [a[i], b[i], c[i]].map(u64::from);
                    let mut notes = 0;
                    let (want, _) = lane(name, &m, &sources, &mut notes).unwrap();
                    let context = || format!("{name} {level:?} round {round} {m:?} {sources:x?}");
                    assert_eq!(u64::from(d[i]), want, "{}: {:x} for {want:x}", context(), d[i]);
                    assert_eq!(path.notes, notes, "notes, {}", context());
                }
            }
            assert!(accepted >= rounds() / share(level), "{name} {level:?}: only {accepted} of {} rounds", rounds());
        }
    }
}

#[test]
fn fast_paths_of_binary64_agree() {
    for level in Level::available() {
        for name in FAST64 {
            let Some(path) = fast64(level, name) else {
                assert_eq!(level, Level::Portable, "{name} has no fast path");
                continue;
            };
            let mut random = Rng::new(name.len() as u64);
            let mut accepted = 0;
            for round in 0..rounds() {
                let m = random.mode();
                let ends = random.below(2) == 0;
                let mut pairs = || -> Pairs {
                    let numbers: [u64; 64] = std::array::from_fn(|_| {
                        let exponent = match random.below(if ends { 4 } else { 1 }) {
                            0 => 1010 + random.below(26),
                            1 => random.below(3),
                            2 => 2044 + random.below(3),
                            _ => 480 + random.below(60),
                        };
                        let fraction = random.bits64() & !0u64.checked_shl(random.below(60)).unwrap_or(0);
                        random.bits64() & 1 << 63 | u64::from(exponent) << 52 | fraction & ((1 << 52) - 1)
                    });
                    [numbers.map(|x| x as u32), numbers.map(|x| (x >> 32) as u32)]
                };
                let sources = [pairs(), pairs(), pairs()];
                let mut d = [[0xdead_beef; 64]; 2];
                // SAFETY: the path was found on this machine.
                let handled = unsafe { (path.run)(&m, &sources[0], &sources[1], &sources[2], &mut d) };
                accepted += u64::from(handled);
                for i in 0..64 {
                    let join = |x: &Pairs| u64::from(x[0][i]) | u64::from(x[1][i]) << 32;
                    let mut notes = 0;
                    let lanes = sources.each_ref().map(join);
                    let want =
                        if handled { lane(name, &m, &lanes, &mut notes).unwrap().0 } else { 0xdead_beef_dead_beef };
                    let got = join(&d);
                    assert_eq!(got, want, "{name} {level:?} round {round} {m:?} {lanes:x?}: {got:x} for {want:x}");
                    assert_eq!(path.notes, notes);
                }
            }
            assert!(accepted >= rounds() / share(level), "{name} {level:?}: only {accepted} of {} rounds", rounds());
        }
    }
}

/// A NaN in any lane makes arithmetic decline. Approximate instructions state the note that they stand for.
#[test]
fn fast_paths_decline_nan() {
    let m = FloatMode::new(DEFAULT, Arch::Gcn14);
    for level in Level::available() {
        for name in ["v_add_f32", "v_mad_f32", "v_min_f32", "v_rcp_f32", "v_cvt_f32_f16"] {
            let path = fast(level, name).unwrap();
            for i in [0, 17, 63] {
                let mut a = [0x3c00; 64];
                a[i] = 0x7fc0_7e00;
                let mut d = [1; 64];
                // SAFETY: the path was found on this machine.
                let handled = unsafe { (path.run)(&m, &a, &[0; 64], &[0; 64], &mut d) };
                assert!(!handled, "{name} {level:?} lane {i}");
                assert_eq!(d, [1; 64]);
            }
            assert_eq!(path.notes, if name == "v_rcp_f32" { TRANSCENDENTAL_APPROX } else { 0 });
        }
    }
}
