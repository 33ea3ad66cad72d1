//! The host of a run: it issues all commands, and decides loops and branches.
//!
//! ```text
//!   body ── work ──────► host.rs: launches, copies, fills, kernels of the host
//!        ├─ record, wait ► events of the pool; at once on streams of a CPU
//!        └─ loop, branch, call: names are bound to events and ranges, as arguments
//! ```
//!
//! A name of an event is bound to a [`Mark`]; none if what it marks is complete already, as for the
//! host and streams of a CPU. A stream waits for its own events by its order. The host looks at the
//! flag of the caller between commands, and while it waits.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tfx_commands::Memory;
use tfx_schedule::{
    Agent, Body, Branch, BufferId, Call, Command, CommandId, EventId, Loop, Names, Op, Part,
    StreamId, Trips, Work,
};

use crate::driver::{CudaError, Stream};
use crate::error::Error;
use crate::events::Mark;
use crate::executable::{Counts, RunOptions};
use crate::host::External;
use crate::memory::{Block, Range, resolve};
use crate::plan::Plan;
use crate::session::{Lane, Session};
use crate::spans::Recorder;

/// The looks at a stream before the host sleeps between them: some microseconds.
const EAGER_LOOKS: u32 = 64;
/// The time between later looks: a small part of the time of a wait that lasts so long.
const LOOK: Duration = Duration::from_micros(50);

const UNBOUND: Error = Error::Unsupported("a wait for an event that is recorded later");
const NO_STREAM: Error = Error::Unsupported("a stream that does not exist");

/// The agent of a command in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum On {
    /// The host, or a stream of a CPU.
    Host,
    /// A stream of a device, by its lane.
    Lane(usize),
}

/// The meaning of names in an execution of a part.
pub(crate) struct Frame {
    part: usize,
    /// The lanes of the part's streams.
    lanes: Vec<usize>,
    roots: Vec<Arc<Block>>,
    events: BTreeMap<EventId, Option<Arc<Mark>>>,
    /// Buffers that control flow binds.
    buffers: BTreeMap<BufferId, Range>,
}

/// A run.
pub(crate) struct Issuer<'r, 'm, 'o> {
    pub(crate) plan: &'r Plan,
    pub(crate) session: &'r mut Session,
    pub(crate) memory: &'r mut [Memory<'m>],
    pub(crate) options: &'r mut RunOptions<'o>,
    pub(crate) external: Vec<External>,
    pub(crate) counts: Counts,
    /// The last decision of each command that reads one.
    pub(crate) decided: BTreeMap<CommandId, bool>,
    /// Set while the commands are captured instead of run.
    pub(crate) is_captured: bool,
    /// Records the times of commands, if the caller asks for them.
    pub(crate) recorder: Option<Recorder>,
}

impl<'r, 'm, 'o> Issuer<'r, 'm, 'o> {
    pub(crate) fn new(
        plan: &'r Plan,
        session: &'r mut Session,
        memory: &'r mut [Memory<'m>],
        options: &'r mut RunOptions<'o>,
    ) -> Self {
        let mut issuer = Self {
            plan,
            session,
            memory,
            options,
            external: Vec::new(),
            counts: Counts::default(),
            decided: BTreeMap::new(),
            is_captured: false,
            recorder: None,
        };
        issuer.external = issuer.unused();
        issuer
    }

    /// Runs the list. All streams are complete when it returns, and the caller's memory is written
    /// if it succeeds.
    pub(crate) fn run(&mut self, as_graph: bool) -> Result<(), Error> {
        let issued = self.issue(as_graph);
        let complete = self.session.synchronize();
        issued?;
        complete?;
        self.session.settle();
        self.store_external()?;
        if let (Some(recorder), Some(spans)) = (self.recorder.take(), &mut self.options.spans) {
            **spans = recorder.finish()?;
        }
        Ok(())
    }

    fn issue(&mut self, as_graph: bool) -> Result<(), Error> {
        if self.options.spans.is_some() {
            self.recorder = Some(Recorder::new(self.session)?);
        }
        if as_graph && self.replay()? {
            return Ok(());
        }
        self.entry()?;
        if self.options.cancelled.is_some() {
            let mut lanes = 0..self.session.lanes.len();
            lanes.try_for_each(|lane| self.wait_lane(lane))?;
        }
        Ok(())
    }

    /// Issues the entry part.
    pub(crate) fn entry(&mut self) -> Result<(), Error> {
        let plan = self.plan;
        let Some((entry, earlier)) = plan.parts().split_last() else {
            return Ok(());
        };
        let mut frame = Frame {
            part: earlier.len(),
            lanes: (0..entry.streams.len()).collect(),
            roots: self.session.roots.clone(),
            events: BTreeMap::new(),
            buffers: BTreeMap::new(),
        };
        self.body(&entry.body, &mut frame)
    }

    // --------------------------------------------------------------------------------- commands

    fn body(&mut self, body: &Body, frame: &mut Frame) -> Result<(), Error> {
        for command in &body.commands {
            self.check_cancelled()?;
            self.op(command, frame)?;
            if let Some(lifetimes) = self.plan.lifetimes(frame.part) {
                for event in lifetimes.ending(command.id) {
                    frame.events.remove(event);
                }
            }
        }
        Ok(())
    }

    fn op(&mut self, command: &Command, frame: &mut Frame) -> Result<(), Error> {
        match &command.op {
            // The bytes are there.
            Op::Work {
                kind: Work::Input, ..
            } => Ok(()),
            Op::Work {
                agent,
                kind,
                accesses,
            } => {
                let on = self.on(*agent, frame)?;
                let begun = self.begin(on)?;
                self.work(command, on, *kind, accesses, frame)?;
                let name = self.plan.name(command);
                self.end(begun, on, *agent, frame, name).map(|_| ())
            }
            Op::Record { agent, event } => self.record(*agent, *event, frame),
            Op::Wait { agent, events } => self.waits(*agent, events, frame),
            // Arenas exist before and after.
            Op::Alloc { .. } | Op::Free { .. } => Ok(()),
            Op::Loop(inner) => self.repeat(command.id, inner, frame),
            Op::Branch(branch) => self.branch(command.id, branch, frame),
            Op::Call(call) => self.call(call, frame),
        }
    }

    fn record(&mut self, agent: Agent, event: EventId, frame: &mut Frame) -> Result<(), Error> {
        let lifetimes = self.plan.lifetimes(frame.part);
        if lifetimes.is_some_and(|lifetimes| !lifetimes.is_used(event)) {
            return Ok(());
        }
        let mark = match self.on(agent, frame)? {
            On::Host => None,
            On::Lane(lane) => Some(self.mark(lane)?),
        };
        frame.events.insert(event, mark);
        Ok(())
    }

    fn waits(&mut self, agent: Agent, events: &[EventId], frame: &Frame) -> Result<(), Error> {
        let on = self.on(agent, frame)?;
        let mut marks: Vec<&Arc<Mark>> = Vec::new();
        for event in events {
            let mark = frame.events.get(event).ok_or(UNBOUND)?.as_ref();
            // A stream is in order.
            marks.extend(mark.filter(|mark| on != On::Lane(mark.lane)));
        }
        if marks.is_empty() {
            return Ok(());
        }
        let begun = self.begin(on)?;
        for mark in &marks {
            self.wait(on, mark)?;
        }
        if self.end(begun, on, agent, frame, "wait")? {
            self.arrows(&marks);
        }
        Ok(())
    }

    fn wait(&mut self, on: On, mark: &Arc<Mark>) -> Result<(), Error> {
        match on {
            // The host has nothing to do after a wait in a list that is captured.
            On::Host if self.is_captured => Ok(()),
            On::Host => self.wait_mark(mark),
            On::Lane(lane) => {
                self.counts.waits += 1;
                Ok(mark.hold(self.stream(lane)?)?)
            }
        }
    }

    // ----------------------------------------------------------------------------- control flow

    fn repeat(&mut self, id: CommandId, inner: &Loop, frame: &mut Frame) -> Result<(), Error> {
        self.bind(frame, &inner.initial, &inner.arguments);
        let mut iteration = 0;
        while match inner.trips {
            Trips::Exactly(trips) => iteration < trips,
            Trips::AtLeast(least) => iteration < least || self.continues(id, iteration)?,
        } {
            self.check_cancelled()?;
            self.body(&inner.body, frame)?;
            self.bind(frame, &inner.body.yields, &inner.arguments);
            iteration += 1;
        }
        self.bind(frame, &inner.arguments, &inner.results);
        for event in &inner.arguments.events {
            frame.events.remove(event);
        }
        Ok(())
    }

    /// Returns whether a loop with an unknown number of iterations starts one: a decision of the
    /// list, or of the caller.
    fn continues(&mut self, id: CommandId, iteration: u64) -> Result<bool, Error> {
        if let Some(decision) = self.plan.verified.list().decides_iteration(id, iteration) {
            return self.decision(decision);
        }
        let decisions = self.options.decisions.as_deref_mut();
        Ok(decisions.is_some_and(|decisions| decisions.continues(id, iteration)))
    }

    /// Returns the number of the arm that a branch takes: a decision of the list, or of the caller.
    fn arm(&mut self, id: CommandId, arms: usize) -> Result<usize, Error> {
        if let Some(decision) = self.plan.verified.list().decides_arm(id) {
            return Ok(usize::from(!self.decision(decision)?));
        }
        let decisions = self.options.decisions.as_deref_mut();
        Ok(decisions.map_or(0, |decisions| decisions.arm(id, arms)))
    }

    /// Returns the last decision of a command.
    fn decision(&self, command: CommandId) -> Result<bool, Error> {
        let decided = self.decided.get(&command).copied();
        decided.ok_or(Error::Unsupported("a decision that is made later"))
    }

    fn branch(&mut self, id: CommandId, branch: &Branch, frame: &mut Frame) -> Result<(), Error> {
        let arm = self.arm(id, branch.arms.len())?;
        let arm = branch.arms.get(arm);
        let arm = arm.ok_or(Error::Unsupported("an arm of a branch that does not exist"))?;
        self.body(arm, frame)?;
        self.bind(frame, &arm.yields, &branch.results);
        Ok(())
    }

    /// Binds names to the meanings of others.
    fn bind(&self, frame: &mut Frame, from: &Names, to: &Names) {
        let events = from.events.iter();
        let events: Vec<_> = events
            .map(|event| frame.events.get(event).cloned())
            .collect();
        let buffers = from.buffers.iter();
        let buffers: Vec<_> = buffers.map(|buffer| self.resolve(frame, *buffer)).collect();
        for (name, mark) in to.events.iter().zip(events) {
            if let Some(mark) = mark {
                frame.events.insert(*name, mark);
            }
        }
        for (name, range) in to.buffers.iter().zip(buffers) {
            if let Some(range) = range {
                frame.buffers.insert(*name, range);
            }
        }
    }

    fn call(&mut self, call: &Call, frame: &mut Frame) -> Result<(), Error> {
        let plan = self.plan;
        let part = call.part.0 as usize;
        let callee = plan.parts().get(part);
        let callee = callee.ok_or(Error::Unsupported("a part that does not exist"))?;
        let lanes = call.streams.iter().map(|stream| lane_of(*stream, frame));
        let mut inner = Frame {
            part,
            lanes: lanes.collect::<Result<_, _>>()?,
            roots: self.take_roots(callee)?,
            events: BTreeMap::new(),
            buffers: BTreeMap::new(),
        };
        let arguments = &call.arguments;
        for (name, argument) in callee.parameters.events.iter().zip(&arguments.events) {
            if let Some(mark) = frame.events.get(argument) {
                inner.events.insert(*name, mark.clone());
            }
        }
        for (name, argument) in callee.parameters.buffers.iter().zip(&arguments.buffers) {
            if let Some(range) = self.resolve(frame, *argument) {
                inner.buffers.insert(*name, range);
            }
        }
        self.body(&callee.body, &mut inner)?;
        let results = callee.body.yields.events.iter();
        for (name, event) in call.results.events.iter().zip(results) {
            if let Some(mark) = inner.events.get(event) {
                frame.events.insert(*name, mark.clone());
            }
        }
        self.give_roots(inner)
    }

    fn take_roots(&mut self, callee: &Part) -> Result<Vec<Arc<Block>>, Error> {
        let mut roots = Vec::with_capacity(callee.roots.len());
        let cancelled = self.options.cancelled;
        for root in &callee.roots {
            let kind = Block::kind_of(self.plan, root);
            let wait = |mark: &Mark| wait_for_mark(mark, cancelled);
            roots.push(self.session.take_block(self.plan, kind, root.size, wait)?);
        }
        Ok(roots)
    }

    /// Gives the roots of a call back, once the streams of the part have used them.
    fn give_roots(&mut self, mut frame: Frame) -> Result<(), Error> {
        if frame.roots.is_empty() {
            return Ok(());
        }
        frame.lanes.sort_unstable();
        frame.lanes.dedup();
        let mut marks = Vec::new();
        for lane in frame.lanes {
            if self.session.cuda(lane).is_some() {
                marks.push(self.mark(lane)?);
            }
        }
        for block in frame.roots {
            self.session.give_block(block, marks.clone());
        }
        Ok(())
    }

    // -------------------------------------------------------------------------------- streams

    fn on(&self, agent: Agent, frame: &Frame) -> Result<On, Error> {
        let Agent::Stream(stream) = agent else {
            return Ok(On::Host);
        };
        let lane = lane_of(stream, frame)?;
        match self.session.lanes.get(lane) {
            Some(Lane::Cuda { .. }) => Ok(On::Lane(lane)),
            Some(Lane::Cpu) => Ok(On::Host),
            None => Err(NO_STREAM),
        }
    }

    pub(crate) fn stream(&self, lane: usize) -> Result<&Stream, Error> {
        Ok(self.session.cuda(lane).ok_or(NO_STREAM)?.1)
    }

    /// Marks the commands of a stream so far.
    pub(crate) fn mark(&self, lane: usize) -> Result<Arc<Mark>, Error> {
        let (device, stream) = self.session.cuda(lane).ok_or(NO_STREAM)?;
        let stamp = self.recorder.as_ref();
        let stamp = stamp.and_then(|recorder| recorder.last(lane));
        Ok(self.session.events.record(device, lane, stream, stamp)?)
    }

    pub(crate) fn resolve(&self, frame: &Frame, buffer: BufferId) -> Option<Range> {
        let part = self.plan.parts().get(frame.part)?;
        let root = |root: usize| frame.roots.get(root).cloned();
        let bound = |buffer| frame.buffers.get(&buffer).cloned();
        resolve(part, buffer, &root, &bound)
    }

    // ---------------------------------------------------------------------------------- waits

    pub(crate) fn check_cancelled(&self) -> Result<(), Error> {
        check(self.options.cancelled)
    }

    fn wait_mark(&mut self, mark: &Mark) -> Result<(), Error> {
        self.counts.waits += 1;
        wait_for_mark(mark, self.options.cancelled)
    }

    /// Waits for all commands of a stream.
    pub(crate) fn wait_lane(&mut self, lane: usize) -> Result<(), Error> {
        let Some((_, stream)) = self.session.cuda(lane) else {
            return Ok(());
        };
        self.counts.waits += 1;
        match self.options.cancelled {
            Some(flag) => poll(flag, || stream.query()),
            None => Ok(stream.synchronize()?),
        }
    }
}

pub(crate) fn lane_of(stream: StreamId, frame: &Frame) -> Result<usize, Error> {
    frame.lanes.get(stream.0 as usize).copied().ok_or(NO_STREAM)
}

fn check(cancelled: Option<&AtomicBool>) -> Result<(), Error> {
    match cancelled.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
        true => Err(Error::Cancelled),
        false => Ok(()),
    }
}

fn wait_for_mark(mark: &Mark, cancelled: Option<&AtomicBool>) -> Result<(), Error> {
    match cancelled {
        Some(flag) => poll(flag, || mark.is_complete()),
        None => Ok(mark.synchronize()?),
    }
}

/// Waits until something is complete, or the flag is set.
fn poll(
    flag: &AtomicBool,
    mut is_complete: impl FnMut() -> Result<bool, CudaError>,
) -> Result<(), Error> {
    let mut looks = 0;
    while !is_complete()? {
        check(Some(flag))?;
        match looks < EAGER_LOOKS {
            true => std::thread::yield_now(),
            false => std::thread::sleep(LOOK),
        }
        looks += 1;
    }
    Ok(())
}
