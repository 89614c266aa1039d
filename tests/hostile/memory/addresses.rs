//! Wild and wrapped addresses of GLOBAL, FLAT, SCRATCH and SMEM.

use gcnsim_isa::Arch;
use gcnsim_machine::Access::{self, Atomic, Load, Store};

use super::ways::{APERTURES, BASE, FIXED, LDS, Lanes, SIZE, Ways, all, data, dword, lanes};
use super::words::*;

const GFX9: Arch = Arch::Gcn14;
const END: u64 = BASE + SIZE as u64;

/// Runs a GLOBAL or FLAT instruction with addresses in v[2:3] and data in v[4:7].
fn at(ways: &mut Ways, words: Words, address: impl Fn(u32) -> u64) -> super::ways::End {
    ways.run(GFX9, &words, &|wave| {
        *wave.vgprs.lanes_mut(2) = lanes(|lane| address(lane) as u32);
        *wave.vgprs.lanes_mut(3) = lanes(|lane| (address(lane) >> 32) as u32);
        (4..8).for_each(|n| *wave.vgprs.lanes_mut(n) = lanes(|lane| 0x100 * u32::from(n) + lane));
    })
}

/// Accesses of each size: at the last address where they are inside, at the first where they are not, far away, and at
/// both ends of the address space.
#[test]
fn accesses_outside_memory_are_faults() {
    let ways = &mut Ways::new();
    for (access, op, bytes) in [
        (Load, LOAD_UBYTE, 1),
        (Load, LOAD_DWORD, 4),
        (Load, LOAD_X2, 8),
        (Load, LOAD_X4, 16),
        (Store, STORE_BYTE, 1),
        (Store, STORE_SHORT, 2),
        (Store, STORE_X2, 8),
        (Store, STORE_X4, 16),
    ] {
        let words = global(op, 0, 1, 4, 2);
        at(ways, words, |_| END - bytes).ended();
        let outside = [END, END - bytes + 1, BASE - 1, BASE - bytes, 0, 1, u64::MAX, 0u64.wrapping_sub(bytes)];
        for address in outside.into_iter().chain([1 << 47, (1 << 47) - 1, 1 << 63, 0x1234_5678_9abc]) {
            at(ways, words, |_| address).faults_with(access, address, bytes as u32, Some(0));
            // If one lane has a wild address, the instruction has no effect.
            let one = at(ways, words, |lane| if lane == 37 { address } else { BASE });
            one.faults_with(access, address, bytes as u32, Some(37));
            assert_eq!(one.vgpr(1), &all(0));
        }
    }
}

/// Addresses have 48 bits; higher bits are ignored and taken from bit 47. Faults state the computed address.
#[test]
fn high_bits_of_addresses_do_not_count() {
    let ways = &mut Ways::new();
    for high in [0x0003, 0x8000, 0xffff] {
        let loaded = at(ways, global(LOAD_DWORD, 0, 1, 4, 2), |lane| high << 48 | (BASE + 4 * u64::from(lane)));
        assert_eq!(loaded.ended().vgpr(1), &lanes(|lane| dword(4 * lane as usize)));
        let wild = at(ways, global(LOAD_DWORD, 0, 1, 4, 2), |_| high << 48 | END);
        wild.faults_with(Load, high << 48 | END, 4, Some(0));
    }
}

/// Sums have 64 bits: base and offset may wrap into memory. Low dwords of a row of lanes may wrap, but the row does
/// not.
#[test]
fn sums_wrap_at_64_bits() {
    let ways = &mut Ways::new();
    let below = at(ways, global(LOAD_DWORD, -4096, 1, 4, 2), |lane| BASE + 4096 + 4 * u64::from(lane));
    assert_eq!(below.ended().vgpr(1)[9], dword(36));
    let words = global_saddr(LOAD_DWORD, 2, 1, 4, 2);
    let mut with_base = |base: u64, low: Lanes| {
        ways.run(GFX9, &words, &|wave| {
            wave.state.set_pair(2, base);
            *wave.vgprs.lanes_mut(2) = low;
        })
    };
    // The base is -8, or below memory by the most that a VGPR can add.
    let wrapped = with_base(0u64.wrapping_sub(8), lanes(|lane| BASE as u32 + 8 + 4 * lane));
    assert_eq!(wrapped.ended().vgpr(1)[63], dword(252));
    let base = BASE.wrapping_sub(0xffff_ff00);
    let far = with_base(base, lanes(|lane| 0xffff_ff00 + 4 * lane));
    assert_eq!(far.ended().vgpr(1), &lanes(|lane| dword(4 * lane as usize)));
    // Lane 32 wraps to 4 GiB below lane 31, which is the last in memory.
    let base = BASE.wrapping_sub(0xffff_ff80);
    let end = with_base(base, lanes(|lane| 0xffff_ff80u32.wrapping_add(4 * lane)));
    end.faults_with(Load, base, 4, Some(32));
}

/// Lanes are near each other, or at distances that wrap 32 bits, in both directions.
#[test]
fn rows_of_lanes_that_leave_memory() {
    let ways = &mut Ways::new();
    for step in [4i64, -4, 8, 1, 0x4000_0000, i64::from(u32::MAX) + 1 - 4] {
        for start in [BASE, END - 4, BASE + 128] {
            let address = |lane: u32| start.wrapping_add_signed(step * i64::from(lane));
            let inside = |lane: &u32| (BASE..=END - 4).contains(&address(*lane));
            let load = at(ways, global(LOAD_DWORD, 0, 1, 4, 2), address);
            match (0..64).find(|lane| !inside(lane)) {
                Some(lane) => load.faults_with(Load, address(lane), 4, Some(lane as u8)),
                None => assert_eq!(load.ended().vgpr(1), &lanes(|lane| dword((address(lane) - BASE) as usize))),
            }
            let store = at(ways, global(STORE_DWORD, 0, 0, 4, 2), address);
            if let Some(lane) = (0..64).find(|lane| !inside(lane)) {
                store.faults_with(Store, address(lane), 4, Some(lane as u8));
            }
        }
    }
}

/// Atomics work on the last dword of memory, but not on its last three bytes, nor at unaligned addresses.
#[test]
fn atomics_on_the_last_bytes() {
    let ways = &mut Ways::new();
    for (op, bytes) in [(ATOMIC_ADD, 4), (ATOMIC_CMPSWAP, 4), (ATOMIC_ADD_X2, 8)] {
        for words in [global(op, 0, 1, 4, 2), glc(global(op, 0, 1, 4, 2)), flat(op, 0, 1, 4, 2)] {
            let last = END - bytes;
            let added = at(ways, words, |_| last);
            assert_eq!(added.ended().data[..(last - BASE) as usize], data()[..(last - BASE) as usize]);
            // The compared value is not in memory, so CMPSWAP changes nothing.
            assert_eq!(added.data == data(), op == ATOMIC_CMPSWAP);
            for address in [last + 1, last + 2, last - 1, END - 1, END, END - bytes / 2, BASE - bytes, BASE + 2] {
                let one = at(ways, words, |lane| if lane < 63 { BASE } else { address });
                one.faults_with(Atomic, address, bytes as u32, Some(63));
            }
            at(ways, words, |_| FIXED).faults_with(Atomic, FIXED, bytes as u32, Some(0));
        }
    }
}

/// Read-only memory can be loaded, but not stored to.
#[test]
fn stores_to_what_is_read_only() {
    let ways = &mut Ways::new();
    let load = at(ways, global(LOAD_DWORD, 0, 1, 4, 2), |lane| FIXED + 4 * u64::from(lane));
    assert_eq!(load.ended().vgpr(1)[1], dword(4));
    for op in [STORE_BYTE, STORE_SHORT, STORE_DWORD, STORE_X4] {
        let fault = at(ways, global(op, 0, 0, 4, 2), |_| FIXED + 32).fault();
        assert_eq!((fault.access, fault.address), (Store, FIXED + 32));
    }
}

/// FLAT: an address in the aperture of LDS is a byte of LDS. Past the allocation it is a fault.
#[test]
fn flat_addresses_of_lds() {
    let ways = &mut Ways::new();
    let window = u64::from(APERTURES.shared) << 32;
    let last = window + LDS as u64 - 4;
    assert_eq!(at(ways, flat(LOAD_DWORD, 0, 1, 4, 2), |_| last).ended().vgpr(1), &all(0xaaaa_aaaa));
    let stored = at(ways, flat(STORE_DWORD, 0, 0, 4, 2), |_| last);
    assert_eq!(stored.ended().lds[LDS - 8..], [0xaa, 0xaa, 0xaa, 0xaa, 63, 4, 0, 0]);
    for address in [last + 1, last + 4, window + 0xffff_ffff, window + 0xffff_fffc, window + 0x1_0000] {
        at(ways, flat(LOAD_DWORD, 0, 1, 4, 2), |_| address).faults_with(Load, address, 4, Some(0));
        at(ways, flat(STORE_DWORD, 0, 0, 4, 2), |lane| if lane == 0 { window } else { address }).fault();
        at(ways, flat(ATOMIC_ADD, 0, 1, 4, 2), |_| address).fault();
    }
    // After the aperture, and where OFFSET leads out of it, addresses are those of memory, where nothing is mapped.
    for (offset, address) in [(0, window + (1 << 32)), (4095, window + 0xffff_f800), (0, window - 4)] {
        at(ways, flat(LOAD_DWORD, offset, 1, 4, 2), |_| address).fault();
    }
    // GLOBAL has no apertures.
    for (op, access) in [(LOAD_DWORD, Load), (STORE_DWORD, Store), (ATOMIC_ADD, Atomic)] {
        at(ways, global(op, 0, 1, 4, 2), |_| window).faults_with(access, window, 4, Some(0));
    }
}

/// FLAT and SCRATCH: each dword of a lane is 256 bytes after the one before. Each lane has one dword here, so a dword
/// at offset 2, or anything from offset 4 on, is outside.
#[test]
fn private_offsets_past_the_share_of_a_lane() {
    let ways = &mut Ways::new();
    let window = u64::from(APERTURES.private) << 32;
    let mut private = |words: Words, offset: u32| {
        ways.run(GFX9, &words, &|wave| {
            wave.state.set_pair(102, BASE); // FLAT_SCRATCH
            *wave.vgprs.lanes_mut(2) = all(offset);
            *wave.vgprs.lanes_mut(3) = all((window >> 32) as u32);
            *wave.vgprs.lanes_mut(4) = lanes(|lane| 0x400 + lane);
        })
    };
    for make in [flat, scratch] {
        let load = private(make(LOAD_DWORD, 0, 1, 4, 2), 0);
        assert_eq!(load.ended().vgpr(1), &lanes(|lane| dword(4 * lane as usize)));
        assert_eq!(private(make(STORE_DWORD, 0, 0, 4, 2), 0).ended().data[252..], [63, 4, 0, 0]);
        for offset in [4, 8, 0x1000, 0x00ff_fffc, 0x0100_0000, 0x7fff_fffc, 0x8000_0000, 0xffff_fffc] {
            let address = |lane: u64| BASE + u64::from(offset) * 64 + 4 * lane;
            let load = private(make(LOAD_DWORD, 0, 1, 4, 2), offset);
            load.faults_with(Load, address(0), 4, Some(0));
            private(make(STORE_DWORD, 0, 0, 4, 2), offset).faults_with(Store, address(0), 4, Some(0));
        }
        // The first half of this dword is inside, the second is not.
        private(make(LOAD_DWORD, 0, 1, 4, 2), 2).faults_with(Load, BASE + 256, 2, Some(0));
        private(make(STORE_X2, 0, 0, 4, 2), 0).faults_with(Store, BASE + 256, 4, Some(0));
    }
    // The sum in SCRATCH has 32 bits, so it wraps to 0.
    assert_eq!(private(scratch(LOAD_DWORD, 4, 1, 4, 2), 0xffff_fffc).ended().vgpr(1)[2], dword(8));
}

/// Before GCN 1.4 FLAT_SCRATCH_LO is the size of a lane's scratch in bytes. Accesses past it are faults, even where
/// memory is mapped.
#[test]
fn flat_scratch_has_a_limit_before_gcn_1_4() {
    let ways = &mut Ways::new();
    for (limit, offset, is_inside) in [
        (4, 0, true),
        (4, 1, false),
        (3, 0, false),
        (0, 0, false),
        (u32::MAX, 0, true),
        (u32::MAX, 4, false), // Unmapped.
        (u32::MAX, 0xffff_fffc, false),
    ] {
        for (op, access) in [(LOAD_DWORD, Load), (STORE_DWORD, Store)] {
            let end = ways.run(Arch::Gcn12, &flat(op, 0, 1, 4, 2), &|wave| {
                wave.state.set_pair(102, u64::from(limit));
                *wave.vgprs.lanes_mut(2) = all(offset);
                *wave.vgprs.lanes_mut(3) = all(APERTURES.private);
                *wave.vgprs.lanes_mut(4) = all(7);
            });
            match is_inside {
                true => assert_eq!(end.ended().data != data(), access == Store),
                false => {
                    assert_eq!((end.fault().access, end.fault().lane), (access, Some(0)), "{limit:#x} {offset:#x}")
                }
            }
        }
    }
}

/// SMEM: accesses to the last dwords, and accesses that begin in memory and end outside.
#[test]
fn scalar_accesses_at_the_end_of_memory() {
    let ways = &mut Ways::new();
    let mut scalar = |words: Words, base: u64| ways.run(GFX9, &words, &|wave| wave.state.set_pair(2, base));
    for (op, bytes) in [(0, 4u64), (1, 8), (2, 16), (3, 32), (4, 64)] {
        let words = smem(op, 16, 2, 0);
        assert_eq!(scalar(words, END - bytes).ended().wave.state.sgpr[16], dword(SIZE - bytes as usize));
        for base in [END - bytes + 4, END, BASE - 4, 0, 0u64.wrapping_sub(bytes), 0u64.wrapping_sub(4), 1 << 63] {
            let fault = scalar(words, base);
            fault.faults_with(Load, base, bytes as u32, None);
            assert_eq!(fault.wave.state.sgpr[16], 0);
        }
    }
    for (base, offset) in [(BASE + (1 << 20), -(1 << 20)), (BASE.wrapping_sub(0xf_fffc), 0xf_fffc)] {
        assert_eq!(scalar(smem(0, 16, 2, offset), base).ended().wave.state.sgpr[16], dword(0));
    }
    // s_store_dword x1, x2, x4; s_atomic_add, s_atomic_add_x2.
    for (op, bytes, access) in
        [(16, 4u64, Store), (17, 8, Store), (18, 16, Store), (130, 4, Atomic), (162, 8, Access::Atomic)]
    {
        scalar(smem(op, 16, 2, 0), END - bytes).ended();
        for base in [END, END - bytes + 4, FIXED] {
            scalar(smem(op, 16, 2, 0), base).faults_with(access, base, bytes as u32, None);
        }
    }
    let misaligned = scalar(smem(162, 16, 2, 0), BASE + 4);
    misaligned.faults_with(Atomic, BASE + 4, 8, None);
}
