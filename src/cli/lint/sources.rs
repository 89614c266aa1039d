//! The files that are linted: those that are named, and those in archives and lists.

use std::io;
use std::path::{Path, PathBuf};

use gcnsim_inputs::Inputs;

/// A file to lint.
pub(super) enum Source {
    /// A file that was named, or found in a folder.
    File(PathBuf),
    /// A file of an archive or a list: number of the list, and index in it.
    Listed(usize, usize),
}

/// The files to lint, in the order of the arguments.
#[derive(Default)]
pub(super) struct Sources {
    pub all: Vec<Source>,
    /// The contents of archives and lists among the arguments.
    pub lists: Vec<Inputs>,
    /// Number of files that were left out, because they do not look like shaders.
    pub skipped: u64,
    /// Paths that cannot be read.
    pub errors: Vec<(PathBuf, io::Error)>,
}

impl Sources {
    /// Finds the files that arguments stand for.
    pub fn collect(paths: &[PathBuf]) -> anyhow::Result<Sources> {
        let mut sources = Sources::default();
        for run in paths.chunk_by(|a, b| is_list(a) == is_list(b)) {
            if run.first().is_some_and(|path| is_list(path)) {
                sources.list(run)?;
            } else {
                let found = crate::cli::args::walk(run);
                sources.all.extend(found.files.into_iter().map(Source::File));
                sources.skipped += found.skipped;
                sources.errors.extend(found.errors);
            }
        }
        Ok(sources)
    }

    fn list(&mut self, paths: &[PathBuf]) -> anyhow::Result<()> {
        let inputs = Inputs::collect(paths)?;
        self.all.extend((0..inputs.len()).map(|index| Source::Listed(self.lists.len(), index)));
        self.skipped += inputs.skipped.files;
        self.lists.push(inputs);
        Ok(())
    }

    /// Returns the name of a file in reports.
    pub fn name(&self, source: &Source) -> PathBuf {
        match source {
            Source::File(path) => path.clone(),
            Source::Listed(list, index) => self.lists[*list].name(*index).to_string().into(),
        }
    }
}

/// Whether an argument is an archive or a list.
fn is_list(path: &Path) -> bool {
    let name = path.as_os_str().as_encoded_bytes();
    let is_archive = [".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2", ".tar.zst"]
        .iter()
        .any(|ending| name.ends_with(ending.as_bytes()));
    name.len() > 1 && name[0] == b'@' || is_archive && path.is_file()
}
