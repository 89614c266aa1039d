//! Outputs that are inputs, or the same file twice.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::bail;

use super::args;
use gcnsim_inputs::InputPath;

/// Checks that no output is an input, and that no two outputs are the same file.
///
/// # Errors
/// The error names both files.
pub fn check_outputs<'a>(outputs: &[&Path], inputs: impl Iterator<Item = InputPath<'a>>) -> anyhow::Result<()> {
    let known: Vec<_> = outputs.iter().filter_map(|path| Some((*path, FileId::of(path)?))).collect();
    for (number, (path, id)) in known.iter().enumerate() {
        if let Some((twin, _)) = known[..number].iter().find(|(_, other)| other == id) {
            bail!("{} and {} are the same file", args::quoted(twin), args::quoted(path));
        }
    }
    if known.is_empty() {
        return Ok(());
    }
    // A file with only one name can be reached only by that name or by a link to it.
    let single = known.iter().all(|(_, id)| id.has_one_name);
    let resolved: Vec<_> = known.iter().map(|(path, _)| resolved(path)).collect();
    for input in inputs {
        if single && !resolved.iter().filter_map(|path| path.file_name()).any(|name| input.may_be_named(name)) {
            continue;
        }
        let path = input.path();
        // Stdin may be a file.
        let path = if path.as_os_str() == "-" { PathBuf::from("/dev/stdin") } else { path };
        let Some(input) = FileId::of(&path) else { continue };
        if let Some((output, _)) = known.iter().find(|(_, id)| *id == input) {
            let same = if *output == path { String::new() } else { format!(", as {}", args::quoted(&path)) };
            bail!("{} is read from{same}: it will not be written to", args::quoted(output));
        }
    }
    Ok(())
}

/// Identity of a regular file.
#[derive(Debug)]
struct FileId {
    /// Device and inode number, on systems that have these.
    number: Option<(u64, u64)>,
    /// Path with all links resolved, on other systems.
    path: Option<PathBuf>,
    has_one_name: bool,
}

impl FileId {
    fn of(path: &Path) -> Option<FileId> {
        let meta = fs::metadata(path).ok().filter(|meta| meta.is_file())?;
        #[cfg(unix)]
        let (number, has_one_name) = {
            use std::os::unix::fs::MetadataExt;
            (Some((meta.dev(), meta.ino())), meta.nlink() == 1)
        };
        #[cfg(not(unix))]
        let (number, has_one_name) = (None, meta.len() == u64::MAX);
        Some(FileId { number, path: number.is_none().then(|| resolved(path)), has_one_name })
    }
}

/// Returns `path` with all links resolved, or unchanged if there is no such file.
fn resolved(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

impl PartialEq for FileId {
    fn eq(&self, other: &FileId) -> bool {
        (self.number, &self.path) == (other.number, &other.path)
    }
}
