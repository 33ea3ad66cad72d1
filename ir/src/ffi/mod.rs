//! Bindings to C and C++. All `unsafe` code of this crate is here.
//!
//! ```text
//!   the crate's safe API ──► handles, text, ir, diag, pass, opt, lsp ──► declarations ──► cpp/*.cpp ──► MLIR
//!                                                                   └──► mlir-sys (the C API)
//! ```
//!
//! The contract that makes the functions of this module safe is the one in the crate's
//! documentation: a handle ([`crate::Op`], [`crate::Block`], [`crate::Region`], [`crate::Value`])
//! is not used after its referent was erased, and lives no longer than its context. Handles come
//! only from MLIR, so they are valid when they are created, and not null if the wrapper promises
//! it. The callers of this module check bounds.
//!
//! Unwinding through C++ frames is undefined. The callback that runs a pass catches panics; one in
//! any other callback, which no input can cause, ends the process.

mod declarations;
mod diag;
mod handles;
mod ir;
mod lsp;
mod opt;
mod pass;
mod text;

pub(crate) use diag::{SourcePrinter, emit};
pub(crate) use handles::*;
pub(crate) use ir::*;
pub(crate) use lsp::lsp_server_main;
pub(crate) use opt::opt_main;
pub(crate) use pass::{
    is_pass_registered, print_pipeline, register_pass, register_pipeline, run_nested_pipeline,
    run_pipeline,
};
pub(crate) use text::*;

/// Returns the dialect of NVIDIA's instructions, which melior does not name.
pub(crate) fn nvvm_dialect() -> melior::dialect::DialectHandle {
    // SAFETY: as for `math_dialect`.
    unsafe { melior::dialect::DialectHandle::from_raw(mlir_sys::mlirGetDialectHandle__nvvm__()) }
}

/// Returns the dialect of mathematical functions, which melior does not name.
pub(crate) fn math_dialect() -> melior::dialect::DialectHandle {
    // SAFETY: MLIR returns the handle of a dialect that is linked.
    unsafe { melior::dialect::DialectHandle::from_raw(mlir_sys::mlirGetDialectHandle__math__()) }
}
