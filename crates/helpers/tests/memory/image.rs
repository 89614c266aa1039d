//! MIMG in compiled code. Images lie in memory, whose dwords [`dword`] gives; expected values are worked out by hand
//! from docs/gcn/image-descriptors.md and docs/gcn/sampling.md.

use crate::memory_support;

use gcnsim_isa::{Arch, Note};
use gcnsim_random::Rng;
use memory_support::{Bench, DATA, dword};

const LOAD: (&str, [u32; 2]) = ("image_load v[8:11], v2, s[4:11] dmask:0xf unorm", [0xf000_1f00, 0x0001_0802]);
const LOAD_X: (&str, [u32; 2]) = ("image_load v8, v2, s[4:11] dmask:0x1 unorm", [0xf000_1100, 0x0001_0802]);
const STORE: (&str, [u32; 2]) = ("image_store v[8:11], v2, s[4:11] dmask:0xf unorm", [0xf020_1f00, 0x0001_0802]);
const ADD: (&str, [u32; 2]) = ("image_atomic_add v8, v2, s[4:11] dmask:0x1 unorm glc", [0xf048_3100, 0x0001_0802]);
const SIZE: (&str, [u32; 2]) = ("image_get_resinfo v[8:11], v2, s[4:11] dmask:0xf", [0xf038_0f00, 0x0001_0802]);
const SAMPLE: (&str, [u32; 2]) =
    ("image_sample_lz v[8:11], v2, s[4:11], s[12:15] dmask:0xf", [0xf09c_0f00, 0x0061_0802]);
const PLAIN_SAMPLE: (&str, [u32; 2]) =
    ("image_sample v[8:11], v2, s[4:11], s[12:15] dmask:0xf", [0xf080_0f00, 0x0061_0802]);
const GATHER: (&str, [u32; 2]) =
    ("image_gather4_lz v[8:11], v2, s[4:11], s[12:15] dmask:0x2", [0xf11c_0200, 0x0061_0802]);

const UNORM: u32 = 0;
const UINT: u32 = 4;
const FLOAT: u32 = 7;
const D2: u32 = 9;
const D3: u32 = 10;
const LINEAR: u32 = 1 << 20 | 1 << 22;

/// Returns a T# of GCN 1.4 with kind, data and number format, width and height, and a pitch of 64.
fn image(kind: u32, data: u32, number: u32, [width, height]: [u32; 2]) -> [u32; 8] {
    let size = (width - 1) | (height - 1) << 14;
    [DATA >> 8, data << 20 | number << 26, size, kind << 28 | 0xfac, 63 << 13, 0, 0, 0]
}

/// Returns a wave with an image, and with a sampler that clamps to the edge and has `filters` as word 2.
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
    // The selectors are W, 1, X, 0.
    t[3] = t[3] & !0xfff | 7 | 1 << 3 | 4 << 6;
    let mut bench = bench(t, 0);
    bench.set(2, |l| l).set(3, |_| 0);
    let byte = |l: usize, k: u32| float((dword(l) >> (8 * k) & 0xff) as f32 / 255.0);
    bench.gives(LOAD.0, LOAD.1, 8, |l| byte(l, 3));
    bench.gives(LOAD.0, LOAD.1, 9, |_| float(1.0));
    bench.gives(LOAD.0, LOAD.1, 10, |l| byte(l, 0));
    bench.gives(LOAD.0, LOAD.1, 11, |_| 0);
    bench.noted(&[]);
    // Outside of the image all components are 0, even one that a selector makes 1.
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
    // The image has the depth 6 and the levels 0 to 3.
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
    // The coordinates are a quarter of a texel behind the middle of texel (l / 2, 2), in both directions.
    bench.set(2, |l| float(((l / 2) as f32 + 0.75) / 64.0)).set(3, |_| float(2.75 / 16.0));
    let texel = |x: usize, y: usize, k: u32| ((dword(64 * y + x) >> (8 * k) & 0xff) as f32 / 255.0) as f64;
    for k in 0..4 {
        bench.gives(SAMPLE.0, SAMPLE.1, 8 + k, |l| {
            let (x, k) = (l / 2, k as u32);
            let upper = 0.75 * texel(x, 2, k) + 0.25 * texel(x + 1, 2, k);
            let lower = 0.75 * texel(x, 3, k) + 0.25 * texel(x + 1, 3, k);
            // Products and sums are exact in binary64, because their operands are so short.
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
    // The coordinates are between texels 4 and 5 of rows 7 and 8.
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
    // An image with an unknown format is invalid, and so is one with the type of a buffer.
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

/// Executes instructions with all fields of descriptors at their extremes. Nothing panics, and nothing takes long.
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

/// Executes instructions with one field at its extremes, in small images of each kind. A field is given by the word
/// (that of an S# from 8 on), the lowest bit, and the number of bits.
#[test]
fn fields_at_their_extremes_are_harmless() {
    let of_t = [(0, 0, 32), (1, 0, 8), (1, 8, 12), (1, 20, 6), (1, 26, 4), (2, 0, 14), (2, 14, 14), (3, 0, 12)];
    let more = [(3, 12, 4), (3, 16, 4), (3, 20, 5), (3, 25, 1), (4, 0, 13), (4, 13, 16), (5, 0, 13), (5, 13, 13)];
    let rest = [(5, 28, 4), (6, 0, 32), (7, 0, 32), (8, 0, 9), (8, 9, 3), (8, 12, 4), (8, 27, 4)];
    let of_s = [(9, 0, 12), (9, 12, 12), (10, 0, 14), (10, 20, 4), (10, 24, 4), (11, 0, 32)];
    let fields = of_t.into_iter().chain(more).chain(rest).chain(of_s);
    for (number, (word, low, bits)) in fields.enumerate() {
        let mask = (u32::MAX >> (32 - bits)) << low;
        for (kind, value) in (8..16).flat_map(|kind| [0, mask, 1 << (low + bits - 1)].map(|value| (kind, value))) {
            let (data, levels) = ([10, 4, 12, 14][number % 4], 1 << 16);
            let mut t = image(kind, data, if data == 10 { UNORM } else { FLOAT }, [4, 2]);
            (t[3], t[4], t[5]) = (t[3] | levels, 15 << 13 | 1, 1 << 28);
            let mut words = [0; 12];
            words[..8].copy_from_slice(&t);
            words[8..].copy_from_slice(&[0o222, 0xfff << 12, LINEAR | 2 << 26, 0]);
            words[word] = words[word] & !mask | value;
            let mut bench = bench(t, 0);
            bench.frame.memory.image.copy_from_slice(&words[..8]);
            bench.frame.memory.sampler.copy_from_slice(&words[8..]);
            (2..6).for_each(|k| {
                bench.set(k, |l| if l % 7 == 6 { !0 } else { float(l as f32 / 64.0) });
            });
            for (text, code) in [SAMPLE, PLAIN_SAMPLE, GATHER] {
                bench.run(text, code);
            }
            (2..6).for_each(|k| {
                bench.set(k, |l| if l % 7 == 6 { 0x3fff } else { l % 3 });
            });
            for (text, code) in [LOAD, STORE, ADD, SIZE] {
                bench.run(text, code);
            }
        }
    }
}

/// Guest address of a copy of the wave's memory in two mappings. No fast path takes an image that lies in both.
const COPY: u32 = 0x8_0000;

/// Returns a wave with a random image at the beginning of its memory, and with a copy of that memory.
fn random_bench(random: &mut Rng) -> Bench {
    let arch = random.pick(&[Arch::Gcn12, Arch::Gcn14]);
    let (data, number) = random.pick(&[
        (10, UNORM),
        (10, UNORM),
        (10, UINT),
        (10, 1),
        (10, 2),
        (4, FLOAT),
        (14, FLOAT),
        (1, UNORM),
        (2, FLOAT),
        (12, FLOAT),
        (4, UINT),
        (5, 5),
        (9, UNORM),
        (13, FLOAT),
        (10, 9),
        (16, UNORM),
        (3, UNORM),
    ]);
    let size = [1 + random.below(16), 1 + random.below(14)];
    let mut t = image(random.pick(&[D2, D2, D2, D3, 13, 8]), data, number, size);
    t[4] = 15 << 13 | random.below(2);
    if arch == Arch::Gcn12 {
        t[3] |= 8 << 20;
        t[5] = t[4] << 13;
    }
    let order = [4 + random.below(4), 4 + random.below(4), random.below(8), 7];
    if random.below(2) == 0 {
        t[3] = t[3] & !0xfff | order[0] | order[1] << 3 | order[2] << 6 | order[3] << 9;
    }
    let mut bench = bench(t, random.pick(&[0, LINEAR, LINEAR, 1 << 20]));
    bench.arch = arch;
    let [clamp_x, clamp_y] = [random.below(8), random.below(8)].map(|clamp| if clamp > 4 { clamp % 3 } else { clamp });
    let flags = random.pick(&[0, 0, 1 << 27, 1 << 15, 2 << 29]);
    bench.frame.memory.sampler[0] = clamp_x | clamp_y << 3 | flags;
    for at in [COPY, COPY + 0x80] {
        let len = if at == COPY { 0x80 } else { 0xf80 };
        let backing = std::sync::Arc::new(gcnsim_machine::Backing::zeroed(len).unwrap());
        (0..len / 4).for_each(|i| backing.write(4 * i, &dword((at - COPY) as usize / 4 + i).to_le_bytes()));
        bench.context.space.map(gcnsim_machine::Mapping::new(at as u64, "copy", backing));
    }
    bench.frame.memory.exec = random.pick(&[!0, !0, 0xffff_0fff_1234_5678, 1 << 63 | 7]);
    bench
}

/// Checks that an instruction has the same results on the image, where fast paths may take it, and on its copy. `what`
/// tells the case.
fn agrees(mut bench: Bench, text: &str, words: [u32; 2], what: &str) {
    let mut other = Bench::new(bench.arch);
    other.vgprs.clone_from(&bench.vgprs);
    other.frame.memory = bench.frame.memory;
    other.frame.memory.image[0] = COPY >> 8;
    let done = bench.run(text, words);
    let of_fast = (done, bench.notes, bench.vgprs.clone(), bench.all()[0].clone());
    std::mem::swap(&mut bench.context, &mut other.context);
    let done = other.run(text, words);
    let copy: Vec<u8> = other.all().into_iter().skip(3).flatten().collect();
    assert_eq!((done, other.notes), (of_fast.0, of_fast.1), "{text}: {what}");
    for (n, (register, expected)) in other.vgprs.iter().zip(&of_fast.2).enumerate() {
        assert_eq!(register.0, expected.0, "{text}: v{n}: {what}");
    }
    if words == STORE.1 {
        assert!(of_fast.3 == copy, "{text}: memory: {what}");
    }
}

#[test]
fn whatever_is_fast_gives_the_same() {
    let mut random = Rng::new(31);
    for _ in 0..400 {
        let mut bench = random_bench(&mut random);
        let what = format!("{:x?} {:x?}", bench.frame.memory.image, bench.frame.memory.sampler);
        let is_sample = random.below(2) == 0;
        for n in 2..5 {
            bench.vgprs[n].0.iter_mut().for_each(|value| {
                *value = match (is_sample, random.below(60)) {
                    (true, 0) => random.pick(&[f32::NAN.to_bits(), f32::INFINITY.to_bits(), float(1e9), float(-3e4)]),
                    (true, _) => float((random.below(4096) as f32 - 1024.0) / 1024.0 + random.below(5) as f32 / 3e5),
                    (false, _) => random.below(16),
                }
            });
        }
        // In half of the rounds there are no NaNs, so that all lanes are fast.
        if is_sample && random.below(2) == 0 {
            (2..5).for_each(|n| {
                bench.vgprs[n].0.iter_mut().for_each(|value| *value = float(f32::from_bits(*value) % 2.0))
            });
            (2..5).for_each(|n| {
                bench.vgprs[n].0.iter_mut().filter(|value| **value & 0x7fff_ffff > 0x7f80_0000).for_each(|v| *v = 0)
            });
        }
        for n in 8..12 {
            bench.vgprs[n].0.iter_mut().for_each(|value| *value = float(random.below(3000) as f32 / 2000.0 - 0.2));
        }
        let (text, words) = match is_sample {
            true => random.pick(&[SAMPLE, PLAIN_SAMPLE]),
            false => random.pick(&[LOAD, LOAD, STORE]),
        };
        agrees(bench, text, words, &what);
    }
}

/// Opcodes of samples, with all operands and all ways to choose a level.
const SAMPLES: [u32; 16] = [32, 33, 34, 35, 36, 37, 38, 39, 39, 40, 44, 47, 48, 53, 54, 63];

/// Opcodes of gathers: the same.
const GATHERS: [u32; 10] = [64, 68, 69, 71, 71, 73, 79, 80, 87, 95];

/// Makes the image and the sampler of a wave any ones: kinds, levels, filters, borders.
fn any_look(random: &mut Rng, bench: &mut Bench) {
    let kind = random.pick(&[8, D2, D2, D2, D3, 11, 12, 13]);
    let (base, last) = (random.below(4) / 3, random.below(4));
    let layers = random.pick(&[0, 1, 5]);
    let t = &mut bench.frame.memory.image;
    t[2] = (random.pick(&[16, 16, 8, 4, 5, 1]) - 1) | (random.pick(&[8, 4, 4, 5, 1]) - 1) << 14;
    t[3] = t[3] & 0x0ff0_0fff | kind << 28 | base << 12 | last << 16;
    t[4] = 15 << 13 | layers;
    t[5] = if bench.arch == Arch::Gcn14 { last << 28 } else { layers << 13 };
    let s = &mut bench.frame.memory.sampler;
    let clamp = |random: &mut Rng| if random.below(2) == 0 { random.below(8) } else { 2 };
    s[0] = clamp(random) | clamp(random) << 3 | clamp(random) << 6 | random.below(8) << 12;
    s[0] |= random.pick(&[0, 0, 0, 1 << 27, 1 << 28, 1 << 15, 1 << 29]);
    s[1] = random.pick(&[0, 0, 0x80]) | random.pick(&[0xfff, 0x1c0]) << 12;
    let filters = random.pick(&[0, LINEAR, LINEAR, LINEAR, 1 << 20]);
    s[2] = filters | random.below(3) << 24 | random.below(3) << 26 | random.pick(&[0, 0, 100, 0x3f00]);
    s[3] = random.pick(&[0, 1 << 30, 2 << 30, 3 << 30]);
}

/// Fills the memory of a wave and its copy with equal floats, or with equal random bits.
fn any_texels(random: &mut Rng, bench: &mut Bench) {
    let is_wild = random.below(3) == 0;
    for at in (0..0x1000).step_by(4) {
        let value = match random.below(40) {
            0 if is_wild => random.pick(&[f32::INFINITY, -f32::INFINITY, f32::NAN, -0.0, 1e-42]).to_bits(),
            _ if is_wild => random.bits(),
            0 => 0,
            _ => float(random.below(1 << 20) as f32 / 3e5 - 1.0),
        };
        bench.context.store((DATA + at) as u64, &value.to_le_bytes());
        bench.context.store((COPY + at) as u64, &value.to_le_bytes());
    }
}

#[test]
fn samples_of_all_lanes_are_those_of_single_lanes() {
    let mut random = Rng::new(32);
    for _ in 0..700 {
        let mut bench = random_bench(&mut random);
        if random.below(4) == 0 {
            bench.frame.memory.image[1] = random.pick(&[12 | 7 << 6, 10 | 9 << 6, 9, 4 | 7 << 6]) << 20;
        }
        any_look(&mut random, &mut bench);
        any_texels(&mut random, &mut bench);
        let is_gather = random.below(3) == 0;
        let op = if is_gather { random.pick(&GATHERS) } else { random.pick(&SAMPLES) };
        let dmask = if is_gather { random.below(16) << 8 } else { 0xf00 };
        let is_layered = [11, 12, 13].contains(&(bench.frame.memory.image[3] >> 28));
        // Data v[8:11], address v2 on: the other registers of the wave.
        let words = [0xf000_0000 | dmask | op << 18 | (is_layered as u32) << 14, 0x0061_0802];
        let what = format!("{:x?} {:x?}", bench.frame.memory.image, bench.frame.memory.sampler);
        let text = gcnsim_isa::decode(bench.arch, words[0], Some(words[1])).unwrap().to_string();
        let has_offset = op & 16 != 0;
        let scale = random.pick(&[1.0, 1.0, 3.0, 0.1]);
        for n in 2..16 {
            let start = random.pick(&[0.0, 0.0, 1.0, -1.0]);
            bench.vgprs[n].0.iter_mut().enumerate().for_each(|(lane, value)| {
                let smooth = lane as f32 / 64.0 * scale + random.below(100) as f32 / 1e4;
                *value = if n == 2 && has_offset { random.bits() } else { float(start + smooth) };
            });
        }
        agrees(bench, &text, words, &what);
    }
}

#[test]
fn levels_are_stacked_in_a_slice() {
    // The image has 16 x 7 texels and three levels, in rows 0 to 6, 7 to 10, 11 and 12. Levels 1 and 2 have 8 x 3 and 4
    // x 1 texels. PITCH is the number of rows; a row has 64 texels, 256 bytes.
    let mut t = image(D2, 4, UINT, [16, 7]);
    t[3] |= 2 << 16;
    t[4] = 12 << 13;
    let mut bench = bench(t, 0);
    let text = "image_load_mip v8, v2, s[4:11] dmask:0x1 unorm";
    bench.set(2, |l| l % 4).set(3, |_| 0).set(4, |l| l / 4 % 4);
    let level = |l: usize| [0, 7, 11][l / 4 % 4] * 64 + l % 4;
    bench.gives(text, [0xf004_1100, 0x0001_0802], 8, |l| if l / 4 % 4 < 3 { dword(level(l)) } else { 0 });
    bench.noted(&[Note::ImageOutside]);
}

#[test]
fn pitch_counts_blocks_of_tiled_images() {
    // Four rows of 4 x 4 texels (BC4) of one value each. PITCH is 4: blocks if SW_MODE is 22, texels if it is 0.
    for (mode, row) in [(22, 32), (0, 8)] {
        let mut t = image(D2, 38, UNORM, [4, 16]);
        t[3] |= mode << 20;
        t[4] = 3 << 13;
        let mut bench = bench(t, 0);
        for (n, value) in (0..).zip([255u64, 0, 51, 102]) {
            bench.context.store((DATA + n * row) as u64, &value.to_le_bytes());
        }
        bench.set(2, |_| 0).set(3, |l| l % 16);
        let text = "image_load v8, v2, s[4:11] dmask:0x1 unorm";
        let value = |l: usize| float([1.0, 0.0, 0.2, 0.4][l % 16 / 4]);
        bench.gives(text, [0xf000_1100, 0x0001_0802], 8, value);
    }
}

#[test]
fn a_comparison_is_filtered() {
    // Texels 0 and 1 of a row of floats are compared with a number between them.
    let mut bench = bench(image(D2, 4, FLOAT, [2, 1]), LINEAR);
    let text = "image_sample_c_lz v8, v[2:3], s[4:11], s[12:15] dmask:0x1";
    for (address, value) in [(DATA, 1.0f32), (DATA + 4, 3.0)] {
        bench.context.store(address as u64, &value.to_le_bytes());
    }
    // The reference 2.0 is less than or equal to texel 1 only. At 1.25 that has the weight 3/4.
    bench.frame.memory.sampler[0] |= 3 << 12;
    bench.set(2, |_| float(2.0)).set(3, |_| float(1.25 / 2.0)).set(4, |_| float(0.5));
    bench.gives(text, [0xf0bc_0100, 0x0061_0802], 8, |_| float(0.75));
}

#[test]
fn fragments_have_a_coordinate_of_their_own() {
    // The image is an array of two layers of 4 x 2 texels with one fragment. Its coordinates are x, y, layer, fragment.
    let mut t = image(15, 4, UINT, [4, 2]);
    t[4] = 15 << 13 | 1;
    let mut bench = bench(t, 0);
    bench.set(2, |l| l % 4).set(3, |_| 1).set(4, |l| l / 4 % 2).set(5, |l| l / 32);
    let text = "image_load v8, v2, s[4:11] dmask:0x1 unorm da";
    let texel = |l: usize| dword(16 * (2 * (l / 4 % 2) + 1) + l % 4);
    bench.gives(text, [0xf000_5100, 0x0001_0802], 8, |l| if l < 32 { texel(l) } else { 0 });
    bench.noted(&[Note::ImageOutside]);
}
