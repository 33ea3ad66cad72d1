//! The states of queues on all paths of a function, in structured control flow and with branches
//! between blocks.
//!
//! ```text
//!   %q = prefetch           %q: open
//!   cf.br ^loop(%q)         %r: open, %q: forwarded             a forwarded queue has a new value
//!   ^loop(%r):              joined over all edges
//!     cf.cond_br %c, ^close, ^loop(%r)
//! ```
//!
//! A forward dataflow analysis. Its points are the first operations of blocks and the operations
//! after those with regions. Its facts are the possible states of each value that is a queue. Facts
//! only grow, so the analysis terminates. Cost: the points times the queues that are known there.

use std::collections::{BTreeMap, BTreeSet};

use melior::ir::Type;
use rustc_hash::FxHashMap;
use tfx_dialects::host;
use tfx_dialects::types::{HostType, host_type};
use tfx_ir::ops::{Structured, scf};
use tfx_ir::{Block, Op, Region, Value};

/// The state of a queue at a point, joined over all paths. Operations are ordered by their number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct QueueState<'a> {
    pub(crate) is_open: bool,
    /// The operations that may have closed it.
    pub(crate) closed: BTreeMap<usize, Op<'a>>,
    /// The operations that may have forwarded it to another value.
    pub(crate) forwarded: BTreeMap<usize, Op<'a>>,
    /// The operations that may have opened it.
    pub(crate) opened: BTreeMap<usize, Op<'a>>,
}

impl<'a> QueueState<'a> {
    /// Adds the state of other paths. Returns whether that changes the state.
    fn join(&mut self, other: &QueueState<'a>) -> bool {
        let size = |state: &Self| {
            let sets = [&state.closed, &state.forwarded, &state.opened];
            (state.is_open, sets.map(BTreeMap::len))
        };
        let before = size(self);
        self.is_open |= other.is_open;
        self.closed.extend(&other.closed);
        self.forwarded.extend(&other.forwarded);
        self.opened.extend(&other.opened);
        before != size(self)
    }
}

/// The states of the queues that are known at a point, by the number of their value.
pub(crate) type QueueStates<'a> = BTreeMap<usize, QueueState<'a>>;

/// The result of the analysis of a function.
#[derive(Default)]
pub(crate) struct QueueFlow<'a> {
    queues: FxHashMap<Value<'a>, usize>,
    ops: FxHashMap<Op<'a>, usize>,
    /// The reachable points, and the states there, by the number of their operation.
    points: BTreeMap<usize, (Op<'a>, QueueStates<'a>)>,
    todo: BTreeSet<usize>,
}

pub(crate) fn is_queue(value: Value<'_>) -> bool {
    is_queue_type(value.ty())
}

pub(crate) fn is_queue_type(ty: Type<'_>) -> bool {
    matches!(host_type(ty), Some(HostType::Queue(_)))
}

impl<'a> QueueFlow<'a> {
    pub(crate) fn of(function: Op<'a>) -> Self {
        let mut flow = QueueFlow::default();
        for (number, op) in function.walk().enumerate() {
            flow.ops.insert(op, number);
            let blocks = op.regions().flat_map(Region::blocks);
            let values = blocks.flat_map(Block::arguments).chain(op.results());
            for value in values.filter(|value| is_queue(*value)) {
                let next = flow.queues.len();
                flow.queues.insert(value, next);
            }
        }
        if let Some(first) = function.region(0).entry().and_then(Block::first) {
            flow.reach(first, &QueueStates::new());
        }
        while let Some(number) = flow.todo.pop_first() {
            let (point, mut states) = flow.points[&number].clone();
            let mut next = Some(point);
            while let Some(op) = next {
                flow.apply(op, &mut states);
                if op.is_terminator() {
                    flow.leave(op, &states);
                    break;
                }
                if has_known_control_flow(op) {
                    flow.enter(op, &states);
                    break;
                }
                next = op.next();
            }
        }
        flow
    }

    /// Calls `visit` with each reachable operation and the states before it, in program order.
    pub(crate) fn visit(&self, mut visit: impl FnMut(Op<'a>, &QueueStates<'a>)) {
        for (point, states) in self.points.values() {
            let mut states = states.clone();
            let mut next = Some(*point);
            while let Some(op) = next {
                visit(op, &states);
                self.apply(op, &mut states);
                if op.is_terminator() || has_known_control_flow(op) {
                    break;
                }
                next = op.next();
            }
        }
    }

    /// Returns the number of a queue.
    pub(crate) fn number(&self, queue: Value<'a>) -> Option<usize> {
        self.queues.get(&queue).copied()
    }

    /// Applies the effect of one operation.
    fn apply(&self, op: Op<'a>, states: &mut QueueStates<'a>) {
        if let Some(open) = host::Prefetch::cast(op) {
            let state = QueueState {
                is_open: true,
                opened: BTreeMap::from([(self.ops[&op], op)]),
                ..QueueState::default()
            };
            states.insert(self.queues[&open.queue()], state);
        } else if let Some(close) = host::Close::cast(op)
            && let Some(number) = self.number(close.queue())
            && let Some(state) = states.get_mut(&number)
        {
            state.is_open = false;
            state.closed.insert(self.ops[&op], op);
        }
    }

    /// Follows the edges from a terminator.
    fn leave(&mut self, end: Op<'a>, states: &QueueStates<'a>) {
        for (index, block) in end.successors().enumerate() {
            let operands = end.successor_operands(index);
            let first = operands.map_or(0, |operands| operands.produced());
            let operands = operands.map(|operands| operands.values());
            self.enter_block(end, states, &operands.unwrap_or_default(), block, first);
        }
        let Some(owner) = end.parent().filter(|owner| has_known_control_flow(*owner)) else {
            return;
        };
        let results: Vec<_> = owner.results().collect();
        if let Some(end) = scf::Condition::cast(end)
            && let Some(op) = scf::While::cast(owner)
        {
            let args = end.args().to_vec();
            self.enter_region(end.op(), states, &args, op.after(), 0);
            self.forward(end.op(), states, &args, &results, owner.next());
        } else if let Some(end) = scf::Yield::cast(end) {
            let values = end.results().to_vec();
            match Structured::cast(owner) {
                Some(Structured::While(op)) => {
                    self.enter_region(end.op(), states, &values, op.before(), 0);
                    return;
                }
                Some(Structured::For(op)) => {
                    let first = op.first_iter_arg();
                    self.enter_region(end.op(), states, &values, op.region(), first);
                }
                _ => {}
            }
            self.forward(end.op(), states, &values, &results, owner.next());
        }
    }

    /// Follows the edges into the regions of an operation, or past it.
    fn enter(&mut self, op: Op<'a>, states: &QueueStates<'a>) {
        match Structured::cast(op) {
            Some(Structured::For(view)) => {
                let inits = view.init_args().to_vec();
                let results: Vec<_> = op.results().collect();
                self.forward(op, states, &inits, &results, op.next());
                self.enter_region(op, states, &inits, view.region(), view.first_iter_arg());
            }
            Some(Structured::While(view)) => {
                self.enter_region(op, states, &view.inits().to_vec(), view.before(), 0);
            }
            _ => {
                for region in op.regions() {
                    // The else region of an `scf.if` may be empty.
                    let first = region.entry().and_then(Block::first);
                    self.forward(op, states, &[], &[], first.or(op.next()));
                }
            }
        }
    }

    fn enter_region(
        &mut self,
        by: Op<'a>,
        states: &QueueStates<'a>,
        values: &[Value<'a>],
        region: Region<'a>,
        first: usize,
    ) {
        if let Some(block) = region.entry() {
            self.enter_block(by, states, values, block, first);
        }
    }

    /// Follows an edge that forwards `values` to the arguments of a block from argument `first`.
    fn enter_block(
        &mut self,
        by: Op<'a>,
        states: &QueueStates<'a>,
        values: &[Value<'a>],
        block: Block<'a>,
        first: usize,
    ) {
        let targets: Vec<_> = block.arguments().skip(first).collect();
        self.forward(by, states, values, &targets, block.first());
    }

    /// Follows an edge to `point` that forwards `values` to `targets`. Ignores unused targets.
    fn forward(
        &mut self,
        by: Op<'a>,
        states: &QueueStates<'a>,
        values: &[Value<'a>],
        targets: &[Value<'a>],
        point: Option<Op<'a>>,
    ) {
        let Some(point) = point else { return };
        let pairs = values.iter().zip(targets);
        let moves: Vec<(usize, usize)> = pairs
            .filter(|(_, target)| !target.is_unused())
            .filter_map(|(from, to)| Some((self.number(*from)?, self.number(*to)?)))
            .collect();
        if moves.is_empty() {
            self.reach(point, states);
            return;
        }
        let mut after = states.clone();
        let mut moved = BTreeSet::new();
        for (from, to) in &moves {
            let mut state = states.get(from).cloned().unwrap_or_default();
            if !moved.insert(*from) {
                // The first target is the queue.
                state.is_open = false;
                state.forwarded.insert(self.ops[&by], by);
            }
            after.insert(*to, state);
        }
        for (from, _) in &moves {
            // A loop may forward a queue to the value that it had before.
            if moves.iter().any(|(_, to)| to == from) {
                continue;
            }
            let state = after.entry(*from).or_default();
            state.is_open = false;
            state.forwarded.insert(self.ops[&by], by);
        }
        self.reach(point, &after);
    }

    /// Joins the states at a point with `states`.
    fn reach(&mut self, point: Op<'a>, states: &QueueStates<'a>) {
        let number = self.ops[&point];
        let mut grows = false;
        let (_, known) = self.points.entry(number).or_insert_with(|| {
            grows = true;
            (point, QueueStates::new())
        });
        for (queue, state) in states {
            grows |= match known.get_mut(queue) {
                Some(known) => known.join(state),
                None => known.insert(*queue, state.clone()).is_none(),
            };
        }
        if grows {
            self.todo.insert(number);
        }
    }
}

/// Returns whether the analysis follows control into the regions of an operation.
pub(crate) fn has_known_control_flow(op: Op<'_>) -> bool {
    Structured::cast(op).is_some() || op.isa::<scf::ExecuteRegion>()
}
