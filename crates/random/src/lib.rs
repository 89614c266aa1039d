//! The random numbers of generators and tests: SplitMix64. The numbers never change, so that a seed names a program.
#![forbid(unsafe_code)]

/// A seeded generator.
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// Returns a generator whose numbers depend only on `seed`. Consecutive seeds give unrelated numbers.
    pub const fn new(seed: u64) -> Rng {
        Rng { state: seed.wrapping_mul(0xd134_2543_de82_ef95) ^ 0x2545_f491_4f6c_dd1d }
    }

    /// Returns 64 random bits.
    pub fn bits64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Returns 32 random bits.
    pub fn bits(&mut self) -> u32 {
        (self.bits64() >> 32) as u32
    }

    /// Returns a number below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: u32) -> u32 {
        ((self.bits() as u64 * n as u64) >> 32) as u32
    }

    /// Returns a number from `low` to `high`, both included.
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high.saturating_sub(low).saturating_add(1))
    }

    /// Returns true in `percent` of 100 cases.
    pub fn percent(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    /// Returns true in one of `n` cases.
    pub fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    /// Returns one of the items.
    ///
    /// # Panics
    /// If `items` is empty.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u32) as usize]
    }

    /// Returns an index, chosen with probabilities in proportion to the weights; 0 if all weights are 0.
    pub fn weighted(&mut self, weights: &[u32]) -> usize {
        let mut rest = self.below(weights.iter().sum());
        for (i, &weight) in weights.iter().enumerate() {
            match rest.checked_sub(weight) {
                Some(left) => rest = left,
                None => return i,
            }
        }
        0
    }

    /// Returns a uniform number from 0 to 1, without 1.
    pub fn uniform(&mut self) -> f64 {
        (self.bits64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns an approximately normal number with mean 0 and standard deviation 1: a sum of uniform ones.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }

    /// Returns a dword, often at an edge of integers, of floats or of their halves.
    pub fn dword(&mut self) -> u32 {
        match self.below(8) {
            0 | 1 => self.pick(&EDGES),
            2 => self.bits() >> self.below(32),
            3 => 0x3f00_0000 + self.below(1 << 24),
            4 => self.pick(&EDGES).wrapping_add(self.below(5)).wrapping_sub(2),
            _ => self.bits(),
        }
    }

    /// Returns a mask of lanes: all, none, one, all but those at the ends, half of them, or an eighth.
    pub fn mask(&mut self) -> u64 {
        match self.below(8) {
            0..3 => u64::MAX,
            3 => 0,
            4 => 1 << self.below(64),
            5 => 0x0fff_ffff_ffff_fff0,
            6 => self.bits64(),
            _ => self.bits64() & self.bits64() & self.bits64(),
        }
    }
}

/// Dwords at which results change.
const EDGES: [u32; 26] = [
    0,
    1,
    2,
    31,
    32,
    33,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    // Floats: ones, infinities, a quiet and a signaling NaN, the smallest normal, the largest denormal, 2^31.
    0x3f80_0000,
    0xbf80_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0001,
    0x7f80_0001,
    0x0080_0000,
    0x807f_ffff,
    0x4f00_0000,
    // Pairs of halves: ones, infinities.
    0x3c00_bc00,
    0x7c00_fc00,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_names_its_numbers() {
        // The numbers were computed in Python, from the published algorithm.
        let mut rng = Rng::new(1);
        let numbers = [(); 3].map(|()| rng.bits64());
        assert_eq!(numbers, [0xd23a_8734_afef_8818, 0x5513_a153_c842_456c, 0xe353_c8e3_9bfd_380e]);
        let mut rng = Rng::new(7);
        assert_eq!((rng.below(0), rng.below(1), rng.between(4, 4)), (0, 0, 4));
        assert!((0..1000).all(|_| rng.weighted(&[0, 3, 0, 1]) % 2 == 1));
        let hits = (0..10_000).filter(|_| rng.percent(25)).count();
        assert!((2300..2700).contains(&hits), "{hits}");
    }
}
