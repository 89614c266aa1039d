//! Loads the code object into guest memory.

use std::sync::Arc;

use gcnsim_machine::Mapping;

use super::room::backing;
use super::setup_error::SetupError;
use gcnsim_loader::code_object::{CodeObject, LoadSegment};

/// Most bytes of a segment of code. Engines have tables of the size of the code.
const MOST_CODE: u64 = 256 << 20;

/// The object in guest memory: moved to its address and relocated.
pub(super) struct Image {
    pub mappings: Vec<Mapping>,
    /// The bytes of the segment that holds the entry, and the guest address of the first byte.
    pub code: (Vec<u8>, u64),
}

pub fn image(object: &CodeObject, moved: u64, entry: u64) -> Result<Image, SetupError> {
    let mappings = object.segments.iter().map(|part| mapping(part, moved)).collect::<Result<Vec<_>, _>>()?;
    for relocation in &object.relocations {
        let behind = mappings.partition_point(|mapping| mapping.base <= relocation.place.wrapping_add(moved));
        let Some(mapping) = behind.checked_sub(1).map(|before| &mappings[before]) else { continue };
        let value = relocation.bytes(moved);
        if let Some(at) = mapping.place(relocation.place.wrapping_add(moved), value.len() as u64) {
            mapping.backing.write(at, &value);
        }
    }
    let entered = object.segments.iter().zip(&mappings).find(|(part, _)| part.is_code_at(entry));
    let code = entered.map_or((Vec::new(), 0), |(_, mapping)| {
        let mut code = vec![0; mapping.len as usize];
        mapping.backing.read_into(mapping.offset, &mut code);
        (code, mapping.base)
    });
    Ok(Image { mappings, code })
}

/// Returns the mapping of a segment of the object. Its backing keeps the low address bits, so that accesses that are
/// aligned for the guest are aligned on the host, too.
fn mapping(part: &LoadSegment, moved: u64) -> Result<Mapping, SetupError> {
    if part.executable && part.size > MOST_CODE {
        return Err(SetupError::NoRoom { what: "a segment of code".to_owned(), bytes: part.size });
    }
    let offset = (part.address % 256) as usize;
    let bytes = backing("the code object", offset as u64 + part.size)?;
    bytes.write(offset, part.bytes.as_ref());
    let name = if part.executable { "code" } else { "data" };
    let whole =
        Mapping { writable: part.writable, ..Mapping::new(part.address.wrapping_add(moved), name, Arc::new(bytes)) };
    Ok(Mapping { len: part.size, offset, ..whole })
}
