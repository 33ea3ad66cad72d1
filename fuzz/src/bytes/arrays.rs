//! External arrays: `.npy` files, and tensors that another library lends.

use std::fs;

use anyhow::anyhow;
use tfx::runtime::npy as files;
use tfx_interpreter::{DType, Tensor};
use tfx_oracle::Random;

use super::Outcome;
use crate::ffi::lender::{self, Description};

/// Reads a `.npy` file.
pub(super) fn npy(bytes: &[u8]) -> Outcome {
    let file = tempfile::NamedTempFile::new()?;
    fs::write(file.path(), bytes)?;
    look_at(&files::read(file.path())?);
    Ok(())
}

/// Reads each byte, so that invalid memory is detected.
fn look_at(tensor: &Tensor) {
    let bytes = tensor.bytes();
    let elements: usize = tensor.shape().iter().product();
    assert_eq!(bytes.len(), elements * tensor.dtype().size());
    std::hint::black_box(bytes.iter().fold(0u8, |sum, &byte| sum.wrapping_add(byte)));
}

/// Returns a nearly valid `.npy` file.
pub(super) fn npy_file(random: &mut Random) -> Vec<u8> {
    let types = [DType::F32, DType::I64, DType::U8, DType::Bool, DType::F64];
    let dtype = *random.pick(&types);
    let shape: Vec<usize> = (0..random.below(4)).map(|_| random.below(5)).collect();
    let file = tempfile::NamedTempFile::new().expect("room for a file");
    let tensor = Tensor::zeros(dtype, &shape).expect("a small tensor");
    files::write(file.path(), &tensor).expect("room for a file");
    let bytes = fs::read(file.path()).expect("the file that was written");
    super::mutate::bytes(random, bytes)
}

/// Imports a tensor whose description is in the bytes; the tensor must be returned exactly once,
/// whatever the outcome.
pub(super) fn dlpack(bytes: &[u8]) -> Outcome {
    let mut outcome = Err(anyhow!("the described tensor is not in the lent memory"));
    let returned = lender::lend(description_of(bytes), |tensor| {
        outcome = tensor.map(|tensor| look_at(&tensor)).map_err(Into::into);
    });
    assert_ne!(returned, Some(0), "it is never returned");
    assert!(returned.unwrap_or(1) == 1, "it is returned twice");
    outcome
}

/// Decodes a description: one byte per field, size and stride; missing bytes are 0.
fn description_of(bytes: &[u8]) -> Description {
    let mut bytes = bytes.iter().copied();
    let mut next = || bytes.next().unwrap_or_default();
    let device = i32::from(next() as i8);
    let (code, bits, lanes) = (next() % 8, next(), u16::from(next()));
    let (ndim, flags, byte_offset) = (i32::from(next() as i8), next(), u64::from(next()));
    let dimensions = usize::try_from(ndim).unwrap_or(0);
    let shape = (0..dimensions).map(|_| size_of(next())).collect();
    let strides = (0..dimensions).map(|_| size_of(next())).collect();
    Description {
        device,
        code,
        bits,
        lanes,
        ndim,
        shape: (flags & HAS_SHAPE != 0).then_some(shape),
        strides: (flags & HAS_STRIDES != 0).then_some(strides),
        byte_offset,
        has_memory: flags & HAS_MEMORY != 0,
    }
}

const HAS_SHAPE: u8 = 1;
const HAS_STRIDES: u8 = 2;
const HAS_MEMORY: u8 = 4;

/// Decodes a size: small sizes directly, large ones as powers of two.
fn size_of(byte: u8) -> i64 {
    /// Bytes from here on encode powers of two.
    const POWERS: u8 = 128 + 32;
    match byte {
        0..128 => byte.into(),
        128..POWERS => -i64::from(byte - 127),
        POWERS.. => 1i64 << ((byte - POWERS) % 64),
    }
}

/// Returns a nearly valid description.
pub(super) fn description(random: &mut Random) -> Vec<u8> {
    let types: [(u8, u8); 6] = [(0, 32), (0, 64), (1, 8), (2, 32), (2, 64), (6, 8)];
    let &(code, bits) = random.pick(&types);
    let dimensions = random.below(4) as u8;
    let mut flags = HAS_SHAPE | HAS_MEMORY;
    if random.chance(30) {
        flags |= HAS_STRIDES;
    }
    let mut bytes = vec![
        1,
        code,
        bits,
        1,
        dimensions,
        flags,
        64 * random.below(2) as u8,
    ];
    bytes.extend((0..2 * dimensions).map(|_| 1 + random.below(12) as u8));
    super::mutate::bytes(random, bytes)
}
