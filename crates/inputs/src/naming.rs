//! Tells shaders and sidecars by their file names.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::file::SidecarAt;
use gcnsim_loader::recorded;

/// Extensions of files that are shaders.
const EXTENSIONS: &[&[u8]] = &[b"bin", b"co", b"hsaco", b"hipfb", b"o", b"elf", b"rgp", b"sb", b"clo"];

/// Whether `name` has an extension of shaders.
pub fn has_shader_name(name: &[u8]) -> bool {
    name.rsplit_once_byte(b'.').is_some_and(|(_, extension)| EXTENSIONS.contains(&extension))
}

/// Whether `name` has an extension of code objects or bundles. (Raw programs are called `.bin`.)
pub fn has_object_name(name: &[u8]) -> bool {
    has_shader_name(name) && !name.ends_with(b".bin")
}

/// Names in a folder that may be those of sidecars (`STEM.toml`, or `STEM.json` of code objects), and whether each
/// belongs to a shader.
#[derive(Default)]
pub struct Sidecars<'a>(HashMap<&'a [u8], bool>);

impl<'a> Sidecars<'a> {
    pub fn among(names: impl Iterator<Item = &'a [u8]>) -> Sidecars<'a> {
        Sidecars(names.filter(|name| is_sidecar_name(name)).map(|name| (name, false)).collect())
    }

    /// Returns the place of the sidecar of file `name`, and marks it as used.
    pub fn beside(&mut self, name: &[u8]) -> SidecarAt {
        if self.0.is_empty() {
            return SidecarAt::Nowhere;
        }
        let mut is_there = |sidecar: &Vec<u8>| self.0.get_mut(sidecar.as_slice()).map(|used| *used = true).is_some();
        let [by_stem, by_name] = sidecar_names(name);
        let by_stem = is_there(&by_stem);
        match (by_stem, by_stem && is_there(&by_name)) {
            (true, true) => SidecarAt::Twice,
            (true, false) => SidecarAt::Beside,
            (false, _) => SidecarAt::Nowhere,
        }
    }

    /// Whether file `name` has a `STEM.json` and is a code object. If so, the `STEM.json` is marked as used.
    pub fn launches_beside(&mut self, name: &[u8], is_object: impl FnOnce() -> bool) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let Some(used) = self.0.get_mut(launches_name(name).as_slice()) else { return false };
        let belongs = is_object();
        *used |= belongs;
        belongs
    }

    /// Returns the names of sidecars that belong to no shader.
    pub fn unused(&self) -> impl Iterator<Item = &'a [u8]> {
        self.0.iter().filter(|(_, used)| !**used).map(|(name, _)| *name)
    }

    /// Returns the names of all sidecars.
    pub fn names(&self) -> impl Iterator<Item = &'a [u8]> {
        self.0.keys().copied()
    }

    /// Returns the number of sidecars that belong to a shader.
    pub fn used(&self) -> u64 {
        self.0.values().filter(|used| **used).count() as u64
    }
}

/// Returns the names of the sidecar of a file: `a.toml`, which is the sidecar of `a.bin`, and `a.bin.toml`, which could
/// be mistaken for it.
pub fn sidecar_names(name: &[u8]) -> [Vec<u8>; 2] {
    [stem(name), name].map(|base| [base, b".toml"].concat())
}

/// Returns the name of the launch file of a code object: `a.json` for `a.co`.
pub fn launches_name(name: &[u8]) -> Vec<u8> {
    [stem(name), b".json"].concat()
}

/// Whether a file of this name can be a sidecar.
pub fn is_sidecar_name(name: &[u8]) -> bool {
    name.ends_with(b".toml") || name.ends_with(b".json")
}

/// Whether `name` is that of a launch file that names its code ([`recorded`](gcnsim_loader::recorded)).
pub fn is_launch_name(name: &[u8]) -> bool {
    let before = name.strip_suffix(recorded::LAUNCH.as_bytes());
    before.is_some_and(|folder| folder.is_empty() || folder.ends_with(b"/"))
}

fn stem(name: &[u8]) -> &[u8] {
    let file_start = name.iter().rposition(|&b| b == b'/').map_or(0, |slash| slash + 1);
    let dot = name[file_start..].iter().rposition(|&b| b == b'.').filter(|&dot| dot > 0);
    dot.map_or(name, |dot| &name[..file_start + dot])
}

trait RsplitOnceByte {
    fn rsplit_once_byte(&self, byte: u8) -> Option<(&[u8], &[u8])>;
}

impl RsplitOnceByte for [u8] {
    fn rsplit_once_byte(&self, byte: u8) -> Option<(&[u8], &[u8])> {
        let at = self.iter().rposition(|&b| b == byte)?;
        Some((&self[..at], &self[at + 1..]))
    }
}

/// Whether a file begins like an ELF file or an offload bundle.
pub fn begins_like_shader(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(32).read_to_end(&mut head));
    read.is_ok() && gcnsim_loader::is_code_object(&head)
}

/// Whether `name` is that of a compressed archive, which would have to be unpacked first.
pub fn is_compressed_archive(name: &[u8]) -> bool {
    [".tar.gz", ".tgz", ".tar.xz", ".tar.zst", ".tar.bz2"].iter().any(|end| name.ends_with(end.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sidecars_are_named_after_the_stem() {
        let expect = |name: &str, stem: &str| {
            let found = sidecar_names(name.as_bytes()).map(|n| String::from_utf8(n).unwrap());
            assert_eq!(found, [format!("{stem}.toml"), format!("{name}.toml")]);
            assert_eq!(launches_name(name.as_bytes()), format!("{stem}.json").into_bytes());
        };
        expect("a.bin", "a");
        expect("d.x/a", "d.x/a");
        expect("d/.hidden", "d/.hidden");
        expect("a.b.co", "a.b");
    }
}
