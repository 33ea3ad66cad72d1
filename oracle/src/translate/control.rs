//! Control flow: regions become jumps.
//!
//! ```text
//!   scf.while:   before: ...             scf.for:   index := first
//!                switch: -> after             test: switch index < last: -> after
//!                body:   ...                        ...
//!                jump before                        index += step, jump test
//!                after:                      after:
//! ```

use melior::ir::attribute::DenseElementsAttribute;
use melior::ir::r#type::IntegerType;
use tfx_ir::ops::cf::{self, CfOp};
use tfx_ir::ops::func::FuncOp;
use tfx_ir::ops::scf::{self, ScfOp};
use tfx_ir::{Block, Op, Region};

use super::{Ending, For, Translation, Work};
use crate::code::{Action, Register};
use crate::error::Failure;
use crate::value::{Number, Value, masked, signed};

impl<'a> Translation<'_, 'a> {
    pub(super) fn control(
        &mut self,
        op: Op<'a>,
        ending: Ending<'a>,
    ) -> Result<Option<Action<'a>>, Failure<'a>> {
        if let Some(func) = FuncOp::cast(op) {
            return Ok(match func {
                FuncOp::Return(_) => Some(Action::Return),
                FuncOp::Call(call) => Some(self.call(op, call.callee())?),
                _ => None,
            });
        }
        if let Some(branch) = CfOp::cast(op) {
            return Ok(self.branch(branch));
        }
        match ScfOp::cast(op) {
            Some(ScfOp::If(view)) => {
                let cases = vec![(0, view.else_region().entry())];
                self.choice(op, cases, view.then_region().entry());
            }
            Some(ScfOp::IndexSwitch(view)) => {
                let numbers = view.cases().into_iter().map(|case| case as u64);
                let cases = numbers.zip(view.case_regions().map(Region::entry));
                self.choice(op, cases.collect(), view.default_region().entry());
            }
            Some(ScfOp::ExecuteRegion(_)) => self.execute_region(op),
            Some(ScfOp::While(_)) => self.repeat(op),
            Some(ScfOp::For(view)) => self.count(view),
            Some(ScfOp::Yield(_) | ScfOp::Condition(_)) => self.end(op, ending),
            None => {}
        }
        Ok(None)
    }

    fn branch(&mut self, branch: CfOp<'a>) -> Option<Action<'a>> {
        let op = branch.op();
        Some(match branch {
            CfOp::Branch(_) => Action::Jump(self.edge(op, 0)),
            CfOp::CondBranch(_) => Action::Switch([(0, self.edge(op, 1))].into(), self.edge(op, 0)),
            CfOp::Switch(view) => {
                let Some(Number::Integer(width)) = Number::of(view.flag().ty()) else {
                    return None;
                };
                let mut cases = Vec::new();
                for (index, case) in case_values(view).into_iter().enumerate() {
                    cases.push((masked(case as u64, width), self.edge(op, index + 1)));
                }
                Action::Switch(cases.into(), self.edge(op, 0))
            }
            CfOp::Assert(view) => Action::Assert(view.msg(), Box::default()),
        })
    }

    // Regions.

    /// Jumps to the region of a number, or past the operation if that is empty.
    pub(super) fn choice(
        &mut self,
        op: Op<'a>,
        cases: Vec<(u64, Option<Block<'a>>)>,
        otherwise: Option<Block<'a>>,
    ) {
        let after = self.label();
        self.work.push(Work::Place(after));
        let mut enter = |block: Option<Block<'a>>| match block {
            Some(block) => {
                let label = self.label();
                self.push(block, label, Ending::Leave(op, after));
                self.plain(label)
            }
            None => self.plain(after),
        };
        let otherwise = enter(otherwise);
        let cases = cases
            .into_iter()
            .map(|(number, block)| (number, enter(block)));
        let switch = Action::Switch(cases.collect(), otherwise);
        let selector = self.register(op.operand(0));
        self.emit_on(op, switch, &[selector], &[]);
    }

    fn execute_region(&mut self, op: Op<'a>) {
        let after = self.label();
        self.work.push(Work::Place(after));
        let blocks: Vec<_> = op.region(0).blocks().collect();
        for block in blocks.into_iter().rev() {
            let label = self.label_of(block);
            self.push(block, label, Ending::Leave(op, after));
        }
    }

    /// `scf.while` and `tfx_tensor.while`.
    pub(super) fn repeat(&mut self, op: Op<'a>) {
        let half = |region: usize| op.region(region).entry().expect("a loop has two regions");
        let labels = [self.label(), self.label(), self.label()];
        let jump = self.jump(labels[0], half(0).arguments(), op.operands());
        self.emit(op, Action::Jump(jump));
        self.work.push(Work::Place(labels[2]));
        self.push(half(1), labels[1], Ending::Again(op, labels[0]));
        self.push(
            half(0),
            labels[0],
            Ending::Condition(op, labels[1], labels[2]),
        );
    }

    /// `scf.for`: the induction variable and the iteration arguments are the arguments of the body;
    /// the latter are forwarded to the results when the induction variable reaches the end.
    fn count(&mut self, view: scf::For<'a>) {
        let op = view.op();
        let body = view.region().entry().expect("a loop has a body");
        let width = index_width(view);
        let is_unsigned = view.unsigned_cmp();
        let [start, test, after] = [self.label(), self.label(), self.label()];
        let carried = view.first_iter_arg();
        let mut jump = self.jump(
            test,
            body.arguments().skip(carried),
            view.init_args().iter(),
        );
        let index = self.register(view.induction_variable());
        let lower = self.register(view.lower_bound());
        let moves = jump.moves.iter().copied().chain([(index, lower)]);
        jump.moves = moves.collect();
        self.emit(op, Action::Jump(jump));
        self.places[test] = self.code.instructions.len();
        let (continues, upper) = (self.fresh(), self.register(view.upper_bound()));
        let less = Action::Compute(Box::new(move |values| {
            let (a, b) = (values[0].bits()?, values[1].bits()?);
            let less = match is_unsigned {
                true => a < b,
                false => signed(a, width) < signed(b, width),
            };
            Ok([Value::Integer(u64::from(less))].into_iter().collect())
        }));
        self.emit_on(op, less, &[index, upper], &[continues]);
        let leaves = self.jump(after, op.results(), body.arguments().skip(carried));
        let enters = self.plain(start);
        let switch = Action::Switch([(0, leaves)].into(), enters);
        self.emit_on(op, switch, &[continues], &[]);
        let step = self.register(view.step());
        self.work.push(Work::Place(after));
        self.push(body, start, Ending::Step(For { index, step, test }));
    }

    pub(super) fn end(&mut self, op: Op<'a>, ending: Ending<'a>) {
        let yielded = |skip: usize| op.operands().skip(skip);
        match ending {
            Ending::Function => {}
            Ending::Leave(around, after) => {
                let jump = self.jump(after, around.results(), yielded(0));
                self.emit(op, Action::Jump(jump));
            }
            Ending::Again(around, before) => {
                let block = around.region(0).entry().expect("a loop has two regions");
                let jump = self.jump(before, block.arguments(), yielded(0));
                self.emit(op, Action::Jump(jump));
            }
            Ending::Condition(around, second, after) => {
                let half = |region: usize| around.region(region).entry();
                let body = half(1).expect("a loop has two regions");
                let flag = self.register(op.operand(0));
                // In a functional loop the condition yields only the decision: the iteration
                // arguments are forwarded unchanged.
                let values: Vec<_> = match op.isa::<scf::Condition>() {
                    true => yielded(1).collect(),
                    false => half(0)
                        .expect("a loop has two regions")
                        .arguments()
                        .collect(),
                };
                let continues = self.jump(second, body.arguments(), values.iter().copied());
                let leaves = self.jump(after, around.results(), values.into_iter());
                let switch = Action::Switch([(0, leaves)].into(), continues);
                self.emit_on(op, switch, &[flag], &[]);
            }
            Ending::Step(For { index, step, test }) => self.step(op, index, step, test),
        }
    }

    fn step(&mut self, op: Op<'a>, index: Register, step: Register, test: usize) {
        let around = op.parent().and_then(scf::For::cast);
        let around = around.expect("a yield is in its loop");
        let body = around.region().entry().expect("a loop has a body");
        let width = index_width(around);
        let next = self.fresh();
        let add = Action::Compute(Box::new(move |values| {
            let sum = values[0].bits()?.wrapping_add(values[1].bits()?);
            Ok([Value::Integer(masked(sum, width))].into_iter().collect())
        }));
        self.emit_on(op, add, &[index, step], &[next]);
        let carried = body.arguments().skip(around.first_iter_arg());
        let mut jump = self.jump(test, carried, op.operands());
        jump.moves = jump.moves.iter().copied().chain([(index, next)]).collect();
        self.emit(op, Action::Jump(jump));
    }
}

/// Returns the width of the induction variable.
fn index_width(view: scf::For<'_>) -> u32 {
    match Number::of(view.lower_bound().ty()) {
        Some(Number::Integer(width)) => width,
        _ => 64,
    }
}

/// Returns the cases of a `cf.switch`.
fn case_values(switch: cf::Switch<'_>) -> Vec<i64> {
    let Some(Ok(values)) = switch.case_values().map(DenseElementsAttribute::try_from) else {
        return Vec::new();
    };
    let width = IntegerType::try_from(switch.flag().ty()).map_or(i64::BITS, |ty| ty.width());
    let number = |index| match width {
        1 => values.bool_element(index).map(i64::from).ok(),
        8 => values.i8_element(index).map(i64::from).ok(),
        16 => values.i16_element(index).map(i64::from).ok(),
        32 => values.i32_element(index).map(i64::from).ok(),
        _ => values.i64_element(index).ok(),
    };
    (0..values.len()).filter_map(number).collect()
}
