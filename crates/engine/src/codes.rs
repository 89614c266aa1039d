//! Codes by content and address.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gcnsim_isa::{Arch, Program};

use crate::Code;
use crate::xxh3::xxh3;

/// Number of codes that a cache keeps by default.
const MOST_CODES: usize = 1024;
/// Size in bytes of the programs that a cache keeps by default.
const MOST_BYTES: usize = 256 << 20;

/// Number of bytes of guest memory that are compared at once.
const PIECE: usize = 4096;

/// A cache of [`Code`]: programs with equal bytes, at one address, for one generation, are one code. It is bounded;
/// codes that were not used for longest are forgotten first. Who has one keeps it nevertheless.
///
/// ```
/// use gcnsim_engine::Codes;
/// use gcnsim_isa::{Arch, Program};
/// let codes = Codes::default();
/// let program = || Program::from_words(Arch::Gcn14, &[0xbf81_0000]);
/// assert!(codes.get(&program()).is_same(&codes.get(&program())));
/// ```
#[derive(Debug)]
pub struct Codes {
    kept: Mutex<Kept>,
    most_codes: usize,
    most_bytes: usize,
}

/// Where the program lies, and where it is entered.
type Place = (Arch, u64, u64);

#[derive(Default, Debug)]
struct Kept {
    /// The codes at each place, the last used one at the end.
    places: HashMap<Place, Vec<Known>>,
    /// Number of codes.
    codes: usize,
    /// Size of their programs.
    bytes: usize,
    /// Number of uses so far.
    uses: u64,
}

#[derive(Debug)]
struct Known {
    code: Code,
    /// Hash of the bytes.
    hash: u64,
    /// Number of the last use.
    used: u64,
}

impl Default for Codes {
    /// A cache of 1024 codes, whose programs have 256 MiB together.
    fn default() -> Codes {
        Codes::with_limits(MOST_CODES, MOST_BYTES)
    }
}

impl Codes {
    /// A cache of at most so many codes, whose programs have so many bytes together. It keeps at least one.
    pub fn with_limits(most_codes: usize, most_bytes: usize) -> Codes {
        Codes { kept: Mutex::default(), most_codes, most_bytes }
    }

    /// The code of a program.
    pub fn get(&self, program: &Program) -> Code {
        self.find((program.arch(), program.base(), program.entry()), program.bytes(), || program.clone())
    }

    /// The code of a program that consists of these bytes at address `base` (a multiple of 4) and is entered at address
    /// `entry`. The bytes are copied if they are new. If they are those that were there at the last call, finding out
    /// costs one comparison.
    pub fn at(&self, arch: Arch, base: u64, entry: u64, bytes: &[u8]) -> Code {
        let program = || Program::new(arch, Arc::new(bytes.to_vec()), base, entry.wrapping_sub(base));
        self.find((arch, base, entry), bytes, program)
    }

    /// The code that lies in guest memory: `size` bytes at address `base` (a multiple of 4), which is entered at address
    /// `entry`. `load` reads memory from an address on. If the bytes are those that were there at the last call, to find
    /// that out costs reading and comparing them, piece by piece.
    pub fn in_memory(
        &self,
        arch: Arch,
        base: u64,
        entry: u64,
        size: usize,
        mut load: impl FnMut(u64, &mut [u8]),
    ) -> Code {
        let last = self.kept().last((arch, base, entry)).filter(|code| code.program().bytes().len() == size);
        let mut piece = [0; PIECE];
        let mut is_there = |(number, known): (usize, &[u8])| {
            let piece = &mut piece[..known.len()];
            load(base.wrapping_add((number * PIECE) as u64), piece);
            piece == known
        };
        if let Some(code) = last.filter(|code| code.program().bytes().chunks(PIECE).enumerate().all(&mut is_there)) {
            return code;
        }
        let mut bytes = vec![0; size];
        load(base, &mut bytes);
        self.at(arch, base, entry, &bytes)
    }

    /// Number of codes in the cache.
    pub fn count(&self) -> usize {
        self.kept().codes
    }

    fn find(&self, place: Place, bytes: &[u8], program: impl FnOnce() -> Program) -> Code {
        let last = self.kept().last(place);
        // Others may use the cache while bytes are compared.
        if let Some(code) = last.filter(|code| is_equal(code.program().bytes(), bytes)) {
            return code;
        }
        let hash = xxh3(bytes);
        if let Some(code) = self.kept().with_hash(place, hash, bytes) {
            return code;
        }
        let code = Code::new(&program());
        let (code, old) = self.kept().add(place, code, hash, (self.most_codes, self.most_bytes));
        // Sessions may take long to drop.
        drop(old);
        code
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // Nobody panics halfway through a change.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether two programs have equal bytes. Often they are the same in memory.
fn is_equal(one: &[u8], other: &[u8]) -> bool {
    std::ptr::eq(one, other) || one == other
}

impl Kept {
    /// The last used code at a place. It counts as used.
    fn last(&mut self, place: Place) -> Option<Code> {
        let known = self.places.get_mut(&place)?.last_mut()?;
        self.uses += 1;
        known.used = self.uses;
        Some(known.code.clone())
    }

    /// The code at a place with these bytes, which becomes the last used one there.
    fn with_hash(&mut self, place: Place, hash: u64, bytes: &[u8]) -> Option<Code> {
        let at = self.places.get_mut(&place)?;
        let found = at.iter().rposition(|known| known.hash == hash && is_equal(known.code.program().bytes(), bytes))?;
        self.uses += 1;
        at[found].used = self.uses;
        at[found..].rotate_left(1);
        at.last().map(|known| known.code.clone())
    }

    /// Adds a code, unless another thread has added an equal one. Returns what is there now, and what had to go.
    fn add(&mut self, place: Place, code: Code, hash: u64, most: (usize, usize)) -> (Code, Vec<Code>) {
        if let Some(other) = self.with_hash(place, hash, code.program().bytes()) {
            return (other, vec![code]);
        }
        let (size, mut old) = (code.program().bytes().len(), Vec::new());
        while self.codes > 0 && (self.codes >= most.0 || self.bytes.saturating_add(size) > most.1) {
            old.extend(self.take_oldest());
        }
        (self.codes, self.bytes, self.uses) = (self.codes + 1, self.bytes.saturating_add(size), self.uses + 1);
        let known = Known { code: code.clone(), hash, used: self.uses };
        self.places.entry(place).or_default().push(known);
        (code, old)
    }

    /// Removes the code that was not used for longest.
    fn take_oldest(&mut self) -> Option<Code> {
        // At each place, the first one is the oldest.
        let first = |(place, known): (&Place, &Vec<Known>)| known.first().map(|known| (known.used, *place));
        let (_, place) = self.places.iter().filter_map(first).min_by_key(|(used, _)| *used)?;
        let at = self.places.get_mut(&place)?;
        let Known { code, .. } = at.remove(0);
        if at.is_empty() {
            self.places.remove(&place);
        }
        self.codes -= 1;
        self.bytes -= code.program().bytes().len();
        Some(code)
    }
}
