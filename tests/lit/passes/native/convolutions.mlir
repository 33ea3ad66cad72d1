// Convolutions and their gradients, with the results of the embedded executor: strides, dilations,
// paddings, channels that fill no vector, one pixel, and an unknown number of images. All sums are of
// small whole numbers, and exact.
//
// RUN: tfxc run %s 3 --executor embedded > %t.embedded
// RUN: tfxc run %s 3 --executor native | diff %t.embedded -
// RUN: tfxc run %s 3 --executor native --native-vectors 16 | diff %t.embedded -
// RUN: tfxc run %s 3 --executor native --native-vectors 16 | diff %t.embedded -
// RUN: tfxc run %s 3 --executor native --stats 2>&1 | FileCheck %s --check-prefix=STATS
// STATS:     native code: {{[0-9]+}} calls
// STATS-NOT: gave up
//
// Without images.
// RUN: tfxc run %s 0 --executor embedded > %t.embedded0
// RUN: tfxc run %s 0 --executor native | diff %t.embedded0 -
//
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-compile-graph{native=true native-explain=true})' -o /dev/null 2>&1 | FileCheck %s
// CHECK-NOT: not compiled to native code: {{.*}}"Conv2D
// CHECK: a cluster of native code starts here
// CHECK-NOT: not compiled to native code: {{.*}}"Conv2D

// Small whole numbers, as many as a shape has elements.
func.func private @elements(%shape: tensor<4xi32>, %by: i32) -> tensor<?x?x?x?xf32> {
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %five = tfx_tensor.const dense<5> : tensor<i32>
  %two = tfx_tensor.const dense<2> : tensor<i32>
  %all = tfx_tensor.const dense<-1> : tensor<1xi32>
  %factor = tfx_tensor.from_scalar %by : i32
  %ones = tfx_tensor.op "Fill"(%shape, %one) : (tensor<4xi32>, tensor<i32>) -> tensor<?x?x?x?xi32>
  %list = tfx_tensor.op "Reshape"(%ones, %all) : (tensor<?x?x?x?xi32>, tensor<1xi32>) -> tensor<?xi32>
  %before = tfx_tensor.op "Cumsum"(%list, %axis) {exclusive = true} : (tensor<?xi32>, tensor<i32>) -> tensor<?xi32>
  %inverse = tfx_tensor.op "InvertPermutation"(%before) : (tensor<?xi32>) -> tensor<?xi32>
  %numbers = tfx_tensor.op "AddV2"(%inverse, %one) : (tensor<?xi32>, tensor<i32>) -> tensor<?xi32>
  %products = tfx_tensor.op "Mul"(%numbers, %factor) : (tensor<?xi32>, tensor<i32>) -> tensor<?xi32>
  %mixed = tfx_tensor.op "FloorDiv"(%products, %two) : (tensor<?xi32>, tensor<i32>) -> tensor<?xi32>
  %small = tfx_tensor.op "FloorMod"(%mixed, %five) : (tensor<?xi32>, tensor<i32>) -> tensor<?xi32>
  %less = tfx_tensor.op "Sub"(%small, %two) : (tensor<?xi32>, tensor<i32>) -> tensor<?xi32>
  %floats = tfx_tensor.op "Cast"(%less) : (tensor<?xi32>) -> tensor<?xf32>
  %x = tfx_tensor.op "Reshape"(%floats, %shape) : (tensor<?xf32>, tensor<4xi32>) -> tensor<?x?x?x?xf32>
  return %x : tensor<?x?x?x?xf32>
}

func.func private @same(%x: tensor<?x7x9x3xf32>, %w: tensor<3x3x3x5xf32>) -> (tensor<?x7x9x5xf32>, tensor<?x7x9x3xf32>, tensor<3x3x3x5xf32>) {
  %y = tfx_tensor.op "Conv2D"(%x, %w) {strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "SAME"} : (tensor<?x7x9x3xf32>, tensor<3x3x3x5xf32>) -> tensor<?x7x9x5xf32>
  %two = tfx_tensor.const dense<2.0> : tensor<f32>
  %small = tfx_tensor.op "Minimum"(%y, %two) : (tensor<?x7x9x5xf32>, tensor<f32>) -> tensor<?x7x9x5xf32>
  %sizes = tfx_tensor.op "Shape"(%x) : (tensor<?x7x9x3xf32>) -> tensor<4xi32>
  %dx = tfx_tensor.op "Conv2DBackpropInput"(%sizes, %w, %small) {strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "SAME"} : (tensor<4xi32>, tensor<3x3x3x5xf32>, tensor<?x7x9x5xf32>) -> tensor<?x7x9x3xf32>
  %filter = tfx_tensor.const dense<[3, 3, 3, 5]> : tensor<4xi32>
  %dw = tfx_tensor.op "Conv2DBackpropFilter"(%x, %filter, %small) {strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "SAME"} : (tensor<?x7x9x3xf32>, tensor<4xi32>, tensor<?x7x9x5xf32>) -> tensor<3x3x3x5xf32>
  return %y, %dx, %dw : tensor<?x7x9x5xf32>, tensor<?x7x9x3xf32>, tensor<3x3x3x5xf32>
}

func.func private @valid(%x: tensor<?x8x6x2xf32>, %w: tensor<3x2x2x33xf32>) -> (tensor<?x6x5x33xf32>, tensor<?x8x6x2xf32>, tensor<3x2x2x33xf32>) {
  %y = tfx_tensor.op "Conv2D"(%x, %w) {strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "VALID"} : (tensor<?x8x6x2xf32>, tensor<3x2x2x33xf32>) -> tensor<?x6x5x33xf32>
  %two = tfx_tensor.const dense<2.0> : tensor<f32>
  %small = tfx_tensor.op "Minimum"(%y, %two) : (tensor<?x6x5x33xf32>, tensor<f32>) -> tensor<?x6x5x33xf32>
  %sizes = tfx_tensor.op "Shape"(%x) : (tensor<?x8x6x2xf32>) -> tensor<4xi32>
  %dx = tfx_tensor.op "Conv2DBackpropInput"(%sizes, %w, %small) {strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "VALID"} : (tensor<4xi32>, tensor<3x2x2x33xf32>, tensor<?x6x5x33xf32>) -> tensor<?x8x6x2xf32>
  %filter = tfx_tensor.const dense<[3, 2, 2, 33]> : tensor<4xi32>
  %dw = tfx_tensor.op "Conv2DBackpropFilter"(%x, %filter, %small) {strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "VALID"} : (tensor<?x8x6x2xf32>, tensor<4xi32>, tensor<?x6x5x33xf32>) -> tensor<3x2x2x33xf32>
  return %y, %dx, %dw : tensor<?x6x5x33xf32>, tensor<?x8x6x2xf32>, tensor<3x2x2x33xf32>
}

func.func private @strides(%x: tensor<?x9x8x3xf32>, %w: tensor<3x3x3x4xf32>) -> (tensor<?x5x4x4xf32>, tensor<?x9x8x3xf32>, tensor<3x3x3x4xf32>) {
  %y = tfx_tensor.op "Conv2D"(%x, %w) {strides = [1 : i64, 2 : i64, 2 : i64, 1 : i64], padding = "SAME"} : (tensor<?x9x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<?x5x4x4xf32>
  %two = tfx_tensor.const dense<2.0> : tensor<f32>
  %small = tfx_tensor.op "Minimum"(%y, %two) : (tensor<?x5x4x4xf32>, tensor<f32>) -> tensor<?x5x4x4xf32>
  %sizes = tfx_tensor.op "Shape"(%x) : (tensor<?x9x8x3xf32>) -> tensor<4xi32>
  %dx = tfx_tensor.op "Conv2DBackpropInput"(%sizes, %w, %small) {strides = [1 : i64, 2 : i64, 2 : i64, 1 : i64], padding = "SAME"} : (tensor<4xi32>, tensor<3x3x3x4xf32>, tensor<?x5x4x4xf32>) -> tensor<?x9x8x3xf32>
  %filter = tfx_tensor.const dense<[3, 3, 3, 4]> : tensor<4xi32>
  %dw = tfx_tensor.op "Conv2DBackpropFilter"(%x, %filter, %small) {strides = [1 : i64, 2 : i64, 2 : i64, 1 : i64], padding = "SAME"} : (tensor<?x9x8x3xf32>, tensor<4xi32>, tensor<?x5x4x4xf32>) -> tensor<3x3x3x4xf32>
  return %y, %dx, %dw : tensor<?x5x4x4xf32>, tensor<?x9x8x3xf32>, tensor<3x3x3x4xf32>
}

func.func private @uneven(%x: tensor<?x7x10x1xf32>, %w: tensor<2x5x1x7xf32>) -> (tensor<?x2x3x7xf32>, tensor<?x7x10x1xf32>, tensor<2x5x1x7xf32>) {
  %y = tfx_tensor.op "Conv2D"(%x, %w) {strides = [1 : i64, 3 : i64, 2 : i64, 1 : i64], padding = "VALID"} : (tensor<?x7x10x1xf32>, tensor<2x5x1x7xf32>) -> tensor<?x2x3x7xf32>
  %two = tfx_tensor.const dense<2.0> : tensor<f32>
  %small = tfx_tensor.op "Minimum"(%y, %two) : (tensor<?x2x3x7xf32>, tensor<f32>) -> tensor<?x2x3x7xf32>
  %sizes = tfx_tensor.op "Shape"(%x) : (tensor<?x7x10x1xf32>) -> tensor<4xi32>
  %dx = tfx_tensor.op "Conv2DBackpropInput"(%sizes, %w, %small) {strides = [1 : i64, 3 : i64, 2 : i64, 1 : i64], padding = "VALID"} : (tensor<4xi32>, tensor<2x5x1x7xf32>, tensor<?x2x3x7xf32>) -> tensor<?x7x10x1xf32>
  %filter = tfx_tensor.const dense<[2, 5, 1, 7]> : tensor<4xi32>
  %dw = tfx_tensor.op "Conv2DBackpropFilter"(%x, %filter, %small) {strides = [1 : i64, 3 : i64, 2 : i64, 1 : i64], padding = "VALID"} : (tensor<?x7x10x1xf32>, tensor<4xi32>, tensor<?x2x3x7xf32>) -> tensor<2x5x1x7xf32>
  return %y, %dx, %dw : tensor<?x2x3x7xf32>, tensor<?x7x10x1xf32>, tensor<2x5x1x7xf32>
}

func.func private @dilated(%x: tensor<?x9x11x2xf32>, %w: tensor<3x3x2x6xf32>) -> (tensor<?x9x11x6xf32>) {
  %y = tfx_tensor.op "Conv2D"(%x, %w) {strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "SAME", dilations = [1 : i64, 2 : i64, 3 : i64, 1 : i64]} : (tensor<?x9x11x2xf32>, tensor<3x3x2x6xf32>) -> tensor<?x9x11x6xf32>
  return %y : tensor<?x9x11x6xf32>
}

func.func private @explicit(%x: tensor<?x6x20x3xf32>, %w: tensor<4x3x3x8xf32>) -> (tensor<?x6x10x8xf32>, tensor<?x6x20x3xf32>, tensor<4x3x3x8xf32>) {
  %y = tfx_tensor.op "Conv2D"(%x, %w) {strides = [1 : i64, 1 : i64, 2 : i64, 1 : i64], padding = "EXPLICIT", explicit_paddings = [0 : i64, 0 : i64, 2 : i64, 1 : i64, 0 : i64, 2 : i64, 0 : i64, 0 : i64]} : (tensor<?x6x20x3xf32>, tensor<4x3x3x8xf32>) -> tensor<?x6x10x8xf32>
  %two = tfx_tensor.const dense<2.0> : tensor<f32>
  %small = tfx_tensor.op "Minimum"(%y, %two) : (tensor<?x6x10x8xf32>, tensor<f32>) -> tensor<?x6x10x8xf32>
  %sizes = tfx_tensor.op "Shape"(%x) : (tensor<?x6x20x3xf32>) -> tensor<4xi32>
  %dx = tfx_tensor.op "Conv2DBackpropInput"(%sizes, %w, %small) {strides = [1 : i64, 1 : i64, 2 : i64, 1 : i64], padding = "EXPLICIT", explicit_paddings = [0 : i64, 0 : i64, 2 : i64, 1 : i64, 0 : i64, 2 : i64, 0 : i64, 0 : i64]} : (tensor<4xi32>, tensor<4x3x3x8xf32>, tensor<?x6x10x8xf32>) -> tensor<?x6x20x3xf32>
  %filter = tfx_tensor.const dense<[4, 3, 3, 8]> : tensor<4xi32>
  %dw = tfx_tensor.op "Conv2DBackpropFilter"(%x, %filter, %small) {strides = [1 : i64, 1 : i64, 2 : i64, 1 : i64], padding = "EXPLICIT", explicit_paddings = [0 : i64, 0 : i64, 2 : i64, 1 : i64, 0 : i64, 2 : i64, 0 : i64, 0 : i64]} : (tensor<?x6x20x3xf32>, tensor<4xi32>, tensor<?x6x10x8xf32>) -> tensor<4x3x3x8xf32>
  return %y, %dx, %dw : tensor<?x6x10x8xf32>, tensor<?x6x20x3xf32>, tensor<4x3x3x8xf32>
}

func.func private @pixels(%x: tensor<?x4x5x3xf32>, %w: tensor<1x1x3x10xf32>) -> (tensor<?x4x5x10xf32>, tensor<?x4x5x3xf32>, tensor<1x1x3x10xf32>) {
  %y = tfx_tensor.op "Conv2D"(%x, %w) {strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "SAME"} : (tensor<?x4x5x3xf32>, tensor<1x1x3x10xf32>) -> tensor<?x4x5x10xf32>
  %two = tfx_tensor.const dense<2.0> : tensor<f32>
  %small = tfx_tensor.op "Minimum"(%y, %two) : (tensor<?x4x5x10xf32>, tensor<f32>) -> tensor<?x4x5x10xf32>
  %sizes = tfx_tensor.op "Shape"(%x) : (tensor<?x4x5x3xf32>) -> tensor<4xi32>
  %dx = tfx_tensor.op "Conv2DBackpropInput"(%sizes, %w, %small) {strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "SAME"} : (tensor<4xi32>, tensor<1x1x3x10xf32>, tensor<?x4x5x10xf32>) -> tensor<?x4x5x3xf32>
  %filter = tfx_tensor.const dense<[1, 1, 3, 10]> : tensor<4xi32>
  %dw = tfx_tensor.op "Conv2DBackpropFilter"(%x, %filter, %small) {strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "SAME"} : (tensor<?x4x5x3xf32>, tensor<4xi32>, tensor<?x4x5x10xf32>) -> tensor<1x1x3x10xf32>
  return %y, %dx, %dw : tensor<?x4x5x10xf32>, tensor<?x4x5x3xf32>, tensor<1x1x3x10xf32>
}

func.func private @skips(%x: tensor<?x6x7x4xf32>, %w: tensor<1x1x4x3xf32>) -> (tensor<?x3x4x3xf32>, tensor<?x6x7x4xf32>, tensor<1x1x4x3xf32>) {
  %y = tfx_tensor.op "Conv2D"(%x, %w) {strides = [1 : i64, 2 : i64, 2 : i64, 1 : i64], padding = "SAME"} : (tensor<?x6x7x4xf32>, tensor<1x1x4x3xf32>) -> tensor<?x3x4x3xf32>
  %two = tfx_tensor.const dense<2.0> : tensor<f32>
  %small = tfx_tensor.op "Minimum"(%y, %two) : (tensor<?x3x4x3xf32>, tensor<f32>) -> tensor<?x3x4x3xf32>
  %sizes = tfx_tensor.op "Shape"(%x) : (tensor<?x6x7x4xf32>) -> tensor<4xi32>
  %dx = tfx_tensor.op "Conv2DBackpropInput"(%sizes, %w, %small) {strides = [1 : i64, 2 : i64, 2 : i64, 1 : i64], padding = "SAME"} : (tensor<4xi32>, tensor<1x1x4x3xf32>, tensor<?x3x4x3xf32>) -> tensor<?x6x7x4xf32>
  %filter = tfx_tensor.const dense<[1, 1, 4, 3]> : tensor<4xi32>
  %dw = tfx_tensor.op "Conv2DBackpropFilter"(%x, %filter, %small) {strides = [1 : i64, 2 : i64, 2 : i64, 1 : i64], padding = "SAME"} : (tensor<?x6x7x4xf32>, tensor<4xi32>, tensor<?x3x4x3xf32>) -> tensor<1x1x4x3xf32>
  return %y, %dx, %dw : tensor<?x3x4x3xf32>, tensor<?x6x7x4xf32>, tensor<1x1x4x3xf32>
}

func.func private @whole(%x: tensor<?x4x4x3xf32>, %w: tensor<4x4x3x70xf32>) -> (tensor<?x1x1x70xf32>, tensor<?x4x4x3xf32>, tensor<4x4x3x70xf32>) {
  %y = tfx_tensor.op "Conv2D"(%x, %w) {strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "VALID"} : (tensor<?x4x4x3xf32>, tensor<4x4x3x70xf32>) -> tensor<?x1x1x70xf32>
  %two = tfx_tensor.const dense<2.0> : tensor<f32>
  %small = tfx_tensor.op "Minimum"(%y, %two) : (tensor<?x1x1x70xf32>, tensor<f32>) -> tensor<?x1x1x70xf32>
  %sizes = tfx_tensor.op "Shape"(%x) : (tensor<?x4x4x3xf32>) -> tensor<4xi32>
  %dx = tfx_tensor.op "Conv2DBackpropInput"(%sizes, %w, %small) {strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "VALID"} : (tensor<4xi32>, tensor<4x4x3x70xf32>, tensor<?x1x1x70xf32>) -> tensor<?x4x4x3xf32>
  %filter = tfx_tensor.const dense<[4, 4, 3, 70]> : tensor<4xi32>
  %dw = tfx_tensor.op "Conv2DBackpropFilter"(%x, %filter, %small) {strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "VALID"} : (tensor<?x4x4x3xf32>, tensor<4xi32>, tensor<?x1x1x70xf32>) -> tensor<4x4x3x70xf32>
  return %y, %dx, %dw : tensor<?x1x1x70xf32>, tensor<?x4x4x3xf32>, tensor<4x4x3x70xf32>
}

func.func @main(%n: i32 {tfx.name = "n"}) {
  %three = arith.constant 3 : i32
  %seven = arith.constant 7 : i32
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %n.t = tfx_tensor.from_scalar %n : i32
  %count = tfx_tensor.op "ExpandDims"(%n.t, %axis) : (tensor<i32>, tensor<i32>) -> tensor<1xi32>
  %s0 = tfx_tensor.const dense<[7, 9, 3]> : tensor<3xi32>
  %xs0 = tfx_tensor.op "ConcatV2"(%count, %s0, %axis) : (tensor<1xi32>, tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
  %x0.any = func.call @elements(%xs0, %seven) : (tensor<4xi32>, i32) -> tensor<?x?x?x?xf32>
  %x0 = tfx_tensor.op "Reshape"(%x0.any, %xs0) : (tensor<?x?x?x?xf32>, tensor<4xi32>) -> tensor<?x7x9x3xf32>
  %ws0 = tfx_tensor.const dense<[3, 3, 3, 5]> : tensor<4xi32>
  %w0.any = func.call @elements(%ws0, %three) : (tensor<4xi32>, i32) -> tensor<?x?x?x?xf32>
  %w0 = tfx_tensor.op "Reshape"(%w0.any, %ws0) : (tensor<?x?x?x?xf32>, tensor<4xi32>) -> tensor<3x3x3x5xf32>
  %r0:3 = func.call @same(%x0, %w0) : (tensor<?x7x9x3xf32>, tensor<3x3x3x5xf32>) -> (tensor<?x7x9x5xf32>, tensor<?x7x9x3xf32>, tensor<3x3x3x5xf32>)
  %s1 = tfx_tensor.const dense<[8, 6, 2]> : tensor<3xi32>
  %xs1 = tfx_tensor.op "ConcatV2"(%count, %s1, %axis) : (tensor<1xi32>, tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
  %x1.any = func.call @elements(%xs1, %seven) : (tensor<4xi32>, i32) -> tensor<?x?x?x?xf32>
  %x1 = tfx_tensor.op "Reshape"(%x1.any, %xs1) : (tensor<?x?x?x?xf32>, tensor<4xi32>) -> tensor<?x8x6x2xf32>
  %ws1 = tfx_tensor.const dense<[3, 2, 2, 33]> : tensor<4xi32>
  %w1.any = func.call @elements(%ws1, %three) : (tensor<4xi32>, i32) -> tensor<?x?x?x?xf32>
  %w1 = tfx_tensor.op "Reshape"(%w1.any, %ws1) : (tensor<?x?x?x?xf32>, tensor<4xi32>) -> tensor<3x2x2x33xf32>
  %r1:3 = func.call @valid(%x1, %w1) : (tensor<?x8x6x2xf32>, tensor<3x2x2x33xf32>) -> (tensor<?x6x5x33xf32>, tensor<?x8x6x2xf32>, tensor<3x2x2x33xf32>)
  %s2 = tfx_tensor.const dense<[9, 8, 3]> : tensor<3xi32>
  %xs2 = tfx_tensor.op "ConcatV2"(%count, %s2, %axis) : (tensor<1xi32>, tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
  %x2.any = func.call @elements(%xs2, %seven) : (tensor<4xi32>, i32) -> tensor<?x?x?x?xf32>
  %x2 = tfx_tensor.op "Reshape"(%x2.any, %xs2) : (tensor<?x?x?x?xf32>, tensor<4xi32>) -> tensor<?x9x8x3xf32>
  %ws2 = tfx_tensor.const dense<[3, 3, 3, 4]> : tensor<4xi32>
  %w2.any = func.call @elements(%ws2, %three) : (tensor<4xi32>, i32) -> tensor<?x?x?x?xf32>
  %w2 = tfx_tensor.op "Reshape"(%w2.any, %ws2) : (tensor<?x?x?x?xf32>, tensor<4xi32>) -> tensor<3x3x3x4xf32>
  %r2:3 = func.call @strides(%x2, %w2) : (tensor<?x9x8x3xf32>, tensor<3x3x3x4xf32>) -> (tensor<?x5x4x4xf32>, tensor<?x9x8x3xf32>, tensor<3x3x3x4xf32>)
  %s3 = tfx_tensor.const dense<[7, 10, 1]> : tensor<3xi32>
  %xs3 = tfx_tensor.op "ConcatV2"(%count, %s3, %axis) : (tensor<1xi32>, tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
  %x3.any = func.call @elements(%xs3, %seven) : (tensor<4xi32>, i32) -> tensor<?x?x?x?xf32>
  %x3 = tfx_tensor.op "Reshape"(%x3.any, %xs3) : (tensor<?x?x?x?xf32>, tensor<4xi32>) -> tensor<?x7x10x1xf32>
  %ws3 = tfx_tensor.const dense<[2, 5, 1, 7]> : tensor<4xi32>
  %w3.any = func.call @elements(%ws3, %three) : (tensor<4xi32>, i32) -> tensor<?x?x?x?xf32>
  %w3 = tfx_tensor.op "Reshape"(%w3.any, %ws3) : (tensor<?x?x?x?xf32>, tensor<4xi32>) -> tensor<2x5x1x7xf32>
  %r3:3 = func.call @uneven(%x3, %w3) : (tensor<?x7x10x1xf32>, tensor<2x5x1x7xf32>) -> (tensor<?x2x3x7xf32>, tensor<?x7x10x1xf32>, tensor<2x5x1x7xf32>)
  %s4 = tfx_tensor.const dense<[9, 11, 2]> : tensor<3xi32>
  %xs4 = tfx_tensor.op "ConcatV2"(%count, %s4, %axis) : (tensor<1xi32>, tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
  %x4.any = func.call @elements(%xs4, %seven) : (tensor<4xi32>, i32) -> tensor<?x?x?x?xf32>
  %x4 = tfx_tensor.op "Reshape"(%x4.any, %xs4) : (tensor<?x?x?x?xf32>, tensor<4xi32>) -> tensor<?x9x11x2xf32>
  %ws4 = tfx_tensor.const dense<[3, 3, 2, 6]> : tensor<4xi32>
  %w4.any = func.call @elements(%ws4, %three) : (tensor<4xi32>, i32) -> tensor<?x?x?x?xf32>
  %w4 = tfx_tensor.op "Reshape"(%w4.any, %ws4) : (tensor<?x?x?x?xf32>, tensor<4xi32>) -> tensor<3x3x2x6xf32>
  %r4 = func.call @dilated(%x4, %w4) : (tensor<?x9x11x2xf32>, tensor<3x3x2x6xf32>) -> (tensor<?x9x11x6xf32>)
  %s5 = tfx_tensor.const dense<[6, 20, 3]> : tensor<3xi32>
  %xs5 = tfx_tensor.op "ConcatV2"(%count, %s5, %axis) : (tensor<1xi32>, tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
  %x5.any = func.call @elements(%xs5, %seven) : (tensor<4xi32>, i32) -> tensor<?x?x?x?xf32>
  %x5 = tfx_tensor.op "Reshape"(%x5.any, %xs5) : (tensor<?x?x?x?xf32>, tensor<4xi32>) -> tensor<?x6x20x3xf32>
  %ws5 = tfx_tensor.const dense<[4, 3, 3, 8]> : tensor<4xi32>
  %w5.any = func.call @elements(%ws5, %three) : (tensor<4xi32>, i32) -> tensor<?x?x?x?xf32>
  %w5 = tfx_tensor.op "Reshape"(%w5.any, %ws5) : (tensor<?x?x?x?xf32>, tensor<4xi32>) -> tensor<4x3x3x8xf32>
  %r5:3 = func.call @explicit(%x5, %w5) : (tensor<?x6x20x3xf32>, tensor<4x3x3x8xf32>) -> (tensor<?x6x10x8xf32>, tensor<?x6x20x3xf32>, tensor<4x3x3x8xf32>)
  %s6 = tfx_tensor.const dense<[4, 5, 3]> : tensor<3xi32>
  %xs6 = tfx_tensor.op "ConcatV2"(%count, %s6, %axis) : (tensor<1xi32>, tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
  %x6.any = func.call @elements(%xs6, %seven) : (tensor<4xi32>, i32) -> tensor<?x?x?x?xf32>
  %x6 = tfx_tensor.op "Reshape"(%x6.any, %xs6) : (tensor<?x?x?x?xf32>, tensor<4xi32>) -> tensor<?x4x5x3xf32>
  %ws6 = tfx_tensor.const dense<[1, 1, 3, 10]> : tensor<4xi32>
  %w6.any = func.call @elements(%ws6, %three) : (tensor<4xi32>, i32) -> tensor<?x?x?x?xf32>
  %w6 = tfx_tensor.op "Reshape"(%w6.any, %ws6) : (tensor<?x?x?x?xf32>, tensor<4xi32>) -> tensor<1x1x3x10xf32>
  %r6:3 = func.call @pixels(%x6, %w6) : (tensor<?x4x5x3xf32>, tensor<1x1x3x10xf32>) -> (tensor<?x4x5x10xf32>, tensor<?x4x5x3xf32>, tensor<1x1x3x10xf32>)
  %s7 = tfx_tensor.const dense<[6, 7, 4]> : tensor<3xi32>
  %xs7 = tfx_tensor.op "ConcatV2"(%count, %s7, %axis) : (tensor<1xi32>, tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
  %x7.any = func.call @elements(%xs7, %seven) : (tensor<4xi32>, i32) -> tensor<?x?x?x?xf32>
  %x7 = tfx_tensor.op "Reshape"(%x7.any, %xs7) : (tensor<?x?x?x?xf32>, tensor<4xi32>) -> tensor<?x6x7x4xf32>
  %ws7 = tfx_tensor.const dense<[1, 1, 4, 3]> : tensor<4xi32>
  %w7.any = func.call @elements(%ws7, %three) : (tensor<4xi32>, i32) -> tensor<?x?x?x?xf32>
  %w7 = tfx_tensor.op "Reshape"(%w7.any, %ws7) : (tensor<?x?x?x?xf32>, tensor<4xi32>) -> tensor<1x1x4x3xf32>
  %r7:3 = func.call @skips(%x7, %w7) : (tensor<?x6x7x4xf32>, tensor<1x1x4x3xf32>) -> (tensor<?x3x4x3xf32>, tensor<?x6x7x4xf32>, tensor<1x1x4x3xf32>)
  %s8 = tfx_tensor.const dense<[4, 4, 3]> : tensor<3xi32>
  %xs8 = tfx_tensor.op "ConcatV2"(%count, %s8, %axis) : (tensor<1xi32>, tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
  %x8.any = func.call @elements(%xs8, %seven) : (tensor<4xi32>, i32) -> tensor<?x?x?x?xf32>
  %x8 = tfx_tensor.op "Reshape"(%x8.any, %xs8) : (tensor<?x?x?x?xf32>, tensor<4xi32>) -> tensor<?x4x4x3xf32>
  %ws8 = tfx_tensor.const dense<[4, 4, 3, 70]> : tensor<4xi32>
  %w8.any = func.call @elements(%ws8, %three) : (tensor<4xi32>, i32) -> tensor<?x?x?x?xf32>
  %w8 = tfx_tensor.op "Reshape"(%w8.any, %ws8) : (tensor<?x?x?x?xf32>, tensor<4xi32>) -> tensor<4x4x3x70xf32>
  %r8:3 = func.call @whole(%x8, %w8) : (tensor<?x4x4x3xf32>, tensor<4x4x3x70xf32>) -> (tensor<?x1x1x70xf32>, tensor<?x4x4x3xf32>, tensor<4x4x3x70xf32>)
  tfx_host.print "same {} {} {}"(%r0#0, %r0#1, %r0#2) : tensor<?x7x9x5xf32>, tensor<?x7x9x3xf32>, tensor<3x3x3x5xf32>
  tfx_host.print "valid {} {} {}"(%r1#0, %r1#1, %r1#2) : tensor<?x6x5x33xf32>, tensor<?x8x6x2xf32>, tensor<3x2x2x33xf32>
  tfx_host.print "strides {} {} {}"(%r2#0, %r2#1, %r2#2) : tensor<?x5x4x4xf32>, tensor<?x9x8x3xf32>, tensor<3x3x3x4xf32>
  tfx_host.print "uneven {} {} {}"(%r3#0, %r3#1, %r3#2) : tensor<?x2x3x7xf32>, tensor<?x7x10x1xf32>, tensor<2x5x1x7xf32>
  tfx_host.print "dilated {}"(%r4) : tensor<?x9x11x6xf32>
  tfx_host.print "explicit {} {} {}"(%r5#0, %r5#1, %r5#2) : tensor<?x6x10x8xf32>, tensor<?x6x20x3xf32>, tensor<4x3x3x8xf32>
  tfx_host.print "pixels {} {} {}"(%r6#0, %r6#1, %r6#2) : tensor<?x4x5x10xf32>, tensor<?x4x5x3xf32>, tensor<1x1x3x10xf32>
  tfx_host.print "skips {} {} {}"(%r7#0, %r7#1, %r7#2) : tensor<?x3x4x3xf32>, tensor<?x6x7x4xf32>, tensor<1x1x4x3xf32>
  tfx_host.print "whole {} {} {}"(%r8#0, %r8#1, %r8#2) : tensor<?x1x1x70xf32>, tensor<?x4x4x3xf32>, tensor<4x4x3x70xf32>
  return
}
