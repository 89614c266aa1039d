//! The closing record of a file of results, which says that no line is missing.
//!
//! ```json
//! {"schema":"gcnsim.batch-end.v1","version":"0.1.0 (1cc9fbd8a2, 2026-11-28)","shard":null,"entries":5000,
//!  "digest":"5536172e63f58076"}
//! ```
//!
//! The digest is the XXH3-64 of all lines before the record. Line breaks count; fields whose names end in `_ns`, and
//! the comma before each, do not. So every run of the same shaders has the same digest. A batch knows the places of
//! these fields from writing them; a reader searches for them (`time_fields`).

use std::ops::Range;

use serde::Deserialize;

use gcnsim_engine::xxh3::Xxh3;
use gcnsim_inputs::shard::Shard;

/// The schema of closing records.
pub const END_SCHEMA: &str = "gcnsim.batch-end.v1";

/// A closing record.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct ClosingRecord {
    /// The version of gcnsim that wrote the results; `None` if it was one that did not say. Of merged shards it is that
    /// of all of them, or those of each, with ` and ` in between.
    #[serde(default)]
    pub version: Option<String>,
    /// The shard as `I/N`, in results of a shard.
    pub shard: Option<String>,
    /// Number of lines of results before it.
    pub entries: u64,
    /// Digest of all lines before it, 16 hex digits.
    pub digest: String,
}

impl ClosingRecord {
    /// Returns the record as a line with its line break.
    pub(crate) fn line(&self) -> String {
        let shard = self.shard.as_ref().map_or("null".to_owned(), |shard| format!("\"{shard}\""));
        let ClosingRecord { version, entries, digest, .. } = self;
        let version = serde_json::to_string(version).unwrap_or_else(|_| "null".to_owned());
        format!(
            "{{\"schema\":\"{END_SCHEMA}\",\"version\":{version},\"shard\":{shard},\"entries\":{entries},\
             \"digest\":\"{digest}\"}}\n"
        )
    }
}

/// The end of a file of results, as a reader found it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// The record is there and agrees with the lines before it.
    Complete(ClosingRecord),
    /// There is no record: the batch was stopped, or its version of gcnsim writes none.
    Missing,
    /// Lines were changed, added or removed after the record was written. The text says what does not agree.
    Wrong(String),
}

impl End {
    /// Returns the version of gcnsim that wrote the results, if the record says it.
    pub fn version(&self) -> Option<&str> {
        match self {
            End::Complete(record) => record.version.as_deref(),
            End::Missing | End::Wrong(_) => None,
        }
    }

    /// Returns in words why a file is not complete, or `None` if it is.
    pub fn problem(&self) -> Option<String> {
        match self {
            End::Complete(_) => None,
            End::Missing => Some("it has no closing record: the batch was stopped, or lines are missing".into()),
            End::Wrong(what) => Some(format!("it is not what the batch wrote: {what}")),
        }
    }
}

/// The count and digest of the lines so far, as a closing record states them.
#[derive(Clone, Default)]
pub struct Digest {
    hash: Xxh3,
    /// Number of lines of results.
    pub entries: u64,
    /// Buffer for lines without times. Hashing one long piece is faster than hashing many short ones.
    untimed: Vec<u8>,
}

impl Digest {
    /// Adds the line of an entry, with its line break.
    pub fn add_entry(&mut self, line: &[u8]) {
        self.add_other(line);
        self.entries += 1;
    }

    /// Adds a line that is no entry's, with its line break.
    pub fn add_other(&mut self, line: &[u8]) {
        let mut from = 0;
        time_fields(line, |field| {
            self.hash.update(&line[from..field.start]);
            from = field.end;
        });
        self.hash.update(&line[from..]);
    }

    /// Adds lines of `entries` results, whose [`time_fields`] are known.
    pub(crate) fn lines(&mut self, entries: u64, lines: &[u8], time_fields: &[Range<usize>]) {
        let mut from = 0;
        self.untimed.clear();
        for field in time_fields {
            self.untimed.extend_from_slice(&lines[from..field.start]);
            from = field.end;
        }
        self.untimed.extend_from_slice(&lines[from..]);
        self.hash.update(&self.untimed);
        self.entries += entries;
    }

    /// Returns the record that closes a file with the lines so far.
    pub(crate) fn record(&self, shard: Option<Shard>) -> ClosingRecord {
        let digest = format!("{:016x}", self.hash.digest());
        let version = Some(gcnsim_engine::report::version().to_owned());
        ClosingRecord { version, shard: shard.map(|shard| shard.to_string()), entries: self.entries, digest }
    }

    /// Checks whether a record agrees with the lines so far.
    ///
    /// # Errors
    /// The difference in words.
    pub(crate) fn check(&self, record: &ClosingRecord) -> Result<(), String> {
        let (entries, digest) = (self.entries, self.hash.digest());
        if record.entries != entries {
            return Err(format!("{entries} results, but its closing record speaks of {}", record.entries));
        }
        match u64::from_str_radix(&record.digest, 16) {
            Ok(expected) if expected == digest && record.digest.len() == 16 => Ok(()),
            _ => {
                Err(format!("its lines have the digest {digest:016x}, not {} as in its closing record", record.digest))
            }
        }
    }
}

/// Calls `found` with the range of each field of a line whose name ends in `_ns`, including the comma before it. Fields
/// of nested objects do not count. In a line that is not a JSON object the result is arbitrary, but no digest is taken
/// of such a line.
fn time_fields(line: &[u8], mut found: impl FnMut(Range<usize>)) {
    let Some(mut comma) = line.iter().position(|&byte| byte == b'{') else { return };
    loop {
        // Only blanks can be between the comma and the name of the field.
        let Some(name) = line[comma..].iter().position(|&byte| byte == b'"').map(|quote| comma + quote) else { return };
        let name_end = end_of_string(line, name);
        let is_time = line[name..name_end].ends_with(b"_ns\"");
        let value_end = end_of_value(line, name_end);
        // A field without a comma before it is the first one, which in lines of a batch is the schema.
        if is_time && line[comma] == b',' {
            found(comma..value_end);
        }
        if line.get(value_end) != Some(&b',') {
            return;
        }
        comma = value_end;
    }
}

/// Returns the offset after the string that begins at `start`.
fn end_of_string(line: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = line.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    line.len()
}

/// Returns the offset of the comma or bracket that ends the value at `start`.
fn end_of_value(line: &[u8], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0u32);
    while let Some(&byte) = line.get(at) {
        match byte {
            b'"' => {
                at = end_of_string(line, at);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth > 0 => depth -= 1,
            b',' | b'}' | b']' if depth == 0 => return at,
            _ => {}
        }
        at += 1;
    }
    line.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(line: &str) -> String {
        let (mut out, mut from) = (String::new(), 0);
        time_fields(line.as_bytes(), |field| {
            out.push_str(&line[from..field.start]);
            from = field.end;
        });
        out + &line[from..]
    }

    #[test]
    fn only_fields_of_the_line_itself_are_left_out() {
        for (line, expected) in [
            ("{\"a\":1,\"b_ns\":2,\"c\":3}\n", "{\"a\":1,\"c\":3}\n"),
            ("{\"a\":1,\"b_ns\":[1,2],\"c_ns\":{\"d\":[3]}}\n", "{\"a\":1}\n"),
            ("{\"a\":{\"b_ns\":2,\"c\":[{\"d_ns\":1}]},\"e_ns\":5}", "{\"a\":{\"b_ns\":2,\"c\":[{\"d_ns\":1}]}}"),
            (r#"{"a":",\"b_ns\":1,","c_ns":"x\\","d":"\\\"_ns"}"#, r#"{"a":",\"b_ns\":1,","d":"\\\"_ns"}"#),
            (r#"{"a":"b_ns","c":["d_ns",1],"e_nsx":1,"_ns":2}"#, r#"{"a":"b_ns","c":["d_ns",1],"e_nsx":1}"#),
            ("{}", "{}"),
            ("", ""),
        ] {
            assert_eq!(without(line), expected, "{line}");
        }
        // Lines that are not JSON do not make the reader panic.
        for line in
            ["{", "{\"", "{\"a", "{\"a\\", "{\"a_ns\"", "{\"a_ns\":", "{\"a\":1,", "{\"a\":1,\"b_ns\":\"\\", "x", "]"]
        {
            without(line);
        }
    }

    #[test]
    fn a_digest_does_not_see_times() {
        let mut one = Digest::default();
        one.add_entry(b"{\"schema\":\"s\",\"a_ns\":1,\"b\":2}\n");
        one.add_entry(b"{\"schema\":\"s\",\"b\":3,\"a_ns\":[4,5]}\n");
        let mut other = Digest::default();
        let times = [19..26, 47..53];
        other.lines(2, b"{\"schema\":\"s\",\"b\":2,\"x\":77}\n{\"schema\":\"s\",\"b\":3,\"x\":9}\n", &times);
        let record = one.record(Shard::new(2, 3));
        assert_eq!(record.digest, other.record(None).digest);
        assert_eq!(record.digest, format!("{:016x}", xxhash_rust::xxh3::xxh3_64(SEEN)));
        assert_eq!(one.check(&record), Ok(()));
        let parsed: ClosingRecord = serde_json::from_str(&record.line()).unwrap();
        assert_eq!((parsed.shard.as_deref(), parsed.entries), (Some("2/3"), 2));
        one.add_other(b"{}\n");
        assert!(one.check(&record).unwrap_err().contains("digest"));
        one.add_entry(b"{}\n");
        assert!(one.check(&record).unwrap_err().contains("3 results"));
    }

    const SEEN: &[u8] = b"{\"schema\":\"s\",\"b\":2}\n{\"schema\":\"s\",\"b\":3}\n";
}
