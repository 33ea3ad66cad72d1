//! The facts about a function that partition needs before it chooses: liveness, the control flow
//! that each side has in any case, and the start of the graph.
//!
//! ```text
//!   live:      print, call, assert, abort, stateful graph operations, the return,
//!              and whatever those need (data, control, what loops carry)          the rest is dropped
//!   has_graph: a region operation with a live graph operation somewhere inside    the graph has it in any case
//!   has_host:  the same for host code                                             the host has it in any case
//!   start:     the first operation of the body that is or has a live graph operation
//! ```
//!
//! A branch that aborts is no decision for the graph: the host cancels the graph, whose state no
//! longer matters. So if no graph operation is in an aborting arm and one other arm remains, the
//! graph runs that arm unconditionally ([`Facts::bypass`]).
//!
//! Linear: each operation and value is visited once.

use crate::function::{BODY, Def, Function, Kind, OpId, RegionId, ValueId};

/// The graph's bypass of an `scf.if` or `scf.index_switch` that needs no decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bypass {
    /// It runs nothing: every arm aborts.
    Over,
    /// It runs this arm: all others abort.
    Into(RegionId),
}

/// The facts; the module describes them.
#[derive(Debug)]
pub(crate) struct Facts {
    live: Vec<bool>,
    live_values: Vec<bool>,
    has_graph: Vec<bool>,
    has_host: Vec<bool>,
    bypass: Vec<Option<Bypass>>,
    constant: Vec<bool>,
    /// The position in the body before which the graph starts; after all operations if no graph
    /// operation is live.
    pub(crate) start: usize,
    /// The last position in the body that is or contains a live graph operation.
    pub(crate) last: usize,
    /// The regions inside of operations of the body that come after it.
    late: Vec<bool>,
    /// The regions inside of operations of the body that come before the start.
    early: Vec<bool>,
    /// The regions that the graph does not reach.
    beyond_graph: Vec<bool>,
}

impl Facts {
    /// Collects the facts.
    pub(crate) fn of(function: &Function) -> Facts {
        let (live, live_values) = Liveness::of(function);
        let graph_op = |op: OpId| live[op.index()] && function[op].kind == Kind::Graph;
        let host_op =
            |op: OpId| live[op.index()] && matches!(function[op].kind, Kind::Host | Kind::Abort);
        let has_graph = owners_of(function, graph_op);
        let has_host = owners_of(function, host_op);

        let mut places = (0..)
            .zip(&function[BODY].ops)
            .filter(|&(_, &op)| graph_op(op) || has_graph[op.index()])
            .map(|(index, _)| index);
        let start = places.next().unwrap_or(function[BODY].ops.len());
        let last = places.last().unwrap_or(start);

        let bypass: Vec<Option<Bypass>> = function
            .op_ids()
            .map(|op| bypass(function, op, |op| graph_op(op) || has_graph[op.index()]))
            .collect();
        let constant = constants(function);
        let top = |op: OpId| (function[op].region == BODY).then_some(function[op].index);
        let late = regions_where(function, |_, owner| top(owner) > Some(last));
        let early = regions_where(function, |_, owner| {
            top(owner).is_some_and(|top| top < start)
        });
        let beyond_graph = regions_where(function, |region, owner| {
            function[region].aborts && bypass[owner.index()].is_some()
        });
        Facts {
            live,
            live_values,
            has_graph,
            has_host,
            bypass,
            constant,
            start,
            last,
            late,
            early,
            beyond_graph,
        }
    }

    /// Returns whether the graph does not reach a region, because it bypasses an arm that aborts.
    pub(crate) fn is_beyond_graph(&self, region: RegionId) -> bool {
        self.beyond_graph[region.index()]
    }

    /// Returns whether an operation runs before the graph starts.
    pub(crate) fn is_early(&self, function: &Function, op: OpId) -> bool {
        let data = &function[op];
        self.early[data.region.index()] || data.region == BODY && data.index < self.start
    }

    /// Returns whether a position, the one before the operation at `index` of a region, comes after
    /// the last graph operation.
    pub(crate) fn is_late(&self, region: RegionId, index: usize) -> bool {
        self.late[region.index()] || region == BODY && index > self.last
    }

    /// Returns whether a graph is needed.
    pub(crate) fn needs_graph(&self, function: &Function) -> bool {
        self.start < function[BODY].ops.len()
    }

    /// Returns whether an operation is live.
    pub(crate) fn is_live(&self, op: OpId) -> bool {
        self.live[op.index()]
    }

    /// Returns whether a value is live.
    pub(crate) fn is_live_value(&self, value: ValueId) -> bool {
        self.live_values[value.index()]
    }

    /// Returns whether a live graph operation is inside.
    pub(crate) fn has_graph(&self, op: OpId) -> bool {
        self.has_graph[op.index()]
    }

    /// Returns whether live host code is inside.
    pub(crate) fn has_host(&self, op: OpId) -> bool {
        self.has_host[op.index()]
    }

    /// Returns how the graph bypasses a region operation without a decision, if it does.
    pub(crate) fn bypass(&self, op: OpId) -> Option<Bypass> {
        self.bypass[op.index()]
    }

    /// Returns whether a value is computed from constants by plain operations alone, which have the
    /// same bits on both sides.
    pub(crate) fn is_constant(&self, value: ValueId) -> bool {
        self.constant[value.index()]
    }

    /// Returns whether the graph has a value from before its start: as an input, or as a constant
    /// that it computes again.
    pub(crate) fn is_input(&self, function: &Function, value: ValueId) -> bool {
        let can_be = !function[value].stays || self.is_constant(value);
        can_be && self.is_before_start(function, value)
    }

    /// Returns whether the host has a value before the graph starts.
    pub(crate) fn is_before_start(&self, function: &Function, value: ValueId) -> bool {
        match function[value].def {
            Def::Argument(region, _) => region == BODY,
            Def::Result(op, _) => function[op].region == BODY && function[op].index < self.start,
        }
    }
}

/// Returns the regions that are requested by themselves and through the operation that they belong
/// to, and all regions inside of these.
fn regions_where(function: &Function, wanted: impl Fn(RegionId, OpId) -> bool) -> Vec<bool> {
    let mut inside = vec![false; function.regions.len()];
    // A region comes after the one around it.
    for region in (0..inside.len()).map(RegionId::new) {
        if let Some(owner) = function[region].owner {
            inside[region.index()] =
                inside[function[owner].region.index()] || wanted(region, owner);
        }
    }
    inside
}

/// Returns the region operations around those that `wanted` selects.
fn owners_of(function: &Function, wanted: impl Fn(OpId) -> bool) -> Vec<bool> {
    let mut marked = vec![false; function.ops.len()];
    for op in function.op_ids().filter(|&op| wanted(op)) {
        let mut region = function[op].region;
        while let Some(owner) = function[region]
            .owner
            .filter(|owner| !marked[owner.index()])
        {
            marked[owner.index()] = true;
            region = function[owner].region;
        }
    }
    marked
}

fn bypass(function: &Function, op: OpId, has_graph: impl Fn(OpId) -> bool) -> Option<Bypass> {
    let data = &function[op];
    if !matches!(data.kind, Kind::If | Kind::Switch) {
        return None;
    }
    let aborting = data.regions.iter().filter(|&&arm| function[arm].aborts);
    let graph_in = |arm: &RegionId| function[*arm].ops.iter().any(|&op| has_graph(op));
    let mut left = data.regions.iter().filter(|&&arm| !function[arm].aborts);
    match (aborting.clone().count(), left.next(), left.next()) {
        (0, ..) | (_, _, Some(_)) => None,
        _ if aborting.clone().any(graph_in) => None,
        (_, None, _) => Some(Bypass::Over),
        (_, Some(&arm), None) => Some(Bypass::Into(arm)),
    }
}

fn constants(function: &Function) -> Vec<bool> {
    let mut constant = vec![false; function.values.len()];
    // Operands come before results, so one pass in program order suffices.
    for data in &function.ops {
        let is_plain = data.kind == Kind::Flexible && data.same_bits;
        let mut operands = data.operands.iter();
        if is_plain && operands.all(|operand| constant[operand.value.index()]) {
            for result in &data.results {
                constant[result.index()] = true;
            }
        }
    }
    constant
}

/// Computes liveness.
struct Liveness<'f> {
    function: &'f Function,
    ops: Vec<bool>,
    values: Vec<bool>,
    todo: Vec<ValueId>,
}

impl<'f> Liveness<'f> {
    fn of(function: &'f Function) -> (Vec<bool>, Vec<bool>) {
        let mut liveness = Liveness {
            function,
            ops: vec![false; function.ops.len()],
            values: vec![false; function.values.len()],
            todo: Vec::new(),
        };
        for op in function.op_ids() {
            let data = &function[op];
            let effect = matches!(data.kind, Kind::Host | Kind::Graph) && !data.pure;
            if effect || data.kind == Kind::Abort {
                liveness.op(op);
            }
        }
        if !function[BODY].aborts {
            liveness.op(function.end(BODY));
        }
        while let Some(value) = liveness.todo.pop() {
            liveness.follow(value);
        }
        (liveness.ops, liveness.values)
    }

    fn op(&mut self, op: OpId) {
        if std::mem::replace(&mut self.ops[op.index()], true) {
            return;
        }
        let function = self.function;
        let data = &function[op];
        if data.kind.has_regions() {
            function.controls(op, |operand, _| self.value(operand.value));
        } else {
            data.operands
                .iter()
                .for_each(|operand| self.value(operand.value));
        }
        let mut region = data.region;
        while let Some(owner) = function[region]
            .owner
            .filter(|owner| !self.ops[owner.index()])
        {
            self.ops[owner.index()] = true;
            function.controls(owner, |operand, _| self.value(operand.value));
            region = function[owner].region;
        }
    }

    fn value(&mut self, value: ValueId) {
        if !std::mem::replace(&mut self.values[value.index()], true) {
            self.todo.push(value);
        }
    }

    fn follow(&mut self, value: ValueId) {
        let function = self.function;
        match function.controller(value) {
            Some(owner) => {
                self.op(owner);
                function.sources(value, |source, _| self.value(source.value));
            }
            None => {
                if let Def::Result(op, _) = function[value].def {
                    self.op(op);
                }
            }
        }
    }
}
