//! Operands that no kernel takes as they are: ABS and NEG of vectors, broadcast scalars.

use gcnsim_isa::{LANES, OperandType, Vgpr};

use super::Vector;

const ABS: u32 = 1 << 8;
const NEG: u32 = 1 << 9;

/// The `ty_and_flags` of [`prepare_vector`] and [`prepare_scalar`]: width in bits (7:0), ABS (8), NEG (9).
///
/// The modifiers act on the sign bit of the operand's width; bits 31:16 of 16-bit operands pass unchanged.
pub const fn prepare_flags(ty: OperandType, abs: bool, neg: bool) -> u32 {
    ty.bits() | if abs { ABS } else { 0 } | if neg { NEG } else { 0 }
}

/// The bits to keep and to flip in the low and in the high dword.
fn sign_masks(flags: u32) -> [(u32, u32); 2] {
    let sign: u64 = match flags & 0xff {
        16 => 1 << 15,
        64 => 1 << 63,
        _ => 1 << 31,
    };
    let keep = if flags & ABS != 0 { !sign } else { !0 };
    let flip = if flags & NEG != 0 { sign } else { 0 };
    [(keep as u32, flip as u32), ((keep >> 32) as u32, (flip >> 32) as u32)]
}

/// Copies a vector operand with ABS, then NEG applied.
///
/// `ty_and_flags` is from [`prepare_flags`]. 64 dwords are read and written, for 64-bit types 128.
///
/// # Safety
///
/// `src` is a vector operand of the type (see [the module](super)); `dst` is as large, 64-byte aligned, writable,
/// and does not overlap `src`.
pub unsafe extern "C" fn prepare_vector(src: *const u32, dst: *mut u32, ty_and_flags: u32) {
    let masks = sign_masks(ty_and_flags);
    if ty_and_flags & 0xff == 64 {
        // SAFETY: the caller's promise, for 128 dwords.
        let (src, [lo, hi]) = unsafe { (Vector::from_raw(src, OperandType::b64), &mut *dst.cast::<[Vgpr; 2]>()) };
        modify(src.lo, lo, masks[0]);
        modify(src.hi, hi, masks[1]);
    } else {
        // SAFETY: the caller's promise, for 64 dwords.
        let (src, dst) = unsafe { (Vector::from_raw(src, OperandType::b32), &mut *dst.cast::<Vgpr>()) };
        modify(src.lo, dst, masks[0]);
    }
}

fn modify(src: &Vgpr, dst: &mut Vgpr, (keep, flip): (u32, u32)) {
    for lane in 0..LANES {
        dst.0[lane] = src.0[lane] & keep ^ flip;
    }
}

/// Broadcasts a scalar with ABS, then NEG applied to a vector operand.
///
/// `ty_and_flags` is from [`prepare_flags`]. 64 dwords are written, for 64-bit types 128.
///
/// # Safety
///
/// `dst` has room for a vector operand of the type (see [the module](super)), 64-byte aligned and writable.
pub unsafe extern "C" fn prepare_scalar(value: u64, dst: *mut u32, ty_and_flags: u32) {
    let masks = sign_masks(ty_and_flags);
    let splat = |dword: u32, (keep, flip): (u32, u32)| Vgpr([dword & keep ^ flip; LANES]);
    let lo = splat(value as u32, masks[0]);
    if ty_and_flags & 0xff == 64 {
        // SAFETY: the caller's promise, for 128 dwords.
        unsafe { dst.cast::<[Vgpr; 2]>().write([lo, splat((value >> 32) as u32, masks[1])]) }
    } else {
        // SAFETY: the caller's promise, for 64 dwords.
        unsafe { dst.cast::<Vgpr>().write(lo) }
    }
}
