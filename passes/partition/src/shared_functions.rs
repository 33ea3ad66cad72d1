//! Shared functions: scalar code that both sides can run, and that `tfx-inline` left as a function
//! because of its size.
//!
//! ```text
//!   func private @table(%i: i32) -> f32 { ... }        func private @table(%i: i32) -> f32 { ... }
//!   scf.for %i = ... {                                 tfx_tensor.graph private @table.graph(%i: i32) -> f32 { ... }
//!     %r = call @table(%i)                       ──►
//!     op "Mul"(%w, %r)                                 graph: tfx_tensor.call @table.graph(%i)    host: call @table(%i)
//! ```
//!
//! Partition treats a call of one like an `arith` operation: either side computes it where it is
//! needed. A function is shared if it is not recursive and every operation in it is replicable,
//! structured control flow, or a call of a shared function: it has no effect, and no graph
//! operation that the host would have to request.
//!
//! # Algorithm
//!
//! Callees first (Kahn's order): a function qualifies once all of its callees do, so recursive
//! functions never qualify.
//!
//! Cost: linear in the functions of the module.

use std::collections::HashMap;
use tfx_ir::ops::{func, scf};

use tfx_dialects::replicable::{replicable, same_bits};
use tfx_ir::Op;
use tfx_ir::symbols::is_graph_function;

/// A function that both sides can run.
pub(crate) struct SharedFunction<'a> {
    pub(crate) func: Op<'a>,
    /// It gives the same bits on both sides; see [`tfx_dialects::replicable`].
    pub(crate) same_bits: bool,
}

/// A function that is shared once its callees are.
struct Candidate<'a> {
    func: Op<'a>,
    same_bits: bool,
    callees: Vec<&'a str>,
}

/// Returns the shared functions among `functions`, in their order.
pub(crate) fn find<'a>(functions: &[Op<'a>]) -> Vec<SharedFunction<'a>> {
    let candidates: Vec<_> = functions
        .iter()
        .filter_map(|func| candidate(*func))
        .collect();
    let index: HashMap<&str, usize> = (0..)
        .zip(&candidates)
        .filter_map(|(index, candidate)| Some((candidate.func.symbol_name()?, index)))
        .collect();
    let mut callers = vec![Vec::new(); candidates.len()];
    let mut open: Vec<usize> = Vec::with_capacity(candidates.len());
    for (caller, candidate) in candidates.iter().enumerate() {
        for callee in candidate.callees.iter().filter_map(|name| index.get(name)) {
            callers[*callee].push(caller);
        }
        // A callee that is not a candidate never qualifies.
        open.push(candidate.callees.len());
    }
    let mut is_shared = vec![false; candidates.len()];
    let mut same_bits: Vec<bool> = candidates
        .iter()
        .map(|candidate| candidate.same_bits)
        .collect();
    let mut todo: Vec<usize> = (0..candidates.len())
        .filter(|&function| open[function] == 0)
        .collect();
    while let Some(callee) = todo.pop() {
        is_shared[callee] = true;
        for &caller in &callers[callee] {
            same_bits[caller] &= same_bits[callee];
            open[caller] -= 1;
            if open[caller] == 0 {
                todo.push(caller);
            }
        }
    }
    let found = candidates
        .into_iter()
        .zip(is_shared.into_iter().zip(same_bits));
    found
        .filter(|(_, (is_shared, _))| *is_shared)
        .map(|(candidate, (_, same_bits))| SharedFunction {
            func: candidate.func,
            same_bits,
        })
        .collect()
}

fn candidate(func: Op<'_>) -> Option<Candidate<'_>> {
    if is_graph_function(func) || func.region(0).single_block().is_none() {
        return None;
    }
    let mut candidate = Candidate {
        func,
        same_bits: true,
        callees: Vec::new(),
    };
    for op in func.walk().skip(1) {
        match op.name() {
            func::Call::NAME => candidate.callees.push(op.symbol("callee")?),
            func::Return::NAME | scf::Yield::NAME | scf::Condition::NAME => {}
            scf::If::NAME | scf::IndexSwitch::NAME | scf::For::NAME | scf::While::NAME => {
                if op
                    .regions()
                    .any(|region| !region.is_empty() && region.single_block().is_none())
                {
                    return None;
                }
            }
            _ if replicable(op) => candidate.same_bits &= same_bits(op),
            _ => return None,
        }
    }
    Some(candidate)
}
