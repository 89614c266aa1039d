use super::*;

const ALL: [Arch; 4] = [GFX6, GFX7, GFX8, GFX9];

/// LDS with dword i = 0x1000 + i.
fn numbered(arch: Arch) -> Place {
    Place::new(arch).lds(0, &(0..256).map(|i| 0x1000 + i).collect::<Vec<_>>())
}

#[test]
fn reads_extend() {
    for arch in ALL {
        let mut place = Place::new(arch).lds(8, &[0x80ff_7f81]).vgpr(0, |_| 4).exec(1);
        let mut read = |mnemonic: &str, offset| {
            place.run(ds(arch, mnemonic, [0, 0, 0, 1], offset));
            place.lane(1, 0)
        };
        assert_eq!([read("ds_read_u8", 4), read("ds_read_i8", 4)], [0x81, 0xffff_ff81]);
        assert_eq!([read("ds_read_u16", 6), read("ds_read_i16", 6)], [0x80ff, 0xffff_80ff]);
        assert_eq!(read("ds_read_b32", 4), 0x80ff_7f81);
    }
}

#[test]
fn halves_of_registers() {
    let run = |mnemonic: &str| {
        let mut place = Place::new(GFX9).lds(0, &[0x80f0]).vgpr(1, |_| 0xaaaa_bbbb).exec(1);
        place.run(ds(GFX9, mnemonic, [0, 0, 0, 1], 0));
        place.lane(1, 0)
    };
    assert_eq!([run("ds_read_u8_d16"), run("ds_read_u8_d16_hi")], [0xaaaa_00f0, 0x00f0_bbbb]);
    assert_eq!([run("ds_read_i8_d16"), run("ds_read_i8_d16_hi")], [0xaaaa_fff0, 0xfff0_bbbb]);
    assert_eq!([run("ds_read_u16_d16"), run("ds_read_u16_d16_hi")], [0xaaaa_80f0, 0x80f0_bbbb]);
    let write = |mnemonic: &str| {
        let mut place = Place::new(GFX9).vgpr(2, |_| 0x1234_5678).exec(1);
        place.run(ds(GFX9, mnemonic, [0, 2, 0, 0], 0));
        place.lds_dword(0)
    };
    assert_eq!([write("ds_write_b8"), write("ds_write_b16")], [0x78, 0x5678]);
    assert_eq!([write("ds_write_b8_d16_hi"), write("ds_write_b16_d16_hi")], [0x34, 0x1234]);
}

#[test]
fn wide_and_double_accesses() {
    let mut place = numbered(GFX9).vgpr(0, |_| 16).exec(1 << 5);
    let mut read = |mnemonic: &str, offset| {
        place.run(ds(GFX9, mnemonic, [0, 0, 0, 4], offset));
        place.column::<4>(4, 5)
    };
    assert_eq!(read("ds_read_b128", 16), [0x1008, 0x1009, 0x100a, 0x100b]);
    assert_eq!(read("ds_read_b96", 0)[..3], [0x1004, 0x1005, 0x1006]);
    assert_eq!(read("ds_read2_b32", 0x0201)[..2], [0x1005, 0x1006]);
    // At 16 + 256 and 16 + 512.
    assert_eq!(read("ds_read2st64_b32", 0x0201)[..2], [0x1044, 0x1084]);
    assert_eq!(read("ds_read2_b64", 0x0201), [0x1006, 0x1007, 0x1008, 0x1009]);
    assert_eq!(read("ds_read2st64_b64", 0x0100), [0x1004, 0x1005, 0x1084, 0x1085]);
    assert_eq!([place.lane(4, 4), place.lane(4, 6)], [0, 0], "inactive lanes");
    let mut place = Place::new(GFX9).vgpr(0, |_| 16).exec(1);
    for n in 0..4u32 {
        place = place.vgpr(2 + n as u8, |_| n + 1);
    }
    place.run(ds(GFX9, "ds_write2_b64", [0, 2, 4, 0], 0x0300));
    assert_eq!([16, 20, 40, 44].map(|at| place.lds_dword(at)), [1, 2, 3, 4]);
    place.run(ds(GFX9, "ds_write2st64_b32", [0, 2, 3, 0], 0x0100));
    assert_eq!([16, 272].map(|at| place.lds_dword(at)), [1, 2]);
    assert_eq!(place.run(ds(GFX9, "ds_write2_b32", [0, 2, 3, 0], 0x0505)), ["ds-equal-offsets"]);
    assert_eq!(place.lds_dword(36), 1, "the first data only");
    assert_eq!(place.run(ds(GFX9, "ds_read2_b32", [0, 0, 0, 8], 0x0505)), ["ds-equal-offsets"]);
    assert_eq!(place.column(8, 0), [1, 1]);
}

#[test]
fn what_is_out_of_range() {
    for arch in ALL {
        let mut place = numbered(arch).vgpr(0, |lane| 1008 + 4 * lane).vgpr(1, |_| 7).exec(0xff);
        assert_eq!(place.run(ds(arch, "ds_read_b32", [0, 0, 0, 1], 4)), NO_NOTES);
        assert_eq!(place.lanes(1), [0x10fd, 0x10fe, 0x10ff, 0, 0, 0, 0, 0]);
        let mut place = numbered(arch).vgpr(0, |_| 1020).vgpr(1, |_| 7).vgpr(2, |_| 8).exec(1);
        place.run(ds(arch, "ds_write2_b32", [0, 1, 2, 0], 0x0100));
        assert_eq!(place.lds_dword(1020), 7, "each address by itself");
        let mut place = numbered(arch).vgpr(0, |_| 1024).vgpr(1, |_| 7).exec(1);
        place.run(ds(arch, "ds_add_rtn_u32", [0, 1, 0, 2], 0));
        assert_eq!(place.lane(2, 0), 0);
    }
    // Addresses wrap at 32 bits.
    let mut place = numbered(GFX9).vgpr(0, |_| u32::MAX - 3).exec(1);
    place.run(ds(GFX9, "ds_read_b32", [0, 0, 0, 1], 12));
    assert_eq!(place.lane(1, 0), 0x1002);
    let mut place = numbered(GFX9).vgpr(0, |_| 1022).vgpr(1, |_| 7).exec(1);
    assert_eq!(place.run(ds(GFX9, "ds_read_b32", [0, 0, 0, 1], 0)), ["lds-partial-oob"]);
    assert_eq!(place.lane(1, 0), 0);
    // GCN 1.0 has a fault with negative addresses.
    let mut place = numbered(GFX6).vgpr(0, |_| u32::MAX - 3).vgpr(1, |_| 7).exec(1);
    assert_eq!(place.run(ds(GFX6, "ds_read_b32", [0, 0, 0, 1], 12)), ["lds-negative-base"]);
    assert_eq!(place.lane(1, 0), 0);
}

#[test]
fn m0_limits_before_gcn14() {
    for arch in ALL {
        let mut place = numbered(arch).vgpr(0, |lane| 4 * lane).sgprs(reg::M0, &[8]).exec(0xf);
        place.run(ds(arch, "ds_read_b32", [0, 0, 0, 1], 0));
        let limited = if arch.is_gcn14_or_later() { [0x1002, 0x1003] } else { [0, 0] };
        assert_eq!(place.lanes(1), [0x1000, 0x1001, limited[0], limited[1]]);
        // Bits above 16 do not count.
        let mut place = numbered(arch).sgprs(reg::M0, &[0xfffe_0000]).exec(1);
        place.run(ds(arch, "ds_read_b32", [0, 0, 0, 1], 0));
        assert_eq!(place.lane(1, 0), if arch.is_gcn14_or_later() { 0x1000 } else { 0 });
    }
}

#[test]
fn misaligned_accesses() {
    for arch in [GFX7, GFX8] {
        let mut place = numbered(arch).vgpr(0, |_| 14).exec(1);
        let mut read = |mnemonic: &str| {
            let notes = place.run(ds(arch, mnemonic, [0, 0, 0, 1], 0));
            (place.lane(1, 0), notes)
        };
        assert_eq!(read("ds_read_b32"), (0x1003, vec!["lds-misaligned"]));
        assert_eq!(read("ds_read_b64"), (0x1002, vec!["lds-misaligned"]));
        assert_eq!(read("ds_read_b96"), (0x1000, vec!["lds-misaligned"]));
        assert_eq!(read("ds_read_b128"), (0x1000, vec!["lds-misaligned"]));
        assert_eq!(read("ds_read_u16"), (0, vec![]));
    }
    let mut place = numbered(GFX9).vgpr(0, |_| 14).exec(1);
    assert_eq!(place.run(ds(GFX9, "ds_read_b32", [0, 0, 0, 1], 0)), NO_NOTES);
    assert_eq!(place.lane(1, 0), 0x1004_0000);
    let mut place = place.vgpr(0, |lane| 4 * lane + (lane == 3) as u32).exec(0xf);
    let (found, note) = place.fault(ds(GFX9, "ds_add_u32", [0, 1, 0, 0], 0));
    assert_eq!((found, note), (fault(Access::Atomic, 13, 4, Some(3)), Some(Note::AtomicAlign)));
    let mut place = numbered(GFX8).vgpr(0, |_| 15).vgpr(1, |_| 1).exec(1);
    assert_eq!(place.run(ds(GFX8, "ds_add_u32", [0, 1, 0, 0], 0)), ["lds-misaligned"]);
    assert_eq!(place.lds_dword(12), 0x1004);
}

#[test]
fn atomics_of_lds() {
    for arch in ALL {
        let mut place = Place::new(arch).lds(0, &[3]).vgpr(1, |_| 3).vgpr(2, |_| 7).exec(1);
        place.run(ds(arch, "ds_cmpst_rtn_b32", [0, 1, 2, 3], 0));
        assert_eq!((place.lds_dword(0), place.lane(3, 0)), (7, 3));
        place.run(ds(arch, "ds_mskor_b32", [0, 1, 2, 0], 0));
        assert_eq!(place.lds_dword(0), 7 & !3 | 7);
        // Without RTN no register changes; all lanes add to one dword.
        let mut place = Place::new(arch).vgpr(1, |lane| lane);
        let vgprs = place.wave.vgprs.clone();
        assert_eq!(place.run(ds(arch, "ds_add_u32", [0, 1, 0, 0], 4)), NO_NOTES);
        assert!(place.lds_dword(4) == 2016 && place.wave.vgprs == vgprs);
        assert_eq!(place.run(ds(arch, "ds_add_rtn_u32", [0, 1, 0, 2], 8)), ["lane-order"]);
        assert_eq!((place.lanes(2), place.lane(2, 63)), ([0, 0, 1, 3, 6], 2016 - 63));
    }
    let mut place = Place::new(GFX9).lds(0, &[5, 1]).vgpr64(2, |_| 0xffff_ffff_ffff_fffe).exec(1);
    place.run(ds(GFX9, "ds_max_rtn_i64", [0, 2, 0, 4], 0));
    assert_eq!((place.lds_dword(0), place.column(4, 0)), (5, [5, 1]));
    place.run(ds(GFX9, "ds_max_u64", [0, 2, 0, 0], 0));
    assert_eq!([0, 4].map(|at| place.lds_dword(at)), [0xffff_fffe, u32::MAX]);
    let mut place = Place::new(GFX9).lds(0, &[10]).vgpr(1, |_| 4).vgpr(2, |_| 100).exec(3);
    place.run(ds(GFX9, "ds_wrap_rtn_b32", [0, 1, 2, 3], 0));
    assert_eq!((place.lanes(3), place.lds_dword(0)), ([10, 6], 2));
    // Floats follow MODE: denormals are kept, then flushed.
    let mut place = Place::new(GFX9).lds(0, &[1]).vgpr(1, |_| 2).exec(1);
    place.wave.state.mode = 0x30;
    assert_eq!(place.run(ds(GFX9, "ds_add_rtn_f32", [0, 1, 0, 2], 0)), NO_NOTES);
    assert_eq!(place.lds_dword(0), 3);
    place.wave.state.mode = 0;
    assert_eq!(place.run(ds(GFX9, "ds_add_f32", [0, 1, 0, 0], 0)), ["lds-float-denorm"]);
    assert_eq!(place.lds_dword(0), 0);
}

#[test]
fn two_exchanges() {
    let data = |place: Place| place.vgpr(1, |_| 0xa).vgpr(2, |_| 0xb).exec(1);
    let mut place = data(numbered(GFX8));
    place.run(ds(GFX8, "ds_wrxchg2_rtn_b32", [0, 1, 2, 4], 0x0301));
    assert_eq!((place.column(4, 0), place.lds_dword(4), place.lds_dword(12)), ([0x1001, 0x1003], 0xa, 0xb));
    let mut place = data(numbered(GFX8));
    assert_eq!(place.run(ds(GFX8, "ds_wrxchg2st64_rtn_b32", [0, 1, 2, 4], 0x0101)), ["ds-equal-offsets"]);
    assert_eq!((place.column(4, 0), place.lds_dword(256)), ([0x1040, 0x1040], 0xa));
    let mut place = numbered(GFX9).vgpr64(2, |_| 0x2_0000_0001).vgpr64(4, |_| 0x4_0000_0003).exec(1);
    place.run(ds(GFX9, "ds_wrxchg2_rtn_b64", [0, 2, 4, 6], 0x0100));
    assert_eq!(place.column(6, 0), [0x1000, 0x1001, 0x1002, 0x1003]);
    assert_eq!([0, 4, 8, 12].map(|at| place.lds_dword(at)), [1, 2, 3, 4]);
    let mut place = data(numbered(GFX9)).vgpr(1, |_| 0x8000_0005).vgpr(2, |_| 6);
    place.run(ds(GFX9, "ds_condxchg32_rtn_b64", [0, 1, 0, 4], 13));
    assert_eq!((place.column(4, 0), place.lds_dword(8), place.lds_dword(12)), ([0x1002, 0x1003], 5, 0x1003));
}

#[test]
fn both_operands_in_lds() {
    for arch in ALL {
        // A = 16, B two dwords behind by OFFSET.
        let mut place = numbered(arch).vgpr(0, |_| 17).exec(1);
        place.run(ds(arch, "ds_add_src2_u32", [0, 0, 0, 0], 2));
        assert_eq!(place.lds_dword(16), 0x1004 + 0x1006);
        // The address is one dword below.
        let mut place = numbered(arch).vgpr(0, |_| 16).exec(1);
        place.run(ds(arch, "ds_write_src2_b32", [0, 0, 0, 0], 0x7fff));
        assert_eq!(place.lds_dword(16), 0x1003);
        // The distance in the register: -2 dwords, in bits 31:17.
        let mut place = numbered(arch).vgpr(0, |_| (-2i32 << 17) as u32 | 16).exec(1);
        place.run(ds(arch, "ds_max_src2_u32", [0, 0, 0, 0], 0x8000));
        assert_eq!(place.lds_dword(16), 0x1004);
        place.run(ds(arch, "ds_sub_src2_u64", [0, 0, 0, 0], 0x8000));
        // The distance is one of dwords, here too: B at 8.
        assert_eq!([16, 20].map(|at| place.lds_dword(at)), [2, 2]);
        let mut place = numbered(arch).vgpr(0, |_| 16).exec(1);
        assert_eq!(place.run(ds(arch, "ds_add_src2_u32", [0, 0, 0, 0], 0x3000)), ["ds-src2"]);
        assert_eq!(place.lds_dword(16), 0x1004);
    }
}

#[test]
fn addresses_by_lane_number() {
    let mut place = numbered(GFX9).sgprs(reg::M0, &[0x5_0010]).exec(0b101);
    place.run(ds(GFX9, "ds_read_addtid_b32", [0, 0, 0, 1], 8));
    assert_eq!(place.lanes(1), [0x1006, 0, 0x1008]);
    let mut place = place.vgpr(2, |lane| 50 + lane);
    place.run(ds(GFX9, "ds_write_addtid_b32", [0, 2, 0, 0], 8));
    assert_eq!([24, 28, 32].map(|at| place.lds_dword(at)), [50, 0x1007, 52]);
}

#[test]
fn append_and_consume() {
    for arch in ALL {
        // M0 as compilers and shipped kernels leave it: it neither moves nor limits the counter.
        for m0 in [u32::MAX, 0x1_ffff, 0x2_ffc0, 0xdead_beef, 16, 0] {
            let mut place = numbered(arch).sgprs(reg::M0, &[m0]).exec(0b1011);
            assert_eq!(place.run(ds(arch, "ds_append", [0, 0, 0, 1], 23)), ["ds-append-m0"]);
            // The low bits of 23 are dropped.
            assert_eq!((place.lanes(1), place.lds_dword(20)), ([0x1005, 0x1005, 0, 0x1005], 0x1008));
            place = place.exec(1 << 63);
            assert_eq!(place.run(ds(arch, "ds_consume", [0, 0, 0, 1], 20)), ["ds-append-m0"]);
            assert_eq!((place.lane(1, 63), place.lds_dword(20)), (0x1008, 0x1007));
            // Behind the end of LDS.
            place.run(ds(arch, "ds_append", [0, 0, 0, 1], 0xfffc));
            assert_eq!(place.lane(1, 63), 0);
        }
    }
}

#[test]
fn the_global_data_share() {
    for arch in ALL {
        // Base 0x100, size 8.
        let mut place = numbered(arch).sgprs(reg::M0, &[0x100_0008]).vgpr(0, |lane| 4 * lane).vgpr(1, |lane| lane + 1);
        place = place.exec(0xf);
        assert_eq!(place.run(with(ds(arch, "ds_write_b32", [0, 1, 0, 0], 0), &[gds(arch)])), ["gds"]);
        assert_eq!(place.context.gds.len(), 0x10000);
        assert_eq!(place.context.gds[0x100..0x110], [1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        place.run(with(ds(arch, "ds_read_b32", [0, 0, 0, 2], 0), &[gds(arch)]));
        assert_eq!((place.lanes(2), place.lds_dword(0)), ([1, 2, 0, 0], 0x1000));
        place.run(with(ds(arch, "ds_append", [0, 0, 0, 2], 0), &[gds(arch)]));
        assert_eq!((place.lane(2, 0), place.context.gds[0x100]), (1, 5));
    }
}

#[test]
fn lanes_exchange() {
    for arch in ALL {
        // Lanes swapped in pairs; the source in lane 1 is inactive.
        let mut place = Place::new(arch).vgpr(1, |lane| 100 + lane).vgpr(2, |_| 7).exec(!2);
        place.run(ds(arch, "ds_swizzle_b32", [1, 0, 0, 2], 0x041f));
        assert_eq!((place.lanes(2), place.lane(2, 63)), ([0, 7, 103, 102, 105], 162));
        // The destination may be the source.
        place.run(ds(arch, "ds_swizzle_b32", [1, 0, 0, 1], 0x041f));
        assert_eq!(place.lanes(1), [0, 101, 103, 102]);
    }
    for arch in [GFX8, GFX9] {
        let four = |exec| {
            let data = |lane: u32| b"ABCD".get(lane as usize).map_or(0, |&letter| letter as u32);
            Place::new(arch)
                .vgpr(0, |lane| [0, 0, 12, 4].get(lane as usize).map_or(128, |&at| at))
                .vgpr(1, data)
                .exec(exec)
        };
        let permuted = |mnemonic: &str, exec| {
            let mut place = four(exec).vgpr(2, |_| b'-' as u32);
            place.run(ds(arch, mnemonic, [0, 1, 0, 2], 0));
            place
                .lanes::<4>(2)
                .map(|value| if value == 0 { '0' } else { value as u8 as char })
                .iter()
                .collect::<String>()
        };
        assert_eq!([permuted("ds_permute_b32", 0xf), permuted("ds_permute_b32", 0xa)], ["BD0C", "-D-0"]);
        assert_eq!([permuted("ds_bpermute_b32", 0xf), permuted("ds_bpermute_b32", 0xa)], ["AADB", "-0-B"]);
        // OFFSET counts, modulo 64 lanes.
        let mut place = four(1);
        place.run(ds(arch, "ds_bpermute_b32", [0, 1, 0, 2], 256 + 8));
        assert_eq!(place.lane(2, 0), 0, "lane 2 is inactive");
    }
}

#[test]
fn nothing_without_lanes() {
    let mut place = numbered(GFX9).exec(0).vgpr(0, |_| 1);
    assert_eq!(place.run(ds(GFX9, "ds_add_u32", [0, 1, 0, 0], 0)), NO_NOTES);
    assert_eq!(place.run(ds(GFX9, "ds_append", [0, 0, 0, 1], 0)), NO_NOTES);
    let mut place = numbered(GFX9).vgpr(1, |_| 9);
    place.wave.state.mode = gcnsim_isa::Mode::VSKIP;
    place.run(ds(GFX9, "ds_write_b32", [0, 1, 0, 0], 0));
    place.run(ds(GFX9, "ds_nop", [0; 4], 0));
    assert_eq!(place.lds_dword(0), 0x1000);
}
