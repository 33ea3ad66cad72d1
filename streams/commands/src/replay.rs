//! Straight lists: resolved once, and executed any number of times.
//!
//! ```text
//!   list ──► stream 0: run @a(root 0, root 2), run @c(...)      the thread of the caller
//!            stream 1: run @b(root 1, root 2), wait 0:1, ...    a worker
//! ```
//!
//! A list without loops, branches, calls and functions of the host needs no host: what each stream
//! does is known before the run. So each stream has an array of steps, in which names are resolved
//! to ranges of roots and events to numbers of steps. The thread of the caller executes the first
//! stream itself, and arenas are kept for later runs.
//!
//! Cost of a run: for each step, its operands and an atomic addition; no other allocation.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use tfx_schedule::{
    Agent, Buffer, BufferId, EventId, Lifetime, Op, Part as SchedulePart, StreamId, Work,
};

use crate::list::Verified;
use crate::memory::{Block, Memory, Part, Use, borrow};
use crate::run::{Kernel, Observer, RunError, call, kernel_of, new_block, pause, uses};
use crate::stream::{Epoch, Streams, lock};
use crate::workers;

/// The delays of a run, and its observer.
#[derive(Clone, Default)]
pub(crate) struct Watch {
    /// The seed of random times before commands.
    pub(crate) delays: Option<u64>,
    pub(crate) observer: Option<Arc<dyn Observer>>,
}

/// A range of a root.
#[derive(Clone, Copy, Debug)]
struct Place {
    root: usize,
    start: usize,
    length: usize,
}

/// A command of a stream.
enum Step {
    Wait(Epoch),
    Run {
        name: String,
        kernel: Kernel,
        operands: Vec<(Place, Use)>,
    },
}

/// A root: bytes of the caller, by their position, or an arena.
#[derive(Clone, Copy, Debug)]
enum Root {
    External(usize),
    Arena(u64),
}

/// A straight list.
pub(crate) struct Replay {
    /// The steps of each stream.
    streams: Vec<Vec<Step>>,
    roots: Vec<Root>,
    /// The command that writes memory of the caller, by its position.
    written: BTreeMap<usize, u32>,
    /// The arenas of runs that have ended.
    arenas: Mutex<Vec<Vec<Arc<Block>>>>,
}

impl Replay {
    /// Resolves a list; none if it is not straight.
    pub(crate) fn new(verified: &Verified, kernels: &[Option<Kernel>]) -> Option<Arc<Self>> {
        let entry = verified.list().schedule().parts.last()?;
        let mut external = 0..;
        let roots = entry.roots.iter().map(|root| match root.lifetime {
            Lifetime::External => Some(Root::External(external.next()?)),
            Lifetime::Managed => Some(Root::Arena(root.size)),
        });
        let mut replay = Self {
            streams: entry.streams.iter().map(|_| Vec::new()).collect(),
            roots: roots.collect::<Option<_>>()?,
            written: BTreeMap::new(),
            arenas: Mutex::default(),
        };
        let mut events: BTreeMap<EventId, Epoch> = BTreeMap::new();
        for command in &entry.body.commands {
            match &command.op {
                Op::Work {
                    kind: Work::Input, ..
                }
                | Op::Alloc { .. }
                | Op::Free { .. } => {}
                Op::Work {
                    agent: Agent::Stream(stream),
                    kind,
                    accesses,
                } => {
                    let resolve = |buffer| place(entry, buffer);
                    let operands = uses(accesses, *kind, resolve)?;
                    for (place, use_of) in &operands {
                        if let Root::External(position) = replay.roots[place.root]
                            && *use_of != Use::Read
                        {
                            replay.written.entry(position).or_insert(command.id.0);
                        }
                    }
                    let detail = verified.list().detail(command.id);
                    let (name, kernel) = kernel_of(command.id, *kind, detail, kernels).ok()?;
                    replay.step(
                        *stream,
                        Step::Run {
                            name,
                            kernel,
                            operands,
                        },
                    )?;
                }
                Op::Record {
                    agent: Agent::Stream(stream),
                    event,
                } => {
                    let stream = stream.0 as usize;
                    let count = replay.streams.get(stream)?.len() as u64;
                    events.insert(*event, Epoch { stream, count });
                }
                Op::Wait {
                    agent: Agent::Stream(stream),
                    events: waited,
                } => {
                    for event in waited {
                        let epoch = *events.get(event)?;
                        // A stream is in order.
                        if epoch.stream != stream.0 as usize {
                            replay.step(*stream, Step::Wait(epoch))?;
                        }
                    }
                }
                _ => return None,
            }
        }
        Some(Arc::new(replay))
    }

    fn step(&mut self, stream: StreamId, step: Step) -> Option<()> {
        self.streams.get_mut(stream.0 as usize)?.push(step);
        Some(())
    }

    /// Runs the list. The sizes of the memory are those of the external roots.
    pub(crate) fn run(
        self: &Arc<Self>,
        memory: &mut [Memory<'_>],
        watch: Watch,
        cancelled: Option<&AtomicBool>,
    ) -> Result<(), RunError> {
        let read_only = self.written.iter().find(|(position, _)| {
            let memory = memory.get(**position);
            memory.is_some_and(|memory| matches!(memory, Memory::Read(_)))
        });
        if let Some((_, command)) = read_only {
            return Err(RunError::ReadOnly(*command));
        }
        let arenas = lock(&self.arenas).pop();
        let arenas = match arenas {
            Some(arenas) => arenas,
            None => self.new_arenas()?,
        };
        let streams = Streams::new(self.streams.len());
        let outcome = borrow(memory, |external| {
            let mut own = arenas.iter();
            let roots = self.roots.iter().map(|root| match root {
                Root::External(position) => external.get(*position),
                Root::Arena(_) => own.next(),
            });
            let roots = roots.map(Option::<&Arc<Block>>::cloned);
            let run = Arc::new(Run {
                replay: Arc::clone(self),
                roots: roots
                    .collect::<Option<_>>()
                    .ok_or(RunError::Unsupported("a root"))?,
                streams,
                watch,
            });
            run.execute(cancelled)
        });
        lock(&self.arenas).push(arenas);
        outcome
    }

    fn new_arenas(&self) -> Result<Vec<Arc<Block>>, RunError> {
        let sizes = self.roots.iter().filter_map(|root| match root {
            Root::Arena(size) => Some(*size),
            Root::External(_) => None,
        });
        let blocks = sizes.map(|size| new_block(size).ok_or(RunError::Unsupported("an arena")));
        blocks.collect()
    }
}

/// Returns the range of a buffer.
fn place(part: &SchedulePart, buffer: BufferId) -> Option<Place> {
    let (mut buffer, mut within, mut length) = (buffer, 0u64, None);
    loop {
        match *part.buffers.get(buffer.0 as usize)? {
            Buffer::Slice { root, offset, size } => {
                return Some(Place {
                    root: root.0 as usize,
                    start: offset.checked_add(within)?.try_into().ok()?,
                    length: length.unwrap_or(size).try_into().ok()?,
                });
            }
            Buffer::View { of, offset, size } if of < buffer => {
                within = within.checked_add(offset)?;
                length.get_or_insert(size);
                buffer = of;
            }
            _ => return None,
        }
    }
}

/// A run of a straight list.
struct Run {
    replay: Arc<Replay>,
    roots: Vec<Arc<Block>>,
    streams: Streams,
    watch: Watch,
}

impl Run {
    /// Executes all streams, the first one on this thread.
    fn execute(self: Arc<Self>, cancelled: Option<&AtomicBool>) -> Result<(), RunError> {
        let count = self.replay.streams.len();
        let start = |number: usize| {
            let run = Arc::clone(&self);
            workers::run(Box::new(move || run.stream(number, None)))
        };
        let failed = (1..count).find_map(|number| Some((number, start(number).err()?)));
        // This thread skips the commands of streams without a thread: they have failed already.
        let mut own: Vec<usize> = (0..count.min(1)).collect();
        if let Some((first, error)) = failed {
            self.streams.fail(RunError::Thread(error.to_string()));
            own.splice(0..0, first..count);
        }
        own.into_iter()
            .for_each(|number| self.stream(number, cancelled));
        for (stream, steps) in self.replay.streams.iter().enumerate() {
            let count = steps.len() as u64;
            self.streams.wait(Epoch { stream, count }, cancelled);
        }
        self.streams.failure().map_or(Ok(()), Err)
    }

    fn stream(&self, number: usize, cancelled: Option<&AtomicBool>) {
        for (count, step) in self.replay.streams[number].iter().enumerate() {
            let delay = pause(self.watch.delays, number, count as u64);
            if !delay.is_zero() {
                std::thread::sleep(delay);
            }
            if cancelled.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                self.streams.cancel();
            }
            let since = self.watch.observer.as_ref().map(|_| Instant::now());
            match step {
                // A stream that sees what another one skipped sees that it is to skip all, too.
                _ if self.streams.is_cancelled() => {}
                Step::Wait(epoch) => self.streams.wait(*epoch, cancelled),
                Step::Run {
                    name,
                    kernel,
                    operands,
                } => self.kernel(name, kernel, operands, cancelled),
            }
            if let (Some(observer), Some(since)) = (&self.watch.observer, since) {
                match step {
                    Step::Wait(epoch) => observer.wait(number, epoch.stream, epoch.count, since),
                    Step::Run { name, .. } => {
                        observer.command(number, count as u64 + 1, name, since);
                    }
                }
            }
            self.streams.advance(number);
        }
    }

    fn kernel(
        &self,
        name: &str,
        kernel: &Kernel,
        places: &[(Place, Use)],
        cancelled: Option<&AtomicBool>,
    ) {
        let part = |(place, use_of): &(Place, Use)| {
            let block = Arc::clone(&self.roots[place.root]);
            Some((Part::new(block, place.start, place.length)?, *use_of))
        };
        let Some(parts) = places.iter().map(part).collect::<Option<Vec<_>>>() else {
            return self
                .streams
                .fail(RunError::Unsupported("a buffer without bytes"));
        };
        let flag = cancelled.unwrap_or(self.streams.cancelled());
        let called = call(name, kernel, &parts, flag);
        called.unwrap_or_else(|error| self.streams.fail(error));
    }
}
