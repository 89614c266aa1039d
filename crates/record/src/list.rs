//! The list of a recording: `record.jsonl`, a line a dispatch.
//!
//! Who adds a line holds a lock of the file. A folder gets its name before its line is written, so that each folder of
//! the list is whole. Numbers of folders go on behind the highest one that is there, in the list or as a folder.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use gcnsim_loader::recorded;
use serde::Serialize;
use serde_json::Value;

use crate::RecordError;
use crate::folder::Folder;

/// Most characters of a name in the name of a folder.
const MOST_NAME: usize = 64;

/// A line. The list sets its number, its size and its folder.
#[derive(Clone, Debug, Serialize)]
pub struct Line<'a> {
    pub schema: &'a str,
    pub index: u64,
    pub name: &'a str,
    pub kernel: Option<&'a str>,
    pub chip: &'a str,
    pub grid: [u32; 3],
    pub group: [u32; 3],
    pub instructions: u64,
    pub outcome: &'a str,
    pub run_ns: u64,
    pub form: Option<&'a str>,
    pub folder: Option<String>,
    pub bytes: u64,
    pub reason: Option<&'a str>,
}

/// The list, open for more lines.
#[derive(Debug)]
pub struct List {
    folder: PathBuf,
    file: File,
    /// Size in bytes of the part that has been read.
    read: u64,
    /// The number of the next line.
    next: u64,
    /// Number of bytes that the recording has.
    bytes: u64,
}

impl List {
    /// Returns the path of the list of a recording.
    pub fn path(folder: &Path) -> PathBuf {
        folder.join(recorded::LIST)
    }

    /// Opens a list, or begins one.
    pub fn open(folder: &Path) -> Result<List, RecordError> {
        let path = List::path(folder);
        let file = OpenOptions::new().read(true).append(true).create(true).open(&path);
        let file = file.map_err(RecordError::at(&path))?;
        let mut list = List { folder: folder.to_owned(), file, read: 0, next: 0, bytes: 0 };
        // A folder whose line was not written any more keeps its number.
        list.next =
            fs::read_dir(folder).map_err(RecordError::at(folder))?.flatten().filter_map(number).max().unwrap_or(0);
        list.locked(|_| Ok(()))?;
        Ok(list)
    }

    /// Returns the number of bytes of the recording, as far as it is known without reading the list again.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Adds a line, and gives its folder a name. Returns the name.
    pub fn add(&mut self, line: Line<'_>, folder: Option<Folder>) -> Result<Option<String>, RecordError> {
        self.locked(|list| {
            let bytes = folder.as_ref().map_or(0, Folder::bytes);
            let folder = folder.map(|folder| list.name(folder, line.name)).transpose()?;
            let line = Line { index: list.next, folder: folder.clone(), bytes, ..line };
            let wrong = RecordError::at(&List::path(&list.folder));
            let text = serde_json::to_string(&line).map(|line| line + "\n").map_err(std::io::Error::from);
            let written = text.and_then(|text| list.file.write_all(text.as_bytes()).map(|()| text.len() as u64));
            let written = written.map_err(wrong)?;
            (list.read, list.next, list.bytes) = (list.read + written, list.next + 1, list.bytes + bytes);
            Ok(folder)
        })
    }

    /// Gives a folder a name that no other one has.
    fn name(&mut self, folder: Folder, name: &str) -> Result<String, RecordError> {
        let name = file_name(name);
        loop {
            let named = format!("{:06}-{name}", self.next);
            let to = self.folder.join(&named);
            if !to.exists() {
                return folder.rename(&to).map(|()| named).map_err(RecordError::at(&to));
            }
            self.next += 1;
        }
    }

    /// Calls a function while no other process writes, after reading what others have added.
    fn locked<T>(&mut self, call: impl FnOnce(&mut List) -> Result<T, RecordError>) -> Result<T, RecordError> {
        let path = List::path(&self.folder);
        self.file.lock().map_err(RecordError::at(&path))?;
        let result = self.catch_up().map_err(RecordError::at(&path)).and_then(|()| call(self));
        // The system takes the lock back at the latest when the process ends.
        let _ = self.file.unlock();
        result
    }

    /// Reads what other processes have added. A torn last line gets its end.
    fn catch_up(&mut self) -> std::io::Result<()> {
        let len = self.file.metadata()?.len();
        if len <= self.read {
            return Ok(());
        }
        let mut text = Vec::new();
        self.file.seek(SeekFrom::Start(self.read))?;
        (&self.file).take(len - self.read).read_to_end(&mut text)?;
        if text.last() != Some(&b'\n') {
            self.file.write_all(b"\n")?;
            text.push(b'\n');
        }
        self.read += text.len() as u64;
        for line in text.split(|&byte| byte == b'\n') {
            let Ok(Value::Object(line)) = serde_json::from_slice(line) else { continue };
            let number = |key: &str| line.get(key).and_then(Value::as_u64);
            self.bytes = self.bytes.saturating_add(number("bytes").unwrap_or(0));
            self.next = self.next.max(number("index").map_or(0, |index| index.saturating_add(1)));
        }
        Ok(())
    }
}

/// Returns the number behind that of a folder of a launch.
fn number(entry: fs::DirEntry) -> Option<u64> {
    let name = entry.file_name();
    let is_launch = recorded::is_of_launch(Path::new(&name));
    let number = name.to_str()?.split('-').next()?.parse::<u64>().ok()?;
    is_launch.then_some(number + 1)
}

/// Returns a name for a folder: letters, digits and a few signs of `name`, without the types of parameters.
fn file_name(name: &str) -> String {
    let name = name.split_once('(').map_or(name, |(name, _)| name);
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let name: String = name.chars().map(|c| if fits(c) { c } else { '_' }).take(MOST_NAME).collect();
    if name.is_empty() { "launch".to_owned() } else { name }
}
