//! Tangent types: the types of derivatives.
//!
//! ```text
//!   type                                    tangent
//!   f32, tensor<?xf32>, tape<f32>           the same type
//!   array<T>                                an array of tangents of the same count
//!   struct {w: tensor<4xf32>, b: f32}       the same type: every part has a tangent of its own type
//!   struct {w: tensor<4xf32>, n: i64}       tuple<tensor<4xf32>>: the parts that have a tangent
//!   enum {none(), some(f32, i64)}           the same type, with the case and the i64 of the value
//!   i64, i1, string                         none
//! ```
//!
//! Cost: linear in the number of parts of a type.

use melior::Context;
use melior::ir::r#type::TupleType;
use melior::ir::{Type, TypeLike};
use tfx_dialects::derivatives::tape_element;
use tfx_dialects::types::array;
use tfx_graphdef_mlir::types::element_type;
use tfx_ir::symbols::SymbolTable;

use crate::aggregates::{all_leaves, cases, parts};
use crate::arrays;

/// Returns whether values of a type that is not an aggregate have derivatives.
pub(crate) fn is_differentiable(ty: Type<'_>) -> bool {
    match tape_element(ty).or_else(|| arrays::element(ty)) {
        Some(element) => is_differentiable(element),
        None => is_float(element_type(ty)),
    }
}

/// Returns whether a scalar type is a float that derivatives are computed in.
pub(crate) fn is_float(ty: Type<'_>) -> bool {
    ty.is_f32() || ty.is_f64() || ty.is_f16() || ty.is_bf16()
}

/// Returns the tangent type of a type; none if it has no derivatives.
pub(crate) fn tangent<'a>(
    context: &'a Context,
    ty: Type<'a>,
    symbols: &SymbolTable<'a>,
) -> Option<Type<'a>> {
    if let Some(cases) = cases(ty, symbols) {
        let mut payloads = cases.iter().flat_map(|case| &case.payload);
        let is_active = payloads.any(|part| tangent(context, *part, symbols).is_some());
        return is_active.then_some(ty);
    }
    if let Some(element) = arrays::element(ty) {
        return tangent(context, element, symbols).map(array);
    }
    let Some(parts) = parts(ty, symbols) else {
        return is_differentiable(ty).then_some(ty);
    };
    let tangents: Vec<_> = parts
        .iter()
        .map(|part| tangent(context, part.ty, symbols))
        .collect();
    let is_own = parts
        .iter()
        .zip(&tangents)
        .all(|(part, tangent)| *tangent == Some(part.ty));
    let some: Vec<_> = tangents.into_iter().flatten().collect();
    let has_floats = || {
        let leaves = all_leaves(&[ty], symbols);
        leaves.into_iter().any(is_differentiable)
    };
    match is_own {
        // Also a struct without parts: it does not change the tangent of a struct around it.
        true => Some(ty),
        false if !has_floats() => None,
        _ => Some(TupleType::new(context, &some).into()),
    }
}
