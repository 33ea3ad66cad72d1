//! The choice of what to replicate and what to send as a least cut.
//!
//! ```text
//!   for each value v: four questions                          answered yes       and if so
//!     a   does the host make v?                               with the source    the host has v's sources and the control around v
//!     n   does the host have v, made or received?             with the source    n and not a: v crosses to the host, at its cost
//!     b   does the graph make v?                              with the sink      the graph has v's sources and the control around v
//!     m   does the graph have v?                              with the sink      m and not b: v crosses to the graph, at its cost
//!   for each operation with regions: does the host have it?  does the graph?     a side that has it has what it decides by
//!
//!   n ──cost──► a ──∞──► n of its sources        the host's half
//!               ▲
//!               ∞  what one side does not make, the other does
//!               │
//!   m of its sources ──∞──► b ──cost──► m        the graph's half, turned round
//! ```
//!
//! The halves are turned against each other, because each of them demands, and a cut can only express *if this, then that*. "Made on one
//! side at least" becomes such an implication by the turn. So each choice that can be made is a cut of finite cost, whose cost is that of
//! the choice's transfers, and the least cut is a least choice.
//!
//! A value that is needed in a branch only may cross there, if the sender has the branch at no cost ([`crate::arms`]). So *having* a value is one
//! question for each such branch around a use, and one that has it further out has it inside. What the host needs after the last graph operation
//! is a result of the graph instead, which is one more such question.
//!
//! A condition on which the sides could disagree is made on one side only ([`crate::origins`]): one more implication, from a to not b.
//!
//! Graph operations, host code, what a side can make by itself, and what is from before the start are answered in advance and need no
//! nodes. Inputs and copies of constants cost nothing: they do not happen while both programs run. Among choices of the same cost, the one
//! that computes less twice counts as cheaper, and then the one that makes less on the host.
//!
//! This is replication by minimum cut, known for circuits (Hwang and El Gamal, 1992, *Optimal replication for min-cut partitioning*), with
//! control dependences. Cost: linear to build, times the nesting of uses; [`crate::network`] says what solving costs.

use rustc_hash::FxHashMap;

use crate::arms::Arms;
use crate::demand::Side;
use crate::facts::Facts;
use crate::function::{BODY, Def, Function, Kind, OpId, RegionId, ValueId};
use crate::network::{Network, UNLIMITED};
use crate::origins::Origins;
use crate::place::Motion;
use crate::weight::Weights;

/// Costs of transfers are shifted by this, so that all that breaks ties costs less than the least transfer.
const TRANSFER_SHIFT: u32 = 24;
/// More than all transfers together: for what cannot cross. It is finite, so that a program that needs it gets its error and all the rest a
/// choice.
const FORBIDDEN: u128 = 1 << 104;

/// The answers.
pub(crate) struct Cut {
    makes: Vec<[Answer; 2]>,
    at_source: Vec<bool>,
}

impl Cut {
    /// Whether the host makes a value if it needs it.
    pub(crate) fn on_host(&self, value: ValueId) -> bool {
        self.is_at_source(self.makes[value.index()][0])
    }

    /// Whether the graph makes a value if it needs it.
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

/// An answer that is known, or the node that will tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Source,
    Sink,
    Open(u32),
}

/// The questions about a value; `b` and `m` are turned round. `n` and `m` are about the region of its definition.
#[derive(Clone, Copy, Debug)]
struct Questions {
    a: Answer,
    n: Answer,
    b: Answer,
    m: Answer,
}

/// The cheapest choice.
pub(crate) fn least_cut(
    function: &Function,
    facts: &Facts,
    origins: &Origins,
    weights: &Weights,
) -> Cut {
    let mut builder = Builder {
        function,
        facts,
        origins,
        weights,
        // What is made where does not depend on how transfers move.
        arms: Arms::of(function, facts, origins, Motion::default()),
        network: Network::default(),
        values: Vec::with_capacity(function.values.len()),
        in_arms: FxHashMap::default(),
        at_end: FxHashMap::default(),
        host_ops: Vec::with_capacity(function.ops.len()),
        graph_ops: Vec::with_capacity(function.ops.len()),
    };
    builder.ask_of_operations();
    builder.ask_of_values();
    builder.tie_operations();
    builder.tie_values();
    Cut {
        makes: builder
            .values
            .iter()
            .map(|value| [value.a, value.b])
            .collect(),
        at_source: builder.network.least_cut(),
    }
}

struct Builder<'f> {
    function: &'f Function,
    facts: &'f Facts,
    origins: &'f Origins,
    weights: &'f Weights,
    arms: Arms<'f>,
    network: Network,
    values: Vec<Questions>,
    /// Whether a side has a value in a branch.
    in_arms: FxHashMap<(ValueId, RegionId, Side), Answer>,
    /// Whether the host has a value after the last graph operation.
    at_end: FxHashMap<ValueId, Answer>,
    /// Of each operation with regions: the host has it, with the source if so.
    host_ops: Vec<Answer>,
    /// The graph has it, with the sink if so.
    graph_ops: Vec<Answer>,
}

impl Builder<'_> {
    fn ask_of_operations(&mut self) {
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

    fn ask_of_values(&mut self) {
        for value in self.function.value_ids() {
            let questions = self.questions(value);
            let cost = self.cost_of_crossing(value, self.function.region_of(value));
            self.cost(questions.n, questions.a, cost);
            self.cost(questions.b, questions.m, cost);
            // Work that is done twice. What depends on both sides is made in the graph if all else is equal, but decided on the host.
            let mixed = matches!(questions.b, Answer::Open(_));
            let (on_host, in_graph) = match mixed {
                true if self.origins.is_decided_once(value) => (1, 2),
                true => (2, 1),
                false => (1, 1),
            };
            self.cost(questions.a, Answer::Sink, on_host);
            self.cost(Answer::Source, questions.b, in_graph);
            self.values.push(questions);
        }
    }

    fn cost_of_crossing(&self, value: ValueId, region: RegionId) -> u128 {
        /// Of equal costs, those of one transfer count less than those of several in branches.
        const ONE_MORE: u128 = 1;
        /// Of equal costs, the values that the user wrote cross rather than those that the compiler made of them: then marks and messages are about
        /// what is in the source. More than computing thousands of operations twice.
        const MADE: u128 = 1 << 12;
        // After the last graph operation there are results only, and what is made inside of something there can be made of those.
        let in_late = region != BODY && self.facts.is_late(region, 0);
        let data = &self.function[value];
        if !data.transferable || data.graph_only || in_late {
            return FORBIDDEN;
        }
        let cost = self.weights.of_crossing(self.function, value, region);
        let made = if self.function[value].made { MADE } else { 0 };
        (cost << TRANSFER_SHIFT) + ONE_MORE + made
    }

    fn questions(&mut self, value: ValueId) -> Questions {
        let data = &self.function[value];
        let everywhere = Questions {
            a: Answer::Source,
            n: Answer::Source,
            b: Answer::Sink,
            m: Answer::Sink,
        };
        let kind = match data.def {
            Def::Result(op, _) => self.function[op].kind,
            Def::Argument(..) => Kind::Flexible,
        };
        let before = self.facts.is_before_start(self.function, value);
        if data.transferable && (before || !self.facts.is_live_value(value)) {
            return everywhere;
        }
        let free_on_host = self.origins.is_free_on(Side::Host, value);
        let free_in_graph = self.origins.is_free_on(Side::Graph, value);
        let once = self.origins.is_decided_once(value);
        if kind == Kind::Graph || once && free_in_graph {
            return Questions {
                a: Answer::Sink,
                n: self.open(),
                ..everywhere
            };
        }
        let beyond = self.facts.is_beyond_graph(self.function.region_of(value));
        if kind == Kind::Host || !data.transferable || beyond || once && free_on_host {
            return Questions {
                b: Answer::Source,
                m: self.open(),
                ..everywhere
            };
        }
        let mut questions = everywhere;
        if !free_on_host {
            (questions.a, questions.n) = (self.open(), self.open());
        }
        if !free_in_graph {
            (questions.b, questions.m) = (self.open(), self.open());
        }
        questions
    }

    /// What a side that has an operation must have, too.
    fn tie_operations(&mut self) {
        let function = self.function;
        for op in function.op_ids().filter(|&op| self.facts.is_live(op)) {
            let data = &function[op];
            match data.kind {
                Kind::Graph => {
                    for operand in &data.operands {
                        let had = self.had(Side::Graph, operand.value, data.region, op);
                        self.implies(had, Answer::Sink);
                    }
                }
                Kind::Host | Kind::Abort => self.host_has_operands(op),
                Kind::End if data.region == BODY => self.host_has_operands(op),
                kind if kind.has_regions() => self.tie_control(op),
                _ => {}
            }
        }
    }

    fn host_has_operands(&mut self, op: OpId) {
        let data = &self.function[op];
        for operand in &data.operands {
            let had = self.had(Side::Host, operand.value, data.region, op);
            self.implies(Answer::Source, had);
        }
    }

    fn tie_control(&mut self, op: OpId) {
        let function = self.function;
        let (host, graph) = (self.host_ops[op.index()], self.graph_ops[op.index()]);
        let asks = self.facts.bypass(op).is_none();
        function.controls(op, |control, region| {
            let had = self.had(Side::Host, control.value, region, op);
            self.implies(host, had);
            if asks {
                let had = self.had(Side::Graph, control.value, region, op);
                self.implies(had, graph);
            }
        });
        if let Some(around) = function[function[op].region].owner {
            self.implies(host, self.host_ops[around.index()]);
            self.implies(self.graph_ops[around.index()], graph);
        }
    }

    /// What a side that makes a value must have.
    fn tie_values(&mut self) {
        let function = self.function;
        for value in function
            .value_ids()
            .filter(|&value| self.facts.is_live_value(value))
        {
            let Questions { a, n, b, m } = self.values[value.index()];
            self.implies(a, n);
            self.implies(m, b);
            self.implies(b, a);
            if self.origins.is_decided_once(value) {
                self.implies(a, b);
            }
            let pinned = matches!(function[value].def, Def::Result(op, _) if matches!(function[op].kind, Kind::Graph | Kind::Host));
            // What is pinned was tied as an operation. What is known needs nothing.
            if pinned || (n, m) == (Answer::Source, Answer::Sink) {
                continue;
            }
            let Some(user) = function.maker(value) else {
                continue;
            };
            function.sources(value, |source, region| {
                let had = self.had(Side::Host, source.value, region, user);
                self.implies(a, had);
                let had = self.had(Side::Graph, source.value, region, user);
                self.implies(had, b);
            });
            if let Some(around) = function.around(value) {
                self.implies(a, self.host_ops[around.index()]);
                self.implies(self.graph_ops[around.index()], b);
            }
        }
    }

    /// Whether a side has a value where an operation, or what it ends a region of, uses it.
    fn had(&mut self, side: Side, value: ValueId, region: RegionId, user: OpId) -> Answer {
        let outside = match side {
            Side::Host => self.values[value.index()].n,
            Side::Graph => self.values[value.index()].m,
        };
        if !matches!(outside, Answer::Open(_)) || !self.function[value].transferable {
            return outside;
        }
        let in_body = self.function.region_of(value) == BODY;
        if side == Side::Host && in_body && self.facts.is_late(region, self.function[user].index) {
            return self.had_at_end(value, outside);
        }
        let mut had = outside;
        for arm in self.arms.down_to(side.other(), value, region) {
            let key = (value, arm, side);
            had = match self.in_arms.get(&key) {
                Some(&known) => known,
                None => {
                    let inside = self.open();
                    let cost = self.cost_of_crossing(value, arm);
                    match side {
                        Side::Host => self.cost(inside, had, cost),
                        Side::Graph => self.cost(had, inside, cost),
                    }
                    self.in_arms.insert(key, inside);
                    inside
                }
            };
        }
        had
    }

    fn had_at_end(&mut self, value: ValueId, before: Answer) -> Answer {
        if let Some(&known) = self.at_end.get(&value) {
            return known;
        }
        let at_end = self.open();
        let cost = self.weights.of_result(self.function, value) << TRANSFER_SHIFT;
        self.cost(at_end, before, cost);
        self.at_end.insert(value, at_end);
        at_end
    }

    fn open(&mut self) -> Answer {
        Answer::Open(self.network.node())
    }

    /// If `a` is with the source, so is `b`.
    fn implies(&mut self, a: Answer, b: Answer) {
        self.cost(a, b, UNLIMITED);
    }

    /// What it costs if `a` is with the source and `b` with the sink. Where both are known there is no choice.
    fn cost(&mut self, a: Answer, b: Answer, cost: u128) {
        match (a, b) {
            (Answer::Open(a), Answer::Open(b)) => self.network.edge(a, b, cost),
            (Answer::Source, Answer::Open(b)) => self.network.edge_from_source(b, cost),
            (Answer::Open(a), Answer::Sink) => self.network.edge_to_sink(a, cost),
            _ => {}
        }
    }
}
