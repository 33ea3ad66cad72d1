//! The structured form of a graph against the graph itself: on every sequence of branch decisions both run the same blocks.

use tfx_oracle::Random;

use crate::cfg::{BlockId, Cfg, Ending};
use crate::landing::{Landings, Target};
use crate::loops::LoopForest;
use crate::number::Number;
use crate::pending::{Choice, Others};
use crate::tree::{Item, OpKind, RegionId, Tree};

/// Blocks that one run may execute before it counts as endless.
const MAX_STEPS: usize = 40;
/// Decisions of one run: all sequences of so many are tried.
const MAX_DECISIONS: usize = 6;

struct Program {
    cfg: Cfg,
    forest: LoopForest,
    tree: Tree,
}

fn structure(endings: &[Ending]) -> Program {
    let cfg = Cfg::new(endings);
    let forest = LoopForest::new(&cfg);
    let landings = Landings::new(&cfg, &forest);
    let tree = Tree::new(&cfg, &forest, &landings, &cfg.never_return());
    Program { cfg, forest, tree }
}

/// One sequence of decisions after another, in the order of an odometer.
#[derive(Default)]
struct Decisions {
    /// Each decision and the number of ways that there were.
    taken: Vec<(usize, usize)>,
    next: usize,
}

impl Decisions {
    /// The next decision; none once there were enough.
    fn take(&mut self, ways: usize) -> Option<usize> {
        if self.next == MAX_DECISIONS {
            return None;
        }
        if self.next == self.taken.len() {
            self.taken.push((0, ways));
        }
        let (way, known) = self.taken[self.next];
        assert_eq!(known, ways, "both take the same decisions");
        self.next += 1;
        Some(way)
    }

    fn restart(&mut self) {
        self.next = 0;
    }

    /// Goes on to the next sequence; says whether there is one.
    fn advance(&mut self) -> bool {
        self.next = 0;
        while let Some((way, ways)) = self.taken.pop() {
            if way + 1 < ways {
                self.taken.push((way + 1, ways));
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
        let way = match edges.len() {
            0 => break,
            1 => 0,
            ways => match decisions.take(ways) {
                Some(way) => way,
                None => break,
            },
        };
        block = cfg.target(edges.start + way);
    }
    trace
}

/// Runs the tree with a variable that says where the path goes on, and checks on the way that the tree knows what is pending.
struct Runner<'a> {
    program: &'a Program,
    decisions: &'a mut Decisions,
    /// No decision is left.
    stopped: bool,
    pending: Option<Target>,
    trace: Vec<BlockId>,
}

impl Runner<'_> {
    fn full(&self) -> bool {
        self.stopped || self.trace.len() >= MAX_STEPS
    }

    fn check(&self, choice: Choice) {
        let is = |target: Target| self.pending == Some(target);
        let other = match choice.others {
            Others::None => false,
            Others::One(target) => is(target),
            Others::Two(first, second) => is(first) || is(second),
            Others::Many => true,
        };
        let known = self.pending.is_none() || other || choice.goes_on.is_some_and(is);
        assert!(
            known,
            "{:?} is pending where the tree says {choice:?}",
            self.pending
        );
    }

    fn take_edge(&mut self, block: BlockId, way: usize) {
        let edge = self.program.cfg.edges(block).start + way;
        let target = self.program.cfg.target(edge);
        self.pending = Some(if self.program.forest.is_back[edge] {
            Target::next_trip(self.program.forest.loop_of[target])
        } else {
            Target::block(target)
        });
    }

    fn region(&mut self, id: RegionId) {
        let region = &self.program.tree.regions[id];
        self.check(region.entered);
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
            self.check(region.left);
        }
    }

    fn op(&mut self, id: usize) {
        let op = &self.program.tree.ops[id];
        match op.kind {
            OpKind::Branch { block, first_arm } => {
                let block = block.get();
                let Some(way) = self.decisions.take(self.program.cfg.edges(block).len()) else {
                    self.stopped = true;
                    return;
                };
                self.take_edge(block, way);
                let mut arms = self.program.tree.siblings(first_arm);
                self.region(arms.nth(way).expect("an arm for each edge"));
            }
            OpKind::Dispatch { arms, passes } => {
                let pending = self.pending.expect("a dispatch is reached by some edge");
                let mut arms = self.program.tree.dispatch_arms(arms);
                match arms.find(|(targets, _)| targets.contains(&pending)) {
                    Some((_, arm)) => self.region(arm),
                    None => self.check(passes),
                }
            }
            OpKind::Loop {
                id,
                before,
                goes_on,
                after,
            } => loop {
                let (id, before, after) = (id.get(), before.get(), after.get());
                self.region(before);
                if self.full() || self.pending != Some(goes_on) {
                    break;
                }
                self.region(after);
                if self.full() || self.pending.is_none() {
                    break;
                }
                assert_eq!(self.pending, Some(Target::next_trip(id)));
                self.pending = Some(Target::block(self.program.forest.loops[id].header));
            },
        }
        if !self.full() {
            self.check(op.left);
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
    assert_eq!(placed, reachable, "each reachable block stands once");
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
            1 if random.below(2) == 0 => Ending::Never,
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

/// Whether a loop has several entries.
fn is_irreducible(endings: &[Ending]) -> bool {
    let cfg = Cfg::new(endings);
    let forest = LoopForest::new(&cfg);
    let landings = Landings::new(&cfg, &forest);
    landings.extra_entries.iter().any(|extra| !extra.is_empty())
}

/// Random graphs, of which a third are irreducible.
const RANDOM: usize = 100_000;

#[test]
fn random_graphs_run_as_before() {
    let mut random = Random::new(2);
    for round in 0..RANDOM {
        let mut endings = random_graph(&mut random, 3 + round % 14);
        while round % 3 == 0 && !is_irreducible(&endings) {
            endings = random_graph(&mut random, 16);
        }
        compare(&endings);
    }
}

/// The most blocks of the graphs that are all tried: nearly 200,000 graphs.
const SMALL: usize = 4;

/// All ways in which a block of a graph of `blocks` blocks can end: return, one way, two ways.
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
fn every_small_graph_runs_as_before() {
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

/// Graphs of one block more, of which there are too many.
const SAMPLE: usize = 50_000;

#[test]
fn a_sample_of_larger_graphs_runs_as_before() {
    let choices = endings_of(SMALL + 1);
    let mut random = Random::new(3);
    for _ in 0..SAMPLE {
        let mut any = || choices[random.below(choices.len())].clone();
        let endings: Vec<Ending> = (0..=SMALL).map(|_| any()).collect();
        compare(&endings);
    }
}
