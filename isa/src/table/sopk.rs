//! SOPK rows: a 16-bit immediate. Columns: see [`crate::table`].

/// Calls a macro with the rows of SOPK.
#[macro_export]
macro_rules! for_each_sopk {
    ($callback:ident) => {
        $callback! { Sopk SOPK
    s_movk_i32 = SMovkI32 { op: [0 0 0 0 0], dst: b32, src: [simm], fx: [], kind: Salu, flow: Next, "D = sign-extended SIMM16" }
    s_cmovk_i32 = SCmovkI32 { op: [2 2 1 1 1], dst: b32, src: [simm], fx: [RSCC RDST], kind: Salu, flow: Next, "if SCC: D = sign-extended SIMM16" }
    s_cmpk_eq_i32 = SCmpkEqI32 { op: [3 3 2 2 2], dst: none, src: [i32 simm], fx: [WSCC], kind: Scmp, flow: Next, "SCC = SDST == sign-extended SIMM16" }
    s_cmpk_lg_i32 = SCmpkLgI32 { op: [4 4 3 3 3], dst: none, src: [i32 simm], fx: [WSCC], kind: Scmp, flow: Next, "SCC = SDST != sign-extended SIMM16" }
    s_cmpk_gt_i32 = SCmpkGtI32 { op: [5 5 4 4 4], dst: none, src: [i32 simm], fx: [WSCC], kind: Scmp, flow: Next, "SCC = SDST > sign-extended SIMM16" }
    s_cmpk_ge_i32 = SCmpkGeI32 { op: [6 6 5 5 5], dst: none, src: [i32 simm], fx: [WSCC], kind: Scmp, flow: Next, "SCC = SDST >= sign-extended SIMM16" }
    s_cmpk_lt_i32 = SCmpkLtI32 { op: [7 7 6 6 6], dst: none, src: [i32 simm], fx: [WSCC], kind: Scmp, flow: Next, "SCC = SDST < sign-extended SIMM16" }
    s_cmpk_le_i32 = SCmpkLeI32 { op: [8 8 7 7 7], dst: none, src: [i32 simm], fx: [WSCC], kind: Scmp, flow: Next, "SCC = SDST <= sign-extended SIMM16" }
    s_cmpk_eq_u32 = SCmpkEqU32 { op: [9 9 8 8 8], dst: none, src: [u32 uimm], fx: [WSCC], kind: Scmp, flow: Next, "SCC = SDST == zero-extended SIMM16" }
    s_cmpk_lg_u32 = SCmpkLgU32 { op: [10 10 9 9 9], dst: none, src: [u32 uimm], fx: [WSCC], kind: Scmp, flow: Next, "SCC = SDST != zero-extended SIMM16" }
    s_cmpk_gt_u32 = SCmpkGtU32 { op: [11 11 10 10 10], dst: none, src: [u32 uimm], fx: [WSCC], kind: Scmp, flow: Next, "SCC = SDST > zero-extended SIMM16" }
    s_cmpk_ge_u32 = SCmpkGeU32 { op: [12 12 11 11 11], dst: none, src: [u32 uimm], fx: [WSCC], kind: Scmp, flow: Next, "SCC = SDST >= zero-extended SIMM16" }
    s_cmpk_lt_u32 = SCmpkLtU32 { op: [13 13 12 12 12], dst: none, src: [u32 uimm], fx: [WSCC], kind: Scmp, flow: Next, "SCC = SDST < zero-extended SIMM16" }
    s_cmpk_le_u32 = SCmpkLeU32 { op: [14 14 13 13 13], dst: none, src: [u32 uimm], fx: [WSCC], kind: Scmp, flow: Next, "SCC = SDST <= zero-extended SIMM16" }
    s_addk_i32 = SAddkI32 { op: [15 15 14 14 14], dst: b32, src: [i32 simm], fx: [WSCC], kind: Salu, flow: Next, "D = D + sign-extended SIMM16; SCC = signed overflow" }
    s_mulk_i32 = SMulkI32 { op: [16 16 15 15 15], dst: b32, src: [i32 simm], fx: [], kind: Salu, flow: Next, "D = low 32 bits of D * sign-extended SIMM16" }
    s_cbranch_i_fork = SCbranchIFork { op: [17 17 16 16 16], dst: none, src: [b64], fx: [REXEC WEXEC RMODE WMODE WSGPRS], kind: Branch, flow: Fork, "divergent branch on the mask in SDST to SIMM16 (fork stack in SGPRs)" }
    s_getreg_b32 = SGetregB32 { op: [18 18 17 17 17], dst: b32, src: [], fx: [RSCC REXEC RVCC RMODE], kind: System, flow: Next, "D = bit field of a hardware register" }
    s_setreg_b32 = SSetregB32 { op: [19 19 18 18 18], dst: none, src: [b32], fx: [RMODE WMODE], kind: System, flow: Next, "bit field of a hardware register = SDST" }
    s_getreg_regrd_b32 = SGetregRegrdB32 { op: [20 20 19 19 19], dst: b32, src: [], fx: [], kind: System, flow: Next, unknown "undocumented" }
    s_setreg_imm32_b32 = SSetregImm32B32 { op: [21 21 20 20 20], dst: none, src: [lit], fx: [RMODE WMODE], kind: System, flow: Next, "bit field of a hardware register = the following dword" }
    s_call_b64 = SCallB64 { op: [- - - 21 21], dst: b64, src: [], fx: [], kind: Branch, flow: Call, "D = address of the next instruction; PC = target" }
        }
    };
}
