//! Reading results back.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::Path;

use gcnsim_isa::{Kind, Note, Notes};
use serde::{Deserialize, Deserializer, de};

use super::outcome::EntryOutcome;
use super::summary::{self, Order};

/// The schema that this version writes and reads.
pub const SCHEMA: &str = "gcnsim.batch.v1";

/// Longest line that is read; the longest written ones hold the report of a divergence, some hundred lines of text.
pub(super) const MAX_LINE: u64 = 64 << 20;

/// A line of results. Unknown fields are ignored.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Record {
    /// Shard, in results of one.
    #[serde(default)]
    pub shard: Option<String>,
    /// Number of the file in the unsharded batch, in results of a shard.
    #[serde(default)]
    pub index: Option<usize>,
    /// File.
    pub file: String,
    /// Kernel.
    pub kernel: Option<String>,
    /// Offset of the kernel's code, as written.
    pub entry: Option<String>,
    /// Hash of the entry's bytes.
    #[serde(deserialize_with = "sha256")]
    pub sha256: Option<[u8; 32]>,
    /// How it ended.
    #[serde(deserialize_with = "outcome")]
    pub outcome: EntryOutcome,
    /// Where and why.
    pub detail: Option<RecordDetail>,
    /// Generation.
    pub arch: Option<String>,
    /// Engine asked for.
    pub engine: String,
    /// Next instruction, as written.
    pub pc: Option<String>,
    /// Completed instructions.
    pub instructions: u64,
    /// The same by class.
    pub by_class: Option<Classes>,
    /// Regions entered.
    pub regions: u64,
    /// Compiling.
    pub compile_ns: u64,
    /// Checking.
    pub check_ns: u64,
    /// Execution; the median, if there are samples.
    pub run_ns: u64,
    /// Slices checked.
    pub checks: u64,
    /// Fidelity notes.
    pub notes: Vec<String>,
    /// Hash of the final state, as written.
    pub state_hash: Option<String>,
    /// Samples of `run_ns`.
    #[serde(default)]
    pub samples_ns: Vec<u64>,
    /// Time of the reference work beside each sample.
    #[serde(default)]
    pub reference_ns: Vec<u64>,
}

/// `detail` of a line.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct RecordDetail {
    /// Kind of fault, or a reason in words.
    pub kind: String,
    /// The instruction there.
    pub mnemonic: Option<String>,
    /// Its address.
    pub pc: Option<String>,
    /// Its first dword.
    pub word: Option<String>,
    /// The last executed address.
    pub from: Option<String>,
    /// What is not as expected.
    #[serde(default)]
    pub differences: Vec<RecordDifference>,
}

/// One field that is not as a sidecar expects.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct RecordDifference {
    /// Name of the field.
    pub field: String,
    /// Value expected.
    pub expected: String,
    /// Value found.
    pub actual: String,
}

/// `by_class` of a line; index with [`Kind`].
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Classes(pub [u64; Kind::ALL.len()]);

impl<'de> Deserialize<'de> for Classes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Classes, D::Error> {
        // Those outside the core are missing in older files.
        #[derive(Deserialize)]
        struct Named {
            salu: u64,
            scmp: u64,
            branch: u64,
            vcmp: u64,
            system: u64,
            other: u64,
            #[serde(default)]
            valu: u64,
            #[serde(default)]
            smem: u64,
            #[serde(default)]
            vmem: u64,
            #[serde(default)]
            lds: u64,
            #[serde(default)]
            image: u64,
            #[serde(default)]
            export: u64,
        }
        let n = Named::deserialize(deserializer)?;
        Ok(Classes(Kind::ALL.map(|kind| match kind {
            Kind::Salu => n.salu,
            Kind::Scmp => n.scmp,
            Kind::Branch => n.branch,
            Kind::Vcmp => n.vcmp,
            Kind::System => n.system,
            Kind::Other => n.other,
            Kind::Valu => n.valu,
            Kind::Smem => n.smem,
            Kind::Vmem => n.vmem,
            Kind::Lds => n.lds,
            Kind::Image => n.image,
            Kind::Export => n.export,
        })))
    }
}

/// Why results cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The operating system refused.
    #[error("cannot read: {}", crate::loader::describe(.0))]
    Read(io::Error),
    /// A line is no result.
    #[error("line {line}: {what}")]
    Line {
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// The last line is cut short: the batch that wrote it was killed.
    #[error("line {line} is cut short: the batch was killed; finish it with --resume")]
    Torn {
        /// Number of the line, from 1.
        line: usize,
    },
}

impl From<io::Error> for RecordError {
    fn from(error: io::Error) -> RecordError {
        RecordError::Read(error)
    }
}

impl Record {
    /// Reads a line.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(line: &str) -> Result<Record, String> {
        #[derive(Deserialize)]
        struct Schema {
            schema: Option<String>,
        }
        match serde_json::from_str(line) {
            Ok(record) if line.starts_with(super::results::SCHEMA_FIELD) => Ok(record),
            parsed => {
                let stated = serde_json::from_str::<Schema>(line).map_err(|error| error.to_string())?;
                match stated.schema.as_deref() {
                    Some(SCHEMA) => parsed.map_err(|error| error.to_string()),
                    Some(other) => Err(format!("schema {other}: this version reads {SCHEMA}")),
                    None => Err("no schema: not a line of batch results".into()),
                }
            }
        }
    }

    /// File, and kernel if there is one.
    pub fn name(&self) -> String {
        match &self.kernel {
            Some(kernel) => format!("{}: {kernel}", self.file),
            None => self.file.clone(),
        }
    }

    /// What the summary needs.
    pub fn to_entry(&self, order: Order) -> summary::Entry<'_> {
        summary::Entry {
            order,
            file: self.file.as_str().into(),
            kernel: self.kernel.as_deref(),
            sha256: self.sha256.as_ref(),
            outcome: self.outcome,
            detail: self.detail.as_ref().map(|detail| detail.kind.as_str()),
            mnemonic: self.detail.as_ref().and_then(|detail| detail.mnemonic.as_deref()),
            instructions: self.instructions,
            run_ns: self.run_ns,
            compile_ns: self.compile_ns,
            check_ns: self.check_ns,
            notes: self.note_set(),
        }
    }

    /// The notes that this version knows.
    fn note_set(&self) -> Notes {
        let mut notes = Notes::NONE;
        for &note in Note::ALL.iter().filter(|note| self.notes.iter().any(|code| code == note.code())) {
            notes.insert(note);
        }
        notes
    }
}

/// A line, and where it lies in its file.
pub struct Located {
    /// What it says.
    pub record: Record,
    /// Offset of its first byte.
    pub start: u64,
    /// Offset behind its line break.
    pub end: u64,
}

/// Reads results line by line. After an error there is nothing more.
pub struct Records<R> {
    reader: R,
    buffer: Vec<u8>,
    line: usize,
    offset: u64,
    done: bool,
}

/// Opens a file of results.
///
/// # Errors
/// [`RecordError::Read`].
pub fn open(path: &Path) -> Result<Records<BufReader<File>>, RecordError> {
    if path.is_dir() {
        return Err(RecordError::Read(io::ErrorKind::IsADirectory.into()));
    }
    Ok(Records::new(BufReader::with_capacity(1 << 18, File::open(path)?)))
}

/// Reads a whole file of results.
///
/// # Errors
/// The first line that is wrong.
pub fn read_all(path: &Path) -> Result<Vec<Record>, RecordError> {
    open(path)?.map(|located| located.map(|located| located.record)).collect()
}

impl<R: BufRead> Records<R> {
    /// Reads from anything.
    pub fn new(reader: R) -> Records<R> {
        Records { reader, buffer: Vec::new(), line: 0, offset: 0, done: false }
    }

    fn read(&mut self) -> Result<Option<Located>, RecordError> {
        self.buffer.clear();
        let length = (&mut self.reader).take(MAX_LINE + 1).read_until(b'\n', &mut self.buffer)?;
        if length == 0 {
            return Ok(None);
        }
        self.line += 1;
        let line = self.line;
        if length as u64 > MAX_LINE {
            return Err(RecordError::Line { line, what: format!("longer than {MAX_LINE} bytes") });
        }
        let start = self.offset;
        self.offset += length as u64;
        if self.buffer.last() != Some(&b'\n') {
            return Err(RecordError::Torn { line });
        }
        let text =
            std::str::from_utf8(&self.buffer).map_err(|error| RecordError::Line { line, what: error.to_string() })?;
        let record = Record::parse(text.trim_end()).map_err(|what| RecordError::Line { line, what })?;
        Ok(Some(Located { record, start, end: self.offset }))
    }
}

impl<R: BufRead> Iterator for Records<R> {
    type Item = Result<Located, RecordError>;

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
    super::unhex(&text).map(Some).ok_or_else(|| de::Error::custom(format!("'{text}' is no SHA-256")))
}

fn outcome<'de, D: Deserializer<'de>>(deserializer: D) -> Result<EntryOutcome, D::Error> {
    let name = String::deserialize(deserializer)?;
    EntryOutcome::from_name(&name).ok_or_else(|| de::Error::custom(format!("unknown outcome '{name}'")))
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
            let error = Record::parse(&LINE.replace(from, to)).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
        assert!(Record::parse("{").is_err());
    }

    #[test]
    fn a_torn_line_is_told_from_a_wrong_one() {
        let text = format!("{LINE}\n{}", &LINE[..100]);
        let mut records = Records::new(text.as_bytes());
        assert_eq!(records.next().unwrap().unwrap().end, LINE.len() as u64 + 1);
        assert!(matches!(records.next(), Some(Err(RecordError::Torn { line: 2 }))));
        assert!(records.next().is_none());
        let mut records = Records::new("{}\n".as_bytes());
        assert!(matches!(records.next(), Some(Err(RecordError::Line { line: 1, .. }))));
    }
}
