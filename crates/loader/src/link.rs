//! Links sections of relocatable objects, as drivers do when they load a shader: what code refers to is placed behind
//! it, and a table of addresses (GOT) behind that.

use std::collections::{BTreeMap, HashMap};

use crate::bytes::FileBytes;
use crate::elf::Elf;
use crate::relocation::{self, Relocation, Relocations, SymbolValue};

/// A section of code with what it refers to behind it.
pub(super) struct Linked {
    /// The bytes, without relocations applied.
    pub bytes: FileBytes,
    /// What to apply, as in a linked object that begins at 0.
    pub relocations: Relocations,
}

/// The relocations of an object by the number of the section that they change.
pub(super) type BySection<'r> = HashMap<usize, Vec<&'r Relocation>>;

/// Alignment of the sections behind the code, in bytes.
const ALIGN: usize = 256;
/// Size of an address in the table of addresses, in bytes.
const SLOT: usize = 8;

/// The address of scratch that drivers put in place of `SCRATCH_RSRC_DWORD0` and `SCRATCH_RSRC_DWORD1`: that of the
/// synthetic environment.
pub const SCRATCH: u64 = 0x0800_0000;
/// In the second dword: elements of a lane are interleaved with those of others.
const SWIZZLE_ENABLE: u64 = 1 << 31;

/// Links the section with the number `section`. `None` if it has no relocations to apply. `left` is the number of bytes
/// that the images of all sections may have.
///
/// # Errors
/// The relocation that needs more than the object has, in words.
pub(super) fn link(
    elf: &Elf<'_>,
    section: usize,
    all: &BySection<'_>,
    left: &mut u64,
) -> Option<Result<Linked, String>> {
    all.get(&section)?.iter().find(|relocation| relocation.kind != relocation::NONE)?;
    let mut image = Image { elf, all, bases: BTreeMap::new(), order: Vec::new(), bytes: Vec::new(), left };
    Some(image.linked(section))
}

struct Image<'l> {
    elf: &'l Elf<'l>,
    all: &'l BySection<'l>,
    /// Where sections begin, by their numbers.
    bases: BTreeMap<usize, u64>,
    /// The numbers of the sections in the order of their addresses.
    order: Vec<usize>,
    bytes: Vec<u8>,
    left: &'l mut u64,
}

impl<'l> Image<'l> {
    fn linked(&mut self, section: usize) -> Result<Linked, String> {
        self.place(section)?;
        let mut needed: Vec<(u64, &Relocation)> = Vec::new();
        let mut next = 0;
        // Relocations of a section place other sections, which may have relocations, too.
        while let Some(section) = self.order.get(next) {
            next += 1;
            let base = self.bases[section];
            for relocation in self.all.get(section).into_iter().flatten().filter(|r| r.kind != relocation::NONE) {
                if let SymbolValue::At(address) = relocation.value {
                    self.place((address >> 32) as usize).map_err(|what| format!("{relocation}: {what}"))?;
                }
                needed.push((base, relocation));
            }
        }
        let mut slots =
            Slots { base: self.bytes.len().next_multiple_of(ALIGN) as u64, held: Vec::new(), numbers: HashMap::new() };
        let mut in_code = Vec::new();
        for (base, relocation) in needed {
            in_code.push(self.moved(base, relocation, &mut slots)?);
        }
        if !slots.held.is_empty() {
            self.grow(slots.base as usize + SLOT * slots.held.len(), "the table of addresses")?;
            in_code.extend(slots.relocations());
        }
        let relocations = Relocations { refusal: None, in_code, is_linked: true };
        Ok(Linked { bytes: std::mem::take(&mut self.bytes).into(), relocations })
    }

    /// Appends a section, unless it is there.
    fn place(&mut self, section: usize) -> Result<(), String> {
        if self.bases.contains_key(&section) {
            return Ok(());
        }
        let part = self.elf.parts.get(section).and_then(Option::as_ref);
        let part = part.ok_or_else(|| format!("section {section} has no bytes"))?;
        let base = self.bytes.len().next_multiple_of(ALIGN);
        self.grow(base, &part.name)?;
        let bytes = self.elf.file.as_ref().get(part.offset as usize..(part.offset + part.size) as usize);
        self.take(part.size, &part.name)?;
        self.bytes.extend_from_slice(bytes.unwrap_or_default());
        self.bases.insert(section, base as u64);
        self.order.push(section);
        Ok(())
    }

    /// Makes the image `length` bytes long.
    fn grow(&mut self, length: usize, what: &str) -> Result<(), String> {
        self.take((length - self.bytes.len()) as u64, what)?;
        self.bytes.resize(length, 0);
        Ok(())
    }

    fn take(&mut self, bytes: u64, what: &str) -> Result<(), String> {
        let left = self.left.checked_sub(bytes);
        *self.left = left.ok_or_else(|| format!("section {what} makes the programs too long"))?;
        Ok(())
    }

    /// A relocation of the section at `base`, with addresses in the image.
    fn moved(&self, base: u64, relocation: &Relocation, slots: &mut Slots) -> Result<Relocation, String> {
        let value = match relocation.value {
            SymbolValue::Undefined(_) => driver_symbol(&relocation.symbol)
                .ok_or_else(|| format!("{relocation} needs a symbol that nobody defines"))?,
            SymbolValue::At(address) => {
                let section = self.bases.get(&((address >> 32) as usize)).copied().unwrap_or(0);
                SymbolValue::At(section + (address & 0xffff_ffff))
            }
            value => value,
        };
        let kind = match relocation.kind {
            relocation::GOTPCREL => relocation::REL32,
            relocation::GOTPCREL32_LO => relocation::REL32_LO,
            relocation::GOTPCREL32_HI => relocation::REL32_HI,
            kind => kind,
        };
        let value = if kind == relocation.kind { value } else { slots.of(value, relocation) };
        let place = base + (relocation.place & 0xffff_ffff);
        Ok(Relocation { place, kind, value, ..relocation.clone() })
    }
}

/// The value of a symbol that drivers define.
fn driver_symbol(name: &str) -> Option<SymbolValue> {
    match name {
        "SCRATCH_RSRC_DWORD0" => Some(SymbolValue::Absolute(SCRATCH & 0xffff_ffff)),
        "SCRATCH_RSRC_DWORD1" => Some(SymbolValue::Absolute(SCRATCH >> 32 | SWIZZLE_ENABLE)),
        _ => None,
    }
}

/// The table of addresses.
struct Slots {
    base: u64,
    /// The value of each slot, and a relocation that refers to it.
    held: Vec<(SymbolValue, Relocation)>,
    /// The number of the slot of each value.
    numbers: HashMap<SymbolValue, usize>,
}

impl Slots {
    /// The address of the slot for a value, which is added if it is not there.
    fn of(&mut self, value: SymbolValue, relocation: &Relocation) -> SymbolValue {
        let number = *self.numbers.entry(value).or_insert_with(|| {
            self.held.push((value, relocation.clone()));
            self.held.len() - 1
        });
        SymbolValue::At(self.base + (SLOT * number) as u64)
    }

    /// What fills the slots.
    fn relocations(self) -> impl Iterator<Item = Relocation> {
        let fill = move |(number, (value, relocation))| {
            let place = self.base + (SLOT * number) as u64;
            Relocation { place, kind: relocation::ABS64, addend: Some(0), value, ..relocation }
        };
        self.held.into_iter().enumerate().map(fill)
    }
}
