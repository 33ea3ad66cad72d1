//! Keeps tensor operations that may fail although nothing needs their results.
//!
//! ```text
//!   z = x + y      # the sizes may differ        %z = tfx_tensor.op "AddV2"(%x, %y)
//!   return x                                     tfx_tensor.op "Assert"(%true, %z)      added
//! ```
//!
//! Python runs such an operation, and raises its error; a compiler would erase it. An assertion
//! that holds, and that shows the result, keeps it in the graph: it costs no transfer, and the
//! graph reports the failure as that of any other operation.
//!
//! # Algorithm
//!
//! Liveness of values across functions, which the emission passes as leaves: what has effects and
//! what decides a branch needs its operands; a live argument of a block or a function needs what is
//! forwarded to it, and a live result of a call needs what the function returns there. Operations
//! with dead results that may fail are kept, the last ones first, since they keep those before them
//! that they use. A derivative needs everything that its function returns.
//!
//! Cost: linear in operations and operands.
//!
//! Limits: an operation that a pass of tfx proves to be needless, such as an operand of one
//! that is folded, is not kept.

use std::collections::{HashMap, HashSet};

use melior::ir::Type;
use melior::ir::attribute::{BoolAttribute, DenseElementsAttribute};
use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{ShapedTypeLike, TypeLike};
use tfx::dialects::{ad, tensor};
use tfx::ir::ops::func;
use tfx::ir::{Builder, Definition, Op, Value, module};
use tfx::program::{Program, tensor_shape};

/// Keeps the operations of a program that may fail.
pub(crate) fn keep_failures(program: &Program<'_>) {
    let module = module::as_op(program.module());
    let functions: Vec<Op<'_>> = module
        .region(0)
        .blocks()
        .flat_map(|block| block.ops())
        .filter(|op| op.is(func::Func::NAME) && !op.is_declaration())
        .collect();
    let mut live = Live::new(&functions);
    live.spread();
    for function in functions.iter().rev() {
        let blocks: Vec<_> = function.region(0).blocks().collect();
        for block in blocks.into_iter().rev() {
            let ops: Vec<_> = block.ops_backwards().collect();
            for op in ops {
                let is_dead = !op.results().any(|result| live.values.contains(&result));
                if is_dead && may_fail(op) {
                    keep(op);
                    live.mark_operands(op);
                    live.spread();
                }
            }
        }
    }
}

/// Adds an assertion that holds, and that shows the result of an operation.
fn keep(op: Op<'_>) {
    let context = op.context();
    let truth: Type<'_> =
        RankedTensorType::new(&[], IntegerType::new(context, 1).into(), None).into();
    let value = DenseElementsAttribute::new(truth, &[BoolAttribute::new(context, true).into()])
        .expect("a constant has its type");
    let mut builder = Builder::after(op).at(op.location());
    let holds = builder.op(tensor::Const::NAME);
    let holds = holds.attribute("value", value).result(truth).value();
    let assertion = builder.op(tensor::Op::NAME).string("tf_name", "Assert");
    assertion.operand(holds).operand(op.result(0)).build();
}

/// The live values of a program.
struct Live<'a> {
    values: HashSet<Value<'a>>,
    pending: Vec<Value<'a>>,
    /// By function: its calls and its returns.
    calls: HashMap<&'a str, Vec<Op<'a>>>,
    returns: HashMap<&'a str, Vec<Op<'a>>>,
}

impl<'a> Live<'a> {
    /// Marks what operations with effects need.
    fn new(functions: &[Op<'a>]) -> Self {
        let mut live = Live {
            values: HashSet::new(),
            pending: Vec::new(),
            calls: HashMap::new(),
            returns: HashMap::new(),
        };
        let names = functions
            .iter()
            .filter_map(|function| function.symbol_name());
        live.calls = names.clone().map(|name| (name, Vec::new())).collect();
        live.returns = names.map(|name| (name, Vec::new())).collect();
        let mut differentiated = Vec::new();
        for function in functions {
            let name = function.symbol_name().unwrap_or_default();
            for op in function.region(0).blocks().flat_map(|block| block.ops()) {
                if op.is(func::Return::NAME) {
                    live.returns.entry(name).or_default().push(op);
                    if !function.is_private() {
                        live.mark_operands(op);
                    }
                } else if let Some(calls) = callee(op).and_then(|name| live.calls.get_mut(name)) {
                    calls.push(op);
                } else if op.num_successors() > 0 {
                    live.mark_decision(op);
                } else if op.is(ad::Gradient::NAME) {
                    differentiated.extend(op.symbol("callee"));
                    live.mark_operands(op);
                } else if !op.would_be_trivially_dead() {
                    live.mark_operands(op);
                }
            }
        }
        for name in differentiated {
            let returns = live.returns.get(name).cloned().unwrap_or_default();
            returns.into_iter().for_each(|of| live.mark_operands(of));
        }
        live
    }

    fn mark(&mut self, value: Value<'a>) {
        if self.values.insert(value) {
            self.pending.push(value);
        }
    }

    fn mark_operands(&mut self, op: Op<'a>) {
        op.operands().for_each(|operand| self.mark(operand));
    }

    /// Marks the operands of a branch that it does not forward.
    fn mark_decision(&mut self, branch: Op<'a>) {
        let forwarded = (0..branch.num_successors())
            .filter_map(|successor| branch.successor_operands(successor));
        let forwarded: Vec<_> = forwarded.collect();
        for (position, operand) in branch.operands().enumerate() {
            if !forwarded.iter().any(|of| of.holds(position)) {
                self.mark(operand);
            }
        }
    }

    fn spread(&mut self) {
        while let Some(value) = self.pending.pop() {
            match value.definition() {
                Definition::Result(op, index) => {
                    match callee(op).and_then(|name| self.returns.get(name).cloned()) {
                        Some(returns) => returns.iter().for_each(|of| self.mark(of.operand(index))),
                        None => self.mark_operands(op),
                    }
                }
                Definition::Argument(block, index) if block.is_entry() => {
                    let function = block.parent().and_then(Op::symbol_name);
                    let calls = function.and_then(|name| self.calls.get(name).cloned());
                    for call in calls.unwrap_or_default() {
                        self.mark(call.operand(index));
                    }
                }
                Definition::Argument(block, index) => {
                    for (branch, successor) in block.incoming() {
                        let forwarded = branch.successor_operands(successor);
                        if let Some(value) = forwarded.and_then(|of| of.value(index)) {
                            self.mark(value);
                        }
                    }
                }
            }
        }
    }
}

fn callee(op: Op<'_>) -> Option<&str> {
    op.is(func::Call::NAME)
        .then(|| op.symbol("callee"))
        .flatten()
}

/// Returns whether a tensor operation may fail for some operands of its types.
fn may_fail(op: Op<'_>) -> bool {
    let Some(operation) = tensor::Op::cast(op) else {
        return false;
    };
    if op.num_results() == 0 {
        return false;
    }
    match operation.tf_name() {
        "FloorDiv" | "FloorMod" => is_integer(op.operand(1).ty()) || sizes_may_differ(op),
        "Gather" | "GatherV2" | "GatherNd" | "TensorScatterUpdate" | "TensorScatterAdd" => true,
        "AddV2" | "Atan2" | "BitwiseAnd" | "BitwiseOr" | "BitwiseXor" | "Equal" | "Greater"
        | "GreaterEqual" | "LeftShift" | "Less" | "LessEqual" | "LogicalAnd" | "LogicalOr"
        | "Maximum" | "Minimum" | "Mul" | "NotEqual" | "Pow" | "RealDiv" | "RightShift"
        | "SelectV2" | "Sub" => sizes_may_differ(op),
        // An integer as a subscript.
        "StridedSlice" => op.integer("shrink_axis_mask").is_some_and(|mask| mask != 0),
        "Fill" => !is_size(op.operand(0)),
        "ArgMax" | "ArgMin" | "BatchMatMulV2" | "BroadcastTo" | "Cholesky" | "ConcatV2"
        | "MatMul" | "MatrixInverse" | "Pack" | "Reshape" | "Tile" => {
            op.operands().any(|operand| {
                let shape = tensor_shape(operand.ty());
                shape.is_none_or(|shape| shape.contains(&None))
            })
        }
        _ => false,
    }
}

/// Returns whether a value is a constant, or sizes of a tensor.
fn is_size(value: Value<'_>) -> bool {
    let operation = value.defining_op().and_then(tensor::Op::cast);
    operation.map_or_else(
        || {
            value
                .defining_op()
                .is_some_and(|op| op.is(tensor::Const::NAME))
        },
        |operation| operation.tf_name() == "Shape",
    )
}

fn is_integer(ty: Type<'_>) -> bool {
    RankedTensorType::try_from(ty).is_ok_and(|tensor| tensor.element().is_integer())
}

/// Returns whether the operands may have sizes that do not fit together: two that are not known,
/// or one that is not known and one that is not 1.
fn sizes_may_differ(op: Op<'_>) -> bool {
    let mut distinct: Vec<Value<'_>> = op.operands().collect();
    distinct.dedup();
    let shapes: Vec<_> = distinct
        .iter()
        .map(|of| tensor_shape(of.ty()).unwrap_or_default())
        .collect();
    let rank = shapes.iter().map(Vec::len).max().unwrap_or(0);
    (0..rank).any(|dimension| {
        let sizes = shapes
            .iter()
            .filter_map(|shape| shape.iter().rev().nth(dimension));
        let others: Vec<_> = sizes.filter(|size| **size != Some(1)).collect();
        others.len() > 1 && others.iter().any(|size| size.is_none())
    })
}
