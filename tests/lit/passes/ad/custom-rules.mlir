// Rules of functions: of a foreign one, of one with a body, which the derivative does not look
// into, of one with structs; functions without derivatives; and cotangents that a function changes.
//
// RUN: tfxc run %s --link %S/Inputs/foreign.c 3.0 | FileCheck %s

// The rule of a foreign function.
func.func private @cube_root(f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], forward = @cube_root.forward, backward = @cube_root.backward>}
func.func private @cube_root.forward(%x: f64) -> (f64, f64) {
  %y = func.call @cube_root(%x) : (f64) -> f64
  return %y, %y : f64, f64
}
func.func private @cube_root.backward(%y: f64, %dy: f64) -> f64 {
  %three = arith.constant 3.0 : f64
  %yy = arith.mulf %y, %y : f64
  %d = arith.mulf %yy, %three : f64
  %dx = arith.divf %dy, %d : f64
  return %dx : f64
}
func.func private @foreign(%x: f64) -> f64 {
  %nine = arith.constant 9.0 : f64
  %p = arith.mulf %x, %nine : f64
  %y = func.call @cube_root(%p) : (f64) -> f64
  return %y : f64
}

// The rule of a function with a body says 100, so that it differs from the body; it is also applied
// in a loop and through a closure.
func.func private @twice(%x: f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], jvp = @twice.jvp, forward = @twice.forward, backward = @twice.backward>} {
  %y = arith.addf %x, %x : f64
  return %y : f64
}
func.func private @twice.forward(%x: f64) -> f64 {
  %y = arith.addf %x, %x : f64
  return %y : f64
}
func.func private @twice.backward(%dy: f64) -> f64 {
  %hundred = arith.constant 100.0 : f64
  %dx = arith.mulf %dy, %hundred : f64
  return %dx : f64
}
func.func private @twice.jvp(%x: f64, %dx: f64) -> (f64, f64) {
  %thousand = arith.constant 1000.0 : f64
  %y = arith.addf %x, %x : f64
  %dy = arith.mulf %dx, %thousand : f64
  return %y, %dy : f64, f64
}
func.func private @body(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %f = tfx_host.closure @twice() : () -> !tfx_host.closure<(f64) -> f64>
  cf.br ^head(%zero, %x : i64, f64)
^head(%i: i64, %y: f64):
  %more = arith.cmpi slt, %i, %n : i64
  cf.cond_br %more, ^next, ^end
^next:
  %z = tfx_host.apply %f(%y) : !tfx_host.closure<(f64) -> f64>
  %j = arith.addi %i, %one : i64
  cf.br ^head(%j, %z : i64, f64)
^end:
  return %y : f64
}

// A rule with structs: the residual, the parameter and its tangent.
tfx_host.struct @Line {slope: f64, steps: i64, offset: f64}
func.func private @at(%l: !tfx_host.struct<@Line>, %x: f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], forward = @at.forward, backward = @at.backward>} {
  %a = tfx_host.extract %l["slope"] : !tfx_host.struct<@Line> -> f64
  %b = tfx_host.extract %l["offset"] : !tfx_host.struct<@Line> -> f64
  %ax = arith.mulf %a, %x : f64
  %y = arith.addf %ax, %b : f64
  return %y : f64
}
func.func private @at.forward(%l: !tfx_host.struct<@Line>, %x: f64) -> (f64, !tfx_host.struct<@Line>, f64) {
  %y = func.call @at(%l, %x) : (!tfx_host.struct<@Line>, f64) -> f64
  return %y, %l, %x : f64, !tfx_host.struct<@Line>, f64
}
func.func private @at.backward(%l: !tfx_host.struct<@Line>, %x: f64, %dy: f64) -> tuple<f64, f64> {
  %steps = tfx_host.extract %l["steps"] : !tfx_host.struct<@Line> -> i64
  %factor = arith.sitofp %steps : i64 to f64
  %da = arith.mulf %dy, %x : f64
  %db = arith.mulf %dy, %factor : f64
  %d = tfx_host.make_tuple(%da, %db) : f64, f64
  return %d : tuple<f64, f64>
}
func.func private @structs(%l: !tfx_host.struct<@Line>, %x: f64) -> f64 {
  %y = func.call @at(%l, %x) : (!tfx_host.struct<@Line>, f64) -> f64
  %yy = arith.mulf %y, %y : f64
  return %yy : f64
}

// A function without a derivative.
func.func private @size(%l: !tfx_host.struct<@Line>) -> f64 attributes {tfx_ad.inactive} {
  %a = tfx_host.extract %l["slope"] : !tfx_host.struct<@Line> -> f64
  %b = tfx_host.extract %l["offset"] : !tfx_host.struct<@Line> -> f64
  %y = arith.addf %a, %b : f64
  return %y : f64
}
func.func private @scaled(%l: !tfx_host.struct<@Line>) -> f64 {
  %size = func.call @size(%l) : (!tfx_host.struct<@Line>) -> f64
  %a = tfx_host.extract %l["slope"] : !tfx_host.struct<@Line> -> f64
  %y = arith.mulf %a, %size : f64
  return %y : f64
}

// A stopped struct, and a cotangent that is halved.
func.func private @halve(%dx: f64) -> f64 {
  %half = arith.constant 0.5 : f64
  %d = arith.mulf %dx, %half : f64
  return %d : f64
}
func.func private @marked(%l: !tfx_host.struct<@Line>, %x: f64) -> f64 {
  %k = tfx_ad.stop %l : !tfx_host.struct<@Line>
  %a = tfx_host.extract %k["slope"] : !tfx_host.struct<@Line> -> f64
  %b = tfx_host.extract %l["offset"] : !tfx_host.struct<@Line> -> f64
  %same = tfx_ad.with_cotangent %x, @halve : f64
  %ax = arith.mulf %a, %same : f64
  %y = arith.mulf %ax, %b : f64
  return %y : f64
}

func.func public @main(%x: f64) {
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  // CHECK: {{^}}3.0{{0*[0-9]?}} 0.333{{[0-9]+$}}
  %v0, %d0 = tfx_ad.gradient @foreign(%x) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "{} {}"(%v0, %d0) : f64, f64
  // CHECK-NEXT: {{^}}24.0 1000000.0 1000000000.0{{$}}
  %n = arith.constant 3 : i64
  %v1, %d1 = tfx_ad.gradient @body(%x, %n) wrt [0] value : (f64, i64) -> (f64, f64)
  %v2, %t1 = tfx_ad.jvp @body(%x, %n) tangents(%one : f64) wrt [0] : (f64, i64) -> (f64, f64)
  tfx_host.print "{} {} {}"(%v1, %d1, %t1) : f64, f64, f64
  // CHECK-NEXT: {{^}}100.0{{$}}
  %direct = tfx_ad.gradient @twice(%x) wrt [0] : (f64) -> f64
  tfx_host.print "{}"(%direct) : f64
  // The value is 2 * 3 + 1 = 7: 14 * 3 and 14 * 5.
  // CHECK-NEXT: {{^}}42.0 70.0{{$}}
  %steps = arith.constant 5 : i64
  %l = tfx_host.make_struct(%two, %steps, %one) : (f64, i64, f64) -> !tfx_host.struct<@Line>
  %dl = tfx_ad.gradient @structs(%l, %x) wrt [0] : (!tfx_host.struct<@Line>, f64) -> tuple<f64, f64>
  %da = tfx_host.tuple_get %dl[0] : tuple<f64, f64>
  %db = tfx_host.tuple_get %dl[1] : tuple<f64, f64>
  tfx_host.print "{} {}"(%da, %db) : f64, f64
  // CHECK-NEXT: {{^}}3.0 0.0{{$}}
  %ds = tfx_ad.gradient @scaled(%l) wrt [0] : (!tfx_host.struct<@Line>) -> tuple<f64, f64>
  %dsa = tfx_host.tuple_get %ds[0] : tuple<f64, f64>
  %dsb = tfx_host.tuple_get %ds[1] : tuple<f64, f64>
  tfx_host.print "{} {}"(%dsa, %dsb) : f64, f64
  // CHECK-NEXT: {{^}}0.0 6.0 1.0{{$}}
  %dm, %dx = tfx_ad.gradient @marked(%l, %x) wrt [0, 1] : (!tfx_host.struct<@Line>, f64) -> (tuple<f64, f64>, f64)
  %dma = tfx_host.tuple_get %dm[0] : tuple<f64, f64>
  %dmb = tfx_host.tuple_get %dm[1] : tuple<f64, f64>
  tfx_host.print "{} {} {}"(%dma, %dmb, %dx) : f64, f64, f64
  return
}
