//! The field `sanitizer` of results: what a sanitizer has found in a launch, as JSON and for people
//! (docs/use/sanitize.md).

use std::fmt::Write as _;

use gcnsim_engine::report::Hex;
use serde::Serialize;

/// The field `sanitizer` of results.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Findings {
    /// The checks that were made: `race`, `uninit`, `bounds`.
    pub checks: Vec<&'static str>,
    /// Number of different findings, including those that `findings` leaves out.
    pub total: u64,
    /// The findings, by kind and place.
    pub findings: Vec<Finding>,
    /// Limits that were reached, in words: mistakes beyond them are not found. Absent if no limit was reached.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<String>,
}

/// A finding. Findings of the same two instructions are one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finding {
    /// `race`, `uninit` or `bounds`.
    pub kind: &'static str,
    /// The kind of memory: `lds`, `memory` or `scratch`. Absent if an undefined value comes from a register that was
    /// never written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<&'static str>,
    /// The buffer that was accessed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer: Option<String>,
    /// Offset of the accessed byte in the buffer, or in LDS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
    /// Guest address of the accessed byte, if it is in no buffer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<Hex>,
    /// The buffer that the pointer of an access outside came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer_of: Option<String>,
    /// Offset in that buffer of the byte that the access would have been to; negative before its start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer_at: Option<i64>,
    /// The register that was never written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub register: Option<String>,
    /// The use of the undefined value: `address`, `branch`, `store`, `export`, `atomic`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_for: Option<&'static str>,
    /// The earlier access of a race, or the load of an undefined value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<Accessor>,
    /// The later access of a race, the use of an undefined value, or the access outside.
    pub second: Accessor,
    /// Number of times that it was found.
    pub count: u64,
}

/// An instruction, and where it ran.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Accessor {
    /// Address of the instruction, as the file states it.
    pub pc: Hex,
    /// Text of the instruction.
    pub text: String,
    /// The kind of access: `read`, `write`, `atomic`, `use`.
    pub access: &'static str,
    /// Id of the group; null if it is not known.
    pub group: Option<[u32; 3]>,
    /// Number of the wave in its group; null if it is not known.
    pub wave: Option<u32>,
    /// Number of the lane; null if it is not known.
    pub lane: Option<u8>,
    /// The source line, if the object has line tables.
    pub source: Option<String>,
}

impl Findings {
    /// Whether nothing was found.
    pub fn is_clean(&self) -> bool {
        self.total == 0
    }

    /// Returns the report for people, in lines of at most 80 columns.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let checks = self.checks.join(", ");
        if self.is_clean() {
            let _ = writeln!(text, "sanitizer     nothing found ({checks})");
            self.write_limits(&mut text);
            return text;
        }
        let plural = if self.total == 1 { "finding" } else { "findings" };
        let _ = writeln!(text, "sanitizer     {} {plural} ({checks})", self.total);
        for finding in &self.findings {
            let _ = write!(text, "\n{}", finding.text());
        }
        let left_out = self.total - self.findings.len() as u64;
        if left_out > 0 {
            let _ = writeln!(text, "\n{left_out} more are left out");
        }
        self.write_limits(&mut text);
        text
    }

    fn write_limits(&self, text: &mut String) {
        for limit in &self.limits {
            text.push_str(&wrapped(&format!("limit reached: {limit}"), "  "));
        }
    }
}

impl Finding {
    fn text(&self) -> String {
        let mut text = wrapped(&format!("{}: {}", self.kind, self.what()), "        ");
        for accessor in self.first.iter().chain([&self.second]) {
            text.push_str(&accessor.text());
        }
        text
    }

    /// Returns the finding in words.
    fn what(&self) -> String {
        let times = if self.count == 1 { String::new() } else { format!(", {} times", self.count) };
        let place = match (&self.buffer, self.at, self.address, self.place) {
            (Some(buffer), Some(at), ..) => format!("byte {at:#x} of {buffer}"),
            (_, Some(at), _, Some("lds")) => format!("byte {at:#x} of LDS"),
            (_, Some(at), _, Some(place)) => format!("byte {at:#x} of {place}"),
            (_, _, Some(address), _) => format!("{:#x}", address.0),
            _ => "memory".to_owned(),
        };
        match self.kind {
            "race" => format!("{place} is accessed by two work-items, unordered{times}"),
            "bounds" if self.place == Some("lds") => format!("{place} does not exist{times}"),
            "bounds" if self.place == Some("scratch") => {
                let at = self.pointer_at.unwrap_or(0);
                let of = if at < 0 { format!("-{:#x}", at.unsigned_abs()) } else { format!("{at:#x}") };
                format!("byte {of} of the wave's scratch does not exist{times}")
            }
            "bounds" => {
                let (buffer, at) = (self.pointer_of.as_deref().unwrap_or("?"), self.pointer_at.unwrap_or(0));
                let of = if at < 0 { format!("-{:#x}", at.unsigned_abs()) } else { format!("{at:#x}") };
                format!("byte {of} of {buffer} does not exist; the access is to {place}{times}")
            }
            _ => {
                let used_for = match self.used_for {
                    Some("address") => "an address",
                    Some("branch") => "a branch",
                    Some("store") => "a store",
                    Some("export") => "an export",
                    _ => "an atomic",
                };
                match (&self.register, self.place) {
                    (Some(register), _) => format!("{used_for} needs {register}, which was never written{times}"),
                    (None, Some("lds")) => format!("{used_for} needs LDS that was never written{times}"),
                    (None, place) => {
                        format!("{used_for} needs {} that was never written{times}", place.unwrap_or("scratch"))
                    }
                }
            }
        }
    }
}

impl Accessor {
    fn text(&self) -> String {
        let who = match (self.group, self.wave, self.lane) {
            (Some([x, y, z]), Some(wave), Some(lane)) => format!("group {x},{y},{z} wave {wave} lane {lane}"),
            (Some([x, y, z]), Some(wave), None) => format!("group {x},{y},{z} wave {wave}"),
            _ => String::new(),
        };
        let source = self.source.as_deref().unwrap_or_default();
        let mut text = format!("  {:<7}{:#x}", self.access, self.pc.0);
        for part in [who.as_str(), source] {
            if !part.is_empty() {
                let _ = write!(text, "  {part}");
            }
        }
        wrapped(&text, "         ") + &wrapped(&format!("         {}", self.text), "           ")
    }
}

/// Returns `text` in lines of at most 80 columns; lines after the first begin with `indent`. A longer word has a line
/// of its own.
fn wrapped(text: &str, indent: &str) -> String {
    const WIDTH: usize = 80;
    let text: &str = &gcnsim_engine::quote::text(text);
    let start = &text[..text.len() - text.trim_start().len()];
    let (mut lines, mut line, mut is_empty) = (String::new(), start.to_owned(), true);
    for word in text.trim_start().split(' ') {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > WIDTH && !word.is_empty() {
            lines.push_str(line.trim_end());
            lines.push('\n');
            (line, is_empty) = (indent.to_owned(), true);
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    lines + line.trim_end() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accessor(access: &'static str) -> Accessor {
        Accessor {
            pc: Hex(0x1234),
            text: "buffer_store_dwordx4 v[100:103], v104, s[100:103], s99 offen offset:4092 glc slc tfe".to_owned(),
            access,
            group: Some([100_000, 100_000, 100_000]),
            wave: Some(15),
            lane: Some(63),
            source: Some("a_long_name_of_a_source_file_in_a_folder.cl:12345".to_owned()),
        }
    }

    #[test]
    fn text_is_readable_at_80_columns() {
        let finding = Finding {
            kind: "race",
            place: Some("memory"),
            buffer: Some("a_buffer_with_a_long_name".to_owned()),
            at: Some(0xffff_ffff),
            address: None,
            pointer_of: None,
            pointer_at: None,
            register: None,
            used_for: None,
            first: Some(accessor("write")),
            second: accessor("read"),
            count: 1_000_000,
        };
        let limits = vec!["races were looked for in the first 512 MiB of their notes only".to_owned()];
        let report = Findings { checks: vec!["race"], total: 2, findings: vec![finding], limits };
        let text = report.text();
        assert!(text.ends_with("limit reached: races were looked for in the first 512 MiB of their notes only\n"));
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.contains("1 more are left out") && text.contains("byte 0xffffffff of a_buffer_with_a_long_name"));
    }
}
