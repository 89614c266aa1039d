//! Garbage in image and sampler descriptors: every field at its extremes, and any bits. Nothing outside the mappings is
//! reached, and nothing takes long: images of 2^41 texels are only addresses.

use gcnsim_isa::Arch;
use gcnsim_random::Rng;

use super::ways::{BASE, FIXED, Lanes, Ways, lanes};

/// Opcodes: load, load_mip, load_pck_sgn, store, store_mip, get_resinfo, atomic_sub of GCN 1.1 and atomic_add of
/// GCN 1.4, sample, sample_d, sample_l, sample_c_b_cl_o, gather4_lz, gather4_c_l_o, get_lod, sample_cd_cl.
const OPCODES: [u32; 15] = [0, 1, 3, 8, 9, 14, 18, 32, 34, 36, 62, 71, 92, 96, 105];

/// Returns a descriptor of a small image on the data, with some words that are extreme or changed.
fn descriptor(rng: &mut Rng, is_old: bool) -> [u32; 8] {
    const EXTREMES: [u32; 4] = [0, u32::MAX, 0x8000_0000, 0x7fff_ffff];
    let base = rng.pick(&[BASE, BASE, BASE, FIXED, 0xffff_ffff_ff00, 0x7fff_ffff_ff00]);
    let data = rng.pick(&[10, 10, 4, 1, 14, 13, 35, 40, 41, 34, 22]);
    let kind = rng.between(7, 15);
    let tiling = if is_old { 8 << 20 } else { 0 };
    let size = [rng.below(5), rng.below(3)];
    let mut words = [
        (base >> 8) as u32,
        (base >> 40) as u32 | data << 20 | rng.below(10) << 26,
        size[0] | size[1] << 14,
        0xfac | tiling | kind << 28,
        7 << 13,
        0,
        0,
        0,
    ];
    for word in &mut words {
        match rng.below(8) {
            0 => *word = rng.pick(&EXTREMES),
            1 => *word ^= rng.bits() & rng.bits(),
            2 => *word |= 0x3fff << rng.below(18),
            _ => {}
        }
    }
    // At times all sizes of the image are as large as they can be.
    if rng.one_in(6) {
        words = [words[0], words[1] | 0xff, u32::MAX, words[3] | 0xff000, u32::MAX, u32::MAX, 0, 0];
    }
    words
}

/// Returns coordinates of the lanes: small integers, integers and floats at edges, and any bits.
fn coordinates(rng: &mut Rng) -> Lanes {
    let wild = rng.below(3);
    let values: [u32; 64] = std::array::from_fn(|_| match rng.below(6) * wild {
        0..3 => rng.below(4),
        3..5 => rng.pick(&[0x3fff, 0x2000, 0xffff_ffff, 0x3f00_0000, 0xbf80_0000, 0x7fc0_0000, 0x4b00_0000]),
        _ => rng.bits(),
    });
    lanes(|lane| values[lane as usize])
}

#[test]
fn descriptors_of_garbage() {
    let ways = &mut Ways::new();
    for number in 0..90 {
        let rng = &mut Rng::new(number);
        let arch = rng.pick(&[Arch::Gcn11, Arch::Gcn14]);
        let op = OPCODES[number as usize % OPCODES.len()];
        let fields = rng.below(16) << 8 | rng.below(128) << 12;
        // Image s[8:15], sampler s[16:19], address v2 on, data v[20:24].
        let words = [0xf000_0000 | op << 18 | fields, 4 << 21 | 2 << 16 | 20 << 8 | 2];
        let image = descriptor(rng, arch == Arch::Gcn11);
        let sampler: [u32; 4] = [rng.bits(), rng.bits(), rng.bits(), rng.bits()];
        let address: Vec<Lanes> = (0..14).map(|_| coordinates(rng)).collect();
        ways.run(arch, &words, &|wave| {
            wave.state.sgpr[8..16].copy_from_slice(&image);
            wave.state.sgpr[16..20].copy_from_slice(&sampler);
            (2..16).zip(&address).for_each(|(n, lanes)| *wave.vgprs.lanes_mut(n) = *lanes);
        });
    }
}

/// Fields of T#, then of S# from word 8 on: word, lowest bit, number of bits (docs/gcn/image-descriptors.md).
const FIELDS: [(usize, u32, u32); 40] = [
    (0, 0, 32),
    (1, 0, 8),
    (1, 8, 12),
    (1, 20, 6),
    (1, 26, 4),
    (2, 0, 14),
    (2, 14, 14),
    (3, 0, 3),
    (3, 3, 3),
    (3, 6, 3),
    (3, 9, 3),
    (3, 12, 4),
    (3, 16, 4),
    (3, 20, 5),
    (3, 25, 1),
    (3, 28, 4),
    (4, 0, 13),
    (4, 13, 16),
    (5, 0, 13),
    (5, 13, 13),
    (5, 28, 4),
    (6, 21, 1),
    (7, 0, 32),
    (8, 0, 3),
    (8, 3, 3),
    (8, 6, 3),
    (8, 9, 3),
    (8, 12, 3),
    (8, 15, 1),
    (8, 27, 1),
    (8, 28, 1),
    (8, 29, 2),
    (9, 0, 12),
    (9, 12, 12),
    (10, 0, 14),
    (10, 20, 4),
    (10, 24, 2),
    (10, 26, 2),
    (11, 0, 12),
    (11, 30, 2),
];

/// Each field alone at 0 and at its greatest value, in a small image of each kind with levels.
#[test]
fn fields_at_their_extremes() {
    let ways = &mut Ways::new();
    for (number, (word, low, bits)) in FIELDS.into_iter().enumerate() {
        let rng = &mut Rng::new(number as u64);
        let arch = [Arch::Gcn11, Arch::Gcn14][number % 2];
        let (kind, data) = (9 + number as u32 % 5, rng.pick(&[10, 4, 12, 35]));
        let tiling = if arch == Arch::Gcn11 { 8 << 20 } else { 0 };
        let mut words = [0; 12];
        words[0] = (BASE >> 8) as u32;
        words[1..6].copy_from_slice(&[
            (BASE >> 40) as u32 | data << 20 | 7 << 26,
            3 | 1 << 14,
            0xfac | 1 << 16 | tiling | kind << 28,
            7 << 13 | 1,
            1 << 28,
        ]);
        words[8..11].copy_from_slice(&[0o222, 0xfff << 12, 5 << 20 | 2 << 26]);
        let op = OPCODES[number % OPCODES.len()];
        let code = [0xf000_0000 | op << 18 | 15 << 8, 4 << 21 | 2 << 16 | 20 << 8 | 2];
        let address: Vec<Lanes> = (0..14).map(|_| coordinates(rng)).collect();
        let mask = (u32::MAX >> (32 - bits)) << low;
        for all in [0, mask] {
            words[word] = words[word] & !mask | all;
            ways.run(arch, &code, &|wave| {
                wave.state.sgpr[8..20].copy_from_slice(&words);
                (2..16).zip(&address).for_each(|(n, lanes)| *wave.vgprs.lanes_mut(n) = *lanes);
            });
        }
    }
}
