//! Both functions in step.
//!
//! A *node* is a block of the original that is about to start, and the operation of the structured form that runs then. From a node,
//! the operations of the block meet their likes one by one (`meet.rs`); then each way out of the block is followed (`way.rs`):
//!
//! ```text
//!   node (^a, x)  --c is true-->   scf.if c: its first arm; yield; scf.if %f ...   -->  node (^d, z)
//! ```
//!
//! What block arguments and results hold at the end of a way, in terms of its start, is noted with the edge. A way that is never
//! taken is left out: where the original itself has told before that the test comes out otherwise (see `graph.rs`), or where the
//! structured form stands in a region that only runs if it does (see `places.rs`), and what that region tests is what the branch tests.
//! `values.rs` proves that.
//!
//! A block that only branches needs nothing of the structured form. But if the original goes round such blocks for ever, so must the
//! structured form: a cycle of ways on which it does not move is a difference.
//!
//! Constants need not meet: they are compared by value where they are read. Operations with regions meet by comparing the
//! regions one to one, or, where one side is a graph of blocks and the other is structured, by another walk of this kind.

use rustc_hash::{FxHashMap, FxHashSet};
use tfx_ir::{Block, Definition, Op, Region, Value};

use super::graph::{Facts, Firsts, Goal, Graph, Handed, Path, happenings, is_end, learn};
use super::meet::are_like;
use super::places::Places;
use super::source::{Known, Source, constant, is_constant};
use super::values::Prover;
use super::way::{Arrival, Start, Way, after, before};
use super::{Difference, differ};

pub(super) type JobId = usize;
pub(super) type NodeId = usize;

/// A region of the original and the block that it became.
pub(super) struct Job<'a> {
    graph: Graph<'a>,
    entry: Block<'a>,
    pub(super) structured: Block<'a>,
    /// The node at which the operation around runs.
    pub(super) parent: Option<(JobId, NodeId)>,
    pub(super) nodes: Vec<Node<'a>>,
    numbers: FxHashMap<(Place<'a>, Op<'a>, Facts<'a>), NodeId>,
}

/// Where the original is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place<'a> {
    /// At the start of this block.
    Start(Block<'a>),
    /// At the end of this block, where the region ends.
    End(Block<'a>),
}

pub(super) struct Node<'a> {
    place: Place<'a>,
    point: Op<'a>,
    /// The operation of the structured form at which the ways on start.
    pub(super) end: Op<'a>,
    /// What the original knows here, if the block only branches.
    pub(super) facts: Facts<'a>,
    /// Values by which the first way to here was decided.
    pub(super) decided: Vec<Value<'a>>,
    /// Constants that choices read on it.
    written: Vec<u64>,
    pub(super) incoming: Vec<Edge<'a>>,
    /// Results of the block's operations, in the original and in the structured form.
    pub(super) results: FxHashMap<Value<'a>, Value<'a>>,
    /// The structured ones of them.
    pub(super) made: FxHashSet<Value<'a>>,
}

/// A way from one node to the next.
pub(super) struct Edge<'a> {
    pub(super) from: NodeId,
    /// In the original: block arguments and what is handed to them, one list per block that is crossed.
    handed: Vec<Handed<'a>>,
    /// In the structured form: what values hold at the end, in terms of the start.
    holds: FxHashMap<Value<'a>, Source<'a>>,
    /// What the original knows on the edge.
    pub(super) facts: Facts<'a>,
    /// Nothing happens on it, and the structured form does not move.
    is_still: bool,
}

impl<'a> Node<'a> {
    /// The guess that these two are the same here.
    pub(super) fn guess(&self, original: Source<'a>, structured: Source<'a>) -> Guess<'a> {
        Guess {
            place: self.place,
            point: self.point,
            original,
            structured,
        }
    }
}

impl<'a> Edge<'a> {
    /// What something at the end of the edge is at its start, in the original.
    pub(super) fn original(&self, source: Source<'a>) -> Source<'a> {
        before(&self.handed, source)
    }

    /// What something at the end of the edge is at its start, in the structured form.
    pub(super) fn structured(&self, source: Source<'a>) -> Source<'a> {
        match source {
            Source::Value(value) => match self.holds.get(&value) {
                Some(&held) => held,
                None => Source::of(value),
            },
            other => other,
        }
    }
}

impl<'a> Job<'a> {
    /// The argument of the structured form that an argument of the original is.
    pub(super) fn expected_argument(&self, original: Value<'a>) -> Option<Value<'a>> {
        let (block, index) = original.as_argument()?;
        (block == self.entry).then(|| self.structured.argument(index))
    }
}

/// Two values that have to be the same at the end of a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Same<'a> {
    pub(super) job: JobId,
    pub(super) node: NodeId,
    pub(super) original: Source<'a>,
    pub(super) structured: Source<'a>,
}

/// Something that is read in both.
pub(super) struct Read<'a> {
    pub(super) same: Same<'a>,
    /// Who reads it, for messages.
    pub(super) by: (Op<'a>, Op<'a>),
}

/// A value of the structured form that is taken for one of the original at the end of a node, in terms that do not change when the
/// walk is done again.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Guess<'a> {
    place: Place<'a>,
    point: Op<'a>,
    original: Source<'a>,
    structured: Source<'a>,
}

/// A guess that is to be proved.
pub(super) struct Guessed<'a> {
    of: Guess<'a>,
    pub(super) same: Same<'a>,
    by: (Op<'a>, Op<'a>),
}

pub(super) struct Walker<'a> {
    pub(super) places: Places<'a>,
    pub(super) jobs: Vec<Job<'a>>,
    pub(super) reads: Vec<Read<'a>>,
    /// Operations that met.
    pub(super) pairs: FxHashMap<Op<'a>, Vec<Op<'a>>>,
    /// The structured ones of them.
    pub(super) met: FxHashSet<Op<'a>>,
    /// Values of the structured form that were taken for one of the original.
    pub(super) likely: FxHashMap<Value<'a>, Vec<Value<'a>>>,
    work: Vec<(JobId, NodeId)>,
    /// What ways depend on.
    pub(super) guesses: Vec<Guessed<'a>>,
    /// Guesses that were wrong before.
    pub(super) refuted: FxHashSet<Guess<'a>>,
    /// The first difference that was found; it may be due to a wrong guess.
    difference: Option<Difference<'a>>,
    edges: usize,
}

impl<'a> Walker<'a> {
    pub(super) fn new(
        original: Op<'a>,
        structured: Op<'a>,
        refuted: FxHashSet<Guess<'a>>,
    ) -> Result<Self, Difference<'a>> {
        let mut walker = Self {
            places: Places::new(structured),
            jobs: Vec::new(),
            reads: Vec::new(),
            pairs: FxHashMap::default(),
            met: FxHashSet::default(),
            likely: FxHashMap::default(),
            work: Vec::new(),
            guesses: Vec::new(),
            refuted,
            difference: None,
            edges: 0,
        };
        walker.start(
            (original, original.region(0)),
            (structured, structured.region(0)),
            None,
        )?;
        Ok(walker)
    }

    /// Walks over all, also after a difference: what is found then may show that it is due to a wrong guess.
    pub(super) fn run(&mut self) {
        while let Some((job, node)) = self.work.pop() {
            let outcome = self.visit(job, node);
            self.note(outcome);
        }
        let progress = self.jobs.iter().try_for_each(check_progress);
        self.note(progress);
    }

    /// Keeps the first difference.
    fn note(&mut self, outcome: Result<(), Difference<'a>>) {
        if let Err(difference) = outcome {
            self.difference.get_or_insert(difference);
        }
    }

    /// The number of edges, if all guesses and all that is read are right.
    pub(super) fn finish(mut self, is_last: bool) -> Result<usize, Finish<'a>> {
        if let Some(wrong) = Prover::new(&self).wrong_guess() {
            if is_last {
                let what = "it branches on another value";
                return Err(Finish::Differs(differ(wrong.by.1, wrong.by.0, what)));
            }
            let of = wrong.of;
            self.refuted.insert(of);
            return Err(Finish::Again(self.refuted));
        }
        let differs = match self.difference.take() {
            Some(difference) => Err(difference),
            None => Prover::new(&self).reads(),
        };
        differs.map_err(Finish::Differs)?;
        Ok(self.edges)
    }

    /// Starts a walk over a region.
    pub(super) fn start(
        &mut self,
        (original_op, original): (Op<'a>, Region<'a>),
        (structured_op, structured): (Op<'a>, Region<'a>),
        parent: Option<(JobId, NodeId)>,
    ) -> Result<(), Difference<'a>> {
        let (Some(entry), Some(block)) = (original.entry(), structured.single_block()) else {
            return Err(differ(
                structured_op,
                original_op,
                "it still has several blocks",
            ));
        };
        let Some(first) = block.first() else {
            return Err(differ(structured_op, original_op, "it is empty"));
        };
        let types = |block: Block<'a>| block.arguments().map(Value::ty).collect::<Vec<_>>();
        if types(entry) != types(block) {
            return Err(differ(structured_op, original_op, "it has other arguments"));
        }
        self.jobs.push(Job {
            graph: Graph::new(original),
            entry,
            structured: block,
            parent,
            nodes: Vec::new(),
            numbers: FxHashMap::default(),
        });
        self.node(self.jobs.len() - 1, Place::Start(entry), first, Vec::new());
        Ok(())
    }

    /// The node of that place, point and facts; a new one is visited later.
    fn node(&mut self, job: JobId, place: Place<'a>, point: Op<'a>, facts: Facts<'a>) -> NodeId {
        let jobs = &mut self.jobs[job];
        let next = jobs.nodes.len();
        let number = *jobs
            .numbers
            .entry((place, point, facts.clone()))
            .or_insert(next);
        if number == next {
            jobs.nodes.push(Node {
                place,
                point,
                end: point,
                facts,
                decided: Vec::new(),
                written: Vec::new(),
                incoming: Vec::new(),
                results: FxHashMap::default(),
                made: FxHashSet::default(),
            });
            self.work.push((job, number));
        }
        number
    }

    fn visit(&mut self, job: JobId, node: NodeId) -> Result<(), Difference<'a>> {
        let here = &self.jobs[job].nodes[node];
        let (place, mut point) = (here.place, here.point);
        let block = match place {
            Place::End(block) => return self.meet_end(job, node, block, point),
            Place::Start(block) => block,
        };
        for op in happenings(block) {
            while is_constant(point) {
                point = after(point)?;
            }
            if !are_like(op, point) {
                let what = format!("'{}' runs where '{}' should", point.name(), op.name());
                return Err(differ(point, op, &what));
            }
            self.meet(job, node, op, point)?;
            point = after(point)?;
        }
        self.jobs[job].nodes[node].end = point;
        let Some(terminator) = block.last() else {
            return Ok(());
        };
        match terminator.num_successors() {
            0 if is_end(terminator) => {
                let path = Path::to(Goal::End(block));
                self.follow(job, node, terminator, path, (Vec::new(), None))
            }
            0 => Ok(()),
            successors => {
                for index in 0..successors {
                    let outcome = self.leave(job, node, terminator, index);
                    self.note(outcome);
                }
                Ok(())
            }
        }
    }

    /// Follows one way out of a block.
    fn leave(
        &mut self,
        job: JobId,
        node: NodeId,
        terminator: Op<'a>,
        index: usize,
    ) -> Result<(), Difference<'a>> {
        let tested = self.jobs[job].graph.told(terminator, index);
        if let Some((value, known)) = &tested
            && self.is_never_taken(job, node, terminator, *value, known)
        {
            return Ok(());
        }
        let tested = tested.filter(|(value, _)| constant(*value).is_none());
        let mut facts = self.jobs[job].nodes[node].facts.clone();
        if let Some((value, known)) = &tested {
            learn(&mut facts, *value, known);
        }
        let path = self.jobs[job].graph.follow(terminator, index, &facts);
        self.follow(job, node, terminator, path, (facts, tested))
    }

    /// Whether a branch never finds the value that it tests to be what it is on one edge.
    fn is_never_taken(
        &mut self,
        job: JobId,
        node: NodeId,
        branch: Op<'a>,
        tested: Value<'a>,
        known: &Known,
    ) -> bool {
        if let Source::Integer(number) = Source::of(tested) {
            return !known.allows(number);
        }
        let here = &self.jobs[job].nodes[node];
        let fact = here.facts.iter().find(|(value, _)| *value == tested);
        if fact.is_some_and(|(_, fact)| !fact.agrees(known)) {
            return true;
        }
        let Some(value) = self.contradiction(job, node, tested, known) else {
            return false;
        };
        self.guess(
            job,
            node,
            branch,
            (Source::Value(tested), Source::Value(value)),
        );
        true
    }

    /// Where the test of a branch is the same constant on all ways, the structured form may have that constant instead: what the branch
    /// tests, and the constant, if a way is therefore never taken.
    fn written_instead(
        &self,
        job: JobId,
        node: NodeId,
        tested: &Option<(Value<'a>, Known)>,
        outcome: &Result<Arrival<'a>, Difference<'a>>,
    ) -> Option<(Value<'a>, u64)> {
        let (value, known) = tested.as_ref()?;
        let before = &self.jobs[job].nodes[node].written;
        let may_be = |number: &u64| match outcome {
            Ok(arrival) => arrival.written.contains(number) || before.contains(number),
            Err(_) => true,
        };
        let number = self.first_constant(job, node, *value);
        let number = number.filter(|number| !known.allows(*number) && may_be(number))?;
        Some((*value, number))
    }

    fn meet_end(
        &mut self,
        job: JobId,
        node: NodeId,
        block: Block<'a>,
        point: Op<'a>,
    ) -> Result<(), Difference<'a>> {
        let terminator = block.last().filter(|op| op.name() == point.name());
        let Some(terminator) = terminator.filter(|op| op.num_operands() == point.num_operands())
        else {
            return Err(differ(point, point, "it ends in another operation"));
        };
        self.read_all(job, node, terminator, point)
    }

    /// Follows one edge.
    fn follow(
        &mut self,
        job: JobId,
        from: NodeId,
        branch: Op<'a>,
        path: Path<'a>,
        (facts, tested): (Facts<'a>, Option<(Value<'a>, Known)>),
    ) -> Result<(), Difference<'a>> {
        let goal = path.goal;
        if goal == Goal::Never {
            return Ok(());
        }
        self.edges += 1;
        let here = &self.jobs[job].nodes[from];
        let (start, from_place) = (here.end, here.place);
        let next = match goal {
            Goal::Branch(block) => self.jobs[job].graph.next_operations(block),
            _ => Firsts::from([]),
        };
        let is_at_branch =
            matches!(from_place, Place::Start(block) if self.jobs[job].graph.is_empty(block));
        let way = Start {
            job,
            from,
            is_at_branch,
            path: &path,
            facts: &facts,
            tested: tested.clone(),
        };
        let outcome = Way::new(self, way).walk(start, branch, &next);
        if let Some((value, number)) = self.written_instead(job, from, &tested, &outcome) {
            let guess = (Source::Value(value), Source::Integer(number));
            self.guess(job, from, branch, guess);
            return Ok(());
        }
        let Arrival {
            point,
            holds,
            guesses,
            decided,
            written,
            is_still,
        } = outcome?;
        for guess in guesses {
            self.guess(job, from, branch, guess);
        }
        let (place, kept) = match (goal, from_place) {
            (Goal::Branch(block), Place::Start(from)) => {
                (Place::Start(block), self.jobs[job].graph.keep(from, &path))
            }
            (Goal::Block(block, _) | Goal::Branch(block), _) => (Place::Start(block), Vec::new()),
            (Goal::End(block), _) => (Place::End(block), Vec::new()),
            (Goal::Never | Goal::Forever, _) => return Ok(()),
        };
        let to = self.node(job, place, point, kept);
        let there = &mut self.jobs[job].nodes[to];
        if there.incoming.is_empty() {
            (there.decided, there.written) = (decided, written);
        }
        self.jobs[job].nodes[to].incoming.push(Edge {
            from,
            handed: path.handed,
            holds,
            facts,
            is_still: is_still && is_at_branch && matches!(goal, Goal::Branch(_)),
        });
        Ok(())
    }

    /// Takes two values for the same at the end of a node; that is to be proved.
    fn guess(
        &mut self,
        job: JobId,
        node: NodeId,
        branch: Op<'a>,
        (original, structured): (Source<'a>, Source<'a>),
    ) {
        if let (Source::Value(original), Source::Value(structured)) = (original, structured) {
            self.take_for(original, structured);
        }
        let here = &self.jobs[job].nodes[node];
        self.guesses.push(Guessed {
            of: here.guess(original, structured),
            same: Same {
                job,
                node,
                original,
                structured,
            },
            by: (branch, here.end),
        });
    }

    /// Whether it is known already what a value of the structured form is in the original.
    pub(super) fn is_settled(&self, structured: Value<'a>) -> bool {
        match structured.definition() {
            Definition::Result(op, _) => self.met.contains(&op),
            Definition::Argument(block, _) => block == self.jobs[0].structured,
        }
    }
}

/// How a walk ends that has not shown that both do the same.
pub(super) enum Finish<'a> {
    /// These guesses are wrong.
    Again(FxHashSet<Guess<'a>>),
    /// They do not.
    Differs(Difference<'a>),
}

/// Refuses a cycle of edges on which neither does anything: the original never ends there, but the structured form does.
fn check_progress<'a>(job: &Job<'a>) -> Result<(), Difference<'a>> {
    let still = |node: &Node<'a>| {
        let edges = node.incoming.iter().filter(|edge| edge.is_still);
        edges.map(|edge| edge.from).collect::<Vec<_>>()
    };
    // Nodes are taken away that nothing still leads to; those of a cycle remain.
    let mut leads_to: Vec<Vec<NodeId>> = vec![Vec::new(); job.nodes.len()];
    let mut open = vec![0; job.nodes.len()];
    for (to, node) in job.nodes.iter().enumerate() {
        for from in still(node) {
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
    match job.nodes.iter().zip(&open).find(|(_, open)| **open > 0) {
        Some((node, _)) => Err(differ(
            node.point,
            node.point,
            "the graph never ends here, but this does",
        )),
        None => Ok(()),
    }
}
