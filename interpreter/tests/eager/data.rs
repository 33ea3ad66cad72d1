//! Random inputs: shapes of rank 0 to 4, also empty ones, and numbers at which kernels often fail.

use std::ops::{Deref, DerefMut};

use tfx_interpreter::{Bool, DType, Tensor};
use tfx_oracle::Random;

/// A generator of inputs.
pub(crate) struct Data(Random);

/// The values of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Values {
    /// Any.
    Any,
    /// Any except those near the largest and the smallest number: sums and products do not
    /// overflow.
    Moderate,
    /// Any except NaN.
    Ordered,
    /// Any except infinities.
    Finite,
    /// From -3 to 3; integers from -10 to 10.
    Unit,
    /// From 1 to 3: nothing overflows or divides by zero.
    Small,
}

impl Deref for Data {
    type Target = Random;

    fn deref(&self) -> &Random {
        &self.0
    }
}

impl DerefMut for Data {
    fn deref_mut(&mut self) -> &mut Random {
        &mut self.0
    }
}

impl Data {
    /// A stream of its own for each operation and element type, so that a new row changes no other.
    pub(crate) fn new(op: &str, dtype: DType) -> Self {
        let name = op.bytes().chain(dtype.name().bytes());
        let seed = name.fold(0, |seed: u64, byte| seed.wrapping_mul(31) + u64::from(byte));
        Data(Random::new(seed))
    }

    /// Mostly from 1 to 4; sometimes 0, or more than a vector register holds.
    pub(crate) fn dimension(&mut self) -> usize {
        match self.below(20) {
            0 => 0,
            1 | 2 => 1 + self.below(19),
            _ => 1 + self.below(4),
        }
    }

    pub(crate) fn shape(&mut self, least_rank: usize) -> Vec<usize> {
        let rank = least_rank + self.below(5 - least_rank);
        (0..rank).map(|_| self.dimension()).collect()
    }

    /// A shape that can be broadcast to another one.
    pub(crate) fn broadcast(&mut self, to: &[usize]) -> Vec<usize> {
        let from = match self.chance(25) {
            true => self.below(to.len() + 1),
            false => 0,
        };
        let sizes = to[from..].iter().copied();
        sizes
            .map(|size| if self.chance(20) { 1 } else { size })
            .collect()
    }

    /// From -3 to 3.
    fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64 * 6.0 - 3.0
    }

    fn float(&mut self, values: Values, least: f64, most: f64) -> f64 {
        if values == Values::Small {
            return 1.0 + self.unit().abs() / 1.5;
        }
        let special = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            -1.5,
            2.5,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            least,
            most,
            -most,
        ];
        match self.below(8) {
            0 if values == Values::Any => *self.pick(&special),
            0 if values == Values::Ordered => *self.pick(&special[..7]),
            1 if values == Values::Ordered => *self.pick(&special[8..]),
            0 if values == Values::Moderate => *self.pick(&special[..10]),
            0 if values == Values::Finite => *self.pick(&special[..8]),
            1 if matches!(values, Values::Any | Values::Finite) => {
                self.unit() * 2f64.powi(self.below(61) as i32 - 30)
            }
            _ => self.unit(),
        }
    }

    fn integer(&mut self, values: Values, least: i128, most: i128) -> i128 {
        if values == Values::Small {
            return 1 + self.below(3) as i128;
        }
        let number = match self.below(8) {
            _ if values == Values::Unit => self.below(21) as i128 - 10,
            0 => *self.pick(&[0, 1, -1, least, most]),
            1 => least + i128::from(self.next_u64()) % (most - least + 1),
            _ => self.below(21) as i128 - 10,
        };
        number.clamp(least, most)
    }

    pub(crate) fn tensor(&mut self, dtype: DType, shape: &[usize]) -> Tensor {
        self.tensor_of(dtype, shape, Values::Any)
    }

    pub(crate) fn tensor_of(&mut self, dtype: DType, shape: &[usize], values: Values) -> Tensor {
        macro_rules! fill {
            ($rust:ty, $value:expr) => {
                Tensor::build(shape, |elements: &mut [$rust]| {
                    elements.iter_mut().for_each(|element| *element = $value)
                })
            };
        }
        macro_rules! integers {
            ($rust:ty) => {
                fill!(
                    $rust,
                    self.integer(values, <$rust>::MIN.into(), <$rust>::MAX.into()) as $rust
                )
            };
        }
        let built = match dtype {
            DType::F32 => fill!(
                f32,
                self.float(values, f32::MIN_POSITIVE.into(), f32::MAX.into()) as f32
            ),
            DType::F64 => fill!(f64, self.float(values, f64::MIN_POSITIVE, f64::MAX)),
            DType::I8 => integers!(i8),
            DType::I16 => integers!(i16),
            DType::I32 => integers!(i32),
            DType::I64 => integers!(i64),
            DType::U8 => integers!(u8),
            DType::U16 => integers!(u16),
            DType::U32 => integers!(u32),
            DType::U64 => integers!(u64),
            _ => fill!(Bool, Bool::from(self.chance(50))),
        };
        built.expect("a shape of some thousand elements")
    }
}
