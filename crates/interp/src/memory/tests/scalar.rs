use super::*;

/// A base address in s[4:5].
fn at_memory(arch: Arch) -> Place {
    Place::new(arch).sgprs(4, &[MEMORY as u32, 0])
}

/// A descriptor in s[4:7].
fn buffer(arch: Arch, stride: u32, records: u32) -> Place {
    Place::new(arch).sgprs(4, &[MEMORY as u32, stride << 16, records, 0])
}

#[test]
fn offsets_of_each_generation() {
    // Dwords as constants and bytes in registers, until GCN 1.2.
    for arch in [GFX6, GFX7] {
        let mut place = at_memory(arch).sgprs(9, &[12]);
        place.run(smrd(arch, "s_load_dword", 8, 4, Ok(3)));
        assert_eq!(place.sgpr(8), initial(12));
        place.run(smrd(arch, "s_load_dwordx2", 10, 4, Err(9)));
        assert_eq!([place.sgpr(10), place.sgpr(11)], [initial(12), initial(16)]);
    }
    // A literal is in dwords too.
    let mut place = at_memory(GFX7);
    let [word, _] = smrd(GFX7, "s_load_dword", 8, 4, Err(255));
    place.run([word, 0x100]);
    assert_eq!(place.sgpr(8), initial(0x400));
    for arch in [GFX8, GFX9] {
        let mut place = at_memory(arch).sgprs(9, &[12]);
        place.run(smem(arch, "s_load_dword", 8, 4, Some(0x20), None));
        place.run(smem(arch, "s_load_dword", 10, 4, None, Some(9)));
        assert_eq!([place.sgpr(8), place.sgpr(10)], [initial(0x20), initial(12)]);
    }
    // From GCN 1.4 on both at once, and constants have a sign.
    let mut place = at_memory(GFX9).sgprs(9, &[32]);
    assert_eq!(place.run(smem(GFX9, "s_load_dword", 8, 4, Some(-8), Some(9))), NO_NOTES);
    assert_eq!(place.sgpr(8), initial(24));
    let mut place = Place::new(GFX9).sgprs(4, &[MEMORY as u32 + 0x20, 0]).sgprs(9, &[4]);
    assert_eq!(place.run(smem(GFX9, "s_load_dword", 8, 4, Some(-8), None)), NO_NOTES);
    assert_eq!(place.sgpr(8), initial(24));
    assert_eq!(place.run(smem(GFX9, "s_load_dword", 8, 4, Some(-8), Some(9))), ["smem-negative-offset"]);
    assert_eq!(place.sgpr(8), initial(28));
}

#[test]
fn wide_loads_and_their_own_base() {
    let mut place = at_memory(GFX9);
    place.run(smem(GFX9, "s_load_dwordx16", 16, 4, Some(0x40), None));
    assert_eq!((place.sgpr(16), place.sgpr(31)), (initial(0x40), initial(0x7c)));
    // The base is read before it is overwritten.
    place.run(smem(GFX9, "s_load_dwordx2", 4, 4, Some(8), None));
    assert_eq!([place.sgpr(4), place.sgpr(5)], [initial(8), initial(12)]);
    // EXEC does not matter.
    let mut place = at_memory(GFX8).exec(0);
    place.run(smem(GFX8, "s_load_dword", 8, 4, Some(4), None));
    assert_eq!(place.sgpr(8), initial(4));
    assert_eq!(place.run(smem(GFX8, "s_load_dwordx4", 10, 4, Some(4), None)), ["smem-misaligned-reg"]);
    // Four dwords and more begin at a multiple of 4.
    let mut place = at_memory(GFX9);
    for (mnemonic, sdst) in [("s_load_dwordx4", 12), ("s_load_dwordx8", 12), ("s_load_dwordx16", 20)] {
        assert_eq!(place.run(smem(GFX9, mnemonic, sdst, 4, Some(4), None)), NO_NOTES, "{mnemonic}");
        assert_eq!(place.run(smem(GFX9, mnemonic, sdst + 2, 4, Some(4), None)), ["smem-misaligned-reg"], "{mnemonic}");
    }
}

#[test]
fn parts_of_the_address_are_aligned() {
    let mut place = Place::new(GFX9).sgprs(4, &[MEMORY as u32 + 3, 0]).sgprs(9, &[7]);
    assert_eq!(place.run(smem(GFX9, "s_load_dword", 8, 4, Some(8), None)), NO_NOTES);
    assert_eq!(place.sgpr(8), initial(8));
    assert_eq!(place.run(smem(GFX9, "s_load_dword", 8, 4, Some(2), Some(9))), ["smem-unaligned"]);
    assert_eq!(place.sgpr(8), initial(4));
}

#[test]
fn scratch_registers_count_64_bytes() {
    let mut place = at_memory(GFX9).sgprs(9, &[5]);
    assert_eq!(place.run(smem(GFX9, "s_scratch_load_dword", 8, 4, Some(8), Some(9))), ["smem-scratch-align"]);
    assert_eq!(place.sgpr(8), initial(4 * 64 + 8));
    let mut place = at_memory(GFX9).sgprs(8, &[77]);
    place.wave.state.sgpr[reg::M0 as usize] = 4;
    place.run(smem(GFX9, "s_scratch_store_dword", 8, 4, None, Some(reg::M0 as u32)));
    assert_eq!(place.dword(MEMORY + 256), 77);
}

#[test]
fn bounds_of_buffers() {
    for arch in [GFX6, GFX7] {
        let mut place = buffer(arch, 0, 12).sgprs(9, &[6]);
        place.run(smrd(arch, "s_buffer_load_dwordx4", 12, 4, Err(9)));
        assert_eq!([12, 13, 14, 15].map(|code| place.sgpr(code)), [initial(4), initial(8), 0, 0]);
    }
    for arch in [GFX8, GFX9] {
        let mut place = buffer(arch, 0, 12);
        place.run(smem(arch, "s_buffer_load_dwordx4", 12, 4, Some(6), None));
        assert_eq!([12, 13, 14, 15].map(|code| place.sgpr(code)), [initial(4), initial(8), 0, 0]);
        let mut place = buffer(arch, 16, 2).sgprs(8, &[1, 1]);
        place.run(smem(arch, "s_buffer_load_dword", 8, 4, Some(28), None));
        place.run(smem(arch, "s_buffer_load_dword", 9, 4, Some(32), None));
        assert_eq!([place.sgpr(8), place.sgpr(9)], [initial(28), 0]);
    }
    // A dword that begins below the limit is in range.
    let mut place = buffer(GFX9, 0, 5);
    place.run(smem(GFX9, "s_buffer_load_dwordx2", 8, 4, Some(0), None));
    assert_eq!([place.sgpr(8), place.sgpr(9)], [initial(0), initial(4)]);
    // A negative offset is out of range, and what is out of range need not be mapped.
    let mut place = buffer(GFX9, 0, u32::MAX).sgprs(8, &[1]);
    place.run(smem(GFX9, "s_buffer_load_dword", 8, 4, Some(-4), None));
    assert_eq!(place.sgpr(8), 0);
    let mut place = buffer(GFX9, 0, 4).sgprs(4, &[0]).sgprs(8, &[1]);
    place.run(smem(GFX9, "s_buffer_load_dword", 8, 4, Some(4), None));
    assert_eq!(place.sgpr(8), 0);
    // The product of stride and records has 64 bits.
    let mut place = buffer(GFX9, 0x3fff, u32::MAX);
    place.run(smem(GFX9, "s_buffer_load_dword", 8, 4, Some(0x100), None));
    assert_eq!(place.sgpr(8), initial(0x100));
}

#[test]
fn stores_and_their_bounds() {
    let mut place = at_memory(GFX9).sgprs(8, &[1, 2, 3, 4]);
    place.run(smem(GFX9, "s_store_dwordx4", 8, 4, Some(16), None));
    assert_eq!([16, 20, 24, 28].map(|at| place.dword(MEMORY + at)), [1, 2, 3, 4]);
    let mut place = buffer(GFX8, 0, 8).sgprs(8, &[1, 2, 3, 4]);
    place.run(smem(GFX8, "s_buffer_store_dwordx4", 8, 4, Some(0), None));
    assert_eq!([0, 4, 8, 12].map(|at| place.dword(MEMORY + at)), [1, 2, initial(8), initial(12)]);
    let mut place = at_memory(GFX8).sgprs(9, &[4]);
    assert_eq!(place.run(smem(GFX8, "s_store_dword", 8, 4, None, Some(9))), ["smem-store-offset-reg"]);
    assert_eq!(place.dword(MEMORY + 4), 0);
}

#[test]
fn scalar_atomics() {
    let mut place = at_memory(GFX9).dwords(MEMORY, &[10, 0, 3, 0]).sgprs(8, &[5, 0]);
    place.run(smem(GFX9, "s_atomic_add", 8, 4, Some(0), None));
    assert_eq!((place.dword(MEMORY), place.sgpr(8)), (15, 5));
    place.run(with(smem(GFX9, "s_atomic_add", 8, 4, Some(0), None), &[GLC_SMEM]));
    assert_eq!((place.dword(MEMORY), place.sgpr(8)), (20, 15));
    // Source, then what is compared; the old value goes to the first register.
    let mut place = place.sgprs(8, &[7, 3]);
    place.run(with(smem(GFX9, "s_atomic_cmpswap", 8, 4, Some(8), None), &[GLC_SMEM]));
    assert_eq!((place.dword(MEMORY + 8), place.sgpr(8), place.sgpr(9)), (7, 3, 3));
    let mut place = place.sgprs(8, &[1, 2, 7, 0]);
    place.run(with(smem(GFX9, "s_atomic_cmpswap_x2", 8, 4, Some(8), None), &[GLC_SMEM]));
    assert_eq!([8, 12].map(|at| place.dword(MEMORY + at)), [1, 2]);
    assert_eq!([8, 9, 10].map(|code| place.sgpr(code)), [7, 0, 7]);
    // Out of range: nothing, and 0.
    let mut place = buffer(GFX9, 0, 8).sgprs(8, &[9]);
    place.run(with(smem(GFX9, "s_buffer_atomic_swap", 8, 4, Some(8), None), &[GLC_SMEM]));
    assert_eq!((place.sgpr(8), place.dword(MEMORY + 8)), (0, initial(8)));
    let mut place = at_memory(GFX9);
    let (found, note) = place.fault(smem(GFX9, "s_atomic_add_x2", 8, 4, Some(4), None));
    assert_eq!((found, note), (fault(Access::Atomic, MEMORY + 4, 8, None), Some(Note::AtomicAlign)));
}

#[test]
fn scalar_faults() {
    let mut place = at_memory(GFX9);
    let (found, note) = place.fault(smem(GFX9, "s_load_dwordx4", 8, 4, Some(SIZE as i32 - 8), None));
    assert_eq!((found, note), (fault(Access::Load, MEMORY + SIZE as u64 - 8, 16, None), None));
    place.map(0x40000, 64, false);
    let mut place = place.sgprs(4, &[0x40000]);
    let (found, _) = place.fault(smem(GFX9, "s_store_dword", 8, 4, Some(0), None));
    assert_eq!(found, fault(Access::Store, 0x40000, 4, None));
    // Descriptors have 48 bits, which are sign-extended; addresses in registers may have more.
    let mut place = Place::new(GFX9).sgprs(4, &[MEMORY as u32, 0xffff_0000]);
    place.run(smem(GFX9, "s_load_dword", 8, 4, Some(0), None));
    assert_eq!(place.sgpr(8), initial(0));
}

#[test]
fn caches_and_probes_do_nothing() {
    let mut place = at_memory(GFX9);
    let before = place.wave.state.clone();
    for mnemonic in ["s_dcache_inv", "s_dcache_wb", "s_dcache_inv_vol", "s_dcache_wb_vol"] {
        place.run(smem(GFX9, mnemonic, 0, 0, None, None));
    }
    for mnemonic in ["s_atc_probe", "s_atc_probe_buffer", "s_dcache_discard", "s_dcache_discard_x2"] {
        // Not even an address that is not mapped matters.
        place.run(smem(GFX9, mnemonic, 0, 8, Some(0), None));
    }
    assert!(place.wave.state == before);
}
