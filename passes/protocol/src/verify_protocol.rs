//! `tfx-verify-protocol`: an independent proof that each host program and its graph fit.
//!
//! ```text
//!   host function ──project──► lists of sends, receives, control flow ─┐
//!                     │                                                meet ──► claims: these decide alike ──► same
//!                     └─ lives: ended exactly once on each path        │  │
//!   graph ─────────project──► lists ───────────────────────────────────┘  └──► bounds ──► capacities
//!                                                                                  └────► certificate
//! ```
//!
//! It knows nothing of how partition works and shares no code with it. For each program that a host function starts, it proves that
//!
//! * both sides run the same sends and receives in each region, in an order in which they never wait for each other in a circle, whatever the
//!   capacities of the channels, and leave no message behind ([`crate::meet`]);
//!   a host that cancels the graph may meet a part of it ([`crate::cancelled`]);
//! * both sides decide alike: the conditions of branches and loops and the bounds of counters are the same values ([`crate::same`]);
//! * what is sent has the type and direction that the graph declares ([`crate::channels`]);
//! * the program is finished or terminated exactly once on each path, before an abort too ([`crate::lives`]).
//!
//! A program for which no proof is found is an error at the places concerned. It then derives how many messages each channel can hold
//! ([`crate::bounds`]), gives the channels that have none a capacity of as many, and leaves what was proved as an attribute of the graph
//! ([`crate::certificate`]). A channel that can grow, or hold many, keeps no capacity: the runtime's default then holds back the side that runs ahead.
//!
//! What is proved is the protocol. That a value is the right one cannot be seen from the two sides alone, but for the values by which they decide.
//! Cost: linear in the size of the functions, and for each channel the regions around it; less than parsing them.

use melior::dialect::DialectRegistry;
use melior::ir::Attribute;
use melior::ir::attribute::ArrayAttribute;
use rustc_hash::FxHashMap;
use tfx_dialects::channels::Channel;
use tfx_dialects::tensor;
use tfx_dialects::types::TYPE_PARAMS;
use tfx_ir::ops::{func, scf};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassFailed, Statistic};
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Op, Value};

use crate::bounds::bounds;
use crate::certificate::{self, PROTOCOL};
use crate::channels;
use crate::code::Code;
use crate::lists::Projection;
use crate::meet::{Claim, meet};
use crate::project::communicates;
use crate::reject::Reject;
use crate::same::{Differ, Values};

tfx_ir::options! {
    /// What `tfx-verify-protocol` takes.
    pub struct VerifyProtocolOptions {
        /// Both sides were made by tfx-partition: that they do not fit is an internal error.
        internal: bool = false,
    }
}

/// No channel gets more room than this by itself. A side that is so far ahead gains nothing from being further, and what it sends lies in memory.
const MOST_ROOM: u64 = 64;

/// See the module.
#[derive(Debug, Default)]
pub struct VerifyProtocol;

const PROGRAMS: Statistic = Statistic {
    name: "programs",
    description: "Starts of graphs that were proved to fit",
};
const CHANNELS: Statistic = Statistic {
    name: "channels",
    description: "Channels on which messages were proved to meet",
};
const GROWING: Statistic = Statistic {
    name: "growing-channels",
    description: "Channels among them that have no bound",
};
const DECISIONS: Statistic = Statistic {
    name: "decisions",
    description: "Values that were proved to be the same on both sides",
};

impl Pass for VerifyProtocol {
    type Options = VerifyProtocolOptions;
    const NAME: &'static str = "TfxVerifyProtocol";
    const ARGUMENT: &'static str = "tfx-verify-protocol";
    const DESCRIPTION: &'static str = "Prove that host programs and their graphs send and receive alike, and bound their channels";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[PROGRAMS, CHANNELS, GROWING, DECISIONS];

    fn dialects(registry: &DialectRegistry) {
        tfx_dialects::register(registry);
    }

    fn run<'a>(
        &mut self,
        module: Op<'a>,
        cx: &PassContext<'a, VerifyProtocolOptions>,
    ) -> Result<(), PassFailed> {
        let internal = cx.options().internal;
        let symbols = SymbolTable::new(module);
        let code = Code::new(&symbols);
        let mut result = Ok(());
        let mut proofs = Proofs::default();
        for op in symbols.ops() {
            // All programs are looked at before the pass fails, so that every mistake is named at once.
            let outcome = match op.name() {
                func::Func::NAME if op.attribute(TYPE_PARAMS).is_none() => {
                    prove_function(op, &symbols, &code, &mut proofs, cx)
                }
                tensor::Graph::NAME => {
                    no_called_channels(op, &symbols).map_err(|reject| vec![reject])
                }
                _ => Ok(()),
            };
            for reject in outcome.err().into_iter().flatten() {
                result = Err(reject.fail(internal));
            }
        }
        result?;
        proofs.write();
        Ok(())
    }
}

/// What was proved, by graph in the order of the first start.
#[derive(Default)]
struct Proofs<'a> {
    graphs: Vec<Proof<'a>>,
    by_graph: FxHashMap<Op<'a>, usize>,
}

struct Proof<'a> {
    graph: Op<'a>,
    channels: Vec<Channel<'a>>,
    /// For each channel, the greatest of all starts.
    bounds: FxHashMap<u32, u64>,
    entries: Vec<Attribute<'a>>,
}

/// Proves all programs that a function starts.
fn prove_function<'a>(
    function: Op<'a>,
    symbols: &SymbolTable<'a>,
    code: &Code<'_, 'a>,
    proofs: &mut Proofs<'a>,
    cx: &PassContext<'a, VerifyProtocolOptions>,
) -> Result<(), Vec<Reject<'a>>> {
    if function.is_declaration() || !communicates(function) {
        return Ok(());
    }
    let host = Projection::of_host(function).map_err(|reject| vec![reject])?;
    let mut rejects = Vec::new();
    for program in 0..host.programs.len() {
        if let Err(reject) = prove_program(function, &host, program, symbols, code, proofs, cx) {
            rejects.push(reject);
        }
    }
    if rejects.is_empty() {
        Ok(())
    } else {
        Err(rejects)
    }
}

fn prove_program<'a>(
    function: Op<'a>,
    host: &Projection<'a>,
    program: usize,
    symbols: &SymbolTable<'a>,
    code: &Code<'_, 'a>,
    proofs: &mut Proofs<'a>,
    cx: &PassContext<'a, VerifyProtocolOptions>,
) -> Result<(), Reject<'a>> {
    let started = &host.programs[program];
    let start = started
        .start
        .expect("a host function's programs have starts");
    let graph = symbols
        .resolve(start, "graph")
        .filter(|op| op.isa::<tensor::Graph>());
    let graph = graph
        .ok_or_else(|| Reject::new(start.location(), "this starts a graph that is not declared"))?;
    channels::check_ends(start, graph)?;
    let declared = channels::declared(graph)?;
    let inside = Projection::of_graph(graph)?;
    channels::check(host, started.list, true, &declared, graph)?;
    channels::check(&inside, inside.programs[0].list, false, &declared, graph)?;
    let mut meeting = meet(host, started.list, start, &inside, graph)?;
    let implied = std::mem::take(&mut meeting.implied);
    let mut values = Values::new(host, &inside, &meeting, start, graph, code);
    for claim in &meeting.claims {
        values
            .prove(claim.host, claim.graph)
            .map_err(|differ| not_the_same(claim, differ))?;
    }
    for one in implied {
        let is_true = |&known: &Value<'a>| {
            let mut values = Values::new(host, &inside, &meeting, start, graph, code);
            values.in_first_trip(one.graph_op);
            values.prove(known, one.condition).is_ok()
        };
        if !one.known_true.iter().any(is_true) {
            return Err(one.otherwise);
        }
    }
    let bounds = bounds(&meeting);
    cx.count(PROGRAMS, 1);
    cx.count(DECISIONS, meeting.claims.len() as u64);
    let entry =
        (!declared.is_empty()).then(|| certificate::entry(function, &meeting, &declared, &bounds));
    proofs.add(graph, declared, bounds, entry);
    Ok(())
}

/// A graph that others call has no host to talk with.
fn no_called_channels<'a>(graph: Op<'a>, symbols: &SymbolTable<'a>) -> Result<(), Reject<'a>> {
    for call in graph.walk().filter(|op| op.isa::<tensor::Call>()) {
        let callee = symbols.resolve(call, "callee");
        if let Some(callee) = callee.filter(|callee| callee.attribute("channels").is_some()) {
            return Err(Reject::new(
                call.location(),
                "this calls a graph that talks with a host, but only the host that starts a graph can talk with it",
            )
            .note(callee.location(), "its channels are declared here"));
        }
    }
    Ok(())
}

fn not_the_same<'a>(claim: &Claim<'a>, (host, graph): Differ<'a>) -> Reject<'a> {
    let what = match claim.host_op.name() {
        scf::For::NAME => "count differently in this loop",
        scf::While::NAME => "leave this loop after different trips",
        _ => "take different ways through this branch",
    };
    let message =
        format!("the host and the graph may {what}: nothing proves that they decide alike");
    Reject::new(claim.host_op.location(), message)
        .note(claim.graph_op.location(), "it is here in the graph")
        .note(host.location(), "the host depends on this value")
        .note(
            graph.location(),
            "where the graph depends on this one, which is not known to be the same",
        )
}

impl<'a> Proofs<'a> {
    fn add(
        &mut self,
        graph: Op<'a>,
        channels: Vec<Channel<'a>>,
        bounds: FxHashMap<u32, u64>,
        entry: Option<Attribute<'a>>,
    ) {
        let next = self.graphs.len();
        let place = *self.by_graph.entry(graph).or_insert(next);
        if place == next {
            self.graphs.push(Proof {
                graph,
                channels,
                bounds: FxHashMap::default(),
                entries: Vec::new(),
            });
        }
        let proof = &mut self.graphs[place];
        for (channel, bound) in bounds {
            let known = proof.bounds.entry(channel).or_default();
            *known = bound.max(*known);
        }
        proof.entries.extend(entry);
    }

    /// Gives the graphs their certificates, and their channels capacities.
    fn write(self) {
        for proof in self.graphs {
            if !proof.entries.is_empty() {
                proof.write();
            }
        }
    }
}

impl Proof<'_> {
    fn write(&self) {
        let context = self.graph.context();
        let certificate = ArrayAttribute::new(context, &self.entries);
        self.graph.set_attribute(PROTOCOL, certificate);
        let channels: Vec<_> = self
            .channels
            .iter()
            .map(|channel| {
                let bound = self.bounds.get(&channel.id).copied().unwrap_or_default();
                let room = bound.max(1);
                let capacity = match channel.capacity {
                    0 if room <= MOST_ROOM => room as u32,
                    known => known,
                };
                Channel {
                    capacity,
                    ..*channel
                }
                .attribute()
            })
            .collect();
        let channels = ArrayAttribute::new(context, &channels);
        self.graph.set_attribute("channels", channels);
    }
}
