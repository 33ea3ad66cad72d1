//! Test data, the same in every run.

#![allow(dead_code, reason = "each test binary uses a part")]

use std::cell::Cell;

use tfx_interpreter::Bool as Boolean;
use tfx_runtime::{
    DType::{self, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64},
    Tensor,
};

/// A generator of test data (xorshift64*), the same in every run.
pub(crate) struct Data(Cell<u64>);

impl Data {
    pub(crate) fn new(seed: u64) -> Self {
        Data(Cell::new(seed))
    }

    pub(crate) fn next(&self) -> u64 {
        let mut state = self.0.get();
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        self.0.set(state);
        state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Below `count`, which is not 0.
    pub(crate) fn below(&self, count: usize) -> usize {
        (self.next() >> 33) as usize % count
    }

    /// Returns true with this probability in percent.
    pub(crate) fn chance(&self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// In [-3, 3].
    pub(crate) fn float(&self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64 * 6.0 - 3.0
    }

    pub(crate) fn tensor(&self, dtype: DType, shape: &[usize]) -> Tensor {
        macro_rules! fill {
            ($rust:ty, $value:expr) => {
                Tensor::build(shape, |values: &mut [$rust]| {
                    values.iter_mut().for_each(|value| *value = $value)
                })
            };
        }
        match dtype {
            F32 => fill!(f32, self.float() as f32),
            F64 => fill!(f64, self.float()),
            I8 => fill!(i8, self.next() as i8),
            I16 => fill!(i16, self.next() as i16),
            I32 => fill!(i32, self.next() as i32 % 1000),
            I64 => fill!(i64, self.next() as i64 % 100_000),
            U8 => fill!(u8, self.next() as u8),
            U16 => fill!(u16, self.next() as u16),
            U32 => fill!(u32, self.next() as u32),
            U64 => fill!(u64, self.next()),
            _ => fill!(Boolean, Boolean::from(self.next() >> 63 == 1)),
        }
        .expect("a tensor")
    }

    pub(crate) fn tensors(&self, dtype: DType, shapes: &[&[usize]]) -> Vec<Tensor> {
        shapes
            .iter()
            .map(|shape| self.tensor(dtype, shape))
            .collect()
    }
}
