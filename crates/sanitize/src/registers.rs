//! What is known of the registers of a wave: which lanes were ever given a value, and which buffer a pointer came from.

use gcnsim_isa::{Inst, Src, WaveState, reg};
use gcnsim_machine::Wave;

use crate::site::{Bits, By, OldOrNew, Rule, Site};

/// The buffer that a pointer came from: 0 of none, or its index and 1.
pub type Tag = u16;

/// Pointers of several buffers, or other numbers, went into it.
pub const MIXED: Tag = u16::MAX;

/// Where a value without meaning comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Origin {
    /// A VGPR that nothing has written.
    Vgpr(u8),
    /// A scalar register that nothing has written.
    Sgpr(u8),
    /// SCC, which nothing has written.
    Scc,
    /// A load, by the dword of the code, of bytes of LDS or scratch that nothing has written.
    Load(u32),
}

/// Lanes of a register.
#[derive(Clone, Copy, Debug)]
pub struct Vector {
    /// Lanes that have a value.
    pub lanes: u64,
    /// Where other lanes have theirs from.
    pub origin: Origin,
    /// The buffer.
    pub tag: Tag,
}

/// A scalar register.
#[derive(Clone, Copy, Debug)]
pub struct Scalar {
    /// Bits that have a value.
    pub bits: u32,
    /// Where the others have theirs from.
    pub origin: Origin,
    /// The buffer.
    pub tag: Tag,
}

/// Registers of a wave.
#[derive(Debug)]
pub struct Shadow {
    /// VGPRs.
    pub vgprs: Vec<Vector>,
    /// Scalar registers by operand code.
    pub sgprs: Vec<Scalar>,
    /// SCC, and its origin.
    pub scc: (bool, Origin),
    /// Lanes that hold a scalar register of which some bits have a value: VGPR, lane, these bits. Their lanes count as
    /// without a value.
    spilled: Vec<(u8, u32, u32)>,
}

/// What part of a value is defined; if not all, where the rest comes from.
#[derive(Clone, Copy, Debug)]
struct Known {
    bits: u64,
    origin: Origin,
}

const ALL: Known = Known { bits: !0, origin: Origin::Scc };

impl Known {
    /// Both: bits that are known in both.
    fn and(self, other: Known) -> Known {
        let origin = if self.bits == !0 { other.origin } else { self.origin };
        Known { bits: self.bits & other.bits, origin }
    }

    /// Returns all bits, if all are known; else none.
    fn whole(self) -> Known {
        Known { bits: if self.bits == !0 { !0 } else { 0 }, ..self }
    }
}

/// Returns the tag of a value that two went into.
fn joined(a: Tag, b: Tag) -> Tag {
    match (a, b) {
        (0, tag) | (tag, 0) => tag,
        (a, b) if a == b => a,
        _ => MIXED,
    }
}

impl Shadow {
    /// Registers of a wave that begins with so many of them.
    pub fn new(sgprs: u32, vgprs: u32) -> Shadow {
        let vector = |n: u32| Vector { lanes: if n < vgprs { !0 } else { 0 }, origin: Origin::Vgpr(n as u8), tag: 0 };
        // FLAT_SCRATCH, trap registers and EXEC are there; VCC and M0 are not.
        let is_given = |n: u32| n < sgprs || (102..106).contains(&n) || (108..124).contains(&n) || n > 124;
        let scalar = |n: u32| Scalar { bits: if is_given(n) { !0 } else { 0 }, origin: Origin::Sgpr(n as u8), tag: 0 };
        Shadow {
            vgprs: (0..256).map(vector).collect(),
            sgprs: (0..128).map(scalar).collect(),
            scc: (false, Origin::Scc),
            spilled: Vec::new(),
        }
    }

    fn vector(&self, number: u8) -> Known {
        let Vector { lanes, origin, .. } = self.vgprs[number as usize];
        Known { bits: lanes, origin }
    }

    /// Returns the scalar register as 64 bits.
    fn scalar(&self, code: u8) -> Known {
        let Scalar { bits, origin, .. } = self.sgprs[code as usize & 127];
        Known { bits: if bits == !0 { !0 } else { u64::from(bits) }, origin }
    }

    fn pair(&self, code: u8) -> Known {
        let [low, high] = [code, code + 1].map(|code| self.sgprs[code as usize & 127]);
        let origin = if low.bits == !0 { high.origin } else { low.origin };
        Known { bits: u64::from(low.bits) | u64::from(high.bits) << 32, origin }
    }

    /// Returns the first of these VGPRs that has no value in an active lane: the lane, and the origin.
    pub fn undefined_lane(&self, vgprs: &[u8], exec: u64) -> Option<(u8, Origin)> {
        vgprs.iter().find_map(|&number| {
            let vector = &self.vgprs[number as usize];
            let missing = exec & !vector.lanes;
            (missing != 0).then(|| (missing.trailing_zeros() as u8, vector.origin))
        })
    }

    /// Returns the first of these scalar registers that has bits without a value: the origin.
    pub fn undefined_scalar(&self, sgprs: &[u8]) -> Option<Origin> {
        let missing = |code: &&u8| self.sgprs[**code as usize & 127].bits != !0;
        sgprs.iter().find(missing).map(|&code| self.sgprs[code as usize & 127].origin)
    }

    /// Returns the origin of VCC, if its unknown bits decide whether it is 0.
    pub fn undecided_vcc(&self, state: &WaveState) -> Option<Origin> {
        let vcc = self.pair(reg::VCC_LO);
        (vcc.bits != !0 && state.vcc() & vcc.bits == 0).then_some(vcc.origin)
    }

    /// Returns the buffer that pointers in registers come from; 0 or [`MIXED`] if there is not one.
    pub fn tag(&self, vgprs: &[u8], sgprs: &[u8]) -> Tag {
        let vectors = vgprs.iter().map(|&number| self.vgprs[number as usize].tag);
        let scalars = sgprs.iter().map(|&code| self.sgprs[code as usize & 127].tag);
        vectors.chain(scalars).fold(0, joined)
    }

    fn set_vgpr(&mut self, number: u8, exec: u64, known: Known, tag: Tag) {
        if !self.spilled.is_empty() {
            self.spilled.retain(|(other, lane, _)| *other != number || exec >> lane & 1 == 0);
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

    /// Sets scalar results that have 32 bits each of a value.
    fn set_sgprs(&mut self, codes: &[u8], known: Known, tag: Tag) {
        for (k, &code) in codes.iter().enumerate() {
            let bits = if codes.len() > 1 { (known.bits >> (32 * (k & 1))) as u32 } else { known.bits as u32 };
            self.set_sgpr(code, bits, known.origin, tag);
        }
    }

    /// Sets what a load has written: lanes with a value, by register.
    pub fn set_loaded(&mut self, number: u8, exec: u64, lanes: u64, origin: Origin, tag: Tag) {
        self.set_vgpr(number, exec, Known { bits: lanes, origin }, tag);
    }

    /// Scalar registers get a value.
    pub fn define_scalars(&mut self, codes: &[u8]) {
        for &code in codes {
            self.set_sgpr(code, !0, Origin::Sgpr(code), 0);
        }
    }

    /// Notes that a scalar register points into a buffer.
    pub fn set_tag(&mut self, code: u8, tag: Tag) {
        self.sgprs[code as usize & 127].tag = tag;
    }

    /// Carries what is known through an instruction to the registers that it writes. What it does with memory is not
    /// known here. Returns the lane and origin if EXEC then depends on values that are not there.
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
                self.set_lanes(site, exec, known, tag);
                if let (Some((high, is_far)), &[first, second]) = (high, &site.writes.vgprs[..]) {
                    self.set_vgpr(first, exec, if is_far { high } else { known }, tag);
                    self.set_vgpr(second, exec, high, tag);
                }
                if let (Some(&first), true) = (site.writes.vgprs.first(), site.high_source.is_some()) {
                    self.set_vgpr(first, exec, low, tag);
                }
                let missing = exec & !known.bits;
                (site.writes_exec && missing != 0).then(|| (missing.trailing_zeros() as u8, known.origin))
            }
        }
    }

    /// All results get a value, and all VGPRs if it is not known which.
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

    /// Lanes in which all sources have a value, but for one VGPR.
    fn lanes_but(&self, site: &Site, left_out: Option<u8>) -> Known {
        let counts = |number: &&u8| Some(**number) != left_out;
        let vectors = site.reads.vgprs.iter().filter(counts).map(|&number| self.vector(number));
        let scalars = site.reads.sgprs.iter().map(|&code| self.scalar(code).whole());
        let mask = site.mask.map(|code| self.pair(code));
        vectors.chain(scalars).chain(mask).fold(ALL, Known::and)
    }

    /// Lanes are exchanged: where some have a value, all count as having one.
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

    /// V_CNDMASK.
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
        // Masks have 0 in lanes that do not take part.
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

    /// Returns the bits with a value of a scalar register that a lane of the first source holds.
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

    /// Value and known bits of a scalar source.
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

/// Returns the lane that a lane number names.
fn lane_of(source: Src, state: &WaveState) -> u32 {
    match source {
        Src::Sgpr(code) => state.sgpr[code as usize & 127] & 63,
        Src::Imm(lane) => lane as u32 & 63,
        _ => 0,
    }
}
