//! Segments for AVX2: operations that only AVX-512 has, by those that AVX2 has.
//!
//! There are no mask registers. A lane mask is a vector whose dwords are all ones or zero (in tests of 64-bit elements,
//! its qwords). Lists that are [narrow](List::is_narrow) have no other masks, so what they have is what
//! [`encode`](super::encode) can write by VEX.

use super::encode::KOp;
use super::list::{Action, Home, List, Logic, Node, Value};
use super::ops::Op;

/// Predicates of integer tests, without the third bit, which means "not".
const EQUAL: u8 = 0;
const LESS: u8 = 1;
const AT_MOST: u8 = 2;
/// Predicate of [`Op::LanesF32`]: one of the two is a NaN.
const UNORDERED: u8 = 3;
/// Predicate of [`Op::LanesF32`]: not below.
const NOT_BELOW: u8 = 0x1d;
/// The sign bit of a qword.
const SIGN_64: u64 = 1 << 63;
/// 2^31 and 2^32 in binary32.
const TWO_31: u32 = 0x4f00_0000;
const TWO_32: u32 = 0x4f80_0000;
/// 1.5 * 2^52 and the bias of binary64. Added to an integral number it leaves the biased number in the low bits,
/// where an exponent can be taken from.
const EXPONENT_BELOW: f64 = 6_755_399_441_055_744.0 + 1023.0;
/// Immediate of [`Op::BlendDwords`]: odd dwords come from the second source.
const ODD: u8 = 0xaa;

impl List {
    /// Replaces an operation by operations of AVX2. `None` if AVX2 has the operation.
    pub(super) fn narrowed(&mut self, action: Action, src: [Value; 3], imm: u8) -> Option<Value> {
        let [a, b, c] = src;
        Some(match action {
            Action::Logic(logic) => self.narrow_logic(logic, a, b, c),
            Action::Op(op) => match op {
                Op::Ror => self.rotated(a, imm as u32),
                Op::Sar64 | Op::SarVar64 => {
                    // The complement of a negative number is not negative, and its logical shift is the complement of
                    // the arithmetic one.
                    let (by, zero) = (if op == Op::Sar64 { Err(imm) } else { Ok(b) }, self.dword(0));
                    let signs = self.binary(Op::GreaterI64, zero, a);
                    let bits = self.binary(Op::Xor, a, signs);
                    let shifted = match by {
                        Ok(by) => self.binary(Op::ShrVar64, bits, by),
                        Err(imm) => self.shift(Op::Shr64, bits, imm as u32),
                    };
                    self.binary(Op::Xor, shifted, signs)
                }
                Op::LeadingZeros => self.leading_zeros(a),
                Op::PopCount => self.ones(a),
                Op::FromU32 => self.float_of_unsigned(a),
                Op::ToU32 => self.unsigned_of_positive(a),
                Op::ScaleF32 => self.scaled(a, b),
                Op::ScaleF64 => {
                    let factor = self.power_of_two(b, 1000.0);
                    self.binary(Op::MulF64, a, factor)
                }
                Op::RangeF32 => self.lesser([Op::MinF32, Op::MaxF32, Op::LanesF32], a, b, imm & 1 == 1),
                Op::RangeF64 => self.lesser([Op::MinF64, Op::MaxF64, Op::LanesF64], a, b, imm & 1 == 1),
                Op::NarrowTo16 => {
                    let low: [u8; 16] = [0, 1, 4, 5, 8, 9, 12, 13, 0, 1, 4, 5, 8, 9, 12, 13];
                    let dword = |i: usize| u32::from_le_bytes(std::array::from_fn(|byte| low[4 * (i & 3) + byte]));
                    let low = self.vector(std::array::from_fn(dword));
                    let words = self.binary(Op::Bytes, a, low);
                    // The low qwords of both halves.
                    self.unary_imm(Op::PermuteQwords, words, 0b1000)
                }
                Op::UpperHalf => self.unary_imm(Op::UpperHalf256, a, imm),
                Op::JoinHalves => self.binary_imm(Op::JoinHalves256, a, b, imm),
                Op::Pick => unreachable!("`odd_dwords` stands for it"),
                _ => return None,
            },
            _ => return None,
        })
    }

    fn narrow_logic(&mut self, logic: Logic, a: Value, b: Value, c: Value) -> Value {
        match logic {
            Logic::Select => {
                let (then, otherwise) = (self.binary(Op::And, a, b), self.binary(Op::AndNot, a, c));
                self.binary(Op::Or, then, otherwise)
            }
            Logic::AndOr => {
                let both = self.binary(Op::And, a, b);
                self.binary(Op::Or, both, c)
            }
            Logic::Or3 => {
                let either = self.binary(Op::Or, a, b);
                self.binary(Op::Or, either, c)
            }
            Logic::Xnor => {
                let ones = self.dword(!0);
                let differ = self.binary(Op::Xor, a, b);
                self.binary(Op::Xor, differ, ones)
            }
            Logic::XorAndNot => {
                let differ = self.binary(Op::Xor, a, b);
                self.binary(Op::AndNot, c, differ)
            }
            Logic::Majority => {
                let (both, either) = (self.binary(Op::And, a, b), self.binary(Op::Or, a, b));
                let third = self.binary(Op::And, either, c);
                self.binary(Op::Or, both, third)
            }
        }
    }

    fn rotated(&mut self, a: Value, by: u32) -> Value {
        if by.is_multiple_of(8) {
            let byte = |i: u32| i & !3 | (i + by / 8) & 3;
            let dword = |i: usize| u32::from_le_bytes([0, 1, 2, 3].map(|j| byte(4 * (i as u32 & 3) + j) as u8));
            let order = self.vector(std::array::from_fn(dword));
            return self.binary(Op::Bytes, a, order);
        }
        let (low, high) = (self.shift(Op::Shr, a, by), self.shift(Op::Shl, a, 32 - by));
        self.binary(Op::Or, low, high)
    }

    /// Byte `n` of each dword, without its sign.
    pub(super) fn byte(&mut self, a: Value, n: u32) -> Value {
        let order = self.vector(std::array::from_fn(|lane| 0x8080_8000 | (4 * (lane as u32 & 3) + n)));
        self.binary(Op::Bytes, a, order)
    }

    /// Number of zeros above the highest one, from the exponent of a float; 32 if there is no one.
    fn leading_zeros(&mut self, a: Value) -> Value {
        // Only the highest one and some of the bits below it stay, so that nothing rounds up to the next power of
        // two.
        let below = self.shift(Op::Shr, a, 8);
        let few = self.binary(Op::AndNot, below, a);
        let float = self.unary(Op::FromI32, few);
        let exponent = self.shift(Op::Shr, float, 23);
        // Bit 31 makes the number negative, and the exponent with its sign larger than 158.
        let (most, all) = (self.dword(158), self.dword(32));
        let zeros = self.binary(Op::SubSaturatedU16, most, exponent);
        self.binary(Op::MinI16, zeros, all)
    }

    /// The number of ones: counts of each half of each byte, then their sums.
    fn ones(&mut self, a: Value) -> Value {
        let count =
            |i: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| (4 * (i as u32 & 3) + byte).count_ones() as u8));
        let table = self.vector(std::array::from_fn(count));
        let halves = self.dword(0x0f0f_0f0f);
        let low = self.binary(Op::And, a, halves);
        let high = self.shift(Op::Shr, a, 4);
        let high = self.binary(Op::And, high, halves);
        let [low, high] = [low, high].map(|half| self.binary(Op::Bytes, table, half));
        let (bytes, words) = (self.dword(0x0101_0101), self.dword(0x0001_0001));
        let sum = self.binary(Op::Add32, low, high);
        let sum = self.binary(Op::SumBytes, sum, bytes);
        self.binary(Op::SumWords, sum, words)
    }

    /// The fused sum rounds once.
    fn float_of_unsigned(&mut self, a: Value) -> Value {
        let (low, unit) = (self.dword(0xffff), self.dword(65536f32.to_bits()));
        let high = self.shift(Op::Shr, a, 16);
        let low = self.binary(Op::And, a, low);
        let [high, low] = [high, low].map(|half| self.unary(Op::FromI32, half));
        self.node(Action::Fused(false), [high, unit, low], 0)
    }

    /// The unsigned integer of a float that is not negative; all ones if it is too large.
    fn unsigned_of_positive(&mut self, a: Value) -> Value {
        let (half, all, top) = (self.dword(TWO_31), self.dword(TWO_32), self.dword(1 << 31));
        let [is_large, is_beyond] = [half, all].map(|limit| self.binary_imm(Op::LanesF32, a, limit, NOT_BELOW));
        let taken = self.binary(Op::And, is_large, half);
        let rest = self.binary(Op::SubF32, a, taken);
        let integer = self.unary(Op::ToI32, rest);
        let top = self.binary(Op::And, is_large, top);
        let integer = self.binary(Op::Xor, integer, top);
        self.binary(Op::Or, integer, is_beyond)
    }

    /// 2^n of integral binary64 numbers, limited to +-`limit`.
    fn power_of_two(&mut self, n: Value, limit: f64) -> Value {
        let [least, most, bias] = [-limit, limit, EXPONENT_BELOW].map(|x| self.qword(x.to_bits()));
        let n = self.binary(Op::MaxF64, n, least);
        let n = self.binary(Op::MinF64, n, most);
        let n = self.binary(Op::AddF64, n, bias);
        self.shift(Op::Shl64, n, 52)
    }

    /// `a * 2^n` of an integral `n`: exact in binary64, then rounded once.
    fn scaled(&mut self, a: Value, n: Value) -> Value {
        let products = [0, 1].map(|half| {
            let [a, n] = [a, n].map(|x| {
                let x = if half == 0 { x } else { self.unary_imm(Op::UpperHalf256, x, 1) };
                self.unary(Op::F64FromF32, x)
            });
            let factor = self.power_of_two(n, 400.0);
            let product = self.binary(Op::MulF64, a, factor);
            self.unary(Op::F32FromF64, product)
        });
        self.binary_imm(Op::JoinHalves256, products[0], products[1], 1)
    }

    /// The lesser number, or with `greatest` the greater one. -0 is below +0, and a NaN gives a NaN.
    fn lesser(&mut self, [min, max, lanes]: [Op; 3], a: Value, b: Value, greatest: bool) -> Value {
        // The host takes the second of two zeros, and the second source if one is a NaN.
        let op = if greatest { max } else { min };
        let [one, other] = [self.binary(op, a, b), self.binary(op, b, a)];
        if !greatest {
            return self.binary(Op::Or, one, other);
        }
        let number = self.binary(Op::And, one, other);
        let nan = self.binary_imm(lanes, a, b, UNORDERED);
        self.binary(Op::Or, number, nan)
    }

    /// The odd dwords of `even`, moved to even places, with the odd dwords of `odd`.
    pub(super) fn odd_dwords(&mut self, even: Value, odd: Value) -> Value {
        let even = self.shift(Op::Shr64, even, 32);
        self.binary_imm(Op::BlendDwords, even, odd, ODD)
    }

    // Masks.

    /// The lanes of `mask` from `then`, all others from `otherwise`.
    fn choose(&mut self, mask: Value, otherwise: Value, then: Value) -> Value {
        self.node(Action::Op(Op::Choose), [otherwise, then, mask], 0)
    }

    /// Does what [`List::merged`] does.
    pub(super) fn narrow_merged(&mut self, op: Op, mask: Value, old: Value, a: Value, b: Value) -> Value {
        let constant = self.constant(b);
        match (op, constant) {
            // A mask is -1 in its lanes.
            (Op::Sub32, Some(u32::MAX)) if old == a => self.binary(Op::Sub32, a, mask),
            (Op::Add32, Some(u32::MAX)) if old == a => self.binary(Op::Add32, a, mask),
            (Op::Or, Some(u32::MAX)) if old == a => self.binary(Op::Or, a, mask),
            (Op::And, Some(0)) if old == a => self.binary(Op::AndNot, mask, a),
            _ => {
                let then = self.binary(op, a, b);
                self.choose(mask, old, then)
            }
        }
    }

    /// Does what [`List::zeroed`] does.
    pub(super) fn narrow_zeroed(&mut self, op: Op, mask: Value, a: Value) -> Value {
        let then = if op == Op::Copy { a } else { self.unary(op, a) };
        self.binary(Op::And, mask, then)
    }

    /// Does what [`List::blend`] does.
    pub(super) fn narrow_blend(&mut self, mask: Value, a: Value, b: Value) -> Value {
        match (self.constant(a), self.constant(b)) {
            (Some(0), _) => self.binary(Op::And, mask, b),
            (_, Some(0)) => self.binary(Op::AndNot, mask, a),
            _ => self.choose(mask, a, b),
        }
    }

    /// Does what [`List::mask`] does.
    pub(super) fn narrow_mask(&mut self, op: KOp, a: Value, b: Value) -> Value {
        self.binary(vector_op(op), a, b)
    }

    /// Does what [`List::test`] does.
    pub(super) fn narrow_test(&mut self, op: Op, mask: Value, a: Value, b: Value, imm: u8) -> Value {
        match (self.lanes(op, a, b, imm), mask) {
            ((lanes, false), Value::NONE) => lanes,
            ((lanes, true), Value::NONE) => {
                let ones = self.dword(!0);
                self.binary(Op::Xor, lanes, ones)
            }
            ((lanes, false), mask) => self.binary(Op::And, lanes, mask),
            ((lanes, true), mask) => self.binary(Op::AndNot, lanes, mask),
        }
    }

    /// Does what [`List::require`] does.
    pub(super) fn narrow_require(&mut self, op: Op, a: Value, b: Value, imm: u8) {
        match self.lanes(op, a, b, imm) {
            (lanes, false) => self.narrow_right(KOp::And, Value::OK, lanes),
            (lanes, true) => self.narrow_right(KOp::AndNot, lanes, Value::OK),
        }
    }

    /// Lets an earlier test whether values are below `limit`, if there is one behind which `a` is not computed, take the
    /// greater of its value and `a`. Says whether it has done so.
    pub(super) fn join_below(&mut self, a: Value, limit: Value) -> bool {
        if !self.is_narrow {
            return false;
        }
        let is_source = |node: &Node| node.dst == a;
        let first = self.nodes.iter().rposition(is_source).map_or(0, |at| at + 1);
        let is_test = |nodes: &[Node]| {
            let [test, equal, right] = nodes else { return false };
            test.action == Action::Op(Op::MaxU32)
                && test.src[1] == limit
                && equal.action == Action::Op(Op::EqualI32)
                && equal.src[..2] == [test.dst, test.src[0]]
                && right.action == Action::Op(Op::AndNot)
                && right.src[..2] == [equal.dst, Value::OK]
        };
        let Some(at) = self.nodes[first..].windows(3).rposition(is_test).map(|at| first + at) else { return false };
        let known = self.nodes[at].src[0];
        if known != a {
            // The new node is the last one, and moves in front of the test.
            let inst = self.nodes[at].inst;
            let greater = self.binary(Op::MaxU32, known, a);
            if let Some(node) = self.nodes.pop() {
                self.nodes.insert(at, Node { inst, ..node });
                (self.nodes[at + 1].src[0], self.nodes[at + 2].src[1]) = (greater, greater);
            }
        }
        true
    }

    /// Joins the lanes that are right so far with a mask.
    pub(super) fn narrow_right(&mut self, op: KOp, a: Value, b: Value) {
        self.push(Action::Op(vector_op(op)), Value::OK, [a, b, Value::NONE], 0);
    }

    /// Does what [`List::convert_mask`] does.
    pub(super) fn narrow_convert_mask(&mut self, op: Op, from: Value) -> Value {
        // A mask is a vector both before and after. A vector of signs becomes one.
        if op == Op::MaskToBits { self.shift(Op::Sar, from, 31) } else { from }
    }

    /// A test. The second result says that it is the opposite of what was asked.
    fn lanes(&mut self, op: Op, a: Value, b: Value, imm: u8) -> (Value, bool) {
        let is_not = imm & 4 != 0;
        let (lanes, is_opposite) = match op {
            Op::CompareF32 => return (self.binary_imm(Op::LanesF32, a, b, imm), false),
            Op::CompareF64 => return (self.binary_imm(Op::LanesF64, a, b, imm), false),
            Op::Test | Op::TestNot => {
                let (both, zero) = (if a == b { a } else { self.binary(Op::And, a, b) }, self.dword(0));
                return (self.binary(Op::EqualI32, both, zero), op == Op::Test);
            }
            Op::CompareI32 | Op::CompareU32 => match (imm & 3, op) {
                (EQUAL, _) => (self.binary(Op::EqualI32, a, b), false),
                (LESS, Op::CompareI32) => (self.binary(Op::GreaterI32, b, a), false),
                (AT_MOST, Op::CompareI32) => (self.binary(Op::GreaterI32, a, b), true),
                (LESS, _) => {
                    let greatest = self.binary(Op::MaxU32, a, b);
                    (self.binary(Op::EqualI32, greatest, a), true)
                }
                (AT_MOST, _) => {
                    let least = self.binary(Op::MinU32, a, b);
                    (self.binary(Op::EqualI32, least, a), false)
                }
                _ => (self.dword(0), false),
            },
            Op::CompareI64 | Op::CompareU64 => {
                let [a, b] = match op {
                    Op::CompareU64 if imm & 3 != EQUAL => [a, b].map(|x| self.signed_order(x)),
                    _ => [a, b],
                };
                match imm & 3 {
                    EQUAL => (self.binary(Op::EqualI64, a, b), false),
                    LESS => (self.binary(Op::GreaterI64, b, a), false),
                    AT_MOST => (self.binary(Op::GreaterI64, a, b), true),
                    _ => (self.dword(0), false),
                }
            }
            op => unreachable!("{op:?} is no test"),
        };
        (lanes, is_not ^ is_opposite)
    }

    /// Unsigned numbers, changed so that a signed compare has their order.
    fn signed_order(&mut self, x: Value) -> Value {
        if let Home::Qword(i) = self.values[x.index()].home {
            return self.qword(self.qwords[i as usize] ^ SIGN_64);
        }
        let sign = self.qword(SIGN_64);
        self.binary(Op::Xor64, x, sign)
    }
}

fn vector_op(op: KOp) -> Op {
    match op {
        KOp::And => Op::And,
        KOp::AndNot => Op::AndNot,
        KOp::Or => Op::Or,
        KOp::Xor => Op::Xor,
    }
}
