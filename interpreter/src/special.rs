//! Functions of floats as in compiled host code: those of C's mathematical library, whose results
//! the interpreters must reproduce.

/// Functions that Rust's standard library lacks, or computes by other algorithms.
pub trait Special: Sized {
    /// The inverse of the hyperbolic sine.
    fn asinh(self) -> Self;
    /// The inverse of the hyperbolic cosine.
    fn acosh(self) -> Self;
    /// The inverse of the hyperbolic tangent.
    fn atanh(self) -> Self;
    /// The error function.
    fn erf(self) -> Self;
    /// The complementary error function, without cancellation.
    fn erfc(self) -> Self;
}

macro_rules! special {
    ($float:ty: $($name:ident => $function:ident),* $(,)?) => {
        impl Special for $float {
            $(fn $name(self) -> Self {
                tfx_libm::$function(self)
            })*
        }
    };
}

special!(f32: asinh => asinhf, acosh => acoshf, atanh => atanhf, erf => erff, erfc => erfcf);
special!(f64: asinh => asinh, acosh => acosh, atanh => atanh, erf => erf, erfc => erfc);

#[cfg(test)]
mod tests {
    use super::Special;

    #[test]
    fn signs_of_zeros_are_kept() {
        assert!(Special::erf(-0.0f32).is_sign_negative());
        assert!(Special::asinh(-0.0f64).is_sign_negative());
        assert_eq!(Special::erfc(0.0f64), 1.0);
    }
}
