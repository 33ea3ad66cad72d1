//! `tfx-verify-protocol`: proves that each host program and its graph follow the same protocol.
//!
//! ```text
//!   host function ──project──► events ──┐
//!                     │                 match_sides ──► schedule ──► decisions ──► equivalence
//!                     └─ lifetime       │                  │
//!   graph ─────────project──► events ───┘                  └──► bounds ──► capacities, certificate
//! ```
//!
//! The pass is independent of partition and shares no code with it. For each program that a host
//! function starts, it proves:
//!
//! * Both sides run the same sends and receives in each region, in orders that cause no deadlock at
//!   any channel capacity, and leave no message behind ([`crate::match_sides`]). A host that
//!   cancels the graph may match a prefix of it ([`crate::cancellation`]).
//! * Both sides make the same decisions: the conditions of branches and loops and the bounds of
//!   counters are the same values ([`crate::equivalence`]).
//! * Each message has the type and direction that the graph declares ([`crate::channels`]).
//! * The program is finished or terminated exactly once on each path, and before an abort
//!   ([`crate::lifetime`]).
//!
//! A program without a proof is an error, with the locations on both sides. For each other program,
//! the pass computes the maximal occupancy of each channel ([`crate::bounds`]), uses it as the
//! capacity if none is declared, and records the proof as an attribute of the graph
//! ([`crate::certificate`]). A channel with a large bound or none gets no capacity: the default of
//! the runtime then limits the side that runs ahead.
//!
//! The proof covers the protocol, and the values of decisions. The two sides alone do not show
//! whether other values are correct.
//!
//! Cost: linear in the size of the functions, and for each channel the regions around it; less than
//! parsing.

use melior::dialect::DialectRegistry;
use melior::ir::Attribute;
use melior::ir::attribute::ArrayAttribute;
use rustc_hash::FxHashMap;
use tfx_dialects::channels::Channel;
use tfx_dialects::tensor;
use tfx_dialects::types::is_generic;
use tfx_ir::Op;
use tfx_ir::diag::{self, Diagnostic, Diagnostics};
use tfx_ir::ops::{Structured, func};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};
use tfx_ir::symbols::SymbolTable;

use crate::bounds::bounds;
use crate::certificate::{self, PROTOCOL};
use crate::channels;
use crate::equivalence::{Equivalence, Goal};
use crate::events::{Program, Projection, Side};
use crate::functions::Functions;
use crate::match_sides::match_sides;
use crate::project::communicates;
use crate::schedule::{Decision, UNBOUNDED};

tfx_ir::options! {
    /// The options of `tfx-verify-protocol`.
    pub struct VerifyProtocolOptions {
        /// Report errors as internal errors, because tfx-partition produced both sides.
        internal: bool = false,
    }
}

/// The greatest capacity that a channel gets by inference. A side that is further ahead gains
/// nothing, and its messages occupy memory.
const MAX_INFERRED_CAPACITY: u64 = 64;

/// The pass `tfx-verify-protocol`.
#[derive(Debug, Default)]
pub struct VerifyProtocol;

const PROGRAMS: Statistic = Statistic::new("programs", "Verified starts of graphs");
const CHANNELS: Statistic = Statistic::new(
    "channels",
    "Channels with messages, for each verified start",
);
const UNBOUNDED_CHANNELS: Statistic = Statistic::new(
    "unbounded-channels",
    "Channels among them whose occupancy has no bound",
);
const DECISIONS: Statistic = Statistic::new(
    "decisions",
    "Values that were proved to be equal on both sides",
);

impl Pass for VerifyProtocol {
    type Options = VerifyProtocolOptions;
    const NAME: &'static str = "TfxVerifyProtocol";
    const ARGUMENT: &'static str = "tfx-verify-protocol";
    const DESCRIPTION: &'static str = "Verify that each host program and its graph agree on their protocol, and bound channel occupancy";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[PROGRAMS, CHANNELS, UNBOUNDED_CHANNELS, DECISIONS];

    fn dialects(registry: &DialectRegistry) {
        tfx_dialects::register(registry);
    }

    fn run<'a>(
        &mut self,
        module: Op<'a>,
        cx: &PassContext<'a, VerifyProtocolOptions>,
    ) -> PassResult {
        let symbols = SymbolTable::new(module);
        let functions = Functions::new(&symbols);
        let mut errors = Vec::new();
        let mut proofs = Proofs::default();
        for op in symbols.ops() {
            if let Some(graph) = tensor::Graph::cast(op) {
                errors.extend(check_calls(graph, &symbols).err());
            } else if let Some(function) = func::Func::cast(op)
                && !is_generic(op)
            {
                let found = verify_function(function, &symbols, &functions, &mut proofs, cx);
                errors.extend(found);
            }
        }
        // All errors are reported before the pass fails.
        let errors = errors.into_iter().map(|error| match cx.options().internal {
            true => error.into_internal(),
            false => error,
        });
        Diagnostics::from_iter(errors).finish()?;
        proofs.write();
        Ok(())
    }
}

/// Verifies all programs that a function starts. Returns the errors.
fn verify_function<'a>(
    function: func::Func<'a>,
    symbols: &SymbolTable<'a>,
    functions: &Functions<'_, 'a>,
    proofs: &mut Proofs<'a>,
    cx: &PassContext<'a, VerifyProtocolOptions>,
) -> Vec<Diagnostic<'a>> {
    if function.is_declaration() || !communicates(function) {
        return Vec::new();
    }
    let host = match Projection::of_host(function) {
        Ok(host) => host,
        Err(error) => return vec![error],
    };
    let verify =
        |program| verify_program(function, &host, program, symbols, functions, proofs, cx).err();
    host.programs.iter().filter_map(verify).collect()
}

fn verify_program<'a>(
    function: func::Func<'a>,
    host: &Projection<'a>,
    program: &Program<'a>,
    symbols: &SymbolTable<'a>,
    functions: &Functions<'_, 'a>,
    proofs: &mut Proofs<'a>,
    cx: &PassContext<'a, VerifyProtocolOptions>,
) -> Result<(), Diagnostic<'a>> {
    let start = program.start;
    let start = start.expect("a program of a host function has a start");
    let graph_op = symbols.get(start.graph()).and_then(tensor::Graph::cast);
    let graph_op = graph_op.ok_or_else(|| {
        let message = format!("the graph '@{}' is not declared", start.graph());
        diag::error(start.location(), message)
    })?;
    channels::check_signature(start, graph_op)?;
    let declared = channels::declared(graph_op)?;
    let graph = Projection::of_graph(graph_op)?;
    let graph_list = graph.programs[0].list;
    channels::check(host, program.list, Side::Host, &declared, graph_op)?;
    channels::check(&graph, graph_list, Side::Graph, &declared, graph_op)?;
    let mut schedule = match_sides(host, program.list, start, &graph, graph_op)?;
    let guards = std::mem::take(&mut schedule.guards);
    let calls = |one, other| functions.calls_are_alike(one, other);
    let equivalence = || Equivalence::new(host, &graph, &schedule, start, graph_op, &calls);
    let mut all = equivalence();
    for decision in &schedule.decisions {
        let proof = all.prove(decision.host, decision.graph);
        proof.map_err(|goal| different_decisions(decision, goal))?;
    }
    for guard in guards {
        let equals_condition = |&known| {
            let mut first_iteration = equivalence();
            first_iteration.assume_first_iteration(guard.graph_op);
            first_iteration.prove(known, guard.condition).is_ok()
        };
        if !guard.known_true.iter().any(equals_condition) {
            return Err(guard.error);
        }
    }
    let bounds = bounds(&schedule);
    let unbounded = bounds.values().filter(|bound| **bound == UNBOUNDED);
    cx.count(PROGRAMS, 1);
    cx.count(CHANNELS, bounds.len() as u64);
    cx.count(UNBOUNDED_CHANNELS, unbounded.count() as u64);
    cx.count(DECISIONS, schedule.decisions.len() as u64);
    let entry =
        (!declared.is_empty()).then(|| certificate::entry(function, &schedule, &declared, &bounds));
    proofs.add(graph_op, declared, bounds, entry);
    Ok(())
}

/// Rejects calls of graphs that communicate, because no host is on the other side.
fn check_calls<'a>(
    graph: tensor::Graph<'a>,
    symbols: &SymbolTable<'a>,
) -> Result<(), Diagnostic<'a>> {
    for call in graph.walk().filter_map(tensor::Call::cast) {
        let callee = symbols.get(call.callee()).and_then(tensor::Graph::cast);
        if let Some(callee) = callee.filter(|callee| callee.channels().is_some()) {
            let message = "this calls a graph with channels, but a graph communicates only with the host function that starts it";
            return Err(diag::error(call.location(), message)
                .note(callee.location(), "its channels are declared here"));
        }
    }
    Ok(())
}

fn different_decisions<'a>(decision: &Decision<'a>, (host, graph): Goal<'a>) -> Diagnostic<'a> {
    let decisions = match decision.host_op {
        Structured::For(_) => "may run this loop with different bounds",
        Structured::While(_) => "may run different numbers of iterations of this loop",
        Structured::If(_) | Structured::Switch(_) => "may run different regions of this branch",
    };
    let message = format!(
        "the host and the graph {decisions}: cannot prove that they decide by equal values"
    );
    let [host_op, graph_op] = [decision.host_op, decision.graph_op].map(|op| op.op().location());
    diag::error(host_op, message)
        .note(graph_op, "the graph decides here")
        .note(host.location(), "the host depends on this value")
        .note(
            graph.location(),
            "the graph depends on this value, which may differ",
        )
}

/// The proofs by graph, in the order of the first start.
#[derive(Default)]
struct Proofs<'a> {
    graphs: Vec<Proof<'a>>,
    by_graph: FxHashMap<Op<'a>, usize>,
}

struct Proof<'a> {
    graph: tensor::Graph<'a>,
    channels: Vec<Channel<'a>>,
    /// The maximum over all starts, for each channel.
    bounds: FxHashMap<u32, u64>,
    entries: Vec<Attribute<'a>>,
}

impl<'a> Proofs<'a> {
    fn add(
        &mut self,
        graph: tensor::Graph<'a>,
        channels: Vec<Channel<'a>>,
        bounds: FxHashMap<u32, u64>,
        entry: Option<Attribute<'a>>,
    ) {
        let next = self.graphs.len();
        let index = *self.by_graph.entry(graph.op()).or_insert(next);
        if index == next {
            self.graphs.push(Proof {
                graph,
                channels,
                bounds: FxHashMap::default(),
                entries: Vec::new(),
            });
        }
        let proof = &mut self.graphs[index];
        for (channel, bound) in bounds {
            let known = proof.bounds.entry(channel).or_default();
            *known = bound.max(*known);
        }
        proof.entries.extend(entry);
    }

    /// Sets the certificates of the graphs and the capacities of their channels.
    fn write(self) {
        for proof in self.graphs.iter().filter(|proof| !proof.entries.is_empty()) {
            proof.write();
        }
    }
}

impl Proof<'_> {
    fn write(&self) {
        let context = self.graph.context();
        let certificate = ArrayAttribute::new(context, &self.entries);
        self.graph.set_attribute(PROTOCOL, certificate);
        let channels = self.channels.iter().map(|channel| {
            let bound = self.bounds.get(&channel.id).copied();
            let inferred = bound.unwrap_or_default().max(1);
            let capacity = match channel.capacity {
                0 if inferred <= MAX_INFERRED_CAPACITY => inferred as u32,
                declared => declared,
            };
            let channel = Channel {
                capacity,
                ..*channel
            };
            channel.attribute()
        });
        let channels = ArrayAttribute::new(context, &channels.collect::<Vec<_>>());
        self.graph.set_channels(Some(channels.into()));
    }
}
