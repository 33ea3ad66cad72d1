//! `tfx-check-host`: host code holds only values that it can hold, and does with them only what it can do.
//!
//! ```text
//! %m = memref.alloc() : memref<4xi32>    error: 'memref.alloc' is no operation of host code; ...
//! %s = arith.addi %a, %b : tensor<3xi32> error: 'arith.addi' computes with scalars, and here with tensor<3xi32>; write tfx_tensor.op "AddV2" ...
//! %h = tfx_tensor.to_scalar %t : ...f16  error: host code cannot hold a value of type f16; ...
//! ```
//!
//! What host code holds, the only list of it:
//!
//! | type | held as |
//! |---|---|
//! | `i1` to `i64`, `index`, `f32`, `f64` | itself |
//! | tensors of numbers of 8 to 64 bits, `f16` and `bf16` included, booleans and strings | a handle of the runtime |
//! | the types of `tfx_host`, tuples, started programs | variables, boxes and handles, or nothing after deabstraction |
//! | the types of the LLVM dialect | itself, handed between foreign functions |
//!
//! The operations on scalars are those of [`tfx_ir::scalar_ops`]. One error for each faulty operation, at its place, and all of them in one run.
//! The pass runs on the source, when types are known and each operation is the user's; there it asks nothing of the elements of tensors, which
//! may stay in a graph, nor of dialects that it does not know, which a compiler that embeds tfx may lower itself. `tfx-lower-host` asks
//! everything of the host code that is left, right before it is converted. Nothing is changed. Cost: linear.
//!
//! Not checked: generic functions, which have no code, and what is inside of graph operations.

use std::fmt::Write;

use melior::ir::attribute::IntegerAttribute;
use melior::ir::{Type, TypeLike};
use rustc_hash::FxHashMap;
use tfx_dialects::replicable::rounds_to_nearest;
use tfx_dialects::types::{TYPE_PARAMS, host_type};
use tfx_graphdef_mlir::types;
use tfx_interpreter::DType;
use tfx_ir::cast::Cast;
use tfx_ir::pass::{Anchor, Pass, PassContext, PassFailed};
use tfx_ir::scalar_ops::{self, Support, Translation, is_host_scalar};
use tfx_ir::{Op, diag};

use crate::reserved;

/// See the documentation of this module.
#[derive(Default)]
pub struct CheckHost;

impl Pass for CheckHost {
    type Options = ();
    const NAME: &'static str = "TfxCheckHost";
    const ARGUMENT: &'static str = "tfx-check-host";
    const DESCRIPTION: &'static str =
        "Check that host code has only types and operations that can be compiled";
    const ANCHOR: Anchor = Anchor::Module;

    fn run<'a>(&mut self, module: Op<'a>, _: &PassContext<'a, ()>) -> Result<(), PassFailed> {
        check(module, Stage::Source)
    }
}

/// When host code is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Tensors may yet stay in a graph, and other dialects may be lowered by others.
    Source,
    /// Whatever is left becomes code.
    Lowering,
}

/// Checks all functions of a module.
pub(crate) fn check(module: Op<'_>, stage: Stage) -> Result<(), PassFailed> {
    let mut checker = Checker {
        stage,
        types: FxHashMap::default(),
        result: Ok(()),
    };
    for op in module.children() {
        match op.name() {
            "func.func" if op.attribute(TYPE_PARAMS).is_none() => checker.function(op),
            "builtin.module" => checker.refuse(op, NESTED_MODULE.to_owned()),
            _ => checker.declaration(op),
        }
    }
    checker.result
}

const NESTED_MODULE: &str = "a module inside of the program's module is not compiled, and nothing outside of it can call its functions; move them into the outer module";

/// The dialects whose operations and types host code can have, besides the scalars of `arith`, `math` and `index`.
const HOST_DIALECTS: [&str; 8] = [
    "cf",
    "func",
    "llvm",
    "scf",
    "tfx_comm",
    "tfx_host",
    "tfx_tensor",
    "ub",
];

/// Dialects of MLIR that somebody might expect to work, with what to write instead.
const REFUSED_DIALECTS: [(&[&str], &str); 4] = [
    (
        &["affine", "bufferization", "memref"],
        "keep numbers of the host in variables (tfx_host.var) and arrays (tfx_host.array), and many numbers in tensors",
    ),
    (
        &[
            "linalg",
            "shape",
            "sparse_tensor",
            "tensor",
            "tosa",
            "vector",
        ],
        "compute with many numbers in the graph, by tfx_tensor.op",
    ),
    (
        &["complex", "quant"],
        "keep such numbers in tensors, and compute with them in the graph, by tfx_tensor.op",
    ),
    (
        &[
            "acc",
            "amdgpu",
            "arm_neon",
            "arm_sve",
            "async",
            "emitc",
            "gpu",
            "nvgpu",
            "nvvm",
            "omp",
            "rocdl",
            "spirv",
            "x86vector",
            "builtin",
        ],
        "let a foreign function do it: a private func.func without a body",
    ),
];

struct Checker<'a> {
    stage: Stage,
    /// Whether host code can hold values of a type.
    types: FxHashMap<Type<'a>, bool>,
    result: Result<(), PassFailed>,
}

impl<'a> Checker<'a> {
    fn refuse(&mut self, op: Op<'a>, message: String) {
        self.result = Err(diag::error(op.location(), message).fail());
    }

    /// What stands beside functions, such as constants in memory.
    fn declaration(&mut self, op: Op<'a>) {
        if let Some(reason) = self.unknown(op) {
            self.refuse(op, reason);
        }
    }

    fn function(&mut self, function: Op<'a>) {
        if let Some(reason) = reserved::refusal(function) {
            self.refuse(function, reason);
        }
        let (inputs, results) = function.signature();
        let mut types = inputs.into_iter().chain(results);
        if let Some(ty) = types.find(|&ty| !self.can_hold(ty)) {
            self.refuse(function, not_held(ty));
            return;
        }
        let mut walk = function.walk();
        walk.next();
        while let Some(op) = walk.next() {
            if op.dialect() == "tfx_tensor" {
                walk.skip_regions();
            }
            if let Some(reason) = self.fault(op) {
                self.refuse(op, reason);
            }
        }
    }

    /// What is wrong with an operation.
    fn fault(&mut self, op: Op<'a>) -> Option<String> {
        self.unknown(op).or_else(|| {
            let arguments = op
                .regions()
                .flat_map(|region| region.blocks())
                .flat_map(|block| block.arguments());
            let mut types = op.results().chain(arguments).map(|value| value.ty());
            types.find(|&ty| !self.can_hold(ty)).map(not_held)
        })
    }

    /// What is wrong with an operation whatever its types are.
    fn unknown(&self, op: Op<'a>) -> Option<String> {
        match op.dialect() {
            dialect if HOST_DIALECTS.contains(&dialect) => None,
            "arith" | "math" => scalar_fault(op),
            "index" => None,
            "tensor" if is_message(op) => None,
            dialect => {
                let known = REFUSED_DIALECTS
                    .iter()
                    .find(|(dialects, _)| dialects.contains(&dialect));
                let advice = match (known, self.stage) {
                    (Some(&(_, advice)), _) => advice,
                    (None, Stage::Source) => return None,
                    (None, Stage::Lowering) => "lower it before tfx-lower-host",
                };
                Some(format!(
                    "'{}' is no operation of host code; {}",
                    op.name(),
                    of_tensor(op).unwrap_or(advice)
                ))
            }
        }
    }

    fn can_hold(&mut self, ty: Type<'a>) -> bool {
        let stage = self.stage;
        *self.types.entry(ty).or_insert_with(|| can_hold(ty, stage))
    }
}

/// Whether host code can hold values of a type.
fn can_hold(ty: Type<'_>, stage: Stage) -> bool {
    if is_host_scalar(ty) || ty.is_tuple() {
        return true;
    }
    if ty.is_tensor() {
        let element = types::data_type(ty);
        let is_known = || DType::from_tensorflow(element.unwrap_or_default() as i32).is_some();
        return stage == Stage::Source || is_known();
    }
    if ty.is_integer() || ty.is_float() || ty.is_vector() || ty.is_mem_ref() {
        return false;
    }
    host_type(ty).is_some()
        || HELD_PREFIXES
            .iter()
            .any(|held| ty.to_string().starts_with(held))
}

/// How the types of dialects that host code can have are printed.
const HELD_PREFIXES: [&str; 2] = ["!tfx_", "!llvm."];

fn not_held(ty: Type<'_>) -> String {
    let mut message = format!(
        "host code cannot hold a value of type {ty}: it holds i1 to i64, index, f32, f64, tensors of such numbers, of f16, bf16 and of \
         strings, and the types of tfx_host"
    );
    let advice = match () {
        () if ty.is_tensor() => "; convert the tensor in the graph, by tfx_tensor.op \"Cast\"",
        () if ty.is_float() => {
            "; keep it in a tensor, or convert the tensor to f32, by tfx_tensor.op \"Cast\""
        }
        () if ty.is_integer() => "; use i64, or several values",
        () if ty.is_vector() || ty.is_mem_ref() => "; use a tensor or a !tfx_host.array",
        () => "",
    };
    message.push_str(advice);
    message
}

/// What is wrong with an operation of `arith` or `math`.
fn scalar_fault(op: Op<'_>) -> Option<String> {
    let name = op.name();
    let row = scalar_ops::find(name);
    if let Some(Support::Refused(reason)) = row.map(|row| row.support) {
        return Some(format!("'{name}' cannot be compiled: {reason}"));
    }
    if !rounds_to_nearest(op) {
        return Some(format!(
            "'{name}' has a rounding mode, and all of a program rounds to the nearest number, half to even; leave the mode away"
        ));
    }
    let tensors_too = matches!(name, "arith.constant" | "arith.select");
    let mut values = op.operands().chain(op.results()).map(|value| value.ty());
    let tensor = match tensors_too {
        // The condition of a choice.
        true => op
            .operands()
            .next()
            .map(|value| value.ty())
            .filter(|_| op.is("arith.select")),
        false => values.find(|ty| ty.is_tensor()),
    };
    let tensor = tensor.filter(|ty| ty.is_tensor())?;
    let mut message =
        format!("'{name}' computes with scalars on the host, and here with {tensor}; ");
    let write = match row.map(|row| row.translation) {
        Some(Translation::Same(graph) | Translation::Numbers(graph)) => {
            write!(message, "write tfx_tensor.op \"{graph}\" for tensors")
        }
        _ => write!(
            message,
            "compute with tensors in the graph, by tfx_tensor.op"
        ),
    };
    write.expect("writing to a string does not fail");
    Some(message)
}

/// What to write for the operations on tensors that a user might try first.
fn of_tensor(op: Op<'_>) -> Option<&'static str> {
    Some(match op.name() {
        "tensor.dim" => {
            "write tfx_tensor.op \"Shape\", take the size out by tfx_tensor.op \"GatherV2\", and make it a scalar by tfx_tensor.to_scalar"
        }
        "tensor.rank" => {
            "write tfx_tensor.op \"Rank\", and make it a scalar by tfx_tensor.to_scalar"
        }
        "tensor.extract" => {
            "write tfx_tensor.op \"GatherNd\", and make the element a scalar by tfx_tensor.to_scalar"
        }
        "tensor.from_elements" => {
            "make tensors of the scalars by tfx_tensor.from_scalar, and one of them by tfx_tensor.op \"Pack\""
        }
        "tensor.empty" | "tensor.splat" => "write tfx_tensor.op \"Fill\"",
        "tensor.cast" => "write tfx_tensor.op \"EnsureShape\"",
        "tensor.reshape" => "write tfx_tensor.op \"Reshape\"",
        _ => return None,
    })
}

/// Whether an operation packs or reads a message of several scalars, as `tfx-pack-scalars` makes them: a tensor of rank 1, at a constant place
/// inside of it.
fn is_message(op: Op<'_>) -> bool {
    match op.name() {
        "tensor.from_elements" => {
            let ty = op.result(0).ty();
            message_size(ty) == Some(op.num_operands() as u64) && types::data_type(ty).is_some()
        }
        "tensor.extract" => place_in_message(op).is_some(),
        _ => false,
    }
}

/// The place that a `tensor.extract` reads, if that is constant and inside of a tensor of rank 1.
fn place_in_message(op: Op<'_>) -> Option<u64> {
    let size = message_size(op.operand(0).ty())?;
    constant_place(op).filter(|place| *place < size)
}

/// The constant place that a `tensor.extract` of a message reads.
pub(crate) fn constant_place(op: Op<'_>) -> Option<u64> {
    let place = op.operand(1).defining_op()?.constant_value()?;
    u64::try_from(IntegerAttribute::cast(place)?.value()).ok()
}

/// How many elements a tensor of rank 1 has.
fn message_size(ty: Type<'_>) -> Option<u64> {
    match types::sizes(ty)?[..] {
        [size] => size,
        _ => None,
    }
}
