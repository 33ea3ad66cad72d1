//! The embedded executor: a thread with the interpreter, and the channels of `tfx_channel`.
//!
//! The native executor is the same with the native code of the image: the interpreter calls it
//! where it would call a function that has code.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicBool, Ordering},
};

use tfx_channel::{Channel, Tried};
use tfx_interpreter::{
    Channels, Closed, PrepareError, Program, RunError, Tensor,
    program::{Natives, NoNatives},
};

use super::{
    CALLED_HERE, Executor, ExecutorKind, Launch, Loaded, Run,
    completion::{Completion, GraphThread, Outcome, cancelled},
    wrong_direction,
};
use crate::{
    failure::Failure,
    image::{Direction, Image},
    injection,
    schedule::Prepared,
    stats::{Meters, Waits},
    trace,
};

/// The embedded executor.
#[derive(Debug)]
pub struct Embedded {
    /// Run the native code of the image.
    pub native: bool,
}

impl Executor for Embedded {
    fn start(
        &self,
        image: &Arc<Image>,
        arguments: Vec<Tensor>,
        meters: &Arc<Meters>,
        launch: Launch,
    ) -> Result<Box<dyn Run>, Failure> {
        injection::point("prepare")?;
        let program = self.prepare(image)?;
        let channels = image
            .channels
            .iter()
            .map(|channel| Channel::new(channel.capacity))
            .collect();
        let shared = Arc::new(Shared {
            queues: Queues {
                channels,
                positions: positions(image, &program)?,
                image: Arc::clone(image),
                meters: Arc::clone(meters),
            },
            cancelled: AtomicBool::new(false),
            completion: Completion::default(),
        });
        let graph = Arc::clone(&shared);
        let run = move || {
            let queues = &graph.queues;
            let run = || graph.run(&program, arguments);
            graph
                .completion
                .complete_with(&queues.image, &queues.meters, run);
            queues.channels.iter().for_each(Channel::close);
        };
        let thread = match launch {
            Launch::Deferred if image.channels.is_empty() => GraphThread::defer(run),
            _ => GraphThread::spawn(&image.name, run)?,
        };
        let kind = match self.native {
            true => ExecutorKind::Native,
            false => ExecutorKind::Embedded,
        };
        Ok(Box::new(EmbeddedRun {
            kind,
            shared,
            thread,
        }))
    }

    fn check(&self, image: &Arc<Image>) -> Result<(), Failure> {
        self.prepare(image).map(drop)
    }

    fn load(&self, image: &Arc<Image>) -> Result<Box<dyn Loaded>, Failure> {
        Ok(Box::new(EmbeddedProgram(self.prepare(image)?)))
    }
}

struct EmbeddedProgram(Arc<Program>);

impl Loaded for EmbeddedProgram {
    fn run(&self, arguments: &[Tensor]) -> Result<Vec<Tensor>, Failure> {
        let is_cancelled = AtomicBool::new(false);
        let results = self.0.run(arguments.to_vec(), &NoChannels, &is_cancelled);
        results.map_err(|error| failure(error).unwrap_or_else(cancelled))
    }
}

/// The channels of a program that declares none.
pub(crate) struct NoChannels;

impl Channels for NoChannels {
    fn send(&self, _: usize, _: Tensor) -> Result<(), Closed> {
        Err(Closed)
    }

    fn receive(&self, _: usize) -> Result<Tensor, Closed> {
        Err(Closed)
    }
}

/// Returns the failure of a run; `None` if it was cancelled.
fn failure(error: RunError) -> Option<Failure> {
    let RunError::Failed {
        operation,
        location,
        message,
        calls,
        ..
    } = error
    else {
        return None;
    };
    let failure = Failure::new(format!("{message} (operation {operation})"));
    Some(
        calls
            .iter()
            .fold(failure.at(location.as_deref()), |failure, call| {
                failure.note(Some(call), CALLED_HERE)
            }),
    )
}

/// The programs that starts of an image share: without native code, and with it.
#[derive(Default)]
struct Programs([OnceLock<Arc<Program>>; 2]);

impl Embedded {
    /// Prepares the program of an image for the interpreter at the first call. Reports operations
    /// without a kernel.
    pub fn prepare(&self, image: &Image) -> Result<Arc<Program>, Failure> {
        let prepared = image.cache::<Programs>();
        let prepared = &prepared.0[usize::from(self.native)];
        if let Some(program) = prepared.get() {
            return Ok(Arc::clone(program));
        }
        let program = Arc::new(self.prepare_uncached(image)?);
        Ok(Arc::clone(prepared.get_or_init(|| program)))
    }

    fn prepare_uncached(&self, image: &Image) -> Result<Program, Failure> {
        let failed =
            |PrepareError { location, message }| Failure::new(message).at(location.as_deref());
        let prepare = |natives: &dyn Natives| {
            Program::prepare(image.graph()?, &image.name, natives).map_err(failed)
        };
        let program = match self.native {
            true => {
                image.check_natives()?;
                prepare(&Prepared::new(image)?)?
            }
            false => prepare(&NoNatives)?,
        };
        if program.arguments() != image.arguments || program.results() != image.results {
            return Err(Failure::new(format!(
                "the image of program '{}' declares {} inputs and {} results, but its graph has {} and {}",
                image.name,
                image.arguments,
                image.results,
                program.arguments(),
                program.results()
            )));
        }
        Ok(program)
    }
}

/// Returns the position in the image of each channel of the graph.
fn positions(image: &Image, program: &Program) -> Result<Vec<usize>, Failure> {
    let position = |id: &i32| {
        image.channel_position(*id).ok_or_else(|| {
            Failure::new(format!(
                "the image of program '{}' does not declare channel {id}",
                image.name
            ))
        })
    };
    program.channels().iter().map(position).collect()
}

/// Sends a value, and measures the wait if there is one.
fn send(channel: &Channel<Tensor>, value: Tensor, waits: &Waits) -> Result<(), Closed> {
    match channel.try_send(value) {
        Tried::Done(()) => Ok(()),
        Tried::MustWait(value) => waits.during(|| channel.send(value)).map_err(|_| Closed),
        Tried::Closed => Err(Closed),
    }
}

/// Receives a value, and measures the wait if there is one.
fn receive(channel: &Channel<Tensor>, waits: &Waits) -> Result<Tensor, Closed> {
    match channel.try_receive() {
        Tried::Done(value) => Ok(value),
        Tried::MustWait(()) => waits.during(|| channel.receive()).map_err(|_| Closed),
        Tried::Closed => Err(Closed),
    }
}

/// The graph's ends of the channels.
struct Queues {
    channels: Vec<Channel<Tensor>>,
    positions: Vec<usize>,
    image: Arc<Image>,
    meters: Arc<Meters>,
}

impl Queues {
    /// Returns the position of a channel of the graph in the declaration, and its queue.
    fn at(&self, channel: usize) -> Result<(usize, &Channel<Tensor>), Closed> {
        let position = *self.positions.get(channel).ok_or(Closed)?;
        Ok((position, self.channels.get(position).ok_or(Closed)?))
    }
}

impl Channels for Queues {
    fn send(&self, channel: usize, value: Tensor) -> Result<(), Closed> {
        let (position, channel) = self.at(channel)?;
        // An injected failure acts as a cancellation.
        injection::point("send in the graph").map_err(|_| Closed)?;
        let (bytes, since) = (value.byte_size(), trace::now());
        send(channel, value, &self.meters.channels[position].graph)?;
        trace::message(&self.image, position, bytes, since, false);
        Ok(())
    }

    fn receive(&self, channel: usize) -> Result<Tensor, Closed> {
        let (position, channel) = self.at(channel)?;
        injection::point("receive in the graph").map_err(|_| Closed)?;
        let since = trace::now();
        let value = receive(channel, &self.meters.channels[position].graph)?;
        trace::message(&self.image, position, value.byte_size(), since, false);
        Ok(value)
    }
}

/// The state that the host shares with the thread of the graph.
struct Shared {
    queues: Queues,
    cancelled: AtomicBool,
    completion: Completion,
}

impl Shared {
    fn run(&self, program: &Program, arguments: Vec<Tensor>) -> Outcome {
        // A deferred run may begin after its cancellation.
        if self.cancelled.load(Ordering::Relaxed) {
            return Outcome::Cancelled;
        }
        match program.run(arguments, &self.queues, &self.cancelled) {
            Ok(results) => Outcome::Finished(results),
            Err(error) => failure(error).map_or(Outcome::Cancelled, Outcome::Failed),
        }
    }
}

struct EmbeddedRun {
    kind: ExecutorKind,
    shared: Arc<Shared>,
    thread: GraphThread,
}

impl EmbeddedRun {
    /// Returns a channel of the given direction, and the meter of the host's waits.
    fn channel(
        &self,
        position: usize,
        direction: Direction,
    ) -> Result<(&Channel<Tensor>, &Waits), Failure> {
        let queues = &self.shared.queues;
        match queues.image.channels.get(position) {
            Some(found) if found.direction == direction => Ok((
                &queues.channels[position],
                &queues.meters.channels[position].host,
            )),
            _ => Err(wrong_direction(position)),
        }
    }
}

impl Run for EmbeddedRun {
    fn executor(&self) -> &'static str {
        self.kind.name()
    }

    fn receive(&self, channel: usize) -> Result<Tensor, Failure> {
        let (channel, waits) = self.channel(channel, Direction::ToHost)?;
        receive(channel, waits)
            .map_err(|Closed| self.shared.completion.reason("without sending this value"))
    }

    fn send(&self, channel: usize, value: Tensor) -> Result<(), Failure> {
        let (channel, waits) = self.channel(channel, Direction::ToGraph)?;
        send(channel, value, waits).map_err(|Closed| {
            self.shared
                .completion
                .reason("without receiving this value")
        })
    }

    fn finish(&self) -> Result<Vec<Tensor>, Failure> {
        self.thread.join();
        self.shared.completion.wait()
    }

    fn has_failed(&self) -> bool {
        self.shared.completion.failed()
    }

    fn cancel(&self) {
        self.shared.cancelled.store(true, Ordering::Relaxed);
        let channels = &self.shared.queues.channels;
        channels.iter().for_each(Channel::discard);
    }
}

impl Drop for EmbeddedRun {
    fn drop(&mut self) {
        self.cancel();
        self.thread.join();
    }
}
