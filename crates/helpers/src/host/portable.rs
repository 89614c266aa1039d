//! [`Host`] for any processor: plain code, compiled for the target's baseline.

use std::mem::MaybeUninit;

use gcnsim_isa::{LANES, Vgpr};

use super::env::{INF, MIN_NORMAL, SIGN, any};
use super::lanes::{each_lane, lanes, lanes_of};
use super::moves::copy;
use super::{
    Bools, Chunk, Doubles, Env, Host, Lanes, Rounding, collect, copy_element, element, read, read_part, write,
    write_part,
};

/// The level of the target's baseline.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

impl Host for Portable {
    const IS_WIDE: bool = false;

    #[inline(always)]
    unsafe fn write(self, dst: *mut u32, new: &Chunk, lanes: u16) {
        // SAFETY: the caller promises this.
        let dst = unsafe { &mut *dst.cast::<Chunk>() };
        for (lane, (dst, &new)) in dst.iter_mut().zip(new).enumerate() {
            *dst = if lanes >> lane & 1 == 1 { new } else { *dst };
        }
    }

    #[inline(always)]
    fn bits(self, bools: &Chunk) -> u16 {
        bools.iter().enumerate().fold(0, |bits, (lane, &bool)| bits | (bool << lane) as u16)
    }

    #[inline(always)]
    fn words<const HIGH: bool>(self, dwords: &Lanes) -> [u16; LANES] {
        dwords.map(|x| (if HIGH { x >> 16 } else { x }) as u16)
    }

    #[inline(always)]
    fn qwords(self, [lo, hi]: [&Lanes; 2]) -> Doubles {
        std::array::from_fn(|lane| lo[lane] as u64 | (hi[lane] as u64) << 32)
    }

    #[inline(always)]
    fn masks<B: Bools, const N: usize>(self, test: impl Fn(usize) -> [bool; N]) -> [u64; N] {
        collect::<u8, N>(test).map(|bytes| {
            let chunks = bytes.as_chunks::<8>().0.iter().enumerate();
            // Byte k of the chunk moves to bit 56 + k of the product. No two terms share a bit.
            chunks.fold(0, |mask, (i, chunk)| {
                let ones = u64::from_le_bytes(*chunk) & 0x0101_0101_0101_0101;
                mask | (ones.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * i)
            })
        })
    }

    #[inline(always)]
    fn add(self, env: Env, a: &Lanes, b: &Lanes) -> Option<Lanes> {
        binary(env, a, b, |a, b| a + b)
    }

    #[inline(always)]
    fn sub(self, env: Env, a: &Lanes, b: &Lanes) -> Option<Lanes> {
        binary(env, a, b, |a, b| a - b)
    }

    #[inline(always)]
    fn mul(self, env: Env, a: &Lanes, b: &Lanes) -> Option<Lanes> {
        binary(env, a, b, |a, b| a * b)
    }

    #[inline(always)]
    fn mad(self, env: Env, a: &Lanes, b: &Lanes, c: &Lanes) -> Option<Lanes> {
        self.add(env, &self.mul(env, a, b)?, c)
    }

    #[inline(always)]
    fn add64(self, env: Env, a: &Doubles, b: &Doubles) -> Option<Doubles> {
        binary64(env, a, b, |a, b| a + b)
    }

    #[inline(always)]
    fn mul64(self, env: Env, a: &Doubles, b: &Doubles) -> Option<Doubles> {
        binary64(env, a, b, |a, b| a * b)
    }

    #[inline(always)]
    unsafe fn gather<const N: usize>(self, to: &mut [Vgpr; N], from: *const u8, at: &Lanes, mask: u64, _: u64) {
        // SAFETY: the caller's promise; there is room for an element of each lane.
        unsafe {
            let mut elements = MaybeUninit::<[[u32; N]; LANES]>::uninit();
            let elements = elements.as_mut_ptr().cast::<u8>();
            each_lane!(mask, lane, {
                copy_element::<N>(elements.wrapping_add(4 * N * lane), from.wrapping_add(at[lane] as usize));
            });
            self.load_elements::<N>(to, elements, mask);
        }
    }

    #[inline(always)]
    unsafe fn gather_parts<const BYTES: usize>(self, from: *const u8, at: &Lanes, mask: u64, _: u64) -> Lanes {
        let mut values = [0; LANES];
        // SAFETY: the caller's promise.
        each_lane!(mask, lane, { values[lane] = unsafe { read_part::<BYTES>(from.wrapping_add(at[lane] as usize)) } });
        values
    }

    #[inline(always)]
    unsafe fn scatter<const N: usize>(self, to: *mut u8, at: &Lanes, from: [&Lanes; N], mask: u64, _: u64) {
        // SAFETY: the caller's promise.
        each_lane!(mask, lane, { unsafe { write::<N>(to.wrapping_add(at[lane] as usize), element(from, lane)) } });
    }

    #[inline(always)]
    unsafe fn holds<const N: usize>(self, from: *const u8, at: &Lanes, values: [&Lanes; N], mask: u64, _: u64) -> bool {
        let mut different = 0;
        each_lane!(mask, lane, {
            // SAFETY: the caller's promise.
            let found = unsafe { read::<N>(from.wrapping_add(at[lane] as usize)) };
            let wanted = element(values, lane);
            for k in 0..N {
                different |= found[k] ^ wanted[k];
            }
        });
        different == 0
    }

    #[inline(always)]
    unsafe fn load_elements<const N: usize>(self, to: &mut [Vgpr; N], from: *const u8, mask: u64) {
        // SAFETY: the caller's promise.
        unsafe {
            if let (true, [register]) = (mask == !0, &mut to[..]) {
                copy(register.0.as_mut_ptr().cast(), from, size_of_val(register));
            } else if mask == !0 {
                let mut elements = [[0; N]; LANES];
                copy(elements.as_mut_ptr().cast(), from, size_of_val(&elements));
                for (k, register) in to.iter_mut().enumerate() {
                    register.0 = lanes_of!(lane => elements[lane][k]);
                }
            } else {
                for lane in lanes(mask) {
                    let element = read::<N>(from.wrapping_add(4 * N * lane));
                    to.iter_mut().zip(element).for_each(|(register, value)| register.0[lane] = value);
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn store_elements<const N: usize>(self, to: *mut u8, from: [&Lanes; N], mask: u64) {
        // SAFETY: the caller's promise.
        unsafe {
            if let (true, [register]) = (mask == !0, &from[..]) {
                copy(to, register.as_ptr().cast(), size_of_val(*register));
            } else if mask == !0 {
                // A loop would be slower here.
                let elements: [[u32; N]; LANES] = std::array::from_fn(|lane| std::array::from_fn(|k| from[k][lane]));
                copy(to, elements.as_ptr().cast(), size_of_val(&elements));
            } else {
                for lane in lanes(mask) {
                    write(to.wrapping_add(4 * N * lane), element(from, lane));
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn load_parts<const BYTES: usize>(self, from: *const u8, mask: u64) -> Lanes {
        let mut values = [0; LANES];
        for lane in lanes(mask) {
            // SAFETY: the caller's promise.
            values[lane] = unsafe { read_part::<BYTES>(from.wrapping_add(BYTES * lane)) };
        }
        values
    }

    #[inline(always)]
    unsafe fn store_parts<const BYTES: usize>(self, to: *mut u8, from: &Lanes, mask: u64) {
        for lane in lanes(mask) {
            // SAFETY: the caller's promise.
            unsafe { write_part::<BYTES>(to.wrapping_add(BYTES * lane), from[lane]) };
        }
    }
}

fn is_denormal(x: u32) -> bool {
    x & INF == 0 && x & !SIGN != 0
}

/// Whether flushing makes no difference: denormals are kept, or no source is one and the result might not be flushed.
fn is_clear(env: Env, sources: [&Lanes; 2], result: &Lanes) -> bool {
    env.keep_in && env.keep_out
        || !sources.iter().any(|s| any(s, is_denormal)) && !any(result, |x| x & !SIGN != 0 && x & !SIGN <= MIN_NORMAL)
}

#[inline(always)]
fn binary(env: Env, a: &Lanes, b: &Lanes, f: impl Fn(f32, f32) -> f32) -> Option<Lanes> {
    if env.rounding != Rounding::Nearest {
        return None;
    }
    let out = lanes_of!(lane => f(f32::from_bits(a[lane]), f32::from_bits(b[lane])).to_bits());
    is_clear(env, [a, b], &out).then_some(out)
}

#[inline(always)]
fn binary64(env: Env, a: &Doubles, b: &Doubles, f: impl Fn(f64, f64) -> f64) -> Option<Doubles> {
    let is_plain = env.rounding == Rounding::Nearest && env.keep_in && env.keep_out;
    is_plain.then(|| lanes_of!(lane => f(f64::from_bits(a[lane]), f64::from_bits(b[lane])).to_bits()))
}
