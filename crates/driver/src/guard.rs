//! Memory of the program that kernels reach, and that the program may pull away while a kernel runs: a handler of
//! SIGSEGV puts pages of zeros there, and the dispatch ends as a fault.
//!
//! The handler asks only for addresses of registered memory while a kernel runs; everything else goes to the handler
//! that was there before.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, OnceLock, PoisonError};

const PAGE: u64 = 4096;
/// Most ranges that are watched. Memory beyond them has no guard.
const MOST: usize = 8192;

/// The ranges: first byte and end; 0 and 0 if a place is free. A handler of signals must not lock.
static RANGES: [[AtomicU64; 2]; MOST] = [const { [AtomicU64::new(0), AtomicU64::new(0)] }; MOST];
/// Number of places that were ever used.
static USED: AtomicUsize = AtomicUsize::new(0);
/// Held while ranges change.
static CHANGES: Mutex<()> = Mutex::new(());
/// Number of kernels that run.
static ARMED: AtomicU32 = AtomicU32::new(0);
/// Page that was missing during the kernel that runs; 0 if none was.
static LOST: AtomicU64 = AtomicU64::new(0);
/// What handled SIGSEGV before.
static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

/// Watches memory of the program.
pub fn watch(address: u64, len: u64) {
    let _changes = CHANGES.lock().unwrap_or_else(PoisonError::into_inner);
    install();
    let used = USED.load(SeqCst);
    let place = RANGES[..used].iter().position(|range| range[1].load(SeqCst) == 0).unwrap_or(used);
    if let Some([start, end]) = RANGES.get(place) {
        start.store(address, SeqCst);
        end.store(address.saturating_add(len), SeqCst);
        USED.store(used.max(place + 1), SeqCst);
    }
}

/// Watches memory no longer.
pub fn forget(address: u64, len: u64) {
    let _changes = CHANGES.lock().unwrap_or_else(PoisonError::into_inner);
    let key = [address, address.saturating_add(len)];
    let used = USED.load(SeqCst);
    if let Some(range) = RANGES[..used].iter().find(|range| [range[0].load(SeqCst), range[1].load(SeqCst)] == key) {
        range[1].store(0, SeqCst);
        range[0].store(0, SeqCst);
    }
}

/// A kernel that runs on watched memory.
pub struct Armed(());

/// Says that a kernel runs, until this is dropped.
pub fn arm() -> Armed {
    if ARMED.fetch_add(1, SeqCst) == 0 {
        LOST.store(0, SeqCst);
    }
    Armed(())
}

impl Armed {
    /// Returns the address of a page that was missing.
    pub fn lost(&self) -> Option<u64> {
        Some(LOST.load(SeqCst)).filter(|&page| page != 0)
    }
}

impl Drop for Armed {
    fn drop(&mut self) {
        ARMED.fetch_sub(1, SeqCst);
    }
}

fn install() {
    BEFORE.get_or_init(|| {
        // SAFETY: the action is whole; the handler uses nothing that a handler must not.
        unsafe {
            let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
            action.sa_sigaction = on_fault as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
            let mut before: libc::sigaction = MaybeUninit::zeroed().assume_init();
            libc::sigaction(libc::SIGSEGV, &action, &mut before);
            before
        }
    });
}

extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the system gives the address of the access with SIGSEGV.
    let address = unsafe { (*info).si_addr() } as u64;
    if ARMED.load(SeqCst) > 0 && is_watched(address) && put_page(address & !(PAGE - 1)) {
        LOST.store(address & !(PAGE - 1), SeqCst);
        return;
    }
    // SAFETY: the handler that was there before gets what it expects; without one, the fault happens again and ends the
    // process, as it would have.
    unsafe {
        match BEFORE.get() {
            Some(before) if before.sa_sigaction != libc::SIG_DFL && before.sa_sigaction != libc::SIG_IGN => {
                if before.sa_flags & libc::SA_SIGINFO != 0 {
                    type Action = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);
                    std::mem::transmute::<usize, Action>(before.sa_sigaction)(signal, info, context);
                } else {
                    std::mem::transmute::<usize, extern "C" fn(c_int)>(before.sa_sigaction)(signal);
                }
            }
            _ => {
                libc::signal(libc::SIGSEGV, libc::SIG_DFL);
            }
        }
    }
}

fn is_watched(address: u64) -> bool {
    let used = USED.load(SeqCst).min(MOST);
    RANGES[..used].iter().any(|[start, end]| (start.load(SeqCst)..end.load(SeqCst)).contains(&address))
}

/// Puts a page of zeros where none is.
fn put_page(page: u64) -> bool {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
    let rights = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: nothing is there, and the system refuses if something is.
    let at = unsafe { libc::mmap(page as *mut c_void, PAGE as usize, rights, flags, -1, 0) };
    at as u64 == page
}
