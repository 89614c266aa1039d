//! SOP2 rows: two scalar sources. Columns: see [`crate::table`].

/// Calls a macro with the rows of SOP2.
#[macro_export]
macro_rules! for_each_sop2 {
    ($callback:ident) => {
        $callback! { Sop2 SOP2
    s_add_u32 = SAddU32 { op: [0 0 0 0 0], dst: b32, src: [u32 u32], fx: [WSCC], kind: Salu, flow: Next, "D = S0 + S1; SCC = unsigned carry out" }
    s_sub_u32 = SSubU32 { op: [1 1 1 1 1], dst: b32, src: [u32 u32], fx: [WSCC], kind: Salu, flow: Next, "D = S0 - S1; SCC = unsigned borrow" }
    s_add_i32 = SAddI32 { op: [2 2 2 2 2], dst: b32, src: [i32 i32], fx: [WSCC], kind: Salu, flow: Next, "D = S0 + S1; SCC = signed overflow" }
    s_sub_i32 = SSubI32 { op: [3 3 3 3 3], dst: b32, src: [i32 i32], fx: [WSCC], kind: Salu, flow: Next, "D = S0 - S1; SCC = signed overflow" }
    s_addc_u32 = SAddcU32 { op: [4 4 4 4 4], dst: b32, src: [u32 u32], fx: [RSCC WSCC], kind: Salu, flow: Next, "D = S0 + S1 + SCC; SCC = unsigned carry out" }
    s_subb_u32 = SSubbU32 { op: [5 5 5 5 5], dst: b32, src: [u32 u32], fx: [RSCC WSCC], kind: Salu, flow: Next, "D = S0 - S1 - SCC; SCC = unsigned borrow" }
    s_min_i32 = SMinI32 { op: [6 6 6 6 6], dst: b32, src: [i32 i32], fx: [WSCC], kind: Salu, flow: Next, "D = smaller of S0, S1; SCC = S0 < S1" }
    s_min_u32 = SMinU32 { op: [7 7 7 7 7], dst: b32, src: [u32 u32], fx: [WSCC], kind: Salu, flow: Next, "D = smaller of S0, S1; SCC = S0 < S1" }
    s_max_i32 = SMaxI32 { op: [8 8 8 8 8], dst: b32, src: [i32 i32], fx: [WSCC], kind: Salu, flow: Next, "D = larger of S0, S1; SCC = S0 > S1" }
    s_max_u32 = SMaxU32 { op: [9 9 9 9 9], dst: b32, src: [u32 u32], fx: [WSCC], kind: Salu, flow: Next, "D = larger of S0, S1; SCC = S0 > S1" }
    s_cselect_b32 = SCselectB32 { op: [10 10 10 10 10], dst: b32, src: [b32 b32], fx: [RSCC], kind: Salu, flow: Next, "D = SCC ? S0 : S1" }
    s_cselect_b64 = SCselectB64 { op: [11 11 11 11 11], dst: b64, src: [b64 b64], fx: [RSCC], kind: Salu, flow: Next, "D = SCC ? S0 : S1" }
    s_and_b32 = SAndB32 { op: [14 14 12 12 12], dst: b32, src: [b32 b32], fx: [WSCC], kind: Salu, flow: Next, "D = S0 & S1; SCC = D != 0" }
    s_and_b64 = SAndB64 { op: [15 15 13 13 13], dst: b64, src: [b64 b64], fx: [WSCC], kind: Salu, flow: Next, "D = S0 & S1; SCC = D != 0" }
    s_or_b32 = SOrB32 { op: [16 16 14 14 14], dst: b32, src: [b32 b32], fx: [WSCC], kind: Salu, flow: Next, "D = S0 | S1; SCC = D != 0" }
    s_or_b64 = SOrB64 { op: [17 17 15 15 15], dst: b64, src: [b64 b64], fx: [WSCC], kind: Salu, flow: Next, "D = S0 | S1; SCC = D != 0" }
    s_xor_b32 = SXorB32 { op: [18 18 16 16 16], dst: b32, src: [b32 b32], fx: [WSCC], kind: Salu, flow: Next, "D = S0 ^ S1; SCC = D != 0" }
    s_xor_b64 = SXorB64 { op: [19 19 17 17 17], dst: b64, src: [b64 b64], fx: [WSCC], kind: Salu, flow: Next, "D = S0 ^ S1; SCC = D != 0" }
    s_andn2_b32 = SAndn2B32 { op: [20 20 18 18 18], dst: b32, src: [b32 b32], fx: [WSCC], kind: Salu, flow: Next, "D = S0 & ~S1; SCC = D != 0" }
    s_andn2_b64 = SAndn2B64 { op: [21 21 19 19 19], dst: b64, src: [b64 b64], fx: [WSCC], kind: Salu, flow: Next, "D = S0 & ~S1; SCC = D != 0" }
    s_orn2_b32 = SOrn2B32 { op: [22 22 20 20 20], dst: b32, src: [b32 b32], fx: [WSCC], kind: Salu, flow: Next, "D = S0 | ~S1; SCC = D != 0" }
    s_orn2_b64 = SOrn2B64 { op: [23 23 21 21 21], dst: b64, src: [b64 b64], fx: [WSCC], kind: Salu, flow: Next, "D = S0 | ~S1; SCC = D != 0" }
    s_nand_b32 = SNandB32 { op: [24 24 22 22 22], dst: b32, src: [b32 b32], fx: [WSCC], kind: Salu, flow: Next, "D = ~(S0 & S1); SCC = D != 0" }
    s_nand_b64 = SNandB64 { op: [25 25 23 23 23], dst: b64, src: [b64 b64], fx: [WSCC], kind: Salu, flow: Next, "D = ~(S0 & S1); SCC = D != 0" }
    s_nor_b32 = SNorB32 { op: [26 26 24 24 24], dst: b32, src: [b32 b32], fx: [WSCC], kind: Salu, flow: Next, "D = ~(S0 | S1); SCC = D != 0" }
    s_nor_b64 = SNorB64 { op: [27 27 25 25 25], dst: b64, src: [b64 b64], fx: [WSCC], kind: Salu, flow: Next, "D = ~(S0 | S1); SCC = D != 0" }
    s_xnor_b32 = SXnorB32 { op: [28 28 26 26 26], dst: b32, src: [b32 b32], fx: [WSCC], kind: Salu, flow: Next, "D = ~(S0 ^ S1); SCC = D != 0" }
    s_xnor_b64 = SXnorB64 { op: [29 29 27 27 27], dst: b64, src: [b64 b64], fx: [WSCC], kind: Salu, flow: Next, "D = ~(S0 ^ S1); SCC = D != 0" }
    s_lshl_b32 = SLshlB32 { op: [30 30 28 28 28], dst: b32, src: [b32 b32], fx: [WSCC], kind: Salu, flow: Next, "D = S0 << S1[4:0]; SCC = D != 0" }
    s_lshl_b64 = SLshlB64 { op: [31 31 29 29 29], dst: b64, src: [b64 b32], fx: [WSCC], kind: Salu, flow: Next, "D = S0 << S1[5:0]; SCC = D != 0" }
    s_lshr_b32 = SLshrB32 { op: [32 32 30 30 30], dst: b32, src: [b32 b32], fx: [WSCC], kind: Salu, flow: Next, "D = S0 >> S1[4:0], zeros shifted in; SCC = D != 0" }
    s_lshr_b64 = SLshrB64 { op: [33 33 31 31 31], dst: b64, src: [b64 b32], fx: [WSCC], kind: Salu, flow: Next, "D = S0 >> S1[5:0], zeros shifted in; SCC = D != 0" }
    s_ashr_i32 = SAshrI32 { op: [34 34 32 32 32], dst: b32, src: [i32 b32], fx: [WSCC], kind: Salu, flow: Next, "D = S0 >> S1[4:0], signs shifted in; SCC = D != 0" }
    s_ashr_i64 = SAshrI64 { op: [35 35 33 33 33], dst: b64, src: [i64 b32], fx: [WSCC], kind: Salu, flow: Next, "D = S0 >> S1[5:0], signs shifted in; SCC = D != 0" }
    s_bfm_b32 = SBfmB32 { op: [36 36 34 34 34], dst: b32, src: [b32 b32], fx: [], kind: Salu, flow: Next, "D = ((1 << S0[4:0]) - 1) << S1[4:0]" }
    s_bfm_b64 = SBfmB64 { op: [37 37 35 35 35], dst: b64, src: [b32 b32], fx: [], kind: Salu, flow: Next, "D = ((1 << S0[5:0]) - 1) << S1[5:0]" }
    s_mul_i32 = SMulI32 { op: [38 38 36 36 36], dst: b32, src: [i32 i32], fx: [], kind: Salu, flow: Next, "D = low 32 bits of S0 * S1" }
    s_bfe_u32 = SBfeU32 { op: [39 39 37 37 37], dst: b32, src: [b32 b32], fx: [WSCC], kind: Salu, flow: Next, "D = S1[22:16] bits of S0 from bit S1[4:0] on, zero-extended; SCC = D != 0" }
    s_bfe_i32 = SBfeI32 { op: [40 40 38 38 38], dst: b32, src: [b32 b32], fx: [WSCC], kind: Salu, flow: Next, "D = S1[22:16] bits of S0 from bit S1[4:0] on, sign-extended; SCC = D != 0" }
    s_bfe_u64 = SBfeU64 { op: [41 41 39 39 39], dst: b64, src: [b64 b32], fx: [WSCC], kind: Salu, flow: Next, "D = S1[22:16] bits of S0 from bit S1[5:0] on, zero-extended; SCC = D != 0" }
    s_bfe_i64 = SBfeI64 { op: [42 42 40 40 40], dst: b64, src: [i64 b32], fx: [WSCC], kind: Salu, flow: Next, "D = S1[22:16] bits of S0 from bit S1[5:0] on, sign-extended; SCC = D != 0" }
    s_cbranch_g_fork = SCbranchGFork { op: [43 43 41 41 41], dst: none, src: [b64 b64], fx: [REXEC WEXEC RMODE WMODE WSGPRS], kind: Branch, flow: Fork, "divergent branch on mask S0 to address S1 (fork stack in SGPRs)" }
    s_absdiff_i32 = SAbsdiffI32 { op: [44 44 42 42 42], dst: b32, src: [i32 i32], fx: [WSCC], kind: Salu, flow: Next, "D = absolute value of the wrapped S0 - S1; SCC = D != 0" }
    s_rfe_restore_b64 = SRfeRestoreB64 { op: [- - 43 43 43], dst: none, src: [b64 b32], fx: [], kind: Branch, flow: Indirect, "PC = S0; STATUS.PRIV = 0" }
    s_mul_hi_u32 = SMulHiU32 { op: [- - - 44 44], dst: b32, src: [u32 u32], fx: [], kind: Salu, flow: Next, "D = high 32 bits of the unsigned product" }
    s_mul_hi_i32 = SMulHiI32 { op: [- - - 45 45], dst: b32, src: [i32 i32], fx: [], kind: Salu, flow: Next, "D = high 32 bits of the signed product" }
    s_lshl1_add_u32 = SLshl1AddU32 { op: [- - - 46 46], dst: b32, src: [u32 u32], fx: [WSCC], kind: Salu, flow: Next, "D = (S0 << 1) + S1; SCC = bits lost above bit 31" }
    s_lshl2_add_u32 = SLshl2AddU32 { op: [- - - 47 47], dst: b32, src: [u32 u32], fx: [WSCC], kind: Salu, flow: Next, "D = (S0 << 2) + S1; SCC = bits lost above bit 31" }
    s_lshl3_add_u32 = SLshl3AddU32 { op: [- - - 48 48], dst: b32, src: [u32 u32], fx: [WSCC], kind: Salu, flow: Next, "D = (S0 << 3) + S1; SCC = bits lost above bit 31" }
    s_lshl4_add_u32 = SLshl4AddU32 { op: [- - - 49 49], dst: b32, src: [u32 u32], fx: [WSCC], kind: Salu, flow: Next, "D = (S0 << 4) + S1; SCC = bits lost above bit 31" }
    s_pack_ll_b32_b16 = SPackLlB32B16 { op: [- - - 50 50], dst: b32, src: [b32 b32], fx: [], kind: Salu, flow: Next, "D = {S1[15:0], S0[15:0]}" }
    s_pack_lh_b32_b16 = SPackLhB32B16 { op: [- - - 51 51], dst: b32, src: [b32 b32], fx: [], kind: Salu, flow: Next, "D = {S1[31:16], S0[15:0]}" }
    s_pack_hh_b32_b16 = SPackHhB32B16 { op: [- - - 52 52], dst: b32, src: [b32 b32], fx: [], kind: Salu, flow: Next, "D = {S1[31:16], S0[31:16]}" }
        }
    };
}
