//! Image instructions, by hand from docs/gcn/images.md, docs/gcn/image-descriptors.md and docs/gcn/sampling.md.

use super::*;

const T: u32 = 8;
const S: u32 = 16;
/// Number formats.
const UNORM: u32 = 0;
const UINT: u32 = 4;
const FLOAT: u32 = 7;
/// Data formats.
const R8: u32 = 1;
const R32: u32 = 4;
const RG32: u32 = 11;
const RGBA8: u32 = 10;
const ONE: u32 = 0x3f80_0000;

/// MIMG with the T# in s[8:15] and the S# in s[16:19].
fn mimg(arch: Arch, mnemonic: &str, [vaddr, vdata]: [u32; 2], dmask: u32) -> [u32; 2] {
    let word = 0xf000_0000 | opcode(arch, Encoding::Mimg, mnemonic) << 18 | dmask << 8;
    [word, vaddr | vdata << 8 | (T / 4) << 16 | (S / 4) << 21]
}

const UNRM: [u32; 2] = [1 << 12, 0];
const GLC_IMAGE: [u32; 2] = [1 << 13, 0];
const DA: [u32; 2] = [1 << 14, 0];
const R128: [u32; 2] = [1 << 15, 0];
const A16: [u32; 2] = [1 << 15, 0];
const TFE_IMAGE: [u32; 2] = [1 << 16, 0];
const D16: [u32; 2] = [0, 1 << 31];

/// A linear plane of level 0 at [`MEMORY`], components in order.
fn plane(arch: Arch, [width, height, pitch]: [u32; 3], (data, number): (u32, u32)) -> [u32; 8] {
    let tiling = if arch.is_gcn14_or_later() { 0 } else { 8 << 20 };
    let selectors = 4 | 5 << 3 | 6 << 6 | 7 << 9;
    let word1 = data << 20 | number << 26;
    [
        (MEMORY >> 8) as u32,
        word1,
        (width - 1) | ((height - 1) << 14),
        selectors | tiling | 9 << 28,
        (pitch - 1) << 13,
        0,
        0,
        0,
    ]
}

fn with_type(mut t: [u32; 8], kind: u32) -> [u32; 8] {
    t[3] = t[3] & 0x0fff_ffff | kind << 28;
    t
}

/// S#: all coordinates clamped to the edge, levels not limited.
fn sampler(word0: u32, word2: u32, word3: u32) -> [u32; 4] {
    [0o222 | word0, 0xfff << 12, word2, word3]
}

const BILINEAR: u32 = 1 << 20 | 1 << 22;
const MIP_LINEAR: u32 = 2 << 26;

fn place(arch: Arch, t: [u32; 8], exec: u64) -> Place {
    Place::new(arch).exec(exec).sgprs(T as u8, &t)
}

fn floats(place: &Place, vgpr: u8, lane: usize) -> [f32; 4] {
    place.column(vgpr, lane).map(f32::from_bits)
}

#[test]
fn loads_convert_and_select() {
    for arch in Arch::ALL {
        let mut t = plane(arch, [8, 4, 64], (RGBA8, UNORM));
        // Z, 0, 1, X.
        t[3] = t[3] & !0xfff | 6 | 1 << 6 | 4 << 9;
        let mut place = place(arch, t, 3).vgpr(0, |lane| 7u32.wrapping_sub(lane)).vgpr(1, |_| 3);
        place = place.dwords(MEMORY + (3 * 64 + 6) * 4, &[0x0000_00ff, 0x0033_0033]);
        assert_eq!(place.run(mimg(arch, "image_load", [0, 4], 15)), Vec::<&str>::new());
        assert_eq!(floats(&place, 4, 0), [0.2, 0.0, 1.0, 0.2]);
        assert_eq!(floats(&place, 4, 1), [0.0, 0.0, 1.0, 1.0]);
        // Y and W of the result.
        place.run(mimg(arch, "image_load", [0, 8], 0b1010));
        assert_eq!(place.column(8, 0), [0, 0.2f32.to_bits(), 0]);
        assert_eq!(place.run(mimg(arch, "image_load", [0, 8], 0)), ["mimg-dmask0"]);
        assert_eq!(place.column(8, 0), [0, 0.2f32.to_bits()]);
    }
}

#[test]
fn loads_outside_give_zeros() {
    let arch = Arch::Gcn12;
    let mut place = place(arch, plane(arch, [8, 4, 64], (R8, UINT)), 7).vgpr(0, |lane| [0, 8, 0][lane as usize % 3]);
    place = place.vgpr(1, |lane| [3, 0, 4][lane as usize % 3]).vgpr(6, |_| 9).vgpr(5, |_| 9);
    let words = with(mimg(arch, "image_load", [0, 2], 15), &[TFE_IMAGE]);
    assert_eq!(place.run(words), ["image-outside", "tfe-resident"]);
    assert_eq!(place.column(2, 0), [192, 0, 0, 1, 0]);
    assert_eq!(place.column(2, 1), [0, 0, 0, 0, 0]);
    assert_eq!(place.column(2, 2), [0, 0, 0, 0, 0]);
    assert_eq!(place.lane(6, 3), 9);
}

#[test]
fn raw_loads_and_stores() {
    let arch = Arch::Gcn14;
    let mut place = place(arch, plane(arch, [8, 4, 256], (R8, UNORM)), 1).vgpr(0, |_| 1).vgpr(1, |_| 0);
    place.context.store(MEMORY + 1, &[0x80]);
    assert_eq!(place.run(mimg(arch, "image_load_pck", [0, 2], 1)), ["image-pck"]);
    assert_eq!(place.lane(2, 0), 0x80);
    place.run(mimg(arch, "image_load_pck_sgn", [0, 2], 3));
    assert_eq!(place.column(2, 0), [0xffff_ff80, 0]);
    let mut place = place.sgprs(T as u8, &plane(arch, [8, 4, 32], (RG32, FLOAT))).vgpr(2, |_| 0xabcd);
    assert_eq!(place.run(mimg(arch, "image_store_pck", [0, 2], 2)), ["image-pck", "mimg-store-dmask"]);
    assert_eq!([place.dword(MEMORY + 8), place.dword(MEMORY + 12)], [0, 0xabcd]);
}

#[test]
fn stores() {
    let arch = Arch::Gcn14;
    let mut t = plane(arch, [8, 4, 64], (RGBA8, UNORM));
    let mut place = place(arch, t, 1).vgpr(0, |_| 2).vgpr(1, |_| 1).vgpr(2, |_| ONE).vgpr(3, |_| 0.2f32.to_bits());
    let texel = MEMORY + (64 + 2) * 4;
    assert_eq!(place.run(mimg(arch, "image_store", [0, 2], 0b1001)), ["mimg-store-dmask"]);
    assert_eq!(place.dword(texel), 0x3300_00ff);
    // BGRA: the component X goes to the channel Z.
    t[3] = t[3] & !0xfff | 6 | 5 << 3 | 4 << 6 | 7 << 9;
    let mut place = place.sgprs(T as u8, &t).vgpr(4, |_| 0).vgpr(5, |_| ONE);
    assert_eq!(place.run(mimg(arch, "image_store", [0, 2], 15)), Vec::<&str>::new());
    assert_eq!(place.dword(texel), 0xffff_3300);
    // Halves: 1 and 0 in one register, 0 and 1 in the next.
    let mut place = place.vgpr(2, |_| 0x3c00).vgpr(3, |_| 0x3c00_0000);
    place.run(with(mimg(arch, "image_store", [0, 2], 15), &[D16]));
    assert_eq!(place.dword(texel), 0xffff_0000);
    // Blocks are not stored.
    let mut place = place.sgprs(T as u8, &plane(arch, [8, 4, 64], (35, UNORM)));
    assert_eq!(place.run(mimg(arch, "image_store", [0, 2], 15)), ["image-invalid"]);
}

#[test]
fn atomics() {
    for (arch, cmpswap) in [(Arch::Gcn10, 0u32), (Arch::Gcn14, 1)] {
        let mut place =
            place(arch, plane(arch, [8, 4, 64], (R32, UINT)), 0b1011).vgpr(0, |lane| [3, 3, 0, 8][lane as usize % 4]);
        place = place.vgpr(1, |_| 1).vgpr(2, |lane| 10 + lane).dwords(MEMORY + 67 * 4, &[5, 6]);
        let words = with(mimg(arch, "image_atomic_add", [0, 2], 1), &[GLC_IMAGE]);
        assert_eq!(place.run(words), ["image-outside", "lane-order"]);
        assert_eq!(place.lanes(2), [5, 15, 12, 0]);
        assert_eq!(place.dword(MEMORY + 67 * 4), 26);
        let mut place = place.vgpr(2, |_| 7).vgpr(3, |_| 25 + cmpswap).exec(1);
        place.run(mimg(arch, "image_atomic_cmpswap", [0, 2], 3));
        assert_eq!(place.dword(MEMORY + 67 * 4), if cmpswap == 1 { 7 } else { 26 });
        // 64 bits at an address that is a multiple of 4 only.
        let (fault, note) = place.fault(mimg(arch, "image_atomic_add", [0, 2], 3));
        assert_eq!((fault.address, fault.bytes, note), (MEMORY + 67 * 4, 8, Some(Note::AtomicAlign)));
    }
}

#[test]
fn faults_name_the_lane() {
    let arch = Arch::Gcn11;
    // 64 KiB for a row: the second one is not mapped.
    let mut place = place(arch, plane(arch, [8, 4, 0x4000], (R32, UINT)), 6).vgpr(0, |_| 1).vgpr(1, |lane| lane / 2);
    let (fault, note) = place.fault(mimg(arch, "image_load", [0, 2], 1));
    assert_eq!((fault.address, fault.lane, fault.access, note), (MEMORY + 0x1_0004, Some(2), Access::Load, None));
    assert_eq!(place.fault(mimg(arch, "image_store", [0, 2], 15)).0.access, Access::Store);
}

#[test]
fn null_and_invalid_images() {
    let arch = Arch::Gcn14;
    let mut place = place(arch, [0; 8], 1).vgpr(2, |_| 9).vgpr(3, |_| 9);
    assert_eq!(place.run(mimg(arch, "image_load", [0, 2], 1)), Vec::<&str>::new());
    assert_eq!(place.column(2, 0), [0, 9]);
    assert_eq!(place.run(mimg(arch, "image_store", [0, 2], 15)), Vec::<&str>::new());
    let mut place = place.sgprs(T as u8, &with_type([1; 8], 0));
    assert_eq!(place.run(mimg(arch, "image_sample", [0, 2], 3)), ["image-invalid"]);
    assert_eq!(place.column(2, 0), [0, 0]);
}

/// Layers of one level before GCN 1.4 follow each other; there a slice has all its levels.
#[test]
fn layers_and_levels() {
    for (arch, layer, level1) in [(Arch::Gcn12, 64 * 4, 2 * 64 * 4), (Arch::Gcn14, 64 * 6, 64 * 4)] {
        let mut t = with_type(plane(arch, [8, 4, 64], (R32, UINT)), 13);
        t[3] |= 1 << 16;
        (t[4], t[5]) = (t[4] | 1, if arch.is_gcn14_or_later() { 1 << 28 } else { 1 << 13 });
        let mut place = place(arch, t, 1).vgpr(0, |_| 1).vgpr(1, |_| 1).vgpr(2, |_| 1).vgpr(3, |_| 1);
        place = place.dwords(MEMORY + (layer + 65) * 4, &[77]);
        assert_eq!(place.run(with(mimg(arch, "image_load", [0, 4], 1), &[DA])), Vec::<&str>::new());
        assert_eq!(place.lane(4, 0), 77);
        // Level 1 is 4 x 2 texels; before GCN 1.4 its pitch is 32, so that two rows have 64 texels.
        let row = if arch.is_gcn14_or_later() { layer + level1 + 65 } else { level1 + 64 + 33 };
        let mut place = place.dwords(MEMORY + row * 4, &[78]);
        let notes = place.run(with(mimg(arch, "image_load_mip", [0, 4], 1), &[DA]));
        assert_eq!((place.lane(4, 0), notes.is_empty()), (78, arch.is_gcn14_or_later()));
        // Without DA there is no slice: the layer is BASE_ARRAY, and the next register is the level.
        assert!(place.run(mimg(arch, "image_load", [0, 4], 1)).contains(&"image-da"));
        assert_eq!(place.lane(4, 0), u32::from_le_bytes([260, 261, 262, 263].map(|at| (at % 251) as u8)));
        t[5] |= 1;
        let mut place = self::place(arch, t, 1).vgpr(0, |_| 1).vgpr(1, |_| 1).vgpr(2, |_| 1).vgpr(3, |_| 9);
        place = place.dwords(MEMORY + (layer + 65) * 4, &[77]).dwords(MEMORY + row * 4, &[78]);
        place.run(mimg(arch, "image_load", [0, 4], 1));
        assert_eq!(place.lane(4, 0), 77);
        place.run(mimg(arch, "image_load_mip", [0, 4], 1));
        assert_eq!(place.lane(4, 0), 78);
        // With DA there is one, also if the type is that of a single plane.
        let mut place =
            self::place(arch, with_type(t, 9), 1).vgpr(0, |_| 1).vgpr(1, |_| 1).vgpr(2, |_| 0).vgpr(3, |_| 1);
        place = place.dwords(MEMORY + row * 4, &[79]);
        place.run(with(mimg(arch, "image_load_mip", [0, 4], 1), &[DA]));
        assert_eq!(place.lane(4, 0), 79);
    }
}

/// POW2_PAD before GCN 1.4: 12 rows lie as 16, and three layers as four.
#[test]
fn padded_levels() {
    let arch = Arch::Gcn11;
    let mut t = with_type(plane(arch, [20, 12, 32], (R32, UINT)), 13);
    t[3] |= 2 << 16 | 1 << 25;
    (t[4], t[5]) = (t[4] | 2, 2 << 13);
    // Level 1 has eight rows of 16 texels, and level 2 four of 16.
    let [first, second] = [32 * 16 * 4, 16 * 8 * 4];
    let texels = [(2 * 512 + 7 * 32 + 9, [9, 7, 2, 0]), (first + 2 * 128 + 5 * 16 + 3, [3, 5, 2, 1])];
    for (at, coordinates) in texels.into_iter().chain([(first + second + 64 + 2 * 16 + 4, [4, 2, 1, 2])]) {
        let mut place = place(arch, t, 1).dwords(MEMORY + at * 4, &[77]);
        for (n, value) in coordinates.into_iter().enumerate() {
            place = place.vgpr(n as u8, move |_| value);
        }
        place.run(with(mimg(arch, "image_load_mip", [0, 4], 1), &[DA]));
        assert_eq!(place.lane(4, 0), 77, "{coordinates:?}");
    }
}

#[test]
fn short_descriptors_and_addresses() {
    // R128: the pitch of 5 texels of four bytes is 16.
    let mut t = plane(Arch::Gcn10, [5, 2, 64], (R32, UINT));
    t[4..].fill(u32::MAX);
    let mut narrow = place(Arch::Gcn10, t, 1).vgpr(0, |_| 4).vgpr(1, |_| 1).dwords(MEMORY + 20 * 4, &[99]);
    narrow.run(with(mimg(Arch::Gcn10, "image_load", [0, 2], 1), &[R128]));
    assert_eq!(narrow.lane(2, 0), 99);
    // A16: x and y are halves.
    let t = plane(Arch::Gcn14, [5, 2, 64], (R32, UINT));
    let mut halves = place(Arch::Gcn14, t, 1).vgpr(0, |_| 1 << 16 | 4).dwords(MEMORY + 68 * 4, &[98]);
    halves.run(with(mimg(Arch::Gcn14, "image_load", [0, 2], 1), &[A16]));
    assert_eq!(halves.lane(2, 0), 98);
}

#[test]
fn sizes() {
    let arch = Arch::Gcn11;
    let mut t = with_type(plane(arch, [13, 6, 64], (R8, UINT)), 13);
    (t[3], t[4], t[5]) = (t[3] | 1 << 12 | 3 << 16, t[4] | 4, 4 << 13 | 1);
    let mut place = place(arch, t, 3).vgpr(0, |lane| 3 * lane);
    assert_eq!(place.run(mimg(arch, "image_get_resinfo", [0, 2], 15)), ["image-outside"]);
    assert_eq!((place.column(2, 0), place.column(2, 1)), ([6, 3, 4, 3], [0, 0, 0, 3]));
    place.run(mimg(arch, "image_get_resinfo", [0, 6], 0b1100));
    assert_eq!(place.column(6, 0), [4, 3, 0]);
}

/// A row of 0, 1/3, 2/3, 1 in R8: 0, 85, 170, 255.
fn row(arch: Arch, word0: u32, word2: u32) -> Place {
    let place = place(arch, plane(arch, [4, 1, 256], (R8, UNORM)), 15).sgprs(S as u8, &sampler(word0, word2, 0));
    place.dwords(MEMORY, &[0xffaa_5500])
}

#[test]
fn points_and_blends() {
    let arch = Arch::Gcn14;
    let u = |lane: u32| ([0.5f32, 1.0, 1.25, 3.75][lane as usize & 3] / 4.0).to_bits();
    let mut place = row(arch, 0, 0).vgpr(0, u).vgpr(1, |_| 0.5f32.to_bits());
    assert_eq!(place.run(mimg(arch, "image_sample_lz", [0, 2], 1)), Vec::<&str>::new());
    assert_eq!(place.lanes(2).map(f32::from_bits), [0.0, 1.0 / 3.0, 1.0 / 3.0, 1.0]);
    let mut place = place.sgprs(S as u8, &sampler(0, BILINEAR, 0));
    assert_eq!(place.run(mimg(arch, "image_sample_lz", [0, 2], 1)), ["sample-precision"]);
    // Halfway between 0 and 1/3; three quarters of the way.
    let third = 1.0f32 / 3.0;
    assert_eq!(place.lanes(2).map(f32::from_bits), [0.0, third / 2.0, third * 0.75, 1.0]);
    // In texels, one texel to the right (offset 1) and one down, which is clamped.
    let mut place = place.vgpr(0, |_| 0x0101).vgpr(1, |_| ONE).vgpr(2, |_| 0);
    place.run(with(mimg(arch, "image_sample_lz_o", [0, 3], 1), &[UNRM]));
    assert_eq!(f32::from_bits(place.lane(3, 0)), 0.5);
}

#[test]
fn gathers() {
    let arch = Arch::Gcn12;
    let (unorm, uint) = (plane(arch, [2, 2, 64], (R8, UNORM)), plane(arch, [2, 2, 64], (R8, UINT)));
    let mut place = place(arch, unorm, 1).sgprs(S as u8, &sampler(0, 0, 0));
    place = place.dwords(MEMORY, &[0xff00]).dwords(MEMORY + 64, &[0x0033]);
    place = place.vgpr(0, |_| 0.5f32.to_bits()).vgpr(1, |_| 0.5f32.to_bits());
    place.run(mimg(arch, "image_gather4_lz", [0, 4], 1));
    assert_eq!(floats(&place, 4, 0), [0.2, 0.0, 1.0, 0.0]);
    // Of integers the first texel is that of the coordinate: (1, 1).
    let mut place = place.sgprs(T as u8, &uint);
    place.run(mimg(arch, "image_gather4_lz", [0, 4], 1));
    assert_eq!(place.column(4, 0), [0; 4]);
    // The reference 0.5 is less than the texel (1, 0) only.
    let mut place = place.sgprs(T as u8, &unorm).sgprs(S as u8, &sampler(1 << 12, 0, 0));
    place = place.vgpr(2, |_| 0.5f32.to_bits());
    place.run(mimg(arch, "image_gather4_c_lz", [0, 4], 1));
    assert_eq!(floats(&place, 4, 0), [0.0, 0.0, 1.0, 0.0]);
}

#[test]
fn levels_of_quads() {
    let arch = Arch::Gcn14;
    let mut t = plane(arch, [8, 8, 256], (R8, UINT));
    (t[3], t[5]) = (t[3] | 3 << 16, 3 << 28);
    // Neighbouring lanes are two texels apart, which is level 1. Lane 1 of the second quad is off.
    let u = |lane: u32| (0.25 * (lane & 1) as f32).to_bits();
    let v = |lane: u32| (0.25 * (lane >> 1 & 1) as f32).to_bits();
    let mut place = place(arch, t, 0xdf).sgprs(S as u8, &sampler(0, MIP_LINEAR, 0)).vgpr(0, u).vgpr(1, v);
    assert_eq!(place.run(mimg(arch, "image_get_lod", [0, 2], 3)), ["quad-inactive", "sample-precision"]);
    assert_eq!(place.lanes(2).map(f32::from_bits), [1.0; 5]);
    assert_eq!(place.lanes(3).map(f32::from_bits), [1.0; 5]);
    // Row 8 is the first of level 1.
    let mut place = place.dwords(MEMORY + 8 * 256, &[0x42]).exec(15);
    assert_eq!(place.run(mimg(arch, "image_sample", [0, 2], 1)), ["sample-precision"]);
    assert_eq!(place.lane(2, 0), 0x42);
}

#[test]
fn operands_that_are_no_numbers() {
    let arch = Arch::Gcn14;
    let u = |lane: u32| [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.6][lane as usize & 3].to_bits();
    let mut place = row(arch, 0, 0).vgpr(0, u).vgpr(1, |_| 0);
    assert_eq!(place.run(mimg(arch, "image_sample_lz", [0, 2], 1)), ["image-coordinate"]);
    assert_eq!(place.lanes(2).map(f32::from_bits), [0.0, 1.0, 0.0, 2.0 / 3.0]);
}

#[test]
fn borders() {
    let arch = Arch::Gcn14;
    // Beyond the border, opaque white; half of it at the edge.
    let mut place = row(arch, 0, 0).sgprs(S as u8, &[0o266, 0, BILINEAR, 2 << 30]);
    place = place.vgpr(0, |lane| [0.0, 2.0, 0.125, 1.0f32][lane as usize & 3].to_bits()).vgpr(1, |_| 0.5f32.to_bits());
    place.run(mimg(arch, "image_sample_lz", [0, 2], 1));
    assert_eq!(place.lanes(2).map(f32::from_bits), [0.5, 1.0, 0.0, 1.0]);
    let mut place = place.sgprs(S as u8, &[0o266, 0, 0, 3 << 30]);
    assert_eq!(place.run(mimg(arch, "image_sample_lz", [0, 2], 1)), ["border-color-table"]);
}

#[test]
fn halves_of_results() {
    let mut place = row(Arch::Gcn14, 0, 0).vgpr(0, |_| ONE).vgpr(1, |_| 0).vgpr(3, |_| 0x1234_5678);
    place.run(with(mimg(Arch::Gcn14, "image_sample_lz", [0, 2], 0b1011), &[D16]));
    assert_eq!(place.column(2, 0), [0x3c00, 0x1234_3c00]);
    let mut place = row(Arch::Gcn12, 0, 0).vgpr(0, |_| ONE).vgpr(1, |_| 0).vgpr(3, |_| 0x1234_5678);
    let notes = place.run(with(mimg(Arch::Gcn12, "image_sample_lz", [0, 2], 0b1001), &[D16]));
    assert_eq!((place.column(2, 0), notes), ([0x3c00, 0x3c00], vec!["d16-unpacked-high"]));
}

/// The run stops before it, and a note says why; from GCN 1.2 on, and only if there is an image and a lane.
#[test]
fn compressed_images_stop_the_run() {
    for (arch, exec, kind, stops) in [
        (Arch::Gcn12, 1, 9, true),
        (Arch::Gcn14, 1, 9, true),
        (Arch::Gcn11, 1, 9, false),
        (Arch::Gcn14, 0, 9, false),
        (Arch::Gcn14, 1, 0, false),
    ] {
        let mut t = with_type(plane(arch, [8, 4, 64], (R32, UINT)), kind);
        t[6] = 1 << 21;
        let Place { mut wave, mut context, .. } = place(arch, t, exec);
        let program = gcnsim_isa::Program::from_words(arch, &mimg(arch, "image_load", [0, 2], 1));
        wave.state.pc = program.base();
        let outcome = crate::Interp::new(&program).run_in(&mut wave, &mut context, 1);
        let (name, reason) = (outcome.name(), outcome.detail().map(|detail| detail.kind));
        let expected = if stops { ("unsupported", Some("image-compressed")) } else { ("budget", None) };
        assert_eq!((name, reason), expected, "{arch} {exec} {kind}");
        assert_eq!((wave.executed, wave.state.notes.contains(Note::ImageCompressed)), (!stops as u64, stops));
    }
}
