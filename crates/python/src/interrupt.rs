//! Ctrl-C while kernels run.
//!
//! Python notes a signal, and looks at its notes between instructions of its own: not while a launch runs. So a launch
//! of the main thread has a handler in front of Python's, which also sets the flag that ends the run.
#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

/// The flag of the launch that runs on the main thread; null if none does.
static STOP: AtomicPtr<AtomicBool> = AtomicPtr::new(std::ptr::null_mut());

/// While it lives, Ctrl-C sets a flag. A thread that is not the main one gets no signals: there it does nothing.
pub(crate) struct Guard<'f> {
    #[cfg(target_os = "linux")]
    before: Option<libc::sigaction>,
    flag: PhantomData<&'f AtomicBool>,
}

#[cfg(target_os = "linux")]
mod previous {
    //! The handler that was there before, as numbers that a handler of signals may read.

    use std::sync::atomic::AtomicUsize;

    pub(super) static ACTION: AtomicUsize = AtomicUsize::new(0);
    pub(super) static FLAGS: AtomicUsize = AtomicUsize::new(0);
}

#[cfg(target_os = "linux")]
extern "C" fn on_signal(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the flag outlives the guard, and the guard takes it away before it ends.
    if let Some(flag) = unsafe { STOP.load(Ordering::SeqCst).as_ref() } {
        flag.store(true, Ordering::SeqCst);
    }
    let action = previous::ACTION.load(Ordering::SeqCst);
    if action == libc::SIG_DFL || action == libc::SIG_IGN {
        return;
    }
    // SAFETY: the address was that of the handler before, of the kind that its flags say.
    unsafe {
        if previous::FLAGS.load(Ordering::SeqCst) & libc::SA_SIGINFO as usize != 0 {
            let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) =
                std::mem::transmute(action);
            handler(signal, info, context);
        } else {
            let handler: extern "C" fn(libc::c_int) = std::mem::transmute(action);
            handler(signal);
        }
    }
}

impl<'f> Guard<'f> {
    /// Lets Ctrl-C set `flag`, unless nobody in this process handles it.
    #[cfg(target_os = "linux")]
    pub(crate) fn new(flag: &'f AtomicBool) -> Guard<'f> {
        let none = Guard { before: None, flag: PhantomData };
        // SAFETY: these functions have no preconditions, and the structures are whole. The handler only uses atomics
        // and calls the handler before it.
        unsafe {
            let mut before: libc::sigaction = std::mem::zeroed();
            if libc::gettid() != libc::getpid()
                || libc::sigaction(libc::SIGINT, std::ptr::null(), &raw mut before) != 0
                || before.sa_sigaction == libc::SIG_DFL
                || before.sa_sigaction == libc::SIG_IGN
            {
                return none;
            }
            previous::ACTION.store(before.sa_sigaction, Ordering::SeqCst);
            previous::FLAGS.store(before.sa_flags as usize, Ordering::SeqCst);
            STOP.store(std::ptr::from_ref(flag).cast_mut(), Ordering::SeqCst);
            let mut ours = before;
            let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = on_signal;
            ours.sa_sigaction = handler as usize;
            ours.sa_flags |= libc::SA_SIGINFO;
            if libc::sigaction(libc::SIGINT, &raw const ours, std::ptr::null_mut()) != 0 {
                STOP.store(std::ptr::null_mut(), Ordering::SeqCst);
                return none;
            }
            Guard { before: Some(before), flag: PhantomData }
        }
    }

    /// Elsewhere Ctrl-C waits for the end of the launch.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn new(_flag: &'f AtomicBool) -> Guard<'f> {
        let _ = &STOP;
        Guard { flag: PhantomData }
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        #[cfg(target_os = "linux")]
        if let Some(before) = &self.before {
            // SAFETY: the structure is what the system has told.
            unsafe { libc::sigaction(libc::SIGINT, before, std::ptr::null_mut()) };
            STOP.store(std::ptr::null_mut(), Ordering::SeqCst);
        }
    }
}
