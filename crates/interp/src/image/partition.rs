//! What BC6 and BC7 share: partitions of a block into subsets, indices, weights.

/// The partitions into two subsets: bit n is the subset of texel n.
const TWO: [u16; 64] = [
    0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80, 0xc800, 0xffec, 0xfe80, 0xe800, 0xffe8, 0xff00,
    0xfff0, 0xf000, 0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310, 0x3100, 0x8cce, 0x088c, 0x3110, 0x6666, 0x366c,
    0x17e8, 0x0ff0, 0x718e, 0x399c, 0xaaaa, 0xf0f0, 0x5a5a, 0x33cc, 0x3c3c, 0x55aa, 0x9696, 0xa55a, 0x73ce, 0x13c8,
    0x324c, 0x3bdc, 0x6996, 0xc33c, 0x9966, 0x0660, 0x0272, 0x04e4, 0x4e40, 0x2720, 0xc936, 0x936c, 0x39c6, 0x639c,
    0x9336, 0x9cc6, 0x817e, 0xe718, 0xccf0, 0x0fcc, 0x7744, 0xee22,
];

/// The partitions into three: two bits for each texel.
const THREE: [u32; 64] = [
    0xaa68_5050,
    0x6a5a_5040,
    0x5a5a_4200,
    0x5450_a0a8,
    0xa5a5_0000,
    0xa0a0_5050,
    0x5555_a0a0,
    0x5a5a_5050,
    0xaa55_0000,
    0xaa55_5500,
    0xaaaa_5500,
    0x9090_9090,
    0x9494_9494,
    0xa4a4_a4a4,
    0xa9a5_9450,
    0x2a0a_4250,
    0xa594_5040,
    0x0a42_5054,
    0xa5a5_a500,
    0x55a0_a0a0,
    0xa8a8_5454,
    0x6a6a_4040,
    0xa4a4_5000,
    0x1a1a_0500,
    0x0050_a4a4,
    0xaaa5_9090,
    0x1469_6914,
    0x6969_1400,
    0xa085_85a0,
    0xaa82_1414,
    0x50a4_a450,
    0x6a5a_0200,
    0xa9a5_8000,
    0x5090_a0a8,
    0xa8a0_9050,
    0x2424_2424,
    0x00aa_5500,
    0x2492_4924,
    0x2449_9224,
    0x50a5_0a50,
    0x500a_a550,
    0xaaaa_4444,
    0x6666_0000,
    0xa5a0_a5a0,
    0x50a0_50a0,
    0x6928_6928,
    0x44aa_aa44,
    0x6666_6600,
    0xaa44_4444,
    0x54a8_54a8,
    0x9580_9580,
    0x9696_9600,
    0xa854_54a8,
    0x8095_9580,
    0xaa14_1414,
    0x9696_0000,
    0xaaaa_1414,
    0xa050_50a0,
    0xa0a5_a5a0,
    0x9600_0000,
    0x4080_4080,
    0xa9a8_a9a8,
    0xaaaa_aa44,
    0x2a4a_5254,
];

/// For each partition into two, the texel of the second subset whose index has one bit less.
const ANCHOR_OF_TWO: [u8; 64] = [
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 2, 8, 2, 2, 8, 8, 15, 2, 8, 2, 2, 8, 8, 2, 2,
    15, 15, 6, 8, 2, 8, 15, 15, 2, 8, 2, 2, 2, 15, 15, 6, 6, 2, 6, 8, 15, 15, 2, 2, 15, 15, 15, 15, 15, 2, 2, 15,
];

/// The same of the second and third subset for the partitions into three.
const ANCHORS_OF_THREE: [[u8; 64]; 2] = [
    [
        3, 3, 15, 15, 8, 3, 15, 15, 8, 8, 6, 6, 6, 5, 3, 3, 3, 3, 8, 15, 3, 3, 6, 10, 5, 8, 8, 6, 8, 5, 15, 15, 8, 15,
        3, 5, 6, 10, 8, 15, 15, 3, 15, 5, 15, 15, 15, 15, 3, 15, 5, 5, 5, 8, 5, 10, 5, 10, 8, 13, 15, 12, 3, 3,
    ],
    [
        15, 8, 8, 3, 15, 15, 3, 8, 15, 15, 15, 15, 15, 15, 15, 8, 15, 8, 15, 3, 15, 8, 15, 8, 3, 15, 6, 10, 15, 15, 10,
        8, 15, 3, 15, 10, 10, 8, 9, 10, 6, 15, 8, 15, 3, 6, 6, 8, 15, 3, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 3, 15,
        15, 8,
    ],
];

/// Fields of a block, from its lowest bit on.
pub(super) struct Bits(pub u128);

impl Bits {
    /// The next bits, at most 16.
    pub fn take(&mut self, count: u32) -> u32 {
        let field = self.0 as u32 & ((1 << count) - 1);
        self.0 >>= count;
        field
    }
}

/// The subset of texel `at`, and the texels whose index has one bit less.
pub(super) fn partition(subsets: usize, shape: usize, at: usize) -> (usize, Vec<usize>) {
    let shape = shape & 63;
    match subsets {
        1 => (0, vec![0]),
        2 => ((TWO[shape] >> at & 1) as usize, vec![0, ANCHOR_OF_TWO[shape] as usize]),
        _ => {
            let anchors = ANCHORS_OF_THREE.map(|anchors| anchors[shape] as usize);
            ((THREE[shape] >> (2 * at) & 3) as usize, vec![0, anchors[0], anchors[1]])
        }
    }
}

/// Takes the indices of all texels; that of texel `at`.
pub(super) fn indices(bits: &mut Bits, width: u32, anchors: &[usize], at: usize) -> u32 {
    let all: [u32; 16] = std::array::from_fn(|texel| bits.take(width - anchors.contains(&texel) as u32));
    all[at & 15]
}

/// What an index of so many bits (2 to 4) gives between two end points.
pub(super) fn blend(a: i32, b: i32, width: u32, index: u32) -> i32 {
    const WEIGHTS: [&[i32]; 3] = [
        &[0, 21, 43, 64],
        &[0, 9, 18, 27, 37, 46, 55, 64],
        &[0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64],
    ];
    let weight = WEIGHTS[width as usize - 2][index as usize];
    ((64 - weight) * a + weight * b + 32) >> 6
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An anchor lies in its subset, and it is the first texel only of the first.
    #[test]
    fn anchors_lie_in_their_subsets() {
        for subsets in [2, 3] {
            for shape in 0..64 {
                let (_, anchors) = partition(subsets, shape, 0);
                let found: Vec<usize> = anchors.iter().map(|&at| partition(subsets, shape, at).0).collect();
                assert_eq!(found, (0..subsets).collect::<Vec<_>>(), "{subsets} {shape}");
            }
        }
    }

    #[test]
    fn indices_between() {
        assert_eq!([0, 1, 2, 3].map(|index| blend(0, 255, 2, index)), [0, 84, 171, 255]);
        let mut bits = Bits(0b11_1101);
        assert_eq!((bits.take(1), bits.take(2), bits.take(3)), (1, 2, 7));
        // Texel 0 has one bit of two.
        assert_eq!(indices(&mut Bits(0b1_0111), 2, &[0], 2), 0b10);
    }
}
