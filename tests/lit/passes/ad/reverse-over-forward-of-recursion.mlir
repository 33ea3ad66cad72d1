// The gradient of the forward mode of a recursive function: its second derivative, compared with
// central differences of its gradient.
//
// RUN: tfxc run %s 0.7 3 | FileCheck %s
// RUN: tfxc run %s 0.7 5 | FileCheck %s

func.func private @power(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %end = arith.cmpi sle, %n, %zero : i64
  cf.cond_br %end, ^end, ^more
^end:
  %c = arith.constant 1.0 : f64
  return %c : f64
^more:
  %less = arith.subi %n, %one : i64
  %s = math.sin %x : f64
  %y = func.call @power(%s, %less) : (f64, i64) -> f64
  %z = arith.mulf %y, %x : f64
  return %z : f64
}
func.func private @slope(%x: f64, %n: i64) -> f64 {
  %one = arith.constant 1.0 : f64
  %y, %d = tfx_ad.jvp @power(%x, %n) tangents(%one : f64) wrt [0] : (f64, i64) -> (f64, f64)
  return %d : f64
}
func.func @main(%x: f64, %n: i64) {
  %h = arith.constant 1.0e-6 : f64
  %hh = arith.constant 2.0e-6 : f64
  %tolerance = arith.constant 1.0e-7 : f64
  %zero = arith.constant 0.0 : f64
  %second = tfx_ad.gradient @slope(%x, %n) wrt [0] : (f64, i64) -> f64
  %low = arith.subf %x, %h : f64
  %high = arith.addf %x, %h : f64
  %a = tfx_ad.gradient @power(%low, %n) wrt [0] : (f64, i64) -> f64
  %b = tfx_ad.gradient @power(%high, %n) wrt [0] : (f64, i64) -> f64
  %difference = arith.subf %b, %a : f64
  %quotient = arith.divf %difference, %hh : f64
  %error = arith.subf %second, %quotient : f64
  %size = math.absf %error : f64
  %fits = arith.cmpf olt, %size, %tolerance : f64
  %is_not_zero = arith.cmpf une, %second, %zero : f64
  // CHECK: true true
  tfx_host.print "{} {}"(%fits, %is_not_zero) : i1, i1
  return
}
