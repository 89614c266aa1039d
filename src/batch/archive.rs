//! What of an archive is a shader, and where the sidecars are.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::inputs::{has_shader_name, sidecar_names};
use super::tar::{self, Member, TarError};
use crate::loader;

/// What an archive holds.
#[derive(Default)]
pub(super) struct ArchiveListing<'a> {
    /// Shaders, in the archive's order.
    pub shaders: Vec<Member<'a>>,
    /// Other files.
    pub skipped: u64,
    /// Why the listing ends before the archive does.
    pub error: Option<TarError>,
    /// Files named like sidecars; `None` if there are two of a name.
    sidecars: HashMap<Cow<'a, [u8]>, Option<Range<usize>>>,
}

/// Lists an archive.
pub(super) fn list(bytes: &[u8]) -> ArchiveListing<'_> {
    let mut listing = ArchiveListing::default();
    for member in tar::members(bytes) {
        match member {
            Ok(member) if has_shader_name(&member.name) || loader::is_code_object(&bytes[member.range.clone()]) => {
                listing.shaders.push(member);
            }
            Ok(member) => {
                listing.skipped += 1;
                if member.name.ends_with(b".toml") {
                    listing.sidecars.entry(member.name).and_modify(|known| *known = None).or_insert(Some(member.range));
                }
            }
            Err(error) => listing.error = Some(error),
        }
    }
    listing
}

impl ArchiveListing<'_> {
    /// Where the sidecar of a member is, if it has one; an error if there are two.
    pub(super) fn sidecar(&self, name: &[u8]) -> Result<Option<Range<usize>>, ()> {
        if self.sidecars.is_empty() {
            return Ok(None);
        }
        let [by_stem, by_name] = sidecar_names(name).map(|sidecar| self.sidecars.get(sidecar.as_slice()));
        match (by_stem, by_name) {
            (Some(None), _) | (Some(_), Some(_)) => Err(()),
            (Some(Some(range)), None) => Ok(Some(range.clone())),
            (None, _) => Ok(None),
        }
    }
}
