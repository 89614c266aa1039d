//! Images in the synthetic environment: a lattice of 64 x 64 x 8 texels behind every descriptor
//! (docs/gcn/synthetic.md#images).

use gcnsim_isa::image::{ImageDescriptor, ImageType};
use gcnsim_isa::table::{Atomic, ImageMove, Load, LodSource, Lookup, MipLevel, Width};
use gcnsim_isa::{Note, Notes};
use gcnsim_machine::world::{Descriptors, World, image_key, level_key};

use super::address::Cursor;
use super::texel::ONE;
use super::{ImageOp, Values};
use crate::memory::Machine;
use crate::memory::format::rounded_half;
use crate::memory::transfer::{Loads, of_dwords};
use crate::vector::stage::widened;

/// Texels of a row and of a column.
const SIDE: u32 = 64;
/// Layers.
const DEPTH: u32 = 8;
/// Levels that IMAGE_GET_RESINFO names.
const LEVELS: u32 = 7;

/// What a descriptor is here.
#[derive(Clone, Copy)]
struct Lattice {
    kind: ImageType,
    /// Its part of the keys of levels.
    key: u64,
}

/// A dword of a texel: the key of its level, and its place there.
type Dword = (u64, u32);

/// Two neighbours on an axis, and the weight of the second.
#[derive(Clone, Copy, Debug)]
struct Between {
    texels: [u32; 2],
    weight: f32,
}

/// The operands of a lookup.
#[derive(Clone, Copy, Default, Debug)]
struct Operands {
    /// Texels.
    offset: [i32; 3],
    reference: f32,
    /// The coordinates that have a size.
    at: [f32; 3],
    layer: f32,
    level: f32,
    /// What bias, derivatives and clamp add to the result, where they count.
    addition: f32,
}

/// Number of the first derivative among the operands that have a weight. Bias is 1.
const FIRST_DERIVATIVE: u32 = 2;
/// Number of the clamp.
const CLAMP: u32 = 8;

impl Lattice {
    /// The TYPE of a descriptor that no driver has made says nothing.
    fn new(descriptor: ImageDescriptor, is_array: bool, m: &mut Machine) -> Lattice {
        let is_made = m.context.descriptors() == Descriptors::Made;
        let kind = descriptor.image_type().filter(|_| is_made);
        m.notes.insert_if(kind.is_none(), Note::SyntheticImageDim);
        let kind = kind.unwrap_or(ImageType::D2);
        let kind = if is_array { kind.with_layers() } else { kind.without_layers() };
        Lattice { kind, key: image_key(&descriptor.0) }
    }
}

impl ImageOp {
    /// Executes it. The wave has the registers of its result.
    pub(super) fn execute_on_lattice(&self, m: &mut Machine) {
        let lattice = Lattice::new(self.descriptor(m.state), self.access.da, m);
        let mut results = Vec::with_capacity(64);
        match self.moves {
            ImageMove::Store(level, _) => return self.store_on_lattice(m, lattice, level),
            ImageMove::Atomic(atomic) => return self.exchange_on_lattice(m, lattice, atomic),
            ImageMove::GatherRow => return,
            ImageMove::Load(level, _) => {
                for lane in m.active() {
                    let (key, at) = self.texel_of(m, lattice, level, lane);
                    let texel = |i| m.context.world_texel(key, at + i);
                    results.push((lane, self.named_by(texel)));
                }
            }
            ImageMove::Sample(lookup) => {
                for lane in m.active() {
                    let values = self.sample_lattice(m, lattice, lookup, lane);
                    results.push((lane, values));
                }
            }
            ImageMove::Gather(lookup) => {
                for lane in m.active() {
                    let values = self.gather_lattice(m, lattice, lookup, lane);
                    results.push((lane, values));
                }
            }
            ImageMove::Level => results.extend(m.active().map(|lane| (lane, [0; 4]))),
            ImageMove::Size => {
                for lane in m.active() {
                    let level = Cursor::new(m, &self.access, lane).next();
                    let size = |texels: u32| texels.checked_shr(level).unwrap_or(0).max(1);
                    results.push((lane, self.named([size(SIDE), size(SIDE), size(DEPTH), LEVELS])));
                }
            }
        }
        if self.access.d16 {
            let values = results.iter_mut().flat_map(|(_, values)| values);
            values.for_each(|value| *value = half_of(*value, &mut m.notes));
        }
        self.deliver(m, &results, false);
    }

    /// The components that DMASK names.
    fn named_by(&self, mut component: impl FnMut(u32) -> u32) -> Values {
        self.named([0, 1, 2, 3].map(|i| if self.access.dmask >> i & 1 == 1 { component(i) } else { 0 }))
    }

    /// The texel of a lane at integer coordinates: its component X.
    fn texel_of(&self, m: &mut Machine, lattice: Lattice, level: MipLevel, lane: u8) -> Dword {
        let mut cursor = Cursor::new(m, &self.access, lane);
        let [mut x, mut y, mut z] = [0u32; 3];
        for i in 0..lattice.kind.coordinates() {
            let coordinate = cursor.next();
            match i {
                0 => x = coordinate,
                1 if lattice.kind.dimensions() > 1 => y = coordinate,
                _ => z = z.wrapping_add(coordinate),
            }
        }
        let level = if level == MipLevel::Mip { cursor.next() } else { 0 };
        if m.context.world().is_some_and(World::is_detailed) {
            y = y.wrapping_add(x / SIDE);
        }
        (level_key(lattice.key, level), place([x % SIDE, y % SIDE, z % DEPTH]))
    }

    fn store_on_lattice(&self, m: &mut Machine, lattice: Lattice, level: MipLevel) {
        let packs = m.arch.packs_d16();
        for lane in m.active() {
            let (key, at) = self.texel_of(m, lattice, level, lane);
            for (n, i) in (0..).zip((0..4).filter(|i| self.access.dmask >> i & 1 == 1)) {
                let bits = match self.access.d16 {
                    false => m.vgpr(self.access.vdata, n, lane),
                    true if !packs => of_half(m.vgpr(self.access.vdata, n, lane) as u16),
                    true => of_half((m.vgpr(self.access.vdata, n / 2, lane) >> (16 * (n % 2))) as u16),
                };
                m.context.put_world_texel(key, at + i, bits);
            }
        }
    }

    fn exchange_on_lattice(&self, m: &mut Machine, lattice: Lattice, atomic: Atomic) {
        let mut operation = m.operation(atomic, self.width);
        let (mut old, mut places) = (Vec::with_capacity(64), Vec::with_capacity(64));
        for lane in m.active() {
            let (key, at) = self.texel_of(m, lattice, MipLevel::First, lane);
            let data = m.operands(self.access.vdata, atomic, self.width, lane);
            let data = [0, 8].map(|n| data[n..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes)));
            let dwords = match self.width {
                Width::B32 => {
                    let new = |old| operation.apply(old as u64, data) as u32;
                    [m.context.update_world_texel(key, at, new), 0]
                }
                Width::B64 => {
                    let old = [0, 1].map(|n| m.context.world_texel(key, at + n));
                    let new = operation.apply(old[0] as u64 | (old[1] as u64) << 32, data);
                    m.context.put_world_texel(key, at, new as u32);
                    m.context.put_world_texel(key, at + 1, (new >> 32) as u32);
                    old
                }
            };
            old.push((lane, of_dwords(dwords)));
            places.push((key, at));
        }
        m.notes = m.notes.or(operation.notes);
        if self.access.glc {
            places.sort_unstable();
            m.notes.insert_if(places.windows(2).any(|two| two[0] == two[1]), Note::LaneOrder);
            Load::dwords(self.width.dwords()).write(m.vgprs, self.access.vdata, &old);
        }
    }

    fn sample_lattice(&self, m: &mut Machine, lattice: Lattice, lookup: Lookup, lane: u8) -> Values {
        let operands = Operands::read(self, m, lattice.kind, lookup, lane);
        let (columns, rows, layers) = self.footprint(m, lattice.kind, &operands);
        let key = level_key(lattice.key, 0);
        let world = m.context.unwritten_world(key);
        let texel = |x: usize, y: usize, z: u32, i| {
            let at = place([columns.texels[x], rows.texels[y], z]) + i;
            f32::from_bits(world.map_or_else(|| m.context.world_texel(key, at), |world| world.texel(key, at)))
        };
        let plane = |z, i| {
            let row = |y| lerp(texel(0, y, z, i), texel(1, y, z, i), columns.weight);
            lerp(row(0), row(1), rows.weight)
        };
        let all = m.context.world();
        let is_integer = all.is_some_and(|world| world.has_integers(key));
        let has_addition = all.is_some_and(World::is_detailed);
        let component = |i| {
            let value = match lattice.kind {
                ImageType::D3 => lerp(plane(layers.texels[0], i), plane(layers.texels[1], i), layers.weight),
                _ => plane(layers.texels[0], i),
            };
            if has_addition { value + operands.addition } else { value }
        };
        // Integers are not blended.
        let component = |i| if is_integer { texel(0, 0, layers.texels[0], i) } else { component(i) };
        if lookup.compares {
            return self.named([compared(component(0), operands.reference), 0, 0, ONE]);
        }
        self.named_by(|i| if is_integer { component(i).to_bits() } else { bits_of(component(i)) })
    }

    fn gather_lattice(&self, m: &mut Machine, lattice: Lattice, lookup: Lookup, lane: u8) -> Values {
        let operands = Operands::read(self, m, lattice.kind, lookup, lane);
        let (columns, rows, layers) = self.footprint(m, lattice.kind, &operands);
        let key = level_key(lattice.key, 0);
        let component = if lookup.compares { 0 } else { self.access.dmask.trailing_zeros() & 3 };
        [(0, 1), (1, 1), (1, 0), (0, 0)].map(|(x, y)| {
            let at = place([columns.texels[x], rows.texels[y], layers.texels[0]]) + component;
            let bits = m.context.world_texel(key, at);
            if lookup.compares { compared(f32::from_bits(bits), operands.reference) } else { bits }
        })
    }

    /// Columns, rows and layers around coordinates.
    fn footprint(&self, m: &Machine, kind: ImageType, operands: &Operands) -> (Between, Between, Between) {
        let is_made = m.context.descriptors() == Descriptors::Made;
        let is_in_texels = self.access.unorm || is_made && self.sampler(m.state).forces_unnormalized();
        let axis = |i: usize, size: u32| {
            let offset = operands.offset[i] as f64;
            let t = match is_in_texels {
                true => operands.at[i] as f64 + offset,
                false => operands.at[i] as f64 * size as f64 + (offset - 0.5),
            };
            between(t, size)
        };
        let flat = Between { texels: [0; 2], weight: 0.0 };
        let rows = if kind.dimensions() > 1 { axis(1, SIDE) } else { flat };
        let mut layers = match kind {
            ImageType::D3 => axis(2, DEPTH),
            _ => {
                let layer = between((operands.layer as f64).round_ties_even(), DEPTH).texels[0];
                Between { texels: [layer; 2], weight: 0.0 }
            }
        };
        let level = between(operands.level as f64, DEPTH).texels[0];
        layers.texels = layers.texels.map(|z| (z + level) % DEPTH);
        (axis(0, SIDE), rows, layers)
    }
}

impl Operands {
    /// Reads a lane's. What is not finite is 0.
    fn read(op: &ImageOp, m: &mut Machine, kind: ImageType, lookup: Lookup, lane: u8) -> Operands {
        let is_short = op.access.a16;
        let is_detailed = m.context.world().is_some_and(World::is_detailed);
        let mut notes = Notes::NONE;
        let mut finite = |bits: u32| {
            let value = f32::from_bits(bits);
            notes.insert_if(!value.is_finite(), Note::ImageCoordinate);
            if value.is_finite() { value } else { 0.0 }
        };
        let mut cursor = Cursor::new(m, &op.access, lane);
        let mut float = |cursor: &mut Cursor| {
            let bits = cursor.next();
            finite(if is_short { widened(bits) } else { bits })
        };
        let mut operands = Operands::default();
        // An operand that is not finite counts as 0. It raises no note, because it is no coordinate.
        let mut add = |cursor: &mut Cursor, number: u32| {
            let bits = cursor.next();
            let value = f32::from_bits(if is_short { widened(bits) } else { bits });
            if is_detailed && value.is_finite() {
                operands.addition += value * (number as f32 / 64.0);
            }
        };
        if lookup.has_offset {
            let word = cursor.whole();
            operands.offset = [0, 8, 16].map(|shift| (word >> shift << 26) as i32 >> 26);
        }
        if lookup.lod == LodSource::Bias {
            add(&mut cursor, 1);
            cursor.restart();
        }
        let reference = if lookup.compares { cursor.whole() } else { 0 };
        if lookup.lod == LodSource::Derivatives {
            for first in [FIRST_DERIVATIVE, FIRST_DERIVATIVE + 3] {
                (0..kind.dimensions()).for_each(|axis| add(&mut cursor, first + axis));
                cursor.restart();
            }
        }
        for value in operands.at.iter_mut().take(kind.dimensions() as usize) {
            *value = float(&mut cursor);
        }
        if kind.has_layers() {
            operands.layer = float(&mut cursor);
        }
        if lookup.lod == LodSource::Given {
            operands.level = float(&mut cursor);
        }
        if lookup.is_clamped {
            add(&mut cursor, CLAMP);
        }
        operands.reference = finite(reference);
        m.notes = m.notes.or(notes);
        operands
    }
}

/// The component X of a texel within its level.
fn place([x, y, z]: [u32; 3]) -> u32 {
    ((z * SIDE + y) * SIDE + x) * 4
}

/// The neighbours of `t`, which counts in texels, on an axis of `size` texels that repeat.
fn between(t: f64, size: u32) -> Between {
    // Numbers of 2^62 and more are multiples of 64, so they meet texel 0.
    if t.abs() >= 2f64.powi(62) {
        return Between { texels: [0, 1], weight: 0.0 };
    }
    let cut = t as i64;
    let floor = cut - (cut as f64 > t) as i64;
    let first = floor.rem_euclid(size as i64) as u32;
    Between { texels: [first, (first + 1) % size], weight: (t - floor as f64) as f32 }
}

/// Three operations, each rounded.
fn lerp(a: f32, b: f32, weight: f32) -> f32 {
    a + (b - a) * weight
}

/// The bits of a result: there is one NaN.
fn bits_of(value: f32) -> u32 {
    if value.is_nan() { 0x7fc0_0000 } else { value.to_bits() }
}

/// What a comparison gives: a ramp around the reference.
fn compared(texel: f32, reference: f32) -> u32 {
    let value = 0.5 + 4.0 * (texel - reference);
    match value {
        value if value >= 1.0 => ONE,
        value if value > 0.0 => value.to_bits(),
        _ => 0,
    }
}

/// A dword as 16 bits: one below 2^16 as it is, all others as floats.
fn half_of(bits: u32, notes: &mut Notes) -> u32 {
    if bits < 1 << 16 { bits } else { rounded_half(bits, notes) as u32 }
}

/// What 16 bits are in a texel: those of a small integer as they are, all others as floats.
fn of_half(half: u16) -> u32 {
    if half < 0x400 { half as u32 } else { widened(half as u32) }
}
