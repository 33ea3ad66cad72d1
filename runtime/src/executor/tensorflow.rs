//! The TensorFlow executor.
//!
//! ```text
//! thread of the graph   run(feeds P/arg_i, fetch P/result_i), then close the channels   program.rs
//! threads of the host   receive, send: a call, or a run of the session                  links.rs
//! cancel                close the session: every run ends
//! ```
//!
//! `rewrite.rs` rewrites the GraphDef before TensorFlow imports it; `explain.rs` maps TensorFlow's
//! errors to source locations.

mod explain;
mod links;
mod program;
mod rewrite;

use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use tfx_interpreter::Tensor;

pub use program::idle_sessions;

use super::{
    Executor, ExecutorKind, Launch, Loaded, Run,
    completion::{Completion, GraphThread, Outcome, cancelled, lock},
    wrong_direction,
};
use crate::{
    failure::Failure,
    ffi::{channels, tensorflow::Code},
    image::Image,
    stats::{Meters, Waits},
};
use explain::explain;
use links::{Link, Problem};
use program::{Place, Program};

/// The server on which sessions are opened; `None` is this process.
static TARGET: RwLock<Option<String>> = RwLock::new(None);

/// Selects where later starts run: on the server at `grpc://host:port`, and on the devices of its
/// cluster that operations name; or in this process.
pub fn set_target(target: Option<String>) {
    *TARGET.write().unwrap_or_else(PoisonError::into_inner) = target;
}

fn target() -> Option<String> {
    TARGET
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .clone()
}

/// The TensorFlow executor.
#[derive(Debug)]
pub struct TensorFlow {
    /// Channels are TensorFlow's own queues even if the shim is available.
    pub queues: bool,
}

impl TensorFlow {
    /// Returns the place of a session and the kind of its channels.
    fn place(&self) -> Place {
        match target() {
            Some(target) => Place::Server(target),
            None if self.queues || channels::available().is_err() => Place::Queues,
            None => Place::Direct,
        }
    }
}

impl Executor for TensorFlow {
    fn start(
        &self,
        image: &Arc<Image>,
        arguments: Vec<Tensor>,
        meters: &Arc<Meters>,
        _: Launch,
    ) -> Result<Box<dyn Run>, Failure> {
        let program = Program::obtain(image, &self.place())?;
        let links = image.channels.iter().zip(program.links());
        let links = links.map(|(channel, &nodes)| Link::new(channel, nodes));
        let shared = Arc::new(Shared {
            links: links.collect::<Result<_, _>>()?,
            image: Arc::clone(image),
            program,
            meters: Arc::clone(meters),
            completion: Completion::default(),
            stage: Mutex::new(Stage::Running),
            unclosed: OnceLock::new(),
        });
        let graph = Arc::clone(&shared);
        let thread = GraphThread::spawn(&image.name, move || graph.run(&arguments))?;
        Ok(Box::new(TensorFlowRun { shared, thread }))
    }

    fn load(&self, image: &Arc<Image>) -> Result<Box<dyn Loaded>, Failure> {
        Ok(Box::new(LoadedProgram {
            program: Program::load(image, &self.place())?,
            image: Arc::clone(image),
        }))
    }
}

struct LoadedProgram {
    image: Arc<Image>,
    program: Program,
}

impl Loaded for LoadedProgram {
    fn run(&self, arguments: &[Tensor]) -> Result<Vec<Tensor>, Failure> {
        match self.program.run(&self.image, arguments, &[]) {
            Outcome::Finished(results) => Ok(results),
            Outcome::Failed(failure) => Err(failure),
            Outcome::Cancelled => Err(cancelled()),
        }
    }
}

/// The owner of the session.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The run; closing the session cancels it.
    Running,
    /// The next start.
    GivenBack,
    /// None.
    Ended,
}

/// The state that the host shares with the thread of the graph.
struct Shared {
    image: Arc<Image>,
    links: Vec<Link>,
    program: Arc<Program>,
    meters: Arc<Meters>,
    completion: Completion,
    stage: Mutex<Stage>,
    /// The reason why the channels could not be closed.
    unclosed: OnceLock<Failure>,
}

impl Shared {
    /// The thread of the graph.
    fn run(&self, arguments: &[Tensor]) {
        let addresses: Vec<_> = self.links.iter().filter_map(Link::address).collect();
        let mut is_well = false;
        self.completion
            .complete_with(&self.image, &self.meters, || {
                let outcome = self.program.run(&self.image, arguments, &addresses);
                is_well = matches!(outcome, Outcome::Finished(_));
                outcome
            });
        self.close_channels();
        for (link, meter) in self.links.iter().zip(&self.meters.channels) {
            link.count_waits(meter);
        }
        let mut stage = lock(&self.stage);
        if *stage == Stage::Running && is_well && self.program.give_back(&self.image) {
            *stage = Stage::GivenBack;
        }
    }

    /// Wakes host threads that wait for a graph that has ended. If a channel cannot be closed,
    /// closes the session: no thread may wait indefinitely, even if the last values are lost.
    fn close_channels(&self) {
        for link in &self.links {
            if let Err(status) = link.close(&self.program.session) {
                if status.code != Code::TF_CANCELLED {
                    let _ = self.unclosed.set(explain(&self.image, &status));
                }
                self.cancel();
                return;
            }
        }
    }

    fn cancel(&self) {
        let mut stage = lock(&self.stage);
        if *stage != Stage::GivenBack {
            *stage = Stage::Ended;
            self.program.session.close();
        }
        drop(stage);
        self.links.iter().for_each(Link::discard);
    }

    /// Returns the failure of the host's end of a channel; `missing` completes "the graph ended
    /// ...".
    fn channel_failure(&self, problem: Problem, channel: usize, missing: &str) -> Failure {
        match problem {
            Problem::WrongDirection => wrong_direction(channel),
            _ if self.unclosed.get().is_some() => {
                self.unclosed.get().cloned().unwrap_or_else(cancelled)
            }
            Problem::Failed(status) if !self.completion.failed() => explain(&self.image, &status),
            Problem::Failed(_) | Problem::Closed => self.completion.reason(missing),
        }
    }

    /// Returns a channel and the meter of the host's waits.
    fn link(&self, channel: usize) -> Result<(&Link, &Waits), Failure> {
        match (self.links.get(channel), self.meters.channels.get(channel)) {
            (Some(link), Some(meter)) => Ok((link, &meter.host)),
            _ => Err(wrong_direction(channel)),
        }
    }
}

struct TensorFlowRun {
    shared: Arc<Shared>,
    thread: GraphThread,
}

impl Run for TensorFlowRun {
    fn executor(&self) -> &'static str {
        match self.shared.links.first() {
            Some(Link::Queue { .. }) => ExecutorKind::TensorFlowQueues.name(),
            _ => ExecutorKind::TensorFlow.name(),
        }
    }

    fn receive(&self, channel: usize) -> Result<Tensor, Failure> {
        let (link, waits) = self.shared.link(channel)?;
        link.receive(&self.shared.program.session, waits)
            .map_err(|problem| {
                self.shared
                    .channel_failure(problem, channel, "without sending this value")
            })
    }

    fn send(&self, channel: usize, tensor: Tensor) -> Result<(), Failure> {
        let (link, waits) = self.shared.link(channel)?;
        link.send(&tensor, &self.shared.program.session, waits)
            .map_err(|problem| {
                self.shared
                    .channel_failure(problem, channel, "without receiving this value")
            })
    }

    fn finish(&self) -> Result<Vec<Tensor>, Failure> {
        let results = self.shared.completion.wait();
        self.thread.join();
        results
    }

    fn has_failed(&self) -> bool {
        self.shared.completion.failed()
    }

    fn cancel(&self) {
        self.shared.cancel();
    }
}

impl Drop for TensorFlowRun {
    fn drop(&mut self) {
        self.cancel();
        self.thread.join();
    }
}
