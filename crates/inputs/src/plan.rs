//! Plans: the list of a batch, cut into parts of about as many bytes, each a list of its own. So a worker needs only
//! the files of its part, and no worker reads the files of others to find out whose they are.
//!
//! A part is what comes one after the other in the whole list. Its first line says which part it is:
//!
//! ```text
//! # gcnsim.plan.v1 {"part":"3/16","first":1200,"files":600,"bytes":73400320}
//! shaders/a.bin
//! ```
//!
//! Results of a part are those of a shard: `merge` puts them together.

use std::fmt;
use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::file::{Content, Place, bytes_of, path_of};
use crate::inputs::Inputs;
use crate::shard::{Holds, Shard};

/// The beginning of the first line of a part.
const HEAD: &str = "# gcnsim.plan.v1 ";
/// Bytes that a file counts for, besides its own: to open and to run it takes time, too.
const PER_FILE: u64 = 4096;

/// The first line of a part.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[non_exhaustive]
pub struct Part {
    /// The part as `I/N`.
    part: String,
    /// Number of its first file in the whole list, from 0.
    pub first: usize,
    /// Number of its files, those in archives among them.
    pub files: usize,
    /// Number of bytes of its files and archives.
    pub bytes: u64,
}

/// Why there is no plan, or why a part is not that of its plan.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// An input is no file.
    #[error("a plan lists files, and {0} is none")]
    NoFile(String),
    /// The first line is wrong.
    #[error("it is no part of a plan: {0}")]
    Head(String),
    /// The files are others than those that were planned.
    #[error("the plan has {planned}, and now there {now}: the corpus has changed since; plan it anew")]
    Changed {
        /// What was planned.
        planned: String,
        /// What is there.
        now: String,
    },
    /// A part is not alone.
    #[error("a part of a plan is run alone, without other paths")]
    NotAlone,
}

/// Files of the list that stay together: a file, or all files of an archive.
struct Unit {
    path: PathBuf,
    files: usize,
    bytes: u64,
}

impl Part {
    /// Reads the first line of a list. `None` if the list is no part of a plan.
    ///
    /// # Errors
    /// [`PlanError::Head`].
    pub fn of_line(line: &[u8]) -> Result<Option<Part>, PlanError> {
        let Some(json) = line.strip_prefix(HEAD.as_bytes()) else { return Ok(None) };
        let part: Part = serde_json::from_slice(json).map_err(|error| PlanError::Head(error.to_string()))?;
        part.part.parse::<Shard>().map_err(|error| PlanError::Head(error.to_string()))?;
        match part.first.checked_add(part.files) {
            Some(_) => Ok(Some(part)),
            None => Err(PlanError::Head(format!("no list has a file number {}", part.first))),
        }
    }

    /// Returns the shard whose results the part has.
    pub fn shard(&self) -> Option<Shard> {
        let shard: Shard = self.part.parse().ok()?;
        Some(Shard { holds: Holds::From(self.first), ..shard })
    }

    /// Checks that the inputs are those of the part.
    ///
    /// # Errors
    /// [`PlanError::Changed`].
    pub fn check(&self, inputs: &Inputs) -> Result<(), PlanError> {
        let count = |files: usize| if files == 1 { "1 file".to_owned() } else { format!("{files} files") };
        if inputs.len() != self.files {
            let now = if inputs.len() == 1 { "is" } else { "are" };
            return Err(PlanError::Changed {
                planned: count(self.files),
                now: format!("{now} {}", count(inputs.len())),
            });
        }
        let bytes: u64 = units(inputs)?.iter().map(|unit| unit.bytes).sum();
        if bytes != self.bytes {
            let planned = format!("{} of {} bytes", count(self.files), self.bytes);
            return Err(PlanError::Changed { planned, now: format!("are {bytes} bytes") });
        }
        Ok(())
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{HEAD}{}", serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

/// Cuts a list into parts. Returns each part with the text of its list. Where there are fewer files than parts, some
/// have none.
///
/// # Errors
/// [`PlanError::NoFile`].
pub fn plan(inputs: &Inputs, parts: u32) -> Result<Vec<(Part, Vec<u8>)>, PlanError> {
    let units = units(inputs)?;
    let weights: Vec<u64> = units.iter().map(|unit| unit.bytes + PER_FILE * unit.files as u64).collect();
    let mut cuts = cuts(&weights, parts as usize);
    cuts.push(units.len());
    let mut first = 0;
    let lists = cuts.windows(2).enumerate().map(|(number, cut)| {
        let units = &units[cut[0]..cut[1]];
        let part = Part {
            part: format!("{}/{parts}", number + 1),
            first,
            files: units.iter().map(|unit| unit.files).sum(),
            bytes: units.iter().map(|unit| unit.bytes).sum(),
        };
        first += part.files;
        let text = list(&part, units);
        (part, text)
    });
    Ok(lists.collect())
}

/// Returns where parts begin: each has about as much weight as is left for it and those behind it, and one unit at
/// least if there are as many.
fn cuts(weights: &[u64], parts: usize) -> Vec<usize> {
    let mut left: u64 = weights.iter().sum();
    let (mut cuts, mut at) = (Vec::new(), 0);
    for part in 0..parts {
        cuts.push(at);
        let behind = parts - part - 1;
        let fair = left / (behind as u64 + 1);
        let mut taken = 0;
        // Half of the next unit decides on whose side it is.
        while at + behind < weights.len() && (taken == 0 || behind == 0 || 2 * taken + weights[at] <= 2 * fair) {
            taken += weights[at];
            at += 1;
        }
        left -= taken;
    }
    cuts
}

fn units(inputs: &Inputs) -> Result<Vec<Unit>, PlanError> {
    let mut units: Vec<Unit> = Vec::new();
    let mut archive = None;
    for index in 0..inputs.len() {
        let input = inputs.get(index);
        if let (Place::Archive { .. }, Some(unit), true) =
            (input.place, units.last_mut(), archive == Some(input.place_number))
        {
            unit.files += 1;
            continue;
        }
        archive = None;
        let path = match input.place {
            Place::Archive { path, .. } => {
                archive = Some(input.place_number);
                path.clone()
            }
            Place::Folder(folder) => folder.join(path_of(input.name)),
            Place::Anywhere => path_of(input.name),
        };
        if input.content == Content::Stream {
            return Err(PlanError::NoFile(path.display().to_string()));
        }
        let bytes = fs::metadata(&path).map_or(0, |meta| if meta.is_file() { meta.len() } else { 0 });
        units.push(Unit { path, files: 1, bytes });
    }
    Ok(units)
}

/// Returns the text of a list: a path a line, or separated by NUL if a path has a line break.
fn list(part: &Part, units: &[Unit]) -> Vec<u8> {
    let names = || units.iter().map(|unit| bytes_of(unit.path.as_os_str()));
    let separator = if names().any(|name| name.contains(&b'\n')) { 0 } else { b'\n' };
    let mut text = part.to_string().into_bytes();
    text.push(separator);
    for name in names() {
        text.extend_from_slice(name);
        text.push(separator);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_about_as_much() {
        assert_eq!(cuts(&[1, 1, 1, 1], 2), [0, 2]);
        assert_eq!(cuts(&[10, 1, 1, 1], 2), [0, 1]);
        assert_eq!(cuts(&[1, 1, 1, 10], 2), [0, 3]);
        assert_eq!(cuts(&[1, 1, 1], 3), [0, 1, 2]);
        assert_eq!(cuts(&[0, 0, 0, 0, 5], 3), [0, 3, 4]);
        assert_eq!(cuts(&[7], 1), [0]);
        assert_eq!(cuts(&[7, 7], 3), [0, 0, 1]);
    }

    #[test]
    fn lists_say_what_they_are() {
        let part = Part { part: "2/3".into(), first: 7, files: 1, bytes: 5 };
        let unit = |path: &str| [Unit { path: path.into(), files: 1, bytes: 5 }];
        let text = list(&part, &unit("x/a.bin"));
        let expected = "# gcnsim.plan.v1 {\"part\":\"2/3\",\"first\":7,\"files\":1,\"bytes\":5}\nx/a.bin\n";
        assert_eq!(String::from_utf8_lossy(&text), expected);
        assert_eq!(list(&part, &unit("a\nb")).iter().filter(|&&byte| byte == 0).count(), 2);
        assert_eq!(Part::of_line(text.split(|&b| b == b'\n').next().unwrap()), Ok(Some(part.clone())));
        let shard = part.shard().unwrap();
        assert_eq!((shard.to_string().as_str(), shard.index_of(2), shard.place_of(6)), ("2/3", 9, None));
        assert_eq!(Part::of_line(b"a.bin"), Ok(None));
        assert!(Part::of_line(b"# gcnsim.plan.v1 {}").unwrap_err().to_string().contains("missing field"));
        let wrong = br#"# gcnsim.plan.v1 {"part":"4/3","first":7,"files":1,"bytes":5}"#;
        assert!(Part::of_line(wrong).unwrap_err().to_string().contains("'4/3' is no shard"));
        let wrong = br#"# gcnsim.plan.v1 {"part":"1/3","first":18446744073709551615,"files":1,"bytes":5}"#;
        assert!(
            Part::of_line(wrong).unwrap_err().to_string().contains("no list has a file number 18446744073709551615")
        );
    }
}
