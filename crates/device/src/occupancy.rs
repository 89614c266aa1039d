//! The number of groups that a chip holds at once (docs/gcn/dispatch.md#groups-and-waves).

/// Compute units of the chip.
const UNITS: usize = 64;
/// SIMDs of a compute unit.
const SIMDS: usize = 4;
/// Most waves on a SIMD.
const MOST_WAVES: usize = 10;
/// Vector registers of a lane of a SIMD, for all of its waves.
const VGPRS: usize = 256;
/// Granule in which waves get them.
const VGPR_GRANULE: usize = 4;
/// Most groups of two waves or more on a compute unit: each takes one of its barriers.
const BARRIERS: usize = 16;
/// LDS of a compute unit, in bytes.
const LDS: usize = 64 << 10;
/// Scratch of all groups, in bytes. It is memory, so the chip sets no limit.
const SCRATCH: u64 = 1 << 30;

/// Number of groups, at least two, that a chip holds at once. Each has `waves` waves with `vgprs` vector registers, and
/// `lds` bytes of LDS and `scratch` bytes of scratch.
pub fn groups_on_chip(waves: u32, vgprs: usize, lds: u32, scratch: u64) -> usize {
    let waves = (waves as usize).max(1);
    let on_simd = (VGPRS / vgprs.next_multiple_of(VGPR_GRANULE).max(VGPR_GRANULE)).min(MOST_WAVES);
    let by_waves = SIMDS * on_simd / waves;
    let by_barriers = if waves > 1 { BARRIERS } else { usize::MAX };
    let by_lds = LDS.checked_div(lds as usize).unwrap_or(usize::MAX);
    let by_scratch = SCRATCH.checked_div(scratch).map_or(usize::MAX, |groups| groups.max(2) as usize);
    // A group that does not fit a compute unit of the chip runs here nonetheless.
    (UNITS * by_waves.min(by_barriers).min(by_lds).max(1)).min(by_scratch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waves_registers_lds_and_barriers_limit_groups() {
        // 64 compute units with 40 waves each.
        assert_eq!(groups_on_chip(1, 24, 0, 0), 2560);
        // 28 registers: 9 waves on a SIMD. 64: 4. 256: 1.
        assert_eq!([25, 64, 256].map(|vgprs| groups_on_chip(1, vgprs, 0, 0)), [64 * 36, 64 * 16, 64 * 4]);
        assert_eq!([2, 4, 16].map(|waves| groups_on_chip(waves, 4, 0, 0)), [64 * 16, 64 * 10, 64 * 2]);
        assert_eq!([512, 8 << 10, 64 << 10].map(|lds| groups_on_chip(1, 4, lds, 0)), [2560, 64 * 8, 64]);
        assert_eq!([1 << 20, 1 << 40].map(|scratch| groups_on_chip(1, 4, 0, scratch)), [1024, 2]);
        assert_eq!(groups_on_chip(16, 256, 0, 0), 64, "it does not fit");
    }
}
