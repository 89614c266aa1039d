//! Range checks of buffers, by generation (docs/gcn/buffers.md#range-check).

use super::*;

const WORD3: u32 = 4 << 15 | 4 << 12 | 0xfac;

/// A dword by index in v0 and offset in v1: whether it is in range, and the notes. Memory is all ones, and large
/// enough.
fn checked(
    arch: Arch,
    words: [u32; 4],
    bits: &[[u32; 2]],
    index: u32,
    offset: u32,
    inst_offset: u32,
) -> (bool, Vec<&'static str>) {
    let by_index = bits.contains(&IDXEN);
    let mut place = Place::new(arch).sgprs(4, &words).vgpr(4, |_| 7).exec(1);
    place = if by_index { place.vgpr(0, |_| index).vgpr(1, |_| offset) } else { place.vgpr(0, |_| offset) };
    let all: Vec<u8> = vec![0xff; SIZE];
    place.context.store(MEMORY, &all);
    let notes = place.run(with(mubuf(arch, "buffer_load_dword", [0, 4, 4], inst_offset), bits));
    match place.lane(4, 0) {
        0 => (false, notes),
        u32::MAX => (true, notes),
        other => panic!("{other:#x}"),
    }
}

/// Base, word 1, records, word 3.
fn v(word1: u32, records: u32, word3: u32) -> [u32; 4] {
    [MEMORY as u32, word1, records, word3]
}

const IN: (bool, Vec<&'static str>) = (true, vec![]);
const OUT: (bool, Vec<&'static str>) = (false, vec![]);

fn noted(is_in: bool, note: &'static str) -> (bool, Vec<&'static str>) {
    (is_in, vec![note])
}

#[test]
fn raw_buffers() {
    for arch in [GFX6, GFX7, GFX8, GFX9] {
        let raw = |offset, inst_offset| checked(arch, v(0, 64, WORD3), &[OFFEN], 0, offset, inst_offset);
        assert_eq!([raw(60, 0), raw(56, 4), raw(64, 0), raw(60, 4)], [IN, IN, OUT, OUT], "{arch}");
        // VADDR + OFFSET is a sum of 32 bits: a negative offset may lead into the buffer.
        let wrapped = [(u32::MAX - 3, 4), (u32::MAX - 3, 64), (u32::MAX - 3, 68), (u32::MAX - 3, 0)];
        assert_eq!(wrapped.map(|(offset, inst_offset)| raw(offset, inst_offset)), [IN, IN, OUT, OUT], "{arch}");
        let tail = checked(arch, v(0, 62, WORD3), &[OFFEN], 0, 60, 0);
        assert_eq!(tail, noted(true, "buffer-oob-tail"), "{arch}");
    }
}

#[test]
fn every_dword_by_itself() {
    for arch in [GFX6, GFX7, GFX8, GFX9] {
        let mut place = Place::new(arch).sgprs(4, &v(0, 8, WORD3)).exec(1);
        assert_eq!(place.run(mubuf(arch, "buffer_load_dwordx4", [0, 4, 4], 0)), ["buffer-oob-partial"]);
        assert_eq!(place.column(4, 0), [initial(0), initial(4), 0, 0]);
        let mut place = place.vgpr(6, |_| 5).vgpr(7, |_| 6);
        assert_eq!(place.run(mubuf(arch, "buffer_store_dwordx4", [0, 4, 4], 4)), ["buffer-oob-partial"]);
        assert_eq!([0, 4, 8, 12].map(|at| place.dword(MEMORY + at)), [initial(0), initial(0), initial(8), initial(12)]);
        // Memory out of range need not be mapped.
        let mut place = Place::new(arch).sgprs(4, &v(0, 8, WORD3)).sgprs(4, &[MEMORY as u32 + SIZE as u32 - 8]).exec(1);
        assert_eq!(place.run(mubuf(arch, "buffer_load_dwordx4", [0, 4, 4], 0)), ["buffer-oob-partial"]);
        // Memory in range has to be mapped.
        let mut place = place.sgprs(6, &[12]);
        let (found, _) = place.fault(mubuf(arch, "buffer_load_dwordx4", [0, 4, 4], 0));
        assert_eq!(found, fault(Access::Load, MEMORY + SIZE as u64, 4, Some(0)));
    }
}

#[test]
fn strides_before_gcn12() {
    for arch in [GFX6, GFX7] {
        let by_index = |index, offset| checked(arch, v(16 << 16, 4, WORD3), &[IDXEN, OFFEN], index, offset, 0);
        assert_eq!([by_index(3, 12), by_index(4, 0), by_index(3, 16)], [IN, OUT, OUT]);
        assert_eq!(checked(arch, v(16 << 16, 4, WORD3), &[IDXEN], 3, 0, 16), OUT);
        assert_eq!(by_index(3, 13), noted(true, "buffer-oob-tail").with_alignment(arch));
        // Without an index there is record 0, if any.
        let raw = |records| checked(arch, v(16 << 16, records, WORD3), &[OFFEN], 0, 64, 0);
        assert_eq!([raw(1), raw(0)], [noted(true, "buffer-oob-stride-noidx"), noted(false, "buffer-oob-stride-noidx")]);
        // By the lane's number: lane 0.
        let with_lane = |offset| checked(arch, v(16 << 16, 1, WORD3 | 1 << 23), &[OFFEN], 0, offset, 0);
        assert_eq!([with_lane(12), with_lane(16)], [IN, OUT]);
    }
}

trait WithAlignment {
    fn with_alignment(self, arch: Arch) -> Self;
}

impl WithAlignment for (bool, Vec<&'static str>) {
    /// GCN 1.0 aligns addresses besides.
    fn with_alignment(mut self, arch: Arch) -> Self {
        if arch == GFX6 {
            self.1.push("vmem-align-gfx6");
        }
        self
    }
}

#[test]
fn strides_of_gcn12() {
    // Linear: bytes, the index included.
    let linear = |index, offset| checked(GFX8, v(16 << 16, 64, WORD3), &[IDXEN, OFFEN], index, offset, 0);
    assert_eq!([linear(3, 12), linear(3, 16), linear(4, 0), linear(2, 16)], [IN, OUT, OUT, IN]);
    assert_eq!(checked(GFX8, v(16 << 16, 64, WORD3), &[IDXEN], 3, 0, 16), OUT);
    // Swizzled: records and the stride.
    let swizzled =
        |index, offset| checked(GFX8, v(1 << 31 | 16 << 16, 4, WORD3 | 1 << 19), &[IDXEN, OFFEN], index, offset, 0);
    assert_eq!([swizzled(3, 12), swizzled(4, 0), swizzled(0, 16)], [IN, OUT, OUT]);
    // Swizzled without a stride: the swizzled offset, which is out of range where the sum would wrap.
    let scratch = |offset, inst_offset| checked(GFX8, v(1 << 31, 512, 0x00e8_0fac), &[OFFEN], 0, offset, inst_offset);
    assert_eq!([scratch(4, 0), scratch(8, 0), scratch(u32::MAX - 3, 4)], [IN, OUT, OUT]);
}

/// Each dword of an access has an offset of 32 bits, also behind one that wraps.
#[test]
fn offsets_that_wrap_between_dwords() {
    for arch in [GFX6, GFX7, GFX8, GFX9] {
        for (records, notes) in [(64, vec!["buffer-oob-partial"]), (u32::MAX, vec!["buffer-oob-partial"])] {
            let mut place = Place::new(arch).sgprs(4, &v(0, records, WORD3)).vgpr(0, |_| u32::MAX - 7).exec(1);
            if records == u32::MAX {
                // The first two dwords are in range, and not mapped.
                let (found, _) = place.fault(with(mubuf(arch, "buffer_load_dwordx4", [0, 4, 4], 0), &[OFFEN]));
                assert_eq!(found, fault(Access::Load, MEMORY + 0xffff_fff8, 4, Some(0)), "{arch}");
                continue;
            }
            assert_eq!(place.run(with(mubuf(arch, "buffer_load_dwordx4", [0, 4, 4], 0), &[OFFEN])), notes);
            assert_eq!(place.column(4, 0), [0, 0, initial(0), initial(4)], "{arch}");
            let mut place = place.vgpr(4, |_| 1).vgpr(5, |_| 2).vgpr(6, |_| 3).vgpr(7, |_| 4);
            place.run(with(mubuf(arch, "buffer_store_dwordx4", [0, 4, 4], 0), &[OFFEN]));
            assert_eq!([0, 4, 8].map(|at| place.dword(MEMORY + at)), [3, 4, initial(8)], "{arch}");
            // An atomic is whole, and in range where its sum is.
            let mut place = place.vgpr(4, |_| 10);
            place.run(with(mubuf(arch, "buffer_atomic_add", [0, 4, 4], 16), &[OFFEN]));
            assert_eq!(place.dword(MEMORY + 8), initial(8) + 10, "{arch}");
        }
    }
}

#[test]
fn strides_of_gcn14() {
    // The index alone.
    let by_index = |index, offset| checked(GFX9, v(16 << 16, 4, WORD3), &[IDXEN, OFFEN], index, offset, 0);
    assert_eq!([by_index(3, 12), by_index(3, 16), by_index(4, 0)], [IN, IN, OUT]);
    assert_eq!(checked(GFX9, v(16 << 16, 4, WORD3), &[IDXEN], 3, 0, 16), IN);
    // Raw: bytes, whatever the stride.
    let raw = |offset| checked(GFX9, v(16 << 16, 64, WORD3), &[OFFEN], 0, offset, 0);
    assert_eq!([raw(60), raw(64)], [IN, OUT]);
    // Scratch: never.
    assert_eq!(checked(GFX9, v(1 << 31, 0, 0x00e0_0fac), &[OFFEN], 0, 64, 0), IN);
    // What no table has.
    let swizzled = |offset| checked(GFX9, v(1 << 31, 64, WORD3), &[OFFEN], 0, offset, 0);
    assert_eq!(
        [swizzled(4), swizzled(64)],
        [noted(true, "buffer-oob-gfx9-other"), noted(false, "buffer-oob-gfx9-other")]
    );
    let both = |index| checked(GFX9, v(16 << 16, 4, 1 << 23), &[IDXEN], index, 0, 0);
    assert_eq!([both(3), both(4)], [noted(true, "buffer-oob-gfx9-other"), noted(false, "buffer-oob-gfx9-other")]);
    assert_eq!(checked(GFX9, v(0, 1, WORD3), &[IDXEN, OFFEN], 7, 64, 0), noted(true, "buffer-oob-gfx9-stride0"));
}

#[test]
fn scalar_offsets() {
    let run = |arch, records, code| {
        let mut place = Place::new(arch).sgprs(4, &v(0, records, WORD3)).exec(1);
        let notes = place.run(soffset(mubuf(arch, "buffer_load_dword", [0, 4, 4], 8), code));
        (place.lane(4, 0), notes)
    };
    for arch in [GFX6, GFX7, GFX8, GFX9] {
        assert_eq!(run(arch, 64, 128 + 32), (initial(40), vec![]));
        assert_eq!(run(arch, 40, 128 + 32), (0, vec!["buffer-oob-soffset"]));
        // Never below 0.
        assert_eq!(run(arch, 16, 128 + 32), (0, vec!["buffer-oob-soffset"]));
        assert_eq!(run(arch, 8, 128 + 32), (0, vec![]));
    }
}
