//! Which paths mean the device, and which files of the private folder stand for files of the system.

use std::ffi::{CStr, CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::shown;

/// What a path means.
pub enum Meaning {
    /// `/dev/kfd`.
    Kfd,
    /// `/dev/dri/renderD128`.
    Render,
    /// A file of the private folder.
    File(CString),
    /// Whatever it is for the system.
    Other,
}

/// Folder of the system with what ROCm reads of the machine.
const TOPOLOGY: &[u8] = b"/sys/devices/virtual/kfd/kfd/topology";
/// The list of modules, which `rocminfo` looks for amdgpu in.
const MODULES: &[u8] = b"/proc/modules";

/// What the system says of the module, for those who list modules.
const MODULE: &[u8] = b"/sys/module/amdgpu/";

/// Returns what a path means. The device is made if the path asks for it.
pub fn meaning(path: &CStr) -> Meaning {
    let bytes = path.to_bytes();
    // Nearly all paths are none of ours.
    if !(bytes.starts_with(b"/dev/") || bytes.starts_with(b"/sys/") || bytes == MODULES) {
        return Meaning::Other;
    }
    match bytes {
        b"/dev/kfd" => Meaning::Kfd,
        b"/dev/dri/renderD128" => Meaning::Render,
        MODULES => in_folder("modules".as_ref()),
        _ if bytes.starts_with(MODULE) => {
            in_folder(&Path::new("module").join(OsStr::from_bytes(&bytes[MODULE.len()..])))
        }
        _ => match bytes.strip_prefix(TOPOLOGY) {
            Some([]) => in_folder("topology".as_ref()),
            Some([b'/', rest @ ..]) => in_folder(&Path::new("topology").join(OsStr::from_bytes(rest))),
            _ => Meaning::Other,
        },
    }
}

fn in_folder(path: &Path) -> Meaning {
    let Some(shown) = shown::get() else { return Meaning::Other };
    let path = shown.folder.join(path);
    CString::new(path.as_os_str().as_bytes()).map_or(Meaning::Other, Meaning::File)
}
