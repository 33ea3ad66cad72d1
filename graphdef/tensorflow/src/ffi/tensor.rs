//! Tensors: elements lent to TensorFlow, and elements read where TensorFlow has them.

use std::ffi::{c_int, c_void};
use std::mem::{transmute, zeroed};
use std::slice;

use super::{Status, TensorFlow, sys};
use crate::counts::{Counted, LENT, TENSORS};

use sys::TF_DataType::{TF_FLOAT, TF_RESOURCE, TF_STRING, TF_UINT64, TF_VARIANT};

/// A tensor of TensorFlow.
pub struct Tensor {
    tensorflow: TensorFlow,
    pub(super) raw: *mut sys::TF_Tensor,
    _counted: Counted,
}

// SAFETY: TensorFlow counts the users of a buffer with an atomic counter, on whichever thread.
unsafe impl Send for Tensor {}
// SAFETY: as above; nothing writes the elements of a tensor once it exists.
unsafe impl Sync for Tensor {}

/// Elements that TensorFlow borrows: a queue may hold them long after the run that they were fed
/// to.
struct Lent<T> {
    elements: T,
    _counted: Counted,
}

/// Ends a loan.
unsafe extern "C" fn give_back<T>(_: *mut c_void, _: usize, lent: *mut c_void) {
    // SAFETY: created by `Tensor::borrowing`; TensorFlow calls this once.
    drop(unsafe { Box::from_raw(lent.cast::<Lent<T>>()) });
}

/// Strings in TensorFlow's representation.
struct Strings(Vec<sys::TF_TString>);

// SAFETY: the strings own their memory.
unsafe impl Send for Strings {}

impl Drop for Strings {
    fn drop(&mut self) {
        for string in &mut self.0 {
            // SAFETY: initialized by `Tensor::from_strings`, and freed once.
            unsafe { sys::TF_StringDealloc(string) };
        }
    }
}

/// Returns whether the elements of a type are plain bytes.
fn is_plain(data_type: c_int) -> bool {
    [TF_STRING, TF_RESOURCE, TF_VARIANT]
        .iter()
        .all(|&other| other as c_int != data_type)
}

/// Returns a type that `sys` knows.
fn known(data_type: i32) -> Option<sys::TF_DataType> {
    let range = TF_FLOAT as i32..=TF_UINT64 as i32;
    // SAFETY: the enumeration has a variant for every number of the range.
    range
        .contains(&data_type)
        .then(|| unsafe { transmute::<i32, sys::TF_DataType>(data_type) })
}

/// Returns the number of elements of these sizes.
fn count(sizes: &[i64]) -> Option<usize> {
    let mut sizes = sizes.iter().map(|&size| usize::try_from(size).ok());
    sizes.try_fold(1usize, |product, size| product.checked_mul(size?))
}

impl Tensor {
    /// Creates a tensor of plain elements that TensorFlow borrows until it needs them no more. It
    /// copies elements that are not aligned to 64 bytes.
    ///
    /// # Errors
    /// The type is not plain, or the elements are not as many as the sizes say.
    pub fn lend(
        tensorflow: TensorFlow,
        data_type: i32,
        sizes: &[i64],
        elements: impl AsRef<[u8]> + Send + Sync + 'static,
    ) -> Result<Self, Status> {
        let r#type = known(data_type).filter(|_| is_plain(data_type));
        let r#type = r#type
            .ok_or_else(|| Status::internal(format!("type {data_type} has no plain elements")))?;
        // SAFETY: the function takes any type.
        let size = unsafe { sys::TF_DataTypeSize(r#type) };
        // TensorFlow does not write into memory that it borrows.
        Tensor::borrowing(tensorflow, r#type, size, sizes, elements, |elements| {
            let bytes = elements.as_ref();
            (bytes.as_ptr().cast(), bytes.len())
        })
    }

    /// Creates a tensor with copies of strings.
    ///
    /// # Errors
    /// The strings are not as many as the sizes say.
    pub fn from_strings(
        tensorflow: TensorFlow,
        sizes: &[i64],
        strings: &[impl AsRef<[u8]>],
    ) -> Result<Self, Status> {
        let copied = strings.iter().map(|string| {
            let string = string.as_ref();
            // SAFETY: zeros are a valid value for the fields, which are numbers and pointers;
            // `TF_StringInit` makes them an empty string. A string may be moved.
            unsafe {
                let mut raw = zeroed();
                sys::TF_StringInit(&mut raw);
                sys::TF_StringCopy(&mut raw, string.as_ptr().cast(), string.len());
                raw
            }
        });
        let copied = Strings(copied.collect());
        let size = size_of::<sys::TF_TString>();
        Tensor::borrowing(tensorflow, TF_STRING, size, sizes, copied, |strings| {
            (strings.0.as_ptr().cast(), size_of_val(&*strings.0))
        })
    }

    /// Lends elements of `element_size` bytes each. `memory` returns their address and how many
    /// bytes there are.
    fn borrowing<T: Send + 'static>(
        tensorflow: TensorFlow,
        data_type: sys::TF_DataType,
        element_size: usize,
        sizes: &[i64],
        elements: T,
        memory: impl FnOnce(&T) -> (*const c_void, usize),
    ) -> Result<Self, Status> {
        let lent = Box::into_raw(Box::new(Lent {
            elements,
            _counted: Counted::new(&LENT),
        }));
        // SAFETY: nobody else has the box.
        let (first, size) = memory(unsafe { &(*lent).elements });
        if count(sizes).and_then(|count| count.checked_mul(element_size)) != Some(size) {
            // SAFETY: as above; TensorFlow has not borrowed it.
            drop(unsafe { Box::from_raw(lent) });
            let number = data_type as i32;
            return Err(Status::internal(format!(
                "{size} bytes for a tensor of sizes {sizes:?} and type {number}"
            )));
        }
        // SAFETY: the elements do not move and are not dropped until TensorFlow calls `give_back`.
        // TensorFlow calls it once, also where it copies the elements or returns no tensor.
        let raw = unsafe {
            sys::TF_NewTensor(
                data_type,
                sizes.as_ptr(),
                sizes.len() as c_int,
                first.cast_mut(),
                size,
                Some(give_back::<T>),
                lent.cast(),
            )
        };
        if raw.is_null() {
            return Err(Status::internal(format!(
                "no memory for a tensor of {size} bytes"
            )));
        }
        Ok(Tensor::owning(tensorflow, raw))
    }

    /// Takes ownership.
    pub(super) fn owning(tensorflow: TensorFlow, raw: *mut sys::TF_Tensor) -> Self {
        Tensor {
            tensorflow,
            raw,
            _counted: Counted::new(&TENSORS),
        }
    }

    /// Takes ownership of a `TF_Tensor`.
    ///
    /// # Safety
    /// `raw` is a `TF_Tensor` that nobody else owns and whose elements nobody writes.
    pub unsafe fn from_raw(tensorflow: TensorFlow, raw: *mut c_void) -> Self {
        Tensor::owning(tensorflow, raw.cast())
    }

    /// Returns the `TF_Tensor`, which this tensor keeps.
    pub fn as_raw(&self) -> *mut c_void {
        self.raw.cast()
    }

    /// Returns the number of the element type.
    pub fn data_type(&self) -> i32 {
        // SAFETY: the tensor lives.
        unsafe { (self.tensorflow.functions.tensor_type)(self.raw) }
    }

    /// Returns the size of each dimension.
    pub fn sizes(&self) -> Vec<usize> {
        // SAFETY: the tensor lives, and has as many dimensions as its rank.
        unsafe {
            let rank = sys::TF_NumDims(self.raw);
            let size = |dimension| sys::TF_Dim(self.raw, dimension) as usize;
            (0..rank).map(size).collect()
        }
    }

    /// Returns the number of elements and the address of the first one; no elements if they are not
    /// of such a kind. A tensor without elements may have no buffer, and TensorFlow dereferences
    /// the pointer to the buffer in every function that returns its address or size.
    fn elements(&self, is_kind: impl FnOnce(c_int) -> bool) -> Option<(usize, *const c_void)> {
        // SAFETY: the tensor lives, and has a buffer if it has elements.
        unsafe {
            let count = sys::TF_TensorElementCount(self.raw) as usize;
            let is_there = count > 0 && is_kind(self.data_type());
            is_there.then(|| (count, sys::TF_TensorData(self.raw).cast_const()))
        }
    }

    /// Returns the elements as bytes; none if they are not plain.
    pub fn bytes(&self) -> &[u8] {
        let Some((_, first)) = self.elements(is_plain) else {
            return &[];
        };
        // SAFETY: the buffer has this many bytes, which live as long as the tensor.
        unsafe { slice::from_raw_parts(first.cast(), sys::TF_TensorByteSize(self.raw)) }
    }

    /// Returns copies of the elements if they are strings.
    pub fn strings(&self) -> Vec<Vec<u8>> {
        let Some((count, first)) = self.elements(|data_type| data_type == TF_STRING as c_int)
        else {
            return Vec::new();
        };
        let first = first.cast::<sys::TF_TString>();
        // SAFETY: the buffer has this many strings, whose bytes TensorFlow's functions return.
        let copy = |index| unsafe {
            let string = first.add(index);
            let (start, size) = (
                sys::TF_StringGetDataPointer(string),
                sys::TF_StringGetSize(string),
            );
            // An empty string may have no address.
            match size {
                0 => Vec::new(),
                _ => slice::from_raw_parts(start.cast::<u8>(), size).to_vec(),
            }
        };
        (0..count).map(copy).collect()
    }
}

impl Drop for Tensor {
    fn drop(&mut self) {
        // SAFETY: this value owns the tensor; TensorFlow counts its own uses of the buffer.
        unsafe { sys::TF_DeleteTensor(self.raw) }
    }
}
