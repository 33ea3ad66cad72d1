// Scalars, branches, loops, and arrays that change in loops.
// Futhark, tests/ad. A case names its file. Arrays, also those of integers, are tensors of f64. A
// row of a Jacobian is a pullback, a column is a tangent.
//
// RUN: tfxc run %s | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow | FileCheck %s %}

func.func private @fadd(%x: f64, %y: f64) -> f64 {
  %a = arith.addf %x, %y : f64
  return %a : f64
}
func.func private @fmul(%x: f64, %y: f64) -> f64 {
  %xy = arith.mulf %x, %y : f64
  return %xy : f64
}
func.func private @fdiv(%x: f64, %y: f64) -> f64 {
  %a = arith.divf %x, %y : f64
  return %a : f64
}
func.func private @negate(%x: f64) -> f64 {
  %minus_x = arith.negf %x : f64
  return %minus_x : f64
}
func.func private @conv(%x: f64) -> f32 {
  %y = arith.truncf %x : f64 to f32
  return %y : f32
}

// A comparison has no derivative.
func.func private @cmp(%a: f64, %b: f64) -> f64 {
  %eq = arith.cmpf oeq, %a, %b : f64
  %i = arith.extui %eq : i1 to i64
  %f = arith.sitofp %i : i64 to f64
  return %f : f64
}
func.func private @ceiling(%x: f64) -> f64 {
  %ceil_x = math.ceil %x : f64
  return %ceil_x : f64
}
func.func private @if0(%b: i1, %x: f64, %y: f64) -> f64 {
  cf.cond_br %b, ^then, ^else
^then:
  %xy = arith.mulf %x, %y : f64
  return %xy : f64
^else:
  %a = arith.divf %x, %y : f64
  return %a : f64
}
func.func private @if1(%b: i1, %x: f64) -> f64 {
  cf.cond_br %b, ^then, ^end(%x : f64)
^then:
  %xx = arith.mulf %x, %x : f64
  cf.br ^end(%xx : f64)
^end(%y: f64):
  %a = arith.addf %y, %x : f64
  return %a : f64
}
func.func private @element(%t: tensor<3xf64>, %i: i64) -> f64 {
  %at = tfx_tensor.from_scalar %i : i64
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %e = tfx_tensor.op "GatherV2"(%t, %at, %axis) : (tensor<3xf64>, tensor<i64>, tensor<i32>) -> tensor<f64>
  %a = tfx_tensor.to_scalar %e : tensor<f64> -> f64
  return %a : f64
}
func.func private @if2(%x: tensor<3xf64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %n0 = arith.constant 0 : i64
  %n1 = arith.constant 1 : i64
  %n2 = arith.constant 2 : i64
  %first = func.call @element(%x, %n0) : (tensor<3xf64>, i64) -> f64
  %is_lt = arith.cmpf olt, %first, %zero : f64
  cf.cond_br %is_lt, ^then, ^else
^then:
  cf.br ^end(%first : f64)
^else:
  %element_x = func.call @element(%x, %n1) : (tensor<3xf64>, i64) -> f64
  cf.br ^end(%element_x : f64)
^end(%z: f64):
  %a = func.call @element(%x, %n2) : (tensor<3xf64>, i64) -> f64
  %az = arith.mulf %a, %z : f64
  return %az : f64
}

// x^y by for and by while.
func.func private @for0(%y: i64, %x: f64) -> f64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %start = arith.constant 1.0 : f64
  %r = scf.for %i = %c0 to %y step %c1 iter_args(%acc = %start) -> (f64) : i64 {
    %accx = arith.mulf %acc, %x : f64
    scf.yield %accx : f64
  }
  return %r : f64
}
func.func private @while1(%y: i64, %x: f64) -> f64 {
  %n1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i64
  %start = arith.constant 1.0 : f64
  %i:2 = scf.while (%k = %c0, %acc = %start) : (i64, f64) -> (i64, f64) {
    %more = arith.cmpi slt, %k, %y : i64
    scf.condition(%more) %k, %acc : i64, f64
  } do {
  ^bb0(%k: i64, %acc: f64):
    %next = arith.addi %k, %n1 : i64
    %product = arith.mulf %acc, %x : f64
    scf.yield %next, %product : i64, f64
  }
  return %i#1 : f64
}

// The iterations multiply by x * y and by x * y^2: x^2 y^3.
func.func private @fwd_for1(%y: f64, %x: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %one = arith.constant 1.0 : f64
  %n2 = arith.constant 2 : i64
  %n1 = arith.constant 1 : i64
  cf.br ^head(%n0, %one : i64, f64)
^head(%i: i64, %acc: f64):
  %more = arith.cmpi slt, %i, %n2 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %is_eq = arith.cmpi eq, %i, %n0 : i64
  %yy = arith.mulf %y, %y : f64
  %n = arith.select %is_eq, %y, %yy : f64
  %a = arith.addi %i, %n1 : i64
  %accx = arith.mulf %acc, %x : f64
  %b = arith.mulf %accx, %n : f64
  cf.br ^head(%a, %b : i64, f64)
^end:
  return %acc : f64
}
func.func private @for1(%y: i64, %xs: tensor<3xf64>) -> tensor<3xf64> {
  %n0 = arith.constant 0 : i64
  %n1 = arith.constant 1 : i64
  %ones = tfx_tensor.const dense<[1.0, 1.0, 1.0]> : tensor<3xf64>
  cf.br ^head(%n0, %ones : i64, tensor<3xf64>)
^head(%i: i64, %acc: tensor<3xf64>):
  %more = arith.cmpi slt, %i, %y : i64
  cf.cond_br %more, ^body, ^end
^body:
  %next = tfx_tensor.op "Mul"(%acc, %xs) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %a = arith.addi %i, %n1 : i64
  cf.br ^head(%a, %next : i64, tensor<3xf64>)
^end:
  return %acc : tensor<3xf64>
}

// Only the last element counts.
func.func private @for2(%xs: tensor<3xf64>) -> f64 {
  %n0 = arith.constant 0 : i64
  %one = arith.constant 1.0 : f64
  %n3 = arith.constant 3 : i64
  %n1 = arith.constant 1 : i64
  cf.br ^head(%n0, %one : i64, f64)
^head(%i: i64, %r: f64):
  %more = arith.cmpi slt, %i, %n3 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %x = func.call @element(%xs, %i) : (tensor<3xf64>, i64) -> f64
  %a = arith.addi %i, %n1 : i64
  %xx = arith.mulf %x, %x : f64
  cf.br ^head(%a, %xx : i64, f64)
^end:
  return %r : f64
}

// The elements are squared one by one, in place.
func.func private @for3(%xs: tensor<5xf64>) -> tensor<5xf64> {
  %n0 = arith.constant 0 : i64
  %n5 = arith.constant 5 : i64
  %n1 = arith.constant 1 : i64
  cf.br ^head(%n0, %xs : i64, tensor<5xf64>)
^head(%i: i64, %v: tensor<5xf64>):
  %more = arith.cmpi slt, %i, %n5 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %at = tfx_tensor.from_scalar %i : i64
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %a = tfx_tensor.op "GatherV2"(%v, %at, %axis) : (tensor<5xf64>, tensor<i64>, tensor<i32>) -> tensor<f64>
  %aa = tfx_tensor.op "Mul"(%a, %a) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %shape1 = tfx_tensor.const dense<[1, 1]> : tensor<2xi32>
  %index = tfx_tensor.op "Reshape"(%at, %shape1) : (tensor<i64>, tensor<2xi32>) -> tensor<1x1xi64>
  %shape2 = tfx_tensor.const dense<[1]> : tensor<1xi32>
  %update = tfx_tensor.op "Reshape"(%aa, %shape2) : (tensor<f64>, tensor<1xi32>) -> tensor<1xf64>
  %w = tfx_tensor.op "TensorScatterUpdate"(%v, %index, %update) : (tensor<5xf64>, tensor<1x1xi64>, tensor<1xf64>) -> tensor<5xf64>
  %b = arith.addi %i, %n1 : i64
  cf.br ^head(%b, %w : i64, tensor<5xf64>)
^end:
  return %v : tensor<5xf64>
}

// Each element is the square of the one before.
func.func private @truedep(%xs: tensor<5xf64>) -> tensor<5xf64> {
  %n0 = arith.constant 0 : i64
  %n4 = arith.constant 4 : i64
  %n1 = arith.constant 1 : i64
  cf.br ^head(%n0, %xs : i64, tensor<5xf64>)
^head(%i: i64, %v: tensor<5xf64>):
  %more = arith.cmpi slt, %i, %n4 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %j = arith.addi %i, %n1 : i64
  %at = tfx_tensor.from_scalar %i : i64
  %to = tfx_tensor.from_scalar %j : i64
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %a = tfx_tensor.op "GatherV2"(%v, %at, %axis) : (tensor<5xf64>, tensor<i64>, tensor<i32>) -> tensor<f64>
  %aa = tfx_tensor.op "Mul"(%a, %a) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %shape1 = tfx_tensor.const dense<[1, 1]> : tensor<2xi32>
  %index = tfx_tensor.op "Reshape"(%to, %shape1) : (tensor<i64>, tensor<2xi32>) -> tensor<1x1xi64>
  %shape2 = tfx_tensor.const dense<[1]> : tensor<1xi32>
  %update = tfx_tensor.op "Reshape"(%aa, %shape2) : (tensor<f64>, tensor<1xi32>) -> tensor<1xf64>
  %w = tfx_tensor.op "TensorScatterUpdate"(%v, %index, %update) : (tensor<5xf64>, tensor<1x1xi64>, tensor<1xf64>) -> tensor<5xf64>
  cf.br ^head(%j, %w : i64, tensor<5xf64>)
^end:
  return %v : tensor<5xf64>
}

// Two arrays in a loop.
func.func private @issue1604(%xs: tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>) {
  %n0 = arith.constant 0 : i64
  %n3 = arith.constant 3 : i64
  %n1 = arith.constant 1 : i64
  %one = tfx_tensor.const dense<1.0> : tensor<f64>
  %two = tfx_tensor.const dense<2.0> : tensor<f64>
  cf.br ^head(%n0, %xs, %xs : i64, tensor<3xf64>, tensor<3xf64>)
^head(%i: i64, %b: tensor<3xf64>, %a: tensor<3xf64>):
  %more = arith.cmpi slt, %i, %n3 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %c = tfx_tensor.op "AddV2"(%b, %one) : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
  %d = tfx_tensor.op "Mul"(%a, %two) : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
  %e = arith.addi %i, %n1 : i64
  cf.br ^head(%e, %c, %d : i64, tensor<3xf64>, tensor<3xf64>)
^end:
  return %b, %a : tensor<3xf64>, tensor<3xf64>
}

// An element that is overwritten by a constant has no influence.
func.func private @consume0(%xs: tensor<3xf64>) -> tensor<3xf64> {
  %index = tfx_tensor.const dense<[[0]]> : tensor<1x1xi32>
  %zero = tfx_tensor.const dense<[0.0]> : tensor<1xf64>
  %y = tfx_tensor.op "TensorScatterUpdate"(%xs, %index, %zero) : (tensor<3xf64>, tensor<1x1xi32>, tensor<1xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}
func.func private @consume1(%b: i1, %xs: tensor<3xf64>) -> tensor<3xf64> {
  cf.cond_br %b, ^then, ^end(%xs : tensor<3xf64>)
^then:
  %index = tfx_tensor.const dense<[[0]]> : tensor<1x1xi32>
  %zero = tfx_tensor.const dense<[0.0]> : tensor<1xf64>
  %y = tfx_tensor.op "TensorScatterUpdate"(%xs, %index, %zero) : (tensor<3xf64>, tensor<1x1xi32>, tensor<1xf64>) -> tensor<3xf64>
  cf.br ^end(%y : tensor<3xf64>)
^end(%r: tensor<3xf64>):
  return %r : tensor<3xf64>
}
func.func private @consume4(%xs: tensor<3xf64>) -> tensor<3xf64> {
  %two = tfx_tensor.const dense<2.0> : tensor<f64>
  %doubled = tfx_tensor.op "Mul"(%xs, %two) : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
  %at = tfx_tensor.const dense<[1]> : tensor<1xi32>
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %e = tfx_tensor.op "GatherV2"(%doubled, %at, %axis) : (tensor<3xf64>, tensor<1xi32>, tensor<i32>) -> tensor<1xf64>
  %index = tfx_tensor.const dense<[[1]]> : tensor<1x1xi32>
  %y = tfx_tensor.op "TensorScatterUpdate"(%xs, %index, %e) : (tensor<3xf64>, tensor<1x1xi32>, tensor<1xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}
func.func private @consume5(%xs: tensor<3xf64>) -> tensor<3xf64> {
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %s = tfx_tensor.op "Sum"(%xs, %axes) {keep_dims = true} : (tensor<3xf64>, tensor<1xi32>) -> tensor<1xf64>
  %index = tfx_tensor.const dense<[[1]]> : tensor<1x1xi32>
  %y = tfx_tensor.op "TensorScatterUpdate"(%xs, %index, %s) : (tensor<3xf64>, tensor<1x1xi32>, tensor<1xf64>) -> tensor<3xf64>
  %two = tfx_tensor.const dense<2.0> : tensor<f64>
  %z = tfx_tensor.op "Mul"(%y, %two) : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
  return %z : tensor<3xf64>
}

// Second and third order by pullbacks of pullbacks.
func.func private @fourth(%xs: tensor<3xf64>) -> tensor<3xf64> {
  %s = tfx_tensor.op "Mul"(%xs, %xs) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %y = tfx_tensor.op "Mul"(%s, %s) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}
func.func private @fourth1(%xs: tensor<3xf64>) -> tensor<3xf64> {
  %ones = tfx_tensor.const dense<[1.0, 1.0, 1.0]> : tensor<3xf64>
  %y, %p = tfx_ad.vjp @fourth(%xs) wrt [0] : (tensor<3xf64>) -> (tensor<3xf64>, !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>)
  %d = tfx_host.apply %p(%ones) : !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>
  return %d : tensor<3xf64>
}
func.func private @fourth2(%xs: tensor<3xf64>) -> tensor<3xf64> {
  %ones = tfx_tensor.const dense<[1.0, 1.0, 1.0]> : tensor<3xf64>
  %y, %p = tfx_ad.vjp @fourth1(%xs) wrt [0] : (tensor<3xf64>) -> (tensor<3xf64>, !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>)
  %d = tfx_host.apply %p(%ones) : !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>
  return %d : tensor<3xf64>
}
func.func private @cubes_at(%xs: tensor<3xf64>, %at: tensor<3xi32>) -> tensor<3xf64> {
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %g = tfx_tensor.op "GatherV2"(%xs, %at, %axis) : (tensor<3xf64>, tensor<3xi32>, tensor<i32>) -> tensor<3xf64>
  %gg = tfx_tensor.op "Mul"(%g, %g) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %ggg = tfx_tensor.op "Mul"(%gg, %g) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %ggg : tensor<3xf64>
}
func.func private @cubes_at1(%xs: tensor<3xf64>, %at: tensor<3xi32>) -> tensor<3xf64> {
  %ones = tfx_tensor.const dense<[1.0, 1.0, 1.0]> : tensor<3xf64>
  %y, %p = tfx_ad.vjp @cubes_at(%xs, %at) wrt [0] : (tensor<3xf64>, tensor<3xi32>) -> (tensor<3xf64>, !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>)
  %d = tfx_host.apply %p(%ones) : !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>
  return %d : tensor<3xf64>
}

// The gradient of the sum of the products of each row with a vector, by both.
func.func private @rows(%xss: tensor<3x3xf64>, %ys: tensor<3xf64>) -> tensor<f64> {
  %p = tfx_tensor.op "Mul"(%xss, %ys) : (tensor<3x3xf64>, tensor<3xf64>) -> tensor<3x3xf64>
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %s = tfx_tensor.op "Sum"(%p, %axes) : (tensor<3x3xf64>, tensor<2xi32>) -> tensor<f64>
  return %s : tensor<f64>
}
func.func private @rows1(%xss: tensor<3x3xf64>, %ys: tensor<3xf64>) -> (tensor<3x3xf64>, tensor<3xf64>) {
  %dx, %dy = tfx_ad.gradient @rows(%xss, %ys) wrt [0, 1] : (tensor<3x3xf64>, tensor<3xf64>) -> (tensor<3x3xf64>, tensor<3xf64>)
  return %dx, %dy : tensor<3x3xf64>, tensor<3xf64>
}

// Perturbation confusion.
func.func private @times(%x: f64, %y: f64) -> f64 {
  %xy = arith.mulf %x, %y : f64
  return %xy : f64
}
func.func private @confusion(%x: f64, %y: f64) -> f64 {
  %d = tfx_ad.gradient @times(%y, %x) wrt [0] : (f64, f64) -> f64
  return %d : f64
}
func.func private @power(%x: f64, %y: f64) -> f64 {
  %a = math.powf %x, %y : f64
  return %a : f64
}

// Griewank's lighthouse.
func.func private @lighthouse(%nu: f64, %gamma: f64, %omega: f64, %t: f64) -> (f64, f64) {
  %a = arith.mulf %omega, %t : f64
  %w = math.tan %a : f64
  %v = arith.subf %gamma, %w : f64
  %nuw = arith.mulf %nu, %w : f64
  %b = arith.divf %nuw, %v : f64
  %c = arith.mulf %gamma, %nu : f64
  %cw = arith.mulf %c, %w : f64
  %d = arith.divf %cw, %v : f64
  return %b, %d : f64, f64
}

func.func public @main() {
  %five = arith.constant 5.0 : f64
  %seven = arith.constant 7.0 : f64
  %one = arith.constant 1.0 : f64
  %zero = arith.constant 0.0 : f64
  %three = arith.constant 3.0 : f64
  %one_ = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f64
  %n3 = arith.constant 3 : i64
  %four = arith.constant 4.0 : f64
  %n9 = arith.constant 9 : i64
  %n1000000 = arith.constant 1000000 : i64
  %nine = arith.constant 9.0 : f64
  %c1_5 = arith.constant 1.5 : f64
  %c0_4 = arith.constant 0.4 : f64
  %c2_1 = arith.constant 2.1 : f64
  %yes = arith.constant true
  %no = arith.constant false
  // Case: Futhark, fadd.fut.
  // CHECK: {{^}}fadd: 1.0 1.0{{$}}
  %d0.0, %d0.1 = tfx_ad.gradient @fadd(%five, %seven) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "fadd: {} {}"(%d0.0, %d0.1) : f64, f64
  // Case: Futhark, fmul.fut.
  // CHECK-NEXT: {{^}}fmul: 7.0 5.0{{$}}
  %d1.0, %d1.1 = tfx_ad.gradient @fmul(%five, %seven) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "fmul: {} {}"(%d1.0, %d1.1) : f64, f64
  // CHECK-NEXT: {{^}}forward fmul: 35.0 7.0{{$}}
  %y2, %t3 = tfx_ad.jvp @fmul(%five, %seven) tangents(%one, %zero : f64, f64) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "forward fmul: {} {}"(%y2, %t3) : f64, f64
  // Case: Futhark, fdiv.fut.
  // CHECK-NEXT: {{^}}fdiv: {{0\.142857142[0-9]*}} -{{0\.102040816[0-9]*}}{{$}}
  %d4.0, %d4.1 = tfx_ad.gradient @fdiv(%five, %seven) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "fdiv: {} {}"(%d4.0, %d4.1) : f64, f64
  // Case: Futhark, negate.fut.
  // CHECK-NEXT: {{^}}negate: -3.0 -1.0{{$}}
  %y5, %t6 = tfx_ad.jvp @negate(%three) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "negate: {} {}"(%y5, %t6) : f64, f64
  // Case: Futhark, conv0.fut.
  // CHECK-NEXT: {{^}}conv forward: 1.0 1.0{{$}}
  %y7, %t8 = tfx_ad.jvp @conv(%one) tangents(%one : f64) wrt [0] : (f64) -> (f32, f32)
  tfx_host.print "conv forward: {} {}"(%y7, %t8) : f32, f32
  // CHECK-NEXT: {{^}}conv reverse: 1.0{{$}}
  %y9, %pullback9 = tfx_ad.vjp @conv(%one) wrt [0] : (f64) -> (f32, !tfx_host.closure<(f32) -> f64>)
  %d10 = tfx_host.apply %pullback9(%one_) : !tfx_host.closure<(f32) -> f64>
  tfx_host.print "conv reverse: {}"(%d10) : f64
  // Case: Futhark, conv2.fut.
  // CHECK-NEXT: {{^}}ceiling: 0.0{{$}}
  %d11 = tfx_ad.gradient @ceiling(%two) wrt [0] : (f64) -> f64
  tfx_host.print "ceiling: {}"(%d11) : f64
  // Case: Futhark, cmp0.fut.
  // CHECK-NEXT: {{^}}cmp 1 2: 0.0 0.0{{$}}
  %d12.0, %d12.1 = tfx_ad.gradient @cmp(%one, %two) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "cmp 1 2: {} {}"(%d12.0, %d12.1) : f64, f64
  // CHECK-NEXT: {{^}}cmp 1 1: 0.0 0.0{{$}}
  %d13.0, %d13.1 = tfx_ad.gradient @cmp(%one, %one) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "cmp 1 1: {} {}"(%d13.0, %d13.1) : f64, f64
  // Case: Futhark, if0.fut.
  // CHECK-NEXT: {{^}}if0 true: 7.0 5.0{{$}}
  %d14.0, %d14.1 = tfx_ad.gradient @if0(%yes, %five, %seven) wrt [1, 2] : (i1, f64, f64) -> (f64, f64)
  tfx_host.print "if0 true: {} {}"(%d14.0, %d14.1) : f64, f64
  // CHECK-NEXT: {{^}}if0 false: {{0\.142857142[0-9]*}} -{{0\.102040816[0-9]*}}{{$}}
  %d15.0, %d15.1 = tfx_ad.gradient @if0(%no, %five, %seven) wrt [1, 2] : (i1, f64, f64) -> (f64, f64)
  tfx_host.print "if0 false: {} {}"(%d15.0, %d15.1) : f64, f64
  // Case: Futhark, if1.fut.
  // CHECK-NEXT: {{^}}if1 false: 2.0{{$}}
  %d16 = tfx_ad.gradient @if1(%no, %five) wrt [1] : (i1, f64) -> f64
  tfx_host.print "if1 false: {}"(%d16) : f64
  // CHECK-NEXT: {{^}}if1 true: 11.0{{$}}
  %d17 = tfx_ad.gradient @if1(%yes, %five) wrt [1] : (i1, f64) -> f64
  tfx_host.print "if1 true: {}"(%d17) : f64
  // CHECK-NEXT: {{^}}forward if1 true: 30.0 11.0{{$}}
  %y18, %t19 = tfx_ad.jvp @if1(%yes, %five) tangents(%one : f64) wrt [1] : (i1, f64) -> (f64, f64)
  tfx_host.print "forward if1 true: {} {}"(%y18, %t19) : f64, f64
  // Case: Futhark, if2.fut.
  // CHECK-NEXT: {{^}}if2 1: {{\[ *}}0. 3. 2.{{ *}}]{{$}}
  %a = tfx_tensor.const dense<[1.0, 2.0, 3.0]> : tensor<3xf64>
  %d20 = tfx_ad.gradient @if2(%a) wrt [0] : (tensor<3xf64>) -> tensor<3xf64>
  tfx_host.print "if2 1: {}"(%d20) : tensor<3xf64>
  // CHECK-NEXT: {{^}}if2 -1: {{\[ *}}3. 0. -1.{{ *}}]{{$}}
  %b = tfx_tensor.const dense<[-1.0, 2.0, 3.0]> : tensor<3xf64>
  %d21 = tfx_ad.gradient @if2(%b) wrt [0] : (tensor<3xf64>) -> tensor<3xf64>
  tfx_host.print "if2 -1: {}"(%d21) : tensor<3xf64>
  // Case: Futhark, for0.fut.
  // CHECK-NEXT: {{^}}for0 3 4: 48.0{{$}}
  %d22 = tfx_ad.gradient @for0(%n3, %four) wrt [1] : (i64, f64) -> f64
  tfx_host.print "for0 3 4: {}"(%d22) : f64
  // CHECK-NEXT: {{^}}for0 9 3: 19683.0 59049.0{{$}}
  %y24, %d23 = tfx_ad.gradient @for0(%n9, %three) wrt [1] value : (i64, f64) -> (f64, f64)
  tfx_host.print "for0 9 3: {} {}"(%y24, %d23) : f64, f64
  // CHECK-NEXT: {{^}}forward for0: 64.0 48.0{{$}}
  %y25, %t26 = tfx_ad.jvp @for0(%n3, %four) tangents(%one : f64) wrt [1] : (i64, f64) -> (f64, f64)
  tfx_host.print "forward for0: {} {}"(%y25, %t26) : f64, f64
  // Case: Futhark, while1.fut.
  // CHECK-NEXT: {{^}}while1 3 4: 48.0{{$}}
  %d27 = tfx_ad.gradient @while1(%n3, %four) wrt [1] : (i64, f64) -> f64
  tfx_host.print "while1 3 4: {}"(%d27) : f64
  // CHECK-NEXT: {{^}}while1 9 3: 19683.0 59049.0{{$}}
  %y29, %d28 = tfx_ad.gradient @while1(%n9, %three) wrt [1] value : (i64, f64) -> (f64, f64)
  tfx_host.print "while1 9 3: {} {}"(%y29, %d28) : f64, f64
  // CHECK-NEXT: {{^}}forward while1: 19683.0 59049.0{{$}}
  %y30, %t31 = tfx_ad.jvp @while1(%n9, %three) tangents(%one : f64) wrt [1] : (i64, f64) -> (f64, f64)
  tfx_host.print "forward while1: {} {}"(%y30, %t31) : f64, f64
  // Case: Futhark, stripmine0.fut, with 1,000,000 iterations.
  // CHECK-NEXT: {{^}}million: 1000000.0{{$}}
  %d32 = tfx_ad.gradient @for0(%n1000000, %one) wrt [1] : (i64, f64) -> f64
  tfx_host.print "million: {}"(%d32) : f64
  // Case: Futhark, fwd/for1.fut.
  // CHECK-NEXT: {{^}}fwd_for1 3 4: 432.0 216.0{{$}}
  %y33, %t34 = tfx_ad.jvp @fwd_for1(%three, %four) tangents(%one : f64) wrt [1] : (f64, f64) -> (f64, f64)
  tfx_host.print "fwd_for1 3 4: {} {}"(%y33, %t34) : f64, f64
  // CHECK-NEXT: {{^}}fwd_for1 9 3: 6561.0 4374.0{{$}}
  %y35, %t36 = tfx_ad.jvp @fwd_for1(%nine, %three) tangents(%one : f64) wrt [1] : (f64, f64) -> (f64, f64)
  tfx_host.print "fwd_for1 9 3: {} {}"(%y35, %t36) : f64, f64
  // Case: Futhark, for1.fut.
  // CHECK-NEXT: {{^}}for1: {{\[ *}}3. 0. 0.{{ *}}] {{\[ *}}0. 12. 0.{{ *}}] {{\[ *}}0. 0. 27.{{ *}}]{{$}}
  %y37, %pullback37 = tfx_ad.vjp @for1(%n3, %a) wrt [1] : (i64, tensor<3xf64>) -> (tensor<3xf64>, !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>)
  %c = tfx_tensor.const dense<[1.0, 0.0, 0.0]> : tensor<3xf64>
  %d38 = tfx_host.apply %pullback37(%c) : !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>
  %d = tfx_tensor.const dense<[0.0, 1.0, 0.0]> : tensor<3xf64>
  %d39 = tfx_host.apply %pullback37(%d) : !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>
  %e = tfx_tensor.const dense<[0.0, 0.0, 1.0]> : tensor<3xf64>
  %d40 = tfx_host.apply %pullback37(%e) : !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>
  tfx_host.print "for1: {} {} {}"(%d38, %d39, %d40) : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
  // CHECK-NEXT: {{^}}forward for1: {{\[ *}}1. 8. 27.{{ *}}] {{\[ *}}3. 12. 27.{{ *}}]{{$}}
  %f = tfx_tensor.const dense<[1.0, 1.0, 1.0]> : tensor<3xf64>
  %y41, %t42 = tfx_ad.jvp @for1(%n3, %a) tangents(%f : tensor<3xf64>) wrt [1] : (i64, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  tfx_host.print "forward for1: {} {}"(%y41, %t42) : tensor<3xf64>, tensor<3xf64>
  // Case: Futhark, for2.fut.
  // CHECK-NEXT: {{^}}for2: 169.0 {{\[ *}}0. 0. 26.{{ *}}]{{$}}
  %g = tfx_tensor.const dense<[11.0, 5.0, 13.0]> : tensor<3xf64>
  %y44, %d43 = tfx_ad.gradient @for2(%g) wrt [0] value : (tensor<3xf64>) -> (f64, tensor<3xf64>)
  tfx_host.print "for2: {} {}"(%y44, %d43) : f64, tensor<3xf64>
  // Case: Futhark, for3.fut.
  // CHECK-NEXT: {{^}}for3: {{\[ *}}2. 4. 6. 8. 10.{{ *}}] {{\[ *}}0. 0. 6. 0. 0.{{ *}}]{{$}}
  %h = tfx_tensor.const dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf64>
  %y45, %pullback45 = tfx_ad.vjp @for3(%h) wrt [0] : (tensor<5xf64>) -> (tensor<5xf64>, !tfx_host.closure<(tensor<5xf64>) -> tensor<5xf64>>)
  %i = tfx_tensor.const dense<[1.0, 1.0, 1.0, 1.0, 1.0]> : tensor<5xf64>
  %d46 = tfx_host.apply %pullback45(%i) : !tfx_host.closure<(tensor<5xf64>) -> tensor<5xf64>>
  %j = tfx_tensor.const dense<[0.0, 0.0, 1.0, 0.0, 0.0]> : tensor<5xf64>
  %d47 = tfx_host.apply %pullback45(%j) : !tfx_host.closure<(tensor<5xf64>) -> tensor<5xf64>>
  tfx_host.print "for3: {} {}"(%d46, %d47) : tensor<5xf64>, tensor<5xf64>
  // CHECK-NEXT: {{^}}forward for3: {{\[ *}}1. 4. 9. 16. 25.{{ *}}] {{\[ *}}0. 4. 0. 0. 10.{{ *}}]{{$}}
  %k = tfx_tensor.const dense<[0.0, 1.0, 0.0, 0.0, 1.0]> : tensor<5xf64>
  %y48, %t49 = tfx_ad.jvp @for3(%h) tangents(%k : tensor<5xf64>) wrt [0] : (tensor<5xf64>) -> (tensor<5xf64>, tensor<5xf64>)
  tfx_host.print "forward for3: {} {}"(%y48, %t49) : tensor<5xf64>, tensor<5xf64>
  // Case: Futhark, truedep0.fut.
  // CHECK-NEXT: {{^}}truedep: {{\[ *}}1. 0. 0. 0. 0.{{ *}}] {{\[ *}}4. 0. 0. 0. 0.{{ *}}] {{\[ *}}16. 0. 0. 0. 0.{{ *}}]{{$}}
  %y50, %pullback50 = tfx_ad.vjp @truedep(%h) wrt [0] : (tensor<5xf64>) -> (tensor<5xf64>, !tfx_host.closure<(tensor<5xf64>) -> tensor<5xf64>>)
  %l = tfx_tensor.const dense<[1.0, 0.0, 0.0, 0.0, 0.0]> : tensor<5xf64>
  %d51 = tfx_host.apply %pullback50(%l) : !tfx_host.closure<(tensor<5xf64>) -> tensor<5xf64>>
  %d52 = tfx_host.apply %pullback50(%j) : !tfx_host.closure<(tensor<5xf64>) -> tensor<5xf64>>
  %m = tfx_tensor.const dense<[0.0, 0.0, 0.0, 0.0, 1.0]> : tensor<5xf64>
  %d53 = tfx_host.apply %pullback50(%m) : !tfx_host.closure<(tensor<5xf64>) -> tensor<5xf64>>
  tfx_host.print "truedep: {} {} {}"(%d51, %d52, %d53) : tensor<5xf64>, tensor<5xf64>, tensor<5xf64>
  // Case: Futhark, issue1604.fut.
  // CHECK-NEXT: {{^}}issue1604: {{\[ *}}9. 9. 9.{{ *}}]{{$}}
  %y54.0, %y54.1, %pullback54 = tfx_ad.vjp @issue1604(%a) wrt [0] : (tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>, !tfx_host.closure<(tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>>)
  %d55 = tfx_host.apply %pullback54(%f, %f) : !tfx_host.closure<(tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>>
  tfx_host.print "issue1604: {}"(%d55) : tensor<3xf64>
  // Case: Futhark, consume0.fut.
  // CHECK-NEXT: {{^}}consume0: {{\[ *}}0. 0. 0.{{ *}}] {{\[ *}}0. 1. 0.{{ *}}] {{\[ *}}0. 0. 1.{{ *}}]{{$}}
  %y56, %pullback56 = tfx_ad.vjp @consume0(%a) wrt [0] : (tensor<3xf64>) -> (tensor<3xf64>, !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>)
  %d57 = tfx_host.apply %pullback56(%c) : !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>
  %d58 = tfx_host.apply %pullback56(%d) : !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>
  %d59 = tfx_host.apply %pullback56(%e) : !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>
  tfx_host.print "consume0: {} {} {}"(%d57, %d58, %d59) : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
  // Case: Futhark, consume1.fut.
  // CHECK-NEXT: {{^}}consume1: {{\[ *}}0. 0. 0.{{ *}}] {{\[ *}}0. 1. 0.{{ *}}] {{\[ *}}0. 0. 1.{{ *}}]{{$}}
  %y60, %pullback60 = tfx_ad.vjp @consume1(%yes, %a) wrt [1] : (i1, tensor<3xf64>) -> (tensor<3xf64>, !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>)
  %d61 = tfx_host.apply %pullback60(%c) : !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>
  %d62 = tfx_host.apply %pullback60(%d) : !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>
  %d63 = tfx_host.apply %pullback60(%e) : !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>
  tfx_host.print "consume1: {} {} {}"(%d61, %d62, %d63) : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
  // Case: Futhark, consume4.fut.
  // CHECK-NEXT: {{^}}consume4: {{\[ *}}1. 2. 1.{{ *}}]{{$}}
  %n = tfx_tensor.const dense<[5.0, 7.0, 9.0]> : tensor<3xf64>
  %y64, %pullback64 = tfx_ad.vjp @consume4(%n) wrt [0] : (tensor<3xf64>) -> (tensor<3xf64>, !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>)
  %d65 = tfx_host.apply %pullback64(%f) : !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>
  tfx_host.print "consume4: {}"(%d65) : tensor<3xf64>
  // CHECK-NEXT: {{^}}forward consume4: {{\[ *}}5. 14. 9.{{ *}}] {{\[ *}}1. 2. 1.{{ *}}]{{$}}
  %y66, %t67 = tfx_ad.jvp @consume4(%n) tangents(%f : tensor<3xf64>) wrt [0] : (tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  tfx_host.print "forward consume4: {} {}"(%y66, %t67) : tensor<3xf64>, tensor<3xf64>
  // Case: Futhark, consume5.fut.
  // CHECK-NEXT: {{^}}consume5: {{\[ *}}4. 2. 4.{{ *}}]{{$}}
  %y68, %pullback68 = tfx_ad.vjp @consume5(%a) wrt [0] : (tensor<3xf64>) -> (tensor<3xf64>, !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>)
  %d69 = tfx_host.apply %pullback68(%f) : !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>
  tfx_host.print "consume5: {}"(%d69) : tensor<3xf64>
  // Case: Futhark, nested0.fut.
  // CHECK-NEXT: {{^}}nested0: {{\[ *}}24. 48. 72.{{ *}}]{{$}}
  %y70, %pullback70 = tfx_ad.vjp @fourth2(%a) wrt [0] : (tensor<3xf64>) -> (tensor<3xf64>, !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>)
  %d71 = tfx_host.apply %pullback70(%f) : !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>
  tfx_host.print "nested0: {}"(%d71) : tensor<3xf64>
  // Case: Futhark, nested1.fut.
  %at = tfx_tensor.const dense<[0, 1, 2]> : tensor<3xi32>
  // CHECK-NEXT: {{^}}nested1: {{\[ *}}6. 12. 18.{{ *}}]{{$}}
  %y72, %pullback72 = tfx_ad.vjp @cubes_at1(%a, %at) wrt [0] : (tensor<3xf64>, tensor<3xi32>) -> (tensor<3xf64>, !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>)
  %d73 = tfx_host.apply %pullback72(%f) : !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>
  tfx_host.print "nested1: {}"(%d73) : tensor<3xf64>
  // Case: Futhark, nested3.fut.
  // CHECK-NEXT: {{^}}nested3: {{\[\[ *}}1. 1. 1.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}1. 1. 1.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}1. 1. 1.{{ *}}]] {{\[ *}}3. 3. 3.{{ *}}]{{$}}
  %o = tfx_tensor.const dense<[[1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]> : tensor<3x3xf64>
  %y74.0, %y74.1, %pullback74 = tfx_ad.vjp @rows1(%o, %a) wrt [0, 1] : (tensor<3x3xf64>, tensor<3xf64>) -> (tensor<3x3xf64>, tensor<3xf64>, !tfx_host.closure<(tensor<3x3xf64>, tensor<3xf64>) -> (tensor<3x3xf64>, tensor<3xf64>)>)
  %p = tfx_tensor.const dense<[[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]> : tensor<3x3xf64>
  %d75.0, %d75.1 = tfx_host.apply %pullback74(%p, %f) : !tfx_host.closure<(tensor<3x3xf64>, tensor<3xf64>) -> (tensor<3x3xf64>, tensor<3xf64>)>
  tfx_host.print "nested3: {} {}"(%d75.0, %d75.1) : tensor<3x3xf64>, tensor<3xf64>
  // Case: Futhark, confusion0.fut.
  // CHECK-NEXT: {{^}}confusion: 1.0{{$}}
  %d76 = tfx_ad.gradient @confusion(%one, %two) wrt [0] : (f64, f64) -> f64
  tfx_host.print "confusion: {}"(%d76) : f64
  // Case: Futhark, pow0.fut.
  // CHECK-NEXT: {{^}}power 0 1: 1.0 0.0{{$}}
  %d77.0, %d77.1 = tfx_ad.gradient @power(%zero, %one) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "power 0 1: {} {}"(%d77.0, %d77.1) : f64, f64
  // CHECK-NEXT: {{^}}power 0 0: 0.0 0.0{{$}}
  %d78.0, %d78.1 = tfx_ad.gradient @power(%zero, %zero) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "power 0 0: {} {}"(%d78.0, %d78.1) : f64, f64
  // Case: Futhark, lighthouse.fut.
  // CHECK-NEXT: {{^}}lighthouse: {{2\.90251363[0-9]*}} -{{15\.1027987[0-9]*}} {{95\.7178034[0-9]*}} {{18\.2319625[0-9]*}} {{4\.35377045[0-9]*}} -{{16\.8491707[0-9]*}} {{143\.576705[0-9]*}} {{27\.3479438[0-9]*}}{{$}}
  %y79.0, %y79.1, %pullback79 = tfx_ad.vjp @lighthouse(%two, %c1_5, %c0_4, %c2_1) wrt [0, 1, 2, 3] : (f64, f64, f64, f64) -> (f64, f64, !tfx_host.closure<(f64, f64) -> (f64, f64, f64, f64)>)
  %d80.0, %d80.1, %d80.2, %d80.3 = tfx_host.apply %pullback79(%one, %zero) : !tfx_host.closure<(f64, f64) -> (f64, f64, f64, f64)>
  %d81.0, %d81.1, %d81.2, %d81.3 = tfx_host.apply %pullback79(%zero, %one) : !tfx_host.closure<(f64, f64) -> (f64, f64, f64, f64)>
  tfx_host.print "lighthouse: {} {} {} {} {} {} {} {}"(%d80.0, %d80.1, %d80.2, %d80.3, %d81.0, %d81.1, %d81.2, %d81.3) : f64, f64, f64, f64, f64, f64, f64, f64
  return
}
