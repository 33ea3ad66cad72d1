//! The buffer protocol of Python: arrays of other libraries become tensors, and tensors arrays.
//!
//! ```text
//!   array ──PyObject_GetBuffer──> bytes ──copy──> Tensor       arrays may change, tensors do not
//!   Tensor ──__getbuffer__──> a view of its bytes ──> array    read-only, without a copy
//! ```
//!
//! A view holds a reference to its tensor, whose elements never change: the runtime updates the
//! elements of a tensor in place only if nothing else refers to them. The unsafe code of this crate
//! is in this module.

use std::ffi::{CStr, c_int, c_void};
use std::ptr;

use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyBufferError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use tfx::runtime::{self, DType};

use crate::tensor::Tensor;

/// Returns the element type of a format of the module `struct` in the byte order of this machine.
fn dtype_of_format(format: &CStr, size: usize) -> Option<DType> {
    let kind = match format.to_bytes() {
        [kind] | [b'@' | b'=', kind] => kind,
        #[cfg(target_endian = "little")]
        [b'<', kind] => kind,
        _ => return None,
    };
    Some(match (kind, size) {
        (b'?', 1) => DType::Bool,
        (b'b', 1) => DType::I8,
        (b'h', 2) => DType::I16,
        (b'i' | b'l' | b'q', 4) => DType::I32,
        (b'i' | b'l' | b'q', 8) => DType::I64,
        (b'f', 4) => DType::F32,
        (b'd', 8) => DType::F64,
        _ => return None,
    })
}

fn format_of_dtype(dtype: DType) -> Option<&'static CStr> {
    Some(match dtype {
        DType::Bool => c"?",
        DType::I8 => c"b",
        DType::I16 => c"h",
        DType::I32 => c"i",
        DType::I64 => c"q",
        DType::F32 => c"f",
        DType::F64 => c"d",
        _ => return None,
    })
}

/// Copies an array into a tensor, of other sizes if they are given. Returns `None` if it has rank
/// 0, no buffer, elements of a type or byte order that tensors do not have, or elements that are
/// not contiguous in row-major order.
///
/// # Errors
/// The tensor does not fit into memory, or the sizes have another number of elements.
pub(crate) fn copied(
    array: &Bound<'_, PyAny>,
    sizes: Option<&[usize]>,
) -> PyResult<Option<runtime::Tensor>> {
    let Ok(buffer) = PyUntypedBuffer::get(array) else {
        return Ok(None);
    };
    let Some(dtype) = dtype_of_format(buffer.format(), buffer.item_size()) else {
        return Ok(None);
    };
    if !buffer.is_c_contiguous() {
        return Ok(None);
    }
    let bytes = match buffer.len_bytes() {
        0 => &[],
        // SAFETY: the buffer is contiguous, so its elements are `len_bytes` bytes from `buf_ptr`,
        // which stay valid until `buffer` is released. The interpreter lock is held until the bytes
        // are copied, so no code of Python changes them meanwhile.
        length => unsafe { std::slice::from_raw_parts(buffer.buf_ptr().cast::<u8>(), length) },
    };
    let tensor = runtime::Tensor::from_bytes(dtype, sizes.unwrap_or(buffer.shape()), bytes);
    tensor
        .map(Some)
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Makes a tensor of the given sizes of an array of rank 1 whose elements are contiguous.
#[pyfunction]
pub(crate) fn tensor_of(array: &Bound<'_, PyAny>, sizes: Vec<usize>) -> PyResult<Tensor> {
    match copied(array, Some(&sizes))? {
        Some(value) => Ok(Tensor { value }),
        None => Err(PyBufferError::new_err(
            "the array has no contiguous elements of a type of tensors",
        )),
    }
}

#[pymethods]
impl Tensor {
    /// Exports the elements as a contiguous, read-only view.
    unsafe fn __getbuffer__(
        this: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("a view is needed"));
        }
        if flags & ffi::PyBUF_WRITABLE == ffi::PyBUF_WRITABLE {
            return Err(PyBufferError::new_err("a tensor does not change"));
        }
        let tensor = &this.get().value;
        let format = format_of_dtype(tensor.dtype())
            .ok_or_else(|| PyBufferError::new_err("a tensor of text has no buffer"))?;
        let is_set = |flag: c_int| flags & flag == flag;
        let (buffer, length) = (tensor.bytes().as_ptr(), tensor.byte_size());
        let mut layout = Box::new(Layout::new(tensor));
        let (shape, strides) = (layout.shape.as_mut_ptr(), layout.strides.as_mut_ptr());
        let made = ffi::Py_buffer {
            buf: buffer.cast_mut().cast::<c_void>(),
            len: length as isize,
            itemsize: tensor.dtype().size() as isize,
            readonly: 1,
            ndim: tensor.rank() as c_int,
            format: match is_set(ffi::PyBUF_FORMAT) {
                true => format.as_ptr().cast_mut(),
                false => ptr::null_mut(),
            },
            shape: if is_set(ffi::PyBUF_ND) {
                shape
            } else {
                ptr::null_mut()
            },
            strides: if is_set(ffi::PyBUF_STRIDES) {
                strides
            } else {
                ptr::null_mut()
            },
            suboffsets: ptr::null_mut(),
            internal: Box::into_raw(layout).cast::<c_void>(),
            // The reference keeps the elements of the frozen tensor.
            obj: this.into_any().into_ptr(),
        };
        // SAFETY: the interpreter gives a view that can be written, and `view` is not null.
        unsafe { view.write(made) };
        Ok(())
    }

    unsafe fn __releasebuffer__(&self, view: *mut ffi::Py_buffer) {
        // SAFETY: the interpreter releases each view of `__getbuffer__` once, which has set
        // `internal` to a layout that nothing else owns.
        drop(unsafe { Box::from_raw((*view).internal.cast::<Layout>()) });
    }
}

/// The sizes and strides of a view, which live as long as it.
struct Layout {
    shape: Vec<isize>,
    /// In bytes.
    strides: Vec<isize>,
}

impl Layout {
    fn new(tensor: &runtime::Tensor) -> Self {
        let shape: Vec<isize> = tensor.shape().iter().map(|&size| size as isize).collect();
        let mut strides = vec![tensor.dtype().size() as isize; shape.len()];
        for index in (1..shape.len()).rev() {
            strides[index - 1] = strides[index] * shape[index].max(1);
        }
        Layout { shape, strides }
    }
}
