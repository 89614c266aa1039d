//! The functions of the C library behind those that are replaced.
#![allow(unsafe_code)]

/// Returns the next function of this name behind this library, as a value of a function type.
macro_rules! real {
    ($name:literal, $type:ty) => {{
        static REAL: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let mut at = REAL.load(std::sync::atomic::Ordering::Relaxed);
        if at == 0 {
            // SAFETY: the name is a string with a 0 at its end.
            at = unsafe { libc::dlsym(libc::RTLD_NEXT, concat!($name, "\0").as_ptr().cast()) } as usize;
            REAL.store(at, std::sync::atomic::Ordering::Relaxed);
        }
        // SAFETY: the C library declares a function of this type under the name. Without one, the option is empty.
        unsafe { std::mem::transmute::<usize, Option<$type>>(at) }
    }};
}
pub(crate) use real;

/// Sets errno. Returns -1, as functions of the C library do when they fail.
pub fn fail(errno: i32) -> i32 {
    // SAFETY: each thread has its errno.
    unsafe { *libc::__errno_location() = errno };
    -1
}
