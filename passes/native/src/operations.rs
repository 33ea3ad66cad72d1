//! The operations that are compiled, each with its form as loops.
//!
//! ```text
//! Tanh, AddV2, Select, Cast        Elementwise: one function of one element of each operand
//! Reshape, Squeeze, Identity       Same: the elements of the operand in the same order
//! Transpose, BroadcastTo, Slice    View: each element is one of the operand
//! Sum, Max, All                    Reduce
//! MatMul, BatchMatMulV2            Product
//! Softmax, ...CrossEntropy...      RowWise: the last dimension as a whole
//! Pack, ConcatV2, Pad              Parts: each operand fills a part of the result
//! Shape, Size, Rank                Known: constants, since all shapes are static
//! ```
//!
//! [`classify`] reads the attributes and the constant operands of an operation once; clustering and
//! lowering share the result. An operation that may fail at run time is not compiled, unless the
//! failure is excluded by constants.

use std::collections::BTreeMap;

use melior::ir::Type;
use tfx_dialects::tensor;
use tfx_graphdef::proto::{AttrValue, attr_value::Value as Attribute};
use tfx_graphdef_mlir::effects::is_never_zero;
use tfx_graphdef_mlir::operations::resolve_op;
use tfx_graphdef_mlir::{tensors, types};

use crate::element::Element;
use crate::scalar::Function;

/// The static shape of a tensor, outermost dimension first.
pub(crate) type Shape = Vec<u64>;

/// The index of one dimension of an operand: `offset + step * i`, where `i` is the index of a
/// dimension of the result; a fixed index without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Axis {
    pub(crate) of: Option<usize>,
    pub(crate) offset: i64,
    pub(crate) step: i64,
}

impl Axis {
    /// The index of a dimension of the result itself.
    pub(crate) fn same(of: usize) -> Self {
        Axis {
            of: Some(of),
            offset: 0,
            step: 1,
        }
    }

    /// Index 0.
    pub(crate) const ZERO: Axis = Axis {
        of: None,
        offset: 0,
        step: 0,
    };
}

/// The combination of elements in a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Reduction {
    Sum,
    Product,
    Max,
    Min,
    All,
    Any,
}

/// A function of rows along the last dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowWise {
    Softmax,
    LogSoftmax,
    /// The loss and its gradient, of logits and labels.
    CrossEntropy,
}

/// The form of an operation.
#[derive(Clone, Debug)]
pub(crate) enum Lowering {
    /// The operands are broadcast to the shape of the result, and the function is applied to each
    /// element.
    Elementwise(Function),
    /// The first operand with the shape of the result: the same elements in the same order.
    Same,
    /// Each element is one element of operand `operand`: an axis for each of its dimensions.
    View { operand: usize, axes: Vec<Axis> },
    /// Reduces some dimensions of the first operand, and divides the result by `divisor` if there
    /// is one.
    Reduce {
        function: Reduction,
        /// For each dimension of the operand.
        reduced: Vec<bool>,
        divisor: Option<u64>,
    },
    /// The product of the two matrices in the last two dimensions.
    Product {
        transpose_a: bool,
        transpose_b: bool,
    },
    /// A function of rows.
    RowWise(RowWise),
    /// Each operand (of `operands`) fills a part of the result, which starts at these indices; the
    /// rest has the value of the operand `rest` of rank 0, or is 0.
    Parts {
        operands: Vec<usize>,
        starts: Vec<Vec<u64>>,
        /// The dimension of the result that the operands lack.
        packed: Option<usize>,
        rest: Option<Rest>,
    },
    /// The sum of all operands.
    SumAll,
    /// Integers that follow from the types.
    Known(Vec<i64>),
}

/// The elements of a result outside of all parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    Zero,
    Operand(usize),
}

/// Returns the static shape of a tensor type; `None` if it is not static.
pub(crate) fn shape(ty: Type<'_>) -> Option<Shape> {
    types::sizes(ty)?.into_iter().collect()
}

/// Returns the element type of a tensor type; `None` if no kernel has it.
pub(crate) fn element(ty: Type<'_>) -> Option<Element> {
    types::data_type(ty).and_then(Element::of)
}

/// The reason why an operation or a graph is not compiled, as a sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotCompiled(pub(crate) String);

/// Returns the form of an operation.
///
/// # Errors
/// The reason why it is not compiled.
pub(crate) fn classify(op: tensor::Op<'_>) -> Result<Lowering, NotCompiled> {
    read(op).map_err(NotCompiled)
}

fn read(op: tensor::Op<'_>) -> Result<Lowering, String> {
    let name = op.tf_name();
    let not_compiled = || format!("there is no native code for \"{name}\"");
    let resolved =
        resolve_op(op.op(), &|symbol| symbol.to_owned()).map_err(|error| error.message)?;
    let reader = Reader {
        op,
        attributes: &resolved.attributes,
    };
    if op.op().num_results() == 0 {
        return Err(not_compiled());
    }
    for value in op.op().operands().chain(op.op().results()) {
        if shape(value.ty()).is_none() || element(value.ty()).is_none() {
            let reason = format!("\"{name}\" has a value of type {}", value.ty());
            return Err(format!("{reason}, for which there is no native code"));
        }
    }
    let lowering = reader.lowering(name);
    lowering.unwrap_or_else(|| Err(not_compiled()))
}

/// An operation with its attributes.
struct Reader<'r, 'a> {
    op: tensor::Op<'a>,
    attributes: &'r BTreeMap<String, AttrValue>,
}

impl<'a> Reader<'_, 'a> {
    /// Returns the form; `None` for an operation without one.
    fn lowering(&self, name: &str) -> Option<Result<Lowering, String>> {
        let operand = |index: usize| self.op.op().operands().nth(index);
        let result = self.op.op().result(0).ty();
        let result_shape = shape(result)?;
        let from = element(operand(0).map_or(result, |value| value.ty()))?;
        if let Some(function) = self.function(name, from, element(result)?) {
            return Some(self.elementwise(function));
        }
        Some(match name {
            "Identity" | "StopGradient" | "PreventGradient" | "Snapshot" | "EnsureShape"
            | "Reshape" | "ExpandDims" | "Squeeze" => Ok(Lowering::Same),
            "Fill" => Ok(Lowering::View {
                operand: 1,
                axes: Vec::new(),
            }),
            "BroadcastTo" => {
                let axes = broadcast(&shape(operand(0)?.ty())?, &result_shape)?;
                Ok(Lowering::View { operand: 0, axes })
            }
            "Transpose" => self.transpose(result_shape.len()),
            "Slice" => self.slice(),
            "Sum" | "Mean" | "Max" | "Min" | "Prod" | "All" | "Any" => self.reduce(name),
            "BiasAddGrad" if !self.is_channels_first() => {
                let rank = shape(operand(0)?.ty())?.len();
                let reduced = (0..rank).map(|dimension| dimension + 1 < rank).collect();
                Ok(Lowering::Reduce {
                    function: Reduction::Sum,
                    reduced,
                    divisor: None,
                })
            }
            "MatMul" => Ok(Lowering::Product {
                transpose_a: self.boolean("transpose_a"),
                transpose_b: self.boolean("transpose_b"),
            }),
            "BatchMatMul" | "BatchMatMulV2" | "BatchMatMulV3" => self.batch_product(),
            "Softmax" if from.is_float() => Ok(Lowering::RowWise(RowWise::Softmax)),
            "LogSoftmax" if from.is_float() => Ok(Lowering::RowWise(RowWise::LogSoftmax)),
            "SoftmaxCrossEntropyWithLogits" => {
                let same = shape(operand(0)?.ty())? == shape(operand(1)?.ty())?;
                match same {
                    true => Ok(Lowering::RowWise(RowWise::CrossEntropy)),
                    false => Err("its operands have different shapes".to_owned()),
                }
            }
            "Pack" => self.pack(result_shape.len()),
            "ConcatV2" => self.concatenation(),
            "Pad" | "PadV2" => self.pad(name == "PadV2"),
            "AddN" => Ok(Lowering::SumAll),
            "Shape" => Ok(Lowering::Known(signed(&shape(operand(0)?.ty())?))),
            "Rank" => Ok(Lowering::Known(vec![shape(operand(0)?.ty())?.len() as i64])),
            "Size" => {
                let elements: u64 = shape(operand(0)?.ty())?.iter().product();
                Ok(Lowering::Known(vec![elements as i64]))
            }
            _ => return None,
        })
    }

    /// Returns the function of an elementwise operation, for operands of type `from`.
    fn function(&self, name: &str, from: Element, to: Element) -> Option<Function> {
        let float = |function| from.is_float().then_some(function);
        let number = |function| (from != Element::Bool).then_some(function);
        let integer = |function| matches!(from, Element::I32 | Element::I64).then_some(function);
        match name {
            "Add" | "AddV2" => number(Function::Add),
            "BiasAdd" if !self.is_channels_first() => number(Function::Add),
            "Sub" => number(Function::Sub),
            "Mul" => number(Function::Mul),
            "Div" | "RealDiv" => float(Function::Div),
            "DivNoNan" => float(Function::DivNoNan),
            "MulNoNan" => float(Function::MulNoNan),
            "FloorDiv" | "FloorMod" | "TruncateDiv" | "TruncateMod" | "Mod"
                if from.is_float()
                    || !self.op.op().operands().nth(1).is_some_and(is_never_zero) =>
            {
                None
            }
            "FloorDiv" => integer(Function::FloorDiv),
            "FloorMod" => integer(Function::FloorMod),
            "TruncateDiv" => integer(Function::TruncateDiv),
            "TruncateMod" | "Mod" => integer(Function::TruncateMod),
            "Maximum" => number(Function::Maximum),
            "Minimum" => number(Function::Minimum),
            "SquaredDifference" => number(Function::SquaredDifference),
            "Pow" => float(Function::Pow),
            "Neg" => number(Function::Neg),
            "Abs" => number(Function::Abs),
            "Sign" => number(Function::Sign),
            "Square" => number(Function::Square),
            "Sqrt" => float(Function::Sqrt),
            "Rsqrt" => float(Function::Rsqrt),
            "Reciprocal" | "Inv" => float(Function::Reciprocal),
            "Exp" => float(Function::Exp),
            "Log" => float(Function::Log),
            "Sin" => float(Function::Sin),
            "Cos" => float(Function::Cos),
            "Tanh" => float(Function::Tanh),
            "Sigmoid" => float(Function::Sigmoid),
            "Floor" => float(Function::Floor),
            "Ceil" => float(Function::Ceil),
            "Rint" | "Round" => float(Function::Rint),
            "Relu" => number(Function::Relu),
            "ReluGrad" => number(Function::ReluGrad),
            "TanhGrad" => float(Function::TanhGrad),
            "SigmoidGrad" => float(Function::SigmoidGrad),
            "SqrtGrad" => float(Function::SqrtGrad),
            "RsqrtGrad" => float(Function::RsqrtGrad),
            "ReciprocalGrad" | "InvGrad" => float(Function::ReciprocalGrad),
            "Less" => number(Function::Less),
            "LessEqual" => number(Function::LessEqual),
            "Greater" => number(Function::Greater),
            "GreaterEqual" => number(Function::GreaterEqual),
            "Equal" => Some(Function::Equal),
            "NotEqual" => Some(Function::NotEqual),
            "LogicalAnd" => Some(Function::And),
            "LogicalOr" => Some(Function::Or),
            "LogicalNot" => Some(Function::LogicalNot),
            "BitwiseAnd" => integer(Function::And),
            "BitwiseOr" => integer(Function::Or),
            "BitwiseXor" => integer(Function::Xor),
            "Invert" => integer(Function::Invert),
            "Select" | "SelectV2" => Some(Function::Select),
            "ClipByValue" => number(Function::Clip),
            "ZerosLike" => Some(Function::Zero),
            "OnesLike" => Some(Function::One),
            "Cast" => Some(Function::Cast(to)),
            _ => None,
        }
    }

    /// Returns the form of an elementwise operation whose operands can be broadcast to the result.
    fn elementwise(&self, function: Function) -> Result<Lowering, String> {
        let result = shape(self.op.op().result(0).ty()).unwrap_or_default();
        for operand in self.op.op().operands() {
            let operand = shape(operand.ty()).unwrap_or_default();
            if broadcast(&operand, &result).is_none() {
                return Err("the shapes of its operands do not fit".to_owned());
            }
        }
        // TensorFlow 1's selection takes rows by a condition of rank 1.
        let first = shape(self.op.op().operand(0).ty()).unwrap_or_default();
        if self.op.tf_name() == "Select" && !first.is_empty() && first != result {
            return Err("it selects rows".to_owned());
        }
        Ok(Lowering::Elementwise(function))
    }

    fn transpose(&self, rank: usize) -> Result<Lowering, String> {
        let permutation = self.constant(1)?;
        let mut axes = vec![Axis::ZERO; rank];
        for (of, &dimension) in permutation.iter().enumerate() {
            let dimension = self.axis(dimension, rank)?;
            axes[dimension] = Axis::same(of);
        }
        Ok(Lowering::View { operand: 0, axes })
    }

    fn slice(&self) -> Result<Lowering, String> {
        let begins = self.constant(1)?;
        let axis = |(of, &offset): (usize, &i64)| Axis {
            offset,
            ..Axis::same(of)
        };
        let axes = begins.iter().enumerate().map(axis).collect();
        Ok(Lowering::View { operand: 0, axes })
    }

    fn reduce(&self, name: &str) -> Result<Lowering, String> {
        let operand = self.op.op().operand(0);
        let sizes = shape(operand.ty()).unwrap_or_default();
        let mut reduced = vec![false; sizes.len()];
        for axis in self.constant(1)? {
            reduced[self.axis(axis, sizes.len())?] = true;
        }
        let reduced_sizes = sizes.iter().zip(&reduced).filter(|(_, reduced)| **reduced);
        let count: u64 = reduced_sizes.map(|(size, _)| size).product();
        let function = match name {
            "Sum" | "Mean" => Reduction::Sum,
            "Prod" => Reduction::Product,
            "Max" => Reduction::Max,
            "Min" => Reduction::Min,
            "All" => Reduction::All,
            _ => Reduction::Any,
        };
        let is_mean = name == "Mean";
        if is_mean && !element(operand.ty()).is_some_and(Element::is_float) {
            return Err("there is no native code for means of integers".to_owned());
        }
        let divisor = is_mean.then_some(count);
        Ok(Lowering::Reduce {
            function,
            reduced,
            divisor,
        })
    }

    fn batch_product(&self) -> Result<Lowering, String> {
        let sizes = |index| shape(self.op.op().operand(index).ty()).unwrap_or_default();
        let types = self.op.op().operands().chain(self.op.op().results());
        let mut types = types.map(|value| element(value.ty()));
        let first = types.next();
        if types.any(|ty| Some(ty) != first) {
            return Err("its operands have different element types".to_owned());
        }
        let (a, b) = (sizes(0), sizes(1));
        let batch = |sizes: &[u64]| sizes[..sizes.len().saturating_sub(2)].to_vec();
        if batch(&a) != batch(&b) {
            return Err("its operands have different batch dimensions".to_owned());
        }
        Ok(Lowering::Product {
            transpose_a: self.boolean("adj_x"),
            transpose_b: self.boolean("adj_y"),
        })
    }

    fn pack(&self, rank: usize) -> Result<Lowering, String> {
        let axis = self.axis(self.integer("axis"), rank)?;
        let count = self.op.op().num_operands();
        let start = |number: usize| {
            let mut start = vec![0; rank];
            start[axis] = number as u64;
            start
        };
        Ok(Lowering::Parts {
            operands: (0..count).collect(),
            starts: (0..count).map(start).collect(),
            packed: Some(axis),
            rest: None,
        })
    }

    fn concatenation(&self) -> Result<Lowering, String> {
        let last = self.op.op().num_operands() - 1;
        let [axis] = self.constant(last)?[..] else {
            return Err("its axis is not one number".to_owned());
        };
        let rank = shape(self.op.op().result(0).ty()).unwrap_or_default().len();
        let axis = self.axis(axis, rank)?;
        let mut starts = Vec::new();
        let mut at = 0;
        for operand in self.op.op().operands().take(last) {
            let mut start = vec![0; rank];
            start[axis] = at;
            starts.push(start);
            at += shape(operand.ty()).unwrap_or_default()[axis];
        }
        let operands = (0..last).collect();
        Ok(Lowering::Parts {
            operands,
            starts,
            packed: None,
            rest: None,
        })
    }

    fn pad(&self, has_value: bool) -> Result<Lowering, String> {
        let paddings = self.constant(1)?;
        let starts: Vec<u64> = paddings
            .chunks(2)
            .map(|pair| pair[0].max(0) as u64)
            .collect();
        let rest = match has_value {
            true => Rest::Operand(2),
            false => Rest::Zero,
        };
        let starts = vec![starts];
        Ok(Lowering::Parts {
            operands: vec![0],
            starts,
            packed: None,
            rest: Some(rest),
        })
    }

    /// Returns the integers of a constant operand.
    fn constant(&self, index: usize) -> Result<Vec<i64>, String> {
        let operand = self.op.op().operand(index);
        tensors::integers(operand).ok_or_else(|| {
            format!(
                "operand {index} of \"{}\" is not a constant",
                self.op.tf_name()
            )
        })
    }

    /// Returns a dimension; negative ones count from the end.
    fn axis(&self, axis: i64, rank: usize) -> Result<usize, String> {
        let from_start = if axis < 0 { axis + rank as i64 } else { axis };
        let axis = usize::try_from(from_start).ok().filter(|axis| *axis < rank);
        axis.ok_or_else(|| "its axis is out of range".to_owned())
    }

    fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.get(name)?.value.as_ref()
    }

    fn boolean(&self, name: &str) -> bool {
        matches!(self.attribute(name), Some(Attribute::B(true)))
    }

    fn integer(&self, name: &str) -> i64 {
        match self.attribute(name) {
            Some(Attribute::I(value)) => *value,
            _ => 0,
        }
    }

    fn is_channels_first(&self) -> bool {
        matches!(self.attribute("data_format"), Some(Attribute::S(text)) if text == b"NCHW")
    }
}

/// Returns the axes of an operand that is broadcast to a shape; `None` if it cannot be.
pub(crate) fn broadcast(operand: &[u64], result: &[u64]) -> Option<Vec<Axis>> {
    let new = result.len().checked_sub(operand.len())?;
    let axis = |(dimension, &size): (usize, &u64)| {
        let of = dimension + new;
        match size {
            _ if size == result[of] => Some(Axis::same(of)),
            1 => Some(Axis::ZERO),
            _ => None,
        }
    };
    operand.iter().enumerate().map(axis).collect()
}

fn signed(sizes: &[u64]) -> Vec<i64> {
    sizes.iter().map(|&size| size as i64).collect()
}
