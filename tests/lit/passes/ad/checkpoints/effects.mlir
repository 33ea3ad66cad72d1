// Effects of the iterations happen once, in order: prints, assertions, and calls of functions with
// effects. What is pure runs again, also in functions that the loop calls, and in foreign ones that
// are declared pure.
//
// RUN: tfxc run %s --link %S/Inputs/half.c 0.3 5 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --link %S/Inputs/half.c 0.3 5 --executor tensorflow | FileCheck %s %}

// CHECK:      step 0
// CHECK-NEXT: in a function: 0
// CHECK-NEXT: step 1
// CHECK-NEXT: in a function: 1
// CHECK-NEXT: step 2
// CHECK-NEXT: in a function: 2
// CHECK-NEXT: step 3
// CHECK-NEXT: in a function: 3
// CHECK-NEXT: step 4
// CHECK-NEXT: in a function: 4
// CHECK-NEXT: derivative: [[SLOPE:.+]]
// CHECK-COUNT-10: {{step|function}}
// CHECK-NEXT: derivative: [[SLOPE]]
// CHECK-NOT:  {{.}}

func.func private @half(f64) -> f64 attributes {tfx.pure, tfx_ad.inactive}

func.func private @grow(%x: f64, %i: i64) -> f64 attributes {no_inline} {
  tfx_host.print "in a function: {}"(%i) : i64
  %s = math.sin %x : f64
  %y = arith.addf %x, %s : f64
  return %y : f64
}

func.func private @kept(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (f64) : i64 {
    tfx_host.print "step {}"(%i) : i64
    %is_near = arith.cmpi slt, %i, %n : i64
    tfx_host.assert %is_near, "too far: {}"(%i : i64)
    %w = func.call @grow(%v, %i) : (f64, i64) -> f64
    %h = func.call @half(%w) : (f64) -> f64
    %u = arith.mulf %w, %h : f64
    %t = math.tanh %u : f64
    scf.yield %t : f64
  } {tfx_ad.checkpoint = #tfx_ad.checkpoint<binomial<2>>}
  return %y : f64
}

func.func private @all(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (f64) : i64 {
    tfx_host.print "step {}"(%i) : i64
    %w = func.call @grow(%v, %i) : (f64, i64) -> f64
    %h = func.call @half(%w) : (f64) -> f64
    %u = arith.mulf %w, %h : f64
    %t = math.tanh %u : f64
    scf.yield %t : f64
  }
  return %y : f64
}

func.func @main(%x: f64 {tfx.name = "x"}, %n: i64 {tfx.name = "n"}) {
  %a = tfx_ad.gradient @kept(%x, %n) wrt [0] : (f64, i64) -> f64
  tfx_host.print "derivative: {}"(%a) : f64
  %b = tfx_ad.gradient @all(%x, %n) wrt [0] : (f64, i64) -> f64
  tfx_host.print "derivative: {}"(%b) : f64
  return
}
