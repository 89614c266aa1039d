//! Continues a batch that was stopped or killed: decides which part of its output is kept, and at which file to go on.
//!
//! Every kept line must be one that this batch would have written: same file, same contents (raw files are read again),
//! same engine, generation and budget. A line does not state the state that a sidecar sets, so that is not compared.
//!
//! The output of a stopped batch is always a beginning of the whole output; its last line may be cut short. It is
//! matched against the list of inputs, file by file. Three parts are dropped and run again: a last line that is cut
//! short; everything from the first interrupted entry on; and the last file if it holds kernels or ran in worlds,
//! unless a closing record says that none of them are missing.
//!
//! With `--repeat` the output is a beginning of the first pass, or the whole of a later pass. Each line has a sample of
//! every pass up to that one.

use std::path::Path;

use crate::operations::ledger::Ledger;
use crate::output::end::{Digest, End};
use crate::output::outcome::EntryOutcome;
use crate::output::record::{self, Located, Record, ResultsError};
use crate::output::summary::{Failures, Summary};
use crate::run::repeat::PassSamples;
use crate::{DEFAULT_BUDGET, Options};
use gcnsim_inputs::arch::ArchSource;
use gcnsim_inputs::entry_hash::{HASH_LIMIT, hash};
use gcnsim_inputs::file::Content;
use gcnsim_inputs::inputs::Inputs;
use gcnsim_inputs::reader::{FileContent, FileReader, LaunchInput};
use gcnsim_launches::launch::{LaunchDraft, Outside};
use gcnsim_loader::FileBytes;
use gcnsim_loader::code_object::CodeObject;

/// The part of an earlier output that is kept.
#[derive(Clone, Default)]
pub struct Kept {
    /// Number of bytes of the output that are kept.
    pub bytes: u64,
    /// Number of lines that are kept.
    pub lines: u64,
    /// Index of the first file to run.
    pub start: usize,
    /// Number of raw files in these lines whose generation is a guess.
    pub arch_guesses: u64,
    /// The samples in these lines: one pass up to `start`, or several passes over all files.
    pub samples: Vec<PassSamples>,
    /// Whether nothing is left to run: all lines and the closing record are there.
    pub is_complete: bool,
}

/// Error of continuing a batch.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    /// The output cannot be read.
    #[error(transparent)]
    Read(#[from] ResultsError),
    /// The output is that of another batch.
    #[error("line {line} is not of this batch: {what}")]
    OtherBatch {
        /// Number of the line, from 1.
        line: u64,
        /// The difference in words.
        what: String,
    },
    /// The output is not one that a batch wrote, for the reason in words.
    #[error("{0}")]
    Damaged(String),
}

/// Decides what is kept of the output at `path`: nothing if it does not exist.
///
/// # Errors
/// [`ResumeError`] if the output cannot be read, is damaged or is of another batch.
pub fn plan(path: &Path, inputs: &Inputs, options: &Options) -> Result<Kept, ResumeError> {
    let mut kept = Kept::default();
    if !path.exists() {
        return Ok(kept);
    }
    let mut group: Option<Group> = None;
    let mut reader = FileReader::new(false, false);
    let mut passes = None;
    let (mut line, mut end) = (0, 0);
    let mut records = record::open(path)?;
    let mut cut_short = false;
    for located in records.by_ref() {
        let Located { record, end: line_end } = located?;
        line += 1;
        if record.outcome == EntryOutcome::Interrupted {
            cut_short = true;
            break;
        }
        let other = |what| ResumeError::OtherBatch { line, what };
        check_settings(&record, options).map_err(other)?;
        let file = file_of(&record, group.as_ref(), inputs, options).map_err(other)?;
        kept.arch_guesses += u64::from(check_entry(&record, file, inputs, options, &mut reader).map_err(other)?);
        add_samples(&record, file, options, &mut passes, &mut kept.samples).map_err(other)?;
        let is_new = group.as_ref().is_none_or(|group| group.file != file);
        if is_new {
            // All files before `file` are complete.
            (kept.bytes, kept.lines, kept.start) = (end, line - 1, file);
        }
        end = line_end;
        if record.kernel.is_none() && record.launch().is_none() {
            (kept.bytes, kept.lines, kept.start) = (end, line, file + 1);
        }
        if is_new {
            group = Some(Group { file, first: record });
        }
    }
    match records.end() {
        End::Complete(_) if !cut_short => {
            (kept.bytes, kept.lines) = (end, line);
            kept.start = group.map_or(0, |group| group.file + 1);
            // After the file of the last line only files of other shards follow, unless the list has grown.
            while kept.start < inputs.len() && is_of_another_shard(kept.start, inputs, options, &mut reader) {
                kept.start += 1;
            }
            let samples = if options.repeat > 1 { passes.unwrap_or(options.repeat) } else { 1 };
            kept.is_complete = kept.start == inputs.len() && samples == options.repeat.max(1);
        }
        End::Wrong(what) if !cut_short => return Err(ResumeError::Damaged(what)),
        _ => {}
    }
    if kept.samples.len() > 1 && kept.start < inputs.len() && !kept.is_complete {
        let what =
            format!("lines of {} passes, but only of {} files of {}", kept.samples.len(), kept.start, inputs.len());
        return Err(ResumeError::Damaged(what));
    }
    kept.samples.iter_mut().for_each(|pass| pass.resize(kept.start));
    Ok(kept)
}

fn is_of_another_shard(file: usize, inputs: &Inputs, options: &Options, reader: &mut FileReader) -> bool {
    let Some(shard) = options.shard else { return false };
    let input = inputs.get(file);
    match input.content {
        Content::Problem(_) => !shard.takes(input.name),
        // A stream can be read only once.
        Content::Stream => false,
        Content::File { .. } | Content::Member { .. } => match reader.read(inputs, file, file + 1) {
            Ok(content) if shard.takes(content.bytes()) => false,
            Ok(FileContent::Raw(..)) => true,
            Ok(FileContent::Other(bytes)) => match reader.launches(inputs, file) {
                Ok(Some(launches)) => {
                    let count = dealt_launches(&bytes, &launches);
                    (1..count).all(|launch| !shard.takes_launch(bytes.as_ref(), launch))
                }
                Ok(None) | Err(_) => true,
            },
            Err(_) => !shard.takes(input.name),
        },
    }
}

/// Returns the number of launches of a file that are dealt out to shards; 0 if they share buffers or the file is wrong.
fn dealt_launches(bytes: &FileBytes, launches: &LaunchInput) -> usize {
    let objects = CodeObject::parse_all(bytes).map_or(0, |objects| objects.len());
    let draft = LaunchDraft::parse(&launches.text.text, launches.text.syntax).ok();
    let dealt = draft.filter(|draft| draft.buffers.is_empty());
    objects * dealt.map_or(0, |draft| draft.launches.len())
}

/// Adds the samples of a line to `passes`. All lines with samples must have the same number of them; `known` is that of
/// the lines before.
fn add_samples(
    record: &Record,
    file: usize,
    options: &Options,
    known: &mut Option<u32>,
    passes: &mut Vec<PassSamples>,
) -> Result<(), String> {
    if options.repeat <= 1 {
        return Ok(());
    }
    let count = record.samples_ns.len();
    if record.state_hash.is_some() {
        let expected = *known.get_or_insert(count as u32);
        if count != expected as usize {
            return Err(format!("{count} samples; lines before have {expected}"));
        }
    }
    // A line without a run does not state the number of passes, so it takes that of the other lines.
    let passes_so_far = known.map_or(1, |known| known as usize);
    if let Some(first) = passes.first().cloned() {
        passes.resize(passes.len().max(passes_so_far), first);
    } else {
        passes.resize_with(passes_so_far, PassSamples::default);
    }
    for (number, pass) in passes.iter_mut().enumerate() {
        let sample = |samples: &[u64]| samples.get(number).copied().unwrap_or_default();
        pass.add(file, sample(&record.samples_ns), sample(&record.reference_ns));
    }
    Ok(())
}

/// The file that was seen last, with its first line.
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
    if let Some(world) = &record.environment
        && options.worlds.iter().all(|wanted| wanted.version_name() != *world)
    {
        return Err(format!("world {world}, which is not wanted"));
    }
    let samples = record.samples_ns.len();
    // With --repeat each line has as many samples as there were passes.
    let is_possible = if options.repeat > 1 { (1..=options.repeat as usize).contains(&samples) } else { samples == 0 };
    if !is_possible && record.state_hash.is_some() {
        let wanted = if options.repeat > 1 { options.repeat } else { 0 };
        return Err(format!("{samples} samples, not {wanted}"));
    }
    Ok(())
}

/// Checks whether the file would still give the line of `record`. Returns true if the file is raw and its generation is
/// a guess.
fn check_entry(
    record: &Record,
    file: usize,
    inputs: &Inputs,
    options: &Options,
    reader: &mut FileReader,
) -> Result<bool, String> {
    let input = inputs.get(file);
    if !matches!(input.content, Content::File { .. } | Content::Member { .. }) {
        // The file is missing, or it is a stream that can be read only once.
        return Ok(false);
    }
    if let Some(launch) = &record.launch {
        return check_launch(record, launch, file, inputs, options, reader).map(|()| false);
    }
    let is_raw = record.kernel.is_none();
    if let (true, Some(sha256)) = (is_raw, record.sha256) {
        let bytes = reader.read(inputs, file, file + 1).map_err(|error| format!("{}: {error}", record.file))?;
        if bytes.bytes().len() <= HASH_LIMIT && hash(bytes.bytes()) != sha256 {
            return Err(format!("{} has changed since", record.file));
        }
    }
    let Some(arch) = &record.arch else { return Ok(false) };
    let sidecar = reader.sidecar(inputs, &input).map_err(|error| format!("{}: sidecar: {error}", record.file))?;
    let (wanted, source) = options.raw.arch_of(&input, sidecar.as_deref());
    if is_raw && (arch != wanted.name() || record.chip.as_deref() != wanted.chip()) {
        let arch = record.chip.as_ref().unwrap_or(arch);
        return Err(format!("{} ran as {arch}, not {wanted}", record.file));
    }
    if record.environment.is_some() {
        // A wave has the budget, and the line does not state its waves. So the budget is not compared.
        return Ok(is_raw && source == ArchSource::Guess);
    }
    let budget = options.max_insts.or(sidecar.and_then(|sidecar| sidecar.max_insts)).unwrap_or(DEFAULT_BUDGET);
    check_budget(record, budget)?;
    Ok(is_raw && source == ArchSource::Guess)
}

fn check_budget(record: &Record, budget: u64) -> Result<(), String> {
    let executed = record.instructions;
    let is_used_up = record.outcome == EntryOutcome::Budget;
    if executed > budget || is_used_up && executed != budget {
        return Err(format!("{} ran for {executed} instructions; the budget is {budget}", record.file));
    }
    Ok(())
}

/// Checks whether the launch would still give the line of `record`: the launch and its inputs must be unchanged.
fn check_launch(
    record: &Record,
    name: &str,
    file: usize,
    inputs: &Inputs,
    options: &Options,
    reader: &mut FileReader,
) -> Result<(), String> {
    let error = |what: String| format!("{}: {what}", record.file);
    let Some(input) = reader.launches(inputs, file).map_err(|what| error(what.to_string()))? else {
        return Err(error("its launch file is gone".into()));
    };
    let draft = LaunchDraft::parse(&input.text.text, input.text.syntax).map_err(|what| error(what.to_string()))?;
    let found = draft.launches.iter().position(|(other, _)| other == name);
    let index = found.ok_or_else(|| error(format!("launch '{name}' is gone")))?;
    let launch = draft.launches[index].1.as_ref().ok();
    let has_files = input.has_folder || launch.is_some_and(|launch| launch.files().next().is_none());
    let sha256 = has_files.then(|| draft.sha256(index, input.text.folder(), Outside::Refused)).flatten();
    if sha256 != record.launch_sha256 {
        return Err(error(format!("launch '{name}' or its inputs have changed since")));
    }
    let own = launch.and_then(|launch| launch.max_insts);
    check_budget(record, options.max_insts.or(own).unwrap_or(gcnsim_launches::DEFAULT_BUDGET))
}

/// Returns the number of the file that a line belongs to.
fn file_of(record: &Record, group: Option<&Group>, inputs: &Inputs, options: &Options) -> Result<usize, String> {
    let continues = |group: &&Group| {
        let first = &group.first;
        let is_part = |record: &Record| record.kernel.is_some() || record.launch().is_some();
        let same_file = is_part(record) && is_part(first) && record.file == first.file;
        // A kernel or launch that comes again shows that the file is listed twice.
        let part = |record: &Record| {
            (record.kernel.clone(), record.bundle, record.entry.clone(), record.launch().map(str::to_owned))
        };
        same_file && part(record) != part(first)
    };
    let file = match (options.shard, group) {
        (Some(shard), _) => {
            let index = record.index.ok_or("no index, though it is of a shard")?;
            shard.place_of(index).ok_or_else(|| format!("file number {index} of the whole list is before the part"))?
        }
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

/// Returns the summary of all lines that a stopped batch left. `ran` is the summary of the entries that this process
/// ran; some of these have no lines if entries before them did not begin.
///
/// # Errors
/// [`ResultsError`] if the lines cannot be read.
pub fn summary_of_lines(
    path: &Path,
    ledger: Option<&Ledger>,
    failures: Failures,
    ran: &Summary,
) -> Result<Summary, ResultsError> {
    let mut summary = Summary::new(failures);
    summary.guess_as(ran);
    for (number, located) in record::open(path)?.enumerate() {
        summary.add(&located?.record.to_entry((0, number)), ledger);
    }
    Ok(summary)
}

/// Returns summary and digest of the kept lines.
///
/// # Errors
/// [`ResultsError`] if the file has changed since it was read for [`plan`].
pub fn summarize(
    path: &Path,
    kept: &Kept,
    ledger: Option<&Ledger>,
    failures: Failures,
) -> Result<(Summary, Digest), ResultsError> {
    let mut summary = Summary::new(failures);
    summary.arch_guesses = kept.arch_guesses;
    if kept.lines == 0 {
        return Ok((summary, Digest::default()));
    }
    let mut records = record::open(path)?;
    for (number, located) in records.by_ref().take(kept.lines as usize).enumerate() {
        // The lines of the old run come before all others, and are in order.
        summary.add(&located?.record.to_entry((0, number)), ledger);
    }
    Ok((summary, records.digest().clone()))
}
