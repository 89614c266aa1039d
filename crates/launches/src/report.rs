//! Results of launches as JSON (`gcnsim.run.v1` with the fields of dispatches) and for people.

use std::fmt::{self, Write as _};

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::findings::Findings;
pub use super::writer::Writer;
use super::{BufferResult, Facts, LaunchResult, Mismatch};
use gcnsim_device::Dispatch;
use gcnsim_engine::Run;
use gcnsim_engine::quote;
use gcnsim_engine::report::{DetailReport, Hex, NearReport, RunReport, plural, run_line};
use gcnsim_loader::code_object::metadata::ArgKind;

/// Addresses below this one count as those that a null pointer leads to.
const NULL_PAGE: u64 = 64 << 10;

/// The field `buffers` or `images` of results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Buffers(pub Vec<BufferResult>);

impl Buffers {
    /// Returns the buffers, or the images, among `results`.
    fn of(results: &[BufferResult], images: bool) -> Buffers {
        Buffers(results.iter().filter(|result| result.image.is_some() == images).cloned().collect())
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[derive(Serialize)]
struct BufferFields {
    bytes: u64,
    changed: bool,
    hash: String,
}

impl Serialize for Buffers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for BufferResult { name, size, changed, hash, .. } in &self.0 {
            map.serialize_entry(name, &BufferFields { bytes: *size, changed: *changed, hash: format!("{hash:016x}") })?;
        }
        map.end()
    }
}

/// What the report of a run says of the place where it stopped.
#[derive(Clone, Copy)]
pub struct Stop<'a> {
    /// The dispatch that ran.
    pub dispatch: &'a Dispatch,
    /// Source line at which it stopped.
    pub source: Option<&'a str>,
    /// Kinds of arguments that the kernel lists and the launch does not provide: null pointers.
    pub wants: &'a [ArgKind],
}

/// Returns the fields of all results for the run of a dispatch, without the hash of a state.
pub fn run_report(arch: &'static str, engine: &'static str, run: &Run, stop: &Stop<'_>) -> RunReport {
    let Stop { dispatch, source, wants } = *stop;
    let of_file = |pc: u64| Hex(dispatch.address_of_file(pc));
    let mut report = RunReport {
        pc: run.stopped.as_ref().map(|stopped| of_file(stopped.wave.state.pc)),
        instructions: run.instructions,
        notes: run.notes.codes(),
        ..RunReport::of_outcome(arch, engine, &run.outcome, &run.stats)
    };
    let Some(detail) = &mut report.detail else { return report };
    detail.source = source.map(str::to_owned);
    detail.pc = detail.pc.map(|pc| of_file(pc.0));
    detail.from = detail.from.map(|pc| of_file(pc.0));
    if let Some(stopped) = &run.stopped {
        (detail.group, detail.wave) = (Some(stopped.group), Some(stopped.index));
    }
    if let (Some(address), Some(stopped)) = (detail.address, &run.stopped) {
        detail.near = dispatch.near(address.0, stopped.index).map(|near| NearReport {
            buffer: near.name.to_string(),
            distance: near.distance,
            side: if near.after { "after" } else { "before" },
        });
        if address.0 < NULL_PAGE {
            detail.wants = wants.to_vec();
        }
    }
    report
}

/// Report of a launch: the fields of all results, then those of dispatches.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LaunchReport {
    /// The fields of all results.
    #[serde(flatten)]
    pub run: RunReport,
    /// Name of the launch.
    pub launch: String,
    /// SHA-256 of the launch and its inputs.
    pub launch_sha256: Option<String>,
    /// Whether the launch stopped as its file expects; absent if it ended, or should have.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub expected: bool,
    /// LLVM's name of the chip.
    pub chip: &'static str,
    /// Facts about the dispatch.
    pub dispatch: Facts,
    /// Buffers after the launch.
    pub buffers: Buffers,
    /// Images after the launch; absent if there are none.
    #[serde(skip_serializing_if = "Buffers::is_empty")]
    pub images: Buffers,
    /// Text that the kernel has printed; absent if it cannot print.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printf: Option<String>,
    /// The reason in words if some of the printed text is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printf_missing: Option<String>,
    /// Number of the launch in its file, from 0, and the number of launches. The JSON does not have them.
    #[serde(skip)]
    pub place: Option<(usize, usize)>,
    /// Findings of the sanitizer; absent if no sanitizer was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sanitizer: Option<Findings>,
    /// The reason why one thread ran the launch, if several were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jobs_ignored: Option<&'static str>,
}

impl LaunchReport {
    /// Returns the report of a launch.
    pub fn new(
        name: &str,
        chip: &'static str,
        arch: &'static str,
        engine: &'static str,
        result: &LaunchResult,
    ) -> LaunchReport {
        let LaunchResult { run, placed, facts, .. } = result;
        let stop = Stop { dispatch: &placed.dispatch, source: result.source.as_deref(), wants: &result.unprovided };
        let mut report =
            RunReport { state_hash: format!("{:016x}", result.state_hash), ..run_report(arch, engine, run, &stop) };
        if !result.mismatches.is_empty() {
            report.outcome = "mismatch";
            let mut mismatch = mismatch(&result.mismatches, report.detail);
            let name = mismatch.buffer.as_deref();
            let image =
                result.buffers.iter().find(|buffer| Some(buffer.name.as_str()) == name && buffer.image.is_some());
            if let Some(BufferResult { image: Some(shape), .. }) = image {
                mismatch.texel = mismatch.index.and(mismatch.at).map(|at| shape.place(at));
                if mismatch.kind == "buffer" {
                    mismatch.kind = "image".to_owned();
                }
            }
            report.detail = Some(mismatch);
        }
        LaunchReport {
            run: report,
            launch: name.to_owned(),
            launch_sha256: None,
            expected: result.is_expected,
            chip,
            dispatch: facts.clone(),
            buffers: Buffers::of(&result.buffers, false),
            images: Buffers::of(&result.buffers, true),
            printf: result.printed.as_ref().map(|printed| String::from_utf8_lossy(&printed.text).into_owned()),
            printf_missing: result.printed.as_ref().and_then(crate::printf::missing),
            place: None,
            sanitizer: None,
            jobs_ignored: None,
        }
    }

    /// Cuts the printed text to at most `most` bytes.
    pub fn cut_printf(&mut self, most: usize) {
        if let Some(text) = self.printf.as_mut().filter(|text| text.len() > most) {
            let cut = format!("the text of {} bytes is cut after {most}", text.len());
            text.truncate(text.floor_char_boundary(most));
            self.printf_missing = Some(match self.printf_missing.take() {
                Some(missing) => format!("{cut}; {missing}"),
                None => cut,
            });
        }
    }

    /// Returns the report as one line of JSON.
    pub fn to_json(&self) -> String {
        run_line(self)
    }
}

fn mismatch(mismatches: &[Mismatch], stopped: Option<DetailReport>) -> DetailReport {
    let mut detail = stopped.unwrap_or_else(|| DetailReport::of_kind("expectation"));
    for mismatch in mismatches {
        match mismatch {
            Mismatch::Outcome { expected, actual } => detail.differ("outcome", expected, actual),
            Mismatch::Instructions { expected, actual } => detail.differ("instructions", expected, actual),
            Mismatch::Buffer(buffer) => {
                if detail.buffer.is_none() && detail.kind == "expectation" {
                    detail.kind = "buffer".to_owned();
                }
                if detail.buffer.is_none() {
                    detail.buffer = Some(buffer.buffer.clone());
                    (detail.index, detail.element, detail.at) = (buffer.index, buffer.element, Some(buffer.at));
                    (detail.expected, detail.actual) = (Some(buffer.expected.clone()), Some(buffer.actual.clone()));
                    detail.failures = Some(buffer.failures);
                }
                detail.differ(&buffer.place(), &buffer.expected, &buffer.actual);
                match detail.buffers.iter_mut().find(|known| known.buffer == buffer.buffer) {
                    Some(known) => known.join(buffer.clone()),
                    None => detail.buffers.push(buffer.clone()),
                }
            }
        }
    }
    detail
}

impl fmt::Display for LaunchReport {
    /// Writes the report for people, one fact a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |name: &str, value: String| writeln!(f, "{name:<13} {value}");
        let sizes = |[x, y, z]: [u32; 3]| {
            if z != 1 {
                format!("{x} x {y} x {z}")
            } else if y != 1 {
                format!("{x} x {y}")
            } else {
                x.to_string()
            }
        };
        let dispatch = &self.dispatch;
        line("outcome", outcome_text(&self.run))?;
        if let Some((index, count)) = self.place {
            let launch = quote::text(&self.launch);
            // Many launches are named after their kernel, which has a line of its own.
            match (self.launch == dispatch.kernel, count > 1) {
                (true, true) => line("launch", format!("{} of {count}", index + 1))?,
                (true, false) => {}
                (false, true) => line("launch", format!("{launch} ({} of {count})", index + 1))?,
                (false, false) => line("launch", launch.to_string())?,
            }
        }
        if let Some(index) = self.run.bundle {
            line("part", gcnsim_engine::report::part_text(self.run.target.as_deref(), index))?;
        }
        let in_source = gcnsim_loader::demangled(&dispatch.kernel).map(|name| format!(" = {name}")).unwrap_or_default();
        let kernel = format!("{}{}", quote::text(&dispatch.kernel), quote::text(&in_source));
        line("kernel", format!("{kernel} ({}, {}), engine {}", self.chip, self.run.arch, self.run.engine))?;
        let (grid, group) = (sizes(dispatch.grid), sizes(dispatch.group));
        line(
            "grid",
            format!(
                "{grid} work-items in groups of {group}: {}, {}",
                plural(dispatch.groups, "group"),
                plural(dispatch.waves, "wave")
            ),
        )?;
        line("instructions", gcnsim_engine::report::grouped(self.run.instructions))?;
        // What did not happen is not listed.
        if self.run.regions > 0 {
            line("regions", format!("{} entered", self.run.regions))?;
        }
        let times = [self.run.compile_ns, self.run.check_ns, self.run.run_ns];
        gcnsim_engine::report::costs(&mut line, times, self.run.checks, self.run.instructions)?;
        for BufferResult { name, size, changed, hash, image } in self.buffers.0.iter().chain(&self.images.0) {
            let changed = if *changed { "changed" } else { "unchanged" };
            let (what, shape) = match image {
                Some(shape) => ("image", format!("{shape}, ")),
                None => ("buffer", String::new()),
            };
            let name = quote::text(name);
            line(what, format!("{name}: {shape}{size} bytes, {changed}, hash {hash:016x}"))?;
        }
        if !self.run.notes.is_empty() {
            line("notes", self.run.notes.join(", "))?;
        }
        line("state hash", self.run.state_hash.clone())?;
        self.sanitizer.as_ref().map_or(Ok(()), |found| f.write_str(&found.text()))
    }
}

/// Returns in words how a dispatch ended: a line, and more for what was expected.
pub fn outcome_text(run: &RunReport) -> String {
    let mut text = run.outcome.to_owned();
    let Some(detail) = &run.detail else { return text };
    let _ = write!(text, ": {}", quote::text(&detail.kind));
    if let Some(mnemonic) = detail.mnemonic {
        let _ = write!(text, " at {mnemonic}");
    }
    if let Some(pc) = detail.pc {
        let _ = write!(text, ", pc {:#x}", pc.0);
    }
    if let Some(source) = &detail.source {
        let _ = write!(text, " ({})", quote::text(source));
    }
    if let (Some(access), Some(address), Some(bytes)) = (detail.access, detail.address, detail.bytes) {
        let _ = write!(text, ", {access} of {} at {:#x}", plural(bytes.into(), "byte"), address.0);
    }
    if let Some(near) = &detail.near {
        let _ = match near.distance {
            0..0x10_0000 => {
                write!(text, ", {} {} '{}'", plural(near.distance, "byte"), near.side, quote::text(&near.buffer))
            }
            _ => write!(text, ", far from any buffer"),
        };
    }
    if let Some(lane) = detail.lane {
        let _ = write!(text, ", lane {lane}");
    }
    if !detail.wants.is_empty() {
        let wishes: Vec<_> = detail.wants.iter().filter_map(|kind| kind.wish()).collect();
        let _ = write!(text, "\n  the kernel wants {}, which no launch provides", wishes.join(", or "));
    }
    if let (Some([x, y, z]), Some(wave)) = (detail.group, detail.wave) {
        let _ = write!(text, ", group [{x}, {y}, {z}] wave {wave}");
    }
    if let Some(writer) = &detail.written_by {
        let _ = match writer {
            None => write!(text, "\n  no wave wrote there"),
            Some(Writer { group: [x, y, z], wave, lane, pc, mnemonic, source }) => {
                let source = source.as_ref().map_or(String::new(), |source| format!(" ({})", quote::text(source)));
                let lane = lane.map_or(String::new(), |lane| format!(" lane {lane}"));
                let mnemonic = mnemonic.unwrap_or("?");
                let place = format!("group [{x}, {y}, {z}] wave {wave}{lane}");
                write!(text, "\n  last written by {place}, {mnemonic} at pc {:#x}{source}", pc.0)
            }
        };
    }
    if let Some(texel) = &detail.texel {
        let _ = write!(text, "\n  the first of them at {texel}");
    }
    for part in detail.mismatch().parts() {
        let _ = write!(text, "\n  {part}");
    }
    text
}
