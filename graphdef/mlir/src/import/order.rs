//! The order of nodes, and the functions that nodes name.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use tfx_graphdef::proto::attr_value::Value;
use tfx_graphdef::proto::{FunctionDef, NodeDef};

use super::error::{ImportError, NodeError};

/// The control-flow operations of TensorFlow 1, whose edges may form cycles or be dead.
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

/// Returns the node of an input: `node` for `node`, `node:1`, `node:output:0` and `^node`.
pub(super) fn source_of(input: &str) -> &str {
    let input = input.strip_prefix('^').unwrap_or(input);
    input.split(':').next().unwrap_or_default()
}

/// Orders nodes topologically. Of the ready nodes, the first of the file comes first. The cost is
/// O(edges + nodes * log nodes).
pub(super) fn in_order<'g>(
    nodes: &[&'g NodeDef],
    function: Option<&str>,
) -> Result<Vec<&'g NodeDef>, ImportError> {
    let is_old = |node: &&&NodeDef| OLD_CONTROL_FLOW.contains(&node.op.as_str());
    if let Some(node) = nodes.iter().find(is_old) {
        let reason = NodeError::OldControlFlow(node.op.clone());
        return Err(ImportError::at(node, function, reason));
    }
    let mut by_name = HashMap::new();
    for (index, node) in nodes.iter().enumerate() {
        if by_name.insert(node.name.as_str(), index).is_some() {
            return Err(ImportError::at(node, function, NodeError::Duplicate));
        }
    }
    let mut waits = vec![0_usize; nodes.len()];
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        // Another input is a parameter of the function, or is reported as missing by its user.
        let inputs = node.input.iter();
        for source in inputs.filter_map(|input| by_name.get(source_of(input))) {
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
        Some(stuck) => Err(ImportError::at(nodes[stuck], function, NodeError::Cycle)),
        None => Ok(order),
    }
}

/// Returns the functions of the library that a node names, in an attribute or as its operation.
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
