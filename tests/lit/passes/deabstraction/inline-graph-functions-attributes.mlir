// A tensor-only function calls another one, of which an attribute is computed from a constant argument by branches. It stays a function, also
// in a second run of deabstraction: neither the branches that it contains now nor its scalar parameter are obstacles.
//
// RUN: tfx-opt %s --tfx-deabstract | FileCheck %s
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-inline,tfx-inline,tfx-deabstract)' | FileCheck %s
//
// CHECK-LABEL: func.func private @layer(
// CHECK-SAME: tfx.graph_function
// CHECK: tfx_tensor.op "LeakyRelu"({{.*}}) {alpha = 2.000000e+00 : f32}
// CHECK-LABEL: func.func @main(
// CHECK-COUNT-2: call @layer(

func.func private @slope(%x: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %yes = arith.cmpi slt, %n, %two : i32
  cf.cond_br %yes, ^done(%one : i32), ^done(%two : i32)
^done(%a: i32):
  %alpha = arith.sitofp %a : i32 to f32
  %y = tfx_tensor.op "LeakyRelu"(%x) computed(alpha = %alpha : f32) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func private @layer(%x: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  %seven = arith.constant 7 : i32
  %y = func.call @slope(%x, %seven) : (tensor<4xf32>, i32) -> tensor<4xf32>
  %u = tfx_tensor.from_scalar %n : i32
  %v = tfx_tensor.op "Cast"(%u) {DstT = f32} : (tensor<i32>) -> tensor<f32>
  %w = tfx_tensor.op "AddV2"(%y, %v) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %z = tfx_tensor.op "Tanh"(%w) : (tensor<4xf32>) -> tensor<4xf32>
  %q = tfx_tensor.op "Mul"(%z, %z) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %q : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  %y = func.call @layer(%x, %n) : (tensor<4xf32>, i32) -> tensor<4xf32>
  %z = func.call @layer(%y, %n) : (tensor<4xf32>, i32) -> tensor<4xf32>
  return %z : tensor<4xf32>
}
