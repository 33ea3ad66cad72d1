//! The C API of tfx, for compilers and servers that are not written in Rust.
//!
//! ```text
//!   include/tfx-c.h     C program ──► libtfx_c.so ──► tfx ──► MLIR, inside and hidden
//! ```
//!
//! `docs/c-api.md` describes it, and the crate `tfx-mlir`, which is for C++ tools with their own
//! MLIR. The functions correspond to those of the crate `tfx`. This crate only converts: handles
//! own Rust values, a failure is a handle with data, and a panic ends at the border.
//!
//! Contract: names are in MLIR's convention (`tfxProgramParse`, `TfxProgram`). Each function that
//! can fail returns a `TfxError *`, which is NULL after a success. Tensors are those of the runtime
//! (`tfx_tensor_...`), whose functions the shared library exports as well.

#![deny(unsafe_code)]

#[allow(unsafe_code, reason = "the module states its contract")]
pub mod ffi;
