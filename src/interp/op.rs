//! Predecoded instructions: a function, where its operands are, and how the two meet.
//!
//! An instruction's meaning is a plain function over values, `s_add_u32(s0: u32, s1: u32) -> (u32, bool)`. The
//! [`exec!`] macro wraps it into an [`Exec`] that fetches the arguments and stores the result. Fetching is
//! monomorphised over the *shape* of the sources (register or immediate), so that nothing is left to
//! decide when the instruction runs; what is rare (VCCZ, EXECZ, SCC, two immediates) takes the shape [`Any`].

use gcnsim_isa::{Pred, SourceKind, SourcePlace, WaveState, reg};

use crate::wave::Wave;

/// Executes one predecoded instruction, then the ones after it, by [`go_on`]. A call of the next function as the last act
/// is a jump in optimised code, and costs a third of returning to a loop; where it stays a call, the stack is
/// bounded by the length of a run.
pub(super) type Exec = fn(&mut Wave, &Op, &[Op]);

/// Executes instructions one after the other.
#[inline(always)]
pub(super) fn go_on(wave: &mut Wave, ops: &[Op]) {
    if let Some((op, rest)) = ops.split_first() {
        (op.exec)(wave, op, rest);
    }
}

/// A predecoded instruction.
#[derive(Clone, Copy)]
pub(super) struct Op {
    /// What it does.
    pub exec: Exec,
    /// Constant sources. Where a source is none, `imm[1]` is the address of the next instruction, and `imm[0]` of what ends a
    /// block the direct target (or, where that is a source, the next instruction's once more).
    pub imm: [u64; 2],
    /// Where the sources are.
    pub src: [SourcePlace; 2],
    /// SIMM16, or another small constant that the module of the encoding wants here.
    pub field: u16,
    /// Destination's operand code.
    pub dst: u8,
    /// Predicate of a vector compare.
    pub pred: Pred,
}

impl Op {
    /// A mark that is no instruction, with an address as `imm[1]`.
    pub fn mark(address: u64) -> Op {
        let src = [SourcePlace::of_kind(SourceKind::Sgpr); 2];
        Op { exec: |_, _, _| {}, imm: [0, address], src, field: 0, dst: 0, pred: Pred::F }
    }

    /// A scalar source that may be anything, zero-extended to 64 bits.
    pub fn scalar_source<T: Value>(&self, state: &WaveState, i: usize) -> T {
        match self.src[i].kind() {
            SourceKind::Sgpr => T::from_registers(state, self.src[i].number()),
            SourceKind::Imm | SourceKind::Vgpr => T::from_bits(self.imm[i]),
            SourceKind::Vccz => T::from_bits((state.vcc() == 0) as u64),
            SourceKind::Execz => T::from_bits((state.exec() == 0) as u64),
            SourceKind::Scc => T::from_bits(state.scc as u64),
        }
    }
}

/// Types of scalar operands.
pub(super) trait Value: Copy {
    /// The low bits.
    fn from_bits(bits: u64) -> Self;
    /// The register with operand code `code`, or the pair that starts there.
    fn from_registers(state: &WaveState, code: u8) -> Self;
}

/// A scalar register; codes are below 128.
#[inline(always)]
pub(super) fn register(state: &WaveState, code: u8) -> u32 {
    state.sgpr[(code & 127) as usize]
}

/// A pair of scalar registers, low half at `code`.
#[inline(always)]
pub(super) fn register_pair(state: &WaveState, code: u8) -> u64 {
    register(state, code) as u64 | (register(state, code + 1) as u64) << 32
}

#[inline(always)]
pub(super) fn set_register(state: &mut WaveState, code: u8, value: u32) {
    state.sgpr[(code & 127) as usize] = value;
}

#[inline(always)]
pub(super) fn set_register_pair(state: &mut WaveState, code: u8, value: u64) {
    set_register(state, code, value as u32);
    set_register(state, code + 1, (value >> 32) as u32);
}

macro_rules! values {
    ($($T:ty: $read:ident $write:ident $Unsigned:ty;)*) => { $(
        impl Value for $T {
            #[inline(always)]
            fn from_bits(bits: u64) -> $T {
                bits as $T
            }

            #[inline(always)]
            fn from_registers(state: &WaveState, code: u8) -> $T {
                $read(state, code) as $T
            }
        }

        impl Store for $T {
            #[inline(always)]
            fn store(self, state: &mut WaveState, op: &Op) {
                $write(state, op.dst, self as $Unsigned);
            }
        }
    )* };
}

values! {
    u32: register set_register u32;
    i32: register set_register u32;
    u64: register_pair set_register_pair u64;
    i64: register_pair set_register_pair u64;
}

/// What the function of an instruction returns, and where it goes.
pub(super) trait Store {
    fn store(self, state: &mut WaveState, op: &Op);
}

/// No result.
impl Store for () {
    #[inline(always)]
    fn store(self, _: &mut WaveState, _: &Op) {}
}

/// SCC alone.
impl Store for bool {
    #[inline(always)]
    fn store(self, state: &mut WaveState, _: &Op) {
        state.scc = self as u32;
    }
}

/// SDST and SCC.
impl<T: Store> Store for (T, bool) {
    #[inline(always)]
    fn store(self, state: &mut WaveState, op: &Op) {
        self.0.store(state, op);
        state.scc = self.1 as u32;
    }
}

/// SDST, if it is written at all.
impl<T: Store> Store for Option<T> {
    #[inline(always)]
    fn store(self, state: &mut WaveState, op: &Op) {
        if let Some(value) = self {
            value.store(state, op);
        }
    }
}

/// M0 alone.
pub(super) struct M0(pub u32);

impl Store for M0 {
    #[inline(always)]
    fn store(self, state: &mut WaveState, _: &Op) {
        state.sgpr[reg::M0 as usize] = self.0;
    }
}

/// PC alone: the instruction leaves its block for a computed address.
pub(super) struct Jump(pub u64);

impl Store for Jump {
    #[inline(always)]
    fn store(self, state: &mut WaveState, _: &Op) {
        state.pc = self.0;
    }
}

/// SDST and PC.
impl Store for (u64, Jump) {
    #[inline(always)]
    fn store(self, state: &mut WaveState, op: &Op) {
        self.0.store(state, op);
        self.1.store(state, op);
    }
}

/// How a source is fetched.
pub(super) trait Shape {
    fn read<T: Value>(state: &WaveState, op: &Op, i: usize) -> T;
}

/// A scalar register or pair.
pub(super) struct Reg;
/// A constant.
pub(super) struct Imm;
/// Any scalar source.
pub(super) struct Any;

impl Shape for Reg {
    #[inline(always)]
    fn read<T: Value>(state: &WaveState, op: &Op, i: usize) -> T {
        T::from_registers(state, op.src[i].number())
    }
}

impl Shape for Imm {
    #[inline(always)]
    fn read<T: Value>(_: &WaveState, op: &Op, i: usize) -> T {
        T::from_bits(op.imm[i])
    }
}

impl Shape for Any {
    fn read<T: Value>(state: &WaveState, op: &Op, i: usize) -> T {
        op.scalar_source(state, i)
    }
}

/// What a predecoded instruction is to its block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Role {
    /// Control goes on to the next instruction.
    Body,
    /// Not an instruction: the block goes on in another one.
    Goto,
    /// Jumps to the direct target.
    Branch,
    /// Executes, then jumps to the direct target.
    Call,
    /// Conditional branches to the direct target.
    CbranchScc0,
    CbranchScc1,
    CbranchVccz,
    CbranchVccnz,
    CbranchExecz,
    CbranchExecnz,
    /// Executes, which leaves the address to go to in PC.
    Computed,
    /// The wave ends.
    End,
    /// The wave halts.
    Halt,
    /// Not executed: a fault, a trap, or unsupported.
    Stop,
}

/// The decision of an encoding's module about an opcode.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub exec: Exec,
    pub role: Role,
}

impl Step {
    /// An ordinary instruction.
    pub const fn body(exec: Exec) -> Step {
        Step { exec, role: Role::Body }
    }

    /// An instruction that ends its block without doing anything but what its role says.
    pub const fn exit(role: Role) -> Step {
        Step { exec: |wave, _, rest| go_on(wave, rest), role }
    }

    /// The same instruction in another role.
    pub const fn role(self, role: Role) -> Step {
        Step { role, ..self }
    }
}

/// Wraps the function of an instruction: `exec!(s_addc_u32(s0, s1, scc))`. The names say which arguments it
/// takes: sources `s0`, `s1` (in the shapes `A` and `B` in scope), `dst` (old value of SDST), `scc`, `exec`,
/// `m0`, `field`, `op`, the addresses `next` and `target` (`fork_next` is where S_CBRANCH_G_FORK has the next one), and what
/// it may change besides: `notes`, `state`.
macro_rules! exec {
    ($name:ident($($arg:ident),*)) => {
        $crate::interp::op::Step::body(|wave, _op, rest| {
            let result = $name($(exec!(@ $arg wave _op)),*);
            $crate::interp::op::Store::store(result, &mut wave.state, _op);
            $crate::interp::op::go_on(wave, rest);
        })
    };
    (@ s0 $wave:ident $op:ident) => { A::read(&$wave.state, $op, 0) };
    (@ s1 $wave:ident $op:ident) => { B::read(&$wave.state, $op, 1) };
    (@ dst $wave:ident $op:ident) => { $crate::interp::op::Value::from_registers(&$wave.state, $op.dst) };
    (@ scc $wave:ident $op:ident) => { $wave.state.scc != 0 };
    (@ exec $wave:ident $op:ident) => { $wave.state.exec() };
    (@ m0 $wave:ident $op:ident) => { $wave.state.sgpr[gcnsim_isa::reg::M0 as usize] };
    (@ next $wave:ident $op:ident) => { $op.imm[1] };
    (@ target $wave:ident $op:ident) => { $op.imm[0] };
    (@ fork_next $wave:ident $op:ident) => { $op.imm[0] };
    (@ field $wave:ident $op:ident) => { $op.field };
    (@ op $wave:ident $op:ident) => { $op };
    (@ notes $wave:ident $op:ident) => { &mut $wave.state.notes };
    (@ state $wave:ident $op:ident) => { &mut $wave.state };
}
pub(super) use exec;
