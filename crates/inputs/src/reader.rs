//! Reads files into a buffer that is reused.
//!
//! Files are opened by name within an open folder, which saves the system the walk along the path, and the listing has
//! said which are regular files. So a shader costs three system calls (open, read, close); on file systems where a
//! short read may end before the file does, a second read.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::file::{Content, Input, Place, SidecarAt, path_of};
#[cfg(unix)]
use crate::folder::OpenFolder;
use crate::inputs::Inputs;
#[cfg(unix)]
use crate::naming::launches_name;
use crate::naming::{is_launch_name, sidecar_names};
#[cfg(target_os = "linux")]
use crate::ring::Ahead;
use gcnsim_engine::quote;
use gcnsim_launches::beside::{LaunchText, beside, lookalike};
use gcnsim_launches::launch::Syntax;
use gcnsim_launches::sidecar::Sidecar;
use gcnsim_loader::{FileBytes, LoadError};

/// Size of the buffer in bytes. Shorter files are read into it; the loader maps others.
const BUFFER: usize = 256 << 10;

/// Most bytes of a file that the system is asked to prefetch.
const ANNOUNCED: usize = 4 << 10;

/// Number of parsed sidecars that are kept. Most sidecars of a corpus have one of a few texts: `arch = "gcn1.2"` is
/// one. Texts longer than [`REMEMBERED_LENGTH`] bytes are not kept.
const REMEMBERED: usize = 16;
const REMEMBERED_LENGTH: usize = 128;

/// Reads the files of a batch, one at a time.
pub struct FileReader {
    buffer: Arc<Vec<u8>>,
    sidecar: Vec<u8>,
    remembered: Vec<(Vec<u8>, Arc<Sidecar>)>,
    /// A file beside the last code object that looks like a launch file but is not one.
    pub lookalike: Option<PathBuf>,
    #[cfg(unix)]
    folder: OpenFolder,
    #[cfg(target_os = "linux")]
    ahead: Ahead,
}

/// Shared bytes, as programs take them.
pub type SharedBytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// The launch file of a code object.
pub struct LaunchInput {
    /// Its text.
    pub text: LaunchText,
    /// Whether the launch file lies in a folder, where the files that it names can be read.
    pub has_folder: bool,
}

/// Error of a sidecar or a launch file beside a file.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BesideError(String);

/// A file's bytes.
pub enum FileContent {
    /// A raw shader in a buffer of the reader, and its SHA-256 if that is already known. The buffer is reused when the
    /// program made of it is dropped.
    Raw(SharedBytes, Option<[u8; 32]>),
    /// A code object, or a long file.
    Other(FileBytes),
}

impl FileContent {
    /// Returns the content of a buffer. If `sha256` is given, the buffer is known to hold a raw shader.
    fn of(bytes: SharedBytes, sha256: Option<[u8; 32]>) -> FileContent {
        let code = bytes.as_ref().as_ref();
        // Only raw shaders are hashed when they are read ahead.
        if sha256.is_none() && !gcnsim_loader::is_raw(code) {
            return FileContent::Other(FileBytes::from(code.to_vec()));
        }
        FileContent::Raw(bytes, sha256)
    }

    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8] {
        match self {
            FileContent::Raw(bytes, _) => bytes.as_ref().as_ref(),
            FileContent::Other(bytes) => bytes.as_ref(),
        }
    }
}

impl FileReader {
    /// Returns a reader. If `ahead`, it reads files ahead; if `hashes`, it hashes the files that it reads ahead.
    /// Neither changes results, only the time.
    pub fn new(ahead: bool, hashes: bool) -> FileReader {
        #[cfg(not(target_os = "linux"))]
        let _ = (ahead, hashes);
        FileReader {
            buffer: Arc::default(),
            sidecar: Vec::new(),
            remembered: Vec::new(),
            lookalike: None,
            #[cfg(unix)]
            folder: OpenFolder::default(),
            #[cfg(target_os = "linux")]
            ahead: Ahead::new(ahead, hashes),
        }
    }

    /// Tells the system that `input`, a member of an archive, will be read soon, so that it can load the first bytes.
    fn announce(input: &Input) {
        if let (Content::Member { start, end }, Place::Archive { bytes, .. }) = (input.content, input.place) {
            gcnsim_loader::prefetch(bytes.as_ref().get(start..end.min(start + ANNOUNCED)).unwrap_or_default());
        }
    }

    /// Reads file `index`. The files up to `end` are read next, so they may be read ahead. The content of the file
    /// before should have been dropped; otherwise a new buffer is allocated.
    pub fn read(&mut self, inputs: &Inputs, index: usize, end: usize) -> Result<FileContent, LoadError> {
        let input = &inputs.get(index);
        match input.content {
            Content::Member { start, end: member_end } => {
                if index + 1 < end {
                    FileReader::announce(&inputs.get(index + 1));
                }
                self.member(input, start, member_end)
            }
            Content::File { .. } if is_launch_name(input.name) => {
                FileBytes::read_code(&path_of_input(input)).map(FileContent::Other)
            }
            Content::File { is_direct } => {
                #[cfg(target_os = "linux")]
                if let Some((buffer, sha256)) = self.ahead.read(inputs, index, end, &mut self.folder) {
                    return Ok(FileContent::of(buffer, sha256));
                }
                self.file(input, is_direct)
            }
            Content::Stream => FileBytes::read_code(&path_of_input(input)).map(FileContent::Other),
            // The worker never reads a file that has a known problem.
            Content::Problem(_) => Err(LoadError::Empty),
        }
    }

    /// Returns the parsed sidecar of `input`, if it has one.
    pub fn sidecar(&mut self, inputs: &Inputs, input: &Input) -> Result<Option<Arc<Sidecar>>, BesideError> {
        self.find_sidecar(inputs, input).map_err(BesideError)
    }

    fn find_sidecar(&mut self, inputs: &Inputs, input: &Input) -> Result<Option<Arc<Sidecar>>, String> {
        match input.sidecar {
            SidecarAt::Nowhere => Ok(None),
            SidecarAt::Twice => Err("two sidecars: nobody can say which counts".into()),
            SidecarAt::Unknown => sidecar_of_path(&path_of_input(input)),
            SidecarAt::Beside => self.sidecar_in_folder(input),
            SidecarAt::Member(number) => {
                let Place::Archive { bytes, .. } = input.place else { return Ok(None) };
                self.parse_sidecar(&bytes.as_ref()[inputs.sidecar_range(number)]).map(Some)
            }
        }
    }

    /// Returns the launch file of the code object `index`, if it has one.
    pub fn launches(&mut self, inputs: &Inputs, index: usize) -> Result<Option<LaunchInput>, BesideError> {
        self.find_launches(inputs, index).map_err(BesideError)
    }

    fn find_launches(&mut self, inputs: &Inputs, index: usize) -> Result<Option<LaunchInput>, String> {
        let input = &inputs.get(index);
        match input.place {
            _ if input.sidecar == SidecarAt::Twice => Err("two sidecars: nobody can say which counts".into()),
            Place::Archive { path, bytes } => {
                let text = |range: Range<usize>, extension: &str| {
                    let text = String::from_utf8(bytes.as_ref()[range].to_vec()).map_err(|error| error.to_string())?;
                    let path = path.join(path_of(input.name)).with_extension(extension);
                    let syntax = Syntax::of_path(&path);
                    Ok::<_, String>(Some(LaunchText { path, text, syntax }))
                };
                let toml = match input.sidecar {
                    SidecarAt::Member(number) => text(inputs.sidecar_range(number), "toml")?,
                    _ => None,
                };
                let json = inputs.launches_range(index).map_or(Ok(None), |range| text(range, "json"))?;
                let (toml, json) = (self.launch_of(toml), self.launch_of(json));
                match (input.sidecar, toml, json) {
                    (SidecarAt::Member(_), _, Some(_)) => Err("two sidecars: nobody can say which counts".into()),
                    (_, toml, json) => Ok(toml.or(json).map(|text| LaunchInput { text, has_folder: false })),
                }
            }
            Place::Folder(_) | Place::Anywhere if is_launch_name(input.name) => {
                let text = LaunchText::read(&path_of_input(input)).map_err(|error| error.to_string())?;
                Ok(Some(LaunchInput { text, has_folder: true }))
            }
            Place::Folder(_) | Place::Anywhere => {
                let found = match self.json_in_folder(inputs, index) {
                    Some(found) => found,
                    None => {
                        let path = path_of_input(input);
                        let found = beside(&path).map_err(|error| error.to_string())?;
                        self.lookalike = if found.is_none() { lookalike(&path) } else { None };
                        found
                    }
                };
                Ok(found.map(|text| LaunchInput { text, has_folder: true }))
            }
        }
    }

    /// Returns `found` if it is a launch file. Otherwise remembers it as the [`lookalike`](FileReader::lookalike).
    fn launch_of(&mut self, found: Option<LaunchText>) -> Option<LaunchText> {
        let found = found?;
        if found.is_launch() {
            return Some(found);
        }
        self.lookalike = Some(found).filter(LaunchText::is_lookalike).map(|found| found.path);
        None
    }

    /// Returns the launch file of a code object that has only a `STEM.json` beside it, or no file at all. The outer
    /// `None` means that the list cannot tell, and the caller has to look at the folder.
    #[cfg(unix)]
    fn json_in_folder(&mut self, inputs: &Inputs, index: usize) -> Option<Option<LaunchText>> {
        let input = &inputs.get(index);
        let Place::Folder(folder) = input.place else { return None };
        match (input.sidecar, inputs.has_json(index)) {
            (SidecarAt::Nowhere, false) => return Some(None),
            (SidecarAt::Nowhere, true) => {}
            _ => return None,
        }
        let name = launches_name(input.name);
        let text = &mut self.sidecar;
        text.clear();
        text.reserve(BUFFER);
        let is_whole = self.folder.read(input.place, input.place_number, &name, false, text);
        let text = is_whole.ok().filter(|&is_whole| is_whole && !text.is_empty()).and(str::from_utf8(text).ok())?;
        let found = LaunchText { path: folder.join(path_of(&name)), text: text.to_owned(), syntax: Syntax::Json };
        Some(self.launch_of(Some(found)))
    }

    #[cfg(not(unix))]
    fn json_in_folder(&mut self, _inputs: &Inputs, _index: usize) -> Option<Option<LaunchText>> {
        None
    }

    #[cfg(unix)]
    fn sidecar_in_folder(&mut self, input: &Input) -> Result<Option<Arc<Sidecar>>, String> {
        let mut text = std::mem::take(&mut self.sidecar);
        text.clear();
        text.reserve(BUFFER);
        let [name, _] = sidecar_names(input.name);
        let read = self.folder.read(input.place, input.place_number, &name, false, &mut text);
        let parsed = match read {
            Ok(true) if !text.is_empty() => self.parse_sidecar(&text).map(Some),
            // The file is too long, or it gave no bytes and may be a pipe.
            Ok(_) => sidecar_beside(&path_of_input(input)),
            Err(error) => Err(LoadError::from(error).to_string()),
        };
        self.sidecar = text;
        parsed
    }

    #[cfg(not(unix))]
    fn sidecar_in_folder(&mut self, input: &Input) -> Result<Option<Arc<Sidecar>>, String> {
        sidecar_beside(&path_of_input(input))
    }

    fn parse_sidecar(&mut self, text: &[u8]) -> Result<Arc<Sidecar>, String> {
        if let Some((_, known)) = self.remembered.iter().find(|(known, _)| known == text) {
            return Ok(known.clone());
        }
        let parsed = std::str::from_utf8(text).map_err(|error| error.to_string())?;
        let parsed = Arc::new(Sidecar::parse(parsed).map_err(|error| error.to_string())?);
        if text.len() <= REMEMBERED_LENGTH && self.remembered.len() < REMEMBERED {
            self.remembered.push((text.to_vec(), parsed.clone()));
        }
        Ok(parsed)
    }

    fn member(&mut self, input: &Input, start: usize, end: usize) -> Result<FileContent, LoadError> {
        let Place::Archive { bytes, .. } = input.place else { return Err(LoadError::Empty) };
        let part = bytes.as_ref().get(start..end).ok_or(LoadError::Empty)?;
        bytes.pass(start);
        if part.len() >= BUFFER {
            return bytes.slice(start..end).map(FileContent::Other).ok_or(LoadError::Empty);
        }
        // Copying a short file is cheaper than having all threads count references to the mapping.
        let buffer = empty(&mut self.buffer);
        buffer.extend_from_slice(part);
        bytes.check_intact(buffer)?;
        Ok(FileContent::of(self.buffer.clone(), None))
    }

    #[cfg(unix)]
    fn file(&mut self, input: &Input, is_direct: bool) -> Result<FileContent, LoadError> {
        let buffer = empty(&mut self.buffer);
        match self.folder.read(input.place, input.place_number, input.name, is_direct, buffer)? {
            true => Ok(FileContent::of(self.buffer.clone(), None)),
            false => FileBytes::read_code(&path_of_input(input)).map(FileContent::Other),
        }
    }

    #[cfg(not(unix))]
    fn file(&mut self, input: &Input, _is_direct: bool) -> Result<FileContent, LoadError> {
        FileBytes::read_code(&path_of_input(input)).map(FileContent::Other)
    }
}

/// Returns the buffer without its contents, or a new buffer if a program still uses it.
fn empty(buffer: &mut Arc<Vec<u8>>) -> &mut Vec<u8> {
    if Arc::get_mut(buffer).is_none() {
        *buffer = Arc::default();
    }
    // The buffer has no other owner, so `make_mut` copies nothing.
    let buffer = Arc::make_mut(buffer);
    buffer.clear();
    buffer.reserve(BUFFER);
    buffer
}

/// Returns the path of an input that is a file of its own.
fn path_of_input(input: &Input) -> PathBuf {
    let name = path_of(input.name);
    match input.place {
        Place::Folder(folder) => folder.join(name),
        Place::Anywhere | Place::Archive { .. } => name,
    }
}

/// Returns the parsed sidecar beside `path`, if there is one.
fn sidecar_beside(path: &Path) -> Result<Option<Arc<Sidecar>>, String> {
    let found = Sidecar::beside(path).map_err(|error| error.to_string())?;
    Ok(found.map(Arc::new))
}

/// Returns the parsed sidecar of a `path` that a user or a list gave. It is an error if two files could be the sidecar.
fn sidecar_of_path(path: &Path) -> Result<Option<Arc<Sidecar>>, String> {
    let found = sidecar_beside(path)?;
    let [stem, name] = sidecar_names(path.as_os_str().as_encoded_bytes()).map(|name| path_of(&name));
    if found.is_some() && stem != name && name.exists() {
        return Err(format!("two sidecars, {} and {}", quote::path(&stem), quote::path(&name)));
    }
    Ok(found)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;
    use std::thread;

    use super::*;

    /// Lengths of files at and around those where the reader changes its way.
    const LENGTHS: [usize; 14] = [0, 1, 4, 511, 512, 513, 4096, 4097, 16383, 16384, 16385, 262_143, 262_144, 262_145];

    fn folder(lengths: &[usize]) -> (tempfile::TempDir, Inputs) {
        let folder = tempfile::tempdir().unwrap();
        for (i, &length) in lengths.iter().enumerate() {
            fs::write(folder.path().join(format!("{i:03}.bin")), bytes(i, length)).unwrap();
        }
        let inputs = Inputs::collect(&[folder.path()]).unwrap();
        assert_eq!(inputs.len(), lengths.len());
        (folder, inputs)
    }

    fn bytes(i: usize, length: usize) -> Vec<u8> {
        (0..length).map(|at| (i + at * 7 + at / 256) as u8).collect()
    }

    /// Whether this machine can read files of this folder ahead.
    fn is_possible(inputs: &Inputs) -> bool {
        let mut reader = FileReader::new(true, true);
        reader.ahead.read(inputs, 2, inputs.len(), &mut reader.folder).is_some()
    }

    #[test]
    fn both_ways_read_all_of_a_file() {
        let (_folder, inputs) = folder(&LENGTHS.repeat(7));
        for ahead in [false, true] {
            let mut reader = FileReader::new(ahead, true);
            for i in 0..inputs.len() {
                let read = reader.read(&inputs, i, inputs.len()).unwrap();
                assert!(read.bytes() == bytes(i, LENGTHS[i % LENGTHS.len()]), "{i} {ahead}");
            }
        }
    }

    #[test]
    fn what_is_not_plainly_whole_is_not_read_ahead() {
        let (_folder, inputs) = folder(&LENGTHS.repeat(7));
        if !is_possible(&inputs) {
            return;
        }
        let mut reader = FileReader::new(true, true);
        for i in 0..inputs.len() {
            let read = reader.ahead.read(&inputs, i, inputs.len(), &mut reader.folder);
            let length = LENGTHS[i % LENGTHS.len()];
            let expected = (!length.is_multiple_of(512) && length < 16 << 10).then(|| bytes(i, length));
            assert_eq!(read.map(|(buffer, _)| buffer.as_ref().as_ref().to_vec()), expected, "{i}");
        }
    }

    /// Buffers that somebody still holds are not overwritten.
    #[test]
    fn files_read_ahead_stay_as_long_as_they_are_wanted() {
        let (_folder, inputs) = folder(&[100; 200]);
        let mut reader = FileReader::new(true, true);
        let kept: Vec<_> = (0..inputs.len()).map(|i| reader.read(&inputs, i, inputs.len()).unwrap()).collect();
        for (i, content) in kept.iter().enumerate() {
            assert_eq!(content.bytes(), bytes(i, 100), "{i}");
        }
    }

    /// The system takes requests only from the thread that made the ring. So requests of another thread fail while
    /// files wait to be read.
    #[test]
    fn a_ring_that_fails_leaves_files_to_the_plain_way() {
        let (_folder, inputs) = folder(&[100; 100]);
        let mut reader = FileReader::new(true, true);
        assert_eq!(reader.read(&inputs, 0, 100).unwrap().bytes(), bytes(0, 100));
        let read = |reader: &mut FileReader, files: std::ops::Range<usize>| {
            for i in files {
                assert_eq!(reader.read(&inputs, i, 100).unwrap().bytes(), bytes(i, 100), "{i}");
            }
        };
        thread::scope(|scope| {
            scope.spawn(|| {
                read(&mut reader, 1..100);
                assert!(reader.ahead.read(&inputs, 0, 100, &mut reader.folder).is_none());
            });
        });
        read(&mut reader, 0..100);
    }

    /// Files of whole sectors are opened ahead in vain, because a read may have stopped early at the end of a sector.
    /// After some time the reader stops trying, and still reads them all.
    #[test]
    fn reading_ahead_in_vain_ends() {
        let (_folder, inputs) = folder(&[&[1024; 400][..], &[100; 40]].concat());
        let mut reader = FileReader::new(true, true);
        for i in 0..inputs.len() {
            let length = if i < 400 { 1024 } else { 100 };
            assert_eq!(reader.read(&inputs, i, inputs.len()).unwrap().bytes(), bytes(i, length), "{i}");
        }
        assert!(reader.ahead.read(&inputs, 410, inputs.len(), &mut reader.folder).is_none());
        // The reader does not stop if files that can be read ahead come in between.
        let mut reader = FileReader::new(true, true);
        let order = (0..400).step_by(32).flat_map(|i| [i, 402]);
        let is_ahead = order.map(|i| reader.ahead.read(&inputs, i, inputs.len(), &mut reader.folder).is_some());
        assert_eq!(is_ahead.last(), Some(is_possible(&folder(&[100; 40]).1)));
    }
}
