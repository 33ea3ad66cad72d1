//! Tensors in host code: reference-counted handles.
//!
//! A handle is an `Arc` that C counts by `tfx_tensor_retain` and `tfx_tensor_release`. Elements may be written through
//! `tfx_tensor_data` only between `tfx_tensor_new` and the first time the tensor is handed on: the graph may share them then.

use std::{
    ffi::{c_char, c_void},
    sync::{Arc, OnceLock},
};

use tfx_graphdef::element::{display_name, from_number};
use tfx_interpreter::{Bool, DType, Element, Tensor};

use super::{guarded, slice};
use crate::{failure::Failure, stats};

/// A tensor. Opaque to C.
pub struct TfxTensor {
    pub(super) tensor: Tensor,
    /// Where the elements are, if they have an address; from `as_mut_ptr` while the tensor was unshared, where host code may write them.
    data: *mut c_void,
    /// A tensor that carries its elements itself gives host code a copy of them that is aligned, when it asks for their address.
    aligned: OnceLock<Box<Tensor>>,
}

// SAFETY: the pointer goes to the elements that `tensor` owns; who may write through it is said at the top of this file.
unsafe impl Send for TfxTensor {}
// SAFETY: as above.
unsafe impl Sync for TfxTensor {}

impl TfxTensor {
    /// A new handle, owned by the caller.
    pub(super) fn handle(mut tensor: Tensor) -> *mut TfxTensor {
        let is_aligned = tensor.is_aligned();
        let data = match tensor.bytes_mut() {
            _ if !is_aligned => std::ptr::null_mut(),
            Some(bytes) => bytes.as_mut_ptr().cast(),
            None => tensor.bytes().as_ptr().cast_mut().cast(),
        };
        stats::TENSORS.made();
        let aligned = OnceLock::new();
        Arc::into_raw(Arc::new(TfxTensor {
            tensor,
            data,
            aligned,
        }))
        .cast_mut()
    }

    /// The address of the elements, which stays the same.
    fn data(&self) -> *mut c_void {
        if !self.data.is_null() {
            return self.data;
        }
        let aligned = self
            .aligned
            .get_or_init(|| Box::new(self.tensor.clone().aligned()));
        aligned.bytes().as_ptr().cast_mut().cast()
    }

    /// The tensor behind a handle.
    ///
    /// # Safety
    /// `handle` is NULL or a handle that lives as long as the result.
    pub(super) unsafe fn borrow<'a>(handle: *const TfxTensor) -> Result<&'a TfxTensor, Failure> {
        // SAFETY: as promised by the caller.
        unsafe { handle.as_ref() }.ok_or_else(|| Failure::new("a tensor is NULL"))
    }

    /// Gives up a handle, and keeps the tensor.
    ///
    /// # Safety
    /// `handle` is NULL or a handle that the caller owns.
    pub(super) unsafe fn take(handle: *mut TfxTensor) -> Result<Tensor, Failure> {
        // SAFETY: as promised by the caller.
        let tensor = unsafe { Self::borrow(handle) }?.tensor.clone();
        // SAFETY: the caller owns the handle, which came from `Arc::into_raw`.
        drop(unsafe { Arc::from_raw(handle.cast_const()) });
        Ok(tensor)
    }
}

impl Drop for TfxTensor {
    fn drop(&mut self) {
        stats::TENSORS.freed();
    }
}

const NOWHERE: *const c_char = std::ptr::null();

/// The element type of TensorFlow's number.
pub(super) fn dtype(number: i32) -> Result<DType, Failure> {
    DType::from_tensorflow(number)
        .filter(|&dtype| dtype != DType::Resource)
        .ok_or_else(|| {
            Failure::new(format!(
                "the host cannot hold elements of type {}; convert the tensor in the graph, by tfx_tensor.op \"Cast\"",
                display_name(from_number(number))
            ))
        })
}

/// # Safety
/// `dims` points to `rank` sizes.
unsafe fn shape(rank: i32, dims: *const i64) -> Result<Vec<usize>, Failure> {
    // SAFETY: as promised by the caller.
    let sizes = unsafe { slice(dims, rank.into()) };
    let size = |&size: &i64| {
        usize::try_from(size)
            .map_err(|_| Failure::new(format!("a tensor cannot have a dimension of {size}")))
    };
    sizes.iter().map(size).collect()
}

fn checked<T>(result: Result<T, tfx_interpreter::TensorError>) -> Result<T, Failure> {
    result.map_err(|error| Failure::new(error.to_string()))
}

/// One more owner; returns the tensor.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_tensor_retain(tensor: *mut TfxTensor) -> *mut TfxTensor {
    if !tensor.is_null() {
        // SAFETY: a handle came from `Arc::into_raw`, and the caller holds it.
        unsafe { Arc::increment_strong_count(tensor.cast_const()) };
    }
    tensor
}

/// One owner less. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_tensor_release(tensor: *mut TfxTensor) {
    if !tensor.is_null() {
        // SAFETY: a handle came from `Arc::into_raw`, and the caller owns it.
        unsafe { Arc::decrement_strong_count(tensor.cast_const()) };
    }
}

/// A tensor with a copy of `data`, row-major. `dtype` is TensorFlow's DataType number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_tensor_from_bytes(
    dtype: i32,
    rank: i32,
    dims: *const i64,
    data: *const c_void,
) -> *mut TfxTensor {
    guarded(NOWHERE, || {
        // SAFETY: the ABI promises `rank` sizes.
        let shape = unsafe { shape(rank, dims) }?;
        let mut tensor = checked(Tensor::zeros(self::dtype(dtype)?, &shape))?;
        if let Some(bytes) = tensor.bytes_mut() {
            // SAFETY: the ABI promises as many bytes as the shape says.
            bytes.copy_from_slice(unsafe { slice(data.cast::<u8>(), bytes.len() as i64) });
        }
        Ok(TfxTensor::handle(tensor))
    })
}

/// A tensor of DT_STRING with copies of strings, row-major, which lie one behind the other in `bytes`; `lengths` has the number of bytes of each.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_tensor_from_strings(
    rank: i32,
    dims: *const i64,
    bytes: *const u8,
    lengths: *const u64,
) -> *mut TfxTensor {
    guarded(NOWHERE, || {
        // SAFETY: the ABI promises `rank` sizes.
        let shape = unsafe { shape(rank, dims) }?;
        // As many as there can be elements of any type.
        let count = checked(Tensor::zeros(DType::Bool, &shape))?.elements();
        // SAFETY: the ABI promises a length for each element, and as many bytes as these say.
        let lengths = unsafe { slice(lengths, count as i64) };
        let mut start = 0;
        let mut strings = Vec::with_capacity(lengths.len());
        for &length in lengths {
            // SAFETY: as above.
            let string = unsafe { slice(bytes.wrapping_add(start), length as i64) };
            strings.push(string.to_vec());
            start += length as usize;
        }
        Ok(TfxTensor::handle(checked(Tensor::from_strings(
            &shape, strings,
        ))?))
    })
}

/// A string: a tensor of DT_STRING and rank 0 with a copy of `bytes`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_tensor_string(bytes: *const u8, size: u64) -> *mut TfxTensor {
    guarded(NOWHERE, || {
        // SAFETY: the ABI promises `size` bytes.
        let text = unsafe { slice(bytes, size as i64) }.to_vec();
        Ok(TfxTensor::handle(checked(Tensor::from_strings(
            &[],
            vec![text],
        ))?))
    })
}

/// A tensor of zeros, to be filled through tfx_tensor_data before it is handed on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_tensor_new(dtype: i32, rank: i32, dims: *const i64) -> *mut TfxTensor {
    guarded(NOWHERE, || {
        // SAFETY: the ABI promises `rank` sizes.
        let shape = unsafe { shape(rank, dims) }?;
        let tensor = checked(Tensor::zeros(self::dtype(dtype)?, &shape))?;
        // What is written through its address must be what it holds.
        Ok(TfxTensor::handle(tensor.aligned()))
    })
}

/// What a read of a tensor gives.
fn read<R>(tensor: *const TfxTensor, read: impl FnOnce(&TfxTensor) -> Result<R, Failure>) -> R {
    // SAFETY: the ABI promises a handle that lives through the call.
    guarded(NOWHERE, || read(unsafe { TfxTensor::borrow(tensor) }?))
}

/// The element type: TensorFlow's DataType number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_tensor_dtype(tensor: *const TfxTensor) -> i32 {
    read(tensor, |handle| Ok(handle.tensor.dtype().tensorflow()))
}

/// The number of dimensions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_tensor_rank(tensor: *const TfxTensor) -> i32 {
    read(tensor, |handle| Ok(handle.tensor.rank() as i32))
}

/// The size of a dimension.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_tensor_dim(tensor: *const TfxTensor, dimension: i32) -> i64 {
    read(tensor, |handle| {
        let sizes = handle.tensor.shape();
        usize::try_from(dimension)
            .ok()
            .and_then(|dimension| sizes.get(dimension))
            .map(|&size| size as i64)
            .ok_or_else(|| {
                Failure::new(format!(
                    "a tensor of rank {} has no dimension {dimension}",
                    sizes.len()
                ))
            })
    })
}

/// The number of elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_tensor_num_elements(tensor: *const TfxTensor) -> i64 {
    read(tensor, |handle| Ok(handle.tensor.elements() as i64))
}

/// The elements, row-major, 64-byte aligned. To be written only after tfx_tensor_new, before the tensor is handed on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_tensor_data(tensor: *const TfxTensor) -> *mut c_void {
    read(tensor, |handle| Ok(handle.data()))
}

/// The bytes of a string (they do not end with a zero).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_tensor_text(tensor: *const TfxTensor) -> *const u8 {
    read(tensor, |handle| Ok(string(handle)?.as_ptr()))
}

/// How many bytes a string has.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_tensor_text_size(tensor: *const TfxTensor) -> u64 {
    read(tensor, |handle| Ok(string(handle)?.len() as u64))
}

fn string(handle: &TfxTensor) -> Result<&[u8], Failure> {
    match checked(handle.tensor.strings())? {
        [string] => Ok(string),
        strings => Err(Failure::new(format!(
            "a string is wanted, but there are {}",
            strings.len()
        ))),
    }
}

fn scalar<T: Element>(value: T) -> *mut TfxTensor {
    guarded(NOWHERE, || Ok(TfxTensor::handle(Tensor::scalar(value))))
}

fn item<T: Element>(tensor: *const TfxTensor) -> T {
    read(tensor, |handle| checked(handle.tensor.item::<T>()))
}

/// A truth value as a tensor of rank 0.
#[unsafe(no_mangle)]
pub extern "C" fn tfx_scalar_i1(value: bool) -> *mut TfxTensor {
    scalar(Bool::from(value))
}

/// A number as a tensor of rank 0.
#[unsafe(no_mangle)]
pub extern "C" fn tfx_scalar_i8(value: i8) -> *mut TfxTensor {
    scalar(value)
}

/// A number as a tensor of rank 0.
#[unsafe(no_mangle)]
pub extern "C" fn tfx_scalar_i16(value: i16) -> *mut TfxTensor {
    scalar(value)
}

/// A number as a tensor of rank 0.
#[unsafe(no_mangle)]
pub extern "C" fn tfx_scalar_i32(value: i32) -> *mut TfxTensor {
    scalar(value)
}

/// A number as a tensor of rank 0.
#[unsafe(no_mangle)]
pub extern "C" fn tfx_scalar_i64(value: i64) -> *mut TfxTensor {
    scalar(value)
}

/// A number as a tensor of rank 0.
#[unsafe(no_mangle)]
pub extern "C" fn tfx_scalar_f32(value: f32) -> *mut TfxTensor {
    scalar(value)
}

/// A number as a tensor of rank 0.
#[unsafe(no_mangle)]
pub extern "C" fn tfx_scalar_f64(value: f64) -> *mut TfxTensor {
    scalar(value)
}

/// The single element.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_item_i1(tensor: *const TfxTensor) -> bool {
    item::<Bool>(tensor).get()
}

/// The single element.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_item_i8(tensor: *const TfxTensor) -> i8 {
    item(tensor)
}

/// The single element.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_item_i16(tensor: *const TfxTensor) -> i16 {
    item(tensor)
}

/// The single element.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_item_i32(tensor: *const TfxTensor) -> i32 {
    item(tensor)
}

/// The single element.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_item_i64(tensor: *const TfxTensor) -> i64 {
    item(tensor)
}

/// The single element.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_item_f32(tensor: *const TfxTensor) -> f32 {
    item(tensor)
}

/// The single element.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_item_f64(tensor: *const TfxTensor) -> f64 {
    item(tensor)
}
