//! What the command `gcnsim device` tells the library in the program.

use std::path::PathBuf;

use gcnsim_engine::EngineKind;
use serde::{Deserialize, Serialize};

use crate::chips::{CHIPS, Chip};

/// Environment variable with the name of the chip.
pub const CHIP: &str = "GCNSIM_CHIP";
/// Environment variable with [`Settings`] as JSON. Without it the defaults count.
pub const SETTINGS: &str = "GCNSIM_DEVICE";

/// Environment variable with the file of a [log](Settings::log).
pub const LOG: &str = "GCNSIM_DEVICE_LOG";

/// How kernels run.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Engine {
    /// Compiled, with the first entries of each region checked.
    #[default]
    Jit,
    /// Compiled, without checks.
    NoCheck,
    /// Interpreted.
    Interp,
}

impl Engine {
    /// Returns the engine. Without the JIT, all is interpreted.
    pub(crate) fn kind(self) -> EngineKind {
        match self {
            #[cfg(feature = "jit")]
            Engine::Jit => EngineKind::Jit,
            #[cfg(feature = "jit")]
            Engine::NoCheck => EngineKind::JitNoCheck,
            #[cfg(not(feature = "jit"))]
            Engine::Jit | Engine::NoCheck => EngineKind::Interp,
            Engine::Interp => EngineKind::Interp,
        }
    }
}

/// Settings of a device, for all processes of a program.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// How kernels run.
    pub engine: Engine,
    /// Most threads; `None` means all cores.
    pub jobs: Option<usize>,
    /// Budget of a dispatch in instructions; `None` runs until its waves end.
    pub max_insts: Option<u64>,
    /// Folder to which dispatches are recorded.
    pub record: Option<PathBuf>,
    /// Parts of names of the kernels that are recorded; none means all.
    pub record_only: Vec<String>,
    /// Most bytes of a recording; beyond them, dispatches are recorded without their data.
    pub record_limit: Option<u64>,
    /// Kinds of findings of the sanitizer, as `--sanitize` takes them; `None` means no sanitizer.
    pub sanitize: Option<String>,
    /// Whether kernels are profiled.
    pub profile: bool,
    /// Whether a draw loses the device.
    pub strict: bool,
    /// File to which ioctls and packets are logged, for tests.
    pub log: Option<PathBuf>,
    /// Private folder of the command. Each process puts its [summary](crate::Summary) there. Without it, the summary
    /// goes to stderr alone.
    pub folder: Option<PathBuf>,
}

/// The environment says something that cannot be.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SettingsError {
    /// No chip has this name.
    #[error("no chip is called '{0}' (known: {known})", known = names())]
    Chip(String),
    /// The settings are no JSON of settings.
    #[error("{SETTINGS}: {0}")]
    Json(String),
}

/// Returns the names of all chips.
fn names() -> String {
    let names = CHIPS.iter().flat_map(|chip| [chip.name, chip.asic]);
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    names.dedup();
    names.join(", ")
}

/// Returns the chip that a name means; the first one of the table without a name.
///
/// # Errors
/// [`SettingsError::Chip`].
pub fn chip(name: Option<&str>) -> Result<&'static Chip, SettingsError> {
    let Some(name) = name.filter(|name| !name.is_empty()) else { return Ok(&CHIPS[0]) };
    Chip::of_name(name).ok_or_else(|| SettingsError::Chip(name.to_owned()))
}

impl Settings {
    /// Reads settings from the text of [`SETTINGS`].
    ///
    /// # Errors
    /// [`SettingsError::Json`].
    pub fn parse(text: &str) -> Result<Settings, SettingsError> {
        if text.is_empty() {
            return Ok(Settings::default());
        }
        serde_json::from_str(text).map_err(|error| SettingsError::Json(error.to_string()))
    }

    /// Returns the text of [`SETTINGS`].
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_go_through_the_environment() {
        let settings =
            Settings { engine: Engine::NoCheck, max_insts: Some(1), record: Some("a b".into()), ..Settings::default() };
        assert_eq!(Settings::parse(&settings.to_text()), Ok(settings));
        assert_eq!(Settings::parse(""), Ok(Settings::default()));
        assert!(matches!(Settings::parse("{\"engine\": \"gpu\"}"), Err(SettingsError::Json(_))));
        assert!(matches!(Settings::parse("{\"enigne\": \"jit\"}"), Err(SettingsError::Json(_))));
    }

    #[test]
    fn chips() {
        assert_eq!(chip(None).unwrap().name, "gfx900");
        let error = chip(Some("gfx1100")).unwrap_err().to_string();
        assert!(error.contains("'gfx1100'") && error.contains("gfx906") && error.contains("tahiti"), "{error}");
    }
}
