//! Convolutions, pooling and resizing of images.

use super::{Row, row};
use crate::example::{Example, ex};

const VALID: &str = "{strides = [1, 1, 1, 1], padding = \"VALID\"}";
const SAME: &str = "{strides = [1, 2, 2, 1], padding = \"SAME\"}";
const EXPLICIT: &str = "{strides = [1, 1, 1, 1], padding = \"EXPLICIT\", \
     explicit_paddings = [0, 0, 1, 2, 0, 1, 0, 0]}";
const SPACE: &str = "{strides = [1, 1, 1, 1, 1], padding = \"VALID\"}";
const POOL: &str = "{ksize = [1, 2, 2, 1], strides = [1, 2, 1, 1], padding = \"VALID\"}";
const POOLED: &[Example] = &[ex(POOL, &["1x4x3x2"])];
const RESIZED: &[Example] = &[
    ex("", &["1x2x3x1xf32", "2xi32 = 3 4"])
        .to(&["f32"])
        .step(0.25),
    ex(
        "{half_pixel_centers = true}",
        &["1x3x2x1xf32", "2xi32 = 2 5"],
    )
    .to(&["f32"])
    .step(0.25),
    ex("{align_corners = true}", &["1x2x3x1xf32", "2xi32 = 3 4"])
        .to(&["f32"])
        .step(0.25),
];

pub(super) const ROWS: &[Row] = &[
    row(
        "Conv2D",
        &[
            ex(VALID, &["1x3x3x2", "2x2x2x2"]),
            ex(SAME, &["1x4x3x1", "3x2x1x2"]),
            ex(EXPLICIT, &["1x3x3x1", "2x2x1x2"]).differs(),
        ],
    ),
    row(
        "Conv2DBackpropInput",
        &[
            ex(VALID, &["4xi32 = 1 3 3 1", "2x2x1x2", "1x2x2x2"]),
            ex(EXPLICIT, &["4xi32 = 1 3 3 1", "2x2x1x2", "1x5x3x2"]),
        ],
    ),
    row(
        "Conv2DBackpropFilter",
        &[
            ex(VALID, &["1x3x3x1", "4xi32 = 2 2 1 2", "1x2x2x2"]),
            ex(EXPLICIT, &["1x3x3x1", "4xi32 = 2 2 1 2", "1x5x3x2"]),
        ],
    ),
    row(
        "DepthwiseConv2dNative",
        &[
            ex(VALID, &["1x3x3x2", "2x2x2x1"]),
            ex(EXPLICIT, &["1x3x3x2", "2x2x2x1"]),
        ],
    ),
    row(
        "DepthwiseConv2dNativeBackpropInput",
        &[
            ex(VALID, &["4xi32 = 1 3 3 1", "2x2x1x2", "1x2x2x2"]),
            ex(EXPLICIT, &["4xi32 = 1 3 3 1", "2x2x1x2", "1x5x3x2"]),
        ],
    ),
    row(
        "DepthwiseConv2dNativeBackpropFilter",
        &[
            ex(VALID, &["1x3x3x1", "4xi32 = 2 2 1 2", "1x2x2x2"]),
            ex(EXPLICIT, &["1x3x3x1", "4xi32 = 2 2 1 2", "1x5x3x2"]),
        ],
    ),
    row("Conv3D", &[ex(SPACE, &["1x2x3x2x1", "2x2x1x1x2"])]),
    row(
        "Conv3DBackpropInputV2",
        &[ex(SPACE, &["5xi32 = 1 2 3 2 1", "2x2x1x1x2", "1x1x2x2x2"])],
    ),
    row(
        "Conv3DBackpropFilterV2",
        &[ex(SPACE, &["1x2x3x2x1", "5xi32 = 2 2 1 1 2", "1x1x2x2x2"])],
    ),
    row("MaxPool", POOLED).note("of equal maxima of a window, the first has the derivative"),
    row(
        "MaxPoolGrad",
        &[ex(
            POOL,
            &["1x2x3x1 # 1 2 3 4 5 6", "1x1x2x1 # 5 6", "1x1x2x1"],
        )],
    )
    .note("zero with respect to the images"),
    row(
        "MaxPoolGradGrad",
        &[ex(
            POOL,
            &["1x2x3x1 # 1 2 3 4 5 6", "1x1x2x1 # 5 6", "1x2x3x1"],
        )],
    )
    .note("zero with respect to the images"),
    row("AvgPool", POOLED),
    row("AvgPoolGrad", &[ex(POOL, &["4xi32 = 1 4 3 2", "1x2x2x2"])]),
    row("ResizeBilinear", RESIZED),
    row(
        "ResizeBilinearGrad",
        &[
            ex("", &["1x3x4x1xf32", "1x2x3x1xf32 # 0 0 0 0 0 0"])
                .to(&["f32"])
                .step(0.25),
            ex(
                "{align_corners = true}",
                &["1x3x4x1xf32", "1x2x3x1xf32 # 0 0 0 0 0 0"],
            )
            .to(&["f32"])
            .step(0.25),
            ex(
                "{half_pixel_centers = true}",
                &["1x3x4x1xf32", "1x2x3x1xf32 # 0 0 0 0 0 0"],
            )
            .to(&["f32"])
            .step(0.25),
        ],
    ),
    row(
        "ResizeNearestNeighbor",
        &[
            ex("", &["1x2x3x1", "2xi32 = 3 4"]),
            ex("{align_corners = true}", &["1x2x3x1", "2xi32 = 3 2"]),
            ex("{half_pixel_centers = true}", &["1x2x3x1", "2xi32 = 3 5"]),
        ],
    ),
    row(
        "ResizeNearestNeighborGrad",
        &[
            ex("", &["1x3x4x1", "2xi32 = 2 3"]),
            ex("{align_corners = true}", &["1x3x2x1", "2xi32 = 2 3"]),
            ex("{half_pixel_centers = true}", &["1x3x5x1", "2xi32 = 2 3"]),
        ],
    ),
];
