//! Finds the shaders and sidecars of an archive, and follows its links.
//!
//! A link is an entry, as the file that it leads to is. A hard link leads to the last member before it that has the
//! path; a symbolic link leads to the last member that has the path, over other links if need be. A link that leads to
//! no member is skipped and counted. If it has the name of a shader, somebody would miss it, so it becomes an entry
//! that says so.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use crate::input::naming::{has_shader_name, is_sidecar_name, launches_name, sidecar_names};
use crate::input::tar::{self, Member, MemberKind, TarError};
use crate::quote;

/// The longest chain of links that is followed.
const LINKS: usize = 40;

/// What an archive holds besides shaders.
#[derive(Default)]
pub(crate) struct ArchiveListing<'a> {
    /// Files that are neither shaders nor their sidecars.
    pub other_files: u64,
    /// Number of devices and pipes.
    pub special: u64,
    /// The links. Each knows the number of shaders and links before it.
    pub links: Vec<Link<'a>>,
    /// Why the listing ends before the archive does.
    pub error: Option<TarError>,
    /// Files named like sidecars.
    sidecars: HashMap<Cow<'a, [u8]>, Sidecar>,
}

/// A file named like a sidecar.
struct Sidecar {
    /// Where its bytes lie; `None` if two members have the name.
    range: Option<Range<usize>>,
    /// How many members have this name.
    count: u64,
    /// Whether it belongs to a shader.
    is_used: bool,
}

/// A link that has to be followed.
pub(crate) struct Link<'a> {
    /// Its index among shaders and links.
    pub index: usize,
    pub member: Member<'a>,
}

/// Where a link leads.
pub(crate) enum Followed {
    /// It leads to a shader.
    Shader(Range<usize>),
    /// It leads to nothing that could run, but has the name of a shader; this says why.
    Missing(String),
    /// It leads to another file. Nobody misses it.
    OtherFile,
    /// It leads to no file of the archive.
    Nowhere,
}

/// Lists an archive. `found` gets the names of shaders and links in the archive's order, and the bytes of the shaders.
pub(crate) fn list<'a>(bytes: &'a [u8], mut found: impl FnMut(&[u8], Range<usize>)) -> ArchiveListing<'a> {
    let mut listing = ArchiveListing::default();
    let mut index = 0;
    for member in tar::members(bytes) {
        let member = match member {
            Ok(member) => member,
            Err(error) => {
                listing.error = Some(error);
                break;
            }
        };
        match member.kind {
            MemberKind::File if is_shader(&member.name, &bytes[member.range.clone()]) => {
                found(&member.name, member.range);
                index += 1;
            }
            MemberKind::File => {
                listing.other_files += 1;
                listing.add_sidecar(member.name, member.range);
            }
            MemberKind::Special => listing.special += 1,
            MemberKind::HardLink(_) | MemberKind::SymbolicLink(_) => {
                found(&member.name, 0..0);
                listing.links.push(Link { index, member });
                index += 1;
            }
        }
    }
    listing
}

fn is_shader(name: &[u8], content: &[u8]) -> bool {
    has_shader_name(name) || gcnsim_loader::is_code_object(content)
}

impl<'a> ArchiveListing<'a> {
    fn add_sidecar(&mut self, name: Cow<'a, [u8]>, range: Range<usize>) {
        if is_sidecar_name(&name) {
            let sidecar = self.sidecars.entry(name).or_insert(Sidecar { range: Some(range), count: 0, is_used: false });
            sidecar.count += 1;
            if sidecar.count > 1 {
                sidecar.range = None;
            }
        }
    }

    /// Follows the links, in their order. Sidecars that are links are known after this.
    pub(crate) fn follow(&mut self, bytes: &'a [u8]) -> Vec<(usize, Followed)> {
        if self.links.is_empty() {
            return Vec::new();
        }
        let targets = Targets::of(bytes);
        let links = std::mem::take(&mut self.links);
        let mut followed = Vec::with_capacity(links.len());
        for Link { index, member } in links {
            let Member { name, kind, range } = member;
            let found = match targets.follow(&name, &kind, range.start) {
                Some(range) if is_shader(&name, &bytes[range.clone()]) => Followed::Shader(range),
                Some(range) => {
                    self.add_sidecar(name, range);
                    Followed::OtherFile
                }
                None if has_shader_name(&name) => {
                    let (MemberKind::HardLink(target) | MemberKind::SymbolicLink(target)) = &kind else { continue };
                    Followed::Missing(format!("a link to {}, which is no file of the archive", quote::name(target)))
                }
                None => Followed::Nowhere,
            };
            followed.push((index, found));
        }
        followed
    }

    pub(crate) fn has_sidecars(&self) -> bool {
        !self.sidecars.is_empty()
    }

    /// Where the sidecar of a member is, if it has one; an error if there are two.
    pub(crate) fn sidecar(&mut self, name: &[u8]) -> Result<Option<Range<usize>>, ()> {
        let [by_stem, by_name] = sidecar_names(name);
        let has_both = self.sidecars.contains_key(by_name.as_slice());
        let Some(sidecar) = self.sidecars.get_mut(by_stem.as_slice()) else { return Ok(None) };
        sidecar.is_used = true;
        match &sidecar.range {
            Some(range) if !has_both => Ok(Some(range.clone())),
            _ => Err(()),
        }
    }

    /// Where `STEM.json` of a code object is, if there is one, and not two.
    pub(crate) fn launches(&mut self, name: &[u8]) -> Option<Range<usize>> {
        let sidecar = self.sidecars.get_mut(launches_name(name).as_slice())?;
        sidecar.is_used = true;
        sidecar.range.clone()
    }

    /// Members that are sidecars of shaders.
    pub(crate) fn used_sidecars(&self) -> u64 {
        self.sidecars.values().filter(|sidecar| sidecar.is_used).map(|sidecar| sidecar.count).sum()
    }
}

/// Members by path.
struct Targets<'a>(HashMap<Vec<u8>, Vec<Member<'a>>>);

impl<'a> Targets<'a> {
    fn of(bytes: &'a [u8]) -> Targets<'a> {
        let mut targets: HashMap<_, Vec<_>> = HashMap::new();
        for member in tar::members(bytes).map_while(Result::ok) {
            if let Some(path) = resolved(b"", &member.name) {
                targets.entry(path).or_default().push(member);
            }
        }
        Targets(targets)
    }

    /// The bytes that a link leads to. `at` is the link's own place in the archive.
    fn follow(&self, name: &[u8], kind: &MemberKind<'a>, at: usize) -> Option<Range<usize>> {
        let (mut name, mut kind, mut at) = (name, kind, at);
        for _ in 0..LINKS {
            let member = match kind {
                MemberKind::HardLink(target) => {
                    let before = |member: &&Member| member.range.start < at;
                    self.0.get(&resolved(b"", target)?)?.iter().rev().find(before)?
                }
                MemberKind::SymbolicLink(target) => self.0.get(&resolved(name, target)?)?.last()?,
                MemberKind::File | MemberKind::Special => return None,
            };
            if member.kind == MemberKind::File {
                return Some(member.range.clone());
            }
            (name, kind, at) = (&member.name, &member.kind, member.range.start);
        }
        None
    }
}

/// Resolves a path against the folder of a file and removes `.` and `..`. A path that leaves the archive gives `None`.
fn resolved(from: &[u8], path: &[u8]) -> Option<Vec<u8>> {
    let mut parts: Vec<&[u8]> = Vec::new();
    let folder = from.iter().rposition(|&byte| byte == b'/').map_or(&b""[..], |slash| &from[..slash]);
    for part in folder.split(|&byte| byte == b'/').chain(path.split(|&byte| byte == b'/')) {
        match part {
            b"" | b"." => {}
            b".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    (!path.starts_with(b"/") || from.is_empty()).then(|| parts.join(&b'/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_resolved_within_the_archive() {
        let cases: [(&str, &str, Option<&str>); 8] = [
            ("", "./d//a.bin", Some("d/a.bin")),
            ("", "/d/a.bin", Some("d/a.bin")),
            ("d/l", "a.bin", Some("d/a.bin")),
            ("./d/e/l", "../../a.bin", Some("a.bin")),
            ("l", "a.bin", Some("a.bin")),
            ("d/l", "../../a.bin", None),
            ("d/l", "/etc/a.bin", None),
            ("d/l", ".", Some("d")),
        ];
        for (from, path, expected) in cases {
            let found = resolved(from.as_bytes(), path.as_bytes());
            assert_eq!(found.as_deref(), expected.map(str::as_bytes), "{from} {path}");
        }
    }
}
