//! Memory-mapped files that may shrink while we read them.
//!
//! Reading a mapped page beyond the end of its file raises SIGBUS, which would end the process. [`Mapping`] registers
//! its address range in a table. A handler for the signal maps zero pages over the missing part and marks the range as
//! torn. The read then goes on and sees zeros. After a run from a mapping, the caller asks [`Mapping::shrunk_to`] and
//! reports bad input instead of a result.
//!
//! The handler uses only atomics and one system call, `mmap`. It passes a SIGBUS for another address to the handler
//! that was installed before.
//!
//! If a file is overwritten in place while it runs, results are those of a mixture of both contents. Nothing worse
//! happens.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use memmap2::Mmap;

/// A read-only mapping of a file.
pub(crate) struct Mapping {
    map: Mmap,
    file: File,
    slot: &'static Slot,
    /// What reading has left behind.
    passed: AtomicUsize,
}

/// Bytes that are given back at once.
const CHUNK: usize = 8 << 20;

/// An entry of the table that the signal handler searches.
struct Slot {
    /// Address of the mapping; [`FREE`] or [`CLAIMED`] if there is none.
    start: AtomicUsize,
    /// End of the mapping's last page.
    end: AtomicUsize,
    /// Whether zero pages have replaced a part of the mapping.
    torn: AtomicBool,
}

const FREE: usize = 0;
const CLAIMED: usize = 1;

static SLOTS: [Slot; 64] =
    [const { Slot { start: AtomicUsize::new(FREE), end: AtomicUsize::new(0), torn: AtomicBool::new(false) } }; 64];

/// Data that the handler needs. They are set before any slot is filled.
struct Handler {
    previous: libc::sigaction,
    page_size: usize,
}

static HANDLER: OnceLock<Option<Handler>> = OnceLock::new();

impl Mapping {
    /// Maps the first `length` bytes of `file`. `None` if too many files are mapped or the handler cannot be installed;
    /// the caller then reads the file.
    ///
    /// # Errors
    /// The error of `mmap`.
    pub(crate) fn new(file: &File, length: usize) -> io::Result<Option<Mapping>> {
        let Some(handler) = HANDLER.get_or_init(install) else { return Ok(None) };
        let Some(slot) = SLOTS
            .iter()
            .find(|slot| slot.start.compare_exchange(FREE, CLAIMED, Ordering::Acquire, Ordering::Relaxed).is_ok())
        else {
            return Ok(None);
        };
        let mapped = File::try_clone(file).and_then(|file| {
            // SAFETY: the mapping is read-only and private. Other processes may change the file: its bytes are only
            // ever read as plain `u8`, and each decision is made on a copy of them. If the file shrinks, the handler
            // keeps the pages readable.
            let map = unsafe { memmap2::MmapOptions::new().len(length).map(&file)? };
            Ok(Mapping { map, file, slot, passed: AtomicUsize::new(0) })
        });
        match &mapped {
            Ok(mapping) => {
                let start = mapping.map.as_ptr() as usize;
                slot.end.store(start + length.next_multiple_of(handler.page_size), Ordering::Relaxed);
                slot.torn.store(false, Ordering::Relaxed);
                slot.start.store(start, Ordering::Release);
            }
            Err(_) => slot.start.store(FREE, Ordering::Release),
        }
        mapped.map(Some)
    }

    /// Whether a read beyond the end of the file has given zeros.
    pub(crate) fn is_torn(&self) -> bool {
        self.slot.torn.load(Ordering::Relaxed)
    }

    /// Gives the memory of bytes before `at` back to the system, as reading goes on there. Bytes up to a chunk before
    /// it stay, because other threads may read them; whoever reads the others loads them again.
    pub(crate) fn pass(&self, at: usize) {
        let until = (at.min(self.map.len()) & !(CHUNK - 1)).saturating_sub(CHUNK);
        let before = self.passed.load(Ordering::Relaxed);
        if until > before && self.passed.compare_exchange(before, until, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            // SAFETY: a page of a read-only mapping of a file, or of the zeros that replace it, has the same bytes when
            // it is loaded again, and references to them stay valid. Those of a file that others change may change,
            // as they may at any time.
            let advised =
                unsafe { self.map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, before, until - before) };
            // The memory stays in use then.
            let _ = advised;
        } else if until + 4 * CHUNK < before {
            // Reading has begun anew.
            self.passed.store(until, Ordering::Relaxed);
        }
    }

    /// The current length of the file if it is shorter than the mapping, or if a read beyond its end has given zeros.
    pub(crate) fn shrunk_to(&self) -> io::Result<Option<u64>> {
        let now = self.file.metadata()?.len();
        let torn = self.slot.torn.load(Ordering::Relaxed);
        Ok((torn || now < self.map.len() as u64).then_some(now))
    }
}

/// Asks the processor to fetch `bytes` into its caches, without waiting for them.
pub fn prefetch(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    for line in bytes.chunks(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 processor has the instruction; it changes nothing but caches and raises no fault,
        // whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bytes;
}

impl AsRef<[u8]> for Mapping {
    fn as_ref(&self) -> &[u8] {
        &self.map
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // The slot is freed before the mapping, so that it never covers addresses of another owner.
        self.slot.start.store(FREE, Ordering::Release);
    }
}

fn install() -> Option<Handler> {
    // SAFETY: sysconf has no preconditions.
    let page_size = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
    // SAFETY: all zeros is a valid `sigaction`: no flags, an empty mask, SIG_DFL.
    let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    let on_sigbus: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = on_sigbus;
    action.sa_sigaction = on_sigbus as libc::sighandler_t;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
    // SAFETY: as above.
    let mut previous: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    // SAFETY: both pointers are to valid `sigaction`s, and the handler has the signature that SA_SIGINFO asks for.
    let status = unsafe { libc::sigaction(libc::SIGBUS, &action, &mut previous) };
    (status == 0).then_some(Handler { previous, page_size })
}

/// Handles SIGBUS: see the head of the file. Only the kernel of the host calls it, with a valid `info`.
extern "C" fn on_sigbus(_signal: libc::c_int, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    let Some(Some(handler)) = HANDLER.get() else {
        // SAFETY: between installing the handler and filling HANDLER no mapping of ours exists, so this fault is not
        // ours; with the default action the instruction faults again and ends the process.
        unsafe { libc::signal(libc::SIGBUS, libc::SIG_DFL) };
        return;
    };
    // SAFETY: the kernel passes a valid siginfo_t to an SA_SIGINFO handler; for SIGBUS it holds the address.
    let address = unsafe { (*info).si_addr() } as usize;
    let hit = SLOTS.iter().find(|slot| {
        let start = slot.start.load(Ordering::Acquire);
        start > CLAIMED && (start..slot.end.load(Ordering::Relaxed)).contains(&address)
    });
    if let Some(slot) = hit {
        let page = address & !(handler.page_size - 1);
        let length = slot.end.load(Ordering::Relaxed) - page;
        // SAFETY: the range lies within a live mapping of ours (a slot is freed before its mapping). Nobody writes to
        // it, and it has just been found to have no bytes behind it, so zeros replace nothing of value.
        let zeros = unsafe {
            libc::mmap(
                ptr::without_provenance_mut(page),
                length,
                libc::PROT_READ,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
                -1,
                0,
            )
        };
        if zeros != libc::MAP_FAILED {
            slot.torn.store(true, Ordering::Relaxed);
            return;
        }
    }
    // SAFETY: `previous` came from sigaction; with it in force the instruction faults again and is handled there.
    unsafe { libc::sigaction(libc::SIGBUS, &handler.previous, ptr::null_mut()) };
}
