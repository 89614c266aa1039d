//! The name of an entry.

use std::ops::Deref;

use serde::{Serialize, Serializer};

use gcnsim_engine::quote;

/// The name of an entry: its file, and its kernel and launch if it has them. It derefs to `FILE`, `FILE: KERNEL` or
/// `FILE: KERNEL: LAUNCH`, unquoted, for programs; [`quoted`](EntryName::quoted) is for terminals. The part of a bundle
/// follows the file: `FILE [gfx906:xnack+]: KERNEL`, or `FILE [gfx906 #2]: KERNEL` if several parts have that target
/// id.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EntryName {
    text: String,
    file_length: usize,
    /// Offset in `text` after the part; equal to `file_length` if the name has no part.
    part_end: usize,
    /// Offset in `text` after the kernel, if the name has one.
    kernel_end: Option<usize>,
    has_launch: bool,
}

/// The part of a bundle that an entry comes from, as its name states it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PartName<'a> {
    /// Target id of the part; empty if it is unknown.
    pub target: &'a str,
    /// Index of the part in the file, if the target id alone does not tell it from others.
    pub index: Option<usize>,
}

/// Text between file, kernel and launch.
const SEPARATOR: &str = ": ";

impl EntryName {
    /// Returns the name of an entry of `file`.
    pub fn new(file: &str, kernel: Option<&str>, launch: Option<&str>) -> EntryName {
        EntryName::in_part(file, None, kernel, launch)
    }

    /// Returns the name of an entry of a part of `file`.
    pub fn in_part(file: &str, part: Option<PartName>, kernel: Option<&str>, launch: Option<&str>) -> EntryName {
        let mut text = file.to_owned();
        match part {
            None => {}
            Some(PartName { target, index: None }) => text += &format!(" [{target}]"),
            Some(PartName { target: "", index: Some(index) }) => text += &format!(" [#{index}]"),
            Some(PartName { target, index: Some(index) }) => text += &format!(" [{target} #{index}]"),
        }
        let part_end = text.len();
        let mut add = |part: &str| {
            text += SEPARATOR;
            text += part;
            text.len()
        };
        let kernel_end = kernel.map(&mut add);
        let has_launch = launch.map(&mut add).is_some();
        EntryName { text, file_length: file.len(), part_end, kernel_end, has_launch }
    }

    /// Returns the file.
    pub fn file(&self) -> &str {
        &self.text[..self.file_length]
    }

    /// Returns the kernel, if the name has one.
    pub fn kernel(&self) -> Option<&str> {
        self.text[self.part_end..self.kernel_end?].strip_prefix(SEPARATOR)
    }

    /// Returns the launch, if the name has one.
    pub fn launch(&self) -> Option<&str> {
        let rest = &self.text[self.kernel_end.unwrap_or(self.part_end)..];
        rest.strip_prefix(SEPARATOR).filter(|_| self.has_launch)
    }

    /// Returns the launch, if its name says more than that of the kernel: many launches are named after their kernel.
    fn other_launch(&self) -> Option<&str> {
        self.launch().filter(|launch| self.kernel() != Some(launch))
    }

    /// Returns the name for a page, unquoted. A launch that is named after its kernel is not named again.
    pub fn shown(&self) -> &str {
        match self.other_launch() {
            None => &self.text[..self.kernel_end.unwrap_or(self.part_end)],
            Some(_) => &self.text,
        }
    }

    /// Returns the name for a terminal, with file, kernel and launch quoted as `ls` quotes names, without a launch that
    /// is named after its kernel.
    pub fn quoted(&self) -> String {
        let part = quote::text(&self.text[self.file_length..self.part_end]);
        let mut quoted = quote::name(self.file()).to_string() + &part;
        for part in [self.kernel(), self.other_launch()].into_iter().flatten() {
            quoted += SEPARATOR;
            quoted += &quote::name(part);
        }
        quoted
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
        // What programs read stays whole.
        let name = EntryName::new("a", Some("k"), Some("k"));
        assert_eq!((&*name, name.shown(), name.quoted().as_str()), ("a: k: k", "a: k", "a: k"));
        let name = EntryName::new("a", None, Some("a"));
        assert_eq!((name.shown(), name.quoted().as_str()), ("a: a", "a: a"));
        let name = EntryName::new("a", None, Some("l"));
        assert_eq!((name.file(), name.kernel(), name.launch()), ("a", None, Some("l")));
    }

    #[test]
    fn parts_of_bundles_stand_behind_the_file() {
        let name = |target, index| EntryName::in_part("a b", Some(PartName { target, index }), Some("k"), Some("l"));
        let found = name("gfx906:xnack+", None);
        assert_eq!((&*found, found.file(), found.kernel()), ("a b [gfx906:xnack+]: k: l", "a b", Some("k")));
        assert_eq!((found.launch(), found.quoted().as_str()), (Some("l"), "'a b' [gfx906:xnack+]: k: l"));
        assert_eq!((&*name("gfx906", Some(2)), &*name("", Some(0))), ("a b [gfx906 #2]: k: l", "a b [#0]: k: l"));
        let found = EntryName::in_part("a", Some(PartName { target: "x\x1b", index: None }), None, Some("l"));
        assert_eq!((found.kernel(), found.launch()), (None, Some("l")));
        assert!(!found.quoted().contains('\x1b'));
    }

    #[test]
    fn parts_are_quoted_by_themselves() {
        let quoted = |file, kernel| EntryName::new(file, kernel, None).quoted();
        assert_eq!(quoted("a b.co", Some("k\x1b")), r"'a b.co': 'k'$'\033'");
        assert_eq!(quoted("a.co", Some("_Z1kPi.kd")), "a.co: _Z1kPi.kd");
        assert_eq!(quoted("x\ny", None), r"'x'$'\n''y'");
    }
}
