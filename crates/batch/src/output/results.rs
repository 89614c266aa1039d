//! Writes a line of results: `gcnsim.batch.v1`.
//!
//! Lines are written by hand into a buffer: at 200,000 lines a second, a general serialiser would take a fifth of the
//! batch's time. The fields after `file, kernel, entry, sha256` are those of `run --json`, in the same order; a test
//! compares the two.
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

use std::ops::Range;
use std::sync::LazyLock;

use gcnsim_isa::{Arch, Kind, Note, Notes};
use gcnsim_machine::MemoryFault;

use crate::input::file::FileName;
use crate::output::json::{hex, hex_bytes, number, numbers, optional, string, string_lossy, text};
use crate::run::shard::Shard;
use gcnsim_dispatch::report::LaunchReport;
use gcnsim_engine::difference::Difference;
use gcnsim_engine::report::DetailReport;
use gcnsim_engine::{Divergence, RunStats};
use gcnsim_loader::PartId;
use gcnsim_machine::ClassCounts;
use gcnsim_machine::outcome::Detail;

/// The first bytes of every line.
pub const SCHEMA_FIELD: &str = r#"{"schema":"gcnsim.batch.v1","#;

/// One line.
pub struct Line<'a> {
    /// Shard and number of the file, in results of a shard.
    pub place: Option<(Shard, usize)>,
    /// File.
    pub file: FileName<'a>,
    /// Kernel; `None` in lines of raw files.
    pub kernel: Option<&'a str>,
    /// Offset of the kernel's code in its file, in bytes; `None` in lines of raw files.
    pub entry: Option<u64>,
    /// The part of a bundle that it comes from.
    pub part: Option<&'a PartId>,
    /// SHA-256 of the entry's bytes, or of the whole file if it cannot be run; `None` if it cannot be read.
    pub sha256: Option<&'a [u8; 32]>,
    /// Outcome.
    pub outcome: &'a str,
    /// Place and reason.
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
    /// Generation.
    pub arch: Arch,
    /// Address of the next instruction.
    pub pc: u64,
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
        text(out, r#","outcome":""#);
        text(out, self.outcome);
        text(out, r#"","detail":"#);
        self.detail.write(out);
        match self.run {
            Some(run) => {
                text(out, r#","arch":""#);
                text(out, run.arch.name());
                text(out, r#"","engine":""#);
                text(out, self.engine);
                run.write(out, times);
            }
            None => {
                text(out, r#","arch":null,"engine":""#);
                text(out, self.engine);
                text(out, r#"","pc":null,"instructions":0,"by_class":null,"regions":0"#);
                let start = out.len();
                text(out, NO_TIMES);
                times.push(start..out.len());
                text(out, r#","checks":0,"notes":[],"state_hash":null"#);
            }
        }
        if let Some(LaunchPart { name, sha256, .. }) = self.launch {
            text(out, r#","launch":"#);
            string(out, name);
            text(out, r#","launch_sha256":"#);
            optional(out, sha256, |out, &hash| hex_bytes(out, hash));
            text(out, r#","chip":null,"dispatch":null,"buffers":null"#);
        }
        if let (None, Some(chip)) = (&self.launch, self.run.and_then(|run| run.arch.chip())) {
            text(out, r#","chip":""#);
            text(out, chip);
            text(out, r#"""#);
        }
        text(out, "}\n");
    }

    /// Appends the fields after `sha256`, of a launch that ran.
    fn launch(&self, report: &LaunchReport, out: &mut Vec<u8>, times: &mut Vec<Range<usize>>) {
        // These types serialise without errors: they have string keys and nothing fallible.
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
            run.write_samples(out, times);
        }
        text(out, "}\n");
    }
}

/// The times of a line without a run.
const NO_TIMES: &str = r#","compile_ns":0,"check_ns":0,"run_ns":0"#;

const OUTSIDE_THE_CORE: [(&str, Kind); 6] = [
    (r#","valu":"#, Kind::Valu),
    (r#","smem":"#, Kind::Smem),
    (r#","vmem":"#, Kind::Vmem),
    (r#","lds":"#, Kind::Lds),
    (r#","image":"#, Kind::Image),
    (r#","export":"#, Kind::Export),
];
const NONE_OUTSIDE_THE_CORE: &str = r#","valu":0,"smem":0,"vmem":0,"lds":0,"image":0,"export":0"#;

impl LineRun<'_> {
    /// Appends the fields after the engine's name.
    fn write(&self, out: &mut Vec<u8>, times: &mut Vec<Range<usize>>) {
        text(out, r#"","pc":"#);
        hex(out, self.pc);
        text(out, r#","instructions":"#);
        number(out, self.instructions);
        for (field, kind) in [
            (r#","by_class":{"salu":"#, Kind::Salu),
            (r#","scmp":"#, Kind::Scmp),
            (r#","branch":"#, Kind::Branch),
            (r#","vcmp":"#, Kind::Vcmp),
            (r#","system":"#, Kind::System),
            (r#","other":"#, Kind::Other),
        ] {
            text(out, field);
            number(out, self.classes.get(kind));
        }
        // Scalar programs have no instructions of these classes.
        if OUTSIDE_THE_CORE.iter().all(|&(_, kind)| self.classes.get(kind) == 0) {
            text(out, NONE_OUTSIDE_THE_CORE);
        } else {
            for (field, kind) in OUTSIDE_THE_CORE {
                text(out, field);
                number(out, self.classes.get(kind));
            }
        }
        let RunStats { regions_entered, compile_ns, check_ns, run_ns, checks, .. } = self.stats;
        text(out, r#"},"regions":"#);
        number(out, regions_entered);
        let start = out.len();
        // Most shaders are too short for compiled code, so both times are 0.
        if (compile_ns, check_ns) == (0, 0) {
            text(out, r#","compile_ns":0,"check_ns":0,"run_ns":"#);
        } else {
            text(out, r#","compile_ns":"#);
            number(out, compile_ns);
            text(out, r#","check_ns":"#);
            number(out, check_ns);
            text(out, r#","run_ns":"#);
        }
        number(out, run_ns);
        times.push(start..out.len());
        text(out, r#","checks":"#);
        number(out, checks);
        text(out, r#","notes":["#);
        if !self.notes.is_empty() {
            for (i, code) in codes(self.notes).enumerate() {
                text(out, if i == 0 { "\"" } else { ",\"" });
                text(out, code);
                out.push(b'"');
            }
        }
        text(out, r#"],"state_hash":"#);
        hex_bytes(out, self.state_hash.to_be_bytes());
        self.write_samples(out, times);
    }

    fn write_samples(&self, out: &mut Vec<u8>, times: &mut Vec<Range<usize>>) {
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
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            LineDetail::None => text(out, "null"),
            LineDetail::At(detail) => {
                text(out, r#"{"kind":"#);
                string(out, detail.kind);
                text(out, r#","mnemonic":"#);
                optional(out, detail.mnemonic, string);
                text(out, r#","pc":"#);
                hex(out, detail.pc);
                text(out, r#","word":"#);
                optional(out, detail.word.map(u64::from), hex);
                text(out, r#","from":"#);
                optional(out, detail.from, hex);
                if let Some(MemoryFault { access, address, bytes, lane }) = detail.memory {
                    text(out, r#","access":"#);
                    string(out, access.name());
                    text(out, r#","address":"#);
                    hex(out, address);
                    text(out, r#","bytes":"#);
                    number(out, bytes.into());
                    if let Some(lane) = lane {
                        text(out, r#","lane":"#);
                        number(out, lane.into());
                    }
                }
                out.push(b'}');
            }
            LineDetail::Launch(report) => out.extend(serde_json::to_vec(report).unwrap_or_default()),
            LineDetail::Words(words) => {
                text(out, r#"{"kind":"#);
                string(out, words);
                text(out, r#","mnemonic":null,"pc":null,"word":null,"from":null}"#);
            }
            LineDetail::Divergence(divergence) => {
                text(out, r#"{"kind":"divergence","mnemonic":"#);
                optional(out, divergence.mnemonic, string);
                text(out, r#","pc":"#);
                hex(out, divergence.pc);
                text(out, r#","word":null,"from":null,"report":"#);
                string(out, &divergence.report);
                out.push(b'}');
            }
            LineDetail::Mismatch(differences, stopped) => {
                match stopped {
                    Some(detail) => {
                        LineDetail::At(detail).write(out);
                        out.pop();
                        out.push(b',');
                    }
                    None => text(out, r#"{"kind":"expectation","mnemonic":null,"pc":null,"word":null,"from":null,"#),
                }
                for (i, difference) in differences.iter().enumerate() {
                    text(out, if i == 0 { r#""differences":[{"field":"# } else { r#",{"field":"# });
                    string(out, &difference.field);
                    text(out, r#","expected":"#);
                    string(out, &difference.expected);
                    text(out, r#","actual":"#);
                    string(out, &difference.actual);
                    out.push(b'}');
                }
                text(out, "]}");
            }
        }
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
    // The same set, with its bits in the order of the codes.
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
    use gcnsim_machine::Access;
    use gcnsim_machine::Outcome;
    use gcnsim_machine::Wave;

    /// Returns the written line. Checks that a reader finds the same time fields in it.
    fn written(line: &Line) -> String {
        let (mut out, mut times) = (Vec::new(), Vec::new());
        line.write(&mut out, &mut times);
        let (mut known, mut found) = (Digest::default(), Digest::default());
        known.lines(1, &out, &times);
        found.line(&out, true);
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
                pc: wave.state.pc,
                instructions: wave.executed,
                classes: wave.classes,
                stats,
                notes: wave.state.notes,
                state_hash: state_hash(&wave, &wave.vgprs),
                samples: None,
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
            let sampled = LineRun { samples: Some((&[1, 2], &[3, 4])), ..run };
            let sampled = written(&Line { run: Some(&sampled), ..fields });
            assert!(sampled.ends_with(",\"samples_ns\":[1,2],\"reference_ns\":[3,4]}\n"), "{sampled}");
        }
    }

    #[test]
    fn lines_without_a_run_have_the_same_fields() {
        let line = Line {
            place: Some((Shard { number: 2, count: 8 }, 17)),
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
