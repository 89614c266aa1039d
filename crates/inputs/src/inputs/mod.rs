//! The ordered list of what a batch runs, made from files, folders, list files and archives.
//!
//! The list is made before anything runs. It holds only names, packed into one array, because a corpus may have
//! millions of files. It has the order of the arguments. The contents of a folder are sorted by name; those of an
//! archive keep its order.
//!
//! | argument | gives |
//! |---|---|
//! | a file | itself, under any name; `-` is stdin |
//! | a folder | shaders at any depth; symbolic links are followed, no folder is entered twice |
//! | `@FILE`, `@-` | the paths in a file or on stdin, one a line (or separated by NUL); folders and archives too |
//! | `NAME.tar` | shaders in the archive, read in place |
//!
//! A folder or archive contributes the files that are named like shaders and the files that begin like an ELF file or
//! an offload bundle, except those that launch files name. Sidecars are found in the same listing, so no file is looked
//! up in vain. Everything else is counted ([`Skipped`]).

mod data;
mod from_archive;
mod from_folder;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use gcnsim_isa::Arch;

use crate::arch::arch_of_folders;
pub use crate::file::{Content, Input, SidecarAt};
use crate::file::{FileName, Place, bytes_of, path_of};
use crate::naming::is_compressed_archive;
use crate::plan::{Part, PlanError};
pub use data::DataFiles;
pub use data::names_in;
use gcnsim_engine::quote;
use gcnsim_loader::LoadError;

/// Most bytes of a list of paths.
const LIST_LIMIT: u64 = 1 << 30;

/// Everything a batch runs, in order.
#[derive(Default)]
pub struct Inputs {
    places: Vec<Place>,
    /// Text before the names of files in results, by place.
    prefixes: Vec<String>,
    /// Generation that the names of folders state, by place.
    archs: Vec<Option<Arch>>,
    names: Vec<u8>,
    items: Vec<Item>,
    /// Counts of files in folders and archives that are not run.
    pub skipped: Skipped,
    /// The list files among the arguments.
    lists: Vec<PathBuf>,
    problems: Vec<String>,
    /// Sidecars in archives: the range of their bytes in their archive.
    sidecars: Vec<Range<usize>>,
    /// Code objects with a `STEM.json`, by index in the list. The value is the range of the `STEM.json` in its archive;
    /// `None` in a folder.
    launches: BTreeMap<usize, Option<Range<usize>>>,
    /// Whether a folder has a link with the name of a sidecar.
    has_linked_sidecars: bool,
    /// What launch files of folders name.
    data: DataFiles,
    /// The part of a plan that the list is.
    pub part: Option<Part>,
}

/// Counts of files in folders and archives that are not run.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Skipped {
    /// Number of files that are neither shaders nor sidecars of shaders.
    pub files: u64,
    /// Number of links that lead to no file and are not named like a shader.
    pub links: u64,
    /// Number of devices and pipes.
    pub special: u64,
    /// Number of files that launch files name: they hold values.
    pub data: u64,
}

impl Skipped {
    fn total(&self) -> u64 {
        self.files + self.links + self.special + self.data
    }
}

#[derive(Clone, Copy)]
struct Item {
    place: u32,
    name_length: u32,
    name_start: u64,
    content: Content,
    sidecar: SidecarAt,
}

/// Error that keeps a batch from starting.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ListError {
    /// A list of paths cannot be read.
    #[error("list {path}: {error}")]
    List {
        /// Path of the list, quoted.
        path: String,
        /// The system's or the list's error.
        error: LoadError,
    },
    /// A list is a part of a plan, and not as it was planned.
    #[error("list {path}: {error}")]
    Plan {
        /// Path of the list, quoted.
        path: String,
        /// What is wrong.
        error: PlanError,
    },
    /// Arguments name files or folders that do not exist.
    #[error("no such file or folder: {}", .0.join(", "))]
    Missing(Vec<String>),
}

impl Inputs {
    /// Makes the list from the arguments.
    ///
    /// # Errors
    /// [`ListError`] if a list file cannot be read or an argument does not exist. Any other problem becomes an entry
    /// that says what is wrong; so does a path in a list file that does not exist.
    pub fn collect<P: AsRef<Path>>(arguments: &[P]) -> Result<Inputs, ListError> {
        let mut inputs = Inputs::default();
        inputs.place(Place::Anywhere);
        let mut missing = Vec::new();
        for argument in arguments {
            let argument = argument.as_ref();
            match bytes_of(argument.as_os_str()).strip_prefix(b"@") {
                Some(list) if !list.is_empty() => inputs.list(&path_of(list))?,
                _ => match inputs.path(argument) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => missing.push(quote::path(argument)),
                    found => inputs.push_unless_found(argument, found),
                },
            }
        }
        // A launch file may name files of a folder that was listed before it.
        inputs.drop_data(0);
        inputs.check_part(arguments.len())?;
        if missing.is_empty() { Ok(inputs) } else { Err(ListError::Missing(missing)) }
    }

    /// Checks that the part of a plan is whole and alone.
    fn check_part(&self, arguments: usize) -> Result<(), ListError> {
        let (Some(part), Some(list)) = (&self.part, self.lists.first()) else { return Ok(()) };
        let checked = if arguments == 1 { part.check(self) } else { Err(PlanError::NotAlone) };
        checked.map_err(|error| ListError::Plan { path: quote::path(list), error })
    }

    /// Returns the number of files. An ELF file or a bundle counts once.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether the list has no files.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns the name of file `index` in results: its path, or the archive and the path within it.
    pub fn name(&self, index: usize) -> FileName<'_> {
        let item = &self.items[index];
        FileName { prefix: &self.prefixes[item.place as usize], name: self.name_of(item) }
    }

    fn name_of(&self, item: &Item) -> &[u8] {
        let start = item.name_start as usize;
        &self.names[start..start + item.name_length as usize]
    }

    /// Returns file `index` of the list.
    #[inline]
    pub fn get(&self, index: usize) -> Input<'_> {
        let item = &self.items[index];
        Input {
            place: &self.places[item.place as usize],
            place_number: item.place,
            place_arch: self.archs[item.place as usize],
            name: self.name_of(item),
            content: item.content,
            sidecar: item.sidecar,
        }
    }

    /// Returns the range of a sidecar in its archive, by the number of [`SidecarAt::Member`].
    pub fn sidecar_range(&self, number: u32) -> Range<usize> {
        self.sidecars[number as usize].clone()
    }

    /// Returns the range of the `STEM.json` of file `index` in its archive; `None` if there is none or the file is in a
    /// folder.
    pub fn launches_range(&self, index: usize) -> Option<Range<usize>> {
        self.launches.get(&index)?.clone()
    }

    /// Whether a `STEM.json` is beside file `index`, a code object of a folder or an archive.
    #[cfg(unix)]
    pub fn has_json(&self, index: usize) -> bool {
        self.launches.contains_key(&index)
    }

    /// Returns why a file cannot be read, by the number of [`Content::Problem`].
    pub fn problem(&self, number: u32) -> &str {
        &self.problems[number as usize]
    }

    /// Returns all paths that the batch reads from: shaders, sidecars, archives and lists.
    pub fn paths(&self) -> impl Iterator<Item = InputPath<'_>> {
        let archives = self.places.iter().filter_map(|place| match place {
            Place::Archive { path, .. } => Some(InputPath::named(path)),
            _ => None,
        });
        let lists = self.lists.iter().map(|list| InputPath::named(list));
        let files = (0..self.len()).flat_map(|index| {
            let input = self.get(index);
            let Content::File { is_direct } = input.content else { return [None, None, None] };
            let folder = match input.place {
                Place::Folder(folder) => Some(folder.as_path()),
                _ => None,
            };
            let file = InputPath { folder, name: Cow::Borrowed(input.name), is_own_name: is_direct };
            let is_listed = !matches!(input.sidecar, SidecarAt::Unknown) && !self.has_linked_sidecars;
            let beside = |name| InputPath { folder, name: Cow::Owned(name), is_own_name: is_listed };
            let sidecar = !matches!(input.sidecar, SidecarAt::Nowhere);
            let sidecar = sidecar.then(|| {
                let [name, _] = crate::naming::sidecar_names(input.name);
                beside(name)
            });
            let launches = input.sidecar == SidecarAt::Unknown || self.launches.contains_key(&index);
            let launches = launches.then(|| beside(crate::naming::launches_name(input.name)));
            [Some(file), sidecar, launches]
        });
        archives.chain(lists).chain(files.flatten())
    }

    fn list(&mut self, path: &Path) -> Result<(), ListError> {
        let text = read_list(path).map_err(|error| ListError::List { path: quote::path(path), error })?;
        self.lists.push(path.to_owned());
        let separator = if text.contains(&0) { 0 } else { b'\n' };
        let mut lines = text.split(|&b| b == separator).peekable();
        let part = lines.peek().map_or(Ok(None), |line| Part::of_line(line));
        if let Some(part) = part.map_err(|error| ListError::Plan { path: quote::path(path), error })? {
            lines.next();
            self.part = Some(part);
        }
        for line in lines {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if !line.is_empty() {
                let path = path_of(line);
                let found = self.path(&path);
                self.push_unless_found(&path, found);
            }
        }
        Ok(())
    }

    /// Adds an entry that says what is wrong with `path`, if `found` is an error.
    fn push_unless_found(&mut self, path: &Path, found: io::Result<()>) {
        if let Err(error) = found {
            self.push_problem(0, bytes_of(path.as_os_str()), LoadError::from(error).to_string());
        }
    }

    fn path(&mut self, path: &Path) -> io::Result<()> {
        let name = bytes_of(path.as_os_str());
        if name == b"-" {
            self.push(0, name, Content::Stream, SidecarAt::Nowhere);
            return Ok(());
        }
        let meta = fs::metadata(path)?;
        if meta.is_dir() {
            let (before, skipped) = (self.items.len(), self.skipped.total());
            self.folder(path, &mut HashSet::new());
            self.drop_data(before);
            if self.items.len() == before {
                let skipped = self.skipped.total() - skipped;
                self.push_problem(0, name, format!("no shaders in this folder ({skipped} other files)"));
            }
        } else if !meta.is_file() {
            self.push(0, name, Content::Stream, SidecarAt::Unknown);
        } else if name.ends_with(b".tar") {
            self.archive(path);
        } else if is_compressed_archive(name) {
            self.push_problem(0, name, "compressed archive: these are not read; unpack it to a .tar".into());
        } else {
            self.push(0, name, Content::File { is_direct: false }, SidecarAt::Unknown);
        }
        Ok(())
    }

    fn place(&mut self, place: Place) -> u32 {
        let mut prefix = match &place {
            Place::Anywhere => String::new(),
            Place::Folder(path) | Place::Archive { path, .. } => path.as_os_str().to_string_lossy().into_owned(),
        };
        if !prefix.is_empty() && !prefix.ends_with('/') {
            prefix.push('/');
        }
        self.archs.push(arch_of_folders(prefix.as_bytes()));
        self.prefixes.push(prefix);
        self.places.push(place);
        self.places.len() as u32 - 1
    }

    fn push(&mut self, place: u32, name: &[u8], content: Content, sidecar: SidecarAt) {
        let name_start = self.names.len() as u64;
        self.names.extend_from_slice(name);
        self.items.push(Item { place, name_length: name.len() as u32, name_start, content, sidecar });
    }

    fn push_problem(&mut self, place: u32, name: &[u8], problem: String) {
        self.problems.push(problem);
        self.push(place, name, Content::Problem(self.problems.len() as u32 - 1), SidecarAt::Nowhere);
    }
}

/// A path that the batch reads from. Folder and name are joined only on demand, because a corpus has many paths.
pub struct InputPath<'a> {
    folder: Option<&'a Path>,
    name: Cow<'a, [u8]>,
    /// Whether the folder's listing has a regular file of this name. Otherwise the name may be that of a link.
    is_own_name: bool,
}

impl<'a> InputPath<'a> {
    /// Returns a path that a user gave. It may be that of a link.
    pub fn named(path: &'a Path) -> InputPath<'a> {
        InputPath { folder: None, name: Cow::Borrowed(bytes_of(path.as_os_str())), is_own_name: false }
    }

    /// Returns the whole path.
    pub fn path(&self) -> PathBuf {
        let name = path_of(&self.name);
        self.folder.map_or_else(|| name.clone(), |folder| folder.join(&name))
    }

    /// Whether the path can be that of a file with the name `name`.
    pub fn may_be_named(&self, name: &OsStr) -> bool {
        !self.is_own_name || self.name.ends_with(bytes_of(name))
    }
}

fn read_list(path: &Path) -> Result<Vec<u8>, LoadError> {
    if path.as_os_str() != "-" && path.is_dir() {
        return Err(LoadError::Directory);
    }
    let stream: Box<dyn Read> =
        if path.as_os_str() == "-" { Box::new(io::stdin().lock()) } else { Box::new(File::open(path)?) };
    let mut text = Vec::new();
    stream.take(LIST_LIMIT + 1).read_to_end(&mut text)?;
    if text.len() as u64 > LIST_LIMIT {
        return Err(LoadError::TooLong { limit: LIST_LIMIT });
    }
    Ok(text)
}
