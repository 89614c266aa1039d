//! Reads the next files of a folder with few system calls, by io_uring.
//!
//! The files of a stretch are read 32 at a time with two calls: one opens them all, the other reads them all. Opening a
//! file into the slot of an old one closes the old one. All other files are left to the *plain way* (open, read,
//! close), which also reports errors: files that cannot be opened or read, are empty, are long, have become a link, or
//! may have more bytes. If there is no io_uring, all files go the plain way.
//!
//! The second call is made only when all opens are done. The system may hand an open to another thread, and a read in
//! the same call would then find the file that was in that slot before.
//!
//! # Memory that the system writes
//!
//! Requests point into 32 names and 32 buffers, which never grow and belong to the ring of one thread. Nobody looks at
//! them before the completions of all requests have been counted, and the call that made the requests returns only
//! then. A buffer is shared with the program that runs from it, and is written again only when nobody else holds it
//! (`Arc::get_mut`); otherwise another buffer takes its place. The first buffers are registered with the ring and stay
//! allocated as long as the ring. If the ring fails while requests are under way, names and buffers are leaked (0.6 MB,
//! once a thread), and the rest of the batch goes the plain way.
//!
//! Reads do not wait, and opens follow no links and do not wait for pipes. So a name that has become something else
//! since the listing cannot hold up the batch.
#![allow(unsafe_code)]

use std::io;
use std::mem;
use std::ops::Range;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::sync::Arc;

use io_uring::types::{DestinationSlot, Fd, Fixed};
use io_uring::{IoUring, opcode, squeue};
use rustix::fs::OFlags;

use crate::entry_hash::hash;
use crate::file::Content;
use crate::folder::{self, OpenFolder};
use crate::inputs::Inputs;

/// Most files that are read at a time; a power of two.
const FILES: usize = 32;
/// Fewest files that are read ahead. For fewer, the two calls do not pay.
const FEWEST: usize = 4;
/// Bytes of a buffer that a file may fill. Files of this length or longer go the plain way.
const ROOM: usize = 16 << 10;
/// Bytes of a buffer. This is not a power of two: otherwise the first bytes of all buffers would compete for the same
/// few cache lines.
const BUFFER: usize = ROOM + 17 * 64;
/// Size of a name in bytes, with the zero that ends it. No file system has longer names.
const NAME: usize = 256;
/// Number of loads in a row in which most files went the plain way. After these no more files are read ahead.
const VAIN: u32 = 8;

/// Reads files ahead for one thread of a batch.
#[derive(Default)]
pub struct Ahead {
    state: State,
    /// Indices of the files of the last load. Files among them that the ring could not read go the plain way.
    loaded: Range<usize>,
    vain: u32,
    hashes: bool,
}

#[derive(Default)]
enum State {
    #[default]
    Off,
    /// Reading ahead is wanted, but no ring has been set up yet.
    Wanted,
    On(Box<Ring>),
}

impl Ahead {
    /// Returns a reader that reads ahead if `is_wanted` and the system allows it. If `hashes`, it hashes raw shaders at
    /// once. That does not pay where most of them belong to other shards.
    pub fn new(is_wanted: bool, hashes: bool) -> Ahead {
        Ahead { state: if is_wanted { State::Wanted } else { State::Off }, hashes, ..Ahead::default() }
    }

    /// Returns the bytes of file `index`, with their SHA-256 if it is known; `None` if the file goes the plain way. If
    /// the file has not been tried yet, this call reads it and others before `end`. Buffers that were given out should
    /// have been dropped before that; otherwise new ones are allocated.
    pub fn read(
        &mut self,
        inputs: &Inputs,
        index: usize,
        end: usize,
        folder: &mut OpenFolder,
    ) -> Option<(Arc<Buffer>, Option<[u8; 32]>)> {
        if !self.loaded.contains(&index) {
            self.load(inputs, index, end, folder);
        }
        match &self.state {
            State::On(ring) if self.loaded.contains(&index) => ring.file(index - self.loaded.start),
            _ => None,
        }
    }

    fn load(&mut self, inputs: &Inputs, start: usize, end: usize, folder: &mut OpenFolder) {
        self.loaded = start..start;
        if matches!(self.state, State::Off) {
            return;
        }
        let first = inputs.get(start);
        let is_like_first = |&index: &usize| {
            let input = inputs.get(index);
            input.place_number == first.place_number && input.content == Content::File { is_direct: true }
        };
        let count = (start..end).take(FILES).take_while(is_like_first).count();
        // If the folder cannot be opened, the plain way reports why.
        let Some(opener) = folder.opener(first.place, first.place_number).ok().flatten().filter(|_| count >= FEWEST)
        else {
            return;
        };
        if let State::Wanted = self.state {
            self.state = Ring::new().map_or(State::Off, |ring| State::On(Box::new(ring)));
        }
        let State::On(ring) = &mut self.state else { return };
        let names = (start..start + count).map(|index| inputs.get(index).name);
        let Ok(useful) = ring.load(opener.folder, opener.flags, names, self.hashes) else {
            self.state = State::Off;
            return;
        };
        self.loaded = start..start + count;
        self.vain = if 2 * useful < count { self.vain + 1 } else { 0 };
        if self.vain == VAIN {
            self.state = State::Off;
        }
    }
}

/// A file read ahead.
pub struct Buffer {
    /// The bytes. The vector never grows, so they stay in place.
    bytes: Vec<u8>,
    length: usize,
}

impl Buffer {
    fn new() -> Arc<Buffer> {
        Arc::new(Buffer { bytes: vec![0; BUFFER], length: 0 })
    }

    /// Returns the memory into which the system reads the file.
    fn place(&mut self) -> libc::iovec {
        libc::iovec { iov_base: self.bytes.as_mut_ptr().cast(), iov_len: ROOM }
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// Memory that the system reads and writes while requests are under way.
#[derive(Default)]
struct Memory {
    /// Names of files, [`NAME`] bytes each. The vector never grows.
    names: Vec<u8>,
    /// One buffer for each file.
    buffers: Vec<Arc<Buffer>>,
    /// Buffers that are registered with the ring, but were replaced in `buffers`.
    retired: Vec<Arc<Buffer>>,
}

/// An io_uring with slots for [`FILES`] open files.
struct Ring {
    /// The ring. It is dropped before the memory that it has registered.
    ring: IoUring,
    memory: Memory,
    /// For each file, whether its buffer is registered, which saves the system a lookup of the memory for every read.
    is_registered: [bool; FILES],
    /// Number of requests whose completions have not been seen. Unless it is 0, `memory` must neither be freed nor
    /// looked at.
    under_way: usize,
    /// For each file, `Some` if it has been read completely, with its SHA-256 if that is known.
    files: [Option<Option<[u8; 32]>>; FILES],
}

impl Ring {
    /// Sets up a ring. It is an error if there is no io_uring, it is forbidden, or the system is older than Linux 6.1.
    fn new() -> io::Result<Ring> {
        let mut builder = IoUring::builder();
        let ring = builder.setup_single_issuer().setup_defer_taskrun().setup_submit_all().build(FILES as u32)?;
        ring.submitter().register_files_sparse(FILES as u32)?;
        let mut buffers: Vec<_> = (0..FILES).map(|_| Buffer::new()).collect();
        let registered: Vec<_> = buffers.iter_mut().filter_map(|buffer| Some(Arc::get_mut(buffer)?.place())).collect();
        // SAFETY: the buffers never move and live as long as the ring. They stay in `memory`; a replaced buffer moves
        // to `retired`.
        let is_registered = unsafe { ring.submitter().register_buffers(&registered) }.is_ok();
        let memory = Memory { names: vec![0; FILES * NAME], buffers, retired: Vec::new() };
        Ok(Ring { ring, memory, is_registered: [is_registered; FILES], under_way: 0, files: [None; FILES] })
    }

    /// Returns file `n` of the last load and its SHA-256; `None` if it goes the plain way.
    fn file(&self, n: usize) -> Option<(Arc<Buffer>, Option<[u8; 32]>)> {
        self.files[n].map(|sha256| (self.memory.buffers[n].clone(), sha256))
    }

    /// Reads at most [`FILES`] files of `folder`. Returns the number of files for which this was useful: those that
    /// were read, and those whose bytes the system loads now (`EAGAIN`).
    ///
    /// # Errors
    /// The system's error for the ring, which must not be used again.
    fn load<'a>(
        &mut self,
        folder: BorrowedFd,
        flags: OFlags,
        names: impl Iterator<Item = &'a [u8]>,
        hashes: bool,
    ) -> io::Result<usize> {
        self.files = [None; FILES];
        let mut count = 0;
        for (name, place) in names.zip(self.memory.names.chunks_exact_mut(NAME)) {
            // A name that is too long is replaced by the empty name, so that opening it fails and it goes the plain
            // way.
            let length = if name.len() < NAME { name.len() } else { 0 };
            place[..length].copy_from_slice(&name[..length]);
            place[length] = 0;
            count += 1;
        }
        // Files in slots of the ring have no descriptor. The system refuses CLOEXEC for them.
        let flags = (flags & !OFlags::CLOEXEC).bits() as i32;
        for n in 0..count {
            let name = self.memory.names.as_ptr().wrapping_add(n * NAME).cast();
            let slot = DestinationSlot::try_from_slot_target(n as u32).ok();
            let open = opcode::OpenAt::new(Fd(folder.as_raw_fd()), name).flags(flags).file_index(slot).build();
            // SAFETY: the name ends with a zero and lies in `memory`, which nobody changes until `finish` has seen the
            // completion.
            unsafe { self.push(open.user_data(n as u64))? };
        }
        let mut is_open = [false; FILES];
        self.finish(|n, result| is_open[n] = result == 0)?;
        for n in (0..count).filter(|&n| is_open[n]) {
            let (buffer, is_registered) = self.buffer(n);
            // The name may stand for something else since the listing, such as a pipe. RWF_NOWAIT keeps the batch from
            // waiting for it.
            let (file, room, flags) = (Fixed(n as u32), ROOM as u32, libc::RWF_NOWAIT);
            let read = match is_registered {
                true => opcode::ReadFixed::new(file, buffer, room, n as u16).rw_flags(flags).build(),
                false => opcode::Read::new(file, buffer, room).rw_flags(flags).build(),
            };
            // SAFETY: the buffer has ROOM bytes and lies in `memory`. Nobody else holds it, and nobody looks at it
            // until `finish` has seen the completion.
            unsafe { self.push(read.user_data(n as u64))? };
        }
        let mut lengths = [None; FILES];
        let mut useful = 0;
        self.finish(|n, result| {
            lengths[n] = usize::try_from(result).ok().filter(|&n| n < ROOM && folder::is_whole(n));
            useful += usize::from(lengths[n].is_some() || result == -libc::EAGAIN);
        })?;
        for ((buffer, file), length) in self.memory.buffers.iter_mut().zip(&mut self.files).zip(lengths) {
            let Some(length) = length else { continue };
            let Some(buffer) = Arc::get_mut(buffer) else { continue };
            buffer.length = length;
            // All files of a load are hashed here, one after the other, so that the code for it stays in the cache.
            // Between shaders it would have to be fetched each time.
            let bytes = (*buffer).as_ref();
            *file = Some((hashes && gcnsim_loader::is_raw(bytes)).then(|| hash(bytes)));
        }
        Ok(useful)
    }

    /// Returns the address of the buffer of file `n`, and whether the buffer is registered. If the old buffer is still
    /// in use, another one takes its place.
    fn buffer(&mut self, n: usize) -> (*mut u8, bool) {
        let Memory { buffers, retired, .. } = &mut self.memory;
        if Arc::get_mut(&mut buffers[n]).is_none() {
            let others = mem::replace(&mut buffers[n], Buffer::new());
            if mem::take(&mut self.is_registered[n]) {
                retired.push(others);
            }
        }
        let buffer = Arc::get_mut(&mut buffers[n]).expect("a new one");
        (buffer.bytes.as_mut_ptr(), self.is_registered[n])
    }

    /// Gives a request to the ring. [`finish`](Ring::finish) submits it.
    ///
    /// # Safety
    /// The memory that the request points to must lie in `memory`, be fit for the request, and be left alone until its
    /// completion has been seen.
    unsafe fn push(&mut self, request: squeue::Entry) -> io::Result<()> {
        // SAFETY: the memory lives long enough: `drop` does not free `memory` while requests are under way.
        unsafe { self.ring.submission().push(&request) }.map_err(io::Error::other)?;
        self.under_way += 1;
        Ok(())
    }

    /// Submits all requests and waits until all are done. `done` gets the number of each request (its file) and its
    /// result, in any order.
    fn finish(&mut self, mut done: impl FnMut(usize, i32)) -> io::Result<()> {
        while self.under_way > 0 {
            match self.ring.submit_and_wait(self.under_way) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
                _ => {}
            }
            for completion in self.ring.completion() {
                self.under_way -= 1;
                done(completion.user_data() as usize, completion.result());
            }
        }
        Ok(())
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        if self.under_way > 0 {
            // The system may still write to this memory, even after the ring is closed.
            mem::forget(mem::take(&mut self.memory));
        }
    }
}
