//! Joins the results of shards into the lines of the unsharded batch, in its order.
//!
//! Every line of a shard states the number of its file in the whole list; those of launches also state the number of
//! the launch in the file. Merging sorts by these numbers and removes them. It holds one line of each shard in memory.
//! Every shard must end with a closing record that agrees with its lines.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use crate::output::end::{ClosingRecord, Digest};
use crate::output::record::{Line, MAX_LINE};
use crate::output::results::SCHEMA_FIELD;
use gcnsim_engine::quote;
use gcnsim_inputs::shard::Shard;

/// Error of merging shards.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// A file of results cannot be read or is wrong.
    #[error("{path}: {what}")]
    File {
        /// Path of the file, quoted.
        path: String,
        /// The mistake in words.
        what: String,
    },
    /// The files together are not the whole batch.
    #[error("{0}")]
    Incomplete(String),
    /// The output cannot be written.
    #[error("cannot write results")]
    Write(#[from] io::Error),
}

/// The results of one shard, and the current line.
struct Source {
    path: PathBuf,
    reader: BufReader<File>,
    shard: Option<Shard>,
    /// The version of gcnsim that the closing record names.
    version: Option<String>,
    digest: Digest,
    line: Vec<u8>,
    number: usize,
    /// Number of the file that the current line belongs to, and number of the launch in it (0 if there is none); `None`
    /// at the end.
    index: Option<(usize, usize)>,
    /// Offset in `line` after the fields that only shards have.
    rest: usize,
}

/// Merges shards; returns the number of results.
///
/// # Errors
/// [`MergeError`]. The lines written until then are not usable.
pub fn merge(shards: &[PathBuf], out: &mut dyn Write) -> Result<u64, MergeError> {
    let mut sources = shards.iter().map(|path| Source::open(path)).collect::<Result<Vec<_>, _>>()?;
    check_set(&sources)?;
    let mut digest = Digest::default();
    let mut line = Vec::new();
    let mut last = None;
    while let Some(next) = (0..sources.len()).filter(|&i| sources[i].index.is_some()).min_by_key(|&i| sources[i].index)
    {
        let (index, _) = sources[next].index.unwrap_or_default();
        let expected = last.map_or(0, |last: usize| last + 1);
        if index > expected {
            // A shard may disagree with its own closing record, which is the better error.
            for source in &mut sources {
                while source.index.is_some() {
                    source.advance()?;
                }
            }
            let what = format!("file number {expected} is in none of the shards: they are not of the same list");
            return Err(MergeError::Incomplete(what));
        }
        last = Some(index);
        let source = &mut sources[next];
        line.clear();
        line.extend_from_slice(SCHEMA_FIELD.as_bytes());
        line.extend_from_slice(&source.line[source.rest..]);
        digest.add_entry(&line);
        out.write_all(&line)?;
        source.advance()?;
    }
    let versions: BTreeSet<&str> = sources.iter().filter_map(|source| source.version.as_deref()).collect();
    let version = versions.into_iter().collect::<Vec<_>>().join(" and ");
    let record = ClosingRecord { version: Some(version).filter(|text| !text.is_empty()), ..digest.record(None) };
    out.write_all(record.line().as_bytes())?;
    out.flush()?;
    Ok(digest.entries)
}

/// Checks that the sources are all shards of one batch, each exactly once.
fn check_set(sources: &[Source]) -> Result<(), MergeError> {
    let known: Vec<_> = sources.iter().filter_map(|s| Some((s, s.shard?))).collect();
    let Some(&(first, Shard { count, .. })) = known.first() else { return Ok(()) };
    for (i, (source, shard)) in known.iter().enumerate() {
        if shard.count != count {
            let what = format!("shard {shard}, but {} is one of {count}", quote::path(&first.path));
            return Err(source.error(what));
        }
        if let Some((twin, _)) = known[..i].iter().find(|(_, other)| other == shard) {
            return Err(source.error(format!("shard {shard} again; {} is it too", quote::path(&twin.path))));
        }
    }
    if sources.len() != count as usize {
        let missing = (1..=count).filter(|n| !known.iter().any(|(_, shard)| shard.number == *n));
        let missing: Vec<_> = missing.map(|n| format!("{n}/{count}")).collect();
        let what = format!("{} files for {count} shards; missing: {}", sources.len(), missing.join(", "));
        return Err(MergeError::Incomplete(what));
    }
    Ok(())
}

impl Source {
    fn open(path: &Path) -> Result<Source, MergeError> {
        let file = File::open(path).map_err(|error| MergeError::File {
            path: quote::path(path),
            what: format!("cannot read: {}", gcnsim_loader::describe(&error)),
        })?;
        let reader = BufReader::with_capacity(1 << 18, file);
        let mut source = Source {
            path: path.to_owned(),
            reader,
            shard: None,
            version: None,
            digest: Digest::default(),
            line: Vec::new(),
            number: 0,
            index: None,
            rest: 0,
        };
        source.advance()?;
        Ok(source)
    }

    /// Reads the next result. After the last result only the closing record may come.
    fn advance(&mut self) -> Result<(), MergeError> {
        loop {
            if !self.read_line()? {
                return Err(
                    self.error("it has no closing record: the batch was stopped; finish it with --resume".into())
                );
            }
            if self.line.starts_with(SCHEMA_FIELD.as_bytes()) {
                return self.result();
            }
            let text = std::str::from_utf8(&self.line).map_err(|error| self.line_error(&error.to_string()))?;
            match Line::parse(text.trim_end()).map_err(|error| self.line_error(&error.to_string()))? {
                Line::End(closing) => return self.close(&closing),
                Line::Result(_) => return Err(self.line_error(NO_SHARD)),
                Line::Other(_) => self.digest.add_other(&self.line),
            }
        }
    }

    /// Reads a line. Returns false at the end of the file.
    fn read_line(&mut self) -> Result<bool, MergeError> {
        self.line.clear();
        let length = (&mut self.reader).take(MAX_LINE + 1).read_until(b'\n', &mut self.line);
        let length = length.map_err(|error| self.error(format!("cannot read: {}", gcnsim_loader::describe(&error))))?;
        if length as u64 > MAX_LINE {
            return Err(self.error(format!("a line is longer than {MAX_LINE} bytes")));
        }
        self.number += 1;
        if length > 0 && self.line.last() != Some(&b'\n') {
            return Err(self.line_error("it is cut short: the batch was killed; finish it with --resume"));
        }
        Ok(length > 0)
    }

    fn result(&mut self) -> Result<(), MergeError> {
        let (shard, index, rest) = marks(&self.line).map_err(|what| self.line_error(what))?;
        if self.shard.is_some_and(|known| known != shard) {
            return Err(self.line_error("it is of another shard than the first"));
        }
        if self.index.is_some_and(|before| before > index) {
            return Err(self.line_error("it is out of order"));
        }
        if find(&self.line, br#","outcome":"interrupted","#).is_some() {
            return Err(self.line_error("the batch was interrupted; finish it with --resume"));
        }
        (self.shard, self.index, self.rest) = (Some(shard), Some(index), rest);
        self.digest.add_entry(&self.line);
        Ok(())
    }

    fn close(&mut self, closing: &ClosingRecord) -> Result<(), MergeError> {
        let shard = closing.shard.as_ref().and_then(|shard| shard.parse().ok());
        let Some(shard) = shard else { return Err(self.line_error(NO_SHARD)) };
        if self.shard.is_some_and(|known| known != shard) {
            return Err(self.line_error("its closing record is that of another shard"));
        }
        self.digest.check(closing).map_err(|what| self.error(format!("it is not what the batch wrote: {what}")))?;
        if self.read_line()? {
            return Err(self.line_error("there are lines behind the closing record"));
        }
        (self.shard, self.index, self.version) = (Some(shard), None, closing.version.clone());
        Ok(())
    }

    fn error(&self, what: String) -> MergeError {
        MergeError::File { path: quote::path(&self.path), what }
    }

    fn line_error(&self, what: &str) -> MergeError {
        self.error(format!("line {}: {what}", self.number))
    }
}

const NO_SHARD: &str = "it is not of a shard: only results of batch --shard can be merged";

/// Returns the shard of a line, its numbers of file and launch, and the offset after these fields.
fn marks(line: &[u8]) -> Result<(Shard, (usize, usize), usize), &'static str> {
    let Some(after_schema) = line.strip_prefix(SCHEMA_FIELD.as_bytes()) else {
        return Err("it is no line of batch results of this version");
    };
    let parsed = (|| {
        let marks = after_schema.strip_prefix(br#""shard":""#)?;
        let quote = find(marks, b"\"")?;
        let shard = std::str::from_utf8(&marks[..quote]).ok()?.parse().ok()?;
        let number = marks[quote..].strip_prefix(br#"","index":"#)?;
        let (index, rest) = leading_number(number)?;
        let (launch, rest) = match rest.strip_prefix(br#""launch_index":"#) {
            Some(number) => leading_number(number)?,
            None => (0, rest),
        };
        Some((shard, (index, launch), line.len() - rest.len()))
    })();
    parsed.ok_or(NO_SHARD)
}

/// Returns the number before the first comma, and the text after the comma.
fn leading_number(text: &[u8]) -> Option<(usize, &[u8])> {
    let comma = find(text, b",")?;
    Some((std::str::from_utf8(&text[..comma]).ok()?.parse().ok()?, &text[comma + 1..]))
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}
