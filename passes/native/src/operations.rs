//! The operations that are compiled, each with its form as loops.
//!
//! ```text
//! Tanh, AddV2, Select, Cast        Elementwise: one function of one element of each operand
//! FloorDiv of integers             Division: elementwise; fails if a divisor is 0
//! Reshape, Squeeze, Identity       Same: the elements of the operand in the same order
//! Transpose, StridedSlice, Tile    View: each element is one of the operand
//! Split, SplitV, Unpack            Views: several
//! StridedSliceGrad                 Inside: the reverse of a view
//! BroadcastTo, Fill                Broadcast: the operand, in a shape that another one states
//! Sum, Max, All                    Reduce
//! Sum of a gradient of a broadcast SumRepeated
//! MatMul, BatchMatMulV2            Product
//! Softmax, ...CrossEntropy...      RowWise: the last dimension as a whole
//! Pack, ConcatV2, Pad              Pack, Concat, Pad: each operand fills a part of the result
//! Shape, Size, Rank                Sizes: integers that follow from the shape
//! BroadcastGradientArgs            Repeated: dimensions for such sums, and nothing else
//! Range                            Range
//! GatherV2, GatherNd               Lookup: elements of the first operand, at indices
//! SegmentSum, ScatterNd            Scatter: rows are combined with those that indices name
//! Conv2D, Conv2DBackpropInput      Convolution
//! MaxPool, DepthwiseConv2dNative   Windowed: each channel by itself
//! ArgMax, ArgMin                   Position: of the extreme element along a dimension
//! Cumsum, Cumprod                  Scan
//! OneHot                           OneHot
//! StatelessRandomUniform           Random: functions of a seed and of positions
//! ```
//!
//! [`classify`] reads the attributes and the constant operands of an operation once; clustering and
//! lowering share the result. It needs the ranks of the operands and results, but not their sizes:
//! `plan.rs` computes with those.

mod views;
mod windows;

use std::collections::BTreeMap;

use melior::ir::Type;
use tfx_dialects::tensor;
use tfx_graphdef::proto::{AttrValue, attr_value::Value as Attribute};
use tfx_graphdef_mlir::effects::is_never_zero;
use tfx_graphdef_mlir::operations::resolve_op;
use tfx_graphdef_mlir::{tensors, types};
use tfx_ir::{Builder, Mapping, Op, Value};

use crate::element::Element;
use crate::extent::Extent;
use crate::random::Distribution;
use crate::scalar::Function;
pub(crate) use windows::{Convolution, Of, Under, Windowed, Windows};

/// TensorFlow's operation that finds the dimensions that a broadcast of two shapes repeats.
pub(crate) const REPEATED_DIMENSIONS: &str = "BroadcastGradientArgs";

/// The sizes that a type states, outermost dimension first.
pub(crate) type Sizes = Vec<Option<u64>>;

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
    /// The maximum; of zeros, any.
    MaxOfAnyZero,
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
    /// The same with one class as the label of each row, which fails if it is none of the classes.
    SparseCrossEntropy,
}

/// The change of a shape by an operation that keeps the elements and their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reshaping {
    None,
    /// To the shape that this operand states.
    Stated(usize),
    /// A dimension of size 1 is added here.
    Insert(usize),
    /// These dimensions, of size 1, are removed; if none are listed, those of which that is known.
    Remove(Vec<usize>),
}

/// The integers that an operation reads from a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stated {
    Shape,
    Rank,
    Size,
}

/// The form of an operation.
#[derive(Clone, Debug)]
pub(crate) enum Lowering {
    /// The operands are broadcast to the shape of the result, and the function is applied to each
    /// element.
    Elementwise(Function),
    /// The same, of integers: a divisor may be 0.
    Division(Function),
    /// The first operand with another shape: the same elements in the same order.
    Same(Reshaping),
    /// Each element is one element of the first operand: an axis for each of its dimensions.
    View {
        axes: Vec<Axis>,
    },
    /// This operand, at these indices of the result, for each of its dimensions; the rest is 0.
    Inside {
        operand: usize,
        axes: Vec<Axis>,
    },
    /// Such axes of this operand for each result.
    Views {
        operand: usize,
        views: Vec<Vec<Axis>>,
    },
    /// The operand `operand`, broadcast to the shape that the operand `shape` states.
    Broadcast {
        operand: usize,
        shape: usize,
    },
    /// Reduces some dimensions of the first operand.
    Reduce {
        function: Reduction,
        /// For each dimension of the operand.
        reduced: Vec<bool>,
        /// The result is divided by the number of elements that it combines.
        is_mean: bool,
    },
    /// Sums the first operand along the dimensions that a broadcast repeats, which the second
    /// operand lists, and keeps these dimensions.
    SumRepeated,
    /// The dimensions that a broadcast repeats, for [`SumRepeated`](Lowering::SumRepeated).
    Repeated,
    /// The product of the two matrices in the last two dimensions. With `is_shared`, the second
    /// operand has one matrix for all of the first.
    Product {
        transpose_a: bool,
        transpose_b: bool,
        is_shared: bool,
    },
    Convolution(Convolution),
    /// A pool, or a convolution that keeps channels apart.
    Windowed(Windowed),
    /// A function of rows.
    RowWise(RowWise),
    /// The operands next to each other in a new dimension.
    Pack {
        axis: usize,
    },
    /// All operands but the last, one after the other in a dimension.
    Concat {
        axis: usize,
    },
    /// The first operand, which starts at these indices; the rest has the value of the operand
    /// `rest` of rank 0, or is 0.
    Pad {
        starts: Vec<u64>,
        rest: Rest,
    },
    /// The sum of all operands.
    SumAll,
    /// Integers that follow from the shape of the first operand.
    Sizes(Stated),
    /// Integers of 32 bits from the first operand on, below the second, in steps of the third.
    Range,
    /// Slices of the first operand at the indices that the second one has.
    Lookup(Lookup),
    /// Slices at indices are combined with others.
    Scatter(Scatter),
    /// The position of the first extreme element along a dimension.
    Position {
        axis: usize,
        is_max: bool,
    },
    /// Combines each element of the first operand with those before it along a dimension.
    Scan(Scan),
    /// The third operand where a new dimension has the index that the first operand states, else
    /// the fourth.
    OneHot {
        axis: usize,
    },
    /// Random numbers in the shape that the first operand states, for the seed that the second one
    /// is.
    Random(Distribution),
}

/// The combination of the elements along a dimension with those before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scan {
    pub(crate) axis: usize,
    /// A sum or a product.
    pub(crate) function: Reduction,
    /// An element itself is left out.
    pub(crate) is_exclusive: bool,
    /// With those after them.
    pub(crate) is_reverse: bool,
}

/// The slices of a tensor that a tensor of indices names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// Each index is one along an axis. The first `batch` dimensions of both tensors are the same.
    Slices { axis: usize, batch: usize },
    /// The last dimension of the indices has one index for each of the first `depth` dimensions.
    Rows { depth: usize },
}

/// The combination of slices with those that indices name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scatter {
    pub(crate) start: Start,
    /// The operands with the indices, and with the slices.
    pub(crate) indices: usize,
    pub(crate) updates: usize,
    /// The number of indices for each slice, in the last dimension of their tensor; without one,
    /// each index is for one slice.
    pub(crate) depth: Option<usize>,
    /// Without a function, slices are replaced, in their order.
    pub(crate) function: Option<Reduction>,
    /// The slices are subtracted.
    pub(crate) is_negated: bool,
    /// A slice with a negative index is left out.
    pub(crate) drops_negative: bool,
}

/// The slices before others are combined with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// Those of the first operand.
    First,
    /// The start value of the function, in the shape that this operand states.
    Stated(usize),
    /// The same; this operand states the number of slices.
    Counted(usize),
    /// The same; the indices are in order, and the last one is that of the last slice.
    Sorted,
}

/// The elements of a result outside of all parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    Zero,
    Operand(usize),
}

/// Returns the sizes of a tensor type; `None` if its rank is unknown.
pub(crate) fn sizes(ty: Type<'_>) -> Option<Sizes> {
    types::sizes(ty)
}

/// Returns the element type of a tensor type; `None` if no kernel has it.
pub(crate) fn element(ty: Type<'_>) -> Option<Element> {
    types::data_type(ty).and_then(Element::of)
}

/// The reason why an operation or a graph is not compiled, as a sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotCompiled(pub(crate) String);

/// Returns the operation that finds the dimensions that a broadcast repeats, if the value lists
/// these.
pub(crate) fn repeating(list: Value<'_>) -> Option<tensor::Op<'_>> {
    let op = list.defining_op().and_then(tensor::Op::cast)?;
    (op.tf_name() == REPEATED_DIMENSIONS).then_some(op)
}

/// Returns the operation that finds the dimensions along which an operation sums, if it keeps
/// these.
fn keeps_repeated(op: tensor::Op<'_>) -> Option<tensor::Op<'_>> {
    let keeps = op.tf_name() == "Sum" && op.op().boolean("keep_dims") == Some(true);
    let axes = op.op().operands().nth(1);
    axes.filter(|_| keeps).and_then(repeating)
}

/// Gives each sum an operation of its own that finds its dimensions, in its block. The results of
/// that operation have no elements in memory, so it must be in the cluster of the sum.
pub(crate) fn place_repeated(module: Op<'_>) {
    let ops = module.walk().filter_map(tensor::Op::cast);
    let sums: Vec<_> = ops
        .filter_map(|sum| Some((sum.op(), keeps_repeated(sum)?.op())))
        .collect();
    for (sum, list) in sums {
        let mut uses = list.results().flat_map(|result| result.uses());
        if uses.nth(1).is_some() {
            let own = Builder::before(sum).clone_op(list, &mut Mapping::new());
            let position = list.results().position(|result| result == sum.operand(1));
            let position = position.expect("the list is one of its results");
            sum.set_operand(1, own.result(position));
        } else if list.block() != sum.block() {
            list.move_before(sum);
        }
    }
}

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
        if sizes(value.ty()).is_none() || element(value.ty()).is_none() {
            let reason = format!("\"{name}\" has a value of type {}", value.ty());
            return Err(format!("{reason}, for which there is no native code"));
        }
    }
    let lowering = reader.lowering(name);
    lowering.unwrap_or_else(|| Err(not_compiled()))
}

/// A part of a form, or the reason why the operation is not compiled.
type Reading<T> = Result<T, String>;

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
        let rank = sizes(result)?.len();
        let from = element(operand(0).map_or(result, |value| value.ty()))?;
        if let Some(function) = self.function(name, from, element(result)?) {
            return Some(self.elementwise(name, function));
        }
        Some(match name {
            "Identity" | "StopGradient" | "PreventGradient" | "Snapshot" | "EnsureShape" => {
                Ok(Lowering::Same(Reshaping::None))
            }
            "Reshape" => Ok(Lowering::Same(Reshaping::Stated(1))),
            "ExpandDims" => self.expand(rank),
            "Squeeze" => self.squeeze(),
            "Fill" => Ok(Lowering::Broadcast {
                operand: 1,
                shape: 0,
            }),
            "BroadcastTo" => Ok(Lowering::Broadcast {
                operand: 0,
                shape: 1,
            }),
            "Transpose" => self.transpose(rank),
            "Slice" => self.slice(),
            "StridedSlice" => self.strided_slice(),
            "StridedSliceGrad" => self.strided_slice_grad(),
            "ReverseV2" => self.reverse(),
            "Tile" => self.tile(),
            "Split" => self.split(),
            "SplitV" => self.split_by_sizes(),
            "Unpack" => self.unpack(),
            REPEATED_DIMENSIONS => Ok(Lowering::Repeated),
            "Sum" if keeps_repeated(self.op).is_some() && self.kept_dimensions().is_none() => {
                Ok(Lowering::SumRepeated)
            }
            "Sum" | "Mean" | "Max" | "Min" | "Prod" | "All" | "Any" => self.reduce(name),
            "BiasAddGrad" if !self.is_channels_first() => {
                let rank = sizes(operand(0)?.ty())?.len();
                let reduced = (0..rank).map(|dimension| dimension + 1 < rank).collect();
                Ok(Lowering::Reduce {
                    function: Reduction::Sum,
                    reduced,
                    is_mean: false,
                })
            }
            "MatMul" => Ok(Lowering::Product {
                transpose_a: self.boolean("transpose_a"),
                transpose_b: self.boolean("transpose_b"),
                is_shared: false,
            }),
            "BatchMatMul" | "BatchMatMulV2" | "BatchMatMulV3" => self.batch_product(),
            "Softmax" if from.is_float() => Ok(Lowering::RowWise(RowWise::Softmax)),
            "LogSoftmax" if from.is_float() => Ok(Lowering::RowWise(RowWise::LogSoftmax)),
            "SoftmaxCrossEntropyWithLogits" => {
                let [logits, labels] = [sizes(operand(0)?.ty())?, sizes(operand(1)?.ty())?];
                match fits(&logits, &labels) && fits(&labels, &logits) {
                    true => Ok(Lowering::RowWise(RowWise::CrossEntropy)),
                    false => Err("its operands have different shapes".to_owned()),
                }
            }
            "SparseSoftmaxCrossEntropyWithLogits" => {
                Ok(Lowering::RowWise(RowWise::SparseCrossEntropy))
            }
            "Pack" => self
                .axis(self.integer("axis"), rank)
                .map(|axis| Lowering::Pack { axis }),
            "ConcatV2" => self.concatenation(rank),
            "Pad" | "PadV2" => self.pad(name == "PadV2"),
            "AddN" => Ok(Lowering::SumAll),
            "Shape" => Ok(Lowering::Sizes(Stated::Shape)),
            "Rank" => Ok(Lowering::Sizes(Stated::Rank)),
            "Size" => Ok(Lowering::Sizes(Stated::Size)),
            "Range" if from == Element::I32 => Ok(Lowering::Range),
            "Gather" | "GatherV2" => self.slices(),
            "GatherNd" => self
                .depth(1)
                .map(|depth| Lowering::Lookup(Lookup::Rows { depth })),
            "ScatterNd"
            | "TensorScatterAdd"
            | "TensorScatterSub"
            | "TensorScatterUpdate"
            | "SegmentSum"
            | "SegmentProd"
            | "UnsortedSegmentSum"
            | "UnsortedSegmentProd"
            | "UnsortedSegmentMax"
            | "UnsortedSegmentMin" => return self.scatter(name),
            "ArgMax" | "ArgMin" => self.position(name == "ArgMax"),
            "Cumsum" => self.scan(rank, Reduction::Sum),
            "Cumprod" => self.scan(rank, Reduction::Product),
            "OneHot" => self.one_hot(rank),
            "StatelessRandomUniform" => self.random(Distribution::Uniform),
            "StatelessRandomNormal" => self.random(Distribution::Normal),
            _ => {
                let form = self.on_images(name, from)?;
                form.map_err(|NotCompiled(reason)| reason)
            }
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
            "FloorDiv" => integer(Function::FloorDiv).or(float(Function::FloorQuotient)),
            "FloorMod" => integer(Function::FloorMod).or(float(Function::FloorRemainder)),
            "TruncateDiv" => integer(Function::TruncateDiv),
            "TruncateMod" | "Mod" => integer(Function::TruncateMod).or(float(Function::Remainder)),
            "Xlogy" => float(Function::Xlogy),
            "Xlog1py" => float(Function::Xlog1py),
            "Xdivy" => float(Function::Xdivy),
            "Atan2" => float(Function::Atan2),
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
            "Tan" => float(Function::Tan),
            "Asin" => float(Function::Asin),
            "Acos" => float(Function::Acos),
            "Atan" => float(Function::Atan),
            "Sinh" => float(Function::Sinh),
            "Cosh" => float(Function::Cosh),
            "Asinh" => float(Function::Asinh),
            "Acosh" => float(Function::Acosh),
            "Atanh" => float(Function::Atanh),
            "Erf" => float(Function::Erf),
            "Erfc" => float(Function::Erfc),
            "Expm1" => float(Function::Expm1),
            "Log1p" => float(Function::Log1p),
            "Tanh" => float(Function::Tanh),
            "Sigmoid" => float(Function::Sigmoid),
            "Floor" => float(Function::Floor),
            "Ceil" => float(Function::Ceil),
            "Rint" | "Round" => float(Function::Rint),
            "Relu" => number(Function::Relu),
            "Relu6" => number(Function::Relu6),
            "LeakyRelu" => float(Function::LeakyRelu(self.slope())),
            "Elu" => float(Function::Elu),
            "Selu" => float(Function::Selu),
            "Softplus" => float(Function::Softplus),
            "Softsign" => float(Function::Softsign),
            "ReluGrad" => number(Function::ReluGrad),
            "Relu6Grad" => number(Function::Relu6Grad),
            "LeakyReluGrad" => float(Function::LeakyReluGrad(self.slope())),
            "EluGrad" => float(Function::EluGrad),
            "SeluGrad" => float(Function::SeluGrad),
            "SoftplusGrad" => float(Function::SoftplusGrad),
            "SoftsignGrad" => float(Function::SoftsignGrad),
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
            "LeftShift" => integer(Function::LeftShift),
            "RightShift" => integer(Function::RightShift),
            "IsNan" => float(Function::IsNan),
            "IsInf" => float(Function::IsInf),
            "IsFinite" => float(Function::IsFinite),
            "Select" | "SelectV2" => Some(Function::Select),
            "ClipByValue" => number(Function::Clip),
            "ZerosLike" => Some(Function::Zero),
            "OnesLike" => Some(Function::One),
            "Cast" => Some(Function::Cast(to)),
            _ => None,
        }
    }

    /// Returns the form of an elementwise operation whose operands can be broadcast to the result.
    fn elementwise(&self, name: &str, function: Function) -> Result<Lowering, String> {
        let result = sizes(self.op.op().result(0).ty()).unwrap_or_default();
        for operand in self.op.op().operands() {
            if !fits(&sizes(operand.ty()).unwrap_or_default(), &result) {
                return Err("the shapes of its operands do not fit".to_owned());
            }
        }
        let first = sizes(self.op.op().operand(0).ty()).unwrap_or_default();
        // TensorFlow 1's selection takes rows by a condition of rank 1.
        if name == "Select" && !first.is_empty() && first.len() != result.len() {
            return Err("it selects rows".to_owned());
        }
        let divisor = self.op.op().operands().nth(1);
        Ok(
            match function.divides() && !divisor.is_some_and(is_never_zero) {
                true => Lowering::Division(function),
                false => Lowering::Elementwise(function),
            },
        )
    }

    fn expand(&self, rank: usize) -> Result<Lowering, String> {
        let axis = self.constant_axis(1, rank)?;
        Ok(Lowering::Same(Reshaping::Insert(axis)))
    }

    fn squeeze(&self) -> Result<Lowering, String> {
        let operand = sizes(self.op.op().operand(0).ty()).unwrap_or_default();
        let listed = match self.attribute("squeeze_dims") {
            Some(Attribute::List(list)) => list.i.clone(),
            _ => Vec::new(),
        };
        if listed.is_empty() && operand.contains(&None) {
            return Err("the dimensions that it removes are unknown".to_owned());
        }
        let removed: Result<Vec<_>, _> = listed
            .iter()
            .map(|&axis| self.axis(axis, operand.len()))
            .collect();
        Ok(Lowering::Same(Reshaping::Remove(removed?)))
    }

    fn transpose(&self, rank: usize) -> Result<Lowering, String> {
        let permutation = self.constant(1)?;
        let mut axes = vec![Axis::ZERO; rank];
        for (of, &dimension) in permutation.iter().enumerate() {
            let dimension = self.axis(dimension, rank)?;
            axes[dimension] = Axis::same(of);
        }
        Ok(Lowering::View { axes })
    }

    fn slice(&self) -> Result<Lowering, String> {
        let operand = sizes(self.op.op().operand(0).ty()).unwrap_or_default();
        let result = sizes(self.op.op().result(0).ty()).unwrap_or_default();
        let begins = self.constant(1)?;
        // What lies in the bounds of an unknown size is unknown, too.
        let counts = self.constant(2)?;
        let is_whole = |(&begin, &count): (&i64, &i64)| begin == 0 && count == -1;
        let mut dimensions = operand.iter().zip(&result).zip(begins.iter().zip(&counts));
        if !dimensions.all(|((from, to), part)| from.is_some() && to.is_some() || is_whole(part)) {
            return Err("it takes a part of a dimension of unknown size".to_owned());
        }
        let axis = |(of, &offset): (usize, &i64)| Axis {
            offset,
            ..Axis::same(of)
        };
        let axes = begins.iter().enumerate().map(axis).collect();
        Ok(Lowering::View { axes })
    }

    fn reduce(&self, name: &str) -> Result<Lowering, String> {
        let operand = self.op.op().operand(0);
        let own = sizes(operand.ty()).unwrap_or_default();
        let mut reduced = vec![false; own.len()];
        match (self.constant(1), self.kept_dimensions()) {
            (Ok(axes), _) => {
                for axis in axes {
                    reduced[self.axis(axis, own.len())?] = true;
                }
            }
            // Along a dimension of size 1, the result is the same either way.
            (Err(_), Some(kept)) => reduced = own.iter().zip(kept).map(|(a, b)| *a != b).collect(),
            (Err(reason), None) => return Err(reason),
        }
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
        Ok(Lowering::Reduce {
            function,
            reduced,
            is_mean,
        })
    }

    /// Returns the sizes of a result that keeps its dimensions, if the types state all sizes.
    fn kept_dimensions(&self) -> Option<Sizes> {
        let op = self.op.op();
        let [own, kept] = [op.operand(0).ty(), op.result(0).ty()].map(sizes);
        let (own, kept) = own.zip(kept)?;
        let are_known = own.iter().chain(&kept).all(Option::is_some);
        (self.boolean("keep_dims") && are_known && own.len() == kept.len()).then_some(kept)
    }

    fn batch_product(&self) -> Result<Lowering, String> {
        let types = self.op.op().operands().chain(self.op.op().results());
        let mut types = types.map(|value| element(value.ty()));
        let first = types.next();
        if types.any(|ty| Some(ty) != first) {
            return Err("its operands have different element types".to_owned());
        }
        let batch = |index| {
            let mut sizes = sizes(self.op.op().operand(index).ty()).unwrap_or_default();
            sizes.truncate(sizes.len().saturating_sub(2));
            sizes
        };
        let (a, b) = (batch(0), batch(1));
        let differ = |(a, b): (&Option<u64>, &Option<u64>)| a.zip(*b).is_some_and(|(a, b)| a != b);
        let transpose_a = self.boolean("adj_x");
        let is_one = b.len() <= a.len() && b.iter().all(|size| *size == Some(1));
        let is_shared = is_one && !a.is_empty() && !transpose_a;
        if !is_shared && (a.len() != b.len() || a.iter().zip(&b).any(differ)) {
            return Err("its operands have different batch dimensions".to_owned());
        }
        Ok(Lowering::Product {
            transpose_a,
            transpose_b: self.boolean("adj_y"),
            is_shared,
        })
    }

    fn concatenation(&self, rank: usize) -> Result<Lowering, String> {
        let last = self.op.op().num_operands() - 1;
        let axis = self.constant_axis(last, rank)?;
        let is_known =
            |operand: Value<'_>| sizes(operand.ty()).is_some_and(|it| it[axis].is_some());
        // Each part but the last has a known end.
        let mut parts = self.op.op().operands().take(last);
        match parts.all(is_known) {
            true => Ok(Lowering::Concat { axis }),
            false => Err("it joins tensors along a dimension of unknown size".to_owned()),
        }
    }

    fn pad(&self, has_value: bool) -> Result<Lowering, String> {
        let paddings = self.constant(1)?;
        let operand = sizes(self.op.op().operand(0).ty()).unwrap_or_default();
        let mut pairs = paddings.chunks(2).zip(&operand);
        if pairs.any(|(pair, size)| size.is_none() && pair != [0, 0]) {
            return Err("it pads a dimension of unknown size".to_owned());
        }
        let starts = paddings.chunks(2).map(|pair| pair[0].max(0) as u64);
        Ok(Lowering::Pad {
            starts: starts.collect(),
            rest: match has_value {
                true => Rest::Operand(2),
                false => Rest::Zero,
            },
        })
    }

    fn slices(&self) -> Result<Lowering, String> {
        let rank = |index| {
            let operand = self.op.op().operand(index);
            sizes(operand.ty()).unwrap_or_default().len()
        };
        let (own, given) = (rank(0), rank(1));
        let axis = match self.op.op().num_operands() {
            2 => self.axis(0, own)?,
            _ => self.constant_axis(2, own)?,
        };
        let batch = self.integer("batch_dims");
        let batch = if batch < 0 {
            batch + given as i64
        } else {
            batch
        };
        match usize::try_from(batch) {
            Ok(batch) if batch <= axis && batch <= given => {
                Ok(Lowering::Lookup(Lookup::Slices { axis, batch }))
            }
            _ => Err("its batch dimensions are out of range".to_owned()),
        }
    }

    /// Returns the number of indices in each row of an operand.
    fn depth(&self, operand: usize) -> Result<usize, String> {
        let indices = sizes(self.op.op().operand(operand).ty()).unwrap_or_default();
        match indices.last() {
            Some(Some(depth @ 1..)) => Ok(*depth as usize),
            _ => Err("the number of indices in a row is unknown".to_owned()),
        }
    }

    /// Returns the form of a combination of slices; `None` for booleans, which have no sums.
    fn scatter(&self, name: &str) -> Option<Result<Lowering, String>> {
        let function = match name {
            "TensorScatterUpdate" => None,
            "SegmentProd" | "UnsortedSegmentProd" => Some(Reduction::Product),
            "UnsortedSegmentMax" => Some(Reduction::Max),
            "UnsortedSegmentMin" => Some(Reduction::Min),
            _ => Some(Reduction::Sum),
        };
        if function.is_some() && element(self.op.op().result(0).ty())? == Element::Bool {
            return None;
        }
        let (start, indices, updates) = match name {
            "ScatterNd" => (Start::Stated(2), 0, 1),
            _ if name.starts_with("Tensor") => (Start::First, 1, 2),
            _ if name.starts_with("Unsorted") => (Start::Counted(2), 1, 0),
            _ => (Start::Sorted, 1, 0),
        };
        let is_of_segments = matches!(start, Start::Counted(_) | Start::Sorted);
        let rank = sizes(self.op.op().operand(indices).ty())?.len();
        // A list has one index for each slice.
        let depth = match rank {
            _ if is_of_segments => None,
            1 => None,
            _ => match self.depth(indices) {
                Ok(depth) => Some(depth),
                Err(reason) => return Some(Err(reason)),
            },
        };
        Some(Ok(Lowering::Scatter(Scatter {
            start,
            indices,
            updates,
            depth,
            function,
            is_negated: name == "TensorScatterSub",
            drops_negative: matches!(start, Start::Counted(_)),
        })))
    }

    fn position(&self, is_max: bool) -> Result<Lowering, String> {
        let rank = sizes(self.op.op().operand(0).ty())
            .unwrap_or_default()
            .len();
        let axis = self.constant_axis(1, rank)?;
        Ok(Lowering::Position { axis, is_max })
    }

    fn scan(&self, rank: usize, function: Reduction) -> Result<Lowering, String> {
        Ok(Lowering::Scan(Scan {
            axis: self.constant_axis(1, rank)?,
            function,
            is_exclusive: self.boolean("exclusive"),
            is_reverse: self.boolean("reverse"),
        }))
    }

    fn one_hot(&self, rank: usize) -> Result<Lowering, String> {
        self.constant(1)?;
        let axis = match self.attribute("axis") {
            Some(Attribute::I(axis)) => *axis,
            _ => -1,
        };
        for operand in [2, 3] {
            if sizes(self.op.op().operand(operand).ty()).is_none_or(|sizes| !sizes.is_empty()) {
                return Err("one of its values is not a scalar".to_owned());
            }
        }
        self.axis(axis, rank).map(|axis| Lowering::OneHot { axis })
    }

    fn random(&self, distribution: Distribution) -> Result<Lowering, String> {
        let seed = sizes(self.op.op().operand(1).ty()).unwrap_or_default();
        match seed[..] {
            [None | Some(2)] => Ok(Lowering::Random(distribution)),
            _ => Err("its seed is not a list of two numbers".to_owned()),
        }
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

    /// Returns the dimension that a constant operand names.
    fn constant_axis(&self, operand: usize, rank: usize) -> Result<usize, String> {
        match self.constant(operand)?[..] {
            [axis] => self.axis(axis, rank),
            _ => Err("its axis is not one number".to_owned()),
        }
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

    /// Returns the slope of a leaky rectifier for negative numbers, as the bits of an `f32`.
    fn slope(&self) -> u32 {
        match self.attribute("alpha") {
            Some(Attribute::F(slope)) => slope.to_bits(),
            _ => 0.2f32.to_bits(),
        }
    }

    fn is_channels_first(&self) -> bool {
        matches!(self.attribute("data_format"), Some(Attribute::S(text)) if text == b"NCHW")
    }
}

/// Returns whether a tensor of some sizes can be broadcast to others, as far as these are known.
fn fits(operand: &[Option<u64>], result: &[Option<u64>]) -> bool {
    let Some(new) = result.len().checked_sub(operand.len()) else {
        return false;
    };
    let mut sizes = operand.iter().zip(&result[new..]);
    sizes.all(|(from, to)| match (from, to) {
        (Some(from), Some(to)) => from == to || *from == 1,
        _ => true,
    })
}

/// Returns the axes of an operand that is broadcast to a shape; `None` if it cannot be.
pub(crate) fn broadcast(operand: &[Extent], result: &[Extent]) -> Option<Vec<Axis>> {
    let new = result.len().checked_sub(operand.len())?;
    let axis = |(dimension, size): (usize, &Extent)| {
        let of = dimension + new;
        match size {
            _ if *size == result[of] => Some(Axis::same(of)),
            _ if size.is(1) => Some(Axis::ZERO),
            _ => None,
        }
    };
    operand.iter().enumerate().map(axis).collect()
}
