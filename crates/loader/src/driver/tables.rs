//! Section headers, program headers and symbols of ELF files of 32 or 64 bits, as drivers put them into each other.

use super::Broken;

/// Types of sections and a flag.
pub(super) const SYMTAB: u32 = 2;
pub(super) const RELA: u32 = 4;
pub(super) const NOBITS: u32 = 8;
pub(super) const ALLOC: u64 = 2;
pub(super) const EXECUTABLE: u64 = 4;

/// The tables of an ELF file.
#[derive(Debug)]
pub(super) struct Tables<'d> {
    /// The file.
    pub data: &'d [u8],
    /// Offset of the file in the file around it.
    pub at: u64,
    /// Whether it is of 64 bits.
    pub is_wide: bool,
    pub sections: Vec<Section>,
    pub programs: Vec<Program>,
    pub symbols: Vec<Symbol>,
}

#[derive(Debug)]
pub(super) struct Section {
    pub name: String,
    pub kind: u32,
    pub flags: u64,
    pub offset: u64,
    pub size: u64,
    pub link: u32,
    pub info: u32,
}

#[derive(Debug)]
pub(super) struct Program {
    pub kind: u32,
    pub offset: u64,
    pub size: u64,
}

#[derive(Clone, Debug)]
pub(super) struct Symbol {
    pub name: String,
    /// Type, in the low 4 bits of `st_info`.
    pub kind: u8,
    pub section: usize,
    pub value: u64,
    pub size: u64,
}

/// Reads numbers of an ELF file.
struct Reader<'d> {
    data: &'d [u8],
    at: u64,
    is_wide: bool,
}

impl Reader<'_> {
    /// The `N` bytes at `offset`.
    fn bytes<const N: usize>(&self, offset: u64) -> Result<[u8; N], Broken> {
        let found = usize::try_from(offset).ok().and_then(|offset| self.data.get(offset..)?.first_chunk().copied());
        found.ok_or_else(|| (self.at + self.data.len() as u64, format!("it is cut short: no byte {offset:#x};")))
    }

    fn half(&self, offset: u64) -> Result<u16, Broken> {
        self.bytes(offset).map(u16::from_le_bytes)
    }

    fn word(&self, offset: u64) -> Result<u32, Broken> {
        self.bytes(offset).map(u32::from_le_bytes)
    }

    /// A number of 32 bits at `narrow` or of 64 at `wide`, by the file's width, from `base` on.
    fn number(&self, base: u64, narrow: u64, wide: u64) -> Result<u64, Broken> {
        if self.is_wide {
            self.bytes(base.saturating_add(wide)).map(u64::from_le_bytes)
        } else {
            self.word(base.saturating_add(narrow)).map(u64::from)
        }
    }
}

impl<'d> Tables<'d> {
    /// Reads the file `data`, which lies at the offset `at`.
    pub fn read(data: &'d [u8], at: u64) -> Result<Tables<'d>, Broken> {
        let is_wide = match data.get(4..6) {
            Some([1, 1]) => false,
            Some([2, 1]) => true,
            _ => return Err((at + 4, "an ELF file of no known width and order of bytes".into())),
        };
        let reader = Reader { data, at, is_wide };
        let (first, count, names) = match is_wide {
            true => (reader.number(0, 0, 40)?, reader.half(60)?, reader.half(62)?),
            false => (reader.number(0, 32, 0)?, reader.half(48)?, reader.half(50)?),
        };
        let size = if is_wide { 64 } else { 40 };
        let mut sections = Vec::new();
        let mut name_places = Vec::new();
        for i in 0..u64::from(count) {
            let base = first.saturating_add(i * size);
            let section = Section {
                name: String::new(),
                kind: reader.word(base.saturating_add(4))?,
                flags: reader.number(base, 8, 8)?,
                offset: reader.number(base, 16, 24)?,
                size: reader.number(base, 20, 32)?,
                link: reader.word(base.saturating_add(if is_wide { 40 } else { 24 }))?,
                info: reader.word(base.saturating_add(if is_wide { 44 } else { 28 }))?,
            };
            name_places.push(reader.word(base)?);
            let is_inside = section.offset.checked_add(section.size).is_some_and(|end| end <= data.len() as u64);
            if !is_inside && !matches!(section.kind, 0 | NOBITS) {
                let what =
                    format!("section {i} of {:#x} bytes exceeds its file of {:#x} bytes,", section.size, data.len());
                return Err((at.saturating_add(section.offset), what));
            }
            sections.push(section);
        }
        let mut tables = Tables { data, at, is_wide, sections, programs: Vec::new(), symbols: Vec::new() };
        // Names may overlap, so their sum is limited.
        let mut left = 4 * data.len();
        let strings = tables.sections.get(usize::from(names)).map(|section| tables.bytes(section)).unwrap_or_default();
        let names = name_places.iter().map(|&place| name(strings, place, &mut left)).collect::<Vec<_>>();
        for (section, name) in tables.sections.iter_mut().zip(names) {
            section.name = name;
        }
        tables.programs = programs(&reader)?;
        tables.symbols = tables.symbols(&mut left);
        Ok(tables)
    }

    /// The bytes of a section; none if the file does not hold them.
    pub fn bytes(&self, section: &Section) -> &'d [u8] {
        let end = section.offset.saturating_add(section.size);
        let range = section.offset as usize..end as usize;
        if matches!(section.kind, 0 | NOBITS) { &[] } else { self.data.get(range).unwrap_or_default() }
    }

    /// The first section with this name that has bytes.
    pub fn section(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.name == name && !self.bytes(section).is_empty())
    }

    /// The offset of a section in the file around this one.
    pub fn offset(&self, section: &Section) -> u64 {
        self.at + section.offset
    }

    /// The bytes that a symbol names in its section, and their offset in the file around this one.
    pub fn of_symbol(&self, symbol: &Symbol) -> Result<(u64, &'d [u8]), Broken> {
        let section = self.sections.get(symbol.section);
        let bytes = section.and_then(|section| {
            let bytes = self.bytes(section).get(usize::try_from(symbol.value).ok()?..)?;
            Some((self.offset(section) + symbol.value, bytes.get(..usize::try_from(symbol.size).ok()?)?))
        });
        let at = section.map_or(self.at, |section| self.at.saturating_add(section.offset));
        bytes.ok_or_else(|| (at, format!("'{}' lies outside its section,", symbol.name)))
    }

    fn symbols(&self, left: &mut usize) -> Vec<Symbol> {
        let size = if self.is_wide { 24 } else { 16 };
        let mut symbols = Vec::new();
        for table in self.sections.iter().filter(|section| section.kind == SYMTAB) {
            let strings = self.sections.get(table.link as usize).map(|section| self.bytes(section)).unwrap_or_default();
            for entry in self.bytes(table).chunks_exact(size) {
                let word = |at: usize| super::u32_at(entry, at).unwrap_or(0);
                let half = |at: usize| usize::from(entry[at]) | usize::from(entry[at + 1]) << 8;
                let (kind, section, value, size) = match self.is_wide {
                    true => {
                        let long = |at: usize| super::u64_at(entry, at).unwrap_or(0);
                        (entry[4], half(6), long(8), long(16))
                    }
                    false => (entry[12], half(14), word(4).into(), word(8).into()),
                };
                let name = name(strings, word(0), left);
                symbols.push(Symbol { name, kind: kind & 0xf, section, value, size });
            }
        }
        symbols
    }
}

fn programs(reader: &Reader<'_>) -> Result<Vec<Program>, Broken> {
    let (size, count) = if reader.is_wide { (56, reader.half(56)?) } else { (32, reader.half(44)?) };
    let first = reader.number(0, 28, 32)?;
    let program = |i: u64| {
        let base = first.saturating_add(i * size);
        Ok(Program { kind: reader.word(base)?, offset: reader.number(base, 4, 8)?, size: reader.number(base, 16, 32)? })
    };
    (0..u64::from(count)).map(program).collect()
}

/// The name at `place` of `strings`; empty if it is outside. It counts against `left`.
fn name(strings: &[u8], place: u32, left: &mut usize) -> String {
    let rest = strings.get(place as usize..).unwrap_or_default();
    let name = &rest[..rest.iter().position(|&byte| byte == 0).unwrap_or(rest.len())];
    match left.checked_sub(name.len()) {
        Some(rest) => {
            *left = rest;
            String::from_utf8_lossy(name).into_owned()
        }
        None => String::new(),
    }
}
