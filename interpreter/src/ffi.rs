//! The functions of C's mathematical library that Rust's standard library lacks, or computes by other algorithms.
//!
//! Contract: each takes and returns numbers alone, is defined for all of them, and touches nothing but `errno`. The standard library links
//! the library already.

unsafe extern "C" {
    pub(crate) safe fn acosh(x: f64) -> f64;
    pub(crate) safe fn acoshf(x: f32) -> f32;
    pub(crate) safe fn asinh(x: f64) -> f64;
    pub(crate) safe fn asinhf(x: f32) -> f32;
    pub(crate) safe fn atanh(x: f64) -> f64;
    pub(crate) safe fn atanhf(x: f32) -> f32;
    pub(crate) safe fn erf(x: f64) -> f64;
    pub(crate) safe fn erff(x: f32) -> f32;
    pub(crate) safe fn erfc(x: f64) -> f64;
    pub(crate) safe fn erfcf(x: f32) -> f32;
}
