//! Scalars in tensors: what a value is when it is put into a tensor and read from it again, perhaps on the other side.
//!
//! ```text
//!   to_scalar (from_scalar %s)  =  %s
//!   from_scalar (to_scalar %t)  =  %t
//!   result k of "Unpack" (a message with scalars)  =  from_scalar (the k-th of them)        crate::packed
//! ```
//!
//! A host that sends the scalar in a tensor `%t` sends `to_scalar %t`; the graph has result `k` of an `"Unpack"`, which then is `%t`. No operation need stand
//! for what a value is: a [`Term`] is a value, the scalar in one, or a tensor of one. A way from value to value is followed under one wrapping at most, since
//! the next one undoes it, so a walk needs no stack.

use melior::ir::r#type::RankedTensorType;
use melior::ir::{ShapedTypeLike, Type};
use tfx_dialects::tensor;
use tfx_ir::{Op, Value};

use crate::packed;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Term<'a> {
    /// Itself.
    Value(Value<'a>),
    /// The scalar in this tensor of rank 0.
    ScalarIn(Value<'a>),
    /// A tensor of rank 0 that holds this scalar.
    TensorOf(Value<'a>),
}

impl<'a> Term<'a> {
    /// The value that it is made of.
    pub(crate) fn value(self) -> Value<'a> {
        let (Term::Value(value) | Term::ScalarIn(value) | Term::TensorOf(value)) = self;
        value
    }

    /// The same of another value.
    pub(crate) fn of(self, value: Value<'a>) -> Self {
        match self {
            Term::Value(_) => Term::Value(value),
            Term::ScalarIn(_) => Term::ScalarIn(value),
            Term::TensorOf(_) => Term::TensorOf(value),
        }
    }

    /// What it is as well, where its value is the scalar in a tensor or a tensor of a scalar. `sent` says what a receive is given.
    pub(crate) fn unwrapped(self, sent: impl Fn(Op<'a>) -> Option<Value<'a>>) -> Option<Self> {
        let value = self.value();
        let made = value.defining_op();
        if let Some(read) = made.filter(|op| op.isa::<tensor::ToScalar>()) {
            let tensor = read.operand(0);
            return (element(tensor.ty()) == Some(value.ty())).then(|| self.scalar_in(tensor))?;
        }
        let scalar = match made.filter(|op| op.isa::<tensor::FromScalar>()) {
            Some(made) => made.operand(0),
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

/// The type of the scalar in a tensor of rank 0.
fn element(ty: Type<'_>) -> Option<Type<'_>> {
    let tensor = RankedTensorType::try_from(ty).ok()?;
    (tensor.rank() == 0).then(|| tensor.element())
}
