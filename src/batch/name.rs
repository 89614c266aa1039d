//! The name of an entry.

use std::ops::Deref;

use serde::{Serialize, Serializer};

use crate::quote;

/// The name of an entry: its file, and its kernel and its launch if it has them. It derefs to `FILE`, `FILE: KERNEL` or
/// `FILE: KERNEL: LAUNCH`, with all as they are: that is for programs, [`quoted`](EntryName::quoted) for terminals.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EntryName {
    text: String,
    file_length: usize,
    /// Where the kernel ends, if there is a kernel; likewise the launch.
    kernel_end: Option<usize>,
    has_launch: bool,
}

/// Between file, kernel and launch.
const SEPARATOR: &str = ": ";

impl EntryName {
    /// The name of an entry of a file.
    pub fn new(file: &str, kernel: Option<&str>, launch: Option<&str>) -> EntryName {
        let mut text = file.to_owned();
        let mut add = |part: &str| {
            text += SEPARATOR;
            text += part;
            text.len()
        };
        let kernel_end = kernel.map(&mut add);
        let has_launch = launch.map(&mut add).is_some();
        EntryName { text, file_length: file.len(), kernel_end, has_launch }
    }

    /// Its file.
    pub fn file(&self) -> &str {
        &self.text[..self.file_length]
    }

    /// Its kernel.
    pub fn kernel(&self) -> Option<&str> {
        self.text[self.file_length..self.kernel_end?].strip_prefix(SEPARATOR)
    }

    /// Its launch.
    pub fn launch(&self) -> Option<&str> {
        let rest = &self.text[self.kernel_end.unwrap_or(self.file_length)..];
        rest.strip_prefix(SEPARATOR).filter(|_| self.has_launch)
    }

    /// The name for a terminal: all parts quoted as `ls` quotes names.
    pub fn quoted(&self) -> String {
        let parts = [Some(self.file()), self.kernel(), self.launch()].into_iter().flatten();
        parts.map(quote::name).collect::<Vec<_>>().join(SEPARATOR)
    }
}

impl Deref for EntryName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl Serialize for EntryName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_up_to_three_parts() {
        let name = EntryName::new("a: b.co", Some("k\n"), None);
        assert_eq!((&*name, name.file(), name.kernel()), ("a: b.co: k\n", "a: b.co", Some("k\n")));
        assert_eq!((name.quoted().as_str(), name.launch()), (r"'a: b.co': 'k'$'\n'", None));
        let name = EntryName::new("a: b.bin", None, None);
        assert_eq!((&*name, name.kernel(), name.quoted().as_str()), ("a: b.bin", None, "'a: b.bin'"));
        let name = EntryName::new("a", Some("k"), Some("l m"));
        assert_eq!((&*name, name.kernel(), name.launch()), ("a: k: l m", Some("k"), Some("l m")));
        assert_eq!(name.quoted(), "a: k: 'l m'");
        let name = EntryName::new("a", None, Some("l"));
        assert_eq!((name.file(), name.kernel(), name.launch()), ("a", None, Some("l")));
    }

    #[test]
    fn parts_are_quoted_by_themselves() {
        let quoted = |file, kernel| EntryName::new(file, kernel, None).quoted();
        assert_eq!(quoted("a b.co", Some("k\x1b")), r"'a b.co': 'k'$'\033'");
        assert_eq!(quoted("a.co", Some("_Z1kPi.kd")), "a.co: _Z1kPi.kd");
        assert_eq!(quoted("x\ny", None), r"'x'$'\n''y'");
    }
}
