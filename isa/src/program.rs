//! Guest code: bytes at a base address.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::arch::Arch;
use crate::decode::{DecodeError, decode};
use crate::inst::Inst;
use crate::operand::{DPP, LITERAL, SDWA};

/// A program to run: little-endian dwords at a guest address. It is cheap to clone. Engines and threads share it.
#[derive(Clone)]
pub struct Program {
    arch: Arch,
    base: u64,
    entry: u64,
    code: Arc<dyn AsRef<[u8]> + Send + Sync>,
    /// One bit per dword: set if the dword lies inside an instruction of the linear sweep. The set is made when it
    /// is first needed, which is rare.
    interior: OnceLock<Arc<[u64]>>,
    /// The dwords that are known, as ranges of indices, ascending; `None` if all are.
    known: Option<Arc<[Range<usize>]>>,
}

/// The reason for which there is no instruction at an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FetchError {
    /// The address lies outside the program.
    #[error("pc-out-of-range: address {0:#x} lies outside the program")]
    OutOfRange(u64),
    /// The dwords there are not an instruction.
    #[error(transparent)]
    Decode(#[from] DecodeError),
}

impl Program {
    /// A program of code bytes for a generation, loaded at `base` (a multiple of 4) and entered at byte offset `entry`.
    /// A partial dword at the end is never fetched.
    pub fn new(arch: Arch, code: Arc<dyn AsRef<[u8]> + Send + Sync>, base: u64, entry: u64) -> Program {
        Program { arch, base, entry: base.wrapping_add(entry), code, interior: OnceLock::new(), known: None }
    }

    /// A program of which only some dwords are known: ranges of indices, ascending, with gaps between them. All others
    /// count as outside the program, whatever their bytes are.
    ///
    /// # Panics
    /// If the last range does not end in the program.
    pub fn with_known(self, known: Arc<[Range<usize>]>) -> Program {
        assert!(known.last().is_none_or(|last| last.end <= self.word_count()), "dwords outside the program");
        Program { known: Some(known), interior: OnceLock::new(), ..self }
    }

    /// A program from dwords, loaded and entered at 0.
    ///
    /// ```
    /// use gcnsim_isa::{Arch, Program};
    /// let program = Program::from_words(Arch::Gcn14, &[0xbf810000]);
    /// assert_eq!(program.fetch(0).unwrap().desc().mnemonic, "s_endpgm");
    /// ```
    pub fn from_words(arch: Arch, words: &[u32]) -> Program {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        Program::new(arch, Arc::new(bytes), 0, 0)
    }

    /// Generation of the code.
    #[inline]
    pub fn arch(&self) -> Arch {
        self.arch
    }

    /// Address of the first byte.
    #[inline]
    pub fn base(&self) -> u64 {
        self.base
    }

    /// Address of the first instruction to execute.
    #[inline]
    pub fn entry(&self) -> u64 {
        self.entry
    }

    /// The code bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        (*self.code).as_ref()
    }

    /// The whole dwords, little-endian.
    #[inline]
    pub fn words(&self) -> &[[u8; 4]] {
        self.bytes().as_chunks().0
    }

    /// Number of whole dwords.
    #[inline]
    pub fn word_count(&self) -> usize {
        self.bytes().len() / 4
    }

    /// The dwords that are known, as ranges of indices; `None` if all are.
    pub fn known(&self) -> Option<&Arc<[Range<usize>]>> {
        self.known.as_ref()
    }

    /// The ranges of the dwords that are known.
    pub fn parts(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let whole = self.known.is_none().then(|| 0..self.word_count());
        whole.into_iter().chain(self.known.iter().flat_map(|known| known.iter().cloned()))
    }

    /// One more than the index of the last dword of those that follow the dword with an index and are known, if that one
    /// is.
    #[inline]
    pub fn known_end(&self, word_index: usize) -> Option<usize> {
        match &self.known {
            None => Some(self.word_count()).filter(|&count| word_index < count),
            Some(known) => known_end_among(known, word_index),
        }
    }

    /// Whether it is not known what is at an address, which lies between the first and the last byte.
    pub fn is_unknown(&self, pc: u64) -> bool {
        let index = pc.wrapping_sub(self.base) / 4;
        let is_inside = index < self.word_count() as u64;
        is_inside && self.known.as_ref().is_some_and(|known| known_end_among(known, index as usize).is_none())
    }

    /// Index of the dword at an address, if it lies in the program. Low address bits are ignored.
    #[inline]
    pub fn word_index(&self, pc: u64) -> Option<usize> {
        let index = pc.wrapping_sub(self.base) / 4;
        let is_inside = index < self.word_count() as u64;
        (is_inside && (self.known.is_none() || self.known_end(index as usize).is_some())).then_some(index as usize)
    }

    /// Address of a dword.
    #[inline]
    pub fn address(&self, word_index: usize) -> u64 {
        self.base.wrapping_add(4 * word_index as u64)
    }

    /// The dword with an index, if there is one.
    #[inline]
    pub fn word(&self, word_index: usize) -> Option<u32> {
        if self.known.is_some() {
            self.known_end(word_index)?;
        }
        let bytes = self.bytes().get(4 * word_index..)?;
        Some(u32::from_le_bytes(*bytes.first_chunk()?))
    }

    /// Decodes the instruction at a dword index.
    ///
    /// # Errors
    /// [`FetchError`] if the index is out of range or the dwords are no instruction.
    pub fn decode_word(&self, word_index: usize) -> Result<Inst, FetchError> {
        let Some(word) = self.word(word_index) else {
            return Err(FetchError::OutOfRange(self.address(word_index)));
        };
        Ok(decode(self.arch, word, self.word(word_index + 1))?)
    }

    /// Decodes the instruction at an address.
    ///
    /// # Errors
    /// [`FetchError`] if the address is out of range or the dwords are no instruction.
    pub fn fetch(&self, pc: u64) -> Result<Inst, FetchError> {
        match self.word_index(pc) {
            Some(index) => self.decode_word(index),
            None => Err(FetchError::OutOfRange(pc)),
        }
    }

    /// Whether the dword lies inside an instruction, in a sweep from the start of the program. (In the sweep, a dword
    /// that is no instruction counts as one.) Blocks that begin at such a dword raise the note `jump-into-literal`.
    #[inline]
    pub fn is_interior(&self, word_index: usize) -> bool {
        self.is_interior_among(self.words(), word_index)
    }

    /// The result of [`Program::is_interior`], for callers that have [`Program::words`].
    #[inline]
    pub fn is_interior_among(&self, words: &[[u8; 4]], word_index: usize) -> bool {
        // The dword before is almost always short.
        let is_short = |&before: &[u8; 4]| is_plainly_short(u32::from_le_bytes(before));
        !words[..word_index.min(words.len())].last().is_none_or(is_short) && self.is_interior_behind_long(word_index)
    }

    #[cold]
    fn is_interior_behind_long(&self, word_index: usize) -> bool {
        // After a dword that is not long, the sweep is at the start of an instruction, whatever that dword belongs to.
        // From there on long ones come in pairs.
        let run = (0..word_index).rev().take(LONG_RUN).take_while(|&before| self.is_long(before)).count();
        if run < LONG_RUN {
            return run % 2 == 1;
        }
        let bits = self.interior.get_or_init(|| self.sweep());
        bits.get(word_index / 64).is_some_and(|bits| bits >> (word_index % 64) & 1 == 1)
    }

    /// Whether an instruction of two dwords starts there.
    fn is_long(&self, word_index: usize) -> bool {
        let Some(word) = self.word(word_index) else { return false };
        if is_plainly_short(word) {
            return false;
        }
        decode(self.arch, word, self.word(word_index + 1)).is_ok_and(|inst| inst.size() == 8)
    }

    fn sweep(&self) -> Arc<[u64]> {
        let count = self.word_count();
        let mut bits = vec![0u64; count.div_ceil(64)];
        for part in self.parts() {
            let mut index = part.start;
            while index < part.end {
                if self.is_long(index) {
                    index += 1;
                    bits[index / 64] |= 1 << (index % 64);
                }
                index += 1;
            }
        }
        bits.into()
    }
}

/// The end of the range that holds an index, if one does.
fn known_end_among(known: &[Range<usize>], index: usize) -> Option<usize> {
    let at = known.partition_point(|range| range.end <= index);
    known.get(at).filter(|range| range.start <= index).map(|range| range.end)
}

/// Number of consecutive dwords that begin long instructions, after which dwords are no longer examined one by one:
/// otherwise a program of nothing else would take for ever.
const LONG_RUN: usize = 32;

/// Whether the first bits tell that no instruction of two dwords starts with this dword, on any generation. That is so
/// for most dwords before jump targets. There are no branches, because the processor could not predict them.
#[inline]
fn is_plainly_short(word: u32) -> bool {
    // Codes from SDWA on announce a second dword, or are rare.
    let announces = |shift: u32| (word >> shift & 0xff >= SDWA) as u8;
    let announced = (announces(0) * FIRST_CODE) | (announces(8) * SECOND_CODE) | UNTOLD;
    TELLS[(word >> 23) as usize] & announced == 0
}

/// The bytes of a word, by its nine leading bits, that decide whether an instruction has two dwords: the low byte,
/// the byte above it, or others.
const TELLS: [u8; 512] = {
    let mut tells = [UNTOLD; 512];
    let mut lead = 0;
    while lead < 512 {
        tells[lead] = match lead {
            // SOPP, and SOPK except S_SETREG_IMM32_B32, have no source codes.
            0x17f | 0x160..=0x173 | 0x176..=0x17c => 0,
            // SOP1 and VOPC have one source code.
            0x17d | 0x0f8..=0x0fb => FIRST_CODE,
            // SOP2 and SOPC have two source codes.
            0x100..=0x15f | 0x17e => FIRST_CODE | SECOND_CODE,
            _ => UNTOLD,
        };
        lead += 1;
    }
    tells
};
const FIRST_CODE: u8 = 1;
const SECOND_CODE: u8 = 2;
const UNTOLD: u8 = 4;

const _: () = assert!(SDWA < DPP && DPP < LITERAL);

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program")
            .field("arch", &self.arch)
            .field("base", &format_args!("{:#x}", self.base))
            .field("entry", &format_args!("{:#x}", self.entry))
            .field("bytes", &self.bytes().len())
            .field("known", &self.known)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Low halves with all codes that announce a second dword, in either field, and some that announce none.
    const LOWS: [u32; 10] = [0, 0xff, 0xff00, 0x01ff, 0x00f9, 0x00fa, 0xf9fa, 0x80ff, 0x7e01, 0xffff];

    #[test]
    fn what_is_plainly_short_is_never_long() {
        let mut short = 0;
        for arch in Arch::ALL {
            for word in (0..=0xffff).flat_map(|high| LOWS.map(|low| high << 16 | low)) {
                let is_long = decode(arch, word, Some(0)).is_ok_and(|inst| inst.size() == 8);
                assert!(!(is_long && is_plainly_short(word)), "{arch} {word:08x}");
                short += u32::from(is_plainly_short(word));
            }
        }
        assert!(short > 300_000, "{short}");
    }

    /// Dwords of all kinds, with runs of long ones that are shorter and longer than the limit for counting them.
    #[test]
    fn interiors_are_those_of_a_sweep() {
        // `LONG` has s_mov_b32 and s_add_u32 with literals, `SHORT` s_nop and a dword that is no instruction.
        const LONG: [u32; 2] = [0xbe80_00ff, 0x8000_ff00];
        const SHORT: [u32; 2] = [0xbf80_0000, 0xffff_ffff];
        let runs = (0..70).flat_map(|run| [vec![LONG[run / 2 % 2]; run], vec![SHORT[run % 2]]]);
        let words: Vec<u32> = runs.flatten().collect();
        for start in 0..3 {
            let program = Program::from_words(Arch::Gcn14, &words[start..]);
            let (mut at, mut starts) = (0, vec![false; program.word_count()]);
            while at < starts.len() {
                starts[at] = true;
                at += program.decode_word(at).map_or(1, |inst| inst.size() as usize / 4);
            }
            for (index, is_start) in starts.iter().enumerate() {
                assert_eq!(program.is_interior(index), !is_start, "{start} {index}");
            }
            assert!(starts.iter().filter(|start| !**start).count() > 1000);
            assert!(!program.is_interior(starts.len()) && !program.is_interior(usize::MAX / 8));
        }
    }
}
