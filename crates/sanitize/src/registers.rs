//! The shadow of a wave's registers: which lanes were ever given a value, and which buffer a pointer came from.

use std::ops::Range;

use gcnsim_isa::{Inst, Src, WaveState, reg};
use gcnsim_machine::Wave;

use crate::site::{Bits, By, OldOrNew, Rule, Site};

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
#[derive(Clone, Copy, Debug)]
pub struct Vector {
    /// Lanes that have a value.
    pub lanes: u64,
    /// The origin of the undefined values in other lanes.
    pub origin: Origin,
    /// The tag of the pointer in it.
    pub tag: Tag,
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
    /// Scalar registers with only some defined bits that V_WRITELANE has saved: the VGPR, the lane, and the bits. Such
    /// a lane counts as undefined.
    spilled: Vec<(u8, u32, u32)>,
    /// VGPRs with dwords of LDS or scratch of which only some bytes have a value, such as structures with padding. Such
    /// lanes count as undefined, unless they are stored again.
    padded: Vec<Padded>,
}

/// The bytes with a value of a VGPR's dwords.
#[derive(Clone, Copy, Debug)]
struct Padded {
    number: u8,
    /// For each byte of the register, the lanes in which it has a value though others have none.
    lanes: [u64; 4],
    /// Whether the dwords are of scratch.
    is_private: bool,
}

/// The bits or lanes of a value that are defined, and the origin of the others.
#[derive(Clone, Copy, Debug)]
struct Known {
    bits: u64,
    origin: Origin,
}

const ALL: Known = Known { bits: !0, origin: Origin::Scc };

impl Known {
    /// Returns the bits that are defined in both values.
    fn and(self, other: Known) -> Known {
        let origin = if self.bits == !0 { other.origin } else { self.origin };
        Known { bits: self.bits & other.bits, origin }
    }

    /// Returns all bits if all are defined, otherwise none.
    fn whole(self) -> Known {
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
        let vector = |n: u32| Vector { lanes: if n < vgprs { !0 } else { 0 }, origin: Origin::Vgpr(n as u8), tag: 0 };
        // FLAT_SCRATCH, trap registers and EXEC have values; VCC and M0 do not.
        let is_given = |n: u32| n < sgprs || (102..106).contains(&n) || (108..124).contains(&n) || n > 124;
        let scalar = |n: u32| Scalar { bits: if is_given(n) { !0 } else { 0 }, origin: Origin::Sgpr(n as u8), tag: 0 };
        Shadow {
            vgprs: (0..256).map(vector).collect(),
            sgprs: (0..128).map(scalar).collect(),
            scc: (false, Origin::Scc),
            spilled: Vec::new(),
            padded: Vec::new(),
        }
    }

    fn vector(&self, number: u8) -> Known {
        let Vector { lanes, origin, .. } = self.vgprs[number as usize];
        Known { bits: lanes, origin }
    }

    /// Returns the defined bits of a scalar register, extended to 64: all if all 32 are defined.
    fn scalar(&self, code: u8) -> Known {
        let Scalar { bits, origin, .. } = self.sgprs[code as usize & 127];
        Known { bits: if bits == !0 { !0 } else { u64::from(bits) }, origin }
    }

    fn pair(&self, code: u8) -> Known {
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

    /// Returns the first lane of `exec` in which one of `vgprs` is undefined, and the origin of its value. A dword of
    /// scratch with some defined bytes counts as defined: a structure with padding. If `part` names some bytes of a
    /// register, these must be defined.
    pub fn undefined_data(&self, vgprs: &[u8], part: Option<Range<usize>>, exec: u64) -> Option<(u8, Origin)> {
        vgprs.iter().find_map(|&number| {
            let padded = self.padded(number).filter(|padded| padded.is_private);
            let lanes = padded.map_or(0, |padded| match &part {
                Some(part) => padded.lanes[part.clone()].iter().fold(!0, |all, lanes| all & lanes),
                None => padded.lanes.iter().fold(0, |all, lanes| all | lanes),
            });
            self.undefined_lane(&[number], exec & !lanes)
        })
    }

    /// Whether byte `byte` (0 to 3) of the VGPR `number` is defined in lane `lane`.
    pub fn has_byte(&self, number: u8, byte: u8, lane: u8) -> bool {
        let padded = self.padded(number).map_or(0, |padded| padded.lanes[byte as usize & 3]);
        (self.vgprs[number as usize].lanes | padded) >> lane & 1 == 1
    }

    fn padded(&self, number: u8) -> Option<Padded> {
        self.padded.iter().find(|padded| padded.number == number).copied()
    }

    /// Notes, for each byte of a VGPR that was just set, the lanes in which it has a value though others have none.
    /// `is_private` says whether the values are of scratch.
    pub fn pad(&mut self, number: u8, lanes: [u64; 4], is_private: bool) {
        if lanes == [0; 4] {
            return;
        }
        match self.padded.iter_mut().find(|padded| padded.number == number) {
            Some(padded) => {
                (0..4).for_each(|byte| padded.lanes[byte] |= lanes[byte]);
                padded.is_private &= is_private;
            }
            None => self.padded.push(Padded { number, lanes, is_private }),
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

    fn set_vgpr(&mut self, number: u8, exec: u64, known: Known, tag: Tag) {
        if !self.spilled.is_empty() {
            self.spilled.retain(|(other, lane, _)| *other != number || exec >> lane & 1 == 0);
        }
        if let Some(at) = self.padded.iter().position(|padded| padded.number == number) {
            self.padded[at].lanes.iter_mut().for_each(|lanes| *lanes &= !exec);
            if self.padded[at].lanes == [0; 4] {
                self.padded.swap_remove(at);
            }
        }
        let vector = &mut self.vgprs[number as usize];
        vector.lanes = vector.lanes & !exec | known.bits & exec;
        if known.bits & exec != exec {
            vector.origin = known.origin;
        }
        vector.tag = tag;
    }

    fn set_sgpr(&mut self, code: u8, bits: u32, origin: Origin, tag: Tag) {
        let scalar = &mut self.sgprs[code as usize & 127];
        *scalar = Scalar { bits, origin: if bits == !0 { scalar.origin } else { origin }, tag };
    }

    /// Sets scalar results. Each takes 32 bits of `known`: two results take the low and the high half.
    fn set_sgprs(&mut self, codes: &[u8], known: Known, tag: Tag) {
        for (k, &code) in codes.iter().enumerate() {
            let bits = if codes.len() > 1 { (known.bits >> (32 * (k & 1))) as u32 } else { known.bits as u32 };
            self.set_sgpr(code, bits, known.origin, tag);
        }
    }

    /// Sets the VGPR `number`, which a load has written in the lanes `exec`. It has a value in `lanes`; the other lanes
    /// have the origin `origin`.
    pub fn set_loaded(&mut self, number: u8, exec: u64, lanes: u64, origin: Origin, tag: Tag) {
        self.set_vgpr(number, exec, Known { bits: lanes, origin }, tag);
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
            Rule::Lanes | Rule::Mixed | Rule::Select => {
                let known = match site.rule {
                    Rule::Select => self.selected(&site.inst, site.mask, state),
                    Rule::Mixed => self.mixed(site),
                    _ => self.lanes(site),
                };
                let low = match (site.high_source, site.rule) {
                    (Some(high), Rule::Lanes) => self.lanes_but(site, Some(high)),
                    _ => known,
                };
                let high = site.low_source.map(|(number, shift)| {
                    let (amount, _) = self.bits_of(&site.inst, shift, state);
                    let is_far = !matches!(site.inst.src(shift), Src::Vgpr(_)) && amount & 63 >= 32;
                    (self.lanes_but(site, Some(number)), is_far)
                });
                let padded = match (site.is_copy, site.inst.src(0)) {
                    (true, Src::Vgpr(from)) => self.padded(from),
                    _ => None,
                };
                self.set_lanes(site, exec, known, tag);
                if let (Some((high, is_far)), &[first, second]) = (high, &site.writes.vgprs[..]) {
                    self.set_vgpr(first, exec, if is_far { high } else { known }, tag);
                    self.set_vgpr(second, exec, high, tag);
                }
                if let (Some(&first), true) = (site.writes.vgprs.first(), site.high_source.is_some()) {
                    self.set_vgpr(first, exec, low, tag);
                }
                if let (Some(padded), &[to]) = (padded, &site.writes.vgprs[..]) {
                    self.pad(to, padded.lanes.map(|lanes| lanes & exec), padded.is_private);
                }
                let missing = exec & !known.bits;
                (site.writes_exec && missing != 0).then(|| (missing.trailing_zeros() as u8, known.origin))
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

    fn lanes(&self, site: &Site) -> Known {
        self.lanes_but(site, None)
    }

    /// Returns the lanes in which all sources have a value. The VGPR `left_out` does not count.
    fn lanes_but(&self, site: &Site, left_out: Option<u8>) -> Known {
        let counts = |number: &&u8| Some(**number) != left_out;
        let vectors = site.reads.vgprs.iter().filter(counts).map(|&number| self.vector(number));
        let scalars = site.reads.sgprs.iter().map(|&code| self.scalar(code).whole());
        let mask = site.mask.map(|code| self.pair(code));
        vectors.chain(scalars).chain(mask).fold(ALL, Known::and)
    }

    /// Returns the lanes with a value of a result that exchanges lanes. If any lane of the sources has a value, all
    /// lanes count as having one.
    fn mixed(&self, site: &Site) -> Known {
        let known = self.lanes(site);
        Known { bits: if known.bits == 0 { 0 } else { !0 }, ..known }
    }

    fn source(&self, inst: &Inst, i: usize) -> Known {
        match inst.src(i) {
            Src::Vgpr(number) => self.vector(number),
            Src::Sgpr(code) => self.scalar(code).whole(),
            _ => ALL,
        }
    }

    /// Returns the lanes in which V_CNDMASK has a value: those where the mask and the source that it selects have one.
    fn selected(&self, inst: &Inst, mask: Option<u8>, state: &WaveState) -> Known {
        let Some(code) = mask else { return ALL };
        let value = |code: u8| state.sgpr[code as usize & 127];
        let bits = u64::from(value(code)) | u64::from(value(code + 1)) << 32;
        let chosen = |of: Known, lanes: u64| Known { bits: of.bits | !lanes, ..of };
        let sources = chosen(self.source(inst, 0), !bits).and(chosen(self.source(inst, 1), bits));
        self.pair(code).and(sources)
    }

    fn set_lanes(&mut self, site: &Site, exec: u64, known: Known, tag: Tag) {
        for &number in &site.writes.vgprs {
            self.set_vgpr(number, exec, known, tag);
        }
        // A mask has 0 in lanes that do not take part, so these are defined.
        self.set_sgprs(&site.writes.sgprs, Known { bits: known.bits | !exec, ..known }, 0);
    }

    fn read_lane(&mut self, site: &Site, state: &WaveState, tag: Tag) {
        let lane = match site.inst.src_count() {
            2 => lane_of(site.inst.src(1), state),
            _ => state.exec().trailing_zeros() & 63,
        };
        let source = self.source(&site.inst, 0);
        let bits = match source.bits >> lane & 1 {
            1 => !0,
            _ => self.spilled_bits(&site.inst, lane),
        };
        self.set_sgprs(&site.writes.sgprs, Known { bits, ..source }, tag);
    }

    fn write_lane(&mut self, site: &Site, state: &WaveState, tag: Tag) {
        let lane = lane_of(site.inst.src(1), state);
        let source = self.source(&site.inst, 0);
        for &number in &site.writes.vgprs {
            self.set_vgpr(number, 1 << lane, source, tag);
            if let (0, Src::Sgpr(code)) = (source.bits, site.inst.src(0)) {
                let bits = self.sgprs[code as usize & 127].bits;
                if bits != 0 {
                    self.spilled.push((number, lane, bits));
                }
            }
        }
    }

    /// Returns the defined bits of the scalar register that V_WRITELANE has saved in a lane of the first source.
    fn spilled_bits(&self, inst: &Inst, lane: u32) -> u64 {
        let Src::Vgpr(number) = inst.src(0) else { return 0 };
        let held = self.spilled.iter().find(|(other, of, _)| (*other, *of) == (number, lane));
        held.map_or(0, |(_, _, bits)| u64::from(*bits))
    }

    fn pass_scalar(&mut self, site: &Site, state: &WaveState, tag: Tag) -> Option<(u8, Origin)> {
        let scc = Known { bits: if self.scc.0 { !0 } else { 0 }, origin: self.scc.1 };
        let known = if site.rule == Rule::ScalarSelect {
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
    fn bits_of(&self, inst: &Inst, i: usize, state: &WaveState) -> (u64, Known) {
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
}

/// Returns the lane that the source of a lane number means.
fn lane_of(source: Src, state: &WaveState) -> u32 {
    match source {
        Src::Sgpr(code) => state.sgpr[code as usize & 127] & 63,
        Src::Imm(lane) => lane as u32 & 63,
        _ => 0,
    }
}
