//! The data that describe a kernel: the kernel descriptor (code objects v3 and later) or the `amd_kernel_code_t` (v2).
//!
//! Source: LLVM, "User Guide for AMDGPU Backend", kernel descriptor; LLVM, `AMDKernelCodeT.h`.

use gcnsim_isa::Arch;

/// The fields that a launch depends on. Both forms have them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Descriptor {
    /// `kernel descriptor` or `amd_kernel_code_t`.
    pub form: &'static str,
    /// Its address.
    pub address: u64,
    /// Size of static LDS in bytes.
    pub group_size: u32,
    /// Size of a work-item's scratch in bytes.
    pub private_size: u32,
    /// Size of the arguments in bytes. Old objects of v3 have 0 here, and only the metadata states the size.
    pub kernarg_size: u64,
    /// COMPUTE_PGM_RSRC1.
    pub rsrc1: u32,
    /// COMPUTE_PGM_RSRC2.
    pub rsrc2: u32,
    /// Code properties. Bits 0 to 6 select user SGPRs.
    pub properties: u32,
}

/// SGPRs with an initial value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InitialSgprs {
    /// What they hold, in words.
    pub what: &'static str,
    /// The first register.
    pub first: u32,
    /// The number of registers.
    pub count: u32,
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

impl Descriptor {
    /// Reads a kernel descriptor of 64 bytes.
    pub(super) fn of_descriptor(bytes: &[u8], address: u64) -> Option<Descriptor> {
        Some(Descriptor {
            form: "kernel descriptor",
            address,
            group_size: u32_at(bytes, 0)?,
            private_size: u32_at(bytes, 4)?,
            kernarg_size: u32_at(bytes, 8)?.into(),
            rsrc1: u32_at(bytes, 48)?,
            rsrc2: u32_at(bytes, 52)?,
            properties: u32_at(bytes, 56)? & 0xffff,
        })
    }

    /// Reads an `amd_kernel_code_t` of 256 bytes.
    pub(super) fn of_kernel_code(bytes: &[u8], address: u64) -> Option<Descriptor> {
        Some(Descriptor {
            form: "amd_kernel_code_t",
            address,
            group_size: u32_at(bytes, 64)?,
            private_size: u32_at(bytes, 60)?,
            kernarg_size: u32_at(bytes, 72)? as u64 | (u32_at(bytes, 76)? as u64) << 32,
            rsrc1: u32_at(bytes, 48)?,
            rsrc2: u32_at(bytes, 52)?,
            properties: u32_at(bytes, 56)?,
        })
    }

    /// Number of VGPRs of a wave.
    pub fn vgprs(&self) -> u32 {
        4 * ((self.rsrc1 & 0x3f) + 1)
    }

    /// Number of SGPRs of a wave.
    pub fn sgprs(&self, arch: Arch) -> u32 {
        let sgprs = 8 * ((self.rsrc1 >> 6 & 0xf) + 1);
        if arch.is_gcn14_or_later() { sgprs.next_multiple_of(16) } else { sgprs }
    }

    /// Initial value of MODE.
    pub fn mode(&self) -> u32 {
        let bit = |from: u32, to: u32| (self.rsrc1 >> from & 1) << to;
        (self.rsrc1 >> 12 & 0xff) | bit(21, 8) | bit(23, 9) | bit(26, 23)
    }

    /// The initial contents of SGPRs, from s0 on.
    pub fn initial_sgprs(&self) -> Vec<InitialSgprs> {
        const USER: [(&str, u32); 7] = [
            ("private segment buffer", 4),
            ("dispatch pointer", 2),
            ("queue pointer", 2),
            ("kernarg pointer", 2),
            ("dispatch id", 2),
            ("flat scratch", 2),
            ("private segment size", 1),
        ];
        const SYSTEM: [(u32, &str); 5] =
            [(7, "group id x"), (8, "group id y"), (9, "group id z"), (10, "group info"), (0, "scratch wave offset")];
        let mut found = Vec::new();
        let mut first = 0;
        for (bit, (what, count)) in USER.into_iter().enumerate() {
            if self.properties >> bit & 1 == 1 {
                found.push(InitialSgprs { what, first, count });
                first += count;
            }
        }
        // The descriptor may count user SGPRs that no property names. Their contents are unknown.
        first = first.max(self.rsrc2 >> 1 & 0x1f);
        for (bit, what) in SYSTEM {
            if self.rsrc2 >> bit & 1 == 1 {
                found.push(InitialSgprs { what, first, count: 1 });
                first += 1;
            }
        }
        found
    }

    /// How many of the registers v0 to v2 hold components of the work-item's id at the start.
    pub fn initial_vgprs(&self) -> u32 {
        (self.rsrc2 >> 11 & 3).min(2) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A saxpy compiled for v4 has 8 user SGPRs, then the group's id.
    #[test]
    fn registers_of_a_compiled_kernel() {
        let mut bytes = [0u8; 64];
        bytes[8] = 80;
        bytes[48..52].copy_from_slice(&0x00af_0040u32.to_le_bytes());
        bytes[52..56].copy_from_slice(&0x90u32.to_le_bytes());
        bytes[56] = 0xb;
        let descriptor = Descriptor::of_descriptor(&bytes, 0xf00).unwrap();
        let found = descriptor.initial_sgprs();
        let held: Vec<_> = found.iter().map(|r| (r.what, r.first, r.count)).collect();
        let expected = [
            ("private segment buffer", 0, 4),
            ("dispatch pointer", 4, 2),
            ("kernarg pointer", 6, 2),
            ("group id x", 8, 1),
        ];
        assert_eq!(held, expected);
        assert_eq!((descriptor.mode(), descriptor.vgprs(), descriptor.initial_vgprs()), (0x3f0, 4, 1));
        assert_eq!((descriptor.sgprs(Arch::Gcn14), descriptor.sgprs(Arch::Gcn12)), (16, 16));
        assert!(Descriptor::of_descriptor(&bytes[..50], 0).is_none());
        // The kernarg pointer, and four user SGPRs that no property names.
        (bytes[52], bytes[56]) = (0x8c, 8);
        let found = Descriptor::of_descriptor(&bytes, 0xf00).unwrap().initial_sgprs();
        let held: Vec<_> = found.iter().map(|r| (r.what, r.first, r.count)).collect();
        assert_eq!(held, [("kernarg pointer", 0, 2), ("group id x", 6, 1)]);
    }
}
