//! DS instructions that move data between lanes and touch no memory (docs/gcn/lds.md#exchange-of-lanes).

use gcnsim_isa::DsAccess;

use super::Machine;

/// Gives each lane ADDR of the lane that a pattern names; 0 if that lane is inactive.
pub(super) fn ds_swizzle_b32(m: &mut Machine, access: &DsAccess) {
    let (pattern, has_more_modes) = (access.offset, m.arch.is_gcn14_or_later());
    pull(m, access.addr, access.vdst, |_, lane| swizzled(pattern, has_more_modes, lane));
}

/// Gives each lane DATA0 of the lane at (ADDR + OFFSET) / 4; 0 if that lane is inactive.
pub(super) fn ds_bpermute_b32(m: &mut Machine, access: &DsAccess) {
    let DsAccess { addr, offset, .. } = *access;
    pull(m, access.data[0], access.vdst, |m, lane| lane_at(m.vgpr(addr, 0, lane), offset));
}

/// Gives DATA0 of each active lane, in ascending order, to the lane at (ADDR + OFFSET) / 4. A lane that gets none
/// has 0.
pub(super) fn ds_permute_b32(m: &mut Machine, access: &DsAccess) {
    let DsAccess { addr, data: [data0, _], vdst, offset, .. } = *access;
    if !m.has_registers(vdst, 1) {
        return;
    }
    let mut given = [0; 64];
    for lane in m.active() {
        let target = lane_at(m.vgpr(addr, 0, lane), offset);
        given[target as usize] = m.vgpr(data0, 0, lane);
    }
    for lane in m.active() {
        m.vgprs[vdst as usize].0[lane as usize] = given[lane as usize];
    }
}

fn lane_at(address: u32, offset: u32) -> u8 {
    (address.wrapping_add(offset) / 4 % 64) as u8
}

/// VDST of each active lane = `data` of the lane that `from` names for it, 0 if that is inactive.
fn pull(m: &mut Machine, data: u8, vdst: u8, mut from: impl FnMut(&mut Machine, u8) -> u8) {
    if !m.has_registers(vdst, 1) {
        return;
    }
    let exec = m.state.exec();
    let mut got = [0; 64];
    for lane in m.active() {
        let source = from(m, lane);
        let value = m.vgpr(data, 0, source);
        got[lane as usize] = if exec >> source & 1 == 1 { value } else { 0 };
    }
    for lane in m.active() {
        m.vgprs[vdst as usize].0[lane as usize] = got[lane as usize];
    }
}

/// The source of a lane in DS_SWIZZLE_B32. FFT and rotation exist from GCN 1.4 on.
fn swizzled(pattern: u32, has_more_modes: bool, lane: u8) -> u8 {
    let i = lane as u32 & 31;
    let low = pattern & 31;
    let source = match pattern {
        0xe000.. if has_more_modes => i.reverse_bits() >> 27 >> low.count_ones() | i & low,
        0xc000.. if has_more_modes => {
            let (distance, backward) = (pattern >> 5 & 31, pattern >> 10 & 1 == 1);
            let moved = if backward { i.wrapping_sub(distance) } else { i + distance };
            (i & low | moved & !low) & 31
        }
        0x8000.. => return lane & !3 | (pattern >> (2 * (lane & 3)) & 3) as u8,
        _ => (i & low | pattern >> 5 & 31) ^ pattern >> 10 & 31,
    };
    source as u8 | lane & 32
}

#[cfg(test)]
mod tests {
    use super::swizzled;

    fn sources(pattern: u32, lanes: &[u8]) -> Vec<u8> {
        lanes.iter().map(|&lane| swizzled(pattern, true, lane)).collect()
    }

    /// docs/gcn/memory-check-values.md#check-values.
    #[test]
    fn patterns() {
        let all: Vec<u8> = (0..64).collect();
        assert_eq!(sources(0x80e4, &all), all);
        assert_eq!(sources(0x001f, &all), all);
        assert_eq!(sources(0x041f, &all), all.iter().map(|lane| lane ^ 1).collect::<Vec<_>>());
        assert_eq!(sources(0xe000, &[0, 1, 2, 3, 4, 5, 6, 7]), [0, 16, 8, 24, 4, 20, 12, 28]);
        assert_eq!(sources(0xe010, &[0, 1, 2, 3, 16, 17, 18, 19]), [0, 8, 4, 12, 16, 24, 20, 28]);
        assert_eq!(sources(0xc020, &[0, 31, 32, 63]), [1, 0, 33, 32]);
        assert_eq!(sources(0xc021, &[0, 1, 2, 3]), [0, 3, 2, 5]);
        assert_eq!(sources(0xc421, &[0, 1, 2, 3]), [30, 1, 0, 3]);
        // Before GCN 1.4 the same pattern permutes quads.
        assert_eq!([0, 1, 2, 3].map(|lane| swizzled(0xe0e4, false, lane)), [0, 1, 2, 3]);
        assert_eq!([4, 5, 6, 39].map(|lane| swizzled(0xc01b, false, lane)), [7, 6, 5, 36]);
    }
}
