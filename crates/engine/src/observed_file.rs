//! Exports and messages of a wave in state files, sidecars and conformance vectors:
//!
//! ```json
//! {"exports": [{"target": "mrt0", "en": 15, "compr": false, "done": true, "vm": true, "exec": "0xff",
//!               "values": [[1065353216, null, ...], null, ...]}],
//!  "messages": [{"message": 3, "m0": 0, "exec": "0xff"}]}
//! ```
//!
//! `values` has four components of 64 lanes: their raw bits, 32 or (`compr`) 16. A component without enable is `null`,
//! and so is a lane that does not count. Where something is expected, `null` or `"any"` is not compared, and neither
//! are keys that are not there.

use std::fmt::Write as _;

use gcnsim_isa::{LANES, export_target_name};
use gcnsim_machine::{Export, Message, Observed};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, Visitor};

use crate::difference::Difference;
use crate::number::NumberSeed;

/// An export.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExportSpec {
    /// TARGET, below 64.
    #[serde(deserialize_with = "target")]
    pub target: u8,
    /// EN, below 16.
    #[serde(default, deserialize_with = "enables")]
    pub en: Option<u8>,
    /// COMPR.
    #[serde(default)]
    pub compr: Option<bool>,
    /// DONE.
    #[serde(default)]
    pub done: Option<bool>,
    /// VM.
    #[serde(default)]
    pub vm: Option<bool>,
    /// EXEC.
    #[serde(default, deserialize_with = "mask")]
    pub exec: Option<u64>,
    /// The values of the four components.
    #[serde(default)]
    pub values: [Component; 4],
}

/// The values of a component in 64 lanes, as far as they count.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Component(pub Option<Box<[Option<u32>; LANES]>>);

/// A message.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessageSpec {
    /// SIMM16 of S_SENDMSG.
    pub message: u16,
    /// M0.
    #[serde(default, deserialize_with = "dword")]
    pub m0: Option<u32>,
    /// EXEC.
    #[serde(default, deserialize_with = "mask")]
    pub exec: Option<u64>,
}

fn target<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    let name = String::deserialize(deserializer)?;
    let found = (0..64).find(|&target| export_target_name(target) == name);
    found.ok_or_else(|| D::Error::custom(format!("target: there is no '{name}' (mrt0, mrtz, null, pos0, param0, ...)")))
}

fn enables<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u8>, D::Error> {
    let seed = NumberSeed { field: &"en", bits: 32 };
    match seed.deserialize(deserializer)? {
        en @ 0..16 => Ok(Some(en as u8)),
        en => Err(D::Error::custom(format!("en: {en} has more than 4 bits"))),
    }
}

fn mask<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    NumberSeed { field: &"exec", bits: 64 }.deserialize(deserializer).map(Some)
}

fn dword<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    Ok(Some(NumberSeed { field: &"m0", bits: 32 }.deserialize(deserializer)? as u32))
}

/// A value, or `null` or `"any"`.
struct Value(Option<u32>);

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Nothing(()),
            Number(i64),
            Text(String),
        }
        let number = match Written::deserialize(deserializer)? {
            Written::Nothing(()) => return Ok(Value(None)),
            Written::Text(text) if text == "any" => return Ok(Value(None)),
            Written::Text(text) => text,
            Written::Number(number) => number.to_string(),
        };
        let value = crate::number::parse(&number, 32);
        value.map(|value| Value(Some(value as u32))).map_err(|error| D::Error::custom(format!("values: {error}")))
    }
}

impl<'de> Deserialize<'de> for Component {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Component, D::Error> {
        struct Lanes;
        impl<'de> Visitor<'de> for Lanes {
            type Value = Component;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list of 64 values, null or \"any\" for a component of values")
            }

            fn visit_unit<E: Error>(self) -> Result<Component, E> {
                Ok(Component(None))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Component, E> {
                let is_any = text == "any";
                is_any
                    .then_some(Component(None))
                    .ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(text), &self))
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<Component, A::Error> {
                let mut lanes = Box::new([None; LANES]);
                let mut count = 0;
                while let Some(Value(value)) = list.next_element()? {
                    if let Some(lane) = lanes.get_mut(count) {
                        *lane = value;
                    }
                    count += 1;
                }
                if count != LANES {
                    return Err(A::Error::custom(format!("values: {count} lanes instead of 64")));
                }
                Ok(Component(Some(lanes)))
            }
        }
        deserializer.deserialize_any(Lanes)
    }
}

impl ExportSpec {
    /// What a file says of an export.
    pub fn of(export: &Export) -> ExportSpec {
        let Export { access, exec, values, .. } = export;
        let component = |c: usize| {
            let lane = |lane: usize| (exec >> lane & 1 == 1).then_some(values[c][lane]);
            Component((access.en >> c & 1 == 1).then(|| Box::new(std::array::from_fn(lane))))
        };
        ExportSpec {
            target: access.target,
            en: Some(access.en),
            compr: Some(access.compr),
            done: Some(access.done),
            vm: Some(access.vm),
            exec: Some(*exec),
            values: std::array::from_fn(component),
        }
    }

    /// The export as a JSON object.
    pub fn to_json(&self) -> String {
        let mut out = format!("{{\"target\": \"{}\"", export_target_name(self.target));
        // Writing to a String cannot fail.
        let _ = self.en.map(|en| write!(out, ", \"en\": {en}"));
        for (name, flag) in [("compr", self.compr), ("done", self.done), ("vm", self.vm)] {
            let _ = flag.map(|flag| write!(out, ", \"{name}\": {flag}"));
        }
        let _ = self.exec.map(|exec| write!(out, ", \"exec\": \"{exec:#x}\""));
        let value = |value: &Option<u32>| value.map_or("null".into(), |value| value.to_string());
        let component = |component: &Component| match &component.0 {
            Some(lanes) => format!("[{}]", lanes.iter().map(value).collect::<Vec<_>>().join(", ")),
            None => "null".into(),
        };
        let _ = write!(out, ", \"values\": [{}]}}", self.values.each_ref().map(component).join(", "));
        out
    }
}

impl MessageSpec {
    /// What a file says of a message.
    pub fn of(message: &Message) -> MessageSpec {
        MessageSpec { message: message.message, m0: Some(message.m0), exec: Some(message.exec) }
    }

    /// The message as a JSON object.
    pub fn to_json(&self) -> String {
        let mut out = format!("{{\"message\": {}", self.message);
        // Writing to a String cannot fail.
        let _ = self.m0.map(|m0| write!(out, ", \"m0\": {m0}"));
        let _ = self.exec.map(|exec| write!(out, ", \"exec\": \"{exec:#x}\""));
        out + "}"
    }
}

/// How exports are compared.
pub struct ExportRule<'a> {
    /// The lanes that count: the initial coverage.
    pub counted: u64,
    /// Whether a value of an export passes though another is expected. The arguments are the export, the bits that are
    /// expected and those found.
    pub admits: &'a dyn Fn(&ExportSpec, u32, u32) -> bool,
}

impl ExportRule<'_> {
    /// All lanes count, and bits must agree.
    pub const EXACT: ExportRule<'static> = ExportRule { counted: u64::MAX, admits: &|_, _, _| false };

    /// The differences of a wave's exports from those that are expected.
    pub fn differences(&self, expected: &[ExportSpec], observed: &Observed) -> Vec<Difference> {
        let mut found = Vec::new();
        if expected.len() as u64 != observed.export_count() {
            found.push(Difference::new("exports", expected.len(), observed.export_count()));
        }
        for (n, (expected, actual)) in expected.iter().zip(observed.exports()).enumerate() {
            self.compare(n, expected, actual, &mut found);
        }
        found
    }

    fn compare(&self, n: usize, expected: &ExportSpec, actual: &Export, found: &mut Vec<Difference>) {
        let access = actual.access;
        let mut field = |name: &str, expected: Option<String>, actual: String| {
            if let Some(expected) = expected.filter(|expected| *expected != actual) {
                found.push(Difference::new(format!("exports[{n}].{name}"), expected, actual));
            }
        };
        field("target", Some(export_target_name(expected.target)), export_target_name(access.target));
        field("en", expected.en.map(|en| en.to_string()), access.en.to_string());
        field("compr", expected.compr.map(|flag| flag.to_string()), access.compr.to_string());
        field("done", expected.done.map(|flag| flag.to_string()), access.done.to_string());
        field("vm", expected.vm.map(|flag| flag.to_string()), access.vm.to_string());
        let counted = |exec: u64| format!("{:#018x}", exec & self.counted);
        field("exec", expected.exec.map(counted), counted(actual.exec));
        let lanes = actual.exec & self.counted;
        for (c, component) in expected.values.iter().enumerate() {
            let Component(Some(values)) = component else { continue };
            for (lane, want) in values.iter().enumerate().filter(|&(lane, _)| lanes >> lane & 1 == 1) {
                let is = actual.values[c][lane];
                if let &Some(want) = want
                    && want != is
                    && !(self.admits)(expected, want, is)
                {
                    let field = format!("exports[{n}].{}[{lane}]", ["x", "y", "z", "w"][c]);
                    found.push(Difference::new(field, format_args!("{want:#x}"), format_args!("{is:#x}")));
                }
            }
        }
    }
}

/// The differences of a wave's messages from those that are expected.
pub fn message_differences(expected: &[MessageSpec], observed: &Observed) -> Vec<Difference> {
    let mut found = Vec::new();
    if expected.len() as u64 != observed.message_count() {
        found.push(Difference::new("messages", expected.len(), observed.message_count()));
    }
    for (n, (expected, actual)) in expected.iter().zip(observed.messages()).enumerate() {
        let fields = [
            ("message", Some(expected.message.into()), u64::from(actual.message)),
            ("m0", expected.m0.map(u64::from), actual.m0.into()),
            ("exec", expected.exec, actual.exec),
        ];
        for (name, expected, actual) in fields {
            if let Some(expected) = expected.filter(|&expected| expected != actual) {
                let field = format!("messages[{n}].{name}");
                found.push(Difference::new(field, format_args!("{expected:#x}"), format_args!("{actual:#x}")));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use gcnsim_isa::ExportAccess;

    use super::*;

    fn observed() -> Observed {
        let access = ExportAccess { target: 33, en: 5, compr: false, done: true, vm: false, sources: [0; 4] };
        let mut values = [[0; LANES]; 4];
        (values[0][0], values[2][0], values[2][63]) = (7, 8, 9);
        let mut observed = Observed::default();
        observed.export(Export { access, exec: 1 << 63 | 1, pc: 4, values });
        observed.message(Message { message: 0x22, m0: 3, exec: 1, pc: 8 });
        observed
    }

    #[test]
    fn what_is_written_is_read() {
        let spec = ExportSpec::of(&observed().exports()[0]);
        let json = spec.to_json();
        assert!(json.starts_with(
            "{\"target\": \"param1\", \"en\": 5, \"compr\": false, \"done\": true, \"vm\": false, \
             \"exec\": \"0x8000000000000001\", \"values\": [[7, null, "
        ));
        assert!(json.ends_with(r#"null, 9], null]}"#), "{json}");
        assert_eq!(serde_json::from_str::<ExportSpec>(&json).unwrap(), spec);
        let message = MessageSpec::of(&observed().messages()[0]);
        assert_eq!(message.to_json(), r#"{"message": 34, "m0": 3, "exec": "0x1"}"#);
        assert_eq!(serde_json::from_str::<MessageSpec>(&message.to_json()).unwrap(), message);
    }

    #[test]
    fn only_what_is_named_is_compared() {
        let differences = |json: &str, rule: &ExportRule<'_>| {
            let expected: Vec<ExportSpec> = serde_json::from_str(json).unwrap();
            let found = rule.differences(&expected, &observed());
            found.iter().map(Difference::to_string).collect::<Vec<_>>()
        };
        let lanes = |first: &str| format!("[{first}{}]", ", \"any\"".repeat(63));
        assert_eq!(differences(r#"[{"target": "param1"}]"#, &ExportRule::EXACT), [""; 0]);
        assert_eq!(differences("[]", &ExportRule::EXACT), ["exports: expected 0, got 1"]);
        assert_eq!(
            differences(r#"[{"target": "pos0", "en": 1, "vm": true}]"#, &ExportRule::EXACT),
            [
                "exports[0].target: expected pos0, got param1",
                "exports[0].en: expected 1, got 5",
                "exports[0].vm: expected true, got false"
            ]
        );
        let json = format!(r#"[{{"target": "param1", "values": [{}, "any", "any", null]}}]"#, lanes("\"0x6\""));
        assert_eq!(differences(&json, &ExportRule::EXACT), ["exports[0].x[0]: expected 0x6, got 0x7"]);
        assert_eq!(differences(&json, &ExportRule { counted: 2, ..ExportRule::EXACT }), [""; 0]);
        let near = |_: &ExportSpec, want: u32, is: u32| want + 1 == is;
        assert_eq!(differences(&json, &ExportRule { counted: 1, admits: &near }), [""; 0]);
        let json = r#"[{"target": "param1", "exec": "0x8000000000000003"}]"#;
        assert_eq!(differences(json, &ExportRule { counted: 5, ..ExportRule::EXACT }), [""; 0]);
        assert!(differences(json, &ExportRule::EXACT)[0].starts_with("exports[0].exec: expected 0x8000000000000003"));
        let wrong = [MessageSpec { message: 0x22, m0: Some(4), exec: None }];
        assert_eq!(message_differences(&wrong, &observed())[0].to_string(), "messages[0].m0: expected 0x4, got 0x3");
        assert_eq!(message_differences(&[], &observed())[0].to_string(), "messages: expected 0, got 1");
    }

    #[test]
    fn errors_name_what_is_wrong() {
        for (json, message) in [
            (r#"{"target": "mrt8"}"#, "there is no 'mrt8'"),
            (r#"{"target": "mrt0", "en": 16}"#, "en: 16 has more than 4 bits"),
            (r#"{"target": "mrt0", "values": [[1], null, null, null]}"#, "values: 1 lanes instead of 64"),
            (r#"{"target": "mrt0", "values": [null, null, null]}"#, "invalid length 3"),
            (r#"{"target": "mrt0", "values": [["x"], null, null, null]}"#, "values: 'x' is not a number"),
            (r#"{"target": "mrt0", "valued": []}"#, "unknown field `valued`"),
        ] {
            let error = serde_json::from_str::<ExportSpec>(json).unwrap_err().to_string();
            assert!(error.contains(message), "{json}: {error}");
        }
    }
}
