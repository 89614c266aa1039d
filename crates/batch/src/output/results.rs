//! Writes a line of results: `gcnsim.batch.v1`.
//!
//! Lines are written by hand into a buffer: at 160,000 lines a second, serde_json would take an eighth of the
//! batch's time. The fields after `file, kernel, entry, sha256` are those of all results
//! ([`gcnsim_engine::for_each_result_field`]).
//!
//! ```json
//! {"schema":"gcnsim.batch.v1","file":"a.bin","kernel":null,"entry":null,"sha256":"..","outcome":"ended","detail":null,
//!  "arch":"gcn1.4","engine":"jit","pc":"0x40","instructions":17,"by_class":{"salu":16,...},"regions":0,"compile_ns":0,
//!  "check_ns":0,"run_ns":412,"checks":0,"notes":[],"state_hash":".."}
//! ```
//!
//! Lines of a part of a bundle have `target` and `bundle` (its target id, its index in the file) after `sha256`. Lines
//! of dispatches go on with `launch, launch_sha256, chip, dispatch, buffers`, as those of `run --json` do.
//!
//! Lines of a shard have `shard` and `index` (the number of the file in the unsharded batch) after `schema`, and those
//! of launches `launch_index` (the number of the launch in its file); `merge` removes them. With `--repeat`,
//! `samples_ns` and `reference_ns` come last.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use gcnsim_isa::{Arch, Kind, Note, Notes};

use crate::output::json::{hex, hex_bytes, number, numbers, optional, string, string_lossy, text};
use gcnsim_engine::difference::Difference;
use gcnsim_engine::report::{DetailReport, Hex};
use gcnsim_engine::{Divergence, RunStats};
use gcnsim_inputs::file::FileName;
use gcnsim_inputs::shard::Shard;
use gcnsim_launches::findings::Findings;
use gcnsim_launches::report::LaunchReport;
use gcnsim_loader::{PartId, Stage};
use gcnsim_machine::ClassCounts;
use gcnsim_machine::outcome::Detail;
use gcnsim_machine::world::World;
use gcnsim_synthetic::{Class, ClassHash, Classes};

/// The first bytes of every line.
pub const SCHEMA_FIELD: &str = r#"{"schema":"gcnsim.batch.v1","#;

/// A line of results.
pub struct Line<'a> {
    /// Shard and number of the file, in results of a shard.
    pub place: Option<(Shard, usize)>,
    /// Name of the file.
    pub file: FileName<'a>,
    /// Kernel; `None` in lines of raw files.
    pub kernel: Option<&'a str>,
    /// Offset of the kernel's code in its file, in bytes; `None` in lines of raw files.
    pub entry: Option<u64>,
    /// The part of a bundle that the entry comes from.
    pub part: Option<&'a PartId>,
    /// SHA-256 of the entry's bytes, or of the whole file if it cannot be run; `None` if it cannot be read.
    pub sha256: Option<&'a [u8; 32]>,
    /// Name of the outcome.
    pub outcome: &'a str,
    /// The place where the program stopped, and the reason.
    pub detail: LineDetail<'a>,
    /// The engine that the user chose.
    pub engine: &'static str,
    /// The run, if there was one.
    pub run: Option<&'a LineRun<'a>>,
    /// The launch, in lines of dispatches. If it has a report, `detail` and `run` come from that.
    pub launch: Option<LaunchPart<'a>>,
}

/// The additional fields of a line of a dispatch.
#[derive(Clone, Copy)]
pub struct LaunchPart<'a> {
    /// Name of the launch.
    pub name: &'a str,
    /// SHA-256 of the launch and its inputs, if these could be read.
    pub sha256: Option<&'a [u8; 32]>,
    /// Results of the launch, if it ran.
    pub report: Option<&'a LaunchReport>,
    /// In results of a shard: number of the launch in its file, if the file's launches are dealt out to shards.
    pub number: Option<usize>,
}

/// The field `detail` of a line.
pub enum LineDetail<'a> {
    /// `null`.
    None,
    /// The place where the program stopped.
    At(&'a Detail),
    /// A reason in words, as `kind`.
    Words(&'a str),
    /// The detail of a launch.
    Launch(&'a DetailReport),
    /// The `differences` from what was expected, and the place where the program stopped.
    Mismatch(&'a [Difference], Option<&'a Detail>),
    /// The place where the engines disagree, with the `report`.
    Divergence(&'a Divergence),
}

/// The results of a run.
#[derive(Clone, Copy)]
pub struct LineRun<'a> {
    /// Generation as which the entry ran.
    pub arch: Arch,
    /// Address of the next instruction; `None` after the end of a synthetic run.
    pub pc: Option<u64>,
    /// Number of completed instructions.
    pub instructions: u64,
    /// Completed instructions by class.
    pub classes: ClassCounts,
    /// Times of the run, and counts of regions and checks.
    pub stats: RunStats,
    /// Fidelity notes.
    pub notes: Notes,
    /// Hash of the final state.
    pub state_hash: u64,
    /// With `--repeat`: `run_ns` of every pass, and the times of the reference work measured beside them.
    pub samples: Option<(&'a [u64], &'a [u64])>,
    /// Facts about a run in the synthetic environment.
    pub synthetic: Option<SyntheticFacts>,
    /// With `--lint`: number of findings about the entry's code.
    pub findings: Option<u32>,
    /// With `--sanitize`: the findings in the world.
    pub sanitizer: Option<&'a Findings>,
}

/// The additional fields of a line of a synthetic run.
#[derive(Clone, Copy)]
pub struct SyntheticFacts {
    /// The world in which the entry ran.
    pub world: World,
    /// The stage of the shader.
    pub stage: Stage,
    /// The observations of the run, by class.
    pub observed: Classes,
}

impl Line<'_> {
    /// Appends the line with its line break to `out`. Appends to `times` the ranges in `out` of the fields whose names
    /// end in `_ns`, including the commas before them.
    pub fn write(&self, out: &mut Vec<u8>, times: &mut Vec<Range<usize>>) {
        text(out, SCHEMA_FIELD);
        if let Some((shard, index)) = self.place {
            text(out, r#""shard":""#);
            text(out, &shard.to_string());
            text(out, r#"","index":"#);
            number(out, index as u64);
            if let Some(launch) = self.launch.and_then(|launch| launch.number) {
                text(out, r#","launch_index":"#);
                number(out, launch as u64);
            }
            out.push(b',');
        }
        text(out, r#""file":"#);
        string_lossy(out, self.file.prefix, self.file.name);
        match (self.kernel, self.entry) {
            (None, None) => text(out, r#","kernel":null,"entry":null,"sha256":"#),
            (kernel, entry) => {
                text(out, r#","kernel":"#);
                optional(out, kernel, string);
                text(out, r#","entry":"#);
                optional(out, entry, hex);
                text(out, r#","sha256":"#);
            }
        }
        optional(out, self.sha256, |out, &hash| hex_bytes(out, hash));
        if let Some(part) = self.part {
            text(out, r#","target":"#);
            optional(out, part.target(), string);
            text(out, r#","bundle":"#);
            number(out, part.index as u64);
        }
        if let Some(report) = self.launch.and_then(|launch| launch.report) {
            return self.launch(report, out, times);
        }
        self.write_fields(out, times);
        if let Some(synthetic) = self.run.and_then(|run| run.synthetic) {
            synthetic.write(out);
        }
        if let Some(run) = self.run {
            run.write_extras(out, times);
        }
        if let Some(LaunchPart { name, sha256, .. }) = self.launch {
            text(out, r#","launch":"#);
            string(out, name);
            text(out, r#","launch_sha256":"#);
            optional(out, sha256, |out, &hash| hex_bytes(out, hash));
            text(out, r#","chip":null,"dispatch":null,"buffers":null"#);
        }
        if let (None, Some(chip)) = (&self.launch, self.run.and_then(|run| run.arch.chip())) {
            text(out, r#","chip":"#);
            string(out, chip);
        }
        text(out, "}\n");
    }

    /// Appends the fields after `sha256`, of a launch that ran.
    fn launch(&self, report: &LaunchReport, out: &mut Vec<u8>, times: &mut Vec<Range<usize>>) {
        // A report serialises without errors: its keys are strings, and no field can fail.
        let fields = serde_json::to_vec(report).unwrap_or_default();
        let start = out.len();
        out.push(b',');
        out.extend_from_slice(fields.get(1..fields.len().saturating_sub(1)).unwrap_or_default());
        // Strings cannot contain these bytes (their quotation marks are escaped), and the fields before them have fixed
        // names.
        let find = |what: &[u8]| out[start..].windows(what.len()).position(|window| window == what);
        if let (Some(from), Some(to)) = (find(br#","compile_ns":"#), find(br#","checks":"#)) {
            times.push(start + from..start + to);
        }
        if let Some(run) = self.run {
            run.write_extras(out, times);
        }
        text(out, "}\n");
    }
}

macro_rules! write_fields {
    ($($(#[doc = $doc:literal])* $([$($optional:tt)*])? $name:ident: $T:ty,)*) => {
        impl Line<'_> {
            /// Appends the fields of all results. Each is written by the method that has its name.
            fn write_fields(&self, out: &mut Vec<u8>, times: &mut Vec<Range<usize>>) {
                $(write_fields!(@ $([$($optional)*])? $name self out times);)*
            }
        }
    };
    // Optional fields have another place in a line than in reports, so they are not written here.
    (@ [$($optional:tt)*] $name:ident $line:ident $out:ident $times:ident) => {};
    (@ $name:ident $line:ident $out:ident $times:ident) => {
        let start = $out.len();
        text($out, concat!(",\"", stringify!($name), "\":"));
        $line.$name($out);
        if const { is_time(stringify!($name)) } {
            push_time($times, start..$out.len());
        }
    };
}
gcnsim_engine::for_each_result_field!(write_fields);

const fn is_time(field: &str) -> bool {
    matches!(field.as_bytes(), [.., b'_', b'n', b's'])
}

/// Adds the range of a field to `times`. It joins the last range if it begins where that ends.
fn push_time(times: &mut Vec<Range<usize>>, field: Range<usize>) {
    match times.last_mut() {
        Some(before) if before.end == field.start => before.end = field.end,
        _ => times.push(field),
    }
}

impl Line<'_> {
    fn stats(&self) -> RunStats {
        self.run.map(|run| run.stats).unwrap_or_default()
    }

    fn outcome(&self, out: &mut Vec<u8>) {
        string(out, self.outcome);
    }

    fn detail(&self, out: &mut Vec<u8>) {
        optional(out, self.detail.report(), |out, detail| out.extend(serde_json::to_vec(&detail).unwrap_or_default()));
    }

    fn arch(&self, out: &mut Vec<u8>) {
        optional(out, self.run, |out, run| string(out, run.arch.name()));
    }

    fn engine(&self, out: &mut Vec<u8>) {
        string(out, self.engine);
    }

    fn pc(&self, out: &mut Vec<u8>) {
        optional(out, self.run.and_then(|run| run.pc), hex);
    }

    fn instructions(&self, out: &mut Vec<u8>) {
        number(out, self.run.map_or(0, |run| run.instructions));
    }

    fn by_class(&self, out: &mut Vec<u8>) {
        optional(out, self.run, |out, run| {
            for kind in Kind::ALL {
                text(out, if kind as usize == 0 { "{\"" } else { ",\"" });
                text(out, kind.name());
                text(out, "\":");
                number(out, run.classes.get(kind));
            }
            out.push(b'}');
        });
    }

    fn regions(&self, out: &mut Vec<u8>) {
        number(out, self.stats().regions_entered);
    }

    fn compile_ns(&self, out: &mut Vec<u8>) {
        number(out, self.stats().compile_ns);
    }

    fn check_ns(&self, out: &mut Vec<u8>) {
        number(out, self.stats().check_ns);
    }

    fn run_ns(&self, out: &mut Vec<u8>) {
        number(out, self.stats().run_ns);
    }

    fn checks(&self, out: &mut Vec<u8>) {
        number(out, self.stats().checks);
    }

    fn notes(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        let notes = self.run.map(|run| run.notes).unwrap_or_default();
        if !notes.is_empty() {
            for (i, code) in codes(notes).enumerate() {
                text(out, if i == 0 { "\"" } else { ",\"" });
                text(out, code);
                out.push(b'"');
            }
        }
        out.push(b']');
    }

    fn state_hash(&self, out: &mut Vec<u8>) {
        optional(out, self.run, |out, run| hex_bytes(out, run.state_hash.to_be_bytes()));
    }
}

impl SyntheticFacts {
    /// Appends the fields of a synthetic run.
    fn write(&self, out: &mut Vec<u8>) {
        text(out, r#","environment":"#);
        string(out, &self.world.version_name());
        text(out, r#","stage":"#);
        string(out, self.stage.name());
        for (n, class) in Class::ALL.into_iter().enumerate() {
            text(out, if n == 0 { r#","observed":{""# } else { r#",""# });
            text(out, class.name());
            text(out, r#"":{"count":"#);
            let ClassHash { count, hash } = self.observed.of(class);
            number(out, count);
            text(out, r#","hash":"#);
            hex_bytes(out, hash.to_be_bytes());
            out.push(b'}');
        }
        out.push(b'}');
    }
}

impl LineRun<'_> {
    /// Appends the fields that options add: findings and samples.
    fn write_extras(&self, out: &mut Vec<u8>, times: &mut Vec<Range<usize>>) {
        if let Some(findings) = self.sanitizer {
            text(out, r#","sanitizer":"#);
            // Findings serialise without errors: their keys are strings, and no field can fail.
            out.extend(serde_json::to_vec(findings).unwrap_or_default());
        }
        if let Some(findings) = self.findings {
            text(out, r#","lint":"#);
            number(out, findings.into());
        }
        if let Some((samples, reference)) = self.samples {
            let start = out.len();
            text(out, r#","samples_ns":"#);
            numbers(out, samples);
            text(out, r#","reference_ns":"#);
            numbers(out, reference);
            times.push(start..out.len());
        }
    }
}

impl LineDetail<'_> {
    /// Returns the field `detail` as reports have it.
    fn report(&self) -> Option<Cow<'_, DetailReport>> {
        Some(match self {
            LineDetail::None => return None,
            LineDetail::Launch(report) => Cow::Borrowed(report),
            LineDetail::At(detail) => Cow::Owned(DetailReport::from(*detail)),
            LineDetail::Words(words) => Cow::Owned(DetailReport::of_kind(*words)),
            LineDetail::Divergence(divergence) => Cow::Owned(DetailReport {
                mnemonic: divergence.mnemonic,
                pc: Some(Hex(divergence.pc)),
                report: Some(divergence.report.clone()),
                ..DetailReport::of_kind("divergence")
            }),
            LineDetail::Mismatch(differences, stopped) => Cow::Owned(DetailReport {
                differences: differences.to_vec(),
                ..stopped.map_or_else(|| DetailReport::of_kind("expectation"), DetailReport::from)
            }),
        })
    }
}

/// Returns the codes of a set of notes, sorted.
fn codes(notes: Notes) -> impl Iterator<Item = &'static str> {
    /// All notes sorted by code, and the index in that order of each note.
    static SORTED: LazyLock<(Vec<Note>, Vec<u8>)> = LazyLock::new(|| {
        let mut sorted = Note::ALL.to_vec();
        sorted.sort_unstable_by_key(|note| note.code());
        let place = |note| sorted.iter().position(|other| other == note).unwrap_or_default() as u8;
        let places = Note::ALL.iter().map(place).collect();
        (sorted, places)
    });
    let (sorted, places) = &*SORTED;
    // `by_code` is the set with its bits in the order of the codes.
    let mut by_code = [0; Notes::WORDS];
    for bit in notes.bits() {
        let place = places[bit] as usize;
        by_code[place / 64] |= 1 << (place % 64);
    }
    Notes(by_code).bits().map(|place| sorted[place].code())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::end::Digest;
    use gcnsim_engine::RunResult;
    use gcnsim_engine::report::{RunReport, state_hash};
    use gcnsim_isa::WaveState;
    use gcnsim_machine::Outcome;
    use gcnsim_machine::Wave;
    use gcnsim_machine::{Access, MemoryFault};

    /// Returns the written line. Checks that a reader finds the same time fields in it.
    fn written(line: &Line) -> String {
        let (mut out, mut times) = (Vec::new(), Vec::new());
        line.write(&mut out, &mut times);
        let (mut known, mut found) = (Digest::default(), Digest::default());
        known.lines(1, &out, &times);
        found.add_entry(&out);
        assert_eq!(known.record(None), found.record(None));
        assert_eq!(times.len(), 1 + usize::from(line.run.is_some_and(|run| run.samples.is_some())));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn codes_are_sorted() {
        let set = |has: &dyn Fn(usize) -> bool| {
            let notes = Note::ALL.iter().enumerate().filter(|(n, _)| has(*n));
            notes.fold(Notes::NONE, |set, (_, note)| set.or(Notes::of(*note)))
        };
        for k in 0..Note::ALL.len() {
            for notes in [set(&|n| n == k), set(&|n| n < k), set(&|n| n != k)] {
                assert_eq!(codes(notes).collect::<Vec<_>>(), notes.codes());
            }
        }
    }

    /// Lines of a batch have the same fields as `run --json`.
    #[test]
    fn a_line_continues_like_run() {
        for lds in [0, 9] {
            a_line_continues(lds);
        }
    }

    fn a_line_continues(lds: u64) {
        let mut wave = Wave::from_state(WaveState::initial(Arch::Gcn12, 0x40));
        wave.executed = 77 + lds;
        wave.classes.0[..5].copy_from_slice(&[70, 1, 2, 3, 1]);
        wave.classes.add(Kind::Lds, lds);
        wave.state.notes.insert(Note::Setkill);
        wave.state.notes.insert(Note::CspWrap);
        let detail =
            Detail { kind: "pc-out-of-range", mnemonic: None, pc: 0x40, word: None, from: Some(0x3c), memory: None };
        let fault = MemoryFault { access: Access::Store, address: 0x1_0000, bytes: 8, lane: Some(7) };
        let memory = Detail { kind: "memory", memory: Some(fault), ..detail };
        let (compile_ns, check_ns) = (10, 20);
        let stats = RunStats { regions_entered: 3, compile_ns, check_ns, run_ns: 30, checks: 4, ..RunStats::default() };
        let ended = |outcome| RunResult { outcome: Ok(outcome), stats };
        for (result, detail) in [
            (ended(Outcome::Ended), LineDetail::None),
            (ended(Outcome::Fault(detail)), LineDetail::At(&detail)),
            (ended(Outcome::Fault(memory)), LineDetail::At(&memory)),
        ] {
            let outcome = result.outcome.as_ref().unwrap().name();
            let mut report = RunReport::new(Arch::Gcn12, "jit", &result, &wave, &wave.vgprs);
            report.count_classes(&wave);
            let run = LineRun {
                arch: Arch::Gcn12,
                pc: Some(wave.state.pc),
                instructions: wave.executed,
                classes: wave.classes,
                stats,
                notes: wave.state.notes,
                state_hash: state_hash(&wave, &wave.vgprs),
                samples: None,
                synthetic: None,
                findings: None,
                sanitizer: None,
            };
            let fields = Line {
                place: None,
                file: "a\"b.bin".into(),
                kernel: Some("k"),
                entry: Some(0x700),
                part: None,
                sha256: Some(&[0xab; 32]),
                outcome,
                detail,
                engine: "jit",
                run: Some(&run),
                launch: None,
            };
            let line = written(&fields);
            let (front, rest) = line.split_once(r#""outcome""#).unwrap();
            let hash = "ab".repeat(32);
            let expected_front = format!(
                r#"{{"schema":"gcnsim.batch.v1","file":"a\"b.bin","kernel":"k","entry":"0x700","sha256":"{hash}","#
            );
            assert_eq!(front, expected_front);
            assert_eq!(rest.trim_end(), report.to_json().split_once(r#""outcome""#).unwrap().1);
            let sampled = LineRun { samples: Some((&[1, 2], &[3, 4])), findings: Some(5), ..run };
            let sampled = written(&Line { run: Some(&sampled), ..fields });
            assert!(sampled.ends_with(",\"lint\":5,\"samples_ns\":[1,2],\"reference_ns\":[3,4]}\n"), "{sampled}");
        }
    }

    #[test]
    fn lines_without_a_run_have_the_same_fields() {
        let line = Line {
            place: Some((Shard::new(2, 8).unwrap(), 17)),
            file: "x".into(),
            kernel: None,
            entry: None,
            part: None,
            sha256: None,
            outcome: "bad-input",
            detail: LineDetail::Words("the file is empty"),
            engine: "jit",
            run: None,
            launch: None,
        };
        let value: serde_json::Value = serde_json::from_str(&written(&line)).unwrap();
        assert_eq!((value["shard"].as_str(), value["index"].as_u64()), (Some("2/8"), Some(17)));
        assert_eq!(value["detail"]["kind"], "the file is empty");
        for field in ["arch", "pc", "by_class", "state_hash", "sha256"] {
            assert!(value[field].is_null() && value.as_object().unwrap().contains_key(field), "{field}");
        }
    }
}
