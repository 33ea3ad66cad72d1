//! Operations that move, copy or drop elements.

use super::{Row, row};
use crate::example::ex;

pub(super) const ROWS: &[Row] = &[
    row(
        "tfx_tensor.from_scalar",
        &[ex("", &["f64"]).to(&["[]xf64"])],
    ),
    row("tfx_tensor.to_scalar", &[ex("", &["[]"])]),
    row("tfx_comm.to_host", &[ex("", &["f64"])]),
    row("tfx_comm.to_accelerator", &[ex("", &["f64"])]),
    row(
        "tfx_comm.copy",
        &[ex(
            "{destination = #tfx_comm.place<cpu:1>, source = #tfx_comm.place<cpu>}",
            &["[]"],
        )
        .to(&["[]xf64"])],
    ),
    row("tfx_ad.push", &[]).note("judged by the second derivatives of loops"),
    row("tfx_ad.pop", &[]).note("judged by the second derivatives of loops"),
    row(
        "Reshape",
        &[
            ex("", &["2x3", "2xi32 = 3 2"]),
            ex("", &["2x3", "1xi64 = -1"]),
        ],
    ),
    row("ExpandDims", &[ex("", &["2x3", "[]xi32 = 1"])]),
    row(
        "Squeeze",
        &[ex("", &["1x3x1"]), ex("{squeeze_dims = [0]}", &["1x3x1"])],
    ),
    row(
        "Transpose",
        &[
            ex("", &["2x3", "2xi32 = 1 0"]),
            ex("", &["2x3x4", "3xi64 = 2 0 1"]),
        ],
    ),
    row(
        "BroadcastTo",
        &[
            ex("", &["2x1", "3xi32 = 4 2 3"]),
            ex("", &["[]", "1xi64 = 3"]),
        ],
    ),
    row(
        "Fill",
        &[ex("", &["2xi32 = 2 3", "[]"]), ex("", &["0xi32 =", "[]"])],
    ),
    row(
        "Tile",
        &[
            ex("", &["2x3", "2xi32 = 2 3"]),
            ex("", &["3", "1xi64 = 2"]),
            ex("", &["[]", "0xi32 ="]),
        ],
    ),
    row(
        "Pack",
        &[
            ex("", &["2x3", "2x3"]),
            ex("{axis = -1 : i64}", &["2x3", "2x3", "2x3"]),
        ],
    ),
    row(
        "Unpack",
        &[
            ex("{num = 2 : i64}", &["2x3"]).to(&["f64", "f64"]),
            ex("{axis = 1 : i64, num = 3 : i64}", &["2x3"]).to(&["f64", "f64", "f64"]),
        ],
    ),
    row("Concat", &[ex("", &["[]xi32 = 1", "2x3", "2x2"])]),
    row(
        "ConcatV2",
        &[
            ex("", &["2x3", "2x2", "2x1", "[]xi32 = 1"]),
            ex("", &["2x3", "1x3", "[]xi64 = -2"]),
        ],
    ),
    row(
        "Split",
        &[ex("{num_split = 2 : i64}", &["[]xi32 = 1", "2x4"]).to(&["f64", "f64"])],
    ),
    row(
        "SplitV",
        &[
            ex(
                "{num_split = 2 : i64}",
                &["2x4", "2xi32 = 1 3", "[]xi32 = 1"],
            )
            .to(&["f64", "f64"]),
            ex(
                "{num_split = 3 : i64}",
                &["4", "3xi64 = 1 -1 1", "[]xi32 = 0"],
            )
            .to(&["f64", "f64", "f64"]),
        ],
    ),
    row(
        "Slice",
        &[
            ex("", &["3x4", "2xi32 = 1 0", "2xi32 = 2 3"]),
            ex("", &["3x4", "2xi64 = 0 2", "2xi64 = -1 1"]),
        ],
    ),
    row(
        "StridedSlice",
        &[
            ex("", &["3x4", "2xi32 = 0 1", "2xi32 = 3 4", "2xi32 = 2 1"]),
            ex(
                "{begin_mask = 1 : i64, end_mask = 1 : i64, shrink_axis_mask = 2 : i64}",
                &["3x4", "2xi64 = 0 1", "2xi64 = 0 2", "2xi64 = 1 1"],
            ),
            ex(
                "{begin_mask = 3 : i64, end_mask = 2 : i64}",
                &["3x4", "2xi32 = 1 2", "2xi32 = 2 3", "2xi32 = 1 1"],
            ),
            ex(
                "{new_axis_mask = 1 : i64}",
                &["3x4", "2xi32 = 0 -1", "2xi32 = 0 -4", "2xi32 = 1 -1"],
            ),
            ex(
                "{ellipsis_mask = 1 : i64}",
                &["3x4", "2xi32 = 0 1", "2xi32 = 0 3", "2xi32 = 1 1"],
            ),
        ],
    ),
    row(
        "StridedSliceGrad",
        &[
            ex(
                "",
                &[
                    "2xi32 = 3 4",
                    "2xi32 = 0 1",
                    "2xi32 = 3 4",
                    "2xi32 = 2 1",
                    "2x3",
                ],
            ),
            ex(
                "{begin_mask = 1 : i64, end_mask = 2 : i64}",
                &[
                    "2xi32 = 3 4",
                    "2xi32 = 1 1",
                    "2xi32 = 2 2",
                    "2xi32 = 1 1",
                    "2x3",
                ],
            ),
            ex(
                "{ellipsis_mask = 1 : i64, shrink_axis_mask = 2 : i64}",
                &[
                    "2xi32 = 3 4",
                    "2xi32 = 1 1",
                    "2xi32 = 2 2",
                    "2xi32 = 1 1",
                    "3",
                ],
            ),
            ex(
                "{new_axis_mask = 1 : i64}",
                &[
                    "2xi32 = 3 4",
                    "2xi32 = 1 1",
                    "2xi32 = 2 2",
                    "2xi32 = 1 1",
                    "1x1x4",
                ],
            ),
        ],
    ),
    row(
        "Pad",
        &[
            ex("", &["2x3", "2x2xi32 = 1 0 2 1"]),
            ex("", &["3", "1x2xi64 = 0 2"]),
        ],
    ),
    row(
        "PadV2",
        &[
            ex("", &["2x3", "2x2xi32 = 1 0 2 1", "[]"]),
            ex("", &["2x3", "2x2xi64 = 1 0 2 1", "[]"]),
        ],
    ),
    row(
        "MirrorPad",
        &[
            ex("{mode = \"REFLECT\"}", &["2x3", "2x2xi32 = 1 0 2 1"]),
            ex("{mode = \"SYMMETRIC\"}", &["2x3", "2x2xi64 = 1 0 2 1"]),
        ],
    ),
    row(
        "MirrorPadGrad",
        &[ex("{mode = \"REFLECT\"}", &["3x6", "2x2xi32 = 1 0 2 1"])],
    ),
    row(
        "ReverseV2",
        &[
            ex("", &["2x3", "1xi32 = -1"]),
            ex("", &["2x3", "2xi64 = 0 1"]),
        ],
    ),
    row("Reverse", &[ex("", &["2x3", "2xi1 = 0 1"])]),
    row(
        "ReverseSequence",
        &[
            ex("{seq_dim = 1 : i64}", &["2x3", "2xi32 = 2 3"]),
            ex(
                "{seq_dim = 0 : i64, batch_dim = 1 : i64}",
                &["3x2", "2xi64 = 1 3"],
            ),
        ],
    ),
    row(
        "SpaceToDepth",
        &[ex("{block_size = 2 : i64}", &["1x2x4x1"])],
    ),
    row(
        "DepthToSpace",
        &[ex("{block_size = 2 : i64}", &["1x1x2x4"])],
    ),
    row(
        "MatrixBandPart",
        &[
            ex("", &["3x3", "[]xi64 = 1", "[]xi64 = 0"]),
            ex("", &["2x2x3", "[]xi32 = -1", "[]xi32 = 0"]),
        ],
    ),
    row(
        "MatrixDiagV3",
        &[
            ex(
                "",
                &["2x3", "[]xi32 = 0", "[]xi32 = -1", "[]xi32 = -1", "[]"],
            ),
            ex(
                "{align = \"LEFT_RIGHT\"}",
                &["2x3", "2xi32 = 0 1", "[]xi32 = 3", "[]xi32 = 3", "[]"],
            ),
        ],
    ),
    row(
        "MatrixDiagPartV3",
        &[
            ex("", &["2x3x3", "[]xi32 = 1", "[]"]),
            ex("{align = \"LEFT_RIGHT\"}", &["3x4", "2xi32 = -1 1", "[]"]),
        ],
    ),
    row(
        "MatrixSetDiagV3",
        &[
            ex("", &["2x3x3", "2x3", "[]xi32 = 0"]),
            ex("{align = \"LEFT_LEFT\"}", &["3x3", "2x3", "2xi32 = 0 1"]),
        ],
    ),
    row(
        "Range",
        &[ex("", &["[] 0.1..0.2", "[] 3.5..3.6", "[] 0.8..0.9"])],
    )
    .note("the number of elements is constant"),
    row("LinSpace", &[ex("", &["[]", "[]", "[]xi32 = 4"])]),
];
