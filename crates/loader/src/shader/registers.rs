//! The registers that drivers set for a shader, by their dword address.
//!
//! Source: Mesa, registers of gfx6 to gfx9; PAL, pipeline ABI.

use std::collections::BTreeMap;
use std::sync::Arc;

use gcnsim_isa::Arch;

use super::{Shader, Stage};

/// Values of registers by dword address: the byte address divided by 4.
pub(crate) type Registers = BTreeMap<u32, u32>;

pub(crate) const SPI_PS_INPUT_ENA: u32 = 0xa1b3;
pub(crate) const SPI_PS_INPUT_ADDR: u32 = 0xa1b4;
/// Scratch of the waves of graphics stages: [24:12] KiB of a wave.
const SPI_TMPRING_SIZE: u32 = 0xa1ba;
pub(crate) const COMPUTE_NUM_THREAD_X: u32 = 0x2e07;
const COMPUTE_TMPRING_SIZE: u32 = 0x2e18;

/// A stage of the hardware.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Hardware {
    /// Its name in metadata, without the dot.
    pub name: &'static str,
    /// The shader that it usually runs.
    pub stage: Stage,
    /// Address of its RSRC1. RSRC2 follows.
    pub rsrc1: u32,
    /// Address of its first register with user data.
    user_data: u32,
}

const fn hardware(name: &'static str, stage: Stage, rsrc1: u32, user_data: u32) -> Hardware {
    Hardware { name, stage, rsrc1, user_data }
}

/// All stages of the hardware.
pub(super) const HARDWARE: [Hardware; 7] = [
    hardware("ls", Stage::Local, 0x2d4a, 0x2d4c),
    hardware("hs", Stage::Hull, 0x2d0a, 0x2d0c),
    hardware("es", Stage::Export, 0x2cca, 0x2ccc),
    hardware("gs", Stage::Geometry, 0x2c8a, 0x2c8c),
    hardware("vs", Stage::Vertex, 0x2c4a, 0x2c4c),
    hardware("ps", Stage::Pixel, 0x2c0a, 0x2c0c),
    hardware("cs", Stage::Compute, 0x2e12, 0x2e40),
];

impl Hardware {
    /// Returns the stage whose RSRC1 is the register `address`.
    pub fn of_rsrc1(address: u32) -> Option<Hardware> {
        HARDWARE.into_iter().find(|hardware| hardware.rsrc1 == address)
    }

    /// Returns the stage with this name in metadata.
    pub fn of_name(name: &str) -> Option<Hardware> {
        HARDWARE.into_iter().find(|hardware| hardware.name == name)
    }

    /// Returns the stage that a function with the name `symbol` runs on, by the convention of PAL: `_amdgpu_ps_main`.
    pub fn of_symbol(symbol: &str) -> Option<Hardware> {
        Hardware::of_name(symbol.strip_prefix("_amdgpu_")?.strip_suffix("_main")?)
    }

    /// Returns what the registers say of the shader on this stage.
    pub fn shader(self, registers: &Registers, arch: Arch) -> Shader {
        let get = |address: u32| registers.get(&address).copied();
        let (is_pixel, is_compute) = (self.stage == Stage::Pixel, self.stage == Stage::Compute);
        let rsrc2 = get(self.rsrc1 + 1);
        let ena = get(SPI_PS_INPUT_ENA).filter(|_| is_pixel);
        let threads = [0, 1, 2].map(|i| get(COMPUTE_NUM_THREAD_X + i).map(|threads| threads & 0xffff));
        let group = match threads {
            [Some(x @ 1..), y, z] if is_compute => Some([x, y.unwrap_or(1).max(1), z.unwrap_or(1).max(1)]),
            _ => None,
        };
        let granule = if arch == Arch::Gcn10 { 256 } else { 512 };
        let ring = if is_compute { COMPUTE_TMPRING_SIZE } else { SPI_TMPRING_SIZE };
        Shader {
            stage: Some(self.stage),
            rsrc1: get(self.rsrc1),
            rsrc2,
            ps_input_ena: ena,
            // 0 stands for the inputs that are enabled.
            ps_input_addr: get(SPI_PS_INPUT_ADDR).filter(|&addr| is_pixel && addr != 0).or(ena),
            user_sgprs: None,
            lds_bytes: rsrc2.filter(|_| is_compute).map(|rsrc2| (rsrc2 >> 15 & 0x1ff) * granule),
            scratch_bytes_per_lane: get(ring).map(|size| (size >> 12 & 0x1fff) * 1024 / 64),
            group,
            user_data: self.user_data(registers, arch),
        }
    }

    /// The values of its registers USER_DATA, up to the last one that is given.
    fn user_data(self, registers: &Registers, arch: Arch) -> Arc<[u32]> {
        // From GCN 1.4 on, GS has its user data in the registers of ES.
        let is_merged = self.stage == Stage::Geometry && arch.is_gcn14_or_later();
        let first = if is_merged { 0x2ccc } else { self.user_data };
        let most = if arch.is_gcn14_or_later() && self.stage != Stage::Compute { 32 } else { 16 };
        let given = registers.range(first..first + most).next_back().map_or(0, |(last, _)| last - first + 1);
        (first..first + given).map(|address| registers.get(&address).copied().unwrap_or(u32::MAX)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fields are placed by hand after the register tables of Mesa.
    #[test]
    fn fields_of_a_compute_shader() {
        let registers = Registers::from([
            (0x2e12, 0x002c_0041),
            (0x2e13, 3 << 15 | 5 << 1 | 1),
            (0x2e07, 8),
            (0x2e08, 4),
            (0x2e18, 2 << 12),
            (0x2e40, 0x1000_0000),
            (0x2e42, 7),
        ]);
        let shader = Hardware::of_rsrc1(0x2e12).unwrap().shader(&registers, Arch::Gcn12);
        assert_eq!((shader.stage, shader.rsrc1), (Some(Stage::Compute), Some(0x002c_0041)));
        assert_eq!((shader.lds_bytes, shader.scratch_bytes_per_lane), (Some(1536), Some(32)));
        assert_eq!((shader.group, shader.user_sgpr_count(Arch::Gcn12)), (Some([8, 4, 1]), Some(5)));
        assert_eq!(*shader.user_data, [0x1000_0000, u32::MAX, 7]);
        let shader = Hardware::of_rsrc1(0x2e12).unwrap().shader(&registers, Arch::Gcn10);
        assert_eq!(shader.lds_bytes, Some(768));
    }

    #[test]
    fn inputs_of_a_pixel_shader() {
        let ps = Hardware::of_symbol("_amdgpu_ps_main").unwrap();
        let inputs = |ena, addr| {
            let shader = ps.shader(&Registers::from([(0x2c0a, 1), (0xa1b3, ena), (0xa1b4, addr)]), Arch::Gcn14);
            (shader.ps_input_ena, shader.ps_input_addr)
        };
        assert_eq!(inputs(2, 0x302), (Some(2), Some(0x302)));
        assert_eq!(inputs(2, 0), (Some(2), Some(2)), "0 stands for the enabled ones");
        assert_eq!(Hardware::of_symbol("_amdgpu_xs_main"), None);
    }
}
