//! Compares the observations of two runs in one world, bit by bit.
//!
//! Exports are compared by target: the first export of a target with the first of the other side, and so on. Parameters
//! that only one side exports are left out, because linking drops and adds them. Null exports are left out, too, and so
//! are the flags DONE and VM.

use std::collections::{BTreeMap, HashSet};

use gcnsim_isa::{LANES, export_target_name};
use gcnsim_machine::world::{Contents, ImageDword, Stores};
use gcnsim_machine::{Export, Message, Observed};
use gcnsim_synthetic::LDS;
use gcnsim_synthetic::observe::{Observations, WaveObservations};

use crate::result::{Count, Counts};
use crate::step::WaveId;

/// First target of parameters.
pub(crate) const PARAM0: u8 = 32;

/// Most differences that are kept.
const MOST: usize = 1 << 18;

/// Target of an export that goes nowhere.
const NULL: u8 = 9;
/// An export of a wave: the wave, and its number among the wave's exports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ExportAt {
    pub id: WaveId,
    pub number: usize,
    pub pc: u64,
}

/// A difference.
#[derive(Clone, Debug)]
pub(crate) enum Difference {
    /// A value of an export: a lane and a component.
    Value { target: u8, at: [ExportAt; 2], is_half: bool, component: u8, lane: u8, values: [u32; 2] },
    /// The lanes for which an export is made.
    Lanes { target: u8, at: [ExportAt; 2], lanes: [u64; 2] },
    /// The components of an export, or their size.
    Components { target: u8, at: [ExportAt; 2], names: [String; 2] },
    /// An export of one side only.
    Export { target: u8, at: [Option<ExportAt>; 2] },
    /// A dword of memory.
    Store { address: u64, values: [u32; 2] },
    /// A dword of a launch's buffer: its offset in the buffer, and its guest address on each side.
    Buffer { name: String, offset: u64, addresses: [u64; 2], values: [u32; 2] },
    /// A dword of an image.
    Image { key: u64, at: u32, values: [Option<u32>; 2] },
    /// A message of a wave: its number.
    Message { id: WaveId, number: usize, messages: [Option<Message>; 2] },
    /// The number of exports or messages of a wave that has more than are kept.
    Count { id: WaveId, of: Sent, counts: [u64; 2] },
}

/// The place of a difference as numbers.
pub(crate) type Place = (u8, u64, u64, u64);

/// What a wave sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sent {
    Exports,
    Messages,
}

/// What differs, and how much was compared.
#[derive(Default)]
pub(crate) struct Compared {
    /// The kept differences in the order of waves, targets, lanes and components; then memory, images and messages.
    pub differences: Vec<Difference>,
    /// Numbers of differences. `differ` counts all of them, `tolerated` none.
    pub counts: Counts,
    /// The dwords that each side stored, by guest address: the kept differences, and their neighbours.
    pub dwords: [BTreeMap<u64, u32>; 2],
}

impl Compared {
    pub fn add(&mut self, difference: Difference) {
        let count = match &difference {
            Difference::Store { .. } | Difference::Buffer { .. } => &mut self.counts.stores,
            Difference::Image { .. } => &mut self.counts.images,
            Difference::Message { .. } | Difference::Count { of: Sent::Messages, .. } => &mut self.counts.messages,
            _ => &mut self.counts.exports,
        };
        count.differ += 1;
        if self.keeps_more() {
            self.differences.push(difference);
        }
    }

    /// Whether the next difference is kept.
    pub fn keeps_more(&self) -> bool {
        self.differences.len() < MOST
    }

    fn keep_dword(&mut self, (address, stored): Both) {
        for (dwords, value) in self.dwords.iter_mut().zip(stored) {
            dwords.extend(value.map(|value| (address, value)));
        }
    }

    /// Returns the guest addresses of the dwords of memory that differ, on a side.
    pub fn addresses(&self, side: usize) -> HashSet<u64> {
        let address = |difference: &Difference| match difference {
            Difference::Store { address, .. } => Some(*address),
            Difference::Buffer { addresses, .. } => Some(addresses[side]),
            _ => None,
        };
        self.differences.iter().filter_map(address).collect()
    }

    /// Returns the reason why nothing can be said of two sides of which no kept difference counts: there are others
    /// that were not kept.
    pub fn undecided(&self) -> Option<String> {
        let more = self.counts.total().differ.checked_sub(self.differences.len() as u64).filter(|&more| more > 0)?;
        let is_undecided = self.differences.is_empty();
        is_undecided
            .then(|| format!("too many differ: the first ones are within the tolerance, {more} were not judged"))
    }

    /// Compares the numbers of exports or messages that a wave has sent, if not all of them were kept.
    fn add_cut(&mut self, id: WaveId, of: Sent, counts: [u64; 2]) {
        let is_cut = counts.iter().any(|&count| count > Observed::MOST as u64);
        if is_cut && counts[0] != counts[1] {
            self.add(Difference::Count { id, of, counts });
        }
    }
}

/// Compares two runs in one world. `contents` are those of memory before.
pub(crate) fn compare(old: &Observations, new: &Observations, contents: &Contents) -> Compared {
    let mut compared = Compared::default();
    let groups = groups(old);
    for (index, id) in groups.iter().enumerate() {
        let (Some(a), Some(b)) = (old.waves.get(index), new.waves.get(index)) else { break };
        exports(&mut compared, *id, a, b);
        compared.add_cut(*id, Sent::Exports, [a, b].map(|wave| wave.observed.export_count()));
    }
    stores(&mut compared, &old.stores, &new.stores, contents);
    images(&mut compared, &old.images, &new.images);
    for (index, id) in groups.iter().enumerate() {
        let (Some(a), Some(b)) = (old.waves.get(index), new.waves.get(index)) else { break };
        messages(&mut compared, *id, a.observed.messages(), b.observed.messages());
        compared.add_cut(*id, Sent::Messages, [a, b].map(|wave| wave.observed.message_count()));
    }
    compared
}

/// Returns the waves with the names that origins and traces have for them: groups are numbered in the order in which
/// they run.
pub(crate) fn groups(of: &Observations) -> Vec<WaveId> {
    let mut group = 0;
    let waves = of.waves.iter().enumerate().map(|(index, wave)| {
        if index > 0 && of.waves[index - 1].group != wave.group {
            group += 1;
        }
        WaveId { group, wave: wave.index }
    });
    waves.collect()
}

type Numbered<'a> = (usize, &'a Export);

/// Returns the exports that count, by target. Each has its number among all exports of the wave.
fn by_target(wave: &WaveObservations) -> BTreeMap<u8, Vec<Numbered<'_>>> {
    let mut targets: BTreeMap<u8, Vec<Numbered>> = BTreeMap::new();
    for (number, export) in wave.observed.exports().iter().enumerate() {
        if export.access.target != NULL {
            targets.entry(export.access.target).or_default().push((number, export));
        }
    }
    targets
}

fn exports(compared: &mut Compared, id: WaveId, old: &WaveObservations, new: &WaveObservations) {
    let (old_targets, mut new_targets) = (by_target(old), by_target(new));
    let at = |(number, export): &Numbered| ExportAt { id, number: *number, pc: export.pc };
    for (target, of_old) in old_targets {
        let of_new = new_targets.remove(&target).unwrap_or_default();
        if of_new.is_empty() && target >= PARAM0 {
            continue;
        }
        for index in 0..of_old.len().max(of_new.len()) {
            match (of_old.get(index), of_new.get(index)) {
                (Some(a), Some(b)) => export(compared, [at(a), at(b)], (old, a.1), (new, b.1)),
                (a, b) => compared.add(Difference::Export { target, at: [a.map(at), b.map(at)] }),
            }
        }
    }
    for (target, of_new) in new_targets.into_iter().filter(|(target, _)| *target < PARAM0) {
        of_new.iter().for_each(|b| compared.add(Difference::Export { target, at: [None, Some(at(b))] }));
    }
}

fn export(
    compared: &mut Compared,
    at: [ExportAt; 2],
    old: (&WaveObservations, &Export),
    new: (&WaveObservations, &Export),
) {
    let (a, b) = (&old.1.access, &new.1.access);
    let target = a.target;
    if a.compr != b.compr || a.en != b.en && target < PARAM0 {
        let names = [a, b].map(|access| components_name(access.en, access.compr));
        return compared.add(Difference::Components { target, at, names });
    }
    let lanes = [old.0.lanes(old.1), new.0.lanes(new.1)];
    compared.counts.exports.compared += u64::from(lanes[0].count_ones());
    if lanes[0] != lanes[1] {
        compared.add(Difference::Lanes { target, at, lanes });
    }
    let components = old.0.components(old.1) & new.0.components(new.1);
    for component in (0..4).filter(|component| components >> component & 1 == 1) {
        for lane in (0..LANES).filter(|lane| (lanes[0] & lanes[1]) >> lane & 1 == 1) {
            let values = [old.1, new.1].map(|export| export.values[component][lane]);
            compared.counts.exports.compared += 1;
            if values[0] != values[1] {
                let (component, lane) = (component as u8, lane as u8);
                compared.add(Difference::Value { target, at, is_half: a.compr, component, lane, values });
            }
        }
    }
}

/// Returns the components `en` in words: `xyz`, `xy (16 bits)`.
fn components_name(en: u8, is_half: bool) -> String {
    let names: String = "xyzw".chars().enumerate().filter(|(n, _)| en >> n & 1 == 1).map(|(_, name)| name).collect();
    let names = if names.is_empty() { "none".into() } else { names };
    if is_half { names + " (16 bits)" } else { names }
}

/// Returns the dword at `address`, a multiple of 4, before any store. In LDS it is 0, since stores list the dwords of
/// LDS that are not 0.
pub(crate) fn initial(contents: &Contents, address: u64) -> u32 {
    if address >= LDS { 0 } else { contents.dword(address) }
}

/// Returns the dwords of which any byte was stored, with their addresses, sorted. The other bytes have their initial
/// values.
pub(crate) fn dwords(stores: &Stores, contents: &Contents) -> impl Iterator<Item = (u64, u32)> {
    let bytes = stores.iter().flat_map(|stored| (stored.address..).zip(stored.bytes.iter().copied()));
    let mut bytes = bytes.peekable();
    std::iter::from_fn(move || {
        let address = bytes.peek()?.0 & !3;
        let mut dword = initial(contents, address);
        while let Some((at, byte)) = bytes.next_if(|(at, _)| at & !3 == address) {
            let shift = 8 * (at & 3);
            dword = dword & !(0xff << shift) | u32::from(byte) << shift;
        }
        Some((address, dword))
    })
}

/// A dword that a side stored: its address, and what each side stored there.
type Both = (u64, [Option<u32>; 2]);

/// Returns the dwords that either side stored, by address.
fn merged(old: impl Iterator<Item = (u64, u32)>, new: impl Iterator<Item = (u64, u32)>) -> impl Iterator<Item = Both> {
    let (mut old, mut new) = (old.peekable(), new.peekable());
    std::iter::from_fn(move || {
        let next = [old.peek().map(|dword| dword.0), new.peek().map(|dword| dword.0)];
        let address = next.into_iter().flatten().min()?;
        let a = old.next_if(|dword| dword.0 == address);
        let b = new.next_if(|dword| dword.0 == address);
        Some((address, [a, b].map(|dword| dword.map(|dword| dword.1))))
    })
}

fn stores(compared: &mut Compared, old: &Stores, new: &Stores, contents: &Contents) {
    if old == new {
        compared.counts.stores.compared += old.byte_count().div_ceil(4);
        return;
    }
    // `before` is the dword before, `kept` the address of the last difference that was kept.
    let (mut before, mut kept): (Option<Both>, Option<u64>) = (None, None);
    for (address, stored) in merged(dwords(old, contents), dwords(new, contents)) {
        // A side that has not stored a dword has its initial value there.
        let values = stored.map(|value| value.unwrap_or_else(|| initial(contents, address)));
        compared.counts.stores.compared += 1;
        let is_kept = values[0] != values[1] && compared.keeps_more();
        if is_kept && let Some(before) = before.filter(|before| before.0 + 4 == address) {
            compared.keep_dword(before);
        }
        if is_kept || kept.is_some_and(|kept| kept + 4 == address) {
            compared.keep_dword((address, stored));
        }
        if values[0] != values[1] {
            compared.add(Difference::Store { address, values });
        }
        kept = if is_kept { Some(address) } else { kept };
        before = Some((address, stored));
    }
}

fn images(compared: &mut Compared, old: &[ImageDword], new: &[ImageDword]) {
    let all = |of: &[ImageDword]| of.iter().map(|dword| ((dword.key, dword.at), dword.bits)).collect();
    let (a, b): (BTreeMap<_, u32>, BTreeMap<_, u32>) = (all(old), all(new));
    let mut places: Vec<(u64, u32)> = a.keys().chain(b.keys()).copied().collect();
    places.sort_unstable();
    places.dedup();
    for (key, at) in places {
        let values = [a.get(&(key, at)).copied(), b.get(&(key, at)).copied()];
        compared.counts.images.compared += 1;
        if values[0] != values[1] {
            compared.add(Difference::Image { key, at, values });
        }
    }
}

fn messages(compared: &mut Compared, id: WaveId, old: &[Message], new: &[Message]) {
    for number in 0..old.len().max(new.len()) {
        let messages = [old.get(number).copied(), new.get(number).copied()];
        compared.counts.messages.compared += 1;
        let seen = messages.map(|message| message.map(|message| (message.message, message.m0, lanes_of(&message))));
        if seen[0] != seen[1] {
            compared.add(Difference::Message { id, number, messages });
        }
    }
}

/// Returns the lanes that a message is about: those of EXEC if a geometry shader emits or cuts, otherwise none.
fn lanes_of(message: &Message) -> u64 {
    const GS: u16 = 2;
    let is_about_lanes = message.message & 15 == GS && message.message >> 4 & 3 != 0;
    if is_about_lanes { message.exec } else { 0 }
}

impl Difference {
    /// Returns in words what differs.
    pub fn what(&self) -> String {
        match self {
            Difference::Value { target, .. } | Difference::Export { target, .. } => {
                format!("export {}", export_target_name(*target))
            }
            Difference::Lanes { target, .. } => format!("lanes of export {}", export_target_name(*target)),
            Difference::Components { target, .. } => format!("components of export {}", export_target_name(*target)),
            Difference::Store { .. } => "store".into(),
            Difference::Buffer { name, .. } => format!("buffer {name}"),
            Difference::Image { .. } => "image".into(),
            Difference::Message { .. } => "message".into(),
            Difference::Count { of: Sent::Exports, .. } => "number of exports".into(),
            Difference::Count { of: Sent::Messages, .. } => "number of messages".into(),
        }
    }

    /// Returns the count to which the difference belongs.
    pub fn count<'c>(&self, counts: &'c mut Counts) -> &'c mut Count {
        match self {
            Difference::Store { .. } | Difference::Buffer { .. } => &mut counts.stores,
            Difference::Image { .. } => &mut counts.images,
            Difference::Message { .. } | Difference::Count { of: Sent::Messages, .. } => &mut counts.messages,
            _ => &mut counts.exports,
        }
    }

    /// Returns both values, if each side has one.
    pub fn values(&self) -> Option<[u32; 2]> {
        match self {
            Difference::Value { values, .. } | Difference::Store { values, .. } | Difference::Buffer { values, .. } => {
                Some(*values)
            }
            Difference::Image { values: [Some(old), Some(new)], .. } => Some([*old, *new]),
            _ => None,
        }
    }

    /// Returns numbers for the place that differs, whatever the values there are.
    pub fn place(&self) -> Place {
        let wave = |id: WaveId| u64::from(id.group) << 32 | u64::from(id.wave);
        match self {
            Difference::Value { target, at, component, lane, .. } => {
                (0, wave(at[0].id), u64::from(*target) << 8 | u64::from(*component), u64::from(*lane))
            }
            Difference::Lanes { target, at, .. } => (1, wave(at[0].id), (*target).into(), 0),
            Difference::Components { target, at, .. } => (2, wave(at[0].id), (*target).into(), 0),
            Difference::Export { target, at } => {
                (3, at.iter().flatten().next().map_or(0, |at| wave(at.id)), (*target).into(), 0)
            }
            Difference::Store { address, .. } => (4, *address, 0, 0),
            Difference::Buffer { addresses, .. } => (4, addresses[0], 0, 0),
            Difference::Image { key, at, .. } => (5, *key, (*at).into(), 0),
            Difference::Message { id, number, .. } => (6, wave(*id), *number as u64, 0),
            Difference::Count { id, of, .. } => (7, wave(*id), *of as u64, 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use gcnsim_machine::world::{World, WorldKind};

    use super::*;

    /// Returns the observations of a wave that sends `count` equal messages.
    fn sends(count: usize) -> Observations {
        let mut observed = Observed::default();
        for _ in 0..count {
            observed.message(Message { message: 1, m0: 0, exec: 1, pc: 0 });
        }
        let outcome = gcnsim_machine::Outcome::Ended;
        let wave = WaveObservations {
            group: [0; 3],
            index: 0,
            outcome,
            instructions: 1,
            observed,
            coverage: u64::MAX,
            vgprs: 4,
        };
        Observations { waves: vec![wave], ..Observations::default() }
    }

    /// The old side stores the byte 1 at 0x4000_0001 and the bytes 2 to 9 from 0x4000_0006 on. The new side stores the
    /// same, but for 7 at 0x4000_000b.
    #[test]
    fn stored_bytes_are_compared_by_dword() {
        let contents = World::new(WorldKind::Int).into();
        let of = |runs: &[(u64, &[u8])]| {
            let mut stores = Stores::default();
            let bytes = runs.iter().flat_map(|(address, bytes)| (*address..).zip(*bytes));
            bytes.for_each(|(address, byte)| stores.push(address, *byte));
            stores
        };
        let first: (u64, &[u8]) = (0x4000_0001, &[1]);
        let old = of(&[first, (0x4000_0006, &[2, 3, 4, 5, 6, 7, 8, 9])]);
        let new = of(&[first, (0x4000_0006, &[2, 3, 4, 5, 6, 0, 8, 9]), (0x5000_0000, &[1, 1, 1, 1])]);
        let mut compared = Compared::default();
        stores(&mut compared, &old, &new, &contents);
        let found: Vec<_> = compared.differences.iter().map(Difference::place).map(|place| place.1).collect();
        assert_eq!((found, compared.counts.stores.compared), (vec![0x4000_0008, 0x5000_0000], 5));
        let Difference::Store { values, .. } = compared.differences[0] else { panic!("no store") };
        assert_eq!(values, [0x0706_0504, 0x0006_0504]);
        // The dwords beside a difference are kept; that at 0x4000_0000 is beside none.
        let kept = compared.dwords.each_ref().map(|dwords| dwords.keys().copied().collect::<Vec<_>>());
        let beside = [0x4000_0004, 0x4000_0008, 0x4000_000c];
        assert_eq!(kept[0], beside);
        assert_eq!(kept[1], [&beside[..], &[0x5000_0000]].concat());
        assert_eq!(compared.addresses(0), HashSet::from([0x4000_0008, 0x5000_0000]));
    }

    /// The first 2^14 messages are compared one by one, the others by their number.
    #[test]
    fn the_number_of_cut_messages_is_compared() {
        let contents = World::new(WorldKind::Int).into();
        let with = |old: usize, new: usize| {
            let compared = compare(&sends(old), &sends(new), &contents);
            (compared.differences.first().map(Difference::what), compared.counts.messages.differ)
        };
        assert_eq!(with(16384, 16384), (None, 0));
        assert_eq!(with(16385, 16385), (None, 0));
        assert_eq!(with(16385, 16387), (Some("number of messages".into()), 1));
    }

    #[test]
    fn what_was_not_kept_is_undecided() {
        let mut compared = Compared::default();
        (0..MOST as u64 + 5).for_each(|n| compared.add(Difference::Store { address: 4 * n, values: [0, 1] }));
        assert!(compared.undecided().is_none(), "a kept one decides");
        // All kept differences are tolerated.
        compared.differences.clear();
        compared.counts.stores.differ = 5;
        assert!(compared.undecided().is_some_and(|why| why.contains("5 were not judged")));
        compared.counts.stores.differ = 0;
        assert!(compared.undecided().is_none());
    }

    #[test]
    fn lanes_count_where_vertices_are_emitted() {
        let message = |message: u16| lanes_of(&Message { message, m0: 0, exec: 5, pc: 0 });
        // GS emit, cut and both; GS without either; GS_DONE; an interrupt.
        assert_eq!([0x22, 0x12, 0x32, 0x02, 0x03, 0x01].map(message), [5, 5, 5, 0, 0, 0]);
    }
}
