//! Structured control flow, but for `scf.while` (see `loops`), and how a translated block ends.
//!
//! ```text
//! scf.if %c {A} else {B}             tfx_tensor.if %c {A} else {B}
//! scf.index_switch %i 4 {A} 9 {B}    tfx_tensor.case select(%i == 4, 0, select(%i == 9, 1, 2)) {A}, {B}, {D}
//!   default {D}                      many cases: a tree of these
//! scf.for %i = %l to %u step %s      tfx_tensor.while (%i = %l) {%i < %u} do {A; %i + %s}
//! ```

use std::rc::Rc;

use melior::ir::{Attribute, Type, attribute::DenseI64ArrayAttribute};
use tfx_graphdef_mlir::{effects::MAY_NOT_END, types};
use tfx_ir::{
    Block, Op, Region, Value,
    diag::{self, Diag},
    termination::terminates,
};

use super::{Job, Legalizer, emit::Emit, loops::Rotated};

/// What stands at the end of a translated block.
pub(super) enum End<'a> {
    /// The results of the graph.
    Return,
    /// What the old terminator yields.
    Yield,
    /// Before what the old terminator yields, the next value of a counter.
    Count { counter: Value<'a>, step: Value<'a> },
    /// The condition of the old terminator, which forwards nothing that is not known outside.
    Condition,
    /// The header of a loop that runs as part of the body.
    Header(Rc<Rotated<'a>>),
    /// The rest of such a loop.
    Rest(Rc<Rotated<'a>>, Vec<Value<'a>>),
}

impl<'a> Legalizer<'a> {
    /// Translates the terminator of a block.
    pub(super) fn end(
        &mut self,
        end: &End<'a>,
        op: Op<'a>,
        emit: &mut Emit<'a>,
    ) -> Result<(), Diag<'a>> {
        match (end, op.name()) {
            (End::Return, "tfx_tensor.return") => {
                let values: Vec<_> = op
                    .operands()
                    .map(|value| emit.typed(self.value(value), value.ty()))
                    .collect();
                emit.builder()
                    .op("tfx_tensor.return")
                    .operands(&values)
                    .build();
            }
            (End::Yield, "scf.yield" | "tfx_tensor.yield") => {
                emit.yields(&self.values(op.operands()))
            }
            (End::Count { counter, step }, "scf.yield") => {
                let mut values = vec![emit.op("AddV2", &[*counter, *step], counter.ty())];
                values.extend(self.values(op.operands()));
                emit.yields(&values);
            }
            (End::Condition, "scf.condition") => emit.yields(&[self.value(op.operand(0))]),
            (End::Header(rotated), "scf.condition") => self.end_of_header(rotated, op, emit),
            (End::Rest(rotated, forwarded), "scf.yield") => {
                let next = self.values(op.operands());
                emit.yields(&rotated.state(&next, forwarded));
            }
            _ => {
                let message = format!(
                    "'{}' cannot end a block of a graph: control flow in a graph is structured",
                    op.name()
                );
                return Err(diag::error(op.location(), message));
            }
        }
        Ok(())
    }

    pub(super) fn branch(&mut self, op: Op<'a>, emit: &mut Emit<'a>) {
        let condition = self.value(op.operand(0));
        let new = emit
            .builder()
            .op("tfx_tensor.if")
            .operand(condition)
            .results(&tensor_results(op))
            .regions(2)
            .build();
        for (old, region) in op.regions().zip(new.regions()) {
            self.region(old, region, op);
        }
        self.results(op, new);
    }

    pub(super) fn switch(&mut self, op: Op<'a>, emit: &mut Emit<'a>) {
        let cases = cases(op);
        let selector = self.value(op.operand(0));
        let index = branch_index(selector, &cases, emit);
        // TensorFlow takes the last branch where the index is outside; the default comes first in the old operation.
        let branches: Vec<_> = op.regions().skip(1).chain([op.region(0)]).collect();
        let root = case_of_groups(op, index, branches.len(), emit);
        let mut todo = vec![(root, index, &branches[..])];
        while let Some((case, index, branches)) = todo.pop() {
            let size = group_size(branches.len());
            for ((position, group), region) in branches.chunks(size).enumerate().zip(case.regions())
            {
                if let [branch] = group {
                    self.region(*branch, region, op);
                    continue;
                }
                let mut emit = Emit::at_end(region.add_block(&[]), op.location());
                let first = emit.integer((position * size) as i64, types::element_type(index.ty()));
                let index = emit.op("Sub", &[index, first], index.ty());
                let inner = case_of_groups(op, index, group.len(), &mut emit);
                emit.yields(&inner.results().collect::<Vec<_>>());
                todo.push((inner, index, group));
            }
        }
        self.results(op, root);
    }

    pub(super) fn count(&mut self, op: Op<'a>, emit: &mut Emit<'a>) {
        let operands = self.values(op.operands());
        let [from, to, step, ref carried @ ..] = operands[..] else {
            unreachable!("a verified scf.for has bounds and a step");
        };
        let mut inits = vec![from];
        inits.extend(carried);
        let mut carried_types = vec![from.ty()];
        carried_types.extend(tensor_results(op));
        let (new, condition, body) = while_op(&inits, &carried_types, op, emit);

        let mut test = Emit::at_end(condition, op.location());
        let counter = condition.argument(0);
        let go = if op.attribute("unsignedCmp").is_some() {
            super::scalars::unsigned_less(counter, to, &mut test)
        } else {
            let ty = test.bool_like(counter);
            test.op("Less", &[counter, to], ty)
        };
        test.yields(&[go]);

        let source = op.region(0).entry().expect("a verified scf.for has a body");
        for (old, new) in source.arguments().zip(body.arguments()) {
            self.new_values.map(old, new);
        }
        let end = End::Count {
            counter: body.argument(0),
            step,
        };
        self.pending.push(Job {
            source,
            target: body,
            end,
        });
        for (old, new) in op.results().zip(new.results().skip(1)) {
            self.new_values.map(old, new);
        }
    }

    /// Control flow that is functional already: only what is inside changes.
    pub(super) fn functional(&mut self, op: Op<'a>, emit: &mut Emit<'a>) {
        let new = emit
            .builder()
            .clone_without_regions(op, &mut self.new_values);
        for (old, region) in op.regions().zip(new.regions()) {
            self.region(old, region, op);
        }
    }

    /// Leaves the only block of a region to be translated into `target`; a region without one yields nothing.
    fn region(&mut self, old: Region<'a>, target: Region<'a>, op: Op<'a>) {
        let Some(source) = old.entry() else {
            let block = target.add_block(&[]);
            Emit::at_end(block, op.location()).yields(&[]);
            return;
        };
        let target = target.add_block(&tensor_arguments(source));
        for (old, new) in source.arguments().zip(target.arguments()) {
            self.new_values.map(old, new);
        }
        self.pending.push(Job {
            source,
            target,
            end: End::Yield,
        });
    }

    pub(super) fn results(&mut self, old: Op<'a>, new: Op<'a>) {
        for (old, new) in old.results().zip(new.results()) {
            self.new_values.map(old, new);
        }
    }
}

/// More branches than this become a tree of cases. Each branch of a `Case` takes what any of them captures, channels above
/// all, so that a case of N branches with a message in each has N² arguments: TensorFlow takes half a minute for 250. In a tree, the branches of each
/// level have N together. Wider nodes have more arguments, narrower ones are deeper.
const MOST_BRANCHES: usize = 8;

/// How many branches each of at most [`MOST_BRANCHES`] groups of `count` branches has.
fn group_size(count: usize) -> usize {
    let mut size = 1;
    while size * MOST_BRANCHES < count {
        size *= MOST_BRANCHES;
    }
    size
}

/// A `tfx_tensor.case` with a branch for each group of `count` branches of an operation, by the index of a branch.
fn case_of_groups<'a>(op: Op<'a>, index: Value<'a>, count: usize, emit: &mut Emit<'a>) -> Op<'a> {
    let size = group_size(count);
    let mut group = index;
    if size > 1 {
        let divisor = emit.integer(size as i64, types::element_type(index.ty()));
        group = emit.op("FloorDiv", &[index, divisor], index.ty());
    }
    emit.builder()
        .op("tfx_tensor.case")
        .operand(group)
        .results(&tensor_results(op))
        .regions(count.div_ceil(size))
        .build()
}

/// A `tfx_tensor.while` over values of some types, with its two empty blocks.
pub(super) fn while_op<'a>(
    inits: &[Value<'a>],
    carried: &[Type<'a>],
    old: Op<'a>,
    emit: &mut Emit<'a>,
) -> (Op<'a>, Block<'a>, Block<'a>) {
    let new = emit
        .builder()
        .op("tfx_tensor.while")
        .operands(inits)
        .results(carried)
        .regions(2)
        .build();
    if !terminates(old) {
        new.set_attribute(MAY_NOT_END, Attribute::unit(old.context()));
    }
    let arguments: Vec<_> = carried.iter().map(|&ty| (ty, old.location())).collect();
    (
        new,
        new.region(0).add_block(&arguments),
        new.region(1).add_block(&arguments),
    )
}

/// The arguments of a block, as tensors.
fn tensor_arguments<'a>(block: Block<'a>) -> Vec<(Type<'a>, melior::ir::Location<'a>)> {
    let tensor = |argument: Value<'a>| types::tensor_type(argument.context(), argument.ty());
    block
        .arguments()
        .map(|argument| (tensor(argument), argument.location()))
        .collect()
}

/// The types of the results of an operation, as tensors.
fn tensor_results(op: Op<'_>) -> Vec<Type<'_>> {
    op.results()
        .map(|result| types::tensor_type(op.context(), result.ty()))
        .collect()
}

fn cases(op: Op) -> Vec<i64> {
    let attribute = op
        .attribute("cases")
        .and_then(|cases| DenseI64ArrayAttribute::try_from(cases).ok());
    let attribute = attribute.expect("a verified scf.index_switch lists its cases");
    (0..attribute.len())
        .map(|index| attribute.element(index).expect("the index is in bounds"))
        .collect()
}

/// The number of the branch for a selector: the position of its case, or the number of cases.
///
/// Cases 0, 1, 2, ... are clamped; any others are compared one by one.
fn branch_index<'a>(selector: Value<'a>, cases: &[i64], emit: &mut Emit<'a>) -> Value<'a> {
    let element = types::element_type(selector.ty());
    let index_type = emit.integer_type(32);
    let boolean = emit.bool_like(selector);
    let default = emit.integer(cases.len() as i64, index_type);
    if cases.iter().copied().eq(0..cases.len() as i64) {
        let (zero, count) = (
            emit.integer(0, element),
            emit.integer(cases.len() as i64, element),
        );
        let not_below = emit.op("GreaterEqual", &[selector, zero], boolean);
        let not_above = emit.op("Less", &[selector, count], boolean);
        let inside = emit.op("LogicalAnd", &[not_below, not_above], boolean);
        let index = emit.cast(selector, index_type);
        return emit.op("SelectV2", &[inside, index, default], default.ty());
    }
    let mut index = default;
    for (position, &case) in cases.iter().enumerate() {
        let case = emit.integer(case, element);
        let is_case = emit.op("Equal", &[selector, case], boolean);
        let position = emit.integer(position as i64, index_type);
        index = emit.op("SelectV2", &[is_case, position, index], default.ty());
    }
    index
}
