//! What a file says of its shader: the stage of the pipeline, the registers that a driver sets for it, and its
//! resources.
//!
//! | comes from | |
//! |---|---|
//! | kernel descriptors of amdhsa objects | compute kernels |
//! | metadata of PAL (`amdpal.pipelines`) | all stages of a pipeline (`pal`) |
//! | section `.AMDGPU.config` of Mesa's objects | one group of registers for each function (`config`) |
//! | a sidecar beside the file | wins over the file ([`Shader::or`]) |
//!
//! If none of them tells the stage, it is guessed from the code ([`guess`]).

pub(crate) mod config;
pub(crate) mod pal;
pub(crate) mod registers;
mod stage;

use std::sync::Arc;

use gcnsim_isa::{Arch, Program};

use crate::Entry;
use crate::descriptor::Descriptor;
use crate::reached::reached;
pub use stage::{Stage, StageError};

/// What is known of a shader. A field is `None` if nothing states it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Shader {
    /// The stage of the pipeline.
    pub stage: Option<Stage>,
    /// SPI_SHADER_PGM_RSRC1 of the stage; COMPUTE_PGM_RSRC1 of compute shaders.
    pub rsrc1: Option<u32>,
    /// SPI_SHADER_PGM_RSRC2 of the stage; COMPUTE_PGM_RSRC2 of compute shaders.
    pub rsrc2: Option<u32>,
    /// SPI_PS_INPUT_ENA: the inputs that a pixel shader gets.
    pub ps_input_ena: Option<u32>,
    /// SPI_PS_INPUT_ADDR: the inputs that a pixel shader has VGPRs for.
    pub ps_input_addr: Option<u32>,
    /// Number of SGPRs with user data.
    pub user_sgprs: Option<u32>,
    /// LDS of a group in bytes.
    pub lds_bytes: Option<u32>,
    /// Scratch of a work-item in bytes.
    pub scratch_bytes_per_lane: Option<u32>,
    /// Number of work-items of a group in each dimension.
    pub group: Option<[u32; 3]>,
    /// The values of the registers USER_DATA, which tell in objects of PAL what each user SGPR holds; empty elsewhere.
    pub user_data: Arc<[u32]>,
}

impl Shader {
    /// Returns what a kernel descriptor says.
    pub(crate) fn of_descriptor(descriptor: &Descriptor) -> Shader {
        Shader {
            stage: Some(Stage::Compute),
            rsrc1: Some(descriptor.rsrc1),
            rsrc2: Some(descriptor.rsrc2),
            lds_bytes: Some(descriptor.group_size),
            scratch_bytes_per_lane: Some(descriptor.private_size),
            ..Shader::default()
        }
    }

    /// Returns the stage of a function with the name `symbol`, by the convention of PAL.
    pub(crate) fn of_symbol(symbol: &str) -> Shader {
        Shader { stage: registers::Hardware::of_symbol(symbol).map(|hardware| hardware.stage), ..Shader::default() }
    }

    /// Returns what `self` says, and what `other` says of everything else.
    pub fn or(self, other: &Shader) -> Shader {
        Shader {
            stage: self.stage.or(other.stage),
            rsrc1: self.rsrc1.or(other.rsrc1),
            rsrc2: self.rsrc2.or(other.rsrc2),
            ps_input_ena: self.ps_input_ena.or(other.ps_input_ena),
            ps_input_addr: self.ps_input_addr.or(other.ps_input_addr),
            user_sgprs: self.user_sgprs.or(other.user_sgprs),
            lds_bytes: self.lds_bytes.or(other.lds_bytes),
            scratch_bytes_per_lane: self.scratch_bytes_per_lane.or(other.scratch_bytes_per_lane),
            group: self.group.or(other.group),
            user_data: if self.user_data.is_empty() { other.user_data.clone() } else { self.user_data },
        }
    }

    /// Number of SGPRs with user data: the field, or else the one in RSRC2. `None` if neither is known.
    pub fn user_sgpr_count(&self, arch: Arch) -> Option<u32> {
        let of_rsrc2 = |rsrc2: u32| {
            // From GCN 1.4 on, graphics stages have a sixth bit of the number.
            let high = if arch.is_gcn14_or_later() && self.stage != Some(Stage::Compute) { rsrc2 >> 28 & 1 } else { 0 };
            (rsrc2 >> 1 & 0x1f) | high << 5
        };
        self.user_sgprs.or(self.rsrc2.map(of_rsrc2))
    }
}

impl Entry {
    /// Returns the stage of the entry, and whether it was guessed from the code. `arch` is the generation of the code.
    pub fn stage(&self, arch: Arch) -> (Stage, bool) {
        match self.shader.stage {
            Some(stage) => (stage, false),
            None => (guess(&self.own_code(arch)), true),
        }
    }
}

/// Guesses the stage from the code that the program reaches: a shader that exports positions is a vertex shader; one
/// that exports colours or depth, or interpolates, is a pixel shader; any other is a compute shader.
pub fn guess(program: &Program) -> Stage {
    let mut is_pixel = false;
    for inst in reached(program).sites.iter().map(|site| &site.inst) {
        if let Some(export) = inst.export_access() {
            match export.target {
                12..=15 => return Stage::Vertex,
                0..=9 => is_pixel = true,
                _ => {}
            }
        }
        is_pixel |= inst.attribute_access().is_some();
    }
    if is_pixel { Stage::Pixel } else { Stage::Compute }
}

#[cfg(test)]
mod tests {
    use super::*;

    const END: u32 = 0xbf81_0000;

    /// Encodings of `exp pos0`, `exp param0`, `exp mrt0`, `v_interp_p1_f32` and a colour export behind the end.
    #[test]
    fn stages_are_guessed_from_exports() {
        let guessed = |words: &[u32]| guess(&Program::from_words(Arch::Gcn14, words));
        let (pos0, param0, mrt0) = ([0xc400_00cf, 0], [0xc400_020f, 0], [0xc400_180f, 0]);
        assert_eq!(guessed(&[param0[0], 0, pos0[0], 0, END]), Stage::Vertex);
        assert_eq!(guessed(&[mrt0[0], 0, END]), Stage::Pixel);
        assert_eq!(guessed(&[0xd410_0000, END]), Stage::Pixel, "interpolation");
        assert_eq!(guessed(&[END, pos0[0], 0]), Stage::Compute, "constants behind the end");
        // s_cbranch_scc0 over the end
        assert_eq!(guessed(&[0xbf84_0001, END, pos0[0], 0, END]), Stage::Vertex);
    }

    #[test]
    fn a_raw_file_says_nothing() {
        let loaded = crate::parse(crate::FileBytes::from(END.to_le_bytes().to_vec())).unwrap();
        assert_eq!(loaded.entries[0].shader, Shader::default());
        assert_eq!(loaded.entries[0].stage(Arch::Gcn12), (Stage::Compute, true));
    }

    #[test]
    fn what_comes_first_wins() {
        let file = Shader { stage: Some(Stage::Vertex), rsrc2: Some(0x1000_0008), ..Shader::default() };
        let both = Shader { stage: Some(Stage::Pixel), rsrc1: Some(1), ..Shader::default() }.or(&file);
        assert_eq!((both.stage, both.rsrc1, both.rsrc2), (Some(Stage::Pixel), Some(1), Some(0x1000_0008)));
        assert_eq!((both.user_sgpr_count(Arch::Gcn14), both.user_sgpr_count(Arch::Gcn12)), (Some(36), Some(4)));
        let given = Shader { user_sgprs: Some(3), ..Shader::default() }.or(&both);
        assert_eq!(given.user_sgpr_count(Arch::Gcn14), Some(3));
    }
}
