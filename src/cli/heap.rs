//! The heap of the process, in large pages of the host.
//!
//! A run of a launch touches one to two megabytes of its heap. As pages of 4 KiB each appears by a page fault of 1.4 us;
//! one of 2 MiB takes 30 to 110 us. The C library asks for large pages only if its environment says so, so the process
//! does it itself, before it allocates much.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;

/// A large page.
#[repr(align(0x20_0000))]
struct Page {
    _bytes: [MaybeUninit<u8>; 2 << 20],
}

/// Number of large pages. One that nobody touches takes no memory.
const PAGES: usize = 2;

/// Size in bytes from which an allocation is a mapping of its own. The system zeroes it when it is touched.
const OWN_MAPPING: i32 = 512 << 10;

/// Most bytes at the end of the heap that are kept when they are free.
const KEPT: i32 = 64 << 20;

/// Has the next allocations of this thread, which must be the first one, lie in large pages. If the system has none,
/// they lie in small ones.
pub(super) fn use_large_pages() {
    // SAFETY: these settings only say when the allocator asks the system for memory and gives it back.
    unsafe {
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT);
        libc::mallopt(libc::M_MMAP_THRESHOLD, KEPT / 2);
    }
    // SAFETY: this moves nothing.
    let end = unsafe { libc::sbrk(0) } as usize;
    let mut pages = Box::<[Page; PAGES]>::new_uninit();
    let start = pages.as_mut_ptr();
    // Between the heap and the pages are small pages. An allocation that nobody uses keeps others from there.
    std::mem::forget(Vec::<u8>::with_capacity((start as usize).saturating_sub(end)));
    // SAFETY: the pages lie in an allocation that has no contents yet, and the advice changes none. A system that does
    // not know it refuses it.
    unsafe { libc::madvise(start.cast(), size_of::<[Page; PAGES]>(), libc::MADV_HUGEPAGE) };
    // The allocator keeps what is freed here at the end of the heap, where it is used next.
    drop(pages);
    // SAFETY: as above.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, OWN_MAPPING) };
}
