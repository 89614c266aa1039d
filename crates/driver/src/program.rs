//! The program that uses the GPU, as the driver sees it.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;

use crate::summary::Summary;

/// A program that uses the GPU.
pub trait Program: Send + Sync {
    /// Reads bytes of the program's memory. Returns whether all of them could be read.
    fn read(&self, address: u64, bytes: &mut [u8]) -> bool;
    /// Writes bytes of the program's memory. Returns whether all of them could be written.
    fn write(&self, address: u64, bytes: &[u8]) -> bool;
    /// Tells the user something.
    fn say(&self, text: &str);
    /// Returns the address of ROCr's list of loaded code objects, if ROCr is there.
    fn loaded_objects(&self) -> Option<u64> {
        None
    }
    /// Keeps what the device has done so far, in case that the program ends without a word.
    fn keep(&self, _summary: &Summary) {}
}

/// The memory of this process. The system checks each access, so that wrong addresses are errors.
#[derive(Debug)]
pub struct OwnMemory(File);

impl OwnMemory {
    /// Returns the memory of this process.
    ///
    /// # Errors
    /// Those of the system, if it has no `/proc`.
    pub fn new() -> io::Result<OwnMemory> {
        OpenOptions::new().read(true).write(true).open("/proc/self/mem").map(OwnMemory)
    }

    /// As [`Program::read`].
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> bool {
        self.0.read_exact_at(bytes, address).is_ok()
    }

    /// As [`Program::write`].
    pub fn write(&self, address: u64, bytes: &[u8]) -> bool {
        self.0.write_all_at(bytes, address).is_ok()
    }
}
