//! Threads of ours in a program that may not be ours: they get none of its signals.
#![cfg_attr(target_os = "linux", allow(unsafe_code))]

use std::io;
use std::thread::{Builder, JoinHandle};

/// Starts a thread that gets no signals but those of its own faults.
///
/// # Errors
/// Those of the system, if it cannot start one.
pub fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    let _masked = Masked::new();
    Builder::new().name(name.to_owned()).spawn(work)
}

/// Blocks the signals of this thread until it is dropped. A thread inherits the mask of its maker.
#[cfg(target_os = "linux")]
struct Masked(libc::sigset_t);

#[cfg(target_os = "linux")]
impl Masked {
    fn new() -> Masked {
        // SAFETY: the calls fill both sets, and change the mask of this thread alone.
        unsafe {
            let mut all: libc::sigset_t = std::mem::zeroed();
            let mut before: libc::sigset_t = std::mem::zeroed();
            libc::sigfillset(&mut all);
            for own in [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGABRT] {
                libc::sigdelset(&mut all, own);
            }
            libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
            Masked(before)
        }
    }
}

#[cfg(target_os = "linux")]
impl Drop for Masked {
    fn drop(&mut self) {
        // SAFETY: the set is the mask that this thread had.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.0, std::ptr::null_mut()) };
    }
}

/// Other systems have no `gcnsim device`.
#[cfg(not(target_os = "linux"))]
struct Masked;

#[cfg(not(target_os = "linux"))]
impl Masked {
    fn new() -> Masked {
        Masked
    }
}
