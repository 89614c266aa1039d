//! IMAGE_GATHER4 (docs/gcn/images.md#data-registers).

use gcnsim_isa::table::Lookup;

use super::axis::TEXEL;
use super::filter::passes;
use super::sample::{Sampling, Shape};
use super::texel::ONE;
use super::view::View;
use super::{ImageOp, Values};
use crate::memory::{Machine, Refused};

impl ImageOp {
    pub(super) fn gather(&self, m: &mut Machine, view: &View, lookup: Lookup) -> Result<(), Refused> {
        let sampling = self.sampling(m, view, lookup);
        sampling.note_quads(m, false);
        let mut results = Vec::with_capacity(64);
        for lane in m.active() {
            results.push((lane, sampling.gather(m, lane, self.access.dmask)?));
        }
        self.deliver(m, &results, lookup.compares || !view.texels.is_integer());
        Ok(())
    }
}

impl Sampling<'_> {
    /// A component of four texels, in the order (i0, j1), (i1, j1), (i1, j0), (i0, j0).
    fn gather(&self, m: &mut Machine, lane: u8, dmask: u8) -> Result<Values, Refused> {
        let (address, lod) = self.lod(m, lane);
        let level = lod.levels(self.view, self.sampler.mip_filter()).first;
        // Before GCN 1.4 the footprint of integers begins with the texel of the coordinates.
        let begins_here = self.view.texels.is_integer() && !self.view.arch.is_gcn14_or_later();
        let shift = if begins_here { TEXEL / 2 } else { 0 };
        let shape = Shape { is_linear: true, is_linear_in_z: false, is_gather: true, shift };
        let mut places = self.places(m, &address, level, shape);
        if places.len() == 2 {
            // An image of one dimension has one row: both of its texels count twice.
            places.extend_from_within(..);
        }
        let component = dmask.trailing_zeros() as usize & 3;
        let mut values = [0; 4];
        for (value, i) in values.iter_mut().zip([2, 3, 1, 0]) {
            let Some((place, _)) = places.get(i) else { continue };
            let texel = self.fetch(m, lane, level, *place)?;
            *value = match self.lookup.compares {
                true if passes(self.sampler, self.view, address.reference, texel[0]) => ONE,
                true => 0,
                false => self.view.selected(texel)[component],
            };
        }
        Ok(values)
    }
}
