//! The folder of a launch: its launch file, and what that names. Contents are in the folder `data` of the recording,
//! once each, by their hash. A folder has a name that no reader of recordings takes until it is complete.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use gcnsim_engine::xxh3::xxh3;
use gcnsim_loader::{FileBytes, recorded};
use serde_json::Value;

/// Fewest bytes that are worth a file. Fewer are digits in the launch file.
pub const LITTLE: usize = 256;

/// Number of the next folder of this process that is not complete.
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// A launch file, and what it names.
pub struct Launch {
    /// The launch file. Paths are those of `files`.
    pub tree: Value,
    /// The files.
    pub files: Files,
}

/// The files of a launch.
#[derive(Default)]
pub struct Files {
    /// Contents by name.
    contents: HashMap<String, FileBytes>,
    /// Names in the folder of the launch, and the names of their contents.
    links: Vec<(&'static str, String)>,
}

impl Files {
    /// Adds contents. Returns their path for the launch file.
    pub fn add(&mut self, bytes: &[u8]) -> String {
        let name = self.content(&FileBytes::from(bytes.to_vec()));
        format!("../{}/{name}", recorded::DATA)
    }

    /// Adds contents under a name in the folder of the launch. Returns their path for the launch file.
    pub fn add_file(&mut self, name: &'static str, bytes: &FileBytes) -> &'static str {
        let content = self.content(bytes);
        self.links.push((name, content));
        name
    }

    fn content(&mut self, bytes: &FileBytes) -> String {
        let hash = xxh3(bytes.as_ref());
        for number in 0.. {
            let name = if number == 0 { format!("{hash:016x}.bin") } else { format!("{hash:016x}-{number}.bin") };
            match self.contents.get(&name) {
                Some(known) if known.as_ref() != bytes.as_ref() => continue,
                Some(_) => {}
                None => drop(self.contents.insert(name.clone(), bytes.clone())),
            }
            return name;
        }
        String::new()
    }
}

/// Why there is no folder.
pub enum Failed {
    /// It has more bytes than may be written.
    TooLarge,
    /// The system refused.
    Io(io::Error),
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Failed {
        Failed::Io(error)
    }
}

/// A folder that is complete but for its name. It goes when this is dropped.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    bytes: u64,
    /// Whether it has its name.
    is_named: bool,
}

impl Folder {
    /// Writes a folder, which may have `most` bytes.
    pub fn write(recording: &Path, tree: &Value, files: Files, most: u64) -> Result<Folder, Failed> {
        let text = serde_json::to_string_pretty(tree).map_err(io::Error::from)?;
        let data = recording.join(recorded::DATA);
        let is_new = |name: &String, bytes: &FileBytes| {
            fs::metadata(data.join(name)).map_or(true, |meta| meta.len() != bytes.as_ref().len() as u64)
        };
        let new = files.contents.iter().filter(|(name, bytes)| is_new(name, bytes));
        let bytes = new.map(|(_, bytes)| bytes.as_ref().len() as u64).sum::<u64>() + text.len() as u64;
        if bytes > most {
            return Err(Failed::TooLarge);
        }
        fs::create_dir_all(&data)?;
        // Nobody else writes files with this name.
        let own = format!("{}-{}", std::process::id(), NUMBER.fetch_add(1, Relaxed));
        for (name, bytes) in files.contents.iter().filter(|(name, bytes)| is_new(name, bytes)) {
            // A reader never sees a part of it.
            let part = data.join(format!(".{name}.{own}"));
            fs::write(&part, bytes).and_then(|()| fs::rename(&part, data.join(name))).inspect_err(|_| {
                let _ = fs::remove_file(&part);
            })?;
        }
        let path = recording.join(format!(".{own}"));
        // What an earlier process with this number has left.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path)?;
        let folder = Folder { path, bytes, is_named: false };
        fs::write(folder.path.join(recorded::LAUNCH), text)?;
        for (name, content) in &files.links {
            link(&data, content, &folder.path.join(name))?;
        }
        Ok(folder)
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the number of bytes that the recording has more with it.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Gives it its name.
    pub fn rename(mut self, to: &Path) -> io::Result<()> {
        fs::rename(&self.path, to)?;
        self.is_named = true;
        Ok(())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.is_named {
            // Readers do not take it if it stays.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// Makes a file of the folder of a launch with contents of the recording: a link if possible.
fn link(data: &Path, content: &str, to: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if std::os::unix::fs::symlink(Path::new("..").join(recorded::DATA).join(content), to).is_ok() {
        return Ok(());
    }
    fs::copy(data.join(content), to).map(drop)
}
