//! Tensors in host code: reference-counted handles.
//!
//! A handle is an `Arc` that C counts by `tfx_tensor_retain` and `tfx_tensor_release`. C code may
//! write elements only between `tfx_tensor_new` and the first return, send or call with the tensor:
//! afterwards the graph may share them.

use std::{
    ffi::{c_char, c_void},
    sync::{Arc, OnceLock},
};

use tfx_graphdef::element::{display_name, from_number};
use tfx_interpreter::{Bool, DType, Element, Tensor};

use super::{
    guard::{guarded, slice},
    objects::{Kind, Membership},
};
use crate::{
    entry::{self, shape_text},
    failure::Failure,
    stats,
};

/// A tensor. Opaque to C.
pub struct TfxTensor {
    pub(super) tensor: Tensor,
    /// The address of the elements, or NULL if they are inline. It comes from `as_mut_ptr` if the
    /// tensor was not shared, so that host code may write.
    data: *mut c_void,
    /// An aligned copy of inline elements, created when host code requests their address.
    aligned: OnceLock<Box<Tensor>>,
    /// The activation that the handle belongs to.
    membership: Option<Membership>,
}

// SAFETY: `data` points to the elements that `tensor` owns. The module describes who may write.
unsafe impl Send for TfxTensor {}
// SAFETY: as above.
unsafe impl Sync for TfxTensor {}

impl TfxTensor {
    /// Returns a new handle, which compiled code or the runtime owns.
    pub(super) fn handle(mut tensor: Tensor) -> *mut TfxTensor {
        let is_aligned = tensor.is_aligned();
        let data = match tensor.bytes_mut() {
            _ if !is_aligned => std::ptr::null_mut(),
            Some(bytes) => bytes.as_mut_ptr().cast(),
            None => tensor.bytes().as_ptr().cast_mut().cast(),
        };
        stats::TENSORS.count_created();
        let handle = Arc::new(TfxTensor {
            tensor,
            data,
            aligned: OnceLock::new(),
            membership: Membership::of_current(),
        });
        if let Some(membership) = &handle.membership {
            membership.add(Kind::Tensor, Arc::as_ptr(&handle).addr());
        }
        Arc::into_raw(handle).cast_mut()
    }

    /// Returns a new handle, which foreign code owns.
    pub fn foreign_handle(tensor: Tensor) -> *mut TfxTensor {
        let handle = Self::handle(tensor);
        // SAFETY: a new handle.
        unsafe { Self::keep(handle, 1) };
        handle
    }

    /// Adds references of foreign code, or removes them.
    ///
    /// # Safety
    /// `handle` is NULL or a handle that the caller holds.
    pub(super) unsafe fn keep(handle: *const TfxTensor, references: i64) {
        // SAFETY: as promised by the caller.
        let membership = unsafe { handle.as_ref() }.and_then(|handle| handle.membership.as_ref());
        if let Some(membership) = membership {
            membership.keep(references);
        }
    }

    /// Adds an owner, which is not foreign code.
    ///
    /// # Safety
    /// `handle` is NULL or a handle that the caller holds.
    pub(super) unsafe fn retain(handle: *mut TfxTensor) -> *mut TfxTensor {
        if !handle.is_null() {
            // SAFETY: a handle is from `Arc::into_raw`, and the caller holds it.
            unsafe { Arc::increment_strong_count(handle.cast_const()) };
        }
        handle
    }

    /// Removes an owner, which is not foreign code.
    ///
    /// # Safety
    /// `handle` is NULL or a handle that the caller owns.
    pub(super) unsafe fn release(handle: *mut TfxTensor) {
        if !handle.is_null() {
            // SAFETY: a handle is from `Arc::into_raw`, and the caller owns it.
            unsafe { Arc::decrement_strong_count(handle.cast_const()) };
        }
    }

    /// Leaves a handle with its owners in foreign code and in `boxes` boxes.
    ///
    /// # Safety
    /// `handle` is a handle that is not freed, and all its other owners are gone.
    pub(super) unsafe fn set_owners(handle: *const TfxTensor, boxes: u64) {
        // SAFETY: as promised by the caller; the temporary `Arc` owns nothing.
        let (owners, kept) = unsafe {
            let handle = std::mem::ManuallyDrop::new(Arc::from_raw(handle));
            let kept = handle.membership.as_ref().map_or(0, Membership::kept);
            (Arc::strong_count(&handle) as u64, kept)
        };
        for _ in kept + boxes..owners {
            // SAFETY: as promised by the caller; each count belonged to an owner that is gone.
            unsafe { Arc::decrement_strong_count(handle) };
        }
    }

    /// Returns the address of the elements, which is constant.
    fn data(&self) -> *mut c_void {
        if !self.data.is_null() {
            return self.data;
        }
        let aligned = self
            .aligned
            .get_or_init(|| Box::new(self.tensor.clone().aligned()));
        aligned.bytes().as_ptr().cast_mut().cast()
    }

    /// Returns the tensor.
    pub fn tensor(&self) -> &Tensor {
        &self.tensor
    }

    /// Returns the object of a handle.
    ///
    /// # Safety
    /// `handle` is NULL or a handle that outlives the result.
    pub(super) unsafe fn borrow<'a>(handle: *const TfxTensor) -> Result<&'a TfxTensor, Failure> {
        // SAFETY: as promised by the caller.
        unsafe { handle.as_ref() }.ok_or_else(|| Failure::new("a tensor is NULL"))
    }

    /// Releases a handle, and returns the tensor.
    ///
    /// # Safety
    /// `handle` is NULL or a handle that the caller owns.
    pub(super) unsafe fn take(handle: *mut TfxTensor) -> Result<Tensor, Failure> {
        // SAFETY: as promised by the caller.
        let tensor = unsafe { Self::borrow(handle) }?.tensor.clone();
        // SAFETY: the caller owns the handle, which is from `Arc::into_raw`.
        drop(unsafe { Arc::from_raw(handle.cast_const()) });
        Ok(tensor)
    }
}

impl Drop for TfxTensor {
    fn drop(&mut self) {
        if let Some(membership) = &self.membership {
            membership.remove(Kind::Tensor, (&raw const *self).addr());
        }
        stats::TENSORS.count_freed();
    }
}

/// Returns the tensors of borrowed handles.
///
/// # Safety
/// `handles` points to `count` handles.
pub(super) unsafe fn tensors(
    handles: *const *mut TfxTensor,
    count: i32,
) -> Result<Vec<Tensor>, Failure> {
    // SAFETY: as promised by the caller.
    let tensor =
        |&handle: &*mut TfxTensor| Ok(unsafe { TfxTensor::borrow(handle) }?.tensor.clone());
    // SAFETY: as promised by the caller.
    unsafe { slice(handles, count.into()) }
        .iter()
        .map(tensor)
        .collect()
}

/// Writes handles of results, which the caller of the ABI then owns.
///
/// # Safety
/// `places` points to a place for each result.
pub(super) unsafe fn write_results(
    results: impl Iterator<Item = Tensor>,
    places: *mut *mut TfxTensor,
) {
    for (index, result) in results.enumerate() {
        // SAFETY: as promised by the caller.
        unsafe { places.add(index).write(TfxTensor::handle(result)) };
    }
}

/// The source location of functions that take none.
const NO_LOCATION: *const c_char = std::ptr::null();

/// Returns the element type with TensorFlow's number.
pub(super) fn dtype(number: i32) -> Result<DType, Failure> {
    DType::from_tensorflow(number)
        .filter(|dtype| dtype.crosses())
        .ok_or_else(|| {
            Failure::new(format!(
                "the host cannot hold elements of type {}; convert the tensor in the graph, by tfx_tensor.op \"Cast\"",
                display_name(from_number(number))
            ))
        })
}

/// Checks a pointer to a number of values; `what` names them.
fn not_null<T>(pointer: *const T, count: u64, what: &str) -> Result<(), Failure> {
    match pointer.is_null() && count > 0 {
        true => Err(Failure::new(format!("{what} NULL"))),
        false => Ok(()),
    }
}

/// # Safety
/// `dims` points to `rank` sizes.
unsafe fn shape(rank: i32, dims: *const i64) -> Result<Vec<usize>, Failure> {
    if rank < 0 {
        return Err(Failure::new(format!(
            "a tensor cannot have the rank {rank}"
        )));
    }
    not_null(dims, rank as u64, "the sizes of a tensor are")?;
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

/// Adds an owner, and returns the tensor.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_tensor_retain(tensor: *mut TfxTensor) -> *mut TfxTensor {
    // SAFETY: the ABI promises NULL or a handle that the caller holds.
    unsafe {
        TfxTensor::keep(tensor, 1);
        TfxTensor::retain(tensor)
    }
}

/// Removes an owner. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_tensor_release(tensor: *mut TfxTensor) {
    // SAFETY: the ABI promises NULL or a handle that the caller owns.
    unsafe {
        TfxTensor::keep(tensor, -1);
        TfxTensor::release(tensor);
    }
}

/// Creates a tensor with a copy of `data`, row-major. `dtype` is TensorFlow's DataType number.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_tensor_from_bytes(
    dtype: i32,
    rank: i32,
    dims: *const i64,
    data: *const c_void,
) -> *mut TfxTensor {
    guarded(NO_LOCATION, || {
        // SAFETY: the ABI promises `rank` sizes.
        let shape = unsafe { shape(rank, dims) }?;
        let mut tensor = checked(Tensor::zeros(self::dtype(dtype)?, &shape))?;
        if let Some(bytes) = tensor.bytes_mut() {
            not_null(data, bytes.len() as u64, "the elements of a tensor are")?;
            // SAFETY: the ABI promises as many bytes as the shape requires.
            bytes.copy_from_slice(unsafe { slice(data.cast::<u8>(), bytes.len() as i64) });
        }
        Ok(TfxTensor::foreign_handle(tensor))
    })
}

/// Creates a tensor of DT_STRING with copies of strings, row-major. `bytes` has the strings in
/// sequence, `lengths` their numbers of bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_tensor_from_strings(
    rank: i32,
    dims: *const i64,
    bytes: *const u8,
    lengths: *const u64,
) -> *mut TfxTensor {
    guarded(NO_LOCATION, || {
        // SAFETY: the ABI promises `rank` sizes.
        let shape = unsafe { shape(rank, dims) }?;
        // A tensor of another type checks the shape.
        let count = checked(Tensor::zeros(DType::Bool, &shape))?.elements();
        not_null(lengths, count as u64, "the lengths of strings are")?;
        // SAFETY: the ABI promises a length for each element, and the sum of the lengths in bytes.
        let lengths = unsafe { slice(lengths, count as i64) };
        let mut start = 0;
        let mut strings = Vec::with_capacity(lengths.len());
        for &length in lengths {
            not_null(bytes, length, "the bytes of strings are")?;
            // SAFETY: as above.
            let string = unsafe { slice(bytes.wrapping_add(start), length as i64) };
            strings.push(string.to_vec());
            start += length as usize;
        }
        Ok(TfxTensor::foreign_handle(checked(Tensor::from_strings(
            &shape, strings,
        ))?))
    })
}

/// Creates a string: a tensor of DT_STRING and rank 0 with a copy of `bytes`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_tensor_string(bytes: *const u8, size: u64) -> *mut TfxTensor {
    guarded(NO_LOCATION, || {
        not_null(bytes, size, "the bytes of a string are")?;
        // SAFETY: the ABI promises `size` bytes.
        let text = unsafe { slice(bytes, size as i64) }.to_vec();
        Ok(TfxTensor::foreign_handle(checked(Tensor::from_strings(
            &[],
            vec![text],
        ))?))
    })
}

/// Creates a tensor with these sizes, all of whose elements are that of `element`, a tensor of rank
/// 0, which is borrowed.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_tensor_splat(
    element: *const TfxTensor,
    rank: i32,
    dims: *const i64,
) -> *mut TfxTensor {
    guarded(NO_LOCATION, || {
        // SAFETY: the ABI promises a handle, and `rank` sizes.
        let (element, shape) = unsafe { (TfxTensor::borrow(element)?, shape(rank, dims)?) };
        Ok(TfxTensor::foreign_handle(checked(
            element.tensor.splat(&shape),
        )?))
    })
}

/// Creates a tensor of zeros. The caller fills it through tfx_tensor_data before it passes it to
/// another function.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_tensor_new(
    dtype: i32,
    rank: i32,
    dims: *const i64,
) -> *mut TfxTensor {
    guarded(NO_LOCATION, || {
        // SAFETY: the ABI promises `rank` sizes.
        let shape = unsafe { shape(rank, dims) }?;
        let tensor = checked(Tensor::zeros(self::dtype(dtype)?, &shape))?;
        // Host code writes through the address, so the elements must not be inline.
        Ok(TfxTensor::foreign_handle(tensor.aligned()))
    })
}

/// Reads from a borrowed tensor.
fn read<R>(tensor: *const TfxTensor, read: impl FnOnce(&TfxTensor) -> Result<R, Failure>) -> R {
    // SAFETY: the ABI promises a handle that lives through the call.
    guarded(NO_LOCATION, || read(unsafe { TfxTensor::borrow(tensor) }?))
}

/// Returns the element type: TensorFlow's DataType number.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_tensor_dtype(tensor: *const TfxTensor) -> i32 {
    read(tensor, |handle| Ok(handle.tensor.dtype().tensorflow()))
}

/// Returns the number of dimensions.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_tensor_rank(tensor: *const TfxTensor) -> i32 {
    read(tensor, |handle| Ok(handle.tensor.rank() as i32))
}

/// Returns the size of a dimension.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_tensor_dim(tensor: *const TfxTensor, dimension: i32) -> i64 {
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

/// Returns the number of elements.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_tensor_num_elements(tensor: *const TfxTensor) -> i64 {
    read(tensor, |handle| Ok(handle.tensor.elements() as i64))
}

/// Returns the elements, row-major, aligned to 64 bytes; to 16 bytes if the tensor was imported by
/// DLPack. They may be written only after tfx_tensor_new, before the tensor is passed to another
/// function.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_tensor_data(tensor: *const TfxTensor) -> *mut c_void {
    read(tensor, |handle| Ok(handle.data()))
}

/// Returns the bytes of a string, which do not end with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_tensor_text(tensor: *const TfxTensor) -> *const u8 {
    read(tensor, |handle| Ok(string(handle)?.as_ptr()))
}

/// Returns the number of bytes of a string.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_tensor_text_size(tensor: *const TfxTensor) -> u64 {
    read(tensor, |handle| Ok(string(handle)?.len() as u64))
}

fn string(handle: &TfxTensor) -> Result<&[u8], Failure> {
    match checked(handle.tensor.strings())? {
        [string] => Ok(string),
        strings => Err(Failure::new(format!(
            "expected a string, but the tensor has {} of them",
            strings.len()
        ))),
    }
}

/// Ends the process with exit code 1, unless a tensor that a foreign function returned has the type
/// that the program declares. A rank of -1 is any rank, a size of -1 any size.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_check_tensor(
    tensor: *const TfxTensor,
    dtype: i32,
    rank: i32,
    dims: *const i64,
    location: *const c_char,
) {
    guarded(location, || {
        // SAFETY: the ABI promises `rank` sizes.
        let sizes = unsafe { slice(dims, rank.into()) };
        let sizes = sizes.iter().map(|&size| usize::try_from(size).ok());
        let shape: Option<Vec<Option<usize>>> = (rank >= 0).then(|| sizes.collect());
        let dtype = self::dtype(dtype)?;
        let expected = || format!("tensor<{}{dtype}>", shape_text(shape.as_deref()));
        // SAFETY: the ABI promises NULL or a handle.
        let Some(tensor) = (unsafe { tensor.as_ref() }).map(|handle| &handle.tensor) else {
            let expected = expected();
            return Err(Failure::new(format!("expected {expected}, got NULL")));
        };
        let fits = |shape| entry::fits(shape, tensor.shape());
        if tensor.dtype() == dtype && shape.as_deref().is_none_or(fits) {
            return Ok(());
        }
        let found = tfx_interpreter::tensor::shape_text(tensor.shape());
        Err(Failure::new(format!(
            "expected {}, got a tensor of {} with shape {found}",
            expected(),
            tensor.dtype()
        )))
    })
}

fn scalar<T: Element>(value: T) -> *mut TfxTensor {
    guarded(NO_LOCATION, || {
        Ok(TfxTensor::foreign_handle(Tensor::scalar(value)))
    })
}

fn item<T: Element>(tensor: *const TfxTensor) -> T {
    read(tensor, |handle| checked(handle.tensor.item::<T>()))
}

/// Creates a tensor of rank 0 from a boolean.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn tfx_scalar_i1(value: bool) -> *mut TfxTensor {
    scalar(Bool::from(value))
}

/// Creates a tensor of rank 0 from a number.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn tfx_scalar_i8(value: i8) -> *mut TfxTensor {
    scalar(value)
}

/// Creates a tensor of rank 0 from a number.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn tfx_scalar_i16(value: i16) -> *mut TfxTensor {
    scalar(value)
}

/// Creates a tensor of rank 0 from a number.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn tfx_scalar_i32(value: i32) -> *mut TfxTensor {
    scalar(value)
}

/// Creates a tensor of rank 0 from a number.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn tfx_scalar_i64(value: i64) -> *mut TfxTensor {
    scalar(value)
}

/// Creates a tensor of rank 0 from a number.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn tfx_scalar_f32(value: f32) -> *mut TfxTensor {
    scalar(value)
}

/// Creates a tensor of rank 0 from a number.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn tfx_scalar_f64(value: f64) -> *mut TfxTensor {
    scalar(value)
}

/// Returns the single element.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_item_i1(tensor: *const TfxTensor) -> bool {
    item::<Bool>(tensor).get()
}

/// Returns the single element.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_item_i8(tensor: *const TfxTensor) -> i8 {
    item(tensor)
}

/// Returns the single element.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_item_i16(tensor: *const TfxTensor) -> i16 {
    item(tensor)
}

/// Returns the single element.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_item_i32(tensor: *const TfxTensor) -> i32 {
    item(tensor)
}

/// Returns the single element.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_item_i64(tensor: *const TfxTensor) -> i64 {
    item(tensor)
}

/// Returns the single element.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_item_f32(tensor: *const TfxTensor) -> f32 {
    item(tensor)
}

/// Returns the single element.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_item_f64(tensor: *const TfxTensor) -> f64 {
    item(tensor)
}
