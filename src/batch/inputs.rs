//! What a batch runs: files, folders, list files and archives, as one ordered list.
//!
//! The list is made before anything runs and holds names only, packed into one array: it is what grows with a corpus.
//! Its order is that of the arguments; a folder's contents are sorted by name, an archive's are in its own order.
//!
//! | argument | gives |
//! |---|---|
//! | a file | itself, whatever it is called; `-` is stdin |
//! | a folder | shaders at any depth; symbolic links are followed, no folder is entered twice |
//! | `@FILE`, `@-` | the paths in a file or on stdin, one a line (or separated by NUL); folders and archives too |
//! | `NAME.tar` | shaders in the archive, read in place |
//!
//! Of folders and archives are taken: files named like shaders and files that begin like an ELF file or an offload
//! bundle. Sidecars and launch files are found in the same listing, so that no file is looked for that is not there.
//! What is left is counted ([`Skipped`]).

#[cfg(feature = "cli")]
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use gcnsim_isa::Arch;

use super::arch::arch_of_folders;
use super::archive::{self, Followed};
use super::listing::{FolderId, Kind, Listing};
use super::naming::{Sidecars, begins_like_shader, has_shader_name, is_compressed_archive};
use crate::loader::{self, FileBytes, LoadError};
use crate::quote;

/// Most bytes of a list of paths.
const LIST_LIMIT: u64 = 1 << 30;

/// Everything a batch runs, in order.
#[derive(Default)]
pub struct Inputs {
    places: Vec<Place>,
    /// By place: what results have before the names of files there.
    prefixes: Vec<String>,
    /// By place: the generation that its folders tell.
    archs: Vec<Option<Arch>>,
    names: Vec<u8>,
    items: Vec<Item>,
    /// What of folders and archives is not run.
    pub skipped: Skipped,
    /// Lists of paths.
    lists: Vec<PathBuf>,
    problems: Vec<String>,
    /// Sidecars in archives: where in their archive.
    sidecars: Vec<Range<usize>>,
    /// Code objects of folders and archives with a `STEM.json`: where that is in their archive.
    launches: BTreeMap<usize, Option<Range<usize>>>,
}

/// What of folders and archives is not run.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Skipped {
    /// Files that are neither shaders nor sidecars of shaders.
    pub files: u64,
    /// Links that lead to no file, and are not named like a shader.
    pub links: u64,
    /// Devices and pipes.
    pub special: u64,
}

impl Skipped {
    fn total(&self) -> u64 {
        self.files + self.links + self.special
    }
}

/// Where a file is.
pub(super) enum Place {
    /// Nowhere in particular: its name is its path.
    Anywhere,
    /// In a folder; its name is that within the folder.
    Folder(PathBuf),
    /// In an archive.
    Archive { path: PathBuf, bytes: FileBytes },
}

#[derive(Clone, Copy)]
struct Item {
    place: u32,
    name_length: u32,
    name_start: u64,
    content: Content,
    sidecar: SidecarAt,
}

/// What is known of a file's bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Content {
    /// A regular file; `is_direct` if a folder's listing said so of this very name, and not of where a link leads.
    File { is_direct: bool },
    /// A pipe, a device or stdin.
    Stream,
    /// Bytes of an archive.
    Member { start: usize, end: usize },
    /// Nothing can be taken from it; an index into [`Inputs::problems`].
    Problem(u32),
}

/// Where a file's sidecar is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SidecarAt {
    /// There is none.
    Nowhere,
    /// Nobody has looked yet.
    Unknown,
    /// In the same folder.
    Beside,
    /// In the same archive; an index into [`Inputs::sidecars`].
    Member(u32),
    /// There are two, so that nobody can say which counts.
    Twice,
}

/// A file of the list, as a worker sees it.
pub(super) struct Input<'a> {
    pub place: &'a Place,
    pub place_number: u32,
    /// The generation that the folders of the place tell.
    pub place_arch: Option<Arch>,
    pub name: &'a [u8],
    pub content: Content,
    pub sidecar: SidecarAt,
}

/// Name of a file as results have it. Bytes that are no UTF-8 are replaced where it is written.
#[derive(Clone, Copy)]
pub struct FileName<'a> {
    /// What all files of a folder or an archive have before their names.
    pub(super) prefix: &'a str,
    pub(super) name: &'a [u8],
}

impl<'a> From<&'a str> for FileName<'a> {
    fn from(name: &'a str) -> FileName<'a> {
        FileName { prefix: "", name: name.as_bytes() }
    }
}

impl fmt::Display for FileName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.prefix, String::from_utf8_lossy(self.name))
    }
}

/// Why there is no batch at all.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    /// A list of paths cannot be read.
    #[error("list {path}: {error}")]
    List {
        /// The list, quoted.
        path: String,
        /// Why.
        error: LoadError,
    },
    /// Arguments name files or folders that do not exist.
    #[error("no such file or folder: {}", .0.join(", "))]
    Missing(Vec<String>),
}

impl Inputs {
    /// Lists what the arguments name.
    ///
    /// # Errors
    /// [`ListError`] if a list file cannot be read, or an argument names nothing. Whatever else is wrong becomes an
    /// entry that says so, also if a list names what does not exist.
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
        if missing.is_empty() { Ok(inputs) } else { Err(ListError::Missing(missing)) }
    }

    /// Number of files. An ELF file or a bundle counts once, whatever it holds.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Is there nothing to run?
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The name of a file as results have it: the path, or archive and path in it.
    pub fn name(&self, index: usize) -> FileName<'_> {
        let input = self.get(index);
        FileName { prefix: &self.prefixes[input.place_number as usize], name: input.name }
    }

    pub(super) fn get(&self, index: usize) -> Input<'_> {
        let item = &self.items[index];
        let start = item.name_start as usize;
        Input {
            place: &self.places[item.place as usize],
            place_number: item.place,
            place_arch: self.archs[item.place as usize],
            name: &self.names[start..start + item.name_length as usize],
            content: item.content,
            sidecar: item.sidecar,
        }
    }

    pub(super) fn sidecar_range(&self, number: u32) -> Range<usize> {
        self.sidecars[number as usize].clone()
    }

    /// Where in its archive the `STEM.json` of a code object is.
    pub(super) fn launches_range(&self, index: usize) -> Option<Range<usize>> {
        self.launches.get(&index)?.clone()
    }

    pub(super) fn problem(&self, number: u32) -> &str {
        &self.problems[number as usize]
    }

    /// The paths that the files of the batch are read from: shaders, those of sidecars, archives and lists.
    #[cfg(feature = "cli")]
    pub(crate) fn paths(&self) -> impl Iterator<Item = InputPath<'_>> {
        let archives = self.places.iter().filter_map(|place| match place {
            Place::Archive { path, .. } => Some(InputPath { path: Cow::Borrowed(path), is_own_name: false }),
            _ => None,
        });
        let lists = self.lists.iter().map(|list| InputPath { path: Cow::Borrowed(list), is_own_name: false });
        let files = (0..self.len()).flat_map(|index| {
            let input = self.get(index);
            let Content::File { is_direct } = input.content else { return [None, None, None] };
            let path = |name: &[u8]| match input.place {
                Place::Folder(folder) => folder.join(path_of(name)),
                _ => path_of(name),
            };
            let file = InputPath { path: Cow::Owned(path(input.name)), is_own_name: is_direct };
            let sidecar = !matches!(input.sidecar, SidecarAt::Nowhere);
            let sidecar = sidecar.then(|| Cow::Owned(path(&super::naming::sidecar_names(input.name)[0])));
            let launches = input.sidecar == SidecarAt::Unknown || self.launches.contains_key(&index);
            let launches = launches.then(|| Cow::Owned(path(&super::naming::launches_name(input.name))));
            // A sidecar may be a link.
            let sidecar_path = |path| InputPath { path, is_own_name: false };
            [Some(file), sidecar.map(sidecar_path), launches.map(sidecar_path)]
        });
        archives.chain(lists).chain(files.flatten())
    }

    fn list(&mut self, path: &Path) -> Result<(), ListError> {
        let text = read_list(path).map_err(|error| ListError::List { path: quote::path(path), error })?;
        self.lists.push(path.to_owned());
        let separator = if text.contains(&0) { 0 } else { b'\n' };
        for line in text.split(|&b| b == separator) {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if !line.is_empty() {
                let path = path_of(line);
                let found = self.path(&path);
                self.push_unless_found(&path, found);
            }
        }
        Ok(())
    }

    /// An entry that says why there is nothing, if so.
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

    /// Adds the shaders below a folder.
    fn folder(&mut self, folder: &Path, visited: &mut HashSet<FolderId>) {
        let listing = FolderId::of(folder).and_then(|id| match visited.insert(id) {
            true => Listing::read(folder),
            false => Ok(Listing::default()),
        });
        let listing = match listing {
            Ok(listing) => listing,
            Err(error) => {
                let name = bytes_of(folder.as_os_str()).to_vec();
                return self.push_problem(0, &name, LoadError::from(error).to_string());
            }
        };
        if listing.entries.is_empty() {
            return;
        }
        let place = self.place(Place::Folder(folder.to_owned()));
        let mut sidecars = Sidecars::among(listing.entries.iter().map(|entry| listing.name(entry)));
        for entry in &listing.entries {
            let name = listing.name(entry);
            let path = || folder.join(path_of(name));
            match entry.kind {
                Ok(Kind::Folder) => self.folder(&path(), visited),
                Ok(Kind::File) => {
                    match has_shader_name(name) || !name.ends_with(b".toml") && begins_like_shader(&path()) {
                        true => {
                            let content = Content::File { is_direct: !entry.is_link };
                            if sidecars.launches_beside(name, || begins_like_shader(&path())) {
                                self.launches.insert(self.items.len(), None);
                            }
                            self.push(place, name, content, sidecars.beside(name));
                        }
                        false => self.skipped.files += 1,
                    }
                }
                Ok(Kind::Link | Kind::Other) => self.skipped.special += 1,
                // Such as a link to nowhere: nobody misses it unless it is called a shader.
                Err(error) if has_shader_name(name) => {
                    self.push_problem(place, name, LoadError::from(io::Error::from(error)).to_string());
                }
                Err(_) => self.skipped.links += 1,
            }
        }
        self.skipped.files = self.skipped.files.saturating_sub(sidecars.used());
    }

    /// Adds the shaders of an archive, up to where it is broken.
    fn archive(&mut self, path: &Path) {
        let name = bytes_of(path.as_os_str());
        let bytes = match FileBytes::read(path) {
            Ok(bytes) => bytes,
            Err(error) => return self.push_problem(0, name, error.to_string()),
        };
        let place = self.place(Place::Archive { path: path.to_owned(), bytes: bytes.clone() });
        let (before, skipped) = (self.items.len(), self.skipped.total());
        let mut listing = archive::list(bytes.as_ref(), |name, range| {
            self.push(place, name, Content::Member { start: range.start, end: range.end }, SidecarAt::Nowhere);
        });
        let links = listing.follow(bytes.as_ref());
        self.skipped.special += listing.special;
        self.skipped.files += listing.other_files;
        if !links.is_empty() {
            self.follow_links(before, links);
        }
        if listing.has_sidecars() {
            for index in before..self.items.len() {
                let Content::Member { start, end } = self.items[index].content else { continue };
                if loader::is_code_object(&bytes.as_ref()[start..end])
                    && let Some(range) = listing.launches(self.get(index).name)
                {
                    self.launches.insert(index, Some(range));
                }
                self.items[index].sidecar = match listing.sidecar(self.get(index).name) {
                    Ok(None) => SidecarAt::Nowhere,
                    Ok(Some(range)) => {
                        self.sidecars.push(range);
                        SidecarAt::Member(self.sidecars.len() as u32 - 1)
                    }
                    Err(()) => SidecarAt::Twice,
                };
            }
            self.skipped.files = self.skipped.files.saturating_sub(listing.used_sidecars());
        }
        match listing.error {
            Some(error) => self.push_problem(0, name, error.to_string()),
            None if self.items.len() == before => {
                let skipped = self.skipped.total() - skipped;
                self.push_problem(0, name, format!("no shaders in this archive ({skipped} other files)"));
            }
            None => {}
        }
    }

    /// Gives the links of an archive, whose items begin at `before`, what they lead to; those that lead to no shader
    /// are no items.
    fn follow_links(&mut self, before: usize, links: Vec<(usize, Followed)>) {
        let mut dropped = HashSet::new();
        for (index, followed) in links {
            let index = before + index;
            match followed {
                Followed::Shader(range) => {
                    self.items[index].content = Content::Member { start: range.start, end: range.end };
                }
                Followed::Missing(problem) => {
                    self.problems.push(problem);
                    self.items[index].content = Content::Problem(self.problems.len() as u32 - 1);
                }
                Followed::OtherFile => {
                    self.skipped.files += 1;
                    dropped.insert(index);
                }
                Followed::Nowhere => {
                    self.skipped.links += 1;
                    dropped.insert(index);
                }
            }
        }
        let mut index = 0;
        self.items.retain(|_| {
            index += 1;
            !dropped.contains(&(index - 1))
        });
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

/// A path that something is read from.
#[cfg(feature = "cli")]
pub(crate) struct InputPath<'a> {
    pub path: Cow<'a, Path>,
    /// Its folder has the file under this very name: the name is not that of a link.
    pub is_own_name: bool,
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

/// The bytes of a name, which need not be UTF-8.
pub(super) fn bytes_of(name: &OsStr) -> &[u8] {
    name.as_encoded_bytes()
}

/// A path from bytes that came from a directory, an argument, a list or an archive.
#[cfg(unix)]
pub(super) fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(OsStr::from_bytes(bytes))
}

/// A path from bytes that came from a directory, an argument, a list or an archive.
#[cfg(not(unix))]
pub(super) fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(inputs: &Inputs) -> Vec<String> {
        (0..inputs.len()).map(|i| inputs.name(i).to_string()).collect()
    }

    #[test]
    fn folders_are_sorted_and_links_followed_once() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        fs::create_dir_all(at("b/deeper")).unwrap();
        for file in ["c.bin", "a.bin", "a.toml", "b/x.bin", "b/x.toml", "b/x.bin.toml", "b/deeper/k", "b/t.txt"] {
            let content: &[u8] = if file.ends_with('k') { b"\x7fELF" } else { b"\0\0\0\0" };
            fs::write(at(file), content).unwrap();
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(root.path(), at("b/deeper/loop")).unwrap();
            std::os::unix::fs::symlink("nowhere", at("z.bin")).unwrap();
            std::os::unix::fs::symlink("nowhere", at("z.txt")).unwrap();
        }
        let inputs = Inputs::collect(&[root.path()]).unwrap();
        let short: Vec<_> = names(&inputs).iter().map(|n| n[root.path().as_os_str().len() + 1..].to_owned()).collect();
        assert_eq!(short[..4], ["a.bin", "b/deeper/k", "b/x.bin", "c.bin"]);
        let sidecars: Vec<_> = (0..4).map(|i| inputs.get(i).sidecar).collect();
        assert_eq!(sidecars, [SidecarAt::Beside, SidecarAt::Nowhere, SidecarAt::Twice, SidecarAt::Nowhere]);
        if cfg!(unix) {
            assert_eq!((short[4].as_str(), short.len()), ("z.bin", 5));
            assert!(matches!(inputs.get(4).content, Content::Problem(_)));
            // t.txt, the link z.txt; the three sidecars are a.bin's and x.bin's.
            assert_eq!(inputs.skipped, Skipped { files: 1, links: 1, special: 0 });
        }
    }

    #[test]
    fn lists_name_files_folders_and_what_is_missing() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("f");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("a.bin"), [0; 4]).unwrap();
        let list = root.path().join("list");
        for text in [format!("{0}\n\nmissing.bin\r\n", folder.display()), format!("{0}\0missing.bin", folder.display())]
        {
            fs::write(&list, text).unwrap();
            let inputs = Inputs::collect(&[format!("@{}", list.display())]).unwrap();
            assert_eq!(names(&inputs), [format!("{}/a.bin", folder.display()), "missing.bin".into()]);
            let Content::Problem(number) = inputs.get(1).content else { panic!("not a problem") };
            assert_eq!(inputs.problem(number), "cannot read: no such file or directory");
        }
        assert!(Inputs::collect(&["@/no/such/list"]).is_err());
        // Who types a path that does not exist is told at once.
        let error = Inputs::collect(&[folder.as_path(), Path::new("missing.bin"), Path::new("a b")]).err().unwrap();
        assert_eq!(error.to_string(), "no such file or folder: missing.bin, 'a b'");
    }

    #[test]
    fn an_empty_folder_is_an_entry_that_says_so() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("readme.txt"), "x").unwrap();
        let inputs = Inputs::collect(&[root.path(), root.path()]).unwrap();
        assert_eq!(inputs.len(), 2);
        let Content::Problem(number) = inputs.get(1).content else { panic!("not a problem") };
        assert_eq!(inputs.problem(number), "no shaders in this folder (1 other files)");
    }
}
