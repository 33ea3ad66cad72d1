//! Where each value is made: on the host, in the graph, or on both sides.
//!
//! ```text
//!    call @f ──► mulf ──► op "Mul"        mulf depends on the host alone: host, its result is sent
//!    op "Mean" ──► to_scalar ──► cmpf     depends on the graph alone: graph, the host gets one boolean
//!    step + 1, step % 100 == 0            depends on neither: both sides, nothing crosses
//! ```
//!
//! This is the one place that decides between replicating and sending, behind one function: [`choose`]. Any answer is correct
//! that leaves graph operations to the graph and host code to the host, and says *both* only of values whose sources (and the
//! conditions that choose among them, unless a side has those anyway) are all *both*; the rest of partition makes it so. What differs
//! is the number of transfers.
//!
//! The rule here is a data-flow analysis with two facts per value, *something of the graph's flows in* and *something of the host's flows
//! in*. A region operation's condition flows into its results, except on a side that runs the region operation anyway and so has
//! the condition at no cost. Flexible code on graph values inside control flow that only the host has stays with the host: taking it
//! into the graph would take the control flow along. A value with both facts is made in the graph if the graph needs it, so
//! that only the host's part of it crosses, and on the host otherwise.
//!
//! Cost: linear; each edge is followed at most once per fact.

use crate::facts::Facts;
use crate::function::{Def, Function, Kind, OpId, RegionId, ValueId};

/// Where a value is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// On each side that needs it.
    Both,
    /// In the graph; the host receives it.
    Graph,
    /// On the host; the graph receives it.
    Host,
}

/// Decides for every value. Values from before the start are the host's to make and the graph's to take as inputs, and count as *both*.
pub(crate) fn choose(function: &Function, facts: &Facts) -> Vec<Home> {
    let flow = Flow::of(function, facts);
    let wanted = flow.mixed_values_for_graph();
    let home = |value: ValueId| match flow.bits[value.index()] {
        0 => Home::Both,
        GRAPH => Home::Graph,
        HOST => Home::Host,
        _ if wanted[value.index()] => Home::Graph,
        _ => Home::Host,
    };
    function.value_ids().map(home).collect()
}

/// Something that only the graph makes flows in.
const GRAPH: u8 = 1;
/// Something that only the host makes flows in.
const HOST: u8 = 2;

struct Flow<'f> {
    function: &'f Function,
    facts: &'f Facts,
    /// The facts of each value.
    bits: Vec<u8>,
}

impl<'f> Flow<'f> {
    fn of(function: &'f Function, facts: &'f Facts) -> Self {
        let mut flow = Flow {
            function,
            facts,
            bits: vec![0; function.values.len()],
        };
        let edges = flow.edges();
        let host_only = flow.host_only_regions();
        let mut todo: Vec<(ValueId, u8)> = function
            .value_ids()
            .map(|value| (value, flow.own_bits(value)))
            .filter(|&(_, bits)| bits != 0)
            .collect();
        while let Some((value, mut new)) = todo.pop() {
            if new & GRAPH != 0 && host_only[function.region_of(value).index()] {
                new |= HOST;
            }
            let bits = &mut flow.bits[value.index()];
            new &= !*bits;
            if new == 0 {
                continue;
            }
            *bits |= new;
            let onward = edges
                .from(value)
                .iter()
                .map(|edge| (edge.to, edge.mask & new));
            todo.extend(onward.filter(|&(_, bits)| bits != 0));
        }
        flow
    }

    /// What a value is by itself.
    fn own_bits(&self, value: ValueId) -> u8 {
        let data = &self.function[value];
        let by_type = if data.transferable { 0 } else { HOST };
        let by_op = match data.def {
            _ if self.facts.is_before_start(self.function, value) => 0,
            Def::Result(op, _) => match self.function[op].kind {
                Kind::Graph => GRAPH,
                Kind::Host => HOST,
                _ => 0,
            },
            Def::Argument(..) => 0,
        };
        by_type | by_op
    }

    /// Where facts flow: from sources, and from the conditions that choose among them.
    fn edges(&self) -> Edges {
        let mut list = Vec::new();
        for value in self.function.value_ids() {
            if self.facts.is_before_start(self.function, value) || self.is_root(value) {
                continue;
            }
            self.function.sources(value, |source| {
                list.push((
                    source.value,
                    Edge {
                        to: value,
                        mask: GRAPH | HOST,
                    },
                ))
            });
            let Some(owner) = self.function.controller(value) else {
                continue;
            };
            let mask = self.control_mask(owner);
            self.function.controls(owner, |control| {
                list.push((control.value, Edge { to: value, mask }))
            });
        }
        Edges::new(self.function.values.len(), list)
    }

    /// Graph operations and host code are where they are, whatever flows into them.
    fn is_root(&self, value: ValueId) -> bool {
        matches!(self.function[value].def, Def::Result(op, _) if matches!(self.function[op].kind, Kind::Graph | Kind::Host))
    }

    /// Which facts about a condition matter for what it chooses: not those of a side that has the condition anyway.
    fn control_mask(&self, owner: OpId) -> u8 {
        if self.facts.bypass(owner).is_some() {
            return 0;
        }
        let host = if self.facts.has_graph(owner) { 0 } else { HOST };
        let graph = if self.facts.has_host(owner) { 0 } else { GRAPH };
        host | graph
    }

    /// The regions inside control flow that only the host has.
    fn host_only_regions(&self) -> Vec<bool> {
        let mut inside = vec![false; self.function.regions.len()];
        // A region comes after the one around it.
        for region in (0..self.function.regions.len()).map(RegionId::new) {
            let Some(owner) = self.function[region].owner else {
                continue;
            };
            let around = inside[self.function[owner].region.index()];
            inside[region.index()] =
                around || (self.facts.has_host(owner) && !self.facts.has_graph(owner));
        }
        inside
    }

    /// The values with both facts that the graph needs for its operations and their control.
    fn mixed_values_for_graph(&self) -> Vec<bool> {
        let mut wanted = vec![false; self.bits.len()];
        let mut todo = Vec::new();
        for op in self.function.op_ids().filter(|&op| self.facts.is_live(op)) {
            match self.function[op].kind {
                Kind::Graph => todo.extend(
                    self.function[op]
                        .operands
                        .iter()
                        .map(|operand| operand.value),
                ),
                _ if self.facts.has_graph(op) && self.facts.bypass(op).is_none() => {
                    self.function
                        .controls(op, |control| todo.push(control.value));
                }
                _ => {}
            }
        }
        while let Some(value) = todo.pop() {
            let mixed = self.bits[value.index()] == GRAPH | HOST;
            if !mixed
                || !self.function[value].transferable
                || std::mem::replace(&mut wanted[value.index()], true)
            {
                continue;
            }
            self.function
                .sources(value, |source| todo.push(source.value));
            if let Some(owner) = self
                .function
                .controller(value)
                .filter(|&owner| self.facts.bypass(owner).is_none())
            {
                self.function
                    .controls(owner, |control| todo.push(control.value));
            }
        }
        wanted
    }
}

#[derive(Clone, Copy)]
struct Edge {
    to: ValueId,
    mask: u8,
}

/// Edges grouped by where they start.
struct Edges {
    first: Vec<usize>,
    edges: Vec<Edge>,
}

impl Edges {
    fn new(values: usize, mut list: Vec<(ValueId, Edge)>) -> Self {
        list.sort_by_key(|(from, _)| *from);
        let mut first = vec![0; values + 1];
        list.iter()
            .for_each(|(from, _)| first[from.index() + 1] += 1);
        for index in 0..values {
            first[index + 1] += first[index];
        }
        Edges {
            first,
            edges: list.into_iter().map(|(_, edge)| edge).collect(),
        }
    }

    fn from(&self, value: ValueId) -> &[Edge] {
        &self.edges[self.first[value.index()]..self.first[value.index() + 1]]
    }
}
