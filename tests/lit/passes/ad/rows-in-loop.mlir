// The cotangents of rows that a loop gathers are added to one tensor in place, by one index or by
// several, some of them equal.
//
// RUN: tfxc run %s | FileCheck %s
// RUN: tfx-opt %s --tfx-specialize --tfx-differentiate -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow | FileCheck %s %}
//
// IR-COUNT-2: "TensorScatterAdd"

// The gradient of the squares is twice the row, for each of four iterations: rows 0, 1, 2 and 0.
// The sums add four to row 0, and eight to row 2.
//
// CHECK:      [ 8. 12.]
// CHECK-NEXT: [ 6.  8.]
// CHECK-NEXT: [18. 20.]
func.func private @f(%t: tensor<3x2xf64>) -> f64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %c4 = arith.constant 4 : i64
  %zero = arith.constant 0.0 : f64
  %first = tfx_tensor.const dense<0> : tensor<i32>
  %both = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %several = tfx_tensor.const dense<[2, 0, 2]> : tensor<3xi64>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %zero) -> (f64) : i64 {
    %row = arith.remui %i, %c3 : i64
    %at = tfx_tensor.from_scalar %row : i64
    %e = tfx_tensor.op "GatherV2"(%t, %at, %first) : (tensor<3x2xf64>, tensor<i64>, tensor<i32>) -> tensor<2xf64>
    %square = tfx_tensor.op "Square"(%e) : (tensor<2xf64>) -> tensor<2xf64>
    %one = tfx_tensor.op "Sum"(%square, %first) : (tensor<2xf64>, tensor<i32>) -> tensor<f64>
    %rows = tfx_tensor.op "GatherV2"(%t, %several, %first) : (tensor<3x2xf64>, tensor<3xi64>, tensor<i32>) -> tensor<3x2xf64>
    %all = tfx_tensor.op "Sum"(%rows, %both) : (tensor<3x2xf64>, tensor<2xi32>) -> tensor<f64>
    %sum = tfx_tensor.op "AddV2"(%one, %all) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %s = tfx_tensor.to_scalar %sum : tensor<f64> -> f64
    %b = arith.addf %a, %s : f64
    scf.yield %b : f64
  }
  return %r : f64
}
func.func @main() {
  %t = tfx_tensor.const dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf64>
  %d = tfx_ad.gradient @f(%t) wrt [0] : (tensor<3x2xf64>) -> tensor<3x2xf64>
  tfx_host.print "{}"(%d) : tensor<3x2xf64>
  return
}
