//! Coverage: which code of a corpus was executed.
//!
//! Coverage does not disturb the runs that give results: each is made a second time, in the interpreter, with [`Hits`]
//! that count. The counts of all entries and launches of the same code are added up. [`lcov`] writes them by source
//! line, [`json`] by instruction.

mod hits;
pub mod json;
pub mod lcov;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gcnsim_flow::Site;
use gcnsim_isa::Arch;
use sha2::{Digest, Sha256};

pub use hits::Hits;

use crate::lines::SourceLines;
use gcnsim_loader::code_object::CodeObject;
use gcnsim_loader::functions::{Function, Functions};
use gcnsim_loader::object::Object;
use gcnsim_loader::{Entry, FileBytes, LoadError, Loaded};

/// Most file names that are kept for one code object.
const MOST_FILES: usize = 16;

/// Counts of what was executed of each code object. Threads share it.
#[derive(Default)]
pub struct Coverage {
    objects: Mutex<BTreeMap<Key, Covered>>,
}

/// Key of a code object. The same code for the same chip has the same key, in any file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Key([u8; 32]);

/// Counts of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Count {
    /// Number of executions.
    pub executed: u64,
    /// Number of executions that took the branch.
    pub taken: u64,
}

/// A code object or a raw file, with its counts.
pub struct Covered {
    /// Files that hold the code: the first 16, sorted.
    pub files: Vec<String>,
    /// LLVM's name of the chip; `None` for raw files.
    pub target: Option<&'static str>,
    /// Generation of the code.
    pub arch: Arch,
    /// Functions of the code.
    pub functions: Functions,
    /// Source lines of the code.
    pub lines: SourceLines,
    counts: BTreeMap<u64, Count>,
}

impl Covered {
    /// Returns how often the instruction at an address was executed.
    pub fn count(&self, address: u64) -> Count {
        self.counts.get(&address).copied().unwrap_or_default()
    }

    /// Returns the number of all instructions, and of those that were executed.
    pub fn instructions(&self) -> (u64, u64) {
        let each = self.functions.iter().map(|function| self.instructions_of(function));
        each.fold((0, 0), |(all, hit), (more, more_hit)| (all + more, hit + more_hit))
    }

    /// Returns the number of the instructions of a function, and of those that were executed.
    fn instructions_of(&self, function: &Function) -> (u64, u64) {
        let is_hit = |placed: Site| u64::from(self.count(placed.address).executed > 0);
        function.insts().fold((0, 0), |(all, hit), placed| (all + 1, hit + is_hit(placed)))
    }

    /// Whether the source line of any instruction is known.
    pub fn has_lines(&self) -> bool {
        let mut all = self.functions.iter().flat_map(|function| function.insts());
        all.any(|placed| self.lines.place(placed.address).is_some())
    }
}

/// The place of an entry's code in an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spot {
    /// Key of the object.
    pub key: Key,
    /// Number that is added to addresses of the entry's program to get those of the object.
    pub bias: u64,
}

impl Coverage {
    /// Adds an object of a file, so that the report has it even if nothing executes it. `arch` is the generation of the
    /// object.
    pub fn object(&self, file: &str, object: &Object, arch: Arch, bytes: Option<&FileBytes>) -> Key {
        let key = key(object, arch);
        let mut objects = self.lock();
        let covered = objects.entry(key).or_insert_with(|| Covered {
            files: Vec::new(),
            target: object.target,
            arch,
            functions: Functions::new(object, arch),
            lines: bytes.map(SourceLines::of).unwrap_or_default(),
            counts: BTreeMap::new(),
        });
        if let Err(place) = covered.files.binary_search_by(|known| known.as_str().cmp(file)) {
            covered.files.insert(place, file.to_owned());
            covered.files.truncate(MOST_FILES);
        }
        key
    }

    /// Adds the objects of a file. `arch` is the generation of raw files.
    pub fn file(&self, name: &str, loaded: &Loaded, arch: Arch) -> Vec<(Key, Object)> {
        // A file that has changed since it was loaded has no objects.
        let objects = loaded.objects(0).unwrap_or_default();
        let parts = loaded.part_bytes();
        let with_key = |(i, object): (usize, Object)| {
            let key = self.object(name, &object, object.arch.unwrap_or(arch), parts.get(i));
            (key, object)
        };
        objects.into_iter().enumerate().map(with_key).collect()
    }

    /// Adds an object that is launched.
    ///
    /// # Errors
    /// [`LoadError`] if it cannot be parsed.
    pub fn code_object(&self, file: &str, code: &CodeObject) -> Result<Option<Key>, LoadError> {
        let objects = gcnsim_loader::parse(code.bytes.clone())?.objects(0)?;
        Ok(objects.first().map(|object| self.object(file, object, code.arch, Some(&code.bytes))))
    }

    /// Returns the place of an entry's code in one of its file's objects, which are `keys`.
    pub fn spot(keys: &[(Key, Object)], entry: &Entry) -> Option<Spot> {
        let part = entry.part.as_ref().map(|part| part.name.as_str());
        keys.iter().filter(|(_, object)| object.part.as_deref() == part).find_map(|(key, object)| {
            let section = object.sections.iter().find(|section| {
                let distance = entry.file_offset.checked_sub(section.file_offset);
                distance.is_some_and(|distance| distance < section.bytes.as_ref().len() as u64)
            })?;
            let address = section.address.wrapping_add(entry.file_offset - section.file_offset);
            Some(Spot { key: *key, bias: address.wrapping_sub(entry.address) })
        })
    }

    /// Adds the counts of a run.
    pub fn add(&self, spot: Spot, hits: &Hits) {
        let mut objects = self.lock();
        let Some(covered) = objects.get_mut(&spot.key) else { return };
        for (address, count) in hits.counts() {
            let sum = covered.counts.entry(address.wrapping_add(spot.bias)).or_default();
            sum.executed += count.executed;
            sum.taken += count.taken;
        }
    }

    /// Returns the objects, sorted by the names of their files.
    pub fn into_objects(self) -> Vec<Covered> {
        let objects = self.objects.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut objects: Vec<Covered> = objects.into_values().collect();
        objects.sort_by(|a, b| a.files.cmp(&b.files));
        objects
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Key, Covered>> {
        // A thread that panics does not leave counts half changed, so a poisoned lock is usable.
        self.objects.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(object: &Object, arch: Arch) -> Key {
    let mut hash = Sha256::new();
    hash.update(object.target.unwrap_or(arch.name()));
    for section in &object.sections {
        let bytes = section.linked_bytes().as_ref();
        hash.update(section.address.to_le_bytes());
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    }
    Key(hash.finalize().into())
}
