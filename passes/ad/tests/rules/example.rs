//! Examples of an operation.
//!
//! ```text
//!   "2x3 1..2", "i32 = 1", attributes    ──programs.rs──►    func @f(%a0: tensor<2x3xf64>) { op }
//! ```
//!
//! An operand is written as its type and its values. A type is that of a scalar (`f64`), or the
//! sizes of a tensor (`2x3`, `[]`), with an element type if that is not `f64` (`2xi32`). The values
//! follow `=`, or `#` if the operand has no derivative; without them, floats are random in a range
//! (`1..2`).

use tfx_interpreter::{Bool, DType, Tensor};
use tfx_oracle::Random;

use crate::programs::Typing;

/// The range of random operands.
const RANGE: (f64, f64) = (-2.0, 2.0);

/// Operands and attributes of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Example {
    /// The attributes, in braces or empty.
    pub(crate) attributes: &'static str,
    pub(crate) operands: &'static [&'static str],
    /// The element types of the results; a scalar operation has scalar results. A result that
    /// starts with [`UNUSED`] has the cotangent zero.
    pub(crate) results: &'static [&'static str],
    /// The step of the central differences.
    pub(crate) step: f64,
    /// The second derivatives are judged, too.
    pub(crate) has_second: bool,
    /// Differences are as precise as `f32`: the operation has no kernel of `f64`.
    pub(crate) is_coarse: bool,
    /// TensorFlow has the same gradient, if it has one.
    pub(crate) is_compared: bool,
}

/// The step of central differences in `f64`: errors of truncation and of rounding are about equal.
const STEP: f64 = 1e-5;

/// The step of central differences in `f32`.
const COARSE_STEP: f64 = 1.0 / 64.0;

/// An example with one result.
pub(crate) const fn ex(attributes: &'static str, operands: &'static [&'static str]) -> Example {
    Example {
        attributes,
        operands,
        results: &["f64"],
        step: STEP,
        has_second: true,
        is_coarse: false,
        is_compared: true,
    }
}

impl Example {
    /// Returns the operands, with their values.
    pub(crate) fn parse(&self, random: &mut Random) -> Vec<Operand> {
        let operands = self.operands.iter();
        operands.map(|text| Operand::parse(text, random)).collect()
    }

    /// Sets the element types of the results.
    pub(crate) const fn to(mut self, results: &'static [&'static str]) -> Self {
        self.results = results;
        self
    }

    /// Is not compared with TensorFlow's gradient, which is another one.
    pub(crate) const fn differs(mut self) -> Self {
        self.is_compared = false;
        self
    }

    /// Returns whether the operation computes with `f32`.
    pub(crate) fn rounds(&self) -> bool {
        let mut types = self.operands.iter().chain(self.results);
        types.any(|ty| ty.contains("f32"))
    }

    /// Leaves out the second derivatives.
    pub(crate) const fn first(mut self) -> Self {
        self.has_second = false;
        self
    }

    /// Computes in `f32`.
    pub(crate) const fn coarse(mut self) -> Self {
        self.is_coarse = true;
        self.step = COARSE_STEP;
        self
    }

    /// Sets the step of the central differences, which are exact for linear operations.
    pub(crate) const fn step(mut self, step: f64) -> Self {
        self.step = step;
        self
    }
}

/// An operand of an example.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    pub(crate) element: String,
    /// The sizes of a tensor; none for a scalar.
    pub(crate) sizes: Option<Vec<usize>>,
    pub(crate) values: Vec<f64>,
    /// It is a float, but has no derivative.
    pub(crate) is_constant: bool,
    /// Iterations of a loop have other values.
    pub(crate) is_scaled: bool,
}

impl Operand {
    pub(crate) fn parse(text: &str, random: &mut Random) -> Self {
        let (ty, values) = text.split_once(' ').unwrap_or((text, ""));
        let is_size = |part: &&str| part.parse::<usize>().is_ok();
        let (element, sizes) = match ty.strip_prefix("[]") {
            Some(rest) => (rest.trim_start_matches('x'), Some(Vec::new())),
            None => {
                let sizes: Vec<_> = ty.split('x').take_while(is_size).collect();
                let element = ty.split('x').find(|part| !is_size(part)).unwrap_or("");
                let sizes: Vec<_> = sizes.iter().filter_map(|size| size.parse().ok()).collect();
                (element, (!sizes.is_empty()).then_some(sizes))
            }
        };
        let element = if element.is_empty() { "f64" } else { element };
        let count = sizes.as_ref().map_or(1, |sizes| sizes.iter().product());
        let number = |text: &str| text.parse::<f64>().expect("a number");
        let (is_constant, is_given) = (values.starts_with('#'), values.starts_with(['=', '#']));
        let values: Vec<_> = match values.strip_prefix(['=', '#']) {
            Some(list) => list.split_whitespace().map(number).collect(),
            None => {
                let range = values.split_once("..");
                let (low, high) = range.map_or(RANGE, |(low, high)| (number(low), number(high)));
                (0..count)
                    .map(|_| low + (high - low) * fraction(random))
                    .collect()
            }
        };
        assert_eq!(values.len(), count, "the number of values of '{text}'");
        Operand {
            element: element.to_owned(),
            sizes,
            values,
            is_constant,
            is_scaled: element == "f64" && !is_given,
        }
    }

    /// Returns whether the operand has a derivative.
    pub(crate) fn is_float(&self) -> bool {
        self.element.starts_with('f') && !self.is_constant
    }

    /// Returns the type in a program.
    pub(crate) fn ty(&self, typing: Typing) -> String {
        match &self.sizes {
            None => self.element.clone(),
            Some(sizes) if typing == Typing::Static => tensor_type(sizes, &self.element),
            Some(_) => format!("tensor<*x{}>", self.element),
        }
    }

    pub(crate) fn tensor(&self) -> Tensor {
        tensor(
            &self.element,
            self.sizes.as_deref().unwrap_or(&[]),
            &self.values,
        )
    }

    /// Returns the operand as a constant in a program.
    pub(crate) fn constant(&self) -> String {
        let text = |value: &f64| match self.element.as_str() {
            "i1" => (*value != 0.0).to_string(),
            element if element.starts_with('i') => format!("{}", *value as i64),
            _ => format!("{value:?}"),
        };
        match &self.sizes {
            None if self.element == "i1" => format!("arith.constant {}", text(&self.values[0])),
            None => format!(
                "arith.constant {} : {}",
                text(&self.values[0]),
                self.element
            ),
            Some(sizes) => {
                let elements: Vec<_> = self.values.iter().map(text).collect();
                // A row-major list of values has the shape of nested lists.
                let elements = nested(sizes, &elements);
                let ty = tensor_type(sizes, &self.element);
                format!("tfx_tensor.const dense<{elements}> : {ty}")
            }
        }
    }
}

/// Returns a random number from 0 to 1.
pub(crate) fn fraction(random: &mut Random) -> f64 {
    const BITS: u32 = 53;
    (random.next_u64() >> (u64::BITS - BITS)) as f64 / (1_u64 << BITS) as f64
}

/// Returns a tensor of an element type.
pub(crate) fn tensor(element: &str, sizes: &[usize], values: &[f64]) -> Tensor {
    let cast = |dtype: DType| {
        let tensor = match dtype {
            DType::F32 => Tensor::from_slice(sizes, &each(values, |value| value as f32)),
            DType::I32 => Tensor::from_slice(sizes, &each(values, |value| value as i32)),
            DType::I64 => Tensor::from_slice(sizes, &each(values, |value| value as i64)),
            DType::Bool => {
                Tensor::from_slice(sizes, &each(values, |value| Bool::from(value != 0.0)))
            }
            _ => Tensor::from_slice(sizes, values),
        };
        tensor.expect("as many values as elements")
    };
    match element {
        "f64" => cast(DType::F64),
        "f32" => cast(DType::F32),
        "i32" => cast(DType::I32),
        "i64" => cast(DType::I64),
        "i1" => cast(DType::Bool),
        other => panic!("operands of examples have no type {other}"),
    }
}

fn each<T>(values: &[f64], convert: impl Fn(f64) -> T) -> Vec<T> {
    values.iter().map(|&value| convert(value)).collect()
}

/// Returns the values of a float tensor.
pub(crate) fn floats(tensor: &Tensor) -> Vec<f64> {
    match tensor.dtype() {
        DType::F32 => {
            let values = tensor.values::<f32>().expect("it has this type");
            values.iter().map(|&value| f64::from(value)).collect()
        }
        _ => tensor
            .values::<f64>()
            .expect("floats of 32 or 64 bits")
            .to_vec(),
    }
}

pub(crate) fn tensor_type(sizes: &[usize], element: &str) -> String {
    let sizes: String = sizes.iter().map(|size| format!("{size}x")).collect();
    format!("tensor<{sizes}{element}>")
}

fn nested(sizes: &[usize], elements: &[String]) -> String {
    match sizes {
        [] => elements[0].clone(),
        [_, rest @ ..] => {
            let size = rest.iter().product::<usize>().max(1);
            let parts: Vec<_> = elements
                .chunks(size)
                .map(|part| nested(rest, part))
                .collect();
            format!("[{}]", parts.join(", "))
        }
    }
}

/// The prefix of the element type of a result that nothing depends on.
pub(crate) const UNUSED: char = '!';

/// A result of an example, once its shape is known.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    pub(crate) element: String,
    pub(crate) is_used: bool,
    /// The sizes of a tensor; none for a scalar.
    pub(crate) sizes: Option<Vec<usize>>,
}

impl Output {
    pub(crate) fn is_float(&self) -> bool {
        self.is_used && self.element.starts_with('f')
    }

    /// Returns the type in a program.
    pub(crate) fn ty(&self, typing: Typing) -> String {
        match &self.sizes {
            None => self.element.clone(),
            // The shapes of other results are not known.
            Some(sizes) if typing == Typing::Static && self.is_float() => {
                tensor_type(sizes, &self.element)
            }
            Some(_) => format!("tensor<*x{}>", self.element),
        }
    }
}
