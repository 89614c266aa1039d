//! Host memory for a device: buffers, and whether there is enough.

use std::sync::Arc;

use gcnsim_machine::Backing;

use super::images::{Layout, Shape};
use super::setup_error::SetupError;

/// A buffer or an image.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Name of the buffer or image.
    pub name: String,
    /// Bytes of the buffer in host memory.
    pub bytes: Arc<Backing>,
    /// Type, sizes and format of an image, and the layout of its texels; `None` for a buffer.
    pub image: Option<(Shape, Layout)>,
}

impl Buffer {
    /// Returns the kind and name for people, such as `image 'a'`.
    pub fn label(&self) -> String {
        format!("{} '{}'", if self.image.is_some() { "image" } else { "buffer" }, self.name)
    }

    /// Returns the size in bytes; that of an image without padding.
    pub fn size(&self) -> usize {
        self.image.as_ref().map_or(self.bytes.len(), |(_, layout)| layout.packed_bytes() as usize)
    }

    /// Returns the place in host memory of byte `at`, and how many bytes follow there, this one included.
    fn locate(&self, at: usize) -> (usize, usize) {
        match &self.image {
            None => (at, self.bytes.len() - at),
            Some((_, layout)) => {
                let (place, len) = layout.locate(at as u64);
                (place as usize, len as usize)
            }
        }
    }

    /// Writes bytes from byte `at` on.
    pub fn write(&self, mut at: usize, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (place, len) = self.locate(at);
            let (part, rest) = bytes.split_at(len.min(bytes.len()));
            self.bytes.write(place, part);
            (at, bytes) = (at + part.len(), rest);
        }
    }

    /// Reads bytes from byte `at` on.
    pub fn read_into(&self, mut at: usize, mut bytes: &mut [u8]) {
        while !bytes.is_empty() {
            let (place, len) = self.locate(at);
            let len = len.min(bytes.len());
            let (part, rest) = std::mem::take(&mut bytes).split_at_mut(len);
            self.bytes.read_into(place, part);
            (at, bytes) = (at + part.len(), rest);
        }
    }

    /// Returns the bytes; those of an image without padding.
    pub fn to_vec(&self) -> Vec<u8> {
        self.bytes_at(0, self.size())
    }

    /// Returns `len` bytes from byte `at` on.
    pub fn bytes_at(&self, at: usize, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        self.read_into(at, &mut bytes);
        bytes
    }
}

/// Number of bytes that the host is taken to have without asking it.
pub const LITTLE: u64 = 64 << 20;

/// Returns zeroed memory, or an error if the host cannot give that much. `what` names the memory in the error.
pub fn backing(what: &str, bytes: u64) -> Result<Backing, SetupError> {
    let len = usize::try_from(bytes).ok().filter(|_| has_room(bytes));
    len.and_then(Backing::zeroed).ok_or_else(|| SetupError::NoRoom { what: what.to_string(), bytes })
}

/// Whether the host can give `bytes` bytes.
pub fn has_room(bytes: u64) -> bool {
    bytes <= LITTLE || bytes <= available_memory()
}

/// Returns the number of bytes that the host can give; `u64::MAX` if it does not say.
fn available_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kib.map_or(u64::MAX, |kib| kib.saturating_mul(1024))
}
