//! Going on with a batch that was stopped or killed: what of its output stays, and where to begin.
//!
//! Every line that stays must be one that this batch would have written: same file, same contents (of raw files, which are read
//! once more), same engine, generation and budget. What a sidecar says of the state is not in a line, and is not compared.
//!
//! The output of a batch is always a beginning of the whole output, perhaps with a line that is cut short. It is matched
//! against the list of inputs, file by file. What is dropped and run again: a line that is cut short, everything from the first
//! interrupted entry on, and the last file if it holds kernels, since nobody can say whether there are more of them.

use std::path::Path;

use super::inputs::{Content, Inputs};
use super::ledger::Ledger;
use super::outcome::EntryOutcome;
use super::reader::FileReader;
use super::record::{self, Record, RecordError};
use super::summary::Summary;
use super::worker::{HASH_LIMIT, hash};
use super::{DEFAULT_BUDGET, Options};
use crate::loader::DEFAULT_ARCH;

/// What to keep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kept {
    /// Bytes of the output that stay.
    pub bytes: u64,
    /// Lines that stay.
    pub lines: u64,
    /// First file to run.
    pub start: usize,
}

/// Why a batch cannot be continued.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    /// The output cannot be read.
    #[error(transparent)]
    Read(#[from] RecordError),
    /// The output is of another batch.
    #[error("line {line} is not of this batch: {what}")]
    OtherBatch {
        /// Number of the line, from 1.
        line: u64,
        /// What is different.
        what: String,
    },
}

/// Finds out what of an output can stay. An output that does not exist keeps nothing.
///
/// # Errors
/// [`ResumeError`] if it cannot be read or is of another batch.
pub fn plan(path: &Path, inputs: &Inputs, options: &Options) -> Result<Kept, ResumeError> {
    let mut kept = Kept { bytes: 0, lines: 0, start: 0 };
    if !path.exists() {
        return Ok(kept);
    }
    let mut group: Option<Group> = None;
    let mut reader = FileReader::new(false, false);
    let mut line = 0;
    for located in record::open(path)? {
        let located = match located {
            Ok(located) => located,
            Err(RecordError::Torn { .. }) => break,
            Err(error) => return Err(error.into()),
        };
        line += 1;
        if located.record.outcome == EntryOutcome::Interrupted {
            break;
        }
        let other = |what| ResumeError::OtherBatch { line, what };
        check_settings(&located.record, options).map_err(other)?;
        let file = file_of(&located.record, group.as_ref(), inputs, options).map_err(other)?;
        check_entry(&located.record, file, inputs, options, &mut reader).map_err(other)?;
        let is_new = group.as_ref().is_none_or(|group| group.file != file);
        if is_new {
            // All files before this one are complete.
            kept = Kept { bytes: located.start, lines: line - 1, start: file };
            group = Some(Group { file, first: located.record.clone() });
        }
        if located.record.kernel.is_none() {
            kept = Kept { bytes: located.end, lines: line, start: file + 1 };
        }
    }
    Ok(kept)
}

/// Lines of the file that was last seen.
struct Group {
    file: usize,
    first: Record,
}

fn check_settings(record: &Record, options: &Options) -> Result<(), String> {
    let (engine, wanted) = (record.engine.as_str(), options.run.engine.name());
    if engine != wanted {
        return Err(format!("engine {engine}, not {wanted}"));
    }
    let (shard, wanted) = (record.shard.as_deref(), options.shard.map(|shard| shard.to_string()));
    if shard != wanted.as_deref() {
        let name = |shard: Option<&str>| shard.map_or("no shard".to_owned(), |shard| format!("shard {shard}"));
        return Err(format!("{}, not {}", name(shard), name(wanted.as_deref())));
    }
    let samples = if options.repeat > 1 { options.repeat as usize } else { 0 };
    if record.samples_ns.len() != samples && record.state_hash.is_some() {
        return Err(format!("{} samples, not {samples}", record.samples_ns.len()));
    }
    Ok(())
}

/// Is the line what the file would give now?
fn check_entry(
    record: &Record,
    file: usize,
    inputs: &Inputs,
    options: &Options,
    reader: &mut FileReader,
) -> Result<(), String> {
    let input = inputs.get(file);
    if !matches!(input.content, Content::File { .. } | Content::Member { .. }) {
        // Nothing there, or a stream that can be read only once.
        return Ok(());
    }
    let is_raw = record.kernel.is_none();
    if let (true, Some(sha256)) = (is_raw, record.sha256) {
        let bytes = reader.read(inputs, file, file + 1).map_err(|error| format!("{}: {error}", record.file))?;
        if bytes.bytes().len() <= HASH_LIMIT && hash(bytes.bytes()) != sha256 {
            return Err(format!("{} has changed since", record.file));
        }
    }
    let Some(arch) = &record.arch else { return Ok(()) };
    let sidecar = reader.sidecar(inputs, &input).map_err(|error| format!("{}: sidecar: {error}", record.file))?;
    let wanted = options.arch.or(sidecar.as_ref().and_then(|sidecar| sidecar.arch)).unwrap_or(DEFAULT_ARCH);
    if is_raw && arch != wanted.name() {
        return Err(format!("{} ran as {arch}, not {wanted}", record.file));
    }
    let budget = options.max_insts.or(sidecar.and_then(|sidecar| sidecar.max_insts)).unwrap_or(DEFAULT_BUDGET);
    let is_used_up = record.outcome == EntryOutcome::Budget;
    if record.instructions > budget || is_used_up && record.instructions != budget {
        let executed = record.instructions;
        return Err(format!("{} ran for {executed} instructions; the budget is {budget}", record.file));
    }
    Ok(())
}

/// Number of the file that a line belongs to.
fn file_of(record: &Record, group: Option<&Group>, inputs: &Inputs, options: &Options) -> Result<usize, String> {
    let continues = |group: &&Group| {
        let first = &group.first;
        let same_file = record.kernel.is_some() && first.kernel.is_some() && record.file == first.file;
        // The first kernel again: the file is listed twice.
        same_file && (&record.kernel, &record.entry) != (&first.kernel, &first.entry)
    };
    let file = match (options.shard, group) {
        (Some(_), _) => record.index.ok_or("no index, though it is of a shard")?,
        (None, Some(group)) if continues(&group) => group.file,
        (None, group) => group.map_or(0, |group| group.file + 1),
    };
    if file >= inputs.len() {
        return Err(format!("{}, but there are only {} files", record.file, inputs.len()));
    }
    let name = inputs.name(file).to_string();
    if name != record.file {
        return Err(format!("file {}, not {name}", record.file));
    }
    Ok(file)
}

/// Summary of the lines that stay.
///
/// # Errors
/// [`RecordError`] if the file changed since.
pub fn summarize(
    path: &Path,
    kept: Kept,
    ledger: Option<&Ledger>,
    keep_failures: bool,
) -> Result<Summary, RecordError> {
    let mut summary = Summary::new(keep_failures);
    if kept.lines > 0 {
        for (number, located) in record::open(path)?.take(kept.lines as usize).enumerate() {
            // These lines come before all new ones; among themselves they are in order.
            summary.add(&located?.record.to_entry((0, number)), ledger);
        }
    }
    Ok(summary)
}
