//! The dialects of tfx: `tfx_host`, `tfx_tensor` and `tfx_comm`.
//!
//! ```text
//!   host/*.td   tensor/*.td   comm/*.td          what an operation is: ODS
//!        │            │            │
//!        ├─ mlir-tblgen ─ C++ ─ host/Host.cpp, ...    syntax, verifiers, registration
//!        └─ melior::dialect! ─ host, tensor, comm     typed Rust builders and accessors
//! ```
//!
//! A context knows the dialects once [`register`] has put them into its registry, or [`load`] has loaded them; they live beside all of
//! upstream's. Other languages use `capi/tfx_dialects.h`.
//!
//! ```
//! use melior::{Context, ir::{Location, Module, operation::OperationLike}};
//!
//! let context = Context::new();
//! tfx_dialects::load(&context);
//! let module = Module::parse(&context, r#"
//!     tfx_tensor.graph @double(%x: tensor<f32>) -> tensor<f32> {
//!       %y = tfx_tensor.op "AddV2"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
//!       tfx_tensor.return %y : tensor<f32>
//!     }"#).unwrap();
//! assert!(module.as_operation().verify());
//! ```

mod builders;
pub mod channels;
mod ffi;
pub mod types;

pub use builders::{tfx_comm as comm, tfx_host as host, tfx_tensor as tensor};
pub use ffi::{load, register};

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::utility::register_all_dialects;

/// A context with all of upstream's dialects and those of tfx loaded: for tests, and for tools that read any IR.
pub fn loaded_context() -> Context {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    register(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    context
}
