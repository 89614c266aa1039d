//! Divides a section of code into areas by its symbols. Each byte belongs to exactly one area.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// What an area holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AreaKind {
    /// Code of a kernel.
    Kernel,
    /// Code of another function.
    Function,
    /// Code after a symbol that has no type, where no function covers it.
    Label,
    /// Code without a symbol.
    Unnamed,
    /// An `amd_kernel_code_t` (code objects v2).
    Descriptor,
    /// Data, as the type of its symbol says.
    Data,
    /// Filling between functions: zeros, S_NOP, S_CODE_END.
    Padding,
}

impl AreaKind {
    /// Whether the area holds instructions.
    pub fn is_code(self) -> bool {
        matches!(self, AreaKind::Kernel | AreaKind::Function | AreaKind::Label | AreaKind::Unnamed)
    }

    /// The word for the kind in listings.
    pub fn name(self) -> &'static str {
        match self {
            AreaKind::Kernel => "kernel",
            AreaKind::Function => "function",
            AreaKind::Label => "label",
            AreaKind::Unnamed => "code",
            AreaKind::Descriptor => "descriptor",
            AreaKind::Data => "data",
            AreaKind::Padding => "padding",
        }
    }
}

/// A part of a section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Area {
    /// What it holds.
    pub kind: AreaKind,
    /// Its addresses.
    pub range: Range<u64>,
    /// All names of the symbol that it belongs to (aliases); empty if there is none.
    pub names: Arc<[Arc<str>]>,
    /// Distance in bytes from the symbol to the area. It is not 0 where another symbol's area lies in between.
    pub offset: u64,
}

/// A symbol as the owner of bytes of a section.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    pub address: u64,
    /// Size in bytes. 0 means that the mark reaches up to the next one.
    pub size: u64,
    pub kind: MarkKind,
    pub name: Arc<str>,
}

/// Kinds of marks. Of several marks at one address, the one that is first in this order gives its kind to the area.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum MarkKind {
    Descriptor,
    Kernel,
    Function,
    Data,
    /// A symbol without a type. It owns bytes only where no other mark covers them; elsewhere it is a label in an area.
    Label,
}

/// Divides the section with the addresses `section` and the contents `bytes`. Also returns the labels within areas, by
/// address.
pub(super) fn divide(
    section: Range<u64>,
    bytes: &[u8],
    mut marks: Vec<Mark>,
) -> (Vec<Area>, BTreeMap<u64, Vec<Arc<str>>>) {
    marks.retain(|mark| section.contains(&mark.address));
    marks.sort_by_key(|mark| (mark.address, mark.kind));
    let (labels, typed): (Vec<_>, Vec<_>) = marks.into_iter().partition(|mark| mark.kind == MarkKind::Label);
    let covered = Divider::new(&section, bytes).divide(&typed);
    let mut inner: BTreeMap<u64, Vec<Arc<str>>> = BTreeMap::new();
    let mut all = typed;
    let count = all.len();
    for mark in labels {
        let area = &covered[covered.partition_point(|area| area.range.end <= mark.address)..];
        match area.first() {
            Some(area) if !area.names.is_empty() => {
                // Another name for the beginning of the area is not a label within it.
                if area.range.start != mark.address || area.offset != 0 {
                    inner.entry(mark.address).or_default().push(mark.name);
                }
            }
            _ => all.push(mark),
        }
    }
    if all.len() == count {
        return (covered, inner);
    }
    all.sort_by_key(|mark| (mark.address, mark.kind));
    (Divider::new(&section, bytes).divide(&all), inner)
}

/// The marks that begin at one address.
struct Group {
    kind: MarkKind,
    start: u64,
    end: u64,
    /// Whether the group ends where the next one begins, because none of its marks has a size.
    open: bool,
    names: Arc<[Arc<str>]>,
}

struct Divider<'s> {
    section: &'s Range<u64>,
    bytes: &'s [u8],
    areas: Vec<Area>,
    /// First address that is in no area yet.
    at: u64,
}

impl<'s> Divider<'s> {
    fn new(section: &'s Range<u64>, bytes: &'s [u8]) -> Divider<'s> {
        Divider { section, bytes, areas: Vec::new(), at: section.start }
    }

    /// Divides the section among `marks`, which are sorted by address, then by kind.
    fn divide(mut self, marks: &[Mark]) -> Vec<Area> {
        let mut groups: Vec<Group> = Vec::new();
        for of_address in marks.chunk_by(|a, b| a.address == b.address) {
            let end = |mark: &Mark| mark.address.saturating_add(mark.size).min(self.section.end);
            let mut seen = HashSet::new();
            let names = of_address.iter().filter(|mark| seen.insert(&*mark.name)).map(|mark| mark.name.clone());
            groups.push(Group {
                kind: of_address[0].kind,
                start: of_address[0].address,
                end: of_address.iter().map(end).max().unwrap_or(0),
                open: false,
                names: names.collect(),
            });
        }
        for i in 0..groups.len() {
            if groups[i].end == groups[i].start {
                groups[i].end = groups.get(i + 1).map_or(self.section.end, |next| next.start);
                groups[i].open = true;
            }
        }
        let mut open: Vec<&Group> = Vec::new();
        for group in &groups {
            self.close(&mut open, group.start);
            open.push(group);
        }
        self.close(&mut open, self.section.end);
        self.areas
    }

    /// Gives all bytes before `to` to areas. `open` has the groups that have begun, the innermost last.
    fn close(&mut self, open: &mut Vec<&Group>, to: u64) {
        while let Some(group) = open.last() {
            let end = group.end.min(to);
            if end > self.at {
                self.of_group(group, end);
            }
            if group.end > to {
                return;
            }
            open.pop();
        }
        if to > self.at {
            self.gap(to);
        }
    }

    fn of_group(&mut self, group: &Group, to: u64) {
        let kind = match group.kind {
            MarkKind::Descriptor => AreaKind::Descriptor,
            MarkKind::Kernel => AreaKind::Kernel,
            MarkKind::Function => AreaKind::Function,
            MarkKind::Label => AreaKind::Label,
            MarkKind::Data => AreaKind::Data,
        };
        let offset = self.at - group.start;
        // The end of an open group is a guess, so padding before it is not part of the area.
        let filled = if group.open { self.filling(self.at..to, true, |word| word == 0 || word == CODE_END) } else { 0 };
        self.push(kind, to - filled, &group.names, offset);
        self.push(AreaKind::Padding, to, &Arc::default(), 0);
    }

    fn gap(&mut self, to: u64) {
        let is_filling = |word| matches!(word, 0 | NOP | CODE_END);
        let before = self.filling(self.at..to, false, is_filling);
        self.push(AreaKind::Padding, self.at + before, &Arc::default(), 0);
        let after = self.filling(self.at..to, true, is_filling);
        self.push(AreaKind::Unnamed, to - after, &Arc::default(), 0);
        self.push(AreaKind::Padding, to, &Arc::default(), 0);
    }

    fn push(&mut self, kind: AreaKind, to: u64, names: &Arc<[Arc<str>]>, offset: u64) {
        if to > self.at {
            self.areas.push(Area { kind, range: self.at..to, names: names.clone(), offset });
            self.at = to;
        }
    }

    /// Number of bytes of padding at the end of `range` (`at_end`), or at its beginning.
    fn filling(&self, range: Range<u64>, at_end: bool, is_filling: impl Fn(u32) -> bool) -> u64 {
        let index = |address: u64| (address - self.section.start) as usize;
        let bytes = self.bytes.get(index(range.start)..index(range.end)).unwrap_or_default();
        let is_filling = |word: &[u8]| word.first_chunk().is_some_and(|word| is_filling(u32::from_le_bytes(*word)));
        let words = if at_end {
            bytes.rchunks_exact(4).take_while(|word| is_filling(word)).count()
        } else {
            bytes.chunks_exact(4).take_while(|word| is_filling(word)).count()
        };
        4 * words as u64
    }
}

/// S_NOP 0, which linkers write between functions.
const NOP: u32 = 0xbf80_0000;
/// S_CODE_END of later generations. LLVM writes it between functions on all generations.
const CODE_END: u32 = 0xbf9f_0000;

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(address: u64, size: u64, kind: MarkKind, name: &str) -> Mark {
        Mark { address, size, kind, name: name.into() }
    }

    fn divided(words: &[u32], marks: Vec<Mark>) -> Vec<(AreaKind, u64, u64, String)> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let section = 0x100..0x100 + bytes.len() as u64;
        let (areas, _) = divide(section.clone(), &bytes, marks);
        let mut at = section.start;
        for area in &areas {
            assert_eq!(area.range.start, at, "{areas:?}");
            at = area.range.end;
        }
        assert_eq!(at, section.end);
        areas.into_iter().map(|a| (a.kind, a.range.start - 0x100, a.offset, a.names.join(" "))).collect()
    }

    #[test]
    fn functions_padding_and_code_without_symbols() {
        use AreaKind::*;
        let words = [1, 2, NOP, 0, 5, 6, CODE_END, 8, 9, 10];
        let marks = vec![mark(0x100, 8, MarkKind::Function, "f"), mark(0x11c, 12, MarkKind::Kernel, "k")];
        let expected = [(Function, 0, "f"), (Padding, 8, ""), (Unnamed, 16, ""), (Padding, 24, ""), (Kernel, 28, "k")];
        let expected = expected.map(|(kind, at, name)| (kind, at, 0, name.to_owned()));
        assert_eq!(divided(&words, marks), expected);
    }

    #[test]
    fn symbols_within_symbols_and_of_one_address() {
        use AreaKind::*;
        let marks = vec![
            mark(0x100, 32, MarkKind::Function, "outer"),
            mark(0x100, 8, MarkKind::Kernel, "alias"),
            mark(0x108, 4, MarkKind::Data, "table"),
            mark(0x10c, 0, MarkKind::Label, "label"),
        ];
        let expected = [(Kernel, 0, 0, "alias outer"), (Data, 8, 0, "table"), (Kernel, 12, 12, "alias outer")];
        assert_eq!(divided(&[1; 8], marks.clone()), expected.map(|(k, at, offset, name)| (k, at, offset, name.into())));
        let (_, labels) = divide(0x100..0x120, &[1; 32], marks);
        assert_eq!(labels.into_iter().collect::<Vec<_>>(), [(0x10c, vec![Arc::from("label")])]);
    }

    #[test]
    fn labels_where_nothing_else_is() {
        use AreaKind::*;
        let marks = vec![mark(0x104, 0, MarkKind::Label, "a"), mark(0x108, 0, MarkKind::Label, "b")];
        let expected = [(Unnamed, 0, ""), (Label, 4, "a"), (Label, 8, "b"), (Padding, 12, "")];
        let expected = expected.map(|(kind, at, name)| (kind, at, 0, name.to_owned()));
        assert_eq!(divided(&[1, 2, 3, 0], marks), expected);
    }

    /// Every byte is in exactly one area (`divided` checks it), even if addresses and sizes of symbols make no sense.
    #[test]
    fn absurd_symbols() {
        for (address, size) in [(0, 5), (0x100, u64::MAX), (0x11f, 1), (0x120, 4), (u64::MAX, 1), (0x103, 2)] {
            for kind in [MarkKind::Function, MarkKind::Descriptor, MarkKind::Label] {
                divided(&[3; 8], vec![mark(address, size, kind, "x"), mark(0x10a, 30, MarkKind::Data, "y")]);
            }
        }
    }
}
