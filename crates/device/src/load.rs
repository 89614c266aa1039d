//! Loads the code object into guest memory.

use std::sync::Arc;

use gcnsim_isa::Program;
use gcnsim_machine::Mapping;

use super::dispatch_error::DispatchError;
use super::room::backing;
use gcnsim_loader::code_object::{CodeObject, Kernel, LoadSegment};

/// Most bytes of a segment of code. Engines have tables of the size of the code.
const MOST_CODE: u64 = 256 << 20;

/// Checks that there are not too many bytes of code.
///
/// # Errors
/// [`DispatchError::NoRoom`].
pub(crate) fn check_size(bytes: u64) -> Result<(), DispatchError> {
    match bytes {
        0..=MOST_CODE => Ok(()),
        _ => Err(DispatchError::NoRoom { what: "a segment of code".to_owned(), bytes }),
    }
}

/// Returns the segments of an object in guest memory: moved by `moved` bytes, and relocated.
///
/// # Errors
/// [`DispatchError::NoRoom`].
pub fn mappings(object: &CodeObject, moved: u64) -> Result<Vec<Mapping>, DispatchError> {
    let mappings = object.segments.iter().map(|part| mapping(part, moved)).collect::<Result<Vec<_>, _>>()?;
    for relocation in &object.relocations {
        let behind = mappings.partition_point(|mapping| mapping.base <= relocation.place.wrapping_add(moved));
        let Some(mapping) = behind.checked_sub(1).map(|before| &mappings[before]) else { continue };
        let value = relocation.bytes(moved);
        if let Some(at) = mapping.place(relocation.place.wrapping_add(moved), value.len() as u64) {
            mapping.backing.write(at, &value);
        }
    }
    Ok(mappings)
}

/// Returns the program of a kernel, whose object has these [mappings]: the bytes of the segment that holds its entry.
/// It has no bytes if none does.
pub fn program(object: &CodeObject, kernel: &Kernel, mappings: &[Mapping], moved: u64) -> Program {
    let entered = object.segments.iter().zip(mappings).find(|(part, _)| part.is_code_at(kernel.entry));
    let (code, base) = entered.map_or((Vec::new(), 0), |(_, mapping)| {
        let mut code = vec![0; mapping.len as usize];
        mapping.backing.read_into(mapping.offset, &mut code);
        (code, mapping.base)
    });
    Program::new(object.arch, Arc::new(code), base, moved.wrapping_add(kernel.entry).wrapping_sub(base))
}

/// Returns the mapping of a segment of the object. Its backing keeps the low address bits, so that accesses that are
/// aligned for the guest are aligned on the host, too.
fn mapping(part: &LoadSegment, moved: u64) -> Result<Mapping, DispatchError> {
    if part.executable {
        check_size(part.size)?;
    }
    let offset = (part.address % 256) as usize;
    let bytes = backing("the code object", offset as u64 + part.size)?;
    bytes.write(offset, part.bytes.as_ref());
    let name = if part.executable { "code" } else { "data" };
    let whole =
        Mapping { writable: part.writable, ..Mapping::new(part.address.wrapping_add(moved), name, Arc::new(bytes)) };
    Ok(Mapping { len: part.size, offset, ..whole })
}
