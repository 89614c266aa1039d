//! The SDWA steps around a helper: it takes parts of sources before it, and writes a part of the destination after it.

use gcnsim_isa::{LANES, Vgpr};

/// Selectors of SDWA: 0 to 3 are bytes, 4 and 5 words, 6 the dword.
const WORD_0: u32 = 4;
const DWORD: u32 = 6;

/// SEXT in the `select` of [`prepare_sdwa`], above the three bits of SRC_SEL.
pub const SEXT: u32 = 1 << 3;

/// Width and first bit of the part that a selector names.
#[inline]
fn part(select: u32) -> (u32, u32) {
    match select & 7 {
        n @ 0..WORD_0 => (8, 8 * n),
        n @ WORD_0..DWORD => (16, 16 * (n - WORD_0)),
        _ => (32, 0),
    }
}

/// The lanes of a source of a [`ValuHelper`](super::ValuHelper). A scalar becomes 64 equal lanes.
///
/// # Safety
///
/// As for a source of one dword of `ValuHelper`.
#[inline(always)]
pub(super) unsafe fn lanes_of(tagged: *const u32) -> Vgpr {
    if tagged.addr() & 1 == 1 {
        // SAFETY: by the caller's promise, there is a dword below the tag.
        Vgpr([unsafe { *tagged.wrapping_byte_sub(1) }; LANES])
    } else {
        // SAFETY: by the caller's promise, these are 64 dwords, 64-byte aligned.
        Vgpr(unsafe { (*tagged.cast::<Vgpr>()).0 })
    }
}

/// Writes the part of a source that SRC_SEL names, extended to 32 bits, for all lanes.
///
/// `select` is SRC_SEL, and [`SEXT`] for sign extension.
///
/// # Safety
///
/// `src` is a source of one dword as for [`ValuHelper`](super::ValuHelper); `dst` is 64 dwords, 64-byte aligned and
/// writable.
pub unsafe extern "C" fn prepare_sdwa(src: *const u32, dst: *mut u32, select: u32) {
    let (width, first) = part(select);
    let (left, right) = (32 - width - first, 32 - width);
    // SAFETY: the caller promises this.
    let mut lanes = unsafe { lanes_of(src) };
    if select & SEXT != 0 {
        lanes.0.iter_mut().for_each(|x| *x = ((*x << left) as i32 >> right) as u32);
    } else {
        lanes.0.iter_mut().for_each(|x| *x = *x << left >> right);
    }
    // SAFETY: the caller promises this.
    unsafe { dst.cast::<Vgpr>().write(lanes) };
}

/// Writes results to the part of a destination that DST_SEL names, in the lanes of `exec`.
///
/// `how` is DST_SEL, and from bit 3 on DST_UNUSED, which says what happens to the other bits.
///
/// # Safety
///
/// `d` and `results` are 64 dwords each, 64-byte aligned; `d` is writable and does not overlap `results`.
pub unsafe extern "C" fn finish_sdwa(d: *mut u32, results: *const u32, exec: u64, how: u32) {
    // SAFETY: the caller promises this.
    let (d, results) = unsafe { (&mut *d.cast::<Vgpr>(), &*results.cast::<Vgpr>()) };
    let (width, first) = part(how);
    let field = (u32::MAX >> (32 - width)) << first;
    let above = (u64::MAX << (first + width)) as u32;
    let top = 1 << (first + width - 1);
    let (extend, kept) = match how >> 3 & 3 {
        0 => (0, 0),
        1 => (above, 0),
        _ => (0, !field),
    };
    for (lane, (d, &result)) in d.0.iter_mut().zip(&results.0).enumerate() {
        let moved = result << first & field;
        let extended = if moved & top != 0 { extend } else { 0 };
        let new = moved | extended | *d & kept;
        *d = if exec >> lane & 1 == 1 { new } else { *d };
    }
}
