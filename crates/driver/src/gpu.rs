//! The simulated GPU of a process: its memory, queues and events, and the device that runs kernels.

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::mem;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gcnsim_device::{Device, DeviceOptions};
use gcnsim_engine::RunOptions;
use gcnsim_isa::Notes;
use gcnsim_machine::{Backing, canonical};
use gcnsim_record::Recorder;
use gcnsim_sanitize::Checks;

use crate::chips::Chip;
use crate::drm::Drm;
use crate::guard;
use crate::kfd::events::Events;
use crate::log::Log;
use crate::look::Looks;
use crate::memory::{Allocation, Kind, Memory, release};
use crate::objects::Objects;
use crate::program::Program;
use crate::queues::Queues;
use crate::settings::Settings;
use crate::summary::{SCHEMA, Summary};
use crate::turns::{Turn, Turns};
use crate::vram::{Reserved, Vram, sparse_file};

/// Bytes of addresses that scratch may have.
const SCRATCH: usize = 64 << 30;
/// Size of the file whose offsets are those of `mmap` of `/dev/kfd`, in bytes.
const REGISTERS: u64 = 1 << 42;
/// Most bytes of a recording.
const RECORD_LIMIT: u64 = 4 << 30;
/// Number of no queue.
pub(crate) const NO_QUEUE: u32 = u32::MAX;

/// The simulated GPU of a process.
pub struct Gpu {
    /// The chip.
    pub chip: &'static Chip,
    /// The settings.
    pub settings: Settings,
    pub(crate) device: Device,
    pub(crate) program: Box<dyn Program>,
    pub(crate) vram: Mutex<Vram>,
    pub(crate) memory: Mutex<Memory>,
    /// Allocations that were freed, and that a kernel that runs may still reach.
    freed: Mutex<Vec<Allocation>>,
    pub(crate) events: Events,
    pub(crate) drm: Drm,
    pub(crate) queues: Mutex<Queues>,
    pub(crate) objects: Mutex<Objects>,
    /// The file of doorbells.
    registers: File,
    pub(crate) turns: Turns,
    /// The queue whose kernel runs in the turn of its processor.
    pub(crate) runs: AtomicU32,
    /// Ends the kernel that runs.
    pub(crate) stop: Arc<AtomicBool>,
    counts: Mutex<Counts>,
    pub(crate) looks: Mutex<Looks>,
    pub(crate) log: Option<Mutex<Log>>,
    pub(crate) recorder: Option<Recorder>,
    /// Checks of the sanitizer.
    pub(crate) checks: Option<Checks>,
    /// Whether there may be packets.
    awake: Mutex<bool>,
    wakes: Condvar,
    /// Guest addresses of scratch.
    pub(crate) scratch: Reserved,
}

/// What is counted.
#[derive(Default)]
pub(crate) struct Counts {
    pub summary: Summary,
    pub notes: Notes,
    /// The kernels: addresses of descriptors.
    pub kernels: HashSet<u64>,
    /// What the user was told once.
    pub told: HashSet<String>,
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nobody panics halfway through a change.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Gpu {
    /// Returns the GPU of a process. It has no memory and no queues yet.
    ///
    /// # Errors
    /// Those of the system, if there is no room.
    pub fn new(chip: &'static Chip, settings: Settings, program: Box<dyn Program>) -> io::Result<Gpu> {
        let checks = settings.sanitize.as_deref().map(Checks::parse).transpose();
        let checks = checks.map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let stop = Arc::new(AtomicBool::new(false));
        let engine = settings.engine.kind();
        let (max_insts, stop_run) = (settings.max_insts, Some(stop.clone()));
        let run = RunOptions::default().engine(engine).max_insts(max_insts).stop(stop_run).with_host_writes();
        let mut options = DeviceOptions::default().run(run);
        options.jobs = settings.jobs;
        let log = settings.log.as_ref().map(|path| Log::new(path, chip.name)).transpose()?;
        let limit = settings.record_limit.unwrap_or(RECORD_LIMIT);
        let recorder = settings.record.as_ref().map(|folder| Recorder::join(folder, limit)).transpose();
        let recorder = recorder.map_err(io::Error::other)?.map(|all| all.only(settings.record_only.clone()));
        let registers = sparse_file(c"gcnsim-kfd", REGISTERS)?;
        let summary = Summary {
            schema: SCHEMA.to_owned(),
            version: gcnsim_engine::report::version().to_owned(),
            chip: chip.name.to_owned(),
            program: std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect(),
            ..Summary::default()
        };
        Ok(Gpu {
            chip,
            settings,
            device: Device::new(chip.arch(), options),
            program,
            vram: Mutex::new(Vram::new()?),
            memory: Mutex::default(),
            freed: Mutex::default(),
            events: Events::default(),
            drm: Drm::default(),
            queues: Mutex::default(),
            objects: Mutex::default(),
            registers,
            turns: Turns::default(),
            runs: AtomicU32::new(NO_QUEUE),
            stop,
            counts: Mutex::new(Counts { summary, ..Counts::default() }),
            looks: Mutex::default(),
            log: log.map(Mutex::new),
            recorder,
            checks,
            awake: Mutex::default(),
            wakes: Condvar::new(),
            scratch: Reserved::new(SCRATCH)?,
        })
    }

    /// Returns the program.
    pub fn program(&self) -> &dyn Program {
        &*self.program
    }

    /// Whether ROCm knows the chip. If not, the user is told once.
    pub fn has_rocm(&self) -> bool {
        let Chip { name, asic, rocm, .. } = self.chip;
        if !rocm {
            self.tell_once(&format!(
                "ROCm does not know {name} ({asic}): it finds no device (gfx900 is one that it knows)"
            ));
        }
        *rocm
    }

    /// Returns the file of video memory.
    pub fn memory_fd(&self) -> RawFd {
        lock(&self.vram).fd()
    }

    /// Returns the file of doorbells.
    pub fn registers_fd(&self) -> RawFd {
        self.registers.as_raw_fd()
    }

    /// Takes the turn of a processor.
    pub(crate) fn processing(&self) -> Turn<'_> {
        let turn = self.turns.take();
        if !self.turns.has_beside() {
            self.release_freed();
        }
        turn
    }

    /// Gives back what an allocation has: at once, or when the packets are done that are processed.
    pub(crate) fn release(&self, allocation: Allocation) {
        lock(&self.freed).push(allocation);
        if let Some(_idle) = self.turns.idle() {
            self.release_freed();
        }
    }

    /// Gives back what was freed. No packet is processed, and no kernel runs.
    fn release_freed(&self) {
        for allocation in mem::take(&mut *lock(&self.freed)) {
            if let Kind::User(user) = allocation.kind {
                guard::forget(user, allocation.size);
            }
            release(allocation, &mut lock(&self.vram));
        }
    }

    /// Reads memory of the program that the device knows. Returns whether all bytes are in one allocation.
    pub fn read_memory(&self, address: u64, bytes: &mut [u8]) -> bool {
        self.memory_at(address, bytes.len()).is_some_and(|(backing, at)| {
            backing.read_into(at, bytes);
            true
        })
    }

    /// Writes memory of the program that the device knows, as the program could. Returns whether all bytes are in one
    /// allocation.
    pub fn write_memory(&self, address: u64, bytes: &[u8]) -> bool {
        self.memory_at(address, bytes.len()).is_some_and(|(backing, at)| {
            backing.write(at, bytes);
            true
        })
    }

    /// Returns where bytes are: in an allocation, or in a buffer of the render node.
    fn memory_at(&self, address: u64, bytes: usize) -> Option<(Arc<Backing>, usize)> {
        let bytes = bytes as u64;
        lock(&self.memory).bytes_at(address, bytes).or_else(|| {
            let mapping = self.device.mapped(address, bytes)?;
            let at = mapping.place(canonical(address), bytes)?;
            Some((mapping.backing, at))
        })
    }

    /// Says that there may be packets.
    pub fn wake(&self) {
        let mut awake = lock(&self.awake);
        if !*awake {
            *awake = true;
            self.wakes.notify_all();
        }
    }

    /// Waits until there may be packets, or for `most`.
    pub(crate) fn sleep(&self, most: Duration) {
        let mut awake = lock(&self.awake);
        if !*awake {
            awake = self.wakes.wait_timeout(awake, most).unwrap_or_else(PoisonError::into_inner).0;
        }
        *awake = false;
    }

    pub(crate) fn counts(&self) -> MutexGuard<'_, Counts> {
        lock(&self.counts)
    }

    /// Returns what the device has done so far.
    pub fn summary(&self) -> Summary {
        let counts = self.counts();
        let notes = counts.notes.codes().into_iter().map(str::to_owned).collect();
        let profile = lock(&self.looks).profiles();
        Summary { notes, profile, programs: counts.kernels.len() as u64, ..counts.summary.clone() }
    }

    /// Tells the user of an error of ours, and keeps it.
    pub fn fail(&self, text: &str) {
        self.program.say(text);
        self.counts().summary.errors.push(text.lines().next().unwrap_or_default().to_owned());
    }
}
