// The derivative of a model for any number of rows is native code: the sums of gradients of
// broadcasts, and shapes that are computed from other shapes.
//
// RUN: tfxc run %s 0 --executor embedded > %t.embedded0 && tfxc run %s 0 --executor native | diff %t.embedded0 -
// RUN: tfxc run %s 1 --executor embedded > %t.embedded1 && tfxc run %s 1 --executor native | diff %t.embedded1 -
// RUN: tfxc run %s 2 --executor embedded > %t.embedded2 && tfxc run %s 2 --executor native | diff %t.embedded2 -
// RUN: tfxc run %s 37 --executor embedded > %t.embedded37 && tfxc run %s 37 --executor native | diff %t.embedded37 -
// RUN: tfxc run %s 5 --executor native --stats 2>&1 | FileCheck %s
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-compile{native=true native-explain=true})' -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXPLAIN
//
// With one row, the code cannot tell a broadcast from none, and is right either way. No call gives
// up.
// CHECK: native code: {{[0-9]+}} calls{{$}}
//
// EXPLAIN-NOT: not compiled to native code: {{.*(Sum|Broadcast|Reshape|Range|Slice)}}

!X = tensor<?x3xf64>
!Y = tensor<?x1xf64>
!H = tensor<?x4xf64>
!V = tensor<?xf64>

func.func private @loss(%w: tensor<3x4xf64>, %b: tensor<4xf64>, %c: tensor<1x4xf64>, %u: tensor<4x1xf64>, %x: !X, %y: !Y) -> tensor<f64> {
  %both = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %p = tfx_tensor.op "MatMul"(%x, %w) : (!X, tensor<3x4xf64>) -> !H
  %q = tfx_tensor.op "AddV2"(%p, %b) : (!H, tensor<4xf64>) -> !H
  %s = tfx_tensor.op "Mul"(%q, %c) : (!H, tensor<1x4xf64>) -> !H
  %h = tfx_tensor.op "Relu"(%s) : (!H) -> !H
  %r = tfx_tensor.op "MatMul"(%h, %u) : (!H, tensor<4x1xf64>) -> !Y
  %e = tfx_tensor.op "Sub"(%r, %y) : (!Y, !Y) -> !Y
  %2 = tfx_tensor.op "Square"(%e) : (!Y) -> !Y
  %l = tfx_tensor.op "Sum"(%2, %both) : (!Y, tensor<2xi32>) -> tensor<f64>
  return %l : tensor<f64>
}

// The gradient of a tensor of unknown size that is broadcast to another one: sizes that are assumed
// to be equal.
func.func private @distance(%x: !X, %t: tensor<?x?xf64>) -> tensor<f64> {
  %both = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %e = tfx_tensor.op "Mul"(%x, %t) : (!X, tensor<?x?xf64>) -> !X
  %l = tfx_tensor.op "Sum"(%e, %both) : (!X, tensor<2xi32>) -> tensor<f64>
  return %l : tensor<f64>
}

// Shapes computed from shapes.
func.func private @shapes(%x: !X) -> (!V, tensor<?x3xf64>, tensor<2xi32>, tensor<?xi32>, tensor<3x?xf64>, tensor<i32>) {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %first = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %second = tfx_tensor.const dense<[1]> : tensor<1xi32>
  %third = tfx_tensor.const dense<[2]> : tensor<1xi32>
  %half = tfx_tensor.const dense<0.5> : tensor<f64>
  %shape = tfx_tensor.op "Shape"(%x) : (!X) -> tensor<2xi32>
  %n = tfx_tensor.op "StridedSlice"(%shape, %first, %second, %second) {shrink_axis_mask = 1} : (tensor<2xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<i32>
  %m = tfx_tensor.op "StridedSlice"(%shape, %second, %third, %second) {shrink_axis_mask = 1} : (tensor<2xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<i32>
  %all = tfx_tensor.op "Prod"(%shape, %zero) : (tensor<2xi32>, tensor<i32>) -> tensor<i32>
  %flat = tfx_tensor.op "Pack"(%all) {axis = 0} : (tensor<i32>) -> tensor<1xi32>
  %v = tfx_tensor.op "Reshape"(%x, %flat) : (!X, tensor<1xi32>) -> !V
  %product = tfx_tensor.op "Mul"(%n, %m) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %same = tfx_tensor.op "Pack"(%n, %m) {axis = 0} : (tensor<i32>, tensor<i32>) -> tensor<2xi32>
  %halves = tfx_tensor.op "Fill"(%same, %half) : (tensor<2xi32>, tensor<f64>) -> tensor<?x3xf64>
  %sum = tfx_tensor.op "AddV2"(%halves, %x) : (tensor<?x3xf64>, !X) -> tensor<?x3xf64>
  %turned = tfx_tensor.op "Gather"(%shape, %second) : (tensor<2xi32>, tensor<1xi32>) -> tensor<1xi32>
  %count = tfx_tensor.op "ConcatV2"(%turned, %first, %zero) : (tensor<1xi32>, tensor<1xi32>, tensor<i32>) -> tensor<2xi32>
  %range = tfx_tensor.op "Range"(%zero, %product, %one) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
  %wide = tfx_tensor.op "Pack"(%m, %n) {axis = 0} : (tensor<i32>, tensor<i32>) -> tensor<2xi32>
  %t = tfx_tensor.op "Reshape"(%v, %wide) : (!V, tensor<2xi32>) -> tensor<3x?xf64>
  return %v, %sum, %count, %range, %t, %product : !V, tensor<?x3xf64>, tensor<2xi32>, tensor<?xi32>, tensor<3x?xf64>, tensor<i32>
}

// A part of a tensor of which one size is unknown, and its gradient.
func.func private @part(%x: !X) -> tensor<f64> {
  %both = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %begin = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %end = tfx_tensor.const dense<[0, 3]> : tensor<2xi32>
  %step = tfx_tensor.const dense<1> : tensor<2xi32>
  %p = tfx_tensor.op "StridedSlice"(%x, %begin, %end, %step) {begin_mask = 1, end_mask = 1} : (!X, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x2xf64>
  %2 = tfx_tensor.op "Square"(%p) : (tensor<?x2xf64>) -> tensor<?x2xf64>
  %l = tfx_tensor.op "Sum"(%2, %both) : (tensor<?x2xf64>, tensor<2xi32>) -> tensor<f64>
  return %l : tensor<f64>
}

func.func @main(%n: i32 {tfx.name = "n"}) {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %column = tfx_tensor.const dense<[-1, 1]> : tensor<2xi32>
  %factors = tfx_tensor.const dense<[[1.0, -2.0, 3.0]]> : tensor<1x3xf64>
  %size = tfx_tensor.from_scalar %n : i32
  %rows = tfx_tensor.op "Range"(%zero, %size, %one) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
  %numbers = tfx_tensor.op "Cast"(%rows) : (tensor<?xi32>) -> !V
  %y = tfx_tensor.op "Reshape"(%numbers, %column) : (!V, tensor<2xi32>) -> !Y
  %x = tfx_tensor.op "MatMul"(%y, %factors) : (!Y, tensor<1x3xf64>) -> !X
  %w = tfx_tensor.const dense<[[1.0, 2.0, -1.0, 0.0], [0.0, 1.0, 1.0, -2.0], [3.0, -1.0, 0.0, 1.0]]> : tensor<3x4xf64>
  %b = tfx_tensor.const dense<[1.0, -1.0, 2.0, 0.0]> : tensor<4xf64>
  %c = tfx_tensor.const dense<[[1.0, 2.0, -1.0, 3.0]]> : tensor<1x4xf64>
  %u = tfx_tensor.const dense<[[1.0], [2.0], [3.0], [-1.0]]> : tensor<4x1xf64>
  %g:7 = tfx_ad.gradient @loss(%w, %b, %c, %u, %x, %y) wrt [0, 1, 2, 3, 4, 5] value
    : (tensor<3x4xf64>, tensor<4xf64>, tensor<1x4xf64>, tensor<4x1xf64>, !X, !Y) -> (tensor<f64>, tensor<3x4xf64>, tensor<4xf64>, tensor<1x4xf64>, tensor<4x1xf64>, !X, !Y)
  tfx_host.print "{} {} {} {}"(%g#0, %g#1, %g#2, %g#3) : tensor<f64>, tensor<3x4xf64>, tensor<4xf64>, tensor<1x4xf64>
  tfx_host.print "{} {} {}"(%g#4, %g#5, %g#6) : tensor<4x1xf64>, !X, !Y
  %t = tfx_tensor.op "AddV2"(%x, %x) : (!X, !X) -> tensor<?x?xf64>
  %d:2 = tfx_ad.gradient @distance(%x, %t) wrt [0, 1] : (!X, tensor<?x?xf64>) -> (!X, tensor<?x?xf64>)
  tfx_host.print "{} {}"(%d#0, %d#1) : !X, tensor<?x?xf64>
  %s:6 = func.call @shapes(%x) : (!X) -> (!V, tensor<?x3xf64>, tensor<2xi32>, tensor<?xi32>, tensor<3x?xf64>, tensor<i32>)
  tfx_host.print "{} {} {} {} {} {}"(%s#0, %s#1, %s#2, %s#3, %s#4, %s#5) : !V, tensor<?x3xf64>, tensor<2xi32>, tensor<?xi32>, tensor<3x?xf64>, tensor<i32>
  %p = tfx_ad.gradient @part(%x) wrt [0] : (!X) -> !X
  tfx_host.print "{}"(%p) : !X
  return
}
