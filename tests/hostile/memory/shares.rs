//! Accesses to LDS and GDS: past the end, with sums that wrap, and with M0 as a limit.

use gcnsim_isa::{Arch, Note};
use gcnsim_machine::Access::{Atomic, Load};

use super::ways::{BASE, End, LDS, Lanes, Ways, all, lanes};
use super::words::*;

const GFX9: Arch = Arch::Gcn14;
const LEN: u32 = LDS as u32;

const READ_B32: u32 = 54;
const READ_B64: u32 = 118;
const READ_B128: u32 = 255;
const READ2_B32: u32 = 55;
const WRITE_B32: u32 = 13;
const WRITE_B64: u32 = 77;
const WRITE_B128: u32 = 223;
const WRITE2_B64: u32 = 78;
const ADD_RTN_U32: u32 = 32;
const ADD_U64: u32 = 64;

/// Runs an instruction with `address` in v2, `m0` in M0 and data in v[4:7]. GCN 1.2 and 1.4 have the same words.
fn run(ways: &mut Ways, arch: Arch, words: Words, address: Lanes, m0: u32) -> End {
    ways.run(arch, &words, &|wave| {
        wave.state.sgpr[124] = m0;
        *wave.vgprs.lanes_mut(2) = address;
        (4..8).for_each(|n| *wave.vgprs.lanes_mut(n) = all(0x1111_1111 * u32::from(n)));
        (10..14).for_each(|n| *wave.vgprs.lanes_mut(n) = all(0x5555_5555));
    })
}

/// Reads past the end give 0 and writes do nothing, for accesses as a whole.
#[test]
fn accesses_past_the_end_do_nothing() {
    let ways = &mut Ways::new();
    for (read, write, bytes) in [(READ_B32, WRITE_B32, 4), (READ_B64, WRITE_B64, 8), (READ_B128, WRITE_B128, 16)] {
        let last = LEN - bytes;
        let inside = run(ways, GFX9, ds(read, 0, 10, [0, 0], 2), all(last), 0);
        assert_eq!(inside.ended().vgpr(10), &all(0xaaaa_aaaa));
        let written = run(ways, GFX9, ds(write, 0, 0, [4, 0], 2), all(last), 0);
        assert_eq!(written.ended().lds[last as usize..][..4], [0x44; 4]);
        let outside = [last + 1, last + 4, LEN - 1, LEN, 0x1_0000, 0x7fff_fffc, 0x8000_0000, 0xffff_fff0];
        for address in outside.into_iter().chain([0u32.wrapping_sub(bytes), u32::MAX]) {
            for (register, offset) in [(address, 0), (address.wrapping_sub(0xffff), 0xffff)] {
                let end = run(ways, GFX9, ds(read, offset, 10, [0, 0], 2), all(register), 0);
                assert_eq!(end.ended().vgpr(10), &all(0), "{address:#x}");
                assert_eq!(end.vgpr(9 + bytes as u8 / 4), &all(0), "{address:#x}");
                let is_partial = address < LEN;
                assert_eq!(end.notes().contains(Note::LdsPartialOob), is_partial, "{address:#x}");
                let end = run(ways, GFX9, ds(write, offset, 0, [4, 0], 2), all(register), 0);
                assert_eq!(end.ended().lds, [0xaa; LDS], "{address:#x}");
            }
        }
    }
}

/// Sums have 32 bits, so a negative address plus an offset may be inside. Each lane is checked for itself.
#[test]
fn sums_wrap() {
    let ways = &mut Ways::new();
    let address = lanes(|lane| 0u32.wrapping_sub(0x100).wrapping_add(16 * lane));
    let end = run(ways, GFX9, ds(READ_B32, 0x100, 10, [0, 0], 2), address, 0);
    assert_eq!(end.ended().vgpr(10), &lanes(|lane| if lane < 32 { 0xaaaa_aaaa } else { 0 }));
    let end = run(ways, GFX9, ds(WRITE_B32, 0x100, 0, [4, 0], 2), address, 0);
    let expected: Vec<u8> = (0..LDS).map(|at| if at % 16 < 4 { 0x44 } else { 0xaa }).collect();
    assert_eq!(end.ended().lds, expected);
}

/// Each of two elements is checked for itself.
#[test]
fn one_of_two_elements_is_outside() {
    let ways = &mut Ways::new();
    let read = ds(READ2_B32, 0xff << 8, 10, [0, 0], 2);
    let end = run(ways, GFX9, read, all(LEN - 4), 0);
    assert_eq!((end.ended().vgpr(10), end.vgpr(11)), (&all(0xaaaa_aaaa), &all(0)));
    let end = run(ways, GFX9, read, all(0u32.wrapping_sub(0x3fc)), 0);
    assert_eq!((end.ended().vgpr(10), end.vgpr(11)), (&all(0), &all(0xaaaa_aaaa)));
    let write = ds(WRITE2_B64, 1 << 8, 0, [4, 6], 2);
    let end = run(ways, GFX9, write, all(LEN - 8), 0);
    assert_eq!(end.ended().lds[LDS - 16..], [[0xaa; 8], [0x44, 0x44, 0x44, 0x44, 0x55, 0x55, 0x55, 0x55]].concat());
}

/// Atomics past the end do nothing and return 0. Unaligned atomics inside are faults on GCN 1.4.
#[test]
fn atomics_at_the_end() {
    let ways = &mut Ways::new();
    let add = ds(ADD_RTN_U32, 0, 10, [4, 0], 2);
    let end = run(ways, GFX9, add, all(LEN - 4), 0);
    assert_eq!(end.ended().vgpr(10)[63], 0xaaaa_aaaau32.wrapping_add(63u32.wrapping_mul(0x4444_4444)));
    for address in [LEN, LEN + 1, 0xffff_fffc] {
        let end = run(ways, GFX9, add, all(address), 0);
        assert_eq!((end.ended().vgpr(10), &end.lds[..]), (&all(0), &[0xaa; LDS][..]));
        let end = run(ways, GFX9, ds(ADD_U64, 0, 0, [4, 0], 2), all(address & !7), 0);
        assert_eq!(end.ended().lds, [0xaa; LDS]);
    }
    let end = run(ways, GFX9, ds(ADD_U64, 0, 0, [4, 0], 2), all(LEN - 4), 0);
    assert_eq!(end.ended().lds, [0xaa; LDS], "half of it is outside");
    for address in [LEN - 5, 1, 2] {
        let end = run(ways, GFX9, add, lanes(|lane| if lane == 9 { address } else { 0 }), 0);
        let fault = end.fault();
        assert_eq!((fault.access, fault.lane), (Atomic, Some(9)));
    }
}

/// On GCN 1.2 M0 limits LDS further, and low bits of addresses are ignored. M0 never extends LDS.
#[test]
fn m0_limits_lds_before_gcn_1_4() {
    let ways = &mut Ways::new();
    let (read, write) = (ds(READ_B32, 0, 10, [0, 0], 2), ds(WRITE_B32, 0, 0, [4, 0], 2));
    for (m0, address, is_inside) in [
        (0, 0, false),
        (3, 0, false),
        (4, 0, true),
        (4, 3, true),
        (4, 4, false),
        (u32::MAX, LEN - 1, true),
        (u32::MAX, LEN, false),
        (0x1_ffff, LEN - 4, true),
        (0x2_0000, 0, false),
        (LEN + 400, LEN + 100, false),
    ] {
        let end = run(ways, Arch::Gcn12, read, all(address), m0);
        assert_eq!(end.ended().vgpr(10), &all(if is_inside { 0xaaaa_aaaa } else { 0 }), "{m0:#x} {address}");
        let end = run(ways, Arch::Gcn12, write, all(address), m0);
        assert_eq!(end.ended().lds.contains(&0x44), is_inside, "{m0:#x} {address}");
        assert_eq!(run(ways, GFX9, read, all(LEN - 4), m0).vgpr(10), &all(0xaaaa_aaaa));
    }
}

/// GDS has 64 KiB. M0 sets a window of it: the base in its upper half, the size in its lower half.
#[test]
fn windows_of_gds() {
    let ways = &mut Ways::new();
    let gds = |words: Words| [words[0] | 1 << 16, words[1]];
    let pair = [gds(ds(WRITE_B32, 0, 0, [4, 0], 2)), gds(ds(READ_B32, 0, 10, [0, 0], 2))].concat();
    for (m0, address, is_inside) in [
        (0x0000_0010, 12, true),
        (0x0000_0010, 13, false),
        (0xffff_ffff, 0, false),
        (0xfffc_ffff, 0, true),
        (0xfffc_0004, 1, false),
        (0xfff0_ffff, 16, false),
        (0xffff_0000, 0, false),
        (0x0000_ffff, 0xffff_fffc, false),
    ] {
        let end = ways.run(GFX9, &pair, &|wave| {
            wave.state.sgpr[124] = m0;
            *wave.vgprs.lanes_mut(2) = all(address);
            *wave.vgprs.lanes_mut(4) = all(7);
        });
        assert_eq!(end.ended().vgpr(10), &all(if is_inside { 7 } else { 0 }), "{m0:#x} {address:#x}");
    }
}

/// A load to LDS that reaches past its end does not even load the lanes that have no place in it.
#[test]
fn loads_to_lds_past_its_end() {
    let ways = &mut Ways::new();
    let words = buffer(LOAD_DWORD, 1, 0, 0, 2, 128);
    let words = [words[0] | 1 << 16, words[1]];
    for (m0, first) in [(LEN - 8, LEN - 8), (LEN, LEN), (0xffff, 0xffff), (0xabcd_0000 | (LEN - 4), LEN - 4)] {
        let end = ways.run(GFX9, &words, &|wave| {
            wave.state.sgpr[8..12].copy_from_slice(&[BASE as u32, 0, 0x1000, 0x0002_7fac]);
            wave.state.sgpr[124] = m0;
            // Lanes that have no place in LDS have wild offsets.
            *wave.vgprs.lanes_mut(2) = lanes(|lane| if first + 4 * lane + 4 <= LEN { 4 } else { 0xfff });
        });
        let inside = (LEN.saturating_sub(first) / 4 * 4) as usize;
        let mut expected = vec![0xaa; LDS - inside];
        expected.extend([4, 5, 6, 7].repeat(inside / 4));
        assert_eq!(end.ended().lds, expected, "{m0:#x}");
    }
    let end = ways.run(GFX9, &words, &|wave| {
        wave.state.sgpr[8..12].copy_from_slice(&[BASE as u32, 0, 0x1000, 0x0002_7fac]);
        *wave.vgprs.lanes_mut(2) = all(0xfff);
    });
    end.faults_with(Load, BASE + 0xfff, 4, Some(0));
}
