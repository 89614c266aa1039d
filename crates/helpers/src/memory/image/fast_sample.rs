//! Samples of all lanes at once: of level 0 of a plane, with the nearest texel of plain formats, or between four of
//! 8_8_8_8 unorm. All else is declined.
//!
//! Coordinates are computed in binary64, which holds a binary32 times a size. So it does products of 8-bit texels, as
//! binary32 has them, and weights of 17 bits: the sum is exact, and is rounded once.

use gcnsim_isa::buffer::{NumFormat, Selector};
use gcnsim_isa::image::{Filter, FilterMode, ImageType, SamplerDescriptor, ThirdFilter};
use gcnsim_isa::table::{ImageMove, LodSource, Lookup};
use gcnsim_machine::canonical;

use super::super::fast;
use super::super::host::{Host, Lanes, lanes_of};
use super::super::{Body, Machine, MemoryOp, Refused};
use super::fast::{Places, Plain};
use super::resource::View;
use super::sample::{self, Kind};
use super::{ImageOp, lod};

/// A sample.
pub(super) struct Samples;

impl Body for Samples {
    #[inline(always)]
    fn run<H: Host>(op: &MemoryOp, m: &mut Machine<'_>) -> Result<(), Refused> {
        let op = ImageOp::of(op).ok_or(Refused)?;
        if m.context.world().is_some() {
            op.execute_on_lattice(m);
            return Ok(());
        }
        op.sample_fast::<H>(m).map_or_else(|| op.execute(m), Ok)
    }
}

/// Coordinates beyond this, in 1/256 of a texel, are declined. Indices fit into 32 bits.
const LIMIT: f64 = (1u64 << 30) as f64;

/// An integer in the middle of those that binary64 holds: what is added to it is in the low bits of the sum.
const INTEGERS: f64 = (3u64 << 51) as f64;

/// An axis of a plane.
#[derive(Clone, Copy)]
struct Axis {
    /// Texels.
    size: u32,
    /// What a coordinate is multiplied by: its size in texels, or 1, and 256.
    scale: f64,
    /// CLAMP: 0 to 3.
    clamp: u32,
}

impl Axis {
    /// Coordinates in 1/256 of a texel, and the lanes for which there are some.
    #[inline(always)]
    fn fixed<H: Host>(&self, coordinates: &Lanes, is_cut: bool) -> (Lanes, u64) {
        let (mut fixed, mut is_near) = ([0; 64], [0; 64]);
        // Cut, it is the floor in texels.
        let (half, unit, shift) = if is_cut { (0.0, 1.0 / 256.0, 8) } else { (0.5, 1.0, 0) };
        for lane in 0..64 {
            let place = f32::from_bits(coordinates[lane]) as f64 * self.scale;
            let near = place.abs() < LIMIT;
            is_near[lane] = near as u32;
            let place = if near { place } else { 0.0 };
            fixed[lane] = (((place * unit + half).floor() + INTEGERS).to_bits() as u32) << shift;
        }
        (fixed, fast::nonzero::<H>(&is_near))
    }

    /// The texels with indices.
    #[inline(always)]
    fn texels(&self, indices: &Lanes) -> Lanes {
        let n = self.size as i32;
        match self.clamp {
            0 if self.size.is_power_of_two() => lanes_of!(lane => indices[lane] & (self.size - 1)),
            0 => lanes_of!(lane => remainder(indices[lane] as i32, n)),
            1 => lanes_of!(lane => {
                let index = remainder(indices[lane] as i32, 2 * n) as i32;
                (if index < n { index } else { 2 * n - 1 - index }) as u32
            }),
            2 => lanes_of!(lane => (indices[lane] as i32).max(0).min(n - 1) as u32),
            _ => lanes_of!(lane => {
                let index = indices[lane] as i32;
                (if index < 0 { -1 - index } else { index }).min(n - 1) as u32
            }),
        }
    }
}

/// `index mod n`. The quotient in binary32 of numbers below 2^23 is off by less than 1.
#[inline(always)]
fn remainder(index: i32, n: i32) -> u32 {
    let quotient = (index as f32 * (1.0 / n as f32)) as i32;
    let rest = index - quotient * n;
    let rest = if rest < 0 { rest + n } else { rest };
    let rest = if rest < 0 { rest + n } else { rest };
    (if rest >= n { rest - n } else { rest }) as u32
}

/// The filter of level 0, if all lanes take that level with the same filter.
#[inline(always)]
fn filter_of(view: &View, sampler: SamplerDescriptor, lookup: Lookup) -> Option<Filter> {
    let at_zero = lod::clamped(view, sampler, 0.0, 0.0);
    let is_zero = lookup.lod == LodSource::Zero;
    let is_first = view.levels == 1
        || sampler.mip_filter() == ThirdFilter::None
        || is_zero && lod::filtered(view, sampler, at_zero) == 0;
    let (mag, min) = (sampler.mag_filter(), sampler.min_filter());
    let filter = if is_zero && at_zero <= 0.0 { mag } else { min };
    (is_first && (is_zero || mag == min)).then_some(filter)
}

impl ImageOp {
    /// Executes a sample.
    #[inline(always)]
    fn sample_fast<H: Host>(&self, m: &mut Machine<'_>) -> Option<()> {
        let ImageMove::Sample(lookup) = self.moves else { return None };
        let is_plain = !lookup.compares && !lookup.has_offset && !lookup.is_clamped;
        if !is_plain || matches!(lookup.lod, LodSource::Bias | LodSource::Derivatives) {
            return None;
        }
        let image = self.plain(m)?;
        let (view, sampler) = (&image.view, SamplerDescriptor(m.scalars.sampler));
        let filter = filter_of(view, sampler, lookup)?;
        if view.kind != ImageType::D2 || sampler.clamp(0) > 3 || sampler.clamp(1) > 3 {
            return None;
        }
        if !m.has_destination(self.access.vdata, self.result) {
            return Some(());
        }
        let is_unnormalized = self.access.unorm || sampler.forces_unnormalized();
        let axis = |k: usize| {
            let size = view.size(0)[k];
            let scale = if is_unnormalized { 256.0 } else { 256.0 * size as f64 };
            Axis { size, scale, clamp: sampler.clamp(k as u32) }
        };
        let is_linear = filter == Filter::Linear && !view.texels.is_integer();
        let is_cut = !is_linear && sampler.truncates();
        let exec = m.scalars.exec;
        let first = self.access.vaddr as usize;
        let registers = m.vgprs.get(first..first + 2 + (lookup.lod == LodSource::Given) as usize)?;
        let (x, is_near_x) = axis(0).fixed::<H>(&registers[0].0, is_cut);
        let (y, is_near_y) = axis(1).fixed::<H>(&registers[1].0, is_cut);
        // Of the lanes of quads, too, notes say whether coordinates are numbers.
        let needed = if lookup.lod == LodSource::Quad { whole_quads(exec) } else { exec };
        let is_given = registers.get(2).is_none_or(|level| {
            let is_finite = lanes_of!(lane => (level.0[lane] << 1 < 0xff00_0000) as u32);
            fast::nonzero::<H>(&is_finite) & exec == exec
        });
        if !is_given || is_near_x & is_near_y & needed != needed {
            return None;
        }
        let notes = self.plain_notes(m, view, false).or(sample::notes(view, sampler, Kind::Sample, lookup, exec));
        let (axes, plane) = ([axis(0), axis(1)], view.first_plane());
        let bytes = view.bytes() as u64;
        let reach = (view.size(0)[1] as u64 - 1) * plane.pitch * bytes + view.size(0)[0] as u64 * bytes;
        if reach > u32::MAX as u64 {
            return None;
        }
        let layer = plane.slice.wrapping_mul(view.plane_number(0)).wrapping_mul(bytes);
        let place =
            Level { origin: canonical(view.base.wrapping_add(layer)), reach, pitch: (plane.pitch * bytes) as u32 };
        match is_linear {
            true if sampler.filter_mode() == FilterMode::Blend => {
                self.blend_fast::<H>(m, &image, &place, axes, [&x, &y])?;
            }
            true => return None,
            false => self.nearest_fast::<H>(m, &image, &place, axes, [&x, &y])?,
        }
        m.write_status(self.access.vdata.saturating_add(self.result - 1), self.tfe);
        m.notes = m.notes.or(notes);
        Some(())
    }

    /// The nearest texels.
    #[inline(always)]
    fn nearest_fast<H: Host>(
        &self,
        m: &mut Machine<'_>,
        image: &Plain,
        place: &Level,
        axes: [Axis; 2],
        at: [&Lanes; 2],
    ) -> Option<()> {
        let [x, y] = [0, 1].map(|k: usize| axes[k].texels(&lanes_of!(lane => (at[k][lane] as i32 >> 8) as u32)));
        let (mask, bytes) = (m.scalars.exec, image.view.bytes());
        let at = lanes_of!(lane => x[lane].wrapping_mul(bytes).wrapping_add(y[lane].wrapping_mul(place.pitch)));
        self.load_places::<H>(m, image, &Places { origin: place.origin, at, mask })
    }

    /// Between four texels of 8_8_8_8 unorm.
    #[inline(always)]
    fn blend_fast<H: Host>(
        &self,
        m: &mut Machine<'_>,
        image: &Plain,
        place: &Level,
        axes: [Axis; 2],
        at: [&Lanes; 2],
    ) -> Option<()> {
        let is_bytes = image.format.fields.len() == 4 && image.format.fields.iter().all(|field| field.bits == 8);
        if !is_bytes || image.number != NumFormat::Unorm {
            return None;
        }
        let region = fast::region(m, place.origin, place.reach)?;
        let mut neighbours = [[[0; 64]; 2]; 2];
        let mut weights = [[0; 64]; 2];
        for k in 0..2 {
            let first = lanes_of!(lane => (at[k][lane] as i32 - 128) as u32);
            weights[k] = lanes_of!(lane => first[lane] & 255);
            let step = if k == 0 { 4 } else { place.pitch };
            for (next, neighbour) in (0..).zip(&mut neighbours[k]) {
                let texels = axes[k].texels(&lanes_of!(lane => ((first[lane] as i32 >> 8) + next) as u32));
                *neighbour = lanes_of!(lane => texels[lane].wrapping_mul(step));
            }
        }
        let [x, y] = &neighbours;
        let mut corners = [[0; 64]; 4];
        for (k, corner) in corners.iter_mut().enumerate() {
            let (x, y) = (&x[k % 2], &y[k / 2]);
            *corner = region.dwords::<H>(&lanes_of!(lane => x[lane].wrapping_add(y[lane])))?;
        }
        let exec = m.scalars.exec;
        let mut registers = m.vgprs.get_mut(self.access.vdata as usize..)?.iter_mut();
        if self.access.dmask == 0 {
            fast::blend(&mut registers.next()?.0, exec, &[0; 64]);
        }
        for k in (0..4).filter(|k| self.access.dmask >> k & 1 == 1) {
            let values = match image.view.texels.select[k] {
                Selector::Zero | Selector::Reserved => [0; 64],
                Selector::One => [image.view.texels.one(); 64],
                Selector::Component(component) => blended(&corners, &weights, 8 * component as u32),
            };
            fast::blend(&mut registers.next()?.0, exec, &values);
        }
        Some(())
    }
}

/// The blends of the bytes at a bit of four texels.
#[inline(always)]
fn blended(corners: &[Lanes; 4], [x, y]: &[Lanes; 2], low: u32) -> Lanes {
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

/// Where a level lies.
struct Level {
    /// Address of its first texel.
    origin: u64,
    /// Bytes up to the end of its last texel.
    reach: u64,
    /// Bytes from row to row.
    pitch: u32,
}

/// The lanes of all quads that have a lane of a mask.
fn whole_quads(mask: u64) -> u64 {
    let any = mask | mask >> 1;
    let any = (any | any >> 2) & 0x1111_1111_1111_1111;
    any * 15
}
