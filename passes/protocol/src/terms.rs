//! Scalars in tensors: the equations for a value that is put into a tensor and read from it,
//! possibly on the other side.
//!
//! ```text
//!   to_scalar (from_scalar %s)  =  %s
//!   from_scalar (to_scalar %t)  =  %t
//!   result k of "Unpack" (a message of scalars)  =  from_scalar (scalar k)        crate::packed
//! ```
//!
//! If the host sends the scalar in a tensor `%t`, it sends `to_scalar %t`, and the graph gets `%t`
//! as a result of an `"Unpack"`. The IR may have no value for a side of an equation. A [`Term`] is
//! therefore a value, the scalar in one, or a tensor of one. The next wrapping undoes the previous
//! one, so a term has at most one, and rewriting needs no stack.

use melior::ir::r#type::RankedTensorType;
use melior::ir::{ShapedTypeLike, Type};
use tfx_dialects::{comm, tensor};
use tfx_ir::Value;

use crate::packed;

/// A value, or a scalar or tensor made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Term<'a> {
    Value(Value<'a>),
    /// The scalar in this tensor of rank 0.
    ScalarIn(Value<'a>),
    /// A tensor of rank 0 that contains this scalar.
    TensorOf(Value<'a>),
}

impl<'a> Term<'a> {
    pub(crate) fn value(self) -> Value<'a> {
        let (Term::Value(value) | Term::ScalarIn(value) | Term::TensorOf(value)) = self;
        value
    }

    /// Returns the same term of another value.
    pub(crate) fn with_value(self, value: Value<'a>) -> Self {
        match self {
            Term::Value(_) => Term::Value(value),
            Term::ScalarIn(_) => Term::ScalarIn(value),
            Term::TensorOf(_) => Term::TensorOf(value),
        }
    }

    /// Returns the equal term without the operation that defines its value, if that moves a scalar
    /// into a tensor or out of it. `sent` returns the value that a receive receives.
    pub(crate) fn unwrapped(
        self,
        sent: impl Fn(comm::Recv<'a>) -> Option<Value<'a>>,
    ) -> Option<Self> {
        let value = self.value();
        let definition = value.defining_op();
        if let Some(read) = definition.and_then(tensor::ToScalar::cast) {
            let tensor = read.tensor();
            return (element(tensor.ty()) == Some(value.ty())).then(|| self.scalar_in(tensor))?;
        }
        let scalar = match definition.and_then(tensor::FromScalar::cast) {
            Some(op) => op.scalar(),
            None => packed::in_tensor(value, sent)?,
        };
        (element(value.ty()) == Some(scalar.ty())).then(|| self.tensor_of(scalar))?
    }

    fn scalar_in(self, tensor: Value<'a>) -> Option<Self> {
        match self {
            Term::Value(_) => Some(Term::ScalarIn(tensor)),
            Term::TensorOf(_) => Some(Term::Value(tensor)),
            Term::ScalarIn(_) => None,
        }
    }

    fn tensor_of(self, scalar: Value<'a>) -> Option<Self> {
        match self {
            Term::Value(_) => Some(Term::TensorOf(scalar)),
            Term::ScalarIn(_) => Some(Term::Value(scalar)),
            Term::TensorOf(_) => None,
        }
    }
}

/// Returns the element type of a tensor of rank 0.
fn element(ty: Type<'_>) -> Option<Type<'_>> {
    let tensor = RankedTensorType::try_from(ty).ok()?;
    (tensor.rank() == 0).then(|| tensor.element())
}
