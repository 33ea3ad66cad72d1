//! The executors, which run graphs concurrently with their hosts.
//!
//! ```text
//! Executor::load ──► Loaded: run, any number of times, on the thread of the host
//! Executor::start ──► Run: receive and send per channel, finish, cancel
//!                      │
//!                      └─ the graph's thread, or the thread that finishes a deferred program; in
//!                         the end, also after a failure or a panic, it records the outcome, then
//!                         closes every channel
//! ```
//!
//! The order matters: a host thread that a closed channel wakes reads the outcome for the reason.

mod completion;
pub mod embedded;
pub mod tensorflow;

use std::{fmt, str::FromStr, sync::Arc};

use tfx_interpreter::Tensor;

use crate::{failure::Failure, image::Image, stats::Meters};

/// The failure of a send or receive against the direction of a channel.
fn wrong_direction(channel: usize) -> Failure {
    Failure::new(format!("channel {channel} has the opposite direction"))
}

/// The note at each call of the graph function in which a node failed.
const CALLED_HERE: &str = "called here";

/// The time and the thread of the run of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launch {
    /// Now, on a thread of its own.
    Concurrent,
    /// Later, by the thread that waits for its end: no thread is created. An executor may run it
    /// concurrently instead, and must do so if the graph has channels.
    Deferred,
}

/// A component that runs graphs.
pub trait Executor: Send + Sync {
    /// Starts a program with its inputs. No state of an earlier start is visible.
    fn start(
        &self,
        image: &Arc<Image>,
        arguments: Vec<Tensor>,
        meters: &Arc<Meters>,
        launch: Launch,
    ) -> Result<Box<dyn Run>, Failure>;
    /// Checks that this executor can run a program, before host code runs. An executor may detect
    /// some errors only when the program starts.
    fn check(&self, image: &Arc<Image>) -> Result<(), Failure> {
        let _ = image;
        Ok(())
    }
    /// Prepares a program without channels for any number of runs.
    fn load(&self, image: &Arc<Image>) -> Result<Box<dyn Loaded>, Failure>;
}

/// A prepared program without channels. Several threads may run it concurrently.
pub trait Loaded: Send + Sync {
    /// Runs the program on this thread to its end. Nodes keep their state for the next run.
    fn run(&self, arguments: &[Tensor]) -> Result<Vec<Tensor>, Failure>;
}

/// A running program. All methods may be called from any thread. Dropping it cancels the program
/// and waits for its thread.
pub trait Run: Send + Sync {
    /// Returns the name of the executor in the table of `--stats`.
    fn executor(&self) -> &'static str;
    /// Waits for the next value of the channel at this position of the declaration.
    fn receive(&self, channel: usize) -> Result<Tensor, Failure>;
    /// Sends a value; waits while the channel is full.
    fn send(&self, channel: usize, value: Tensor) -> Result<(), Failure>;
    /// Waits for the end of the program and of its thread. Only the first call returns the results.
    fn finish(&self) -> Result<Vec<Tensor>, Failure>;
    /// Returns whether the graph has ended with an error.
    fn has_failed(&self) -> bool;
    /// Requests the end of the program and wakes all threads that wait for it. Does not wait.
    fn cancel(&self);
}

/// The choice of an executor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExecutorKind {
    /// The interpreter in this process, without dependencies.
    Embedded,
    /// The native code of the program, and the interpreter for the rest.
    #[default]
    Native,
    /// TensorFlow's C library, loaded by the first start, with the channels of the shim if the shim
    /// is next to the library.
    TensorFlow,
    /// TensorFlow's C library with its own queues as channels, which need no shim.
    TensorFlowQueues,
}

/// The environment variable that selects the executor if the command line does not.
pub const EXECUTOR_VARIABLE: &str = "TFX_EXECUTOR";

impl ExecutorKind {
    /// The names that users write.
    pub const NAMES: [&'static str; 4] = ["embedded", "native", "tensorflow", "tensorflow-queues"];

    /// Returns the requested executor, or else that of the environment, or else native code.
    pub fn choose(requested: Option<ExecutorKind>) -> Result<ExecutorKind, Failure> {
        if let Some(kind) = requested {
            return Ok(kind);
        }
        match std::env::var(EXECUTOR_VARIABLE) {
            Ok(name) if !name.is_empty() => name
                .parse()
                .map_err(|error| Failure::new(format!("{EXECUTOR_VARIABLE}: {error}"))),
            _ => Ok(ExecutorKind::default()),
        }
    }

    /// Returns the name that users write.
    pub fn name(self) -> &'static str {
        match self {
            ExecutorKind::Embedded => "embedded",
            ExecutorKind::Native => "native",
            ExecutorKind::TensorFlow => "tensorflow",
            ExecutorKind::TensorFlowQueues => "tensorflow-queues",
        }
    }

    /// Returns the executor.
    pub fn executor(self) -> &'static dyn Executor {
        match self {
            ExecutorKind::Embedded => &embedded::Embedded { native: false },
            ExecutorKind::Native => &embedded::Embedded { native: true },
            ExecutorKind::TensorFlow => &tensorflow::TensorFlow { queues: false },
            ExecutorKind::TensorFlowQueues => &tensorflow::TensorFlow { queues: true },
        }
    }
}

impl fmt::Display for ExecutorKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A name that is not the name of an executor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no executor '{0}'; there are 'embedded', 'native', 'tensorflow' and 'tensorflow-queues'"
)]
pub struct UnknownExecutor(String);

impl FromStr for ExecutorKind {
    type Err = UnknownExecutor;

    fn from_str(name: &str) -> Result<Self, UnknownExecutor> {
        match name {
            "embedded" => Ok(ExecutorKind::Embedded),
            "native" => Ok(ExecutorKind::Native),
            "tensorflow" => Ok(ExecutorKind::TensorFlow),
            "tensorflow-queues" => Ok(ExecutorKind::TensorFlowQueues),
            _ => Err(UnknownExecutor(name.to_owned())),
        }
    }
}
