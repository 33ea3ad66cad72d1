//! The dialects of tfx: `tfx_host`, `tfx_tensor`, `tfx_comm`, `tfx_ad` and `tfx_stream`.
//!
//! ```text
//!   host/*.td   tensor/*.td   comm/*.td   ad/*.td   stream/*.td    the operations: ODS
//!        │            │            │          │          │
//!        ├─ mlir-tblgen ─ C++ ─ host/*.cpp, ...            syntax, verifiers, registration
//!        └─ tfx-ods ───── Rust ─ host, tensor, comm, ...   typed views: cast, accessors, build
//! ```
//!
//! A context has the dialects after [`register`] has added them to its registry, or [`load`] has
//! loaded them. They do not conflict with those of upstream. Other languages use
//! `capi/tfx_dialects.h`.
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
//!
//! // A view names the parts of an operation as its definition does.
//! use tfx_dialects::tensor::{Graph, Op, TensorOp};
//! let graph = tfx_ir::module::as_op(&module).walk().find_map(Graph::cast).unwrap();
//! let add = graph.walk().find_map(Op::cast).unwrap();
//! assert_eq!((graph.sym_name(), add.tf_name()), ("double", "AddV2"));
//! assert!(matches!(TensorOp::cast(*add), Some(TensorOp::Op(_))));
//! ```

pub mod channels;
pub mod derivatives;
pub mod extracted;
mod ffi;
pub mod foreign;
pub mod launches;
pub mod native;
pub mod places;
pub mod replicable;
pub mod schedules;
pub mod transfer;
pub mod types;

macro_rules! dialects {
    ($($(#[$meta:meta])* $name:ident),* $(,)?) => { $(
        $(#[$meta])*
        #[allow(clippy::identity_op, clippy::self_named_constructors, clippy::useless_conversion)]
        pub mod $name {
            include!(concat!(env!("OUT_DIR"), "/", stringify!($name), ".rs"));
        }
    )* };
}

dialects! {
    /// Views of the operations of `tfx_host`, which front ends emit.
    host,
    /// Views of the operations of `tfx_tensor`: graphs.
    tensor,
    /// Views of the operations of `tfx_comm`: transfers between host and graph.
    comm,
    /// Views of the operations of `tfx_ad`: derivatives.
    ad,
    /// Views of the operations of `tfx_stream`: schedules.
    stream,
}

pub use ffi::{load, register};

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::utility::register_all_dialects;

/// Returns a context with all of upstream's dialects and those of tfx loaded, for tests and for
/// tools that read any IR.
pub fn loaded_context() -> Context {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    register(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    context
}
