// Enums with derivatives: as a parameter, in a struct, as a result, in a loop, and in each mode; and
// generic structs. The tangent of an enum is an enum of the same case.
//
// RUN: tfxc run %s 3.0 | FileCheck %s

tfx_host.enum @Shape {point(), circle(f64), box(f64, i64, f64)}

func.func private @area(%s: !tfx_host.enum<@Shape>, %k: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  tfx_host.switch_enum %s : !tfx_host.enum<@Shape> [
    "point" -> ^done(%zero : f64), "circle" -> ^circle, "box" -> ^box]
^circle(%r: f64):
  %rr = arith.mulf %r, %r : f64
  cf.br ^done(%rr : f64)
^box(%a: f64, %n: i64, %b: f64):
  %ab = arith.mulf %a, %b : f64
  %f = arith.sitofp %n : i64 to f64
  %abn = arith.mulf %ab, %f : f64
  cf.br ^done(%abn : f64)
^done(%x: f64):
  %y = arith.mulf %x, %k : f64
  return %y : f64
}

// Prints the payload of a shape.
func.func private @show(%s: !tfx_host.enum<@Shape>) {
  tfx_host.switch_enum %s : !tfx_host.enum<@Shape> [
    "point" -> ^point, "circle" -> ^circle, "box" -> ^box]
^point:
  tfx_host.print "point"()
  return
^circle(%r: f64):
  tfx_host.print "circle {}"(%r) : f64
  return
^box(%a: f64, %n: i64, %b: f64):
  tfx_host.print "box {} {} {}"(%a, %n, %b) : f64, i64, f64
  return
}

// A state machine: circles become boxes, and boxes circles.
func.func private @next(%s: !tfx_host.enum<@Shape>, %x: f64) -> !tfx_host.enum<@Shape> {
  %two = arith.constant 2 : i64
  tfx_host.switch_enum %s : !tfx_host.enum<@Shape> [
    "point" -> ^point, "circle" -> ^circle, "box" -> ^box]
^point:
  %c = tfx_host.make_enum "circle"(%x) : (f64) -> !tfx_host.enum<@Shape>
  cf.br ^done(%c : !tfx_host.enum<@Shape>)
^circle(%r: f64):
  %b = tfx_host.make_enum "box"(%r, %two, %x) : (f64, i64, f64) -> !tfx_host.enum<@Shape>
  cf.br ^done(%b : !tfx_host.enum<@Shape>)
^box(%a: f64, %n: i64, %h: f64):
  %ah = arith.mulf %a, %h : f64
  %d = tfx_host.make_enum "circle"(%ah) : (f64) -> !tfx_host.enum<@Shape>
  cf.br ^done(%d : !tfx_host.enum<@Shape>)
^done(%result: !tfx_host.enum<@Shape>):
  return %result : !tfx_host.enum<@Shape>
}
func.func private @machine(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %unit = arith.constant 1.0 : f64
  %start = tfx_host.make_enum "point"() : () -> !tfx_host.enum<@Shape>
  cf.br ^head(%zero, %start : i64, !tfx_host.enum<@Shape>)
^head(%i: i64, %s: !tfx_host.enum<@Shape>):
  %more = arith.cmpi slt, %i, %n : i64
  cf.cond_br %more, ^body, ^end
^body:
  %t = func.call @next(%s, %x) : (!tfx_host.enum<@Shape>, f64) -> !tfx_host.enum<@Shape>
  %j = arith.addi %i, %one : i64
  cf.br ^head(%j, %t : i64, !tfx_host.enum<@Shape>)
^end:
  %y = func.call @area(%s, %unit) : (!tfx_host.enum<@Shape>, f64) -> f64
  return %y : f64
}

tfx_host.struct @Model<"T"> {shape: !tfx_host.enum<@Shape>, weight: !tfx_host.param<"T">, steps: i64}
func.func private @model(%m: !tfx_host.struct<@Model<f64>>) -> f64 {
  %s = tfx_host.extract %m["shape"] : !tfx_host.struct<@Model<f64>> -> !tfx_host.enum<@Shape>
  %w = tfx_host.extract %m["weight"] : !tfx_host.struct<@Model<f64>> -> f64
  %y = func.call @area(%s, %w) : (!tfx_host.enum<@Shape>, f64) -> f64
  return %y : f64
}

func.func public @main(%x: f64) {
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  %four = arith.constant 4 : i64
  %point = tfx_host.make_enum "point"() : () -> !tfx_host.enum<@Shape>
  %circle = tfx_host.make_enum "circle"(%x) : (f64) -> !tfx_host.enum<@Shape>
  %box = tfx_host.make_enum "box"(%x, %four, %two) : (f64, i64, f64) -> !tfx_host.enum<@Shape>
  // CHECK: {{^}}point{{$}}
  // CHECK-NEXT: {{^}}circle 12.0{{$}}
  // CHECK-NEXT: {{^}}box 16.0 4 24.0{{$}}
  %d0 = tfx_ad.gradient @area(%point, %two) wrt [0] : (!tfx_host.enum<@Shape>, f64) -> !tfx_host.enum<@Shape>
  func.call @show(%d0) : (!tfx_host.enum<@Shape>) -> ()
  %d1 = tfx_ad.gradient @area(%circle, %two) wrt [0] : (!tfx_host.enum<@Shape>, f64) -> !tfx_host.enum<@Shape>
  func.call @show(%d1) : (!tfx_host.enum<@Shape>) -> ()
  %d2 = tfx_ad.gradient @area(%box, %two) wrt [0] : (!tfx_host.enum<@Shape>, f64) -> !tfx_host.enum<@Shape>
  func.call @show(%d2) : (!tfx_host.enum<@Shape>) -> ()
  // A pullback, and a tangent.
  // CHECK-NEXT: {{^}}box 8.0 4 12.0{{$}}
  // CHECK-NEXT: {{^}}24.0 40.0{{$}}
  %y, %pullback = tfx_ad.vjp @area(%box, %one) wrt [0] : (!tfx_host.enum<@Shape>, f64) -> (f64, !tfx_host.closure<(f64) -> !tfx_host.enum<@Shape>>)
  %d3 = tfx_host.apply %pullback(%one) : !tfx_host.closure<(f64) -> !tfx_host.enum<@Shape>>
  func.call @show(%d3) : (!tfx_host.enum<@Shape>) -> ()
  %tangent = tfx_host.make_enum "box"(%two, %four, %two) : (f64, i64, f64) -> !tfx_host.enum<@Shape>
  %z, %t = tfx_ad.jvp @area(%box, %one) tangents(%tangent : !tfx_host.enum<@Shape>) wrt [0] : (!tfx_host.enum<@Shape>, f64) -> (f64, f64)
  tfx_host.print "{} {}"(%z, %t) : f64, f64
  // The parameter of a state: x, 2 x x, x x x x, ...
  // CHECK-NEXT: {{^}}0.0 6.0 12.0 108.0{{$}}
  %n0 = arith.constant 0 : i64
  %n1 = arith.constant 1 : i64
  %n2 = arith.constant 2 : i64
  %n3 = arith.constant 3 : i64
  %m0 = tfx_ad.gradient @machine(%x, %n0) wrt [0] : (f64, i64) -> f64
  %m1 = tfx_ad.gradient @machine(%x, %n1) wrt [0] : (f64, i64) -> f64
  %m2 = tfx_ad.gradient @machine(%x, %n2) wrt [0] : (f64, i64) -> f64
  %m3 = tfx_ad.gradient @machine(%x, %n3) wrt [0] : (f64, i64) -> f64
  tfx_host.print "{} {} {} {}"(%m0, %m1, %m2, %m3) : f64, f64, f64, f64
  // The result and the parameter of @next are enums: the cotangent is an enum.
  // CHECK-NEXT: {{^}}circle 1.0{{$}}
  // CHECK-NEXT: {{^}}box 2.0 4 3.0{{$}}
  %shape, %back = tfx_ad.vjp @next(%box, %x) wrt [0] : (!tfx_host.enum<@Shape>, f64) -> (!tfx_host.enum<@Shape>, !tfx_host.closure<(!tfx_host.enum<@Shape>) -> !tfx_host.enum<@Shape>>)
  %seed = tfx_host.make_enum "circle"(%one) : (f64) -> !tfx_host.enum<@Shape>
  func.call @show(%seed) : (!tfx_host.enum<@Shape>) -> ()
  %d4 = tfx_host.apply %back(%seed) : !tfx_host.closure<(!tfx_host.enum<@Shape>) -> !tfx_host.enum<@Shape>>
  func.call @show(%d4) : (!tfx_host.enum<@Shape>) -> ()
  // A generic struct with an enum.
  // CHECK-NEXT: {{^}}circle 12.0{{$}}
  // CHECK-NEXT: {{^}}9.0{{$}}
  %model = tfx_host.make_struct(%circle, %two, %four) : (!tfx_host.enum<@Shape>, f64, i64) -> !tfx_host.struct<@Model<f64>>
  %dm = tfx_ad.gradient @model(%model) wrt [0] : (!tfx_host.struct<@Model<f64>>) -> tuple<!tfx_host.enum<@Shape>, f64>
  %ds = tfx_host.tuple_get %dm[0] : tuple<!tfx_host.enum<@Shape>, f64>
  %dw = tfx_host.tuple_get %dm[1] : tuple<!tfx_host.enum<@Shape>, f64>
  func.call @show(%ds) : (!tfx_host.enum<@Shape>) -> ()
  tfx_host.print "{}"(%dw) : f64
  return
}
