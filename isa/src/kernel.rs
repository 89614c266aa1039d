//! Kernel descriptors: the meaning of the 64 bytes of `NAME.kd` (code objects v3 to v6) and of the 256 bytes of
//! `amd_kernel_code_t` (v2).
//!
//! Source: LLVM, "User Guide for AMDGPU Backend", kernel descriptor; docs/gcn/code-objects.md.

use crate::arch::Arch;

/// The requirements of a kernel on its launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KernelDescriptor {
    /// Static LDS, in bytes.
    pub group_segment_size: u32,
    /// Scratch of a work-item, in bytes.
    pub private_segment_size: u32,
    /// Kernel arguments, in bytes. In some old v3 objects this is 0, and the metadata states the size.
    pub kernarg_size: u64,
    /// Distance from the descriptor to the first instruction, in bytes.
    pub entry_offset: i64,
    /// COMPUTE_PGM_RSRC1.
    pub rsrc1: Rsrc1,
    /// COMPUTE_PGM_RSRC2.
    pub rsrc2: Rsrc2,
    /// The user SGPRs of the kernel.
    pub properties: CodeProperties,
}

/// COMPUTE_PGM_RSRC1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rsrc1(pub u32);

/// COMPUTE_PGM_RSRC2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rsrc2(pub u32);

/// Code properties. They come from different places in each version, in the layout of the v3 descriptor (bits 0 to 6).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodeProperties {
    /// User SGPRs of the kernel, in bits 0 to 6. In v2 bits 7 to 9 stand for numbers of work-groups.
    pub user_sgprs: u32,
    /// Whether the stack grows at run time, so that scratch of a fixed size is not enough.
    pub dynamic_stack: bool,
    /// Size of the elements in which scratch is interleaved over lanes, in bytes.
    pub private_element_size: u32,
}

#[allow(missing_docs)]
impl CodeProperties {
    pub const PRIVATE_SEGMENT_BUFFER: u32 = 1 << 0;
    pub const DISPATCH_PTR: u32 = 1 << 1;
    pub const QUEUE_PTR: u32 = 1 << 2;
    pub const KERNARG_PTR: u32 = 1 << 3;
    pub const DISPATCH_ID: u32 = 1 << 4;
    pub const FLAT_SCRATCH_INIT: u32 = 1 << 5;
    pub const PRIVATE_SEGMENT_SIZE: u32 = 1 << 6;
    pub const GRID_GROUP_COUNT_X: u32 = 1 << 7;

    /// Whether the kernel has these user SGPRs.
    pub const fn has(self, bit: u32) -> bool {
        self.user_sgprs & bit != 0
    }
}

impl Rsrc1 {
    /// Number of vector registers of a wave.
    pub const fn vgprs(self) -> u32 {
        4 * ((self.0 & 0x3f) + 1)
    }

    /// Number of scalar registers of a wave, as hardware allocates them.
    pub const fn sgprs(self, arch: Arch) -> u32 {
        let sgprs = 8 * ((self.0 >> 6 & 0xf) + 1);
        if arch.is_gcn14_or_later() { sgprs.next_multiple_of(16) } else { sgprs }
    }

    /// MODE at the start of a wave: rounding, denormals, DX10_CLAMP and IEEE; from GCN 1.4 on also FP16_OVFL.
    pub const fn mode(self, arch: Arch) -> u32 {
        let float_mode = self.0 >> 12 & 0xff;
        let dx10_clamp = self.0 >> 21 & 1;
        let ieee = self.0 >> 23 & 1;
        let fp16_ovfl = if arch.is_gcn14_or_later() { self.0 >> 26 & 1 } else { 0 };
        float_mode | dx10_clamp << 8 | ieee << 9 | fp16_ovfl << 23
    }
}

impl Rsrc2 {
    /// Whether scratch is used. Then there is an SGPR for the wave's scratch offset.
    pub const fn scratch(self) -> bool {
        self.0 & 1 == 1
    }

    /// Number of user SGPRs. System SGPRs follow them.
    pub const fn user_sgprs(self) -> u32 {
        self.0 >> 1 & 0x1f
    }

    /// Whether there is an SGPR for the number of the group in dimension 0, 1 or 2.
    pub const fn group_id(self, dimension: u32) -> bool {
        self.0 >> (7 + dimension) & 1 == 1
    }

    /// Whether there is an SGPR with information on the group's waves.
    pub const fn group_info(self) -> bool {
        self.0 >> 10 & 1 == 1
    }

    /// Number of VGPRs that hold local ids of work-items, 1 to 3.
    pub const fn local_ids(self) -> u32 {
        let field = self.0 >> 11 & 3;
        if field >= 2 { 3 } else { field + 1 }
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |&bytes| u32::from_le_bytes(bytes))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u32_at(bytes, at) as u64 | (u32_at(bytes, at + 4) as u64) << 32
}

impl KernelDescriptor {
    /// Size of a descriptor of v3 and later, in bytes.
    pub const SIZE: usize = 64;
    /// Size of an `amd_kernel_code_t`, in bytes.
    pub const SIZE_V2: usize = 256;

    /// The descriptor of a code object v3 or later.
    pub fn of_v3(bytes: &[u8; KernelDescriptor::SIZE]) -> KernelDescriptor {
        let properties = u32_at(bytes, 56) & 0xffff;
        KernelDescriptor {
            group_segment_size: u32_at(bytes, 0),
            private_segment_size: u32_at(bytes, 4),
            kernarg_size: u32_at(bytes, 8) as u64,
            entry_offset: u64_at(bytes, 16) as i64,
            rsrc1: Rsrc1(u32_at(bytes, 48)),
            rsrc2: Rsrc2(u32_at(bytes, 52)),
            properties: CodeProperties {
                user_sgprs: properties & 0x7f,
                dynamic_stack: properties >> 11 & 1 == 1,
                private_element_size: 4,
            },
        }
    }

    /// The `amd_kernel_code_t` of a code object v2.
    pub fn of_v2(bytes: &[u8; KernelDescriptor::SIZE_V2]) -> KernelDescriptor {
        let properties = u32_at(bytes, 56);
        KernelDescriptor {
            group_segment_size: u32_at(bytes, 64),
            private_segment_size: u32_at(bytes, 60),
            kernarg_size: u64_at(bytes, 72),
            entry_offset: u64_at(bytes, 16) as i64,
            rsrc1: Rsrc1(u32_at(bytes, 48)),
            rsrc2: Rsrc2(u32_at(bytes, 52)),
            properties: CodeProperties {
                user_sgprs: properties & 0x3ff,
                dynamic_stack: properties >> 20 & 1 == 1,
                private_element_size: 2 << (properties >> 17 & 3),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of docs/gcn/dispatch-example.md.
    #[test]
    fn saxpy() {
        let mut bytes = [0; 64];
        bytes[8] = 80;
        bytes[16] = 192;
        bytes[48..52].copy_from_slice(&0x00ac_0040u32.to_le_bytes());
        bytes[52..56].copy_from_slice(&0x90u32.to_le_bytes());
        bytes[56] = 0xb;
        let kernel = KernelDescriptor::of_v3(&bytes);
        assert_eq!((kernel.kernarg_size, kernel.entry_offset), (80, 192));
        assert_eq!(
            (kernel.rsrc1.vgprs(), kernel.rsrc1.sgprs(Arch::Gcn12), kernel.rsrc1.sgprs(Arch::Gcn14)),
            (4, 16, 16)
        );
        assert_eq!(kernel.rsrc1.mode(Arch::Gcn12), 0x3c0);
        assert_eq!(Rsrc1(0x00af_0040).mode(Arch::Gcn14), 0x3f0);
        let rsrc2 = kernel.rsrc2;
        assert_eq!((rsrc2.user_sgprs(), rsrc2.scratch(), rsrc2.group_info(), rsrc2.local_ids()), (8, false, false, 1));
        assert_eq!([0, 1, 2].map(|d| rsrc2.group_id(d)), [true, false, false]);
        let has = |bit| kernel.properties.has(bit);
        assert!(has(CodeProperties::PRIVATE_SEGMENT_BUFFER) && has(CodeProperties::DISPATCH_PTR));
        assert!(has(CodeProperties::KERNARG_PTR) && !has(CodeProperties::QUEUE_PTR));
        assert_eq!(Rsrc2(0x95).user_sgprs(), 10);
        assert!(Rsrc2(0x95).scratch());
    }

    #[test]
    fn version_2() {
        let mut bytes = [0; 256];
        bytes[17] = 1;
        bytes[56..60].copy_from_slice(&0x000a_000bu32.to_le_bytes());
        (bytes[60], bytes[64], bytes[72]) = (12, 34, 56);
        let kernel = KernelDescriptor::of_v2(&bytes);
        assert_eq!((kernel.private_segment_size, kernel.group_segment_size, kernel.kernarg_size), (12, 34, 56));
        assert_eq!((kernel.entry_offset, kernel.properties.user_sgprs), (256, 0xb));
        assert_eq!((kernel.properties.private_element_size, kernel.properties.dynamic_stack), (4, false));
    }

    /// The tables of docs/gcn/code-objects.md, with another value in each field.
    #[test]
    fn every_field() {
        let put = |bytes: &mut [u8], at: usize, value: u32| bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        let mut v3 = [0; 64];
        for (at, value) in [(0, 0x1_0001), (4, 0x2_0002), (8, 0x3_0003), (16, 0xffff_ffc0), (20, !0), (56, 0x8ff)] {
            put(&mut v3, at, value);
        }
        let kernel = KernelDescriptor::of_v3(&v3);
        assert_eq!((kernel.group_segment_size, kernel.private_segment_size), (0x1_0001, 0x2_0002));
        assert_eq!((kernel.kernarg_size, kernel.entry_offset), (0x3_0003, -64));
        // Group counts and element sizes are of v2.
        let properties = CodeProperties { user_sgprs: 0x7f, dynamic_stack: true, private_element_size: 4 };
        assert_eq!(kernel.properties, properties);
        let mut v2 = [0; 256];
        for (at, value) in [(64, 0x1_0001), (60, 0x2_0002), (72, 3), (76, 4), (56, 0x14_03ff)] {
            put(&mut v2, at, value);
        }
        let kernel = KernelDescriptor::of_v2(&v2);
        assert_eq!((kernel.group_segment_size, kernel.private_segment_size), (0x1_0001, 0x2_0002));
        assert_eq!(kernel.kernarg_size, 0x4_0000_0003);
        let properties = CodeProperties { user_sgprs: 0x3ff, dynamic_stack: true, private_element_size: 8 };
        assert_eq!(kernel.properties, properties);
        assert_eq!((Rsrc2(16 << 1).user_sgprs(), Rsrc2(!(0x1f << 1)).user_sgprs()), (16, 0));
    }
}
