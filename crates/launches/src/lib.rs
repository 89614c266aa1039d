//! Dispatches: kernels of a code object on a grid of work-items.
//!
//! ```
//! use gcnsim_device::args::ArgValue;
//! use gcnsim_launches::launch::LaunchSpec;
//! use gcnsim_launches::{DispatchOptions, launch};
//! use gcnsim_loader::{FileBytes, code_object::CodeObject};
//!
//! # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/kernels/kernels-gfx900-v5-O2.co");
//! let object = CodeObject::parse(&FileBytes::read(&path)?)?;
//! let collatz = LaunchSpec::new("collatz", &[3], &[64])?
//!     .args([ArgValue::buffer("steps"), ArgValue::u32(6)])
//!     .buffer("steps", vec![0; 12]);
//! let result = launch(&object, &collatz, &DispatchOptions::default())?;
//! assert_eq!(result.run.outcome, Ok(gcnsim_machine::Outcome::Ended));
//! // From 6, 7 and 8 it takes so many steps to 1.
//! assert_eq!(result.buffer("steps").unwrap(), [8, 0, 0, 0, 16, 0, 0, 0, 3, 0, 0, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Launch files ([`launch::LaunchFile`]) and [`Launcher`] do more: shared buffers, expectations, files.
#![deny(unsafe_code)]

pub mod beside;
pub mod coverage;
pub mod findings;
pub mod launch;
pub mod lines;
pub mod place;
pub mod printf;
pub mod profile;
pub mod report;
mod result;
mod room;
pub mod sidecar;
pub mod steps;
pub mod writer;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use gcnsim_device::images::Layout;
use gcnsim_device::room::backing;
use gcnsim_device::{DeviceOptions, DispatchError, Learning, Progress, Request};
use gcnsim_engine::{Observers, Run, RunOptions};
use gcnsim_isa::Note;
use gcnsim_loader::code_object::metadata::KernelMetadata;
use gcnsim_loader::code_object::{CodeObject, Kernel};
use gcnsim_loader::{FileBytes, PROGRAM_LIMIT};
use gcnsim_machine::outcome::Outcome;
use gcnsim_machine::{Backing, BackingSnapshot, SharedPeripheral};
use launch::{Actual, Allocation, BufferError, BufferSpec, Content, Expect, LaunchSpec, Outside, RegistersSpec};
use lines::SourceLines;
use place::PlacedLaunch;
pub use result::{BufferResult, Facts, LaunchResult, Mismatch, why};
use room::{Buffer, Bytes, Initial, check_room};
pub use writer::{Writer, WriterSearch};

/// Budget of a launch in instructions, unless the user or the launch file states another.
pub const DEFAULT_BUDGET: u64 = 1_000_000_000;

/// Options of dispatches.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct DispatchOptions {
    /// Options of the engine that runs waves.
    pub run: RunOptions,
    /// Most threads; `None` means all cores. Results are always those of one thread. [One
    /// thread](Run::one_thread) runs a launch whose groups could observe their order (by atomics other than
    /// sums and the like, GDS, or computed calls), and repeats one in which a group writes a byte that another group
    /// accesses.
    pub jobs: Option<usize>,
    /// Budget of each launch in instructions; overrides the launch's own.
    pub max_insts: Option<u64>,
    /// Budget in instructions of launches that state none.
    pub default_max_insts: Option<u64>,
    /// Whether files of buffers and expected values may be outside the folder of the launch file.
    pub outside: Outside,
    /// Size of the printf buffer in bytes; `None` means [`printf::DEFAULT_BYTES`].
    pub printf_bytes: Option<u32>,
    /// Peripheral that answers accesses to addresses where nothing is mapped, instead of a fault. With one, groups run
    /// on one thread.
    pub peripheral: Option<SharedPeripheral>,
}

impl DispatchOptions {
    /// Sets the options of the engine.
    #[must_use]
    pub fn run(mut self, run: RunOptions) -> DispatchOptions {
        self.run = run;
        self
    }

    /// Sets where files may be.
    #[must_use]
    pub fn outside(mut self, outside: Outside) -> DispatchOptions {
        self.outside = outside;
        self
    }

    /// Sets the number of threads.
    #[must_use]
    pub fn jobs(mut self, jobs: impl Into<Option<usize>>) -> DispatchOptions {
        self.jobs = jobs.into();
        self
    }

    /// Sets the budget of each launch, in instructions.
    #[must_use]
    pub fn max_insts(mut self, max_insts: impl Into<Option<u64>>) -> DispatchOptions {
        self.max_insts = max_insts.into();
        self
    }

    /// Sets the budget of launches that state none, in instructions.
    #[must_use]
    pub fn default_max_insts(mut self, default_max_insts: impl Into<Option<u64>>) -> DispatchOptions {
        self.default_max_insts = default_max_insts.into();
        self
    }

    /// Sets the size of the printf buffer, in bytes.
    #[must_use]
    pub fn printf_bytes(mut self, printf_bytes: impl Into<Option<u32>>) -> DispatchOptions {
        self.printf_bytes = printf_bytes.into();
        self
    }

    /// Sets the peripheral.
    #[must_use]
    pub fn peripheral(mut self, peripheral: impl Into<Option<SharedPeripheral>>) -> DispatchOptions {
        self.peripheral = peripheral.into();
        self
    }

    /// Options of the device on which a launch runs.
    fn of_device(&self) -> DeviceOptions {
        let mut options = DeviceOptions::default().run(self.run.clone());
        (options.jobs, options.learning) = (self.jobs, Learning::OfLaunch);
        options.peripheral = self.peripheral.clone();
        options
    }
}

/// Error of a launch that did not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchFailure {
    /// The object has no kernel with the name that the launch states.
    #[error("there is no kernel '{name}'; the object has {held}")]
    NoKernel {
        /// Name that the launch states.
        name: String,
        /// Names of the object's kernels.
        held: String,
    },
    /// The launch names no kernel, and the object has several.
    #[error("which kernel? The object has {held}")]
    WhichKernel {
        /// Names of the object's kernels.
        held: String,
    },
    /// The dispatch cannot be set up.
    #[error(transparent)]
    Setup(#[from] DispatchError),
    /// The contents of a buffer cannot be made.
    #[error(transparent)]
    Buffer(#[from] BufferError),
    /// The code of a launch by registers cannot be had, for the reason in words.
    #[error("registers.code: {0}")]
    Code(String),
    /// An expectation cannot be checked, for the reason in words.
    #[error("expect: {0}")]
    Expect(String),
}

/// Runs the launches of a code object.
pub struct Launcher<'a> {
    object: &'a CodeObject,
    folder: &'a Path,
    options: &'a DispatchOptions,
    /// Options of the devices on which launches run. They share code, and with it compiled regions.
    device: DeviceOptions,
    /// Buffers that all launches share.
    shared: Vec<BufferSpec>,
    /// Their memory, in the same order, once a launch has made and filled it; empty before.
    shared_memory: Vec<Buffer>,
    /// The last launch, if launches share memory; otherwise `None`.
    before: Option<Arc<PlacedLaunch>>,
    /// XXH3-64 of the buffers that launches share, by name, after the last launch.
    hashes: BTreeMap<String, u64>,
    /// Whether launches are remembered, so that the last one can be run again.
    remembers: bool,
    last: Option<Last>,
}

/// A launch that can be run again.
struct Last {
    placed: Arc<PlacedLaunch>,
    max_insts: Option<u64>,
    /// The memory before it ran.
    before: Vec<BackingSnapshot>,
}

impl<'a> Launcher<'a> {
    /// Returns a launcher for the launches of a file in `folder`; `shared` are the buffers that they share.
    ///
    /// # Errors
    /// [`LaunchFailure::Buffer`] or [`LaunchFailure::Setup`] if the buffers cannot be made.
    pub fn new(
        object: &'a CodeObject,
        folder: &'a Path,
        shared: &[BufferSpec],
        options: &'a DispatchOptions,
    ) -> Result<Launcher<'a>, LaunchFailure> {
        Ok(Launcher {
            object,
            folder,
            options,
            device: options.of_device(),
            shared: shared.to_vec(),
            shared_memory: Vec::new(),
            before: None,
            hashes: BTreeMap::new(),
            remembers: false,
            last: None,
        })
    }

    /// Remembers each launch until the next one, so that it can be run [again](Launcher::again). This keeps what memory
    /// held before the launch.
    pub fn remembering(self) -> Launcher<'a> {
        Launcher { remembers: true, ..self }
    }

    /// Returns the index of the kernel `name`, or of the object's only one.
    ///
    /// # Errors
    /// [`LaunchFailure::NoKernel`], [`LaunchFailure::WhichKernel`].
    pub fn kernel(object: &CodeObject, name: Option<&str>) -> Result<usize, LaunchFailure> {
        let held = || names_of(&object.kernels);
        match name {
            Some(name) => {
                let found = object.kernel_index(name);
                found.ok_or_else(|| LaunchFailure::NoKernel { name: name.to_owned(), held: held() })
            }
            None if object.kernels.len() == 1 => Ok(0),
            None => Err(LaunchFailure::WhichKernel { held: held() }),
        }
    }

    /// Checks a launch without running it: its kernel, arguments, sizes, pointers, files, and the expected contents of
    /// buffers.
    ///
    /// # Errors
    /// [`LaunchFailure`].
    pub fn check(&self, spec: &LaunchSpec) -> Result<(), LaunchFailure> {
        let object = self.object;
        let kernel = &object.kernels[Launcher::kernel(object, spec.kernel.as_deref())?];
        let specs: Vec<&BufferSpec> = spec.buffers.iter().chain(&self.shared).collect();
        let mut buffers = self.own(spec)?;
        buffers.extend(self.allocate(&self.shared)?);
        buffers.sort_by(|a, b| a.name.as_bytes().cmp(b.name.as_bytes()));
        check_room(&buffers)?;
        let placed = self.place(spec, kernel, &buffers, None)?;
        // Contents of other kinds cannot be wrong, and making them may take long.
        for spec in specs.iter().filter(|spec| matches!(spec.content, Content::Struct(_) | Content::File(_))) {
            spec.given(self.folder, self.options.outside, placed.places())?;
        }
        self.check_expectations(spec, &buffers)
    }

    /// Checks that the buffers can be compared with the expected contents.
    fn check_expectations(&self, spec: &LaunchSpec, buffers: &[Buffer]) -> Result<(), LaunchFailure> {
        for (is_image, name, check) in spec.expect.iter().flat_map(Expect::checks) {
            let buffer = expected_of(buffers, is_image, name)?;
            let checked = check.check(name, buffer.size() as u64, self.folder, self.options.outside);
            checked.map_err(LaunchFailure::Expect)?;
        }
        Ok(())
    }

    /// Runs a launch and compares its results with the expected ones.
    ///
    /// # Errors
    /// [`LaunchFailure`] if it cannot run. If it cannot be set up, shared buffers stay as they were.
    pub fn launch(&mut self, spec: &LaunchSpec, progress: Progress<'_>) -> Result<LaunchResult, LaunchFailure> {
        self.launch_observed(spec, progress, &mut Observers::none())
    }

    /// Runs a launch like [`Launcher::launch`], and shows it to observers. If there are any, it runs on one thread.
    ///
    /// # Errors
    /// As [`Launcher::launch`].
    pub fn launch_observed(
        &mut self,
        spec: &LaunchSpec,
        progress: Progress<'_>,
        observers: &mut Observers<'_>,
    ) -> Result<LaunchResult, LaunchFailure> {
        let object = self.object;
        let kernel = &object.kernels[Launcher::kernel(object, spec.kernel.as_deref())?];
        let own = self.own(spec)?;
        let is_first = self.shared_memory.is_empty();
        let shared = if is_first { self.allocate(&self.shared)? } else { self.shared_memory.clone() };
        let mut buffers: Vec<Buffer> = own.iter().chain(&shared).cloned().collect();
        buffers.sort_by(|a, b| a.name.as_bytes().cmp(b.name.as_bytes()));
        check_room(&buffers)?;
        for buffer in own.iter().chain(shared.iter().filter(|_| is_first)).filter(|buffer| buffer.part.is_none()) {
            room::make_ready(&buffer.bytes);
        }
        let placed = Arc::new(self.place(spec, kernel, &buffers, self.before.as_deref())?);
        let first = self.shared.iter().zip(&shared).filter(|_| is_first);
        let new: Vec<(&BufferSpec, Buffer)> =
            spec.buffers.iter().zip(&own).chain(first).map(|(spec, buffer)| (spec, buffer.clone())).collect();
        let dispatch = &placed.dispatch;
        // One of several threads compiles meanwhile.
        let is_shared = observers.is_empty() && dispatch.jobs().is_ok();
        let first = || if is_shared { dispatch.compile_start() } else { 0 };
        let (memory, compile_ns) = self.fill(&placed, new, first)?;
        self.before = self.has_shared().then(|| placed.clone());
        self.shared_memory = shared;
        self.check_expectations(spec, &buffers)?;

        let known = std::mem::take(&mut self.hashes);
        let before = buffers.iter().map(|buffer| memory.bytes(buffer, known.get(&buffer.name).copied()));
        let before: Vec<Bytes> = before.collect();
        let max_insts = self.options.max_insts.or(spec.max_insts).or(self.options.default_max_insts);
        // Code may lie in memory by registers.
        let is_zero = |backing: &Arc<Backing>| spec.registers.is_none() && memory.is_zero(backing);
        self.last = self.remembers.then(|| {
            let before = dispatch.snapshot(&is_zero);
            Last { placed: placed.clone(), max_insts, before }
        });
        let mut run = dispatch.run(Request { max_insts, observers, progress, is_zero: &is_zero })?;
        run.stats.compile_ns += compile_ns;
        run.notes.insert_if(placed.guessed, Note::KernargGuessed);
        run.notes.insert_if(kernel.descriptor.properties.dynamic_stack, Note::DynamicStack);

        let (hashes, state_hash) = room::hashes(&buffers, self.threads());
        let results = buffers.iter().zip(before.into_iter().zip(hashes)).map(|(buffer, (before, hash))| BufferResult {
            name: buffer.name.clone(),
            size: buffer.size() as u64,
            changed: before.differ(buffer, hash),
            hash,
            image: buffer.image.as_ref().map(|(shape, _)| *shape),
        });
        let results: Vec<BufferResult> = results.collect();
        if self.has_shared() {
            self.hashes = results.iter().map(|result| (result.name.clone(), result.hash)).collect();
        }
        let mismatches = match &spec.expect {
            Some(expect) => self.mismatches(expect, &run, &buffers, &results)?,
            None => Vec::new(),
        };
        let has_stopped = run.outcome.as_ref().is_ok_and(|outcome| *outcome != Outcome::Ended);
        let is_expected = has_stopped && spec.expect.is_some() && mismatches.is_empty();
        let facts = Facts::new(object, kernel, spec, &placed);
        let detail = run.outcome.as_ref().ok().and_then(Outcome::detail);
        let source = detail.and_then(|detail| SourceLines::of(&object.bytes).at(placed.address_of_file(detail.pc)));
        let printed = printf::of_launch(&placed, &object.printf);
        let unprovided = kernel.metadata.as_ref().map(KernelMetadata::unprovided).unwrap_or_default();
        let result = LaunchResult {
            run,
            buffers: results,
            state_hash,
            mismatches,
            is_expected,
            printed,
            unprovided,
            facts,
            source,
            placed,
            memory: buffers,
        };
        Ok(result)
    }

    /// Runs the last launch again from the same memory, on one thread, and shows it to observers. Memory is then as
    /// that launch left it, unless this run was interrupted. `None` if there was no launch, or launches are not
    /// [remembered](Launcher::remembering).
    ///
    /// # Errors
    /// [`DispatchError`] if there is no memory for scratch or marks.
    pub fn again(&self, observers: &mut Observers<'_>) -> Result<Option<Run>, DispatchError> {
        let Some(Last { placed, max_insts, before }) = &self.last else { return Ok(None) };
        before.iter().for_each(BackingSnapshot::restore);
        let request = Request { max_insts: *max_insts, ..Request::new(observers) };
        placed.dispatch.run(request).map(Some)
    }

    /// Returns the last writer of byte `at` of a buffer in the last launch, if there is one. The search runs the launch
    /// [again](Launcher::again), twice, in the interpreter.
    ///
    /// # Errors
    /// As [`Launcher::again`].
    pub fn last_writer(&self, buffer: &str, at: u64) -> Result<Option<Writer>, DispatchError> {
        let Some(address) = self.last.as_ref().and_then(|last| last.placed.address_of(buffer, at)) else {
            return Ok(None);
        };
        let mut search = WriterSearch::new(address);
        self.again(&mut Observers::one(&mut search))?;
        if search.again() {
            self.again(&mut Observers::one(&mut search))?;
        }
        let source = |writer: &Writer| SourceLines::of(&self.object.bytes).at(writer.pc.0);
        Ok(search.into_found().map(|writer| Writer { source: source(&writer), ..writer }))
    }

    /// Returns the number of threads that are asked for.
    fn threads(&self) -> usize {
        self.device.threads()
    }

    fn printf_bytes(&self) -> u32 {
        self.options.printf_bytes.unwrap_or(printf::DEFAULT_BYTES)
    }

    fn place(
        &self,
        spec: &LaunchSpec,
        kernel: &Kernel,
        buffers: &[Buffer],
        before: Option<&PlacedLaunch>,
    ) -> Result<PlacedLaunch, LaunchFailure> {
        if let Some(registers) = &spec.registers {
            let code = self.code(registers)?;
            return Ok(PlacedLaunch::by_registers(
                self.object,
                kernel,
                registers,
                &code,
                (&spec.buffers, buffers),
                &self.device,
            )?);
        }
        let given = (&spec.args[..], buffers);
        let printf_bytes = self.printf_bytes();
        Ok(PlacedLaunch::new(self.object, kernel, &spec.geometry, given, before, &self.device, printf_bytes)?)
    }

    /// Reads the code of a launch by registers.
    fn code(&self, registers: &RegistersSpec) -> Result<FileBytes, LaunchFailure> {
        if registers.arch() != self.object.arch {
            return Err(DispatchError::Arch { device: registers.arch(), object: self.object.arch }.into());
        }
        let path = registers.code.display();
        if !self.options.outside.allows(self.folder, &registers.code) {
            return Err(LaunchFailure::Code(format!("{path} leaves the folder of the launch file")));
        }
        let code = FileBytes::read(&self.folder.join(&registers.code));
        let code = code.map_err(|error| LaunchFailure::Code(format!("{path}: {error}")))?;
        let len = code.as_ref().len() as u64;
        match registers.registers.pc.wrapping_sub(registers.base) {
            _ if len > PROGRAM_LIMIT => Err(LaunchFailure::Code(format!("{path}: {len} bytes are too many"))),
            at if at >= len => Err(DispatchError::NoCode { pc: registers.registers.pc }.into()),
            _ => Ok(code),
        }
    }

    /// Allocates the buffers that only this launch has. Memory of an allocation is a part of one.
    fn own(&self, spec: &LaunchSpec) -> Result<Vec<Buffer>, LaunchFailure> {
        let Some(registers) = &spec.registers else { return self.allocate(&spec.buffers) };
        let mut allocations: Vec<Option<Arc<Backing>>> = vec![None; registers.allocations.len()];
        let one = |spec: &BufferSpec| {
            let Some((at, size)) = spec.at.zip(spec.size) else { return self.allocate_one(spec) };
            let Some(index) = registers.allocation_at(at.base) else { return self.allocate_one(spec) };
            let Allocation { base, size: whole, name } = &registers.allocations[index];
            let bytes = match &allocations[index] {
                Some(bytes) => bytes.clone(),
                None => Arc::new(backing(&format!("allocation '{name}'"), *whole)?),
            };
            allocations[index] = Some(bytes.clone());
            let start = (at.base - base) as usize;
            Ok(Buffer { name: spec.name.clone(), bytes, part: Some(start..start + size as usize), image: None })
        };
        spec.buffers.iter().map(one).collect()
    }

    fn allocate(&self, specs: &[BufferSpec]) -> Result<Vec<Buffer>, LaunchFailure> {
        specs.iter().map(|spec| self.allocate_one(spec)).collect()
    }

    fn allocate_one(&self, spec: &BufferSpec) -> Result<Buffer, LaunchFailure> {
        let image = spec.shape.map(|shape| (shape, Layout::new(&shape, self.object.arch)));
        let size = match &image {
            Some((_, layout)) => layout.memory_bytes(),
            None => spec.size_in(self.folder, self.options.outside)?,
        };
        let bytes = backing(&spec.label(), size)?;
        Ok(Buffer { name: spec.name.clone(), bytes: Arc::new(bytes), part: None, image })
    }

    /// Writes the contents of new buffers. Returns what `first` returns, too.
    fn fill<T>(
        &self,
        placed: &PlacedLaunch,
        buffers: Vec<(&BufferSpec, Buffer)>,
        first: impl FnOnce() -> T,
    ) -> Result<(Initial, T), LaunchFailure> {
        let given = buffers
            .into_iter()
            .map(|(spec, memory)| Ok((memory, spec.given(self.folder, self.options.outside, placed.places())?)));
        let (filled, own) = room::fill(given.collect::<Result<_, BufferError>>()?, self.threads(), first)?;
        Ok((Initial(filled), own))
    }

    /// Returns the bytes of a shared buffer, or the texels of a shared image, after the last launch.
    pub fn shared_buffer(&self, name: &str) -> Option<Vec<u8>> {
        self.shared_memory.iter().find(|buffer| buffer.name == name).map(Buffer::to_vec)
    }

    /// Whether the launches share buffers.
    pub fn has_shared(&self) -> bool {
        !self.shared.is_empty()
    }

    fn mismatches(
        &self,
        expect: &Expect,
        run: &Run,
        buffers: &[Buffer],
        results: &[BufferResult],
    ) -> Result<Vec<Mismatch>, LaunchFailure> {
        let mut found = Vec::new();
        let actual = match &run.outcome {
            Ok(outcome) => outcome.name(),
            // An error of the simulator is no result to compare.
            Err(_) => return Ok(found),
        };
        if actual != expect.outcome {
            found.push(Mismatch::Outcome { expected: expect.outcome.clone(), actual: actual.to_owned() });
        }
        if let Some(expected) = expect.instructions
            && expected != run.instructions
        {
            found.push(Mismatch::Instructions { expected, actual: run.instructions });
        }
        // `good` has the number of values that are as expected, by buffer.
        let mut good: BTreeMap<&str, u64> = BTreeMap::new();
        for (is_image, name, check) in expect.checks() {
            let buffer = expected_of(buffers, is_image, name)?;
            let hash = results.iter().find(|result| result.name == name).map_or(0, |result| result.hash);
            let read = |at: u64, len: usize| buffer.bytes_at(at as usize, len);
            let actual = Actual { name, size: buffer.size() as u64, hash, read: &read };
            let compared = check.compare(&actual, self.folder, self.options.outside);
            match compared.map_err(LaunchFailure::Expect)? {
                Ok(values) => *good.entry(name).or_default() += values,
                Err(mismatch) => found.push(Mismatch::Buffer(mismatch)),
            }
        }
        for mismatch in &mut found {
            if let Mismatch::Buffer(mismatch) = mismatch
                && mismatch.index.is_some()
            {
                mismatch.values += good.remove(mismatch.buffer.as_str()).unwrap_or_default();
            }
        }
        Ok(found)
    }
}

/// Returns the buffer or image that a check is about.
fn expected_of<'b>(buffers: &'b [Buffer], is_image: bool, name: &str) -> Result<&'b Buffer, LaunchFailure> {
    let [what, other, key] = if is_image { ["image", "buffer", "buffers"] } else { ["buffer", "image", "images"] };
    match buffers.iter().find(|buffer| buffer.name == name) {
        Some(buffer) if buffer.image.is_some() == is_image => Ok(buffer),
        Some(_) => Err(LaunchFailure::Expect(format!("'{name}' is {} {other}: expect.{key}", article(other)))),
        None => Err(LaunchFailure::Expect(format!("there is no {what} '{name}'"))),
    }
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with('i') { "an" } else { "a" }
}

/// Runs one launch.
///
/// # Errors
/// [`LaunchFailure`] if it cannot run.
pub fn launch(
    object: &CodeObject,
    spec: &LaunchSpec,
    options: &DispatchOptions,
) -> Result<LaunchResult, LaunchFailure> {
    Launcher::new(object, Path::new(""), &[], options)?.launch(spec, &|_| {})
}

/// Returns the names of the first 20 kernels.
fn names_of(kernels: &[Kernel]) -> String {
    const MOST: usize = 20;
    let name = |kernel: &Kernel| match gcnsim_loader::demangled(&kernel.name) {
        Some(in_source) => format!("{} = {in_source}", kernel.name),
        None => kernel.name.clone(),
    };
    let names: Vec<String> = kernels.iter().take(MOST).map(name).collect();
    match kernels.len().checked_sub(MOST) {
        None | Some(0) => names.join(", "),
        Some(more) => format!("{} and {more} more", names.join(", ")),
    }
}

#[cfg(test)]
#[path = "launcher_tests.rs"]
mod tests;
