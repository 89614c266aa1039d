//! Parts of a file that contains several code objects.

use std::collections::HashMap;
use std::sync::Arc;

use super::bytes::FileBytes;

/// The identity of a part within its file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PartId {
    /// Its name in the file, for example `hipv4-amdgcn-amd-amdhsa--gfx906:xnack+`.
    pub name: String,
    /// The target id in that name: the processor, and features that must be on or off (`gfx906:xnack+`). Empty if the
    /// name has no target id.
    pub target: String,
    /// Its index among all parts of the file, from 0. Parts that are not for the supported GPUs count.
    pub index: usize,
}

/// A part of a file: a code object, host code, or something else.
#[derive(Clone, Debug)]
pub struct FilePart {
    /// The identity of the part within its file.
    pub id: Arc<PartId>,
    /// Its bytes.
    pub bytes: FileBytes,
    /// Its offset in the file in bytes. For a part of a compressed bundle, the offset in the unpacked bundle.
    pub offset: u64,
    /// What it is.
    pub content: PartContent,
    /// Whether it was found in a dump or in a host file. Then it may be other data that look like a part.
    pub(super) is_found: bool,
    /// What was guessed to read it, for the user.
    pub(super) remark: Option<String>,
}

/// What a part of a file is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PartContent {
    /// An ELF file for an AMD GPU, supported or not.
    CodeObject,
    /// Code for the host, or an empty place for it.
    Host,
    /// Something else; the text says what.
    Other(String),
}

/// A code object within a file.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// `None` if the file is the code object.
    pub id: Option<Arc<PartId>>,
    pub bytes: FileBytes,
    /// Its offset in the file in bytes.
    pub offset: u64,
}

impl PartId {
    /// The target id; `None` if the name has none.
    pub fn target(&self) -> Option<&str> {
        Some(self.target.as_str()).filter(|target| !target.is_empty())
    }

    pub(super) fn new(name: String, index: usize) -> PartId {
        let target = target_in(&name).to_owned();
        PartId { name, target, index }
    }
}

/// Limit for the parts that a message names.
pub(super) const NAMED: usize = 10;

/// The target ids of `parts` for messages of `run`. Equal target ids get the part's index.
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
    ids.join(", ") + if are_equal { " (--bundle N takes one, 'gcnsim extract' writes each to a file)" } else { "" }
}

/// Kinds of offloading, with which names of parts begin.
const KINDS: [&str; 7] = ["hip", "hipv4", "openmp", "host", "sycl", "cuda", "none"];

/// The target id in `name`, the name of a bundle's part; empty if there is none. Names are `KIND-TRIPLE-TARGET`. The
/// last field of the triple may be missing, and a target id may have dashes.
fn target_in(name: &str) -> &str {
    // The name of a part within a part consists of both names.
    let name = name.rsplit(": ").next().unwrap_or(name);
    if !name.split_once('-').is_some_and(|(kind, _)| KINDS.contains(&kind)) {
        return "";
    }
    let target = match (name.find("-gfx"), name.find("--")) {
        (Some(at), _) => &name[at + 1..],
        (None, Some(at)) => &name[at + 2..],
        (None, None) => "",
    };
    // Ledgers and file names use the id as a word.
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
