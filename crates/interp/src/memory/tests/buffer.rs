use super::*;

const ALL: [Arch; 4] = [GFX6, GFX7, GFX8, GFX9];

/// Data format 32, number format UINT, selectors X, Y, Z, W.
const WORD3: u32 = 4 << 15 | 4 << 12 | 0xfac;

/// A descriptor in s[4:7].
fn place(arch: Arch, word1: u32, records: u32, word3: u32) -> Place {
    Place::new(arch).sgprs(4, &[MEMORY as u32, word1, records, word3])
}

fn raw(arch: Arch, records: u32) -> Place {
    place(arch, 0, records, WORD3)
}

#[test]
fn index_and_offset() {
    for arch in ALL {
        // Index in v0, offset in v1; stride 16.
        let mut place = place(arch, 16 << 16, 0x4000, WORD3).vgpr(0, |lane| lane).vgpr(1, |_| 4).exec(3);
        let load = mubuf(arch, "buffer_load_dword", [0, 4, 4], 8);
        place.run(with(load, &[OFFEN, IDXEN]));
        assert_eq!(place.lanes(4), [initial(12), initial(28)]);
        place.run(with(load, &[IDXEN]));
        assert_eq!(place.lanes(4), [initial(8), initial(24)]);
        let mut place = raw(arch, 0x4000).vgpr(0, |lane| 4 * lane).exec(3);
        place.run(with(load, &[OFFEN]));
        assert_eq!(place.lanes(4), [initial(8), initial(12)]);
        place.run(load);
        assert_eq!(place.lanes(4), [initial(8), initial(8)]);
        // SOFFSET is any scalar operand: s8, the constant 4, the binary32 pattern of 0.5, EXECZ.
        let mut place = raw(arch, u32::MAX).sgprs(8, &[20]).exec(1);
        for (code, bytes) in [(8, 20), (132, 4), (251, 1), (252, 0)] {
            place.run(soffset(load, code));
            let at = if arch == GFX6 { (bytes + 8) & !3 } else { bytes + 8 };
            assert_eq!(place.lane(4, 0), initial(at), "code {code}");
        }
        let (found, _) = place.fault(soffset(load, 240));
        assert_eq!(found.address, MEMORY + 0x3f00_0000 + 8);
    }
}

#[test]
fn lane_numbers_as_indices() {
    for arch in ALL {
        let mut place = place(arch, 16 << 16, 0x4000, if arch.is_gcn12_or_later() { 0xfac } else { WORD3 } | 1 << 23);
        place.wave.state.set_exec(0b1010);
        place.run(mubuf(arch, "buffer_load_dword", [0, 4, 4], 4));
        assert_eq!(place.lanes(4), [0, initial(20), 0, initial(52)]);
    }
    // From GCN 1.2 on the data format is the stride's upper part: 16,384 + 16 here.
    for (arch, second) in [(GFX7, 16), (GFX8, 0x4010), (GFX9, 0x4010)] {
        let mut place = place(arch, 16 << 16, u32::MAX, 0xfac | 1 << 23 | 1 << 15).exec(2);
        if second < SIZE as u64 {
            place.run(mubuf(arch, "buffer_load_dword", [0, 4, 4], 0));
            assert_eq!(place.lane(4, 1), initial(second));
        } else {
            let (found, _) = place.fault(mubuf(arch, "buffer_load_dword", [0, 4, 4], 0));
            assert_eq!(found.address, MEMORY + second);
        }
    }
}

#[test]
fn addresses_of_64_bits() {
    for arch in [GFX6, GFX7] {
        // As clang makes it: no records, word 3 with a number format only.
        let mut place = place(arch, 0, 0, 0xf000).vgpr64(0, |lane| 16 * lane).exec(3);
        let load = with(mubuf(arch, "buffer_load_dwordx2", [0, 4, 4], 4), &[ADDR64]);
        assert_eq!(place.run(soffset(load, 136)), NO_NOTES);
        assert_eq!([place.lanes(4), place.lanes(5)], [[initial(12), initial(28)], [initial(16), initial(32)]]);
        assert_eq!(place.run(with(load, &[OFFEN])), ["addr64-offen"]);
        assert_eq!(place.lanes(4), [initial(4), initial(20)]);
        // No buffer at all.
        let mut place = place.sgprs(4, &[0; 4]);
        place.run(load);
        assert_eq!(place.lanes(4), [0, 0]);
    }
}

#[test]
fn swizzled_addresses() {
    // stride 0, 64 indices and elements of 4 bytes: lane 5 at offset 10, lane 63 at offset 4099.
    for arch in ALL {
        let word3 = if arch.is_gcn12_or_later() { 0 } else { 4 << 15 } | 1 << 23 | 3 << 21 | 1 << 19;
        let mut place = place(arch, 1 << 31, u32::MAX, word3).exec(1 << 5 | 1 << 63);
        place = place.vgpr(0, |lane| if lane == 5 { 10 } else { 4099 });
        place.context.space = Default::default();
        place.map(MEMORY, 0x41000, true);
        place.context.store(MEMORY + 534, &[0x55]);
        place.context.store(MEMORY + 262_399, &[0x66]);
        place.run(with(mubuf(arch, "buffer_load_ubyte", [0, 4, 4], 0), &[OFFEN]));
        assert_eq!([place.lane(4, 5), place.lane(4, 63)], [0x55, 0x66]);
    }
    // stride 16, 8 indices, elements of 4; index 13, offset 9. Before GCN 1.4 also stride 48, 16 indices, elements of
    // 8; 37, 20.
    for arch in ALL {
        let word3 = WORD3 | 1 << 19;
        let mut place = place(arch, 1 << 31 | 16 << 16, 64, word3).vgpr(0, |_| 13).vgpr(1, |_| 9).exec(1);
        place.run(with(mubuf(arch, "buffer_load_ubyte", [0, 4, 4], 0), &[IDXEN, OFFEN]));
        assert_eq!(place.lane(4, 0), 213);
    }
    for arch in [GFX6, GFX7, GFX8] {
        let word3 = WORD3 | 2 << 19 | 1 << 21;
        let mut place = place(arch, 1 << 31 | 48 << 16, 64, word3).vgpr(0, |_| 37).vgpr(1, |_| 20).exec(1);
        place.run(with(mubuf(arch, "buffer_load_ubyte", [0, 4, 4], 0), &[IDXEN, OFFEN]));
        assert_eq!(place.lane(4, 0), 1836 % 251);
    }
}

#[test]
fn dwords_of_scratch_lie_apart() {
    for arch in ALL {
        let word3 = if arch.is_gcn12_or_later() { 0x00e8_0fac } else { 0x00ea_4fac };
        let mut place = place(arch, 1 << 31, u32::MAX, word3).sgprs(8, &[0x400]).exec(1 << 5);
        place = place.vgpr(0, |_| 4).vgpr(2, |_| 1).vgpr(3, |_| 2);
        let store = soffset(with(mubuf(arch, "buffer_store_dwordx2", [0, 2, 4], 4), &[OFFEN]), 8);
        assert_eq!(place.run(store), ["buffer-swizzle-wide"]);
        assert_eq!([0x400 + 532, 0x400 + 788].map(|at| place.dword(MEMORY + at)), [1, 2]);
    }
    // On GCN 1.4 a negative offset wraps.
    let mut place = place(GFX9, 1 << 31, u32::MAX, 0x00e0_0fac).vgpr(0, |_| u32::MAX - 3).exec(1);
    place.run(with(mubuf(GFX9, "buffer_load_dword", [0, 4, 4], 8), &[OFFEN]));
    assert_eq!(place.lane(4, 0), initial(256));
}

#[test]
fn loads_and_stores() {
    for arch in ALL {
        let mut place = raw(arch, 0x4000).vgpr(0, |_| 240).exec(1);
        let mut load = |mnemonic: &str| {
            place.run(with(mubuf(arch, mnemonic, [0, 4, 4], 0), &[OFFEN]));
            place.column::<4>(4, 0)
        };
        assert_eq!([load("buffer_load_ubyte")[0], load("buffer_load_sbyte")[0]], [0xf0, 0xffff_fff0]);
        assert_eq!([load("buffer_load_ushort")[0], load("buffer_load_sshort")[0]], [0xf1f0, 0xffff_f1f0]);
        assert_eq!(load("buffer_load_dwordx4"), [0xf3f2_f1f0, 0xf7f6_f5f4, 0x00fa_f9f8, 0x0403_0201]);
        if arch != GFX6 {
            assert_eq!(load("buffer_load_dwordx3")[..3], [0xf3f2_f1f0, 0xf7f6_f5f4, 0x00fa_f9f8]);
        }
        let mut place = raw(arch, 0x4000).vgpr(2, |_| 0x8765_4321).exec(1);
        place.run(mubuf(arch, "buffer_store_byte", [0, 2, 4], 0));
        place.run(mubuf(arch, "buffer_store_short", [0, 2, 4], 2));
        assert_eq!(place.dword(MEMORY), 0x4321_0121);
    }
    let mut place = raw(GFX9, 0x4000).vgpr(2, |_| 0x8765_4321).exec(1);
    place.run(mubuf(GFX9, "buffer_store_byte_d16_hi", [0, 2, 4], 0));
    place.run(mubuf(GFX9, "buffer_store_short_d16_hi", [0, 2, 4], 2));
    assert_eq!(place.dword(MEMORY), 0x8765_0165);
    place.run(mubuf(GFX9, "buffer_load_sbyte_d16", [0, 2, 4], 3));
    assert_eq!(place.lane(2, 0), 0x8765_ff87);
    place.run(mubuf(GFX9, "buffer_load_short_d16_hi", [0, 2, 4], 2));
    assert_eq!(place.lane(2, 0), 0x8765_ff87);
}

#[test]
fn misaligned_addresses() {
    let mut place = raw(GFX6, 0x4000).exec(1);
    assert_eq!(place.run(mubuf(GFX6, "buffer_load_dword", [0, 4, 4], 7)), ["vmem-align-gfx6"]);
    assert_eq!(place.lane(4, 0), initial(4));
    assert_eq!(place.run(mubuf(GFX6, "buffer_load_ushort", [0, 4, 4], 7)), ["vmem-align-gfx6"]);
    assert_eq!(place.lane(4, 0), initial(6) & 0xffff);
    for arch in [GFX7, GFX8, GFX9] {
        let mut place = raw(arch, 0x4000).exec(1);
        assert_eq!(place.run(mubuf(arch, "buffer_load_dwordx2", [0, 4, 4], 7)), NO_NOTES);
        assert_eq!(place.column(4, 0), [initial(7), initial(11)]);
    }
}

#[test]
fn atomics_of_buffers() {
    for arch in ALL {
        let mut place = raw(arch, 64).dwords(MEMORY, &[3]).vgpr(1, |_| 7).vgpr(2, |_| 3).exec(1);
        place.run(with(mubuf(arch, "buffer_atomic_cmpswap", [0, 1, 4], 0), &[GLC]));
        assert_eq!((place.dword(MEMORY), place.column(1, 0)), (7, [3, 3]));
        let mut place = raw(arch, 64).dwords(MEMORY, &[100]).vgpr(1, |lane| lane).exec(0xf);
        assert_eq!(place.run(mubuf(arch, "buffer_atomic_sub", [0, 1, 4], 0)), NO_NOTES);
        assert_eq!((place.dword(MEMORY), place.lanes(1)), (94, [0, 1, 2, 3]));
        assert_eq!(place.run(with(mubuf(arch, "buffer_atomic_umax", [0, 1, 4], 0), &[GLC])), ["lane-order"]);
        assert_eq!(place.lanes(1), [94; 4]);
        // Out of range: dropped, and 0.
        let mut place = raw(arch, 4).vgpr(1, |_| 5).exec(1);
        place.run(with(mubuf(arch, "buffer_atomic_add", [0, 1, 4], 4), &[GLC]));
        assert_eq!((place.dword(MEMORY + 4), place.lane(1, 0)), (initial(4), 0));
        let (found, note) = raw(arch, 64).exec(2).fault(mubuf(arch, "buffer_atomic_add", [0, 1, 4], 2));
        assert_eq!((found, note), (fault(Access::Atomic, MEMORY + 2, 4, Some(1)), Some(Note::AtomicAlign)));
    }
    let mut place = raw(GFX6, 64).dwords(MEMORY, &[3]).vgpr(1, |_| 7).exec(1);
    place.run(mubuf(GFX6, "buffer_atomic_rsub", [0, 1, 4], 0));
    assert_eq!(place.dword(MEMORY), 4);
    let mut place = raw(GFX7, 64).dwords(MEMORY, &[0]).vgpr(1, |_| 7).vgpr(2, |_| 0x8000_0000).exec(1);
    place.run(mubuf(GFX7, "buffer_atomic_fcmpswap", [0, 1, 4], 0));
    assert_eq!(place.dword(MEMORY), 7);
}

#[test]
fn transfers_with_lds() {
    for arch in ALL {
        let mut place = raw(arch, 0x4000).vgpr(0, |lane| 0xf0 + 8 * lane).sgprs(reg::M0, &[0x1_0010]).exec(0b101);
        let load = with(mubuf(arch, "buffer_load_sbyte", [0, 4, 4], 8), &[OFFEN, LDS]);
        assert_eq!(place.run(load), ["buffer-lds-offset"]);
        // 0x10 + 8 + 4 * lane; byte 0xf8, and byte 0x108 = 264.
        assert_eq!([24, 28, 32].map(|at| place.lds_dword(at)), [0xffff_fff8, 0, 13]);
        assert_eq!(place.lanes(4), [0, 0, 0]);
        // Out of range: 0 is written.
        let mut place = raw(arch, 4).lds(0, &[1, 2]).sgprs(reg::M0, &[0]).vgpr(0, |lane| 4 * lane).exec(3);
        place.run(with(mubuf(arch, "buffer_load_dword", [0, 4, 4], 0), &[OFFEN, LDS]));
        assert_eq!([0, 4].map(|at| place.lds_dword(at)), [initial(0), 0]);
        // A format too.
        let mut place = place.sgprs(4, &[MEMORY as u32, 0, 64, 0xfac | 1 << 15]);
        place.run(with(mubuf(arch, "buffer_load_format_x", [0, 4, 4], 0), &[OFFEN, LDS]));
        assert_eq!(place.lds_dword(4), (4f32 / 255.0).to_bits());
    }
    for arch in [GFX8, GFX9] {
        let mut place = raw(arch, 0x4000).lds(8, &[0x11, 0x22]).sgprs(reg::M0, &[4]).exec(3);
        place.wave.state.sgpr[8] = 0;
        let store = with(mubuf(arch, "buffer_store_lds_dword", [0, 0, 4], 4), &[LDS, OFFEN]);
        let mut place = place.vgpr(0, |lane| 16 * lane);
        assert_eq!(place.run(store), ["buffer-lds-offset"]);
        assert_eq!([4, 20].map(|at| place.dword(MEMORY + at)), [0x11, 0x22]);
    }
}

#[test]
fn the_status_of_tfe() {
    for arch in ALL {
        let mut place = raw(arch, 64).vgpr(5, |_| 9).vgpr(6, |_| 9).exec(1);
        assert_eq!(place.run(with(mubuf(arch, "buffer_load_dword", [0, 4, 4], 0), &[TFE])), ["tfe"]);
        assert_eq!((place.column(4, 0), place.lane(5, 1)), ([initial(0), 0, 9], 9));
        assert_eq!(place.run(with(mubuf(arch, "buffer_store_dword", [0, 4, 4], 0), &[TFE])), NO_NOTES);
        let reaches_behind = with(mubuf(arch, "buffer_load_dword", [0, 15, 4], 0), &[TFE]);
        assert_eq!(place.run(reaches_behind), ["reg-range", "tfe"]);
        assert_eq!(place.lane(15, 0), 0);
    }
}

#[test]
fn caches_do_nothing() {
    let mut place = Place::new(GFX9);
    assert_eq!(place.run(mubuf(GFX9, "buffer_wbinvl1", [0, 0, 0], 0)), NO_NOTES);
    let mut place = Place::new(GFX6);
    assert_eq!(place.run(mubuf(GFX6, "buffer_wbinvl1_sc", [0, 0, 0], 0)), NO_NOTES);
}

#[test]
fn odd_descriptors() {
    // Data format 0 and something else set: no buffer.
    for arch in ALL {
        let mut place = place(arch, 0, 64, 0xfac).vgpr(4, |_| 9).exec(1);
        assert_eq!(place.run(mubuf(arch, "buffer_load_dword", [0, 4, 4], 0)), ["buffer-invalid-format"]);
        assert_eq!(place.lane(4, 0), 0);
        place.run(mubuf(arch, "buffer_store_dword", [0, 4, 4], 0));
        assert_eq!(place.dword(MEMORY), initial(0));
        let mut place = Place::new(arch).vgpr(4, |_| 9).exec(1);
        assert_eq!(place.run(mubuf(arch, "buffer_load_dword", [0, 4, 4], 0)), NO_NOTES, "none at all");
        assert_eq!(place.lane(4, 0), 0);
        let mut place = raw(arch, 64).sgprs(7, &[WORD3 | 1 << 30 | 1 << 26]).exec(1);
        let heap: &[&str] = if arch.is_gcn14_or_later() { &["buffer-type"] } else { &["buffer-heap", "buffer-type"] };
        assert_eq!(place.run(mubuf(arch, "buffer_load_dword", [0, 4, 4], 0)), heap);
        assert_eq!(place.lane(4, 0), initial(0));
    }
    // An offset beyond 32 bits is not wrapped.
    let mut place = place(GFX9, 0x3fff << 16, u32::MAX, WORD3).vgpr(0, |_| 0x10_0000).exec(1);
    place.map(MEMORY + 0x3_fff0_0000, 64, true);
    place.context.store(MEMORY + 0x3_fff0_0000, &[5]);
    assert_eq!(place.run(with(mubuf(GFX9, "buffer_load_ubyte", [0, 4, 4], 0), &[IDXEN])), ["buffer-offset-width"]);
    assert_eq!(place.lane(4, 0), 5);
}

/// All lanes are checked before one of them stores: lane 1 is past the end of memory.
#[test]
fn a_store_that_memory_refuses_changes_nothing() {
    for arch in ALL {
        let mut place = raw(arch, u32::MAX).vgpr(0, |lane| lane * SIZE as u32).vgpr(4, |_| 0xdead_beef).exec(3);
        for (store, bytes) in [("buffer_store_dword", 4), ("buffer_store_byte", 1)] {
            let (found, _) = place.fault(with(mubuf(arch, store, [0, 4, 4], 0), &[OFFEN]));
            assert_eq!(found, fault(Access::Store, MEMORY + SIZE as u64, bytes, Some(1)), "{store}");
        }
    }
}
