//! The executor that needs nothing: a thread with the interpreter, and queues in this process.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use tfx_interpreter::{Channels, Closed, PrepareError, Program, RunError, Tensor};

use super::{
    CALLED_HERE, Executor, Loaded, Run,
    channel::Channel,
    completion::{Completion, Joined, Outcome, cancelled},
};
use crate::{
    failure::Failure,
    image::{Direction, Image},
    trace,
};

/// The embedded executor.
#[derive(Debug)]
pub struct Embedded;

impl Executor for Embedded {
    fn start(&self, image: &Arc<Image>, arguments: Vec<Tensor>) -> Result<Box<dyn Run>, Failure> {
        let program = prepare(image)?;
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
            },
            cancelled: AtomicBool::new(false),
            completion: Completion::default(),
        });
        let theirs = Arc::clone(&shared);
        let thread = Joined::spawn(&image.name, move || {
            theirs
                .completion
                .complete_with(&theirs.queues.image, || theirs.run(&program, arguments));
            theirs.queues.close(false);
        })?;
        let directions = image
            .channels
            .iter()
            .map(|channel| channel.direction)
            .collect();
        Ok(Box::new(EmbeddedRun {
            shared,
            thread,
            directions,
        }))
    }

    fn load(&self, image: &Arc<Image>) -> Result<Box<dyn Loaded>, Failure> {
        Ok(Box::new(EmbeddedProgram(prepare(image)?)))
    }
}

struct EmbeddedProgram(Program);

impl Loaded for EmbeddedProgram {
    fn run(&self, arguments: &[Tensor]) -> Result<Vec<Tensor>, Failure> {
        let never = AtomicBool::new(false);
        let run = self.0.run(arguments.to_vec(), &NoChannels, &never);
        run.map_err(|error| failure(error).unwrap_or_else(cancelled))
    }
}

/// What a program has that declares none.
struct NoChannels;

impl Channels for NoChannels {
    fn send(&self, _: usize, _: Tensor) -> Result<(), Closed> {
        Err(Closed)
    }

    fn receive(&self, _: usize) -> Result<Tensor, Closed> {
        Err(Closed)
    }
}

/// What the host is told of a run that failed; `None` if it was cancelled.
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

/// Prepares the program of an image for the interpreter, which finds operations without a kernel.
pub fn prepare(image: &Image) -> Result<Program, Failure> {
    let program = Program::prepare(image.graph()?, &image.name).map_err(
        |PrepareError { location, message }| Failure::new(message).at(location.as_deref()),
    )?;
    if program.arguments() != image.arguments || program.results() != image.results {
        return Err(Failure::new(format!(
            "the image of program '{}' promises {} inputs and {} results, but its graph has {} and {}",
            image.name,
            image.arguments,
            image.results,
            program.arguments(),
            program.results()
        )));
    }
    Ok(program)
}

/// For each channel of the graph, its position in the image.
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

/// The graph's ends of the channels.
struct Queues {
    channels: Vec<Channel>,
    positions: Vec<usize>,
    image: Arc<Image>,
}

impl Queues {
    fn close(&self, drain: bool) {
        for channel in &self.channels {
            channel.close(drain);
        }
    }

    fn at(&self, channel: usize) -> Result<(usize, &Channel), Closed> {
        let position = *self.positions.get(channel).ok_or(Closed)?;
        Ok((position, self.channels.get(position).ok_or(Closed)?))
    }
}

impl Channels for Queues {
    fn send(&self, channel: usize, value: Tensor) -> Result<(), Closed> {
        let (position, channel) = self.at(channel)?;
        let (bytes, since) = (value.byte_size(), trace::now());
        channel.send(value)?;
        trace::message(&self.image, position, bytes, since, false);
        Ok(())
    }

    fn receive(&self, channel: usize) -> Result<Tensor, Closed> {
        let (position, channel) = self.at(channel)?;
        let since = trace::now();
        let value = channel.receive()?;
        trace::message(&self.image, position, value.byte_size(), since, false);
        Ok(value)
    }
}

/// What the host and the thread of the graph have in common.
struct Shared {
    queues: Queues,
    cancelled: AtomicBool,
    completion: Completion,
}

impl Shared {
    fn run(&self, program: &Program, arguments: Vec<Tensor>) -> Outcome {
        match program.run(arguments, &self.queues, &self.cancelled) {
            Ok(results) => Outcome::Finished(results),
            Err(error) => failure(error).map_or(Outcome::Cancelled, Outcome::Failed),
        }
    }
}

struct EmbeddedRun {
    shared: Arc<Shared>,
    thread: Joined,
    directions: Vec<Direction>,
}

impl EmbeddedRun {
    fn channel(&self, position: usize, direction: Direction) -> Result<&Channel, Failure> {
        match self.directions.get(position) {
            Some(&found) if found == direction => Ok(&self.shared.queues.channels[position]),
            _ => Err(Failure::new(format!(
                "channel {position} does not go that way"
            ))),
        }
    }
}

impl Run for EmbeddedRun {
    fn receive(&self, channel: usize) -> Result<Tensor, Failure> {
        let received = self.channel(channel, Direction::ToHost)?.receive();
        received.map_err(|Closed| self.shared.completion.reason("without sending this value"))
    }

    fn send(&self, channel: usize, value: Tensor) -> Result<(), Failure> {
        let sent = self.channel(channel, Direction::ToGraph)?.send(value);
        sent.map_err(|Closed| self.shared.completion.reason("without taking this value"))
    }

    fn finish(&self) -> Result<Vec<Tensor>, Failure> {
        let results = self.shared.completion.wait();
        self.thread.join();
        results
    }

    fn cancel(&self) {
        self.shared.cancelled.store(true, Ordering::Relaxed);
        self.shared.queues.close(true);
    }
}

impl Drop for EmbeddedRun {
    fn drop(&mut self) {
        self.cancel();
        self.thread.join();
    }
}
