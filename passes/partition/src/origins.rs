//! Determines the values that a side can compute by itself, and those that depend on a value that
//! only the other side has.
//!
//! ```text
//!    step + 1, step % 100 == 0            depends on neither side: free, nothing crosses for it wherever it is made
//!    call @f ──► mulf                     depends on the host
//!    op "Mean" ──► to_scalar ──► cmpf     depends on the graph
//! ```
//!
//! A data-flow analysis with two facts for each value: *it depends on the graph* and *it depends on
//! the host*. The condition of a region operation flows into all values that are computed inside of
//! it and into its results, except on a side that runs the region operation in any case and so has
//! the condition at no cost.
//!
//! A third fact is that the sides could disagree on a value if both computed it, because an operand
//! rounds differently on each: [`tfx_dialects::replicable::same_bits`]. Data may differ so, but a
//! control decision may not: the sides would take different paths and wait for each other
//! indefinitely. So such a condition is *decided once*: on the only side that it depends on, or
//! else on the side that the cut selects.
//!
//! Cost: linear; each edge is followed at most once for each fact.

use crate::facts::Facts;
use crate::function::{Def, Function, Kind, OpId, ValueId};
use crate::side::Side;

/// It depends on a value that only the graph computes.
const GRAPH: u8 = 1;
/// It depends on a value that only the host computes.
const HOST: u8 = 2;
const BOTH: u8 = GRAPH | HOST;
/// The sides may round it differently.
const ROUNDED: u8 = 4;

/// The facts; the module describes them.
#[derive(Clone, Debug)]
pub(crate) struct Origins {
    /// The facts about each value, then about the presence of each operation with regions.
    bits: Vec<u8>,
    decided_once: Vec<bool>,
}

impl Origins {
    pub(crate) fn of(function: &Function, facts: &Facts) -> Self {
        let edges = edges(function, facts);
        let mut bits = vec![0; function.values.len() + function.ops.len()];
        let own = function
            .value_ids()
            .map(|value| (value.index(), own_bits(function, facts, value)));
        propagate(&edges, &mut bits, own.collect());

        let mut decided_once = vec![false; function.values.len()];
        for op in function.op_ids() {
            // Before the start and after the last graph operation, neither side waits for the
            // other.
            let data = &function[op];
            let alone = facts.is_early(function, op) || facts.is_late(data.region, data.index);
            if data.kind.has_regions() && !alone {
                function.controls(op, |control, _| {
                    decided_once[control.value.index()] |=
                        bits[control.value.index()] & ROUNDED != 0;
                });
            }
        }
        // Neither side has at no cost the values that both could compute.
        let open = |value: &usize| decided_once[*value] && bits[*value] & BOTH == 0;
        let open = (0..function.values.len()).filter(open);
        let open = open.map(|value| (value, BOTH)).collect();
        propagate(&edges, &mut bits, open);
        Origins { bits, decided_once }
    }

    /// Returns whether only one side may compute a value.
    pub(crate) fn is_decided_once(&self, value: ValueId) -> bool {
        self.decided_once[value.index()]
    }

    /// Returns whether a side can compute a value with only the transfers that happen in any case.
    pub(crate) fn is_free_on(&self, side: Side, value: ValueId) -> bool {
        let other = match side {
            Side::Host => GRAPH,
            Side::Graph => HOST,
        };
        self.bits[value.index()] & other == 0
    }
}

fn propagate(edges: &Edges, bits: &mut [u8], mut todo: Vec<(usize, u8)>) {
    while let Some((node, mut new)) = todo.pop() {
        new &= !bits[node];
        if new == 0 {
            continue;
        }
        bits[node] |= new;
        let onward = edges.from(node).iter();
        let onward = onward.map(|edge| (edge.to as usize, edge.mask & new));
        todo.extend(onward.filter(|&(_, bits)| bits != 0));
    }
}

/// Returns the facts about a value by itself.
fn own_bits(function: &Function, facts: &Facts, value: ValueId) -> u8 {
    let data = &function[value];
    let beyond_graph = facts.is_beyond_graph(function.region_of(value));
    let by_type = match data.transferable && !beyond_graph {
        true => 0,
        false => HOST,
    };
    let by_op = match data.def {
        _ if facts.is_input(function, value) => 0,
        // A tape, which cannot be an input.
        _ if facts.is_before_start(function, value) => HOST,
        Def::Result(op, _) => match function[op].kind {
            Kind::Graph => GRAPH,
            Kind::Host => HOST,
            Kind::Flexible if !function[op].same_bits => ROUNDED,
            _ => 0,
        },
        Def::Argument(..) => 0,
    };
    by_type | by_op
}

/// Builds the edges: from sources to values, from conditions to values inside, and from there
/// inwards.
fn edges(function: &Function, facts: &Facts) -> Edges {
    let presence = |op: OpId| function.values.len() + op.index();
    let mut list = Vec::new();
    for value in function.value_ids() {
        if facts.is_before_start(function, value) || function.is_pinned(value) {
            continue;
        }
        let mut flow = |from, mask| {
            let to = value.0;
            list.push((from, Edge { to, mask }));
        };
        function.sources(value, |source, _| {
            flow(source.value.index(), BOTH | ROUNDED)
        });
        if let Some(around) = function.around(value) {
            flow(presence(around), BOTH);
        }
    }
    for op in function.op_ids() {
        if !function[op].kind.has_regions() {
            continue;
        }
        let to = presence(op) as u32;
        let mask = control_mask(facts, op);
        function.controls(op, |control, _| {
            list.push((control.value.index(), Edge { to, mask }));
        });
        if let Some(around) = function[function[op].region].owner {
            list.push((presence(around), Edge { to, mask: BOTH }));
        }
    }
    Edges::new(function.values.len() + function.ops.len(), list)
}

/// Returns which facts about a condition matter for the values that it controls: not those of a
/// side that has the condition in any case, or needs none.
fn control_mask(facts: &Facts, op: OpId) -> u8 {
    let graph_has = facts.has_graph(op) || facts.bypass(op).is_some();
    let host = if graph_has { 0 } else { HOST };
    let graph = if facts.has_host(op) { 0 } else { GRAPH };
    host | graph
}

#[derive(Clone, Copy)]
struct Edge {
    to: u32,
    mask: u8,
}

/// Edges grouped by their origin.
struct Edges {
    first: Vec<u32>,
    edges: Vec<Edge>,
}

impl Edges {
    fn new(nodes: usize, list: Vec<(usize, Edge)>) -> Self {
        let mut first = vec![0; nodes + 1];
        for (from, _) in &list {
            first[from + 1] += 1;
        }
        for node in 0..nodes {
            first[node + 1] += first[node];
        }
        let mut next = first.clone();
        let mut edges = vec![Edge { to: 0, mask: 0 }; list.len()];
        for (from, edge) in list {
            edges[next[from] as usize] = edge;
            next[from] += 1;
        }
        Edges { first, edges }
    }

    fn from(&self, node: usize) -> &[Edge] {
        &self.edges[self.first[node] as usize..self.first[node + 1] as usize]
    }
}
