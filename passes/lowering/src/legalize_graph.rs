//! `tfx-legalize-graph`: leaves nothing in a graph but what TensorFlow has.
//!
//! ```text
//! scalars                      tensors of rank 0 (index: i64)
//! arith.addi, math.exp, ...    tfx_tensor.op "AddV2", "Exp", ...       scalars.rs
//! scf.if, scf.index_switch     tfx_tensor.if, tfx_tensor.case          control.rs
//! scf.for, scf.while           tfx_tensor.while                        control.rs, loops.rs
//! tfx_host.undef               zeros; of a resource or variant, the handle of nothing
//! ```
//!
//! The signature of a graph, its channels and the calls of other graphs keep their scalars, since
//! the host agreed on them; there `from_scalar` and `to_scalar` stand at the border. The body is
//! built anew beside the old one, block by block: a region becomes a region that a worklist fills
//! later, so nothing recurses. If something cannot run in a graph, the old body stays.
//!
//! Every operation of the input is translated exactly once, so nothing is duplicated, and an effect
//! runs as often as before. Linear.
//!
//! Not promised: that TensorFlow has a kernel for each element type, or that `math` functions round
//! as on the host.

mod control;
mod emit;
mod floats;
mod loops;
mod scalars;

use melior::ir::Type;
use tfx_graphdef_mlir::{effects::Effects, types};
use tfx_ir::{
    Block, Mapping, Op, Value,
    diag::{self, Diag},
    pass::{Anchor, Pass, PassContext, PassFailed},
};

use control::End;
use emit::Emit;

/// See the documentation of this module.
#[derive(Default)]
pub struct LegalizeGraph;

impl Pass for LegalizeGraph {
    type Options = ();
    const NAME: &'static str = "TfxLegalizeGraph";
    const ARGUMENT: &'static str = "tfx-legalize-graph";
    const DESCRIPTION: &'static str =
        "Turn the bodies of graphs into tensor operations and functional control flow";
    const ANCHOR: Anchor = Anchor::Op("tfx_tensor.graph");

    fn run<'a>(&mut self, graph: Op<'a>, _: &PassContext<'a, ()>) -> Result<(), PassFailed> {
        legalize(graph).map_err(Diag::fail)
    }
}

/// Builds the new body, then takes the old one away; or the new one, if it cannot be finished.
fn legalize<'a>(graph: Op<'a>) -> Result<(), Diag<'a>> {
    let body = graph.region(0);
    let Some(old) = body.single_block() else {
        return Err(diag::error(
            graph.location(),
            "the body of this graph has branches; run the pass tfx-sese first, which structures it",
        ));
    };
    let arguments: Vec<_> = old
        .arguments()
        .map(|argument| (argument.ty(), argument.location()))
        .collect();
    let new = body.add_block(&arguments);
    let mut legalizer = Legalizer {
        effects: Effects::of_graph(graph),
        new_values: Mapping::new(),
        pending: Vec::new(),
    };
    let finished = legalizer.translate(old, new);
    if finished.is_ok() { old } else { new }.erase();
    finished
}

/// A block that is to be filled with the translation of another.
struct Job<'a> {
    source: Block<'a>,
    target: Block<'a>,
    end: End<'a>,
}

struct Legalizer<'a> {
    /// What has an effect in the old body.
    effects: Effects<'a>,
    /// From old values to new ones, which are tensors.
    new_values: Mapping<'a>,
    pending: Vec<Job<'a>>,
}

impl<'a> Legalizer<'a> {
    fn translate(&mut self, old: Block<'a>, new: Block<'a>) -> Result<(), Diag<'a>> {
        for (argument, value) in old.arguments().zip(new.arguments()) {
            let value = Emit::at_end(new, argument.location()).scalar_tensor(value);
            self.new_values.map(argument, value);
        }
        self.pending.push(Job {
            source: old,
            target: new,
            end: End::Return,
        });
        while let Some(job) = self.pending.pop() {
            self.fill(job)?;
        }
        Ok(())
    }

    fn fill(&mut self, job: Job<'a>) -> Result<(), Diag<'a>> {
        let mut ops = job.source.ops().peekable();
        while let Some(op) = ops.next() {
            let mut emit = Emit::at_end(job.target, op.location());
            if ops.peek().is_none() {
                self.end(&job.end, op, &mut emit)?;
            } else {
                self.operation(op, &mut emit)?;
            }
        }
        Ok(())
    }

    fn operation(&mut self, op: Op<'a>, emit: &mut Emit<'a>) -> Result<(), Diag<'a>> {
        match op.name() {
            "tfx_tensor.op" | "tfx_tensor.const" => _ = emit.clone_op(op, &mut self.new_values),
            "tfx_tensor.from_scalar" => {
                self.new_values.map(op.result(0), self.value(op.operand(0)))
            }
            "tfx_tensor.to_scalar" => {
                let scalar = emit.rank_0(self.value(op.operand(0)));
                self.new_values.map(op.result(0), scalar);
            }
            "tfx_tensor.if" | "tfx_tensor.case" | "tfx_tensor.while" => self.functional(op, emit),
            "tfx_tensor.call" | "tfx_comm.send" | "tfx_comm.recv" => self.border(op, emit),
            "tfx_host.undef" => {
                let ty = types::tensor_type(op.context(), op.result(0).ty());
                let unread = emit
                    .placeholder(ty)
                    .ok_or_else(|| diag::error(op.location(), no_zero(ty)))?;
                self.new_values.map(op.result(0), unread);
            }
            "scf.if" => self.branch(op, emit),
            "scf.index_switch" => self.switch(op, emit),
            "scf.for" => self.count(op, emit),
            "scf.while" => self.repeat(op, emit)?,
            _ => self.scalar(op, emit)?,
        }
        Ok(())
    }

    /// Arithmetic, on scalars and on tensors.
    fn scalar(&mut self, op: Op<'a>, emit: &mut Emit<'a>) -> Result<(), Diag<'a>> {
        let operands: Vec<_> = op.operands().map(|value| self.value(value)).collect();
        let result = scalars::translate(op, &operands, emit).ok_or_else(|| cannot_run(op))?;
        self.new_values.map(op.result(0), result);
        Ok(())
    }

    /// An operation whose types the host, or another graph, has agreed on: scalars stay scalars.
    fn border(&mut self, op: Op<'a>, emit: &mut Emit<'a>) {
        let operands: Vec<_> = op
            .operands()
            .map(|value| emit.typed(self.value(value), value.ty()))
            .collect();
        let new = emit.clone_op(op, &mut self.new_values);
        new.set_operands(&operands);
        for (old, value) in op.results().zip(new.results()) {
            let value = emit.scalar_tensor(value);
            self.new_values.map(old, value);
        }
    }

    /// The tensor that stands for an old value.
    ///
    /// # Panics
    ///
    /// If the value has not been translated: it does not dominate its use, which the verifier has
    /// ruled out.
    fn value(&self, old: Value<'a>) -> Value<'a> {
        self.new_values
            .get(old)
            .expect("a value is translated before its uses")
    }

    fn values(&self, old: impl Iterator<Item = Value<'a>>) -> Vec<Value<'a>> {
        old.map(|value| self.value(value)).collect()
    }
}

fn cannot_run<'a>(op: Op<'a>) -> Diag<'a> {
    let types: Vec<_> = op
        .operands()
        .chain(op.results())
        .map(|value| value.ty().to_string())
        .collect();
    let message = format!(
        "'{}' ({}) cannot run in a graph: TensorFlow has no operation that means the same; compute it on the host",
        op.name(),
        types.join(", ")
    );
    diag::error(op.location(), message)
}

fn no_zero(ty: Type) -> String {
    format!(
        "a value of {ty} is carried along a path that does not have one, and TensorFlow has no constant of that type to stand for it"
    )
}
