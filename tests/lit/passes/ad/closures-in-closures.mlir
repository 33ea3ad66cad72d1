// A closure that captures closures: its tangent has theirs, in the order of the captures. That of a
// captured closure which may have one of several functions is an enum.
//
// RUN: tfxc run %s 2.0 3.0 5.0 1 | FileCheck %s --check-prefixes=ALL,FIRST
// RUN: tfxc run %s 2.0 3.0 5.0 0 | FileCheck %s --check-prefixes=ALL,SECOND

!F = !tfx_host.closure<(f64) -> f64>
tfx_host.enum @Inner {scale(f64), shift(f64)}
!I = !tfx_host.enum<@Inner>
!T = tuple<tuple<f64>, f64>

func.func private @scale(%x: f64, %z: f64) -> f64 {
  %y = arith.mulf %x, %z : f64
  return %y : f64
}
func.func private @shift(%x: f64, %z: f64) -> f64 {
  %y = arith.addf %x, %z : f64
  return %y : f64
}
func.func private @wave(%z: f64) -> f64 {
  %y = math.sin %z : f64
  return %y : f64
}
func.func private @times(%g: !F, %y: f64, %z: f64) -> f64 {
  %a = tfx_host.apply %g(%z) : !F
  %b = arith.mulf %a, %y : f64
  return %b : f64
}
func.func private @applied(%f: !F, %z: f64) -> f64 {
  %y = tfx_host.apply %f(%z) : !F
  return %y : f64
}
// The closure is a parameter, and so is the one that it captures.
func.func private @helper(%g: !F, %y: f64, %z: f64) -> !T {
  %f = tfx_host.closure @times(%g, %y) : (!F, f64) -> !F
  %d = tfx_ad.gradient @applied(%f, %z) wrt [0] : (!F, f64) -> !T
  return %d : !T
}
func.func private @print(%what: !tfx_host.string, %d: !T) {
  %inner = tfx_host.tuple_get %d[0] : !T
  %dx = tfx_host.tuple_get %inner[0] : tuple<f64>
  %dy = tfx_host.tuple_get %d[1] : !T
  tfx_host.print "{}: {} {}"(%what, %dx, %dy) : !tfx_host.string, f64, f64
  return
}

func.func @main(%x: f64, %y: f64, %z: f64, %n: i64) {
  // The function is y * (x * z): the derivatives are y * z and x * z.
  %g = tfx_host.closure @scale(%x) : (f64) -> !F
  %f = tfx_host.closure @times(%g, %y) : (!F, f64) -> !F
  // ALL: gradient: 15.0 10.0
  %gradient = tfx_host.string "gradient"
  %d = tfx_ad.gradient @applied(%f, %z) wrt [0] : (!F, f64) -> !T
  func.call @print(%gradient, %d) : (!tfx_host.string, !T) -> ()
  // ALL: helper: 15.0 10.0
  %helper = tfx_host.string "helper"
  %h = func.call @helper(%g, %y, %z) : (!F, f64, f64) -> !T
  func.call @print(%helper, %h) : (!tfx_host.string, !T) -> ()
  // ALL: pullback: 30.0 20.0
  %pullback = tfx_host.string "pullback"
  %two = arith.constant 2.0 : f64
  %v, %pull = tfx_ad.vjp @applied(%f, %z) wrt [0] : (!F, f64) -> (f64, !tfx_host.closure<(f64) -> !T>)
  %p = tfx_host.apply %pull(%two) : !tfx_host.closure<(f64) -> !T>
  func.call @print(%pullback, %p) : (!tfx_host.string, !T) -> ()
  // 15 * 2 + 10 * 3.
  // ALL: forward: 60.0
  %ones = tfx_host.make_tuple(%two) : f64
  %three = arith.constant 3.0 : f64
  %direction = tfx_host.make_tuple(%ones, %three) : tuple<f64>, f64
  %w, %t = tfx_ad.jvp @applied(%f, %z) tangents(%direction : !T) wrt [0] : (!F, f64) -> (f64, f64)
  tfx_host.print "forward: {}"(%t) : f64

  // Three levels: the outermost one is y * (y * (x * z)), by its own capture and those inside.
  %outer = tfx_host.closure @times(%f, %y) : (!F, f64) -> !F
  %dd = tfx_ad.gradient @applied(%outer, %z) wrt [0] : (!F, f64) -> tuple<!T, f64>
  // ALL: inside: 45.0 30.0
  // ALL: outside: 30.0
  %inside = tfx_host.string "inside"
  %part = tfx_host.tuple_get %dd[0] : tuple<!T, f64>
  func.call @print(%inside, %part) : (!tfx_host.string, !T) -> ()
  %outside = tfx_host.tuple_get %dd[1] : tuple<!T, f64>
  tfx_host.print "outside: {}"(%outside) : f64

  // A closure without captures has no tangent.
  %sine = tfx_host.closure @wave() : () -> !F
  %s = tfx_host.closure @times(%sine, %y) : (!F, f64) -> !F
  %ds = tfx_ad.gradient @applied(%s, %z) wrt [0] : (!F, f64) -> tuple<f64>
  %sin = tfx_host.tuple_get %ds[0] : tuple<f64>
  // ALL: sine: -0.958924
  tfx_host.print "sine: {}"(%sin) : f64

  // One of two functions: y * (x * z), or y * (x + z).
  %one = arith.constant 1 : i64
  %is_scale = arith.cmpi eq, %n, %one : i64
  %other = tfx_host.closure @shift(%x) : (f64) -> !F
  %either = arith.select %is_scale, %g, %other : !F
  %e = tfx_host.closure @times(%either, %y) : (!F, f64) -> !F
  %de = tfx_ad.gradient @applied(%e, %z) wrt [0] : (!F, f64) -> tuple<!I, f64>
  %case = tfx_host.tuple_get %de[0] : tuple<!I, f64>
  %own = tfx_host.tuple_get %de[1] : tuple<!I, f64>
  // FIRST: scale: 15.0 10.0
  // SECOND: shift: 3.0 7.0
  %tag = tfx_host.enum_tag %case : !I
  scf.index_switch %tag
  case 0 {
    %dx = tfx_host.enum_payload %case["scale"] : (!I) -> f64
    tfx_host.print "scale: {} {}"(%dx, %own) : f64, f64
    scf.yield
  }
  default {
    %dx = tfx_host.enum_payload %case["shift"] : (!I) -> f64
    tfx_host.print "shift: {} {}"(%dx, %own) : f64, f64
    scf.yield
  }
  return
}
