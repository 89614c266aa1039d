//! IMAGE_SAMPLE and IMAGE_GET_LOD (docs/gcn/sampling.md).

use gcnsim_isa::Note;
use gcnsim_isa::image::{BorderColor, Filter, ImageType, SamplerDescriptor, ThirdFilter};
use gcnsim_isa::table::{LodSource, Lookup};

use super::ImageOp;
use super::address::Address;
use super::axis::{Axis, Position, Step, TEXEL};
use super::cube::{Edge, footprint};
use super::exact::{WHOLE, blended};
use super::filter::{filtered, passes};
use super::layout::Spot;
use super::level::{Levels, Lod};
use super::texel::ONE;
use super::view::View;
use crate::memory::{Machine, Refused};

/// A texel of a footprint: x, y, and layer or z.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub x: u32,
    pub y: u32,
    pub layer: u32,
}

/// A texel, or the border, and its weight in thirds of 2^-24.
pub(super) type Weighted = (Option<Place>, u64);

/// How a footprint lies around its coordinates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub is_linear: bool,
    pub is_linear_in_z: bool,
    pub is_gather: bool,
    /// Added to x and y, in [`TEXEL`]ths.
    pub shift: i64,
}

/// What lookups of a form in an image need.
#[derive(Clone, Copy)]
pub(super) struct Sampling<'a> {
    pub op: &'a ImageOp,
    pub view: &'a View,
    pub sampler: SamplerDescriptor,
    pub lookup: Lookup,
    is_normalized: bool,
}

/// The lookup of IMAGE_GET_LOD.
const PLAIN: Lookup = Lookup { lod: LodSource::Quad, is_clamped: false, compares: false, has_offset: false };

impl ImageOp {
    pub(super) fn sample(&self, m: &mut Machine, view: &View, lookup: Lookup) -> Result<(), Refused> {
        let sampling = self.sampling(m, view, lookup);
        sampling.note_quads(m, false);
        let mut results = Vec::with_capacity(64);
        for lane in m.active() {
            results.push((lane, self.named(sampling.sample(m, lane)?)));
        }
        self.deliver(m, &results, lookup.compares || !view.texels.is_integer());
        Ok(())
    }

    pub(super) fn level(&self, m: &mut Machine, view: &View) {
        let sampling = self.sampling(m, view, PLAIN);
        sampling.note_quads(m, true);
        let mut results = Vec::with_capacity(64);
        for lane in m.active() {
            let (_, lod) = sampling.lod(m, lane);
            let level = lod.levels(view, sampling.sampler.mip_filter()).number();
            results.push((lane, self.named([(level as f32).to_bits(), (lod.lambda as f32).to_bits(), 0, 0])));
        }
        self.deliver(m, &results, true);
    }

    pub(super) fn sampling<'a>(&'a self, m: &Machine, view: &'a View, lookup: Lookup) -> Sampling<'a> {
        let sampler = self.sampler(m.state);
        let is_normalized = !self.access.unorm && !sampler.forces_unnormalized();
        Sampling { op: self, view, sampler, lookup, is_normalized }
    }
}

impl Sampling<'_> {
    fn takes_quads(&self) -> bool {
        matches!(self.lookup.lod, LodSource::Quad | LodSource::Bias)
    }

    /// Notes quads that lack a lane whose coordinates matter.
    pub fn note_quads(&self, m: &mut Machine, is_result: bool) {
        let filters_differ = self.sampler.mag_filter() != self.sampler.min_filter();
        let exec = m.state.exec();
        let is_partial = |quad: u32| !matches!((exec >> (4 * quad) & 15, exec >> (4 * quad) & 7), (0, _) | (_, 7));
        let matters = self.takes_quads() && (is_result || filters_differ || self.view.levels() > 1);
        m.notes.insert_if(matters && (0..16).any(is_partial), Note::QuadInactive);
    }

    /// The operands of a lane, and its level of detail.
    pub fn lod(&self, m: &mut Machine, lane: u8) -> (Address, Lod) {
        let read =
            |m: &mut Machine, lane, counts| Address::read(m, &self.op.access, self.view, self.lookup, lane, counts);
        let address = read(m, lane, true);
        let derivatives = if self.takes_quads() {
            let [origin, right, below] = [0, 1, 2].map(|n| read(m, lane & !3 | n, false).at);
            [right, below].map(|at| [0, 1, 2].map(|i| at[i] - origin[i]))
        } else {
            address.derivatives
        };
        let lod = Lod::new(self.view, self.sampler, self.lookup.lod, self.is_normalized, &address, derivatives);
        (address, lod)
    }

    /// The four components of a lane's result.
    fn sample(&self, m: &mut Machine, lane: u8) -> Result<[u32; 4], Refused> {
        let is_integer = self.view.texels.is_integer();
        let (address, lod) = self.lod(m, lane);
        let filter = if lod.clamped <= 0.0 { self.sampler.mag_filter() } else { self.sampler.min_filter() };
        let is_linear = filter == Filter::Linear && !is_integer;
        let is_linear_in_z = match self.sampler.z_filter() {
            ThirdFilter::None => is_linear,
            filter => filter == ThirdFilter::Linear && !is_integer,
        };
        let shape = Shape { is_linear, is_linear_in_z, is_gather: false, shift: 0 };
        let mut texels = Vec::new();
        for (level, share) in shares(lod.levels(self.view, self.sampler.mip_filter()), is_integer) {
            for (place, weight) in self.places(m, &address, level, shape) {
                if weight > 0 {
                    texels.push((self.fetch(m, lane, level, place)?, weight * share));
                }
            }
        }
        Ok(self.view.selected(self.result(&texels, address.reference)))
    }

    /// What becomes of texels with weights that are [`WHOLE`] together.
    fn result(&self, texels: &[([u32; 4], u64)], reference: u32) -> [u32; 4] {
        debug_assert_eq!(texels.iter().map(|(_, weight)| weight).sum::<u64>(), WHOLE);
        if self.lookup.compares {
            let passed = texels.iter().filter(|(texel, _)| passes(self.sampler, self.view, reference, texel[0]));
            return [blended(passed.map(|(_, weight)| (ONE, *weight))), 0, 0, ONE];
        }
        let mode = self.sampler.filter_mode();
        [0, 1, 2, 3].map(|i| {
            let component: Vec<_> = texels.iter().map(|(texel, weight)| (texel[i], *weight)).collect();
            filtered(mode, &component)
        })
    }

    /// The components of a texel of a level, or of the border, before DST_SEL.
    pub fn fetch(&self, m: &mut Machine, lane: u8, level: u32, place: Option<Place>) -> Result<[u32; 4], Refused> {
        if let Some(Place { x, y, layer }) = place {
            return self.view.texel(m, lane, Spot { level, x, y, layer, fragment: 0 });
        }
        let one = self.view.texels.one();
        Ok(match self.sampler.border() {
            BorderColor::TransparentBlack => [0; 4],
            BorderColor::OpaqueBlack => [0, 0, 0, one],
            BorderColor::OpaqueWhite => [one; 4],
            BorderColor::Table => {
                m.notes.insert(Note::BorderColorTable);
                [0; 4]
            }
        })
    }

    /// The footprint of coordinates on a level: z, y and x ascending, x first.
    pub fn places(&self, m: &mut Machine, address: &Address, level: u32, shape: Shape) -> Vec<Weighted> {
        let size = self.view.size(level);
        if self.view.kind == ImageType::Cube {
            return self.places_on_cube(m, address, size[0], shape);
        }
        let mut axes: [Vec<Step>; 3] = std::array::from_fn(|_| vec![(Some(0), 256)]);
        for (i, steps) in axes.iter_mut().enumerate().take(self.view.kind.dimensions() as usize) {
            let t = if self.is_normalized { address.at[i] * size[i] as f64 } else { address.at[i] };
            let is_linear = if i == 2 { shape.is_linear_in_z } else { shape.is_linear };
            let axis = Axis {
                size: size[i],
                mode: self.sampler.clamp(i as u32),
                is_linear,
                truncates: self.sampler.truncates(),
            };
            let shift = if i < 2 { shape.shift } else { 0 };
            *steps = axis.steps(t, address.offset[i] as i64 * TEXEL + shift, &mut m.notes);
        }
        if !self.view.is_volume() {
            let last = self.view.slices() as f64 - 1.0;
            axes[2] = vec![(Some(address.layer.round_ties_even().clamp(0.0, last) as u32), 256)];
        }
        let [columns, rows, layers] = &axes;
        let mut found = Vec::with_capacity(8);
        for (layer, in_z) in layers {
            for (y, in_y) in rows {
                for (x, in_x) in columns {
                    let place = x.zip(*y).zip(*layer).map(|((x, y), layer)| Place { x, y, layer });
                    found.push((place, 3 * in_x * in_y * in_z));
                }
            }
        }
        found
    }

    fn places_on_cube(&self, m: &mut Machine, address: &Address, n: u32, shape: Shape) -> Vec<Weighted> {
        let is_rounded = shape.is_linear || !self.sampler.truncates();
        let end = TEXEL * n as i64;
        let at = [0, 1].map(|i| {
            let t = (address.at[i] - 1.0) * n as f64;
            let offset = address.offset[i] as i64 * TEXEL + shape.shift;
            let Position(units) = Position::new(t, offset, is_rounded, &mut m.notes);
            Position(units.clamp(0, end))
        });
        let layer = address.layer.round_ties_even().clamp(-8_388_608.0, 8_388_608.0) as i64;
        let face = layer.rem_euclid(8).min(5) as u32;
        let last = (self.view.slices() / 6).saturating_sub(1) as i64;
        let cube = layer.div_euclid(8).clamp(0, last) as u32;
        let edge = match (shape.is_linear && !self.sampler.keeps_to_faces(), shape.is_gather) {
            (false, _) => Edge::Clamped,
            (true, false) => Edge::Seamless,
            (true, true) => Edge::SeamlessGather,
        };
        let found = footprint(at, shape.is_linear, face, n, edge, &mut m.notes).into_iter();
        let place = |x, y, face| Some(Place { x, y, layer: 6 * cube + face });
        found.map(|(texel, weight)| (place(texel.x, texel.y, texel.face), 256 * weight)).collect()
    }
}

/// Levels with weights in 1/256. Texels of integers are those of the level with more weight.
fn shares(levels: Levels, is_integer: bool) -> Vec<(u32, u64)> {
    let Levels { first, second, weight } = levels;
    match weight {
        0 => vec![(first, 256)],
        _ if !is_integer => vec![(first, 256 - weight), (second, weight)],
        _ => vec![(if weight > 128 { second } else { first }, 256)],
    }
}
