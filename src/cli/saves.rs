//! `save` of launch files: which files an earlier run has written, so that a run replaces nobody else's.
//!
//! In the folder of the launch file, the record `.gcnsim.saved` has a line for each saved file: the XXH3-64 of what was
//! written, two blanks, and the path from there. A file whose contents still have that hash may be replaced. Whatever
//! has changed since, or was never written, is the user's.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::{args, output, result_file};
use gcnsim_engine::quote;
use gcnsim_engine::xxh3::xxh3;
use gcnsim_loader::{self as loader, FileBytes};

/// Name of the record.
const RECORD: &str = ".gcnsim.saved";

/// What earlier runs of the launch files of a folder, and this one, have saved.
pub(super) struct Saves {
    /// Path of the record.
    record: PathBuf,
    /// The hash of each file, by its path from the folder.
    known: BTreeMap<String, u64>,
    /// The files that this run has saved, unless they are known.
    added: BTreeMap<String, u64>,
}

/// Reads a record. What is wrong in it counts as not saved.
fn read(record: &Path) -> BTreeMap<String, u64> {
    let text = record.is_file().then(|| loader::read_text(record).ok()).flatten().unwrap_or_default();
    let line = |line: &str| {
        let (hash, path) = line.split_once("  ")?;
        Some((path.to_owned(), u64::from_str_radix(hash, 16).ok()?))
    };
    text.lines().filter_map(line).collect()
}

impl Saves {
    /// Reads the record in the folder of a launch file.
    pub fn of(launch_file: &Path) -> Saves {
        let record = launch_file.with_file_name(RECORD);
        Saves { known: read(&record), added: BTreeMap::new(), record }
    }

    /// Checks that a file may be replaced: it is not there, empty, no regular file, or as an earlier run has saved it.
    ///
    /// # Errors
    /// It is somebody's file, or the record.
    pub fn check(&self, path: &Path) -> anyhow::Result<()> {
        if path.file_name() == self.record.file_name() {
            bail!("{} is the list of saved files: it will not be written to", args::quoted(path));
        }
        if !result_file::is_filled(path) {
            return Ok(());
        }
        let known = self.known.get(&self.key(path));
        let bytes = known.and_then(|_| FileBytes::read(path).ok());
        if bytes.is_some_and(|bytes| known == Some(&xxh3(bytes.as_ref()))) {
            return Ok(());
        }
        let is = if known.is_some() { "has changed since a run saved it" } else { "is there already" };
        bail!("'save': {} {is}: --force replaces it", args::quoted(path))
    }

    /// Notes that `bytes` were written to a file.
    pub fn add(&mut self, path: &Path, bytes: &[u8]) {
        let key = self.key(path);
        let hash = xxh3(bytes);
        // A line of the record is a path.
        if !key.contains('\n') && self.known.insert(key.clone(), hash) != Some(hash) {
            self.added.insert(key, hash);
        }
    }

    /// Adds what is new to the record. Another run may have written it meanwhile.
    pub fn finish(&mut self) {
        if self.added.is_empty() {
            return;
        }
        let mut all = read(&self.record);
        all.append(&mut self.added);
        let mut text = String::new();
        for (path, hash) in &all {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{hash:016x}  {path}");
        }
        let written = result_file::write(&self.record, text.as_bytes());
        if let Err(error) = written.context("the next run will not know what this one has saved") {
            output::note(quote::text(&format!("{error:#}")));
        }
    }

    fn key(&self, path: &Path) -> String {
        let folder = self.record.parent().unwrap_or(Path::new(""));
        path.strip_prefix(folder).unwrap_or(path).to_string_lossy().into_owned()
    }
}
