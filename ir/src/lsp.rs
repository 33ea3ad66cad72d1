//! MLIR's language server.
//!
//! ```text
//!   standard input ──requests──► MLIR's server, with the dialects of a registry ──replies──► standard output
//! ```
//!
//! The server knows the parser's and the verifier's diagnostics only. `tfx-lsp-server` runs it in
//! a child process and adds those of tfx.

use std::ffi::OsString;
use std::process::ExitCode;

use melior::dialect::DialectRegistry;

use crate::ffi;

/// Runs the server until its input ends or requests the exit. The command line starts with the
/// tool's name and has the options of `mlir-lsp-server`. Call it once in a process.
pub fn main(registry: &DialectRegistry, arguments: Vec<OsString>) -> ExitCode {
    ExitCode::from(ffi::lsp_server_main(registry, arguments))
}
