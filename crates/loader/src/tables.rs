//! Symbol and relocation tables of ELF files.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use object::elf::{
    FileHeader64, SHF_ALLOC, SHT_DYNSYM, SHT_REL, SHT_RELA, SHT_SYMTAB, SectionHeader64, SymbolSection, SymbolType,
};
use object::read::elf::{SectionHeader, SectionTable, Sym, SymbolTable};
use object::{LittleEndian, SectionIndex, SymbolIndex};

use super::error::LoadError;
use super::relocation::{Relocation, SymbolValue};

pub(super) type Header = FileHeader64<LittleEndian>;
pub(super) const LE: LittleEndian = LittleEndian;

/// Limit in bytes for the name of a section or symbol.
const NAME_LIMIT: usize = 4096;
/// Limit for the total length of all names, as a multiple of the file's length. Names may overlap in the file.
const NAMES_PER_FILE: usize = 4;

/// A named symbol that the file defines.
pub(super) struct Symbol<'d> {
    pub name: Cow<'d, str>,
    pub address: u64,
    pub size: u64,
    pub kind: SymbolType,
    pub section: usize,
}

/// The name at `offset` in a string table, where a byte 0 ends each name.
pub(super) fn name_at(strings: &[u8], offset: u32) -> Result<Cow<'_, str>, String> {
    let rest = strings.get(offset as usize..).unwrap_or_default();
    let length = rest.iter().take(NAME_LIMIT + 1).position(|&byte| byte == 0);
    let length =
        length.ok_or_else(|| format!("a name at {offset:#x} of its table has no end or over {NAME_LIMIT} bytes"))?;
    Ok(String::from_utf8_lossy(&rest[..length]))
}

pub(super) fn strings<'d>(
    sections: &SectionTable<'d, Header>,
    data: &'d [u8],
    index: SectionIndex,
) -> object::Result<&'d [u8]> {
    if index.0 == 0 { Ok(&[]) } else { sections.section(index)?.data(LE, data) }
}

/// The offset of `part` in `data`. `part` must be a slice of it.
pub(super) fn offset_within(data: &[u8], part: &[u8]) -> u64 {
    (part.as_ptr() as usize).wrapping_sub(data.as_ptr() as usize) as u64
}

/// The number of bytes that the rest of a file's names may have.
struct NameBudget(usize);

impl NameBudget {
    fn new(data: &[u8]) -> NameBudget {
        NameBudget(NAMES_PER_FILE * data.len())
    }

    fn take(&mut self, name: &str, at: u64) -> Result<(), LoadError> {
        self.0 = self.0.checked_sub(name.len()).ok_or_else(|| {
            let what = format!("names of symbols come to over {NAMES_PER_FILE} times the file; symbol");
            LoadError::elf(at, what)
        })?;
        Ok(())
    }
}

/// The symbols of both symbol tables. In a relocatable file, addresses are relative to the symbol's section.
pub(super) fn symbols<'d>(
    sections: &SectionTable<'d, Header>,
    data: &'d [u8],
    linked: bool,
) -> Result<Vec<Symbol<'d>>, LoadError> {
    let mut found: Vec<Symbol<'d>> = Vec::new();
    let mut names: HashSet<Cow<'d, str>> = HashSet::new();
    let mut budget = NameBudget::new(data);
    let places = Places::new(sections);
    for kind in [SHT_SYMTAB, SHT_DYNSYM] {
        let table = sections.symbols(LE, data, kind).map_err(|e| LoadError::elf(0, format!("{e}; symbol table")))?;
        let texts = strings(sections, data, table.string_section());
        let texts = texts.map_err(|e| LoadError::elf(0, format!("{e}; names of symbols")))?;
        for symbol in table.iter() {
            let Some(section) = symbol_section(symbol.st_shndx(LE)) else { continue };
            let at = offset_within(data, object::bytes_of(symbol));
            let name =
                name_at(texts, symbol.st_name(LE)).map_err(|what| LoadError::elf(at, format!("{what}; symbol")))?;
            budget.take(&name, at)?;
            if name.is_empty() || !names.insert(name.clone()) && kind == SHT_DYNSYM {
                continue;
            }
            let base = if linked { 0 } else { section_address(sections, section) };
            let address = base.wrapping_add(symbol.st_value(LE));
            let section = if linked { places.section(section, address) } else { section };
            found.push(Symbol { name, address, size: symbol.st_size(LE), kind: symbol.st_type(), section });
        }
    }
    Ok(found)
}

/// The sections of a linked object by address. Tools that remove a section do not renumber those that dynamic symbols
/// refer to, so the address decides.
struct Places {
    /// Address range and number of the sections that are loaded, by address.
    sorted: Vec<(std::ops::Range<u64>, usize)>,
    /// Address ranges by section number; empty for sections that are not loaded.
    ranges: Vec<std::ops::Range<u64>>,
}

impl Places {
    fn new(sections: &SectionTable<'_, Header>) -> Places {
        let range = |s: &SectionHeader64<LittleEndian>| match s.sh_flags(LE).0 & SHF_ALLOC.0 {
            0 => 0..0,
            _ => s.sh_addr(LE)..s.sh_addr(LE).saturating_add(s.sh_size(LE)),
        };
        let ranges: Vec<_> = sections.iter().map(range).collect();
        let mut sorted: Vec<_> = ranges.iter().cloned().zip(0..).filter(|(range, _)| !range.is_empty()).collect();
        sorted.sort_by_key(|(range, i)| (range.start, *i));
        Places { sorted, ranges }
    }

    /// The section of a symbol at `address`: `stated` if that contains the address, or else the section that does.
    fn section(&self, stated: usize, address: u64) -> usize {
        if self.ranges.get(stated).is_some_and(|range| (range.start..=range.end).contains(&address)) {
            return stated;
        }
        let behind = self.sorted.partition_point(|(range, _)| range.start <= address);
        let found = self.sorted[..behind].last().filter(|(range, _)| range.contains(&address));
        found.map_or(stated, |&(_, i)| i)
    }
}

fn symbol_section(index: SymbolSection) -> Option<usize> {
    (index.0 != 0 && index.0 < 0xff00).then_some(index.0 as usize)
}

fn section_address(sections: &SectionTable<'_, Header>, index: usize) -> u64 {
    sections.section(SectionIndex(index)).map_or(0, |s| s.sh_addr(LE))
}

/// The address of a byte of a section. Sections of a relocatable object all begin at 0 in the file. Here each gets 4
/// GiB of addresses, so that an address determines its section.
pub(super) fn place(relocatable: bool, section: usize, address: u64) -> u64 {
    if relocatable { (section as u64) << 32 | address & 0xffff_ffff } else { address }
}

/// The relocations that concern loading: the dynamic ones of a linked object, or those in the loaded sections of a
/// relocatable one. Each comes with the number of its section (0 if the object is linked).
pub(super) fn relocations(
    sections: &SectionTable<'_, Header>,
    data: &[u8],
    relocatable: bool,
) -> Result<Vec<(usize, Relocation)>, LoadError> {
    let mut reader = RelocationReader {
        sections,
        data,
        relocatable,
        budget: NameBudget::new(data),
        names: HashMap::new(),
        in_lds: HashMap::new(),
    };
    let mut found = Vec::new();
    let mut left = data.len() as u64;
    for section in sections.iter().filter(|s| matches!(s.sh_type(LE), SHT_RELA | SHT_REL)) {
        let target = section.sh_info(LE) as usize;
        let concerns = if relocatable {
            let target = sections.section(SectionIndex(target));
            target.is_ok_and(|s| s.sh_flags(LE).0 & SHF_ALLOC.0 != 0)
        } else {
            section.sh_flags(LE).0 & SHF_ALLOC.0 != 0
        };
        if !concerns {
            continue;
        }
        let at = section.sh_offset(LE);
        left = left
            .checked_sub(section.sh_size(LE))
            .ok_or_else(|| LoadError::elf(at, "more relocations than fit the file,"))?;
        reader.section(section, if relocatable { target } else { 0 }, &mut found)?;
    }
    Ok(found)
}

struct RelocationReader<'s, 'd> {
    sections: &'s SectionTable<'d, Header>,
    data: &'d [u8],
    relocatable: bool,
    budget: NameBudget,
    names: HashMap<(usize, usize), Arc<str>>,
    /// For each symbol table, where its symbols in LDS lie, by their numbers.
    in_lds: HashMap<usize, HashMap<usize, u64>>,
}

/// SHN_AMDGPU_LDS: the symbol lies in LDS, where the linker places it.
const SHN_AMDGPU_LDS: u16 = 0xff00;
/// Limits in bytes for the alignment and the size of a symbol in LDS.
const LDS_ALIGN: u64 = 1 << 16;
const LDS_SIZE: u64 = 1 << 16;

impl<'d> RelocationReader<'_, 'd> {
    fn section(
        &mut self,
        section: &SectionHeader64<LittleEndian>,
        target: usize,
        found: &mut Vec<(usize, Relocation)>,
    ) -> Result<(), LoadError> {
        let at = section.sh_offset(LE);
        let broken = |e: object::Error| LoadError::elf(at, format!("{e} in the relocations"));
        let rela = section.rela(LE, self.data).map_err(broken)?.map(|(list, _)| list).unwrap_or_default();
        let rel = section.rel(LE, self.data).map_err(broken)?.map(|(list, _)| list).unwrap_or_default();
        if rela.is_empty() && rel.is_empty() {
            return Ok(());
        }
        let link = SectionIndex(section.sh_link(LE) as usize);
        let table = match link.0 {
            0 => SymbolTable::default(),
            _ => self.sections.symbol_table_by_index(LE, self.data, link).map_err(broken)?,
        };
        let texts = strings(self.sections, self.data, table.string_section()).map_err(broken)?;
        let with_addend = rela.iter().map(|r| (r.r_offset.get(LE), r.r_info.get(LE), Some(r.r_addend.get(LE))));
        let without = rel.iter().map(|r| (r.r_offset.get(LE), r.r_info.get(LE), None));
        for (offset, info, addend) in with_addend.chain(without) {
            let (kind, number) = (info as u32, (info >> 32) as usize);
            let (symbol, value) = match number {
                0 => (Arc::from(""), SymbolValue::None),
                _ => self.symbol(&table, texts, link.0, number, at)?,
            };
            let place = place(self.relocatable, target, offset);
            found.push((target, Relocation { place, kind, symbol, addend, value }));
        }
        Ok(())
    }

    /// Where the symbol with the number `number` lies in LDS. As drivers do it, symbols of larger alignments come
    /// first.
    fn in_lds(&mut self, table: &SymbolTable<'d, Header>, link: usize, number: usize) -> Option<u64> {
        let layout = self.in_lds.entry(link).or_insert_with(|| {
            let in_lds = table.symbols().iter().enumerate().filter(|(_, s)| s.st_shndx(LE).0 == SHN_AMDGPU_LDS);
            // The value of such a symbol is its alignment.
            let mut in_lds: Vec<_> =
                in_lds.map(|(n, s)| (s.st_value(LE).clamp(1, LDS_ALIGN), n, s.st_size(LE))).collect();
            in_lds.sort_by_key(|&(align, ..)| std::cmp::Reverse(align));
            let mut end = 0u64;
            let place = |(align, number, size): (u64, usize, u64)| {
                let at = end.next_multiple_of(align);
                end = at + size.min(LDS_SIZE);
                (number, at)
            };
            in_lds.into_iter().map(place).collect()
        });
        layout.get(&number).copied()
    }

    fn symbol(
        &mut self,
        table: &SymbolTable<'d, Header>,
        texts: &'d [u8],
        link: usize,
        number: usize,
        at: u64,
    ) -> Result<(Arc<str>, SymbolValue), LoadError> {
        let symbol = table
            .symbol(SymbolIndex(number))
            .map_err(|_| LoadError::elf(at, format!("a relocation of symbol {number}, which does not exist,")))?;
        let section = symbol_section(symbol.st_shndx(LE));
        let value = match (symbol.st_shndx(LE).0, section) {
            (_, Some(section)) => SymbolValue::At(place(self.relocatable, section, symbol.st_value(LE))),
            (0xfff1, _) => SymbolValue::Absolute(symbol.st_value(LE)),
            (SHN_AMDGPU_LDS, _) => SymbolValue::Absolute(self.in_lds(table, link, number).unwrap_or(0)),
            _ => SymbolValue::Undefined(number as u32),
        };
        if let Some(name) = self.names.get(&(link, number)) {
            return Ok((name.clone(), value));
        }
        let broken = |what: String| LoadError::elf(at, format!("{what}; symbol of a relocation"));
        let mut name = name_at(texts, symbol.st_name(LE)).map_err(broken)?;
        if name.is_empty()
            && let Some(section) = section
        {
            name = section_name(self.sections, section);
        }
        self.budget.take(&name, at)?;
        let name: Arc<str> = Arc::from(&*name);
        self.names.insert((link, number), name.clone());
        Ok((name, value))
    }
}

/// Name of the section `index`; empty if it cannot be read.
fn section_name<'d>(sections: &SectionTable<'d, Header>, index: usize) -> Cow<'d, str> {
    let name = sections.section(SectionIndex(index)).and_then(|section| sections.section_name(LE, section));
    name.map(|name| String::from_utf8_lossy(&name[..name.len().min(NAME_LIMIT)])).unwrap_or_default()
}
