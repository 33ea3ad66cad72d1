//! Sums of products by Einstein's convention.
//!
//! ```text
//! "ij,jk->ik"      labels i j k: sizes of all operands; strides of each operand by label
//!                  result[i,k] = sum over j of left[i,j] * right[j,k]
//! "...ij->...ji"   an ellipsis stands for dimensions that are broadcast and kept
//! "ii->i"          a repeated label walks along the diagonal: its strides add up
//! ```
//!
//! One multiplication for each combination of the labels. `f32` accumulates in `f64`, as in
//! `reduce.rs`. Limit: one or two operands, as in TensorFlow's kernel.

use smallvec::SmallVec;

use crate::{
    kernels::{
        Attributes, Entry, Kernel, Result,
        broadcast::broadcast_shape,
        dispatch, fail,
        number::Number,
        positions::{at, each},
        single, strides,
    },
    tensor::{DType, Element, Shape, Tensor},
};

pub(super) const KERNELS: &[Entry] = &[("Einsum", einsum)];

/// The labels of one operand or of the result: those before an ellipsis and those after it.
#[derive(Clone, Debug)]
struct Labels {
    before: Vec<char>,
    after: Vec<char>,
    has_ellipsis: bool,
}

impl Labels {
    fn parse(text: &str) -> Result<Self> {
        let text = text.replace(' ', "");
        let (before, after, has_ellipsis) = match text.split_once("...") {
            Some((before, after)) => (before.to_owned(), after.to_owned(), true),
            None => (text, String::new(), false),
        };
        if let Some(wrong) = before
            .chars()
            .chain(after.chars())
            .find(|label| !label.is_ascii_alphabetic())
        {
            return fail!("an equation has letters as labels, not '{wrong}'");
        }
        Ok(Labels {
            before: before.chars().collect(),
            after: after.chars().collect(),
            has_ellipsis,
        })
    }

    fn all(&self) -> impl Iterator<Item = char> {
        self.before.iter().chain(&self.after).copied()
    }
}

/// The labels of the operands and of the result.
struct Equation {
    operands: Vec<Labels>,
    result: Labels,
}

impl Equation {
    fn parse(text: &str) -> Result<Self> {
        let Some((left, right)) = text.split_once("->") else {
            return fail!("Expecting exactly one '->' in einsum equation: {text}");
        };
        let operands = left.split(',').map(Labels::parse);
        let operands = operands.collect::<Result<Vec<_>>>()?;
        let result = Labels::parse(right)?;
        if operands.len() > 2 {
            return fail!(
                "Expecting 1 or 2 input subscripts in equation '{text}' but got: {}",
                operands.len()
            );
        }
        for label in result.all() {
            if !operands
                .iter()
                .any(|labels| labels.all().any(|own| own == label))
            {
                return fail!(
                    "Label '{label}' of the output subscript of {text} appears in no input subscript"
                );
            }
        }
        if !result.has_ellipsis && operands.iter().any(|labels| labels.has_ellipsis) {
            return fail!("the output subscript of {text} must contain the ellipsis of its inputs");
        }
        Ok(Equation { operands, result })
    }
}

/// A dimension of the equation.
#[derive(Clone, Copy, PartialEq)]
enum Label {
    Named(char),
    /// A dimension of the ellipsis, counted from its end.
    Broadcast(usize),
}

/// Returns the labels of the dimensions of an operand of a rank.
fn dimensions(labels: &Labels, rank: usize) -> Result<Vec<Label>> {
    let named = labels.before.len() + labels.after.len();
    let hidden = match rank.checked_sub(named) {
        Some(hidden) if labels.has_ellipsis || hidden == 0 => hidden,
        _ => return fail!("Expected input to have rank {named} but got {rank}"),
    };
    let before = labels.before.iter().map(|&label| Label::Named(label));
    let after = labels.after.iter().map(|&label| Label::Named(label));
    let hidden = (0..hidden).rev().map(Label::Broadcast);
    Ok(before.chain(hidden).chain(after).collect())
}

/// The labels of a use of the equation with their sizes: first those of the result.
#[derive(Default)]
struct Sizes {
    labels: Vec<Label>,
    sizes: Shape,
}

impl Sizes {
    /// Adds a label, or checks its size. The dimensions of an ellipsis are broadcast.
    fn add(&mut self, label: Label, size: usize) -> Result<()> {
        let Some(known) = self.labels.iter().position(|&other| other == label) else {
            self.labels.push(label);
            self.sizes.push(size);
            return Ok(());
        };
        let own = &mut self.sizes[known];
        match label {
            Label::Broadcast(_) => *own = broadcast_shape(&[*own], &[size])?[0],
            Label::Named(label) if *own != size => {
                return fail!(
                    "Expected dimension {own} for label '{label}' but got dimension {size}"
                );
            }
            Label::Named(_) => {}
        }
        Ok(())
    }

    fn size(&self, label: Label) -> usize {
        let known = self.labels.iter().position(|&other| other == label);
        known.map_or(1, |known| self.sizes[known])
    }

    /// Returns the strides by label of dimensions with these labels.
    fn strides(&self, dimensions: &[Label], shape: &[usize]) -> Shape {
        let mut by_label: Shape = smallvec::smallvec![0; self.labels.len()];
        let own = strides(shape);
        for ((label, &size), &stride) in dimensions.iter().zip(shape).zip(&own) {
            let known = self.labels.iter().position(|other| other == label);
            if let Some(known) = known.filter(|&known| size == self.sizes[known]) {
                by_label[known] += stride;
            }
        }
        by_label
    }
}

fn einsum(attributes: &Attributes<'_>) -> Result<Kernel> {
    let equation = Equation::parse(&attributes.text("equation", ""))?;
    single(move |inputs| {
        if inputs.len() != equation.operands.len() {
            return fail!(
                "the equation is for {} inputs, not {}",
                equation.operands.len(),
                inputs.len()
            );
        }
        let mut sizes = Sizes::default();
        let mut operands = Vec::new();
        for (labels, tensor) in equation.operands.iter().zip(inputs.iter()) {
            let dimensions = dimensions(labels, tensor.rank())?;
            for (&label, &size) in dimensions.iter().zip(tensor.shape()) {
                sizes.add(label, size)?;
            }
            operands.push(dimensions);
        }
        let is_hidden = |label: &&Label| matches!(label, Label::Broadcast(_));
        let hidden = sizes.labels.iter().filter(is_hidden).count();
        let rank = equation.result.all().count() + hidden;
        let result = dimensions(&equation.result, rank)?;
        let shape: Shape = result.iter().map(|&label| sizes.size(label)).collect();
        // Zeros are the result where a repeated label of it leaves elements out.
        let plan = Plan::new(&sizes, &result, &shape, |number| {
            let tensor = inputs.get(number)?;
            Some(sizes.strides(&operands[number], tensor.shape()))
        });
        let (left, right) = (&inputs[0], inputs.get(1));
        if left.dtype() == DType::F32 {
            return plan.run(
                left,
                right,
                0.0f64,
                |x: f32| x.into(),
                |sum| sum as f32,
                |x, y| x * y,
                |x, y| x + y,
            );
        }
        dispatch!(left.dtype(), T in numbers => {
            plan.run(left, right, T::ZERO, |x: T| x, |sum| sum, Number::mul, Number::add)
        })
    })
}

/// The walk over all combinations of labels.
struct Plan {
    shape: Shape,
    /// For each combination of the labels of the result: its position, and the offsets of the
    /// operands.
    kept: [Vec<usize>; 3],
    /// For each combination of the labels that are summed: the offsets of the operands.
    summed: [Vec<usize>; 2],
}

impl Plan {
    fn new(
        sizes: &Sizes,
        result: &[Label],
        shape: &Shape,
        operand: impl Fn(usize) -> Option<Shape>,
    ) -> Self {
        let is_kept: Vec<bool> = sizes
            .labels
            .iter()
            .map(|label| result.contains(label))
            .collect();
        let offsets = |strides: Option<Shape>, kept: bool| {
            let Some(strides) = strides else {
                return Vec::new();
            };
            let chosen = |values: &[usize]| -> Shape {
                let pairs = values.iter().zip(&is_kept);
                pairs
                    .filter(|(_, is_kept)| **is_kept == kept)
                    .map(|(&value, _)| value)
                    .collect()
            };
            let strides: SmallVec<[usize; 4]> = chosen(&strides);
            each(&chosen(&sizes.sizes), |coordinates| {
                at(coordinates, &strides)
            })
        };
        let own = sizes.strides(result, shape);
        Plan {
            shape: shape.clone(),
            kept: [
                offsets(Some(own), true),
                offsets(operand(0), true),
                offsets(operand(1), true),
            ],
            summed: [offsets(operand(0), false), offsets(operand(1), false)],
        }
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "the arithmetic of an accumulator"
    )]
    fn run<T: Element, A: Copy>(
        &self,
        left: &Tensor,
        right: Option<&Tensor>,
        zero: A,
        widen: impl Fn(T) -> A,
        narrow: impl Fn(A) -> T,
        multiply: impl Fn(A, A) -> A,
        add: impl Fn(A, A) -> A,
    ) -> Result<Tensor> {
        let left = left.values::<T>()?;
        let right = right.map(Tensor::values::<T>).transpose()?;
        let [places, lefts, rights] = &self.kept;
        let [left_steps, right_steps] = &self.summed;
        Ok(Tensor::build(&self.shape, |output: &mut [T]| {
            for (index, &place) in places.iter().enumerate() {
                let from = lefts[index];
                let sum = match right {
                    None => left_steps
                        .iter()
                        .fold(zero, |sum, &step| add(sum, widen(left[from + step]))),
                    Some(right) => {
                        let other = rights[index];
                        let steps = left_steps.iter().zip(right_steps);
                        steps.fold(zero, |sum, (&step, &other_step)| {
                            let factors = (left[from + step], right[other + other_step]);
                            add(sum, multiply(widen(factors.0), widen(factors.1)))
                        })
                    }
                };
                output[place] = narrow(sum);
            }
        })?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_are_checked() {
        let message = |text: &str| match Equation::parse(text) {
            Ok(_) => panic!("{text} is accepted"),
            Err(error) => error.to_string(),
        };
        assert!(message("ij,jk").contains("exactly one '->'"));
        assert!(message("ij->k").contains("Label 'k'"));
        assert!(message("i,j,k->ijk").contains("1 or 2"));
        assert!(message("i1->i").contains("not '1'"));
        assert!(message("...i->i").contains("ellipsis"));
        let labels = Labels::parse("a...b").expect("labels");
        assert!(dimensions(&labels, 1).is_err());
        assert_eq!(dimensions(&labels, 4).expect("fits").len(), 4);
    }
}
