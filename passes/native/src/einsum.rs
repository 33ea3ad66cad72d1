//! Sums over products of two tensors, as products of matrices.
//!
//! ```text
//! Einsum "abcd,aecd->acbe"(%q, %k)          batch a c, rows b, columns e, summed d
//!     ──►  %x = Transpose(%q) : [a, c, b, d], Reshape to [a c, b, d]
//!          %y = Transpose(%k) : [a, c, e, d], Reshape to [a c, e, d]
//!          BatchMatMulV2(%x, %y) {adj_y}, Reshape to [a, c, b, e], Transpose
//! ```
//!
//! A label that both operands and the result have is of the batch; one that only the operands have
//! is summed. Equations of one operand that only permute dimensions are transpositions. Not
//! expanded are unknown sizes, repeated labels, ellipses, and labels that one operand alone has and
//! the result lacks.
//!
//! Cost: linear in the equation. The transpositions that change nothing are left out.

use melior::ir::Type;
use tfx_dialects::tensor;
use tfx_graphdef_mlir::types;
use tfx_ir::{Builder, Op, Value};

use crate::lower_lists::{integers, tf};

/// Expands the sums of products of a module, as far as they are products of matrices.
pub(crate) fn expand(module: Op<'_>) {
    let ops = module.walk().filter_map(tensor::Op::cast);
    let found: Vec<_> = ops.filter(|op| op.tf_name() == "Einsum").collect();
    for op in found {
        let Some(equation) = Equation::read(op) else {
            continue;
        };
        let mut builder = Builder::before(op.op());
        if let Some(value) = equation.build(&mut builder, op.op()) {
            op.op().replace_with(&[value]);
        }
    }
}

/// An equation with the size of each label.
struct Equation {
    operands: Vec<Vec<char>>,
    result: Vec<char>,
    sizes: Vec<(char, u64)>,
}

/// A tensor with a label for each dimension.
struct Labelled<'a> {
    value: Value<'a>,
    labels: Vec<char>,
}

impl Equation {
    fn read(op: tensor::Op<'_>) -> Option<Self> {
        let text = tfx_ir::attribute::text(op.op().attribute("equation")?)?.replace(' ', "");
        let (operands, result) = text.split_once("->")?;
        let labels = |text: &str| text.chars().collect::<Vec<_>>();
        let equation = Equation {
            operands: operands.split(',').map(labels).collect(),
            result: labels(result),
            sizes: Vec::new(),
        };
        let mut sizes: Vec<(char, u64)> = Vec::new();
        for (labels, operand) in equation.operands.iter().zip(op.op().operands()) {
            let own: Vec<u64> = types::sizes(operand.ty())?
                .into_iter()
                .collect::<Option<_>>()?;
            if own.len() != labels.len() {
                return None;
            }
            for (number, (label, size)) in labels.iter().zip(own).enumerate() {
                let is_repeated = labels[..number].contains(label);
                let is_other = sizes
                    .iter()
                    .any(|(other, own)| other == label && *own != size);
                if !label.is_alphabetic() || is_repeated || is_other {
                    return None;
                }
                sizes.push((*label, size));
            }
        }
        Some(Equation { sizes, ..equation })
    }

    fn size(&self, label: char) -> u64 {
        let found = self.sizes.iter().find(|(other, _)| *other == label);
        found.map_or(1, |(_, size)| *size)
    }

    fn product(&self, labels: &[char]) -> u64 {
        labels.iter().map(|label| self.size(*label)).product()
    }

    fn build<'a>(&self, builder: &mut Builder<'a>, op: Op<'a>) -> Option<Value<'a>> {
        let element = types::element_type(op.operand(0).ty());
        match &self.operands[..] {
            [only] => {
                let is_permuted = only.len() == self.result.len();
                let value = op.operand(0);
                let labels = only.clone();
                let is_permuted = is_permuted && only.iter().all(|it| self.result.contains(it));
                is_permuted.then(|| {
                    self.transposed(builder, Labelled { value, labels }, &self.result, element)
                })
            }
            [one, other] => self.matrices(builder, op, (one, other), element),
            _ => None,
        }
    }

    fn matrices<'a>(
        &self,
        builder: &mut Builder<'a>,
        op: Op<'a>,
        (one, other): (&[char], &[char]),
        element: Type<'a>,
    ) -> Option<Value<'a>> {
        let is_result = |label: &char| self.result.contains(label);
        let both = |label: &&char| other.contains(label);
        let batch: Vec<char> = one.iter().filter(both).copied().filter(is_result).collect();
        let summed: Vec<char> = one
            .iter()
            .filter(both)
            .copied()
            .filter(|it| !is_result(it))
            .collect();
        let rows: Vec<char> = one
            .iter()
            .copied()
            .filter(|it| !other.contains(it))
            .collect();
        let columns: Vec<char> = other
            .iter()
            .copied()
            .filter(|it| !one.contains(it))
            .collect();
        let alone = || rows.iter().chain(&columns);
        let known = |label: &char| one.contains(label) || other.contains(label);
        let is_complete = alone().all(is_result) && self.result.iter().all(known);
        if !is_complete || self.result.len() != batch.len() + rows.len() + columns.len() {
            return None;
        }
        let (left, right) = (
            Labelled {
                value: op.operand(0),
                labels: one.to_vec(),
            },
            Labelled {
                value: op.operand(1),
                labels: other.to_vec(),
            },
        );
        let left = self.transposed(
            builder,
            left,
            &[&batch[..], &rows, &summed].concat(),
            element,
        );
        // The summed labels come last, unless they are in front already.
        let in_front = [&batch[..], &summed, &columns].concat();
        let at_end = [&batch[..], &columns, &summed].concat();
        let is_transposed = right.labels != in_front;
        let order = if is_transposed { at_end } else { in_front };
        let right = self.transposed(builder, right, &order, element);
        let [count, m, n, k] = [&batch, &rows, &columns, &summed].map(|it| self.product(it));
        let matrix = if is_transposed { [n, k] } else { [k, n] };
        let (name, transposes, outer) = match batch.is_empty() {
            true => ("MatMul", "transpose_b", vec![]),
            false => ("BatchMatMulV2", "adj_y", vec![count]),
        };
        let shaped = |builder: &mut Builder<'a>, value, sizes: [u64; 2]| {
            self.reshaped(builder, value, &[&outer[..], &sizes].concat(), element)
        };
        let left = shaped(builder, left, [m, k]);
        let right = shaped(builder, right, matrix);
        let ty = self.tensor(builder, &[&outer[..], &[m, n]].concat(), element);
        let product = tf(builder, name, &[left, right], ty);
        if is_transposed && let Some(product) = product.defining_op() {
            let yes = melior::ir::attribute::BoolAttribute::new(builder.context(), true);
            product.set_attribute(transposes, yes);
        }
        let labels = [&batch[..], &rows, &columns].concat();
        let sizes: Vec<_> = labels.iter().map(|label| self.size(*label)).collect();
        let value = self.reshaped(builder, product, &sizes, element);
        Some(self.transposed(builder, Labelled { value, labels }, &self.result, element))
    }

    fn tensor<'a>(&self, builder: &Builder<'a>, sizes: &[u64], element: Type<'a>) -> Type<'a> {
        let sizes: Vec<_> = sizes.iter().map(|size| Some(*size)).collect();
        types::tensor_of(builder.context(), Some(&sizes), element)
    }

    /// Builds a tensor with its dimensions in another order.
    fn transposed<'a>(
        &self,
        builder: &mut Builder<'a>,
        from: Labelled<'a>,
        to: &[char],
        element: Type<'a>,
    ) -> Value<'a> {
        if from.labels == to {
            return from.value;
        }
        let position = |label: &char| from.labels.iter().position(|other| other == label);
        let order: Vec<i64> = to.iter().filter_map(position).map(|it| it as i64).collect();
        let order = integers(builder, 32, &[to.len() as u64], &order);
        let sizes: Vec<_> = to.iter().map(|label| self.size(*label)).collect();
        let ty = self.tensor(builder, &sizes, element);
        tf(builder, "Transpose", &[from.value, order], ty)
    }

    fn reshaped<'a>(
        &self,
        builder: &mut Builder<'a>,
        value: Value<'a>,
        sizes: &[u64],
        element: Type<'a>,
    ) -> Value<'a> {
        let ty = self.tensor(builder, sizes, element);
        if value.ty() == ty {
            return value;
        }
        let numbers: Vec<i64> = sizes.iter().map(|size| *size as i64).collect();
        let shape = integers(builder, 32, &[sizes.len() as u64], &numbers);
        tf(builder, "Reshape", &[value, shape], ty)
    }
}
