//! Pipeline parallelism: the order of the commands of a loop whose iterations overlap on devices.
//!
//! ```text
//!   the loop                                  1f1b, iterations 0 to 3
//!   for each microbatch                       device 0   F0 F1 .. .. B0 F2 B1 F3 .. B2 .. B3
//!     F on device 0, F on device 1     ──►    device 1   .. F0 B0 F1 B1 .. F2 B2 F3 B3
//!     B on device 1, B on device 0
//! ```
//!
//! The iterations of the loop, the *microbatches*, are unrolled, and [`pipeline()`] returns an
//! order in which the host issues their commands. Each command stays on its stream, and conflicting
//! commands keep the order of the loop. So the values that it computes are those of the loop.
//!
//! A virtual clock runs the streams: a command starts once its stream is free and its dependences
//! have ended (list scheduling: Graham, 1966). Of the commands that could start, a [`PipelineRule`]
//! chooses one:
//!
//! | rule | source |
//! |---|---|
//! | `Gpipe` | Huang et al., *GPipe* (2019) |
//! | `OneForwardOneBackward` | PipeDream-Flush: Narayanan et al., ICML (2021) |
//! | `Interleaved` | Megatron-LM: Narayanan et al., SC (2021) |
//! | `ZeroBubble` | ZB-H1: Qi, Wan, Huang, Lin, *Zero bubble pipeline parallelism* (2023) |
//!
//! **Iterations in flight.** All rules but `Gpipe` limit the iterations that a device has started
//! and not ended, which limits the memory of what they keep. By Little's law, a device that holds
//! each iteration for a time *L*, and starts one each time *T*, has *L* / *T* of them in flight.
//! *L* is the time from the first command of an iteration on the device to its last one, if no
//! other iteration runs, and *T* the time of an iteration on the busiest stream. The limit is *L* /
//! *T*, rounded up if the smaller limit would cost more than 2 % of the time. With *S* equal
//! stages, stage *s* has *S* - *s* iterations in flight, as in the textbook; links lengthen *L*,
//! and so raise the limit. `OneForwardOneBackward` has up to two more if this saves more than 5 %,
//! as it may for unequal stages. `Interleaved` has twice the largest limit on all devices: one
//! group of iterations goes forward while another one goes backward. `ZeroBubble` has the largest
//! limit on all devices, with *L* for commands that run one after the other, since a deferred
//! command keeps its iteration in flight; what a copy brings waits for half of a command in
//! addition. A device starts iterations in their order, so that none waits for one that is not
//! started.
//!
//! **Ideal times.** With *M* iterations, *L* the time of one alone, *T* that of the busiest stream,
//! *Q* the sum of the times of all commands of one, and *v* the stages of a device:
//!
//! | rule | ideal time | *S* equal stages |
//! |---|---|---|
//! | `Gpipe`, `OneForwardOneBackward` | *M T* + (*L* - *T*) | (*M* + *S* - 1)(*f* + *b*) |
//! | `Interleaved` | *M T* + (*L* - *T*) / *v* | *M*(*f* + *b*) + (*S* - 1)(*f* + *b*) / *v* |
//! | `ZeroBubble` | *M T* + (2 *L* - *Q* - *T*) | *M*(*f*+*b*+*w*) + (*S* - 1)(*f*+*b*-*w*) |
//!
//! In the last line, *Q* - *L* is the time of the weight gradients that an iteration alone hides
//! already; in a pipeline, they also fill the time in which the stages wait for each other. This is
//! a formula and no bound: with links, `ZeroBubble` may take 1 % less.
//!
//! **Recomputation.** [`recompute()`] chooses kernels of forwards that run again right before the
//! backward, so that what they compute is not kept in between.
//!
//! **Memory.** A buffer that an iteration allocates is allocated right before its first user, and
//! on the stream of that one. If this is a stream of another device, such as that of the source of
//! a copy, memory of the device is allocated on its own stream, when the iteration may start there.
//! A buffer is released on its own stream, as soon as its users have ended.
//!
//! Cost: O((N + E) log N) for N commands with E dependences.
//!
//! **Not guaranteed.** The shortest time: an optimal order is a job shop problem, which is hard. If
//! the order of the loop takes less time than that of the rule, it is kept.

mod again;
mod clock;
mod graph;
mod interleaved;
mod recompute;
mod tasks;

use tfx_schedule::{CommandId, Schedule};

use clock::Timeline;
use graph::{Graph, Kind};
pub use recompute::{Batch, recompute};
use tasks::Tasks;

/// The iterations in flight above Little's law that are tried.
const MOST_MORE: usize = 2;
/// The part of the time, in percent, that one of them must save: each takes memory.
const MORE_SAVE: u128 = 5;
/// The same for kernels that run again. Their pipelines keep less of each iteration, and Little's
/// law counts them as hidden, which a busy stage prevents.
const MOST_MORE_AGAIN: usize = 3;
const AGAIN_SAVE: u128 = 1;

/// The choice among commands that could start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PipelineRule {
    /// The commands at the smallest position in the chain first: all forwards before any backward.
    Gpipe,
    /// The tasks with the shortest rest of their iteration first: backwards before forwards, with a
    /// limit for the iterations in flight.
    OneForwardOneBackward,
    /// Backwards and forwards in turn, for a chain that visits its devices several times.
    Interleaved,
    /// The same, except that commands on which no other stream depends, such as the gradients of
    /// weights, run when nothing else can.
    ZeroBubble,
}

/// The commands of a loop that becomes a pipeline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Microbatches {
    /// The commands of each iteration. All follow each other in one body.
    pub iterations: Vec<Vec<CommandId>>,
    /// The kernels that run again, with the commands before which they do ([`recompute()`]).
    pub again: Vec<(CommandId, CommandId)>,
}

/// An order of the commands of all iterations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pipeline {
    /// All commands.
    pub order: Vec<CommandId>,
    /// The allocations that move to the stream of another command: their first user.
    pub moved: Vec<(CommandId, CommandId)>,
    /// The streams of kernels and host functions.
    pub stages: usize,
    /// The time of all iterations in this order.
    pub time: u64,
    /// The time that a pipeline of these stages takes at best, by the rule's formula.
    pub ideal: u64,
    /// The time of all iterations in the order of the loop.
    pub sequential: u64,
    /// The largest number of iterations that a device has started and not ended.
    pub in_flight: usize,
    /// Set if the order of the loop takes less time than that of the rule, and is kept.
    pub is_kept: bool,
}

/// A loop that cannot be pipelined.
#[derive(Clone, Copy, Debug, thiserror::Error, PartialEq, Eq)]
pub enum Unpipelined {
    /// The dependences are unknown.
    #[error(transparent)]
    Order(#[from] crate::Error),
    /// A nested body, a call or an event is among the commands.
    #[error("a pipeline consists of commands, allocations and releases")]
    Unsupported(CommandId),
    /// Each stage of an interleaved pipeline has its own device.
    #[error("the stages visit no device a third time")]
    NotInterleaved,
}

/// Returns the order of a rule for the commands of iterations. `cost` is the time of a command in
/// nanoseconds, of which each takes at least one.
///
/// # Errors
///
/// The commands are not those of straight code, their dependences are unknown, or the rule does not
/// apply to them.
pub fn pipeline<P>(
    schedule: &Schedule<P>,
    microbatches: &Microbatches,
    rule: PipelineRule,
    cost: impl Fn(CommandId) -> u64,
) -> Result<Pipeline, Unpipelined> {
    let mut graph = Graph::new(schedule, microbatches, cost)?;
    let tasks = Tasks::new(&mut graph);
    let chunks = tasks.chunks(&graph);
    if rule == PipelineRule::Interleaved && chunks < 2 && !graph.nodes.is_empty() {
        return Err(Unpipelined::NotInterleaved);
    }
    let kept = clock::replay(&graph, (0..graph.nodes.len() as u32).collect());
    let listed = listed(&graph, &tasks, rule);
    // A list that is incomplete, which no dependence causes, is no order.
    let is_kept = listed.order.len() < graph.nodes.len() || kept.end < listed.end;
    let sequential = kept.end;
    let timeline = if is_kept { kept } else { listed };
    Ok(Pipeline {
        order: graph.commands(&timeline.order),
        moved: graph.moved.clone(),
        stages: graph.stages(),
        time: timeline.end,
        ideal: tasks.ideal(&graph, rule, chunks),
        sequential,
        in_flight: in_flight(&graph, &timeline),
        is_kept,
    })
}

/// Returns the times if a rule chooses the commands.
fn listed(graph: &Graph, tasks: &Tasks, rule: PipelineRule) -> Timeline {
    let keys = tasks.keys(graph, rule);
    let mut limits = tasks.limits(graph, rule);
    // Kernels that run again may start earlier than the clock lets them.
    let list = |limits: &[usize]| {
        let listed = clock::list(graph, &keys, limits);
        match graph.delays.is_empty() || listed.order.len() < graph.nodes.len() {
            true => listed,
            false => clock::replay(graph, listed.order),
        }
    };
    let mut best = list(&limits);
    let (more, save) = match (rule, graph.again.is_empty()) {
        (PipelineRule::OneForwardOneBackward, true) => (MOST_MORE, MORE_SAVE),
        (PipelineRule::OneForwardOneBackward | PipelineRule::ZeroBubble, false) => {
            (MOST_MORE_AGAIN, AGAIN_SAVE)
        }
        _ => (0, MORE_SAVE),
    };
    for _ in 0..more {
        for limit in &mut limits {
            *limit = limit.saturating_add(1);
        }
        let other = list(&limits);
        let enough = u128::from(best.end) * 100;
        if u128::from(other.end) * (100 + save) < enough {
            best = other;
        }
    }
    best
}

/// Returns the largest number of iterations that a device has started and not ended.
fn in_flight(graph: &Graph, timeline: &Timeline) -> usize {
    let iterations = graph.iterations;
    let mut spans = vec![(u64::MAX, 0u64); graph.devices * iterations];
    for (node, start) in graph.nodes.iter().zip(&timeline.starts) {
        if node.kind == Kind::Work {
            let span = &mut spans[node.device as usize * iterations + node.iteration as usize];
            span.0 = span.0.min(*start);
            span.1 = span.1.max(start.saturating_add(node.time));
        }
    }
    let mut most = 0;
    for device in spans.chunks(iterations.max(1)) {
        // The ends of a time come before its starts.
        let mut changes: Vec<(u64, bool)> = Vec::with_capacity(2 * device.len());
        for (start, end) in device.iter().filter(|(start, end)| start <= end) {
            changes.extend([(*start, true), (*end, false)]);
        }
        changes.sort_unstable();
        let mut now = 0usize;
        for (_, is_start) in changes {
            now = if is_start { now + 1 } else { now - 1 };
            most = most.max(now);
        }
    }
    most
}
