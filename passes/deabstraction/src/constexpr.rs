//! `tfx-constexpr`: attributes that are computed become attributes that are written.
//!
//! ```text
//!   %two = arith.constant 2 : i64
//!   %s = func.call @double(%two) : (i64) -> i64
//!   %a = tfx_host.array(%one, %s, %s, %one) : ...             tfx_tensor.op "MaxPool"(%x) {strides = [1, 4, 4, 1]}
//!   tfx_tensor.op "MaxPool"(%x) computed(strides = %a)   ──►
//! ```
//!
//! What a value is in every run is asked backwards from where it is used (`demand.rs`), through operations, branches, loops and calls, which are run on what is known
//! (`machine.rs`), with MLIR's own folders for scalars (`tfx_ir::scalars`). So is each scalar that is made a tensor, such as a size in a shape: where it is a
//! constant, the tensor is one too. Nothing else is folded. What only computed attributes needed is erased, calls and loops included, if it has run to its end here and has no
//! effects (`sweep.rs`).
//!
//! An attribute that is not a constant is an error at the operation, with the reason and the way to it; or, with `dynamic=host`, the operation stays as it is,
//! becomes the host's (`eager.rs`), and a remark says the same. An operation that control never comes to needs no attributes: the branch round it becomes a jump.
//!
//! Cost: linear in the operations that are evaluated, each counted as a step; each attribute has a budget of them. A value, and a call with the same arguments, is evaluated once for the
//! whole module.

mod code;
mod demand;
mod eager;
mod flow;
mod machine;
mod pool;
mod report;
mod steps;
mod sweep;
mod written;

pub(crate) use flow::{Flow, LoopId};
pub(crate) use machine::case_of;
pub(crate) use tfx_ir::scalars::{Scalars, integer};

use melior::ir::Attribute;
use tfx_dialects::extracted::is_extracted;
use tfx_dialects::replicable::is_eager;
use tfx_dialects::tensor;
use tfx_graphdef::naming;
use tfx_graphdef_mlir::operations::{COMPUTED_ATTRIBUTE, OP, resolve_op, split_operands};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassFailed, Statistic};
use tfx_ir::{Builder, Op, Value, diag};

use crate::names;
use demand::Demand;
use pool::Constant;
use sweep::Sweep;
use written::{dense, make_constant, written};

/// What one attribute may cost: some seconds. A program that computes more at compile time has most likely a loop that does not end.
const BUDGET: u64 = 1_000_000;

/// What all scalars that are made tensors may cost together: they need not be constants, so they are not worth a wait.
const SCALAR_BUDGET: u64 = 100_000;

/// How often scalars are asked for again after a loop or a branch has gone, which may make constants
/// of more of them. Each round needs that of the round before, so that more than two are rare.
const MAX_ROUNDS: usize = 8;

tfx_ir::option_enum! {
    /// What becomes of an operation with an attribute that is not a constant.
    pub enum Dynamic {
        /// It is an error.
        Error = "error",
        /// The host runs it by itself, with the value that the attribute has then; a remark says so.
        Host = "host",
    }
}

tfx_ir::options! {
    /// The treatment of attributes that are not constants.
    pub struct DynamicOptions {
        /// The treatment of an operation with an attribute that is not a constant: 'error', or 'host',
        /// which runs the operation by itself once the value is known.
        dynamic: Dynamic = Dynamic::Error,
    }
}

tfx_ir::options! {
    /// The limit of evaluation.
    pub struct BudgetOptions {
        /// The largest number of operations that are evaluated for one attribute.
        budget: u64 = BUDGET,
    }
}

tfx_ir::composed_options! {
    /// The options of `tfx-constexpr`.
    pub struct ConstexprOptions {
        /// The limit of evaluation.
        limit: BudgetOptions,
        /// The treatment of attributes that are not constants.
        attributes: DynamicOptions,
    }
}

/// The head of its source file has the algorithm and its cost.
#[derive(Default)]
pub struct Constexpr;

const ATTRIBUTES: Statistic = Statistic {
    name: "attributes",
    description: "Attributes that were computed",
};
const EAGER_OPERATIONS: Statistic = Statistic {
    name: "eager-operations",
    description: "Operations that stay on the host, because an attribute is not a constant",
};
const STEPS: Statistic = Statistic {
    name: "steps",
    description: "Operations that were evaluated",
};

impl Pass for Constexpr {
    type Options = ConstexprOptions;
    const NAME: &'static str = "TfxConstexpr";
    const ARGUMENT: &'static str = "tfx-constexpr";
    const DESCRIPTION: &'static str =
        "Compute the attributes of graph operations that are given as values";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[ATTRIBUTES, EAGER_OPERATIONS, STEPS];

    fn run<'a>(
        &mut self,
        module: Op<'a>,
        cx: &PassContext<'a, ConstexprOptions>,
    ) -> Result<(), PassFailed> {
        let mut folding = Folding::new(module, cx);
        let mut result = Ok(());
        for op in computed(module) {
            if let Err(failed) = folding.attributes(op) {
                result = Err(failed);
            }
        }
        result?;
        eager::unmark_functions(module);
        folding.scalars(module);
        for _ in 0..MAX_ROUNDS {
            if !folding.sweep.run(&mut folding.demand) {
                break;
            }
            folding = Folding::new(module, cx);
            folding.scalars(module);
        }
        Ok(())
    }
}

/// The operations with computed attributes.
fn computed<'a>(module: Op<'a>) -> Vec<Op<'a>> {
    module
        .walk()
        .filter(|op| op.is(OP) && op.attribute(COMPUTED_ATTRIBUTE).is_some())
        .collect()
}

/// What came of one attribute.
enum Attempt<'a> {
    /// It is a constant.
    Written(Attribute<'a>),
    /// Only the run time knows it, and that will do.
    Dynamic,
    /// Control never comes to the operation.
    NeverReached,
}

struct Folding<'a, 'p> {
    demand: Demand<'a>,
    sweep: Sweep<'a>,
    cx: &'p PassContext<'a, ConstexprOptions>,
}

impl<'a, 'p> Folding<'a, 'p> {
    fn new(module: Op<'a>, cx: &'p PassContext<'a, ConstexprOptions>) -> Self {
        Self {
            demand: Demand::new(module),
            sweep: Sweep::default(),
            cx,
        }
    }

    /// Makes the computed attributes of an operation written ones. Those that are not constants stay, where the operation may be the host's.
    fn attributes(&mut self, op: Op<'a>) -> Result<(), PassFailed> {
        let (tensors, values) = split_operands(op);
        let mut attributes = Vec::with_capacity(values.len());
        let mut folded = Vec::with_capacity(values.len());
        let mut kept = Vec::new();
        for &(name, value) in &values {
            match self.attribute(op, name, value)? {
                Attempt::Written(attribute) => {
                    attributes.push((name, attribute));
                    folded.push(value);
                }
                Attempt::Dynamic => kept.push((name, value)),
                Attempt::NeverReached => return Ok(()),
            }
        }
        self.cx.count(ATTRIBUTES, attributes.len() as u64);
        eager::keep(op, &tensors, &kept);
        for (name, attribute) in attributes {
            op.set_attribute(name, attribute);
        }
        self.sweep.unused(folded);
        if let Err(fault) = resolve_op(op, &naming::program_name) {
            let error = diag::error(op.location(), fault.message);
            let error = values.iter().fold(error, |error, (name, value)| {
                error.note(
                    value.location(),
                    format!("attribute \"{name}\" is computed from this"),
                )
            });
            return Err(error.fail());
        }
        if kept.is_empty() {
            make_constant(op);
        } else {
            self.cx.count(EAGER_OPERATIONS, 1);
        }
        Ok(())
    }

    /// The value of one attribute, if it has one at compile time.
    fn attribute(
        &mut self,
        op: Op<'a>,
        name: &str,
        value: Value<'a>,
    ) -> Result<Attempt<'a>, PassFailed> {
        let steps = &mut self.demand.machine.steps;
        steps.restart(self.cx.options().limit.budget);
        let outcome = self.demand.value_at(value, op);
        self.cx.count(STEPS, self.demand.machine.steps.used());
        let attribute = match outcome {
            Err(steps::TooManySteps) => {
                return Err(report::too_many_steps(op, name, &mut self.demand).fail());
            }
            Ok(outcome) => written(outcome, op, name, &mut self.demand.machine.pool),
        };
        let reason = match attribute {
            Ok(attribute) => return Ok(Attempt::Written(attribute)),
            Err(_) if self.never_reached(op) => return Ok(Attempt::NeverReached),
            Err(reason) => reason,
        };
        let pool = &self.demand.machine.pool;
        let error = || report::not_constant(op, name, reason, pool);
        let wanted = self.cx.options().attributes.dynamic == Dynamic::Host || is_eager(op);
        match eager::obstacle(op, name, value) {
            Some((location, why)) if wanted => Err(error().note(location, why).fail()),
            Some(_) => Err(error().fail()),
            None if wanted => {
                report::runs_on_host(op, name, reason, pool).emit();
                Ok(Attempt::Dynamic)
            }
            None => Err(report::or_on_host(op, error()).fail()),
        }
    }

    /// Whether a branch before an operation always goes another way. Then the branch is made a jump in the end.
    fn never_reached(&mut self, op: Op<'a>) -> bool {
        let (Some(mut block), Some(region)) = (op.block(), op.parent_region()) else {
            return false;
        };
        let flow = self.demand.flow(region);
        if !flow.reaches(block) {
            return true;
        }
        while let Some(dominator) = flow.dominator(block) {
            let branch = dominator
                .last()
                .expect("a block with successors ends in a branch");
            let steps = &mut self.demand.machine.steps;
            steps.restart(self.cx.options().limit.budget);
            let [(source, successor)] = block.incoming()[..] else {
                block = dominator;
                continue;
            };
            let goes = |way| {
                branch
                    .successor_operands(way)
                    .is_some_and(|handed| handed.produced() == 0)
            };
            if source == branch
                && let Ok(Some(way)) = self.demand.way_of(branch)
                && way != successor
                && goes(way)
            {
                self.sweep.jump(branch, way);
                return true;
            }
            block = dominator;
        }
        false
    }

    /// Makes the tensors constants that hold a scalar which is one.
    fn scalars(&mut self, module: Op<'a>) {
        let in_source = module
            .children()
            .filter(|op| !op.is(names::GRAPH) && !is_extracted(*op));
        let made: Vec<_> = in_source
            .flat_map(Op::walk)
            .filter(|op| op.isa::<tensor::FromScalar>())
            .collect();
        self.demand.machine.steps.restart(SCALAR_BUDGET);
        for op in made {
            let scalar = op.operand(0);
            let Ok(Ok(Constant::Scalar(value))) = self.demand.value_at(scalar, op) else {
                continue;
            };
            let ty = op.result(0).ty();
            let Ok(value) = dense(op.context(), ty, &[value], false) else {
                continue;
            };
            let constant = tensor::Const::build(&mut Builder::before(op), ty, value.into());
            op.replace_with(&[constant.result()]);
            self.sweep.unused([scalar]);
        }
        self.cx.count(STEPS, self.demand.machine.steps.used());
    }
}
