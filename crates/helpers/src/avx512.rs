//! The helpers with AVX-512 F and BW, and BMI2.
//!
//! An operand is four vectors of 16 dwords, with lanes in order, and twice that if it has 64 bits. 16-bit types are
//! first packed to two vectors of 32 words. Binary64 is interleaved to eight vectors; 64-bit integers stay in halves.
//! The compare instructions give 8, 16 or 32 bits each, which are joined to 64.
//!
//! The speed depends on three things. Each dword is loaded once, because a CPU may load only one vector a cycle. Where
//! vector instructions can do it, masks are not combined before they are joined: LLVM would join three masks for one.
//! Everything is inlined into the entry point.

use std::arch::x86_64::*;
use std::array::from_fn;

use gcnsim_isa::{OperandType, Vgpr};

use super::generic::*;
use super::{ClassHelperVS, Helper, HelperOp, Vector};

define_helpers! { #[target_feature(enable = "avx512f,avx512bw,bmi2")] }

/// 64 dwords in lane order.
type Dwords = [__m512i; 4];
/// 64 words in lane order.
type Words = [__m512i; 2];

/// An operand; `hi` is meaningful for 64-bit types.
#[derive(Clone, Copy)]
struct Operand {
    lo: Dwords,
    hi: Dwords,
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn load_dwords(lanes: &Vgpr) -> Dwords {
    let vectors = lanes.0.as_ptr().cast::<__m512i>();
    // SAFETY: a `Vgpr` is four times 64 bytes, 64-byte aligned.
    from_fn(|i| unsafe { _mm512_load_si512(vectors.add(i)) })
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn load<T: Type>(vector: Vector) -> Operand {
    let lo = load_dwords(vector.lo);
    Operand { lo, hi: if T::TYPE.is_wide() { load_dwords(vector.hi) } else { lo } }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn splat<T: Type>(scalar: u64) -> Operand {
    Operand { lo: [_mm512_set1_epi32(scalar as i32); 4], hi: [_mm512_set1_epi32((scalar >> 32) as i32); 4] }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn join(masks: [__mmask16; 4]) -> u64 {
    join_words([0, 2].map(|i| _mm512_kunpackw(masks[i + 1].into(), masks[i].into())))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn join_words(masks: [__mmask32; 2]) -> u64 {
    _mm512_kunpackd(masks[1] as u64, masks[0] as u64)
}

/// The low (`ODD` = 0) or high (`ODD` = 1) words of the dwords.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn words<const ODD: u16>(x: Dwords) -> Words {
    const fn indices(odd: u16) -> [u16; 32] {
        let mut indices = [0; 32];
        let mut i = 0;
        while i < 32 {
            indices[i] = 2 * i as u16 + odd;
            i += 1;
        }
        indices
    }
    let indices = from_words(const { &indices(ODD) });
    [0, 2].map(|i| _mm512_permutex2var_epi16(x[i], indices, x[i + 1]))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn from_words(words: &[u16; 32]) -> __m512i {
    // SAFETY: there are 64 readable bytes, and the load needs no alignment.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

/// Binary64 values: first lanes 0, 1, 4, 5, 8, 9 and so on, then the lanes between.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn doubles(x: Operand) -> [[__m512d; 4]; 2] {
    [
        from_fn(|i| _mm512_castsi512_pd(_mm512_unpacklo_epi32(x.lo[i], x.hi[i]))),
        from_fn(|i| _mm512_castsi512_pd(_mm512_unpackhi_epi32(x.lo[i], x.hi[i]))),
    ]
}

/// Joins masks in the order of [`doubles`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn join_doubles(masks: [[__mmask8; 4]; 2]) -> u64 {
    let [first, second] = masks.map(|masks| u64::from(u32::from_le_bytes(masks)));
    _pdep_u64(first, 0x3333_3333_3333_3333) | _pdep_u64(second, 0xcccc_cccc_cccc_cccc)
}

macro_rules! lanewise {
    ($($name:ident -> $mask:ty: $lt:ident $le:ident $eq:ident $lg:ident $gt:ident $ge:ident;)*) => {
        $(
            #[inline]
            #[target_feature(enable = "avx512f,avx512bw,bmi2")]
            fn $name<P: Predicate>(a: __m512i, b: __m512i) -> $mask {
                match P::OP {
                    HelperOp::Lt => $lt(a, b),
                    HelperOp::Le => $le(a, b),
                    HelperOp::Eq => $eq(a, b),
                    HelperOp::Lg => $lg(a, b),
                    HelperOp::Gt => $gt(a, b),
                    HelperOp::Ge => $ge(a, b),
                    HelperOp::U | HelperOp::Class => unreachable!("not an ordering"),
                }
            }
        )*
    };
}

lanewise! {
    i32_test -> __mmask16: _mm512_cmplt_epi32_mask _mm512_cmple_epi32_mask _mm512_cmpeq_epi32_mask
        _mm512_cmpneq_epi32_mask _mm512_cmpgt_epi32_mask _mm512_cmpge_epi32_mask;
    u32_test -> __mmask16: _mm512_cmplt_epu32_mask _mm512_cmple_epu32_mask _mm512_cmpeq_epu32_mask
        _mm512_cmpneq_epu32_mask _mm512_cmpgt_epu32_mask _mm512_cmpge_epu32_mask;
    i16_test -> __mmask32: _mm512_cmplt_epi16_mask _mm512_cmple_epi16_mask _mm512_cmpeq_epi16_mask
        _mm512_cmpneq_epi16_mask _mm512_cmpgt_epi16_mask _mm512_cmpge_epi16_mask;
    u16_test -> __mmask32: _mm512_cmplt_epu16_mask _mm512_cmple_epu16_mask _mm512_cmpeq_epu16_mask
        _mm512_cmpneq_epu16_mask _mm512_cmpgt_epu16_mask _mm512_cmpge_epu16_mask;
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn f32_test<P: Predicate>(a: __m512i, b: __m512i) -> __mmask16 {
    let (a, b) = (_mm512_castsi512_ps(a), _mm512_castsi512_ps(b));
    match P::OP {
        HelperOp::Lt => _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b),
        HelperOp::Le => _mm512_cmp_ps_mask::<_CMP_LE_OQ>(a, b),
        HelperOp::Eq => _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(a, b),
        HelperOp::Lg => _mm512_cmp_ps_mask::<_CMP_NEQ_OQ>(a, b),
        HelperOp::Gt => _mm512_cmp_ps_mask::<_CMP_GT_OQ>(a, b),
        HelperOp::Ge => _mm512_cmp_ps_mask::<_CMP_GE_OQ>(a, b),
        HelperOp::U | HelperOp::Class => unreachable!("not an ordering"),
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn f64_test<P: Predicate>(a: __m512d, b: __m512d) -> __mmask8 {
    match P::OP {
        HelperOp::Lt => _mm512_cmp_pd_mask::<_CMP_LT_OQ>(a, b),
        HelperOp::Le => _mm512_cmp_pd_mask::<_CMP_LE_OQ>(a, b),
        HelperOp::Eq => _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(a, b),
        HelperOp::Lg => _mm512_cmp_pd_mask::<_CMP_NEQ_OQ>(a, b),
        HelperOp::Gt => _mm512_cmp_pd_mask::<_CMP_GT_OQ>(a, b),
        HelperOp::Ge => _mm512_cmp_pd_mask::<_CMP_GE_OQ>(a, b),
        HelperOp::U | HelperOp::Class => unreachable!("not an ordering"),
    }
}

/// Compares 64-bit integers by halves.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn wide_int<T: Type, P: Predicate>(a: Operand, b: Operand) -> u64 {
    if matches!(P::OP, HelperOp::Eq | HelperOp::Lg) {
        let equal = join(from_fn(|i| {
            let hi = _mm512_xor_si512(a.hi[i], b.hi[i]);
            let either = _mm512_or_si512(hi, _mm512_xor_si512(a.lo[i], b.lo[i]));
            _mm512_testn_epi32_mask(either, either)
        }));
        return if P::OP == HelperOp::Eq { equal } else { !equal };
    }
    join(from_fn(|i| {
        // Where the high halves are equal, the low ones decide.
        let low = _mm512_cmpeq_epi32_mask(a.hi[i], b.hi[i]);
        if T::TYPE == OperandType::u64 {
            let decisive = |x: Operand| _mm512_mask_mov_epi32(x.hi[i], low, x.lo[i]);
            u32_test::<P>(decisive(a), decisive(b))
        } else {
            // This gives unsigned halves the signed order.
            let sign = _mm512_set1_epi32(i32::MIN);
            let decisive = |x: Operand| _mm512_mask_xor_epi32(x.hi[i], low, x.lo[i], sign);
            i32_test::<P>(decisive(a), decisive(b))
        }
    }))
}

/// Twice the magnitude: the words without their sign bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn f16_doubled(x: __m512i) -> __m512i {
    _mm512_add_epi16(x, x)
}

/// One bit per word: set if one of the two is a binary16 NaN.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn f16_unordered(a: __m512i, b: __m512i) -> __mmask32 {
    let infinity = _mm512_set1_epi16((2 * F16::EXPONENT) as i16);
    _mm512_cmpgt_epu16_mask(_mm512_max_epu16(f16_doubled(a), f16_doubled(b)), infinity)
}

/// Signed integers with the order of the binary16 values.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn f16_keys(x: __m512i) -> __m512i {
    // Negative ones become minus the magnitude.
    _mm512_mask_sub_epi16(x, _mm512_movepi16_mask(x), _mm512_set1_epi16(i16::MIN), x)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn ordered<T: Type, P: Predicate>(a: Operand, b: Operand) -> u64 {
    match T::TYPE {
        OperandType::i32 => join(from_fn(|i| i32_test::<P>(a.lo[i], b.lo[i]))),
        OperandType::u32 => join(from_fn(|i| u32_test::<P>(a.lo[i], b.lo[i]))),
        OperandType::f32 => join(from_fn(|i| f32_test::<P>(a.lo[i], b.lo[i]))),
        OperandType::f64 => {
            let (a, b) = (doubles(a), doubles(b));
            join_doubles(from_fn(|j| from_fn(|i| f64_test::<P>(a[j][i], b[j][i]))))
        }
        OperandType::i16 => {
            let (a, b) = (words::<0>(a.lo), words::<0>(b.lo));
            join_words(from_fn(|i| i16_test::<P>(a[i], b[i])))
        }
        OperandType::u16 => {
            let (a, b) = (words::<0>(a.lo), words::<0>(b.lo));
            join_words(from_fn(|i| u16_test::<P>(a[i], b[i])))
        }
        OperandType::f16 => {
            let (a, b) = (words::<0>(a.lo), words::<0>(b.lo));
            join_words(from_fn(|i| i16_test::<P>(f16_keys(a[i]), f16_keys(b[i])) & !f16_unordered(a[i], b[i])))
        }
        _ => wide_int::<T, P>(a, b),
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn both_tiny<F: Float>(a: Operand, b: Operand) -> u64 {
    let either = |a: Dwords, b: Dwords| from_fn(|i| _mm512_or_si512(a[i], b[i]));
    if F::TYPE == OperandType::f16 {
        let exponent = _mm512_set1_epi16(F::EXPONENT as i16);
        join_words(words::<0>(either(a.lo, b.lo)).map(|x| _mm512_testn_epi16_mask(x, exponent)))
    } else {
        let exponent = _mm512_set1_epi32(F::EXPONENT as i32);
        let either = if F::TYPE.is_wide() { either(a.hi, b.hi) } else { either(a.lo, b.lo) };
        join(either.map(|x| _mm512_testn_epi32_mask(x, exponent)))
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn unordered<F: Float>(a: Operand, b: Operand) -> u64 {
    match F::TYPE {
        OperandType::f32 => join(from_fn(|i| {
            _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(_mm512_castsi512_ps(a.lo[i]), _mm512_castsi512_ps(b.lo[i]))
        })),
        OperandType::f64 => {
            let (a, b) = (doubles(a), doubles(b));
            join_doubles(from_fn(|j| from_fn(|i| _mm512_cmp_pd_mask::<_CMP_UNORD_Q>(a[j][i], b[j][i]))))
        }
        _ => {
            let (a, b) = (words::<0>(a.lo), words::<0>(b.lo));
            join_words(from_fn(|i| f16_unordered(a[i], b[i])))
        }
    }
}

/// The [`CLASSES`] index of the words that hold the tops of the values.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn class_index<F: Float>(x: __m512i, mantissa: __mmask32) -> __m512i {
    let (exponent, field) = match F::TYPE {
        OperandType::f16 => (_mm512_srli_epi16::<9>(x), 0x3f),
        OperandType::f32 => (_mm512_srli_epi16::<6>(x), 0x1ff),
        _ => (_mm512_srli_epi16::<3>(x), 0xfff),
    };
    let wrapped = _mm512_and_si512(_mm512_add_epi16(exponent, _mm512_set1_epi16(2)), _mm512_set1_epi16(field));
    let kind = _mm512_min_epu16(wrapped, _mm512_set1_epi16(4));
    let negative = _mm512_and_si512(_mm512_srli_epi16::<12>(x), _mm512_set1_epi16(8));
    let index = _mm512_or_si512(kind, negative);
    _mm512_mask_add_epi16(index, mantissa, index, _mm512_set1_epi16(16))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn class<F: Float, S: Shape>(a: Operand, masks: Operand) -> u64 {
    let mantissa_bits = _mm512_set1_epi32(F::MANTISSA as i32);
    let (top_words, mantissas) = match F::TYPE {
        OperandType::f16 => {
            let words = words::<0>(a.lo);
            (words, words.map(|x| _mm512_test_epi16_mask(x, _mm512_set1_epi16(F::MANTISSA as i16))))
        }
        OperandType::f32 => {
            let mantissa = a.lo.map(|x| _mm512_test_epi32_mask(x, mantissa_bits));
            (words::<1>(a.lo), [0, 2].map(|i| _mm512_kunpackw(mantissa[i + 1] as u32, mantissa[i] as u32)))
        }
        _ => {
            let mantissa: [__mmask16; 4] = from_fn(|i| {
                let bits = _mm512_or_si512(_mm512_and_si512(a.hi[i], mantissa_bits), a.lo[i]);
                _mm512_test_epi32_mask(bits, bits)
            });
            (words::<1>(a.hi), [0, 2].map(|i| _mm512_kunpackw(mantissa[i + 1] as u32, mantissa[i] as u32)))
        }
    };
    const CLASS_BITS: [u16; 32] = {
        let mut bits = [0; 32];
        let mut index = 0;
        while index < 32 {
            bits[index] = 1 << CLASSES[index];
            index += 1;
        }
        bits
    };
    let (table, masks) = (from_words(&CLASS_BITS), words::<0>(masks.lo));
    join_words(from_fn(|i| {
        let bits = _mm512_permutexvar_epi16(class_index::<F>(top_words[i], mantissas[i]), table);
        _mm512_test_epi16_mask(bits, masks[i])
    }))
}
