//! The structured form of a graph compared with the graph: for each sequence of branch decisions,
//! both run the same blocks.

use tfx_oracle::Random;

use crate::cfg::{BlockId, Cfg, Ending};
use crate::loop_forest::LoopForest;
use crate::number::Number;
use crate::pending::{Others, TargetSet};
use crate::tree::{Item, OpKind, RegionId, Tree};
use crate::units::{Target, Units};

/// The most blocks that one execution runs.
const MAX_STEPS: usize = 40;
/// The number of decisions of one execution. All sequences of this length are tried.
const MAX_DECISIONS: usize = 6;

struct Program {
    cfg: Cfg,
    forest: LoopForest,
    tree: Tree,
}

fn structure(endings: &[Ending]) -> Program {
    let cfg = Cfg::new(endings);
    let forest = LoopForest::new(&cfg);
    let units = Units::new(&cfg, &forest);
    let tree = Tree::new(&cfg, &forest, &units, &cfg.never_return());
    Program { cfg, forest, tree }
}

/// A sequence of decisions, advanced in lexicographic order.
#[derive(Default)]
struct Decisions {
    /// Each decision, and the number of alternatives.
    taken: Vec<(usize, usize)>,
    next: usize,
}

impl Decisions {
    /// Returns the next decision, or none after [`MAX_DECISIONS`].
    fn take(&mut self, count: usize) -> Option<usize> {
        if self.next == MAX_DECISIONS {
            return None;
        }
        if self.next == self.taken.len() {
            self.taken.push((0, count));
        }
        let (choice, known) = self.taken[self.next];
        assert_eq!(known, count, "both make the same decisions");
        self.next += 1;
        Some(choice)
    }

    fn restart(&mut self) {
        self.next = 0;
    }

    /// Advances to the next sequence; returns whether there is one.
    fn advance(&mut self) -> bool {
        self.next = 0;
        while let Some((choice, count)) = self.taken.pop() {
            if choice + 1 < count {
                self.taken.push((choice + 1, count));
                return true;
            }
        }
        false
    }
}

fn run_graph(cfg: &Cfg, decisions: &mut Decisions) -> Vec<BlockId> {
    let mut trace = Vec::new();
    let mut block = 0;
    while trace.len() < MAX_STEPS {
        trace.push(block);
        let edges = cfg.edges(block);
        let choice = match edges.len() {
            0 => break,
            1 => 0,
            count => match decisions.take(count) {
                Some(choice) => choice,
                None => break,
            },
        };
        block = cfg.target(edges.start + choice);
    }
    trace
}

/// Runs the tree with a variable for the pending target, and checks that the tree allows it
/// everywhere.
struct Runner<'a> {
    program: &'a Program,
    decisions: &'a mut Decisions,
    /// All decisions are used.
    stopped: bool,
    pending: Option<Target>,
    trace: Vec<BlockId>,
}

impl Runner<'_> {
    fn full(&self) -> bool {
        self.stopped || self.trace.len() >= MAX_STEPS
    }

    fn check(&self, targets: TargetSet) {
        let is = |target: Target| self.pending == Some(target);
        let other = match targets.others {
            Others::None => false,
            Others::One(target) => is(target),
            Others::Two(first, second) => is(first) || is(second),
            Others::Many => true,
        };
        let known = self.pending.is_none() || other || targets.continues.is_some_and(is);
        assert!(
            known,
            "{:?} is pending where the tree says {targets:?}",
            self.pending
        );
    }

    fn take_edge(&mut self, block: BlockId, choice: usize) {
        let edge = self.program.cfg.edges(block).start + choice;
        let target = self.program.cfg.target(edge);
        self.pending = Some(if self.program.forest.is_back[edge] {
            Target::next_iteration(self.program.forest.loop_of[target])
        } else {
            Target::block(target)
        });
    }

    fn region(&mut self, id: RegionId) {
        let region = &self.program.tree.regions[id];
        self.check(region.at_start);
        for item in self.program.tree.items(id) {
            if self.full() || self.pending.is_none() {
                return;
            }
            match item {
                Item::Block(block) => {
                    let block = block.get();
                    assert_eq!(self.pending, Some(Target::block(block)));
                    assert_eq!(self.program.tree.region_of[block], Some(Number::of(id)));
                    self.trace.push(block);
                    match self.program.cfg.edges(block).len() {
                        0 => self.pending = None,
                        1 => self.take_edge(block, 0),
                        _ => {}
                    }
                }
                Item::Op(op) => self.op(op.get()),
            }
        }
        if !self.full() {
            self.check(region.at_end);
        }
    }

    fn op(&mut self, id: usize) {
        let op = &self.program.tree.ops[id];
        match op.kind {
            OpKind::Branch { block, first_arm } => {
                let block = block.get();
                let Some(choice) = self.decisions.take(self.program.cfg.edges(block).len()) else {
                    self.stopped = true;
                    return;
                };
                self.take_edge(block, choice);
                let mut arms = self.program.tree.siblings(first_arm);
                self.region(arms.nth(choice).expect("an arm for each edge"));
            }
            OpKind::Dispatch { arms, otherwise } => {
                let pending = self.pending.expect("a target is pending at a dispatch");
                let mut arms = self.program.tree.dispatch_arms(arms);
                match arms.find(|(targets, _)| targets.contains(&pending)) {
                    Some((_, arm)) => self.region(arm),
                    None => self.check(otherwise),
                }
            }
            OpKind::Loop {
                id,
                before,
                continues,
                after,
            } => loop {
                let (id, before, after) = (id.get(), before.get(), after.get());
                self.region(before);
                if self.full() || self.pending != Some(continues) {
                    break;
                }
                self.region(after);
                if self.full() || self.pending.is_none() {
                    break;
                }
                assert_eq!(self.pending, Some(Target::next_iteration(id)));
                self.pending = Some(Target::block(self.program.forest.loops[id].header));
            },
        }
        if !self.full() {
            self.check(op.at_end);
        }
    }
}

fn compare(endings: &[Ending]) {
    let program = structure(endings);
    let placed = (0..program.tree.regions.len())
        .flat_map(|region| program.tree.items(region))
        .filter(|item| matches!(item, Item::Block(_)))
        .count();
    let reachable = program.forest.order.len();
    assert_eq!(placed, reachable, "each reachable block is placed once");
    let mut decisions = Decisions::default();
    loop {
        let expected = run_graph(&program.cfg, &mut decisions);
        decisions.restart();
        let mut runner = Runner {
            program: &program,
            decisions: &mut decisions,
            stopped: false,
            pending: Some(Target::block(0)),
            trace: Vec::new(),
        };
        runner.region(0);
        runner.trace.truncate(MAX_STEPS);
        assert_eq!(
            runner.trace, expected,
            "with {:?} of {endings:?}",
            decisions.taken
        );
        if !decisions.advance() {
            break;
        }
    }
}

fn random_graph(random: &mut Random, max_blocks: usize) -> Vec<Ending> {
    let blocks = 1 + random.below(max_blocks);
    let near = random.below(3) == 0;
    let any = |random: &mut Random, block: usize| {
        let target = if near {
            (block + random.below(5)).saturating_sub(1).max(1)
        } else {
            1 + random.below(blocks - 1)
        };
        target.min(blocks - 1)
    };
    (0..blocks)
        .map(|block| match random.below(10) {
            _ if blocks == 1 => Ending::Return,
            0 => Ending::Return,
            1 if random.below(2) == 0 => Ending::Unreachable,
            1..4 => Ending::Successors(vec![any(random, block)]),
            4..9 => Ending::Successors((0..2).map(|_| any(random, block)).collect()),
            _ => Ending::Successors(
                (0..2 + random.below(3))
                    .map(|_| any(random, block))
                    .collect(),
            ),
        })
        .collect()
}

/// Returns whether a loop has several entries.
fn is_irreducible(endings: &[Ending]) -> bool {
    let cfg = Cfg::new(endings);
    let forest = LoopForest::new(&cfg);
    let units = Units::new(&cfg, &forest);
    units.extra_entries.iter().any(|extra| !extra.is_empty())
}

/// The number of random graphs; a third are irreducible.
const RANDOM: usize = 100_000;

#[test]
fn random_graphs_run_the_same_blocks() {
    let mut random = Random::new(2);
    for round in 0..RANDOM {
        let mut endings = random_graph(&mut random, 3 + round % 14);
        while round % 3 == 0 && !is_irreducible(&endings) {
            endings = random_graph(&mut random, 16);
        }
        compare(&endings);
    }
}

/// The largest number of blocks for which all graphs are tried: nearly 200,000.
const SMALL: usize = 4;

/// Returns all endings of a block in a graph of `blocks` blocks with at most two successors.
fn endings_of(blocks: usize) -> Vec<Ending> {
    let one = (0..blocks).map(|target| Ending::Successors(vec![target]));
    let two =
        (0..blocks * blocks).map(|pair| Ending::Successors(vec![pair / blocks, pair % blocks]));
    std::iter::once(Ending::Return)
        .chain(one)
        .chain(two)
        .collect()
}

#[test]
fn all_small_graphs_run_the_same_blocks() {
    for blocks in 1..=SMALL {
        let choices = endings_of(blocks);
        for number in 0..choices.len().pow(blocks as u32) {
            let digit = |place| number / choices.len().pow(place) % choices.len();
            let endings: Vec<Ending> = (0..blocks as u32)
                .map(|place| choices[digit(place)].clone())
                .collect();
            compare(&endings);
        }
    }
}

/// The number of graphs with one more block that are tried.
const SAMPLE: usize = 50_000;

#[test]
fn sampled_larger_graphs_run_the_same_blocks() {
    let choices = endings_of(SMALL + 1);
    let mut random = Random::new(3);
    for _ in 0..SAMPLE {
        let mut any = || choices[random.below(choices.len())].clone();
        let endings: Vec<Ending> = (0..=SMALL).map(|_| any()).collect();
        compare(&endings);
    }
}
