//! Gradients of activations and elementary functions, as TensorFlow defines them.
//!
//! ```text
//! y = tanh(x)      TanhGrad(y, dy) = dy * (1 - y * y)          from the result
//! y = relu(x)      ReluGrad(dy, x) = dy where x > 0            from the operand
//! ```

use crate::{
    kernels::{
        Attributes, Entry, Kernel, Result,
        broadcast::zip_in_place,
        dispatch,
        neural::{SELU_NEGATIVE, SELU_POSITIVE},
        number::Number,
        same_shape, single, take,
    },
    tensor::Tensor,
};

/// `|x, y| ...` for each pair of elements of two tensors of one shape.
macro_rules! gradient {
    ($set:ident, |$x:ident, $y:ident: $T:ident| $body:expr) => {
        |_| single(|inputs| {
            let (left, right) = both(inputs)?;
            dispatch!(left.dtype(), $T in $set => zip_in_place(left, right, |$x: $T, $y: $T| Ok($body)))
        })
    };
}

pub(super) const KERNELS: &[Entry] = &[
    (
        "ReluGrad",
        gradient!(numbers, |gradient, x: T| Number::mul(
            gradient,
            if x > T::ZERO { T::ONE } else { T::ZERO }
        )),
    ),
    (
        "Relu6Grad",
        gradient!(numbers, |gradient, x: T| Number::mul(
            gradient,
            if x > T::ZERO && x < T::from_usize(6) {
                T::ONE
            } else {
                T::ZERO
            }
        )),
    ),
    ("LeakyReluGrad", leaky_relu),
    (
        "EluGrad",
        gradient!(floats, |gradient, y: T| if y < T::ZERO {
            (y + T::ONE) * gradient
        } else {
            gradient
        }),
    ),
    (
        "SeluGrad",
        gradient!(floats, |gradient, y: T| if y < T::ZERO {
            gradient * (y + T::from_f64(SELU_NEGATIVE))
        } else {
            gradient * T::from_f64(SELU_POSITIVE)
        }),
    ),
    (
        "SoftplusGrad",
        gradient!(floats, |gradient, x: T| gradient / ((-x).exp() + T::ONE)),
    ),
    (
        "SoftsignGrad",
        gradient!(floats, |gradient, x: T| {
            let divisor = T::ONE + x.abs();
            gradient / (divisor * divisor)
        }),
    ),
    (
        "SigmoidGrad",
        gradient!(floats, |y, gradient: T| gradient * ((T::ONE - y) * y)),
    ),
    (
        "TanhGrad",
        gradient!(floats, |y, gradient: T| gradient * (T::ONE - y * y)),
    ),
    // A zero gradient stays zero, also where the root is 0 or infinite.
    (
        "SqrtGrad",
        gradient!(floats, |y, gradient: T| if gradient == T::ZERO {
            T::ZERO
        } else {
            gradient * 0.5 / y
        }),
    ),
    (
        "RsqrtGrad",
        gradient!(floats, |y, gradient: T| if gradient == T::ZERO {
            T::ZERO
        } else {
            -0.5 * (gradient * y) * (y * y)
        }),
    ),
    ("ReciprocalGrad", RECIPROCAL),
    ("InvGrad", RECIPROCAL),
];

const RECIPROCAL: super::Builder = gradient!(floats, |y, gradient: T| if gradient == T::ZERO {
    T::ZERO
} else {
    -y * y * gradient
});

/// Takes two inputs of one shape.
fn both(inputs: &mut [Tensor]) -> Result<(Tensor, Tensor)> {
    let (left, right) = (take(inputs, 0)?, take(inputs, 1)?);
    same_shape(&left, &right)?;
    Ok((left, right))
}

fn leaky_relu(attributes: &Attributes<'_>) -> Result<Kernel> {
    let alpha = attributes.float("alpha", 0.2);
    single(move |inputs| {
        let (gradient, x) = both(inputs)?;
        dispatch!(gradient.dtype(), T in floats => zip_in_place(gradient, x, |gradient: T, x: T| {
            Ok(if x > T::ZERO { gradient } else { gradient * T::from(alpha) })
        }))
    })
}
