//! MIMG: images, samplers and texels (docs/gcn/images.md).
//!
//! An instruction decodes S# once for all lanes, and T# if it has changed. `resource` says where texels lie, `texel`
//! and `block` decode and encode them, and `address` reads the address registers. Loads, stores and atomics are in
//! `access`, lookups in `sample` with `footprint`, `lod` and `blend`. Those go lane by lane; `fast` and `fast_sample`
//! (with `axis`, `levels` and `sums`) take all lanes at once, or decline. `known` has the images that instructions have
//! met. In the synthetic environment `lattice` makes texels from descriptors.

mod access;
mod address;
mod axis;
mod blend;
mod block;
mod fast;
mod fast_gather;
mod fast_sample;
mod footprint;
mod known;
mod lattice;
mod levels;
mod lod;
mod resource;
mod sample;
mod sums;
mod texel;

use gcnsim_isa::image::{ImageDescriptor, SamplerDescriptor, TexelFormat};
use gcnsim_isa::table::{ImageMove, LodSource, Lookup, MipLevel, Texel};
use gcnsim_isa::{ImageAccess, Inst, LANES, Note};

use super::{Any, Helper, Machine, Refused, Scalars, Uses, execute, lanes, on_level};
use crate::Level;
use access::Values;
use address::{Operands, Reader};
pub use known::ImageCache;
use resource::{Image, View};
use sample::{Kind, Sampling};

/// An image instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct ImageOp {
    moves: ImageMove,
    /// The fields of the instruction.
    access: ImageAccess,
    /// Number of registers of the result, with the one of TFE.
    result: u8,
    /// Whether the last register of the result is that of TFE.
    tfe: bool,
    /// Number of dwords that an atomic changes.
    atomic_dwords: u8,
}

impl ImageOp {
    pub fn new(inst: &Inst) -> Option<ImageOp> {
        let moves = inst.image_shape()?.moves;
        if moves == ImageMove::GatherRow {
            return None;
        }
        let tfe = inst.has_tfe_result();
        let result = (inst.memory_result_dwords() + tfe as u32) as u8;
        let atomic_dwords = inst.image_atomic_dwords() as u8;
        Some(ImageOp { moves, access: inst.image_access()?, result, tfe, atomic_dwords })
    }

    pub fn uses(&self) -> Uses {
        let has_sampler = matches!(self.moves, ImageMove::Sample(_) | ImageMove::Gather(_) | ImageMove::Level);
        Uses {
            image: Some((self.access.srsrc, if self.access.r128 { 4 } else { 8 })),
            sampler: has_sampler.then_some((self.access.ssamp, 4)),
            ..Uses::default()
        }
    }

    /// The helper of the instruction for a level.
    pub fn helper(&self, level: Level) -> Helper {
        match self.moves {
            ImageMove::Load(MipLevel::First, Texel::Formatted) => on_level::<fast::Loads>(level),
            ImageMove::Store(MipLevel::First, Texel::Formatted) => on_level::<fast::Stores>(level),
            ImageMove::Sample(_) => on_level::<fast_sample::Samples>(level),
            ImageMove::Gather(_) => on_level::<fast_gather::Gathers>(level),
            _ => execute::<Any>,
        }
    }

    /// The image descriptor. With R128 the last words are 0.
    fn descriptor(&self, scalars: &Scalars) -> ImageDescriptor {
        let mut words = scalars.image;
        if self.access.r128 {
            words[4..].fill(0);
        }
        ImageDescriptor(words)
    }

    /// Executes the instruction lane by lane. An image with COMPRESSION_EN is left to the interpreter.
    pub fn execute(&self, m: &mut Machine<'_>) -> Result<(), Refused> {
        if m.context.world().is_some() {
            self.execute_on_lattice(m);
            return Ok(());
        }
        let t = self.descriptor(m.scalars);
        let view = View::new(t, m.arch, self.access.r128, self.access.da);
        if view.is_some() && t.is_compressed(m.arch) {
            return Err(Refused);
        }
        if !m.has_destination(self.access.vdata, self.result) {
            return Ok(());
        }
        match view {
            Some(view) => self.with(m, &Image::new(view), t)?,
            None => {
                m.notes.insert_if(!t.is_null(), Note::ImageInvalid);
                self.without(m);
            }
        }
        m.write_status(self.access.vdata.saturating_add(self.result.saturating_sub(1)), self.tfe);
        Ok(())
    }

    /// Writes the result of an instruction that finds no image: zeros.
    fn without(&self, m: &mut Machine<'_>) {
        let count = match self.moves {
            ImageMove::Store(..) => return,
            ImageMove::Atomic(_) => self.result - self.tfe as u8,
            ImageMove::Gather(_) | ImageMove::GatherRow => 4,
            ImageMove::Load(..) | ImageMove::Sample(_) | ImageMove::Level | ImageMove::Size => {
                (self.access.dmask.count_ones() as u8).max(1)
            }
        };
        self.write_components(m, &[[0; 4]; LANES], count, false);
    }

    /// Executes the instruction on an image.
    fn with(&self, m: &mut Machine<'_>, image: &Image, t: ImageDescriptor) -> Result<(), Refused> {
        let is_formatted = match self.moves {
            ImageMove::Load(_, texel) | ImageMove::Store(_, texel) => texel == Texel::Formatted,
            ImageMove::Sample(_) | ImageMove::Gather(_) => true,
            ImageMove::Atomic(_) | ImageMove::GatherRow | ImageMove::Level | ImageMove::Size => false,
        };
        let is_store = matches!(self.moves, ImageMove::Store(..));
        if is_store && is_formatted && !matches!(image.texels.format, TexelFormat::Plain(_)) {
            m.notes.insert(Note::ImageInvalid);
            return Ok(());
        }
        let reaches_texels = !matches!(self.moves, ImageMove::Level | ImageMove::Size);
        m.notes.insert_if(reaches_texels && !t.is_linear(m.arch), Note::TiledAsLinear);
        let contradicts = self.access.da != image.resource.has_layers();
        m.notes.insert_if(self.moves != ImageMove::Size && contradicts, Note::ImageDa);
        if is_formatted {
            m.notes = m.notes.or(image.texels.notes(is_store));
        }
        let is_float = !image.texels.is_integer();
        let (mut values, is_float) = match self.moves {
            ImageMove::Load(level, texel) => (self.load(m, image, level, texel)?, is_float),
            ImageMove::Store(level, texel) => return self.store(m, image, level, texel),
            ImageMove::Atomic(atomic) => {
                let old = self.atomic(m, image, atomic)?;
                if self.access.glc {
                    m.write_dwords(self.access.vdata, self.atomic_dwords, &old);
                }
                return Ok(());
            }
            ImageMove::Sample(lookup) => (self.sampled(m, image, Kind::Sample, lookup)?, is_float || lookup.compares),
            ImageMove::Gather(lookup) => {
                let values = self.sampled(m, image, Kind::Gather, lookup)?;
                self.write_components(m, &values, 4, is_float || lookup.compares);
                return Ok(());
            }
            ImageMove::Level => {
                let lookup = Lookup { lod: LodSource::Quad, is_clamped: false, compares: false, has_offset: false };
                (self.sampled(m, image, Kind::Level, lookup)?, true)
            }
            ImageMove::Size => (self.size(m, image), false),
            ImageMove::GatherRow => return Err(Refused),
        };
        let count = self.chosen(&mut values);
        self.write_components(m, &values, count, is_float);
        Ok(())
    }

    /// The results of a lookup, by lane.
    fn sampled(&self, m: &mut Machine<'_>, image: &Image, kind: Kind, lookup: Lookup) -> Result<Values, Refused> {
        let sampler = SamplerDescriptor(m.scalars.sampler);
        let sampling = Sampling {
            image,
            sampler,
            kind,
            lookup,
            operands: Operands::new(image.kind, lookup, self.access.a16),
            reader: Reader { first: self.access.vaddr },
            is_unnormalized: self.access.unorm || sampler.forces_unnormalized(),
            dmask: self.access.dmask,
        };
        m.notes = m.notes.or(sample::notes(image, sampler, kind, lookup, m.scalars.exec));
        let mut values = [[0; 4]; LANES];
        for lane in lanes(m.scalars.exec) {
            values[lane] = sampling.lane(m, lane)?;
        }
        Ok(values)
    }
}
