//! Products, reductions, softmax and losses.

use super::{Row, row};
use crate::example::{Example, ex};

const AXES: &[Example] = &[
    ex("", &["2x3", "[]xi32 = 1"]),
    ex("", &["2x3", "1xi64 = -2"]),
    ex("{keep_dims = true}", &["2x3x2", "2xi32 = -1 0"]),
    ex("", &["2x3x2", "2xi32 = 0 -1"]),
    ex("", &["2x3", "2xi32 = 0 1"]),
    ex("", &["2x3", "0xi32 ="]),
    ex("", &["[]", "0xi32 ="]),
];
const MEANS: &[Example] = &[
    ex("", &["2x3", "[]xi32 = 1"]),
    ex("", &["2x3", "1xi64 = -2"]),
    ex("{keep_dims = true}", &["2x3x2", "2xi32 = -1 0"]),
    ex("", &["2x3x2", "2xi32 = 0 -1"]),
    ex("", &["2x3", "2xi32 = 0 1"]),
    ex("", &["2x3", "0xi32 ="]),
    ex("", &["[]", "0xi32 ="]),
    ex("", &["0x2 =", "[]xi32 = 1"]),
];
const BATCHES: &[Example] = &[
    ex("", &["2x3x2", "2x2x4"]),
    ex("{adj_x = true}", &["2x2x3", "2x4"]),
    ex("{adj_y = true}", &["1x3x2", "4x1x1x2"]),
    ex("{adj_x = true, adj_y = true}", &["2x3", "3x4x2"]),
    ex("", &["3x2", "2x2x4"]),
    ex("", &["2x3x2", "2x4"]),
    ex("{adj_x = true}", &["2x3", "3x2x4"]),
    ex("{adj_y = true}", &["2x3x2", "4x2"]),
];

pub(super) const ROWS: &[Row] = &[
    row(
        "MatMul",
        &[
            ex("", &["2x3", "3x4"]),
            ex("{transpose_a = true}", &["3x2", "3x4"]),
            ex("{transpose_b = true}", &["2x3", "4x3"]),
            ex("{transpose_a = true, transpose_b = true}", &["3x2", "4x3"]),
        ],
    ),
    row(
        "BatchMatMul",
        &[
            ex("", &["2x3x2", "2x2x4"]),
            ex("{adj_x = true, adj_y = true}", &["2x2x3", "2x4x2"]),
        ],
    ),
    row("BatchMatMulV2", BATCHES),
    row("BatchMatMulV3", BATCHES),
    row(
        "Einsum",
        &[
            ex("{equation = \"ab,bc->ac\"}", &["2x3", "3x4"]),
            ex("{equation = \"ab->ba\"}", &["2x3"]),
            ex("{equation = \"ab->\"}", &["2x3"]),
            ex("{equation = \"abc->b\"}", &["2x3x2"]),
            ex("{equation = \"aa->a\"}", &["3x3"]),
            ex("{equation = \"aab,b->a\"}", &["2x2x3", "3"]),
            ex("{equation = \"ab,cd->ad\"}", &["2x3", "2x2"]),
            ex("{equation = \"...ab,...bc->...ac\"}", &["2x1x2x3", "4x3x2"]),
            ex("{equation = \"...ab,b->...a\"}", &["2x2x3", "3"]),
            ex("{equation = \"...ab,...c->...c\"}", &["1x2x3", "2x2"]),
        ],
    )
    .note("an ellipsis comes first"),
    row("Sum", AXES),
    row("Mean", MEANS),
    row(
        "Prod",
        &[
            ex("", &["2x3", "[]xi32 = 1"]),
            ex("{keep_dims = true}", &["2x3x2", "2xi32 = -1 0"]),
            ex("", &["2x3 = 0 1 2 0 0 3", "1xi64 = 1"]).first(),
            ex("", &["2x3", "0xi32 ="]),
        ],
    )
    .note("second derivatives are not exact where an element is 0"),
    row("Max", AXES).note("equal extrema have equal shares"),
    row("Min", AXES).note("equal extrema have equal shares"),
    row(
        "EuclideanNorm",
        &[
            ex("", &["2x3", "[]xi32 = 1"]),
            ex("{keep_dims = true}", &["2x3x2", "2xi32 = 0 1"]),
            ex("", &["2x3", "1xi64 = -1"]),
        ],
    )
    .note("zero at 0"),
    row(
        "Cumsum",
        &[
            ex("", &["2x3", "[]xi32 = 1"]),
            ex("{exclusive = true}", &["2x3", "[]xi32 = -1"]),
            ex("{reverse = true}", &["2x3", "[]xi64 = 0"]),
            ex("{exclusive = true, reverse = true}", &["2x3", "[]xi32 = 1"]),
        ],
    ),
    row("L2Loss", &[ex("", &["2x3"])]),
    row("Softmax", &[ex("", &["2x3"]), ex("", &["2x2x3"])]),
    row(
        "LogSoftmax",
        &[ex("", &["2x3"]), ex("", &["2x2x3"]).differs()],
    ),
    row(
        "SoftmaxCrossEntropyWithLogits",
        &[
            ex("", &["2x3", "2x3 = 0.2 0.3 0.5 0.1 0.8 0.1"]).to(&["f64", "f64"]),
            ex(
                "",
                &[
                    "1x4",
                    "3x4 = 0.2 0.3 0.4 0.1 0.1 0.6 0.1 0.2 0.4 0.1 0.2 0.3",
                ],
            )
            .to(&["f64", "!f64"]),
            ex("", &["3x4", "1x4 = 0.2 0.3 0.4 0.1"]).to(&["f64", "!f64"]),
            ex("", &["1x3", "2x3 = 0.2 0.3 0.5 0.1 0.8 0.1"]).to(&["f64", "f64"]),
            ex("", &["2x3", "1x3 = 0.2 0.3 0.5"]).to(&["f64", "f64"]),
        ],
    )
    .note("of labels whose sum is 1"),
    row(
        "SparseSoftmaxCrossEntropyWithLogits",
        &[
            ex("", &["2x3", "2xi32 = 2 0"]).to(&["f64", "f64"]),
            ex("", &["2x3", "2xi64 = 1 1"]).to(&["f64", "f64"]),
            ex("", &["4x3", "4xi32 = 1 0 2 1"]).to(&["f64", "!f64"]),
        ],
    ),
    row("SegmentSum", &[ex("", &["3x2", "3xi32 = 0 0 2"])]),
    row(
        "UnsortedSegmentSum",
        &[
            ex("", &["3x2", "3xi32 = 2 0 2", "[]xi32 = 3"]),
            ex("", &["2x2x2", "2x2xi64 = 1 -1 0 1", "[]xi64 = 2"]),
            ex("", &["3", "3xi32 = 2 0 2", "[]xi32 = 3"]),
            ex("", &["2x2x3", "2xi32 = 1 0", "[]xi32 = 2"]),
        ],
    ),
    row(
        "MatrixInverse",
        &[
            ex("", &["2x2 = 2 0.5 -0.3 1.5"]),
            ex("{adjoint = true}", &["1x2x2 = 2 0.5 -0.3 1.5"]),
        ],
    ),
    row(
        "MatrixDeterminant",
        &[ex("", &["2x2 = 2 0.5 -0.3 1.5"]), ex("", &["2x2x2"])],
    )
    .note("of invertible matrices"),
    row(
        "Cholesky",
        &[
            ex("", &["2x2 = 2 7 -0.3 1.5"]),
            ex(
                "",
                &["2x3x3 = 3 0 0 0.5 2 0 -0.4 0.3 4 2 0 0 1 3 0 0.2 -0.7 1"],
            ),
        ],
    )
    .note("zero with respect to the upper triangle, which the operation does not read"),
    row(
        "MatrixTriangularSolve",
        &[
            ex("", &["3x3 = 2 9 9 -0.3 1.5 9 0.4 0.7 3", "3x2"]),
            ex(
                "{lower = true}",
                &["3x2x2 = 2 9 -0.3 1.5 1 0 0.7 2 3 1 0.1 2", "2x1"],
            ),
            ex("{lower = true}", &["1x2x2 = 2 0.5 -0.3 1.5", "3x2x1"]),
            ex(
                "{lower = true, adjoint = true}",
                &["3x3 = 2 9 9 -0.3 1.5 9 0.4 0.7 3", "2x3x1"],
            ),
            ex(
                "{lower = true, adjoint = true}",
                &["3x2x2 = 2 9 -0.3 1.5 1 0 0.7 2 3 1 0.1 2", "2x1"],
            ),
            ex(
                "{lower = false}",
                &["3x3 = 2 0.5 0.2 9 1.5 -0.6 9 9 3", "2x3x2"],
            ),
            ex("{lower = false}", &["1x2x2 = 2 0.5 9 1.5", "3x2x1"]),
            ex(
                "{lower = false, adjoint = true}",
                &["1x2x2 = 2 0.5 9 1.5", "3x2x1"],
            ),
            ex("{lower = false}", &["2x2x2 = 2 0.5 9 1.5 1 0.3 9 2", "2x1"]),
            ex(
                "{lower = false, adjoint = true}",
                &["3x3 = 2 0.5 0.2 9 1.5 -0.6 9 9 3", "2x3x2"],
            ),
            ex(
                "{lower = false, adjoint = true}",
                &["2x2x2 = 2 0.5 9 1.5 1 0.3 9 2", "2x1"],
            ),
        ],
    ),
];
