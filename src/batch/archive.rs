//! What of an archive is a shader, and where the sidecars are.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::inputs::{has_shader_name, sidecar_names};
use super::tar::{self, Member, TarError};
use crate::loader;

/// What an archive holds beside shaders.
#[derive(Default)]
pub(super) struct ArchiveListing<'a> {
    /// Other files.
    pub skipped: u64,
    /// Why the listing ends before the archive does.
    pub error: Option<TarError>,
    /// Files named like sidecars; `None` if there are two of a name.
    sidecars: HashMap<Cow<'a, [u8]>, Option<Range<usize>>>,
}

/// Lists an archive. `shader` gets the shaders, in the archive's order.
pub(super) fn list<'a>(bytes: &'a [u8], mut shader: impl FnMut(Member<'a>)) -> ArchiveListing<'a> {
    let mut listing = ArchiveListing::default();
    for member in tar::members(bytes) {
        match member {
            Ok(member) if has_shader_name(&member.name) || loader::is_code_object(&bytes[member.range.clone()]) => {
                shader(member);
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
    pub(super) fn has_sidecars(&self) -> bool {
        !self.sidecars.is_empty()
    }

    /// Where the sidecar of a member is, if it has one; an error if there are two.
    pub(super) fn sidecar(&self, name: &[u8]) -> Result<Option<Range<usize>>, ()> {
        let [by_stem, by_name] = sidecar_names(name).map(|sidecar| self.sidecars.get(sidecar.as_slice()));
        match (by_stem, by_name) {
            (Some(None), _) | (Some(_), Some(_)) => Err(()),
            (Some(Some(range)), None) => Ok(Some(range.clone())),
            (None, _) => Ok(None),
        }
    }
}
