//! Kernels of both doors: they run, are looked at, recorded and counted, and the user is told how they ended.

use std::fmt::Write as _;

use gcnsim_device::{Dispatch, DispatchError, Progress, Registers, Request, Run};
use gcnsim_engine::report::plural;
use gcnsim_engine::xxh3::xxh3;
use gcnsim_engine::{EngineError, Observers};
use gcnsim_launches::lines::SourceLines;
use gcnsim_loader::demangled;
use gcnsim_machine::outcome::Outcome;
use gcnsim_machine::{Access, canonical};
use gcnsim_record::{About, Object, Recorded};

use crate::clock::now;
use crate::gpu::{Gpu, lock};
use crate::guard;
use crate::memory::Allocation;
use crate::objects::Named;

/// Most bytes of code by which a kernel without a name is known.
const FIRST: u64 = 256;
/// Most bytes between an address and an allocation that is near.
const NEAR: u64 = 1 << 30;

/// A kernel that is asked for.
pub(crate) struct Asked {
    /// Guest address of its descriptor; without one, of its first instruction.
    pub id: u64,
    /// Work-items of the grid and of a group.
    pub grid: [u32; 3],
    pub group: [u32; 3],
    pub dispatch: Dispatch,
    /// Guest addresses of the kernarg segment and of the packet.
    pub kernarg: Option<u64>,
    pub packet: Option<u64>,
}

impl Asked {
    /// Returns the hash of its first instructions.
    fn hash(&self) -> u64 {
        let pc = canonical(self.dispatch.waves().registers().pc);
        let Some((mapping, at, len)) = self.dispatch.space().find_part(pc, FIRST, Access::Load) else { return 0 };
        let mut bytes = vec![0; len as usize];
        mapping.backing.read_into(at, &mut bytes);
        xxh3(&bytes)
    }
}

/// What a recording has of a kernel.
pub(crate) enum Record {
    /// Nothing: there is none.
    Nothing,
    /// A folder, and its line.
    Folder,
    /// A line, which says why there is no folder.
    Line(String),
}

/// How a kernel runs.
pub(crate) struct Way<'a> {
    pub record: Record,
    pub progress: Progress<'a>,
    /// Says after the run why there is no folder, if somebody else may have written to memory meanwhile.
    pub disturbed: &'a dyn Fn() -> Option<String>,
}

/// How a kernel ended. Of all but a good end the user was told.
pub(crate) enum End {
    /// All waves have ended.
    Well,
    /// The program stops it.
    Stopped,
    /// A wave has stopped.
    Badly(Outcome),
    /// The program has pulled away memory at this address.
    Pulled(u64),
    /// The simulator has failed.
    OurFault,
}

impl Gpu {
    /// Returns a dispatch of registers, ready to run. The user is told of an error.
    ///
    /// # Errors
    /// Those of the device.
    pub(crate) fn ready(&self, registers: Registers) -> Result<Dispatch, DispatchError> {
        let tell = |error: &DispatchError| self.program.say(&format!("a kernel cannot run: {error}"));
        self.device.dispatch(registers).inspect_err(tell)
    }

    /// Runs a kernel by `run`, which gets the time at which it begins, and tells the user how it ended.
    ///
    /// # Errors
    /// Those of the device. The user was told.
    pub(crate) fn execute(
        &self,
        asked: &mut Asked,
        run: impl FnOnce(&mut Asked, u64) -> Result<Run, DispatchError>,
    ) -> Result<End, DispatchError> {
        self.events.begin_kernel();
        let (armed, start) = (guard::arm(), now());
        let run = run(asked, start);
        let (pulled, time) = (armed.lost(), now() - start);
        drop(armed);
        self.events.end_kernel();
        let run = run.inspect_err(|error| self.fault(&format!("{}: {error}", self.name(asked))))?;
        self.count(asked, &run, time);
        if let Some(page) = pulled {
            let name = self.name(asked);
            self.fault(&format!("{name}: the program has unmapped memory at {page:#x} that the kernel used"));
            return Ok(End::Pulled(page));
        }
        match &run.outcome {
            Ok(Outcome::Ended) => Ok(End::Well),
            Err(EngineError::Interrupted) => Ok(End::Stopped),
            Err(error) => {
                self.fail(&format!("{}: {error}", self.name(asked)));
                Ok(End::OurFault)
            }
            Ok(outcome) => {
                self.fault(&self.report(asked, &run, outcome));
                Ok(End::Badly(*outcome))
            }
        }
    }

    /// Tells the user of a fault, and keeps its first line. Drivers may end the program as soon as they know of it.
    pub(crate) fn fault(&self, text: &str) {
        self.program.say(text);
        self.counts().summary.faults.push(text.lines().next().unwrap_or_default().to_owned());
        self.program.keep(&self.summary());
    }

    /// Runs a kernel, and looks at it as the settings say. `how` runs it if it gets no folder.
    pub(crate) fn run(
        &self,
        asked: &mut Asked,
        start: u64,
        way: Way<'_>,
        how: impl FnOnce(&Dispatch, Request<'_, '_>) -> Result<Run, DispatchError>,
    ) -> Result<Run, DispatchError> {
        let is_looked_at = self.checks.is_some() || self.settings.profile || self.recorder.is_some();
        let named = if is_looked_at { self.named(asked) } else { None };
        let mut look = lock(&self.looks).at(asked.id, named.as_ref(), self.checks, self.settings.profile);
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
        (request.max_insts, request.progress) = (self.settings.max_insts, way.progress);
        let run = match (&self.recorder, way.record) {
            (None, _) | (_, Record::Nothing) => how(&asked.dispatch, request)?,
            (Some(recorder), Record::Folder) => self.with_about(asked, named.as_ref(), |about| {
                recorder.run(&asked.dispatch, about, request, way.disturbed).map(|done| self.recorded(done))
            })?,
            (Some(recorder), Record::Line(reason)) => {
                let run = how(&asked.dispatch, request)?;
                self.with_about(asked, named.as_ref(), |about| self.recorded(recorder.note(about, run, reason)))
            }
        };
        let lines = named.as_ref().map(|named| &named.object.lines);
        let mut looks = lock(&self.looks);
        if self.settings.profile {
            let waves = asked.dispatch.waves().registers().grid.wave_count();
            let time = if look.counter.is_some() { 0 } else { now() - start };
            looks.add(asked.id, self.name_of(asked, named.as_ref()), (waves, time), &run);
        }
        if let Some(counter) = &look.counter {
            looks.add_lines(asked.id, counter, lines);
        }
        if let Some(sanitizer) = look.sanitizer {
            let findings = sanitizer.into_findings(lines.unwrap_or(&SourceLines::default()));
            let news = looks.news(asked.id, findings);
            if let Some((_, text)) = &news {
                self.program.say(&format!("{}: {text}", self.name_of(asked, named.as_ref())));
            }
            *self.counts().summary.findings.get_or_insert(0) += news.map_or(0, |(count, _)| count);
        }
        Ok(run)
    }

    /// Returns what the recording will have of a kernel, if nobody else runs beside it.
    pub(crate) fn record_of(&self, asked: &Asked) -> Record {
        let Some(recorder) = &self.recorder else { return Record::Nothing };
        let refusal = self.with_about(asked, self.named(asked).as_ref(), |about| recorder.refusal(about));
        refusal.map_or(Record::Folder, Record::Line)
    }

    /// Calls a function with what is known of a kernel.
    fn with_about<T>(&self, asked: &Asked, named: Option<&Named>, call: impl FnOnce(&About<'_>) -> T) -> T {
        let name = self.name_of(asked, named);
        let mapped = |found: &Allocation| (found.backing.is_some() && found.mapped).then_some((found.va, found.size));
        let allocations: Vec<_> = lock(&self.memory).all().filter_map(mapped).collect();
        call(&About {
            name: &name,
            chip: self.chip.name,
            object: named.map(|named| Object {
                bytes: &named.object.bytes,
                moved: named.object.moved,
                kernel: named.name(),
            }),
            kernarg: asked.kernarg,
            packet: asked.packet,
            grid: asked.grid,
            group: asked.group,
            allocations: &allocations,
        })
    }

    /// Tells the user if the recording is not complete, and counts it.
    fn recorded(&self, recorded: Recorded) -> Run {
        if let Some(error) = &recorded.error {
            self.tell_once(&format!("the recording is not complete: {error}"));
        }
        self.counts().summary.recorded += u64::from(recorded.folder.is_some());
        recorded.run
    }

    fn count(&self, asked: &Asked, run: &Run, time: u64) {
        let mut counts = self.counts();
        counts.kernels.insert(asked.id);
        counts.notes = counts.notes.or(run.notes);
        let summary = &mut counts.summary;
        summary.dispatches += 1;
        summary.threaded += u64::from(run.one_thread.is_none());
        summary.waves = summary.waves.saturating_add(asked.dispatch.waves().registers().grid.wave_count());
        summary.instructions += run.instructions;
        summary.run_ns += time;
        summary.compile_ns += run.stats.compile_ns;
        summary.check_ns += run.stats.check_ns;
    }

    /// Returns what is known of a kernel from its code object.
    fn named(&self, asked: &Asked) -> Option<Named> {
        let list = self.program.loaded_objects()?;
        lock(&self.objects).named(&*self.program, list, asked.id)
    }

    fn name(&self, asked: &Asked) -> String {
        self.name_of(asked, self.named(asked).as_ref())
    }

    /// Returns the name of a kernel as the source has it. One of which nothing is known, such as those of ROCr itself, is
    /// named by its first instructions.
    fn name_of(&self, asked: &Asked, named: Option<&Named>) -> String {
        let Some(named) = named else { return format!("kernel-{:08x}", asked.hash() as u32) };
        let name = demangled(named.name()).unwrap_or_else(|| named.name().to_owned());
        gcnsim_engine::quote::lines(&name).to_string()
    }

    /// Writes how a kernel ended: a line for what happened, and one for where.
    fn report(&self, asked: &Asked, run: &Run, outcome: &Outcome) -> String {
        let named = self.named(asked);
        let detail = match outcome {
            Outcome::Fault(detail) | Outcome::Unsupported(detail) | Outcome::Trap(detail) => Some(detail),
            Outcome::Ended | Outcome::Budget | Outcome::Halted | Outcome::Barrier => None,
        };
        let mut text = format!("{}: {}", self.name_of(asked, named.as_ref()), outcome.name());
        // Writing to a string cannot fail.
        let _ = match detail {
            Some(detail) => write!(text, ": {}", detail.kind),
            None => write!(text, " after {} instructions", run.instructions),
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
                let bytes = plural(fault.bytes.into(), "byte");
                let _ = write!(text, "\n  {} of {bytes} at {:#x}", fault.access.name(), fault.address);
                if let Some(lane) = fault.lane {
                    let _ = write!(text, " by lane {lane}");
                }
                text.push_str(&self.neighbour(asked, run, fault.address));
            }
        }
        if let Some(stopped) = &run.stopped {
            let [x, y, z] = stopped.group;
            let _ = write!(text, "\n  group ({x}, {y}, {z}), wave {}", stopped.index);
        }
        let [x, y, z] = asked.grid;
        let [gx, gy, gz] = asked.group;
        let _ = write!(text, "; grid {x} x {y} x {z} in groups of {gx} x {gy} x {gz}");
        text
    }

    /// Says which allocation an address is in, or near.
    fn neighbour(&self, asked: &Asked, run: &Run, address: u64) -> String {
        let memory = lock(&self.memory);
        let bytes = |n: u64| plural(n, "byte");
        let near = memory.all().filter(|found| found.backing.is_some()).map(|found| {
            let end = found.va + found.size;
            let distance = found.va.saturating_sub(address).max(address.saturating_sub(end - 1));
            (distance, found)
        });
        let Some((distance, found)) = near.min_by_key(|(distance, _)| *distance) else {
            // Buffers of the render node.
            let near = asked.dispatch.near(address, run.stopped.as_ref().map_or(0, |stopped| stopped.index));
            return near.map_or(String::new(), |near| {
                let side = if near.after { "behind the last byte of" } else { "before" };
                format!(", {} {side} {}", bytes(near.distance), near.name)
            });
        };
        let which = format!("an allocation of {} at {:#x}", bytes(found.size), found.va);
        match distance {
            NEAR.. => ", near no allocation".to_owned(),
            0 if !found.mapped => format!(", in {which} that is not mapped for the device"),
            0 => format!(", in {which}, which is read-only"),
            _ if address < found.va => format!(", {} before {which}", bytes(distance)),
            _ => format!(", {} behind the last byte of {which}", bytes(distance)),
        }
    }
}
