//! Findings as SARIF 2.1.0 (OASIS), which code hosts show in merge requests.

use serde_json::{Value, json};

use super::{Found, entry_name};
use gcnsim_lint::rules::{Level, RULES};

/// A log of one run.
#[derive(Default)]
pub(super) struct Log {
    results: Vec<Value>,
}

const fn level(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Suspicious => "warning",
        Level::Info => "note",
    }
}

/// Returns the path of a file as a URI reference: with slashes, and escapes for what URIs do not allow.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(byte.into()),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// Returns a location: the source line if it is known, and the address in the binary.
fn location(found: &Found<'_>, pc: u64, text: &str, line: Option<&str>) -> Value {
    let source = line.and_then(|line| line.rsplit_once(':'));
    let source = source.and_then(|(path, line)| Some((path, line.parse::<u64>().ok().filter(|&line| line > 0)?)));
    let address = found.object.shown(pc);
    let name = found.entry.name.as_deref().unwrap_or("");
    let logical = json!([{"fullyQualifiedName": name, "kind": "function"}]);
    let message =
        json!({"text": if text.is_empty() { format!("{address:#x}") } else { format!("{address:#x} {text}") }});
    let mut location = match source {
        Some((path, line)) => json!({"physicalLocation": {
            "artifactLocation": {"uri": uri(path)}, "region": {"startLine": line}}}),
        None => json!({"physicalLocation": {
            "artifactLocation": {"uri": uri(found.file)}, "address": {"absoluteAddress": address}}}),
    };
    location["message"] = message;
    if !name.is_empty() {
        location["logicalLocations"] = logical;
    }
    location
}

impl Log {
    /// Adds a finding.
    pub(super) fn add(&mut self, found: &Found<'_>) {
        let finding = found.finding;
        let registers = match finding.registers.as_str() {
            "" => String::new(),
            registers => format!(" ({registers})"),
        };
        let name = entry_name(found.file, found.object, found.entry);
        let place = &finding.place;
        let producer = finding.producer.as_ref();
        let at = producer.map(|spot| format!("; {:#x} {}", found.object.shown(spot.pc), spot.text)).unwrap_or_default();
        let text =
            format!("{name}: {}{registers}: {:#x} {}{at}", finding.rule.text, found.object.shown(place.pc), place.text);
        let index = RULES.iter().position(|rule| rule.id == finding.rule.id);
        let mut result = json!({
            "ruleId": finding.rule.id,
            "ruleIndex": index,
            "level": level(finding.rule.level),
            "message": {"text": text},
            "locations": [location(found, place.pc, &place.text, found.lines[0].as_deref())],
            "partialFingerprints": {"gcnsim/v1": format!("{name}|{}|{:#x}", finding.rule.id, place.pc - found.entry.range.start.min(place.pc))},
        });
        if let Some(spot) = producer {
            result["relatedLocations"] = json!([location(found, spot.pc, &spot.text, found.lines[1].as_deref())]);
        }
        if let Some(reason) = found.known {
            result["suppressions"] = json!([{"kind": "external", "justification": reason}]);
        }
        self.results.push(result);
    }

    /// Returns the log as JSON. It has all rules, so that the indices of rules hold.
    pub(super) fn finish(self) -> String {
        let rules: Vec<Value> = RULES
            .iter()
            .map(|rule| {
                json!({
                    "id": rule.id,
                    "shortDescription": {"text": rule.text},
                    "defaultConfiguration": {"level": level(rule.level)},
                    "properties": {"basis": rule.basis.name(), "generations": rule.on.text()},
                })
            })
            .collect();
        let log = json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": {"driver": {
                    "name": "gcnsim",
                    "version": env!("CARGO_PKG_VERSION"),
                    "rules": rules,
                }},
                "results": self.results,
            }],
        });
        format!("{log:#}\n")
    }
}
