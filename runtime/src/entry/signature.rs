//! The inputs and results of an entry function.

use tfx_interpreter::{DType, Tensor};

use crate::{executor::ExecutorKind, failure::Failure};

/// An input or result of an entry function.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The name that `--input` and `--output` use.
    pub name: String,
    /// A tensor, not a scalar.
    pub is_tensor: bool,
    /// The element type.
    pub dtype: DType,
    /// The sizes of the dimensions, which may be unknown; `None`: any rank.
    pub shape: Option<Vec<Option<usize>>>,
    /// `file:line:col`.
    pub location: Option<String>,
}

impl Parameter {
    /// Compares a value with the type of the parameter. On a mismatch, returns what the value is
    /// and what is expected, in words that follow "is" or "expects".
    pub fn mismatch(&self, value: &Tensor) -> Option<(String, String)> {
        if value.dtype() != self.dtype {
            let found = format!("elements of type {}", value.dtype());
            return Some((found, self.dtype.to_string()));
        }
        let shape = if self.is_tensor {
            self.shape.as_ref()?
        } else {
            &Vec::new()
        };
        if fits(shape, value.shape()) {
            return None;
        }
        let found: Vec<_> = value.shape().iter().copied().map(Some).collect();
        let found = format!("a tensor<{}{}>", shape_text(Some(&found)), value.dtype());
        Some((found, format!("a {}", type_text(self))))
    }
}

/// Returns whether these are sizes of a shape with unknown sizes.
pub(crate) fn fits(shape: &[Option<usize>], sizes: &[usize]) -> bool {
    let mut pairs = shape.iter().zip(sizes);
    shape.len() == sizes.len()
        && pairs.all(|(known, size)| known.is_none_or(|known| known == *size))
}

/// Calls an entry function with a tensor per parameter, and returns a tensor per result. A scalar
/// is a tensor of rank 0.
pub type Call<'a> = dyn Fn(Vec<Tensor>) -> Result<Vec<Tensor>, Failure> + 'a;

/// Checks that an executor can run the programs of an entry function: it has all kernels.
pub type Check<'a> = dyn Fn(ExecutorKind) -> Result<(), Failure> + 'a;

/// An entry function.
pub struct Entry<'a> {
    /// The name.
    pub name: String,
    /// `file:line:col`.
    pub location: Option<String>,
    /// The inputs.
    pub parameters: Vec<Parameter>,
    /// The results.
    pub results: Vec<Parameter>,
    /// Checks that an executor can run the programs of the function.
    pub check: Box<Check<'a>>,
    /// Calls the function.
    pub call: Box<Call<'a>>,
}

/// Returns the text of `--help`.
pub fn usage(entry: &Entry<'_>) -> String {
    let mut text = format!(
        "Runs @{}.\n\nUsage: [--input NAME=FILE.npy ...] [--output NAME=FILE.npy ...] [--executor {}] [--target grpc://HOST:PORT] [--threads N] [--stats]",
        entry.name,
        ExecutorKind::NAMES.join("|")
    );
    for parameter in entry
        .parameters
        .iter()
        .filter(|parameter| is_scalar(parameter))
    {
        text.push_str(&format!(" {}", parameter.name.to_uppercase()));
    }
    text.push('\n');
    for (title, parameters) in [("Inputs", &entry.parameters), ("Results", &entry.results)] {
        if !parameters.is_empty() {
            text.push_str(&format!("\n{title}:\n"));
        }
        for parameter in parameters {
            text.push_str(&format!("  {}: {}\n", parameter.name, type_text(parameter)));
        }
    }
    text
}

/// Returns whether the command line has the value itself, not a file with it. This includes
/// strings, which are tensors in host code.
pub(super) fn is_scalar(parameter: &Parameter) -> bool {
    !parameter.is_tensor || parameter.dtype == DType::String
}

/// Returns the type of a parameter as in MLIR.
pub fn type_text(parameter: &Parameter) -> String {
    if is_scalar(parameter) {
        return parameter.dtype.to_string();
    }
    format!(
        "tensor<{}{}>",
        shape_text(parameter.shape.as_deref()),
        parameter.dtype
    )
}

/// Returns a shape as in MLIR: `2x?x`.
pub(crate) fn shape_text(shape: Option<&[Option<usize>]>) -> String {
    let Some(shape) = shape else {
        return "*x".into();
    };
    shape
        .iter()
        .map(|size| size.map_or("?x".to_owned(), |size| format!("{size}x")))
        .collect()
}
