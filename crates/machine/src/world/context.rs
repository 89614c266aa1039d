//! The context of a wave in a world.

use super::memory::{Descriptors, Final, Inputs, PAGE, PageStock, WorldImages, WorldMemory};
use super::{World, low};
use crate::Context;
use crate::journal::Place;
use crate::space::{Access, Mapping, canonical};

impl Context {
    /// A context in a world, with `lds` bytes of LDS. `stock` has pages of earlier runs.
    pub fn in_world(inputs: Inputs, lds: usize, stock: PageStock) -> Context {
        let mut context = Context::ready(lds);
        context.is_alone = true;
        context.world = Some(Box::new(WorldMemory::new(inputs, stock)));
        context
    }

    /// Where the descriptors of images and samplers come from in the world; outside a world, drivers make them.
    #[inline]
    pub fn descriptors(&self) -> Descriptors {
        self.world.as_ref().map_or(Descriptors::Made, |memory| memory.descriptors)
    }

    /// The world; `None` outside the synthetic environment.
    pub fn world(&self) -> Option<&World> {
        self.world.as_ref().map(|memory| &memory.contents.world)
    }

    /// Whether no access is refused: in a world that is not closed.
    pub fn allows_all(&self) -> bool {
        self.world.as_ref().is_some_and(|memory| !memory.is_closed)
    }

    /// Closes a world. A closed world makes no pages, and refuses accesses to those that are not there, so that one
    /// finds out what memory would do without it.
    pub fn close_world(&mut self) {
        if let Some(memory) = &mut self.world {
            memory.is_closed = true;
        }
    }

    /// Opens a closed world again.
    pub fn open_world(&mut self) {
        if let Some(memory) = &mut self.world {
            memory.is_closed = false;
        }
    }

    /// Whether the run has wanted more memory than a run in a world may touch.
    pub fn is_world_full(&self) -> bool {
        self.world.as_ref().is_some_and(|memory| memory.is_full)
    }

    /// Ends the stay in the world: removes its memory. Returns what the run has left, and the pages for the next run.
    pub fn leave_world(&mut self) -> (Final, PageStock) {
        let Some(memory) = self.world.take() else { return Default::default() };
        self.space = Default::default();
        memory.finish()
    }

    /// Makes the pages of a world that an access needs. Returns whether anything has changed, so that the access may
    /// succeed now. A world without room for the pages changes nothing, and is [full](Context::is_world_full) then.
    pub fn touch(&mut self, address: u64, bytes: u32, access: Access) -> bool {
        let Context { world: Some(memory), space, .. } = self else { return false };
        if memory.is_closed {
            return false;
        }
        let mut has_changed = false;
        let mut at = 0;
        while at < u64::from(bytes) {
            let address = canonical(address.wrapping_add(at));
            let alias = address & !(PAGE - 1);
            at += PAGE - (address - alias);
            let number = low(alias) / PAGE;
            let Some(shown) = memory.touch(number, access != Access::Load) else { return has_changed };
            let mapping = |base: u64| Mapping {
                writable: shown.is_writable,
                ..Mapping::new(base, memory.name.clone(), shown.backing.clone())
            };
            // Where the area begins, as the wave sees it: its aliases differ in bit 47 and those above.
            let base = alias.wrapping_sub((number - shown.first) * PAGE);
            let len = shown.backing.len() as u64;
            let aliases = [shown.first * PAGE, canonical((shown.first * PAGE) | (1 << 47))];
            for base in aliases.into_iter().filter(|_| shown.is_new) {
                if space.meets(base, len) {
                    space.replace(mapping(base));
                    has_changed = true;
                }
            }
            if space.find(alias, 1, Access::Load).is_none() {
                space.map(mapping(base));
                has_changed = true;
            }
        }
        has_changed
    }

    /// A dword of an image: what was written last, or the world's. Outside a world it is 0.
    pub fn world_texel(&self, key: u64, at: u32) -> u32 {
        self.world.as_ref().map_or(0, |memory| memory.image(key, at))
    }

    /// The world, if no dword of the image that `key` stands for was written: then all are the world's.
    pub fn unwritten_world(&self, key: u64) -> Option<&World> {
        self.world.as_ref().filter(|memory| !memory.has_image(key)).map(|memory| &memory.contents.world)
    }

    /// The image and the dword that a place in the journal ([`Place::Image`]) stands for: key, and number as
    /// [`World::texel`] counts them.
    pub fn world_image_at(&self, place: u64) -> Option<(u64, u32)> {
        let key = *self.world.as_ref()?.image_keys.get((place >> 32) as usize)?;
        Some((key, place as u32 / 4))
    }

    /// Writes a dword of an image.
    pub fn put_world_texel(&mut self, key: u64, at: u32, bits: u32) {
        self.update_world_texel(key, at, |_| bits);
    }

    /// Replaces a dword of an image by the result of `new`. Returns the old value.
    pub fn update_world_texel(&mut self, key: u64, at: u32, new: impl FnOnce(u32) -> u32) -> u32 {
        let Some(memory) = &mut self.world else { return 0 };
        let old = memory.image(key, at);
        let Some(place) = memory.image_place(key, at) else { return old };
        let bits = new(old);
        if let Some(journal) = &mut self.journal {
            journal.record(Place::Image, place, &old.to_le_bytes(), &bits.to_le_bytes());
        }
        memory.put_image(place, bits);
        old
    }

    /// The images, for a snapshot.
    pub(crate) fn world_images(&self) -> WorldImages {
        WorldImages(self.world.as_ref().map(|memory| memory.images.clone()).unwrap_or_default())
    }

    /// Gives all memory of a world its initial values, and images those of a snapshot.
    pub(crate) fn clean_world(&mut self, images: &WorldImages) {
        if let Some(memory) = &mut self.world {
            memory.images.clone_from(&images.0);
            memory.clean_all();
        }
    }

    /// Undoes a write of an image.
    pub(crate) fn put_image_back(&mut self, place: u64, old: &[u8]) {
        if let (Some(memory), [a, b, c, d]) = (&mut self.world, old) {
            memory.put_image(place, u32::from_le_bytes([*a, *b, *c, *d]));
        }
    }

    /// The byte of an image at a place of the journal.
    pub(crate) fn image_byte(&self, place: u64) -> u8 {
        let Some(memory) = &self.world else { return 0 };
        memory.image_at(place).to_le_bytes()[place as usize & 3]
    }
}
