// Second derivatives: rows of Hessians by reverse mode over reverse mode and by forward mode over
// reverse mode, and second derivatives by one parameter. Clad, test/Hessian/Hessians.C,
// BuiltinDerivatives.C, CustomDerivatives.C and NestedFunctionCalls.C, and test/NthDerivative. A
// double or a float of C is f64.
//
// RUN: tfxc run %s | FileCheck %s

func.func private @cubed_add(%a: f64, %b: f64) -> f64 {
  %aa = arith.mulf %a, %a : f64
  %aaa = arith.mulf %aa, %a : f64
  %bb = arith.mulf %b, %b : f64
  %bbb = arith.mulf %bb, %b : f64
  %c = arith.addf %aaa, %bbb : f64
  return %c : f64
}
func.func private @cubed_add.grad(%a: f64, %b: f64) -> (f64, f64) {
  %da, %db = tfx_ad.gradient @cubed_add(%a, %b) wrt [0, 1] : (f64, f64) -> (f64, f64)
  return %da, %db : f64, f64
}
func.func private @suvat(%u: f64, %t: f64) -> f64 {
  %half = arith.constant 0.5 : f64
  %c9_81 = arith.constant 9.81 : f64
  %ut = arith.mulf %u, %t : f64
  %a = arith.mulf %half, %c9_81 : f64
  %tt = arith.mulf %t, %t : f64
  %att = arith.mulf %a, %tt : f64
  %b = arith.addf %ut, %att : f64
  return %b : f64
}
func.func private @suvat.grad(%u: f64, %t: f64) -> (f64, f64) {
  %du, %dt = tfx_ad.gradient @suvat(%u, %t) wrt [0, 1] : (f64, f64) -> (f64, f64)
  return %du, %dt : f64, f64
}
func.func private @cond3(%x: f64, %c: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %is_gt = arith.cmpf ogt, %c, %zero : f64
  cf.cond_br %is_gt, ^then, ^else
^then:
  %xx = arith.mulf %x, %x : f64
  %xxx = arith.mulf %xx, %x : f64
  %cc = arith.mulf %c, %c : f64
  %ccc = arith.mulf %cc, %c : f64
  %a = arith.addf %xxx, %ccc : f64
  return %a : f64
^else:
  %b = arith.mulf %x, %x : f64
  %bx = arith.mulf %b, %x : f64
  %d = arith.mulf %c, %c : f64
  %dc = arith.mulf %d, %c : f64
  %e = arith.subf %bx, %dc : f64
  return %e : f64
}
func.func private @cond3.grad(%x: f64, %c: f64) -> (f64, f64) {
  %dx, %dc = tfx_ad.gradient @cond3(%x, %c) wrt [0, 1] : (f64, f64) -> (f64, f64)
  return %dx, %dc : f64, f64
}
func.func private @power10(%x: f64) -> f64 {
  %xx = arith.mulf %x, %x : f64
  %xxx = arith.mulf %xx, %x : f64
  %xxxx = arith.mulf %xxx, %x : f64
  %a = arith.mulf %xxxx, %x : f64
  %ax = arith.mulf %a, %x : f64
  %axx = arith.mulf %ax, %x : f64
  %axxx = arith.mulf %axx, %x : f64
  %b = arith.mulf %axxx, %x : f64
  %bx = arith.mulf %b, %x : f64
  return %bx : f64
}
func.func private @power10.grad(%x: f64) -> f64 {
  %d = tfx_ad.gradient @power10(%x) wrt [0] : (f64) -> f64
  return %d : f64
}

// Methods of structs, by their parameters.
tfx_host.struct @Experiment {x: f64, y: f64}
func.func private @some_method(%self: !tfx_host.struct<@Experiment>, %i: f64, %j: f64) -> f64 {
  %ii = arith.mulf %i, %i : f64
  %iij = arith.mulf %ii, %j : f64
  %jj = arith.mulf %j, %j : f64
  %jji = arith.mulf %jj, %i : f64
  %a = arith.addf %iij, %jji : f64
  return %a : f64
}
func.func private @some_method.grad(%self: !tfx_host.struct<@Experiment>, %i: f64, %j: f64) -> (f64, f64) {
  %di, %dj = tfx_ad.gradient @some_method(%self, %i, %j) wrt [1, 2] : (!tfx_host.struct<@Experiment>, f64, f64) -> (f64, f64)
  return %di, %dj : f64, f64
}
func.func private @mem_fn_1(%w: !tfx_host.struct<@Experiment>, %i: f64, %j: f64) -> f64 {
  %x = tfx_host.extract %w["x"] : !tfx_host.struct<@Experiment> -> f64
  %y = tfx_host.extract %w["y"] : !tfx_host.struct<@Experiment> -> f64
  %xy = arith.mulf %x, %y : f64
  %xyi = arith.mulf %xy, %i : f64
  %xyij = arith.mulf %xyi, %j : f64
  return %xyij : f64
}
func.func private @mem_fn_1.grad(%w: !tfx_host.struct<@Experiment>, %i: f64, %j: f64) -> (f64, f64) {
  %di, %dj = tfx_ad.gradient @mem_fn_1(%w, %i, %j) wrt [1, 2] : (!tfx_host.struct<@Experiment>, f64, f64) -> (f64, f64)
  return %di, %dj : f64, f64
}
func.func private @mem_fn_2(%w: !tfx_host.struct<@Experiment>, %i: f64, %j: f64) -> f64 {
  %four = arith.constant 4.0 : f64
  %x = tfx_host.extract %w["x"] : !tfx_host.struct<@Experiment> -> f64
  %xi = arith.mulf %x, %i : f64
  %a = arith.mulf %xi, %j : f64
  %b = arith.mulf %four, %a : f64
  %y = tfx_host.extract %w["y"] : !tfx_host.struct<@Experiment> -> f64
  %by = arith.mulf %b, %y : f64
  %c = tfx_host.extract %w["y"] : !tfx_host.struct<@Experiment> -> f64
  %byc = arith.mulf %by, %c : f64
  %byci = arith.mulf %byc, %i : f64
  return %byci : f64
}
func.func private @mem_fn_2.grad(%w: !tfx_host.struct<@Experiment>, %i: f64, %j: f64) -> (f64, f64) {
  %di, %dj = tfx_ad.gradient @mem_fn_2(%w, %i, %j) wrt [1, 2] : (!tfx_host.struct<@Experiment>, f64, f64) -> (f64, f64)
  return %di, %dj : f64, f64
}
func.func private @def_arg(%i: f64, %j: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %twoi = arith.mulf %two, %i : f64
  %a = arith.mulf %twoi, %j : f64
  return %a : f64
}
func.func private @def_arg.grad(%i: f64, %j: f64) -> (f64, f64) {
  %di, %dj = tfx_ad.gradient @def_arg(%i, %j) wrt [0, 1] : (f64, f64) -> (f64, f64)
  return %di, %dj : f64, f64
}

// Functions of the mathematical library. Each second derivative is the gradient of a gradient.
func.func private @b1(%x: f64) -> f64 {
  %sin_x = math.sin %x : f64
  %cos_x = math.cos %x : f64
  %a = arith.addf %sin_x, %cos_x : f64
  return %a : f64
}
func.func private @b1.grad(%x: f64) -> f64 {
  %d = tfx_ad.gradient @b1(%x) wrt [0] : (f64) -> f64
  return %d : f64
}
func.func private @b2(%x: f64) -> f64 {
  %exp_x = math.exp %x : f64
  return %exp_x : f64
}
func.func private @b2.grad(%x: f64) -> f64 {
  %d = tfx_ad.gradient @b2(%x) wrt [0] : (f64) -> f64
  return %d : f64
}
func.func private @b3(%x: f64) -> f64 {
  %log_x = math.log %x : f64
  return %log_x : f64
}
func.func private @b3.grad(%x: f64) -> f64 {
  %d = tfx_ad.gradient @b3(%x) wrt [0] : (f64) -> f64
  return %d : f64
}
func.func private @b4(%x: f64) -> f64 {
  %four = arith.constant 4.0 : f64
  %a = math.powf %x, %four : f64
  return %a : f64
}
func.func private @b4.grad(%x: f64) -> f64 {
  %d = tfx_ad.gradient @b4(%x) wrt [0] : (f64) -> f64
  return %d : f64
}
func.func private @b5(%x: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %a = math.powf %two, %x : f64
  return %a : f64
}
func.func private @b5.grad(%x: f64) -> f64 {
  %d = tfx_ad.gradient @b5(%x) wrt [0] : (f64) -> f64
  return %d : f64
}
func.func private @b6(%x: f64, %y: f64) -> f64 {
  %a = math.powf %x, %y : f64
  return %a : f64
}
func.func private @b6.grad(%x: f64, %y: f64) -> (f64, f64) {
  %dx, %dy = tfx_ad.gradient @b6(%x, %y) wrt [0, 1] : (f64, f64) -> (f64, f64)
  return %dx, %dy : f64, f64
}

// The rule of a function gives both partial derivatives.
func.func private @b7(%x: f64, %y: f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0, 1], forward = @b7.forward, backward = @b7.backward>} {
  %sin_x = math.sin %x : f64
  %exp_y = math.exp %y : f64
  %a = arith.addf %sin_x, %exp_y : f64
  return %a : f64
}
func.func private @b7.forward(%x: f64, %y: f64) -> (f64, f64, f64) {
  %b7_x = func.call @b7(%x, %y) : (f64, f64) -> f64
  return %b7_x, %x, %y : f64, f64, f64
}
func.func private @b7.backward(%x: f64, %y: f64, %d: f64) -> (f64, f64) {
  %cos_x = math.cos %x : f64
  %a = arith.mulf %cos_x, %d : f64
  %exp_y = math.exp %y : f64
  %b = arith.mulf %exp_y, %d : f64
  return %a, %b : f64, f64
}
func.func private @b7.grad(%x: f64, %y: f64) -> (f64, f64) {
  %dx, %dy = tfx_ad.gradient @b7(%x, %y) wrt [0, 1] : (f64, f64) -> (f64, f64)
  return %dx, %dy : f64, f64
}

// A wrong rule of one partial derivative is visible in the Hessian.
func.func private @custom(%x: f64, %y: f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0, 1], forward = @custom.forward, backward = @custom.backward>} {
  %xx = arith.mulf %x, %x : f64
  %xxy = arith.mulf %xx, %y : f64
  return %xxy : f64
}
func.func private @custom.forward(%x: f64, %y: f64) -> (f64, f64, f64) {
  %custom_x = func.call @custom(%x, %y) : (f64, f64) -> f64
  return %custom_x, %x, %y : f64, f64, f64
}
func.func private @custom.backward(%x: f64, %y: f64, %d: f64) -> (f64, f64) {
  %thousand = arith.constant 1000.0 : f64
  %two = arith.constant 2.0 : f64
  %a = arith.mulf %thousand, %two : f64
  %ax = arith.mulf %a, %x : f64
  %axy = arith.mulf %ax, %y : f64
  %axyd = arith.mulf %axy, %d : f64
  %xx = arith.mulf %x, %x : f64
  %xxd = arith.mulf %xx, %d : f64
  return %axyd, %xxd : f64, f64
}
func.func private @custom.grad(%x: f64, %y: f64) -> (f64, f64) {
  %dx, %dy = tfx_ad.gradient @custom(%x, %y) wrt [0, 1] : (f64, f64) -> (f64, f64)
  return %dx, %dy : f64, f64
}

func.func private @squares(%x: f64, %y: f64) -> f64 {
  %xx = arith.mulf %x, %x : f64
  %yy = arith.mulf %y, %y : f64
  %a = arith.addf %xx, %yy : f64
  return %a : f64
}
func.func private @outer(%x: f64, %y: f64) -> f64 {
  %ans = func.call @squares(%x, %y) : (f64, f64) -> f64
  return %ans : f64
}
func.func private @outer.grad(%x: f64, %y: f64) -> (f64, f64) {
  %dx, %dy = tfx_ad.gradient @outer(%x, %y) wrt [0, 1] : (f64, f64) -> (f64, f64)
  return %dx, %dy : f64, f64
}

// Second and third derivatives by one parameter.
func.func private @outer.second(%x: f64, %y: f64) -> f64 {
  %dy = tfx_ad.gradient @outer(%x, %y) wrt [1] : (f64, f64) -> f64
  return %dy : f64
}
func.func private @outer.third(%x: f64, %y: f64) -> f64 {
  %ddy = tfx_ad.gradient @outer.second(%x, %y) wrt [1] : (f64, f64) -> f64
  return %ddy : f64
}
func.func private @nth_sin(%x: f64) -> f64 {
  %sin_x = math.sin %x : f64
  return %sin_x : f64
}
func.func private @nth_sin.grad(%x: f64) -> f64 {
  %d = tfx_ad.gradient @nth_sin(%x) wrt [0] : (f64) -> f64
  return %d : f64
}
func.func private @nth_cos(%x: f64) -> f64 {
  %cos_x = math.cos %x : f64
  return %cos_x : f64
}
func.func private @nth_cos.grad(%x: f64) -> f64 {
  %d = tfx_ad.gradient @nth_cos(%x) wrt [0] : (f64) -> f64
  return %d : f64
}
func.func private @nth_trig(%x: f64, %y: f64, %a: i64, %b: i64) -> f64 {
  %xy = arith.mulf %x, %y : f64
  %s = math.sin %xy : f64
  %d = arith.mulf %x, %y : f64
  %c = math.cos %d : f64
  %p = math.fpowi %s, %a : f64, i64
  %q = math.fpowi %c, %b : f64, i64
  %pq = arith.mulf %p, %q : f64
  return %pq : f64
}
func.func private @nth_trig.x(%x: f64, %y: f64, %a: i64, %b: i64) -> f64 {
  %d = tfx_ad.gradient @nth_trig(%x, %y, %a, %b) wrt [0] : (f64, f64, i64, i64) -> f64
  return %d : f64
}
func.func private @nth_trig.y(%x: f64, %y: f64, %a: i64, %b: i64) -> f64 {
  %d = tfx_ad.gradient @nth_trig(%x, %y, %a, %b) wrt [1] : (f64, f64, i64, i64) -> f64
  return %d : f64
}
func.func private @nth_exp(%x: f64) -> f64 {
  %xx = arith.mulf %x, %x : f64
  %exp_xx = math.exp %xx : f64
  return %exp_xx : f64
}
func.func private @nth_exp.grad(%x: f64) -> f64 {
  %d = tfx_ad.gradient @nth_exp(%x) wrt [0] : (f64) -> f64
  return %d : f64
}

func.func public @main() {
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  %zero = arith.constant 0.0 : f64
  %five = arith.constant 5.0 : f64
  %cm2 = arith.constant -2.0 : f64
  %c11 = arith.constant 11.0 : f64
  %c17 = arith.constant 17.0 : f64
  %three = arith.constant 3.0 : f64
  %seven = arith.constant 7.0 : f64
  %nine = arith.constant 9.0 : f64
  %four = arith.constant 4.0 : f64
  %c1_5 = arith.constant 1.5 : f64
  %c2_5 = arith.constant 2.5 : f64
  %half = arith.constant 0.5 : f64
  %n1 = arith.constant 1 : i64
  %n2 = arith.constant 2 : i64
  // Case: Clad, Hessian/Hessians.C, f_cubed_add1.
  // CHECK: {{^}}cubed_add: 6.0 0.0 0.0 12.0{{$}}
  %y0.0, %y0.1, %pullback0 = tfx_ad.vjp @cubed_add.grad(%one, %two) wrt [0, 1] : (f64, f64) -> (f64, f64, !tfx_host.closure<(f64, f64) -> (f64, f64)>)
  %d1.0, %d1.1 = tfx_host.apply %pullback0(%one, %zero) : !tfx_host.closure<(f64, f64) -> (f64, f64)>
  %d2.0, %d2.1 = tfx_host.apply %pullback0(%zero, %one) : !tfx_host.closure<(f64, f64) -> (f64, f64)>
  tfx_host.print "cubed_add: {} {} {} {}"(%d1.0, %d1.1, %d2.0, %d2.1) : f64, f64, f64, f64
  // CHECK-NEXT: {{^}}forward cubed_add: 3.0 12.0 0.0 12.0{{$}}
  %y3.0, %y3.1, %t4.0, %t4.1 = tfx_ad.jvp @cubed_add.grad(%one, %two) tangents(%zero, %one : f64, f64) wrt [0, 1] : (f64, f64) -> (f64, f64, f64, f64)
  tfx_host.print "forward cubed_add: {} {} {} {}"(%y3.0, %y3.1, %t4.0, %t4.1) : f64, f64, f64, f64
  // Case: Clad, Hessian/Hessians.C, f_suvat1.
  // CHECK-NEXT: {{^}}suvat: 0.0 1.0 1.0 9.81{{$}}
  %y5.0, %y5.1, %pullback5 = tfx_ad.vjp @suvat.grad(%one, %two) wrt [0, 1] : (f64, f64) -> (f64, f64, !tfx_host.closure<(f64, f64) -> (f64, f64)>)
  %d6.0, %d6.1 = tfx_host.apply %pullback5(%one, %zero) : !tfx_host.closure<(f64, f64) -> (f64, f64)>
  %d7.0, %d7.1 = tfx_host.apply %pullback5(%zero, %one) : !tfx_host.closure<(f64, f64) -> (f64, f64)>
  tfx_host.print "suvat: {} {} {} {}"(%d6.0, %d6.1, %d7.0, %d7.1) : f64, f64, f64, f64
  // CHECK-NEXT: {{^}}forward suvat: 2.0 20.62 0.0 1.0{{$}}
  %y8.0, %y8.1, %t9.0, %t9.1 = tfx_ad.jvp @suvat.grad(%one, %two) tangents(%one, %zero : f64, f64) wrt [0, 1] : (f64, f64) -> (f64, f64, f64, f64)
  tfx_host.print "forward suvat: {} {} {} {}"(%y8.0, %y8.1, %t9.0, %t9.1) : f64, f64, f64, f64
  // Case: Clad, Hessian/Hessians.C, f_cond3.
  // CHECK-NEXT: {{^}}cond3: 30.0 0.0 0.0 12.0{{$}}
  %y10.0, %y10.1, %pullback10 = tfx_ad.vjp @cond3.grad(%five, %cm2) wrt [0, 1] : (f64, f64) -> (f64, f64, !tfx_host.closure<(f64, f64) -> (f64, f64)>)
  %d11.0, %d11.1 = tfx_host.apply %pullback10(%one, %zero) : !tfx_host.closure<(f64, f64) -> (f64, f64)>
  %d12.0, %d12.1 = tfx_host.apply %pullback10(%zero, %one) : !tfx_host.closure<(f64, f64) -> (f64, f64)>
  tfx_host.print "cond3: {} {} {} {}"(%d11.0, %d11.1, %d12.0, %d12.1) : f64, f64, f64, f64
  // CHECK-NEXT: {{^}}forward cond3: 75.0 -12.0 0.0 12.0{{$}}
  %y13.0, %y13.1, %t14.0, %t14.1 = tfx_ad.jvp @cond3.grad(%five, %cm2) tangents(%zero, %one : f64, f64) wrt [0, 1] : (f64, f64) -> (f64, f64, f64, f64)
  tfx_host.print "forward cond3: {} {} {} {}"(%y13.0, %y13.1, %t14.0, %t14.1) : f64, f64, f64, f64
  // Case: Clad, Hessian/Hessians.C, f_power10.
  // CHECK-NEXT: {{^}}power10: 35156250.0{{$}}
  %d15 = tfx_ad.gradient @power10.grad(%five) wrt [0] : (f64) -> f64
  tfx_host.print "power10: {}"(%d15) : f64
  // CHECK-NEXT: {{^}}forward power10: 19531250.0 35156250.0{{$}}
  %y16, %t17 = tfx_ad.jvp @power10.grad(%five) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "forward power10: {} {}"(%y16, %t17) : f64, f64
  // Case: Clad, Hessian/Hessians.C, Experiment.someMethod.
  %e = tfx_host.make_struct(%c11, %c17) : (f64, f64) -> !tfx_host.struct<@Experiment>
  %w = tfx_host.make_struct(%three, %five) : (f64, f64) -> !tfx_host.struct<@Experiment>
  // CHECK-NEXT: {{^}}some_method: 10.0 16.0 16.0 6.0{{$}}
  %y18.0, %y18.1, %pullback18 = tfx_ad.vjp @some_method.grad(%e, %three, %five) wrt [1, 2] : (!tfx_host.struct<@Experiment>, f64, f64) -> (f64, f64, !tfx_host.closure<(f64, f64) -> (f64, f64)>)
  %d19.0, %d19.1 = tfx_host.apply %pullback18(%one, %zero) : !tfx_host.closure<(f64, f64) -> (f64, f64)>
  %d20.0, %d20.1 = tfx_host.apply %pullback18(%zero, %one) : !tfx_host.closure<(f64, f64) -> (f64, f64)>
  tfx_host.print "some_method: {} {} {} {}"(%d19.0, %d19.1, %d20.0, %d20.1) : f64, f64, f64, f64
  // Case: Clad, Hessian/Hessians.C, Widget.memFn_1.
  // CHECK-NEXT: {{^}}mem_fn_1: 0.0 15.0 15.0 0.0{{$}}
  %y21.0, %y21.1, %pullback21 = tfx_ad.vjp @mem_fn_1.grad(%w, %seven, %nine) wrt [1, 2] : (!tfx_host.struct<@Experiment>, f64, f64) -> (f64, f64, !tfx_host.closure<(f64, f64) -> (f64, f64)>)
  %d22.0, %d22.1 = tfx_host.apply %pullback21(%one, %zero) : !tfx_host.closure<(f64, f64) -> (f64, f64)>
  %d23.0, %d23.1 = tfx_host.apply %pullback21(%zero, %one) : !tfx_host.closure<(f64, f64) -> (f64, f64)>
  tfx_host.print "mem_fn_1: {} {} {} {}"(%d22.0, %d22.1, %d23.0, %d23.1) : f64, f64, f64, f64
  // Case: Clad, Hessian/Hessians.C, Widget.memFn_2.
  // CHECK-NEXT: {{^}}mem_fn_2: 5400.0 4200.0 4200.0 0.0{{$}}
  %y24.0, %y24.1, %pullback24 = tfx_ad.vjp @mem_fn_2.grad(%w, %seven, %nine) wrt [1, 2] : (!tfx_host.struct<@Experiment>, f64, f64) -> (f64, f64, !tfx_host.closure<(f64, f64) -> (f64, f64)>)
  %d25.0, %d25.1 = tfx_host.apply %pullback24(%one, %zero) : !tfx_host.closure<(f64, f64) -> (f64, f64)>
  %d26.0, %d26.1 = tfx_host.apply %pullback24(%zero, %one) : !tfx_host.closure<(f64, f64) -> (f64, f64)>
  tfx_host.print "mem_fn_2: {} {} {} {}"(%d25.0, %d25.1, %d26.0, %d26.1) : f64, f64, f64, f64
  // Case: Clad, Hessian/Hessians.C, fn_def_arg.
  // CHECK-NEXT: {{^}}def_arg: 0.0 2.0 2.0 0.0{{$}}
  %y27.0, %y27.1, %pullback27 = tfx_ad.vjp @def_arg.grad(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64, !tfx_host.closure<(f64, f64) -> (f64, f64)>)
  %d28.0, %d28.1 = tfx_host.apply %pullback27(%one, %zero) : !tfx_host.closure<(f64, f64) -> (f64, f64)>
  %d29.0, %d29.1 = tfx_host.apply %pullback27(%zero, %one) : !tfx_host.closure<(f64, f64) -> (f64, f64)>
  tfx_host.print "def_arg: {} {} {} {}"(%d28.0, %d28.1, %d29.0, %d29.1) : f64, f64, f64, f64
  // Case: Clad, Hessian/BuiltinDerivatives.C, f1.
  // CHECK-NEXT: {{^}}b1: -1.0{{$}}
  %d30 = tfx_ad.gradient @b1.grad(%zero) wrt [0] : (f64) -> f64
  tfx_host.print "b1: {}"(%d30) : f64
  // Case: Clad, Hessian/BuiltinDerivatives.C, f2, with the closed form.
  // CHECK-NEXT: {{^}}b2: {{2\.71828182[0-9]*}}{{$}}
  %d31 = tfx_ad.gradient @b2.grad(%one) wrt [0] : (f64) -> f64
  tfx_host.print "b2: {}"(%d31) : f64
  // Case: Clad, Hessian/BuiltinDerivatives.C, f3.
  // CHECK-NEXT: {{^}}b3: -1.0{{$}}
  %d32 = tfx_ad.gradient @b3.grad(%one) wrt [0] : (f64) -> f64
  tfx_host.print "b3: {}"(%d32) : f64
  // Case: Clad, Hessian/BuiltinDerivatives.C, f4.
  // CHECK-NEXT: {{^}}b4: 108.0{{$}}
  %d33 = tfx_ad.gradient @b4.grad(%three) wrt [0] : (f64) -> f64
  tfx_host.print "b4: {}"(%d33) : f64
  // Case: Clad, Hessian/BuiltinDerivatives.C, f5, with the closed form.
  // CHECK-NEXT: {{^}}b5: {{3\.84362411[0-9]*}}{{$}}
  %d34 = tfx_ad.gradient @b5.grad(%three) wrt [0] : (f64) -> f64
  tfx_host.print "b5: {}"(%d34) : f64
  // Case: Clad, Hessian/BuiltinDerivatives.C, f6, with the closed form.
  // CHECK-NEXT: {{^}}b6: {{(108\.0?|107\.999999[0-9]*|108\.000000[0-9]*)}} {{145\.650127[0-9]*}} {{145\.650127[0-9]*}} {{97\.7628658[0-9]*}}{{$}}
  %y35.0, %y35.1, %pullback35 = tfx_ad.vjp @b6.grad(%three, %four) wrt [0, 1] : (f64, f64) -> (f64, f64, !tfx_host.closure<(f64, f64) -> (f64, f64)>)
  %d36.0, %d36.1 = tfx_host.apply %pullback35(%one, %zero) : !tfx_host.closure<(f64, f64) -> (f64, f64)>
  %d37.0, %d37.1 = tfx_host.apply %pullback35(%zero, %one) : !tfx_host.closure<(f64, f64) -> (f64, f64)>
  tfx_host.print "b6: {} {} {} {}"(%d36.0, %d36.1, %d37.0, %d37.1) : f64, f64, f64, f64
  // Case: Clad, Hessian/BuiltinDerivatives.C, f7, with the closed form.
  // CHECK-NEXT: {{^}}b7: -{{0\.141120008[0-9]*}} {{-?0\.0}} {{-?0\.0}} {{54\.5981500[0-9]*}}{{$}}
  %y38.0, %y38.1, %pullback38 = tfx_ad.vjp @b7.grad(%three, %four) wrt [0, 1] : (f64, f64) -> (f64, f64, !tfx_host.closure<(f64, f64) -> (f64, f64)>)
  %d39.0, %d39.1 = tfx_host.apply %pullback38(%one, %zero) : !tfx_host.closure<(f64, f64) -> (f64, f64)>
  %d40.0, %d40.1 = tfx_host.apply %pullback38(%zero, %one) : !tfx_host.closure<(f64, f64) -> (f64, f64)>
  tfx_host.print "b7: {} {} {} {}"(%d39.0, %d39.1, %d40.0, %d40.1) : f64, f64, f64, f64
  // Case: Clad, Hessian/CustomDerivatives.C, f.
  // CHECK-NEXT: {{^}}custom: 2000.0 6000.0 6.0 0.0{{$}}
  %y41.0, %y41.1, %pullback41 = tfx_ad.vjp @custom.grad(%three, %one) wrt [0, 1] : (f64, f64) -> (f64, f64, !tfx_host.closure<(f64, f64) -> (f64, f64)>)
  %d42.0, %d42.1 = tfx_host.apply %pullback41(%one, %zero) : !tfx_host.closure<(f64, f64) -> (f64, f64)>
  %d43.0, %d43.1 = tfx_host.apply %pullback41(%zero, %one) : !tfx_host.closure<(f64, f64) -> (f64, f64)>
  tfx_host.print "custom: {} {} {} {}"(%d42.0, %d42.1, %d43.0, %d43.1) : f64, f64, f64, f64
  // Case: Clad, Hessian/NestedFunctionCalls.C, f2.
  // CHECK-NEXT: {{^}}outer: 2.0 0.0 0.0 2.0{{$}}
  %y44.0, %y44.1, %pullback44 = tfx_ad.vjp @outer.grad(%three, %four) wrt [0, 1] : (f64, f64) -> (f64, f64, !tfx_host.closure<(f64, f64) -> (f64, f64)>)
  %d45.0, %d45.1 = tfx_host.apply %pullback44(%one, %zero) : !tfx_host.closure<(f64, f64) -> (f64, f64)>
  %d46.0, %d46.1 = tfx_host.apply %pullback44(%zero, %one) : !tfx_host.closure<(f64, f64) -> (f64, f64)>
  tfx_host.print "outer: {} {} {} {}"(%d45.0, %d45.1, %d46.0, %d46.1) : f64, f64, f64, f64
  // Case: Clad, NthDerivative/BasicArithmeticMul.C, test_2.
  // CHECK-NEXT: {{^}}outer second: 2.0{{$}}
  %y47 = func.call @outer.third(%c1_5, %c2_5) : (f64, f64) -> f64
  tfx_host.print "outer second: {}"(%y47) : f64
  // CHECK-NEXT: {{^}}outer third: 0.0{{$}}
  %d48 = tfx_ad.gradient @outer.third(%c1_5, %c2_5) wrt [1] : (f64, f64) -> f64
  tfx_host.print "outer third: {}"(%d48) : f64
  // Case: Clad, NthDerivative/CustomDerivatives.C, test_sin.
  // CHECK-NEXT: {{^}}nth_sin: -{{0\.479425538[0-9]*}}{{$}}
  %d49 = tfx_ad.gradient @nth_sin.grad(%half) wrt [0] : (f64) -> f64
  tfx_host.print "nth_sin: {}"(%d49) : f64
  // Case: Clad, NthDerivative/CustomDerivatives.C, test_cos.
  // CHECK-NEXT: {{^}}nth_cos: -{{0\.540302305[0-9]*}}{{$}}
  %d50 = tfx_ad.gradient @nth_cos.grad(%one) wrt [0] : (f64) -> f64
  tfx_host.print "nth_cos: {}"(%d50) : f64
  // Case: Clad, NthDerivative/CustomDerivatives.C, test_trig, with the closed forms of sin cos^2
  // and sin^2 cos.
  // CHECK-NEXT: {{^}}nth_trig x: -{{2\.36422010[0-9]*}}{{$}}
  %d51 = tfx_ad.gradient @nth_trig.x(%half, %one, %n1, %n2) wrt [0] : (f64, f64, i64, i64) -> f64
  tfx_host.print "nth_trig x: {}"(%d51) : f64
  // CHECK-NEXT: {{^}}nth_trig y: -{{0\.0602369367[0-9]*}}{{$}}
  %d52 = tfx_ad.gradient @nth_trig.y(%one, %half, %n2, %n1) wrt [1] : (f64, f64, i64, i64) -> f64
  tfx_host.print "nth_trig y: {}"(%d52) : f64
  // Case: Clad, NthDerivative/CustomDerivatives.C, test_exp.
  // CHECK-NEXT: {{^}}nth_exp: {{982\.766700[0-9]*}}{{$}}
  %d53 = tfx_ad.gradient @nth_exp.grad(%two) wrt [0] : (f64) -> f64
  tfx_host.print "nth_exp: {}"(%d53) : f64
  return
}
