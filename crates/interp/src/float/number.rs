//! Exact numbers: an integer times a power of two.
//!
//! The last bit of a significand may stand for any amount between its neighbours ("sticky"). Results that do not end
//! (quotients, roots), and digits that are too far down to keep, set it to 1. It is always far below the last place
//! that rounding keeps.

use super::Round;

/// `significand * 2^exponent`, negative or not. Zero has a sign too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Number {
    /// Whether the number is below zero or -0.
    pub negative: bool,
    /// Weight of bit 0 of the significand.
    pub exponent: i32,
    /// The digits; not normalised.
    pub significand: u128,
}

impl Number {
    /// An integer; zero is +0.
    pub fn integer(value: i64) -> Number {
        Number { negative: value < 0, exponent: 0, significand: value.unsigned_abs().into() }
    }

    /// Whether it is a zero of either sign.
    pub fn is_zero(self) -> bool {
        self.significand == 0
    }

    /// The exponent of the leading digit: the magnitude is in \[2^e, 2^(e+1)). The number must not be zero.
    pub fn leading(self) -> i32 {
        self.exponent + (u128::BITS - 1 - self.significand.leading_zeros()) as i32
    }

    /// The number of the same magnitude with the sign `negative`.
    pub fn with_sign(self, negative: bool) -> Number {
        Number { negative, ..self }
    }

    /// The number times 2^n.
    pub fn scaled(self, n: i32) -> Number {
        Number { exponent: self.exponent.saturating_add(n), ..self }
    }

    /// The exact product. Both significands have at most 64 bits.
    pub fn times(self, other: Number) -> Number {
        Number {
            negative: self.negative != other.negative,
            exponent: self.exponent + other.exponent,
            significand: self.significand * other.significand,
        }
    }

    /// The sum of two numbers of at most 107 digits. Digits far below those of the greater one become the sticky bit.
    /// The sum of two numbers that cancel is +0, or -0 when rounding down.
    pub fn plus(self, other: Number, round: Round) -> Number {
        if self.is_zero() && other.is_zero() {
            let both = self.negative == other.negative;
            return self.with_sign(if both { self.negative } else { round == Round::Down });
        }
        if self.is_zero() {
            return other;
        }
        if other.is_zero() {
            return self;
        }
        // The leading digit of the greater one moves to bit 125: then the sum fits, and at least 18 bits below are
        // free. If digits of the smaller one are lost at all, it is so much smaller that at most one leading digit
        // cancels.
        let exponent = self.leading().max(other.leading()) - 125;
        let sum = self.signed_digits(exponent) + other.signed_digits(exponent);
        let negative = if sum == 0 { round == Round::Down } else { sum < 0 };
        Number { negative, exponent, significand: sum.unsigned_abs() }
    }

    /// The number in units of 2^exponent, which must be less than 2^126. Lost digits become the sticky bit.
    fn signed_digits(self, exponent: i32) -> i128 {
        let digits = shift_right_sticky(self.significand, exponent - self.exponent) as i128;
        if self.negative { -digits } else { digits }
    }

    /// The magnitude in units of 2^unit, rounded to an integer in the direction for the number's sign. If it does not
    /// fit, the result is the greatest integer.
    pub fn rounded_to(self, unit: i32, round: Round) -> u128 {
        let shift = unit.saturating_sub(self.exponent);
        if shift <= 0 {
            let fits = self.is_zero() || shift.unsigned_abs() <= self.significand.leading_zeros();
            return if !fits { u128::MAX } else { self.significand.checked_shl(shift.unsigned_abs()).unwrap_or(0) };
        }
        // Two more digits are kept: a half, and the sticky bit.
        let quarters = shift_right_sticky(self.significand, shift.saturating_sub(2));
        let (integer, rest) = (quarters >> 2, quarters & 3);
        let up = match round {
            Round::Nearest => rest > 2 || rest == 2 && integer & 1 == 1,
            Round::Up => rest != 0 && !self.negative,
            Round::Down => rest != 0 && self.negative,
            Round::Zero => false,
        };
        integer + up as u128
    }

    /// 1/x with 65 or more digits. The number is not zero and has at most 53 digits.
    pub fn reciprocal(self) -> Number {
        let m = self.significand;
        let k = 65 + (u128::BITS - m.leading_zeros());
        let quotient = (1 << k) / m;
        let sticky = quotient * m != 1 << k;
        Number { significand: quotient | sticky as u128, exponent: -self.exponent - k as i32, ..self }
    }

    /// The square root with 60 or more digits. The number is positive and has at most 53 digits.
    pub fn square_root(self) -> Number {
        let shift = (self.significand.leading_zeros() & !1) - (self.exponent & 1) as u32;
        let radicand = self.significand << shift;
        let root = radicand.isqrt();
        let sticky = root * root != radicand;
        Number { significand: root | sticky as u128, exponent: (self.exponent - shift as i32) / 2, ..self }
    }

    /// 1/sqrt(x) with 55 or more digits. The number is positive and has at most 53 digits.
    pub fn reciprocal_square_root(self) -> Number {
        let normalised = self.significand.leading_zeros() as i32 - (u128::BITS - 53) as i32;
        let exponent = self.exponent - normalised;
        // 53 digits, or 54 if the exponent would be odd.
        let odd = exponent & 1;
        let m = self.significand << (normalised + odd);
        let (high, rest) = ((1 << 110) / m, (1 << 110) % m);
        let (low, rest) = ((rest << 54) / m, (rest << 54) % m);
        // 2^164 / m
        let quotient = high << 54 | low;
        let root = quotient.isqrt();
        let sticky = rest != 0 || root * root != quotient;
        Number { significand: root | sticky as u128, exponent: -82 - (exponent - odd) / 2, ..self }
    }
}

/// Shifts right (a negative `shift`: left). If a 1 is shifted out, the last bit becomes 1.
pub(crate) fn shift_right_sticky(digits: u128, shift: i32) -> u128 {
    if shift <= 0 {
        return digits << -shift;
    }
    if shift >= u128::BITS as i32 {
        return (digits != 0) as u128;
    }
    let kept = digits >> shift;
    kept | (kept << shift != digits) as u128
}
