//! Memory with the values of a world. A page is made where it is first touched.
//!
//! A page that was only read shows a clean backing, which later runs use again; its mapping is read-only. The first
//! store to it puts a copy in its place, so that only pages that were written are compared at the end. The aliases of a
//! page show one backing.
//!
//! An *area* is one page, or an aligned range of pages that was made whole, because a quarter of its pages was touched.
//! It has one mapping, so that scattered accesses of a wave lie in one.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use super::pieces::{Pieces, WorldPiece};
use super::stores::Stores;
use super::{Contents, Element, SCRATCH, SCRATCH_END, World};
use crate::Backing;

/// Number of bytes in a page. It is a multiple of the stride of the tables' buffers times 64 lanes.
pub const PAGE: u64 = 16 << 10;

/// Numbers of pages that areas have: 16 KiB, 1 MiB, 16 MiB.
const SIZES: [u64; 3] = [1, 64, 1024];

/// Most pages that a run may have, touched or made with others: 256 MiB.
pub(super) const MOST_PAGES: usize = (256 << 20) / PAGE as usize;

/// Most clean pages that are kept for later runs: 32 MiB.
const MOST_CLEAN: usize = (32 << 20) / PAGE as usize;

/// Most copies that are kept for later runs: 2 MiB.
const MOST_SPARE: usize = (2 << 20) / PAGE as usize;

/// Most dwords of images that a run may write.
pub(super) const MOST_IMAGE_DWORDS: usize = 1 << 20;

/// A dword of an image that a run has changed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ImageDword {
    /// What stands for the image.
    pub key: u64,
    /// Which dword, as [`World::texel`] counts them.
    pub at: u32,
    /// Its bits.
    pub bits: u32,
}

/// What a run in a world has left.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Final {
    /// The bytes that differ from the initial ones, sorted by address; scratch is left out.
    pub stores: Stores,
    /// The dwords of images that differ from the initial ones, sorted.
    pub images: Vec<ImageDword>,
}

/// A hash of a number that needs no defence.
#[derive(Clone, Copy, Default)]
pub(super) struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = super::hash64(self.0 ^ number, 0);
    }
}

type Map<K, V> = HashMap<K, V, BuildHasherDefault<NumberHasher>>;

/// Written dwords of images.
#[derive(Clone, Default, Debug)]
pub(crate) struct WorldImages(pub(super) Map<u64, u32>);

/// Pages that runs of one thread use again. They belong to one world.
#[derive(Debug, Default)]
pub struct PageStock {
    world: Option<World>,
    name: Option<Arc<str>>,
    /// By the number of the page and the type of its dwords: [`stock_key`].
    clean: Map<u64, Arc<Backing>>,
    spare: Vec<Arc<Backing>>,
}

/// What stands for a clean page of a world: its number, and the type of its dwords.
fn stock_key(number: u64, element: Element) -> u64 {
    number | (element as u64) << 56
}

/// Where the descriptors of images and samplers come from.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Descriptors {
    /// They are data of the world: what they say counts for nothing.
    #[default]
    Data,
    /// They are made as drivers make them: TYPE and FORCE_UNNORMALIZED count.
    Made,
}

/// What a run in a world finds.
#[derive(Debug)]
pub struct Inputs {
    /// What memory holds.
    pub contents: Contents,
    /// Bytes that win over the contents. Where they overlap, a later one wins.
    pub pieces: Vec<WorldPiece>,
    /// Where descriptors come from.
    pub descriptors: Descriptors,
}

impl Inputs {
    /// Memory of a world without typed buffers. Descriptors are data.
    pub fn new(world: World, pieces: Vec<WorldPiece>) -> Inputs {
        Inputs { contents: world.into(), pieces, descriptors: Descriptors::Data }
    }
}

/// Pages that a run has.
#[derive(Clone, Debug)]
pub(super) struct Area {
    /// Number of pages: one of [`SIZES`].
    pages: u64,
    /// The initial bytes.
    clean: Arc<Backing>,
    /// The bytes, if they may have been written.
    dirty: Option<Arc<Backing>>,
}

impl Area {
    /// The bytes.
    fn backing(&self) -> &Arc<Backing> {
        self.dirty.as_ref().unwrap_or(&self.clean)
    }
}

/// What the mappings of an area show.
pub(super) struct Shown {
    /// Number of the first page.
    pub first: u64,
    pub backing: Arc<Backing>,
    pub is_writable: bool,
    /// Whether the backing has just been made in place of others, which mappings may show.
    pub is_new: bool,
}

/// What stands for an aligned range of `size` pages, more than one, that has the page `number`.
fn window(number: u64, size: u64) -> u64 {
    number & !(size - 1) | size << 48
}

/// What a context has in a world.
#[derive(Debug)]
pub(crate) struct WorldMemory {
    pub contents: Contents,
    /// Where the descriptors of images and samplers come from.
    pub descriptors: Descriptors,
    /// Name of its mappings.
    pub(super) name: Arc<str>,
    /// Bytes that win over those of the world.
    pieces: Pieces,
    /// By number of the first page.
    areas: Map<u64, Area>,
    /// Number of pages of all areas.
    pages: usize,
    /// Number of pages that are there, by [`window`].
    counts: Map<u64, u64>,
    stock: PageStock,
    /// Whether a run wanted more than it may have.
    pub is_full: bool,
    /// Whether no pages are made.
    pub is_closed: bool,
    /// Keys of the images that were written; the index of a key is its number.
    pub(super) image_keys: Vec<u64>,
    image_numbers: Map<u64, u32>,
    /// Dwords of images, by number of the key and place.
    pub(super) images: Map<u64, u32>,
}

impl WorldMemory {
    pub fn new(inputs: Inputs, mut stock: PageStock) -> WorldMemory {
        let Inputs { contents, pieces, descriptors } = inputs;
        let world = contents.world;
        if stock.world != Some(world) {
            stock.clean.clear();
            stock.world = Some(world);
        }
        let name = stock.name.get_or_insert_with(|| "world".into()).clone();
        WorldMemory {
            contents,
            descriptors,
            name,
            pieces: Pieces::new(pieces),
            areas: Map::default(),
            pages: 0,
            counts: Map::default(),
            stock,
            is_full: false,
            is_closed: false,
            image_keys: Vec::new(),
            image_numbers: Map::default(),
            images: Map::default(),
        }
    }

    /// Makes the page `number`, unless it exists; for a store, one that may be written. `None` if there is no room.
    pub(super) fn touch(&mut self, number: u64, for_store: bool) -> Option<Shown> {
        let mut is_new = false;
        if self.area_of(number).is_none() {
            if self.pages >= MOST_PAGES {
                self.is_full = true;
                return None;
            }
            let clean = self.clean(number)?;
            self.areas.insert(number, Area { pages: 1, clean, dirty: None });
            self.count(number, 1);
            // The smaller range may complete a quarter of the larger one.
            for &size in &SIZES[1..] {
                is_new |= self.make_whole(number, size).is_some();
            }
        }
        let first = self.area_of(number)?;
        let area = self.areas.get_mut(&first)?;
        if for_store && area.dirty.is_none() {
            let spare = if area.pages == 1 { self.stock.spare.pop() } else { None };
            let copy = match spare {
                Some(spare) => spare,
                None => Arc::new(Backing::zeroed(area.clean.len())?),
            };
            copy.copy_from(&area.clean, 0);
            (area.dirty, is_new) = (Some(copy), true);
        }
        Some(Shown { first, backing: area.backing().clone(), is_writable: area.dirty.is_some(), is_new })
    }

    /// The first page of the area that has the page `number`.
    fn area_of(&self, number: u64) -> Option<u64> {
        let found = |size: &u64| {
            let first = number & !(size - 1);
            self.areas.get(&first).filter(|area| area.pages == *size).map(|_| first)
        };
        SIZES.iter().find_map(found)
    }

    /// Counts pages that have been made near `number`.
    fn count(&mut self, number: u64, pages: u64) {
        self.pages += pages as usize;
        for size in &SIZES[1..] {
            *self.counts.entry(window(number, *size)).or_default() += pages;
        }
    }

    /// Makes one area of the range of `size` pages around the page `number`, if a quarter of them is there and all have
    /// room. `None` if nothing was done.
    fn make_whole(&mut self, number: u64, size: u64) -> Option<()> {
        let first = number & !(size - 1);
        let there = *self.counts.get(&window(number, size))?;
        let missing = size - there;
        if 4 * there < size || self.pages + missing as usize > MOST_PAGES {
            return None;
        }
        let bytes = (size * PAGE) as usize;
        let clean = Backing::zeroed(bytes)?;
        let room = Backing::zeroed(bytes)?;
        let mut written = Vec::new();
        let mut next = first;
        while next < first + size {
            let at = ((next - first) * PAGE) as usize;
            match self.areas.remove(&next) {
                Some(area) => {
                    clean.copy_from(&area.clean, at);
                    written.extend(area.dirty.map(|dirty| (dirty, at)));
                    next += area.pages;
                }
                None => {
                    self.contents_of(next, &clean, at);
                    next += 1;
                }
            }
        }
        self.pieces.write(first * PAGE, &clean);
        let dirty = (!written.is_empty()).then_some(room);
        if let Some(dirty) = &dirty {
            dirty.copy_from(&clean, 0);
            written.iter().for_each(|(bytes, at)| dirty.copy_from(bytes, *at));
        }
        self.areas.insert(first, Area { pages: size, clean: Arc::new(clean), dirty: dirty.map(Arc::new) });
        self.count(first, missing);
        Some(())
    }

    /// The initial bytes of a page.
    fn clean(&mut self, number: u64) -> Option<Arc<Backing>> {
        let (start, end) = (number * PAGE, (number + 1) * PAGE);
        let is_plain = self.pieces.is_plain(start, end);
        let key = self.contents.uniform(&(start..end)).filter(|_| is_plain).map(|element| stock_key(number, element));
        if let Some(clean) = key.and_then(|key| self.stock.clean.get(&key)) {
            return Some(clean.clone());
        }
        let backing = Arc::new(Backing::zeroed(PAGE as usize)?);
        self.contents_of(number, &backing, 0);
        self.pieces.write(start, &backing);
        if let Some(key) = key.filter(|_| self.stock.clean.len() < MOST_CLEAN) {
            self.stock.clean.insert(key, backing.clone());
        }
        Some(backing)
    }

    /// Writes the contents of a page, without pieces, at an offset in a backing.
    fn contents_of(&self, number: u64, backing: &Backing, at: usize) {
        let mut dwords = [0; PAGE as usize / 4];
        self.contents.fill(number * PAGE, &mut dwords);
        backing.write_dwords(at, &dwords);
    }

    /// The place of a dword of an image in the journal; `None` if nothing was ever written to the image.
    fn find_image(&self, key: u64, at: u32) -> Option<u64> {
        let number = *self.image_numbers.get(&key)?;
        Some((u64::from(number) << 32) | (u64::from(at) * 4))
    }

    /// Whether a dword of an image was written.
    pub fn has_image(&self, key: u64) -> bool {
        self.image_numbers.contains_key(&key)
    }

    /// The value of a dword of an image.
    pub fn image(&self, key: u64, at: u32) -> u32 {
        let written = self.find_image(key, at).and_then(|place| self.images.get(&place).copied());
        written.unwrap_or_else(|| self.contents.world.texel(key, at))
    }

    /// The value of the dword at a place.
    pub fn image_at(&self, place: u64) -> u32 {
        self.images.get(&(place & !3)).copied().unwrap_or_else(|| {
            let key = self.image_keys.get((place >> 32) as usize).copied().unwrap_or(0);
            self.contents.world.texel(key, (place as u32) / 4)
        })
    }

    /// The place of a dword of an image, which will be written. `None` if there is no room.
    pub fn image_place(&mut self, key: u64, at: u32) -> Option<u64> {
        let place = self.find_image(key, at).unwrap_or_else(|| {
            let number = self.image_keys.len() as u32;
            self.image_keys.push(key);
            self.image_numbers.insert(key, number);
            (u64::from(number) << 32) | (u64::from(at) * 4)
        });
        let has_room = self.images.len() < MOST_IMAGE_DWORDS || self.images.contains_key(&place);
        self.is_full |= !has_room;
        has_room.then_some(place)
    }

    /// Writes the dword at a place.
    pub fn put_image(&mut self, place: u64, bits: u32) {
        self.images.insert(place, bits);
    }

    /// Gives all pages that may have been written their initial bytes.
    pub(super) fn clean_all(&self) {
        self.areas.values().filter_map(|area| Some((&area.clean, area.dirty.as_ref()?))).for_each(|(clean, dirty)| {
            dirty.copy_from(clean, 0);
        });
    }

    /// What the run has left, and the pages for the next run.
    pub fn finish(mut self) -> (Final, PageStock) {
        let images = self.final_images();
        let mut dirty: Vec<(u64, Area)> = self.areas.drain().filter(|(_, area)| area.dirty.is_some()).collect();
        dirty.sort_unstable_by_key(|(number, _)| *number);
        let mut stores = Stores::default();
        for (number, area) in dirty {
            let Some(bytes) = area.dirty else { continue };
            let start = number * PAGE;
            if !(SCRATCH..SCRATCH_END).contains(&start) {
                differences(start, &area.clean, &bytes, &mut stores);
            }
            if area.pages == 1 && self.stock.spare.len() < MOST_SPARE {
                self.stock.spare.push(bytes);
            }
        }
        (Final { stores, images }, self.stock)
    }

    fn final_images(&self) -> Vec<ImageDword> {
        let mut images: Vec<ImageDword> = self
            .images
            .iter()
            .map(|(place, bits)| ImageDword {
                key: self.image_keys.get((place >> 32) as usize).copied().unwrap_or(0),
                at: (*place as u32) / 4,
                bits: *bits,
            })
            .filter(|dword| dword.bits != self.contents.world.texel(dword.key, dword.at))
            .collect();
        images.sort_unstable();
        images
    }
}

/// Adds the bytes of an area at `start` that differ.
fn differences(start: u64, clean: &Backing, dirty: &Backing, stores: &mut Stores) {
    for at in clean.differing_qwords(dirty) {
        let (old, new) = (clean.read::<8>(at), dirty.read::<8>(at));
        for k in (0..8).filter(|&k| old[k] != new[k]) {
            stores.push(start + (at + k) as u64, new[k]);
        }
    }
}
