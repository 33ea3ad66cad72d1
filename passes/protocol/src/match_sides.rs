//! Matches a host program with its graph: simulates both sides region by region, with channels of
//! capacity 1.
//!
//! ```text
//!   host: recv 0, send 1, if           graph: send 0, recv 1, if
//!         ▲  │                                │  ▲
//!         └──┼────────── message 0 ───────────┘  │     a side continues until it must wait
//!            └────────── message 1 ──────────────┘     both wait: error
//!                     if ◄── must correspond ──► if    match its regions
//! ```
//!
//! One complete schedule is sufficient. A channel has one writer and one reader, so an event that
//! is enabled on one side stays enabled whatever the other side does, and all schedules proceed
//! equally far (Kahn 1974); a greater capacity only enables more events (Parks 1995). The
//! simulation enters control flow on both sides together. Real programs need not, but this is one
//! of their schedules. If it completes, no schedule has a deadlock at any capacity of at least 1.
//! Other programs of the same host function are irrelevant: in a cycle, the host waits for only one
//! program.
//!
//! Each region must be balanced: it receives each message that it sends in the same execution. All
//! iterations of a loop are then alike, and one is simulated. [`crate::equivalence`] proves that
//! both sides make the same [`Decision`]s, which are collected here.
//!
//! # Cancellation
//!
//! * If all regions of a branch of the host but one cancel the graph without a message, the graph
//!   may lack the branch: the remaining region then counts as code around the branch. If the graph
//!   is at a branch too, this is a guess, and a failure returns to the last guess. A wrong guess
//!   proves nothing wrong: all that the proof needs is checked for what was guessed.
//! * If only messages precede the cancellation, these may match a prefix of loops of the graph
//!   ([`crate::cancellation`]).
//! * If the host cancels the graph on each path through a region, the graph may run to the end of
//!   its region before it is stopped. The values that it computes there affect no decision: the
//!   blocks are in [`Schedule::cancelled_ends`], and a loop that is cancelled before its condition
//!   is evaluated needs no equal conditions.
//!
//! Cost: linear for each of at most [`MAX_TRIES`] tries; in all programs so far, one or two. The
//! stack is explicit.

use rustc_hash::FxHashMap;
use tfx_dialects::{comm, tensor};
use tfx_ir::diag::Diagnostic;
use tfx_ir::location;
use tfx_ir::ops::Structured;
use tfx_ir::{Definition, Value};

use crate::events::{Ending, Event, ListId, Projection, RegionId, RegionOp, Side, correspond};
use crate::schedule::{Action, Decision, Pair, Schedule, Step, bounds};
use crate::scheduler::{Enclosing, Frame, Position, Scheduler};

/// The number of tries before the sides count as different. A wrong guess fails soon after it, so
/// few tries suffice, and each takes linear time.
const MAX_TRIES: usize = 64;

/// Matches the program that `start` starts, whose events are in `list`, with its graph.
pub(crate) fn match_sides<'a>(
    host: &Projection<'a>,
    list: ListId,
    start: comm::Start<'a>,
    graph: &Projection<'a>,
    graph_op: tensor::Graph<'a>,
) -> Result<Schedule<'a>, Diagnostic<'a>> {
    let mut guesses = Guesses::default();
    let mut first_error = None;
    for _ in 0..MAX_TRIES {
        let mut scheduler = Scheduler {
            host,
            graph,
            start,
            graph_op,
            schedule: Schedule::default(),
            in_flight: FxHashMap::default(),
            frames: Vec::new(),
            guesses,
        };
        match scheduler.run(list) {
            Ok(()) => return Ok(without_cancelled_decisions(scheduler.schedule)),
            Err(error) => first_error.get_or_insert(error),
        };
        guesses = scheduler.guesses;
        if !guesses.change_last() {
            break;
        }
    }
    Err(first_error.expect("each try before this one failed"))
}

/// Removes the decisions of loops that are cancelled before their condition is evaluated.
fn without_cancelled_decisions(mut schedule: Schedule<'_>) -> Schedule<'_> {
    let cancelled = &schedule.cancelled_ends;
    schedule
        .decisions
        .retain(|decision| match decision.graph_op {
            Structured::While(op) => !op
                .before()
                .entry()
                .is_some_and(|it| cancelled.contains(&it)),
            _ => true,
        });
    schedule
}

/// Guesses whether the graph has a branch of the host, in their order: a depth-first search.
#[derive(Debug, Default)]
pub(crate) struct Guesses {
    /// Each guess, and whether it is the second possibility.
    made: Vec<(bool, bool)>,
    next: usize,
}

impl Guesses {
    /// Returns the next guess, which is `likely` in the first try that reaches it.
    fn next(&mut self, likely: bool) -> bool {
        if self.next == self.made.len() {
            self.made.push((likely, false));
        }
        self.next += 1;
        self.made[self.next - 1].0
    }

    /// Changes the last guess that can be changed, and starts the next try. Returns whether there
    /// is such a guess.
    fn change_last(&mut self) -> bool {
        self.made.truncate(self.next);
        self.next = 0;
        while let Some((guess, is_second)) = self.made.pop() {
            if !is_second {
                self.made.push((!guess, true));
                return true;
            }
        }
        false
    }
}

impl<'a> Scheduler<'_, 'a> {
    /// Runs both sides to their end, the host from the start of `list`.
    fn run(&mut self, list: ListId) -> Result<(), Diagnostic<'a>> {
        let graph_list = self.graph.programs[0].list;
        let frame = self.new_frame(Some(list), Some(graph_list), None, None);
        self.frames.push(frame);
        while !self.frames.is_empty() {
            self.run_region()?;
        }
        Ok(())
    }

    /// Runs the innermost region until it ends or reaches control flow.
    fn run_region(&mut self) -> Result<(), Diagnostic<'a>> {
        loop {
            while self.exchange(Side::Host) | self.exchange(Side::Graph) {}
            // The graph must be at its next control flow for this decision.
            if self.host_enters_only_continuing_region() {
                continue;
            }
            let (host, graph) = (self.host_position(), self.graph_position());
            match (host, graph) {
                (Position::Event(Event::Region(host)), Position::Event(Event::Region(graph))) => {
                    return self.enter_pair(host, graph);
                }
                (Position::Event(Event::Terminate(_)), _) => return self.end(Ending::Cancelled),
                (Position::End, _) if self.host_has_cancelled() => {
                    return self.end(Ending::Cancelled);
                }
                (Position::End, Position::End) => return self.end(Ending::Running),
                (Position::Event(finish @ Event::Finish(_)), Position::End) => {
                    self.check_nothing_left(finish)?;
                    return self.end(Ending::Finished);
                }
                (Position::Event(Event::Send(..) | Event::Receive(..)), _)
                    if self.graph_runs_ahead()? => {}
                _ => return Err(self.stuck(host, graph)),
            }
        }
    }

    /// Enters a branch that the graph does not have, because all regions but one cancel the graph
    /// at once. Returns whether there is one.
    fn host_enters_only_continuing_region(&mut self) -> bool {
        let Position::Event(Event::Region(region)) = self.host_position() else {
            return false;
        };
        let only = self.host.only_continuing_region(region);
        let Some(list) = only.filter(|list| !self.graph_has_branch(region, *list)) else {
            return false;
        };
        let RegionOp { op, lists, .. } = &self.host.regions[region];
        if let Structured::If(op) = op
            && lists[0] == list
        {
            self.top_mut().known_true.push(op.condition());
        }
        self.advance(Side::Host);
        self.top_mut().host.extend(list.map(|list| (list, 0)));
        true
    }

    /// Returns whether the graph is at the same branch as the host, which continues in one region
    /// only. This is a guess.
    fn graph_has_branch(&mut self, region: RegionId, list: Option<ListId>) -> bool {
        let Position::Event(Event::Region(other)) = self.graph_position() else {
            return false;
        };
        if !correspond(self.host.regions[region].op, self.graph.regions[other].op) {
            return false;
        }
        let likely = self.is_likely_same_branch(region, list, other);
        self.guesses.next(likely)
    }

    /// Returns whether a branch of the host, which continues in the region with the list `list`
    /// only, is likely that of the graph. Each side may have nested branches that the other does
    /// not have, but the first message is at the same place on both.
    fn is_likely_same_branch(
        &self,
        region: RegionId,
        list: Option<ListId>,
        other: RegionId,
    ) -> bool {
        let (one, other) = (&self.host.regions[region], &self.graph.regions[other]);
        if one.summary.shape == other.summary.shape {
            return true;
        }
        let index = one.lists.iter().position(|other| *other == list);
        let other_list = index.and_then(|index| other.lists[index]);
        let first = list.and_then(|list| self.host.lists[list].summary.first);
        let other_summary = other_list.map(|list| self.graph.lists[list].summary);
        // A message in a region that the host does not continue in would have no partner.
        if other_summary.unwrap_or_default().messages < other.summary.messages {
            return false;
        }
        if let (Some(first), Some(other_first)) = (first, other_summary.and_then(|it| it.first))
            && first.channel == other_first.channel
        {
            if first.path == other_first.path {
                return true;
            }
            // The graph has too few branches for those inside, so it lacks this one.
            if other_first.depth < first.least_depth {
                return false;
            }
        }
        same_place(one.op, other.op) || self.decide_alike(one.op, other.op)
    }

    /// Returns whether two branches obviously have the same condition: the graph receives its
    /// condition from the host, at the start or in a message.
    fn decide_alike(&self, host: Structured<'a>, graph: Structured<'a>) -> bool {
        let sent = |value: Value<'a>| match value.definition() {
            Definition::Argument(block, index) => {
                let is_input = block.parent() == Some(self.graph_op.op());
                is_input.then(|| self.start.inputs().at(index))
            }
            Definition::Result(op, _) => {
                let receive = comm::Recv::cast(op)?;
                self.schedule.received.get(&receive).copied()
            }
        };
        let sent = graph.condition().and_then(sent);
        sent.is_some() && sent == host.condition()
    }

    /// Both sides enter their operation of a pair.
    fn enter_pair(&mut self, host: RegionId, graph: RegionId) -> Result<(), Diagnostic<'a>> {
        let (one, other) = (&self.host.regions[host], &self.graph.regions[graph]);
        let (host, graph) = (one.op, other.op);
        if !correspond(host, graph) {
            return Err(self.different_control_flow(host, graph));
        }
        self.add_decisions(host, graph);
        let pair = self.schedule.pairs.len();
        let region = self.region_mut();
        region.steps_mut(Side::Host).push(Step::Pair(pair));
        region.steps_mut(Side::Graph).push(Step::Pair(pair));
        region.order.push(Action::Pair(pair));
        let [host_step, graph_step] =
            [Side::Host, Side::Graph].map(|side| region.steps(side).len() - 1);
        self.advance(Side::Host);
        self.advance(Side::Graph);
        let first = self.frames.len();
        let enclosing = Enclosing {
            host,
            graph,
            frame: first - 1,
        };
        let mut regions = Vec::new();
        let lists = one.lists.iter().zip(&other.lists);
        for ((host, other), region) in lists.zip(graph.op().regions()) {
            let frame = self.new_frame(*host, *other, region.entry(), Some(enclosing));
            regions.push(frame.region);
            self.frames.push(frame);
        }
        self.frames[first..].reverse();
        self.schedule.pairs.push(Pair {
            host,
            graph,
            host_step,
            graph_step,
            regions,
        });
        Ok(())
    }

    /// Adds the values by which both sides decide in a pair.
    fn add_decisions(&mut self, host_op: Structured<'a>, graph_op: Structured<'a>) {
        let mut add = |host, graph| {
            self.schedule.decisions.push(Decision {
                host,
                graph,
                host_op,
                graph_op,
            });
        };
        if let (Structured::For(host), Structured::For(graph)) = (host_op, graph_op) {
            for (host, graph) in bounds(host).into_iter().zip(bounds(graph)) {
                add(host, graph);
            }
        } else if let (Some(host), Some(graph)) = (host_op.condition(), graph_op.condition()) {
            add(host, graph);
        }
    }

    /// Ends the innermost region.
    fn end(&mut self, ending: Ending) -> Result<(), Diagnostic<'a>> {
        self.region_mut().ending = ending;
        let region = self.top().region;
        if ending == Ending::Cancelled {
            let block = self.top().block;
            self.schedule.cancelled_ends.extend(block);
            self.add_unreceived();
            // The messages are dropped with the graph.
            self.in_flight.retain(|_, message| message.region != region);
        } else if self.top().in_flight > 0 {
            return Err(self.never_received(region));
        }
        self.frames.pop();
        Ok(())
    }

    /// Checks that the graph has reached its end when the host waits for it. The other regions of
    /// the operations around are not executed.
    fn check_nothing_left(&self, finish: Event<'a>) -> Result<(), Diagnostic<'a>> {
        let mut next = Some(self.top());
        while let Some(frame) = next {
            if frame.in_flight > 0 {
                return Err(self.never_received(frame.region));
            }
            let left = frame
                .graph
                .and_then(|position| self.graph.events(position).first());
            if let Some(&event) = left {
                return Err(self.stuck(Position::Event(finish), Position::Event(event)));
            }
            next = frame
                .enclosing
                .map(|enclosing| &self.frames[enclosing.frame]);
        }
        Ok(())
    }

    /// Returns whether the last event of the host in this region cancels the graph on each path.
    fn host_has_cancelled(&self) -> bool {
        let Frame { host, .. } = self.top();
        host.first().is_some_and(|&(list, next)| {
            let list = &self.host.lists[list];
            next > 0 && next == list.events.len() && list.summary.ending == Ending::Cancelled
        })
    }
}

/// Returns whether two operations have the same known source location.
fn same_place(one: Structured<'_>, other: Structured<'_>) -> bool {
    let at = one.op().location();
    at == other.op().location() && location::place(at).is_some()
}

#[cfg(test)]
mod tests {
    use super::Guesses;

    #[test]
    fn guesses_go_through_all_possibilities_once() {
        let mut guesses = Guesses::default();
        let mut tries = Vec::new();
        loop {
            // There is a second guess only after a first one that is true.
            let first = guesses.next(true);
            tries.push((first, first.then(|| guesses.next(false))));
            if !guesses.change_last() {
                break;
            }
        }
        assert_eq!(
            tries,
            [(true, Some(false)), (true, Some(true)), (false, None)]
        );
    }
}
