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
use tfx_ir::ops::{cf, func, scf};
use tfx_ir::{Block, Op};

use super::{Ending, Fault, For, Translation, Work};
use crate::code::{Action, Instruction, Register};
use crate::value::{Number, Value};

impl<'a> Translation<'_, 'a> {
    pub(super) fn control(
        &mut self,
        op: Op<'a>,
        ending: Ending<'a>,
    ) -> Result<Option<Action<'a>>, Fault<'a>> {
        Ok(Some(match op.name() {
            func::Return::NAME => Action::Return,
            func::Call::NAME => self.call(op)?,
            cf::Branch::NAME => Action::Jump(self.edge(op, 0)),
            cf::CondBranch::NAME => {
                Action::Switch([(0, self.edge(op, 1))].into(), self.edge(op, 0))
            }
            cf::Switch::NAME => {
                let width = match Number::of(op.operand(0).ty()) {
                    Some(Number::Integer(width)) => width,
                    _ => return Ok(None),
                };
                let mut cases = Vec::new();
                for (index, case) in case_values(op).into_iter().enumerate() {
                    let case = crate::value::masked(case as u64, width);
                    cases.push((case, self.edge(op, index + 1)));
                }
                Action::Switch(cases.into(), self.edge(op, 0))
            }
            cf::Assert::NAME => Action::Assert(op.string("msg").unwrap_or_default()),
            scf::If::NAME => {
                let cases = vec![(0, op.region(1).entry())];
                self.choice(op, cases, op.region(0).entry());
                return Ok(None);
            }
            scf::IndexSwitch::NAME => {
                let cases = index_cases(op).into_iter().enumerate();
                let cases = cases.map(|(index, case)| (case as u64, op.region(index + 1).entry()));
                self.choice(op, cases.collect(), op.region(0).entry());
                return Ok(None);
            }
            scf::ExecuteRegion::NAME => {
                self.execute_region(op);
                return Ok(None);
            }
            scf::While::NAME => {
                self.repeat(op);
                return Ok(None);
            }
            scf::For::NAME => {
                self.count(op);
                return Ok(None);
            }
            scf::Yield::NAME | scf::Condition::NAME => {
                self.end(op, ending);
                return Ok(None);
            }
            _ => return Ok(None),
        }))
    }

    //===-- Regions -----------------------------------------------------------------------------------------------===//

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
        self.emit_on(op, selector, switch);
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
    fn count(&mut self, op: Op<'a>) {
        let body = op.region(0).entry().expect("a loop has a body");
        let width = match Number::of(op.operand(0).ty()) {
            Some(Number::Integer(width)) => width,
            _ => 64,
        };
        let is_unsigned = op.attribute("unsignedCmp").is_some();
        let [start, test, after] = [self.label(), self.label(), self.label()];
        let mut jump = self.jump(test, body.arguments().skip(1), op.operands().skip(3));
        let index = self.register(body.argument(0));
        let lower = self.register(op.operand(0));
        let moves = jump.moves.iter().copied().chain([(index, lower)]);
        jump.moves = moves.collect();
        self.emit(op, Action::Jump(jump));
        self.places[test] = self.code.instructions.len();
        let (goes_on, upper) = (self.fresh(), self.register(op.operand(1)));
        let less = Action::Compute(Box::new(move |values| {
            let (a, b) = (values[0].bits()?, values[1].bits()?);
            let less = match is_unsigned {
                true => a < b,
                false => crate::value::signed(a, width) < crate::value::signed(b, width),
            };
            Ok([Value::Integer(u64::from(less))].into_iter().collect())
        }));
        self.code.instructions.push(Instruction {
            op,
            action: less,
            operands: [index, upper].into_iter().collect(),
            results: [goes_on].into_iter().collect(),
        });
        let leaves = self.jump(after, op.results(), body.arguments().skip(1));
        let enters = self.plain(start);
        self.emit_on(op, goes_on, Action::Switch([(0, leaves)].into(), enters));
        let step = self.register(op.operand(2));
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
                let goes_on = self.jump(second, body.arguments(), values.iter().copied());
                let leaves = self.jump(after, around.results(), values.into_iter());
                self.emit_on(op, flag, Action::Switch([(0, leaves)].into(), goes_on));
            }
            Ending::Step(For { index, step, test }) => self.step(op, index, step, test),
        }
    }

    fn step(&mut self, op: Op<'a>, index: Register, step: Register, test: usize) {
        let around = op.parent().expect("a yield is in its loop");
        let body = around.region(0).entry().expect("a loop has a body");
        let width = match Number::of(body.argument(0).ty()) {
            Some(Number::Integer(width)) => width,
            _ => 64,
        };
        let next = self.fresh();
        let add = Action::Compute(Box::new(move |values| {
            let sum = values[0].bits()?.wrapping_add(values[1].bits()?);
            Ok([Value::Integer(crate::value::masked(sum, width))]
                .into_iter()
                .collect())
        }));
        self.code.instructions.push(Instruction {
            op,
            action: add,
            operands: [index, step].into_iter().collect(),
            results: [next].into_iter().collect(),
        });
        let mut jump = self.jump(test, body.arguments().skip(1), op.operands());
        jump.moves = jump.moves.iter().copied().chain([(index, next)]).collect();
        self.emit(op, Action::Jump(jump));
    }
}

/// Returns the cases of an `scf.index_switch`; `melior` cannot read dense arrays.
fn index_cases(op: Op<'_>) -> Vec<i64> {
    let text = op.attribute("cases").map(|cases| cases.to_string());
    let text = text.unwrap_or_default();
    let list = text.trim_start_matches("array<i64").trim_end_matches('>');
    let list = list.trim_start_matches(": ");
    list.split(", ")
        .filter_map(|case| case.parse().ok())
        .collect()
}

/// Returns the cases of a `cf.switch`.
fn case_values(op: Op<'_>) -> Vec<i64> {
    let Some(Ok(values)) = op
        .attribute("case_values")
        .map(DenseElementsAttribute::try_from)
    else {
        return Vec::new();
    };
    let width = IntegerType::try_from(op.operand(0).ty()).map_or(i64::BITS, |ty| ty.width());
    let number = |index| match width {
        1 => values.bool_element(index).map(i64::from).ok(),
        8 => values.i8_element(index).map(i64::from).ok(),
        16 => values.i16_element(index).map(i64::from).ok(),
        32 => values.i32_element(index).map(i64::from).ok(),
        _ => values.i64_element(index).ok(),
    };
    (0..values.len()).filter_map(number).collect()
}
