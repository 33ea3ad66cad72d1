// Forward mode: agrees with reverse mode, and all four ways to a second derivative agree.
//
// RUN: tfxc run %s --link %S/Inputs/foreign.c 0.5 5 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --link %S/Inputs/foreign.c 0.5 5 --executor tensorflow | FileCheck %s %}

// A loop with a branch and an early exit; calls a function.
func.func private @step(%y: f64, %x: f64) -> f64 {
  %p = arith.mulf %y, %x : f64
  %s = math.sin %p : f64
  return %s : f64
}
func.func private @loop(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %half = arith.constant 0.1 : f64
  cf.br ^head(%zero, %x : i64, f64)
^head(%i: i64, %y: f64):
  %more = arith.cmpi slt, %i, %n : i64
  cf.cond_br %more, ^body, ^end(%y : f64)
^body:
  %small = arith.cmpf olt, %y, %half : f64
  cf.cond_br %small, ^out, ^next
^out:
  %z = math.exp %y : f64
  cf.br ^end(%z : f64)
^next:
  %w = func.call @step(%y, %x) : (f64, f64) -> f64
  %v = arith.divf %w, %x : f64
  %j = arith.addi %i, %one : i64
  cf.br ^head(%j, %v : i64, f64)
^end(%r: f64):
  return %r : f64
}
func.func private @reverse(%x: f64, %n: i64) -> f64 {
  %d = tfx_ad.gradient @loop(%x, %n) wrt [0] : (f64, i64) -> f64
  return %d : f64
}
func.func private @forward(%x: f64, %n: i64) -> f64 {
  %one = arith.constant 1.0 : f64
  %y, %d = tfx_ad.jvp @loop(%x, %n) tangents(%one : f64) wrt [0] : (f64, i64) -> (f64, f64)
  return %d : f64
}

// A struct whose integer has no tangent, and a result that does not depend on the parameter.
tfx_host.struct @Line {slope: f64, steps: i64, offset: f64}
func.func private @line(%l: !tfx_host.struct<@Line>, %x: f64) -> (f64, f64, i64) {
  %a = tfx_host.extract %l["slope"] : !tfx_host.struct<@Line> -> f64
  %b = tfx_host.extract %l["offset"] : !tfx_host.struct<@Line> -> f64
  %n = tfx_host.extract %l["steps"] : !tfx_host.struct<@Line> -> i64
  %ax = arith.mulf %a, %x : f64
  %y = arith.addf %ax, %b : f64
  return %y, %x, %n : f64, f64, i64
}

// Matrices: a product on both sides of which there is a tangent.
func.func private @product(%a: tensor<2x2xf64>, %b: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %p = tfx_tensor.op "MatMul"(%a, %b) {transpose_a = false, transpose_b = false} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %t = tfx_tensor.op "Mul"(%p, %a) : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  return %t : tensor<2x2xf64>
}

// The rule of a foreign function; the result of the function is printed before its tangent.
func.func private @size_of(f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], jvp = @size_of.jvp>}
func.func private @size_of.jvp(%x: f64, %dx: f64) -> (f64, f64) {
  %y = math.absf %x : f64
  %s = math.copysign %dx, %x : f64
  return %y, %s : f64, f64
}
func.func private @custom(%x: f64) -> f64 {
  %y = func.call @size_of(%x) : (f64) -> f64
  %z = arith.mulf %y, %y : f64
  return %z : f64
}

func.func private @agree(%name: !tfx_host.string, %a: f64, %b: f64) {
  %tolerance = arith.constant 1.0e-12 : f64
  %d = arith.subf %a, %b : f64
  %size = math.absf %d : f64
  %scale = math.absf %a : f64
  %bound = arith.mulf %scale, %tolerance : f64
  %fits = arith.cmpf ole, %size, %bound : f64
  tfx_host.print "{}: {}"(%name, %fits) : !tfx_host.string, i1
  return
}
func.func public @main(%x: f64, %n: i64) {
  %one = arith.constant 1.0 : f64
  // CHECK: first: true
  %first = tfx_host.string "first"
  %r = func.call @reverse(%x, %n) : (f64, i64) -> f64
  %f = func.call @forward(%x, %n) : (f64, i64) -> f64
  func.call @agree(%first, %r, %f) : (!tfx_host.string, f64, f64) -> ()
  // CHECK-NEXT: forward over reverse: true
  // CHECK-NEXT: reverse over forward: true
  // CHECK-NEXT: forward over forward: true
  %rr = tfx_ad.gradient @reverse(%x, %n) wrt [0] : (f64, i64) -> f64
  %r2, %fr = tfx_ad.jvp @reverse(%x, %n) tangents(%one : f64) wrt [0] : (f64, i64) -> (f64, f64)
  %rf = tfx_ad.gradient @forward(%x, %n) wrt [0] : (f64, i64) -> f64
  %f2, %ff = tfx_ad.jvp @forward(%x, %n) tangents(%one : f64) wrt [0] : (f64, i64) -> (f64, f64)
  %text_fr = tfx_host.string "forward over reverse"
  func.call @agree(%text_fr, %rr, %fr) : (!tfx_host.string, f64, f64) -> ()
  %text_rf = tfx_host.string "reverse over forward"
  func.call @agree(%text_rf, %rr, %rf) : (!tfx_host.string, f64, f64) -> ()
  %text_ff = tfx_host.string "forward over forward"
  func.call @agree(%text_ff, %rr, %ff) : (!tfx_host.string, f64, f64) -> ()
  // CHECK-NEXT: {{^}}5.0 2.0 7 | 2.25 0.0{{$}}
  %two = arith.constant 2.0 : f64
  %steps = arith.constant 7 : i64
  %quarter = arith.constant 0.25 : f64
  %l = tfx_host.make_struct(%two, %steps, %one) : (f64, i64, f64) -> !tfx_host.struct<@Line>
  %tl = tfx_host.make_tuple(%one, %quarter) : f64, f64
  %a = arith.constant 1.0 : f64
  %y:3, %t:2 = tfx_ad.jvp @line(%l, %two) tangents(%tl : tuple<f64, f64>) wrt [0] : (!tfx_host.struct<@Line>, f64) -> (f64, f64, i64, f64, f64)
  %sum = arith.addf %y#0, %x : f64
  tfx_host.print "{} {} {} | {} {}"(%y#0, %y#1, %y#2, %t#0, %t#1) : f64, f64, i64, f64, f64
  // CHECK-NEXT: {{\[\[}} 3. 20.]
  // CHECK-NEXT: [ 0. 12.]]
  %m = tfx_tensor.const dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf64>
  %e = tfx_tensor.const dense<[[0.0, 1.0], [0.0, 0.0]]> : tensor<2x2xf64>
  %p, %tp = tfx_ad.jvp @product(%m, %m) tangents(%e, %e : tensor<2x2xf64>, tensor<2x2xf64>) wrt [0, 1] : (tensor<2x2xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)
  tfx_host.print "{}"(%tp) : tensor<2x2xf64>
  // CHECK-NEXT: {{^}}-6.0{{$}}
  %minus = arith.constant -3.0 : f64
  %c, %tc = tfx_ad.jvp @custom(%minus) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "{}"(%tc) : f64
  return
}
