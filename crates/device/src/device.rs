//! The device: guest memory, and dispatches on it.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::{fmt, thread};

use gcnsim_engine::{Code, Codes, RunOptions, Window};
use gcnsim_isa::{Arch, Program};
use gcnsim_loader::code_object::CodeObject;
use gcnsim_machine::{Access, Backing, BackingSnapshot, Mapping, SharedPeripheral, Space, canonical, pc_at};

use super::buffer::Buffer;
use super::dispatch::{Dispatch, in_window};
use super::dispatch_error::DispatchError;
use super::launch::Area;
use super::module::Module;
use super::registers::Registers;
use super::room::backing;

/// Guest address of the first buffer. Below it is what belongs to one launch.
const FIRST: u64 = 1 << 32;
/// Guest address behind the last buffer. Scratch is there.
pub(crate) const BEHIND_BUFFERS: u64 = 3 << 38;
/// Fewest unmapped bytes between two parts, and the alignment of their addresses.
const GAP: u64 = 64 << 10;

/// Returns the number of bytes that a part of `bytes` bytes takes, with the gap behind it; `None` if there are no such
/// numbers.
pub fn with_gap(bytes: u64) -> Option<u64> {
    bytes.checked_add(GAP)?.checked_next_multiple_of(GAP)
}

/// What engines know of code when a launch begins.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Learning {
    /// What earlier launches have learnt.
    #[default]
    Kept,
    /// Nothing, so that what a launch counts does not depend on earlier ones. Regions that these have compiled count as
    /// if they were compiled again.
    OfLaunch,
}

/// Settings of a device.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct DeviceOptions {
    /// Options of the engine that runs waves.
    pub run: RunOptions,
    /// Most threads; `None` means all cores. Results are always those of one thread. [One
    /// thread](gcnsim_engine::Run::one_thread) runs a launch whose groups could observe their order (by atomics other
    /// than sums and the like, GDS, or computed calls), and repeats one in which a group writes a byte that another
    /// group accesses.
    pub jobs: Option<usize>,
    /// Peripheral that answers accesses to addresses where nothing is mapped, instead of a fault. With one, groups run
    /// on one thread.
    pub peripheral: Option<SharedPeripheral>,
    /// What engines know of code when a launch begins.
    pub learning: Learning,
    /// Code that several devices share.
    pub codes: Arc<Codes>,
}

impl DeviceOptions {
    /// Sets the options of the engine.
    pub fn run(mut self, run: RunOptions) -> DeviceOptions {
        self.run = run;
        self
    }

    /// Sets the number of threads.
    pub fn jobs(mut self, jobs: usize) -> DeviceOptions {
        self.jobs = Some(jobs);
        self
    }

    /// Returns the number of threads that are asked for.
    pub fn threads(&self) -> usize {
        // To ask for the number of cores takes longer than a short launch.
        static CORES: OnceLock<usize> = OnceLock::new();
        let cores = || *CORES.get_or_init(|| thread::available_parallelism().map_or(1, usize::from));
        self.jobs.unwrap_or_else(cores)
    }
}

/// A simulated GPU: guest memory, and the kernels that run on it. A clone is the same device.
///
/// Launches of one device run one after the other. Two devices have nothing in common, and run at once.
#[derive(Clone)]
pub struct Device(Arc<Inner>);

struct Inner {
    arch: Arch,
    options: Arc<DeviceOptions>,
    state: Mutex<State>,
    /// Who holds it runs a launch.
    running: Mutex<()>,
}

/// The memory of a device.
pub(crate) struct State {
    pub space: Space,
    free: Free,
    /// Memory for the kernarg segment and whatever else belongs to one launch, made for the first one.
    pub area: Option<Area>,
}

/// The addresses that no buffer has.
struct Free {
    /// The first address that no buffer has had.
    next: u64,
    /// Ranges of freed buffers, the oldest first. They are used when no others are left.
    freed: Vec<(u64, u64)>,
}

impl Free {
    /// Takes a range of `bytes` bytes. A gap follows it.
    fn take(&mut self, bytes: u64) -> Option<u64> {
        let size = with_gap(bytes)?;
        if let Some(end) = self.next.checked_add(size).filter(|&end| end <= BEHIND_BUFFERS) {
            return Some(std::mem::replace(&mut self.next, end));
        }
        let index = self.freed.iter().position(|(_, len)| *len >= size)?;
        let (base, len) = self.freed.remove(index);
        if len > size {
            self.freed.push((base + size, len - size));
        }
        Some(base)
    }

    fn give(&mut self, base: u64, bytes: u64) {
        // The range was taken, so it is no larger than it may be.
        let (mut start, mut end) = (base, base + with_gap(bytes).unwrap_or(GAP));
        self.freed.retain(|&(other, len)| {
            let is_beside = other + len == start || other == end;
            if is_beside {
                (start, end) = (start.min(other), end.max(other + len));
            }
            !is_beside
        });
        self.freed.push((start, end - start));
    }
}

/// The memory of a device at one moment. It keeps the pages that are written after it was taken.
#[derive(Debug)]
pub struct Snapshot(Vec<BackingSnapshot>);

impl Device {
    /// Returns a device of the generation `arch` without memory.
    pub fn new(arch: Arch, options: DeviceOptions) -> Device {
        let free = Free { next: FIRST, freed: Vec::new() };
        let state = State { space: Space::default(), free, area: None };
        Device(Arc::new(Inner {
            arch,
            options: Arc::new(options),
            state: Mutex::new(state),
            running: Mutex::default(),
        }))
    }

    /// Returns the generation.
    pub fn arch(&self) -> Arch {
        self.0.arch
    }

    /// Returns the settings.
    pub fn options(&self) -> &DeviceOptions {
        &self.0.options
    }

    /// Whether both are the same device.
    pub fn is_same(&self, other: &Device) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        // Nobody panics halfway through a change.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Loads a code object: its segments get addresses and are relocated.
    ///
    /// # Errors
    /// [`DispatchError`] if the object is for another generation, or there is no room.
    pub fn load(&self, object: &Arc<CodeObject>) -> Result<Module, DispatchError> {
        Module::load(self, object)
    }

    /// Allocates memory of `bytes` bytes, which are 0. The buffer's address does not change; it goes when the last
    /// clone of the buffer does.
    ///
    /// # Errors
    /// [`DispatchError::NoRoom`] if the host cannot give that much.
    pub fn alloc(&self, bytes: u64) -> Result<Buffer, DispatchError> {
        self.alloc_named("buffer", bytes)
    }

    /// Allocates memory as [`Device::alloc`] does. Faults and findings call it `name`.
    ///
    /// # Errors
    /// [`DispatchError::NoRoom`] if the host cannot give that much.
    pub fn alloc_named(&self, name: &str, bytes: u64) -> Result<Buffer, DispatchError> {
        self.map_buffer(Arc::new(backing("a buffer", bytes)?), |base, memory| Mapping::new(base, name, memory))
    }

    /// Allocates memory that holds `bytes`. A kernel that stores to it meets a memory fault, which calls it `name`.
    ///
    /// # Errors
    /// [`DispatchError::NoRoom`] if the host cannot give that much.
    pub fn constant(&self, name: &str, bytes: &[u8]) -> Result<Buffer, DispatchError> {
        let memory = memory("a buffer", bytes, bytes.len() as u64)?;
        self.map_buffer(memory, |base, memory| Mapping::read_only(base, name, memory))
    }

    /// Maps memory, as `mapping` says, to a range of addresses that is free.
    fn map_buffer(
        &self,
        memory: Arc<Backing>,
        mapping: impl FnOnce(u64, Arc<Backing>) -> Mapping,
    ) -> Result<Buffer, DispatchError> {
        let bytes = memory.len() as u64;
        let no_room = || DispatchError::NoRoom { what: "a buffer".to_owned(), bytes };
        let mut state = self.state();
        let base = state.free.take(bytes).ok_or_else(no_room)?;
        if bytes > 0 {
            let mapping = Mapping { is_buffer: true, ..mapping(base, memory.clone()) };
            state.space.try_map(mapping).map_err(|_| no_room())?;
        }
        Ok(Buffer::new(self, base, memory))
    }

    /// Gives back the range of a buffer. Later buffers get it when no others are left.
    pub(crate) fn free(&self, base: u64, bytes: u64) {
        let mut state = self.state();
        state.space.unmap(base);
        state.free.give(base, bytes);
    }

    /// Takes a range of addresses, until it is [freed](Device::free).
    pub(crate) fn reserve(&self, what: &str, bytes: u64) -> Result<u64, DispatchError> {
        let base = self.state().free.take(bytes);
        base.ok_or_else(|| DispatchError::NoRoom { what: what.to_owned(), bytes })
    }

    /// Maps memory to an address that the caller chooses, for loads alone or for stores, too. It may be
    /// [borrowed](Backing::borrowed) from the host. Buffers have addresses from 2^32 on, below 3 * 2^38. An empty
    /// mapping is left out.
    ///
    /// # Errors
    /// [`DispatchError::Overlap`] if something is mapped there.
    pub fn map(&self, mapping: Mapping) -> Result<(), DispatchError> {
        if mapping.len == 0 {
            return Ok(());
        }
        let mapped = self.state().space.try_map(mapping);
        mapped.map_err(|mapping| DispatchError::Overlap { base: mapping.base, bytes: mapping.len })
    }

    /// Unmaps what was mapped to `base`. Returns whether there was anything. Launches that run, and dispatches that were
    /// made before, still have it.
    pub fn unmap(&self, base: u64) -> bool {
        self.state().space.unmap(base).is_some()
    }

    /// Returns memory at a guest address as a mapping: `bytes` bytes (at least one) from there on.
    pub fn mapped(&self, address: u64, bytes: u64) -> Option<Mapping> {
        let state = self.state();
        state.space.find(canonical(address), bytes.max(1), Access::Load).map(|(mapping, _)| mapping.clone())
    }

    /// Takes a snapshot of all memory that kernels may write. It costs the pages that are written while it lives.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot(self.state().space.writable().into_iter().map(BackingSnapshot::new).collect())
    }

    /// Restores memory. Buffers that were allocated since the snapshot stay as they are.
    pub fn restore(&self, snapshot: &Snapshot) {
        let _running = self.running();
        snapshot.0.iter().for_each(BackingSnapshot::restore);
    }

    /// Returns a dispatch, ready to run: below descriptors, what drivers write into registers. It sees what is mapped now,
    /// and with [`RunOptions::host_writes`] what is mapped where it finds nothing.
    /// The code is what is reached in memory from its PC, in the same mapping; from a mapping of more than 128 MiB, a part.
    /// It costs comparing so many bytes to find out whether it has changed since the last dispatch.
    /// Where scratch is, other memory is not seen.
    ///
    /// # Errors
    /// [`DispatchError`] if there is no code, or if a group is larger than the hardware allows.
    pub fn dispatch(&self, registers: Registers) -> Result<Dispatch, DispatchError> {
        let code = self.code_at(registers.pc)?;
        let mut dispatch = self.dispatch_code(code, registers)?;
        dispatch.hide_ring();
        Ok(dispatch)
    }

    /// Returns a dispatch of code whose bytes are known.
    ///
    /// # Errors
    /// As [`Device::dispatch`].
    pub fn dispatch_code(&self, code: Code, registers: Registers) -> Result<Dispatch, DispatchError> {
        Dispatch::new(code, registers, self)
    }

    /// Returns what is mapped now.
    pub(crate) fn space(&self) -> Space {
        let mut state = self.state();
        state.space.share();
        state.space.clone()
    }

    /// Returns the settings, shared.
    pub(crate) fn shared_options(&self) -> Arc<DeviceOptions> {
        self.0.options.clone()
    }

    /// Waits until no launch runs. Launches wait until the guard is dropped.
    pub(crate) fn running(&self) -> MutexGuard<'_, ()> {
        self.0.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the code of a program, shared with all devices that have the same [`DeviceOptions::codes`].
    pub(crate) fn code(&self, program: &Program) -> Code {
        self.0.options.codes.get(program)
    }

    /// Returns the code in memory at `pc`.
    fn code_at(&self, pc: u64) -> Result<Code, DispatchError> {
        let (arch, entry) = (self.0.arch, pc_at(pc, pc));
        let find = |window: &Window<'_>| self.0.options.codes.in_memory(window, entry);
        in_window(&self.state().space, arch, pc, find).ok_or(DispatchError::NoCode { pc })
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device").field("arch", &self.0.arch).finish_non_exhaustive()
    }
}

/// Memory of `len` bytes that holds `bytes`, for [`Device::map`].
///
/// # Errors
/// [`DispatchError::NoRoom`] if the host cannot give that much.
pub fn memory(what: &str, bytes: &[u8], len: u64) -> Result<Arc<Backing>, DispatchError> {
    let memory = backing(what, len)?;
    memory.write(0, &bytes[..bytes.len().min(memory.len())]);
    Ok(Arc::new(memory))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    #[test]
    fn freed_ranges_are_used_when_no_others_are_left() {
        let mut free = Free { next: FIRST, freed: Vec::new() };
        let first = free.take(100).unwrap();
        let second = free.take(100).unwrap();
        assert_eq!((first, second), (FIRST, FIRST + 2 * GAP));
        free.give(first, 100);
        assert_eq!(free.take(100).unwrap(), second + 2 * GAP, "not at once");
        free.give(second, 100);
        while free.take(GIB).is_some() {}
        while free.take(100).is_some_and(|base| base > second) {}
        // Both ranges have become one, and it is used up now but for the second half.
        assert_eq!((free.take(100), free.take(100)), (Some(second), None));
        assert_eq!((free.take(u64::MAX), free.take(u64::MAX - GAP)), (None, None));
    }
}
