//! Calls of compiled functions in this process.

use std::ffi::{CString, c_char, c_void};
use std::mem::MaybeUninit;
use std::path::PathBuf;
use std::ptr::{null, null_mut};
use std::sync::Arc;
use std::time::Duration;

use tfx::Source;
use tfx::run::{CallOptions, Cancellation, Executable, ForeignFunctions, LoadOptions};
use tfx::runtime::entry::{Parameter, type_text};
use tfx::runtime::ffi::abi_tensor::TfxTensor;
use tfx::runtime::{DType, ExecutorKind, Tensor, parallel};

use super::error::TfxError;
use super::foreign::{TfxDestructor, TfxForeignFunctions, UserData};
use super::guard::{
    Enumeration, Failed, Out, argument, array, c_string, destroy, guarded, handle, pointer, read,
    required, required_mut, text, value,
};
use super::program::{TfxProgram, optimization};

/// An executor of graphs.
#[allow(clippy::enum_variant_names, reason = "the names are those in C")]
#[derive(Clone, Copy)]
#[repr(C)]
pub enum TfxExecutor {
    /// That of the environment (`TFX_EXECUTOR`), otherwise the embedded one.
    TfxExecutorDefault = 0,
    /// The interpreter in this process.
    TfxExecutorEmbedded = 1,
    /// TensorFlow's C library, with the channels of the shim.
    TfxExecutorTensorFlow = 2,
    /// TensorFlow's C library, with its own queues as channels.
    TfxExecutorTensorFlowQueues = 3,
    /// The machine code of the program, and the interpreter for the rest.
    TfxExecutorNative = 4,
}

use TfxExecutor::*;

impl Enumeration for TfxExecutor {
    const VALUES: &'static [Self] = &[
        TfxExecutorDefault,
        TfxExecutorEmbedded,
        TfxExecutorTensorFlow,
        TfxExecutorTensorFlowQueues,
        TfxExecutorNative,
    ];
}

/// Options of `tfxProgramLoad`.
pub struct TfxLoadOptions {
    options: LoadOptions,
}

/// Creates the default options: no files, optimization level 2.
#[unsafe(no_mangle)]
pub extern "C" fn tfxLoadOptionsCreate() -> *mut TfxLoadOptions {
    handle(TfxLoadOptions {
        options: LoadOptions::default(),
    })
}

/// Sets the optimization level, from 0 to 3.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxLoadOptionsSetLevel(
    options: *mut TfxLoadOptions,
    level: u32,
) -> *mut TfxError {
    guarded(|| {
        // SAFETY: by the contract of the module.
        unsafe { required_mut(options, "options") }?.options.level = optimization(level)?;
        Ok(())
    })
}

/// Adds a file with foreign functions in C (`.c`, `.o`, `.a`, `.so`), besides those that the
/// program names.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxLoadOptionsAddFile(
    options: *mut TfxLoadOptions,
    path: *const c_char,
) -> *mut TfxError {
    guarded(|| {
        // SAFETY: by the contract of the module.
        let (of, path) = unsafe { (required_mut(options, "options")?, text(path, "path")?) };
        of.options.link.push(PathBuf::from(path));
        Ok(())
    })
}

/// Destroys the options. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxLoadOptionsDestroy(options: *mut TfxLoadOptions) {
    // SAFETY: by the contract of the module.
    unsafe { destroy(options) }
}

/// A compiled program in memory. Any number of threads may use it.
pub struct TfxExecutable {
    loaded: Arc<Loaded>,
}

struct Loaded {
    executable: Executable,
    names: Vec<CString>,
    source: Arc<Source>,
}

/// A function of an executable. Any number of threads may call it. It keeps its executable.
pub struct TfxFunction {
    loaded: Arc<Loaded>,
    name: String,
    c_name: CString,
    parameters: Vec<CString>,
    results: Vec<CString>,
}

/// Compiles a copy of a program in memory, for calls of its public functions. `functions` are its
/// foreign functions; NULL if there are none. NULL as `options` selects the defaults.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxProgramLoad(
    program: *const TfxProgram,
    functions: *const TfxForeignFunctions,
    options: *const TfxLoadOptions,
    executable: *mut *mut TfxExecutable,
) -> *mut TfxError {
    guarded(|| {
        // SAFETY: by the contract of the module.
        let (result, of, functions, options) = unsafe {
            (
                Out::new(executable, "executable")?,
                required(program, "program")?,
                functions.as_ref(),
                options.as_ref(),
            )
        };
        let program = of.program()?;
        let functions = functions.map_or_else(ForeignFunctions::new, |of_c| of_c.bind(program));
        let options = options.map_or_else(LoadOptions::default, |of| of.options.clone());
        let loaded = program.copy().load(functions, &options);
        let executable = loaded.map_err(Failed::of(of.source()))?;
        let loaded = Loaded {
            names: executable.functions().map(c_string).collect(),
            executable,
            source: Arc::clone(of.source()),
        };
        result.set(TfxExecutable {
            loaded: Arc::new(loaded),
        });
        Ok(())
    })
}

/// Returns the number of functions that can be called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxExecutableGetNumFunctions(executable: *const TfxExecutable) -> usize {
    // SAFETY: by the contract of the module.
    unsafe { read(executable, 0, |of| Some(of.loaded.names.len())) }
}

/// Returns the name of a function that can be called, or NULL. The names are sorted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxExecutableGetFunctionName(
    executable: *const TfxExecutable,
    index: usize,
) -> *const c_char {
    let name = |of: &TfxExecutable| of.loaded.names.get(index).map(|name| name.as_ptr());
    // SAFETY: by the contract of the module.
    unsafe { read(executable, null(), name) }
}

/// Returns a public function by its name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxExecutableGetFunction(
    executable: *const TfxExecutable,
    name: *const c_char,
    function: *mut *mut TfxFunction,
) -> *mut TfxError {
    guarded(|| {
        // SAFETY: by the contract of the module.
        let (result, of, name) = unsafe {
            (
                Out::new(function, "function")?,
                required(executable, "executable")?,
                text(name, "name")?,
            )
        };
        let loaded = Arc::clone(&of.loaded);
        let function = loaded.executable.function(name);
        let function = function.map_err(Failed::of(&loaded.source))?;
        let types = |parameters: &[Parameter]| -> Vec<CString> {
            parameters.iter().map(type_text).map(c_string).collect()
        };
        let (parameters, results) = (types(function.parameters()), types(function.results()));
        result.set(TfxFunction {
            loaded,
            name: name.to_owned(),
            c_name: c_string(name),
            parameters,
            results,
        });
        Ok(())
    })
}

/// Destroys an executable. Its functions keep what they need. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxExecutableDestroy(executable: *mut TfxExecutable) {
    // SAFETY: by the contract of the module.
    unsafe { destroy(executable) }
}

/// Returns the name of a function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxFunctionGetName(function: *const TfxFunction) -> *const c_char {
    // SAFETY: by the contract of the module.
    unsafe { read(function, null(), |of| Some(of.c_name.as_ptr())) }
}

/// Returns the number of parameters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxFunctionGetNumParameters(function: *const TfxFunction) -> usize {
    // SAFETY: by the contract of the module.
    unsafe { read(function, 0, |of| Some(of.parameters.len())) }
}

/// Returns the type of a parameter, such as `tensor<?xf32>` or `i64`, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxFunctionGetParameter(
    function: *const TfxFunction,
    index: usize,
) -> *const c_char {
    let ty = |of: &TfxFunction| Some(pointer(of.parameters.get(index).map(CString::as_c_str)));
    // SAFETY: by the contract of the module.
    unsafe { read(function, null(), ty) }
}

/// Returns the number of results.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxFunctionGetNumResults(function: *const TfxFunction) -> usize {
    // SAFETY: by the contract of the module.
    unsafe { read(function, 0, |of| Some(of.results.len())) }
}

/// Returns the type of a result, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxFunctionGetResult(
    function: *const TfxFunction,
    index: usize,
) -> *const c_char {
    let ty = |of: &TfxFunction| Some(pointer(of.results.get(index).map(CString::as_c_str)));
    // SAFETY: by the contract of the module.
    unsafe { read(function, null(), ty) }
}

/// Calls a function with a tensor for each parameter, a scalar as a tensor of rank 0. The arguments
/// are borrowed. Stores a tensor for each result, which the caller releases; NULL after a failure.
/// NULL as `options` selects the defaults.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxFunctionCall(
    function: *const TfxFunction,
    arguments: *const *mut TfxTensor,
    num_arguments: usize,
    results: *mut *mut TfxTensor,
    num_results: usize,
    options: *const TfxCallOptions,
) -> *mut TfxError {
    guarded(|| {
        // SAFETY: by the contract of the module.
        let (of, arguments, options) = unsafe {
            (
                required(function, "function")?,
                array(arguments, num_arguments, "arguments")?,
                options.as_ref(),
            )
        };
        // SAFETY: as above; the places may be uninitialized, so they are only written.
        let places = unsafe {
            array(
                results.cast::<MaybeUninit<*mut TfxTensor>>(),
                num_results,
                "results",
            )
        }?;
        let store = |index: usize, tensor: *mut TfxTensor| {
            debug_assert!(index < places.len());
            // SAFETY: the index is in range.
            unsafe { results.add(index).write(tensor) };
        };
        (0..places.len()).for_each(|index| store(index, null_mut()));
        if num_results != of.results.len() {
            let expected = of.results.len();
            return Err(argument(format!(
                "@{} has {expected} results, but there is space for {num_results}",
                of.name
            )));
        }
        let tensor = |(index, handle): (usize, &*mut TfxTensor)| {
            // SAFETY: by the contract of the module.
            let handle = unsafe { handle.as_ref() };
            let is_null = || argument(format!("argument {index} of @{} is NULL", of.name));
            handle
                .map(|handle| handle.tensor().clone())
                .ok_or_else(is_null)
        };
        let arguments = arguments.iter().enumerate().map(tensor);
        let arguments = arguments.collect::<Result<Vec<Tensor>, _>>()?;
        let default = CallOptions::default();
        let options = options.map_or(&default, |of| &of.options);
        let call = || {
            let function = of.loaded.executable.function(&of.name)?;
            function.call_with(&arguments, options)
        };
        let values = call().map_err(Failed::of(&of.loaded.source))?;
        for (index, value) in values.into_iter().enumerate() {
            store(index, TfxTensor::foreign_handle(value));
        }
        Ok(())
    })
}

/// Destroys a function, not before the end of its calls. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxFunctionDestroy(function: *mut TfxFunction) {
    // SAFETY: by the contract of the module.
    unsafe { destroy(function) }
}

/// Creates a tensor with a copy of `size` bytes, row-major. Unlike `tfx_tensor_from_bytes`, it
/// compares the size with the shape, and returns its failures. `dtype` is one of `TFX_F32` and so
/// on, except `TFX_STRING`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxTensorCreate(
    dtype: i32,
    rank: usize,
    dims: *const i64,
    data: *const c_void,
    size: usize,
    tensor: *mut *mut TfxTensor,
) -> *mut TfxError {
    guarded(|| {
        // SAFETY: by the contract of the module.
        let (dims, bytes) = unsafe {
            (
                array(dims, rank, "dims")?,
                array(data.cast::<u8>(), size, "data")?,
            )
        };
        if tensor.is_null() {
            return Err(argument("the argument 'tensor' is NULL"));
        }
        // SAFETY: by the contract of the module.
        unsafe { tensor.write(null_mut()) };
        let dtype = DType::from_tensorflow(dtype)
            .filter(|&dtype| dtype.crosses() && dtype != DType::String)
            .ok_or_else(|| {
                argument(format!(
                    "there is no number type {dtype}; expected one of TFX_F32 and so on"
                ))
            })?;
        let dimension = |&size: &i64| {
            usize::try_from(size)
                .map_err(|_| argument(format!("a tensor cannot have a dimension of {size}")))
        };
        let shape = dims.iter().map(dimension).collect::<Result<Vec<_>, _>>()?;
        let zeros = Tensor::zeros(dtype, &shape).map_err(|error| argument(error.to_string()))?;
        let mut value = zeros.aligned();
        let elements = value.bytes_mut().unwrap_or_default();
        if elements.len() != size {
            let expected = elements.len();
            return Err(argument(format!(
                "a tensor of this shape has {expected} bytes, but got {size}"
            )));
        }
        elements.copy_from_slice(bytes);
        // SAFETY: as above.
        unsafe { tensor.write(TfxTensor::foreign_handle(value)) };
        Ok(())
    })
}

/// Receives what a program prints, on any thread: a line with its end, followed by a zero.
pub type TfxOutput =
    Option<unsafe extern "C" fn(data: *mut c_void, line: *const c_char, size: usize)>;

/// Options of calls. Calls on several threads may share them.
pub struct TfxCallOptions {
    options: CallOptions,
}

/// Creates the default options.
#[unsafe(no_mangle)]
pub extern "C" fn tfxCallOptionsCreate() -> *mut TfxCallOptions {
    handle(TfxCallOptions {
        options: CallOptions::default(),
    })
}

/// Selects the executor of the graphs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxCallOptionsSetExecutor(
    options: *mut TfxCallOptions,
    executor: MaybeUninit<TfxExecutor>,
) -> *mut TfxError {
    guarded(|| {
        // SAFETY: by the contract of the module.
        let of = unsafe { required_mut(options, "options") }?;
        of.options.executor = match value(executor, "executor")? {
            TfxExecutorDefault => None,
            TfxExecutorEmbedded => Some(ExecutorKind::Embedded),
            TfxExecutorTensorFlow => Some(ExecutorKind::TensorFlow),
            TfxExecutorTensorFlowQueues => Some(ExecutorKind::TensorFlowQueues),
            TfxExecutorNative => Some(ExecutorKind::Native),
        };
        Ok(())
    })
}

/// Sends the lines that a program prints to a callback; NULL selects standard output. The options
/// take `data` over, also after a failure: `destructor` (which may be NULL) is called when neither
/// they nor a call uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxCallOptionsSetOutput(
    options: *mut TfxCallOptions,
    output: TfxOutput,
    data: *mut c_void,
    destructor: TfxDestructor,
) -> *mut TfxError {
    guarded(|| {
        let data = UserData::new(data, destructor);
        // SAFETY: by the contract of the module.
        let of = unsafe { required_mut(options, "options") }?;
        let Some(output) = output else {
            of.options.output = None;
            return Ok(());
        };
        let write = move |line: &str| {
            let (data, line) = (&data, c_string(line));
            // SAFETY: the caller has given the function with this type.
            unsafe { output(data.data, line.as_ptr(), line.as_bytes().len()) };
        };
        of.options.output = Some(Arc::new(write));
        Ok(())
    })
}

/// Lets `cancellation` cancel the calls; NULL removes it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxCallOptionsSetCancellation(
    options: *mut TfxCallOptions,
    cancellation: *const TfxCancellation,
) -> *mut TfxError {
    guarded(|| {
        // SAFETY: by the contract of the module.
        let (of, cancellation) =
            unsafe { (required_mut(options, "options")?, cancellation.as_ref()) };
        of.options.cancellation = cancellation.map(|of| of.cancellation.clone());
        Ok(())
    })
}

/// Cancels each call after a time; 0 removes the limit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxCallOptionsSetTimeLimit(
    options: *mut TfxCallOptions,
    milliseconds: u64,
) -> *mut TfxError {
    guarded(|| {
        // SAFETY: by the contract of the module.
        let of = unsafe { required_mut(options, "options") }?;
        let limit = (milliseconds > 0).then(|| Duration::from_millis(milliseconds));
        of.options.time_limit = limit;
        Ok(())
    })
}

/// Destroys the options. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxCallOptionsDestroy(options: *mut TfxCallOptions) {
    // SAFETY: by the contract of the module.
    unsafe { destroy(options) }
}

/// Sets the number of threads that run the native code of a graph in this process, from 1 to 1024.
/// It does not change the results. The default is that of the environment (`TFX_THREADS`),
/// otherwise one for each processor.
#[unsafe(no_mangle)]
pub extern "C" fn tfxSetThreads(threads: usize) -> *mut TfxError {
    guarded(|| {
        let threads = parallel::parse_threads(&threads.to_string())
            .map_err(|error| argument(error.to_string()))?;
        parallel::set_threads(threads);
        Ok(())
    })
}

/// A handle that cancels calls. Any thread may use it.
pub struct TfxCancellation {
    cancellation: Cancellation,
}

/// Creates a handle, which no call has.
#[unsafe(no_mangle)]
pub extern "C" fn tfxCancellationCreate() -> *mut TfxCancellation {
    handle(TfxCancellation {
        cancellation: Cancellation::new(),
    })
}

/// Cancels all calls that have this handle, and all later ones. Does not wait for their ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxCancellationCancel(
    cancellation: *const TfxCancellation,
) -> *mut TfxError {
    guarded(|| {
        // SAFETY: by the contract of the module.
        let of = unsafe { required(cancellation, "cancellation") }?;
        of.cancellation.cancel();
        Ok(())
    })
}

/// Returns true if the handle has cancelled its calls.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxCancellationIsCancelled(cancellation: *const TfxCancellation) -> bool {
    let is_cancelled = |of: &TfxCancellation| Some(of.cancellation.is_cancelled());
    // SAFETY: by the contract of the module.
    unsafe { read(cancellation, false, is_cancelled) }
}

/// Destroys a handle. Calls and options that have it keep what they need. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxCancellationDestroy(cancellation: *mut TfxCancellation) {
    // SAFETY: by the contract of the module.
    unsafe { destroy(cancellation) }
}
