//! Random numbers, bit for bit those of TensorFlow on a CPU.
//!
//! ```text
//! key (seed), counter (seed2, position) --10 rounds of Philox 4x32--> 4 words --> floats, normals
//! ```
//!
//! Source: Salmon et al., *Parallel random numbers: as easy as 1, 2, 3* (2011), and its use in
//! TensorFlow's `random_op`: the i-th group of results comes from the i-th counter after the
//! current one, and each call reserves 256 counters for each result. Two zero seeds request a seed
//! from the system; any other pair gives the same numbers in every run.

use std::{
    collections::hash_map::RandomState,
    hash::{BuildHasher, Hasher},
};

use crate::{
    kernels::{
        Attributes, Entry, Kernel, Outputs, Result, create::shape_of, fail, input, pure, single,
    },
    tensor::{DType, Tensor, shape_text},
};

pub(super) const KERNELS: &[Entry] = &[
    ("RandomUniform", |attributes| {
        stateful(attributes, Distribution::Uniform)
    }),
    ("RandomStandardNormal", |attributes| {
        stateful(attributes, Distribution::Normal)
    }),
    ("StatelessRandomUniform", |attributes| {
        stateless(attributes, Distribution::Uniform)
    }),
    ("StatelessRandomNormal", |attributes| {
        stateless(attributes, Distribution::Normal)
    }),
    ("StatelessRandomGetKeyCounter", |_| pure(key_and_counter)),
    ("StatelessRandomUniformV2", |attributes| {
        from_key(attributes, Distribution::Uniform)
    }),
    ("StatelessRandomNormalV2", |attributes| {
        from_key(attributes, Distribution::Normal)
    }),
];

/// The counters that a call reserves for each result, so that calls never overlap (`random_op.cc`).
const RESERVED_PER_RESULT: u64 = 256;

/// A counter-based generator.
#[derive(Clone, Debug)]
pub struct Philox {
    counter: [u32; 4],
    key: [u32; 2],
}

impl Philox {
    /// From two seeds: one is the key, the other the upper half of the counter.
    fn new(seed: u64, seed2: u64) -> Self {
        Philox {
            counter: [0, 0, seed2 as u32, (seed2 >> 32) as u32],
            key: [seed as u32, (seed >> 32) as u32],
        }
    }

    /// From the seed of a stateless operation, which TensorFlow scrambles so that similar seeds
    /// give unrelated numbers.
    fn stateless(seed: [u64; 2]) -> Self {
        let mut scrambler = Philox {
            counter: [
                seed[0] as u32,
                (seed[0] >> 32) as u32,
                seed[1] as u32,
                (seed[1] >> 32) as u32,
            ],
            key: [0x3ec8_f720, 0x0246_1e29],
        };
        let [key_low, key_high, counter_low, counter_high] = scrambler.next_group();
        Philox {
            counter: [0, 0, counter_low, counter_high],
            key: [key_low, key_high],
        }
    }

    fn skip(&mut self, groups: u64) {
        let counter = self
            .counter
            .iter()
            .rev()
            .fold(0u128, |number, &word| number << 32 | u128::from(word));
        let counter = counter.wrapping_add(u128::from(groups));
        self.counter = std::array::from_fn(|word| (counter >> (32 * word)) as u32);
    }

    /// Returns four random words.
    fn next_group(&mut self) -> [u32; 4] {
        const MULTIPLIERS: [u32; 2] = [0xd251_1f53, 0xcd9e_8d57];
        const WEYL: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];
        const ROUNDS: usize = 10;
        let (mut words, mut key) = (self.counter, self.key);
        for _ in 0..ROUNDS {
            let products = [
                u64::from(MULTIPLIERS[0]) * u64::from(words[0]),
                u64::from(MULTIPLIERS[1]) * u64::from(words[2]),
            ];
            words = [
                (products[1] >> 32) as u32 ^ words[1] ^ key[0],
                products[1] as u32,
                (products[0] >> 32) as u32 ^ words[3] ^ key[1],
                products[0] as u32,
            ];
            key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
        }
        self.skip(1);
        words
    }
}

#[derive(Clone, Copy)]
enum Distribution {
    Uniform,
    Normal,
}

/// A kernel with a generator of its own, which advances with each call.
fn stateful(attributes: &Attributes<'_>, distribution: Distribution) -> Result<Kernel> {
    let dtype = attributes.dtype("dtype", DType::F32)?;
    let seeds = match (attributes.int("seed", 0), attributes.int("seed2", 0)) {
        (0, 0) => [seed_of_system(), seed_of_system()],
        (seed, seed2) => [seed as u64, seed2 as u64],
    };
    let compute = move |generator: &mut Philox, inputs: &mut [Tensor]| -> Result<Outputs> {
        let shape = shape_of(input(inputs, 0)?)?;
        let result = sample(&mut generator.clone(), distribution, dtype, &shape)?;
        generator.skip(RESERVED_PER_RESULT.wrapping_mul(result.elements() as u64));
        Ok(smallvec::smallvec![result])
    };
    Ok(Kernel::Random(
        Philox::new(seeds[0], seeds[1]),
        Box::new(compute),
    ))
}

/// Returns a number that differs between processes: the seed of the standard library's hash tables.
fn seed_of_system() -> u64 {
    RandomState::new().build_hasher().finish()
}

fn stateless(attributes: &Attributes<'_>, distribution: Distribution) -> Result<Kernel> {
    let dtype = attributes.dtype("dtype", DType::F32)?;
    single(move |inputs| {
        let shape = shape_of(input(inputs, 0)?)?;
        let mut generator = Philox::stateless(seed_of(input(inputs, 1)?)?);
        sample(&mut generator, distribution, dtype, &shape)
    })
}

/// Returns the key and the counter of a seed.
fn key_and_counter(inputs: &mut [Tensor]) -> Result<Outputs> {
    let generator = Philox::stateless(seed_of(input(inputs, 0)?)?);
    let wide = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    let [key_low, key_high] = generator.key;
    let [a, b, c, d] = generator.counter;
    Ok(smallvec::smallvec![
        Tensor::from_slice(&[1], &[wide(key_low, key_high)])?,
        Tensor::from_slice(&[2], &[wide(a, b), wide(c, d)])?,
    ])
}

/// The numbers of operation attribute `alg` for Philox; 3 leaves the choice to the device.
const PHILOX: [i64; 2] = [1, 3];

/// Operands: the shape, a key and a counter, the number of the algorithm.
fn from_key(attributes: &Attributes<'_>, distribution: Distribution) -> Result<Kernel> {
    let dtype = attributes.dtype("dtype", DType::F32)?;
    single(move |inputs| {
        let shape = shape_of(input(inputs, 0)?)?;
        let (key, counter) = (input(inputs, 1)?, input(inputs, 2)?);
        let (&[key], &[low, high, ..]) = (key.values::<u64>()?, counter.values::<u64>()?) else {
            return fail!(
                "key must have shape [1], and counter at least shape [2], not {} and {}",
                shape_text(key.shape()),
                shape_text(counter.shape())
            );
        };
        let algorithm = input(inputs, 3)?.integers()?;
        match &algorithm[..] {
            [number] if PHILOX.contains(number) => {}
            _ => return fail!("Unsupported algorithm id: {algorithm:?}"),
        }
        let mut generator = Philox {
            counter: [
                low as u32,
                (low >> 32) as u32,
                high as u32,
                (high >> 32) as u32,
            ],
            key: [key as u32, (key >> 32) as u32],
        };
        sample(&mut generator, distribution, dtype, &shape)
    })
}

/// Returns the two words of a seed.
fn seed_of(tensor: &Tensor) -> Result<[u64; 2]> {
    match tensor.integers()?[..] {
        [seed, seed2] => Ok([seed as u64, seed2 as u64]),
        _ => fail!(
            "seed must have shape [2], not {}",
            shape_text(tensor.shape())
        ),
    }
}

fn sample(
    generator: &mut Philox,
    distribution: Distribution,
    dtype: DType,
    shape: &[usize],
) -> Result<Tensor> {
    match dtype {
        DType::F32 => Ok(Tensor::build(shape, |output: &mut [f32]| {
            for chunk in output.chunks_mut(4) {
                let words = generator.next_group();
                let values = match distribution {
                    Distribution::Uniform => words.map(unit_f32),
                    Distribution::Normal => {
                        let ([a, b], [c, d]) = (
                            normals_f32(words[0], words[1]),
                            normals_f32(words[2], words[3]),
                        );
                        [a, b, c, d]
                    }
                };
                chunk.copy_from_slice(&values[..chunk.len()]);
            }
        })?),
        DType::F64 => Ok(Tensor::build(shape, |output: &mut [f64]| {
            for chunk in output.chunks_mut(2) {
                let [a, b, c, d] = generator.next_group();
                let values = match distribution {
                    Distribution::Uniform => [unit_f64(a, b), unit_f64(c, d)],
                    Distribution::Normal => normals_f64(unit_f64(a, b), unit_f64(c, d)),
                };
                chunk.copy_from_slice(&values[..chunk.len()]);
            }
        })?),
        other => fail!("random numbers of type {other} are not supported by the embedded executor"),
    }
}

/// 23 random bits as a mantissa, in [0, 1).
fn unit_f32(word: u32) -> f32 {
    f32::from_bits(127 << 23 | word & 0x7f_ffff) - 1.0
}

/// 52 random bits as a mantissa, in [0, 1).
fn unit_f64(high: u32, low: u32) -> f64 {
    f64::from_bits(1023 << 52 | u64::from(high & 0xf_ffff) << 32 | u64::from(low)) - 1.0
}

/// Keeps the logarithm of the Box-Muller method finite.
const SMALLEST_UNIT: f64 = 1.0e-7;

fn normals_f32(first: u32, second: u32) -> [f32; 2] {
    let radius = (-2.0 * unit_f32(first).max(SMALLEST_UNIT as f32).ln()).sqrt();
    let angle = (2.0 * std::f64::consts::PI * f64::from(unit_f32(second))) as f32;
    [angle.sin() * radius, angle.cos() * radius]
}

fn normals_f64(first: f64, second: f64) -> [f64; 2] {
    let radius = (-2.0 * first.max(SMALLEST_UNIT).ln()).sqrt();
    let angle = 2.0 * std::f64::consts::PI * second;
    [angle.sin() * radius, angle.cos() * radius]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known answers of Philox 4x32-10, from the test vectors of its authors' library (Random123).
    #[test]
    fn philox_gives_the_known_answers() {
        let mut zero = Philox {
            counter: [0; 4],
            key: [0; 2],
        };
        assert_eq!(
            zero.next_group(),
            [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]
        );
        let mut ones = Philox {
            counter: [u32::MAX; 4],
            key: [u32::MAX; 2],
        };
        assert_eq!(
            ones.next_group(),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
    }
}
