//! TensorFlow, one operation at a time: the eager part of its C API.
//!
//! All `unsafe` of these tests is here. Contract: every pointer comes from TensorFlow, is used while its owner lives, and is deleted once, by the owner's
//! `Drop`. One thread uses a context.

use std::ffi::{CStr, CString, c_char, c_int, c_uchar, c_void};
use std::ptr;

use prost::Message;
use tfx_graphdef::proto::{AttrValue, attr_value::Value};
use tfx_graphdef::{c_functions, library, opaque};
use tfx_interpreter::{DType, Tensor};

opaque!(
    RawContext,
    RawContextOptions,
    RawOp,
    RawHandle,
    RawTensor,
    RawStatus
);

c_functions! {
    new_status = "TF_NewStatus": fn() -> *mut RawStatus;
    delete_status = "TF_DeleteStatus": fn(*mut RawStatus);
    code = "TF_GetCode": fn(*const RawStatus) -> c_int;
    message = "TF_Message": fn(*const RawStatus) -> *const c_char;
    new_context_options = "TFE_NewContextOptions": fn() -> *mut RawContextOptions;
    delete_context_options = "TFE_DeleteContextOptions": fn(*mut RawContextOptions);
    new_context = "TFE_NewContext": fn(*const RawContextOptions, *mut RawStatus) -> *mut RawContext;
    delete_context = "TFE_DeleteContext": fn(*mut RawContext);
    new_op = "TFE_NewOp": fn(*mut RawContext, *const c_char, *mut RawStatus) -> *mut RawOp;
    delete_op = "TFE_DeleteOp": fn(*mut RawOp);
    add_input = "TFE_OpAddInput": fn(*mut RawOp, *mut RawHandle, *mut RawStatus);
    add_inputs = "TFE_OpAddInputList": fn(*mut RawOp, *mut *mut RawHandle, c_int, *mut RawStatus);
    set_attribute = "TFE_OpSetAttrValueProto": fn(*const RawOp, *const c_char, *const c_void, usize, *mut RawStatus);
    execute = "TFE_Execute": fn(*mut RawOp, *mut *mut RawHandle, *mut c_int, *mut RawStatus);
    new_handle = "TFE_NewTensorHandle": fn(*const RawTensor, *mut RawStatus) -> *mut RawHandle;
    delete_handle = "TFE_DeleteTensorHandle": fn(*mut RawHandle);
    resolve = "TFE_TensorHandleResolve": fn(*mut RawHandle, *mut RawStatus) -> *mut RawTensor;
    allocate = "TF_AllocateTensor": fn(c_int, *const i64, c_int, usize) -> *mut RawTensor;
    delete_tensor = "TF_DeleteTensor": fn(*mut RawTensor);
    tensor_type = "TF_TensorType": fn(*const RawTensor) -> c_int;
    tensor_rank = "TF_NumDims": fn(*const RawTensor) -> c_int;
    tensor_dimension = "TF_Dim": fn(*const RawTensor, c_int) -> i64;
    tensor_bytes = "TF_TensorByteSize": fn(*const RawTensor) -> usize;
    tensor_data = "TF_TensorData": fn(*const RawTensor) -> *mut c_void;
}

/// The most results that an operation of the tests has.
const MOST_RESULTS: usize = 32;

/// One call: an operation, its inputs (an argument that is a list has several), and the attributes that do not follow from them.
pub(crate) struct Call<'c> {
    pub(crate) op: &'c str,
    pub(crate) inputs: &'c [Tensor],
    /// For each argument, how many inputs it has; `None` if it is no list.
    pub(crate) arguments: &'c [Option<usize>],
    pub(crate) attributes: &'c [(&'static str, Value)],
}

/// TensorFlow, loaded, with a context to run in.
pub(crate) struct Eager {
    functions: Functions,
    context: *mut RawContext,
    status: Status,
}

impl Drop for Eager {
    fn drop(&mut self) {
        // SAFETY: the context is this value's own.
        unsafe { (self.functions.delete_context)(self.context) };
    }
}

/// Where TensorFlow says what went wrong.
struct Status {
    raw: *mut RawStatus,
    delete: unsafe extern "C" fn(*mut RawStatus),
}

impl Drop for Status {
    fn drop(&mut self) {
        // SAFETY: the status is this value's own.
        unsafe { (self.delete)(self.raw) };
    }
}

/// Something of TensorFlow's, with what deletes it.
struct Owned<T> {
    raw: *mut T,
    delete: unsafe extern "C" fn(*mut T),
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        if !self.raw.is_null() {
            // SAFETY: it is this value's own.
            unsafe { (self.delete)(self.raw) };
        }
    }
}

impl Eager {
    /// Loads TensorFlow; why not, where it is not there.
    pub(crate) fn new() -> Result<Self, String> {
        let functions = library::open()
            .and_then(Functions::load)
            .map_err(|error| error.to_string())?;
        // SAFETY: the options are deleted once, and the context and the status belong to the new value.
        let (context, status) = unsafe {
            let status = Status {
                raw: (functions.new_status)(),
                delete: functions.delete_status,
            };
            let options = (functions.new_context_options)();
            let context = (functions.new_context)(options, status.raw);
            (functions.delete_context_options)(options);
            (context, status)
        };
        let eager = Eager {
            functions,
            context,
            status,
        };
        eager.check()?;
        Ok(eager)
    }

    /// What the last function said.
    fn check(&self) -> Result<(), String> {
        // SAFETY: the status is alive, and its message lives until the next function that takes it.
        unsafe {
            match (self.functions.code)(self.status.raw) {
                0 => Ok(()),
                _ => Err(CStr::from_ptr((self.functions.message)(self.status.raw))
                    .to_string_lossy()
                    .into_owned()),
            }
        }
    }

    /// Runs one operation.
    pub(crate) fn run(&self, call: &Call<'_>) -> Result<Vec<Tensor>, String> {
        let Functions {
            new_op,
            delete_op,
            add_input,
            add_inputs,
            set_attribute,
            execute,
            delete_handle,
            ..
        } = self.functions;
        let status = self.status.raw;
        let name = CString::new(call.op).map_err(|error| error.to_string())?;
        let op = Owned {
            // SAFETY: the name ends with a zero and lives as long as the call.
            raw: unsafe { new_op(self.context, name.as_ptr(), status) },
            delete: delete_op,
        };
        self.check()?;
        let handles: Vec<_> = (call.inputs.iter())
            .map(|input| self.handle(input))
            .collect::<Result<_, _>>()?;
        let mut raw: Vec<_> = handles.iter().map(|handle| handle.raw).collect();
        let mut next = 0;
        for argument in call.arguments {
            // SAFETY: the handles live until the operation has run, and a list has as many as it says, which slicing checks.
            unsafe {
                match *argument {
                    Some(count) => {
                        let list = &mut raw[next..next + count];
                        add_inputs(op.raw, list.as_mut_ptr(), count as c_int, status);
                        next += count;
                    }
                    None => {
                        add_input(op.raw, raw[next], status);
                        next += 1;
                    }
                }
            }
            self.check()?;
        }
        for (name, value) in call.attributes {
            let name = CString::new(*name).map_err(|error| error.to_string())?;
            let value = AttrValue {
                value: Some(value.clone()),
            };
            let bytes = value.encode_to_vec();
            // SAFETY: the bytes are as many as is said, and both are copied.
            unsafe {
                set_attribute(
                    op.raw,
                    name.as_ptr(),
                    bytes.as_ptr().cast(),
                    bytes.len(),
                    status,
                );
            }
            self.check()?;
        }
        let mut results = [ptr::null_mut(); MOST_RESULTS];
        let mut count = MOST_RESULTS as c_int;
        // SAFETY: there is room for as many results as is said.
        unsafe { execute(op.raw, results.as_mut_ptr(), &raw mut count, status) };
        self.check()?;
        let results = results.iter().take(count as usize).map(|&raw| Owned {
            raw,
            delete: delete_handle,
        });
        let results: Vec<_> = results.collect();
        results.iter().map(|result| self.tensor(result)).collect()
    }

    fn handle(&self, tensor: &Tensor) -> Result<Owned<RawHandle>, String> {
        let sizes: Vec<i64> = tensor.shape().iter().map(|&size| size as i64).collect();
        let bytes = tensor.bytes();
        // SAFETY: the memory is as large as the bytes, which do not overlap it; the tensor is deleted once, and the handle holds its memory.
        unsafe {
            let raw = Owned {
                raw: (self.functions.allocate)(
                    tensor.dtype().tensorflow(),
                    sizes.as_ptr(),
                    sizes.len() as c_int,
                    bytes.len(),
                ),
                delete: self.functions.delete_tensor,
            };
            let data = (self.functions.tensor_data)(raw.raw).cast::<c_uchar>();
            if !bytes.is_empty() {
                ptr::copy_nonoverlapping(bytes.as_ptr(), data, bytes.len());
            }
            let handle = (self.functions.new_handle)(raw.raw, self.status.raw);
            self.check()?;
            Ok(Owned {
                raw: handle,
                delete: self.functions.delete_handle,
            })
        }
    }

    fn tensor(&self, handle: &Owned<RawHandle>) -> Result<Tensor, String> {
        // SAFETY: the handle is alive; the tensor is deleted once, after its bytes were copied, which are as many as it says.
        unsafe {
            let raw = Owned {
                raw: (self.functions.resolve)(handle.raw, self.status.raw),
                delete: self.functions.delete_tensor,
            };
            self.check()?;
            let shape: Vec<usize> = (0..(self.functions.tensor_rank)(raw.raw))
                .map(|index| (self.functions.tensor_dimension)(raw.raw, index) as usize)
                .collect();
            let dtype = DType::from_tensorflow((self.functions.tensor_type)(raw.raw))
                .ok_or("a result of another type")?;
            // A tensor without elements need not have a buffer, whose address and size could be asked for.
            let bytes = match shape.contains(&0) {
                true => &[],
                false => std::slice::from_raw_parts(
                    (self.functions.tensor_data)(raw.raw).cast::<u8>(),
                    (self.functions.tensor_bytes)(raw.raw),
                ),
            };
            Tensor::from_bytes(dtype, &shape, bytes).map_err(|error| error.to_string())
        }
    }
}
