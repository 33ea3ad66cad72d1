// Results of effects that the derivative needs are kept by the first run of each iteration: the iterations that run
// again take them from a tape. The gradient is that of the loop without checkpoints, and each
// foreign function is called as often.
//
// RUN: tfxc run %s --link %S/Inputs/noise.c 0.3 0.7 0 | FileCheck %s --check-prefix=SAME
// RUN: tfxc run %s --link %S/Inputs/noise.c 0.3 0.7 1 | FileCheck %s --check-prefix=SAME
// RUN: tfxc run %s --link %S/Inputs/noise.c 0.3 0.7 2 | FileCheck %s --check-prefix=SAME
// RUN: tfxc run %s --link %S/Inputs/noise.c 0.3 0.7 17 | FileCheck %s --check-prefix=SAME
// RUN: tfx-opt %s --tfx-specialize --tfx-differentiate -o %t.mlir
// RUN: tfxc interpret %t.mlir --link %S/Inputs/noise.c 0.3 0.7 17 | FileCheck %s --check-prefix=SAME
// RUN: tfx-opt %s --tfx-extract -o %t.mlir
// RUN: tfxc interpret %t.mlir --link %S/Inputs/noise.c 0.3 0.7 17 | FileCheck %s --check-prefix=SAME
// RUN: %if tensorflow %{ tfxc run %s --link %S/Inputs/noise.c 0.3 0.7 17 --executor tensorflow | FileCheck %s --check-prefix=SAME %}
//
// SAME:      none: [[VALUE:.+]]
// SAME-NEXT: periodic: [[VALUE]]
// SAME-NEXT: binomial: [[VALUE]]
// SAME-NEXT: single: [[VALUE]]
// SAME-NEXT: unknown: [[VALUE]]

func.func private @noise() -> f64
func.func private @measure(f64) -> f64 attributes {tfx_ad.inactive}
func.func private @next_number() -> i64
func.func private @count_calls() -> i64

// The values, rounded: sums are added in another order.
func.func private @rounded(%x: f64) -> f64 {
  %scale = arith.constant 1.0e+9 : f64
  %large = arith.mulf %x, %scale : f64
  %near = math.roundeven %large : f64
  %r = arith.divf %near, %scale : f64
  return %r : f64
}

// A function with effects, which the loop calls.
func.func private @disturbed(%x: f64) -> f64 attributes {no_inline} {
  %m = func.call @measure(%x) : (f64) -> f64
  %y = arith.mulf %x, %m : f64
  %z = math.sin %y : f64
  return %z : f64
}

func.func private @none(%x: f64, %slope: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %far = arith.constant 1.0e+3 : f64
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (f64) : i64 {
    // Used twice, and the decision of a branch.
    %a = func.call @noise() : () -> f64
    %k = func.call @next_number() : () -> i64
    %is_large = arith.cmpi sgt, %k, %two : i64
    %b = scf.if %is_large -> (f64) {
      // Two more in some iterations only.
      %c = func.call @noise() : () -> f64
      %e = func.call @disturbed(%v) : (f64) -> f64
      %p = arith.mulf %e, %c : f64
      scf.yield %p : f64
    } else {
      %p = arith.mulf %v, %a : f64
      scf.yield %p : f64
    }
    %r = arith.remsi %i, %two : i64
    %m = func.call @measure(%b) : (f64) -> f64
    %f = arith.sitofp %k : i64 to f64
    %g = arith.mulf %f, %slope : f64
    %h = arith.mulf %m, %g : f64
    %q = arith.addf %h, %b : f64
    %s = math.sin %q : f64
    %w = arith.addf %s, %a : f64
    scf.yield %w : f64
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<none>}
  return %y : f64
}

func.func private @periodic(%x: f64, %slope: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %far = arith.constant 1.0e+3 : f64
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (f64) : i64 {
    // Used twice, and the decision of a branch.
    %a = func.call @noise() : () -> f64
    %k = func.call @next_number() : () -> i64
    %is_large = arith.cmpi sgt, %k, %two : i64
    %b = scf.if %is_large -> (f64) {
      // Two more in some iterations only.
      %c = func.call @noise() : () -> f64
      %e = func.call @disturbed(%v) : (f64) -> f64
      %p = arith.mulf %e, %c : f64
      scf.yield %p : f64
    } else {
      %p = arith.mulf %v, %a : f64
      scf.yield %p : f64
    }
    %r = arith.remsi %i, %two : i64
    %m = func.call @measure(%b) : (f64) -> f64
    %f = arith.sitofp %k : i64 to f64
    %g = arith.mulf %f, %slope : f64
    %h = arith.mulf %m, %g : f64
    %q = arith.addf %h, %b : f64
    %s = math.sin %q : f64
    %w = arith.addf %s, %a : f64
    scf.yield %w : f64
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<periodic<4>>}
  return %y : f64
}

func.func private @binomial(%x: f64, %slope: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %far = arith.constant 1.0e+3 : f64
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (f64) : i64 {
    // Used twice, and the decision of a branch.
    %a = func.call @noise() : () -> f64
    %k = func.call @next_number() : () -> i64
    %is_large = arith.cmpi sgt, %k, %two : i64
    %b = scf.if %is_large -> (f64) {
      // Two more in some iterations only.
      %c = func.call @noise() : () -> f64
      %e = func.call @disturbed(%v) : (f64) -> f64
      %p = arith.mulf %e, %c : f64
      scf.yield %p : f64
    } else {
      %p = arith.mulf %v, %a : f64
      scf.yield %p : f64
    }
    %r = arith.remsi %i, %two : i64
    %m = func.call @measure(%b) : (f64) -> f64
    %f = arith.sitofp %k : i64 to f64
    %g = arith.mulf %f, %slope : f64
    %h = arith.mulf %m, %g : f64
    %q = arith.addf %h, %b : f64
    %s = math.sin %q : f64
    %w = arith.addf %s, %a : f64
    scf.yield %w : f64
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<binomial<3>>}
  return %y : f64
}

func.func private @single(%x: f64, %slope: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %far = arith.constant 1.0e+3 : f64
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (f64) : i64 {
    // Used twice, and the decision of a branch.
    %a = func.call @noise() : () -> f64
    %k = func.call @next_number() : () -> i64
    %is_large = arith.cmpi sgt, %k, %two : i64
    %b = scf.if %is_large -> (f64) {
      // Two more in some iterations only.
      %c = func.call @noise() : () -> f64
      %e = func.call @disturbed(%v) : (f64) -> f64
      %p = arith.mulf %e, %c : f64
      scf.yield %p : f64
    } else {
      %p = arith.mulf %v, %a : f64
      scf.yield %p : f64
    }
    %r = arith.remsi %i, %two : i64
    %m = func.call @measure(%b) : (f64) -> f64
    %f = arith.sitofp %k : i64 to f64
    %g = arith.mulf %f, %slope : f64
    %h = arith.mulf %m, %g : f64
    %q = arith.addf %h, %b : f64
    %s = math.sin %q : f64
    %w = arith.addf %s, %a : f64
    scf.yield %w : f64
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<binomial<1>>}
  return %y : f64
}

// The number of iterations is not known when the loop starts.
func.func private @unknown(%x: f64, %slope: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %far = arith.constant 1.0e+3 : f64
  %y:2 = scf.while (%v = %x, %i = %zero) : (f64, i64) -> (f64, i64) {
    %is_small = arith.cmpf olt, %v, %far : f64
    %is_early = arith.cmpi slt, %i, %n : i64
    %more = arith.andi %is_small, %is_early : i1
    scf.condition(%more) %v, %i : f64, i64
  } do {
  ^bb0(%v: f64, %i: i64):
    // Used twice, and the decision of a branch.
    %a = func.call @noise() : () -> f64
    %k = func.call @next_number() : () -> i64
    %is_large = arith.cmpi sgt, %k, %two : i64
    %b = scf.if %is_large -> (f64) {
      // Two more in some iterations only.
      %c = func.call @noise() : () -> f64
      %e = func.call @disturbed(%v) : (f64) -> f64
      %p = arith.mulf %e, %c : f64
      scf.yield %p : f64
    } else {
      %p = arith.mulf %v, %a : f64
      scf.yield %p : f64
    }
    %r = arith.remsi %i, %two : i64
    %m = func.call @measure(%b) : (f64) -> f64
    %f = arith.sitofp %k : i64 to f64
    %g = arith.mulf %f, %slope : f64
    %h = arith.mulf %m, %g : f64
    %q = arith.addf %h, %b : f64
    %s = math.sin %q : f64
    %w = arith.addf %s, %a : f64
    %next = arith.addi %i, %one : i64
    scf.yield %w, %next : f64, i64
  } attributes {tfx_ad.checkpoint = #tfx_ad.checkpoint<binomial<3>>}
  return %y#0 : f64
}

func.func @main(%x: f64 {tfx.name = "x"}, %slope: f64 {tfx.name = "slope"}, %n: i64 {tfx.name = "n"}) {
  %y.none, %dx.none, %ds.none = tfx_ad.gradient @none(%x, %slope, %n) wrt [0, 1] value : (f64, f64, i64) -> (f64, f64, f64)
  %calls.none = func.call @count_calls() : () -> i64
  %ry.none = func.call @rounded(%y.none) : (f64) -> f64
  %rx.none = func.call @rounded(%dx.none) : (f64) -> f64
  %rs.none = func.call @rounded(%ds.none) : (f64) -> f64
  tfx_host.print "none: {} {} {} after {} calls"(%ry.none, %rx.none, %rs.none, %calls.none) : f64, f64, f64, i64
  %y.periodic, %dx.periodic, %ds.periodic = tfx_ad.gradient @periodic(%x, %slope, %n) wrt [0, 1] value : (f64, f64, i64) -> (f64, f64, f64)
  %calls.periodic = func.call @count_calls() : () -> i64
  %ry.periodic = func.call @rounded(%y.periodic) : (f64) -> f64
  %rx.periodic = func.call @rounded(%dx.periodic) : (f64) -> f64
  %rs.periodic = func.call @rounded(%ds.periodic) : (f64) -> f64
  tfx_host.print "periodic: {} {} {} after {} calls"(%ry.periodic, %rx.periodic, %rs.periodic, %calls.periodic) : f64, f64, f64, i64
  %y.binomial, %dx.binomial, %ds.binomial = tfx_ad.gradient @binomial(%x, %slope, %n) wrt [0, 1] value : (f64, f64, i64) -> (f64, f64, f64)
  %calls.binomial = func.call @count_calls() : () -> i64
  %ry.binomial = func.call @rounded(%y.binomial) : (f64) -> f64
  %rx.binomial = func.call @rounded(%dx.binomial) : (f64) -> f64
  %rs.binomial = func.call @rounded(%ds.binomial) : (f64) -> f64
  tfx_host.print "binomial: {} {} {} after {} calls"(%ry.binomial, %rx.binomial, %rs.binomial, %calls.binomial) : f64, f64, f64, i64
  %y.single, %dx.single, %ds.single = tfx_ad.gradient @single(%x, %slope, %n) wrt [0, 1] value : (f64, f64, i64) -> (f64, f64, f64)
  %calls.single = func.call @count_calls() : () -> i64
  %ry.single = func.call @rounded(%y.single) : (f64) -> f64
  %rx.single = func.call @rounded(%dx.single) : (f64) -> f64
  %rs.single = func.call @rounded(%ds.single) : (f64) -> f64
  tfx_host.print "single: {} {} {} after {} calls"(%ry.single, %rx.single, %rs.single, %calls.single) : f64, f64, f64, i64
  %y.unknown, %dx.unknown, %ds.unknown = tfx_ad.gradient @unknown(%x, %slope, %n) wrt [0, 1] value : (f64, f64, i64) -> (f64, f64, f64)
  %calls.unknown = func.call @count_calls() : () -> i64
  %ry.unknown = func.call @rounded(%y.unknown) : (f64) -> f64
  %rx.unknown = func.call @rounded(%dx.unknown) : (f64) -> f64
  %rs.unknown = func.call @rounded(%ds.unknown) : (f64) -> f64
  tfx_host.print "unknown: {} {} {} after {} calls"(%ry.unknown, %rx.unknown, %rs.unknown, %calls.unknown) : f64, f64, f64, i64
  return
}
