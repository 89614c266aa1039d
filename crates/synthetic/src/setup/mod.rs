//! How the waves of a shader start in a world.
//!
//! | shader | starts |
//! |---|---|
//! | kernel with a descriptor | as in a dispatch (`kernel`), with arguments by metadata and code (`uses`) |
//! | all others | as a driver starts its stage (`shader`, `stages`); a scan tells pointers from numbers (`classify`) |

mod classify;
mod kernel;
mod plan;
mod shader;
mod stages;
mod takes;
mod uses;

pub use takes::Takes;

use gcnsim_engine::Scene;
use gcnsim_isa::{Arch, Note, Notes};
use gcnsim_loader::Stage;
use gcnsim_machine::world::{ADDRESS_BITS, Descriptors, SCRATCH, SCRATCH_END, TypedBuffer, World, WorldPiece};
use gcnsim_machine::{Apertures, Wave};

use crate::Subject;

/// How a shader starts.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The groups to run, in order.
    pub groups: Vec<Group>,
    /// LDS of a group in bytes. It is 0 at the beginning of each group, or an input.
    pub lds_bytes: usize,
    /// Whether LDS has inputs at the beginning of each group, as that of hull shaders: data of the world at [`LDS`].
    pub lds_is_input: bool,
    /// Bytes of memory that override those of the world: kernel arguments, the grid's table, entries of the ring table.
    pub pieces: Vec<WorldPiece>,
    /// Memory with typed data, by address.
    pub buffers: Vec<TypedBuffer>,
    /// Where the descriptors of images and samplers come from.
    pub descriptors: Descriptors,
    /// High dwords of the FLAT addresses that mean LDS and scratch.
    pub apertures: Option<Apertures>,
    /// Lanes of exports that count: those of covered pixels.
    pub coverage: u64,
    /// Notes on what was guessed.
    pub notes: Notes,
    /// Number of SGPRs, from s0 on, that are initialised. The others are undefined; they are 0.
    pub initial_sgprs: usize,
    /// Number of VGPRs, from v0 on, that are initialised. The others are undefined; they are 0.
    pub initial_vgprs: usize,
    /// The dword that scratch is made of at the beginning, and LDS at that of each group, if it is no input. Its value
    /// is undefined; it is 0.
    pub undefined: u32,
    /// Scratch of a wave in bytes; 0 if waves have none. That of wave n begins n times as far behind
    /// [`SCRATCH`]. In kernels with a descriptor n counts the waves of the group,
    /// otherwise the waves of all groups.
    pub wave_scratch: u64,
    /// Whether the file states the size of a group, or the shader has no groups.
    pub is_group_stated: bool,
}

impl Setup {
    /// The facts that observers of the run want. Pointers are made up, so there are no buffers.
    pub fn scene(&self, subject: &Subject) -> Scene {
        let base = subject.program.base();
        Scene {
            moved: base.wrapping_sub(subject.file_address(base)),
            scratch: if self.wave_scratch > 0 { SCRATCH..SCRATCH_END } else { 0..0 },
            wave_scratch: self.wave_scratch,
            groups_share_scratch: subject.kernel.is_some(),
            lds_bytes: self.lds_bytes,
            address_bits: ADDRESS_BITS,
            // In merged stages other waves write LDS, too.
            lds_has_values: subject.stage != Stage::Compute,
            is_group_made_up: !self.is_group_stated,
            lanes_agree: subject.stage == Stage::Hull,
            initial_sgprs: self.initial_sgprs as u32,
            initial_vgprs: self.initial_vgprs as u32,
            ..Scene::of_program(&subject.program)
        }
    }

    /// Puts `fill` into registers, LDS and scratch that are undefined. What a run does differently then depends on
    /// undefined values.
    pub fn fill(&mut self, fill: u32) {
        self.undefined = fill;
        for wave in self.groups.iter_mut().flat_map(|group| &mut group.waves) {
            wave.state.sgpr[..USER_SGPRS].iter_mut().skip(self.initial_sgprs).for_each(|sgpr| *sgpr = fill);
            wave.vgprs.regs_mut().iter_mut().skip(self.initial_vgprs).for_each(|vgpr| vgpr.0.fill(fill));
        }
    }

    /// Sets FP_ROUND (`MODE[3:0]`) of all waves. What changes in a run depends on how floats are rounded.
    pub fn round(&mut self, fp_round: u32) {
        for wave in self.groups.iter_mut().flat_map(|group| &mut group.waves) {
            wave.state.mode = wave.state.mode & !0xf | fp_round & 0xf;
        }
    }
}

/// Address that stands for byte 0 of LDS. If LDS is an input, it has the data of the world at this address. What a
/// local shader leaves in LDS are stores at this address.
pub const LDS: u64 = 1 << 47;

/// Number of SGPRs that have no other name, such as VCC.
const USER_SGPRS: usize = 102;

/// A group of a shader.
#[derive(Clone, Debug)]
pub struct Group {
    /// Its id in the grid.
    pub id: [u32; 3],
    /// Its waves, in their initial state.
    pub waves: Vec<Wave>,
}

/// Error of starting a shader.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SetupError {
    /// The file contradicts itself.
    #[error("{what}")]
    Contradiction {
        /// The contradiction in words.
        what: String,
    },
}

/// Returns how a shader starts in a world.
///
/// # Errors
/// [`SetupError`] if what the file says of the shader cannot be.
pub fn setup(subject: &Subject, world: &World) -> Result<Setup, SetupError> {
    match (subject.object, subject.kernel) {
        (Some(object), Some(kernel)) => kernel::setup(subject, object, kernel, world),
        _ => shader::setup(subject, world),
    }
}

/// Returns the size of a group in work-items, if the shader is a compute shader for which nobody states one.
pub(crate) fn assumed_group(subject: &Subject) -> Option<[u32; 3]> {
    match (subject.object, subject.kernel) {
        // Kernels have groups of their own in each world.
        (Some(_), Some(_)) => None,
        _ if subject.stage != Stage::Compute || subject.shader.group.is_some_and(|group| stages::is_group(&group)) => {
            None
        }
        _ => Some(stages::default_group(&subject.shader)),
    }
}

/// Returns the notes on what is guessed of every subject.
fn notes_of(subject: &Subject) -> Notes {
    let mut notes = Notes::NONE;
    notes.insert_if(subject.is_stage_guessed, Note::StageGuessed);
    // What a compute shader has behind it is the end of a function's caller.
    notes.insert_if(subject.stage == Stage::Compute && subject.fetch.is_some(), Note::SyntheticFunction);
    notes
}

/// Returns the most LDS of a group in bytes.
fn most_lds(arch: Arch) -> u32 {
    gcnsim_device::most_lds(arch)
}
