//! The floating-point operations of the kernels.
//!
//! ```text
//! MatMul  [m, k] [k, n] -> [m, n]      2 m n k      a product and a sum for each
//! Sum     [m, n] -> [n]                m n          one for each element of the operand
//! Tanh    [m, n] -> [m, n]             m n          a function counts as one, and as a function
//! Reshape                              0            a move, an index, a comparison, an integer
//! ```
//!
//! The counts are those of the definition of an operation, and not of the instructions of its
//! kernel: a matrix product has 2 m n k, however it is blocked. An operation whose elements are not
//! floats has none.

use std::collections::BTreeMap;

use tfx_graphdef::proto::{AttrValue, attr_value::Value};

use crate::tensor::{DType, Tensor};

/// The element type and the shape of a tensor.
#[derive(Clone, Debug)]
pub struct Sizes {
    dtype: DType,
    shape: Vec<usize>,
}

impl Sizes {
    /// Returns the sizes of tensors of this element type and shape.
    pub fn new(dtype: DType, shape: Vec<usize>) -> Self {
        Sizes { dtype, shape }
    }

    /// Returns those of a tensor.
    pub fn of(tensor: &Tensor) -> Self {
        Sizes {
            dtype: tensor.dtype(),
            shape: tensor.shape().to_vec(),
        }
    }

    fn elements(&self) -> u64 {
        self.shape.iter().map(|size| *size as u64).product()
    }

    /// Returns the size of a dimension, counted from the last one.
    fn at_end(&self, position: usize) -> u64 {
        let dimension = self.shape.iter().rev().nth(position);
        dimension.map_or(1, |size| *size as u64)
    }
}

/// A number of floating-point operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flops {
    /// All of them.
    pub all: u64,
    /// The roots, powers, and transcendental functions among them.
    pub functions: u64,
}

/// The tensor whose elements are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Each {
    Result,
    /// The operand at a position.
    Operand(usize),
}

/// The number of floating-point operations of an operation, as a function of shapes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Formula {
    /// A number for each element, and the functions among them.
    PerElement(Each, u64, u64),
    /// One less than the number of operands, for each element of the result.
    SumOfOperands,
    /// A mean: a sum over the operand, and a quotient for each result.
    Mean,
    /// A matrix product.
    Product,
    /// A sum of products; the equation.
    Einsum(String),
    /// A convolution: a sum of products over the window of a filter. The position of the tensor
    /// whose elements the windows belong to, and of the filter.
    Convolution(Each, Each),
    /// The same with one channel in each window.
    Depthwise(Each, Each),
    /// A number of operations for each element of each window; the size of the window.
    Windows(Each, u64),
    /// `numerator / denominator * n^3` for each matrix of the first operand.
    Cubic(u64, u64),
    /// A solution for each column: `n^2` for each.
    Triangular,
}

/// The cost of one use of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost(Formula);

use Each::{Operand, Result as Results};
use Formula::{
    Convolution, Cubic, Depthwise, Mean, PerElement, Product, SumOfOperands, Triangular,
};

/// A function of each element, such as a sine.
const FUNCTION: Formula = PerElement(Results, 1, 1);
/// A sum, product, quotient, or a rounding, for each element of the result.
const ONE: Formula = PerElement(Results, 1, 0);
const TWO: Formula = PerElement(Results, 2, 0);
const THREE: Formula = PerElement(Results, 3, 0);
const FOUR: Formula = PerElement(Results, 4, 0);
/// A sum or a maximum over elements of the first operand.
const REDUCTION: Formula = PerElement(Operand(0), 1, 0);

/// Operations with floating-point operations.
const FORMULAS: &[(&str, Formula)] = &[
    ("Abs", ONE),
    ("Acos", FUNCTION),
    ("Acosh", FUNCTION),
    ("Add", ONE),
    ("AddN", SumOfOperands),
    ("AddV2", ONE),
    ("Asin", FUNCTION),
    ("Asinh", FUNCTION),
    ("Atan", FUNCTION),
    ("Atan2", FUNCTION),
    ("Atanh", FUNCTION),
    ("BatchMatMul", Product),
    ("BatchMatMulV2", Product),
    ("BatchMatMulV3", Product),
    ("BiasAdd", ONE),
    ("BiasAddGrad", REDUCTION),
    ("Ceil", ONE),
    ("Cholesky", Cubic(1, 3)),
    ("ClipByValue", TWO),
    ("Conv2D", Convolution(Results, Operand(1))),
    ("Conv2DBackpropFilter", Convolution(Operand(2), Results)),
    ("Conv2DBackpropInput", Convolution(Operand(2), Operand(1))),
    ("Conv3D", Convolution(Results, Operand(1))),
    ("Conv3DBackpropFilterV2", Convolution(Operand(2), Results)),
    ("Conv3DBackpropInputV2", Convolution(Operand(2), Operand(1))),
    ("Cos", FUNCTION),
    ("Cosh", FUNCTION),
    ("Cumprod", ONE),
    ("Cumsum", ONE),
    ("DepthwiseConv2dNative", Depthwise(Results, Operand(1))),
    (
        "DepthwiseConv2dNativeBackpropFilter",
        Depthwise(Operand(2), Results),
    ),
    (
        "DepthwiseConv2dNativeBackpropInput",
        Depthwise(Operand(2), Operand(1)),
    ),
    ("Digamma", FUNCTION),
    ("Div", ONE),
    ("DivNoNan", ONE),
    // exp(x) - 1
    ("Elu", FUNCTION),
    ("EluGrad", TWO),
    ("Erf", FUNCTION),
    ("Erfc", FUNCTION),
    ("Erfinv", FUNCTION),
    ("EuclideanNorm", PerElement(Operand(0), 2, 0)),
    ("Exp", FUNCTION),
    ("Expm1", FUNCTION),
    ("Floor", ONE),
    ("FloorDiv", ONE),
    ("FloorMod", ONE),
    // The mean 1, the variance 3, the normalization 4.
    ("FusedBatchNormGradV3", PerElement(Results, 12, 0)),
    ("FusedBatchNormV3", PerElement(Results, 8, 0)),
    ("Inv", ONE),
    ("InvGrad", THREE),
    ("L2Loss", PerElement(Operand(0), 2, 0)),
    ("LeakyRelu", ONE),
    ("LeakyReluGrad", ONE),
    ("Lgamma", FUNCTION),
    ("LinSpace", TWO),
    ("Log", FUNCTION),
    ("Log1p", FUNCTION),
    // A maximum, a difference, an exponential function, a sum, a difference.
    ("LogSoftmax", PerElement(Results, 5, 1)),
    ("MatMul", Product),
    ("MatrixDeterminant", Cubic(2, 3)),
    ("MatrixInverse", Cubic(2, 1)),
    ("MatrixTriangularSolve", Triangular),
    ("Max", REDUCTION),
    ("Maximum", ONE),
    ("Mean", Mean),
    ("Min", REDUCTION),
    ("Minimum", ONE),
    // An element of the padding is a sum.
    ("MirrorPadGrad", REDUCTION),
    ("Mod", ONE),
    ("Mul", ONE),
    ("MulNoNan", ONE),
    ("Neg", ONE),
    ("Polygamma", FUNCTION),
    ("Pow", FUNCTION),
    ("Prod", REDUCTION),
    ("RealDiv", ONE),
    ("Reciprocal", ONE),
    ("ReciprocalGrad", THREE),
    ("Relu", ONE),
    ("Relu6", TWO),
    ("Relu6Grad", ONE),
    ("ReluGrad", ONE),
    // Three interpolations of a difference, a product and a sum.
    ("ResizeBilinear", PerElement(Results, 9, 0)),
    ("ResizeBilinearGrad", PerElement(Operand(0), 9, 0)),
    ("ResizeNearestNeighborGrad", REDUCTION),
    ("Rint", ONE),
    ("Round", ONE),
    ("Rsqrt", FUNCTION),
    ("RsqrtGrad", FOUR),
    ("ScatterNd", PerElement(Operand(1), 1, 0)),
    ("SegmentMax", REDUCTION),
    ("SegmentMean", REDUCTION),
    ("SegmentMin", REDUCTION),
    ("SegmentProd", REDUCTION),
    ("SegmentSum", REDUCTION),
    ("Selu", PerElement(Results, 2, 1)),
    ("SeluGrad", TWO),
    // A quotient, a sum, a function.
    ("Sigmoid", PerElement(Results, 3, 1)),
    ("SigmoidGrad", THREE),
    ("Sign", ONE),
    ("Sin", FUNCTION),
    ("Sinh", FUNCTION),
    ("Softmax", PerElement(Results, 5, 1)),
    // The log-softmax 5, the products with the labels and their sum 2, the gradient 2.
    (
        "SoftmaxCrossEntropyWithLogits",
        PerElement(Operand(0), 9, 1),
    ),
    ("Softplus", PerElement(Results, 4, 2)),
    ("SoftplusGrad", PerElement(Results, 3, 1)),
    ("Softsign", THREE),
    ("SoftsignGrad", FOUR),
    (
        "SparseSoftmaxCrossEntropyWithLogits",
        PerElement(Operand(0), 6, 1),
    ),
    ("Sqrt", FUNCTION),
    ("SqrtGrad", TWO),
    ("Square", ONE),
    ("SquaredDifference", TWO),
    ("Sub", ONE),
    ("Sum", REDUCTION),
    ("Tan", FUNCTION),
    ("Tanh", FUNCTION),
    ("TanhGrad", THREE),
    ("TensorScatterAdd", PerElement(Operand(2), 1, 0)),
    ("TensorScatterSub", PerElement(Operand(2), 1, 0)),
    ("TruncateDiv", ONE),
    ("TruncateMod", ONE),
    ("UnsortedSegmentMax", REDUCTION),
    ("UnsortedSegmentMin", REDUCTION),
    ("UnsortedSegmentProd", REDUCTION),
    ("UnsortedSegmentSum", REDUCTION),
    ("Xdivy", ONE),
    ("Xlog1py", PerElement(Results, 2, 1)),
    ("Xlogy", PerElement(Results, 2, 1)),
];

/// Operations that move elements, compare them, or compute integers: none of their operations is
/// one of floats.
const MOVES: &[&str] = &[
    "All",
    "Any",
    "ArgMax",
    "ArgMin",
    "Assert",
    "BatchToSpaceND",
    "Bitcast",
    "BitwiseAnd",
    "BitwiseOr",
    "BitwiseXor",
    "BroadcastGradientArgs",
    "BroadcastTo",
    "Cast",
    "CheckNumerics",
    "Concat",
    "ConcatOffset",
    "ConcatV2",
    "DepthToSpace",
    "DynamicPartition",
    "DynamicStitch",
    "ParallelDynamicStitch",
    "EmptyTensorList",
    "EnsureShape",
    "Equal",
    "ExpandDims",
    "Fill",
    "Gather",
    "GatherNd",
    "GatherV2",
    "Greater",
    "GreaterEqual",
    "Identity",
    "IdentityN",
    "Invert",
    "InvertPermutation",
    "IsFinite",
    "IsInf",
    "IsNan",
    "LeftShift",
    "Less",
    "LessEqual",
    "LogicalAnd",
    "LogicalNot",
    "LogicalOr",
    "MatrixBandPart",
    "MatrixDiag",
    "MatrixDiagPart",
    "MatrixDiagPartV2",
    "MatrixDiagPartV3",
    "MatrixDiagV2",
    "MatrixDiagV3",
    "MatrixSetDiag",
    "MatrixSetDiagV2",
    "MatrixSetDiagV3",
    "MirrorPad",
    "NotEqual",
    "OneHot",
    "OnesLike",
    "Pack",
    "Pad",
    "PadV2",
    "PopulationCount",
    "PreventGradient",
    "RandomStandardNormal",
    "RandomUniform",
    "RandomUniformInt",
    "Range",
    "Rank",
    "Reshape",
    "ResizeNearestNeighbor",
    "Reverse",
    "ReverseSequence",
    "ReverseV2",
    "RightShift",
    "Select",
    "SelectV2",
    "Shape",
    "ShapeN",
    "Size",
    "Slice",
    "Snapshot",
    "SpaceToBatchND",
    "SpaceToDepth",
    "Split",
    "SplitV",
    "Squeeze",
    "StatelessRandomGetKeyCounter",
    "StatelessRandomNormal",
    "StatelessRandomNormalV2",
    "StatelessRandomUniform",
    "StatelessRandomUniformInt",
    "StatelessRandomUniformIntV2",
    "StatelessRandomUniformV2",
    "StopGradient",
    "StridedSlice",
    "StridedSliceGrad",
    "TensorListConcatV2",
    "TensorListElementShape",
    "TensorListFromTensor",
    "TensorListGather",
    "TensorListGetItem",
    "TensorListLength",
    "TensorListPopBack",
    "TensorListPushBack",
    "TensorListReserve",
    "TensorListResize",
    "TensorListSetItem",
    "TensorListSplit",
    "TensorListStack",
    "TensorScatterUpdate",
    "Tile",
    "TopKV2",
    "Transpose",
    "TruncatedNormal",
    "Unpack",
    "Where",
    "ZerosLike",
];

/// Operations with windows, and the tensor whose elements the windows belong to.
const WINDOWS: &[(&str, Each)] = &[
    ("AvgPool", Results),
    ("AvgPoolGrad", Operand(1)),
    ("AvgPool3D", Results),
    ("AvgPool3DGrad", Operand(1)),
    ("MaxPool", Results),
    ("MaxPool3D", Results),
    ("MaxPool3DGrad", Operand(2)),
    ("MaxPool3DGradGrad", Results),
    ("MaxPoolGrad", Operand(2)),
    ("MaxPoolGradGrad", Results),
    ("MaxPoolGradV2", Operand(2)),
    ("MaxPoolGradGradV2", Results),
    ("MaxPoolV2", Results),
];

impl Cost {
    /// Returns the cost of an operation with attributes; none if it is not known.
    pub fn of(operation: &str, attributes: &BTreeMap<String, AttrValue>) -> Option<Self> {
        let value = |name: &str| attributes.get(name).and_then(|it| it.value.as_ref());
        if operation == "Einsum" {
            let Some(Value::S(text)) = value("equation") else {
                return None;
            };
            let text = String::from_utf8_lossy(text).into_owned();
            return Some(Cost(Formula::Einsum(text)));
        }
        if let Some((_, each)) = WINDOWS.iter().find(|(name, _)| *name == operation) {
            let window = match value("ksize") {
                Some(Value::List(sizes)) => {
                    sizes.i.iter().map(|size| size.unsigned_abs()).product()
                }
                _ => 1,
            };
            return Some(Cost(Formula::Windows(*each, window)));
        }
        if MOVES.contains(&operation) {
            return Some(Cost(PerElement(Results, 0, 0)));
        }
        let mut formulas = FORMULAS.iter();
        let (_, formula) = formulas.find(|(name, _)| *name == operation)?;
        Some(Cost(formula.clone()))
    }

    /// Returns the number of floating-point operations on operands and results of some sizes.
    pub fn flops(&self, operands: &[Sizes], results: &[Sizes]) -> Flops {
        let of = |each: Each| match each {
            Results => results.first(),
            Operand(position) => operands.get(position),
        };
        let elements = |each| of(each).map_or(0, Sizes::elements);
        let first = results.first();
        let counted = match &self.0 {
            PerElement(each, ..) | Formula::Windows(each, _) => of(*each),
            Convolution(..) | Depthwise(..) => first,
            _ => first.or(operands.first()),
        };
        if !counted.is_some_and(|sizes| is_float(sizes.dtype)) {
            return Flops::default();
        }
        let all = match &self.0 {
            PerElement(each, all, functions) => {
                let elements = elements(*each);
                return Flops {
                    all: all * elements,
                    functions: functions * elements,
                };
            }
            SumOfOperands => elements(Results) * (operands.len() as u64).saturating_sub(1),
            Mean => elements(Operand(0)) + elements(Results),
            Product => 2 * elements(Results) * contracted(operands, first),
            Formula::Einsum(equation) => einsum(equation, operands, first),
            Formula::Windows(each, window) => elements(*each) * window,
            // The last dimension of a filter has the channels of the result.
            Convolution(each, filter) => {
                let window = of(*filter).map(|it| it.elements() / it.at_end(0).max(1));
                2 * elements(*each) * window.unwrap_or(0)
            }
            Depthwise(each, filter) => {
                let channels = |it: &Sizes| it.at_end(0).max(1) * it.at_end(1).max(1);
                let window = of(*filter).map(|it| it.elements() / channels(it));
                2 * elements(*each) * window.unwrap_or(0)
            }
            Cubic(numerator, denominator) => {
                let size = operands.first().map_or(0, |it| it.at_end(0));
                elements(Operand(0)) * size * numerator / denominator
            }
            Triangular => {
                let size = operands.first().map_or(0, |it| it.at_end(0));
                elements(Results) * size
            }
        };
        Flops { all, functions: 0 }
    }
}

/// Returns the size of the dimension that a matrix product sums over.
fn contracted(operands: &[Sizes], result: Option<&Sizes>) -> u64 {
    let (Some(left), Some(result)) = (operands.first(), result) else {
        return 0;
    };
    // The left operand has the rows of the result, and perhaps it is transposed.
    let rows = result.at_end(1).max(1);
    left.at_end(0) * left.at_end(1) / rows
}

/// Returns the operations of a sum of products: for each combination of the labels, a product if
/// there are two operands, and a sum.
fn einsum(equation: &str, operands: &[Sizes], result: Option<&Sizes>) -> u64 {
    let equation = equation.replace(' ', "");
    let Some((left, right)) = equation.split_once("->") else {
        return 0;
    };
    let labels = |text: &str| text.replace("...", "").chars().collect::<Vec<_>>();
    let mut sizes: BTreeMap<char, u64> = BTreeMap::new();
    for (text, operand) in left.split(',').zip(operands) {
        let (before, after) = text.split_once("...").unwrap_or((text, ""));
        let from_first = before.chars().zip(&operand.shape);
        let at_end = after.chars().rev().zip(operand.shape.iter().rev());
        for (label, size) in from_first.chain(at_end) {
            sizes.insert(label, *size as u64);
        }
    }
    // The dimensions of an ellipsis are all in the result.
    let named: u64 = labels(right)
        .iter()
        .filter_map(|it| sizes.get(it))
        .product();
    let broadcast = result.map_or(0, Sizes::elements) / named.max(1);
    let combinations = broadcast * sizes.values().product::<u64>();
    combinations * operands.len() as u64
}

fn is_float(dtype: DType) -> bool {
    matches!(dtype, DType::F16 | DType::Bf16 | DType::F32 | DType::F64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels;

    fn flops(operation: &str, operands: &[&[usize]], result: &[usize]) -> Flops {
        let sizes = |shape: &[usize]| Sizes {
            dtype: DType::F64,
            shape: shape.to_vec(),
        };
        let operands: Vec<_> = operands.iter().map(|shape| sizes(shape)).collect();
        let cost = Cost::of(operation, &BTreeMap::new()).expect("it has a cost");
        cost.flops(&operands, &[sizes(result)])
    }

    #[test]
    fn each_kernel_has_a_cost() {
        let equation = AttrValue {
            value: Some(Value::S(b"ij->ji".to_vec())),
        };
        let attributes = BTreeMap::from([("equation".to_owned(), equation)]);
        let unknown = |name: &&str| Cost::of(name, &attributes).is_none();
        let unknown: Vec<_> = kernels::names().into_iter().filter(unknown).collect();
        assert!(
            unknown.is_empty(),
            "add these operations to FORMULAS, WINDOWS or MOVES: {unknown:?}"
        );
    }

    #[test]
    fn an_operation_is_listed_once() {
        let formulas = FORMULAS.iter().map(|(name, _)| *name);
        let windows = WINDOWS.iter().map(|(name, _)| *name);
        let all: Vec<_> = formulas
            .chain(windows)
            .chain(MOVES.iter().copied())
            .collect();
        let unique: std::collections::BTreeSet<_> = all.iter().collect();
        assert_eq!(unique.len(), all.len());
    }

    #[test]
    fn products() {
        let count = |operands: &[&[usize]], result: &[usize]| flops("MatMul", operands, result).all;
        assert_eq!(count(&[&[2, 3], &[3, 5]], &[2, 5]), 2 * 2 * 3 * 5);
        // The left operand is transposed.
        assert_eq!(count(&[&[3, 2], &[3, 5]], &[2, 5]), 2 * 2 * 3 * 5);
        let batch = flops("BatchMatMulV2", &[&[7, 2, 3], &[3, 5]], &[7, 2, 5]);
        assert_eq!(batch.all, 7 * 2 * 2 * 3 * 5);
        assert_eq!(count(&[&[0, 3], &[3, 5]], &[0, 5]), 0);
    }

    #[test]
    fn sums_of_products() {
        let sizes = |shape: &[usize]| Sizes {
            dtype: DType::F32,
            shape: shape.to_vec(),
        };
        let count = |equation: &str, operands: &[&[usize]], result: &[usize]| {
            let operands: Vec<_> = operands.iter().map(|shape| sizes(shape)).collect();
            einsum(equation, &operands, Some(&sizes(result)))
        };
        assert_eq!(count("ij,jk->ik", &[&[2, 3], &[3, 5]], &[2, 5]), 60);
        assert_eq!(
            count("...ij,jk->...ik", &[&[7, 2, 3], &[3, 5]], &[7, 2, 5]),
            420
        );
        assert_eq!(count("ij->i", &[&[2, 3]], &[2]), 6);
    }

    #[test]
    fn convolutions() {
        let input: &[usize] = &[1, 8, 8, 3];
        let filter: &[usize] = &[5, 5, 3, 16];
        let output: &[usize] = &[1, 4, 4, 16];
        let products = 2 * (4 * 4 * 16) * (5 * 5 * 3);
        assert_eq!(flops("Conv2D", &[input, filter], output).all, products);
        let back = flops("Conv2DBackpropInput", &[&[4], filter, output], input);
        assert_eq!(back.all, products);
        let back = flops("Conv2DBackpropFilter", &[input, &[4], output], filter);
        assert_eq!(back.all, products);
    }

    #[test]
    fn functions_count_twice() {
        let expected = Flops {
            all: 6,
            functions: 6,
        };
        assert_eq!(flops("Tanh", &[&[2, 3]], &[2, 3]), expected);
        assert_eq!(flops("Reshape", &[&[2, 3]], &[6]), Flops::default());
    }
}
