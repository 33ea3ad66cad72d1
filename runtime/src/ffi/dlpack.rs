//! Tensors exchanged with other libraries by DLPack (its unversioned structure, which every library reads).
//!
//! Out: the other library borrows our elements and calls the deleter. In: elements that are row-major, aligned to 64 bytes and not few are used where they
//! are, and the producer's deleter is called when the last user is done; others are copied, and it is called at once. Either way the producer must
//! not write them any more.

use std::{ffi::c_void, sync::Arc};

use tfx_interpreter::{DType, Elements, Tensor, is_shareable};

use super::{abi_tensor::TfxTensor, guarded, slice};
use crate::failure::Failure;

/// Where the elements are.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct DLDevice {
    /// 1: CPU.
    pub device_type: i32,
    /// Which one.
    pub device_id: i32,
}

/// The element type.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDataType {
    /// 0: int, 1: uint, 2: float, 6: bool.
    pub code: u8,
    /// Bits of one lane.
    pub bits: u8,
    /// 1, but for vectors.
    pub lanes: u16,
}

/// A tensor that somebody else owns.
#[repr(C)]
pub struct DLTensor {
    /// The allocation.
    pub data: *mut c_void,
    /// Where it is.
    pub device: DLDevice,
    /// The number of dimensions.
    pub ndim: i32,
    /// The element type.
    pub dtype: DLDataType,
    /// The sizes.
    pub shape: *mut i64,
    /// Strides in elements; NULL: row-major.
    pub strides: *mut i64,
    /// Where in the allocation the elements start.
    pub byte_offset: u64,
}

/// A tensor with its owner.
#[repr(C)]
pub struct DLManagedTensor {
    /// The tensor.
    pub dl_tensor: DLTensor,
    /// The owner's.
    pub manager_ctx: *mut c_void,
    /// To be called once by whoever has it, when done.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}

const CPU: i32 = 1;

/// DLPack's codes.
const TYPES: &[(DType, u8, u8)] = &[
    (DType::I8, 0, 8),
    (DType::I16, 0, 16),
    (DType::I32, 0, 32),
    (DType::I64, 0, 64),
    (DType::U8, 1, 8),
    (DType::U16, 1, 16),
    (DType::U32, 1, 32),
    (DType::U64, 1, 64),
    (DType::F32, 2, 32),
    (DType::F64, 2, 64),
    (DType::Bool, 6, 8),
];

/// What keeps an exported tensor alive.
struct Export {
    managed: DLManagedTensor,
    shape: Vec<i64>,
    handle: *mut TfxTensor,
}

/// The tensor for another library, which shares the elements, must not write them, and calls the deleter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_tensor_to_dlpack(tensor: *mut TfxTensor) -> *mut DLManagedTensor {
    guarded(std::ptr::null(), || {
        // SAFETY: the ABI promises a handle.
        let borrowed = unsafe { TfxTensor::borrow(tensor) }?;
        let dtype = borrowed.tensor.dtype();
        let Some(&(_, code, bits)) = TYPES.iter().find(|(known, ..)| *known == dtype) else {
            return Err(Failure::new(format!(
                "DLPack has no elements of type {dtype}"
            )));
        };
        // SAFETY: the ABI promises a handle; the export owns one more count of it.
        let (handle, data) = unsafe {
            (
                super::abi_tensor::tfx_tensor_retain(tensor),
                super::abi_tensor::tfx_tensor_data(tensor),
            )
        };
        let shape: Vec<i64> = borrowed
            .tensor
            .shape()
            .iter()
            .map(|&size| size as i64)
            .collect();
        let mut export = Box::new(Export {
            managed: DLManagedTensor {
                dl_tensor: DLTensor {
                    data,
                    device: DLDevice {
                        device_type: CPU,
                        device_id: 0,
                    },
                    ndim: shape.len() as i32,
                    dtype: DLDataType {
                        code,
                        bits,
                        lanes: 1,
                    },
                    shape: std::ptr::null_mut(),
                    strides: std::ptr::null_mut(),
                    byte_offset: 0,
                },
                manager_ctx: std::ptr::null_mut(),
                deleter: Some(delete_export),
            },
            shape,
            handle,
        });
        export.managed.dl_tensor.shape = export.shape.as_mut_ptr();
        let export = Box::into_raw(export);
        // SAFETY: just made.
        unsafe {
            (*export).managed.manager_ctx = export.cast();
            Ok(&raw mut (*export).managed)
        }
    })
}

unsafe extern "C" fn delete_export(managed: *mut DLManagedTensor) {
    // SAFETY: DLPack promises one call, with what `tfx_tensor_to_dlpack` gave out.
    unsafe {
        let export = Box::from_raw((*managed).manager_ctx.cast::<Export>());
        drop(Arc::from_raw(export.handle.cast_const()));
    }
}

/// A tensor of another library's elements, which is taken: its deleter is called when the elements are not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_tensor_from_dlpack(managed: *mut DLManagedTensor) -> *mut TfxTensor {
    guarded(std::ptr::null(), || {
        if managed.is_null() {
            return Err(Failure::new("a DLPack tensor is NULL"));
        }
        let import = Import(managed);
        // SAFETY: the ABI promises a tensor of DLPack, which is ours until we call its deleter.
        let (dtype, shape, source) = unsafe {
            let source = &(*managed).dl_tensor;
            (element_type(source)?, shape(source), source)
        };
        // SAFETY: as above.
        let is_whole = unsafe { is_row_major(source) } && is_shareable(import.bytes());
        let tensor = if is_whole {
            Tensor::from_elements(dtype, &shape, Arc::new(import))
                .map_err(|error| Failure::new(error.to_string()))
        } else {
            // SAFETY: as above.
            unsafe { copy(source, dtype, &shape) }
        };
        Ok(TfxTensor::handle(tensor?))
    })
}

/// Another library's tensor that is ours.
struct Import(*mut DLManagedTensor);

// SAFETY: DLPack lets any thread read the elements and call the deleter.
unsafe impl Send for Import {}
// SAFETY: as above.
unsafe impl Sync for Import {}

impl Elements for Import {
    fn bytes(&self) -> &[u8] {
        // SAFETY: the tensor is ours; asked only for elements that lie together.
        unsafe {
            let source = &(*self.0).dl_tensor;
            let elements: usize = shape(source).iter().product();
            let size = elements * usize::from(source.dtype.bits) / 8;
            let start = source.data.cast::<u8>().cast_const();
            slice(start.add(source.byte_offset as usize), size as i64)
        }
    }
}

impl Drop for Import {
    fn drop(&mut self) {
        // SAFETY: the tensor is ours, and its deleter is called once.
        unsafe {
            if let Some(deleter) = (*self.0).deleter {
                deleter(self.0);
            }
        }
    }
}

/// # Safety
/// `source` is what DLPack says.
unsafe fn shape(source: &DLTensor) -> Vec<usize> {
    // SAFETY: DLPack promises `ndim` sizes.
    let sizes = unsafe { slice(source.shape, source.ndim.into()) };
    sizes
        .iter()
        .map(|&size| usize::try_from(size).unwrap_or(0))
        .collect()
}

/// # Safety
/// `source` is what DLPack says.
unsafe fn is_row_major(source: &DLTensor) -> bool {
    // SAFETY: DLPack promises `ndim` strides or NULL.
    let strides = unsafe { slice(source.strides, source.ndim.into()) };
    let mut wanted = 1;
    // SAFETY: as promised by the caller.
    let shape = unsafe { shape(source) };
    strides.iter().zip(&shape).rev().all(|(&stride, &size)| {
        let is_right = size == 1 || stride == wanted;
        wanted *= size as i64;
        is_right
    })
}

/// The element type, of elements that this process can read.
fn element_type(source: &DLTensor) -> Result<DType, Failure> {
    if source.device.device_type != CPU {
        return Err(Failure::new(
            "a DLPack tensor must be in the memory of the CPU",
        ));
    }
    let DLDataType { code, bits, lanes } = source.dtype;
    let known = TYPES
        .iter()
        .find(|&&(_, known, size)| (known, size, 1) == (code, bits, lanes));
    known.map(|&(dtype, ..)| dtype).ok_or_else(|| {
        Failure::new(format!(
            "DLPack's element type {code}:{bits}x{lanes} is not known here"
        ))
    })
}

/// # Safety
/// `source` is what DLPack says.
unsafe fn copy(source: &DLTensor, dtype: DType, shape: &[usize]) -> Result<Tensor, Failure> {
    // SAFETY: DLPack promises `ndim` strides or NULL.
    let strides = unsafe { slice(source.strides, source.ndim.into()) };
    let mut tensor =
        Tensor::zeros(dtype, shape).map_err(|error| Failure::new(error.to_string()))?;
    let size = dtype.size();
    let start = source.data.cast::<u8>().cast_const();
    let mut counter = vec![0usize; shape.len()];
    for element in tensor
        .bytes_mut()
        .unwrap_or_default()
        .chunks_exact_mut(size)
    {
        let offset: i64 = if source.strides.is_null() {
            counter
                .iter()
                .zip(shape)
                .fold(0, |offset, (&index, &size)| {
                    offset * size as i64 + index as i64
                })
        } else {
            counter
                .iter()
                .zip(strides)
                .map(|(&index, &stride)| index as i64 * stride)
                .sum()
        };
        // SAFETY: DLPack promises that every element of the shape is there.
        unsafe {
            let from = start.offset(source.byte_offset as isize + offset as isize * size as isize);
            element.copy_from_slice(std::slice::from_raw_parts(from, size));
        }
        for dimension in (0..shape.len()).rev() {
            counter[dimension] += 1;
            if counter[dimension] < shape[dimension] {
                break;
            }
            counter[dimension] = 0;
        }
    }
    Ok(tensor)
}
