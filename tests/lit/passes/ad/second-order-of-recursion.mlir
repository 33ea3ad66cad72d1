// The derivative of a gradient of a recursive function, in reverse and in forward mode, goes through
// the pullbacks that its forward function returns: an error at the function.
// `reverse-over-forward-of-recursion.mlir` has the order that works.
//
// RUN: not tfx-opt %s --tfx-differentiate -split-input-file 2>&1 | FileCheck %s

// CHECK: :[[#@LINE+1]]:1: error: cannot differentiate through a value of type '!tfx_host.closure<escaping (f64) -> f64>': the result depends on a parameter by it
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
  %d = tfx_ad.gradient @power(%x, %n) wrt [0] : (f64, i64) -> f64
  return %d : f64
}
func.func @main(%x: f64, %n: i64) {
  %d = tfx_ad.gradient @slope(%x, %n) wrt [0] : (f64, i64) -> f64
  tfx_host.print "{}"(%d) : f64
  return
}

// -----

// CHECK: :[[#@LINE+1]]:1: error: cannot differentiate through a value of type '!tfx_host.closure<escaping (f64) -> f64>': the result depends on a parameter by it
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
  %d = tfx_ad.gradient @power(%x, %n) wrt [0] : (f64, i64) -> f64
  return %d : f64
}
func.func @main(%x: f64, %n: i64) {
  %o = arith.constant 1.0 : f64
  %y, %d = tfx_ad.jvp @slope(%x, %n) tangents(%o : f64) wrt [0] : (f64, i64) -> (f64, f64)
  tfx_host.print "{}"(%d) : f64
  return
}
