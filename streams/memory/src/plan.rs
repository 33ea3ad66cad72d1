//! The steps of the planner.
//!
//! ```text
//!   bound ──► linear scan ──► greedy ──► local search ──► exact search
//!               near-linear    conflicts    for each component above the goal
//!             each step ends when the plan has the size of the goal
//! ```
//!
//! The goal is the lower bound, or the given capacity if that is greater. Components of the
//! conflict graph are planned apart: a component below the goal is not improved further, and the
//! best plan of each component counts.
//!
//! Greedy steps place the buffers in several orders: by size (TensorFlow Lite), by area, which is
//! size times lifetime, by the sum of the sizes of conflicting buffers (TVM counts them), by start
//! and by lifetime. The exact search decides whether there is a plan of the size of the goal, and
//! otherwise bisects the sizes up to the best plan.
//!
//! All budgets count visits of buffers, not time: the plan is the same on each machine.
//!
//! Cost: O(N log N) for the scans; O(P log P) for each greedy order, with P conflicts; as much as
//! the budget for the rest. With more than [`MAX_CONFLICTS`], only the scans run.
//!
//! Not guaranteed: the least size, unless [`Plan::is_optimal`]. The problem is NP-hard.

use std::cmp::Reverse;
use std::fmt;

use crate::bound::bound;
use crate::component::Component;
use crate::exact::solve;
use crate::greedy::{Conflicts, Fit, place, place_lowest};
use crate::instance::{Graph, Shape};
use crate::local;
use crate::order::Order;
use crate::problem::Problem;
use crate::scan::{Direction, scan};
use crate::search::Outcome;

/// The number of conflicts up to which the graph is built: 64 MB, and half a second.
const MAX_CONFLICTS: usize = 1 << 22;

/// The visits of conflicts by all greedy steps: about half a second.
const GREEDY_VISITS: u64 = 30_000_000;

/// The number of buffers of a component up to which the exact search runs. Its memory is quadratic,
/// and larger components are not solved within the budget.
const MAX_EXACT: usize = 2048;

/// The moves of the local search in a component. More do not help where the exact search runs.
const LOCAL_MOVES: u64 = 300;

/// The part of the budget that the local search may use.
const LOCAL_SHARE: u64 = 8;

/// The part of the remaining budget for one size of the bisection.
const BISECTION_SHARE: u64 = 4;

/// Limits of the planner.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// A size in bytes that is small enough: the planner stops at a plan of this size, although a
    /// smaller one may exist. 0 for the smallest that the planner finds.
    pub capacity: u64,
    /// The number of buffers that local and exact search may visit: about 4 ns each.
    pub visits: u64,
}

impl Default for Options {
    /// No capacity, and half a second of search.
    fn default() -> Self {
        Self {
            capacity: 0,
            visits: 100_000_000,
        }
    }
}

/// The order in which a greedy step places buffers, the largest first, or the earliest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// By size.
    Size,
    /// By size times lifetime.
    Area,
    /// By the sum of the sizes of conflicting buffers.
    Conflicts,
    /// By start.
    Start,
    /// By lifetime.
    Lifetime,
}

/// A step of the planner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A linear scan in time.
    Scan,
    /// An order with first fit.
    FirstFit(Key),
    /// An order with best fit.
    BestFit(Key),
    /// The buffer with the lowest possible offset next, with an order of equal ones.
    Lowest(Key),
    /// Local search.
    Local,
    /// Exact search.
    Exact,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rule, key) = match self {
            Self::Scan => return f.write_str("linear scan"),
            Self::Local => return f.write_str("local search"),
            Self::Exact => return f.write_str("exact search"),
            Self::FirstFit(key) => ("first fit", key),
            Self::BestFit(key) => ("best fit", key),
            Self::Lowest(key) => ("lowest", key),
        };
        let key = match key {
            Key::Size => "size",
            Key::Area => "area",
            Key::Conflicts => "conflicts",
            Key::Start => "start",
            Key::Lifetime => "lifetime",
        };
        write!(f, "{rule} by {key}")
    }
}

/// Offsets of buffers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// For each buffer, its offset in bytes. That of an empty buffer is 0.
    pub offsets: Vec<u64>,
    /// The size of the memory in bytes, a multiple of the greatest common divisor of alignments.
    pub size: u64,
    /// A lower bound of the size of any plan: the largest size of buffers that are live together.
    pub bound: u64,
    /// No plan is smaller: `size` is `bound`, or the exact search has shown it.
    pub is_optimal: bool,
    /// The step that found the plan.
    pub step: Step,
}

impl Plan {
    /// Returns the number of bytes above the lower bound.
    pub fn gap(&self) -> u64 {
        self.size - self.bound
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            size, bound, step, ..
        } = self;
        let gap = self.gap() as f64 / (*bound).max(1) as f64 * 100.0;
        write!(f, "{size} bytes, bound {bound}, gap {gap:.2} %, {step}")?;
        match self.is_optimal && self.gap() > 0 {
            true => f.write_str(", optimal"),
            false => Ok(()),
        }
    }
}

/// Plans the memory of buffers.
pub fn plan(problem: &Problem, options: &Options) -> Plan {
    let order = Order::new(problem);
    let shape = Shape::new(problem);
    let bound = bound(&order, &shape);
    let goal = bound.max(options.capacity / shape.unit);
    let mut best = scan_all(&order, &shape, goal);
    let mut least = bound;
    if best.size > goal
        && let Some(graph) = Graph::new(&order, shape.sizes.len(), MAX_CONFLICTS)
    {
        let components = graph.components();
        greedy(&order, &shape, &graph, &components, goal, &mut best);
        let mut visits = options.visits;
        for members in components {
            if best.size_of(&members, &shape) > goal {
                let component = Component::new(&members, &shape, &graph, &order);
                least = least.max(improve(&component, &shape, goal, &mut visits, &mut best));
            }
        }
    }
    Plan {
        size: best.size * shape.unit,
        bound: bound * shape.unit,
        is_optimal: best.size <= least,
        step: best.step,
        offsets: best
            .offsets
            .into_iter()
            .map(|offset| offset * shape.unit)
            .collect(),
    }
}

/// The best plan so far, in units.
struct Best {
    offsets: Vec<u64>,
    size: u64,
    step: Step,
}

impl Best {
    /// Returns the size of some buffers.
    fn size_of(&self, members: &[u32], shape: &Shape) -> u64 {
        size_of(&self.offsets, members, shape)
    }

    /// Takes over the offsets of some buffers.
    fn merge(&mut self, members: &[u32], offsets: &[u64]) {
        for &buffer in members {
            self.offsets[buffer as usize] = offsets[buffer as usize];
        }
    }

    /// Takes over the offsets of a component, if they are better.
    fn take(&mut self, component: &Component, offsets: &[u64], shape: &Shape, step: Step) {
        if component.size(offsets) < self.size_of(&component.buffers, shape) {
            for (&buffer, &offset) in component.buffers.iter().zip(offsets) {
                self.offsets[buffer as usize] = offset;
            }
            self.update(shape, step);
        }
    }

    /// Computes the size again after a step changed offsets.
    fn update(&mut self, shape: &Shape, step: Step) {
        let ends = self
            .offsets
            .iter()
            .zip(&shape.sizes)
            .map(|(offset, size)| offset + size);
        let size = ends.max().unwrap_or(0);
        if size < self.size {
            (self.size, self.step) = (size, step);
        }
    }
}

fn size_of(offsets: &[u64], members: &[u32], shape: &Shape) -> u64 {
    let end = |&buffer: &u32| offsets[buffer as usize] + shape.sizes[buffer as usize];
    members.iter().map(end).max().unwrap_or(0)
}

fn scan_all(order: &Order, shape: &Shape, goal: u64) -> Best {
    let all: Vec<u32> = (0..shape.sizes.len() as u32).collect();
    let mut best: Option<Best> = None;
    for direction in [Direction::Forward, Direction::Backward] {
        for fit in [Fit::Best, Fit::First] {
            if best.as_ref().is_none_or(|best| best.size > goal) {
                let offsets = scan(order, shape, direction, fit);
                let size = size_of(&offsets, &all, shape);
                if best.as_ref().is_none_or(|best| size < best.size) {
                    let step = Step::Scan;
                    best = Some(Best {
                        offsets,
                        size,
                        step,
                    });
                }
            }
        }
    }
    best.expect("the first scan always runs")
}

/// Tries the greedy steps.
fn greedy(
    order: &Order,
    shape: &Shape,
    graph: &Graph,
    components: &[Vec<u32>],
    goal: u64,
    best: &mut Best,
) {
    let conflicts = Conflicts {
        sizes: &shape.sizes,
        alignments: &shape.alignments,
        neighbours: &graph.neighbours,
    };
    let cost = graph.neighbours.len() as u64 + shape.sizes.len() as u64;
    let mut visits = GREEDY_VISITS;
    for key in [
        Key::Area,
        Key::Size,
        Key::Lifetime,
        Key::Conflicts,
        Key::Start,
    ] {
        let sorted = sort(order, shape, graph, key);
        for step in [Step::Lowest(key), Step::FirstFit(key), Step::BestFit(key)] {
            if best.size <= goal || visits < cost {
                return;
            }
            visits -= cost;
            let offsets = match step {
                Step::Lowest(_) => place_lowest(conflicts, &sorted),
                Step::BestFit(_) => place(conflicts, &sorted, Fit::Best),
                _ => place(conflicts, &sorted, Fit::First),
            };
            for members in components {
                if size_of(&offsets, members, shape) < best.size_of(members, shape) {
                    best.merge(members, &offsets);
                }
            }
            best.update(shape, step);
        }
    }
}

/// Returns the buffers in the order of a key. Equal ones are in the order of the problem.
fn sort(order: &Order, shape: &Shape, graph: &Graph, key: Key) -> Vec<u32> {
    let count = shape.sizes.len();
    let mut starts = vec![u128::MAX; count];
    let mut lifetimes = vec![0u128; count];
    for (&buffer, &(start, end)) in order.buffers.iter().zip(&order.projection) {
        let buffer = buffer as usize;
        starts[buffer] = starts[buffer].min(start);
        lifetimes[buffer] += end - start;
    }
    let size = |buffer: usize| u128::from(shape.sizes[buffer]);
    let conflicts = |buffer: usize| {
        let others = graph.neighbours.of(buffer as u32).iter();
        others.map(|&other| size(other as usize)).sum()
    };
    let area = |buffer: usize| size(buffer).saturating_mul(lifetimes[buffer]);
    let mut sorted: Vec<u32> = (0..count as u32).collect();
    sorted.sort_by_cached_key(|&buffer| {
        let buffer = buffer as usize;
        match key {
            Key::Size => (Reverse(size(buffer)), Reverse(lifetimes[buffer])),
            Key::Area => (Reverse(area(buffer)), Reverse(size(buffer))),
            Key::Conflicts => (Reverse(conflicts(buffer)), Reverse(size(buffer))),
            Key::Start => (
                Reverse(u128::MAX - starts[buffer]),
                Reverse(lifetimes[buffer]),
            ),
            Key::Lifetime => (Reverse(lifetimes[buffer]), Reverse(size(buffer))),
        }
    });
    sorted
}

/// Improves the plan of a component by search. Returns a lower bound of its size.
fn improve(
    component: &Component,
    shape: &Shape,
    goal: u64,
    visits: &mut u64,
    best: &mut Best,
) -> u64 {
    let mut order: Vec<u32> = (0..component.len()).collect();
    order.sort_by_key(|&buffer| best.offsets[component.buffers[buffer as usize] as usize]);
    // A node visits the open buffers and those of their sections, a move all conflicts.
    let cost = component.sizes.len() as u64 + component.sections.len() as u64;
    let move_cost = component.sizes.len() as u64 + component.neighbours.len() as u64;
    let mut local_visits = (*visits / LOCAL_SHARE).min(LOCAL_MOVES * move_cost);
    *visits -= local_visits;
    let offsets = local::improve(component, order, goal, &mut local_visits);
    *visits += local_visits;
    best.take(component, &offsets, shape, Step::Local);
    if best.size_of(&component.buffers, shape) <= goal || component.sizes.len() > MAX_EXACT {
        return 0;
    }
    let mut nodes = *visits / cost;
    let least = bisect(component, shape, goal, &mut nodes, best);
    *visits = nodes * cost;
    least
}

/// Searches for a plan of the size of the goal, and then for smaller plans than the best.
/// Returns a lower bound of the size.
fn bisect(
    component: &Component,
    shape: &Shape,
    goal: u64,
    nodes: &mut u64,
    best: &mut Best,
) -> u64 {
    let mut least = 0;
    let mut below = goal - 1;
    let mut share = *nodes / 2;
    let mut capacity = goal;
    loop {
        let mut left = share;
        let outcome = solve(component, capacity, &mut left);
        *nodes -= share - left;
        match outcome {
            Outcome::Found(offsets) => best.take(component, &offsets, shape, Step::Exact),
            Outcome::Infeasible => (below, least) = (capacity, capacity + 1),
            Outcome::Exhausted => below = capacity,
        }
        let size = best.size_of(&component.buffers, shape);
        share = *nodes / BISECTION_SHARE;
        if size <= goal.max(below + 1) || share == 0 {
            return least;
        }
        capacity = below + (size - below) / 2;
    }
}
