//! Graphs that are called once take the place of their call.
//!
//! ```text
//! tfx_tensor.while (...) { %r = call @cond(...); yield %r } do { ... }      ──►   tfx_tensor.while (...) { %r = op "Less" ...; yield %r } do { ... }
//! tfx_tensor.graph private @cond(...)
//! ```
//!
//! Operations are moved, not copied. What an attribute names stays a graph. Linear in the module.

use std::collections::{HashMap, HashSet};

use tfx_ir::Op;

use crate::effects::callee;
use crate::operations::{OP, named_graphs};

/// Folds the private ones of some graphs, which are listed callees first.
pub(super) fn fold(graphs: &[Op<'_>]) {
    let mut calls: HashMap<&str, Vec<Op<'_>>> = HashMap::new();
    let mut named: HashSet<&str> = HashSet::new();
    for op in graphs.iter().flat_map(|graph| graph.walk()) {
        if let Some(callee) = callee(op) {
            calls.entry(callee).or_default().push(op);
        } else if op.is(OP) {
            named.extend(named_graphs(op));
        }
    }
    for &graph in graphs {
        let Some(symbol) = graph.symbol_name().filter(|_| graph.is_private()) else {
            continue;
        };
        let Some(&[call]) = calls.get(symbol).map(Vec::as_slice) else {
            continue;
        };
        if named.contains(symbol) {
            continue;
        }
        let operands: Vec<_> = call.operands().collect();
        let results = graph.region(0).inline_before(call, &operands);
        call.replace_with(&results);
        graph.erase();
    }
}
