//! SOP2: two scalar sources. There is one function per instruction. Its arguments are the sources (and SCC where it is
//! read); its results are SDST (and SCC where it is written).

use gcnsim_isa::{Note, Notes};

use super::op::{Exec, Role, Shape, Step, exec, step_of_rows, steps};

gcnsim_isa::for_each_sop2!(step_of_rows);

/// The steps of all rows.
mod rows {
    use super::{Role, Shape, Step, steps};
    pub use crate::fork::steps::s_cbranch_g_fork;
    // S1 would restore INST_ATC. It has no effect here.
    pub use crate::jump::steps::s_setpc_b64 as s_rfe_restore_b64;
    pub use steps::*;

    pub fn s_add_u32<A: Shape, B: Shape>() -> Step {
        steps::s_add_u32::<A, B>().with(Role::Add)
    }

    pub fn s_sub_u32<A: Shape, B: Shape>() -> Step {
        steps::s_sub_u32::<A, B>().with(Role::Sub)
    }

    pub fn s_addc_u32<A: Shape, B: Shape>() -> Step {
        steps::s_addc_u32::<A, B>().with(Role::Addc)
    }

    pub fn s_subb_u32<A: Shape, B: Shape>() -> Step {
        steps::s_subb_u32::<A, B>().with(Role::Subb)
    }
}

/// The function of an instruction of a carry chain together with the next link, whose sources have the shapes `C` and
/// `D`.
///
/// It does not only save a jump. If the same function executed each link, the processor could predict that its load
/// depends on its last store, and wait for it. (Whether it does depends on the addresses of the functions.)
pub(super) fn step_and_link<A: Shape, B: Shape, C: Shape, D: Shape>(roles: [Role; 2]) -> Option<Exec> {
    Some(match roles {
        [Role::Add, Role::Addc] => exec!(s_add_u32(s0, s1), s_addc_u32(s0, s1, scc)),
        [Role::Addc, Role::Addc] => exec!(s_addc_u32(s0, s1, scc), s_addc_u32(s0, s1, scc)),
        [Role::Sub, Role::Subb] => exec!(s_sub_u32(s0, s1), s_subb_u32(s0, s1, scc)),
        [Role::Subb, Role::Subb] => exec!(s_subb_u32(s0, s1, scc), s_subb_u32(s0, s1, scc)),
        _ => return None,
    })
}

steps! {
    fn s_add_u32(s0: u32, s1: u32) -> (u32, bool) { s0.overflowing_add(s1) }
    fn s_sub_u32(s0: u32, s1: u32) -> (u32, bool) { (s0.wrapping_sub(s1), s0 < s1) }
    fn s_add_i32(s0: i32, s1: i32) -> (i32, bool) { s0.overflowing_add(s1) }
    fn s_sub_i32(s0: i32, s1: i32) -> (i32, bool) { s0.overflowing_sub(s1) }
    fn s_addc_u32(s0: u32, s1: u32, scc: bool) -> (u32, bool) { s0.carrying_add(s1, scc) }
    fn s_subb_u32(s0: u32, s1: u32, scc: bool) -> (u32, bool) { s0.borrowing_sub(s1, scc) }
    fn s_min_i32(s0: i32, s1: i32) -> (i32, bool) { if s0 < s1 { (s0, true) } else { (s1, false) } }
    fn s_min_u32(s0: u32, s1: u32) -> (u32, bool) { if s0 < s1 { (s0, true) } else { (s1, false) } }

    fn s_max_i32(s0: i32, s1: i32, notes: &mut Notes) -> (i32, bool) {
        if s0 == s1 {
            notes.insert(Note::SmaxEqualScc);
        }
        if s0 > s1 { (s0, true) } else { (s1, false) }
    }

    fn s_max_u32(s0: u32, s1: u32, notes: &mut Notes) -> (u32, bool) {
        if s0 == s1 {
            notes.insert(Note::SmaxEqualScc);
        }
        if s0 > s1 { (s0, true) } else { (s1, false) }
    }

    fn s_cselect_b32(s0: u32, s1: u32, scc: bool) -> u32 { if scc { s0 } else { s1 } }
    fn s_cselect_b64(s0: u64, s1: u64, scc: bool) -> u64 { if scc { s0 } else { s1 } }
    fn s_and_b32(s0: u32, s1: u32) -> (u32, bool) { non_zero_b32(s0 & s1) }
    fn s_and_b64(s0: u64, s1: u64) -> (u64, bool) { non_zero_b64(s0 & s1) }
    fn s_or_b32(s0: u32, s1: u32) -> (u32, bool) { non_zero_b32(s0 | s1) }
    fn s_or_b64(s0: u64, s1: u64) -> (u64, bool) { non_zero_b64(s0 | s1) }
    fn s_xor_b32(s0: u32, s1: u32) -> (u32, bool) { non_zero_b32(s0 ^ s1) }
    fn s_xor_b64(s0: u64, s1: u64) -> (u64, bool) { non_zero_b64(s0 ^ s1) }
    fn s_andn2_b32(s0: u32, s1: u32) -> (u32, bool) { non_zero_b32(s0 & !s1) }
    fn s_andn2_b64(s0: u64, s1: u64) -> (u64, bool) { non_zero_b64(s0 & !s1) }
    fn s_orn2_b32(s0: u32, s1: u32) -> (u32, bool) { non_zero_b32(s0 | !s1) }
    fn s_orn2_b64(s0: u64, s1: u64) -> (u64, bool) { non_zero_b64(s0 | !s1) }
    fn s_nand_b32(s0: u32, s1: u32) -> (u32, bool) { non_zero_b32(!(s0 & s1)) }
    fn s_nand_b64(s0: u64, s1: u64) -> (u64, bool) { non_zero_b64(!(s0 & s1)) }
    fn s_nor_b32(s0: u32, s1: u32) -> (u32, bool) { non_zero_b32(!(s0 | s1)) }
    fn s_nor_b64(s0: u64, s1: u64) -> (u64, bool) { non_zero_b64(!(s0 | s1)) }
    fn s_xnor_b32(s0: u32, s1: u32) -> (u32, bool) { non_zero_b32(!(s0 ^ s1)) }
    fn s_xnor_b64(s0: u64, s1: u64) -> (u64, bool) { non_zero_b64(!(s0 ^ s1)) }
    fn s_lshl_b32(s0: u32, s1: u32) -> (u32, bool) { non_zero_b32(s0 << (s1 & 31)) }
    fn s_lshl_b64(s0: u64, s1: u32) -> (u64, bool) { non_zero_b64(s0 << (s1 & 63)) }
    fn s_lshr_b32(s0: u32, s1: u32) -> (u32, bool) { non_zero_b32(s0 >> (s1 & 31)) }
    fn s_lshr_b64(s0: u64, s1: u32) -> (u64, bool) { non_zero_b64(s0 >> (s1 & 63)) }
    fn s_ashr_i32(s0: i32, s1: u32) -> (u32, bool) { non_zero_b32((s0 >> (s1 & 31)) as u32) }
    fn s_ashr_i64(s0: i64, s1: u32) -> (u64, bool) { non_zero_b64((s0 >> (s1 & 63)) as u64) }
    fn s_bfm_b32(s0: u32, s1: u32) -> u32 { ((1 << (s0 & 31)) - 1) << (s1 & 31) }
    fn s_bfm_b64(s0: u32, s1: u32) -> u64 { ((1 << (s0 & 63)) - 1) << (s1 & 63) }
    fn s_mul_i32(s0: i32, s1: i32) -> i32 { s0.wrapping_mul(s1) }

    /// f = (S0 >> S1\[4:0\]) & ((1 << n) - 1) with n = min(S1\[22:16\], 32 - S1\[4:0\]).
    fn s_bfe_u32(s0: u32, s1: u32, notes: &mut Notes) -> (u32, bool) {
        let (offset, width) = (s1 & 31, bfe_width(s1, 32, notes));
        non_zero_b32(if width == 0 { 0 } else { s0 << (32 - offset - width) >> (32 - width) })
    }

    fn s_bfe_i32(s0: i32, s1: u32, notes: &mut Notes) -> (u32, bool) {
        let (offset, width) = (s1 & 31, bfe_width(s1, 32, notes));
        non_zero_b32(if width == 0 { 0 } else { s0 << (32 - offset - width) >> (32 - width) } as u32)
    }

    fn s_bfe_u64(s0: u64, s1: u32, notes: &mut Notes) -> (u64, bool) {
        let (offset, width) = (s1 & 63, bfe_width(s1, 64, notes));
        non_zero_b64(if width == 0 { 0 } else { s0 << (64 - offset - width) >> (64 - width) })
    }

    fn s_bfe_i64(s0: i64, s1: u32, notes: &mut Notes) -> (u64, bool) {
        let (offset, width) = (s1 & 63, bfe_width(s1, 64, notes));
        non_zero_b64(if width == 0 { 0 } else { s0 << (64 - offset - width) >> (64 - width) } as u64)
    }

    fn s_absdiff_i32(s0: i32, s1: i32, notes: &mut Notes) -> (u32, bool) {
        let (difference, wrapped) = s0.overflowing_sub(s1);
        if wrapped {
            notes.insert(Note::AbsdiffWrap);
        }
        non_zero_b32(difference.unsigned_abs())
    }

    fn s_mul_hi_u32(s0: u32, s1: u32) -> u32 { ((s0 as u64 * s1 as u64) >> 32) as u32 }
    fn s_mul_hi_i32(s0: i32, s1: i32) -> i32 { ((s0 as i64 * s1 as i64) >> 32) as i32 }
    fn s_lshl1_add_u32(s0: u32, s1: u32) -> (u32, bool) { shift_add(s0, 1, s1) }
    fn s_lshl2_add_u32(s0: u32, s1: u32) -> (u32, bool) { shift_add(s0, 2, s1) }
    fn s_lshl3_add_u32(s0: u32, s1: u32) -> (u32, bool) { shift_add(s0, 3, s1) }
    fn s_lshl4_add_u32(s0: u32, s1: u32) -> (u32, bool) { shift_add(s0, 4, s1) }
    fn s_pack_ll_b32_b16(s0: u32, s1: u32) -> u32 { s0 & 0xffff | s1 << 16 }
    fn s_pack_lh_b32_b16(s0: u32, s1: u32) -> u32 { s0 & 0xffff | s1 & 0xffff_0000 }
    fn s_pack_hh_b32_b16(s0: u32, s1: u32) -> u32 { s0 >> 16 | s1 & 0xffff_0000 }
}

/// Number of bits of the field that lie within an operand of `bits` bits.
#[inline]
fn bfe_width(s1: u32, bits: u32, notes: &mut Notes) -> u32 {
    let (offset, width) = (s1 & (bits - 1), s1 >> 16 & 127);
    if width > bits {
        notes.insert(Note::BfeWide);
    }
    width.min(bits - offset)
}

/// Bits of the shifted value above 31 are kept: they count as carry.
fn shift_add(s0: u32, shift: u32, s1: u32) -> (u32, bool) {
    let sum = ((s0 as u64) << shift) + s1 as u64;
    (sum as u32, sum > u32::MAX as u64)
}

/// A result, with SCC = (the result is not 0).
pub(super) fn non_zero_b32(d: u32) -> (u32, bool) {
    (d, d != 0)
}

/// A result, with SCC = (the result is not 0).
pub(super) fn non_zero_b64(d: u64) -> (u64, bool) {
    (d, d != 0)
}
