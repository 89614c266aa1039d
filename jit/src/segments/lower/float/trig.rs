//! sin(2 pi x) and cos(2 pi x), correctly rounded: series in binary64, as those of [`exp_log`](super::exp_log).

use std::f64::consts::TAU;

use super::super::Lowering;
use super::{AT_MOST, SIGN, SIGN_64};
use crate::segments::list::{Action, Logic, Value};
use crate::segments::ops::Op;

/// 256, the largest argument.
const LARGEST: u32 = 0x4380_0000;
/// 1.5 * 2^52. Added to an integral number it leaves its low bits in those of the sum.
const INTEGER: f64 = 6_755_399_441_055_744.0;

/// `(2 pi)^n / n!` for `n` = `first`, `first + 2` and so on, with alternating signs.
const fn coefficients<const N: usize>(first: usize) -> [f64; N] {
    let mut coefficients = [if first == 0 { 1.0 } else { TAU }; N];
    let mut k = 1;
    while k < N {
        let n = first + 2 * k;
        coefficients[k] = -coefficients[k - 1] * TAU * TAU / (n * (n - 1)) as f64;
        k += 1;
    }
    coefficients
}

/// Coefficients of the sine over x, and of the cosine, in powers of x^2, for x up to 1/8 of a revolution. The terms
/// that are left out are below 2^-53 of the sum.
const SINE: [f64; 8] = coefficients(1);
const COSINE: [f64; 9] = coefficients(0);

impl Lowering<'_> {
    /// sin(2 pi x), or with `turn` = 1 cos(2 pi x): the sine or the cosine of what is left of the nearest quarter of a
    /// revolution. Lanes with other numbers than those up to 256 are not right.
    pub(super) fn sine(&mut self, turn: u32, number: Value) -> Value {
        let (magnitude, largest) = (self.list.dword(!SIGN), self.list.dword(LARGEST));
        let size = self.list.binary(Op::And, number, magnitude);
        self.list.require(Op::CompareU32, size, largest, AT_MOST);
        let result = self.doubles(number).map(|x| self.sine_of_double(turn, x));
        self.rounded(false, result)
    }

    fn sine_of_double(&mut self, turn: u32, x: Value) -> Value {
        let [four, minus_quarter, zero] = [4.0, -0.25, 0.0].map(|x| self.double(x));
        let product = self.list.binary(Op::MulF64, x, four);
        let quarters = self.list.unary_imm(Op::RoundF64, product, 8);
        let rest = self.list.node(Action::Fused(true), [quarters, minus_quarter, x], 0);
        let square = self.list.binary(Op::MulF64, rest, rest);
        let series = self.polynomial(square, &SINE);
        let sine = self.list.binary(Op::MulF64, series, rest);
        let cosine = self.polynomial(square, &COSINE);
        // Bit 0 of the phase says whether the cosine is meant, bit 1 whether its sign changes.
        let (integer, sign) = (self.double(INTEGER + f64::from(turn)), self.list.qword(SIGN_64));
        let phase = self.list.binary(Op::AddF64, quarters, integer);
        let is_cosine = self.list.shift(Op::Shl64, phase, 63);
        let is_cosine = self.list.shift(Op::Sar64, is_cosine, 63);
        let size = self.list.logic(is_cosine, cosine, sine, Logic::Select);
        let changes = self.list.shift(Op::Shl64, phase, 62);
        let changes = self.list.binary(Op::And64, changes, sign);
        let number = self.list.binary(Op::Xor64, size, changes);
        // Zeros are positive.
        self.list.binary(Op::AddF64, number, zero)
    }
}
