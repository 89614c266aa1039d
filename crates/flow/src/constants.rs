//! Addresses that code computes from S_GETPC_B64. They are found by constant propagation along straight-line code, for
//! calls and jump tables, in listings and in the JIT. A known value must be true: where nothing enters compiled code
//! from outside, a jump to a known address compares nothing.

use gcnsim_isa::{Flow as Leave, Fx, Inst, Opcode, OperandType, Sop1, Sop2, Sopk, Src};

/// What is known of a scalar register.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Kind {
    #[default]
    Unknown,
    Number,
    /// A value that comes from S_GETPC_B64.
    Address,
    /// The low and the high half of the return address of a call.
    Low,
    High,
    /// A half of the return address of some call: the value is not known.
    SomeLow,
    SomeHigh,
}

/// One half of a register pair.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Known {
    pub value: u32,
    pub kind: Kind,
}

impl Known {
    fn of(value: u32, is_address: bool) -> Known {
        Known { value, kind: if is_address { Kind::Address } else { Kind::Number } }
    }

    fn has_value(self) -> bool {
        matches!(self.kind, Kind::Number | Kind::Address | Kind::Low | Kind::High)
    }

    fn is_address(self) -> bool {
        matches!(self.kind, Kind::Address | Kind::Low | Kind::High)
    }

    /// Returns what is known of a register where two paths meet.
    pub fn meet(self, other: Known) -> Known {
        let value = self.value;
        match (self.kind, other.kind) {
            (a, b) if a == b && value == other.value => self,
            (Kind::Low | Kind::SomeLow, Kind::Low | Kind::SomeLow) => Known { value: 0, kind: Kind::SomeLow },
            (Kind::High | Kind::SomeHigh, Kind::High | Kind::SomeHigh) => Known { value: 0, kind: Kind::SomeHigh },
            _ if self.has_value() && other.has_value() && value == other.value => {
                Known::of(value, self.is_address() && other.is_address())
            }
            _ => Known::default(),
        }
    }
}

/// The place to which a computed jump leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Goal {
    At(u64),
    /// The return site of some call.
    Returns,
    Unknown,
}

/// Known registers at a point of straight-line code.
#[derive(Clone, Debug)]
pub struct Constants {
    regs: [Known; 128],
    /// Carry or borrow of the last addition, if known.
    scc: Option<u32>,
}

impl Default for Constants {
    fn default() -> Constants {
        Constants { regs: [Known::default(); 128], scc: None }
    }
}

/// Addresses that are known to be in register pairs (by the first register), ascending.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Facts(Vec<(u8, u64)>);

impl Facts {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Constants {
    /// Knows nothing but the facts.
    pub fn new(facts: &Facts) -> Constants {
        let mut constants = Constants::default();
        facts.0.iter().for_each(|&(n, address)| constants.set_pair(n, address, true));
        constants
    }

    /// The known addresses in register pairs that satisfy a condition. `among` selects registers (one bit each).
    pub fn facts(&self, among: u128, condition: impl Fn(u64) -> bool) -> Facts {
        let pairs = (0..128u8).step_by(2).filter(|n| among >> n & 3 == 3);
        let known =
            |n| self.pair(n).filter(|&(address, is_address)| is_address && condition(address)).map(|(a, _)| (n, a));
        Facts(pairs.filter_map(known).collect())
    }

    fn src32(&self, inst: &Inst, i: usize) -> Known {
        match inst.src(i) {
            Src::Sgpr(n) => self.regs[n as usize],
            Src::Imm(v) => Known::of(v as u32, false),
            _ => Known::default(),
        }
    }

    /// What is known of register `n`.
    pub(crate) fn get(&self, n: u8) -> Known {
        self.regs.get(n as usize).copied().unwrap_or_default()
    }

    /// Sets what is known of register `n`.
    pub(crate) fn set(&mut self, n: u8, known: Known) {
        if let Some(reg) = self.regs.get_mut(n as usize) {
            *reg = known;
        }
    }

    /// What is known of each register.
    pub(crate) fn all(&self) -> &[Known] {
        &self.regs
    }

    /// The value of registers `n` and `n + 1`, if known, and whether it comes from S_GETPC_B64.
    pub fn pair(&self, n: u8) -> Option<(u64, bool)> {
        let (lo, hi) = (self.regs[n as usize], *self.regs.get(n as usize + 1)?);
        let value = lo.value as u64 | (hi.value as u64) << 32;
        (lo.has_value() && hi.has_value()).then_some((value, lo.is_address() || hi.is_address()))
    }

    /// Sets the value of registers `n` and `n + 1`.
    pub fn set_pair(&mut self, n: u8, value: u64, is_address: bool) {
        self.set(n, Known::of(value as u32, is_address));
        self.set(n.saturating_add(1), Known::of((value >> 32) as u32, is_address));
    }

    /// Forgets some registers (one bit each) and SCC.
    pub fn forget(&mut self, registers: u128) {
        self.scc = None;
        self.forget_registers(registers);
    }

    fn forget_registers(&mut self, registers: u128) {
        let mut rest = registers;
        while rest != 0 {
            self.regs[rest.trailing_zeros() as usize] = Known::default();
            rest &= rest - 1;
        }
    }

    /// The target of a computed jump, if it is known before the jump executes. Its low bits may be set.
    pub fn jump_target(&self, inst: &Inst) -> Option<u64> {
        if !matches!(inst.flow(), Leave::SwapPc | Leave::Indirect) {
            return None;
        }
        match inst.src(0) {
            Src::Sgpr(n) => self.pair(n).map(|(target, _)| target),
            _ => None,
        }
    }

    /// The place to which a computed jump leads.
    pub(crate) fn goal(&self, inst: &Inst) -> Goal {
        if let Some(target) = self.jump_target(inst) {
            return Goal::At(target & !3);
        }
        let halves = match (inst.src_count() > 0).then(|| inst.src(0)) {
            Some(Src::Sgpr(n)) => [n, n.saturating_add(1)].map(|n| self.get(n).kind),
            _ => return Goal::Unknown,
        };
        match halves {
            [Kind::Low | Kind::SomeLow, Kind::High | Kind::SomeHigh] => Goal::Returns,
            _ => Goal::Unknown,
        }
    }

    /// Executes one instruction. Returns an address that the instruction completes in a register pair.
    pub fn step(&mut self, inst: &Inst, pc: u64) -> Option<u64> {
        let dst = inst.dst();
        let (a, b) = match inst.src_count() {
            // Of the others, nothing is known.
            _ if !matches!(inst.opcode, Opcode::Sop1(_) | Opcode::Sop2(_) | Opcode::Sopk(_)) => Default::default(),
            0 => Default::default(),
            1 => (self.src32(inst, 0), Known::default()),
            _ => (self.src32(inst, 0), self.src32(inst, 1)),
        };
        let mut result = None; // 32-bit result with carry
        let is_address = a.is_address() || b.is_address();
        let both = a.has_value() && b.has_value();
        match inst.opcode {
            Opcode::Sop1(Sop1::SGetpcB64) => {
                self.set_pair(dst?, pc.wrapping_add(4), true);
                return None;
            }
            Opcode::Sop1(Sop1::SSwappcB64) | Opcode::Sopk(Sopk::SCallB64) => {
                let (dst, address) = (dst?, pc.wrapping_add(inst.size() as u64));
                self.set(dst, Known { value: address as u32, kind: Kind::Low });
                self.set(dst.saturating_add(1), Known { value: (address >> 32) as u32, kind: Kind::High });
                return None;
            }
            Opcode::Sop1(Sop1::SMovB32) | Opcode::Sopk(Sopk::SMovkI32) => {
                self.forget_registers(inst.writes().sgprs);
                self.set(dst?, a);
                return None;
            }
            Opcode::Sop1(Sop1::SMovB64) => {
                let halves = match inst.src(0) {
                    Src::Sgpr(n) => [self.get(n), self.get(n.saturating_add(1))],
                    Src::Imm(v) => [v as u32, (v >> 32) as u32].map(|half| Known::of(half, false)),
                    _ => [Known::default(); 2],
                };
                self.set(dst?, halves[0]);
                self.set(dst?.saturating_add(1), halves[1]);
                return None;
            }
            Opcode::Sop2(Sop2::SAddU32) if both => {
                let (sum, carry) = a.value.overflowing_add(b.value);
                result = Some((sum, Some(carry as u32)));
            }
            Opcode::Sop2(Sop2::SAddcU32) if both && self.scc.is_some() => {
                let sum = a.value as u64 + b.value as u64 + self.scc? as u64;
                result = Some((sum as u32, Some((sum >> 32) as u32)));
            }
            Opcode::Sop2(Sop2::SSubU32) if both => {
                let (difference, borrow) = a.value.overflowing_sub(b.value);
                result = Some((difference, Some(borrow as u32)));
            }
            Opcode::Sop2(Sop2::SSubbU32) if both && self.scc.is_some() => {
                let subtrahend = b.value as u64 + self.scc? as u64;
                let difference = (a.value as u64).wrapping_sub(subtrahend);
                result = Some((difference as u32, Some((subtrahend > a.value as u64) as u32)));
            }
            _ => {}
        }
        let writes = inst.writes();
        if writes.scc {
            self.scc = None;
        }
        self.forget_registers(writes.sgprs);
        let (value, scc) = result?;
        let dst = dst?;
        debug_assert!(inst.desc().dst == OperandType::b32);
        self.scc = scc;
        self.regs[dst as usize] = Known::of(value, is_address);
        let (address, from_getpc) = self.pair(dst & !1)?;
        (from_getpc && inst.desc().fx.has(Fx::WSCC)).then_some(address)
    }
}
