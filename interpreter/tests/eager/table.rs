//! Every operation that the interpreter supports, with its inputs and the allowed difference from
//! TensorFlow.

use tfx_graphdef::proto::attr_value::{ListValue, Value};
use tfx_graphdef::proto::{AttrValue, NodeDef, TensorShapeProto, tensor_shape_proto::Dim};
use tfx_interpreter::DType::{self, Bool, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
use tfx_interpreter::{Tensor, kernels};

use crate::data::{Data, Values};
use crate::{compare, images, matrices, parts};

/// The allowed difference of a float from TensorFlow's. Integers and booleans must be the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// The same bits; any NaN for a NaN.
    Same,
    /// This number of units in the last place. 0: the same numbers, except for the sign of zero.
    Ulps(u32),
    /// This number of units in the last place of 1.
    OfOne(u32),
    /// This number of units in the last place of the result, or of 1 if that is larger.
    OfSelfOrOne(u32),
    /// This number of units in the last place of the largest result for the inputs without their
    /// signs: for a sum, whose order a library may choose.
    OfLargest(u32),
}

/// Inputs and attributes of a call.
pub(crate) struct Made {
    pub(crate) inputs: Vec<Tensor>,
    pub(crate) attributes: Vec<(&'static str, Value)>,
    /// The number of results that are compared: TensorFlow does not write the others.
    pub(crate) compared: usize,
}

impl Made {
    pub(crate) fn of(inputs: impl Into<Vec<Tensor>>) -> Self {
        Made {
            inputs: inputs.into(),
            attributes: Vec::new(),
            compared: usize::MAX,
        }
    }

    /// Returns the first result that an operation of tfx has for this call.
    pub(crate) fn run(&self, op: &str) -> Option<Tensor> {
        self.results(op)?.into_iter().next()
    }

    /// Returns the results that an operation of tfx has for this call.
    pub(crate) fn results(&self, op: &str) -> Option<Vec<Tensor>> {
        let kernel = kernels::build(&self.node(op)).ok().flatten()?;
        let outputs = kernel.compute(&mut self.inputs.clone())?.ok()?;
        Some(outputs.into_vec())
    }

    /// Returns the call as a node without inputs.
    pub(crate) fn node(&self, op: &str) -> NodeDef {
        let attributes = self.attributes.iter().map(|(name, value)| {
            let value = Some(value.clone());
            ((*name).to_owned(), AttrValue { value })
        });
        NodeDef {
            op: op.to_owned(),
            attr: attributes.collect(),
            ..NodeDef::default()
        }
    }

    /// Returns the largest result for the inputs without their signs, infinities and NaNs aside.
    pub(crate) fn scale(&self, op: &str) -> f64 {
        let positive = Made {
            inputs: self.inputs.iter().map(compare::magnitudes).collect(),
            attributes: self.attributes.clone(),
            compared: self.compared,
        };
        let results = positive.results(op).unwrap_or_default();
        results.iter().map(compare::largest).fold(0.0, f64::max)
    }

    pub(crate) fn with(mut self, name: &'static str, value: Value) -> Self {
        self.attributes.push((name, value));
        self
    }
}

/// One operation.
pub(crate) struct Row {
    pub(crate) op: &'static str,
    pub(crate) dtypes: &'static [DType],
    pub(crate) make: fn(&mut Data, DType) -> Made,
    pub(crate) bound: Bound,
}

pub(crate) const FLOATS: &[DType] = &[F32, F64];
const INTEGERS: &[DType] = &[I8, I16, I32, I64, U8, U16, U32, U64];
const NUMBERS: &[DType] = &[F32, F64, I8, I16, I32, I64, U8, U16, U32, U64];
const PLAIN: &[DType] = &[F32, F64, I8, I16, I32, I64, U8, U16, U32, U64, Bool];
const TRUTH: &[DType] = &[Bool];
/// Those that TensorFlow negates.
const SIGNED: &[DType] = &[F32, F64, I8, I16, I32, I64];
/// Those that images have.
const PIXELS: &[DType] = &[F32, F64, I8, I16, I32, I64, U8, U16];
/// Those that most of its kernels have.
const COMMON: &[DType] = &[F32, F64, I32, I64];

const fn row(
    op: &'static str,
    dtypes: &'static [DType],
    make: fn(&mut Data, DType) -> Made,
    bound: Bound,
) -> Row {
    Row {
        op,
        dtypes,
        make,
        bound,
    }
}

use Bound::{OfLargest, OfOne, OfSelfOrOne, Same, Ulps};

pub(crate) const TABLE: &[Row] = &[
    row("Add", &[F32, F64, I8, I16, I32, I64, U8], two, Same),
    row("AddV2", NUMBERS, two, Same),
    row("Sub", NUMBERS, two, Same),
    row("Mul", NUMBERS, two, Same),
    row("Div", NUMBERS, quotient, Same),
    row("RealDiv", FLOATS, quotient, Same),
    row("TruncateDiv", INTEGERS, quotient, Same),
    row("DivNoNan", FLOATS, two, Same),
    row("MulNoNan", FLOATS, two, Same),
    row("Xlogy", FLOATS, two, Ulps(4)),
    row("Xlog1py", FLOATS, two, Ulps(4)),
    row("Xdivy", FLOATS, two, Ulps(0)),
    row("FloorDiv", NUMBERS, quotient, Same),
    row("FloorMod", NUMBERS, quotient, Same),
    row("TruncateMod", COMMON, quotient, Same),
    row("Mod", COMMON, quotient, Same),
    row("Pow", SIGNED, power, Ulps(4)),
    row("Maximum", NUMBERS, two, Ulps(0)),
    row("Minimum", NUMBERS, two, Ulps(0)),
    row("SquaredDifference", COMMON, two, Same),
    row("Atan2", FLOATS, two, Ulps(8)),
    row("Neg", SIGNED, one, Same),
    row("Abs", SIGNED, one, Same),
    row("Sign", SIGNED, one, Same),
    row("Square", NUMBERS, one, Same),
    row("Exp", FLOATS, one, Ulps(4)),
    row("Expm1", FLOATS, one, Ulps(4)),
    row("Log", FLOATS, one, Ulps(4)),
    row("Log1p", FLOATS, one, Ulps(4)),
    row("Sqrt", FLOATS, one, Same),
    row("Rsqrt", FLOATS, one, Ulps(4)),
    row("Reciprocal", FLOATS, one, Ulps(4)),
    row("Inv", FLOATS, one, Ulps(4)),
    row("Sin", FLOATS, one, Ulps(4)),
    row("Cos", FLOATS, one, Ulps(4)),
    row("Tan", FLOATS, one, Ulps(4)),
    row("Asin", FLOATS, one, Ulps(6)),
    row("Acos", FLOATS, one, Ulps(6)),
    row("Atan", FLOATS, one, Ulps(6)),
    row("Sinh", FLOATS, one, Ulps(4)),
    row("Cosh", FLOATS, one, Ulps(4)),
    row("Tanh", FLOATS, one, Ulps(16)),
    row("Asinh", FLOATS, one, Ulps(6)),
    row("Acosh", FLOATS, one, Ulps(6)),
    row("Atanh", FLOATS, one, Ulps(6)),
    row("Erf", FLOATS, finite, Ulps(8)),
    row("Erfinv", FLOATS, within_one, OfOne(32)),
    row("Lgamma", FLOATS, one, OfSelfOrOne(16)),
    row("Digamma", FLOATS, moderate, OfSelfOrOne(16)),
    row("Polygamma", FLOATS, order, OfSelfOrOne(64)),
    row("Erfc", FLOATS, one, OfOne(8)),
    row("Floor", FLOATS, one, Same),
    row("Ceil", FLOATS, one, Same),
    row("Round", FLOATS, one, Same),
    row("Rint", FLOATS, one, Same),
    row("IsNan", FLOATS, one, Same),
    row("IsInf", FLOATS, one, Same),
    row("IsFinite", FLOATS, one, Same),
    row("Less", NUMBERS, two, Same),
    row("LessEqual", NUMBERS, two, Same),
    row("Greater", NUMBERS, two, Same),
    row("GreaterEqual", NUMBERS, two, Same),
    row("Equal", PLAIN, two, Same),
    row("NotEqual", PLAIN, two, Same),
    row("LogicalAnd", TRUTH, two, Same),
    row("LogicalOr", TRUTH, two, Same),
    row("LogicalNot", TRUTH, one, Same),
    row("BitwiseAnd", INTEGERS, two, Same),
    row("BitwiseOr", INTEGERS, two, Same),
    row("BitwiseXor", INTEGERS, two, Same),
    row("Invert", INTEGERS, one, Same),
    row("PopulationCount", INTEGERS, one, Same),
    row("LeftShift", INTEGERS, two, Same),
    row("RightShift", INTEGERS, two, Same),
    row("Select", PLAIN, select, Same),
    row("SelectV2", PLAIN, select_broadcast, Same),
    row("AddN", NUMBERS, same_shapes, OfLargest(2)),
    row(
        "ClipByValue",
        &[F32, F64, I8, I16, I32, I64, U8, U16],
        clip,
        Ulps(0),
    ),
    row("Cast", PLAIN, cast, Same),
    row("Bitcast", NUMBERS, bitcast, Same),
    row("Fill", PLAIN, fill, Same),
    row("ZerosLike", PLAIN, one, Same),
    row("OnesLike", PLAIN, one, Same),
    row("Range", COMMON, range, Same),
    row("LinSpace", FLOATS, line, Ulps(2)),
    row("OneHot", PLAIN, one_hot, Same),
    row("Shape", PLAIN, with_out_type, Same),
    row("Size", PLAIN, with_out_type, Same),
    row("ShapeN", PLAIN, several_with_out_type, Same),
    row("Rank", PLAIN, one, Same),
    row("Pack", PLAIN, pack, Same),
    row("Unpack", PLAIN, unpack, Same),
    row("Concat", PLAIN, concat_first, Same),
    row("ConcatV2", PLAIN, concat_last, Same),
    row("Split", PLAIN, split, Same),
    row("SplitV", PLAIN, parts::split_sizes, Same),
    row("ConcatOffset", &[I32, I64], parts::offsets, Same),
    row("Slice", PLAIN, slice, Same),
    row("StridedSlice", PLAIN, strided_slice, Same),
    row(
        "StridedSliceGrad",
        PLAIN,
        parts::strided_slice_gradient,
        Same,
    ),
    row("GatherV2", PLAIN, gather_along, Same),
    row("Gather", PLAIN, gather, Same),
    row("GatherNd", PLAIN, parts::gather_nd, Same),
    row("ScatterNd", NUMBERS, parts::scatter_nd, OfLargest(8)),
    row(
        "TensorScatterAdd",
        NUMBERS,
        parts::tensor_scatter_moderate,
        OfLargest(8),
    ),
    row(
        "TensorScatterSub",
        NUMBERS,
        parts::tensor_scatter_moderate,
        OfLargest(8),
    ),
    row("TensorScatterUpdate", PLAIN, parts::tensor_scatter, Same),
    row("DynamicPartition", PLAIN, parts::partition, Same),
    row("TopKV2", NUMBERS, parts::largest, Same),
    row("Where", PLAIN, not_scalar, Same),
    row("Identity", PLAIN, one, Same),
    row("StopGradient", PLAIN, one, Same),
    row("PreventGradient", PLAIN, one, Same),
    row("Snapshot", PLAIN, one, Same),
    row("IdentityN", PLAIN, several, Same),
    row("Assert", PLAIN, assertion, Same),
    row("CheckNumerics", FLOATS, named, Same),
    row("EnsureShape", PLAIN, ensure_shape, Same),
    row("Reshape", PLAIN, reshape, Same),
    row("ExpandDims", PLAIN, expand, Same),
    row("Squeeze", PLAIN, squeeze, Same),
    row("Transpose", PLAIN, transpose, Same),
    row("InvertPermutation", &[I32, I64], parts::permutation, Same),
    row("BroadcastTo", PLAIN, broadcast, Same),
    row("BroadcastGradientArgs", &[I32, I64], two_shapes, Same),
    row(
        "Tile",
        &[F32, F64, I8, I16, I32, I64, U8, U32, U64, Bool],
        tile,
        Same,
    ),
    row("Reverse", PLAIN, reverse_flagged, Same),
    row("ReverseV2", PLAIN, reverse, Same),
    row("Pad", PLAIN, pad, Same),
    row("PadV2", PLAIN, pad_with, Same),
    row("MirrorPad", PLAIN, parts::mirror, Same),
    row(
        "MirrorPadGrad",
        NUMBERS,
        parts::mirror_gradient,
        OfLargest(8),
    ),
    row("ReverseSequence", PLAIN, parts::reverse_sequence, Same),
    row("SpaceToDepth", PLAIN, parts::blocks, Same),
    row("DepthToSpace", PLAIN, parts::depths, Same),
    row("SpaceToBatchND", NUMBERS, images::to_batch, Same),
    row("BatchToSpaceND", NUMBERS, images::to_space, Same),
    row("MatrixBandPart", PLAIN, parts::band, Same),
    row("MatrixDiagV3", PLAIN, parts::matrix_of, Same),
    row("MatrixDiagPartV3", PLAIN, parts::diagonals_of, Same),
    row("MatrixSetDiagV3", PLAIN, parts::with_diagonals, Same),
    row("MatMul", COMMON, product, OfLargest(8)),
    row("BatchMatMul", COMMON, products, OfLargest(8)),
    row(
        "BatchMatMulV2",
        &[F32, F64, I16, I32, I64],
        products_broadcast,
        OfLargest(8),
    ),
    row(
        "BatchMatMulV3",
        &[F32, F64, I16, I32, I64],
        products_of_types,
        OfLargest(8),
    ),
    row("Einsum", COMMON, einsum, OfLargest(8)),
    row(
        "Conv2D",
        &[F32, F64, I32],
        images::convolution,
        OfLargest(16),
    ),
    row(
        "Conv2DBackpropInput",
        &[F32, F64, I32],
        images::convolution_images,
        OfLargest(16),
    ),
    row(
        "Conv2DBackpropFilter",
        FLOATS,
        images::convolution_filter,
        OfLargest(16),
    ),
    row(
        "Conv3D",
        FLOATS,
        images::convolution_of_space,
        OfLargest(16),
    ),
    row(
        "Conv3DBackpropInputV2",
        FLOATS,
        images::space_images,
        OfLargest(16),
    ),
    row(
        "Conv3DBackpropFilterV2",
        FLOATS,
        images::space_filter,
        OfLargest(16),
    ),
    row(
        "DepthwiseConv2dNative",
        FLOATS,
        images::depthwise,
        OfLargest(16),
    ),
    row(
        "DepthwiseConv2dNativeBackpropInput",
        FLOATS,
        images::depthwise_images,
        OfLargest(16),
    ),
    row(
        "DepthwiseConv2dNativeBackpropFilter",
        FLOATS,
        images::depthwise_filter,
        OfLargest(16),
    ),
    row("MaxPool", PIXELS, images::largest, Ulps(0)),
    row(
        "MaxPoolGrad",
        NUMBERS,
        images::largest_gradient,
        OfLargest(8),
    ),
    row("MaxPoolGradGrad", NUMBERS, images::largest_second, Same),
    row("MaxPool3D", &[F32], images::largest_of_space, Ulps(0)),
    row("AvgPool", FLOATS, images::mean, OfLargest(8)),
    row("AvgPoolGrad", FLOATS, images::mean_gradient, OfLargest(8)),
    row("AvgPool3D", &[F32], images::mean_of_space, OfLargest(8)),
    row("ResizeNearestNeighbor", PIXELS, images::resized, Same),
    row(
        "ResizeNearestNeighborGrad",
        &[F32, F64, I8, I32, U8],
        images::resized,
        OfLargest(8),
    ),
    row("ResizeBilinear", PIXELS, images::resized, OfLargest(8)),
    row(
        "ResizeBilinearGrad",
        &[F32],
        images::resized_bilinear_gradient,
        OfLargest(8),
    ),
    row("Cholesky", FLOATS, matrices::definite, OfLargest(64)),
    row("MatrixInverse", FLOATS, matrices::invertible, OfLargest(64)),
    row(
        "MatrixDeterminant",
        FLOATS,
        matrices::regular,
        OfLargest(64),
    ),
    row(
        "MatrixTriangularSolve",
        FLOATS,
        matrices::triangular,
        OfLargest(64),
    ),
    row("FusedBatchNormV3", &[F32], matrices::images, OfLargest(32)),
    row(
        "FusedBatchNormGradV3",
        &[F32],
        matrices::image_gradients,
        OfLargest(128),
    ),
    row("Relu", NUMBERS, one, Ulps(0)),
    row("Relu6", NUMBERS, one, Ulps(0)),
    row("Elu", FLOATS, one, OfOne(2)),
    row("Selu", FLOATS, one, OfOne(4)),
    row("Softplus", FLOATS, one, Ulps(16)),
    row("Softsign", FLOATS, one, Ulps(2)),
    row("Sigmoid", FLOATS, one, Ulps(12)),
    row("LeakyRelu", FLOATS, leaky, Same),
    row("ReluGrad", NUMBERS, two_alike, Same),
    row("Relu6Grad", NUMBERS, two_alike, Same),
    row("LeakyReluGrad", FLOATS, leaky_gradient, Same),
    row("EluGrad", FLOATS, two_moderate, Ulps(4)),
    row("SeluGrad", FLOATS, two_moderate, Ulps(4)),
    row("SoftplusGrad", FLOATS, two_moderate, Ulps(16)),
    row("SoftsignGrad", FLOATS, two_moderate, Ulps(4)),
    row("RsqrtGrad", FLOATS, two_moderate, Ulps(8)),
    row("ReciprocalGrad", FLOATS, two_moderate, Ulps(4)),
    row("InvGrad", FLOATS, two_moderate, Ulps(4)),
    row("SigmoidGrad", FLOATS, two_moderate, Ulps(4)),
    row("TanhGrad", FLOATS, two_moderate, Ulps(4)),
    row("SqrtGrad", FLOATS, two_moderate, Ulps(4)),
    row("Softmax", FLOATS, classes, Ulps(12)),
    row("LogSoftmax", FLOATS, classes, OfLargest(8)),
    row("BiasAdd", NUMBERS, bias, Same),
    row("BiasAddGrad", NUMBERS, bias_gradient, OfLargest(8)),
    row(
        "SparseSoftmaxCrossEntropyWithLogits",
        FLOATS,
        sparse_entropy,
        OfOne(16),
    ),
    row("SoftmaxCrossEntropyWithLogits", FLOATS, entropy, OfOne(64)),
    row("RandomUniform", FLOATS, seeded, Same),
    row("RandomStandardNormal", FLOATS, seeded, Ulps(16)),
    row("StatelessRandomUniform", FLOATS, stateless, Same),
    row("StatelessRandomNormal", FLOATS, stateless, Ulps(16)),
    row("StatelessRandomUniformV2", FLOATS, images::key, Same),
    row("StatelessRandomNormalV2", FLOATS, images::key, Ulps(16)),
    row("StatelessRandomGetKeyCounter", &[U64], images::seed, Same),
    row("EuclideanNorm", FLOATS, reduction, OfLargest(8)),
    row("Sum", NUMBERS, reduction, OfLargest(8)),
    row("Mean", NUMBERS, reduction, OfLargest(8)),
    row("Prod", NUMBERS, product_of_all, Ulps(64)),
    row("Max", NUMBERS, reduction_any, Ulps(0)),
    row("Min", NUMBERS, reduction_any, Ulps(0)),
    row("Cumsum", NUMBERS, scan, OfLargest(8)),
    row("Cumprod", NUMBERS, scan_small, Ulps(64)),
    row("All", TRUTH, reduction_any, Same),
    row("Any", TRUTH, reduction_any, Same),
    row("ArgMax", PLAIN, place, Same),
    row("ArgMin", PLAIN, place, Same),
    row("SegmentSum", NUMBERS, segments, OfLargest(8)),
    row("SegmentMean", FLOATS, segments, OfLargest(8)),
    row("SegmentProd", NUMBERS, segments_small, Ulps(64)),
    row("SegmentMax", NUMBERS, segments, Ulps(0)),
    row("SegmentMin", NUMBERS, segments, Ulps(0)),
    row(
        "UnsortedSegmentSum",
        NUMBERS,
        unsorted_segments,
        OfLargest(8),
    ),
    row(
        "UnsortedSegmentProd",
        NUMBERS,
        unsorted_segments_small,
        Ulps(64),
    ),
    row("UnsortedSegmentMax", NUMBERS, unsorted_segments, Ulps(0)),
    row("UnsortedSegmentMin", NUMBERS, unsorted_segments, Ulps(0)),
    row("L2Loss", FLOATS, moderate, OfLargest(8)),
];

/// Returns the rows of the operations that `TFX_KERNELS` lists, or all, and the number of calls of
/// each for each element type: `TFX_KERNEL_CALLS`, or a default.
pub(crate) fn chosen(calls: usize) -> (Vec<&'static Row>, usize) {
    let number = std::env::var("TFX_KERNEL_CALLS").ok();
    let number = number.and_then(|text| text.parse().ok()).unwrap_or(calls);
    let chosen = std::env::var("TFX_KERNELS").unwrap_or_default();
    let chosen: Vec<_> = chosen.split(',').filter(|name| !name.is_empty()).collect();
    let is_chosen = |row: &&Row| chosen.is_empty() || chosen.contains(&row.op);
    (TABLE.iter().filter(is_chosen).collect(), number)
}

/// The operations that are compiled to native code, each with the element types.
pub(crate) const NATIVE: &[(&str, &[DType])] = &[
    ("Abs", &[F32, F64, I32, I64]),
    ("Acos", &[F32, F64]),
    ("Acosh", &[F32, F64]),
    ("Add", &[F32, F64, I32, I64]),
    ("AddN", &[F32, F64, I32, I64]),
    ("AddV2", &[F32, F64, I32, I64]),
    ("All", &[Bool]),
    ("Any", &[Bool]),
    ("ArgMax", &[F32, F64, I32, I64, Bool]),
    ("ArgMin", &[F32, F64, I32, I64, Bool]),
    ("Asin", &[F32, F64]),
    ("Asinh", &[F32, F64]),
    ("Atan", &[F32, F64]),
    ("Atan2", &[F32, F64]),
    ("Atanh", &[F32, F64]),
    ("AvgPool", &[F32, F64]),
    ("AvgPoolGrad", &[F32, F64]),
    ("BatchMatMul", &[F32, F64, I32, I64]),
    ("BatchMatMulV2", &[F32, F64, I32, I64]),
    ("BatchMatMulV3", &[F32, F64, I32, I64]),
    ("BatchToSpaceND", &[F32, F64, I32, I64]),
    ("BiasAdd", &[F32, F64, I32, I64]),
    ("BiasAddGrad", &[F32, F64, I32, I64]),
    ("BitwiseAnd", &[I32, I64]),
    ("BitwiseOr", &[I32, I64]),
    ("BitwiseXor", &[I32, I64]),
    ("BroadcastTo", &[F32, F64, I32, I64, Bool]),
    ("Cast", &[F32, F64, I64, Bool]),
    ("Ceil", &[F32, F64]),
    ("ClipByValue", &[F32, F64, I32, I64]),
    ("ConcatV2", &[F32, F64, I32, I64, Bool]),
    ("Conv2D", &[F32, F64]),
    ("Conv2DBackpropFilter", &[F32, F64]),
    ("Conv2DBackpropInput", &[F32, F64]),
    ("Cos", &[F32, F64]),
    ("Cosh", &[F32, F64]),
    ("Cumprod", &[F32, F64, I32, I64]),
    ("Cumsum", &[F32, F64, I32, I64]),
    ("DepthToSpace", &[F32, F64, I32, I64, Bool]),
    ("DepthwiseConv2dNative", &[F32, F64]),
    ("DepthwiseConv2dNativeBackpropFilter", &[F32, F64]),
    ("DepthwiseConv2dNativeBackpropInput", &[F32, F64]),
    ("Div", &[F32, F64]),
    ("DivNoNan", &[F32, F64]),
    ("Einsum", &[F32, F64, I32, I64]),
    ("Elu", &[F32, F64]),
    ("EluGrad", &[F32, F64]),
    ("EnsureShape", &[F32, F64, I32, I64, Bool]),
    ("Equal", &[F32, F64, I32, I64, Bool]),
    ("Erf", &[F32, F64]),
    ("Erfc", &[F32, F64]),
    ("Exp", &[F32, F64]),
    ("ExpandDims", &[F32, F64, I32, I64, Bool]),
    ("Expm1", &[F32, F64]),
    ("Fill", &[F32, F64, I32, I64, Bool]),
    ("Floor", &[F32, F64]),
    ("FloorDiv", &[F32, F64, I32, I64]),
    ("FloorMod", &[F32, F64, I32, I64]),
    ("FusedBatchNormGradV3", &[F32]),
    ("FusedBatchNormV3", &[F32]),
    ("Gather", &[F32, F64, I32, I64, Bool]),
    ("GatherNd", &[F32, F64, I32, I64, Bool]),
    ("GatherV2", &[F32, F64, I32, I64, Bool]),
    ("Greater", &[F32, F64, I32, I64]),
    ("GreaterEqual", &[F32, F64, I32, I64]),
    ("Identity", &[F32, F64, I32, I64, Bool]),
    ("Inv", &[F32, F64]),
    ("InvGrad", &[F32, F64]),
    ("Invert", &[I32, I64]),
    ("IsFinite", &[F32, F64]),
    ("IsInf", &[F32, F64]),
    ("IsNan", &[F32, F64]),
    ("LeakyRelu", &[F32, F64]),
    ("LeakyReluGrad", &[F32, F64]),
    ("LeftShift", &[I32, I64]),
    ("Less", &[F32, F64, I32, I64]),
    ("LessEqual", &[F32, F64, I32, I64]),
    ("Log", &[F32, F64]),
    ("Log1p", &[F32, F64]),
    ("LogSoftmax", &[F32, F64]),
    ("LogicalAnd", &[Bool]),
    ("LogicalNot", &[Bool]),
    ("LogicalOr", &[Bool]),
    ("MatMul", &[F32, F64, I32, I64]),
    ("Max", &[F32, F64, I32, I64]),
    ("MaxPool", &[F32, F64, I32, I64]),
    ("MaxPoolGrad", &[F32, F64, I32, I64]),
    ("Maximum", &[F32, F64, I32, I64]),
    ("Mean", &[F32, F64]),
    ("Min", &[F32, F64, I32, I64]),
    ("Minimum", &[F32, F64, I32, I64]),
    ("MirrorPad", &[F32, F64, I32, I64, Bool]),
    ("Mod", &[F32, F64, I32, I64]),
    ("Mul", &[F32, F64, I32, I64]),
    ("MulNoNan", &[F32, F64]),
    ("Neg", &[F32, F64, I32, I64]),
    ("NotEqual", &[F32, F64, I32, I64, Bool]),
    ("OneHot", &[F32, F64, I32, I64, Bool]),
    ("OnesLike", &[F32, F64, I32, I64, Bool]),
    ("Pack", &[F32, F64, I32, I64, Bool]),
    ("Pad", &[F32, F64, I32, I64, Bool]),
    ("PadV2", &[F32, F64, I32, I64, Bool]),
    ("Pow", &[F32, F64]),
    ("PreventGradient", &[F32, F64, I32, I64, Bool]),
    ("Prod", &[F32, F64, I32, I64]),
    ("RealDiv", &[F32, F64]),
    ("Reciprocal", &[F32, F64]),
    ("ReciprocalGrad", &[F32, F64]),
    ("Relu", &[F32, F64, I32, I64]),
    ("Relu6", &[F32, F64, I32, I64]),
    ("Relu6Grad", &[F32, F64, I32, I64]),
    ("ReluGrad", &[F32, F64, I32, I64]),
    ("Reshape", &[F32, F64, I32, I64, Bool]),
    ("ResizeBilinear", &[F32]),
    ("ResizeNearestNeighbor", &[F32, F64, I32, I64]),
    ("RightShift", &[I32, I64]),
    ("ReverseV2", &[F32, F64, I32, I64, Bool]),
    ("Rint", &[F32, F64]),
    ("Round", &[F32, F64]),
    ("Rsqrt", &[F32, F64]),
    ("RsqrtGrad", &[F32, F64]),
    ("ScatterNd", &[F32, F64, I32, I64]),
    ("SegmentProd", &[F32, F64, I32, I64]),
    ("SegmentSum", &[F32, F64, I32, I64]),
    ("Select", &[F32, F64, I32, I64, Bool]),
    ("SelectV2", &[F32, F64, I32, I64, Bool]),
    ("Selu", &[F32, F64]),
    ("SeluGrad", &[F32, F64]),
    ("Shape", &[F32, F64, I32, I64, Bool]),
    ("Sigmoid", &[F32, F64]),
    ("SigmoidGrad", &[F32, F64]),
    ("Sign", &[F32, F64, I32, I64]),
    ("Sin", &[F32, F64]),
    ("Sinh", &[F32, F64]),
    ("Size", &[F32, F64, I32, I64, Bool]),
    ("Slice", &[F32, F64, I32, I64, Bool]),
    ("Snapshot", &[F32, F64, I32, I64, Bool]),
    ("Softmax", &[F32, F64]),
    ("SoftmaxCrossEntropyWithLogits", &[F32, F64]),
    ("Softplus", &[F32, F64]),
    ("SoftplusGrad", &[F32, F64]),
    ("Softsign", &[F32, F64]),
    ("SoftsignGrad", &[F32, F64]),
    ("SpaceToBatchND", &[F32, F64, I32, I64]),
    ("SpaceToDepth", &[F32, F64, I32, I64, Bool]),
    ("SparseSoftmaxCrossEntropyWithLogits", &[F32, F64]),
    ("Split", &[F32, F64, I32, I64, Bool]),
    ("SplitV", &[F32, F64, I32, I64, Bool]),
    ("Sqrt", &[F32, F64]),
    ("SqrtGrad", &[F32, F64]),
    ("Square", &[F32, F64, I32, I64]),
    ("SquaredDifference", &[F32, F64, I32, I64]),
    ("Squeeze", &[F32, F64, I32, I64, Bool]),
    ("StatelessRandomNormal", &[F32, F64]),
    ("StatelessRandomUniform", &[F32, F64]),
    ("StopGradient", &[F32, F64, I32, I64, Bool]),
    ("StridedSlice", &[F32, F64, I32, I64, Bool]),
    ("StridedSliceGrad", &[F64, I32, I64, Bool]),
    ("Sub", &[F32, F64, I32, I64]),
    ("Sum", &[F32, F64, I32, I64]),
    ("Tan", &[F32, F64]),
    ("Tanh", &[F32, F64]),
    ("TanhGrad", &[F32, F64]),
    ("TensorScatterAdd", &[F32, F64, I32, I64]),
    ("TensorScatterSub", &[F32, F64, I32, I64]),
    ("TensorScatterUpdate", &[F32, F64, I32, I64, Bool]),
    ("Tile", &[F32, F64, I32, I64, Bool]),
    ("Transpose", &[F32, F64, I32, I64, Bool]),
    ("TruncateDiv", &[I32, I64]),
    ("TruncateMod", &[F32, F64, I32, I64]),
    ("Unpack", &[F32, F64, I32, I64, Bool]),
    ("UnsortedSegmentMax", &[F32, F64, I32, I64]),
    ("UnsortedSegmentMin", &[F32, F64, I32, I64]),
    ("UnsortedSegmentProd", &[F32, F64, I32, I64]),
    ("UnsortedSegmentSum", &[F32, F64, I32, I64]),
    ("Xdivy", &[F32, F64]),
    ("Xlog1py", &[F32, F64]),
    ("Xlogy", &[F32, F64]),
    ("ZerosLike", &[F32, F64, I32, I64, Bool]),
];

// Inputs of many operations.

pub(crate) fn numbers(values: &[i64], dtype: DType) -> Tensor {
    let built = match dtype {
        I32 => Tensor::build(&[values.len()], |elements: &mut [i32]| {
            for (element, value) in elements.iter_mut().zip(values) {
                *element = *value as i32;
            }
        }),
        _ => Tensor::from_slice(&[values.len()], values),
    };
    built.expect("a list is a vector")
}

/// A list of numbers of a random type.
pub(crate) fn list(data: &mut Data, values: &[i64]) -> Tensor {
    let dtype = *data.pick(&[I32, I64]);
    numbers(values, dtype)
}

pub(crate) fn scalar(data: &mut Data, value: i64) -> Tensor {
    list(data, &[value]).reshaped(&[]).expect("one element")
}

pub(crate) fn sizes(shape: &[usize]) -> Vec<i64> {
    shape.iter().map(|&size| size as i64).collect()
}

pub(crate) fn ints(values: &[i64]) -> Value {
    Value::list(ListValue {
        i: values.to_vec(),
        ..ListValue::default()
    })
}

/// A position from the first one to the end, counted from either end.
pub(crate) fn axis(data: &mut Data, places: usize) -> i64 {
    let axis = data.below(places.max(1)) as i64;
    match data.chance(40) {
        true => axis - places as i64,
        false => axis,
    }
}

/// Some dimensions, each counted from either end.
fn axes(data: &mut Data, rank: usize) -> Vec<i64> {
    let rank = rank as i64;
    let mut axes: Vec<i64> = (0..rank).filter(|_| data.chance(50)).collect();
    for axis in &mut axes {
        if data.chance(30) {
            *axis -= rank;
        }
    }
    axes
}

// Element by element.

fn one(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(0);
    Made::of([data.tensor(dtype, &shape)])
}

fn finite(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(0);
    Made::of([data.tensor_of(dtype, &shape, Values::Finite)])
}

fn moderate(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(0);
    Made::of([data.tensor_of(dtype, &shape, Values::Moderate)])
}

fn two(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(0);
    let shapes = [data.broadcast(&shape), data.broadcast(&shape)];
    Made::of(shapes.map(|shape| data.tensor(dtype, &shape)))
}

fn two_alike(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(0);
    Made::of([data.tensor(dtype, &shape), data.tensor(dtype, &shape)])
}

fn two_moderate(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(0);
    Made::of([(); 2].map(|()| data.tensor_of(dtype, &shape, Values::Moderate)))
}

fn not_scalar(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(1);
    Made::of([data.tensor(dtype, &shape)])
}

/// The least integer by -1 has no quotient, at which TensorFlow ends by a signal. By 0 both must
/// fail, which is tried now and then.
fn quotient(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(0);
    let shapes = [data.broadcast(&shape), data.broadcast(&shape)];
    let inputs = shapes.map(|shape| match FLOATS.contains(&dtype) {
        true => data.tensor_of(dtype, &shape, Values::Moderate),
        false => data.tensor(dtype, &shape),
    });
    let mut made = Made::of(Vec::from(inputs));
    let keeps_zeros = data.chance(20);
    macro_rules! tame {
        ($($rust:ty),*) => {$(
            if let Some(elements) = made.inputs[0].values_mut::<$rust>() {
                elements.iter_mut().for_each(|element| *element = (*element).max(<$rust>::MIN + 1));
            }
            if let Some(elements) = made.inputs[1].values_mut::<$rust>() && !keeps_zeros {
                elements.iter_mut().for_each(|element| if *element == 0 { *element = 1 });
            }
        )*};
    }
    tame!(i8, i16, i32, i64, u8, u16, u32, u64);
    made
}

/// Integers to a power that is not negative, mostly.
fn power(data: &mut Data, dtype: DType) -> Made {
    let made = two(data, dtype);
    if FLOATS.contains(&dtype) || data.chance(20) {
        return made;
    }
    let shape = made.inputs[1].shape().to_vec();
    let power = data.tensor_of(dtype, &shape, Values::Small);
    Made::of([made.inputs[0].clone(), power])
}

fn select(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(0);
    let condition = match data.below(3) {
        0 => Vec::new(),
        1 => shape[..shape.len().min(1)].to_vec(),
        _ => shape.clone(),
    };
    Made::of([
        data.tensor(Bool, &condition),
        data.tensor(dtype, &shape),
        data.tensor(dtype, &shape),
    ])
}

fn select_broadcast(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(0);
    let [condition, one, other] = [(); 3].map(|()| data.broadcast(&shape));
    Made::of([
        data.tensor(Bool, &condition),
        data.tensor(dtype, &one),
        data.tensor(dtype, &other),
    ])
}

fn same_shapes(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(0);
    let count = 1 + data.below(4);
    let one = |_| data.tensor_of(dtype, &shape, Values::Moderate);
    Made::of((0..count).map(one).collect::<Vec<_>>())
}

fn clip(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(0);
    let bound = match data.chance(50) {
        true => Vec::new(),
        false => shape.clone(),
    };
    Made::of([
        data.tensor(dtype, &shape),
        data.tensor_of(dtype, &bound, Values::Unit),
        data.tensor_of(dtype, &bound, Values::Small),
    ])
}

fn cast(data: &mut Data, dtype: DType) -> Made {
    let to = *data.pick(PLAIN);
    let shape = data.shape(0);
    let values = match FLOATS.contains(&dtype) && INTEGERS.contains(&to) {
        true if [U8, U16, U32, U64].contains(&to) => Values::Small,
        true => Values::Unit,
        false => Values::Any,
    };
    Made::of([data.tensor_of(dtype, &shape, values)]).with("DstT", Value::Type(to.tensorflow()))
}

fn bitcast(data: &mut Data, dtype: DType) -> Made {
    let to = *data.pick(NUMBERS);
    let mut shape = data.shape(0);
    if to.size() > dtype.size() && data.chance(90) {
        shape.truncate(3);
        shape.push(to.size() / dtype.size());
    }
    Made::of([data.tensor(dtype, &shape)]).with("type", Value::Type(to.tensorflow()))
}

fn leaky(data: &mut Data, dtype: DType) -> Made {
    let alpha = *data.pick(&[0.0, 0.2, 1.0, -0.5]);
    one(data, dtype).with("alpha", Value::F(alpha))
}

fn leaky_gradient(data: &mut Data, dtype: DType) -> Made {
    let alpha = *data.pick(&[0.0, 0.2, 1.0, -0.5]);
    two_alike(data, dtype).with("alpha", Value::F(alpha))
}

// Creation and shapes of tensors.

fn fill(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(0);
    let shape = list(data, &sizes(&shape));
    Made::of([shape, data.tensor(dtype, &[])])
}

fn range(data: &mut Data, dtype: DType) -> Made {
    // Up from 0, or in the wrong direction.
    let (from, to) = match data.chance(50) {
        true => (
            Tensor::zeros(dtype, &[]).expect("one element"),
            Values::Small,
        ),
        false => (data.tensor_of(dtype, &[], Values::Unit), Values::Unit),
    };
    let ends = [to, Values::Small].map(|values| data.tensor_of(dtype, &[], values));
    Made::of([&[from], &ends[..]].concat())
}

fn line(data: &mut Data, dtype: DType) -> Made {
    let ends = [(); 2].map(|()| data.tensor_of(dtype, &[], Values::Unit));
    let count = 1 + data.below(20) as i64;
    let count = scalar(data, count);
    Made::of([&ends[..], &[count]].concat())
}

fn one_hot(data: &mut Data, dtype: DType) -> Made {
    let mut shape = data.shape(0);
    shape.truncate(3);
    let of = *data.pick(&[I32, I64, U8]);
    let depth = Tensor::scalar(data.below(5) as i32);
    let place = data.below(shape.len() + 2) as i64 - 1;
    Made::of([
        data.tensor_of(of, &shape, Values::Unit),
        depth,
        data.tensor(dtype, &[]),
        data.tensor(dtype, &[]),
    ])
    .with("axis", Value::I(place))
}

fn with_out_type(data: &mut Data, dtype: DType) -> Made {
    let out = *data.pick(&[I32, I64]);
    one(data, dtype).with("out_type", Value::Type(out.tensorflow()))
}

fn seeded(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(0);
    let (seed, other) = (1 + data.below(1 << 40) as i64, data.below(1 << 40) as i64);
    Made::of([list(data, &sizes(&shape))])
        .with("dtype", Value::Type(dtype.tensorflow()))
        .with("seed", Value::I(seed))
        .with("seed2", Value::I(other))
}

fn stateless(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(0);
    let seeds = [data.next_u64() as i64, data.next_u64() as i64];
    let shape = list(data, &sizes(&shape));
    Made::of([shape, list(data, &seeds)]).with("dtype", Value::Type(dtype.tensorflow()))
}

// Parts of tensors.

fn several(data: &mut Data, dtype: DType) -> Made {
    let count = 1 + data.below(4);
    let one = |_| {
        let shape = data.shape(0);
        data.tensor(dtype, &shape)
    };
    Made::of((0..count).map(one).collect::<Vec<_>>())
}

fn pack(data: &mut Data, dtype: DType) -> Made {
    let mut shape = data.shape(0);
    shape.truncate(3);
    let count = 1 + data.below(4);
    let inputs: Vec<_> = (0..count).map(|_| data.tensor(dtype, &shape)).collect();
    let axis = axis(data, shape.len() + 1);
    Made::of(inputs).with("axis", Value::I(axis))
}

fn unpack(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(1);
    let axis = axis(data, shape.len());
    let count = shape[axis.rem_euclid(shape.len() as i64) as usize];
    Made::of([data.tensor(dtype, &shape)])
        .with("num", Value::I(count as i64))
        .with("axis", Value::I(axis))
}

/// Tensors that differ in one dimension, and which one that is.
fn parts(data: &mut Data, dtype: DType) -> (Vec<Tensor>, i64) {
    let shape = data.shape(1);
    let axis = axis(data, shape.len());
    let place = axis.rem_euclid(shape.len() as i64) as usize;
    let count = 2 + data.below(3);
    let part = |_| {
        let mut shape = shape.clone();
        shape[place] = data.below(4);
        data.tensor(dtype, &shape)
    };
    ((0..count).map(part).collect(), axis)
}

fn concat_first(data: &mut Data, dtype: DType) -> Made {
    let (parts, axis) = parts(data, dtype);
    Made::of([vec![Tensor::scalar(axis as i32)], parts].concat())
}

fn concat_last(data: &mut Data, dtype: DType) -> Made {
    let (parts, axis) = parts(data, dtype);
    Made::of([parts, vec![scalar(data, axis)]].concat())
}

fn split(data: &mut Data, dtype: DType) -> Made {
    let mut shape = data.shape(1);
    let axis = axis(data, shape.len());
    let count = 1 + data.below(4);
    let place = axis.rem_euclid(rank_of(&shape)) as usize;
    shape[place] = count * data.below(3);
    Made::of([Tensor::scalar(axis as i32), data.tensor(dtype, &shape)])
        .with("num_split", Value::I(count as i64))
}

fn rank_of(shape: &[usize]) -> i64 {
    shape.len() as i64
}

fn slice(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(0);
    let of = *data.pick(&[I32, I64]);
    let (mut begins, mut sizes) = (Vec::new(), Vec::new());
    for &size in &shape {
        let begin = data.below(size + 1);
        begins.push(begin as i64);
        sizes.push(match data.chance(20) {
            true => -1,
            false => data.below(size - begin + 1) as i64,
        });
    }
    Made::of([
        data.tensor(dtype, &shape),
        numbers(&begins, of),
        numbers(&sizes, of),
    ])
}

pub(crate) fn strided_slice(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(1);
    let of = *data.pick(&[I32, I64]);
    let count = 1 + data.below(shape.len());
    let mut lists = [(); 3].map(|()| Vec::new());
    for _ in 0..count {
        lists[0].push(data.below(9) as i64 - 4);
        lists[1].push(data.below(9) as i64 - 4);
        lists[2].push(*data.pick(&[1, 1, 1, 2, -1, -2]));
    }
    let all = 1 << count;
    let mut made = Made::of([data.tensor(dtype, &shape)]);
    made.inputs.extend(lists.map(|list| numbers(&list, of)));
    let ellipsis = match data.chance(20) {
        true => 1 << data.below(count),
        false => 0,
    };
    // Each of more draws has to have a bit.
    let rarely =
        |data: &mut Data, draws| (0..draws).fold(-1, |mask, _| mask & data.below(all) as i64);
    for (name, mask) in [
        ("begin_mask", data.below(all) as i64),
        ("end_mask", data.below(all) as i64),
        ("ellipsis_mask", ellipsis),
        ("new_axis_mask", rarely(data, 3)),
        ("shrink_axis_mask", rarely(data, 2)),
    ] {
        made = made.with(name, Value::I(mask));
    }
    made
}

/// Positions in `count` elements; rarely one out of bounds.
fn places(data: &mut Data, count: usize) -> Tensor {
    let mut shape = data.shape(0);
    shape.truncate(2);
    let beyond = data.chance(3);
    let elements = shape.iter().product::<usize>();
    let places: Vec<i64> = (0..elements)
        .map(|_| data.below(count.max(1) + usize::from(beyond)) as i64)
        .collect();
    let list = list(data, &places);
    list.reshaped(&shape).expect("as many elements")
}

fn segments(data: &mut Data, dtype: DType) -> Made {
    sorted_segments_of(data, dtype, Values::Unit)
}

fn segments_small(data: &mut Data, dtype: DType) -> Made {
    sorted_segments_of(data, dtype, Values::Small)
}

/// Rows with numbers in order, some of them missing; rarely one that is not in order.
fn sorted_segments_of(data: &mut Data, dtype: DType, values: Values) -> Made {
    let shape = data.shape(1);
    let mut number = data.below(2) as i64;
    let mut numbers = Vec::new();
    for _ in 0..shape[0] {
        numbers.push(number);
        number += data.below(3) as i64 - i64::from(data.chance(2));
    }
    let numbers = list(data, &numbers);
    Made::of(vec![data.tensor_of(dtype, &shape, values), numbers])
}

fn unsorted_segments(data: &mut Data, dtype: DType) -> Made {
    unsorted_segments_of(data, dtype, Values::Unit)
}

fn unsorted_segments_small(data: &mut Data, dtype: DType) -> Made {
    unsorted_segments_of(data, dtype, Values::Small)
}

/// Rows with numbers in any order; some are negative, and rarely one is too large.
fn unsorted_segments_of(data: &mut Data, dtype: DType, values: Values) -> Made {
    let shape = data.shape(0);
    let outer = &shape[..data.below(shape.len() + 1)];
    let count = 1 + data.below(5) as i64;
    let rows: usize = outer.iter().product();
    let most = count as usize + 1 + usize::from(data.chance(5));
    let numbers: Vec<i64> = (0..rows).map(|_| data.below(most) as i64 - 1).collect();
    let numbers = list(data, &numbers);
    let numbers = numbers.reshaped(outer).expect("as many elements");
    let count = scalar(data, count);
    Made::of(vec![data.tensor_of(dtype, &shape, values), numbers, count])
}

fn gather(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(1);
    let places = places(data, shape[0]);
    Made::of([data.tensor(dtype, &shape), places])
}

fn gather_along(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(1);
    let axis = axis(data, shape.len());
    let place = axis.rem_euclid(rank_of(&shape)) as usize;
    let mut places = places(data, shape[place]);
    // More batch dimensions than dimensions end TensorFlow.
    let batch = if data.chance(30) {
        data.below(place + 1)
    } else {
        0
    };
    if batch > 0 {
        let mut sizes = shape[..batch].to_vec();
        sizes.push(data.below(3));
        let count = sizes.iter().product();
        let numbers: Vec<i64> = (0..count)
            .map(|_| data.below(shape[place].max(1)) as i64)
            .collect();
        places = list(data, &numbers)
            .reshaped(&sizes)
            .expect("as many elements");
    }
    let axis = scalar(data, axis);
    Made::of([data.tensor(dtype, &shape), places, axis]).with("batch_dims", Value::I(batch as i64))
}

// The same elements in another shape.

fn ensure_shape(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(0);
    let dims = shape.iter().map(|&size| Dim {
        size: if data.chance(30) { -1 } else { size as i64 },
        name: String::new(),
    });
    let wanted = TensorShapeProto {
        dim: dims.collect(),
        unknown_rank: false,
    };
    Made::of([data.tensor(dtype, &shape)]).with("shape", Value::Shape(wanted))
}

fn reshape(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(0);
    let mut wanted = sizes(&shape);
    wanted.reverse();
    match data.below(5) {
        0 => wanted = vec![-1],
        1 => wanted.push(1),
        2 if !wanted.is_empty() => {
            let place = data.below(wanted.len());
            wanted[place] = -1;
        }
        3 => wanted = vec![2, -1],
        _ => {}
    }
    Made::of([data.tensor(dtype, &shape), list(data, &wanted)])
}

fn expand(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(0);
    let axis = axis(data, shape.len() + 1);
    Made::of([data.tensor(dtype, &shape), scalar(data, axis)])
}

fn squeeze(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(0);
    let shape: Vec<usize> = shape
        .into_iter()
        .map(|size| if data.chance(40) { 1 } else { size })
        .collect();
    let rank = shape.len() as i64;
    let ones = (0..shape.len()).filter(|&place| shape[place] == 1);
    let wanted: Vec<i64> = ones
        .map(|place| place as i64 - if data.chance(30) { rank } else { 0 })
        .collect();
    let some = data.below(wanted.len() + 1);
    Made::of([data.tensor(dtype, &shape)]).with("squeeze_dims", ints(&wanted[..some]))
}

fn transpose(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(0);
    let mut order: Vec<i64> = (0..shape.len() as i64).collect();
    for last in (1..order.len()).rev() {
        order.swap(last, data.below(last + 1));
    }
    Made::of([data.tensor(dtype, &shape), list(data, &order)])
}

fn broadcast(data: &mut Data, dtype: DType) -> Made {
    let to = data.shape(0);
    let from = data.broadcast(&to);
    Made::of([data.tensor(dtype, &from), list(data, &sizes(&to))])
}

fn two_shapes(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(0);
    let shapes = [data.broadcast(&shape), data.broadcast(&shape)];
    Made::of(shapes.map(|shape| numbers(&sizes(&shape), dtype)))
}

fn tile(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(0);
    let times: Vec<i64> = shape.iter().map(|_| *data.pick(&[1, 1, 2, 3, 0])).collect();
    Made::of([data.tensor(dtype, &shape), list(data, &times)])
}

/// A flag for each dimension, rarely one too many.
fn reverse_flagged(data: &mut Data, dtype: DType) -> Made {
    let mut shape = data.shape(0);
    // Without rows, TensorFlow rejects the tensor.
    if let Some(rows) = shape.first_mut() {
        *rows += usize::from(*rows == 0);
    }
    let count = shape.len() + usize::from(data.chance(3));
    let flags = data.tensor(Bool, &[count]);
    Made::of([data.tensor(dtype, &shape), flags])
}

fn reverse(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(0);
    let axes = axes(data, shape.len());
    Made::of([data.tensor(dtype, &shape), list(data, &axes)])
}

fn pad(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(0);
    let widths: Vec<i64> = (0..2 * shape.len()).map(|_| data.below(3) as i64).collect();
    let widths = list(data, &widths);
    let widths = widths
        .reshaped(&[shape.len(), 2])
        .expect("two for each dimension");
    Made::of([data.tensor(dtype, &shape), widths])
}

fn pad_with(data: &mut Data, dtype: DType) -> Made {
    let mut made = pad(data, dtype);
    made.inputs.push(data.tensor(dtype, &[]));
    made
}

fn several_with_out_type(data: &mut Data, dtype: DType) -> Made {
    let count = 1 + data.below(3);
    let shapes: Vec<_> = (0..count).map(|_| data.shape(0)).collect();
    let inputs: Vec<_> = shapes
        .iter()
        .map(|shape| data.tensor(dtype, shape))
        .collect();
    let out = *data.pick(&[I32, I64]);
    Made::of(inputs).with("out_type", Value::Type(out.tensorflow()))
}

/// A condition that is mostly true, and tensors.
fn assertion(data: &mut Data, dtype: DType) -> Made {
    const WRONG: &[&[usize]] = &[&[1], &[2], &[0]];
    let shape = match data.chance(90) {
        true => &[],
        false => *data.pick(WRONG),
    };
    let holds = vec![tfx_interpreter::Bool::from(data.chance(80)); shape.iter().product()];
    let condition = Tensor::from_slice(shape, &holds).expect("as many elements");
    let others = several(data, dtype).inputs;
    Made::of([vec![condition], others].concat())
}

/// Numbers that are finite half of the time.
fn named(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(0);
    let values = if data.chance(50) {
        Values::Unit
    } else {
        Values::Any
    };
    let message = Value::S(b"here".to_vec());
    Made::of([data.tensor_of(dtype, &shape, values)]).with("message", message)
}

/// Numbers from -1 to 1 and beyond, with those at the ends, but none near them.
fn within_one(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(0);
    macro_rules! scaled {
        ($rust:ty) => {{
            let tensor = data.tensor_of(dtype, &shape, Values::Moderate);
            let scaled = tensor
                .values()
                .expect("floats")
                .iter()
                .map(|x: &$rust| x / 2.5);
            let scaled = scaled.map(|x| match x.abs() > 0.99 && x.abs() < 1.0 {
                true => x.round() * 0.99,
                false => x,
            });
            let values: Vec<$rust> = scaled.collect();
            Tensor::from_slice(&shape, &values).expect("as many elements")
        }};
    }
    Made::of([match dtype {
        F32 => scaled!(f32),
        _ => scaled!(f64),
    }])
}

/// The order of a derivative, and numbers: positive ones, or orders up to 1, since the terms of
/// others cancel each other.
fn order(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(0);
    let count = shape.iter().product();
    let (orders, values) = match data.chance(50) {
        true => (6, Values::Small),
        false => (2, Values::Moderate),
    };
    macro_rules! orders {
        ($rust:ty) => {{
            let values: Vec<$rust> = (0..count).map(|_| data.below(orders) as $rust).collect();
            Tensor::from_slice(&shape, &values).expect("as many elements")
        }};
    }
    let orders = match dtype {
        F32 => orders!(f32),
        _ => orders!(f64),
    };
    Made::of([orders, data.tensor_of(dtype, &shape, values)])
}

// Sums.

/// Two matrices or batches of them, and attributes that say which are transposed.
fn matrices(
    data: &mut Data,
    dtype: DType,
    batches: impl FnOnce(&mut Data) -> [Vec<usize>; 2],
    names: [&'static str; 2],
) -> Made {
    let [rows, inner, columns] = [(); 3].map(|()| data.dimension());
    let mut shapes = batches(data);
    let transposed = [data.chance(50), data.chance(50)];
    let sides = [[rows, inner], [inner, columns]];
    for ((shape, mut side), transposed) in shapes.iter_mut().zip(sides).zip(transposed) {
        if transposed {
            side.reverse();
        }
        shape.extend(side);
    }
    Made::of(shapes.map(|shape| data.tensor_of(dtype, &shape, Values::Moderate)))
        .with(names[0], Value::B(transposed[0]))
        .with(names[1], Value::B(transposed[1]))
}

fn product(data: &mut Data, dtype: DType) -> Made {
    let none = |_: &mut Data| [Vec::new(), Vec::new()];
    matrices(data, dtype, none, ["transpose_a", "transpose_b"])
}

fn products_of(data: &mut Data, dtype: DType, broadcasts: bool) -> Made {
    let batches = |data: &mut Data| {
        let mut batch = data.shape(0);
        batch.truncate(2);
        match broadcasts {
            true => [data.broadcast(&batch), data.broadcast(&batch)],
            false => [batch.clone(), batch],
        }
    };
    matrices(data, dtype, batches, ["adj_x", "adj_y"])
}

fn products(data: &mut Data, dtype: DType) -> Made {
    products_of(data, dtype, false)
}

fn products_broadcast(data: &mut Data, dtype: DType) -> Made {
    products_of(data, dtype, true)
}

fn products_of_types(data: &mut Data, dtype: DType) -> Made {
    let number = Value::Type(dtype.tensorflow());
    let names = ["Ta", "Tb", "Tout"];
    let made = products_of(data, dtype, true);
    names
        .into_iter()
        .fold(made, |made, name| made.with(name, number.clone()))
}

/// Equations, with the dimensions that each operand has for an ellipsis.
const EQUATIONS: &[&str] = &[
    "ij,jk->ik",
    "ij,kj->ki",
    "bij,bjk->bik",
    "i,j->ij",
    "i,i->",
    "ij->ji",
    "ij->i",
    "ii->i",
    "ii->",
    "ij,ij->ij",
    "...ij,...jk->...ik",
    "...i,i->...",
    "a...b->b...a",
    "ijk,jl->kil",
];

fn einsum(data: &mut Data, dtype: DType) -> Made {
    let equation = *data.pick(EQUATIONS);
    let sizes: Vec<usize> = (0..26).map(|_| data.dimension().min(4)).collect();
    let mut hidden = data.shape(0);
    hidden.truncate(2);
    let (operands, _) = equation.split_once("->").expect("an arrow");
    let mut inputs = Vec::new();
    for labels in operands.split(',') {
        let mut shape = Vec::new();
        for label in labels.replace("...", ".").chars() {
            match label {
                '.' => shape.extend(data.broadcast(&hidden)),
                _ => shape.push(sizes[label as usize - 'a' as usize]),
            }
        }
        if data.chance(3) {
            shape.push(2);
        }
        inputs.push(data.tensor_of(dtype, &shape, Values::Moderate));
    }
    Made::of(inputs).with("equation", Value::S(equation.as_bytes().to_vec()))
}

fn scan_of(data: &mut Data, dtype: DType, values: Values) -> Made {
    let shape = data.shape(1);
    let beyond = usize::from(data.chance(2));
    let axis = axis(data, shape.len() + beyond);
    let flags = [data.chance(50), data.chance(50)];
    Made::of([data.tensor_of(dtype, &shape, values), scalar(data, axis)])
        .with("exclusive", Value::B(flags[0]))
        .with("reverse", Value::B(flags[1]))
}

fn scan(data: &mut Data, dtype: DType) -> Made {
    scan_of(data, dtype, Values::Moderate)
}

fn scan_small(data: &mut Data, dtype: DType) -> Made {
    scan_of(data, dtype, Values::Small)
}

fn reduction_of(data: &mut Data, dtype: DType, values: Values) -> Made {
    let shape = data.shape(0);
    let axes = axes(data, shape.len());
    let keep = data.chance(50);
    Made::of([data.tensor_of(dtype, &shape, values), list(data, &axes)])
        .with("keep_dims", Value::B(keep))
}

fn reduction(data: &mut Data, dtype: DType) -> Made {
    reduction_of(data, dtype, Values::Moderate)
}

fn reduction_any(data: &mut Data, dtype: DType) -> Made {
    reduction_of(data, dtype, Values::Any)
}

fn product_of_all(data: &mut Data, dtype: DType) -> Made {
    let values = match FLOATS.contains(&dtype) {
        true => Values::Small,
        false => Values::Any,
    };
    reduction_of(data, dtype, values)
}

fn place(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(1);
    let axis = axis(data, shape.len());
    let out = *data.pick(&[I32, I64]);
    Made::of([data.tensor(dtype, &shape), scalar(data, axis)])
        .with("output_type", Value::Type(out.tensorflow()))
}

// Layers.

fn classes(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(1);
    Made::of([data.tensor_of(dtype, &shape, Values::Moderate)])
}

fn bias(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(2);
    let last = shape[shape.len() - 1];
    Made::of([data.tensor(dtype, &shape), data.tensor(dtype, &[last])])
}

fn bias_gradient(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(2);
    Made::of([data.tensor_of(dtype, &shape, Values::Moderate)])
}

fn sparse_entropy(data: &mut Data, dtype: DType) -> Made {
    let (rows, classes) = (data.dimension(), 1 + data.below(6));
    let labels: Vec<i64> = (0..rows).map(|_| data.below(classes) as i64).collect();
    Made::of([
        data.tensor_of(dtype, &[rows, classes], Values::Unit),
        list(data, &labels),
    ])
}

fn entropy(data: &mut Data, dtype: DType) -> Made {
    let shape = [data.dimension(), 1 + data.below(6)];
    Made::of([
        data.tensor_of(dtype, &shape, Values::Unit),
        data.tensor_of(dtype, &shape, Values::Small),
    ])
}
