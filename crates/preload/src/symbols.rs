//! The functions of the C library that are replaced.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_ulong, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use gcnsim_driver::{Errno, MOST_ARGUMENTS};

use crate::paths::{self, Meaning, meaning};
use crate::real::{fail, real};
use crate::shown::{self, File};

/// Returns the string that a program gives; `None` for a null pointer.
fn text<'a>(path: *const c_char) -> Option<&'a CStr> {
    // SAFETY: the program gives a string, as the C library would want it, that stays during the call.
    (!path.is_null()).then(|| unsafe { CStr::from_ptr(path) })
}

/// Where a call goes on.
enum Turn {
    /// To the C library, with another path if there is one.
    On(Option<CString>),
    /// The device's file was opened: the descriptor.
    Opened(c_int),
}

/// Returns where the opening of a path goes on.
fn turn(path: *const c_char, flags: c_int) -> Turn {
    let Some(path) = text(path) else { return Turn::On(None) };
    let turn = catch_unwind(|| {
        let file = match meaning(path) {
            Meaning::Kfd => File::Kfd,
            Meaning::Render => File::Render,
            Meaning::File(path) => return Turn::On(Some(path)),
            Meaning::Other => return Turn::On(None),
        };
        match shown::get().map_or(Err(libc::ENODEV), |shown| shown.open(file, flags)) {
            Ok(fd) => Turn::Opened(fd),
            Err(errno) => Turn::Opened(fail(errno)),
        }
    });
    turn.unwrap_or(Turn::On(None))
}

/// Calls the C library's function, or fails as on a system without it.
macro_rules! call {
    ($name:literal, fn($($type:ty),* $(,)?) -> $result:ty, $($arg:expr),* $(,)?; $failed:expr) => {
        match real!($name, unsafe extern "C" fn($($type),*) -> $result) {
            // SAFETY: the arguments are those that the program gave, or a path of ours.
            Some(function) => unsafe { function($($arg),*) },
            None => {
                fail(libc::ENOSYS);
                $failed
            }
        }
    };
}

macro_rules! opens {
    ($($symbol:ident $name:literal)*) => {
        $(
            /// As the C library's.
            #[unsafe(no_mangle)]
            extern "C" fn $symbol(path: *const c_char, flags: c_int, mode: c_int) -> c_int {
                match turn(path, flags) {
                    Turn::Opened(fd) => fd,
                    Turn::On(to) => {
                        let path = to.as_ref().map_or(path, |to| to.as_ptr());
                        call!($name, fn(*const c_char, c_int, c_int) -> c_int, path, flags, mode; -1)
                    }
                }
            }
        )*
    };
}

opens! { open "open" open64 "open64" }

macro_rules! checked_opens {
    ($($symbol:ident $name:literal)*) => {
        $(
            /// As the C library's, for programs that are compiled with checks.
            #[unsafe(no_mangle)]
            extern "C" fn $symbol(path: *const c_char, flags: c_int) -> c_int {
                match turn(path, flags) {
                    Turn::Opened(fd) => fd,
                    Turn::On(to) => {
                        let path = to.as_ref().map_or(path, |to| to.as_ptr());
                        call!($name, fn(*const c_char, c_int) -> c_int, path, flags; -1)
                    }
                }
            }
        )*
    };
}

checked_opens! { __open_2 "__open_2" __open64_2 "__open64_2" }

macro_rules! opens_at {
    ($($symbol:ident $name:literal)*) => {
        $(
            /// As the C library's. The device has absolute paths.
            #[unsafe(no_mangle)]
            extern "C" fn $symbol(folder: c_int, path: *const c_char, flags: c_int, mode: c_int) -> c_int {
                match turn(path, flags) {
                    Turn::Opened(fd) => fd,
                    Turn::On(to) => {
                        let path = to.as_ref().map_or(path, |to| to.as_ptr());
                        call!($name, fn(c_int, *const c_char, c_int, c_int) -> c_int, folder, path, flags, mode; -1)
                    }
                }
            }
        )*
    };
}

opens_at! { openat "openat" openat64 "openat64" }

/// Returns the path that a call means, for calls that open nothing.
fn path_of(path: *const c_char) -> Option<CString> {
    let path = text(path)?;
    let meaning = catch_unwind(|| meaning(path)).unwrap_or(Meaning::Other);
    match meaning {
        Meaning::File(path) => Some(path),
        // Something that is there, and that anybody may read and write.
        Meaning::Kfd | Meaning::Render => Some(c"/dev/null".to_owned()),
        Meaning::Other => None,
    }
}

macro_rules! with_path {
    ($($symbol:ident $name:literal ($($arg:ident: $type:ty),*) -> $result:ty, $failed:expr;)*) => {
        $(
            /// As the C library's.
            #[unsafe(no_mangle)]
            extern "C" fn $symbol(path: *const c_char, $($arg: $type),*) -> $result {
                let to = path_of(path);
                let path = to.as_ref().map_or(path, |to| to.as_ptr());
                call!($name, fn(*const c_char, $($type),*) -> $result, path, $($arg),*; $failed)
            }
        )*
    };
}

with_path! {
    fopen "fopen" (mode: *const c_char) -> *mut c_void, std::ptr::null_mut();
    fopen64 "fopen64" (mode: *const c_char) -> *mut c_void, std::ptr::null_mut();
    opendir "opendir" () -> *mut c_void, std::ptr::null_mut();
    access "access" (mode: c_int) -> c_int, -1;
}

/// Device number of the render node: major and minor.
const RENDER: (u32, u32) = (226, 128);

/// Describes the render node, as `stat` does for a device.
fn describe(to: *mut libc::stat) -> c_int {
    if to.is_null() {
        return fail(libc::EFAULT);
    }
    // SAFETY: the program gives a place for the structure. Those of 64 bits are the same on hosts of 64 bits.
    unsafe {
        to.write_bytes(0, 1);
        (*to).st_mode = libc::S_IFCHR | 0o666;
        (*to).st_rdev = libc::makedev(RENDER.0, RENDER.1);
        (*to).st_nlink = 1;
    }
    0
}

/// Whether a path is that of the render node.
fn is_render(path: *const c_char) -> bool {
    text(path).is_some_and(|path| matches!(meaning(path), Meaning::Render)) && shown::get().is_some()
}

macro_rules! stats {
    ($($symbol:ident $name:literal;)*) => {
        $(
            /// As the C library's.
            #[unsafe(no_mangle)]
            extern "C" fn $symbol(path: *const c_char, to: *mut libc::stat) -> c_int {
                if catch_unwind(|| is_render(path)).unwrap_or(false) {
                    return describe(to);
                }
                let other = path_of(path);
                let path = other.as_ref().map_or(path, |other| other.as_ptr());
                call!($name, fn(*const c_char, *mut libc::stat) -> c_int, path, to; -1)
            }
        )*
    };
}

stats! { stat "stat"; stat64 "stat64"; lstat "lstat"; lstat64 "lstat64"; }

macro_rules! stats_of_files {
    ($($symbol:ident $name:literal;)*) => {
        $(
            /// As the C library's.
            #[unsafe(no_mangle)]
            extern "C" fn $symbol(fd: c_int, to: *mut libc::stat) -> c_int {
                let is_render = || shown::there().and_then(|shown| shown.file(fd)) == Some(File::Render);
                if catch_unwind(AssertUnwindSafe(is_render)).unwrap_or(false) {
                    return describe(to);
                }
                call!($name, fn(c_int, *mut libc::stat) -> c_int, fd, to; -1)
            }
        )*
    };
}

stats_of_files! { fstat "fstat"; fstat64 "fstat64"; }

/// As the C library's.
#[unsafe(no_mangle)]
extern "C" fn readlink(path: *const c_char, to: *mut c_char, room: usize) -> isize {
    let Some(link) = text(path).and_then(paths::link) else {
        let other = path_of(path);
        let path = other.as_ref().map_or(path, |other| other.as_ptr());
        return call!("readlink", fn(*const c_char, *mut c_char, usize) -> isize, path, to, room; -1);
    };
    let len = link.to_bytes().len().min(room);
    // SAFETY: the program gives a place for so many bytes.
    unsafe { to.copy_from_nonoverlapping(link.as_ptr(), len) };
    len as isize
}

/// As the C library's, for programs that are compiled with checks.
#[unsafe(no_mangle)]
extern "C" fn __readlink_chk(path: *const c_char, to: *mut c_char, room: usize, all: usize) -> isize {
    readlink(path, to, room.min(all))
}

/// As the C library's.
#[unsafe(no_mangle)]
extern "C" fn realpath(path: *const c_char, to: *mut c_char) -> *mut c_char {
    let Some(real) = text(path).and_then(paths::real) else {
        let other = path_of(path);
        let path = other.as_ref().map_or(path, |other| other.as_ptr());
        return call!("realpath", fn(*const c_char, *mut c_char) -> *mut c_char, path, to; std::ptr::null_mut());
    };
    if to.is_null() {
        // SAFETY: the string has an end; the program frees the copy.
        return unsafe { libc::strdup(real.as_ptr()) };
    }
    // SAFETY: the program gives a place for PATH_MAX bytes.
    unsafe { to.copy_from_nonoverlapping(real.as_ptr(), real.to_bytes_with_nul().len()) };
    to
}

/// As the C library's, for programs that are compiled with checks.
#[unsafe(no_mangle)]
extern "C" fn __realpath_chk(path: *const c_char, to: *mut c_char, _room: usize) -> *mut c_char {
    realpath(path, to)
}

/// As the C library's. The device's files have ioctls of their own.
#[unsafe(no_mangle)]
extern "C" fn ioctl(fd: c_int, request: c_ulong, argument: *mut c_void) -> c_int {
    // Only files of the device have ioctls of these kinds.
    let kind = (request >> 8) as u8;
    if (kind == b'K' || kind == b'd')
        && let Some(result) =
            catch_unwind(AssertUnwindSafe(|| of_device(fd, request, argument))).unwrap_or(Some(Err(libc::EIO)))
    {
        return result.map_or_else(fail, |()| 0);
    }
    call!("ioctl", fn(c_int, c_ulong, *mut c_void) -> c_int, fd, request, argument; -1)
}

/// Answers an ioctl; `None` if the descriptor is no file of the device.
fn of_device(fd: c_int, request: c_ulong, argument: *mut c_void) -> Option<Result<(), c_int>> {
    let shown = shown::there()?;
    let file = shown.file(fd)?;
    match (file, (request >> 8) as u8) {
        (File::Kfd, b'K') | (File::Render, b'd') => {}
        _ => return Some(Err(libc::ENOTTY)),
    }
    let (number, size) = (request as u8, (request >> 16 & 0x3fff) as usize);
    let mut arguments = [0; MOST_ARGUMENTS];
    let Some(given) = arguments.get_mut(..size) else { return Some(Err(libc::EINVAL)) };
    let program = shown.gpu.program();
    if !program.read(argument as u64, given) {
        return Some(Err(libc::EFAULT));
    }
    let done = match file {
        File::Kfd => shown.gpu.kfd(number, &mut arguments),
        File::Render => shown.gpu.drm(number, &mut arguments),
    };
    let done = done.map_err(|Errno(errno)| errno);
    const CREATE_QUEUE: u8 = 2;
    if file == File::Kfd && done.is_ok() && number == CREATE_QUEUE {
        shown.gpu.start();
    }
    let written = done.is_err() || program.write(argument as u64, &arguments[..size]);
    Some(if written { done } else { Err(libc::EFAULT) })
}

macro_rules! ends {
    ($($symbol:ident $name:literal ($($arg:ident: $type:ty),*);)*) => {
        $(
            /// As the C library's. What the device has done is told before.
            #[unsafe(no_mangle)]
            extern "C" fn $symbol($($arg: $type),*) -> ! {
                shown::tell();
                match real!($name, unsafe extern "C" fn($($type),*) -> !) {
                    // SAFETY: the arguments are those that the program gave.
                    Some(function) => unsafe { function($($arg),*) },
                    None => loop {
                        // SAFETY: the process ends.
                        unsafe { libc::raise(libc::SIGKILL) };
                    },
                }
            }
        )*
    };
}

ends! {
    _exit "_exit" (code: c_int);
    _Exit "_Exit" (code: c_int);
    abort "abort" ();
    __assert_fail "__assert_fail" (what: *const c_char, file: *const c_char, line: c_uint, function: *const c_char);
}
