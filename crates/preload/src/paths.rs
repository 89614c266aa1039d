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

/// Folder of the system with what libdrm reads of the device of the render node, and its real name.
const NODE: &[u8] = b"/sys/dev/char/226:128/device/";
const PCI: &[u8] = b"/sys/devices/pci0000:00/0000:03:00.0/";

/// Returns where a link of the device leads.
pub fn link(path: &CStr) -> Option<&'static CStr> {
    let name = path.to_bytes().strip_prefix(NODE)?;
    match name {
        b"subsystem" => Some(c"/sys/bus/pci"),
        b"driver" => Some(c"/sys/bus/pci/drivers/amdgpu"),
        _ => None,
    }
}

/// Returns the real name of a path of the device.
pub fn real(path: &CStr) -> Option<&'static CStr> {
    match path.to_bytes() {
        b"/sys/dev/char/226:128/device" => Some(c"/sys/devices/pci0000:00/0000:03:00.0"),
        b"/sys/dev/char/226:128" => Some(c"/sys/devices/pci0000:00/0000:03:00.0/drm/renderD128"),
        b"/dev/dri/renderD128" => Some(c"/dev/dri/renderD128"),
        _ => None,
    }
}

/// Returns what a path means. The device is made if the path asks for it.
pub fn meaning(path: &CStr) -> Meaning {
    let bytes = path.to_bytes();
    // Nearly all paths are none of ours.
    if !(bytes.starts_with(b"/dev/") || bytes.starts_with(b"/sys/") || bytes == MODULES) {
        return Meaning::Other;
    }
    match bytes {
        b"/dev/kfd" if has_rocm() => Meaning::Kfd,
        b"/dev/dri/renderD128" => Meaning::Render,
        MODULES => in_folder("modules".as_ref()),
        b"/dev/dri" => in_folder("dri".as_ref()),
        _ if bytes.starts_with(NODE) || bytes.starts_with(PCI) => {
            let root = if bytes.starts_with(NODE) { NODE } else { PCI };
            in_folder(&Path::new("pci").join(OsStr::from_bytes(&bytes[root.len()..])))
        }
        _ if bytes.starts_with(MODULE) => {
            in_folder(&Path::new("module").join(OsStr::from_bytes(&bytes[MODULE.len()..])))
        }
        _ => match bytes.strip_prefix(TOPOLOGY).filter(|_| has_rocm()) {
            Some([]) => in_folder("topology".as_ref()),
            Some([b'/', rest @ ..]) => in_folder(&Path::new("topology").join(OsStr::from_bytes(rest))),
            _ => Meaning::Other,
        },
    }
}

/// Whether the device has the door of ROCm. If not, the user is told.
fn has_rocm() -> bool {
    shown::get().is_some_and(|shown| shown.gpu.has_rocm())
}

fn in_folder(path: &Path) -> Meaning {
    let Some(shown) = shown::get() else { return Meaning::Other };
    let path = shown.folder.join(path);
    CString::new(path.as_os_str().as_bytes()).map_or(Meaning::Other, Meaning::File)
}
