//! Random values that find mistakes: edges of ranges, few bits, shift counts, floats of every class.

use std::sync::OnceLock;

use gcnsim_isa::LANES;
use gcnsim_machine::VgprFile;

use gcnsim_random::Rng;

/// A float format by its widths: binary32, binary64 or binary16.
struct Format {
    exponent_bits: u32,
    mantissa_bits: u32,
}

const F16: Format = Format { exponent_bits: 5, mantissa_bits: 10 };
const F32: Format = Format { exponent_bits: 8, mantissa_bits: 23 };
const F64: Format = Format { exponent_bits: 11, mantissa_bits: 52 };

/// Returns 32 random bits. Edges of ranges are more likely than other values.
pub fn edge32(rng: &mut Rng) -> u32 {
    match rng.below(16) {
        0 => 0,
        1 => rng.pick(&[1, u32::MAX]),
        2 => rng.pick(&[i32::MIN as u32, i32::MAX as u32]),
        3 => 1u32 << rng.below(32),
        4 => (1u32 << rng.below(32)).wrapping_sub(rng.between(1, 2)),
        5 => rng.pick(&[31, 32, 33, 63, 64, 127, 128, 255, 256, 0x7fff, 0x8000, 0xffff, 0x1_0000]),
        6 => rng.below(64),
        7 => rng.below(20).wrapping_neg(),
        // The value is an offset and a width of S_BFE.
        8 => rng.below(70) | rng.pick(&[0, 1, 5, 31, 32, 33, 63, 64, 127]) << 16,
        9 => float(rng, &F32) as u32,
        10 => float(rng, &F16) as u32 | (float(rng, &F16) as u32) << 16,
        11 => (float(rng, &F64) >> 32) as u32,
        12 => !(1u32 << rng.below(32)),
        _ => rng.bits(),
    }
}

/// Returns a lane mask. Empty, full and single-lane masks are more likely than others.
pub fn mask64(rng: &mut Rng) -> u64 {
    match rng.below(10) {
        0 => 0,
        1 | 2 => u64::MAX,
        3 => 1u64 << rng.below(64),
        4 => u64::MAX >> rng.below(64),
        5 => u64::MAX << rng.below(64),
        6 => rng.pick(&[0x5555_5555_5555_5555, 0xffff_ffff, 0xffff_ffff_0000_0000, 0x8000_0000_0000_0001]),
        7 => rng.bits64() & rng.bits64() & rng.bits64(),
        _ => rng.bits64(),
    }
}

/// Returns a 16-bit immediate.
pub fn simm16(rng: &mut Rng) -> u16 {
    match rng.below(6) {
        0 => rng.pick(&[0, 1, u16::MAX, 0x7fff, 0x8000]),
        1 => rng.below(64) as u16,
        2 => rng.below(64).wrapping_neg() as u16,
        3 => 1u16 << rng.below(16),
        _ => rng.bits() as u16,
    }
}

/// Returns a float of a random class. Zeros, denormals, infinities and NaNs are as likely as other values.
fn float(rng: &mut Rng, format: &Format) -> u64 {
    let Format { exponent_bits, mantissa_bits } = *format;
    let top = (1u64 << exponent_bits) - 1;
    let fraction = rng.bits64() & ((1 << mantissa_bits) - 1);
    let quiet = 1u64 << (mantissa_bits - 1);
    let (exponent, mantissa) = match rng.below(12) {
        0 | 1 => (0, 0),
        2 => (top, 0),
        3 => (top, quiet | fraction),
        4 => (top, (fraction & (quiet - 1)).max(1)),
        5 => (0, fraction.max(1)),
        6 => (0, rng.pick(&[1, quiet, (quiet << 1) - 1])),
        7 => (rng.pick(&[1, top - 1]), rng.pick(&[0, (quiet << 1) - 1])),
        8 | 9 => (top / 2 + rng.below(3) as u64, rng.pick(&[0, quiet])),
        _ => (rng.bits64() & top, fraction),
    };
    (rng.below(2) as u64) << (exponent_bits + mantissa_bits) | exponent << mantissa_bits | mantissa
}

/// Number of different vector register files.
const FILES: usize = 32;

/// Returns one of a few vector register files with lanes of every kind. The files are made once, because filling 16,384
/// lanes takes longer than running a small program. Registers come in pairs that start at even numbers. A pair is a
/// binary64 number, or two values of one kind.
pub fn vgprs(rng: &mut Rng) -> VgprFile {
    static MADE: [OnceLock<VgprFile>; FILES] = [const { OnceLock::new() }; FILES];
    let number = rng.below(FILES as u32) as usize;
    MADE[number].get_or_init(|| file(&mut Rng::new(number as u64)).into_shared()).clone()
}

fn file(rng: &mut Rng) -> VgprFile {
    let mut file = VgprFile::zeroed();
    for n in (0..=254u8).step_by(2) {
        let kind = rng.below(8);
        // Most lanes of two registers are equal, so that compares have equal operands.
        if kind == 0 && n >= 2 {
            for (to, from) in [(n, n - 2), (n + 1, n - 1)] {
                *file.lanes_mut(to) = *file.lanes(from);
                for _ in 0..8 {
                    file.lanes_mut(to)[rng.below(LANES as u32) as usize] = edge32(rng);
                }
            }
            continue;
        }
        for lane in 0..LANES {
            let (low, high) = match kind {
                1 | 2 => (float(rng, &F32) as u32, float(rng, &F32) as u32),
                3 => {
                    let both = |rng: &mut Rng| float(rng, &F16) as u32 | (float(rng, &F16) as u32) << 16;
                    (both(rng), both(rng))
                }
                4 => (rng.below(4), rng.pick(&[0, 0, 0, u32::MAX])),
                5 => (edge32(rng), edge32(rng)),
                6 => (rng.bits() & 0x3ff, rng.bits()),
                _ => {
                    let double = float(rng, &F64);
                    (double as u32, (double >> 32) as u32)
                }
            };
            file.lanes_mut(n)[lane] = low;
            file.lanes_mut(n + 1)[lane] = high;
        }
    }
    file
}
