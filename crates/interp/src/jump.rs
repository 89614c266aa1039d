//! Instructions that read or set PC by value (SOP1, SOP2, SOPK).

use gcnsim_isa::{Note, Notes};

use super::op::{Jump, steps};

/// Jumps to a computed address. The two low bits are cleared, and bits from 48 on are kept; both are noted.
pub(super) fn jump_to(target: u64, notes: &mut Notes) -> Jump {
    note_target(target, notes);
    Jump(target & !3)
}

/// Notes what is unusual about a computed target.
pub(super) fn note_target(target: u64, notes: &mut Notes) {
    if target & 3 != 0 {
        notes.insert(Note::PcLowBits);
    }
    if target >> 48 != 0 {
        notes.insert(Note::PcHighBits);
    }
}

steps! {
    fn s_getpc_b64(next: u64) -> u64 { next }
    fn s_setpc_b64(s0: u64, notes: &mut Notes) -> Jump => Computed { jump_to(s0, notes) }
    fn s_swappc_b64(s0: u64, next: u64, notes: &mut Notes) -> (u64, Jump) => Computed { (next, jump_to(s0, notes)) }

    /// SDST = the address of the next instruction. The jump itself is direct.
    fn s_call_b64(next: u64) -> u64 => Target { next }
}
