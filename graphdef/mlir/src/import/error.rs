//! Errors of the import. They name nodes and functions of the GraphDef.

use tfx_graphdef::{OperationError, proto::NodeDef};
use thiserror::Error;

use crate::error::ConversionError;

/// The reason why a GraphDef cannot be imported.
#[derive(Debug, Clone, PartialEq, Error)]
#[allow(missing_docs, reason = "the messages describe the variants")]
pub enum ImportError {
    #[error("node '{node}'{}: {reason}", in_function(function))]
    Node {
        node: String,
        function: Option<String>,
        reason: Box<NodeError>,
    },
    #[error("parameter '{parameter}' of function '{function}': {reason}")]
    Parameter {
        parameter: String,
        function: String,
        reason: Box<NodeError>,
    },
    #[error("result '{result}' of function '{function}' is not the result of a node")]
    Result { result: String, function: String },
    #[error("there is no node '{0}' that could be an output")]
    NoNode(String),
    #[error("there is no value '{0}' that could be an output")]
    NoValue(String),
    #[error("there is no function '{0}' in the library")]
    NoFunction(String),
    #[error("function '{0}' calls itself, directly or through others, which a graph cannot")]
    Recursion(String),
}

impl ImportError {
    /// The node has this problem.
    pub(super) fn at(node: &NodeDef, function: Option<&str>, reason: impl Into<NodeError>) -> Self {
        Self::Node {
            node: node.name.clone(),
            function: function.map(str::to_owned),
            reason: Box::new(reason.into()),
        }
    }
}

fn in_function(function: &Option<String>) -> String {
    let function = function.iter();
    function
        .map(|name| format!(" in function '{name}'"))
        .collect()
}

/// The reason why a node or a parameter cannot be imported.
#[derive(Debug, Clone, PartialEq, Error)]
#[allow(missing_docs, reason = "the messages describe the variants")]
pub enum NodeError {
    #[error(transparent)]
    Conversion(#[from] ConversionError),
    #[error(transparent)]
    Operation(#[from] OperationError),
    #[error("attribute '{attribute}': {reason}")]
    Attribute {
        attribute: String,
        reason: ConversionError,
    },
    #[error("it has no attribute '{0}'")]
    NoAttribute(&'static str),
    #[error("it has no attribute '{attribute}' that {expected}")]
    WrongAttribute {
        attribute: &'static str,
        expected: &'static str,
    },
    #[error("'{0}' is not an operation of this version of TensorFlow")]
    UnknownOperation(String),
    #[error(
        "'{0}' is control flow of TensorFlow 1; make the graph with functional control flow \
         (tf.function does, or tf.compat.v1.enable_control_flow_v2)"
    )]
    OldControlFlow(String),
    #[error("there are two nodes of this name")]
    Duplicate,
    #[error("it depends on itself, or on a node that does")]
    Cycle,
    #[error("its input '{input}' is of '{node}', which does not exist or has no such result")]
    NoInput { input: String, node: String },
    #[error("it passes {given} values to function '{function}', which takes {expected}")]
    ArgumentCount {
        function: String,
        given: usize,
        expected: usize,
    },
    #[error(
        "its type is a parameter itself, or it is a list; only functions with fixed types can be \
         imported, such as those of tf.function"
    )]
    GenericParameter,
}
