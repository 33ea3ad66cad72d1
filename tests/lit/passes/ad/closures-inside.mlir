// Closures that a branch selects, and that a variable, a struct, a tuple or an array holds, inside
// of the function that is differentiated: deabstraction resolves them before the function is
// reversed. The derivative by the capture, and by the argument, compared with central differences.
//
// RUN: tfxc run %s 0.7 1 | FileCheck %s
// RUN: tfxc run %s 0.7 -1 | FileCheck %s

!F = !tfx_host.closure<(f64) -> f64>
!Fs = !tfx_host.array<!F>
tfx_host.struct @Step {function: !F, rate: f64}
!S = !tfx_host.struct<@Step>

func.func private @power(%k: f64, %x: f64) -> f64 {
  %xx = arith.mulf %x, %x : f64
  %y = arith.mulf %xx, %k : f64
  return %y : f64
}
func.func private @wave(%x: f64) -> f64 {
  %y = math.sin %x : f64
  return %y : f64
}

func.func private @selected(%k: f64, %x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %power = tfx_host.closure @power(%k) : (f64) -> !F
  %wave = tfx_host.closure @wave() : () -> !F
  %positive = arith.cmpi sgt, %n, %zero : i64
  %f = arith.select %positive, %power, %wave : !F
  %y = tfx_host.apply %f(%x) : !F
  %z = arith.mulf %y, %k : f64
  return %z : f64
}

// The variable has another closure in each iteration.
func.func private @stored(%k: f64, %x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %steps = arith.constant 4 : i64
  %power = tfx_host.closure @power(%k) : (f64) -> !F
  %wave = tfx_host.closure @wave() : () -> !F
  %variable = tfx_host.var : !tfx_host.ref<!F>
  tfx_host.store %power, %variable : !F
  %end = scf.for %i = %zero to %steps step %one iter_args(%v = %x) -> (f64) : i64 {
    %f = tfx_host.load %variable : !tfx_host.ref<!F>
    %u = tfx_host.apply %f(%v) : !F
    %sum = arith.addi %i, %n : i64
    %bit = arith.andi %sum, %one : i64
    %is_even = arith.cmpi eq, %bit, %zero : i64
    scf.if %is_even {
      tfx_host.store %wave, %variable : !F
    } else {
      tfx_host.store %power, %variable : !F
    }
    scf.yield %u : f64
  }
  return %end : f64
}

func.func private @in_struct(%k: f64, %x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %positive = arith.cmpi sgt, %n, %zero : i64
  %step = scf.if %positive -> !S {
    %power = tfx_host.closure @power(%k) : (f64) -> !F
    %s = tfx_host.make_struct(%power, %x) : (!F, f64) -> !S
    scf.yield %s : !S
  } else {
    %wave = tfx_host.closure @wave() : () -> !F
    %s = tfx_host.make_struct(%wave, %k) : (!F, f64) -> !S
    scf.yield %s : !S
  }
  %pair = tfx_host.make_tuple(%step, %x) : !S, f64
  %held = tfx_host.tuple_get %pair[0] : tuple<!S, f64>
  %f = tfx_host.extract %held["function"] : !S -> !F
  %rate = tfx_host.extract %held["rate"] : !S -> f64
  %y = tfx_host.apply %f(%x) : !F
  %z = arith.mulf %y, %rate : f64
  return %z : f64
}

// The index is that of the loop.
func.func private @in_array(%k: f64, %x: f64, %n: i64) -> f64 {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %power = tfx_host.closure @power(%k) : (f64) -> !F
  %wave = tfx_host.closure @wave() : () -> !F
  %scaled = tfx_host.closure @power(%x) : (f64) -> !F
  %fs = tfx_host.array(%power, %wave, %scaled) : !Fs
  %count = tfx_host.array_count %fs : !Fs
  %y = scf.for %i = %first to %count step %one iter_args(%v = %x) -> (f64) {
    %f = tfx_host.array_get %fs[%i] : !Fs
    %u = tfx_host.apply %f(%v) : !F
    scf.yield %u : f64
  }
  return %y : f64
}

!T = !tfx_host.closure<(f64, f64, i64) -> f64>
func.func private @compare(%name: !tfx_host.string, %f: !T, %x: f64, %n: i64, %dk: f64, %dx: f64) {
  %k = arith.constant 0.9 : f64
  %h = arith.constant 1.0e-6 : f64
  %hh = arith.constant 2.0e-6 : f64
  %tolerance = arith.constant 1.0e-7 : f64
  %kl = arith.subf %k, %h : f64
  %kh = arith.addf %k, %h : f64
  %xl = arith.subf %x, %h : f64
  %xh = arith.addf %x, %h : f64
  %a = tfx_host.apply %f(%kl, %x, %n) : !T
  %b = tfx_host.apply %f(%kh, %x, %n) : !T
  %c = tfx_host.apply %f(%k, %xl, %n) : !T
  %d = tfx_host.apply %f(%k, %xh, %n) : !T
  %by_k = arith.subf %b, %a : f64
  %by_x = arith.subf %d, %c : f64
  %qk = arith.divf %by_k, %hh : f64
  %qx = arith.divf %by_x, %hh : f64
  %ek = arith.subf %dk, %qk : f64
  %ex = arith.subf %dx, %qx : f64
  %sk = math.absf %ek : f64
  %sx = math.absf %ex : f64
  %fits_k = arith.cmpf olt, %sk, %tolerance : f64
  %fits_x = arith.cmpf olt, %sx, %tolerance : f64
  %no = arith.constant 0.0 : f64
  %is_not_zero = arith.cmpf une, %dx, %no : f64
  tfx_host.print "{}: {} {} {}"(%name, %fits_k, %fits_x, %is_not_zero) : !tfx_host.string, i1, i1, i1
  return
}

func.func @main(%x: f64, %n: i64) {
  %k = arith.constant 0.9 : f64
  // CHECK: selected: true true true
  %selected = tfx_host.string "selected"
  %f0 = tfx_host.closure @selected() : () -> !T
  %a:2 = tfx_ad.gradient @selected(%k, %x, %n) wrt [0, 1] : (f64, f64, i64) -> (f64, f64)
  func.call @compare(%selected, %f0, %x, %n, %a#0, %a#1) : (!tfx_host.string, !T, f64, i64, f64, f64) -> ()
  // CHECK-NEXT: stored: true true true
  %stored = tfx_host.string "stored"
  %f1 = tfx_host.closure @stored() : () -> !T
  %b:2 = tfx_ad.gradient @stored(%k, %x, %n) wrt [0, 1] : (f64, f64, i64) -> (f64, f64)
  func.call @compare(%stored, %f1, %x, %n, %b#0, %b#1) : (!tfx_host.string, !T, f64, i64, f64, f64) -> ()
  // CHECK-NEXT: in a struct: true true true
  %in_struct = tfx_host.string "in a struct"
  %f2 = tfx_host.closure @in_struct() : () -> !T
  %c:2 = tfx_ad.gradient @in_struct(%k, %x, %n) wrt [0, 1] : (f64, f64, i64) -> (f64, f64)
  func.call @compare(%in_struct, %f2, %x, %n, %c#0, %c#1) : (!tfx_host.string, !T, f64, i64, f64, f64) -> ()
  // CHECK-NEXT: in an array: true true true
  %in_array = tfx_host.string "in an array"
  %f3 = tfx_host.closure @in_array() : () -> !T
  %d:2 = tfx_ad.gradient @in_array(%k, %x, %n) wrt [0, 1] : (f64, f64, i64) -> (f64, f64)
  func.call @compare(%in_array, %f3, %x, %n, %d#0, %d#1) : (!tfx_host.string, !T, f64, i64, f64, f64) -> ()
  return
}
