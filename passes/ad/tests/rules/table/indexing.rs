//! Operations that select elements by their indices.

use super::{Row, row};
use crate::example::ex;

pub(super) const ROWS: &[Row] = &[
    row(
        "Gather",
        &[
            ex("", &["3x2", "2x2xi32 = 2 0 2 1"]),
            ex("", &["3x2", "[]xi64 = 1"]),
            ex("", &["2x3x4", "2xi32 = 1 0"]),
        ],
    ),
    row(
        "GatherV2",
        &[
            ex("", &["3x2", "2x2xi32 = 2 0 2 1", "[]xi32 = 0"]),
            ex("", &["2x3", "2xi64 = 2 0", "[]xi32 = -1"]),
            ex("", &["2x3x2", "3xi32 = 2 0 2", "[]xi64 = 1"]),
            ex("", &["2x3", "[]xi32 = 2", "[]xi32 = 1"]),
            ex(
                "{batch_dims = 1 : i64}",
                &["2x3", "2x2xi32 = 2 0 1 1", "[]xi32 = 1"],
            ),
            ex(
                "{batch_dims = 1 : i64}",
                &["2x2x3x2", "2x1x2xi64 = 2 0 1 1", "[]xi32 = 2"],
            ),
            ex(
                "{batch_dims = -1 : i64}",
                &["2x2x3", "2x2xi32 = 1 0 1 1", "[]xi32 = 1"],
            ),
            ex(
                "{batch_dims = 1 : i64}",
                &["2x3x2", "2xi32 = 2 0", "[]xi64 = -2"],
            ),
            ex(
                "{batch_dims = 2 : i64}",
                &["3x1x2x4x3", "3x1x2xi32 = 2 0 3 1 0 1", "[]xi32 = 3"],
            ),
        ],
    ),
    row(
        "GatherNd",
        &[
            ex("", &["2x3", "2x2xi32 = 1 2 1 2"]),
            ex("", &["2x3", "1x1xi64 = 1"]),
        ],
    ),
    row(
        "ScatterNd",
        &[ex("", &["3x1xi32 = 2 0 2", "3x2", "2xi32 = 3 2"])],
    ),
    row(
        "TensorScatterUpdate",
        &[ex("", &["3x2", "2x1xi32 = 2 0", "2x2"])],
    )
    .note("of different indices"),
    row(
        "TensorScatterAdd",
        &[ex("", &["3x2", "2x1xi32 = 2 2", "2x2"])],
    ),
    row(
        "TensorScatterSub",
        &[ex("", &["3x2", "2x1xi32 = 2 2", "2x2"])],
    ),
    row(
        "DynamicStitch",
        &[ex("", &["2xi32 = 2 0", "[]xi32 = 1", "2x2", "2"])],
    )
    .note("of different indices"),
    row(
        "ParallelDynamicStitch",
        &[ex("", &["2xi32 = 2 0", "[]xi32 = 1", "2x2", "2"])],
    )
    .note("of different indices"),
    row(
        "TopKV2",
        &[
            ex("", &["2x4", "[]xi32 = 2"]).to(&["f64", "i32"]),
            ex("", &["4", "[]xi32 = 1"]).to(&["f64", "i32"]),
            ex("", &["3x2x5", "[]xi32 = 4"]).to(&["f64", "i32"]),
            ex("{index_type = i64}", &["2x4", "[]xi32 = 2"]).to(&["f64", "i64"]),
        ],
    ),
    row(
        "OneHot",
        &[
            ex("", &["2x2xi32 = 1 0 3 2", "[]xi32 = 3", "[]", "[]"]),
            ex(
                "{axis = 0 : i64}",
                &["2xi64 = 1 0", "[]xi32 = 3", "[]", "[]"],
            ),
        ],
    ),
];
