//! Whether a value of the host and a value of the graph are the same, so that both sides decide alike.
//!
//! ```text
//!   host                                   graph
//!   %i = theta(%zero, %i + %one)           %j = theta(%zero', %j + %one')        assume %i = %j
//!   %go = cmpi slt, %i, %n                 %go' = cmpi slt, %j, %n'              heads are alike; then operands must be the same:
//!         ▲ argument of @f                          ▲ input of the graph           %i = %j is assumed, %n' is what was given for it
//! ```
//!
//! A value is its head (a pure operation with its attributes, a choice between ways, a step of a loop) and its operands. A value that arrives on a
//! channel, or as an input, is the value that was sent: [`crate::meet`] says which; so is a scalar that arrives in a message of several
//! ([`crate::packed`]), or is put into a tensor and read from it again ([`crate::terms`]). Two values are the same if their heads are alike and their
//! operands are the same; in a loop that is proved by assuming it first, which is induction over the trips: values are streams over the trips of the
//! loops around, and each loop-carried one is its initial value and then, one trip later, what the loop hands on. Loops are told apart by how deep they
//! are only, since the same streams are the same whatever loop computes them (program expression graphs: Tate, Stepp, Tatlock, Lerner, POPL 2009).
//! Assumptions are unions of classes (Hopcroft and Karp's test of two automata, 1971), so that no pair is looked at twice.
//!
//! A call of a function on the host and of a graph in the graph are alike if the two compute the same: [`crate::code`].
//!
//! Only operations that give the same bits on both sides count as alike: what one library rounds up and the other down may end up on two sides of a
//! comparison, and then the two programs would go different ways.
//!
//! Cost: each union once, so linear in what decisions are computed from. Not proved though true: what needs algebra, such as that `a + b` is `b + a`.

use rustc_hash::FxHashMap;
use tfx_dialects::replicable::{replicable, same_bits};
use tfx_dialects::{comm, tensor};
use tfx_ir::ops::tensor as builtin_tensor;
use tfx_ir::ops::{arith, scf};
use tfx_ir::{Block, Definition, Op, Value};

use crate::code::Code;
use crate::lists::{Projection, cases};
use crate::meet::{FOR_BOUNDS, Meeting};
use crate::packed;
use crate::terms::Term;

/// Two values that are not known to be the same.
pub(crate) type Differ<'a> = (Value<'a>, Value<'a>);

/// What is known of the values of two programs.
pub(crate) struct Values<'s, 'a> {
    host: &'s Projection<'a>,
    graph: &'s Projection<'a>,
    meeting: &'s Meeting<'a>,
    code: &'s Code<'s, 'a>,
    /// What starts the graph, and the graph's body, whose arguments are what it is started with.
    started: Option<(Op<'a>, Block<'a>)>,
    /// How many loops are around a region operation, itself included where it is one.
    depths: FxHashMap<Op<'a>, usize>,
    names: FxHashMap<Term<'a>, Term<'a>>,
    ids: FxHashMap<Term<'a>, usize>,
    parents: Vec<usize>,
}

impl<'s, 'a> Values<'s, 'a> {
    pub(crate) fn new(
        host: &'s Projection<'a>,
        graph: &'s Projection<'a>,
        meeting: &'s Meeting<'a>,
        start: Op<'a>,
        graph_op: Op<'a>,
        code: &'s Code<'s, 'a>,
    ) -> Self {
        let mut values = Values::of_code(host, meeting, code);
        values.graph = graph;
        values.started = graph_op.region(0).entry().map(|body| (start, body));
        // The graph runs in one trip of the loops around its start.
        let around = start.parent().map_or(0, |parent| values.depth(parent));
        values.depths.insert(graph_op, around);
        values
    }

    /// Of two functions or graphs that do not communicate, and of which nothing is known but what is [assumed](Self::assume).
    pub(crate) fn of_code(
        projection: &'s Projection<'a>,
        meeting: &'s Meeting<'a>,
        code: &'s Code<'s, 'a>,
    ) -> Self {
        Values {
            host: projection,
            graph: projection,
            meeting,
            code,
            started: None,
            depths: FxHashMap::default(),
            names: FxHashMap::default(),
            ids: FxHashMap::default(),
            parents: Vec::new(),
        }
    }

    /// Takes two values for the same.
    pub(crate) fn assume(&mut self, one: Value<'a>, other: Value<'a>) {
        self.names.insert(Term::Value(other), Term::Value(one));
    }

    /// Takes the arguments of an `scf.while` for what they are in its first trip. Nothing that is
    /// proved then holds in later ones.
    pub(crate) fn in_first_trip(&mut self, op: Op<'a>) {
        let arguments = op.region(0).entry().into_iter();
        let arguments: Vec<_> = arguments.flat_map(|block| block.arguments()).collect();
        for (argument, first) in arguments.into_iter().zip(op.operands()) {
            let first = self.name(first);
            self.names.insert(Term::Value(argument), first);
        }
    }

    /// Proves that two values are the same, or gives two that must be for it and are not known to be.
    pub(crate) fn prove(&mut self, host: Value<'a>, graph: Value<'a>) -> Result<(), Differ<'a>> {
        let mut todo = vec![(host, graph)];
        while let Some((one, other)) = todo.pop() {
            let (one, other) = (self.name(one), self.name(other));
            if self.union(one, other) && !self.terms_are_alike(one, other, &mut todo) {
                return Err((one.value(), other.value()));
            }
        }
        Ok(())
    }

    /// Whether they were not in one class before.
    fn union(&mut self, one: Term<'a>, other: Term<'a>) -> bool {
        let (one, other) = (self.class(one), self.class(other));
        // Joining the newer to the older with halved paths is near enough to constant time.
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

    /// What a value is another name for.
    fn name(&mut self, value: Value<'a>) -> Term<'a> {
        let mut way = Vec::new();
        let mut at = Term::Value(value);
        let name = loop {
            if let Some(&name) = self.names.get(&at) {
                break name;
            }
            way.push(at);
            let source = self.source(at.value()).map(|source| at.of(source));
            match source.or_else(|| at.unwrapped(|receive| self.received(receive))) {
                Some(next) => at = next,
                None => break at,
            }
        };
        for passed in way {
            self.names.insert(passed, name);
        }
        name
    }

    fn received(&self, receive: Op<'a>) -> Option<Value<'a>> {
        self.meeting.received.get(&receive).copied()
    }

    fn source(&self, value: Value<'a>) -> Option<Value<'a>> {
        match value.definition() {
            Definition::Argument(block, index) => {
                if let Some((start, body)) = self.started
                    && block == body
                {
                    return Some(start.operand(index));
                }
                // The body of a while is given what its condition hands on.
                let around = block.parent().filter(|op| op.isa::<scf::While>())?;
                let condition = around.region(0).entry()?;
                (condition != block).then(|| Some(condition.last()?.operand(index + 1)))?
            }
            Definition::Result(op, index) => match op.name() {
                comm::Recv::NAME => self.received(op),
                tensor::ToScalar::NAME | builtin_tensor::Extract::NAME | arith::IndexCast::NAME => {
                    packed::source(value, |receive| self.received(receive))
                }
                comm::ToHost::NAME | comm::ToAccelerator::NAME => Some(op.operand(0)),
                scf::If::NAME | scf::IndexSwitch::NAME => {
                    let mut ways = self.ways(op);
                    let way = ways.next()?;
                    ways.next().is_none().then(|| way.operand(index))
                }
                _ => None,
            },
        }
    }

    /// The ends of the ways through a branch, as far as they are reached.
    fn ways(&self, op: Op<'a>) -> impl Iterator<Item = Op<'a>> {
        op.regions()
            .filter_map(|region| region.entry())
            .filter(|&block| self.is_reached(block))
            .filter_map(|block| block.last())
    }

    fn is_reached(&self, block: Block<'a>) -> bool {
        !self.host.dead_ends.contains(&block)
            && !self.graph.dead_ends.contains(&block)
            && !self.meeting.dead_ends.contains(&block)
    }

    /// Whether two terms are made alike; what they are made of goes to `todo`.
    fn terms_are_alike(
        &mut self,
        one: Term<'a>,
        other: Term<'a>,
        todo: &mut Vec<(Value<'a>, Value<'a>)>,
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

    /// Whether two values are made alike; what they are made of goes to `todo`.
    fn heads_are_alike(
        &mut self,
        one: Value<'a>,
        other: Value<'a>,
        todo: &mut Vec<(Value<'a>, Value<'a>)>,
    ) -> bool {
        if one.ty() != other.ty() {
            return false;
        }
        match (one.definition(), other.definition()) {
            (Definition::Result(one, index), Definition::Result(other, at))
                if self.code.calls_are_alike(one, other) =>
            {
                todo.extend(one.operands().zip(other.operands()));
                index == at && one.num_operands() == other.num_operands()
            }
            (Definition::Result(one, index), Definition::Result(other, at)) => {
                one.name() == other.name()
                    && match one.name() {
                        scf::If::NAME | scf::IndexSwitch::NAME => {
                            self.choices(one, index, other, at, todo)
                        }
                        scf::While::NAME => {
                            let ends = (condition(one), condition(other));
                            let (Some(one_end), Some(other_end)) = ends else {
                                return false;
                            };
                            todo.push((one_end.operand(0), other_end.operand(0)));
                            todo.push((one_end.operand(index + 1), other_end.operand(at + 1)));
                            self.depth(one) == self.depth(other)
                        }
                        scf::For::NAME => {
                            let slots = (slot(one, index + 1), slot(other, at + 1));
                            let (Some(one_slot), Some(other_slot)) = slots else {
                                return false;
                            };
                            todo.push((one_slot, other_slot));
                            bounds(one, other, FOR_BOUNDS, todo);
                            self.depth(one) == self.depth(other)
                                && one.attributes() == other.attributes()
                        }
                        _ => index == at && plain(one, other, todo),
                    }
            }
            (Definition::Argument(one, index), Definition::Argument(other, at)) => {
                self.carried(one, index, other, at, todo)
            }
            _ => false,
        }
    }

    fn choices(
        &self,
        one: Op<'a>,
        index: usize,
        other: Op<'a>,
        at: usize,
        todo: &mut Vec<(Value<'a>, Value<'a>)>,
    ) -> bool {
        if one.num_regions() != other.num_regions() || cases(one) != cases(other) {
            return false;
        }
        todo.push((one.operand(0), other.operand(0)));
        for (one, other) in one.regions().zip(other.regions()) {
            let (Some(one), Some(other)) = (one.entry(), other.entry()) else {
                return false;
            };
            // Where one side never gets to the end, nobody asks what the other has.
            if let (Some(one_end), Some(other_end)) = (one.last(), other.last())
                && self.is_reached(one)
                && self.is_reached(other)
            {
                todo.push((one_end.operand(index), other_end.operand(at)));
            }
        }
        true
    }

    /// Arguments of loops: what they are at first, and what they are one trip later.
    fn carried(
        &mut self,
        one: Block<'a>,
        index: usize,
        other: Block<'a>,
        at: usize,
        todo: &mut Vec<(Value<'a>, Value<'a>)>,
    ) -> bool {
        let (Some(one_loop), Some(other_loop)) = (one.parent(), other.parent()) else {
            return false;
        };
        if self.depth(one_loop) != self.depth(other_loop) {
            return false;
        }
        let counter = |op: Op<'a>, index: usize| op.isa::<scf::For>() && index == 0;
        match (counter(one_loop, index), counter(other_loop, at)) {
            (true, true) => {
                todo.push((one_loop.operand(0), other_loop.operand(0)));
                todo.push((one_loop.operand(2), other_loop.operand(2)));
                return true;
            }
            (false, false) => {}
            _ => return false,
        }
        let (Some(one), Some(other)) = (carries(one_loop, index), carries(other_loop, at)) else {
            return false;
        };
        todo.push((one.first, other.first));
        if self.is_reached(one.body) && self.is_reached(other.body) {
            todo.push((one.next, other.next));
        }
        true
    }

    /// How many loops are around what is inside of `op`.
    fn depth(&mut self, op: Op<'a>) -> usize {
        let mut way = Vec::new();
        let mut at = Some(op);
        let mut depth = 0;
        while let Some(op) = at {
            if let Some(&known) = self.depths.get(&op) {
                depth = known;
                break;
            }
            way.push(op);
            at = op.parent();
        }
        for op in way.into_iter().rev() {
            depth += usize::from(matches!(op.name(), scf::For::NAME | scf::While::NAME));
            self.depths.insert(op, depth);
        }
        depth
    }
}

/// Operations without control flow.
fn plain<'a>(one: Op<'a>, other: Op<'a>, todo: &mut Vec<(Value<'a>, Value<'a>)>) -> bool {
    let alike = one.num_regions() == 0
        && one.num_operands() == other.num_operands()
        && one.attributes() == other.attributes()
        && [one, other].map(|op| replicable(op) && same_bits(op)) == [true; 2];
    if alike {
        todo.extend(one.operands().zip(other.operands()));
    }
    alike
}

fn bounds<'a>(one: Op<'a>, other: Op<'a>, count: usize, todo: &mut Vec<(Value<'a>, Value<'a>)>) {
    todo.extend((0..count).map(|bound| (one.operand(bound), other.operand(bound))));
}

/// The end of the region that decides about a while.
fn condition(op: Op<'_>) -> Option<Op<'_>> {
    op.region(0).entry()?.last()
}

/// An argument of the body of a for.
fn slot(op: Op<'_>, index: usize) -> Option<Value<'_>> {
    Some(op.region(0).entry()?.argument(index))
}

/// What a loop hands from trip to trip in one argument.
struct Carried<'a> {
    first: Value<'a>,
    next: Value<'a>,
    body: Block<'a>,
}

fn carries(op: Op<'_>, index: usize) -> Option<Carried<'_>> {
    let (region, init, handed) = match op.name() {
        scf::For::NAME => (0, FOR_BOUNDS + index - 1, index - 1),
        scf::While::NAME => (1, index, index),
        _ => return None,
    };
    let body = op.region(region).entry()?;
    Some(Carried {
        first: op.operand(init),
        next: body.last()?.operand(handed),
        body,
    })
}
