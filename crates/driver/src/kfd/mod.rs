//! `/dev/kfd`: the device as ROCm's libhsakmt asks for it.
//!
//! Sources: the kernel's uapi header `kfd_ioctl.h`, and what libhsakmt makes of the answers.

pub(crate) mod events;
pub mod topology;

use std::time::Duration;

use gcnsim_machine::Mapping;

use self::events::{MemoryFault, Waited};
use self::topology::GPU_ID;
use crate::clock::now;
use crate::gpu::{Gpu, lock};
use crate::guard;
use crate::ioctl::{Args, EFAULT, EINVAL, ENOMEM, Errno, MOST_ARGUMENTS};
use crate::memory::{Allocation, Kind};
use crate::queues::Queue;
use crate::tiles;
use crate::vram::of_program;
use gcnsim_device::apertures;

/// Offset of `mmap` of the doorbells. libhsakmt takes the low 32 bits for a place in the page while it makes the first
/// queue, so they are 0.
const DOORBELLS: u64 = 1 << 41;
/// Most events of one wait.
const MOST_WAITS: u32 = 4096;
/// Size of an event in the list of a wait, in bytes.
const EVENT_BYTES: u64 = 48;

/// Flags of an allocation.
mod flag {
    pub const VRAM: u32 = 1 << 0;
    pub const GTT: u32 = 1 << 1;
    pub const USER: u32 = 1 << 2;
    pub const DOORBELL: u32 = 1 << 3;
    pub const MMIO: u32 = 1 << 4;
    pub const WRITABLE: u32 = 1 << 31;
    pub const RING: u32 = 1 << 27;
    pub const COHERENT: u32 = 1 << 26;
}

impl Gpu {
    /// Answers an ioctl of `/dev/kfd` with the number `number`. The arguments are changed in place.
    ///
    /// # Errors
    /// The error that the program gets.
    pub fn kfd(&self, number: u8, arguments: &mut [u8; MOST_ARGUMENTS]) -> Result<(), Errno> {
        let Some(log) = &self.log else { return self.answer(number, &mut Args(arguments)) };
        let asked = *arguments;
        let done = self.answer(number, &mut Args(arguments));
        // What is allocated is known by its handle.
        const ALLOC: u8 = 0x16;
        let handle = if number == ALLOC { Args(arguments).u64(16) } else { 0 };
        lock(log).ioctl(number, &asked, done.map(|()| handle).map_err(|Errno(errno)| errno));
        done
    }

    fn answer(&self, number: u8, args: &mut Args<'_>) -> Result<(), Errno> {
        match number {
            // GET_VERSION
            0x01 => {
                args.set_u32(0, 1);
                args.set_u32(4, 14);
            }
            0x02 => self.create_queue(args)?,
            0x03 => self.destroy_queue(args.u32(0))?,
            // GET_CLOCK_COUNTERS
            0x05 => {
                let now = now();
                [0, 8, 16].into_iter().for_each(|at| args.set_u64(at, now));
                args.set_u64(24, 1_000_000_000);
            }
            // UPDATE_QUEUE
            0x07 => {
                let mut queues = lock(&self.queues);
                let queue = queues.get_mut(args.u32(8)).ok_or(EINVAL)?;
                queue.paused = args.u32(16) == 0;
                drop(queues);
                self.wake();
            }
            0x08 => self.create_event(args)?,
            // DESTROY_EVENT
            0x09 => self.events.destroy(args.u32(0)).then_some(()).ok_or(EINVAL)?,
            // SET_EVENT, RESET_EVENT
            0x0a | 0x0b => self.events.set(args.u32(0), number == 0x0a).then_some(()).ok_or(EINVAL)?,
            0x0c => self.wait_events(args)?,
            0x12 => self.tile_config(args)?,
            0x14 => self.apertures(args)?,
            0x16 => self.alloc(args)?,
            0x17 => self.free(args.u64(0))?,
            0x18 => self.map(args)?,
            0x19 => self.unmap(args)?,
            // SET_MEMORY_POLICY, SET_SCRATCH_BACKING_VA, SET_TRAP_HANDLER, ACQUIRE_VM, SET_CU_MASK: memory is coherent,
            // scratch is the device's, and waves run anywhere.
            0x04 | 0x11 | 0x13 | 0x15 | 0x1a => {}
            // SET_XNACK_MODE: it is off, and stays off.
            0x21 => match args.u32(0) as i32 {
                1 => return Err(Errno(libc::EPERM)),
                _ => args.set_u32(0, 0),
            },
            // AVAILABLE_MEMORY
            0x23 => args.set_u64(0, (self.chip.memory << 20).saturating_sub(lock(&self.memory).used)),
            // RUNTIME_ENABLE: there is no debugger.
            0x25 => {}
            // DBG_TRAP: there is no debugger.
            0x82 => return Err(EINVAL),
            other => {
                self.unknown(&format!("/dev/kfd: ioctl {other:#x}"));
                return Err(EINVAL);
            }
        }
        Ok(())
    }

    /// Says once that something is not known.
    pub(crate) fn unknown(&self, what: &str) {
        self.tell_once(&format!("{what} is not known"));
    }

    /// Tells the user something once.
    pub(crate) fn tell_once(&self, text: &str) {
        if self.counts().told.insert(text.to_owned()) {
            self.program.say(text);
        }
    }

    fn create_queue(&self, args: &mut Args) -> Result<(), Errno> {
        // Without an engine for copies the program makes do with kernels; it asks nevertheless.
        const COPIES: u32 = 1;
        const AQL: u32 = 2;
        let [ring, _write, read] = [0, 8, 16].map(|at| args.u64(at));
        let (size, gpu, kind) = (args.u32(32), args.u32(36), args.u32(40));
        let is_whole = size >= 64 && size.is_power_of_two() && ring.is_multiple_of(64) && read.is_multiple_of(8);
        if kind != AQL || gpu != GPU_ID || !is_whole || read < 128 {
            if kind != AQL && kind != COPIES {
                self.unknown(&format!("/dev/kfd: a queue of kind {kind}"));
            }
            return Err(EINVAL);
        }
        let queue = Queue { ring, size, read, next: 0, paused: args.u32(44) == 0, dead: false };
        let id = lock(&self.queues).add(queue).ok_or(ENOMEM)?;
        args.set_u32(52, id);
        // Doorbells of older chips have their places by the numbers of queues.
        let place = if self.chip.arch().is_gcn14_or_later() { 8 * u64::from(id) } else { 0 };
        args.set_u64(24, DOORBELLS + place);
        Ok(())
    }

    fn destroy_queue(&self, id: u32) -> Result<(), Errno> {
        use std::sync::atomic::Ordering::SeqCst;
        const NAP: Duration = Duration::from_micros(50);
        if self.runs.load(SeqCst) == id || self.turns.is_beside(id) {
            self.stop.store(true, SeqCst);
            self.turns.give_way(id);
        }
        let quiet = loop {
            let quiet = self.turns.quiet();
            if !self.turns.is_beside(id) {
                break quiet;
            }
            drop(quiet);
            std::thread::sleep(NAP);
        };
        let was_there = lock(&self.queues).remove(id);
        self.stop.store(false, SeqCst);
        drop(quiet);
        was_there.then_some(()).ok_or(EINVAL)
    }

    fn create_event(&self, args: &mut Args) -> Result<(), Errno> {
        let (kind, auto_reset) = (args.u32(12), args.u32(16) != 0);
        let id = self.events.create(kind, auto_reset).ok_or(ENOMEM)?;
        args.set_u32(8, id);
        args.set_u32(24, id);
        args.set_u32(28, id % 4096);
        // The page of events: the runtime has made it, and gave its handle with the first event. 0 would be none.
        args.set_u64(0, args.u64(0).max(1 << 12));
        Ok(())
    }

    /// WAIT_EVENTS. Whoever waits may have filled a queue before.
    fn wait_events(&self, args: &mut Args) -> Result<(), Errno> {
        let (list, count, all) = (args.u64(0), args.u32(8), args.u32(12) != 0);
        if count > MOST_WAITS {
            return Err(EINVAL);
        }
        let timeout = Some(args.u32(16)).filter(|&ms| ms != u32::MAX).map(|ms| Duration::from_millis(ms.into()));
        let mut events = vec![0; count as usize * EVENT_BYTES as usize];
        self.program.read(list, &mut events).then_some(()).ok_or(EFAULT)?;
        let id = |event: &[u8]| u32::from_le_bytes([event[40], event[41], event[42], event[43]]);
        let ids: Vec<u32> = events.chunks_exact(EVENT_BYTES as usize).map(id).collect();
        self.wake();
        match self.events.wait(&ids, all, timeout) {
            Waited::Unknown => return Err(EINVAL),
            Waited::TimedOut => args.set_u32(20, 1),
            Waited::Set(found) => {
                for (index, fault) in found {
                    let Some(MemoryFault { address, is_read_only }) = fault else { continue };
                    let at = index * EVENT_BYTES as usize;
                    let event = &mut events[at..at + EVENT_BYTES as usize];
                    event[..4].copy_from_slice(&u32::from(!is_read_only).to_le_bytes());
                    event[4..8].copy_from_slice(&u32::from(is_read_only).to_le_bytes());
                    event[16..24].copy_from_slice(&address.to_le_bytes());
                    event[24..28].copy_from_slice(&GPU_ID.to_le_bytes());
                    let written = self.program.write(list + at as u64, event);
                    written.then_some(()).ok_or(EFAULT)?;
                }
                args.set_u32(20, 0);
            }
        }
        Ok(())
    }

    /// GET_TILE_CONFIG, of chips before GCN 1.4: the modes of surfaces.
    fn tile_config(&self, args: &mut Args) -> Result<(), Errno> {
        let (modes, banks) = (args.u32(16).min(tiles::COUNT), args.u32(20).min(tiles::BANK_COUNT));
        let registers = tiles::modes(self.chip.arch()).into_iter().take(modes as usize);
        let list: Vec<u8> = registers.flat_map(u32::to_le_bytes).collect();
        let of_banks = tiles::BANKS.to_le_bytes().repeat(banks as usize);
        let written = self.program.write(args.u64(0), &list) && self.program.write(args.u64(8), &of_banks);
        written.then_some(()).ok_or(EFAULT)?;
        [(16, modes), (20, banks), (28, self.chip.addresses), (32, 2), (36, 0)]
            .into_iter()
            .for_each(|(at, value)| args.set_u32(at, value));
        Ok(())
    }

    /// GET_PROCESS_APERTURES_NEW.
    fn apertures(&self, args: &mut Args) -> Result<(), Errno> {
        let to = args.u64(0);
        let (shared, private) = match apertures(self.chip.arch(), 0) {
            Some(apertures) => (u64::from(apertures.shared) << 32, u64::from(apertures.private) << 32),
            None => (0, 0),
        };
        if to != 0 && args.u32(8) > 0 {
            const LAST: u64 = 0xffff_ffff;
            let entry = [shared, shared | LAST, private, private | LAST, 0x1000, (1 << 47) - 1, u64::from(GPU_ID)];
            let bytes: Vec<u8> = entry.into_iter().flat_map(u64::to_le_bytes).collect();
            self.program.write(to, &bytes).then_some(()).ok_or(EFAULT)?;
        }
        args.set_u32(8, 1);
        Ok(())
    }

    /// ALLOC_MEMORY_OF_GPU.
    fn alloc(&self, args: &mut Args) -> Result<(), Errno> {
        const PAGE: u64 = 4096;
        let ([va, size, user], gpu, flags) = ([0, 8, 24].map(|at| args.u64(at)), args.u32(32), args.u32(36));
        let is_fine = size > 0 && va.is_multiple_of(PAGE) && va.checked_add(size).is_some_and(|end| end < 1 << 47);
        let is_vram = flags & flag::VRAM != 0;
        // Of a ring there is half as much memory as there are addresses.
        let is_ring = flags & flag::RING != 0;
        let len = if is_ring { size / 2 } else { size };
        if gpu != GPU_ID || !is_fine || is_ring && len % PAGE != 0 {
            return Err(EINVAL);
        }
        let mut memory = lock(&self.memory);
        if is_vram && memory.used + size > self.chip.memory << 20 {
            return Err(ENOMEM);
        }
        let (kind, backing) = if flags & (flag::DOORBELL | flag::MMIO) != 0 {
            args.set_u64(24, 0);
            (Kind::Registers, None)
        } else if flags & flag::USER != 0 {
            (Kind::User(user), Some(self.of_program(user, len)?))
        } else if flags & (flag::VRAM | flag::GTT) != 0 {
            let (range, backing) = lock(&self.vram).alloc(len, is_ring).map_err(|_| ENOMEM)?;
            args.set_u64(24, range.offset);
            (if is_vram { Kind::Vram(range) } else { Kind::System(range) }, Some(backing))
        } else {
            return Err(EINVAL);
        };
        // A ring of the program's memory is seen once: its packets are read by their number, not by their address.
        let size = if let Kind::User(_) = kind { len } else { size };
        let [writable, shared] = [flag::WRITABLE, flag::COHERENT].map(|flag| flags & flag != 0);
        let name = "an allocation".into();
        let allocation = Allocation { va, size, kind, backing, writable, shared, mapped: false, name };
        match memory.add(allocation) {
            Ok(handle) => args.set_u64(16, handle),
            Err(allocation) => {
                drop(memory);
                self.release(allocation);
                return Err(EINVAL);
            }
        }
        Ok(())
    }

    pub(crate) fn of_program(&self, user: u64, size: u64) -> Result<std::sync::Arc<gcnsim_machine::Backing>, Errno> {
        // The first and the last byte are there.
        let mut byte = [0];
        let ends = [user, user.checked_add(size - 1).ok_or(EFAULT)?];
        if !user.is_multiple_of(4096) || !ends.into_iter().all(|at| self.program.read(at, &mut byte)) {
            return Err(EFAULT);
        }
        guard::watch(user, size);
        of_program(user, size).ok_or(EFAULT)
    }

    /// FREE_MEMORY_OF_GPU. A kernel that runs has it until it ends, and nobody waits: it may be the kernel that has
    /// asked for this.
    fn free(&self, handle: u64) -> Result<(), Errno> {
        let allocation = lock(&self.memory).remove(handle).ok_or(EINVAL)?;
        if allocation.mapped {
            self.device.unmap(allocation.va);
        }
        self.release(allocation);
        Ok(())
    }

    /// MAP_MEMORY_TO_GPU.
    fn map(&self, args: &mut Args) -> Result<(), Errno> {
        let mut memory = lock(&self.memory);
        let allocation = memory.get_mut(args.u64(0)).ok_or(EINVAL)?;
        if let Some(backing) = allocation.backing.as_ref().filter(|_| !allocation.mapped) {
            let mapping = Mapping::new(allocation.va, allocation.name.clone(), backing.clone());
            let Allocation { writable, shared, .. } = *allocation;
            let mapping = Mapping { writable, shared, is_buffer: true, ..mapping };
            self.device.map(mapping).map_err(|_| EINVAL)?;
            allocation.mapped = true;
        }
        args.set_u32(20, args.u32(16));
        Ok(())
    }

    /// UNMAP_MEMORY_FROM_GPU. A kernel that runs has it until it ends.
    fn unmap(&self, args: &mut Args) -> Result<(), Errno> {
        let mut memory = lock(&self.memory);
        let allocation = memory.get_mut(args.u64(0)).ok_or(EINVAL)?;
        if std::mem::take(&mut allocation.mapped) {
            self.device.unmap(allocation.va);
        }
        args.set_u32(20, args.u32(16));
        Ok(())
    }
}
