//! Image instructions (docs/gcn/images.md): one texel after the other, one lane after the other.
//!
//! An [`ImageOp`] is a predecoded instruction. Its descriptor makes a [`view::View`], or none: then results are 0.
//! Rooms: [`view`] what a descriptor says, [`layout`] addresses, [`texel`] formats (with [`blocks`], [`bc6`], [`bc7`]
//! and [`partition`]), [`address`] what address registers say, [`access`] loads, stores, atomics and sizes, [`axis`]
//! the texels that a coordinate meets, [`cube`] those across an edge, [`level`] the level of detail, [`filter`] what is
//! made of several texels (exact sums: [`exact`]), [`sample`] and [`gather`] the rest. Notes that an instruction raises
//! whatever its lanes do are in [`notes`]. In the synthetic environment all this is different: [`lattice`].

mod access;
mod address;
mod axis;
mod bc6;
mod bc7;
mod blocks;
mod cube;
mod exact;
mod filter;
mod gather;
mod lattice;
mod layout;
mod level;
mod notes;
mod partition;
mod sample;
mod texel;
mod view;

use gcnsim_isa::ImageAccess;
use gcnsim_isa::image::{ImageDescriptor, SamplerDescriptor};
use gcnsim_isa::table::{ImageMove, ImageShape, MipLevel, Texel, Width};
use gcnsim_isa::{Arch, Inst, Mode, Note, WaveState};
use gcnsim_machine::Access;

use crate::memory::format::rounded_half;
use crate::memory::lanes::Pieces;
use crate::memory::{Effect, Machine, Refused};
use view::View;

/// A predecoded image instruction.
#[derive(Clone, Copy)]
pub(crate) struct ImageOp {
    moves: ImageMove,
    access: ImageAccess,
    /// Width of an atomic.
    width: Width,
    /// Components that are named, at least one; four of a gather.
    count: u8,
}

/// The components of a lane's result; [`ImageOp::count`] of them.
type Values = [u32; 4];

impl ImageOp {
    /// `None`: its meaning is undocumented.
    pub fn new(inst: &Inst) -> Option<ImageOp> {
        let ImageShape { moves, .. } = inst.image_shape()?;
        let access = inst.image_access()?;
        let count = match moves {
            ImageMove::GatherRow => return None,
            ImageMove::Gather(_) => 4,
            _ => access.dmask.count_ones().max(1) as u8,
        };
        let width = if inst.image_atomic_dwords() == 2 { Width::B64 } else { Width::B32 };
        Some(ImageOp { moves, access, width, count })
    }

    /// The note that says why it is not executed with its present descriptor.
    pub fn unsupported(&self, arch: Arch, state: &WaveState) -> Option<Note> {
        let is_skipped = state.mode & Mode::VSKIP != 0 || state.exec() == 0;
        let descriptor = self.descriptor(state);
        let is_compressed = descriptor.is_compressed(arch) && self.view_of(arch, descriptor).is_some();
        (is_compressed && !is_skipped).then_some(Note::ImageCompressed)
    }

    /// The kind of access by lanes; `None` where a lane has no address of its own.
    pub fn access(&self) -> Option<Access> {
        match self.moves {
            ImageMove::Load(..) => Some(Access::Load),
            ImageMove::Store(..) => Some(Access::Store),
            ImageMove::Atomic(_) => Some(Access::Atomic),
            ImageMove::Sample(_) | ImageMove::Gather(_) | ImageMove::GatherRow => None,
            ImageMove::Level | ImageMove::Size => None,
        }
    }

    /// What it may do outside the wave, where images lie in memory.
    pub fn effect(&self) -> Effect {
        match self.moves {
            ImageMove::Load(..) => Effect::Reads,
            ImageMove::Store(..) | ImageMove::Atomic(_) => Effect::Writes,
            ImageMove::Sample(_) | ImageMove::Gather(_) | ImageMove::GatherRow => Effect::Other,
            ImageMove::Level | ImageMove::Size => Effect::Nothing,
        }
    }

    /// What it may do outside the wave in a world, where images lie in no memory.
    pub fn effect_in_world(&self) -> Effect {
        if self.effect() == Effect::Nothing { Effect::Nothing } else { Effect::Other }
    }

    /// Where the data of all active lanes lie.
    pub fn located(&self, m: &mut Machine) -> Vec<Pieces> {
        let level = match self.moves {
            ImageMove::Load(level, _) | ImageMove::Store(level, _) => level,
            _ => MipLevel::First,
        };
        let is_in_memory = m.context.world().is_none();
        match (self.access(), self.view(m)) {
            (Some(_), Some(view)) if is_in_memory => {
                m.active().map(|lane| self.pieces(m, &view, level, lane)).collect()
            }
            _ => Vec::new(),
        }
    }

    pub fn execute(&self, m: &mut Machine) -> Result<(), Refused> {
        let registers = self.result_registers(m.arch);
        let has_status = self.access.reports_residency && registers > 0;
        if !m.has_registers(self.access.vdata, registers + has_status as u8) {
            return Ok(());
        }
        if m.context.world().is_some() {
            self.execute_on_lattice(m);
        } else {
            self.execute_in_memory(m, registers)?;
        }
        if has_status {
            m.write_status(self.access.vdata, registers);
        }
        Ok(())
    }

    /// Executes it on an image in guest memory. The wave has the registers of its result.
    fn execute_in_memory(&self, m: &mut Machine, registers: u8) -> Result<(), Refused> {
        match self.view(m) {
            // Stores to blocks and to shared exponents do nothing.
            Some(view) if self.is_formatted_store() && view.texels.plain().is_none() => {
                m.notes.insert(Note::ImageInvalid);
            }
            Some(view) => {
                self.note(m, &view);
                match self.moves {
                    ImageMove::Load(level, Texel::Formatted) => self.load(m, &view, level)?,
                    ImageMove::Load(level, texel) => self.load_raw(m, &view, level, texel == Texel::RawSigned)?,
                    ImageMove::Store(level, texel) => self.store(m, &view, level, texel == Texel::Formatted)?,
                    ImageMove::Atomic(atomic) => self.exchange(m, &view, atomic)?,
                    ImageMove::Sample(lookup) => self.sample(m, &view, lookup)?,
                    ImageMove::Gather(lookup) => self.gather(m, &view, lookup)?,
                    ImageMove::Level => self.level(m, &view),
                    ImageMove::Size => self.size(m, &view),
                    ImageMove::GatherRow => {}
                }
            }
            None => {
                m.notes.insert_if(!self.descriptor(m.state).is_null(), Note::ImageInvalid);
                self.clear_result(m, registers);
            }
        }
        Ok(())
    }

    fn is_formatted_store(&self) -> bool {
        matches!(self.moves, ImageMove::Store(_, Texel::Formatted))
    }

    /// Registers of the result, without the status.
    fn result_registers(&self, arch: Arch) -> u8 {
        match self.moves {
            ImageMove::Store(..) | ImageMove::GatherRow => 0,
            ImageMove::Atomic(_) if self.access.glc => self.width.dwords(),
            ImageMove::Atomic(_) => 0,
            _ if self.access.d16 && arch.packs_d16() => self.count.div_ceil(2),
            _ => self.count,
        }
    }

    /// The result of no image.
    fn clear_result(&self, m: &mut Machine, registers: u8) {
        match self.moves {
            ImageMove::Atomic(_) => {
                let active: Vec<u8> = m.active().collect();
                for register in m.vgprs.iter_mut().skip(self.access.vdata as usize).take(registers as usize) {
                    active.iter().for_each(|lane| register.0[*lane as usize] = 0);
                }
            }
            _ if registers > 0 => {
                let results: Vec<_> = m.active().map(|lane| (lane, [0; 4])).collect();
                self.deliver(m, &results, false);
            }
            _ => {}
        }
    }

    /// The descriptor, that of R128 with four zeros. Registers behind the last one are the first ones.
    fn descriptor(&self, state: &WaveState) -> ImageDescriptor {
        let count = if self.access.r128 { 4 } else { 8 };
        let register = |n: u8| state.sgpr[(self.access.srsrc + n) as usize & 127];
        ImageDescriptor(std::array::from_fn(|n| if n < count { register(n as u8) } else { 0 }))
    }

    fn sampler(&self, state: &WaveState) -> SamplerDescriptor {
        SamplerDescriptor(std::array::from_fn(|n| state.sgpr[(self.access.ssamp + n as u8) as usize & 127]))
    }

    fn view(&self, m: &Machine) -> Option<View> {
        self.view_of(m.arch, self.descriptor(m.state))
    }

    fn view_of(&self, arch: Arch, descriptor: ImageDescriptor) -> Option<View> {
        View::new(arch, descriptor, self.access.r128, self.access.da)
    }

    /// The components that DMASK names; none names X, and the result is 0.
    fn named(&self, components: [u32; 4]) -> Values {
        let mut values = [0; 4];
        let named = (0..4).filter(|i| self.access.dmask >> i & 1 == 1);
        values.iter_mut().zip(named).for_each(|(value, i)| *value = components[i]);
        values
    }

    /// Writes results: with D16 halves, of floats or of integers.
    fn deliver(&self, m: &mut Machine, results: &[(u8, Values)], is_float: bool) {
        let (first, packs) = (self.access.vdata as usize, m.arch.packs_d16());
        for (lane, values) in results {
            for (n, &value) in values.iter().enumerate().take(self.count as usize) {
                let half = |m: &mut Machine| match is_float {
                    true => rounded_half(value, &mut m.notes) as u32,
                    false => value & 0xffff,
                };
                let (register, keeps, value) = match (self.access.d16, packs) {
                    (false, _) => (n, 0, value),
                    (true, false) => (n, 0, half(m)),
                    (true, true) if n % 2 == 0 => (n / 2, 0xffff_0000, half(m)),
                    (true, true) => (n / 2, 0xffff, half(m) << 16),
                };
                if let Some(register) = m.vgprs.get_mut(first + register) {
                    let dword = &mut register.0[*lane as usize & 63];
                    *dword = *dword & keeps | value;
                }
            }
        }
    }
}
