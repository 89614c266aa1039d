//! Notes that an instruction with an image raises whatever its lanes do.

use gcnsim_isa::buffer::Selector;
use gcnsim_isa::image::{Filter, SamplerDescriptor, ThirdFilter};
use gcnsim_isa::table::{ImageMove, LodSource, Texel};
use gcnsim_isa::{Note, Notes};

use super::ImageOp;
use super::view::View;
use crate::memory::Machine;

impl ImageOp {
    pub(super) fn note(&self, m: &mut Machine, view: &View) {
        let sampler = self.sampler(m.state);
        let notes = &mut m.notes;
        let reads_texels = !matches!(self.moves, ImageMove::Level | ImageMove::Size);
        notes.insert_if(reads_texels && !view.descriptor.is_linear(view.arch), Note::TiledAsLinear);
        let has_place = !matches!(self.moves, ImageMove::Size);
        notes.insert_if(has_place && self.access.da != view.resource.has_layers(), Note::ImageDa);
        match self.moves {
            ImageMove::Load(_, Texel::Formatted) => note_format(view, false, notes),
            ImageMove::Store(_, Texel::Formatted) => {
                note_format(view, true, notes);
                self.note_channels(view, notes);
            }
            ImageMove::Store(..) => {
                let dwords = view.texels.bytes().div_ceil(4);
                let all = (1 << dwords) - 1;
                notes.insert_if(self.access.dmask & all != all, Note::MimgStoreDmask);
            }
            ImageMove::Sample(lookup) => {
                note_format(view, false, notes);
                let is_linear = sampler.mag_filter() == Filter::Linear
                    || sampler.min_filter() == Filter::Linear
                    || view.is_volume() && sampler.z_filter() == ThirdFilter::Linear;
                notes.insert_if(is_linear && !view.texels.is_integer(), Note::SamplePrecision);
                note_level(view, sampler, lookup.lod, notes);
            }
            ImageMove::Gather(lookup) => {
                note_format(view, false, notes);
                note_level(view, sampler, lookup.lod, notes);
            }
            ImageMove::Level => {
                notes.insert(Note::SamplePrecision);
                note_level(view, sampler, LodSource::Quad, notes);
            }
            ImageMove::Load(..) | ImageMove::Atomic(_) | ImageMove::GatherRow | ImageMove::Size => {}
        }
    }

    /// Notes of the channels that a formatted store writes.
    fn note_channels(&self, view: &View, notes: &mut Notes) {
        let Some((_, layout)) = view.texels.plain() else { return };
        let mut written = 0;
        for i in (0..4).filter(|i| self.access.dmask >> i & 1 == 1) {
            if let Selector::Component(channel) = view.descriptor.selector(i) {
                notes.insert_if(written >> channel & 1 == 1, Note::FormatDstSel);
                written |= 1 << channel;
            }
        }
        let all = (1u32 << layout.fields.len()) - 1;
        notes.insert_if(written & all != all, Note::MimgStoreDmask);
    }
}

fn note_format(view: &View, is_store: bool, notes: &mut Notes) {
    view.texels.note(is_store, notes);
    let is_reserved = |i| view.descriptor.selector(i) == Selector::Reserved;
    notes.insert_if((0..4).any(is_reserved), Note::FormatDstSel);
}

/// Notes of the level of detail.
fn note_level(view: &View, sampler: SamplerDescriptor, lod: LodSource, notes: &mut Notes) {
    let is_derived = matches!(lod, LodSource::Quad | LodSource::Bias | LodSource::Derivatives);
    notes.insert_if(is_derived && sampler.is_anisotropic(), Note::AnisoIgnored);
    let between_levels = is_derived || sampler.mip_filter() == ThirdFilter::Linear;
    notes.insert_if(view.levels() > 1 && between_levels, Note::SamplePrecision);
}
