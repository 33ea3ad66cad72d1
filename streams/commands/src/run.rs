//! The execution of a verified list.
//!
//! ```text
//!   caller's thread: the host          worker threads: the streams
//!     issue ──► ring ────────────────►   kernels, copies, fills, functions
//!     loops, branches, calls             wait for epochs
//!     functions of the host
//! ```
//!
//! The host walks the commands, decides loops and branches, and puts commands into the rings of
//! their streams. A name of an event is bound to an epoch, that of a buffer to bytes. A loop is
//! decided by bytes that the host has read, if the list says so, and else by the caller.
//!
//! **Planned mode**: a root is a block, and allocations only start lifetimes. **Debug mode**: each
//! allocation has a block of its own, filled with bytes that are a NaN in each format of
//! floating-point numbers, between red zones that are checked when it is released; then it is
//! filled again. A schedule that reads what it has not written, or writes beyond a buffer, differs
//! between the modes.
//!
//! Cost: for each command, the operands and a push; no allocation in an arena.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tfx_schedule::{
    Access, Agent, Body, Buffer, BufferId, Call, CommandId, EventId, Lifetime, Loop, Mode, Names,
    Op, Part as SchedulePart, StreamId, Trips, Work,
};
use thiserror::Error;

use crate::list::{Detail, Verified};
use crate::memory::{Block, Memory, Operand, Part, Use, borrow, operands};
use crate::replay::{Replay, Watch};
use crate::stream::{Epoch, Job, Streams};

/// The bytes of red zones, and of memory that is not live.
const DEAD: u8 = 0xa5;
/// The bytes of memory that is allocated and not written: NaN as f16, bf16, f32 and f64.
const UNWRITTEN: u8 = 0xff;
/// The bytes of a red zone on each side of an allocation.
const RED_ZONE: usize = 64;

/// A kernel, or a function of the host, with a flag that asks it to end soon. The error is the
/// reason why it failed.
pub(crate) type Kernel =
    Arc<dyn Fn(&mut [Operand<'_>], &AtomicBool) -> Result<(), String> + Send + Sync>;

/// Kernels and functions of the host, by name. A buffer that a command reads and then writes is one
/// operand.
#[derive(Default)]
pub struct Kernels {
    by_name: BTreeMap<String, Kernel>,
}

impl Kernels {
    /// Adds a kernel, in place of an earlier one of that name.
    pub fn add(&mut self, name: &str, kernel: impl Fn(&mut [Operand<'_>]) + Send + Sync + 'static) {
        self.add_fallible(name, move |operands, _| {
            kernel(operands);
            Ok(())
        });
    }

    /// Adds a kernel that may fail, with the reason. The run ends then: commands that have not
    /// started are skipped. The flag that the kernel gets is set when the run ends early: then the
    /// kernel may return with any results.
    pub fn add_fallible(
        &mut self,
        name: &str,
        kernel: impl Fn(&mut [Operand<'_>], &AtomicBool) -> Result<(), String> + Send + Sync + 'static,
    ) {
        self.by_name.insert(name.to_string(), Arc::new(kernel));
    }
}

/// The decisions of the host about control flow.
pub trait Decisions {
    /// Returns whether a loop starts an iteration. Loops whose number of iterations is known or
    /// that the list decides, and the least iterations of others, start without a question.
    fn continues(&mut self, command: CommandId, iteration: u64) -> bool;

    /// Returns the arm of a branch that the list does not decide, below the number of arms.
    fn arm(&mut self, command: CommandId, arms: usize) -> usize;
}

/// Ends each loop, and takes each first arm.
struct Shortest;

impl Decisions for Shortest {
    fn continues(&mut self, _: CommandId, _: u64) -> bool {
        false
    }

    fn arm(&mut self, _: CommandId, _: usize) -> usize {
        0
    }
}

/// Watches the commands of a run, on the threads that execute them.
pub trait Observer: Send + Sync {
    /// A command of a stream has ended: the `number`-th of the stream, counted from 1.
    fn command(&self, stream: usize, number: u64, name: &str, since: Instant);

    /// A stream has waited until the `number`-th command of another one had ended.
    fn wait(&self, stream: usize, other: usize, number: u64, since: Instant);
}

/// Options of a run.
#[derive(Default)]
pub struct Options<'o> {
    /// The decisions of the host; without, loops end as soon as they may, and first arms are taken.
    pub decisions: Option<&'o mut dyn Decisions>,
    /// Gives each allocation bytes of its own, with red zones.
    pub is_debug: bool,
    /// Watches the run, if the list has no loops, branches, calls and functions of the host.
    pub observer: Option<Arc<dyn Observer>>,
    /// Ends the run soon after it is set, with any results.
    pub cancelled: Option<&'o AtomicBool>,
    /// Delays commands by random times up to 100 us, for tests: the seed.
    pub delays: Option<u64>,
}

/// A run that failed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RunError {
    /// A kernel is not registered.
    #[error("the kernel '{0}' is not registered: add it by Kernels::add")]
    Kernel(String),
    /// The memory of the caller does not match the buffers of the schedule.
    #[error("expected {expected} buffers of the sizes of the schedule, got {got}")]
    Memory {
        /// The number of external roots of the entry part.
        expected: usize,
        /// The number of buffers, or of those before the first with another size.
        got: usize,
    },
    /// A kernel panicked.
    #[error("the kernel '{0}' panicked")]
    Panicked(String),
    /// A kernel failed.
    #[error("the kernel '{kernel}' failed: {reason}")]
    Failed {
        /// Its name.
        kernel: String,
        /// The reason that it has returned.
        reason: String,
    },
    /// A command writes memory of the caller that is only read.
    #[error("command {0} writes memory of the caller that is only read")]
    ReadOnly(u32),
    /// There are no threads for the streams.
    #[error("there is no thread for a stream: {0}")]
    Thread(String),
    /// A command wrote beyond its buffer, in debug mode.
    #[error("bytes next to the buffer of the allocation at command {0} are overwritten")]
    RedZone(u32),
    /// The list has a form that this executor does not run.
    #[error("this executor does not run {0}")]
    Unsupported(&'static str),
}

/// A verified list with the kernels that it names, which can be run any number of times.
pub struct Executable {
    verified: Verified,
    /// By command.
    kernels: Vec<Option<Kernel>>,
    /// The steps of the list, if it is straight.
    replay: Option<Arc<Replay>>,
}

impl std::fmt::Debug for Executable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Executable")
            .field("verified", &self.verified)
            .finish_non_exhaustive()
    }
}

impl Executable {
    /// Finds the kernels of a list.
    ///
    /// # Errors
    ///
    /// A kernel is missing.
    pub fn new(verified: Verified, kernels: &Kernels) -> Result<Self, RunError> {
        let kernels = kernels_of(&verified, kernels)?;
        Ok(Self {
            replay: Replay::new(&verified, &kernels),
            verified,
            kernels,
        })
    }

    /// Runs the list on threads. `memory` has the external roots of the entry part, in their order.
    ///
    /// # Errors
    ///
    /// A kernel fails or panics, the memory does not match, or in debug mode a command writes
    /// beyond a buffer. The memory has any content then.
    pub fn run(
        &self,
        memory: &mut [Memory<'_>],
        options: &mut Options<'_>,
    ) -> Result<(), RunError> {
        let replay = self.replay.as_ref();
        run_either(&self.verified, &self.kernels, replay, memory, options)
    }
}

/// Runs a list once, with all memory writable: see [`Executable::run`].
///
/// # Errors
///
/// As for [`Executable::new`] and [`Executable::run`].
pub fn run(
    verified: &Verified,
    kernels: &Kernels,
    memory: &mut [Vec<u8>],
    options: &mut Options<'_>,
) -> Result<(), RunError> {
    let kernels = kernels_of(verified, kernels)?;
    let memory = memory.iter_mut().map(|bytes| Memory::Write(bytes));
    let mut memory: Vec<_> = memory.collect();
    let replay = Replay::new(verified, &kernels);
    run_either(verified, &kernels, replay.as_ref(), &mut memory, options)
}

/// Runs a list by its steps, or with a host. In debug mode, the host gives buffers their bytes.
fn run_either(
    verified: &Verified,
    kernels: &[Option<Kernel>],
    replay: Option<&Arc<Replay>>,
    memory: &mut [Memory<'_>],
    options: &mut Options<'_>,
) -> Result<(), RunError> {
    check_sizes(verified, memory)?;
    match replay {
        Some(replay) if !options.is_debug => {
            let watch = Watch {
                delays: options.delays,
                observer: options.observer.clone(),
            };
            replay.run(memory, watch, options.cancelled)
        }
        _ => execute(verified, kernels, memory, options),
    }
}

/// Returns the kernel of each command.
fn kernels_of(verified: &Verified, kernels: &Kernels) -> Result<Vec<Option<Kernel>>, RunError> {
    let details = verified.list().schedule().places.iter();
    let kernels = details.map(|detail| match detail {
        Detail::Kernel(name) => match kernels.by_name.get(name) {
            Some(kernel) => Ok(Some(Arc::clone(kernel))),
            None => Err(RunError::Kernel(name.clone())),
        },
        _ => Ok(None),
    });
    kernels.collect()
}

/// Checks that the memory of the caller has the sizes of the external roots.
fn check_sizes(verified: &Verified, memory: &[Memory<'_>]) -> Result<(), RunError> {
    let Some(entry) = verified.list().schedule().parts.last() else {
        return Ok(());
    };
    let roots = entry.roots.iter();
    let external = roots.filter(|root| root.lifetime == Lifetime::External);
    let sizes: Vec<u64> = external.map(|root| root.size).collect();
    let fitting = sizes.iter().zip(memory.iter());
    let fitting = fitting
        .take_while(|(size, memory)| **size == memory.size() as u64)
        .count();
    if fitting < sizes.len() || memory.len() != sizes.len() {
        return Err(RunError::Memory {
            expected: sizes.len(),
            got: fitting.min(memory.len()),
        });
    }
    Ok(())
}

fn execute(
    verified: &Verified,
    kernels: &[Option<Kernel>],
    memory: &mut [Memory<'_>],
    options: &mut Options<'_>,
) -> Result<(), RunError> {
    let Some(entry) = verified.list().schedule().parts.last() else {
        return Ok(());
    };
    let streams = Arc::new(Streams::new(entry.streams.len()));
    let mut shortest = Shortest;
    let mut host = Host {
        verified,
        kernels,
        streams: &streams,
        counts: vec![0; streams.count()],
        is_debug: options.is_debug,
        decisions: match options.decisions.as_deref_mut() {
            Some(decisions) => decisions,
            None => &mut shortest,
        },
        decided: BTreeMap::new(),
        delays: options.delays,
        cancelled: options.cancelled,
        issued: 0,
    };
    borrow(memory, |blocks| host.run(entry, blocks))?;
    streams.failure().map_or(Ok(()), Err)
}

/// Streams that threads execute: they end, and are waited for, with this value.
struct Running<'s> {
    streams: &'s Streams,
    cancelled: Option<&'s AtomicBool>,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        (0..self.streams.count()).for_each(|stream| self.streams.push(stream, Job::End));
        self.streams.join(self.cancelled);
    }
}

/// Returns a random time for a command (SplitMix64: Steele, Lea and Flood, 2014).
pub(crate) fn pause(seed: Option<u64>, stream: usize, count: u64) -> Duration {
    let Some(seed) = seed else {
        return Duration::ZERO;
    };
    let mut z = seed ^ (stream as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ count << 20;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    match z % 3 {
        0 => Duration::from_micros(z >> 32 & 0x7f),
        _ => Duration::ZERO,
    }
}

/// The meaning of names in an execution of a part.
#[derive(Clone, Default)]
struct Frame {
    /// The streams of the part.
    agents: Vec<usize>,
    /// The bytes of its roots.
    roots: Vec<Option<Arc<Block>>>,
    events: BTreeMap<EventId, Option<Epoch>>,
    /// Buffers that control flow binds, and in debug mode those that are allocated.
    buffers: BTreeMap<BufferId, Part>,
    /// In debug mode, the allocations with their red zones.
    allocated: BTreeMap<BufferId, (Arc<Block>, CommandId)>,
}

struct Host<'h> {
    verified: &'h Verified,
    /// By command.
    kernels: &'h [Option<Kernel>],
    streams: &'h Arc<Streams>,
    /// The commands that each stream has got.
    counts: Vec<u64>,
    is_debug: bool,
    decisions: &'h mut dyn Decisions,
    /// The last decision of each command that reads one.
    decided: BTreeMap<CommandId, bool>,
    delays: Option<u64>,
    cancelled: Option<&'h AtomicBool>,
    issued: u64,
}

/// The agent of a command in a run.
#[derive(Clone, Copy)]
enum On {
    Host,
    Stream(usize),
}

const UNBOUND: RunError = RunError::Unsupported("a wait for an event that is recorded later");
const NO_BYTES: RunError = RunError::Unsupported("a buffer without bytes");

impl Host<'_> {
    /// Issues all commands, and waits for them.
    fn run(&mut self, entry: &SchedulePart, blocks: &[Arc<Block>]) -> Result<(), RunError> {
        let seed = self.delays;
        let delay = move |stream, count| pause(seed, stream, count);
        self.streams.start(delay)?;
        let running = Running {
            streams: self.streams,
            cancelled: self.cancelled,
        };
        let agents = (0..self.streams.count()).collect();
        let outcome = self.part(entry, agents, blocks, &Frame::default(), &Names::default());
        if outcome.is_err() {
            self.streams.cancel();
        }
        drop(running);
        outcome.map(drop)
    }

    fn part(
        &mut self,
        part: &SchedulePart,
        agents: Vec<usize>,
        external: &[Arc<Block>],
        caller: &Frame,
        arguments: &Names,
    ) -> Result<Vec<Option<Epoch>>, RunError> {
        let mut external = external.iter();
        let roots = part.roots.iter().map(|root| match root.lifetime {
            Lifetime::External => external.next().cloned().or_else(|| new_block(root.size)),
            Lifetime::Managed if self.is_debug => None,
            Lifetime::Managed => new_block(root.size),
        });
        let mut frame = Frame {
            agents,
            roots: roots.collect(),
            ..Frame::default()
        };
        for (parameter, argument) in part.parameters.events.iter().zip(&arguments.events) {
            let epoch = caller.events.get(argument).copied().flatten();
            frame.events.insert(*parameter, epoch);
        }
        for (parameter, argument) in part.parameters.buffers.iter().zip(&arguments.buffers) {
            // The caller has resolved its arguments.
            if let Some(bytes) = caller.buffers.get(argument) {
                frame.buffers.insert(*parameter, bytes.clone());
            }
        }
        self.body(part, &part.body, &mut frame)?;
        let results = part.body.yields.events.iter();
        let results = results
            .map(|event| frame.events.get(event).copied().flatten())
            .collect();
        let open: Vec<(BufferId, _)> = frame.allocated.into_iter().collect();
        for (_, (block, command)) in open {
            // Memory that is never released is checked once all commands are complete.
            let everything: Vec<Epoch> = self.everything();
            everything
                .into_iter()
                .for_each(|epoch| self.streams.wait(epoch, self.cancelled));
            check_zones(block, command, self.streams);
        }
        Ok(results)
    }

    fn everything(&self) -> Vec<Epoch> {
        let counts = self.counts.iter().enumerate();
        counts
            .map(|(stream, &count)| Epoch { stream, count })
            .collect()
    }

    fn body(
        &mut self,
        part: &SchedulePart,
        body: &Body,
        frame: &mut Frame,
    ) -> Result<(), RunError> {
        for command in &body.commands {
            if self
                .cancelled
                .is_some_and(|flag| flag.load(Ordering::Relaxed))
            {
                self.streams.cancel();
            }
            if self.streams.is_cancelled() {
                return Ok(());
            }
            self.issued += 1;
            let delay = pause(self.delays, usize::MAX, self.issued);
            if !delay.is_zero() {
                std::thread::sleep(delay);
            }
            self.op(part, command.id, &command.op, frame)?;
        }
        Ok(())
    }

    fn op(
        &mut self,
        part: &SchedulePart,
        id: CommandId,
        op: &Op,
        frame: &mut Frame,
    ) -> Result<(), RunError> {
        match op {
            Op::Work {
                agent,
                kind,
                accesses,
            } => self.work(part, id, on(*agent, frame)?, *kind, accesses, frame),
            Op::Record { agent, event } => {
                let epoch = match on(*agent, frame)? {
                    // The host has done what it did before.
                    On::Host => None,
                    On::Stream(stream) => Some(Epoch {
                        stream,
                        count: self.counts[stream],
                    }),
                };
                frame.events.insert(*event, epoch);
                Ok(())
            }
            Op::Wait { agent, events } => {
                let agent = on(*agent, frame)?;
                for event in events {
                    let epoch = *frame.events.get(event).ok_or(UNBOUND)?;
                    match (agent, epoch) {
                        (_, None) => {}
                        (On::Host, Some(epoch)) => self.streams.wait(epoch, self.cancelled),
                        // A stream is in order.
                        (On::Stream(stream), Some(epoch)) if stream == epoch.stream => {}
                        (On::Stream(stream), Some(epoch)) => self.push(stream, Job::Wait(epoch)),
                    }
                }
                Ok(())
            }
            Op::Alloc { buffer, .. } => self.alloc(part, id, *buffer, frame),
            Op::Free { agent, buffer } => self.free(on(*agent, frame)?, *buffer, frame),
            Op::Loop(inner) => self.repeat(part, id, inner, frame),
            Op::Branch(branch) => {
                let arm = self.arm(id, branch.arms.len())?;
                let arm = branch.arms.get(arm).ok_or(RunError::Unsupported(
                    "an arm of a branch that does not exist",
                ))?;
                self.body(part, arm, frame)?;
                self.bind(part, frame, &arm.yields, &branch.results)
            }
            Op::Call(call) => self.call(part, call, frame),
        }
    }

    fn push(&mut self, stream: usize, job: Job) {
        self.counts[stream] += 1;
        self.streams.push(stream, job);
    }

    /// Runs work on a stream, or at once.
    fn execute(&mut self, on: On, work: impl FnOnce() + Send + 'static) {
        match on {
            On::Host => work(),
            On::Stream(stream) => self.push(stream, Job::Run(Box::new(work))),
        }
    }

    fn work(
        &mut self,
        part: &SchedulePart,
        id: CommandId,
        on: On,
        kind: Work,
        accesses: &[Access],
        frame: &Frame,
    ) -> Result<(), RunError> {
        if kind == Work::Input {
            return Ok(());
        }
        let resolve = |buffer| resolve(part, frame, buffer);
        let uses = uses(accesses, kind, resolve).ok_or(NO_BYTES)?;
        let mut uses_of = uses.iter();
        if uses_of.any(|(bytes, use_of)| *use_of != Use::Read && !bytes.is_writable()) {
            return Err(RunError::ReadOnly(id.0));
        }
        let detail = self.verified.list().detail(id);
        if *detail == Detail::Decide {
            let decision = first_byte(&uses).ok_or(NO_BYTES)? != 0;
            self.decided.insert(id, decision);
            return Ok(());
        }
        let (name, kernel) = kernel_of(id, kind, detail, self.kernels)?;
        let streams = Arc::clone(self.streams);
        self.execute(on, move || {
            let called = call(&name, &kernel, &uses, streams.cancelled());
            called.unwrap_or_else(|error| streams.fail(error));
        });
        Ok(())
    }

    // ---------------------------------------------------------------------------------- memory

    fn alloc(
        &mut self,
        part: &SchedulePart,
        id: CommandId,
        buffer: BufferId,
        frame: &mut Frame,
    ) -> Result<(), RunError> {
        if !self.is_debug {
            return Ok(());
        }
        let Some(Buffer::Slice { size, .. }) = part.buffers.get(buffer.0 as usize) else {
            return Err(NO_BYTES);
        };
        let size = usize::try_from(*size).map_err(|_| NO_BYTES)?;
        let total = size.checked_add(2 * RED_ZONE).ok_or(NO_BYTES)?;
        let block = Block::filled(total, DEAD).ok_or(NO_BYTES)?;
        let bytes = Part::new(Arc::clone(&block), RED_ZONE, size).ok_or(NO_BYTES)?;
        operands(&[(bytes.clone(), Use::Write)], |list| {
            fill(&[UNWRITTEN], list)
        });
        frame.buffers.insert(buffer, bytes);
        frame.allocated.insert(buffer, (block, id));
        Ok(())
    }

    fn free(&mut self, on: On, buffer: BufferId, frame: &mut Frame) -> Result<(), RunError> {
        if !self.is_debug {
            return Ok(());
        }
        let allocated = frame.allocated.remove(&buffer);
        let Some((block, command)) = allocated else {
            // A name of control flow: the block is checked at the end of the part.
            return Ok(());
        };
        let bytes = frame.buffers.get(&buffer).cloned().ok_or(NO_BYTES)?;
        let streams = Arc::clone(self.streams);
        self.execute(on, move || {
            check_zones(block, command, &streams);
            operands(&[(bytes, Use::Write)], |list| fill(&[DEAD], list));
        });
        Ok(())
    }

    // ----------------------------------------------------------------------------- control flow

    fn repeat(
        &mut self,
        part: &SchedulePart,
        id: CommandId,
        inner: &Loop,
        frame: &mut Frame,
    ) -> Result<(), RunError> {
        self.bind(part, frame, &inner.initial, &inner.arguments)?;
        let mut iteration = 0;
        loop {
            let continues = match inner.trips {
                Trips::Exactly(trips) => iteration < trips,
                Trips::AtLeast(least) => iteration < least || self.continues(id, iteration)?,
            };
            if !continues || self.streams.is_cancelled() {
                break;
            }
            self.body(part, &inner.body, frame)?;
            self.bind(part, frame, &inner.body.yields, &inner.arguments)?;
            iteration += 1;
        }
        self.bind(part, frame, &inner.arguments, &inner.results)
    }

    /// Returns whether a loop with an unknown number of iterations starts one.
    fn continues(&mut self, id: CommandId, iteration: u64) -> Result<bool, RunError> {
        match self.verified.list().decides_iteration(id, iteration) {
            Some(decision) => self.decision(decision),
            None => Ok(self.decisions.continues(id, iteration)),
        }
    }

    /// Returns the number of the arm that a branch takes.
    fn arm(&mut self, id: CommandId, arms: usize) -> Result<usize, RunError> {
        match self.verified.list().decides_arm(id) {
            Some(decision) => Ok(usize::from(!self.decision(decision)?)),
            None => Ok(self.decisions.arm(id, arms)),
        }
    }

    /// Returns the last decision of a command.
    fn decision(&self, command: CommandId) -> Result<bool, RunError> {
        match self.decided.get(&command) {
            Some(decided) => Ok(*decided),
            // Commands of a run that ends early are skipped.
            None if self.streams.is_cancelled() => Ok(false),
            None => Err(RunError::Unsupported("a decision that is made later")),
        }
    }

    /// Binds names to the meanings of others.
    fn bind(
        &self,
        part: &SchedulePart,
        frame: &mut Frame,
        from: &Names,
        to: &Names,
    ) -> Result<(), RunError> {
        let events = from.events.iter();
        let events: Vec<Option<Option<Epoch>>> = events
            .map(|event| frame.events.get(event).copied())
            .collect();
        let buffers = from.buffers.iter();
        let buffers: Vec<Option<Part>> = buffers
            .map(|buffer| resolve(part, frame, *buffer))
            .collect();
        for (name, epoch) in to.events.iter().zip(events) {
            if let Some(epoch) = epoch {
                frame.events.insert(*name, epoch);
            }
        }
        for (name, bytes) in to.buffers.iter().zip(buffers) {
            if let Some(bytes) = bytes {
                frame.buffers.insert(*name, bytes);
            }
        }
        Ok(())
    }

    fn call(
        &mut self,
        part: &SchedulePart,
        call: &Call,
        frame: &mut Frame,
    ) -> Result<(), RunError> {
        let parts = &self.verified.list().schedule().parts;
        let callee = parts.get(call.part.0 as usize);
        let callee = callee.ok_or(RunError::Unsupported("a part that does not exist"))?;
        let agents = call.streams.iter().map(|stream| stream_of(*stream, frame));
        let agents = agents.collect::<Result<Vec<usize>, RunError>>()?;
        let mut caller = Frame {
            events: frame.events.clone(),
            ..Frame::default()
        };
        for buffer in &call.arguments.buffers {
            if let Some(bytes) = resolve(part, frame, *buffer) {
                caller.buffers.insert(*buffer, bytes);
            }
        }
        let results = self.part(callee, agents, &[], &caller, &call.arguments)?;
        for (name, epoch) in call.results.events.iter().zip(results) {
            frame.events.insert(*name, epoch);
        }
        Ok(())
    }
}

pub(crate) fn new_block(size: u64) -> Option<Arc<Block>> {
    Block::filled(usize::try_from(size).ok()?, 0)
}

fn stream_of(stream: StreamId, frame: &Frame) -> Result<usize, RunError> {
    let stream = frame.agents.get(stream.0 as usize).copied();
    stream.ok_or(RunError::Unsupported("a stream that does not exist"))
}

/// Returns the first byte of the operand of a decision, which the host has waited for.
fn first_byte(uses: &[(Part, Use)]) -> Option<u8> {
    let first = operands(uses, |list| match list {
        [Operand::Read(bytes)] => bytes.first().copied(),
        _ => None,
    });
    first.flatten()
}

/// Returns the ranges of a command, none if one has no meaning. A buffer that it reads and then
/// writes is one operand, except for copies.
pub fn uses<B>(
    accesses: &[Access],
    kind: Work,
    resolve: impl Fn(BufferId) -> Option<B>,
) -> Option<Vec<(B, Use)>> {
    let mut uses: Vec<(B, Use)> = Vec::with_capacity(accesses.len());
    let mut previous: Option<(BufferId, Mode)> = None;
    for access in accesses {
        let is_update = kind != Work::Copy
            && access.mode == Mode::Write
            && previous == Some((access.buffer, Mode::Read));
        previous = Some((access.buffer, access.mode));
        if is_update {
            if let Some((_, kind)) = uses.last_mut() {
                *kind = Use::Update;
            }
            continue;
        }
        uses.push((
            resolve(access.buffer)?,
            match access.mode {
                Mode::Read => Use::Read,
                Mode::Write => Use::Write,
                Mode::Scratch => Use::Scratch,
            },
        ));
    }
    Some(uses)
}

/// Calls a kernel. The list is verified, and agents keep its order: see the contract of `memory`.
pub(crate) fn call(
    name: &str,
    kernel: &Kernel,
    uses: &[(Part, Use)],
    cancelled: &AtomicBool,
) -> Result<(), RunError> {
    let called = catch_unwind(AssertUnwindSafe(|| {
        operands(uses, |list| kernel(list, cancelled))
    }));
    match called {
        Ok(Some(Ok(()))) => Ok(()),
        Ok(Some(Err(reason))) => Err(RunError::Failed {
            kernel: name.to_string(),
            reason,
        }),
        Ok(None) => Err(RunError::Unsupported("operands that overlap")),
        Err(_) => Err(RunError::Panicked(name.to_string())),
    }
}

/// Returns the name and the code of a command.
pub(crate) fn kernel_of(
    id: CommandId,
    kind: Work,
    detail: &Detail,
    kernels: &[Option<Kernel>],
) -> Result<(String, Kernel), RunError> {
    match (kind, detail) {
        (Work::Copy, _) => Ok(("copy".to_string(), Arc::new(copy))),
        (Work::Fill, Detail::Fill(pattern)) => {
            let pattern = pattern.clone();
            let fill = move |operands: &mut [Operand<'_>], _: &AtomicBool| {
                fill(&pattern, operands);
                Ok(())
            };
            Ok(("fill".to_string(), Arc::new(fill)))
        }
        (_, Detail::Kernel(name)) => {
            let kernel = kernels.get(id.0 as usize).cloned().flatten();
            let kernel = kernel.ok_or_else(|| RunError::Kernel(name.clone()))?;
            Ok((name.clone(), kernel))
        }
        _ => Err(RunError::Unsupported("a command without a kernel")),
    }
}

fn on(agent: Agent, frame: &Frame) -> Result<On, RunError> {
    Ok(match agent {
        Agent::Host => On::Host,
        Agent::Stream(stream) => On::Stream(stream_of(stream, frame)?),
    })
}

/// Returns the bytes of a buffer.
fn resolve(part: &SchedulePart, frame: &Frame, buffer: BufferId) -> Option<Part> {
    if let Some(bytes) = frame.buffers.get(&buffer) {
        return Some(bytes.clone());
    }
    match *part.buffers.get(buffer.0 as usize)? {
        Buffer::Slice { root, offset, size } => {
            let block = frame.roots.get(root.0 as usize)?.clone()?;
            Part::new(block, offset.try_into().ok()?, size.try_into().ok()?)
        }
        Buffer::View { of, offset, size } if of < buffer => {
            let whole = resolve(part, frame, of)?;
            whole.view(offset.try_into().ok()?, size.try_into().ok()?)
        }
        _ => None,
    }
}

fn copy(operands: &mut [Operand<'_>], _: &AtomicBool) -> Result<(), String> {
    if let [Operand::Read(from), Operand::Write(to)] = operands {
        to.copy_from_slice(from);
    }
    Ok(())
}

/// Repeats a pattern.
fn fill(pattern: &[u8], operands: &mut [Operand<'_>]) {
    if let [Operand::Write(to)] = operands
        && !pattern.is_empty()
    {
        let whole = pattern.iter().cycle();
        to.iter_mut()
            .zip(whole)
            .for_each(|(byte, new)| *byte = *new);
    }
}

/// Checks the red zones of an allocation whose accesses are complete.
fn check_zones(block: Arc<Block>, command: CommandId, streams: &Streams) {
    let is_intact = |start: usize| {
        let Some(zone) = Part::new(Arc::clone(&block), start, RED_ZONE) else {
            return false;
        };
        let mut is_intact = false;
        operands(&[(zone, Use::Read)], |list| {
            if let [Operand::Read(bytes)] = list {
                is_intact = bytes.iter().all(|byte| *byte == DEAD);
            }
        });
        is_intact
    };
    let end = Part::new(Arc::clone(&block), 0, 0).map_or(0, |part| part.whole() - RED_ZONE);
    if !is_intact(0) || !is_intact(end) {
        streams.fail(RunError::RedZone(command.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn red_zones_are_checked() {
        for position in [0, RED_ZONE - 1, RED_ZONE, RED_ZONE + 8, 2 * RED_ZONE + 7] {
            let block = Block::filled(2 * RED_ZONE + 8, DEAD).expect("a small block");
            let byte = Part::new(Arc::clone(&block), position, 1).expect("a byte of the block");
            operands(&[(byte, Use::Write)], |list| fill(&[0], list));
            let streams = Streams::new(0);
            check_zones(block, CommandId(3), &streams);
            let is_inside = (RED_ZONE..RED_ZONE + 8).contains(&position);
            let expected = (!is_inside).then_some(RunError::RedZone(3));
            assert_eq!(streams.failure(), expected, "byte {position}");
        }
    }
}
