//! The section `.AMDGPU.config` of Mesa's objects: pairs of a register's byte address and its value, 8 bytes each. Each
//! function of the object has a group of pairs, in the order of the functions. A group begins with an RSRC1.
//!
//! Source: Mesa, `ac_binary.c`; LLVM, `AMDGPUAsmPrinter.cpp`.

use gcnsim_isa::Arch;

use super::Shader;
use super::registers::{Hardware, Registers};

/// Name of the section.
pub(crate) const SECTION: &str = ".AMDGPU.config";

/// Bits of FLOAT_MODE in RSRC1: denormals of f32, and of f16 and f64.
const FP_32_DENORMS: u32 = 3 << 16;
const FP_16_64_DENORMS: u32 = 3 << 18;

/// Reads the section. Returns a shader for each group. With `is_mesa` denormals are set as Mesa does it, whatever
/// RSRC1 says: off for f32, on for f16 and f64.
///
/// # Errors
/// The byte offset of the error in the section, and what is wrong there.
pub(crate) fn shaders(section: &[u8], arch: Arch, is_mesa: bool) -> Result<Vec<Shader>, (u64, String)> {
    let mut groups: Vec<(Hardware, Registers)> = Vec::new();
    for (i, pair) in section.chunks(8).enumerate() {
        let at = 8 * i as u64;
        let [register, value] = match pair {
            [a, b, c, d, e, f, g, h] => [[*a, *b, *c, *d], [*e, *f, *g, *h]].map(u32::from_le_bytes),
            _ => return Err((at, format!("{} bytes are left over from pairs of 8 bytes", pair.len()))),
        };
        if !register.is_multiple_of(4) {
            return Err((at, format!("a register has the address {register:#x}, which is no multiple of 4")));
        }
        let address = register / 4;
        if let Some(hardware) = Hardware::of_rsrc1(address) {
            groups.push((hardware, Registers::new()));
        }
        let Some((_, registers)) = groups.last_mut() else {
            return Err((at, format!("register {register:#x} comes before the RSRC1 of any stage")));
        };
        // The first value counts: what follows a group's registers may be counts of spills, at addresses 4 and 8.
        registers.entry(address).or_insert(value);
    }
    let of_mesa = |rsrc1: u32| rsrc1 & !FP_32_DENORMS | FP_16_64_DENORMS;
    let shader = |(hardware, registers): (Hardware, Registers)| {
        let shader = hardware.shader(&registers, arch);
        let rsrc1 = shader.rsrc1.map(|rsrc1| if is_mesa { of_mesa(rsrc1) } else { rsrc1 });
        Shader { rsrc1, ..shader }
    };
    Ok(groups.into_iter().map(shader).collect())
}

#[cfg(test)]
mod tests {
    use super::super::Stage;
    use super::*;

    fn section(pairs: &[(u32, u32)]) -> Vec<u8> {
        pairs.iter().flat_map(|&(register, value)| [register, value]).flat_map(u32::to_le_bytes).collect()
    }

    /// What llc-15 writes for a pixel, a vertex and a compute shader of `amdgcn-mesa-mesa3d`.
    #[test]
    fn groups_have_different_lengths() {
        let bytes = section(&[
            (0xb028, 0x002f_0040),
            (0x286e8, 0),
            (0xb02c, 4),
            (0x286cc, 3),
            (0x286d0, 3),
            (4, 0),
            (8, 0),
            (0xb128, 0),
            (0x286e8, 0),
            (4, 0),
            (8, 0),
            (0xb848, 0x002f_0040),
            (0xb84c, 5),
            (0xb860, 0x5000),
            (4, 0),
            (8, 0),
        ]);
        let found = shaders(&bytes, Arch::Gcn10, false).unwrap();
        let stages: Vec<_> = found.iter().map(|shader| shader.stage.unwrap()).collect();
        assert_eq!(stages, [Stage::Pixel, Stage::Vertex, Stage::Compute]);
        assert_eq!((found[0].ps_input_addr, found[0].user_sgpr_count(Arch::Gcn10)), (Some(3), Some(2)));
        assert_eq!((found[1].rsrc2, found[1].scratch_bytes_per_lane), (None, Some(0)));
        assert_eq!((found[2].rsrc2, found[2].scratch_bytes_per_lane), (Some(5), Some(80)));
        let rsrc1 = |is_mesa| shaders(&bytes, Arch::Gcn10, is_mesa).unwrap()[0].rsrc1;
        assert_eq!((rsrc1(false), rsrc1(true)), (Some(0x002f_0040), Some(0x002c_0040)));
    }

    #[test]
    fn broken_sections_are_refused_with_the_place() {
        let error = |bytes: &[u8]| shaders(bytes, Arch::Gcn12, true).unwrap_err();
        let whole = section(&[(0xb028, 1)]);
        assert_eq!(error(&[&whole[..], &[1, 2, 3]].concat()).0, 8);
        assert!(error(&[0; 7]).1.contains("7 bytes are left over"));
        assert_eq!(error(&section(&[(0xb02c, 1)])), (0, "register 0xb02c comes before the RSRC1 of any stage".into()));
        assert_eq!(error(&section(&[(0xb028, 1), (0xb02d, 1)])).0, 8);
        assert_eq!(shaders(&[], Arch::Gcn12, true), Ok(Vec::new()));
        // A register that nobody knows changes nothing.
        let [odd] = &shaders(&section(&[(0xb028, 1), (0xffff_fffc, 2)]), Arch::Gcn12, false).unwrap()[..] else {
            panic!()
        };
        assert_eq!((odd.stage, odd.rsrc1, odd.rsrc2), (Some(Stage::Pixel), Some(1), None));
    }
}
