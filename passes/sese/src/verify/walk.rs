//! Both functions in step.
//!
//! A *node* is a block of the original that is about to start, and the operation of the structured form that runs then. From a node,
//! the operations of the block meet their likes one by one; then each way out of the block is followed:
//!
//! ```text
//!   node (^a, x)  --c is true-->   scf.if c: its first arm; yield; scf.if %f ...   -->  node (^d, z)
//! ```
//!
//! On the way, choices of the structured form are decided by what is known: constants that were yielded on the edge, the value that the
//! branch tests, and those that branches tested on the way here. Which value is one of these is a guess, which `values.rs` proves. What
//! block arguments and results hold at the end of the way, in terms of its start, is noted with the edge.
//!
//! Constants need not meet: they are compared by value where they are read. Operations with regions meet by comparing the
//! regions one to one, or, where one side is a graph of blocks and the other is structured, by another walk of this kind.

use std::collections::{HashMap, HashSet};

use melior::ir::AttributeLike;
use melior::ir::attribute::{DenseElementsAttribute, DenseI64ArrayAttribute, IntegerAttribute};
use melior::ir::r#type::IntegerType;
use tfx_ir::pass::PassFailed;
use tfx_ir::{Block, Definition, Op, Region, Trait, Value, diag};

use super::differ;

/// Trips of one loop that a way between two blocks may make: it enters the loop in one and leaves it in the next.
const MAX_TRIPS: usize = 2;

pub(super) type JobId = usize;
pub(super) type NodeId = usize;

/// A region of the original and the block that it became.
pub(super) struct Job<'a> {
    pub(super) original: Region<'a>,
    pub(super) structured: Block<'a>,
    /// The node at which the operation around runs.
    pub(super) parent: Option<(JobId, NodeId)>,
    pub(super) nodes: Vec<Node<'a>>,
    numbers: HashMap<(Place<'a>, Op<'a>), NodeId>,
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
    pub(super) incoming: Vec<Edge<'a>>,
    /// Results of the block's operations, in the original and in the structured form.
    pub(super) results: HashMap<Value<'a>, Value<'a>>,
    /// The structured ones of them.
    pub(super) made: HashSet<Value<'a>>,
}

/// A way from one node to the next.
pub(super) struct Edge<'a> {
    pub(super) from: NodeId,
    /// In the original: block arguments and what is handed to them, one list per block that is crossed.
    pub(super) handed: Vec<Vec<(Value<'a>, Value<'a>)>>,
    /// In the structured form: what values hold at the end, in terms of the start.
    pub(super) holds: HashMap<Value<'a>, Source<'a>>,
    /// What the edge knows of the value that the branch tests.
    pub(super) fact: Option<(Value<'a>, u64)>,
}

/// What a value of the structured form holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Source<'a> {
    /// What this value holds at the start of the way.
    Value(Value<'a>),
    /// This integer.
    Integer(u64),
    /// The constant attribute at this address; attributes are unique.
    Constant(usize),
    /// Nothing that may be read.
    Undefined,
    /// Something that the way does not tell.
    Unknown,
}

/// Something that is read in both.
pub(super) struct Read<'a> {
    pub(super) job: JobId,
    pub(super) node: NodeId,
    pub(super) original: Source<'a>,
    pub(super) structured: Source<'a>,
    /// Who reads it, for messages.
    pub(super) by: (Op<'a>, Op<'a>),
}

/// What an edge knows of the value that the branch tests.
#[derive(Clone)]
enum Known {
    Is(u64),
    IsNone(Vec<u64>),
}

/// Where an edge leads after blocks in which nothing happens.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal<'a> {
    /// A block with operations, the first of them.
    Block(Block<'a>, Op<'a>),
    /// A block that only branches.
    Branch(Block<'a>),
    /// The end of the region, from this block.
    End(Block<'a>),
    /// A block that is not left.
    Never,
    /// Round and round, with nothing happening.
    Forever,
}

pub(super) struct Walker<'a> {
    pub(super) jobs: Vec<Job<'a>>,
    pub(super) reads: Vec<Read<'a>>,
    /// Results of operations that met, inside of regions that were compared one to one or not.
    pub(super) pairs: HashMap<Op<'a>, Vec<Op<'a>>>,
    /// The structured ones of them.
    met: HashSet<Op<'a>>,
    /// Values of the structured form that were taken for one that a branch tests.
    taken_for: HashMap<Value<'a>, Value<'a>>,
    work: Vec<(JobId, NodeId)>,
    edges: usize,
}

impl<'a> Walker<'a> {
    pub(super) fn new(original: Op<'a>, structured: Op<'a>) -> Result<Self, PassFailed> {
        let mut walker = Self {
            jobs: Vec::new(),
            reads: Vec::new(),
            pairs: HashMap::new(),
            met: HashSet::new(),
            taken_for: HashMap::new(),
            work: Vec::new(),
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
        while let Some((job, node)) = self.work.pop() {
            self.visit(job, node)?;
        }
        Ok(())
    }

    /// Starts a walk over a region.
    fn start(
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
        self.jobs.push(Job {
            original,
            structured: block,
            parent,
            nodes: Vec::new(),
            numbers: HashMap::new(),
        });
        self.node(self.jobs.len() - 1, Place::Start(entry), first);
        Ok(())
    }

    /// The node of that place and point; a new one is visited later.
    fn node(&mut self, job: JobId, place: Place<'a>, point: Op<'a>) -> NodeId {
        let jobs = &mut self.jobs[job];
        let next = jobs.nodes.len();
        let number = *jobs.numbers.entry((place, point)).or_insert(next);
        if number == next {
            jobs.nodes.push(Node {
                place,
                point,
                incoming: Vec::new(),
                results: HashMap::new(),
                made: HashSet::new(),
            });
            self.work.push((job, number));
        }
        number
    }

    fn visit(&mut self, job: JobId, node: NodeId) -> Result<(), PassFailed> {
        let (place, mut point) = (
            self.jobs[job].nodes[node].place,
            self.jobs[job].nodes[node].point,
        );
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
        let Some(terminator) = block.last() else {
            return Ok(());
        };
        if terminator.num_successors() == 0 {
            if !is_end(terminator) {
                return Ok(());
            }
            let goal = Goal::End(block);
            return self.follow(job, node, point, terminator, goal, Vec::new(), None);
        }
        for index in 0..terminator.num_successors() {
            let known = fact(terminator, index);
            let mut handed = Vec::new();
            let goal = goal(terminator, index, &mut handed);
            self.follow(job, node, point, terminator, goal, handed, known)?;
        }
        Ok(())
    }

    /// Two operations that meet: what they read must be the same, and so is then what they make.
    fn meet(
        &mut self,
        job: JobId,
        node: NodeId,
        original: Op<'a>,
        structured: Op<'a>,
    ) -> Result<(), PassFailed> {
        let paired = self.pairs.entry(original).or_default();
        if !paired.contains(&structured) {
            paired.push(structured);
            self.met.insert(structured);
        }
        self.read_all(job, node, original, structured);
        let here = &mut self.jobs[job].nodes[node];
        for (one, other) in original.results().zip(structured.results()) {
            here.results.insert(one, other);
            here.made.insert(other);
        }
        if original.num_regions() > 0 {
            self.meet_regions(job, node, original, structured)?;
        }
        Ok(())
    }

    fn read_all(&mut self, job: JobId, node: NodeId, original: Op<'a>, structured: Op<'a>) {
        for (one, other) in original.operands().zip(structured.operands()) {
            self.reads.push(Read {
                job,
                node,
                original: Source::Value(one),
                structured: Source::Value(other),
                by: (original, structured),
            });
        }
    }

    /// Compares the regions of two operations, with a stack of pairs of regions.
    fn meet_regions(
        &mut self,
        job: JobId,
        node: NodeId,
        original: Op<'a>,
        structured: Op<'a>,
    ) -> Result<(), PassFailed> {
        let mut regions: Vec<_> = original
            .regions()
            .zip(structured.regions())
            .map(|(one, other)| (original, one, structured, other))
            .collect();
        let mut inside: HashMap<Value<'a>, Value<'a>> = HashMap::new();
        let mut reads = Vec::new();
        while let Some((outer, one, other_outer, other)) = regions.pop() {
            let (blocks, others) = (one.blocks().count(), other.blocks().count());
            if blocks > 1 && others == 1 {
                self.start((outer, one), (other_outer, other), Some((job, node)))?;
                continue;
            }
            if blocks != others {
                return Err(differ(other_outer, outer, "a region has other blocks"));
            }
            for (block, other_block) in one.blocks().zip(other.blocks()) {
                inside.extend(block.arguments().zip(other_block.arguments()));
                let (mut ops, mut other_ops) = (block.ops(), other_block.ops());
                loop {
                    let (op, other_op) = match (ops.next(), other_ops.next()) {
                        (None, None) => break,
                        (Some(op), Some(other_op)) if are_like(op, other_op) => (op, other_op),
                        _ => {
                            return Err(differ(
                                other_outer,
                                outer,
                                "a region has other operations",
                            ));
                        }
                    };
                    inside.extend(op.results().zip(other_op.results()));
                    reads.extend(
                        op.operands()
                            .zip(other_op.operands())
                            .map(|pair| (pair, op, other_op)),
                    );
                    let nested = op.regions().zip(other_op.regions());
                    regions.extend(nested.map(|(one, other)| (op, one, other_op, other)));
                }
            }
        }
        for ((one, other), op, other_op) in reads {
            match inside.get(&one) {
                Some(&found) if found == other => {}
                Some(_) => return Err(differ(other_op, op, "it reads another value")),
                None => self.reads.push(Read {
                    job,
                    node,
                    original: Source::Value(one),
                    structured: Source::Value(other),
                    by: (op, other_op),
                }),
            }
        }
        Ok(())
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
        self.read_all(job, node, terminator, point);
        Ok(())
    }

    // -----------------------------------------------------------------------------------------------------------------
    // One edge.

    #[allow(clippy::too_many_arguments)]
    fn follow(
        &mut self,
        job: JobId,
        from: NodeId,
        point: Op<'a>,
        branch: Op<'a>,
        goal: Goal<'a>,
        handed: Vec<Vec<(Value<'a>, Value<'a>)>>,
        known: Option<(Value<'a>, Known)>,
    ) -> Result<(), PassFailed> {
        if goal == Goal::Never {
            return Ok(());
        }
        self.edges += 1;
        let mut way = Way {
            walker: self,
            job,
            from,
            root: self.jobs[job].structured,
            known,
            holds: HashMap::new(),
            guesses: Vec::new(),
            now: Vec::new(),
            assumed: HashMap::new(),
            trips: HashMap::new(),
        };
        let arrived = way.walk(point, branch, goal)?;
        way.forget_guesses();
        let Way {
            holds,
            guesses,
            known,
            ..
        } = way;
        for guess in guesses {
            let original = match (guess.number, &known) {
                (Some(number), _) => Source::Integer(number),
                (None, Some((tested, _))) => {
                    self.taken_for.insert(guess.value, *tested);
                    Source::Value(*tested)
                }
                (None, None) => continue,
            };
            self.reads.push(Read {
                job,
                node: from,
                original,
                structured: Source::Value(guess.value),
                by: (branch, point),
            });
        }
        let place = match goal {
            Goal::Block(block, _) | Goal::Branch(block) => Place::Start(block),
            Goal::End(block) => Place::End(block),
            Goal::Never | Goal::Forever => return Ok(()),
        };
        let fact = known.and_then(|(value, known)| match known {
            Known::Is(number) => Some((value, number)),
            Known::IsNone(_) => None,
        });
        let to = self.node(job, place, arrived);
        self.jobs[job].nodes[to].incoming.push(Edge {
            from,
            handed,
            holds,
            fact,
        });
        Ok(())
    }
}

impl<'a> Walker<'a> {
    /// Whether two values look the same at the end of a node.
    pub(super) fn may_be(
        &self,
        node: &Node<'a>,
        original: Value<'a>,
        structured: Value<'a>,
    ) -> bool {
        node.results.get(&original) == Some(&structured)
            || self.taken_for.get(&structured) == Some(&original)
            || self.always_meet(original, structured)
    }

    /// Whether it is known already what a value of the structured form is in the original.
    fn is_settled(&self, structured: Value<'a>) -> bool {
        match structured.definition() {
            Definition::Result(op, _) => self.met.contains(&op),
            Definition::Argument(block, _) => block == self.jobs[0].structured,
        }
    }

    /// What a value was found to be by a branch on the first way that was found to a node.
    fn tested_before(&self, job: JobId, node: NodeId, value: Value<'a>) -> Option<u64> {
        let nodes = &self.jobs[job].nodes;
        let (mut node, mut value) = (&nodes[node], value);
        let mut seen = HashSet::new();
        while !node.made.contains(&value) {
            let edge = node.incoming.first()?;
            match edge.holds.get(&value) {
                None => {}
                Some(Source::Value(before)) => value = *before,
                Some(Source::Integer(number)) => return Some(*number),
                Some(_) => return None,
            }
            if !seen.insert((edge.from, value)) {
                return None;
            }
            node = &nodes[edge.from];
            if let Some((tested, number)) = edge.fact
                && self.may_be(node, tested, value)
            {
                return Some(number);
            }
        }
        None
    }

    /// Whether both are the same result of two operations that meet nothing but each other, or the same argument of the functions.
    pub(super) fn always_meet(&self, original: Value<'a>, structured: Value<'a>) -> bool {
        match (original.definition(), structured.definition()) {
            (Definition::Result(one, index), Definition::Result(other, other_index)) => {
                let met = self.pairs.get(&one);
                index == other_index && met.is_some_and(|met| met[..] == [other])
            }
            (Definition::Argument(one, index), Definition::Argument(other, other_index)) => {
                let outer = &self.jobs[0];
                Some(one) == outer.original.entry()
                    && other == outer.structured
                    && index == other_index
            }
            _ => false,
        }
    }
}

/// The walk through the structured form along one edge.
struct Way<'a, 'w> {
    walker: &'w Walker<'a>,
    job: JobId,
    from: NodeId,
    root: Block<'a>,
    known: Option<(Value<'a>, Known)>,
    holds: HashMap<Value<'a>, Source<'a>>,
    /// What the way depends on.
    guesses: Vec<Guess<'a>>,
    /// What the number that is being found depends on.
    now: Vec<Guess<'a>>,
    /// What the numbers that values hold depend on. It counts only if such a value decides something.
    assumed: HashMap<Value<'a>, Vec<Guess<'a>>>,
    trips: HashMap<Op<'a>, usize>,
}

/// A value that is taken to be the one that the branch tests, or to be a number.
#[derive(Clone, Copy, PartialEq)]
struct Guess<'a> {
    value: Value<'a>,
    number: Option<u64>,
}

impl<'a> Way<'a, '_> {
    /// Goes on from `point` until the goal is reached.
    fn walk(
        &mut self,
        mut point: Op<'a>,
        branch: Op<'a>,
        goal: Goal<'a>,
    ) -> Result<Op<'a>, PassFailed> {
        loop {
            match goal {
                Goal::Block(_, first) if are_like(first, point) => return Ok(point),
                Goal::End(_) if point.block() == Some(self.root) && point.next().is_none() => {
                    return Ok(point);
                }
                _ => {}
            }
            if is_constant(point) {
                point = after(point)?;
                continue;
            }
            let next = match self.step(point) {
                Step::To(next) => Some(next),
                Step::Computes(Source::Unknown) if matches!(goal, Goal::Branch(_)) => None,
                Step::Computes(source) => {
                    self.holds.insert(point.result(0), source);
                    let assumed = std::mem::take(&mut self.now);
                    self.assumed.insert(point.result(0), assumed);
                    Some(after(point)?)
                }
                Step::Stuck => None,
            };
            match (next, goal) {
                (Some(next), _) => point = next,
                (None, Goal::Branch(_)) => return Ok(point),
                (None, _) => {
                    let what = format!(
                        "'{}' stands where the way on from a branch leads elsewhere",
                        point.name()
                    );
                    return Err(differ(point, branch, &what));
                }
            }
            if self.trips.values().any(|&trips| trips > MAX_TRIPS) {
                return match goal {
                    Goal::Forever => Ok(point),
                    _ => Err(differ(point, branch, "a loop goes round on its own")),
                };
            }
        }
    }

    fn step(&mut self, point: Op<'a>) -> Step<'a> {
        match point.name() {
            "scf.if" => match self.decide(point.operand(0)) {
                Some(Known::Is(flag)) => self.enter(point, usize::from(flag == 0)),
                _ => Step::Stuck,
            },
            "scf.index_switch" => {
                let cases = cases(point);
                let case = match self.decide(point.operand(0)) {
                    Some(Known::Is(number)) => cases.iter().position(|&case| case == number),
                    Some(Known::IsNone(not)) if cases.iter().all(|case| not.contains(case)) => None,
                    _ => return Step::Stuck,
                };
                self.enter(point, case.map_or(0, |index| index + 1))
            }
            "scf.while" => {
                let values: Vec<Value<'a>> = point.operands().collect();
                self.enter_half(point, 0, &values)
            }
            "scf.condition" => {
                let Some(around) = point.parent() else {
                    return Step::Stuck;
                };
                let values: Vec<Value<'a>> = point.operands().skip(1).collect();
                match self.decide(point.operand(0)) {
                    Some(Known::Is(0)) => {
                        self.hold(around.results(), &values);
                        around.next().map_or(Step::Stuck, Step::To)
                    }
                    Some(Known::Is(_)) => self.enter_half(around, 1, &values),
                    _ => Step::Stuck,
                }
            }
            "scf.yield" => {
                let Some(around) = point.parent().filter(|_| point.block() != Some(self.root))
                else {
                    return Step::Stuck;
                };
                let values: Vec<Value<'a>> = point.operands().collect();
                if around.is("scf.while") {
                    return self.enter_half(around, 0, &values);
                }
                self.hold(around.results(), &values);
                around.next().map_or(Step::Stuck, Step::To)
            }
            "arith.xori" | "arith.ori" | "arith.andi" | "arith.cmpi" | "arith.select"
            | "arith.index_castui" => {
                self.now.clear();
                Step::Computes(self.compute(point))
            }
            _ => Step::Stuck,
        }
    }

    fn enter(&mut self, op: Op<'a>, region: usize) -> Step<'a> {
        let block = op.region(region).entry();
        let first = block.and_then(Block::first).or_else(|| op.next());
        first.map_or(Step::Stuck, Step::To)
    }

    fn enter_half(&mut self, op: Op<'a>, region: usize, values: &[Value<'a>]) -> Step<'a> {
        if region == 0 {
            *self.trips.entry(op).or_default() += 1;
        }
        let Some(block) = op.region(region).entry() else {
            return Step::Stuck;
        };
        self.hold(block.arguments(), values);
        block.first().map_or(Step::Stuck, Step::To)
    }

    /// All values are read before any is replaced.
    fn hold(&mut self, targets: impl Iterator<Item = Value<'a>>, values: &[Value<'a>]) {
        let read = |&value: &Value<'a>| (self.source(value), self.assumed.get(&value).cloned());
        let sources: Vec<_> = values.iter().map(read).collect();
        for (target, (source, assumed)) in targets.zip(sources) {
            self.holds.insert(target, source);
            self.assumed.insert(target, assumed.unwrap_or_default());
        }
    }

    /// A number that the way depends on.
    fn decide(&mut self, value: Value<'a>) -> Option<Known> {
        self.now.clear();
        let known = self.number(value);
        for guess in std::mem::take(&mut self.now) {
            if !self.guesses.contains(&guess) {
                self.guesses.push(guess);
            }
        }
        known
    }

    /// What depends on a guess that decided nothing is not known.
    fn forget_guesses(&mut self) {
        for (value, guesses) in &self.assumed {
            if !guesses.iter().all(|guess| self.guesses.contains(guess)) {
                self.holds.insert(*value, Source::Unknown);
            }
        }
    }

    /// What a value holds now.
    fn source(&self, value: Value<'a>) -> Source<'a> {
        match self.holds.get(&value) {
            Some(&source) => source,
            None => constant(value).unwrap_or(Source::Value(value)),
        }
    }

    /// What a value is as a number, if it is a constant or may be the one that the branch tests.
    fn number(&mut self, value: Value<'a>) -> Option<Known> {
        if let Some(assumed) = self.assumed.get(&value) {
            self.now.extend(assumed);
        }
        match self.source(value) {
            Source::Integer(number) => Some(Known::Is(number)),
            Source::Value(root) => {
                if let Some(op) = root.defining_op()
                    && op.is("arith.index_castui")
                    && !self.walker.met.contains(&op)
                {
                    return self.number(op.operand(0));
                }
                self.guess(root)
            }
            Source::Constant(_) | Source::Undefined | Source::Unknown => None,
        }
    }

    /// What a value is that the way itself does not tell: the one that the branch tests; else one that a branch tested before, on the
    /// first way that was found to here; else the one that the branch tests all the same.
    fn guess(&mut self, root: Value<'a>) -> Option<Known> {
        let tested = self.known.as_ref().map(|(tested, _)| *tested);
        let here = &self.walker.jobs[self.job].nodes[self.from];
        let is_tested = tested.is_some_and(|tested| self.walker.may_be(here, tested, root));
        let before = match is_tested {
            true => None,
            false => self.walker.tested_before(self.job, self.from, root),
        };
        let known = match before {
            Some(number) => Known::Is(number),
            None => {
                let (tested, known) = self.known.as_ref()?;
                if tested.ty() != root.ty() || !is_tested && self.walker.is_settled(root) {
                    return None;
                }
                known.clone()
            }
        };
        self.now.push(Guess {
            value: root,
            number: before,
        });
        Some(known)
    }

    /// Computes with two numbers, of which one may decide alone; then nothing depends on the other.
    fn combine(&mut self, name: &str, operands: [Value<'a>; 2]) -> Option<u64> {
        let deciding = match name {
            "arith.andi" => Some(0),
            "arith.ori" => Some(1),
            _ => None,
        };
        let mut numbers = Vec::new();
        let mut depends = Vec::new();
        for operand in operands {
            self.now.clear();
            let number = match self.number(operand) {
                Some(Known::Is(number)) => Some(number),
                _ => None,
            };
            if number.is_some() && number == deciding {
                return number;
            }
            numbers.push(number);
            depends.append(&mut self.now);
        }
        self.now = depends;
        let (one, other) = (numbers[0]?, numbers[1]?);
        Some(match name {
            "arith.xori" => one ^ other,
            "arith.andi" => one & other,
            _ => one | other,
        })
    }

    fn compute(&mut self, op: Op<'a>) -> Source<'a> {
        let is = |known: Option<Known>| match known {
            Some(Known::Is(number)) => Some(number),
            _ => None,
        };
        let number = match op.name() {
            "arith.select" => {
                let chosen = match is(self.decide(op.operand(0))) {
                    Some(0) => op.operand(2),
                    Some(_) => op.operand(1),
                    None => return Source::Unknown,
                };
                self.now
                    .extend(self.assumed.get(&chosen).into_iter().flatten());
                return self.source(chosen);
            }
            "arith.index_castui" => {
                // The value is looked through where it is tested.
                return match self.source(op.operand(0)) {
                    Source::Integer(number) => Source::Integer(number),
                    _ => Source::Value(op.result(0)),
                };
            }
            "arith.cmpi" => {
                let (one, other) = (self.number(op.operand(0)), self.number(op.operand(1)));
                let equal = match (one, other) {
                    (Some(Known::Is(one)), Some(Known::Is(other))) => Some(one == other),
                    (Some(Known::IsNone(not)), Some(Known::Is(number)))
                        if not.contains(&number) =>
                    {
                        Some(false)
                    }
                    _ => None,
                };
                match op.integer("predicate") {
                    Some(0) => equal.map(u64::from),
                    Some(1) => equal.map(|equal| u64::from(!equal)),
                    _ => None,
                }
            }
            name => self.combine(name, [op.operand(0), op.operand(1)]),
        };
        number.map_or(Source::Unknown, Source::Integer)
    }
}

enum Step<'a> {
    /// The next operation.
    To(Op<'a>),
    /// It computes this.
    Computes(Source<'a>),
    /// It is not for a way between two blocks.
    Stuck,
}

// ---------------------------------------------------------------------------------------------------------------------
// Questions.

/// What a constant holds.
pub(super) fn constant<'a>(value: Value<'a>) -> Option<Source<'a>> {
    let op = value.defining_op()?;
    if op.is("tfx_host.undef") {
        return Some(Source::Undefined);
    }
    let attribute = op.constant_value()?;
    if let Ok(integer) = IntegerAttribute::try_from(attribute) {
        return Some(Source::Integer(masked(
            integer.value() as u64,
            width(value),
        )));
    }
    if let Some(flag) = op.boolean("value") {
        return Some(Source::Integer(u64::from(flag)));
    }
    Some(Source::Constant(attribute.to_raw().ptr as usize))
}

fn width(value: Value<'_>) -> u32 {
    IntegerType::try_from(value.ty()).map_or(u64::BITS, |ty| ty.width())
}

fn masked(number: u64, width: u32) -> u64 {
    match width {
        0..64 => number & ((1 << width) - 1),
        _ => number,
    }
}

/// Whether an operation stands for a value that is the same everywhere: a constant, or one that is never read.
fn is_constant(op: Op<'_>) -> bool {
    op.has_trait(Trait::ConstantLike) || op.is("tfx_host.undef")
}

/// The operations of a block at which something happens.
fn happenings<'a>(block: Block<'a>) -> impl Iterator<Item = Op<'a>> {
    let last = block.last();
    block
        .ops()
        .filter(move |&op| Some(op) != last && !is_constant(op))
}

fn is_end(terminator: Op<'_>) -> bool {
    let never = ["tfx_host.unreachable", "llvm.unreachable", "ub.unreachable"];
    terminator.has_trait(Trait::ReturnLike) && !never.contains(&terminator.name())
}

/// The operation after `op` in its block.
fn after(op: Op<'_>) -> Result<Op<'_>, PassFailed> {
    op.next().ok_or_else(|| {
        diag::error(
            op.location(),
            "internal error: a block of the structured form ends too early",
        )
        .fail()
    })
}

/// Whether two operations are the same but for what they read and what is in their regions.
fn are_like(one: Op<'_>, other: Op<'_>) -> bool {
    one.name() == other.name()
        && one.location() == other.location()
        && one.num_operands() == other.num_operands()
        && one.num_results() == other.num_results()
        && one.num_regions() == other.num_regions()
        && one
            .results()
            .zip(other.results())
            .all(|(one, other)| one.ty() == other.ty())
        && one.attributes() == other.attributes()
}

/// What is known on the edge to a successor.
fn fact<'a>(terminator: Op<'a>, index: usize) -> Option<(Value<'a>, Known)> {
    let tested = |known| Some((terminator.operand(0), known));
    match terminator.name() {
        "cf.cond_br" => tested(Known::Is(u64::from(index == 0))),
        "cf.switch" => {
            let cases = switch_cases(terminator);
            match index.checked_sub(1) {
                None => tested(Known::IsNone(cases)),
                Some(case) => tested(Known::Is(*cases.get(case)?)),
            }
        }
        _ => None,
    }
}

fn switch_cases(op: Op<'_>) -> Vec<u64> {
    let width = width(op.operand(0));
    let values = op.attribute("case_values");
    let Some(values) = values.and_then(|values| DenseElementsAttribute::try_from(values).ok())
    else {
        return Vec::new();
    };
    (1..op.num_successors())
        .filter_map(|case| match width {
            1 => values.bool_element(case - 1).map(u64::from).ok(),
            8 => values.u8_element(case - 1).map(u64::from).ok(),
            16 => values.u16_element(case - 1).map(u64::from).ok(),
            32 => values.u32_element(case - 1).map(u64::from).ok(),
            _ => values.u64_element(case - 1).ok(),
        })
        .collect()
}

fn cases(op: Op<'_>) -> Vec<u64> {
    let cases = op
        .attribute("cases")
        .and_then(|cases| DenseI64ArrayAttribute::try_from(cases).ok());
    let Some(cases) = cases else {
        return Vec::new();
    };
    (0..cases.len())
        .filter_map(|index| cases.element(index).ok())
        .map(|case| case as u64)
        .collect()
}

/// Where a successor leads; notes what is handed over on the way.
fn goal<'a>(
    terminator: Op<'a>,
    index: usize,
    handed: &mut Vec<Vec<(Value<'a>, Value<'a>)>>,
) -> Goal<'a> {
    let (mut terminator, mut index) = (terminator, index);
    let mut crossed = HashSet::new();
    loop {
        let block = terminator.successor(index);
        if block.num_arguments() > 0 {
            let values = terminator
                .successor_operands(index)
                .map(|operands| operands.values());
            handed.push(block.arguments().zip(values.unwrap_or_default()).collect());
        }
        if let Some(first) = happenings(block).next() {
            return Goal::Block(block, first);
        }
        let Some(last) = block.last() else {
            return Goal::Never;
        };
        match last.num_successors() {
            0 if is_end(last) => return Goal::End(block),
            0 => return Goal::Never,
            1 if !crossed.insert(block) => return Goal::Forever,
            1 => (terminator, index) = (last, 0),
            _ => return Goal::Branch(block),
        }
    }
}
