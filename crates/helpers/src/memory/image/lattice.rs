//! Images in the synthetic environment (docs/gcn/synthetic.md#images): texels are made by hashing, not read, so all
//! lanes are computed at once, by ordinary code that the compiler vectorises for each level.
// Loops go over several arrays at once.
#![allow(clippy::needless_range_loop)]

use gcnsim_isa::image::{ImageType, SamplerDescriptor};
use gcnsim_isa::table::{Atomic, ImageMove, LodSource, Lookup, MipLevel, Part};
use gcnsim_isa::{LANES, Note};
use gcnsim_machine::Context;
use gcnsim_machine::world::{Descriptors, World, image_key, level_key};

use super::super::atomics::Operation;
use super::super::element::{self, Element, dword, set_dword};
use super::super::{Machine, convert, fast, lanes};
use super::ImageOp;
use super::address::{Coordinates, Operand, Operands, Reader};
use crate::host::Lanes;
use crate::host::lanes::lanes_of;

/// An image of the synthetic environment.
#[derive(Clone, Copy)]
struct Lattice {
    kind: ImageType,
    /// The key of the image: a hash of its descriptor.
    image: u64,
}

/// The texels of the lanes.
struct Texels {
    keys: Keys,
    /// The number of component X of each lane's texel among the components of its level.
    at: Lanes,
}

/// The keys of the levels of the lanes' texels.
#[allow(clippy::large_enum_variant)] // It lives on the stack, for one instruction.
enum Keys {
    /// All lanes have the same key.
    One(u64),
    /// Each lane has a key of its own.
    Each([u64; LANES]),
}

/// The texels of the lanes along an axis: two neighbours.
#[derive(Clone, Copy)]
struct Axis {
    /// Indices of the first texels.
    first: Lanes,
    /// Indices of the second texels.
    second: Lanes,
    /// Weights of the second texels, as bits of binary32.
    weight: Lanes,
}

/// Number of active lanes from which on all lanes are computed at once.
const FEW: u32 = 16;

/// The operands of a lookup.
struct Place {
    columns: Axis,
    rows: Axis,
    /// Layers, or the slices of a volume. Only in volumes the second differs from the first.
    layers: Axis,
    reference: Lanes,
    others: Others,
}

/// The effect of operands other than coordinates and references on the result of a lookup.
#[derive(Clone, Copy)]
#[allow(clippy::large_enum_variant)] // It lives on the stack, for one instruction.
enum Others {
    /// The operands have no effect.
    Ignored,
    /// The result is increased by these numbers, which are bits of binary32.
    Added(Lanes),
    /// The operands have no effect, and the result is the first texel: texels are integers, which are not blended.
    Integers,
}

impl ImageOp {
    /// Executes the instruction in the synthetic environment.
    #[inline(always)]
    pub(super) fn execute_on_lattice(&self, m: &mut Machine<'_>) {
        if !m.has_destination(self.access.vdata, self.result) {
            return;
        }
        let t = self.descriptor(m.scalars);
        let is_driver_made = m.context.descriptors() == Descriptors::Made;
        let named = if is_driver_made { t.image_type() } else { None };
        m.notes.insert_if(named.is_none(), Note::SyntheticImageDim);
        let kind = named.unwrap_or(ImageType::D2);
        let kind = if self.access.da { kind.with_layers() } else { kind.without_layers() };
        let lattice = Lattice { kind, image: image_key(&t.0) };
        match self.moves {
            ImageMove::Load(level, _) => self.load_lattice(m, lattice, level),
            ImageMove::Store(level, _) => return self.store_lattice(m, lattice, level),
            ImageMove::Atomic(atomic) => self.exchange_lattice(m, lattice, atomic),
            ImageMove::Sample(lookup) => self.sample_lattice(m, lattice, lookup),
            ImageMove::Gather(lookup) => self.gather_lattice(m, lattice, lookup),
            ImageMove::GatherRow => {}
            ImageMove::Level => {
                (0..self.named().len().max(1)).for_each(|n| self.put(m, n as u8, &[0; LANES]));
            }
            ImageMove::Size => self.size_of_lattice(m),
        }
        m.write_status(self.access.vdata.saturating_add(self.result.saturating_sub(1)), self.tfe);
    }

    /// The numbers of the components that DMASK names.
    fn named(&self) -> impl ExactSizeIterator<Item = u32> + use<> {
        const NAMED: [[u32; 4]; 16] = {
            let mut named = [[0; 4]; 16];
            let mut mask = 0;
            while mask < 16 {
                let (mut n, mut k) = (0, 0);
                while k < 4 {
                    if mask >> k & 1 == 1 {
                        named[mask][n] = k;
                        n += 1;
                    }
                    k += 1;
                }
                mask += 1;
            }
            named
        };
        let mask = self.access.dmask & 15;
        NAMED[mask as usize].into_iter().take(mask.count_ones() as usize)
    }

    /// Writes the values of component `n` of the result to its register, with D16 to its half.
    #[inline(always)]
    fn put(&self, m: &mut Machine<'_>, n: u8, values: &Lanes) {
        let exec = m.scalars.exec;
        let (register, part) = self.register(m, n);
        let part = if m.arch.packs_d16() { part } else { Part::Whole };
        let number = self.access.vdata as usize + register as usize;
        if !self.access.d16 {
            if let Some(register) = m.vgprs.get_mut(number) {
                fast::blend(&mut register.0, exec, values);
            }
            return;
        }
        for lane in lanes(exec) {
            let mut value = values[lane];
            if value >= 0x1_0000 {
                let half = convert::to_f16_nearest(value);
                m.notes.insert_if(half.is_lossy, Note::FormatD16Round);
                value = half.bits;
            }
            if let Some(register) = m.vgprs.get_mut(number) {
                register.0[lane] = element::merge(part, register.0[lane], value);
            }
        }
    }

    /// Writes 0 as the only component of the result if DMASK names none.
    fn put_nothing(&self, m: &mut Machine<'_>) {
        if self.access.dmask & 15 == 0 {
            self.put(m, 0, &[0; LANES]);
        }
    }

    /// The texels at integer coordinates.
    #[inline(always)]
    fn texels(&self, m: &mut Machine<'_>, lattice: Lattice, level: MipLevel) -> Texels {
        let has_level = level == MipLevel::Mip;
        let coordinates = Coordinates::new(lattice.kind, has_level, self.access.a16);
        let reader = Reader { first: self.access.vaddr };
        let [x, y, z] = coordinates.at.map(|operand| reader.lanes(m, operand));
        let [layer, fragment, level] =
            [coordinates.layer, coordinates.fragment, coordinates.level].map(|operand| reader.lanes(m, operand));
        let carried = if m.context.world().is_some_and(World::is_detailed) { 26 } else { 0 };
        let at = lanes_of!(lane => {
            let z = z[lane].wrapping_add(layer[lane]).wrapping_add(fragment[lane]) & 7;
            // In detailed worlds the bits of x from bit 6 on are added to y, so that far columns differ.
            let y = y[lane].wrapping_add((u64::from(x[lane]) << carried >> 32) as u32);
            (z << 12 | (y & 63) << 6 | x[lane] & 63) << 2
        });
        let keys = match has_level {
            true => Keys::Each(level.map(|level| level_key(lattice.image, level))),
            false => Keys::One(level_key(lattice.image, 0)),
        };
        Texels { keys, at }
    }

    #[inline(always)]
    fn load_lattice(&self, m: &mut Machine<'_>, lattice: Lattice, level: MipLevel) {
        let texels = self.texels(m, lattice, level);
        for (n, k) in (0..).zip(self.named()) {
            let values = texels.dwords(m.context, k, m.scalars.exec);
            self.put(m, n, &values);
        }
        self.put_nothing(m);
    }

    fn store_lattice(&self, m: &mut Machine<'_>, lattice: Lattice, level: MipLevel) {
        let texels = self.texels(m, lattice, level);
        let values = self.read_components(m);
        for lane in lanes(m.scalars.exec) {
            for (k, value) in self.named().zip(values[lane]) {
                // A number below the least normal binary16 is taken as a small integer.
                let is_number = self.access.d16 && value >= 1 << 10;
                let value = if is_number { convert::float_of(16, value) } else { value };
                m.context.put_world_texel(texels.key(lane), texels.at[lane] + k, value);
            }
        }
    }

    fn exchange_lattice(&self, m: &mut Machine<'_>, lattice: Lattice, atomic: Atomic) {
        let texels = self.texels(m, lattice, MipLevel::First);
        let operation = Operation { atomic, bytes: 4 * self.atomic_dwords, mode: m.scalars.mode };
        let data = m.read_atomic(self.access.vdata, operation);
        let mut old: [Element; LANES] = [[0; 16]; LANES];
        let mut order = [0; LANES];
        let mut count = 0;
        for lane in lanes(m.scalars.exec) {
            let (key, at) = (texels.key(lane), texels.at[lane]);
            let whole = |low: usize| dword(&data[lane], low) as u64 | (dword(&data[lane], low + 1) as u64) << 32;
            let (context, notes) = (&mut *m.context, &mut m.notes);
            if self.atomic_dwords == 1 {
                let operands = [0, 1].map(|k| dword(&data[lane], k) as u64);
                let before =
                    context.update_world_texel(key, at, |old| operation.apply(old as u64, operands, notes) as u32);
                set_dword(&mut old[lane], 0, before);
            } else {
                let before = [0, 1].map(|k| context.world_texel(key, at + k));
                let wide = before[0] as u64 | (before[1] as u64) << 32;
                let after = operation.apply(wide, [whole(0), whole(2)], notes);
                for k in 0..2 {
                    context.put_world_texel(key, at + k, (after >> (32 * k)) as u32);
                    set_dword(&mut old[lane], k as usize, before[k as usize]);
                }
            }
            order[count] = at;
            count += 1;
        }
        if self.access.glc {
            order[..count].sort_unstable();
            m.notes.insert_if(order[..count].windows(2).any(|pair| pair[0] == pair[1]), Note::LaneOrder);
            m.write_dwords(self.access.vdata, self.atomic_dwords, &old);
        }
    }

    fn size_of_lattice(&self, m: &mut Machine<'_>) {
        let operand = Coordinates::new(ImageType::D1, false, self.access.a16).at[0];
        let level = Reader { first: self.access.vaddr }.lanes(m, operand);
        for (n, k) in (0..).zip(self.named()) {
            let whole: u32 = [64, 64, 8, 7][k as usize];
            let values = lanes_of!(lane => match k {
                3 => whole,
                _ => (whole >> level[lane].min(31)).max(1),
            });
            self.put(m, n, &values);
        }
        self.put_nothing(m);
    }

    #[inline(always)]
    fn sample_lattice(&self, m: &mut Machine<'_>, lattice: Lattice, lookup: Lookup) {
        let place = self.place(m, lattice, lookup);
        let is_volume = lattice.kind == ImageType::D3;
        let is_integer = matches!(place.others, Others::Integers);
        let near = place.plane(lattice, &place.layers.first);
        let far = is_volume.then(|| place.plane(lattice, &place.layers.second));
        let exec = m.scalars.exec;
        for (n, k) in (0..).zip(self.named()) {
            let values = match (lookup.compares, k) {
                (true, 0) => compared(&place.blended(m.context, &near, &far, 0, exec), &place.reference),
                (true, 3) => [1f32.to_bits(); LANES],
                (true, _) => [0; LANES],
                (false, k) => {
                    let values = place.blended(m.context, &near, &far, k, exec);
                    lanes_of!(lane => {
                        let value = values[lane];
                        let is_nan = value & 0x7fff_ffff > 0x7f80_0000 && !is_integer;
                        if is_nan { 0x7fc0_0000 } else { value }
                    })
                }
            };
            self.put(m, n, &values);
        }
        self.put_nothing(m);
    }

    fn gather_lattice(&self, m: &mut Machine<'_>, lattice: Lattice, lookup: Lookup) {
        let place = self.place(m, lattice, lookup);
        let component = self.named().next().filter(|_| !lookup.compares).unwrap_or(0);
        for (n, (x, y)) in (0..).zip([(0, 1), (1, 1), (1, 0), (0, 0)]) {
            let texels = place.corner(lattice, x, y, &place.layers.first);
            let values = texels.dwords(m.context, component, m.scalars.exec);
            let values = if lookup.compares { compared(&values, &place.reference) } else { values };
            self.put(m, n, &values);
        }
    }

    /// Reads the address registers of a lookup.
    #[inline(always)]
    fn place(&self, m: &mut Machine<'_>, lattice: Lattice, lookup: Lookup) -> Place {
        let kind = lattice.kind;
        let operands = Operands::new(kind, lookup, self.access.a16);
        let reader = Reader { first: self.access.vaddr };
        let others = self.others(m, lattice, &operands);
        let offsets = reader.lanes(m, operands.offset);
        let is_short = self.access.a16;
        let at = operands.at.map(|operand| numbers(m, &reader, operand, is_short));
        let layer = numbers(m, &reader, operands.layer, is_short);
        let level = numbers(m, &reader, operands.level, is_short);
        let reference = numbers(m, &reader, operands.reference, false);
        let forces = SamplerDescriptor(m.scalars.sampler).forces_unnormalized();
        let counts_texels = self.access.unorm || forces && m.context.descriptors() == Descriptors::Made;
        let (scale, shift) = if counts_texels { ([1.0; 3], 0.0) } else { ([64.0, 64.0, 8.0], -0.5) };
        let axis = |k: usize, size| {
            let shifts = lanes_of!(lane => ((offsets[lane] >> (8 * k) & 63) ^ 32).wrapping_sub(32));
            Axis::new(&at[k], scale[k], &shifts, shift, size)
        };
        let none = [0; LANES];
        let mut rows = Axis { first: none, second: none, weight: none };
        if kind.dimensions() > 1 {
            rows = axis(1, 64.0);
        }
        let mut layers = match kind {
            ImageType::D3 => axis(2, 8.0),
            _ => {
                let nearest = lanes_of!(lane => f32::from_bits(layer[lane]).round_ties_even().to_bits());
                let axis = Axis::new(&nearest, 1.0, &none, 0.0, 8.0);
                Axis { second: axis.first, weight: none, ..axis }
            }
        };
        if lookup.lod == LodSource::Given {
            let levels = Axis::new(&level, 1.0, &none, 0.0, 8.0).first;
            layers.first = lanes_of!(lane => (layers.first[lane] + levels[lane]) & 7);
            layers.second = lanes_of!(lane => (layers.second[lane] + levels[lane]) & 7);
        }
        Place { columns: axis(0, 64.0), rows, layers, reference, others }
    }

    /// The effect of bias, derivatives and clamp. The operands have the weights 1/64, 2/64 and so on. They are read
    /// even if they have no effect, because reading a register that the wave lacks raises a note.
    fn others(&self, m: &mut Machine<'_>, lattice: Lattice, operands: &Operands) -> Others {
        let [h, v] = operands.derivatives;
        let all = [operands.bias, h[0], h[1], h[2], v[0], v[1], v[2], operands.least];
        let mut sums = [0; LANES];
        for (operand, number) in all.into_iter().zip(1u8..).filter(|(operand, _)| operand.is_some()) {
            let values = Reader { first: self.access.vaddr }.lanes(m, operand);
            let weight = f32::from(number) * (1.0 / 64.0);
            for lane in 0..LANES {
                let bits = if self.access.a16 { convert::float_of(16, values[lane]) } else { values[lane] };
                let is_finite = bits & 0x7f80_0000 != 0x7f80_0000;
                let term = if is_finite { f32::from_bits(bits) * weight } else { 0.0 };
                sums[lane] = (f32::from_bits(sums[lane]) + term).to_bits();
            }
        }
        let key = level_key(lattice.image, 0);
        match m.context.world() {
            Some(world) if world.has_integers(key) => Others::Integers,
            Some(world) if world.is_detailed() => Others::Added(sums),
            _ => Others::Ignored,
        }
    }
}

impl Place {
    /// The corners of footprints in the layers `layers`: left before right, above before below.
    #[inline(always)]
    fn plane(&self, lattice: Lattice, layers: &Lanes) -> [Texels; 4] {
        [
            self.corner(lattice, 0, 0, layers),
            self.corner(lattice, 1, 0, layers),
            self.corner(lattice, 0, 1, layers),
            self.corner(lattice, 1, 1, layers),
        ]
    }

    /// Component `k`, interpolated between the corners, and in a volume between the near and the far slice.
    #[inline(always)]
    fn blended(&self, context: &Context, near: &[Texels; 4], far: &Option<[Texels; 4]>, k: u32, exec: u64) -> Lanes {
        if let Others::Integers = self.others {
            return near[0].dwords(context, k, exec);
        }
        let first = self.flat(context, near, k, exec);
        let values = match far {
            None => first,
            Some(far) => mixed(&first, &self.flat(context, far, k, exec), &self.layers.weight),
        };
        match &self.others {
            Others::Added(addition) => {
                lanes_of!(lane => (f32::from_bits(values[lane]) + f32::from_bits(addition[lane])).to_bits())
            }
            Others::Ignored | Others::Integers => values,
        }
    }

    /// Component `k`, interpolated between the corners of a layer.
    #[inline(always)]
    fn flat(&self, context: &Context, [a, b, c, d]: &[Texels; 4], k: u32, exec: u64) -> Lanes {
        let above = mixed(&a.dwords(context, k, exec), &b.dwords(context, k, exec), &self.columns.weight);
        let below = mixed(&c.dwords(context, k, exec), &d.dwords(context, k, exec), &self.columns.weight);
        mixed(&above, &below, &self.rows.weight)
    }

    /// A corner of the footprints: `right` and `below` are 0 or 1.
    #[inline(always)]
    fn corner(&self, lattice: Lattice, right: usize, below: usize, layers: &Lanes) -> Texels {
        let x = if right == 0 { &self.columns.first } else { &self.columns.second };
        let y = if below == 0 { &self.rows.first } else { &self.rows.second };
        let at = lanes_of!(lane => (layers[lane] << 12 | y[lane] << 6 | x[lane]) << 2);
        Texels { keys: Keys::One(level_key(lattice.image, 0)), at }
    }
}

impl Texels {
    /// The key of a lane's level.
    fn key(&self, lane: usize) -> u64 {
        match &self.keys {
            Keys::One(key) => *key,
            Keys::Each(keys) => keys[lane],
        }
    }

    /// Component `k` of the texels, at least in the lanes of `exec`.
    #[inline(always)]
    fn dwords(&self, context: &Context, k: u32, exec: u64) -> Lanes {
        let mut values = [0; LANES];
        if let Keys::One(key) = self.keys
            && exec.count_ones() >= FEW
            && let Some(world) = context.unwritten_world(key)
        {
            for lane in 0..LANES {
                values[lane] = world.texel(key, self.at[lane] + k);
            }
        } else {
            for lane in lanes(exec) {
                values[lane] = context.world_texel(self.key(lane), self.at[lane] + k);
            }
        }
        values
    }
}

impl Axis {
    /// The texels of `coordinates`, which are multiplied by `scale`, then shifted by the integers `shifts` and by
    /// `shift`. An axis has `size` texels, a power of two, and repeats.
    #[inline(always)]
    fn new(coordinates: &Lanes, scale: f64, shifts: &Lanes, shift: f64, size: f64) -> Axis {
        let (mut first, mut weight) = ([0; LANES], [0; LANES]);
        for lane in 0..LANES {
            let t = f32::from_bits(coordinates[lane]) as f64 * scale + (shifts[lane] as i32 as f64 + shift);
            let floor = t.floor();
            let within = floor - (floor * (1.0 / size)).floor() * size;
            first[lane] = (within + convert::INTEGERS).to_bits() as u32;
            weight[lane] = ((t - floor) as f32).to_bits();
        }
        let last = size as u32 - 1;
        Axis { second: lanes_of!(lane => (first[lane] + 1) & last), first, weight }
    }
}

/// The numbers in an operand of all lanes; 0 for one that is not finite. With `is_short` they are binary16.
#[inline(always)]
fn numbers(m: &mut Machine<'_>, reader: &Reader, operand: Option<Operand>, is_short: bool) -> Lanes {
    let values = reader.lanes(m, operand);
    let wide = if is_short { lanes_of!(lane => convert::float_of(16, values[lane])) } else { values };
    let is_finite = |bits: u32| bits & 0x7f80_0000 != 0x7f80_0000;
    let odd = (0..LANES).fold(0, |odd, lane| odd | (!is_finite(wide[lane]) as u64) << lane);
    m.notes.insert_if(odd & m.scalars.exec != 0, Note::ImageCoordinate);
    lanes_of!(lane => if is_finite(wide[lane]) { wide[lane] } else { 0 })
}

/// Linear interpolations: (`to` - `from`) * weight + `from`, in which each operation is rounded.
#[inline(always)]
fn mixed(from: &Lanes, to: &Lanes, weights: &Lanes) -> Lanes {
    lanes_of!(lane => {
        let [from, to, weight] = [from[lane], to[lane], weights[lane]].map(f32::from_bits);
        ((to - from) * weight + from).to_bits()
    })
}

/// The results of comparisons with references: from 0 to 1, steeply rising where value and reference are near.
#[inline(always)]
fn compared(values: &Lanes, references: &Lanes) -> Lanes {
    lanes_of!(lane => {
        let ramp = (f32::from_bits(values[lane]) - f32::from_bits(references[lane])) * 4.0 + 0.5;
        let raised = if ramp > 0.0 { ramp } else { 0.0 };
        if raised < 1.0 { raised.to_bits() } else { 1f32.to_bits() }
    })
}
