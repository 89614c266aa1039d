//! The result of a run, for people and as JSON (`gcnsim.run.v1`).

pub use gcnsim_loader::plural;
use std::fmt::{self, Write as _};
use std::io;
use std::sync::OnceLock;

use gcnsim_isa::{Arch, Kind};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::difference::{BufferDifference, Difference, Mismatch};
use crate::xxh3::{Xxh3, xxh3};
use crate::{Divergence, EngineError, RunResult, RunStats};
use gcnsim_machine::ClassCounts;
use gcnsim_machine::VgprFile;
use gcnsim_machine::Wave;
use gcnsim_machine::outcome::{Detail, Outcome};

/// A number that is written as `"0x.."` in JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hex(pub u64);

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:#x}", self.0))
    }
}

/// The field `detail` of results: what stopped a run, and where.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct DetailReport {
    /// Kind of fault, or why an instruction is unsupported, or `expectation` for a mismatch of a run that nothing
    /// stopped.
    pub kind: String,
    /// Mnemonic of the instruction that stopped the run.
    pub mnemonic: Option<&'static str>,
    /// Address of that instruction.
    pub pc: Option<Hex>,
    /// First dword of that instruction.
    pub word: Option<Hex>,
    /// For `pc-out-of-range`: the last executed address.
    pub from: Option<Hex>,
    /// For `memory`: the kind of access (`load`, `store`, `atomic`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<&'static str>,
    /// For `memory`: the address of the first byte.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<Hex>,
    /// For `memory`: the number of bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u32>,
    /// For `memory`: the lane, unless the access was made by the wave as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lane: Option<u8>,
    /// For `memory`: the nearest buffer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub near: Option<NearReport>,
    /// In dispatches: the source line, if the object has line tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// In dispatches: the group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<[u32; 3]>,
    /// In dispatches: the number of the wave in the group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wave: Option<u32>,
    /// For a buffer that is not as expected: its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer: Option<String>,
    /// Index of the first wrong value in the expected list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// Index of that value in the buffer, counted in values of its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element: Option<u64>,
    /// Offset of that value in the buffer, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
    /// The place of that value in the image, if it is one: `x 3, y 0, level 1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub texel: Option<String>,
    /// The value that was expected there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// The value found there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    /// Number of wrong values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failures: Option<u64>,
    /// All buffers that are not as expected.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub buffers: Vec<BufferDifference>,
    /// For a buffer that is not as expected: the last writer of the byte. Absent if that was not looked for; null if
    /// nothing wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_by: Option<Option<Writer>>,
    /// In dispatches, for an access through a null pointer: arguments of the kernel that no launch provides.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "kind_names")]
    pub wants: Vec<gcnsim_loader::code_object::metadata::ArgKind>,
    /// In batches, for a divergence: the report for people, with many lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
    /// For a mismatch: every field that is not as expected.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
}

/// The field `written_by`: who wrote a byte of a buffer last.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Writer {
    /// The group.
    pub group: [u32; 3],
    /// Number of the wave in the group.
    pub wave: u32,
    /// The lane; `None` for scalar stores.
    pub lane: Option<u8>,
    /// The address of the instruction in the file.
    pub pc: Hex,
    /// The mnemonic of the instruction.
    pub mnemonic: Option<&'static str>,
    /// The source line of the instruction, if the object tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// The field `near` of a memory fault: the buffer nearest to the address.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NearReport {
    /// Name of the buffer.
    pub buffer: String,
    /// Number of bytes between the buffer and the address.
    pub distance: u64,
    /// Where the address lies: `before` or `after` the buffer.
    pub side: &'static str,
}

impl From<&Detail> for DetailReport {
    fn from(detail: &Detail) -> DetailReport {
        DetailReport {
            mnemonic: detail.mnemonic,
            pc: Some(Hex(detail.pc)),
            word: detail.word.map(|w| Hex(w.into())),
            from: detail.from.map(Hex),
            access: detail.memory.map(|memory| memory.access.name()),
            address: detail.memory.map(|memory| Hex(memory.address)),
            bytes: detail.memory.map(|memory| memory.bytes),
            lane: detail.memory.and_then(|memory| memory.lane),
            ..DetailReport::of_kind(detail.kind)
        }
    }
}

impl DetailReport {
    /// A detail that has only a kind.
    pub fn of_kind(kind: impl Into<String>) -> DetailReport {
        DetailReport {
            kind: kind.into(),
            mnemonic: None,
            pc: None,
            word: None,
            from: None,
            access: None,
            address: None,
            bytes: None,
            lane: None,
            near: None,
            source: None,
            group: None,
            wave: None,
            buffer: None,
            index: None,
            element: None,
            at: None,
            texel: None,
            expected: None,
            actual: None,
            failures: None,
            buffers: Vec::new(),
            written_by: None,
            wants: Vec::new(),
            report: None,
            differences: Vec::new(),
        }
    }

    /// The differences from what was expected.
    pub fn mismatch(&self) -> Mismatch<'_> {
        Mismatch { buffers: &self.buffers, fields: &self.differences }
    }

    /// Adds a field that is not as expected.
    pub fn differ(&mut self, field: &str, expected: impl fmt::Display, actual: impl fmt::Display) {
        self.differences.push(Difference::new(field, expected, actual));
    }
}

/// The names of kinds of arguments.
fn kind_names<S: Serializer>(
    kinds: &[gcnsim_loader::code_object::metadata::ArgKind],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(kinds.iter().filter_map(|kind| kind.unprovided()))
}

/// The field `by_class` of results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ByClass(pub ClassCounts);

impl Serialize for ByClass {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(Kind::ALL.len()))?;
        for kind in Kind::ALL {
            map.serialize_entry(kind.name(), &self.0.get(kind))?;
        }
        map.end()
    }
}

/// Field `observed` of results: what a synthetic run was observed to do, by class.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ObservedReport {
    /// Exports of all waves.
    pub exports: ClassReport,
    /// Bytes of memory that differ from the initial ones.
    pub stores: ClassReport,
    /// Dwords of images that differ from the initial ones.
    pub images: ClassReport,
    /// Messages of all waves.
    pub messages: ClassReport,
}

impl fmt::Display for ObservedReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |class: &ClassReport, thing: &str| {
            format!("{} {thing}{}", grouped(class.count), if class.count == 1 { "" } else { "s" })
        };
        let (exports, messages) = (number(&self.exports, "export"), number(&self.messages, "message"));
        let (stores, images) = (number(&self.stores, "byte"), number(&self.images, "dword"));
        write!(f, "{exports}, {stores} stored, {images} of images, {messages}")
    }
}

/// Observations of a class.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ClassReport {
    /// Number of observations.
    pub count: u64,
    /// Their hash: 16 hex digits.
    pub hash: String,
}

/// Types of fields in reports.
mod field {
    pub type Outcome = &'static str;
    pub type Detail = Option<super::DetailReport>;
    pub type Generation = &'static str;
    pub type Chip = Option<&'static str>;
    pub type Engine = &'static str;
    pub type Address = Option<super::Hex>;
    pub type Classes = Option<super::ByClass>;
    pub type Codes = Vec<&'static str>;
    pub type Hash = String;
    pub type Stage = Option<&'static str>;
    pub type Observed = Option<super::ObservedReport>;
}

macro_rules! run_report {
    ($($(#[doc = $doc:literal])* $([optional $is_absent:literal])? $name:ident: $T:ty,)*) => {
        /// The result of a run. The fields are those of `run --json`, in order.
        #[derive(Clone, PartialEq, Eq, Debug, Serialize)]
        pub struct RunReport {
            $($(#[doc = $doc])* $(#[serde(skip_serializing_if = $is_absent)])? pub $name: $T,)*
            /// Number of regions compiled. This is not in the JSON.
            #[serde(skip)]
            pub regions_compiled: u64,
        }

        /// The names of the fields of results, in order.
        pub const RESULT_FIELDS: &[&str] = &[$(stringify!($name)),*];
    };
}
crate::for_each_result_field!(run_report);

impl RunReport {
    /// Sets the fields on the part of the file that ran.
    pub fn set_part(&mut self, part: Option<&gcnsim_loader::PartId>) {
        self.target = part.and_then(|part| part.target().map(str::to_owned));
        self.bundle = part.map(|part| part.index);
    }

    /// The report of a run. `initial_vgprs` are the vector registers that it started with.
    pub fn new(
        arch: Arch,
        engine: &'static str,
        result: &RunResult,
        wave: &Wave,
        initial_vgprs: &VgprFile,
    ) -> RunReport {
        RunReport {
            chip: arch.chip(),
            pc: Some(Hex(wave.state.pc)),
            instructions: wave.executed,
            notes: wave.state.notes.codes(),
            state_hash: format!("{:016x}", state_hash(wave, initial_vgprs)),
            ..RunReport::of_outcome(arch.name(), engine, &result.outcome, &result.stats)
        }
    }

    /// The report of an outcome, without the results of a wave.
    pub fn of_outcome(
        arch: &'static str,
        engine: &'static str,
        outcome: &Result<Outcome, EngineError>,
        stats: &RunStats,
    ) -> RunReport {
        let (outcome, detail) = match outcome {
            Ok(outcome) => (outcome.name(), outcome.detail().map(DetailReport::from)),
            // The report of the divergence goes to stderr.
            Err(EngineError::Divergence(divergence)) => {
                let Divergence { pc, mnemonic, .. } = **divergence;
                let detail = DetailReport { pc: Some(Hex(pc)), mnemonic, ..DetailReport::of_kind("divergence") };
                ("divergence", Some(detail))
            }
            Err(EngineError::Interrupted) => (EngineError::Interrupted.name(), None),
            Err(error) => (error.name(), Some(DetailReport::of_kind(error.to_string()))),
        };
        RunReport {
            target: None,
            bundle: None,
            outcome,
            detail,
            arch,
            chip: None,
            engine,
            pc: None,
            instructions: 0,
            by_class: None,
            regions: stats.regions_entered,
            compile_ns: stats.compile_ns,
            check_ns: stats.check_ns,
            run_ns: stats.run_ns,
            checks: stats.checks,
            notes: Vec::new(),
            state_hash: String::new(),
            environment: None,
            stage: None,
            observed: None,
            regions_compiled: stats.regions_compiled,
        }
    }

    /// The report as one line of JSON.
    ///
    /// # Panics
    /// Never: the report has string keys and no fallible parts.
    pub fn to_json(&self) -> String {
        run_line(self)
    }

    /// Adds the counts by class.
    pub fn count_classes(&mut self, wave: &Wave) {
        self.by_class = Some(ByClass(wave.classes));
    }

    /// Turns the outcome into `mismatch`, because an expectation failed. The detail keeps what stopped the guest.
    pub fn set_mismatch(&mut self, differences: Vec<Difference>) {
        self.outcome = "mismatch";
        let detail = self.detail.take().unwrap_or_else(|| DetailReport::of_kind("expectation"));
        self.detail = Some(DetailReport { differences, ..detail });
    }
}

/// One JSON object on one line, which begins with `"schema": "gcnsim.<kind>.v1"`.
pub fn json_line(kind: &str, fields: &impl Serialize) -> String {
    json_line_of(&format!("gcnsim.{kind}.v1"), fields)
}

/// The result of a run as one JSON object on one line, which begins with its schema and the [version].
pub fn run_line(fields: &impl Serialize) -> String {
    #[derive(Serialize)]
    struct WithVersion<'a, T> {
        version: &'static str,
        #[serde(flatten)]
        fields: &'a T,
    }
    json_line("run", &WithVersion { version: version(), fields })
}

static VERSION: OnceLock<&'static str> = OnceLock::new();

/// Sets the [version] that results state. Only the first call of a process counts.
pub fn set_version(version: &'static str) {
    // A second version is refused.
    let _ = VERSION.set(version);
}

/// Returns the simulator's version, as results state it: `X.Y.Z (commit, date)`, or `X.Y.Z` where nobody has said more.
pub fn version() -> &'static str {
    VERSION.get().copied().unwrap_or(env!("CARGO_PKG_VERSION"))
}

/// Writes what [`json_line`] returns, and a line break, without having all of it in memory.
///
/// # Errors
/// That of `out`.
pub fn json_line_to(mut out: &mut dyn io::Write, kind: &str, fields: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut out, &WithSchema { schema: &format!("gcnsim.{kind}.v1"), fields })?;
    out.write_all(b"\n")
}

#[derive(Serialize)]
struct WithSchema<'a, T> {
    schema: &'a str,
    #[serde(flatten)]
    fields: &'a T,
}

/// One JSON object on one line, which begins with its schema.
pub fn json_line_of(schema: &str, fields: &impl Serialize) -> String {
    // Our own types serialise without errors: they have string keys and nothing that can fail.
    serde_json::to_string(&WithSchema { schema, fields }).unwrap_or_default()
}

/// XXH3-64 over the state, little-endian: sgpr\[0..128\], scc, mode, trapsts (u32), pc (u64), then each VGPR that
/// differs from its initial value (index as u32, 64 words).
pub fn state_hash(wave: &Wave, initial_vgprs: &VgprFile) -> u64 {
    let state = &wave.state;
    let mut bytes = [0u8; 4 * 131 + 8];
    // The array is separate from the rest, so that the registers are copied as a whole.
    let (words, _) = bytes.as_chunks_mut::<4>();
    let (registers, others) = words.split_at_mut(state.sgpr.len());
    registers.iter_mut().zip(&state.sgpr).for_each(|(bytes, word)| *bytes = word.to_le_bytes());
    others.iter_mut().zip([state.scc, state.mode, state.trapsts]).for_each(|(bytes, word)| *bytes = word.to_le_bytes());
    bytes[4 * 131..].copy_from_slice(&state.pc.to_le_bytes());
    if wave.vgprs.is_same(initial_vgprs) {
        return xxh3(&bytes);
    }
    let mut hash = Xxh3::new();
    hash.update(&bytes);
    for (n, (now, before)) in wave.vgprs.regs().iter().zip(initial_vgprs.regs()).enumerate() {
        if now != before {
            hash.update(&(n as u32).to_le_bytes());
            now.0.iter().for_each(|word| hash.update(&word.to_le_bytes()));
        }
    }
    hash.digest()
}

/// The part of a file in words.
pub fn part_text(target: Option<&str>, index: usize) -> String {
    match target {
        Some(target) => format!("{target} (number {index} of the file)"),
        None => format!("number {index} of the file"),
    }
}

/// Passes on the lines of times for compiling, checking and running, in nanoseconds. What took no time has no line, and
/// a speed that would be written as 0 is left out.
///
/// # Errors
/// The error of `line`.
pub fn costs(
    line: &mut impl FnMut(&str, String) -> fmt::Result,
    [compile_ns, check_ns, run_ns]: [u64; 3],
    checks: u64,
    instructions: u64,
) -> fmt::Result {
    if compile_ns > 0 {
        line("compile time", duration(compile_ns))?;
    }
    if checks > 0 {
        let what = if checks == 1 { "check" } else { "checks" };
        line("check time", format!("{}, {} {what}", duration(check_ns), grouped(checks)))?;
    }
    let speed = instructions as f64 * 1e3 / run_ns.max(1) as f64;
    match run_ns {
        0 => Ok(()),
        _ if speed < 0.05 => line("run time", duration(run_ns)),
        _ => line("run time", format!("{}, {speed:.1} million instructions/s", duration(run_ns))),
    }
}

impl fmt::Display for RunReport {
    /// The report as text, with one fact a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |name: &str, value: String| writeln!(f, "{name:<13} {value}");
        line("outcome", self.outcome_text())?;
        for difference in self.detail.iter().flat_map(|d| &d.differences) {
            line("", difference.to_string())?;
        }
        if let Some(index) = self.bundle {
            line("part", part_text(self.target.as_deref(), index))?;
        }
        let chip = self.chip.map_or(String::new(), |chip| format!(" ({chip})"));
        line("architecture", format!("{}{chip}, engine {}", self.arch, self.engine))?;
        if let Some(Hex(pc)) = self.pc {
            line("pc", format!("{pc:#x}"))?;
        }
        line("instructions", grouped(self.instructions))?;
        // What did not happen is not listed.
        if self.regions > 0 || self.regions_compiled > 0 {
            line("regions", format!("{} entered, {} compiled", grouped(self.regions), grouped(self.regions_compiled)))?;
        }
        costs(&mut line, [self.compile_ns, self.check_ns, self.run_ns], self.checks, self.instructions)?;
        if !self.notes.is_empty() {
            line("notes", self.notes.join(", "))?;
        }
        if let (Some(environment), Some(stage)) = (&self.environment, self.stage) {
            line("environment", format!("{environment}, stage {stage}"))?;
        }
        if let Some(observed) = &self.observed {
            line("observed", observed.to_string())?;
        }
        line("state hash", self.state_hash.clone())
    }
}

impl RunReport {
    fn outcome_text(&self) -> String {
        let mut text = self.outcome.to_owned();
        let Some(detail) = &self.detail else { return text };
        // Writing to a String cannot fail.
        if detail.kind != self.outcome {
            let _ = write!(text, ": {}", detail.kind);
        }
        if let Some(pc) = detail.pc {
            let _ = write!(text, " at pc {:#x}", pc.0);
        }
        if let Some(word) = detail.word {
            let _ = write!(text, ", word {:08x}", word.0);
        }
        if let Some(mnemonic) = detail.mnemonic {
            let _ = write!(text, " ({mnemonic})");
        }
        if let Some(from) = detail.from {
            let _ = write!(text, ", coming from pc {:#x}", from.0);
        }
        text
    }
}

/// The number `n` with its digits in groups of three.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The time `ns` (nanoseconds) in a suitable unit.
pub fn duration(ns: u64) -> String {
    match ns {
        0 => "0".into(),
        1..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => format!("{:.2} us", ns as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.2} ms", ns as f64 / 1e6),
        _ => format!("{:.3} s", ns as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gcnsim_isa::{Note, WaveState};

    fn wave() -> Wave {
        let mut wave = Wave::from_state(WaveState::initial(Arch::Gcn14, 0x40));
        wave.executed = 1_234_567;
        wave.state.notes.insert(Note::Setkill);
        wave.state.notes.insert(Note::CspWrap);
        wave
    }

    #[test]
    fn json_has_the_fields_in_order() {
        let wave = wave();
        let detail = Detail {
            kind: "illegal-operand",
            mnemonic: None,
            pc: 0x40,
            word: Some(0xbe80_00d1),
            from: None,
            memory: None,
        };
        let stats = RunStats { run_ns: 5, ..RunStats::default() };
        let result = RunResult { outcome: Ok(Outcome::Fault(detail)), stats };
        let report = RunReport::new(Arch::Gcn14, "interp", &result, &wave, &wave.vgprs);
        let expected = concat!(
            r#"{"schema":"gcnsim.run.v1","version":"0.1.0","#,
            r#""outcome":"fault","detail":{"kind":"illegal-operand","mnemonic":null,"#,
            r#""pc":"0x40","word":"0xbe8000d1","from":null},"arch":"gcn1.4","engine":"interp","pc":"0x40","#,
            r#""instructions":1234567,"by_class":null,"regions":0,"compile_ns":0,"check_ns":0,"run_ns":5,"checks":0,"#,
            r#""notes":["csp-wrap","setkill"],"state_hash":""#,
        );
        assert!(report.to_json().starts_with(expected), "{}", report.to_json());
    }

    #[test]
    fn failures_of_ours_have_an_outcome_too() {
        let wave = wave();
        let divergence = Divergence { pc: 0x44, mnemonic: Some("s_add_u32"), report: "many\nlines".into() };
        let error = EngineError::Divergence(Box::new(divergence));
        let result = RunResult { outcome: Err(error), stats: RunStats::default() };
        let report = RunReport::new(Arch::Gcn14, "check", &result, &wave, &wave.vgprs);
        assert_eq!(report.outcome, "divergence");
        let text = report.to_string();
        assert!(text.starts_with("outcome       divergence at pc 0x44 (s_add_u32)\narchitecture"), "{text}");
        let detail = r#""detail":{"kind":"divergence","mnemonic":"s_add_u32","pc":"0x44","word":null,"from":null}"#;
        assert!(report.to_json().contains(detail), "{}", report.to_json());
    }

    #[test]
    fn hash_covers_the_documented_bytes() {
        let mut wave = wave();
        let initial = wave.vgprs.clone();
        let mut bytes: Vec<u8> = wave.state.sgpr.iter().flat_map(|w| w.to_le_bytes()).collect();
        for word in [0, 0x3f0, 0, 0x40, 0u32] {
            bytes.extend(word.to_le_bytes());
        }
        assert_eq!(state_hash(&wave, &initial), xxhash_rust::xxh3::xxh3_64(&bytes));
        wave.vgprs.lanes_mut(7)[1] = 0x0102_0304;
        bytes.extend([7, 0, 0, 0, 0, 0, 0, 0, 4, 3, 2, 1]);
        bytes.resize(bytes.len() + 4 * 62, 0);
        assert_eq!(state_hash(&wave, &initial), xxhash_rust::xxh3::xxh3_64(&bytes));
    }

    #[test]
    fn numbers_for_people() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([12, 1_500, 2_500_000, 3_000_000_000].map(duration), ["12 ns", "1.50 us", "2.50 ms", "3.000 s"]);
    }
}
