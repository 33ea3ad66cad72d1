//! The derivative of a function: its forward function, its backward function, and the residuals
//! that the first one leaves for the second one.
//!
//! ```text
//!   results, own residuals = forward(arguments)
//!   tangents               = backward(cotangents, residuals)    residuals: own, arguments, results
//! ```

use std::rc::Rc;

use melior::ir::Type;
use rustc_hash::FxHashMap;
use tfx_ir::ops::func;
use tfx_ir::{Builder, Op, Value};

use crate::primal::{Key, Residual};
use crate::tangent::is_differentiable;

/// Derivatives by call.
pub(crate) type Callees<'a> = FxHashMap<Op<'a>, Derivative<'a>>;

/// The derivative of a function with respect to some parameters.
#[derive(Clone, Debug)]
pub(crate) struct Derivative<'a> {
    /// The symbol of the function that returns the results and the residuals.
    pub(crate) forward: String,
    /// The symbol of the function from cotangents and residuals to tangents, in this order.
    pub(crate) backward: String,
    /// The residuals.
    pub(crate) kept: Vec<Kept<'a>>,
    /// The own residuals, as values of the function; empty if they are not known.
    pub(crate) residuals: Vec<Residual<'a>>,
    /// The derivatives of the callees of active calls.
    pub(crate) callees: Rc<Callees<'a>>,
    /// The parameters with a tangent, in ascending order.
    pub(crate) wrt: Vec<usize>,
    /// The results with a cotangent, in ascending order.
    pub(crate) results: Vec<usize>,
    /// Residuals come before cotangents: the order of rules that users write.
    pub(crate) residuals_first: bool,
}

/// A residual, which the backward function needs: the caller of the forward function may have it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kept<'a> {
    /// An argument of the function, by position.
    Argument(usize),
    /// A result of the function, by position.
    Returned(usize),
    /// A value that the forward function returns after the results of the function.
    Own(Type<'a>),
}

impl<'a> Kept<'a> {
    /// Returns where the caller of a function has a residual.
    pub(crate) fn of(residual: &Residual<'a>, function: Op<'a>) -> Self {
        let own = Kept::Own(residual.result_type());
        let Key::Value(value) = residual.key else {
            return own;
        };
        let body = function.region(0).entry().expect("it has a body");
        if let Some((_, position)) = value.as_argument().filter(|(block, _)| *block == body) {
            return Kept::Argument(position);
        }
        let end = body.terminator().expect("a structured function returns");
        let mut returned = end.operands();
        let position = returned.position(|operand| Key::of(operand) == residual.key);
        position.map_or(own, Kept::Returned)
    }
}

impl<'a> Derivative<'a> {
    /// Returns the types of the residuals that the forward function returns.
    pub(crate) fn own(&self) -> impl Iterator<Item = Type<'a>> {
        self.kept.iter().filter_map(|kept| match kept {
            Kept::Own(ty) => Some(*ty),
            Kept::Argument(_) | Kept::Returned(_) => None,
        })
    }

    /// Builds the tangents of the parameters in `wrt`, which have these types.
    pub(crate) fn pull_back(
        &self,
        builder: &mut Builder<'a>,
        cotangents: &[Value<'a>],
        residuals: &[Value<'a>],
        types: &[Type<'a>],
    ) -> Vec<Value<'a>> {
        let arguments = match self.residuals_first {
            true => [residuals, cotangents].concat(),
            false => [cotangents, residuals].concat(),
        };
        let call = func::Call::build(builder, types, &self.backward, &arguments);
        call.results().collect()
    }
}

/// Returns the positions of the differentiable types.
pub(crate) fn differentiable_positions<'a>(types: impl Iterator<Item = Type<'a>>) -> Vec<usize> {
    let types = types.enumerate();
    types
        .filter(|(_, ty)| is_differentiable(*ty))
        .map(|(index, _)| index)
        .collect()
}
