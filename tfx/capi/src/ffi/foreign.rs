//! Foreign functions of a program that are callbacks of the process.
//!
//! ```text
//!   compiled code ──► ForeignFunctions::add_dynamic ──► Callback::run ──► TfxForeignFunction
//!                     tensors                           handles           C, with its own data
//! ```
//!
//! The arguments are borrowed for the call, the results are owned by the caller. Executables share
//! the callbacks with the list, so each may be destroyed first.

use std::collections::BTreeMap;
use std::ffi::{c_char, c_void};
use std::ptr::null_mut;
use std::sync::Arc;

use tfx::Program;
use tfx::ir::module;
use tfx::ir::ops::func;
use tfx::run::ForeignFunctions;
use tfx::runtime::Tensor;
use tfx::runtime::ffi::abi_function::ForeignError;
use tfx::runtime::ffi::abi_tensor::{TfxTensor, tfx_tensor_release};

use super::error::TfxError;
use super::guard::{argument, destroy, guarded, handle, required_mut, text};

/// A foreign function. The arguments are borrowed. It stores an owned tensor for each result, and
/// returns NULL; or it returns an error, and the results are released. It may be called by several
/// threads at once. A C++ exception must not leave it.
pub type TfxForeignFunction = Option<
    unsafe extern "C-unwind" fn(
        data: *mut c_void,
        arguments: *const *mut TfxTensor,
        num_arguments: usize,
        results: *mut *mut TfxTensor,
        num_results: usize,
    ) -> *mut TfxError,
>;

/// A function that is called once, when nothing uses `data` any more, on any thread.
pub type TfxDestructor = Option<unsafe extern "C" fn(data: *mut c_void)>;

/// Data of the user, with its destructor.
pub(super) struct UserData {
    pub(super) data: *mut c_void,
    destructor: TfxDestructor,
}

// SAFETY: the header permits any thread to use the data.
unsafe impl Send for UserData {}
// SAFETY: as above.
unsafe impl Sync for UserData {}

impl UserData {
    pub(super) fn new(data: *mut c_void, destructor: TfxDestructor) -> Self {
        Self { data, destructor }
    }
}

impl Drop for UserData {
    fn drop(&mut self) {
        if let Some(destructor) = self.destructor {
            // SAFETY: the caller permits one call, when the data is no longer used.
            unsafe { destructor(self.data) };
        }
    }
}

/// A foreign function with its data.
struct Callback {
    function: unsafe extern "C-unwind" fn(
        *mut c_void,
        *const *mut TfxTensor,
        usize,
        *mut *mut TfxTensor,
        usize,
    ) -> *mut TfxError,
    data: UserData,
}

/// Handles that are released at the end, also if a callback unwinds.
struct Handles(Vec<*mut TfxTensor>);

impl Drop for Handles {
    fn drop(&mut self) {
        for &handle in &self.0 {
            // SAFETY: NULL, or a handle that this list owns.
            unsafe { tfx_tensor_release(handle) };
        }
    }
}

impl Callback {
    /// Calls the function, and returns `count` results.
    fn run(&self, arguments: &[Tensor], count: usize) -> Result<Vec<Tensor>, ForeignError> {
        let handles = arguments.iter().cloned().map(TfxTensor::foreign_handle);
        let arguments = Handles(handles.collect());
        let mut results = Handles(vec![null_mut(); count]);
        // SAFETY: the caller has given the function with this type; both arrays have as many
        // elements as their counts.
        let error = unsafe {
            (self.function)(
                self.data.data,
                arguments.0.as_ptr(),
                arguments.0.len(),
                results.0.as_mut_ptr(),
                count,
            )
        };
        // SAFETY: NULL, or an error that the function gives away.
        if let Some(error) = unsafe { error.as_mut() } {
            let message = error.message();
            // SAFETY: as above.
            unsafe { destroy(error) };
            return Err(message.into());
        }
        let tensor = |(index, handle): (usize, &*mut TfxTensor)| {
            // SAFETY: NULL, or a handle that the function gives away; it lives as long as the list.
            let handle = unsafe { handle.as_ref() };
            let missing = || format!("it returned NULL as result {index}").into();
            handle
                .map(|handle| handle.tensor().clone())
                .ok_or_else(missing)
        };
        results.0.iter().enumerate().map(tensor).collect()
    }
}

/// The foreign functions of a program that are callbacks, by name.
pub struct TfxForeignFunctions {
    callbacks: BTreeMap<String, Arc<Callback>>,
}

impl TfxForeignFunctions {
    /// Returns the functions with the numbers of results that a program declares.
    pub(super) fn bind(&self, program: &Program<'_>) -> ForeignFunctions {
        let declared: BTreeMap<_, _> = module::as_op(program.module())
            .children()
            .filter_map(func::Func::cast)
            .map(|function| (function.sym_name(), function.signature().1.len()))
            .collect();
        let mut functions = ForeignFunctions::new();
        for (name, callback) in &self.callbacks {
            let callback = Arc::clone(callback);
            // `load` reports a function that the program does not declare.
            let count = declared.get(name.as_str()).copied().unwrap_or(0);
            functions.add_dynamic(name, move |arguments| callback.run(arguments, count));
        }
        functions
    }
}

/// Creates an empty list.
#[unsafe(no_mangle)]
pub extern "C" fn tfxForeignFunctionsCreate() -> *mut TfxForeignFunctions {
    handle(TfxForeignFunctions {
        callbacks: BTreeMap::new(),
    })
}

/// Adds a callback, which compiled code calls by the name of a foreign function. `data` is its
/// first argument, and may be used by several threads at once. The list takes `data` over, also
/// after a failure: `destructor` (which may be NULL) is called when neither the list nor an
/// executable uses it. The callback replaces an earlier one of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxForeignFunctionsAdd(
    functions: *mut TfxForeignFunctions,
    name: *const c_char,
    function: TfxForeignFunction,
    data: *mut c_void,
    destructor: TfxDestructor,
) -> *mut TfxError {
    guarded(|| {
        let data = UserData::new(data, destructor);
        // SAFETY: by the contract of the module.
        let (functions, name) =
            unsafe { (required_mut(functions, "functions")?, text(name, "name")?) };
        let function = function.ok_or_else(|| argument("the argument 'function' is NULL"))?;
        let callback = Arc::new(Callback { function, data });
        functions.callbacks.insert(name.to_owned(), callback);
        Ok(())
    })
}

/// Destroys a list. Executables keep their callbacks. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxForeignFunctionsDestroy(functions: *mut TfxForeignFunctions) {
    // SAFETY: by the contract of the module.
    unsafe { destroy(functions) }
}
