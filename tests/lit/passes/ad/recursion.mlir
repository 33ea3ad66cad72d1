// Recursive functions, compared with central differences: one that calls itself, two that call each
// other, a tree, a recursive call in a loop, and forward mode.
//
// RUN: tfxc run %s 0.7 6 | FileCheck %s

// x^n, from both sides: the recursive call is in the middle.
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

// Two recursive calls, one of them in a loop.
func.func private @tree(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %half = arith.constant 0.5 : f64
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
  cf.br ^head(%j, %v : i64, f64)
^out:
  %l = func.call @tree(%half, %less) : (f64, i64) -> f64
  %z = arith.mulf %y, %l : f64
  return %z : f64
}

func.func private @compare(%name: !tfx_host.string, %d: f64, %t: f64, %low: f64, %high: f64) {
  %h = arith.constant 2.0e-6 : f64
  %tolerance = arith.constant 1.0e-7 : f64
  %exact = arith.constant 1.0e-12 : f64
  %difference = arith.subf %high, %low : f64
  %q = arith.divf %difference, %h : f64
  %error = arith.subf %d, %q : f64
  %size = math.absf %error : f64
  %fits = arith.cmpf olt, %size, %tolerance : f64
  %modes = arith.subf %d, %t : f64
  %apart = math.absf %modes : f64
  %agree = arith.cmpf olt, %apart, %exact : f64
  tfx_host.print "{}: {} {}"(%name, %fits, %agree) : !tfx_host.string, i1, i1
  return
}
func.func public @main(%x: f64, %n: i64) {
  %one = arith.constant 1.0 : f64
  %h = arith.constant 1.0e-6 : f64
  %low = arith.subf %x, %h : f64
  %high = arith.addf %x, %h : f64
  // CHECK: power: true true
  %power = tfx_host.string "power"
  %d0 = tfx_ad.gradient @power(%x, %n) wrt [0] : (f64, i64) -> f64
  %y0, %t0 = tfx_ad.jvp @power(%x, %n) tangents(%one : f64) wrt [0] : (f64, i64) -> (f64, f64)
  %l0 = func.call @power(%low, %n) : (f64, i64) -> f64
  %h0 = func.call @power(%high, %n) : (f64, i64) -> f64
  func.call @compare(%power, %d0, %t0, %l0, %h0) : (!tfx_host.string, f64, f64, f64, f64) -> ()
  // CHECK-NEXT: mutual: true true
  %mutual = tfx_host.string "mutual"
  %d1 = tfx_ad.gradient @mutual(%x, %n) wrt [0] : (f64, i64) -> f64
  %y1, %t1 = tfx_ad.jvp @mutual(%x, %n) tangents(%one : f64) wrt [0] : (f64, i64) -> (f64, f64)
  %l1 = func.call @mutual(%low, %n) : (f64, i64) -> f64
  %h1 = func.call @mutual(%high, %n) : (f64, i64) -> f64
  func.call @compare(%mutual, %d1, %t1, %l1, %h1) : (!tfx_host.string, f64, f64, f64, f64) -> ()
  // CHECK-NEXT: tree: true true
  %tree = tfx_host.string "tree"
  %d2 = tfx_ad.gradient @tree(%x, %n) wrt [0] : (f64, i64) -> f64
  %y2, %t2 = tfx_ad.jvp @tree(%x, %n) tangents(%one : f64) wrt [0] : (f64, i64) -> (f64, f64)
  %l2 = func.call @tree(%low, %n) : (f64, i64) -> f64
  %h2 = func.call @tree(%high, %n) : (f64, i64) -> f64
  func.call @compare(%tree, %d2, %t2, %l2, %h2) : (!tfx_host.string, f64, f64, f64, f64) -> ()
  // The pullback of a recursive function can be applied twice.
  // CHECK-NEXT: twice: true true
  %twice = tfx_host.string "twice"
  %v, %p = tfx_ad.vjp @tree(%x, %n) wrt [0] : (f64, i64) -> (f64, !tfx_host.closure<(f64) -> f64>)
  %p0 = tfx_host.apply %p(%one) : !tfx_host.closure<(f64) -> f64>
  %p1 = tfx_host.apply %p(%one) : !tfx_host.closure<(f64) -> f64>
  func.call @compare(%twice, %p0, %p1, %l2, %h2) : (!tfx_host.string, f64, f64, f64, f64) -> ()
  return
}
