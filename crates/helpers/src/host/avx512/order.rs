//! Dwords of elements to registers and back: sixteen at a time, by permutations.

use std::arch::x86_64::*;

use super::super::cast;

/// A number for each of 16 lanes.
#[repr(align(64))]
#[derive(Clone, Copy)]
pub(super) struct Indices([u32; 16]);

/// The number of each lane.
const IOTA: Indices = Indices([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);

impl Indices {
    /// A register with the indices.
    #[inline(always)]
    pub fn load(&self) -> __m512i {
        cast(self.0)
    }
}

/// Size of the largest element in bytes.
const MAX_STEP: usize = 16;

/// Multiples of each lane's number, for all lanes, by step.
pub(super) static STEPS: [[Indices; 4]; MAX_STEP + 1] = {
    let mut steps = [[IOTA; 4]; MAX_STEP + 1];
    let mut step = 0;
    while step <= MAX_STEP {
        let mut lane = 0;
        while lane < 64 {
            steps[step][lane / 16].0[lane % 16] = (step * lane) as u32;
            lane += 1;
        }
        step += 1;
    }
    steps
};

/// The tables that turn 16 elements of `N` dwords into `N` registers, and back.
pub(super) struct Order<const N: usize>;

impl<const N: usize> Order<N> {
    /// The tables that split elements: register k gets dword k of each element.
    pub const SPLIT: [[Indices; N]; N] = {
        let mut tables = [[IOTA; N]; N];
        let mut k = 0;
        while k < N {
            let mut places = [0; 16];
            let mut lane = 0;
            while lane < 16 {
                places[lane] = N * lane + k;
                lane += 1;
            }
            tables[k] = steps(places);
            k += 1;
        }
        tables
    };

    /// The tables that join registers: table i makes the i-th 16 dwords of the elements.
    pub const JOIN: [[Indices; N]; N] = {
        let mut tables = [[IOTA; N]; N];
        let mut i = 0;
        while i < N {
            let mut places = [0; 16];
            let mut at = 0;
            while at < 16 {
                let dword = 16 * i + at;
                places[at] = dword % N * 16 + dword / N;
                at += 1;
            }
            tables[i] = steps(places);
            i += 1;
        }
        tables
    };
}

/// Indices for the steps of [`select`]. A place is the number of a dword among all sources.
const fn steps<const N: usize>(places: [usize; 16]) -> [Indices; N] {
    let mut steps = [IOTA; N];
    let mut step = 1;
    while step < N {
        let mut lane = 0;
        while lane < 16 {
            let (source, at) = (places[lane] / 16, (places[lane] % 16) as u32);
            if source == step {
                steps[step].0[lane] = 16 + at;
            } else if step == 1 && source == 0 {
                steps[step].0[lane] = at;
            }
            lane += 1;
        }
        step += 1;
    }
    steps
}

/// Sixteen dwords picked from `N` sources. Each step after the first replaces the dwords of one more source.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn select<const N: usize>(sources: &[__m512i; N], steps: &[Indices; N]) -> __m512i {
    let mut value = sources[0];
    for step in 1..N {
        value = _mm512_permutex2var_epi32(value, steps[step].load(), sources[step]);
    }
    value
}

/// A mask with a bit for each dword of elements of `N` dwords.
#[inline]
#[target_feature(enable = "bmi2")]
pub(super) fn spread<const N: usize>(lanes: u16) -> u64 {
    let first = [0xffff, 0x5555_5555, 0x2492_4924_9249, 0x1111_1111_1111_1111][N - 1];
    _pdep_u64(lanes.into(), first) * ((1 << N) - 1)
}
