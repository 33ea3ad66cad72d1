//! The original as a graph of the blocks that have operations.
//!
//! *Empty* blocks have no operation but the terminator, and do not occur in the structured form. An
//! edge may lead over several of them:
//!
//! ```text
//!   ^a: x; cond_br c ^b ^d        edges from x: to the empty branch ^b if c is true, else to the operation z
//!   ^b: cond_br d ^e ^d
//!   ^e: cond_br c ^f ^d           only reached if c is true, so ^b leads to ^f
//!   ^d: z
//! ```
//!
//! A path passes branches that its facts decide. Facts are kept from one empty branch to the next
//! for the *watched* values: those that an empty block tests, or forwards to a watched block
//! argument. No fact is kept after an operation, since the structured form has branched by then.

use std::rc::Rc;
use tfx_dialects::host;
use tfx_ir::ops::{llvm, ub};

use rustc_hash::{FxHashMap, FxHashSet};
use tfx_ir::{Block, Op, Region, Trait, Value};

use super::source::{Known, Source, branch, is_constant};

/// Facts about values of the original, in the order in which they were learned.
pub(super) type Facts<'a> = Vec<(Value<'a>, Known)>;

/// Block arguments and the values that are forwarded to them.
pub(super) type Forwarded<'a> = Vec<(Value<'a>, Value<'a>)>;

/// Blocks and their first operations.
pub(super) type FirstOps<'a> = Rc<[(Block<'a>, Op<'a>)]>;

/// The maximal number of first operations that are compared with the end of a path to an empty
/// branch.
const MAX_FIRST: usize = 32;

/// The destination of an edge, after empty blocks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal<'a> {
    /// A block with operations, and the first of them.
    Block(Block<'a>, Op<'a>),
    /// An empty block that branches.
    Branch(Block<'a>),
    /// The end of the region, from this block.
    End(Block<'a>),
    /// A block that control does not leave.
    Unreachable,
    /// An endless loop over empty blocks.
    Endless,
}

/// An edge, extended over empty blocks.
pub(super) struct Path<'a> {
    pub(super) goal: Goal<'a>,
    /// The forwarded values, one list for each entered block.
    pub(super) forwarded: Vec<Forwarded<'a>>,
    /// The facts at the end.
    pub(super) facts: Facts<'a>,
    /// The number of entered blocks.
    pub(super) crossed: usize,
}

/// The blocks of one region.
pub(super) struct Cfg<'a> {
    first: FxHashMap<Block<'a>, Option<Op<'a>>>,
    /// The value that each branch tests, and its fact for each successor.
    branches: FxHashMap<Op<'a>, (Value<'a>, Vec<Known>)>,
    /// For each watched value, the number of empty blocks that test it or forward it to a watched
    /// value.
    watched: FxHashMap<Value<'a>, usize>,
    /// For each empty branch, the operations that may run next.
    next: FxHashMap<Block<'a>, FirstOps<'a>>,
}

impl<'a> Cfg<'a> {
    pub(super) fn new(region: Region<'a>) -> Self {
        let first: FxHashMap<_, _> = region
            .blocks()
            .map(|block| (block, body_ops(block).next()))
            .collect();
        let terminators = region.blocks().filter_map(Block::last);
        let branches = terminators.filter_map(|terminator| Some((terminator, branch(terminator)?)));
        let mut cfg = Self {
            first,
            branches: branches.collect(),
            watched: FxHashMap::default(),
            next: FxHashMap::default(),
        };
        cfg.watch(region);
        cfg
    }

    /// Returns whether a block is empty.
    pub(super) fn is_empty(&self, block: Block<'a>) -> bool {
        self.first.get(&block) == Some(&None)
    }

    /// Counts the readers of watched values.
    fn watch(&mut self, region: Region<'a>) {
        let mut work = Vec::new();
        for block in region.blocks().filter(|&block| self.is_empty(block)) {
            let tested = block.last().and_then(branch);
            work.extend(tested.map(|(value, _)| value));
        }
        while let Some(value) = work.pop() {
            let count = self.watched.entry(value).or_default();
            *count += 1;
            if let (1, Some((block, position))) = (*count, value.as_argument()) {
                for (terminator, index) in block.incoming() {
                    let from = terminator.block().filter(|&from| self.is_empty(from));
                    let forwarded = terminator.successor_operands(index);
                    let value = forwarded.and_then(|forwarded| forwarded.value(position));
                    work.extend(from.and(value));
                }
            }
        }
    }

    /// Returns the value that a branch tests, and the fact on the edge to a successor.
    pub(super) fn fact_on_edge(
        &self,
        terminator: Op<'a>,
        index: usize,
    ) -> Option<(Value<'a>, Known)> {
        let (tested, known) = self.branches.get(&terminator)?;
        Some((*tested, known.get(index)?.clone()))
    }

    /// Returns the path of an edge. `facts` hold when the original takes the edge; branches that
    /// they decide are passed.
    pub(super) fn follow(&self, terminator: Op<'a>, index: usize, facts: &Facts<'a>) -> Path<'a> {
        let (mut terminator, mut index) = (terminator, index);
        let mut path = Path {
            facts: facts.clone(),
            ..Path::to(Goal::Unreachable)
        };
        let mut seen = FxHashSet::default();
        loop {
            let block = terminator.successor(index);
            path.take(terminator, index, &self.watched);
            path.crossed += 1;
            if let Some(&Some(first)) = self.first.get(&block) {
                path.goal = Goal::Block(block, first);
                return path;
            }
            let Some(last) = block.last() else {
                return path;
            };
            let next = match last.num_successors() {
                0 if is_end(last) => {
                    path.goal = Goal::End(block);
                    return path;
                }
                0 => return path,
                1 => Some(0),
                _ => self.known_successor(last, &path.facts),
            };
            let Some(next) = next else {
                path.goal = Goal::Branch(block);
                return path;
            };
            if !seen.insert((block, path.facts.clone())) {
                path.goal = Goal::Endless;
                return path;
            }
            (terminator, index) = (last, next);
        }
    }

    /// Returns the successor of a branch that is decided, or whose edges are all equal.
    fn known_successor(&self, terminator: Op<'a>, facts: &Facts<'a>) -> Option<usize> {
        let next = |index| {
            let forwarded = terminator.successor_operands(index);
            let values = forwarded
                .map(|forwarded| forwarded.values())
                .unwrap_or_default();
            (terminator.successor(index), values)
        };
        let first = next(0);
        if (1..terminator.num_successors()).all(|index| next(index) == first) {
            return Some(0);
        }
        let (tested, facts_by_edge) = self.branches.get(&terminator)?;
        let known = fact_of(*tested, facts)?;
        let mut possible =
            (0..facts_by_edge.len()).filter(|&next| facts_by_edge[next].agrees(&known));
        let first = possible.next()?;
        possible.next().is_none().then_some(first)
    }

    /// Returns the facts after an edge from `from` that may be used later.
    pub(super) fn keep(&self, from: Block<'a>, path: &Path<'a>) -> Facts<'a> {
        let own = match self.is_empty(from) {
            true => from.last().and_then(branch).map(|(value, _)| value),
            false => None,
        };
        let is_new = |value: Value<'a>| {
            let mut arguments = path.forwarded.iter().flatten();
            arguments.any(|(argument, _)| *argument == value)
        };
        let mut facts = path.facts.clone();
        facts.retain(|&(value, _)| {
            let count = self.watched.get(&value).copied().unwrap_or(0);
            count > usize::from(own == Some(value) && !is_new(value))
        });
        facts
    }

    /// Returns the operations that may run first after an empty branch; only some if there are
    /// many.
    pub(super) fn first_operations(&mut self, block: Block<'a>) -> FirstOps<'a> {
        if let Some(found) = self.next.get(&block) {
            return found.clone();
        }
        let found: FirstOps<'a> = self.find_first(block).into();
        self.next.insert(block, found.clone());
        found
    }

    fn find_first(&self, block: Block<'a>) -> Vec<(Block<'a>, Op<'a>)> {
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut work = vec![block];
        while let Some(block) = work.pop() {
            if found.len() + work.len() > MAX_FIRST {
                break;
            }
            if !seen.insert(block) {
                continue;
            }
            match self.first.get(&block) {
                Some(&Some(first)) => found.push((block, first)),
                _ => work.extend(block.successors().take(MAX_FIRST)),
            }
        }
        found
    }
}

impl<'a> Path<'a> {
    /// Returns a path that enters no block.
    pub(super) fn to(goal: Goal<'a>) -> Self {
        Self {
            goal,
            forwarded: Vec::new(),
            facts: Vec::new(),
            crossed: 0,
        }
    }

    /// Takes one edge.
    fn take(&mut self, terminator: Op<'a>, index: usize, watched: &FxHashMap<Value<'a>, usize>) {
        let block = terminator.successor(index);
        if block.num_arguments() == 0 {
            return;
        }
        let values = terminator
            .successor_operands(index)
            .map(|operands| operands.values());
        let forwarded: Forwarded<'a> = block.arguments().zip(values.unwrap_or_default()).collect();
        let given: Facts<'a> = forwarded
            .iter()
            .filter(|(argument, _)| watched.contains_key(argument))
            .filter_map(|&(argument, value)| Some((argument, fact_of(value, &self.facts)?)))
            .collect();
        self.facts
            .retain(|(value, _)| value.as_argument().is_none_or(|(of, _)| of != block));
        self.facts.extend(given);
        self.forwarded.push(forwarded);
    }
}

/// Adds the fact that a branch implies.
pub(super) fn learn<'a>(facts: &mut Facts<'a>, value: Value<'a>, known: &Known) {
    match facts.iter_mut().find(|(one, _)| *one == value) {
        Some((_, before)) => *before = before.and(known),
        None => facts.push((value, known.clone())),
    }
}

/// Returns the fact about a value, which may be a constant.
fn fact_of<'a>(value: Value<'a>, facts: &Facts<'a>) -> Option<Known> {
    if let Source::Integer(number) = Source::of(value) {
        return Some(Known::Is(number));
    }
    let found = facts.iter().find(|(one, _)| *one == value);
    found.map(|(_, known)| known.clone())
}

/// Returns the operations of a block except constants and the terminator.
pub(super) fn body_ops<'a>(block: Block<'a>) -> impl Iterator<Item = Op<'a>> {
    let last = block.last();
    block
        .ops()
        .filter(move |&op| Some(op) != last && !is_constant(op))
}

/// Returns whether a terminator ends the region and returns values to the parent operation.
pub(super) fn is_end(terminator: Op<'_>) -> bool {
    let never = [
        host::Unreachable::NAME,
        llvm::Unreachable::NAME,
        ub::Unreachable::NAME,
    ];
    terminator.has_trait(Trait::ReturnLike) && !never.contains(&terminator.name())
}

/// Returns a source in terms of the start of an edge that forwards values.
pub(super) fn before<'a>(forwarded: &[Forwarded<'a>], mut source: Source<'a>) -> Source<'a> {
    for block in forwarded.iter().rev() {
        let given = block
            .iter()
            .find(|(argument, _)| Source::Value(*argument) == source);
        source = given.map_or(source, |&(_, value)| Source::of(value));
    }
    source
}
