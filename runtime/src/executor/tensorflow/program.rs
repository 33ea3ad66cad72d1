//! Sessions with the graph of one program, and the idle sessions that later starts reuse.
//!
//! ```text
//! start ──► idle? ──no──► import the GraphDef, open a session ──► run ──► success, stateless: idle
//!             └──yes────────────────────────────────────────────┘  └──► else: deleted
//! ```
//!
//! TensorFlow optimizes the graph in the first run of a session, which takes longer than most
//! programs run; later runs reuse the result. One program uses a session at a time, because
//! cancelling closes the session. A session is reused only if its channels are the host's own,
//! created for each start, and no node keeps state between runs: no start ever sees data of an
//! earlier one.

use std::sync::{Arc, Mutex, OnceLock};

use tfx_graphdef::naming;
use tfx_interpreter::Tensor;

use super::{explain::explain, links::LinkNodes, rewrite};
use crate::{
    executor::completion::{Outcome, lock},
    failure::Failure,
    ffi::tensorflow::{self, Code, Graph, Operation, Session, Status},
    image::Image,
    injection,
};

/// The largest number of idle sessions of an image: so many simultaneous starts reuse one. Each has
/// a copy of the graph; TensorFlow's threads are shared.
const MOST_IDLE: usize = 4;

/// The place of a session and the kind of its channels.
pub(super) enum Place {
    /// In this process, with channels of the shim.
    Direct,
    /// In this process, with queues.
    Queues,
    /// On a server, with queues.
    Server(String),
}

/// The state that an image keeps for later starts on TensorFlow.
#[derive(Default)]
struct Reuse {
    idle: Mutex<Vec<Arc<Program>>>,
    is_stateless: OnceLock<bool>,
}

/// Returns the number of idle sessions of an image.
pub fn idle_sessions(image: &Image) -> usize {
    lock(&image.cache::<Reuse>().idle).len()
}

/// A session with one program.
pub(crate) struct Program {
    pub(super) session: Session,
    nodes: Nodes,
    /// A later start may use the session.
    is_reusable: bool,
}

/// The top-level nodes of a program.
struct Nodes {
    arguments: Vec<Operation>,
    call: Operation,
    results: Vec<Operation>,
    links: Vec<LinkNodes>,
}

impl Nodes {
    fn find(image: &Image, graph: &Graph, direct: bool) -> Result<Self, Failure> {
        let node = |name: String| {
            graph.operation(&name).ok_or_else(|| {
                Failure::new(format!(
                    "the image of program '{}' has no node '{name}'",
                    image.name
                ))
            })
        };
        let program = image.name.as_str();
        Ok(Nodes {
            arguments: (0..image.arguments)
                .map(|index| node(naming::argument_node(program, index)))
                .collect::<Result<_, _>>()?,
            call: node(naming::call_node(program))?,
            results: (0..image.results)
                .map(|index| node(naming::result_node(program, index)))
                .collect::<Result<_, _>>()?,
            links: image
                .channels
                .iter()
                .map(|channel| LinkNodes::find(program, channel, direct, node))
                .collect::<Result<_, _>>()?,
        })
    }
}

impl Program {
    /// Returns a session for a start: an idle one, or a new one.
    pub(super) fn obtain(image: &Image, place: &Place) -> Result<Arc<Self>, Failure> {
        if matches!(place, Place::Direct) {
            let idle = lock(&image.cache::<Reuse>().idle).pop();
            if let Some(program) = idle {
                return Ok(program);
            }
        }
        Program::load(image, place).map(Arc::new)
    }

    /// Opens a session.
    pub(super) fn load(image: &Image, place: &Place) -> Result<Self, Failure> {
        let explained = |status: Status| explain(image, &status);
        let is_direct = matches!(place, Place::Direct);
        let (rewritten, target) = match place {
            Place::Server(target) => (Some(rewrite::inlined_calls(image)?), Some(target.as_str())),
            Place::Direct if !image.channels.is_empty() => {
                (Some(rewrite::direct_channels(image)?), None)
            }
            Place::Direct | Place::Queues => (None, None),
        };
        let bytes = rewritten.as_deref().unwrap_or(&image.bytes);
        injection::point("import")?;
        let graph = Graph::import(tensorflow::load()?, bytes).map_err(explained)?;
        let nodes = Nodes::find(image, &graph, is_direct)?;
        let session = Session::new(graph, target).map_err(|status| match target {
            Some(target) => Failure::new(format!(
                "no session can be opened on '{target}': {}",
                status.message
            )),
            None => explained(status),
        })?;
        Ok(Program {
            session,
            nodes,
            is_reusable: is_direct
                && *image
                    .cache::<Reuse>()
                    .is_stateless
                    .get_or_init(|| rewrite::is_stateless(image)),
        })
    }

    /// Returns the nodes of the channels.
    pub(super) fn links(&self) -> &[LinkNodes] {
        &self.nodes.links
    }

    /// Runs the program to its end. `addresses` are the addresses of direct channels.
    pub(super) fn run(
        &self,
        image: &Image,
        arguments: &[Tensor],
        addresses: &[(Operation, Tensor)],
    ) -> Outcome {
        let arguments = self.nodes.arguments.iter().copied().zip(arguments);
        let addresses = addresses.iter().map(|(node, address)| (*node, address));
        let feeds: Vec<_> = arguments.chain(addresses).collect();
        let Nodes { results, call, .. } = &self.nodes;
        match self.session.run("run", &feeds, results, &[*call]) {
            Ok(results) => Outcome::Finished(results),
            Err(status) if status.code == Code::TF_CANCELLED => Outcome::Cancelled,
            Err(status) => Outcome::Failed(explain(image, &status)),
        }
    }

    /// Makes the session of a successful run idle for the next start, unless enough sessions are
    /// idle. Returns whether it is idle: then this start must not close it.
    pub(super) fn give_back(self: &Arc<Self>, image: &Image) -> bool {
        let reuse = image.cache::<Reuse>();
        let mut idle = lock(&reuse.idle);
        let is_kept = self.is_reusable && idle.len() < MOST_IDLE;
        if is_kept {
            idle.push(Arc::clone(self));
        }
        is_kept
    }
}
