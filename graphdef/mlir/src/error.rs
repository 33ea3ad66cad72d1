//! Errors of the conversion of types, attributes and constants. They have no source location, which
//! the caller adds.

use thiserror::Error;

/// The reason why a type, an attribute or a constant has no counterpart.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the messages describe the variants")]
pub enum ConversionError {
    #[error("TensorFlow has no element type {0}")]
    ElementType(String),
    #[error("{tensor} is a tensor type; write an element type such as {element}")]
    TensorType { tensor: String, element: String },
    #[error(
        "TensorFlow has no attribute of the form {0}; it has bools, integers, floats, strings, \
         element types, shapes, tensors, functions, and lists of those"
    )]
    Attribute(String),
    #[error("a constant must be written as dense<...>, not as {0}")]
    NotDense(String),
    #[error("there is no constant of {0}")]
    Constant(&'static str),
    #[error("a constant of {0} is larger than 1 TiB, which no executor can hold")]
    TooLarge(String),

    #[error("MLIR has no element type for {0}")]
    DataType(&'static str),
    #[error("a constant has an unknown size")]
    UnknownSize,
    #[error("a constant has more elements than fit into memory")]
    TooManyElements,
    #[error("a constant has {given} elements where its shape has {expected}")]
    Elements { given: usize, expected: usize },
    #[error("a constant has {given} bytes where its shape has {expected}")]
    Bytes { given: usize, expected: usize },
    #[error("it has no value")]
    NoValue,
    #[error(
        "it is the parameter '{0}' of the function; only functions with fixed attributes can be \
         imported"
    )]
    Placeholder(String),
    #[error(
        "function '{function}' is given a value for its parameter '{parameter}'; only functions \
         with fixed attributes can be imported"
    )]
    Argument { function: String, parameter: String },
}
