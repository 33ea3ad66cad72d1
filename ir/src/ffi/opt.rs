//! The optimizer driver.

use std::ffi::{CString, OsString, c_char, c_void};
use std::ptr::null;

use melior::dialect::DialectRegistry;
use mlir_sys::MlirDialectRegistry;

use super::declarations::*;
use crate::opt::Tool;

/// Runs MLIR's driver and returns its exit code. An argument ends at a NUL, as in any process.
pub(crate) fn opt_main(mut tool: Tool, arguments: Vec<OsString>) -> u8 {
    unsafe extern "C" fn register_dialects(target: MlirDialectRegistry, tool: *mut c_void) {
        let registry = DialectRegistry::new();
        // SAFETY: `tool` is the one below; both registries are live, and the entries are copied.
        unsafe {
            ((*(tool as *const Tool)).register_dialects)(&registry);
            tfxRegistryAppend(target, registry.to_raw());
        }
    }
    unsafe extern "C" fn register_passes(tool: *mut c_void) {
        // SAFETY: as above.
        unsafe { ((*(tool as *const Tool)).register_passes)() }
    }

    let arguments = Arguments::new(arguments);
    let mut pointers = arguments.pointers();
    // SAFETY: the arguments and the tool outlive the call; the callbacks do not panic unless a
    // registration does, which aborts the process as any panic in an `extern "C"` function does.
    let code = unsafe {
        let data = &mut tool as *mut Tool as *mut c_void;
        tfxOptMain(
            arguments.0.len() as i32,
            pointers.as_mut_ptr(),
            register_dialects,
            register_passes,
            data,
        )
    };
    u8::try_from(code).unwrap_or(1)
}

/// A command line for C.
pub(super) struct Arguments(pub(super) Vec<CString>);

impl Arguments {
    pub(super) fn new(arguments: Vec<OsString>) -> Self {
        let until_nul = |argument: OsString| -> Vec<u8> {
            argument
                .into_encoded_bytes()
                .into_iter()
                .take_while(|byte| *byte != 0)
                .collect()
        };
        let arguments = arguments.into_iter().map(until_nul);
        Self(
            arguments
                .filter_map(|argument| CString::new(argument).ok())
                .collect(),
        )
    }

    /// Returns the pointers, which are valid as long as `self`. C promises a null after the last
    /// argument.
    pub(super) fn pointers(&self) -> Vec<*const c_char> {
        let pointers = self.0.iter().map(|argument| argument.as_ptr());
        pointers.chain([null()]).collect()
    }
}
