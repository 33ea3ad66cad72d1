//! The runtime's side of `tfx-tensorflow`: loading, sessions, and tensors of either side.
//!
//! ```text
//! load (once) ──► Graph (imported GraphDef) ──► Session ──► run, close: from any thread
//!                                                  ^
//!                        lend, receive: copy small tensors and strings, share others
//! ```
//!
//! Every call that can fail passes a point at which tests inject a failure. No `unsafe` code is
//! here; `tfx-tensorflow` has it.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicUsize, Ordering::Relaxed},
};

use prost::Message;
use tfx_graphdef::element;
use tfx_graphdef::proto::{ConfigProto, GraphOptions, RewriterConfig, rewriter_config::Toggle};
use tfx_interpreter::{DType, Elements, Tensor, is_shareable};
pub(crate) use tfx_tensorflow::{Code, Graph, Operation, Status};
use tfx_tensorflow::{Tensor as Value, TensorFlow};

use crate::{failure::Failure, injection, shutdown};

/// Loads TensorFlow at the first call.
pub(crate) fn load() -> Result<TensorFlow, Failure> {
    static LOADED: OnceLock<Result<TensorFlow, Failure>> = OnceLock::new();
    let load = || {
        let tensorflow = TensorFlow::load()
            .map_err(|error| Failure::new(format!("{error}, or choose --executor embedded")))?;
        // No graph may run when TensorFlow's own exit handlers run.
        shutdown::cancel_before_loaded_libraries()?;
        Ok(tensorflow)
    };
    LOADED.get_or_init(load).clone()
}

/// Loads TensorFlow, and returns the reason if it cannot be loaded.
pub fn available() -> Result<(), Failure> {
    load().map(|_| ())
}

pub(super) static CHANNELS: AtomicUsize = AtomicUsize::new(0);

/// The numbers of TensorFlow's graphs, sessions and tensors, of tensors that TensorFlow borrows,
/// and of channels, in which tests look for leaks.
pub fn alive() -> [usize; 5] {
    let [graphs, sessions, tensors, lent] = tfx_tensorflow::alive();
    [graphs, sessions, tensors, lent, CHANNELS.load(Relaxed)]
}

/// The time after which TensorFlow's optimizers leave a graph as it is; a negative one means no
/// limit. If they are stopped before the function of a program is inlined, TensorFlow optimizes it
/// when it runs, after its loops were lowered, and with all optimizers. There, the arithmetic
/// optimizer lets a sum of an iteration argument wait for the end of the loop, and the loop is lost
/// with its results and messages (random Python program 300096).
const OPTIMIZER_MILLISECONDS: i64 = -1;

/// The settings of a session.
fn settings(is_remote: bool) -> ConfigProto {
    // TensorFlow's dependency optimizer erases the nodes that separate a wait for an effect from
    // the results of the operation with the effect; its other optimizers then erase the wait.
    // Messages of a loop in a branch in a loop got lost (random program 216, which `make test`
    // runs). Its constant folding gives the graph of a program another value's type as the type of
    // its result, where loops in branches have constant conditions (random Python program 7131),
    // and does not terminate for some graphs (random program 1, which `make test-all` runs).
    let rewrite_options = RewriterConfig {
        dependency_optimization: Toggle::Off as i32,
        constant_folding: Toggle::Off as i32,
        meta_optimizer_timeout_ms: OPTIMIZER_MILLISECONDS,
        ..Default::default()
    };
    ConfigProto {
        // All sessions of a server share its resources; the resources of a program are its own.
        isolate_session_state: is_remote,
        graph_options: Some(GraphOptions {
            rewrite_options: Some(rewrite_options),
            ..Default::default()
        }),
        ..Default::default()
    }
}

/// A session on a graph. Several threads may run it at once, and another one may close it, which
/// cancels the runs.
pub(crate) struct Session(tfx_tensorflow::Session);

impl Session {
    /// Opens a session in this process, or on a server: `grpc://host:port`.
    pub(crate) fn new(graph: Graph, target: Option<&str>) -> Result<Self, Status> {
        injection::point("session").map_err(status)?;
        let config = settings(target.is_some()).encode_to_vec();
        tfx_tensorflow::Session::new(Arc::new(graph), target, &config).map(Session)
    }

    /// Feeds values, runs `targets`, and returns the first outputs of `fetches`. `point` names this
    /// run among the points of injected failures.
    pub(crate) fn run(
        &self,
        point: &'static str,
        feeds: &[(Operation, &Tensor)],
        fetches: &[Operation],
        targets: &[Operation],
    ) -> Result<Vec<Tensor>, Status> {
        injection::point(point).map_err(status)?;
        let values = feeds.iter().map(|(_, tensor)| lend(tensor));
        let values: Vec<_> = values.collect::<Result<_, _>>()?;
        let nodes = feeds.iter().map(|(operation, _)| *operation);
        let feeds: Vec<_> = nodes.zip(&values).collect();
        let results = self.0.run(&feeds, fetches, targets)?;
        results.into_iter().map(receive).collect()
    }

    /// Cancels all runs; later runs fail.
    pub(crate) fn close(&self) {
        self.0.close();
    }
}

/// Returns a failure as an error of TensorFlow.
pub(super) fn status(failure: Failure) -> Status {
    Status::internal(failure.message)
}

/// Elements that TensorFlow borrows.
struct Lent(Tensor);

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        self.0.bytes()
    }
}

/// Returns a tensor for TensorFlow, which borrows the elements; strings are copied.
pub(super) fn lend(tensor: &Tensor) -> Result<Value, Status> {
    injection::point("tensor").map_err(status)?;
    let tensorflow = load().map_err(status)?;
    let sizes: Vec<i64> = tensor.shape().iter().map(|&size| size as i64).collect();
    match tensor.strings() {
        Ok(strings) => Value::from_strings(tensorflow, &sizes, strings),
        Err(_) => {
            let lent = Lent(tensor.clone().aligned());
            Value::lend(tensorflow, tensor.dtype().tensorflow(), &sizes, lent)
        }
    }
}

/// Elements that TensorFlow owns.
struct Received(Value);

impl Elements for Received {
    fn bytes(&self) -> &[u8] {
        self.0.bytes()
    }
}

/// Returns a tensor of TensorFlow for the host. It shares the elements if they are many; else they
/// are copied.
pub(super) fn receive(value: Value) -> Result<Tensor, Status> {
    injection::point("value").map_err(status)?;
    let dtype = DType::from_tensorflow(value.data_type());
    let Some(dtype) = dtype.filter(|dtype| dtype.crosses()) else {
        let name = element::display_name(element::from_number(value.data_type()));
        return Err(Status::internal(format!(
            "values of type {name} cannot cross to the host"
        )));
    };
    let shape = value.sizes();
    let tensor = if dtype == DType::String {
        Tensor::from_strings(&shape, value.strings())
    } else if is_shareable(value.bytes()) {
        Tensor::from_elements(dtype, &shape, Arc::new(Received(value)))
    } else {
        Tensor::from_bytes(dtype, &shape, value.bytes())
    };
    tensor.map_err(|error| Status::internal(error.to_string()))
}
