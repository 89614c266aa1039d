//! Executable memory for segments: written, then sealed (read and execute) by cranelift-jit's memory provider, then
//! run, and not written again.
//!
//! A reader has to believe what `allocate` and `encode` write. The code addresses VGPRs that its instructions name,
//! which the region has checked; VGPRs at distances that the caller has put into the frame and checked; scalars, masks
//! and spilled values in the frame, at constant offsets; and constants behind the code. It reads LDS as
//! [`allocate`](super::allocate) says in `lds.rs`. It has one loop, of as many rounds as
//! chunks; a strip has another one within it, of as many rounds as its caller allows. It may call
//! [routines](super::routine), which are sealed the same way and never freed. It sets MXCSR at the start, and to Rust's
//! default at the end. Chunks that it leaves go to [`fallback`](super::fallback), by the address of a list of
//! instructions. The segment owns that list, so the code cannot outlive it.
#![allow(unsafe_code)]

use std::sync::Arc;

use cranelift_jit::{BranchProtection, JITMemoryKind, JITMemoryProvider, SystemMemoryProvider};
use gcnsim_isa::Vgpr;

use gcnsim_helpers::segment_frame::SegmentFrame;

/// A segment as a function. If it [loads](super::Segment::sites) guest memory, it returns 0, or `DECLINED` if it has
/// done nothing because a load may be refused; otherwise the result means nothing.
///
/// # Safety
///
/// The VGPRs are as many as the segment names, writable, and the lanes are initialised. Nothing else uses them and the
/// frame during the call. Distances of [moved](super::Segment::moves) operands lead to VGPRs, too, or to as many bytes
/// for a destination.
pub type SegmentFn = unsafe extern "sysv64" fn(vgprs: *mut Vgpr, frame: *mut SegmentFrame) -> u32;

/// The result of a segment that has done nothing.
pub const DECLINED: u32 = 1;

/// Alignment of code and of the constants after it, in bytes.
const ALIGNMENT: usize = 64;

/// Memory with the code of some segments.
struct Sealed {
    provider: SystemMemoryProvider,
    start: *const u8,
}

// SAFETY: nobody touches the provider before `drop`, which has exclusive access; the memory is only read and executed.
unsafe impl Send for Sealed {}
// SAFETY: as above.
unsafe impl Sync for Sealed {}

impl Drop for Sealed {
    fn drop(&mut self) {
        // SAFETY: those who call the code share this value, so nobody runs it now.
        unsafe { self.provider.free_memory() };
    }
}

/// The code of one segment. Shares its memory with that of others.
#[derive(Clone)]
pub(super) struct Code {
    memory: Arc<Sealed>,
    at: usize,
}

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Code({:p})", self.memory.start.wrapping_add(self.at))
    }
}

impl Code {
    /// Seals the code of segments. Each gets an entry. `None` if there is no memory.
    ///
    /// The bytes must be functions as [`SegmentFn`] says, wherever they are at an address divisible by 64.
    pub fn seal(parts: &[&[u8]]) -> Option<Vec<Code>> {
        let size: usize = parts.iter().map(|part| part.len().next_multiple_of(ALIGNMENT)).sum();
        let mut provider = SystemMemoryProvider::new();
        let start = provider.allocate(size.max(1), ALIGNMENT as u64, JITMemoryKind::Executable).ok()?;
        let (mut at, mut entries) = (0, Vec::with_capacity(parts.len()));
        for part in parts {
            entries.push(at);
            // SAFETY: the memory is as large as all parts and what is between them, and was allocated just now.
            unsafe { std::ptr::copy_nonoverlapping(part.as_ptr(), start.add(at), part.len()) };
            at += part.len().next_multiple_of(ALIGNMENT);
        }
        let sealed = provider.finalize(BranchProtection::None).is_ok();
        let memory = Arc::new(Sealed { provider, start });
        sealed.then(|| entries.into_iter().map(|at| Code { memory: memory.clone(), at }).collect())
    }

    /// The address of the code. It is valid while this value exists.
    pub fn address(&self) -> u64 {
        self.memory.start.wrapping_add(self.at) as u64
    }

    /// The entry.
    pub fn function(&self) -> SegmentFn {
        // SAFETY: a finished function with this signature begins there.
        unsafe { std::mem::transmute::<*const u8, SegmentFn>(self.memory.start.wrapping_add(self.at)) }
    }
}
