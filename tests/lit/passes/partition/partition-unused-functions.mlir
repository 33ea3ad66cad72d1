// Partition erases a call without effects whose result is unused, and the pipeline then erases the
// functions that only this call needed. A second run changes nothing.
//
// RUN: tfx-opt %s --tfx-extract -o %t
// RUN: FileCheck %s <%t
// RUN: tfx-opt %t --tfx-extract | diff %t -

// CHECK-NOT: @power
// CHECK-NOT: @step
// CHECK: tfx_tensor.graph @main.graph
// CHECK-NOT: @power
// CHECK-NOT: @step
func.func private @power(%x: f64, %n: i64) -> f64 attributes {no_inline} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %one = arith.constant 1.0 : f64
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%p = %one) -> (f64) : i64 {
    %q = func.call @step(%p, %x) : (f64, f64) -> f64
    scf.yield %q : f64
  }
  return %y : f64
}
func.func private @step(%p: f64, %x: f64) -> f64 attributes {no_inline} {
  %q = arith.mulf %p, %x : f64
  return %q : f64
}
func.func @main(%x: tensor<f64>, %a: f64, %n: i64) -> tensor<f64> {
  %unused = func.call @power(%a, %n) : (f64, i64) -> f64
  %y = tfx_tensor.op "Exp"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
