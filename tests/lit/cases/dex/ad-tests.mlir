// Derivatives by forward mode, transposes of linear functions as pullbacks, nested derivatives and
// custom linearizations. Dex, tests/ad-tests.dx, whose tests have no names: a case names its
// expression. A Float of Dex is f64, and a table is a tensor. The transpose of a linear function is
// its pullback.
//
// RUN: tfxc run %s | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow | FileCheck %s %}

func.func private @identity(%x: f64) -> f64 {
  return %x : f64
}
func.func private @square(%x: f64) -> f64 {
  %xx = arith.mulf %x, %x : f64
  return %xx : f64
}
func.func private @double(%x: f64) -> f64 {
  %a = arith.addf %x, %x : f64
  return %a : f64
}
func.func private @cube(%x: f64) -> f64 {
  %xx = arith.mulf %x, %x : f64
  %xxx = arith.mulf %xx, %x : f64
  return %xxx : f64
}
func.func private @linear(%x: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %a = arith.addf %x, %x : f64
  %b = arith.mulf %a, %two : f64
  %c = arith.addf %x, %b : f64
  return %c : f64
}
func.func private @twice_right(%x: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %a = arith.mulf %x, %two : f64
  return %a : f64
}
func.func private @twice_left(%x: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %twox = arith.mulf %two, %x : f64
  return %twox : f64
}
func.func private @three_over(%x: f64) -> f64 {
  %three = arith.constant 3.0 : f64
  %a = arith.divf %three, %x : f64
  return %a : f64
}
func.func private @half_of(%x: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %a = arith.divf %x, %two : f64
  return %a : f64
}

func.func private @squares(%xs: tensor<2xf64>) -> tensor<2xf64> {
  %y = tfx_tensor.op "Mul"(%xs, %xs) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}
func.func private @transpose(%m: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %p = tfx_tensor.const dense<[1, 0]> : tensor<2xi32>
  %t = tfx_tensor.op "Transpose"(%m, %p) : (tensor<2x2xf64>, tensor<2xi32>) -> tensor<2x2xf64>
  return %t : tensor<2x2xf64>
}
func.func private @sum(%xs: tensor<2xf64>) -> tensor<f64> {
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %s = tfx_tensor.op "Sum"(%xs, %axes) : (tensor<2xf64>, tensor<1xi32>) -> tensor<f64>
  return %s : tensor<f64>
}

// A variable that accumulates.
func.func private @accumulate(%x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %ref = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %zero, %ref : f64
  %a = tfx_host.load %ref : !tfx_host.ref<f64>
  %c = arith.addf %a, %x : f64
  tfx_host.store %c, %ref : f64
  %b = tfx_host.load %ref : !tfx_host.ref<f64>
  return %b : f64
}

// A second derivative by forward mode over forward mode.
func.func private @cube_slope(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %y, %d = tfx_ad.jvp @cube(%x) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  return %d : f64
}

// Third derivatives of 4 x^3.
func.func private @four_cubes(%x: f64) -> f64 {
  %four = arith.constant 4.0 : f64
  %a = arith.mulf %four, %x : f64
  %ax = arith.mulf %a, %x : f64
  %axx = arith.mulf %ax, %x : f64
  return %axx : f64
}
func.func private @four_cubes1(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %y, %d = tfx_ad.jvp @four_cubes(%x) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  return %d : f64
}
func.func private @four_cubes2(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %y, %d = tfx_ad.jvp @four_cubes1(%x) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  return %d : f64
}

func.func private @to_pair(%x: f64) -> tuple<f64, f64> {
  %two = arith.constant 2.0 : f64
  %twox = arith.mulf %two, %x : f64
  %a = tfx_host.make_tuple(%x, %twox) : f64, f64
  return %a : tuple<f64, f64>
}
func.func private @from_pair(%p: tuple<f64, f64>) -> f64 {
  %two = arith.constant 2.0 : f64
  %a = tfx_host.tuple_get %p[0] : tuple<f64, f64>
  %b = tfx_host.tuple_get %p[1] : tuple<f64, f64>
  %twob = arith.mulf %two, %b : f64
  %c = arith.addf %a, %twob : f64
  return %c : f64
}
func.func private @f_sin(%x: f64) -> f64 {
  %sin_x = math.sin %x : f64
  return %sin_x : f64
}
func.func private @f_cos(%x: f64) -> f64 {
  %cos_x = math.cos %x : f64
  return %cos_x : f64
}
func.func private @sin1(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %y, %d = tfx_ad.jvp @f_sin(%x) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  return %d : f64
}
func.func private @sin2(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %y, %d = tfx_ad.jvp @sin1(%x) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  return %d : f64
}
func.func private @chain(%x: f64) -> f64 {
  %cos_x = math.cos %x : f64
  %a = math.sin %cos_x : f64
  %exp_a = math.exp %a : f64
  return %exp_a : f64
}
func.func private @root(%x: f64) -> f64 {
  %sqrt_x = math.sqrt %x : f64
  return %sqrt_x : f64
}

// Perturbation confusion: x * d/dy (x * y).
func.func private @product(%y: f64, %x: f64) -> f64 {
  %xy = arith.mulf %x, %y : f64
  return %xy : f64
}
func.func private @confusion(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  %y, %d = tfx_ad.jvp @product(%two, %x) tangents(%one : f64) wrt [0] : (f64, f64) -> (f64, f64)
  %xd = arith.mulf %x, %d : f64
  return %xd : f64
}
func.func private @triple(%x: f64) -> f64 {
  %a = arith.addf %x, %x : f64
  %b = arith.addf %a, %x : f64
  return %b : f64
}

// The transpose of a transpose.
func.func private @triple_transposed(%d: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %y, %pullback = tfx_ad.vjp @triple(%zero) wrt [0] : (f64) -> (f64, !tfx_host.closure<(f64) -> f64>)
  %r = tfx_host.apply %pullback(%d) : !tfx_host.closure<(f64) -> f64>
  return %r : f64
}
func.func private @broadcast(%x: f64) -> tensor<2xf64> {
  %t = tfx_tensor.from_scalar %x : f64
  %shape = tfx_tensor.const dense<[2]> : tensor<1xi32>
  %b = tfx_tensor.op "BroadcastTo"(%t, %shape) : (tensor<f64>, tensor<1xi32>) -> tensor<2xf64>
  return %b : tensor<2xf64>
}
func.func private @times_two(%xs: tensor<2xf64>) -> tensor<2xf64> {
  %two = tfx_tensor.const dense<2.0> : tensor<f64>
  %y = tfx_tensor.op "Mul"(%xs, %two) : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

// The first element of a pair with an integer; an integer that becomes a float.
func.func private @first(%x: f64) -> f64 {
  %three = arith.constant 3 : i64
  %xx = arith.mulf %x, %x : f64
  %p = tfx_host.make_tuple(%xx, %three) : f64, i64
  %a = tfx_host.tuple_get %p[0] : tuple<f64, i64>
  return %a : f64
}
func.func private @from_int(%x: f64) -> f64 {
  %two = arith.constant 2 : i64
  %a = arith.sitofp %two : i64 to f64
  %xa = arith.mulf %x, %a : f64
  return %xa : f64
}
func.func private @elements(%xs: tensor<2xf64>) -> tensor<f64> {
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %p = tfx_tensor.op "Prod"(%xs, %axes) : (tensor<2xf64>, tensor<1xi32>) -> tensor<f64>
  return %p : tensor<f64>
}
func.func private @pair_product(%p: tuple<f64, f64>) -> f64 {
  %a = tfx_host.tuple_get %p[0] : tuple<f64, f64>
  %b = tfx_host.tuple_get %p[1] : tuple<f64, f64>
  %ab = arith.mulf %a, %b : f64
  return %ab : f64
}

// The result does not depend on the parameter.
func.func private @constant(%x: tensor<1xf64>) -> tensor<1xf64> {
  %c = tfx_tensor.const dense<[1.0]> : tensor<1xf64>
  return %c : tensor<1xf64>
}
func.func private @vdot(%p: tuple<tensor<2xf64>, tensor<2xf64>>) -> tensor<f64> {
  %x = tfx_host.tuple_get %p[0] : tuple<tensor<2xf64>, tensor<2xf64>>
  %y = tfx_host.tuple_get %p[1] : tuple<tensor<2xf64>, tensor<2xf64>>
  %xy = tfx_tensor.op "Mul"(%x, %y) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %s = tfx_tensor.op "Sum"(%xy, %axes) : (tensor<2xf64>, tensor<1xi32>) -> tensor<f64>
  return %s : tensor<f64>
}
func.func private @accumulate_twice(%x: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %zero = arith.constant 0.0 : f64
  %y = arith.mulf %x, %two : f64
  %a = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %zero, %a : f64
  %b = tfx_host.load %a : !tfx_host.ref<f64>
  %e = arith.mulf %x, %two : f64
  %f = arith.addf %b, %e : f64
  tfx_host.store %f, %a : f64
  %c = tfx_host.load %a : !tfx_host.ref<f64>
  %g = arith.addf %c, %y : f64
  tfx_host.store %g, %a : f64
  %d = tfx_host.load %a : !tfx_host.ref<f64>
  return %d : f64
}
func.func private @reader(%x: f64) -> f64 {
  %five = arith.constant 5.0 : f64
  %four = arith.constant 4.0 : f64
  %two = arith.constant 2.0 : f64
  %xx = arith.mulf %x, %x : f64
  %a = arith.mulf %five, %xx : f64
  %b = arith.mulf %four, %x : f64
  %c = arith.addf %a, %b : f64
  %d = arith.addf %c, %two : f64
  return %d : f64
}

// A state that is squared in each iteration.
func.func private @state(%x: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %n2 = arith.constant 2 : i64
  %n1 = arith.constant 1 : i64
  %s = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %s : f64
  cf.br ^head(%n0 : i64)
^head(%i: i64):
  %more = arith.cmpi slt, %i, %n2 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %a = tfx_host.load %s : !tfx_host.ref<f64>
  %aa = arith.mulf %a, %a : f64
  tfx_host.store %aa, %s : f64
  %b = arith.addi %i, %n1 : i64
  cf.br ^head(%b : i64)
^end:
  %r = tfx_host.load %s : !tfx_host.ref<f64>
  return %r : f64
}
func.func private @relu(%x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %a = arith.maximumf %x, %zero : f64
  return %a : f64
}

// Hessian-vector products in four ways.
func.func private @func2(%x: tensor<3xf64>) -> tensor<f64> {
  %xx = tfx_tensor.op "Mul"(%x, %x) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %s = tfx_tensor.op "Sum"(%xx, %axes) : (tensor<3xf64>, tensor<1xi32>) -> tensor<f64>
  %half = tfx_tensor.const dense<0.5> : tensor<f64>
  %h = tfx_tensor.op "Mul"(%s, %half) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %y = tfx_tensor.op "Exp"(%h) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
func.func private @func2.grad(%x: tensor<3xf64>) -> tensor<3xf64> {
  %d = tfx_ad.gradient @func2(%x) wrt [0] : (tensor<3xf64>) -> tensor<3xf64>
  return %d : tensor<3xf64>
}
func.func private @func2.jvp(%x: tensor<3xf64>, %v: tensor<3xf64>) -> tensor<f64> {
  %y, %d = tfx_ad.jvp @func2(%x) tangents(%v : tensor<3xf64>) wrt [0] : (tensor<3xf64>) -> (tensor<f64>, tensor<f64>)
  return %d : tensor<f64>
}
func.func private @func2.dot(%x: tensor<3xf64>, %v: tensor<3xf64>) -> tensor<f64> {
  %d = tfx_ad.gradient @func2(%x) wrt [0] : (tensor<3xf64>) -> tensor<3xf64>
  %dv = tfx_tensor.op "Mul"(%d, %v) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %s = tfx_tensor.op "Sum"(%dv, %axes) : (tensor<3xf64>, tensor<1xi32>) -> tensor<f64>
  return %s : tensor<f64>
}

// A selection in a state.
func.func private @minimum(%a: f64, %b: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %s = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %a, %s : f64
  %best = tfx_host.load %s : !tfx_host.ref<f64>
  %is_lt = arith.cmpf olt, %best, %b : f64
  %c = arith.select %is_lt, %best, %two : f64
  tfx_host.store %c, %s : f64
  %r = tfx_host.load %s : !tfx_host.ref<f64>
  return %r : f64
}
func.func private @minimum_of(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %a = arith.addf %x, %one : f64
  %minimum_x = func.call @minimum(%x, %a) : (f64, f64) -> f64
  return %minimum_x : f64
}

// A custom linearization that doubles the slope.
func.func private @f(%x: f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], jvp = @f.jvp>} {
  %two = arith.constant 2.0 : f64
  %a = arith.mulf %x, %two : f64
  return %a : f64
}
func.func private @f.jvp(%x: f64, %t: f64) -> (f64, f64) {
  %four = arith.constant 4.0 : f64
  %f_x = func.call @f(%x) : (f64) -> f64
  %a = arith.mulf %t, %four : f64
  return %f_x, %a : f64, f64
}
func.func private @f_chain(%x: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %five = arith.constant 5.0 : f64
  %a = arith.mulf %x, %two : f64
  %f_a = func.call @f(%a) : (f64) -> f64
  %b = arith.mulf %f_a, %five : f64
  return %b : f64
}

// The custom derivative is kept where a condition selects the function.
func.func private @f_case(%x: f64) -> f64 {
  %n10 = arith.constant 10 : i64
  %total = arith.constant 45 : i64
  %is_gt = arith.cmpi sgt, %total, %n10 : i64
  cf.cond_br %is_gt, ^then, ^else
^then:
  %f_x = func.call @f(%x) : (f64) -> f64
  return %f_x : f64
^else:
  return %x : f64
}

// A function of two parameters with a custom linearization.
func.func private @h(%x: f64, %y: f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0, 1], jvp = @h.jvp>} {
  %two = arith.constant 2.0 : f64
  %a = arith.mulf %x, %two : f64
  %b = arith.addf %a, %y : f64
  return %b : f64
}
func.func private @h.jvp(%x: f64, %y: f64, %dx: f64, %dy: f64) -> (f64, f64) {
  %h_x = func.call @h(%x, %y) : (f64, f64) -> f64
  %a = arith.addf %dx, %dy : f64
  return %h_x, %a : f64, f64
}
func.func private @h_same(%x: f64) -> f64 {
  %h_x = func.call @h(%x, %x) : (f64, f64) -> f64
  return %h_x : f64
}

// A custom linearization of a function of tensors.
func.func private @w(%x: tensor<2xf64>) -> tensor<2xf64> attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], jvp = @w.jvp>} {
  %two = tfx_tensor.const dense<2.0> : tensor<f64>
  %y = tfx_tensor.op "Mul"(%x, %two) : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}
func.func private @w.jvp(%x: tensor<2xf64>, %t: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {
  %y = func.call @w(%x) : (tensor<2xf64>) -> tensor<2xf64>
  %four = tfx_tensor.const dense<4.0> : tensor<f64>
  %dy = tfx_tensor.op "Mul"(%t, %four) : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
  return %y, %dy : tensor<2xf64>, tensor<2xf64>
}
func.func private @w_call(%x: tensor<2xf64>) -> tensor<2xf64> {
  %y = func.call @w(%x) : (tensor<2xf64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}
func.func private @xy2(%x: f64, %y: f64) -> f64 {
  %xy = arith.mulf %x, %y : f64
  %xyy = arith.mulf %xy, %y : f64
  return %xyy : f64
}
func.func private @xy2_same(%x: f64) -> f64 {
  %xy2_x = func.call @xy2(%x, %x) : (f64, f64) -> f64
  return %xy2_x : f64
}

func.func public @main() {
  %three_ = arith.constant 3.0 : f64
  %two_ = arith.constant 2.0 : f64
  %c1_5 = arith.constant 1.5 : f64
  %zero_ = arith.constant 0.0 : f64
  %one_ = arith.constant 1.0 : f64
  %c1_234 = arith.constant 1.234 : f64
  %four_ = arith.constant 4.0 : f64
  %minus_one = arith.constant -1.0 : f64
  %five = arith.constant 5.0 : f64
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  %three = arith.constant 3.0 : f64
  %four = arith.constant 4.0 : f64
  // Case: Dex, ad-tests.dx, jvp of x.
  // CHECK: {{^}}identity: 3.0 2.0{{$}}
  %y0, %t1 = tfx_ad.jvp @identity(%three_) tangents(%two_ : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "identity: {} {}"(%y0, %t1) : f64, f64
  // Case: Dex, ad-tests.dx, jvp of x * x.
  // CHECK-NEXT: {{^}}square: 9.0 9.0{{$}}
  %y2, %t3 = tfx_ad.jvp @square(%three_) tangents(%c1_5 : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "square: {} {}"(%y2, %t3) : f64, f64
  // Case: Dex, ad-tests.dx, jvp of x + x.
  // CHECK-NEXT: {{^}}double: 6.0 4.0{{$}}
  %y4, %t5 = tfx_ad.jvp @double(%three_) tangents(%two_ : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "double: {} {}"(%y4, %t5) : f64, f64
  // Case: Dex, ad-tests.dx, jvp of x * x * x.
  // CHECK-NEXT: {{^}}cube: 8.0 18.0{{$}}
  %y6, %t7 = tfx_ad.jvp @cube(%two_) tangents(%c1_5 : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "cube: {} {}"(%y6, %t7) : f64, f64
  // Case: Dex, ad-tests.dx, transpose of x.
  // CHECK-NEXT: {{^}}transpose of x: 2.0{{$}}
  %y8, %pullback8 = tfx_ad.vjp @identity(%zero_) wrt [0] : (f64) -> (f64, !tfx_host.closure<(f64) -> f64>)
  %d9 = tfx_host.apply %pullback8(%two_) : !tfx_host.closure<(f64) -> f64>
  tfx_host.print "transpose of x: {}"(%d9) : f64
  // Case: Dex, ad-tests.dx, transpose of x + x.
  // CHECK-NEXT: {{^}}transpose of a sum: 2.0{{$}}
  %y10, %pullback10 = tfx_ad.vjp @double(%zero_) wrt [0] : (f64) -> (f64, !tfx_host.closure<(f64) -> f64>)
  %d11 = tfx_host.apply %pullback10(%one_) : !tfx_host.closure<(f64) -> f64>
  tfx_host.print "transpose of a sum: {}"(%d11) : f64
  // Case: Dex, ad-tests.dx, transpose of x + (x + x) * 2.
  // CHECK-NEXT: {{^}}transpose of linear: 5.0{{$}}
  %y12, %pullback12 = tfx_ad.vjp @linear(%zero_) wrt [0] : (f64) -> (f64, !tfx_host.closure<(f64) -> f64>)
  %d13 = tfx_host.apply %pullback12(%one_) : !tfx_host.closure<(f64) -> f64>
  tfx_host.print "transpose of linear: {}"(%d13) : f64
  // Case: Dex, ad-tests.dx, transpose of x * 2.
  // CHECK-NEXT: {{^}}transpose of twice_right: 2.0{{$}}
  %y14, %pullback14 = tfx_ad.vjp @twice_right(%zero_) wrt [0] : (f64) -> (f64, !tfx_host.closure<(f64) -> f64>)
  %d15 = tfx_host.apply %pullback14(%one_) : !tfx_host.closure<(f64) -> f64>
  tfx_host.print "transpose of twice_right: {}"(%d15) : f64
  // Case: Dex, ad-tests.dx, transpose of 2 * x.
  // CHECK-NEXT: {{^}}transpose of twice_left: 2.0{{$}}
  %y16, %pullback16 = tfx_ad.vjp @twice_left(%zero_) wrt [0] : (f64) -> (f64, !tfx_host.closure<(f64) -> f64>)
  %d17 = tfx_host.apply %pullback16(%one_) : !tfx_host.closure<(f64) -> f64>
  tfx_host.print "transpose of twice_left: {}"(%d17) : f64
  // Case: Dex, ad-tests.dx, grad of x * x.
  // CHECK-NEXT: {{^}}grad of square: 2.0{{$}}
  %d18 = tfx_ad.gradient @square(%one_) wrt [0] : (f64) -> f64
  tfx_host.print "grad of square: {}"(%d18) : f64
  // Case: Dex, ad-tests.dx, deriv of 3 / x.
  // CHECK-NEXT: {{^}}three_over: -0.75{{$}}
  %d19 = tfx_ad.gradient @three_over(%two_) wrt [0] : (f64) -> f64
  tfx_host.print "three_over: {}"(%d19) : f64
  // Case: Dex, ad-tests.dx, deriv of x / 2.
  // CHECK-NEXT: {{^}}half_of: 0.5{{$}}
  %d20 = tfx_ad.gradient @half_of(%three_) wrt [0] : (f64) -> f64
  tfx_host.print "half_of: {}"(%d20) : f64
  // Case: Dex, ad-tests.dx, jvp of squares of a table.
  // CHECK-NEXT: {{^}}squares: {{\[ *}}1. 4.{{ *}}] {{\[ *}}6. 16.{{ *}}]{{$}}
  %a = tfx_tensor.const dense<[1.0, 2.0]> : tensor<2xf64>
  %b = tfx_tensor.const dense<[3.0, 4.0]> : tensor<2xf64>
  %y21, %t22 = tfx_ad.jvp @squares(%a) tangents(%b : tensor<2xf64>) wrt [0] : (tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  tfx_host.print "squares: {} {}"(%y21, %t22) : tensor<2xf64>, tensor<2xf64>
  // Case: Dex, ad-tests.dx, jvp of transpose.
  // CHECK-NEXT: {{^}}transpose: {{\[\[ *}}1. 3.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}2. 4.{{ *}}]] {{\[\[ *}}10. 30.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}20. 40.{{ *}}]]{{$}}
  %c = tfx_tensor.const dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf64>
  %d = tfx_tensor.const dense<[[10.0, 20.0], [30.0, 40.0]]> : tensor<2x2xf64>
  %y23, %t24 = tfx_ad.jvp @transpose(%c) tangents(%d : tensor<2x2xf64>) wrt [0] : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)
  tfx_host.print "transpose: {} {}"(%y23, %t24) : tensor<2x2xf64>, tensor<2x2xf64>
  // Case: Dex, ad-tests.dx, jvp of sum.
  // CHECK-NEXT: {{^}}sum: 3.0 30.0{{$}}
  %e = tfx_tensor.const dense<[10.0, 20.0]> : tensor<2xf64>
  %y25, %t26 = tfx_ad.jvp @sum(%a) tangents(%e : tensor<2xf64>) wrt [0] : (tensor<2xf64>) -> (tensor<f64>, tensor<f64>)
  tfx_host.print "sum: {} {}"(%y25, %t26) : tensor<f64>, tensor<f64>
  // Case: Dex, ad-tests.dx, jvp of an accumulator.
  // CHECK-NEXT: {{^}}accumulate: 1.0 1.0{{$}}
  %y27, %t28 = tfx_ad.jvp @accumulate(%one_) tangents(%one_ : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "accumulate: {} {}"(%y27, %t28) : f64, f64
  // Case: Dex, ad-tests.dx, jvp of a jvp of x * x * x.
  // CHECK-NEXT: {{^}}cube_slope: 12.0 12.0{{$}}
  %y29, %t30 = tfx_ad.jvp @cube_slope(%two_) tangents(%one_ : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "cube_slope: {} {}"(%y29, %t30) : f64, f64
  // Case: Dex, ad-tests.dx, deriv of deriv of deriv of 4 * x * x * x.
  // CHECK-NEXT: {{^}}four_cubes: {{(29\.616|29\.6159999[0-9]*|29\.6160000[0-9]*)}} 24.0{{$}}
  %y31, %t32 = tfx_ad.jvp @four_cubes2(%c1_234) tangents(%one_ : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "four_cubes: {} {}"(%y31, %t32) : f64, f64
  // Case: Dex, ad-tests.dx, transpose of a function to a pair.
  %seed = tfx_host.make_tuple(%one, %three) : f64, f64
  // CHECK-NEXT: {{^}}to_pair: 7.0{{$}}
  %y33, %pullback33 = tfx_ad.vjp @to_pair(%zero_) wrt [0] : (f64) -> (tuple<f64, f64>, !tfx_host.closure<(tuple<f64, f64>) -> f64>)
  %d34 = tfx_host.apply %pullback33(%seed) : !tfx_host.closure<(tuple<f64, f64>) -> f64>
  tfx_host.print "to_pair: {}"(%d34) : f64
  // Case: Dex, ad-tests.dx, transpose of a function of a pair.
  %zeros = tfx_host.make_tuple(%zero, %zero) : f64, f64
  // CHECK-NEXT: {{^}}from_pair: 1.0 2.0{{$}}
  %y35, %pullback35 = tfx_ad.vjp @from_pair(%zeros) wrt [0] : (tuple<f64, f64>) -> (f64, !tfx_host.closure<(f64) -> tuple<f64, f64>>)
  %d36 = tfx_host.apply %pullback35(%one_) : !tfx_host.closure<(f64) -> tuple<f64, f64>>
  %d360 = tfx_host.tuple_get %d36[0] : tuple<f64, f64>
  %d361 = tfx_host.tuple_get %d36[1] : tuple<f64, f64>
  tfx_host.print "from_pair: {} {}"(%d360, %d361) : f64, f64
  // Case: Dex, ad-tests.dx, deriv of cos.
  // CHECK-NEXT: {{^}}cos: {{-?0\.0}}{{$}}
  %d37 = tfx_ad.gradient @f_cos(%zero_) wrt [0] : (f64) -> f64
  tfx_host.print "cos: {}"(%d37) : f64
  // Case: Dex, ad-tests.dx, deriv of sin.
  // CHECK-NEXT: {{^}}sin: 1.0{{$}}
  %d38 = tfx_ad.gradient @f_sin(%zero_) wrt [0] : (f64) -> f64
  tfx_host.print "sin: {}"(%d38) : f64
  // Case: Dex, ad-tests.dx, deriv of deriv of sin, with the closed form.
  // CHECK-NEXT: {{^}}sin1: {{0\.540302305[0-9]*}} -{{0\.841470984[0-9]*}}{{$}}
  %y39, %t40 = tfx_ad.jvp @sin1(%one_) tangents(%one_ : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "sin1: {} {}"(%y39, %t40) : f64, f64
  // Case: Dex, ad-tests.dx, deriv of deriv of deriv of sin, with the closed form.
  // CHECK-NEXT: {{^}}sin2: -{{0\.841470984[0-9]*}} -{{0\.540302305[0-9]*}}{{$}}
  %y41, %t42 = tfx_ad.jvp @sin2(%one_) tangents(%one_ : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "sin2: {} {}"(%y41, %t42) : f64, f64
  // Case: Dex, ad-tests.dx, check_deriv of exp (sin (cos x)), with the closed form.
  // CHECK-NEXT: {{^}}chain: -{{0\.555141438[0-9]*}}{{$}}
  %d43 = tfx_ad.gradient @chain(%two_) wrt [0] : (f64) -> f64
  tfx_host.print "chain: {}"(%d43) : f64
  // Case: Dex, ad-tests.dx, check_deriv of sqrt.
  // CHECK-NEXT: {{^}}root: 0.25{{$}}
  %d44 = tfx_ad.gradient @root(%four_) wrt [0] : (f64) -> f64
  tfx_host.print "root: {}"(%d44) : f64
  // Case: Dex, ad-tests.dx, perturbation confusion.
  // CHECK-NEXT: {{^}}confusion: 1.0 2.0{{$}}
  %y45, %t46 = tfx_ad.jvp @confusion(%one_) tangents(%one_ : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "confusion: {} {}"(%y45, %t46) : f64, f64
  // Case: Dex, ad-tests.dx, transpose of tripleit.
  // CHECK-NEXT: {{^}}triple: 3.0{{$}}
  %y47, %pullback47 = tfx_ad.vjp @triple(%zero_) wrt [0] : (f64) -> (f64, !tfx_host.closure<(f64) -> f64>)
  %d48 = tfx_host.apply %pullback47(%one_) : !tfx_host.closure<(f64) -> f64>
  tfx_host.print "triple: {}"(%d48) : f64
  // Case: Dex, ad-tests.dx, transpose of the transpose of tripleit.
  // CHECK-NEXT: {{^}}triple_transposed: 3.0{{$}}
  %y49, %pullback49 = tfx_ad.vjp @triple_transposed(%zero_) wrt [0] : (f64) -> (f64, !tfx_host.closure<(f64) -> f64>)
  %d50 = tfx_host.apply %pullback49(%one_) : !tfx_host.closure<(f64) -> f64>
  tfx_host.print "triple_transposed: {}"(%d50) : f64
  // Case: Dex, ad-tests.dx, transpose of a broadcast.
  // CHECK-NEXT: {{^}}broadcast: 3.0{{$}}
  %y51, %pullback51 = tfx_ad.vjp @broadcast(%zero_) wrt [0] : (f64) -> (tensor<2xf64>, !tfx_host.closure<(tensor<2xf64>) -> f64>)
  %d52 = tfx_host.apply %pullback51(%a) : !tfx_host.closure<(tensor<2xf64>) -> f64>
  tfx_host.print "broadcast: {}"(%d52) : f64
  // Case: Dex, ad-tests.dx, transpose of xs * 2.
  // CHECK-NEXT: {{^}}times_two: {{\[ *}}2. 4.{{ *}}]{{$}}
  %f = tfx_tensor.const dense<[0.0, 0.0]> : tensor<2xf64>
  %y53, %pullback53 = tfx_ad.vjp @times_two(%f) wrt [0] : (tensor<2xf64>) -> (tensor<2xf64>, !tfx_host.closure<(tensor<2xf64>) -> tensor<2xf64>>)
  %d54 = tfx_host.apply %pullback53(%a) : !tfx_host.closure<(tensor<2xf64>) -> tensor<2xf64>>
  tfx_host.print "times_two: {}"(%d54) : tensor<2xf64>
  // Case: Dex, ad-tests.dx, jvp of fst.
  // CHECK-NEXT: {{^}}first: 1.0 6.0{{$}}
  %y55, %t56 = tfx_ad.jvp @first(%one_) tangents(%three_ : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "first: {} {}"(%y55, %t56) : f64, f64
  // Case: Dex, ad-tests.dx, jvp of an integer that becomes a float.
  // CHECK-NEXT: {{^}}from_int: 2.0 4.0{{$}}
  %y57, %t58 = tfx_ad.jvp @from_int(%one_) tangents(%two_ : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "from_int: {} {}"(%y57, %t58) : f64, f64
  // Case: Dex, ad-tests.dx, jvp of a product of two elements.
  // CHECK-NEXT: {{^}}elements: 2.0 10.0{{$}}
  %y59, %t60 = tfx_ad.jvp @elements(%a) tangents(%b : tensor<2xf64>) wrt [0] : (tensor<2xf64>) -> (tensor<f64>, tensor<f64>)
  tfx_host.print "elements: {} {}"(%y59, %t60) : tensor<f64>, tensor<f64>
  // Case: Dex, ad-tests.dx, jvp of a product of a pair.
  %p12 = tfx_host.make_tuple(%one, %two) : f64, f64
  %p34 = tfx_host.make_tuple(%three, %four) : f64, f64
  // CHECK-NEXT: {{^}}pair_product: 2.0 10.0{{$}}
  %y61, %t62 = tfx_ad.jvp @pair_product(%p12) tangents(%p34 : tuple<f64, f64>) wrt [0] : (tuple<f64, f64>) -> (f64, f64)
  tfx_host.print "pair_product: {} {}"(%y61, %t62) : f64, f64
  // Case: Dex, ad-tests.dx, grad of sum.
  // CHECK-NEXT: {{^}}grad of sum: {{\[ *}}1. 1.{{ *}}]{{$}}
  %d63 = tfx_ad.gradient @sum(%a) wrt [0] : (tensor<2xf64>) -> tensor<2xf64>
  tfx_host.print "grad of sum: {}"(%d63) : tensor<2xf64>
  // Case: Dex, ad-tests.dx, jvp of a constant.
  // CHECK-NEXT: {{^}}constant: {{\[ *}}1.{{ *}}] {{\[ *}}0.{{ *}}]{{$}}
  %g = tfx_tensor.const dense<[1.0]> : tensor<1xf64>
  %y64, %t65 = tfx_ad.jvp @constant(%g) tangents(%g : tensor<1xf64>) wrt [0] : (tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>)
  tfx_host.print "constant: {} {}"(%y64, %t65) : tensor<1xf64>, tensor<1xf64>
  // Case: Dex, ad-tests.dx, grad of vdot.
  %v12 = tfx_tensor.const dense<[1.0, 2.0]> : tensor<2xf64>
  %v34 = tfx_tensor.const dense<[3.0, 4.0]> : tensor<2xf64>
  %vs = tfx_host.make_tuple(%v12, %v34) : tensor<2xf64>, tensor<2xf64>
  // CHECK-NEXT: {{^}}vdot: {{\[ *}}3. 4.{{ *}}] {{\[ *}}1. 2.{{ *}}]{{$}}
  %d66 = tfx_ad.gradient @vdot(%vs) wrt [0] : (tuple<tensor<2xf64>, tensor<2xf64>>) -> tuple<tensor<2xf64>, tensor<2xf64>>
  %d660 = tfx_host.tuple_get %d66[0] : tuple<tensor<2xf64>, tensor<2xf64>>
  %d661 = tfx_host.tuple_get %d66[1] : tuple<tensor<2xf64>, tensor<2xf64>>
  tfx_host.print "vdot: {} {}"(%d660, %d661) : tensor<2xf64>, tensor<2xf64>
  // Case: Dex, ad-tests.dx, grad of an accumulator that is added to twice.
  // CHECK-NEXT: {{^}}accumulate_twice: 4.0{{$}}
  %d67 = tfx_ad.gradient @accumulate_twice(%one_) wrt [0] : (f64) -> f64
  tfx_host.print "accumulate_twice: {}"(%d67) : f64
  // Case: Dex, ad-tests.dx, check_deriv of readers, with the closed form.
  // CHECK-NEXT: {{^}}reader: 24.0{{$}}
  %d68 = tfx_ad.gradient @reader(%two_) wrt [0] : (f64) -> f64
  tfx_host.print "reader: {}"(%d68) : f64
  // Case: Dex, ad-tests.dx, check_deriv of a state in a loop, with the closed form.
  // CHECK-NEXT: {{^}}state: 32.0{{$}}
  %d69 = tfx_ad.gradient @state(%two_) wrt [0] : (f64) -> f64
  tfx_host.print "state: {}"(%d69) : f64
  // Case: Dex, ad-tests.dx, check_deriv of relu, with the closed form.
  // CHECK-NEXT: {{^}}relu 1: 1.0{{$}}
  %d70 = tfx_ad.gradient @relu(%one_) wrt [0] : (f64) -> f64
  tfx_host.print "relu 1: {}"(%d70) : f64
  // CHECK-NEXT: {{^}}relu -1: 0.0{{$}}
  %d71 = tfx_ad.gradient @relu(%minus_one) wrt [0] : (f64) -> f64
  tfx_host.print "relu -1: {}"(%d71) : f64
  // Case: Dex, ad-tests.dx, nested derivatives, with the closed form.
  // CHECK-NEXT: {{^}}func2: {{1\.07250818[0-9]*}}{{$}}
  %h = tfx_tensor.const dense<[0.1, 0.2, 0.3]> : tensor<3xf64>
  %y72 = func.call @func2(%h) : (tensor<3xf64>) -> tensor<f64>
  tfx_host.print "func2: {}"(%y72) : tensor<f64>
  // CHECK-NEXT: {{^}}reverse over forward: {{\[ *}}{{0\.235951799[0-9]*}} {{0\.364652781[0-9]*}} {{0\.493353763[0-9]*}}{{ *}}]{{$}}
  %i = tfx_tensor.const dense<[0.2, 0.3, 0.4]> : tensor<3xf64>
  %d73 = tfx_ad.gradient @func2.jvp(%h, %i) wrt [0] : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  tfx_host.print "reverse over forward: {}"(%d73) : tensor<3xf64>
  // CHECK-NEXT: {{^}}reverse over reverse: {{\[ *}}{{0\.235951799[0-9]*}} {{0\.364652781[0-9]*}} {{0\.493353763[0-9]*}}{{ *}}]{{$}}
  %d74 = tfx_ad.gradient @func2.dot(%h, %i) wrt [0] : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  tfx_host.print "reverse over reverse: {}"(%d74) : tensor<3xf64>
  // CHECK-NEXT: {{^}}forward over reverse: {{\[ *}}{{0\.107250818[0-9]*}} {{0\.214501636[0-9]*}} {{0\.321752454[0-9]*}}{{ *}}] {{\[ *}}{{0\.235951799[0-9]*}} {{0\.364652781[0-9]*}} {{0\.493353763[0-9]*}}{{ *}}]{{$}}
  %y75, %t76 = tfx_ad.jvp @func2.grad(%h) tangents(%i : tensor<3xf64>) wrt [0] : (tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  tfx_host.print "forward over reverse: {} {}"(%y75, %t76) : tensor<3xf64>, tensor<3xf64>
  // Case: Dex, ad-tests.dx, grad of min' by a state.
  // CHECK-NEXT: {{^}}minimum_of: 1.0{{$}}
  %d77 = tfx_ad.gradient @minimum_of(%one_) wrt [0] : (f64) -> f64
  tfx_host.print "minimum_of: {}"(%d77) : f64
  // Case: Dex, ad-tests.dx, custom linearization, in a chain.
  // CHECK-NEXT: {{^}}f_chain: 20.0 40.0{{$}}
  %y78, %t79 = tfx_ad.jvp @f_chain(%one_) tangents(%one_ : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "f_chain: {} {}"(%y78, %t79) : f64, f64
  // Case: Dex, ad-tests.dx, custom linearization, directly.
  // CHECK-NEXT: {{^}}f: 2.0 4.0{{$}}
  %y80, %t81 = tfx_ad.jvp @f(%one_) tangents(%one_ : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "f: {} {}"(%y80, %t81) : f64, f64
  // Case: Dex, ad-tests.dx, custom linearization, in a case.
  // CHECK-NEXT: {{^}}f_case: 2.0 4.0{{$}}
  %y82, %t83 = tfx_ad.jvp @f_case(%one_) tangents(%one_ : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "f_case: {} {}"(%y82, %t83) : f64, f64
  // Case: Dex, ad-tests.dx, custom linearization of two arguments.
  // CHECK-NEXT: {{^}}h_same: 3.0 2.0{{$}}
  %y84, %t85 = tfx_ad.jvp @h_same(%one_) tangents(%one_ : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "h_same: {} {}"(%y84, %t85) : f64, f64
  // Case: Dex, ad-tests.dx, custom linearization of tables.
  // CHECK-NEXT: {{^}}w: {{\[ *}}2. 2.{{ *}}] {{\[ *}}4. 0.{{ *}}]{{$}}
  %j = tfx_tensor.const dense<[1.0, 1.0]> : tensor<2xf64>
  %k = tfx_tensor.const dense<[1.0, 0.0]> : tensor<2xf64>
  %y86, %t87 = tfx_ad.jvp @w_call(%j) tangents(%k : tensor<2xf64>) wrt [0] : (tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  tfx_host.print "w: {} {}"(%y86, %t87) : tensor<2xf64>, tensor<2xf64>
  // CHECK-NEXT: {{^}}w direct: {{\[ *}}2. 2.{{ *}}] {{\[ *}}4. 0.{{ *}}]{{$}}
  %y88, %t89 = tfx_ad.jvp @w(%j) tangents(%k : tensor<2xf64>) wrt [0] : (tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  tfx_host.print "w direct: {} {}"(%y88, %t89) : tensor<2xf64>, tensor<2xf64>
  // Case: Dex, ad-tests.dx, check_deriv of xy2, with the closed forms.
  // CHECK-NEXT: {{^}}xy2 same: 12.0{{$}}
  %d90 = tfx_ad.gradient @xy2_same(%two_) wrt [0] : (f64) -> f64
  tfx_host.print "xy2 same: {}"(%d90) : f64
  // CHECK-NEXT: {{^}}xy2 x: 9.0{{$}}
  %d91 = tfx_ad.gradient @xy2(%two_, %three_) wrt [0] : (f64, f64) -> f64
  tfx_host.print "xy2 x: {}"(%d91) : f64
  // CHECK-NEXT: {{^}}xy2 y: 20.0{{$}}
  %d92 = tfx_ad.gradient @xy2(%five, %two_) wrt [1] : (f64, f64) -> f64
  tfx_host.print "xy2 y: {}"(%d92) : f64
  return
}
