// Custom rules of functions. JAX, tests/custom_api_test.py, classes CustomJVPTest and
// CustomVJPTest. JAX compares most of them with expressions; the values here are closed forms. A
// rule of custom_jvp is written for both modes, since one for forward mode serves forward mode
// only. Floats are f64.
//
// RUN: tfxc run %s --link %S/Inputs/foreign.c | FileCheck %s

// The rule says twice the derivative.
func.func private @sin2(%x: f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], jvp = @sin2.jvp, forward = @sin2.forward, backward = @sin2.backward>} {
  %sin_x = math.sin %x : f64
  return %sin_x : f64
}
func.func private @sin2.jvp(%x: f64, %g: f64) -> (f64, f64) {
  %two = arith.constant 2.0 : f64
  %sin2_x = func.call @sin2(%x) : (f64) -> f64
  %cos_x = math.cos %x : f64
  %a = arith.mulf %two, %cos_x : f64
  %ag = arith.mulf %a, %g : f64
  return %sin2_x, %ag : f64, f64
}
func.func private @sin2.forward(%x: f64) -> (f64, f64) {
  %sin2_x = func.call @sin2(%x) : (f64) -> f64
  %cos_x = math.cos %x : f64
  return %sin2_x, %cos_x : f64, f64
}
func.func private @sin2.backward(%c: f64, %g: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %twoc = arith.mulf %two, %c : f64
  %a = arith.mulf %twoc, %g : f64
  return %a : f64
}

// The value of a derivative has the derivative of the rule, also at second order.
func.func private @invariant(%x: f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], jvp = @invariant.jvp, forward = @invariant.forward, backward = @invariant.backward>} {
  %two = arith.constant 2.0 : f64
  %twox = arith.mulf %two, %x : f64
  %a = math.cos %twox : f64
  %b = arith.divf %a, %two : f64
  return %b : f64
}
func.func private @invariant.jvp(%x: f64, %g: f64) -> (f64, f64) {
  %three = arith.constant 3.0 : f64
  %a = func.call @invariant(%x) : (f64) -> f64
  %b = arith.mulf %three, %g : f64
  return %a, %b : f64, f64
}
func.func private @invariant.forward(%x: f64) -> (f64, f64) {
  %a = func.call @invariant(%x) : (f64) -> f64
  return %a, %x : f64, f64
}
func.func private @invariant.backward(%x: f64, %g: f64) -> f64 {
  %three = arith.constant 3.0 : f64
  %a = arith.mulf %g, %three : f64
  return %a : f64
}
func.func private @invariant2(%x: f64) -> f64 {
  %y, %d = tfx_ad.jvp @invariant(%x) tangents(%x : f64) wrt [0] : (f64) -> (f64, f64)
  return %y : f64
}
func.func private @invariant3(%x: f64) -> f64 {
  %y, %d = tfx_ad.jvp @invariant2(%x) tangents(%x : f64) wrt [0] : (f64) -> (f64, f64)
  return %y : f64
}
func.func private @invariant2_reverse(%x: f64) -> f64 {
  %y, %d = tfx_ad.gradient @invariant(%x) wrt [0] value : (f64) -> (f64, f64)
  return %y : f64
}
func.func private @invariant3_reverse(%x: f64) -> f64 {
  %y, %d = tfx_ad.gradient @invariant2_reverse(%x) wrt [0] value : (f64) -> (f64, f64)
  return %y : f64
}

// Branches in the function and in its rule.
func.func private @branch(%x: f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], jvp = @branch.jvp, forward = @branch.forward, backward = @branch.backward>} {
  %zero = arith.constant 0.0 : f64
  %is_gt = arith.cmpf ogt, %x, %zero : f64
  cf.cond_br %is_gt, ^then, ^else
^then:
  %sin_x = math.sin %x : f64
  return %sin_x : f64
^else:
  %cos_x = math.cos %x : f64
  return %cos_x : f64
}
func.func private @branch.jvp(%x: f64, %g: f64) -> (f64, f64) {
  %zero = arith.constant 0.0 : f64
  %two = arith.constant 2.0 : f64
  %three = arith.constant 3.0 : f64
  %is_gt = arith.cmpf ogt, %x, %zero : f64
  cf.cond_br %is_gt, ^then, ^else
^then:
  %branch_x = func.call @branch(%x) : (f64) -> f64
  %twog = arith.mulf %two, %g : f64
  return %branch_x, %twog : f64, f64
^else:
  %a = func.call @branch(%x) : (f64) -> f64
  %b = arith.mulf %three, %g : f64
  return %a, %b : f64, f64
}
func.func private @branch.forward(%x: f64) -> (f64, f64) {
  %branch_x = func.call @branch(%x) : (f64) -> f64
  return %branch_x, %x : f64, f64
}
func.func private @branch.backward(%x: f64, %g: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %two = arith.constant 2.0 : f64
  %three = arith.constant 3.0 : f64
  %is_gt = arith.cmpf ogt, %x, %zero : f64
  cf.cond_br %is_gt, ^then, ^else
^then:
  %twog = arith.mulf %two, %g : f64
  return %twog : f64
^else:
  %a = arith.mulf %three, %g : f64
  return %a : f64
}

// Structs instead of dictionaries; the residual is a struct, too.
tfx_host.struct @A {a: f64}
tfx_host.struct @B {b: f64}
tfx_host.struct @R {r: f64}
func.func private @trees(%x: !tfx_host.struct<@A>) -> !tfx_host.struct<@B> attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], jvp = @trees.jvp, forward = @trees.forward, backward = @trees.backward>} {
  %a = tfx_host.extract %x["a"] : !tfx_host.struct<@A> -> f64
  %sin_a = math.sin %a : f64
  %b = tfx_host.make_struct(%sin_a) : (f64) -> !tfx_host.struct<@B>
  return %b : !tfx_host.struct<@B>
}
func.func private @trees.jvp(%x: !tfx_host.struct<@A>, %g: !tfx_host.struct<@A>) -> (!tfx_host.struct<@B>, !tfx_host.struct<@B>) {
  %two = arith.constant 2.0 : f64
  %y = func.call @trees(%x) : (!tfx_host.struct<@A>) -> !tfx_host.struct<@B>
  %a = tfx_host.extract %x["a"] : !tfx_host.struct<@A> -> f64
  %cos_a = math.cos %a : f64
  %b = arith.mulf %two, %cos_a : f64
  %c = tfx_host.extract %g["a"] : !tfx_host.struct<@A> -> f64
  %bc = arith.mulf %b, %c : f64
  %dy = tfx_host.make_struct(%bc) : (f64) -> !tfx_host.struct<@B>
  return %y, %dy : !tfx_host.struct<@B>, !tfx_host.struct<@B>
}
func.func private @trees.forward(%x: !tfx_host.struct<@A>) -> (!tfx_host.struct<@B>, !tfx_host.struct<@R>) {
  %y = func.call @trees(%x) : (!tfx_host.struct<@A>) -> !tfx_host.struct<@B>
  %a = tfx_host.extract %x["a"] : !tfx_host.struct<@A> -> f64
  %cos_a = math.cos %a : f64
  %r = tfx_host.make_struct(%cos_a) : (f64) -> !tfx_host.struct<@R>
  return %y, %r : !tfx_host.struct<@B>, !tfx_host.struct<@R>
}
func.func private @trees.backward(%r: !tfx_host.struct<@R>, %g: !tfx_host.struct<@B>) -> !tfx_host.struct<@A> {
  %two = arith.constant 2.0 : f64
  %a = tfx_host.extract %r["r"] : !tfx_host.struct<@R> -> f64
  %twoa = arith.mulf %two, %a : f64
  %b = tfx_host.extract %g["b"] : !tfx_host.struct<@B> -> f64
  %c = arith.mulf %twoa, %b : f64
  %d = tfx_host.make_struct(%c) : (f64) -> !tfx_host.struct<@A>
  return %d : !tfx_host.struct<@A>
}

// In a loop that runs once; the second derivative of the first is 0.
func.func private @triple(%x: f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], jvp = @triple.jvp, forward = @triple.forward, backward = @triple.backward>} {
  %three = arith.constant 3.0 : f64
  %a = arith.mulf %three, %x : f64
  return %a : f64
}
func.func private @triple.jvp(%x: f64, %g: f64) -> (f64, f64) {
  %two = arith.constant 2.0 : f64
  %triple_x = func.call @triple(%x) : (f64) -> f64
  %twog = arith.mulf %two, %g : f64
  return %triple_x, %twog : f64, f64
}
func.func private @triple.forward(%x: f64) -> f64 {
  %triple_x = func.call @triple(%x) : (f64) -> f64
  return %triple_x : f64
}
func.func private @triple.backward(%g: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %twog = arith.mulf %two, %g : f64
  return %twog : f64
}
func.func private @scan_triple(%x: f64) -> f64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%c = %x) -> (f64) : i64 {
    %triple_c = func.call @triple(%c) : (f64) -> f64
    scf.yield %triple_c : f64
  }
  return %r : f64
}
func.func private @scan_triple.grad(%x: f64) -> f64 {
  %d = tfx_ad.gradient @scan_triple(%x) wrt [0] : (f64) -> f64
  return %d : f64
}
func.func private @scan_sin2(%x: f64) -> f64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%c = %x) -> (f64) : i64 {
    %sin2_c = func.call @sin2(%c) : (f64) -> f64
    scf.yield %sin2_c : f64
  }
  return %r : f64
}
func.func private @scan_sin2.grad(%x: f64) -> f64 {
  %d = tfx_ad.gradient @scan_sin2(%x) wrt [0] : (f64) -> f64
  return %d : f64
}

// The function of the argument is fixed: the rule is one of the application.
func.func private @twice(%x: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %twox = arith.mulf %two, %x : f64
  return %twox : f64
}
func.func private @app(%x: f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], jvp = @app.jvp, forward = @app.forward, backward = @app.backward>} {
  %f = tfx_host.closure @twice() : () -> !tfx_host.closure<(f64) -> f64>
  %y = tfx_host.apply %f(%x) : !tfx_host.closure<(f64) -> f64>
  return %y : f64
}
func.func private @app.jvp(%x: f64, %t: f64) -> (f64, f64) {
  %three = arith.constant 3.0 : f64
  %app_x = func.call @app(%x) : (f64) -> f64
  %a = arith.mulf %three, %t : f64
  return %app_x, %a : f64, f64
}
func.func private @app.forward(%x: f64) -> (f64, f64) {
  %app_x = func.call @app(%x) : (f64) -> f64
  %cos_x = math.cos %x : f64
  return %app_x, %cos_x : f64, f64
}
func.func private @app.backward(%c: f64, %g: f64) -> f64 {
  %cg = arith.mulf %c, %g : f64
  return %cg : f64
}
func.func private @call_app(%x: f64) -> f64 {
  %app_x = func.call @app(%x) : (f64) -> f64
  return %app_x : f64
}

// A linear function whose rule calls itself.
func.func private @negated(%x: f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], jvp = @negated.jvp, forward = @negated.forward, backward = @negated.backward>} {
  %minus_x = arith.negf %x : f64
  return %minus_x : f64
}
func.func private @negated.jvp(%x: f64, %t: f64) -> (f64, f64) {
  %negated_x = func.call @negated(%x) : (f64) -> f64
  %negated_t = func.call @negated(%t) : (f64) -> f64
  return %negated_x, %negated_t : f64, f64
}
func.func private @negated.forward(%x: f64) -> f64 {
  %negated_x = func.call @negated(%x) : (f64) -> f64
  return %negated_x : f64
}
func.func private @negated.backward(%g: f64) -> f64 {
  %negated_g = func.call @negated(%g) : (f64) -> f64
  return %negated_g : f64
}
func.func private @scan_negated(%x: f64) -> f64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%c = %x) -> (f64) : i64 {
    %negated_c = func.call @negated(%c) : (f64) -> f64
    scf.yield %negated_c : f64
  }
  return %r : f64
}

// A rule with respect to one parameter.
func.func private @second_only(%x: f64, %y: f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [1], jvp = @second_only.jvp, forward = @second_only.forward, backward = @second_only.backward>} {
  %xx = arith.mulf %x, %x : f64
  %xxy = arith.mulf %xx, %y : f64
  return %xxy : f64
}
func.func private @second_only.jvp(%x: f64, %y: f64, %t: f64) -> (f64, f64) {
  %two = arith.constant 2.0 : f64
  %a = func.call @second_only(%x, %y) : (f64, f64) -> f64
  %twox = arith.mulf %two, %x : f64
  %b = arith.mulf %twox, %y : f64
  %bt = arith.mulf %b, %t : f64
  return %a, %bt : f64, f64
}
func.func private @second_only.forward(%x: f64, %y: f64) -> (f64, f64, f64) {
  %a = func.call @second_only(%x, %y) : (f64, f64) -> f64
  return %a, %x, %y : f64, f64, f64
}
func.func private @second_only.backward(%x: f64, %y: f64, %g: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %twox = arith.mulf %two, %x : f64
  %a = arith.mulf %twox, %y : f64
  %ag = arith.mulf %a, %g : f64
  return %ag : f64
}

// The rule's tangent does not depend on the direction; the second parameter is an integer.
func.func private @pair(%x: f64, %y: i64) -> (f64, i64) attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], jvp = @pair.jvp>} {
  return %x, %y : f64, i64
}
func.func private @pair.jvp(%x: f64, %y: i64, %t: f64) -> (f64, i64, f64) {
  %two = arith.constant 2.0 : f64
  return %x, %y, %two : f64, i64, f64
}
func.func private @scan_pair(%x: f64, %y: i64) -> (f64, i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %r:2 = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %x, %b = %y) -> (f64, i64) : i64 {
    %p:2 = func.call @pair(%a, %b) : (f64, i64) -> (f64, i64)
    scf.yield %p#0, %p#1 : f64, i64
  }
  return %r#0, %r#1 : f64, i64
}

// Twice, one in the other.
func.func private @nested(%x: f64) -> f64 {
  %sin2_x = func.call @sin2(%x) : (f64) -> f64
  %a = func.call @sin2(%sin2_x) : (f64) -> f64
  return %a : f64
}
func.func private @nested.grad(%x: f64) -> f64 {
  %d = tfx_ad.gradient @nested(%x) wrt [0] : (f64) -> f64
  return %d : f64
}

// A scalar that the rule broadcasts.
func.func private @broadcast(%x: f64) -> tensor<2xf64> attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], forward = @broadcast.forward, backward = @broadcast.backward>} {
  %t = tfx_tensor.from_scalar %x : f64
  %a = tfx_tensor.const dense<[1.0, 1.0]> : tensor<2xf64>
  %y = tfx_tensor.op "Mul"(%a, %t) : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}
func.func private @broadcast.forward(%x: f64) -> tensor<2xf64> {
  %y = func.call @broadcast(%x) : (f64) -> tensor<2xf64>
  return %y : tensor<2xf64>
}
func.func private @broadcast.backward(%g: tensor<2xf64>) -> f64 {
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %s = tfx_tensor.op "Sum"(%g, %axes) : (tensor<2xf64>, tensor<1xi32>) -> tensor<f64>
  %a = tfx_tensor.to_scalar %s : tensor<f64> -> f64
  return %a : f64
}
func.func private @broadcast_sum(%x: f64) -> f64 {
  %y = func.call @broadcast(%x) : (f64) -> tensor<2xf64>
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %s = tfx_tensor.op "Sum"(%y, %axes) : (tensor<2xf64>, tensor<1xi32>) -> tensor<f64>
  %a = tfx_tensor.to_scalar %s : tensor<f64> -> f64
  return %a : f64
}

// The cotangent is clipped between two parameters, of which one depends on the same value.
func.func private @clip(%lo: f64, %hi: f64, %x: f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0, 1, 2], forward = @clip.forward, backward = @clip.backward>} {
  return %x : f64
}
func.func private @clip.forward(%lo: f64, %hi: f64, %x: f64) -> (f64, f64, f64) {
  return %x, %lo, %hi : f64, f64, f64
}
func.func private @clip.backward(%lo: f64, %hi: f64, %g: f64) -> (f64, f64, f64) {
  %zero = arith.constant 0.0 : f64
  %a = arith.maximumf %g, %lo : f64
  %b = arith.minimumf %a, %hi : f64
  return %zero, %zero, %b : f64, f64, f64
}
func.func private @clip_gradient(%x: f64) -> f64 {
  %cm0_1 = arith.constant -0.1 : f64
  %tenth = arith.constant 0.1 : f64
  %a = arith.addf %x, %tenth : f64
  %b = func.call @clip(%cm0_1, %a, %x) : (f64, f64, f64) -> f64
  return %b : f64
}

// The rule takes the gradient of another function.
func.func private @square(%x: f64) -> f64 {
  %xx = arith.mulf %x, %x : f64
  return %xx : f64
}
func.func private @nestable(%x: f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], forward = @nestable.forward, backward = @nestable.backward>} {
  %square_x = func.call @square(%x) : (f64) -> f64
  return %square_x : f64
}
func.func private @nestable.forward(%x: f64) -> (f64, f64) {
  %y, %d = tfx_ad.gradient @square(%x) wrt [0] value : (f64) -> (f64, f64)
  return %y, %d : f64, f64
}
func.func private @nestable.backward(%d: f64, %g: f64) -> f64 {
  %dg = arith.mulf %d, %g : f64
  return %dg : f64
}

// The rule uses a value that the function does not have in JAX: a second parameter here.
func.func private @closed_over(%y: f64, %x: f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [1], forward = @closed_over.forward, backward = @closed_over.backward>} {
  %two = arith.constant 2.0 : f64
  %sin_x = math.sin %x : f64
  %a = arith.mulf %two, %sin_x : f64
  return %a : f64
}
func.func private @closed_over.forward(%y: f64, %x: f64) -> (f64, f64) {
  %a = func.call @closed_over(%y, %x) : (f64, f64) -> f64
  return %a, %y : f64, f64
}
func.func private @closed_over.backward(%y: f64, %g: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %cos_y = math.cos %y : f64
  %a = arith.mulf %two, %cos_y : f64
  %ag = arith.mulf %a, %g : f64
  return %ag : f64
}
func.func private @closed_over.at(%y: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %d = tfx_ad.gradient @closed_over(%y, %one) wrt [1] : (f64, f64) -> f64
  return %d : f64
}

// One of two parameters has no derivative.
func.func private @nones(%x: f64, %y: f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0, 1], forward = @nones.forward, backward = @nones.backward>} {
  %sin_y = math.sin %y : f64
  %a = arith.mulf %x, %sin_y : f64
  return %a : f64
}
func.func private @nones.forward(%x: f64, %y: f64) -> (f64, f64) {
  %nones_x = func.call @nones(%x, %y) : (f64, f64) -> f64
  %cos_y = math.cos %y : f64
  return %nones_x, %cos_y : f64, f64
}
func.func private @nones.backward(%c: f64, %g: f64) -> (f64, f64) {
  %zero = arith.constant 0.0 : f64
  %two = arith.constant 2.0 : f64
  %twoc = arith.mulf %two, %c : f64
  %a = arith.mulf %twoc, %g : f64
  return %zero, %a : f64, f64
}
func.func private @nones_same(%x: f64) -> f64 {
  %nones_x = func.call @nones(%x, %x) : (f64, f64) -> f64
  return %nones_x : f64
}

func.func private @custom_gradient(%x: f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], forward = @custom_gradient.forward, backward = @custom_gradient.backward>} {
  %xx = arith.mulf %x, %x : f64
  return %xx : f64
}
func.func private @custom_gradient.forward(%x: f64) -> (f64, f64) {
  %a = func.call @custom_gradient(%x) : (f64) -> f64
  return %a, %x : f64, f64
}
func.func private @custom_gradient.backward(%x: f64, %g: f64) -> f64 {
  %gx = arith.mulf %g, %x : f64
  return %gx : f64
}
func.func private @custom_gradient.grad(%x: f64) -> f64 {
  %d = tfx_ad.gradient @custom_gradient(%x) wrt [0] : (f64) -> f64
  return %d : f64
}
func.func private @custom_gradient2(%x: f64, %y: f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0, 1], forward = @custom_gradient2.forward, backward = @custom_gradient2.backward>} {
  %xy = arith.mulf %x, %y : f64
  return %xy : f64
}
func.func private @custom_gradient2.forward(%x: f64, %y: f64) -> (f64, f64, f64) {
  %a = func.call @custom_gradient2(%x, %y) : (f64, f64) -> f64
  return %a, %x, %y : f64, f64, f64
}
func.func private @custom_gradient2.backward(%x: f64, %y: f64, %g: f64) -> (f64, f64) {
  return %y, %x : f64, f64
}

// A rule of a function of a tensor.
func.func private @custom_gradient3(%x: tensor<3xf64>) -> tensor<f64> attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], forward = @custom_gradient3.forward, backward = @custom_gradient3.backward>} {
  %s = tfx_tensor.op "Sin"(%x) : (tensor<3xf64>) -> tensor<3xf64>
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %y = tfx_tensor.op "Sum"(%s, %axes) : (tensor<3xf64>, tensor<1xi32>) -> tensor<f64>
  return %y : tensor<f64>
}
func.func private @custom_gradient3.forward(%x: tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>) {
  %y = func.call @custom_gradient3(%x) : (tensor<3xf64>) -> tensor<f64>
  return %y, %x : tensor<f64>, tensor<3xf64>
}
func.func private @custom_gradient3.backward(%x: tensor<3xf64>, %g: tensor<f64>) -> tensor<3xf64> {
  %numbers = tfx_tensor.const dense<[3.0, 4.0, 5.0]> : tensor<3xf64>
  %c = tfx_tensor.op "Cos"(%x) : (tensor<3xf64>) -> tensor<3xf64>
  %y = tfx_tensor.op "Mul"(%c, %numbers) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

// A foreign function, in place of a call back to Python: its rule calls a foreign function, too.
func.func private @foreign_sin(f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], forward = @foreign_sin.forward, backward = @foreign_sin.backward>}
func.func private @foreign_cos(f64) -> f64
func.func private @foreign_sin.forward(%x: f64) -> (f64, f64) {
  %a = func.call @foreign_sin(%x) : (f64) -> f64
  %b = func.call @foreign_cos(%x) : (f64) -> f64
  return %a, %b : f64, f64
}
func.func private @foreign_sin.backward(%c: f64, %g: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %twoc = arith.mulf %two, %c : f64
  %a = arith.mulf %twoc, %g : f64
  return %a : f64
}
func.func private @foreign(%x: f64) -> f64 {
  %a = func.call @foreign_sin(%x) : (f64) -> f64
  %ax = arith.mulf %a, %x : f64
  return %ax : f64
}

func.func public @main() {
  %three = arith.constant 3.0 : f64
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  %cm2 = arith.constant -2.0 : f64
  %n3 = arith.constant 3 : i64
  %tenth = arith.constant 0.1 : f64
  %four = arith.constant 4.0 : f64
  // Case: JAX, custom_api_test.py, CustomJVPTest, test_basic.
  // CHECK: {{^}}sin2 forward: {{0\.141120008[0-9]*}} -{{1\.97998499[0-9]*}}{{$}}
  %y0, %t1 = tfx_ad.jvp @sin2(%three) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "sin2 forward: {} {}"(%y0, %t1) : f64, f64
  // CHECK-NEXT: {{^}}sin2: -{{1\.97998499[0-9]*}}{{$}}
  %d2 = tfx_ad.gradient @sin2(%three) wrt [0] : (f64) -> f64
  tfx_host.print "sin2: {}"(%d2) : f64
  // Case: JAX, custom_api_test.py, CustomJVPTest, test_invariance.
  // CHECK-NEXT: {{^}}invariant: -{{0\.208073418[0-9]*}} 3.0{{$}}
  %y3, %t4 = tfx_ad.jvp @invariant(%one) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "invariant: {} {}"(%y3, %t4) : f64, f64
  // CHECK-NEXT: {{^}}invariant2: -{{0\.208073418[0-9]*}} 3.0{{$}}
  %y5, %t6 = tfx_ad.jvp @invariant2(%one) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "invariant2: {} {}"(%y5, %t6) : f64, f64
  // CHECK-NEXT: {{^}}invariant3: -{{0\.208073418[0-9]*}} 3.0{{$}}
  %y7, %t8 = tfx_ad.jvp @invariant3(%one) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "invariant3: {} {}"(%y7, %t8) : f64, f64
  // Case: JAX, custom_api_test.py, CustomJVPTest, test_python_control_flow.
  // CHECK-NEXT: {{^}}branch forward 2: {{0\.909297426[0-9]*}} 2.0{{$}}
  %y9, %t10 = tfx_ad.jvp @branch(%two) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "branch forward 2: {} {}"(%y9, %t10) : f64, f64
  // CHECK-NEXT: {{^}}branch forward -2: -{{0\.416146836[0-9]*}} 3.0{{$}}
  %y11, %t12 = tfx_ad.jvp @branch(%cm2) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "branch forward -2: {} {}"(%y11, %t12) : f64, f64
  // CHECK-NEXT: {{^}}branch 2: 2.0{{$}}
  %d13 = tfx_ad.gradient @branch(%two) wrt [0] : (f64) -> f64
  tfx_host.print "branch 2: {}"(%d13) : f64
  // CHECK-NEXT: {{^}}branch -2: 3.0{{$}}
  %d14 = tfx_ad.gradient @branch(%cm2) wrt [0] : (f64) -> f64
  tfx_host.print "branch -2: {}"(%d14) : f64
  // Case: JAX, custom_api_test.py, CustomJVPTest, test_pytrees.
  %a3 = tfx_host.make_struct(%three) : (f64) -> !tfx_host.struct<@A>
  // CHECK-NEXT: {{^}}trees forward: {{0\.141120008[0-9]*}} -{{5\.93995497[0-9]*}}{{$}}
  %y15, %t16 = tfx_ad.jvp @trees(%a3) tangents(%a3 : !tfx_host.struct<@A>) wrt [0] : (!tfx_host.struct<@A>) -> (!tfx_host.struct<@B>, !tfx_host.struct<@B>)
  %y15_b = tfx_host.extract %y15["b"] : !tfx_host.struct<@B> -> f64
  %t16_b = tfx_host.extract %t16["b"] : !tfx_host.struct<@B> -> f64
  tfx_host.print "trees forward: {} {}"(%y15_b, %t16_b) : f64, f64
  // Case: JAX, custom_api_test.py, CustomJVPTest, test_initial_style.
  // CHECK-NEXT: {{^}}scan_triple: 2.0{{$}}
  %d17 = tfx_ad.gradient @scan_triple(%three) wrt [0] : (f64) -> f64
  tfx_host.print "scan_triple: {}"(%d17) : f64
  // CHECK-NEXT: {{^}}scan_triple second: 0.0{{$}}
  %d18 = tfx_ad.gradient @scan_triple.grad(%three) wrt [0] : (f64) -> f64
  tfx_host.print "scan_triple second: {}"(%d18) : f64
  // Case: JAX, custom_api_test.py, CustomJVPTest, test_nondiff_argnums.
  // CHECK-NEXT: {{^}}app forward: 2.0 3.0{{$}}
  %y19, %t20 = tfx_ad.jvp @call_app(%one) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "app forward: {} {}"(%y19, %t20) : f64, f64
  // Case: JAX, custom_api_test.py, CustomJVPTest, test_linear_in_scan.
  // CHECK-NEXT: {{^}}scan_negated: -1.0{{$}}
  %d21 = tfx_ad.gradient @scan_negated(%three) wrt [0] : (f64) -> f64
  tfx_host.print "scan_negated: {}"(%d21) : f64
  // Case: JAX, custom_api_test.py, CustomJVPTest, test_custom_jvps_first_rule_is_none.
  // CHECK-NEXT: {{^}}second_only: 12.0{{$}}
  %d22 = tfx_ad.gradient @second_only(%two, %three) wrt [1] : (f64, f64) -> f64
  tfx_host.print "second_only: {}"(%d22) : f64
  // Case: JAX, custom_api_test.py, CustomJVPTest, test_float0.
  // CHECK-NEXT: {{^}}pair: 2.0 3 2.0{{$}}
  %y23.0, %y23.1, %t24 = tfx_ad.jvp @pair(%two, %n3) tangents(%one : f64) wrt [0] : (f64, i64) -> (f64, i64, f64)
  tfx_host.print "pair: {} {} {}"(%y23.0, %y23.1, %t24) : f64, i64, f64
  // Case: JAX, custom_api_test.py, CustomJVPTest, test_float0_initial_style.
  // CHECK-NEXT: {{^}}scan_pair: 2.0 3 2.0{{$}}
  %y25.0, %y25.1, %t26 = tfx_ad.jvp @scan_pair(%two, %n3) tangents(%one : f64) wrt [0] : (f64, i64) -> (f64, i64, f64)
  tfx_host.print "scan_pair: {} {} {}"(%y25.0, %y25.1, %t26) : f64, i64, f64
  // Case: JAX, custom_api_test.py, CustomJVPTest, test_remat.
  // CHECK-NEXT: {{^}}nested: {{0\.789072343[0-9]*}} -{{1\.02255647[0-9]*}}{{$}}
  %y28, %d27 = tfx_ad.gradient @nested(%two) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "nested: {} {}"(%y28, %d27) : f64, f64
  // Case: JAX, custom_api_test.py, CustomJVPTest, test_remat_higher_order, with the closed form.
  // CHECK-NEXT: {{^}}nested second forward: -{{1\.02255647[0-9]*}} -{{3\.32752762[0-9]*}}{{$}}
  %y29, %t30 = tfx_ad.jvp @nested.grad(%two) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "nested second forward: {} {}"(%y29, %t30) : f64, f64
  // Case: JAX, custom_api_test.py, CustomJVPTest, test_custom_jvp_unbroadcasting.
  // CHECK-NEXT: {{^}}broadcast_sum: 2.0{{$}}
  %d31 = tfx_ad.gradient @broadcast_sum(%one) wrt [0] : (f64) -> f64
  tfx_host.print "broadcast_sum: {}"(%d31) : f64
  // Case: JAX, custom_api_test.py, CustomVJPTest, test_basic.
  // CHECK-NEXT: {{^}}sin2 value: {{0\.141120008[0-9]*}} -{{1\.97998499[0-9]*}}{{$}}
  %y33, %d32 = tfx_ad.gradient @sin2(%three) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "sin2 value: {} {}"(%y33, %d32) : f64, f64
  // Case: JAX, custom_api_test.py, CustomVJPTest, test_invariance.
  // CHECK-NEXT: {{^}}invariant2_reverse: -{{0\.208073418[0-9]*}} 3.0{{$}}
  %y35, %d34 = tfx_ad.gradient @invariant2_reverse(%one) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "invariant2_reverse: {} {}"(%y35, %d34) : f64, f64
  // CHECK-NEXT: {{^}}invariant3_reverse: -{{0\.208073418[0-9]*}} 3.0{{$}}
  %y37, %d36 = tfx_ad.gradient @invariant3_reverse(%one) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "invariant3_reverse: {} {}"(%y37, %d36) : f64, f64
  // Case: JAX, custom_api_test.py, CustomVJPTest, test_python_control_flow.
  // CHECK-NEXT: {{^}}branch value 2: {{0\.909297426[0-9]*}} 2.0{{$}}
  %y39, %d38 = tfx_ad.gradient @branch(%two) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "branch value 2: {} {}"(%y39, %d38) : f64, f64
  // CHECK-NEXT: {{^}}branch value -2: -{{0\.416146836[0-9]*}} 3.0{{$}}
  %y41, %d40 = tfx_ad.gradient @branch(%cm2) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "branch value -2: {} {}"(%y41, %d40) : f64, f64
  // Case: JAX, custom_api_test.py, CustomVJPTest, test_pytrees.
  %b1 = tfx_host.make_struct(%one) : (f64) -> !tfx_host.struct<@B>
  // CHECK-NEXT: {{^}}trees: -{{1\.97998499[0-9]*}}{{$}}
  %y42, %pullback42 = tfx_ad.vjp @trees(%a3) wrt [0] : (!tfx_host.struct<@A>) -> (!tfx_host.struct<@B>, !tfx_host.closure<(!tfx_host.struct<@B>) -> !tfx_host.struct<@A>>)
  %d43 = tfx_host.apply %pullback42(%b1) : !tfx_host.closure<(!tfx_host.struct<@B>) -> !tfx_host.struct<@A>>
  %d43_a = tfx_host.extract %d43["a"] : !tfx_host.struct<@A> -> f64
  tfx_host.print "trees: {}"(%d43_a) : f64
  // Case: JAX, custom_api_test.py, CustomVJPTest, test_initial_style.
  // CHECK-NEXT: {{^}}scan_sin2: -{{1\.97998499[0-9]*}}{{$}}
  %d44 = tfx_ad.gradient @scan_sin2(%three) wrt [0] : (f64) -> f64
  tfx_host.print "scan_sin2: {}"(%d44) : f64
  // CHECK-NEXT: {{^}}scan_sin2 second: -{{0\.282240016[0-9]*}}{{$}}
  %d45 = tfx_ad.gradient @scan_sin2.grad(%three) wrt [0] : (f64) -> f64
  tfx_host.print "scan_sin2 second: {}"(%d45) : f64
  // Case: JAX, custom_api_test.py, CustomVJPTest, test_nondiff_argnums.
  // CHECK-NEXT: {{^}}app: 2.0 {{0\.540302305[0-9]*}}{{$}}
  %y47, %d46 = tfx_ad.gradient @call_app(%one) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "app: {} {}"(%y47, %d46) : f64, f64
  // Case: JAX, custom_api_test.py, CustomVJPTest, test_clip_gradient.
  // CHECK-NEXT: {{^}}clip_gradient: 0.2{{$}}
  %d48 = tfx_ad.gradient @clip_gradient(%tenth) wrt [0] : (f64) -> f64
  tfx_host.print "clip_gradient: {}"(%d48) : f64
  // Case: JAX, custom_api_test.py, CustomVJPTest, test_nestable_vjp.
  // CHECK-NEXT: {{^}}nestable 1: 2.0{{$}}
  %y49, %pullback49 = tfx_ad.vjp @nestable(%one) wrt [0] : (f64) -> (f64, !tfx_host.closure<(f64) -> f64>)
  %d50 = tfx_host.apply %pullback49(%one) : !tfx_host.closure<(f64) -> f64>
  tfx_host.print "nestable 1: {}"(%d50) : f64
  // CHECK-NEXT: {{^}}nestable 3: 6.0{{$}}
  %y51, %pullback51 = tfx_ad.vjp @nestable(%one) wrt [0] : (f64) -> (f64, !tfx_host.closure<(f64) -> f64>)
  %d52 = tfx_host.apply %pullback51(%three) : !tfx_host.closure<(f64) -> f64>
  tfx_host.print "nestable 3: {}"(%d52) : f64
  // Case: JAX, custom_api_test.py, CustomVJPTest, test_fwd_closes_over_tracer.
  // CHECK-NEXT: {{^}}closed_over: -{{0\.832293673[0-9]*}}{{$}}
  %y53 = func.call @closed_over.at(%two) : (f64) -> f64
  tfx_host.print "closed_over: {}"(%y53) : f64
  // CHECK-NEXT: {{^}}closed_over second: {{1\.51360499[0-9]*}}{{$}}
  %d54 = tfx_ad.gradient @closed_over.at(%four) wrt [0] : (f64) -> f64
  tfx_host.print "closed_over second: {}"(%d54) : f64
  // Case: JAX, custom_api_test.py, CustomVJPTest, test_bwd_nones.
  // CHECK-NEXT: {{^}}nones: -{{1\.97998499[0-9]*}}{{$}}
  %d55 = tfx_ad.gradient @nones_same(%three) wrt [0] : (f64) -> f64
  tfx_host.print "nones: {}"(%d55) : f64
  // Case: JAX, custom_api_test.py, CustomVJPTest, test_custom_gradient.
  // CHECK-NEXT: {{^}}custom_gradient: 9.0 3.0{{$}}
  %y57, %d56 = tfx_ad.gradient @custom_gradient(%three) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "custom_gradient: {} {}"(%y57, %d56) : f64, f64
  // CHECK-NEXT: {{^}}custom_gradient second: 1.0{{$}}
  %d58 = tfx_ad.gradient @custom_gradient.grad(%three) wrt [0] : (f64) -> f64
  tfx_host.print "custom_gradient second: {}"(%d58) : f64
  // Case: JAX, custom_api_test.py, CustomVJPTest, test_custom_gradient_2.
  // CHECK-NEXT: {{^}}custom_gradient2: 4.0 3.0{{$}}
  %d59.0, %d59.1 = tfx_ad.gradient @custom_gradient2(%three, %four) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "custom_gradient2: {} {}"(%d59.0, %d59.1) : f64, f64
  // Case: JAX, custom_api_test.py, CustomVJPTest, test_custom_gradient_3.
  // CHECK-NEXT: {{^}}custom_gradient3: {{\[ *}}3. {{2\.16120922[0-9]*}} -{{2\.08073418[0-9]*}}{{ *}}]{{$}}
  %a = tfx_tensor.const dense<[0.0, 1.0, 2.0]> : tensor<3xf64>
  %d60 = tfx_ad.gradient @custom_gradient3(%a) wrt [0] : (tensor<3xf64>) -> tensor<3xf64>
  tfx_host.print "custom_gradient3: {}"(%d60) : tensor<3xf64>
  // Case: JAX, custom_api_test.py, CustomVJPTest, test_basic, with a foreign function.
  // CHECK-NEXT: {{^}}foreign: {{0\.423360024[0-9]*}} -{{5\.79883497[0-9]*}}{{$}}
  %y62, %d61 = tfx_ad.gradient @foreign(%three) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "foreign: {} {}"(%y62, %d61) : f64, f64
  return
}
