//! The code of an object, and where jumps and calls in it lead. Listings and scans read this.
//!
//! Jumps and calls to addresses in registers are resolved where straight-line code tells the target: it computes an
//! address from S_GETPC_B64, or loads it from a pointer that a relocation fills in. If a function writes one such
//! address and no other value to a register pair, all jumps by that pair are resolved. (By the calling convention,
//! callees keep a pair that is used after the call.)

use std::collections::HashMap;

use gcnsim_constants::Constants;
use gcnsim_isa::{Arch, DecodeError, Encoding, Flow, Inst, Opcode, Sop1, Sopk, Src, decode};

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

/// The target of `inst` at the address `pc`, if it is a direct branch, call or fork.
pub fn direct_target(inst: &Inst, pc: u64) -> Option<u64> {
    let direct = match inst.flow() {
        Flow::Branch | Flow::CondBranch | Flow::Call => true,
        Flow::Fork => inst.opcode == Opcode::Sopk(Sopk::SCbranchIFork),
        _ => false,
    };
    direct.then(|| pc.wrapping_add_signed(inst.branch_offset()))
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
        CodeMap::with(object, arch, decode)
    }

    /// Finds the instructions of every code area with the decoding function `decode`.
    pub fn with(object: &'o Object, arch: Arch, decode: Decode) -> CodeMap<'o> {
        let mut first = vec![0];
        for section in &object.sections {
            first.push(first.last().unwrap_or(&0) + section.bytes.as_ref().len().div_ceil(4));
        }
        let dwords = *first.last().unwrap_or(&0);
        let [starts, targeted, has_computed] = [0; 3].map(|_| Bits::new(dwords));
        let computed = HashMap::new();
        let mut map = CodeMap { object, arch, decode, first, starts, targeted, has_computed, computed };
        for (index, section) in object.sections.iter().enumerate() {
            for area in section.areas.iter().filter(|area| area.kind.is_code()) {
                let joins = map.sweep(index, section, area);
                Resolver::new(&mut map, joins, area.range.start).resolve(index, section, area);
            }
        }
        map
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
        let sections = &self.object.sections;
        let from = sections.partition_point(|other| other.address < section.address);
        let index = sections[from..].iter().position(|other| std::ptr::eq(other, section)).map_or(0, |i| from + i);
        let number = |address: u64| self.first[index] + address.saturating_sub(section.address).div_ceil(4) as usize;
        (number(area.range.start)..number(area.range.end)).filter(move |&number| self.starts.contains(number))
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

    fn refer_to(&mut self, address: u64) {
        if let Some(number) = self.number_at(address) {
            self.targeted.insert(number);
        }
    }

    /// Marks the instructions of `area`. Returns the dwords of the area that are targets of direct jumps in it.
    fn sweep(&mut self, index: usize, section: &CodeSection, area: &Area) -> Bits {
        let mut joins = Bits::new(((area.range.end - area.range.start) / 4) as usize + 1);
        let mut address = area.range.start + odd_bytes(section, area);
        while let Some(decoded) = decode_at(section, address, area.range.end, self.arch, self.decode) {
            self.starts.insert(self.first[index] + ((address - section.address) / 4) as usize);
            if let Some(target) = decoded.target {
                if area.range.contains(&target) {
                    joins.insert(((target - area.range.start) / 4) as usize);
                }
                self.refer_to(target);
            }
            address += decoded.size();
        }
        joins
    }

    fn compute(&mut self, number: usize, change: impl FnOnce(&mut Computed)) {
        self.has_computed.insert(number);
        change(self.computed.entry(number).or_default());
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

/// Returns the scalar registers that `inst` may write, one bit each. It covers instructions that the engines do not
/// execute, too.
pub(crate) fn scalar_writes(inst: &Inst) -> u128 {
    const VCC: u128 = 3 << gcnsim_isa::reg::VCC_LO;
    if inst.unsupported().is_none() {
        return inst.writes().sgprs;
    }
    let words = inst.words;
    let from = |first: u32, count: u32| ((1u128 << count) - 1).checked_shl(first).unwrap_or(0);
    let reads_lane = inst.desc().mnemonic.starts_with("v_read");
    match inst.desc().encoding {
        // A scalar load writes up to 16 registers; the mnemonic has their number.
        Encoding::Smrd => from(words[0] >> 15 & 0x7f, load_width(inst)),
        Encoding::Smem => from(words[0] >> 6 & 0x7f, load_width(inst)),
        Encoding::Vop1 | Encoding::Vop2 if reads_lane && words[0] >> 31 == 0 => from(words[0] >> 17 & 0xff, 1),
        _ if reads_lane => from(words[0] & 0xff, 1),
        Encoding::Vop3 | Encoding::Vop1 | Encoding::Vop2 if words[0] >> 31 == 1 => VCC | from(words[0] >> 8 & 0x7f, 2),
        Encoding::Vop2 | Encoding::Vop3 | Encoding::Vopc => VCC,
        _ => 0,
    }
}

/// Number of SGPRs that a scalar load writes.
fn load_width(inst: &Inst) -> u32 {
    match inst.desc().mnemonic.rsplit_once("dwordx").map(|(_, count)| count.parse()) {
        Some(Ok(count)) => count,
        _ => 2,
    }
}

/// First register and source address of a load of a register pair, if `inst` is one and the address is known.
fn pair_load(inst: &Inst, constants: &Constants) -> Option<(u8, u64)> {
    if inst.desc().mnemonic != "s_load_dwordx2" {
        return None;
    }
    let [w, w1] = inst.words;
    let (base, dst, offset) = match inst.desc().encoding {
        Encoding::Smrd if w >> 8 & 1 == 1 => (w >> 9 & 0x3f, w >> 15 & 0x7f, 4 * (w & 0xff)),
        Encoding::Smem if w >> 17 & 1 == 1 && w >> 14 & 1 == 0 => (w & 0x3f, w >> 6 & 0x7f, w1 & 0xf_ffff),
        _ => return None,
    };
    let (address, is_address) = constants.pair(2 * base as u8)?;
    is_address.then(|| (dst as u8, address.wrapping_add(offset.into())))
}

/// The values that a function writes to a register pair.
#[derive(Clone, Copy, Default)]
struct History {
    /// The last address that was recorded as written.
    address: Option<u64>,
    /// Whether the function also writes another value.
    mixed: bool,
}

/// Resolves the computed jumps of an area.
struct Resolver<'m, 'o> {
    map: &'m mut CodeMap<'o>,
    /// Dwords of the area that are targets of direct jumps. Control need not come from the instruction before.
    joins: Bits,
    start: u64,
    /// Register values, assuming that nothing jumps to the middle of the area.
    loose: Constants,
    histories: [History; 64],
    /// The address made last: first register, and value. The next instruction may still change it.
    unfinished: Option<(u8, u64)>,
}

impl<'m, 'o> Resolver<'m, 'o> {
    fn new(map: &'m mut CodeMap<'o>, joins: Bits, start: u64) -> Resolver<'m, 'o> {
        let (loose, histories) = (Constants::default(), [History::default(); 64]);
        Resolver { map, joins, start, loose, histories, unfinished: None }
    }

    fn resolve(mut self, index: usize, section: &CodeSection, area: &Area) {
        let mut straight = Constants::default();
        // Jumps that straight-line code does not resolve: instruction number and register pair.
        let mut open = Vec::new();
        // The instruction before, if it made an address: its number, and the first register.
        let mut last: Option<(usize, u8)> = None;
        let mut address = area.range.start + odd_bytes(section, area);
        while let Some(decoded) = decode_at(section, address, area.range.end, self.map.arch, self.map.decode) {
            let number = self.map.first[index] + ((address - section.address) / 4) as usize;
            let pc = address;
            address += decoded.size();
            if self.joins.contains(((pc - self.start) / 4) as usize) {
                straight = Constants::default();
            }
            let before = last.take();
            let Ok(inst) = &decoded.inst else {
                straight = Constants::default();
                continue;
            };
            if decoded.target.is_none() {
                self.jump(number, inst, &straight, &mut open);
            }
            self.step(&mut straight, inst, pc);
            let mut loose = std::mem::take(&mut self.loose);
            let made = self.step(&mut loose, inst, pc);
            if let Some((n, to)) = made {
                self.map.compute(number, |computed| computed.made = Some((n, to)));
                last = Some((number, n));
                // S_ADD_U32 makes an address, and S_ADDC_U32 after it changes the high half: only the result counts.
                if let Some((number, _)) = before.filter(|(_, other)| *other == n) {
                    self.map.compute(number, |computed| computed.made = None);
                    self.unfinished = None;
                }
            }
            self.finish();
            self.remember(&loose, inst, made);
            self.loose = loose;
            if matches!(inst.flow(), Flow::End | Flow::Branch | Flow::Indirect) {
                straight = Constants::default();
            }
        }
        self.finish();
        for (number, pair) in open {
            let Some(history) = self.histories.get(pair as usize / 2).filter(|history| !history.mixed) else {
                continue;
            };
            if let Some(target) = history.address.map(|address| address & !3) {
                self.map.compute(number, |computed| computed.target = Some(target));
            }
        }
        self.refer(index, section, area);
    }

    /// Records the target of the computed jump `inst` if straight-line code tells it; else adds it to `open`.
    fn jump(&mut self, number: usize, inst: &Inst, straight: &Constants, open: &mut Vec<(usize, u8)>) {
        if let Some(target) = straight.jump_target(inst).map(|target| target & !3) {
            self.map.compute(number, |computed| computed.target = Some(target));
        } else if matches!(inst.flow(), Flow::SwapPc | Flow::Indirect) {
            open.extend(source_pair(inst).map(|pair| (number, pair)));
        }
    }

    /// Marks the targets of computed jumps in `area`, and the addresses that are made there.
    fn refer(&mut self, index: usize, section: &CodeSection, area: &Area) {
        if self.map.computed.is_empty() {
            return;
        }
        let number = |address: u64| self.map.first[index] + ((address - section.address) / 4) as usize;
        for number in number(area.range.start)..=number(area.range.end) {
            if self.map.has_computed.contains(number)
                && let Some(&Computed { target, made }) = self.map.computed.get(&number)
            {
                [target, made.map(|(_, address)| address)].into_iter().flatten().for_each(|to| self.map.refer_to(to));
            }
        }
    }

    /// Updates `constants` by `inst`. Returns the address that it completes in a register pair, with the first
    /// register.
    fn step(&self, constants: &mut Constants, inst: &Inst, pc: u64) -> Option<(u8, u64)> {
        if inst.unsupported().is_none() && !inst.desc().is_memory() {
            let completed = constants.step(inst, pc)?;
            return Some((inst.dst()? & !1, completed));
        }
        let pointer = pair_load(inst, constants).and_then(|(n, slot)| Some((n, self.map.object.pointer_at(slot)?)));
        constants.forget(scalar_writes(inst));
        if let Some((n, address)) = pointer {
            constants.set_pair(n, address, true);
        }
        pointer
    }

    fn remember(&mut self, after: &Constants, inst: &Inst, completed: Option<(u8, u64)>) {
        let written = scalar_writes(inst);
        for (pair, history) in self.histories.iter_mut().enumerate().filter(|(pair, _)| written >> (2 * pair) & 3 != 0)
        {
            match after.pair(2 * pair as u8) {
                Some((address, true)) if inst.opcode == Opcode::Sop1(Sop1::SMovB64) => {
                    self.unfinished = Some((2 * pair as u8, address));
                }
                // This is an address, or an intermediate step to one.
                Some((_, true)) => {}
                _ => history.mixed = true,
            }
        }
        self.unfinished = self.unfinished.or(completed);
    }

    /// Records the unfinished address as one that its register pair received.
    fn finish(&mut self) {
        let Some((n, address)) = self.unfinished.take() else { return };
        let history = &mut self.histories[n as usize / 2 % 64];
        match history.address {
            Some(before) if before != address => history.mixed = true,
            _ => history.address = Some(address),
        }
    }
}

/// The first register of the pair that the computed jump `inst` reads, if it is an even SGPR.
pub(crate) fn source_pair(inst: &Inst) -> Option<u8> {
    match inst.src_count() {
        0 => None,
        _ => match inst.src(0) {
            Src::Sgpr(n) if n.is_multiple_of(2) => Some(n),
            _ => None,
        },
    }
}
