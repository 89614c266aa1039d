//! The buffers of a launch: their memory, contents and hashes.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::{iter, thread};

use gcnsim_machine::Backing;

use super::launch::{BufferError, Given};
use gcnsim_device::DispatchError;
use gcnsim_device::images::{Layout, Shape};
use gcnsim_device::room::{LITTLE, has_room};
use gcnsim_engine::xxh3::Xxh3;

/// A buffer or an image.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Name of the buffer or image.
    pub name: String,
    /// Host memory that holds the bytes of the buffer.
    pub bytes: Arc<Backing>,
    /// The part of it that does, for memory of an allocation; `None` if it holds nothing else.
    pub part: Option<Range<usize>>,
    /// Type, sizes and format of an image, and the layout of its texels; `None` for a buffer.
    pub image: Option<(Shape, Layout)>,
}

impl Buffer {
    /// Returns the kind and name for people, such as `image 'a'`.
    pub fn label(&self) -> String {
        let kind = match (&self.image, &self.part) {
            (Some(_), _) => "image",
            (None, Some(_)) => "memory",
            (None, None) => "buffer",
        };
        format!("{kind} '{}'", self.name)
    }

    /// Returns the size in bytes; that of an image without padding.
    pub fn size(&self) -> usize {
        let whole = self.part.as_ref().map_or(self.bytes.len(), Range::len);
        self.image.as_ref().map_or(whole, |(_, layout)| layout.packed_bytes() as usize)
    }

    /// Returns the offset of the first byte in host memory.
    pub fn offset(&self) -> usize {
        self.part.as_ref().map_or(0, |part| part.start)
    }

    /// Returns the place in host memory of byte `at`, and how many bytes follow there, this one included.
    fn locate(&self, at: usize) -> (usize, usize) {
        match &self.image {
            None => (self.offset() + at, self.size() - at),
            Some((_, layout)) => {
                let (place, len) = layout.locate(at as u64);
                (place as usize, len as usize)
            }
        }
    }

    /// Writes bytes from byte `at` on.
    pub fn write(&self, mut at: usize, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (place, len) = self.locate(at);
            let (part, rest) = bytes.split_at(len.min(bytes.len()));
            self.bytes.write(place, part);
            (at, bytes) = (at + part.len(), rest);
        }
    }

    /// Reads bytes from byte `at` on.
    pub fn read_into(&self, mut at: usize, mut bytes: &mut [u8]) {
        while !bytes.is_empty() {
            let (place, len) = self.locate(at);
            let len = len.min(bytes.len());
            let (part, rest) = std::mem::take(&mut bytes).split_at_mut(len);
            self.bytes.read_into(place, part);
            (at, bytes) = (at + part.len(), rest);
        }
    }

    /// Returns the bytes; those of an image without padding.
    pub fn to_vec(&self) -> Vec<u8> {
        self.bytes_at(0, self.size())
    }

    /// Returns `len` bytes from byte `at` on.
    pub fn bytes_at(&self, at: usize, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        self.read_into(at, &mut bytes);
        bytes
    }
}

/// Fewest bytes of contents that are worth another thread.
const LITTLE_TO_FILL: u64 = 128 << 10;

/// Fewest bytes whose hash is worth another thread.
const LITTLE_TO_HASH: usize = 1 << 20;

/// Number of bytes that are hashed or compared at once.
const PIECE: usize = 4 << 10;

/// Checks that there is room for all buffers, for what they are made from, and for a copy of them.
pub(super) fn check_room(buffers: &[Buffer]) -> Result<(), DispatchError> {
    let len = |buffer: &Buffer| buffer.part.as_ref().map_or(buffer.bytes.len(), Range::len) as u64;
    let bytes = buffers.iter().map(len).fold(0u64, u64::saturating_add);
    let has_room = has_room(bytes.saturating_mul(3));
    has_room.then_some(()).ok_or_else(|| DispatchError::NoRoom { what: "the buffers".to_owned(), bytes })
}

/// Prepares the pages of a new buffer for writes, unless it is large, because then most of it may stay empty.
pub(super) fn make_ready(buffer: &Backing) {
    if buffer.len() as u64 <= LITTLE {
        buffer.expect_writes();
    }
}

/// A buffer whose contents have been written into zeroed memory. Its other bytes are neither written nor read. So the
/// host need not have pages for them, and pages that were read first are slow to write.
pub(super) struct Filled {
    memory: Buffer,
    bytes: Bytes,
}

/// The bytes of a buffer, as far as they are known without reading them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bytes {
    /// All bytes are 0.
    Zeros,
    /// XXH3-64 of the bytes.
    Hash(u64),
}

impl Bytes {
    /// Whether the bytes differ from those in the buffer now, whose XXH3-64 is `hash`.
    pub fn differ(self, buffer: &Buffer, hash: u64) -> bool {
        match self {
            Bytes::Hash(before) => before != hash,
            Bytes::Zeros => {
                let mut piece = [0; PIECE];
                (0..buffer.size()).step_by(PIECE).any(|at| {
                    let piece = &mut piece[..PIECE.min(buffer.size() - at)];
                    buffer.read_into(at, piece);
                    piece.iter().any(|&byte| byte != 0)
                })
            }
        }
    }
}

impl Filled {
    /// Writes the contents into new memory.
    ///
    /// # Errors
    /// [`BufferError`] if they cannot be read, or a file has grown since its length was asked for.
    fn new(memory: Buffer, given: &Given<'_>) -> Result<Filled, BufferError> {
        let (content, size) = (given.len(), memory.size() as u64);
        if content > size {
            return Err(BufferError::TooLong { name: memory.label(), content, size });
        }
        let bytes = if content > 0 { Bytes::Hash(write(&memory, given)?) } else { Bytes::Zeros };
        Ok(Filled { memory, bytes })
    }
}

/// Writes the contents. Returns the XXH3-64 of them and the zeros behind them.
fn write(memory: &Buffer, given: &Given<'_>) -> Result<u64, BufferError> {
    let (mut at, mut hash) = (0, Xxh3::new());
    let is_read = match given {
        Given::File(file) if memory.image.is_none() && memory.part.is_none() => {
            // What was read is in a cache of the processor. So it costs little to copy it from there.
            let mut buffer = [0; PIECE];
            file.read_to(&memory.bytes, &mut |place| {
                for start in place.clone().step_by(PIECE) {
                    let piece = &mut buffer[..PIECE.min(place.end - start)];
                    memory.bytes.read_into(start, piece);
                    hash.update(piece);
                }
                at = place.end;
            })?
        }
        _ => false,
    };
    if !is_read {
        given.put(&mut |piece| {
            memory.write(at, piece);
            hash.update(piece);
            at += piece.len();
        })?;
    }
    zeros(memory.size() - at).for_each(|zeros| hash.update(zeros));
    Ok(hash.digest())
}

/// Writes the contents of new buffers, on several threads if that pays. The caller's thread calls `first`
/// before it does; there the allocator is quickest. Returns the result of `first`, too.
///
/// # Errors
/// As [`Filled::new`].
pub(super) fn fill<T>(
    buffers: Vec<(Buffer, Given<'_>)>,
    threads: usize,
    first: impl FnOnce() -> T,
) -> Result<(Vec<Filled>, T), BufferError> {
    let given = |(_, given): &(_, Given<'_>)| given.len();
    let one = |(memory, given): (Buffer, Given<'_>)| Filled::new(memory, &given);
    let filling = match buffers.iter().map(given).sum::<u64>() {
        0..LITTLE_TO_FILL => 0,
        _ => buffers.iter().filter(|buffer| given(buffer) > 0).count(),
    };
    let threads = threads.min(1 + filling);
    if threads < 2 {
        let result = first();
        return Ok((buffers.into_iter().map(one).collect::<Result<_, _>>()?, result));
    }
    let buffers = Mutex::new(buffers);
    let work = || {
        let next = || buffers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        iter::from_fn(next).map(one).collect::<Result<Vec<_>, _>>()
    };
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let result = first();
        let own = work();
        let others: Vec<_> = others.into_iter().map(|other| joined(other.join())).collect();
        let filled: Vec<_> = iter::once(own).chain(others).collect::<Result<_, _>>()?;
        Ok((filled.into_iter().flatten().collect(), result))
    })
}

/// The buffers that a launch has made.
pub(super) struct Initial(pub Vec<Filled>);

impl Initial {
    fn filled(&self, memory: &Arc<Backing>) -> Option<&Filled> {
        self.0.iter().find(|filled| Arc::ptr_eq(&filled.memory.bytes, memory))
    }

    fn filled_buffer(&self, buffer: &Buffer) -> Option<&Filled> {
        let is_it = |memory: &Buffer| Arc::ptr_eq(&memory.bytes, &buffer.bytes) && memory.part == buffer.part;
        self.0.iter().find(|filled| is_it(&filled.memory))
    }

    /// Returns what is known of the initial bytes of a buffer. `known` is the XXH3-64 that a launch before has left,
    /// for memory that was not filled.
    pub fn bytes(&self, buffer: &Buffer, known: Option<u64>) -> Bytes {
        match self.filled_buffer(buffer) {
            Some(filled) => filled.bytes,
            None => Bytes::Hash(known.unwrap_or_else(|| hash(buffer))),
        }
    }

    /// Whether it is known that all bytes of some memory are 0.
    pub fn is_zero(&self, memory: &Arc<Backing>) -> bool {
        self.filled(memory).is_some_and(|filled| filled.memory.part.is_none() && filled.bytes == Bytes::Zeros)
    }
}

/// Returns the XXH3-64 of each buffer, and the XXH3-64 of all buffers one after the other.
pub(super) fn hashes(buffers: &[Buffer], threads: usize) -> (Vec<u64>, u64) {
    if let [buffer] = buffers {
        let hash = hash(buffer);
        return (vec![hash], hash);
    }
    let bytes = buffers.iter().map(Buffer::size).fold(0, usize::saturating_add);
    let mut all = Xxh3::new();
    if threads < 2 || bytes < LITTLE_TO_HASH {
        let mut piece = [0; PIECE];
        let each = buffers.iter().map(|buffer| {
            let mut hash = Xxh3::new();
            update([&mut hash, &mut all], buffer, &mut piece);
            hash.digest()
        });
        return (each.collect(), all.digest());
    }
    thread::scope(|scope| {
        let each = scope.spawn(|| buffers.iter().map(hash).collect());
        buffers.iter().for_each(|buffer| update([&mut all], buffer, &mut [0; PIECE]));
        (joined(each.join()), all.digest())
    })
}

/// Returns the XXH3-64 of a buffer.
fn hash(buffer: &Buffer) -> u64 {
    let mut hash = Xxh3::new();
    update([&mut hash], buffer, &mut [0; PIECE]);
    hash.digest()
}

/// Adds the bytes of a buffer to each of `hashes`. They are copied piece by piece, because a buffer may be as large as
/// memory.
fn update<const N: usize>(mut hashes: [&mut Xxh3; N], buffer: &Buffer, piece: &mut [u8; PIECE]) {
    for at in (0..buffer.size()).step_by(PIECE) {
        let piece = &mut piece[..PIECE.min(buffer.size() - at)];
        buffer.read_into(at, piece);
        hashes.iter_mut().for_each(|hash| hash.update(piece));
    }
}

/// Returns `count` zeros, in pieces.
fn zeros(count: usize) -> impl Iterator<Item = &'static [u8]> {
    static ZEROS: [u8; PIECE] = [0; PIECE];
    (0..count).step_by(PIECE).map(move |at| &ZEROS[..PIECE.min(count - at)])
}

/// Returns the result of a thread. If the thread has panicked, the panic goes on here.
fn joined<T>(result: thread::Result<T>) -> T {
    result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use gcnsim_machine::BackingSnapshot;
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;
    use crate::launch::{BufferSpec, Content, Outside};
    use gcnsim_device::args::Places;

    fn filled(content: &Content, size: u64) -> (Arc<Backing>, Filled) {
        let memory = Arc::new(Backing::zeroed(size as usize).unwrap());
        let given = match content {
            Content::Bytes(bytes) => Given::Bytes(bytes.into()),
            content => Given::Repeated(content, size),
        };
        (memory.clone(), Filled::new(buffer("b", &memory), &given).unwrap())
    }

    fn buffer(name: &str, memory: &Arc<Backing>) -> Buffer {
        Buffer { name: name.to_owned(), bytes: memory.clone(), part: None, image: None }
    }

    #[test]
    fn contents_are_hashed_and_come_back() {
        let size = 3 * PIECE as u64 + 5;
        for content in [
            Content::Bytes(Vec::new()),
            Content::Bytes((0..PIECE + 3).map(|i| i as u8 | 1).collect()),
            Content::Fill(vec![1, 2, 3]),
            Content::Fill(vec![7; 2 * PIECE]),
        ] {
            let (memory, filled) = filled(&content, size);
            let before = memory.to_vec();
            let is_zero = before.iter().all(|&byte| byte == 0);
            assert_eq!(filled.bytes, if is_zero { Bytes::Zeros } else { Bytes::Hash(xxh3_64(&before)) }, "{content:?}");
            let differ = |filled: &Filled| {
                let now = &filled.memory;
                filled.bytes.differ(now, xxh3_64(&now.to_vec()))
            };
            assert!(!differ(&filled));
            let initial = Initial(vec![filled]);
            let shared = Arc::new(Backing::zeroed(8).unwrap());
            let snapshot = |memory| match initial.is_zero(memory) {
                true => BackingSnapshot::of_zeros(memory),
                false => BackingSnapshot::new(memory),
            };
            let then = [&memory, &shared].map(snapshot);
            memory.write(before.len() - 1, &[before[before.len() - 1] ^ 1]);
            assert!(differ(&initial.0[0]));
            for at in [0, PIECE, before.len() - 1] {
                memory.write(at, &[0xaa]);
            }
            assert_ne!(memory.to_vec(), before);
            shared.write(0, &[1; 8]);
            then.iter().for_each(BackingSnapshot::restore);
            assert_eq!((memory.to_vec(), shared.to_vec()), (before, vec![0; 8]), "{content:?}");
        }
    }

    #[test]
    fn files_are_read_into_memory() {
        // One stays open, and has several pieces. One is read at the start.
        for (length, shorter) in [(700_001, 300_000), (7001, 3000)] {
            file_is_read(length, shorter);
        }
    }

    fn file_is_read(length: usize, shorter: usize) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("in.bin");
        // Zeros follow in memory.
        let bytes: Vec<u8> = (0..length as u32).map(|i| (i % 251) as u8).collect();
        std::fs::write(&path, &bytes).unwrap();
        let content = Content::File("in.bin".into());
        let spec = BufferSpec { name: "b".into(), content, size: None, save: None, shape: None, at: None };
        let places = Places { arch: gcnsim_isa::Arch::Gcn14, objects: 0, list: Vec::new() };
        let given = || spec.given(folder.path(), Outside::Refused, &places).unwrap();
        assert_eq!(spec.size_in(folder.path(), Outside::Refused).unwrap(), length as u64);
        let (mut pieces, memory) = (Vec::<u8>::new(), Arc::new(Backing::zeroed(bytes.len() + 5).unwrap()));
        given().put(&mut |piece| pieces.extend(piece)).unwrap();
        assert!(pieces == bytes);
        let filled = Filled::new(buffer("b", &memory), &given()).unwrap();
        let expected = [&bytes[..], &[0; 5]].concat();
        assert!(memory.to_vec() == expected);
        assert_eq!(filled.bytes, Bytes::Hash(xxh3_64(&expected)));

        let text = |result: Result<Filled, BufferError>| result.err().unwrap().to_string();
        let small = Arc::new(Backing::zeroed(length - 1).unwrap());
        let grown = Filled::new(buffer("b", &small), &given());
        assert_eq!(text(grown), format!("buffer 'b': a content of {length} bytes in {} bytes", length - 1));
        let shrunk = given();
        std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(shorter as u64).unwrap();
        let error = format!("buffer 'b': in.bin: the file shrank from {length} to {shorter} bytes while it was in use");
        assert_eq!(text(Filled::new(buffer("b", &memory), &shrunk)), error);
    }

    #[test]
    fn threads_change_neither_contents_nor_hashes() {
        let fill = |threads| {
            let specs = (1..6u8).map(|i| Content::Fill(vec![i; i.into()])).collect::<Vec<_>>();
            let new = |content| (Arc::new(Backing::zeroed(1 << 20).unwrap()), content);
            let buffers: Vec<_> = specs.iter().map(new).collect();
            let given =
                buffers.iter().map(|(memory, content)| (buffer("b", memory), Given::Repeated(content, 1 << 20)));
            let (filled, own) = super::fill(given.collect(), threads, || "done").unwrap();
            assert_eq!((filled.len(), own), (5, "done"));
            buffers.iter().map(|(memory, _)| buffer("b", memory)).collect::<Vec<_>>()
        };
        let (one, four) = (fill(1), fill(4));
        let bytes: Vec<Vec<u8>> = one.iter().map(|buffer| buffer.bytes.to_vec()).collect();
        assert!(four.iter().zip(&bytes).all(|(buffer, bytes)| buffer.bytes.to_vec() == *bytes));
        let expected = (bytes.iter().map(|bytes| xxh3_64(bytes)).collect::<Vec<_>>(), xxh3_64(&bytes.concat()));
        assert_eq!((hashes(&one, 1), hashes(&one, 2)), (expected.clone(), expected));
        assert_eq!(hashes(&one[..1], 2), (vec![xxh3_64(&bytes[0])], xxh3_64(&bytes[0])));
    }

    /// Untouched pages cost nothing, and pages that are read first are slow to write.
    #[cfg(target_os = "linux")]
    #[test]
    fn zeros_are_not_looked_at() {
        let faults = || {
            let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
            let (_, fields) = stat.rsplit_once(") ").unwrap();
            fields.split(' ').nth(7).unwrap().parse::<u64>().unwrap()
        };
        const SIZE: u64 = 256 << 20;
        let content = Content::Bytes(vec![1; 10_000]);
        let before = faults();
        let (_, filled) = filled(&content, SIZE);
        let few = faults() - before;
        assert!(few < 1000, "{few} page faults");
        assert_eq!(Bytes::Hash(hash(&filled.memory)), filled.bytes);
    }

    #[test]
    fn large_pages_change_no_bytes() {
        for len in [4096, (2 << 20) - 1, 2 << 20, (5 << 20) + 7] {
            let memory = Backing::zeroed(len).unwrap();
            memory.write(len - 3, &[1, 2, 3]);
            make_ready(&memory);
            memory.write(0, &[4]);
            let mut expected = vec![0; len];
            (expected[0], expected[len - 3], expected[len - 2], expected[len - 1]) = (4, 1, 2, 3);
            assert!(memory.to_vec() == expected, "{len}");
        }
    }
}
