// RUN: tfxc run %s 1.0 5 | FileCheck %s

// The tangent of the gradient of a loop with a factor that its counter gives.
// CHECK: {{^}}-8.414709848078965
func.func private @f(%x: f64, %n: i64) -> f64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f64
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %zero) -> (f64) : i64 {
    %t = math.sin %x : f64
    %g = arith.sitofp %i : i64 to f64
    %u = arith.mulf %t, %g : f64
    %q = arith.addf %p, %u : f64
    scf.yield %q : f64
  }
  return %r : f64
}
func.func private @f1(%x: f64, %n: i64) -> f64 {
  %d = tfx_ad.gradient @f(%x, %n) wrt [0] : (f64, i64) -> f64
  return %d : f64
}
func.func @main(%x: f64, %n: i64) {
  %one = arith.constant 1.0 : f64
  %y, %d = tfx_ad.jvp @f1(%x, %n) tangents(%one : f64) wrt [0] : (f64, i64) -> (f64, f64)
  tfx_host.print "{}"(%d) : f64
  return
}
