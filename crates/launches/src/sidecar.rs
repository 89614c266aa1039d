//! Sidecars: `NAME.toml` beside `NAME.bin` describes the program and the expected result.
//!
//! ```toml
//! arch = "gcn1.2"
//! entry = 0                # byte offset of the first instruction
//! max_insts = 100000
//! stage = "pixel"          # and other registers that a driver sets: docs/use/state-files.md#sidecars
//! ps_input_ena = 2
//! [state]                  # as in state files; also memory and lds
//! sgpr = {"0" = 5}
//! [expect]
//! outcome = "ended"
//! instructions = 12
//! [expect.state]           # only what is named here is compared
//! sgpr = {"1" = "0x2a"}
//! ```

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gcnsim_isa::Arch;
use gcnsim_machine::Context;
use serde::de::DeserializeSeed;
use serde::{Deserialize, Deserializer, de};

use crate::launch::LaunchFile;
use gcnsim_engine::difference::{self, Difference};
use gcnsim_engine::number::NumberSeed;
use gcnsim_engine::state_file::StateSpec;
use gcnsim_loader::{LoadError, Shader, Stage};
use gcnsim_machine::Wave;
use gcnsim_machine::outcome::Outcome;

/// The content of a sidecar. Everything may be absent.
#[derive(Clone, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sidecar {
    /// Generation of the code.
    #[serde(default, deserialize_with = "arch")]
    pub arch: Option<Arch>,
    /// Byte offset of the first instruction, a multiple of 4.
    #[serde(default, deserialize_with = "entry")]
    pub entry: Option<u64>,
    /// Budget of a run in instructions.
    #[serde(default, deserialize_with = "max_insts")]
    pub max_insts: Option<u64>,
    /// Registers at the start.
    pub state: Option<StateSpec>,
    /// Stage of the pipeline that the shader is for.
    #[serde(default, deserialize_with = "stage")]
    pub stage: Option<Stage>,
    /// RSRC1 of the stage.
    #[serde(default, deserialize_with = "rsrc1")]
    pub rsrc1: Option<u32>,
    /// RSRC2 of the stage.
    #[serde(default, deserialize_with = "rsrc2")]
    pub rsrc2: Option<u32>,
    /// SPI_PS_INPUT_ENA of a pixel shader.
    #[serde(default, deserialize_with = "ps_input_ena")]
    pub ps_input_ena: Option<u32>,
    /// SPI_PS_INPUT_ADDR of a pixel shader.
    #[serde(default, deserialize_with = "ps_input_addr")]
    pub ps_input_addr: Option<u32>,
    /// Number of SGPRs with user data, up to 32.
    #[serde(default, deserialize_with = "user_sgprs")]
    pub user_sgprs: Option<u32>,
    /// LDS of a group in bytes, up to 64 KiB.
    #[serde(default, deserialize_with = "lds_bytes")]
    pub lds_bytes: Option<u32>,
    /// Scratch of a work-item in bytes, up to 128 KiB.
    #[serde(default, deserialize_with = "scratch_bytes_per_lane")]
    pub scratch_bytes_per_lane: Option<u32>,
    /// Work-items of a group in each dimension: one to three numbers, up to 1024 work-items.
    #[serde(default, deserialize_with = "group")]
    pub group: Option<[u32; 3]>,
    /// Expected result of a run.
    pub expect: Option<Expectation>,
}

/// Expected result of a run.
#[derive(Clone, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// Name of the outcome.
    #[serde(default, deserialize_with = "outcome")]
    pub outcome: Option<String>,
    /// Executed instructions.
    #[serde(default, deserialize_with = "instructions")]
    pub instructions: Option<u64>,
    /// Registers at the end. Only those that are named are compared.
    pub state: Option<StateSpec>,
}

/// Error of reading a sidecar.
#[derive(Debug, thiserror::Error)]
pub enum SidecarError {
    /// The sidecar exists but cannot be read.
    #[error(transparent)]
    Read(#[from] LoadError),
    /// The sidecar is not TOML, or does not follow the format.
    #[error("{}", .0.to_string().trim_end())]
    Parse(toml::de::Error),
}

// With `#[from]` the error would also be a source, and a chain of causes would print it twice.
impl From<toml::de::Error> for SidecarError {
    fn from(error: toml::de::Error) -> SidecarError {
        SidecarError::Parse(error)
    }
}

/// Returns the path of a file's sidecar, whether it exists or not.
pub fn path_of(file: &Path) -> PathBuf {
    file.with_extension("toml")
}

impl Sidecar {
    /// Reads the sidecar beside a file; `None` if there is none, or it is a launch file.
    ///
    /// # Errors
    /// [`SidecarError`] if it cannot be used.
    pub fn beside(file: &Path) -> Result<Option<Sidecar>, SidecarError> {
        let path = path_of(file);
        if path == file {
            return Ok(None);
        }
        match fs::metadata(&path) {
            // The user did not name the sidecar, so only a regular file is read: a pipe would keep the run waiting, and
            // a device may never end.
            Ok(meta) if !meta.is_file() => Err(LoadError::NoFile.into()),
            Ok(_) => match gcnsim_loader::read_text(&path)? {
                text if LaunchFile::is_launch_toml(&text) => Ok(None),
                text => Sidecar::parse(&text).map(Some),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(LoadError::from(error).into()),
        }
    }

    /// Returns what the sidecar says of the shader. It overrides what the file says ([`Shader::or`]).
    pub fn shader(&self) -> Shader {
        Shader {
            stage: self.stage,
            rsrc1: self.rsrc1,
            rsrc2: self.rsrc2,
            ps_input_ena: self.ps_input_ena,
            ps_input_addr: self.ps_input_addr,
            user_sgprs: self.user_sgprs,
            lds_bytes: self.lds_bytes,
            scratch_bytes_per_lane: self.scratch_bytes_per_lane,
            group: self.group,
            ..Shader::default()
        }
    }

    /// Reads the text of a sidecar.
    ///
    /// # Errors
    /// [`SidecarError::Parse`] with line, column and field.
    pub fn parse(text: &str) -> Result<Sidecar, SidecarError> {
        Ok(toml::from_str(text)?)
    }
}

impl Expectation {
    /// Returns all differences from the expectation, after a run of a wave in a context.
    pub fn differences(&self, wave: &Wave, context: &Context, outcome: &Outcome) -> Vec<Difference> {
        let mut found = Vec::new();
        if let Some(expected) = &self.outcome
            && expected != outcome.name()
        {
            found.push(Difference::new("outcome", expected, outcome.name()));
        }
        if let Some(expected) = self.instructions
            && expected != wave.executed
        {
            found.push(Difference::new("instructions", expected, wave.executed));
        }
        if let Some(spec) = &self.state {
            found.extend(difference::named(spec, wave));
            found.extend(spec.memory_differences(context));
        }
        found
    }
}

fn arch<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Arch>, D::Error> {
    let name = String::deserialize(deserializer)?;
    name.parse().map(Some).map_err(de::Error::custom)
}

fn entry<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    count("entry", deserializer)
}

fn max_insts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    count("max_insts", deserializer)
}

fn instructions<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    count("instructions", deserializer)
}

fn stage<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Stage>, D::Error> {
    let name = String::deserialize(deserializer)?;
    name.parse().map(Some).map_err(de::Error::custom)
}

/// Makes the functions that read a number of 32 bits up to a limit, one for each field.
macro_rules! dwords {
    ($($field:ident <= $most:expr;)*) => {
        $(fn $field<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
            let value = toml::Value::deserialize(deserializer)?;
            up_to(stringify!($field), $most, value).map(Some).map_err(de::Error::custom)
        })*
    };
}

dwords! {
    rsrc1 <= u32::MAX;
    rsrc2 <= u32::MAX;
    ps_input_ena <= u32::MAX;
    ps_input_addr <= u32::MAX;
    user_sgprs <= 32;
    lds_bytes <= 64 << 10;
    scratch_bytes_per_lane <= 128 << 10;
}

fn group<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<[u32; 3]>, D::Error> {
    let sizes = match toml::Value::deserialize(deserializer)? {
        toml::Value::Array(sizes) => sizes,
        one => vec![one],
    };
    if !(1..=3).contains(&sizes.len()) {
        return Err(de::Error::custom(format!("group: {} numbers instead of one to three", sizes.len())));
    }
    let mut group = [1; 3];
    for (size, value) in group.iter_mut().zip(sizes) {
        *size = up_to("group", 1024, value).map_err(de::Error::custom)?;
    }
    match group.iter().product::<u32>() {
        1..=1024 => Ok(Some(group)),
        items => Err(de::Error::custom(format!("group: {items} work-items, not 1 to 1024"))),
    }
}

/// Reads a number of at most `most`.
fn up_to(field: &str, most: u32, value: toml::Value) -> Result<u32, String> {
    if let Some(n) = value.as_integer().filter(|&n| n < 0) {
        return Err(format!("{field}: {n} is negative"));
    }
    let number =
        NumberSeed { field: &field, bits: 64 }.deserialize(value).map_err(|error| error.message().to_owned())?;
    u32::try_from(number).ok().filter(|&n| n <= most).ok_or_else(|| format!("{field}: {number} is more than {most}"))
}

/// Reads a number that cannot be negative.
fn count<'de, D: Deserializer<'de>>(field: &str, deserializer: D) -> Result<Option<u64>, D::Error> {
    let value = toml::Value::deserialize(deserializer)?;
    if let Some(n) = value.as_integer().filter(|&n| n < 0) {
        return Err(de::Error::custom(format!("{field}: {n} is negative")));
    }
    let number = NumberSeed { field: &field, bits: 64 }.deserialize(value);
    number.map(Some).map_err(|error| de::Error::custom(error.message()))
}

fn outcome<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let name = String::deserialize(deserializer)?;
    let known = ["ended", "budget", "unsupported", "fault", "halted", "trap"];
    if known.contains(&name.as_str()) {
        return Ok(Some(name));
    }
    Err(de::Error::custom(format!("unknown outcome '{name}', expected one of {}", known.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gcnsim_isa::WaveState;

    const FULL: &str = r#"
        arch = "fiji"
        entry = "0x10"
        max_insts = 1000
        stage = "fragment"
        rsrc1 = "0x2c0043"
        rsrc2 = 6
        ps_input_ena = 2
        ps_input_addr = "0x302"
        user_sgprs = 3
        lds_bytes = 1024
        scratch_bytes_per_lane = 16
        group = [8, 8]
        [state]
        sgpr = {"0" = 5, "1" = "0xffffffff"}
        exec = "0xffffffffffffffff"
        [expect]
        outcome = "ended"
        instructions = 12
        [expect.state]
        sgpr = {"1" = 42}
        scc = 1
        memory = [{base = "0x100", hex = "01"}]
        lds = {hex = "02"}
    "#;

    #[test]
    fn every_key_is_read() {
        let sidecar = Sidecar::parse(FULL).unwrap();
        assert_eq!((sidecar.arch, sidecar.entry, sidecar.max_insts), (Some(Arch::Gcn12), Some(16), Some(1000)));
        let shader = Shader {
            stage: Some(Stage::Pixel),
            rsrc1: Some(0x002c_0043),
            rsrc2: Some(6),
            ps_input_ena: Some(2),
            ps_input_addr: Some(0x302),
            user_sgprs: Some(3),
            lds_bytes: Some(1024),
            scratch_bytes_per_lane: Some(16),
            group: Some([8, 8, 1]),
            ..Shader::default()
        };
        assert_eq!(sidecar.shader(), shader);
        assert_eq!(sidecar.state.unwrap().sgpr.len(), 4);
        let expect = sidecar.expect.unwrap();
        let wave = Wave::from_state(WaveState::zeroed());
        let found = expect.differences(&wave, &Context::ready(0), &Outcome::Budget);
        let fields: Vec<_> = found.iter().map(|d| d.field.as_str()).collect();
        assert_eq!(fields, ["outcome", "instructions", "s1", "scc", "memory[0x100]", "lds[0]"]);
        assert_eq!(Sidecar::parse("").unwrap(), Sidecar::default());
    }

    #[test]
    fn errors_say_where() {
        for (text, message) in [
            ("arch = \"gfx1030\"", "unknown architecture 'gfx1030'"),
            ("entry = 1.5", "whole number"),
            ("entry = -4", "entry: -4 is negative"),
            ("\nmax_insts = -1", "max_insts: -1 is negative"),
            ("\nmax_insts = -1", "line 2"),
            ("max_insts = \"-0x1\"", "for max_insts"),
            ("[expect]\ninstructions = -9223372036854775808", "instructions: -9223372036854775808 is negative"),
            ("entry = \"0x10000000000000000\"", "entry: '0x10000000000000000' does not fit 64 bits"),
            ("\n\n[state]\nvgpr = {\"1\" = [1]}", "vgpr 1: 1 lanes instead of 64"),
            ("[expect]\noutcome = \"done\"", "unknown outcome 'done'"),
            ("[expect]\ninstructions = \"many\"", "line 2"),
            ("stage = \"mesh\"", "unknown stage 'mesh', expected one of vertex, "),
            ("rsrc1 = \"0x100000000\"", "rsrc1: 4294967296 is more than 4294967295"),
            ("user_sgprs = 33", "user_sgprs: 33 is more than 32"),
            ("lds_bytes = -1", "lds_bytes: -1 is negative"),
            ("group = [1, 2, 3, 4]", "group: 4 numbers instead of one to three"),
            ("group = []", "group: 0 numbers"),
            ("group = [64, 32]", "group: 2048 work-items, not 1 to 1024"),
            ("group = 0", "group: 0 work-items"),
            ("archs = 1", "unknown field `archs`"),
            ("arch = ", "line 1"),
        ] {
            let error = Sidecar::parse(text).unwrap_err().to_string();
            assert!(error.contains(message), "{text}: {error}");
        }
    }
}
