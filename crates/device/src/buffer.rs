//! Memory of a device that its user has allocated.

use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use gcnsim_engine::xxh3::Xxh3;
use gcnsim_machine::Backing;

use super::device::Device;
use super::dispatch_error::DispatchError;

/// Number of bytes that are hashed at once.
const PIECE: usize = 64 << 10;

/// Memory of a device. A clone is the same memory; it is freed when the last clone goes, also that in a launch.
#[derive(Clone, Debug)]
pub struct Buffer(Arc<Owned>);

#[derive(Debug)]
struct Owned {
    device: Device,
    base: u64,
    memory: Arc<Backing>,
}

impl Drop for Owned {
    fn drop(&mut self) {
        self.device.free(self.base, self.memory.len() as u64);
    }
}

impl Buffer {
    pub(crate) fn new(device: &Device, base: u64, memory: Arc<Backing>) -> Buffer {
        Buffer(Arc::new(Owned { device: device.clone(), base, memory }))
    }

    /// Returns the guest address.
    pub fn address(&self) -> u64 {
        self.0.base
    }

    /// Returns the size in bytes.
    pub fn len(&self) -> u64 {
        self.0.memory.len() as u64
    }

    /// Whether the buffer has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the device.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// Returns a part of the buffer.
    ///
    /// # Errors
    /// [`DispatchError::Beyond`] if the part is not in the buffer.
    pub fn slice(&self, range: impl RangeBounds<u64>) -> Result<Slice, DispatchError> {
        let start = match range.start_bound() {
            Bound::Included(&start) => Some(start),
            Bound::Excluded(&start) => start.checked_add(1),
            Bound::Unbounded => Some(0),
        };
        let end = match range.end_bound() {
            Bound::Included(&end) => end.checked_add(1),
            Bound::Excluded(&end) => Some(end),
            Bound::Unbounded => Some(self.len()),
        };
        match (start, end) {
            (Some(start), Some(end)) if start <= end && end <= self.len() => {
                Ok(Slice { buffer: self.clone(), start, end })
            }
            (start, end) => {
                let (start, end) = (start.unwrap_or(u64::MAX), end.unwrap_or(u64::MAX));
                Err(DispatchError::Beyond { start, end, size: self.len() })
            }
        }
    }

    /// Reads bytes from byte `at` on.
    ///
    /// # Errors
    /// [`DispatchError::Beyond`] if they are not all in the buffer.
    pub fn read(&self, at: u64, bytes: &mut [u8]) -> Result<(), DispatchError> {
        let at = self.place(at, bytes.len())?;
        self.0.memory.read_into(at, bytes);
        Ok(())
    }

    /// Writes bytes from byte `at` on.
    ///
    /// # Errors
    /// [`DispatchError::Beyond`] if they do not all fit; then nothing is written.
    pub fn write(&self, at: u64, bytes: &[u8]) -> Result<(), DispatchError> {
        let at = self.place(at, bytes.len())?;
        self.0.memory.write(at, bytes);
        Ok(())
    }

    /// Returns the host address of the first byte. Who reads or writes there must stay within [`Buffer::len`], keep a
    /// clone of the buffer, and allow for kernels that run meanwhile.
    pub fn as_ptr(&self) -> *mut u8 {
        self.0.memory.as_ptr()
    }

    /// Returns all bytes.
    pub fn to_vec(&self) -> Vec<u8> {
        self.0.memory.to_vec()
    }

    /// Sets all bytes to `byte`.
    pub fn fill(&self, byte: u8) {
        let piece = [byte; PIECE];
        for at in (0..self.0.memory.len()).step_by(PIECE) {
            self.0.memory.write(at, &piece[..PIECE.min(self.0.memory.len() - at)]);
        }
    }

    /// Returns the XXH3-64 of the bytes.
    pub fn hash(&self) -> u64 {
        let (mut hash, mut piece) = (Xxh3::new(), vec![0; PIECE.min(self.0.memory.len())]);
        for at in (0..self.0.memory.len()).step_by(PIECE) {
            let piece = &mut piece[..PIECE.min(self.0.memory.len() - at)];
            self.0.memory.read_into(at, piece);
            hash.update(piece);
        }
        hash.digest()
    }

    fn place(&self, at: u64, len: usize) -> Result<usize, DispatchError> {
        let end = at.checked_add(len as u64).filter(|&end| end <= self.len());
        let beyond = || DispatchError::Beyond { start: at, end: at.saturating_add(len as u64), size: self.len() };
        end.map(|_| at as usize).ok_or_else(beyond)
    }
}

/// A part of a buffer, as an argument.
#[derive(Clone, Debug)]
pub struct Slice {
    buffer: Buffer,
    start: u64,
    end: u64,
}

impl Slice {
    /// Returns the buffer.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Returns the guest address.
    pub fn address(&self) -> u64 {
        self.buffer.address() + self.start
    }

    /// Returns the size in bytes.
    pub fn len(&self) -> u64 {
        self.end - self.start
    }

    /// Whether the part has no bytes.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }
}
