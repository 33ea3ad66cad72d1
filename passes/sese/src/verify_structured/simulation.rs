//! The simulation of both functions in lockstep.
//!
//! The operations of a node's block match those of the structured form one by one (`matching.rs`).
//! Then each successor of the block is followed (`stepper.rs`):
//!
//! ```text
//!   node (^a, x)  --c is true-->   scf.if c: then region; yield; scf.if %f ...   -->  node (^d, z)
//! ```
//!
//! An edge that is never taken is left out. Either a fact of the original contradicts its condition
//! (`cfg.rs`), or an enclosing region of the structured form does (`regions.rs`), if the value that
//! the region tests is the one that the branch tests. `prover.rs` proves this equality.
//!
//! An empty branch requires no operation of the structured form. If the original loops endlessly
//! over empty branches, so must the structured form: a cycle of edges on which it does not advance
//! is a difference.
//!
//! Constants need no match: they are compared by value where they are read. Operations with regions
//! match if their regions do, one to one. A region that is a CFG in the original and structured in
//! the other function is simulated as well.

use rustc_hash::FxHashSet;
use tfx_ir::{Block, Op, Value};

use super::cfg::{Facts, FirstOps, Goal, Path, body_ops, is_end, learn};
use super::difference::{Difference, differ};
use super::matching::are_equivalent;
use super::prover::Prover;
use super::relation::{Edge, Guess, Node, NodeId, Place, Position, Scope, Simulation};
use super::source::{Known, Source, constant, is_constant};
use super::stepper::{Arrival, Start, Stepper, after};

impl<'a> Simulation<'a> {
    /// Visits all nodes, also after a difference: the rest may show that a wrong guess is the
    /// reason.
    pub(super) fn run(&mut self) {
        while let Some((scope, node)) = self.work.pop() {
            let outcome = self.visit((scope, node));
            self.record(outcome);
        }
        let progress = self.scopes.iter().try_for_each(check_progress);
        self.record(progress);
    }

    /// Returns the number of edges, if all guesses and all operands are proved.
    pub(super) fn finish(mut self, is_last: bool) -> Result<usize, Finish<'a>> {
        if let Some(wrong) = Prover::new(&self).wrong_guess() {
            if is_last {
                let reason = "it branches on another value";
                return Err(Finish::Differs(differ(wrong.ops.1, wrong.ops.0, reason)));
            }
            let guess = wrong.guess;
            self.refuted.insert(guess);
            return Err(Finish::Repeat(self.refuted));
        }
        let differs = match self.difference.take() {
            Some(difference) => Err(difference),
            None => Prover::new(&self).prove_reads(),
        };
        differs.map_err(Finish::Differs)?;
        Ok(self.edges)
    }

    fn visit(&mut self, (scope, node): Place) -> Result<(), Difference<'a>> {
        let here = &self.scopes[scope].nodes[node];
        let (position, mut point) = (here.position, here.point);
        let block = match position {
            Position::End(block) => return self.match_end((scope, node), block, point),
            Position::Start(block) => block,
        };
        for op in body_ops(block) {
            while is_constant(point) {
                point = after(point)?;
            }
            if !are_equivalent(op, point) {
                let reason = format!("'{}' runs in place of '{}'", point.name(), op.name());
                return Err(differ(point, op, &reason));
            }
            self.match_ops((scope, node), op, point)?;
            point = after(point)?;
        }
        self.scopes[scope].nodes[node].end = point;
        let Some(terminator) = block.last() else {
            return Ok(());
        };
        match terminator.num_successors() {
            0 if is_end(terminator) => {
                let path = Path::to(Goal::End(block));
                self.follow((scope, node), terminator, path, (Vec::new(), None))
            }
            0 => Ok(()),
            successors => {
                for index in 0..successors {
                    let outcome = self.leave((scope, node), terminator, index);
                    self.record(outcome);
                }
                Ok(())
            }
        }
    }

    /// Follows one successor of a block.
    fn leave(
        &mut self,
        (scope, node): Place,
        terminator: Op<'a>,
        index: usize,
    ) -> Result<(), Difference<'a>> {
        let tested = self.scopes[scope].cfg.fact_on_edge(terminator, index);
        if let Some((value, known)) = &tested
            && self.is_never_taken((scope, node), terminator, *value, known)
        {
            return Ok(());
        }
        let tested = tested.filter(|(value, _)| constant(*value).is_none());
        let mut facts = self.scopes[scope].nodes[node].facts.clone();
        if let Some((value, known)) = &tested {
            learn(&mut facts, *value, known);
        }
        let path = self.scopes[scope].cfg.follow(terminator, index, &facts);
        self.follow((scope, node), terminator, path, (facts, tested))
    }

    /// Returns whether a branch never takes an edge, because of the value that it tests.
    fn is_never_taken(
        &mut self,
        (scope, node): Place,
        branch: Op<'a>,
        tested: Value<'a>,
        known: &Known,
    ) -> bool {
        if let Source::Integer(number) = Source::of(tested) {
            return !known.allows(number);
        }
        let here = &self.scopes[scope].nodes[node];
        let fact = here.facts.iter().find(|(value, _)| *value == tested);
        if fact.is_some_and(|(_, fact)| !fact.agrees(known)) {
            return true;
        }
        let Some(value) = self.contradiction((scope, node), tested, known) else {
            return false;
        };
        self.guess(
            (scope, node),
            branch,
            (Source::Value(tested), Source::Value(value)),
        );
        true
    }

    /// Returns the tested value and a constant if the edge is never taken, because the value is
    /// that constant on all paths and the structured form has the constant in its place.
    fn replaced_by_constant(
        &self,
        (scope, node): Place,
        tested: &Option<(Value<'a>, Known)>,
        outcome: &Result<Arrival<'a>, Difference<'a>>,
    ) -> Option<(Value<'a>, u64)> {
        let (value, known) = tested.as_ref()?;
        let before = &self.scopes[scope].nodes[node].constants;
        let may_be = |number: &u64| match outcome {
            Ok(arrival) => arrival.constants.contains(number) || before.contains(number),
            Err(_) => true,
        };
        let number = self.first_constant((scope, node), *value);
        let number = number.filter(|number| !known.allows(*number) && may_be(number))?;
        Some((*value, number))
    }

    fn match_end(
        &mut self,
        (scope, node): Place,
        block: Block<'a>,
        point: Op<'a>,
    ) -> Result<(), Difference<'a>> {
        let terminator = block.last().filter(|op| op.name() == point.name());
        let Some(terminator) = terminator.filter(|op| op.num_operands() == point.num_operands())
        else {
            return Err(differ(point, point, "it ends in another operation"));
        };
        self.read_all((scope, node), terminator, point)
    }

    /// Follows one edge.
    fn follow(
        &mut self,
        (scope, from): Place,
        branch: Op<'a>,
        path: Path<'a>,
        (facts, tested): (Facts<'a>, Option<(Value<'a>, Known)>),
    ) -> Result<(), Difference<'a>> {
        let goal = path.goal;
        if goal == Goal::Unreachable {
            return Ok(());
        }
        self.edges += 1;
        let here = &self.scopes[scope].nodes[from];
        let (start, from_position) = (here.end, here.position);
        let firsts = match goal {
            Goal::Branch(block) => self.scopes[scope].cfg.first_operations(block),
            _ => FirstOps::from([]),
        };
        let is_at_branch = matches!(from_position, Position::Start(block) if self.scopes[scope].cfg.is_empty(block));
        let edge = Start {
            scope,
            from,
            is_at_branch,
            path: &path,
            facts: &facts,
            tested: tested.clone(),
        };
        let outcome = Stepper::new(self, edge).run(start, branch, &firsts);
        if let Some((value, number)) = self.replaced_by_constant((scope, from), &tested, &outcome) {
            let guess = (Source::Value(value), Source::Integer(number));
            self.guess((scope, from), branch, guess);
            return Ok(());
        }
        let Arrival {
            point,
            contents,
            guesses,
            deciding,
            constants,
            is_idle,
        } = outcome?;
        for guess in guesses {
            self.guess((scope, from), branch, guess);
        }
        let (position, kept) = match (goal, from_position) {
            (Goal::Branch(block), Position::Start(from)) => (
                Position::Start(block),
                self.scopes[scope].cfg.keep(from, &path),
            ),
            (Goal::Block(block, _) | Goal::Branch(block), _) => {
                (Position::Start(block), Vec::new())
            }
            (Goal::End(block), _) => (Position::End(block), Vec::new()),
            (Goal::Unreachable | Goal::Endless, _) => return Ok(()),
        };
        let to = self.node(scope, position, point, kept);
        let there = &mut self.scopes[scope].nodes[to];
        if there.incoming.is_empty() {
            (there.deciding, there.constants) = (deciding, constants);
        }
        self.scopes[scope].nodes[to].incoming.push(Edge {
            from,
            forwarded: path.forwarded,
            contents,
            facts,
            is_idle: is_idle && is_at_branch && matches!(goal, Goal::Branch(_)),
        });
        Ok(())
    }
}

/// The reason why a simulation proves nothing.
pub(super) enum Finish<'a> {
    /// These guesses are wrong.
    Repeat(FxHashSet<Guess<'a>>),
    /// The two functions differ.
    Differs(Difference<'a>),
}

/// Rejects a cycle of edges without operations: the original loops there endlessly, but the
/// structured form continues.
fn check_progress<'a>(scope: &Scope<'a>) -> Result<(), Difference<'a>> {
    let idle = |node: &Node<'a>| {
        let edges = node.incoming.iter().filter(|edge| edge.is_idle);
        edges.map(|edge| edge.from).collect::<Vec<_>>()
    };
    // Nodes without an incoming edge of this kind are removed repeatedly; those of a cycle remain.
    let mut leads_to: Vec<Vec<NodeId>> = vec![Vec::new(); scope.nodes.len()];
    let mut open = vec![0; scope.nodes.len()];
    for (to, node) in scope.nodes.iter().enumerate() {
        for from in idle(node) {
            leads_to[from].push(to);
            open[to] += 1;
        }
    }
    let mut work: Vec<NodeId> = (0..open.len()).filter(|&node| open[node] == 0).collect();
    while let Some(node) = work.pop() {
        for &to in &leads_to[node] {
            open[to] -= 1;
            if open[to] == 0 {
                work.push(to);
            }
        }
    }
    match scope.nodes.iter().zip(&open).find(|(_, open)| **open > 0) {
        Some((node, _)) => Err(differ(
            node.point,
            node.point,
            "the CFG loops endlessly here, but this does not",
        )),
        None => Ok(()),
    }
}
