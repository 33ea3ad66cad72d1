// RUN: tfx-opt %s --split-input-file --tfx-differentiate | FileCheck %s

// The values of a loop that its reversal takes from tapes, and those that it computes again.

// The counter comes from the counter of the reversed loop, and so does its conversion. The argument
// %h is the result %t of the iteration before: one tape for both.
// CHECK-LABEL: func.func private @recurrence.backward(
// CHECK-SAME:      %arg0: f64, %arg1: i64, %arg2: !tfx_ad.tape<f64>, %arg3: f64) -> f64
// CHECK:         scf.while
// CHECK:           %[[REST:.+]], %[[H:.+]] = tfx_ad.pop
// CHECK:           %[[I:.+]] = arith.addi
// CHECK:           arith.sitofp
// CHECK:           %[[T:.+]] = tfx_host.load
// CHECK:           tfx_host.store %[[H]]
// CHECK:           arith.mulf %[[T]], %[[T]]
// CHECK-LABEL: func.func private @recurrence.forward(
// CHECK-SAME:      -> (f64, i64, !tfx_ad.tape<f64>)
// CHECK:         tfx_ad.push
// CHECK-NOT:     tfx_ad.push
func.func private @recurrence(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %y = scf.for %i = %zero to %n step %one iter_args(%h = %x) -> (f64) : i64 {
    %f = arith.sitofp %i : i64 to f64
    %a = arith.mulf %h, %h : f64
    %b = arith.mulf %a, %f : f64
    %t = math.tanh %b : f64
    scf.yield %t : f64
  }
  return %y : f64
}
func.func @g(%x: f64, %n: i64) -> f64 {
  %d = tfx_ad.gradient @recurrence(%x, %n) wrt [0] : (f64, i64) -> f64
  return %d : f64
}

// -----

// A sine costs more than its tape; a product costs less.
// CHECK-LABEL: func.func private @sine.backward(
// CHECK-NOT:     math.sin
// CHECK:         arith.mulf
// CHECK-LABEL: func.func private @sine.forward(
// CHECK-SAME:      -> (f64, i64, !tfx_ad.tape<f64>, !tfx_ad.tape<f64>)
func.func private @sine(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %y = scf.for %i = %zero to %n step %one iter_args(%h = %x) -> (f64) : i64 {
    %s = math.sin %h : f64
    %p = arith.mulf %s, %x : f64
    %q = arith.mulf %p, %p : f64
    %r = arith.addf %q, %x : f64
    scf.yield %r : f64
  }
  return %y : f64
}
func.func @g(%x: f64, %n: i64) -> f64 {
  %d = tfx_ad.gradient @sine(%x, %n) wrt [0] : (f64, i64) -> f64
  return %d : f64
}

// -----

// The inner loop only keeps %v: %c is computed again from %e, which the outer loop keeps, as well as
// the number of iterations.
// CHECK-LABEL: func.func private @nested.forward(
// CHECK-SAME:      -> (f64, i64, !tfx_ad.tape<f64>, !tfx_ad.tape<i64>, !tfx_ad.tape<f64>)
// CHECK:         scf.while
// CHECK:           scf.while
// CHECK:             tfx_ad.push
// CHECK-NOT:         tfx_ad.push
// CHECK:             scf.yield
// CHECK-COUNT-1:   tfx_ad.push %{{.+}} to %{{.+}} : <i64>
func.func private @nested(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %y = scf.for %i = %zero to %n step %one iter_args(%h = %x) -> (f64) : i64 {
    %e = math.exp %h : f64
    %z = scf.for %j = %zero to %n step %one iter_args(%v = %h) -> (f64) : i64 {
      %c = arith.addf %e, %x : f64
      %p = arith.mulf %v, %c : f64
      scf.yield %p : f64
    }
    scf.yield %z : f64
  }
  return %y : f64
}
func.func @g(%x: f64, %n: i64) -> f64 {
  %d = tfx_ad.gradient @nested(%x, %n) wrt [0] : (f64, i64) -> f64
  return %d : f64
}
