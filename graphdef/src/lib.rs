//! TensorFlow's protobuf messages and its operation registry, in plain Rust: nothing here needs MLIR, protoc or TensorFlow.
//!
//! ```text
//! data/tensorflow.fds --build.rs--> proto        messages
//!                                   text         ... printed for people
//! data/ops.pb -------------------> registry      what each operation takes and gives
//! program image (docs) ----------> naming        what nodes are called
//! MLIR's spelling of types ------> element       DataType <-> "f32", "i1", "!tfx_tensor.string"
//! ```

pub mod element;
pub mod naming;
pub mod proto;
pub mod registry;
pub mod text;

pub use proto::DataType;
pub use registry::Registry;

/// The version that TensorFlow 2.21 writes into `GraphDef.versions.producer` (`TF_GRAPH_DEF_VERSION` of its `version.h`).
pub const GRAPH_DEF_VERSION: i32 = 2474;
