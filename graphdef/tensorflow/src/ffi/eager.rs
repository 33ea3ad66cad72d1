//! Eager execution: one operation at a time, without a graph. `sys` has no functions of
//! `eager/c_api.h` for a library that is loaded at run time.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;

use super::{Status, TensorFlow, graph::Input, sys, tensor::Tensor, text, with_status};
use crate::c_functions;

// The opaque types of `eager/c_api.h`.
enum RawContext {}
enum RawOptions {}
enum RawOperation {}
enum RawHandle {}

c_functions! {
    new_options = "TFE_NewContextOptions": fn() -> *mut RawOptions;
    delete_options = "TFE_DeleteContextOptions": fn(*mut RawOptions);
    new_context = "TFE_NewContext":
        fn(*const RawOptions, *mut sys::TF_Status) -> *mut RawContext;
    delete_context = "TFE_DeleteContext": fn(*mut RawContext);
    new_operation = "TFE_NewOp":
        fn(*mut RawContext, *const c_char, *mut sys::TF_Status) -> *mut RawOperation;
    delete_operation = "TFE_DeleteOp": fn(*mut RawOperation);
    add_input = "TFE_OpAddInput": fn(*mut RawOperation, *mut RawHandle, *mut sys::TF_Status);
    add_inputs = "TFE_OpAddInputList":
        fn(*mut RawOperation, *mut *mut RawHandle, c_int, *mut sys::TF_Status);
    set_attribute = "TFE_OpSetAttrValueProto":
        fn(*const RawOperation, *const c_char, *const c_void, usize, *mut sys::TF_Status);
    execute = "TFE_Execute":
        fn(*mut RawOperation, *mut *mut RawHandle, *mut c_int, *mut sys::TF_Status);
    new_handle = "TFE_NewTensorHandle":
        fn(*const sys::TF_Tensor, *mut sys::TF_Status) -> *mut RawHandle;
    delete_handle = "TFE_DeleteTensorHandle": fn(*mut RawHandle);
    resolve = "TFE_TensorHandleResolve":
        fn(*mut RawHandle, *mut sys::TF_Status) -> *mut sys::TF_Tensor;
}

/// The largest number of results of an operation. TensorFlow rejects an operation with more.
const MOST_RESULTS: usize = 32;

/// A context in which operations run. One thread uses it.
pub struct Context {
    tensorflow: TensorFlow,
    functions: Functions,
    raw: *mut RawContext,
}

/// An object, with the function that deletes it.
struct Owned<T> {
    raw: *mut T,
    delete: unsafe extern "C" fn(*mut T),
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: this value owns the object.
        unsafe { (self.delete)(self.raw) };
    }
}

impl Context {
    /// Creates a context.
    ///
    /// # Errors
    /// The library has no eager execution, or no usable device.
    pub fn new(tensorflow: TensorFlow) -> Result<Self, Status> {
        let functions = Functions::load(tensorflow.library);
        let functions = functions.map_err(|error| Status::internal(error.to_string()))?;
        // SAFETY: the options live through the call and are deleted once.
        let raw = unsafe {
            let options = (functions.new_options)();
            let context = with_status(|status| (functions.new_context)(options, status));
            (functions.delete_options)(options);
            context?
        };
        Ok(Context {
            tensorflow,
            functions,
            raw,
        })
    }

    /// Runs an operation. Attributes are serialized `AttrValue` messages; those that follow from
    /// the inputs may be omitted.
    ///
    /// # Errors
    /// TensorFlow rejects the operation, or its kernel fails.
    pub fn run(
        &self,
        operation: &str,
        inputs: &[Input<'_, Tensor>],
        attributes: &[(&str, Vec<u8>)],
    ) -> Result<Vec<Tensor>, Status> {
        let functions = &self.functions;
        let name = text(operation)?;
        let operation = Owned {
            // SAFETY: the context and the name live through the call.
            raw: with_status(|status| unsafe {
                (functions.new_operation)(self.raw, name.as_ptr(), status)
            })?,
            delete: functions.delete_operation,
        };
        let mut handles = Vec::new();
        for input in inputs {
            let (is_list, tensors) = input.parts();
            let first = handles.len();
            for tensor in tensors {
                handles.push(self.handle(tensor)?);
            }
            let mut raw: Vec<_> = handles[first..].iter().map(|handle| handle.raw).collect();
            // SAFETY: the handles live until the operation has run, and the list has this length.
            with_status(|status| unsafe {
                if is_list {
                    let count = raw.len() as c_int;
                    (functions.add_inputs)(operation.raw, raw.as_mut_ptr(), count, status);
                } else {
                    (functions.add_input)(operation.raw, raw[0], status);
                }
            })?;
        }
        for (name, value) in attributes {
            let name = text(name)?;
            let (bytes, size) = (value.as_ptr().cast(), value.len());
            // SAFETY: the call copies the name and the bytes.
            with_status(|status| unsafe {
                (functions.set_attribute)(operation.raw, name.as_ptr(), bytes, size, status);
            })?;
        }
        let mut results = [null_mut(); MOST_RESULTS];
        let mut count = MOST_RESULTS as c_int;
        // SAFETY: the array has this length; this function owns the results.
        with_status(|status| unsafe {
            (functions.execute)(operation.raw, results.as_mut_ptr(), &raw mut count, status);
        })?;
        let results = results.iter().take(count as usize).map(|&raw| Owned {
            raw,
            delete: functions.delete_handle,
        });
        let results: Vec<_> = results.collect();
        results.iter().map(|result| self.tensor(result)).collect()
    }

    fn handle(&self, tensor: &Tensor) -> Result<Owned<RawHandle>, Status> {
        // SAFETY: the tensor lives through the call; the handle holds its buffer.
        let raw = with_status(|status| unsafe { (self.functions.new_handle)(tensor.raw, status) })?;
        Ok(Owned {
            raw,
            delete: self.functions.delete_handle,
        })
    }

    fn tensor(&self, handle: &Owned<RawHandle>) -> Result<Tensor, Status> {
        // SAFETY: the handle lives; the caller owns the tensor.
        let raw = with_status(|status| unsafe { (self.functions.resolve)(handle.raw, status) })?;
        Ok(Tensor::owning(self.tensorflow, raw))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: this value owns the context, and every handle of it is deleted.
        unsafe { (self.functions.delete_context)(self.raw) };
    }
}
