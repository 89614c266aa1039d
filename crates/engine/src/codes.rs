//! Codes by content and address.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gcnsim_isa::{Arch, DecodeErrorKind, FetchError, Program};

use crate::Code;
use crate::window::Window;
use crate::xxh3::xxh3;

/// Number of codes that a cache keeps by default.
const MOST_CODES: usize = 1024;
/// Size in bytes of the programs that a cache keeps by default.
const MOST_BYTES: usize = 256 << 20;

/// A cache of [`Code`]: programs with equal bytes, at one address, for one generation, are one code. It is bounded;
/// codes that were not used for longest are forgotten first. Who has one keeps it nevertheless.
///
/// ```
/// use gcnsim_engine::Codes;
/// use gcnsim_isa::{Arch, DecodeErrorKind, FetchError, Program};
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

/// Where the program lies, where it is entered, and the size of the window if it lies in memory.
type Place = (Arch, u64, u64, Option<usize>);

impl Window<'_> {
    fn place(&self, entry: u64) -> Place {
        (self.arch, self.base, entry, Some(self.size))
    }
}

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
    /// The addresses from which code in memory was followed.
    entries: Vec<u64>,
}

/// Number of bytes that are known of a program.
fn size_of(program: &Program) -> usize {
    program.known().map_or(program.bytes().len(), |parts| 4 * parts.iter().map(ExactSizeIterator::len).sum::<usize>())
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
        self.find((program.arch(), program.base(), program.entry(), None), program.bytes(), || program.clone())
    }

    /// The code that lies in guest memory and is entered at address `entry`: what is [reached](gcnsim_flow::Flow) from
    /// there, as it is now. To find out that it is the code of an earlier call costs comparing as many bytes. The rest of
    /// the window is [not known](Program::with_known).
    pub fn in_memory(&self, window: &Window<'_>, entry: u64) -> Code {
        let place = window.place(entry);
        let last = self.kept().last(place);
        if let Some(code) = last.filter(|code| window.holds(code.program())) {
            return code;
        }
        self.again(window, entry, |_| true).unwrap_or_else(|| self.read(window, vec![entry]))
    }

    /// The code of an earlier call that memory still holds and that is wanted: of several the one of which most is known.
    fn again(&self, window: &Window<'_>, entry: u64, is_wanted: impl Fn(&Program) -> bool) -> Option<Code> {
        let place = window.place(entry);
        // Others may use the cache while bytes are compared.
        let mut codes = self.kept().at(place);
        codes.sort_by_key(|code| Reverse(size_of(code.program())));
        let code = codes.into_iter().find(|code| is_wanted(code.program()) && window.holds(code.program()))?;
        self.kept().use_again(place, |known| known.code.is_same(&code));
        Some(code)
    }

    /// The code of which `code` is a part: also what is reached from address `pc`, to which a wave has come. `None` if
    /// that is known, or is not in the window. From then on [`Codes::in_memory`] finds this code.
    pub fn grow(&self, window: &Window<'_>, code: &Code, pc: u64) -> Option<Code> {
        let program = code.program();
        if !lacks(program, pc) || (program.base(), program.bytes().len()) != (window.base, window.size) {
            return None;
        }
        if let Some(known) = self.again(window, program.entry(), |other| !lacks(other, pc)) {
            return Some(known);
        }
        let entries = self.kept().entries_of(window.place(program.entry()), code);
        let mut entries = entries.unwrap_or_else(|| vec![program.entry()]);
        entries.push(pc & !3);
        Some(self.read(window, entries))
    }

    /// Reads the code in a window that is reached from entries.
    fn read(&self, window: &Window<'_>, entries: Vec<u64>) -> Code {
        let code = Code::new(&window.program(&entries));
        let known = Known { code: code.clone(), hash: 0, used: 0, entries };
        let old = self.kept().add(window.place(code.program().entry()), known, (self.most_codes, self.most_bytes));
        drop(old);
        code
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
        let mut kept = self.kept();
        // Another thread may have added an equal one.
        if let Some(other) = kept.with_hash(place, hash, bytes) {
            return other;
        }
        let known = Known { code: code.clone(), hash, used: 0, entries: Vec::new() };
        let old = kept.add(place, known, (self.most_codes, self.most_bytes));
        drop(kept);
        // Sessions may take long to drop.
        drop(old);
        code
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // Nobody panics halfway through a change.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a program may have an instruction at an address, but does not know it, or only its first dword.
pub(crate) fn lacks(program: &Program, pc: u64) -> bool {
    let is_half = || {
        let cut = program.fetch(pc).err();
        let is_cut = |error| matches!(error, FetchError::Decode(error) if error.kind == DecodeErrorKind::Truncated);
        cut.is_some_and(is_cut) && program.is_unknown(pc.wrapping_add(4))
    };
    program.known().is_some() && (program.is_unknown(pc) || is_half())
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
        self.use_again(place, |known| known.hash == hash && is_equal(known.code.program().bytes(), bytes))
    }

    /// The code at a place that is wanted, which becomes the last used one there.
    fn use_again(&mut self, place: Place, is_wanted: impl FnMut(&Known) -> bool) -> Option<Code> {
        let at = self.places.get_mut(&place)?;
        let found = at.iter().rposition(is_wanted)?;
        self.uses += 1;
        at[found].used = self.uses;
        at[found..].rotate_left(1);
        at.last().map(|known| known.code.clone())
    }

    /// All codes at a place, the last used one at the end.
    fn at(&self, place: Place) -> Vec<Code> {
        self.places.get(&place).map_or(Vec::new(), |at| at.iter().map(|known| known.code.clone()).collect())
    }

    fn entries_of(&self, place: Place, code: &Code) -> Option<Vec<u64>> {
        let known = self.places.get(&place)?.iter().find(|known| known.code.is_same(code))?;
        Some(known.entries.clone())
    }

    /// Adds a code. Returns what had to go.
    fn add(&mut self, place: Place, known: Known, most: (usize, usize)) -> Vec<Code> {
        let (size, mut old) = (size_of(known.code.program()), Vec::new());
        while self.codes > 0 && (self.codes >= most.0 || self.bytes.saturating_add(size) > most.1) {
            old.extend(self.take_oldest());
        }
        (self.codes, self.bytes, self.uses) = (self.codes + 1, self.bytes.saturating_add(size), self.uses + 1);
        self.places.entry(place).or_default().push(Known { used: self.uses, ..known });
        old
    }

    /// Removes the code that was not used for longest.
    fn take_oldest(&mut self) -> Option<Code> {
        // At each place, the first one is the oldest.
        let first = |(place, known): (&Place, &Vec<Known>)| known.first().map(|known| (known.used, *place));
        let (_, place) = self.places.iter().filter_map(first).min_by_key(|(used, _)| *used)?;
        let at = self.places.get_mut(&place)?;
        let known = at.remove(0);
        if at.is_empty() {
            self.places.remove(&place);
        }
        self.codes -= 1;
        self.bytes -= size_of(known.code.program());
        Some(known.code)
    }
}
