//! Tensors as text, in the format of NumPy.
//!
//! ```text
//! rank 0     0.25   3   true
//! rank 1     [1.  2.5 3. ]
//! rank 2     [[1 2]
//!             [3 4]]           more than 1000 elements: three at each end of a dimension
//! ```
//!
//! Floats have the fewest digits that parse as the same number.

use tfx_interpreter::half::{Bf16, F16};
use tfx_interpreter::{Bool, DType, Tensor};

/// Tensors with more elements than this are summarized, as in NumPy.
const SUMMARY_THRESHOLD: usize = 1000;
/// The number of elements that a summary has at each end of a dimension, as in NumPy.
const EDGE_ITEMS: usize = 3;
/// A tensor with a number of at least this size has exponents, as in NumPy.
const LARGE: f64 = 1e8;
/// A tensor with a number below this size, other than 0, has exponents, as in NumPy.
const SMALL: f64 = 1e-4;

/// Returns a tensor as text; a scalar without brackets.
pub fn tensor(tensor: &Tensor) -> String {
    let summary = tensor.elements() > SUMMARY_THRESHOLD;
    let indices = shown_indices(tensor.shape(), summary);
    let texts = texts(tensor, &indices);
    if tensor.rank() == 0 {
        return texts.into_iter().next().unwrap_or_default();
    }
    if tensor.elements() == 0 {
        let sizes: Vec<String> = tensor.shape().iter().map(usize::to_string).collect();
        return format!("[] (shape {})", sizes.join("x"));
    }
    nest(tensor.shape(), summary, &align(texts))
}

/// Replaces each `{}` of a format by the next value, and `{{` and `}}` by braces. Appends the
/// values that are left.
pub fn message(format: &str, values: &[Tensor]) -> String {
    let mut values = values.iter();
    let mut text = String::new();
    let mut rest = format.chars().peekable();
    while let Some(character) = rest.next() {
        match (character, rest.peek()) {
            ('{', Some('{')) | ('}', Some('}')) => {
                rest.next();
                text.push(character);
            }
            ('{', Some('}')) => {
                rest.next();
                match values.next() {
                    Some(value) => text.push_str(&indented(&text, value)),
                    None => text.push_str("{}"),
                }
            }
            _ => text.push(character),
        }
    }
    for value in values {
        text.push(' ');
        text.push_str(&indented(&text, value));
    }
    text
}

/// Returns a value whose lines are aligned after the text before it.
fn indented(before: &str, value: &Tensor) -> String {
    let column = before
        .rsplit('\n')
        .next()
        .map_or(0, |line| line.chars().count());
    let text = tensor(value);
    if value.rank() < 2 {
        text
    } else {
        text.replace('\n', &format!("\n{}", " ".repeat(column)))
    }
}

/// Returns the indices of a dimension that are shown.
fn shown(size: usize, summary: bool) -> Vec<usize> {
    if !summary || size <= 2 * EDGE_ITEMS {
        return (0..size).collect();
    }
    (0..EDGE_ITEMS).chain(size - EDGE_ITEMS..size).collect()
}

/// Returns the positions of the elements that are shown, row-major.
fn shown_indices(shape: &[usize], summary: bool) -> Vec<usize> {
    let mut positions = vec![0];
    for &size in shape {
        let shown = shown(size, summary);
        positions = positions
            .iter()
            .flat_map(|&outer| shown.iter().map(move |&inner| outer * size + inner))
            .collect();
    }
    positions
}

/// Returns the elements at some positions as texts.
fn texts(tensor: &Tensor, indices: &[usize]) -> Vec<String> {
    macro_rules! plain {
        ($rust:ty) => {{
            let values = tensor.values::<$rust>().unwrap_or(&[]);
            let text = |&index: &usize| values[index].to_string();
            indices.iter().map(text).collect()
        }};
    }
    macro_rules! float {
        ($rust:ty) => {
            float!($rust, |value| value)
        };
        ($rust:ty, |$value:ident| $shown:expr) => {{
            let values = tensor.values::<$rust>().unwrap_or(&[]);
            let shown = |$value: $rust| $shown;
            if tensor.rank() == 0 {
                return vec![format!("{:?}", shown(values[0]))];
            }
            let exponents = indices
                .iter()
                .map(|&index| f64::from(shown(values[index])).abs())
                .any(|size| size.is_finite() && (size >= LARGE || (size != 0.0 && size < SMALL)));
            let text = |value: $rust| match (shown(value), format!("{:?}", shown(value))) {
                (value, _) if exponents && value.is_finite() => format!("{value:e}"),
                (_, text) => text
                    .strip_suffix(".0")
                    .map_or(text.clone(), |whole| format!("{whole}.")),
            };
            indices.iter().map(|&index| text(values[index])).collect()
        }};
    }
    match tensor.dtype() {
        DType::F16 => float!(F16, |value| value.shortest()),
        DType::Bf16 => float!(Bf16, |value| value.shortest()),
        DType::F32 => float!(f32),
        DType::F64 => float!(f64),
        DType::I8 => plain!(i8),
        DType::I16 => plain!(i16),
        DType::I32 => plain!(i32),
        DType::I64 => plain!(i64),
        DType::U8 => plain!(u8),
        DType::U16 => plain!(u16),
        DType::U32 => plain!(u32),
        DType::U64 => plain!(u64),
        DType::Bool => {
            let values = tensor.values::<Bool>().unwrap_or(&[]);
            let text = |&index: &usize| values[index].get().to_string();
            indices.iter().map(text).collect()
        }
        DType::String => {
            let strings = tensor.strings().unwrap_or(&[]);
            let text = |index: &usize| String::from_utf8_lossy(&strings[*index]).into_owned();
            if tensor.rank() == 0 {
                return indices.iter().map(text).collect();
            }
            let quoted = |index| format!("{:?}", text(index));
            indices.iter().map(quoted).collect()
        }
        dtype @ (DType::Resource | DType::Variant) => vec![dtype.to_string(); indices.len()],
    }
}

/// Pads the texts to one width: decimal points are aligned, texts with exponents end-aligned.
fn align(texts: Vec<String>) -> Vec<String> {
    let parts = |text: &str| match text.find('.') {
        Some(point) if !text.contains('e') => (point, text.len() - point),
        _ => (text.len(), 0),
    };
    let before = texts.iter().map(|text| parts(text).0).max().unwrap_or(0);
    let after = texts.iter().map(|text| parts(text).1).max().unwrap_or(0);
    let pad = |text: &String| {
        let (left, right) = parts(text);
        format!(
            "{}{text}{}",
            " ".repeat(before - left),
            " ".repeat(after - right)
        )
    };
    texts.iter().map(pad).collect()
}

/// Adds brackets and separators. The separator of two elements is a space, or one line break for
/// each dimension that ends between them.
fn nest(shape: &[usize], summary: bool, texts: &[String]) -> String {
    let rank = shape.len();
    let sizes: Vec<usize> = shape
        .iter()
        .map(|&size| shown(size, summary).len())
        .collect();
    let cut = |dimension: usize| sizes[dimension] < shape[dimension];
    let mut counter = vec![0; rank];
    let mut text = "[".repeat(rank);
    for element in texts {
        text.push_str(element);
        // The innermost dimension with a next index.
        let Some(dimension) = (0..rank)
            .rev()
            .find(|&dimension| counter[dimension] + 1 < sizes[dimension])
        else {
            break;
        };
        counter[dimension] += 1;
        counter[dimension + 1..].fill(0);
        let ended = rank - 1 - dimension;
        let separator = if ended == 0 {
            " ".to_owned()
        } else {
            format!("{}{}", "\n".repeat(ended), " ".repeat(dimension + 1))
        };
        text.push_str(&"]".repeat(ended));
        text.push_str(&separator);
        if cut(dimension) && counter[dimension] == EDGE_ITEMS {
            text.push_str("...");
            text.push_str(&separator);
        }
        text.push_str(&"[".repeat(ended));
    }
    text + &"]".repeat(rank)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text<T: tfx_interpreter::Element>(shape: &[usize], values: &[T]) -> String {
        tensor(&Tensor::from_slice(shape, values).expect("a tensor"))
    }

    #[test]
    fn scalars_are_plain() {
        assert_eq!(tensor(&Tensor::scalar(0.25f32)), "0.25");
        assert_eq!(tensor(&Tensor::scalar(0.1f32)), "0.1");
        assert_eq!(tensor(&Tensor::scalar(3)), "3");
        assert_eq!(tensor(&Tensor::scalar(Bool::from(true))), "true");
        assert_eq!(
            tensor(&Tensor::from_strings(&[], vec![b"hi".to_vec()]).expect("a string")),
            "hi"
        );
    }

    #[test]
    fn arrays_are_as_in_numpy() {
        assert_eq!(text(&[3], &[1.0f32, 2.5, 3.0]), "[1.  2.5 3. ]");
        assert_eq!(text(&[2, 2], &[1, 2, 3, 40]), "[[ 1  2]\n [ 3 40]]");
        assert_eq!(text(&[2, 1, 2], &[1, 2, 3, 4]), "[[[1 2]]\n\n [[3 4]]]");
        assert_eq!(text(&[2], &[1.5e-7f64, 1.0]), "[1.5e-7    1e0]");
        assert_eq!(text::<f32>(&[0, 2], &[]), "[] (shape 0x2)");
    }

    #[test]
    fn floats_of_16_bits_have_their_own_digits() {
        let halves = [0.1, -0.0, 65504.0].map(F16::from_f32);
        assert_eq!(text(&[3], &halves), "[    0.1    -0.  65500. ]");
        assert_eq!(tensor(&Tensor::scalar(Bf16::from_f32(0.3))), "0.3");
    }

    #[test]
    fn large_tensors_are_summarized() {
        let values: Vec<i32> = (0..2000).collect();
        assert_eq!(
            text(&[2000], &values),
            "[   0    1    2 ... 1997 1998 1999]"
        );
        let table = text(&[1000, 2], &values);
        assert_eq!(table.lines().count(), 7);
        assert_eq!(table.lines().nth(3), Some(" ..."));
    }

    #[test]
    fn formats_take_values_in_order() {
        let values = [Tensor::scalar(1), Tensor::scalar(2.5f32)];
        assert_eq!(message("a {} b {{}} {}", &values), "a 1 b {} 2.5");
        assert_eq!(message("{} {} {}", &values), "1 2.5 {}");
        assert_eq!(message("x", &values), "x 1 2.5");
    }
}
