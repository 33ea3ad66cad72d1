//! `tfx-constexpr`: folds computed operation attributes to constants.
//!
//! ```text
//!   %two = arith.constant 2 : i64
//!   %s = func.call @double(%two) : (i64) -> i64
//!   %a = tfx_host.array(%one, %s, %s, %one) : ...             tfx_tensor.op "MaxPool"(%x) {strides = [1, 4, 4, 1]}
//!   tfx_tensor.op "MaxPool"(%x) computed(strides = %a)   ──►
//! ```
//!
//! A value is evaluated on demand, backwards from its use (`demand.rs`), through operations,
//! branches, loops and calls, which are executed on known values (`machine.rs`), with MLIR's
//! folders for scalars (`tfx_ir::scalars`). Scalars that are turned into tensors, such as a size in
//! a shape, are evaluated as well: if one is a constant, so is the tensor. Nothing else is folded.
//! Code that only computed attributes needed is erased, calls and loops included, if it terminated
//! during evaluation and has no effects (`sweep.rs`).
//!
//! An attribute that is not a constant is an error at the operation, with the reason and the
//! dependences. With `dynamic=host` the operation is left unchanged and runs on the host
//! (`eager.rs`), with the same text as a remark. Unreachable operations are skipped; the branch
//! around them is folded.
//!
//! Cost: linear in the evaluated operations, each counted as a step; each attribute has a budget of
//! steps. A value, and a call with equal arguments, is evaluated once for the whole module.

mod code;
mod demand;
mod eager;
mod machine;
mod pool;
mod report;
mod steps;
mod sweep;
mod to_attribute;

use melior::ir::Attribute;
use tfx_dialects::extracted::is_extracted;
use tfx_dialects::replicable::is_eager;
use tfx_dialects::tensor;
use tfx_graphdef::naming;
use tfx_graphdef_mlir::operations::{COMPUTED_ATTRIBUTE, OP, resolve_op, split_operands};
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassFailed, PassResult, Statistic};
use tfx_ir::{Builder, Op, Value};

use demand::Demand;
use pool::Constant;
use sweep::Sweep;
use to_attribute::{dense, make_constant, to_attribute};

/// The budget of one attribute: a few seconds. A program that computes more at compile time most
/// likely has a loop that does not terminate.
const BUDGET: u64 = 1_000_000;

/// The budget of all scalars that are turned into tensors together: they need not be constants, so
/// they are not worth a long wait.
const SCALAR_BUDGET: u64 = 100_000;

/// The number of times that scalars are evaluated again after a loop or a branch was removed, which
/// may turn more of them into constants. Each round depends on the previous one, so more than two
/// are rare.
const MAX_ROUNDS: usize = 8;

tfx_ir::option_enum! {
    /// The treatment of an operation with an attribute that is not a constant.
    pub enum Dynamic {
        /// An error.
        Error = "error",
        /// The host runs it by itself, with the value of the attribute at that time; a remark
        /// reports this.
        Host = "host",
    }
}

tfx_ir::options! {
    /// The treatment of attributes that are not constants.
    pub struct DynamicOptions {
        /// The treatment of an operation with an attribute that is not a constant: 'error', or
        /// 'host', which runs the operation by itself once the value is known.
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

/// The pass; the module describes the algorithm.
#[derive(Default)]
pub struct Constexpr;

const ATTRIBUTES: Statistic = Statistic::new("attributes", "Folded attributes");
const EAGER_OPERATIONS: Statistic = Statistic::new(
    "eager-operations",
    "Operations that stay on the host, because an attribute is not a constant",
);
const STEPS: Statistic = Statistic::new("steps", "Evaluated operations");

impl Pass for Constexpr {
    type Options = ConstexprOptions;
    const NAME: &'static str = "TfxConstexpr";
    const ARGUMENT: &'static str = "tfx-constexpr";
    const DESCRIPTION: &'static str = "Fold computed operation attributes to constants";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[ATTRIBUTES, EAGER_OPERATIONS, STEPS];

    fn run<'a>(&mut self, module: Op<'a>, cx: &PassContext<'a, ConstexprOptions>) -> PassResult {
        let mut folding = Folding::new(module, cx);
        let mut result = Ok(());
        for op in computed(module) {
            if let Err(error) = folding.attributes(op) {
                // Emitted here, so that errors and remarks are in program order.
                result = Err(PassFailed::from(error));
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

/// The result of evaluating an attribute.
enum Attempt<'a> {
    /// It is a constant.
    Constant(Attribute<'a>),
    /// It is known only at run time, which is allowed.
    Dynamic,
    /// The operation is unreachable.
    Unreachable,
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

    /// Replaces the computed attributes of an operation by constants. Those that are not constants
    /// stay, if the operation may run on the host.
    fn attributes(&mut self, op: Op<'a>) -> Result<(), Diagnostic<'a>> {
        let (tensors, values) = split_operands(op);
        let mut attributes = Vec::with_capacity(values.len());
        let mut folded = Vec::with_capacity(values.len());
        let mut kept = Vec::new();
        for &(name, value) in &values {
            match self.attribute(op, name, value)? {
                Attempt::Constant(attribute) => {
                    attributes.push((name, attribute));
                    folded.push(value);
                }
                Attempt::Dynamic => kept.push((name, value)),
                Attempt::Unreachable => return Ok(()),
            }
        }
        self.cx.count(ATTRIBUTES, attributes.len() as u64);
        eager::keep(op, &tensors, &kept);
        for (name, attribute) in attributes {
            op.set_attribute(name, attribute);
        }
        self.sweep.unused(folded);
        if let Err(invalid) = resolve_op(op, &naming::program_name) {
            let mut error = diag::error(op.location(), invalid.message);
            for (name, value) in &values {
                let note = format!("attribute \"{name}\" is computed from this");
                error = error.note(value.location(), note);
            }
            return Err(error);
        }
        if kept.is_empty() {
            make_constant(op);
        } else {
            self.cx.count(EAGER_OPERATIONS, 1);
        }
        Ok(())
    }

    /// Returns the value of an attribute, if it is known at compile time.
    fn attribute(
        &mut self,
        op: Op<'a>,
        name: &str,
        value: Value<'a>,
    ) -> Result<Attempt<'a>, Diagnostic<'a>> {
        let steps = &mut self.demand.machine.steps;
        steps.restart(self.cx.options().limit.budget);
        let outcome = self.demand.value_at(value, op);
        self.cx.count(STEPS, self.demand.machine.steps.used());
        let attribute = match outcome {
            Err(steps::TooManySteps) => {
                return Err(report::too_many_steps(op, name, &mut self.demand));
            }
            Ok(outcome) => to_attribute(outcome, op, name, &mut self.demand.machine.pool),
        };
        let reason = match attribute {
            Ok(attribute) => return Ok(Attempt::Constant(attribute)),
            Err(_) if self.is_unreachable(op) => return Ok(Attempt::Unreachable),
            Err(reason) => reason,
        };
        let pool = &self.demand.machine.pool;
        let error = || report::not_constant(op, name, reason, pool);
        let allowed = self.cx.options().attributes.dynamic == Dynamic::Host || is_eager(op);
        match eager::obstacle(op, name, value) {
            Some((location, why)) if allowed => Err(error().note(location, why)),
            Some(_) => Err(error()),
            None if allowed => {
                report::runs_on_host(op, name, reason, pool).emit();
                Ok(Attempt::Dynamic)
            }
            None => Err(report::or_on_host(op, error())),
        }
    }

    /// Returns whether a branch before an operation always takes another path. Such a branch is
    /// folded at the end.
    fn is_unreachable(&mut self, op: Op<'a>) -> bool {
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
            if source == branch
                && let Ok(Some(taken)) = self.demand.successor_of(branch)
                && taken != successor
                && let Some(operands) = branch.successor_operands(taken)
                && operands.produced() == 0
            {
                self.sweep.jump(branch, taken);
                return true;
            }
            block = dominator;
        }
        false
    }

    /// Replaces tensors of constant scalars by constants.
    fn scalars(&mut self, module: Op<'a>) {
        let in_source = module
            .children()
            .filter(|op| !op.isa::<tensor::Graph>() && !is_extracted(*op));
        let made = in_source.flat_map(Op::walk);
        let made: Vec<_> = made.filter_map(tensor::FromScalar::cast).collect();
        self.demand.machine.steps.restart(SCALAR_BUDGET);
        for op in made {
            let scalar = op.scalar();
            let Ok(Ok(Constant::Scalar(value))) = self.demand.value_at(scalar, op.op()) else {
                continue;
            };
            let ty = op.result().ty();
            let Ok(value) = dense(op.context(), ty, &[value], false) else {
                continue;
            };
            let constant = tensor::Const::build(&mut Builder::before(op.op()), ty, value);
            op.replace_with(&[constant.result()]);
            self.sweep.unused([scalar]);
        }
        self.cx.count(STEPS, self.demand.machine.steps.used());
    }
}
