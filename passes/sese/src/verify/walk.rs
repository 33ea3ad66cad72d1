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
//! That is proved when all else has been walked; where it cannot be, the way is followed after all.
//!
//! A block that only branches needs nothing of the structured form. But if the original goes round such blocks for ever, so must the
//! structured form: a cycle of ways on which it does not move is a difference.
//!
//! Constants need not meet: they are compared by value where they are read. Operations with regions meet by comparing the
//! regions one to one, or, where one side is a graph of blocks and the other is structured, by another walk of this kind.

use rustc_hash::{FxHashMap, FxHashSet};
use tfx_ir::pass::PassFailed;
use tfx_ir::{Block, Definition, Op, Region, Value};

use super::differ;
use super::graph::{Facts, Firsts, Goal, Graph, Handed, happenings, is_end, learn};
use super::meet::are_like;
use super::places::Places;
use super::source::{Known, Source, is_constant};
use super::values::Prover;
use super::way::{Arrival, Start, Way, after, before};

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

/// A way that is never taken if one of these values is what the branch tests.
struct LeftOut<'a> {
    job: JobId,
    node: NodeId,
    branch: Op<'a>,
    index: usize,
    tested: Value<'a>,
    candidates: Vec<Value<'a>>,
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
    left_out: Vec<LeftOut<'a>>,
    edges: usize,
}

impl<'a> Walker<'a> {
    pub(super) fn new(original: Op<'a>, structured: Op<'a>) -> Result<Self, PassFailed> {
        let mut walker = Self {
            places: Places::new(structured),
            jobs: Vec::new(),
            reads: Vec::new(),
            pairs: FxHashMap::default(),
            met: FxHashSet::default(),
            likely: FxHashMap::default(),
            work: Vec::new(),
            left_out: Vec::new(),
            edges: 0,
        };
        walker.start(
            (original, original.region(0)),
            (structured, structured.region(0)),
            None,
        )?;
        Ok(walker)
    }

    pub(super) fn num_edges(&self) -> usize {
        self.edges
    }

    pub(super) fn run(&mut self) -> Result<(), PassFailed> {
        loop {
            while let Some((job, node)) = self.work.pop() {
                self.visit(job, node)?;
            }
            if !self.take_up()? {
                break;
            }
        }
        self.jobs.iter().try_for_each(check_progress)
    }

    /// Follows the ways that were left out and may be taken after all; says whether there are any.
    fn take_up(&mut self) -> Result<bool, PassFailed> {
        let mut prover = Prover::new(self);
        let proofs: Vec<Option<Value<'a>>> = self
            .left_out
            .iter()
            .map(|way| {
                let same = |&value: &Value<'a>| Same {
                    job: way.job,
                    node: way.node,
                    original: Source::Value(way.tested),
                    structured: Source::Value(value),
                };
                let mut candidates = way.candidates.iter().copied();
                candidates.find(|value| prover.proves(same(value)))
            })
            .collect();
        let left_out = std::mem::take(&mut self.left_out);
        let has_taken = proofs.contains(&None);
        for (way, proof) in left_out.into_iter().zip(proofs) {
            match proof {
                None => self.leave(way.job, way.node, way.branch, way.index, true)?,
                Some(_) if has_taken => self.left_out.push(way),
                Some(value) => self.read_guess(way.job, way.node, way.branch, (way.tested, value)),
            }
        }
        Ok(has_taken)
    }

    /// Starts a walk over a region.
    pub(super) fn start(
        &mut self,
        (original_op, original): (Op<'a>, Region<'a>),
        (structured_op, structured): (Op<'a>, Region<'a>),
        parent: Option<(JobId, NodeId)>,
    ) -> Result<(), PassFailed> {
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
        self.node(
            self.jobs.len() - 1,
            Place::Start(entry),
            first,
            Vec::new(),
            Vec::new(),
        );
        Ok(())
    }

    /// The node of that place, point and facts; a new one is visited later.
    fn node(
        &mut self,
        job: JobId,
        place: Place<'a>,
        point: Op<'a>,
        facts: Facts<'a>,
        decided: Vec<Value<'a>>,
    ) -> NodeId {
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
                decided,
                incoming: Vec::new(),
                results: FxHashMap::default(),
                made: FxHashSet::default(),
            });
            self.work.push((job, number));
        }
        number
    }

    fn visit(&mut self, job: JobId, node: NodeId) -> Result<(), PassFailed> {
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
                self.follow(job, node, terminator, Goal::End(block), Vec::new(), None)
            }
            0 => Ok(()),
            successors => (0..successors)
                .try_for_each(|index| self.leave(job, node, terminator, index, false)),
        }
    }

    /// Follows one way out of a block.
    fn leave(
        &mut self,
        job: JobId,
        node: NodeId,
        terminator: Op<'a>,
        index: usize,
        is_taken: bool,
    ) -> Result<(), PassFailed> {
        let tested = self.jobs[job].graph.told(terminator, index);
        if let Some((value, known)) = &tested
            && !is_taken
            && self.is_never_taken(job, node, (terminator, index), *value, known)
        {
            return Ok(());
        }
        let mut handed = Vec::new();
        let goal = self.jobs[job].graph.goal(terminator, index, &mut handed);
        self.follow(job, node, terminator, goal, handed, tested)
    }

    /// Whether a branch never finds the value that it tests to be what it is on one edge, as far as is known now.
    fn is_never_taken(
        &mut self,
        job: JobId,
        node: NodeId,
        (branch, index): (Op<'a>, usize),
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
        let candidates = self.contradictions(job, node, tested, known);
        let is_never = !candidates.is_empty();
        for &candidate in &candidates {
            self.take_for(tested, candidate);
        }
        if is_never {
            self.left_out.push(LeftOut {
                job,
                node,
                branch,
                index,
                tested,
                candidates,
            });
        }
        is_never
    }

    fn meet_end(
        &mut self,
        job: JobId,
        node: NodeId,
        block: Block<'a>,
        point: Op<'a>,
    ) -> Result<(), PassFailed> {
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
        goal: Goal<'a>,
        handed: Vec<Handed<'a>>,
        tested: Option<(Value<'a>, Known)>,
    ) -> Result<(), PassFailed> {
        if goal == Goal::Never {
            return Ok(());
        }
        self.edges += 1;
        let here = &self.jobs[job].nodes[from];
        let (start, from_place) = (here.end, here.place);
        let mut facts = here.facts.clone();
        if let Some((value, known)) = &tested {
            learn(&mut facts, *value, known);
        }
        let next = match goal {
            Goal::Branch(block) => self.jobs[job].graph.next_operations(block),
            _ => Firsts::from([]),
        };
        let way = Start {
            job,
            from,
            goal,
            facts: &facts,
            tested,
            handed: &handed,
        };
        let Arrival {
            point,
            holds,
            guesses,
            decided,
            is_still,
        } = Way::new(self, way).walk(start, branch, &next)?;
        for guess in guesses {
            self.take_for(guess.0, guess.1);
            self.read_guess(job, from, branch, guess);
        }
        let (place, kept) = match (goal, from_place) {
            (Goal::Branch(block), Place::Start(from)) => (
                Place::Start(block),
                self.jobs[job].graph.keep(from, &facts, &handed),
            ),
            (Goal::Block(block, _) | Goal::Branch(block), _) => (Place::Start(block), Vec::new()),
            (Goal::End(block), _) => (Place::End(block), Vec::new()),
            (Goal::Never | Goal::Forever, _) => return Ok(()),
        };
        let to = self.node(job, place, point, kept, decided);
        let only_branches =
            matches!(from_place, Place::Start(block) if self.jobs[job].graph.is_empty(block));
        self.jobs[job].nodes[to].incoming.push(Edge {
            from,
            handed,
            holds,
            facts,
            is_still: is_still && only_branches && matches!(goal, Goal::Branch(_)),
        });
        Ok(())
    }

    /// A guess that is to be proved: these two are the same at the end of a node.
    fn read_guess(
        &mut self,
        job: JobId,
        node: NodeId,
        branch: Op<'a>,
        (original, structured): (Value<'a>, Value<'a>),
    ) {
        let same = Same {
            job,
            node,
            original: Source::Value(original),
            structured: Source::Value(structured),
        };
        let by = (branch, self.jobs[job].nodes[node].end);
        self.reads.push(Read { same, by });
    }

    /// Whether it is known already what a value of the structured form is in the original.
    pub(super) fn is_settled(&self, structured: Value<'a>) -> bool {
        match structured.definition() {
            Definition::Result(op, _) => self.met.contains(&op),
            Definition::Argument(block, _) => block == self.jobs[0].structured,
        }
    }
}

/// Refuses a cycle of edges on which neither does anything: the original never ends there, but the structured form does.
fn check_progress(job: &Job<'_>) -> Result<(), PassFailed> {
    let still = |node: &Node<'_>| {
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
