//! All unsafe code of the crate: the functions of `include/tfx-c.h`.
//!
//! ```text
//! guard       failures, panics, and the pointers that the functions receive
//! context     TfxContext
//! error       TfxError
//! diagnostics TfxDiagnostics, TfxDiagnostic
//! program     TfxProgram, TfxCompiled: parse, options, passes, GraphDef, code
//! extraction  TfxExtraction, TfxGraph: graphs and channels as data, reports
//! foreign     TfxForeignFunctions: callbacks
//! execution   TfxExecutable, TfxFunction, TfxCallOptions, TfxCancellation
//! buffer      TfxBuffer: text and bytes that are returned
//! ```
//!
//! Contract with C, which the header states: a handle is NULL or comes from a function of this
//! module and is not destroyed; a string ends with a zero; an array has as many elements as its
//! count; a context and its programs are used by one thread at a time. What can be checked is
//! checked: NULL, UTF-8, values of enumerations, numbers of arguments and results.
//!
//! A handle is a `Box` that C owns until it calls the `...Destroy` function. Handles that refer to
//! a context own a reference to it, so they may be destroyed in any order.
//!
//! Unwinding does not leave a function: `guard` catches panics. A callback must not throw. Only a
//! failing function of the runtime unwinds a callback, as `tfx_runtime.h` specifies.

#![allow(
    clippy::missing_safety_doc,
    reason = "the documentation of these functions is that of the generated header"
)]
#![allow(non_snake_case, reason = "names are in MLIR's convention for C")]

// In the order of the header.
pub mod context;

pub mod error;

pub mod diagnostics;

pub mod program;

pub mod extraction;

pub mod foreign;

pub mod execution;

pub mod buffer;

mod guard;
