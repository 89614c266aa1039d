//! Keeps the origin of the value of each register and of each stored dword: the instruction that computed it, and
//! whether it computed a float.
//!
//! An instruction with a float as its result computes one. An instruction that moves bits (moves, selects, packs, lane
//! reads) hands on the origin of the source that its result equals. So a float of which bits change the sign, or halves
//! that are packed, are still floats. A value that is loaded has the origin of the last equal dword that was stored
//! before, as with spills and LDS.

use std::collections::{BTreeSet, HashMap, HashSet};

use gcnsim_isa::table::{Atomic, ImageMove, Transfer};
use gcnsim_isa::{Encoding, Inst, LANES, OperandType};
use gcnsim_machine::{Observed, Place};

use crate::step::{Follow, Step, WaveId};
use crate::value::Holds;

/// Most different values of stored dwords that are remembered.
const MOST_VALUES: usize = 1 << 20;

/// The origin of a value.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Origin {
    pub holds: Holds,
    /// Offset in the program of the instruction that computed it, plus 1; 0 if none did.
    place: u32,
}

impl Origin {
    fn new(holds: Holds, offset: u64) -> Origin {
        Origin { holds, place: u32::try_from(offset + 1).unwrap_or(0) }
    }

    /// Returns the offset in the program of the instruction that computed the value, if one did.
    pub fn offset(self) -> Option<u64> {
        u64::from(self.place).checked_sub(1)
    }
}

/// The origins of an export's values.
pub(crate) struct ExportOrigin {
    /// Address of the instruction.
    pub pc: u64,
    /// Number of instructions that the wave had executed before.
    pub count: u64,
    /// The register of each component.
    pub sources: [u8; 4],
    pub values: Box<[[Origin; LANES]; 4]>,
}

/// The origin of a stored dword: the last instruction that wrote a byte of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoreOrigin {
    pub id: WaveId,
    /// Address of the instruction.
    pub pc: u64,
    /// Number of instructions that the wave had executed before.
    pub count: u64,
    /// The register and the lane from which the dword comes, if one has its value.
    pub source: Option<(u8, u8)>,
    pub value: Origin,
}

/// The origins of a wave's registers.
struct WaveOrigins {
    vgprs: Vec<[Origin; LANES]>,
    sgprs: [Origin; 128],
}

/// Follow that keeps origins.
#[derive(Default)]
pub(crate) struct Origins {
    /// Guest address of the program's first byte.
    pub base: u64,
    waves: HashMap<WaveId, WaveOrigins>,
    by_value: HashMap<u32, Origin>,
    pub exports: HashMap<WaveId, Vec<ExportOrigin>>,
    /// The numbers of instructions that each wave had executed before its messages.
    pub messages: HashMap<WaveId, Vec<u64>>,
    /// Addresses of the dwords of memory whose origins are kept.
    wanted: HashSet<u64>,
    /// The origins of the wanted dwords, by address, a multiple of 4.
    pub stores: HashMap<u64, StoreOrigin>,
    /// Components of attributes that were interpolated: attribute and component.
    pub attributes: BTreeSet<(u8, u8)>,
    /// Whether a clock was read.
    pub reads_clock: bool,
    /// The origins of dwords of images, by the key of a level and the index there.
    pub images: HashMap<(u64, u32), StoreOrigin>,
}

impl Origins {
    /// Returns the observer of a program that begins at the guest address `base`. It keeps the origins of the dwords of
    /// memory at `wanted`.
    pub fn new(base: u64, wanted: HashSet<u64>) -> Origins {
        Origins { base, wanted, ..Origins::default() }
    }
}

/// The kind of value that an instruction makes of its sources.
enum Makes {
    /// A float of one or two dwords.
    Float(Holds),
    /// Bits of sources, or bits computed from them.
    Bits,
    /// A value from memory.
    Loaded,
}

fn makes(inst: &Inst) -> Makes {
    let desc = inst.desc();
    if let (Some(shape), Some(access)) = (inst.image_shape(), inst.image_access()) {
        return match shape.moves {
            ImageMove::Sample(_) if access.d16 && inst.arch.packs_d16() => Makes::Float(Holds::F16_PAIR),
            ImageMove::Sample(_) if access.d16 => Makes::Float(Holds::F16_LOW),
            ImageMove::Sample(_) | ImageMove::Level => Makes::Float(Holds::F32),
            _ => Makes::Loaded,
        };
    }
    if desc.is_memory() {
        return match inst.transfer() {
            Some(moves) if moves.is_among_lanes() => Makes::Bits,
            Some(moves) if moves.atomic().is_some_and(is_float) => Makes::Float(Holds::F32),
            _ => Makes::Loaded,
        };
    }
    match desc.dst {
        OperandType::f32 => Makes::Float(Holds::F32),
        OperandType::f64 => Makes::Float(Holds::F64_LOW),
        OperandType::f16 => Makes::Float(match inst.writes_half() {
            _ if inst.sdwa().is_some() => Holds::F16_PAIR,
            Some(1) => Holds::F16_HIGH,
            _ => Holds::F16_LOW,
        }),
        _ if is_pair(inst) => Makes::Float(Holds::F16_PAIR),
        _ => Makes::Bits,
    }
}

/// Whether the result is two floats of 16 bits.
fn is_pair(inst: &Inst) -> bool {
    let desc = inst.desc();
    let is_packed = desc.encoding == Encoding::Vop3p && desc.src.first() == Some(&OperandType::f16);
    is_packed || desc.mnemonic == "v_cvt_pkrtz_f16_f32"
}

/// Whether an atomic makes a float.
fn is_float(atomic: Atomic) -> bool {
    use Atomic::{AddF, Fmax, Fmin, MaxF, MinF};
    matches!(atomic, AddF | Fmax | Fmin | MaxF | MinF)
}

/// Whether a result may come from another lane.
pub(crate) fn crosses_lanes(inst: &Inst) -> bool {
    let reads_lane = matches!(inst.desc().mnemonic, "v_readlane_b32" | "v_readfirstlane_b32" | "v_writelane_b32");
    reads_lane || inst.dpp().is_some() || inst.transfer().is_some_and(Transfer::is_among_lanes)
}

/// Returns the registers with the data that a memory instruction stores or combines.
pub(crate) fn data_registers(inst: &Inst) -> Vec<u8> {
    let range = |first: u8, count: u32| (0..count).map(move |i| first.wrapping_add(i as u8)).collect();
    if let Some(access) = inst.image_access() {
        return range(access.vdata, inst.image_data_dwords());
    }
    if let Some(access) = inst.buffer_access() {
        return range(access.vdata, inst.mem_shape().map_or(0, |shape| shape.data_dwords(inst.arch)));
    }
    if let Some(access) = inst.flat_access() {
        return range(access.data, inst.mem_shape().map_or(0, |shape| shape.data_dwords(inst.arch)));
    }
    let (Some(access), Some(shape)) = (inst.ds_access(), inst.ds_shape()) else { return Vec::new() };
    let each = |first: u8, count: u8| -> Vec<u8> { range(first, count.into()) };
    [each(access.data[0], shape.data[0]), each(access.data[1], shape.data[1])].concat()
}

impl Follow for Origins {
    fn step(&mut self, step: &Step<'_>) {
        let wave = self.waves.remove(&step.id);
        let count = step.after.vgprs.regs().len();
        let mut wave = wave.unwrap_or_else(|| WaveOrigins {
            vgprs: vec![[Origin::default(); LANES]; count],
            sgprs: [Origin::default(); 128],
        });
        let exports = self.exports.get(&step.id).map_or(0, Vec::len);
        // Exports beyond this number are not compared.
        if let Some(access) = step.inst.export_access().filter(|_| exports < Observed::MOST) {
            let mut values = Box::new([[Origin::default(); LANES]; 4]);
            for (component, &source) in access.sources.iter().enumerate() {
                if let Some(origins) = wave.vgprs.get(source as usize) {
                    values[component] = *origins;
                }
            }
            let count = step.after.executed - 1;
            self.exports.entry(step.id).or_default().push(ExportOrigin {
                pc: step.pc,
                count,
                sources: access.sources,
                values,
            });
        }
        if matches!(step.inst.desc().mnemonic, "s_sendmsg" | "s_sendmsghalt") {
            self.messages.entry(step.id).or_default().push(step.after.executed - 1);
        }
        if let Some(access) = step.inst.attribute_access() {
            self.attributes.insert((access.attribute, access.component));
        }
        self.reads_clock |= matches!(step.inst.desc().mnemonic, "s_memtime" | "s_memrealtime");
        if !step.writes.is_empty() {
            self.stored(step, &wave);
        }
        self.results(step, &mut wave);
        self.waves.insert(step.id, wave);
    }
}

impl Origins {
    fn results(&self, step: &Step<'_>, wave: &mut WaveOrigins) {
        let offset = step.pc.wrapping_sub(self.base);
        let makes = makes(&step.inst);
        let sources = Sources::of(step, wave);
        let exec = step.exec();
        let mut results: Vec<(u8, [Origin; LANES])> = Vec::new();
        let first = step.written.vgprs.iter().next().unwrap_or(0);
        for n in step.written.vgprs.iter() {
            let (Some(after), Some(old)) = (step.vgpr_after(n), wave.vgprs.get(n as usize)) else { continue };
            let before = step.before.vgpr(n);
            let mut origins = *old;
            for (lane, origin) in origins.iter_mut().enumerate() {
                let changed = before.is_some_and(|before| before[lane] != after[lane]);
                if exec >> lane & 1 == 0 && !changed {
                    continue;
                }
                *origin = match makes {
                    Makes::Float(Holds::F64_LOW) if (n - first) & 1 == 1 => Origin::new(Holds::F64_HIGH, offset),
                    Makes::Float(holds) => Origin::new(kept_half(holds, old[lane].holds, &step.inst), offset),
                    Makes::Loaded => self.loaded(after[lane], offset),
                    Makes::Bits => sources.origin(after[lane], lane, offset),
                };
            }
            results.push((n, origins));
        }
        let mut scalars = Vec::new();
        let mut written = step.written.sgprs;
        while written != 0 {
            let n = written.trailing_zeros() as usize;
            written &= written - 1;
            let value = step.after.state.sgpr[n];
            let origin = match makes {
                Makes::Loaded => self.loaded(value, offset),
                _ => sources.origin(value, 0, offset),
            };
            scalars.push((n, origin));
        }
        results.into_iter().for_each(|(n, origins)| wave.vgprs[n as usize] = origins);
        scalars.into_iter().for_each(|(n, origin)| wave.sgprs[n] = origin);
    }

    /// Returns the origin of a loaded dword: that of an equal dword that was stored before.
    fn loaded(&self, value: u32, offset: u64) -> Origin {
        self.by_value.get(&value).copied().unwrap_or(Origin::new(Holds::BITS, offset))
    }

    /// Keeps the origins of the dwords that an instruction stores.
    fn stored(&mut self, step: &Step<'_>, wave: &WaveOrigins) {
        let offset = step.pc.wrapping_sub(self.base);
        let mut of_value: HashMap<u32, (Origin, u8, u8)> = HashMap::new();
        let mut of_half: HashMap<u16, (Origin, u8, u8)> = HashMap::new();
        let exec = step.exec();
        for n in data_registers(&step.inst) {
            let (Some(values), Some(origins)) = (step.before.vgpr(n), wave.vgprs.get(n as usize)) else { continue };
            for lane in (0..LANES).filter(|lane| exec >> lane & 1 == 1) {
                let (value, origin) = (values[lane], origins[lane]);
                of_value.entry(value).or_insert((origin, n, lane as u8));
                of_half.entry(value as u16).or_insert((origin, n, lane as u8));
            }
        }
        if self.by_value.len() < MOST_VALUES {
            self.by_value.extend(of_value.iter().map(|(&value, &(origin, ..))| (value, origin)));
        }
        let combined = match makes(&step.inst) {
            Makes::Float(holds) => holds,
            _ if step.inst.transfer().and_then(Transfer::atomic).is_some_and(is_float) => Holds::F32,
            _ => Holds::BITS,
        };
        let site = |found: Option<&(Origin, u8, u8)>| StoreOrigin {
            id: step.id,
            pc: step.pc,
            count: step.after.executed - 1,
            source: found.map(|&(_, n, lane)| (n, lane)),
            value: found.map_or(Origin::new(combined, offset), |&(origin, ..)| origin),
        };
        for write in step.writes.iter().filter(|write| write.place == Place::Image) {
            let value = u32::from_le_bytes([write.new[0], write.new[1], write.new[2], write.new[3]]);
            if let Some(dword) = step.context.world_image_at(write.address) {
                self.images.insert(dword, site(of_value.get(&value)));
            }
        }
        for write in step.writes.iter().filter(|write| write.place == Place::Memory) {
            if write.len < 4 {
                if !self.wanted.contains(&(write.address & !3)) {
                    continue;
                }
                let half = u16::from_le_bytes([write.new[0], write.new[1]]);
                let mut site = site(of_half.get(&half).filter(|_| write.len == 2));
                let is_f16 = write.len == 2 && site.value.holds.has(Holds::F16_LOW);
                let (holds, other) = match write.address & 2 {
                    0 => (Holds::F16_LOW, Holds::F16_HIGH),
                    _ => (Holds::F16_HIGH, Holds::F16_LOW),
                };
                let kept = self.stores.get(&(write.address & !3)).is_some_and(|old| old.value.holds.has(other));
                site.value.holds = if is_f16 { holds } else { Holds::BITS };
                if kept {
                    site.value.holds |= other;
                }
                self.stores.insert(write.address & !3, site);
                continue;
            }
            for (i, word) in write.new[..usize::from(write.len)].chunks_exact(4).enumerate() {
                let address = (write.address & !3).wrapping_add(4 * i as u64);
                if self.wanted.contains(&address) {
                    let value = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
                    self.stores.insert(address, site(of_value.get(&value)));
                }
            }
        }
    }
}

/// Returns the kind of value in a register after a result of 16 bits that keeps the other half.
fn kept_half(holds: Holds, old: Holds, inst: &Inst) -> Holds {
    let keeps = holds == Holds::F16_HIGH || holds == Holds::F16_LOW && inst.writes_half().is_some();
    let other = if holds == Holds::F16_HIGH { Holds::F16_LOW } else { Holds::F16_HIGH };
    if keeps && old.has(other) { holds | other } else { holds }
}

/// The sources of an instruction, with their origins.
struct Sources<'a> {
    vectors: Vec<(&'a [u32; LANES], [Origin; LANES])>,
    scalars: Vec<(u32, Origin)>,
    crosses: bool,
}

impl<'a> Sources<'a> {
    fn of(step: &'a Step<'_>, wave: &WaveOrigins) -> Sources<'a> {
        let vector = |n: u8| Some((step.before.vgpr(n)?, *wave.vgprs.get(n as usize)?));
        let vectors = step.read.vgprs.iter().filter_map(vector).collect();
        let mut scalars = Vec::new();
        let mut read = step.read.sgprs;
        while read != 0 {
            let n = read.trailing_zeros() as usize;
            read &= read - 1;
            scalars.push((step.before.state.sgpr[n], wave.sgprs[n]));
        }
        Sources { vectors, scalars, crosses: crosses_lanes(&step.inst) || step.written.sgprs != 0 }
    }

    /// Returns the origin of a result that equals a source, except for its sign, or that is packed from halves of
    /// sources. Any other result has its origin in the instruction itself.
    fn origin(&self, value: u32, lane: usize, offset: u64) -> Origin {
        let own = self.vectors.iter().map(|(values, origins)| (values[lane], origins[lane]));
        if let Some(found) = copied(value, own.chain(self.scalars.iter().copied()), offset) {
            return found;
        }
        if self.crosses {
            let all = self.vectors.iter().flat_map(|(values, origins)| values.iter().copied().zip(*origins));
            if let Some(found) = copied(value, all, offset) {
                return found;
            }
        }
        Origin::new(Holds::BITS, offset)
    }
}

fn copied(value: u32, sources: impl Iterator<Item = (u32, Origin)> + Clone, offset: u64) -> Option<Origin> {
    const SIGN: u32 = 1 << 31;
    if let Some((_, origin)) = sources.clone().find(|(source, _)| *source == value) {
        return Some(origin);
    }
    let is_signed = |(source, origin): &(u32, Origin)| {
        source ^ value == SIGN && origin.holds.has(Holds::F32 | Holds::F64_HIGH | Holds::F16_PAIR)
    };
    if let Some((_, origin)) = sources.clone().find(is_signed) {
        return Some(Origin::new(origin.holds, offset));
    }
    let mut holds = Holds::BITS;
    for (source, origin) in sources {
        for (part, shift) in [(Holds::F16_LOW, 0), (Holds::F16_HIGH, 16)] {
            let half = (source >> shift) as u16;
            for (to, at) in [(Holds::F16_LOW, 0), (Holds::F16_HIGH, 16)] {
                if origin.holds.has(part) && half & 0x7fff != 0 && ((value >> at) as u16 ^ half) & 0x7fff == 0 {
                    holds |= to;
                }
            }
        }
    }
    holds.is_float().then(|| Origin::new(holds, offset))
}
