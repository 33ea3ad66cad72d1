//! The interface to C++ and to compiled code. All `unsafe` code of the crate is in this module.
//!
//! Contract: `cpp/codegen.cpp` defines `tfxEmit` and `tfxMakeSourceFilesAbsolute`, and
//! `cpp/jit.cpp` defines `tfxJit...`; the build script links both. The functions borrow their
//! arguments for the duration of the call. `tfx_entry` of a compiled module has no parameters and
//! returns the address of a constant of that module, so the entry lives as long as the engine that
//! owns the code.

use std::collections::BTreeSet;
use std::ffi::c_void;
use std::path::Path;
use std::ptr::NonNull;
use std::slice;
use std::sync::OnceLock;

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use melior::ir::{Module, Type, TypeLike};
use mlir_sys::{MlirOperation, MlirStringRef};
use tfx_runtime::entry::Entry;
use tfx_runtime::ffi::abi_entry::{self, CompiledFunction};

use crate::error::{Error, ErrorKind};

unsafe extern "C" {
    fn tfxMakeSourceFilesAbsolute(module: MlirOperation);
    fn tfxEmit(
        module: MlirOperation,
        path: MlirStringRef,
        what: i32,
        level: u32,
        error: extern "C" fn(MlirStringRef, *mut c_void),
        error_data: *mut c_void,
    ) -> bool;
    fn tfxJitCreate(
        module: MlirOperation,
        level: u32,
        libraries: *const MlirStringRef,
        count: usize,
        error: extern "C" fn(MlirStringRef, *mut c_void),
        error_data: *mut c_void,
    ) -> *mut c_void;
    fn tfxJitDestroy(jit: *mut c_void);
    fn tfxJitRegister(jit: *mut c_void, name: MlirStringRef, address: *mut c_void);
    fn tfxJitLookup(jit: *mut c_void, name: MlirStringRef) -> *mut c_void;
}

unsafe extern "C" {
    fn atexit(function: extern "C" fn()) -> i32;
}

/// Deletes temporary folders when the process exits; `action` must not panic.
pub(crate) fn at_exit(action: fn()) {
    static ACTION: OnceLock<fn()> = OnceLock::new();
    extern "C" fn exiting() {
        if let Some(action) = ACTION.get() {
            action();
        }
    }
    let _ = ACTION.set(action);
    // SAFETY: the function lives as long as the process. If the system cannot register it, a
    // folder may remain.
    unsafe { atexit(exiting) };
}

/// Returns a type of a module with the lifetime of the module's context.
pub(crate) fn of_context<'c>(ty: Type<'_>, _: &Module<'c>) -> Type<'c> {
    // SAFETY: the context owns the types of a module, and does not delete any before itself.
    unsafe { Type::from_raw(ty.to_raw()) }
}

fn string_ref(text: &str) -> MlirStringRef {
    MlirStringRef {
        data: text.as_ptr().cast(),
        length: text.len(),
    }
}

extern "C" fn collect(text: MlirStringRef, data: *mut c_void) {
    // SAFETY: `data` is the string that `emit` passed, and MLIR's string is valid for the call.
    let (bytes, into) = unsafe {
        (
            slice::from_raw_parts(text.data.cast::<u8>(), text.length),
            &mut *data.cast::<String>(),
        )
    };
    into.push_str(&String::from_utf8_lossy(bytes));
}

/// Writes a module of the LLVM dialect to a file. `what` is the number of a [`crate::Emit`].
pub(crate) fn emit(module: &Module<'_>, path: &str, what: i32, level: u32) -> Result<(), Error> {
    let mut error = String::new();
    let data = (&raw mut error).cast();
    // SAFETY: the module and the strings outlive the call, and `data` points to the `String` that
    // `collect` expects.
    let written = unsafe {
        tfxEmit(
            module.as_operation().to_raw(),
            string_ref(path),
            what,
            level,
            collect,
            data,
        )
    };
    if written {
        return Ok(());
    }
    let message = format!("cannot write '{path}': {error}");
    Err(Error::new(ErrorKind::File, message))
}

/// Makes the folders of source files in debug information absolute.
pub(crate) fn make_source_files_absolute(module: &Module<'_>) {
    // SAFETY: the module lives through the call.
    unsafe { tfxMakeSourceFilesAbsolute(module.as_operation().to_raw()) };
}

/// A module compiled in memory.
pub(crate) struct Engine(NonNull<c_void>);

// SAFETY: the code and its constants do not change; symbols are looked up only by the thread that
// creates the engine.
unsafe impl Send for Engine {}
// SAFETY: as above.
unsafe impl Sync for Engine {}

impl Engine {
    /// Compiles a module of the LLVM dialect, with `libraries` loaded for its foreign functions.
    pub(crate) fn new(module: &Module<'_>, libraries: &[&str], level: u32) -> Result<Self, Error> {
        let libraries: Vec<_> = libraries.iter().map(|path| string_ref(path)).collect();
        let mut error = String::new();
        let data = (&raw mut error).cast();
        // SAFETY: the module and the strings outlive the call, and `data` points to the `String`
        // that `collect` expects.
        let engine = unsafe {
            tfxJitCreate(
                module.as_operation().to_raw(),
                level,
                libraries.as_ptr(),
                libraries.len(),
                collect,
                data,
            )
        };
        NonNull::new(engine).map(Self).ok_or_else(|| {
            let message = format!("cannot compile the host program: {error}");
            Error::new(ErrorKind::Link, message)
        })
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // SAFETY: `tfxJitCreate` created the engine, and nothing else destroys it.
        unsafe { tfxJitDestroy(self.0.as_ptr()) };
    }
}

/// Registers the functions of the runtime with the code compiled in memory. The references here
/// also keep all of them in the executable, where foreign functions in shared libraries find them
/// (`tools/tfxc/build.rs` exports them).
pub(crate) fn register_runtime(engine: &Engine) {
    for (name, address) in tfx_runtime::ffi::symbols() {
        // SAFETY: the address is that of a function with the signature that `tfx-lower-host`
        // declares (docs/program-image.md).
        unsafe {
            tfxJitRegister(
                engine.0.as_ptr(),
                string_ref(name),
                address.cast_mut().cast(),
            )
        };
    }
}

/// Returns the entry of compiled code, or `None` if the module has no entry.
pub(crate) fn entry(engine: &Engine) -> Option<Result<Entry<'_>, Error>> {
    // SAFETY: a live engine and a string that outlives the call.
    let address = unsafe { tfxJitLookup(engine.0.as_ptr(), string_ref("tfx_entry")) };
    if address.is_null() {
        return None;
    }
    // SAFETY: `tfx-lower-host` emits `tfx_entry` with this type, and the result points to a
    // constant of the engine's code, which the returned entry cannot outlive.
    let entry = unsafe {
        let function: extern "C" fn() -> *const abi_entry::TfxEntry = std::mem::transmute(address);
        Entry::from_raw(function())
    };
    Some(entry.map_err(Error::from))
}

/// Returns the function of compiled code that a symbol of the code describes.
///
/// The result must not outlive the engine.
pub(crate) fn compiled_function(engine: &Engine, symbol: &str) -> Result<CompiledFunction, Error> {
    // SAFETY: a live engine and a string that outlives the call.
    let address = unsafe { tfxJitLookup(engine.0.as_ptr(), string_ref(symbol)) };
    if address.is_null() {
        let message = format!("internal error: compiled code does not define '{symbol}'");
        return Err(Error::new(ErrorKind::Internal, message));
    }
    // SAFETY: `tfx-lower-host` emits the function with this type, and the result points to a
    // constant of the engine's code.
    let function = unsafe {
        let function: extern "C" fn() -> *const abi_entry::TfxEntry = std::mem::transmute(address);
        CompiledFunction::from_raw(function())
    };
    Ok(function?)
}

/// Returns the names that a shared library defines. The library stays loaded: the program is about
/// to use it, and later libraries may use it. Its own dependencies must be loaded already; a call
/// of a missing function would end the process.
pub(crate) fn defined<'n>(
    library: &Path,
    names: &BTreeSet<&'n str>,
) -> Result<BTreeSet<&'n str>, libloading::Error> {
    // SAFETY: the user requests this library: its initializers are the user's own code, which is
    // about to run anyway.
    let library = unsafe { Library::open(Some(library), RTLD_NOW | RTLD_GLOBAL) }?;
    // SAFETY: the symbols are only looked up, never used.
    let defines = |name: &&str| unsafe { library.get::<*const ()>(name.as_bytes()) }.is_ok();
    let defined = names.iter().copied().filter(defines).collect();
    let _handle = library.into_raw();
    Ok(defined)
}
