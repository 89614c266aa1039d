//! What a launch has printed.

use gcnsim_device::printf::{self, Missing, Printed};

use crate::place::PlacedLaunch;

/// Default size of a printf buffer in bytes.
pub const DEFAULT_BYTES: u32 = 1 << 20;

/// Returns the text that a kernel has printed; `formats` are the format strings of its object. `None` if it cannot
/// print.
pub fn of_launch(placed: &PlacedLaunch, formats: &[Vec<u8>]) -> Option<Printed> {
    let string_at = |address| placed.dispatch.string_at(address);
    Some(printf::of_buffer(formats, placed.printf_buffer()?, &string_at))
}

/// Returns the reason in words why text is missing or may be missing, if it is.
pub fn missing(printed: &Printed) -> Option<String> {
    printed.missing.as_ref().map(|missing| match missing {
        Missing::Full { .. } | Missing::AlmostFull { .. } => format!("{missing} (--printf-bytes takes a larger one)"),
        Missing::Cut | Missing::NoText { .. } => missing.to_string(),
    })
}
