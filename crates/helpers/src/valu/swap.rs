//! V_SWAP_B32: the only instruction with two destinations.

use gcnsim_isa::Vgpr;

use super::{Control, ValuHelper};

/// The helper that exchanges the lanes of `exec` between the registers at `d` and `s0`.
pub(super) fn helper() -> ValuHelper {
    swap
}

/// A [`ValuHelper`], except that `s0` is written, too: it is a register and not a scalar.
unsafe extern "C" fn swap(
    d: *mut u32,
    s0: *const u32,
    _: *const u32,
    _: *const u32,
    exec: u64,
    _: *mut Control,
) -> u64 {
    let (d, s0) = (d.cast::<Vgpr>(), s0.cast_mut().cast::<Vgpr>());
    // SAFETY: this is the contract of `ValuHelper`, and of this function for `s0`. There are no references, because
    // both may be the same register.
    unsafe {
        let (mut first, mut second) = (d.read(), s0.read());
        for (lane, (a, b)) in first.0.iter_mut().zip(&mut second.0).enumerate() {
            if exec >> lane & 1 == 1 {
                std::mem::swap(a, b);
            }
        }
        d.write(first);
        s0.write(second);
    }
    0
}
