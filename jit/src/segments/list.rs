//! A segment as a list of host operations on values, before they have registers.
//!
//! A value is computed once, for the lanes of a chunk; values of masks have a bit per lane. The list is the same for
//! all chunks. In [narrow](List::is_narrow) lists, for AVX2, masks are vectors, and operations are those of
//! [`narrow`](super::narrow).

use super::encode::{KOp, Width};
use super::ops::Op;

/// A value: the result of a node, or a source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Value(pub u16);

impl Value {
    /// No value. It has a place in arrays over values, so that operands that are not there need no test.
    pub const NONE: Value = Value(0);
    /// The mask of active lanes.
    pub const EXEC: Value = Value(1);
    /// The mask of active lanes whose results are right so far.
    pub const OK: Value = Value(2);

    /// Returns the number of the value.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The place of a value that no node has computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Home {
    /// The value has no place: a node computes it.
    Computed,
    /// A VGPR.
    Vgpr(u8),
    /// A slot of the frame, the same for all lanes.
    Scalar(u8),
    /// A pair of slots, the same for all elements of 64 bits.
    Pair(u8),
    /// A dword among the constants, by number.
    Dword(u16),
    /// A qword among the constants, the same for all elements of 64 bits.
    Qword(u16),
    /// 16 dwords among the constants.
    Vector(u16),
    /// 64 dwords, one for each lane, of which each chunk reads its own.
    Lanes(u16),
    /// A lane mask in a pair of slots.
    Mask(u8),
    /// A bound of addresses in LDS, the same for all lanes.
    Bound(u8),
    /// A dword of the frame at an offset in bytes, the same for all lanes.
    Frame(i32),
}

/// The elements of a load of guest memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Element {
    /// 1, 2 or 4.
    pub bytes: u8,
    /// Whether fewer than four are sign-extended.
    pub is_signed: bool,
}

/// Bit operations of three sources a, b, c.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Logic {
    /// `a ? b : c`.
    Select,
    /// `a & b | c`.
    AndOr,
    /// `a | b | c`.
    Or3,
    /// `!(a ^ b)`. It does not depend on c.
    Xnor,
    /// `(a ^ b) & !c`.
    XorAndNot,
    /// The majority: bits that are set in at least two of the three.
    Majority,
}

impl Logic {
    /// Bit `4a + 2b + c` is the result.
    pub fn table(self) -> u8 {
        match self {
            Logic::Select => 0xca,
            Logic::AndOr => 0xea,
            Logic::Or3 => 0xfe,
            Logic::Xnor => 0xc3,
            Logic::XorAndNot => 0x14,
            Logic::Majority => 0xe8,
        }
    }
}

/// The operation of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Action {
    /// An instruction; its sources in the order of the assembler.
    Op(Op),
    /// The sources are combined bit by bit.
    Logic(Logic),
    /// `src[0] * src[1] + src[2]`, fused; the immediate has the signs. `true`: binary64.
    Fused(bool),
    /// The masks `src[0]` and `src[1]` are combined.
    Mask(KOp),
    /// Lanes where a source is a NaN are no longer right.
    Numbers,
    /// A [routine](super::routine) is called with `src[0]`, by the address that the qword `src[1]` is. Lanes where it
    /// is not exact are no longer right.
    Call,
    /// A routine returns `src[0]`.
    Return,
    /// Leaves the chunk if an active lane is not right.
    Verify,
    /// A VGPR gets `src[0]` in active lanes.
    Store(u8),
    /// A pair of scalar registers gets the mask `src[0]`.
    StoreMask(u8),
    /// The distances of addresses `src[0]` from the first right one, which becomes that of a [`ReadGroup`].
    Locate(u8),
    /// Finds how the elements of a group lie whose distances in dwords are `src[0]`: as expected if these are `src[1]`.
    /// [`ReadGroup::is_wide`] says what `src[2]` is.
    Classify(u8),
    /// Dwords of LDS in the lanes that are right so far, at an offset: of a group, whose distances in dwords are
    /// `src[0]`, or without one, at the addresses `src[0]`.
    Read(Option<u8>, u32),
    /// The dword of LDS at an offset from the address that `src[0]` is in all lanes, a scalar operand or a constant. If
    /// the address is not below a bound, no lane is right any more.
    ReadOne(u8, u32),
    /// Half of the lanes of a pair, read as by `Read`: the first or the second register.
    ReadPair(u8, u32, bool),
    /// Elements of guest memory in active lanes, from a site, at the distances `src[0]` from its first address.
    /// `src[1]` has the distances of a row, `src[2]` those of a row of bytes, if elements are words.
    Load(u8, Element),
    /// Declines if there is a lane in the masks `src[0]` and `src[1]`. Only a probe has it.
    Probe,
    /// The lanes of the VGPR whose distance from VGPR 0, in bytes, is in two slots.
    Moved(u8),
    /// The VGPR at such a distance gets `src[0]` in active lanes.
    StoreMoved(u8),
    /// Nothing.
    Nothing,
}

impl Action {
    /// Whether it has an effect besides its result.
    pub fn is_effect(self) -> bool {
        use Action::{Call, Classify, Probe, ReadOne, Return, Store, StoreMask, StoreMoved, Verify};
        let is_store = matches!(self, Store(_) | StoreMoved(_) | StoreMask(_));
        is_store || matches!(self, Verify | Call | Classify(_) | ReadOne(..) | Probe | Return)
    }
}

/// An operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The operation.
    pub action: Action,
    /// The result.
    pub dst: Value,
    /// The sources. With `merge`, inactive lanes keep the value of the first one.
    pub src: [Value; 3],
    /// The lanes that take part; all if there is none.
    pub mask: Value,
    /// Whether other lanes keep `src[0]`. Otherwise they become zero.
    pub merge: bool,
    /// The immediate.
    pub imm: u8,
    /// The node is a test of this float result. It is left out if a NaN there shows elsewhere.
    pub guard: Value,
    /// Number of the instruction that it belongs to, for listings.
    pub inst: u16,
}

/// Facts about a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Info {
    /// Where it is.
    pub home: Home,
    /// Whether the value is a mask.
    pub is_mask: bool,
    /// Whether the value is a float whose NaNs make NaNs of later results, which are tested.
    pub spreads: bool,
    /// Whether the value is a mask without lanes outside EXEC.
    pub is_active: bool,
    /// Length of the longest chain of nodes that computes the value.
    pub depth: u16,
}

/// Reads of LDS at addresses that are the same but for offsets.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadGroup {
    /// The addresses.
    pub address: Value,
    /// Slot of M0, if it limits addresses.
    pub m0: Option<u8>,
    /// The distances of elements from the first one, in dwords.
    pub index: Value,
    /// Whether elements have 64 bits. They lie in a row, all in one place, or anywhere: [`Action::Classify`] compares
    /// with what is not expected of the first two. Dwords that are not as expected may lie near each other: there it
    /// takes the distance that is not within two vectors.
    pub is_wide: bool,
    /// Whether all are expected in one place. Otherwise they are expected in a row.
    pub is_uniform: bool,
    /// What addresses are known to be multiples of.
    pub align: u32,
    /// The largest offset of a dword.
    pub last: u32,
    /// Number of the bound.
    pub bound: u8,
}

/// A bound of addresses in LDS.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bound {
    /// Number of bytes from an address on that must be there.
    pub bytes: u32,
    /// Slot of M0, if it limits addresses.
    pub m0: Option<u8>,
    /// Whether `bytes` will not change.
    pub is_final: bool,
}

/// The nodes, their values and constants.
#[derive(Clone, Debug)]
pub(super) struct List {
    /// Reads of LDS.
    pub groups: Vec<ReadGroup>,
    /// The bounds of their addresses.
    pub bounds: Vec<Bound>,
    /// Number of loads of guest memory.
    pub loads: u8,
    /// The nodes, in order.
    pub nodes: Vec<Node>,
    /// The facts about each value, by its number.
    pub values: Vec<Info>,
    /// Constants of 32 bits.
    pub dwords: Vec<u32>,
    constants: Vec<(Home, Value)>,
    /// Constants of 64 bits.
    pub qwords: Vec<u64>,
    /// Constants of 16 lanes.
    pub vectors: Vec<[u32; 16]>,
    /// Tables of 64 lanes.
    pub tables: Vec<[u32; 64]>,
    /// Whether lanes can turn out to be wrong.
    pub has_tests: bool,
    /// Number of the instruction that nodes belong to.
    pub inst: u16,
    /// Whether the list is for the vectors of AVX2.
    pub is_narrow: bool,
}

/// Vector 0 of narrow lists: the bit of each lane of a chunk.
pub(super) const LANE_BITS: [u32; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];

impl List {
    /// A list without nodes.
    pub fn new(width: Width, capacity: usize) -> List {
        let is_narrow = width == Width::Ymm;
        let none = Info { home: Home::Computed, is_mask: false, spreads: false, is_active: false, depth: 0 };
        let mask = Info { is_mask: !is_narrow, is_active: true, ..none };
        let mut values = Vec::with_capacity(4 * capacity + 16);
        values.extend([none, mask, mask]);
        List {
            groups: Vec::new(),
            bounds: Vec::new(),
            loads: 0,
            nodes: Vec::with_capacity(4 * capacity + 16),
            values,
            dwords: Vec::new(),
            constants: Vec::new(),
            qwords: Vec::new(),
            vectors: if is_narrow { vec![LANE_BITS] } else { Vec::new() },
            tables: Vec::new(),
            has_tests: false,
            inst: 0,
            is_narrow,
        }
    }

    fn value(&mut self, home: Home, is_mask: bool) -> Value {
        let value = Value(self.values.len() as u16);
        self.values.push(Info { home, is_mask, spreads: false, is_active: false, depth: 0 });
        value
    }

    /// Adds a value that exists at the start.
    pub fn given(&mut self, home: Home) -> Value {
        self.value(home, matches!(home, Home::Mask(_)) && !self.is_narrow)
    }

    /// The value of a constant. Equal constants are one value.
    fn constant_value(&mut self, home: Home) -> Value {
        if let Some(&(_, value)) = self.constants.iter().find(|(known, _)| *known == home) {
            return value;
        }
        let value = self.given(home);
        self.constants.push((home, value));
        value
    }

    /// A constant in all lanes.
    pub fn dword(&mut self, bits: u32) -> Value {
        let i = position(&mut self.dwords, bits);
        self.constant_value(Home::Dword(i))
    }

    /// A constant in all elements of 64 bits.
    pub fn qword(&mut self, bits: u64) -> Value {
        let i = position(&mut self.qwords, bits);
        self.constant_value(Home::Qword(i))
    }

    /// A dword of the frame in all lanes.
    pub fn of_frame(&mut self, at: i32) -> Value {
        self.constant_value(Home::Frame(at))
    }

    /// 16 lanes of constants, of which narrow lists take the first eight.
    pub fn vector(&mut self, lanes: [u32; 16]) -> Value {
        let i = position(&mut self.vectors, lanes);
        self.constant_value(Home::Vector(i))
    }

    /// 64 lanes of constants.
    pub fn table(&mut self, lanes: [u32; 64]) -> Value {
        let i = position(&mut self.tables, lanes);
        self.constant_value(Home::Lanes(i))
    }

    /// The dword that a value is in all lanes.
    pub fn constant(&self, value: Value) -> Option<u32> {
        match self.values[value.index()].home {
            Home::Dword(i) => Some(self.dwords[i as usize]),
            _ => None,
        }
    }

    pub(super) fn push(&mut self, action: Action, dst: Value, src: [Value; 3], imm: u8) -> &mut Node {
        let (mask, guard) = (Value::NONE, Value::NONE);
        self.values[dst.index()].depth =
            src.iter().map(|&source| self.depth(source)).max().unwrap_or(0).saturating_add(1);
        self.nodes.push(Node { action, dst, src, mask, merge: false, imm, guard, inst: self.inst });
        let last = self.nodes.len() - 1;
        &mut self.nodes[last]
    }

    /// Adds a node whose result is a vector.
    pub fn node(&mut self, action: Action, src: [Value; 3], imm: u8) -> Value {
        if self.is_narrow
            && let Some(value) = self.narrowed(action, src, imm)
        {
            return value;
        }
        let dst = self.value(Home::Computed, false);
        self.push(action, dst, src, imm);
        dst
    }

    /// An instruction of one source.
    pub fn unary(&mut self, op: Op, a: Value) -> Value {
        self.node(Action::Op(op), [a, Value::NONE, Value::NONE], 0)
    }

    /// Likewise, with an immediate.
    pub fn unary_imm(&mut self, op: Op, a: Value, imm: u8) -> Value {
        self.node(Action::Op(op), [a, Value::NONE, Value::NONE], imm)
    }

    /// An instruction of two sources.
    pub fn binary(&mut self, op: Op, a: Value, b: Value) -> Value {
        self.node(Action::Op(op), [a, b, Value::NONE], 0)
    }

    /// Likewise, with an immediate.
    pub fn binary_imm(&mut self, op: Op, a: Value, b: Value, imm: u8) -> Value {
        self.node(Action::Op(op), [a, b, Value::NONE], imm)
    }

    /// A shift by a constant amount.
    pub fn shift(&mut self, op: Op, a: Value, by: u32) -> Value {
        if by == 0 { a } else { self.unary_imm(op, a, by as u8) }
    }

    /// Returns the length of the chain of nodes that computes a value.
    pub fn depth(&self, value: Value) -> u16 {
        self.values[value.index()].depth
    }

    /// A sum and another addend, if the last node computed the sum for the instruction before this one: then no other
    /// instruction uses the sum, and the caller replaces it. If an addend of it is computed later than `other`, that
    /// addend is added last.
    pub fn extended_sum(&mut self, sum: Value, other: Value) -> Option<Value> {
        let node = self.nodes.last().filter(|node| node.dst == sum && node.mask == Value::NONE)?;
        if node.action != Action::Op(Op::Add32) || node.inst.wrapping_add(1) != self.inst || other == sum {
            return None;
        }
        let [a, b, _] = node.src;
        let (earlier, later) = if self.depth(a) < self.depth(b) { (a, b) } else { (b, a) };
        if self.depth(other) >= self.depth(later) {
            return None;
        }
        self.nodes.pop();
        let sum = self.binary(Op::Add32, earlier, other);
        Some(self.binary(Op::Add32, sum, later))
    }

    /// Bit operations of three sources.
    pub fn logic(&mut self, a: Value, b: Value, c: Value, logic: Logic) -> Value {
        self.node(Action::Logic(logic), [a, b, c], logic.table())
    }

    /// An instruction whose first source is overwritten.
    pub fn tied(&mut self, op: Op, a: Value, b: Value, c: Value) -> Value {
        self.node(Action::Op(op), [a, b, c], 0)
    }

    /// The result of an instruction of two sources in the lanes of a mask, and `old` in others.
    pub fn merged(&mut self, op: Op, mask: Value, old: Value, a: Value, b: Value) -> Value {
        if self.is_narrow {
            return self.narrow_merged(op, mask, old, a, b);
        }
        let dst = self.value(Home::Computed, false);
        let node = self.push(Action::Op(op), dst, [old, a, b], 0);
        (node.mask, node.merge) = (mask, true);
        dst
    }

    /// The result of an instruction of one source in the lanes of a mask, and 0 in others.
    pub fn zeroed(&mut self, op: Op, mask: Value, a: Value) -> Value {
        if self.is_narrow {
            return self.narrow_zeroed(op, mask, a);
        }
        let dst = self.value(Home::Computed, false);
        self.push(Action::Op(op), dst, [a, Value::NONE, Value::NONE], 0).mask = mask;
        dst
    }

    /// `b` in lanes of a mask, `a` in others.
    pub fn blend(&mut self, mask: Value, a: Value, b: Value) -> Value {
        if self.is_narrow {
            return self.narrow_blend(mask, a, b);
        }
        if self.constant(a) == Some(0) {
            return self.zeroed(Op::Copy, mask, b);
        }
        let dst = self.value(Home::Computed, false);
        self.push(Action::Op(Op::Blend), dst, [a, b, Value::NONE], 0).mask = mask;
        dst
    }

    /// The mask of a test of two sources, in the lanes of a mask.
    pub fn test(&mut self, op: Op, mask: Value, a: Value, b: Value, imm: u8) -> Value {
        let is_active = mask != Value::NONE && self.values[mask.index()].is_active;
        let dst = if self.is_narrow {
            self.narrow_test(op, mask, a, b, imm)
        } else {
            let dst = self.value(Home::Computed, true);
            self.push(Action::Op(op), dst, [a, b, Value::NONE], imm).mask = mask;
            dst
        };
        self.values[dst.index()].is_active |= is_active;
        dst
    }

    /// Two masks combined.
    pub fn mask(&mut self, op: KOp, a: Value, b: Value) -> Value {
        let dst = if self.is_narrow {
            self.narrow_mask(op, a, b)
        } else {
            let dst = self.value(Home::Computed, true);
            self.push(Action::Mask(op), dst, [a, b, Value::NONE], 0);
            dst
        };
        let is_active = |value: Value| self.values[value.index()].is_active;
        let both = is_active(a) && is_active(b);
        self.values[dst.index()].is_active = both || op == KOp::And && (is_active(a) || is_active(b));
        dst
    }

    /// A mask without lanes outside EXEC.
    pub fn active(&mut self, mask: Value) -> Value {
        if self.values[mask.index()].is_active { mask } else { self.mask(KOp::And, Value::EXEC, mask) }
    }

    /// A mask from the signs of lanes, or signs of 64-bit elements from a mask.
    pub fn convert_mask(&mut self, op: Op, from: Value) -> Value {
        if self.is_narrow {
            return self.narrow_convert_mask(op, from);
        }
        let dst = self.value(Home::Computed, op == Op::MaskToBits);
        self.push(Action::Op(op), dst, [from, Value::NONE, Value::NONE], 0);
        dst
    }

    /// Calls a routine. The result is what it returns.
    pub fn call(&mut self, address: u64, argument: Value) -> Value {
        self.has_tests = true;
        let (dst, address) = (self.value(Home::Computed, false), self.qword(address));
        self.push(Action::Call, dst, [argument, address, Value::NONE], 0);
        dst
    }

    /// Marks lanes that fail a test as wrong.
    pub fn require(&mut self, op: Op, a: Value, b: Value, imm: u8) {
        self.has_tests = true;
        if self.is_narrow {
            self.narrow_require(op, a, b, imm);
        } else {
            self.push(Action::Op(op), Value::OK, [a, b, Value::NONE], imm).mask = Value::OK;
        }
    }

    /// Marks lanes outside a mask as wrong.
    pub fn require_mask(&mut self, mask: Value) {
        self.has_tests = true;
        self.right(KOp::And, Value::OK, mask);
    }

    /// Marks lanes of a mask as wrong.
    pub fn exclude(&mut self, mask: Value) {
        self.has_tests = true;
        self.right(KOp::AndNot, mask, Value::OK);
    }

    fn right(&mut self, op: KOp, a: Value, b: Value) {
        if self.is_narrow {
            self.narrow_right(op, a, b);
        } else {
            self.push(Action::Mask(op), Value::OK, [a, b, Value::NONE], 0);
        }
    }

    /// Marks lanes where a binary32 value is NaN as wrong.
    pub fn require_number(&mut self, value: Value) {
        self.has_tests = true;
        self.push(Action::Numbers, Value::OK, [value, value, Value::NONE], 0).guard = value;
    }
}

/// The number of a constant, which is added if it is new.
fn position<T: PartialEq>(constants: &mut Vec<T>, constant: T) -> u16 {
    let known = constants.iter().position(|known| *known == constant);
    let i = known.unwrap_or_else(|| {
        constants.push(constant);
        constants.len() - 1
    });
    i as u16
}
