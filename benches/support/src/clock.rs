//! CPU time of the calling thread: on a machine with other work to do, what a piece of code costs without what it waits for.
#![allow(unsafe_code)]

use std::time::Duration;

/// CPU time that the calling thread has used.
pub fn thread_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a valid place for the result.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    assert_eq!(failed, 0, "the clock of the thread's CPU time cannot be read");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
