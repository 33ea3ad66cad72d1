//! `tfx-check-host`: checks that host code has only supported types and operations.
//!
//! ```text
//! %m = memref.alloc() : memref<4xi32>     error: 'memref.alloc' is not supported in host code
//! %s = arith.addi %a, %b : tensor<3xi32>  error: 'arith.addi' supports only scalars in host code
//! %h = tfx_tensor.to_scalar %t : ...f16   error: host code cannot hold a value of type f16
//! ```
//!
//! The types of host code (this is the only list):
//!
//! | type | representation |
//! |---|---|
//! | `i1` to `i64`, `index`, `f32`, `f64` | itself |
//! | tensors of booleans, strings and 8- to 64-bit numbers with `f16`, `bf16` | a runtime handle |
//! | types of `tfx_host`, tuples, started programs | variables, boxes, handles, or nothing |
//! | the types of the LLVM dialect | itself, passed between foreign functions |
//!
//! The operations on scalars are those of [`tfx_ir::scalar_ops`]. The pass reports one error for
//! each invalid operation and continues, so that one run finds all of them. It runs on the source,
//! when types are known and each operation is the user's. At that stage it does not check the
//! element types of tensors, which may stay in a graph, nor unknown dialects, which a compiler that
//! embeds tfx may lower itself. `tfx-lower-host` makes all checks on the remaining host code before
//! it lowers it. The check changes nothing. Cost: linear.
//!
//! Not checked: generic functions, which have no code, and the regions of graph operations.

use std::fmt::Write;

use melior::ir::{Type, TypeLike};
use rustc_hash::FxHashMap;
use tfx_dialects::native::FUNCTION;
use tfx_dialects::replicable::rounds_to_nearest;
use tfx_dialects::schedules::COMMANDS;
use tfx_dialects::stream::Schedule;
use tfx_dialects::tensor::TensorOp;
use tfx_dialects::types::{host_type, is_generic};
use tfx_graphdef_mlir::types;
use tfx_interpreter::DType;
use tfx_ir::diag::{self, Diagnostics};
use tfx_ir::ops::arith::ArithOp;
use tfx_ir::ops::{builtin, func, tensor as builtin_tensor};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult};
use tfx_ir::scalar_ops::{self, Support, Translation, is_host_scalar};
use tfx_ir::{Block, Op, Region};

use crate::reserved;

/// `tfx-check-host`: see the documentation of the module.
#[derive(Default)]
pub struct CheckHost;

impl Pass for CheckHost {
    type Options = ();
    const NAME: &'static str = "TfxCheckHost";
    const ARGUMENT: &'static str = "tfx-check-host";
    const DESCRIPTION: &'static str =
        "Check that host code has only supported types and operations";
    const ANCHOR: Anchor = Anchor::Module;

    fn run<'a>(&mut self, module: Op<'a>, _: &PassContext<'a, ()>) -> PassResult {
        Ok(check(module, Stage::Source)?)
    }
}

/// The stage at which host code is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The source: tensors may stay in a graph, and other compilers may lower unknown dialects.
    Source,
    /// The input of lowering: all of it becomes code.
    Lowering,
}

/// Checks all functions of a module.
pub(crate) fn check(module: Op<'_>, stage: Stage) -> Result<(), Diagnostics<'_>> {
    let mut checker = Checker {
        stage,
        types: FxHashMap::default(),
        errors: Diagnostics::default(),
    };
    for op in module.children() {
        match op.name() {
            // Native code of graphs is not host code.
            func::Func::NAME if op.attribute(FUNCTION).is_some() => {}
            func::Func::NAME if !is_generic(op) => checker.function(op),
            builtin::Module::NAME => checker.reject(op, NESTED_MODULE.to_owned()),
            _ => checker.declaration(op),
        }
    }
    checker.errors.finish()
}

const NESTED_MODULE: &str = "a nested module is not compiled, and code outside of it cannot call its functions; move the functions into the outer module";

/// The supported dialects, besides the scalars of `arith`, `math` and `index`.
const HOST_DIALECTS: [&str; 9] = [
    "cf",
    "func",
    "llvm",
    "scf",
    "tfx_ad",
    "tfx_comm",
    "tfx_host",
    "tfx_tensor",
    "ub",
];

/// Dialects of MLIR that are not supported, with replacements.
const UNSUPPORTED_DIALECTS: [(&[&str], &str); 4] = [
    (
        &["affine", "bufferization", "memref"],
        "use variables (tfx_host.var) and arrays (tfx_host.array) for numbers of the host, and tensors for many numbers",
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
        "compute with tensors in the graph, by tfx_tensor.op",
    ),
    (
        &["complex", "quant"],
        "use tensors of such numbers, and compute with them in the graph, by tfx_tensor.op",
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
        "call a foreign function instead: a private func.func without a body",
    ),
];

struct Checker<'a> {
    stage: Stage,
    /// For each type, whether host code can hold its values.
    types: FxHashMap<Type<'a>, bool>,
    errors: Diagnostics<'a>,
}

impl<'a> Checker<'a> {
    fn reject(&mut self, op: Op<'a>, message: String) {
        self.errors.push(diag::error(op.location(), message));
    }

    /// Checks an operation outside of functions, such as a global constant.
    fn declaration(&mut self, op: Op<'a>) {
        // The schedule of a graph becomes a part of the image.
        if op.isa::<Schedule>() && op.attribute(COMMANDS).is_some() {
            return;
        }
        if let Some(reason) = self.unsupported(op) {
            self.reject(op, reason);
        }
    }

    fn function(&mut self, function: Op<'a>) {
        if let Some(reason) = func::Func::cast(function).and_then(reserved::conflict) {
            self.reject(function, reason);
        }
        let (inputs, results) = function.signature();
        let mut types = inputs.into_iter().chain(results);
        if let Some(ty) = types.find(|&ty| !self.can_hold(ty)) {
            self.reject(function, not_held(ty));
            return;
        }
        let mut walk = function.walk();
        walk.next();
        while let Some(op) = walk.next() {
            if TensorOp::cast(op).is_some() {
                walk.skip_regions();
            }
            if let Some(reason) = self.error(op) {
                self.reject(op, reason);
            }
        }
    }

    /// Returns the error of an operation.
    fn error(&mut self, op: Op<'a>) -> Option<String> {
        self.unsupported(op).or_else(|| {
            let arguments = op
                .regions()
                .flat_map(Region::blocks)
                .flat_map(Block::arguments);
            let mut types = op.results().chain(arguments).map(|value| value.ty());
            types.find(|&ty| !self.can_hold(ty)).map(not_held)
        })
    }

    /// Returns the error of an operation that is not supported.
    fn unsupported(&self, op: Op<'a>) -> Option<String> {
        match op.dialect() {
            dialect if HOST_DIALECTS.contains(&dialect) => None,
            "arith" | "math" => scalar_error(op),
            "index" => None,
            "tensor" if is_message(op) => None,
            dialect => {
                let known = UNSUPPORTED_DIALECTS
                    .iter()
                    .find(|(dialects, _)| dialects.contains(&dialect));
                let advice = match (known, self.stage) {
                    (Some(&(_, advice)), _) => advice,
                    (None, Stage::Source) => return None,
                    (None, Stage::Lowering) => "lower it before tfx-lower-host",
                };
                Some(format!(
                    "'{}' is not supported in host code; {}",
                    op.name(),
                    replacement(op).unwrap_or(advice)
                ))
            }
        }
    }

    fn can_hold(&mut self, ty: Type<'a>) -> bool {
        let stage = self.stage;
        *self.types.entry(ty).or_insert_with(|| can_hold(ty, stage))
    }
}

/// Returns whether host code can hold values of a type.
fn can_hold(ty: Type<'_>, stage: Stage) -> bool {
    if is_host_scalar(ty) || ty.is_tuple() {
        return true;
    }
    if ty.is_tensor() {
        let element = types::data_type(ty);
        let known = || DType::from_tensorflow(element.unwrap_or_default() as i32);
        let is_known = || known().is_some_and(|dtype| dtype != DType::Variant);
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

/// The prefixes of the printed types of supported dialects.
const HELD_PREFIXES: [&str; 2] = ["!tfx_", "!llvm."];

fn not_held(ty: Type<'_>) -> String {
    let mut message = format!(
        "host code cannot hold a value of type {ty}: it supports i1 to i64, index, f32, f64, tensors of these, of f16, bf16 and \
         strings, and the types of tfx_host"
    );
    let advice = match () {
        () if ty.is_tensor() => "; convert the tensor in the graph, by tfx_tensor.op \"Cast\"",
        () if ty.is_float() => {
            "; use a tensor, or convert the tensor to f32, by tfx_tensor.op \"Cast\""
        }
        () if ty.is_integer() => "; use i64, or several values",
        () if ty.is_vector() || ty.is_mem_ref() => "; use a tensor or a !tfx_host.array",
        () => "",
    };
    message.push_str(advice);
    message
}

/// Returns the error of an operation of `arith` or `math`.
fn scalar_error(op: Op<'_>) -> Option<String> {
    let name = op.name();
    let row = scalar_ops::find(name);
    if let Some(Support::Refused(reason)) = row.map(|row| row.support) {
        return Some(format!("'{name}' cannot be compiled: {reason}"));
    }
    if !rounds_to_nearest(op) {
        return Some(format!(
            "'{name}' has a rounding mode, but programs always round to the nearest number, ties to even; omit the mode"
        ));
    }
    let mut values = op.operands().chain(op.results()).map(|value| value.ty());
    let tensor = match ArithOp::cast(op) {
        Some(ArithOp::Constant(_)) => return None,
        // A condition selects between tensors.
        Some(ArithOp::Select(op)) => Some(op.condition().ty()).filter(|ty| ty.is_tensor()),
        _ => values.find(|ty| ty.is_tensor()),
    }?;
    let mut message = format!("'{name}' supports only scalars in host code, not {tensor}; ");
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

/// Returns the replacement of an operation on builtin tensors, for a message.
fn replacement(op: Op<'_>) -> Option<&'static str> {
    Some(match op.name() {
        builtin_tensor::Dim::NAME => {
            "write tfx_tensor.op \"Shape\", extract the size by tfx_tensor.op \"GatherV2\", and convert it to a scalar by tfx_tensor.to_scalar"
        }
        builtin_tensor::Rank::NAME => {
            "write tfx_tensor.op \"Rank\", and convert it to a scalar by tfx_tensor.to_scalar"
        }
        builtin_tensor::Extract::NAME => {
            "write tfx_tensor.op \"GatherNd\", and convert the element to a scalar by tfx_tensor.to_scalar"
        }
        builtin_tensor::FromElements::NAME => {
            "convert the scalars to tensors by tfx_tensor.from_scalar, and combine these by tfx_tensor.op \"Pack\""
        }
        builtin_tensor::Empty::NAME | builtin_tensor::Splat::NAME => "write tfx_tensor.op \"Fill\"",
        builtin_tensor::Cast::NAME => "write tfx_tensor.op \"EnsureShape\"",
        builtin_tensor::Reshape::NAME => "write tfx_tensor.op \"Reshape\"",
        _ => return None,
    })
}

/// Returns whether an operation packs a message of several scalars, which `tfx-pack-scalars`
/// produces, or extracts one of them: a tensor of rank 1, and a constant position in it.
fn is_message(op: Op<'_>) -> bool {
    if let Some(pack) = builtin_tensor::FromElements::cast(op) {
        let ty = pack.result().ty();
        let size = pack.elements().len() as u64;
        return message_size(ty) == Some(size) && types::data_type(ty).is_some();
    }
    builtin_tensor::Extract::cast(op).is_some_and(|extract| {
        let size = message_size(extract.tensor().ty());
        size.zip(constant_position(extract))
            .is_some_and(|(size, position)| position < size)
    })
}

/// Returns the constant position at which a message is read.
pub(crate) fn constant_position(extract: builtin_tensor::Extract<'_>) -> Option<u64> {
    let position = extract.indices().get(0)?.constant_int()?;
    u64::try_from(position).ok()
}

/// Returns the number of elements of a tensor of rank 1.
fn message_size(ty: Type<'_>) -> Option<u64> {
    match types::sizes(ty)?[..] {
        [size] => size,
        _ => None,
    }
}
