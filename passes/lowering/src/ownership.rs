//! Reference counts on a CFG: the minimal retains and releases.
//!
//! ```text
//!   %x = recv            owned: count 1
//!   call @f(%x)          borrows
//!   cf.br ^b(%x)         consumes, if this is the last use; else a retain comes first
//!   ^b(%y):              owned by the block
//!     ...                last use of %y: a release follows
//! ```
//!
//! Each handle is owned by the value that defines it, except for parameters, which the caller owns
//! unless the function takes them. An ordinary operation borrows its operands; a branch and a
//! return consume theirs, and so does an operation that stores a value in a box. An *alias* is a
//! reference to a field that is only loaded and stored in place: it is another name of the object,
//! which lives as long as its aliases are used. A value is released after its last use in each
//! block in which it is not live-out, and on each edge on which it dies; a value that is consumed
//! while it is still live, or several times, is retained first. The counts are precise: a tensor
//! is freed at the earliest point after which nothing can read it.
//!
//! Source: the ownership discipline of Perceus (Reinking, Xie, de Moura, Leijen, PLDI 2021), on
//! basic blocks, with liveness by walks from uses to definitions (Appel, Modern Compiler
//! Implementation, 19.6).
//!
//! Cost: linear in the operations and in the total length of live ranges, counted in blocks.
//!
//! Not guaranteed: the counts inside of foreign functions, whose authors follow the contract of
//! `docs/program-image.md`.

use std::collections::{HashMap, HashSet};

use tfx_ir::{Block, Definition, Op, Region, Value};

/// An inserted operation.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Count {
    /// Adds an owner.
    Retain,
    /// Removes an owner.
    Release,
}

/// The position of an inserted operation.
#[derive(Clone, Copy)]
pub(crate) enum Position<'a> {
    /// Directly before an operation.
    Before(Op<'a>),
    /// Directly after an operation.
    After(Op<'a>),
}

/// The ownership rules of operations.
#[derive(Clone, Copy)]
pub(crate) struct Rules<'a, 'f> {
    /// Returns whether a value is counted.
    pub(crate) is_handle: &'f dyn Fn(Value<'a>) -> bool,
    /// Returns whether the results of an operation are new owners (a call) or borrowed (a select).
    pub(crate) creates_owner: &'f dyn Fn(Op<'a>) -> bool,
    /// Returns whether an operation consumes that operand.
    pub(crate) consumes: &'f dyn Fn(Op<'a>, usize) -> bool,
    /// Returns whether a function owns that parameter.
    pub(crate) takes: &'f dyn Fn(Value<'a>) -> bool,
    /// The operations whose result is an alias of their first operand.
    pub(crate) aliases: &'f HashSet<Op<'a>>,
}

/// Inserts retains and releases into a function body that is a CFG. `insert` inserts one operation;
/// `jump` inserts a block that branches to a successor of a terminator with these operands.
pub(crate) fn count<'a>(
    body: Region<'a>,
    rules: Rules<'a, '_>,
    insert: &mut dyn FnMut(Count, Value<'a>, Position<'a>),
    jump: &dyn Fn(Op<'a>, Block<'a>, &[Value<'a>]) -> Block<'a>,
) {
    let Some(entry) = body.entry() else { return };
    let (live_in, order) = live_in(body, entry, rules);
    let blocks: Vec<_> = body.blocks().collect();
    let mut counter = Counter {
        entry,
        live_in,
        order,
        rules,
        insert,
        jump,
    };
    for block in blocks {
        counter.block(block);
    }
}

/// The owned values that are live-in at each block.
type LiveIn<'a> = HashMap<Block<'a>, HashSet<Value<'a>>>;

/// Returns the owned values that are live-in at each block, without its own arguments, and the
/// position of each owned value in program order.
fn live_in<'a>(
    body: Region<'a>,
    entry: Block<'a>,
    rules: Rules<'a, '_>,
) -> (LiveIn<'a>, HashMap<Value<'a>, usize>) {
    let mut live = LiveIn::new();
    let mut order = HashMap::new();
    let mut work = Vec::new();
    for block in body.blocks() {
        let is_own = |argument: &Value<'a>| block != entry || (rules.takes)(*argument);
        let arguments = block.arguments().filter(is_own);
        let results = block.ops().flat_map(|op| op.results().collect::<Vec<_>>());
        for value in arguments
            .chain(results.collect::<Vec<_>>())
            .filter(|&value| (rules.is_handle)(value))
        {
            order.insert(value, order.len());
            for user in value.uses().map(|one| one.owner) {
                let through = rules.aliases.contains(&user).then(|| user.result(0));
                let users = through.into_iter().flat_map(Value::uses);
                let users = users.map(|one| one.owner).chain([user]);
                work.extend(users.filter_map(Op::block).filter(|&at| at != block));
            }
            while let Some(at) = work.pop() {
                if at != block && live.entry(at).or_default().insert(value) {
                    work.extend(at.predecessors());
                }
            }
        }
    }
    (live, order)
}

struct Counter<'a, 'f> {
    entry: Block<'a>,
    live_in: LiveIn<'a>,
    order: HashMap<Value<'a>, usize>,
    rules: Rules<'a, 'f>,
    insert: &'f mut dyn FnMut(Count, Value<'a>, Position<'a>),
    jump: &'f dyn Fn(Op<'a>, Block<'a>, &[Value<'a>]) -> Block<'a>,
}

impl<'a> Counter<'a, '_> {
    /// Returns whether the function owns the value: other parameters belong to the caller.
    fn is_owned(&self, value: Value<'a>) -> bool {
        let is_parameter =
            matches!(value.definition(), Definition::Argument(block, _) if block == self.entry);
        (self.rules.is_handle)(value) && (!is_parameter || (self.rules.takes)(value))
    }

    fn is_live_into(&self, value: Value<'a>, block: Block<'a>) -> bool {
        self.live_in
            .get(&block)
            .is_some_and(|live| live.contains(&value))
    }

    /// Counts the values of a block, from its end to its start, so that the last use is found
    /// first.
    fn block(&mut self, block: Block<'a>) {
        let Some(terminator) = block.last() else {
            return;
        };
        let ops: Vec<_> = block.ops_backwards().skip(1).collect();
        let mut live = self.terminator(terminator);
        for op in ops {
            self.operands(op, &mut live);
            for result in op
                .results()
                .filter(|&result| self.is_owned(result))
                .collect::<Vec<_>>()
            {
                match (live.remove(&result), (self.rules.creates_owner)(op)) {
                    (true, true) | (false, false) => {}
                    (true, false) => (self.insert)(Count::Retain, result, Position::After(op)),
                    (false, true) => (self.insert)(Count::Release, result, Position::After(op)),
                }
            }
        }
        let first = block.first().unwrap_or(terminator);
        for argument in block
            .arguments()
            .filter(|&argument| self.is_owned(argument))
            .collect::<Vec<_>>()
        {
            if !live.contains(&argument) {
                (self.insert)(Count::Release, argument, Position::Before(first));
            }
        }
    }

    /// Counts the operands of an operation. `live` contains the values that are live after it.
    fn operands(&mut self, op: Op<'a>, live: &mut HashSet<Value<'a>>) {
        let (consumed, borrowed): (Vec<_>, Vec<_>) =
            (0..op.num_operands()).partition(|&index| (self.rules.consumes)(op, index));
        let borrowed = borrowed
            .into_iter()
            .map(|index| self.resolve_alias(op.operand(index)))
            .filter(|&value| self.is_owned(value));
        for value in distinct(borrowed) {
            if live.insert(value) {
                (self.insert)(Count::Release, value, Position::After(op));
            }
        }
        let consumed = consumed
            .into_iter()
            .map(|index| op.operand(index))
            .filter(|&value| (self.rules.is_handle)(value));
        let consumed = tally(consumed);
        self.retain(
            &consumed,
            |value| live.contains(&value),
            Position::Before(op),
        );
        let owned = consumed.into_iter().map(|(value, _)| value);
        live.extend(owned.filter(|&value| self.is_owned(value)));
    }

    /// Returns the value that an alias refers to; any other value as it is.
    fn resolve_alias(&self, value: Value<'a>) -> Value<'a> {
        match value.defining_op() {
            Some(alias) if self.rules.aliases.contains(&alias) => alias.operand(0),
            _ => value,
        }
    }

    /// Counts the operands of a terminator, and returns the owned values that are live before it.
    fn terminator(&mut self, terminator: Op<'a>) -> HashSet<Value<'a>> {
        match terminator.num_successors() {
            0 => self.function_return(terminator),
            1 => self.branch(terminator),
            _ => self.conditional_branch(terminator),
        }
    }

    /// Counts the operands of a return, after which nothing is live.
    fn function_return(&mut self, terminator: Op<'a>) -> HashSet<Value<'a>> {
        let consumed = tally(
            terminator
                .operands()
                .filter(|&operand| (self.rules.is_handle)(operand)),
        );
        self.retain(&consumed, |_| false, Position::Before(terminator));
        consumed
            .into_iter()
            .map(|(value, _)| value)
            .filter(|&value| self.is_owned(value))
            .collect()
    }

    /// Counts the operands of a branch with one successor, before the branch.
    fn branch(&mut self, terminator: Op<'a>) -> HashSet<Value<'a>> {
        let target = terminator.successor(0);
        let consumed = self.forwarded(terminator, 0);
        let live_after = self.live_in.get(&target).cloned().unwrap_or_default();
        self.retain(
            &consumed,
            |value| live_after.contains(&value),
            Position::Before(terminator),
        );
        let mut live = live_after;
        live.extend(
            consumed
                .into_iter()
                .map(|(value, _)| value)
                .filter(|&value| self.is_owned(value)),
        );
        live
    }

    /// Counts the operands of a branch with several successors, on each edge.
    fn conditional_branch(&mut self, terminator: Op<'a>) -> HashSet<Value<'a>> {
        let edges: Vec<_> = (0..terminator.num_successors())
            .map(|edge| self.forwarded(terminator, edge))
            .collect();
        let mut live = HashSet::new();
        for (edge, consumed) in edges.iter().enumerate() {
            let target = terminator.successor(edge);
            let into = self.live_in.get(&target).into_iter().flatten().copied();
            live.extend(
                consumed
                    .iter()
                    .map(|&(value, _)| value)
                    .filter(|&value| self.is_owned(value))
                    .chain(into),
            );
        }
        // A set has no order, but the output must be deterministic.
        let mut ordered: Vec<_> = live.iter().copied().collect();
        ordered.sort_by_key(|value| self.order.get(value));
        for (edge, consumed) in edges.into_iter().enumerate() {
            self.edge(terminator, edge, consumed, &ordered);
        }
        live
    }

    /// Inserts the retains and releases of an edge, if there are any, into a new block on the edge.
    fn edge(
        &mut self,
        terminator: Op<'a>,
        edge: usize,
        consumed: Vec<(Value<'a>, usize)>,
        live: &[Value<'a>],
    ) {
        let target = terminator.successor(edge);
        let dying: Vec<_> = live
            .iter()
            .copied()
            .filter(|&value| {
                !self.is_live_into(value, target)
                    && consumed.iter().all(|&(other, _)| other != value)
            })
            .collect();
        let retains = consumed.iter().any(|&(value, times)| {
            self.missing(value, times, self.is_live_into(value, target)) > 0
        });
        if dying.is_empty() && !retains {
            return;
        }
        let forwarded = terminator
            .successor_operands(edge)
            .map(|operands| operands.values())
            .unwrap_or_default();
        let split = (self.jump)(terminator, target, &forwarded);
        if let Some(operands) = terminator.successor_operands(edge) {
            for index in (0..forwarded.len()).rev() {
                operands.erase(index);
            }
        }
        terminator.set_successor(edge, split);
        let jump = split.last().expect("a new block ends in its jump");
        let into = self.live_in.get(&target).cloned().unwrap_or_default();
        self.retain(
            &consumed,
            |value| into.contains(&value),
            Position::Before(jump),
        );
        for value in dying {
            (self.insert)(Count::Release, value, Position::Before(jump));
        }
    }

    /// Returns the handles that are forwarded along an edge, with their multiplicity.
    fn forwarded(&self, terminator: Op<'a>, edge: usize) -> Vec<(Value<'a>, usize)> {
        let values = terminator
            .successor_operands(edge)
            .map(|operands| operands.values())
            .unwrap_or_default();
        tally(
            values
                .into_iter()
                .filter(|&value| (self.rules.is_handle)(value)),
        )
    }

    /// Returns the number of retains for a value that is consumed `times` times.
    fn missing(&self, value: Value<'a>, times: usize, live_after: bool) -> usize {
        let own = usize::from(self.is_owned(value) && !live_after);
        times - own.min(times)
    }

    fn retain(
        &mut self,
        consumed: &[(Value<'a>, usize)],
        live_after: impl Fn(Value<'a>) -> bool,
        position: Position<'a>,
    ) {
        for &(value, times) in consumed {
            for _ in 0..self.missing(value, times, live_after(value)) {
                (self.insert)(Count::Retain, value, position);
            }
        }
    }
}

/// Returns the distinct values in the order of their first occurrence, with their multiplicity.
fn tally<'a>(values: impl Iterator<Item = Value<'a>>) -> Vec<(Value<'a>, usize)> {
    let mut positions = HashMap::new();
    let mut counts: Vec<(Value<'a>, usize)> = Vec::new();
    for value in values {
        let position = *positions.entry(value).or_insert_with(|| {
            counts.push((value, 0));
            counts.len() - 1
        });
        counts[position].1 += 1;
    }
    counts
}

fn distinct<'a>(values: impl Iterator<Item = Value<'a>>) -> Vec<Value<'a>> {
    tally(values).into_iter().map(|(value, _)| value).collect()
}
