//! Makes helpers of lane functions: the loop over lanes is here, once for all instructions.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use gcnsim_isa::{LANES, Vgpr};

use super::flags::Flags;
use super::float;
use super::lane::{
    Controlled, Float, FloatMask, LaneControl, LaneFn, LaneMode, Noting, PackedControlled, PackedFloat, PackedPure,
    Pure, Style, conjure,
};
use super::operand::{Operand, Source, Spread, Value};
use super::{Control, ValuHelper};
use crate::Level;
use crate::host::{CHUNK, Chunk, Host, by_level};

/// Chooses among the helpers of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    /// The level.
    pub level: Level,
    /// Whether the helper looks at [`Control::flags`].
    pub modified: bool,
}

impl Choice {
    /// The helper of a function of sources alone.
    pub fn pure<A: 'static, R: 'static, F: LaneFn<Pure<A, R>>>(self, function: F) -> ValuHelper {
        self.helper::<Pure<A, R>, F>(function)
    }

    /// The helper of a function that may look at the lane number, the mask that the instruction reads, and CLAMP.
    pub fn controlled<A: 'static, R: 'static, F: LaneFn<Controlled<A, R>>>(self, function: F) -> ValuHelper {
        self.helper::<Controlled<A, R>, F>(function)
    }

    /// The helper of such a function that may raise notes.
    pub fn noting<A: 'static, R: 'static, F: LaneFn<Noting<A, R>>>(self, function: F) -> ValuHelper {
        self.helper::<Noting<A, R>, F>(function)
    }

    /// The helper of a function of floats.
    pub fn float<A: 'static, R: 'static, F: LaneFn<Float<A, R>>>(self, function: F) -> ValuHelper {
        self.helper::<Float<A, R>, F>(function)
    }

    /// The helper of a function of floats that reads a lane mask.
    pub fn float_mask<A: 'static, R: 'static, F: LaneFn<FloatMask<A, R>>>(self, function: F) -> ValuHelper {
        self.helper::<FloatMask<A, R>, F>(function)
    }

    /// The helper of a function of floats in one half.
    pub fn packed_float<A: 'static, F: LaneFn<PackedFloat<A>>>(self, function: F) -> ValuHelper {
        self.helper::<PackedFloat<A>, F>(function)
    }

    /// The helper of a function of one half, of sources alone.
    pub fn packed<A: 'static, F: LaneFn<PackedPure<A>>>(self, function: F) -> ValuHelper {
        self.helper::<PackedPure<A>, F>(function)
    }

    /// The helper of a function of one half that may look at CLAMP.
    pub fn packed_controlled<A: 'static, F: LaneFn<PackedControlled<A>>>(self, function: F) -> ValuHelper {
        self.helper::<PackedControlled<A>, F>(function)
    }

    /// The helper of a lane function. With modifiers, which are rare on integers, there is one for all levels. The same
    /// is true of floats, whose levels differ only in their fast paths.
    fn helper<M: 'static, F: LaneFn<M>>(self, _: F) -> ValuHelper {
        if F::STYLE == Style::Float || F::TAKES_MODIFIERS && self.modified {
            return portable::<Function<M, F, true>>;
        }
        run::<Function<M, F, false>>(self.level)
    }
}

/// The body of a helper.
pub(super) trait Body: 'static {
    /// Runs the helper.
    ///
    /// # Safety
    ///
    /// As [`ValuHelper`] says.
    unsafe fn run<H: Host>(
        host: H,
        d: *mut u32,
        s0: *const u32,
        s1: *const u32,
        s2: *const u32,
        exec: u64,
        control: *mut Control,
    ) -> u64;
}

/// The body of a lane function.
struct Function<M, F, const MODIFIED: bool>(PhantomData<(M, F)>);

by_level! {
    /// The helper that runs a body.
    pub(super) fn run, portable[B: Body][B] -> ValuHelper:
    extern "C" fn(
        d: *mut u32,
        s0: *const u32,
        s1: *const u32,
        s2: *const u32,
        exec: u64,
        control: *mut Control,
    ) -> u64 = |host| B::run(host, d, s0, s1, s2, exec, control)
}

/// The sources, and everything else that a lane needs.
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
    /// The sources are as [`Source::new`] requires them, and still exist. `chunk` is below 4, `lane` below 16.
    #[inline(always)]
    unsafe fn read<const MODIFIED: bool>(&self, chunk: usize, lane: usize) -> (F::S0, F::S1, F::S2) {
        let [s0, s1, s2] = &self.sources;
        // SAFETY: the caller promises this.
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
        // SAFETY: the caller promises this.
        let sources = unsafe { self.read::<MODIFIED>(chunk, lane) };
        self.function.call(self.mode, control, sources, notes)
    }
}

/// Results of a chunk.
#[derive(Clone, Copy)]
struct Results {
    /// Values by register.
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

/// All sources of a chunk's lanes are read before its results are written, and no two lanes share a dword. So a
/// destination may overlap sources in any way.
impl<M: 'static, F: LaneFn<M>, const MODIFIED: bool> Body for Function<M, F, MODIFIED> {
    #[inline(always)]
    unsafe fn run<H: Host>(
        host: H,
        d: *mut u32,
        s0: *const u32,
        s1: *const u32,
        s2: *const u32,
        exec: u64,
        control: *mut Control,
    ) -> u64 {
        let mut room = [const { MaybeUninit::<Spread>::uninit() }; 3];
        let [room0, room1, room2] = &mut room;
        // SAFETY: the contract of helpers requires this of the caller.
        let control = unsafe { &mut *control };
        let flags = if MODIFIED { Flags(control.flags) } else { Flags(0) };
        // SAFETY: the contract of helpers; the room outlives the sources.
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
        // SAFETY: the contract of helpers requires this of the caller.
        let whole = unsafe { fast::<M, F, MODIFIED>(&lanes, control) };
        let (mut notes, mut mask) = (0, 0);
        for chunk in 0..LANES / CHUNK {
            let active = (exec >> (chunk * CHUNK)) as u16;
            if active == 0 {
                continue;
            }
            // SAFETY: the contract of helpers requires this of the caller.
            unsafe {
                let mut results = match (F::STYLE, &whole) {
                    (Style::All, _) => all::<M, F, MODIFIED>(&lanes, chunk, active, &mut notes),
                    (Style::Float, Some(whole)) => whole.results::<M, F>(&lanes, chunk, active, &mut notes),
                    (Style::Float, None) => one_by_one::<M, F, MODIFIED>(&lanes, chunk, active, &mut notes),
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
                        host.write(lanes, values, active);
                    }
                }
                if F::HAS_MASK {
                    mask |= u64::from(host.bits(&results.bits)) << (chunk * CHUNK);
                }
            }
        }
        if notes != 0 {
            control.raise(notes);
        }
        mask & exec
    }
}

/// Computes a chunk for [`Style::All`].
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
        // SAFETY: the caller promises this.
        let (value, bit) = unsafe { lanes.call::<MODIFIED>(chunk, lane, &mut noted) };
        results.set(lane, value, bit);
        *notes |= if active as u32 >> lane & 1 == 1 { noted } else { 0 };
    }
    results
}

/// Computes a chunk for [`Style::Float`], without a fast path.
///
/// # Safety
///
/// As for [`Lanes::read`].
#[inline(always)]
unsafe fn one_by_one<M, F: LaneFn<M>, const MODIFIED: bool>(
    lanes: &Lanes<'_, M, F>,
    chunk: usize,
    mut active: u16,
    notes: &mut u32,
) -> Results {
    let mut results = Results { values: [[0; CHUNK]; 4], bits: [0; CHUNK] };
    while active != 0 {
        let lane = active.trailing_zeros() as usize;
        active &= active - 1;
        // SAFETY: the caller promises this.
        let (value, bit) = unsafe { lanes.call::<MODIFIED>(chunk, lane, notes) };
        results.set(lane, F::finish(lanes.mode, value, notes), bit);
    }
    results
}

/// The registers that a fast path wrote.
struct Whole([Vgpr; 2]);

impl Whole {
    /// The results of a chunk. This applies OMOD and CLAMP.
    #[inline(always)]
    fn results<M, F: LaneFn<M>>(&self, lanes: &Lanes<'_, M, F>, chunk: usize, active: u16, notes: &mut u32) -> Results {
        let mut results = Results { values: [[0; CHUNK]; 4], bits: [0; CHUNK] };
        for lane in 0..CHUNK {
            let mut noted = 0;
            let value = F::D::from_dwords(|i| self.0[i & 1].0[chunk * CHUNK + lane]);
            results.set(lane, F::finish(lanes.mode, value, &mut noted), false);
            *notes |= if active as u32 >> lane & 1 == 1 { noted } else { 0 };
        }
        results
    }
}

/// Calls the fast path of the control block. `None` if there is none, or if it declines.
///
/// # Safety
///
/// As for [`Lanes::read`]. The control block's fast path is one for `F`.
#[inline(always)]
unsafe fn fast<M, F: LaneFn<M>, const MODIFIED: bool>(lanes: &Lanes<'_, M, F>, control: &Control) -> Option<Whole> {
    let mode = lanes.mode.float()?;
    if F::STYLE != Style::Float {
        return None;
    }
    let path = control.fast?;
    let mut room = [const { MaybeUninit::<[Vgpr; 2]>::uninit() }; 3];
    let [room0, room1, room2] = &mut room;
    let mut d = Whole([Vgpr([0; LANES]); 2]);
    // SAFETY: by the caller's promise, the registers or the room are what a fast path for `F` requires.
    let is_right = unsafe {
        let s0 = whole_source::<F::S0, MODIFIED>(&lanes.sources[0], room0);
        let s1 = whole_source::<F::S1, MODIFIED>(&lanes.sources[1], room1);
        let s2 = whole_source::<F::S2, MODIFIED>(&lanes.sources[2], room2);
        if F::D::DWORDS == 2 {
            let path = std::mem::transmute::<float::fast::Fast, float::fast::Fast64>(path);
            path(mode, &*s0.cast(), &*s1.cast(), &*s2.cast(), &mut *d.0.as_mut_ptr().cast())
        } else {
            path(mode, &*s0.cast(), &*s1.cast(), &*s2.cast(), &mut d.0[0].0)
        }
    };
    is_right.then_some(d)
}

/// A source as whole registers. If it is not that already, it is copied to the room.
///
/// # Safety
///
/// As for [`Operand::read`].
#[inline(always)]
unsafe fn whole_source<T: Operand, const MODIFIED: bool>(
    source: &Source,
    room: &mut MaybeUninit<[Vgpr; 2]>,
) -> *const u32 {
    if let (Some(registers), true) = (source.registers(), T::DWORDS > 0) {
        return registers;
    }
    let room = room.write([Vgpr([0; LANES]); 2]);
    for lane in 0..LANES {
        // SAFETY: the caller promises this.
        let bits = unsafe { T::read::<MODIFIED>(source, lane / CHUNK, lane % CHUNK) }.bits();
        room[0].0[lane] = bits as u32;
        room[1].0[lane] = (bits >> 32) as u32;
    }
    room.as_ptr().cast()
}

/// Moves 16-bit results to the half that the modifiers name, beside the half that is kept. Returns notes.
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
        // SAFETY: the caller promises this.
        let old = unsafe { *d.add(lane) };
        upper |= if active as u32 >> lane & 1 == 1 { old >> 16 } else { 0 };
        *result = old & kept | *result << shift;
    }
    if upper != 0 { flags.half_note() } else { 0 }
}
