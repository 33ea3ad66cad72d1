//! Reference kernels and the embedded graph executor: runs the GraphDef of a program image without
//! TensorFlow.
//!
//! ```text
//! GraphDef --program::Program::prepare--> steps over numbered slots --run--> results
//!                     |                             |         |
//!                     +-- kernels::build            |         +-- Channels (supplied by the runtime)
//!                         (one per node)            +-- Tensor (reference-counted, 64-byte aligned)
//! ```
//!
//! The semantics are TensorFlow's: broadcasting, wrapping integers, the text of common errors.
//! Where TensorFlow's behaviour is undefined in C++ (a float outside the range of an integer),
//! kernels follow Rust: they saturate.

#![deny(unsafe_code)]

pub mod flops;
pub mod half;
pub mod kernels;
pub mod list;
pub mod program;
pub mod special;
pub mod tensor;

pub use list::List;
pub use program::{Channels, Closed, PrepareError, Program, RunError};
pub use tensor::{
    Bool, DType, Element, Elements, Shape, Tensor, TensorError, Unwritten, WORTH_SHARING,
    is_shareable,
};
