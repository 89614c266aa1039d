//! DS as compiled code executes it: reads, writes and limits. Expected values follow from docs/gcn/lds.md
//! and docs/gcn/memory-check-values.md.

use crate::memory_machine;

use gcnsim_isa::Arch;
use gcnsim_machine::Place;
use memory_machine::{Machine, ds, gds};

const ALL: [Arch; 4] = [Arch::Gcn10, Arch::Gcn11, Arch::Gcn12, Arch::Gcn14];
const NEW: u32 = 0x5555_0000;
const OLD: u32 = 0xaaaa_aaaa;
const MASKS: [u64; 6] = [u64::MAX, 0, 1, 1 << 63, 0x8000_0000_ffff_0f00, 0x5555_5555_5555_5550];

/// Returns a wave in which v1 is 4 * lane. v2 to v5 are data that differ by register and lane, v6 to v9 are [`OLD`].
fn machine(arch: Arch) -> Machine {
    let mut m = Machine::new(arch);
    m.set(1, |lane| 4 * lane);
    for n in 2..6 {
        m.set(n, |lane| NEW | (n as u32) << 8 | lane);
        m.set(n + 4, |_| OLD);
    }
    m
}

/// Checks that VGPR `n` is `value` in active lanes, [`OLD`] in others.
#[track_caller]
fn check(m: &Machine, n: usize, value: impl Fn(u32) -> u32) {
    for lane in 0..64 {
        let expected = if m.exec >> lane & 1 == 1 { value(lane) } else { OLD };
        assert_eq!(m.vgprs[n].0[lane as usize], expected, "v{n}, lane {lane}, EXEC {:x}", m.exec);
    }
}

/// Arrangements of addresses by lane: in a row, in a row that begins below LDS, equal ones, scattered ones.
const WAYS: [fn(u32) -> u32; 4] =
    [|lane| 8 + 4 * lane, |lane| (4 * lane).wrapping_sub(12), |_| 20, |lane| lane * 40 % 256];

#[test]
fn reads_of_dwords() {
    for arch in ALL {
        for (way, address) in WAYS.into_iter().enumerate() {
            for exec in MASKS {
                let mut m = machine(arch);
                // Lanes 0 to 2 of the second way begin below LDS.
                m.exec = if way == 1 { exec & !7 } else { exec };
                m.set(1, address);
                m.plain("ds_read_b32 v6, v1 offset:16", ds(arch, 54, 16, [1, 0, 0, 6]));
                check(&m, 6, |lane| (address(lane) + 16) / 4);
                check(&m, 7, |_| OLD);
                m.plain("ds_read2_b32 v[6:7], v1 offset0:1 offset1:3", ds(arch, 55, 0x301, [1, 0, 0, 6]));
                check(&m, 6, |lane| (address(lane) + 4) / 4);
                check(&m, 7, |lane| (address(lane) + 12) / 4);
            }
        }
    }
}

#[test]
fn wide_reads() {
    for (arch, exec, step) in
        ALL.into_iter().flat_map(|a| MASKS.map(|e| (a, e))).flat_map(|(a, e)| [(a, e, 8), (a, e, 16), (a, e, 0)])
    {
        let mut m = machine(arch);
        m.exec = exec;
        m.set(1, |lane| lane * step % 512);
        let number = |lane: u32, n: usize| lane * step % 512 / 4 + n as u32;
        m.plain("ds_read_b64 v[6:7], v1 offset:8", ds(arch, 118, 8, [1, 0, 0, 6]));
        (0..2).for_each(|n| check(&m, 6 + n, |lane| number(lane, 2 + n)));
        m.plain("ds_read2_b64 v[6:9], v1 offset1:1", ds(arch, 119, 0x100, [1, 0, 0, 6]));
        (0..4).for_each(|n| check(&m, 6 + n, |lane| number(lane, n)));
        if arch != Arch::Gcn10 && step != 8 {
            m.plain("ds_read_b128 v[6:9], v1 offset:32", ds(arch, 255, 32, [1, 0, 0, 6]));
            (0..4).for_each(|n| check(&m, 6 + n, |lane| number(lane, 8 + n)));
            m.plain("ds_read_b96 v[7:9], v1 offset:16", ds(arch, 254, 16, [1, 0, 0, 7]));
            (0..3).for_each(|n| check(&m, 7 + n, |lane| number(lane, 4 + n)));
            // The address may be overwritten.
            m.plain("ds_read_b128 v[0:3], v1", ds(arch, 255, 0, [1, 0, 0, 0]));
            assert_eq!(
                (m.vgprs[1].0[62], m.vgprs[3].0[62]),
                if exec >> 62 & 1 == 1 { (number(62, 1), number(62, 3)) } else { (62 * step % 512, NEW | 0x33e) }
            );
        }
    }
    // docs/gcn/memory-check-values.md#check-values.
    let mut m = machine(Arch::Gcn14);
    m.set(1, |_| 16);
    m.plain("ds_read2st64_b32 v[6:7], v1 offset0:1 offset1:2", ds(m.arch, 56, 0x201, [1, 0, 0, 6]));
    check(&m, 6, |_| 272 / 4);
    check(&m, 7, |_| 528 / 4);
}

#[test]
fn bytes_and_words_are_extended() {
    let mut m = machine(Arch::Gcn14);
    m.set_dword(0, 0x8081_82f3);
    m.set(1, |lane| lane & 1);
    let odd = |lane: u32, values: [u32; 2]| values[lane as usize & 1];
    m.plain("ds_read_u8 v6, v1", ds(m.arch, 58, 0, [1, 0, 0, 6]));
    check(&m, 6, |lane| odd(lane, [0xf3, 0x82]));
    m.plain("ds_read_i8 v6, v1", ds(m.arch, 57, 0, [1, 0, 0, 6]));
    check(&m, 6, |lane| odd(lane, [0xffff_fff3, 0xffff_ff82]));
    m.plain("ds_read_u16 v6, v1", ds(m.arch, 60, 0, [1, 0, 0, 6]));
    check(&m, 6, |lane| odd(lane, [0x82f3, 0x8182]));
    m.plain("ds_read_i16 v6, v1", ds(m.arch, 59, 0, [1, 0, 0, 6]));
    check(&m, 6, |lane| odd(lane, [0xffff_82f3, 0xffff_8182]));
    m.set(1, |_| 0);
    m.set(6, |_| 0x1234_5678);
    m.plain("ds_read_i8_d16 v6, v1", ds(m.arch, 88, 0, [1, 0, 0, 6]));
    check(&m, 6, |_| 0x1234_fff3);
    m.plain("ds_read_u8_d16_hi v6, v1 offset:1", ds(m.arch, 87, 1, [1, 0, 0, 6]));
    check(&m, 6, |_| 0x0082_fff3);
    m.plain("ds_read_u16_d16 v6, v1 offset:2", ds(m.arch, 90, 2, [1, 0, 0, 6]));
    check(&m, 6, |_| 0x0082_8081);
    // Out of range, the half becomes 0.
    m.set(1, |_| 5000);
    m.plain("ds_read_u16_d16_hi v6, v1", ds(m.arch, 91, 0, [1, 0, 0, 6]));
    check(&m, 6, |_| 0x0000_8081);
}

#[test]
fn writes_of_dwords() {
    for (arch, exec, step) in
        ALL.into_iter().flat_map(|a| MASKS.map(|e| (a, e))).flat_map(|(a, e)| [(a, e, 4), (a, e, 20)])
    {
        // 20 and 1024 have 4 in common, so that 64 lanes have 64 places.
        let place = |lane: u32| lane * step % 1024;
        for records in [false, true] {
            let mut m = machine(arch);
            m.exec = exec;
            m.set(1, place);
            if records {
                m.context.start_recording();
            }
            m.plain("ds_write_b32 v1, v2", ds(arch, 13, 0, [1, 2, 0, 0]));
            let lane_at = |at: u32| (0..64).find(|&lane| exec >> lane & 1 == 1 && place(lane) == at);
            for at in (0..1024).step_by(4) {
                let expected = lane_at(at).map_or(at / 4, |lane| NEW | 0x200 | lane);
                assert_eq!(m.dword(at as usize), expected, "{arch} {exec:x} {step} {at} {records}");
            }
            let journal = m.context.stop_recording();
            let lanes = (0..64).filter(|lane| exec >> lane & 1 == 1);
            let expected: Vec<u64> = lanes.map(|lane| place(lane).into()).collect();
            let written: Vec<u64> = journal.writes().iter().map(|write| write.address).collect();
            assert_eq!(written, if records { expected } else { vec![] });
            assert!(journal.writes().iter().all(|write| write.place == Place::Lds && write.len == 4));
        }
    }
}

#[test]
fn other_writes() {
    let mut m = machine(Arch::Gcn14);
    m.exec = 1 << 5 | 1 << 2;
    m.set(1, |lane| 64 * lane);
    m.plain("ds_write_b64 v1, v[2:3]", ds(m.arch, 77, 0, [1, 2, 0, 0]));
    assert_eq!([320, 324, 328].map(|at| m.dword(at)), [NEW | 0x205, NEW | 0x305, 82]);
    m.plain("ds_write_b96 v1, v[2:4] offset:16", ds(m.arch, 222, 16, [1, 2, 0, 0]));
    assert_eq!([336, 340, 344, 348].map(|at| m.dword(at)), [NEW | 0x205, NEW | 0x305, NEW | 0x405, 87]);
    m.plain("ds_write_b128 v1, v[2:5] offset:16", ds(m.arch, 223, 16, [1, 2, 0, 0]));
    assert_eq!([140, 144, 156, 160].map(|at| m.dword(at)), [35, NEW | 0x202, NEW | 0x502, 40]);
    m.plain("ds_write2_b32 v1, v2, v4 offset0:8 offset1:12", ds(m.arch, 14, 0xc08, [1, 2, 4, 0]));
    assert_eq!([352, 356, 368].map(|at| m.dword(at)), [NEW | 0x205, 89, NEW | 0x405]);
    m.exec = 1;
    m.plain("ds_write2st64_b64 v1, v[2:3], v[4:5] offset1:1", ds(m.arch, 79, 0x100, [1, 2, 4, 0]));
    assert_eq!([0, 4, 512, 516].map(|at| m.dword(at)), [2, 3, 4, 5].map(|n| NEW | n << 8));
    // With equal offsets only the first data are stored.
    m.plain("ds_write2_b32 v1, v2, v4 offset0:8 offset1:8", ds(m.arch, 14, 0x808, [1, 2, 4, 0]));
    assert_eq!((m.dword(32), m.dword(36)), (NEW | 0x200, 9));
    m.set(2, |_| 0x8765_4321);
    m.plain("ds_write_b8 v1, v2 offset:1", ds(m.arch, 30, 1, [1, 2, 0, 0]));
    m.plain("ds_write_b16 v1, v2 offset:2", ds(m.arch, 31, 2, [1, 2, 0, 0]));
    assert_eq!(m.dword(0), 0x4321_2100);
    m.plain("ds_write_b8_d16_hi v1, v2", ds(m.arch, 84, 0, [1, 2, 0, 0]));
    m.plain("ds_write_b16_d16_hi v1, v2 offset:2", ds(m.arch, 85, 2, [1, 2, 0, 0]));
    assert_eq!(m.dword(0), 0x8765_2165);
}

#[test]
fn the_highest_lane_wins() {
    let (text, words) = ("ds_write_b32 v1, v2", ds(Arch::Gcn14, 13, 0, [1, 2, 0, 0]));
    for records in [false, true] {
        // All lanes store at one place, then pairs of lanes do, then pairs that overlap in part.
        for (address, at, expected) in [
            ((|_| 8) as fn(u32) -> u32, 8, NEW | 0x23f),
            (|lane| lane / 2 * 8, 8, NEW | 0x203),
            (|lane| lane / 2 * 8 + lane % 2, 8, (NEW | 0x203) << 8 | 2),
        ] {
            let mut m = machine(Arch::Gcn14);
            m.set(1, address);
            if records {
                m.context.start_recording();
            }
            assert_eq!(m.run(text, words), Some(vec!["lane-order"]));
            assert_eq!(m.dword(at), expected);
            // Equal bytes in one place raise no note.
            m.set(2, |_| 0x0707_0707);
            m.plain(text, words);
            assert_eq!(m.dword(at), 0x0707_0707);
        }
    }
}

#[test]
fn what_is_out_of_range_reads_zero_and_is_not_written() {
    for arch in ALL {
        // M0 limits LDS before GCN 1.4: to 128 bytes, which are 32 lanes.
        let mut m = machine(arch);
        m.sgpr[124] = 128;
        let limit = if arch == Arch::Gcn14 { 256 } else { 32 };
        m.plain("ds_read_b32 v6, v1", ds(arch, 54, 0, [1, 0, 0, 6]));
        check(&m, 6, |lane| if lane < limit { lane } else { 0 });
        m.plain("ds_write_b32 v1, v2", ds(arch, 13, 0, [1, 2, 0, 0]));
        assert_eq!((m.dword(124), m.dword(128)), (NEW | 0x21f, if limit == 32 { 32 } else { NEW | 0x220 }));
        // Bit 16 of M0 counts; the bits above it do not.
        m.sgpr[124] = 0xffff_0000;
        m.plain("ds_read_b32 v6, v1 offset:512", ds(arch, 54, 512, [1, 0, 0, 6]));
        check(&m, 6, |lane| 128 + lane);
        // The allocation ends at 1024.
        m.plain("ds_read_b32 v6, v1 offset:900", ds(arch, 54, 900, [1, 0, 0, 6]));
        check(&m, 6, |lane| if lane < 31 { 225 + lane } else { 0 });
        m.plain("ds_read2_b32 v[6:7], v1 offset1:255", ds(arch, 55, 0xff00, [1, 0, 0, 6]));
        check(&m, 7, |lane| if lane == 0 { 255 } else { 0 });
    }
    let mut m = machine(Arch::Gcn14);
    m.set(1, |_| 1020);
    assert_eq!(m.run("ds_read_b64 v[6:7], v1", ds(m.arch, 118, 0, [1, 0, 0, 6])), Some(vec!["lds-partial-oob"]));
    check(&m, 6, |_| 0);
    check(&m, 7, |_| 0);
    m.set(1, |_| 0xffff_fff0);
    m.plain("ds_read_b32 v6, v1 offset:32", ds(m.arch, 54, 32, [1, 0, 0, 6]));
    check(&m, 6, |_| 4);
    let mut m = machine(Arch::Gcn10);
    m.set(1, |_| 0xffff_fff0);
    assert_eq!(
        m.run("ds_read_b32 v6, v1 offset:32", ds(m.arch, 54, 32, [1, 0, 0, 6])),
        Some(vec!["lds-negative-base"])
    );
    check(&m, 6, |_| 0);
}

#[test]
fn low_bits_are_dropped_before_gcn14() {
    let text = "ds_read_b32 v6, v1 offset:6";
    let mut m = machine(Arch::Gcn12);
    assert_eq!(m.run(text, ds(m.arch, 54, 6, [1, 0, 0, 6])), Some(vec!["lds-misaligned"]));
    check(&m, 6, |lane| lane + 1);
    let mut m = machine(Arch::Gcn14);
    m.plain(text, ds(m.arch, 54, 6, [1, 0, 0, 6]));
    check(&m, 6, |lane| (lane + 1) >> 16 | (lane + 2) << 16);
    let mut m = machine(Arch::Gcn11);
    m.set(1, |_| 24);
    assert_eq!(m.run("ds_read_b96 v[6:8], v1", ds(m.arch, 254, 0, [1, 0, 0, 6])), Some(vec!["lds-misaligned"]));
    check(&m, 6, |_| 4);
}

#[test]
fn registers_past_the_allocation() {
    let mut m = machine(Arch::Gcn14);
    m.set(0, |_| 40);
    // v16 is past the last VGPR, so v0 is the address.
    assert_eq!(m.run("ds_read_b32 v6, v16", ds(m.arch, 54, 0, [16, 0, 0, 6])), Some(vec!["reg-range"]));
    check(&m, 6, |_| 10);
    assert_eq!(m.run("ds_read_b64 v[15:16], v1", ds(m.arch, 118, 0, [1, 0, 0, 15])), Some(vec!["reg-range"]));
    assert_eq!(m.vgprs[15].0, [0; 64]);
    // An atomic whose result has no register is not executed.
    m.set(1, |_| 1);
    let atomic = ds(m.arch, 32, 0, [1, 2, 0, 16]);
    assert_eq!(m.run("ds_add_rtn_u32 v16, v1, v2", atomic), Some(vec!["reg-range"]));
    m.exec = 0;
    m.plain("ds_read_b32 v6, v16", ds(m.arch, 54, 0, [16, 0, 0, 6]));
}

#[test]
fn addresses_by_thread() {
    let mut m = machine(Arch::Gcn14);
    m.sgpr[124] = 0xffff_0008;
    m.plain("ds_read_addtid_b32 v6 offset:4", ds(m.arch, 182, 4, [0, 0, 0, 6]));
    check(&m, 6, |lane| lane + 3);
    m.exec = 1 << 2;
    m.plain("ds_write_addtid_b32 v2", ds(m.arch, 29, 0, [0, 2, 0, 0]));
    assert_eq!([12, 16, 20].map(|at| m.dword(at)), [3, NEW | 0x202, 5]);
}

#[test]
fn the_global_share_has_base_and_size_in_m0() {
    for arch in ALL {
        let mut m = machine(arch);
        m.sgpr[124] = 0x0100_0080;
        m.plain("ds_write_b32 v1, v2 gds", gds(arch, 13, 0, [1, 2, 0, 0]));
        let dword = |m: &Machine, at: usize| u32::from_le_bytes(m.context.gds[at..at + 4].try_into().unwrap());
        assert_eq!([0xfc, 0x100, 0x17c, 0x180].map(|at| dword(&m, at)), [0, NEW | 0x200, NEW | 0x21f, 0]);
        assert_eq!((m.context.gds.len(), m.dword(0)), (65536, 0));
        m.plain("ds_read_b32 v6, v1 offset:4 gds", gds(arch, 54, 4, [1, 0, 0, 6]));
        check(&m, 6, |lane| if lane < 31 { NEW | (0x201 + lane) } else { 0 });
        m.context.start_recording();
        m.exec = 2;
        m.plain("ds_add_u32 v1, v2 gds", gds(arch, 0, 0, [1, 2, 0, 0]));
        let journal = m.context.stop_recording();
        let written: Vec<_> = journal.writes().iter().map(|write| (write.place, write.address)).collect();
        assert_eq!(written, [(Place::Gds, 0x104)]);
        assert_eq!(dword(&m, 0x104), 2 * (NEW | 0x201));
    }
}
