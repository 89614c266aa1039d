//! Compares a wave with the expectation of a file, and lists every difference by field.

use std::fmt;

use gcnsim_isa::reg;
use serde::Serialize;

use crate::state_file::{StateSpec, register_name};
use crate::{VgprFile, Wave};

/// One field that is not as expected.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Difference {
    /// `s5`, `vcc`, `scc`, `v3[17]`, `instructions`, `outcome`...
    pub field: String,
    /// The value expected there.
    pub expected: String,
    /// The value found.
    pub actual: String,
}

impl Difference {
    /// A difference between two values as text.
    pub fn new(field: impl Into<String>, expected: impl fmt::Display, actual: impl fmt::Display) -> Difference {
        Difference { field: field.into(), expected: expected.to_string(), actual: actual.to_string() }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}, got {}", self.field, self.expected, self.actual)
    }
}

/// Compares only the fields that `spec` names.
pub fn named(spec: &StateSpec, actual: &Wave) -> Vec<Difference> {
    let mut expected = actual.clone();
    spec.apply(&mut expected);
    all(&expected, actual, true)
}

/// Compares all fields with `initial` overridden by `spec`: a field that `spec` does not name must be unchanged. PC is
/// compared only if `spec` names it.
pub fn from_initial(initial: &Wave, spec: &StateSpec, actual: &Wave) -> Vec<Difference> {
    let mut expected = initial.clone();
    spec.apply(&mut expected);
    all(&expected, actual, spec.pc.is_some())
}

/// Compares two waves: scalar state, PC and vector registers. Notes and counts are not compared.
pub fn between(expected: &Wave, actual: &Wave) -> Vec<Difference> {
    all(expected, actual, true)
}

fn all(expected: &Wave, actual: &Wave, pc: bool) -> Vec<Difference> {
    let mut found = Vec::new();
    let (e, a) = (&expected.state, &actual.state);
    for code in 0..128u8 {
        let (was, is) = (e.sgpr[code as usize], a.sgpr[code as usize]);
        if was != is && !matches!(code, reg::VCC_LO | reg::VCC_HI | reg::EXEC_LO | reg::EXEC_HI) {
            found.push(hex32(register_name(code), was, is));
        }
    }
    for (name, was, is) in [("vcc", e.vcc(), a.vcc()), ("exec", e.exec(), a.exec())] {
        if was != is {
            found.push(Difference::new(name, format_args!("{was:#018x}"), format_args!("{is:#018x}")));
        }
    }
    if e.scc != a.scc {
        found.push(Difference::new("scc", e.scc, a.scc));
    }
    for (name, was, is) in [("mode", e.mode, a.mode), ("trapsts", e.trapsts, a.trapsts)] {
        if was != is {
            found.push(hex32(name.into(), was, is));
        }
    }
    if pc && e.pc != a.pc {
        found.push(Difference::new("pc", format_args!("{:#x}", e.pc), format_args!("{:#x}", a.pc)));
    }
    vector_registers(&expected.vgprs, &actual.vgprs, &mut found);
    found
}

fn vector_registers(expected: &VgprFile, actual: &VgprFile, found: &mut Vec<Difference>) {
    if expected.is_same(actual) {
        return;
    }
    for (n, (was, is)) in expected.regs().iter().zip(actual.regs()).enumerate() {
        let lanes = was.0.iter().zip(&is.0).enumerate().filter(|(_, (was, is))| was != is);
        found.extend(lanes.map(|(lane, (&was, &is))| hex32(format!("v{n}[{lane}]"), was, is)));
    }
}

fn hex32(field: String, expected: u32, actual: u32) -> Difference {
    Difference::new(field, format_args!("{expected:#010x}"), format_args!("{actual:#010x}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gcnsim_isa::WaveState;

    #[test]
    fn absent_fields_must_be_unchanged_but_pc() {
        let initial = Wave::from_state(WaveState::zeroed());
        let mut after = initial.clone();
        (after.state.sgpr[5], after.state.scc, after.state.pc) = (7, 1, 4);
        after.state.set_exec(1);
        let spec = StateSpec::from_json(r#"{"sgpr": {"5": 7}}"#).unwrap();
        let found: Vec<_> = from_initial(&initial, &spec, &after).iter().map(Difference::to_string).collect();
        assert_eq!(found, ["exec: expected 0x0000000000000000, got 0x0000000000000001", "scc: expected 0, got 1"]);
        let spec = StateSpec::from_json(r#"{"sgpr": {"5": 6}, "scc": 1, "exec": 1, "pc": 8}"#).unwrap();
        let found: Vec<_> = from_initial(&initial, &spec, &after).iter().map(Difference::to_string).collect();
        assert_eq!(found, ["s5: expected 0x00000006, got 0x00000007", "pc: expected 0x8, got 0x4"]);
    }

    #[test]
    fn only_what_is_named_counts() {
        let mut wave = Wave::from_state(WaveState::zeroed());
        wave.state.sgpr[5] = 7;
        assert_eq!(named(&StateSpec::default(), &wave), []);
        let lanes = vec!["0"; 63].join(", ");
        let spec = StateSpec::from_json(&format!(r#"{{"vgpr": {{"2": [{lanes}, 3]}}, "m0": 1}}"#)).unwrap();
        let found: Vec<_> = named(&spec, &wave).into_iter().map(|d| d.field).collect();
        assert_eq!(found, ["m0 (sgpr 124)", "v2[63]"]);
    }
}
