//! The MessagePack note of code objects v3 and later: names of kernels and of their descriptors.

use rmpv::ValueRef;

/// A kernel as the metadata lists it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct KernelName {
    /// What people call it.
    pub name: String,
    /// The symbol of its descriptor, `<name>.kd`.
    pub descriptor: String,
}

/// The kernels of an `amdhsa` note, in order; empty for notes of other systems.
///
/// # Errors
/// The byte offset in the note and what is wrong there.
pub(super) fn kernels(note: &[u8]) -> Result<Vec<KernelName>, (usize, String)> {
    let mut rest = note;
    let root = rmpv::decode::read_value_ref(&mut rest)
        .map_err(|error| (note.len() - rest.len(), format!("bad MessagePack metadata ({error})")))?;
    let Some(kernels) = get(&root, "amdhsa.kernels") else { return Ok(Vec::new()) };
    let Some(kernels) = kernels.as_array() else { return Err((0, "amdhsa.kernels is no list".into())) };
    kernels
        .iter()
        .enumerate()
        .map(|(i, kernel)| {
            let field = |key| {
                let text = get(kernel, key).and_then(text_of);
                text.map(str::to_owned).ok_or_else(|| (0, format!("amdhsa.kernels[{i}] has no {key}")))
            };
            Ok(KernelName { name: field(".name")?, descriptor: field(".symbol")? })
        })
        .collect()
}

fn get<'a, 'b>(map: &'b ValueRef<'a>, key: &str) -> Option<&'b ValueRef<'a>> {
    let ValueRef::Map(pairs) = map else { return None };
    pairs.iter().find(|(k, _)| text_of(k) == Some(key)).map(|(_, value)| value)
}

fn text_of<'b>(value: &'b ValueRef<'_>) -> Option<&'b str> {
    match value {
        ValueRef::String(text) => text.as_str(),
        _ => None,
    }
}
