//! The contents of a context at one moment, so that a run can go back to it.

use crate::keeper::BackingSnapshot;
use crate::world::WorldImages;
use crate::{Context, Lds};

/// The contents of a context: its writable mappings, LDS and GDS.
///
/// With a clone of the wave, it is all that a run can change, except a [peripheral](crate::Peripheral). Of memory it
/// keeps the pages that are stored to after it was taken, as long as it lives. LDS and GDS are copied.
#[derive(Debug)]
pub struct Snapshot {
    memory: Vec<BackingSnapshot>,
    lds: Lds,
    gds: Vec<u8>,
    /// Images of a world.
    images: WorldImages,
}

impl Context {
    /// Takes a snapshot of all contents that may change.
    pub fn snapshot(&self) -> Snapshot {
        let memory = self.space.writable().into_iter().map(BackingSnapshot::new).collect();
        Snapshot { memory, lds: self.lds.clone(), gds: self.gds.clone(), images: self.world_images() }
    }

    /// Restores the contents. Mappings that were made since the snapshot stay as they are, except those of a world,
    /// which have the world's values again.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        self.clean_world(&snapshot.images);
        snapshot.memory.iter().for_each(BackingSnapshot::restore);
        self.lds.clone_from(&snapshot.lds);
        self.gds.clone_from(&snapshot.gds);
        (self.fault, self.unsupported) = (None, None);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Backing, Mapping, Place};

    #[test]
    fn everything_comes_back() {
        let mut context = Context::ready(16);
        context.space.map(Mapping::new(0x1000, "a", Arc::new(Backing::zeroed(16).unwrap())));
        context.store(0x1004, &[1, 2]);
        context.make_gds_ready();
        let snapshot = context.snapshot();
        context.store(0x1000, &[9; 16]);
        context.write_share(Place::Lds, 3, &[9]);
        context.write_share(Place::Gds, 3, &[9]);
        context.restore(&snapshot);
        let mut bytes = [9; 8];
        context.load(0x1000, &mut bytes, None).unwrap();
        assert_eq!((bytes, &context.lds[..], context.gds[3]), ([0, 0, 0, 0, 1, 2, 0, 0], &[0; 16][..], 0));
    }
}
