// Conditions, switches, loops and scans. JAX, tests/lax_control_flow_test.py and
// tests/lax_autodiff_test.py. JAX compares most of them with plain Python; the values here are
// closed forms. Floats are f64. Arrays, also inputs by random numbers, are tensors of fixed values.
//
// RUN: tfxc run %s | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow | FileCheck %s %}

func.func private @cond_jvp(%x: f64) -> (f64, f64) {
  %three = arith.constant 3.0 : f64
  %two = arith.constant 2.0 : f64
  %is_lt = arith.cmpf olt, %x, %three : f64
  cf.cond_br %is_lt, ^then, ^else
^then:
  return %x, %x : f64, f64
^else:
  %y = arith.mulf %two, %x : f64
  %twoy = arith.mulf %two, %y : f64
  return %y, %twoy : f64, f64
}

// The index comes from the parameter by floor.
func.func private @switch_jvp(%x: f64) -> (f64, f64) {
  %two = arith.constant 2.0 : f64
  %floor_x = math.floor %x : f64
  %i = arith.fptosi %floor_x : f64 to i64
  %low = arith.constant 0 : i64
  %high = arith.constant 2 : i64
  %j = arith.maxsi %i, %low : i64
  %k = arith.minsi %j, %high : i64
  cf.switch %k : i64, [
    default: ^last,
    0: ^first,
    1: ^second
  ]
^first:
  return %x, %x : f64, f64
^second:
  %y = arith.mulf %two, %x : f64
  %twoy = arith.mulf %two, %y : f64
  return %y, %twoy : f64, f64
^last:
  %minus_x = arith.negf %x : f64
  return %x, %minus_x : f64, f64
}
func.func private @cond_constant(%x: f64) -> f64 {
  %three = arith.constant 3.0 : f64
  %two = arith.constant 2.0 : f64
  %is_lt = arith.cmpf olt, %x, %three : f64
  cf.cond_br %is_lt, ^then, ^else
^then:
  return %two : f64
^else:
  %twox = arith.mulf %two, %x : f64
  return %twox : f64
}
func.func private @cond_sin(%x: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %three = arith.constant 3.0 : f64
  %is_lt = arith.cmpf olt, %x, %two : f64
  cf.cond_br %is_lt, ^then, ^else
^then:
  %a = arith.mulf %three, %x : f64
  return %a : f64
^else:
  %sin_x = math.sin %x : f64
  return %sin_x : f64
}

// The arm that is not taken has an infinite derivative.
func.func private @safe(%x: f64) -> f64 {
  %c001 = arith.constant 0.001 : f64
  %is_lt = arith.cmpf olt, %x, %c001 : f64
  cf.cond_br %is_lt, ^then, ^else
^then:
  return %c001 : f64
^else:
  %sqrt_x = math.sqrt %x : f64
  return %sqrt_x : f64
}
func.func private @safe_selected(%x: f64) -> f64 {
  %c001 = arith.constant 0.001 : f64
  %is_lt = arith.cmpf olt, %x, %c001 : f64
  %sqrt_x = math.sqrt %x : f64
  %a = arith.select %is_lt, %c001, %sqrt_x : f64
  return %a : f64
}
func.func private @switch_grad(%x: f64) -> f64 {
  %three = arith.constant 3.0 : f64
  %floor_x = math.floor %x : f64
  %i = arith.fptosi %floor_x : f64 to i64
  %low = arith.constant 0 : i64
  %high = arith.constant 2 : i64
  %j = arith.maxsi %i, %low : i64
  %k = arith.minsi %j, %high : i64
  cf.switch %k : i64, [
    default: ^last,
    0: ^first,
    1: ^second
  ]
^first:
  %a = arith.mulf %three, %x : f64
  return %a : f64
^second:
  %sin_x = math.sin %x : f64
  return %sin_x : f64
^last:
  %minus_x = arith.negf %x : f64
  return %minus_x : f64
}
func.func private @cond_tensor(%x: tensor<2xf64>) -> tensor<f64> {
  %two = arith.constant 2.0 : f64
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %e = tfx_tensor.op "GatherV2"(%x, %axis, %axis) : (tensor<2xf64>, tensor<i32>, tensor<i32>) -> tensor<f64>
  %first = tfx_tensor.to_scalar %e : tensor<f64> -> f64
  %is_lt = arith.cmpf olt, %first, %two : f64
  cf.cond_br %is_lt, ^then, ^else
^then:
  %numbers = tfx_tensor.const dense<[1.0, 2.0]> : tensor<2xf64>
  %p = tfx_tensor.op "Mul"(%x, %numbers) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  cf.br ^end(%p : tensor<2xf64>)
^else:
  %s = tfx_tensor.op "Sin"(%x) : (tensor<2xf64>) -> tensor<2xf64>
  cf.br ^end(%s : tensor<2xf64>)
^end(%z: tensor<2xf64>):
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %r = tfx_tensor.op "Sum"(%z, %axes) : (tensor<2xf64>, tensor<1xi32>) -> tensor<f64>
  return %r : tensor<f64>
}
func.func private @cond_two(%x: f64, %y: f64) -> f64 {
  %three = arith.constant 3.0 : f64
  %two = arith.constant 2.0 : f64
  %is_lt = arith.cmpf olt, %x, %three : f64
  cf.cond_br %is_lt, ^then, ^else
^then:
  %sin_y = math.sin %y : f64
  %a = arith.mulf %two, %sin_y : f64
  return %a : f64
^else:
  %twox = arith.mulf %two, %x : f64
  return %twox : f64
}

// The condition of the loop reads the tensor: [0, 4, 16] after two squares.
func.func private @while_square(%x: tensor<3xf64>) -> tensor<3xf64> {
  %eight = arith.constant 8.0 : f64
  cf.br ^head(%x : tensor<3xf64>)
^head(%v: tensor<3xf64>):
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %last = tfx_tensor.const dense<2> : tensor<i32>
  %e = tfx_tensor.op "GatherV2"(%v, %last, %axis) : (tensor<3xf64>, tensor<i32>, tensor<i32>) -> tensor<f64>
  %s = tfx_tensor.to_scalar %e : tensor<f64> -> f64
  %is_le = arith.cmpf ole, %s, %eight : f64
  cf.cond_br %is_le, ^body, ^end
^body:
  %w = tfx_tensor.op "Mul"(%v, %v) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  cf.br ^head(%w : tensor<3xf64>)
^end:
  return %v : tensor<3xf64>
}
func.func private @fori_double(%x: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %x) -> (f64) : i64 {
    %a = arith.mulf %v, %two : f64
    scf.yield %a : f64
  }
  return %r : f64
}
func.func private @fori_factorial(%x: f64) -> f64 {
  %n1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %x) -> (f64) : i64 {
    %n = arith.addi %i, %n1 : i64
    %fn = arith.sitofp %n : i64 to f64
    %vfn = arith.mulf %v, %fn : f64
    scf.yield %vfn : f64
  }
  return %r : f64
}

// Three values in the loop, of which the first stays: the others do not matter.
func.func private @growing(%x: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %half = arith.constant 0.5 : f64
  %quarter = arith.constant 0.25 : f64
  %n2 = arith.constant 2 : i64
  %n1 = arith.constant 1 : i64
  cf.br ^head(%n0, %x, %half, %quarter : i64, f64, f64, f64)
^head(%i: i64, %a: f64, %y: f64, %z: f64):
  %more = arith.cmpi slt, %i, %n2 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %b = arith.mulf %a, %a : f64
  %c = arith.addi %i, %n1 : i64
  %bb = arith.mulf %b, %b : f64
  cf.br ^head(%c, %a, %b, %bb : i64, f64, f64, f64)
^end:
  return %a : f64
}

// The bounds of the loop are the parameter.
func.func private @static_fori(%x: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %one = arith.constant 1.0 : f64
  %end = arith.addf %x, %two : f64
  cf.br ^head(%x : f64)
^head(%i: f64):
  %is_lt = arith.cmpf olt, %i, %end : f64
  cf.cond_br %is_lt, ^body, ^end
^body:
  %a = arith.addf %i, %one : f64
  cf.br ^head(%a : f64)
^end:
  return %x : f64
}
func.func private @while_add(%x: f64) -> f64 {
  %five = arith.constant 5.0 : f64
  %one = arith.constant 1.0 : f64
  cf.br ^head(%x : f64)
^head(%i: f64):
  %is_lt = arith.cmpf olt, %i, %five : f64
  cf.cond_br %is_lt, ^body, ^end
^body:
  %a = arith.addf %i, %one : f64
  cf.br ^head(%a : f64)
^end:
  return %i : f64
}
func.func private @fori_in_cond(%x: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %one = arith.constant 1.0 : f64
  %yes = arith.constant true
  cf.cond_br %yes, ^then, ^end(%x : f64)
^then:
  %last = arith.addf %x, %two : f64
  cf.br ^head(%x, %x : f64, f64)
^head(%i: f64, %c: f64):
  %is_lt = arith.cmpf olt, %i, %last : f64
  cf.cond_br %is_lt, ^body, ^end(%c : f64)
^body:
  %a = arith.addf %i, %one : f64
  %b = arith.mulf %c, %two : f64
  cf.br ^head(%a, %b : f64, f64)
^end(%r: f64):
  return %r : f64
}

// Only one of two values of the scan changes.
func.func private @scan_pair(%x: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f64
  %n3 = arith.constant 3 : i64
  %n1 = arith.constant 1 : i64
  %two = arith.constant 2.0 : f64
  cf.br ^head(%n0, %x, %zero : i64, f64, f64)
^head(%i: i64, %a: f64, %b: f64):
  %more = arith.cmpi slt, %i, %n3 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %c = arith.addi %i, %n1 : i64
  %twoa = arith.mulf %two, %a : f64
  cf.br ^head(%c, %twoa, %zero : i64, f64, f64)
^end:
  return %a : f64
}

// The sum of A x ten times: the vector is zero, so that its derivative is.
func.func private @matrix_power(%a: tensor<3x3xf64>) -> tensor<f64> {
  %n0 = arith.constant 0 : i64
  %n10 = arith.constant 10 : i64
  %n1 = arith.constant 1 : i64
  %start = tfx_tensor.const dense<[[0.0], [0.0], [0.0]]> : tensor<3x1xf64>
  cf.br ^head(%n0, %start : i64, tensor<3x1xf64>)
^head(%i: i64, %x: tensor<3x1xf64>):
  %more = arith.cmpi slt, %i, %n10 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %y = tfx_tensor.op "MatMul"(%a, %x) {transpose_a = false, transpose_b = false} : (tensor<3x3xf64>, tensor<3x1xf64>) -> tensor<3x1xf64>
  %b = arith.addi %i, %n1 : i64
  cf.br ^head(%b, %y : i64, tensor<3x1xf64>)
^end:
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %s = tfx_tensor.op "Sum"(%x, %axes) : (tensor<3x1xf64>, tensor<2xi32>) -> tensor<f64>
  return %s : tensor<f64>
}

// A scan with a state of two numbers: c' = sin(c * cos(sum sin c)), two steps.
func.func private @step(%c: tensor<2xf64>) -> tensor<2xf64> {
  %s = tfx_tensor.op "Sin"(%c) : (tensor<2xf64>) -> tensor<2xf64>
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %t = tfx_tensor.op "Sum"(%s, %axes) : (tensor<2xf64>, tensor<1xi32>) -> tensor<f64>
  %b = tfx_tensor.op "Cos"(%t) : (tensor<f64>) -> tensor<f64>
  %cb = tfx_tensor.op "Mul"(%c, %b) : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
  %r = tfx_tensor.op "Sin"(%cb) : (tensor<2xf64>) -> tensor<2xf64>
  return %r : tensor<2xf64>
}
func.func private @scan_grad(%c: tensor<2xf64>) -> tensor<f64> {
  %n0 = arith.constant 0 : i64
  %n2 = arith.constant 2 : i64
  %n1 = arith.constant 1 : i64
  cf.br ^head(%n0, %c : i64, tensor<2xf64>)
^head(%i: i64, %v: tensor<2xf64>):
  %more = arith.cmpi slt, %i, %n2 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %w = func.call @step(%v) : (tensor<2xf64>) -> tensor<2xf64>
  %a = arith.addi %i, %n1 : i64
  cf.br ^head(%a, %w : i64, tensor<2xf64>)
^end:
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %s = tfx_tensor.op "Sum"(%v, %axes) : (tensor<2xf64>, tensor<1xi32>) -> tensor<f64>
  return %s : tensor<f64>
}

// Sums from the left and from the right.
func.func private @scan_sum(%xs: tensor<6xf64>) -> tensor<6xf64> {
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %s = tfx_tensor.op "Cumsum"(%xs, %axis) : (tensor<6xf64>, tensor<i32>) -> tensor<6xf64>
  return %s : tensor<6xf64>
}
func.func private @scan_reverse(%xs: tensor<6xf64>) -> tensor<6xf64> {
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %s = tfx_tensor.op "Cumsum"(%xs, %axis) {reverse = true} : (tensor<6xf64>, tensor<i32>) -> tensor<6xf64>
  return %s : tensor<6xf64>
}

// Stopped gradients.
func.func private @stopped(%x: f64) -> f64 {
  %sin_x = math.sin %x : f64
  %a = tfx_ad.stop %x : f64
  %cos_a = math.cos %a : f64
  %b = arith.mulf %sin_x, %cos_a : f64
  return %b : f64
}
func.func private @stopped.grad(%x: f64) -> f64 {
  %d = tfx_ad.gradient @stopped(%x) wrt [0] : (f64) -> f64
  return %d : f64
}
tfx_host.struct @Foo {foo: f64}
func.func private @stopped_struct(%x: f64) -> f64 {
  %f = tfx_host.make_struct(%x) : (f64) -> !tfx_host.struct<@Foo>
  %s = tfx_ad.stop %f : !tfx_host.struct<@Foo>
  %foo = tfx_host.extract %s["foo"] : !tfx_host.struct<@Foo> -> f64
  return %foo : f64
}

func.func private @int_power(%x: f64, %n: i64) -> f64 {
  %y = math.fpowi %x, %n : f64, i64
  return %y : f64
}
func.func private @int_powers(%z: f64) -> f64 {
  %t = tfx_tensor.from_scalar %z : f64
  %n = tfx_tensor.const dense<[0.0, 1.0]> : tensor<2xf64>
  %p = tfx_tensor.op "Pow"(%t, %n) : (tensor<f64>, tensor<2xf64>) -> tensor<2xf64>
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %s = tfx_tensor.op "Sum"(%p, %axes) : (tensor<2xf64>, tensor<1xi32>) -> tensor<f64>
  %a = tfx_tensor.to_scalar %s : tensor<f64> -> f64
  return %a : f64
}
func.func private @power_zero(%z: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %a = math.powf %z, %zero : f64
  %b = arith.addf %a, %z : f64
  return %b : f64
}
func.func private @reciprocal(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %a = arith.divf %one, %x : f64
  return %a : f64
}
func.func private @reciprocal1(%x: f64) -> f64 {
  %d = tfx_ad.gradient @reciprocal(%x) wrt [0] : (f64) -> f64
  return %d : f64
}
func.func private @reciprocal2(%x: f64) -> f64 {
  %d = tfx_ad.gradient @reciprocal1(%x) wrt [0] : (f64) -> f64
  return %d : f64
}
func.func private @reciprocal3(%x: f64) -> f64 {
  %d = tfx_ad.gradient @reciprocal2(%x) wrt [0] : (f64) -> f64
  return %d : f64
}
func.func private @remainder(%x: f64, %y: f64) -> f64 {
  %a = arith.remf %x, %y : f64
  return %a : f64
}
func.func private @pow_tensor(%x: tensor<4xf64>) -> tensor<4xf64> {
  %two = tfx_tensor.const dense<2.0> : tensor<f64>
  %p = tfx_tensor.op "Pow"(%x, %two) : (tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
  return %p : tensor<4xf64>
}
func.func private @reverse(%x: tensor<4xf64>) -> tensor<4xf64> {
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %r = tfx_tensor.op "ReverseV2"(%x, %axes) : (tensor<4xf64>, tensor<1xi32>) -> tensor<4xf64>
  return %r : tensor<4xf64>
}

func.func public @main() {
  %c3_14 = arith.constant 3.14 : f64
  %c2_72 = arith.constant 2.72 : f64
  %cm0_7 = arith.constant -0.7 : f64
  %c1_7 = arith.constant 1.7 : f64
  %c3_7 = arith.constant 3.7 : f64
  %c2_14 = arith.constant 2.14 : f64
  %c1_72 = arith.constant 1.72 : f64
  %zero = arith.constant 0.0 : f64
  %c0_7 = arith.constant 0.7 : f64
  %c2_7 = arith.constant 2.7 : f64
  %c5_8 = arith.constant 5.8 : f64
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  %four = arith.constant 4.0 : f64
  %minus_one = arith.constant -1.0 : f64
  %c0_3 = arith.constant 0.3 : f64
  %three = arith.constant 3.0 : f64
  %n0 = arith.constant 0 : i64
  %c7_5 = arith.constant 7.5 : f64
  // Case: JAX, lax_control_flow_test.py, testCondJVP.
  // CHECK: {{^}}cond_jvp 3.14: {{(6\.28|6\.27999999[0-9]*|6\.28000000[0-9]*)}} {{(12\.56|12\.5599999[0-9]*|12\.5600000[0-9]*)}} {{(6\.28|6\.27999999[0-9]*|6\.28000000[0-9]*)}} {{(12\.56|12\.5599999[0-9]*|12\.5600000[0-9]*)}}{{$}}
  %y0.0, %y0.1, %t1.0, %t1.1 = tfx_ad.jvp @cond_jvp(%c3_14) tangents(%c3_14 : f64) wrt [0] : (f64) -> (f64, f64, f64, f64)
  tfx_host.print "cond_jvp 3.14: {} {} {} {}"(%y0.0, %y0.1, %t1.0, %t1.1) : f64, f64, f64, f64
  // CHECK-NEXT: {{^}}cond_jvp 2.72: 2.72 2.72 2.72 2.72{{$}}
  %y2.0, %y2.1, %t3.0, %t3.1 = tfx_ad.jvp @cond_jvp(%c2_72) tangents(%c2_72 : f64) wrt [0] : (f64) -> (f64, f64, f64, f64)
  tfx_host.print "cond_jvp 2.72: {} {} {} {}"(%y2.0, %y2.1, %t3.0, %t3.1) : f64, f64, f64, f64
  // Case: JAX, lax_control_flow_test.py, testSwitchJVP.
  // CHECK-NEXT: {{^}}switch_jvp -0.7: -0.7 -0.7 -0.7 -0.7{{$}}
  %y4.0, %y4.1, %t5.0, %t5.1 = tfx_ad.jvp @switch_jvp(%cm0_7) tangents(%cm0_7 : f64) wrt [0] : (f64) -> (f64, f64, f64, f64)
  tfx_host.print "switch_jvp -0.7: {} {} {} {}"(%y4.0, %y4.1, %t5.0, %t5.1) : f64, f64, f64, f64
  // CHECK-NEXT: {{^}}switch_jvp 1.7: 3.4 6.8 3.4 6.8{{$}}
  %y6.0, %y6.1, %t7.0, %t7.1 = tfx_ad.jvp @switch_jvp(%c1_7) tangents(%c1_7 : f64) wrt [0] : (f64) -> (f64, f64, f64, f64)
  tfx_host.print "switch_jvp 1.7: {} {} {} {}"(%y6.0, %y6.1, %t7.0, %t7.1) : f64, f64, f64, f64
  // CHECK-NEXT: {{^}}switch_jvp 3.7: 3.7 -3.7 3.7 -3.7{{$}}
  %y8.0, %y8.1, %t9.0, %t9.1 = tfx_ad.jvp @switch_jvp(%c3_7) tangents(%c3_7 : f64) wrt [0] : (f64) -> (f64, f64, f64, f64)
  tfx_host.print "switch_jvp 3.7: {} {} {} {}"(%y8.0, %y8.1, %t9.0, %t9.1) : f64, f64, f64, f64
  // Case: JAX, lax_control_flow_test.py, testCondJVP2.
  // CHECK-NEXT: {{^}}cond_constant forward 3.14: 6.28 6.28{{$}}
  %y10, %t11 = tfx_ad.jvp @cond_constant(%c3_14) tangents(%c3_14 : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "cond_constant forward 3.14: {} {}"(%y10, %t11) : f64, f64
  // CHECK-NEXT: {{^}}cond_constant forward 2.72: 2.0 0.0{{$}}
  %y12, %t13 = tfx_ad.jvp @cond_constant(%c2_72) tangents(%c2_72 : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "cond_constant forward 2.72: {} {}"(%y12, %t13) : f64, f64
  // Case: JAX, lax_control_flow_test.py, testCondGrad.
  // CHECK-NEXT: {{^}}cond_sin 2.14: -{{0\.538961449[0-9]*}}{{$}}
  %d14 = tfx_ad.gradient @cond_sin(%c2_14) wrt [0] : (f64) -> f64
  tfx_host.print "cond_sin 2.14: {}"(%d14) : f64
  // CHECK-NEXT: {{^}}cond_sin 1.72: 3.0{{$}}
  %d15 = tfx_ad.gradient @cond_sin(%c1_72) wrt [0] : (f64) -> f64
  tfx_host.print "cond_sin 1.72: {}"(%d15) : f64
  // Case: JAX, lax_control_flow_test.py, testCondGradVmapNan.
  // CHECK-NEXT: {{^}}safe: 0.0{{$}}
  %d16 = tfx_ad.gradient @safe(%zero) wrt [0] : (f64) -> f64
  tfx_host.print "safe: {}"(%d16) : f64
  // CHECK-NEXT: {{^}}safe_selected: 0.0{{$}}
  %d17 = tfx_ad.gradient @safe_selected(%zero) wrt [0] : (f64) -> f64
  tfx_host.print "safe_selected: {}"(%d17) : f64
  // Case: JAX, lax_control_flow_test.py, testSwitchGrad.
  // CHECK-NEXT: {{^}}switch_grad -0.7: 3.0{{$}}
  %d18 = tfx_ad.gradient @switch_grad(%cm0_7) wrt [0] : (f64) -> f64
  tfx_host.print "switch_grad -0.7: {}"(%d18) : f64
  // CHECK-NEXT: {{^}}switch_grad 0.7: 3.0{{$}}
  %d19 = tfx_ad.gradient @switch_grad(%c0_7) wrt [0] : (f64) -> f64
  tfx_host.print "switch_grad 0.7: {}"(%d19) : f64
  // CHECK-NEXT: {{^}}switch_grad 1.7: -{{0\.128844494[0-9]*}}{{$}}
  %d20 = tfx_ad.gradient @switch_grad(%c1_7) wrt [0] : (f64) -> f64
  tfx_host.print "switch_grad 1.7: {}"(%d20) : f64
  // CHECK-NEXT: {{^}}switch_grad 2.7: -1.0{{$}}
  %d21 = tfx_ad.gradient @switch_grad(%c2_7) wrt [0] : (f64) -> f64
  tfx_host.print "switch_grad 2.7: {}"(%d21) : f64
  // CHECK-NEXT: {{^}}switch_grad 3.7: -1.0{{$}}
  %d22 = tfx_ad.gradient @switch_grad(%c3_7) wrt [0] : (f64) -> f64
  tfx_host.print "switch_grad 3.7: {}"(%d22) : f64
  // Case: JAX, lax_control_flow_test.py, testCondGrad2.
  // CHECK-NEXT: {{^}}cond_tensor 2.14: {{\[ *}}-{{0\.538961449[0-9]*}} -{{0\.538961449[0-9]*}}{{ *}}]{{$}}
  %a = tfx_tensor.const dense<[2.14, 2.14]> : tensor<2xf64>
  %d23 = tfx_ad.gradient @cond_tensor(%a) wrt [0] : (tensor<2xf64>) -> tensor<2xf64>
  tfx_host.print "cond_tensor 2.14: {}"(%d23) : tensor<2xf64>
  // CHECK-NEXT: {{^}}cond_tensor 1.72: {{\[ *}}1. 2.{{ *}}]{{$}}
  %b = tfx_tensor.const dense<[1.72, 1.72]> : tensor<2xf64>
  %d24 = tfx_ad.gradient @cond_tensor(%b) wrt [0] : (tensor<2xf64>) -> tensor<2xf64>
  tfx_host.print "cond_tensor 1.72: {}"(%d24) : tensor<2xf64>
  // Case: JAX, lax_control_flow_test.py, testCondGrad3.
  // CHECK-NEXT: {{^}}cond_constant 3.14: 2.0{{$}}
  %d25 = tfx_ad.gradient @cond_constant(%c3_14) wrt [0] : (f64) -> f64
  tfx_host.print "cond_constant 3.14: {}"(%d25) : f64
  // CHECK-NEXT: {{^}}cond_constant 2.72: 0.0{{$}}
  %d26 = tfx_ad.gradient @cond_constant(%c2_72) wrt [0] : (f64) -> f64
  tfx_host.print "cond_constant 2.72: {}"(%d26) : f64
  // Case: JAX, lax_control_flow_test.py, testCondGrad4.
  // CHECK-NEXT: {{^}}cond_two 3.14: 0.0{{$}}
  %d27 = tfx_ad.gradient @cond_two(%c3_14, %c5_8) wrt [1] : (f64, f64) -> f64
  tfx_host.print "cond_two 3.14: {}"(%d27) : f64
  // CHECK-NEXT: {{^}}cond_two 2.72: {{1\.77103903[0-9]*}}{{$}}
  %d28 = tfx_ad.gradient @cond_two(%c2_72, %c5_8) wrt [1] : (f64, f64) -> f64
  tfx_host.print "cond_two 2.72: {}"(%d28) : f64
  // Case: JAX, lax_control_flow_test.py, testCondLinearize.
  // CHECK-NEXT: {{^}}cond_sin forward 1: 3.0 6.0{{$}}
  %y29, %t30 = tfx_ad.jvp @cond_sin(%one) tangents(%two : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "cond_sin forward 1: {} {}"(%y29, %t30) : f64, f64
  // CHECK-NEXT: {{^}}cond_sin forward 4: -{{0\.756802495[0-9]*}} -{{1\.30728724[0-9]*}}{{$}}
  %y31, %t32 = tfx_ad.jvp @cond_sin(%four) tangents(%two : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "cond_sin forward 4: {} {}"(%y31, %t32) : f64, f64
  // Case: JAX, lax_control_flow_test.py, testSwitchLinearize.
  // CHECK-NEXT: {{^}}switch_grad forward -1: -3.0 6.0{{$}}
  %y33, %t34 = tfx_ad.jvp @switch_grad(%minus_one) tangents(%two : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "switch_grad forward -1: {} {}"(%y33, %t34) : f64, f64
  // CHECK-NEXT: {{^}}switch_grad forward 0: 0.0 6.0{{$}}
  %y35, %t36 = tfx_ad.jvp @switch_grad(%zero) tangents(%two : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "switch_grad forward 0: {} {}"(%y35, %t36) : f64, f64
  // CHECK-NEXT: {{^}}switch_grad forward 1: {{0\.841470984[0-9]*}} {{1\.08060461[0-9]*}}{{$}}
  %y37, %t38 = tfx_ad.jvp @switch_grad(%one) tangents(%two : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "switch_grad forward 1: {} {}"(%y37, %t38) : f64, f64
  // CHECK-NEXT: {{^}}switch_grad forward 2: -2.0 -2.0{{$}}
  %y39, %t40 = tfx_ad.jvp @switch_grad(%two) tangents(%two : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "switch_grad forward 2: {} {}"(%y39, %t40) : f64, f64
  // Case: JAX, lax_control_flow_test.py, testWhileJVP.
  // CHECK-NEXT: {{^}}while_square forward: {{\[ *}}0. 1. 16.{{ *}}] {{\[ *}}0. 4. 64.{{ *}}]{{$}}
  %c = tfx_tensor.const dense<[0.0, 1.0, 2.0]> : tensor<3xf64>
  %y41, %t42 = tfx_ad.jvp @while_square(%c) tangents(%c : tensor<3xf64>) wrt [0] : (tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  tfx_host.print "while_square forward: {} {}"(%y41, %t42) : tensor<3xf64>, tensor<3xf64>
  // Case: JAX, lax_control_flow_test.py, testWhileLinearize, also in reverse mode, which JAX does
  // not have for this loop.
  // CHECK-NEXT: {{^}}while_square: {{\[ *}}0. 4. 32.{{ *}}]{{$}}
  %y43, %pullback43 = tfx_ad.vjp @while_square(%c) wrt [0] : (tensor<3xf64>) -> (tensor<3xf64>, !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>)
  %d = tfx_tensor.const dense<[1.0, 1.0, 1.0]> : tensor<3xf64>
  %d44 = tfx_host.apply %pullback43(%d) : !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>
  tfx_host.print "while_square: {}"(%d44) : tensor<3xf64>
  // Case: JAX, lax_control_flow_test.py, testWhileJVPViaForiLoop.
  // CHECK-NEXT: {{^}}fori_double: 16.0 8.0{{$}}
  %y45, %t46 = tfx_ad.jvp @fori_double(%two) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "fori_double: {} {}"(%y45, %t46) : f64, f64
  // CHECK-NEXT: {{^}}fori_factorial: 12.0 6.0{{$}}
  %y47, %t48 = tfx_ad.jvp @fori_factorial(%two) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "fori_factorial: {} {}"(%y47, %t48) : f64, f64
  // Case: JAX, lax_control_flow_test.py, testWhileJVPWithGrowingNonzeroTangents.
  // CHECK-NEXT: {{^}}growing: 0.3 0.3{{$}}
  %y49, %t50 = tfx_ad.jvp @growing(%c0_3) tangents(%c0_3 : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "growing: {} {}"(%y49, %t50) : f64, f64
  // Case: JAX, lax_control_flow_test.py, testStaticForiGrad.
  // CHECK-NEXT: {{^}}static_fori: 1.0{{$}}
  %d51 = tfx_ad.gradient @static_fori(%one) wrt [0] : (f64) -> f64
  tfx_host.print "static_fori: {}"(%d51) : f64
  // Case: JAX, lax_control_flow_test.py, testWhileGradError, which is an error in JAX.
  // CHECK-NEXT: {{^}}while_add: 1.0{{$}}
  %d52 = tfx_ad.gradient @while_add(%one) wrt [0] : (f64) -> f64
  tfx_host.print "while_add: {}"(%d52) : f64
  // CHECK-NEXT: {{^}}fori_in_cond: 4.0{{$}}
  %d53 = tfx_ad.gradient @fori_in_cond(%one) wrt [0] : (f64) -> f64
  tfx_host.print "fori_in_cond: {}"(%d53) : f64
  // Case: JAX, lax_control_flow_test.py, testIssue1361.
  // CHECK-NEXT: {{^}}scan_pair: 8.0{{$}}
  %d54 = tfx_ad.gradient @scan_pair(%zero) wrt [0] : (f64) -> f64
  tfx_host.print "scan_pair: {}"(%d54) : f64
  // Case: JAX, lax_control_flow_test.py, testIssue810.
  // CHECK-NEXT: {{^}}matrix_power: {{\[\[ *}}0. 0. 0.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}0. 0. 0.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}0. 0. 0.{{ *}}]]{{$}}
  %e = tfx_tensor.const dense<[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]> : tensor<3x3xf64>
  %d55 = tfx_ad.gradient @matrix_power(%e) wrt [0] : (tensor<3x3xf64>) -> tensor<3x3xf64>
  tfx_host.print "matrix_power: {}"(%d55) : tensor<3x3xf64>
  // Case: JAX, lax_control_flow_test.py, testScanGrad, for a smaller step, with dual numbers in
  // Python.
  // CHECK-NEXT: {{^}}scan_grad: {{\[ *}}{{0\.891824803[0-9]*}} {{0\.937099882[0-9]*}}{{ *}}]{{$}}
  %f = tfx_tensor.const dense<[0.3, -0.2]> : tensor<2xf64>
  %d56 = tfx_ad.gradient @scan_grad(%f) wrt [0] : (tensor<2xf64>) -> tensor<2xf64>
  tfx_host.print "scan_grad: {}"(%d56) : tensor<2xf64>
  // Case: JAX, lax_control_flow_test.py, test_scan_reverse, with pullbacks.
  // CHECK-NEXT: {{^}}scan_sum: {{\[ *}}1. 1. 1. 0. 0. 0.{{ *}}]{{$}}
  %g = tfx_tensor.const dense<[3.0, 1.0, 4.0, 1.0, 5.0, 9.0]> : tensor<6xf64>
  %y57, %pullback57 = tfx_ad.vjp @scan_sum(%g) wrt [0] : (tensor<6xf64>) -> (tensor<6xf64>, !tfx_host.closure<(tensor<6xf64>) -> tensor<6xf64>>)
  %h = tfx_tensor.const dense<[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]> : tensor<6xf64>
  %d58 = tfx_host.apply %pullback57(%h) : !tfx_host.closure<(tensor<6xf64>) -> tensor<6xf64>>
  tfx_host.print "scan_sum: {}"(%d58) : tensor<6xf64>
  // CHECK-NEXT: {{^}}scan_reverse: {{\[ *}}0. 0. 1. 1. 1. 1.{{ *}}]{{$}}
  %y59, %pullback59 = tfx_ad.vjp @scan_reverse(%g) wrt [0] : (tensor<6xf64>) -> (tensor<6xf64>, !tfx_host.closure<(tensor<6xf64>) -> tensor<6xf64>>)
  %d60 = tfx_host.apply %pullback59(%h) : !tfx_host.closure<(tensor<6xf64>) -> tensor<6xf64>>
  tfx_host.print "scan_reverse: {}"(%d60) : tensor<6xf64>
  // Case: JAX, lax_autodiff_test.py, testStopGradient.
  // CHECK-NEXT: {{^}}stopped: {{0\.999997463[0-9]*}}{{$}}
  %d61 = tfx_ad.gradient @stopped(%c3_14) wrt [0] : (f64) -> f64
  tfx_host.print "stopped: {}"(%d61) : f64
  // CHECK-NEXT: {{^}}stopped second: {{0\.00159265089[0-9]*}}{{$}}
  %d62 = tfx_ad.gradient @stopped.grad(%c3_14) wrt [0] : (f64) -> f64
  tfx_host.print "stopped second: {}"(%d62) : f64
  // CHECK-NEXT: {{^}}stopped_struct: 0.0{{$}}
  %d63 = tfx_ad.gradient @stopped_struct(%three) wrt [0] : (f64) -> f64
  tfx_host.print "stopped_struct: {}"(%d63) : f64
  // Case: JAX, lax_autodiff_test.py, testPowIntPowerAtZero.
  // CHECK-NEXT: {{^}}int_power: 0.0{{$}}
  %d64 = tfx_ad.gradient @int_power(%zero, %n0) wrt [0] : (f64, i64) -> f64
  tfx_host.print "int_power: {}"(%d64) : f64
  // Case: JAX, lax_autodiff_test.py, testPowIntPowerAtZero2.
  // CHECK-NEXT: {{^}}int_powers: 1.0{{$}}
  %d65 = tfx_ad.gradient @int_powers(%c3_14) wrt [0] : (f64) -> f64
  tfx_host.print "int_powers: {}"(%d65) : f64
  // CHECK-NEXT: {{^}}power_zero: 1.0{{$}}
  %d66 = tfx_ad.gradient @power_zero(%c3_14) wrt [0] : (f64) -> f64
  tfx_host.print "power_zero: {}"(%d66) : f64
  // Case: JAX, lax_autodiff_test.py, testPowShapeMismatch.
  // CHECK-NEXT: {{^}}pow_tensor: {{\[ *}}0. 2. 4. 6.{{ *}}]{{$}}
  %i = tfx_tensor.const dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf64>
  %y67, %pullback67 = tfx_ad.vjp @pow_tensor(%i) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %j = tfx_tensor.const dense<[1.0, 1.0, 1.0, 1.0]> : tensor<4xf64>
  %d68 = tfx_host.apply %pullback67(%j) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "pow_tensor: {}"(%d68) : tensor<4xf64>
  // Case: JAX, lax_autodiff_test.py, testHigherOrderGradientOfReciprocal.
  // CHECK-NEXT: {{^}}reciprocal3: 0.75{{$}}
  %d69 = tfx_ad.gradient @reciprocal3(%two) wrt [0] : (f64) -> f64
  tfx_host.print "reciprocal3: {}"(%d69) : f64
  // Case: JAX, lax_autodiff_test.py, testRemainder, with the closed form.
  // CHECK-NEXT: {{^}}remainder: 1.0 -3.0{{$}}
  %d70.0, %d70.1 = tfx_ad.gradient @remainder(%c7_5, %two) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "remainder: {} {}"(%d70.0, %d70.1) : f64, f64
  // Case: JAX, lax_autodiff_test.py, testReverseGrad.
  // CHECK-NEXT: {{^}}reverse: {{\[ *}}4. 3. 2. 1.{{ *}}]{{$}}
  %k = tfx_tensor.const dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf64>
  %y71, %pullback71 = tfx_ad.vjp @reverse(%k) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d72 = tfx_host.apply %pullback71(%k) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "reverse: {}"(%d72) : tensor<4xf64>
  return
}
