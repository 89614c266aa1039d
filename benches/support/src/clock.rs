//! CPU time of the calling thread and of child processes. On a machine with other work it is the cost of a piece of
//! code, without the time that it waits.
#![allow(unsafe_code)]

use std::time::Duration;

/// CPU time that the calling thread has used.
pub fn thread_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a valid place for the result.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    assert_eq!(failed, 0, "the clock of the thread's CPU time cannot be read");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// CPU time, in user and system mode, of all child processes that have ended and were waited for.
pub fn children_time() -> Duration {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is to a valid place for the result.
    let failed = unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr()) };
    assert_eq!(failed, 0, "the CPU time of children cannot be read");
    // SAFETY: the structure has only integers, and was zeroed.
    let usage = unsafe { usage.assume_init() };
    let time = |t: libc::timeval| Duration::new(t.tv_sec as u64, 1000 * t.tv_usec as u32);
    time(usage.ru_utime) + time(usage.ru_stime)
}
