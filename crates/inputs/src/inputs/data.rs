//! Takes the files that launch files name out of a list: they hold values of buffers, not shaders.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use memchr::memmem;

use super::Inputs;
use crate::file::{Place, path_of};
use gcnsim_launches::launch::{Syntax, named_files};

/// Most bytes of a launch file that is read while folders are listed.
const LIMIT: u64 = 64 << 20;

/// The files that launch files name.
#[derive(Default, Debug)]
pub struct DataFiles {
    /// Paths in folders that are resolved. The last part of a path may still be a link.
    paths: HashSet<PathBuf>,
    /// Resolved folders by the paths that led to them.
    folders: HashMap<PathBuf, Option<PathBuf>>,
}

impl DataFiles {
    /// Adds what the file at `path` names, if it is a launch file.
    pub fn add(&mut self, path: &Path) {
        let is_short = fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() <= LIMIT);
        let Some(bytes) = is_short.then(|| fs::read(path).ok()).flatten() else { return };
        let syntax = Syntax::of_path(path);
        let folder = path.parent().unwrap_or(Path::new(""));
        for named in names_in(&bytes, syntax) {
            let place = self.place_of(&folder.join(named));
            self.paths.extend(place);
        }
    }

    /// Whether no launch file has named anything.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Whether a launch file names the file at `path`.
    pub fn has(&mut self, path: &Path) -> bool {
        !self.is_empty() && self.place_of(path).is_some_and(|path| self.paths.contains(&path))
    }

    /// Returns the path with its folder resolved; `None` if there is no such folder.
    fn place_of(&mut self, path: &Path) -> Option<PathBuf> {
        let (folder, name) = (path.parent()?, path.file_name()?);
        if !self.folders.contains_key(folder) {
            let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            self.folders.insert(folder.to_owned(), fs::canonicalize(here).ok());
        }
        Some(self.folders.get(folder)?.as_ref()?.join(name))
    }
}

/// Returns what a file names, if it is a launch file.
pub fn names_in(bytes: &[u8], syntax: Syntax) -> Vec<PathBuf> {
    // Most files are no launch files, or name nothing. This finds out sooner than reading them as TOML or JSON. A word
    // may be written with escapes.
    let has = |word: &[u8]| memmem::find(bytes, word).is_some();
    let names = [&b"file"[..], b"save", b"program", b"code"];
    let is_like = has(b"launch") && names.into_iter().any(has) || has(b"\\");
    let text = is_like.then(|| std::str::from_utf8(bytes).ok()).flatten();
    text.map(|text| named_files(text, syntax)).unwrap_or_default()
}

impl Inputs {
    /// Removes the files from index `from` on that launch files name. Files that are arguments themselves stay.
    pub(super) fn drop_data(&mut self, from: usize) {
        if self.data.is_empty() {
            return;
        }
        let mut data = std::mem::take(&mut self.data);
        let is_data: Vec<bool> = (0..self.len())
            .map(|index| match self.get(index).place {
                Place::Folder(folder) if index >= from => data.has(&folder.join(path_of(self.get(index).name))),
                _ => false,
            })
            .collect();
        self.data = data;
        self.drop_items(&is_data);
    }

    /// Removes items and counts them as data.
    pub(super) fn drop_items(&mut self, is_dropped: &[bool]) {
        let dropped = is_dropped.iter().filter(|is_dropped| **is_dropped).count();
        if dropped == 0 {
            return;
        }
        self.skipped.data += dropped as u64;
        let launches = std::mem::take(&mut self.launches);
        let items = std::mem::take(&mut self.items);
        for (index, item) in items.into_iter().enumerate().filter(|(index, _)| !is_dropped[*index]) {
            if let Some(range) = launches.get(&index) {
                self.launches.insert(self.items.len(), range.clone());
            }
            self.items.push(item);
        }
    }
}
