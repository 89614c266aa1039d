//! Which instructions a program may execute: whether groups of a dispatch could tell in which order they run.

use std::collections::HashSet;

use gcnsim_isa::table::Access;
use gcnsim_isa::{Flow, Inst, Program};

/// Can a result depend on the order of groups, races apart? So it is with atomics and the global data share; and nobody
/// knows where control goes at a call or jump to a computed address.
pub(super) fn order_matters(program: &Program) -> bool {
    let mut seen = HashSet::new();
    let mut queue = vec![program.entry()];
    while let Some(pc) = queue.pop() {
        if !seen.insert(pc) {
            continue;
        }
        let Ok(inst) = program.fetch(pc) else { continue };
        if matters(&inst) {
            return true;
        }
        let next = pc.wrapping_add(inst.size() as u64);
        let target = pc.wrapping_add_signed(inst.branch_offset());
        match inst.flow() {
            Flow::Next => queue.push(next),
            Flow::Branch => queue.push(target),
            Flow::CondBranch | Flow::Call => queue.extend([next, target]),
            Flow::SwapPc | Flow::Indirect | Flow::Fork | Flow::Join => return true,
            Flow::End | Flow::Halt | Flow::Trap => {}
        }
    }
    false
}

fn matters(inst: &Inst) -> bool {
    let is_atomic = inst.mem_shape().is_some_and(|shape| shape.kind == Access::Atomic);
    is_atomic || inst.ds_access().is_some_and(|access| access.gds)
}
