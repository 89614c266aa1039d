//! How a case ends, and comparisons of what it has given.

use std::fmt::{Debug, LowerHex};

use ash::vk;

use crate::gpu::Gpu;

/// Why a case has no right result.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The device does not have what the case needs.
    Skipped(String),
    /// The device gives something else than the host.
    Wrong(String),
}

/// What a case ends with.
pub(crate) type Done = Result<(), Stop>;

impl From<vk::Result> for Stop {
    fn from(error: vk::Result) -> Stop {
        Stop::Wrong(error.to_string())
    }
}

/// Returns that a case needs what the device does not have.
pub(crate) fn need(has: bool, what: &str) -> Done {
    if has { Ok(()) } else { Err(Stop::Skipped(format!("no {what}"))) }
}

/// Returns that something is wrong.
pub(crate) fn wrong<T>(what: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Wrong(what.into()))
}

impl Gpu {
    /// Compares results that are the same on every device.
    pub(crate) fn same<T: Copy + PartialEq + Debug + LowerHex>(&self, what: &str, got: &[T], want: &[T]) -> Done {
        self.add_to_hash(crate::buffer::bytes_of(got));
        same_here(what, got, want)
    }
}

/// Compares results that depend on the device.
pub(crate) fn same_here<T: Copy + PartialEq + Debug + LowerHex>(what: &str, got: &[T], want: &[T]) -> Done {
    if got.len() != want.len() {
        return wrong(format!("{what}: {} values instead of {}", got.len(), want.len()));
    }
    let mut different = (0..).zip(got.iter().zip(want)).filter(|(_, (got, want))| got != want);
    let Some((at, (first, right))) = different.next() else { return Ok(()) };
    let count = different.count() + 1;
    wrong(format!("{what}: {count} of {} values; {at} is {first:#x} instead of {right:#x}", got.len()))
}

/// Compares numbers that may differ by a part of their size, or by `least`.
pub(crate) fn near(what: &str, got: &[f64], want: &[f64], part: f64, least: f64) -> Done {
    for (at, (&got, &want)) in got.iter().zip(want).enumerate() {
        let is_near = (got - want).abs() <= (want.abs() * part).max(least);
        if !(is_near || got == want || got.is_nan() && want.is_nan()) {
            return wrong(format!("{what}: {at} is {got} instead of {want}"));
        }
    }
    if got.len() == want.len() { Ok(()) } else { wrong(format!("{what}: {} values", got.len())) }
}
