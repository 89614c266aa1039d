//! SMRD and SMEM as compiled code executes them. Expected values follow from docs/gcn/scalar-memory.md.

use crate::memory_machine;

use gcnsim_isa::Arch;
use gcnsim_machine::Place;
use memory_machine::{BASE, Machine, READ_ONLY};

/// Returns a wave in which s[4:5] is the address, s[8:11] a descriptor of 12 bytes, and s[12:15] one of two records of
/// 16 bytes.
fn machine(arch: Arch) -> Machine {
    let mut m = Machine::new(arch);
    m.sgpr[4] = BASE as u32;
    m.sgpr[8..12].copy_from_slice(&[BASE as u32, 0, 12, 0]);
    m.sgpr[12..16].copy_from_slice(&[BASE as u32, 16 << 16, 2, 0]);
    m.sgpr[32..48].fill(0xaaaa_aaaa);
    m
}

#[test]
fn loads_fill_registers() {
    let mut m = machine(Arch::Gcn14);
    m.exec = 0;
    m.plain("s_load_dword s32, s[4:5], 0x4", [0xc002_0802, 4]);
    assert_eq!(m.sgpr[32..34], [1, 0xaaaa_aaaa]);
    m.plain("s_load_dwordx2 s[32:33], s[4:5], 0x8", [0xc006_0802, 8]);
    assert_eq!(m.sgpr[32..35], [2, 3, 0xaaaa_aaaa]);
    m.plain("s_load_dwordx4 s[32:35], s[4:5], 0xc", [0xc00a_0802, 12]);
    assert_eq!(m.sgpr[32..37], [3, 4, 5, 6, 0xaaaa_aaaa]);
    m.plain("s_load_dwordx8 s[32:39], s[4:5], 0x20", [0xc00e_0802, 32]);
    assert_eq!(m.sgpr[32..41], [8, 9, 10, 11, 12, 13, 14, 15, 0xaaaa_aaaa]);
    m.plain("s_load_dwordx16 s[32:47], s[4:5], 0xc0", [0xc012_0802, 0xc0]);
    assert_eq!(m.sgpr[32..48], std::array::from_fn::<u32, 16, _>(|i| 48 + i as u32));
    // The base may be overwritten.
    m.plain("s_load_dwordx2 s[4:5], s[4:5], 0x0", [0xc006_0102, 0]);
    assert_eq!(m.sgpr[4..6], [0, 1]);
}

#[test]
fn offsets_are_dwords_before_gcn12_and_registers_are_bytes() {
    let mut m = machine(Arch::Gcn11);
    m.sgpr[30] = 12;
    m.plain("s_load_dword s32, s[4:5], 0x4", [0xc010_0504, 0]);
    assert_eq!(m.sgpr[32], 4);
    m.plain("s_load_dword s32, s[4:5], s30", [0xc010_041e, 0]);
    assert_eq!(m.sgpr[32], 3);
    m.plain("s_load_dword s32, s[4:5], 0x5", [0xc010_04ff, 5]);
    assert_eq!(m.sgpr[32], 5);
}

#[test]
fn parts_of_an_address_are_aligned_by_themselves() {
    let mut m = machine(Arch::Gcn14);
    m.sgpr[30] = 7;
    m.plain("s_load_dword s32, s[4:5], s30", [0xc000_0802, 30]);
    assert_eq!(m.sgpr[32], 1);
    // Register and constant are 7 and 6, which are rounded down to 4 each.
    let notes = m.run("s_load_dword s32, s[4:5], s30 offset:0x6", [0xc002_4802, 30 << 25 | 6]);
    assert_eq!((notes, m.sgpr[32]), (Some(vec!["smem-unaligned"]), 2));
    m.plain("s_load_dword s32, s[4:5], s30 offset:0x8", [0xc002_4802, 30 << 25 | 8]);
    assert_eq!(m.sgpr[32], 3);
    m.sgpr[4] += 16;
    m.plain("s_load_dword s32, s[4:5], -0x8", [0xc002_0802, 0x1f_fff8]);
    assert_eq!(m.sgpr[32], 2);
    m.sgpr[30] = 4;
    let notes = m.run("s_load_dword s32, s[4:5], s30 offset:-0x8", [0xc002_4802, 30 << 25 | 0x1f_fff8]);
    assert_eq!((notes, m.sgpr[32]), (Some(vec!["smem-negative-offset"]), 3));
}

#[test]
fn scratch_offsets_count_64_bytes() {
    let mut m = machine(Arch::Gcn14);
    m.sgpr[30] = 4;
    // The register counts units of 64 bytes: 256 lies behind the memory.
    m.refused("s_scratch_load_dword s32, s[4:5], s30", [0xc014_0802, 30]);
    m.sgpr[4] -= 256 - 8;
    m.plain("s_scratch_load_dword s32, s[4:5], s30", [0xc014_0802, 30]);
    assert_eq!(m.sgpr[32], 2);
    m.sgpr[30] = 7;
    let notes = m.run("s_scratch_load_dword s32, s[4:5], s30", [0xc014_0802, 30]);
    assert_eq!((notes, m.sgpr[32]), (Some(vec!["smem-scratch-align"]), 2));
    m.sgpr[4] = BASE as u32;
    m.plain("s_scratch_load_dword s32, s[4:5], 0x10", [0xc016_0802, 16]);
    assert_eq!(m.sgpr[32], 4);
    m.plain("s_scratch_store_dword s32, s[4:5], 0x0", [0xc056_0802, 0]);
    assert_eq!(m.memory(0), 4);
}

#[test]
fn buffers_give_zeros_out_of_range() {
    for (arch, six) in [(Arch::Gcn12, [0xc02a_0804, 6]), (Arch::Gcn14, [0xc02a_0804, 6])] {
        let mut m = machine(arch);
        m.context.lds = Default::default();
        // The descriptor has 12 bytes, and the offset is 6 (docs/gcn/memory-check-values.md#check-values).
        m.plain("s_buffer_load_dwordx4 s[32:35], s[8:11], 0x6", six);
        assert_eq!(m.sgpr[32..36], [1, 2, 0, 0]);
        m.plain("s_buffer_load_dword s32, s[12:15], 0x1c", [0xc022_0806, 28]);
        assert_eq!(m.sgpr[32], 7);
        m.plain("s_buffer_load_dword s32, s[12:15], 0x20", [0xc022_0806, 32]);
        assert_eq!(m.sgpr[32], 0);
        m.plain("s_buffer_load_dwordx8 s[32:39], s[12:15], 0x0", [0xc02e_0806, 0]);
        assert_eq!(m.sgpr[32..40], [0, 1, 2, 3, 4, 5, 6, 7]);
    }
    let mut m = machine(Arch::Gcn10);
    m.plain("s_buffer_load_dwordx2 s[32:33], s[8:11], 0x2", [0xc250_0902, 0]);
    assert_eq!(m.sgpr[32..34], [2, 0]);
    // Constant and register are added before they are aligned: 6 + 6 = 12.
    let mut m = machine(Arch::Gcn14);
    m.sgpr[30] = 6;
    let notes = m.run("s_buffer_load_dword s32, s[12:15], s30 offset:0x6", [0xc022_4806, 30 << 25 | 6]);
    assert_eq!((notes, m.sgpr[32]), (Some(vec!["smem-unaligned"]), 3));
    let notes = m.run("s_buffer_load_dword s32, s[12:15], s30 offset:-0x8", [0xc022_4806, 30 << 25 | 0x1f_fff8]);
    assert_eq!((notes, m.sgpr[32]), (Some(vec!["smem-negative-offset"]), 0));
}

#[test]
fn stores_write_what_is_in_range() {
    let mut m = machine(Arch::Gcn14);
    m.sgpr[32..36].copy_from_slice(&[100, 101, 102, 103]);
    m.plain("s_store_dwordx4 s[32:35], s[4:5], 0x40", [0xc04a_0802, 0x40]);
    assert_eq!([60, 64, 68, 72, 76, 80].map(|at| m.memory(at)), [15, 100, 101, 102, 103, 20]);
    m.plain("s_buffer_store_dwordx2 s[32:33], s[8:11], 0x8", [0xc066_0804, 8]);
    assert_eq!([4, 8, 12].map(|at| m.memory(at)), [1, 100, 3]);
    m.plain("s_buffer_store_dword s32, s[8:11], 0xc", [0xc062_0804, 12]);
    assert_eq!(m.memory(12), 3);
}

#[test]
fn atomics_return_if_glc_says_so() {
    let mut m = machine(Arch::Gcn14);
    m.sgpr[32..36].copy_from_slice(&[7, 5, 0, 0]);
    m.plain("s_atomic_add s32, s[4:5], 0x4", [0xc20a_0802, 4]);
    assert_eq!((m.memory(4), m.sgpr[32]), (8, 7));
    m.plain("s_atomic_add s32, s[4:5], 0x4 glc", [0xc20b_0802, 4]);
    assert_eq!((m.memory(4), m.sgpr[32]), (15, 8));
    // The first register is the new value, the second one the value to compare with.
    m.sgpr[32] = 70;
    m.plain("s_atomic_cmpswap s[32:33], s[4:5], 0x14 glc", [0xc207_0802, 20]);
    assert_eq!((m.memory(20), m.sgpr[32..34].to_vec()), (70, vec![5, 5]));
    m.sgpr[32..36].copy_from_slice(&[1, 2, 8, 9]);
    m.plain("s_atomic_cmpswap_x2 s[32:35], s[4:5], 0x20 glc", [0xc287_0802, 32]);
    assert_eq!((m.memory(32), m.memory(36), m.sgpr[32..36].to_vec()), (1, 2, vec![8, 9, 8, 9]));
    m.sgpr[32..34].copy_from_slice(&[u32::MAX, 0]);
    m.plain("s_atomic_add_x2 s[32:33], s[4:5], 0x20", [0xc28a_0802, 32]);
    assert_eq!((m.memory(32), m.memory(36)), (0, 3));
    // Out of range nothing is stored, and 0 is returned.
    m.plain("s_buffer_atomic_swap s32, s[8:11], 0xc glc", [0xc103_0804, 12]);
    assert_eq!((m.memory(12), m.sgpr[32]), (3, 0));
    m.sgpr[32] = 9;
    m.plain("s_buffer_atomic_swap s32, s[8:11], 0x8", [0xc102_0804, 8]);
    assert_eq!((m.memory(8), m.sgpr[32]), (9, 9));
    m.refused("s_atomic_add_x2 s[32:33], s[4:5], 0x4", [0xc28a_0802, 4]);
}

#[test]
fn faults_change_nothing() {
    let mut m = machine(Arch::Gcn14);
    m.refused("s_load_dwordx4 s[32:35], s[4:5], 0xf4", [0xc00a_0802, 0xf4]);
    m.refused("s_store_dwordx2 s[32:33], s[4:5], 0xfc", [0xc046_0802, 0xfc]);
    m.sgpr[4] = READ_ONLY as u32;
    m.refused("s_store_dword s32, s[4:5], 0x0", [0xc042_0802, 0]);
    m.refused("s_atomic_or s32, s[4:5], 0x0", [0xc226_0802, 0]);
    m.plain("s_load_dword s32, s[4:5], 0x0", [0xc002_0802, 0]);
    m.sgpr[5] = 1;
    m.refused("s_load_dword s32, s[4:5], 0x0", [0xc002_0802, 0]);
    // Only the part of the buffer that is in range must be in memory.
    m.sgpr[8] = BASE as u32 + 0xf8;
    m.refused("s_buffer_load_dwordx4 s[32:35], s[8:11], 0x0", [0xc02a_0804, 0]);
    m.sgpr[10] = 8;
    m.plain("s_buffer_load_dwordx4 s[32:35], s[8:11], 0x0", [0xc02a_0804, 0]);
    assert_eq!(m.sgpr[32..36], [62, 63, 0, 0]);
}

#[test]
fn aligned_loads_end_behind_memory() {
    let mut m = machine(Arch::Gcn14);
    // Memory ends with dword 63.
    m.sgpr[4] = BASE as u32 + 4;
    m.refused("s_load_dwordx8 s[32:39], s[4:5], 0xe0", [0xc00e_0802, 0xe0]);
    m.sgpr[4] = BASE as u32 - 0x40;
    m.refused("s_load_dwordx16 s[32:47], s[4:5], 0x0", [0xc012_0802, 0]);
    m.map_rest();
    m.sgpr[4] = BASE as u32;
    let notes = m.run("s_load_dwordx16 s[32:47], s[4:5], 0x100", [0xc012_0802, 0x100]);
    assert_eq!(notes, Some(vec!["load-past-end"]));
    assert_eq!(m.sgpr[32..48], [0x0403_0201, 0x0605, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    m.sgpr[8..11].copy_from_slice(&[BASE as u32 + 0x100, 0, 8]);
    let notes = m.run("s_buffer_load_dwordx4 s[32:35], s[8:11], 0x0", [0xc02a_0804, 0]);
    assert_eq!((notes, &m.sgpr[32..36]), (Some(vec!["load-past-end"]), &[0x0403_0201, 0x0605, 0, 0][..]));
    m.sgpr[10] = 4;
    m.plain("s_buffer_load_dwordx4 s[32:35], s[8:11], 0x0", [0xc02a_0804, 0]);
    m.refused("s_store_dwordx2 s[32:33], s[4:5], 0x100", [0xc046_0802, 0x100]);
}

#[test]
fn clocks_count_instructions_and_caches_do_nothing() {
    let mut m = machine(Arch::Gcn14);
    m.completed = 0x12_3456_789a;
    m.plain("s_memtime s[32:33]", [0xc090_0800, 0]);
    assert_eq!(m.sgpr[32..34], [0x3456_789a, 0x12]);
    m.completed += 1;
    m.plain("s_memrealtime s[34:35]", [0xc094_0880, 0]);
    assert_eq!(m.sgpr[34..36], [0x3456_789b, 0x12]);
    m.plain("s_dcache_inv", [0xc080_0000, 0]);
    m.plain("s_dcache_wb", [0xc084_0000, 0]);
    let mut m = machine(Arch::Gcn10);
    m.completed = 5;
    m.plain("s_memtime s[32:33]", [0xc790_0000, 0]);
    assert_eq!(m.sgpr[32..34], [5, 0]);
}

#[test]
fn what_is_written_is_recorded() {
    let mut m = machine(Arch::Gcn14);
    m.context.start_recording();
    m.sgpr[32] = 100;
    m.plain("s_store_dword s32, s[4:5], 0x10", [0xc042_0802, 16]);
    m.plain("s_atomic_add s32, s[4:5], 0x4", [0xc20a_0802, 4]);
    let journal = m.context.stop_recording();
    let written: Vec<_> = journal.writes().iter().map(|write| (write.place, write.address, write.new[0])).collect();
    assert_eq!(written, [(Place::Memory, BASE + 16, 100), (Place::Memory, BASE + 4, 101)]);
}
