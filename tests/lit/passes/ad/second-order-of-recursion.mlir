// Second derivatives of recursive functions, compared with central differences of the first ones,
// and the modes with each other: one function that calls itself, two
// that call each other, a recursive call in a loop, loops in recursion, early returns, structs,
// enums and tensors.
//
// RUN: tfx-opt %s --tfx-specialize --tfx-differentiate -o %t
// RUN: tfxc interpret %t 0.9 3 | FileCheck %s
// RUN: tfxc interpret %t 0.7 4 | FileCheck %s
// RUN: tfxc interpret %t 0.3 1 | FileCheck %s
// RUN: tfxc interpret %t 0.3 0 | FileCheck %s

// x * (half of the recursion on sin(x)): the recursive call is in the middle.
func.func private @power(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %end = arith.cmpi sle, %n, %zero : i64
  cf.cond_br %end, ^end, ^more
^end:
  %c = arith.constant 1.0 : f64
  return %c : f64
^more:
  %less = arith.subi %n, %one : i64
  %s = math.sin %x : f64
  %y = func.call @power(%s, %less) : (f64, i64) -> f64
  %z = arith.mulf %y, %x : f64
  return %z : f64
}

// Two functions that call each other.
func.func private @even(%x: f64, %y: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %end = arith.cmpi sle, %n, %zero : i64
  cf.cond_br %end, ^end(%y : f64), ^more
^more:
  %less = arith.subi %n, %one : i64
  %p = arith.mulf %x, %y : f64
  %r = func.call @odd(%x, %p, %less) : (f64, f64, i64) -> f64
  cf.br ^end(%r : f64)
^end(%result: f64):
  return %result : f64
}
func.func private @odd(%x: f64, %y: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %end = arith.cmpi sle, %n, %zero : i64
  cf.cond_br %end, ^end(%y : f64), ^more
^more:
  %less = arith.subi %n, %one : i64
  %s = math.cos %y : f64
  %r = func.call @even(%x, %s, %less) : (f64, f64, i64) -> f64
  cf.br ^end(%r : f64)
^end(%result: f64):
  return %result : f64
}
func.func private @mutual(%x: f64, %n: i64) -> f64 {
  %y = func.call @even(%x, %x, %n) : (f64, f64, i64) -> f64
  return %y : f64
}

// A recursive call in a loop and one after it, a loop of the same function without calls, and an
// early return.
func.func private @tree(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %half = arith.constant 0.5 : f64
  %big = arith.constant 1.9 : f64
  %end = arith.cmpi sle, %n, %one : i64
  cf.cond_br %end, ^leaf, ^node
^leaf:
  %s = math.sin %x : f64
  return %s : f64
^node:
  %less = arith.subi %n, %one : i64
  cf.br ^head(%zero, %x : i64, f64)
^head(%i: i64, %y: f64):
  %two = arith.constant 2 : i64
  %more = arith.cmpi slt, %i, %two : i64
  cf.cond_br %more, ^body, ^out
^body:
  %t = func.call @tree(%y, %less) : (f64, i64) -> f64
  %u = arith.mulf %t, %half : f64
  %v = arith.addf %u, %x : f64
  %j = arith.addi %i, %one : i64
  %is_big = arith.cmpf ogt, %v, %big : f64
  cf.cond_br %is_big, ^early, ^head(%j, %v : i64, f64)
^early:
  %e = arith.mulf %v, %x : f64
  return %e : f64
^out:
  %waves = scf.for %k = %zero to %n step %one iter_args(%w = %y) -> (f64) : i64 {
    %q = math.sin %w : f64
    %r = arith.mulf %q, %x : f64
    scf.yield %r : f64
  }
  %l = func.call @tree(%half, %less) : (f64, i64) -> f64
  %z = arith.mulf %waves, %l : f64
  return %z : f64
}

// Structs, enums and tensors.
tfx_host.struct @State {at: f64, steps: i64, wave: tensor<2xf64>}
tfx_host.enum @Move {stay(), turn(f64, i64)}
!State = !tfx_host.struct<@State>
!Move = !tfx_host.enum<@Move>
func.func private @walk(%s: !State, %m: !Move) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %at = tfx_host.extract %s["at"] : !State -> f64
  %n = tfx_host.extract %s["steps"] : !State -> i64
  %wave = tfx_host.extract %s["wave"] : !State -> tensor<2xf64>
  %end = arith.cmpi sle, %n, %zero : i64
  cf.cond_br %end, ^end, ^more
^end:
  %axis = tfx_tensor.const dense<0> : tensor<1xi32>
  %sum = tfx_tensor.op "Sum"(%wave, %axis) : (tensor<2xf64>, tensor<1xi32>) -> tensor<f64>
  %w = tfx_tensor.to_scalar %sum : tensor<f64> -> f64
  %y = arith.mulf %w, %at : f64
  return %y : f64
^more:
  %less = arith.subi %n, %one : i64
  tfx_host.switch_enum %m : !Move ["stay" -> ^stay, "turn" -> ^turn]
^stay:
  %t0 = math.sin %at : f64
  %half = arith.constant 0.5 : f64
  %m0 = tfx_host.make_enum "turn"(%half, %n) : (f64, i64) -> !Move
  %a = tfx_tensor.op "Tanh"(%wave) : (tensor<2xf64>) -> tensor<2xf64>
  cf.br ^next(%t0, %m0, %a : f64, !Move, tensor<2xf64>)
^turn(%by: f64, %k: i64):
  %t1 = arith.mulf %at, %by : f64
  %scalar = tfx_tensor.from_scalar %t1 : f64
  %b = tfx_tensor.op "Mul"(%wave, %scalar) : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
  %m1 = tfx_host.make_enum "stay"() : () -> !Move
  %t2 = arith.addf %t1, %at : f64
  cf.br ^next(%t2, %m1, %b : f64, !Move, tensor<2xf64>)
^next(%t: f64, %move: !Move, %next: tensor<2xf64>):
  %state = tfx_host.make_struct(%t, %less, %next) : (f64, i64, tensor<2xf64>) -> !State
  %r = func.call @walk(%state, %move) : (!State, !Move) -> f64
  %z = arith.addf %r, %t : f64
  return %z : f64
}
func.func private @walks(%x: f64, %n: i64) -> f64 {
  %i1 = arith.constant 1 : i64
  %scalar = tfx_tensor.from_scalar %x : f64
  %c = tfx_tensor.const dense<[0.7, 1.3]> : tensor<2xf64>
  %wave = tfx_tensor.op "Mul"(%c, %scalar) : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
  %s = tfx_host.make_struct(%x, %n, %wave) : (f64, i64, tensor<2xf64>) -> !State
  %m = tfx_host.make_enum "turn"(%x, %i1) : (f64, i64) -> !Move
  %y = func.call @walk(%s, %m) : (!State, !Move) -> f64
  return %y : f64
}

func.func private @power.d(%x: f64, %n: i64) -> f64 {
  %d = tfx_ad.gradient @power(%x, %n) wrt [0] : (f64, i64) -> f64
  return %d : f64
}
func.func private @power.t(%x: f64, %n: i64) -> f64 {
  %one = arith.constant 1.0 : f64
  %y, %t = tfx_ad.jvp @power(%x, %n) tangents(%one : f64) wrt [0] : (f64, i64) -> (f64, f64)
  return %t : f64
}

func.func private @mutual.d(%x: f64, %n: i64) -> f64 {
  %d = tfx_ad.gradient @mutual(%x, %n) wrt [0] : (f64, i64) -> f64
  return %d : f64
}
func.func private @mutual.t(%x: f64, %n: i64) -> f64 {
  %one = arith.constant 1.0 : f64
  %y, %t = tfx_ad.jvp @mutual(%x, %n) tangents(%one : f64) wrt [0] : (f64, i64) -> (f64, f64)
  return %t : f64
}

func.func private @tree.d(%x: f64, %n: i64) -> f64 {
  %d = tfx_ad.gradient @tree(%x, %n) wrt [0] : (f64, i64) -> f64
  return %d : f64
}
func.func private @tree.t(%x: f64, %n: i64) -> f64 {
  %one = arith.constant 1.0 : f64
  %y, %t = tfx_ad.jvp @tree(%x, %n) tangents(%one : f64) wrt [0] : (f64, i64) -> (f64, f64)
  return %t : f64
}

func.func private @walks.d(%x: f64, %n: i64) -> f64 {
  %d = tfx_ad.gradient @walks(%x, %n) wrt [0] : (f64, i64) -> f64
  return %d : f64
}
func.func private @walks.t(%x: f64, %n: i64) -> f64 {
  %one = arith.constant 1.0 : f64
  %y, %t = tfx_ad.jvp @walks(%x, %n) tangents(%one : f64) wrt [0] : (f64, i64) -> (f64, f64)
  return %t : f64
}

func.func private @compare(%name: !tfx_host.string, %low: f64, %high: f64, %a: f64, %b: f64, %c: f64) {
  %hh = arith.constant 2.0e-5 : f64
  %tolerance = arith.constant 1.0e-6 : f64
  %exact = arith.constant 1.0e-10 : f64
  %difference = arith.subf %high, %low : f64
  %q = arith.divf %difference, %hh : f64
  %error = arith.subf %a, %q : f64
  %size = math.absf %error : f64
  %fits = arith.cmpf olt, %size, %tolerance : f64
  %ab = arith.subf %a, %b : f64
  %ab_size = math.absf %ab : f64
  %ab_same = arith.cmpf olt, %ab_size, %exact : f64
  %ac = arith.subf %a, %c : f64
  %ac_size = math.absf %ac : f64
  %ac_same = arith.cmpf olt, %ac_size, %exact : f64
  tfx_host.print "{}: {} {} {}"(%name, %fits, %ab_same, %ac_same) : !tfx_host.string, i1, i1, i1
  return
}
func.func public @main(%x: f64, %n: i64) {
  %one = arith.constant 1.0 : f64
  %h = arith.constant 1.0e-5 : f64
  %low = arith.subf %x, %h : f64
  %high = arith.addf %x, %h : f64

  // CHECK: power: true true true
  %power = tfx_host.string "power"
  %power.l = func.call @power.d(%low, %n) : (f64, i64) -> f64
  %power.h = func.call @power.d(%high, %n) : (f64, i64) -> f64
  %power.rr = tfx_ad.gradient @power.d(%x, %n) wrt [0] : (f64, i64) -> f64
  %power.rf = tfx_ad.gradient @power.t(%x, %n) wrt [0] : (f64, i64) -> f64
  %power.y, %power.fr = tfx_ad.jvp @power.d(%x, %n) tangents(%one : f64) wrt [0] : (f64, i64) -> (f64, f64)
  func.call @compare(%power, %power.l, %power.h, %power.rr, %power.rf, %power.fr) : (!tfx_host.string, f64, f64, f64, f64, f64) -> ()

  // CHECK-NEXT: mutual: true true true
  %mutual = tfx_host.string "mutual"
  %mutual.l = func.call @mutual.d(%low, %n) : (f64, i64) -> f64
  %mutual.h = func.call @mutual.d(%high, %n) : (f64, i64) -> f64
  %mutual.rr = tfx_ad.gradient @mutual.d(%x, %n) wrt [0] : (f64, i64) -> f64
  %mutual.rf = tfx_ad.gradient @mutual.t(%x, %n) wrt [0] : (f64, i64) -> f64
  %mutual.y, %mutual.fr = tfx_ad.jvp @mutual.d(%x, %n) tangents(%one : f64) wrt [0] : (f64, i64) -> (f64, f64)
  func.call @compare(%mutual, %mutual.l, %mutual.h, %mutual.rr, %mutual.rf, %mutual.fr) : (!tfx_host.string, f64, f64, f64, f64, f64) -> ()

  // CHECK-NEXT: tree: true true true
  %tree = tfx_host.string "tree"
  %tree.l = func.call @tree.d(%low, %n) : (f64, i64) -> f64
  %tree.h = func.call @tree.d(%high, %n) : (f64, i64) -> f64
  %tree.rr = tfx_ad.gradient @tree.d(%x, %n) wrt [0] : (f64, i64) -> f64
  %tree.rf = tfx_ad.gradient @tree.t(%x, %n) wrt [0] : (f64, i64) -> f64
  %tree.y, %tree.fr = tfx_ad.jvp @tree.d(%x, %n) tangents(%one : f64) wrt [0] : (f64, i64) -> (f64, f64)
  func.call @compare(%tree, %tree.l, %tree.h, %tree.rr, %tree.rf, %tree.fr) : (!tfx_host.string, f64, f64, f64, f64, f64) -> ()

  // CHECK-NEXT: walks: true true true
  %walks = tfx_host.string "walks"
  %walks.l = func.call @walks.d(%low, %n) : (f64, i64) -> f64
  %walks.h = func.call @walks.d(%high, %n) : (f64, i64) -> f64
  %walks.rr = tfx_ad.gradient @walks.d(%x, %n) wrt [0] : (f64, i64) -> f64
  %walks.rf = tfx_ad.gradient @walks.t(%x, %n) wrt [0] : (f64, i64) -> f64
  %walks.y, %walks.fr = tfx_ad.jvp @walks.d(%x, %n) tangents(%one : f64) wrt [0] : (f64, i64) -> (f64, f64)
  func.call @compare(%walks, %walks.l, %walks.h, %walks.rr, %walks.rf, %walks.fr) : (!tfx_host.string, f64, f64, f64, f64, f64) -> ()
  return
}
