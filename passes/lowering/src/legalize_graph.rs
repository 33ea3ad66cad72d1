//! `tfx-legalize-graph`: converts the body of a graph to TensorFlow operations and functional
//! control flow.
//!
//! ```text
//! scalars                      tensors of rank 0 (index: i64)
//! arith.addi, math.exp, ...    tfx_tensor.op "AddV2", "Exp", ...       scalars.rs, floats.rs
//! scf.if, scf.index_switch     tfx_tensor.if, tfx_tensor.case          branches.rs
//! scf.for, scf.while           tfx_tensor.while                        loops.rs, rotated.rs
//! tfx_ad.push, tfx_ad.pop      tfx_tensor.op "TensorListPushBack", ...   tapes.rs
//! tfx_host.undef               zeros, or a handle that does not exist
//! ```
//!
//! The signature of a graph, its channels and the calls of other graphs keep their scalar types,
//! because the host depends on them; `from_scalar` and `to_scalar` convert the values there. A tape
//! in the signature of a graph that only graphs call is a list of tensors. The new body is built
//! next to the old one, block by block. A worklist contains the regions that are not converted yet,
//! so nothing recurses. If an operation cannot run in a graph, the old body stays.
//!
//! Each operation of the input is converted exactly once, so no code is duplicated and each effect
//! occurs as often as before. Linear.
//!
//! Not guaranteed: that TensorFlow has a kernel for each element type, and that `math` functions
//! round as on the host.

mod branches;
mod floats;
mod legalizer;
mod loops;
mod rotated;
mod scalars;
mod tapes;
mod tensor_builder;

use melior::Context;
use melior::ir::Type;
use melior::ir::r#type::FunctionType;
use tfx_dialects::ad::AdOp;
use tfx_dialects::derivatives::tape_element;
use tfx_dialects::tensor::{self, TensorOp};
use tfx_dialects::{comm, host};
use tfx_graphdef_mlir::effects::{self, Effect};
use tfx_graphdef_mlir::types;
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::ops::{Structured, scf};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult};
use tfx_ir::{Block, Op};

use legalizer::{End, Legalizer, WorkItem, placeholder};
use tensor_builder::TensorBuilder;

/// `tfx-legalize-graph`: see the documentation of the module.
#[derive(Default)]
pub struct LegalizeGraph;

impl Pass for LegalizeGraph {
    type Options = ();
    const NAME: &'static str = "TfxLegalizeGraph";
    const ARGUMENT: &'static str = "tfx-legalize-graph";
    const DESCRIPTION: &'static str =
        "Convert the bodies of graphs to tensor operations and functional control flow";
    const ANCHOR: Anchor = Anchor::Op(tensor::Graph::NAME);

    fn run<'a>(&mut self, graph: Op<'a>, _: &PassContext<'a, ()>) -> PassResult {
        let graph = tensor::Graph::cast(graph).expect("the pass runs on graphs");
        Ok(legalize(graph)?)
    }
}

/// Builds the new body, and erases the old one; the new one if it cannot be completed.
fn legalize(graph: tensor::Graph<'_>) -> Result<(), Diagnostic<'_>> {
    let Some(old) = graph.body().single_block() else {
        return Err(diag::error(
            graph.location(),
            "the body of this graph has branches; run the pass tfx-sese first, which structures it",
        ));
    };
    let context = graph.op().context();
    let arguments = old.arguments();
    let arguments = arguments.map(|value| (boundary_type(context, value.ty()), value.location()));
    let new = graph.body().add_block(&arguments.collect::<Vec<_>>());
    let converted = Legalizer::new(graph.op()).convert(old, new);
    if converted.is_ok() { old } else { new }.erase();
    if converted.is_ok() {
        convert_signature(graph.op());
    }
    converted
}

/// Converts the tapes in the signature of a graph that other graphs call.
fn convert_signature<'a>(graph: Op<'a>) {
    let (parameters, results) = graph.signature();
    let context = graph.context();
    let convert = |ty: &Type<'a>| boundary_type(context, *ty);
    let inputs: Vec<_> = parameters.iter().map(convert).collect();
    let outputs: Vec<_> = results.iter().map(convert).collect();
    if (&inputs, &outputs) != (&parameters, &results) {
        graph.set_function_type(FunctionType::new(context, &inputs, &outputs));
    }
}

/// Returns the type of an argument or a result of a graph: scalars stay scalars, but a tape, which
/// only graphs pass to each other, is a list of tensors.
fn boundary_type<'a>(context: &'a Context, ty: Type<'a>) -> Type<'a> {
    match tape_element(ty) {
        Some(_) => types::tensor_type(context, ty),
        None => ty,
    }
}

impl<'a> Legalizer<'a> {
    fn convert(&mut self, old: Block<'a>, new: Block<'a>) -> Result<(), Diagnostic<'a>> {
        for (argument, value) in old.arguments().zip(new.arguments()) {
            let value = TensorBuilder::at_end(new, argument.location()).as_tensor(value);
            self.new_values.map(argument, value);
        }
        self.enqueue(old, new, End::Return);
        while let Some(item) = self.worklist.pop() {
            self.convert_block(item)?;
        }
        Ok(())
    }

    fn convert_block(&mut self, item: WorkItem<'a>) -> Result<(), Diagnostic<'a>> {
        let mut ops = item.source.ops().peekable();
        while let Some(op) = ops.next() {
            let mut builder = TensorBuilder::at_end(item.target, op.location());
            if ops.peek().is_some() {
                self.convert_op(op, &mut builder)?;
            } else {
                self.convert_terminator(&item.end, op, &mut builder)?;
            }
        }
        Ok(())
    }

    fn convert_op(
        &mut self,
        op: Op<'a>,
        builder: &mut TensorBuilder<'a>,
    ) -> Result<(), Diagnostic<'a>> {
        if let Some(op) = TensorOp::cast(op) {
            return self.convert_tensor_op(op, builder);
        }
        if let Some(op) = AdOp::cast(op) {
            return self.convert_tape(op, builder);
        }
        match Structured::cast(op) {
            Some(Structured::If(op)) => self.convert_if(op, builder),
            Some(Structured::Switch(op)) => self.convert_switch(op, builder),
            Some(Structured::For(op)) => self.convert_for(op, builder),
            Some(Structured::While(op)) => self.convert_while(op, builder)?,
            None if op.isa::<comm::Send>() || op.isa::<comm::Recv>() => {
                self.convert_boundary(op, builder);
            }
            None if op.isa::<comm::Copy>() && !self.is_undefined(op) => {
                builder.clone_op(op, &mut self.new_values);
            }
            None if op.isa::<comm::Copy>() => {
                self.undefined.insert(op.result(0));
                self.new_values.map(op.result(0), self.value(op.operand(0)));
            }
            None => {
                let result = match host::Undef::cast(op) {
                    Some(op) => {
                        self.undefined.insert(op.result());
                        let ty = types::tensor_type(op.context(), op.result().ty());
                        placeholder(ty, builder)?
                    }
                    None => {
                        let operands = self.values(op.operands());
                        scalars::convert(op, &operands, builder).ok_or_else(|| cannot_run(op))?
                    }
                };
                self.new_values.map(op.result(0), result);
            }
        }
        Ok(())
    }

    fn convert_tensor_op(
        &mut self,
        op: TensorOp<'a>,
        builder: &mut TensorBuilder<'a>,
    ) -> Result<(), Diagnostic<'a>> {
        match op {
            TensorOp::Op(op) if self.is_undefined(op.op()) => {
                for result in op.op().results() {
                    self.undefined.insert(result);
                    let placeholder = placeholder(result.ty(), builder)?;
                    self.new_values.map(result, placeholder);
                }
            }
            TensorOp::Op(_) | TensorOp::Const(_) => {
                builder.clone_op(op.op(), &mut self.new_values);
            }
            TensorOp::FromScalar(op) => {
                self.new_values.map(op.result(), self.value(op.scalar()));
            }
            TensorOp::ToScalar(op) => {
                let scalar = builder.as_rank_0(self.value(op.tensor()));
                self.new_values.map(op.result(), scalar);
            }
            TensorOp::If(_) | TensorOp::Case(_) | TensorOp::While(_) => {
                self.convert_functional(op.op(), builder);
            }
            TensorOp::Call(op) => self.convert_boundary(op.op(), builder),
            TensorOp::Graph(_) | TensorOp::Return(_) | TensorOp::Yield(_) => {
                return Err(cannot_run(op.op()));
            }
        }
        Ok(())
    }

    /// Returns whether the results of an operation are never read, because its only operand is
    /// not. The placeholder of the operand has no known sizes, and would contradict theirs.
    fn is_undefined(&self, op: Op<'a>) -> bool {
        let mut operands = op.operands();
        let only = operands.next().filter(|_| operands.next().is_none());
        only.is_some_and(|operand| self.undefined.contains(&operand))
            && effects::own_effect(op) == Effect::Pure
    }

    /// Converts an operation whose types the host or another graph depends on: scalars stay
    /// scalars.
    fn convert_boundary(&mut self, op: Op<'a>, builder: &mut TensorBuilder<'a>) {
        let operands = op.operands();
        let operands = operands.map(|value| {
            builder.as_type(self.value(value), boundary_type(op.context(), value.ty()))
        });
        let operands: Vec<_> = operands.collect();
        let new = builder.clone_op(op, &mut self.new_values);
        new.set_operands(&operands);
        for (old, value) in op.results().zip(new.results()) {
            value.set_ty(boundary_type(op.context(), old.ty()));
            self.new_values.map(old, builder.as_tensor(value));
        }
    }

    fn convert_terminator(
        &mut self,
        end: &End<'a>,
        op: Op<'a>,
        builder: &mut TensorBuilder<'a>,
    ) -> Result<(), Diagnostic<'a>> {
        let operands = self.values(op.operands());
        match (end, op.name()) {
            (End::Return, tensor::Return::NAME) => {
                let values = operands.into_iter().zip(op.operands());
                let values = values.map(|(value, old)| {
                    builder.as_type(value, boundary_type(op.context(), old.ty()))
                });
                let values: Vec<_> = values.collect();
                tensor::Return::build(builder, &values);
            }
            (End::Yield, scf::Yield::NAME | tensor::Yield::NAME) => builder.yield_values(&operands),
            (End::Count { counter, step }, scf::Yield::NAME) => {
                let mut values = vec![builder.tf_op("AddV2", &[*counter, *step], counter.ty())];
                values.extend(operands);
                builder.yield_values(&values);
            }
            (End::Condition, scf::Condition::NAME) => builder.yield_values(&operands[..1]),
            (End::Before(rotated), scf::Condition::NAME) => {
                self.end_before(rotated, operands[0], &operands[1..], builder);
            }
            (End::After(rotated, forwarded), scf::Yield::NAME) => {
                builder.yield_values(&rotated.next_state(&operands, forwarded));
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
}

fn cannot_run(op: Op<'_>) -> Diagnostic<'_> {
    let values = op.operands().chain(op.results());
    let types: Vec<_> = values.map(|value| value.ty().to_string()).collect();
    let message = format!(
        "'{}' ({}) cannot run in a graph: TensorFlow has no equivalent operation; compute it on the host",
        op.name(),
        types.join(", ")
    );
    diag::error(op.location(), message)
}
