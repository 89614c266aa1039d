//! Finds shaders below folders.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::{is_code_object, recorded};

/// File name extensions of shaders.
const EXTENSIONS: &[&str] = &["bin", "co", "hsaco", "hipfb", "o", "elf", "rgp", "sb"];

/// The result of a walk.
#[derive(Debug, Default)]
pub struct Found {
    /// Paths of shaders, in the order of the arguments. Those below a folder are sorted by name.
    pub files: Vec<PathBuf>,
    /// Number of files below folders that were left out, because they do not look like shaders.
    pub skipped: u64,
    /// Those of them that are JSON or TOML by name: sidecars, launch files and others.
    pub texts: Vec<PathBuf>,
    /// Paths that could not be read, and folders among the arguments that have no shader.
    pub errors: Vec<(PathBuf, io::Error)>,
}

/// Lists the shaders in `paths`. A path that is no folder is taken in any case. Below a folder, at any depth, files are
/// taken if they have a shader's extension or begin like an ELF file or a container, and [`recorded::LAUNCH`] if it names
/// its code. Of a recording only the folders of launches are visited. Symbolic links are followed, and
/// each folder is visited once.
pub fn walk<P: AsRef<Path>>(paths: &[P]) -> Found {
    let mut found = Found::default();
    let mut visited = HashSet::new();
    for path in paths {
        let path = path.as_ref();
        if path.as_os_str() != "-" && path.is_dir() {
            let before = (found.files.len() + found.errors.len(), visited.len());
            walk_folder(path, &mut visited, &mut found);
            if found.files.len() + found.errors.len() == before.0 && visited.len() > before.1 {
                found.errors.extend(without_shaders(path).map(|error| (path.to_owned(), error)));
            }
        } else {
            found.files.push(path.to_owned());
        }
    }
    found
}

/// Returns the error of a folder without shaders; `None` if there are any, which another argument may have given.
fn without_shaders(folder: &Path) -> Option<io::Error> {
    let mut found = Found::default();
    walk_folder(folder, &mut HashSet::new(), &mut found);
    let is_without = found.files.is_empty() && found.errors.is_empty();
    is_without.then(|| io::Error::other(format!("no shaders in this folder ({} other files)", found.skipped)))
}

fn walk_folder(folder: &Path, visited: &mut HashSet<PathBuf>, found: &mut Found) {
    let listing = fs::canonicalize(folder).and_then(|canonical| {
        if !visited.insert(canonical) {
            return Ok(Vec::new());
        }
        let mut names = fs::read_dir(folder)?.map(|e| Ok(e?.path())).collect::<io::Result<Vec<_>>>()?;
        names.sort();
        Ok(names)
    });
    let names = match listing {
        Ok(names) => names,
        Err(error) => return found.errors.push((folder.to_owned(), error)),
    };
    let is_recording = folder.join(recorded::LIST).is_file();
    let launch = folder.join(recorded::LAUNCH);
    let has_launch = launch.is_file() && recorded::names_code(&launch);
    for path in names {
        match fs::metadata(&path) {
            Ok(meta) if meta.is_dir() && is_recording && !recorded::is_of_launch(&path) => {}
            Ok(meta) if meta.is_dir() => walk_folder(&path, visited, found),
            Ok(meta) if meta.is_file() && has_launch => match path == launch {
                true => found.files.push(path),
                false => found.skipped += 1,
            },
            Ok(meta) if meta.is_file() => match looks_like_shader(&path) {
                Ok(true) => found.files.push(path),
                Ok(false) => {
                    found.skipped += 1;
                    if path.extension().is_some_and(|extension| extension == "json" || extension == "toml") {
                        found.texts.push(path);
                    }
                }
                Err(error) => found.errors.push((path, error)),
            },
            Ok(_) => found.skipped += 1,
            Err(error) => found.errors.push((path, error)),
        }
    }
}

fn looks_like_shader(path: &Path) -> io::Result<bool> {
    let extension = path.extension().and_then(|e| e.to_str());
    if extension.is_some_and(|e| EXTENSIONS.contains(&e)) {
        return Ok(true);
    }
    let mut head = Vec::new();
    File::open(path)?.take(32).read_to_end(&mut head)?;
    Ok(is_code_object(&head))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_give_shaders_by_name_and_by_content() {
        let root = tempfile::tempdir().unwrap();
        let deep = root.path().join("b/deeper");
        fs::create_dir_all(&deep).unwrap();
        fs::write(root.path().join("a.bin"), [0; 4]).unwrap();
        fs::write(root.path().join("a.toml"), "").unwrap();
        fs::write(deep.join("kernel"), b"\x7fELF").unwrap();
        fs::write(deep.join("notes.txt"), "hello").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(root.path(), deep.join("loop")).unwrap();
        let found = walk(&[root.path()]);
        let names: Vec<_> = found.files.iter().map(|p| p.strip_prefix(root.path()).unwrap().to_owned()).collect();
        assert_eq!(names, [PathBuf::from("a.bin"), PathBuf::from("b/deeper/kernel")]);
        assert_eq!((found.skipped, found.errors.len()), (2, 0));
    }

    #[test]
    fn a_folder_without_shaders_is_an_error() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("a/deeper")).unwrap();
        fs::write(root.path().join("a/notes.txt"), "hello").unwrap();
        let found = walk(&[root.path().join("a"), root.path().join("a")]);
        let errors: Vec<_> = found.errors.iter().map(|(path, error)| (path.clone(), error.to_string())).collect();
        assert_eq!(errors, [(root.path().join("a"), "no shaders in this folder (1 other files)".to_owned())]);

        // A folder that is given twice has shaders.
        fs::write(root.path().join("a/b.bin"), [0; 4]).unwrap();
        let found = walk(&[root.path().join("a"), root.path().to_owned(), root.path().join("a")]);
        assert_eq!((found.files.len(), found.errors.len()), (1, 0));
    }

    #[test]
    fn files_given_by_name_are_kept_even_if_missing() {
        let found = walk(&["-", "/does/not/exist.bin"]);
        assert_eq!(found.files.len(), 2);
    }
}
