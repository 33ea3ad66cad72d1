// Pools, convolutions that keep channels apart, and their gradients, with the results of the embedded
// executor: overlapping windows, windows over the edges, one channel and several, integers, and NaN
// and infinities. All sums are of small whole numbers, and exact.
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
// CHECK-NOT: not compiled to native code: {{.*}}"{{MaxPool|AvgPool|Depthwise}}
// CHECK: a cluster of native code starts here
// CHECK-NOT: not compiled to native code: {{.*}}"{{MaxPool|AvgPool|Depthwise}}

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

func.func private @quarters(%x32: tensor<?x6x8x16xf32>) -> (tensor<?x3x4x16xf32>, tensor<?x6x8x16xf32>, tensor<?x3x4x16xf32>, tensor<?x6x8x16xf32>) {
  %x = tfx_tensor.op "Cast"(%x32) : (tensor<?x6x8x16xf32>) -> tensor<?x6x8x16xf32>
  %y = tfx_tensor.op "MaxPool"(%x) {ksize = [1 : i64, 2 : i64, 2 : i64, 1 : i64], strides = [1 : i64, 2 : i64, 2 : i64, 1 : i64], padding = "VALID"} : (tensor<?x6x8x16xf32>) -> tensor<?x3x4x16xf32>
  %twice = tfx_tensor.op "AddV2"(%y, %y) : (tensor<?x3x4x16xf32>, tensor<?x3x4x16xf32>) -> tensor<?x3x4x16xf32>
  %dx = tfx_tensor.op "MaxPoolGrad"(%x, %y, %twice) {ksize = [1 : i64, 2 : i64, 2 : i64, 1 : i64], strides = [1 : i64, 2 : i64, 2 : i64, 1 : i64], padding = "VALID"} : (tensor<?x6x8x16xf32>, tensor<?x3x4x16xf32>, tensor<?x3x4x16xf32>) -> tensor<?x6x8x16xf32>
  %mean = tfx_tensor.op "AvgPool"(%x) {ksize = [1 : i64, 2 : i64, 2 : i64, 1 : i64], strides = [1 : i64, 2 : i64, 2 : i64, 1 : i64], padding = "VALID"} : (tensor<?x6x8x16xf32>) -> tensor<?x3x4x16xf32>
  %sizes = tfx_tensor.op "Shape"(%x) : (tensor<?x6x8x16xf32>) -> tensor<4xi32>
  %dm = tfx_tensor.op "AvgPoolGrad"(%sizes, %y) {ksize = [1 : i64, 2 : i64, 2 : i64, 1 : i64], strides = [1 : i64, 2 : i64, 2 : i64, 1 : i64], padding = "VALID"} : (tensor<4xi32>, tensor<?x3x4x16xf32>) -> tensor<?x6x8x16xf32>
  return %y, %dx, %mean, %dm : tensor<?x3x4x16xf32>, tensor<?x6x8x16xf32>, tensor<?x3x4x16xf32>, tensor<?x6x8x16xf32>
}

func.func private @edges(%x32: tensor<?x7x5x3xf32>) -> (tensor<?x4x3x3xf32>, tensor<?x7x5x3xf32>, tensor<?x4x3x3xf32>, tensor<?x7x5x3xf32>) {
  %x = tfx_tensor.op "Cast"(%x32) : (tensor<?x7x5x3xf32>) -> tensor<?x7x5x3xf32>
  %y = tfx_tensor.op "MaxPool"(%x) {ksize = [1 : i64, 3 : i64, 2 : i64, 1 : i64], strides = [1 : i64, 2 : i64, 2 : i64, 1 : i64], padding = "SAME"} : (tensor<?x7x5x3xf32>) -> tensor<?x4x3x3xf32>
  %twice = tfx_tensor.op "AddV2"(%y, %y) : (tensor<?x4x3x3xf32>, tensor<?x4x3x3xf32>) -> tensor<?x4x3x3xf32>
  %dx = tfx_tensor.op "MaxPoolGrad"(%x, %y, %twice) {ksize = [1 : i64, 3 : i64, 2 : i64, 1 : i64], strides = [1 : i64, 2 : i64, 2 : i64, 1 : i64], padding = "SAME"} : (tensor<?x7x5x3xf32>, tensor<?x4x3x3xf32>, tensor<?x4x3x3xf32>) -> tensor<?x7x5x3xf32>
  %mean = tfx_tensor.op "AvgPool"(%x) {ksize = [1 : i64, 3 : i64, 2 : i64, 1 : i64], strides = [1 : i64, 2 : i64, 2 : i64, 1 : i64], padding = "SAME"} : (tensor<?x7x5x3xf32>) -> tensor<?x4x3x3xf32>
  %sizes = tfx_tensor.op "Shape"(%x) : (tensor<?x7x5x3xf32>) -> tensor<4xi32>
  %dm = tfx_tensor.op "AvgPoolGrad"(%sizes, %y) {ksize = [1 : i64, 3 : i64, 2 : i64, 1 : i64], strides = [1 : i64, 2 : i64, 2 : i64, 1 : i64], padding = "SAME"} : (tensor<4xi32>, tensor<?x4x3x3xf32>) -> tensor<?x7x5x3xf32>
  return %y, %dx, %mean, %dm : tensor<?x4x3x3xf32>, tensor<?x7x5x3xf32>, tensor<?x4x3x3xf32>, tensor<?x7x5x3xf32>
}

func.func private @overlaps(%x32: tensor<?x5x6x1xf32>) -> (tensor<?x5x6x1xf64>, tensor<?x5x6x1xf64>, tensor<?x5x6x1xf64>, tensor<?x5x6x1xf64>) {
  %x = tfx_tensor.op "Cast"(%x32) : (tensor<?x5x6x1xf32>) -> tensor<?x5x6x1xf64>
  %y = tfx_tensor.op "MaxPool"(%x) {ksize = [1 : i64, 3 : i64, 3 : i64, 1 : i64], strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "SAME"} : (tensor<?x5x6x1xf64>) -> tensor<?x5x6x1xf64>
  %twice = tfx_tensor.op "AddV2"(%y, %y) : (tensor<?x5x6x1xf64>, tensor<?x5x6x1xf64>) -> tensor<?x5x6x1xf64>
  %dx = tfx_tensor.op "MaxPoolGrad"(%x, %y, %twice) {ksize = [1 : i64, 3 : i64, 3 : i64, 1 : i64], strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "SAME"} : (tensor<?x5x6x1xf64>, tensor<?x5x6x1xf64>, tensor<?x5x6x1xf64>) -> tensor<?x5x6x1xf64>
  %mean = tfx_tensor.op "AvgPool"(%x) {ksize = [1 : i64, 3 : i64, 3 : i64, 1 : i64], strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "SAME"} : (tensor<?x5x6x1xf64>) -> tensor<?x5x6x1xf64>
  %sizes = tfx_tensor.op "Shape"(%x) : (tensor<?x5x6x1xf64>) -> tensor<4xi32>
  %dm = tfx_tensor.op "AvgPoolGrad"(%sizes, %y) {ksize = [1 : i64, 3 : i64, 3 : i64, 1 : i64], strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "SAME"} : (tensor<4xi32>, tensor<?x5x6x1xf64>) -> tensor<?x5x6x1xf64>
  return %y, %dx, %mean, %dm : tensor<?x5x6x1xf64>, tensor<?x5x6x1xf64>, tensor<?x5x6x1xf64>, tensor<?x5x6x1xf64>
}

func.func private @gaps(%x32: tensor<?x7x8x2xf32>) -> (tensor<?x3x3x2xf32>, tensor<?x7x8x2xf32>, tensor<?x3x3x2xf32>, tensor<?x7x8x2xf32>) {
  %x = tfx_tensor.op "Cast"(%x32) : (tensor<?x7x8x2xf32>) -> tensor<?x7x8x2xf32>
  %y = tfx_tensor.op "MaxPool"(%x) {ksize = [1 : i64, 1 : i64, 2 : i64, 1 : i64], strides = [1 : i64, 3 : i64, 3 : i64, 1 : i64], padding = "SAME"} : (tensor<?x7x8x2xf32>) -> tensor<?x3x3x2xf32>
  %twice = tfx_tensor.op "AddV2"(%y, %y) : (tensor<?x3x3x2xf32>, tensor<?x3x3x2xf32>) -> tensor<?x3x3x2xf32>
  %dx = tfx_tensor.op "MaxPoolGrad"(%x, %y, %twice) {ksize = [1 : i64, 1 : i64, 2 : i64, 1 : i64], strides = [1 : i64, 3 : i64, 3 : i64, 1 : i64], padding = "SAME"} : (tensor<?x7x8x2xf32>, tensor<?x3x3x2xf32>, tensor<?x3x3x2xf32>) -> tensor<?x7x8x2xf32>
  %mean = tfx_tensor.op "AvgPool"(%x) {ksize = [1 : i64, 1 : i64, 2 : i64, 1 : i64], strides = [1 : i64, 3 : i64, 3 : i64, 1 : i64], padding = "SAME"} : (tensor<?x7x8x2xf32>) -> tensor<?x3x3x2xf32>
  %sizes = tfx_tensor.op "Shape"(%x) : (tensor<?x7x8x2xf32>) -> tensor<4xi32>
  %dm = tfx_tensor.op "AvgPoolGrad"(%sizes, %y) {ksize = [1 : i64, 1 : i64, 2 : i64, 1 : i64], strides = [1 : i64, 3 : i64, 3 : i64, 1 : i64], padding = "SAME"} : (tensor<4xi32>, tensor<?x3x3x2xf32>) -> tensor<?x7x8x2xf32>
  return %y, %dx, %mean, %dm : tensor<?x3x3x2xf32>, tensor<?x7x8x2xf32>, tensor<?x3x3x2xf32>, tensor<?x7x8x2xf32>
}

func.func private @apart(%x: tensor<?x6x7x5xf32>, %w: tensor<3x3x5x1xf32>) -> (tensor<?x6x7x5xf32>, tensor<?x6x7x5xf32>, tensor<3x3x5x1xf32>) {
  %y = tfx_tensor.op "DepthwiseConv2dNative"(%x, %w) {strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "SAME"} : (tensor<?x6x7x5xf32>, tensor<3x3x5x1xf32>) -> tensor<?x6x7x5xf32>
  %two = tfx_tensor.const dense<2.0> : tensor<f32>
  %small = tfx_tensor.op "Minimum"(%y, %two) : (tensor<?x6x7x5xf32>, tensor<f32>) -> tensor<?x6x7x5xf32>
  %sizes = tfx_tensor.op "Shape"(%x) : (tensor<?x6x7x5xf32>) -> tensor<4xi32>
  %dx = tfx_tensor.op "DepthwiseConv2dNativeBackpropInput"(%sizes, %w, %small) {strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "SAME"} : (tensor<4xi32>, tensor<3x3x5x1xf32>, tensor<?x6x7x5xf32>) -> tensor<?x6x7x5xf32>
  %filter = tfx_tensor.const dense<[3, 3, 5, 1]> : tensor<4xi32>
  %dw = tfx_tensor.op "DepthwiseConv2dNativeBackpropFilter"(%x, %filter, %small) {strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "SAME"} : (tensor<?x6x7x5xf32>, tensor<4xi32>, tensor<?x6x7x5xf32>) -> tensor<3x3x5x1xf32>
  return %y, %dx, %dw : tensor<?x6x7x5xf32>, tensor<?x6x7x5xf32>, tensor<3x3x5x1xf32>
}

func.func private @doubled(%x: tensor<?x8x7x3xf32>, %w: tensor<2x3x3x2xf32>) -> (tensor<?x4x3x6xf32>, tensor<?x8x7x3xf32>, tensor<2x3x3x2xf32>) {
  %y = tfx_tensor.op "DepthwiseConv2dNative"(%x, %w) {strides = [1 : i64, 2 : i64, 2 : i64, 1 : i64], padding = "VALID"} : (tensor<?x8x7x3xf32>, tensor<2x3x3x2xf32>) -> tensor<?x4x3x6xf32>
  %two = tfx_tensor.const dense<2.0> : tensor<f32>
  %small = tfx_tensor.op "Minimum"(%y, %two) : (tensor<?x4x3x6xf32>, tensor<f32>) -> tensor<?x4x3x6xf32>
  %sizes = tfx_tensor.op "Shape"(%x) : (tensor<?x8x7x3xf32>) -> tensor<4xi32>
  %dx = tfx_tensor.op "DepthwiseConv2dNativeBackpropInput"(%sizes, %w, %small) {strides = [1 : i64, 2 : i64, 2 : i64, 1 : i64], padding = "VALID"} : (tensor<4xi32>, tensor<2x3x3x2xf32>, tensor<?x4x3x6xf32>) -> tensor<?x8x7x3xf32>
  %filter = tfx_tensor.const dense<[2, 3, 3, 2]> : tensor<4xi32>
  %dw = tfx_tensor.op "DepthwiseConv2dNativeBackpropFilter"(%x, %filter, %small) {strides = [1 : i64, 2 : i64, 2 : i64, 1 : i64], padding = "VALID"} : (tensor<?x8x7x3xf32>, tensor<4xi32>, tensor<?x4x3x6xf32>) -> tensor<2x3x3x2xf32>
  return %y, %dx, %dw : tensor<?x4x3x6xf32>, tensor<?x8x7x3xf32>, tensor<2x3x3x2xf32>
}

func.func private @single(%x: tensor<?x5x5x1xf32>, %w: tensor<3x3x1x4xf32>) -> (tensor<?x3x3x4xf32>, tensor<?x5x5x1xf32>, tensor<3x3x1x4xf32>) {
  %y = tfx_tensor.op "DepthwiseConv2dNative"(%x, %w) {strides = [1 : i64, 2 : i64, 2 : i64, 1 : i64], padding = "SAME"} : (tensor<?x5x5x1xf32>, tensor<3x3x1x4xf32>) -> tensor<?x3x3x4xf32>
  %two = tfx_tensor.const dense<2.0> : tensor<f32>
  %small = tfx_tensor.op "Minimum"(%y, %two) : (tensor<?x3x3x4xf32>, tensor<f32>) -> tensor<?x3x3x4xf32>
  %sizes = tfx_tensor.op "Shape"(%x) : (tensor<?x5x5x1xf32>) -> tensor<4xi32>
  %dx = tfx_tensor.op "DepthwiseConv2dNativeBackpropInput"(%sizes, %w, %small) {strides = [1 : i64, 2 : i64, 2 : i64, 1 : i64], padding = "SAME"} : (tensor<4xi32>, tensor<3x3x1x4xf32>, tensor<?x3x3x4xf32>) -> tensor<?x5x5x1xf32>
  %filter = tfx_tensor.const dense<[3, 3, 1, 4]> : tensor<4xi32>
  %dw = tfx_tensor.op "DepthwiseConv2dNativeBackpropFilter"(%x, %filter, %small) {strides = [1 : i64, 2 : i64, 2 : i64, 1 : i64], padding = "SAME"} : (tensor<?x5x5x1xf32>, tensor<4xi32>, tensor<?x3x3x4xf32>) -> tensor<3x3x1x4xf32>
  return %y, %dx, %dw : tensor<?x3x3x4xf32>, tensor<?x5x5x1xf32>, tensor<3x3x1x4xf32>
}

// NaN, infinities and integers.
func.func private @odd(%n: tensor<i32>) -> (tensor<1x3x4x1xf32>, tensor<1x3x4x1xf32>, tensor<1x3x4x1xi32>, tensor<1x3x4x1xi32>) {
  %none = tfx_tensor.const dense<0> : tensor<i32>
  %nothing = tfx_tensor.op "Mul"(%n, %none) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %zero = tfx_tensor.op "Cast"(%nothing) : (tensor<i32>) -> tensor<f32>
  %odd = tfx_tensor.const dense<[[[[0x7FC00000], [1.0], [0xFF800000], [0xFF800000]], [[2.0], [0x7FC00000], [0xFF800000], [0xFF800000]], [[0x7FC00000], [0x7FC00000], [0x7F800000], [0x7FC00000]]]]> : tensor<1x3x4x1xf32>
  %x = tfx_tensor.op "AddV2"(%odd, %zero) : (tensor<1x3x4x1xf32>, tensor<f32>) -> tensor<1x3x4x1xf32>
  %dy = tfx_tensor.const dense<[[[[1.0], [2.0], [4.0], [8.0]], [[16.0], [32.0], [64.0], [128.0]], [[256.0], [512.0], [1024.0], [2048.0]]]]> : tensor<1x3x4x1xf32>
  %y = tfx_tensor.op "MaxPool"(%x) {ksize = [1 : i64, 2 : i64, 2 : i64, 1 : i64], strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "SAME"} : (tensor<1x3x4x1xf32>) -> tensor<1x3x4x1xf32>
  %dx = tfx_tensor.op "MaxPoolGrad"(%x, %y, %dy) {ksize = [1 : i64, 2 : i64, 2 : i64, 1 : i64], strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "SAME"} : (tensor<1x3x4x1xf32>, tensor<1x3x4x1xf32>, tensor<1x3x4x1xf32>) -> tensor<1x3x4x1xf32>
  %numbers = tfx_tensor.const dense<[[[[-7], [1], [3], [-2147483648]], [[2], [1], [3], [-2147483648]], [[-1], [-1], [-5], [-2147483648]]]]> : tensor<1x3x4x1xi32>
  %i = tfx_tensor.op "AddV2"(%numbers, %nothing) : (tensor<1x3x4x1xi32>, tensor<i32>) -> tensor<1x3x4x1xi32>
  %j = tfx_tensor.op "MaxPool"(%i) {ksize = [1 : i64, 2 : i64, 2 : i64, 1 : i64], strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "SAME"} : (tensor<1x3x4x1xi32>) -> tensor<1x3x4x1xi32>
  %di = tfx_tensor.op "MaxPoolGrad"(%i, %j, %j) {ksize = [1 : i64, 2 : i64, 2 : i64, 1 : i64], strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "SAME"} : (tensor<1x3x4x1xi32>, tensor<1x3x4x1xi32>, tensor<1x3x4x1xi32>) -> tensor<1x3x4x1xi32>
  return %y, %dx, %j, %di : tensor<1x3x4x1xf32>, tensor<1x3x4x1xf32>, tensor<1x3x4x1xi32>, tensor<1x3x4x1xi32>
}

func.func @main(%n: i32 {tfx.name = "n"}) {
  %three = arith.constant 3 : i32
  %seven = arith.constant 7 : i32
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %n.t = tfx_tensor.from_scalar %n : i32
  %count = tfx_tensor.op "ExpandDims"(%n.t, %axis) : (tensor<i32>, tensor<i32>) -> tensor<1xi32>
  %s0 = tfx_tensor.const dense<[6, 8, 16]> : tensor<3xi32>
  %xs0 = tfx_tensor.op "ConcatV2"(%count, %s0, %axis) : (tensor<1xi32>, tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
  %x0.any = func.call @elements(%xs0, %seven) : (tensor<4xi32>, i32) -> tensor<?x?x?x?xf32>
  %x0 = tfx_tensor.op "Reshape"(%x0.any, %xs0) : (tensor<?x?x?x?xf32>, tensor<4xi32>) -> tensor<?x6x8x16xf32>
  %r0:4 = func.call @quarters(%x0) : (tensor<?x6x8x16xf32>) -> (tensor<?x3x4x16xf32>, tensor<?x6x8x16xf32>, tensor<?x3x4x16xf32>, tensor<?x6x8x16xf32>)
  %s1 = tfx_tensor.const dense<[7, 5, 3]> : tensor<3xi32>
  %xs1 = tfx_tensor.op "ConcatV2"(%count, %s1, %axis) : (tensor<1xi32>, tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
  %x1.any = func.call @elements(%xs1, %seven) : (tensor<4xi32>, i32) -> tensor<?x?x?x?xf32>
  %x1 = tfx_tensor.op "Reshape"(%x1.any, %xs1) : (tensor<?x?x?x?xf32>, tensor<4xi32>) -> tensor<?x7x5x3xf32>
  %r1:4 = func.call @edges(%x1) : (tensor<?x7x5x3xf32>) -> (tensor<?x4x3x3xf32>, tensor<?x7x5x3xf32>, tensor<?x4x3x3xf32>, tensor<?x7x5x3xf32>)
  %s2 = tfx_tensor.const dense<[5, 6, 1]> : tensor<3xi32>
  %xs2 = tfx_tensor.op "ConcatV2"(%count, %s2, %axis) : (tensor<1xi32>, tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
  %x2.any = func.call @elements(%xs2, %seven) : (tensor<4xi32>, i32) -> tensor<?x?x?x?xf32>
  %x2 = tfx_tensor.op "Reshape"(%x2.any, %xs2) : (tensor<?x?x?x?xf32>, tensor<4xi32>) -> tensor<?x5x6x1xf32>
  %r2:4 = func.call @overlaps(%x2) : (tensor<?x5x6x1xf32>) -> (tensor<?x5x6x1xf64>, tensor<?x5x6x1xf64>, tensor<?x5x6x1xf64>, tensor<?x5x6x1xf64>)
  %s3 = tfx_tensor.const dense<[7, 8, 2]> : tensor<3xi32>
  %xs3 = tfx_tensor.op "ConcatV2"(%count, %s3, %axis) : (tensor<1xi32>, tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
  %x3.any = func.call @elements(%xs3, %seven) : (tensor<4xi32>, i32) -> tensor<?x?x?x?xf32>
  %x3 = tfx_tensor.op "Reshape"(%x3.any, %xs3) : (tensor<?x?x?x?xf32>, tensor<4xi32>) -> tensor<?x7x8x2xf32>
  %r3:4 = func.call @gaps(%x3) : (tensor<?x7x8x2xf32>) -> (tensor<?x3x3x2xf32>, tensor<?x7x8x2xf32>, tensor<?x3x3x2xf32>, tensor<?x7x8x2xf32>)
  %s4 = tfx_tensor.const dense<[6, 7, 5]> : tensor<3xi32>
  %xs4 = tfx_tensor.op "ConcatV2"(%count, %s4, %axis) : (tensor<1xi32>, tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
  %x4.any = func.call @elements(%xs4, %seven) : (tensor<4xi32>, i32) -> tensor<?x?x?x?xf32>
  %x4 = tfx_tensor.op "Reshape"(%x4.any, %xs4) : (tensor<?x?x?x?xf32>, tensor<4xi32>) -> tensor<?x6x7x5xf32>
  %ws4 = tfx_tensor.const dense<[3, 3, 5, 1]> : tensor<4xi32>
  %w4.any = func.call @elements(%ws4, %three) : (tensor<4xi32>, i32) -> tensor<?x?x?x?xf32>
  %w4 = tfx_tensor.op "Reshape"(%w4.any, %ws4) : (tensor<?x?x?x?xf32>, tensor<4xi32>) -> tensor<3x3x5x1xf32>
  %r4:3 = func.call @apart(%x4, %w4) : (tensor<?x6x7x5xf32>, tensor<3x3x5x1xf32>) -> (tensor<?x6x7x5xf32>, tensor<?x6x7x5xf32>, tensor<3x3x5x1xf32>)
  %s5 = tfx_tensor.const dense<[8, 7, 3]> : tensor<3xi32>
  %xs5 = tfx_tensor.op "ConcatV2"(%count, %s5, %axis) : (tensor<1xi32>, tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
  %x5.any = func.call @elements(%xs5, %seven) : (tensor<4xi32>, i32) -> tensor<?x?x?x?xf32>
  %x5 = tfx_tensor.op "Reshape"(%x5.any, %xs5) : (tensor<?x?x?x?xf32>, tensor<4xi32>) -> tensor<?x8x7x3xf32>
  %ws5 = tfx_tensor.const dense<[2, 3, 3, 2]> : tensor<4xi32>
  %w5.any = func.call @elements(%ws5, %three) : (tensor<4xi32>, i32) -> tensor<?x?x?x?xf32>
  %w5 = tfx_tensor.op "Reshape"(%w5.any, %ws5) : (tensor<?x?x?x?xf32>, tensor<4xi32>) -> tensor<2x3x3x2xf32>
  %r5:3 = func.call @doubled(%x5, %w5) : (tensor<?x8x7x3xf32>, tensor<2x3x3x2xf32>) -> (tensor<?x4x3x6xf32>, tensor<?x8x7x3xf32>, tensor<2x3x3x2xf32>)
  %s6 = tfx_tensor.const dense<[5, 5, 1]> : tensor<3xi32>
  %xs6 = tfx_tensor.op "ConcatV2"(%count, %s6, %axis) : (tensor<1xi32>, tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
  %x6.any = func.call @elements(%xs6, %seven) : (tensor<4xi32>, i32) -> tensor<?x?x?x?xf32>
  %x6 = tfx_tensor.op "Reshape"(%x6.any, %xs6) : (tensor<?x?x?x?xf32>, tensor<4xi32>) -> tensor<?x5x5x1xf32>
  %ws6 = tfx_tensor.const dense<[3, 3, 1, 4]> : tensor<4xi32>
  %w6.any = func.call @elements(%ws6, %three) : (tensor<4xi32>, i32) -> tensor<?x?x?x?xf32>
  %w6 = tfx_tensor.op "Reshape"(%w6.any, %ws6) : (tensor<?x?x?x?xf32>, tensor<4xi32>) -> tensor<3x3x1x4xf32>
  %r6:3 = func.call @single(%x6, %w6) : (tensor<?x5x5x1xf32>, tensor<3x3x1x4xf32>) -> (tensor<?x3x3x4xf32>, tensor<?x5x5x1xf32>, tensor<3x3x1x4xf32>)
  %odd:4 = func.call @odd(%n.t) : (tensor<i32>) -> (tensor<1x3x4x1xf32>, tensor<1x3x4x1xf32>, tensor<1x3x4x1xi32>, tensor<1x3x4x1xi32>)
  tfx_host.print "quarters {} {} {} {}"(%r0#0, %r0#1, %r0#2, %r0#3) : tensor<?x3x4x16xf32>, tensor<?x6x8x16xf32>, tensor<?x3x4x16xf32>, tensor<?x6x8x16xf32>
  tfx_host.print "edges {} {} {} {}"(%r1#0, %r1#1, %r1#2, %r1#3) : tensor<?x4x3x3xf32>, tensor<?x7x5x3xf32>, tensor<?x4x3x3xf32>, tensor<?x7x5x3xf32>
  tfx_host.print "overlaps {} {} {} {}"(%r2#0, %r2#1, %r2#2, %r2#3) : tensor<?x5x6x1xf64>, tensor<?x5x6x1xf64>, tensor<?x5x6x1xf64>, tensor<?x5x6x1xf64>
  tfx_host.print "gaps {} {} {} {}"(%r3#0, %r3#1, %r3#2, %r3#3) : tensor<?x3x3x2xf32>, tensor<?x7x8x2xf32>, tensor<?x3x3x2xf32>, tensor<?x7x8x2xf32>
  tfx_host.print "apart {} {} {}"(%r4#0, %r4#1, %r4#2) : tensor<?x6x7x5xf32>, tensor<?x6x7x5xf32>, tensor<3x3x5x1xf32>
  tfx_host.print "doubled {} {} {}"(%r5#0, %r5#1, %r5#2) : tensor<?x4x3x6xf32>, tensor<?x8x7x3xf32>, tensor<2x3x3x2xf32>
  tfx_host.print "single {} {} {}"(%r6#0, %r6#1, %r6#2) : tensor<?x3x3x4xf32>, tensor<?x5x5x1xf32>, tensor<3x3x1x4xf32>
  tfx_host.print "odd {} {} {} {}"(%odd#0, %odd#1, %odd#2, %odd#3) : tensor<1x3x4x1xf32>, tensor<1x3x4x1xf32>, tensor<1x3x4x1xi32>, tensor<1x3x4x1xi32>
  return
}
