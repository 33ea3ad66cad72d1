// Kernels on the same rows run block by block, with the results of the kernels on whole tensors.
//
// RUN: tfxc run %s 0 --executor embedded > %t.embedded0 && tfxc run %s 0 --executor native | diff %t.embedded0 -
// RUN: tfxc run %s 1 --executor embedded > %t.embedded1 && tfxc run %s 1 --executor native | diff %t.embedded1 -
// RUN: tfxc run %s 42 --executor embedded > %t.embedded42 && tfxc run %s 42 --executor native | diff %t.embedded42 -
// RUN: tfxc run %s 97 --executor embedded > %t.embedded97 && tfxc run %s 97 --executor native | diff %t.embedded97 -
// RUN: tfxc run %s 97 --executor native --native-vectors 16 | diff %t.embedded97 -
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-compile-graph{native=true},tfx-lower-kernels{vector-bytes=32})' | FileCheck %s

// A task is one loop: the input, a product, its bias, a sum of each row, and the gradients of the
// bias and of the weight. The kernels pass blocks of rows to each other: no part of the memory has an unknown
// size.
// CHECK-LABEL: tfx_tensor.graph private @main.graph.native(
// CHECK-SAME:    tfx.code = {{.*}}, []]}
// CHECK-LABEL: func.func private @main.graph.native.code(
// CHECK:         call @tfx.kernel.[[#FILL:]](
// CHECK-NEXT:    call
// CHECK-NOT:     scf.for
// CHECK:         constant @tfx.task.0
// CHECK:         call_indirect
// CHECK-NOT:     scf.for
// CHECK:         return
// CHECK-LABEL: func.func private @tfx.task.0(
// CHECK:         scf.for
// CHECK-COUNT-7:   func.call @tfx.kernel.
// CHECK-NOT:       func.call
// CHECK:         }
// CHECK-NOT:     scf.for
// CHECK:         return
// CHECK-LABEL: func.func private @tfx.kernel.

!X = tensor<?x8xf32>
!Y = tensor<?x5xf32>
!V = tensor<?xf32>

func.func private @network(%x: !X, %w: tensor<8x5xf32>, %b: tensor<5xf32>)
    -> (!V, tensor<5xf32>, tensor<8x5xf32>) {
  %last = tfx_tensor.const dense<1> : tensor<i32>
  %p = tfx_tensor.op "MatMul"(%x, %w) : (!X, tensor<8x5xf32>) -> !Y
  %s = tfx_tensor.op "BiasAdd"(%p, %b) : (!Y, tensor<5xf32>) -> !Y
  %r = tfx_tensor.op "Relu"(%s) : (!Y) -> !Y
  %sum = tfx_tensor.op "Sum"(%r, %last) : (!Y, tensor<i32>) -> !V
  %d = tfx_tensor.op "ReluGrad"(%p, %r) : (!Y, !Y) -> !Y
  %db = tfx_tensor.op "BiasAddGrad"(%d) : (!Y) -> tensor<5xf32>
  %dw = tfx_tensor.op "MatMul"(%x, %d) {transpose_a = true} : (!X, !Y) -> tensor<8x5xf32>
  return %sum, %db, %dw : !V, tensor<5xf32>, tensor<8x5xf32>
}

// Small whole numbers: all sums are exact.
func.func private @input(%n: i64) -> !X {
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %last = tfx_tensor.const dense<-1> : tensor<i32>
  %three = tfx_tensor.const dense<3> : tensor<i32>
  %five = tfx_tensor.const dense<5> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %row = tfx_tensor.const dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi32>
  %size = tfx_tensor.from_scalar %n : i64
  %axes = tfx_tensor.op "ExpandDims"(%size, %axis) : (tensor<i64>, tensor<i32>) -> tensor<1xi64>
  %ones = tfx_tensor.op "Fill"(%axes, %one) : (tensor<1xi64>, tensor<i32>) -> tensor<?xi32>
  %before = tfx_tensor.op "Cumsum"(%ones, %axis) {exclusive = true} : (tensor<?xi32>, tensor<i32>) -> tensor<?xi32>
  %inverse = tfx_tensor.op "InvertPermutation"(%before) : (tensor<?xi32>) -> tensor<?xi32>
  %numbers = tfx_tensor.op "AddV2"(%inverse, %one) : (tensor<?xi32>, tensor<i32>) -> tensor<?xi32>
  %column = tfx_tensor.op "ExpandDims"(%numbers, %last) : (tensor<?xi32>, tensor<i32>) -> tensor<?x1xi32>
  %scaled = tfx_tensor.op "Mul"(%column, %three) : (tensor<?x1xi32>, tensor<i32>) -> tensor<?x1xi32>
  %sums = tfx_tensor.op "AddV2"(%scaled, %row) : (tensor<?x1xi32>, tensor<8xi32>) -> tensor<?x8xi32>
  %small = tfx_tensor.op "FloorMod"(%sums, %five) : (tensor<?x8xi32>, tensor<i32>) -> tensor<?x8xi32>
  %x = tfx_tensor.op "Cast"(%small) : (tensor<?x8xi32>) -> !X
  return %x : !X
}

func.func @main(%n: i64 {tfx.name = "n"}) {
  %x = func.call @input(%n) : (i64) -> !X
  %w = tfx_tensor.const dense<[[1.0, -1.0, 2.0, 0.0, 1.0], [0.0, 1.0, -2.0, 1.0, 3.0],
    [-1.0, 1.0, 1.0, 2.0, -1.0], [2.0, 0.0, -1.0, 1.0, 1.0], [1.0, 1.0, 0.0, -3.0, 1.0],
    [0.0, 2.0, 1.0, 1.0, -1.0], [-2.0, 1.0, 0.0, 1.0, 1.0], [1.0, -1.0, 1.0, 0.0, 2.0]]> : tensor<8x5xf32>
  %b = tfx_tensor.const dense<[1.0, -2.0, 3.0, 0.0, -1.0]> : tensor<5xf32>
  %y:3 = func.call @network(%x, %w, %b)
    : (!X, tensor<8x5xf32>, tensor<5xf32>) -> (!V, tensor<5xf32>, tensor<8x5xf32>)
  tfx_host.print "{} {} {}"(%y#0, %y#1, %y#2) : !V, tensor<5xf32>, tensor<8x5xf32>
  return
}
