//! Links sections of drivers' objects: such objects are relocatable, and the driver places their constants behind the
//! code when it loads them.

use std::collections::BTreeMap;

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

/// Alignment of the sections behind the code, in bytes.
const ALIGN: usize = 256;

/// Links the section with the number `section`, which has the relocations `own`. `None` if there is none to apply.
/// `left` is the number of bytes that the images of all sections may have.
///
/// # Errors
/// The relocation that needs more than the object has, in words.
pub(super) fn link(
    elf: &Elf<'_>,
    section: usize,
    own: &[&Relocation],
    left: &mut u64,
) -> Option<Result<Linked, String>> {
    let mut own = own.iter().filter(|relocation| relocation.kind != relocation::NONE).peekable();
    own.peek()?;
    let mut image = Image { bases: BTreeMap::new(), bytes: Vec::new(), left };
    let linked = image
        .base_of(elf, section)
        .and_then(|_| own.map(|relocation| image.moved(elf, relocation)).collect::<Result<Vec<_>, _>>());
    Some(linked.map(|in_code| {
        let relocations = Relocations { refusal: None, in_code, is_linked: true };
        Linked { bytes: image.bytes.into(), relocations }
    }))
}

struct Image<'l> {
    /// Where sections begin, by their numbers.
    bases: BTreeMap<usize, u64>,
    bytes: Vec<u8>,
    left: &'l mut u64,
}

impl Image<'_> {
    /// The address of a section, which is appended if it is not there yet.
    fn base_of(&mut self, elf: &Elf<'_>, section: usize) -> Result<u64, String> {
        if let Some(base) = self.bases.get(&section) {
            return Ok(*base);
        }
        let part = elf.parts.get(section).and_then(Option::as_ref);
        let part = part.ok_or_else(|| format!("section {section} has no bytes"))?;
        let base = self.bytes.len().next_multiple_of(ALIGN);
        let left = self.left.checked_sub(part.size + ALIGN as u64);
        *self.left = left.ok_or_else(|| format!("section {} makes the programs too long", part.name))?;
        let bytes = elf.file.as_ref().get(part.offset as usize..(part.offset + part.size) as usize);
        self.bytes.resize(base, 0);
        self.bytes.extend_from_slice(bytes.unwrap_or_default());
        self.bases.insert(section, base as u64);
        Ok(base as u64)
    }

    /// A relocation of the section at 0, with addresses in the image.
    fn moved(&mut self, elf: &Elf<'_>, relocation: &Relocation) -> Result<Relocation, String> {
        let value = match (relocation.kind, relocation.value) {
            (relocation::GOTPCREL | relocation::GOTPCREL32_LO | relocation::GOTPCREL32_HI, _) => {
                return Err(format!("{relocation} needs a table of addresses"));
            }
            (_, SymbolValue::Undefined(_)) => return Err(format!("{relocation} needs a symbol that nobody defines")),
            (_, SymbolValue::At(address)) => {
                let base =
                    self.base_of(elf, (address >> 32) as usize).map_err(|what| format!("{relocation}: {what}"))?;
                SymbolValue::At(base + (address & 0xffff_ffff))
            }
            (_, value) => value,
        };
        Ok(Relocation { place: relocation.place & 0xffff_ffff, value, ..relocation.clone() })
    }
}
