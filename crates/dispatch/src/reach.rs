//! Decides, by the instructions that a program may execute, whether groups of a dispatch can observe their order.

use std::collections::HashSet;

use gcnsim_isa::table::{Access, Atomic, ImageMove, Transfer, Width};
use gcnsim_isa::{Flow, Inst, Program};

/// The effect of the order of groups on a dispatch without races.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    /// No effect: groups have nothing in common.
    Free,
    /// An effect on memory only while the dispatch runs: all atomics are of one kind, such as additions, and none
    /// returns old values.
    OfSums,
    /// An effect on results is possible.
    Matters(Why),
}

/// The reason why the order of groups may change results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Why {
    /// Atomics return old values, or are of several kinds.
    Atomics,
    /// The code uses the global data share.
    Gds,
    /// A call or jump has a computed address, where any instructions may be.
    Jump,
}

/// Returns the effect of the order of groups on a run of `program`.
pub(super) fn order(program: &Program) -> Order {
    let mut seen = HashSet::new();
    let mut queue = vec![program.entry()];
    let mut sums = None;
    while let Some(pc) = queue.pop() {
        if !seen.insert(pc) {
            continue;
        }
        let Ok(inst) = program.fetch(pc) else { continue };
        if inst.ds_access().is_some_and(|access| access.gds) {
            return Order::Matters(Why::Gds);
        }
        let image = inst.image_shape().map(|shape| shape.kind);
        if inst.mem_shape().map(|shape| shape.kind).or(image) == Some(Access::Atomic) {
            match sum(&inst) {
                Some(sum) if sums.is_none_or(|other| other == sum) => sums = Some(sum),
                _ => return Order::Matters(Why::Atomics),
            }
        }
        let next = pc.wrapping_add(inst.size() as u64);
        let target = pc.wrapping_add_signed(inst.branch_offset());
        match inst.flow() {
            Flow::Next => queue.push(next),
            Flow::Branch => queue.push(target),
            Flow::CondBranch | Flow::Call => queue.extend([next, target]),
            Flow::SwapPc | Flow::Indirect | Flow::Fork | Flow::Join => return Order::Matters(Why::Jump),
            Flow::End | Flow::Halt | Flow::Trap => {}
        }
    }
    if sums.is_some() { Order::OfSums } else { Order::Free }
}

/// Returns operation and size of an atomic that commutes and returns nothing; `None` for any other. Several such
/// atomics on one place have the same result in any order.
fn sum(inst: &Inst) -> Option<(Atomic, Width)> {
    use Atomic::{Add, And, Or, Smax, Smin, Sub, Umax, Umin, Xor};
    let image = inst.image_access();
    let (operation, width) = match (inst.transfer(), inst.image_shape().map(|shape| shape.moves)) {
        (Some(Transfer::Atomic(operation, width)), _) => (operation, width),
        // DMASK says how wide the texels of an image atomic are.
        (_, Some(ImageMove::Atomic(operation))) => match image.map(|access| access.dmask) {
            Some(1) => (operation, Width::B32),
            _ => return None,
        },
        _ => return None,
    };
    let scalar = inst.scalar_access().map(|access| access.glc);
    let flat = inst.flat_access().map(|access| access.glc).or(image.map(|access| access.glc));
    let returns = scalar.or(flat).or(inst.buffer_access().map(|access| access.glc));
    let commutes = matches!(operation, Add | Sub | Smin | Umin | Smax | Umax | And | Or | Xor);
    // Additions and subtractions commute with each other.
    (commutes && returns == Some(false)).then_some((if operation == Sub { Add } else { operation }, width))
}

#[cfg(test)]
mod tests {
    use gcnsim_isa::Arch;

    use super::*;

    fn of(words: &[u32]) -> Order {
        order(&Program::from_words(Arch::Gcn14, &[words, &[0xbf81_0000]].concat()))
    }

    /// Returns a GLOBAL atomic with this opcode number.
    fn atomic(opcode: u32, glc: u32) -> [u32; 2] {
        [0xdc00_8000 | glc << 16 | opcode << 18, 0x007f_0100]
    }

    #[test]
    fn atomics_of_one_kind_may_change_their_order() {
        let [swap, cmpswap, add, sub, smin, umin, smax, umax, and, or, xor, inc] =
            [0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x4b].map(|op| atomic(op, 0));
        assert_eq!(of(&[]), Order::Free);
        for one in [add, sub, smin, umin, smax, umax, and, or, xor] {
            assert_eq!(of(&one), Order::OfSums, "{one:x?}");
            assert_eq!(of(&[one, one].concat()), Order::OfSums);
            assert_eq!(of(&[one, smin, smax].concat()), Order::Matters(Why::Atomics), "{one:x?}");
            assert_eq!(of(&[one[0] | 1 << 16, one[1]]), Order::Matters(Why::Atomics), "GLC");
        }
        assert_eq!(of(&[add, sub].concat()), Order::OfSums);
        for one in [swap, cmpswap, inc] {
            assert_eq!(of(&one), Order::Matters(Why::Atomics), "{one:x?}");
        }
        let add_x2 = atomic(0x62, 0);
        assert_eq!((of(&add_x2), of(&[add, add_x2].concat())), (Order::OfSums, Order::Matters(Why::Atomics)));
        // Instructions behind a branch that skips them do not count.
        assert_eq!(of(&[&[0xbf82_0002][..], &swap].concat()), Order::Free);
    }

    /// IMAGE_ATOMIC_ADD, UMAX and SWAP of GCN 1.4, DMASK 1.
    #[test]
    fn image_atomics_are_atomics() {
        let image = |op: u32, glc: u32| [0xf000_0100 | glc << 13 | op << 18, 0];
        let [swap, add, umax] = [16, 18, 23].map(|op| image(op, 0));
        assert_eq!((of(&add), of(&umax)), (Order::OfSums, Order::OfSums));
        for words in [&image(18, 1)[..], &swap, &[add, umax].concat(), &[add, atomic(0x42, 0), umax].concat()] {
            assert_eq!(of(words), Order::Matters(Why::Atomics), "{words:x?}");
        }
    }

    #[test]
    fn nobody_knows_where_computed_jumps_go() {
        // s_setpc_b64 s[0:1]; ds_add_u32 with GDS
        assert_eq!(of(&[0xbe80_1d00]), Order::Matters(Why::Jump));
        assert_eq!((of(&[0xd800_0000, 0x100]), of(&[0xd801_0000, 0x100])), (Order::Free, Order::Matters(Why::Gds)));
    }
}
