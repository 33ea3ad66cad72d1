//! Copies of functions for their calls, where calls that share a function confuse closures.
//!
//! ```text
//!   %f = call @compose(%a, %b)                 %f = call @compose(%a, %b)
//!   %g = call @compose(%f, %c)          ──►    %g = call @compose_1(%f, %c)
//!
//!   func @compose(%p, %q) { closure @after(%p, %q) }
//! ```
//!
//! The closures of all calls of `@compose` are one class, since they share its result. That of
//! `%g` captures `%f`, so the class seems to capture itself. With a copy of `@compose` for each
//! call, and then one of `@after` for each closure, there is a class for each.
//!
//! # Algorithm
//!
//! Each function that holds closures of the confused classes is copied for all its calls but the
//! first, unless it is recursive. The functions that it calls have several calls then: the next run
//! copies these.
//!
//! Source: Sharir and Pnueli, "Two approaches to interprocedural data flow analysis", 1981.
//!
//! Cost: linear in the program and the copies, of which there are at most [`MOST_COPIES`].

use petgraph::algo::kosaraju_scc;
use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::derivatives::RULE;
use tfx_dialects::host;
use tfx_ir::ops::func;
use tfx_ir::symbols::{SYMBOL_NAME, SymbolTable};
use tfx_ir::{Builder, Mapping, Op};

use crate::closures::{CALLEE, MOST_COPIES, Origins, add_origin};
use crate::demand::{Request, references};
use crate::functions::{block_of, functions};
use crate::places::Places;

/// Copies the functions that hold closures of some classes. Returns whether there are any copies.
pub(crate) fn split<'a>(
    classes: &FxHashSet<usize>,
    places: &Places<'a>,
    program: &mut SymbolTable<'a>,
    origins: &mut Origins,
) -> bool {
    let all: Vec<_> = functions(program).collect();
    let recursive = recursive(&all);
    let holds = |op: Op<'a>| {
        let slots = op.definitions().flat_map(|value| places.slots(value));
        slots
            .map(|slot| places.class(slot))
            .any(|class| classes.contains(&class))
    };
    let is_copied = |function: &Op<'a>| {
        let may_be = function.is_private() && function.attribute(RULE).is_none();
        may_be && !recursive.contains(function) && function.walk().any(holds)
    };
    let copied: FxHashSet<_> = all.iter().copied().filter(is_copied).collect();
    let mut seen = FxHashSet::default();
    let mut is_changed = false;
    for call in all.iter().flat_map(|function| function.walk()) {
        let is_call = call.isa::<func::Call>() || call.isa::<host::Closure>();
        let name = match is_call || Request::read(call).is_some() {
            true => call.symbol(CALLEE),
            false => None,
        };
        let function = name.and_then(|name| program.get(name));
        let Some(function) = function.filter(|function| copied.contains(function)) else {
            continue;
        };
        if seen.insert(function) || origins.len() == MOST_COPIES {
            continue;
        }
        let mut builder = Builder::at_end(block_of(program), function.location());
        let copy = builder.clone_op(function, &mut Mapping::new());
        let original = function.symbol_name().unwrap_or_default();
        copy.set_string(SYMBOL_NAME, &program.unique_name(original));
        let name = program.insert(copy);
        add_origin(name, original, origins);
        call.set_symbol(CALLEE, name);
        is_changed = true;
    }
    is_changed
}

/// Returns the functions that reach themselves.
fn recursive<'a>(functions: &[Op<'a>]) -> FxHashSet<Op<'a>> {
    let graph = references(functions);
    let nodes: FxHashMap<_, _> = graph.node_indices().zip(functions).collect();
    let components = kosaraju_scc(&graph).into_iter();
    let cycles = components.filter(|nodes| {
        let first = nodes[0];
        nodes.len() > 1 || graph.contains_edge(first, first)
    });
    cycles.flatten().map(|node| *nodes[&node]).collect()
}
