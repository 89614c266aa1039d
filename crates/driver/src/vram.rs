//! Video memory: a sparse file in memory, so that the program maps it by `mmap`, and a view of it for kernels.
//!
//! The view covers the whole file. Pages come when they are touched and go when their range is freed. What the program
//! does with its own views changes nothing here.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr::NonNull;
use std::sync::Arc;

use gcnsim_machine::Backing;

/// Size of the file in bytes. It is sparse.
const SPACE: u64 = 1 << 40;
/// Alignment of ranges in bytes.
const ALIGN: u64 = 64 << 10;

/// Returns a sparse file in memory of `size` bytes.
///
/// # Errors
/// Those of the system.
pub fn sparse_file(name: &CStr, size: u64) -> io::Result<File> {
    // SAFETY: the name is a string; the descriptor is new and belongs to nobody else.
    let file = unsafe {
        let fd = libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC);
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        File::from(OwnedFd::from_raw_fd(fd))
    };
    file.set_len(size)?;
    Ok(file)
}

/// A view of a file in memory.
struct View {
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: a view is a range of addresses; nobody refers to its bytes through it.
unsafe impl Send for View {}
// SAFETY: as above.
unsafe impl Sync for View {}

impl View {
    /// Reserves addresses for `len` bytes.
    fn reserve(len: usize) -> io::Result<View> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping at an address that the system chooses.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), len, libc::PROT_NONE, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(View { start: NonNull::new(start.cast()).ok_or(io::ErrorKind::OutOfMemory)?, len })
    }

    /// Maps `len` bytes of a file from `offset` on, `times` times in a row.
    fn new(file: &File, offset: u64, len: usize, times: usize) -> io::Result<View> {
        let view = View::reserve(len.checked_mul(times).ok_or(io::ErrorKind::OutOfMemory)?)?;
        let start = view.start.as_ptr().cast::<libc::c_void>();
        for part in 0..times {
            let (rights, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_FIXED);
            // SAFETY: the part lies in the view, where nothing is yet.
            let at = unsafe {
                libc::mmap(start.byte_add(part * len), len, rights, flags, file.as_raw_fd(), offset as libc::off_t)
            };
            if at == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
        }
        // SAFETY: the addresses are those of the view. A child does not inherit it, as it does not inherit a driver's.
        unsafe { libc::madvise(start, view.len, libc::MADV_DONTFORK) };
        Ok(view)
    }
}

impl Drop for View {
    fn drop(&mut self) {
        // SAFETY: the range was mapped by `new`, and backings of it are gone, as `Memory` promises.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.len) };
    }
}

/// Addresses at which nothing of the host is as long as this lives.
pub struct Reserved(View);

impl Reserved {
    /// Reserves addresses for `bytes` bytes.
    ///
    /// # Errors
    /// Those of the system.
    pub fn new(bytes: usize) -> io::Result<Reserved> {
        View::reserve(bytes).map(Reserved)
    }

    /// Returns the first address.
    pub fn address(&self) -> u64 {
        self.0.start.as_ptr().addr() as u64
    }
}

/// Video memory.
pub struct Vram {
    file: File,
    view: View,
    /// Offset behind the last range that was ever taken.
    next: u64,
    /// Ranges that were freed.
    freed: Vec<(u64, u64)>,
}

/// A range of video memory. Who has it gives it back by [`Vram::free`].
pub struct Range {
    /// Offset in the file, which is that of `mmap`, in bytes.
    pub offset: u64,
    /// Size in bytes.
    pub len: u64,
    /// The view of a ring whose second half is its first one again.
    _double: Option<View>,
}

impl Vram {
    /// Returns empty video memory.
    ///
    /// # Errors
    /// Those of the system.
    pub fn new() -> io::Result<Vram> {
        let file = sparse_file(c"gcnsim-vram", SPACE)?;
        let view = View::new(&file, 0, SPACE as usize, 1)?;
        // Offset 0 stands for no memory in some ioctls.
        Ok(Vram { file, view, next: ALIGN, freed: Vec::new() })
    }

    /// Returns the file, whose offsets are those of `mmap`.
    pub fn fd(&self) -> RawFd {
        self.file.as_raw_fd()
    }

    /// Takes `len` bytes of zeros. With `doubled`, the bytes are seen twice in a row, as rings of GCN 1.2 are.
    ///
    /// # Errors
    /// Those of the system.
    pub fn alloc(&mut self, len: u64, doubled: bool) -> io::Result<(Range, Arc<Backing>)> {
        let room = len.checked_next_multiple_of(ALIGN).ok_or(io::ErrorKind::OutOfMemory)?;
        let offset = self.take(room).ok_or(io::ErrorKind::OutOfMemory)?;
        let double = if doubled { Some(View::new(&self.file, offset, len as usize, 2)?) } else { None };
        let (start, seen) = match &double {
            Some(view) => (view.start, view.len),
            // SAFETY: the range lies in the view.
            None => (unsafe { self.view.start.add(offset as usize) }, len as usize),
        };
        // SAFETY: the view stays as long as the range, and `Memory` drops backings first.
        let backing = unsafe { Backing::borrowed(start, seen) }.ok_or(io::ErrorKind::InvalidInput)?;
        Ok((Range { offset, len, _double: double }, Arc::new(backing)))
    }

    fn take(&mut self, room: u64) -> Option<u64> {
        if let Some(index) = self.freed.iter().position(|(_, len)| *len == room) {
            return Some(self.freed.swap_remove(index).0);
        }
        if let Some(end) = self.next.checked_add(room).filter(|&end| end <= SPACE) {
            return Some(std::mem::replace(&mut self.next, end));
        }
        let index = self.freed.iter().position(|(_, len)| *len > room)?;
        let (offset, len) = self.freed[index];
        self.freed[index] = (offset + room, len - room);
        Some(offset)
    }

    /// Gives back a range: its pages go.
    pub fn free(&mut self, range: Range) {
        let Range { offset, len, .. } = range;
        let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        // SAFETY: the call changes the contents of the file only.
        unsafe { libc::fallocate(self.fd(), mode, offset as libc::off_t, len as libc::off_t) };
        self.freed.push((offset, len.next_multiple_of(ALIGN)));
    }
}

/// Returns memory of the program as a backing; `None` if its address is not that of a page. The program lends the memory
/// as long as it is registered; if it is pulled away nevertheless, the [guard](crate::guard) puts zeros there.
pub fn of_program(address: u64, len: u64) -> Option<Arc<Backing>> {
    let start = NonNull::new(std::ptr::with_exposed_provenance_mut::<u8>(usize::try_from(address).ok()?))?;
    // SAFETY: the caller has seen that the memory is there, and the guard knows it before a kernel does.
    unsafe { Backing::borrowed(start, usize::try_from(len).ok()?) }.map(Arc::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_zero_again() {
        let mut vram = Vram::new().unwrap();
        let (range, backing) = vram.alloc(5000, false).unwrap();
        backing.write(4990, &[7; 10]);
        let (offset, other) = (range.offset, vram.alloc(100, false).unwrap());
        assert_ne!(offset, other.0.offset);
        drop(backing);
        vram.free(range);
        let (range, backing) = vram.alloc(6000, false).unwrap();
        assert_eq!((range.offset, backing.read::<10>(4990)), (offset, [0; 10]));
    }

    #[test]
    fn a_ring_is_seen_twice() {
        let mut vram = Vram::new().unwrap();
        let (range, ring) = vram.alloc(4096, true).unwrap();
        ring.write(4090, &[1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!((ring.len(), ring.read::<2>(0)), (8192, [7, 8]));
        drop(ring);
        vram.free(range);
    }
}
