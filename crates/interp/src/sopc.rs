//! SOPC: scalar compares. (Two other instructions of the encoding set modes: `gpr_idx.rs`.)

use super::op::{Exec, Shape, step_of_rows, steps};

gcnsim_isa::for_each_sopc!(step_of_rows);

/// The steps of all rows.
mod rows {
    pub use super::steps::*;
    pub use crate::gpr_idx::steps::{s_set_gpr_idx_on, s_setvskip};
}

/// Makes `step_and_branch` from the rows.
macro_rules! step_and_branch_of_rows {
    ($Enum:ident $ENC:ident $($name:ident = $Variant:ident $row:tt)*) => {
        /// The function of a compare together with the next instruction, a branch that is taken if SCC is `TAKEN_IF`.
        pub(super) fn step_and_branch<A: Shape, B: Shape, const TAKEN_IF: bool>(op: gcnsim_isa::$Enum) -> Option<Exec> {
            match op {
                $(gcnsim_isa::$Enum::$Variant => rows_and_branch::$name::<A, B, TAKEN_IF>(),)*
            }
        }
    };
}
gcnsim_isa::for_each_sopc!(step_and_branch_of_rows);

/// The functions of rows together with a branch.
mod rows_and_branch {
    pub use super::and_branch::*;
    pub use alone as s_setvskip;
    pub use alone as s_set_gpr_idx_on;

    /// The function of the compare with a branch: there is none.
    pub fn alone<A: super::Shape, B: super::Shape, const TAKEN_IF: bool>() -> Option<super::Exec> {
        None
    }
}

/// Defines compares as [`steps!`] does, and in the module `and_branch` their functions together with a branch.
macro_rules! compares {
    ($(fn $name:ident($($arg:ident: $T:ty),*) -> bool $body:block)*) => {
        steps! { $(fn $name($($arg: $T),*) -> bool $body)* }

        /// The functions of compares together with a branch.
        mod and_branch {
            use crate::op::{Exec, Shape, exec};

            $(pub fn $name<A: Shape, B: Shape, const TAKEN_IF: bool>() -> Option<Exec> {
                Some(exec!(super::$name($($arg),*) => if TAKEN_IF))
            })*
        }
    };
}

compares! {
    fn s_cmp_eq_i32(s0: i32, s1: i32) -> bool { s0 == s1 }
    fn s_cmp_lg_i32(s0: i32, s1: i32) -> bool { s0 != s1 }
    fn s_cmp_gt_i32(s0: i32, s1: i32) -> bool { s0 > s1 }
    fn s_cmp_ge_i32(s0: i32, s1: i32) -> bool { s0 >= s1 }
    fn s_cmp_lt_i32(s0: i32, s1: i32) -> bool { s0 < s1 }
    fn s_cmp_le_i32(s0: i32, s1: i32) -> bool { s0 <= s1 }
    fn s_cmp_eq_u32(s0: u32, s1: u32) -> bool { s0 == s1 }
    fn s_cmp_lg_u32(s0: u32, s1: u32) -> bool { s0 != s1 }
    fn s_cmp_gt_u32(s0: u32, s1: u32) -> bool { s0 > s1 }
    fn s_cmp_ge_u32(s0: u32, s1: u32) -> bool { s0 >= s1 }
    fn s_cmp_lt_u32(s0: u32, s1: u32) -> bool { s0 < s1 }
    fn s_cmp_le_u32(s0: u32, s1: u32) -> bool { s0 <= s1 }
    fn s_bitcmp0_b32(s0: u32, s1: u32) -> bool { s0 >> (s1 & 31) & 1 == 0 }
    fn s_bitcmp1_b32(s0: u32, s1: u32) -> bool { s0 >> (s1 & 31) & 1 == 1 }
    fn s_bitcmp0_b64(s0: u64, s1: u32) -> bool { s0 >> (s1 & 63) & 1 == 0 }
    fn s_bitcmp1_b64(s0: u64, s1: u32) -> bool { s0 >> (s1 & 63) & 1 == 1 }
    fn s_cmp_eq_u64(s0: u64, s1: u64) -> bool { s0 == s1 }
    fn s_cmp_lg_u64(s0: u64, s1: u64) -> bool { s0 != s1 }
}
