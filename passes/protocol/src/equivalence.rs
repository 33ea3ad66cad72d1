//! Proves that a value of the host equals a value of the graph, so that both sides make the same
//! decisions.
//!
//! ```text
//!   host                              graph
//!   %i = theta(%zero, %i + %one)      %j = theta(%zero', %j + %one')     assume %i = %j
//!   %go = cmpi slt, %i, %n            %go' = cmpi slt, %j, %n'           heads alike; prove operands:
//!              argument of @f ▲              input of the graph ▲        assumed, and the input %n
//! ```
//!
//! A value is a term: its *head* (a pure operation with its attributes, a branch, a loop) applied
//! to its operands. A value that is received, or is an input, is the value that was sent
//! ([`crate::match_sides`]). So is a scalar of a packed message ([`crate::packed`]), and a scalar
//! that is put into a tensor and read from it ([`crate::terms`]). Two values are equal if their
//! heads are alike and their operands are equal.
//!
//! In a loop, equality is assumed before it is proved, which is induction over the iterations. A
//! value is a stream over the iterations of the loops around it; an iteration argument is its
//! initial value, followed by the values that the loop yields. Only the nesting depth distinguishes
//! loops, because equal streams are equal whatever loop computes them (program expression graphs:
//! Tate, Stepp, Tatlock, Lerner, POPL 2009). Assumptions are unions of classes, as in Hopcroft and
//! Karp's equivalence test of automata (1971), so no pair is examined twice.
//!
//! A call on the host and one in the graph are alike if their callees compute the same
//! ([`crate::functions`]). Other operations are alike only if they give the same bits on both
//! sides: different rounding could lead to different decisions.
//!
//! Cost: one step for each union, so linear in the code that computes decisions. Equalities that
//! need algebra, such as `a + b = b + a`, are not proved.

use rustc_hash::FxHashMap;
use tfx_dialects::comm::{self, CommOp};
use tfx_dialects::replicable::{replicable, same_bits};
use tfx_dialects::tensor;
use tfx_ir::ops::{Structured, scf};
use tfx_ir::{Block, Definition, Op, Value};

use crate::events::{Projection, correspond};
use crate::packed;
use crate::schedule::{Schedule, bounds};
use crate::terms::Term;

/// Two values whose equality has to be proved.
pub(crate) type Goal<'a> = (Value<'a>, Value<'a>);
/// Decides whether two operations are calls that compute the same results from equal operands.
pub(crate) type Calls<'s, 'a> = &'s dyn Fn(Op<'a>, Op<'a>) -> bool;

/// The known equalities between the values of two programs.
pub(crate) struct Equivalence<'s, 'a> {
    host: &'s Projection<'a>,
    graph: &'s Projection<'a>,
    schedule: &'s Schedule<'a>,
    calls: Calls<'s, 'a>,
    /// The start of the graph, and the body of the graph, whose arguments are the inputs.
    started: Option<(comm::Start<'a>, Block<'a>)>,
    /// The number of loops around the regions of an operation.
    depths: FxHashMap<Op<'a>, usize>,
    /// The results of [`Self::resolve`].
    resolved: FxHashMap<Term<'a>, Term<'a>>,
    ids: FxHashMap<Term<'a>, usize>,
    /// A union-find forest.
    parents: Vec<usize>,
}

impl<'s, 'a> Equivalence<'s, 'a> {
    pub(crate) fn new(
        host: &'s Projection<'a>,
        graph: &'s Projection<'a>,
        schedule: &'s Schedule<'a>,
        start: comm::Start<'a>,
        graph_op: tensor::Graph<'a>,
        calls: Calls<'s, 'a>,
    ) -> Self {
        let mut equivalence = Equivalence::of_functions(host, schedule, calls);
        equivalence.graph = graph;
        equivalence.started = graph_op.body().entry().map(|body| (start, body));
        // The graph runs in one iteration of the loops around its start.
        let around = start.parent().map_or(0, |parent| equivalence.depth(parent));
        equivalence.depths.insert(graph_op.op(), around);
        equivalence
    }

    /// Creates the equivalence of two functions without events. Nothing is known except what is
    /// [assumed](Self::assume).
    pub(crate) fn of_functions(
        projection: &'s Projection<'a>,
        schedule: &'s Schedule<'a>,
        calls: Calls<'s, 'a>,
    ) -> Self {
        Equivalence {
            host: projection,
            graph: projection,
            schedule,
            calls,
            started: None,
            depths: FxHashMap::default(),
            resolved: FxHashMap::default(),
            ids: FxHashMap::default(),
            parents: Vec::new(),
        }
    }

    pub(crate) fn assume(&mut self, one: Value<'a>, other: Value<'a>) {
        self.resolved.insert(Term::Value(other), Term::Value(one));
    }

    /// Assumes that the iteration arguments of a loop have their initial values. Later proofs then
    /// hold in the first iteration only.
    pub(crate) fn assume_first_iteration(&mut self, op: scf::While<'a>) {
        let arguments = op.before().entry().into_iter().flat_map(Block::arguments);
        for (argument, init) in arguments.zip(op.inits().iter()) {
            let init = self.resolve(init);
            self.resolved.insert(Term::Value(argument), init);
        }
    }

    /// Proves that two values are equal.
    ///
    /// # Errors
    ///
    /// Two values that must be equal and cannot be proved equal.
    pub(crate) fn prove(&mut self, host: Value<'a>, graph: Value<'a>) -> Result<(), Goal<'a>> {
        let mut todo = vec![(host, graph)];
        while let Some((one, other)) = todo.pop() {
            let (one, other) = (self.resolve(one), self.resolve(other));
            if self.union(one, other) && !self.terms_are_alike(one, other, &mut todo) {
                return Err((one.value(), other.value()));
            }
        }
        Ok(())
    }

    /// Merges the classes of two terms. Returns whether they were different.
    fn union(&mut self, one: Term<'a>, other: Term<'a>) -> bool {
        let (one, other) = (self.class(one), self.class(other));
        // Path halving alone gives almost constant time.
        self.parents[one.max(other)] = one.min(other);
        one != other
    }

    fn class(&mut self, term: Term<'a>) -> usize {
        let next = self.parents.len();
        let mut at = *self.ids.entry(term).or_insert(next);
        if at == next {
            self.parents.push(next);
        }
        while self.parents[at] != at {
            self.parents[at] = self.parents[self.parents[at]];
            at = self.parents[at];
        }
        at
    }

    /// Follows a value back through messages, inputs, branches with one reachable end, and scalars
    /// in tensors. Returns the term at the origin.
    fn resolve(&mut self, value: Value<'a>) -> Term<'a> {
        let mut path = Vec::new();
        let mut at = Term::Value(value);
        let resolved = loop {
            if let Some(&resolved) = self.resolved.get(&at) {
                break resolved;
            }
            path.push(at);
            let source = self.source(at.value()).map(|source| at.with_value(source));
            match source.or_else(|| at.unwrapped(|receive| self.received(receive))) {
                Some(next) => at = next,
                None => break at,
            }
        };
        for term in path {
            self.resolved.insert(term, resolved);
        }
        resolved
    }

    fn received(&self, receive: comm::Recv<'a>) -> Option<Value<'a>> {
        self.schedule.received.get(&receive).copied()
    }

    /// Returns the value that is forwarded to `value`, if there is only one.
    fn source(&self, value: Value<'a>) -> Option<Value<'a>> {
        match value.definition() {
            Definition::Argument(block, index) => {
                if let Some((start, body)) = self.started
                    && block == body
                {
                    return Some(start.inputs().at(index));
                }
                let op = scf::While::cast(block.parent()?)?;
                (op.after().entry()? == block).then(|| Some(op.end()?.args().at(index)))?
            }
            Definition::Result(op, index) => match CommOp::cast(op) {
                Some(CommOp::Recv(op)) => self.received(op),
                Some(CommOp::ToHost(op)) => Some(op.value()),
                Some(CommOp::ToAccelerator(op)) => Some(op.value()),
                Some(CommOp::Copy(op)) => Some(op.value()),
                Some(_) => None,
                None => match Structured::cast(op) {
                    Some(branch) if branch.is_branch() => {
                        let blocks = op.regions().filter_map(|region| region.entry());
                        let mut ends = blocks
                            .filter(|&block| self.reaches_end(block))
                            .filter_map(Block::last);
                        let end = ends.next()?;
                        ends.next().is_none().then(|| end.operand(index))
                    }
                    Some(_) => None,
                    None => packed::source(value, |receive| self.received(receive)),
                },
            },
        }
    }

    fn reaches_end(&self, block: Block<'a>) -> bool {
        !self.host.unreachable_ends.contains(&block)
            && !self.graph.unreachable_ends.contains(&block)
            && !self.schedule.cancelled_ends.contains(&block)
    }

    /// Returns whether the heads of two terms are alike. Adds their operands to `todo`.
    fn terms_are_alike(
        &mut self,
        one: Term<'a>,
        other: Term<'a>,
        todo: &mut Vec<Goal<'a>>,
    ) -> bool {
        match (one, other) {
            (Term::Value(one), Term::Value(other)) => self.heads_are_alike(one, other, todo),
            (Term::ScalarIn(one), Term::ScalarIn(other))
            | (Term::TensorOf(one), Term::TensorOf(other)) => {
                todo.push((one, other));
                true
            }
            _ => false,
        }
    }

    fn heads_are_alike(
        &mut self,
        one: Value<'a>,
        other: Value<'a>,
        todo: &mut Vec<Goal<'a>>,
    ) -> bool {
        if one.ty() != other.ty() {
            return false;
        }
        match (one.definition(), other.definition()) {
            (Definition::Result(one, index), Definition::Result(other, other_index)) => {
                match (Structured::cast(one), Structured::cast(other)) {
                    (Some(one), Some(other)) => {
                        self.structured_are_alike((one, index), (other, other_index), todo)
                    }
                    (None, None) => {
                        let alike = index == other_index
                            && one.num_operands() == other.num_operands()
                            && ((self.calls)(one, other) || pure_are_alike(one, other));
                        if alike {
                            todo.extend(one.operands().zip(other.operands()));
                        }
                        alike
                    }
                    _ => false,
                }
            }
            (Definition::Argument(one, index), Definition::Argument(other, other_index)) => {
                self.arguments_are_alike((one, index), (other, other_index), todo)
            }
            _ => false,
        }
    }

    /// Compares two results of structured operations.
    fn structured_are_alike(
        &mut self,
        (one, index): (Structured<'a>, usize),
        (other, other_index): (Structured<'a>, usize),
        todo: &mut Vec<Goal<'a>>,
    ) -> bool {
        match (one, other) {
            (Structured::While(one), Structured::While(other)) => {
                let (Some(one_end), Some(other_end)) = (one.end(), other.end()) else {
                    return false;
                };
                todo.push((one_end.condition(), other_end.condition()));
                todo.push((one_end.args().at(index), other_end.args().at(other_index)));
                self.depth(one.op()) == self.depth(other.op())
            }
            (Structured::For(one), Structured::For(other)) => {
                let argument = |op: scf::For<'a>, index: usize| {
                    Some(op.region().entry()?.argument(op.first_iter_arg() + index))
                };
                let arguments = (argument(one, index), argument(other, other_index));
                let (Some(one_argument), Some(other_argument)) = arguments else {
                    return false;
                };
                todo.push((one_argument, other_argument));
                todo.extend(bounds(one).into_iter().zip(bounds(other)));
                self.depth(one.op()) == self.depth(other.op())
                    && one.attributes() == other.attributes()
            }
            _ => {
                if !correspond(one, other) {
                    return false;
                }
                todo.extend(one.condition().zip(other.condition()));
                for (one, other) in one.op().regions().zip(other.op().regions()) {
                    let (Some(one), Some(other)) = (one.entry(), other.entry()) else {
                        return false;
                    };
                    // If one side does not reach the end, the value of the other is irrelevant.
                    if let (Some(one_end), Some(other_end)) = (one.last(), other.last())
                        && self.reaches_end(one)
                        && self.reaches_end(other)
                    {
                        todo.push((one_end.operand(index), other_end.operand(other_index)));
                    }
                }
                true
            }
        }
    }

    /// Compares two arguments of loop bodies: by their initial values and those of the next
    /// iteration.
    fn arguments_are_alike(
        &mut self,
        (one, index): (Block<'a>, usize),
        (other, other_index): (Block<'a>, usize),
        todo: &mut Vec<Goal<'a>>,
    ) -> bool {
        let parents = (one.parent(), other.parent());
        let (Some(one), Some(other)) = parents else {
            return false;
        };
        let (Some(one), Some(other)) = (Structured::cast(one), Structured::cast(other)) else {
            return false;
        };
        if self.depth(one.op()) != self.depth(other.op()) {
            return false;
        }
        if let (Structured::For(one), Structured::For(other), 0, 0) =
            (one, other, index, other_index)
        {
            todo.push((one.lower_bound(), other.lower_bound()));
            todo.push((one.step(), other.step()));
            return true;
        }
        let streams = (Stream::of(one, index), Stream::of(other, other_index));
        let (Some(one), Some(other)) = streams else {
            return false;
        };
        todo.push((one.init, other.init));
        if self.reaches_end(one.body) && self.reaches_end(other.body) {
            todo.push((one.next, other.next));
        }
        true
    }

    /// Returns the number of loops around the regions of `op`.
    fn depth(&mut self, op: Op<'a>) -> usize {
        let mut path = Vec::new();
        let mut at = Some(op);
        let mut depth = 0;
        while let Some(op) = at {
            if let Some(&known) = self.depths.get(&op) {
                depth = known;
                break;
            }
            path.push(op);
            at = op.parent();
        }
        for op in path.into_iter().rev() {
            depth += usize::from(Structured::cast(op).is_some_and(Structured::is_loop));
            self.depths.insert(op, depth);
        }
        depth
    }
}

/// Compares two operations without control flow, except for their operands.
fn pure_are_alike<'a>(one: Op<'a>, other: Op<'a>) -> bool {
    one.name() == other.name()
        && one.num_regions() == 0
        && one.attributes() == other.attributes()
        && [one, other]
            .iter()
            .all(|&op| replicable(op) && same_bits(op))
}

/// The values of an iteration argument.
struct Stream<'a> {
    init: Value<'a>,
    /// The value that an iteration yields.
    next: Value<'a>,
    body: Block<'a>,
}

impl<'a> Stream<'a> {
    fn of(op: Structured<'a>, argument: usize) -> Option<Self> {
        let (body, index) = match op {
            Structured::For(op) => (op.region(), argument.checked_sub(op.first_iter_arg())?),
            Structured::While(op) => (op.after(), argument),
            Structured::If(_) | Structured::Switch(_) => return None,
        };
        Some(Stream {
            init: op.inits().at(index),
            next: body.terminator()?.operand(index),
            body: body.entry()?,
        })
    }
}
