//! The facts before the first instruction: of a launch, or of a shader in a world.

use std::ops::Range;

use gcnsim_device::run::WaveAt;
use gcnsim_isa::Program;
use gcnsim_loader::Stage;
use gcnsim_machine::world::{SCRATCH, SCRATCH_END};
use gcnsim_synthetic::{Setup, Subject};

/// The facts before the first instruction.
pub struct Surroundings {
    /// The program.
    pub program: Program,
    /// Number that is subtracted from an address of the program to get that of the file.
    pub moved: u64,
    /// Names, addresses and sizes of buffers, by address.
    pub buffers: Vec<(String, u64, u64)>,
    /// Addresses of the scratch of all waves.
    pub scratch: Range<u64>,
    /// Scratch of a wave, in bytes; 0 if waves have none.
    pub wave_scratch: u64,
    /// Whether the first wave of each group has the first scratch.
    pub groups_share_scratch: bool,
    /// The bits of an address that count.
    pub address_bits: u64,
    /// LDS of a group in bytes.
    pub lds_bytes: usize,
    /// Whether LDS has values at the beginning of a group.
    pub lds_has_values: bool,
    /// Whether accesses to LDS are checked. If the size of groups is made up, they mean nothing.
    pub looks_at_lds: bool,
    /// Whether lanes may write the same byte of LDS in one instruction, as the work-items of a patch do with its
    /// outputs.
    pub lanes_agree: bool,
    /// Number of SGPRs, from s0 on, that have a value at the start of a wave.
    pub initial_sgprs: u32,
    /// Number of VGPRs, from v0 on, that have a value at the start of a wave.
    pub initial_vgprs: u32,
}

impl Surroundings {
    /// Returns the facts of a launch.
    pub fn of_launch(at: &WaveAt<'_>) -> Surroundings {
        let placed = at.placed;
        let buffers = placed.places().list.iter();
        let mut buffers: Vec<_> = buffers.map(|place| (place.name.clone(), place.base, place.size)).collect();
        buffers.sort_by_key(|(_, base, _)| *base);
        let (scratch, base) = (placed.addresses.scratch, placed.program.base());
        Surroundings {
            program: placed.program.clone(),
            moved: base.wrapping_sub(placed.address_of_file(base)),
            buffers,
            scratch: scratch..scratch + placed.group_scratch(),
            wave_scratch: at.setup.wave_scratch(),
            groups_share_scratch: true,
            lds_bytes: placed.lds_allocated as usize,
            address_bits: u64::MAX,
            lds_has_values: false,
            looks_at_lds: true,
            lanes_agree: false,
            initial_sgprs: at.setup.initial_sgprs(),
            initial_vgprs: at.setup.initial_vgprs(),
        }
    }

    /// Returns the facts of a shader that is set up for a world. Its pointers are made up, so it has no buffers.
    pub fn of_world(subject: &Subject, setup: &Setup) -> Surroundings {
        let base = subject.program.base();
        Surroundings {
            program: subject.program.clone(),
            moved: base.wrapping_sub(subject.file_address(base)),
            buffers: Vec::new(),
            scratch: if setup.wave_scratch > 0 { SCRATCH..SCRATCH_END } else { 0..0 },
            wave_scratch: setup.wave_scratch,
            groups_share_scratch: subject.kernel.is_some(),
            lds_bytes: setup.lds_bytes,
            address_bits: gcnsim_machine::world::ADDRESS_BITS,
            // In merged stages other waves write LDS, too.
            lds_has_values: subject.stage != Stage::Compute,
            looks_at_lds: setup.is_group_stated,
            lanes_agree: subject.stage == Stage::Hull,
            initial_sgprs: setup.initial_sgprs as u32,
            initial_vgprs: setup.initial_vgprs as u32,
        }
    }
}
