//! Adds the shaders of folders to a list of inputs.

use std::collections::HashSet;
use std::io;
use std::path::Path;

use super::Inputs;
use crate::file::{Content, Place, SidecarAt, bytes_of, path_of};
use crate::listing::{FolderId, Kind, Listing};
use crate::naming::{Sidecars, begins_like_shader, has_object_name, has_shader_name, is_sidecar_name};
use gcnsim_loader::{LoadError, recorded};

impl Inputs {
    /// Adds the shaders below `folder`, except in folders that were `visited`.
    pub(super) fn folder(&mut self, folder: &Path, visited: &mut HashSet<FolderId>) {
        let listing = FolderId::of(folder).and_then(|id| match visited.insert(id) {
            true => Listing::read(folder),
            false => Ok(Listing::default()),
        });
        let listing = match listing {
            Ok(listing) => listing,
            Err(error) => {
                let name = bytes_of(folder.as_os_str()).to_vec();
                return self.push_problem(0, &name, LoadError::from(error).to_string());
            }
        };
        if listing.entries.is_empty() {
            return;
        }
        let place = self.place(Place::Folder(folder.to_owned()));
        self.has_linked_sidecars |=
            listing.entries.iter().any(|entry| entry.is_link && is_sidecar_name(listing.name(entry)));
        let mut sidecars = Sidecars::among(listing.entries.iter().map(|entry| listing.name(entry)));
        let mut has_object = false;
        let is_recording = listing.entries.iter().any(|entry| listing.name(entry) == recorded::LIST.as_bytes());
        let has_launch = listing.entries.iter().any(|entry| {
            let name = listing.name(entry);
            name == recorded::LAUNCH.as_bytes() && recorded::names_code(&folder.join(path_of(name)))
        });
        for entry in &listing.entries {
            let name = listing.name(entry);
            let path = || folder.join(path_of(name));
            match entry.kind {
                Ok(Kind::Folder) if is_recording && !recorded::is_of_launch(&path()) => {}
                Ok(Kind::Folder) => self.folder(&path(), visited),
                Ok(Kind::File) if has_launch && name == recorded::LAUNCH.as_bytes() => {
                    self.push(place, name, Content::File { is_direct: !entry.is_link }, SidecarAt::Nowhere);
                }
                Ok(Kind::File) if has_launch => self.skipped.data += 1,
                Ok(Kind::File) => {
                    match has_shader_name(name) || !is_sidecar_name(name) && begins_like_shader(&path()) {
                        true => {
                            let content = Content::File { is_direct: !entry.is_link };
                            has_object |= has_object_name(name) || !has_shader_name(name);
                            if sidecars.launches_beside(name, || has_object_name(name) || begins_like_shader(&path())) {
                                has_object = true;
                                self.launches.insert(self.items.len(), None);
                            }
                            self.push(place, name, content, sidecars.beside(name));
                        }
                        false => self.skipped.files += 1,
                    }
                }
                Ok(Kind::Link | Kind::Other) => self.skipped.special += 1,
                // The entry may be a link that leads nowhere. Only one with the name of a shader is an error.
                Err(error) if has_shader_name(name) => {
                    self.push_problem(place, name, LoadError::from(io::Error::from(error)).to_string());
                }
                Err(_) => self.skipped.links += 1,
            }
        }
        self.skipped.files = self.skipped.files.saturating_sub(sidecars.used());
        // Where no code object is, what lies beside a shader belongs to it: a corpus may have very many of these.
        match has_object {
            true => sidecars.names().for_each(|name| self.data.add(&folder.join(path_of(name)))),
            false => sidecars.unused().for_each(|name| self.data.add(&folder.join(path_of(name)))),
        }
    }
}
