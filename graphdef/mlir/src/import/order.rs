//! Which node comes after which, and which functions a node names.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use tfx_graphdef::proto::attr_value::Value;
use tfx_graphdef::proto::{FunctionDef, NodeDef};

use super::ImportError;

/// The operations of TensorFlow 1 whose edges go round in loops, or are dead.
const OLD_CONTROL_FLOW: [&str; 12] = [
    "Enter",
    "Exit",
    "LoopCond",
    "Merge",
    "NextIteration",
    "RefEnter",
    "RefExit",
    "RefMerge",
    "RefNextIteration",
    "RefSwitch",
    "Switch",
    "_SwitchN",
];

/// The node that an input comes from: `node`, `node:1`, `node:output:0` and `^node` are all of `node`.
pub(super) fn source_of(input: &str) -> &str {
    let input = input.strip_prefix('^').unwrap_or(input);
    input.split(':').next().unwrap_or_default()
}

/// The nodes, each after all that it depends on; of those that are ready the first comes first. O(edges + nodes * log nodes).
pub(super) fn in_order<'g>(
    nodes: &[&'g NodeDef],
    function: Option<&str>,
) -> Result<Vec<&'g NodeDef>, ImportError> {
    if let Some(node) = nodes
        .iter()
        .find(|node| OLD_CONTROL_FLOW.contains(&node.op.as_str()))
    {
        let reason = format!(
            "'{}' is control flow of TensorFlow 1; make the graph with functional control flow (tf.function does, or tf.compat.v1.enable_control_flow_v2)",
            node.op
        );
        return Err(ImportError::at(node, function, reason));
    }
    let mut by_name = HashMap::new();
    for (index, node) in nodes.iter().enumerate() {
        if by_name.insert(node.name.as_str(), index).is_some() {
            return Err(ImportError::at(
                node,
                function,
                "there are two nodes of this name",
            ));
        }
    }
    let mut waits = vec![0_usize; nodes.len()];
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        // An input that is no node is a parameter of the function, or will be missed when it is read.
        for source in node
            .input
            .iter()
            .filter_map(|input| by_name.get(source_of(input)))
        {
            waits[index] += 1;
            waiting[*source].push(index);
        }
    }
    let mut ready: BinaryHeap<Reverse<usize>> = (0..nodes.len())
        .filter(|&index| waits[index] == 0)
        .map(Reverse)
        .collect();
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(Reverse(index)) = ready.pop() {
        order.push(nodes[index]);
        for &user in &waiting[index] {
            waits[user] -= 1;
            if waits[user] == 0 {
                ready.push(Reverse(user));
            }
        }
    }
    match (0..nodes.len()).find(|&index| waits[index] > 0) {
        Some(stuck) => Err(ImportError::at(
            nodes[stuck],
            function,
            "it depends on itself, or on a node that does",
        )),
        None => Ok(order),
    }
}

/// The functions of the library that a node names: in an attribute, or as its operation.
pub(super) fn function_names<'g>(
    node: &'g NodeDef,
    library: &HashMap<&'g str, &'g FunctionDef>,
) -> Vec<&'g str> {
    let mut names = Vec::new();
    if library.contains_key(node.op.as_str()) {
        names.push(node.op.as_str());
    }
    for attribute in node.attr.values() {
        match &attribute.value {
            Some(Value::Func(function)) => names.push(function.name.as_str()),
            Some(Value::List(list)) => {
                names.extend(list.func.iter().map(|function| function.name.as_str()));
            }
            _ => {}
        }
    }
    names
}
