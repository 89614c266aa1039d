//! Caches of compiled regions: those of one run, by entry address, and those that runs of identical programs share.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use gcnsim_isa::{Arch, Mode, Program, WaveState};

use crate::compile::{
    CompileOptions, Compiler, EqualMaxima, FLOAT_MODE, JitError, Modes, Region, RegionKey, has_equal_max,
    is_special_mode,
};
use crate::region::Jump;

/// What a cache knows of an address: where its compiled code is, or that there is none.
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

/// A region that other threads may have, too. References to this are counted for one thread: at a count that threads
/// share they would wait for each other.
pub struct Shared(Arc<Region>);

impl Deref for Shared {
    type Target = Region;

    #[inline]
    fn deref(&self) -> &Region {
        &self.0
    }
}

/// Regions by address, MODE, and whether the wave has the note on maxima of equal operands.
#[derive(Default)]
pub struct RegionCache {
    /// The regions in the order of their compilation.
    regions: Vec<Arc<Shared>>,
    /// Lookups by address, each for some states. The first one whose modes have the wave's state applies.
    entries: BTreeMap<u64, Vec<(Modes, Lookup)>>,
    /// Latest results of [`RegionCache::get`], with address, MODE and whether the wave has the note on maxima: waves of
    /// a group go on at the same addresses, one after the other. The list is empty until something was found.
    recent: Vec<Option<(Wanted, Lookup)>>,
}

/// An address, MODE, and whether the wave has the note on maxima of equal operands.
type Wanted = (u64, u32, bool);

/// Number of places in [`RegionCache::recent`]. The lowest bits of the number of a dword choose its place.
const RECENT: usize = 256;

/// All states.
const ANY_STATE: Modes = Modes { special: true, float: None, noted: false };

impl RegionCache {
    /// Whether the cache knows nothing of any address.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.regions.is_empty()
    }

    /// The lookup of a wave's address with its state; `None` if nothing is known of it yet.
    #[inline]
    pub fn get(&mut self, state: &WaveState) -> Option<Lookup> {
        let wanted = (state.pc, state.mode, has_equal_max(state));
        match self.recent.get((state.pc / 4) as usize % RECENT) {
            Some(&Some((known, lookup))) if known == wanted => Some(lookup),
            _ => self.search(wanted),
        }
    }

    fn search(&mut self, wanted: Wanted) -> Option<Lookup> {
        let (pc, mode, noted) = wanted;
        let &(_, lookup) = self.entries.get(&pc)?.iter().find(|(modes, _)| modes.has(mode, noted))?;
        self.recent.resize(RECENT, None);
        self.recent[(pc / 4) as usize % RECENT] = Some((wanted, lookup));
        Some(lookup)
    }

    fn insert(&mut self, pc: u64, modes: Modes, lookup: Lookup) {
        let known = self.entries.entry(pc).or_default();
        if !known.iter().any(|(others, _)| others.include(modes)) {
            known.push((modes, lookup));
        }
    }

    /// A region by number.
    pub fn region(&self, number: usize) -> &Arc<Shared> {
        &self.regions[number]
    }

    /// Forgets a region: its entries are compiled anew when they are asked for.
    pub fn invalidate(&mut self, region: usize) {
        self.recent.clear();
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
            self.insert(key.pc, ANY_STATE, Lookup::Interpret);
            return Lookup::Interpret;
        };
        let number = self.regions.len();
        for (i, entry) in region.entries().iter().enumerate() {
            self.insert(entry.pc, region.modes(), Lookup::Region { region: number, entry: i });
        }
        self.regions.push(Arc::new(Shared(region)));
        Lookup::Region { region: number, entry: 0 }
    }
}

/// Largest size of the machine code that [`SharedRegions`] keeps, in bytes.
const SHARED_BYTES: usize = 64 << 20;
/// Largest number of regions that [`SharedRegions`] keeps.
const SHARED_REGIONS: usize = 1 << 14;

/// Regions of many programs, by everything that they depend on, for engines on any thread. A run of the same bytes,
/// from another state or for another sample of its time, need not compile them again.
#[derive(Default)]
pub struct SharedRegions {
    kept: Mutex<Kept>,
    /// Signals that a key has left [`Kept::awaited`]: its region is compiled, or compiling it failed.
    compiled: Condvar,
}

/// The contents of [`SharedRegions`].
#[derive(Default)]
struct Kept {
    /// Regions by key; `None` for an address where compiled code cannot start.
    regions: HashMap<SharedKey, Option<Arc<Region>>>,
    /// Size of the machine code of all regions.
    bytes: usize,
    /// Keys of the regions that threads are compiling.
    awaited: HashSet<SharedKey>,
}

/// A claim of a thread that compiles the region of `key`. When the claim is dropped, other threads no longer wait for
/// this region.
struct Awaited<'a> {
    shared: &'a SharedRegions,
    key: SharedKey,
}

impl Drop for Awaited<'_> {
    fn drop(&mut self) {
        self.shared.kept().awaited.remove(&self.key);
        self.shared.compiled.notify_all();
    }
}

/// Everything that a region depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct SharedKey {
    code: CodeId,
    options: CompileOptions,
    pc: u64,
    mode: u32,
    observed: Vec<Jump>,
    maxima: EqualMaxima,
    predictable: Vec<u64>,
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
    /// The region of a key, or `None` if its address cannot be compiled. The first thread that asks for it compiles it;
    /// others that ask meanwhile wait. When there are too many regions, all earlier ones are forgotten.
    ///
    /// # Errors
    /// That of `compile`, to the thread that compiles. The next one tries again.
    pub fn get_or_compile<E>(
        &self,
        code: CodeId,
        options: &CompileOptions,
        key: &RegionKey<'_>,
        compile: impl FnOnce() -> Result<Option<Arc<Region>>, E>,
    ) -> Result<Option<Arc<Region>>, E> {
        let key = SharedKey::new(code, options, key);
        let mut kept = self.kept();
        while kept.awaited.contains(&key) {
            kept = self.compiled.wait(kept).unwrap_or_else(PoisonError::into_inner);
        }
        if let Some(region) = kept.get(&key) {
            return Ok(region.clone());
        }
        kept.awaited.insert(key.clone());
        drop(kept);
        let awaited = Awaited { shared: self, key };
        let region = compile()?;
        self.kept().add(awaited.key.clone(), region.clone());
        Ok(region)
    }

    /// Number of regions that are kept.
    pub fn count(&self) -> usize {
        self.kept().regions.len()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // No code panics halfway through a change, so the data is whole even if the lock is poisoned.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// The region of a key. One without maxima does for any knowledge of them.
    fn get(&self, key: &SharedKey) -> Option<&Option<Arc<Region>>> {
        self.regions.get(key).or_else(|| {
            let any = SharedKey { maxima: EqualMaxima::Unknown, ..key.clone() };
            self.regions.get(&any).filter(|region| has_no_maxima(region))
        })
    }

    fn add(&mut self, mut key: SharedKey, region: Option<Arc<Region>>) {
        let size = region.as_ref().map_or(0, |region| region.code_size());
        if has_no_maxima(&region) {
            key.maxima = EqualMaxima::Unknown;
        }
        if self.bytes + size > SHARED_BYTES || self.regions.len() >= SHARED_REGIONS {
            self.regions.clear();
            self.bytes = 0;
        }
        self.bytes += size;
        self.regions.insert(key, region);
    }
}

/// Whether there is no region, or one without maxima.
fn has_no_maxima(region: &Option<Arc<Region>>) -> bool {
    region.as_ref().is_none_or(|region| region.maxima().is_none())
}

impl SharedKey {
    fn new(code: CodeId, options: &CompileOptions, key: &RegionKey<'_>) -> SharedKey {
        let RegionKey { pc, mode, observed, maxima, predictable } = *key;
        // A region depends on the float bits of MODE, and on whether MODE is special. The bit of VSKIP stands for that.
        let mode = mode & FLOAT_MODE | if is_special_mode(mode) { Mode::VSKIP } else { 0 };
        let (observed, predictable) = (observed.to_vec(), predictable.to_vec());
        SharedKey { code, options: *options, pc, mode, observed, maxima, predictable }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;
    use std::{panic, thread};

    use super::*;

    const CODE: CodeId = CodeId { sha256: [7; 32], arch: Arch::Gcn14, base: 0 };
    const KEY: RegionKey<'_> =
        RegionKey { pc: 4, mode: 0, observed: &[], maxima: EqualMaxima::Unknown, predictable: &[] };

    /// Asks for the region of [`KEY`], which turns out to be no region.
    fn ask(shared: &SharedRegions, compile: impl FnOnce() -> Result<(), &'static str>) -> Result<(), &'static str> {
        let region = shared.get_or_compile(CODE, &CompileOptions::default(), &KEY, || compile().map(|()| None))?;
        assert!(region.is_none());
        Ok(())
    }

    #[test]
    fn one_thread_compiles_and_others_wait() {
        let (shared, count, together) = (SharedRegions::default(), AtomicU32::new(0), Barrier::new(4));
        let compile = || {
            count.fetch_add(1, Ordering::Relaxed);
            thread::sleep(Duration::from_millis(20));
            Ok(())
        };
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    together.wait();
                    assert_eq!(ask(&shared, compile), Ok(()));
                });
            }
        });
        assert_eq!((count.into_inner(), shared.count()), (1, 1));
        assert!(shared.kept().awaited.is_empty());
    }

    #[test]
    fn the_next_one_compiles_what_failed() {
        let shared = SharedRegions::default();
        assert_eq!(ask(&shared, || Err("no memory")), Err("no memory"));
        let panicked = panic::catch_unwind(panic::AssertUnwindSafe(|| ask(&shared, || panic!("a bug"))));
        assert!(panicked.is_err());
        assert_eq!(shared.count(), 0);
        assert_eq!(ask(&shared, || Ok(())), Ok(()));
        assert_eq!(ask(&shared, || Err("asked twice")), Ok(()), "kept");
        assert_eq!(shared.count(), 1);
    }

    /// Programs of one instruction (and S_ENDPGM): only a maximum makes regions that depend on what is known of them.
    #[test]
    fn regions_without_maxima_are_shared_whatever_is_known_of_them() {
        // s_add_u32 s0, s0, s1; s_max_i32 s0, s0, s1.
        for (word, kept) in [(0x8000_0100, 1), (0x8400_0100, 3)] {
            let program = Program::from_words(Arch::Gcn14, &[word, 0xbf81_0000]);
            let mut compiler = Compiler::new(CompileOptions::default()).unwrap();
            let (options, shared, mut compiled) = (*compiler.options(), SharedRegions::default(), 0);
            // Knowledge grows in a run, and other waves come later.
            for maxima in [EqualMaxima::Seldom, EqualMaxima::Unknown, EqualMaxima::Noted, EqualMaxima::Seldom] {
                let key = RegionKey { pc: 0, maxima, ..KEY };
                let region = shared.get_or_compile(CODE, &options, &key, || {
                    compiled += 1;
                    compiler.compile(&program, &key).map(|region| region.map(Arc::new))
                });
                assert!(region.unwrap().is_some());
            }
            assert_eq!((compiled, shared.count()), (kept, kept), "{word:x}");
        }
    }
}
