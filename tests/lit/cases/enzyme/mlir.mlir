// Programs in MLIR: structured loops and branches, blocks, several results and rules.
// Enzyme, enzyme/test/MLIR/ReverseMode. A case names its file. Enzyme compares IR, not numbers: the
// values are closed forms. An f32 of these files is f64 here where nothing is said.
//
// RUN: tfxc run %s | FileCheck %s

func.func private @square(%x: f64) -> f64 {
  %xx = arith.mulf %x, %x : f64
  return %xx : f64
}
func.func private @reduce(%x: f64, %ub: i64) -> f64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %start = arith.constant 1.0 : f64
  %sum = scf.for %i = %c0 to %ub step %c1 iter_args(%s = %start) -> (f64) : i64 {
    %sx = arith.mulf %s, %x : f64
    scf.yield %sx : f64
  }
  return %sum : f64
}

// An if in an if.
func.func private @nested_if(%x: f64, %p: i1, %q: i1) -> f64 {
  %four = arith.constant 4.0 : f64
  %r = scf.if %p -> (f64) {
    %xx = arith.mulf %x, %x : f64
    scf.yield %xx : f64
  } else {
    %s = scf.if %q -> (f64) {
      %cos_x = math.cos %x : f64
      scf.yield %cos_x : f64
    } else {
      scf.yield %four : f64
    }
    %a = arith.addf %s, %x : f64
    scf.yield %a : f64
  }
  return %r : f64
}

// One of the results is an integer.
func.func private @some_result(%x: f64, %p: i1) -> (f64, i64) {
  %r:2 = scf.if %p -> (f64, i64) {
    %a = arith.mulf %x, %x : f64
    %n = arith.fptosi %a : f64 to i64
    scf.yield %a, %n : f64, i64
  } else {
    %cos_x = math.cos %x : f64
    %a = arith.addf %cos_x, %x : f64
    %n = arith.fptosi %a : f64 to i64
    scf.yield %a, %n : f64, i64
  }
  return %r#0, %r#1 : f64, i64
}

// The condition of the loop fails at once, and ten squares by the other condition.
func.func private @while_never(%x: f64) -> f64 {
  %n10 = arith.constant 10 : i64
  %n1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %r:2 = scf.while (%i = %c0, %a = %x) : (i64, f64) -> (i64, f64) {
    %p = arith.cmpi eq, %i, %n10 : i64
    scf.condition(%p) %i, %a : i64, f64
  } do {
  ^bb0(%i: i64, %a: f64):
    %next = arith.mulf %a, %a : f64
    %j = arith.addi %i, %n1 : i64
    scf.yield %j, %next : i64, f64
  }
  return %r#1 : f64
}
func.func private @while_squares(%x: f64) -> f64 {
  %n10 = arith.constant 10 : i64
  %n1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %r:2 = scf.while (%i = %c0, %a = %x) : (i64, f64) -> (i64, f64) {
    %p = arith.cmpi ne, %i, %n10 : i64
    scf.condition(%p) %i, %a : i64, f64
  } do {
  ^bb0(%i: i64, %a: f64):
    %next = arith.mulf %a, %a : f64
    %j = arith.addi %i, %n1 : i64
    scf.yield %j, %next : i64, f64
  }
  return %r#1 : f64
}

// Functions that call each other: each call halves the number.
func.func private @even(%x: f64, %n: i64) -> f64 {
  %n0 = arith.constant 0 : i64
  %two = arith.constant 2.0 : f64
  %n1 = arith.constant 1 : i64
  %is_eq = arith.cmpi eq, %n, %n0 : i64
  cf.cond_br %is_eq, ^end, ^more
^end:
  return %x : f64
^more:
  %a = arith.mulf %x, %two : f64
  %b = arith.subi %n, %n1 : i64
  %odd_a = func.call @odd(%a, %b) : (f64, i64) -> f64
  return %odd_a : f64
}
func.func private @odd(%x: f64, %n: i64) -> f64 {
  %n0 = arith.constant 0 : i64
  %n1 = arith.constant 1 : i64
  %is_eq = arith.cmpi eq, %n, %n0 : i64
  cf.cond_br %is_eq, ^end, ^more
^end:
  %minus_x = arith.negf %x : f64
  return %minus_x : f64
^more:
  %xx = arith.mulf %x, %x : f64
  %a = arith.subi %n, %n1 : i64
  %even_xx = func.call @even(%xx, %a) : (f64, i64) -> f64
  return %even_xx : f64
}

// A block that branches to itself with its argument.
func.func private @blocks(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %zero = arith.constant 0.0 : f64
  %a = arith.addf %x, %one : f64
  cf.br ^loop(%a : f64)
^loop(%y: f64):
  %is_lt = arith.cmpf olt, %y, %zero : f64
  cf.cond_br %is_lt, ^loop(%y : f64), ^end(%y : f64)
^end(%r: f64):
  return %r : f64
}
func.func private @several(%x: f64, %y: i32, %z: f32) -> (f64, i32, f32) {
  %xx = arith.mulf %x, %x : f64
  %yy = arith.muli %y, %y : i32
  %zz = arith.mulf %z, %z : f32
  return %xx, %yy, %zz : f64, i32, f32
}

// The second value of the loop is not used.
func.func private @partial(%x: f64, %ub: i64) -> f64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %one = arith.constant 1.0 : f64
  %r:2 = scf.for %i = %c0 to %ub step %c1 iter_args(%s = %one, %t = %one) -> (f64, f64) : i64 {
    %u = arith.mulf %s, %x : f64
    %v = arith.addf %u, %t : f64
    scf.yield %u, %v : f64, f64
  }
  return %r#0 : f64
}

// A function that is called twice: with one rule derived, with two activities, and with a rule.
func.func private @twice(%a: f64, %b: f64) -> f64 {
  %square_a = func.call @square(%a) : (f64) -> f64
  %square_b = func.call @square(%b) : (f64) -> f64
  %c = arith.addf %square_a, %square_b : f64
  return %c : f64
}
func.func private @mul(%x: f64, %c: f64) -> f64 {
  %xc = arith.mulf %x, %c : f64
  return %xc : f64
}
func.func private @twice_constant(%a: f64, %b: f64) -> f64 {
  %k = arith.constant 3.0 : f64
  %mul_a = func.call @mul(%a, %b) : (f64, f64) -> f64
  %c = func.call @mul(%a, %k) : (f64, f64) -> f64
  %d = arith.addf %mul_a, %c : f64
  return %d : f64
}
func.func private @ruled(%x: f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], forward = @ruled.forward, backward = @ruled.backward>} {
  %xx = arith.mulf %x, %x : f64
  return %xx : f64
}
func.func private @ruled.forward(%x: f64) -> (f64, f64) {
  %ruled_x = func.call @ruled(%x) : (f64) -> f64
  return %ruled_x, %x : f64, f64
}
func.func private @ruled.backward(%x: f64, %d: f64) -> f64 {
  %three = arith.constant 3.0 : f64
  %a = arith.mulf %three, %x : f64
  %da = arith.mulf %d, %a : f64
  return %da : f64
}
func.func private @twice_ruled(%a: f64, %b: f64) -> f64 {
  %ruled_a = func.call @ruled(%a) : (f64) -> f64
  %ruled_b = func.call @ruled(%b) : (f64) -> f64
  %c = arith.addf %ruled_a, %ruled_b : f64
  return %c : f64
}

// A chain of products with constants, of which only the last value is needed.
func.func private @chain(%x: tensor<4xf64>, %ub: i64) -> f64 {
  %n0 = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f64
  %two = arith.constant 2.0 : f64
  %three = arith.constant 3.0 : f64
  %five = arith.constant 5.0 : f64
  %n1 = arith.constant 1 : i64
  cf.br ^head(%n0, %zero : i64, f64)
^head(%i: i64, %acc: f64):
  %more = arith.cmpi slt, %i, %ub : i64
  cf.cond_br %more, ^body, ^end
^body:
  %at = tfx_tensor.from_scalar %i : i64
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %e = tfx_tensor.op "GatherV2"(%x, %at, %axis) : (tensor<4xf64>, tensor<i64>, tensor<i32>) -> tensor<f64>
  %a = tfx_tensor.to_scalar %e : tensor<f64> -> f64
  %b = arith.mulf %a, %two : f64
  %d = arith.mulf %b, %three : f64
  %c = arith.mulf %d, %five : f64
  %f = arith.addi %i, %n1 : i64
  %cc = arith.mulf %c, %c : f64
  %g = arith.addf %acc, %cc : f64
  cf.br ^head(%f, %g : i64, f64)
^end:
  return %acc : f64
}

func.func public @main() {
  %three = arith.constant 3.0 : f64
  %one = arith.constant 1.0 : f64
  %ten = arith.constant 10.0 : f64
  %two = arith.constant 2.0 : f64
  %n4 = arith.constant 4 : i64
  %n0 = arith.constant 0 : i64
  %n3 = arith.constant 3 : i64
  %four = arith.constant 4.0 : f64
  %five = arith.constant 5.0 : f64
  %yes = arith.constant true
  %no = arith.constant false
  // Case: Enzyme, MLIR/ReverseMode, square.mlir.
  // CHECK: {{^}}square: 6.0 60.0{{$}}
  %y0, %pullback0 = tfx_ad.vjp @square(%three) wrt [0] : (f64) -> (f64, !tfx_host.closure<(f64) -> f64>)
  %d1 = tfx_host.apply %pullback0(%one) : !tfx_host.closure<(f64) -> f64>
  %d2 = tfx_host.apply %pullback0(%ten) : !tfx_host.closure<(f64) -> f64>
  tfx_host.print "square: {} {}"(%d1, %d2) : f64, f64
  // Case: Enzyme, MLIR/ReverseMode, scf_for.mlir.
  // CHECK-NEXT: {{^}}reduce 4: 32.0{{$}}
  %d3 = tfx_ad.gradient @reduce(%two, %n4) wrt [0] : (f64, i64) -> f64
  tfx_host.print "reduce 4: {}"(%d3) : f64
  // CHECK-NEXT: {{^}}reduce 0: 0.0{{$}}
  %d4 = tfx_ad.gradient @reduce(%two, %n0) wrt [0] : (f64, i64) -> f64
  tfx_host.print "reduce 0: {}"(%d4) : f64
  // Case: Enzyme, MLIR/ReverseMode, scf_if.mlir, nested_if.
  // CHECK-NEXT: {{^}}nested_if 1: 6.0{{$}}
  %d5 = tfx_ad.gradient @nested_if(%three, %yes, %no) wrt [0] : (f64, i1, i1) -> f64
  tfx_host.print "nested_if 1: {}"(%d5) : f64
  // CHECK-NEXT: {{^}}nested_if 2: {{0\.858879991[0-9]*}}{{$}}
  %d6 = tfx_ad.gradient @nested_if(%three, %no, %yes) wrt [0] : (f64, i1, i1) -> f64
  tfx_host.print "nested_if 2: {}"(%d6) : f64
  // CHECK-NEXT: {{^}}nested_if 3: 1.0{{$}}
  %d7 = tfx_ad.gradient @nested_if(%three, %no, %no) wrt [0] : (f64, i1, i1) -> f64
  tfx_host.print "nested_if 3: {}"(%d7) : f64
  // Case: Enzyme, MLIR/ReverseMode, scf_if.mlir, some_res_inactive.
  // CHECK-NEXT: {{^}}some_result 1: 6.0{{$}}
  %y8.0, %y8.1, %pullback8 = tfx_ad.vjp @some_result(%three, %yes) wrt [0] : (f64, i1) -> (f64, i64, !tfx_host.closure<(f64) -> f64>)
  %d9 = tfx_host.apply %pullback8(%one) : !tfx_host.closure<(f64) -> f64>
  tfx_host.print "some_result 1: {}"(%d9) : f64
  // CHECK-NEXT: {{^}}some_result 2: {{0\.858879991[0-9]*}}{{$}}
  %y10.0, %y10.1, %pullback10 = tfx_ad.vjp @some_result(%three, %no) wrt [0] : (f64, i1) -> (f64, i64, !tfx_host.closure<(f64) -> f64>)
  %d11 = tfx_host.apply %pullback10(%one) : !tfx_host.closure<(f64) -> f64>
  tfx_host.print "some_result 2: {}"(%d11) : f64
  // Case: Enzyme, MLIR/ReverseMode, scf_while.mlir.
  // CHECK-NEXT: {{^}}while_never: 1.0{{$}}
  %d12 = tfx_ad.gradient @while_never(%three) wrt [0] : (f64) -> f64
  tfx_host.print "while_never: {}"(%d12) : f64
  // CHECK-NEXT: {{^}}while_squares: 1024.0{{$}}
  %d13 = tfx_ad.gradient @while_squares(%one) wrt [0] : (f64) -> f64
  tfx_host.print "while_squares: {}"(%d13) : f64
  // Case: Enzyme, MLIR/ReverseMode, recursion.mlir, with an end.
  // CHECK-NEXT: {{^}}recursion: -72.0 -48.0{{$}}
  %y15, %d14 = tfx_ad.gradient @even(%three, %n3) wrt [0] value : (f64, i64) -> (f64, f64)
  tfx_host.print "recursion: {} {}"(%y15, %d14) : f64, f64
  // CHECK-NEXT: {{^}}forward recursion: 5184.0 6912.0{{$}}
  %y16, %t17 = tfx_ad.jvp @even(%three, %n4) tangents(%one : f64) wrt [0] : (f64, i64) -> (f64, f64)
  tfx_host.print "forward recursion: {} {}"(%y16, %t17) : f64, f64
  // Case: Enzyme, MLIR/ReverseMode, bbarg-order.mlir.
  // CHECK-NEXT: {{^}}blocks: 1.0{{$}}
  %d18 = tfx_ad.gradient @blocks(%three) wrt [0] : (f64) -> f64
  tfx_host.print "blocks: {}"(%d18) : f64
  // Case: Enzyme, MLIR/ReverseMode, multiret.mlir.
  %n5 = arith.constant 5 : i32
  %z = arith.constant 0.5 : f32
  %g = arith.constant 2.0 : f32
  // CHECK-NEXT: {{^}}several: 6.0 2.0{{$}}
  %y19.0, %y19.1, %y19.2, %pullback19 = tfx_ad.vjp @several(%three, %n5, %z) wrt [0, 2] : (f64, i32, f32) -> (f64, i32, f32, !tfx_host.closure<(f64, f32) -> (f64, f32)>)
  %d20.0, %d20.1 = tfx_host.apply %pullback19(%one, %g) : !tfx_host.closure<(f64, f32) -> (f64, f32)>
  tfx_host.print "several: {} {}"(%d20.0, %d20.1) : f64, f32
  // Case: Enzyme, MLIR/ReverseMode, for_loop_partial_inactive.mlir.
  // CHECK-NEXT: {{^}}partial: 32.0{{$}}
  %d21 = tfx_ad.gradient @partial(%two, %n4) wrt [0] : (f64, i64) -> f64
  tfx_host.print "partial: {}"(%d21) : f64
  // Case: Enzyme, MLIR/ReverseMode, custom_rule_multi_call.mlir, one activity.
  // CHECK-NEXT: {{^}}twice: 6.0 8.0{{$}}
  %d22.0, %d22.1 = tfx_ad.gradient @twice(%three, %four) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "twice: {} {}"(%d22.0, %d22.1) : f64, f64
  // Case: Enzyme, MLIR/ReverseMode, custom_rule_multi_call.mlir, two activities.
  // CHECK-NEXT: {{^}}twice_constant: 8.0 2.0{{$}}
  %d23.0, %d23.1 = tfx_ad.gradient @twice_constant(%two, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "twice_constant: {} {}"(%d23.0, %d23.1) : f64, f64
  // Case: Enzyme, MLIR/ReverseMode, custom_rule_multi_call.mlir, a rule.
  // CHECK-NEXT: {{^}}twice_ruled: 6.0 15.0{{$}}
  %d24.0, %d24.1 = tfx_ad.gradient @twice_ruled(%two, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "twice_ruled: {} {}"(%d24.0, %d24.1) : f64, f64
  // Case: Enzyme, MLIR/ReverseMode, scf_for_mincut_chain.mlir.
  // CHECK-NEXT: {{^}}chain: {{\[ *}}1800. 3600. 5400. 0.{{ *}}]{{$}}
  %a = tfx_tensor.const dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf64>
  %d25 = tfx_ad.gradient @chain(%a, %n3) wrt [0] : (tensor<4xf64>, i64) -> tensor<4xf64>
  tfx_host.print "chain: {}"(%d25) : tensor<4xf64>
  return
}
