//! Decides, by the instructions that a program may execute, whether groups of a dispatch can observe their order.

use gcnsim_flow::{Flow, Through};
use gcnsim_isa::table::{Access, Atomic, ImageMove, Transfer, Width};
use gcnsim_isa::{Inst, Program};

/// The effect of the order of groups on a dispatch without races.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
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
pub enum Why {
    /// Atomics return old values, or are of several kinds.
    Atomics,
    /// The code uses the global data share.
    Gds,
    /// A call or jump has a computed address that is not known, and other code of the object has such instructions.
    Jump,
}

/// Returns the effect of the order of groups on a run of `program`. If it has a jump whose target is not proved, all of
/// its code may be reached, at any dword; and anything, if not all of it is known.
pub fn order(program: &Program) -> Order {
    let flow = Flow::of(program, Through::CALLS, usize::MAX);
    let mut sums = None;
    for site in &flow.sites {
        if let Some(why) = see(&site.inst, &mut sums) {
            return Order::Matters(why);
        }
    }
    if program.known().is_some() && !(flow.is_complete() && flow.strays.is_empty() && flow.falls.is_empty()) {
        return Order::Matters(Why::Jump);
    }
    if !flow.is_complete() {
        let anywhere = (0..program.word_count()).filter(|&number| program.word(number).is_some_and(may_access));
        let mut insts = anywhere.filter_map(|number| program.decode_word(number).ok());
        if insts.any(|inst| see(&inst, &mut sums).is_some()) {
            return Order::Matters(Why::Jump);
        }
    }
    if sums.is_some() { Order::OfSums } else { Order::Free }
}

/// Whether an instruction that begins with this dword may access memory or LDS: on each generation, the two highest
/// bits of the encodings are ones.
fn may_access(word: u32) -> bool {
    word >> 30 == 3
}

/// Returns why the order of groups matters to `inst`, if it does. `sums` is the kind of the atomics so far.
fn see(inst: &Inst, sums: &mut Option<(Atomic, Width)>) -> Option<Why> {
    if inst.ds_access().is_some_and(|access| access.gds) {
        return Some(Why::Gds);
    }
    let image = inst.image_shape().map(|shape| shape.kind);
    if inst.mem_shape().map(|shape| shape.kind).or(image) == Some(Access::Atomic) {
        match sum(inst) {
            Some(sum) if sums.is_none_or(|other| other == sum) => *sums = Some(sum),
            _ => return Some(Why::Atomics),
        }
    }
    None
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

    /// s_setpc_b64 s[0:1] leads anywhere; ds_add_u32 with GDS.
    #[test]
    fn nobody_knows_where_some_computed_jumps_go() {
        let swap = atomic(0x40, 0);
        assert_eq!(of(&[0xbe80_1d00]), Order::Free, "there are no atomics");
        assert_eq!(of(&[&[0xbe80_1d00][..], &atomic(0x42, 0)].concat()), Order::OfSums);
        assert_eq!(of(&[&[0xbe80_1d00][..], &swap].concat()), Order::Matters(Why::Jump));
        // In a literal, too: s_mov_b32 s0, literal; s_mov_b32 s0, literal
        assert_eq!(of(&[0xbe80_1d00, 0xbe80_00ff, swap[0], swap[1]]), Order::Matters(Why::Jump));
        assert_eq!((of(&[0xd800_0000, 0x100]), of(&[0xd801_0000, 0x100])), (Order::Free, Order::Matters(Why::Gds)));
    }

    /// s_getpc_b64 s[4:5]; s_add_u32 s4, s4, 16; s_addc_u32 s5, s5, 0; s_swappc_b64 s[30:31], s[4:5]; s_endpgm; the
    /// function; s_setpc_b64 s[30:31]; another function, which swaps.
    #[test]
    fn calls_are_followed() {
        let call = [0xbe84_1c00, 0x8004_9004, 0x8205_8005, 0xbe9e_1e04, 0xbf81_0000];
        let with = |inst: [u32; 2]| of(&[&call[..], &inst, &[0xbe80_1d1e], &atomic(0x40, 0)].concat());
        // v_mov_b32 v0, v1, twice
        assert_eq!(with([0x7e00_0301; 2]), Order::Free);
        assert_eq!(with(atomic(0x42, 0)), Order::OfSums);
        assert_eq!(with(atomic(0x42, 1)), Order::Matters(Why::Atomics));
        // s_mov_b32 s30, s0: it does not return to its caller.
        assert_eq!(with([0xbe9e_0000, 0xbf80_0000]), Order::Matters(Why::Jump));
    }
}
