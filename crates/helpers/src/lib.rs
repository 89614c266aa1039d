//! Host functions that compiled code calls: vector instructions over all 64 lanes ([`valu`]) and [memory]
//! instructions, in up to three implementations ([`Level`]).
#![deny(unsafe_code)]
#![allow(unsafe_code)]

pub mod frame;
mod host;
pub mod memory;
#[cfg(target_arch = "x86_64")]
pub mod segment_frame;
pub mod valu;

use gcnsim_isa::{LANES, Vgpr};

/// Implementations of the helpers, slowest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// Plain Rust that the compiler vectorises for the target's baseline.
    Portable,
    /// x86-64 with AVX2 and the extensions that came with it: FMA, F16C, BMI1 and 2, LZCNT, POPCNT.
    Avx2,
    /// All of that, and AVX-512 F, BW, CD, DQ and VL.
    Avx512,
}

impl Level {
    /// All levels, on this machine or not.
    pub const ALL: [Level; 3] = [Level::Portable, Level::Avx2, Level::Avx512];

    /// Whether this machine can run helpers of the level.
    pub fn is_available(self) -> bool {
        match self {
            Level::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("fma")
                    && is_x86_feature_detected!("f16c")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("lzcnt")
                    && is_x86_feature_detected!("popcnt")
            }
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => {
                Level::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512cd")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Level::Avx2 | Level::Avx512 => false,
        }
    }

    /// The levels this machine can run, slowest first.
    pub fn available() -> impl Iterator<Item = Level> {
        Level::ALL.into_iter().filter(|level| level.is_available())
    }

    /// The fastest level of this machine.
    pub fn best() -> Level {
        Level::available().last().unwrap_or(Level::Portable)
    }

    /// The name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Portable => "portable",
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
        }
    }
}

const _: () = assert!(size_of::<Vgpr>() == LANES * 4 && align_of::<Vgpr>() == 64);
