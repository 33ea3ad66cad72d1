//! Chooses the values to replicate and to send by a minimum cut.
//!
//! ```text
//!   four questions for each value v                 yes is        cost and consequence
//!     host_makes    does the host compute v?        source side   the host has v's sources and the control around v
//!     host_has      is v available on the host?     source side   without host_makes, v crosses to the host
//!     graph_makes   does the graph compute v?       sink side     the graph has v's sources and the control around v
//!     graph_has     is v available in the graph?    sink side     without graph_makes, v crosses to the graph
//!   two questions for each operation with regions: whether each side has it; a side that has it has its condition
//!
//!   host_has ──cost──► host_makes ──∞──► host_has of its sources       the host's half
//!                          ▲
//!                          ∞  at least one side computes v
//!                          │
//!   graph_has of its sources ──∞──► graph_makes ──cost──► graph_has    the graph's half, inverted
//! ```
//!
//! The questions of the two sides have opposite orientations, because each side demands values, and
//! a cut can express only *if this, then that*. "Computed on at least one side" becomes such an
//! implication through the orientation. So each feasible choice is a cut of finite capacity, whose
//! capacity is the cost of the choice's transfers, and the minimum cut is a minimum choice.
//!
//! A value that is needed in a branch only may cross there, if the sender has the branch at no cost
//! ([`crate::arms`]). So *availability* of a value is one question for each such branch around a
//! use, and a value that is available outside a branch is available inside. A value that the host
//! needs after the last graph operation is a result of the graph instead, which is one more such
//! question.
//!
//! A condition on which the sides could disagree is computed on one side only ([`crate::origins`]):
//! one more implication, from `host_makes` to not `graph_makes`.
//!
//! Graph operations, host code, the values that a side can compute by itself, and values from
//! before the start are decided in advance and need no nodes. Inputs and copies of constants cost
//! nothing, because they do not happen while both programs run. Among choices of equal cost, the
//! one that duplicates less work is cheaper, and then the one that computes less on the host.
//!
//! This is replication by minimum cut, known for circuits (Hwang and El Gamal, 1992, *Optimal
//! replication for min-cut partitioning*), with control dependences. Cost: linear to build, times
//! the nesting of uses; [`crate::network`] states the cost of solving.

use rustc_hash::FxHashMap;

use crate::arms::Arms;
use crate::facts::Facts;
use crate::function::{BODY, Def, Function, Kind, OpId, RegionId, ValueId};
use crate::motion::Motion;
use crate::network::{Network, UNLIMITED};
use crate::origins::Origins;
use crate::side::Side;
use crate::weight::Weights;

/// The factor by which costs of transfers are scaled, so that all tie breakers together cost less
/// than the cheapest transfer.
const TRANSFER_SHIFT: u32 = 24;
/// More than all transfers together: the cost of a value that cannot cross. It is finite, so that a
/// program that needs such a value gets its error, and the other values a choice.
const FORBIDDEN: u128 = 1 << 104;

/// The decisions.
pub(crate) struct Cut {
    makes: Vec<[Answer; 2]>,
    at_source: Vec<bool>,
}

impl Cut {
    /// Returns whether the host computes a value if it needs it.
    pub(crate) fn on_host(&self, value: ValueId) -> bool {
        self.is_at_source(self.makes[value.index()][0])
    }

    /// Returns whether the graph computes a value if it needs it.
    pub(crate) fn in_graph(&self, value: ValueId) -> bool {
        !self.is_at_source(self.makes[value.index()][1])
    }

    fn is_at_source(&self, answer: Answer) -> bool {
        match answer {
            Answer::Source => true,
            Answer::Sink => false,
            Answer::Open(node) => self.at_source[node as usize],
        }
    }
}

/// A decision that is known in advance, or the node of the network that decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Source,
    Sink,
    Open(u32),
}

/// The questions about a value; `graph_makes` and `graph_has` are inverted. `host_has` and
/// `graph_has` are about the region of its definition.
#[derive(Clone, Copy, Debug)]
struct Questions {
    host_makes: Answer,
    host_has: Answer,
    graph_makes: Answer,
    graph_has: Answer,
}

/// Returns the cheapest choice.
pub(crate) fn minimum_cut(
    function: &Function,
    facts: &Facts,
    origins: &Origins,
    weights: &Weights,
) -> Cut {
    cut(function, facts, origins, weights, None).expect("only a fixed value can have no choice")
}

/// Returns the cheapest choice in which only `side` computes a value; none if the value has no
/// choice.
pub(crate) fn minimum_cut_with(
    function: &Function,
    facts: &Facts,
    origins: &Origins,
    weights: &Weights,
    (value, side): (ValueId, Side),
) -> Option<Cut> {
    cut(function, facts, origins, weights, Some((value, side)))
}

fn cut(
    function: &Function,
    facts: &Facts,
    origins: &Origins,
    weights: &Weights,
    fixed: Option<(ValueId, Side)>,
) -> Option<Cut> {
    let mut builder = Builder {
        function,
        facts,
        origins,
        weights,
        // The side that computes a value does not depend on the motion of transfers.
        arms: Arms::of(function, facts, origins, Motion::default()),
        network: Network::default(),
        values: Vec::with_capacity(function.values.len()),
        in_arms: FxHashMap::default(),
        at_end: FxHashMap::default(),
        host_ops: Vec::with_capacity(function.ops.len()),
        graph_ops: Vec::with_capacity(function.ops.len()),
    };
    builder.add_operations();
    builder.add_values();
    builder.constrain_operations();
    builder.constrain_values();
    if let Some((value, side)) = fixed {
        builder.fix(value, side)?;
    }
    Some(Cut {
        makes: builder
            .values
            .iter()
            .map(|value| [value.host_makes, value.graph_makes])
            .collect(),
        at_source: builder.network.minimum_cut(),
    })
}

struct Builder<'f> {
    function: &'f Function,
    facts: &'f Facts,
    origins: &'f Origins,
    weights: &'f Weights,
    arms: Arms<'f>,
    network: Network,
    values: Vec<Questions>,
    /// The availability of a value on a side in a branch.
    in_arms: FxHashMap<(ValueId, RegionId, Side), Answer>,
    /// The availability of a value on the host after the last graph operation.
    at_end: FxHashMap<ValueId, Answer>,
    /// For each operation with regions: the question whether the host has it; yes is the source
    /// side.
    host_ops: Vec<Answer>,
    /// The question whether the graph has it; yes is the sink side.
    graph_ops: Vec<Answer>,
}

impl Builder<'_> {
    fn add_operations(&mut self) {
        for op in self.function.op_ids() {
            let open = self.function[op].kind.has_regions() && self.facts.is_live(op);
            let host = match open && !self.facts.has_host(op) {
                true => self.open(),
                false => Answer::Source,
            };
            let graph = match open && !self.facts.has_graph(op) {
                true => self.open(),
                false => Answer::Sink,
            };
            self.host_ops.push(host);
            self.graph_ops.push(graph);
        }
    }

    fn add_values(&mut self) {
        for value in self.function.value_ids() {
            let questions = self.questions(value);
            let cost = self.cost_of_crossing(value, self.function.region_of(value));
            self.cost(questions.host_has, questions.host_makes, cost);
            self.cost(questions.graph_makes, questions.graph_has, cost);
            // Duplicated work. A value that depends on both sides is computed in the graph if all
            // else is equal, but decided on the host.
            let mixed = matches!(questions.graph_makes, Answer::Open(_));
            let (on_host, in_graph) = match mixed {
                true if self.origins.is_decided_once(value) => (1, 2),
                true => (2, 1),
                false => (1, 1),
            };
            self.cost(questions.host_makes, Answer::Sink, on_host);
            self.cost(Answer::Source, questions.graph_makes, in_graph);
            self.values.push(questions);
        }
    }

    fn cost_of_crossing(&self, value: ValueId, region: RegionId) -> u128 {
        /// Among equal costs, one transfer is cheaper than several in branches.
        const ONE_MORE: u128 = 1;
        /// Among equal costs, values that the user wrote cross rather than values that the compiler
        /// derived from them: markers and messages then refer to the source. This counts more than
        /// computing thousands of operations twice.
        const MADE: u128 = 1 << 12;
        // After the last graph operation there are only results, and values that are computed
        // inside of an operation there can be computed from these.
        let in_late = region != BODY && self.facts.is_late(region, 0);
        let data = &self.function[value];
        if !data.transferable || data.stays || in_late {
            return FORBIDDEN;
        }
        let cost = self.weights.of_crossing(self.function, value, region);
        let made = if self.function[value].made { MADE } else { 0 };
        (cost << TRANSFER_SHIFT) + ONE_MORE + made
    }

    fn questions(&mut self, value: ValueId) -> Questions {
        let data = &self.function[value];
        let everywhere = Questions {
            host_makes: Answer::Source,
            host_has: Answer::Source,
            graph_makes: Answer::Sink,
            graph_has: Answer::Sink,
        };
        let kind = match data.def {
            Def::Result(op, _) => self.function[op].kind,
            Def::Argument(..) => Kind::Flexible,
        };
        let input = self.facts.is_input(self.function, value);
        if data.transferable && (input || !self.facts.is_live_value(value)) {
            return everywhere;
        }
        let free_on_host = self.origins.is_free_on(Side::Host, value);
        let free_in_graph = self.origins.is_free_on(Side::Graph, value);
        let once = self.origins.is_decided_once(value);
        if kind == Kind::Graph || once && free_in_graph {
            return Questions {
                host_makes: Answer::Sink,
                host_has: self.open(),
                ..everywhere
            };
        }
        // A tape from before the start is no input, and the graph cannot go back.
        let outside = self.facts.is_before_start(self.function, value)
            || self.facts.is_beyond_graph(self.function.region_of(value));
        if kind == Kind::Host || !data.transferable || outside || once && free_on_host {
            return Questions {
                graph_makes: Answer::Source,
                graph_has: self.open(),
                ..everywhere
            };
        }
        let mut questions = everywhere;
        if !free_on_host {
            (questions.host_makes, questions.host_has) = (self.open(), self.open());
        }
        if !free_in_graph {
            (questions.graph_makes, questions.graph_has) = (self.open(), self.open());
        }
        questions
    }

    /// Adds the requirements of a side that has an operation.
    fn constrain_operations(&mut self) {
        let function = self.function;
        for op in function.op_ids().filter(|&op| self.facts.is_live(op)) {
            let data = &function[op];
            match data.kind {
                Kind::Graph => {
                    for operand in &data.operands {
                        let available = self.available(Side::Graph, operand.value, data.region, op);
                        self.implies(available, Answer::Sink);
                    }
                }
                Kind::Host | Kind::Abort => self.host_has_operands(op),
                Kind::End if data.region == BODY => self.host_has_operands(op),
                kind if kind.has_regions() => self.constrain_control(op),
                _ => {}
            }
        }
    }

    fn host_has_operands(&mut self, op: OpId) {
        let data = &self.function[op];
        for operand in &data.operands {
            let available = self.available(Side::Host, operand.value, data.region, op);
            self.implies(Answer::Source, available);
        }
    }

    fn constrain_control(&mut self, op: OpId) {
        let function = self.function;
        let (host, graph) = (self.host_ops[op.index()], self.graph_ops[op.index()]);
        let decides = self.facts.bypass(op).is_none();
        function.controls(op, |control, region| {
            let available = self.available(Side::Host, control.value, region, op);
            self.implies(host, available);
            if decides {
                let available = self.available(Side::Graph, control.value, region, op);
                self.implies(available, graph);
            }
        });
        if let Some(around) = function[function[op].region].owner {
            self.implies(host, self.host_ops[around.index()]);
            self.implies(self.graph_ops[around.index()], graph);
        }
    }

    /// Adds the requirements of a side that computes a value.
    fn constrain_values(&mut self) {
        let function = self.function;
        for value in function
            .value_ids()
            .filter(|&value| self.facts.is_live_value(value))
        {
            let Questions {
                host_makes,
                host_has,
                graph_makes,
                graph_has,
            } = self.values[value.index()];
            self.implies(host_makes, host_has);
            self.implies(graph_has, graph_makes);
            self.implies(graph_makes, host_makes);
            if self.origins.is_decided_once(value) {
                self.implies(host_makes, graph_makes);
            }
            // A pinned value was constrained as an operation. A known value needs no constraint.
            if function.is_pinned(value) || (host_has, graph_has) == (Answer::Source, Answer::Sink)
            {
                continue;
            }
            let Some(user) = function.maker(value) else {
                continue;
            };
            function.sources(value, |source, region| {
                let available = self.available(Side::Host, source.value, region, user);
                self.implies(host_makes, available);
                let available = self.available(Side::Graph, source.value, region, user);
                self.implies(available, graph_makes);
            });
            if let Some(around) = function.around(value) {
                self.implies(host_makes, self.host_ops[around.index()]);
                self.implies(self.graph_ops[around.index()], graph_makes);
            }
        }
    }

    /// Makes only `side` compute a value. Returns none if another side computes it in any case.
    fn fix(&mut self, value: ValueId, side: Side) -> Option<()> {
        let Questions {
            host_makes,
            graph_makes,
            ..
        } = self.values[value.index()];
        let fixed = match side {
            Side::Host => Answer::Source,
            Side::Graph => Answer::Sink,
        };
        for question in [host_makes, graph_makes] {
            if question != fixed && !matches!(question, Answer::Open(_)) {
                return None;
            }
            match side {
                Side::Host => self.implies(Answer::Source, question),
                Side::Graph => self.implies(question, Answer::Sink),
            }
        }
        Some(())
    }

    /// Returns the question whether a side has a value available where an operation, or the
    /// operation whose region it ends, uses it.
    fn available(&mut self, side: Side, value: ValueId, region: RegionId, user: OpId) -> Answer {
        let outside = match side {
            Side::Host => self.values[value.index()].host_has,
            Side::Graph => self.values[value.index()].graph_has,
        };
        if !matches!(outside, Answer::Open(_)) || !self.function[value].transferable {
            return outside;
        }
        let in_body = self.function.region_of(value) == BODY;
        if side == Side::Host && in_body && self.facts.is_late(region, self.function[user].index) {
            return self.available_at_end(value, outside);
        }
        let mut answer = outside;
        for arm in self.arms.down_to(side.other(), value, region) {
            let key = (value, arm, side);
            answer = match self.in_arms.get(&key) {
                Some(&known) => known,
                None => {
                    let inside = self.open();
                    let cost = self.cost_of_crossing(value, arm);
                    match side {
                        Side::Host => self.cost(inside, answer, cost),
                        Side::Graph => self.cost(answer, inside, cost),
                    }
                    self.in_arms.insert(key, inside);
                    inside
                }
            };
        }
        answer
    }

    fn available_at_end(&mut self, value: ValueId, before: Answer) -> Answer {
        if let Some(&known) = self.at_end.get(&value) {
            return known;
        }
        let at_end = self.open();
        let cost = match self.function[value].stays {
            true => FORBIDDEN,
            false => self.weights.of_result(self.function, value) << TRANSFER_SHIFT,
        };
        self.cost(at_end, before, cost);
        self.at_end.insert(value, at_end);
        at_end
    }

    fn open(&mut self) -> Answer {
        Answer::Open(self.network.node())
    }

    /// Adds the constraint that if `a` is on the source side, so is `b`.
    fn implies(&mut self, a: Answer, b: Answer) {
        self.cost(a, b, UNLIMITED);
    }

    /// Adds the cost of `a` on the source side and `b` on the sink side. There is no choice if both
    /// are known.
    fn cost(&mut self, a: Answer, b: Answer, cost: u128) {
        match (a, b) {
            (Answer::Open(a), Answer::Open(b)) => self.network.edge(a, b, cost),
            (Answer::Source, Answer::Open(b)) => self.network.edge_from_source(b, cost),
            (Answer::Open(a), Answer::Sink) => self.network.edge_to_sink(a, cost),
            _ => {}
        }
    }
}
