//! Pseudo-random numbers, the same on every machine.
//!
//! The generator of `tfx-oracle` is the same, but that crate needs MLIR.

/// A stream of numbers (SplitMix64: Steele, Lea and Flood, 2014).
#[derive(Clone, Copy, Debug)]
pub struct Random(u64);

impl Random {
    /// Returns the stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below a limit, or 0 if the limit is 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next_u64() % limit.max(1)
    }
}
