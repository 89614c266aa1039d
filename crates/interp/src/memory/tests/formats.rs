//! Formatted buffer accesses; conversions themselves are tested in `format.rs`.

use super::*;

/// Selectors X, Y, Z, W.
const XYZW: u32 = 0xfac;

/// A raw descriptor of 64 bytes in s[4:7] with formats and selectors.
fn place(arch: Arch, dfmt: u32, nfmt: u32, selectors: u32) -> Place {
    Place::new(arch).sgprs(4, &[MEMORY as u32, 0, 64, dfmt << 15 | nfmt << 12 | selectors]).exec(1)
}

#[test]
fn selectors_of_loads() {
    for arch in [GFX6, GFX7, GFX8, GFX9] {
        // Z, Y, X, 1 (docs/gcn/memory-check-values.md#check-values).
        let mut place = place(arch, 10, 4, 6 | 5 << 3 | 4 << 6 | 1 << 9).dwords(MEMORY, &[0x4433_2211]);
        assert_eq!(place.run(mubuf(arch, "buffer_load_format_xyzw", [0, 4, 4], 0)), NO_NOTES);
        assert_eq!(place.column(4, 0), [0x33, 0x22, 0x11, 1]);
        // Out of range: components are 0, a 1 is a 1.
        place.run(mubuf(arch, "buffer_load_format_xyzw", [0, 4, 4], 64));
        assert_eq!(place.column(4, 0), [0, 0, 0, 1]);
        // The first components of the result only.
        let mut place = place.vgpr(6, |_| 9);
        place.run(mubuf(arch, "buffer_load_format_xy", [0, 4, 4], 0));
        assert_eq!(place.column(4, 0), [0x33, 0x22, 9]);
    }
    let mut place = place(GFX9, 1, 0, 4 | 2 << 3 | 7 << 6 | 1 << 9).dwords(MEMORY, &[0xff]);
    assert_eq!(place.run(mubuf(GFX9, "buffer_load_format_xyzw", [0, 4, 4], 0)), ["format-dst-sel"]);
    assert_eq!(place.column(4, 0), [0x3f80_0000, 0, 0, 0x3f80_0000]);
}

#[test]
fn typed_instructions_bring_their_format() {
    for arch in [GFX6, GFX7, GFX8, GFX9] {
        // The descriptor's selectors do not matter; W is 0, not 1.
        let mut place = place(arch, 4, 4, 0).dwords(MEMORY, &[0x4433_2211]);
        assert_eq!(place.run(mtbuf(arch, "tbuffer_load_format_xyzw", [0, 4, 4], (3, 5))), NO_NOTES);
        assert_eq!(place.column(4, 0), [0x11, 0x22, 0, 0]);
        assert_eq!(place.run(mtbuf(arch, "tbuffer_load_format_xy", [0, 4, 4], (15, 5))), ["format-invalid"]);
        assert_eq!(place.column(4, 0), [0, 0]);
        let mut place = place.vgpr(4, |_| 0xaa);
        place.run(mtbuf(arch, "tbuffer_store_format_x", [0, 4, 4], (0, 4)));
        assert_eq!(place.dword(MEMORY), 0x4433_2211);
        // All of the element is written.
        place.run(mtbuf(arch, "tbuffer_store_format_x", [0, 4, 4], (10, 4)));
        assert_eq!(place.dword(MEMORY), 0xaa);
    }
}

#[test]
fn selectors_of_stores() {
    // X goes to Z, Y to X.
    let data = |place: Place| place.vgpr(4, |_| 1).vgpr(5, |_| 2).vgpr(6, |_| 3).vgpr(7, |_| 4);
    let mut swapped = data(place(GFX9, 10, 4, 6 | 4 << 3 | 5 << 6 | 7 << 9));
    swapped.run(mubuf(GFX9, "buffer_store_format_xyzw", [0, 4, 4], 0));
    assert_eq!(swapped.dword(MEMORY), 0x0401_0302);
    swapped.run(mubuf(GFX9, "buffer_store_format_xy", [0, 4, 4], 0));
    assert_eq!(swapped.dword(MEMORY), 0x0001_0002);
    // Two for one component: the lower one.
    let mut doubled = data(place(GFX9, 10, 4, 4 | 4 << 3 | 3 << 6));
    assert_eq!(doubled.run(mubuf(GFX9, "buffer_store_format_xyz", [0, 4, 4], 0)), ["format-dst-sel"]);
    assert_eq!(doubled.dword(MEMORY), 1);
    // Out of range: all of it or nothing.
    let mut tail = data(place(GFX9, 11, 4, XYZW)).vgpr(0, |lane| 60 + 4 * lane).exec(3);
    assert_eq!(tail.run(with(mubuf(GFX9, "buffer_store_format_xy", [0, 4, 4], 0), &[OFFEN])), ["buffer-oob-tail"]);
    assert_eq!([60, 64, 68].map(|at| tail.dword(MEMORY + at)), [1, 2, initial(68)]);
}

#[test]
fn elements_of_every_size() {
    let mut wide = place(GFX9, 14, 0, XYZW);
    wide.run(mubuf(GFX9, "buffer_load_format_xyzw", [0, 4, 4], 16));
    assert_eq!(wide.column(4, 0), [initial(16), initial(20), initial(24), initial(28)], "32 bits are not converted");
    let mut three = place(GFX9, 13, 7, XYZW).vgpr(7, |_| 9);
    three.run(mubuf(GFX9, "buffer_load_format_xyzw", [0, 4, 4], 12));
    assert_eq!(three.column(4, 0), [initial(12), initial(16), initial(20), 0]);
    // Misaligned: at the byte address.
    let mut odd = place(GFX9, 5, 4, XYZW);
    assert_eq!(odd.run(mubuf(GFX9, "buffer_load_format_xy", [0, 4, 4], 2)), ["format-align"]);
    assert_eq!(odd.column(4, 0), [initial(2) & 0xffff, initial(4) & 0xffff]);
    // Elements of 8 bytes need 4, on GCN 1.0 8.
    for (arch, notes) in [(GFX6, vec!["format-align"]), (GFX7, vec![]), (GFX9, vec![])] {
        let mut place = place(arch, 11, 4, XYZW);
        assert_eq!(place.run(mubuf(arch, "buffer_load_format_xy", [0, 4, 4], 4)), notes);
        assert_eq!(place.column(4, 0), [initial(4), initial(8)]);
    }
}

#[test]
fn sixteen_bits_a_component() {
    // UNORM8 0xff, 0, 0xff, 0x00 as binary16.
    let load = |arch, mnemonic: &str| {
        let mut place = place(arch, 10, 0, XYZW).dwords(MEMORY, &[0x00ff_00ff]);
        place = place.vgpr(4, |_| 0xaaaa_bbbb).vgpr(5, |_| 0xaaaa_bbbb).vgpr(6, |_| 0xaaaa_bbbb);
        let notes = place.run(mubuf(arch, mnemonic, [0, 4, 4], 0));
        (place.column::<3>(4, 0), notes)
    };
    let old = 0xaaaa_bbbb;
    assert_eq!(load(GFX9, "buffer_load_format_d16_x"), ([0xaaaa_3c00, old, old], vec![]));
    assert_eq!(load(GFX9, "buffer_load_format_d16_xy"), ([0x3c00, old, old], vec![]));
    assert_eq!(load(GFX9, "buffer_load_format_d16_xyz"), ([0x3c00, 0xaaaa_3c00, old], vec![]));
    assert_eq!(load(GFX9, "buffer_load_format_d16_xyzw"), ([0x3c00, 0x3c00, old], vec![]));
    assert_eq!(load(GFX9, "buffer_load_format_d16_hi_x"), ([0x3c00_bbbb, old, old], vec![]));
    let unpacked = vec!["d16-unpacked-high"];
    assert_eq!(load(GFX8, "buffer_load_format_d16_x"), ([0x3c00, old, old], unpacked.clone()));
    assert_eq!(load(GFX8, "buffer_load_format_d16_xyz"), ([0x3c00, 0, 0x3c00], unpacked));
    let store = |arch, mnemonic: &str| {
        let mut place = place(arch, 10, 0, XYZW).vgpr(4, |_| 0x3800_3c00).vgpr(5, |_| 0x3c00_0000);
        place.run(mubuf(arch, mnemonic, [0, 4, 4], 0));
        place.dword(MEMORY)
    };
    assert_eq!(store(GFX9, "buffer_store_format_d16_xyzw"), 0xff00_80ff);
    assert_eq!(store(GFX9, "buffer_store_format_d16_hi_x"), 0x80);
    assert_eq!(store(GFX8, "buffer_store_format_d16_xy"), 0x00ff);
    // Integers keep their low bits, and are extended when they are stored.
    let mut place = place(GFX9, 4, 5, XYZW).dwords(MEMORY, &[0x1234_8765]).vgpr(4, |_| 0);
    place.run(mtbuf(GFX9, "tbuffer_load_format_d16_x", [0, 4, 4], (4, 5)));
    assert_eq!(place.lane(4, 0), 0x8765);
    place.run(mtbuf(GFX9, "tbuffer_store_format_d16_x", [0, 4, 4], (4, 5)));
    assert_eq!(place.dword(MEMORY), 0xffff_8765);
}
