//! The types and attributes of `tfx_ad`.

use melior::ir::{Attribute, Type};
use tfx_ir::Op;

use crate::ffi;

/// The attribute of a function that has a [`Rule`].
pub const RULE: &str = "tfx_ad.rule";
/// The attribute of a function whose results do not depend on its parameters as far as derivatives
/// are concerned.
pub const INACTIVE: &str = "tfx_ad.inactive";
/// The attribute of a loop or a function that has a [`Scheme`].
pub const CHECKPOINT: &str = "tfx_ad.checkpoint";

/// A `#tfx_ad.checkpoint`: what a loop keeps for its derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// The values of all iterations.
    None,
    /// The carried values of the first iteration of each group of this number.
    Periodic(i64),
    /// The carried values of at most this number of iterations.
    Binomial(i64),
    /// The choice of the compiler.
    Auto,
}

impl Scheme {
    /// Reads an attribute.
    pub fn read(attribute: Attribute<'_>) -> Option<Self> {
        Some(match ffi::read_checkpoint(attribute)? {
            (0, _) => Scheme::None,
            (1, period) => Scheme::Periodic(period),
            (2, slots) => Scheme::Binomial(slots),
            _ => Scheme::Auto,
        })
    }
}

/// A `#tfx_ad.rule`: the functions that compute the derivative of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule<'c> {
    /// The parameters with respect to which the function is differentiated, in ascending order.
    pub wrt: Vec<usize>,
    /// The symbol of the function that returns the results and the residuals.
    pub forward: Option<&'c str>,
    /// The symbol of the function from residuals and cotangents to tangents; together with
    /// `forward`.
    pub backward: Option<&'c str>,
    /// The symbol of the function from parameters and tangents to results and their tangents.
    pub jvp: Option<&'c str>,
}

/// Returns the rule of a function.
pub fn rule(function: Op<'_>) -> Option<Rule<'_>> {
    ffi::read_rule(function.attribute(RULE)?)
}

/// Returns `!tfx_ad.tape<element>`.
pub fn tape(element: Type<'_>) -> Type<'_> {
    ffi::tape(element)
}

/// Returns the element type of a tape; none for any other type.
pub fn tape_element(ty: Type<'_>) -> Option<Type<'_>> {
    ffi::tape_element(ty)
}
