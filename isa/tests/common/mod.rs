//! A small generator of reproducible random words.

/// xorshift64*.
pub struct Random(u64);

impl Random {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// The next 32 random bits.
    pub fn word(&mut self) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    #[allow(dead_code, reason = "not every test crate asks")]
    /// A random number below `n`.
    pub fn below(&mut self, n: u32) -> u32 {
        self.word() % n
    }
}
