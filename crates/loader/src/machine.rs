//! Processors and machines by their numbers in ELF headers, and by name.

use gcnsim_isa::Arch;
use object::elf::{self, Machine};

/// `EF_AMDGPU_MACH` values of GCN 1.0 to 1.4. Source: LLVM, "User Guide for AMDGPU Backend", ELF header flags.
const KNOWN: &[(u32, &str)] = &[
    (0x20, "gfx600"),
    (0x21, "gfx601"),
    (0x22, "gfx700"),
    (0x23, "gfx701"),
    (0x24, "gfx702"),
    (0x25, "gfx703"),
    (0x26, "gfx704"),
    (0x28, "gfx801"),
    (0x29, "gfx802"),
    (0x2a, "gfx803"),
    (0x2b, "gfx810"),
    (0x2c, "gfx900"),
    (0x2d, "gfx902"),
    (0x2e, "gfx904"),
    (0x2f, "gfx906"),
    (0x31, "gfx909"),
    (0x32, "gfx90c"),
    (0x3a, "gfx602"),
    (0x3b, "gfx705"),
    (0x3c, "gfx805"),
    (0x51, "gfx9-generic"),
];

/// `EF_AMDGPU_MACH` values of other processors, for error messages.
const OTHERS: &[(u32, &str)] = &[
    (0x30, "gfx908"),
    (0x33, "gfx1010"),
    (0x34, "gfx1011"),
    (0x35, "gfx1012"),
    (0x36, "gfx1030"),
    (0x37, "gfx1031"),
    (0x38, "gfx1032"),
    (0x39, "gfx1033"),
    (0x3d, "gfx1035"),
    (0x3e, "gfx1034"),
    (0x3f, "gfx90a"),
    (0x40, "gfx940"),
    (0x41, "gfx1100"),
    (0x42, "gfx1013"),
    (0x43, "gfx1150"),
    (0x44, "gfx1103"),
    (0x45, "gfx1036"),
    (0x46, "gfx1101"),
    (0x47, "gfx1102"),
    (0x48, "gfx1200"),
    (0x4a, "gfx1151"),
    (0x4b, "gfx941"),
    (0x4c, "gfx942"),
    (0x4e, "gfx1201"),
    (0x4f, "gfx950"),
    (0x52, "gfx10-1-generic"),
    (0x53, "gfx10-3-generic"),
    (0x54, "gfx11-generic"),
    (0x55, "gfx1152"),
    (0x58, "gfx1153"),
    (0x59, "gfx12-generic"),
    (0x5f, "gfx9-4-generic"),
];

/// ELF machines of files that users may give by mistake.
const HOSTS: &[(Machine, &str)] = &[
    (elf::EM_386, "x86"),
    (elf::EM_X86_64, "x86-64"),
    (elf::EM_ARM, "Arm"),
    (elf::EM_AARCH64, "AArch64"),
    (elf::EM_RISCV, "RISC-V"),
    (elf::EM_PPC64, "PowerPC 64"),
    (elf::EM_CUDA, "an NVIDIA GPU"),
    (elf::EM_BPF, "BPF"),
];

/// The processor with the `EF_AMDGPU_MACH` value `mach`. The error names an unsupported or unknown one.
pub(super) fn gpu(mach: u32) -> Result<(&'static str, Arch), String> {
    if let Some(&(_, name)) = KNOWN.iter().find(|&&(value, _)| value == mach) {
        return by_name(name).ok_or_else(|| name.to_string());
    }
    Err(match OTHERS.iter().find(|&&(value, _)| value == mach) {
        Some(&(_, name)) => name.to_string(),
        None if mach == 0 => "an AMD GPU it does not name (e_flags 0; --arch says which)".into(),
        None if mach < 0x20 => format!("an R600 GPU (machine {mach:#x})"),
        None => format!("AMD GPU machine {mach:#x}"),
    })
}

/// The family of an unsupported processor for messages, in parentheses; empty if it is unknown.
pub(super) fn family(name: &str) -> &'static str {
    match name {
        _ if name.starts_with("gfx9") => " (CDNA)",
        _ if name.starts_with("gfx1") => " (RDNA)",
        _ => "",
    }
}

/// The supported processor with LLVM's name `name`.
pub(super) fn by_name(name: &str) -> Option<(&'static str, Arch)> {
    let &(_, name) = KNOWN.iter().find(|&&(_, known)| known == name)?;
    Some((name, name.parse().ok()?))
}

/// The supported processor with a name from an old note. In v2, processors with XNACK have names of their own.
pub(super) fn by_old_name(name: &str) -> Option<(&'static str, Arch)> {
    const OLD: [(&str, &str); 5] =
        [("gfx804", "gfx803"), ("gfx901", "gfx900"), ("gfx903", "gfx902"), ("gfx905", "gfx904"), ("gfx907", "gfx906")];
    by_name(OLD.iter().find(|(old, _)| *old == name).map_or(name, |(_, new)| new))
}

/// The `EF_AMDGPU_MACH` value of the processor `name`.
pub(super) fn mach_of(name: &str) -> Option<u32> {
    KNOWN.iter().find(|(_, known)| *known == name).map(|(mach, _)| *mach)
}

/// The `EF_AMDGPU_MACH` value of the processor that stands for the generation `arch`.
pub(super) fn mach_of_arch(arch: Arch) -> Option<u32> {
    const FIRST: [&str; 5] = ["gfx600", "gfx700", "gfx803", "gfx900", "gfx906"];
    let others = KNOWN.iter().map(|(_, name)| *name);
    FIRST.into_iter().chain(others).find(|name| name.parse() == Ok(arch)).and_then(mach_of)
}

/// Whether `name` is a machine of `HOSTS`. Its executables may contain code for GPUs.
pub(super) fn is_host(name: &str) -> bool {
    HOSTS.iter().any(|&(_, host)| host == name)
}

/// The name of an ELF machine that is not an AMD GPU, for messages.
pub(super) fn host_name(e_machine: Machine) -> String {
    match HOSTS.iter().find(|&&(value, _)| value == e_machine) {
        Some(&(_, name)) => name.to_string(),
        None if e_machine.0 == 0 => "a machine it does not name (e_machine 0; --arch says which GPU)".into(),
        None => format!("ELF machine {}", e_machine.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_processor_has_a_generation() {
        for &(value, name) in KNOWN {
            assert_eq!(gpu(value).map(|(n, _)| n), Ok(name));
        }
        assert_eq!(gpu(0x2f).unwrap().1, Arch::Gcn141);
        assert_eq!(gpu(0x36).unwrap_err(), "gfx1030");
        assert_eq!([family("gfx1030"), family("gfx90a"), family("x86-64")], [" (RDNA)", " (CDNA)", ""]);
        assert_eq!(gpu(0xfe).unwrap_err(), "AMD GPU machine 0xfe");
    }
}
