//! Decides the generation of a raw file: `--arch`, if given, then the file's sidecar, then (with `--arch-from-path`)
//! its folders. If none of them states one, the default is taken and counted as a guess.

use gcnsim_isa::Arch;

use crate::file::Input;
use gcnsim_launches::sidecar::Sidecar;
use gcnsim_loader::{DEFAULT_ARCH, Reading};

/// The source of a file's generation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArchSource {
    /// The file or its sidecar states the generation.
    Own,
    /// The user stated it, by `--arch` or by names of folders with `--arch-from-path`.
    User,
    /// Nothing states it, so the default was taken.
    Guess,
}

/// How the files are read that are no code objects.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct RawFiles {
    /// Their generation. If it is `None`, a sidecar may set it.
    pub arch: Option<Arch>,
    /// Whether folders with names of generations (`gfx803/`) set the generation of the files in them, if neither `arch`
    /// nor a sidecar does.
    pub arch_from_path: bool,
    /// Whether they are taken as dwords even if they look like something else.
    pub any: bool,
}

impl RawFiles {
    /// Sets the generation, whatever sidecars say.
    #[must_use]
    pub fn arch(self, arch: Arch) -> RawFiles {
        RawFiles { arch: Some(arch), ..self }
    }

    /// Lets folders with names of generations set the generation of the files in them.
    #[must_use]
    pub fn arch_from_path(self) -> RawFiles {
        RawFiles { arch_from_path: true, ..self }
    }

    /// Takes as dwords even what looks like something else.
    #[must_use]
    pub fn any(self) -> RawFiles {
        RawFiles { any: true, ..self }
    }

    /// Returns how the loader reads a file whose generation is `arch`, unless it states its own.
    pub fn reading(&self, arch: Option<Arch>) -> Reading {
        let mut reading = Reading::default().arch(arch);
        reading.raw = self.any;
        reading
    }

    /// Returns the generation of a raw file and its source.
    pub fn arch_of(&self, input: &Input, sidecar: Option<&Sidecar>) -> (Arch, ArchSource) {
        let from_path = || arch_of_folders(input.name).or(input.place_arch).filter(|_| self.arch_from_path);
        let own = sidecar.and_then(|sidecar| sidecar.arch);
        match (self.arch, own) {
            (Some(arch), _) => (arch, ArchSource::User),
            (None, Some(arch)) => (arch, ArchSource::Own),
            (None, None) => from_path().map_or((DEFAULT_ARCH, ArchSource::Guess), |arch| (arch, ArchSource::User)),
        }
    }
}

/// Returns the generation that the folders in `path` name. The innermost folder with a name that `--arch` accepts
/// (`gcn1.2`, `gfx803`, `fiji`, in any case) decides. The part after the last slash is a file and is ignored.
pub fn arch_of_folders(path: &[u8]) -> Option<Arch> {
    let mut parts = path.rsplit(|&byte| byte == b'/');
    parts.next();
    parts.find_map(|folder| std::str::from_utf8(folder).ok()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_folder_decides() {
        for (path, expected) in [
            ("gfx600/a.bin", Some(Arch::Gcn10)),
            ("gfx600/x/GFX803/y/a.bin", Some(Arch::Gcn12)),
            ("/fiji/gcn1.1/a.bin", Some(Arch::Gcn11)),
            ("gfx600", None),
            ("x/gfx600", None),
            ("x-gfx600/gfx600.tar/a.bin", None),
            ("a.bin", None),
            ("", None),
        ] {
            assert_eq!(arch_of_folders(path.as_bytes()), expected, "{path}");
        }
    }
}
