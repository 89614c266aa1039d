//! Finds the launch file beside a code object: a `.toml` or `.json` of the same stem with the key `launch`.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::launch::{LaunchFile, Syntax};
use gcnsim_loader::{LoadError, recorded};

/// The text of a launch file, and its path.
#[derive(Clone, Debug)]
pub struct LaunchText {
    /// Path of the file.
    pub path: PathBuf,
    /// Contents of the file.
    pub text: String,
    /// Language of the contents.
    pub syntax: Syntax,
}

/// Error of finding a launch file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BesideError {
    /// A file cannot be read.
    #[error("{}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of reading it.
        error: LoadError,
    },
    /// Two files beside the code object could be its launch file.
    #[error("two sidecars, {} and {}: nobody can say which counts", .0.display(), .1.display())]
    Two(PathBuf, PathBuf),
}

impl LaunchText {
    /// Reads a launch file. Its extension says whether it is JSON or TOML.
    ///
    /// # Errors
    /// [`BesideError::Read`].
    pub fn read(path: &Path) -> Result<LaunchText, BesideError> {
        let syntax = Syntax::of_path(path);
        match gcnsim_loader::read_text(path) {
            Ok(text) => Ok(LaunchText { path: path.to_owned(), text, syntax }),
            Err(error) => Err(BesideError::Read { path: path.to_owned(), error }),
        }
    }

    /// Returns the folder of the file. Paths in the file are relative to it.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// Whether the text looks like a launch file, but is not one.
    pub fn is_lookalike(&self) -> bool {
        !self.is_launch() && LaunchFile::is_lookalike(&self.text, self.syntax)
    }

    /// Whether the text is a launch file, and not a sidecar of another kind.
    pub fn is_launch(&self) -> bool {
        match self.syntax {
            Syntax::Json => LaunchFile::is_launch_json(&self.text),
            Syntax::Toml => LaunchFile::is_launch_toml(&self.text),
        }
    }
}

/// Returns the launch file beside the file `object`, if there is one. A [`launch.json`](recorded), or its folder, is its
/// own.
///
/// # Errors
/// [`BesideError`] if there are two launch files, or one that cannot be read.
pub fn beside(object: &Path) -> Result<Option<LaunchText>, BesideError> {
    if object.as_os_str() == "-" {
        return Ok(None);
    }
    if let Some(path) = recorded::launch_file(object) {
        return LaunchText::read(&path).map(Some);
    }
    let at = |extension: &str| Some(object.with_extension(extension)).filter(|path| path != object && path.is_file());
    let (toml, json) = (at("toml"), at("json"));
    let read = |path: &PathBuf| LaunchText::read(path).map(|text| Some(text).filter(LaunchText::is_launch));
    let launch_json = json.as_ref().map_or(Ok(None), read)?;
    match (&toml, launch_json) {
        (Some(toml), Some(json)) => Err(BesideError::Two(toml.clone(), json.path)),
        (Some(toml), None) => read(toml),
        (None, json) => Ok(json),
    }
}

/// Returns the file with the stem of a code object that looks like a launch file, but is not one.
pub fn lookalike(object: &Path) -> Option<PathBuf> {
    if object.as_os_str() == "-" || !is_object(object) {
        return None;
    }
    let paths = ["json", "toml"].map(|extension| object.with_extension(extension));
    let read = |path: &PathBuf| LaunchText::read(path).ok().filter(LaunchText::is_lookalike);
    paths.iter().filter(|path| *path != object && path.is_file()).find_map(read).map(|text| text.path)
}

/// Whether a file begins like a code object.
fn is_object(path: &Path) -> bool {
    let mut head = Vec::new();
    // Only regular files are read: reading a pipe here would take its bytes away from the run.
    let file = path.is_file().then(|| File::open(path).ok()).flatten();
    file.is_some_and(|file| file.take(64).read_to_end(&mut head).is_ok()) && gcnsim_loader::is_code_object(&head)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_has_launches_is_a_launch_file() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let found = |files: &[(&str, &str)]| {
            for name in ["a.toml", "a.json"] {
                let _ = fs::remove_file(at(name));
            }
            files.iter().for_each(|(name, text)| fs::write(at(name), text).unwrap());
            let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
            beside(&at("a.co"))
                .map(|found| found.map(|text| (name(&text.path), text.syntax)))
                .map_err(|e| e.to_string())
        };
        let json = || Ok(Some(("a.json".to_owned(), Syntax::Json)));
        assert_eq!(found(&[]), Ok(None));
        assert_eq!(found(&[("a.json", r#"{"launch": []}"#)]), json());
        assert_eq!(found(&[("a.json", r#"{"launch": [,]}"#)]), json(), "broken, and meant as one");
        assert_eq!(found(&[("a.json", r#"{"lunch": []}"#)]), Ok(None));
        assert_eq!(found(&[("a.toml", "launch = []")]), Ok(Some(("a.toml".to_owned(), Syntax::Toml))));
        fs::write(at("a.co"), b"\x7fELF").unwrap();
        let like = |name: &str, text: &str| {
            for name in ["a.toml", "a.json"] {
                let _ = fs::remove_file(at(name));
            }
            fs::write(at(name), text).unwrap();
            lookalike(&at("a.co")).is_some()
        };
        assert!(like("a.json", r#"{"lunch": []}"#) && like("a.json", r#"[{"kernel": "k", "grid": 1}]"#));
        assert!(
            like("a.json", r#"{"kernel": "k"}"#) && like("a.toml", "grid = 1") && like("a.json", r#"{"launches": []}"#)
        );
        assert!(!like("a.json", r#"{"launch": []}"#) && !like("a.json", r#"{"sgpr": {}}"#) && !like("a.json", "{"));
        assert!(!like("a.toml", "arch = 'gfx900'") && !like("b.json", r#"{"lunch": []}"#));
        assert_eq!(found(&[("a.toml", "arch = \"gfx900\"")]), Ok(None), "a sidecar of raw programs");
        assert_eq!(
            found(&[("a.toml", "launch = []"), ("a.json", "{}")]),
            Ok(Some(("a.toml".to_owned(), Syntax::Toml)))
        );
        for toml in ["launch = []", "arch = \"gfx900\""] {
            let two = found(&[("a.toml", toml), ("a.json", r#"{"launch": []}"#)]).unwrap_err();
            assert!(two.starts_with("two sidecars, ") && two.contains("a.toml and "), "{two}");
        }
    }
}
