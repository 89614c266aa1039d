//! The helpers with AVX2.
//!
//! An operand is eight vectors of 8 dwords, with lanes in order, and twice that if it has 64 bits. A compare gives all
//! ones or zeros per lane, which are packed to bytes and collected. For integers only "signed greater" and "equal"
//! exist as instructions. The other predicates are these with the operands exchanged or the result inverted.

use std::arch::x86_64::*;
use std::array::from_fn;

use gcnsim_isa::{OperandType, Vgpr};

use super::generic::*;
use super::{ClassHelperVS, Helper, HelperOp, Vector};

define_helpers! { #[target_feature(enable = "avx2")] }

/// 64 dwords in lane order.
type Dwords = [__m256i; 8];
/// 64 words in the order of [`words`].
type Words = [__m256i; 4];

/// An operand; `hi` is meaningful for 64-bit types.
#[derive(Clone, Copy)]
struct Operand {
    lo: Dwords,
    hi: Dwords,
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_dwords(lanes: &Vgpr) -> Dwords {
    let vectors = lanes.0.as_ptr().cast::<__m256i>();
    // SAFETY: a `Vgpr` is eight times 32 bytes, 64-byte aligned.
    from_fn(|i| unsafe { _mm256_load_si256(vectors.add(i)) })
}

#[inline]
#[target_feature(enable = "avx2")]
fn load<T: Type>(vector: Vector) -> Operand {
    let lo = load_dwords(vector.lo);
    Operand { lo, hi: if T::TYPE.is_wide() { load_dwords(vector.hi) } else { lo } }
}

#[inline]
#[target_feature(enable = "avx2")]
fn splat<T: Type>(scalar: u64) -> Operand {
    Operand { lo: [_mm256_set1_epi32(scalar as i32); 8], hi: [_mm256_set1_epi32((scalar >> 32) as i32); 8] }
}

/// The signs of 64 dwords in lane order.
#[inline]
#[target_feature(enable = "avx2")]
fn join(dwords: Dwords) -> u64 {
    join_words(from_fn(|i| _mm256_packs_epi32(dwords[2 * i], dwords[2 * i + 1])))
}

/// The signs of 64 words in the order of [`words`].
#[inline]
#[target_feature(enable = "avx2")]
fn join_words(words: Words) -> u64 {
    // Packing works in 128-bit halves, so groups of four lanes have the order 0, 2, 4, 6, 1, 3, 5, 7 now.
    let lane_order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    let [low, high] = [0, 2].map(|i| {
        let bytes = _mm256_packs_epi16(words[i], words[i + 1]);
        u64::from(_mm256_movemask_epi8(_mm256_permutevar8x32_epi32(bytes, lane_order)) as u32)
    });
    low | high << 32
}

/// The low words of the dwords. The first vector has lanes 0..4, 8..12, 4..8, 12..16, and so on.
#[inline]
#[target_feature(enable = "avx2")]
fn words(dwords: Dwords) -> Words {
    let low = dwords.map(|x| _mm256_and_si256(x, _mm256_set1_epi32(0xffff)));
    from_fn(|i| _mm256_packus_epi32(low[2 * i], low[2 * i + 1]))
}

/// `a > b` for i16 and i32, `a >= b` for the other integers.
#[inline]
#[target_feature(enable = "avx2")]
fn above<T: Type>(a: Operand, b: Operand) -> u64 {
    match T::TYPE {
        OperandType::i16 => {
            let (a, b) = (words(a.lo), words(b.lo));
            join_words(from_fn(|i| _mm256_cmpgt_epi16(a[i], b[i])))
        }
        OperandType::u16 => {
            let (a, b) = (words(a.lo), words(b.lo));
            join_words(from_fn(|i| _mm256_cmpeq_epi16(_mm256_max_epu16(a[i], b[i]), a[i])))
        }
        OperandType::i32 => join(from_fn(|i| _mm256_cmpgt_epi32(a.lo[i], b.lo[i]))),
        OperandType::u32 => join(from_fn(|i| u32_ge(a.lo[i], b.lo[i]))),
        OperandType::i64 => join(from_fn(|i| {
            let low = _mm256_cmpeq_epi32(a.hi[i], b.hi[i]);
            _mm256_blendv_epi8(_mm256_cmpgt_epi32(a.hi[i], b.hi[i]), u32_ge(a.lo[i], b.lo[i]), low)
        })),
        _ => join(from_fn(|i| {
            let low = _mm256_cmpeq_epi32(a.hi[i], b.hi[i]);
            let decisive = |x: Operand| _mm256_blendv_epi8(x.hi[i], x.lo[i], low);
            u32_ge(decisive(a), decisive(b))
        })),
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn u32_ge(a: __m256i, b: __m256i) -> __m256i {
    _mm256_cmpeq_epi32(_mm256_max_epu32(a, b), a)
}

#[inline]
#[target_feature(enable = "avx2")]
fn equal<T: Type>(a: Operand, b: Operand) -> u64 {
    match T::TYPE {
        OperandType::i16 | OperandType::u16 => {
            let (a, b) = (words(a.lo), words(b.lo));
            join_words(from_fn(|i| _mm256_cmpeq_epi16(a[i], b[i])))
        }
        OperandType::i32 | OperandType::u32 => join(from_fn(|i| _mm256_cmpeq_epi32(a.lo[i], b.lo[i]))),
        _ => join(from_fn(|i| {
            _mm256_and_si256(_mm256_cmpeq_epi32(a.lo[i], b.lo[i]), _mm256_cmpeq_epi32(a.hi[i], b.hi[i]))
        })),
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn int<T: Type, P: Predicate>(a: Operand, b: Operand) -> u64 {
    let strict = matches!(T::TYPE, OperandType::i16 | OperandType::i32);
    match P::OP {
        HelperOp::Eq => equal::<T>(a, b),
        HelperOp::Lg => !equal::<T>(a, b),
        HelperOp::Gt if strict => above::<T>(a, b),
        HelperOp::Lt if strict => above::<T>(b, a),
        HelperOp::Le if strict => !above::<T>(a, b),
        HelperOp::Ge if strict => !above::<T>(b, a),
        HelperOp::Ge => above::<T>(a, b),
        HelperOp::Le => above::<T>(b, a),
        HelperOp::Lt => !above::<T>(a, b),
        HelperOp::Gt => !above::<T>(b, a),
        HelperOp::U | HelperOp::Class => unreachable!("not an ordering"),
    }
}

/// The words without their sign bits.
#[inline]
#[target_feature(enable = "avx2")]
fn f16_magnitude(x: __m256i) -> __m256i {
    _mm256_and_si256(x, _mm256_set1_epi16(0x7fff))
}

/// All ones in words where one of the two is a binary16 NaN.
#[inline]
#[target_feature(enable = "avx2")]
fn f16_unordered(a: __m256i, b: __m256i) -> __m256i {
    let larger = _mm256_max_epi16(f16_magnitude(a), f16_magnitude(b));
    _mm256_cmpgt_epi16(larger, _mm256_set1_epi16(F16::EXPONENT as i16))
}

#[inline]
#[target_feature(enable = "avx2")]
fn f16_test<P: Predicate>(a: Words, b: Words) -> u64 {
    // These are signed integers with the order of the values: the magnitude, negated if the word is negative.
    let key = |x| _mm256_sign_epi16(f16_magnitude(x), x);
    // These predicates are computed as the complement of the opposite and of NaNs.
    let opposite = matches!(P::OP, HelperOp::Le | HelperOp::Ge | HelperOp::Lg);
    let lanes = join_words(from_fn(|i| {
        let (nan, a, b) = (f16_unordered(a[i], b[i]), key(a[i]), key(b[i]));
        let test = match P::OP {
            HelperOp::Lt | HelperOp::Ge => _mm256_cmpgt_epi16(b, a),
            HelperOp::Gt | HelperOp::Le => _mm256_cmpgt_epi16(a, b),
            HelperOp::Eq | HelperOp::Lg => _mm256_cmpeq_epi16(a, b),
            HelperOp::U | HelperOp::Class => unreachable!("not an ordering"),
        };
        if opposite { _mm256_or_si256(nan, test) } else { _mm256_andnot_si256(nan, test) }
    }));
    if opposite { !lanes } else { lanes }
}

#[inline]
#[target_feature(enable = "avx2")]
fn f32_test<const OP: i32>(a: Operand, b: Operand) -> u64 {
    let float = |x| _mm256_castsi256_ps(x);
    join(from_fn(|i| _mm256_castps_si256(_mm256_cmp_ps::<OP>(float(a.lo[i]), float(b.lo[i])))))
}

#[inline]
#[target_feature(enable = "avx2")]
fn f64_test<const OP: i32>(a: Operand, b: Operand) -> u64 {
    join(from_fn(|i| {
        // These are lanes 0, 1, 4, 5 and 2, 3, 6, 7 as doubles. The shuffle takes half of each result, in lane order.
        let first = |x: Operand| _mm256_castsi256_pd(_mm256_unpacklo_epi32(x.lo[i], x.hi[i]));
        let second = |x: Operand| _mm256_castsi256_pd(_mm256_unpackhi_epi32(x.lo[i], x.hi[i]));
        let first = _mm256_castpd_ps(_mm256_cmp_pd::<OP>(first(a), first(b)));
        let second = _mm256_castpd_ps(_mm256_cmp_pd::<OP>(second(a), second(b)));
        _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(first, second))
    }))
}

#[inline]
#[target_feature(enable = "avx2")]
fn float_test<T: Type, const OP: i32>(a: Operand, b: Operand) -> u64 {
    if T::TYPE == OperandType::f32 { f32_test::<OP>(a, b) } else { f64_test::<OP>(a, b) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn ordered<T: Type, P: Predicate>(a: Operand, b: Operand) -> u64 {
    match T::TYPE {
        OperandType::f16 => f16_test::<P>(words(a.lo), words(b.lo)),
        OperandType::f32 | OperandType::f64 => match P::OP {
            HelperOp::Lt => float_test::<T, _CMP_LT_OQ>(a, b),
            HelperOp::Le => float_test::<T, _CMP_LE_OQ>(a, b),
            HelperOp::Eq => float_test::<T, _CMP_EQ_OQ>(a, b),
            HelperOp::Lg => float_test::<T, _CMP_NEQ_OQ>(a, b),
            HelperOp::Gt => float_test::<T, _CMP_GT_OQ>(a, b),
            HelperOp::Ge => float_test::<T, _CMP_GE_OQ>(a, b),
            HelperOp::U | HelperOp::Class => unreachable!("not an ordering"),
        },
        _ => int::<T, P>(a, b),
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn unordered<F: Float>(a: Operand, b: Operand) -> u64 {
    if F::TYPE == OperandType::f16 {
        let (a, b) = (words(a.lo), words(b.lo));
        join_words(from_fn(|i| f16_unordered(a[i], b[i])))
    } else {
        float_test::<F, _CMP_UNORD_Q>(a, b)
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn both_tiny<F: Float>(a: Operand, b: Operand) -> u64 {
    if F::TYPE == OperandType::f16 {
        let (a, b) = (words(a.lo), words(b.lo));
        let exponent = _mm256_set1_epi16(F::EXPONENT as i16);
        return join_words(from_fn(|i| {
            let either = _mm256_and_si256(_mm256_or_si256(a[i], b[i]), exponent);
            _mm256_cmpeq_epi16(either, _mm256_setzero_si256())
        }));
    }
    let either = |a: Dwords, b: Dwords| from_fn(|i| _mm256_or_si256(a[i], b[i]));
    let either: Dwords = if F::TYPE.is_wide() { either(a.hi, b.hi) } else { either(a.lo, b.lo) };
    let exponent = _mm256_set1_epi32(F::EXPONENT as i32);
    join(either.map(|x| _mm256_cmpeq_epi32(_mm256_and_si256(x, exponent), _mm256_setzero_si256())))
}

/// Tests classes: the class bit of S1 is shifted to the sign by 31 - class, which is looked up by class index.
#[inline]
#[target_feature(enable = "avx2")]
fn class<F: Float, S: Shape>(a: Operand, masks: Operand) -> u64 {
    const SHIFTS: [[i8; 16]; 2] = {
        let mut shifts = [[0; 16]; 2];
        let mut index = 0;
        while index < 32 {
            shifts[index / 16][index % 16] = 31 - CLASSES[index] as i8;
            index += 1;
        }
        shifts
    };
    // SAFETY: there are 16 readable bytes, and the load needs no alignment.
    let [zero, nonzero] =
        SHIFTS.map(|shifts| _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(shifts.as_ptr().cast()) }));
    join(from_fn(|i| {
        let (top, mantissa) = match F::TYPE {
            OperandType::f16 => {
                let x = _mm256_slli_epi32::<16>(a.lo[i]);
                (x, _mm256_slli_epi32::<22>(a.lo[i]))
            }
            OperandType::f32 => (a.lo[i], _mm256_slli_epi32::<9>(a.lo[i])),
            _ => (a.hi[i], _mm256_or_si256(_mm256_slli_epi32::<12>(a.hi[i]), a.lo[i])),
        };
        let mantissa_is_zero = _mm256_cmpeq_epi32(mantissa, _mm256_setzero_si256());
        let (exponent, field) = match F::TYPE {
            OperandType::f16 => (_mm256_srli_epi32::<25>(top), 0x3f),
            OperandType::f32 => (_mm256_srli_epi32::<22>(top), 0x1ff),
            _ => (_mm256_srli_epi32::<19>(top), 0xfff),
        };
        let wrapped = _mm256_and_si256(_mm256_add_epi32(exponent, _mm256_set1_epi32(2)), _mm256_set1_epi32(field));
        let kind = _mm256_min_epu32(wrapped, _mm256_set1_epi32(4));
        let negative = _mm256_and_si256(_mm256_srli_epi32::<28>(top), _mm256_set1_epi32(8));
        // If bit 7 of an index byte is set, its result is 0.
        let low_byte = _mm256_set1_epi32(0x8080_8000_u32 as i32);
        let index = _mm256_or_si256(_mm256_or_si256(kind, negative), low_byte);
        let shift =
            _mm256_blendv_epi8(_mm256_shuffle_epi8(nonzero, index), _mm256_shuffle_epi8(zero, index), mantissa_is_zero);
        _mm256_sllv_epi32(masks.lo[i], shift)
    }))
}
