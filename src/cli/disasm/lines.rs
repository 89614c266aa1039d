//! The lines of a listing, before they are text or JSON.

use std::sync::Arc;

use gcnsim_isa::{Arch, Inst, scalar_register_name};

use super::reason;
use gcnsim_loader::areas::Area;
use gcnsim_loader::codemap::{CodeMap, Decoded, odd_bytes};
use gcnsim_loader::object::CodeSection;

/// Fewest equal dwords of data that are shown as one line.
const FILL_FROM: usize = 4;

/// A line of a listing.
pub(super) enum Line {
    /// Symbols at the address of the next line.
    Names(Vec<Arc<str>>),
    /// The label at the address of the next line, which is the target of a jump.
    Label(String),
    /// An instruction, or a dword in code that is not one.
    Code(CodeLine),
    /// `count` equal dwords of data.
    Fill { address: u64, count: usize, word: u32 },
    /// A dword of data.
    Long { address: u64, word: u32 },
    /// Data that is shorter than a dword.
    Bytes { address: u64, bytes: Vec<u8> },
}

/// A line of code.
pub(super) struct CodeLine {
    pub address: u64,
    /// One or two dwords, unchanged from the file.
    pub words: Vec<u32>,
    /// The instruction, or the reason why the dword is not one.
    pub inst: Result<Inst, String>,
    /// Address and name of the target, if this is a direct jump or call.
    pub target: Option<(u64, String)>,
    /// Register pair and name of the address that the instruction completes, if it completes one.
    pub made: Option<(String, String)>,
    /// Relocations of the instruction's dwords.
    pub relocations: Vec<String>,
}

/// Makes the lines of sections, one after the other.
pub(super) struct Lines<'o> {
    map: CodeMap<'o>,
    /// Number of dwords in the code listed so far that are not instructions.
    undecodable: u64,
}

impl<'o> Lines<'o> {
    pub fn new(map: CodeMap<'o>) -> Lines<'o> {
        Lines { map, undecodable: 0 }
    }

    /// Returns the number of dwords in the code listed so far that are not instructions.
    pub fn undecodable(&self) -> u64 {
        self.undecodable
    }

    /// Calls `each` with the lines of `area`, in order.
    pub fn of_area(
        &mut self,
        section: &CodeSection,
        area: &Area,
        mut each: impl FnMut(Line) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        if !area.kind.is_code() {
            return data(section, area.range.clone(), &mut each);
        }
        let first = area.range.start + odd_bytes(section, area);
        data(section, area.range.start..first, &mut each)?;
        let mut end = first;
        for number in self.map.numbers(section, area) {
            self.map.read_to(number);
            if !self.map.is_start(number) {
                continue;
            }
            let decoded = &self.map.get(number);
            if decoded.inst.is_err() {
                self.undecodable += 1;
            }
            if let Some(names) = section.labels.get(&decoded.address) {
                each(Line::Names(names.clone()))?;
            } else if self.map.is_label(decoded.address) && !is_start(area, decoded.address) {
                each(Line::Label(label(section.shown(decoded.address))))?;
            }
            end = decoded.address + decoded.size();
            each(Line::Code(self.code(section, area, decoded)))?;
        }
        data(section, end..area.range.end, &mut each)
    }

    fn code(&self, section: &CodeSection, area: &Area, decoded: &Decoded) -> CodeLine {
        let words = own_words(section, decoded);
        let relocations = section.relocations_in(decoded.address..decoded.address + decoded.size());
        // The instruction is decoded from the dwords in the file, without relocations: these are named beside it.
        let inst = match relocations {
            [] => decoded.inst,
            _ => self.map.decode(words[0], words.get(1).copied()),
        };
        let name = |address: u64| self.name(section, area, address);
        CodeLine {
            address: section.shown(decoded.address),
            words,
            inst: inst.map_err(|error| reason(&error)),
            target: decoded.target.map(|target| (section.shown(target), name(target))),
            made: decoded.address_made.map(|(n, address)| {
                let pointer = self.map.object.pointer_at(address).map(|to| format!(" (pointer to {})", name(to)));
                (pair_name(self.map.arch, n), name(address) + &pointer.unwrap_or_default())
            }),
            relocations: relocations.iter().map(|relocation| relocation.to_string()).collect(),
        }
    }

    /// Returns the name of an address in an area: its symbol, a label within the area, or a distance from a symbol.
    fn name(&self, section: &CodeSection, area: &Area, address: u64) -> String {
        let shown = section.shown(address);
        let inside = area.range.contains(&address) && !is_start(area, address);
        if inside && !section.labels.contains_key(&address) && self.map.is_label(address) {
            return label(shown);
        }
        match self.map.object.name_of(address) {
            Some(name) => name.into_owned(),
            // An address that is not read yet may become a label.
            None if self.map.is_label(address) || self.map.is_unread(address) => label(shown),
            None => format!("{shown:#x}, outside"),
        }
    }
}

/// Whether `address` is that of the area's symbol.
fn is_start(area: &Area, address: u64) -> bool {
    area.range.start == address && !area.names.is_empty() && area.offset == 0
}

/// Makes a label for the target of a jump that has no symbol.
fn label(shown: u64) -> String {
    format!("L{shown:x}")
}

fn pair_name(arch: Arch, n: u8) -> String {
    let low = scalar_register_name(arch, n);
    match low.strip_suffix("_lo") {
        Some(name) => name.to_owned(),
        None => format!("s[{n}:{}]", n + 1),
    }
}

/// Returns the instruction's dwords, unchanged from the file.
fn own_words(section: &CodeSection, decoded: &Decoded) -> Vec<u32> {
    let at = (decoded.address - section.address) as usize;
    let bytes = section.bytes.as_ref().get(at..at + decoded.size() as usize).unwrap_or_default();
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Calls `each` with lines for bytes that are not code.
fn data(
    section: &CodeSection,
    range: std::ops::Range<u64>,
    each: &mut impl FnMut(Line) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let at = (range.start - section.address) as usize;
    let bytes = section.bytes.as_ref().get(at..at + (range.end - range.start) as usize).unwrap_or_default();
    let (words, rest) = bytes.as_chunks::<4>();
    let mut index = 0;
    while let Some(&bytes) = words.get(index) {
        let address = section.shown(range.start + 4 * index as u64);
        let count = words[index..].iter().take_while(|&&other| other == bytes).count();
        let word = u32::from_le_bytes(bytes);
        if count >= FILL_FROM {
            each(Line::Fill { address, count, word })?;
            index += count;
        } else {
            each(Line::Long { address, word })?;
            index += 1;
        }
    }
    if rest.is_empty() {
        return Ok(());
    }
    let address = section.shown(range.end - rest.len() as u64);
    each(Line::Bytes { address, bytes: rest.to_vec() })
}
