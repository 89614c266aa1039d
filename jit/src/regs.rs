//! Scalar registers as SSA values.
//!
//! Every aligned register pair that a region touches is one I64 variable or two I32 variables, depending on how it is
//! mostly used. If a region computes register numbers (movrel, the fork stack), the registers that these may name stay
//! in memory. Within a basic block, values are cached in the form in which they were made. They are joined or split
//! only when the other form is needed. Variables are defined at the end of the block.

use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Type, Value, types};
use cranelift_frontend::{FunctionBuilder, Variable};
use gcnsim_isa::{Flow, Fx, Inst, Src, reg};

use crate::abi::offset;
use crate::dataflow::{Dataflow, cyclic, named_sgprs};
use crate::explain::value_label;
use crate::lower::{fused_registers, products};
use crate::region::Plan;

/// Number of aligned pairs of scalar registers.
const PAIRS: usize = 64;

/// The place of a register pair between blocks.
#[derive(Clone, Copy)]
enum Home {
    /// The region does not touch the pair.
    Unused,
    /// In two I32 variables. A half that the region does not touch has none.
    Halves([Option<Variable>; 2]),
    /// In one I64 variable.
    Whole(Variable),
    /// In the state: reads load, writes store.
    Memory,
}

/// Values of a pair within the current block.
#[derive(Clone, Copy, Default)]
struct Cached {
    halves: [Option<Value>; 2],
    whole: Option<Value>,
    /// Whether the values are newer than the variables.
    dirty: bool,
}

/// The scalar registers of a region under compilation.
pub struct Regs {
    homes: [Home; PAIRS],
    cached: [Cached; PAIRS],
    /// The state pointer.
    state: Value,
}

/// The cached values at a point of a block, to return to.
#[derive(Clone)]
pub struct Saved([Cached; PAIRS]);

/// Numbers of accesses to a pair, from which its home is chosen.
#[derive(Clone, Copy, Default)]
struct Uses {
    /// Accesses to one register of 32 bits.
    narrow: u32,
    /// Accesses to the pair as 64 bits.
    wide: u32,
}

/// The aligned pairs (one bit each) that are mostly used as 64 bits.
pub fn wide_pairs(plan: &Plan) -> u64 {
    let mut uses = [Uses::default(); PAIRS];
    let mut count = |code: u8, wide: bool| {
        let pair = &mut uses[code as usize / 2];
        if wide && code.is_multiple_of(2) {
            pair.wide += 1;
        } else {
            pair.narrow += 1;
        }
    };
    // Whether this instruction is fused with the one before, and was counted there.
    let mut fused_before = false;
    for (inst, next) in plan.blocks.iter().flat_map(|b| successive(&b.insts)) {
        let desc = inst.desc();
        let fused = if fused_before { None } else { next.and_then(|next| fused_registers(inst, next)) };
        let counted = fused.is_some() || fused_before;
        for &(code, wide) in fused.iter().flatten() {
            count(code, wide);
        }
        fused_before = fused.is_some();
        for i in 0..inst.src_count() {
            match inst.src(i) {
                Src::Sgpr(_) if counted => {}
                Src::Sgpr(n) => count(n, inst.src_type(i).is_wide()),
                Src::Vccz => count(reg::VCC_LO, true),
                Src::Execz => count(reg::EXEC_LO, true),
                Src::Scc | Src::Imm(_) | Src::Vgpr(_) | Src::LdsDirect => {}
            }
        }
        if let (Some(dst), false) = (inst.dst(), counted) {
            count(dst, desc.dst.is_wide());
        }
        for code in [inst.mask_src(), inst.mask_dst()].into_iter().flatten() {
            count(code, true);
        }
        if let Some(code) = inst.sdst() {
            count(code, false);
        }
        if desc.fx.has(Fx::REXEC.or(Fx::WEXEC)) {
            count(reg::EXEC_LO, true);
        }
        if desc.fx.has(Fx::RVCC) {
            count(reg::VCC_LO, true);
        }
    }
    let wide = |uses: &Uses| uses.wide >= uses.narrow.max(1);
    let mostly = uses.iter().enumerate().filter(|(_, uses)| wide(uses)).fold(0, |set, (pair, _)| set | 1 << pair);
    mostly | circulating_pairs(plan)
}

/// The pairs (one bit each) that loops read as 64 bits from the block before, and that all blocks of loops which write
/// them leave as 64 bits.
fn circulating_pairs(plan: &Plan) -> u64 {
    let cyclic = cyclic(plan);
    let (mut read, mut left_wide, mut left_narrow) = (0, 0, 0);
    for (block, _) in plan.blocks.iter().zip(&cyclic).filter(|(_, cyclic)| **cyclic) {
        let (mut written_wide, mut written_narrow) = (0u64, 0u64);
        let mut fused_before = false;
        for (inst, next) in successive(&block.insts) {
            if std::mem::take(&mut fused_before) {
                continue;
            }
            let pair = |code: u8| 1u64 << (code / 2);
            if let Some(registers) = next.and_then(|next| fused_registers(inst, next)) {
                fused_before = true;
                let Some((&(dst, _), operands)) = registers.split_last() else { continue };
                let wide = operands.iter().filter(|(_, wide)| *wide).fold(0, |all, &(code, _)| all | pair(code));
                read |= wide & !(written_wide | written_narrow);
                (written_wide, written_narrow) = (written_wide | pair(dst), written_narrow & !pair(dst));
                continue;
            }
            for i in 0..inst.src_count() {
                if let Src::Sgpr(code) = inst.src(i)
                    && inst.src_type(i).is_wide()
                    && code.is_multiple_of(2)
                {
                    read |= pair(code) & !(written_wide | written_narrow);
                }
            }
            let wide_dst = inst.dst().filter(|dst| inst.desc().dst.is_wide() && dst.is_multiple_of(2));
            let wide = wide_dst.map_or(0, pair);
            let mut rest = inst.writes().sgprs;
            while rest != 0 {
                let this = pair(rest.trailing_zeros() as u8);
                rest &= rest - 1;
                let (into, out_of) = match this == wide {
                    true => (&mut written_wide, &mut written_narrow),
                    false => (&mut written_narrow, &mut written_wide),
                };
                (*into, *out_of) = (*into | this, *out_of & !this);
            }
        }
        (left_wide, left_narrow) = (left_wide | written_wide, left_narrow | written_narrow);
    }
    read & left_wide & !left_narrow
}

/// Each instruction with the one after it.
fn successive(insts: &[(u64, Inst)]) -> impl Iterator<Item = (&Inst, Option<&Inst>)> {
    insts.iter().enumerate().map(|(i, (_, inst))| (inst, insts.get(i + 1).map(|(_, next)| next)))
}

/// The registers of the fork stack, SGPR0 to SGPR31: eight entries of four.
const FORK_STACK: u128 = 0xffff_ffff;

/// What computed accesses of a region may name.
pub struct Computed {
    /// Registers that they are expected to name, which therefore stay in memory: the fork stack, and the windows of
    /// movrels. Without windows these are every SGPR of the generation, and the base of the movrel with its pair (M0 =
    /// 0 selects the base).
    pub in_memory: u128,
    /// The windows of movrels. Empty if there are no movrels, or a window would be small.
    pub windows: Vec<Window>,
}

impl Computed {
    /// What computed accesses of a plan may name.
    pub fn of(plan: &Plan) -> Computed {
        let mut in_memory = 0;
        for (_, inst) in plan.blocks.iter().flat_map(|b| &b.insts) {
            if matches!(inst.desc().flow, Flow::Fork | Flow::Join) {
                in_memory |= FORK_STACK;
            }
        }
        let bases: Vec<(&Inst, u8)> = movrels(plan).collect();
        let windows = windows(plan, &bases);
        for window in &windows {
            in_memory |= (1 << window.end) - (1 << window.base);
        }
        for (inst, code) in bases.into_iter().filter(|_| windows.is_empty()) {
            let next = code.saturating_add(1).min(reg::EXEC_HI);
            in_memory |= (1 << inst.arch.sgpr_count()) - 1;
            in_memory |= 3 << (code & !1) | 3 << (next & !1);
        }
        in_memory |= spared(plan, in_memory);
        Computed { in_memory, windows }
    }
}

/// Number of registers that a loop may name, for the host to keep all of them in registers.
const MOST_KEPT: u32 = 11;

/// Registers that stay in memory since loops of scalar code name too many: pairs that the plan only reads, those first
/// that are read at the fewest places. An operand in memory takes the host less than a value that it keeps on its
/// stack.
fn spared(plan: &Plan, in_memory: u128) -> u128 {
    let insts = || plan.blocks.iter().flat_map(|block| &block.insts).map(|(_, inst)| inst);
    let is_scalar = |inst: &Inst| {
        use gcnsim_isa::Opcode::{Sop1, Sop2, Sopc, Sopk, Sopp};
        matches!(inst.opcode, Sop1(_) | Sop2(_) | Sopc(_) | Sopk(_) | Sopp(_))
    };
    if !insts().all(is_scalar) {
        return 0;
    }
    let written = insts().fold(in_memory, |all, inst| all | inst.writes().sgprs);
    let mut places = [0u32; 128];
    for (block, _) in plan.blocks.iter().zip(cyclic(plan)).filter(|(_, cyclic)| *cyclic) {
        for (_, inst) in &block.insts {
            let mut rest = named_sgprs(inst);
            while rest != 0 {
                places[rest.trailing_zeros() as usize] += 1;
                rest &= rest - 1;
            }
        }
    }
    let wide = wide_pairs(plan);
    // A pair that is kept as 64 bits takes one register of the host.
    let is_second = |code: usize| code % 2 == 1 && wide >> (code / 2) & 1 == 1;
    let is_kept = |&code: &usize| places[code] > 0 && in_memory >> code & 1 == 0 && !is_second(code);
    let mut kept = (0..128).filter(is_kept).count() as u32;
    let is_read = |&code: &usize| places[code] + places[code + 1] > 0 && written >> code & 3 == 0;
    let mut pairs: Vec<usize> = (0..usize::from(reg::EXEC_LO)).step_by(2).filter(is_read).collect();
    pairs.sort_by_key(|&code| places[code] + places[code + 1]);
    let mut spared = 0;
    for code in pairs {
        if kept <= MOST_KEPT {
            break;
        }
        spared |= 3 << code;
        kept -= [code, code + 1].iter().filter(|&code| is_kept(code)).count() as u32;
    }
    spared
}

/// The movrels of a plan, with the register that M0 is added to.
fn movrels(plan: &Plan) -> impl Iterator<Item = (&Inst, u8)> {
    plan.blocks.iter().flat_map(|b| &b.insts).filter_map(|(_, inst)| Some((inst, movrel_base(inst)?)))
}

/// The register that M0 is added to, if the instruction is a movrel.
fn movrel_base(inst: &Inst) -> Option<u8> {
    let fx = inst.desc().fx;
    match inst.desc().flow {
        Flow::Next if fx.has(Fx::RSGPRS) => match inst.src(0) {
            Src::Sgpr(n) => Some(n),
            _ => None,
        },
        Flow::Next if fx.has(Fx::WSGPRS) => inst.dst(),
        _ => None,
    }
}

/// Registers that movrels with a base are expected to name. They stay in memory. When M0 selects another one, all
/// registers are stored, and loaded again.
#[derive(Clone, Copy)]
pub struct Window {
    /// The register that M0 is added to: the first one of the window.
    pub base: u8,
    /// The first register above the window.
    pub end: u8,
}

/// Least size of a window. Registers of a smaller one that a loop names belong to the array.
const LEAST_WINDOW: u8 = 8;

/// The windows of the movrels of a plan, which have the bases `bases`. A window ends before a register that a loop of
/// the plan names otherwise. If it would be small, it goes on behind the registers in a row that are named there. None
/// if one would still be small: then all registers are in memory.
fn windows(plan: &Plan, bases: &[(&Inst, u8)]) -> Vec<Window> {
    if bases.is_empty() {
        return Vec::new();
    }
    let cyclic = cyclic(plan);
    let mut named = 0;
    for (block, _) in plan.blocks.iter().zip(&cyclic).filter(|(_, cyclic)| **cyclic) {
        for (_, inst) in &block.insts {
            let base = movrel_base(inst).map_or(0, |base| 3 << base);
            named |= named_sgprs(inst) & !base;
        }
    }
    let window = |&(inst, base): &(&Inst, u8)| {
        let count = inst.arch.sgpr_count() as u8;
        let first = |from: u8, is_named: bool| {
            (from..count).find(|&code| (named >> code & 1 == 1) == is_named).unwrap_or(count)
        };
        let mut end = first(base.saturating_add(2), true);
        if end < base.saturating_add(LEAST_WINDOW) {
            end = first(first(base.saturating_add(LEAST_WINDOW - 1), false), true);
        }
        // A register in memory takes its whole pair with it.
        let end = end & !1;
        (base.is_multiple_of(2) && end >= base.saturating_add(LEAST_WINDOW)).then_some(Window { base, end })
    };
    bases.iter().map(window).collect::<Option<_>>().unwrap_or_default()
}

impl Regs {
    /// Gives every register that the region touches a home, and loads the live ones. The pairs in `pairs` are kept as
    /// 64 bits, the registers in `memory` in memory. `state` is the state pointer.
    pub fn enter(flow: &Dataflow, pairs: u64, memory: u128, b: &mut FunctionBuilder<'_>, state: Value) -> Regs {
        let mut regs = Regs { homes: [Home::Unused; PAIRS], cached: [Cached::default(); PAIRS], state };
        for (pair, home) in regs.homes.iter_mut().enumerate() {
            let touched = flow.touched.sgprs >> (2 * pair) & 3;
            let live = flow.live_in.sgprs >> (2 * pair) & 3;
            let code = 2 * pair as u8;
            if memory >> code & 3 != 0 {
                *home = Home::Memory;
                continue;
            }
            if touched == 0 {
                continue;
            }
            if pairs >> pair & 1 == 1 {
                *home = Home::Whole(variable(b, types::I64, state, code, live != 0));
            } else {
                let mut half = |i: u8| {
                    let live = live >> i & 1 == 1;
                    (touched >> i & 1 == 1).then(|| variable(b, types::I32, state, code + i, live))
                };
                *home = Home::Halves([half(0), half(1)]);
            }
        }
        regs
    }

    /// Whether the region has a value of register `code`.
    pub fn has(&self, code: u8) -> bool {
        match self.homes[code as usize / 2] {
            Home::Unused => false,
            Home::Halves(vars) => vars[code as usize % 2].is_some(),
            Home::Whole(_) | Home::Memory => true,
        }
    }

    /// Whether register `code` is kept as half of an I64.
    pub fn is_whole(&self, code: u8) -> bool {
        matches!(self.homes[code as usize / 2], Home::Whole(_))
    }

    /// Whether the pair from register `code` on is there as one value.
    pub fn has_whole_value(&self, code: u8) -> bool {
        let pair = code as usize / 2;
        match self.cached[pair] {
            Cached { whole: Some(_), .. } => true,
            Cached { halves: [None, None], .. } => self.is_whole(code),
            _ => false,
        }
    }

    /// Begins a block: forgets the values of the block before.
    pub fn start_block(&mut self) {
        self.cached = [Cached::default(); PAIRS];
    }

    /// Saves the cached values before code on a side path, after which they are [restored](Regs::restore).
    pub fn save(&self) -> Saved {
        Saved(self.cached)
    }

    /// Returns to the main path: forgets the values made on the side path.
    pub fn restore(&mut self, saved: Saved) {
        self.cached = saved.0;
    }

    /// Register `code` as an I32.
    pub fn read32(&mut self, b: &mut FunctionBuilder<'_>, code: u8) -> Value {
        let (pair, half) = (code as usize / 2, code as usize % 2);
        if let Some(value) = self.cached[pair].halves[half] {
            return value;
        }
        let value = match (self.cached[pair].whole, self.homes[pair]) {
            (Some(whole), _) => split(b, whole, half),
            (None, Home::Halves(vars)) => match vars[half] {
                Some(var) => named(b, var, code, false),
                None => unreachable!("register {code} has no home"),
            },
            (None, Home::Whole(var)) => {
                let whole = named(b, var, code & !1, true);
                self.cached[pair].whole = Some(whole);
                split(b, whole, half)
            }
            (None, Home::Memory) => self.load(b, types::I32, code),
            (None, Home::Unused) => unreachable!("register {code} has no home"),
        };
        self.cached[pair].halves[half] = Some(value);
        value
    }

    /// Registers `code` and `code + 1` as an I64.
    pub fn read64(&mut self, b: &mut FunctionBuilder<'_>, code: u8) -> Value {
        if code % 2 == 1 {
            let (lo, hi) = (self.read32(b, code), self.read32(b, code + 1));
            return join(b, lo, hi);
        }
        let pair = code as usize / 2;
        if let Some(whole) = self.cached[pair].whole {
            return whole;
        }
        let whole = match (self.cached[pair].halves, self.homes[pair]) {
            ([None, None], Home::Whole(var)) => named(b, var, code, true),
            ([None, None], Home::Memory) => self.load(b, types::I64, code),
            _ => {
                let (lo, hi) = (self.read32(b, code), self.read32(b, code + 1));
                join(b, lo, hi)
            }
        };
        self.cached[pair].whole = Some(whole);
        whole
    }

    /// Writes register `code`.
    pub fn write32(&mut self, b: &mut FunctionBuilder<'_>, code: u8, value: Value) {
        let (pair, half) = (code as usize / 2, code as usize % 2);
        let keeps_other = matches!(self.homes[pair], Home::Whole(_));
        if keeps_other && self.cached[pair].halves[1 - half].is_none() {
            self.read32(b, code ^ 1);
        }
        let cached = &mut self.cached[pair];
        if let (Some(whole), None) = (cached.whole, cached.halves[1 - half])
            && cached.dirty
        {
            cached.halves[1 - half] = Some(split(b, whole, 1 - half));
        }
        cached.halves[half] = Some(value);
        cached.whole = None;
        cached.dirty = true;
        self.write_through(b, code, value);
    }

    /// Loads register `code` from the state.
    fn load(&self, b: &mut FunctionBuilder<'_>, ty: Type, code: u8) -> Value {
        b.ins().load(ty, MemFlagsData::trusted(), self.state, offset::sgpr(code))
    }

    /// Stores `value` at once, if register `code` is kept in memory.
    fn write_through(&mut self, b: &mut FunctionBuilder<'_>, code: u8, value: Value) {
        let pair = code as usize / 2;
        if let Home::Memory = self.homes[pair] {
            b.ins().store(MemFlagsData::trusted(), value, self.state, offset::sgpr(code));
            self.cached[pair].dirty = false;
        }
    }

    /// Writes registers `code` and `code + 1`.
    pub fn write64(&mut self, b: &mut FunctionBuilder<'_>, code: u8, value: Value) {
        if code % 2 == 1 {
            let (lo, hi) = (split(b, value, 0), split(b, value, 1));
            self.write32(b, code, lo);
            self.write32(b, code + 1, hi);
            return;
        }
        self.cached[code as usize / 2] = Cached { halves: [None; 2], whole: Some(value), dirty: true };
        self.write_through(b, code, value);
    }

    /// Ends the block: defines the variables whose values have changed.
    pub fn end_block(&mut self, b: &mut FunctionBuilder<'_>) {
        for pair in 0..PAIRS {
            if !self.cached[pair].dirty {
                continue;
            }
            match self.homes[pair] {
                Home::Whole(var) => {
                    let whole = self.read64(b, 2 * pair as u8);
                    b.def_var(var, whole);
                }
                Home::Halves(vars) => {
                    for (half, var) in vars.iter().enumerate() {
                        if let Some(var) = *var
                            && (self.cached[pair].halves[half].is_some() || self.cached[pair].whole.is_some())
                        {
                            let value = self.read32(b, (2 * pair + half) as u8);
                            b.def_var(var, value);
                        }
                    }
                }
                Home::Memory | Home::Unused => {}
            }
            self.cached[pair].dirty = false;
        }
    }

    /// Stores the registers of a set to the state. Of a pair that is kept whole the set must have both or none.
    pub fn store(&mut self, b: &mut FunctionBuilder<'_>, sgprs: u128) {
        for pair in 0..PAIRS {
            let bits = sgprs >> (2 * pair) & 3;
            let code = 2 * pair as u8;
            if bits == 0 {
                continue;
            }
            let whole = matches!(self.homes[pair], Home::Whole(_)) || (bits == 3 && self.cached[pair].whole.is_some());
            if whole {
                let value = self.read64(b, code);
                b.ins().store(MemFlagsData::trusted(), value, self.state, offset::sgpr(code));
                continue;
            }
            for half in 0..2 {
                if bits >> half & 1 == 1 {
                    let value = self.read32(b, code + half);
                    b.ins().store(MemFlagsData::trusted(), value, self.state, offset::sgpr(code + half));
                }
            }
        }
    }

    /// The registers that are not in memory: those of a pair that is kept whole together.
    pub fn outside_memory(&self) -> u128 {
        let of = |(pair, home): (usize, &Home)| match home {
            Home::Unused | Home::Memory => 0,
            Home::Whole(_) => 3 << (2 * pair),
            Home::Halves(vars) => (vars[0].is_some() as u128 | (vars[1].is_some() as u128) << 1) << (2 * pair),
        };
        self.homes.iter().enumerate().map(of).fold(0, |all, some| all | some)
    }

    /// Loads all registers that are not in memory into their variables.
    pub fn reload(&self, b: &mut FunctionBuilder<'_>) {
        for (pair, home) in self.homes.iter().enumerate() {
            let code = 2 * pair as u8;
            match home {
                Home::Unused | Home::Memory => {}
                Home::Whole(var) => {
                    let value = self.load(b, types::I64, code);
                    b.def_var(*var, value);
                }
                Home::Halves(vars) => {
                    for (half, var) in vars.iter().enumerate() {
                        if let Some(var) = *var {
                            let value = self.load(b, types::I32, code + half as u8);
                            b.def_var(var, value);
                        }
                    }
                }
            }
        }
    }

    /// Replaces the values that the block has written to registers of a set by what `same` makes of them, which must be
    /// the same numbers.
    pub fn replace(
        &mut self,
        b: &mut FunctionBuilder<'_>,
        sgprs: u128,
        same: impl Fn(&mut FunctionBuilder<'_>, Value) -> Value,
    ) {
        let mut rest = sgprs;
        while rest != 0 {
            let pair = rest.trailing_zeros() as usize / 2;
            let bits = rest >> (2 * pair) & 3;
            rest &= !(3 << (2 * pair));
            let cached = &mut self.cached[pair];
            if !cached.dirty {
                continue;
            }
            if let Some(whole) = cached.whole {
                cached.whole = Some(same(b, whole));
                continue;
            }
            for (_, value) in cached.halves.iter_mut().enumerate().filter(|(half, _)| bits >> half & 1 == 1) {
                *value = value.map(|value| same(b, value));
            }
        }
    }

    /// Forgets the values of registers that are kept in memory, after an instruction wrote one of them by a computed
    /// number.
    pub fn forget_memory(&mut self) {
        for (home, cached) in self.homes.iter().zip(&mut self.cached) {
            if let Home::Memory = home {
                *cached = Cached::default();
            }
        }
    }
}

/// The value of a variable, with a label that tells the register. Only a listing ([`crate::explain`]) collects labels.
fn named(b: &mut FunctionBuilder<'_>, var: Variable, code: u8, pair: bool) -> Value {
    let value = b.use_var(var);
    b.set_val_label(value, value_label(code, pair));
    value
}

/// A new variable for register `code`, or for a pair if `ty` is I64. If it is live, its value is loaded from the state.
fn variable(b: &mut FunctionBuilder<'_>, ty: Type, state: Value, code: u8, live: bool) -> Variable {
    let var = b.declare_var(ty);
    if live {
        let value = b.ins().load(ty, MemFlagsData::trusted(), state, offset::sgpr(code));
        b.def_var(var, value);
    }
    var
}

/// The low (0) or high (1) half of an I64.
pub fn split(b: &mut FunctionBuilder<'_>, whole: Value, half: usize) -> Value {
    let shifted = if half == 0 { whole } else { b.ins().ushr_imm_u(whole, 32) };
    b.ins().ireduce(types::I32, shifted)
}

/// An I64 made of two I32 halves.
pub fn join(b: &mut FunctionBuilder<'_>, lo: Value, hi: Value) -> Value {
    if let Some(whole) = products::whole(&b.func.dfg, lo, hi) {
        return whole;
    }
    let lo = b.ins().uextend(types::I64, lo);
    let hi = b.ins().uextend(types::I64, hi);
    let hi = b.ins().ishl_imm_u(hi, 32);
    b.ins().bor(lo, hi)
}
