//! Finds the shaders and sidecars of an archive, and follows its links.
//!
//! A link is an entry if it leads to a shader. A hard link leads to the last member before it that has its target's
//! path. A symbolic link leads to the last member of all that has the path. Chains of links are followed. A link that
//! leads to no member is skipped and counted; but if it has the name of a shader, it becomes an entry that says what is
//! wrong.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::file::bytes_of;
use crate::inputs::names_in;
use crate::naming::{has_shader_name, is_sidecar_name, launches_name, sidecar_names};
use crate::tar::{self, Member, MemberKind, TarError};
use gcnsim_engine::quote;
use gcnsim_launches::launch::Syntax;

/// Most links of a chain that are followed.
const LINKS: usize = 40;

/// The members of an archive other than shaders.
#[derive(Default)]
pub struct ArchiveListing<'a> {
    /// Number of regular files that are not shaders. Sidecars count too; see `used_sidecars`.
    pub other_files: u64,
    /// Number of devices and pipes.
    pub special: u64,
    /// The links, in the archive's order.
    pub links: Vec<Link<'a>>,
    /// The error that ended the listing before the end of the archive.
    pub error: Option<TarError>,
    /// Members with names of sidecars, by name.
    sidecars: HashMap<Cow<'a, [u8]>, Sidecar>,
}

/// A member with the name of a sidecar.
struct Sidecar {
    /// Range of its bytes in the archive; `None` if several members have the name.
    range: Option<Range<usize>>,
    /// Number of members that have this name.
    count: u64,
    /// Whether it belongs to a shader.
    is_used: bool,
}

/// A link that has to be followed.
pub struct Link<'a> {
    /// Number of shaders and links before it in the archive.
    pub index: usize,
    pub member: Member<'a>,
}

/// The target of a link.
pub enum Followed {
    /// A shader, by the range of its bytes in the archive.
    Shader(Range<usize>),
    /// No member, though the link has the name of a shader. The text says what is wrong.
    Missing(String),
    /// A member that is not a shader.
    OtherFile,
    /// No member; the link does not have the name of a shader.
    Nowhere,
}

/// Lists the archive `bytes`. Calls `found` with the names of shaders and links, in the archive's order, and with the
/// range of each shader's bytes.
pub fn list<'a>(bytes: &'a [u8], mut found: impl FnMut(&[u8], Range<usize>)) -> ArchiveListing<'a> {
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

    /// Follows the links and takes them out of the listing. Returns the target of each, by its index among shaders and
    /// links. Links to sidecars become sidecars of the listing.
    pub fn follow(&mut self, bytes: &'a [u8]) -> Vec<(usize, Followed)> {
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

    pub fn has_sidecars(&self) -> bool {
        !self.sidecars.is_empty()
    }

    /// Returns the range of the sidecar of member `name`; `None` if it has none; an error if two members could be it.
    pub fn sidecar(&mut self, name: &[u8]) -> Result<Option<Range<usize>>, ()> {
        let [by_stem, by_name] = sidecar_names(name);
        let has_both = self.sidecars.contains_key(by_name.as_slice());
        let Some(sidecar) = self.sidecars.get_mut(by_stem.as_slice()) else { return Ok(None) };
        sidecar.is_used = true;
        match &sidecar.range {
            Some(range) if !has_both => Ok(Some(range.clone())),
            _ => Err(()),
        }
    }

    /// Returns the range of the `STEM.json` of code object `name`; `None` unless exactly one member has that name.
    pub fn launches(&mut self, name: &[u8]) -> Option<Range<usize>> {
        let sidecar = self.sidecars.get_mut(launches_name(name).as_slice())?;
        sidecar.is_used = true;
        sidecar.range.clone()
    }

    /// Returns the resolved paths of the files that launch files of the archive name. `bytes` are those of the archive.
    pub fn named(&self, bytes: &[u8]) -> HashSet<Vec<u8>> {
        let mut named = HashSet::new();
        for (name, sidecar) in &self.sidecars {
            let Some(range) = sidecar.range.clone() else { continue };
            let syntax = if name.ends_with(b".json") { Syntax::Json } else { Syntax::Toml };
            for path in names_in(&bytes[range], syntax) {
                named.extend(resolved(name, bytes_of(path.as_os_str())));
            }
        }
        named
    }

    /// Returns the number of members that are sidecars of shaders.
    pub fn used_sidecars(&self) -> u64 {
        self.sidecars.values().filter(|sidecar| sidecar.is_used).map(|sidecar| sidecar.count).sum()
    }
}

/// All members of an archive, by their resolved path.
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

    /// Returns the range of the file that link `name` leads to; `None` if there is none. `at` is the link's own offset
    /// in the archive.
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

/// Returns the path of a member without `.` and `..`; `None` if it leaves the archive.
pub fn member_path(name: &[u8]) -> Option<Vec<u8>> {
    resolved(b"", name)
}

/// Resolves `path` against the folder of the file `from` and removes `.` and `..`. Returns `None` if the path leaves
/// the archive.
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
