//! 16-bit floats, which programs store and move; arithmetic on them is done in `f32`, as in
//! TensorFlow.
//!
//! ```text
//!   F16    sign, 5 bits of exponent, 10 bits of fraction     IEEE 754's binary16
//!   Bf16   sign, 8 bits of exponent,  7 bits of fraction     the upper half of an f32
//! ```

use bytemuck::{Pod, Zeroable};

/// An `f16`.
#[derive(Clone, Copy, Default, Zeroable, Pod)]
#[repr(transparent)]
pub struct F16(u16);

/// A `bf16`.
#[derive(Clone, Copy, Default, Zeroable, Pod)]
#[repr(transparent)]
pub struct Bf16(u16);

/// The sign of a 16-bit float.
const SIGN: u32 = 0x8000;

/// Rounds away the lowest bits of a number, to nearest, ties to even.
fn rounded(bits: u32, away: u32) -> u32 {
    let odd = (bits >> away) & 1;
    (bits + (1 << (away - 1)) - 1 + odd) >> away
}

impl F16 {
    /// The bits of 2^-14, the least normal `F16`, as an `f32`.
    const LEAST_NORMAL: u32 = 0x3880_0000;
    /// The bits of 2^16, which rounds to infinity, as an `f32`.
    const TOO_LARGE: u32 = 0x4780_0000;
    /// The difference of the exponent biases, in the position of the exponent of an `f32`.
    const BIAS: u32 = (127 - 15) << 23;
    const INFINITY: u32 = 0x7c00;
    const NO_NUMBER: u32 = 0x7e00;
    /// 2^24: scales the least denormal number to 1.
    const DENORMAL_SCALE: f32 = 16_777_216.0;
    /// The additional fraction bits of an `f32`.
    const CUT: u32 = 13;

    /// Rounds to nearest, ties to even.
    pub fn from_f32(value: f32) -> Self {
        let bits = value.to_bits();
        let (sign, size) = ((bits >> 16) & SIGN, value.abs());
        let magnitude = match size.to_bits() {
            _ if value.is_nan() => Self::NO_NUMBER,
            Self::TOO_LARGE.. => Self::INFINITY,
            bits @ Self::LEAST_NORMAL.. => rounded(bits - Self::BIAS, Self::CUT),
            _ => (size * Self::DENORMAL_SCALE).round_ties_even() as u32,
        };
        F16((sign | magnitude) as u16)
    }

    /// Returns the same number.
    pub fn to_f32(self) -> f32 {
        let bits = u32::from(self.0);
        let (exponent, fraction) = ((bits >> 10) & 0x1f, bits & 0x3ff);
        let size = match exponent {
            0 => fraction as f32 / Self::DENORMAL_SCALE,
            0x1f if fraction == 0 => f32::INFINITY,
            0x1f => f32::NAN,
            _ => f32::from_bits(((bits & 0x7fff) << Self::CUT) + Self::BIAS),
        };
        match bits & SIGN {
            0 => size,
            _ => -size,
        }
    }
}

impl Bf16 {
    const CUT: u32 = 16;
    /// The bit that keeps the upper half of a NaN a NaN.
    const QUIET: u32 = 0x40;

    /// Rounds to nearest, ties to even.
    pub fn from_f32(value: f32) -> Self {
        let bits = value.to_bits();
        Bf16(match value.is_nan() {
            true => (bits >> Self::CUT) | Self::QUIET,
            false => rounded(bits, Self::CUT),
        } as u16)
    }

    /// Returns the same number.
    pub fn to_f32(self) -> f32 {
        f32::from_bits(u32::from(self.0) << Self::CUT)
    }
}

macro_rules! float {
    ($float:ty) => {
        impl $float {
            /// Returns the number with these bits.
            pub fn from_bits(bits: u16) -> Self {
                Self(bits)
            }

            /// Returns the bits.
            pub fn to_bits(self) -> u16 {
                self.0
            }

            /// Returns the `f32` with the fewest digits that reads back as this number, for
            /// printing.
            pub fn shortest(self) -> f32 {
                /// Enough digits for every 16-bit number.
                const DIGITS: usize = 6;
                let value = self.to_f32();
                let of_digits = |digits| format!("{value:.digits$e}").parse::<f32>().ok();
                let same = |short: &f32| Self::from_f32(*short) == self;
                (0..DIGITS)
                    .filter_map(of_digits)
                    .find(same)
                    .unwrap_or(value)
            }
        }

        impl PartialEq for $float {
            fn eq(&self, other: &Self) -> bool {
                self.to_f32() == other.to_f32()
            }
        }

        impl std::fmt::Debug for $float {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.shortest().fmt(formatter)
            }
        }
    };
}

float!(F16);
float!(Bf16);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_converts_to_f32_and_back() {
        for bits in 0..=u16::MAX {
            let (half, brain) = (F16::from_bits(bits), Bf16::from_bits(bits));
            let same = |a: f32, b: f32| a.is_nan() && b.is_nan() || a.to_bits() == b.to_bits();
            let again = F16::from_f32(half.to_f32());
            assert!(same(half.to_f32(), again.to_f32()), "f16 {bits:#x}");
            let again = Bf16::from_f32(brain.to_f32());
            assert!(same(brain.to_f32(), again.to_f32()), "bf16 {bits:#x}");
        }
    }

    #[test]
    fn numbers_round_half_to_even() {
        for (value, expected) in [
            (65504.0, 65504.0),
            (65519.9, 65504.0),
            (65520.0, f32::INFINITY),
            (2049.0, 2048.0),
            (2051.0, 2052.0),
            (2f32.powi(-25), 0.0),
            (3.0 * 2f32.powi(-25), 2f32.powi(-23)),
        ] {
            assert_eq!(F16::from_f32(value).to_f32(), expected, "{value}");
        }
        assert_eq!(Bf16::from_f32(257.0).to_f32(), 256.0);
        assert_eq!(Bf16::from_f32(259.0).to_f32(), 260.0);
    }

    #[test]
    fn text_is_as_short_as_it_can_be() {
        assert_eq!(format!("{:?}", F16::from_f32(0.1)), "0.1");
        assert_eq!(format!("{:?}", F16::from_f32(65504.0)), "65500.0");
        assert_eq!(format!("{:?}", Bf16::from_f32(0.3)), "0.3");
        assert_eq!(format!("{:?}", F16::from_f32(-0.0)), "-0.0");
    }
}
