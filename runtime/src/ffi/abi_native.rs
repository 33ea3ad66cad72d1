//! Native code of graph functions: `docs/program-image.md`, section 2.
//!
//! The code of a function takes the addresses of its arguments, of its results and of its working
//! memory. It is compiled for one element type and one shape of each argument, which each call
//! checks. The working memory is kept for later calls, one for each call that runs at the same
//! time.

use std::{
    ffi::c_char,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU8},
    },
};

use tfx_interpreter::{DType, Shape, Tensor, program::NativeFunction, tensor::shape_text};

use super::{abi_tensor::dtype, guard::slice, guard::text};
use crate::failure::Failure;

/// The type of a tensor whose sizes are known.
#[repr(C)]
pub struct TfxTensorType {
    /// The element type: TensorFlow's DataType number.
    pub dtype: i32,
    /// The number of dimensions.
    pub rank: i32,
    /// The sizes.
    pub dims: *const i64,
}

/// The code of a function, as in [`TfxNative::code`].
type Code = unsafe extern "C" fn(*const *const u8, *const *mut u8, *mut u8, *const u8);

/// The native code of a function of a graph.
#[repr(C)]
pub struct TfxNative {
    /// The name of the function in the GraphDef.
    pub function: *const c_char,
    /// The code. It reads the arguments, writes all elements of the results, and may write to the
    /// working memory. It ends soon if `*cancelled` is not zero.
    pub code: Option<
        unsafe extern "C" fn(
            args: *const *const u8,
            results: *const *mut u8,
            memory: *mut u8,
            cancelled: *const u8,
        ),
    >,
    /// The size of the working memory in bytes; it is aligned to 64 bytes.
    pub memory: u64,
    /// The number of arguments.
    pub num_args: i32,
    /// The number of results.
    pub num_results: i32,
    /// The types of the arguments.
    pub args: *const TfxTensorType,
    /// The types of the results.
    pub results: *const TfxTensorType,
}

/// The native code of a function, which the executor calls.
#[derive(Debug)]
pub(crate) struct Native {
    code: Code,
    memory: usize,
    arguments: Vec<(DType, Shape)>,
    results: Vec<(DType, Shape)>,
    /// Working memory of calls that have ended.
    pool: Mutex<Vec<Tensor>>,
}

impl PartialEq for Native {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.code, other.code)
            && self.memory == other.memory
            && self.arguments == other.arguments
            && self.results == other.results
    }
}

impl Native {
    /// Returns the code that an image describes, and the name of its function.
    ///
    /// # Safety
    /// `raw` is a description as in the contract; its code exists as long as the result.
    pub(super) unsafe fn read(raw: &TfxNative) -> Result<(String, Arc<Self>), Failure> {
        // SAFETY: the contract promises each pointer together with its count.
        unsafe {
            let name = text(raw.function);
            let (Some(name), Some(code)) = (name, raw.code) else {
                return Err(Failure::new("native code has no name or no address"));
            };
            let native = Native {
                code,
                memory: usize::try_from(raw.memory).unwrap_or(usize::MAX),
                arguments: types(raw.args, raw.num_args)?,
                results: types(raw.results, raw.num_results)?,
                pool: Mutex::default(),
            };
            Ok((name, Arc::new(native)))
        }
    }

    /// Takes working memory from the pool, or new memory.
    fn working_memory(&self) -> Result<Tensor, String> {
        let pooled = self
            .pool
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        match pooled {
            Some(memory) => Ok(memory),
            None => Tensor::zeros(DType::U8, &[self.memory]).map_err(|error| error.to_string()),
        }
    }

    fn check(&self, arguments: &[Tensor]) -> Result<(), String> {
        if arguments.len() != self.arguments.len() {
            let expected = self.arguments.len();
            return Err(format!(
                "expected {expected} arguments, got {}",
                arguments.len()
            ));
        }
        for (number, (argument, (dtype, shape))) in
            arguments.iter().zip(&self.arguments).enumerate()
        {
            if argument.dtype() != *dtype || argument.shape() != &shape[..] {
                return Err(format!(
                    "expected {dtype} of shape {} as input {number}, got {} of shape {}",
                    shape_text(shape),
                    argument.dtype(),
                    shape_text(argument.shape())
                ));
            }
        }
        Ok(())
    }
}

/// # Safety
/// `types` points to `count` types as in the contract.
unsafe fn types(types: *const TfxTensorType, count: i32) -> Result<Vec<(DType, Shape)>, Failure> {
    // SAFETY: as promised by the caller.
    let types = unsafe { slice(types, count.into()) };
    let read = |raw: &TfxTensorType| {
        // SAFETY: the contract promises `rank` sizes.
        let sizes = unsafe { slice(raw.dims, raw.rank.into()) };
        let size = |&size: &i64| usize::try_from(size).unwrap_or(0);
        Ok((dtype(raw.dtype)?, sizes.iter().map(size).collect()))
    };
    types.iter().map(read).collect()
}

impl NativeFunction for Native {
    fn run(&self, arguments: &[Tensor], cancelled: &AtomicBool) -> Result<Vec<Tensor>, String> {
        self.check(arguments)?;
        let zeros = |(dtype, shape): &(DType, Shape)| Tensor::zeros(*dtype, shape);
        let results: Result<Vec<_>, _> = self.results.iter().map(zeros).collect();
        let mut results = results.map_err(|error| error.to_string())?;
        let mut memory = self.working_memory()?;
        let inputs: Vec<*const u8> = arguments
            .iter()
            .map(|tensor| tensor.bytes().as_ptr())
            .collect();
        let outputs: Vec<*mut u8> = results.iter_mut().map(writable).collect();
        let working = writable(&mut memory);
        // SAFETY: the arguments have the types that the code was compiled for, the results and the
        // working memory their sizes, and nothing else refers to their elements. An `AtomicBool` is
        // a byte that is 0 for false.
        unsafe {
            let flag: *const AtomicBool = cancelled;
            (self.code)(
                inputs.as_ptr(),
                outputs.as_ptr(),
                working,
                flag.cast::<AtomicU8>().cast(),
            );
        }
        self.pool
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(memory);
        Ok(results)
    }
}

/// Returns the address of the elements of a new tensor.
fn writable(tensor: &mut Tensor) -> *mut u8 {
    tensor
        .bytes_mut()
        .map_or(std::ptr::null_mut(), |bytes| bytes.as_mut_ptr())
}
