//! SOPC rows: scalar compares. Columns: see [`crate::table`].

/// Calls a macro with the rows of SOPC.
#[macro_export]
macro_rules! for_each_sopc {
    ($callback:ident) => {
        $callback! { Sopc SOPC
    s_cmp_eq_i32 = SCmpEqI32 { op: [0 0 0 0 0], dst: none, src: [i32 i32], fx: [WSCC], kind: Scmp, flow: Next, "SCC = S0 == S1" }
    s_cmp_lg_i32 = SCmpLgI32 { op: [1 1 1 1 1], dst: none, src: [i32 i32], fx: [WSCC], kind: Scmp, flow: Next, "SCC = S0 != S1" }
    s_cmp_gt_i32 = SCmpGtI32 { op: [2 2 2 2 2], dst: none, src: [i32 i32], fx: [WSCC], kind: Scmp, flow: Next, "SCC = S0 > S1" }
    s_cmp_ge_i32 = SCmpGeI32 { op: [3 3 3 3 3], dst: none, src: [i32 i32], fx: [WSCC], kind: Scmp, flow: Next, "SCC = S0 >= S1" }
    s_cmp_lt_i32 = SCmpLtI32 { op: [4 4 4 4 4], dst: none, src: [i32 i32], fx: [WSCC], kind: Scmp, flow: Next, "SCC = S0 < S1" }
    s_cmp_le_i32 = SCmpLeI32 { op: [5 5 5 5 5], dst: none, src: [i32 i32], fx: [WSCC], kind: Scmp, flow: Next, "SCC = S0 <= S1" }
    s_cmp_eq_u32 = SCmpEqU32 { op: [6 6 6 6 6], dst: none, src: [u32 u32], fx: [WSCC], kind: Scmp, flow: Next, "SCC = S0 == S1" }
    s_cmp_lg_u32 = SCmpLgU32 { op: [7 7 7 7 7], dst: none, src: [u32 u32], fx: [WSCC], kind: Scmp, flow: Next, "SCC = S0 != S1" }
    s_cmp_gt_u32 = SCmpGtU32 { op: [8 8 8 8 8], dst: none, src: [u32 u32], fx: [WSCC], kind: Scmp, flow: Next, "SCC = S0 > S1" }
    s_cmp_ge_u32 = SCmpGeU32 { op: [9 9 9 9 9], dst: none, src: [u32 u32], fx: [WSCC], kind: Scmp, flow: Next, "SCC = S0 >= S1" }
    s_cmp_lt_u32 = SCmpLtU32 { op: [10 10 10 10 10], dst: none, src: [u32 u32], fx: [WSCC], kind: Scmp, flow: Next, "SCC = S0 < S1" }
    s_cmp_le_u32 = SCmpLeU32 { op: [11 11 11 11 11], dst: none, src: [u32 u32], fx: [WSCC], kind: Scmp, flow: Next, "SCC = S0 <= S1" }
    s_bitcmp0_b32 = SBitcmp0B32 { op: [12 12 12 12 12], dst: none, src: [b32 b32], fx: [WSCC], kind: Scmp, flow: Next, "SCC = bit S1[4:0] of S0 is 0" }
    s_bitcmp1_b32 = SBitcmp1B32 { op: [13 13 13 13 13], dst: none, src: [b32 b32], fx: [WSCC], kind: Scmp, flow: Next, "SCC = bit S1[4:0] of S0 is 1" }
    s_bitcmp0_b64 = SBitcmp0B64 { op: [14 14 14 14 14], dst: none, src: [b64 b32], fx: [WSCC], kind: Scmp, flow: Next, "SCC = bit S1[5:0] of S0 is 0" }
    s_bitcmp1_b64 = SBitcmp1B64 { op: [15 15 15 15 15], dst: none, src: [b64 b32], fx: [WSCC], kind: Scmp, flow: Next, "SCC = bit S1[5:0] of S0 is 1" }
    s_setvskip = SSetvskip { op: [16 16 16 16 16], dst: none, src: [b32 b32], fx: [RMODE WMODE], kind: System, flow: Next, "MODE.VSKIP = bit S1[4:0] of S0" }
    s_set_gpr_idx_on = SSetGprIdxOn { op: [- - 17 17 17], dst: none, src: [b32], fx: [RM0 WM0 RMODE WMODE], kind: System, flow: Next, "MODE.GPR_IDX_EN = 1; M0[7:0] = S0[7:0]; M0[15:12] = the immediate" }
    s_cmp_eq_u64 = SCmpEqU64 { op: [- - 18 18 18], dst: none, src: [u64 u64], fx: [WSCC], kind: Scmp, flow: Next, "SCC = S0 == S1" }
    s_cmp_lg_u64 = SCmpLgU64 { op: [- - 19 19 19], dst: none, src: [u64 u64], fx: [WSCC], kind: Scmp, flow: Next, "SCC = S0 != S1" }
        }
    };
}
