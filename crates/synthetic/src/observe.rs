//! The observations of a run in a world: exports, stores, images and messages.

use gcnsim_engine::xxh3::Xxh3;
use gcnsim_machine::world::{ImageDword, Stored, Stores};
use gcnsim_machine::{Export, Message, Observed, Outcome};

/// A class of observations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// Exports, in the order of groups, waves and execution.
    Exports,
    /// Bytes of memory that differ from the initial ones.
    Stores,
    /// Dwords of images that differ from the initial ones.
    Images,
    /// Messages, in the order of groups, waves and execution.
    Messages,
}

impl Class {
    /// All classes, in the order of results.
    pub const ALL: [Class; 4] = [Class::Exports, Class::Stores, Class::Images, Class::Messages];

    /// Returns the name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Exports => "exports",
            Class::Stores => "stores",
            Class::Images => "images",
            Class::Messages => "messages",
        }
    }
}

/// The observations of a class.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ClassHash {
    /// Number of exports, bytes, dwords or messages.
    pub count: u64,
    /// XXH3-64 of the observations; the hash of no bytes if there are none.
    pub hash: u64,
}

/// The observations of all classes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Classes([ClassHash; 4]);

impl Classes {
    /// Returns the observations of a class.
    pub fn of(&self, class: Class) -> ClassHash {
        self.0[class as usize]
    }

    /// Returns the hash of all classes: XXH3-64 over their hashes in order.
    pub fn state_hash(&self) -> u64 {
        let mut hash = Xxh3::new();
        self.0.iter().for_each(|class| hash.update(&class.hash.to_le_bytes()));
        hash.digest()
    }
}

/// The observations of a wave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WaveObservations {
    /// Id of its group.
    pub group: [u32; 3],
    /// Its number in the group.
    pub index: u32,
    /// How the wave ended. [`Outcome::Barrier`] if it waited for others when the run stopped, [`Outcome::Budget`] if it
    /// was not yet at its end.
    pub outcome: Outcome,
    /// Number of instructions that it has completed.
    pub instructions: u64,
    /// Its exports and messages.
    pub observed: Observed,
    /// Lanes of its exports that count: those of covered pixels.
    pub coverage: u64,
    /// Number of its VGPRs. If an export names a register beyond them, the component is undefined.
    pub vgprs: usize,
}

impl WaveObservations {
    /// Returns the lanes of an export that count.
    pub fn lanes(&self, export: &Export) -> u64 {
        export.exec & self.coverage
    }

    /// Returns the components of an export that are compared, as bits: those that are enabled and whose register
    /// exists.
    pub fn components(&self, export: &Export) -> u8 {
        let exists = |&component: &usize| usize::from(export.access.sources[component]) < self.vgprs;
        (0..4)
            .filter(|component| export.access.en >> component & 1 == 1)
            .filter(exists)
            .fold(0, |bits, n| bits | 1 << n)
    }
}

/// The observations of a run.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Observations {
    /// The waves, in the order of groups and numbers.
    pub waves: Vec<WaveObservations>,
    /// The bytes of memory that differ from the initial ones, sorted by address.
    pub stores: Stores,
    /// The dwords of images that differ from the initial ones, sorted.
    pub images: Vec<ImageDword>,
}

impl Observations {
    /// Returns the numbers and hashes of all classes.
    pub fn classes(&self) -> Classes {
        Classes([self.exports(), self.stores(), self.images(), self.messages()])
    }

    fn exports(&self) -> ClassHash {
        let mut of = Hasher::default();
        for wave in &self.waves {
            wave.observed.exports().iter().for_each(|export| add_export(&mut of, wave, export));
            of.count += wave.observed.export_count();
        }
        of.finish()
    }

    fn messages(&self) -> ClassHash {
        let mut of = Hasher::default();
        for wave in &self.waves {
            for Message { message, m0, exec, pc: _ } in wave.observed.messages() {
                of.add(u32::from(*message));
                of.add(*m0);
                of.add64(*exec);
            }
            of.count += wave.observed.message_count();
        }
        of.finish()
    }

    fn stores(&self) -> ClassHash {
        let mut of = Hasher::default();
        for Stored { address, bytes } in self.stores.iter() {
            of.add64(address);
            of.add64(bytes.len() as u64);
            of.flush();
            of.hash.update(bytes);
            of.count += bytes.len() as u64;
        }
        of.finish()
    }

    fn images(&self) -> ClassHash {
        let mut of = Hasher::default();
        for ImageDword { key, at, bits } in &self.images {
            of.add64(*key);
            of.add(*at);
            of.add(*bits);
        }
        of.count = self.images.len() as u64;
        of.finish()
    }
}

/// Adds target, components, flags and lanes of an export, and the values that count.
fn add_export(of: &mut Hasher, wave: &WaveObservations, export: &Export) {
    let (access, lanes, components) = (&export.access, wave.lanes(export), wave.components(export));
    let flags = u32::from(access.compr) << 16 | u32::from(access.done) << 17 | u32::from(access.vm) << 18;
    of.add(u32::from(access.target) | u32::from(access.en) << 8 | u32::from(components) << 12 | flags);
    of.add64(lanes);
    for (component, values) in export.values.iter().enumerate().filter(|(n, _)| components >> n & 1 == 1) {
        if lanes == u64::MAX {
            of.add_all(values);
        } else {
            let counted = values.iter().enumerate().filter(|(lane, _)| lanes >> lane & 1 == 1);
            counted.for_each(|(_, value)| of.add(*value));
        }
        debug_assert!(component < 4);
    }
}

/// A hash of little-endian dwords.
#[derive(Default)]
struct Hasher {
    count: u64,
    hash: Xxh3,
    buffer: Vec<u8>,
}

impl Hasher {
    fn add(&mut self, dword: u32) {
        self.buffer.extend(dword.to_le_bytes());
    }

    fn add64(&mut self, qword: u64) {
        self.buffer.extend(qword.to_le_bytes());
    }

    fn add_all(&mut self, dwords: &[u32]) {
        dwords.iter().for_each(|dword| self.add(*dword));
    }

    fn flush(&mut self) {
        self.hash.update(&self.buffer);
        self.buffer.clear();
    }

    fn finish(mut self) -> ClassHash {
        self.flush();
        ClassHash { count: self.count, hash: self.hash.digest() }
    }
}
