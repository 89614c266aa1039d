//! Threads of ours in a program that is not: they get none of its signals.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::thread;

/// Starts a thread that gets no signals but those of its own faults.
pub fn spawn(name: &str, work: impl FnOnce() + Send + 'static) {
    // SAFETY: the sets are whole, and the mask of this thread is restored. A thread inherits the mask of its maker.
    unsafe {
        let mut all: libc::sigset_t = MaybeUninit::zeroed().assume_init();
        let mut before: libc::sigset_t = MaybeUninit::zeroed().assume_init();
        libc::sigfillset(&mut all);
        for own in [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGABRT] {
            libc::sigdelset(&mut all, own);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
        // Without a thread no packet is processed: the program waits, and can be interrupted.
        let _ = thread::Builder::new().name(name.to_owned()).spawn(work);
        libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut());
    }
}
