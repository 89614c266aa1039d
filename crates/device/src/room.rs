//! Host memory for a device, and whether there is enough.

use gcnsim_machine::Backing;

use super::dispatch_error::DispatchError;

/// Number of bytes that the host is taken to have without asking it.
pub const LITTLE: u64 = 64 << 20;

/// Returns zeroed memory, or an error if the host cannot give that much. `what` names the memory in the error.
pub fn backing(what: &str, bytes: u64) -> Result<Backing, DispatchError> {
    let len = usize::try_from(bytes).ok().filter(|_| has_room(bytes));
    len.and_then(Backing::zeroed).ok_or_else(|| DispatchError::NoRoom { what: what.to_string(), bytes })
}

/// Whether the host can give `bytes` bytes.
pub fn has_room(bytes: u64) -> bool {
    bytes <= LITTLE || bytes <= available_memory()
}

/// Returns the number of bytes that the host can give; `u64::MAX` if it does not say.
fn available_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kib.map_or(u64::MAX, |kib| kib.saturating_mul(1024))
}
