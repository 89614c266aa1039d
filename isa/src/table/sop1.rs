//! SOP1 rows: one scalar source. Columns: see [`crate::table`].

/// Calls a macro with the rows of SOP1.
#[macro_export]
macro_rules! for_each_sop1 {
    ($callback:ident) => {
        $callback! { Sop1 SOP1
    s_mov_b32 = SMovB32 { op: [3 3 0 0 0], dst: b32, src: [b32], fx: [], kind: Salu, flow: Next, "D = S0" }
    s_mov_b64 = SMovB64 { op: [4 4 1 1 1], dst: b64, src: [b64], fx: [], kind: Salu, flow: Next, "D = S0" }
    s_cmov_b32 = SCmovB32 { op: [5 5 2 2 2], dst: b32, src: [b32], fx: [RSCC RDST], kind: Salu, flow: Next, "if SCC: D = S0" }
    s_cmov_b64 = SCmovB64 { op: [6 6 3 3 3], dst: b64, src: [b64], fx: [RSCC RDST], kind: Salu, flow: Next, "if SCC: D = S0" }
    s_not_b32 = SNotB32 { op: [7 7 4 4 4], dst: b32, src: [b32], fx: [WSCC], kind: Salu, flow: Next, "D = ~S0; SCC = D != 0" }
    s_not_b64 = SNotB64 { op: [8 8 5 5 5], dst: b64, src: [b64], fx: [WSCC], kind: Salu, flow: Next, "D = ~S0; SCC = D != 0" }
    s_wqm_b32 = SWqmB32 { op: [9 9 6 6 6], dst: b32, src: [b32], fx: [WSCC], kind: Salu, flow: Next, "each group of four bits of D is 15 if that group of S0 is not 0; SCC = D != 0" }
    s_wqm_b64 = SWqmB64 { op: [10 10 7 7 7], dst: b64, src: [b64], fx: [WSCC], kind: Salu, flow: Next, "each group of four bits of D is 15 if that group of S0 is not 0; SCC = D != 0" }
    s_brev_b32 = SBrevB32 { op: [11 11 8 8 8], dst: b32, src: [b32], fx: [], kind: Salu, flow: Next, "D = bits of S0 in reverse order" }
    s_brev_b64 = SBrevB64 { op: [12 12 9 9 9], dst: b64, src: [b64], fx: [], kind: Salu, flow: Next, "D = bits of S0 in reverse order" }
    s_bcnt0_i32_b32 = SBcnt0I32B32 { op: [13 13 10 10 10], dst: b32, src: [b32], fx: [WSCC], kind: Salu, flow: Next, "D = number of clear bits of S0; SCC = D != 0" }
    s_bcnt0_i32_b64 = SBcnt0I32B64 { op: [14 14 11 11 11], dst: b32, src: [b64], fx: [WSCC], kind: Salu, flow: Next, "D = number of clear bits of S0; SCC = D != 0" }
    s_bcnt1_i32_b32 = SBcnt1I32B32 { op: [15 15 12 12 12], dst: b32, src: [b32], fx: [WSCC], kind: Salu, flow: Next, "D = number of set bits of S0; SCC = D != 0" }
    s_bcnt1_i32_b64 = SBcnt1I32B64 { op: [16 16 13 13 13], dst: b32, src: [b64], fx: [WSCC], kind: Salu, flow: Next, "D = number of set bits of S0; SCC = D != 0" }
    s_ff0_i32_b32 = SFf0I32B32 { op: [17 17 14 14 14], dst: b32, src: [b32], fx: [], kind: Salu, flow: Next, "D = index of the lowest clear bit of S0, -1 if none" }
    s_ff0_i32_b64 = SFf0I32B64 { op: [18 18 15 15 15], dst: b32, src: [b64], fx: [], kind: Salu, flow: Next, "D = index of the lowest clear bit of S0, -1 if none" }
    s_ff1_i32_b32 = SFf1I32B32 { op: [19 19 16 16 16], dst: b32, src: [b32], fx: [], kind: Salu, flow: Next, "D = index of the lowest set bit of S0, -1 if none" }
    s_ff1_i32_b64 = SFf1I32B64 { op: [20 20 17 17 17], dst: b32, src: [b64], fx: [], kind: Salu, flow: Next, "D = index of the lowest set bit of S0, -1 if none" }
    s_flbit_i32_b32 = SFlbitI32B32 { op: [21 21 18 18 18], dst: b32, src: [b32], fx: [], kind: Salu, flow: Next, "D = number of zero bits above the highest set bit of S0, -1 for 0" }
    s_flbit_i32_b64 = SFlbitI32B64 { op: [22 22 19 19 19], dst: b32, src: [b64], fx: [], kind: Salu, flow: Next, "D = number of zero bits above the highest set bit of S0, -1 for 0" }
    s_flbit_i32 = SFlbitI32 { op: [23 23 20 20 20], dst: b32, src: [i32], fx: [], kind: Salu, flow: Next, "D = number of leading bits equal to the sign bit of S0, -1 if all are" }
    s_flbit_i32_i64 = SFlbitI32I64 { op: [24 24 21 21 21], dst: b32, src: [i64], fx: [], kind: Salu, flow: Next, "D = number of leading bits equal to the sign bit of S0, -1 if all are" }
    s_sext_i32_i8 = SSextI32I8 { op: [25 25 22 22 22], dst: b32, src: [b32], fx: [], kind: Salu, flow: Next, "D = sign-extended S0[7:0]" }
    s_sext_i32_i16 = SSextI32I16 { op: [26 26 23 23 23], dst: b32, src: [b32], fx: [], kind: Salu, flow: Next, "D = sign-extended S0[15:0]" }
    s_bitset0_b32 = SBitset0B32 { op: [27 27 24 24 24], dst: b32, src: [b32], fx: [RDST], kind: Salu, flow: Next, "D[S0[4:0]] = 0" }
    s_bitset0_b64 = SBitset0B64 { op: [28 28 25 25 25], dst: b64, src: [b32], fx: [RDST], kind: Salu, flow: Next, "D[S0[5:0]] = 0" }
    s_bitset1_b32 = SBitset1B32 { op: [29 29 26 26 26], dst: b32, src: [b32], fx: [RDST], kind: Salu, flow: Next, "D[S0[4:0]] = 1" }
    s_bitset1_b64 = SBitset1B64 { op: [30 30 27 27 27], dst: b64, src: [b32], fx: [RDST], kind: Salu, flow: Next, "D[S0[5:0]] = 1" }
    s_getpc_b64 = SGetpcB64 { op: [31 31 28 28 28], dst: b64, src: [], fx: [], kind: System, flow: Next, "D = address of the next instruction" }
    s_setpc_b64 = SSetpcB64 { op: [32 32 29 29 29], dst: none, src: [b64], fx: [], kind: Branch, flow: Indirect, "PC = S0" }
    s_swappc_b64 = SSwappcB64 { op: [33 33 30 30 30], dst: b64, src: [b64], fx: [], kind: Branch, flow: SwapPc, "D = address of the next instruction; PC = S0" }
    s_rfe_b64 = SRfeB64 { op: [34 34 31 31 31], dst: none, src: [b64], fx: [], kind: Branch, flow: Indirect, "PC = S0; STATUS.PRIV = 0" }
    s_and_saveexec_b64 = SAndSaveexecB64 { op: [36 36 32 32 32], dst: b64, src: [b64], fx: [WSCC REXEC WEXEC], kind: Salu, flow: Next, "D = EXEC; EXEC = S0 & EXEC; SCC = EXEC != 0" }
    s_or_saveexec_b64 = SOrSaveexecB64 { op: [37 37 33 33 33], dst: b64, src: [b64], fx: [WSCC REXEC WEXEC], kind: Salu, flow: Next, "D = EXEC; EXEC = S0 | EXEC; SCC = EXEC != 0" }
    s_xor_saveexec_b64 = SXorSaveexecB64 { op: [38 38 34 34 34], dst: b64, src: [b64], fx: [WSCC REXEC WEXEC], kind: Salu, flow: Next, "D = EXEC; EXEC = S0 ^ EXEC; SCC = EXEC != 0" }
    s_andn2_saveexec_b64 = SAndn2SaveexecB64 { op: [39 39 35 35 35], dst: b64, src: [b64], fx: [WSCC REXEC WEXEC], kind: Salu, flow: Next, "D = EXEC; EXEC = S0 & ~EXEC; SCC = EXEC != 0" }
    s_orn2_saveexec_b64 = SOrn2SaveexecB64 { op: [40 40 36 36 36], dst: b64, src: [b64], fx: [WSCC REXEC WEXEC], kind: Salu, flow: Next, "D = EXEC; EXEC = S0 | ~EXEC; SCC = EXEC != 0" }
    s_nand_saveexec_b64 = SNandSaveexecB64 { op: [41 41 37 37 37], dst: b64, src: [b64], fx: [WSCC REXEC WEXEC], kind: Salu, flow: Next, "D = EXEC; EXEC = ~(S0 & EXEC); SCC = EXEC != 0" }
    s_nor_saveexec_b64 = SNorSaveexecB64 { op: [42 42 38 38 38], dst: b64, src: [b64], fx: [WSCC REXEC WEXEC], kind: Salu, flow: Next, "D = EXEC; EXEC = ~(S0 | EXEC); SCC = EXEC != 0" }
    s_xnor_saveexec_b64 = SXnorSaveexecB64 { op: [43 43 39 39 39], dst: b64, src: [b64], fx: [WSCC REXEC WEXEC], kind: Salu, flow: Next, "D = EXEC; EXEC = ~(S0 ^ EXEC); SCC = EXEC != 0" }
    s_quadmask_b32 = SQuadmaskB32 { op: [44 44 40 40 40], dst: b32, src: [b32], fx: [WSCC], kind: Salu, flow: Next, "bit i of D = group i of four bits of S0 is not 0; SCC = D != 0" }
    s_quadmask_b64 = SQuadmaskB64 { op: [45 45 41 41 41], dst: b64, src: [b64], fx: [WSCC], kind: Salu, flow: Next, "bit i of D = group i of four bits of S0 is not 0; SCC = D != 0" }
    s_movrels_b32 = SMovrelsB32 { op: [46 46 42 42 42], dst: b32, src: [b32], fx: [RM0 RSGPRS], kind: Salu, flow: Next, "D = SGPR[S0's register number + M0]" }
    s_movrels_b64 = SMovrelsB64 { op: [47 47 43 43 43], dst: b64, src: [b64], fx: [RM0 RSGPRS], kind: Salu, flow: Next, "D = SGPR pair [S0's register number + M0]" }
    s_movreld_b32 = SMovreldB32 { op: [48 48 44 44 44], dst: b32, src: [b32], fx: [RM0 WSGPRS], kind: Salu, flow: Next, "SGPR[D's register number + M0] = S0" }
    s_movreld_b64 = SMovreldB64 { op: [49 49 45 45 45], dst: b64, src: [b64], fx: [RM0 WSGPRS], kind: Salu, flow: Next, "SGPR pair [D's register number + M0] = S0" }
    s_cbranch_join = SCbranchJoin { op: [50 50 46 46 46], dst: none, src: [b32], fx: [REXEC WEXEC RMODE WMODE RSGPRS], kind: Branch, flow: Join, "if MODE.CSP == S0: go on; else pop EXEC and PC from the fork stack" }
    s_mov_regrd_b32 = SMovRegrdB32 { op: [51 51 47 47 47], dst: b32, src: [b32], fx: [], kind: System, flow: Next, unknown "undocumented" }
    s_abs_i32 = SAbsI32 { op: [52 52 48 48 48], dst: b32, src: [i32], fx: [WSCC], kind: Salu, flow: Next, "D = absolute value of S0 (INT_MIN stays); SCC = D != 0" }
    s_mov_fed_b32 = SMovFedB32 { op: [53 53 49 49 49], dst: b32, src: [b32], fx: [], kind: System, flow: Next, "D = S0 (on hardware with an ECC error planted)" }
    s_set_gpr_idx_idx = SSetGprIdxIdx { op: [- - 50 50 50], dst: none, src: [b32], fx: [RM0 WM0], kind: System, flow: Next, "M0[7:0] = S0[7:0]" }
    s_andn1_saveexec_b64 = SAndn1SaveexecB64 { op: [- - - 51 51], dst: b64, src: [b64], fx: [WSCC REXEC WEXEC], kind: Salu, flow: Next, "D = EXEC; EXEC = ~S0 & EXEC; SCC = EXEC != 0" }
    s_orn1_saveexec_b64 = SOrn1SaveexecB64 { op: [- - - 52 52], dst: b64, src: [b64], fx: [WSCC REXEC WEXEC], kind: Salu, flow: Next, "D = EXEC; EXEC = ~S0 | EXEC; SCC = EXEC != 0" }
    s_andn1_wrexec_b64 = SAndn1WrexecB64 { op: [- - - 53 53], dst: b64, src: [b64], fx: [WSCC REXEC WEXEC], kind: Salu, flow: Next, "EXEC = ~S0 & EXEC; D = EXEC; SCC = EXEC != 0" }
    s_andn2_wrexec_b64 = SAndn2WrexecB64 { op: [- - - 54 54], dst: b64, src: [b64], fx: [WSCC REXEC WEXEC], kind: Salu, flow: Next, "EXEC = S0 & ~EXEC; D = EXEC; SCC = EXEC != 0" }
    s_bitreplicate_b64_b32 = SBitreplicateB64B32 { op: [- - - 55 55], dst: b64, src: [b32], fx: [], kind: Salu, flow: Next, "bits 2i and 2i+1 of D = bit i of S0" }
        }
    };
}
