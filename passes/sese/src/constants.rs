//! Which values of a control-flow graph are constants, and which edges are never taken for that.
//!
//! ```text
//!   ^entry: cf.br ^head(%zero)
//!   ^head(%i):                          %i is 0 on each edge that is taken: a constant
//!     %go = cmpi slt, %i, %hundred      so is %go: the edge to ^exit is never taken
//!     cf.cond_br %go, ^head(%i), ^exit
//! ```
//!
//! Sparse conditional constant propagation (Wegman and Zadeck, "Constant propagation with conditional branches", TOPLAS 1991): a value is
//! unknown, then a constant, then varying; an edge is taken once its branch may take it; only what a change reaches is looked at again.
//! Scalar operations are evaluated by MLIR's own folders (`tfx_ir::scalars`). Calls, loads, graph operations, operations with regions and
//! what comes from outside of the region vary.
//!
//! Cost: linear in operations, operands and edges; each is looked at at most twice.

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

/// What is known of a value.
#[derive(Clone, Copy, PartialEq)]
enum State<'a> {
    /// Nothing yet: no edge that leads to it was taken.
    Unknown,
    Constant(Attribute<'a>),
    Varying,
}

/// What is known of a region.
pub(crate) struct Constants<'b, 'a> {
    body: &'b Body<'a>,
    /// Those that are not unknown.
    values: FxHashMap<Value<'a>, State<'a>>,
    taken: Vec<bool>,
    reached: Vec<bool>,
    scalars: Scalars<'a>,
    /// Edges that were taken, each with its source, and not followed yet.
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

    /// Whether an edge may be taken.
    pub(crate) fn is_taken(&self, edge: EdgeId) -> bool {
        self.taken[edge]
    }

    /// Whether a branch always goes the same way, and by which constant.
    pub(crate) fn decision(&self, branch: Op<'a>) -> Option<Attribute<'a>> {
        if branch.num_successors() < 2 || branch.num_operands() == 0 {
            return None;
        }
        match self.state(branch.operand(0)) {
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
            self.meet(op.result(index), state);
        }
    }

    /// What the results of an operation are.
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

    /// Takes the edges that a branch may take, or hands on once more what it hands on.
    fn leave(&mut self, branch: Op<'a>, block: BlockId) {
        let edges = self.body.cfg.edges(block);
        let way = match edges.len() {
            0 | 1 => None,
            _ => match self.state(branch.operand(0)) {
                State::Unknown => return,
                State::Varying => None,
                State::Constant(attribute) => successor(branch, attribute),
            },
        };
        for (index, edge) in edges.enumerate() {
            if way.is_none_or(|way| way == index) {
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
        let handed = branch.successor_operands(edge - self.body.cfg.edges(block).start);
        for (index, argument) in self.body.blocks[target].arguments().enumerate() {
            let value = handed.and_then(|handed| handed.value(index));
            let state = value.map_or(State::Varying, |value| self.state(value));
            self.meet(argument, state);
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

    fn meet(&mut self, value: Value<'a>, new: State<'a>) {
        let old = self.state(value);
        let met = match (old, new) {
            (_, State::Unknown) => old,
            (State::Unknown, _) => new,
            _ if old == new => old,
            _ => State::Varying,
        };
        if met == old {
            return;
        }
        self.values.insert(value, met);
        let here = self.body.region;
        let users = value.uses().map(|found| found.owner);
        self.changed
            .extend(users.filter(|user| user.parent_region() == Some(here)));
    }
}

/// The successor that a branch takes for a constant, if that can be told.
fn successor(branch: Op<'_>, decision: Attribute<'_>) -> Option<usize> {
    let number = integer(decision)?;
    if branch.isa::<cf::CondBranch>() {
        return Some(usize::from(number == 0));
    }
    if !branch.isa::<cf::Switch>() {
        return None;
    }
    let width = IntegerType::try_from(branch.operand(0).ty()).ok()?.width();
    let bits = u64::MAX.checked_shr(u64::BITS.checked_sub(width)?)?;
    let number = (number as u64 & bits) as i64;
    let cases = known_cases(branch, branch.num_successors() - 1)?;
    let case = cases.iter().position(|&case| case == number);
    // The default is the first successor.
    Some(case.map_or(0, |case| case + 1))
}
