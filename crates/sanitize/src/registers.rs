//! The shadow of a wave's registers: which lanes were ever given a value, and which buffer a pointer came from.

use gcnsim_isa::table::Sop2;
use gcnsim_isa::{Inst, Opcode, Src, WaveState, reg};
use gcnsim_machine::Wave;

use crate::operation::{Apply, Compare};
use crate::site::{Bits, By, OldOrNew, Rule, Site};
use crate::value::Value;
use crate::vectors::is_structure;

/// The buffer that a pointer came from: its index plus 1; 0 if there is none, or [`MIXED`].
pub type Tag = u16;

/// The tag of a value that several pointers, of different buffers, went into.
pub const MIXED: Tag = u16::MAX;

/// The origin of an undefined value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Origin {
    /// A VGPR that nothing has written.
    Vgpr(u8),
    /// A scalar register that nothing has written.
    Sgpr(u8),
    /// SCC, which nothing has written.
    Scc,
    /// A load of bytes of LDS or scratch that nothing has written. The number is that of its dword in the code.
    Load(u32),
}

/// The shadow of a VGPR.
#[derive(Clone, Debug)]
pub struct Vector {
    /// Lanes of which all bits have a value.
    pub lanes: u64,
    /// The bits that have a value in other lanes; `None` if there are none.
    pub(crate) partial: Option<Box<[u32; 64]>>,
    /// Lanes whose undefined bits are of private memory, and were only moved since.
    pub(crate) private: u64,
    /// The origin of the undefined values in other lanes.
    pub origin: Origin,
    /// The tag of the pointer in it.
    pub tag: Tag,
}

/// What is known of the lanes of a VGPR that was written.
#[derive(Clone, Debug)]
pub struct Written {
    /// The bits that have a value in each lane.
    pub bits: [u32; 64],
    /// Lanes whose undefined bits are of private memory, and were only moved since.
    pub private: u64,
}

impl Written {
    /// Lanes that all have a value.
    pub const ALL: Written = Written { bits: [!0; 64], private: 0 };
}

/// The shadow of a scalar register.
#[derive(Clone, Copy, Debug)]
pub struct Scalar {
    /// Bits that have a value.
    pub bits: u32,
    /// The origin of the other bits.
    pub origin: Origin,
    /// The tag of the pointer in it.
    pub tag: Tag,
}

/// The shadow of a wave's registers.
#[derive(Debug)]
pub struct Shadow {
    /// VGPRs.
    pub vgprs: Vec<Vector>,
    /// Scalar registers by operand code.
    pub sgprs: Vec<Scalar>,
    /// Whether SCC has a value, and the origin if it has none.
    pub scc: (bool, Origin),
}

/// The bits or lanes of a value that are defined, and the origin of the others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub(crate) bits: u64,
    pub(crate) origin: Origin,
}

pub(crate) const ALL: Known = Known { bits: !0, origin: Origin::Scc };

impl Known {
    /// Returns the bits that are defined in both values.
    pub(crate) fn and(self, other: Known) -> Known {
        let origin = if self.bits == !0 { other.origin } else { self.origin };
        Known { bits: self.bits & other.bits, origin }
    }

    /// Returns all bits if all are defined, otherwise none.
    pub(crate) fn whole(self) -> Known {
        Known { bits: if self.bits == !0 { !0 } else { 0 }, ..self }
    }
}

/// Returns the tag of a value that values with the tags `a` and `b` went into.
fn joined(a: Tag, b: Tag) -> Tag {
    match (a, b) {
        (0, tag) | (tag, 0) => tag,
        (a, b) if a == b => a,
        _ => MIXED,
    }
}

impl Shadow {
    /// Returns the shadow of a wave that begins with values in `sgprs` SGPRs and `vgprs` VGPRs.
    pub fn new(sgprs: u32, vgprs: u32) -> Shadow {
        let lanes = |n: u32| if n < vgprs { !0 } else { 0 };
        let vector =
            |n: u32| Vector { lanes: lanes(n), partial: None, private: 0, origin: Origin::Vgpr(n as u8), tag: 0 };
        // FLAT_SCRATCH, trap registers and EXEC have values; VCC and M0 do not.
        let is_given = |n: u32| n < sgprs || (102..106).contains(&n) || (108..124).contains(&n) || n > 124;
        let scalar = |n: u32| Scalar { bits: if is_given(n) { !0 } else { 0 }, origin: Origin::Sgpr(n as u8), tag: 0 };
        Shadow {
            vgprs: (0..256).map(vector).collect(),
            sgprs: (0..128).map(scalar).collect(),
            scc: (false, Origin::Scc),
        }
    }

    pub(crate) fn vector(&self, number: u8) -> Known {
        let Vector { lanes, origin, .. } = self.vgprs[number as usize];
        Known { bits: lanes, origin }
    }

    /// Returns the defined bits of a scalar register, extended to 64: all if all 32 are defined.
    pub(crate) fn scalar(&self, code: u8) -> Known {
        let Scalar { bits, origin, .. } = self.sgprs[code as usize & 127];
        Known { bits: if bits == !0 { !0 } else { u64::from(bits) }, origin }
    }

    pub(crate) fn pair(&self, code: u8) -> Known {
        let [low, high] = [code, code + 1].map(|code| self.sgprs[code as usize & 127]);
        let origin = if low.bits == !0 { high.origin } else { low.origin };
        Known { bits: u64::from(low.bits) | u64::from(high.bits) << 32, origin }
    }

    /// Returns the first lane of `exec` that is undefined in one of `vgprs`, and the origin of its value.
    pub fn undefined_lane(&self, vgprs: &[u8], exec: u64) -> Option<(u8, Origin)> {
        vgprs.iter().find_map(|&number| {
            let vector = &self.vgprs[number as usize];
            let missing = exec & !vector.lanes;
            (missing != 0).then(|| (missing.trailing_zeros() as u8, vector.origin))
        })
    }

    /// Returns the first lane of `exec` in which stored data, in `vgprs`, are undefined, and the origin of the value.
    /// Only the bits `part` are stored. Memory may get whole dwords of private structures with
    /// padding: [`is_structure`].
    pub fn undefined_data(&self, vgprs: &[u8], part: Option<u32>, exec: u64) -> Option<(u8, Origin)> {
        vgprs.iter().find_map(|&number| {
            let vector = &self.vgprs[number as usize];
            let is_missing = |lane: &u8| {
                let bits = self.bits(number, *lane);
                let may_be_padded = vector.private >> lane & 1 == 1;
                bits & part.unwrap_or(!0) != part.unwrap_or(!0)
                    && !(may_be_padded && part.is_none() && is_structure(bits.into()))
            };
            lanes_of(exec & !vector.lanes).find(is_missing).map(|lane| (lane, vector.origin))
        })
    }

    /// Returns the bits of a VGPR that have a value in a lane.
    pub fn bits(&self, number: u8, lane: u8) -> u32 {
        let vector = &self.vgprs[number as usize];
        match &vector.partial {
            _ if vector.lanes >> lane & 1 == 1 => !0,
            Some(partial) => partial[lane as usize & 63],
            None => 0,
        }
    }

    /// Returns the origin of the first of `sgprs` that has undefined bits.
    pub fn undefined_scalar(&self, sgprs: &[u8]) -> Option<Origin> {
        let missing = |code: &&u8| self.sgprs[**code as usize & 127].bits != !0;
        sgprs.iter().find(missing).map(|&code| self.sgprs[code as usize & 127].origin)
    }

    /// Returns the origin of VCC if its undefined bits decide whether VCC is 0.
    pub fn undecided_vcc(&self, state: &WaveState) -> Option<Origin> {
        let vcc = self.pair(reg::VCC_LO);
        (vcc.bits != !0 && state.vcc() & vcc.bits == 0).then_some(vcc.origin)
    }

    /// Returns the tag of a pointer that is made of the given registers.
    pub fn tag(&self, vgprs: &[u8], sgprs: &[u8]) -> Tag {
        let vectors = vgprs.iter().map(|&number| self.vgprs[number as usize].tag);
        let scalars = sgprs.iter().map(|&code| self.sgprs[code as usize & 127].tag);
        vectors.chain(scalars).fold(0, joined)
    }

    /// Sets the VGPR `number`, which an instruction writes in the lanes `exec`. It has a value in the lanes
    /// `known.bits`.
    pub(crate) fn set_vgpr(&mut self, number: u8, exec: u64, known: Known, tag: Tag) {
        let vector = &mut self.vgprs[number as usize];
        vector.lanes = vector.lanes & !exec | known.bits & exec;
        vector.private &= !exec;
        vector.tag = tag;
        if known.bits & exec != exec {
            vector.origin = known.origin;
        }
        if let Some(partial) = &mut vector.partial {
            lanes_of(exec).for_each(|lane| partial[lane as usize] = 0);
            if vector.lanes == !0 {
                vector.partial = None;
            }
        }
    }

    /// Sets the VGPR `number`, which an instruction writes in the lanes `exec`. Undefined bits have the origin
    /// `origin`.
    pub fn set_written(&mut self, number: u8, exec: u64, written: &Written, origin: Origin, tag: Tag) {
        let lanes =
            lanes_of(exec).filter(|&lane| written.bits[lane as usize] == !0).fold(0, |all, lane| all | 1 << lane);
        self.set_vgpr(number, exec, Known { bits: lanes, origin }, tag);
        let missing = exec & !lanes;
        if missing != 0 {
            let vector = &mut self.vgprs[number as usize];
            vector.private |= written.private & missing;
            let partial = vector.partial.get_or_insert_with(|| Box::new([0; 64]));
            lanes_of(missing).for_each(|lane| partial[lane as usize] = written.bits[lane as usize]);
        }
    }

    fn set_sgpr(&mut self, code: u8, bits: u32, origin: Origin, tag: Tag) {
        let scalar = &mut self.sgprs[code as usize & 127];
        *scalar = Scalar { bits, origin: if bits == !0 { scalar.origin } else { origin }, tag };
    }

    /// Sets scalar results. Each takes 32 bits of `known`: two results take the low and the high half.
    pub(crate) fn set_sgprs(&mut self, codes: &[u8], known: Known, tag: Tag) {
        for (k, &code) in codes.iter().enumerate() {
            let bits = if codes.len() > 1 { (known.bits >> (32 * (k & 1))) as u32 } else { known.bits as u32 };
            self.set_sgpr(code, bits, known.origin, tag);
        }
    }

    /// Notes that scalar registers have a value.
    pub fn define_scalars(&mut self, codes: &[u8]) {
        for &code in codes {
            self.set_sgpr(code, !0, Origin::Sgpr(code), 0);
        }
    }

    /// Notes that a scalar register points into a buffer.
    pub fn set_tag(&mut self, code: u8, tag: Tag) {
        self.sgprs[code as usize & 127].tag = tag;
    }

    /// Passes on what is known of an instruction's sources to the registers that it writes. Results of memory
    /// instructions are left to [`Sanitizer::pass_memory`](crate::Sanitizer). Returns a lane and the origin if the
    /// instruction writes EXEC with undefined bits.
    pub fn pass(&mut self, site: &Site, wave: &Wave) -> Option<(u8, Origin)> {
        let state = &wave.state;
        let exec = state.exec();
        let tag = self.tag(&site.reads.vgprs, &site.reads.sgprs);
        match site.rule {
            Rule::Memory => None,
            Rule::Defined => {
                self.define(site, exec);
                None
            }
            Rule::ReadLane => {
                self.read_lane(site, state, tag);
                None
            }
            Rule::WriteLane => {
                self.write_lane(site, state, tag);
                None
            }
            Rule::Scalar | Rule::ScalarSelect => self.pass_scalar(site, state, tag),
            Rule::Bits(bits) => self.pass_bits(site, bits, state, tag),
            Rule::ScalarValues(apply) => {
                self.pass_scalar_values(site, apply, state, tag);
                None
            }
            Rule::ScalarCompare(compare) => {
                self.pass_compare(site, compare, state);
                None
            }
            Rule::ScalarBit => {
                self.pass_bit(site, state);
                None
            }
            Rule::Lanes | Rule::Packed | Rule::Values(_) | Rule::Compare(_) | Rule::Mixed => {
                self.pass_vector(site, wave, tag)
            }
        }
    }

    /// Notes that all results of an instruction have a value.
    fn define(&mut self, site: &Site, exec: u64) {
        for &number in &site.writes.vgprs {
            self.set_vgpr(number, exec, ALL, 0);
        }
        self.define_scalars(&site.writes.sgprs);
        if site.writes_scc {
            self.scc.0 = true;
        }
    }

    fn read_lane(&mut self, site: &Site, state: &WaveState, tag: Tag) {
        let lane = match site.inst.src_count() {
            2 => lane_of(site.inst.src(1), state),
            _ => state.exec().trailing_zeros() & 63,
        };
        let known = match site.inst.src(0) {
            Src::Vgpr(number) => {
                let bits = self.bits(number, lane as u8);
                Known { bits: if bits == !0 { !0 } else { u64::from(bits) }, ..self.vector(number) }
            }
            Src::Sgpr(code) => self.scalar(code),
            _ => ALL,
        };
        self.set_sgprs(&site.writes.sgprs, known, tag);
    }

    fn write_lane(&mut self, site: &Site, state: &WaveState, tag: Tag) {
        let lane = lane_of(site.inst.src(1), state);
        let known = match site.inst.src(0) {
            Src::Sgpr(code) => self.scalar(code),
            _ => ALL,
        };
        let mut written = Written::ALL;
        written.bits[lane as usize] = known.bits as u32;
        for &number in &site.writes.vgprs {
            self.set_written(number, 1 << lane, &written, known.origin, tag);
        }
    }

    fn pass_scalar(&mut self, site: &Site, state: &WaveState, tag: Tag) -> Option<(u8, Origin)> {
        let scc = Known { bits: if self.scc.0 { !0 } else { 0 }, origin: self.scc.1 };
        let known = if matches!(site.rule, Rule::ScalarSelect) {
            scc.and(self.bits_of(&site.inst, usize::from(state.scc == 0), state).1)
        } else {
            let sources = site.reads.sgprs.iter().map(|&code| self.scalar(code));
            let known = sources.fold(ALL, Known::and);
            (if site.reads_scc { known.and(scc) } else { known }).whole()
        };
        self.set_sgprs(&site.writes.sgprs, known, tag);
        if site.writes_scc {
            self.scc = (known.bits == !0, known.origin);
        }
        (site.writes_exec && known.bits != !0).then(|| ((!known.bits).trailing_zeros() as u8 & 63, known.origin))
    }

    /// Returns the value of scalar source `i`, and its defined bits.
    pub(crate) fn bits_of(&self, inst: &Inst, i: usize, state: &WaveState) -> (u64, Known) {
        let is_wide = inst.src_type(i).is_wide();
        match inst.src(i) {
            Src::Sgpr(code) => {
                let value = |code: u8| u64::from(state.sgpr[code as usize & 127]);
                match is_wide {
                    true => (value(code) | value(code + 1) << 32, self.pair(code)),
                    false => {
                        let known = self.scalar(code);
                        (value(code), Known { bits: known.bits | !0 << 32, ..known })
                    }
                }
            }
            Src::Imm(value) => (value, ALL),
            _ => (0, ALL),
        }
    }

    fn pass_bits(&mut self, site: &Site, op: Bits, state: &WaveState, tag: Tag) -> Option<(u8, Origin)> {
        let inst = &site.inst;
        let (mut a, known_a) = self.bits_of(inst, 0, state);
        let (mut b, known_b) = match (op.exec, op.by) {
            (Some(_), _) => (state.exec(), ALL),
            (None, By::Move) => (0, ALL),
            (None, _) => self.bits_of(inst, 1, state),
        };
        a = if op.inverts_first { !a } else { a };
        b = if op.inverts_second { !b } else { b };
        let both = known_a.and(known_b);
        let (value, bits) = match op.by {
            By::Move => (a, known_a.bits),
            By::Xor => (a ^ b, both.bits),
            By::And => (a & b, both.bits | known_a.bits & !a | known_b.bits & !b),
            By::Or => (a | b, both.bits | known_a.bits & a | known_b.bits & b),
        };
        let value = if op.inverts_result { !value } else { value };
        let width = if inst.src_type(0).is_wide() { !0 } else { 0xffff_ffff };
        let known = Known { bits: bits | !width, ..both };
        let destination = if op.exec == Some(OldOrNew::Old) { ALL } else { known };
        self.set_sgprs(&site.writes.sgprs, destination, tag);
        if site.writes_scc {
            self.scc = (known.bits == !0 || value & width & known.bits != 0, known.origin);
        }
        (site.writes_exec && known.bits != !0).then(|| ((!known.bits).trailing_zeros() as u8 & 63, known.origin))
    }

    /// Returns scalar source `i` with its defined bits, and the origin of the others.
    fn scalar_value(&self, inst: &Inst, i: usize, state: &WaveState) -> (Value, Origin) {
        if i >= inst.src_count() {
            return (Value::known(0), Origin::Scc);
        }
        let (value, known) = self.bits_of(inst, i, state);
        (Value { value, bits: known.bits }, known.origin)
    }

    /// Returns the first undefined one of two sources' origins.
    fn origin_of_either(a: (Value, Origin), b: (Value, Origin)) -> Origin {
        if a.0.is_known() { b.1 } else { a.1 }
    }

    fn pass_scalar_values(&mut self, site: &Site, apply: Apply, state: &WaveState, tag: Tag) {
        let (a, b) = (self.scalar_value(&site.inst, 0, state), self.scalar_value(&site.inst, 1, state));
        let (is_scc_known, scc_origin) = self.scc;
        let scc = Value { value: u64::from(state.scc), bits: if is_scc_known || !site.reads_scc { !0 } else { !1 } };
        let all_known = a.0.is_known() && b.0.is_known() && scc.is_known();
        let origin = if a.0.is_known() && b.0.is_known() { scc_origin } else { Self::origin_of_either(a, b) };
        let result = apply([a.0, b.0, scc]);
        self.set_sgprs(&site.writes.sgprs, Known { bits: result.bits, origin }, tag);
        if site.writes_scc {
            // SCC of shifts and fields says whether the result is 0; that of sums is a carry or an overflow.
            let decides = !is_sum(site.inst.desc().opcode) && (result.is_known() || result.value & result.bits != 0);
            self.scc = (all_known || decides, origin);
        }
    }

    fn pass_compare(&mut self, site: &Site, compare: Compare, state: &WaveState) {
        let (a, b) = (self.scalar_value(&site.inst, 0, state), self.scalar_value(&site.inst, 1, state));
        self.scc = (compare.is_decided(a.0, b.0), Self::origin_of_either(a, b));
    }

    fn pass_bit(&mut self, site: &Site, state: &WaveState) {
        let (a, b) = (self.scalar_value(&site.inst, 0, state), self.scalar_value(&site.inst, 1, state));
        let width = if site.inst.src_type(0).is_wide() { 64 } else { 32 };
        self.scc = (a.0.shr(b.0, width).bits & 1 == 1, Self::origin_of_either(a, b));
    }
}

/// Returns the lanes of a set.
pub(crate) fn lanes_of(set: u64) -> impl Iterator<Item = u8> {
    let mut left = set;
    std::iter::from_fn(move || {
        let lane = left.trailing_zeros();
        left &= left.wrapping_sub(1);
        (lane < 64).then_some(lane as u8)
    })
}

/// Returns the lane that the source of a lane number means.
fn lane_of(source: Src, state: &WaveState) -> u32 {
    match source {
        Src::Sgpr(code) => state.sgpr[code as usize & 127] & 63,
        Src::Imm(lane) => lane as u32 & 63,
        _ => 0,
    }
}

fn is_sum(opcode: Opcode) -> bool {
    use Sop2::*;
    matches!(opcode, Opcode::Sop2(SAddU32 | SAddI32 | SAddcU32 | SSubU32 | SSubI32 | SSubbU32))
}
