// A recursive function that exchanges two closures, which deabstraction does not resolve: they become
// enums. The value and the derivative by the capture of one of them, compared with formulas for three
// calls: w (sin (w x^2))^2.
//
// RUN: tfxc run %s 3.0 0.5 3 | FileCheck %s
// RUN: tfx-opt %s --tfx-differentiate | FileCheck %s --check-prefix=ENUM

// ENUM: tfx_host.enum @closures {power(f64), wave()}

!F = !tfx_host.closure<(f64) -> f64>
func.func private @power(%k: f64, %x: f64) -> f64 {
  %xx = arith.mulf %x, %x : f64
  %y = arith.mulf %xx, %k : f64
  return %y : f64
}
func.func private @wave(%x: f64) -> f64 {
  %y = math.sin %x : f64
  return %y : f64
}
func.func private @alternate(%f: !F, %g: !F, %x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %is_end = arith.cmpi eq, %n, %zero : i64
  cf.cond_br %is_end, ^end, ^more
^end:
  return %x : f64
^more:
  %d = tfx_host.apply %f(%x) : !F
  %m = arith.subi %n, %one : i64
  %y = func.call @alternate(%g, %f, %d, %m) : (!F, !F, f64, i64) -> f64
  return %y : f64
}
func.func private @chain(%w: f64, %x: f64, %n: i64) -> f64 {
  %a = tfx_host.closure @power(%w) : (f64) -> !F
  %b = tfx_host.closure @wave() : () -> !F
  %y = func.call @alternate(%a, %b, %x, %n) : (!F, !F, f64, i64) -> f64
  return %y : f64
}
func.func @main(%w: f64, %x: f64, %n: i64) {
  %y, %d = tfx_ad.gradient @chain(%w, %x, %n) wrt [0] value : (f64, f64, i64) -> (f64, f64)
  // With s = sin (w x^2): w s^2, and s^2 + 2 w s cos (w x^2) x^2.
  %xx = arith.mulf %x, %x : f64
  %wxx = arith.mulf %w, %xx : f64
  %s = math.sin %wxx : f64
  %c = math.cos %wxx : f64
  %ss = arith.mulf %s, %s : f64
  %value = arith.mulf %w, %ss : f64
  %two = arith.constant 2.0 : f64
  %wss = arith.mulf %w, %s : f64
  %wc = arith.mulf %wss, %c : f64
  %wcx = arith.mulf %wc, %xx : f64
  %twice = arith.mulf %wcx, %two : f64
  %slope = arith.addf %ss, %twice : f64
  %ey = arith.subf %y, %value : f64
  %ed = arith.subf %d, %slope : f64
  %ay = math.absf %ey : f64
  %ad = math.absf %ed : f64
  %bound = arith.constant 1.0e-14 : f64
  %fits_y = arith.cmpf olt, %ay, %bound : f64
  %fits_d = arith.cmpf olt, %ad, %bound : f64
  // CHECK: {{^}}true true{{$}}
  tfx_host.print "{} {}"(%fits_y, %fits_d) : i1, i1
  return
}
