// RUN: tfxc run %s 0.7 3 | FileCheck %s

// The third derivative of a loop whose body has residuals of the second one.
// CHECK: {{^}}-6.6275209960165
func.func private @f(%x: f64, %n: i64) -> f64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %one = arith.constant 1.0 : f64
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %one) -> (f64) : i64 {
    %t = arith.mulf %p, %x : f64
    %q = math.sin %t : f64
    scf.yield %q : f64
  }
  return %r : f64
}
func.func private @f1(%x: f64, %n: i64) -> f64 {
  %d = tfx_ad.gradient @f(%x, %n) wrt [0] : (f64, i64) -> f64
  return %d : f64
}
func.func private @f2(%x: f64, %n: i64) -> f64 {
  %d = tfx_ad.gradient @f1(%x, %n) wrt [0] : (f64, i64) -> f64
  return %d : f64
}
func.func @main(%x: f64, %n: i64) {
  %d = tfx_ad.gradient @f2(%x, %n) wrt [0] : (f64, i64) -> f64
  tfx_host.print "{}"(%d) : f64
  return
}
