//! States in files: registers for `--state`, `--dump-state`, vectors and sidecars.
//!
//! ```json
//! {"sgpr": {"0": 1}, "vgpr": {"3": [0, 1, ...]}, "vcc": "0x0", "exec": "0xff", "m0": 0, "scc": 0,
//!  "mode": 960, "trapsts": 0, "pc": "0x0"}
//! ```
//!
//! Keys of `sgpr` are operand codes. `vcc`, `m0` and `exec` are other names of the codes 106/107, 124 and 126/127. It
//! is an error to name a register twice, under one name or two. The same reader serves JSON and TOML.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::marker::PhantomData;

use gcnsim_isa::{LANES, reg};
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de::DeserializeSeed};

use crate::fault_file::FaultSpec;
use crate::memory_file::{
    ApertureSpec, FromObject, LdsSpec, Region, check_lds, check_regions, check_types, hex_of_bytes,
};
use crate::number::NumberSeed;
use crate::observed_file::{ExportSpec, MessageSpec};
use gcnsim_machine::Wave;

/// The registers and memory that a file names, and their values.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct StateSpec {
    /// Scalar registers by operand code; VCC, M0 and EXEC are among them.
    pub sgpr: BTreeMap<u8, u32>,
    /// Vector registers by number.
    pub vgpr: BTreeMap<u8, Box<[u32; LANES]>>,
    /// SCC, 0 or 1.
    pub scc: Option<u32>,
    /// MODE.
    pub mode: Option<u32>,
    /// TRAPSTS.
    pub trapsts: Option<u32>,
    /// PC, a multiple of 4.
    pub pc: Option<u64>,
    /// Guest memory: regions that do not overlap.
    pub memory: Vec<Region>,
    /// LDS.
    pub lds: Option<LdsSpec>,
    /// The global data share.
    pub gds: Option<LdsSpec>,
    /// Apertures of FLAT addresses. Without them all addresses are global.
    pub apertures: Option<ApertureSpec>,
    /// Exports, in order of execution. A wave that starts from the state has none yet, whatever is here.
    pub exports: Option<Vec<ExportSpec>>,
    /// Messages, as exports.
    pub messages: Option<Vec<MessageSpec>>,
}

/// An expected state, and how the run has to end.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ExpectedState {
    /// The registers and memory that are not as in the initial state.
    pub state: StateSpec,
    /// Whether the instruction must fault (`"outcome": "fault"`).
    pub faults: bool,
    /// The fault that is expected.
    pub fault: Option<FaultSpec>,
}

impl StateSpec {
    /// Reads a JSON state.
    ///
    /// # Errors
    /// The position, and the field that is wrong.
    ///
    /// ```
    /// use gcnsim_engine::state_file::StateSpec;
    /// let spec = StateSpec::from_json(r#"{"vcc": "0x500000001", "scc": 1}"#).unwrap();
    /// assert_eq!((spec.sgpr[&106], spec.sgpr[&107], spec.scc), (1, 5, Some(1)));
    /// ```
    pub fn from_json(text: &str) -> Result<StateSpec, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// All registers of a wave, and its exports and messages if there are any. Zeros are left out of scalar and vector
    /// registers, except for VCC, EXEC and M0.
    pub fn of_wave(wave: &Wave) -> StateSpec {
        let state = &wave.state;
        let named = [reg::VCC_LO, reg::VCC_HI, reg::M0, reg::EXEC_LO, reg::EXEC_HI];
        let sgpr = (0..128u8).map(|code| (code, state.sgpr[code as usize]));
        let vgpr = wave.vgprs.regs().iter().enumerate().filter(|(_, v)| v.0 != [0; LANES]);
        let exports: Vec<_> = wave.observed.exports().iter().map(ExportSpec::of).collect();
        let messages: Vec<_> = wave.observed.messages().iter().map(MessageSpec::of).collect();
        StateSpec {
            exports: Some(exports).filter(|exports| !exports.is_empty()),
            messages: Some(messages).filter(|messages| !messages.is_empty()),
            sgpr: sgpr.filter(|&(code, value)| value != 0 || named.contains(&code)).collect(),
            vgpr: vgpr.map(|(n, v)| (n as u8, Box::new(v.0))).collect(),
            scc: Some(state.scc),
            mode: Some(state.mode),
            trapsts: Some(state.trapsts),
            pc: Some(state.pc),
            memory: Vec::new(),
            lds: None,
            gds: None,
            apertures: None,
        }
    }

    /// Writes the registers that the file names into a wave, and leaves the others. ([`StateSpec::context`] handles
    /// memory and LDS.)
    pub fn apply(&self, wave: &mut Wave) {
        let state = &mut wave.state;
        for (&code, &value) in &self.sgpr {
            state.sgpr[code as usize] = value;
        }
        state.scc = self.scc.unwrap_or(state.scc);
        state.mode = self.mode.unwrap_or(state.mode);
        state.trapsts = self.trapsts.unwrap_or(state.trapsts);
        state.pc = self.pc.unwrap_or(state.pc);
        if !self.vgpr.is_empty() {
            let file = &mut wave.vgprs;
            for (&n, lanes) in &self.vgpr {
                *file.lanes_mut(n) = **lanes;
            }
        }
    }

    /// The state as a JSON object with one field a line. For [`StateSpec::of_wave`], reading it back restores the wave
    /// exactly.
    pub fn to_json(&self) -> String {
        let mut out = String::from("{\n");
        let pair = |lo: u8| Some(*self.sgpr.get(&lo)? as u64 | (*self.sgpr.get(&(lo + 1))? as u64) << 32);
        let (vcc, exec) = (pair(reg::VCC_LO), pair(reg::EXEC_LO));
        let m0 = self.sgpr.get(&reg::M0).copied();
        let elsewhere = |code: u8| match code {
            reg::VCC_LO | reg::VCC_HI => vcc.is_some(),
            reg::EXEC_LO | reg::EXEC_HI => exec.is_some(),
            code => code == reg::M0,
        };
        let sgprs = self.sgpr.iter().filter(|&(&code, _)| !elsewhere(code));
        let sgprs: Vec<_> = sgprs.map(|(code, value)| format!("\"{code}\": {value}")).collect();
        let vgprs = self.vgpr.iter().map(|(n, lanes)| format!("    \"{n}\": {lanes:?}"));
        let vgprs: Vec<_> = vgprs.collect();
        let vgprs = if vgprs.is_empty() { String::new() } else { format!("\n{}\n  ", vgprs.join(",\n")) };
        // Writing to a String cannot fail.
        let _ = writeln!(out, "  \"sgpr\": {{{}}},", sgprs.join(", "));
        let _ = write!(out, "  \"vgpr\": {{{vgprs}}}");
        for (name, value) in [("vcc", vcc), ("exec", exec)] {
            let _ = value.map(|v| write!(out, ",\n  \"{name}\": \"{v:#x}\""));
        }
        for (name, value) in [("m0", m0), ("scc", self.scc), ("mode", self.mode), ("trapsts", self.trapsts)] {
            let _ = value.map(|v| write!(out, ",\n  \"{name}\": {v}"));
        }
        let _ = self.pc.map(|pc| write!(out, ",\n  \"pc\": \"{pc:#x}\""));
        let region = |region: &Region| {
            format!("{{\"base\": \"{:#x}\", \"hex\": \"{}\"}}", region.base, hex_of_bytes(&region.bytes))
        };
        let regions: Vec<_> = self.memory.iter().map(region).collect();
        if !regions.is_empty() {
            let _ = write!(out, ",\n  \"memory\": [{}]", regions.join(", "));
        }
        for (name, share) in [("lds", &self.lds), ("gds", &self.gds)] {
            let Some(share) = share else { continue };
            let size = share.size.map_or(String::new(), |size| format!("\"size\": {size}, "));
            let _ = write!(out, ",\n  \"{name}\": {{{size}\"hex\": \"{}\"}}", hex_of_bytes(&share.bytes));
        }
        let exports = self.exports.as_ref().map(|exports| exports.iter().map(ExportSpec::to_json).collect());
        let messages = self.messages.as_ref().map(|messages| messages.iter().map(MessageSpec::to_json).collect());
        for (name, list) in [("exports", exports), ("messages", messages)] {
            let list: Option<Vec<String>> = list;
            let _ = list.map(|list| write!(out, ",\n  \"{name}\": [\n    {}\n  ]", list.join(",\n    ")));
        }
        if let Some(apertures) = &self.apertures {
            let _ = write!(out, ",\n  \"apertures\": {}", apertures.to_json());
        }
        out.push_str("\n}\n");
        out
    }

    /// The state as a JSON object on one line.
    pub fn to_json_line(&self) -> String {
        self.to_json().lines().map(str::trim_start).collect::<Vec<_>>().join(" ")
    }

    fn set(&mut self, code: u8, value: u32) -> Result<(), String> {
        match self.sgpr.insert(code, value) {
            None => Ok(()),
            Some(_) => Err(format!("{} is named twice", register_name(code))),
        }
    }

    fn set_pair(&mut self, low: u8, value: u64) -> Result<(), String> {
        self.set(low, value as u32)?;
        self.set(low + 1, (value >> 32) as u32)
    }
}

/// Name of a scalar register in messages: `s5`, or `vcc_lo (sgpr 106)` for a special register.
pub fn register_name(code: u8) -> String {
    let special = match code {
        reg::VCC_LO => "vcc_lo",
        reg::VCC_HI => "vcc_hi",
        reg::M0 => "m0",
        reg::EXEC_LO => "exec_lo",
        reg::EXEC_HI => "exec_hi",
        0..=101 => return format!("s{code}"),
        _ => return format!("sgpr {code}"),
    };
    format!("{special} (sgpr {code})")
}

const FIELDS: &[&str] = &[
    "sgpr",
    "vgpr",
    "vcc",
    "exec",
    "m0",
    "scc",
    "mode",
    "trapsts",
    "pc",
    "memory",
    "lds",
    "gds",
    "apertures",
    "exports",
    "messages",
];

impl<'de> Deserialize<'de> for StateSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<StateSpec, D::Error> {
        Ok(deserializer.deserialize_map(StateVisitor { takes_outcome: false })?.state)
    }
}

impl<'de> Deserialize<'de> for ExpectedState {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ExpectedState, D::Error> {
        deserializer.deserialize_map(StateVisitor { takes_outcome: true })
    }
}

struct StateVisitor {
    /// Whether the keys `outcome` and `fault` are allowed.
    takes_outcome: bool,
}

impl<'de> Visitor<'de> for StateVisitor {
    type Value = ExpectedState;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a state: an object of registers")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ExpectedState, A::Error> {
        let (mut spec, mut faults, mut fault) = (StateSpec::default(), false, None);
        let mut seen = [false; FIELDS.len()];
        while let Some(key) = map.next_key::<String>()? {
            if self.takes_outcome && key == "outcome" {
                let outcome = map.next_value::<String>()?;
                if outcome != "fault" || std::mem::replace(&mut faults, true) {
                    return Err(A::Error::custom(format!("outcome: '{outcome}' is not 'fault', or not the first")));
                }
                continue;
            }
            if self.takes_outcome && key == "fault" {
                if fault.replace(map.next_value()?).is_some() {
                    return Err(A::Error::duplicate_field("fault"));
                }
                continue;
            }
            let Some(index) = FIELDS.iter().position(|&name| name == key) else {
                map.next_value::<IgnoredAny>()?;
                return Err(A::Error::unknown_field(&key, FIELDS));
            };
            let name = FIELDS[index];
            if std::mem::replace(&mut seen[index], true) {
                return Err(A::Error::duplicate_field(name));
            }
            let mut number = |bits| map.next_value_seed(NumberSeed { field: &name, bits });
            match name {
                "sgpr" => map.next_value_seed(SgprSeed(&mut spec))?,
                "vgpr" => map.next_value_seed(VgprSeed(&mut spec))?,
                "vcc" => spec.set_pair(reg::VCC_LO, number(64)?).map_err(A::Error::custom)?,
                "exec" => spec.set_pair(reg::EXEC_LO, number(64)?).map_err(A::Error::custom)?,
                "m0" => spec.set(reg::M0, number(32)? as u32).map_err(A::Error::custom)?,
                "scc" => spec.scc = Some(number(1)? as u32),
                "mode" => spec.mode = Some(number(32)? as u32),
                "trapsts" => spec.trapsts = Some(number(32)? as u32),
                "memory" => {
                    spec.memory = map.next_value()?;
                    check_regions(&spec.memory).map_err(A::Error::custom)?;
                    if !self.takes_outcome {
                        check_types(&spec.memory).map_err(A::Error::custom)?;
                    }
                }
                "lds" | "gds" => {
                    let share = map.next_value_seed(FromObject::<LdsSpec>(PhantomData))?;
                    check_lds(&share).map_err(|error| A::Error::custom(format!("{name}: {error}")))?;
                    *(if name == "lds" { &mut spec.lds } else { &mut spec.gds }) = Some(share);
                }
                "apertures" => spec.apertures = Some(map.next_value()?),
                "exports" => spec.exports = Some(map.next_value()?),
                "messages" => spec.messages = Some(map.next_value()?),
                _ => match number(64)? {
                    pc if pc % 4 == 0 => spec.pc = Some(pc),
                    pc => return Err(A::Error::custom(format!("pc: {pc:#x} is not a multiple of 4"))),
                },
            }
        }
        if fault.is_some() && !faults {
            return Err(A::Error::custom("fault: the outcome is not 'fault'"));
        }
        Ok(ExpectedState { state: spec, faults, fault })
    }
}

/// Reads the register number `key`, which must be below `count`.
fn register<E: Error>(field: &str, key: &str, count: u16) -> Result<u8, E> {
    let number = key.parse::<u16>().ok().filter(|&n| n < count && n.to_string() == key);
    number
        .map(|n| n as u8)
        .ok_or_else(|| E::custom(format!("{field}: there is no register '{key}' (0 to {})", count - 1)))
}

struct SgprSeed<'a>(&'a mut StateSpec);

impl<'de> DeserializeSeed<'de> for SgprSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for SgprSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of operand codes and values for sgpr")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            let code = register("sgpr", &key, 128)?;
            let value = map.next_value_seed(NumberSeed { field: &format_args!("sgpr {code}"), bits: 32 })?;
            self.0.set(code, value as u32).map_err(A::Error::custom)?;
        }
        Ok(())
    }
}

struct VgprSeed<'a>(&'a mut StateSpec);

impl<'de> DeserializeSeed<'de> for VgprSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for VgprSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of register numbers and lists of 64 lanes for vgpr")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            let number = register("vgpr", &key, 256)?;
            let lanes = map.next_value_seed(LanesSeed(number))?;
            if self.0.vgpr.insert(number, lanes).is_some() {
                return Err(A::Error::custom(format!("v{number} is named twice")));
            }
        }
        Ok(())
    }
}

struct LanesSeed(u8);

impl<'de> DeserializeSeed<'de> for LanesSeed {
    type Value = Box<[u32; LANES]>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for LanesSeed {
    type Value = Box<[u32; LANES]>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of 64 numbers for vgpr {}", self.0)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut lanes = Box::new([0; LANES]);
        let mut count = 0;
        loop {
            let field = format_args!("vgpr {} lane {count}", self.0);
            let Some(value) = seq.next_element_seed(NumberSeed { field: &field, bits: 32 })? else { break };
            if let Some(lane) = lanes.get_mut(count) {
                *lane = value as u32;
            }
            count += 1;
        }
        if count != LANES {
            return Err(A::Error::custom(format!("vgpr {}: {count} lanes instead of 64", self.0)));
        }
        Ok(lanes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gcnsim_isa::{Program, WaveState};

    fn error(json: &str) -> String {
        StateSpec::from_json(json).unwrap_err().to_string()
    }

    #[test]
    fn numbers_and_strings_are_the_same() {
        let a = StateSpec::from_json(r#"{"sgpr": {"0": 255, "127": "0x5"}, "pc": 16, "mode": "0x3f0"}"#).unwrap();
        let b = StateSpec::from_json(r#"{"sgpr": {"127": 5, "0": "0xff"}, "pc": "0x10", "mode": 1008}"#).unwrap();
        assert_eq!(a, b);
        let negative = StateSpec::from_json(r#"{"sgpr": {"0": -1}}"#).unwrap();
        assert_eq!(negative.sgpr[&0], u32::MAX);
    }

    #[test]
    fn errors_name_the_field() {
        for (json, message) in [
            (r#"{"sgpr": {"200": 1}}"#, "sgpr: there is no register '200' (0 to 127)"),
            (r#"{"sgpr": {"s0": 1}}"#, "sgpr: there is no register 's0'"),
            (r#"{"sgpr": {"00": 1}}"#, "sgpr: there is no register '00'"),
            (r#"{"vgpr": {"256": []}}"#, "vgpr: there is no register '256' (0 to 255)"),
            (r#"{"sgpr": {"5": 4294967296}}"#, "sgpr 5: 4294967296 does not fit 32 bits"),
            (r#"{"sgpr": {"5": 1.5}}"#, "for sgpr 5"),
            (r#"{"sgpr": {"5": "12"}}"#, "for sgpr 5"),
            (r#"{"sgpr": [1]}"#, "values for sgpr"),
            (r#"{"vgpr": {"3": 1}}"#, "64 numbers for vgpr 3"),
            (r#"{"vgpr": {"3": [1, 2]}}"#, "vgpr 3: 2 lanes instead of 64"),
            (r#"{"vgpr": {"3": [1, "x"]}}"#, "for vgpr 3 lane 1"),
            (r#"{"exec": true}"#, "for exec"),
            (r#"{"exec": "0x10000000000000000"}"#, "exec: '0x10000000000000000' does not fit 64 bits"),
            (r#"{"scc": "x"}"#, "expected 0 or 1 for scc"),
            (r#"{"scc": 2}"#, "scc: 2 is neither 0 nor 1"),
            (r#"{"pc": 2}"#, "pc: 0x2 is not a multiple of 4"),
            (r#"{"sgrp": {}}"#, "unknown field `sgrp`"),
            (r#"[]"#, "expected a state"),
            (r#"{"scc": 1"#, "line 1 column 9"),
        ] {
            assert!(error(json).contains(message), "{json}: {}", error(json));
        }
    }

    #[test]
    fn a_register_cannot_be_named_twice() {
        assert!(error(r#"{"vcc": 1, "sgpr": {"106": 1}}"#).contains("vcc_lo (sgpr 106) is named twice"));
        assert!(error(r#"{"sgpr": {"127": 1}, "exec": 0}"#).contains("exec_hi (sgpr 127) is named twice"));
        assert!(error(r#"{"sgpr": {"124": 1}, "m0": 0}"#).contains("m0 (sgpr 124) is named twice"));
        assert!(error(r#"{"sgpr": {"1": 1, "1": 1}}"#).contains("s1 is named twice"));
        assert!(error(r#"{"scc": 1, "scc": 1}"#).contains("duplicate field `scc`"));
    }

    #[test]
    fn a_dump_restores_the_wave() {
        let mut wave = Wave::from_state(WaveState::zeroed());
        for code in (0..128).step_by(3) {
            wave.state.sgpr[code] = 0xdead_0000 + code as u32;
        }
        (wave.state.scc, wave.state.mode, wave.state.trapsts, wave.state.pc) = (1, 0xf000_03c0, 7, 0xffff_fff0_0000);
        wave.vgprs.lanes_mut(255)[63] = 9;
        let text = StateSpec::of_wave(&wave).to_json();
        let mut restored = Wave::new(&Program::from_words(gcnsim_isa::Arch::Gcn14, &[0]));
        StateSpec::from_json(&text).unwrap().apply(&mut restored);
        assert_eq!((&restored.state, &restored.vgprs), (&wave.state, &wave.vgprs), "{text}");
        assert_eq!(StateSpec::of_wave(&restored).to_json(), text);
        let line = StateSpec::of_wave(&wave).to_json_line();
        assert!(!line.contains('\n'), "{line}");
        assert_eq!(StateSpec::from_json(&line).unwrap(), StateSpec::of_wave(&wave));
    }

    #[test]
    fn a_dump_names_what_it_must() {
        let text = StateSpec::of_wave(&Wave::from_state(WaveState::zeroed())).to_json();
        let expected = "{\n  \"sgpr\": {},\n  \"vgpr\": {},\n  \"vcc\": \"0x0\",\n  \"exec\": \"0x0\",\n  \
                        \"m0\": 0,\n  \"scc\": 0,\n  \"mode\": 0,\n  \"trapsts\": 0,\n  \"pc\": \"0x0\"\n}\n";
        assert_eq!(text, expected);
    }
}
