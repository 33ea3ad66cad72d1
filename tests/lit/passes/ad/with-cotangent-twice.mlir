// RUN: tfxc run %s | FileCheck %s

// Two with_cotangent of one value stay two: their function gets each cotangent, not the sum.
// (Swift, custom_derivatives.swift, "SumOfGradPieces")
// CHECK: {{^}}20.0{{$}}
func.func private @clip(%d: f64) -> f64 {
  %ten = arith.constant 10.0 : f64
  %e = arith.minimumf %d, %ten : f64
  return %e : f64
}
func.func private @f(%x: f64) -> f64 {
  %k = arith.constant 10.0 : f64
  %a = tfx_ad.with_cotangent %x, @clip : f64
  %b = tfx_ad.with_cotangent %x, @clip : f64
  %ab = arith.mulf %a, %b : f64
  %y = arith.mulf %ab, %k : f64
  return %y : f64
}
func.func @main() {
  %four = arith.constant 4.0 : f64
  %d = tfx_ad.gradient @f(%four) wrt [0] : (f64) -> f64
  tfx_host.print "{}"(%d) : f64
  return
}
