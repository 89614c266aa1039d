//! Source lines of code, from the line tables of DWARF.

use gimli::{Dwarf, EndianSlice, SectionId};
use object::LittleEndian;
use object::elf::{FileHeader64, SHF_COMPRESSED};
use object::read::elf::{FileHeader, SectionHeader};

use gcnsim_loader::FileBytes;

const LE: LittleEndian = LittleEndian;

/// Most rows that are kept.
const MOST_ROWS: usize = 1 << 22;

/// The source line of each stretch of code.
#[derive(Clone, Default, Debug)]
pub struct SourceLines {
    /// Stretches of code, sorted by address.
    rows: Vec<Row>,
    files: Vec<File>,
}

/// A source file.
#[derive(Clone, PartialEq, Eq, Debug)]
struct File {
    /// Name of the file as the compiler got it.
    name: String,
    /// Name of the file with its folder.
    path: String,
}

#[derive(Clone, Debug)]
struct Row {
    start: u64,
    end: u64,
    file: usize,
    line: u64,
}

impl SourceLines {
    /// Reads the line tables of a code object. The result is empty if the object has none or they are compressed.
    /// Broken tables are read up to the place where they are broken.
    pub fn of(object: &FileBytes) -> SourceLines {
        let mut lines = SourceLines::default();
        // If an error ends the reading, the rows before it stay.
        let _ = lines.read(object.as_ref());
        lines.rows.sort_by_key(|row| row.start);
        lines
    }

    /// Returns the source line of an address of the file, as `FILE:LINE`.
    pub fn at(&self, address: u64) -> Option<String> {
        let row = self.row(address)?;
        Some(format!("{}:{}", self.files.get(row.file)?.name, row.line))
    }

    /// Returns path and line of an address of the file. The path is absolute if the object states the folder.
    pub fn place(&self, address: u64) -> Option<(&str, u64)> {
        let row = self.row(address)?;
        Some((self.files.get(row.file)?.path.as_str(), row.line))
    }

    fn row(&self, address: u64) -> Option<&Row> {
        let behind = self.rows.partition_point(|row| row.start <= address);
        // Sequences may overlap where a linker dropped code, so several rows are looked at.
        self.rows[..behind].iter().rev().take(8).find(|row| address < row.end)
    }

    fn read(&mut self, data: &[u8]) -> Option<()> {
        let header = FileHeader64::<LittleEndian>::parse(data).ok()?;
        let sections = header.sections(LE, data).ok()?;
        let load = |id: SectionId| {
            let section = sections.section_by_name(LE, id.name().as_bytes()).map(|(_, section)| section);
            let section = section.filter(|section| section.sh_flags(LE).0 & SHF_COMPRESSED.0 == 0);
            let bytes = section.and_then(|section| section.data(LE, data).ok()).unwrap_or_default();
            Ok::<_, gimli::Error>(EndianSlice::new(bytes, gimli::LittleEndian))
        };
        let dwarf = Dwarf::load(load).ok()?;
        let mut units = dwarf.units();
        while let Some(header) = units.next().ok()? {
            let unit = dwarf.unit(header).ok()?;
            self.read_unit(&dwarf, &unit)?;
        }
        Some(())
    }

    fn read_unit(&mut self, dwarf: &Dwarf<Slice<'_>>, unit: &gimli::Unit<Slice<'_>>) -> Option<()> {
        let mut rows = unit.line_program.clone()?.rows();
        let base = unit.comp_dir.map(|base| base.to_string_lossy().into_owned()).unwrap_or_default();
        let mut before: Option<Row> = None;
        while let Some((header, row)) = rows.next_row().ok()? {
            if let Some(before) = before.take().filter(|before| before.start < row.address()) {
                self.rows.push(Row { end: row.address(), ..before });
            }
            if self.rows.len() >= MOST_ROWS {
                return None;
            }
            if let (false, Some(line), Some(file)) = (row.end_sequence(), row.line(), row.file(header)) {
                let name = dwarf.attr_string(unit, file.path_name()).ok()?;
                let name = name.to_string_lossy();
                let folder = file.directory(header).and_then(|folder| dwarf.attr_string(unit, folder).ok());
                let folder = folder.map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default();
                let path = joined(&joined(&base, &folder), &name);
                let file = self.file(&name, path);
                before = Some(Row { start: row.address(), end: 0, file, line: line.get() });
            }
        }
        Some(())
    }

    /// Returns the index of a file, which is added if necessary. A unit has few files, and most rows have the file of
    /// the row before.
    fn file(&mut self, name: &str, path: String) -> usize {
        self.files.iter().rposition(|known| known.path == path && known.name == name).unwrap_or_else(|| {
            self.files.push(File { name: name.to_owned(), path });
            self.files.len() - 1
        })
    }
}

/// Returns `path` below `folder`, unless it is absolute.
fn joined(folder: &str, path: &str) -> String {
    if folder.is_empty() || path.starts_with('/') {
        return path.to_owned();
    }
    if path.is_empty() { folder.to_owned() } else { format!("{}/{path}", folder.trim_end_matches('/')) }
}

type Slice<'d> = EndianSlice<'d, gimli::LittleEndian>;
