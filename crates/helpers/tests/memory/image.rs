//! MIMG in compiled code. Images lie in memory, whose dwords [`dword`] gives; expected values are worked out by hand from
//! docs/gcn/image-descriptors.md and docs/gcn/sampling.md.

use crate::memory_support;

use gcnsim_isa::{Arch, Note};
use memory_support::{Bench, DATA, dword};

const LOAD: (&str, [u32; 2]) = ("image_load v[8:11], v2, s[4:11] dmask:0xf unorm", [0xf000_1f00, 0x0001_0802]);
const LOAD_X: (&str, [u32; 2]) = ("image_load v8, v2, s[4:11] dmask:0x1 unorm", [0xf000_1100, 0x0001_0802]);
const STORE: (&str, [u32; 2]) = ("image_store v[8:11], v2, s[4:11] dmask:0xf unorm", [0xf020_1f00, 0x0001_0802]);
const ADD: (&str, [u32; 2]) = ("image_atomic_add v8, v2, s[4:11] dmask:0x1 unorm glc", [0xf048_3100, 0x0001_0802]);
const SIZE: (&str, [u32; 2]) = ("image_get_resinfo v[8:11], v2, s[4:11] dmask:0xf", [0xf038_0f00, 0x0001_0802]);
const SAMPLE: (&str, [u32; 2]) =
    ("image_sample_lz v[8:11], v2, s[4:11], s[12:15] dmask:0xf", [0xf09c_0f00, 0x0061_0802]);
const GATHER: (&str, [u32; 2]) =
    ("image_gather4_lz v[8:11], v2, s[4:11], s[12:15] dmask:0x2", [0xf11c_0200, 0x0061_0802]);

const UNORM: u32 = 0;
const UINT: u32 = 4;
const FLOAT: u32 = 7;
const D2: u32 = 9;
const D3: u32 = 10;
const LINEAR: u32 = 1 << 20 | 1 << 22;

/// A T# of GCN 1.4: type, data and number format, width and height; a pitch of 64.
fn image(kind: u32, data: u32, number: u32, [width, height]: [u32; 2]) -> [u32; 8] {
    let size = (width - 1) | (height - 1) << 14;
    [DATA >> 8, data << 20 | number << 26, size, kind << 28 | 0xfac, 63 << 13, 0, 0, 0]
}

/// A wave with an image and a sampler that clamps to the edge.
fn bench(t: [u32; 8], filters: u32) -> Bench {
    let mut bench = Bench::new(Arch::Gcn14);
    bench.frame.memory.image = t;
    bench.frame.memory.sampler = [0o222, 0xfff << 12, filters, 0];
    bench
}

fn float(value: f32) -> u32 {
    value.to_bits()
}

#[test]
fn a_load_takes_the_texel_at_its_coordinates() {
    for exec in [!0, 0x8000_0000_0fff_f0f1] {
        let mut bench = bench(image(D2, 10, UINT, [64, 16]), 0);
        bench.frame.memory.exec = exec;
        bench.set(2, |l| l).set(3, |_| 3);
        for k in 0..4 {
            bench.gives(LOAD.0, LOAD.1, 8 + k, |l| dword(64 * 3 + l) >> (8 * k) & 0xff);
        }
        bench.noted(&[]);
        bench.set(2, |l| l * 7 % 64).set(3, |l| l % 16);
        bench.gives(LOAD.0, LOAD.1, 9, |l| dword(64 * (l % 16) + l * 7 % 64) >> 8 & 0xff);
        // The last row and the last column are inside; what is behind them is 0.
        bench.set(2, |l| 40 + l).set(3, |_| 15);
        bench.gives(LOAD.0, LOAD.1, 8, |l| if l < 24 { dword(64 * 15 + 40 + l) & 0xff } else { 0 });
        bench.noted(&[Note::ImageOutside]);
    }
}

#[test]
fn components_are_converted_and_selected() {
    let mut t = image(D2, 10, UNORM, [64, 16]);
    // W, 1, X, 0.
    t[3] = t[3] & !0xfff | 7 | 1 << 3 | 4 << 6;
    let mut bench = bench(t, 0);
    bench.set(2, |l| l).set(3, |_| 0);
    let byte = |l: usize, k: u32| float((dword(l) >> (8 * k) & 0xff) as f32 / 255.0);
    bench.gives(LOAD.0, LOAD.1, 8, |l| byte(l, 3));
    bench.gives(LOAD.0, LOAD.1, 9, |_| float(1.0));
    bench.gives(LOAD.0, LOAD.1, 10, |l| byte(l, 0));
    bench.gives(LOAD.0, LOAD.1, 11, |_| 0);
    bench.noted(&[]);
    // Outside all is 0, also what a selector makes 1.
    bench.set(3, |_| 16);
    bench.gives(LOAD.0, LOAD.1, 9, |_| 0);
    bench.noted(&[Note::ImageOutside]);
}

#[test]
fn a_store_is_what_a_load_finds() {
    let mut bench = bench(image(D2, 10, UINT, [64, 16]), 0);
    bench.set(2, |l| l).set(3, |l| l % 2).set(8, |l| l).set(9, |l| l + 1).set(10, |_| 0).set(11, |_| 300);
    assert!(bench.run(STORE.0, STORE.1));
    // 300 does not fit into eight bits.
    bench.noted(&[Note::FormatIntStore]);
    assert_eq!(bench.memory(DATA + 4 * (64 + 5)), 0xff00_0605);
    assert_eq!(bench.memory(DATA + 4 * 5), dword(5));
    bench.context.start_recording();
    assert!(bench.run(STORE.0, STORE.1));
    let journal = bench.context.stop_recording();
    assert_eq!(journal.writes().len(), 64);
}

#[test]
fn an_atomic_returns_the_old_texel() {
    let mut bench = bench(image(D2, 4, UINT, [64, 16]), 0);
    bench.set(2, |l| 63 - l).set(3, |_| 1).set(8, |l| l);
    bench.gives(ADD.0, ADD.1, 8, |l| dword(64 + 63 - l));
    assert_eq!(bench.memory(DATA + 4 * (64 + 60)), dword(64 + 60).wrapping_add(3));
}

#[test]
fn sizes_halve() {
    let mut t = image(D3, 4, FLOAT, [40, 9]);
    // Depth 6, levels 0 to 3.
    t[4] |= 5;
    t[3] |= 3 << 16;
    let mut bench = bench(t, 0);
    bench.set(2, |l| l % 4);
    let size = |k: usize| move |l: usize| [40, 9, 6][k] >> (l % 4);
    bench.gives(SIZE.0, SIZE.1, 8, size(0));
    bench.gives(SIZE.0, SIZE.1, 9, move |l| size(1)(l).max(1));
    bench.gives(SIZE.0, SIZE.1, 10, move |l| size(2)(l).max(1));
    bench.gives(SIZE.0, SIZE.1, 11, |_| 4);
}

#[test]
fn a_linear_filter_is_exact() {
    let mut bench = bench(image(D2, 10, UNORM, [64, 16]), LINEAR);
    // A quarter of a texel behind the middle of texel (l / 2, 2), in both directions.
    bench.set(2, |l| float(((l / 2) as f32 + 0.75) / 64.0)).set(3, |_| float(2.75 / 16.0));
    let texel = |x: usize, y: usize, k: u32| ((dword(64 * y + x) >> (8 * k) & 0xff) as f32 / 255.0) as f64;
    for k in 0..4 {
        bench.gives(SAMPLE.0, SAMPLE.1, 8 + k, |l| {
            let (x, k) = (l / 2, k as u32);
            let upper = 0.75 * texel(x, 2, k) + 0.25 * texel(x + 1, 2, k);
            let lower = 0.75 * texel(x, 3, k) + 0.25 * texel(x + 1, 3, k);
            // Products and sums of numbers so short are exact in binary64.
            float((0.75 * upper + 0.25 * lower) as f32)
        });
        bench.noted(&[Note::SamplePrecision]);
    }
}

#[test]
fn coordinates_outside_are_clamped_wrapped_or_border() {
    let mut bench = bench(image(D2, 10, UINT, [64, 16]), 0);
    bench.set(2, |_| float(-0.25)).set(3, |_| float(0.0));
    bench.gives(SAMPLE.0, SAMPLE.1, 8, |_| dword(0) & 0xff);
    bench.frame.memory.sampler[0] = 0;
    bench.gives(SAMPLE.0, SAMPLE.1, 8, |_| dword(48) & 0xff);
    bench.frame.memory.sampler[0] = 1;
    bench.gives(SAMPLE.0, SAMPLE.1, 8, |_| dword(15) & 0xff);
    bench.frame.memory.sampler[0] = 6;
    bench.frame.memory.sampler[3] = 1 << 30;
    bench.gives(SAMPLE.0, SAMPLE.1, 8, |_| 0);
    bench.gives(SAMPLE.0, SAMPLE.1, 11, |_| 1);
    bench.noted(&[]);
    bench.set(2, |_| f32::NAN.to_bits());
    bench.gives(SAMPLE.0, SAMPLE.1, 8, |_| dword(0) & 0xff);
    bench.noted(&[Note::ImageCoordinate]);
}

#[test]
fn a_gather_takes_a_component_of_four_texels() {
    let mut bench = bench(image(D2, 10, UINT, [64, 16]), 0);
    // Texels 4 and 5 of rows 7 and 8.
    bench.set(2, |_| float(5.0 / 64.0)).set(3, |_| float(8.0 / 16.0));
    for (k, at) in [(0, 8 * 64 + 4), (1, 8 * 64 + 5), (2, 7 * 64 + 5), (3, 7 * 64 + 4)] {
        bench.gives(GATHER.0, GATHER.1, 8 + k, |_| dword(at) >> 8 & 0xff);
    }
    bench.noted(&[]);
}

#[test]
fn no_image_is_zeros_and_a_compressed_one_is_refused() {
    let mut bench = bench([0; 8], 0);
    bench.set(8, |_| 1);
    bench.gives(LOAD_X.0, LOAD_X.1, 8, |_| 0);
    bench.noted(&[]);
    // An unknown format; a buffer.
    bench.frame.memory.image = image(D2, 63, UINT, [64, 16]);
    bench.gives(LOAD_X.0, LOAD_X.1, 8, |_| 0);
    bench.noted(&[Note::ImageInvalid]);
    bench.frame.memory.image = image(7, 10, UINT, [64, 16]);
    assert!(bench.run(STORE.0, STORE.1));
    bench.noted(&[Note::ImageInvalid]);
    bench.frame.memory.image = image(D2, 10, UINT, [64, 16]);
    bench.frame.memory.image[6] = 1 << 21;
    bench.refuses(LOAD_X.0, LOAD_X.1);
}

#[test]
fn texels_outside_memory_are_faults() {
    // The wave's memory has 16 rows of 64 dwords.
    let mut bench = bench(image(D2, 4, UINT, [64, 17]), 0);
    bench.set(2, |l| l).set(3, |l| if l == 40 { 16 } else { 1 });
    bench.refuses(LOAD_X.0, LOAD_X.1);
    bench.refuses(ADD.0, ADD.1);
    bench.refuses(STORE.0, STORE.1);
    bench.frame.memory.exec = !(1 << 40);
    bench.gives(LOAD_X.0, LOAD_X.1, 8, |l| dword(64 + l));
}

/// Every field at its extremes: nothing panics, and nothing takes long.
#[test]
fn hostile_descriptors_are_harmless() {
    let words = [0, !0, 0x8000_0000, 0x7fff_ffff, 0x5555_5555];
    for (n, first) in words.into_iter().enumerate() {
        for kind in 7..16 {
            for format in [4, 10, 13, 14, 34, 35, 41] {
                let mut bench = bench([first; 8], words[(n + kind) % 5]);
                let t = &mut bench.frame.memory.image;
                t[1] = t[1] & !(0x3f << 20) | format << 20;
                t[3] = t[3] & 0x0fff_ffff | (kind as u32) << 28;
                t[6] = 0;
                bench.frame.memory.sampler = [words[(n + 1) % 5], words[(n + 2) % 5], LINEAR | 2 << 26, first];
                (0..6).for_each(|k| {
                    bench.set(2 + k, |l| words[(l as usize + k) % 5]);
                });
                for (text, code) in [LOAD, STORE, ADD, SIZE, SAMPLE, GATHER] {
                    bench.run(text, code);
                }
            }
        }
    }
}
