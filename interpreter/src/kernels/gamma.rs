//! The gamma function's logarithm and its derivatives, and the inverse of the error function.
//!
//! ```text
//!   Lgamma(x) = log |gamma(x)|      Digamma(x) = Lgamma'(x)      Polygamma(n, x): the n-th derivative of Digamma
//! ```
//!
//! All are computed in `f64`, also for `f32`. Sources: Moshier's Cephes library (`psi`, `zeta`),
//! and Giles, *Approximating the erfinv function* (2012), for a start that Halley's method
//! improves. Each takes a bounded number of steps: arguments below zero are reflected.

use std::f64::consts::{FRAC_2_SQRT_PI, PI};

use crate::{
    kernels::{
        Builder, Entry,
        broadcast::{map_in_place, zip_in_place},
        dispatch,
        number::Number,
        single, take,
    },
    special::Special,
};

/// A function of each float, computed in `f64`.
macro_rules! in_f64 {
    ($function:expr) => {
        |_| single(|inputs| {
            let tensor = take(inputs, 0)?;
            dispatch!(tensor.dtype(), T in floats => map_in_place(tensor, |x: T| T::from_f64($function(x.to_f64()))))
        })
    };
}

const POLYGAMMA: Builder = |_| {
    single(|inputs| {
        let (order, x) = (take(inputs, 0)?, take(inputs, 1)?);
        dispatch!(order.dtype(), T in floats => zip_in_place(order, x, |order: T, x: T| {
            Ok(T::from_f64(polygamma(order.to_f64(), x.to_f64())))
        }))
    })
};

pub(super) const KERNELS: &[Entry] = &[
    ("Lgamma", in_f64!(log_gamma)),
    ("Digamma", in_f64!(digamma)),
    ("Polygamma", POLYGAMMA),
    ("Erfinv", in_f64!(erf_inverse)),
];

fn log_gamma(x: f64) -> f64 {
    match x {
        f64::NEG_INFINITY => f64::INFINITY,
        _ => libm::lgamma(x),
    }
}

/// The value of a polynomial whose highest coefficient is the first.
fn polynomial(x: f64, coefficients: &[f64]) -> f64 {
    coefficients.iter().fold(0.0, |sum, &next| sum * x + next)
}

/// Bernoulli's numbers of the asymptotic series, by descending powers of 1 / x^2.
const DIGAMMA_SERIES: [f64; 7] = [
    1.0 / 12.0,
    -691.0 / 32760.0,
    1.0 / 132.0,
    -1.0 / 240.0,
    1.0 / 252.0,
    -1.0 / 120.0,
    1.0 / 12.0,
];
/// The number from which the asymptotic series is exact.
const DIGAMMA_ASYMPTOTIC: f64 = 10.0;

/// NaN at 0 and the negative integers, where the sign is not defined.
fn digamma(x: f64) -> f64 {
    if x <= 0.0 {
        if x == x.floor() {
            return f64::NAN;
        }
        // The distance from the nearest integer, so that the tangent is exact near its poles.
        let near = x - x.round();
        let tangent = if near.abs() == 0.5 {
            0.0
        } else {
            PI / (PI * near).tan()
        };
        return digamma(1.0 - x) - tangent;
    }
    let (mut x, mut steps) = (x, 0.0);
    while x < DIGAMMA_ASYMPTOTIC {
        steps += 1.0 / x;
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    x.ln() - 0.5 / x - square * polynomial(square, &DIGAMMA_SERIES) - steps
}

/// NaN unless the order is a natural number.
fn polygamma(order: f64, x: f64) -> f64 {
    if order != order.floor() || order < 0.0 {
        return f64::NAN;
    }
    if order == 0.0 {
        return digamma(x);
    }
    let magnitude = log_gamma(order + 1.0).exp() * zeta(order + 1.0, x);
    if is_odd(order) { magnitude } else { -magnitude }
}

/// Returns whether a whole number is odd.
fn is_odd(number: f64) -> bool {
    number % 2.0 != 0.0
}

/// The denominators of the Euler-Maclaurin series: (2k)! / B2k.
const ZETA_SERIES: [f64; 12] = [
    12.0,
    -720.0,
    30240.0,
    -1209600.0,
    47900160.0,
    -1.892_437_580_318_379_2e9,
    7.472_424_96e10,
    -2.950_130_727_918_164e12,
    1.164_678_281_435_006_7e14,
    -4.597_978_722_407_473e15,
    1.815_210_540_194_354_6e17,
    -7.166_165_256_175_667e18,
];
/// The start of the series: earlier terms are added one by one.
const ZETA_START: f64 = 9.0;

/// Hurwitz's zeta function, the sum of `(q + k)^-x`, for a whole `x` larger than 1.
fn zeta(x: f64, q: f64) -> f64 {
    if q <= 0.0 {
        if q == q.floor() {
            return if is_odd(x) { f64::NAN } else { f64::INFINITY };
        }
        // The terms below zero, without their sign, are those of a sum from 1 - f to -q.
        let first = q - q.floor();
        let below = zeta(x, 1.0 - first) - zeta(x, 1.0 - q);
        let below = if is_odd(x) { -below } else { below };
        return zeta(x, first) + below;
    }
    if q == f64::INFINITY {
        return 0.0;
    }
    let mut sum = q.powf(-x);
    let (mut at, mut term, mut count) = (q, 0.0, 0);
    while count < 9 || at <= ZETA_START {
        count += 1;
        at += 1.0;
        term = at.powf(-x);
        sum += term;
        if term.abs() < f64::EPSILON / 2.0 * sum.abs() {
            return sum;
        }
    }
    sum += term * at / (x - 1.0) - 0.5 * term;
    let (mut factor, mut step) = (1.0, 0.0);
    for denominator in ZETA_SERIES {
        factor *= x + step;
        term /= at;
        let next = factor * term / denominator;
        sum += next;
        if next.abs() < f64::EPSILON / 2.0 * sum.abs() {
            break;
        }
        step += 1.0;
        factor *= x + step;
        term /= at;
        step += 1.0;
    }
    sum
}

/// Giles's polynomial for the middle, to seven digits.
const ERF_INVERSE_MIDDLE: [f64; 9] = [
    2.810_226_36e-8,
    3.432_739_39e-7,
    -3.523_387_7e-6,
    -4.391_506_54e-6,
    0.000_218_580_87,
    -0.001_253_725_03,
    -0.004_177_681_64,
    0.246_640_727,
    1.501_409_41,
];

/// NaN beyond -1 and 1, where it is infinite.
fn erf_inverse(x: f64) -> f64 {
    let y = x.abs();
    if y.is_nan() || y >= 1.0 {
        return if y == 1.0 {
            x * f64::INFINITY
        } else {
            f64::NAN
        };
    }
    let (rest, logarithm) = (1.0 - y, -((1.0 - y) * (1.0 + y)).ln());
    let mut inverse = match logarithm < 5.0 {
        true => y * polynomial(logarithm - 2.5, &ERF_INVERSE_MIDDLE),
        // From erfc(z) = exp(-z^2) / (z * sqrt(pi)).
        false => (-(rest * PI.sqrt() * (-rest.ln()).sqrt()).ln()).sqrt(),
    };
    for _ in 0..3 {
        // What is smaller is exact.
        let error = match y < 0.5 {
            true => Special::erf(inverse) - y,
            false => rest - Special::erfc(inverse),
        };
        let error = error / (FRAC_2_SQRT_PI * (-inverse * inverse).exp());
        inverse -= error / (1.0 + inverse * error);
    }
    inverse.copysign(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn near(found: f64, expected: f64) {
        let apart = (found - expected).abs();
        assert!(apart <= 1e-14 * expected.abs(), "{found}, not {expected}");
    }

    #[test]
    fn known_values() {
        near(digamma(1.0), -0.577_215_664_901_532_9);
        near(digamma(-0.5), 0.036_489_973_978_576_52);
        near(polygamma(1.0, 1.0), PI * PI / 6.0);
        near(polygamma(2.0, 1.0), -2.404_113_806_319_188_5);
        near(polygamma(1.0, 0.5), PI * PI / 2.0);
        near(polygamma(1.0, -0.5), PI * PI / 2.0 + 4.0);
        near(polygamma(1.0, -1e9 - 0.5), PI * PI - 1e-9);
        near(log_gamma(0.5), PI.sqrt().ln());
        near(erf_inverse(0.5), 0.476_936_276_204_469_9);
        near(erf_inverse(-0.5), -0.476_936_276_204_469_9);
        near(erf_inverse(1e-30), 1e-30 / FRAC_2_SQRT_PI);
        for y in [1e-3, 0.3, 1.0, 2.0, 2.1, 3.0, 4.0, 5.5] {
            let x = Special::erf(y);
            // The inverse magnifies the rounding of x by this factor.
            let slope = f64::exp(y * y) / FRAC_2_SQRT_PI;
            assert!(
                (erf_inverse(x) - y).abs() <= 1e-15 * y + slope * f64::EPSILON,
                "{y}"
            );
        }
    }

    #[test]
    fn poles_and_ends() {
        assert!(digamma(0.0).is_nan() && digamma(-3.0).is_nan());
        assert_eq!(log_gamma(-2.0), f64::INFINITY);
        assert_eq!(log_gamma(f64::NEG_INFINITY), f64::INFINITY);
        assert_eq!(polygamma(1.0, -1.0), f64::INFINITY);
        assert!(polygamma(2.0, -1.0).is_nan() && polygamma(0.5, 1.0).is_nan());
        assert_eq!(polygamma(1.0, f64::INFINITY), 0.0);
        assert_eq!(erf_inverse(-1.0), f64::NEG_INFINITY);
        assert!(erf_inverse(1.5).is_nan() && erf_inverse(f64::NAN).is_nan());
    }
}
