//! The language server.

use std::ffi::OsString;

use melior::dialect::DialectRegistry;

use super::declarations::*;
use super::opt::Arguments;

/// Runs MLIR's language server and returns its exit code.
pub(crate) fn lsp_server_main(registry: &DialectRegistry, arguments: Vec<OsString>) -> u8 {
    let arguments = Arguments::new(arguments);
    let mut pointers = arguments.pointers();
    // SAFETY: the arguments and the registry outlive the call.
    let code = unsafe {
        tfxLspServerMain(
            arguments.0.len() as i32,
            pointers.as_mut_ptr(),
            registry.to_raw(),
        )
    };
    u8::try_from(code).unwrap_or(1)
}
