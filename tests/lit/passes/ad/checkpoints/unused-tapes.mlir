// In a function with tensors that calls itself, the first loop keeps a tape that the gradient takes
// and does not use. Its cotangent has as many zeros as it has values: the derivative of the gradient
// takes these, since it takes those of the second loop.
//
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-specialize,tfx-differentiate)' -o %t.mlir
// RUN: tfxc interpret %t.mlir 0 | FileCheck %s --check-prefix=ONE
// RUN: tfxc interpret %t.mlir 2 | FileCheck %s --check-prefix=THREE
// RUN: tfxc run %s 2 2>/dev/null | FileCheck %s --check-prefix=THREE

// The second derivative of x -> cos(x) + sin(cos(x)) at 0.5, applied once and three times.
// ONE: -1.615167
// THREE: -3.011764

func.func private @f(%x: f64, %n: i64) -> f64 attributes {tfx_ad.checkpoint = #tfx_ad.checkpoint<binomial<1>>} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %is_more = arith.cmpi sgt, %n, %zero : i64
  cf.cond_br %is_more, ^more, ^rest(%x : f64)
^more:
  %less = arith.subi %n, %one : i64
  %inner = func.call @f(%x, %less) : (f64, i64) -> f64
  cf.br ^rest(%inner : f64)
^rest(%y: f64):
  %tensor = tfx_tensor.from_scalar %y : f64
  %cos = tfx_tensor.op "Cos"(%tensor) : (tensor<f64>) -> tensor<f64>
  %z = tfx_tensor.to_scalar %cos : tensor<f64> -> f64
  cf.br ^loop(%zero, %z : i64, f64)
^loop(%i: i64, %a: f64):
  %goes_on = arith.cmpi slt, %i, %n : i64
  cf.cond_br %goes_on, ^body, ^end
^body:
  %next = arith.addi %i, %one : i64
  cf.br ^loop(%next, %z : i64, f64)
^end:
  cf.br ^sines(%zero, %z : i64, f64)
^sines(%j: i64, %b: f64):
  %has_more = arith.cmpi slt, %j, %one : i64
  cf.cond_br %has_more, ^sine, ^all
^sine:
  %after = arith.addi %j, %one : i64
  %sin = math.sin %b : f64
  cf.br ^sines(%after, %sin : i64, f64)
^all:
  %sum = arith.addf %b, %a : f64
  return %sum : f64
}
func.func private @slope(%x: f64, %n: i64) -> f64 {
  %g = tfx_ad.gradient @f(%x, %n) wrt [0] : (f64, i64) -> f64
  return %g : f64
}
func.func public @main(%n: i64) {
  %x = arith.constant 0.5 : f64
  %g = tfx_ad.gradient @slope(%x, %n) wrt [0] : (f64, i64) -> f64
  tfx_host.print "{}"(%g) : f64
  return
}
