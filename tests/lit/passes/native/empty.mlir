// Tensors without elements: constants, results, and the operands of reductions.
//
// RUN: tfxc run %s 1 | FileCheck %s
// RUN: tfxc run %s 1 --executor native | FileCheck %s
// RUN: tfxc run %s 1 --executor native -O0 | FileCheck %s
//
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-compile-graph{native=true native-explain=true})' -o /dev/null 2>&1 | FileCheck %s --check-prefix=CLUSTER
//
// CLUSTER: a cluster of native code starts here: 4 operations
//
// CHECK:      shape = [] (shape 0)
// CHECK-NEXT: sum = [] (shape 0)
// CHECK-NEXT: zero = 0.0
// CHECK-NEXT: wide = [] (shape 2x0)

func.func @main(%n: f32) -> (tensor<0xi32> {tfx.name = "shape"}, tensor<0xf32> {tfx.name = "sum"},
    tensor<f32> {tfx.name = "zero"}, tensor<2x0xf32> {tfx.name = "wide"}) {
  %x = tfx_tensor.from_scalar %n : f32
  %e = tfx_tensor.const dense<> : tensor<0xf32>
  %sum = tfx_tensor.op "AddV2"(%e, %x) : (tensor<0xf32>, tensor<f32>) -> tensor<0xf32>
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %zero = tfx_tensor.op "Sum"(%sum, %axis) : (tensor<0xf32>, tensor<i32>) -> tensor<f32>
  %total = tfx_tensor.op "AddV2"(%zero, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %shape = tfx_tensor.op "Shape"(%total) : (tensor<f32>) -> tensor<0xi32>
  %none = tfx_tensor.const dense<> : tensor<2x0xf32>
  %wide = tfx_tensor.op "Mul"(%none, %total) : (tensor<2x0xf32>, tensor<f32>) -> tensor<2x0xf32>
  return %shape, %sum, %zero, %wide : tensor<0xi32>, tensor<0xf32>, tensor<f32>, tensor<2x0xf32>
}
