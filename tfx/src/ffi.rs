//! The interface to C++ and to compiled code. All `unsafe` code of the crate is in this module.
//!
//! Contract: `cpp/codegen.cpp` defines `tfxEmit` and `tfxMakeSourceFilesAbsolute`, and
//! `cpp/jit.cpp` defines `tfxDescribeHost`, `tfxUnit...` and `tfxJit...`; the build script links
//! both. The functions borrow their arguments for the duration of the call. `tfx_entry` of a
//! compiled module has no parameters and returns the address of a constant of that module, so the
//! entry lives as long as the engine that owns the code.

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
use tfx_runtime::ffi::abi_function::ForeignFunction;

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
    fn tfxDescribeHost(
        in_range: bool,
        text: extern "C" fn(MlirStringRef, *mut c_void),
        text_data: *mut c_void,
        error: extern "C" fn(MlirStringRef, *mut c_void),
        error_data: *mut c_void,
    ) -> bool;
    fn tfxHasAddressSanitizer() -> bool;
    fn tfxUnitCreate(module: MlirOperation) -> *mut c_void;
    fn tfxUnitDestroy(unit: *mut c_void);
    fn tfxUnitCompile(
        unit: *mut c_void,
        level: u32,
        in_range: bool,
        object: extern "C" fn(MlirStringRef, *mut c_void),
        object_data: *mut c_void,
        error: extern "C" fn(MlirStringRef, *mut c_void),
        error_data: *mut c_void,
    ) -> bool;
    fn tfxJitCreate(
        libraries: *const MlirStringRef,
        count: usize,
        error: extern "C" fn(MlirStringRef, *mut c_void),
        error_data: *mut c_void,
    ) -> *mut c_void;
    fn tfxJitDestroy(jit: *mut c_void);
    fn tfxJitIsInRange(jit: *mut c_void) -> bool;
    fn tfxJitAdd(
        jit: *mut c_void,
        object: MlirStringRef,
        error: extern "C" fn(MlirStringRef, *mut c_void),
        error_data: *mut c_void,
    ) -> bool;
    fn tfxJitRegister(jit: *mut c_void, name: MlirStringRef, address: *mut c_void);
    fn tfxJitLookup(
        jit: *mut c_void,
        name: MlirStringRef,
        error: extern "C" fn(MlirStringRef, *mut c_void),
        error_data: *mut c_void,
    ) -> *mut c_void;
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

/// Returns true if this process has the runtime of AddressSanitizer.
pub(crate) fn has_address_sanitizer() -> bool {
    // SAFETY: it has no arguments, and any thread may call it.
    unsafe { tfxHasAddressSanitizer() }
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

extern "C" fn collect_bytes(bytes: MlirStringRef, data: *mut c_void) {
    // SAFETY: `data` is the vector that `Unit::compile` passed, and the bytes are valid for the
    // call.
    let (bytes, into) = unsafe {
        (
            slice::from_raw_parts(bytes.data.cast::<u8>(), bytes.length),
            &mut *data.cast::<Vec<u8>>(),
        )
    };
    into.extend_from_slice(bytes);
}

/// Returns the description of this machine as a target, with the code model that is used in one
/// range of addresses or else.
pub(crate) fn describe_host(in_range: bool) -> Result<String, Error> {
    let (mut text, mut error) = (String::new(), String::new());
    // SAFETY: the data are the strings that `collect` expects.
    let is_described = unsafe {
        tfxDescribeHost(
            in_range,
            collect,
            (&raw mut text).cast(),
            collect,
            (&raw mut error).cast(),
        )
    };
    is_described
        .then_some(text)
        .ok_or_else(|| not_compiled(&error))
}

fn not_compiled(reason: &str) -> Error {
    let message = format!("cannot compile the program: {reason}");
    Error::new(ErrorKind::Link, message)
}

/// A module in LLVM IR.
pub(crate) struct Unit(NonNull<c_void>);

// SAFETY: a unit has a context of its own.
unsafe impl Send for Unit {}

impl Unit {
    /// Translates a module of the LLVM dialect; `None` if it has operations of other dialects,
    /// which are then diagnosed.
    pub(crate) fn new(module: &Module<'_>) -> Option<Self> {
        // SAFETY: the module lives through the call.
        let unit = unsafe { tfxUnitCreate(module.as_operation().to_raw()) };
        NonNull::new(unit).map(Self)
    }

    /// Compiles it for this machine into an object. `in_range` is [`Engine::is_in_range`].
    pub(crate) fn compile(self, level: u32, in_range: bool) -> Result<Vec<u8>, Error> {
        let (mut object, mut error) = (Vec::new(), String::new());
        // SAFETY: the unit is not used again, and the data are what the callbacks expect.
        let is_compiled = unsafe {
            tfxUnitCompile(
                self.0.as_ptr(),
                level,
                in_range,
                collect_bytes,
                (&raw mut object).cast(),
                collect,
                (&raw mut error).cast(),
            )
        };
        is_compiled
            .then_some(object)
            .ok_or_else(|| not_compiled(&error))
    }
}

impl Drop for Unit {
    fn drop(&mut self) {
        // SAFETY: `tfxUnitCreate` created the unit, and nothing else destroys it.
        unsafe { tfxUnitDestroy(self.0.as_ptr()) };
    }
}

/// Objects linked in memory.
pub(crate) struct Engine(NonNull<c_void>);

// SAFETY: the code and its constants do not change; symbols are looked up only by the thread that
// creates the engine.
unsafe impl Send for Engine {}
// SAFETY: as above.
unsafe impl Sync for Engine {}

impl Engine {
    /// Creates an engine without objects, with `libraries` loaded for their foreign functions.
    pub(crate) fn new(libraries: &[&str]) -> Result<Self, Error> {
        let libraries: Vec<_> = libraries.iter().map(|path| string_ref(path)).collect();
        let mut error = String::new();
        // SAFETY: the strings outlive the call, and the data is the string that `collect` expects.
        let engine = unsafe {
            tfxJitCreate(
                libraries.as_ptr(),
                libraries.len(),
                collect,
                (&raw mut error).cast(),
            )
        };
        NonNull::new(engine)
            .map(Self)
            .ok_or_else(|| not_compiled(&error))
    }

    /// Returns true if its objects are in one range of addresses.
    pub(crate) fn is_in_range(&self) -> bool {
        // SAFETY: a live engine.
        unsafe { tfxJitIsInRange(self.0.as_ptr()) }
    }

    /// Adds an object.
    pub(crate) fn add(&self, object: &[u8]) -> Result<(), Error> {
        let mut error = String::new();
        let bytes = MlirStringRef {
            data: object.as_ptr().cast(),
            length: object.len(),
        };
        // SAFETY: a live engine, which copies the bytes; the data is the string that `collect`
        // expects.
        let is_added =
            unsafe { tfxJitAdd(self.0.as_ptr(), bytes, collect, (&raw mut error).cast()) };
        is_added.then_some(()).ok_or_else(|| not_compiled(&error))
    }

    /// Returns the address of a function, or the reason why there is none.
    fn lookup(&self, name: &str) -> Result<NonNull<c_void>, String> {
        let mut error = String::new();
        // SAFETY: a live engine and a string that outlives the call; the data is the string that
        // `collect` expects.
        let address = unsafe {
            tfxJitLookup(
                self.0.as_ptr(),
                string_ref(name),
                collect,
                (&raw mut error).cast(),
            )
        };
        NonNull::new(address).ok_or(error)
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

/// Registers a function of this process under a symbol that the code compiled in memory refers to.
/// The function must be alive, and stay where it is, as long as the code runs.
pub(crate) fn register_function(engine: &Engine, symbol: &str, function: &ForeignFunction) {
    let address = std::ptr::from_ref(function).cast_mut().cast();
    // SAFETY: a live engine. The code only passes the address on to `tfx_function_call`, which
    // reads a `ForeignFunction`.
    unsafe { tfxJitRegister(engine.0.as_ptr(), string_ref(symbol), address) };
}

/// Returns the entry of compiled code, or `None` if the module has no entry.
pub(crate) fn entry(engine: &Engine) -> Option<Result<Entry<'_>, Error>> {
    let address = engine.lookup("tfx_entry").ok()?;
    // SAFETY: `tfx-lower-host` emits `tfx_entry` with this type, and the result points to a
    // constant of the engine's code, which the returned entry cannot outlive.
    let entry = unsafe {
        let function: extern "C" fn() -> *const abi_entry::TfxEntry =
            std::mem::transmute(address.as_ptr());
        Entry::from_raw(function())
    };
    Some(entry.map_err(Error::from))
}

/// Returns the function of compiled code that a symbol of the code describes.
///
/// The result must not outlive the engine.
pub(crate) fn compiled_function(engine: &Engine, symbol: &str) -> Result<CompiledFunction, Error> {
    let address = engine.lookup(symbol).map_err(|reason| {
        let message = format!("internal error: compiled code does not define '{symbol}': {reason}");
        Error::new(ErrorKind::Internal, message)
    })?;
    // SAFETY: `tfx-lower-host` emits the function with this type, and the result points to a
    // constant of the engine's code.
    let function = unsafe {
        let function: extern "C" fn() -> *const abi_entry::TfxEntry =
            std::mem::transmute(address.as_ptr());
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
