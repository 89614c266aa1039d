//! Makes linked code objects from parts that may contradict each other.

/// A code object of gfx900, version 4.
#[derive(Clone)]
pub struct Elf {
    /// Address, rights (1 execute, 2 write, 4 read), bytes in the file, and size in memory in bytes.
    pub segments: Vec<(u64, u32, Vec<u8>, u64)>,
    /// Name, address, and whether it is defined.
    pub symbols: Vec<(String, u64, bool)>,
    /// Place, type, number of the symbol (from 1), addend.
    pub relocations: Vec<(u64, u32, u32, i64)>,
    /// Number of sections that have these relocations.
    pub relocation_sections: usize,
    /// Descriptions of notes with metadata.
    pub notes: Vec<Vec<u8>>,
    /// Number of program headers that name the notes.
    pub note_headers: usize,
}

fn put16(bytes: &mut Vec<u8>, value: u16) {
    bytes.extend(value.to_le_bytes());
}

fn put32(bytes: &mut Vec<u8>, value: u32) {
    bytes.extend(value.to_le_bytes());
}

fn put64(bytes: &mut Vec<u8>, values: &[u64]) {
    values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
}

impl Elf {
    /// Returns the bytes of the file.
    pub fn bytes(&self) -> Vec<u8> {
        let headers = self.segments.len() + self.note_headers;
        let mut content = Vec::new();
        let first = 64 + 56 * headers;
        let place = |content: &mut Vec<u8>, bytes: &[u8]| {
            content.resize(content.len().next_multiple_of(8), 0);
            let at = first + content.len();
            content.extend(bytes);
            at as u64
        };
        let mut programs = Vec::new();
        for (address, rights, bytes, size) in &self.segments {
            let at = place(&mut content, bytes);
            put32(&mut programs, 1);
            put32(&mut programs, *rights);
            put64(&mut programs, &[at, *address, *address, bytes.len() as u64, *size, 0x1000]);
        }
        let notes = self.note_bytes();
        let at = place(&mut content, &notes);
        for _ in 0..self.note_headers {
            put32(&mut programs, 4);
            put32(&mut programs, 4);
            put64(&mut programs, &[at, 0, 0, notes.len() as u64, notes.len() as u64, 4]);
        }
        let (names, symbols) = self.symbol_tables();
        let names_at = place(&mut content, &names);
        let symbols_at = place(&mut content, &symbols);
        let relocations: Vec<u8> = self.relocations.iter().flat_map(relocation).collect();
        let relocations_at = place(&mut content, &relocations);
        let mut sections = vec![0; 64];
        let mut section = |kind: u32, flags: u64, at: u64, size: usize, link: u32, entry: u64| {
            put32(&mut sections, 0);
            put32(&mut sections, kind);
            put64(&mut sections, &[flags, 0, at, size as u64]);
            put32(&mut sections, link);
            put32(&mut sections, 0);
            put64(&mut sections, &[8, entry]);
        };
        section(3, 0, names_at, names.len(), 0, 0);
        section(11, 2, symbols_at, symbols.len(), 1, 24);
        for _ in 0..self.relocation_sections {
            section(4, 2, relocations_at, relocations.len(), 2, 24);
        }
        let sections_at = place(&mut content, &sections);
        let mut file = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, 64, 2, 0, 0, 0, 0, 0, 0, 0];
        put16(&mut file, 3);
        put16(&mut file, 224);
        put32(&mut file, 1);
        put64(&mut file, &[0, 64, sections_at]);
        put32(&mut file, 0x12c);
        for value in [64, 56, headers as u16, 64, (sections.len() / 64) as u16, 1] {
            put16(&mut file, value);
        }
        file.extend(programs);
        file.extend(content);
        file
    }

    fn note_bytes(&self) -> Vec<u8> {
        let mut notes = Vec::new();
        for note in &self.notes {
            put32(&mut notes, 7);
            put32(&mut notes, note.len() as u32);
            put32(&mut notes, 32);
            notes.extend(b"AMDGPU\0\0");
            notes.extend(note);
            notes.resize(notes.len().next_multiple_of(4), 0);
        }
        notes
    }

    fn symbol_tables(&self) -> (Vec<u8>, Vec<u8>) {
        let (mut names, mut symbols) = (vec![0], vec![0; 24]);
        for (name, address, is_defined) in &self.symbols {
            put32(&mut symbols, names.len() as u32);
            symbols.extend([0x11, 0]);
            put16(&mut symbols, u16::from(*is_defined));
            put64(&mut symbols, &[*address, 64]);
            names.extend(name.bytes());
            names.push(0);
        }
        (names, symbols)
    }
}

/// Returns the bytes of a relocation with an addend (`Elf64_Rela`).
fn relocation(&(place, kind, symbol, addend): &(u64, u32, u32, i64)) -> Vec<u8> {
    let mut bytes = Vec::new();
    put64(&mut bytes, &[place, u64::from(symbol) << 32 | u64::from(kind), addend as u64]);
    bytes
}

/// A kernel of the metadata: name, symbol, size of kernarg in bytes, and arguments (kind, offset, size).
pub struct Listed<'a>(pub &'a str, pub &'a str, pub u64, pub &'a [(&'a str, u64, u64)]);

/// Returns metadata of some kernels as MessagePack.
pub fn metadata(kernels: &[Listed<'_>]) -> Vec<u8> {
    let mut note = vec![0x81];
    text(&mut note, "amdhsa.kernels");
    note.push(0x90 | kernels.len() as u8);
    for Listed(name, symbol, kernarg, args) in kernels {
        note.push(0x84);
        pair(&mut note, ".name", name);
        pair(&mut note, ".symbol", symbol);
        number(&mut note, ".kernarg_segment_size", *kernarg);
        text(&mut note, ".args");
        note.push(0x90 | args.len() as u8);
        for (kind, offset, size) in *args {
            note.push(0x83);
            pair(&mut note, ".value_kind", kind);
            number(&mut note, ".offset", *offset);
            number(&mut note, ".size", *size);
        }
    }
    note
}

fn text(note: &mut Vec<u8>, text: &str) {
    note.extend([0xd9, text.len() as u8]);
    note.extend(text.bytes());
}

fn pair(note: &mut Vec<u8>, key: &str, value: &str) {
    text(note, key);
    text(note, value);
}

fn number(note: &mut Vec<u8>, key: &str, value: u64) {
    text(note, key);
    note.push(0xcf);
    note.extend(value.to_be_bytes());
}
