//! The code of an object, and where jumps and calls in it lead. Listings and scans read this.
//!
//! Each area is read in order ([`gcnsim_flow::Sweep`] resolves jumps and calls to addresses in registers).
//!
//! A listing of a large object begins before all of the object is read ([`CodeMap::as_needed`]): its reader may want
//! only the first lines.

use std::collections::HashMap;

pub use gcnsim_flow::direct_target;
use gcnsim_flow::{Code, Sweep};
use gcnsim_isa::{Arch, DecodeError, Inst, decode};

use crate::areas::Area;
use crate::object::{CodeSection, Object};

/// A decoding function: [`gcnsim_isa::decode`] or [`gcnsim_isa::decode_strict`].
pub type Decode = fn(Arch, u32, Option<u32>) -> Result<Inst, DecodeError>;

/// An instruction, or a dword that does not decode.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// Its address.
    pub address: u64,
    /// Its first dword, with relocations applied.
    pub word: u32,
    /// The instruction, or why it does not decode.
    pub inst: Result<Inst, DecodeError>,
    /// The target of its jump or call, if it is known.
    pub target: Option<u64>,
    /// First register and value of an address that the instruction completes in a register pair.
    pub address_made: Option<(u8, u64)>,
}

impl Decoded {
    /// Length in bytes.
    pub fn size(&self) -> u64 {
        self.inst.as_ref().map_or(4, |inst| inst.size().into())
    }
}

/// A set of numbers below a limit, with one bit for each.
#[derive(Debug, Default)]
struct Bits(Vec<u64>);

impl Bits {
    fn new(limit: usize) -> Bits {
        Bits(vec![0; limit.div_ceil(64)])
    }

    fn insert(&mut self, number: usize) {
        if let Some(word) = self.0.get_mut(number / 64) {
            *word |= 1 << (number % 64);
        }
    }

    fn contains(&self, number: usize) -> bool {
        self.0.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }
}

/// Where the instructions of an object are, and where jumps and calls lead. Instructions are decoded on demand: the map
/// itself has a few bits for each dword, and an entry for each computed address. The number of an instruction is the
/// index of its first dword, counted over all sections.
#[derive(Debug)]
pub struct CodeMap<'o> {
    /// The object.
    pub object: &'o Object,
    /// The generation that the code is decoded for.
    pub arch: Arch,
    decode: Decode,
    /// For each section, the number of its first dword; at the end, the number of dwords of all sections.
    first: Vec<usize>,
    /// Dwords where instructions of code areas begin.
    starts: Bits,
    /// Dwords that jumps, calls or computed addresses refer to.
    targeted: Bits,
    /// Dwords that have an entry in `computed`.
    has_computed: Bits,
    computed: HashMap<usize, Computed>,
    progress: Progress,
}

/// Number of dwords that a direct jump reaches.
const REACH: usize = (1 << 15) + 1;
/// Limits for what is read at once, in dwords.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Objects of no more are read as a whole before they are listed.
    object: usize,
    /// Areas of no more are read as a whole. There is no larger function.
    area: usize,
    /// As much is read at once of larger areas.
    piece: usize,
}

const NONE: Limits = Limits { object: usize::MAX, area: usize::MAX, piece: usize::MAX };
const OF_LISTINGS: Limits = Limits { object: 4 << 20, area: 1 << 20, piece: 1 << 16 };

/// How much of an object is read.
#[derive(Debug)]
struct Progress {
    /// Index of the next section, and of its next area.
    next: (usize, usize),
    /// The area that is being read, if it is read in pieces.
    begun: Option<Resolver>,
    /// The number behind the last dword that is read.
    read: usize,
    limits: Limits,
}

/// The addresses that the code computes at an instruction.
#[derive(Clone, Copy, Debug, Default)]
struct Computed {
    target: Option<u64>,
    made: Option<(u8, u64)>,
}

impl<'o> CodeMap<'o> {
    /// Finds the instructions of every code area.
    pub fn new(object: &'o Object, arch: Arch) -> CodeMap<'o> {
        CodeMap::with(object, arch, decode, NONE)
    }

    /// Finds instructions with the decoding function `decode`: those of a large object when they are [read
    /// to](CodeMap::read_to), those of others at once.
    pub fn as_needed(object: &'o Object, arch: Arch, decode: Decode) -> CodeMap<'o> {
        CodeMap::with(object, arch, decode, OF_LISTINGS)
    }

    fn with(object: &'o Object, arch: Arch, decode: Decode, limits: Limits) -> CodeMap<'o> {
        let mut first = vec![0];
        for section in &object.sections {
            first.push(first.last().unwrap_or(&0) + section.bytes.as_ref().len().div_ceil(4));
        }
        let dwords = *first.last().unwrap_or(&0);
        let [starts, targeted, has_computed] = [0; 3].map(|_| Bits::new(dwords));
        let limits = if limits.object < dwords { limits } else { NONE };
        let (computed, progress) = (HashMap::new(), Progress { next: (0, 0), begun: None, read: 0, limits });
        let mut map = CodeMap { object, arch, decode, first, starts, targeted, has_computed, computed, progress };
        if limits.object == usize::MAX {
            while map.read_more() {}
        }
        map
    }

    /// Reads further, if needed, until everything is known about the instruction that begins at the dword `number`,
    /// with these exceptions in large objects: whether code that is far behind it computes its address; and in areas of
    /// more than 4 MiB, jumps that straight-line code does not resolve.
    pub fn read_to(&mut self, number: usize) {
        // An address that an instruction makes may be unmade by the next one.
        let ahead = number.saturating_add(REACH + 8);
        while self.progress.read <= ahead && self.read_more() {}
    }

    /// Reads an area, or a piece of one. Returns false if there is no more.
    fn read_more(&mut self) -> bool {
        let object = self.object;
        if let Some(resolver) = self.progress.begun.take() {
            self.read_piece(resolver);
            return true;
        }
        let (index, number) = self.progress.next;
        let Some(section) = object.sections.get(index) else {
            self.progress.read = usize::MAX;
            return false;
        };
        let Some(area) = section.areas.get(number) else {
            self.progress.next = (index + 1, 0);
            return true;
        };
        self.progress.next.1 += 1;
        if area.kind.is_code() {
            let is_large = (area.range.end - area.range.start) / 4 > self.progress.limits.area as u64;
            let resolver = Resolver::new(index, number, section, area, is_large);
            self.read_piece(resolver);
        }
        true
    }

    /// Reads the next piece of an area, or all of it.
    fn read_piece(&mut self, mut resolver: Resolver) {
        let section = &self.object.sections[resolver.index];
        let area = &section.areas[resolver.area];
        let before = resolver.swept;
        let swept = self.sweep(&mut resolver, section, area);
        self.progress.read = self.first[resolver.index] + ((swept - section.address) / 4) as usize;
        let is_last = !resolver.in_pieces || swept == before || swept + 4 > area.range.end;
        // Jumps from further on may lead back as far as this.
        let until = if is_last { area.range.end } else { swept.saturating_sub(4 * REACH as u64) };
        resolver.resolve(self, section, area, until);
        if is_last {
            resolver.close(self, section, area);
        } else {
            resolver.refer(self, section, until.saturating_sub(16));
            self.progress.begun = Some(resolver);
        }
    }

    /// Decodes a dword and the one after it with the map's decoding function.
    pub fn decode(&self, word: u32, next: Option<u32>) -> Result<Inst, DecodeError> {
        (self.decode)(self.arch, word, next)
    }

    /// Number of instructions in code areas.
    pub fn count(&self) -> usize {
        self.starts.count()
    }

    /// Number of dwords of all sections. All instruction numbers are smaller.
    pub fn limit(&self) -> usize {
        *self.first.last().unwrap_or(&0)
    }

    /// Whether an instruction of a code area begins at the dword `number`.
    pub fn is_start(&self, number: usize) -> bool {
        self.starts.contains(number)
    }

    /// Decodes the instruction that begins at the dword `number`.
    pub fn get(&self, number: usize) -> Decoded {
        let index = self.first.partition_point(|&first| first <= number).saturating_sub(1);
        let nothing =
            || Decoded { address: 0, word: 0, inst: decode(self.arch, 0, None), target: None, address_made: None };
        let (Some(section), Some(first)) = (self.object.sections.get(index), self.first.get(index)) else {
            return nothing();
        };
        let address = section.address + 4 * (number - first) as u64;
        let end = section.address.saturating_add(section.bytes.as_ref().len() as u64);
        let Some(mut decoded) = decode_at(section, address, end, self.arch, self.decode) else { return nothing() };
        if decoded.size() > 4 && self.starts.contains(number) {
            // The area may end before the instruction does.
            let end = section.area_at(address).map_or(end, |area| area.range.end);
            decoded = decode_at(section, address, end, self.arch, self.decode).unwrap_or(decoded);
        }
        if self.has_computed.contains(number)
            && let Some(computed) = self.computed.get(&number)
        {
            decoded.target = decoded.target.or(computed.target);
            decoded.address_made = computed.made;
        }
        decoded
    }

    /// Numbers of the instructions of `area`, ascending.
    pub fn of_area(&self, section: &CodeSection, area: &Area) -> impl Iterator<Item = usize> + use<'_, 'o> {
        self.numbers(section, area).filter(move |&number| self.starts.contains(number))
    }

    /// Numbers of the dwords of `area`.
    pub fn numbers(&self, section: &CodeSection, area: &Area) -> std::ops::Range<usize> {
        let sections = &self.object.sections;
        let from = sections.partition_point(|other| other.address < section.address);
        let index = sections[from..].iter().position(|other| std::ptr::eq(other, section)).map_or(0, |i| from + i);
        let number = |address: u64| self.first[index] + address.saturating_sub(section.address).div_ceil(4) as usize;
        number(area.range.start)..number(area.range.end)
    }

    /// Number of the dword at `address`; `None` outside of the object's code.
    pub fn number_at(&self, address: u64) -> Option<usize> {
        // Sections are sorted by address. They overlap only in damaged objects.
        let behind = self.object.sections.partition_point(|section| section.address <= address);
        let near = behind.saturating_sub(16);
        let holds = |s: &CodeSection| address - s.address < s.bytes.as_ref().len() as u64;
        let index = near + self.object.sections[near..behind].iter().rposition(holds)?;
        let section = &self.object.sections[index];
        let at = address - section.address;
        let is_whole = at.is_multiple_of(4) && at + 4 <= section.bytes.as_ref().len() as u64;
        is_whole.then(|| self.first[index] + (at / 4) as usize)
    }

    /// Whether a jump, a call or a computed address refers to `address`, and an instruction of a code area begins
    /// there.
    pub fn is_label(&self, address: u64) -> bool {
        self.number_at(address).is_some_and(|number| self.targeted.contains(number) && self.starts.contains(number))
    }

    /// Whether `address` is in a part of the object that is not read yet.
    pub fn is_unread(&self, address: u64) -> bool {
        self.number_at(address).is_some_and(|number| number >= self.progress.read)
    }

    fn refer_to(&mut self, address: u64) {
        if let Some(number) = self.number_at(address) {
            self.targeted.insert(number);
        }
    }

    /// Marks the next instructions of `area`, and the dwords of the area that are targets of direct jumps in it.
    /// Returns the address behind them.
    fn sweep(&mut self, resolver: &mut Resolver, section: &CodeSection, area: &Area) -> u64 {
        let first = self.first[resolver.index];
        let most = if resolver.in_pieces { 4 * self.progress.limits.piece as u64 } else { u64::MAX };
        let until = resolver.swept.saturating_add(most);
        let mut address = resolver.swept;
        while address < until
            && let Some(decoded) = decode_at(section, address, area.range.end, self.arch, self.decode)
        {
            self.starts.insert(first + ((address - section.address) / 4) as usize);
            if let Some(target) = decoded.target {
                if area.range.contains(&target) {
                    resolver.joins.insert(((target - area.range.start) / 4) as usize);
                }
                self.refer_to(target);
            }
            address += decoded.size();
        }
        resolver.swept = address;
        address
    }

    fn compute(&mut self, number: usize, change: impl FnOnce(&mut Computed)) {
        self.has_computed.insert(number);
        change(self.computed.entry(number).or_default());
    }
}

impl Code for CodeMap<'_> {
    fn limit(&self) -> usize {
        CodeMap::limit(self)
    }

    fn number_at(&self, address: u64) -> Option<usize> {
        CodeMap::number_at(self, address)
    }

    fn read(&self, number: usize, _: u64) -> Option<(Inst, Option<u64>)> {
        let decoded = self.get(number);
        Some((decoded.inst.ok()?, decoded.target))
    }
}

fn decode_at(section: &CodeSection, address: u64, end: u64, arch: Arch, decode: Decode) -> Option<Decoded> {
    let word = |address: u64| {
        let at = address.checked_sub(section.address).filter(|_| address < end)? as usize;
        let bytes = section.linked_bytes().as_ref().get(at..)?.first_chunk()?;
        (end - address >= 4).then(|| u32::from_le_bytes(*bytes))
    };
    let first = word(address)?;
    let inst = decode(arch, first, word(address.wrapping_add(4)));
    let target = inst.as_ref().ok().and_then(|inst| direct_target(inst, address));
    Some(Decoded { address, word: first, inst, target, address_made: None })
}

/// Number of bytes of `area` before its first whole dword.
pub fn odd_bytes(section: &CodeSection, area: &Area) -> u64 {
    let at = area.range.start - section.address;
    (at.next_multiple_of(4) - at).min(area.range.end - area.range.start)
}

/// Resolves the computed jumps of an area.
#[derive(Debug)]
struct Resolver {
    /// Index of the section, and of the area in it.
    index: usize,
    area: usize,
    /// Whether the area is read in pieces.
    in_pieces: bool,
    /// Dwords of the area that are targets of direct jumps. Control need not come from the instruction before.
    joins: Bits,
    start: u64,
    /// The address behind the instructions that are marked, behind those that are resolved, and behind those whose
    /// computed addresses are marked.
    swept: u64,
    resolved: u64,
    referred: u64,
    jumps: Sweep,
}

impl Resolver {
    fn new(index: usize, number: usize, section: &CodeSection, area: &Area, in_pieces: bool) -> Resolver {
        let first = area.range.start + odd_bytes(section, area);
        Resolver {
            index,
            area: number,
            in_pieces,
            joins: Bits::new(((area.range.end - area.range.start) / 4) as usize + 1),
            start: area.range.start,
            swept: first,
            resolved: first,
            referred: area.range.start,
            jumps: Sweep::default(),
        }
    }

    /// Resolves the next instructions, up to the address `until`.
    fn resolve(&mut self, map: &mut CodeMap<'_>, section: &CodeSection, area: &Area, until: u64) {
        let first = map.first[self.index];
        while self.resolved < until
            && let Some(decoded) = decode_at(section, self.resolved, area.range.end, map.arch, map.decode)
        {
            let number = first + ((self.resolved - section.address) / 4) as usize;
            let pc = self.resolved;
            self.resolved += decoded.size();
            if self.joins.contains(((pc - self.start) / 4) as usize) {
                self.jumps.join();
            }
            let object = map.object;
            let Ok(inst) = &decoded.inst else {
                self.jumps.skip();
                continue;
            };
            // In pieces, what the whole area writes is not known.
            let target = self.jumps.target(number, inst, !self.in_pieces);
            if target.is_some() {
                map.compute(number, |computed| computed.target = target);
            }
            let made = self.jumps.step(number, inst, pc, |slot| object.pointer_at(slot));
            if let Some(unmade) = made.unmade {
                map.compute(unmade, |computed| computed.made = None);
            }
            if made.address.is_some() {
                map.compute(number, |computed| computed.made = made.address);
            }
        }
    }

    /// Ends an area: resolves jumps by what the whole area writes to their registers.
    fn close(mut self, map: &mut CodeMap<'_>, section: &CodeSection, area: &Area) {
        for (number, target) in std::mem::take(&mut self.jumps).close() {
            map.compute(number, |computed| computed.target = Some(target));
        }
        self.refer(map, section, area.range.end);
    }

    /// Marks the targets of computed jumps before the address `until`, and the addresses that are made there.
    fn refer(&mut self, map: &mut CodeMap<'_>, section: &CodeSection, until: u64) {
        let number = |address: u64| map.first[self.index] + ((address - section.address) / 4) as usize;
        let numbers = number(self.referred)..number(until.max(self.referred)) + 1;
        self.referred = until.max(self.referred);
        if map.computed.is_empty() {
            return;
        }
        for number in numbers {
            if map.has_computed.contains(number)
                && let Some(&Computed { target, made }) = map.computed.get(&number)
            {
                [target, made.map(|(_, address)| address)].into_iter().flatten().for_each(|to| map.refer_to(to));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileBytes, Reading, parse_as};

    const COUNT: usize = 150_000;

    /// Returns code of branches, instructions of two dwords, and jumps to addresses that the code computes.
    fn code() -> Vec<u32> {
        let (mut words, mut seed) = (Vec::new(), 1u32);
        while words.len() < COUNT {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let random = seed >> 16;
            match random % 16 {
                0 => words.push(0xbf82_0000 | random),            // s_branch
                1 => words.push(0xbf84_0000 | (random & 0xff)),   // s_cbranch_scc0
                2 => words.push(0xbf85_0000 | (random | 0xff00)), // s_cbranch_scc1
                3 => words.extend([0xbe80_00ff, seed]),           // s_mov_b32 s0, literal
                // s_getpc_b64 s[2:3]; s_add_u32 s2, s2, literal; s_addc_u32 s3, s3, 0; s_setpc_b64 s[2:3]
                4 => words.extend([0xbe82_1c00, 0x8002_ff02, random & 0xffc, 0x8203_8003, 0xbe80_1d02]),
                _ => words.push(0xbf80_0000 | random & 7), // s_nop
            }
        }
        words
    }

    fn object() -> Object {
        let bytes: Vec<u8> = code().iter().flat_map(|word| word.to_le_bytes()).collect();
        let loaded = parse_as(FileBytes::from(bytes), Reading { raw: true, arch: None }).unwrap();
        loaded.objects(0).unwrap().pop().unwrap()
    }

    /// A listing that reads as far as it needs to shows what one shows that reads everything first.
    #[test]
    fn reading_in_pieces_finds_the_same() {
        let object = object();
        let whole = CodeMap::new(&object, Arch::Gcn14);
        let seen = |map: &CodeMap<'_>, number: usize| {
            let address = 4 * number as u64;
            let Decoded { target, address_made, .. } = map.get(number);
            (map.is_start(number), map.is_label(address), target, address_made)
        };
        let (mut labels, mut jumps) = (0, 0);
        for limits in [Limits { object: 0, area: 0, piece: 1 }, Limits { object: 0, area: 0, piece: 5000 }] {
            let mut map = CodeMap::with(&object, Arch::Gcn14, decode, limits);
            assert_eq!(map.count(), 0);
            for number in 0..map.limit() {
                map.read_to(number);
                let expected = seen(&whole, number);
                assert_eq!(seen(&map, number), expected, "{number}");
                labels += u32::from(expected.1);
                jumps += u32::from(expected.3.is_some());
                let ahead = map.progress.read.min(map.limit()) - number;
                assert!(ahead <= REACH + limits.piece + 10, "{ahead} dwords ahead at {number}");
            }
        }
        assert!(labels > 10_000 && jumps > 10_000, "{labels} {jumps}");
    }

    /// Small objects are read at once, large ones are not.
    #[test]
    fn only_large_objects_are_read_as_needed() {
        let object = object();
        assert!(CodeMap::as_needed(&object, Arch::Gcn14, decode).count() > COUNT / 2);
        let limits = Limits { object: COUNT / 2, ..OF_LISTINGS };
        let mut map = CodeMap::with(&object, Arch::Gcn14, decode, limits);
        assert_eq!(map.count(), 0);
        map.read_to(0);
        assert_eq!(map.count(), CodeMap::new(&object, Arch::Gcn14).count());
    }
}
