//! Parts of files that hold several code objects.

use std::collections::HashMap;
use std::sync::Arc;

use super::bytes::FileBytes;

/// What tells a part from the others of its file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PartId {
    /// Its name in the file, for example `hipv4-amdgcn-amd-amdhsa--gfx906:xnack+`.
    pub name: String,
    /// The target id in that name: the processor, and features that are on or off (`gfx906:xnack+`). Empty if the name
    /// has none.
    pub target: String,
    /// Its place among all parts of the file, those included that are for something else. The first one is 0.
    pub index: usize,
}

/// A part of a file: a code object, or what else there is.
#[derive(Clone, Debug)]
pub struct FilePart {
    /// What tells it from the others.
    pub id: Arc<PartId>,
    /// Its bytes.
    pub bytes: FileBytes,
    /// Where it lies in the file; of a compressed bundle, where it lies in what that unpacks to.
    pub offset: u64,
    /// What it is.
    pub content: PartContent,
    /// Whether it was found in a dump or in a host's file, so that it may be no part at all.
    pub(super) is_found: bool,
}

/// What a part of a file is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PartContent {
    /// An ELF file for an AMD GPU, whichever it is.
    CodeObject,
    /// Code for the host, or the empty place of it.
    Host,
    /// Something else, in words.
    Other(String),
}

/// A code object in a file.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// `None` if the file is the code object.
    pub id: Option<Arc<PartId>>,
    pub bytes: FileBytes,
    /// Where it lies in the file.
    pub offset: u64,
}

impl PartId {
    /// The id as results name it; `None` if the name has none.
    pub fn target(&self) -> Option<&str> {
        Some(self.target.as_str()).filter(|target| !target.is_empty())
    }

    pub(super) fn new(name: String, index: usize) -> PartId {
        let target = target_in(&name).to_owned();
        PartId { name, target, index }
    }
}

/// Most parts that a message names.
pub(super) const NAMED: usize = 10;

/// Target ids of parts, for messages: with their indices where target ids are equal.
pub(crate) fn target_ids(parts: &[&PartId]) -> String {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    parts.iter().for_each(|part| *counts.entry(&part.target).or_default() += 1);
    let id = |part: &&PartId| match counts[part.target.as_str()] {
        1 => part.target.clone(),
        _ => format!("{} (part {})", part.target, part.index),
    };
    let mut ids: Vec<_> = parts.iter().take(5 * NAMED).map(id).collect();
    if parts.len() > ids.len() {
        ids.push(format!("and {} more", parts.len() - ids.len()));
    }
    let are_equal = counts.values().any(|&count| count > 1);
    ids.join(", ") + if are_equal { " ('gcnsim extract' writes each to a file)" } else { "" }
}

/// Kinds of offloading, which the names of parts begin with.
const KINDS: [&str; 7] = ["hip", "hipv4", "openmp", "host", "sycl", "cuda", "none"];

/// The target id in the name of a bundle's part. Names are `KIND-TRIPLE-TARGET`; the triple may lack its last field,
/// and a target id may have dashes.
fn target_in(name: &str) -> &str {
    // Parts of parts have the names of both.
    let name = name.rsplit(": ").next().unwrap_or(name);
    if !name.split_once('-').is_some_and(|(kind, _)| KINDS.contains(&kind)) {
        return "";
    }
    let target = match (name.find("-gfx"), name.find("--")) {
        (Some(at), _) => &name[at + 1..],
        (None, Some(at)) => &name[at + 2..],
        (None, None) => "",
    };
    // Ids are words in ledgers and names.
    let is_word = target.bytes().all(|byte| byte.is_ascii_alphanumeric() || b":+-._".contains(&byte));
    if is_word { target } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_with_target_ids() {
        for (name, target) in [
            ("hipv4-amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-", "gfx906:sramecc+:xnack-"),
            ("hip-amdgcn-amd-amdhsa-gfx900", "gfx900"),
            ("openmp-amdgcn-amd-amdhsa--gfx9-generic", "gfx9-generic"),
            ("hip-amdgcn-amd-amdhsa--fiji", "fiji"),
            ("host-x86_64-unknown-linux-gnu-", ""),
            ("host-x86_64-unknown-linux--", ""),
            ("hip-amdgcn-amd-amdhsa--gfx900 @\n", ""),
            ("x: hip-amdgcn-amd-amdhsa--gfx900", "gfx900"),
            ("my--lib-gfx900.o", ""),
        ] {
            let id = PartId::new(name.into(), 3);
            assert_eq!((id.target.as_str(), id.index, id.name.as_str()), (target, 3, name));
        }
    }
}
