//! The life of queues along all paths of a function, structured or with branches between blocks.
//!
//! ```text
//!   %q = prefetch           %q: open
//!   cf.br ^loop(%q)         %r: open, %q: forwarded                  a queue that is forwarded has a new name from
//!   ^loop(%r):              joined over all edges in                  there on
//!     cf.cond_br %c, ^close, ^loop(%r)
//! ```
//!
//! A forward data-flow problem. Its points are the first operations of blocks and those behind operations with regions;
//! its facts are for each name of a queue what it is on some path. Facts only grow, so the work list runs dry. Cost:
//! the points, times the names that are known there.

use std::collections::{BTreeMap, BTreeSet};
use tfx_dialects::host;
use tfx_ir::ops::scf;

use melior::ir::Type;
use rustc_hash::FxHashMap;
use tfx_dialects::types::{HostType, host_type};
use tfx_ir::{Block, Op, Value};

/// What a name of a queue is on some path to a point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Life<'a> {
    /// Open.
    pub(crate) is_open: bool,
    /// Closed, by the first of these operations in the program.
    pub(crate) closed: BTreeMap<usize, Op<'a>>,
    /// Known by another name, since this operation.
    pub(crate) forwarded: BTreeMap<usize, Op<'a>>,
    /// The operations that may have opened it, by their number.
    pub(crate) opened: BTreeMap<usize, Op<'a>>,
}

impl<'a> Life<'a> {
    /// Adds what is true on other paths; whether that is anything new.
    fn join(&mut self, other: &Life<'a>) -> bool {
        let before = (
            self.is_open,
            self.closed.len(),
            self.forwarded.len(),
            self.opened.len(),
        );
        self.is_open |= other.is_open;
        self.closed.extend(&other.closed);
        self.forwarded.extend(&other.forwarded);
        self.opened.extend(&other.opened);
        before
            != (
                self.is_open,
                self.closed.len(),
                self.forwarded.len(),
                self.opened.len(),
            )
    }
}

/// The queues that are known at a point, by the number of their name.
pub(crate) type Lives<'a> = BTreeMap<usize, Life<'a>>;

/// A function whose queues are followed.
pub(crate) struct QueueFlow<'a> {
    names: FxHashMap<Value<'a>, usize>,
    numbers: FxHashMap<Op<'a>, usize>,
    /// What is known at each point that control comes to.
    at: BTreeMap<usize, Lives<'a>>,
    points: BTreeMap<usize, Op<'a>>,
    todo: BTreeSet<usize>,
}

/// Whether a value is a queue.
pub(crate) fn is_queue(value: Value<'_>) -> bool {
    is_queue_type(value.ty())
}

/// Whether a type is that of queues.
pub(crate) fn is_queue_type(ty: Type<'_>) -> bool {
    matches!(host_type(ty), Some(HostType::Queue(_)))
}

impl<'a> QueueFlow<'a> {
    pub(crate) fn of(function: Op<'a>) -> Self {
        let mut flow = QueueFlow {
            names: FxHashMap::default(),
            numbers: FxHashMap::default(),
            at: BTreeMap::new(),
            points: BTreeMap::new(),
            todo: BTreeSet::new(),
        };
        for (number, op) in function.walk().enumerate() {
            flow.numbers.insert(op, number);
            let arguments = op.regions().flat_map(|region| region.blocks());
            let arguments = arguments.flat_map(Block::arguments);
            for value in arguments
                .chain(op.results())
                .filter(|value| is_queue(*value))
            {
                let next = flow.names.len();
                flow.names.insert(value, next);
            }
        }
        if let Some(first) = function.region(0).entry().and_then(Block::first) {
            flow.reach(first, &Lives::new());
        }
        while let Some(number) = flow.todo.pop_first() {
            let point = flow.points[&number];
            let mut lives = flow.at[&number].clone();
            let mut next = Some(point);
            while let Some(op) = next {
                flow.apply(op, &mut lives);
                if flow.leave(op, &lives) {
                    break;
                }
                next = op.next();
            }
        }
        flow
    }

    /// Calls `visit` with each operation that control comes to and what is known right before it, in program order.
    pub(crate) fn visit(&self, mut visit: impl FnMut(Op<'a>, &Lives<'a>)) {
        for (number, lives) in &self.at {
            let mut lives = lives.clone();
            let mut next = Some(self.points[number]);
            while let Some(op) = next {
                visit(op, &lives);
                self.apply(op, &mut lives);
                if op.is_terminator() || is_looked_into(op) {
                    break;
                }
                next = op.next();
            }
        }
    }

    /// The number of a queue's name.
    pub(crate) fn name(&self, value: Value<'a>) -> Option<usize> {
        self.names.get(&value).copied()
    }

    /// What one operation does to queues.
    fn apply(&self, op: Op<'a>, lives: &mut Lives<'a>) {
        match op.name() {
            host::Prefetch::NAME => {
                let life = Life {
                    is_open: true,
                    opened: BTreeMap::from([(self.numbers[&op], op)]),
                    ..Life::default()
                };
                lives.insert(self.names[&op.result(0)], life);
            }
            host::Close::NAME => {
                if let Some(life) = self
                    .name(op.operand(0))
                    .and_then(|name| lives.get_mut(&name))
                {
                    life.is_open = false;
                    life.closed.insert(self.numbers[&op], op);
                }
            }
            _ => {}
        }
    }

    /// Follows control out of a terminator or into regions. Whether it went anywhere else than to the next operation.
    fn leave(&mut self, op: Op<'a>, lives: &Lives<'a>) -> bool {
        if op.is_terminator() {
            self.terminate(op, lives);
            return true;
        }
        if is_looked_into(op) {
            self.enter(op, lives);
            return true;
        }
        false
    }

    fn terminate(&mut self, op: Op<'a>, lives: &Lives<'a>) {
        for index in 0..op.num_successors() {
            let block = op.successor(index);
            let operands = op.successor_operands(index);
            let skipped = operands.map_or(0, |operands| operands.produced());
            let given = operands
                .map(|operands| operands.values())
                .unwrap_or_default();
            let targets: Vec<_> = block.arguments().skip(skipped).collect();
            self.forward(op, lives, &given, &targets, block.first());
        }
        let Some(owner) = op.parent().filter(|owner| is_looked_into(*owner)) else {
            return;
        };
        let given: Vec<Value<'a>> = op.operands().collect();
        let results: Vec<_> = owner.results().collect();
        let arguments = |region: usize, skipped: usize| -> (Vec<Value<'a>>, Option<Op<'a>>) {
            let block = owner.region(region).entry();
            let arguments = block.into_iter().flat_map(Block::arguments).skip(skipped);
            (arguments.collect(), block.and_then(Block::first))
        };
        match (op.name(), owner.name()) {
            (scf::Condition::NAME, _) => {
                let (targets, first) = arguments(1, 0);
                self.forward(op, lives, &given[1..], &targets, first);
                self.forward(op, lives, &given[1..], &results, owner.next());
            }
            (scf::Yield::NAME, scf::While::NAME) => {
                let (targets, first) = arguments(0, 0);
                self.forward(op, lives, &given, &targets, first);
            }
            (scf::Yield::NAME, scf::For::NAME) => {
                let (targets, first) = arguments(0, 1);
                self.forward(op, lives, &given, &targets, first);
                self.forward(op, lives, &given, &results, owner.next());
            }
            (scf::Yield::NAME, _) => self.forward(op, lives, &given, &results, owner.next()),
            _ => {}
        }
    }

    fn enter(&mut self, op: Op<'a>, lives: &Lives<'a>) {
        let given: Vec<Value<'a>> = op.operands().collect();
        let first = |region: usize| op.region(region).entry();
        match op.name() {
            scf::For::NAME => {
                let results: Vec<_> = op.results().collect();
                self.forward(op, lives, &given[3..], &results, op.next());
                let Some(body) = first(0) else { return };
                let targets: Vec<_> = body.arguments().skip(1).collect();
                self.forward(op, lives, &given[3..], &targets, body.first());
            }
            scf::While::NAME => {
                let Some(before) = first(0) else { return };
                let targets: Vec<_> = before.arguments().collect();
                self.forward(op, lives, &given, &targets, before.first());
            }
            _ => {
                for region in op.regions() {
                    let first = region.entry().and_then(Block::first);
                    // An `scf.if` without else goes on.
                    self.forward(op, lives, &[], &[], first.or(op.next()));
                }
            }
        }
    }

    /// Control goes on at `point`, with `given` by the names of `targets`. A name that nothing uses is none.
    fn forward(
        &mut self,
        by: Op<'a>,
        lives: &Lives<'a>,
        given: &[Value<'a>],
        targets: &[Value<'a>],
        point: Option<Op<'a>>,
    ) {
        let Some(point) = point else { return };
        let pairs = given.iter().zip(targets);
        let renamed: Vec<(usize, usize)> = pairs
            .filter(|(_, target)| !target.is_unused())
            .filter_map(|(from, to)| Some((self.name(*from)?, self.name(*to)?)))
            .collect();
        if renamed.is_empty() {
            self.reach(point, lives);
            return;
        }
        let mut after = lives.clone();
        let mut given_once = BTreeSet::new();
        for (from, to) in &renamed {
            let mut life = lives.get(from).cloned().unwrap_or_default();
            if !given_once.insert(*from) {
                // The first of its new names is the queue's.
                life.is_open = false;
                life.forwarded.insert(self.numbers[&by], by);
            }
            after.insert(*to, life);
        }
        for (from, _) in &renamed {
            // A loop forwards a queue to the name that it had before.
            if renamed.iter().any(|(_, to)| to == from) {
                continue;
            }
            let life = after.entry(*from).or_default();
            life.is_open = false;
            life.forwarded.insert(self.numbers[&by], by);
        }
        self.reach(point, &after);
    }

    fn reach(&mut self, point: Op<'a>, lives: &Lives<'a>) {
        let number = self.numbers[&point];
        let is_new = self.points.insert(number, point).is_none();
        let known = self.at.entry(number).or_default();
        let mut grows = is_new;
        for (name, life) in lives {
            grows |= match known.get_mut(name) {
                Some(known) => known.join(life),
                None => known.insert(*name, life.clone()).is_none(),
            };
        }
        if grows {
            self.todo.insert(number);
        }
    }
}

/// Whether control in the regions of an operation is followed.
pub(crate) fn is_looked_into(op: Op<'_>) -> bool {
    matches!(
        op.name(),
        scf::If::NAME
            | scf::IndexSwitch::NAME
            | scf::While::NAME
            | scf::For::NAME
            | scf::ExecuteRegion::NAME
    )
}
