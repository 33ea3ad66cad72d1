//! The original as a graph of what happens.
//!
//! Most blocks hold operations. Those that hold none, *empty* ones, are not seen in the structured form; they may be passed one after the
//! other, with branches between them:
//!
//! ```text
//!   ^a: x; cond_br c ^b ^d        from x, an edge leads to the empty branch ^b with c true, or to the operation z
//!   ^b: cond_br d ^e ^d
//!   ^e: cond_br c ^f ^d           only reached with c true: so ^b leads to ^f
//!   ^d: z
//! ```
//!
//! A branch that is decided by what is known on the edge is passed at once, too. What a branch told is kept from one empty branch to the next for the values that one of them asks for again, directly or
//! as what it is handed: the *watched* values. After an operation nothing is kept: whatever the structured form needs to know there, it
//! has by then.

use std::rc::Rc;
use tfx_dialects::host;
use tfx_ir::ops::{llvm, ub};

use rustc_hash::{FxHashMap, FxHashSet};
use tfx_ir::{Block, Op, Region, Trait, Value};

use super::source::{Known, Source, branch, is_constant};

/// Facts about values of the original, in the order in which they were learned.
pub(super) type Facts<'a> = Vec<(Value<'a>, Known)>;

/// Block arguments and what is handed to them.
pub(super) type Handed<'a> = Vec<(Value<'a>, Value<'a>)>;

/// Blocks and their first operations.
pub(super) type Firsts<'a> = Rc<[(Block<'a>, Op<'a>)]>;

/// First operations that are looked at to tell where a way to an empty branch ends.
const MAX_FIRST: usize = 32;

/// Where an edge leads after blocks in which nothing happens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal<'a> {
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

/// Where an edge leads, over blocks in which nothing happens.
pub(super) struct Path<'a> {
    pub(super) goal: Goal<'a>,
    /// What is handed over, one list per block that is entered.
    pub(super) handed: Vec<Handed<'a>>,
    /// What is known at the end.
    pub(super) facts: Facts<'a>,
    /// The number of blocks that are entered.
    pub(super) crossed: usize,
}

/// The blocks of one region.
pub(super) struct Graph<'a> {
    first: FxHashMap<Block<'a>, Option<Op<'a>>>,
    /// What each branch tests, and what that is on each way.
    branches: FxHashMap<Op<'a>, (Value<'a>, Vec<Known>)>,
    /// Per watched value, how many empty blocks test it or hand it to a watched one.
    watched: FxHashMap<Value<'a>, usize>,
    /// Per empty branch: the operations that may happen next.
    next: FxHashMap<Block<'a>, Firsts<'a>>,
}

impl<'a> Graph<'a> {
    pub(super) fn new(region: Region<'a>) -> Self {
        let first: FxHashMap<_, _> = region
            .blocks()
            .map(|block| (block, happenings(block).next()))
            .collect();
        let terminators = region.blocks().filter_map(Block::last);
        let branches = terminators.filter_map(|terminator| Some((terminator, branch(terminator)?)));
        let mut graph = Self {
            first,
            branches: branches.collect(),
            watched: FxHashMap::default(),
            next: FxHashMap::default(),
        };
        graph.watch(region);
        graph
    }

    /// Whether nothing happens in a block.
    pub(super) fn is_empty(&self, block: Block<'a>) -> bool {
        self.first.get(&block) == Some(&None)
    }

    /// Counts who asks for each value.
    fn watch(&mut self, region: Region<'a>) {
        let mut work = Vec::new();
        for block in region.blocks().filter(|&block| self.is_empty(block)) {
            let tested = block.last().and_then(branch);
            work.extend(tested.map(|(value, _)| value));
        }
        while let Some(value) = work.pop() {
            let count = self.watched.entry(value).or_default();
            *count += 1;
            if let (1, Some((block, index))) = (*count, value.as_argument()) {
                for (terminator, way) in block.incoming() {
                    let from = terminator.block().filter(|&from| self.is_empty(from));
                    let handed = terminator.successor_operands(way);
                    let value = handed.and_then(|handed| handed.value(index));
                    work.extend(from.and(value));
                }
            }
        }
    }

    /// What a branch tests, and what it is on the way to that successor.
    pub(super) fn told(&self, terminator: Op<'a>, index: usize) -> Option<(Value<'a>, Known)> {
        let (tested, known) = self.branches.get(&terminator)?;
        Some((*tested, known.get(index)?.clone()))
    }

    /// Where an edge leads, and how. `facts` are what the original knows when it takes the edge; a branch that they decide is passed.
    pub(super) fn follow(&self, terminator: Op<'a>, index: usize, facts: &Facts<'a>) -> Path<'a> {
        let (mut terminator, mut index) = (terminator, index);
        let mut path = Path {
            facts: facts.clone(),
            ..Path::to(Goal::Never)
        };
        let mut seen = FxHashSet::default();
        loop {
            let block = terminator.successor(index);
            path.hand_over(terminator, index, &self.watched);
            path.crossed += 1;
            if let Some(&Some(first)) = self.first.get(&block) {
                path.goal = Goal::Block(block, first);
                return path;
            }
            let Some(last) = block.last() else {
                return path;
            };
            let way = match last.num_successors() {
                0 if is_end(last) => {
                    path.goal = Goal::End(block);
                    return path;
                }
                0 => return path,
                1 => Some(0),
                _ => self.known_way(last, &path.facts),
            };
            let Some(way) = way else {
                path.goal = Goal::Branch(block);
                return path;
            };
            if !seen.insert((block, path.facts.clone())) {
                path.goal = Goal::Forever;
                return path;
            }
            (terminator, index) = (last, way);
        }
    }

    /// The way on from a branch that is decided, or whose ways are all the same.
    fn known_way(&self, terminator: Op<'a>, facts: &Facts<'a>) -> Option<usize> {
        let way = |index| {
            let handed = terminator.successor_operands(index);
            let values = handed.map(|handed| handed.values()).unwrap_or_default();
            (terminator.successor(index), values)
        };
        let first = way(0);
        if (1..terminator.num_successors()).all(|index| way(index) == first) {
            return Some(0);
        }
        let (tested, ways) = self.branches.get(&terminator)?;
        let known = what_is(*tested, facts)?;
        let mut possible = (0..ways.len()).filter(|&way| ways[way].agrees(&known));
        let first = possible.next()?;
        possible.next().is_none().then_some(first)
    }

    /// Of what is known after an edge that leaves `from`, what is asked for later.
    pub(super) fn keep(&self, from: Block<'a>, path: &Path<'a>) -> Facts<'a> {
        let own = match self.is_empty(from) {
            true => from.last().and_then(branch).map(|(value, _)| value),
            false => None,
        };
        let is_new = |value: Value<'a>| {
            let mut arguments = path.handed.iter().flatten();
            arguments.any(|(argument, _)| *argument == value)
        };
        let mut facts = path.facts.clone();
        facts.retain(|&(value, _)| {
            let count = self.watched.get(&value).copied().unwrap_or(0);
            count > usize::from(own == Some(value) && !is_new(value))
        });
        facts
    }

    /// The operations that may happen first after an empty branch; only some, where there are many.
    pub(super) fn next_operations(&mut self, block: Block<'a>) -> Firsts<'a> {
        if let Some(found) = self.next.get(&block) {
            return found.clone();
        }
        let found: Firsts<'a> = self.find_next(block).into();
        self.next.insert(block, found.clone());
        found
    }

    fn find_next(&self, block: Block<'a>) -> Vec<(Block<'a>, Op<'a>)> {
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
    /// One on which nothing is crossed.
    pub(super) fn to(goal: Goal<'a>) -> Self {
        Self {
            goal,
            handed: Vec::new(),
            facts: Vec::new(),
            crossed: 0,
        }
    }

    /// Takes one edge.
    fn hand_over(
        &mut self,
        terminator: Op<'a>,
        index: usize,
        watched: &FxHashMap<Value<'a>, usize>,
    ) {
        let block = terminator.successor(index);
        if block.num_arguments() == 0 {
            return;
        }
        let values = terminator
            .successor_operands(index)
            .map(|operands| operands.values());
        let handed: Handed<'a> = block.arguments().zip(values.unwrap_or_default()).collect();
        let given: Facts<'a> = handed
            .iter()
            .filter(|(argument, _)| watched.contains_key(argument))
            .filter_map(|&(argument, value)| Some((argument, what_is(value, &self.facts)?)))
            .collect();
        self.facts
            .retain(|(value, _)| value.as_argument().is_none_or(|(of, _)| of != block));
        self.facts.extend(given);
        self.handed.push(handed);
    }
}

/// Adds what a branch tells.
pub(super) fn learn<'a>(facts: &mut Facts<'a>, value: Value<'a>, known: &Known) {
    match facts.iter_mut().find(|(one, _)| *one == value) {
        Some((_, before)) => *before = before.and(known),
        None => facts.push((value, known.clone())),
    }
}

/// What a value is: a constant, or one of which something is known.
fn what_is<'a>(value: Value<'a>, facts: &Facts<'a>) -> Option<Known> {
    if let Source::Integer(number) = Source::of(value) {
        return Some(Known::Is(number));
    }
    let found = facts.iter().find(|(one, _)| *one == value);
    found.map(|(_, known)| known.clone())
}

/// The operations of a block at which something happens.
pub(super) fn happenings<'a>(block: Block<'a>) -> impl Iterator<Item = Op<'a>> {
    let last = block.last();
    block
        .ops()
        .filter(move |&op| Some(op) != last && !is_constant(op))
}

/// Whether a terminator ends the region and gives what it has to what is around it.
pub(super) fn is_end(terminator: Op<'_>) -> bool {
    let never = [
        host::Unreachable::NAME,
        llvm::Unreachable::NAME,
        ub::Unreachable::NAME,
    ];
    terminator.has_trait(Trait::ReturnLike) && !never.contains(&terminator.name())
}
