//! Compares: tests of the numbers of a lane, which give one bit (docs/gcn/compares.md).
//!
//! A test has a helper for each operand type and base predicate, which takes modifiers and any sources, and a
//! [`Direct`] function for each usual kind of sources. [`Chosen::complement`] says that the caller wants the other
//! lanes of EXEC: O, NGE, NLG, NGT, NLE, NEQ, NLT are the complements of U, GE, LG, GT, LE, EQ, LT. F and TRU have no
//! helper.
//!
//! Operands are brought to a form in which the compiler vectorises the loop over lanes: dwords stay where they are,
//! 16-bit numbers are packed to words, the halves of binary64 are joined. (64-bit integers are compared by halves.) The
//! results are as wide as the operands, all ones or zeros. The level makes a mask of them.
//!
//! # Denormals
//!
//! LT, LE, EQ, LG, GT and GE on floats obey MODE: with bit 4 (f32) or bit 6 (f64, f16) clear, a denormal source counts
//! as zero, and [`CMP_DENORM_FLUSH`] is raised if that changes the result of a lane of EXEC. U and CLASS never look at
//! MODE. Nothing here changes the host's MXCSR; it must have DAZ clear, as Rust requires of all code.

mod numbers;

use std::hint::black_box;
use std::marker::PhantomData;
use std::ptr::{null_mut, with_exposed_provenance};

use gcnsim_isa::table::Vopc;
use gcnsim_isa::{Inst, LANES, Mode, OperandType, Pred, Src};

use super::flags::Flags;
use super::machine::{self, Body};
use super::notes::CMP_DENORM_FLUSH;
use super::operand::Operand;
use super::{Chosen, Control, Direct, DirectFn, ValuHelper};
use crate::Level;
use crate::host::lanes::lanes_of;
use crate::host::{Bools, Host, by_level};
use numbers::{F16, F32, F64, I16, I32, I64, Number, U16, U32, U64};

/// A source of a known kind, [`Registers`] or a [`Scalar`].
trait Lanes: Copy {
    /// The dword of a lane. `register` is 0 or 1, `lane` below 64.
    fn dword(self, register: usize, lane: usize) -> u32;

    /// The low or high words of a register, in the level's order.
    fn words<const HIGH: bool>(self, host: impl Host, register: usize) -> [u16; LANES];

    /// The numbers of two registers, in the level's order.
    fn qwords(self, host: impl Host) -> [u64; LANES];
}

/// The lanes of two registers. Of sources with one, that is both.
#[derive(Clone, Copy)]
struct Registers<'a>([&'a [u32; LANES]; 2]);

/// A source with the same value in all lanes.
#[derive(Clone, Copy)]
struct Scalar([u32; 2]);

impl Lanes for Registers<'_> {
    #[inline(always)]
    fn dword(self, register: usize, lane: usize) -> u32 {
        self.0[register][lane]
    }

    #[inline(always)]
    fn words<const HIGH: bool>(self, host: impl Host, register: usize) -> [u16; LANES] {
        host.words::<HIGH>(self.0[register])
    }

    #[inline(always)]
    fn qwords(self, host: impl Host) -> [u64; LANES] {
        host.qwords(self.0)
    }
}

impl Lanes for Scalar {
    #[inline(always)]
    fn dword(self, register: usize, _: usize) -> u32 {
        self.0[register]
    }

    #[inline(always)]
    fn words<const HIGH: bool>(self, _: impl Host, register: usize) -> [u16; LANES] {
        [(self.0[register] >> if HIGH { 16 } else { 0 }) as u16; LANES]
    }

    #[inline(always)]
    fn qwords(self, _: impl Host) -> [u64; LANES] {
        [self.0[0] as u64 | (self.0[1] as u64) << 32; LANES]
    }
}

impl Registers<'_> {
    /// # Safety
    ///
    /// `lanes` is as [`ValuHelper`] says, for a source of type `T` that is no scalar.
    #[inline(always)]
    unsafe fn at<'a, T: Operand>(lanes: *const u32) -> Registers<'a> {
        // SAFETY: the caller promises that there are as many registers as the type has.
        Registers([0, T::DWORDS - 1].map(|i| unsafe { &*lanes.add(i * LANES).cast() }))
    }
}

impl Scalar {
    /// # Safety
    ///
    /// `tagged` is as [`ValuHelper`] says, for a scalar of type `T`.
    #[inline(always)]
    unsafe fn at<T: Operand>(tagged: *const u32) -> Scalar {
        // SAFETY: the caller promises that there are as many dwords as the type has.
        Scalar([0, T::DWORDS - 1].map(|i| unsafe { *tagged.wrapping_byte_sub(1).add(i) }))
    }

    #[inline(always)]
    fn of(bits: u64) -> Scalar {
        Scalar([bits as u32, (bits >> 32) as u32])
    }
}

/// A base predicate.
trait Order: 'static {
    /// The result for equal numbers.
    const OF_EQUALS: bool;

    fn test<T: PartialOrd>(a: &T, b: &T) -> bool;
}

macro_rules! orders {
    ($($Name:ident $of_equals:literal |$a:ident, $b:ident| $test:expr;)*) => {
        $(
            struct $Name;

            impl Order for $Name {
                const OF_EQUALS: bool = $of_equals;

                #[inline(always)]
                #[allow(clippy::eq_op)]
                fn test<T: PartialOrd>($a: &T, $b: &T) -> bool {
                    $test
                }
            }
        )*
    };
}

orders! {
    Lt false |a, b| a < b;
    Le true |a, b| a <= b;
    Eq true |a, b| a == b;
    Ne false |a, b| a != b;
    Lg false |a, b| (a < b) | (a > b);
    Gt false |a, b| a > b;
    Ge true |a, b| a >= b;
    U false |a, b| (a != a) | (b != b);
}

/// A type of floats.
trait Float: Number {
    /// The bit of MODE that keeps denormal sources.
    const KEEP_DENORMALS: u32;
    /// Exponent bits, in the high word.
    const EXPONENT: u16;
    /// Quiet bit of a NaN, the highest of the mantissa.
    const QUIET: u16;

    /// The high words of the numbers, and words that are zero if all other bits are.
    fn parts(host: impl Host, lanes: impl Lanes) -> impl Fn(usize) -> (u16, u16);

    /// Whether both sources of a lane are zeros or denormals.
    fn are_tiny(a: impl Lanes, b: impl Lanes, lane: usize) -> bool;
}

macro_rules! floats {
    ($($Name:ident $keep:ident $exponent:literal << $shift:literal $quiet:literal:
        |$host:ident, $lanes:ident| $parts:expr;)*) => {
        $(
            impl Float for $Name {
                const KEEP_DENORMALS: u32 = Mode::$keep;
                const EXPONENT: u16 = $exponent;
                const QUIET: u16 = $quiet;

                #[inline(always)]
                fn parts($host: impl Host, $lanes: impl Lanes) -> impl Fn(usize) -> (u16, u16) {
                    $parts
                }

                #[inline(always)]
                fn are_tiny(a: impl Lanes, b: impl Lanes, lane: usize) -> bool {
                    let top = <$Name as Number>::Bits::DWORDS - 1;
                    (a.dword(top, lane) | b.dword(top, lane)) & $exponent << $shift == 0
                }
            }
        )*
    };
}

floats! {
    F16 DENORM_IN_F64_F16 0x7c00 << 0 0x0200: |host, lanes| {
        let top = lanes.words::<false>(host, 0);
        move |i| (top[i], 0)
    };
    F32 DENORM_IN_F32 0x7f80 << 16 0x0040: |host, lanes| {
        let (top, low) = (lanes.words::<true>(host, 0), lanes.words::<false>(host, 0));
        move |i| (top[i], low[i])
    };
    F64 DENORM_IN_F64_F16 0x7ff0 << 16 0x0008: |host, lanes| {
        let (top, middle) = (lanes.words::<true>(host, 1), lanes.words::<false>(host, 1));
        let (high, low) = (lanes.words::<true>(host, 0), lanes.words::<false>(host, 0));
        move |i| (top[i], middle[i] | high[i] | low[i])
    };
}

/// The bit of a class mask that stands for the class of a number, given its [`parts`](Float::parts).
#[inline(always)]
fn class_bit<F: Float>((top, rest): (u16, u16)) -> u16 {
    let select = |condition: bool, yes: u16, no: u16| if condition { yes } else { no };
    let mantissa_is_zero = top & (2 * F::QUIET - 1) | rest == 0;
    // Each class but that of NaNs has a bit for either sign here; the bits that do not fit the sign are removed
    // below.
    let nan = select(top & F::QUIET != 0, 1 << 1, 1 << 0);
    let largest = select(mantissa_is_zero, 1 << 2 | 1 << 9, nan);
    let smallest = select(mantissa_is_zero, 1 << 5 | 1 << 6, 1 << 4 | 1 << 7);
    let normal = 1 << 3 | 1 << 8;
    let pair = select(top & F::EXPONENT == 0, smallest, select(top & F::EXPONENT == F::EXPONENT, largest, normal));
    pair & select((top as i16) < 0, 0b00_0011_1111, 0b11_1100_0011)
}

/// The index of the class bit of a number in [`CLASS_BITS`], for levels that look it up. It is computed from three
/// parts of the number:
///
/// - Exponent and quiet bit as one number, plus 2. The addition carries into the exponent, wraps the largest to 0 and
///   makes the smallest 1. The part is the minimum of that and 4: 0 or 1 (quiet) for the largest exponent, 2 or 3 for
///   the smallest, 4 for the others.
/// - 8 if the sign is set.
/// - 16 if the mantissa is not zero.
#[inline(always)]
fn class_index<F: Float>((top, rest): (u16, u16)) -> u16 {
    let shift = F::QUIET.trailing_zeros();
    let exponent = ((top >> shift).wrapping_add(2) & 0x7fff >> shift).min(4);
    let mantissa = if top & (2 * F::QUIET - 1) | rest != 0 { 16 } else { 0 };
    exponent | top >> 12 & 8 | mantissa
}

static CLASS_BITS: [u16; 32] = {
    let classes = [9, 1, 6, 6, 8, 8, 8, 8, 2, 1, 5, 5, 3, 3, 3, 3, 0, 1, 7, 7, 8, 8, 8, 8, 0, 1, 4, 4, 3, 3, 3, 3];
    let mut bits = [0; 32];
    let mut i = 0;
    while i < 32 {
        bits[i] = 1 << classes[i];
        i += 1;
    }
    bits
};

/// A test of two sources.
trait Test: 'static {
    /// The type of source 0.
    type S0: Operand;
    /// The type of source 1.
    type S1: Operand;

    /// Whether [`Test::pass`] looks at `exec`, `mode` and `control`.
    const FLUSHES: bool = false;

    /// One bit per lane: whether the sources pass.
    ///
    /// # Safety
    ///
    /// `control` may be written if the test flushes.
    unsafe fn pass<H: Host>(host: H, a: impl Lanes, b: impl Lanes, exec: u64, mode: u32, control: *mut Control) -> u64;
}

/// A base predicate of integers, or U.
struct Plain<N, P>(PhantomData<(N, P)>);
/// Another base predicate of floats.
struct Flushing<N, P>(PhantomData<(N, P)>);
/// CLASS: the bit of S1 that stands for the class of S0.
struct Class<N>(PhantomData<N>);

impl<N: Number, P: Order> Test for Plain<N, P> {
    type S0 = N::Bits;
    type S1 = N::Bits;

    #[inline(always)]
    unsafe fn pass<H: Host>(host: H, a: impl Lanes, b: impl Lanes, _: u64, _: u32, _: *mut Control) -> u64 {
        let (a, b) = (N::numbers(host, a), N::numbers(host, b));
        let [passed] = host.masks::<N::Bool, 1>(|i| [P::test(&a(i), &b(i))]);
        passed
    }
}

impl<N: Float, P: Order> Test for Flushing<N, P> {
    type S0 = N::Bits;
    type S1 = N::Bits;
    const FLUSHES: bool = true;

    #[inline(always)]
    unsafe fn pass<H: Host>(host: H, a: impl Lanes, b: impl Lanes, exec: u64, mode: u32, control: *mut Control) -> u64 {
        let are_tiny = |i| N::are_tiny(a, b, i);
        let keeps = mode & N::KEEP_DENORMALS != 0;
        let [kept, tiny] = if H::IS_WIDE && N::Bool::BITS == 32 && !keeps {
            // Both results in one loop, because the most common case is that MODE flushes binary32.
            let (a, b) = (N::numbers(host, a), N::numbers(host, b));
            host.masks::<N::Bool, 2>(|i| [P::test(&a(i), &b(i)), are_tiny(i)])
        } else {
            // SAFETY: the caller promises this.
            let kept = unsafe { Plain::<N, P>::pass(host, a, b, exec, mode, control) };
            if keeps || !(0..LANES).fold(false, |any, i| any | are_tiny(i)) {
                return kept;
            }
            let [tiny] = host.masks::<u32, 1>(|i| [are_tiny(i)]);
            [kept, tiny]
        };
        // Zeros and denormals are equal. (The order of a denormal and anything else is that of zero and the other.)
        let flushed = if P::OF_EQUALS { kept | tiny } else { kept & !tiny };
        if (kept ^ flushed) & exec != 0 {
            // SAFETY: the caller promises this.
            unsafe { &mut *control }.raise(CMP_DENORM_FLUSH);
        }
        flushed
    }
}

impl<N: Float> Test for Class<N> {
    type S0 = N::Bits;
    type S1 = u32;

    #[inline(always)]
    unsafe fn pass<H: Host>(host: H, a: impl Lanes, b: impl Lanes, _: u64, _: u32, _: *mut Control) -> u64 {
        let (parts, masks) = (N::parts(host, a), b.words::<false>(host, 0));
        let [passed] = if H::LOOKS_UP {
            let bits = host.look_up(&CLASS_BITS, &lanes_of!(i => class_index::<N>(parts(i))));
            host.masks::<u16, 1>(|i| [bits[i] & masks[i] != 0])
        } else {
            host.masks::<u16, 1>(|i| [class_bit::<N>(parts(i)) & masks[i] != 0])
        };
        passed
    }
}

/// Writes a source with its modifiers applied to each lane.
#[inline(always)]
fn prepare<T: Operand>(source: impl Lanes, i: usize, flags: Flags, room: &mut [[u32; LANES]; 2]) {
    let keep = if flags.abs(i) { !T::SIGN } else { !0 };
    let flip = if flags.neg(i) { T::SIGN } else { 0 };
    for (register, lanes) in room[..T::DWORDS].iter_mut().enumerate() {
        let [keep, flip] = [keep, flip].map(|mask| (mask >> (32 * register)) as u32);
        for (lane, x) in lanes.iter_mut().enumerate() {
            *x = source.dword(register, lane) & keep ^ flip;
        }
    }
}

/// The body of a test for sources that may be scalars or have modifiers.
struct Compare<T>(PhantomData<T>);

impl<T: Test> Body for Compare<T> {
    #[inline(always)]
    unsafe fn run<H: Host>(
        host: H,
        _: *mut u32,
        s0: *const u32,
        s1: *const u32,
        _: *const u32,
        exec: u64,
        control: *mut Control,
    ) -> u64 {
        // SAFETY: the contract of helpers requires this of the caller.
        unsafe {
            let (flags, mode) = (Flags((*control).flags), (*control).mode);
            let mut rooms = [[[0; LANES]; 2]; 2];
            match s0.addr() & 1 {
                0 => prepare::<T::S0>(Registers::at::<T::S0>(s0), 0, flags, &mut rooms[0]),
                _ => prepare::<T::S0>(Scalar::at::<T::S0>(s0), 0, flags, &mut rooms[0]),
            }
            match s1.addr() & 1 {
                0 => prepare::<T::S1>(Registers::at::<T::S1>(s1), 1, flags, &mut rooms[1]),
                _ => prepare::<T::S1>(Scalar::at::<T::S1>(s1), 1, flags, &mut rooms[1]),
            }
            if T::S0::DWORDS == 2 {
                // The lanes are kept in memory: the compiler would run out of registers for them.
                black_box(&mut rooms);
            }
            let [a, b] = rooms.each_ref().map(|[low, high]| Registers([low, high]));
            T::pass(host, a, b, exec, mode, control) & exec
        }
    }
}

/// The test of sources as [`DirectFn`] has them. Bit `i` of `SCALARS` says that source `i` is a scalar.
///
/// # Safety
///
/// As for [`DirectFn`]. `control` may be written if the test flushes.
#[inline(always)]
unsafe fn direct<H: Host, T: Test, const SCALARS: u8>(
    host: H,
    [s0, s1]: [u64; 2],
    exec: u64,
    mode: u32,
    control: *mut Control,
) -> u64 {
    let lanes = |address: u64| with_exposed_provenance::<u32>(address as usize);
    // SAFETY: the caller promises this.
    unsafe {
        match SCALARS {
            0 => {
                T::pass(host, Registers::at::<T::S0>(lanes(s0)), Registers::at::<T::S1>(lanes(s1)), exec, mode, control)
            }
            1 => T::pass(host, Scalar::of(s0), Registers::at::<T::S1>(lanes(s1)), exec, mode, control),
            _ => T::pass(host, Registers::at::<T::S0>(lanes(s0)), Scalar::of(s1), exec, mode, control),
        }
    }
}

by_level! {
    /// The function of a test that does not flush.
    fn plain, portable[T: Test, const SCALARS: u8][T, SCALARS] -> unsafe extern "C" fn(u64, u64) -> u64:
    extern "C" fn(s0: u64, s1: u64) -> u64 = |host| direct::<_, T, SCALARS>(host, [s0, s1], 0, 0, null_mut())
}

by_level! {
    /// The function of a test that flushes.
    fn flushing, portable_flushing[T: Test, const SCALARS: u8][T, SCALARS]
        -> unsafe extern "C" fn(u64, u64, u64, u32, *mut Control) -> u64:
    extern "C" fn(s0: u64, s1: u64, exec: u64, mode: u32, control: *mut Control) -> u64
        = |host| direct::<_, T, SCALARS>(host, [s0, s1], exec, mode, control)
}

/// The helper of a compare for a level, and its inputs. `None` if the result is known.
pub(super) fn helper(level: Level, inst: &Inst, op: Vopc) -> Option<Chosen> {
    let cmp = op.cmp();
    // Other sources have no signs, and none has halves.
    let signed = (0..2).filter(|&i| inst.src_type(i).is_float()).fold(0, |set, i| set | Flags::signs_of(i));
    let flags = Flags(Flags::of(inst).0 & signed);
    let is_scalar = |i: usize| {
        let is_part = inst.sdwa().is_some_and(|selectors| selectors.src_sel[i] != 6);
        !matches!(inst.src(i), Src::Vgpr(_)) && !is_part
    };
    let scalars = is_scalar(0) as u8 | (is_scalar(1) as u8) << 1;
    let shape = Shape { level, scalars: if flags.0 == 0 { scalars } else { ANY } };
    let (helper, direct) = match cmp.ty {
        OperandType::f16 => shape.floats::<F16>(cmp.pred),
        OperandType::f32 => shape.floats::<F32>(cmp.pred),
        OperandType::f64 => shape.floats::<F64>(cmp.pred),
        OperandType::i16 => shape.integers::<I16>(cmp.pred),
        OperandType::u16 => shape.integers::<U16>(cmp.pred),
        OperandType::i32 => shape.integers::<I32>(cmp.pred),
        OperandType::u32 => shape.integers::<U32>(cmp.pred),
        OperandType::i64 => shape.integers::<I64>(cmp.pred),
        OperandType::u64 => shape.integers::<U64>(cmp.pred),
        _ => None,
    }?;
    let complement =
        matches!(cmp.pred, Pred::O | Pred::Nge | Pred::Nlg | Pred::Ngt | Pred::Nle | Pred::Neq | Pred::Nlt);
    let looks_at_mode = cmp.ty.is_float() && !matches!(cmp.pred, Pred::U | Pred::O | Pred::Class);
    let (flags, fast) = (Some(flags), looks_at_mode.then_some(None));
    let direct = direct.map(|function| Direct { function, scalars });
    Some(Chosen { helper, flags, mask_in: false, fast, complement, direct })
}

/// A helper, and the function for plain sources.
type Functions = (ValuHelper, Option<DirectFn>);

/// The kinds of sources that only the helper takes: both are scalars, or they have modifiers.
const ANY: u8 = 3;

/// Chooses among the functions of a test.
#[derive(Clone, Copy)]
struct Shape {
    level: Level,
    /// The sources that are scalars, one bit each, or [`ANY`].
    scalars: u8,
}

impl Shape {
    fn test<T: Test>(self) -> Functions {
        let direct = match self.scalars {
            0 => Some(self.direct::<T, 0>()),
            1 => Some(self.direct::<T, 1>()),
            2 => Some(self.direct::<T, 2>()),
            _ => None,
        };
        (machine::run::<Compare<T>>(self.level), direct)
    }

    fn direct<T: Test, const SCALARS: u8>(self) -> DirectFn {
        match T::FLUSHES {
            false => DirectFn::Sources(plain::<T, SCALARS>(self.level)),
            true => DirectFn::Flushing(flushing::<T, SCALARS>(self.level)),
        }
    }

    fn integers<N: Number>(self, pred: Pred) -> Option<Functions> {
        Some(match pred {
            Pred::Lt => self.test::<Plain<N, Lt>>(),
            Pred::Le => self.test::<Plain<N, Le>>(),
            Pred::Eq => self.test::<Plain<N, Eq>>(),
            Pred::Lg => self.test::<Plain<N, Ne>>(),
            Pred::Gt => self.test::<Plain<N, Gt>>(),
            Pred::Ge => self.test::<Plain<N, Ge>>(),
            _ => return None,
        })
    }

    fn floats<N: Float>(self, pred: Pred) -> Option<Functions> {
        Some(match pred {
            Pred::Lt | Pred::Nlt => self.test::<Flushing<N, Lt>>(),
            Pred::Le | Pred::Nle => self.test::<Flushing<N, Le>>(),
            Pred::Eq | Pred::Neq => self.test::<Flushing<N, Eq>>(),
            Pred::Lg | Pred::Nlg => self.test::<Flushing<N, Lg>>(),
            Pred::Gt | Pred::Ngt => self.test::<Flushing<N, Gt>>(),
            Pred::Ge | Pred::Nge => self.test::<Flushing<N, Ge>>(),
            Pred::U | Pred::O => self.test::<Plain<N, U>>(),
            Pred::Class => self.test::<Class<N>>(),
            Pred::F | Pred::Tru => return None,
        })
    }
}
