//! Reads the next files of a folder with few system calls, by io_uring.
//!
//! The files of a stretch are read 32 at a time with two calls: one opens them all, the other reads them all. Opening
//! another file in the place of an old one closes the old one. Unusual files are left to the plain way, which also
//! reports what is wrong: a file that cannot be opened or read, is empty, is long, has become a link, or may have more
//! bytes. If there is no io_uring, all files go the plain way.
//!
//! The second call is made only when all of the first is done. The system may hand an open to a thread of its own, and
//! a read in the same call would then find the file that was in that place before.
//!
//! # Memory that the system writes
//!
//! Requests point into 32 names and 32 buffers, which never grow and belong to the ring of one thread. Nobody looks at
//! them before the completions of all requests have been counted, and the call that made the requests returns only
//! then. A buffer is shared with the program that runs from it, and is written again only when nobody else holds it
//! (`Arc::get_mut`); otherwise a new one takes its place. The first buffers are registered with the ring, which keeps
//! them until it is gone. If the system refuses to go on in the middle, names and buffers are leaked (0.6 MB, once a
//! thread), and the rest of the batch goes the plain way.
//!
//! Reads do not wait, and opens follow no links and do not wait for pipes: a name that has become something else cannot
//! hold up the batch.
#![allow(unsafe_code)]

use std::io;
use std::mem;
use std::ops::Range;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::sync::Arc;

use io_uring::types::{DestinationSlot, Fd, Fixed};
use io_uring::{IoUring, opcode, squeue};
use rustix::fs::OFlags;

use crate::input::file::Content;
use crate::input::folder::{self, OpenFolder};
use crate::input::inputs::Inputs;
use crate::run::worker::hash;

/// Most files that are read at a time; a power of two.
const FILES: usize = 32;
/// For fewer files two calls do not pay.
const FEWEST: usize = 4;
/// Room for a file. Files of this length or longer go the plain way.
const ROOM: usize = 16 << 10;
/// Bytes of a buffer. It is not a power of two: otherwise the first bytes of all buffers would compete for the same few
/// cache lines.
const BUFFER: usize = ROOM + 17 * 64;
/// Bytes of a name with the zero that ends it. No file system has longer names.
const NAME: usize = 256;
/// After this many loads in a row in which most files had to go the plain way, no more files are read ahead.
const VAIN: u32 = 8;

/// Reads files ahead for one thread of a batch.
#[derive(Default)]
pub(crate) struct Ahead {
    state: State,
    /// The files that are in the ring, or that the ring has left to the plain way.
    loaded: Range<usize>,
    vain: u32,
    hashes: bool,
}

#[derive(Default)]
enum State {
    #[default]
    Off,
    /// Reading ahead is wanted, but nothing had to be read yet.
    Wanted,
    On(Box<Ring>),
}

impl Ahead {
    /// Reads ahead if `is_wanted` and the system allows it. If `hashes`, raw shaders are hashed at once; that does not
    /// pay where most of them belong to other shards.
    pub fn new(is_wanted: bool, hashes: bool) -> Ahead {
        Ahead { state: if is_wanted { State::Wanted } else { State::Off }, hashes, ..Ahead::default() }
    }

    /// The bytes of a file if it could be read ahead, and their SHA-256 if it is known. If the file has not been tried
    /// yet, it and others before `end` are read now. Buffers that were given out must have been dropped before others
    /// are read, otherwise memory is allocated anew.
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
        // The plain way reports what is wrong with a folder.
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
pub(crate) struct Buffer {
    /// The bytes. This never grows, so that the bytes stay in place.
    bytes: Vec<u8>,
    length: usize,
}

impl Buffer {
    fn new() -> Arc<Buffer> {
        Arc::new(Buffer { bytes: vec![0; BUFFER], length: 0 })
    }

    /// Where the system writes the file.
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
    /// Names of files. This never grows.
    names: Vec<u8>,
    /// One buffer for each file.
    buffers: Vec<Arc<Buffer>>,
    /// Buffers that the ring has registered, but that others have replaced.
    retired: Vec<Arc<Buffer>>,
}

/// An io_uring with places for some files.
struct Ring {
    /// The ring. It is dropped before the memory that it has registered.
    ring: IoUring,
    memory: Memory,
    /// By file: whether its buffer is registered. That saves the system a lookup of the memory for every read.
    is_registered: [bool; FILES],
    /// Number of requests whose completions have not been seen. Unless it is 0, `memory` must not be freed or looked
    /// at.
    under_way: usize,
    /// By file: whether it has been read completely, and its SHA-256 if that is known.
    files: [Option<Option<[u8; 32]>>; FILES],
}

impl Ring {
    /// Sets up a ring. Fails if there is no io_uring, it is forbidden, or the system is older than Linux 6.1.
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

    /// The n-th of the files that were loaded last, and its SHA-256; `None` if it has to be read the plain way.
    fn file(&self, n: usize) -> Option<(Arc<Buffer>, Option<[u8; 32]>)> {
        self.files[n].map(|sha256| (self.memory.buffers[n].clone(), sha256))
    }

    /// Reads at most [`FILES`] files of a folder. Returns how many files need no further attempt: the system has been
    /// asked for their bytes.
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
            // A name that is too long is replaced by an empty one, which cannot be opened.
            let length = if name.len() < NAME { name.len() } else { 0 };
            place[..length].copy_from_slice(&name[..length]);
            place[length] = 0;
            count += 1;
        }
        // A file without a descriptor of the process cannot have the flag and does not need it.
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
            // The name may stand for something else after all, such as a pipe. That must not keep the batch waiting.
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
            // All files are hashed here, one after the other. Otherwise the code for it would have to be fetched again
            // after every shader.
            let bytes = (*buffer).as_ref();
            *file = Some((hashes && gcnsim_loader::is_raw(bytes)).then(|| hash(bytes)));
        }
        Ok(useful)
    }

    /// The address of a file's buffer, and whether the buffer is registered. If somebody still holds the old buffer, a
    /// new one takes its place.
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

    /// Submits all requests and waits until all are done. `done` gets the number and the result of each, in any order.
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
