//! How the waves of a shader start in a world.

use gcnsim_isa::{Notes, WaveState};
use gcnsim_loader::Stage;
use gcnsim_machine::world::{World, WorldPiece};
use gcnsim_machine::{Apertures, VgprFile, Wave};

use crate::Subject;

/// How a shader starts.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The groups to run, in order.
    pub groups: Vec<Group>,
    /// LDS of a group in bytes. It is 0 at the beginning of each group.
    pub lds_bytes: usize,
    /// Bytes of memory that win over those of the world: kernel arguments, the grid's table, entries of the ring table.
    pub pieces: Vec<WorldPiece>,
    /// Addresses of FLAT instructions that mean LDS and scratch.
    pub apertures: Option<Apertures>,
    /// The lanes of exports that count: pixels that are covered.
    pub coverage: u64,
    /// Notes on what was guessed.
    pub notes: Notes,
}

/// A group of a shader.
#[derive(Clone, Debug)]
pub struct Group {
    /// Its place in the grid.
    pub id: [u32; 3],
    /// Its waves, in their initial state.
    pub waves: Vec<Wave>,
}

/// Why a shader cannot be started.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SetupError {
    /// The file contradicts itself.
    #[error("{what}")]
    Contradiction {
        /// What is wrong.
        what: String,
    },
}

/// Returns how a shader starts in a world.
///
/// # Errors
/// [`SetupError`] if what the file says of the shader cannot be.
pub fn setup(subject: &Subject, _world: &World) -> Result<Setup, SetupError> {
    let program = &subject.program;
    let mut wave = Wave::from_state(WaveState::initial(program.arch(), program.entry()));
    wave.vgprs = VgprFile::with_count(VgprFile::COUNT);
    wave.state.mode = 0x1c0;
    for lane in 0..64 {
        match subject.stage {
            Stage::Pixel => {
                let (quad, x, y) = (lane as u32 / 4, lane as u32 & 1, lane as u32 >> 1 & 1);
                let at = |n: u32| ((1 + 2 * n) as f32 / 32.0).to_bits();
                wave.vgprs.lanes_mut(0)[lane] = at(2 * (quad % 4) + x);
                wave.vgprs.lanes_mut(1)[lane] = at(2 * (quad / 4) + y);
            }
            _ => wave.vgprs.lanes_mut(0)[lane] = lane as u32,
        }
    }
    Ok(Setup {
        groups: vec![Group { id: [0; 3], waves: vec![wave] }],
        lds_bytes: 32 << 10,
        pieces: Vec::new(),
        apertures: None,
        coverage: u64::MAX,
        notes: Notes::NONE,
    })
}
