// RUN: tfxc run %s | FileCheck %s

// A loop that only adds the elements of a tensor: the indices are not on a tape.
// CHECK: {{\[}}1. 1. 1.]
func.func private @sum(%t: tensor<3xf64>) -> f64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %zero = arith.constant 0.0 : f64
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %zero) -> (f64) : i64 {
    %at = tfx_tensor.from_scalar %i : i64
    %e = tfx_tensor.op "GatherV2"(%t, %at, %axis) : (tensor<3xf64>, tensor<i64>, tensor<i32>) -> tensor<f64>
    %s = tfx_tensor.to_scalar %e : tensor<f64> -> f64
    %b = arith.addf %a, %s : f64
    scf.yield %b : f64
  }
  return %r : f64
}
func.func @main() {
  %t = tfx_tensor.const dense<[1.0, 2.0, 3.0]> : tensor<3xf64>
  %d = tfx_ad.gradient @sum(%t) wrt [0] : (tensor<3xf64>) -> tensor<3xf64>
  tfx_host.print "{}"(%d) : tensor<3xf64>
  return
}
