//! The constants of a control-flow graph, and the edges that are never taken because of them.
//!
//! ```text
//!   ^entry: cf.br ^head(%zero)
//!   ^head(%i):                          %i is 0 on each edge that may be taken: a constant
//!     %more = cmpi slt, %i, %hundred    so %more is one, too: the edge to ^exit is never taken
//!     cf.cond_br %more, ^head(%i), ^exit
//! ```
//!
//! Sparse conditional constant propagation (Wegman and Zadeck, "Constant propagation with
//! conditional branches", TOPLAS 1991): the lattice of a value is unknown, constant, varying. An
//! edge may be taken once its branch may take it, and a change is propagated only to the users of a
//! value. MLIR's folders evaluate scalar operations (`tfx_ir::scalars`). Calls, loads, graph
//! operations, operations with regions, and values from outside of the region vary.
//!
//! Cost: linear in operations, operands and edges; each is visited at most twice.

use rustc_hash::FxHashMap;
use tfx_ir::ops::cf;

use melior::ir::Attribute;
use melior::ir::r#type::IntegerType;
use tfx_ir::scalars::{Scalars, integer};
use tfx_ir::{Op, Value};

use crate::body::{Body, known_cases};
use crate::cfg::{BlockId, EdgeId};

/// The dialects whose operations are evaluated.
const SCALAR_DIALECTS: [&str; 3] = ["arith", "math", "index"];

/// The lattice value of an SSA value.
#[derive(Clone, Copy, PartialEq)]
enum State<'a> {
    /// No edge to its block was taken yet.
    Unknown,
    Constant(Attribute<'a>),
    Varying,
}

/// The result of the propagation over a region.
pub(crate) struct Constants<'b, 'a> {
    body: &'b Body<'a>,
    /// The values that are not unknown.
    values: FxHashMap<Value<'a>, State<'a>>,
    taken: Vec<bool>,
    reached: Vec<bool>,
    scalars: Scalars<'a>,
    /// The edges that may be taken and are not propagated yet, each with its source.
    edges: Vec<(BlockId, EdgeId)>,
    /// Operations with an operand that has changed.
    changed: Vec<Op<'a>>,
}

impl<'b, 'a> Constants<'b, 'a> {
    pub(crate) fn of(body: &'b Body<'a>) -> Self {
        let mut constants = Self {
            body,
            values: FxHashMap::default(),
            taken: vec![false; body.cfg.num_edges()],
            reached: vec![false; body.cfg.num_blocks()],
            scalars: Scalars::new(),
            edges: Vec::new(),
            changed: Vec::new(),
        };
        for argument in body.blocks[0].arguments() {
            constants.values.insert(argument, State::Varying);
        }
        constants.reach(0);
        constants.solve();
        constants
    }

    /// Returns whether an edge may be taken.
    pub(crate) fn is_taken(&self, edge: EdgeId) -> bool {
        self.taken[edge]
    }

    /// Returns the constant that decides a branch, if one does.
    pub(crate) fn decision(&self, branch: Op<'a>) -> Option<Attribute<'a>> {
        match self.state(condition(branch)?) {
            State::Constant(attribute) => Some(attribute),
            _ => None,
        }
    }

    fn solve(&mut self) {
        loop {
            if let Some((block, edge)) = self.edges.pop() {
                self.follow(block, edge);
            } else if let Some(op) = self.changed.pop() {
                let block = self.body.block_around(op);
                if block.is_some_and(|block| self.reached[block]) {
                    self.visit(op, block.unwrap_or_default());
                }
            } else {
                return;
            }
        }
    }

    fn reach(&mut self, block: BlockId) {
        if block == self.body.cfg.exit() || std::mem::replace(&mut self.reached[block], true) {
            return;
        }
        for op in self.body.blocks[block].ops() {
            self.visit(op, block);
        }
    }

    fn visit(&mut self, op: Op<'a>, block: BlockId) {
        if op == self.body.terminator(block) {
            return self.leave(op, block);
        }
        for (index, state) in self.results(op).into_iter().enumerate() {
            self.join(op.result(index), state);
        }
    }

    /// Evaluates an operation.
    fn results(&mut self, op: Op<'a>) -> Vec<State<'a>> {
        let all = |state| vec![state; op.num_results()];
        if let Some(constant) = op.constant_value() {
            return all(State::Constant(constant));
        }
        if op.num_regions() > 0 || !SCALAR_DIALECTS.contains(&op.dialect()) {
            return all(State::Varying);
        }
        let mut operands = Vec::with_capacity(op.num_operands());
        for operand in op.operands() {
            match self.state(operand) {
                State::Constant(attribute) => operands.push(attribute),
                other => return all(other),
            }
        }
        match self.scalars.evaluate(op, &operands) {
            Ok(results) => results.into_iter().map(State::Constant).collect(),
            Err(_) => all(State::Varying),
        }
    }

    /// Marks the edges that a branch may take, to propagate the operands that it forwards.
    fn leave(&mut self, branch: Op<'a>, block: BlockId) {
        let edges = self.body.cfg.edges(block);
        let taken = match condition(branch) {
            None => None,
            Some(condition) => match self.state(condition) {
                State::Unknown => return,
                State::Varying => None,
                State::Constant(attribute) => successor(branch, attribute),
            },
        };
        for (index, edge) in edges.enumerate() {
            if taken.is_none_or(|taken| taken == index) {
                self.taken[edge] = true;
                self.edges.push((block, edge));
            }
        }
    }

    fn follow(&mut self, block: BlockId, edge: EdgeId) {
        let target = self.body.cfg.target(edge);
        if target == self.body.cfg.exit() {
            return;
        }
        let branch = self.body.terminator(block);
        let forwarded = branch.successor_operands(edge - self.body.cfg.edges(block).start);
        for (index, argument) in self.body.blocks[target].arguments().enumerate() {
            let value = forwarded.and_then(|forwarded| forwarded.value(index));
            let state = value.map_or(State::Varying, |value| self.state(value));
            self.join(argument, state);
        }
        self.reach(target);
    }

    fn state(&self, value: Value<'a>) -> State<'a> {
        match self.values.get(&value) {
            Some(&state) => state,
            None if value.region() == Some(self.body.region) => State::Unknown,
            None => State::Varying,
        }
    }

    fn join(&mut self, value: Value<'a>, new: State<'a>) {
        let old = self.state(value);
        let joined = match (old, new) {
            (_, State::Unknown) => old,
            (State::Unknown, _) => new,
            _ if old == new => old,
            _ => State::Varying,
        };
        if joined == old {
            return;
        }
        self.values.insert(value, joined);
        let here = self.body.region;
        let users = value.uses().map(|found| found.owner);
        self.changed
            .extend(users.filter(|user| user.parent_region() == Some(here)));
    }
}

/// Returns the value that decides which successor a branch takes, if it has several.
pub(crate) fn condition(branch: Op<'_>) -> Option<Value<'_>> {
    match cf::CfOp::cast(branch)? {
        cf::CfOp::CondBranch(branch) => Some(branch.condition()),
        cf::CfOp::Switch(switch) if branch.num_successors() > 1 => Some(switch.flag()),
        _ => None,
    }
}

/// Returns the index of the successor that a branch takes for a constant.
fn successor(branch: Op<'_>, decision: Attribute<'_>) -> Option<usize> {
    let number = integer(decision)?;
    let Some(switch) = cf::Switch::cast(branch) else {
        return Some(usize::from(number == 0));
    };
    let width = IntegerType::try_from(switch.flag().ty()).ok()?.width();
    let bits = u64::MAX.checked_shr(u64::BITS.checked_sub(width)?)?;
    let number = (number as u64 & bits) as i64;
    let case = known_cases(switch)?.iter().position(|&case| case == number);
    // The default is the first successor.
    Some(case.map_or(0, |case| case + 1))
}
