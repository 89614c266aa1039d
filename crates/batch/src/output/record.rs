//! Reads lines of results back.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::Path;

use gcnsim_isa::{Kind, Note, Notes};
use serde::de::{self, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::output::end::{ClosingRecord, Digest, END_SCHEMA, End};
use crate::output::outcome::EntryOutcome;
use crate::output::summary::{self, Order};
use gcnsim_engine::difference::{BufferDifference, Difference, Mismatch};
use gcnsim_inputs::arch::ArchSource;
use gcnsim_inputs::entry_hash::{EntryHash, world_hash};
use gcnsim_inputs::name::{EntryName, PartName};

/// The schema that this version writes and reads.
pub const SCHEMA: &str = "gcnsim.batch.v1";

/// Most bytes of a line that is read. The longest lines that a batch writes have the report of a divergence, some
/// hundred lines of text.
pub(crate) const MAX_LINE: u64 = 64 << 20;

/// Types of the fields that are read.
mod field {
    pub type Outcome = super::EntryOutcome;
    pub type Detail = Option<super::RecordDetail>;
    pub type Generation = Option<String>;
    pub type Chip = Option<String>;
    pub type Engine = String;
    pub type Address = Option<String>;
    pub type Classes = Option<super::Classes>;
    pub type Codes = Vec<String>;
    pub type Hash = Option<String>;
    pub type Stage = Option<String>;
    pub type Observed = Option<super::RecordObserved>;
}

macro_rules! record {
    ($($(#[doc = $doc:literal])* $([optional $is_absent:literal])? $name:ident: $T:ty,)*) => {
        /// A line of results. Unknown fields are ignored. Addresses and hashes are as written.
        #[derive(Clone, PartialEq, Debug, Deserialize)]
        pub struct Record {
            /// The shard as `I/N`, in results of a shard.
            pub shard: Option<String>,
            /// Number of the file in the unsharded batch, in results of a shard.
            pub index: Option<usize>,
            /// Name of the file.
            pub file: String,
            /// Name of the kernel.
            pub kernel: Option<String>,
            /// Offset of the kernel's code, as written.
            pub entry: Option<String>,
            /// SHA-256 of the entry's bytes.
            #[serde(deserialize_with = "sha256")]
            pub sha256: Option<[u8; 32]>,
            /// Whether another part of the file has the same target id. Only [`read_all`] finds that out.
            #[serde(skip)]
            pub is_repeated: bool,
            $($(#[doc = $doc])* pub $name: $T,)*
            /// Number of findings of the linter, if it ran.
            pub lint: Option<u64>,
            /// Samples of `run_ns`.
            #[serde(default)]
            pub samples_ns: Vec<u64>,
            /// Time of the reference work that was measured beside each sample.
            #[serde(default)]
            pub reference_ns: Vec<u64>,
            /// Name of the launch, in lines of dispatches.
            pub launch: Option<String>,
            /// SHA-256 of the launch and its inputs.
            #[serde(default, deserialize_with = "sha256")]
            pub launch_sha256: Option<[u8; 32]>,
            /// Whether the launch stopped as its file expects.
            #[serde(default)]
            pub expected: bool,
            /// Buffers after the launch, by name.
            pub buffers: Option<BTreeMap<String, RecordBuffer>>,
            /// Images after the launch, by name.
            pub images: Option<BTreeMap<String, RecordBuffer>>,
        }
    };
}
gcnsim_engine::for_each_result_field!(record);

/// One of the `buffers` or `images` of a line.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
pub struct RecordBuffer {
    /// Size in bytes.
    pub bytes: u64,
    /// Hash of the contents, as written.
    pub hash: String,
}

/// The field `observed` of a line.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct RecordObserved {
    /// The exports.
    pub exports: RecordClass,
    /// The bytes stored to memory.
    pub stores: RecordClass,
    /// The dwords stored to images.
    pub images: RecordClass,
    /// The messages.
    pub messages: RecordClass,
}

/// The observations of a class.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct RecordClass {
    /// Number of observations.
    pub count: u64,
    /// Hash of the observations, as written.
    pub hash: String,
}

impl RecordObserved {
    /// Returns the classes with their names.
    pub fn classes(&self) -> [(&'static str, &RecordClass); 4] {
        let RecordObserved { exports, stores, images, messages } = self;
        [("exports", exports), ("stores", stores), ("images", images), ("messages", messages)]
    }
}

/// The field `detail` of a line.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct RecordDetail {
    /// Kind of fault, or a reason in words.
    pub kind: String,
    /// Mnemonic of the instruction that stopped the entry.
    pub mnemonic: Option<String>,
    /// Address of that instruction.
    pub pc: Option<String>,
    /// First dword of that instruction.
    pub word: Option<String>,
    /// Address of the last executed instruction.
    pub from: Option<String>,
    /// The fields that are not as expected.
    #[serde(default)]
    pub differences: Vec<Difference>,
    /// The buffers of a launch that are not as expected.
    #[serde(default)]
    pub buffers: Vec<BufferDifference>,
}

impl RecordDetail {
    /// Returns the differences from what was expected, or `None` if there are none.
    pub fn mismatch(&self) -> Option<Mismatch<'_>> {
        let mismatch = Mismatch { buffers: &self.buffers, fields: &self.differences };
        (!mismatch.fields.is_empty()).then_some(mismatch)
    }

    /// Returns in one line why the entry did not end.
    pub fn reason(&self) -> String {
        match self.mismatch() {
            Some(mismatch) => mismatch.to_string(),
            None => self.kind.lines().next().unwrap_or_default().to_owned(),
        }
    }
}

/// The field `by_class` of a line; the index is a [`Kind`].
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Classes(pub [u64; Kind::ALL.len()]);

impl<'de> Deserialize<'de> for Classes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Classes, D::Error> {
        deserializer.deserialize_map(ClassesVisitor)
    }
}

struct ClassesVisitor;

impl<'de> Visitor<'de> for ClassesVisitor {
    type Value = Classes;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("numbers of instructions by class")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Classes, A::Error> {
        #[derive(Deserialize)]
        struct Name<'a>(#[serde(borrow)] Cow<'a, str>);
        let mut found = [None; Kind::ALL.len()];
        while let Some(Name(name)) = map.next_key()? {
            match Kind::ALL.into_iter().find(|kind| kind.name() == name) {
                Some(kind) => found[kind as usize] = Some(map.next_value()?),
                None => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        // Older files lack the classes outside the scalar core, so these may be absent.
        let core = &Kind::ALL[..=Kind::Other as usize];
        match core.iter().find(|&&kind| found[kind as usize].is_none()) {
            Some(kind) => Err(de::Error::missing_field(kind.name())),
            None => Ok(Classes(found.map(Option::unwrap_or_default))),
        }
    }
}

/// A line that is not a line of results. The place is the caller's to say.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LineError {
    /// The line is no JSON, or lacks a field. The error has the column.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The line is of another schema.
    #[error("schema {schema}: this version reads {SCHEMA}")]
    Schema {
        /// Its schema.
        schema: String,
    },
    /// The line states no schema.
    #[error("no schema: not a line of batch results")]
    NoSchema,
}

/// Error of reading results.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResultsError {
    /// The operating system reports an error.
    #[error("cannot read: {}", gcnsim_loader::describe(.0))]
    Read(io::Error),
    /// A line is not a line of results.
    #[error("line {line}: {what}")]
    Line {
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
}

impl From<io::Error> for ResultsError {
    fn from(error: io::Error) -> ResultsError {
        ResultsError::Read(error)
    }
}

impl Record {
    /// Reads a line.
    ///
    /// # Errors
    /// [`LineError`]: what is wrong with the line.
    pub fn parse(line: &str) -> Result<Record, LineError> {
        match Line::parse(line)? {
            Line::Result(record) => Ok(*record),
            Line::End(_) => Err(other_schema(END_SCHEMA)),
            Line::Other(schema) => Err(other_schema(&schema)),
        }
    }

    /// Returns the name of the entry: file, part, kernel and launch.
    pub fn name(&self) -> EntryName {
        EntryName::in_part(&self.file, self.part(), self.kernel.as_deref(), self.launch())
    }

    /// Returns the name of the launch, or the name of the world of a synthetic run without its version.
    pub(crate) fn launch(&self) -> Option<&str> {
        let world = || self.environment.as_deref().map(|world| world.split('.').next().unwrap_or(world));
        self.launch.as_deref().or_else(world)
    }

    /// Returns the target id of the entry's part; empty if it comes from no bundle.
    pub(crate) fn target(&self) -> &str {
        self.target.as_deref().unwrap_or_default()
    }

    fn part(&self) -> Option<PartName<'_>> {
        let index = self.bundle?;
        let target = self.target();
        // Without a target id, only the index tells a part from others.
        Some(PartName { target, index: (target.is_empty() || self.is_repeated).then_some(index) })
    }

    /// Returns the hash of the entry's contents, if the file could be read.
    pub fn hash(&self) -> Option<EntryHash> {
        let world = self.environment.as_ref().and_then(|_| self.launch()).map(world_hash);
        self.sha256.map(|code| EntryHash { code, launch: self.launch_sha256.or(world) })
    }

    /// Returns the part of the record that the summary needs.
    pub fn to_entry(&self, order: Order) -> summary::Entry<'_> {
        summary::Entry {
            order,
            file: self.file.as_str().into(),
            kernel: self.kernel.as_deref(),
            part: self.part(),
            launch: self.launch(),
            hash: self.hash(),
            outcome: self.outcome,
            is_expected: self.expected,
            detail: self.detail.as_ref().map(|detail| detail.kind.as_str()),
            mismatch: self.detail.as_ref().and_then(RecordDetail::mismatch),
            mnemonic: self.detail.as_ref().and_then(|detail| detail.mnemonic.as_deref()),
            arch: self.chip.as_ref().and_then(|chip| chip.parse().ok()).or_else(|| self.arch.as_ref()?.parse().ok()),
            // Lines do not state the source of the generation, so the summary counts no guesses.
            arch_source: ArchSource::Own,
            instructions: self.instructions,
            run_ns: self.run_ns,
            compile_ns: self.compile_ns,
            check_ns: self.check_ns,
            notes: self.note_set(),
        }
    }

    /// Returns the notes of the line that this version knows.
    fn note_set(&self) -> Notes {
        let mut notes = Notes::NONE;
        for &note in Note::ALL.iter().filter(|note| self.notes.iter().any(|code| code == note.code())) {
            notes.insert(note);
        }
        notes
    }
}

/// The first bytes of every line.
pub const BEGINNING: &[u8] = br#"{"schema":"gcnsim."#;

/// A line of a file of results.
pub(crate) enum Line {
    Result(Box<Record>),
    End(ClosingRecord),
    /// A line of another schema, with its name.
    Other(String),
}

fn other_schema(schema: &str) -> LineError {
    LineError::Schema { schema: schema.to_owned() }
}

impl Line {
    pub(crate) fn parse(line: &str) -> Result<Line, LineError> {
        #[derive(Deserialize)]
        struct Schema {
            schema: Option<String>,
        }
        match serde_json::from_str(line) {
            Ok(record) if line.starts_with(crate::output::results::SCHEMA_FIELD) => Ok(Line::Result(Box::new(record))),
            parsed => match serde_json::from_str::<Schema>(line)?.schema {
                Some(schema) if schema == SCHEMA => Ok(Line::Result(Box::new(parsed?))),
                Some(schema) if schema == END_SCHEMA => Ok(Line::End(serde_json::from_str(line)?)),
                Some(schema) => Ok(Line::Other(schema)),
                None => Err(LineError::NoSchema),
            },
        }
    }
}

/// A line of results and its place in the file.
pub struct Located {
    /// The content of the line.
    pub record: Record,
    /// Offset after the line break, in bytes.
    pub end: u64,
}

/// Iterator over the lines of results. Lines of other schemas are skipped; the closing record is kept for
/// [`end`](Records::end). After an error it ends.
pub struct Records<R> {
    reader: R,
    buffer: Vec<u8>,
    line: usize,
    offset: u64,
    done: bool,
    digest: Digest,
    closing: Option<ClosingRecord>,
    /// Words that say how the lines differ from the closing record.
    wrong: Option<String>,
    /// Number and schema of the first line that was skipped.
    other: Option<(usize, String)>,
}

/// Opens a file of results.
///
/// # Errors
/// [`ResultsError::Read`].
pub fn open(path: &Path) -> Result<Records<BufReader<File>>, ResultsError> {
    if path.is_dir() {
        return Err(ResultsError::Read(io::ErrorKind::IsADirectory.into()));
    }
    Ok(Records::new(BufReader::with_capacity(1 << 18, File::open(path)?)))
}

/// The contents of a file of results.
#[derive(Clone, Debug)]
pub struct Results {
    /// Its lines.
    pub records: Vec<Record>,
    /// Whether the file is complete.
    pub end: End,
}

/// Reads a whole file of results.
///
/// # Errors
/// The first line that is wrong. A last line that is cut short is left out without an error.
pub fn read_all(path: &Path) -> Result<Results, ResultsError> {
    let mut lines = open(path)?;
    let records = lines.by_ref().map(|located| located.map(|located| located.record));
    let mut records = records.collect::<Result<Vec<_>, _>>()?;
    mark_repeated_parts(&mut records);
    Ok(Results { records, end: lines.end() })
}

/// Sets [`is_repeated`](Record::is_repeated) in the records of each part whose target id another part of the file has.
fn mark_repeated_parts(records: &mut [Record]) {
    for of_file in records.chunk_by_mut(|a, b| a.bundle.is_some() && b.bundle.is_some() && a.file == b.file) {
        let mut indices: HashMap<String, HashSet<usize>> = HashMap::new();
        for record in of_file.iter() {
            if let Some(index) = record.bundle {
                indices.entry(record.target().to_owned()).or_default().insert(index);
            }
        }
        for record in of_file {
            record.is_repeated = indices.get(record.target()).is_some_and(|indices| indices.len() > 1);
        }
    }
}

impl<R: BufRead> Records<R> {
    /// Returns the lines that `reader` gives.
    pub fn new(reader: R) -> Records<R> {
        Records {
            reader,
            buffer: Vec::new(),
            line: 0,
            offset: 0,
            done: false,
            digest: Digest::default(),
            closing: None,
            wrong: None,
            other: None,
        }
    }

    /// Returns the digest of all lines read so far.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// Returns the end of the file. All lines must have been read.
    pub fn end(&self) -> End {
        match (&self.wrong, &self.closing) {
            (Some(what), _) => End::Wrong(what.clone()),
            (None, Some(closing)) => End::Complete(closing.clone()),
            (None, None) => End::Missing,
        }
    }

    fn read(&mut self) -> Result<Option<Located>, ResultsError> {
        loop {
            self.buffer.clear();
            let length = (&mut self.reader).take(MAX_LINE + 1).read_until(b'\n', &mut self.buffer)?;
            if length == 0 {
                return self.at_end().map(|()| None);
            }
            self.line += 1;
            let line = self.line;
            let wrong = |what| ResultsError::Line { line, what };
            if length as u64 > MAX_LINE {
                return Err(wrong(format!("longer than {MAX_LINE} bytes")));
            }
            if self.closing.is_some() && self.wrong.is_none() {
                self.wrong = Some("there are lines behind its closing record".into());
            }
            self.offset += length as u64;
            if self.buffer.last() != Some(&b'\n') {
                let begins_well = self.buffer.starts_with(BEGINNING) || BEGINNING.starts_with(&self.buffer);
                // The last line is cut short because the batch was killed. The lines before it are good.
                return match begins_well {
                    true => self.at_end().map(|()| None),
                    false => Err(wrong("not a line of batch results".into())),
                };
            }
            let text = std::str::from_utf8(&self.buffer).map_err(|error| wrong(error.to_string()))?;
            match Line::parse(text.trim_end()).map_err(|error| wrong(error.to_string()))? {
                Line::Result(record) => {
                    self.digest.add_entry(&self.buffer);
                    return Ok(Some(Located { record: *record, end: self.offset }));
                }
                Line::End(closing) => {
                    self.wrong = self.wrong.take().or(self.digest.check(&closing).err());
                    self.closing = Some(closing);
                }
                Line::Other(schema) => {
                    self.digest.add_other(&self.buffer);
                    self.other.get_or_insert((line, schema));
                }
            }
        }
    }

    /// Fails if the file has lines, but none of a known schema: then it is not a file of results.
    fn at_end(&self) -> Result<(), ResultsError> {
        match &self.other {
            Some((line, schema)) if self.digest.entries == 0 => {
                Err(ResultsError::Line { line: *line, what: other_schema(schema).to_string() })
            }
            _ => Ok(()),
        }
    }
}

impl<R: BufRead> Iterator for Records<R> {
    type Item = Result<Located, ResultsError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let next = self.read().transpose();
        self.done = !matches!(next, Some(Ok(_)));
        next
    }
}

fn sha256<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<[u8; 32]>, D::Error> {
    let Some(text) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
    gcnsim_inputs::unhex(&text).map(Some).ok_or_else(|| de::Error::custom(format!("'{text}' is no SHA-256")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = concat!(
        r#"{"schema":"gcnsim.batch.v1","file":"a","kernel":null,"entry":null,"sha256":null,"outcome":"ended","#,
        r#""detail":null,"arch":"gcn1.4","engine":"jit","pc":"0x0","instructions":3,"by_class":{"salu":2,"scmp":0,"#,
        r#""branch":0,"vcmp":0,"system":1,"other":0},"regions":0,"compile_ns":0,"check_ns":0,"run_ns":5,"checks":0,"#,
        r#""notes":["setkill"],"state_hash":"00"}"#,
    );

    #[test]
    fn lines_are_read() {
        let record = Record::parse(LINE).unwrap();
        assert_eq!((record.outcome, record.instructions), (EntryOutcome::Ended, 3));
        assert_eq!(record.by_class.unwrap().0, [2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
        let newer =
            LINE.replace(r#""other":0"#, r#""other":0,"valu":3,"smem":4,"vmem":5,"lds":6,"image":7,"export":8"#);
        assert_eq!(Record::parse(&newer).unwrap().by_class.unwrap().0, [2, 0, 0, 0, 1, 0, 3, 4, 5, 6, 7, 8]);
        assert!(record.to_entry((0, 0)).notes.contains(Note::Setkill));
    }

    #[test]
    fn other_versions_are_named() {
        for (from, to, message) in [
            ("batch.v1", "batch.v2", "schema gcnsim.batch.v2: this version reads gcnsim.batch.v1"),
            ("\"schema\"", "\"skema\"", "no schema"),
            ("ended", "done", "unknown outcome 'done'"),
            ("\"run_ns\":5,", "", "missing field `run_ns`"),
        ] {
            let error = Record::parse(&LINE.replace(from, to)).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
        assert!(Record::parse("{").is_err());
    }

    fn read(text: &str) -> (usize, Result<End, String>) {
        let mut records = Records::new(text.as_bytes());
        let lines: Result<Vec<_>, _> = records.by_ref().collect();
        assert!(records.next().is_none());
        match lines {
            Ok(lines) => (lines.len(), Ok(records.end())),
            Err(error) => (0, Err(error.to_string())),
        }
    }

    #[test]
    fn a_torn_line_is_told_from_a_wrong_one() {
        assert_eq!(read(&format!("{LINE}\n{}", &LINE[..100])), (1, Ok(End::Missing)));
        assert_eq!(read(&format!("{LINE}\n")), (1, Ok(End::Missing)));
        assert_eq!(read(""), (0, Ok(End::Missing)));
        assert_eq!(read(&format!("{LINE}\n{{\"sch")), (1, Ok(End::Missing)));
        assert!(read("torn").1.unwrap_err().starts_with("line 1: not a line of"));
        assert!(read("{}\n").1.unwrap_err().starts_with("line 1: no schema"));
        assert!(read(&format!("{LINE}\n{{\n")).1.unwrap_err().starts_with("line 2: "));
    }

    #[test]
    fn the_closing_record_is_held_against_the_lines() {
        let other = "{\"schema\":\"gcnsim.later.v1\",\"x\":1}\n";
        let text = format!("{LINE}\n{other}{LINE}\n");
        let mut digest = Digest::default();
        digest.add_entry(format!("{LINE}\n").as_bytes());
        digest.add_other(other.as_bytes());
        digest.add_entry(format!("{}\n", LINE.replace("\"run_ns\":5", "\"run_ns\":77")).as_bytes());
        let record = digest.record(None);
        let closing = record.line();
        assert_eq!(read(&format!("{text}{closing}")), (2, Ok(End::Complete(record))));
        let is_wrong = |text: String, what: &str| match read(&text) {
            (_, Ok(End::Wrong(why))) => assert!(why.contains(what), "{why}"),
            found => panic!("{found:?}"),
        };
        is_wrong(format!("{LINE}\n{closing}"), "1 results, but its closing record speaks of 2");
        is_wrong(format!("{LINE}\n{LINE}\n{closing}"), "digest");
        is_wrong(format!("{text}{closing}").replacen("\"instructions\":3", "\"instructions\":4", 1), "digest");
        is_wrong(format!("{text}{closing}{LINE}\n"), "behind its closing record");
        is_wrong(format!("{text}{closing}{}", &LINE[..50]), "behind its closing record");
        is_wrong(format!("{text}{closing}{closing}"), "behind its closing record");
        // A file with only lines of other programs, or of a later version, is refused.
        let error = read(&text.replace("batch.v1", "batch.v7")).1.unwrap_err();
        assert_eq!(error, "line 1: schema gcnsim.batch.v7: this version reads gcnsim.batch.v1");
    }
}
