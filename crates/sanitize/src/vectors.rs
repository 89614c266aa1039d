//! How vector instructions pass on which bits have a value, lane by lane.

use gcnsim_isa::table::Vop2;
use gcnsim_isa::{Inst, Opcode, Src};
use gcnsim_machine::Wave;

use crate::operation::{Compare, Operation, Padding};
use crate::registers::{ALL, Known, Origin, Shadow, Tag, Written, lanes_of};
use crate::site::{Rule, Site, selected_bits};
use crate::value::Value;

/// A source of an instruction in a lane.
#[derive(Clone, Copy)]
struct Source {
    value: Value,
    /// The origin of its undefined bits.
    origin: Origin,
    /// Whether they are of private memory, and were only moved since.
    is_private: bool,
}

/// What an instruction makes in a lane.
struct Made {
    /// The result with its defined bits.
    value: Value,
    /// Whether its mask, such as a carry, has a value.
    has_mask: bool,
    origin: Origin,
    is_private: bool,
}

impl Shadow {
    /// Passes on what is known of the sources of a vector instruction. Returns a lane and the origin if it writes EXEC
    /// with undefined bits.
    pub(crate) fn pass_vector(&mut self, site: &Site, wave: &Wave, tag: Tag) -> Option<(u8, Origin)> {
        let exec = wave.state.exec();
        let known = self.all_lanes(site, exec);
        if matches!(site.rule, Rule::Mixed) {
            self.pass_mixed(site, exec, tag);
            return None;
        }
        if known.bits & exec == exec {
            self.define_lanes(site, exec, tag);
            return None;
        }
        let mut results = vec![Written::ALL; site.writes.vgprs.len()];
        let (mut mask, mut first) = (!0u64, None);
        for lane in lanes_of(exec) {
            let made = self.made(site, wave, lane, &known);
            let placed = self.placed(site, made.value, lane);
            for (k, result) in results.iter_mut().enumerate() {
                result.bits[lane as usize] = (placed.bits >> (32 * (k & 1))) as u32;
                result.private |= u64::from(made.is_private) << lane;
            }
            if !made.has_mask {
                mask &= !(1 << lane);
            }
            if !placed.is_known() || !made.has_mask {
                first.get_or_insert(made.origin);
            }
        }
        let origin = first.unwrap_or(known.origin);
        for (&number, result) in site.writes.vgprs.iter().zip(&results) {
            self.set_written(number, exec, result, origin, tag);
        }
        // A mask has 0 in lanes that do not take part, so these are defined.
        self.set_sgprs(&site.writes.sgprs, Known { bits: mask | !exec, origin }, 0);
        let missing = exec & !mask;
        (site.writes_exec && missing != 0).then(|| (missing.trailing_zeros() as u8, origin))
    }

    /// Returns the lanes in which all bits of all sources have a value.
    fn all_lanes(&self, site: &Site, exec: u64) -> Known {
        let vectors = site.reads.vgprs.iter().map(|&number| self.vector(number));
        let vectors = vectors.map(|known| Known { bits: known.bits | !exec, ..known });
        let scalars = site.reads.sgprs.iter().map(|&code| self.scalar(code).whole());
        let mask = site.mask.map(|code| self.pair(code));
        let mask = mask.map(|known| Known { bits: known.bits | !exec, ..known });
        let keeps = site.inst.reads_vdst().then(|| site.writes.vgprs.first()).flatten().map(|&n| self.vector(n));
        let keeps = keeps.map(|known| Known { bits: known.bits | !exec, ..known });
        vectors.chain(scalars).chain(mask).chain(keeps).fold(ALL, Known::and)
    }

    fn define_lanes(&mut self, site: &Site, exec: u64, tag: Tag) {
        for &number in &site.writes.vgprs {
            self.set_vgpr(number, exec, ALL, tag);
        }
        self.set_sgprs(&site.writes.sgprs, ALL, 0);
    }

    /// Notes the results of an instruction that exchanges lanes. A bit of all lanes counts as having a value if it has
    /// one in any lane.
    fn pass_mixed(&mut self, site: &Site, exec: u64, tag: Tag) {
        let mut bits = !0;
        let mut origin = ALL.origin;
        for &number in &site.reads.vgprs {
            let of_lane = |lane: u8| self.bits(number, lane);
            let any =
                if self.vgprs[number as usize].lanes != 0 { !0 } else { (0..64).map(of_lane).fold(0, |a, b| a | b) };
            if any != !0 {
                (bits, origin) = (bits & any, self.vgprs[number as usize].origin);
            }
        }
        let scalars = site.reads.sgprs.iter().map(|&code| self.scalar(code).whole()).fold(ALL, Known::and);
        if scalars.bits != !0 {
            (bits, origin) = (0, scalars.origin);
        }
        let written = Written { bits: [bits; 64], private: 0 };
        for &number in &site.writes.vgprs {
            self.set_written(number, exec, &written, origin, tag);
        }
        let mask = if bits == !0 { !0 } else { !exec };
        self.set_sgprs(&site.writes.sgprs, Known { bits: mask, origin }, 0);
    }

    /// Returns what an instruction makes in a lane. `known` has an origin of any lane.
    fn made(&self, site: &Site, wave: &Wave, lane: u8, known: &Known) -> Made {
        match site.rule {
            Rule::Values(operation) => self.made_of_values(site, operation, wave, lane, known),
            Rule::Compare(compare) => self.made_of_compare(site, compare, wave, lane),
            Rule::Packed => self.made_of_halves(site, wave, lane),
            _ => self.made_of_needs(site, lane),
        }
    }

    fn made_of_values(&self, site: &Site, operation: Operation, wave: &Wave, lane: u8, known: &Known) -> Made {
        let inst = &site.inst;
        let mut sources = [Source { value: Value::known(0), origin: known.origin, is_private: true }; 3];
        for (i, source) in sources.iter_mut().enumerate().take(inst.src_count()) {
            *source = self.source(inst, i, wave, lane);
        }
        if let Some(code) = site.mask {
            sources[2] = self.mask_bit(code, wave, lane);
        }
        let values = sources.map(|source| source.value);
        let mut value = (operation.apply)(values);
        let all_known = values.iter().all(|value| value.is_known());
        if inst.clamp() {
            value = if all_known { value } else { Value { value: 0, bits: 0 } };
        }
        let blamed = self.blamed(site, &sources);
        let is_private = is_copy(site, operation.padding, &sources, value);
        Made { value, has_mask: all_known, origin: blamed, is_private }
    }

    /// Returns the origin of the undefined bits of the sources that count: of V_CNDMASK the mask and the selected one.
    fn blamed(&self, site: &Site, sources: &[Source; 3]) -> Origin {
        let unknown = |source: &&Source| !source.value.is_known();
        let order: [usize; 3] = match site.inst.desc().opcode {
            Opcode::Vop2(Vop2::VCndmaskB32) if !sources[2].value.is_known() => [2, 0, 1],
            Opcode::Vop2(Vop2::VCndmaskB32) if sources[2].value.value & 1 == 1 => [1, 0, 2],
            _ => [0, 1, 2],
        };
        let first = order.iter().map(|&i| &sources[i]).find(unknown);
        first.map_or(sources[0].origin, |source| source.origin)
    }

    fn made_of_compare(&self, site: &Site, compare: Compare, wave: &Wave, lane: u8) -> Made {
        let (a, b) = (self.source(&site.inst, 0, wave, lane), self.source(&site.inst, 1, wave, lane));
        let origin = if a.value.is_known() { b.origin } else { a.origin };
        let has_mask = compare.is_decided(a.value, b.value);
        Made { value: Value::known(0), has_mask, origin, is_private: false }
    }

    fn made_of_halves(&self, site: &Site, wave: &Wave, lane: u8) -> Made {
        let inst = &site.inst;
        let (mut bits, mut origin) = (!0u64, ALL.origin);
        for i in 0..inst.src_count() {
            let source = self.plain_source(inst, i, wave, lane);
            for (half, selected) in [inst.op_sel(), inst.op_sel_hi()].into_iter().enumerate() {
                if source.value.bits >> (16 * (selected >> i & 1)) & 0xffff != 0xffff {
                    (bits, origin) = (bits & !(0xffff << (16 * half)), source.origin);
                }
            }
        }
        Made { value: Value { value: 0, bits }, has_mask: bits == !0, origin, is_private: false }
    }

    fn made_of_needs(&self, site: &Site, lane: u8) -> Made {
        let lacks = |&(number, needed): &(u8, u32)| self.bits(number, lane) & needed != needed;
        let vector = site.needs.iter().copied().find(lacks).map(|(number, _)| self.vgprs[number as usize].origin);
        let scalar = || site.reads.sgprs.iter().map(|&code| self.scalar(code)).find(|known| known.bits != !0);
        let mask = || site.mask.map(|code| self.pair(code)).filter(|known| known.bits >> lane & 1 == 0);
        let missing = vector.or_else(|| scalar().or_else(mask).map(|known| known.origin));
        let value = Value { value: 0, bits: if missing.is_none() { !0 } else { 0 } };
        Made { value, has_mask: missing.is_none(), origin: missing.unwrap_or(ALL.origin), is_private: false }
    }

    /// Returns the bit of a mask in a lane.
    fn mask_bit(&self, code: u8, wave: &Wave, lane: u8) -> Source {
        let value = |code: u8| u64::from(wave.state.sgpr[code as usize & 127]);
        let (mask, known) = (value(code) | value(code + 1) << 32, self.pair(code));
        let value = Value { value: mask >> lane & 1, bits: known.bits >> lane | !1 };
        Source { value, origin: known.origin, is_private: false }
    }

    /// Returns source `i` in a lane, as the instruction takes it: selected by SDWA or OP_SEL.
    fn source(&self, inst: &Inst, i: usize, wave: &Wave, lane: u8) -> Source {
        let source = self.plain_source(inst, i, wave, lane);
        let value = source.value;
        if let Some((sdwa, selector)) = inst.sdwa().and_then(|sdwa| Some((sdwa, *sdwa.src_sel.get(i)?))) {
            let part = selected_bits(selector);
            let (at, width) = (part.trailing_zeros(), part.count_ones());
            let field = value.shr(Value::known(at.into()), 32).low(width);
            return Source { value: if sdwa.sext[i] { field.extended(width).low(32) } else { field }, ..source };
        }
        if inst.src_type(i).bits() == 16 {
            let at = if matches!(inst.src(i), Src::Imm(_)) { 0 } else { 16 * (inst.op_sel() >> i & 1) };
            return Source { value: value.shr(Value::known(at.into()), 32).low(16), ..source };
        }
        source
    }

    /// Returns source `i` in a lane, as registers have it.
    fn plain_source(&self, inst: &Inst, i: usize, wave: &Wave, lane: u8) -> Source {
        let is_wide = inst.src_type(i).is_wide();
        match inst.src(i) {
            Src::Vgpr(number) => {
                let vector = |number: u8| {
                    let value = wave.vgprs.regs().get(number as usize).map_or(0, |vgpr| vgpr.0[lane as usize]);
                    (u64::from(value), u64::from(self.bits(number, lane)))
                };
                let (high, low) = (number.wrapping_add(1), vector(number));
                let second = if is_wide { vector(high) } else { (0, 0xffff_ffff) };
                let of_high = is_wide && low.1 == 0xffff_ffff;
                let origin = self.vgprs[if of_high { high } else { number } as usize].origin;
                let is_private = [number, high].iter().take(1 + usize::from(is_wide)).all(|&number| {
                    let vector = &self.vgprs[number as usize];
                    (vector.lanes | vector.private) >> lane & 1 == 1
                });
                let value = Value { value: low.0 | second.0 << 32, bits: low.1 | second.1 << 32 };
                Source { value, origin, is_private }
            }
            Src::Sgpr(_) => {
                let (value, known) = self.bits_of(inst, i, &wave.state);
                Source { value: Value { value, bits: known.bits }, origin: known.origin, is_private: false }
            }
            Src::Imm(value) => Source { value: Value::known(value), origin: ALL.origin, is_private: true },
            Src::Vccz | Src::Execz | Src::Scc | Src::LdsDirect => {
                Source { value: Value::known(0), origin: ALL.origin, is_private: true }
            }
        }
    }

    /// Returns the bits of the destination after a result was put there, of which SDWA and OP_SEL may keep a part.
    fn placed(&self, site: &Site, made: Value, lane: u8) -> Value {
        let Some(&number) = site.writes.vgprs.first() else { return made };
        let old = u64::from(self.bits(number, lane));
        let put = |part: u64, at: u32, rest: u64| Value {
            value: 0,
            bits: made.bits << at & part | rest & !part & 0xffff_ffff | !0xffff_ffff,
        };
        if let Some(sdwa) = site.inst.sdwa() {
            let part = u64::from(selected_bits(sdwa.dst_sel));
            let (at, sign) = (part.trailing_zeros(), made.bits >> (part.count_ones() - 1) & 1);
            return match sdwa.dst_unused {
                // The bits above are copies of the sign.
                1 if sign == 0 => put(part, at, (1 << at) - 1),
                2 => put(part, at, old),
                _ => put(part, at, !0),
            };
        }
        match site.inst.writes_half() {
            Some(half) => put(0xffff << (16 * half), 16 * u32::from(half), old),
            None if site.inst.desc().dst.bits() == 16 => put(0xffff, 0, !0),
            None => made,
        }
    }
}

/// Whether the undefined bits of `result` are padding in a copy of private memory, as far as an instruction shows that.
fn is_copy(site: &Site, padding: Padding, sources: &[Source; 3], result: Value) -> bool {
    let is_clean = |source: &Source| source.value.is_known() || source.is_private;
    let is_part = |source: &Source| source.value.is_known() || source.is_private && is_structure(source.value.bits);
    let selects_part = site.inst.sdwa().is_some() || site.inst.writes_half().is_some();
    match padding {
        Padding::Lost => false,
        Padding::Moved if !selects_part => match (site.mask, sources) {
            (None, sources) => sources.iter().all(is_clean),
            // The other source does not matter.
            (Some(_), [a, b, mask]) => mask.value.is_known() && is_clean(if mask.value.value & 1 == 1 { b } else { a }),
        },
        Padding::Moved | Padding::Merged => sources.iter().all(is_part) && is_structure(result.bits),
    }
}

/// Whether a dword or qword of which `bits` have a value may be one of a structure with padding: that consists of whole
/// bytes, and what comes first in an aligned dword is none.
pub(crate) fn is_structure(bits: u64) -> bool {
    let bytes = bits.to_le_bytes();
    bytes[0] == !0 && bytes.iter().all(|&byte| byte == 0 || byte == !0)
}
