//! Memory of the host for a dispatch: is there so much, and what is in it?

use gcnsim_machine::Segment;
use xxhash_rust::xxh3::Xxh3Default;

use super::place::{Buffer, SetupError};

/// So many bytes are there.
const LITTLE: u64 = 64 << 20;

/// Zeroed memory, unless that is more than the host can give.
pub(super) fn segment(what: &str, bytes: u64) -> Result<Segment, SetupError> {
    let len = usize::try_from(bytes).ok().filter(|_| has_room(bytes));
    len.and_then(Segment::zeroed).ok_or_else(|| SetupError::NoRoom { what: what.to_string(), bytes })
}

/// Can the host give so many bytes?
pub(super) fn has_room(bytes: u64) -> bool {
    bytes <= LITTLE || bytes <= available_memory()
}

/// Bytes of memory that the host can give, as far as it tells.
fn available_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kib.map_or(u64::MAX, |kib| kib.saturating_mul(1024))
}

/// Is there room for all buffers, what they are made from, and a copy of them to begin again with?
pub(super) fn check_room(buffers: &[Buffer]) -> Result<(), SetupError> {
    let bytes = buffers.iter().map(|buffer| buffer.bytes.len() as u64).fold(0u64, u64::saturating_add);
    let has_room = has_room(bytes.saturating_mul(3));
    has_room.then_some(()).ok_or_else(|| SetupError::NoRoom { what: "the buffers".to_owned(), bytes })
}

/// XXH3-64 of all bytes, which others hash, too. A buffer may be as large as memory, so there is no copy of it.
pub(super) fn hash(segment: &Segment, others: &mut [&mut Xxh3Default]) -> u64 {
    const PIECE: usize = 16 << 10;
    let (mut hash, mut piece) = (Xxh3Default::new(), [0; PIECE]);
    for at in (0..segment.len()).step_by(PIECE) {
        let piece = &mut piece[..PIECE.min(segment.len() - at)];
        segment.read_into(at, piece);
        hash.update(piece);
        others.iter_mut().for_each(|other| other.update(piece));
    }
    hash.digest()
}
