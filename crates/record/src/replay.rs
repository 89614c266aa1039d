//! Runs a launch file that was written. A recording has only what does the same again.

use std::path::Path;
#[cfg(feature = "jit")]
use std::sync::Arc;

use gcnsim_device::Dispatch;
use gcnsim_engine::RunOptions;
#[cfg(feature = "jit")]
use gcnsim_jit::cache::SharedRegions;
use gcnsim_launches::launch::{LaunchFile, Syntax};
use gcnsim_launches::{DispatchOptions, Launcher};
use gcnsim_loader::code_object::CodeObject;
use gcnsim_loader::{FileBytes, read_text, recorded};

/// What has to come out again beside memory.
pub struct Expected<'a> {
    /// Name of the outcome.
    pub outcome: &'a str,
    /// Instructions of all waves.
    pub instructions: u64,
}

/// What is not as expected.
#[derive(Default)]
pub struct Difference {
    /// In words.
    pub what: String,
    /// Whether the launch faults, and did not before.
    pub has_fault: bool,
}

impl From<String> for Difference {
    fn from(what: String) -> Difference {
        Difference { what, has_fault: false }
    }
}

/// Runs launch files. They share compiled regions.
#[derive(Default)]
pub struct Replay {
    #[cfg(feature = "jit")]
    regions: Arc<SharedRegions>,
}

impl std::fmt::Debug for Replay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Replay").finish_non_exhaustive()
    }
}

impl Replay {
    /// Runs the launch in a folder.
    ///
    /// # Errors
    /// What is not as expected.
    pub fn check(&self, folder: &Path, expected: &Expected<'_>, dispatch: &Dispatch) -> Result<(), Difference> {
        let words = |error: &dyn std::fmt::Display| error.to_string();
        let path = folder.join(recorded::LAUNCH);
        let text = read_text(&path).map_err(|error| words(&error))?;
        let file = LaunchFile::parse(&text, Syntax::Json).map_err(|error| words(&error))?;
        let bytes = FileBytes::read_code(&path).map_err(|error| words(&error))?;
        let (objects, _) = CodeObject::choose_parts(&bytes, None, None).map_err(|error| words(&error))?;
        let options = DispatchOptions::default().run(self.options(dispatch)).jobs(1);
        let [object] = &objects[..] else { return Err("no code object".to_owned().into()) };
        let [launch] = &file.launches[..] else { return Err("no launch".to_owned().into()) };
        let launcher = Launcher::new(object, folder, &[], &options);
        let result = launcher.and_then(|mut launcher| launcher.launch(launch, &|_| {}));
        let result = result.map_err(|error| words(&error))?;
        let outcome = match &result.run.outcome {
            Ok(outcome) => outcome.name(),
            Err(error) => error.name(),
        };
        if outcome != expected.outcome {
            let what = format!("{outcome}, not {}", expected.outcome);
            return Err(Difference { what, has_fault: outcome == "fault" });
        }
        if result.run.instructions != expected.instructions {
            return Err(format!("{} instructions, not {}", result.run.instructions, expected.instructions).into());
        }
        match result.mismatches.len() {
            0 => Ok(()),
            count => Err(format!("{count} differences in memory").into()),
        }
    }

    fn options(&self, dispatch: &Dispatch) -> RunOptions {
        let options = dispatch.run_options().clone();
        #[cfg(feature = "jit")]
        let options = options.shared(self.regions.clone());
        let mut options = options;
        (options.max_insts, options.time_regions) = (None, false);
        options
    }
}
