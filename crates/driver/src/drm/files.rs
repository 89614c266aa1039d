//! The files that describe the device on its bus, as libdrm reads them.

use crate::chips::Chip;
use crate::kfd::topology::File;

/// Returns the files of the device's folder, `/sys/dev/char/226:128/device`.
pub fn files(chip: &Chip) -> Vec<File> {
    let uevent = format!(
        "DRIVER=amdgpu\nPCI_CLASS=30000\nPCI_ID=1002:{:04X}\nPCI_SUBSYS_ID=1002:0B36\nPCI_SLOT_NAME=0000:03:00.0\n",
        chip.device
    );
    let files = [
        ("uevent", uevent),
        ("vendor", "0x1002\n".to_owned()),
        ("subsystem_vendor", "0x1002\n".to_owned()),
        ("device", format!("{:#06x}\n", chip.device)),
        ("subsystem_device", "0x0b36\n".to_owned()),
        ("revision", format!("{:#04x}\n", chip.revision)),
        // A folder with the name of the node.
        ("drm/renderD128/dev", "226:128\n".to_owned()),
    ];
    files.map(|(path, text)| (path.to_owned(), text)).into()
}
