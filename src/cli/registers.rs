//! Registers on the command line: `--sgpr N=V` and `--vgpr N=V`.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use gcnsim_isa::{LANES, reg};

use super::args;
use crate::Wave;
use gcnsim_engine::number;
use gcnsim_engine::quote;
use gcnsim_engine::state_file::register_name;
use gcnsim_loader as loader;

/// Names that `--sgpr` takes besides operand codes. Each has its first register, and the width of the value in bits.
const NAMES: [(&str, u8, u32); 7] = [
    ("vcc", reg::VCC_LO, 64),
    ("vcc_lo", reg::VCC_LO, 32),
    ("vcc_hi", reg::VCC_HI, 32),
    ("m0", reg::M0, 32),
    ("exec", reg::EXEC_LO, 64),
    ("exec_lo", reg::EXEC_LO, 32),
    ("exec_hi", reg::EXEC_HI, 32),
];

/// The value of `--sgpr`: a register or a pair, and what it is set to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ScalarSetting {
    /// Operand code of the register, or of the first one of a pair.
    first: u8,
    /// Width in bits: 32, or 64 for a pair.
    bits: u32,
    value: u64,
}

impl ScalarSetting {
    /// Makes a setting of EXEC.
    pub(super) fn exec(value: u64) -> ScalarSetting {
        ScalarSetting { first: reg::EXEC_LO, bits: 64, value }
    }

    /// Returns operand code and value of each register.
    pub(super) fn registers(self) -> impl Iterator<Item = (u8, u32)> {
        let halves = [(self.first, self.value as u32), (self.first + 1, (self.value >> 32) as u32)];
        halves.into_iter().take(self.bits as usize / 32)
    }
}

/// Parses the number behind `=`.
fn parsed(text: &str, bits: u32) -> Result<u64, String> {
    number::parse(text, bits).map_err(|error| error.to_string())
}

/// Parses a value of `--sgpr`.
pub(super) fn scalar(text: &str) -> Result<ScalarSetting, String> {
    let (name, value) = text.split_once('=').ok_or("expected N=V, for example 0=42 or vcc=0xff")?;
    let (first, bits) = match NAMES.iter().find(|(known, ..)| *known == name) {
        Some(&(_, first, bits)) => (first, bits),
        None => {
            let code = name.parse().ok().filter(|&code: &u8| code < 128);
            (code.ok_or("N is an operand code, 0 to 127, or vcc, exec, m0 (vcc_lo, vcc_hi, exec_lo, exec_hi)")?, 32)
        }
    };
    Ok(ScalarSetting { first, bits, value: parsed(value, bits)? })
}

/// The value of `--vgpr`: the number of a vector register, and what it is set to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct VectorSetting {
    number: u8,
    lanes: Lanes,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Lanes {
    /// One value for all lanes.
    All(u32),
    /// A file with one value for each lane.
    File(PathBuf),
}

impl VectorSetting {
    /// The file with the values of the lanes, if there is one.
    pub fn file(&self) -> Option<&Path> {
        match &self.lanes {
            Lanes::File(path) => Some(path),
            Lanes::All(_) => None,
        }
    }
}

/// Parses a value of `--vgpr`.
pub(super) fn vector(text: &str) -> Result<VectorSetting, String> {
    let (number, value) = text.split_once('=').ok_or("expected N=V or N=@FILE, for example 0=42")?;
    let number = number.parse().map_err(|_| "N is the number of a vector register, 0 to 255")?;
    let lanes = match value.strip_prefix('@') {
        Some("") => return Err("expected the name of a file behind @".into()),
        Some(path) => Lanes::File(path.into()),
        None => Lanes::All(parsed(value, 32)? as u32),
    };
    Ok(VectorSetting { number, lanes })
}

/// Writes settings into a wave. Each register may be set only once.
///
/// # Errors
/// A register is named twice, or a file cannot be read or does not hold 64 values.
pub(super) fn apply(
    scalars: impl Iterator<Item = ScalarSetting>,
    vectors: &[VectorSetting],
    wave: &mut Wave,
) -> anyhow::Result<()> {
    let mut named = [false; 128];
    for (code, value) in scalars.flat_map(ScalarSetting::registers) {
        if std::mem::replace(&mut named[code as usize], true) {
            bail!("--sgpr: {} is named twice", register_name(code));
        }
        wave.state.sgpr[code as usize] = value;
    }
    let mut named = [false; 256];
    for VectorSetting { number, lanes } in vectors {
        if std::mem::replace(&mut named[*number as usize], true) {
            bail!("--vgpr: v{number} is named twice");
        }
        *wave.vgprs.lanes_mut(*number) = match lanes {
            Lanes::All(value) => [*value; LANES],
            Lanes::File(path) => read_lanes(path)?,
        };
    }
    Ok(())
}

/// Reads the 64 numbers of a file, lane 0 first. They are decimal or 0x, separated by blanks, lines or commas, or a
/// JSON list.
fn read_lanes(path: &Path) -> anyhow::Result<[u32; LANES]> {
    let text = loader::read_text(path).with_context(|| args::quoted(path))?;
    let separates = |c: char| c.is_whitespace() || matches!(c, ',' | '[' | ']');
    let mut lanes = [0; LANES];
    let mut count = 0;
    for word in text.split(separates).filter(|word| !word.is_empty()) {
        let value = number::parse(word, 32).map_err(|error| {
            anyhow::anyhow!("{}: lane {count}: {}", args::quoted(path), quote::text(&error.to_string()))
        })?;
        if let Some(lane) = lanes.get_mut(count) {
            *lane = value as u32;
        }
        count += 1;
    }
    if count != LANES {
        bail!("{}: {count} values instead of 64, one for each lane", args::quoted(path));
    }
    Ok(lanes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_for_their_codes() {
        let registers = |text: &str| scalar(text).unwrap().registers().collect::<Vec<_>>();
        assert_eq!(registers("5=0x10"), [(5, 16)]);
        assert_eq!(registers("vcc=0x500000001"), [(106, 1), (107, 5)]);
        assert_eq!(registers("exec=-1"), [(126, u32::MAX), (127, u32::MAX)]);
        assert_eq!(registers("exec_hi=7"), [(127, 7)]);
        assert_eq!(registers("m0=-1"), [(124, u32::MAX)]);
        for wrong in ["m0=0x100000000", "128=1", "vcc", "s5=1", "VCC=1", "vcc=", "=1"] {
            assert!(scalar(wrong).is_err(), "{wrong}");
        }
        for wrong in ["256=1", "-1=1", "v3=1", "3", "3=", "3=@", "3=0x100000000"] {
            assert!(vector(wrong).is_err(), "{wrong}");
        }
    }
}
