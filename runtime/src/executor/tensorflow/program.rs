//! A session with the graph of one program, and those that wait for the next start.
//!
//! ```text
//!   start ──► idle? ──no──► import the GraphDef, open a session ──► run ──► finished well, and it keeps nothing: idle again
//!               └──yes────────────────────────────────────────────┘  └──► else: gone
//! ```
//!
//! The first run of a session has TensorFlow optimize the graph, which takes longer than most programs run. A session that is used again has done that. It is
//! one program's at a time, since what is cancelled is a session. It can be used again where its channels are the host's own, made anew for each start, and
//! where no node keeps anything from one run to the next: no start ever sees anything of an earlier one.

use std::sync::{Arc, Mutex, OnceLock};

use tfx_graphdef::naming;
use tfx_interpreter::Tensor;

use super::{explain::explain, links::LinkNodes, rewrite};
use crate::{
    executor::completion::{Outcome, lock},
    failure::Failure,
    ffi::tensorflow::{Graph, Operation, Session, Status},
    image::Image,
};

/// The most sessions of an image that wait: as many starts at once find one. Each has its own copy of the graph, and TensorFlow's threads are shared.
const MOST_IDLE: usize = 4;

/// `TF_CANCELLED`.
pub(super) const CANCELLED: i32 = 1;

/// Where a session runs, and how its channels are.
pub(super) enum Place {
    /// In this process, with channels of the shim.
    Direct,
    /// In this process, with queues.
    Queues,
    /// On a server, with queues.
    Server(String),
}

/// What an image keeps for its next starts on TensorFlow.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    idle: Mutex<Vec<Arc<Program>>>,
    keeps_nothing: OnceLock<bool>,
}

impl Kept {
    /// How many sessions wait.
    pub(crate) fn sessions(&self) -> usize {
        lock(&self.idle).len()
    }
}

/// A session with one program.
pub(crate) struct Program {
    pub(super) session: Session,
    nodes: Nodes,
    /// Whether a later start may have it.
    is_reusable: bool,
}

impl std::fmt::Debug for Program {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Program").finish_non_exhaustive()
    }
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
    /// A session for a start: one that waits, or a new one.
    pub(super) fn obtain(image: &Image, place: &Place) -> Result<Arc<Self>, Failure> {
        if matches!(place, Place::Direct) {
            let idle = lock(&image.kept.idle).pop();
            if let Some(program) = idle {
                return Ok(program);
            }
        }
        Program::load(image, place).map(Arc::new)
    }

    /// A new session.
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
        let graph = Graph::import(bytes).map_err(|problem| match problem {
            Ok(status) => explained(status),
            Err(failure) => failure,
        })?;
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
                    .kept
                    .keeps_nothing
                    .get_or_init(|| rewrite::keeps_nothing(image)),
        })
    }

    /// The nodes by which its channels are reached.
    pub(super) fn links(&self) -> &[LinkNodes] {
        &self.nodes.links
    }

    /// Runs it to its end; `addresses` are those of its channels, where they are direct.
    pub(super) fn run(
        &self,
        image: &Image,
        arguments: &[Tensor],
        addresses: &[(Operation, Tensor)],
    ) -> Outcome {
        let arguments = self.nodes.arguments.iter().copied().zip(arguments);
        let addresses = addresses.iter().map(|(node, address)| (*node, address));
        let feeds: Vec<_> = arguments.chain(addresses).collect();
        let fetches: Vec<_> = self
            .nodes
            .results
            .iter()
            .map(|&result| (result, 0))
            .collect();
        match self
            .session
            .run("run", &feeds, &fetches, &[self.nodes.call])
        {
            Ok(results) => Outcome::Finished(results),
            Err(status) if status.code == CANCELLED => Outcome::Cancelled,
            Err(status) => Outcome::Failed(explain(image, &status)),
        }
    }

    /// Gives a session back whose run has ended well; it waits for the next start, if there is room. Whether it does: it is nobody's to close then.
    pub(super) fn give_back(self: &Arc<Self>, image: &Image) -> bool {
        let mut idle = lock(&image.kept.idle);
        let is_kept = self.is_reusable && idle.len() < MOST_IDLE;
        if is_kept {
            idle.push(Arc::clone(self));
        }
        is_kept
    }
}
