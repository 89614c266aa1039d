//! The use that a shader makes of its user SGPRs, from a scan of the code that follows copies and constants.
//!
//! A register is the low half of a table's address if the code uses it as one and the other half is a constant: 0, or
//! 0xffff8000 from GCN 1.4 on, as drivers complete their pointers of 32 bits. Two user SGPRs that the code uses as an
//! address are a pointer of 64 bits. Everything else is a number.

use gcnsim_flow::{Blocks, Flow};
use gcnsim_isa::{Form, Inst, Opcode, Program, Sop1, Sop2, Sopk, Src, VgprSet, Vop1, reg, table};
use gcnsim_loader::reached::reached;

/// Number of SGPRs that a wave can start with.
pub const SGPRS: usize = 104;

/// The use that the shader makes of an SGPR with which it starts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Class {
    /// A number, or unused.
    Number,
    /// Dword 0 to 3 of a buffer's descriptor.
    Descriptor(u8),
    /// The low half of an address of 64 bits; the high half is the next register or, in a few shaders, another.
    Low,
    /// The high half of an address of 64 bits.
    High,
    /// The low half of the address of a table; the high half is that of the code's address.
    TableNearCode,
    /// The low half of the address of a table; the high half is a constant.
    Table,
}

/// The result of the scan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Classes {
    /// The class of each SGPR.
    pub sgprs: [Class; SGPRS],
    /// The first SGPR whose initial value is copied to M0.
    pub to_m0: Option<u8>,
    /// Whether the code accesses LDS.
    pub uses_lds: bool,
    /// Number of VGPRs from v0 on that are I and J at the start, as far as interpolation uses them.
    pub interpolants: u32,
    /// Loads of single dwords through pairs of SGPRs that the shader starts with: the first SGPR, and the offset in
    /// bytes.
    pub single_loads: Vec<(u8, i64)>,
}

/// A value in a scalar register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Value {
    Unknown,
    /// The value of s\[n\] at the start, perhaps plus an offset.
    Initial(u8),
    Constant(u32),
    /// The bits of s\[n\] and s\[m\] at the start, combined by XOR: half of an exchange.
    Exchanged(u8, u8),
    /// The high half of an address of the code.
    Pc,
}

/// The values of registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct State {
    /// Scalar registers by operand code.
    scalars: [Value; 128],
    /// VGPRs from v0 on that have the same value in all lanes: compilers copy scalars to a VGPR and back.
    vectors: [Value; VECTORS],
}

/// Number of VGPRs through which copies are followed.
const VECTORS: usize = 64;

/// Most instructions for which paths that meet are followed. Larger programs are read once, in order.
const MOST_FOLLOWED: usize = 1 << 15;

/// Most visits of a path, on average over all paths.
const MOST_VISITS: usize = 16;

/// Scans the code that the program reaches.
pub fn classify(program: &Program) -> Classes {
    let flow = reached(program);
    let mut found = Classes {
        sgprs: [Class::Number; SGPRS],
        to_m0: None,
        uses_lds: false,
        interpolants: interpolants(&flow),
        single_loads: Vec::new(),
    };
    let mut initial = State { scalars: [Value::Unknown; 128], vectors: [Value::Unknown; VECTORS] };
    for (n, value) in initial.scalars.iter_mut().enumerate().take(SGPRS) {
        *value = Value::Initial(n as u8);
    }
    let scan = Scan::new(&flow, program.entry());
    let starts = if flow.sites.len() <= MOST_FOLLOWED { scan.starts(initial) } else { None };
    let Some(starts) = starts else {
        for site in &flow.sites {
            found.see(&site.inst, &initial);
            apply(&site.inst, &mut initial);
        }
        return found;
    };
    for (start, state) in starts.into_iter().enumerate() {
        if let Some(mut state) = state {
            scan.path(start, &mut state, |inst, state| found.see(inst, state), |_, _| {});
        }
    }
    found
}

/// Returns the number of VGPRs from v0 on whose initial values interpolation reads. Code is read in order.
fn interpolants(flow: &Flow) -> u32 {
    let (mut written, mut most) = (VgprSet::default(), 0);
    let insts = || flow.sites.iter().map(|site| &site.inst);
    if insts().all(|inst| inst.attribute_access().is_none()) {
        return 0;
    }
    for inst in insts() {
        let source = inst.attribute_access().and_then(|_| inst.src_vgpr(1));
        if let Some(n) = source.filter(|&n| !written.contains(n)) {
            most = most.max(u32::from(n) + 1);
        }
        written.union(inst.writes().vgprs);
    }
    most
}

struct Scan<'f> {
    flow: &'f Flow,
    blocks: Blocks,
    /// Whether a jump leads to each block: there a path begins, and the one before it ends.
    is_target: Vec<bool>,
}

impl Scan<'_> {
    fn new(flow: &Flow, entry: u64) -> Scan<'_> {
        let blocks = Blocks::new(flow, entry);
        let mut is_target = vec![false; blocks.all.len()];
        blocks.all.iter().filter_map(|block| block.jump).for_each(|to| is_target[to as usize] = true);
        Scan { flow, blocks, is_target }
    }

    /// Returns the states of the blocks where the paths of the code begin: at the entry, and where branches lead. `None`
    /// if it would take too long to find them.
    fn starts(&self, initial: State) -> Option<Vec<Option<State>>> {
        let mut starts = vec![None; self.blocks.all.len()];
        let mut work: Vec<usize> = self.blocks.order.first().map(|&entry| entry as usize).into_iter().collect();
        work.iter().for_each(|&entry| starts[entry] = Some(initial));
        let mut left = MOST_VISITS * (self.blocks.all.iter().filter(|block| block.jump.is_some()).count() + 1);
        while let Some(start) = work.pop() {
            left = left.checked_sub(1)?;
            let mut state = starts[start]?;
            self.path(
                start,
                &mut state,
                |_, _| {},
                |to, state| {
                    let before: &mut Option<State> = &mut starts[to];
                    let met = before.as_ref().map_or(*state, |before| meet(before, state));
                    if *before != Some(met) {
                        *before = Some(met);
                        work.push(to);
                    }
                },
            );
        }
        Some(starts)
    }

    /// Follows the code from the block `start` to where the next path begins, and changes `state` on the way. `see` gets
    /// each instruction and the state before it; `leave` gets each block to which the path leads, and the state there.
    fn path(
        &self,
        start: usize,
        state: &mut State,
        mut see: impl FnMut(&Inst, &State),
        mut leave: impl FnMut(usize, &State),
    ) {
        let mut at = start;
        loop {
            let block = self.blocks.all[at];
            for site in &self.flow.sites[block.first as usize..block.end as usize] {
                see(&site.inst, state);
                apply(&site.inst, state);
            }
            if let Some(to) = block.jump {
                leave(to as usize, state);
            }
            match block.next.map(|next| next as usize) {
                Some(next) if self.is_target[next] || next == start => return leave(next, state),
                Some(next) => at = next,
                None => return,
            }
        }
    }
}

/// Returns the values that are the same in two states, of paths that meet.
fn meet(a: &State, b: &State) -> State {
    let both = |a: Value, b: Value| if a == b { a } else { Value::Unknown };
    State {
        scalars: std::array::from_fn(|n| both(a.scalars[n], b.scalars[n])),
        vectors: std::array::from_fn(|n| both(a.vectors[n], b.vectors[n])),
    }
}

/// Returns the value of the scalar register `code`.
fn at(state: &State, code: u8) -> Value {
    state.scalars.get(usize::from(code)).copied().unwrap_or(Value::Unknown)
}

/// Returns the values of source `i`, which has one or two dwords.
fn source(inst: &Inst, i: usize, state: &State) -> [Value; 2] {
    if i >= inst.src_count() {
        return [Value::Unknown; 2];
    }
    match inst.src(i) {
        Src::Sgpr(n) => [at(state, n), at(state, n.saturating_add(1))],
        Src::Imm(value) => [Value::Constant(value as u32), Value::Constant((value >> 32) as u32)],
        Src::Vgpr(n) => [state.vectors.get(usize::from(n)).copied().unwrap_or(Value::Unknown), Value::Unknown],
        _ => [Value::Unknown; 2],
    }
}

/// Returns the sum of two values: an offset does not change what an address is.
fn sum(a: Value, b: Value) -> Value {
    match (a, b) {
        // The lower register is taken, because pointers come before numbers in the order of registers.
        (Value::Initial(a), Value::Initial(b)) => Value::Initial(a.min(b)),
        (Value::Initial(n), _) | (_, Value::Initial(n)) => Value::Initial(n),
        (Value::Constant(a), Value::Constant(b)) => Value::Constant(a.wrapping_add(b)),
        (Value::Pc, _) | (_, Value::Pc) => Value::Pc,
        _ => Value::Unknown,
    }
}

/// Returns what two values combined by XOR are: three XORs exchange registers.
fn exchanged(a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::Initial(a), Value::Initial(b)) if a != b => Value::Exchanged(a.min(b), a.max(b)),
        (Value::Exchanged(a, b), Value::Initial(n)) | (Value::Initial(n), Value::Exchanged(a, b)) if n == a => {
            Value::Initial(b)
        }
        (Value::Exchanged(a, b), Value::Initial(n)) | (Value::Initial(n), Value::Exchanged(a, b)) if n == b => {
            Value::Initial(a)
        }
        _ => Value::Unknown,
    }
}

/// Executes an instruction on the known values.
fn apply(inst: &Inst, state: &mut State) {
    let [first, second] = source(inst, 0, state);
    let other = source(inst, 1, state)[0];
    let new = match inst.opcode {
        Opcode::Sop1(Sop1::SMovB32) | Opcode::Vop1(Vop1::VReadfirstlaneB32) => Some([first, Value::Unknown]),
        Opcode::Vop1(Vop1::VMovB32) if matches!(inst.form, Form::Plain | Form::Vop3) => Some([first, Value::Unknown]),
        Opcode::Sop1(Sop1::SMovB64) => Some([first, second]),
        Opcode::Sop1(Sop1::SGetpcB64) => Some([Value::Unknown, Value::Pc]),
        Opcode::Sopk(Sopk::SMovkI32) => Some([Value::Constant(inst.simm16() as u32), Value::Unknown]),
        Opcode::Sop2(Sop2::SAddU32 | Sop2::SAddI32) => Some([sum(first, other), Value::Unknown]),
        // The carry is taken to be 0.
        Opcode::Sop2(Sop2::SAddcU32) => Some([sum(first, other), Value::Unknown]),
        Opcode::Sop2(Sop2::SXorB32) => Some([exchanged(first, other), Value::Unknown]),
        Opcode::Sop2(Sop2::SAndB32) => match (first, other) {
            // The constant is a mask that aligns an address.
            (Value::Initial(n), Value::Constant(mask)) | (Value::Constant(mask), Value::Initial(n))
                if mask >> 31 == 1 =>
            {
                Some([Value::Initial(n), Value::Unknown])
            }
            _ => None,
        },
        _ => None,
    };
    let writes = inst.writes();
    let mut left = writes.sgprs;
    while left != 0 {
        state.scalars[left.trailing_zeros() as usize] = Value::Unknown;
        left &= left - 1;
    }
    let mut left = writes.vgprs.0[0];
    while left != 0 {
        state.vectors[left.trailing_zeros() as usize] = Value::Unknown;
        left &= left - 1;
    }
    let Some(new) = new else { return };
    if let Some(vector) = inst.vdst().and_then(|n| state.vectors.get_mut(usize::from(n))) {
        // V_MOV_B32 may leave some lanes as they are, but a copy is read in those that it writes.
        *vector = new[0];
    }
    let Some(dst) = inst.dst().or(inst.sdst()) else { return };
    for (n, value) in (usize::from(dst)..).zip(new).take_while(|(n, _)| *n < 128 && writes.sgprs >> n & 1 == 1) {
        state.scalars[n] = value;
    }
}

impl Classes {
    /// Returns the last SGPR that is a part of an address or of a descriptor.
    pub fn last_pointer(&self) -> Option<usize> {
        self.sgprs.iter().rposition(|class| *class != Class::Number)
    }

    /// Notes how an instruction uses initial values.
    fn see(&mut self, inst: &Inst, state: &State) {
        if inst.opcode == Opcode::Sop1(Sop1::SMovB32)
            && inst.dst() == Some(reg::M0)
            && let Value::Initial(n) = source(inst, 0, state)[0]
        {
            self.to_m0.get_or_insert(n);
        }
        self.uses_lds |= inst.ds_access().is_some_and(|access| !access.gds);
        if let (Some(access), Some(shape)) = (inst.scalar_access(), inst.mem_shape()) {
            match shape.base {
                table::Base::None | table::Base::Scratch => {}
                table::Base::Address => {
                    let halves = [0, 1].map(|i| at(state, access.base.saturating_add(i)));
                    self.address(halves);
                    if let ([Value::Initial(low), Value::Initial(_)], 1, None) =
                        (halves, shape.data, access.offset_register)
                    {
                        self.single_loads.push((low, access.offset));
                    }
                }
                table::Base::Buffer => self.descriptor([0, 1, 2, 3].map(|i| at(state, access.base.saturating_add(i)))),
            }
        } else if let Some(access) = inst.buffer_access() {
            self.uses_lds |= access.lds;
            self.descriptor([0, 1, 2, 3].map(|i| at(state, access.srsrc.saturating_add(i))));
        } else if let (Some(base), true) = (inst.flat_access().and_then(|access| access.saddr), is_global(inst)) {
            self.address([0, 1].map(|i| at(state, base.saturating_add(i))));
        }
    }

    fn address(&mut self, halves: [Value; 2]) {
        match halves {
            [Value::Initial(low), Value::Constant(0 | 0xffff_8000)] => self.set(low, Class::Table),
            [Value::Initial(low), Value::Pc] => self.set(low, Class::TableNearCode),
            [Value::Initial(low), Value::Initial(high)] => {
                self.set(low, Class::Low);
                self.set(high, Class::High);
            }
            _ => {}
        }
    }

    fn descriptor(&mut self, words: [Value; 4]) {
        match words {
            [Value::Initial(a), Value::Initial(b), Value::Initial(c), Value::Initial(d)] => {
                for (n, word) in [a, b, c, d].into_iter().zip(0..) {
                    self.set(n, Class::Descriptor(word));
                }
            }
            // The code makes a descriptor of an address.
            [Value::Initial(low), Value::Initial(high), _, _] => {
                self.set(low, Class::Low);
                self.set(high, Class::High);
            }
            _ => {}
        }
    }

    fn set(&mut self, n: u8, class: Class) {
        if let Some(held) = self.sgprs.get_mut(usize::from(n)) {
            *held = (*held).max(class);
        }
    }
}

/// Whether an instruction of the FLAT encodings has an address in SGPRs.
fn is_global(inst: &Inst) -> bool {
    inst.desc().encoding == gcnsim_isa::Encoding::Global
}

#[cfg(test)]
mod tests {
    use gcnsim_isa::Arch;

    use super::*;

    fn classes(words: &[u32]) -> Classes {
        classify(&Program::from_words(Arch::Gcn14, words))
    }

    fn of(words: &[u32]) -> Vec<(usize, Class)> {
        let found = classes(words);
        (0..).zip(found.sgprs).filter(|(_, class)| *class != Class::Number).collect()
    }

    const END: u32 = 0xbf81_0000;

    /// The prologue of a pixel shader of RADV (docs/gcn/graphics.md#radvs-conventions), by llvm-mc: s_mov_b32 s0, s3;
    /// s_movk_i32 s3, 0x8000; s_load_dwordx8 s[8:15], s[2:3], 0x0; s_mov_b32 m0, s0.
    #[test]
    fn a_table_has_a_constant_high_half() {
        let words = [0xbe80_0003, 0xb003_8000, 0xc00e_0201, 0, 0xbefc_0000, END];
        let found = classes(&words);
        assert_eq!(of(&words), [(2, Class::Table)]);
        assert_eq!(found.to_m0, Some(3));
    }

    /// v_interp_p1_f32 v4, v2, attr0.x; v_interp_p2_f32 v4, v3, attr0.x; v_interp_p1_f32 v5, v4, attr0.y: v4 is no
    /// input.
    #[test]
    fn registers_of_interpolants() {
        assert_eq!(classes(&[0xd410_0002, 0xd411_0003, 0xd414_0104, END]).interpolants, 4);
        assert_eq!(classes(&[END]).interpolants, 0);
    }

    /// s_load_dword s4, s[6:7], 0x0: both halves are given. s_mov_b64 s[8:9], s[2:3]; s_load_dword s4, s[8:9], 0x0.
    #[test]
    fn pointers_of_64_bits() {
        assert_eq!(of(&[0xc002_0103, 0, END]), [(6, Class::Low), (7, Class::High)]);
        assert_eq!(of(&[0xbe88_0102, 0xc002_0104, 0, END]), [(2, Class::Low), (3, Class::High)]);
    }

    /// s_getpc_b64 s[4:5]; s_mov_b32 s4, s0; s_load_dwordx4 s[4:7], s[4:5], 0x10, as llc writes it for PAL.
    #[test]
    fn a_table_near_the_code() {
        assert_eq!(of(&[0xbe84_1c00, 0xbe84_0000, 0xc00a_0102, 0x10, END]), [(0, Class::TableNearCode)]);
    }

    /// s_buffer_load_dword s0, s[4:7], 0x0: the descriptor is in s[4:7]. If the code overwrites a dword of it, the
    /// others are no descriptor.
    #[test]
    fn descriptors_in_registers() {
        let expected = [4, 5, 6, 7].map(|n| (n, Class::Descriptor(n as u8 - 4)));
        assert_eq!(of(&[0xc022_0002, 0, END]), expected);
        // s_mov_b32 s7, 0
        assert_eq!(of(&[0xbe87_0080, 0xc022_0002, 0, END]), [(4, Class::Low), (5, Class::High)]);
        // s_mov_b32 s4, 0
        assert_eq!(of(&[0xbe84_0080, 0xc022_0002, 0, END]), []);
    }

    /// s_cbranch_scc0 to the load; s_mov_b32 s2, 0; s_movk_i32 s3, 0 on one path only: s_load_dword s4, s[2:3], 0x0.
    #[test]
    fn what_only_one_path_writes_is_unknown() {
        assert_eq!(of(&[0xbf84_0002, 0xbe82_0080, 0xb003_0000, 0xc002_0101, 0, END]), []);
        // s_movk_i32 s3, 0 before the branch; s_nop on one path.
        assert_eq!(of(&[0xb003_0000, 0xbf84_0001, 0xbf80_0000, 0xc002_0101, 0, END]), [(2, Class::Table)]);
    }

    /// v_mov_b32 v0, s2; v_readfirstlane_b32 s8, v0; s_mov_b32 s9, 0; s_load_dwordx8 s[0:7], s[8:9], 0x0, as LLVM
    /// copies.
    #[test]
    fn copies_through_vectors() {
        let words = [0x7e00_0202, 0x7e10_0500, 0xbe89_0080, 0xc00e_0004, 0, END];
        assert_eq!(of(&words), [(2, Class::Table)]);
        // v_mov_b32 v0, 0 in between
        let words = [0x7e00_0202, 0x7e00_0280, 0x7e10_0500, 0xbe89_0080, 0xc00e_0004, 0, END];
        assert_eq!(of(&words), []);
    }

    /// A loop that adds to the pointer: s_movk_i32 s3, 0; s_load_dword s4, s[2:3], 0x0; s_add_u32 s2, s2, 16;
    /// s_cbranch_scc0 back to the load.
    #[test]
    fn offsets_keep_what_an_address_is() {
        assert_eq!(of(&[0xb003_0000, 0xc002_0101, 0, 0x8002_9002, 0xbf84_fffc, END]), [(2, Class::Table)]);
    }
}
