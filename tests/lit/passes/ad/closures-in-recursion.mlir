// A recursive function that exchanges two closures: deabstraction cannot resolve them, so the
// derivative by a capture goes through values that have none, which is an error at each closure.
//
// RUN: not tfx-opt %s --tfx-differentiate 2>&1 | FileCheck %s

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
  // CHECK: :[[#@LINE+1]]:8: error: cannot differentiate through a value of type '!tfx_host.closure<(f64) -> f64>': the result depends on a parameter by it
  %a = tfx_host.closure @power(%w) : (f64) -> !F
  // CHECK: :[[#@LINE+1]]:8: error: cannot differentiate through a value of type '!tfx_host.closure<(f64) -> f64>': the result depends on a parameter by it
  %b = tfx_host.closure @wave() : () -> !F
  %y = func.call @alternate(%a, %b, %x, %n) : (!F, !F, f64, i64) -> f64
  return %y : f64
}
func.func @main(%w: f64, %x: f64, %n: i64) -> f64 {
  %d = tfx_ad.gradient @chain(%w, %x, %n) wrt [0] : (f64, f64, i64) -> f64
  return %d : f64
}
