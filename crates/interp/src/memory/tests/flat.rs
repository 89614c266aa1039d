use gcnsim_isa::flat_scratch;
use gcnsim_machine::Apertures;

use super::*;

/// 64-bit addresses in v[0:1], 16 bytes apart.
fn at_memory(arch: Arch) -> Place {
    Place::new(arch).vgpr64(0, |lane| MEMORY + 16 * lane)
}

#[test]
fn loads_of_every_width() {
    for arch in [GFX7, GFX8, GFX9] {
        let mut place = at_memory(arch).exec(1 << 8 | 1 << 15);
        let mut load = |mnemonic: &str| {
            place.run(flat(arch, mnemonic, [0, 0, 4], 0, None));
            place.column::<4>(4, 15)
        };
        // Byte 240 and those behind are 0xf0 to 0xfa, then 0.
        assert_eq!([load("flat_load_ubyte")[0], load("flat_load_sbyte")[0]], [0xf0, 0xffff_fff0]);
        assert_eq!([load("flat_load_ushort")[0], load("flat_load_sshort")[0]], [0xf1f0, 0xffff_f1f0]);
        assert_eq!(load("flat_load_dword")[0], 0xf3f2_f1f0);
        assert_eq!(load("flat_load_dwordx2")[..2], [0xf3f2_f1f0, 0xf7f6_f5f4]);
        assert_eq!(load("flat_load_dwordx3")[..3], [0xf3f2_f1f0, 0xf7f6_f5f4, 0x00fa_f9f8]);
        assert_eq!(load("flat_load_dwordx4"), [0xf3f2_f1f0, 0xf7f6_f5f4, 0x00fa_f9f8, 0x0403_0201]);
        assert_eq!((place.lane(4, 8), place.lane(4, 7)), (initial(128), 0));
    }
}

#[test]
fn addresses_of_gcn14() {
    let mut place = at_memory(GFX9).vgpr(2, |lane| 4 * lane).sgprs(4, &[MEMORY as u32, 0]).exec(3);
    place.run(flat(GFX9, "flat_load_dword", [0, 0, 4], 4095, None));
    assert_eq!(place.lanes(4), [initial(4095), initial(4095 + 16)]);
    place.run(flat(GFX9, "global_load_dword", [0, 0, 4], 0x800, None));
    assert_eq!(place.lanes(4), [initial(0x800), initial(0x810)]);
    place.run(flat(GFX9, "global_load_dword", [2, 0, 4], 8, Some(4)));
    assert_eq!(place.lanes(4), [initial(8), initial(12)]);
    // The register offset has no sign, the constant has one.
    place.map(0x1_0000_0000, 64, true);
    let mut place = place.dwords(0x1_0000_0000, &[77]).vgpr(2, |_| 0xffff_fff0).sgprs(4, &[0x14, 0]);
    assert_eq!(place.run(flat(GFX9, "global_load_dword", [2, 0, 4], -4, Some(4))), NO_NOTES);
    assert_eq!(place.lanes(4), [77, 77]);
    // The address may be overwritten.
    let mut place = at_memory(GFX9).exec(3);
    place.run(flat(GFX9, "global_load_dwordx2", [0, 0, 0], 0, None));
    assert_eq!([place.lanes(0), place.lanes(1)], [[initial(0), initial(16)], [initial(4), initial(20)]]);
    // 48 bits, whatever is above.
    let mut place = Place::new(GFX9).vgpr64(0, |_| MEMORY | 0x1234 << 48).exec(1);
    place.run(flat(GFX9, "global_load_dword", [0, 0, 4], 0, None));
    assert_eq!(place.lane(4, 0), initial(0));
}

#[test]
fn stores_of_every_width() {
    let stored = |mnemonic: &str| {
        let mut place = Place::new(GFX9).vgpr64(0, |_| MEMORY + 0x101).exec(4);
        for n in 0..4u32 {
            place = place.vgpr(2 + n as u8, |lane| 0x9080_7060 + n + lane);
        }
        place.run(flat(GFX9, mnemonic, [0, 2, 0], -1, None));
        place.bytes(MEMORY + 0x100, 17)
    };
    let all: Vec<u8> = (0..4u32).flat_map(|n| (0x9080_7062 + n).to_le_bytes()).collect();
    let before: Vec<u8> = (0x100..0x111).map(|i| (i % 251) as u8).collect();
    for (mnemonic, data) in [
        ("global_store_byte", &all[..1]),
        ("global_store_short", &all[..2]),
        ("global_store_byte_d16_hi", &all[2..3]),
        ("global_store_short_d16_hi", &all[2..4]),
        ("global_store_dword", &all[..4]),
        ("global_store_dwordx2", &all[..8]),
        ("global_store_dwordx3", &all[..12]),
        ("global_store_dwordx4", &all[..]),
    ] {
        let mut expected = before.clone();
        expected[..data.len()].copy_from_slice(data);
        assert_eq!(stored(mnemonic), expected, "{mnemonic}");
    }
}

#[test]
fn lanes_that_store_to_one_place() {
    let mut place = Place::new(GFX9).vgpr64(0, |_| MEMORY).vgpr(2, |lane| lane).exec(0b0111);
    assert_eq!(place.run(flat(GFX9, "flat_store_dword", [0, 2, 0], 0, None)), ["lane-order"]);
    assert_eq!(place.dword(MEMORY), 2);
    // Equal data raise no note.
    let mut place = place.vgpr(2, |_| 9);
    assert_eq!(place.run(flat(GFX9, "flat_store_dword", [0, 2, 0], 0, None)), NO_NOTES);
    // Nor does order, where bytes touch; where they overlap, it does.
    let mut place = Place::new(GFX9).vgpr64(0, |lane| MEMORY + 12 - 4 * lane).vgpr(2, |lane| lane).exec(0xf);
    assert_eq!(place.run(flat(GFX9, "flat_store_dword", [0, 2, 0], 0, None)), NO_NOTES);
    let mut place = Place::new(GFX9).vgpr64(0, |lane| MEMORY + 3 * lane).vgpr(2, |lane| 0x0100_0000 + lane).exec(3);
    assert_eq!(place.run(flat(GFX9, "flat_store_dword", [0, 2, 0], 0, None)), NO_NOTES, "01 meets 01");
    let mut place = place.vgpr(2, |lane| 0x0200_0000 + lane);
    assert_eq!(place.run(flat(GFX9, "flat_store_dword", [0, 2, 0], 0, None)), ["lane-order"]);
    assert_eq!(place.bytes(MEMORY, 7), [0, 0, 0, 1, 0, 0, 2]);
}

#[test]
fn atomics_return_to_vdst() {
    for arch in [GFX7, GFX8, GFX9] {
        let mut place = Place::new(arch).vgpr64(0, |_| MEMORY).vgpr(2, |lane| lane).dwords(MEMORY, &[100]).exec(0xf);
        assert_eq!(place.run(flat(arch, "flat_atomic_add", [0, 2, 4], 0, None)), NO_NOTES);
        assert_eq!((place.dword(MEMORY), place.lanes(4)), (106, [0, 0]));
        assert_eq!(place.run(with(flat(arch, "flat_atomic_add", [0, 2, 4], 0, None), &[GLC_FLAT])), ["lane-order"]);
        assert_eq!((place.dword(MEMORY), place.lanes(4)), (112, [106, 106, 107, 109]));
        let mut place = place.vgpr(2, |_| 7).vgpr(3, |_| 112).exec(1);
        place.run(with(flat(arch, "flat_atomic_cmpswap", [0, 2, 4], 0, None), &[GLC_FLAT]));
        assert_eq!((place.dword(MEMORY), place.lane(4, 0), place.lane(2, 0)), (7, 112, 7));
        let (found, note) = place.vgpr64(0, |_| MEMORY + 4).fault(flat(arch, "flat_atomic_add_x2", [0, 2, 4], 0, None));
        assert_eq!((found, note), (fault(Access::Atomic, MEMORY + 4, 8, Some(0)), Some(Note::AtomicAlign)));
    }
    let mut place = Place::new(GFX9).vgpr64(0, |_| MEMORY).vgpr64(2, |_| 1 << 32).dwords(MEMORY, &[5, 6]).exec(1);
    place.run(with(flat(GFX9, "global_atomic_add_x2", [0, 2, 4], 0, None), &[GLC_FLAT]));
    assert_eq!(([0, 4].map(|at| place.dword(MEMORY + at)), place.column(4, 0)), ([5, 7], [5, 6]));
    let mut place =
        Place::new(GFX7).vgpr64(0, |_| MEMORY).vgpr(2, |_| 1f32.to_bits()).dwords(MEMORY, &[2f32.to_bits()]);
    place.wave.state.set_exec(1);
    place.run(with(flat(GFX7, "flat_atomic_fmin", [0, 2, 4], 0, None), &[GLC_FLAT]));
    assert_eq!((place.dword(MEMORY), place.lane(4, 0)), (1f32.to_bits(), 2f32.to_bits()));
}

#[test]
fn a_fault_of_one_lane_undoes_all() {
    let mut place = at_memory(GFX9).vgpr64(0, |lane| if lane == 5 { 0x5000 } else { MEMORY + 4 * lane });
    let (found, note) = place.fault(flat(GFX9, "flat_load_dword", [0, 0, 4], 0, None));
    assert_eq!((found, note), (fault(Access::Load, 0x5000, 4, Some(5)), None));
    let (found, _) = place.fault(flat(GFX9, "flat_store_dwordx2", [0, 2, 4], 8, None));
    assert_eq!(found, fault(Access::Store, 0x5008, 8, Some(5)));
    let (found, _) = place.fault(flat(GFX9, "global_atomic_inc", [0, 2, 4], 8, None));
    assert_eq!(found, fault(Access::Atomic, 0x5008, 4, Some(5)));
    // The lane of the fault is inactive.
    let mut place = place.exec(!(1 << 5));
    place.run(flat(GFX9, "flat_load_dword", [0, 0, 4], 0, None));
    assert_eq!(place.lanes(4), [initial(0), initial(4), initial(8), initial(12), initial(16), 0, initial(24)]);
}

/// Apertures as Linux has them.
fn windows(arch: Arch) -> Apertures {
    match arch.is_gcn14_or_later() {
        true => Apertures { shared: 0x1_0000, private: 0x2_0000, hidden_private_base: 0 },
        false => Apertures { shared: 0x2000_0000, private: 0x2000_0001, hidden_private_base: MEMORY },
    }
}

/// Scratch begins at MEMORY + 0x1000.
fn with_windows(arch: Arch) -> Place {
    let mut place = Place::new(arch);
    place.context.apertures = Some(windows(arch));
    let base = match arch.is_gcn14_or_later() {
        true => [MEMORY as u32 + 0x1000, 0],
        false => [64, 0x10],
    };
    place.sgprs(flat_scratch(arch), &base)
}

#[test]
fn flat_addresses_mean_three_things() {
    for arch in [GFX7, GFX8, GFX9] {
        let Apertures { shared, private, .. } = windows(arch);
        let mut place = with_windows(arch).lds(8, &[0x1111]).dwords(MEMORY + 0x1000 + 256 + 4, &[0x2222]);
        place = place.vgpr64(0, |lane| match lane {
            0 => (shared as u64) << 32 | 8,
            1 => (private as u64) << 32 | 4,
            _ => MEMORY + 4,
        });
        let mut place = place.vgpr(2, |lane| lane + 1).exec(7);
        place.run(flat(arch, "flat_load_dword", [0, 0, 4], 0, None));
        assert_eq!(place.lanes(4), [0x1111, 0x2222, initial(4)]);
        place.run(with(flat(arch, "flat_atomic_add", [0, 2, 4], 0, None), &[GLC_FLAT]));
        assert_eq!(place.lanes(4), [0x1111, 0x2222, initial(4)]);
        assert_eq!(
            (place.lds_dword(8), place.dword(MEMORY + 0x1104), place.dword(MEMORY + 4)),
            (0x1112, 0x2224, initial(4) + 3)
        );
        place.run(flat(arch, "flat_store_byte", [0, 2, 4], 0, None));
        assert_eq!([place.lds_dword(8), place.dword(MEMORY + 0x1104)], [0x1101, 0x2202]);
        // M0 does not limit it, but the allocation does.
        let mut place = place.sgprs(reg::M0, &[0]).exec(1);
        place.run(flat(arch, "flat_load_dword", [0, 0, 4], 0, None));
        assert_eq!(place.lane(4, 0), 0x1101);
        let behind = (shared as u64) << 32 | 1021;
        let (found, _) = place.vgpr64(0, |_| behind).fault(flat(arch, "flat_load_dword", [0, 0, 4], 0, None));
        assert_eq!(found, fault(Access::Load, behind, 4, Some(0)));
    }
}

#[test]
fn offsets_can_leave_an_aperture() {
    let mut place = with_windows(GFX9).vgpr64(0, |_| 0x0_ffff_ffff_fffc).lds(0, &[5]).exec(1);
    assert_eq!(place.run(flat(GFX9, "flat_load_dword", [0, 0, 4], 4, None)), ["flat-offset-aperture"]);
    assert_eq!(place.lane(4, 0), 5);
    // GLOBAL does not look at windows, and 48 bits of such an address mean nothing.
    let mut place = with_windows(GFX9).vgpr64(0, |_| 0x1_0000_0000_0000 | MEMORY);
    let (found, _) = place.fault(flat(GFX9, "global_load_dword", [0, 0, 4], 0, None));
    assert_eq!(found, fault(Access::Load, 0x1_0000_0000_0000 | MEMORY, 4, Some(0)));
    // Without windows every address is a global one.
    let mut place = Place::new(GFX9).vgpr64(0, |_| 0x1_0000_0000_0000 | MEMORY).exec(1);
    place.run(flat(GFX9, "flat_load_dword", [0, 0, 4], 0, None));
    assert_eq!(place.lane(4, 0), initial(0));
}

#[test]
fn scratch_is_interleaved() {
    // Byte 10 of lane 5 lies at wave_base + 534.
    let mut place = with_windows(GFX9).vgpr(0, |_| 8).vgpr(2, |_| 0xab).exec(1 << 5);
    place.run(flat(GFX9, "scratch_store_byte", [0, 2, 0], 2, None));
    assert_eq!(place.bytes(MEMORY + 0x1000 + 534, 1), [0xab]);
    place.run(flat(GFX9, "scratch_load_ubyte", [0, 0, 4], 2, None));
    assert_eq!(place.lane(4, 5), 0xab);
    // By a scalar register; the vector register does not count.
    let mut place = place.sgprs(8, &[11]).vgpr(0, |_| 0x7fff_0000);
    assert_eq!(place.run(flat(GFX9, "scratch_load_ubyte", [0, 0, 4], -1, Some(8))), ["scratch-negative-offset"]);
    assert_eq!(place.lane(4, 5), 0xab);
    // Sixteen bytes from offset 2 on are in five dwords.
    let mut place = with_windows(GFX9).vgpr(0, |_| 2).exec(1 << 5);
    for n in 0..4u32 {
        place = place.vgpr(8 + n as u8, |_| 0x0101_0101 * (n + 1));
    }
    let before: Vec<u32> = (0..5).map(|d| place.dword(MEMORY + 0x1000 + 256 * d + 20)).collect();
    place.run(flat(GFX9, "scratch_store_dwordx4", [0, 8, 0], 0, None));
    let after: Vec<u32> = (0..5).map(|d| place.dword(MEMORY + 0x1000 + 256 * d + 20)).collect();
    let first = before[0] & 0xffff | 0x0101_0000;
    assert_eq!(after, [first, 0x0202_0101, 0x0303_0202, 0x0404_0303, before[4] & 0xffff_0000 | 0x0404]);
    place.run(flat(GFX9, "scratch_load_dwordx4", [0, 0, 4], 0, None));
    assert_eq!(place.column(4, 5), [0x0101_0101, 0x0202_0202, 0x0303_0303, 0x0404_0404]);
    // Exchanged as a whole.
    let mut place = with_windows(GFX9).vgpr64(0, |_| 0x2_0000_0000_0000 | 8).vgpr64(2, |_| 0x2_0000_0001).exec(1);
    place = place.dwords(MEMORY + 0x1200, &[7]).dwords(MEMORY + 0x1300, &[8]);
    place.run(with(flat(GFX9, "flat_atomic_swap_x2", [0, 2, 4], 0, None), &[GLC_FLAT]));
    assert_eq!((place.column(4, 0), place.dword(MEMORY + 0x1200), place.dword(MEMORY + 0x1300)), ([7, 8], 1, 2));
}

#[test]
fn beyond_the_share_of_scratch() {
    for arch in [GFX7, GFX8] {
        // The share is 64 bytes.
        let mut place = with_windows(arch).vgpr64(0, |_| 0x2000_0001_0000_003c).exec(1);
        place.run(flat(arch, "flat_load_dword", [0, 0, 4], 0, None));
        let mut place = place.vgpr64(0, |_| 0x2000_0001_0000_0040);
        let (found, note) = place.fault(flat(arch, "flat_load_dword", [0, 0, 4], 0, None));
        assert_eq!((found, note), (fault(Access::Load, MEMORY + 0x2000, 4, Some(0)), Some(Note::ScratchOob)));
        let mut place = place.sgprs(flat_scratch(arch), &[0]).vgpr64(0, |_| 0x2000_0001_0000_0000);
        assert_eq!(place.fault(flat(arch, "flat_load_dword", [0, 0, 4], 0, None)).1, Some(Note::ScratchOob));
    }
    let mut place = with_windows(GFX9).vgpr(0, |_| 0x3000 / 64).vgpr(1, |_| 0x2_0000);
    let (found, note) = place.fault(flat(GFX9, "scratch_load_dword", [0, 0, 4], 0, None));
    assert_eq!((found, note), (fault(Access::Load, MEMORY + SIZE as u64, 4, Some(0)), Some(Note::ScratchOob)));
    let (found, note) = place.fault(flat(GFX9, "flat_store_dword", [0, 0, 4], 0, None));
    assert_eq!((found, note), (fault(Access::Store, MEMORY + SIZE as u64, 4, Some(0)), Some(Note::ScratchOob)));
}

#[test]
fn loads_to_lds() {
    let mut place = at_memory(GFX9).sgprs(reg::M0, &[0x7_0012]).exec(0b1001);
    let load = with(flat(GFX9, "global_load_sbyte", [0, 0, 0], 0xf8, None), &[LDS_FLAT]);
    let vgprs = place.wave.vgprs.clone();
    assert_eq!(place.run(load), ["flat-lds-transfer"]);
    // (0x12 & !3) + 0xf8 + 4 * lane; byte 0xf8 + 48 is 296 - 251.
    assert_eq!([0x108, 0x10c, 0x114].map(|at| place.lds_dword(at)), [0xffff_fff8, 0, 45]);
    assert!(place.wave.vgprs == vgprs);
    // Lanes without a dword in LDS do not even look at memory.
    let mut place =
        Place::new(GFX9).vgpr64(0, |lane| if lane == 0 { MEMORY } else { 0 }).sgprs(reg::M0, &[1020]).exec(3);
    place.run(with(flat(GFX9, "global_load_dword", [0, 0, 0], 0, None), &[LDS_FLAT]));
    assert_eq!(place.lds_dword(1020), initial(0));
}

#[test]
fn registers_past_the_last_one() {
    // A source is v0.
    let mut place = Place::new(GFX9).vgpr64(0, |_| MEMORY).exec(1);
    assert_eq!(place.run(flat(GFX9, "flat_store_dword", [0, 200, 0], 0, None)), ["reg-range"]);
    assert_eq!(place.dword(MEMORY), MEMORY as u32);
    // A destination stops everything.
    let vgprs = place.wave.vgprs.clone();
    assert_eq!(place.run(flat(GFX9, "flat_load_dwordx2", [0, 0, 15], 0, None)), ["reg-range"]);
    assert_eq!(place.run(with(flat(GFX9, "flat_atomic_add", [0, 0, 16], 0, None), &[GLC_FLAT])), ["reg-range"]);
    assert!(place.dword(MEMORY) == MEMORY as u32 && place.wave.vgprs == vgprs);
    assert_eq!(place.run(flat(GFX9, "flat_atomic_add", [0, 0, 16], 0, None)), NO_NOTES, "VDST is dead");
    // TFE counts, and its register becomes 0.
    let tfe = |vdst| with(flat(GFX8, "flat_load_dword", [0, 0, vdst], 0, None), &[TFE]);
    let mut place = Place::new(GFX8).vgpr64(0, |_| MEMORY).vgpr(5, |_| 9).exec(1);
    assert_eq!(place.run(tfe(15)), ["reg-range", "tfe"]);
    assert_eq!(place.run(tfe(4)), ["tfe"]);
    assert_eq!((place.column(4, 0), place.lane(5, 1)), ([initial(0), 0], 9));
}
