//! Bytes of guest memory, which threads share.
//!
//! Groups of a dispatch may run on several threads and write the same bytes. Every access here is a relaxed atomic
//! access of the host, and an update is sequentially consistent: in a race of the guest, a load gives one of the values
//! that were stored. Each access asserts that its bytes lie in the backing; a long one is cut into aligned pieces.
//!
//! The soundness rests on one assumption: racing accesses of different sizes to the same bytes, which Rust's memory
//! model does not cover, compile to single loads and stores of the host. Guest addresses reach backings only through
//! [`Space`](crate::Space), which finds the mapping that holds all bytes of an access.
#![allow(unsafe_code)]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::fmt;
use std::fs::File;
use std::io;
#[cfg(not(all(target_os = "linux", not(miri))))]
use std::io::{Read, Seek};
#[cfg(all(target_os = "linux", not(miri)))]
use std::os::fd::AsRawFd;
use std::ptr::NonNull;
use std::slice;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed, Ordering::SeqCst};

use crate::keeper::Keeper;

/// Alignment of a backing in host memory, in bytes. Guest addresses of backings are multiples of 256, so an access that
/// is aligned for the guest is aligned for the host.
const ALIGN: usize = 256;

/// Size in bytes from which backings are worth large pages of the host.
const LARGE: usize = 1 << 20;

/// Size of a large page of the host, in bytes. Backings of [`LARGE`] bytes and more begin at a multiple of it.
const LARGE_PAGE: usize = 2 << 20;

/// Fewest bytes for which a large page is worth its zeroing: as many small pages take longer to appear one by one.
const LEAST_IN_LARGE_PAGE: usize = 512 << 10;

/// Most bytes of a file that are read at once where that needs a copy.
#[cfg(not(all(target_os = "linux", not(miri))))]
const PIECE: usize = 64 << 10;

/// Bytes of guest memory, which are zero at first. Their number never changes.
pub struct Backing {
    data: NonNull<u8>,
    len: usize,
    /// Number of bytes of the allocation before `data`; `None` if somebody else owns the memory.
    before: Option<usize>,
    /// What keeps pages for snapshots, once there was one.
    keeper: OnceLock<Keeper>,
}

// SAFETY: `data` is owned or borrowed for so long, and all accesses through a shared reference are atomic.
unsafe impl Send for Backing {}
// SAFETY: as above.
unsafe impl Sync for Backing {}

impl Backing {
    /// A backing of `len` zeros; `None` if the host has no memory for it.
    pub fn zeroed(len: usize) -> Option<Backing> {
        if len == 0 {
            return Some(Backing {
                data: NonNull::<u64>::dangling().cast(),
                len,
                before: None,
                keeper: OnceLock::new(),
            });
        }
        let start = allocate(len)?;
        let before = start.as_ptr().addr().next_multiple_of(alignment(len)) - start.as_ptr().addr();
        // SAFETY: the layout has room for that.
        Some(Backing { data: unsafe { start.add(before) }, len, before: Some(before), keeper: OnceLock::new() })
    }

    /// A backing of `len` bytes that somebody else owns: memory of a host program, for example. `None` if their address
    /// is no multiple of 256. Who owns them may read and write them while kernels run, as other work-items might.
    ///
    /// # Safety
    /// The bytes must be readable, and writable unless no mapping of the backing is, as long as the backing lives. Code
    /// of the host must not hold references to them that forbid other accesses.
    pub unsafe fn borrowed(data: NonNull<u8>, len: usize) -> Option<Backing> {
        data.addr().get().is_multiple_of(ALIGN).then(|| Backing { data, len, before: None, keeper: OnceLock::new() })
    }

    /// Number of bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The host address of the first byte. It is aligned to 256 bytes unless the backing is empty. Code that reads or
    /// writes through it must stay within [`Backing::len`] and must allow for other threads. Before it writes it must
    /// call [`Backing::before_store`].
    pub fn as_ptr(&self) -> *mut u8 {
        self.data.as_ptr()
    }

    /// Tells the host that most bytes will be written. The host may then use large pages, which cost one page fault in
    /// place of 512. Do not call it for backings that may stay mostly untouched.
    pub fn expect_writes(&self) {
        #[cfg(all(target_os = "linux", not(miri)))]
        if self.len >= LARGE && self.before.is_some() {
            let room = room(self.len);
            let len = room - room % LARGE_PAGE;
            // SAFETY: the pages lie in the allocation. The advice changes none of their bytes, and a system that does
            // not know it refuses it.
            unsafe { libc::madvise(self.as_ptr().cast(), len, libc::MADV_HUGEPAGE) };
        }
    }

    pub(crate) fn keeper(&self) -> &Keeper {
        self.keeper.get_or_init(|| Keeper::new(self.len))
    }

    /// Whether pages have to be kept for a snapshot, so that stores must be announced to [`Backing::before_store`].
    #[inline(always)]
    pub fn is_kept(&self) -> bool {
        self.keeper.get().is_some_and(Keeper::is_needed)
    }

    /// Keeps what a snapshot still needs of `len` bytes from byte `at` on, which are about to be overwritten.
    #[inline(always)]
    pub fn before_store(&self, at: usize, len: usize) {
        if let Some(keeper) = self.keeper.get().filter(|_| len > 0) {
            keeper.before_store(self, at, len);
        }
    }

    /// Whether [`Backing::before_store`] has nothing to do. Of many bytes it is not known.
    pub fn has_kept(&self, at: usize, len: usize) -> bool {
        len > 0 && self.keeper.get().is_some_and(|keeper| keeper.has_kept(at, len))
    }

    fn byte(&self, at: usize) -> &AtomicU8 {
        assert!(at < self.len, "byte {at} of a backing of {} bytes", self.len);
        // SAFETY: the byte lies within the backing, and every access through a shared reference is atomic.
        unsafe { AtomicU8::from_ptr(self.as_ptr().add(at)) }
    }

    /// The dword at byte `at`, which must be a multiple of 4.
    fn dword(&self, at: usize) -> &AtomicU32 {
        assert!(
            at.is_multiple_of(4) && at < self.len && self.len - at >= 4,
            "dword {at} of a backing of {} bytes",
            self.len
        );
        // SAFETY: the dword lies within the backing and is aligned, because the backing is. Every access through a
        // shared reference is atomic.
        unsafe { AtomicU32::from_ptr(self.as_ptr().add(at).cast()) }
    }

    /// The qword at byte `at`, which must be a multiple of 8.
    ///
    /// # Panics
    /// If it does not lie in the backing.
    #[inline]
    pub(crate) fn qword(&self, at: usize) -> &AtomicU64 {
        assert!(
            at.is_multiple_of(8) && at < self.len && self.len - at >= 8,
            "qword {at} of a backing of {} bytes",
            self.len
        );
        // SAFETY: the qword lies within the backing and is aligned, because the backing is. Every access through a
        // shared reference is atomic.
        unsafe { AtomicU64::from_ptr(self.as_ptr().add(at).cast()) }
    }

    /// The `count` qwords from byte `at` on, which must be a multiple of 8.
    #[inline]
    pub(crate) fn qwords(&self, at: usize, count: usize) -> &[AtomicU64] {
        assert!(
            at.is_multiple_of(8) && at <= self.len && count <= (self.len - at) / 8,
            "{count} qwords at {at} of a backing of {} bytes",
            self.len
        );
        // SAFETY: the qwords lie within the backing and are aligned, because the backing is, even an empty one. Every
        // access through a shared reference is atomic.
        unsafe { slice::from_raw_parts(self.as_ptr().add(at).cast(), count) }
    }

    /// `N` bytes from byte `at` on.
    ///
    /// # Panics
    /// If they do not all lie in the backing.
    #[inline]
    pub fn read<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut bytes = [0; N];
        self.read_into(at, &mut bytes);
        bytes
    }

    /// Fills `bytes` with the bytes of the backing from byte `at` on. Dwords and qwords at multiples of their size are
    /// read as a whole.
    ///
    /// # Panics
    /// If they do not all lie in the backing.
    #[inline]
    pub fn read_into(&self, at: usize, bytes: &mut [u8]) {
        match bytes.len() {
            4 if at.is_multiple_of(4) => bytes.copy_from_slice(&self.dword(at).load(Relaxed).to_ne_bytes()),
            8 if at.is_multiple_of(8) => bytes.copy_from_slice(&self.qword(at).load(Relaxed).to_ne_bytes()),
            _ => self.read_long(at, bytes),
        }
    }

    fn read_long(&self, mut at: usize, mut bytes: &mut [u8]) {
        while !bytes.is_empty() {
            let len = piece(at, bytes.len());
            let (piece, rest) = bytes.split_at_mut(len);
            match piece {
                [byte] => *byte = self.byte(at).load(Relaxed),
                [_, _, _, _] => self.read_into(at, piece),
                qwords => {
                    let (pieces, _) = qwords.as_chunks_mut::<8>();
                    let from = self.qwords(at, pieces.len());
                    // SAFETY: both have so many qwords, and do not overlap: nobody has a reference to the bytes of a
                    // backing.
                    if !unsafe { copy_many(from.as_ptr().cast(), pieces.as_mut_ptr(), pieces.len()) } {
                        pieces.iter_mut().zip(from).for_each(|(to, from)| *to = from.load(Relaxed).to_ne_bytes());
                    }
                }
            }
            at += len;
            bytes = rest;
        }
    }

    /// Writes `bytes` from byte `at` on. Dwords and qwords at multiples of their size are written as a whole.
    ///
    /// # Panics
    /// If they do not all lie in the backing.
    #[inline]
    pub fn write(&self, at: usize, bytes: &[u8]) {
        self.before_store(at, bytes.len());
        match *bytes {
            [a, b, c, d] if at.is_multiple_of(4) => self.dword(at).store(u32::from_ne_bytes([a, b, c, d]), Relaxed),
            [a, b, c, d, e, f, g, h] if at.is_multiple_of(8) => {
                self.qword(at).store(u64::from_ne_bytes([a, b, c, d, e, f, g, h]), Relaxed);
            }
            _ => self.write_long(at, bytes),
        }
    }

    fn write_long(&self, mut at: usize, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (piece, rest) = bytes.split_at(piece(at, bytes.len()));
            match piece {
                [byte] => self.byte(at).store(*byte, Relaxed),
                [_, _, _, _] => self.write(at, piece),
                qwords => {
                    let (pieces, _) = qwords.as_chunks::<8>();
                    let to = self.qwords(at, pieces.len());
                    // SAFETY: both have so many qwords, and do not overlap: nobody has a reference to the bytes of a
                    // backing.
                    if !unsafe { copy_many(pieces.as_ptr(), to.as_ptr().cast_mut().cast(), pieces.len()) } {
                        to.iter().zip(pieces).for_each(|(to, from)| to.store(u64::from_ne_bytes(*from), Relaxed));
                    }
                }
            }
            at += piece.len();
            bytes = rest;
        }
    }

    /// Reads up to `len` bytes of a file, from its byte `from` on, to byte `at` on: without a copy in between, and in
    /// one step, as far as the system does. Returns their number; 0 is the end of the file.
    ///
    /// # Errors
    /// That of reading.
    ///
    /// # Panics
    /// If the bytes do not all lie in the backing.
    pub fn read_file(&self, at: usize, len: usize, file: &File, from: u64) -> io::Result<usize> {
        assert!(at <= self.len && len <= self.len - at, "{len} bytes at {at} of a backing of {} bytes", self.len);
        self.before_store(at, len);
        #[cfg(all(target_os = "linux", not(miri)))]
        {
            let from = libc::off64_t::try_from(from).map_err(|_| io::ErrorKind::InvalidInput)?;
            // SAFETY: the bytes lie in the backing. Nobody has a reference to them, except as atomics, and the system
            // writes them as another thread would.
            let read = unsafe { libc::pread64(file.as_raw_fd(), self.as_ptr().add(at).cast(), len, from) };
            usize::try_from(read).map_err(|_| io::Error::last_os_error())
        }
        #[cfg(not(all(target_os = "linux", not(miri))))]
        {
            let mut piece = vec![0; len.min(PIECE)];
            let mut file = file;
            file.seek(io::SeekFrom::Start(from))?;
            let read = file.read(&mut piece)?;
            self.write(at, &piece[..read]);
            Ok(read)
        }
    }

    /// Replaces the dword at byte `at` atomically by the result of `new`. Returns the old value.
    ///
    /// # Panics
    /// If the dword is not in the backing or `at` is not a multiple of 4.
    pub fn update32(&self, at: usize, mut new: impl FnMut(u32) -> u32) -> u32 {
        self.before_store(at, 4);
        self.dword(at).fetch_update(SeqCst, SeqCst, |old| Some(new(old.to_le()).to_le())).unwrap_or_default().to_le()
    }

    /// Replaces the qword at byte `at` atomically by the result of `new`. Returns the old value.
    ///
    /// # Panics
    /// If the qword is not in the backing or `at` is not a multiple of 8.
    pub fn update64(&self, at: usize, mut new: impl FnMut(u64) -> u64) -> u64 {
        self.before_store(at, 8);
        self.qword(at).fetch_update(SeqCst, SeqCst, |old| Some(new(old.to_le()).to_le())).unwrap_or_default().to_le()
    }

    /// Copies all bytes of another backing to the offset `at`, a multiple of 8.
    ///
    /// # Panics
    /// If there is no room.
    pub(crate) fn copy_from(&self, other: &Backing, at: usize) {
        self.before_store(at, other.len);
        let count = other.len / 8;
        let (to, from) = (self.qwords(at, count), other.qwords(0, count));
        to.iter().zip(from).for_each(|(to, from)| to.store(from.load(Relaxed), Relaxed));
        for rest in 8 * count..other.len {
            self.byte(at + rest).store(other.byte(rest).load(Relaxed), Relaxed);
        }
    }

    /// Returns the offsets of aligned qwords that differ from those of a backing of the same size.
    ///
    /// # Panics
    /// If the other one is shorter.
    pub(crate) fn differing_qwords<'a>(&'a self, other: &'a Backing) -> impl Iterator<Item = usize> + 'a {
        let count = self.len / 8;
        let pairs = self.qwords(0, count).iter().zip(other.qwords(0, count)).enumerate();
        pairs.filter(|(_, (a, b))| a.load(Relaxed) != b.load(Relaxed)).map(|(n, _)| 8 * n)
    }

    /// Writes dwords from the offset `at` on, a multiple of 8.
    ///
    /// # Panics
    /// If there is no room for all pairs of them.
    pub(crate) fn write_dwords(&self, at: usize, dwords: &[u32]) {
        self.before_store(at, 4 * dwords.len());
        let (pairs, rest) = dwords.as_chunks::<2>();
        let to = self.qwords(at, pairs.len());
        for (to, [low, high]) in to.iter().zip(pairs) {
            to.store((u64::from(*high) << 32 | u64::from(*low)).to_le(), Relaxed);
        }
        rest.iter().for_each(|dword| self.write(at + 8 * pairs.len(), &dword.to_le_bytes()));
    }

    /// All bytes.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.len];
        self.read_into(0, &mut bytes);
        bytes
    }

    /// Sets `len` bytes from byte `at` on to zero.
    ///
    /// # Panics
    /// If they do not all lie in the backing.
    pub fn clear(&self, at: usize, len: usize) {
        const ZEROS: [u8; 4096] = [0; 4096];
        for start in (0..len).step_by(ZEROS.len()) {
            self.write(at + start, &ZEROS[..(len - start).min(ZEROS.len())]);
        }
    }
}

/// Copies qwords, if they are so many that the processor has a faster way than one by one. Returns whether it did.
/// Other threads may access them meanwhile: what copies them is one instruction for all.
///
/// # Safety
/// There are `count` qwords at `from`, and as many at `to`, which do not overlap. Those at `to` may be written.
#[inline]
unsafe fn copy_many(from: *const [u8; 8], to: *mut [u8; 8], count: usize) -> bool {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if count >= MANY {
        // SAFETY: the caller's promise. Code in Rust runs with an ascending direction of string instructions.
        unsafe {
            std::arch::asm!(
                "rep movsq",
                inout("rcx") count => _,
                inout("rsi") from => _,
                inout("rdi") to => _,
                options(nostack, preserves_flags)
            );
        }
        return true;
    }
    let _ = (from, to, count);
    false
}

/// Fewest qwords that a string instruction copies faster than a loop.
#[cfg(all(target_arch = "x86_64", not(miri)))]
const MANY: usize = 64;

/// Number of bytes at byte `at` that one access reads or writes, if `left` bytes are left: whole qwords, a dword or a
/// byte.
fn piece(at: usize, left: usize) -> usize {
    match left {
        8.. if at.is_multiple_of(8) => left & !7,
        4.. if at.is_multiple_of(4) => 4,
        _ => 1,
    }
}

/// Alignment of a backing of `len` bytes.
fn alignment(len: usize) -> usize {
    if len < LARGE { ALIGN } else { LARGE_PAGE }
}

/// Number of bytes that a backing of `len` bytes takes: whole large pages, if the last one is worth it.
fn room(len: usize) -> usize {
    if len < LARGE || len % LARGE_PAGE < LEAST_IN_LARGE_PAGE {
        return len;
    }
    len.checked_next_multiple_of(LARGE_PAGE).unwrap_or(len)
}

/// The layout of the allocation for a backing of `len` bytes, which is aligned within it by hand.
fn layout(len: usize) -> Option<Layout> {
    Layout::from_size_align(room(len).checked_add(alignment(len))?, align_of::<u64>()).ok()
}

/// Whether the memory of a backing of `len` bytes comes from the system and not from the allocator. The system zeroes
/// pages when they are first touched. The allocator writes zeros to memory that was in use before, and so touches all.
fn is_mapped(len: usize) -> bool {
    cfg!(all(target_os = "linux", not(miri))) && len >= LARGE
}

/// The first byte of zeroed memory with the [`layout`] for a backing of `len` bytes, at least one; `None` if there is
/// none. [`free`] gives it back.
fn allocate(len: usize) -> Option<NonNull<u8>> {
    let layout = layout(len)?;
    #[cfg(all(target_os = "linux", not(miri)))]
    if is_mapped(len) {
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: the system chooses the address of a new mapping.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), layout.size(), access, kind, -1, 0) };
        return NonNull::new(start.cast()).filter(|_| start != libc::MAP_FAILED);
    }
    // SAFETY: the layout is not empty.
    NonNull::new(unsafe { alloc_zeroed(layout) })
}

/// Gives back the memory of a backing of `len` bytes.
///
/// # Safety
/// `start` must be from [`allocate`] with this `len`, and nobody may use the memory any more.
unsafe fn free(start: *mut u8, len: usize) {
    let Some(layout) = layout(len) else { return };
    #[cfg(all(target_os = "linux", not(miri)))]
    if is_mapped(len) {
        // SAFETY: the caller says that the mapping is of this size, and that nobody uses it.
        unsafe { libc::munmap(start.cast(), layout.size()) };
        return;
    }
    // SAFETY: the caller says that the memory was allocated with this layout, and that nobody uses it.
    unsafe { dealloc(start, layout) };
}

impl Drop for Backing {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            // SAFETY: `zeroed` got the memory for this length, and nobody has a reference any more.
            unsafe { free(self.data.as_ptr().sub(before), self.len) };
        }
    }
}

impl fmt::Debug for Backing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Backing({} bytes)", self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borrowed_memory_stays_its_owners() {
        #[repr(align(256))]
        struct Owned([AtomicU8; 300]);
        let owned = Owned(std::array::from_fn(|at| AtomicU8::new(at as u8)));
        let data = NonNull::from(&owned.0).cast::<u8>();
        // SAFETY: the bytes live longer than the backings, and are atomics.
        let backing = unsafe { Backing::borrowed(data, 300) }.unwrap();
        assert_eq!(backing.to_vec()[255..258], [255, 0, 1]);
        backing.write(2, &[7, 8]);
        drop(backing);
        let bytes = [1, 2, 3].map(|at: usize| owned.0[at].load(std::sync::atomic::Ordering::Relaxed));
        assert_eq!(bytes, [1, 7, 8]);
        // SAFETY: as above.
        assert!(unsafe { Backing::borrowed(data.add(8), 8) }.is_none());
    }

    #[test]
    fn bytes_written_are_read_at_every_place_and_length() {
        let backing = Backing::zeroed(64).unwrap();
        let data: Vec<u8> = (1..=40).collect();
        for at in 0..24 {
            for len in 0..40 {
                backing.clear(0, 64);
                backing.write(at, &data[..len]);
                let mut expected = vec![0; 64];
                expected[at..at + len].copy_from_slice(&data[..len]);
                assert_eq!(backing.to_vec(), expected, "{len} bytes at {at}");
                let mut read = vec![0; len];
                backing.read_into(at, &mut read);
                assert_eq!(read, data[..len]);
            }
        }
    }

    #[test]
    fn updates_are_atomic() {
        let backing = Backing::zeroed(16).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        backing.update32(4, |old| old + 1);
                        backing.update64(8, |old| old + 3);
                    }
                });
            }
        });
        assert_eq!((backing.read(4), backing.read(8)), (4000u32.to_le_bytes(), 12000u64.to_le_bytes()));
        assert_eq!(backing.update32(4, |_| 7), 4000);
    }

    #[test]
    #[should_panic(expected = "of a backing of 16 bytes")]
    fn nothing_outside_is_reached() {
        Backing::zeroed(16).unwrap().read::<4>(13);
    }

    #[test]
    fn large_backings_are_aligned_and_zero() {
        for len in [LARGE - 1, LARGE, LARGE + 7, LARGE_PAGE - 1, LARGE_PAGE, 1 << 32] {
            let Some(backing) = Backing::zeroed(len) else { continue };
            assert_eq!((backing.as_ptr().addr() % alignment(len), backing.len()), (0, len));
            backing.write(len - 9, &[7; 9]);
            assert_eq!((backing.read(0), backing.read(len - 10)), ([0; 8], [0, 7]));
        }
    }

    /// Memory that was in use comes back untouched.
    #[cfg(all(target_os = "linux", not(miri)))]
    #[test]
    fn zeros_of_large_backings_are_not_written() {
        let faults = || {
            let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
            let (_, fields) = stat.rsplit_once(") ").unwrap();
            fields.split(' ').nth(7).unwrap().parse::<u64>().unwrap()
        };
        for _ in 0..3 {
            let before = faults();
            let backing = Backing::zeroed(24 << 20).unwrap();
            backing.write(12 << 20, &[1; 8]);
            assert_eq!(backing.read::<16>((12 << 20) - 8), [[0; 8], [1; 8]].concat()[..]);
            assert!(faults() - before < 100, "{} page faults", faults() - before);
        }
    }

    #[test]
    fn empty_backings_have_nothing() {
        let empty = Backing::zeroed(0).unwrap();
        assert!(empty.is_empty() && empty.to_vec().is_empty());
        assert!(Backing::zeroed(usize::MAX).is_none());
    }
}
