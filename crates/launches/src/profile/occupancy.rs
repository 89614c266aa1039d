//! Occupancy: how many waves of a kernel a compute unit can hold at once.
//!
//! A compute unit has four SIMDs, and each holds up to ten waves. A wave takes registers of its SIMD, and a group takes
//! LDS of the compute unit. All waves of a group are on one compute unit. `docs/use/profile.md` has the numbers.

use gcnsim_isa::Arch;
use serde::Serialize;

/// Number of SIMDs of a compute unit.
const SIMDS: u32 = 4;
/// Most waves per SIMD.
const MOST_WAVES: u32 = 10;
/// Most groups of several waves on a compute unit, because each takes a barrier.
const BARRIERS: u32 = 16;
/// The VGPRs of each lane of a SIMD.
const VGPRS: Pool = Pool { size: 256, granule: 4 };
/// Bytes of LDS of a compute unit.
const LDS: u32 = 64 << 10;

/// A resource that is allocated in granules.
#[derive(Clone, Copy)]
struct Pool {
    size: u32,
    granule: u32,
}

impl Pool {
    /// Returns the SGPRs of a SIMD.
    fn sgprs(arch: Arch) -> Pool {
        match arch {
            Arch::Gcn10 | Arch::Gcn11 => Pool { size: 512, granule: 8 },
            _ => Pool { size: 800, granule: 16 },
        }
    }

    fn registers(self, wave: u32) -> Registers {
        let allocated = wave.max(1).next_multiple_of(self.granule);
        Registers { wave, allocated, waves: (self.size / allocated).min(MOST_WAVES) }
    }
}

/// Number of waves that a SIMD holds, and what limits it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Occupancy {
    /// Waves per SIMD, as the mean of the four; 0 if no group fits.
    pub waves_per_simd: f64,
    /// Most waves per SIMD.
    pub max_waves_per_simd: u32,
    /// Number of groups on a compute unit.
    pub groups: u32,
    /// Number of waves of a group.
    pub group_waves: u32,
    /// The resources that limit the number of groups: `waves`, `barriers`, `sgprs`, `vgprs`, `lds`.
    pub limited_by: Vec<&'static str>,
    /// SGPRs, and how many waves they allow.
    pub sgprs: Registers,
    /// VGPRs, and how many waves they allow.
    pub vgprs: Registers,
    /// LDS, and how many waves it allows.
    pub lds: Share,
}

/// Registers of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Registers {
    /// Number that a wave asks for.
    pub wave: u32,
    /// Number that a wave gets, a multiple of the granule.
    pub allocated: u32,
    /// Number of waves per SIMD that have room for their registers.
    pub waves: u32,
}

/// The share of LDS of a group.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Share {
    /// Bytes that a group gets.
    pub allocated: u32,
    /// Number of waves per SIMD that have room for their LDS.
    pub waves: f64,
}

/// The resources that a kernel takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Needs {
    /// SGPRs of a wave.
    pub sgprs: u32,
    /// VGPRs of a wave.
    pub vgprs: u32,
    /// LDS of a group in bytes, as the hardware allocates it.
    pub lds: u32,
    /// Work-items of a group.
    pub items: u32,
}

/// Returns the mean number of waves per SIMD, if a compute unit has `groups` groups of `group_waves` waves.
fn mean(groups: u32, group_waves: u32) -> f64 {
    f64::from(groups * group_waves) / f64::from(SIMDS)
}

impl Occupancy {
    /// Returns the occupancy of a kernel with these needs.
    pub fn new(arch: Arch, needs: Needs) -> Occupancy {
        let group_waves = needs.items.div_ceil(64).max(1);
        let sgprs = Pool::sgprs(arch).registers(needs.sgprs);
        let vgprs = VGPRS.registers(needs.vgprs);
        let most = SIMDS * MOST_WAVES / group_waves;
        let lds_groups = LDS.checked_div(needs.lds).unwrap_or(u32::MAX);
        let limits = [
            ("waves", most),
            ("barriers", if group_waves > 1 { BARRIERS } else { u32::MAX }),
            ("sgprs", SIMDS * sgprs.waves / group_waves),
            ("vgprs", SIMDS * vgprs.waves / group_waves),
            ("lds", lds_groups),
        ];
        let groups = limits.iter().map(|&(_, groups)| groups).min().unwrap_or(0);
        // If the number of waves limits the number of groups, it is named alone.
        let others = limits[1..].iter().filter(|&&(_, limit)| limit == groups).map(|&(name, _)| name);
        let mut limited_by: Vec<&str> = others.collect();
        if groups == most {
            limited_by = vec!["waves"];
        }
        Occupancy {
            waves_per_simd: mean(groups, group_waves),
            max_waves_per_simd: MOST_WAVES,
            groups,
            group_waves,
            limited_by,
            sgprs,
            vgprs,
            lds: Share { allocated: needs.lds, waves: mean(lds_groups.min(most), group_waves) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(arch: Arch, sgprs: u32, vgprs: u32, lds: u32, items: u32) -> (f64, Vec<&'static str>) {
        let occupancy = Occupancy::new(arch, Needs { sgprs, vgprs, lds, items });
        (occupancy.waves_per_simd, occupancy.limited_by)
    }

    #[test]
    fn registers_limit_waves_by_their_granules() {
        // 256 VGPRs in granules of 4.
        let by_vgprs = [(24, 10), (25, 9), (28, 9), (29, 8), (32, 8), (36, 7), (40, 6), (48, 5), (64, 4), (84, 3)];
        for (vgprs, waves) in by_vgprs.into_iter().chain([(85, 2), (128, 2), (129, 1), (256, 1)]) {
            assert_eq!(of(Arch::Gcn14, 16, vgprs, 0, 64).0, f64::from(waves), "{vgprs} VGPRs");
        }
        // 512 SGPRs in granules of 8; 800 in granules of 16.
        for (sgprs, waves) in [(48, 10), (49, 9), (56, 9), (64, 8), (72, 7), (80, 6), (96, 5), (104, 4)] {
            assert_eq!(of(Arch::Gcn10, sgprs, 4, 0, 64).0, f64::from(waves), "{sgprs} SGPRs");
            assert_eq!(of(Arch::Gcn11, sgprs, 4, 0, 64).0, f64::from(waves), "{sgprs} SGPRs");
        }
        for (sgprs, waves) in [(80, 10), (81, 8), (96, 8), (97, 7), (112, 7)] {
            assert_eq!(of(Arch::Gcn12, sgprs, 4, 0, 64).0, f64::from(waves), "{sgprs} SGPRs");
            assert_eq!(of(Arch::Gcn141, sgprs, 4, 0, 64).0, f64::from(waves), "{sgprs} SGPRs");
        }
    }

    #[test]
    fn the_limiting_resource_is_named() {
        assert_eq!(of(Arch::Gcn14, 16, 24, 0, 64), (10.0, vec!["waves"]));
        assert_eq!(of(Arch::Gcn14, 96, 24, 0, 64), (8.0, vec!["sgprs"]));
        assert_eq!(of(Arch::Gcn14, 96, 32, 0, 64), (8.0, vec!["sgprs", "vgprs"]));
        // Two groups of four waves fit, then one group of one wave, by their LDS.
        assert_eq!(of(Arch::Gcn14, 16, 24, 32 << 10, 256), (2.0, vec!["lds"]));
        assert_eq!(of(Arch::Gcn14, 16, 24, 64 << 10, 64), (0.25, vec!["lds"]));
        assert_eq!(of(Arch::Gcn14, 16, 40, 0, 1024), (4.0, vec!["vgprs"]));
        // Sixteen groups of two waves are 32 of the 40 possible waves.
        assert_eq!(of(Arch::Gcn14, 16, 24, 0, 128), (8.0, vec!["barriers"]));
        // A group of sixteen waves of 128 VGPRs does not fit: only eight waves have room.
        assert_eq!(of(Arch::Gcn14, 16, 128, 0, 1024), (0.0, vec!["vgprs"]));
        // Thirteen groups of three waves fit.
        assert_eq!(of(Arch::Gcn14, 16, 24, 0, 192), (9.75, vec!["waves"]));
    }
}
