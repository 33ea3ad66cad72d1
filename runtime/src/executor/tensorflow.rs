//! The executor that is TensorFlow: one session per start.
//!
//! ```text
//! thread of the graph   run(feeds P/arg_i, fetch P/result_i)        leaves the outcome, then runs every P/channel_C/close
//! threads of the host   run(fetch P/channel_C/recv), run(feed P/channel_C/value, target P/channel_C/send)
//! cancel                close the session: every run ends
//! ```
//!
//! A queue that is closed still gives what is in it, so the host receives the last values of a graph that has ended. A session of its
//! own per start means that no value of an earlier start is ever seen.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use prost::Message;
use tfx_graphdef::naming;
use tfx_graphdef::proto::{AttrValue, GraphDef, attr_value};
use tfx_interpreter::Tensor;

use super::{
    CALLED_HERE, Executor, ExecutorKind, Loaded, Run,
    completion::{Completion, Joined, Outcome, cancelled},
};
use crate::{
    failure::Failure,
    ffi::tensorflow::{Graph, Operation, Session, Status},
    image::{Direction, Image},
    stats::Meters,
};

/// The server that sessions are opened on; `None`: this process.
static TARGET: RwLock<Option<String>> = RwLock::new(None);

/// Chooses where programs that start from now on run: on the server at `grpc://host:port`, and on the devices of its cluster that operations name; or in
/// this process.
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
pub struct TensorFlow;

impl Executor for TensorFlow {
    fn start(
        &self,
        image: &Arc<Image>,
        arguments: Vec<Tensor>,
        meters: &Arc<Meters>,
    ) -> Result<Box<dyn Run>, Failure> {
        let shared = Arc::new(Shared {
            program: Program::load(image)?,
            meters: Arc::clone(meters),
            completion: Completion::default(),
            unclosed: OnceLock::new(),
        });
        let (theirs, its_image) = (Arc::clone(&shared), Arc::clone(image));
        let thread = Joined::spawn(&image.name, move || {
            theirs
                .completion
                .complete_with(&its_image, &theirs.meters, || {
                    theirs.program.outcome(&arguments)
                });
            theirs.close_channels();
        })?;
        Ok(Box::new(TensorFlowRun { shared, thread }))
    }

    fn load(&self, image: &Arc<Image>) -> Result<Box<dyn Loaded>, Failure> {
        Ok(Box::new(Program::load(image)?))
    }
}

/// `TF_CANCELLED`.
const CANCELLED: i32 = 1;

/// The top-level nodes of a program.
struct Nodes {
    arguments: Vec<Operation>,
    call: Operation,
    results: Vec<Operation>,
    channels: Vec<ChannelNodes>,
}

struct ChannelNodes {
    ends: Ends,
    close: Operation,
}

/// The host's end of a channel.
enum Ends {
    Receive(Operation),
    Send { value: Operation, send: Operation },
}

impl Nodes {
    fn find(image: &Image, graph: &Graph) -> Result<Self, Failure> {
        let node = |name: String| {
            graph.operation(&name).ok_or_else(|| {
                Failure::new(format!(
                    "the image of program '{}' has no node '{name}'",
                    image.name
                ))
            })
        };
        let program = image.name.as_str();
        let mut channels = Vec::new();
        for channel in &image.channels {
            let ends = match channel.direction {
                Direction::ToHost => {
                    Ends::Receive(node(naming::receive_node(program, channel.id))?)
                }
                Direction::ToGraph => Ends::Send {
                    value: node(naming::value_node(program, channel.id))?,
                    send: node(naming::send_node(program, channel.id))?,
                },
            };
            channels.push(ChannelNodes {
                ends,
                close: node(naming::close_node(program, channel.id))?,
            });
        }
        Ok(Nodes {
            arguments: (0..image.arguments)
                .map(|index| node(naming::argument_node(program, index)))
                .collect::<Result<_, _>>()?,
            call: node(naming::call_node(program))?,
            results: (0..image.results)
                .map(|index| node(naming::result_node(program, index)))
                .collect::<Result<_, _>>()?,
            channels,
        })
    }
}

/// The attribute of a call by which TensorFlow puts the function in its place before it gives nodes to devices. Without it, a call runs on one server
/// and knows the devices of that one alone; whether TensorFlow's optimizer inlines it anyway depends on the size of the graph.
const INLINE_BEFORE_PLACEMENT: &str = "_lower_as_multi_device_function";

/// A GraphDef whose nodes may go to any server, whatever function they are in.
fn inlined_calls(bytes: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut graph = GraphDef::decode(bytes)
        .map_err(|error| Failure::new(format!("the image is no GraphDef: {error}")))?;
    let functions = graph
        .library
        .iter_mut()
        .flat_map(|library| &mut library.function);
    let nodes = functions.flat_map(|function| &mut function.node_def);
    for node in nodes.chain(&mut graph.node) {
        if matches!(
            node.op.as_str(),
            "PartitionedCall" | "StatefulPartitionedCall"
        ) {
            let yes = AttrValue {
                value: Some(attr_value::Value::B(true)),
            };
            node.attr.insert(INLINE_BEFORE_PLACEMENT.to_owned(), yes);
        }
    }
    Ok(graph.encode_to_vec())
}

/// A session with one program.
struct Program {
    image: Arc<Image>,
    session: Session,
    nodes: Nodes,
}

impl Program {
    fn load(image: &Arc<Image>) -> Result<Self, Failure> {
        let explained = |status: Status| explain(image, &status);
        let target = target();
        let bytes = match target {
            Some(_) => Cow::Owned(inlined_calls(&image.bytes)?),
            None => Cow::Borrowed(&image.bytes[..]),
        };
        let graph = Graph::import(&bytes).map_err(|problem| match problem {
            Ok(status) => explained(status),
            Err(failure) => failure,
        })?;
        let nodes = Nodes::find(image, &graph)?;
        let session = Session::new(graph, target.as_deref()).map_err(|status| match &target {
            Some(target) => Failure::new(format!(
                "no session can be opened on '{target}': {}",
                status.message
            )),
            None => explained(status),
        })?;
        Ok(Program {
            image: Arc::clone(image),
            session,
            nodes,
        })
    }

    fn outcome(&self, arguments: &[Tensor]) -> Outcome {
        let feeds: Vec<_> = self
            .nodes
            .arguments
            .iter()
            .copied()
            .zip(arguments)
            .collect();
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
            Err(status) => Outcome::Failed(explain(&self.image, &status)),
        }
    }
}

impl Loaded for Program {
    fn run(&self, arguments: &[Tensor]) -> Result<Vec<Tensor>, Failure> {
        match self.outcome(arguments) {
            Outcome::Finished(results) => Ok(results),
            Outcome::Failed(failure) => Err(failure),
            Outcome::Cancelled => Err(cancelled()),
        }
    }
}

/// What the host and the thread of the graph have in common.
struct Shared {
    program: Program,
    meters: Arc<Meters>,
    completion: Completion,
    /// Why the channels could not be closed.
    unclosed: OnceLock<Failure>,
}

impl Shared {
    /// Wakes host threads that wait for a graph that is gone. Where a channel cannot be closed, the session is: nobody may wait for ever, even if
    /// last values are lost.
    fn close_channels(&self) {
        for channel in &self.program.nodes.channels {
            if let Err(status) = self
                .program
                .session
                .run("close", &[], &[], &[channel.close])
            {
                if status.code != CANCELLED {
                    let _ = self.unclosed.set(explain(&self.program.image, &status));
                }
                self.program.session.close();
                return;
            }
        }
    }

    /// The failure of a run of the host's end of a channel.
    fn channel_failure(&self, status: &Status, doing: &str) -> Failure {
        /// `TF_OUT_OF_RANGE`: how a queue says that it is closed.
        const OUT_OF_RANGE: i32 = 11;
        if let Some(failure) = self.unclosed.get() {
            return failure.clone();
        }
        if self.completion.failed() || matches!(status.code, CANCELLED | OUT_OF_RANGE) {
            return self.completion.reason(doing);
        }
        explain(&self.program.image, status)
    }
}

struct TensorFlowRun {
    shared: Arc<Shared>,
    thread: Joined,
}

impl TensorFlowRun {
    /// Runs the host's end of a channel, and measures how long it takes: what of it is a wait, TensorFlow does not say.
    fn run(
        &self,
        channel: usize,
        feeds: &[(Operation, &Tensor)],
        fetches: &[(Operation, usize)],
        targets: &[Operation],
    ) -> Result<Vec<Tensor>, Status> {
        let run = || {
            self.shared
                .program
                .session
                .run("exchange", feeds, fetches, targets)
        };
        self.shared.meters.channels[channel].host.during(run)
    }

    fn ends(&self, channel: usize) -> Option<&Ends> {
        self.shared
            .program
            .nodes
            .channels
            .get(channel)
            .map(|channel| &channel.ends)
    }
}

impl Run for TensorFlowRun {
    fn place(&self) -> &'static str {
        ExecutorKind::TensorFlow.name()
    }

    fn receive(&self, channel: usize) -> Result<Tensor, Failure> {
        let Some(&Ends::Receive(receive)) = self.ends(channel) else {
            return Err(Failure::new(format!(
                "channel {channel} does not go that way"
            )));
        };
        match self.run(channel, &[], &[(receive, 0)], &[]) {
            Ok(mut values) => values
                .pop()
                .ok_or_else(|| Failure::new("a channel gave no value")),
            Err(status) => Err(self
                .shared
                .channel_failure(&status, "without sending this value")),
        }
    }

    fn send(&self, channel: usize, tensor: Tensor) -> Result<(), Failure> {
        let Some(&Ends::Send { value, send }) = self.ends(channel) else {
            return Err(Failure::new(format!(
                "channel {channel} does not go that way"
            )));
        };
        match self.run(channel, &[(value, &tensor)], &[], &[send]) {
            Ok(_) => Ok(()),
            Err(status) => Err(self
                .shared
                .channel_failure(&status, "without taking this value")),
        }
    }

    fn finish(&self) -> Result<Vec<Tensor>, Failure> {
        let results = self.shared.completion.wait();
        self.thread.join();
        results
    }

    fn cancel(&self) {
        self.shared.program.session.close();
    }
}

impl Drop for TensorFlowRun {
    fn drop(&mut self) {
        self.cancel();
        self.thread.join();
    }
}

/// TensorFlow's message in the user's words: its first line, at the source place of the node that it names.
fn explain(image: &Image, status: &Status) -> Failure {
    let text = root_cause(&status.message);
    let nodes = image.source_nodes();
    let found = node_names(&status.message).find_map(|name| {
        // Inlined functions put their names in front: try each tail of the path.
        let tails = name.match_indices('/').map(|(at, _)| &name[at + 1..]);
        std::iter::once(name)
            .chain(tails)
            .find_map(|tail| nodes.get(tail))
            .filter(|node| node.location.is_some())
    });
    match found {
        Some(node) => {
            let failure = Failure::new(format!("{text} (operation {})", node.operation))
                .at(node.location.as_deref());
            let calls = function_name(&status.message).map(|function| image.only_calls(function));
            calls.iter().flatten().fold(failure, |failure, call| {
                failure.note(Some(call), CALLED_HERE)
            })
        }
        None => Failure::new(text),
    }
}

/// The message without the nodes that it lists, and of several errors the first.
fn root_cause(message: &str) -> String {
    let first = match message.split_once("(0) ") {
        // "(0) INVALID_ARGUMENT: text"
        Some((_, rest)) if message.contains("root error") => {
            rest.split_once(": ").map_or(rest, |(_, text)| text)
        }
        _ => message,
    };
    let lines = first.lines().map(without_functions);
    let cause = lines
        .into_iter()
        .find(|line| !line.is_empty() && !line.starts_with(THROUGH_SERVER));
    cause.unwrap_or_default().to_owned()
}

/// How a line starts that says which server a message came through.
const THROUGH_SERVER: &str = "From /job:";

/// A line without the functions that were inlined: "{{function_node f}} {{function_node g}} text".
fn without_functions(line: &str) -> &str {
    let mut text = line.trim();
    while let Some((_, rest)) = text
        .strip_prefix("{{")
        .and_then(|rest| rest.split_once("}}"))
    {
        text = rest.trim_start();
    }
    text
}

/// The function that the first node of a message is in: `{{function_node NAME}}{{node ...}}`.
fn function_name(message: &str) -> Option<&str> {
    let (before, _) = message.split_once("}}{{node ")?;
    let (_, name) = before.rsplit_once("{{function_node ")?;
    Some(name)
}

/// The nodes of a message: `{{node NAME}}`.
fn node_names(message: &str) -> impl Iterator<Item = &str> {
    const OPENING: &str = "{{node ";
    message.match_indices(OPENING).filter_map(|(at, _)| {
        let rest = &message[at + OPENING.len()..];
        rest.find("}}").map(|end| &rest[..end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_cut_to_their_cause() {
        let message = "Integer division by zero\n\t [[{{node while/body/_1/a.mlir_3_4_FloorDiv}}]]\n\t [[P/call]]";
        assert_eq!(root_cause(message), "Integer division by zero");
        assert_eq!(
            node_names(message).collect::<Vec<_>>(),
            ["while/body/_1/a.mlir_3_4_FloorDiv"]
        );
        let several = "2 root error(s) found.\n  (0) INVALID_ARGUMENT: {{function_node f}} bad\n\t [[{{node x}}]]\n  (1) CANCELLED: y";
        assert_eq!(root_cause(several), "bad");
        let remote = "From /job:worker/replica:0/task:1:\nFrom /job:worker/replica:0/task:0:\nindices = 7\n\t [[{{node x}}]]";
        assert_eq!(root_cause(remote), "indices = 7");
        let through_function =
            "{{function_node f}}\nFrom /job:worker/replica:0/task:1:\nindices = 7";
        assert_eq!(root_cause(through_function), "indices = 7");
    }

    #[test]
    fn the_function_of_a_node_is_found() {
        let message =
            "{{function_node f}} bad\n\t [[{{function_node g}}{{node x}}]]\n\t [[P/call]]";
        assert_eq!(function_name(message), Some("g"));
        assert_eq!(function_name("bad\n\t [[{{node x}}]]"), None);
    }
}
