//! Graph operations that cannot fail, so that they may run before the program's observable
//! behaviour begins.
//!
//! ```text
//!   op "AddV2" : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>      cannot: one element, or equal sizes
//!   op "AddV2" : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>        may: sizes may differ
//!   op "FloorDiv" : (tensor<i32>, tensor<i32>) -> tensor<i32>           may: by zero
//!   op "MatMul", "CheckNumerics", ...                                   may, as far as is known here
//! ```
//!
//! Elementwise floating-point operations have a result for each element, so only shapes can be
//! wrong, and equal static types match. Failed allocations do not count.

use melior::ir::r#type::{DimSize, RankedTensorType};
use melior::ir::{ShapedTypeLike, Type, TypeLike};
use tfx_dialects::tensor;
use tfx_ir::Op;

/// Returns whether a graph operation has a result for all operands of its types.
pub(crate) fn never_fails(op: Op<'_>) -> bool {
    let name = tensor::Op::cast(op).map_or("", tensor::Op::tf_name);
    if !is_elementwise(name) || op.num_results() != 1 {
        return false;
    }
    let result = op.result(0).ty();
    let fits = |ty: Type<'_>| ty == result || is_scalar_like(ty, result);
    is_static_float(result) && op.operands().all(|operand| fits(operand.ty()))
}

fn is_static_float(ty: Type<'_>) -> bool {
    ranked(ty).is_some_and(|tensor| {
        let known = |index| matches!(tensor.dim_size(index), Ok(DimSize::Static(_)));
        tensor.element().is_float() && (0..tensor.rank()).all(known)
    })
}

/// Returns whether a type is a tensor of rank 0 with the element type of `other`.
fn is_scalar_like(ty: Type<'_>, other: Type<'_>) -> bool {
    let both = ranked(ty).zip(ranked(other));
    both.is_some_and(|(ty, other)| ty.rank() == 0 && ty.element() == other.element())
}

/// A conversion that fails would print the type into its error.
fn ranked(ty: Type<'_>) -> Option<RankedTensorType<'_>> {
    ty.is_ranked_tensor()
        .then(|| RankedTensorType::try_from(ty).ok())?
}

/// Returns whether an elementwise operation has a result for all floating-point numbers.
#[allow(clippy::match_like_matches_macro)] // rustfmt would give each name a line
fn is_elementwise(name: &str) -> bool {
    match name {
        "Abs" | "Add" | "AddV2" | "Atan2" | "Ceil" | "Cos" | "Cosh" | "Div" | "DivNoNan"
        | "Elu" | "Erf" | "Exp" | "Expm1" | "Floor" | "Identity" | "Log" | "Log1p" | "Maximum"
        | "Minimum" | "Mul" | "MulNoNan" | "Neg" | "OnesLike" | "Pow" | "RealDiv"
        | "Reciprocal" | "Relu" | "Relu6" | "Round" | "Rsqrt" | "Sigmoid" | "Sign" | "Sin"
        | "Sinh" | "Softplus" | "Softsign" | "Sqrt" | "Square" | "SquaredDifference" | "Sub"
        | "Tan" | "Tanh" | "ZerosLike" => true,
        _ => false,
    }
}
