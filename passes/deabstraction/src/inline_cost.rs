//! Decides which calls `tfx-inline` replaces by the body: by the callee's contents, its size, and
//! its number of calls.
//!
//! ```text
//!   @main (tensors): call @step, call @rate
//!   @step (tensors, print)   inlined: what crosses is decided for the whole loop around it
//!   @rate (scalars alone)    inlined: the graph can compute it too, so nothing crosses
//!   @table (10,000 scalar    called twice: stays a call
//!           operations)
//! ```
//!
//! Code must mean the same in a helper function as in place, so a call in a function with tensors
//! must not decide which values cross. Three rules bound the resulting growth:
//!
//! * Functions with tensors, references, closures, arrays or enums are inlined, unless they are
//!   called at several places and are larger than the limit.
//! * Functions of scalar code are inlined in functions with tensors, if they are at most [`SMALL`]
//!   or called at one place.
//! * Functions marked `no_inline`, recursive functions and extracted functions are never inlined.
//!
//! The size of a function includes everything that is inlined into it, so a body grows by at most
//! the limit for each call in the source: the output is linear in the number of calls. A function
//! that is too large is marked `no_inline`, so that the pass is idempotent; one with tensors is
//! also named by a remark.
//!
//! Cost: linear in the call graph.
//!
//! Limits: the body of a closure is not counted where a parameter that holds it is applied.

use melior::ir::Attribute;
use tfx_dialects::tensor;
use tfx_ir::ops::{arith, func};
use tfx_ir::{Op, diag};

/// The largest scalar code that is copied to each call in a function with tensors: the size of
/// helpers that name an expression, such as a schedule, a predicate or a clamp. Larger code costs
/// more to compile than its call.
const SMALL: u64 = 64;

/// The facts about a function with a body that decide about its calls.
pub(crate) struct Inlinee<'a> {
    pub(crate) op: Op<'a>,
    /// Tensors or abstractions make it one to inline, and it is not recursive.
    pub(crate) dissolves: bool,
    /// It has tensors, or calls a function that has.
    pub(crate) has_tensors: bool,
    /// It is recursive, also through others, or generic, or split from its graph already.
    pub(crate) stays: bool,
    /// Calls of it are calls of a graph.
    pub(crate) is_graph_function: bool,
    /// An attribute depends on its parameters, so it must be inlined where they are known.
    pub(crate) is_specific: bool,
    /// The functions with a body that it calls or makes closures of.
    pub(crate) reaches: Vec<usize>,
}

/// The decision about the calls of a function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Calls {
    /// They stay.
    Stay,
    /// They are inlined in functions with tensors.
    DissolveAmongTensors,
    /// They are inlined everywhere.
    Dissolve,
}

/// The decisions about all functions.
pub(crate) struct Decisions {
    calls: Vec<Calls>,
}

impl Decisions {
    /// Returns whether calls of `callee` are inlined in a function that stays.
    pub(crate) fn inlines(&self, callee: usize, caller_has_tensors: bool) -> bool {
        match self.calls[callee] {
            Calls::Stay => false,
            Calls::DissolveAmongTensors => caller_has_tensors,
            Calls::Dissolve => true,
        }
    }
}

/// Decides for all functions of a module. `callees_first` orders them; a function that is called at
/// several places is inlined up to `limit` operations.
pub(crate) fn decide(
    functions: &[Inlinee<'_>],
    callees_first: impl Iterator<Item = usize>,
    limit: u64,
    remarks: bool,
) -> Decisions {
    let mut places = vec![0u32; functions.len()];
    let calls = functions.iter().flat_map(|function| &function.reaches);
    calls.for_each(|&callee| places[callee] += 1);
    let is_among_tensors = among_tensors(functions);
    let mut calls = vec![Calls::Stay; functions.len()];
    let mut sizes = vec![0u64; functions.len()];
    let mut too_large = Vec::new();
    for index in callees_first {
        let function = &functions[index];
        let inlined = function.reaches.iter().map(|&callee| match calls[callee] {
            Calls::Stay => 0,
            Calls::DissolveAmongTensors | Calls::Dissolve => sizes[callee],
        });
        sizes[index] = inlined.fold(size(function.op), u64::saturating_add);
        let is_called_once = places[index] == 1 && function.op.is_private();
        calls[index] = if function.stays || function.op.attribute(NO_INLINE).is_some() {
            Calls::Stay
        } else if !function.dissolves {
            match is_called_once || sizes[index] <= SMALL {
                true => Calls::DissolveAmongTensors,
                false => {
                    // It may be small enough when the passes have simplified it.
                    if is_among_tensors[index] {
                        mark(function.op);
                    }
                    Calls::Stay
                }
            }
        } else if places[index] > 1
            && sizes[index] > limit
            && !function.is_graph_function
            && !function.is_specific
        {
            too_large.push(index);
            Calls::Stay
        } else {
            Calls::Dissolve
        };
    }
    // In program order, which is the order of the functions.
    too_large.sort_unstable();
    for index in too_large {
        let op = functions[index].op;
        mark(op);
        if remarks {
            report_too_large(op, sizes[index], places[index], limit);
        }
    }
    Decisions { calls }
}

/// Returns for each function whether a function with tensors reaches it: scalar code in between may
/// be inlined there, and its calls with it.
fn among_tensors(functions: &[Inlinee<'_>]) -> Vec<bool> {
    let mut is_among = vec![false; functions.len()];
    let mut todo: Vec<usize> = (0..functions.len())
        .filter(|&index| functions[index].has_tensors)
        .collect();
    while let Some(caller) = todo.pop() {
        for &callee in &functions[caller].reaches {
            if !std::mem::replace(&mut is_among[callee], true) {
                todo.push(callee);
            }
        }
    }
    is_among
}

/// Returns the operations of a body that count: constants are free, and the terminator vanishes
/// with the call.
fn size(func: Op<'_>) -> u64 {
    let counts = |op: &Op<'_>| {
        !matches!(
            op.name(),
            arith::Constant::NAME | tensor::Const::NAME | func::Return::NAME
        )
    };
    func.walk().skip(1).filter(counts).count() as u64
}

/// Records that calls of a function stay.
fn mark(func: Op<'_>) {
    func.set_attribute(NO_INLINE, Attribute::unit(func.context()));
}

fn report_too_large(func: Op<'_>, size: u64, places: u32, limit: u64) {
    let name = func.symbol_name().unwrap_or_default();
    let message = format!(
        "calls of '@{name}' stay on the host, and each copies tensors: it has {size} operations, including those of the functions that it calls, and {places} calls; \
         a function of more than {limit} operations is inlined only if it has a single call, so raise 'inline-limit' or make fewer calls"
    );
    diag::remark(func.location(), message).emit();
}

/// On a function: its calls stay calls. It is the attribute of `func.func` that upstream's inliner
/// uses.
pub(crate) const NO_INLINE: &str = "no_inline";
