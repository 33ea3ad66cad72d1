//! The functions of C's mathematical library that Rust's standard library lacks or computes by
//! other algorithms.
//!
//! Compiled host code calls these functions, so the interpreters must call them too: then both give
//! the same bits. They are declared in a crate of their own because `tfx-interpreter` forbids
//! `unsafe`.
//!
//! Contract: each function takes and returns numbers alone, is defined for all of them, and changes
//! nothing but `errno`. The standard library links the library already.

unsafe extern "C" {
    /// C's `acosh`.
    pub safe fn acosh(x: f64) -> f64;
    /// C's `acoshf`.
    pub safe fn acoshf(x: f32) -> f32;
    /// C's `asinh`.
    pub safe fn asinh(x: f64) -> f64;
    /// C's `asinhf`.
    pub safe fn asinhf(x: f32) -> f32;
    /// C's `atanh`.
    pub safe fn atanh(x: f64) -> f64;
    /// C's `atanhf`.
    pub safe fn atanhf(x: f32) -> f32;
    /// C's `erf`.
    pub safe fn erf(x: f64) -> f64;
    /// C's `erff`.
    pub safe fn erff(x: f32) -> f32;
    /// C's `erfc`.
    pub safe fn erfc(x: f64) -> f64;
    /// C's `erfcf`.
    pub safe fn erfcf(x: f32) -> f32;
}
