//! SOPP: program control. Each instruction has a function, with the name of the mnemonic, that gives its step for a
//! SIMM16. The conditions of direct branches are functions over values, as in all other modules. Messages are
//! observed; instructions for other waves, memory or debuggers have no effect on a single wave.

use gcnsim_isa::MEMORY;

use super::gpr_idx;
use super::op::{Exit, Reg, Role, Step, Way, exec, nothing, send_message, send_message_and_leave, taken};

/// Makes `step` from the rows.
macro_rules! step_of_rows {
    ($Enum:ident $ENC:ident $($name:ident = $Variant:ident $row:tt)*) => {
        /// The function and role of an instruction with immediate `simm16`.
        pub(super) fn step(op: gcnsim_isa::$Enum, simm16: i16) -> Step {
            match op {
                $(gcnsim_isa::$Enum::$Variant => $name(simm16),)*
            }
        }
    };
}
gcnsim_isa::for_each_sopp!(step_of_rows);

/// Defines instructions that are the same step whatever SIMM16.
macro_rules! steps {
    ($($step:expr => $($name:ident)*;)*) => { $($(
        fn $name(_: i16) -> Step {
            $step
        }
    )*)* };
}

/// An instruction that is executed and counted, without effect.
const NOTHING: Step = Step::body(nothing);

steps! {
    NOTHING => s_nop s_wakeup s_setkill s_waitcnt s_sleep s_setprio s_icache_inv s_incperflevel
        s_decperflevel s_ttracedata;
    // Debug branches are never taken: only a debugger sets the STATUS bits that they test.
    NOTHING => s_cbranch_cdbgsys s_cbranch_cdbguser s_cbranch_cdbgsys_or_user s_cbranch_cdbgsys_and_user;
    if MEMORY { Step::stop(Role::Barrier) } else { NOTHING } => s_barrier;
    Step::stop(Role::End) => s_endpgm s_endpgm_saved s_endpgm_ordered_ps_done;
    Step::body(send_message) => s_sendmsg;
    Step { exec: send_message_and_leave, role: Role::Halt } => s_sendmsghalt;
    gpr_idx::steps::s_set_gpr_idx_off::<Reg, Reg>() => s_set_gpr_idx_off;
    gpr_idx::steps::s_set_gpr_idx_mode::<Reg, Reg>() => s_set_gpr_idx_mode;
}

/// Stops the run, but for S_TRAP 3, which only a debugger would notice.
fn s_trap(simm16: i16) -> Step {
    if simm16 as u8 == 3 { NOTHING } else { Step::stop(Role::Stop) }
}

/// Halts the wave if SIMM16\[0\] is set.
fn s_sethalt(simm16: i16) -> Step {
    if simm16 & 1 == 1 { Step::stop(Role::Halt) } else { NOTHING }
}

/// Defines direct branches by their conditions.
macro_rules! branches {
    ($(fn $name:ident($($arg:ident: $T:ty)?) -> bool $condition:block)*) => { $(
        fn $name(_: i16) -> Step {
            #[inline(always)]
            fn condition($($arg: $T)?) -> bool $condition
            Step::jump(Way::Target, |_wave, _, scc, _env| {
                Exit { way: taken(condition($(exec!(@ $arg _wave _op scc))?)), scc }
            })
        }
    )* };
}

branches! {
    fn s_branch() -> bool { true }
    fn s_cbranch_scc0(scc: bool) -> bool { !scc }
    fn s_cbranch_scc1(scc: bool) -> bool { scc }
    fn s_cbranch_vccz(vcc: u64) -> bool { vcc == 0 }
    fn s_cbranch_vccnz(vcc: u64) -> bool { vcc != 0 }
    fn s_cbranch_execz(exec: u64) -> bool { exec == 0 }
    fn s_cbranch_execnz(exec: u64) -> bool { exec != 0 }
}
