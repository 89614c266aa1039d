//! Guest code: bytes at a base address.

use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::arch::Arch;
use crate::decode::{DecodeError, decode};
use crate::inst::Inst;

/// A program to run: little-endian dwords at a guest address. Cheap to clone; shared by engines and threads.
#[derive(Clone)]
pub struct Program {
    arch: Arch,
    base: u64,
    entry: u64,
    code: Arc<dyn AsRef<[u8]> + Send + Sync>,
    /// Bit per dword: it lies inside an instruction of the linear sweep. Made when first asked for.
    interior: Arc<OnceLock<Box<[u64]>>>,
}

/// Why there is no instruction at an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FetchError {
    /// The address lies outside the program.
    #[error("pc-out-of-range: address {0:#x} lies outside the program")]
    OutOfRange(u64),
    /// The dwords there are no instruction.
    #[error(transparent)]
    Decode(#[from] DecodeError),
}

impl Program {
    /// Code bytes (a trailing partial dword is never fetched) for a generation, loaded at `base` (a multiple of 4), to be entered at
    /// byte offset `entry`.
    pub fn new(arch: Arch, code: Arc<dyn AsRef<[u8]> + Send + Sync>, base: u64, entry: u64) -> Program {
        Program { arch, base, entry: base.wrapping_add(entry), code, interior: Arc::default() }
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
    pub fn arch(&self) -> Arch {
        self.arch
    }

    /// Address of the first byte.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// Address of the first instruction to execute.
    pub fn entry(&self) -> u64 {
        self.entry
    }

    /// The code bytes.
    pub fn bytes(&self) -> &[u8] {
        (*self.code).as_ref()
    }

    /// Number of whole dwords.
    pub fn word_count(&self) -> usize {
        self.bytes().len() / 4
    }

    /// Index of the dword at an address, if it lies in the program. Low address bits are ignored.
    pub fn word_index(&self, pc: u64) -> Option<usize> {
        let index = pc.wrapping_sub(self.base) / 4;
        (index < self.word_count() as u64).then_some(index as usize)
    }

    /// Address of a dword.
    pub fn address(&self, word_index: usize) -> u64 {
        self.base.wrapping_add(4 * word_index as u64)
    }

    /// The dword with an index, if there is one.
    pub fn word(&self, word_index: usize) -> Option<u32> {
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

    /// Does the dword lie inside an instruction, as a sweep from the start of the program sees it (in which a dword that is
    /// no instruction counts as one of its own)? Blocks that begin at such a dword raise note `jump-into-literal`.
    pub fn is_interior(&self, word_index: usize) -> bool {
        let Some(before) = word_index.checked_sub(1) else { return false };
        if !self.is_long(before) {
            return false;
        }
        let bits = self.interior.get_or_init(|| self.sweep());
        bits.get(word_index / 64).is_some_and(|bits| bits >> (word_index % 64) & 1 == 1)
    }

    /// Does an instruction of two dwords start there?
    fn is_long(&self, word_index: usize) -> bool {
        let Some(word) = self.word(word_index) else { return false };
        let next = self.word(word_index + 1);
        decode(self.arch, word, next).is_ok_and(|inst| inst.size() == 8)
    }

    fn sweep(&self) -> Box<[u64]> {
        let count = self.word_count();
        let mut bits = vec![0u64; count.div_ceil(64)];
        let mut index = 0;
        while index < count {
            if self.is_long(index) {
                index += 1;
                bits[index / 64] |= 1 << (index % 64);
            }
            index += 1;
        }
        bits.into_boxed_slice()
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program")
            .field("arch", &self.arch)
            .field("base", &format_args!("{:#x}", self.base))
            .field("entry", &format_args!("{:#x}", self.entry))
            .field("bytes", &self.bytes().len())
            .finish()
    }
}
