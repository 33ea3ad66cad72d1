// A round trip of a function and that of its derivative go through the same host code, in opposite
// directions: one warning, at the place of the function.
//
// RUN: tfx-opt %s --tfx-extract -o %t 2>&1 | FileCheck %s

!A = !tfx_host.array<f64>
func.func private @loss(%w: tensor<4xf64>, %a: !A, %n: index) -> tensor<f64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %axis = tfx_tensor.const dense<0> : tensor<1xi32>
  %r, %b = scf.for %i = %c0 to %n step %c1 iter_args(%x = %w, %c = %a) -> (tensor<4xf64>, !A) {
    %y = tfx_tensor.op "Tanh"(%x) : (tensor<4xf64>) -> tensor<4xf64>
    %s = tfx_tensor.op "Sum"(%y, %axis) : (tensor<4xf64>, tensor<1xi32>) -> tensor<f64>
    %t = tfx_tensor.to_scalar %s : tensor<f64> -> f64
    %d = tfx_host.array_set %t into %c[%i] : !A
    // CHECK-NOT: warning
    // CHECK: copies-once.mlir:[[#@LINE+1]]:10: warning: an element of an array stalls the accelerator in every iteration of this loop
    %h = tfx_host.array_get %d[%c0] : !A
    // CHECK-NOT: warning
    %g = tfx_tensor.from_scalar %h : f64
    %z = tfx_tensor.op "Mul"(%y, %g) : (tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
    scf.yield %z, %d : tensor<4xf64>, !A
  }
  %sum = tfx_tensor.op "Sum"(%r, %axis) : (tensor<4xf64>, tensor<1xi32>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func @main(%w: tensor<4xf64>, %n: index) -> (tensor<f64>, tensor<4xf64>) {
  %zero = arith.constant 0.0 : f64
  %a = tfx_host.array_fill %zero, %n : !A
  %l, %g = tfx_ad.gradient @loss(%w, %a, %n) wrt [0] value : (tensor<4xf64>, !A, index) -> (tensor<f64>, tensor<4xf64>)
  return %l, %g : tensor<f64>, tensor<4xf64>
}
