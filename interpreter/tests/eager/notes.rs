//! Notes on single operations, for the page on kernels.

/// The note on operations on lists, which are values of graphs only.
const OF_LISTS: &str = "compared in random programs, by `runtime/tests/lists.rs`";
/// The note on an operation with two lists of operands, which an eager call cannot have.
const IN_GRAPHS: &str = "compared in a graph, by `runtime/tests/kernels.rs`; a place without a row has zeros, and TensorFlow leaves it as it is";

/// The operations that are compared elsewhere, with a note.
pub(crate) const ELSEWHERE: &[(&str, &str)] = &[
    ("DynamicStitch", IN_GRAPHS),
    ("ParallelDynamicStitch", IN_GRAPHS),
    ("EmptyTensorList", OF_LISTS),
    ("TensorListReserve", OF_LISTS),
    ("TensorListFromTensor", OF_LISTS),
    ("TensorListPushBack", OF_LISTS),
    ("TensorListPopBack", OF_LISTS),
    ("TensorListSetItem", OF_LISTS),
    ("TensorListResize", OF_LISTS),
    ("TensorListLength", OF_LISTS),
    ("TensorListElementShape", OF_LISTS),
    ("TensorListGetItem", OF_LISTS),
    ("TensorListStack", OF_LISTS),
    ("TensorListGather", OF_LISTS),
    ("TensorListConcatV2", OF_LISTS),
];

/// The cases that are not tested, or that differ, with the reason, and the operations.
const NOTES: &[(&str, &[&str])] = &[
    (
        "the minimum value divided by -1 is not tested: a signal ends TensorFlow",
        &["Div", "TruncateDiv", "FloorMod", "TruncateMod", "Mod"],
    ),
    (
        "the minimum value divided by -1 is not tested: a signal ends TensorFlow; nor are quotients of floats that are flushed to zero before they are rounded",
        &["FloorDiv"],
    ),
    (
        "of two zeros, TensorFlow takes one or the other, by its place in the tensor",
        &["Maximum", "Minimum", "ClipByValue", "Max", "Min"],
    ),
    (
        "infinities, of which TensorFlow makes NaN for f64, are not tried; here they give 1 and -1",
        &["Erf"],
    ),
    (
        "of integers, TensorFlow's kernel gives zeros: here they stay what they are",
        &["Round"],
    ),
    (
        "a library may add in any order",
        &[
            "AddN",
            "MatMul",
            "BatchMatMul",
            "BatchMatMulV2",
            "AvgPool",
            "AvgPoolGrad",
            "MaxPoolGrad",
            "ResizeNearestNeighborGrad",
            "Cumsum",
            "MirrorPadGrad",
            "ScatterNd",
            "TensorScatterAdd",
            "TensorScatterSub",
            "BiasAddGrad",
            "Sum",
            "Mean",
            "L2Loss",
            "SegmentSum",
            "UnsortedSegmentSum",
        ],
    ),
    (
        "a library may add in any order; integers have no kernel of tfx",
        &["SegmentMean"],
    ),
    (
        "a library may multiply in any order; floats from 1 to 3",
        &["SegmentProd", "UnsortedSegmentProd"],
    ),
    (
        "of two zeros, TensorFlow takes one or the other",
        &[
            "SegmentMax",
            "SegmentMin",
            "UnsortedSegmentMax",
            "UnsortedSegmentMin",
        ],
    ),
    (
        "floats that an integer cannot hold are not tried: what C++ makes of them is not defined; here they become the nearest integer",
        &["Cast"],
    ),
    (
        "a library may multiply in any order; floats from 1 to 3",
        &["Cumprod"],
    ),
    ("without NaN; always in order", &["TopKV2"]),
    ("one or two operands", &["Einsum"]),
    ("operands and result of one type", &["BatchMatMulV3"]),
    ("in the format NHWC", &["SpaceToDepth", "DepthToSpace"]),
    (
        "in the format NHWC, with groups and dilations; the zeros of the padding are multiplied, too",
        &["Conv2D"],
    ),
    (
        "without groups and dilations; floats from -3 to 3",
        &[
            "Conv2DBackpropInput",
            "Conv2DBackpropFilter",
            "Conv3DBackpropInputV2",
            "Conv3DBackpropFilterV2",
        ],
    ),
    (
        "without groups and dilations; for the padding SAME, strides are not larger than the window: TensorFlow leaves out the first elements, and its gradients do not",
        &["Conv3D"],
    ),
    (
        "without dilations, and with equal strides; where the padding is multiplied in TensorFlow, floats from -3 to 3",
        &[
            "DepthwiseConv2dNative",
            "DepthwiseConv2dNativeBackpropInput",
            "DepthwiseConv2dNativeBackpropFilter",
        ],
    ),
    (
        "without NaN, which TensorFlow takes or leaves, by its place in the tensor; the lowest result is the lowest finite number; in the format NHWC, or over channels",
        &["MaxPool"],
    ),
    ("floats from -3 to 3; strides as for Conv3D", &["MaxPool3D"]),
    (
        "a library may add in any order; strides as for Conv3D",
        &["AvgPool3D"],
    ),
    (
        "TensorFlow loses digits near 0, -1 and 1, and gives 0 for tiny numbers",
        &["Erfinv"],
    ),
    (
        "orders from 0 to 5, and up to 1 for negative numbers",
        &["Polygamma"],
    ),
    ("TensorFlow rejects tensors without rows", &["Reverse"]),
    (
        "f64 is compared in a graph, by `runtime/tests/kernels.rs`: TensorFlow adds in f32",
        &["ResizeBilinearGrad"],
    ),
    (
        "floats from -3 to 3; integers have no kernel of tfx",
        &["EuclideanNorm"],
    ),
    ("of a scalar, TensorFlow has no kernel", &["Where"]),
    (
        "TensorFlow gives a zero either sign, by its place in the tensor",
        &["Relu", "Relu6", "Xdivy"],
    ),
    (
        "TensorFlow takes the exponential less 1, which loses digits near 0",
        &["Elu"],
    ),
    (
        "products that overflow on the way are not tried",
        &[
            "SigmoidGrad",
            "TanhGrad",
            "SqrtGrad",
            "RsqrtGrad",
            "ReciprocalGrad",
            "InvGrad",
            "EluGrad",
            "SeluGrad",
            "SoftplusGrad",
            "SoftsignGrad",
        ],
    ),
    (
        "floats from -3 to 3",
        &[
            "SparseSoftmaxCrossEntropyWithLogits",
            "SoftmaxCrossEntropyWithLogits",
        ],
    ),
    (
        "well-conditioned matrices; sums in `f64`; a lower triangle of NaN if the matrix is not positive definite",
        &["Cholesky"],
    ),
    (
        "well-conditioned matrices; sums in `f64`",
        &[
            "MatrixInverse",
            "MatrixDeterminant",
            "MatrixTriangularSolve",
        ],
    ),
    (
        "sums in `f64`; images are not empty; TensorFlow does not write the last result, and none of the reserved ones in inference",
        &["FusedBatchNormV3"],
    ),
    (
        "sums in `f64`; images are not empty",
        &["FusedBatchNormGradV3"],
    ),
    ("with seeds", &["RandomUniform", "RandomStandardNormal"]),
    (
        "a library may add in any order; floats from 1 to 2",
        &["Prod"],
    ),
];

/// Returns the cases of an operation that are not tested, or that differ, and the reason.
pub(crate) fn note(op: &str) -> &'static str {
    let note = NOTES.iter().find(|(_, ops)| ops.contains(&op));
    note.map_or("", |(note, _)| note)
}
