//! Compute programs of Vulkan with results that are computed here, too. They run on the device that the system's driver
//! shows: a card, a CPU driver (lavapipe), or the one of `gcnsim device`.
//!
//! Each case prints a line, with a hash of its results if these are the same on every device. `build` makes the
//! SPIR-V of the shaders.
// Each call of Vulkan is unsafe. All of them get handles that `Gpu` has made, which live until the case has ended, and
// structures that live while the call runs.
#![allow(clippy::undocumented_unsafe_blocks)]

mod buffer;
mod cases;
mod gpu;
mod image;
mod job;
mod outcome;
mod texel;

use std::process::ExitCode;

use gpu::Gpu;
use outcome::Stop;

const HELP: &str =
    "vulkan-programs [--family N] [--list] [NAME..]: runs cases on queues of all families for compute, or of one";

/// Runs the cases that arguments name, or all. The exit code is 0 if none was wrong, 2 if there is no device.
pub fn main(args: impl Iterator<Item = String>) -> ExitCode {
    let (mut family, mut names) = (None, Vec::new());
    let mut args = args;
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--list" => {
                cases::all().for_each(|case| println!("{}", case.0));
                return ExitCode::SUCCESS;
            }
            "--family" => family = args.next().and_then(|number| number.parse().ok()),
            _ if arg.starts_with('-') => {
                eprintln!("{HELP}");
                return ExitCode::from(2);
            }
            _ => names.push(arg),
        }
    }
    if let Some(name) = names.iter().find(|name| !cases::all().any(|case| case.0 == name.as_str())) {
        eprintln!("no case is called '{name}'");
        return ExitCode::from(2);
    }
    match run(family, &names) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}

/// Returns whether nothing was wrong.
fn run(family: Option<u32>, names: &[String]) -> Result<bool, String> {
    let (mut right, mut skipped, mut wrong) = (0, 0, 0);
    for family in Gpu::families()?.into_iter().filter(|number| family.is_none_or(|family| family == *number)) {
        let mut gpu = Gpu::new(family)?;
        println!("{}, family {family}", gpu.name);
        for (name, case) in cases::all() {
            if !names.is_empty() && !names.iter().any(|asked| asked == name) {
                continue;
            }
            let done = case(&gpu);
            gpu.clear();
            match done {
                Ok(()) => {
                    right += 1;
                    println!("{name}: right {}", gpu.hash());
                }
                Err(Stop::Skipped(why)) => {
                    skipped += 1;
                    println!("{name}: skipped, {why}");
                }
                Err(Stop::Wrong(what)) => {
                    wrong += 1;
                    println!("{name}: WRONG: {what}");
                    // The device may be lost.
                    gpu = Gpu::new(family)?;
                }
            }
            gpu.forget_hash();
        }
    }
    println!("{right} right, {skipped} skipped, {wrong} wrong");
    Ok(wrong == 0)
}
