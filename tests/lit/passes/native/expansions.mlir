// Operations that become several others: the results are those of the interpreter, for each number
// of images.
//
// RUN: tfxc run %s 2 --executor embedded > %t.embedded
// RUN: tfxc run %s 2 | diff %t.embedded -
// RUN: tfxc run %s 2 --native-vectors 16 --native-task-cost 1 --threads 2 | diff %t.embedded -
// RUN: tfxc run %s 0 --executor embedded > %t.none && tfxc run %s 0 | diff %t.none -
// RUN: tfxc run %s 2 --stats 2>&1 >/dev/null | FileCheck %s --check-prefix=STATS
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-compile-graph{native=true native-explain=true})' 2>&1 | FileCheck %s
// STATS: native code: {{[0-9]+}} calls{{$}}
//
// CHECK-NOT: not compiled to native code: there is no native code for "{{Space|Batch|Depth|Resize|Identity|Mirror|Fused}}
// CHECK:     there is no native code for "InvertPermutation"
// CHECK-NOT: not compiled to native code: there is no native code for "{{Space|Batch|Depth|Resize|Identity|Mirror|Fused}}
// CHECK:     tfx_tensor.graph
// CHECK-NOT: "{{SpaceToBatchND|BatchToSpaceND|SpaceToDepth|DepthToSpace|ResizeBilinear|FusedBatchNormV3|IdentityN}}"

!X = tensor<?x6x4x4xf32>
!I = tensor<?xi32>

// Images of whole numbers. Native code does not invert permutations: their number is unknown to it.
func.func private @images(%n: i64) -> !X {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %seven = tfx_tensor.const dense<7> : tensor<i32>
  %image = tfx_tensor.const dense<[1, 6, 4, 4]> : tensor<4xi32>
  %column = tfx_tensor.const dense<[-1, 1, 1, 1]> : tensor<4xi32>
  %count = tfx_tensor.const dense<96> : tensor<i32>
  %size = tfx_tensor.from_scalar %n : i64
  %list = tfx_tensor.op "ExpandDims"(%size, %zero) : (tensor<i64>, tensor<i32>) -> tensor<1xi64>
  %ones = tfx_tensor.op "Fill"(%list, %one) : (tensor<1xi64>, tensor<i32>) -> !I
  %before = tfx_tensor.op "Cumsum"(%ones, %zero) {exclusive = true} : (!I, tensor<i32>) -> !I
  %numbers = tfx_tensor.op "InvertPermutation"(%before) : (!I) -> !I
  %rows = tfx_tensor.op "Reshape"(%numbers, %column) : (!I, tensor<4xi32>) -> tensor<?x1x1x1xi32>
  %places = tfx_tensor.op "Range"(%zero, %count, %one) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<96xi32>
  %first = tfx_tensor.op "Reshape"(%places, %image) : (tensor<96xi32>, tensor<4xi32>) -> tensor<1x6x4x4xi32>
  %all = tfx_tensor.op "AddV2"(%first, %rows) : (tensor<1x6x4x4xi32>, tensor<?x1x1x1xi32>) -> tensor<?x6x4x4xi32>
  %squares = tfx_tensor.op "Mul"(%all, %all) : (tensor<?x6x4x4xi32>, tensor<?x6x4x4xi32>) -> tensor<?x6x4x4xi32>
  %small = tfx_tensor.op "FloorMod"(%squares, %seven) : (tensor<?x6x4x4xi32>, tensor<i32>) -> tensor<?x6x4x4xi32>
  %x = tfx_tensor.op "Cast"(%small) : (tensor<?x6x4x4xi32>) -> !X
  return %x : !X
}

// As TensorFlow's dilated convolutions are built.
func.func private @dilated(%x: !X) -> (tensor<?x6x4x2xf32>, tensor<?x4x2x4xf32>) {
  %blocks = tfx_tensor.const dense<[2, 3]> : tensor<2xi32>
  %paddings = tfx_tensor.const dense<[[2, 2], [3, 5]]> : tensor<2x2xi32>
  %crops = tfx_tensor.const dense<[[0, 0], [0, 2]]> : tensor<2x2xi32>
  %filter = tfx_tensor.const dense<[[[[1.0, 2.0], [0.0, 1.0], [3.0, -1.0], [1.0, 1.0]], [[2.0, 0.0], [1.0, 1.0], [-2.0, 1.0], [0.0, 3.0]], [[1.0, 1.0], [4.0, 0.0], [1.0, 2.0], [1.0, -3.0]]], [[[0.0, 2.0], [2.0, 1.0], [1.0, 1.0], [-1.0, 1.0]], [[1.0, 0.0], [1.0, 2.0], [2.0, 1.0], [0.0, 1.0]], [[3.0, 1.0], [0.0, 0.0], [1.0, 0.0], [1.0, 2.0]]], [[[1.0, 1.0], [0.0, -1.0], [0.0, 1.0], [2.0, 1.0]], [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [0.0, 1.0]], [[1.0, 3.0], [1.0, 0.0], [1.0, 1.0], [1.0, 0.0]]]]> : tensor<3x3x4x2xf32>
  %batch = tfx_tensor.op "SpaceToBatchND"(%x, %blocks, %paddings) : (!X, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x5x4x4xf32>
  %y = tfx_tensor.op "Conv2D"(%batch, %filter) {strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "VALID"} : (tensor<?x5x4x4xf32>, tensor<3x3x4x2xf32>) -> tensor<?x3x2x2xf32>
  %z = tfx_tensor.op "BatchToSpaceND"(%y, %blocks, %crops) : (tensor<?x3x2x2xf32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x6x4x2xf32>
  // One dimension of blocks, and a crop on both sides.
  %two = tfx_tensor.const dense<2> : tensor<1xi32>
  %edge = tfx_tensor.const dense<[[0, 0]]> : tensor<1x2xi32>
  %cut = tfx_tensor.const dense<[[1, 1]]> : tensor<1x2xi32>
  %halves = tfx_tensor.op "SpaceToBatchND"(%x, %two, %edge) : (!X, tensor<1xi32>, tensor<1x2xi32>) -> tensor<?x3x4x4xf32>
  %begin = tfx_tensor.const dense<[0, 0, 1, 0]> : tensor<4xi32>
  %size = tfx_tensor.const dense<[-1, 3, 2, 4]> : tensor<4xi32>
  %part = tfx_tensor.op "Slice"(%halves, %begin, %size) : (tensor<?x3x4x4xf32>, tensor<4xi32>, tensor<4xi32>) -> tensor<?x3x2x4xf32>
  %back = tfx_tensor.op "BatchToSpaceND"(%part, %two, %cut) : (tensor<?x3x2x4xf32>, tensor<1xi32>, tensor<1x2xi32>) -> tensor<?x4x2x4xf32>
  return %z, %back : tensor<?x6x4x2xf32>, tensor<?x4x2x4xf32>
}

func.func private @depths(%x: !X) -> (tensor<?x3x2x16xf32>, tensor<?x12x8x1xf32>, !X, !X) {
  %deep = tfx_tensor.op "SpaceToDepth"(%x) {block_size = 2 : i64} : (!X) -> tensor<?x3x2x16xf32>
  %wide = tfx_tensor.op "DepthToSpace"(%x) {block_size = 2 : i64} : (!X) -> tensor<?x12x8x1xf32>
  %y = tfx_tensor.op "Sub"(%x, %x) : (!X, !X) -> !X
  %same:2 = tfx_tensor.op "IdentityN"(%y, %x) : (!X, !X) -> (!X, !X)
  return %deep, %wide, %same#0, %same#1 : tensor<?x3x2x16xf32>, tensor<?x12x8x1xf32>, !X, !X
}

func.func private @resized(%x: !X) -> (tensor<?x9x7x4xf32>, tensor<?x4x8x4xf32>, tensor<?x9x7x4xf32>, tensor<?x11x3x4xf32>, !X) {
  %more = tfx_tensor.const dense<[9, 7]> : tensor<2xi32>
  %other = tfx_tensor.const dense<[4, 8]> : tensor<2xi32>
  %thin = tfx_tensor.const dense<[11, 3]> : tensor<2xi32>
  %same = tfx_tensor.const dense<[6, 4]> : tensor<2xi32>
  %a = tfx_tensor.op "ResizeNearestNeighbor"(%x, %more) {half_pixel_centers = true} : (!X, tensor<2xi32>) -> tensor<?x9x7x4xf32>
  %b = tfx_tensor.op "ResizeNearestNeighbor"(%x, %other) {align_corners = true} : (!X, tensor<2xi32>) -> tensor<?x4x8x4xf32>
  %c = tfx_tensor.op "ResizeBilinear"(%x, %more) {half_pixel_centers = true} : (!X, tensor<2xi32>) -> tensor<?x9x7x4xf32>
  %d = tfx_tensor.op "ResizeBilinear"(%x, %thin) : (!X, tensor<2xi32>) -> tensor<?x11x3x4xf32>
  %e = tfx_tensor.op "ResizeBilinear"(%x, %same) {align_corners = true} : (!X, tensor<2xi32>) -> !X
  return %a, %b, %c, %d, %e : tensor<?x9x7x4xf32>, tensor<?x4x8x4xf32>, tensor<?x9x7x4xf32>, tensor<?x11x3x4xf32>, !X
}

// TensorFlow does not reflect a dimension without elements: REFLECT has code for known sizes only.
func.func private @mirrored(%x: !X) -> (tensor<7x7xf32>, tensor<?x12x5x4xf32>) {
  %all = tfx_tensor.const dense<[0, 1, 2, 3]> : tensor<4xi32>
  %sum = tfx_tensor.op "Sum"(%x, %all) : (!X, tensor<4xi32>) -> tensor<f32>
  %numbers = tfx_tensor.const dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [10.0, 11.0, 12.0]]> : tensor<4x3xf32>
  %known = tfx_tensor.op "AddV2"(%numbers, %sum) : (tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  %reflected = tfx_tensor.const dense<[[3, 0], [2, 2]]> : tensor<2x2xi32>
  %symmetric = tfx_tensor.const dense<[[0, 0], [6, 0], [0, 1], [0, 0]]> : tensor<4x2xi32>
  %a = tfx_tensor.op "MirrorPad"(%known, %reflected) {mode = "REFLECT"} : (tensor<4x3xf32>, tensor<2x2xi32>) -> tensor<7x7xf32>
  %b = tfx_tensor.op "MirrorPad"(%x, %symmetric) {mode = "SYMMETRIC"} : (!X, tensor<4x2xi32>) -> tensor<?x12x5x4xf32>
  return %a, %b : tensor<7x7xf32>, tensor<?x12x5x4xf32>
}

// Inference, whose results are exact for these numbers, and the gradient of training.
func.func private @normalized(%x: !X) -> (!X, tensor<4xf32>, tensor<4xf32>) {
  %scale = tfx_tensor.const dense<[2.0, 4.0, -1.0, 0.5]> : tensor<4xf32>
  %offset = tfx_tensor.const dense<[1.0, 0.0, 3.0, -2.0]> : tensor<4xf32>
  %mean = tfx_tensor.const dense<[1.0, 2.0, 3.0, 0.0]> : tensor<4xf32>
  %variance = tfx_tensor.const dense<[3.0, 0.0, 15.0, 63.0]> : tensor<4xf32>
  %y:6 = tfx_tensor.op "FusedBatchNormV3"(%x, %scale, %offset, %mean, %variance) {epsilon = 1.0 : f32, is_training = false} : (!X, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (!X, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<?xf32>)
  %image = tfx_tensor.const dense<[[[[1.0, 2.0, 3.0, 4.0], [5.0, 2.0, 3.0, 0.0]], [[1.0, 6.0, 3.0, 4.0], [1.0, 2.0, 7.0, 8.0]]]]> : tensor<1x2x2x4xf32>
  %all = tfx_tensor.const dense<[0, 1, 2]> : tensor<3xi32>
  %sums = tfx_tensor.op "Sum"(%y#0, %all) : (!X, tensor<3xi32>) -> tensor<4xf32>
  %dy = tfx_tensor.op "AddV2"(%image, %sums) : (tensor<1x2x2x4xf32>, tensor<4xf32>) -> tensor<1x2x2x4xf32>
  %reserved = tfx_tensor.const dense<0.0> : tensor<f32>
  %d:5 = tfx_tensor.op "FusedBatchNormGradV3"(%dy, %image, %scale, %mean, %variance, %reserved) {epsilon = 1.0 : f32, is_training = true} : (tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<1x2x2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<0xf32>, tensor<0xf32>)
  return %y#0, %d#1, %d#2 : !X, tensor<4xf32>, tensor<4xf32>
}

// Training, as TensorFlow writes it: without old statistics, and with results for the gradient. The
// results are rounded: the interpreter computes in `f64`.
func.func private @trained(%x: !X) -> (tensor<1x2x2x4xi32>, tensor<4xi32>, tensor<1x2x2x4xi32>) {
  %scale = tfx_tensor.const dense<[2.0, 4.0, -1.0, 0.5]> : tensor<4xf32>
  %none = tfx_tensor.const dense<> : tensor<0xf32>
  %image = tfx_tensor.const dense<[[[[1.0, 2.0, 3.0, 4.0], [5.0, 2.0, 3.0, 0.0]], [[1.0, 6.0, 3.0, 4.0], [1.0, 2.0, 7.0, 8.0]]]]> : tensor<1x2x2x4xf32>
  %hundred = tfx_tensor.const dense<100.0> : tensor<f32>
  %all = tfx_tensor.const dense<[0, 1, 2]> : tensor<3xi32>
  %sums = tfx_tensor.op "Sum"(%x, %all) : (!X, tensor<3xi32>) -> tensor<4xf32>
  %in = tfx_tensor.op "AddV2"(%image, %sums) : (tensor<1x2x2x4xf32>, tensor<4xf32>) -> tensor<1x2x2x4xf32>
  %y:6 = tfx_tensor.op "FusedBatchNormV3"(%in, %scale, %scale, %none, %none) {epsilon = 0.01 : f32, is_training = true} : (tensor<1x2x2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<0xf32>, tensor<0xf32>) -> (tensor<1x2x2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<*xf32>)
  %dy = tfx_tensor.op "Mul"(%y#0, %image) : (tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  %d:5 = tfx_tensor.op "FusedBatchNormGradV3"(%dy, %in, %scale, %y#3, %y#4, %y#5) {epsilon = 0.01 : f32, is_training = true} : (tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<*xf32>) -> (tensor<1x2x2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<0xf32>, tensor<0xf32>)
  %a = tfx_tensor.op "Mul"(%y#0, %hundred) : (tensor<1x2x2x4xf32>, tensor<f32>) -> tensor<1x2x2x4xf32>
  %b = tfx_tensor.op "Mul"(%y#2, %hundred) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %c = tfx_tensor.op "Mul"(%d#0, %hundred) : (tensor<1x2x2x4xf32>, tensor<f32>) -> tensor<1x2x2x4xf32>
  %a.whole = tfx_tensor.op "Rint"(%a) : (tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  %b.whole = tfx_tensor.op "Rint"(%b) : (tensor<4xf32>) -> tensor<4xf32>
  %c.whole = tfx_tensor.op "Rint"(%c) : (tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  %i = tfx_tensor.op "Cast"(%a.whole) : (tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xi32>
  %j = tfx_tensor.op "Cast"(%b.whole) : (tensor<4xf32>) -> tensor<4xi32>
  %k = tfx_tensor.op "Cast"(%c.whole) : (tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xi32>
  return %i, %j, %k : tensor<1x2x2x4xi32>, tensor<4xi32>, tensor<1x2x2x4xi32>
}

// Two groups of two channels, each with three of the results.
func.func private @grouped(%x: !X) -> tensor<?x3x2x6xf32> {
  %filter = tfx_tensor.const dense<[[[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0.0, 1.0, -2.0, 1.0, 3.0, -1.0]], [[2.0, 0.0, 1.0, 1.0, -1.0, 2.0], [1.0, 1.0, 0.0, 2.0, 2.0, 0.0]]]]> : tensor<1x2x2x6xf32>
  %y = tfx_tensor.op "Conv2D"(%x, %filter) {strides = [1 : i64, 2 : i64, 2 : i64, 1 : i64], padding = "SAME"} : (!X, tensor<1x2x2x6xf32>) -> tensor<?x3x2x6xf32>
  return %y : tensor<?x3x2x6xf32>
}

func.func @main(%n: i64 {tfx.name = "n"}) {
  %x = func.call @images(%n) : (i64) -> !X
  %d:2 = func.call @dilated(%x) : (!X) -> (tensor<?x6x4x2xf32>, tensor<?x4x2x4xf32>)
  %s:4 = func.call @depths(%x) : (!X) -> (tensor<?x3x2x16xf32>, tensor<?x12x8x1xf32>, !X, !X)
  %r:5 = func.call @resized(%x) : (!X) -> (tensor<?x9x7x4xf32>, tensor<?x4x8x4xf32>, tensor<?x9x7x4xf32>, tensor<?x11x3x4xf32>, !X)
  %m:2 = func.call @mirrored(%x) : (!X) -> (tensor<7x7xf32>, tensor<?x12x5x4xf32>)
  %b:3 = func.call @normalized(%x) : (!X) -> (!X, tensor<4xf32>, tensor<4xf32>)
  %t:3 = func.call @trained(%x) : (!X) -> (tensor<1x2x2x4xi32>, tensor<4xi32>, tensor<1x2x2x4xi32>)
  %g = func.call @grouped(%x) : (!X) -> tensor<?x3x2x6xf32>
  tfx_host.print "{} {} {}"(%d#0, %d#1, %g) : tensor<?x6x4x2xf32>, tensor<?x4x2x4xf32>, tensor<?x3x2x6xf32>
  tfx_host.print "{} {} {} {}"(%s#0, %s#1, %s#2, %s#3) : tensor<?x3x2x16xf32>, tensor<?x12x8x1xf32>, !X, !X
  tfx_host.print "{} {} {} {} {}"(%r#0, %r#1, %r#2, %r#3, %r#4) : tensor<?x9x7x4xf32>, tensor<?x4x8x4xf32>, tensor<?x9x7x4xf32>, tensor<?x11x3x4xf32>, !X
  tfx_host.print "{} {}"(%m#0, %m#1) : tensor<7x7xf32>, tensor<?x12x5x4xf32>
  tfx_host.print "{} {} {}"(%b#0, %b#1, %b#2) : !X, tensor<4xf32>, tensor<4xf32>
  tfx_host.print "{} {} {}"(%t#0, %t#1, %t#2) : tensor<1x2x2x4xi32>, tensor<4xi32>, tensor<1x2x2x4xi32>
  return
}
