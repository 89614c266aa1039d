//! Compares a wave with the expectation of a file, and lists every difference by field.

use std::fmt;

use gcnsim_isa::reg;
use serde::{Deserialize, Serialize};

use crate::observed_file::{ExportRule, message_differences};
use crate::quote;
use crate::state_file::{StateSpec, register_name};
use gcnsim_machine::VgprFile;
use gcnsim_machine::Wave;

/// One field that is not as expected.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Difference {
    /// The name of the field: `s5`, `vcc`, `scc`, `v3[17]`, `instructions`, `outcome`...
    pub field: String,
    /// The value expected there.
    pub expected: String,
    /// The value found.
    pub actual: String,
}

impl Difference {
    /// A difference between two values.
    pub fn new(field: impl Into<String>, expected: impl fmt::Display, actual: impl fmt::Display) -> Difference {
        Difference { field: field.into(), expected: expected.to_string(), actual: actual.to_string() }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [field, expected, actual] = [&self.field, &self.expected, &self.actual].map(|text| quote::text(text));
        write!(f, "{field}: expected {expected}, got {actual}")
    }
}

/// A buffer of a launch that is not as expected: the first wrong value, and how many there are.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BufferDifference {
    /// Its name.
    pub buffer: String,
    /// Index of the value in the expected list; `None` where a hash differs.
    pub index: Option<u64>,
    /// Index of the value in the buffer, counted in values of its type from the start; `None` where a hash differs, or
    /// where the value lies between two such places.
    pub element: Option<u64>,
    /// Offset of the value in the buffer, in bytes.
    pub at: u64,
    /// The value that was expected there.
    pub expected: String,
    /// The value found there.
    pub actual: String,
    /// Number of wrong values in the buffer.
    pub failures: u64,
    /// Number of values of the buffer that were compared.
    pub values: u64,
}

impl BufferDifference {
    /// The place of the value in words: buffer, element and byte.
    pub fn place(&self) -> String {
        let BufferDifference { buffer, at, .. } = self;
        match (self.index, self.element) {
            (None, _) => format!("hash of {buffer}"),
            (_, Some(element)) => format!("{buffer}[{element}] at byte {at}"),
            (_, None) => format!("{buffer} at byte {at}"),
        }
    }

    /// Adds another difference of the same buffer. The first wrong value stays; values come before hashes.
    pub fn join(&mut self, other: BufferDifference) {
        match (self.index, other.index) {
            (_, None) => {}
            (None, Some(_)) => *self = other,
            (Some(_), Some(_)) => {
                self.failures += other.failures;
                self.values += other.values;
            }
        }
    }
}

impl fmt::Display for BufferDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BufferDifference { expected, actual, failures, values, .. } = self;
        let [expected, actual] = [expected, actual].map(|text| quote::text(text));
        write!(f, "{}: expected {expected}, got {actual}", quote::text(&self.place()))?;
        match self.index {
            None => Ok(()),
            Some(_) => write!(f, " ({failures} of {values} values differ)"),
        }
    }
}

/// Everything that is not as expected. As text it is one line, which names all buffers and some fields.
#[derive(Clone, Copy)]
pub struct Mismatch<'a> {
    /// The buffers that are not as expected.
    pub buffers: &'a [BufferDifference],
    /// The fields that are not as expected. In a dispatch there is also one for each failed check of a buffer.
    pub fields: &'a [Difference],
}

impl Mismatch<'_> {
    /// Limit for the fields that a line of text names.
    const FIELDS: usize = 4;

    /// The fields that are not about buffers.
    fn other_fields(&self) -> impl Iterator<Item = &Difference> {
        let is_other = |field: &Difference| matches!(field.field.as_str(), "outcome" | "instructions");
        self.fields.iter().filter(move |field| self.buffers.is_empty() || is_other(field))
    }

    /// The parts of the text, without a limit.
    pub fn parts(&self) -> Vec<String> {
        let fields = self.other_fields().map(Difference::to_string);
        self.buffers.iter().map(BufferDifference::to_string).chain(fields).collect()
    }
}

impl fmt::Display for Mismatch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.parts();
        let shown = parts.len().min(self.buffers.len() + Mismatch::FIELDS);
        f.write_str(&parts[..shown].join("; "))?;
        if parts.len() > shown { write!(f, "; and {} more", parts.len() - shown) } else { Ok(()) }
    }
}

/// Compares only the fields that `spec` names.
pub fn named(spec: &StateSpec, actual: &Wave) -> Vec<Difference> {
    let mut expected = actual.clone();
    spec.apply(&mut expected);
    let mut found = all(&expected, actual, true);
    if let Some(exports) = &spec.exports {
        found.extend(ExportRule::EXACT.differences(exports, &actual.observed));
    }
    if let Some(messages) = &spec.messages {
        found.extend(message_differences(messages, &actual.observed));
    }
    found
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
    fn mismatches_are_one_line() {
        let of = |buffer: &str, index, element, failures, values| BufferDifference {
            buffer: buffer.into(),
            index,
            element,
            at: 8,
            expected: "1".into(),
            actual: "2".into(),
            failures,
            values,
        };
        let mut y = of("y", None, None, 1, 1);
        y.join(of("y", Some(0), Some(2), 3, 4));
        y.join(of("y", Some(5), Some(7), 1, 2));
        y.join(of("y", None, None, 1, 1));
        let buffers = [y, of("z", Some(0), None, 1, 1), of("h", None, None, 1, 1)];
        let fields: Vec<_> =
            ["y[2] at byte 8", "instructions"].into_iter().map(|name| Difference::new(name, 5, 6)).collect();
        assert_eq!(
            Mismatch { buffers: &buffers, fields: &fields }.to_string(),
            "y[2] at byte 8: expected 1, got 2 (4 of 6 values differ); z at byte 8: expected 1, got 2 (1 of 1 values \
             differ); hash of h: expected 1, got 2; instructions: expected 5, got 6"
        );
        let fields: Vec<_> = (0..9).map(|n| Difference::new(format!("s{n}"), 0, 1)).collect();
        let text = Mismatch { buffers: &[], fields: &fields }.to_string();
        assert!(text.ends_with("; s3: expected 0, got 1; and 5 more"), "{text}");
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
