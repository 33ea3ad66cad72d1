//! TensorFlow's errors as failures at source locations.
//!
//! ```text
//! 2 root error(s) found.
//!   (0) INVALID_ARGUMENT: {{function_node f}} bad    ──►  a.mlir:3:4: error: bad (operation Sub)
//!      [[{{node while/body/_1/a.mlir_3_4_Sub}}]]          a.mlir:9:2: note: called here
//! ```
//!
//! TensorFlow does not guarantee the form of its messages: parts that are not found are omitted.
//! Linear in the graph.

use std::collections::HashMap;

use tfx_graphdef::{
    naming::LOCATION_ATTRIBUTE,
    proto::{AttrValue, GraphDef, NodeDef, attr_value::Value},
};

use super::super::CALLED_HERE;
use crate::{failure::Failure, ffi::tensorflow::Status, image::Image};

/// Returns the first line of TensorFlow's message, at the source location of the node in it.
pub(super) fn explain(image: &Image, status: &Status) -> Failure {
    let text = root_cause(&status.message);
    // A graph that cannot be decoded explains nothing.
    let Ok(graph) = image.graph() else {
        return Failure::new(text);
    };
    let nodes = nodes_by_name(graph);
    let found = node_names(&status.message).find_map(|name| {
        // Inlining prefixes names with those of functions: try each suffix of the path.
        let tails = name.match_indices('/').map(|(at, _)| &name[at + 1..]);
        std::iter::once(name)
            .chain(tails)
            .find_map(|tail| nodes.get(tail))
            .and_then(|node| Some((node.op.as_str(), location(node)?)))
    });
    match found {
        Some((operation, location)) => {
            let failure =
                Failure::new(format!("{text} (operation {operation})")).at(Some(&location));
            let calls = function_name(&status.message).map(|function| only_calls(graph, function));
            calls.iter().flatten().fold(failure, |failure, call| {
                failure.note(Some(call), CALLED_HERE)
            })
        }
        None => Failure::new(text),
    }
}

/// Returns all nodes of all functions by name; of nodes with the same name, the first one.
fn nodes_by_name(graph: &GraphDef) -> HashMap<&str, &NodeDef> {
    let functions = graph.library.iter().flat_map(|library| &library.function);
    let nodes = functions.flat_map(|function| &function.node_def);
    let mut by_name = HashMap::new();
    for node in nodes.chain(&graph.node) {
        by_name.entry(node.name.as_str()).or_insert(node);
    }
    by_name
}

/// Returns the locations of the calls that lead to a function, the innermost first, up to the first
/// function that has several users.
fn only_calls<'a>(graph: &'a GraphDef, mut function: &'a str) -> Vec<String> {
    let mut users: HashMap<&str, Vec<(&str, &NodeDef)>> = HashMap::new();
    for caller in graph.library.iter().flat_map(|library| &library.function) {
        let signature = caller.signature.as_ref();
        let name = signature.map_or("", |signature| &signature.name);
        for node in &caller.node_def {
            for used in node.attr.values().flat_map(functions) {
                users.entry(used).or_default().push((name, node));
            }
        }
    }
    let mut calls = Vec::new();
    while let Some(&[(caller, node)]) = users.remove(function).as_deref() {
        if node.op.ends_with("PartitionedCall") {
            calls.extend(location(node));
        }
        function = caller;
    }
    calls
}

/// Returns the functions that an attribute names.
fn functions(attribute: &AttrValue) -> Vec<&str> {
    match &attribute.value {
        Some(Value::Func(function)) => vec![&function.name],
        Some(Value::List(list)) => list.func.iter().map(|used| used.name.as_str()).collect(),
        _ => Vec::new(),
    }
}

/// Returns the source location of a node.
fn location(node: &NodeDef) -> Option<String> {
    match &node.attr.get(LOCATION_ATTRIBUTE)?.value {
        Some(Value::S(bytes)) => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    }
}

/// Returns the first error of a message, without the list of nodes.
fn root_cause(message: &str) -> String {
    let first = match message.split_once("(0) ") {
        // "(0) INVALID_ARGUMENT: text"
        Some((_, rest)) if message.contains("root error") => {
            rest.split_once(": ").map_or(rest, |(_, text)| text)
        }
        _ => message,
    };
    let lines = first.lines().map(without_functions);
    let cause = lines
        .into_iter()
        .find(|line| !line.is_empty() && !line.starts_with(THROUGH_SERVER));
    let cause = cause.unwrap_or_default();
    match cause.strip_prefix(TRUNCATED_BY_ZERO) {
        Some(rest) => format!("Integer division by zero{rest}"),
        None => cause.to_owned(),
    }
}

/// TensorFlow's message for a truncated division by zero; for other divisions it is "Integer
/// division by zero".
const TRUNCATED_BY_ZERO: &str =
    "Unexpected error in binary operator (only integer div and mod should have errors)";

/// The prefix of a line that names the server of a message.
const THROUGH_SERVER: &str = "From /job:";

/// Removes the names of inlined functions: "{{function_node f}} {{function_node g}} text".
fn without_functions(line: &str) -> &str {
    let mut text = line.trim();
    while let Some((_, rest)) = text
        .strip_prefix("{{")
        .and_then(|rest| rest.split_once("}}"))
    {
        text = rest.trim_start();
    }
    text
}

/// Returns the function of the first node of a message: `{{function_node NAME}}{{node ...}}`.
fn function_name(message: &str) -> Option<&str> {
    let (before, _) = message.split_once("}}{{node ")?;
    let (_, name) = before.rsplit_once("{{function_node ")?;
    Some(name)
}

/// Returns the nodes of a message: `{{node NAME}}`.
fn node_names(message: &str) -> impl Iterator<Item = &str> {
    const OPENING: &str = "{{node ";
    message.match_indices(OPENING).filter_map(|(at, _)| {
        let rest = &message[at + OPENING.len()..];
        rest.find("}}").map(|end| &rest[..end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_cut_to_their_cause() {
        let message = "Integer division by zero\n\t [[{{node while/body/_1/a.mlir_3_4_FloorDiv}}]]\n\t [[P/call]]";
        assert_eq!(root_cause(message), "Integer division by zero");
        assert_eq!(root_cause(TRUNCATED_BY_ZERO), "Integer division by zero");
        assert_eq!(
            node_names(message).collect::<Vec<_>>(),
            ["while/body/_1/a.mlir_3_4_FloorDiv"]
        );
        let several = "2 root error(s) found.\n  (0) INVALID_ARGUMENT: {{function_node f}} bad\n\t [[{{node x}}]]\n  (1) CANCELLED: y";
        assert_eq!(root_cause(several), "bad");
        let remote = "From /job:worker/replica:0/task:1:\nFrom /job:worker/replica:0/task:0:\nindices = 7\n\t [[{{node x}}]]";
        assert_eq!(root_cause(remote), "indices = 7");
        let through_function =
            "{{function_node f}}\nFrom /job:worker/replica:0/task:1:\nindices = 7";
        assert_eq!(root_cause(through_function), "indices = 7");
    }

    #[test]
    fn the_function_of_a_node_is_found() {
        let message =
            "{{function_node f}} bad\n\t [[{{function_node g}}{{node x}}]]\n\t [[P/call]]";
        assert_eq!(function_name(message), Some("g"));
        assert_eq!(function_name("bad\n\t [[{{node x}}]]"), None);
    }
}
