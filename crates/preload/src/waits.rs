//! Waits for signals of ROCr. HIP asks for waits that do not sleep, as a GPU takes no time of the CPU. This one does: a
//! thread that sleeps leaves the core to the kernel that it waits for.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The function that is replaced.
const NAME: &CStr = c"hsa_signal_wait_scacquire";
/// Names of the library that has it, for programs that load it where nobody else sees its functions.
const LIBRARIES: [&CStr; 2] = [c"libhsa-runtime64.so.1", c"libhsa-runtime64.so"];
/// HSA_WAIT_STATE_BLOCKED: the thread may sleep. It does so after 0.2 ms.
const BLOCKED: c_int = 0;

type Wait = unsafe extern "C" fn(u64, c_int, i64, u64, c_int) -> i64;

/// As ROCr's. How the thread is to wait is only a hint there.
#[unsafe(no_mangle)]
extern "C" fn hsa_signal_wait_scacquire(signal: u64, condition: c_int, value: i64, timeout: u64, _how: c_int) -> i64 {
    let Some(wait) = real() else { std::process::abort() };
    // SAFETY: the arguments are those that the program gave.
    unsafe { wait(signal, condition, value, timeout, BLOCKED) }
}

/// Returns ROCr's function.
fn real() -> Option<Wait> {
    static REAL: AtomicUsize = AtomicUsize::new(0);
    if REAL.load(Relaxed) == 0 {
        // SAFETY: the names are strings. A library that is loaded already stays as it is.
        let found = unsafe {
            let found = libc::dlsym(libc::RTLD_NEXT, NAME.as_ptr());
            LIBRARIES.iter().fold(found, |found: *mut c_void, name| match found.is_null() {
                true => match libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) {
                    library if library.is_null() => found,
                    library => libc::dlsym(library, NAME.as_ptr()),
                },
                false => found,
            })
        };
        REAL.store(found as usize, Relaxed);
    }
    // SAFETY: ROCr declares a function of this type under the name. Without one, the option is empty.
    unsafe { std::mem::transmute::<usize, Option<Wait>>(REAL.load(Relaxed)) }
}
