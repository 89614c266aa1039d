//! Predecoded instructions: their functions, their operands, and how the two meet.
//!
//! The meaning of an instruction is a plain function over values, such as `s_add_u32(s0: u32, s1: u32) -> (u32, bool)`.
//! The [`exec!`] macro wraps it into an [`Exec`] that fetches the arguments and stores the result. Fetching is
//! monomorphised over the *shape* of the sources (register or immediate), so that nothing is left to decide when the
//! instruction runs. Rare sources (VCCZ, EXECZ, SCC, two immediates) have the shape [`Any`].

use std::hint::select_unpredictable;

use gcnsim_isa::{
    CoreNotes, Kind, Note, Notes, Operand, Operands, Pred, Program, RegCode, SourceKind, SourcePlace, WaveState, reg,
};
use gcnsim_machine::{Context, Message};

use super::code::{Code, Tables};
use super::register::{register, register_pair, set_register, set_register_pair};
use super::vector::interpolation::lds_direct;
use super::vector::op::VectorOp;
use gcnsim_machine::Wave;

/// Executes the first of the given instructions and then the ones after it: [`Op::next`] is the function for those. In
/// optimised code this last call is a jump, and costs a third of returning to a loop. Where it stays a call, the length
/// of a run bounds the stack. SCC is passed on in a register.
pub(super) type Exec = fn(&mut Wave, &[Op], scc: bool, &mut Env) -> Exit;

/// A predecoded vector instruction.
#[derive(Clone, Copy)]
pub(super) struct Vector {
    pub op: VectorOp,
    /// Notes that the instruction's words decide.
    pub notes: Notes,
}

/// The surroundings of an instruction, besides the wave and its operands.
pub(super) struct Env<'a> {
    /// The program.
    pub program: &'a Program,
    /// Operands that do not fit an [`Op`].
    pub tables: &'a Tables,
    /// The memory, LDS and GDS that the wave can reach.
    pub context: &'a mut Context,
    /// Set if an instruction could not execute: the number of instructions from it to the end of what was to be
    /// executed.
    pub stopped: Option<usize>,
}

/// The way in which a stretch of instructions was left.
#[derive(Clone, Copy)]
pub(super) struct Exit {
    pub way: Way,
    pub scc: bool,
}

/// The way in which control leaves a stretch. The first two are indices of successors.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Way {
    /// The stretch is left to the direct target.
    Target,
    /// The stretch is left to the instruction after the last one.
    Next,
    /// The stretch is left to the address in PC.
    Computed,
    /// The stretch is left as the role of the last instruction says.
    Role,
}

impl Exit {
    /// The exit where no instruction is left to execute.
    pub fn end(scc: bool) -> Exit {
        Exit { way: Way::Role, scc }
    }
}

/// Leaves a block in the way that its role says.
pub(super) fn leave(_: &mut Wave, _: &[Op], scc: bool, _: &mut Env) -> Exit {
    Exit::end(scc)
}

/// Leaves a block for the instruction after it.
pub(super) fn leave_to_next(_: &mut Wave, _: &[Op], scc: bool, _: &mut Env) -> Exit {
    Exit { way: Way::Next, scc }
}

/// The way that a condition chooses. The barrier keeps this a branch, which the processor predicts. If the way were
/// selected as data, every block would wait for the last instruction of the block before (half the speed).
#[inline(always)]
pub(super) fn taken(condition: bool) -> Way {
    if condition {
        Way::Target
    } else {
        std::hint::black_box(());
        Way::Next
    }
}

/// An instruction without effect.
pub(super) fn nothing(wave: &mut Wave, ops: &[Op], scc: bool, env: &mut Env) -> Exit {
    let [op, rest @ ..] = ops else { return Exit::end(scc) };
    (op.next)(wave, rest, scc, env)
}

/// A predecoded instruction. Its function is in [`Op::next`] of the instruction before, so that a function finds the
/// next function together with its own operands.
#[derive(Clone, Copy)]
pub(super) struct Op {
    /// The function of the next instruction.
    pub next: Exec,
    /// Constant sources. If source 1 is no constant, `imm[1]` is the address of the next instruction. If source 0 is no
    /// constant, `imm[0]` of an instruction that ends a block is its direct target, or the address of the next
    /// instruction if it has no target.
    pub imm: [u64; 2],
    /// The places of the sources.
    pub src: [SourcePlace; 2],
    /// SIMM16, or another small constant that the encoding's module needs.
    pub field: u16,
    /// Destination.
    pub dst: RegCode,
    /// Predicate of a vector compare.
    pub pred: Pred,
}

impl<'a> Env<'a> {
    /// The environment for code in a context. No instruction has stopped yet.
    #[inline(always)]
    pub fn new(program: &'a Program, code: &'a Code, context: &'a mut Context) -> Env<'a> {
        Env { program, tables: &code.tables, context, stopped: None }
    }

    /// Makes memory and LDS, unless they exist.
    #[inline(always)]
    pub fn make_ready(&mut self) {
        if !self.context.is_ready() {
            self.make_context_ready();
        }
    }

    #[cold]
    #[inline(never)]
    fn make_context_ready(&mut self) {
        self.context.make_ready(self.program);
    }
}

/// Executes a vector instruction.
pub(super) fn run_vector(wave: &mut Wave, ops: &[Op], scc: bool, env: &mut Env) -> Exit {
    let [op, rest @ ..] = ops else { return Exit::end(scc) };
    if let Some(vector) = env.tables.vectors.get(op.imm[0] as usize) {
        // SCC may be a source.
        wave.state.scc = scc as u32;
        (vector.op.function)(&vector.op, &mut wave.state, wave.vgprs.regs_mut());
        wave.state.notes = wave.state.notes.or(vector.notes);
    }
    (op.next)(wave, rest, scc, env)
}

/// Executes a vector instruction that reads LDS_DIRECT.
pub(super) fn run_vector_with_lds(wave: &mut Wave, ops: &[Op], scc: bool, env: &mut Env) -> Exit {
    let [op, rest @ ..] = ops else { return Exit::end(scc) };
    env.make_ready();
    if let Some(vector) = env.tables.vectors.get(op.imm[0] as usize) {
        wave.state.scc = scc as u32;
        let vector_op = vector.op.with_lds_direct(lds_direct(&wave.state, env.context));
        (vector_op.function)(&vector_op, &mut wave.state, wave.vgprs.regs_mut());
        wave.state.notes = wave.state.notes.or(vector.notes);
    }
    (op.next)(wave, rest, scc, env)
}

/// Executes an interpolation.
pub(super) fn run_interpolation(wave: &mut Wave, ops: &[Op], scc: bool, env: &mut Env) -> Exit {
    let [op, rest @ ..] = ops else { return Exit::end(scc) };
    env.make_ready();
    if let Some((interpolation, notes)) = env.tables.interpolations.get(op.imm[0] as usize) {
        wave.state.scc = scc as u32;
        interpolation.execute(wave, env.context);
        wave.state.notes = wave.state.notes.or(*notes);
    }
    (op.next)(wave, rest, scc, env)
}

/// Sends a message, and goes on. (At the end of a block there is nothing to go on with.)
pub(super) fn send_message(wave: &mut Wave, ops: &[Op], scc: bool, env: &mut Env) -> Exit {
    let [op, rest @ ..] = ops else { return Exit::end(scc) };
    record_message(wave, op);
    (op.next)(wave, rest, scc, env)
}

/// Sends a message, and leaves the block in the way that its role says.
pub(super) fn send_message_and_leave(wave: &mut Wave, ops: &[Op], scc: bool, _: &mut Env) -> Exit {
    if let [op, ..] = ops {
        record_message(wave, op);
    }
    Exit::end(scc)
}

fn record_message(wave: &mut Wave, op: &Op) {
    let (m0, exec) = (wave.state.sgpr[usize::from(reg::M0)], wave.state.exec());
    let message = Message { message: op.field, m0, exec, pc: op.imm[1].wrapping_sub(4) };
    let is_kept = wave.observed.message(message);
    wave.state.notes.insert_if(!is_kept, Note::ExportsCut);
}

impl Operands for Op {
    #[inline(always)]
    fn source(&mut self, i: usize, Operand { place, value }: Operand) {
        (self.src[i], self.imm[i]) = (place, value);
    }

    #[inline(always)]
    fn destination(&mut self, dst: RegCode) {
        self.dst = dst;
    }
}

/// Properties of an instruction that are rarely needed.
#[derive(Clone, Copy)]
pub(super) struct OpInfo {
    /// Notes raised whenever it executes.
    pub notes: CoreNotes,
    /// Index of its first dword.
    pub word: u32,
    pub traits: Traits,
}

/// The kind of an instruction. It is aligned so that both fields are copied at once.
#[derive(Clone, Copy)]
#[repr(align(2))]
pub(super) struct Traits {
    pub role: Role,
    /// [`gcnsim_isa::Kind`] as a number. Marks have the number after the last kind.
    pub kind: u8,
}

impl OpInfo {
    /// The properties of a mark.
    pub fn mark(word: u32, role: Role) -> OpInfo {
        OpInfo { notes: CoreNotes::NONE, word, traits: Traits { role, kind: Kind::ALL.len() as u8 } }
    }
}

impl Op {
    /// A mark, which is no instruction, with an address as `imm[1]`.
    pub fn mark(address: u64) -> Op {
        let src = [SourcePlace::of_kind(SourceKind::Sgpr); 2];
        Op { next: leave, imm: [0, address], src, field: 0, dst: RegCode::R0, pred: Pred::F }
    }

    /// A scalar source of any shape, zero-extended to 64 bits.
    pub fn scalar_source<T: Value>(&self, state: &WaveState, scc: bool, i: usize) -> T {
        if self.src[i].is_plain() {
            // The processor could not predict which of the two it is.
            let register = T::from_registers(state, self.src[i].register());
            return select_unpredictable(self.src[i].is_imm(), T::from_bits(self.imm[i]), register);
        }
        match self.src[i].kind() {
            SourceKind::Sgpr | SourceKind::Imm | SourceKind::Vgpr => T::from_bits(self.imm[i]),
            SourceKind::Vccz => T::from_bits((state.vcc() == 0) as u64),
            SourceKind::Execz => T::from_bits((state.exec() == 0) as u64),
            SourceKind::Scc => T::from_bits(scc as u64),
        }
    }
}

/// Types of scalar operands.
pub(super) trait Value: Copy {
    /// The low bits.
    fn from_bits(bits: u64) -> Self;
    /// The register with operand code `code`, or the pair that starts there.
    fn from_registers(state: &WaveState, code: RegCode) -> Self;
}

macro_rules! values {
    ($($T:ty: $read:ident $write:ident $Unsigned:ty;)*) => { $(
        impl Value for $T {
            #[inline(always)]
            fn from_bits(bits: u64) -> $T {
                bits as $T
            }

            #[inline(always)]
            fn from_registers(state: &WaveState, code: RegCode) -> $T {
                $read(state, code) as $T
            }
        }

        impl Store for $T {
            #[inline(always)]
            fn store(self, state: &mut WaveState, op: &Op, scc: bool) -> bool {
                $write(state, op.dst, self as $Unsigned);
                scc
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

/// A result of an instruction's function, which knows where it goes.
pub(super) trait Store {
    /// Stores the result. `scc` is the old SCC; returns the new one.
    fn store(self, state: &mut WaveState, op: &Op, scc: bool) -> bool;
}

/// No result.
impl Store for () {
    #[inline(always)]
    fn store(self, _: &mut WaveState, _: &Op, scc: bool) -> bool {
        scc
    }
}

/// Only SCC.
impl Store for bool {
    #[inline(always)]
    fn store(self, _: &mut WaveState, _: &Op, _: bool) -> bool {
        self
    }
}

/// SDST and SCC.
impl<T: Store> Store for (T, bool) {
    #[inline(always)]
    fn store(self, state: &mut WaveState, op: &Op, scc: bool) -> bool {
        self.0.store(state, op, scc);
        self.1
    }
}

/// SDST, if it is written.
impl<T: Store> Store for Option<T> {
    #[inline(always)]
    fn store(self, state: &mut WaveState, op: &Op, scc: bool) -> bool {
        match self {
            Some(value) => value.store(state, op, scc),
            None => scc,
        }
    }
}

/// Only M0.
pub(super) struct M0(pub u32);

impl Store for M0 {
    #[inline(always)]
    fn store(self, state: &mut WaveState, _: &Op, scc: bool) -> bool {
        state.sgpr[reg::M0 as usize] = self.0;
        scc
    }
}

/// Only PC: the instruction leaves its block for a computed address.
pub(super) struct Jump(pub u64);

impl Store for Jump {
    #[inline(always)]
    fn store(self, state: &mut WaveState, _: &Op, scc: bool) -> bool {
        state.pc = self.0;
        scc
    }
}

/// SDST and PC.
impl Store for (u64, Jump) {
    #[inline(always)]
    fn store(self, state: &mut WaveState, op: &Op, scc: bool) -> bool {
        self.0.store(state, op, scc);
        self.1.store(state, op, scc)
    }
}

/// The way in which a source is fetched.
pub(super) trait Shape {
    fn read<T: Value>(state: &WaveState, scc: bool, op: &Op, i: usize) -> T;
}

/// A scalar register or pair.
pub(super) struct Reg;
/// A constant.
pub(super) struct Imm;
/// SIMM16, sign-extended to 32 bits.
pub(super) struct Simm;
/// SIMM16, zero-extended to 32 bits.
pub(super) struct Uimm;
/// Any scalar source.
pub(super) struct Any;

impl Shape for Reg {
    #[inline(always)]
    fn read<T: Value>(state: &WaveState, _: bool, op: &Op, i: usize) -> T {
        T::from_registers(state, op.src[i].register())
    }
}

impl Shape for Imm {
    #[inline(always)]
    fn read<T: Value>(_: &WaveState, _: bool, op: &Op, i: usize) -> T {
        T::from_bits(op.imm[i])
    }
}

impl Shape for Simm {
    #[inline(always)]
    fn read<T: Value>(_: &WaveState, _: bool, op: &Op, _: usize) -> T {
        T::from_bits(op.field as i16 as u32 as u64)
    }
}

impl Shape for Uimm {
    #[inline(always)]
    fn read<T: Value>(_: &WaveState, _: bool, op: &Op, _: usize) -> T {
        T::from_bits(op.field as u64)
    }
}

impl Shape for Any {
    fn read<T: Value>(state: &WaveState, scc: bool, op: &Op, i: usize) -> T {
        op.scalar_source(state, scc, i)
    }
}

/// The role of a predecoded instruction in its block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Role {
    /// Control goes on to the next instruction.
    Body,
    /// Control goes on to the next instruction. It begins or continues a carry chain, so there may be a function for it
    /// and the next link.
    Add,
    Sub,
    Addc,
    Subb,
    /// A mark: the block goes on in another one.
    Goto,
    /// The instruction leaves its block for the direct target or the next instruction.
    Jump,
    /// The instruction leaves its block for a computed address.
    Computed,
    /// The wave ends.
    End,
    /// The wave halts.
    Halt,
    /// The wave waits for the others of its group.
    Barrier,
    /// The instruction is not executed: a fault, a trap, or an unsupported instruction.
    Stop,
}

impl Role {
    /// Whether control goes on to the next instruction.
    #[inline(always)]
    pub fn goes_on(self) -> bool {
        matches!(self, Role::Body | Role::Add | Role::Addc | Role::Sub | Role::Subb)
    }

    /// Whether the role is that of a mark, which is no instruction.
    #[inline(always)]
    pub fn is_mark(self) -> bool {
        matches!(self, Role::Goto | Role::Stop)
    }
}

/// The function and role that an encoding's module chooses for an opcode.
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

    /// The same function for another role.
    pub const fn with(self, role: Role) -> Step {
        Step { role, ..self }
    }

    /// An instruction that leaves its block by a way.
    pub const fn jump(way: Way, exec: Exec) -> Step {
        let role = match way {
            Way::Computed => Role::Computed,
            _ => Role::Jump,
        };
        Step { exec, role }
    }

    /// An instruction that stops the run.
    pub const fn stop(role: Role) -> Step {
        Step { exec: leave, role }
    }
}

/// The step of an instruction that is not documented, and not executed.
pub const fn undocumented<A: Shape, B: Shape>() -> Step {
    Step::stop(Role::Stop)
}

/// Wraps the function of an instruction: `exec!(s_addc_u32(s0, s1, scc))`.
///
/// - `exec!(s_setpc_b64(s0, notes) => Computed)` also names the way in which it leaves its block.
/// - `exec!(s_cmp_eq_u32(s0, s1) => if TAKEN_IF)` includes the next instruction, a conditional branch that is taken if
///   SCC is `TAKEN_IF`.
/// - `exec!(s_add_u32(s0, s1), s_addc_u32(s0, s1, scc))` includes the next instruction, whose sources have the shapes
///   `C` and `D`.
///
/// The names say which arguments the function takes: the sources `s0` and `s1` (in the shapes `A` and `B` in scope),
/// `dst` (the old value of SDST), `scc`, `exec`, `vcc`, `m0`, `field`, `op`, and the addresses `next` and `target`
/// (`fork_next` is where S_CBRANCH_G_FORK has the next one). It may change `notes` and `state`.
macro_rules! exec {
    ($($name:ident)::+($($arg:ident),*)) => {
        $crate::op::Step::body(|wave, ops, _scc, env| {
            let [_op, rest @ ..] = ops else { return $crate::op::Exit::end(_scc) };
            let scc = exec!(@@ $($name)::+($($arg),*) wave _op _scc);
            (_op.next)(wave, rest, scc, env)
        })
    };
    ($name:ident($($arg:ident),*), $link:ident($($link_arg:ident),*)) => {{
        #[inline(always)]
        fn link<A: Shape, B: Shape>(wave: &mut $crate::Wave, _op: &$crate::op::Op, _scc: bool) -> bool {
            exec!(@@ $link($($link_arg),*) wave _op _scc)
        }
        |wave: &mut $crate::Wave, ops: &[$crate::op::Op], _scc: bool, env: &mut $crate::op::Env| {
            let [_op, ops @ ..] = ops else { return $crate::op::Exit::end(_scc) };
            let scc = exec!(@@ $name($($arg),*) wave _op _scc);
            let [op, rest @ ..] = ops else { return $crate::op::Exit::end(scc) };
            let scc = link::<C, D>(wave, op, scc);
            (op.next)(wave, rest, scc, env)
        }
    }};
    ($($name:ident)::+($($arg:ident),*) => $way:ident) => {
        $crate::op::Step::jump($crate::op::Way::$way, |wave, ops, _scc, _env| {
            let [_op, ..] = ops else { return $crate::op::Exit::end(_scc) };
            let scc = exec!(@@ $($name)::+($($arg),*) wave _op _scc);
            $crate::op::Exit { way: $crate::op::Way::$way, scc }
        })
    };
    ($($name:ident)::+($($arg:ident),*) => if $taken_if:ident) => {
        |wave: &mut $crate::Wave, ops: &[$crate::op::Op], _scc: bool, _env: &mut $crate::op::Env| {
            let [_op, ..] = ops else { return $crate::op::Exit::end(_scc) };
            let scc: bool = $($name)::+($(exec!(@ $arg wave _op _scc)),*);
            $crate::op::Exit { way: $crate::op::taken(scc == $taken_if), scc }
        }
    };
    // Executes the function. Its value is the new SCC.
    (@@ $($name:ident)::+($($arg:ident),*) $wave:ident $op:ident $scc:ident) => {{
        let result = $($name)::+($(exec!(@ $arg $wave $op $scc)),*);
        $crate::op::Store::store(result, &mut $wave.state, $op, $scc)
    }};
    (@ s0 $wave:ident $op:ident $scc:ident) => { A::read(&$wave.state, $scc, $op, 0) };
    (@ s1 $wave:ident $op:ident $scc:ident) => { B::read(&$wave.state, $scc, $op, 1) };
    (@ dst $wave:ident $op:ident $scc:ident) => { $crate::op::Value::from_registers(&$wave.state, $op.dst) };
    (@ scc $wave:ident $op:ident $scc:ident) => { $scc };
    (@ exec $wave:ident $op:ident $scc:ident) => { $wave.state.exec() };
    (@ vcc $wave:ident $op:ident $scc:ident) => { $wave.state.vcc() };
    (@ m0 $wave:ident $op:ident $scc:ident) => { $wave.state.sgpr[gcnsim_isa::reg::M0 as usize] };
    (@ next $wave:ident $op:ident $scc:ident) => { $op.imm[1] };
    (@ target $wave:ident $op:ident $scc:ident) => { $op.imm[0] };
    (@ fork_next $wave:ident $op:ident $scc:ident) => { $op.imm[0] };
    (@ field $wave:ident $op:ident $scc:ident) => { $op.field };
    (@ op $wave:ident $op:ident $scc:ident) => { $op };
    (@ notes $wave:ident $op:ident $scc:ident) => { &mut $wave.state.notes };
    (@ state $wave:ident $op:ident $scc:ident) => { &mut $wave.state };
}
pub(super) use exec;

/// Defines instructions: for each a function over values with the name of the mnemonic. The module `steps` has a
/// function of the same name. It makes the [`Step`] for sources of the shapes `A` and `B`, by [`exec!`], which knows
/// the arguments by their names. `=> Computed` before the body is the way in which the instruction leaves its block.
macro_rules! steps {
    ($(
        $(#[doc = $doc:literal])*
        fn $name:ident($($arg:ident: $T:ty),*) $(-> $R:ty)? $(=> $way:ident)? $body:block
    )*) => {
        $(
            $(#[doc = $doc])*
            #[inline(always)]
            fn $name($($arg: $T),*) $(-> $R)? $body
        )*

        /// The steps of the instructions above.
        pub(super) mod steps {
            use $crate::op::{Shape, Step, exec};

            $(pub fn $name<A: Shape, B: Shape>() -> Step {
                exec!(super::$name($($arg),*) $(=> $way)?)
            })*
        }
    };
}
pub(super) use steps;

/// Makes `step` from the rows of an encoding. It calls the function in the module `rows` that has the name of the
/// mnemonic: a row without one does not compile.
macro_rules! step_of_rows {
    ($Enum:ident $ENC:ident $($name:ident = $Variant:ident $row:tt)*) => {
        /// The function of an instruction whose sources have the shapes `A` and `B`.
        pub(super) fn step<A: $crate::op::Shape, B: $crate::op::Shape>(op: gcnsim_isa::$Enum) -> $crate::op::Step {
            match op {
                $(gcnsim_isa::$Enum::$Variant => rows::$name::<A, B>(),)*
            }
        }
    };
}
pub(super) use step_of_rows;
