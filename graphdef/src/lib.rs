//! TensorFlow's protobuf messages and its operation registry, in plain Rust without MLIR, protoc
//! or TensorFlow.
//!
//! ```text
//! data/tensorflow.fds --build.rs--> proto        messages
//!                                   text         ... in protobuf's text format
//! saved_model                       messages of a SavedModel
//! data/ops.pb -------------------> registry      arguments and attributes of each operation
//!                                   resolve      checks and completes one use of an operation
//!                                   shapes       ... infers the shapes of its results
//! data/xla.txt ------------------> xla           ... decides whether XLA compiles it
//! program image (docs) ----------> naming        names of nodes
//! MLIR's names of types ---------> element       DataType <-> "f32", "i1", "!tfx_tensor.string"
//! ```

#![forbid(unsafe_code)]

pub mod element;
pub mod naming;
pub mod proto;
pub mod registry;
pub mod resolve;
pub mod saved_model;
pub mod shapes;
pub mod text;
pub mod xla;

pub use proto::DataType;
pub use registry::Registry;
pub use resolve::{OperationError, Resolved, Use, resolve};

/// The value of `GraphDef.versions.producer` that TensorFlow 2.21 writes (`TF_GRAPH_DEF_VERSION` of
/// its `version.h`).
///
/// For this version TensorFlow rejects every deprecated operation, as does [`resolve()`].
pub const GRAPH_DEF_VERSION: i32 = 2474;
