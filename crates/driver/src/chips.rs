//! The chips, and what drivers are told of each.
//!
//! Identities and sizes are those of one card of each chip: device ids as in the lists of libhsakmt and libdrm, sizes as
//! its maker states them. GB_ADDR_CONFIG is what the kernel's drivers set (`*_GB_ADDR_CONFIG_GOLDEN` of `gfx_v6_0` to
//! `gfx_v9_0`); stoney, raven, raven2 and renoir have that of the cards in Mesa's `amdgpu_devices.c`. Nothing but what
//! programs are told depends on them.

use gcnsim_isa::Arch;

/// A chip.
#[derive(PartialEq, Eq, Debug)]
pub struct Chip {
    /// LLVM's name.
    pub name: &'static str,
    /// Name of the ASIC.
    pub asic: &'static str,
    /// PCI device id.
    pub device: u32,
    /// PCI revision.
    pub revision: u32,
    /// Number of shader engines.
    pub engines: u32,
    /// Number of shader arrays in each of them.
    pub arrays: u32,
    /// Number of compute units in each array.
    pub units: u32,
    /// Clock in MHz.
    pub clock: u32,
    /// Clock of the memory in MHz.
    pub memory_clock: u32,
    /// Width of the memory in bits.
    pub memory_width: u32,
    /// Video memory in MiB.
    pub memory: u64,
    /// Level 2 cache in KiB.
    pub cache: u32,
    /// Revision by which Mesa tells chips of a family apart.
    pub external: u32,
    /// Number of render backends.
    pub pipes: u32,
    /// Number of channels of the level 2 cache.
    pub caches: u32,
    /// GB_ADDR_CONFIG: how addresses of images are made.
    pub addresses: u32,
    /// Whether it shares memory with the host's processor.
    pub is_apu: bool,
    /// Whether ROCm knows it.
    pub rocm: bool,
}

macro_rules! chips {
    ($($name:literal $asic:literal $device:literal $revision:literal $external:literal
       $engines:literal x $arrays:literal x $units:literal
       $clock:literal, $memory_clock:literal x $width:literal, $memory:literal MiB, $cache:literal KiB,
       $pipes:literal x $caches:literal, $addresses:literal, $kind:ident $rocm:ident;)*) => {
        &[$(Chip {
            name: $name, asic: $asic, device: $device, revision: $revision, engines: $engines, arrays: $arrays,
            units: $units, clock: $clock, memory_clock: $memory_clock, memory_width: $width, memory: $memory,
            cache: $cache, external: $external, pipes: $pipes, caches: $caches, addresses: $addresses,
            is_apu: chips!(@ $kind), rocm: chips!(@ $rocm),
        }),*]
    };
    (@ rocm) => { true };
    (@ apu) => { true };
    (@ card) => { false };
    (@ none) => { false };
}

/// All chips. The first one with a name is what the name means. Columns: LLVM's name, ASIC; device id, revisions; shader
/// engines, arrays, units; clocks of the chip and of its memory in MHz, width of that in bits; sizes; render backends and
/// channels; GB_ADDR_CONFIG; kind.
#[rustfmt::skip]
pub const CHIPS: &[Chip] = chips! {
    "gfx900" "vega10"    0x687f 0xc1 0x01 4 x 1 x 16 1630,  945 x 2048,  8176 MiB, 4096 KiB, 16 x 16, 0x2a114042, card rocm;
    "gfx600" "tahiti"    0x6798 0x00 0x05 2 x 2 x 8    925, 1375 x  384,  3072 MiB,  768 KiB,  8 x 12, 0x12011003, card none;
    "gfx601" "pitcairn"  0x6818 0x00 0x15 2 x 2 x 5  1000, 1200 x  256,  2048 MiB,  512 KiB,  8 x  8, 0x12011003, card none;
    "gfx601" "verde"     0x683d 0x00 0x29 1 x 2 x 5  1000, 1125 x  128,  1024 MiB,  512 KiB,  4 x  4, 0x12010002, card none;
    "gfx602" "oland"     0x6610 0x00 0x3c 1 x 1 x 6  1050, 1150 x  128,  1024 MiB,  256 KiB,  2 x  4, 0x02010002, card none;
    "gfx602" "hainan"    0x6660 0x00 0x46 1 x 1 x 5    900, 1000 x   64,  1024 MiB,  256 KiB,  1 x  2, 0x02010001, card none;
    "gfx700" "kaveri"    0x130f 0x00 0x01 1 x 1 x 8    720, 1066 x  128,  1024 MiB,  512 KiB,  2 x  4, 0x12010001, apu  rocm;
    "gfx701" "hawaii"    0x67b0 0x00 0x28 4 x 1 x 11 1000, 1250 x  512,  4096 MiB, 1024 KiB, 16 x 16, 0x12011003, card rocm;
    "gfx704" "bonaire"   0x6658 0x00 0x14 2 x 1 x 7  1100, 1500 x  128,  2048 MiB,  512 KiB,  4 x  4, 0x12010001, card none;
    "gfx703" "mullins"   0x9850 0x00 0xa1 1 x 1 x 2    500,  800 x   64,   512 MiB,  128 KiB,  1 x  2, 0x02010001, apu  none;
    "gfx801" "carrizo"   0x9874 0xc4 0x01 1 x 1 x 8    800, 1066 x  128,  1024 MiB,  512 KiB,  2 x  4, 0x22010001, apu  rocm;
    "gfx802" "tonga"     0x6938 0xf1 0x14 4 x 1 x 8    970, 1425 x  256,  4096 MiB,  512 KiB,  8 x  8, 0x22011003, card rocm;
    "gfx803" "polaris10" 0x67df 0xc7 0x50 4 x 1 x 9  1266, 2000 x  256,  8192 MiB, 2048 KiB,  8 x  8, 0x22011003, card rocm;
    "gfx803" "fiji"      0x7300 0xc8 0x3c 4 x 1 x 16 1050,  500 x 4096,  4096 MiB, 2048 KiB, 16 x 16, 0x22011003, card rocm;
    "gfx803" "polaris11" 0x67ef 0xcf 0x5a 2 x 1 x 8  1275, 1750 x  128,  4096 MiB, 1024 KiB,  4 x  4, 0x22011002, card rocm;
    "gfx803" "polaris12" 0x699f 0xc7 0x64 2 x 1 x 5  1183, 1500 x  128,  4096 MiB,  512 KiB,  4 x  4, 0x22011002, card rocm;
    "gfx810" "stoney"    0x98e4 0xeb 0x61 1 x 1 x 3    720,  933 x   64,   512 MiB,  128 KiB,  1 x  2, 0x02010001, apu  none;
    "gfx902" "raven"     0x15dd 0xc6 0x01 1 x 1 x 11 1200, 1200 x  128,  2048 MiB, 1024 KiB,  2 x  4, 0x24000042, apu  rocm;
    "gfx904" "vega12"    0x69af 0xc0 0x14 4 x 1 x 5  1300,  700 x 1024,  4096 MiB, 1024 KiB,  8 x  8, 0x24104041, card rocm;
    "gfx906" "vega20"    0x66a0 0x00 0x28 4 x 1 x 16 1800, 1000 x 4096, 16368 MiB, 4096 KiB, 16 x 16, 0x2a114042, card rocm;
    "gfx909" "raven2"    0x15d8 0xc8 0x82 1 x 1 x 3  1100, 1200 x  128,  2048 MiB,  512 KiB,  1 x  2, 0x26013041, apu  none;
    "gfx90c" "renoir"    0x1636 0xc6 0x91 1 x 1 x 8  1750, 1600 x  128,  2048 MiB, 1024 KiB,  2 x  4, 0x26010042, apu  rocm;
};

impl Chip {
    /// Returns the chip that a name means: LLVM's name, a target id (whose features change nothing), or the name of an
    /// ASIC.
    pub fn of_name(name: &str) -> Option<&'static Chip> {
        let name = name.split(':').next().unwrap_or(name);
        let is_it = |chip: &&Chip| chip.name.eq_ignore_ascii_case(name) || chip.asic.eq_ignore_ascii_case(name);
        CHIPS.iter().find(is_it)
    }

    /// Returns the generation.
    pub fn arch(&self) -> Arch {
        self.name.parse().unwrap_or(Arch::Gcn14)
    }

    /// Returns LLVM's version: major, minor, stepping.
    pub fn version(&self) -> [u32; 3] {
        let digits = self.name.trim_start_matches("gfx").chars().map(|digit| digit.to_digit(16).unwrap_or(0));
        let mut version = [0; 3];
        version.iter_mut().zip(digits).for_each(|(number, digit)| *number = digit);
        version
    }

    /// Returns the number of compute units.
    pub fn compute_units(&self) -> u32 {
        self.engines * self.arrays * self.units
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let name = |name| Chip::of_name(name).map(|chip| chip.asic);
        assert_eq!(name("gfx900"), Some("vega10"));
        assert_eq!(name("gfx906:sramecc-:xnack-"), Some("vega20"));
        assert_eq!(name("Polaris10"), Some("polaris10"));
        assert_eq!((name("gfx803"), name("gfx1030"), name("")), (Some("polaris10"), None, None));
    }

    #[test]
    fn each_chip_is_one_that_runs() {
        for chip in CHIPS {
            assert!(chip.name.parse::<Arch>().is_ok(), "{}", chip.name);
            assert_eq!(Chip::of_name(chip.asic), Some(chip));
        }
        assert_eq!(Chip::of_name("gfx90c").unwrap().version(), [9, 0, 12]);
    }
}
