//! Reading the next files of a folder with few system calls: io_uring.
//!
//! The files of a stretch are read 32 at a time with two calls: one opens them all, one reads them all; that a file is
//! closed is part of opening another in its place. Whatever is out of the ordinary is left to the plain way, which also
//! has the words for it: a file that cannot be opened or read, is empty, is long, has become a link, or may go on; all
//! files if there is no io_uring.
//!
//! The second call is made when all of the first is done: the system may hand an open on to a thread of its own, and
//! a read in the same call would then find the file that was in that place before.
#![allow(unsafe_code)]

use std::io;
use std::mem;
use std::ops::Range;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::sync::Arc;

use io_uring::types::{DestinationSlot, Fd, Fixed};
use io_uring::{IoUring, opcode, squeue};
use rustix::fs::OFlags;

use super::folder::{self, OpenFolder};
use super::inputs::{Content, Inputs};
use super::worker::hash;
use crate::loader;

/// Most files at a time. A power of two.
const FILES: usize = 32;
/// Fewer are not worth two calls.
const FEWEST: usize = 4;
/// Longer files, and those of just this length, go the plain way.
const ROOM: usize = 16 << 10;
/// Bytes of a buffer. Not a power of two, or the first bytes of all would compete for the same few lines of the cache.
const BUFFER: usize = ROOM + 17 * 64;
/// Bytes of a name and the zero after it. File systems have no longer ones.
const NAME: usize = 256;
/// Times in a row that most files had to go the plain way after all, until no more are read ahead.
const VAIN: u32 = 8;

/// Reads files of a batch ahead, those of one thread.
#[derive(Default)]
pub(super) struct Ahead {
    state: State,
    /// Files that the ring has, or has left to the plain way.
    loaded: Range<usize>,
    vain: u32,
    hashes: bool,
}

#[derive(Default)]
enum State {
    #[default]
    Off,
    /// When there is something to be read.
    Wanted,
    On(Box<Ring>),
}

impl Ahead {
    /// Reads ahead if `is_wanted` and where it is possible, and if `hashes`, hashes raw shaders at once: not worth it
    /// where most of them are left to others.
    pub fn new(is_wanted: bool, hashes: bool) -> Ahead {
        Ahead { state: if is_wanted { State::Wanted } else { State::Off }, hashes, ..Ahead::default() }
    }

    /// The bytes of a file, if it has been read ahead, and their SHA-256 if it is known; reads it and others before
    /// `end` if it is not yet known what they are. What was given out must have been dropped by the time others are
    /// read, or memory is allocated anew.
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
        // What is wrong with a folder is for the plain way to say.
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
pub(super) struct Buffer {
    /// It never grows: what it holds stays in place.
    bytes: Vec<u8>,
    length: usize,
}

impl Buffer {
    fn new() -> Arc<Buffer> {
        Arc::new(Buffer { bytes: vec![0; BUFFER], length: 0 })
    }

    /// Where files are read to.
    fn place(&mut self) -> libc::iovec {
        libc::iovec { iov_base: self.bytes.as_mut_ptr().cast(), iov_len: ROOM }
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// What the system reads and writes by itself while requests are under way.
#[derive(Default)]
struct Memory {
    /// It never grows.
    names: Vec<u8>,
    /// One for each file.
    buffers: Vec<Arc<Buffer>>,
    /// Those that the ring has registered but others are in place of.
    retired: Vec<Arc<Buffer>>,
}

/// An io_uring with places for some files.
struct Ring {
    /// Dropped before the memory that it has registered.
    ring: IoUring,
    memory: Memory,
    /// By file: is its buffer registered, which saves the system looking up where it lies for every read?
    is_registered: [bool; FILES],
    /// Requests given to `ring` whose completions have not been seen. Unless it is 0, `memory` must not be freed or
    /// looked at.
    under_way: usize,
    /// By file: has all of it been read, and its SHA-256 if that is known.
    files: [Option<Option<[u8; 32]>>; FILES],
}

impl Ring {
    /// An error if there is no io_uring, it is forbidden, or of before Linux 6.1.
    fn new() -> io::Result<Ring> {
        let mut builder = IoUring::builder();
        let ring = builder.setup_single_issuer().setup_defer_taskrun().setup_submit_all().build(FILES as u32)?;
        ring.submitter().register_files_sparse(FILES as u32)?;
        let mut buffers: Vec<_> = (0..FILES).map(|_| Buffer::new()).collect();
        let registered: Vec<_> = buffers.iter_mut().filter_map(|buffer| Some(Arc::get_mut(buffer)?.place())).collect();
        // SAFETY: they never move, and live as long as the ring: in `memory`, where others take their place in
        // `retired`.
        let is_registered = unsafe { ring.submitter().register_buffers(&registered) }.is_ok();
        let memory = Memory { names: vec![0; FILES * NAME], buffers, retired: Vec::new() };
        Ok(Ring { ring, memory, is_registered: [is_registered; FILES], under_way: 0, files: [None; FILES] })
    }

    /// The n-th of the files that were loaded last, and its SHA-256; `None` if it has to be read the plain way.
    fn file(&self, n: usize) -> Option<(Arc<Buffer>, Option<[u8; 32]>)> {
        self.files[n].map(|sha256| (self.memory.buffers[n].clone(), sha256))
    }

    /// Reads [`FILES`] files of a folder at most. How many need not be opened another time, or not for long: the system
    /// has been asked for their bytes.
    ///
    /// # Errors
    /// What the system says of the ring. It must not be used again.
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
            // A name that is too long becomes none, which cannot be opened.
            let length = if name.len() < NAME { name.len() } else { 0 };
            place[..length].copy_from_slice(&name[..length]);
            place[length] = 0;
            count += 1;
        }
        // Files without a number of the process cannot have the flag, and need none.
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
            // What is not a file after all, such as a pipe, must not keep the batch waiting.
            let (file, room, flags) = (Fixed(n as u32), ROOM as u32, libc::RWF_NOWAIT);
            let read = match is_registered {
                true => opcode::ReadFixed::new(file, buffer, room, n as u16).rw_flags(flags).build(),
                false => opcode::Read::new(file, buffer, room).rw_flags(flags).build(),
            };
            // SAFETY: the buffer has ROOM bytes and lies in `memory`, nobody else has it, and nobody looks at it until
            // `finish` has seen the completion.
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
            // Here, for all of them one after the other: the code for that would have to be fetched again behind every
            // shader.
            let bytes = (*buffer).as_ref();
            *file = Some((hashes && !loader::is_code_object(bytes)).then(|| hash(bytes)));
        }
        Ok(useful)
    }

    /// The bytes of a file's buffer, which nobody else has (it is another one if somebody did), and whether it is
    /// registered.
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

    /// Gives a request to the ring, to be submitted by [`finish`](Ring::finish).
    ///
    /// # Safety
    /// What the request points to must lie in `memory`, be fit for it, and be left alone until its completion has been
    /// seen.
    unsafe fn push(&mut self, request: squeue::Entry) -> io::Result<()> {
        // SAFETY: what it points to lives as long: `drop` does not free `memory` before.
        unsafe { self.ring.submission().push(&request) }.map_err(io::Error::other)?;
        self.under_way += 1;
        Ok(())
    }

    /// Submits all requests and waits until all are done. `done` gets the number of each and its result, in any order.
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
            // The system may still write there, even after the ring is closed.
            mem::forget(mem::take(&mut self.memory));
        }
    }
}
