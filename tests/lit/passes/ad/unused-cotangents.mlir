// RUN: tfxc run %s 1.2 0.7 3 2>&1 | FileCheck %s

// The gradient of one part of a gradient: some tapes of the loop have no influence on it. The
// derivative of @loss by x is m + m^3 + m^7, whose own derivative by m is 1 + 3 m^2 + 7 m^6.
// CHECK: warning: the derivative of '@slope' with respect to parameter 0 is zero
// CHECK: {{^}}0.0 3.293542999999999{{[0-9]*$}}
func.func private @loss(%x: f64, %m: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %unit = arith.constant 1.0 : f64
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%a = %unit, %v = %unit) -> (f64, f64) : i64 {
    %d = arith.mulf %v, %v : f64
    %w = arith.mulf %d, %m : f64
    %z = arith.mulf %w, %x : f64
    %b = arith.addf %a, %z : f64
    scf.yield %b, %w : f64, f64
  }
  return %end#0 : f64
}
func.func private @slope(%x: f64, %m: f64, %n: i64) -> f64 {
  %g:2 = tfx_ad.gradient @loss(%x, %m, %n) wrt [0, 1] : (f64, f64, i64) -> (f64, f64)
  return %g#0 : f64
}
func.func @main(%x: f64, %m: f64, %n: i64) {
  %t:2 = tfx_ad.gradient @slope(%x, %m, %n) wrt [0, 1] : (f64, f64, i64) -> (f64, f64)
  tfx_host.print "{} {}"(%t#0, %t#1) : f64, f64
  return
}
