//! From lane functions to kernels: the loop over the lanes, once for all instructions.

use std::mem::MaybeUninit;

use gcnsim_isa::LANES;

use super::flags::Flags;
use super::lane::{
    Controlled, LaneControl, LaneFn, LaneMode, Noting, PackedControlled, PackedPure, Pure, Style, conjure,
};
use super::operand::{Operand, Source, Spread, Value};
#[cfg(target_arch = "x86_64")]
use super::simd::{Avx2, Avx512};
use super::simd::{CHUNK, Chunk, Portable, Simd};
use super::{Control, ValuKernel};
use crate::kernels::Level;

/// Which kernel of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    /// Of this level.
    pub level: Level,
    /// It looks at [`Control::flags`].
    pub modified: bool,
}

impl Choice {
    /// Of a function of sources alone.
    pub fn pure<A: 'static, R: 'static, F: LaneFn<Pure<A, R>>>(self, function: F) -> ValuKernel {
        self.kernel::<Pure<A, R>, F>(function)
    }

    /// Of a function that may look at the lane number, the mask that the instruction reads, and CLAMP.
    pub fn controlled<A: 'static, R: 'static, F: LaneFn<Controlled<A, R>>>(self, function: F) -> ValuKernel {
        self.kernel::<Controlled<A, R>, F>(function)
    }

    /// Likewise of one that may raise notes.
    pub fn noting<A: 'static, R: 'static, F: LaneFn<Noting<A, R>>>(self, function: F) -> ValuKernel {
        self.kernel::<Noting<A, R>, F>(function)
    }

    /// Of a function of one half, of sources alone.
    pub fn packed<A: 'static, F: LaneFn<PackedPure<A>>>(self, function: F) -> ValuKernel {
        self.kernel::<PackedPure<A>, F>(function)
    }

    /// Of a function of one half that may look at CLAMP.
    pub fn packed_controlled<A: 'static, F: LaneFn<PackedControlled<A>>>(self, function: F) -> ValuKernel {
        self.kernel::<PackedControlled<A>, F>(function)
    }

    /// The kernel of a lane function.
    ///
    /// Lane functions that run lane by lane have one for all levels.
    fn kernel<M: 'static, F: LaneFn<M>>(self, _: F) -> ValuKernel {
        let level = if F::STYLE == Style::Active { Level::Portable } else { self.level };
        // A function that needs CPU features leaves here only if the CPU has them; its callers need not know.
        match (level, self.modified) {
            #[cfg(target_arch = "x86_64")]
            (Level::Avx2, false) if level.is_available() => avx2::<M, F, false>,
            #[cfg(target_arch = "x86_64")]
            (Level::Avx2, true) if level.is_available() => avx2::<M, F, true>,
            #[cfg(target_arch = "x86_64")]
            (Level::Avx512, false) if level.is_available() => avx512::<M, F, false>,
            #[cfg(target_arch = "x86_64")]
            (Level::Avx512, true) if level.is_available() => avx512::<M, F, true>,
            (_, false) => portable::<M, F, false>,
            (_, true) => portable::<M, F, true>,
        }
    }
}

macro_rules! entry {
    ($(#[$attribute:meta])* $name:ident $Level:ty) => {
        $(#[$attribute])*
        unsafe extern "C" fn $name<M, F: LaneFn<M>, const MODIFIED: bool>(
            d: *mut u32,
            s0: *const u32,
            s1: *const u32,
            s2: *const u32,
            exec: u64,
            control: *mut Control,
        ) -> u64 {
            // SAFETY: the contract of `ValuKernel`.
            unsafe { run::<M, F, $Level, MODIFIED>(d, s0, s1, s2, exec, control) }
        }
    };
}

entry! { portable Portable }
#[cfg(target_arch = "x86_64")]
entry! { #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma,f16c")] avx2 Avx2 }
#[cfg(target_arch = "x86_64")]
entry! {
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,bmi1,bmi2,lzcnt,popcnt,fma,f16c")]
    avx512 Avx512
}

/// The sources and what else a lane needs.
struct Lanes<'a, M, F: LaneFn<M>> {
    function: F,
    mode: &'a F::Mode,
    sources: [Source; 3],
    mask: u64,
    clamp: bool,
}

impl<M, F: LaneFn<M>> Clone for Lanes<'_, M, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M, F: LaneFn<M>> Copy for Lanes<'_, M, F> {}

impl<M, F: LaneFn<M>> Lanes<'_, M, F> {
    /// # Safety
    ///
    /// The sources are as [`Source::new`] wants them, and still there; `chunk` is below 4, `lane` below 16.
    #[inline(always)]
    unsafe fn read<const MODIFIED: bool>(&self, chunk: usize, lane: usize) -> (F::S0, F::S1, F::S2) {
        let [s0, s1, s2] = &self.sources;
        // SAFETY: the caller's promise.
        unsafe {
            (
                F::S0::read::<MODIFIED>(s0, chunk, lane),
                F::S1::read::<MODIFIED>(s1, chunk, lane),
                F::S2::read::<MODIFIED>(s2, chunk, lane),
            )
        }
    }

    /// # Safety
    ///
    /// As for [`Lanes::read`].
    #[inline(always)]
    unsafe fn call<const MODIFIED: bool>(&self, chunk: usize, lane: usize, notes: &mut u32) -> (F::D, bool) {
        let number = (chunk * CHUNK + lane) as u32;
        let mask = (self.mask >> (chunk * CHUNK)) as u16 as u32 >> lane & 1 == 1;
        let control = LaneControl { lane: number, mask, clamp: MODIFIED && self.clamp };
        // SAFETY: the caller's promise.
        let sources = unsafe { self.read::<MODIFIED>(chunk, lane) };
        self.function.call(self.mode, control, sources, notes)
    }
}

/// Results of a chunk.
#[derive(Clone, Copy)]
struct Results {
    /// By register.
    values: [Chunk; 4],
    /// Bits of the mask result, 0 or 1.
    bits: Chunk,
}

impl Results {
    #[inline(always)]
    fn set<D: Value>(&mut self, lane: usize, value: D, bit: bool) {
        for i in 0..D::DWORDS {
            self.values[i][lane] = value.dword(i);
        }
        self.bits[lane] = bit as u32;
    }
}

/// A kernel. All sources of a chunk's lanes are read before its results are written, and no lane's registers are another
/// lane's, so that a destination may overlap sources in any way.
///
/// # Safety
///
/// As [`ValuKernel`] says. The CPU has the features of `S`.
#[inline(always)]
unsafe fn run<M, F: LaneFn<M>, S: Simd, const MODIFIED: bool>(
    d: *mut u32,
    s0: *const u32,
    s1: *const u32,
    s2: *const u32,
    exec: u64,
    control: *mut Control,
) -> u64 {
    let mut room = [const { MaybeUninit::<Spread>::uninit() }; 3];
    let [room0, room1, room2] = &mut room;
    // SAFETY: the contract of kernels.
    let control = unsafe { &mut *control };
    let flags = if MODIFIED { Flags(control.flags) } else { Flags(0) };
    // SAFETY: the contract of kernels; the room outlives the sources.
    let sources = unsafe {
        [
            Source::new::<F::S0, MODIFIED>(s0, 0, flags, room0),
            Source::new::<F::S1, MODIFIED>(s1, 1, flags, room1),
            Source::new::<F::S2, MODIFIED>(s2, 2, flags, room2),
        ]
    };
    let mode = F::Mode::of::<MODIFIED>(control);
    let lanes: Lanes<'_, M, F> =
        Lanes { function: conjure(), mode: &mode, sources, mask: control.mask_in, clamp: flags.clamp() };
    let (mut notes, mut mask) = (0, 0);
    for chunk in 0..LANES / CHUNK {
        let active = (exec >> (chunk * CHUNK)) as u16;
        if active == 0 {
            continue;
        }
        // SAFETY: the contract of kernels.
        unsafe {
            let mut results = match F::STYLE {
                Style::All => all::<M, F, MODIFIED>(&lanes, chunk, active, &mut notes),
                Style::FastThenExact => fast_then_exact::<M, F, S, MODIFIED>(&lanes, chunk, active, &mut notes),
                Style::Active => {
                    let mut results = Results { values: [[0; CHUNK]; 4], bits: [0; CHUNK] };
                    notes |= exact::<M, F, MODIFIED>(&lanes, chunk, active, &mut results);
                    results
                }
            };
            let first = d.add(chunk * CHUNK);
            if MODIFIED && F::D::IS_HALF {
                notes |= place_half(first, &mut results.values[0], flags, active);
            }
            for (i, values) in results.values[..F::D::DWORDS].iter().enumerate() {
                let lanes = first.add(i * LANES);
                if active == u16::MAX {
                    lanes.cast::<Chunk>().write(*values);
                } else {
                    S::write(lanes, values, active);
                }
            }
            if F::HAS_MASK {
                mask |= u64::from(S::bits(&results.bits)) << (chunk * CHUNK);
            }
        }
    }
    if notes != 0 {
        control.raise(notes);
    }
    mask & exec
}

/// [`Style::All`].
///
/// # Safety
///
/// As for [`Lanes::read`].
#[inline(always)]
unsafe fn all<M, F: LaneFn<M>, const MODIFIED: bool>(
    lanes: &Lanes<'_, M, F>,
    chunk: usize,
    active: u16,
    notes: &mut u32,
) -> Results {
    let mut results = Results { values: [[0; CHUNK]; 4], bits: [0; CHUNK] };
    for lane in 0..CHUNK {
        let mut noted = 0;
        // SAFETY: the caller's promise.
        let (value, bit) = unsafe { lanes.call::<MODIFIED>(chunk, lane, &mut noted) };
        results.set(lane, value, bit);
        *notes |= if active as u32 >> lane & 1 == 1 { noted } else { 0 };
    }
    results
}

/// [`Style::FastThenExact`].
///
/// # Safety
///
/// As for [`Lanes::read`]. The CPU has the features of `S`.
#[inline(always)]
unsafe fn fast_then_exact<M, F: LaneFn<M>, S: Simd, const MODIFIED: bool>(
    lanes: &Lanes<'_, M, F>,
    chunk: usize,
    active: u16,
    notes: &mut u32,
) -> Results {
    let mut results = Results { values: [[0; CHUNK]; 4], bits: [0; CHUNK] };
    let mut wrong = [1; CHUNK];
    for lane in 0..CHUNK {
        // SAFETY: the caller's promise.
        let sources = unsafe { lanes.read::<MODIFIED>(chunk, lane) };
        if let Some((value, bit, is_right)) = lanes.function.fast(lanes.mode, sources) {
            results.set(lane, value, bit);
            wrong[lane] = !is_right as u32;
        }
    }
    // SAFETY: the caller's promise.
    let wrong = unsafe { S::bits(&wrong) } & active;
    if wrong != 0 {
        // A copy, so that the results above need not be in memory.
        let mut mended = results;
        // SAFETY: the caller's promise.
        *notes |= unsafe { exact::<M, F, MODIFIED>(lanes, chunk, wrong, &mut mended) };
        results = mended;
    }
    results
}

/// The lanes of `wanted` one by one; returns their notes.
///
/// # Safety
///
/// As for [`Lanes::read`].
#[inline(never)]
unsafe fn exact<M, F: LaneFn<M>, const MODIFIED: bool>(
    lanes: &Lanes<'_, M, F>,
    chunk: usize,
    mut wanted: u16,
    results: &mut Results,
) -> u32 {
    let mut notes = 0;
    while wanted != 0 {
        let lane = wanted.trailing_zeros() as usize;
        wanted &= wanted - 1;
        // SAFETY: the caller's promise.
        let (value, bit) = unsafe { lanes.call::<MODIFIED>(chunk, lane, &mut notes) };
        results.set(lane, value, bit);
    }
    notes
}

/// Puts 16-bit results where the modifiers want them, beside the half that is kept; returns notes.
///
/// # Safety
///
/// `d` is 16 readable dwords.
#[inline(always)]
unsafe fn place_half(d: *const u32, results: &mut Chunk, flags: Flags, active: u16) -> u32 {
    let shift = if flags.writes_upper_half() { 16 } else { 0 };
    let kept = match (flags.writes_upper_half(), flags.keeps_upper_half()) {
        (true, _) => 0xffff,
        (false, true) => 0xffff_0000,
        (false, false) => 0,
    };
    let mut upper = 0;
    for (lane, result) in results.iter_mut().enumerate() {
        // SAFETY: the caller's promise.
        let old = unsafe { *d.add(lane) };
        upper |= if active as u32 >> lane & 1 == 1 { old >> 16 } else { 0 };
        *result = old & kept | *result << shift;
    }
    if upper != 0 { flags.half_note() } else { 0 }
}
