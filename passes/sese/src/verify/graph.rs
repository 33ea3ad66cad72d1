//! The original as a graph of what happens.
//!
//! Most blocks hold operations. Those that hold none, *empty* ones, are not seen in the structured form; they may be passed one after the
//! other, with branches between them:
//!
//! ```text
//!   ^a: x; cond_br c ^b ^d        from x, an edge leads to the empty branch ^b with c true, or to the operation z
//!   ^b: cond_br c ^e ^d           ^b is reached only with c true, so it only goes on to ^e
//!   ^d: z
//! ```
//!
//! What a branch told is kept from one empty branch to the next for the values that one of them asks for again, directly or
//! as what it is handed: the *watched* values. After an operation nothing is kept: whatever the structured form needs to know there, it
//! has by then.

use std::rc::Rc;

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

    /// Where a successor leads; notes what is handed over on the way.
    pub(super) fn goal(
        &self,
        terminator: Op<'a>,
        index: usize,
        handed: &mut Vec<Handed<'a>>,
    ) -> Goal<'a> {
        let (mut terminator, mut index) = (terminator, index);
        let mut crossed = FxHashSet::default();
        loop {
            let block = terminator.successor(index);
            if block.num_arguments() > 0 {
                let values = terminator
                    .successor_operands(index)
                    .map(|operands| operands.values());
                handed.push(block.arguments().zip(values.unwrap_or_default()).collect());
            }
            if let Some(&Some(first)) = self.first.get(&block) {
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

    /// Of what is known on an edge that leaves `from`, what is known after it and asked for there.
    pub(super) fn keep(
        &self,
        from: Block<'a>,
        known: &Facts<'a>,
        handed: &[Handed<'a>],
    ) -> Facts<'a> {
        let mut facts = known.clone();
        let mut new = FxHashSet::default();
        for block in handed {
            let given: Facts<'a> = block
                .iter()
                .filter(|(argument, _)| self.watched.contains_key(argument))
                .filter_map(|&(argument, value)| Some((argument, what_is(value, &facts)?)))
                .collect();
            let arguments: FxHashSet<Value<'a>> =
                block.iter().map(|(argument, _)| *argument).collect();
            facts.retain(|(value, _)| !arguments.contains(value));
            new.extend(arguments);
            facts.extend(given);
        }
        let own = match self.is_empty(from) {
            true => from.last().and_then(branch).map(|(value, _)| value),
            false => None,
        };
        facts.retain(|(value, _)| {
            let count = self.watched.get(value).copied().unwrap_or(0);
            let own = own == Some(*value) && !new.contains(value);
            count > usize::from(own)
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

/// Adds what a branch tells.
pub(super) fn learn<'a>(facts: &mut Facts<'a>, value: Value<'a>, known: &Known) {
    match (facts.iter_mut().find(|(one, _)| *one == value), known) {
        (None, _) => facts.push((value, known.clone())),
        (Some((_, Known::Is(_))), _) => {}
        (Some((_, before)), Known::Is(_)) => *before = known.clone(),
        (Some((_, Known::IsNone(before))), Known::IsNone(more)) => {
            let mut all: Vec<u64> = before.iter().chain(more.iter()).copied().collect();
            all.sort_unstable();
            all.dedup();
            *before = all.into();
        }
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
    let never = ["tfx_host.unreachable", "llvm.unreachable", "ub.unreachable"];
    terminator.has_trait(Trait::ReturnLike) && !never.contains(&terminator.name())
}
