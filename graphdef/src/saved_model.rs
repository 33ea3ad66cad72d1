//! The file `saved_model.pb` of a SavedModel: graphs with the names of their inputs and outputs.
//!
//! The messages are those of TensorFlow's `saved_model.proto` and `meta_graph.proto`, with the
//! fields that tfx reads. Values of variables are in other files of the folder, which tfx does not
//! read.

use std::collections::BTreeMap;

use crate::proto::GraphDef;

/// A SavedModel.
#[derive(Clone, PartialEq, prost::Message)]
pub struct SavedModel {
    /// The graphs.
    #[prost(message, repeated, tag = "2")]
    pub meta_graphs: Vec<MetaGraph>,
}

/// A graph with its signatures.
#[derive(Clone, PartialEq, prost::Message)]
pub struct MetaGraph {
    /// The graph.
    #[prost(message, optional, tag = "2")]
    pub graph_def: Option<GraphDef>,
    /// The signatures, by name.
    #[prost(btree_map = "string, message", tag = "5")]
    pub signatures: BTreeMap<String, Signature>,
}

/// The inputs and outputs of one use of a graph.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Signature {
    /// The inputs, by name.
    #[prost(btree_map = "string, message", tag = "1")]
    pub inputs: BTreeMap<String, TensorInfo>,
    /// The outputs, by name.
    #[prost(btree_map = "string, message", tag = "2")]
    pub outputs: BTreeMap<String, TensorInfo>,
}

/// A value of a graph.
#[derive(Clone, PartialEq, prost::Message)]
pub struct TensorInfo {
    /// The node and the number of its result: `x:0`; empty for a sparse tensor.
    #[prost(string, tag = "1")]
    pub name: String,
}
