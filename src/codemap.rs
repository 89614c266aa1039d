//! The code of an object, decoded once, and where control goes in it. Listings and scans read this.
//!
//! Targets of calls and jumps by address are resolved as far as straight-line code tells them: the code computes an
//! address from S_GETPC_B64, or loads it from a pointer that a relocation fills in. If a function gives a register pair
//! one such address and no other value, all uses of the pair are resolved. (By the calling convention, callees keep a
//! pair that is used after the call.)

use std::collections::{BTreeSet, HashMap};

use gcnsim_isa::{Arch, Constants, DecodeError, Encoding, Flow, Inst, Opcode, Sop1, Sopk, Src, decode};

use crate::loader::areas::Area;
use crate::loader::object::{CodeSection, Object};

/// A reader of dwords: [`gcnsim_isa::decode`] or [`gcnsim_isa::decode_strict`].
pub type Decode = fn(Arch, u32, Option<u32>) -> Result<Inst, DecodeError>;

/// An instruction, or a dword that is not one.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// Its address.
    pub address: u64,
    /// Its first dword as a linker would leave it.
    pub word: u32,
    /// The instruction, or why the dword is not one.
    pub inst: Result<Inst, DecodeError>,
    /// The target of its jump or call, as far as that is known.
    pub target: Option<u64>,
    /// An address that it completes in a register pair: the first register, and the address.
    pub address_made: Option<(u8, u64)>,
}

impl Decoded {
    /// Length in bytes.
    pub fn size(&self) -> u64 {
        self.inst.as_ref().map_or(4, |inst| inst.size().into())
    }
}

/// The target of a direct branch, call or fork at `pc`.
pub fn direct_target(inst: &Inst, pc: u64) -> Option<u64> {
    let direct = match inst.flow() {
        Flow::Branch | Flow::CondBranch | Flow::Call => true,
        Flow::Fork => inst.opcode == Opcode::Sopk(Sopk::SCbranchIFork),
        _ => false,
    };
    direct.then(|| pc.wrapping_add_signed(inst.branch_offset()))
}

/// The decoded code of an object.
#[derive(Debug)]
pub struct CodeMap<'o> {
    /// The object.
    pub object: &'o Object,
    /// Generation.
    pub arch: Arch,
    decode: Decode,
    /// Instructions of code areas in order of address, followed by those that are reached only by jumps into others.
    decoded: Vec<Decoded>,
    /// Number of instructions of the code areas.
    in_areas: usize,
    index: HashMap<u64, usize>,
}

impl<'o> CodeMap<'o> {
    /// Decodes every code area.
    pub fn new(object: &'o Object, arch: Arch) -> CodeMap<'o> {
        CodeMap::with(object, arch, decode)
    }

    /// Decodes every code area with a reader of one's choice.
    pub fn with(object: &'o Object, arch: Arch, decode: Decode) -> CodeMap<'o> {
        let mut map = CodeMap { object, arch, decode, decoded: Vec::new(), in_areas: 0, index: HashMap::new() };
        for section in &object.sections {
            for area in section.areas.iter().filter(|area| area.kind.is_code()) {
                let mut insts = sweep(section, area, arch, decode);
                Resolver::new(object, &insts).resolve(&mut insts);
                map.decoded.append(&mut insts);
            }
        }
        map.in_areas = map.decoded.len();
        map.index = map.decoded.iter().enumerate().map(|(i, decoded)| (decoded.address, i)).collect();
        map
    }

    /// Decodes dwords as the map does.
    pub fn decode(&self, word: u32, next: Option<u32>) -> Result<Inst, DecodeError> {
        (self.decode)(self.arch, word, next)
    }

    /// Number of instructions in code areas.
    pub fn count(&self) -> usize {
        self.in_areas
    }

    /// The instruction with an index. Those of code areas come first, in order of address.
    pub fn get(&self, number: usize) -> &Decoded {
        &self.decoded[number]
    }

    /// Indices of the instructions of an area.
    pub fn of_area(&self, area: &Area) -> std::ops::Range<usize> {
        let list = &self.decoded[..self.in_areas];
        let number = |address| list.partition_point(|decoded| decoded.address < address);
        number(area.range.start)..number(area.range.end)
    }

    /// Index of the instruction at an address, even if the sweep found none there. `None` outside of the object's code.
    pub fn number_at(&mut self, address: u64) -> Option<usize> {
        if let Some(&number) = self.index.get(&address) {
            return Some(number);
        }
        let section = self.object.section_at(address)?;
        let end = section.address.saturating_add(section.bytes.as_ref().len() as u64);
        let decoded = decode_at(section, address, end, self.arch, self.decode)?;
        self.index.insert(address, self.decoded.len());
        self.decoded.push(decoded);
        Some(self.decoded.len() - 1)
    }

    /// Addresses within code that jumps, calls or computed addresses refer to.
    pub fn labels(&self) -> BTreeSet<u64> {
        let targets = self.decoded.iter().flat_map(|d| [d.target, d.address_made.map(|(_, address)| address)]);
        targets.flatten().filter(|&address| self.index.contains_key(&address)).collect()
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

/// Decodes the instructions of an area, one after the other.
fn sweep(section: &CodeSection, area: &Area, arch: Arch, decode: Decode) -> Vec<Decoded> {
    let mut insts = Vec::new();
    let mut address = area.range.start + odd_bytes(section, area);
    while let Some(decoded) = decode_at(section, address, area.range.end, arch, decode) {
        address += decoded.size();
        insts.push(decoded);
    }
    insts
}

/// Number of bytes of an area before its first whole dword.
pub fn odd_bytes(section: &CodeSection, area: &Area) -> u64 {
    let at = area.range.start - section.address;
    (at.next_multiple_of(4) - at).min(area.range.end - area.range.start)
}

/// Scalar registers (one bit each) that an instruction may write. Instructions outside the core are included.
pub(crate) fn scalar_writes(inst: &Inst) -> u128 {
    const VCC: u128 = 3 << gcnsim_isa::reg::VCC_LO;
    if inst.unsupported().is_none() {
        return inst.writes().sgprs;
    }
    let words = inst.words;
    let from = |first: u32, count: u32| ((1u128 << count) - 1).checked_shl(first).unwrap_or(0);
    let reads_lane = inst.desc().mnemonic.starts_with("v_read");
    match inst.desc().encoding {
        // A load writes up to 16 registers; the mnemonic tells how many.
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

/// First register and address of a load of a pair from a known address.
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

/// What a function writes to a register pair.
#[derive(Clone, Copy, Default)]
struct History {
    /// The address that it writes.
    address: Option<u64>,
    /// Whether it also writes something else.
    mixed: bool,
}

/// Resolves the computed jumps of an area.
struct Resolver<'o> {
    object: &'o Object,
    /// Addresses where control may arrive in another way than from the instruction before.
    joins: BTreeSet<u64>,
    /// Constants under the assumption that control never arrives in another way.
    loose: Constants,
    histories: [History; 64],
    /// The last address made. The next instruction may still change it.
    unfinished: Option<(u8, u64)>,
}

impl<'o> Resolver<'o> {
    fn new(object: &'o Object, insts: &[Decoded]) -> Resolver<'o> {
        let joins = insts.iter().filter_map(|decoded| decoded.target).collect();
        Resolver { object, joins, loose: Constants::default(), histories: [History::default(); 64], unfinished: None }
    }

    fn resolve(mut self, insts: &mut [Decoded]) {
        let mut straight = Constants::default();
        for i in 0..insts.len() {
            let (before, rest) = insts.split_at_mut(i);
            let decoded = &mut rest[0];
            if self.joins.contains(&decoded.address) {
                straight = Constants::default();
            }
            let Ok(inst) = &decoded.inst else {
                straight = Constants::default();
                continue;
            };
            let pc = decoded.address;
            decoded.target = decoded.target.or_else(|| straight.jump_target(inst).map(|target| target & !3));
            self.step(&mut straight, inst, pc);
            let mut loose = std::mem::take(&mut self.loose);
            decoded.address_made = self.step(&mut loose, inst, pc);
            // S_ADD_U32 makes an address that S_ADDC_U32 may change.
            if let (Some((n, _)), Some(last)) = (decoded.address_made, before.last_mut())
                && last.address_made.is_some_and(|(last, _)| last == n)
            {
                last.address_made = None;
                self.unfinished = None;
            }
            self.finish();
            self.remember(&loose, inst, decoded.address_made);
            self.loose = loose;
            if matches!(inst.flow(), Flow::End | Flow::Branch | Flow::Indirect) {
                straight = Constants::default();
            }
        }
        self.finish();
        for decoded in insts.iter_mut().filter(|decoded| decoded.target.is_none()) {
            if let Ok(inst) = &decoded.inst
                && matches!(inst.flow(), Flow::SwapPc | Flow::Indirect)
                && let Some(history) = source_pair(inst).and_then(|n| self.histories.get(n as usize / 2))
                && !history.mixed
            {
                decoded.target = history.address.map(|address| address & !3);
            }
        }
    }

    /// Executes an instruction. Returns an address that it completes in a register pair.
    fn step(&self, constants: &mut Constants, inst: &Inst, pc: u64) -> Option<(u8, u64)> {
        if inst.unsupported().is_none() && !inst.desc().is_memory() {
            let completed = constants.step(inst, pc)?;
            return Some((inst.dst()? & !1, completed));
        }
        let pointer = pair_load(inst, constants).and_then(|(n, slot)| Some((n, self.object.pointer_at(slot)?)));
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

    /// Records the unfinished address as one that its pair received.
    fn finish(&mut self) {
        let Some((n, address)) = self.unfinished.take() else { return };
        let history = &mut self.histories[n as usize / 2 % 64];
        match history.address {
            Some(before) if before != address => history.mixed = true,
            _ => history.address = Some(address),
        }
    }
}

/// The even register pair that a computed jump reads.
pub(crate) fn source_pair(inst: &Inst) -> Option<u8> {
    match inst.src_count() {
        0 => None,
        _ => match inst.src(0) {
            Src::Sgpr(n) if n.is_multiple_of(2) => Some(n),
            _ => None,
        },
    }
}
