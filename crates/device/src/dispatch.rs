//! A dispatch, ready to run: the memory that its waves see, and the state in which they start.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gcnsim_engine::{Code, Observers, Run, RunOptions, Scene, Window};
use gcnsim_isa::Arch;
use gcnsim_machine::{
    Access, Backing, BackingSnapshot, Context, Grain, Mapping, MemoryFault, Near, Space, canonical, pc_at,
};

use super::device::Device;
use super::dispatch_error::DispatchError;
use super::registers::Registers;
use super::room::backing;
use super::run::{Accessed, Progress};
use super::waves::{Waves, apertures};
use super::{DeviceOptions, tier};

/// Most bytes of a guest string that are read.
const MOST_STRING: usize = 64 << 10;
/// Fewest bytes of scratch of a group that are replaced between groups instead of cleared.
const MUCH_SCRATCH: u64 = 4 << 20;
/// Most work-items of a group.
const MOST_ITEMS: u64 = 1024;
/// Name of the mapping of scratch.
const SCRATCH: &str = "scratch";

/// Returns the most LDS of a group in bytes: 32 KiB on GCN 1.0, otherwise 64 KiB.
pub fn most_lds(arch: gcnsim_isa::Arch) -> u32 {
    if arch == gcnsim_isa::Arch::Gcn10 { 32 << 10 } else { 64 << 10 }
}

/// Size in bytes of the pieces of a large mapping in which code lies that is entered there, with what is beside the
/// piece in the mapping. Engines have tables of the size of both.
const PIECE_OF_CODE: u64 = 128 << 20;
/// Number of bytes of a large mapping, before a piece and behind it, to which code of the piece may jump.
const BESIDE_PIECE: u64 = 64 << 20;

/// Calls `find` with the part of a mapping in which code that is entered at `pc` may lie. `None` if nothing is mapped
/// there.
pub(crate) fn in_window<T>(space: &Space, arch: Arch, pc: u64, find: impl FnOnce(&Window<'_>) -> T) -> Option<T> {
    let (mapping, at) = space.find(canonical(pc & !3), 4, Access::Load)?;
    let at = (at - mapping.offset) as u64;
    // The window does not depend on where in it code is entered, unless the mapping is large. It begins with a dword.
    let piece = at - at % PIECE_OF_CODE;
    let start = piece.saturating_sub(BESIDE_PIECE) + mapping.base.wrapping_neg() % 4;
    let end = mapping.len.min(piece + PIECE_OF_CODE + BESIDE_PIECE);
    let base = pc_at(mapping.base.wrapping_add(start), pc);
    let load = |address: u64, bytes: &mut [u8]| {
        let at = canonical(address).wrapping_sub(mapping.base) as usize;
        mapping.backing.read_into(mapping.offset + at, bytes);
    };
    Some(find(&Window { arch, base, size: (end - start) as usize, load: &load }))
}

/// A dispatch, ready to run. It may run any number of times.
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// The code, with the first instruction as its entry.
    pub code: Code,
    /// Number that is subtracted from an address of the code to get that of its file.
    pub moved: u64,
    pub(crate) waves: Waves,
    /// Mappings that all waves see.
    pub(crate) space: Space,
    pub(crate) options: Arc<DeviceOptions>,
    /// Options of the engine for so many waves.
    pub(crate) engine: RunOptions,
    device: Device,
}

/// The accesses to memory that groups have in common which are marked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Marking {
    /// None.
    Nothing,
    /// Those to memory that groups may write, by dword, until they meet. The run stops when bytes have to tell whether
    /// they do.
    Quick,
    /// As `Quick`, but the run goes on: groups that only bytes could tell apart are not taken to meet.
    Vague,
    /// Those to memory that groups may write, by byte, until they meet.
    Exact,
    /// All, by byte.
    Everything,
}

impl Marking {
    /// Returns the size of a place. `stores_late` is [`Code::stores_late`].
    fn grain(self, stores_late: impl FnOnce() -> bool) -> Option<Grain> {
        match self {
            Marking::Nothing => None,
            Marking::Quick if !stores_late() => Some(Grain::Buffer),
            Marking::Quick | Marking::Vague => Some(Grain::Dword),
            Marking::Exact | Marking::Everything => Some(Grain::Byte),
        }
    }
}

/// How a dispatch is run.
pub struct Request<'r, 'o> {
    /// Budget of all waves together in instructions; `None` runs until they stop.
    pub max_insts: Option<u64>,
    /// Who observes. If anybody does, one thread runs all groups.
    pub observers: &'r mut Observers<'o>,
    /// Function that gets the progress.
    pub progress: Progress<'r>,
    /// Says of a backing whether it is known that all its bytes are 0.
    pub is_zero: &'r dyn Fn(&Arc<Backing>) -> bool,
}

impl<'r, 'o> Request<'r, 'o> {
    /// A run that `observers` see, without a budget.
    pub fn new(observers: &'r mut Observers<'o>) -> Request<'r, 'o> {
        Request { max_insts: None, observers, progress: &|_| {}, is_zero: &|_| false }
    }
}

impl Dispatch {
    /// Returns a dispatch of `code` on a device, with the memory that it has now.
    ///
    /// # Errors
    /// [`DispatchError`] if a group is larger than the hardware allows.
    pub(crate) fn new(code: Code, registers: Registers, device: &Device) -> Result<Dispatch, DispatchError> {
        let (space, options) = (device.space(), device.shared_options());
        let arch = code.program().arch();
        let items = registers.grid.items();
        if items > MOST_ITEMS {
            return Err(DispatchError::TooManyItems(items));
        }
        let most = most_lds(arch);
        if registers.lds_bytes > most {
            return Err(DispatchError::Lds { given: registers.lds_bytes.into(), most });
        }
        let engine = tier::engine_options(&options.run, registers.grid.wave_count());
        Ok(Dispatch {
            code,
            moved: 0,
            waves: Waves::new(arch, registers),
            space,
            options,
            engine,
            device: device.clone(),
        })
    }

    /// Measures the time of each region. One thread runs all groups.
    pub(crate) fn time_regions(&mut self) {
        self.engine.time_regions = true;
        self.options = Arc::new(DeviceOptions::clone(&self.options).jobs(1));
    }

    /// Hides what is mapped where scratch is: the memory that a driver has for the scratch of all waves in flight. Each
    /// group has scratch of its own instead.
    pub(crate) fn hide_ring(&mut self) {
        let address = self.waves.registers().scratch.address;
        self.space.cut(canonical(address), self.group_scratch());
    }

    /// Returns the code of which `code`, which lies in memory, is a part: also what lies at `pc`.
    pub(crate) fn more_code(&self, code: &Code, pc: u64) -> Option<Code> {
        let program = code.program();
        program.known()?;
        in_window(&self.space, program.arch(), program.entry(), |window| self.options.codes.grow(window, code, pc))?
    }

    /// Maps in `space` what the device has mapped at the address of a fault since the dispatch was made. Returns
    /// whether there was anything: then the access can be repeated. Several threads do not, as they begin again when
    /// memory that the host sees is written.
    pub(crate) fn map_late(&self, fault: &MemoryFault, space: &mut Space) -> bool {
        let MemoryFault { access, address, bytes, .. } = *fault;
        let (address, bytes) = (canonical(address), u64::from(bytes).max(1));
        if !self.engine.host_writes || space.is_guarded() || space.find(address, bytes, access).is_some() {
            return false;
        }
        let now = self.device.space();
        let Some((mapping, _)) = now.find(address, bytes, access) else { return false };
        let (scratch, end) =
            (canonical(self.waves.registers().scratch.address), mapping.base.saturating_add(mapping.len));
        if self.group_scratch() > 0 && (mapping.base..end).contains(&scratch) {
            return false;
        }
        space.replace(mapping.clone());
        true
    }

    /// The memory that all waves see: everything but scratch.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The options of the device's engine.
    pub fn run_options(&self) -> &RunOptions {
        &self.options.run
    }

    /// The waves.
    pub fn waves(&self) -> &Waves {
        &self.waves
    }

    /// Runs all groups, after other launches of the device that run now. Results are those of one thread.
    ///
    /// # Errors
    /// [`DispatchError`] if there is no memory for scratch or marks.
    pub fn run(&self, request: Request<'_, '_>) -> Result<Run, DispatchError> {
        let _running = self.device.running();
        self.run_alone(request)
    }

    /// Runs all groups on several threads, after other launches of the device that run now. `None` if that is not
    /// possible, if it does not end well, or if `give_way` is set meanwhile: then memory is as before. `give_way`
    /// stands for the flag that stops runs of the device. There must be no observers.
    pub fn attempt(&self, request: Request<'_, '_>, give_way: &Arc<AtomicBool>) -> Option<Run> {
        let _running = self.device.running();
        super::run::attempt(self, request, give_way)
    }

    /// Whether a run takes nothing back that it has stored: one thread runs the groups, once.
    pub fn takes_nothing_back(&self) -> bool {
        super::run::takes_nothing_back(self)
    }

    /// Runs all groups on one thread, beside other launches of the device that run now: those must
    /// [take nothing back](Dispatch::takes_nothing_back). This one does not.
    ///
    /// # Errors
    /// [`DispatchError`] if there is no memory for scratch or marks.
    pub fn run_beside(&self, request: Request<'_, '_>) -> Result<Run, DispatchError> {
        super::run::beside(self, request)
    }

    /// Runs all groups on one thread, after other launches of the device that run now, and finds out what they access.
    /// `then` gets the run and what it accessed before another launch of the device begins.
    ///
    /// # Errors
    /// [`DispatchError`] if there is no memory for scratch or marks.
    pub fn run_traced<T>(
        &self,
        request: Request<'_, '_>,
        then: impl FnOnce(Run, Vec<Accessed>) -> T,
    ) -> Result<T, DispatchError> {
        let _running = self.device.running();
        let (run, accessed) = super::run::traced(self, request)?;
        Ok(then(run, accessed))
    }

    /// Runs all groups. No other launch of the device runs.
    pub(crate) fn run_alone(&self, request: Request<'_, '_>) -> Result<Run, DispatchError> {
        super::run::run(self, request)
    }

    /// Compiles what [engines compile before they run](RunOptions::compile_start). Returns how long this took, in
    /// nanoseconds.
    pub fn compile_start(&self) -> u64 {
        #[cfg(feature = "jit")]
        if self.engine.compile_start {
            let mode = self.waves.state([0; 3], 0).mode;
            return self.code.compile_start(mode, &self.engine);
        }
        0
    }

    /// The facts that observers of a run want.
    pub fn scene(&self) -> Scene {
        let scratch = self.waves.registers().scratch;
        let buffers = self.space.mappings().iter().filter(|mapping| mapping.is_buffer);
        Scene {
            moved: self.moved,
            buffers: buffers.map(|mapping| (mapping.name.clone(), mapping.base, mapping.len)).collect(),
            scratch: scratch.address..scratch.address.saturating_add(self.group_scratch()),
            wave_scratch: scratch.wave_bytes(),
            groups_share_scratch: true,
            lds_bytes: self.waves.registers().lds_bytes as usize,
            lds_has_values: false,
            is_group_made_up: false,
            initial_sgprs: self.waves.initial_sgprs(),
            initial_vgprs: self.waves.initial_vgprs(),
            ..Scene::of_program(self.code.program())
        }
    }

    /// Returns the scratch of a group in bytes.
    pub fn group_scratch(&self) -> u64 {
        let registers = self.waves.registers();
        registers.grid.items().div_ceil(64).saturating_mul(registers.scratch.wave_bytes())
    }

    /// Takes a snapshot of memory that the kernel may write. `is_zero` is that of a [`Request`].
    pub fn snapshot(&self, is_zero: &dyn Fn(&Arc<Backing>) -> bool) -> Vec<BackingSnapshot> {
        let take = |memory| match is_zero(memory) {
            true => BackingSnapshot::of_zeros(memory),
            false => BackingSnapshot::new(memory),
        };
        self.space.writable().into_iter().map(take).collect()
    }

    /// Returns the context of a thread that runs groups. It has LDS and scratch of its own and shares everything else.
    ///
    /// # Errors
    /// [`DispatchError::NoRoom`].
    pub(crate) fn context(&self, marking: Marking) -> Result<Context, DispatchError> {
        let registers = self.waves.registers();
        let mut context = Context::ready(registers.lds_bytes as usize);
        let arch = self.code.program().arch();
        (context.apertures, context.peripheral) =
            (apertures(arch, registers.scratch.address), self.options.peripheral.clone());
        context.space = self.space.clone();
        if let Some(grain) = marking.grain(|| self.code.stores_late()) {
            context.space.mark(grain, |mapping| mapping.writable || marking == Marking::Everything);
        }
        let bytes = self.group_scratch();
        if bytes > 0 {
            // The mapping moves from wave to wave, so the scratch of all waves must have room.
            let (base, wave_bytes) = (registers.scratch.address, registers.scratch.wave_bytes());
            let whole = Mapping::new(base, SCRATCH, Arc::new(backing(SCRATCH, bytes)?));
            let mapped = context.space.try_map(Mapping { moves: true, ..whole });
            mapped.map_err(|_| DispatchError::Overlap { base, bytes })?;
            context.space.moving().into_iter().for_each(|scratch| scratch.len = wave_bytes);
        }
        Ok(context)
    }

    /// Maps the scratch of wave number `wave` in place of that of another wave.
    pub(crate) fn show_scratch(&self, context: &mut Context, wave: u32) {
        if let Some(mapping) = context.space.moving() {
            let scratch = self.waves.registers().scratch;
            let offset = wave as u64 * scratch.wave_bytes();
            (mapping.base, mapping.offset) = (scratch.address + offset, offset as usize);
        }
    }

    /// Replaces the scratch of a group by untouched zeros, if it is large (`MUCH_SCRATCH`): to clear it would take
    /// longer than most groups work with it. Returns whether it was replaced.
    pub(crate) fn renew_scratch(&self, context: &mut Context) -> bool {
        let bytes = self.group_scratch();
        if bytes < MUCH_SCRATCH {
            return false;
        }
        match (context.space.moving(), usize::try_from(bytes).ok().and_then(Backing::zeroed)) {
            (Some(scratch), Some(fresh)) => scratch.backing = Arc::new(fresh),
            _ => return false,
        }
        true
    }

    /// Clears the scratch that [`Dispatch::show_scratch`] has mapped.
    pub(crate) fn clear_scratch(&self, context: &mut Context) {
        if let Some(scratch) = context.space.moving() {
            scratch.backing.clear(scratch.offset, scratch.len as usize);
        }
    }

    /// Returns the mapping nearest to an unmapped `address`, among those that wave number `wave` of a group sees.
    pub fn near(&self, address: u64, wave: u32) -> Option<Near> {
        let mut space = self.space.clone();
        let scratch = self.waves.registers().scratch;
        if scratch.wave_bytes() > 0 {
            let base = scratch.address.wrapping_add(u64::from(wave) * scratch.wave_bytes());
            let mapping = Mapping::new(base, SCRATCH, Arc::new(Backing::zeroed(0)?));
            // Scratch that has no room is not seen.
            let _ = space.try_map(Mapping { len: scratch.wave_bytes(), ..mapping });
        }
        space.near(canonical(address))
    }

    /// The guest string at `address`, up to its end or that of its mapping; `None` if nothing is mapped there.
    pub fn string_at(&self, address: u64) -> Option<Vec<u8>> {
        let (mapping, at) = self.space.find(canonical(address), 1, Access::Load)?;
        let len = mapping.len - canonical(address).wrapping_sub(mapping.base);
        let mut bytes = vec![0; usize::try_from(len).unwrap_or(MOST_STRING).min(MOST_STRING)];
        mapping.backing.read_into(at, &mut bytes);
        let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
        bytes.truncate(end);
        Some(bytes)
    }

    /// Returns an address of the code as its file states it.
    pub fn address_of_file(&self, pc: u64) -> u64 {
        pc.wrapping_sub(self.moved)
    }
}
