//! The random numbers of the generators: SplitMix64. The numbers never change, so that a seed names a program.

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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_names_its_numbers() {
        let numbers = |seed| {
            let mut rng = Rng::new(seed);
            [rng.bits64(), rng.bits64()]
        };
        assert_eq!(numbers(1), numbers(1));
        assert_ne!(numbers(1), numbers(2));
        let mut rng = Rng::new(7);
        assert_eq!((rng.below(0), rng.below(1), rng.between(4, 4)), (0, 0, 4));
        assert!((0..1000).all(|_| rng.weighted(&[0, 3, 0, 1]) % 2 == 1));
        let hits = (0..10_000).filter(|_| rng.percent(25)).count();
        assert!((2300..2700).contains(&hits), "{hits}");
    }
}
