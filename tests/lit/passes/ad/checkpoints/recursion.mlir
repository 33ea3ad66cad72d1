// A loop with checkpoints may call functions that call themselves and each other, and its function
// may call itself outside of the loop. The gradient is that without checkpoints.
//
// RUN: sed s/SCHEME/none/ %s > %t.none.mlir
// RUN: sed s/SCHEME/'binomial<2>'/ %s > %t.binomial.mlir
// RUN: sed s/SCHEME/'periodic<3>'/ %s > %t.periodic.mlir
// RUN: tfxc run %t.none.mlir 0.3 7 > %t.expected
// RUN: FileCheck %s < %t.expected
// RUN: tfxc run %t.binomial.mlir 0.3 7 | diff %t.expected -
// RUN: tfxc run %t.periodic.mlir 0.3 7 | diff %t.expected -
//
// The gradient is the difference quotient, and the second derivative that of the gradient.
// CHECK: first: true
// CHECK: second: true
// CHECK: gradient: {{-?[0-9]+}}

// x -> sin(x) on even levels and cos(x) on odd ones.
func.func private @even(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %is_end = arith.cmpi sle, %n, %zero : i64
  cf.cond_br %is_end, ^end, ^more
^end:
  return %x : f64
^more:
  %less = arith.subi %n, %one : i64
  %y = func.call @odd(%x, %less) : (f64, i64) -> f64
  %z = math.sin %y : f64
  return %z : f64
}

func.func private @odd(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %is_more = arith.cmpi sge, %n, %zero : i64
  %is_end = arith.cmpi sle, %n, %zero : i64
  cf.cond_br %is_end, ^end, ^more
^end:
  return %x : f64
^more:
  // What may abort is no effect that must not be repeated.
  tfx_host.assert %is_more, "there are more levels"
  %ones = tfx_host.array(%one, %one, %one) : !tfx_host.array<i64>
  %count = tfx_host.array_count %ones : !tfx_host.array<i64>
  %index = arith.index_cast %n : i64 to index
  %in_bounds = arith.remui %index, %count : index
  %first = tfx_host.array_get %ones[%in_bounds] : !tfx_host.array<i64>
  %less = arith.subi %n, %first : i64
  %y = func.call @even(%x, %less) : (f64, i64) -> f64
  %z = math.cos %y : f64
  return %z : f64
}

func.func private @f(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (f64) : i64 {
    %w = func.call @even(%v, %i) : (f64, i64) -> f64
    %p = arith.mulf %w, %x : f64
    %s = arith.addf %p, %v : f64
    scf.yield %s : f64
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<SCHEME>}
  %is_end = arith.cmpi sle, %n, %two : i64
  cf.cond_br %is_end, ^end, ^more
^end:
  return %y : f64
^more:
  %less = arith.subi %n, %two : i64
  %z = func.call @f(%y, %less) : (f64, i64) -> f64
  return %z : f64
}

func.func private @slope(%x: f64, %n: i64) -> f64 {
  %d = tfx_ad.gradient @f(%x, %n) wrt [0] : (f64, i64) -> f64
  return %d : f64
}

// Whether a slope is the difference quotient of two values at a distance of 2e-6.
func.func private @is_slope(%slope: f64, %low: f64, %high: f64) -> i1 {
  %distance = arith.constant 2.0e-6 : f64
  %bound = arith.constant 1.0e-6 : f64
  %one = arith.constant 1.0 : f64
  %rise = arith.subf %high, %low : f64
  %quotient = arith.divf %rise, %distance : f64
  %error = arith.subf %slope, %quotient : f64
  %size = math.absf %error : f64
  %scale = math.absf %quotient : f64
  %more = arith.addf %scale, %one : f64
  %limit = arith.mulf %more, %bound : f64
  %is_small = arith.cmpf olt, %size, %limit : f64
  return %is_small : i1
}

func.func @main(%x: f64, %n: i64) {
  %step = arith.constant 1.0e-6 : f64
  %low = arith.subf %x, %step : f64
  %high = arith.addf %x, %step : f64
  %f.low = func.call @f(%low, %n) : (f64, i64) -> f64
  %f.high = func.call @f(%high, %n) : (f64, i64) -> f64
  %g = func.call @slope(%x, %n) : (f64, i64) -> f64
  %first = func.call @is_slope(%g, %f.low, %f.high) : (f64, f64, f64) -> i1
  tfx_host.print "first: {}"(%first) : i1
  %g.low = func.call @slope(%low, %n) : (f64, i64) -> f64
  %g.high = func.call @slope(%high, %n) : (f64, i64) -> f64
  %h = tfx_ad.gradient @slope(%x, %n) wrt [0] : (f64, i64) -> f64
  %second = func.call @is_slope(%h, %g.low, %g.high) : (f64, f64, f64) -> i1
  tfx_host.print "second: {}"(%second) : i1
  // Rounded: sums are added in another order.
  %scale = arith.constant 1.0e+9 : f64
  %large = arith.mulf %g, %scale : f64
  %near = math.roundeven %large : f64
  tfx_host.print "gradient: {}"(%near) : f64
  return
}
