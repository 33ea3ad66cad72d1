//! The difference between two results.

use tfx_interpreter::{DType, Tensor};

use crate::table::Bound;

/// Returns the first difference between two lists of results. `scale` is called if the bound
/// depends on the largest result.
pub(crate) fn difference(
    ours: &[Tensor],
    theirs: &[Tensor],
    bound: Bound,
    scale: impl Fn() -> f64,
) -> Option<String> {
    if ours.len() != theirs.len() {
        return Some(format!("{} results, not {}", ours.len(), theirs.len()));
    }
    let scale = match bound {
        Bound::OfLargest(_) => scale(),
        _ => 1.0,
    };
    let mut pairs = ours.iter().zip(theirs);
    pairs.find_map(|(ours, theirs)| of_tensors(ours, theirs, bound, scale))
}

fn of_tensors(ours: &Tensor, theirs: &Tensor, bound: Bound, scale: f64) -> Option<String> {
    let kind = |tensor: &Tensor| format!("{}{:?}", tensor.dtype(), tensor.shape());
    if kind(ours) != kind(theirs) {
        return Some(format!("it is {}, not {}", kind(ours), kind(theirs)));
    }
    macro_rules! floats {
        ($rust:ty) => {{
            let (ours, theirs) = (ours.values::<$rust>().ok()?, theirs.values::<$rust>().ok()?);
            let mut pairs = ours.iter().zip(theirs).enumerate();
            let far =
                pairs.find(|(_, (ours, theirs))| !<$rust>::near(**ours, **theirs, bound, scale));
            far.map(|(place, (ours, theirs))| {
                format!("element {place} is {ours:e}, not {theirs:e}")
            })
        }};
    }
    match ours.dtype() {
        DType::F32 => floats!(f32),
        DType::F64 => floats!(f64),
        _ if ours.bytes() == theirs.bytes() => None,
        _ => Some(format!("it is {ours:?}, not {theirs:?}")),
    }
}

/// Floats with what is near them.
trait Near {
    fn near(self, other: Self, bound: Bound, scale: f64) -> bool;
}

macro_rules! near {
    ($rust:ty, $signed:ty) => {
        impl Near for $rust {
            fn near(self, other: Self, bound: Bound, scale: f64) -> bool {
                let is_tiny = |x: $rust| x.abs() < <$rust>::MIN_POSITIVE;
                let is_zero = |x: $rust| x == 0.0;
                if self.to_bits() == other.to_bits() || self.is_nan() && other.is_nan() {
                    return true;
                }
                if is_tiny(self) && is_tiny(other) && !(is_zero(self) && is_zero(other)) {
                    return true;
                }
                if self.is_nan() || other.is_nan() || self.is_infinite() != other.is_infinite() {
                    return false;
                }
                // So that neighbours differ by one, and the zeros by nothing.
                let order = |x: $rust| match x.to_bits() as $signed {
                    bits if bits < 0 => i128::from(<$signed>::MIN) - i128::from(bits),
                    bits => i128::from(bits),
                };
                let apart = (f64::from(self) - f64::from(other)).abs();
                let unit =
                    |of: f64| of.max(<$rust>::MIN_POSITIVE.into()) * f64::from(<$rust>::EPSILON);
                match bound {
                    Bound::Same => false,
                    Bound::Ulps(count) => order(self).abs_diff(order(other)) <= count.into(),
                    Bound::OfSelfOrOne(count) => {
                        let scale = f64::from(other).abs().max(1.0);
                        self == other || apart <= f64::from(count) * unit(scale)
                    }
                    Bound::OfOne(count) | Bound::OfLargest(count) => {
                        self == other || apart <= f64::from(count) * unit(scale)
                    }
                }
            }
        }
    };
}

near!(f32, i32);
near!(f64, i64);

/// Floats without their signs; those that are not finite as 0.
pub(crate) fn magnitudes(tensor: &Tensor) -> Tensor {
    macro_rules! floats {
        ($rust:ty) => {{
            let values = tensor.values::<$rust>().expect("of that type");
            let finite = values
                .iter()
                .map(|x| if x.is_finite() { x.abs() } else { 0.0 });
            let finite: Vec<$rust> = finite.collect();
            Tensor::from_slice(tensor.shape(), &finite).expect("as many elements")
        }};
    }
    match tensor.dtype() {
        DType::F32 => floats!(f32),
        DType::F64 => floats!(f64),
        _ => tensor.clone(),
    }
}

/// The largest float of a tensor; 0 where it has none.
pub(crate) fn largest(tensor: &Tensor) -> f64 {
    macro_rules! floats {
        ($rust:ty) => {{
            let values = tensor.values::<$rust>().unwrap_or_default().iter();
            values.fold(0.0, |most, &x| f64::max(most, f64::from(x).abs()))
        }};
    }
    match tensor.dtype() {
        DType::F32 => floats!(f32),
        DType::F64 => floats!(f64),
        _ => 0.0,
    }
}
