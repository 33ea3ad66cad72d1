//! Exchange of tensors with other libraries by DLPack, in its unversioned structure, which every
//! library reads.
//!
//! On export, the other library borrows the elements and calls the deleter. On import, elements
//! that are row-major, aligned to 16 bytes and not few are shared, and the producer's deleter is
//! called when the last user releases them. Other elements are copied, and the deleter is called at
//! once. The producer must not write the elements afterwards.
//!
//! Contract of the unsafe code: a `DLManagedTensor` is as DLPack specifies, in particular its
//! memory contains all elements of its shape.

use std::{ffi::c_void, sync::Arc};

use tfx_interpreter::{DType, Elements, Tensor, is_shareable};

use super::{
    abi_tensor::{TfxTensor, tfx_tensor_data, tfx_tensor_release, tfx_tensor_retain},
    guard::{guarded, slice},
};
use crate::failure::Failure;

/// The device of the elements.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct DLDevice {
    /// 1: CPU.
    pub device_type: i32,
    /// The number of the device.
    pub device_id: i32,
}

/// The element type.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDataType {
    /// 0: int, 1: uint, 2: float, 4: bfloat, 6: bool.
    pub code: u8,
    /// The number of bits of one lane.
    pub bits: u8,
    /// The number of lanes; 1, except for vectors.
    pub lanes: u16,
}

/// A borrowed tensor.
#[repr(C)]
pub struct DLTensor {
    /// The allocation.
    pub data: *mut c_void,
    /// The device.
    pub device: DLDevice,
    /// The number of dimensions.
    pub ndim: i32,
    /// The element type.
    pub dtype: DLDataType,
    /// The sizes.
    pub shape: *mut i64,
    /// Strides in elements; NULL: row-major.
    pub strides: *mut i64,
    /// The offset of the first element in the allocation.
    pub byte_offset: u64,
}

/// A tensor with its owner.
#[repr(C)]
pub struct DLManagedTensor {
    /// The tensor.
    pub dl_tensor: DLTensor,
    /// Data of the owner.
    pub manager_ctx: *mut c_void,
    /// Releases the tensor. The last user calls it once.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}

const CPU: i32 = 1;

/// DLPack's codes of element types.
const INT: u8 = 0;
const UINT: u8 = 1;
const FLOAT: u8 = 2;
const BFLOAT: u8 = 4;
const COMPLEX: u8 = 5;
const BOOL: u8 = 6;

/// The element types with their codes and bits.
const TYPES: &[(DType, u8, u8)] = &[
    (DType::I8, INT, 8),
    (DType::I16, INT, 16),
    (DType::I32, INT, 32),
    (DType::I64, INT, 64),
    (DType::U8, UINT, 8),
    (DType::U16, UINT, 16),
    (DType::U32, UINT, 32),
    (DType::U64, UINT, 64),
    (DType::F16, FLOAT, 16),
    (DType::F32, FLOAT, 32),
    (DType::F64, FLOAT, 64),
    (DType::Bf16, BFLOAT, 16),
    (DType::Bool, BOOL, 8),
];

/// An exported tensor, which owns a handle.
struct Export {
    managed: DLManagedTensor,
    shape: Vec<i64>,
    handle: *mut TfxTensor,
}

/// Exports a tensor to another library, which shares the elements, must not write them, and calls
/// the deleter.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_tensor_to_dlpack(
    tensor: *mut TfxTensor,
) -> *mut DLManagedTensor {
    // SAFETY: the ABI promises a handle.
    guarded(std::ptr::null(), || unsafe { export_handle(tensor) })
}

/// Exports a tensor as [`tfx_tensor_to_dlpack`] does.
///
/// # Errors
/// DLPack does not have the element type.
pub fn export(tensor: Tensor) -> Result<*mut DLManagedTensor, Failure> {
    let handle = TfxTensor::foreign_handle(tensor);
    // SAFETY: a new handle, which the export retains if there is one.
    unsafe {
        let exported = export_handle(handle);
        tfx_tensor_release(handle);
        exported
    }
}

/// # Safety
/// `tensor` is a handle.
unsafe fn export_handle(tensor: *mut TfxTensor) -> Result<*mut DLManagedTensor, Failure> {
    // SAFETY: as promised by the caller.
    let borrowed = unsafe { TfxTensor::borrow(tensor) }?;
    let dtype = borrowed.tensor.dtype();
    let Some(&(_, code, bits)) = TYPES.iter().find(|(known, ..)| *known == dtype) else {
        return Err(Failure::new(format!(
            "DLPack has no elements of type {dtype}"
        )));
    };
    // SAFETY: as above; the export becomes an owner.
    let handle = unsafe { tfx_tensor_retain(tensor) };
    let data = match borrowed.tensor.elements() {
        // DLPack requires this for a tensor without elements.
        0 => std::ptr::null_mut(),
        // SAFETY: as above.
        _ => unsafe { tfx_tensor_data(tensor) },
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
    // SAFETY: created above.
    unsafe {
        (*export).managed.manager_ctx = export.cast();
        Ok(&raw mut (*export).managed)
    }
}

unsafe extern "C" fn delete_export(managed: *mut DLManagedTensor) {
    // SAFETY: DLPack promises one call, with a result of `tfx_tensor_to_dlpack`.
    unsafe {
        let export = Box::from_raw((*managed).manager_ctx.cast::<Export>());
        tfx_tensor_release(export.handle);
    }
}

/// Imports and consumes a tensor of another library. Its deleter is called when the elements are no
/// longer used.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_tensor_from_dlpack(
    managed: *mut DLManagedTensor,
) -> *mut TfxTensor {
    guarded(std::ptr::null(), || {
        // SAFETY: the ABI promises a tensor of DLPack.
        unsafe { import(managed) }.map(TfxTensor::foreign_handle)
    })
}

/// Imports and consumes a tensor of another library, also on an error.
///
/// # Safety
/// `managed` is NULL or a tensor of DLPack.
///
/// # Errors
/// An unsupported element type or device; a shape that exceeds the address space.
pub unsafe fn import(managed: *mut DLManagedTensor) -> Result<Tensor, Failure> {
    if managed.is_null() {
        return Err(Failure::new("a DLPack tensor is NULL"));
    }
    let mut import = Import {
        managed,
        elements: &[],
    };
    // SAFETY: the caller promises a tensor of DLPack, which lives until the deleter is called.
    let source = unsafe { &(*managed).dl_tensor };
    let dtype = element_type(source)?;
    // SAFETY: as above.
    let shape = unsafe { shape(source) }?;
    let size = byte_size(source, dtype, &shape)?;
    // SAFETY: as above.
    if unsafe { is_row_major(source, &shape) } {
        // SAFETY: as above; the elements are contiguous, and `Import` keeps them alive.
        import.elements = unsafe { slice(first(source), size as i64) };
        if is_shareable(import.elements) {
            return Tensor::from_elements(dtype, &shape, Arc::new(import))
                .map_err(|error| Failure::new(error.to_string()));
        }
    }
    // SAFETY: as above.
    unsafe { copy(source, dtype, &shape) }
}

/// An imported tensor, which is released when this is dropped.
struct Import {
    managed: *mut DLManagedTensor,
    /// The shared elements, which live until the deleter is called; empty if they are copied.
    elements: &'static [u8],
}

// SAFETY: DLPack lets any thread read the elements and call the deleter.
unsafe impl Send for Import {}
// SAFETY: as above.
unsafe impl Sync for Import {}

impl Elements for Import {
    fn bytes(&self) -> &[u8] {
        self.elements
    }
}

impl Drop for Import {
    fn drop(&mut self) {
        // SAFETY: this owns the tensor, and calls its deleter once.
        unsafe {
            if let Some(deleter) = (*self.managed).deleter {
                deleter(self.managed);
            }
        }
    }
}

/// Returns the sizes of a tensor.
///
/// # Safety
/// `source` is a tensor of DLPack.
unsafe fn shape(source: &DLTensor) -> Result<Vec<usize>, Failure> {
    let count = source.ndim;
    if count < 0 || (count > 0 && source.shape.is_null()) {
        return Err(Failure::new(format!(
            "a DLPack tensor has {count} dimensions, but no valid list of sizes"
        )));
    }
    // SAFETY: DLPack promises `ndim` sizes.
    let sizes = unsafe { slice(source.shape, count.into()) };
    let size = |&size: &i64| {
        usize::try_from(size)
            .map_err(|_| Failure::new(format!("a DLPack tensor has a dimension of size {size}")))
    };
    sizes.iter().map(size).collect()
}

/// Returns the number of bytes of all elements.
fn byte_size(source: &DLTensor, dtype: DType, shape: &[usize]) -> Result<usize, Failure> {
    // Sizes after a zero need no memory, but strides are computed from them.
    let bytes = shape
        .iter()
        .try_fold(dtype.size(), |bytes, &size| bytes.checked_mul(size.max(1)))
        .filter(|&bytes| isize::try_from(bytes).is_ok())
        .ok_or_else(|| Failure::new("a DLPack tensor exceeds the address space"))?;
    match shape.contains(&0) {
        true => Ok(0),
        false if source.data.is_null() => {
            Err(Failure::new("a DLPack tensor has elements, but no memory"))
        }
        false => Ok(bytes),
    }
}

/// Returns the address of the first element.
fn first(source: &DLTensor) -> *const u8 {
    let start = source.data.cast::<u8>().cast_const();
    start.wrapping_add(source.byte_offset as usize)
}

/// # Safety
/// `source` is a tensor of DLPack.
unsafe fn is_row_major(source: &DLTensor, shape: &[usize]) -> bool {
    // SAFETY: DLPack promises `ndim` strides or NULL.
    let strides = unsafe { slice(source.strides, source.ndim.into()) };
    let mut expected = 1;
    strides.iter().zip(shape).rev().all(|(&stride, &size)| {
        let is_right = size == 1 || stride == expected;
        expected *= size as i64;
        is_right
    })
}

/// Returns the element type of a tensor in memory that this process can read.
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
        let name = match code {
            INT => format!("i{bits}"),
            UINT => format!("ui{bits}"),
            FLOAT => format!("f{bits}"),
            BFLOAT => format!("bf{bits}"),
            COMPLEX => format!("complex<f{}>", bits / 2),
            BOOL => format!("bool with {bits} bits"),
            _ => format!("with DLPack's code {code} and {bits} bits"),
        };
        let vectors = match lanes {
            1 => String::new(),
            _ => format!(" in vectors of {lanes}"),
        };
        Failure::new(format!(
            "a DLPack tensor has elements of type {name}{vectors}, which programs do not support"
        ))
    })
}

/// # Safety
/// `source` is a tensor of DLPack.
unsafe fn copy(source: &DLTensor, dtype: DType, shape: &[usize]) -> Result<Tensor, Failure> {
    // SAFETY: DLPack promises `ndim` strides or NULL.
    let strides = unsafe { slice(source.strides, source.ndim.into()) };
    let mut tensor =
        Tensor::zeros(dtype, shape).map_err(|error| Failure::new(error.to_string()))?;
    let size = dtype.size();
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
        // SAFETY: DLPack promises all elements of the shape.
        unsafe {
            let from = first(source).offset(offset as isize * size as isize);
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
