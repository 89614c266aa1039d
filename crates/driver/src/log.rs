//! The log of a device: its ioctls, and what the program had in memory before each packet. A test replays it without
//! drivers (`corpus/device/README.md`).
//!
//! Each line is JSON: `{"chip": NAME}` first, `{"kfd": NUMBER, "args": HEX, "errno": N, "handle": N}` for an ioctl of
//! `/dev/kfd`, `{"pages": {ADDRESS: HEX}}` for pages that the program has changed, `{"packet": QUEUE}` for a packet
//! that is processed next, and `{"after": {ADDRESS: HEX}, "signal": ADDRESS}` for pages that this has changed. Times of
//! the signal are in them, too. `{"drm": NUMBER, "args": HEX, "read": [[ADDRESS, HEX]], "errno": N, "answer": HEX}` is
//! an ioctl of the render node, with what it has read of the program; pages stand around submissions, without a signal.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use gcnsim_engine::xxh3::xxh3;
use gcnsim_machine::Backing;
use serde_json::json;

use crate::memory::{Allocation, Memory};

/// Size of a page in bytes.
const PAGE: usize = 4096;

/// Memory at an address: its backing, the offset there, and the length.
pub(crate) type Part = (u64, Arc<Backing>, usize, usize);

/// A log that grows.
pub(crate) struct Log {
    file: File,
    /// Hashes of pages as they were written last, by address. A page that is not here was 0.
    pages: HashMap<u64, u64>,
}

impl Log {
    /// Begins a log.
    ///
    /// # Errors
    /// Those of the file.
    pub fn new(path: &Path, chip: &str) -> io::Result<Log> {
        let mut file = File::create(path)?;
        writeln!(file, "{}", json!({ "chip": chip }))?;
        Ok(Log { file, pages: HashMap::new() })
    }

    fn line(&mut self, line: &serde_json::Value) {
        // A log that cannot be written ends.
        let _ = writeln!(self.file, "{line}");
    }

    /// Adds an ioctl, as it was asked for, and its answer.
    pub fn ioctl(&mut self, number: u8, args: &[u8], answer: Result<u64, i32>) {
        let args = hex(args);
        self.line(&match answer {
            Ok(handle) => json!({ "kfd": number, "args": args, "handle": handle }),
            Err(errno) => json!({ "kfd": number, "args": args, "errno": errno }),
        });
    }

    /// Adds an ioctl of the render node, what it has read, and its answer.
    pub fn drm(&mut self, number: u8, args: &[u8], read: &[(u64, Vec<u8>)], answer: Result<&[u8], i32>) {
        let (args, read) = (hex(args), read.iter().map(|(at, bytes)| (format!("{at:#x}"), hex(bytes))));
        let read: Vec<(String, String)> = read.collect();
        self.line(&match answer {
            Ok(answer) => json!({ "drm": number, "args": args, "read": read, "answer": hex(answer) }),
            Err(errno) => json!({ "drm": number, "args": args, "read": read, "errno": errno }),
        });
    }

    /// Adds pages of buffers that the program has changed.
    pub fn pages(&mut self, buffers: &[Part]) {
        let changed = self.changes(buffers);
        if !changed.is_empty() {
            self.line(&json!({ "pages": changed }));
        }
    }

    /// Adds pages of buffers that a submission has changed.
    pub fn after_submission(&mut self, buffers: &[Part]) {
        let changed = self.changes(buffers);
        self.line(&json!({ "after": changed }));
    }

    /// Returns pages that have changed.
    fn changes(&mut self, parts: &[Part]) -> serde_json::Map<String, serde_json::Value> {
        let zero = xxh3(&[0; PAGE]);
        let mut changed = serde_json::Map::new();
        let mut bytes = vec![0; PAGE];
        for (base, backing, offset, len) in parts {
            for at in (0..*len).step_by(PAGE) {
                let bytes = &mut bytes[..PAGE.min(len - at)];
                backing.read_into(offset + at, bytes);
                let (address, hash) = (base + at as u64, xxh3(bytes));
                if *self.pages.get(&address).unwrap_or(&zero) != hash {
                    self.pages.insert(address, hash);
                    changed.insert(format!("{address:#x}"), hex(bytes).into());
                }
            }
        }
        changed
    }

    /// Adds a packet that is processed next.
    pub fn packet(&mut self, queue: u32, memory: &Memory) {
        self.pages(&allocated(memory));
        self.line(&json!({ "packet": queue }));
    }

    /// Adds what a packet has changed, which completes a signal.
    pub fn after(&mut self, signal: u64, memory: &Memory) {
        let changed = self.changes(&allocated(memory));
        self.line(&json!({ "after": changed, "signal": signal }));
    }
}

/// Returns all memory of allocations.
fn allocated(memory: &Memory) -> Vec<Part> {
    let part = |allocation: &Allocation| {
        let backing = allocation.backing.clone()?;
        let len = backing.len();
        Some((allocation.va, backing, 0, len))
    };
    memory.all().filter_map(part).collect()
}

fn hex(bytes: &[u8]) -> String {
    let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    bytes[..end].iter().fold(String::with_capacity(2 * end), |text, byte| text + &format!("{byte:02x}"))
}
