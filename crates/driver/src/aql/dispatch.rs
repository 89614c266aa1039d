//! Kernels: from a packet to registers, and from the end of a run to what ROCr is told.

use std::fmt::Write as _;
use std::sync::atomic::Ordering::SeqCst;

use gcnsim_device::abi::{Addresses, registers};
use gcnsim_device::geometry::Geometry;
use gcnsim_device::{Dispatch, Grid, Registers, Request, Run, SetupError, most_lds};
use gcnsim_engine::xxh3::xxh3;
use gcnsim_engine::{EngineError, Observers};
use gcnsim_isa::kernel::KernelDescriptor;
use gcnsim_launches::lines::SourceLines;
use gcnsim_loader::demangled;
use gcnsim_machine::outcome::{Detail, Outcome};
use gcnsim_record::{About, Object, Recorder};

use super::{Done, Packet, QueueError};
use crate::gpu::{Gpu, NO_QUEUE, lock};
use crate::guard;
use crate::kfd::events::MemoryFault;
use crate::kfd::now;
use crate::memory::{Allocation, Place};
use crate::objects::Named;
use crate::queues::Queue;
use crate::turns::Turn;

/// Number of bytes of code by which a kernel without a name is known.
const FIRST: usize = 64;

/// A kernel of a packet.
struct Asked {
    /// Guest address of the descriptor.
    descriptor: u64,
    /// Work-items of the grid.
    geometry: Geometry,
    dispatch: Dispatch,
    /// Guest addresses of the kernarg segment and of the packet.
    kernarg: Option<u64>,
    packet: Option<u64>,
    /// Hash of its first instructions.
    hash: u64,
}

/// How a dispatch runs.
type How = fn(&Dispatch, Request<'_, '_>) -> Result<Run, SetupError>;

impl Gpu {
    /// Runs the kernel of a packet.
    pub(super) fn dispatch(
        &self,
        id: u32,
        queue: &Queue,
        packet: &Packet,
        turn: &mut Turn<'_>,
    ) -> Result<Done, QueueError> {
        let mut asked = self.asked(queue, packet)?;
        self.log_packet(id);
        // A recording has to see everything that happens to memory.
        let is_beside = self.recorder.is_none() && (self.turns.has_beside() || asked.dispatch.takes_nothing_back());
        self.events.begin_kernel();
        let (armed, start) = (guard::arm(), now());
        let run = if is_beside {
            turn.beside(id, || self.run(&mut asked, start, Dispatch::run_beside))
        } else {
            self.runs.store(id, SeqCst);
            let run = self.run(&mut asked, start, Dispatch::run);
            self.runs.store(NO_QUEUE, SeqCst);
            run
        };
        let (lost, time) = (armed.lost(), now() - start);
        drop(armed);
        self.events.end_kernel();
        let run = match run {
            Ok(run) => run,
            Err(error) => {
                self.refuse(&asked, &error);
                return Err(code_of(&error));
            }
        };
        self.count(&asked, &run, time);
        if let Some(page) = lost {
            self.program.say(&format!("the program has unmapped memory at {page:#x} that a kernel used"));
            return self.memory_fault(page, false);
        }
        self.ended(&asked, &run)
    }

    /// Makes a dispatch of a packet.
    fn asked(&self, queue: &Queue, packet: &Packet) -> Result<Asked, QueueError> {
        let dimensions = (packet.u16(2) & 3) as usize;
        let grid = [12, 16, 20].map(|at| packet.u32(at));
        let group = [4, 6, 8].map(|at| packet.u16(at));
        let geometry = Geometry::new(&grid[..dimensions], &group[..dimensions], &[]).ok_or(QueueError::Dimensions)?;
        let (private, lds, descriptor, kernarg) = (packet.u32(24), packet.u32(28), packet.u64(32), packet.u64(40));
        if geometry.group_items() > 1024 {
            return Err(QueueError::Group);
        }
        let arch = self.device.arch();
        if lds > most_lds(arch) {
            return Err(QueueError::Lds);
        }
        let bytes = lock(&self.memory).place(descriptor, KernelDescriptor::SIZE as u64).ok_or(QueueError::Code)?;
        let stated = stated(&bytes, || lock(&self.memory).place(descriptor, KernelDescriptor::SIZE_V2 as u64));
        let entry = descriptor.wrapping_add_signed(stated.entry_offset);
        let first = lock(&self.memory).place(entry & !7, FIRST as u64).map_or([0; FIRST], |place| place.bytes(0));
        let addresses = Addresses {
            image: 0,
            kernarg,
            packet: packet.address,
            queue: queue.object(),
            scratch: self.scratch.address(),
            printf: 0,
        };
        let sizes = (lds, private.saturating_add(3) & !3);
        let registers = registers(&stated, entry, arch, &geometry, &addresses, sizes);
        let dispatch = self.device.dispatch(registers).map_err(|error| {
            self.program.say(&format!("a kernel cannot run: {error}"));
            code_of(&error)
        })?;
        let (kernarg, packet) = (Some(kernarg), Some(packet.address));
        Ok(Asked { descriptor, geometry, dispatch, kernarg, packet, hash: xxh3(&first) })
    }

    /// Runs what registers say: a dispatch of PM4. What ends otherwise than well is told here.
    pub(crate) fn run_registers(&self, registers: Registers) -> Result<(), ()> {
        let (pc, Grid { groups, group, start, .. }) = (registers.pc, registers.grid);
        let items: [u32; 3] = std::array::from_fn(|i| groups[i].saturating_sub(start[i]).saturating_mul(group[i]));
        let geometry = Geometry::new(&items, &group, &[]).ok_or(())?;
        let refuse = |error: SetupError| self.program.say(&format!("a kernel cannot run: {error}"));
        let dispatch = self.device.dispatch(registers).map_err(refuse)?;
        let first = self.device.mapped(pc, FIRST as u64).and_then(|mapping| {
            let at = mapping.place(pc, FIRST as u64)?;
            Some(mapping.backing.read::<FIRST>(at))
        });
        let hash = xxh3(&first.unwrap_or([0; FIRST]));
        let mut asked = Asked { descriptor: pc, geometry, dispatch, kernarg: None, packet: None, hash };
        let start = now();
        let run = self.run(&mut asked, start, Dispatch::run).map_err(|error| self.refuse(&asked, &error))?;
        self.count(&asked, &run, now() - start);
        match &run.outcome {
            Ok(Outcome::Ended) => Ok(()),
            Err(error) => {
                self.fail(&format!("{}: {error}", self.name(&asked)));
                Err(())
            }
            Ok(outcome) => {
                let detail = match outcome {
                    Outcome::Fault(detail) | Outcome::Unsupported(detail) | Outcome::Trap(detail) => Some(detail),
                    Outcome::Ended | Outcome::Budget | Outcome::Halted | Outcome::Barrier => None,
                };
                let text = self.report(&asked, &run, detail);
                self.program.say(&text);
                let line = text.lines().next().unwrap_or_default().to_owned();
                self.counts().summary.faults.push(line);
                Err(())
            }
        }
    }

    /// Runs a kernel, and looks at it as the settings say.
    fn run(&self, asked: &mut Asked, start: u64, how: How) -> Result<Run, SetupError> {
        let is_looked_at = self.checks.is_some() || self.settings.profile || self.recorder.is_some();
        let named = if is_looked_at { self.named(asked) } else { None };
        let mut look = lock(&self.looks).at(asked.descriptor, named.as_ref(), self.checks, self.settings.profile);
        if let Some(named) = &named {
            asked.dispatch.moved = named.object.moved;
        }
        let mut observers = Observers::none();
        if let Some(sanitizer) = &mut look.sanitizer {
            observers.add(sanitizer);
        }
        if let Some(counter) = &mut look.counter {
            observers.add(counter);
        }
        let mut request = Request::new(&mut observers);
        request.max_insts = self.settings.max_insts;
        let run = match &self.recorder {
            Some(recorder) => self.record(recorder, asked, named.as_ref(), request)?,
            None => how(&asked.dispatch, request)?,
        };
        let lines = named.as_ref().map(|named| &named.object.lines);
        let mut looks = lock(&self.looks);
        if self.settings.profile {
            let waves = asked.dispatch.waves().registers().grid.wave_count();
            let time = if look.counter.is_some() { 0 } else { now() - start };
            looks.add(asked.descriptor, self.name_of(asked, named.as_ref()), (waves, time), &run);
        }
        if let Some(counter) = &look.counter {
            looks.add_lines(asked.descriptor, counter, lines);
        }
        if let Some(sanitizer) = look.sanitizer {
            let findings = sanitizer.into_findings(lines.unwrap_or(&SourceLines::default()));
            let news = looks.news(asked.descriptor, findings);
            if let Some((_, text)) = &news {
                self.program.say(&format!("{}: {text}", self.name_of(asked, named.as_ref())));
            }
            *self.counts().summary.findings.get_or_insert(0) += news.map_or(0, |(count, _)| count);
        }
        Ok(run)
    }

    /// Runs a kernel, and records it.
    fn record(
        &self,
        recorder: &Recorder,
        asked: &Asked,
        named: Option<&Named>,
        request: Request<'_, '_>,
    ) -> Result<Run, SetupError> {
        let name = self.name_of(asked, named);
        let mapped = |found: &Allocation| (found.backing.is_some() && found.mapped).then_some((found.va, found.size));
        let allocations: Vec<_> = lock(&self.memory).all().filter_map(mapped).collect();
        let about = About {
            name: &name,
            chip: self.chip.name,
            object: named.map(|named| Object {
                bytes: &named.object.bytes,
                moved: named.object.moved,
                kernel: named.name(),
            }),
            kernarg: asked.kernarg,
            packet: asked.packet,
            grid: asked.geometry.grid,
            group: asked.geometry.group,
            allocations: &allocations,
        };
        let recorded = recorder.run(&asked.dispatch, &about, request)?;
        if let Some(error) = &recorded.error {
            self.tell_once(&format!("the recording is not complete: {error}"));
        }
        self.counts().summary.recorded += u64::from(recorded.folder.is_some());
        Ok(recorded.run)
    }

    fn count(&self, asked: &Asked, run: &Run, time: u64) {
        let mut counts = self.counts();
        counts.kernels.insert(asked.descriptor);
        counts.notes = counts.notes.or(run.notes);
        let summary = &mut counts.summary;
        summary.dispatches += 1;
        summary.waves += asked.dispatch.waves().registers().grid.wave_count();
        summary.instructions += run.instructions;
        summary.run_ns += time;
        summary.compile_ns += run.stats.compile_ns;
        summary.check_ns += run.stats.check_ns;
    }

    /// Tells what a run came to.
    fn ended(&self, asked: &Asked, run: &Run) -> Result<Done, QueueError> {
        let detail = match &run.outcome {
            Ok(Outcome::Ended) => return Ok(Done::Yes),
            // The program destroys the queue, or ends.
            Err(EngineError::Interrupted) => return Ok(Done::No),
            Err(error) => {
                self.fail(&format!("{}: {error}", self.name(asked)));
                return Err(QueueError::Trap);
            }
            Ok(Outcome::Fault(detail) | Outcome::Unsupported(detail) | Outcome::Trap(detail)) => Some(detail),
            Ok(Outcome::Budget | Outcome::Halted | Outcome::Barrier) => None,
        };
        let text = self.report(asked, run, detail);
        self.program.say(&text);
        let line = text.lines().next().unwrap_or_default().to_owned();
        self.counts().summary.faults.push(line);
        // ROCr ends the program as soon as it is told.
        self.program.keep(&self.summary());
        match (&run.outcome, detail.and_then(|detail| detail.memory)) {
            (Ok(Outcome::Fault(_)), Some(fault)) => {
                let is_there = lock(&self.memory).holding(fault.address, 1).is_some_and(|found| found.mapped);
                self.memory_fault(fault.address, is_there)
            }
            (Ok(Outcome::Fault(_) | Outcome::Unsupported(_)), _) => Err(QueueError::Instruction),
            _ => Err(QueueError::Trap),
        }
    }

    /// Tells ROCr of a fault of the memory. If nobody listens, the queue gets the error.
    fn memory_fault(&self, address: u64, is_read_only: bool) -> Result<Done, QueueError> {
        let is_told = self.events.memory_fault(MemoryFault { address: address & !0xfff, is_read_only });
        if is_told { Ok(Done::Told) } else { Err(QueueError::Memory) }
    }

    fn refuse(&self, asked: &Asked, error: &SetupError) {
        let text = format!("{}: {error}", self.name(asked));
        self.program.say(&text);
        self.counts().summary.faults.push(text);
    }

    /// Returns what is known of a kernel from its code object.
    fn named(&self, asked: &Asked) -> Option<Named> {
        let list = self.program.loaded_objects()?;
        lock(&self.objects).named(&*self.program, list, asked.descriptor)
    }

    fn name(&self, asked: &Asked) -> String {
        self.name_of(asked, self.named(asked).as_ref())
    }

    /// Returns the name of a kernel as the source has it. One of which nothing is known, such as those of ROCr itself, is
    /// named by its first instructions.
    fn name_of(&self, asked: &Asked, named: Option<&Named>) -> String {
        let Some(named) = named else { return format!("kernel-{:08x}", asked.hash as u32) };
        let name = demangled(named.name()).unwrap_or_else(|| named.name().to_owned());
        gcnsim_engine::quote::lines(&name).to_string()
    }

    /// Writes how a kernel ended: a line for what happened, and one for where.
    fn report(&self, asked: &Asked, run: &Run, detail: Option<&Detail>) -> String {
        let named = self.named(asked);
        let mut text = format!("{}: ", self.name_of(asked, named.as_ref()));
        // Writing to a string cannot fail.
        let _ = match (&run.outcome, detail) {
            (Ok(outcome), Some(detail)) => write!(text, "{}: {}", outcome.name(), detail.kind),
            (Ok(outcome), None) => write!(text, "{} after {} instructions", outcome.name(), run.instructions),
            (Err(error), _) => write!(text, "{error}"),
        };
        if let Some(detail) = detail {
            let _ = write!(text, " at pc {:#x}", detail.pc);
            if let Some(mnemonic) = detail.mnemonic {
                let _ = write!(text, " ({mnemonic})");
            }
            if let Some(line) = named.as_ref().and_then(|named| named.line(detail.pc)) {
                let _ = write!(text, ", {line}");
            }
            if let Some(fault) = detail.memory {
                let _ = write!(text, "\n  {} of {} bytes at {:#x}", fault.access.name(), fault.bytes, fault.address);
                if let Some(lane) = fault.lane {
                    let _ = write!(text, " by lane {lane}");
                }
                text.push_str(&self.neighbour(fault.address));
            }
        }
        if let Some(stopped) = &run.stopped {
            let [x, y, z] = stopped.group;
            let _ = write!(text, "\n  group ({x}, {y}, {z}), wave {}", stopped.index);
        }
        let [x, y, z] = asked.geometry.grid;
        let [gx, gy, gz] = asked.geometry.group;
        let _ = write!(text, "; grid {x} x {y} x {z} in groups of {gx} x {gy} x {gz}");
        text
    }

    /// Says which allocation an address is in, or near.
    fn neighbour(&self, address: u64) -> String {
        let memory = lock(&self.memory);
        let bytes = |n: u64| if n == 1 { "1 byte".to_owned() } else { format!("{n} bytes") };
        let near = memory.all().filter(|found| found.backing.is_some()).map(|found| {
            let end = found.va + found.size;
            let distance = found.va.saturating_sub(address).max(address.saturating_sub(end - 1));
            (distance, found)
        });
        let Some((distance, found)) = near.min_by_key(|(distance, _)| *distance) else { return String::new() };
        let which = format!("an allocation of {} at {:#x}", bytes(found.size), found.va);
        match distance {
            0 if !found.mapped => format!(", in {which} that is not mapped for the device"),
            0 => format!(", in {which}, which is read-only"),
            _ if address < found.va => format!(", {} before {which}", bytes(distance)),
            _ => format!(", {} behind the last byte of {which}", bytes(distance)),
        }
    }
}

/// Returns a descriptor as memory has it: that of version 2 says its version itself, as `amd_kernel_code_t`.
fn stated(place: &Place, whole: impl FnOnce() -> Option<Place>) -> KernelDescriptor {
    let head: [u8; 12] = place.bytes(0);
    let is_v2 = head[..4] == [1, 0, 0, 0] && head[8..10] == [1, 0] && (6..=9).contains(&head[10]);
    match whole().filter(|_| is_v2) {
        Some(whole) => KernelDescriptor::of_v2(&whole.bytes(0)),
        None => KernelDescriptor::of_v3(&place.bytes(0)),
    }
}

fn code_of(error: &SetupError) -> QueueError {
    match error {
        SetupError::NoCode { .. } => QueueError::Code,
        SetupError::TooManyItems(_) => QueueError::Group,
        SetupError::Lds { .. } => QueueError::Lds,
        _ => QueueError::Trap,
    }
}
