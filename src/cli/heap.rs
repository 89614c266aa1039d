//! The heap of the process, in large pages of the host.
//!
//! A run of a launch touches one to two megabytes of its heap. As pages of 4 KiB each appears by a page fault of 1.4
//! us; one of 2 MiB takes 30 to 110 us. The C library asks for large pages only if its environment says so, so the
//! process does it itself, before it allocates much.
#![allow(unsafe_code)]

use std::alloc::{Layout, alloc, dealloc};
use std::hint::black_box;

/// Size of a large page in bytes.
const PAGE: usize = 2 << 20;

/// Number of bytes in large pages. A page that nobody touches takes no memory.
const BYTES: usize = 2 * PAGE;

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
    let end = unsafe { libc::sbrk(0) }.addr();
    if let Ok(layout) = Layout::from_size_align(BYTES, PAGE) {
        // SAFETY: the layout has bytes.
        let pages = unsafe { alloc(layout) };
        if !pages.is_null() {
            fill_gap(pages.addr().wrapping_sub(end));
            // SAFETY: the pages lie in the allocation, which has no contents yet, and the advice changes none. A system
            // that does not know it refuses it. The allocator keeps what is freed here at the end of the heap, where it
            // is used next.
            unsafe {
                libc::madvise(pages.cast(), BYTES, libc::MADV_HUGEPAGE);
                dealloc(pages, layout);
            }
        }
    }
    // SAFETY: as above.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, OWN_MAPPING) };
}

/// Keeps allocations away from the `bytes` bytes between the heap and its large pages, which are in small ones: by one
/// that nobody uses. If there are more than a large page, the pages are not behind the heap.
fn fill_gap(bytes: usize) {
    if let (1..=PAGE, Ok(layout)) = (bytes, Layout::from_size_align(bytes, 1)) {
        // SAFETY: the layout has bytes.
        black_box(unsafe { alloc(layout) });
    }
}
