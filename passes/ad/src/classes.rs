//! The choice of the closures and existentials that become enums.
//!
//! ```text
//!   gradient %f of !F (%x)      %f may be @power(%k), @wave() or @twice(%g)
//!                               %g, a capture, may be @power(%k)
//!                        ──►    first the class of %g: {power(f64)}
//!                               then the class of %f:  {power(f64), wave(), twice(the first one)}
//! ```
//!
//! A request needs the class of its closure, and a class needs those of its captures. A class that
//! cannot become an enum stays as it is: an error, if a request needs its functions.
//!
//! Cost: linear in the slots and makers of the program.

use melior::ir::Type;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::types::{HostType, host_type};
use tfx_ir::diag::{self, Diagnostic, Diagnostics};
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Op, Value};

use crate::places::{Maker, Places, Reason, Slots, components};

/// A class of slots whose closures become an enum.
pub(crate) struct Class<'a> {
    /// The slot that represents it.
    pub(crate) slot: usize,
    /// In program order.
    pub(crate) makers: Vec<Maker<'a>>,
}

/// The closures that have to be known.
pub(crate) struct Needed<'a> {
    /// The requests that differentiate a closure, with that.
    pub(crate) requests: Vec<(Op<'a>, Value<'a>)>,
    /// The slots of other closures through which derivatives may go.
    pub(crate) slots: Vec<Slots>,
}

/// The classes of a program that become enums.
pub(crate) struct Chosen<'a> {
    /// Each after those of its captures.
    pub(crate) classes: Vec<Class<'a>>,
    /// The classes that cannot become enums, although requests need them or they capture each
    /// other: calls that share functions may have joined different ones.
    pub(crate) confused: FxHashSet<usize>,
    /// The requests whose closures stay.
    pub(crate) errors: Diagnostics<'a>,
}

/// Chooses the classes that become enums.
pub(crate) fn choose<'a>(
    needed: &Needed<'a>,
    places: &Places<'a>,
    program: &SymbolTable<'a>,
) -> Chosen<'a> {
    let mut choice = Choice::new(places, program);
    for (_, closure) in &needed.requests {
        choice.add(&places.slots(*closure));
    }
    needed.slots.iter().for_each(|slots| choice.add(slots));
    let mut chosen = choice.finish();
    let mut seen = FxHashSet::default();
    for (request, closure) in &needed.requests {
        let slot = places.class(places.slots(*closure).start);
        if let Some(obstacle) = choice.obstacles.get(&slot) {
            chosen
                .confused
                .extend(obstacle.reason.as_ref().map(|_| slot));
            // A copy of a function has the same errors.
            if seen.insert(request.location().to_string()) {
                let error = unknown_closure(*request, *closure, obstacle);
                chosen.errors.push(error);
            }
        }
    }
    chosen
}

/// The reason why a class cannot become an enum, and what to write instead.
struct Obstacle<'a> {
    reason: Option<Reason<'a>>,
    to_write: &'static str,
}

struct Choice<'p, 'a> {
    places: &'p Places<'a>,
    program: &'p SymbolTable<'a>,
    makers: FxHashMap<usize, Vec<Maker<'a>>>,
    fixed: FxHashMap<usize, &'p Reason<'a>>,
    /// The methods of existentials that are called.
    called: FxHashMap<usize, Vec<&'a str>>,
    graph: DiGraph<usize, ()>,
    /// By class, for those that are needed.
    nodes: FxHashMap<usize, NodeIndex>,
    obstacles: FxHashMap<usize, Obstacle<'a>>,
}

impl<'p, 'a> Choice<'p, 'a> {
    fn new(places: &'p Places<'a>, program: &'p SymbolTable<'a>) -> Self {
        let mut makers: FxHashMap<_, Vec<_>> = FxHashMap::default();
        for (slot, maker) in places.makers() {
            makers.entry(places.class(slot)).or_default().push(maker);
        }
        let mut fixed = FxHashMap::default();
        for (slot, reason) in places.fixed() {
            fixed.entry(places.class(slot)).or_insert(reason);
        }
        let mut called: FxHashMap<_, Vec<_>> = FxHashMap::default();
        for (slot, method) in places.called() {
            called.entry(places.class(slot)).or_default().push(method);
        }
        Choice {
            places,
            program,
            makers,
            fixed,
            called,
            graph: DiGraph::new(),
            nodes: FxHashMap::default(),
            obstacles: FxHashMap::default(),
        }
    }

    /// Adds the classes of slots, and those that their closures capture.
    fn add(&mut self, slots: &Slots) {
        let mut todo: Vec<_> = slots.clone().map(|slot| (None, slot)).collect();
        while let Some((user, slot)) = todo.pop() {
            let class = self.places.class(slot);
            let node = match self.nodes.get(&class) {
                Some(node) => *node,
                None => {
                    let node = self.graph.add_node(class);
                    self.nodes.insert(class, node);
                    match self.obstacle(class) {
                        Some(obstacle) => _ = self.obstacles.insert(class, obstacle),
                        None => {
                            let captured = self.captured(class);
                            todo.extend(captured.into_iter().map(|slot| (Some(node), slot)));
                        }
                    }
                    node
                }
            };
            if let Some(user) = user {
                self.graph.update_edge(user, node, ());
            }
        }
    }

    fn makers(&self, class: usize) -> &[Maker<'a>] {
        self.makers.get(&class).map_or(&[], Vec::as_slice)
    }

    /// Returns the slots of the captures of a class.
    fn captured(&self, class: usize) -> Vec<usize> {
        let makers = self.makers(class).iter();
        let captures = makers.flat_map(|maker| maker.captures());
        captures
            .flat_map(|capture| self.places.slots(capture))
            .collect()
    }

    fn obstacle(&self, class: usize) -> Option<Obstacle<'a>> {
        if let Some(reason) = self.fixed.get(&class) {
            return Some(Obstacle {
                reason: Some((*reason).clone()),
                to_write: reason.to_write,
            });
        }
        let makers = self.makers(class);
        if makers.is_empty() {
            return Some(Obstacle {
                reason: None,
                to_write: "no call passes a closure here: pass one, or name the function",
            });
        }
        let empty = Vec::new();
        let called = self.called.get(&class).unwrap_or(&empty);
        let without_method = makers.iter().find(|maker| match maker {
            Maker::Closure(_) => false,
            Maker::Erase(op) => self.places.table(*op).is_none_or(|table| {
                let methods = table.method_names();
                called.iter().any(|method| !methods.contains(method))
            }),
        });
        if let Some(maker) = without_method {
            return Some(Obstacle {
                reason: Some(Reason {
                    location: maker.op().location(),
                    text: "the witness table of this type does not have all methods".to_owned(),
                    to_write: "",
                }),
                to_write: "declare a witness table of the type, and run tfx-specialize before",
            });
        }
        let by_reference = makers.iter().find(|maker| {
            let mut captures = maker.captures().into_iter();
            captures.any(|capture| has_reference(capture.ty(), self.program))
        });
        by_reference.map(|maker| Obstacle {
            reason: Some(Reason {
                location: maker.op().location(),
                text: "the closure that is made here captures a variable".to_owned(),
                to_write: "",
            }),
            to_write: "capture the value of the variable instead, or name the function",
        })
    }

    /// Excludes the classes that capture themselves.
    fn finish(&mut self) -> Chosen<'a> {
        let mut chosen = Chosen {
            classes: Vec::new(),
            confused: FxHashSet::default(),
            errors: Diagnostics::default(),
        };
        for component in kosaraju_scc(&self.graph) {
            let first = component[0];
            let is_cycle = component.len() > 1 || self.graph.contains_edge(first, first);
            for node in component {
                let slot = self.graph[node];
                if is_cycle {
                    chosen.confused.insert(slot);
                    let obstacle = self.recursive(slot);
                    self.obstacles.entry(slot).or_insert(obstacle);
                }
                if !self.obstacles.contains_key(&slot) {
                    let makers = self.makers(slot).to_vec();
                    chosen.classes.push(Class { slot, makers });
                }
            }
        }
        chosen
    }

    /// Returns the obstacle of a class whose closures capture some of the class, directly or not.
    fn recursive(&self, class: usize) -> Obstacle<'a> {
        let mut makers = self.makers(class).iter();
        let maker = makers.find(|maker| {
            let mut captures = maker.captures().into_iter();
            captures.any(|capture| !self.places.slots(capture).is_empty())
        });
        Obstacle {
            reason: maker.map(|maker| Reason {
                location: maker.op().location(),
                text:
                    "the closure that is made here captures a closure that may itself be made here"
                        .to_owned(),
                to_write: "",
            }),
            to_write: "keep the closures in an array, and apply them in a loop, or name the function",
        }
    }
}

/// The most types that a type consists of; more count as a reference. No hand-written type has so
/// many, but a generic struct can contain itself with ever larger arguments.
const MOST_TYPES: usize = 1 << 12;

/// Returns whether a type contains a reference to a variable, outside of signatures of closures.
fn has_reference<'a>(ty: Type<'a>, program: &SymbolTable<'a>) -> bool {
    let mut seen = FxHashSet::from_iter([ty]);
    let mut todo = vec![ty];
    while let Some(ty) = todo.pop() {
        match host_type(ty) {
            Some(HostType::Ref(_)) => return true,
            Some(HostType::Closure(_)) => {}
            _ => {
                let parts = components(ty, program).into_iter();
                todo.extend(parts.filter(|part| seen.insert(*part)));
            }
        }
        if seen.len() > MOST_TYPES {
            return true;
        }
    }
    false
}

fn unknown_closure<'a>(
    request: Op<'a>,
    closure: Value<'a>,
    obstacle: &Obstacle<'a>,
) -> Diagnostic<'a> {
    let error = diag::error(
        request.location(),
        "cannot differentiate this closure: its function is not known here",
    )
    .note(closure.location(), "the closure comes from here");
    let error = match &obstacle.reason {
        Some(reason) => error.note(reason.location, reason.text.clone()),
        None => error,
    };
    error.note(request.location(), obstacle.to_write)
}
