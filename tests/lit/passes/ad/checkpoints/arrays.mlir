// The gradient of a loop with checkpoints that carries an array is that of the loop without.
//
// RUN: tfxc run %s 0.3 0.7 0 | FileCheck %s --check-prefix=SAME
// RUN: tfxc run %s 0.3 0.7 1 | FileCheck %s --check-prefix=SAME
// RUN: tfxc run %s 0.3 0.7 2 | FileCheck %s --check-prefix=SAME
// RUN: tfxc run %s 0.3 0.7 17 | FileCheck %s --check-prefix=SAME
// RUN: tfx-opt %s --tfx-specialize --tfx-differentiate -o %t.mlir
// RUN: tfxc interpret %t.mlir 0.3 0.7 17 | FileCheck %s --check-prefix=SAME
//
// SAME:      none: [[VALUE:.+]]
// SAME-NEXT: periodic: [[VALUE]]
// SAME-NEXT: binomial: [[VALUE]]
// SAME-NEXT: single: [[VALUE]]
// SAME-NEXT: unknown: [[VALUE]]

!A = !tfx_host.array<f64>

// The values, rounded: sums are added in another order.
func.func private @rounded(%x: f64) -> f64 {
  %scale = arith.constant 1.0e+9 : f64
  %large = arith.mulf %x, %scale : f64
  %near = math.roundeven %large : f64
  %r = arith.divf %near, %scale : f64
  return %r : f64
}

func.func private @none(%x: !A, %k: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  %first = arith.constant 0 : index
  %last = arith.constant 2 : index
  %far = arith.constant 1.0e+3 : f64
  %y:2 = scf.for %i = %zero to %n step %one iter_args(%v = %k, %a = %x) -> (f64, !A) : i64 {
    %r = arith.remsi %i, %three : i64
    %at = arith.index_cast %r : i64 to index
    %e = tfx_host.array_get %a[%at] : !A
    %p = arith.mulf %e, %k : f64
    %q = arith.addf %p, %v : f64
    %s = math.sin %q : f64
    %b = tfx_host.array_set %s into %a[%at] : !A
    %f = tfx_host.array_get %b[%first] : !A
    %w = arith.mulf %f, %q : f64
    scf.yield %w, %b : f64, !A
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<none>}
  %end = tfx_host.array_get %y#1[%last] : !A
  %sum = arith.addf %y#0, %end : f64
  return %sum : f64
}

func.func private @periodic(%x: !A, %k: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  %first = arith.constant 0 : index
  %last = arith.constant 2 : index
  %far = arith.constant 1.0e+3 : f64
  %y:2 = scf.for %i = %zero to %n step %one iter_args(%v = %k, %a = %x) -> (f64, !A) : i64 {
    %r = arith.remsi %i, %three : i64
    %at = arith.index_cast %r : i64 to index
    %e = tfx_host.array_get %a[%at] : !A
    %p = arith.mulf %e, %k : f64
    %q = arith.addf %p, %v : f64
    %s = math.sin %q : f64
    %b = tfx_host.array_set %s into %a[%at] : !A
    %f = tfx_host.array_get %b[%first] : !A
    %w = arith.mulf %f, %q : f64
    scf.yield %w, %b : f64, !A
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<periodic<4>>}
  %end = tfx_host.array_get %y#1[%last] : !A
  %sum = arith.addf %y#0, %end : f64
  return %sum : f64
}

func.func private @binomial(%x: !A, %k: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  %first = arith.constant 0 : index
  %last = arith.constant 2 : index
  %far = arith.constant 1.0e+3 : f64
  %y:2 = scf.for %i = %zero to %n step %one iter_args(%v = %k, %a = %x) -> (f64, !A) : i64 {
    %r = arith.remsi %i, %three : i64
    %at = arith.index_cast %r : i64 to index
    %e = tfx_host.array_get %a[%at] : !A
    %p = arith.mulf %e, %k : f64
    %q = arith.addf %p, %v : f64
    %s = math.sin %q : f64
    %b = tfx_host.array_set %s into %a[%at] : !A
    %f = tfx_host.array_get %b[%first] : !A
    %w = arith.mulf %f, %q : f64
    scf.yield %w, %b : f64, !A
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<binomial<3>>}
  %end = tfx_host.array_get %y#1[%last] : !A
  %sum = arith.addf %y#0, %end : f64
  return %sum : f64
}

func.func private @single(%x: !A, %k: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  %first = arith.constant 0 : index
  %last = arith.constant 2 : index
  %far = arith.constant 1.0e+3 : f64
  %y:2 = scf.for %i = %zero to %n step %one iter_args(%v = %k, %a = %x) -> (f64, !A) : i64 {
    %r = arith.remsi %i, %three : i64
    %at = arith.index_cast %r : i64 to index
    %e = tfx_host.array_get %a[%at] : !A
    %p = arith.mulf %e, %k : f64
    %q = arith.addf %p, %v : f64
    %s = math.sin %q : f64
    %b = tfx_host.array_set %s into %a[%at] : !A
    %f = tfx_host.array_get %b[%first] : !A
    %w = arith.mulf %f, %q : f64
    scf.yield %w, %b : f64, !A
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<binomial<1>>}
  %end = tfx_host.array_get %y#1[%last] : !A
  %sum = arith.addf %y#0, %end : f64
  return %sum : f64
}

// The number of iterations is not known when the loop starts.
func.func private @unknown(%x: !A, %k: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  %first = arith.constant 0 : index
  %last = arith.constant 2 : index
  %far = arith.constant 1.0e+3 : f64
  %y:3 = scf.while (%v = %k, %a = %x, %i = %zero) : (f64, !A, i64) -> (f64, !A, i64) {
    %is_small = arith.cmpf olt, %v, %far : f64
    %is_early = arith.cmpi slt, %i, %n : i64
    %more = arith.andi %is_small, %is_early : i1
    scf.condition(%more) %v, %a, %i : f64, !A, i64
  } do {
  ^bb0(%v: f64, %a: !A, %i: i64):
    %r = arith.remsi %i, %three : i64
    %at = arith.index_cast %r : i64 to index
    %e = tfx_host.array_get %a[%at] : !A
    %p = arith.mulf %e, %k : f64
    %q = arith.addf %p, %v : f64
    %s = math.sin %q : f64
    %b = tfx_host.array_set %s into %a[%at] : !A
    %f = tfx_host.array_get %b[%first] : !A
    %w = arith.mulf %f, %q : f64
    %next = arith.addi %i, %one : i64
    scf.yield %w, %b, %next : f64, !A, i64
  } attributes {tfx_ad.checkpoint = #tfx_ad.checkpoint<binomial<3>>}
  %end = tfx_host.array_get %y#1[%last] : !A
  %sum = arith.addf %y#0, %end : f64
  return %sum : f64
}

func.func @main(%x: f64 {tfx.name = "x"}, %k: f64 {tfx.name = "k"}, %n: i64 {tfx.name = "n"}) {
  %at = arith.constant 1 : index
  %half = arith.constant 0.5 : f64
  %a = tfx_host.array(%x, %half, %k) : !A
  %y.none, %da.none, %dk.none = tfx_ad.gradient @none(%a, %k, %n) wrt [0, 1] value : (!A, f64, i64) -> (f64, !A, f64)
  %d.none = tfx_host.array_get %da.none[%at] : !A
  %ry.none = func.call @rounded(%y.none) : (f64) -> f64
  %rd.none = func.call @rounded(%d.none) : (f64) -> f64
  %rk.none = func.call @rounded(%dk.none) : (f64) -> f64
  tfx_host.print "none: {} {} {}"(%ry.none, %rd.none, %rk.none) : f64, f64, f64
  %y.periodic, %da.periodic, %dk.periodic = tfx_ad.gradient @periodic(%a, %k, %n) wrt [0, 1] value : (!A, f64, i64) -> (f64, !A, f64)
  %d.periodic = tfx_host.array_get %da.periodic[%at] : !A
  %ry.periodic = func.call @rounded(%y.periodic) : (f64) -> f64
  %rd.periodic = func.call @rounded(%d.periodic) : (f64) -> f64
  %rk.periodic = func.call @rounded(%dk.periodic) : (f64) -> f64
  tfx_host.print "periodic: {} {} {}"(%ry.periodic, %rd.periodic, %rk.periodic) : f64, f64, f64
  %y.binomial, %da.binomial, %dk.binomial = tfx_ad.gradient @binomial(%a, %k, %n) wrt [0, 1] value : (!A, f64, i64) -> (f64, !A, f64)
  %d.binomial = tfx_host.array_get %da.binomial[%at] : !A
  %ry.binomial = func.call @rounded(%y.binomial) : (f64) -> f64
  %rd.binomial = func.call @rounded(%d.binomial) : (f64) -> f64
  %rk.binomial = func.call @rounded(%dk.binomial) : (f64) -> f64
  tfx_host.print "binomial: {} {} {}"(%ry.binomial, %rd.binomial, %rk.binomial) : f64, f64, f64
  %y.single, %da.single, %dk.single = tfx_ad.gradient @single(%a, %k, %n) wrt [0, 1] value : (!A, f64, i64) -> (f64, !A, f64)
  %d.single = tfx_host.array_get %da.single[%at] : !A
  %ry.single = func.call @rounded(%y.single) : (f64) -> f64
  %rd.single = func.call @rounded(%d.single) : (f64) -> f64
  %rk.single = func.call @rounded(%dk.single) : (f64) -> f64
  tfx_host.print "single: {} {} {}"(%ry.single, %rd.single, %rk.single) : f64, f64, f64
  %y.unknown, %da.unknown, %dk.unknown = tfx_ad.gradient @unknown(%a, %k, %n) wrt [0, 1] value : (!A, f64, i64) -> (f64, !A, f64)
  %d.unknown = tfx_host.array_get %da.unknown[%at] : !A
  %ry.unknown = func.call @rounded(%y.unknown) : (f64) -> f64
  %rd.unknown = func.call @rounded(%d.unknown) : (f64) -> f64
  %rk.unknown = func.call @rounded(%dk.unknown) : (f64) -> f64
  tfx_host.print "unknown: {} {} {}"(%ry.unknown, %rd.unknown, %rk.unknown) : f64, f64, f64
  return
}
