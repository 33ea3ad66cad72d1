// Small functions: phi nodes, gotos, recursion, loops, tuples and broadcasts.
// Mooncake, src/test_resources.jl, whose functions are compared with finite differences: the values
// are closed forms and those of dual numbers in Python. Arrays are tensors.
//
// RUN: tfxc run %s | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow | FileCheck %s %}

func.func private @foo(%x: f64) -> f64 {
  %sin_x = math.sin %x : f64
  %a = math.cos %sin_x : f64
  return %a : f64
}

// The division by zero is in the arm that is not taken.
func.func private @removable(%t: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %is_eq = arith.cmpf oeq, %t, %zero : f64
  cf.cond_br %is_eq, ^zero, ^other
^zero:
  return %one : f64
^other:
  %sin_t = math.sin %t : f64
  %a = arith.divf %sin_t, %t : f64
  return %a : f64
}

// The first parameter has no influence on the result.
func.func private @bar(%x: f64, %y: f64) -> f64 {
  %x1 = math.sin %x : f64
  %x2 = math.cos %y : f64
  %x3 = func.call @foo(%x2) : (f64) -> f64
  %x4 = func.call @foo(%x3) : (f64) -> f64
  %a = arith.addf %x2, %x4 : f64
  return %a : f64
}
func.func private @goto_tester(%x: f64) -> f64 {
  %cos_x = math.cos %x : f64
  %is_gt = arith.cmpf ogt, %x, %cos_x : f64
  cf.cond_br %is_gt, ^aha(%x : f64), ^sin
^sin:
  %sin_x = math.sin %x : f64
  cf.br ^aha(%sin_x : f64)
^aha(%y: f64):
  %cos_y = math.cos %y : f64
  return %cos_y : f64
}

// The condition becomes a number, which has no derivative.
func.func private @phi_const_bool(%x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %positive = arith.cmpf ogt, %x, %zero : f64
  %n = arith.extui %positive : i1 to i64
  %a = arith.sitofp %n : i64 to f64
  %cos_a = math.cos %a : f64
  return %cos_a : f64
}

// A value that only one path defines, and that the same condition reads.
func.func private @phi_undefined(%p: i1, %y: f64) -> f64 {
  %undefined = tfx_host.undef : f64
  cf.cond_br %p, ^sin, ^next(%undefined : f64)
^sin:
  %sin_y = math.sin %y : f64
  cf.br ^next(%sin_y : f64)
^next(%v: f64):
  %z = math.cos %y : f64
  cf.cond_br %p, ^add, ^end(%z : f64)
^add:
  %a = arith.addf %z, %v : f64
  cf.br ^end(%a : f64)
^end(%r: f64):
  return %r : f64
}

// The two values of the loop change places.
func.func private @phi_block(%x: f64, %n: i64) -> (f64, f64) {
  %n1 = arith.constant 1 : i64
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  cf.br ^head(%n1, %one, %x : i64, f64, f64)
^head(%i: i64, %a: f64, %b: f64):
  %more = arith.cmpi slt, %i, %n : i64
  cf.cond_br %more, ^body, ^end
^body:
  %c = arith.addi %i, %n1 : i64
  %twoa = arith.mulf %two, %a : f64
  cf.br ^head(%c, %b, %twoa : i64, f64, f64)
^end:
  return %a, %b : f64, f64
}

// The path that throws.
func.func private @throwing_path(%x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %is_lt = arith.cmpf olt, %x, %zero : f64
  cf.cond_br %is_lt, ^throw, ^end
^throw:
  tfx_host.abort "out of bounds"
  tfx_host.unreachable
^end:
  %sin_x = math.sin %x : f64
  return %sin_x : f64
}

// Recursive functions: one that swaps its parameters, and one over the elements of a tensor.
func.func private @self_reference(%a: f64, %b: f64) -> f64 {
  %is_lt = arith.cmpf olt, %a, %b : f64
  cf.cond_br %is_lt, ^end, ^more
^end:
  %ab = arith.mulf %a, %b : f64
  return %ab : f64
^more:
  %c = func.call @self_reference(%b, %a) : (f64, f64) -> f64
  %d = arith.addf %c, %a : f64
  return %d : f64
}
func.func private @recursive_sum(%x: tensor<?xf64>, %n: i64) -> f64 {
  %n0 = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f64
  %n1 = arith.constant 1 : i64
  %is_eq = arith.cmpi eq, %n, %n0 : i64
  cf.cond_br %is_eq, ^end, ^more
^end:
  return %zero : f64
^more:
  %last = arith.subi %n, %n1 : i64
  %at = tfx_tensor.from_scalar %last : i64
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %e = tfx_tensor.op "GatherV2"(%x, %at, %axis) : (tensor<?xf64>, tensor<i64>, tensor<i32>) -> tensor<f64>
  %s = tfx_tensor.to_scalar %e : tensor<f64> -> f64
  %a = func.call @recursive_sum(%x, %last) : (tensor<?xf64>, i64) -> f64
  %b = arith.addf %s, %a : f64
  return %b : f64
}

// Values that are used twice.
func.func private @usage(%x: f64) -> f64 {
  %xx = arith.mulf %x, %x : f64
  return %xx : f64
}
func.func private @usage2(%x: f64) -> f64 {
  %y = arith.mulf %x, %x : f64
  %yy = arith.mulf %y, %y : f64
  return %yy : f64
}
func.func private @usage3(%x: f64) -> f64 {
  %y = math.sin %x : f64
  %z = arith.mulf %y, %y : f64
  %a = arith.mulf %z, %z : f64
  %cos_a = math.cos %a : f64
  return %cos_a : f64
}
func.func private @usage4(%x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %is_gt = arith.cmpf ogt, %x, %zero : f64
  cf.cond_br %is_gt, ^cos, ^sin
^cos:
  %cos_x = math.cos %x : f64
  cf.br ^end(%cos_x : f64)
^sin:
  %sin_x = math.sin %x : f64
  cf.br ^end(%sin_x : f64)
^end(%y: f64):
  %yy = arith.mulf %y, %y : f64
  return %yy : f64
}
func.func private @usage5(%x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %y = arith.mulf %x, %x : f64
  %is_gt = arith.cmpf ogt, %x, %zero : f64
  cf.cond_br %is_gt, ^cos, ^sin
^cos:
  %cos_y = math.cos %y : f64
  return %cos_y : f64
^sin:
  %sin_y = math.sin %y : f64
  return %sin_y : f64
}
func.func private @usage_phi(%p: i1, %y: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  cf.cond_br %p, ^end(%y : f64), ^end(%one : f64)
^end(%z: f64):
  %zy = arith.mulf %z, %y : f64
  return %zy : f64
}
func.func private @test_sin(%x: f64) -> f64 {
  %sin_x = math.sin %x : f64
  return %sin_x : f64
}
func.func private @multiple_call(%x: f64) -> f64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%y = %x) -> (f64) : i64 {
    %a = func.call @test_sin(%y) : (f64) -> f64
    scf.yield %a : f64
  }
  return %r : f64
}
func.func private @while_loop(%x: f64) -> f64 {
  %n3 = arith.constant 3 : i64
  %n0 = arith.constant 0 : i64
  %n1 = arith.constant 1 : i64
  cf.br ^head(%n3, %x : i64, f64)
^head(%n: i64, %y: f64):
  %is_gt = arith.cmpi sgt, %n, %n0 : i64
  cf.cond_br %is_gt, ^body, ^end
^body:
  %a = arith.subi %n, %n1 : i64
  %cos_y = math.cos %y : f64
  cf.br ^head(%a, %cos_y : i64, f64)
^end:
  return %y : f64
}
func.func private @for_loop(%x: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %n500 = arith.constant 500 : i64
  %n1 = arith.constant 1 : i64
  cf.br ^head(%n0, %x : i64, f64)
^head(%n: i64, %y: f64):
  %more = arith.cmpi slt, %n, %n500 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %a = arith.addi %n, %n1 : i64
  %sin_y = math.sin %y : f64
  cf.br ^head(%a, %sin_y : i64, f64)
^end:
  return %y : f64
}
func.func private @nested_tuple(%x: f64) -> tuple<tuple<tuple<tuple<f64>>, f64>, f64> {
  %a = tfx_host.make_tuple(%x) : f64
  %b = tfx_host.make_tuple(%a) : tuple<f64>
  %c = tfx_host.make_tuple(%b, %x) : tuple<tuple<f64>>, f64
  %d = tfx_host.make_tuple(%c, %x) : tuple<tuple<tuple<f64>>, f64>, f64
  return %d : tuple<tuple<tuple<tuple<f64>>, f64>, f64>
}

// A network of two layers.
func.func private @mlp(%x: tensor<2x1xf64>, %w1: tensor<2x2xf64>, %w2: tensor<1x2xf64>) -> tensor<1x1xf64> {
  %h = tfx_tensor.op "MatMul"(%w1, %x) {transpose_a = false, transpose_b = false} : (tensor<2x2xf64>, tensor<2x1xf64>) -> tensor<2x1xf64>
  %t = tfx_tensor.op "Tanh"(%h) : (tensor<2x1xf64>) -> tensor<2x1xf64>
  %y = tfx_tensor.op "MatMul"(%w2, %t) {transpose_a = false, transpose_b = false} : (tensor<1x2xf64>, tensor<2x1xf64>) -> tensor<1x1xf64>
  return %y : tensor<1x1xf64>
}

// An element that is overwritten by the sine of another one.
func.func private @mutation(%x: tensor<2xf64>) -> f64 {
  %second = tfx_tensor.const dense<1> : tensor<i32>
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %e = tfx_tensor.op "GatherV2"(%x, %second, %axis) : (tensor<2xf64>, tensor<i32>, tensor<i32>) -> tensor<f64>
  %s = tfx_tensor.op "Sin"(%e) : (tensor<f64>) -> tensor<f64>
  %shape = tfx_tensor.const dense<[1]> : tensor<1xi32>
  %u = tfx_tensor.op "Reshape"(%s, %shape) : (tensor<f64>, tensor<1xi32>) -> tensor<1xf64>
  %index = tfx_tensor.const dense<[[0]]> : tensor<1x1xi32>
  %y = tfx_tensor.op "TensorScatterUpdate"(%x, %index, %u) : (tensor<2xf64>, tensor<1x1xi32>, tensor<1xf64>) -> tensor<2xf64>
  %first = tfx_tensor.op "GatherV2"(%y, %axis, %axis) : (tensor<2xf64>, tensor<i32>, tensor<i32>) -> tensor<f64>
  %a = tfx_tensor.to_scalar %first : tensor<f64> -> f64
  return %a : f64
}
func.func private @sin_cos_exp(%x: tensor<3xf64>) -> tensor<f64> {
  %a = tfx_tensor.op "Exp"(%x) : (tensor<3xf64>) -> tensor<3xf64>
  %b = tfx_tensor.op "Cos"(%a) : (tensor<3xf64>) -> tensor<3xf64>
  %c = tfx_tensor.op "Sin"(%b) : (tensor<3xf64>) -> tensor<3xf64>
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %s = tfx_tensor.op "Sum"(%c, %axes) : (tensor<3xf64>, tensor<1xi32>) -> tensor<f64>
  return %s : tensor<f64>
}
func.func private @intrinsic(%x: f64) -> f64 {
  %five = arith.constant 5.0 : f64
  %a = arith.mulf %five, %x : f64
  return %a : f64
}

func.func public @main() {
  %five = arith.constant 5.0 : f64
  %zero = arith.constant 0.0 : f64
  %two = arith.constant 2.0 : f64
  %four = arith.constant 4.0 : f64
  %half = arith.constant 0.5 : f64
  %cm5 = arith.constant -5.0 : f64
  %three = arith.constant 3.0 : f64
  %n3 = arith.constant 3 : i64
  %one = arith.constant 1.0 : f64
  %n4 = arith.constant 4 : i64
  %c1_1 = arith.constant 1.1 : f64
  %c1_5 = arith.constant 1.5 : f64
  %n2 = arith.constant 2 : i64
  %c4_1 = arith.constant 4.1 : f64
  %yes = arith.constant true
  %no = arith.constant false
  // Case: Mooncake, test_resources.jl, foo.
  // CHECK: {{^}}foo: {{0\.574400879[0-9]*}} {{0\.232198530[0-9]*}}{{$}}
  %y1, %d0 = tfx_ad.gradient @foo(%five) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "foo: {} {}"(%y1, %d0) : f64, f64
  // Case: Mooncake, test_resources.jl, removable_singularity_tester.
  // CHECK-NEXT: {{^}}removable 0: 1.0 0.0{{$}}
  %y3, %d2 = tfx_ad.gradient @removable(%zero) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "removable 0: {} {}"(%y3, %d2) : f64, f64
  // CHECK-NEXT: {{^}}removable 2: {{0\.454648713[0-9]*}} -{{0\.435397774[0-9]*}}{{$}}
  %y5, %d4 = tfx_ad.gradient @removable(%two) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "removable 2: {} {}"(%y5, %d4) : f64, f64
  // Case: Mooncake, test_resources.jl, bar.
  // CHECK-NEXT: {{^}}bar: 0.0 {{0\.600482390[0-9]*}}{{$}}
  %d6.0, %d6.1 = tfx_ad.gradient @bar(%five, %four) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "bar: {} {}"(%d6.0, %d6.1) : f64, f64
  // Case: Mooncake, test_resources.jl, goto_tester.
  // CHECK-NEXT: {{^}}goto_tester 5: {{0\.958924274[0-9]*}}{{$}}
  %d7 = tfx_ad.gradient @goto_tester(%five) wrt [0] : (f64) -> f64
  tfx_host.print "goto_tester 5: {}"(%d7) : f64
  // CHECK-NEXT: {{^}}goto_tester 0.5: -{{0\.404802117[0-9]*}}{{$}}
  %d8 = tfx_ad.gradient @goto_tester(%half) wrt [0] : (f64) -> f64
  tfx_host.print "goto_tester 0.5: {}"(%d8) : f64
  // Case: Mooncake, test_resources.jl, intrinsic_tester.
  // CHECK-NEXT: {{^}}intrinsic: 5.0{{$}}
  %d9 = tfx_ad.gradient @intrinsic(%five) wrt [0] : (f64) -> f64
  tfx_host.print "intrinsic: {}"(%d9) : f64
  // Case: Mooncake, test_resources.jl, phi_const_bool_tester.
  // CHECK-NEXT: {{^}}phi_const_bool 5: {{0\.540302305[0-9]*}} {{-?0\.0}}{{$}}
  %y11, %d10 = tfx_ad.gradient @phi_const_bool(%five) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "phi_const_bool 5: {} {}"(%y11, %d10) : f64, f64
  // CHECK-NEXT: {{^}}phi_const_bool -5: 1.0 {{-?0\.0}}{{$}}
  %y13, %d12 = tfx_ad.gradient @phi_const_bool(%cm5) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "phi_const_bool -5: {} {}"(%y13, %d12) : f64, f64
  // Case: Mooncake, test_resources.jl, phi_node_with_undefined_value.
  // CHECK-NEXT: {{^}}phi_undefined true: {{0\.103158874[0-9]*}}{{$}}
  %d14 = tfx_ad.gradient @phi_undefined(%yes, %four) wrt [1] : (i1, f64) -> f64
  tfx_host.print "phi_undefined true: {}"(%d14) : f64
  // CHECK-NEXT: {{^}}phi_undefined false: {{0\.756802495[0-9]*}}{{$}}
  %d15 = tfx_ad.gradient @phi_undefined(%no, %four) wrt [1] : (i1, f64) -> f64
  tfx_host.print "phi_undefined false: {}"(%d15) : f64
  // Case: Mooncake, test_resources.jl, test_multiple_phinode_block.
  // CHECK-NEXT: {{^}}phi_block: 0.0 2.0{{$}}
  %y16.0, %y16.1, %pullback16 = tfx_ad.vjp @phi_block(%three, %n3) wrt [0] : (f64, i64) -> (f64, f64, !tfx_host.closure<(f64, f64) -> f64>)
  %d17 = tfx_host.apply %pullback16(%one, %zero) : !tfx_host.closure<(f64, f64) -> f64>
  %d18 = tfx_host.apply %pullback16(%zero, %one) : !tfx_host.closure<(f64, f64) -> f64>
  tfx_host.print "phi_block: {} {}"(%d17, %d18) : f64, f64
  // CHECK-NEXT: {{^}}forward phi_block: 6.0 4.0 2.0 0.0{{$}}
  %y19.0, %y19.1, %t20.0, %t20.1 = tfx_ad.jvp @phi_block(%three, %n4) tangents(%one : f64) wrt [0] : (f64, i64) -> (f64, f64, f64, f64)
  tfx_host.print "forward phi_block: {} {} {} {}"(%y19.0, %y19.1, %t20.0, %t20.1) : f64, f64, f64, f64
  // Case: Mooncake, test_resources.jl, avoid_throwing_path_tester.
  // CHECK-NEXT: {{^}}throwing_path: {{0\.283662185[0-9]*}}{{$}}
  %d21 = tfx_ad.gradient @throwing_path(%five) wrt [0] : (f64) -> f64
  tfx_host.print "throwing_path: {}"(%d21) : f64
  // Case: Mooncake, test_resources.jl, test_self_reference.
  // CHECK-NEXT: {{^}}self_reference 1.1 1.5: 1.5 1.1{{$}}
  %d22.0, %d22.1 = tfx_ad.gradient @self_reference(%c1_1, %c1_5) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "self_reference 1.1 1.5: {} {}"(%d22.0, %d22.1) : f64, f64
  // CHECK-NEXT: {{^}}self_reference 1.5 1.1: 2.1 1.5{{$}}
  %d23.0, %d23.1 = tfx_ad.gradient @self_reference(%c1_5, %c1_1) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "self_reference 1.5 1.1: {} {}"(%d23.0, %d23.1) : f64, f64
  // Case: Mooncake, test_resources.jl, test_recursive_sum.
  // CHECK-NEXT: {{^}}recursive_sum: {{\[ *}}1. 1.{{ *}}]{{$}}
  %a = tfx_tensor.const dense<[1.0, 2.0]> : tensor<2xf64>
  %b = tfx_tensor.op "Identity"(%a) : (tensor<2xf64>) -> tensor<?xf64>
  %d24 = tfx_ad.gradient @recursive_sum(%b, %n2) wrt [0] : (tensor<?xf64>, i64) -> tensor<?xf64>
  tfx_host.print "recursive_sum: {}"(%d24) : tensor<?xf64>
  // Case: Mooncake, test_resources.jl, test_isbits_multiple_usage.
  // CHECK-NEXT: {{^}}usage: 10.0{{$}}
  %d25 = tfx_ad.gradient @usage(%five) wrt [0] : (f64) -> f64
  tfx_host.print "usage: {}"(%d25) : f64
  // Case: Mooncake, test_resources.jl, test_isbits_multiple_usage_2.
  // CHECK-NEXT: {{^}}usage2: 500.0{{$}}
  %d26 = tfx_ad.gradient @usage2(%five) wrt [0] : (f64) -> f64
  tfx_host.print "usage2: {}"(%d26) : f64
  // Case: Mooncake, test_resources.jl, test_isbits_multiple_usage_3.
  // CHECK-NEXT: {{^}}usage3: -{{0\.546071884[0-9]*}}{{$}}
  %d27 = tfx_ad.gradient @usage3(%c4_1) wrt [0] : (f64) -> f64
  tfx_host.print "usage3: {}"(%d27) : f64
  // Case: Mooncake, test_resources.jl, test_isbits_multiple_usage_4.
  // CHECK-NEXT: {{^}}usage4: {{0\.544021110[0-9]*}}{{$}}
  %d28 = tfx_ad.gradient @usage4(%five) wrt [0] : (f64) -> f64
  tfx_host.print "usage4: {}"(%d28) : f64
  // Case: Mooncake, test_resources.jl, test_isbits_multiple_usage_5.
  // CHECK-NEXT: {{^}}usage5: {{7\.31546079[0-9]*}}{{$}}
  %d29 = tfx_ad.gradient @usage5(%c4_1) wrt [0] : (f64) -> f64
  tfx_host.print "usage5: {}"(%d29) : f64
  // Case: Mooncake, test_resources.jl, test_isbits_multiple_usage_phi.
  // CHECK-NEXT: {{^}}usage_phi true: 2.2{{$}}
  %d30 = tfx_ad.gradient @usage_phi(%yes, %c1_1) wrt [1] : (i1, f64) -> f64
  tfx_host.print "usage_phi true: {}"(%d30) : f64
  // CHECK-NEXT: {{^}}usage_phi false: 1.0{{$}}
  %d31 = tfx_ad.gradient @usage_phi(%no, %c1_1) wrt [1] : (i1, f64) -> f64
  tfx_host.print "usage_phi false: {}"(%d31) : f64
  // Case: Mooncake, test_resources.jl, test_multiple_call_non_primitive.
  // CHECK-NEXT: {{^}}multiple_call: {{0\.162935808[0-9]*}}{{$}}
  %d32 = tfx_ad.gradient @multiple_call(%five) wrt [0] : (f64) -> f64
  tfx_host.print "multiple_call: {}"(%d32) : f64
  // Case: Mooncake, test_resources.jl, test_while_loop.
  // CHECK-NEXT: {{^}}while_loop: {{0\.291247378[0-9]*}}{{$}}
  %d33 = tfx_ad.gradient @while_loop(%two) wrt [0] : (f64) -> f64
  tfx_host.print "while_loop: {}"(%d33) : f64
  // Case: Mooncake, test_resources.jl, test_for_loop.
  // CHECK-NEXT: {{^}}for_loop: {{0\.0679094541[0-9]*}} -{{0\.109981649[0-9]*}}{{$}}
  %y35, %d34 = tfx_ad.gradient @for_loop(%three) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "for_loop: {} {}"(%y35, %d34) : f64, f64
  // Case: Mooncake, test_resources.jl, highly_nested_tuple.
  // CHECK-NEXT: {{^}}forward nested_tuple: 5.0 5.0 5.0 1.0 1.0 1.0{{$}}
  %y36, %t37 = tfx_ad.jvp @nested_tuple(%five) tangents(%one : f64) wrt [0] : (f64) -> (tuple<tuple<tuple<tuple<f64>>, f64>, f64>, tuple<tuple<tuple<tuple<f64>>, f64>, f64>)
  %y360 = tfx_host.tuple_get %y36[0] : tuple<tuple<tuple<tuple<f64>>, f64>, f64>
  %y3600 = tfx_host.tuple_get %y360[0] : tuple<tuple<tuple<f64>>, f64>
  %y36000 = tfx_host.tuple_get %y3600[0] : tuple<tuple<f64>>
  %y360000 = tfx_host.tuple_get %y36000[0] : tuple<f64>
  %y3601 = tfx_host.tuple_get %y360[1] : tuple<tuple<tuple<f64>>, f64>
  %y361 = tfx_host.tuple_get %y36[1] : tuple<tuple<tuple<tuple<f64>>, f64>, f64>
  %t370 = tfx_host.tuple_get %t37[0] : tuple<tuple<tuple<tuple<f64>>, f64>, f64>
  %t3700 = tfx_host.tuple_get %t370[0] : tuple<tuple<tuple<f64>>, f64>
  %t37000 = tfx_host.tuple_get %t3700[0] : tuple<tuple<f64>>
  %t370000 = tfx_host.tuple_get %t37000[0] : tuple<f64>
  %t3701 = tfx_host.tuple_get %t370[1] : tuple<tuple<tuple<f64>>, f64>
  %t371 = tfx_host.tuple_get %t37[1] : tuple<tuple<tuple<tuple<f64>>, f64>, f64>
  tfx_host.print "forward nested_tuple: {} {} {} {} {} {}"(%y360000, %y3601, %y361, %t370000, %t3701, %t371) : f64, f64, f64, f64, f64, f64
  // Case: Mooncake, test_resources.jl, test_mlp.
  // CHECK-NEXT: {{^}}mlp: {{\[\[ *}}{{1\.54108487[0-9]*}}{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}{{0\.132990755[0-9]*}}{{ *}}]] {{\[\[ *}}{{0\.180706638[0-9]*}} -{{0\.361413277[0-9]*}}{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}{{1\.17967159[0-9]*}} -{{2\.35934319[0-9]*}}{{ *}}]] {{\[\[ *}}-{{0\.905148253[0-9]*}} {{0\.462117157[0-9]*}}{{ *}}]]{{$}}
  %c = tfx_tensor.const dense<[[0.5], [-1.0]]> : tensor<2x1xf64>
  %d = tfx_tensor.const dense<[[1.0, 2.0], [0.5, -0.25]]> : tensor<2x2xf64>
  %e = tfx_tensor.const dense<[[2.0, 3.0]]> : tensor<1x2xf64>
  %y38, %pullback38 = tfx_ad.vjp @mlp(%c, %d, %e) wrt [0, 1, 2] : (tensor<2x1xf64>, tensor<2x2xf64>, tensor<1x2xf64>) -> (tensor<1x1xf64>, !tfx_host.closure<(tensor<1x1xf64>) -> (tensor<2x1xf64>, tensor<2x2xf64>, tensor<1x2xf64>)>)
  %f = tfx_tensor.const dense<[[1.0]]> : tensor<1x1xf64>
  %d39.0, %d39.1, %d39.2 = tfx_host.apply %pullback38(%f) : !tfx_host.closure<(tensor<1x1xf64>) -> (tensor<2x1xf64>, tensor<2x2xf64>, tensor<1x2xf64>)>
  tfx_host.print "mlp: {} {} {}"(%d39.0, %d39.1, %d39.2) : tensor<2x1xf64>, tensor<2x2xf64>, tensor<1x2xf64>
  // Case: Mooncake, test_resources.jl, test_mutation!.
  // CHECK-NEXT: {{^}}mutation: {{\[ *}}0. -{{0\.416146836[0-9]*}}{{ *}}]{{$}}
  %g = tfx_tensor.const dense<[1.0, 2.0]> : tensor<2xf64>
  %d40 = tfx_ad.gradient @mutation(%g) wrt [0] : (tensor<2xf64>) -> tensor<2xf64>
  tfx_host.print "mutation: {}"(%d40) : tensor<2xf64>
  // Case: Mooncake, test_resources.jl, _broadcast_sin_cos_exp.
  // CHECK-NEXT: {{^}}sin_cos_exp: {{\[ *}}-{{0\.889642365[0-9]*}} -{{0\.235455149[0-9]*}} -{{0\.683790754[0-9]*}}{{ *}}]{{$}}
  %h = tfx_tensor.const dense<[0.1, -0.5, 1.0]> : tensor<3xf64>
  %d41 = tfx_ad.gradient @sin_cos_exp(%h) wrt [0] : (tensor<3xf64>) -> tensor<3xf64>
  tfx_host.print "sin_cos_exp: {}"(%d41) : tensor<3xf64>
  return
}
