//! TensorFlow's protobuf messages and its operation registry, in plain Rust: nothing here needs MLIR, protoc or TensorFlow.
//!
//! ```text
//! data/tensorflow.fds --build.rs--> proto        messages
//!                                   text         ... printed for people
//! data/ops.pb -------------------> registry      what each operation takes and gives
//!                                   resolve      one use of an operation: checked, completed
//!                                   shapes        ... what shapes come out
//! data/xla.txt ------------------> xla           ... whether XLA compiles it
//! program image (docs) ----------> naming        what nodes are called
//! MLIR's spelling of types ------> element       DataType <-> "f32", "i1", "!tfx_tensor.string"
//! ```

#![forbid(unsafe_code)]

pub mod element;
pub mod naming;
pub mod proto;
pub mod registry;
pub mod resolve;
pub mod shapes;
pub mod text;
pub mod xla;

pub use proto::DataType;
pub use registry::Registry;
pub use resolve::{OperationError, Resolved, Use, resolve};

/// The version that TensorFlow 2.21 writes into `GraphDef.versions.producer` (`TF_GRAPH_DEF_VERSION` of its `version.h`).
///
/// With it TensorFlow refuses every operation that it has deprecated, and so does [`resolve()`].
pub const GRAPH_DEF_VERSION: i32 = 2474;
