// Closures that are parameters, that closures capture, and that a request passes: their functions
// are known at compile time. The tangent of a closure is the tuple of the tangents of its captures.
//
// RUN: tfxc run %s | FileCheck %s
// RUN: tfx-opt %s --tfx-differentiate | FileCheck %s --check-prefix=COPIES

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

// A library function that differentiates its parameter: each function that is passed gives a copy.
// COPIES-NOT: func private @slope(
// COPIES-COUNT-2: func private @slope_{{[0-9]+}}(
func.func private @slope(%f: !F, %x: f64) -> f64 {
  %d = tfx_ad.gradient %f of !F (%x) wrt [0] : (f64) -> f64
  return %d : f64
}
// Functions of a library that the program does not use are erased.
// COPIES-NOT: unused
func.func private @unused(%f: !F, %x: f64) -> f64 {
  %d = tfx_ad.gradient %f of !F (%x) wrt [0] : (f64) -> f64
  return %d : f64
}
func.func private @also_unused(%f: !F, %x: f64) -> f64 {
  %d = func.call @unused(%f, %x) : (!F, f64) -> f64
  return %d : f64
}
// The parameter passes through another function.
func.func private @step(%x: f64, %f: !F) -> f64 {
  %d = func.call @slope(%f, %x) : (!F, f64) -> f64
  %y = arith.subf %x, %d : f64
  return %y : f64
}

// A closure that captures a closure.
func.func private @twice(%f: !F, %x: f64) -> f64 {
  %y = tfx_host.apply %f(%x) : !F
  %z = tfx_host.apply %f(%y) : !F
  return %z : f64
}

// A map over an array.
!A = !tfx_host.array<f64>
func.func private @mapped(%f: !F, %a: !A) -> f64 {
  %zero = arith.constant 0.0 : f64
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = tfx_host.array_count %a : !A
  %sum = scf.for %i = %first to %n step %one iter_args(%s = %zero) -> (f64) {
    %x = tfx_host.array_get %a[%i] : !A
    %y = tfx_host.apply %f(%x) : !F
    %t = arith.addf %s, %y : f64
    scf.yield %t : f64
  }
  return %sum : f64
}

// Recursion with a closure.
func.func private @iterate(%f: !F, %x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %is_end = arith.cmpi eq, %n, %zero : i64
  cf.cond_br %is_end, ^end, ^more
^end:
  return %x : f64
^more:
  %d = tfx_ad.gradient %f of !F (%x) wrt [0] : (f64) -> f64
  %m = arith.subi %n, %one : i64
  %y = func.call @iterate(%f, %d, %m) : (!F, f64, i64) -> f64
  return %y : f64
}

func.func @main() {
  %three = arith.constant 3.0 : f64
  %two = arith.constant 2.0 : f64
  %n = arith.constant 3 : i64
  %square = tfx_host.closure @power(%three) : (f64) -> !F
  %sine = tfx_host.closure @wave() : () -> !F

  // 2 * 3 * 2 and cos 2.
  %a = func.call @slope(%square, %two) : (!F, f64) -> f64
  %b = func.call @slope(%sine, %two) : (!F, f64) -> f64
  // CHECK: 12.0 -0.416146836547
  tfx_host.print "{} {}"(%a, %b) : f64, f64
  %c = func.call @step(%two, %square) : (f64, !F) -> f64
  // CHECK-NEXT: -10.0
  tfx_host.print "{}"(%c) : f64

  // 3 (3 x^2)^2 = 27 x^4
  %composed = tfx_host.closure @twice(%square) : (!F) -> !F
  %d = tfx_ad.gradient %composed of !F (%two) wrt [0] : (f64) -> f64
  // CHECK-NEXT: 864.0
  tfx_host.print "{}"(%d) : f64

  // By the closure, which captures one number, and by the array.
  %array = tfx_host.array(%two, %three) : !A
  %v, %tk, %ta = tfx_ad.gradient @mapped(%square, %array) wrt [0, 1] value : (!F, !A) -> (f64, tuple<f64>, !A)
  %k = tfx_host.tuple_get %tk[0] : tuple<f64>
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %g0 = tfx_host.array_get %ta[%i0] : !A
  %g1 = tfx_host.array_get %ta[%i1] : !A
  // CHECK-NEXT: 39.0 13.0 12.0 18.0
  tfx_host.print "{} {} {} {}"(%v, %k, %g0, %g1) : f64, f64, f64, f64

  %w, %pull = tfx_ad.vjp @mapped(%square, %array) wrt [0, 1] : (!F, !A) -> (f64, !tfx_host.closure<(f64) -> (tuple<f64>, !A)>)
  %p:2 = tfx_host.apply %pull(%two) : !tfx_host.closure<(f64) -> (tuple<f64>, !A)>
  %pk = tfx_host.tuple_get %p#0[0] : tuple<f64>
  // CHECK-NEXT: 26.0
  tfx_host.print "{}"(%pk) : f64
  %u, %tu = tfx_ad.jvp @mapped(%square, %array) tangents(%tk, %array : tuple<f64>, !A) wrt [0, 1] : (!F, !A) -> (f64, f64)
  // 13 * 13 + 12 * 2 + 18 * 3
  // CHECK-NEXT: 247.0
  tfx_host.print "{}"(%tu) : f64

  // 6 * (6 * (6 * 2))
  %e = func.call @iterate(%square, %two, %n) : (!F, f64, i64) -> f64
  // CHECK-NEXT: 432.0
  tfx_host.print "{}"(%e) : f64
  return
}
