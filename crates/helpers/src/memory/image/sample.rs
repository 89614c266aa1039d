//! IMAGE_SAMPLE, IMAGE_GATHER4 and IMAGE_GET_LOD, lane by lane (docs/gcn/sampling.md).

use gcnsim_isa::buffer::NumFormat;
use gcnsim_isa::image::{BorderColor, Filter, ImageType, SamplerDescriptor, TexelNumber, ThirdFilter};
use gcnsim_isa::table::{LodSource, Lookup};
use gcnsim_isa::{Note, Notes};

use super::super::{Machine, Refused};
use super::address::{Operands, Reader};
use super::blend::{self, TEXELS, Unit};
use super::footprint::{self, Along, Pair, Place};
use super::lod;
use super::resource::{Image, Spot, View};
use super::texel::ONE;

/// The kind of a lookup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// IMAGE_SAMPLE_*.
    Sample,
    /// IMAGE_GATHER4_*.
    Gather,
    /// IMAGE_GET_LOD.
    Level,
}

/// A lookup, with its image and its sampler.
pub(super) struct Sampling<'a> {
    pub image: &'a Image,
    pub sampler: SamplerDescriptor,
    pub kind: Kind,
    pub lookup: Lookup,
    pub operands: Operands,
    pub reader: Reader,
    /// Whether coordinates are in texels, not from 0 to 1.
    pub is_unnormalized: bool,
    /// DMASK.
    pub dmask: u8,
}

/// A texel of a footprint, with its weight; `None` for one beyond the border.
type Met = (Option<Spot>, u64);

/// The texels that a lane meets.
struct Footprint {
    texels: [Met; 2 * TEXELS],
    /// Number of texels.
    count: usize,
    /// The unit of the weights.
    unit: Unit,
}

impl Footprint {
    /// The texels so far.
    fn met(&self) -> &[Met] {
        &self.texels[..self.count]
    }

    /// Adds a texel.
    fn push(&mut self, spot: Option<Spot>, weight: u64) {
        if let Some(texel) = self.texels.get_mut(self.count) {
            *texel = (spot, weight);
            self.count += 1;
        }
    }
}

/// The notes of a lookup that do not depend on texels and coordinates.
pub(super) fn notes(view: &View, s: SamplerDescriptor, kind: Kind, lookup: Lookup, exec: u64) -> Notes {
    let takes_quad = matches!(lookup.lod, LodSource::Quad | LodSource::Bias);
    let has_derivatives = takes_quad || lookup.lod == LodSource::Derivatives;
    let mut notes = Notes::NONE;
    notes.insert_if(s.is_anisotropic() && has_derivatives, Note::AnisoIgnored);
    let is_linear = s.mag_filter() == Filter::Linear
        || s.min_filter() == Filter::Linear
        || s.z_filter() == ThirdFilter::Linear && view.kind == ImageType::D3;
    let has_levels = view.levels > 1;
    let by_level = has_levels && (s.mip_filter() == ThirdFilter::Linear || has_derivatives);
    let is_blended = kind == Kind::Sample && !view.texels.is_integer() && is_linear;
    notes.insert_if(kind == Kind::Level || by_level || is_blended, Note::SamplePrecision);
    let matters = has_levels || s.mag_filter() != s.min_filter() || kind == Kind::Level;
    if takes_quad && matters {
        let is_partial = |quad: u64| quad != 0 && quad & 7 != 7;
        notes.insert_if((0..16).any(|quad| is_partial(exec >> (4 * quad) & 15)), Note::QuadInactive);
    }
    notes
}

impl Sampling<'_> {
    /// The level of detail before it is clamped.
    fn lambda(&self, m: &mut Machine<'_>, lane: usize, bias: f64, level: f64) -> f64 {
        let derivatives = match self.lookup.lod {
            LodSource::Zero => return 0.0,
            LodSource::Given => return level + self.sampler.lod_bias() as f64 / 256.0,
            LodSource::Derivatives => {
                self.operands.derivatives.map(|vector| vector.map(|operand| self.reader.number(m, operand, lane)))
            }
            LodSource::Quad | LodSource::Bias => {
                let at = self.operands.at;
                let [zero, one, two] =
                    [0, 1, 2].map(|k| at.map(|operand| self.reader.number(m, operand, lane & !3 | k)));
                [one, two].map(|other| [0, 1, 2].map(|k| other[k] - zero[k]))
            }
        };
        let sizes = if self.is_unnormalized { [1.0; 3] } else { self.image.size(0).map(f64::from) };
        lod::of_derivatives(derivatives, sizes) + self.sampler.lod_bias() as f64 / 256.0 + bias
    }

    /// The result of a lane: components of a texel, or for a gather one component of four texels.
    pub fn lane(&self, m: &mut Machine<'_>, lane: usize) -> Result<[u32; 4], Refused> {
        let (reader, operands) = (&self.reader, &self.operands);
        let word = reader.integer(m, operands.offset, lane);
        let offset = [0, 8, 16].map(|low| ((word << (26 - low)) as i32 >> 26) as i64);
        let bias = reader.number(m, operands.bias, lane);
        let reference = reader.integer(m, operands.reference, lane);
        let at = operands.at.map(|operand| reader.number(m, operand, lane));
        let layer = reader.number(m, operands.layer, lane);
        let level = reader.number(m, operands.level, lane);
        let least = reader.number(m, operands.least, lane);
        let lambda = self.lambda(m, lane, bias, level);
        let lod = lod::clamped(self.image, self.sampler, lambda, least);
        let filtered = lod::filtered(self.image, self.sampler, lod);
        let address = Address { at, offset, layer };
        match self.kind {
            Kind::Level => Ok([(filtered as f32 / 256.0).to_bits(), (lambda as f32).to_bits(), 0, 0]),
            Kind::Gather => self.gather(m, &address, filtered >> 8, reference),
            Kind::Sample => self.sample(m, &address, lod, filtered, reference),
        }
    }

    fn sample(
        &self,
        m: &mut Machine<'_>,
        address: &Address,
        lod: f64,
        filtered: u32,
        reference: u32,
    ) -> Result<[u32; 4], Refused> {
        let (s, texels) = (self.sampler, &self.image.texels);
        let is_integer = texels.is_integer();
        let filter = if lod <= 0.0 { s.mag_filter() } else { s.min_filter() };
        let is_linear = filter == Filter::Linear && !is_integer;
        let is_deep = match s.z_filter() {
            ThirdFilter::None => is_linear,
            ThirdFilter::Point => false,
            ThirdFilter::Linear => !is_integer,
        };
        let along = |is_linear| if is_linear { Along::Linear } else { Along::Point(s.truncates()) };
        let mut levels = lod::levels(self.image, filtered);
        // Integers are not blended: all is taken from the level with the larger share.
        if is_integer {
            let [first, second] = levels;
            levels = [if second.1 > first.1 { (second.0, 256) } else { (first.0, 256) }, (0, 0)];
        }
        let unit = Unit { scale: 32, divisor: 1 };
        let mut footprint = Footprint { texels: [(None, 0); 2 * TEXELS], count: 0, unit };
        for (level, share) in levels.into_iter().filter(|(_, share)| *share > 0) {
            self.meet(address, level, [along(is_linear), along(is_deep)], share, &mut footprint, &mut m.notes);
        }
        self.blend(m, &footprint, reference)
    }

    /// The components of a footprint, blended.
    fn blend(&self, m: &mut Machine<'_>, footprint: &Footprint, reference: u32) -> Result<[u32; 4], Refused> {
        let texels = &self.image.texels;
        let mut found = [[0; 4]; TEXELS];
        let count = footprint.count.min(TEXELS);
        for ((spot, _), found) in footprint.met().iter().zip(&mut found) {
            *found = self.fetch(m, *spot)?;
        }
        let (scale, unit) = footprint.reduced();
        let weights = |k: usize| footprint.texels[k].1 >> scale;
        let mut terms = [(0, 0); TEXELS];
        if self.lookup.compares {
            let mut true_ones = 0;
            for k in (0..count).filter(|&k| self.is_true(reference, found[k][0])) {
                terms[true_ones] = (ONE, weights(k));
                true_ones += 1;
            }
            return Ok(texels.selected([blend::sum(&terms[..true_ones], unit), 0, 0, ONE]));
        }
        let mut components = [0; 4];
        for (c, component) in components.iter_mut().enumerate() {
            (0..count).for_each(|k| terms[k] = (found[k][c], weights(k)));
            *component = blend::blended(&terms[..count], unit, self.sampler.filter_mode());
        }
        Ok(texels.selected(components))
    }

    fn gather(&self, m: &mut Machine<'_>, address: &Address, level: u32, reference: u32) -> Result<[u32; 4], Refused> {
        let unit = Unit { scale: 0, divisor: 1 };
        let mut footprint = Footprint { texels: [(None, 0); 2 * TEXELS], count: 0, unit };
        let along = [Along::Linear, Along::Point(self.sampler.truncates())];
        self.meet(address, level, along, 256, &mut footprint, &mut m.notes);
        let texels = &self.image.texels;
        let order = if footprint.count == 2 { [0, 1, 1, 0] } else { [2, 3, 1, 0] };
        // If DMASK has no bit, the component is X.
        let channel = (0..4).find(|k| self.dmask >> k & 1 == 1).unwrap_or(0);
        let mut values = [0; 4];
        for (value, k) in values.iter_mut().zip(order) {
            let found = self.fetch(m, footprint.texels[k].0)?;
            *value = match self.lookup.compares {
                true if self.is_true(reference, found[0]) => ONE,
                true => 0,
                false => texels.selected(found)[channel],
            };
        }
        Ok(values)
    }

    /// Adds the texels of a level to a footprint: those with a weight, or for a gather all four. `share` is the weight
    /// of the level in 1/256.
    fn meet(
        &self,
        address: &Address,
        level: u32,
        [along, deep]: [Along; 2],
        share: u64,
        footprint: &mut Footprint,
        notes: &mut Notes,
    ) {
        let (image, s, is_gather) = (self.image, self.sampler, self.kind == Kind::Gather);
        let sizes = image.size(level);
        // Before GCN 1.4 the hardware takes floor(t), not floor(t - 1/2), for gathers of integers.
        let is_moved = is_gather && image.texels.is_integer() && !image.arch.is_gcn14_or_later();
        if image.kind == ImageType::Cube {
            return self.meet_cube(address, level, along, share, is_moved, footprint, notes);
        }
        let dimensions = image.kind.dimensions() as usize;
        let mut axes = [(Pair { index: [0; 2], second: 0 }, [Some(0); 2]); 3];
        for (k, axis) in axes.iter_mut().enumerate().take(dimensions) {
            let texels = if self.is_unnormalized { address.at[k] } else { address.at[k] * sizes[k] as f64 };
            let mut place = Place::new(texels, notes).moved(256 * address.offset[k]);
            if is_moved && k < 2 {
                place = place.moved(128);
            }
            let along = if k == 2 { deep } else { along };
            *axis = footprint::clamped(place, sizes[k], s.clamp(k as u32), along);
        }
        if dimensions < 3 {
            let layer = if image.kind.has_layers() { self.layer(address.layer) } else { 0 };
            axes[2].1 = [Some(layer); 2];
        }
        let is_pair = |k: usize| axes[k].0.second > 0 || is_gather && k < dimensions.min(2);
        let count = |k: usize| if is_pair(k) { 2 } else { 1 };
        for k in 0..count(2) {
            for j in 0..count(1) {
                for i in 0..count(0) {
                    let weight = axes[0].0.weight(i) * axes[1].0.weight(j) * axes[2].0.weight(k) * share;
                    let spot = match (axes[0].1[i], axes[1].1[j], axes[2].1[k]) {
                        (Some(x), Some(y), Some(z)) => Some(Spot { level, x, y, z, fragment: 0 }),
                        _ => None,
                    };
                    footprint.push(spot, weight);
                }
            }
        }
    }

    /// Adds the texels of a level of a cube to a footprint, as [`Self::meet`] does.
    #[expect(clippy::too_many_arguments, reason = "a part of `meet`")]
    fn meet_cube(
        &self,
        address: &Address,
        level: u32,
        along: Along,
        share: u64,
        is_moved: bool,
        footprint: &mut Footprint,
        notes: &mut Notes,
    ) {
        let (image, is_gather) = (self.image, self.kind == Kind::Gather);
        let n = image.size(level)[0];
        let [x, y] = [0, 1].map(|k| {
            let place = Place::new((address.at[k] - 1.0) * n as f64, notes).moved(256 * address.offset[k]);
            Pair::at(if is_moved { place.moved(128) } else { place }.within(n), along)
        });
        let (face, cube) = self.face(address.layer);
        let is_seamless = along == Along::Linear && !self.sampler.keeps_to_faces();
        let count = |pair: Pair| if is_gather || pair.second > 0 { 2 } else { 1 };
        let (mut found, mut lost) = ([(None, 0); 4], 0);
        let mut number = 0;
        for j in 0..count(y) {
            for i in 0..count(x) {
                let weight = x.weight(i) * y.weight(j);
                let at = [x.index[i], y.index[j]];
                let is_outside = at.iter().any(|index| !(0..n as i64).contains(index));
                notes.insert_if(is_seamless && is_outside, Note::CubeSeam);
                let place = if is_seamless { footprint::on_cube(face, at, n) } else { Some(on_face(face, at, n)) };
                lost += if place.is_none() { weight } else { 0 };
                found[number] = (place, weight);
                number += 1;
            }
        }
        let has_lost = found[..number].iter().any(|(place, _)| place.is_none());
        if has_lost && is_gather {
            // At a corner, where there is no fourth texel, a gather stays on the face.
            let corners = [0, 1].map(|j| [0, 1].map(|i| on_face(face, [x.index[i], y.index[j]], n)));
            found = std::array::from_fn(|k| (Some(corners[k / 2][k % 2]), 0));
        }
        // A missing texel leaves a third of its weight to each of the others.
        let thirds = if has_lost { 3 } else { 1 };
        footprint.share_thirds(has_lost);
        for (place, weight) in found.into_iter().take(number) {
            let Some((face, [x, y])) = place else { continue };
            let spot = Spot { level, x, y, z: 6 * cube + face, fragment: 0 };
            let unit = if footprint.unit.divisor == 3 { 3 / thirds } else { 1 };
            footprint.push(Some(spot), unit * 256 * share * (thirds * weight + lost));
        }
    }

    /// The number of the layer for a coordinate, which is rounded to the nearest, ties to even.
    fn layer(&self, layer: f64) -> u32 {
        layer.round_ties_even().clamp(0.0, (self.image.slices - 1) as f64) as u32
    }

    /// The face and the number of the cube for a third coordinate: 8 times the cube plus the face.
    fn face(&self, layer: f64) -> (u32, u32) {
        const FAR: f64 = (1 << 23) as f64;
        let layer = layer.round_ties_even().clamp(-FAR, FAR) as i32;
        let last = (self.image.slices / 6).saturating_sub(1);
        (layer.rem_euclid(8).min(5) as u32, (layer.div_euclid(8).max(0) as u32).min(last))
    }

    /// The components of a texel, or of the border if there is none.
    fn fetch(&self, m: &mut Machine<'_>, spot: Option<Spot>) -> Result<[u32; 4], Refused> {
        let Some(spot) = spot else {
            let one = self.image.texels.one();
            return Ok(match self.sampler.border() {
                BorderColor::TransparentBlack => [0; 4],
                BorderColor::OpaqueBlack => [0, 0, 0, one],
                BorderColor::OpaqueWhite => [one; 4],
                BorderColor::Table => {
                    m.notes.insert(Note::BorderColorTable);
                    [0; 4]
                }
            });
        };
        let element = self.image.load(m, spot)?;
        Ok(self.image.texels.components(&element, [spot.x, spot.y]))
    }

    /// Whether the comparison of the reference with a texel is true.
    fn is_true(&self, reference: u32, texel: u32) -> bool {
        let is_nan = |bits: u32| bits & 0x7fff_ffff > 0x7f80_0000;
        let is_unorm = self.image.texels.number == TexelNumber::Plain(NumFormat::Unorm);
        let reference = match reference {
            _ if !is_unorm || is_nan(reference) => reference,
            _ if reference >> 31 == 1 => 0,
            _ => reference.min(ONE),
        };
        let compare = self.sampler.compare();
        if is_nan(reference) || is_nan(texel) {
            return matches!(compare, 5 | 7);
        }
        let (reference, texel) = (blend::order(reference), blend::order(texel));
        match compare {
            0 => false,
            1 => reference < texel,
            2 => reference == texel,
            3 => reference <= texel,
            4 => reference > texel,
            5 => reference != texel,
            6 => reference >= texel,
            _ => true,
        }
    }
}

/// The address operands of a lane: coordinates, their offsets in texels, and the layer or face.
struct Address {
    at: [f64; 3],
    offset: [i64; 3],
    layer: f64,
}

/// The texel of a face that is nearest to the indices `at`.
fn on_face(face: u32, at: [i64; 2], n: u32) -> (u32, [u32; 2]) {
    (face, at.map(|index| index.clamp(0, n as i64 - 1) as u32))
}

impl Footprint {
    /// The number of bits by which all weights can be shifted right without loss, and their unit then.
    fn reduced(&self) -> (u32, Unit) {
        let union = self.met().iter().fold(0, |union, (_, weight)| union | weight);
        let shorter = union.trailing_zeros().min(self.unit.scale);
        (shorter, Unit { scale: self.unit.scale - shorter, ..self.unit })
    }

    /// Changes the unit of weights to thirds of the old one, if that is needed and was not done before.
    fn share_thirds(&mut self, are_needed: bool) {
        if are_needed && self.unit.divisor == 1 {
            self.unit.divisor = 3;
            self.texels[..self.count].iter_mut().for_each(|(_, weight)| *weight *= 3);
        }
    }
}
