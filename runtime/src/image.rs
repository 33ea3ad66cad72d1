//! A program image in Rust: `docs/program-image.md`, section 2.

use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use prost::Message;
use tfx_graphdef::{
    naming::LOCATION_ATTRIBUTE,
    proto::{AttrValue, GraphDef, NodeDef, attr_value::Value},
};
use tfx_interpreter::{DType, Program};

use crate::{executor::tensorflow::Kept, failure::Failure};

/// Which way the values of a channel go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The graph sends, the host receives.
    ToHost,
    /// The host sends, the graph receives.
    ToGraph,
}

/// One channel of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Its number in the program.
    pub id: i32,
    /// Which way its values go.
    pub direction: Direction,
    /// What its values are.
    pub dtype: DType,
    /// How many messages may wait in it; at least 1.
    pub capacity: usize,
    /// `file:line:col` of the value that crosses.
    pub location: Option<String>,
}

/// One program: its graph and how the host meets it.
#[derive(Debug)]
pub struct Image {
    /// The name of the program in the graph.
    pub name: String,
    /// The serialized GraphDef.
    pub bytes: Cow<'static, [u8]>,
    /// The number of inputs.
    pub arguments: usize,
    /// The number of results.
    pub results: usize,
    /// The channels, in the order of the declaration.
    pub channels: Vec<Channel>,
    graph: OnceLock<Result<GraphDef, String>>,
    /// What the embedded executor runs, once it has made it.
    pub(crate) prepared: OnceLock<Arc<Program>>,
    /// What the TensorFlow executor keeps for the next start.
    pub(crate) kept: Kept,
}

/// A source node: what it is, and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct SourceNode {
    pub(crate) operation: String,
    pub(crate) location: Option<String>,
}

impl Image {
    /// An image of a serialized GraphDef.
    pub fn new(
        name: impl Into<String>,
        bytes: impl Into<Cow<'static, [u8]>>,
        arguments: usize,
        results: usize,
        channels: Vec<Channel>,
    ) -> Self {
        Image {
            name: name.into(),
            bytes: bytes.into(),
            arguments,
            results,
            channels,
            graph: OnceLock::new(),
            prepared: OnceLock::new(),
            kept: Kept::default(),
        }
    }

    /// The graph, decoded when it is first asked for.
    pub fn graph(&self) -> Result<&GraphDef, Failure> {
        self.graph
            .get_or_init(|| GraphDef::decode(&*self.bytes).map_err(|error| error.to_string()))
            .as_ref()
            .map_err(|error| {
                Failure::new(format!(
                    "the image of program '{}' is damaged: {error}",
                    self.name
                ))
            })
    }

    /// How many sessions of TensorFlow wait for its next start.
    pub fn kept_sessions(&self) -> usize {
        self.kept.sessions()
    }

    /// The position of a channel in the declaration.
    pub fn channel_position(&self, id: i32) -> Option<usize> {
        self.channels.iter().position(|channel| channel.id == id)
    }

    /// All nodes of all functions by name. One pass over the graph; made only to explain an error.
    pub(crate) fn source_nodes(&self) -> HashMap<String, SourceNode> {
        let Ok(graph) = self.graph() else {
            return HashMap::new();
        };
        let functions = graph.library.iter().flat_map(|library| &library.function);
        let nodes = functions
            .flat_map(|function| &function.node_def)
            .chain(&graph.node);
        let mut found = HashMap::new();
        for node in nodes {
            // The first of one name stays, as functions come in the order of the graph.
            found
                .entry(node.name.clone())
                .or_insert_with(|| source_node(node));
        }
        found
    }

    /// The places of the calls that lead to a function, the innermost first, as far as there is only one that can have led there. One pass
    /// over the graph; made only to explain an error.
    pub(crate) fn only_calls(&self, function: &str) -> Vec<String> {
        let Ok(graph) = self.graph() else {
            return Vec::new();
        };
        let mut users: HashMap<&str, Vec<(&str, &NodeDef)>> = HashMap::new();
        for caller in graph.library.iter().flat_map(|library| &library.function) {
            let name = caller
                .signature
                .as_ref()
                .map_or("", |signature| &signature.name);
            for node in &caller.node_def {
                for used in node.attr.values().flat_map(functions) {
                    users.entry(used).or_default().push((name, node));
                }
            }
        }
        let mut calls = Vec::new();
        let mut function = function;
        while let Some(&[(caller, node)]) = users.remove(function).as_deref() {
            if node.op.ends_with("PartitionedCall") {
                calls.extend(source_node(node).location);
            }
            function = caller;
        }
        calls
    }
}

/// The functions that an attribute names.
fn functions(attribute: &AttrValue) -> Vec<&str> {
    match &attribute.value {
        Some(Value::Func(function)) => vec![&function.name],
        Some(Value::List(list)) => list
            .func
            .iter()
            .map(|function| function.name.as_str())
            .collect(),
        _ => Vec::new(),
    }
}

fn source_node(node: &NodeDef) -> SourceNode {
    let location = match node
        .attr
        .get(LOCATION_ATTRIBUTE)
        .and_then(|value| value.value.as_ref())
    {
        Some(Value::S(bytes)) => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    };
    SourceNode {
        operation: node.op.clone(),
        location,
    }
}
