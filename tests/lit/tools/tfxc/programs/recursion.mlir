// A recursive function with tensors: it stays on the host, with a remark, and computes the right results.
//
// RUN: tfxc run %s 5 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 5 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfxc run %s 0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: %if tensorflow %{ tfxc run %s 0 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=ZERO %}
//
// CHECK: remark: '@power' is recursive
// CHECK: note: called here
// CHECK: y = [ 32. 243.]
// ZERO:  y = [1. 1.]

func.func @power(%x: tensor<2xf32>, %n: i32) -> tensor<2xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %stop = arith.cmpi eq, %n, %zero : i32
  cf.cond_br %stop, ^base, ^more
^base:
  %ones = tfx_tensor.const dense<1.0> : tensor<2xf32>
  return %ones : tensor<2xf32>
^more:
  %m = arith.subi %n, %one : i32
  %p = func.call @power(%x, %m) : (tensor<2xf32>, i32) -> tensor<2xf32>
  %r = tfx_tensor.op "Mul"(%p, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func @main(%n: i32) -> (tensor<2xf32> {tfx.name = "y"}) {
  %x = tfx_tensor.const dense<[2.0, 3.0]> : tensor<2xf32>
  %y = func.call @power(%x, %n) : (tensor<2xf32>, i32) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
