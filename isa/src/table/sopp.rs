//! SOPP rows: program control. Columns: see [`crate::table`].

/// Calls a macro with the rows of SOPP.
#[macro_export]
macro_rules! for_each_sopp {
    ($callback:ident) => {
        $callback! { Sopp SOPP
    s_nop = SNop { op: [0 0 0 0 0], dst: none, src: [], fx: [], kind: System, flow: Next, "nothing for a while" }
    s_endpgm = SEndpgm { op: [1 1 1 1 1], dst: none, src: [], fx: [], kind: System, flow: End, "the wave ends" }
    s_branch = SBranch { op: [2 2 2 2 2], dst: none, src: [], fx: [], kind: Branch, flow: Branch, "PC = target" }
    s_wakeup = SWakeup { op: [- - 3 3 3], dst: none, src: [], fx: [], kind: System, flow: Next, "wakes sleeping waves of the work-group" }
    s_cbranch_scc0 = SCbranchScc0 { op: [4 4 4 4 4], dst: none, src: [], fx: [RSCC], kind: Branch, flow: CondBranch, "if !SCC: PC = target" }
    s_cbranch_scc1 = SCbranchScc1 { op: [5 5 5 5 5], dst: none, src: [], fx: [RSCC], kind: Branch, flow: CondBranch, "if SCC: PC = target" }
    s_cbranch_vccz = SCbranchVccz { op: [6 6 6 6 6], dst: none, src: [], fx: [RVCC], kind: Branch, flow: CondBranch, "if VCC == 0: PC = target" }
    s_cbranch_vccnz = SCbranchVccnz { op: [7 7 7 7 7], dst: none, src: [], fx: [RVCC], kind: Branch, flow: CondBranch, "if VCC != 0: PC = target" }
    s_cbranch_execz = SCbranchExecz { op: [8 8 8 8 8], dst: none, src: [], fx: [REXEC], kind: Branch, flow: CondBranch, "if EXEC == 0: PC = target" }
    s_cbranch_execnz = SCbranchExecnz { op: [9 9 9 9 9], dst: none, src: [], fx: [REXEC], kind: Branch, flow: CondBranch, "if EXEC != 0: PC = target" }
    s_barrier = SBarrier { op: [10 10 10 10 10], dst: none, src: [], fx: [], kind: System, flow: Next, "waits for the work-group" }
    s_setkill = SSetkill { op: [- 11 11 11 11], dst: none, src: [], fx: [], kind: System, flow: Next, "sets the KILL flag (debugging)" }
    s_waitcnt = SWaitcnt { op: [12 12 12 12 12], dst: none, src: [], fx: [], kind: System, flow: Next, "waits for memory counters" }
    s_sethalt = SSethalt { op: [13 13 13 13 13], dst: none, src: [], fx: [], kind: System, flow: Halt, "HALT = SIMM16[0]" }
    s_sleep = SSleep { op: [14 14 14 14 14], dst: none, src: [], fx: [], kind: System, flow: Next, "sleeps for a while" }
    s_setprio = SSetprio { op: [15 15 15 15 15], dst: none, src: [], fx: [], kind: System, flow: Next, "sets the wave's priority" }
    s_sendmsg = SSendmsg { op: [16 16 16 16 16], dst: none, src: [], fx: [RM0 REXEC], kind: System, flow: Next, "sends a message" }
    s_sendmsghalt = SSendmsghalt { op: [17 17 17 17 17], dst: none, src: [], fx: [RM0 REXEC], kind: System, flow: Halt, "sends a message and halts" }
    s_trap = STrap { op: [18 18 18 18 18], dst: none, src: [], fx: [], kind: System, flow: Trap, "enters the trap handler" }
    s_icache_inv = SIcacheInv { op: [19 19 19 19 19], dst: none, src: [], fx: [], kind: System, flow: Next, "invalidates the instruction cache" }
    s_incperflevel = SIncperflevel { op: [20 20 20 20 20], dst: none, src: [], fx: [], kind: System, flow: Next, "counts up a performance counter" }
    s_decperflevel = SDecperflevel { op: [21 21 21 21 21], dst: none, src: [], fx: [], kind: System, flow: Next, "counts down a performance counter" }
    s_ttracedata = STtracedata { op: [22 22 22 22 22], dst: none, src: [], fx: [RM0], kind: System, flow: Next, "sends M0 to the thread trace" }
    s_cbranch_cdbgsys = SCbranchCdbgsys { op: [- 23 23 23 23], dst: none, src: [], fx: [], kind: Branch, flow: CondBranch, "branches on STATUS.COND_DBG_SYS (0 without a debugger)" }
    s_cbranch_cdbguser = SCbranchCdbguser { op: [- 24 24 24 24], dst: none, src: [], fx: [], kind: Branch, flow: CondBranch, "branches on STATUS.COND_DBG_USER (0 without a debugger)" }
    s_cbranch_cdbgsys_or_user = SCbranchCdbgsysOrUser { op: [- 25 25 25 25], dst: none, src: [], fx: [], kind: Branch, flow: CondBranch, "branches on either debug flag (0 without a debugger)" }
    s_cbranch_cdbgsys_and_user = SCbranchCdbgsysAndUser { op: [- 26 26 26 26], dst: none, src: [], fx: [], kind: Branch, flow: CondBranch, "branches on both debug flags (0 without a debugger)" }
    s_endpgm_saved = SEndpgmSaved { op: [- - 27 27 27], dst: none, src: [], fx: [], kind: System, flow: End, "the wave ends (context saved)" }
    s_set_gpr_idx_off = SSetGprIdxOff { op: [- - 28 28 28], dst: none, src: [], fx: [RMODE WMODE], kind: System, flow: Next, "MODE.GPR_IDX_EN = 0" }
    s_set_gpr_idx_mode = SSetGprIdxMode { op: [- - 29 29 29], dst: none, src: [], fx: [RM0 WM0], kind: System, flow: Next, "M0[15:12] = SIMM16[3:0]" }
    s_endpgm_ordered_ps_done = SEndpgmOrderedPsDone { op: [- - - 30 30], dst: none, src: [], fx: [], kind: System, flow: End, "the wave ends (ordered pixel shading done)" }
        }
    };
}
