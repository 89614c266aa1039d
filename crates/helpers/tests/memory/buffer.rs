//! MUBUF and MTBUF in compiled code. Expected values come from docs/gcn/buffers.md and, with `dword`, from the contents
//! of memory. Words were written by hand from the formats of the manuals; the decoder confirms their text.

use crate::memory_support;

use gcnsim_isa::{Arch, Note};
use memory_support::{Bench, DATA, SCRATCH, dword};

/// Word 3 of a descriptor that selects components X, Y, Z and W, with data format 32 and number format UINT.
const WORD3: u32 = 0x0002_4fac;
const OFF: (&str, [u32; 2]) = ("buffer_load_dword v8, off, s[4:7], 0", [0xe050_0000, 0x8001_0800]);
const OFFEN: (&str, [u32; 2]) = ("buffer_load_dword v8, v2, s[4:7], 0 offen", [0xe050_1000, 0x8001_0802]);
const IDXEN: (&str, [u32; 2]) = ("buffer_load_dword v8, v2, s[4:7], 0 idxen", [0xe050_2000, 0x8001_0802]);
const X4: (&str, [u32; 2]) = ("buffer_load_dwordx4 v[8:11], v2, s[4:7], 0 offen", [0xe05c_1000, 0x8001_0802]);

/// Returns a wave with the descriptor of a buffer in memory: `stride`, `records` and word 3.
fn bench(arch: Arch, stride: u32, records: u32, word3: u32) -> Bench {
    let mut bench = Bench::new(arch);
    bench.frame.memory.base = [DATA, stride << 16, records, word3];
    bench
}

#[test]
fn offsets_and_indices_make_addresses() {
    for exec in [!0, 0x8000_0000_0fff_f0f1, 0] {
        let mut bench = bench(Arch::Gcn14, 8, 0x1000, WORD3);
        bench.set(2, |l| 4 * l).set(3, |l| 4 * l).frame.memory.exec = exec;
        bench.gives(OFF.0, OFF.1, 8, |_| dword(0));
        bench.gives(OFFEN.0, OFFEN.1, 8, dword);
        bench.gives(IDXEN.0, IDXEN.1, 8, |l| dword(8 * l));
        // The index is in v2, the offset in v3.
        bench.set(2, |l| l);
        let both = "buffer_load_dword v8, v[2:3], s[4:7], 0 idxen offen offset:4";
        bench.gives(both, [0xe050_3004, 0x8001_0802], 8, |l| dword(2 * l + l + 1));
        bench.noted(&[]);
        bench.frame.memory.offset = 0x80;
        bench.gives("buffer_load_dword v8, v3, s[4:7], s9 offen", [0xe050_1000, 0x0901_0803], 8, |l| dword(32 + l));
        bench.noted(&[]);
    }
    // The lane number is added to the index. The data format is not a part of the stride, as it is from GCN 1.2 on.
    let mut bench = bench(Arch::Gcn11, 8, 64, WORD3 | 1 << 23);
    bench.set(2, |l| l % 2);
    let words = [0xe030_2000, 0x8001_0802];
    bench.gives(IDXEN.0, words, 8, |l| dword(2 * (l + l % 2)) * (l + l % 2 < 64) as u32);
}

#[test]
fn raw_buffers_end_at_a_byte() {
    for (arch, word) in [(Arch::Gcn14, 0xe05c_1000), (Arch::Gcn12, 0xe05c_1000), (Arch::Gcn11, 0xe038_1000)] {
        // With num_records 8 and offset 0, d0 and d1 are loaded, and d2 and d3 are 0
        // (docs/gcn/memory-check-values.md#check-values).
        let mut bench = bench(arch, 0, 8, WORD3);
        bench.frame.memory.exec = 1;
        (8..12).for_each(|n| bench.vgprs[n].0[0] = 9);
        assert!(bench.run(X4.0, [word, X4.1[1]]));
        assert_eq!([8, 9, 10, 11].map(|n| bench.vgprs[n].0[0]), [dword(0), dword(1), 0, 0]);
        bench.noted(&[Note::BufferOobPartial]);
        bench.set(2, |_| 8);
        bench.gives(X4.0, [word, X4.1[1]], 8, |_| 0);
        bench.noted(&[]);
        // The access begins in range and ends behind it.
        bench.set(2, |_| 6);
        bench.frame.memory.base[2] = 20;
        bench.gives(X4.0, [word, X4.1[1]], 11, |_| dword(4) >> 16 | dword(5) << 16);
        bench.noted(&[Note::BufferOobTail]);
        // A negative offset is out of range, but for the dwords whose offsets have wrapped.
        bench.set(2, |_| 0xffff_fff0);
        bench.frame.memory.base[2] = !0 - 0x100;
        bench.gives(X4.0, [word, X4.1[1]], 8, |_| 0);
        bench.set(2, |l| if l < 32 { 0xffff_fff8 } else { 4 * l });
        bench.gives(X4.0, [word, X4.1[1]], 10, |l| dword(if l < 32 { 0 } else { l + 2 }));
        bench.noted(&[Note::BufferOobPartial]);
        bench.gives(X4.0, [word, X4.1[1]], 9, |l| if l < 32 { 0 } else { dword(l + 1) });
        // VADDR + OFFSET is a sum of 32 bits.
        bench.set(2, |l| (4 * l).wrapping_sub(64));
        let (text, words) = ("buffer_load_dwordx4 v[8:11], v2, s[4:7], 0 offen offset:64", [word | 64, X4.1[1]]);
        (8..12).for_each(|n| bench.gives(text, words, n, |l| dword(l + n - 8)));
        bench.noted(&[]);
    }
}

#[test]
fn soffset_counts() {
    let text = "buffer_load_dword v8, v2, s[4:7], s9 offen";
    for (arch, word, value) in
        [(Arch::Gcn14, 0xe050_1000, 0), (Arch::Gcn12, 0xe050_1000, 0), (Arch::Gcn10, 0xe030_1000, 0)]
    {
        let mut bench = bench(arch, 0, 12, WORD3);
        bench.set(2, |_| 4).frame.memory.offset = 8;
        bench.gives(text, [word, 0x0901_0802], 8, |_| value);
        bench.noted(&[Note::BufferOobSoffset]);
    }
}

#[test]
fn strides_are_checked_by_generation() {
    // With stride 16, 4 records, index 3 and OFFSET 16, the access is to the place of record 4. That is in range on
    // GCN 1.4, but not on 1.1 (docs/gcn/memory-check-values.md#check-values).
    let text = "buffer_load_dword v8, v2, s[4:7], 0 idxen offset:16";
    for (arch, word, records, value) in [
        (Arch::Gcn14, 0xe050_2010, 4, dword(16)),
        (Arch::Gcn11, 0xe030_2010, 4, 0),
        // GCN 1.2 counts bytes instead of records. The access begins at 3 * 16 + 16 = 64.
        (Arch::Gcn12, 0xe050_2010, 64, 0),
        (Arch::Gcn12, 0xe050_2010, 68, dword(16)),
    ] {
        let mut bench = bench(arch, 16, records, WORD3);
        bench.set(2, |_| 3);
        bench.gives(text, [word, 0x8001_0802], 8, |_| value);
        bench.noted(&[]);
    }
    let mut structured = bench(Arch::Gcn14, 4, 10, WORD3);
    structured.set(2, |l| l);
    structured.gives(IDXEN.0, IDXEN.1, 8, |l| if l < 10 { dword(l) } else { 0 });
    let mut endless = bench(Arch::Gcn14, 0, 0, WORD3);
    endless.gives(IDXEN.0, IDXEN.1, 8, |_| dword(0));
    endless.noted(&[Note::BufferOobGfx9Stride0]);
    let mut unindexed = bench(Arch::Gcn11, 4, 1, WORD3);
    unindexed.set(2, |_| 40);
    unindexed.gives(OFFEN.0, [0xe030_1000, OFFEN.1[1]], 8, |_| dword(10));
    unindexed.noted(&[Note::BufferOobStrideNoidx]);
}

/// Before GCN 1.2 the lane number that a descriptor adds counts as an index: an offset must be below the stride
/// (docs/gcn/buffers.md#range-check).
#[test]
fn lane_numbers_are_indices_before_gcn12() {
    let mut bench = bench(Arch::Gcn11, 16, 64, WORD3 | 1 << 23);
    let last = "buffer_load_dword v8, off, s[4:7], 0 offset:12";
    bench.gives(last, [0xe030_000c, 0x8001_0800], 8, |l| dword(4 * l + 3));
    let behind = "buffer_load_dword v8, off, s[4:7], 0 offset:16";
    bench.gives(behind, [0xe030_0010, 0x8001_0800], 8, |_| 0);
    bench.noted(&[]);
}

#[test]
fn swizzled_addresses() {
    let text = "buffer_load_dword v8, v[2:3], s[4:7], 0 idxen offen";
    // The cases are stride 16, IS 8, ES 4, index 13, offset 9, which is byte 213; and stride 48, IS 16, ES 8, index 37,
    // offset 20, which is byte 1836 (docs/gcn/memory-check-values.md#check-values).
    for (stride, word3, index, offset, place) in [(16, 1 << 19, 13, 9, 213), (48, 2 << 19 | 1 << 21, 37, 20, 1836)] {
        let mut bench = bench(Arch::Gcn12, stride | 1 << 15, 100, WORD3 | word3);
        bench.set(2, |_| index).set(3, |_| offset);
        let (at, shift) = (place / 4, place % 4 * 8);
        let expected = (dword(at) as u64 | (dword(at + 1) as u64) << 32) >> shift;
        bench.gives(text, [0xe050_3000, 0x8001_0802], 8, |_| expected as u32);
    }
}

#[test]
fn scratch_has_dwords_of_lanes_side_by_side() {
    for (arch, word3, words) in [
        (Arch::Gcn14, 0x00e0_0fac, [0xe054_1000, 0x8001_0802]),
        (Arch::Gcn12, 0x00e8_0fac, [0xe054_1000, 0x8001_0802]),
        (Arch::Gcn11, 0x00ea_4fac, [0xe034_1000, 0x8001_0802]),
    ] {
        let mut bench = bench(arch, 1 << 15, !0, word3);
        bench.frame.memory.base[0] = SCRATCH;
        for l in 0..64u32 {
            bench.context.store((SCRATCH + 256 + 4 * l) as u64, &(0x100 + l).to_le_bytes());
            bench.context.store((SCRATCH + 512 + 4 * l) as u64, &(0x200 + l).to_le_bytes());
        }
        bench.set(2, |_| 4).frame.memory.exec = !1;
        let text = "buffer_load_dwordx2 v[8:9], v2, s[4:7], 0 offen";
        bench.gives(text, words, 8, |l| 0x100 + l as u32);
        bench.noted(&[Note::BufferSwizzleWide]);
        bench.gives(text, words, 9, |l| 0x200 + l as u32);
    }
    // Private byte 10 of lane 5 is byte 534.
    let mut bench = bench(Arch::Gcn14, 1 << 15, 0, 0x00e0_0fac);
    bench.frame.memory.base[0] = SCRATCH;
    bench.set(2, |_| 10).set(4, |l| 0xa0 + l);
    assert!(bench.run("buffer_store_byte v4, v2, s[4:7], 0 offen", [0xe060_1000, 0x8001_0402]));
    assert_eq!(bench.memory(SCRATCH + 532), 0xa5 << 16);
}

#[test]
fn addr64_has_no_limit() {
    // The descriptor has word 3 as compilers make it, no base and no records.
    let mut bench = bench(Arch::Gcn11, 0, 0, 0x0100_f000);
    bench.frame.memory.base[0] = 0;
    bench.set(2, |l| DATA + 4 * l);
    let text = "buffer_load_dword v8, v[2:3], s[4:7], 0 addr64 offset:4";
    bench.gives(text, [0xe030_8004, 0x8001_0802], 8, |l| dword(l + 1));
    bench.noted(&[]);
    bench.set(3, |_| 1);
    bench.refuses(text, [0xe030_8004, 0x8001_0802]);
}

#[test]
fn without_a_buffer_loads_are_0_and_stores_nothing() {
    for base in [[0; 4], [DATA, 0, 0x1000, 0xfac]] {
        let mut bench = bench(Arch::Gcn14, 0, 0, 0);
        bench.frame.memory.base = base;
        let before = bench.all();
        bench.gives(OFFEN.0, OFFEN.1, 8, |_| 0);
        let notes: &[Note] = if base[0] == 0 { &[] } else { &[Note::BufferInvalidFormat] };
        bench.noted(notes);
        bench.set(4, |_| 1);
        assert!(bench.run("buffer_store_dword v4, v2, s[4:7], 0 offen", [0xe070_1000, 0x8001_0402]));
        bench.gives("buffer_atomic_add v4, v2, s[4:7], 0 offen glc", [0xe108_5000, 0x8001_0402], 4, |_| 0);
        assert!(bench.all() == before);
    }
}

#[test]
fn stores_out_of_range_are_dropped_and_faults_change_nothing() {
    let mut bench = bench(Arch::Gcn14, 0, 100, WORD3);
    bench.set(2, |l| 4 * l).set(4, |l| l);
    let (text, words) = ("buffer_store_dword v4, v2, s[4:7], 0 offen", [0xe070_1000, 0x8001_0402]);
    assert!(bench.run(text, words));
    assert_eq!([96, 100].map(|at| bench.memory(DATA + at)), [24, dword(25)]);
    // The access is in range of the descriptor, but outside of memory.
    bench.frame.memory.base[2] = !0;
    bench.set(2, |l| 4 * l + 0xf04);
    bench.refuses(text, words);
    bench.refuses(OFFEN.0, OFFEN.1);
    // An atomic that is misaligned is refused, unless it is out of range.
    let (text, words) = ("buffer_atomic_add v4, v2, s[4:7], 0 offen glc", [0xe108_5000, 0x8001_0402]);
    bench.set(2, |l| 2 + 4 * l);
    bench.refuses(text, words);
    bench.frame.memory.base[2] = 2;
    bench.gives(text, words, 4, |_| 0);
}

#[test]
fn gcn10_drops_low_bits() {
    let mut bench = bench(Arch::Gcn10, 0, 0x1000, WORD3);
    bench.set(2, |l| 4 * l + 3);
    bench.gives(OFFEN.0, [0xe030_1000, OFFEN.1[1]], 8, dword);
    bench.noted(&[Note::VmemAlignGfx6]);
    let text = "buffer_load_ushort v8, v2, s[4:7], 0 offen";
    bench.gives(text, [0xe028_1000, 0x8001_0802], 8, |l| dword(l) >> 16);
}

#[test]
fn loads_to_and_stores_from_lds() {
    let mut bench = bench(Arch::Gcn14, 0, 0x1000, WORD3);
    bench.frame.memory.m0 = 0x20;
    bench.set(2, |l| 8 * l);
    let text = "buffer_load_dword v0, v2, s[4:7], 0 offen offset:8 lds";
    assert!(bench.run(text, [0xe051_1008, 0x8001_0002]));
    let at = |l: usize| u32::from_le_bytes(bench.context.lds[0x28 + 4 * l..][..4].try_into().unwrap());
    (0..54).for_each(|l| assert_eq!(at(l), dword(2 + 2 * l)));
    bench.frame.memory.base[0] = SCRATCH;
    bench.frame.memory.m0 = 0x1c;
    assert!(bench.run("buffer_store_lds_dword s[4:7], 0 offset:12 lds", [0xe0f5_000c, 0x8001_0000]));
    bench.noted(&[Note::LaneOrder]);
    assert_eq!(bench.memory(SCRATCH + 12), dword(2 + 2 * 53), "the last lane that has a place in LDS");
}

/// Returns the first lane's result of `tbuffer_load_format_xyzw` of the dword `bits` in a format, on GCN 1.4 or 1.1.
fn load_format(arch: Arch, data: u32, number: u32, bits: u32) -> [u32; 4] {
    let mut bench = bench(arch, 0, 0x1000, WORD3);
    bench.context.store(DATA as u64, &bits.to_le_bytes());
    let op = if arch == Arch::Gcn14 { 3 << 15 } else { 3 << 16 };
    let words = [0xe800_0000 | number << 23 | data << 19 | op, 0x8001_0800];
    let text = gcnsim_isa::decode(arch, words[0], Some(words[1])).unwrap().to_string();
    assert!(text.starts_with("tbuffer_load_format_xyzw v[8:11]") && bench.run(&text, words));
    [8, 9, 10, 11].map(|n| bench.vgprs[n].0[0])
}

#[test]
fn formats_of_loads() {
    let float = |values: [f32; 4]| values.map(f32::to_bits);
    // 8_8_8_8: UNORM 128 is 0x3f008081; SNORM 0x80 and 0x81 are -1, and 0x40 is 0x3f010204
    // (docs/gcn/memory-check-values.md#check-values).
    assert_eq!(load_format(Arch::Gcn14, 10, 0, 0x00ff_0080), [0x3f00_8081, 0, 0x3f80_0000, 0]);
    assert_eq!(load_format(Arch::Gcn14, 10, 1, 0x0040_8180), [0xbf80_0000, 0xbf80_0000, 0x3f01_0204, 0]);
    assert_eq!(load_format(Arch::Gcn11, 10, 6, 0x8080_0080), [0xbf80_0000, 0x3b80_8081, 0xbf80_0000, 0xbf80_0000]);
    assert_eq!(
        load_format(Arch::Gcn14, 6, 7, 0x7860_03c0),
        [1.0f32.to_bits(), 2.0f32.to_bits(), 1.03125f32.to_bits(), 0]
    );
    assert_eq!(load_format(Arch::Gcn14, 9, 1, 3 << 30), float([0.0, 0.0, 0.0, -1.0]));
    assert_eq!(load_format(Arch::Gcn11, 9, 1, 3 << 30), float([0.0, 0.0, 0.0, 1.0]));
    assert_eq!(load_format(Arch::Gcn14, 9, 0, 512)[0], 0x3f00_2008);
    assert_eq!(load_format(Arch::Gcn14, 5, 5, 0x7fff_8000), [0xffff_8000, 0x7fff, 0, 0]);
    assert_eq!(load_format(Arch::Gcn14, 10, 3, 0x7f80_ff01), float([1.0, -1.0, -128.0, 127.0]));
    // 1 and 0xc000 are the least denormal number and -2 in binary16. A NaN keeps its payload.
    assert_eq!(load_format(Arch::Gcn14, 5, 7, 0xc000_0001)[..2], [0x3380_0000, 0xc000_0000]);
    assert_eq!(load_format(Arch::Gcn14, 5, 7, 0x7c01), [0x7f80_2000, 0, 0, 0]);
    // 32 bits are never converted.
    assert_eq!(load_format(Arch::Gcn14, 4, 0, 0x1234_5678), [0x1234_5678, 0, 0, 0]);
}

#[test]
fn selectors_of_a_descriptor() {
    // 8_8_8_8 UINT 0x44332211 with the selectors (Z, Y, X, 1) is 0x33, 0x22, 0x11, 1.
    let selectors = 6 | 5 << 3 | 4 << 6 | 1 << 9;
    let mut bench = bench(Arch::Gcn14, 0, 4, selectors | 4 << 12 | 10 << 15);
    bench.context.store(DATA as u64, &[0x11, 0x22, 0x33, 0x44]);
    let words = [0xe00c_1000, 0x8001_0802];
    bench.set(2, |l| 4 * (l % 2));
    assert!(bench.run("buffer_load_format_xyzw v[8:11], v2, s[4:7], 0 offen", words));
    assert_eq!([8, 9, 10, 11].map(|n| bench.vgprs[n].0[0]), [0x33, 0x22, 0x11, 1]);
    // Out of range all components are 0, but a selector of the constant 1 still gives 1.
    assert_eq!([8, 9, 10, 11].map(|n| bench.vgprs[n].0[1]), [0, 0, 0, 1]);
    // Stores apply the selectors the other way round. Component W, which none of them selects, becomes 0.
    bench.set(2, |_| 0).set(4, |_| 1).set(5, |_| 0x102).set(6, |_| 3).set(7, |_| 4).frame.memory.exec = 1;
    let words = [0xe01c_1000, 0x8001_0402];
    assert!(bench.run("buffer_store_format_xyzw v[4:7], v2, s[4:7], 0 offen", words));
    assert_eq!(bench.memory(DATA), 0x0001_ff03);
    bench.noted(&[Note::FormatIntStore]);
}

/// Returns the dword that `tbuffer_store_format_xy` of two values stores. It must raise `notes`.
fn store_format(data: u32, number: u32, values: [u32; 2], notes: &[Note]) -> u32 {
    let mut bench = bench(Arch::Gcn11, 0, 0x1000, WORD3);
    bench.set(4, |_| values[0]).set(5, |_| values[1]).frame.memory.exec = 1;
    let words = [0xe805_0000 | number << 23 | data << 19, 0x8001_0400];
    let text = gcnsim_isa::decode(Arch::Gcn11, words[0], Some(words[1])).unwrap().to_string();
    assert!(text.starts_with("tbuffer_store_format_xy v[4:5]") && bench.run(&text, words));
    bench.noted(notes);
    bench.memory(DATA)
}

#[test]
fn formats_of_stores() {
    let bits = |a: f32, b: f32| [a.to_bits(), b.to_bits()];
    // In 16_16 UNORM 0.5 * 65535 = 32767.5 is rounded to the even 32768, and a NaN is 0.
    assert_eq!(store_format(5, 0, bits(0.5, f32::NAN), &[]), 0x8000);
    assert_eq!(store_format(5, 1, bits(-2.0, 0.5), &[]), 0x4000_8001);
    assert_eq!(store_format(5, 2, bits(2.5, 70000.0), &[Note::FormatScaledStore]), 0xffff_0002);
    assert_eq!(store_format(5, 3, bits(-1.5, -40000.0), &[Note::FormatScaledStore]), 0x8000_fffe);
    assert_eq!(store_format(5, 5, [-40000i32 as u32, 7], &[Note::FormatIntStore]), 0x0007_8000);
    // (v * 65535 - 1) / 2 is 32767 for 1 and -32768 for -1.
    assert_eq!(store_format(5, 6, bits(1.0, -1.0), &[Note::FormatScaledStore]), 0x8000_7fff);
    // Numbers are rounded toward zero. Numbers beyond the range become the largest one, and an infinity stays one.
    assert_eq!(store_format(5, 7, bits(1.0, f32::INFINITY), &[]), 0x7c00_3c00);
    assert_eq!(store_format(5, 7, [0x3f80_1fff, 0xc7ff_ffff], &[Note::FormatF16Store]), 0xfbff_3c00);
    // 2^-24 is the least denormal number; half of it becomes 0.
    assert_eq!(store_format(5, 7, [0x3380_0000, 0x3300_0000], &[Note::FormatF16Store]), 0x0000_0001);
    // In 10_11_11, X and Y have 11 bits, and a negative number is 0. Z is not supplied.
    assert_eq!(store_format(6, 7, bits(1.0, -1.0), &[Note::FormatF16Store]), 0x3c0);
}

#[test]
fn halves_of_formatted_loads() {
    // Halves of 16_16 UINT are packed from GCN 1.4 on; before it each is in a register of its own.
    for (arch, expected) in [(Arch::Gcn14, [0x2222_1111, 7]), (Arch::Gcn12, [0x1111, 0x2222])] {
        let mut bench = bench(arch, 0, 4, 4 | 5 << 3 | 4 << 12 | 5 << 15);
        bench.context.store(DATA as u64, &[0x11, 0x11, 0x22, 0x22]);
        bench.set(8, |_| 7).set(9, |_| 7).frame.memory.exec = 1;
        let text = match arch {
            Arch::Gcn14 => "buffer_load_format_d16_xy v8, off, s[4:7], 0",
            _ => "buffer_load_format_d16_xy v[8:9], off, s[4:7], 0",
        };
        assert!(bench.run(text, [0xe024_0000, 0x8001_0800]));
        assert_eq!([8, 9].map(|n| bench.vgprs[n].0[0]), expected);
    }
    // A single component keeps the other half. 1 / 255 of UNORM is not exact in binary16: 0x1c04.
    let mut bench = bench(Arch::Gcn14, 0, 4, 4 | 1 << 15);
    bench.context.store(DATA as u64, &[1]);
    bench.set(8, |_| 0xaaaa_bbbb);
    bench.gives("buffer_load_format_d16_x v8, off, s[4:7], 0", [0xe020_0000, 0x8001_0800], 8, |_| 0xaaaa_1c04);
    bench.noted(&[Note::FormatD16Round]);
    let text = "buffer_load_format_d16_hi_x v8, off, s[4:7], 0";
    bench.gives(text, [0xe098_0000, 0x8001_0800], 8, |_| 0x1c04_1c04);
}

#[test]
fn tfe_gives_a_status_of_0() {
    let mut bench = bench(Arch::Gcn14, 0, 0x1000, WORD3);
    bench.set(2, |l| 4 * l).set(9, |_| 7).frame.memory.exec = !2;
    bench.gives("buffer_load_dword v8, v2, s[4:7], 0 offen tfe", [0xe050_1000, 0x8081_0802], 9, |_| 0);
    assert_eq!(bench.vgprs[8].0[6], dword(6));
}
