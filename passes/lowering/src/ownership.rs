//! Who releases a tensor: reference counts on a CFG, as few as can be.
//!
//! ```text
//!   %x = recv            owned: count 1
//!   call @f(%x)          borrows
//!   cf.br ^b(%x)         gives it away, if this is its last use; else retain first
//!   ^b(%y):              owned by the block
//!     ...                last use of %y: release after it
//! ```
//!
//! Every handle but a parameter of the function is owned by the value that defines it. An ordinary operation borrows its operands; a
//! branch and a return consume theirs, and so does what puts a value into a box. A *place*, which is a field of an object that is read or written
//! right there, is another name for the object: the object lives as long as its places are used. So a value is released after its last use in each block out of which it is not live, and on each
//! edge along which it dies; a value that is consumed while it is still live, or twice, is retained first. Counts are precise: a
//! tensor dies at the earliest point at which nothing can read it.
//!
//! Source: the ownership discipline of Perceus (Reinking, Xie, de Moura, Leijen, PLDI 2021), on basic blocks with liveness by walking from
//! uses to definitions (Appel, Modern Compiler Implementation, 19.6).
//! Cost: linear in the operations and in the total length of live ranges, counted in blocks.
//! Not guaranteed: that a handle inside a foreign function is treated so; the contract of `docs/program-image.md` is the author's to keep.

use std::collections::{HashMap, HashSet};

use tfx_ir::{Block, Definition, Op, Region, Value};

/// What is inserted.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Count {
    /// One more owner.
    Retain,
    /// One less.
    Release,
}

/// Where it is inserted.
#[derive(Clone, Copy)]
pub(crate) enum Position<'a> {
    /// Right before an operation.
    Before(Op<'a>),
    /// Right after an operation.
    After(Op<'a>),
}

/// What operations mean to counts.
#[derive(Clone, Copy)]
pub(crate) struct Rules<'a, 'f> {
    /// Which values are counted.
    pub(crate) is_handle: &'f dyn Fn(Value<'a>) -> bool,
    /// Whether an operation's results are new owners (a call) or other names for operands (a select).
    pub(crate) gives: &'f dyn Fn(Op<'a>) -> bool,
    /// Whether an operation takes over that operand.
    pub(crate) consumes: &'f dyn Fn(Op<'a>, usize) -> bool,
    /// The operations whose result is another name for their first operand. Its users are all in the same function.
    pub(crate) places: &'f HashSet<Op<'a>>,
}

/// Inserts retains and releases into a function body that is a CFG. `insert` makes one operation.
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

/// The owned values that are live at the start of each block.
type LiveIn<'a> = HashMap<Block<'a>, HashSet<Value<'a>>>;

/// The owned values that are live at the start of each block, its own arguments excluded; and all of them, numbered in program order.
fn live_in<'a>(
    body: Region<'a>,
    entry: Block<'a>,
    rules: Rules<'a, '_>,
) -> (LiveIn<'a>, HashMap<Value<'a>, usize>) {
    let mut live = LiveIn::new();
    let mut order = HashMap::new();
    let mut work = Vec::new();
    for block in body.blocks() {
        let arguments = block.arguments().filter(|_| block != entry);
        let results = block.ops().flat_map(|op| op.results().collect::<Vec<_>>());
        for value in arguments
            .chain(results.collect::<Vec<_>>())
            .filter(|&value| (rules.is_handle)(value))
        {
            order.insert(value, order.len());
            for user in value.uses().map(|one| one.owner) {
                let through = rules.places.contains(&user).then(|| user.result(0));
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
    /// Whether the function itself holds a count of the value: a parameter is its caller's.
    fn is_owned(&self, value: Value<'a>) -> bool {
        let borrowed =
            matches!(value.definition(), Definition::Argument(block, _) if block == self.entry);
        (self.rules.is_handle)(value) && !borrowed
    }

    fn is_live_into(&self, value: Value<'a>, block: Block<'a>) -> bool {
        self.live_in
            .get(&block)
            .is_some_and(|live| live.contains(&value))
    }

    /// From the end of a block to its start: the first use that is met is the last.
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
                match (live.remove(&result), (self.rules.gives)(op)) {
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

    /// Settles the operands of an operation, given what is live after it.
    fn operands(&mut self, op: Op<'a>, live: &mut HashSet<Value<'a>>) {
        let (consumed, borrowed): (Vec<_>, Vec<_>) =
            (0..op.num_operands()).partition(|&index| (self.rules.consumes)(op, index));
        let borrowed = borrowed
            .into_iter()
            .map(|index| self.named(op.operand(index)))
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

    /// The value that another name stands for.
    fn named(&self, value: Value<'a>) -> Value<'a> {
        match value.defining_op() {
            Some(place) if self.rules.places.contains(&place) => place.operand(0),
            _ => value,
        }
    }

    /// Settles what a terminator consumes. The owned values that are live right before it.
    fn terminator(&mut self, terminator: Op<'a>) -> HashSet<Value<'a>> {
        match terminator.num_successors() {
            0 => self.leave(terminator),
            1 => self.branch(terminator),
            _ => self.fork(terminator),
        }
    }

    /// A return: nothing is live after it.
    fn leave(&mut self, terminator: Op<'a>) -> HashSet<Value<'a>> {
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

    /// One successor: all happens before the branch.
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

    /// Several successors: what happens differs from edge to edge.
    fn fork(&mut self, terminator: Op<'a>) -> HashSet<Value<'a>> {
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
        // A set has no order of its own; the output must.
        let mut ordered: Vec<_> = live.iter().copied().collect();
        ordered.sort_by_key(|value| self.order.get(value));
        for (edge, consumed) in edges.into_iter().enumerate() {
            self.edge(terminator, edge, consumed, &ordered);
        }
        live
    }

    /// What one edge of a fork must do, in a block of its own where the successor has other predecessors.
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

    /// The handles that an edge passes on, with how often.
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

    /// How many counts are missing where a value is consumed `times` and may be live afterwards.
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

/// The values with how often each occurs, in the order of their first occurrence.
fn tally<'a>(values: impl Iterator<Item = Value<'a>>) -> Vec<(Value<'a>, usize)> {
    let mut places = HashMap::new();
    let mut counts: Vec<(Value<'a>, usize)> = Vec::new();
    for value in values {
        let place = *places.entry(value).or_insert_with(|| {
            counts.push((value, 0));
            counts.len() - 1
        });
        counts[place].1 += 1;
    }
    counts
}

fn distinct<'a>(values: impl Iterator<Item = Value<'a>>) -> Vec<Value<'a>> {
    tally(values).into_iter().map(|(value, _)| value).collect()
}
