//! The name of an entry.

use std::ops::Deref;

use serde::{Serialize, Serializer};

use crate::quote;

/// The name of an entry: its file, and its kernel if it has one. It derefs to the plain text `FILE` or `FILE: KERNEL`,
/// for programs to read. [`quoted`](EntryName::quoted) is the form for terminals.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EntryName {
    text: String,
    file_length: usize,
}

/// The text between file and kernel.
const SEPARATOR: &str = ": ";

impl EntryName {
    /// The name of an entry of a file.
    pub fn new(file: &str, kernel: Option<&str>) -> EntryName {
        let text = match kernel {
            Some(kernel) => [file, SEPARATOR, kernel].concat(),
            None => file.to_owned(),
        };
        EntryName { text, file_length: file.len() }
    }

    /// Its file.
    pub fn file(&self) -> &str {
        &self.text[..self.file_length]
    }

    /// Its kernel.
    pub fn kernel(&self) -> Option<&str> {
        self.text[self.file_length..].strip_prefix(SEPARATOR)
    }

    /// The name for a terminal: both parts quoted as `ls` quotes names.
    pub fn quoted(&self) -> String {
        quote::entry(self.file(), self.kernel())
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
    fn names_have_two_parts() {
        let name = EntryName::new("a: b.co", Some("k\n"));
        assert_eq!((&*name, name.file(), name.kernel()), ("a: b.co: k\n", "a: b.co", Some("k\n")));
        assert_eq!(name.quoted(), r"'a: b.co': 'k'$'\n'");
        let name = EntryName::new("a: b.bin", None);
        assert_eq!((&*name, name.kernel(), name.quoted().as_str()), ("a: b.bin", None, "'a: b.bin'"));
    }
}
