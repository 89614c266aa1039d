//! Adds the shaders of archives to a list of inputs.

use std::collections::HashSet;
use std::path::Path;

use super::Inputs;
use crate::archive::{self, Followed};
use crate::file::{Content, Place, SidecarAt, bytes_of};
use gcnsim_loader::FileBytes;

impl Inputs {
    /// Adds the shaders of the archive at `path`. If the archive is broken, the shaders before the broken place are
    /// added.
    pub(super) fn archive(&mut self, path: &Path) {
        let name = bytes_of(path.as_os_str());
        let bytes = match FileBytes::read(path) {
            Ok(bytes) => bytes,
            Err(error) => return self.push_problem(0, name, error.to_string()),
        };
        let place = self.place(Place::Archive { path: path.to_owned(), bytes: bytes.clone() });
        let (before, skipped) = (self.items.len(), self.skipped.total());
        let mut listing = archive::list(bytes.as_ref(), |name, range| {
            bytes.pass(range.start);
            self.push(place, name, Content::Member { start: range.start, end: range.end }, SidecarAt::Nowhere);
        });
        let links = listing.follow(bytes.as_ref());
        self.skipped.special += listing.special;
        self.skipped.files += listing.other_files;
        if !links.is_empty() {
            self.follow_links(before, links);
        }
        if listing.has_sidecars() {
            self.drop_members(before, &listing.named(bytes.as_ref()));
            for index in before..self.items.len() {
                let Content::Member { start, end } = self.items[index].content else { continue };
                bytes.pass(start);
                if gcnsim_loader::is_code_object(&bytes.as_ref()[start..end])
                    && let Some(range) = listing.launches(self.get(index).name)
                {
                    self.launches.insert(index, Some(range));
                }
                self.items[index].sidecar = match listing.sidecar(self.get(index).name) {
                    Ok(None) => SidecarAt::Nowhere,
                    Ok(Some(range)) => {
                        self.sidecars.push(range);
                        SidecarAt::Member(self.sidecars.len() as u32 - 1)
                    }
                    Err(()) => SidecarAt::Twice,
                };
            }
            self.skipped.files = self.skipped.files.saturating_sub(listing.used_sidecars());
        }
        match listing.error {
            Some(error) => self.push_problem(0, name, error.to_string()),
            None if self.items.len() == before => {
                let skipped = self.skipped.total() - skipped;
                self.push_problem(0, name, format!("no shaders in this archive ({skipped} other files)"));
            }
            None => {}
        }
    }

    /// Removes the members from index `before` on whose resolved paths launch files name.
    fn drop_members(&mut self, before: usize, named: &HashSet<Vec<u8>>) {
        let is_named = |index: usize| archive::member_path(self.get(index).name).is_some_and(|p| named.contains(&p));
        if !named.is_empty() {
            let is_data: Vec<bool> = (0..self.len()).map(|index| index >= before && is_named(index)).collect();
            self.drop_items(&is_data);
        }
    }

    /// Replaces the links of an archive by what they lead to, and removes links that lead to no shader. The archive's
    /// items begin at index `before`.
    fn follow_links(&mut self, before: usize, links: Vec<(usize, Followed)>) {
        let mut dropped = HashSet::new();
        for (index, followed) in links {
            let index = before + index;
            match followed {
                Followed::Shader(range) => {
                    self.items[index].content = Content::Member { start: range.start, end: range.end };
                }
                Followed::Missing(problem) => {
                    self.problems.push(problem);
                    self.items[index].content = Content::Problem(self.problems.len() as u32 - 1);
                }
                Followed::OtherFile => {
                    self.skipped.files += 1;
                    dropped.insert(index);
                }
                Followed::Nowhere => {
                    self.skipped.links += 1;
                    dropped.insert(index);
                }
            }
        }
        let mut index = 0;
        self.items.retain(|_| {
            index += 1;
            !dropped.contains(&(index - 1))
        });
    }
}
