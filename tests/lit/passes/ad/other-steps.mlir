// RUN: tfxc run %s 2.0 3 | FileCheck %s

// Numbers that loops carry besides their counters: one grows by 2 in each iteration, so the
// derivative computes it from the counter; the other one by another number each time, so that it is
// kept. With y = 1 first and y x + k x in each iteration, for k = 0, 2, 4, the derivative is 3 x^2
// + 4 x + 4; for k = 0, 1, 3, it is 3 x^2 + 2 x + 3.
// CHECK:      24.0
// CHECK-NEXT: 19.0

func.func private @constant(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %start = arith.constant 1.0 : f64
  %y:2 = scf.for %i = %zero to %n step %one iter_args(%v = %start, %k = %zero) -> (f64, i64) : i64 {
    %f = arith.sitofp %k : i64 to f64
    %a = arith.mulf %v, %x : f64
    %b = arith.mulf %f, %x : f64
    %c = arith.addf %a, %b : f64
    %next = arith.addi %k, %two : i64
    scf.yield %c, %next : f64, i64
  }
  return %y#0 : f64
}

func.func private @changing(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %start = arith.constant 1.0 : f64
  %y:2 = scf.for %i = %zero to %n step %one iter_args(%v = %start, %k = %zero) -> (f64, i64) : i64 {
    %f = arith.sitofp %k : i64 to f64
    %a = arith.mulf %v, %x : f64
    %b = arith.mulf %f, %x : f64
    %c = arith.addf %a, %b : f64
    %step = arith.addi %i, %one : i64
    %next = arith.addi %k, %step : i64
    scf.yield %c, %next : f64, i64
  }
  return %y#0 : f64
}

func.func @main(%x: f64 {tfx.name = "x"}, %n: i64 {tfx.name = "n"}) {
  %a = tfx_ad.gradient @constant(%x, %n) wrt [0] : (f64, i64) -> f64
  tfx_host.print "{}"(%a) : f64
  %b = tfx_ad.gradient @changing(%x, %n) wrt [0] : (f64, i64) -> f64
  tfx_host.print "{}"(%b) : f64
  return
}
