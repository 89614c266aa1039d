//! Some programs on simulated chips, under Mesa's driver. Where the driver, the loader of Vulkan or the library of
//! `gcnsim device` is not there, nothing runs.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The programs of this test; `.ci/programs` runs all.
const NAMES: [&str; 6] = ["saxpy", "int64", "atomics", "subgroup_arithmetic_u32", "dispatch_indirect", "timeline"];
/// A chip of each family of generations.
const CHIPS: [&str; 4] = ["pitcairn", "bonaire", "polaris10", "vega10"];

/// Returns the list of Mesa's driver, and the library, where Cargo builds both for the whole workspace.
fn system() -> Result<(PathBuf, PathBuf), &'static str> {
    let files = std::fs::read_dir("/usr/share/vulkan/icd.d").map_err(|_| "no drivers of Vulkan")?;
    let is_it = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("radeon_icd") && name.contains(std::env::consts::ARCH)
    };
    let driver = files.flatten().map(|entry| entry.path()).find(is_it).ok_or("no driver of Mesa for AMD")?;
    let library = Path::new(env!("CARGO_BIN_EXE_vulkan-programs")).with_file_name("libgcnsim_device.so");
    if library.is_file() { Ok((driver, library)) } else { Err("libgcnsim_device.so was not built") }
}

#[test]
fn programs_on_four_chips() {
    let (driver, library) = match system() {
        Ok(system) => system,
        Err(why) => return println!("skipped: {why}"),
    };
    for chip in CHIPS {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vulkan-programs"));
        command.args(NAMES).env("LD_PRELOAD", &library).env("GCNSIM_CHIP", chip);
        command.env("VK_ICD_FILENAMES", &driver).env("VK_DRIVER_FILES", &driver);
        let done = command.output().unwrap();
        let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        if err.contains("no loader of Vulkan") {
            return println!("skipped: no loader of Vulkan");
        }
        assert!(done.status.success(), "{chip}:\n{out}\n{err}");
        // Both families of queues.
        let last = out.lines().last().unwrap_or_default();
        assert_eq!(last, format!("{} right, 0 skipped, 0 wrong", 2 * NAMES.len()), "{chip}:\n{out}\n{err}");
    }
}
