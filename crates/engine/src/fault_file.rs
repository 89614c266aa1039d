//! The fault that a vector expects: `"fault": {"access": "load", "address": "0x..", "bytes": 4, "lane": 3}`.

use gcnsim_machine::{Access, MemoryFault};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error};

use crate::difference::Difference;
use crate::number::NumberSeed;

/// The fault that is expected. Fields that are absent are not compared.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultSpec {
    /// The kind of access.
    #[serde(default, deserialize_with = "access")]
    pub access: Option<Access>,
    /// Guest address of the first byte.
    #[serde(default, deserialize_with = "address")]
    pub address: Option<u64>,
    /// Number of bytes.
    #[serde(default)]
    pub bytes: Option<u32>,
    /// The lane that made the access; the lowest one, if several did.
    #[serde(default)]
    pub lane: Option<u8>,
}

fn access<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Access>, D::Error> {
    let name = String::deserialize(deserializer)?;
    let found = [Access::Load, Access::Store, Access::Atomic].into_iter().find(|access| access.name() == name);
    found.map(Some).ok_or_else(|| D::Error::custom(format!("access: '{name}' is not 'load', 'store' or 'atomic'")))
}

fn address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    NumberSeed { field: &"address of fault", bits: 64 }.deserialize(deserializer).map(Some)
}

impl FaultSpec {
    /// Compares `fault` with the named fields. Returns those that differ.
    pub fn differences(&self, fault: &MemoryFault) -> Vec<Difference> {
        let mut found = Vec::new();
        let mut compare = |field: &str, expected: Option<String>, actual: String| {
            if let Some(expected) = expected.filter(|expected| *expected != actual) {
                found.push(Difference::new(format!("fault {field}"), expected, actual));
            }
        };
        let lane = fault.lane.map_or("none".into(), |lane| lane.to_string());
        compare("access", self.access.map(|access| access.name().into()), fault.access.name().into());
        compare("address", self.address.map(|at| format!("{at:#x}")), format!("{:#x}", fault.address));
        compare("bytes", self.bytes.map(|bytes| bytes.to_string()), fault.bytes.to_string());
        compare("lane", self.lane.map(|lane| lane.to_string()), lane);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_named_is_compared() {
        let fault = MemoryFault { access: Access::Store, address: 0x1_0000_0004, bytes: 4, lane: Some(5) };
        let differences = |json: &str| {
            let spec: FaultSpec = serde_json::from_str(json).unwrap();
            spec.differences(&fault).iter().map(Difference::to_string).collect::<Vec<_>>()
        };
        assert!(differences("{}").is_empty());
        let same = r#"{"access": "store", "address": "0x100000004", "bytes": 4, "lane": 5}"#;
        assert!(differences(same).is_empty());
        assert_eq!(
            differences(r#"{"access": "load", "address": 4, "bytes": 8, "lane": 0}"#),
            [
                "fault access: expected load, got store",
                "fault address: expected 0x4, got 0x100000004",
                "fault bytes: expected 8, got 4",
                "fault lane: expected 0, got 5",
            ]
        );
        let scalar = MemoryFault { lane: None, ..fault };
        let spec = FaultSpec { lane: Some(5), ..FaultSpec::default() };
        assert_eq!(spec.differences(&scalar)[0].to_string(), "fault lane: expected 5, got none");
    }

    #[test]
    fn errors_name_what_is_wrong() {
        for (json, message) in [
            (r#"{"access": "read"}"#, "access: 'read' is not 'load', 'store' or 'atomic'"),
            (r#"{"address": "x"}"#, "for address of fault"),
            (r#"{"line": 3}"#, "unknown field `line`"),
        ] {
            let error = serde_json::from_str::<FaultSpec>(json).unwrap_err().to_string();
            assert!(error.contains(message), "{json}: {error}");
        }
    }
}
