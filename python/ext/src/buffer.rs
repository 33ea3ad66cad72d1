//! The buffer protocol of Python: arrays of other libraries become tensors, and tensors arrays.
//!
//! ```text
//!   array ──PyObject_GetBuffer──> bytes ──copy──> Tensor       arrays may change, tensors do not
//!         ──memoryview──> its bytes ──> Tensor                 shared, if the program says so
//!   Tensor ──__getbuffer__──> a view of its bytes ──> array    read-only, without a copy
//! ```
//!
//! A shared array must not change: `from_dlpack` and `copy=False` ask its user to ensure it. The
//! tensor keeps a `memoryview` of the array, which locks its memory. A view holds a reference to
//! its tensor, whose elements never change: the runtime updates the elements of a tensor in place
//! only if nothing else refers to them. The unsafe code of this crate is in this module.

use std::ffi::{CStr, c_int, c_void};
use std::ptr;
use std::sync::Arc;

use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyBufferError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyMemoryView;
use tfx::runtime::ffi::dlpack::{self, DLManagedTensor};
use tfx::runtime::{self, DType, Elements, WORTH_SHARING, is_shareable};

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

/// The contiguous elements of an array, while its buffer is borrowed.
struct Contiguous {
    buffer: PyUntypedBuffer,
    dtype: DType,
}

impl Contiguous {
    /// Borrows the elements of an array. Returns `None` if it has rank 0, no buffer, elements of a
    /// type or byte order that tensors do not have, or elements that are not contiguous in
    /// row-major order.
    fn of(array: &Bound<'_, PyAny>) -> Option<Self> {
        let buffer = PyUntypedBuffer::get(array).ok()?;
        let dtype = dtype_of_format(buffer.format(), buffer.item_size())?;
        buffer
            .is_c_contiguous()
            .then_some(Contiguous { buffer, dtype })
    }

    fn bytes(&self) -> &[u8] {
        match self.buffer.len_bytes() {
            0 => &[],
            // SAFETY: the buffer is contiguous, so its elements are `len_bytes` bytes from
            // `buf_ptr`, which stay valid until `buffer` is released. The interpreter lock is held
            // while they are read, so no code of Python changes them meanwhile.
            length => unsafe {
                std::slice::from_raw_parts(self.buffer.buf_ptr().cast::<u8>(), length)
            },
        }
    }
}

/// Copies an array into a tensor. Returns `None` if its elements are not [`Contiguous`].
///
/// # Errors
/// The tensor does not fit into memory.
pub(crate) fn copied(array: &Bound<'_, PyAny>) -> PyResult<Option<runtime::Tensor>> {
    let Some(source) = Contiguous::of(array) else {
        return Ok(None);
    };
    let tensor = runtime::Tensor::from_bytes(source.dtype, source.buffer.shape(), source.bytes());
    tensor
        .map(Some)
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Makes a tensor of the given sizes of an array of rank 1 whose elements are contiguous. With
/// `share`, it uses the memory of the array, unless the elements are few.
///
/// # Errors
/// The elements are not contiguous or, to be shared, not aligned; the tensor does not fit into
/// memory.
#[pyfunction]
pub(crate) fn tensor_of(
    array: &Bound<'_, PyAny>,
    sizes: Vec<usize>,
    share: bool,
) -> PyResult<Tensor> {
    let source = Contiguous::of(array).ok_or_else(|| {
        PyBufferError::new_err("the array has no contiguous elements of a type of tensors")
    })?;
    let share = share && source.bytes().len() >= WORTH_SHARING;
    if share && !is_shareable(source.bytes()) {
        return Err(PyValueError::new_err(
            "elements that are not aligned to 16 bytes need a copy",
        ));
    }
    let value = match share {
        true => {
            let shared = Shared {
                elements: ptr::from_ref(source.bytes()),
                _view: PyMemoryView::from(array)?.unbind(),
            };
            runtime::Tensor::from_elements(source.dtype, &sizes, Arc::new(shared))
        }
        false => runtime::Tensor::from_bytes(source.dtype, &sizes, source.bytes()),
    };
    let value = value.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(Tensor { value })
}

/// The memory of an array that does not change.
struct Shared {
    elements: *const [u8],
    /// Keeps the memory. It is released with the interpreter lock, by whichever thread holds it
    /// next if this one does not.
    _view: Py<PyMemoryView>,
}

// SAFETY: all threads may read memory that nobody writes, and `Py` may be dropped by all threads.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Elements for Shared {
    fn bytes(&self) -> &[u8] {
        // SAFETY: the view exports the buffer of the array, which therefore keeps its memory, at
        // this address. The user of the array has promised not to write it.
        unsafe { &*self.elements }
    }
}

const CAPSULE: &CStr = c"dltensor";

/// Exports a tensor by DLPack without a copy, in the structure that cannot say that the elements
/// must not be written.
#[pyfunction]
pub(crate) fn unversioned_dlpack(tensor: &Bound<'_, Tensor>) -> PyResult<Py<PyAny>> {
    let managed = dlpack::export(tensor.get().value.clone())
        .map_err(|failure| PyBufferError::new_err(failure.to_string()))?;
    // SAFETY: the capsule owns the export until its consumer renames it, as DLPack specifies.
    unsafe {
        let capsule = ffi::PyCapsule_New(managed.cast(), CAPSULE.as_ptr(), Some(delete_capsule));
        Bound::from_owned_ptr_or_err(tensor.py(), capsule).map(Bound::unbind)
    }
}

unsafe extern "C" fn delete_capsule(capsule: *mut ffi::PyObject) {
    // SAFETY: the interpreter gives a capsule of `unversioned_dlpack`. Nobody has taken the export
    // if the capsule still has its name.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, CAPSULE.as_ptr()) != 0 {
            let managed = ffi::PyCapsule_GetPointer(capsule, CAPSULE.as_ptr());
            let managed = managed.cast::<DLManagedTensor>();
            if let Some(deleter) = (*managed).deleter {
                deleter(managed);
            }
        }
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
