//! Pairs the files of two lists by name, and the entries of two files by kernel.
//!
//! The name of a file is its path within its folder or archive. If no file of one side has the name of one of the
//! other, the first folder is left out on each side on which all names begin with the same one: archives often have one
//! folder at their top. Two lists of one file each are a pair whatever the names are.

use std::collections::HashMap;
use std::path::Path;

use gcnsim_inputs::{Inputs, ListError};
use gcnsim_loader::Entry;

use crate::result::Summary;

/// The files of a side: a file, or those of a folder or an archive.
pub struct Files {
    /// The files.
    pub inputs: Inputs,
    /// The path of the folder or archive, with a slash at its end.
    root: String,
    /// Whether the side is a folder without shaders. The list then has an entry that says so.
    is_bare_folder: bool,
}

impl Files {
    /// Lists the files at `path`.
    ///
    /// # Errors
    /// [`ListError`] if there is nothing.
    pub fn collect(path: &Path) -> Result<Files, ListError> {
        let mut root = path.to_string_lossy().into_owned();
        if !root.ends_with('/') {
            root.push('/');
        }
        let inputs = Inputs::collect(&[path])?;
        let is_bare_folder = path.is_dir() && inputs.len() == 1 && inputs.name(0).to_string() == path.to_string_lossy();
        Ok(Files { inputs, root, is_bare_folder })
    }

    /// Returns the number of files.
    pub fn len(&self) -> usize {
        self.inputs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }

    /// Returns the name of a file: its path within the folder or archive. The name of an only file is the last part of
    /// its path.
    pub fn name(&self, index: usize) -> String {
        let name = self.inputs.name(index).to_string();
        if self.inputs.is_named(index) {
            return name.rsplit('/').next().unwrap_or(&name).to_owned();
        }
        let name = name.strip_prefix(&self.root).unwrap_or(&name);
        name.strip_prefix("./").unwrap_or(name).to_owned()
    }
}

/// The pairs of two lists, by index.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Pairs {
    /// Indices on the old and on the new side, in the order of the new side.
    pub pairs: Vec<(usize, usize)>,
    /// Indices that only the old side has.
    pub removed: Vec<usize>,
    /// Indices that only the new side has.
    pub added: Vec<usize>,
}

/// Error: there are no pairs.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoPairs {
    /// No file, or no entry, of one side has the name of one of the other.
    #[error("no {what} of OLD has a partner in NEW: looked for {looked_for} among {among}")]
    Names {
        /// `file` or `entry`.
        what: &'static str,
        /// The first names of the new side.
        looked_for: String,
        /// The first names of the old side.
        among: String,
    },
    /// A side is a folder without shaders.
    #[error("no shaders in the folder {folder} ({side})")]
    Bare {
        /// `OLD` or `NEW`.
        side: &'static str,
        /// The folder.
        folder: String,
    },
}

/// Pairs the files of two lists.
///
/// # Errors
/// [`NoPairs`] if there are none.
pub fn of_files(old: &Files, new: &Files) -> Result<Pairs, NoPairs> {
    for (side, files) in [("OLD", old), ("NEW", new)] {
        if files.is_bare_folder {
            return Err(NoPairs::Bare { side, folder: gcnsim_engine::quote::name(&files.root).into_owned() });
        }
    }
    if old.len() == 1 && new.len() == 1 {
        return Ok(Pairs { pairs: vec![(0, 0)], ..Pairs::default() });
    }
    let (mut old_names, mut new_names) = (names(old), names(new));
    let mut pairs = of_names(&old_names, &new_names);
    if pairs.pairs.is_empty() {
        let shown = (listed(&new_names), listed(&old_names));
        let is_shorter = [without_top(&mut old_names), without_top(&mut new_names)].contains(&true);
        pairs = if is_shorter { of_names(&old_names, &new_names) } else { pairs };
        if pairs.pairs.is_empty() {
            return Err(NoPairs::Names { what: "file", looked_for: shown.0, among: shown.1 });
        }
    }
    Ok(pairs)
}

/// Checks that a comparison of files had a pair.
///
/// # Errors
/// [`NoPairs`] if the files have entries, but no two of them are a pair.
pub fn check(sum: &Summary) -> Result<(), NoPairs> {
    if sum.pairs > 0 || sum.interrupted {
        return Ok(());
    }
    Err(NoPairs::Names { what: "entry", looked_for: listed(&sum.added), among: listed(&sum.removed) })
}

/// Returns the names of all files.
fn names(files: &Files) -> Vec<String> {
    (0..files.len()).map(|index| files.name(index)).collect()
}

/// Removes the first folder from all names if they have the same one. Returns whether they have.
fn without_top(names: &mut [String]) -> bool {
    let top = names.first().and_then(|name| name.split_once('/')).map(|(top, _)| format!("{top}/"));
    let Some(top) = top.filter(|top| names.iter().all(|name| name.starts_with(top))) else { return false };
    names.iter_mut().for_each(|name| drop(name.drain(..top.len())));
    true
}

/// Returns the first few names, and the number of the others, in words.
fn listed(names: &[String]) -> String {
    const MOST: usize = 3;
    let mut shown: Vec<String> =
        names.iter().take(MOST).map(|name| gcnsim_engine::quote::name(name).into_owned()).collect();
    if names.len() > MOST {
        shown.push(format!("{} more", names.len() - MOST));
    }
    if shown.is_empty() { "nothing".into() } else { shown.join(", ") }
}

/// Pairs equal names. If a name comes several times, the first of one side is paired with the first of the other, and
/// so on.
fn of_names<N: AsRef<str>>(old: &[N], new: &[N]) -> Pairs {
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, name) in old.iter().enumerate().rev() {
        by_name.entry(name.as_ref()).or_default().push(index);
    }
    let mut found = Pairs::default();
    for (index, name) in new.iter().enumerate() {
        match by_name.get_mut(name.as_ref()).and_then(Vec::pop) {
            Some(partner) => found.pairs.push((partner, index)),
            None => found.added.push(index),
        }
    }
    found.removed = by_name.into_values().flatten().collect();
    found.removed.sort_unstable();
    found
}

/// Pairs the entries of two files: by kernel and processor, then by kernel. Two files of one entry each are a pair.
pub fn of_entries(old: &[Entry], new: &[Entry]) -> Pairs {
    if old.len() == 1 && new.len() == 1 {
        return Pairs { pairs: vec![(0, 0)], ..Pairs::default() };
    }
    let full = |entry: &Entry| {
        let target = entry.part.as_ref().map_or(entry.target.unwrap_or(""), |part| &part.target);
        format!("{}\0{target}", entry.kernel.as_deref().unwrap_or(""))
    };
    let full = |entries: &[Entry]| entries.iter().map(full).collect::<Vec<_>>();
    let mut found = of_names(&full(old), &full(new));
    let kernels = |entries: &[Entry], left: &[usize]| {
        left.iter().map(|&index| entries[index].kernel.clone().unwrap_or_default()).collect::<Vec<_>>()
    };
    let more = of_names(&kernels(old, &found.removed), &kernels(new, &found.added));
    found.pairs.extend(more.pairs.iter().map(|&(i, j)| (found.removed[i], found.added[j])));
    found.pairs.sort_unstable_by_key(|&(_, new)| new);
    let rest = |left: &[usize], of: &[usize]| of.iter().map(|&index| left[index]).collect();
    Pairs { removed: rest(&found.removed, &more.removed), added: rest(&found.added, &more.added), pairs: found.pairs }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn names_are_paired_in_order() {
        let found = of_names(&["a", "b", "b", "c"], &["b", "d", "a", "b"]);
        assert_eq!(found, Pairs { pairs: vec![(1, 0), (0, 2), (2, 3)], removed: vec![3], added: vec![1] });
    }

    fn folder(files: &[&str]) -> (tempfile::TempDir, Files) {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, [0, 0, 0x81, 0xbf]).unwrap();
        }
        let inputs = Files::collect(folder.path()).unwrap();
        (folder, inputs)
    }

    #[test]
    fn folders_are_paired_by_the_paths_in_them() {
        let (_a, old) = folder(&["x/a.bin", "x/b.bin", "c.bin"]);
        let (_b, new) = folder(&["x/b.bin", "y/a.bin", "d.bin"]);
        let found = of_files(&old, &new).unwrap();
        let names = |files: &Files, of: &[usize]| of.iter().map(|&i| files.name(i)).collect();
        let (removed, added): (Vec<String>, Vec<String>) = (names(&old, &found.removed), names(&new, &found.added));
        let pairs: Vec<_> = found.pairs.iter().map(|&(i, j)| (old.name(i), new.name(j))).collect();
        assert_eq!(pairs, [("x/b.bin".into(), "x/b.bin".into())]);
        assert_eq!((removed, added), (vec!["c.bin".into(), "x/a.bin".into()], vec!["d.bin".into(), "y/a.bin".into()]));
    }

    #[test]
    fn a_top_folder_of_its_own_does_not_count() {
        let (_a, old) = folder(&["old/a.bin", "old/b.bin"]);
        let (_b, new) = folder(&["new/a.bin", "new/b.bin"]);
        assert_eq!(of_files(&old, &new).unwrap().pairs.len(), 2);
        let (_c, other) = folder(&["c.bin", "d.bin"]);
        let error = of_files(&old, &other).unwrap_err().to_string();
        let expected = "looked for c.bin, d.bin among old/a.bin, old/b.bin";
        assert!(error.ends_with(expected), "{error}");
    }

    #[test]
    fn a_folder_without_files_has_no_pair() {
        let ((_a, old), (_b, bare)) = (folder(&["a.bin"]), folder(&[]));
        let error = |old, new| of_files(old, new).unwrap_err().to_string();
        let (new_is_bare, old_is_bare) = (error(&old, &bare), error(&bare, &old));
        assert!(new_is_bare.starts_with("no shaders in the folder") && new_is_bare.ends_with("(NEW)"), "{new_is_bare}");
        assert!(old_is_bare.starts_with("no shaders in the folder") && old_is_bare.ends_with("(OLD)"), "{old_is_bare}");
    }

    #[test]
    fn two_files_are_a_pair() {
        let (_a, old) = folder(&["a.bin"]);
        let (_b, new) = folder(&["b.bin"]);
        assert_eq!(of_files(&old, &new).unwrap().pairs, [(0, 0)]);
    }
}
