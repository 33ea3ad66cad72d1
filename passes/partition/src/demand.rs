//! Determines the values that each side computes, carries and receives.
//!
//! ```text
//!   want(side, value) ─┬─ made there ──────► run its operation there ──► want its operands
//!                      │                     and the control flow around it ──► want the conditions
//!                      ├─ from before the start (graph only) ──► a constant is made again, all else is an input
//!                      └─ made on the other side ──► it crosses; want(other side, value)
//! ```
//!
//! Demand starts from graph operations and from host code with effects, and is followed to its end
//! ([`Demand::run`]). Whatever is not demanded does not exist on that side: a loop may lose
//! iteration arguments, the code of a branch, or vanish. A region operation carries a slot on a
//! side if that side computes the slot's value.
//!
//! A value crosses where it is defined or where it is used, and a side that uses a value has all
//! control flow around the use. So both sides have the control flow around every transfer.
//!
//! Linear: a value is demanded once for each side. The work list is explicit, so nesting needs no
//! stack.

use crate::choose::{Choice, Home};
use crate::facts::{Bypass, Facts};
use crate::function::{
    BODY, Def, FOR_BOUNDS, Function, Kind, OpId, RegionId, Use, ValueData, ValueId,
};
use crate::side::Side;

/// The values and operations of one side.
#[derive(Clone, Debug)]
struct Slice {
    wanted: Vec<bool>,
    /// The demanded values that the side itself computes.
    made: Vec<bool>,
    present: Vec<bool>,
}

/// The values and operations of both sides.
pub(crate) struct Demand<'f> {
    function: &'f Function,
    facts: &'f Facts,
    choice: &'f Choice,
    /// By side.
    slices: [Slice; 2],
    todo: Vec<(Side, ValueId)>,
    /// The values that the host passes to the graph at its start.
    inputs: Vec<ValueId>,
    /// The values that cross later, with the receiving side, in no particular order.
    crossings: Vec<(ValueId, Side)>,
}

impl<'f> Demand<'f> {
    /// Slices the function for both sides.
    pub(crate) fn of(function: &'f Function, facts: &'f Facts, choice: &'f Choice) -> Self {
        let slice = Slice {
            wanted: vec![false; function.values.len()],
            made: vec![false; function.values.len()],
            present: vec![false; function.ops.len()],
        };
        let mut demand = Demand {
            function,
            facts,
            choice,
            slices: [slice.clone(), slice],
            todo: Vec::new(),
            inputs: Vec::new(),
            crossings: Vec::new(),
        };
        for op in function.op_ids().filter(|&op| facts.is_live(op)) {
            let data = &function[op];
            match data.kind {
                Kind::Graph => demand.run_op(Side::Graph, op),
                Kind::Host if !data.pure => demand.run_op(Side::Host, op),
                Kind::Abort => demand.run_op(Side::Host, op),
                Kind::End if data.region == BODY => data
                    .operands
                    .iter()
                    .for_each(|end| demand.want(Side::Host, end.value)),
                _ => {}
            }
        }
        demand.run();
        demand
    }

    /// Adds a region operation to `side`, so that a transfer can be inside of it.
    pub(crate) fn include(&mut self, side: Side, op: OpId) {
        self.enter_op(side, op);
        self.run();
    }

    /// Returns the function that is sliced.
    pub(crate) fn function(&self) -> &'f Function {
        self.function
    }

    /// Returns the sides that compute each value.
    pub(crate) fn choice(&self) -> &'f Choice {
        self.choice
    }

    /// Returns the facts about the function.
    pub(crate) fn facts(&self) -> &'f Facts {
        self.facts
    }

    /// Returns whether a side runs an operation.
    pub(crate) fn is_present(&self, side: Side, op: OpId) -> bool {
        self.slices[side as usize].present[op.index()]
    }

    /// Returns whether a side computes or carries a value.
    pub(crate) fn is_made(&self, side: Side, value: ValueId) -> bool {
        self.slices[side as usize].made[value.index()]
    }

    /// Returns the inputs of the graph: values from before the start, in the order of their
    /// definitions.
    pub(crate) fn inputs(&self) -> Vec<ValueId> {
        let mut inputs = self.inputs.clone();
        inputs.sort_unstable();
        inputs
    }

    /// Returns the values that cross after the start, with the receiving side, in the order of
    /// their definitions.
    pub(crate) fn crossings(&self) -> Vec<(ValueId, Side)> {
        let mut crossings = self.crossings.clone();
        crossings.sort_unstable_by_key(|&(value, _)| value);
        crossings
    }

    /// Returns how a side executes a region operation that it has: whether it runs one arm
    /// unconditionally.
    pub(crate) fn bypass(&self, side: Side, op: OpId) -> Option<Bypass> {
        self.facts.bypass(op).filter(|_| side == Side::Graph)
    }

    /// Returns the results of a region operation that a side keeps.
    pub(crate) fn kept_results(&self, side: Side, op: OpId) -> impl Iterator<Item = usize> {
        let data = &self.function[op];
        (0..data.results.len()).filter(move |&index| {
            let result = self.is_made(side, data.results[index]);
            match data.kind {
                // The results and the arguments of the body are the same slots.
                Kind::While => {
                    result || self.is_made(side, self.function[data.regions[1]].arguments[index])
                }
                Kind::For => {
                    result
                        || self.is_made(side, self.function[data.regions[0]].arguments[index + 1])
                }
                _ => result,
            }
        })
    }

    /// Returns the initial values of a loop that a side keeps.
    pub(crate) fn kept_inits(&self, side: Side, op: OpId) -> Vec<usize> {
        let data = &self.function[op];
        match data.kind {
            Kind::While => {
                let arguments = &self.function[data.regions[0]].arguments;
                (0..arguments.len())
                    .filter(|&index| self.is_made(side, arguments[index]))
                    .collect()
            }
            Kind::For => self.kept_results(side, op).collect(),
            _ => Vec::new(),
        }
    }

    /// Calls `visit` with each operand of an operation on its side, with its region and position
    /// there. The terminators of regions are visited as part of their owner.
    pub(crate) fn for_each_use(&self, side: Side, mut visit: impl FnMut(Use, RegionId, usize)) {
        let function = self.function;
        for op in function.op_ids() {
            let data = &function[op];
            if data.kind == Kind::End {
                if data.region == BODY && side == Side::Host && !function[BODY].aborts {
                    data.operands
                        .iter()
                        .for_each(|&operand| visit(operand, BODY, data.index));
                }
                continue;
            }
            if !self.is_present(side, op) {
                continue;
            }
            if !data.kind.has_regions() {
                data.operands
                    .iter()
                    .for_each(|&operand| visit(operand, data.region, data.index));
                continue;
            }
            let here = |operand: Use, visit: &mut dyn FnMut(Use, RegionId, usize)| {
                visit(operand, data.region, data.index)
            };
            let end =
                |region: RegionId, index: usize, visit: &mut dyn FnMut(Use, RegionId, usize)| {
                    let end = &function[function.end(region)];
                    if !function[region].aborts {
                        visit(end.operands[index], region, end.index);
                    }
                };
            let bypass = self.bypass(side, op);
            match data.kind {
                Kind::If | Kind::Switch => {
                    if bypass.is_none() {
                        here(data.operands[0], &mut visit);
                    }
                    let arms = data
                        .regions
                        .iter()
                        .filter(|&&arm| bypass.is_none_or(|bypass| bypass == Bypass::Into(arm)));
                    for &arm in arms {
                        self.kept_results(side, op)
                            .for_each(|index| end(arm, index, &mut visit));
                    }
                }
                Kind::While => {
                    for index in self.kept_inits(side, op) {
                        here(data.operands[index], &mut visit);
                        end(data.regions[1], index, &mut visit);
                    }
                    end(data.regions[0], 0, &mut visit);
                    self.kept_results(side, op)
                        .for_each(|index| end(data.regions[0], index + 1, &mut visit));
                }
                _ => {
                    data.operands[..FOR_BOUNDS]
                        .iter()
                        .for_each(|&bound| here(bound, &mut visit));
                    for index in self.kept_inits(side, op) {
                        here(data.operands[FOR_BOUNDS + index], &mut visit);
                        end(data.regions[0], index, &mut visit);
                    }
                }
            }
        }
    }

    /// Returns the operations of a side that use a value that `is_missing` selects and that the
    /// side does not compute, each with the first such operand.
    pub(crate) fn missing(
        &self,
        side: Side,
        is_missing: impl Fn(&ValueData) -> bool,
    ) -> Vec<(OpId, Use)> {
        let mut missing: Vec<(OpId, Use)> = Vec::new();
        self.for_each_use(side, |operand, region, index| {
            let op = self.function[region].ops[index];
            let is_new = missing.last().is_none_or(|(last, _)| *last != op);
            let data = &self.function[operand.value];
            if is_new && is_missing(data) && !self.is_made(side, operand.value) {
                missing.push((op, operand));
            }
        });
        missing
    }

    fn run(&mut self) {
        while let Some((side, value)) = self.todo.pop() {
            self.satisfy(side, value);
        }
    }

    fn want(&mut self, side: Side, value: ValueId) {
        if !std::mem::replace(&mut self.slices[side as usize].wanted[value.index()], true) {
            self.todo.push((side, value));
        }
    }

    fn satisfy(&mut self, side: Side, value: ValueId) {
        let before = self.facts.is_before_start(self.function, value);
        let made_here = match side {
            _ if before => side == Side::Host || self.facts.is_constant(value),
            Side::Host => self.choice.homes[value.index()] != Home::Graph,
            Side::Graph => self.choice.homes[value.index()] != Home::Host,
        };
        if made_here {
            self.make(side, value);
            return;
        }
        if before {
            self.inputs.push(value);
        } else {
            self.crossings.push((value, side));
        }
        self.want(side.other(), value);
    }

    fn make(&mut self, side: Side, value: ValueId) {
        let function = self.function;
        self.slices[side as usize].made[value.index()] = true;
        if let Some(owner) = function.controller(value) {
            self.enter_op(side, owner);
            // Arms that abort have no sources, so a bypass needs no case of its own.
            function.sources(value, |source, _| self.want(side, source.value));
        } else if let Def::Result(op, _) = function[value].def {
            self.run_op(side, op);
        }
    }

    /// Adds a plain operation to a side.
    fn run_op(&mut self, side: Side, op: OpId) {
        if std::mem::replace(&mut self.slices[side as usize].present[op.index()], true) {
            return;
        }
        let function = self.function;
        function[op]
            .operands
            .iter()
            .for_each(|operand| self.want(side, operand.value));
        for &result in &function[op].results {
            self.slices[side as usize].made[result.index()] = true;
        }
        self.enter(side, function[op].region);
    }

    /// Adds the control flow around a region to a side.
    fn enter(&mut self, side: Side, region: RegionId) {
        if let Some(owner) = self.function[region].owner {
            self.enter_op(side, owner);
        }
    }

    fn enter_op(&mut self, side: Side, op: OpId) {
        let function = self.function;
        let mut at = Some(op);
        while let Some(op) = at.filter(|op| !self.slices[side as usize].present[op.index()]) {
            self.slices[side as usize].present[op.index()] = true;
            if self.bypass(side, op).is_none() {
                function.controls(op, |control, _| self.want(side, control.value));
            }
            at = function[function[op].region].owner;
        }
    }
}
