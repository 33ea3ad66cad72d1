//! TensorFlow's C API, loaded at run time, behind safe types.
//!
//! ```text
//! library          the path of libtensorflow.so
//! TensorFlow::load ──► TensorFlow ──┬─► Graph ──► Session  import, build, infer shapes; run
//!                                   ├─► Tensor             lend, read
//!                                   └─► eager::Context     one operation at a time
//! ```
//!
//! A binary that uses this crate starts without TensorFlow. [`TensorFlow::load`] loads the library
//! at its first call, which takes 0.2 to 0.4 s, and returns a token that every other type needs.
//! The library is never unloaded, because its threads live as long as the process.
//!
//! The declarations are those of `tensorflow-sys-runtime`, the `sys` layer of the `tensorflow`
//! crate with its feature `tensorflow_runtime_linking`. This crate declares only what that layer
//! lacks or declares unsoundly. `docs/adr/0011-tensorflow-bindings.md` has the reasons and the
//! figures.
//!
//! Element types are numbers (`TF_DataType` of `tf_datatype.h`); attributes, settings and graphs
//! are serialized messages. So this crate depends on no other crate of tfx. It covers what the
//! runtime, shape inference and the tests use, and nothing else.

#![deny(unsafe_code)]

mod counts;
#[allow(unsafe_code, reason = "the module states its contract")]
mod ffi;
pub mod library;

pub use counts::{Counted, alive};
pub use ffi::eager;
pub use ffi::graph::{Graph, Input, Operation, Session};
pub use ffi::tensor::Tensor;
pub use ffi::{Code, Status, TensorFlow};
pub use library::LoadError;
