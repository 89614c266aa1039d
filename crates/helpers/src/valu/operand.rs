//! Operands of lane functions: how a lane's value is read from registers and written to them.

use std::mem::MaybeUninit;

use gcnsim_isa::LANES;

use super::flags::Flags;
use crate::host::{CHUNK, Chunk};

/// A type of sources.
pub(crate) trait Operand: Copy {
    /// Number of registers; 0 if the source is absent.
    const DWORDS: usize;
    /// The sign bit that ABS and NEG change.
    const SIGN: u64;
    /// Whether the source is one half of a dword, or both, so that OP_SEL has a meaning.
    const HALVES: bool = false;

    /// Reads the value of lane `lane` of a chunk. Without `MODIFIED` the source has no modifiers.
    ///
    /// # Safety
    ///
    /// `source` was made for this type, and its lanes are still readable; `chunk` is below 4, `lane` below 16.
    unsafe fn read<const MODIFIED: bool>(source: &Source, chunk: usize, lane: usize) -> Self;

    /// The bits, if fast paths of floats take this type.
    fn bits(self) -> u64 {
        0
    }
}

/// A type of results.
pub(crate) trait Value: Copy {
    /// Number of registers.
    const DWORDS: usize;
    /// Whether the result has 16 bits, so that the register has another half.
    const IS_HALF: bool = false;

    /// Dword `i`.
    fn dword(self, i: usize) -> u32;

    /// Makes a value from the dwords of registers.
    fn from_dwords(dwords: impl Fn(usize) -> u32) -> Self;
}

/// A source of a helper: the lanes of registers, or a scalar that is first spread over a chunk.
#[derive(Clone, Copy)]
pub(crate) struct Source {
    lanes: *const u32,
    /// Number of dwords from a chunk to the next.
    chunk_step: usize,
    /// Number of dwords from a register to the next.
    register_step: usize,
    /// Right shifts that select the half, for the (low) result and for the high one.
    shifts: [u32; 2],
    /// The bits that ABS keeps.
    keep: u64,
    /// The bits that NEG flips, for the (low) result and for the high one.
    flips: [u64; 2],
    /// Whether a source of MIX is binary16.
    is_half: bool,
}

/// Room for a scalar of up to four dwords in each lane of a chunk.
#[repr(C, align(64))]
pub(crate) struct Spread([Chunk; 4]);

impl Source {
    /// Source `i` of type `T` of an instruction, from its tagged pointer.
    ///
    /// # Safety
    ///
    /// `tagged` keeps the contract of [`super::ValuHelper`] for a source of type `T`, unless the type is absent. Its
    /// target and `room` exist as long as the source is read.
    #[inline(always)]
    pub(crate) unsafe fn new<T: Operand, const MODIFIED: bool>(
        tagged: *const u32,
        i: usize,
        flags: Flags,
        room: &mut MaybeUninit<Spread>,
    ) -> Source {
        let mut source = Source {
            lanes: tagged,
            chunk_step: CHUNK,
            register_step: LANES,
            shifts: [0, 16],
            keep: !0,
            flips: [0; 2],
            is_half: false,
        };
        if T::DWORDS > 0 && tagged.addr() & 1 == 1 {
            let scalar = tagged.wrapping_byte_sub(1);
            let spread = room.as_mut_ptr().cast::<Chunk>();
            for dword in 0..T::DWORDS {
                // SAFETY: the caller's scalar has as many dwords as the type; a `Spread` has room for four.
                unsafe { spread.add(dword).write([*scalar.add(dword); CHUNK]) };
            }
            (source.lanes, source.chunk_step, source.register_step) = (spread.cast(), 0, CHUNK);
        }
        if MODIFIED {
            source.modify(T::SIGN, i, flags);
        }
        source
    }

    #[inline(always)]
    fn modify(&mut self, sign: u64, i: usize, flags: Flags) {
        self.shifts = [flags.op_sel(i), flags.op_sel_hi(i)].map(|upper| if upper { 16 } else { 0 });
        self.keep = if flags.abs(i) { !sign } else { !0 };
        self.flips = [flags.neg(i), flags.neg_hi(i)].map(|neg| if neg { sign } else { 0 });
        self.is_half = flags.op_sel_hi(i);
    }

    /// The lanes of registers, unless it is a scalar or has modifiers.
    #[inline(always)]
    pub(crate) fn registers(&self) -> Option<*const u32> {
        let is_plain = self.shifts[0] == 0 && self.keep == !0 && self.flips[0] == 0;
        (self.chunk_step == CHUNK && is_plain).then_some(self.lanes)
    }

    /// # Safety
    ///
    /// As for [`Operand::read`]; `register` is below the type's number of registers.
    #[inline(always)]
    unsafe fn dword(&self, register: usize, chunk: usize, lane: usize) -> u32 {
        // SAFETY: the caller promises that it lies within the register, or within the spread scalar.
        unsafe { *self.lanes.add(register * self.register_step + chunk * self.chunk_step + lane) }
    }

    /// # Safety
    ///
    /// As for [`Operand::read`].
    #[inline(always)]
    unsafe fn half<const MODIFIED: bool>(&self, result: usize, chunk: usize, lane: usize) -> u16 {
        // SAFETY: the caller promises this.
        let dword = unsafe { self.dword(0, chunk, lane) };
        if MODIFIED {
            (dword >> self.shifts[result]) as u16 & self.keep as u16 ^ self.flips[result] as u16
        } else {
            (dword >> (16 * result)) as u16
        }
    }
}

impl Operand for () {
    const DWORDS: usize = 0;
    const SIGN: u64 = 0;

    #[inline(always)]
    unsafe fn read<const MODIFIED: bool>(_: &Source, _: usize, _: usize) {}
}

impl Operand for u32 {
    const DWORDS: usize = 1;
    const SIGN: u64 = 1 << 31;

    #[inline(always)]
    unsafe fn read<const MODIFIED: bool>(source: &Source, chunk: usize, lane: usize) -> u32 {
        // SAFETY: the caller promises this.
        let dword = unsafe { source.dword(0, chunk, lane) };
        if MODIFIED { dword & source.keep as u32 ^ source.flips[0] as u32 } else { dword }
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        self as u64
    }
}

/// The low half of a register, or the half that OP_SEL selects.
impl Operand for u16 {
    const DWORDS: usize = 1;
    const SIGN: u64 = 1 << 15;
    const HALVES: bool = true;

    #[inline(always)]
    unsafe fn read<const MODIFIED: bool>(source: &Source, chunk: usize, lane: usize) -> u16 {
        // SAFETY: the caller promises this.
        unsafe { source.half::<MODIFIED>(0, chunk, lane) }
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        self as u64
    }
}

/// VOP3P: the halves for the low and for the high result.
impl Operand for [u16; 2] {
    const DWORDS: usize = 1;
    const SIGN: u64 = 1 << 15;
    const HALVES: bool = true;

    #[inline(always)]
    unsafe fn read<const MODIFIED: bool>(source: &Source, chunk: usize, lane: usize) -> [u16; 2] {
        // SAFETY: the caller promises this.
        unsafe { [source.half::<MODIFIED>(0, chunk, lane), source.half::<MODIFIED>(1, chunk, lane)] }
    }
}

/// A source of MIX: binary32, or binary16 that has to be widened. ABS and NEG have been applied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mixed {
    /// The bits. Binary16 is in the low half, with zeros above.
    pub bits: u32,
    /// Whether it is binary16.
    pub is_half: bool,
}

/// A source of this type is always read with `MODIFIED`.
impl Operand for Mixed {
    const DWORDS: usize = 1;
    /// The sign bit of binary16. That of binary32 is 16 bits further up.
    const SIGN: u64 = 1 << 15;
    const HALVES: bool = true;

    #[inline(always)]
    unsafe fn read<const MODIFIED: bool>(source: &Source, chunk: usize, lane: usize) -> Mixed {
        // SAFETY: the caller promises this.
        let dword = unsafe { source.dword(0, chunk, lane) };
        let (keep, flip) = (source.keep as u32, source.flips[0] as u32);
        let bits = if source.is_half {
            dword >> source.shifts[0] & 0xffff & keep ^ flip
        } else {
            dword & keep.rotate_left(16) ^ flip << 16
        };
        Mixed { bits, is_half: source.is_half }
    }
}

impl Operand for u64 {
    const DWORDS: usize = 2;
    const SIGN: u64 = 1 << 63;

    #[inline(always)]
    unsafe fn read<const MODIFIED: bool>(source: &Source, chunk: usize, lane: usize) -> u64 {
        // SAFETY: the caller promises this.
        let [lo, hi] = unsafe { [0, 1].map(|i| source.dword(i, chunk, lane) as u64) };
        let whole = lo | hi << 32;
        if MODIFIED { whole & source.keep ^ source.flips[0] } else { whole }
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        self
    }
}

/// This type has no modifiers.
impl Operand for [u32; 4] {
    const DWORDS: usize = 4;
    const SIGN: u64 = 0;

    #[inline(always)]
    unsafe fn read<const MODIFIED: bool>(source: &Source, chunk: usize, lane: usize) -> [u32; 4] {
        // SAFETY: the caller promises this.
        unsafe { [0, 1, 2, 3].map(|i| source.dword(i, chunk, lane)) }
    }
}

impl Value for u32 {
    const DWORDS: usize = 1;

    #[inline(always)]
    fn dword(self, _: usize) -> u32 {
        self
    }

    #[inline(always)]
    fn from_dwords(dwords: impl Fn(usize) -> u32) -> Self {
        dwords(0)
    }
}

impl Value for u16 {
    const DWORDS: usize = 1;
    const IS_HALF: bool = true;

    #[inline(always)]
    fn dword(self, _: usize) -> u32 {
        self as u32
    }

    #[inline(always)]
    fn from_dwords(dwords: impl Fn(usize) -> u32) -> Self {
        dwords(0) as u16
    }
}

/// A low and a high result.
impl Value for [u16; 2] {
    const DWORDS: usize = 1;

    #[inline(always)]
    fn dword(self, _: usize) -> u32 {
        self[0] as u32 | (self[1] as u32) << 16
    }

    #[inline(always)]
    fn from_dwords(dwords: impl Fn(usize) -> u32) -> Self {
        [dwords(0) as u16, (dwords(0) >> 16) as u16]
    }
}

impl Value for u64 {
    const DWORDS: usize = 2;

    #[inline(always)]
    fn dword(self, i: usize) -> u32 {
        (self >> (32 * i)) as u32
    }

    #[inline(always)]
    fn from_dwords(dwords: impl Fn(usize) -> u32) -> Self {
        dwords(0) as u64 | (dwords(1) as u64) << 32
    }
}

impl Value for [u32; 4] {
    const DWORDS: usize = 4;

    #[inline(always)]
    fn dword(self, i: usize) -> u32 {
        self[i]
    }

    #[inline(always)]
    fn from_dwords(dwords: impl Fn(usize) -> u32) -> Self {
        [0, 1, 2, 3].map(dwords)
    }
}
