// Each copy that a derivative makes is reported once, at the operation of the function whose
// derivative it is, and in the opposite direction: no message names an operation that the user did
// not write. A copy is intentional if that of the function is.
//
// RUN: tfx-opt %s --tfx-extract=copies=all -o %t 2>&1 | FileCheck %s
// CHECK: :[[#@LINE+21]]:10: warning: a value is copied from the accelerator to the host (8 bytes, every iteration)
// CHECK: :[[#@LINE+33]]:12: note: inlined here
// CHECK: :[[#@LINE+20]]:10: note: host code uses it here: it is stored in an array
// CHECK: :[[#@LINE+21]]:10: warning: a value of the derivative of this operation is copied from the accelerator to the host (8 bytes, every iteration)
// CHECK: :[[#@LINE+30]]:12: note: inlined here
// CHECK: :[[#@LINE+18]]:10: note: host code uses it here: the derivative of this operation
// CHECK: :[[#@LINE+18]]:10: note: if this copy is intentional, mark the opposite copy of the function with tfx_comm.to_accelerator
// CHECK: :[[#@LINE+16]]:10: warning: an element of an array is copied from the host to the accelerator (8 bytes, every iteration)
// CHECK: :[[#@LINE+14]]:10: warning: a value of the derivative of this operation is copied from the host to the accelerator (8 bytes, every iteration)
// CHECK: :[[#@LINE+11]]:10: note: it is copied for the derivative of this operation
// CHECK: :[[#@LINE+12]]:10: note: if this copy is intentional, mark the opposite copy of the function with tfx_comm.to_host
// CHECK-NOT: warning:

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
    %h = tfx_host.array_get %d[%c0] : !A
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
