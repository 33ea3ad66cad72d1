//! What runs a graph beside its host.
//!
//! ```text
//! Executor::load --> Loaded: run, on the thread of the host, as often as wanted
//! Executor::start --> Run: receive / send per channel, finish, cancel
//!                      |
//!                      +-- a thread that runs the graph; when it returns, however it does, it leaves its outcome and
//!                          closes every channel, so that nobody waits for a graph that is gone
//! ```
//!
//! Both executors leave the outcome *before* they close: a host thread that a closed channel wakes finds the reason.

mod completion;
pub mod embedded;
pub mod tensorflow;

use std::{fmt, str::FromStr, sync::Arc};

use tfx_interpreter::Tensor;

use crate::{failure::Failure, image::Image, stats::Meters};

/// Of a channel that is asked for what goes the other way.
fn wrong_way(channel: usize) -> Failure {
    Failure::new(format!("channel {channel} does not go that way"))
}

/// Of the call of a graph function in which a node failed.
const CALLED_HERE: &str = "called here";

/// Runs graphs.
pub trait Executor: Send + Sync {
    /// Starts a program with its inputs. What it did in an earlier start is gone.
    fn start(
        &self,
        image: &Arc<Image>,
        arguments: Vec<Tensor>,
        meters: &Arc<Meters>,
    ) -> Result<Box<dyn Run>, Failure>;
    /// Makes a program without channels ready to be run many times.
    fn load(&self, image: &Arc<Image>) -> Result<Box<dyn Loaded>, Failure>;
}

/// A program without channels that is ready. Any thread may run it, several at once.
pub trait Loaded: Send + Sync {
    /// Runs it on this thread, to its end. State that its nodes hold stays for the next run.
    fn run(&self, arguments: &[Tensor]) -> Result<Vec<Tensor>, Failure>;
}

/// A program that runs. All methods may be called from any thread; dropping it cancels the program and waits for its thread.
pub trait Run: Send + Sync {
    /// What it runs on, as `--stats` says it.
    fn place(&self) -> &'static str;
    /// The next value of the channel at this position of the declaration; waits for it.
    fn receive(&self, channel: usize) -> Result<Tensor, Failure>;
    /// Sends a value; waits while the channel is full.
    fn send(&self, channel: usize, value: Tensor) -> Result<(), Failure>;
    /// Waits for the end of the program and of its thread. The results can be had once.
    fn finish(&self) -> Result<Vec<Tensor>, Failure>;
    /// Makes the program end soon, and wakes everyone who waits for it. Returns at once.
    fn cancel(&self);
}

/// Which executor runs graphs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExecutorKind {
    /// The interpreter in this process; needs nothing else.
    #[default]
    Embedded,
    /// TensorFlow's C library, which is looked for when a program starts; with our channels, where the shim for them lies beside it.
    TensorFlow,
    /// The same with TensorFlow's own queues for channels, which need nothing but the library.
    TensorFlowQueues,
}

/// The environment variable that chooses the executor where the command line does not.
pub const EXECUTOR_VARIABLE: &str = "TFX_EXECUTOR";

impl ExecutorKind {
    /// The names that users write.
    pub const NAMES: [&'static str; 3] = ["embedded", "tensorflow", "tensorflow-queues"];

    /// The choice: as asked, or by the environment, or embedded.
    pub fn choose(asked: Option<ExecutorKind>) -> Result<ExecutorKind, Failure> {
        if let Some(kind) = asked {
            return Ok(kind);
        }
        match std::env::var(EXECUTOR_VARIABLE) {
            Ok(name) if !name.is_empty() => name
                .parse()
                .map_err(|problem| Failure::new(format!("{EXECUTOR_VARIABLE}: {problem}"))),
            _ => Ok(ExecutorKind::default()),
        }
    }

    /// The name that users write.
    pub fn name(self) -> &'static str {
        match self {
            ExecutorKind::Embedded => "embedded",
            ExecutorKind::TensorFlow => "tensorflow",
            ExecutorKind::TensorFlowQueues => "tensorflow-queues",
        }
    }

    /// The executor.
    pub fn executor(self) -> &'static dyn Executor {
        match self {
            ExecutorKind::Embedded => &embedded::Embedded,
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

impl FromStr for ExecutorKind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "embedded" => Ok(ExecutorKind::Embedded),
            "tensorflow" => Ok(ExecutorKind::TensorFlow),
            "tensorflow-queues" => Ok(ExecutorKind::TensorFlowQueues),
            _ => Err(format!(
                "there is no executor '{name}'; there are 'embedded', 'tensorflow' and 'tensorflow-queues'"
            )),
        }
    }
}
