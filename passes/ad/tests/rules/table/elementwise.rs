//! Elementwise operations.

use super::{FIRST, Row, ZERO, row};
use crate::example::{Example, ex};

const ONE: &[Example] = &[ex("", &["2x3"]), ex("", &["[]"])];
const POSITIVE: &[Example] = &[ex("", &["2x3 0.5..2"])];
const INSIDE: &[Example] = &[ex("", &["2x3 -0.9..0.9"])];
/// Operands of equal shapes, and such that are broadcast.
const TWO: &[Example] = &[
    ex("", &["2x3", "2x3"]),
    ex("", &["2x3", "3"]),
    ex("", &["[]", "2x3"]),
    ex("", &["2x1x3", "4x1"]),
];
/// The second operand is not zero.
const QUOTIENT: &[Example] = &[
    ex("", &["2x3", "2x3 0.5..2"]),
    ex("", &["2x3", "3 -2..-0.5"]),
    ex("", &["[]", "2x3 0.5..2"]),
];
/// The first operand is positive.
const POWER: &[Example] = &[
    ex("", &["2x3 0.5..2", "2x3"]),
    ex("", &["2x3 0.5..2", "[]"]),
    ex("", &["3 0.5..2", "2x3"]),
    ex("", &["2x1 0.5..2", "3"]),
];
const GRADIENT: &[Example] = &[
    ex("", &["2x3 0.5..2", "2x3"]),
    ex("", &["4 -0.9..-0.2", "4"]),
];
const OF_GRADIENT: &[Example] = &[
    ex("", &["2x3", "2x3 0.5..2"]),
    ex("", &["4", "4 -0.9..-0.2"]),
];

pub(super) const ROWS: &[Row] = &[
    row("AddV2", TWO),
    row("Add", TWO),
    row("AddN", &[ex("", &["2x3", "2x3", "2x3"]), ex("", &["2"])]),
    row("Sub", TWO),
    row("Mul", TWO),
    row("Div", QUOTIENT),
    row("RealDiv", QUOTIENT),
    row("DivNoNan", QUOTIENT).note("zero for the divisor 0"),
    row("MulNoNan", TWO),
    row("FloorMod", QUOTIENT).note("the quotient is constant"),
    row("TruncateMod", QUOTIENT).note("the quotient is constant"),
    row("Mod", QUOTIENT).note("the quotient is constant"),
    row("Pow", POWER).note("zero with respect to the exponent for a base that is not positive, and to the base for the exponent 0"),
    row("Maximum", TWO).note(FIRST),
    row("Minimum", TWO).note(FIRST),
    row("SquaredDifference", TWO),
    row("Atan2", QUOTIENT),
    row("Xlogy", &[ex("", &["2x3", "2x3 0.5..2"]), ex("", &["2x3", "3 0.5..2"]), ex("", &["3", "2x3 0.5..2"])]).note("zero with respect to the second operand for the first operand 0"),
    row("Xlog1py", &[ex("", &["2x3", "2x3 0.5..2"]), ex("", &["3", "2x3 0.5..2"]), ex("", &["2x3", "3 0.5..2"])]),
    row("Xdivy", QUOTIENT),
    row("ClipByValue", &[ex("", &["2x3", "[] -1..-0.5", "[] 0.5..1"])]).note("on a bound, the value has the derivative"),
    row("Select", &[
        ex("", &["2x3xi1 = 1 0 1 0 0 1", "2x3", "2x3"]),
        ex("", &["2xi1 = 1 0", "2x3", "2x3"]),
    ]),
    row("SelectV2", &[
        ex("", &["2x3xi1 = 1 0 1 0 0 1", "2x3", "3"]),
        ex("", &["[]xi1 = 1", "2x3", "2x1"]),
        ex("", &["2x1xi1 = 1 0", "3", "[]"]),
    ]),
    row("BiasAdd", &[
        ex("", &["2x3", "3"]),
        ex("", &["2x2x1x3", "3"]),
        ex("{data_format = \"NCHW\"}", &["2x3x1x2", "3"]),
    ]),
    row("BiasAddGrad", &[ex("", &["2x3"]), ex("{data_format = \"NCHW\"}", &["2x3x1x2"])]),
    row("Identity", ONE),
    row("IdentityN", &[ex("", &["2x3", "[]"]).to(&["f64", "f64"])]),
    row("Snapshot", ONE),
    row("CheckNumerics", &[ex("{message = \"\"}", &["2x3"])]),
    row("EnsureShape", &[ex("{shape = [2, -1]}", &["2x3"])]),
    row("Cast", &[
        ex("", &["2x3xf32"]).step(0.25),
        ex("", &["2x3"]).to(&["f32"]).step(0.25),
    ]),
    row("Neg", ONE),
    row("Abs", ONE).note("zero at 0"),
    row("Square", ONE),
    row("Sqrt", POSITIVE),
    row("Rsqrt", POSITIVE),
    row("Reciprocal", POSITIVE),
    row("Inv", POSITIVE),
    row("Exp", ONE),
    row("Expm1", ONE),
    row("Log", POSITIVE),
    row("Log1p", POSITIVE),
    row("Sin", ONE),
    row("Cos", ONE),
    row("Tan", INSIDE),
    row("Asin", INSIDE),
    row("Acos", INSIDE),
    row("Atan", ONE),
    row("Sinh", ONE),
    row("Cosh", ONE),
    row("Tanh", ONE),
    row("Asinh", ONE),
    row("Acosh", &[ex("", &["2x3 1.5..3"])]),
    row("Atanh", INSIDE),
    row("Sigmoid", ONE),
    row("Softplus", ONE),
    row("Softsign", ONE),
    row("Relu", &[ex("", &["2x3"]), ex("", &["[]"]), ex("", &["2 6.5..8"])]).note("zero at 0"),
    row("Relu6", &[ex("", &["2x3 -10..10"])]).note("zero at 0 and 6"),
    row("LeakyRelu", &[ex("{alpha = 0.125 : f32}", &["2x3"]), ex("", &["2x3"])]).note("at 0, that of the negative numbers"),
    row("Elu", ONE),
    row("Selu", ONE).note("at 0, that of the positive numbers"),
    row("Erf", ONE),
    row("Erfc", ONE),
    row("Erfinv", INSIDE),
    row("Lgamma", POSITIVE),
    row("Digamma", POSITIVE),
    row("Polygamma", &[ex("", &["2x3 # 1 1 1 2 2 2", "2x3 0.5..2"]), ex("", &["2x1 # 1 2", "3 0.5..2"])]).note("zero with respect to the order"),
    row("TanhGrad", GRADIENT),
    row("SigmoidGrad", GRADIENT),
    row("SqrtGrad", GRADIENT),
    row("RsqrtGrad", GRADIENT),
    row("InvGrad", GRADIENT),
    row("ReciprocalGrad", GRADIENT),
    row("SoftplusGrad", OF_GRADIENT),
    row("SoftsignGrad", OF_GRADIENT),
    row("ReluGrad", &[ex("", &["2x3", "2x3 0.5..2"]), ex("", &["4", "4 = -1 1 7 8"])]),
    row("Relu6Grad", &[ex("", &["2x3", "2x3 0.5..2"]), ex("", &["4", "4 = -1 1 7 8"])]),
    row("LeakyReluGrad", &[ex("{alpha = 0.125 : f32}", &["2x3", "2x3"])]),
    row("EluGrad", OF_GRADIENT),
    row("SeluGrad", OF_GRADIENT),
    row("Floor", ONE).note(ZERO),
    row("Ceil", ONE).note(ZERO),
    row("Round", ONE).note(ZERO),
    row("Rint", ONE).note(ZERO),
    row("Sign", ONE).note(ZERO),
    row("ZerosLike", ONE).note(ZERO),
    row("OnesLike", ONE).note(ZERO),
    row("StopGradient", &[]).note("zero; judged as a convention"),
    row("FloorDiv", QUOTIENT).note(ZERO),
];
