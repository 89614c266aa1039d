//! Prepares operands that helpers do not accept: ABS and NEG of vectors, and broadcast scalars.

use std::mem::MaybeUninit;

use gcnsim_isa::{LANES, OperandType};

use super::Vector;

const ABS: u32 = 1 << 8;
const NEG: u32 = 1 << 9;

/// The `ty_and_flags` of [`prepare_vector`] and [`prepare_scalar`]: width in bits (7:0), ABS (8), NEG (9).
///
/// The modifiers act on the sign bit of the operand's width; bits 31:16 of 16-bit operands pass unchanged.
pub const fn prepare_flags(ty: OperandType, abs: bool, neg: bool) -> u32 {
    ty.bits() | if abs { ABS } else { 0 } | if neg { NEG } else { 0 }
}

/// Changes to a dword: ABS clears the bits that are not in `keep`, and NEG flips bits.
struct SignMask {
    keep: u32,
    flip: u32,
}

/// The masks for the low and for the high dword.
fn sign_masks(ty_and_flags: u32) -> [SignMask; 2] {
    let sign: u64 = match ty_and_flags & 0xff {
        16 => 1 << 15,
        64 => 1 << 63,
        _ => 1 << 31,
    };
    let keep = if ty_and_flags & ABS != 0 { !sign } else { !0 };
    let flip = if ty_and_flags & NEG != 0 { sign } else { 0 };
    [0, 32].map(|shift| SignMask { keep: (keep >> shift) as u32, flip: (flip >> shift) as u32 })
}

/// Copies a vector operand, and applies ABS, then NEG.
///
/// `ty_and_flags` is from [`prepare_flags`]. 64 dwords are read and written, for 64-bit types 128.
///
/// # Safety
///
/// `src` is a vector operand of the type (see [the module](super)); `dst` is as large, 64-byte aligned, writable,
/// and does not overlap `src`.
pub unsafe extern "C" fn prepare_vector(src: *const u32, dst: *mut u32, ty_and_flags: u32) {
    let [lo, hi] = sign_masks(ty_and_flags);
    let is_wide = ty_and_flags & 0xff == 64;
    // SAFETY: this is the caller's promise, for 64 dwords or 128.
    let src = unsafe { Vector::from_raw(src, if is_wide { OperandType::b64 } else { OperandType::b32 }) };
    // SAFETY: the caller promises this.
    write(unsafe { lanes_mut(dst) }, |lane| src.lo.0[lane] & lo.keep ^ lo.flip);
    if is_wide {
        // SAFETY: the caller's promise for 64-bit types.
        write(unsafe { lanes_mut(dst.add(LANES)) }, |lane| src.hi.0[lane] & hi.keep ^ hi.flip);
    }
}

/// Applies ABS, then NEG to a scalar, and broadcasts it to a vector operand.
///
/// `ty_and_flags` is from [`prepare_flags`]. 64 dwords are written, for 64-bit types 128.
///
/// # Safety
///
/// `dst` has room for a vector operand of the type (see [the module](super)), 64-byte aligned and writable.
pub unsafe extern "C" fn prepare_scalar(value: u64, dst: *mut u32, ty_and_flags: u32) {
    let [lo, hi] = sign_masks(ty_and_flags);
    // SAFETY: the caller promises this.
    write(unsafe { lanes_mut(dst) }, |_| value as u32 & lo.keep ^ lo.flip);
    if ty_and_flags & 0xff == 64 {
        // SAFETY: the caller's promise for 64-bit types.
        write(unsafe { lanes_mut(dst.add(LANES)) }, |_| (value >> 32) as u32 & hi.keep ^ hi.flip);
    }
}

/// # Safety
///
/// `dst` is 64 dwords, aligned and writable for `'a`, which nothing else refers to.
unsafe fn lanes_mut<'a>(dst: *mut u32) -> &'a mut [MaybeUninit<u32>; LANES] {
    // SAFETY: this is the caller's promise. The content need not be initialised.
    unsafe { &mut *dst.cast() }
}

fn write(dst: &mut [MaybeUninit<u32>; LANES], value: impl Fn(usize) -> u32) {
    for (lane, dst) in dst.iter_mut().enumerate() {
        dst.write(value(lane));
    }
}
