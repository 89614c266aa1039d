//! 2^x and log2(x), correctly rounded: series in binary64, rounded to binary32.
//!
//! The error of a series is below [`ERROR`]. A result is right if the numbers this much below and above it are rounded
//! to the same one; a lane in a million is too near to the middle between two numbers to tell, and is not right.

use std::f64::consts::LN_2;

use gcnsim_isa::Inst;

use super::super::Lowering;
use super::{EQUAL, EXPONENT, LESS, UNEQUAL};
use crate::segments::list::{Action, Value};
use crate::segments::ops::Op;
use crate::segments::routine::Routine;

/// The bound of the relative error of a series.
const ERROR: f64 = 1.0 / (1u64 << 43) as f64;

/// The smallest normal number.
const MIN_NORMAL: u32 = 0x0080_0000;
/// sqrt(1/2).
const SQRT_HALF: u32 = 0x3f35_04f3;

/// Coefficients of 2^x for x up to 1/2: (ln 2)^k / k!. The terms that are left out are below 2^-46 of the sum.
const EXP: [f64; 12] = {
    let mut coefficients = [1.0; 12];
    let mut k = 1;
    while k < coefficients.len() {
        coefficients[k] = coefficients[k - 1] * LN_2 / k as f64;
        k += 1;
    }
    coefficients
};

/// Coefficients of log2((1 + s) / (1 - s)) / s in powers of s^2: 2 / ln 2 / (2k + 1). The terms that are left out are
/// below 2^-49 of the sum, for s up to 0.172.
const LOG: [f64; 9] = {
    let mut coefficients = [0.0; 9];
    let mut k = 0;
    while k < coefficients.len() {
        coefficients[k] = 2.0 / LN_2 / (2 * k + 1) as f64;
        k += 1;
    }
    coefficients
};

/// A function of a binary32 number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Function {
    /// 2^x.
    PowerOfTwo,
    /// log2(x).
    Logarithm,
    /// sin(2 pi x).
    Sine,
    /// cos(2 pi x).
    Cosine,
}

impl Function {
    /// The list of all functions.
    pub const ALL: [Function; 4] = [Function::PowerOfTwo, Function::Logarithm, Function::Sine, Function::Cosine];

    /// The name in listings.
    pub fn name(self) -> &'static str {
        match self {
            Function::PowerOfTwo => "exp2",
            Function::Logarithm => "log2",
            Function::Sine => "sin",
            Function::Cosine => "cos",
        }
    }
}

impl Lowering<'_> {
    /// A binary64 constant.
    pub(super) fn double(&mut self, number: f64) -> Value {
        self.list.qword(number.to_bits())
    }

    /// Binary32 as binary64: lanes 0 to 7, and 8 to 15.
    pub(super) fn doubles(&mut self, singles: Value) -> [Value; 2] {
        let upper = self.list.unary_imm(Op::UpperHalf, singles, 1);
        [singles, upper].map(|half| self.list.unary(Op::F64FromF32, half))
    }

    /// Binary64 as binary32.
    pub(super) fn singles(&mut self, doubles: [Value; 2]) -> Value {
        let [low, high] = doubles.map(|half| self.list.unary(Op::F32FromF64, half));
        self.list.binary_imm(Op::JoinHalves, low, high, 1)
    }

    /// A polynomial, by its coefficients from the lowest on.
    pub(super) fn polynomial<const N: usize>(&mut self, x: Value, coefficients: &[f64; N]) -> Value {
        let coefficients = coefficients.map(|coefficient| self.double(coefficient));
        let mut sum = coefficients[N - 1];
        for &coefficient in coefficients[..N - 1].iter().rev() {
            sum = self.list.node(Action::Fused(true), [sum, x, coefficient], 0);
        }
        sum
    }

    /// The nearest binary32 numbers, denormals as zero. Lanes where an error could matter are not right.
    pub(super) fn rounded(&mut self, keeps_denormals: bool, doubles: [Value; 2]) -> Value {
        let [below, above] = [1.0 - ERROR, 1.0 + ERROR].map(|factor| {
            let factor = self.double(factor);
            let moved = doubles.map(|x| self.list.binary(Op::MulF64, x, factor));
            let moved = self.singles(moved);
            self.flushed(keeps_denormals, moved)
        });
        self.list.require(Op::CompareU32, below, above, EQUAL);
        if keeps_denormals {
            // The least normal number may have been rounded up from a denormal, which would be zero.
            let least = self.list.dword(MIN_NORMAL);
            self.list.require(Op::CompareU32, below, least, UNEQUAL);
        }
        below
    }

    /// V_EXP_F32, V_LOG_F32, V_SIN_F32, V_COS_F32.
    pub(super) fn function(&mut self, inst: &Inst, function: Function) -> Option<()> {
        let env = self.approximate_env(inst)?;
        let a = self.float_source(inst, 0)?;
        let routine = Routine { function, keeps_denormals: env.keep_in };
        let result = self.list.call(routine.address(self.options.features.width)?, a.value);
        self.spread_nans(&[a.plain]);
        self.write_float(inst, result)
    }

    /// The value of a function of a number.
    pub(crate) fn function_of(&mut self, function: Function, keeps_denormals: bool, number: Value) -> Value {
        match function {
            Function::PowerOfTwo => {
                let number = self.flushed(keeps_denormals, number);
                self.power_of_two(keeps_denormals, number)
            }
            Function::Logarithm => self.logarithm(keeps_denormals, number),
            // MODE decides on denormals of sines, and cosines have none.
            Function::Sine => self.sine(0, number),
            Function::Cosine => self.sine(1, number),
        }
    }

    /// 2^x.
    fn power_of_two(&mut self, keeps_denormals: bool, number: Value) -> Value {
        let x = self.doubles(number);
        let integer = x.map(|x| self.list.unary_imm(Op::RoundF64, x, 8));
        let rest = [0, 1].map(|i| self.list.binary(Op::SubF64, x[i], integer[i]));
        let power = rest.map(|x| self.polynomial(x, &EXP));
        let power = [0, 1].map(|i| self.list.binary(Op::ScaleF64, power[i], integer[i]));
        self.rounded(keeps_denormals, power)
    }

    /// log2(x) of positive normal numbers.
    fn logarithm(&mut self, keeps_denormals: bool, number: Value) -> Value {
        let (least, count) = (self.list.dword(MIN_NORMAL), self.list.dword(EXPONENT - MIN_NORMAL));
        let above = self.list.binary(Op::Sub32, number, least);
        self.list.require(Op::CompareU32, above, count, LESS);
        // The number is a power of two times a factor of at least sqrt(1/2).
        let (first, fraction) = (self.list.dword(SQRT_HALF), self.list.dword(MIN_NORMAL - 1));
        let above = self.list.binary(Op::Sub32, number, first);
        let power = self.list.shift(Op::Sar, above, 23);
        let power = self.list.unary(Op::FromI32, power);
        let factor = self.list.binary(Op::And, above, fraction);
        let factor = self.list.binary(Op::Add32, factor, first);
        let (power, factor) = (self.doubles(power), self.doubles(factor));
        let (one, minus_one) = (self.double(1.0), self.double(-1.0));
        let s = factor.map(|factor| {
            let dividend = self.list.binary(Op::AddF64, factor, minus_one);
            let divisor = self.list.binary(Op::AddF64, factor, one);
            self.list.binary(Op::DivF64, dividend, divisor)
        });
        let square = s.map(|s| self.list.binary(Op::MulF64, s, s));
        let series = square.map(|x| self.polynomial(x, &LOG));
        let sum = [0, 1].map(|i| self.list.node(Action::Fused(true), [series[i], s[i], power[i]], 0));
        self.rounded(keeps_denormals, sum)
    }
}
