//! V_TRIG_PREOP_F64: pieces of 2/pi for reducing great arguments of sine and cosine.

use super::format::{F64, Format};
use super::number::Number;
use super::round::round;
use super::{Round, Rule};
use crate::vector::lane::{Lane, LaneNote};

/// 2/pi to 1184 bits after the point, the first word first.
const TWO_OVER_PI: [u32; 37] = [
    0xa2f9_836e,
    0x4e44_1529,
    0xfc27_57d1,
    0xf534_ddc0,
    0xdb62_9599,
    0x3c43_9041,
    0xfe51_63ab,
    0xdebb_c561,
    0xb724_6e3a,
    0x424d_d2e0,
    0x0649_2eea,
    0x09d1_921c,
    0xfe1d_eb1c,
    0xb129_a73e,
    0xe882_35f5,
    0x2ebb_4484,
    0xe99c_7026,
    0xb45f_7e41,
    0x3991_d639,
    0x8353_39f4,
    0x9c84_5f8b,
    0xbdf9_283b,
    0x1ff8_97ff,
    0xde05_980f,
    0xef2f_118b,
    0x5a0a_6d1f,
    0x6d36_7ecf,
    0x27cb_09b7,
    0x4f46_3f66,
    0x9e5f_ea2d,
    0x7527_bac7,
    0xebe5_f17b,
    0x3d07_39f7,
    0x8a52_92ea,
    0x6bfb_5fb1,
    0x1f8d_5d08,
    0x5603_3046,
];

/// Number of digits of a piece.
const DIGITS: i32 = 53;

/// The 53 bits of 2/pi that matter for S0, or those of the `n`th piece after them, truncated and scaled to go with S0.
/// The sign of S0 does not matter.
pub(crate) fn trig_preop(x: &mut Lane<'_>, s0: u64, n: u32) -> u64 {
    let exponent = F64::exponent_field(s0);
    let first = (n & 31) as i32 * DIGITS + (exponent - 1077).max(0);
    x.notes.insert_if(first >= 1120 || F64::is_nan(s0), LaneNote::TrigPreopTail);
    let scale = if exponent >= 1968 { 128 } else { 0 } - DIGITS - first;
    let piece = Number { negative: false, exponent: scale, significand: digits_from(first as usize).into() };
    let rule = Rule { round: Round::Zero, ..F64::rule(x.fp) };
    round::<F64>(x, rule, piece)
}

/// 53 bits of the fraction, from bit `first` on; 0 past the last word.
fn digits_from(first: usize) -> u64 {
    let word = |i: usize| u128::from(TWO_OVER_PI.get(first / 32 + i).copied().unwrap_or(0));
    let window = word(0) << 64 | word(1) << 32 | word(2);
    (window >> (96 - DIGITS as usize - first % 32)) as u64 & ((1 << DIGITS) - 1)
}
