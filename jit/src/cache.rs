//! Caches of compiled regions: those of one run, by entry address, and those that runs of identical programs share.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gcnsim_isa::{Arch, Mode, Program};

use crate::compile::{CompileOptions, Compiler, FLOAT_MODE, JitError, Modes, Region, RegionKey, is_special_mode};
use crate::region::Jump;

/// What is known about an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lookup {
    /// Compiled code can be entered there.
    Region {
        /// Number of the region, for [`RegionCache::region`].
        region: usize,
        /// Number of the entry.
        entry: usize,
    },
    /// Compiled code cannot start there.
    Interpret,
}

/// Regions by address and MODE.
#[derive(Default)]
pub struct RegionCache {
    regions: Vec<Arc<Region>>,
    /// For each address what is known for some values of MODE; the first that has the wave's counts. There are few, and
    /// they are looked up whenever a wave goes on.
    entries: BTreeMap<u64, Vec<(Modes, Lookup)>>,
}

/// Whatever MODE is.
const ANY_MODE: Modes = Modes { special: true, float: None };

impl RegionCache {
    /// Whether nothing is known of any address.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.regions.is_empty()
    }

    /// What is known about an address with a value of MODE, if anything.
    pub fn get(&self, pc: u64, mode: u32) -> Option<Lookup> {
        self.entries.get(&pc)?.iter().find(|(modes, _)| modes.has(mode)).map(|&(_, lookup)| lookup)
    }

    fn insert(&mut self, pc: u64, modes: Modes, lookup: Lookup) {
        let known = self.entries.entry(pc).or_default();
        if !known.iter().any(|(others, _)| others.include(modes)) {
            known.push((modes, lookup));
        }
    }

    /// A region by number.
    pub fn region(&self, number: usize) -> &Arc<Region> {
        &self.regions[number]
    }

    /// The regions in the order of their compilation.
    pub fn regions(&self) -> &[Arc<Region>] {
        &self.regions
    }

    /// Forgets a region: its entries are compiled anew when they are asked for.
    pub fn invalidate(&mut self, region: usize) {
        for known in self.entries.values_mut() {
            known.retain(|(_, lookup)| !matches!(lookup, Lookup::Region { region: r, .. } if *r == region));
        }
    }

    /// Compiles the region entered at an address that has not been looked at yet.
    ///
    /// # Errors
    /// As [`Compiler::compile`].
    pub fn compile(
        &mut self,
        compiler: &mut Compiler,
        program: &Program,
        key: &RegionKey<'_>,
    ) -> Result<Lookup, JitError> {
        let region = compiler.compile(program, key)?.map(Arc::new);
        Ok(self.add(key, region))
    }

    /// Adds the result of [`Compiler::compile`] for an address that has not been looked at yet.
    pub fn add(&mut self, key: &RegionKey<'_>, region: Option<Arc<Region>>) -> Lookup {
        let Some(region) = region else {
            self.insert(key.pc, ANY_MODE, Lookup::Interpret);
            return Lookup::Interpret;
        };
        let number = self.regions.len();
        for (i, entry) in region.entries().iter().enumerate() {
            self.insert(entry.pc, region.modes(), Lookup::Region { region: number, entry: i });
        }
        self.regions.push(region);
        Lookup::Region { region: number, entry: 0 }
    }
}

/// Most bytes of machine code that [`SharedRegions`] keeps.
const SHARED_BYTES: usize = 64 << 20;
/// Most regions that [`SharedRegions`] keeps.
const SHARED_REGIONS: usize = 1 << 14;

/// Regions of many programs, by everything that they depend on, for engines on any thread. A run of the same bytes,
/// from another state or for another sample of its time, need not compile them again. All engines that share it must
/// have the same [`CompileOptions`].
///
/// [`CompileOptions`]: crate::CompileOptions
#[derive(Default)]
pub struct SharedRegions {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    regions: HashMap<SharedKey, Option<Arc<Region>>>,
    bytes: usize,
}

/// Everything that a region depends on.
#[derive(PartialEq, Eq, Hash)]
struct SharedKey {
    code: CodeId,
    options: CompileOptions,
    pc: u64,
    mode: u32,
    observed: Vec<Jump>,
}

/// Identifies a program: the hash of its bytes, and how they are read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CodeId {
    /// SHA-256 of the bytes.
    pub sha256: [u8; 32],
    /// Generation.
    pub arch: Arch,
    /// Address of the first byte.
    pub base: u64,
}

impl fmt::Debug for SharedRegions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = self.kept();
        f.debug_struct("SharedRegions").field("regions", &kept.regions.len()).field("bytes", &kept.bytes).finish()
    }
}

impl SharedRegions {
    /// The region that was compiled for an address, if it is known. `Some(None)` says that the address cannot be
    /// compiled.
    pub fn get(&self, code: CodeId, options: &CompileOptions, key: &RegionKey<'_>) -> Option<Option<Arc<Region>>> {
        self.kept().regions.get(&SharedKey::new(code, options, key)).cloned()
    }

    /// Keeps a region for others. When there are too many, all earlier ones are forgotten.
    pub fn add(&self, code: CodeId, options: &CompileOptions, key: &RegionKey<'_>, region: Option<Arc<Region>>) {
        let mut kept = self.kept();
        let size = region.as_ref().map_or(0, |region| region.code_size());
        if kept.bytes + size > SHARED_BYTES || kept.regions.len() >= SHARED_REGIONS {
            *kept = Kept::default();
        }
        kept.bytes += size;
        kept.regions.insert(SharedKey::new(code, options, key), region);
    }

    /// Number of regions that are kept.
    pub fn count(&self) -> usize {
        self.kept().regions.len()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // A panic elsewhere leaves the data whole.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SharedKey {
    fn new(code: CodeId, options: &CompileOptions, key: &RegionKey<'_>) -> SharedKey {
        let RegionKey { pc, mode, observed } = *key;
        let mode = mode & FLOAT_MODE | if is_special_mode(mode) { Mode::VSKIP } else { 0 };
        SharedKey { code, options: *options, pc, mode, observed: observed.to_vec() }
    }
}
