//! Plain loops over the lanes of a register. They are inlined into functions that are compiled for a level, and the
//! compiler vectorises them well there.

use std::mem::MaybeUninit;

use gcnsim_isa::LANES;

/// A dword of each lane.
pub type Lanes = [u32; LANES];

/// Room for a dword of each lane.
pub(crate) type Room = MaybeUninit<Lanes>;

/// Runs a body for the lanes of a mask, in ascending order. It is a macro because closures and iterators would not
/// be inlined.
macro_rules! each_lane {
    ($mask:expr, $lane:ident, $body:block) => {
        if $mask == !0 {
            for $lane in 0..gcnsim_isa::LANES {
                $body
            }
        } else {
            let mut rest: u64 = $mask;
            while rest != 0 {
                let $lane = rest.trailing_zeros() as usize % gcnsim_isa::LANES;
                $body
                rest &= rest - 1;
            }
        }
    };
}

pub(crate) use each_lane;

/// The values of an expression for all lanes. It is a macro because a closure might be called without the vector
/// instructions of the helper's level.
macro_rules! lanes_of {
    ($lane:ident => $value:expr) => {{
        let mut lanes = [0; gcnsim_isa::LANES];
        for $lane in 0..gcnsim_isa::LANES {
            lanes[$lane] = $value;
        }
        lanes
    }};
}

pub(crate) use lanes_of;

/// The lanes of `mask`, in ascending order.
pub(crate) fn lanes(mask: u64) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros() as usize;
        rest &= rest.wrapping_sub(1);
        (lane < 64).then_some(lane)
    })
}

/// The bit of each lane in its half of a mask.
const BITS: Lanes = {
    let (mut bits, mut lane) = ([0; LANES], 0);
    while lane < LANES {
        bits[lane] = 1 << (lane % 32);
        lane += 1;
    }
    bits
};

/// All ones in the lanes of `mask`.
#[inline(always)]
pub(crate) fn expanded(mask: u64) -> Lanes {
    let mut expanded = [0; LANES];
    for (half, bits) in [mask as u32, (mask >> 32) as u32].into_iter().enumerate() {
        for lane in 32 * half..32 * half + 32 {
            expanded[lane] = if bits & BITS[lane] == 0 { 0 } else { !0 };
        }
    }
    expanded
}

/// Whether a condition holds in any lane of a mask, without branches between lanes.
macro_rules! any_lane {
    ($mask:expr, $lane:ident => $condition:expr) => {{
        let mut any = false;
        if $mask == !0 {
            for $lane in 0..LANES {
                any |= $condition;
            }
        } else {
            for (half, bits) in [$mask as u32, ($mask >> 32) as u32].into_iter().enumerate() {
                for $lane in 32 * half..32 * half + 32 {
                    any |= (bits & BITS[$lane] != 0) & ($condition);
                }
            }
        }
        any
    }};
}

/// Whether the lanes of `mask` have the values `first + step * lane`.
#[inline(always)]
pub(crate) fn is_ramp(values: &Lanes, first: u32, step: u32, mask: u64) -> bool {
    !any_lane!(mask, lane => values[lane] != first.wrapping_add(step.wrapping_mul(lane as u32)))
}

/// Whether all lanes of `mask` have `value`.
#[inline(always)]
pub(crate) fn are_equal(values: &Lanes, value: u32, mask: u64) -> bool {
    !any_lane!(mask, lane => values[lane] != value)
}

/// Whether the values of the lanes of `mask` are at most `span` above `least`.
#[inline(always)]
pub(crate) fn are_within(values: &Lanes, least: u32, span: u32, mask: u64) -> bool {
    !any_lane!(mask, lane => values[lane].wrapping_sub(least) > span)
}

/// Folds the values of the lanes of a mask; those of the others count as 0.
macro_rules! fold {
    ($values:expr, $mask:expr, |$all:ident, $one:ident| $fold:expr) => {{
        let mut $all = 0_u32;
        if $mask == !0 {
            for $one in *$values {
                $all = $fold;
            }
        } else {
            for ($one, active) in $values.iter().zip(expanded($mask)) {
                let $one = $one & active;
                $all = $fold;
            }
        }
        $all
    }};
}

/// The union of the bits of the lanes of `mask`.
#[inline(always)]
pub(crate) fn union(values: &Lanes, mask: u64) -> u32 {
    fold!(values, mask, |all, one| all | one)
}

/// The greatest value among the lanes of `mask`.
#[inline(always)]
pub(crate) fn greatest(values: &Lanes, mask: u64) -> u64 {
    fold!(values, mask, |all, one| all.max(one)) as u64
}

/// The largest difference of neighbouring lanes' values, without an element's size, with which 64 lanes do not
/// wrap.
const NEAR: u32 = (1 << 25) - 1;

/// Whether each lane's value is at least `bytes` above that of the lane before, and near it. Then elements of `bytes`
/// bytes do not overlap, whatever the mask.
#[inline(always)]
pub(crate) fn are_ascending(values: &Lanes, bytes: u32) -> bool {
    let (mut before, mut excess) = (values[0].wrapping_sub(bytes), 0);
    for &value in values {
        excess |= value.wrapping_sub(before).wrapping_sub(bytes);
        before = value;
    }
    excess & !NEAR == 0
}

/// The value of the lane before each lane; of the first lane, that of its own.
#[inline(always)]
pub(crate) fn before(values: &Lanes) -> Lanes {
    let mut before = *values;
    before[1..].copy_from_slice(&values[..LANES - 1]);
    before
}
