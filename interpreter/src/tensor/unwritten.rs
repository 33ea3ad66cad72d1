//! Tensors whose elements are not written yet: results of machine code, which writes all of them.
//!
//! ```text
//! Unwritten::new(f32, [1024, 1024])  -- as_mut_ptr() -->  machine code writes
//!                                    -- assume_written() -->  Tensor, without a copy
//! ```
//!
//! To set memory to zero takes as long as a simple kernel takes to write it. The rest of the last
//! block, which has no elements, is set to zero, so that all bytes of a tensor are initialized.
//!
//! This is the only module of the crate with unsafe code. Its contract: whoever calls
//! [`Unwritten::assume_written`] has written each element.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::sync::Arc;

use super::{
    ALIGNMENT, Block, DType, Data, SMALL, Shape, Tensor, TensorError, Words, checked_elements,
    is_available,
};

/// A tensor of plain elements that are not written yet.
pub struct Unwritten {
    dtype: DType,
    shape: Shape,
    bytes: usize,
    memory: Memory,
}

enum Memory {
    Small(Words),
    Blocks(Arc<[MaybeUninit<Block>]>),
}

impl Unwritten {
    /// Allocates the memory of a tensor.
    ///
    /// # Errors
    /// The elements are not plain bytes, or do not fit into memory.
    pub fn new(dtype: DType, shape: &[usize]) -> Result<Self, TensorError> {
        let size = dtype.size();
        if size == 0 {
            return Err(TensorError::NotPlain(dtype));
        }
        let bytes = checked_elements(shape, size)
            .map(|elements| elements * size)
            .filter(|&bytes| is_available(bytes))
            .ok_or_else(|| TensorError::TooLarge(shape.into()))?;
        let memory = match bytes {
            ..=SMALL => Memory::Small(Words::default()),
            _ => {
                let mut blocks = Arc::new_uninit_slice(bytes.div_ceil(ALIGNMENT));
                if let Some(last) = Arc::get_mut(&mut blocks).and_then(<[_]>::last_mut) {
                    last.write(Block([0; ALIGNMENT]));
                }
                Memory::Blocks(blocks)
            }
        };
        Ok(Unwritten {
            dtype,
            shape: shape.into(),
            bytes,
            memory,
        })
    }

    /// Returns the address of the elements, in row-major order.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        match &mut self.memory {
            Memory::Small(words) => words.as_mut_ptr().cast(),
            Memory::Blocks(blocks) => match Arc::get_mut(blocks) {
                Some(blocks) => blocks.as_mut_ptr().cast(),
                None => unreachable!("an unwritten tensor is not shared"),
            },
        }
    }

    /// Writes a byte to all elements.
    pub fn fill(&mut self, byte: u8) {
        let bytes = self.bytes;
        // SAFETY: the memory has at least this number of bytes, and is not shared.
        unsafe { self.as_mut_ptr().write_bytes(byte, bytes) };
    }

    /// Returns the tensor.
    ///
    /// # Safety
    /// All elements have been written, through [`Unwritten::as_mut_ptr`] or
    /// [`Unwritten::fill`].
    pub unsafe fn assume_written(self) -> Tensor {
        let data = match self.memory {
            Memory::Small(words) => Data::Small(words),
            // SAFETY: the caller has written all elements, and `new` the rest of the last block.
            Memory::Blocks(blocks) => Data::Bytes(unsafe { blocks.assume_init() }),
        };
        Tensor {
            dtype: self.dtype,
            shape: self.shape,
            data,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_elements_are_those_of_the_tensor() {
        for count in [0, 1, 4, 5, 16, 17, 100] {
            let mut unwritten = Unwritten::new(DType::F32, &[count]).expect("it fits");
            unwritten.fill(0xFF);
            for number in 0..count {
                // SAFETY: the memory has `count` elements, and is aligned for them.
                unsafe {
                    unwritten
                        .as_mut_ptr()
                        .cast::<f32>()
                        .add(number)
                        .write(number as f32)
                };
            }
            // SAFETY: as above.
            let tensor = unsafe { unwritten.assume_written() };
            let expected: Vec<f32> = (0..count).map(|number| number as f32).collect();
            assert_eq!(tensor.shape(), [count]);
            assert_eq!(tensor.values::<f32>().expect("f32"), expected);
        }
    }

    #[test]
    fn what_is_not_plain_or_too_large_is_refused() {
        for dtype in [DType::String, DType::Variant] {
            let error = Unwritten::new(dtype, &[2]).err();
            assert!(matches!(error, Some(TensorError::NotPlain(_))), "{dtype}");
        }
        let error = Unwritten::new(DType::F64, &[usize::MAX / 2, 3]).err();
        assert!(matches!(error, Some(TensorError::TooLarge(_))));
    }
}
