//! Operations of `arith` and `math`.

use super::{FIRST, Row, ZERO, row};
use crate::example::{Example, ex};

const F: &[Example] = &[ex("", &["f64"])];
const POSITIVE: &[Example] = &[ex("", &["f64 0.5..2"])];
const INSIDE: &[Example] = &[ex("", &["f64 -0.9..0.9"])];
const FF: &[Example] = &[
    ex("", &["f64", "f64 0.5..2"]),
    ex("", &["f64", "f64 -2..-0.5"]),
];

pub(super) const ROWS: &[Row] = &[
    row("arith.addf", FF),
    row("arith.subf", FF),
    row("arith.mulf", FF),
    row("arith.divf", FF),
    row("arith.negf", F),
    row("arith.remf", &[
        ex("", &["f64", "f64 0.5..2"]),
        ex("", &["f64 6..7", "f64 = 2.5"]),
        ex("", &["f64 -7..-6", "f64 = 2.5"]),
    ]).note("the quotient is constant"),
    row("arith.maximumf", FF).note(FIRST),
    row("arith.minimumf", FF).note(FIRST),
    row("arith.maxnumf", FF).note(FIRST),
    row("arith.minnumf", FF).note(FIRST),
    row("arith.select", &[ex("", &["i1 = 1", "f64", "f64"]), ex("", &["i1 = 0", "f64", "f64"])]),
    row("arith.extf", &[ex("", &["f32"]).step(0.25)]),
    row("arith.truncf", &[ex("", &["f64"]).to(&["f32"]).step(0.25)]),
    row("math.clampf", &[
        ex("", &["f64 -3..-2", "f64 -1..0", "f64 1..2"]),
        ex("", &["f64 0..1", "f64 -1..0", "f64 1..2"]),
        ex("", &["f64 3..4", "f64 -1..0", "f64 1..2"]),
    ]).note("on a bound, the value has the derivative"),
    row("math.absf", &[ex("", &["f64 1..2"]), ex("", &["f64 -2..-1"])]).note("zero at 0"),
    row("math.copysign", &[ex("", &["f64 1..2", "f64 -2..-1"]), ex("", &["f64 -2..-1", "f64 -2..-1"])])
        .note("zero with respect to the sign"),
    row("math.fma", &[ex("", &["f64", "f64", "f64"])]),
    row("math.acos", INSIDE),
    row("math.asin", INSIDE),
    row("math.atanh", INSIDE),
    row("math.acosh", &[ex("", &["f64 1.5..3"])]),
    row("math.asinh", F),
    row("math.atan", F),
    row("math.atan2", FF),
    row("math.sqrt", POSITIVE),
    row("math.cbrt", &[ex("", &["f64 -2..-0.5"])]),
    row("math.log", POSITIVE),
    row("math.log2", POSITIVE),
    row("math.log10", POSITIVE),
    row("math.log1p", INSIDE),
    row("math.rsqrt", POSITIVE),
    row("math.exp", F),
    row("math.exp2", F),
    row("math.expm1", F),
    row("math.sin", F),
    row("math.cos", F),
    row("math.tan", INSIDE),
    row("math.sinh", F),
    row("math.cosh", F),
    row("math.tanh", F),
    row("math.erf", F),
    row("math.erfc", F),
    row("math.sincos", &[ex("", &["f64"]).to(&["f64", "f64"])]),
    row("math.fpowi", &[ex("", &["f64", "i32 = 3"]), ex("", &["f64", "i64 = -2"]), ex("", &["f64 = 0", "i32 = 0"])])
        .note("zero for the exponent 0"),
    row("math.powf", &[ex("", &["f64 0.5..2", "f64"]), ex("", &["f64 0.2..0.8", "f64"])])
        .note("zero with respect to the exponent for a base that is not positive, and to the base for the exponent 0"),
    row("tfx_ad.scale", &[]).note("zero for the cotangent 0; judged by second derivatives"),
    row("math.ceil", F).note(ZERO),
    row("math.floor", F).note(ZERO),
    row("math.round", F).note(ZERO),
    row("math.roundeven", F).note(ZERO),
    row("math.trunc", F).note(ZERO),
];
