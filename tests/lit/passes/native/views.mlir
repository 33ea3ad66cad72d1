// Parts of tensors, sums of products, and lists, with the results of the embedded executor.
//
// RUN: tfxc run %s 3 --executor embedded > %t.embedded
// RUN: tfxc run %s 3 --executor native | diff %t.embedded -
// RUN: tfxc run %s 3 --executor native --native-vectors 16 | diff %t.embedded -
// RUN: tfxc run %s 3 --executor native -O0 | diff %t.embedded -
// RUN: tfxc build %s --native -o %t.exe && %t.exe 3 --executor native | diff %t.embedded -
// RUN: tfxc run %s 3 --executor native --stats 2>&1 | FileCheck %s --check-prefix=STATS
// STATS:     native code: {{[0-9]+}} calls
// STATS-NOT: gave up
//
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-compile-graph{native=true native-explain=true})' -o /dev/null 2>&1 | FileCheck %s
// CHECK-NOT: not compiled
// CHECK: a cluster of native code starts here: one loop
//
// A list of 9 elements is full.
// RUN: not tfxc run %s 10 --executor native 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: views.mlir:[[#@LINE+33]]:13: error:

func.func @main(%steps: i32 {tfx.name = "steps"}) -> (tensor<2x3x4xf32> {tfx.name = "sum"}, tensor<4x3x2x2xf32> {tfx.name = "contracted"}, tensor<f32> {tfx.name = "popped"}, tensor<9x4xf32> {tfx.name = "inside"}) {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %n = tfx_tensor.from_scalar %steps : i32
  %x = tfx_tensor.const dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 1.0, 2.0, 3.0]]> : tensor<3x4xf32>
  %f = tfx_tensor.op "Cast"(%n) : (tensor<i32>) -> tensor<f32>
  %y = tfx_tensor.op "Mul"(%x, %f) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  // Each second row, the columns backwards, a new dimension.
  %begin = tfx_tensor.const dense<[0, -1, 0]> : tensor<3xi32>
  %end = tfx_tensor.const dense<[3, -9, 0]> : tensor<3xi32>
  %stride = tfx_tensor.const dense<[2, -1, 1]> : tensor<3xi32>
  %part = tfx_tensor.op "StridedSlice"(%y, %begin, %end, %stride) {new_axis_mask = 4 : i64} : (tensor<3x4xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) -> tensor<2x4x1xf32>
  %order = tfx_tensor.const dense<[0, 2, 1]> : tensor<3xi32>
  %turned = tfx_tensor.op "Transpose"(%part, %order) : (tensor<2x4x1xf32>, tensor<3xi32>) -> tensor<2x1x4xf32>
  %multiples = tfx_tensor.const dense<[1, 3, 1]> : tensor<3xi32>
  %tiled = tfx_tensor.op "Tile"(%turned, %multiples) : (tensor<2x1x4xf32>, tensor<3xi32>) -> tensor<2x3x4xf32>
  %halves:2 = tfx_tensor.op "Split"(%one, %y) : (tensor<i32>, tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>)
  %columns = tfx_tensor.op "ConcatV2"(%halves#1, %halves#0, %one) : (tensor<3x2xf32>, tensor<3x2xf32>, tensor<i32>) -> tensor<3x4xf32>
  %sum = tfx_tensor.op "AddV2"(%tiled, %columns) : (tensor<2x3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32>
  // The batch is c, then b.
  %cube = tfx_tensor.const dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]], [[2.0, 1.0], [1.0, 1.0], [3.0, 5.0], [2.0, 2.0]], [[4.0, 1.0], [1.0, 3.0], [2.0, 2.0], [6.0, 5.0]]]> : tensor<3x4x2xf32>
  %contracted = tfx_tensor.op "Einsum"(%sum, %cube) {equation = "abc,bcd->cbad"} : (tensor<2x3x4xf32>, tensor<3x4x2xf32>) -> tensor<4x3x2x2xf32>
  // A list that grows, then shrinks.
  %shape = tfx_tensor.const dense<> : tensor<0xi32>
  %nine = tfx_tensor.const dense<9> : tensor<i32>
  %list = tfx_tensor.op "EmptyTensorList"(%shape, %nine) {element_dtype = f32} : (tensor<0xi32>, tensor<i32>) -> tensor<!tfx_tensor.variant>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %kept = scf.for %i = %c0 to %steps step %c1 iter_args(%l = %list) -> (tensor<!tfx_tensor.variant>) : i32 {
    %at = tfx_tensor.from_scalar %i : i32
    %value = tfx_tensor.op "Cast"(%at) : (tensor<i32>) -> tensor<f32>
    %more = tfx_tensor.op "TensorListPushBack"(%l, %value) : (tensor<!tfx_tensor.variant>, tensor<f32>) -> tensor<!tfx_tensor.variant>
    scf.yield %more : tensor<!tfx_tensor.variant>
  }
  %rest, %popped = tfx_tensor.op "TensorListPopBack"(%kept, %shape) {element_dtype = f32} : (tensor<!tfx_tensor.variant>, tensor<0xi32>) -> (tensor<!tfx_tensor.variant>, tensor<f32>)
  %whole = tfx_tensor.const dense<[9, 4]> : tensor<2xi32>
  %from = tfx_tensor.const dense<[1, 0]> : tensor<2xi32>
  %to = tfx_tensor.const dense<[7, 4]> : tensor<2xi32>
  %by = tfx_tensor.const dense<[2, 1]> : tensor<2xi32>
  %inside = tfx_tensor.op "StridedSliceGrad"(%whole, %from, %to, %by, %y) : (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<3x4xf32>) -> tensor<9x4xf32>
  return %sum, %contracted, %popped, %inside : tensor<2x3x4xf32>, tensor<4x3x2x2xf32>, tensor<f32>, tensor<9x4xf32>
}
