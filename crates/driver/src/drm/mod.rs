//! `/dev/dri/renderD128`: the device as libdrm and Mesa ask for it.
//!
//! Sources: the kernel's uapi headers `drm.h` and `amdgpu_drm.h`. Work is done within the ioctl that submits it: what a
//! submission waits for was submitted before it, and has ended.

mod buffers;
mod files;
mod info;
mod submit;
mod sync;

use std::collections::HashSet;
use std::mem;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::SeqCst};

use crate::gpu::{Gpu, lock};
use crate::ioctl::{Args, EFAULT, EINVAL, Errno, MOST_ARGUMENTS};
use buffers::Buffers;
pub use files::files;
use sync::Syncs;

/// Version of the kernel's driver that the device speaks.
const VERSION: [u32; 3] = [3, 49, 0];

/// What belongs to this door.
#[derive(Default)]
pub(crate) struct Drm {
    buffers: Mutex<Buffers>,
    syncs: Syncs,
    contexts: AtomicU32,
    sequence: AtomicU64,
    /// Contexts of which a submission has failed, for which the device does nothing more.
    lost: Mutex<HashSet<u32>>,
    /// Whether the driver asks how many command buffers there may be. Mesa of that age (25.0) knows, too, that queues
    /// for compute count invocations alone; 22.3 expects all counters.
    pub(crate) is_recent: AtomicBool,
    /// Lists of buffers that were made.
    lists: AtomicU32,
    /// What an ioctl that is logged has read of the program.
    read: Mutex<Vec<(u64, Vec<u8>)>>,
}

/// Numbers of ioctls: those of all drivers, those of amdgpu from 0x40 on.
mod number {
    pub const VERSION: u8 = 0x00;
    pub const GET_CLIENT: u8 = 0x05;
    pub const GEM_CLOSE: u8 = 0x09;
    pub const GET_CAP: u8 = 0x0c;
    pub const SET_CLIENT_CAP: u8 = 0x0d;
    pub const GEM_CREATE: u8 = 0x40;
    pub const GEM_MMAP: u8 = 0x41;
    pub const CTX: u8 = 0x42;
    pub const BO_LIST: u8 = 0x43;
    pub const CS: u8 = 0x44;
    pub const INFO: u8 = 0x45;
    pub const GEM_METADATA: u8 = 0x46;
    pub const GEM_WAIT_IDLE: u8 = 0x47;
    pub const GEM_VA: u8 = 0x48;
    pub const WAIT_CS: u8 = 0x49;
    pub const GEM_OP: u8 = 0x50;
    pub const GEM_USERPTR: u8 = 0x51;
    pub const WAIT_FENCES: u8 = 0x52;
    pub const VM: u8 = 0x53;
    pub const SYNCOBJ_FIRST: u8 = 0xbf;
    pub const SYNCOBJ_LAST: u8 = 0xcd;
}

impl Gpu {
    /// Answers an ioctl of `/dev/dri/renderD128` with the number `number`. The arguments are changed in place.
    ///
    /// # Errors
    /// The error that the program gets.
    pub fn drm(&self, number: u8, arguments: &mut [u8; MOST_ARGUMENTS]) -> Result<(), Errno> {
        let Some(log) = &self.log else { return self.answer_drm(number, &mut Args(arguments)) };
        let asked = *arguments;
        if number == number::CS {
            lock(log).pages(&self.mapped_buffers());
        }
        let done = self.answer_drm(number, &mut Args(arguments));
        let read = mem::take(&mut *lock(&self.drm.read));
        lock(log).drm(number, &asked, &read, done.map(|()| &arguments[..]).map_err(|Errno(errno)| errno));
        if number == number::CS {
            lock(log).after_submission(&self.mapped_buffers());
        }
        done
    }

    fn answer_drm(&self, number: u8, args: &mut Args) -> Result<(), Errno> {
        match number {
            number::VERSION => self.version(args)?,
            // The client is authenticated.
            number::GET_CLIENT => args.set_u32(4, 1),
            number::GEM_CLOSE => self.close_buffer(args.u32(0))?,
            number::GET_CAP => args.set_u64(8, capability(args.u64(0))),
            number::SET_CLIENT_CAP => {}
            number::GEM_CREATE => self.create_buffer(args)?,
            number::GEM_MMAP => self.place_of_buffer(args)?,
            number::CTX => self.context(args)?,
            number::BO_LIST => {
                let list = self.drm.lists.fetch_add(1, SeqCst);
                args.set_u32(0, list.wrapping_add(1));
            }
            number::CS => self.submit(args)?,
            number::INFO => self.info(args)?,
            number::GEM_METADATA => self.metadata(args)?,
            // What was submitted has ended.
            number::GEM_WAIT_IDLE => [0, 4].into_iter().for_each(|at| args.set_u32(at, 0)),
            number::WAIT_CS => args.set_u64(0, 0),
            number::WAIT_FENCES => {
                args.set_u32(0, 1);
                args.set_u32(4, 0);
            }
            number::GEM_VA => self.map_buffer(args)?,
            number::GEM_OP => self.buffer_facts(args)?,
            number::GEM_USERPTR => self.user_buffer(args)?,
            number::VM => {}
            number::SYNCOBJ_FIRST..=number::SYNCOBJ_LAST => self.syncobj(number, args)?,
            other => {
                self.unknown(&format!("/dev/dri/renderD128: ioctl {other:#x}"));
                return Err(EINVAL);
            }
        }
        Ok(())
    }

    /// DRM_IOCTL_VERSION: three numbers, and three strings, whose lengths come back.
    fn version(&self, args: &mut Args) -> Result<(), Errno> {
        (0..).zip(VERSION).for_each(|(i, part)| args.set_u32(4 * i, part));
        for (at, text) in [(16, "amdgpu"), (32, "20150101"), (48, "AMD GPU")] {
            let (room, to) = (args.u64(at), args.u64(at + 8));
            let len = text.len().min(usize::try_from(room).unwrap_or(usize::MAX));
            if to != 0 && len > 0 {
                self.program.write(to, &text.as_bytes()[..len]).then_some(()).ok_or(EFAULT)?;
            }
            args.set_u64(at, text.len() as u64);
        }
        Ok(())
    }

    /// DRM_AMDGPU_CTX.
    fn context(&self, args: &mut Args) -> Result<(), Errno> {
        const ALLOC: u32 = 1;
        const FREE: u32 = 2;
        const STATE: u32 = 3;
        const QUERY: u32 = 4;
        let (op, context) = (args.u32(0), args.u32(8));
        args.0[..16].fill(0);
        match op {
            ALLOC => args.set_u32(0, self.drm.contexts.fetch_add(1, SeqCst).wrapping_add(1)),
            STATE if self.is_lost(context) => args.set_u32(12, 1),
            // The device was reset, and this context is guilty.
            QUERY if self.is_lost(context) => args.set_u64(0, 0b101),
            FREE => _ = lock(&self.drm.lost).remove(&context),
            _ => {}
        }
        Ok(())
    }

    fn is_lost(&self, context: u32) -> bool {
        lock(&self.drm.lost).contains(&context)
    }

    /// Loses the device for a context: nothing that it submits from now on runs.
    fn lose(&self, context: u32) {
        lock(&self.drm.lost).insert(context);
    }

    /// Reads a list of numbers of 4 bytes from the program.
    fn read_u32s(&self, address: u64, count: u32) -> Result<Vec<u32>, Errno> {
        self.read_numbers::<4>(address, count).map(|list| list.into_iter().map(u32::from_le_bytes).collect())
    }

    /// Reads a list of numbers of 8 bytes from the program.
    fn read_u64s(&self, address: u64, count: u32) -> Result<Vec<u64>, Errno> {
        self.read_numbers::<8>(address, count).map(|list| list.into_iter().map(u64::from_le_bytes).collect())
    }

    fn read_numbers<const N: usize>(&self, address: u64, count: u32) -> Result<Vec<[u8; N]>, Errno> {
        const MOST: u32 = 1 << 16;
        if count > MOST {
            return Err(EINVAL);
        }
        let mut bytes = vec![0; count as usize * N];
        self.read_of_program(address, &mut bytes)?;
        Ok(bytes.as_chunks::<N>().0.to_vec())
    }

    /// Reads what arguments refer to.
    fn read_of_program(&self, address: u64, bytes: &mut [u8]) -> Result<(), Errno> {
        self.program.read(address, bytes).then_some(()).ok_or(EFAULT)?;
        if self.log.is_some() {
            lock(&self.drm.read).push((address, bytes.to_vec()));
        }
        Ok(())
    }
}

/// DRM_IOCTL_GET_CAP.
fn capability(which: u64) -> u64 {
    const PRIME: u64 = 0x5;
    const MONOTONIC: u64 = 0x6;
    const SYNCOBJ: u64 = 0x13;
    const TIMELINE: u64 = 0x14;
    match which {
        PRIME => 3,
        MONOTONIC | SYNCOBJ | TIMELINE => 1,
        _ => 0,
    }
}
