//! Inlining of graphs with a single call.
//!
//! ```text
//! tfx_tensor.while (...) {                        tfx_tensor.while (...) {
//!   %r = call @cond(...)                   ──►      %r = op "Less" ...
//!   yield %r } do { ... }                           yield %r } do { ... }
//! tfx_tensor.graph private @cond(...)
//! ```
//!
//! Operations are moved, not copied. Functions that attributes name stay graphs. The cost is linear
//! in the module.

use std::collections::{HashMap, HashSet};

use tfx_dialects::tensor;

use crate::operations::named_graphs;

/// Inlines the private graphs among `graphs`, which are ordered callees first.
pub(super) fn fold(graphs: &[tensor::Graph<'_>]) {
    let mut calls: HashMap<&str, Vec<tensor::Call<'_>>> = HashMap::new();
    let mut named: HashSet<&str> = HashSet::new();
    for op in graphs.iter().flat_map(|graph| graph.walk()) {
        if let Some(call) = tensor::Call::cast(op) {
            calls.entry(call.callee()).or_default().push(call);
        } else if op.isa::<tensor::Op>() {
            named.extend(named_graphs(op));
        }
    }
    for graph in graphs.iter().filter(|graph| graph.is_private()) {
        let symbol = graph.sym_name();
        let Some(&[call]) = calls.get(symbol).map(Vec::as_slice) else {
            continue;
        };
        if named.contains(symbol) {
            continue;
        }
        let results = graph
            .body()
            .inline_before(*call, &call.arguments().to_vec());
        call.replace_with(&results);
        graph.erase();
    }
}
