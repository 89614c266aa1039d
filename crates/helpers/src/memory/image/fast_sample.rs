//! Samples of all lanes at once, of plain formats: the nearest texels, or blends of texels of a level or of two.
//!
//! Levels are taken one after the other, for the lanes that meet them; so are the texels of a footprint. Lanes are
//! computed one by one for FILTER_MODE, borders from the table, seams of cubes, coordinates that are no numbers or far
//! away, and images that do not lie in one mapping.

use gcnsim_isa::buffer::{NumFormat, Selector};
use gcnsim_isa::image::{BorderColor, Filter, FilterMode, ImageType, SamplerDescriptor, ThirdFilter};
use gcnsim_isa::table::{ImageMove, LodSource, Lookup};
use gcnsim_isa::{LANES, Note, Notes, Vgpr};

use super::super::convert::INTEGERS;
use super::super::fast;
use super::super::{Body, Machine, MemoryOp, Refused, lanes};
use super::ImageOp;
use super::address::{Operand, Operands};
use super::axis::{Axis, Met, OUTSIDE, Side};
use super::fast::Places;
use super::known::{Flat, Plain};
use super::levels::{self, Levels};
use super::sample::{self, Kind};
use super::sums::{self, Range, Rest, Sums};
use super::texel::ONE;
use crate::host::lanes::lanes_of;
use crate::host::{Host, Lanes};

/// With more digits of texels and bits of weights than this, texels are seldom near enough to each other.
const NEAR_BITS: u32 = 45;

/// After texels that were not near each other, so many samples of their image do not hope so.
const PATIENCE: u8 = 15;

/// The function of IMAGE_SAMPLE_*.
pub(super) struct Samples;

super::fast::body!(Samples, sample_fast, patience);

/// The part of a sample that is the same in all lanes.
pub(super) struct Look<'a> {
    pub image: &'a Plain,
    pub sampler: SamplerDescriptor,
    pub lookup: Lookup,
    pub operands: Operands,
    /// The first address register: VADDR.
    first: usize,
    /// Whether coordinates are in texels, not from 0 to 1.
    pub is_unnormalized: bool,
    /// EXEC.
    pub exec: u64,
    /// The lanes whose coordinates are read: those of EXEC, or of whole quads.
    needed: u64,
    /// Whether it is a gather of four texels.
    is_gather: bool,
}

/// The blends of the lanes so far.
struct Found {
    /// Sums of weighted texels, by component.
    sums: [Sums; 4],
    way: Way,
    /// Components of the only texel of a lane.
    only: [Lanes; 4],
    /// All ones in lanes that meet one texel.
    has_one: Lanes,
    /// Number of bits of a weight: all weights of a lane add up to 1 << `bits`.
    bits: u32,
    /// The components that are needed, a bit for each.
    channels: u8,
}

/// How texels are added.
#[expect(clippy::large_enum_variant, reason = "the common way allocates nothing")]
enum Way {
    /// No sum loses bits.
    Exact,
    /// No sum loses bits, unless texels differ too much.
    Near(Range),
    /// Sums of any numbers.
    Any(Box<[Rest; 4]>),
}

impl ImageOp {
    /// Executes a sample; `None` if this way does not take it, and nothing has changed.
    #[inline(always)]
    fn sample_fast<H: Host>(&self, host: H, m: &mut Machine<'_>, image: &Plain, patience: &mut u8) -> Option<()> {
        let ImageMove::Sample(lookup) = self.moves else { return None };
        let (sampler, exec) = (SamplerDescriptor(m.scalars.sampler), m.scalars.exec);
        if self.access.a16 || self.access.d16 {
            return None;
        }
        if !m.has_destination(self.access.vdata, self.result) {
            return Some(());
        }
        let view = &image.image;
        let look = Look::new(self, image, m, lookup, false);
        let levels = levels::of_lanes(host, &look, m)?;
        let is_linear = levels.filter == Filter::Linear && !view.texels.is_integer();
        let is_deep = view.kind == ImageType::D3
            && match sampler.z_filter() {
                ThirdFilter::None => is_linear,
                ThirdFilter::Point => false,
                ThirdFilter::Linear => !view.texels.is_integer(),
            };
        let mut notes = self.load_notes(image).or(sample::notes(view, sampler, Kind::Sample, lookup, exec));
        let along = [is_linear, is_deep];
        let is_single = levels.only().is_some() && !is_linear && !is_deep && !lookup.compares;
        if let (true, false, Some(level)) = (is_single, look.has_border(), levels.only()) {
            return self.nearest(host, m, &look, level, notes);
        }
        if sampler.filter_mode() != FilterMode::Blend && !is_single && !view.texels.is_integer() {
            return None;
        }
        if let (true, Some(level)) = (is_linear && look.has_bytes() && !look.has_border(), levels.only())
            && !view.is_level_in_doubt(level)
        {
            return self.blend_bytes(host, m, &look, level, notes);
        }
        let bits = look.bits(&levels, along);
        let mut way = if look.is_exact(bits) {
            Way::Exact
        } else if *patience > 0 || image.digits() + bits > NEAR_BITS {
            *patience = patience.saturating_sub(1);
            Way::any()
        } else {
            Way::Near(Range::NONE)
        };
        let values = loop {
            let is_last = matches!(way, Way::Any(_));
            let mut found = look.nothing(&levels, along, self.wanted(image), way)?;
            for level in lanes(levels.used as u64) {
                notes.insert_if(view.is_level_in_doubt(level as u32), Note::MipLayout);
                look.add(host, m, level as u32, &levels, along, &mut found)?;
            }
            match look.values(host, &found) {
                Some(values) => break values,
                None if is_last => return None,
                None => {
                    *patience = PATIENCE;
                    way = Way::any();
                }
            }
        };
        self.write_found(m, image, lookup, &values)?;
        m.write_status(self.access.vdata.saturating_add(self.result - 1), self.tfe);
        m.notes = m.notes.or(notes);
        Some(())
    }

    /// Executes a sample that takes the nearest texel of one level, which `[x, y, z]` have found.
    #[inline(always)]
    fn nearest<H: Host>(
        &self,
        host: H,
        m: &mut Machine<'_>,
        look: &Look<'_>,
        level: u32,
        mut notes: Notes,
    ) -> Option<()> {
        let of_level;
        let flat = match &look.image.flat {
            Some(flat) if level == 0 => flat,
            _ => {
                of_level = look.flat(level)?;
                &of_level
            }
        };
        let (at, mask) = (look.nearest(host, m, flat)?, look.exec);
        notes.insert_if(look.image.image.is_level_in_doubt(level), Note::MipLayout);
        self.load_places(host, m, look.image, &Places { origin: flat.origin, at, mask })?;
        m.write_status(self.access.vdata.saturating_add(self.result - 1), self.tfe);
        m.notes = m.notes.or(notes);
        Some(())
    }

    /// Executes a sample that blends four texels of 8_8_8_8 unorm of one level. Its products and sums are exact in
    /// binary64.
    #[inline(always)]
    fn blend_bytes<H: Host>(
        &self,
        host: H,
        m: &mut Machine<'_>,
        look: &Look<'_>,
        level: u32,
        notes: Notes,
    ) -> Option<()> {
        let (flat, image) = (look.flat(level)?, look.image);
        let [x, y, z] = look.meet(host, m, &flat, [true, false])?;
        let region = fast::region(m, flat.origin, flat.reach(flat.sizes[2])?)?;
        let mut corners = [[0; LANES]; 4];
        for (k, corner) in corners.iter_mut().enumerate() {
            let (x, y, z) = (&x.at[k % 2], &y.at[k / 2], &z.at[0]);
            *corner =
                region.dwords_at(host, &lanes_of!(lane => x[lane].wrapping_add(y[lane]).wrapping_add(z[lane])))?;
        }
        let exec = m.scalars.exec;
        let mut registers = m.vgprs.get_mut(self.access.vdata as usize..)?.iter_mut();
        if self.access.dmask == 0 {
            fast::blend(&mut registers.next()?.0, exec, &[0; LANES]);
        }
        for k in (0..4).filter(|k| self.access.dmask >> k & 1 == 1) {
            let values = match image.image.texels.select[k] {
                Selector::Zero | Selector::Reserved => [0; LANES],
                Selector::One => [image.image.texels.one(); LANES],
                Selector::Component(component) => blended(&corners, [&x.second, &y.second], 8 * component as u32),
            };
            fast::blend(&mut registers.next()?.0, exec, &values);
        }
        m.write_status(self.access.vdata.saturating_add(self.result - 1), self.tfe);
        m.notes = m.notes.or(notes);
        Some(())
    }

    /// The components of texels that the result needs, a bit for each.
    fn wanted(&self, image: &Plain) -> u8 {
        let mut wanted = 0;
        for k in (0..4).filter(|k| self.access.dmask >> k & 1 == 1) {
            if let Selector::Component(component) = image.image.texels.select[k] {
                wanted |= 1 << component;
            }
        }
        wanted
    }

    /// Writes the components that DMASK names, from the components `values` of the texels.
    #[inline(always)]
    fn write_found(&self, m: &mut Machine<'_>, image: &Plain, lookup: Lookup, values: &[Lanes; 4]) -> Option<()> {
        let (exec, texels) = (m.scalars.exec, &image.image.texels);
        let mut registers = m.vgprs.get_mut(self.access.vdata as usize..)?.iter_mut();
        if self.access.dmask == 0 {
            fast::blend(&mut registers.next()?.0, exec, &[0; LANES]);
        }
        for k in (0..4).filter(|k| self.access.dmask >> k & 1 == 1) {
            let register = &mut registers.next()?.0;
            match texels.select[k] {
                Selector::Zero | Selector::Reserved => fast::blend(register, exec, &[0; LANES]),
                Selector::One => fast::blend(register, exec, &[texels.one(); LANES]),
                // The result of a comparison is component X. W is 1, and the others are 0.
                Selector::Component(c) if lookup.compares && c > 0 => {
                    fast::blend(register, exec, &[if c == 3 { ONE } else { 0 }; LANES]);
                }
                Selector::Component(c) => fast::blend(register, exec, &values[c as usize % 4]),
            }
        }
        Some(())
    }
}

impl<'a> Look<'a> {
    /// The lookup of an instruction.
    #[inline(always)]
    pub fn new(op: &ImageOp, image: &'a Plain, m: &Machine<'_>, lookup: Lookup, is_gather: bool) -> Look<'a> {
        let (sampler, exec) = (SamplerDescriptor(m.scalars.sampler), m.scalars.exec);
        let takes_quad = matches!(lookup.lod, LodSource::Quad | LodSource::Bias);
        Look {
            image,
            sampler,
            lookup,
            operands: Operands::new(image.image.kind, lookup, false),
            first: op.access.vaddr as usize,
            is_unnormalized: op.access.unorm || sampler.forces_unnormalized(),
            exec,
            // Notes say of all lanes of quads whether coordinates are numbers.
            needed: if takes_quad { whole_quads(exec) } else { exec },
            is_gather,
        }
    }
}

impl Look<'_> {
    /// The register of an operand; `None` if there is no operand, or the wave lacks the register.
    #[inline(always)]
    pub fn register<'m>(&self, m: &'m Machine<'_>, operand: Option<Operand>) -> Option<&'m Lanes> {
        m.vgprs.get(self.first + operand?.register()).map(|register| &register.0)
    }

    /// The level `level` of the view.
    #[inline(always)]
    pub fn flat(&self, level: u32) -> Option<Flat> {
        Flat::new(&self.image.image, level)
    }

    /// Whether texels can be beyond the border.
    pub fn has_border(&self) -> bool {
        let kind = self.image.image.kind;
        kind != ImageType::Cube && (0..kind.dimensions()).any(|k| self.sampler.clamp(k) >= 4)
    }

    /// Axis `k` of a level.
    #[inline(always)]
    fn axis(&self, flat: &Flat, k: usize, is_linear: bool) -> Axis {
        let s = self.sampler;
        let side = match self.image.image.kind {
            ImageType::Cube if s.keeps_to_faces() => Side::Face,
            ImageType::Cube => Side::Seam,
            _ => Side::Plane,
        };
        Axis {
            // Faces of cubes are squares.
            size: flat.sizes[if side == Side::Plane { k } else { 0 }],
            step: flat.steps[k],
            is_unnormalized: self.is_unnormalized,
            clamp: s.clamp(k as u32),
            side,
            is_linear,
            is_cut: s.truncates(),
            is_gather: self.is_gather,
        }
    }

    /// The offsets of coordinate `k` in texels, if there are any.
    #[inline(always)]
    fn offset(&self, m: &Machine<'_>, k: usize) -> Option<Option<Lanes>> {
        if self.operands.offset.is_none() {
            return Some(None);
        }
        let words = self.register(m, self.operands.offset)?;
        Some(Some(lanes_of!(lane => ((words[lane] << (26 - 8 * k)) as i32 >> 26) as u32)))
    }

    /// The texels of a level that lanes meet along x, y, and z or the layers.
    #[inline(always)]
    pub fn meet<H: Host>(
        &self,
        host: H,
        m: &Machine<'_>,
        flat: &Flat,
        [is_linear, is_deep]: [bool; 2],
    ) -> Option<[Met; 3]> {
        let view = &self.image.image;
        let mut met = [(); 3].map(|()| Met::one([0; LANES]));
        // The hardware takes floor(t) for gathers of integers before GCN 1.4.
        let is_moved = self.is_gather && view.texels.is_integer() && !view.arch.is_gcn14_or_later();
        let shift = if is_moved { 128 } else { 0 };
        for (k, met) in met.iter_mut().enumerate().take(view.kind.dimensions() as usize) {
            let axis = self.axis(flat, k, if k == 2 { is_deep } else { is_linear });
            let coordinates = self.register(m, self.operands.at[k])?;
            axis.meet(host, coordinates, self.offset(m, k)?.as_ref(), shift, [self.exec, self.needed], met)?;
        }
        if let Some(layer) = self.operands.layer {
            met[2].at[0] = self.layers(host, self.register(m, Some(layer))?, flat)?;
        }
        Some(met)
    }

    /// The places of the nearest texels of a level.
    #[inline(always)]
    fn nearest<H: Host>(&self, host: H, m: &Machine<'_>, flat: &Flat) -> Option<Lanes> {
        let mut places = match self.operands.layer {
            Some(layer) => self.layers(host, self.register(m, Some(layer))?, flat)?,
            None => [0; LANES],
        };
        for k in 0..self.image.image.kind.dimensions() as usize {
            let coordinates = self.register(m, self.operands.at[k])?;
            let offset = self.offset(m, k)?;
            let at = self.axis(flat, k, false).nearest(host, coordinates, offset.as_ref(), self.needed)?;
            places = lanes_of!(lane => places[lane].wrapping_add(at[lane]));
        }
        Some(places)
    }

    /// The places of layers, or of faces of cubes.
    #[inline(always)]
    fn layers<H: Host>(&self, host: H, layers: &Lanes, flat: &Flat) -> Option<Lanes> {
        let (slices, step) = (flat.sizes[2], flat.steps[2]);
        if levels::finite(host, layers) & self.exec != self.exec {
            return None;
        }
        let is_cube = self.image.image.kind == ImageType::Cube;
        let far = (1 << 23) as f64;
        let (least, greatest) = if is_cube { (-far, far) } else { (0.0, (slices - 1) as f64) };
        let rounded = lanes_of!(lane => {
            let layer = f32::from_bits(layers[lane]) as f64;
            ((if layer > least { layer } else { least }).min(greatest) + INTEGERS).to_bits() as u32
        });
        if !is_cube {
            return Some(lanes_of!(lane => rounded[lane].wrapping_mul(step)));
        }
        let last = ((slices / 6) as i32 - 1).max(0);
        Some(lanes_of!(lane => {
            let (face, cube) = ((rounded[lane] & 7).min(5), (rounded[lane] as i32 >> 3).max(0).min(last) as u32);
            (6 * cube + face).wrapping_mul(step)
        }))
    }

    /// The bits of the weights of texels.
    fn bits(&self, levels: &Levels, [is_linear, is_deep]: [bool; 2]) -> u32 {
        let planar = if is_linear { self.image.image.kind.dimensions().min(2) } else { 0 };
        8 * (planar + is_deep as u32 + levels.only().is_none() as u32)
    }

    /// Whether sums lose no bits, whatever the texels are.
    fn is_exact(&self, bits: u32) -> bool {
        self.lookup.compares || self.image.image.texels.is_integer() || self.image.is_exact(bits)
    }

    /// The layers that lanes can meet: all faces of a cube.
    pub fn layers_in_reach(&self, flat: &Flat) -> u32 {
        let view = &self.image.image;
        if view.kind == ImageType::Cube { 6 * (view.slices / 6).max(1) } else { flat.sizes[2] }
    }

    /// Blends of no texels; `None` if weights are too long.
    #[inline(always)]
    fn nothing(&self, levels: &Levels, along: [bool; 2], wanted: u8, way: Way) -> Option<Found> {
        let bits = self.bits(levels, along);
        (bits <= sums::WEIGHT_BITS).then_some(Found {
            sums: [Sums::ZERO; 4],
            way,
            only: [[0; LANES]; 4],
            has_one: [0; LANES],
            bits,
            channels: if self.lookup.compares { 1 } else { wanted },
        })
    }

    /// Adds the texels of a level to the blends.
    #[inline(always)]
    fn add<H: Host>(
        &self,
        host: H,
        m: &Machine<'_>,
        level: u32,
        levels: &Levels,
        along: [bool; 2],
        found: &mut Found,
    ) -> Option<()> {
        let (flat, view) = (self.flat(level)?, &self.image.image);
        let [x, y, z] = &self.meet(host, m, &flat, along)?;
        let region = fast::region(m, flat.origin, flat.reach(self.layers_in_reach(&flat))?)?;
        let has_border = x.has_border || y.has_border || z.has_border;
        if has_border && view.is_level_in_doubt(level) {
            return None;
        }
        let share = levels.share(level);
        let [is_linear, is_deep] = along;
        let pairs = [is_linear, is_linear && view.kind.dimensions() > 1, is_deep];
        let [across, down, deep] = pairs.map(|is_pair| if is_pair { 2 } else { 1 });
        for k in 0..deep {
            for j in 0..down {
                for i in 0..across {
                    let mut weight = share;
                    for (axis, (met, n)) in [(x, i), (y, j), (z, k)].into_iter().enumerate() {
                        if pairs[axis] {
                            let of_axis = |second: u32| if n == 1 { second } else { 256 - second };
                            weight = lanes_of!(lane => weight[lane] * of_axis(met.second[lane]));
                        }
                    }
                    let (at, outside) = corner([&x.at[i], &y.at[j], &z.at[k]], has_border);
                    let texels = region.texels(host, &at, self.image.format.bytes)?;
                    self.add_texels(m, &texels, has_border.then_some(&outside), &weight, found)?;
                }
            }
        }
        Some(())
    }

    /// Adds a texel of each lane to the blends. Lanes of `outside` take the border's colour.
    #[inline(always)]
    fn add_texels(
        &self,
        m: &Machine<'_>,
        texels: &[Vgpr; 4],
        outside: Option<&Lanes>,
        weight: &Lanes,
        found: &mut Found,
    ) -> Option<()> {
        let (image, whole) = (self.image, 1 << found.bits);
        let border = self.border();
        if outside.is_some() && border.is_none() {
            return None;
        }
        found.has_one = lanes_of!(lane => if weight[lane] == whole { !0 } else { found.has_one[lane] });
        for c in (0..4).filter(|c| found.channels >> c & 1 == 1) {
            let mut values = image.channel(texels, c as u8, m.arch.has_signed_pairs());
            if let (Some(outside), Some(border)) = (outside, border) {
                values = lanes_of!(lane => if outside[lane] == 0 { values[lane] } else { border[c] });
            }
            if self.lookup.compares {
                values = self.compared(self.register(m, self.operands.reference)?, &values);
            }
            if image.has_bits() {
                let only = &found.only[c];
                found.only[c] = lanes_of!(lane => if weight[lane] == whole { values[lane] } else { only[lane] });
            }
            if image.image.texels.is_integer() {
                continue;
            }
            match &mut found.way {
                Way::Exact => found.sums[c].add_exact(&values, weight),
                Way::Near(range) => {
                    let values = sums::weighted(&values, weight);
                    range.add(&values);
                    found.sums[c].add_exact(&values, weight);
                }
                Way::Any(rests) => found.sums[c].add(&sums::weighted(&values, weight), weight, &mut rests[c]),
            }
        }
        Some(())
    }

    /// The components that are found; `None` if sums have lost bits.
    #[inline(always)]
    fn values<H: Host>(&self, host: H, found: &Found) -> Option<[Lanes; 4]> {
        let mut values = [[0; LANES]; 4];
        let has_bits = self.image.has_bits();
        if let Way::Near(range) = &found.way
            && !range.is_exact(host, self.image.digits(), found.bits, self.exec)
        {
            return None;
        }
        for c in (0..4).filter(|c| found.channels >> c & 1 == 1) {
            let only = &found.only[c];
            if self.image.image.texels.is_integer() {
                values[c] = *only;
                continue;
            }
            values[c] = match &found.way {
                Way::Exact | Way::Near(_) => found.sums[c].rounded_exact(found.bits),
                Way::Any(rests) => found.sums[c].rounded(host, &rests[c], found.bits, self.exec)?,
            };
            if has_bits && !self.lookup.compares {
                let (rounded, has_one) = (&values[c], &found.has_one);
                values[c] = lanes_of!(lane => if has_one[lane] == 0 { rounded[lane] } else { only[lane] });
            }
        }
        Some(values)
    }

    /// Whether texels are 8_8_8_8 unorm in a plane or in layers, and are not compared.
    fn has_bytes(&self) -> bool {
        let (image, fields) = (self.image, self.image.format.fields);
        let is_planar = matches!(image.image.kind, ImageType::D2 | ImageType::D2Array);
        let is_bytes = fields.len() == 4 && fields.iter().all(|field| field.bits == 8);
        is_planar && is_bytes && image.number == NumFormat::Unorm && !image.is_srgb && !self.lookup.compares
    }

    /// The colour beyond the border; `None` if it is in a table.
    #[inline(always)]
    pub fn border(&self) -> Option<[u32; 4]> {
        let one = self.image.image.texels.one();
        match self.sampler.border() {
            BorderColor::TransparentBlack => Some([0; 4]),
            BorderColor::OpaqueBlack => Some([0, 0, 0, one]),
            BorderColor::OpaqueWhite => Some([one; 4]),
            BorderColor::Table => None,
        }
    }

    /// 1.0 where a comparison with the reference is true, else 0.
    #[inline(always)]
    pub fn compared(&self, reference: &Lanes, texels: &Lanes) -> Lanes {
        let is_unorm = self.image.number == NumFormat::Unorm && !self.image.is_srgb;
        let compare = self.sampler.compare();
        let is = |bit: u32| if compare >> bit & 1 == 1 { ONE } else { 0 };
        let (less, equal, greater) = (is(0), is(1), is(2));
        // If a NaN is compared, only "not equal" (5) and "always" (7) are true.
        let unordered = if compare & 5 == 5 { ONE } else { 0 };
        lanes_of!(lane => {
            let (texel, given) = (f32::from_bits(texels[lane]), f32::from_bits(reference[lane]));
            let limited = given.clamp(0.0, 1.0);
            let reference = if is_unorm { limited } else { given };
            let ordered = if reference < texel { less } else if reference > texel { greater } else { equal };
            if reference.is_nan() || texel.is_nan() { unordered } else { ordered }
        })
    }
}

impl Way {
    /// The way for any texels.
    #[cold]
    #[inline(never)]
    fn any() -> Way {
        Way::Any(Box::new([Rest::ZERO; 4]))
    }
}

/// The places of the texels at distances along the axes; and all ones in lanes whose texel is beyond the border, if
/// there is one.
#[inline(always)]
pub(super) fn corner([x, y, z]: [&Lanes; 3], has_border: bool) -> (Lanes, Lanes) {
    let at = lanes_of!(lane => x[lane].wrapping_add(y[lane]).wrapping_add(z[lane]));
    if !has_border {
        return (at, [0; LANES]);
    }
    let is_outside = |lane: usize| x[lane] == OUTSIDE || y[lane] == OUTSIDE || z[lane] == OUTSIDE;
    let outside = lanes_of!(lane => if is_outside(lane) { !0 } else { 0 });
    (lanes_of!(lane => at[lane] & !outside[lane]), outside)
}

/// The blends of the bytes at a bit of four texels.
#[inline(always)]
fn blended(corners: &[Lanes; 4], [x, y]: [&Lanes; 2], low: u32) -> Lanes {
    let [a, b, c, d] = corners;
    lanes_of!(lane => {
        let value = |texel: u32| ((texel >> low & 255) as i32 as f64 * (1.0 / 255.0)) as f32 as f64;
        let (right, lower) = (x[lane] as i32 as f64, y[lane] as i32 as f64);
        let (left, upper) = (256.0 - right, 256.0 - lower);
        let above = value(a[lane]) * left + value(b[lane]) * right;
        let below = value(c[lane]) * left + value(d[lane]) * right;
        (((above * upper + below * lower) * (1.0 / 65536.0)) as f32).to_bits()
    })
}

/// The lanes of all quads that have a lane in `mask`.
fn whole_quads(mask: u64) -> u64 {
    let any = mask | mask >> 1;
    let any = (any | any >> 2) & 0x1111_1111_1111_1111;
    any * 15
}
