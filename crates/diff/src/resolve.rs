//! Decides which differences count, by what the values were computed as, and explains the first difference that does.

use std::collections::{BTreeMap, HashMap};

use gcnsim_isa::{Inst, Opcode, Program, Sopp};
use half::f16;

use crate::align::Alignment;
use crate::compare::{Compared, Difference};
use crate::culprit::{Observed, Search};
use crate::origin::{Origin, Origins, StoreOrigin};
use crate::result::{First, Hex};
use crate::step::WaveId;
use crate::trace::Trace;
use crate::value::{Holds, Tolerance};

const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// The origins of both sides.
pub(crate) type Both = [Origins; 2];

/// Removes the differences that the tolerance of floats allows, and counts them.
pub(crate) fn tolerate(compared: &mut Compared, origins: &Both, tolerance: Tolerance) {
    let differences = std::mem::take(&mut compared.differences);
    let (differing, tolerated): (Vec<_>, Vec<_>) =
        differences.into_iter().partition(|difference| !is_tolerated(difference, compared, origins, tolerance));
    for difference in &tolerated {
        let count = difference.count(&mut compared.counts);
        count.differ -= 1;
        count.tolerated += 1;
    }
    compared.differences = differing;
}

fn is_tolerated(difference: &Difference, compared: &Compared, origins: &Both, tolerance: Tolerance) -> bool {
    let holds = holds(difference, origins);
    match difference {
        Difference::Value { is_half: true, values: [old, new], .. } => {
            holds.is_float() && tolerance != Tolerance::BITS && tolerance.agree_f16(*old as u16, *new as u16)
        }
        Difference::Value { values: [old, new], .. } => tolerance.agree(holds, *old, *new),
        Difference::Store { address, values } => {
            // What one side alone has stored differs from nothing at all.
            let is_of_both = origins.iter().all(|side| side.stores.contains_key(address));
            is_of_both && is_dword_tolerated(holds, [*address; 2], *values, compared, tolerance)
        }
        Difference::Buffer { addresses, values, .. } => {
            is_dword_tolerated(holds, *addresses, *values, compared, tolerance)
        }
        Difference::Image { values: [Some(old), Some(new)], .. } => tolerance.agree(holds, *old, *new),
        _ => false,
    }
}

/// Whether the difference of a dword of memory is tolerated. A half of a float of 64 bits is compared together with the
/// dword beside it.
fn is_dword_tolerated(
    holds: Holds,
    addresses: [u64; 2],
    values: [u32; 2],
    compared: &Compared,
    tolerance: Tolerance,
) -> bool {
    let beside = |distance: u64| -> Option<[u32; 2]> {
        let of = |side: usize| compared.dwords[side].get(&addresses[side].wrapping_add(distance)).copied();
        Some([of(0)?, of(1)?])
    };
    let agree = |low: [u32; 2], high: [u32; 2]| {
        let [old, new] = [0, 1].map(|side| u64::from(low[side]) | u64::from(high[side]) << 32);
        tolerance.agree_f64(old, new)
    };
    if holds.has(Holds::F64_LOW) {
        return beside(4).is_some_and(|high| agree(values, high));
    }
    if holds.has(Holds::F64_HIGH) {
        return beside(4u64.wrapping_neg()).is_some_and(|low| agree(low, values));
    }
    tolerance.agree(holds, values[0], values[1])
}

/// Returns the kind of value on either side. (A compiler may have computed at compile time what the other side
/// computes.)
pub(crate) fn holds(difference: &Difference, origins: &Both) -> Holds {
    [0, 1].map(|side| origin(difference, origins, side)).into_iter().fold(Holds::BITS, |all, origin| {
        all | match (difference, origin) {
            (Difference::Value { is_half: true, component, .. }, Some(origin)) => {
                let half = if component & 1 == 0 { Holds::F16_LOW } else { Holds::F16_HIGH };
                if origin.holds.has(half) { half } else { Holds::BITS }
            }
            (_, Some(origin)) => origin.holds,
            (_, None) => Holds::BITS,
        }
    })
}

/// Returns the origin of the value that differs, on a side.
fn origin(difference: &Difference, origins: &Both, side: usize) -> Option<Origin> {
    match difference {
        Difference::Value { at, component, lane, .. } => {
            let export = origins[side].exports.get(&at[side].id)?.get(at[side].number)?;
            Some(export.values[*component as usize][*lane as usize])
        }
        _ => store(difference, &origins[side], side).map(|store| store.value),
    }
}

fn store<'o>(difference: &Difference, origins: &'o Origins, side: usize) -> Option<&'o StoreOrigin> {
    match difference {
        Difference::Store { address, .. } => origins.stores.get(address),
        Difference::Buffer { addresses, .. } => origins.stores.get(&addresses[side]),
        Difference::Image { key, at, .. } => origins.images.get(&(*key, *at)),
        _ => None,
    }
}

/// Returns the place where a side shows a difference, and the address of the instruction there.
fn seen(difference: &Difference, origins: &Both, side: usize) -> Option<(Observed, u64)> {
    let own = &origins[side];
    match difference {
        Difference::Value { at, component, lane, .. } => {
            let export = own.exports.get(&at[side].id)?.get(at[side].number)?;
            let source = Some((export.sources[*component as usize], *lane));
            Some((Observed { id: at[side].id, count: export.count, source }, export.pc))
        }
        Difference::Lanes { at, .. } | Difference::Components { at, .. } => {
            let export = own.exports.get(&at[side].id)?.get(at[side].number)?;
            Some((Observed { id: at[side].id, count: export.count, source: None }, export.pc))
        }
        Difference::Export { at, .. } => {
            let at = at[side]?;
            let export = own.exports.get(&at.id)?.get(at.number)?;
            Some((Observed { id: at.id, count: export.count, source: None }, export.pc))
        }
        Difference::Store { .. } | Difference::Buffer { .. } | Difference::Image { .. } => {
            let store = store(difference, own, side)?;
            Some((Observed { id: store.id, count: store.count, source: store.source }, store.pc))
        }
        Difference::Message { id, number, messages } => {
            let count = *own.messages.get(id)?.get(*number)?;
            Some((Observed { id: *id, count, source: None }, messages[side]?.pc))
        }
        Difference::Count { .. } => None,
    }
}

/// Returns the wave that shows a difference.
pub(crate) fn wave(difference: &Difference, origins: &Both) -> Option<WaveId> {
    if let Difference::Count { id, .. } = difference {
        return Some(*id);
    }
    [1, 0].into_iter().find_map(|side| seen(difference, origins, side)).map(|(seen, _)| seen.id)
}

/// The program of a side, as it ran.
pub(crate) struct Side<'a> {
    pub program: &'a Program,
    /// Function that returns the address in the file of a guest address.
    pub file_address: &'a dyn Fn(u64) -> u64,
    /// Function that returns the source line of an address in the file.
    pub line: &'a dyn Fn(u64) -> Option<String>,
}

/// Returns the description of a difference: the place, the values, and the instruction that made it on each side.
pub(crate) fn explain(difference: &Difference, origins: &Both, traces: &[Trace; 2], sides: &[Side<'_>; 2]) -> First {
    let mut first = described(difference, origins);
    let seen = [0, 1].map(|side| seen(difference, origins, side));
    let codes = traces.each_ref().map(Trace::code);
    let alignment = Alignment::new(&codes[0], &codes[1]);
    let partners = [alignment.new_of_old(), alignment.old_of_new()];
    let is_close = alignment.is_close;
    let mut culprits = [None; 2];
    for (side, partners) in partners.iter().enumerate() {
        let search = Search::new(&traces[side], &traces[1 - side], partners.clone(), is_close);
        let observed = [side, 1 - side].map(|side| seen[side].as_ref().map(|(seen, _)| seen));
        let found = search.culprit(observed[0], observed[1]);
        let producer = || Some(origins[side].base + origin(difference, origins, side)?.offset()?);
        culprits[side] = found.or_else(producer).or(seen[side].as_ref().map(|(_, pc)| *pc));
    }
    if let Some((side, pc)) = lone_barrier(&codes, &partners, culprits).filter(|_| is_close) {
        culprits[side] = Some(pc);
    }
    let file = |side: usize, pc: Option<u64>| pc.map(|pc| Hex((sides[side].file_address)(pc)));
    let inst = |side: usize| Some(sides[side].program.fetch(culprits[side]?).ok()?.to_string());
    (first.pc_old, first.pc_new) = (file(0, culprits[0]), file(1, culprits[1]));
    (first.inst_old, first.inst_new) = (inst(0), inst(1));
    let line = |side: usize, pc: Option<Hex>| pc.and_then(|pc| (sides[side].line)(pc.0));
    (first.line_old, first.line_new) = (line(0, first.pc_old), line(1, first.pc_new));
    let pc_seen = |side: usize| file(side, seen[side].as_ref().map(|(_, pc)| *pc));
    (first.seen_old, first.seen_new) = (pc_seen(0), pc_seen(1));
    first
}

/// Returns the side and the address of the barrier that a memory access is missing: the last one before it that only one
/// side has. Such an access has the same sources on both sides, and finds what other waves have stored since, or have
/// not yet stored.
fn lone_barrier(
    codes: &[BTreeMap<u64, Inst>; 2],
    partners: &[HashMap<u64, u64>; 2],
    culprits: [Option<u64>; 2],
) -> Option<(usize, u64)> {
    let inst = |side: usize, pc: Option<u64>| codes[side].get(&pc?);
    let is_barrier = |side, pc| inst(side, pc).is_some_and(|inst| inst.opcode == Opcode::Sopp(Sopp::SBarrier));
    let is_access = |side: usize| inst(side, culprits[side]).is_some_and(|inst| inst.desc().is_memory());
    let lone = |side: usize| -> Vec<u64> {
        let has_none = |pc: u64| !is_barrier(1 - side, partners[side].get(&pc).copied());
        codes[side].keys().copied().filter(|&pc| is_barrier(side, Some(pc)) && has_none(pc)).collect()
    };
    let (side, barriers) = match [lone(0), lone(1)] {
        _ if !is_access(0) && !is_access(1) => return None,
        [old, new] if new.is_empty() => (0, old),
        [old, new] if old.is_empty() => (1, new),
        _ => return None,
    };
    let before = barriers.iter().rev().find(|&&pc| culprits[side].is_some_and(|culprit| pc < culprit));
    Some((side, *before.or(barriers.last())?))
}

fn hex(value: u32) -> String {
    format!("{value:#010x}")
}

/// Returns the place and the values of a difference.
fn described(difference: &Difference, origins: &Both) -> First {
    let mut first = First { what: difference.what(), ..First::default() };
    let holds = holds(difference, origins);
    let mut values = |old: Option<u32>, new: Option<u32>| {
        (first.old, first.new) = (old.map(hex), new.map(hex));
        let (Some(old), Some(new)) = (old, new) else { return };
        if holds.has(Holds::F32) {
            first.floats = Some([old, new].map(|bits| f32::from_bits(bits).to_string()));
        } else if holds.has(Holds::F16_PAIR) {
            let pair = |bits: u32| [bits as u16, (bits >> 16) as u16].map(|half| f16::from_bits(half).to_string());
            first.floats = Some([old, new].map(|bits| pair(bits).join(" ")));
        }
    };
    match difference {
        Difference::Value { is_half: true, component, lane, values: [old, new], .. } => {
            (first.old, first.new) = (Some(format!("{old:#06x}")), Some(format!("{new:#06x}")));
            if holds.is_float() {
                first.floats = Some([*old, *new].map(|bits| f16::from_bits(bits as u16).to_string()));
            }
            (first.component, first.lane) = (Some(COMPONENTS[*component as usize & 3]), Some((*lane).into()));
        }
        Difference::Value { component, lane, values: [old, new], .. } => {
            values(Some(*old), Some(*new));
            (first.component, first.lane) = (Some(COMPONENTS[*component as usize & 3]), Some((*lane).into()));
        }
        Difference::Lanes { lanes, .. } => {
            let [old, new] = lanes.map(|lanes| Some(format!("{lanes:#018x}")));
            (first.old, first.new) = (old, new);
            first.lane = Some((lanes[0] ^ lanes[1]).trailing_zeros());
        }
        Difference::Components { names: [old, new], .. } => {
            (first.old, first.new) = (Some(old.clone()), Some(new.clone()));
        }
        Difference::Export { at, .. } => {
            let [old, new] = at.map(|at| at.map(|_| "exported".to_owned()));
            (first.old, first.new) = (old, new);
        }
        Difference::Store { address, values: [old, new] } => {
            values(Some(*old), Some(*new));
            first.address = Some(Hex(*address));
        }
        Difference::Buffer { offset, values: [old, new], .. } => {
            values(Some(*old), Some(*new));
            first.address = Some(Hex(*offset));
        }
        Difference::Image { at, values: [old, new], .. } => {
            values(*old, *new);
            first.component = Some(COMPONENTS[*at as usize & 3]);
            first.texel = Some([at >> 2 & 63, at >> 8 & 63, at >> 14]);
        }
        Difference::Count { counts, .. } => {
            let [old, new] = counts.map(|count| Some(count.to_string()));
            (first.old, first.new) = (old, new);
        }
        Difference::Message { messages, .. } => {
            let text = |message: gcnsim_machine::Message| {
                format!("{:#x} (M0 {:#x}, EXEC {:#x})", message.message, message.m0, message.exec)
            };
            let [old, new] = messages.map(|message| message.map(text));
            (first.old, first.new) = (old, new);
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use gcnsim_isa::{Arch, decode};

    const BARRIER: u32 = 0xbf8a_0000;
    const NOP: u32 = 0xbf80_0000;
    /// v_mov_b32 v1, v2
    const MOVE: u32 = 0x7e02_0302;
    /// ds_read_b32 v1, v2
    const READ: u32 = 0xd86c_0000;

    /// A code whose words lie eight bytes apart, from 0 on.
    fn code(words: &[u32]) -> BTreeMap<u64, Inst> {
        let inst = |word: u32| decode(Arch::Gcn14, word, Some(0x0100_0002)).unwrap();
        (0..).step_by(8).zip(words.iter().map(|&word| inst(word))).collect()
    }

    /// The barrier that is named for two codes in which all addresses are partners, and an access at `culprit`.
    fn named(old: &[u32], new: &[u32], culprit: u64) -> Option<(usize, u64)> {
        let partners: HashMap<u64, u64> = (0..old.len() as u64).map(|i| (8 * i, 8 * i)).collect();
        lone_barrier(&[code(old), code(new)], &[partners.clone(), partners], [Some(culprit); 2])
    }

    #[test]
    fn the_last_barrier_before_an_access_that_one_side_lacks_is_named() {
        let old = [BARRIER, MOVE, BARRIER, READ, BARRIER, READ];
        let without = |gone: &[usize]| {
            let word = |(i, &word): (usize, &u32)| if gone.contains(&i) { NOP } else { word };
            old.iter().enumerate().map(word).collect::<Vec<u32>>()
        };
        assert_eq!(named(&old, &without(&[2]), 24), Some((0, 16)));
        assert_eq!(named(&old, &without(&[0, 2, 4]), 24), Some((0, 16)), "not the one behind it");
        assert_eq!(named(&without(&[4]), &old, 40), Some((1, 32)), "the new side has it");
        assert_eq!(named(&old, &old, 24), None);
        assert_eq!(named(&old, &without(&[2]), 8), None, "the instruction accesses no memory");
        assert_eq!(named(&without(&[0]), &without(&[2]), 24), None, "both sides have one");
    }
}
