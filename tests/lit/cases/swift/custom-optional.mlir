// Custom derivatives, changed and stopped cotangents, subsets of the parameters, and optionals.
// Swift, test/AutoDiff/validation-test/custom_derivatives.swift, superset_adjoint.swift,
// subset_parameters_thunk.swift and optional.swift. Swift's Float is f64 here.
//
// RUN: tfxc run %s | FileCheck %s

// The value is 2 x, the derivative that of x * x.
func.func private @unary(%x: f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], forward = @unary.forward, backward = @unary.backward>} {
  %two = arith.constant 2.0 : f64
  %a = arith.mulf %x, %two : f64
  return %a : f64
}
func.func private @unary.forward(%x: f64) -> (f64, f64) {
  %unary_x = func.call @unary(%x) : (f64) -> f64
  return %unary_x, %x : f64, f64
}
func.func private @unary.backward(%x: f64, %v: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %vx = arith.mulf %v, %x : f64
  %a = arith.mulf %vx, %two : f64
  return %a : f64
}
func.func private @unary_call(%x: f64) -> f64 {
  %unary_x = func.call @unary(%x) : (f64) -> f64
  return %unary_x : f64
}
func.func private @unary_double(%x: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %unary_x = func.call @unary(%x) : (f64) -> f64
  %a = arith.mulf %unary_x, %two : f64
  return %a : f64
}

func.func private @binary(%x: f64, %y: f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0, 1], forward = @binary.forward, backward = @binary.backward>} {
  %xy = arith.mulf %x, %y : f64
  return %xy : f64
}
func.func private @binary.forward(%x: f64, %y: f64) -> (f64, f64, f64) {
  %binary_x = func.call @binary(%x, %y) : (f64, f64) -> f64
  return %binary_x, %x, %y : f64, f64, f64
}
func.func private @binary.backward(%x: f64, %y: f64, %v: f64) -> (f64, f64) {
  %vy = arith.mulf %v, %y : f64
  %vx = arith.mulf %v, %x : f64
  return %vy, %vx : f64, f64
}
func.func private @binary_call(%x: f64, %y: f64) -> f64 {
  %binary_x = func.call @binary(%x, %y) : (f64, f64) -> f64
  return %binary_x : f64
}
func.func private @binary_double(%x: f64, %y: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %binary_x = func.call @binary(%x, %y) : (f64, f64) -> f64
  %a = arith.mulf %binary_x, %two : f64
  return %a : f64
}

func.func private @times10(%d: f64) -> f64 {
  %ten = arith.constant 10.0 : f64
  %a = arith.mulf %d, %ten : f64
  return %a : f64
}
func.func private @times20(%d: f64) -> f64 {
  %c20 = arith.constant 20.0 : f64
  %a = arith.mulf %d, %c20 : f64
  return %a : f64
}
func.func private @modified_sum(%x: f64) -> f64 {
  %a = tfx_ad.with_cotangent %x, @times10 : f64
  %b = tfx_ad.with_cotangent %x, @times20 : f64
  %c = arith.addf %a, %b : f64
  return %c : f64
}

func.func private @opaque(%x: f64) -> f64 attributes {tfx_ad.inactive} {
  %sin_x = math.sin %x : f64
  %cos_x = math.cos %x : f64
  %a = arith.addf %sin_x, %cos_x : f64
  return %a : f64
}
func.func private @without(%x: f64) -> f64 {
  %opaque_x = func.call @opaque(%x) : (f64) -> f64
  return %opaque_x : f64
}

// A rule with respect to two parameters, of which one is asked for; a branch in the body.
func.func private @mulxy(%x: f64, %y: f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0, 1], forward = @mulxy.forward, backward = @mulxy.backward>} {
  %thousand = arith.constant 1000.0 : f64
  %is_gt = arith.cmpf ogt, %x, %thousand : f64
  cf.cond_br %is_gt, ^large, ^small
^large:
  return %y : f64
^small:
  %xy = arith.mulf %x, %y : f64
  return %xy : f64
}
func.func private @mulxy.forward(%x: f64, %y: f64) -> (f64, f64, f64) {
  %mulxy_x = func.call @mulxy(%x, %y) : (f64, f64) -> f64
  return %mulxy_x, %x, %y : f64, f64, f64
}
func.func private @mulxy.backward(%x: f64, %y: f64, %v: f64) -> (f64, f64) {
  %yv = arith.mulf %y, %v : f64
  %xv = arith.mulf %x, %v : f64
  return %yv, %xv : f64, f64
}
func.func private @mulxy_3(%x: f64) -> f64 {
  %three = arith.constant 3.0 : f64
  %mulxy_x = func.call @mulxy(%x, %three) : (f64, f64) -> f64
  return %mulxy_x : f64
}
func.func private @calls_mulxy(%x: f64, %y: f64) -> f64 {
  %mulxy_x = func.call @mulxy(%x, %y) : (f64, f64) -> f64
  return %mulxy_x : f64
}
func.func private @calls_2(%y: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %a = func.call @calls_mulxy(%two, %y) : (f64, f64) -> f64
  return %a : f64
}
func.func private @plus2(%x: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %a = arith.addf %x, %two : f64
  return %a : f64
}
func.func private @constant(%x: f64, %y: f64, %z: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  return %zero : f64
}

// A closure is applied to a parameter and a constant.
func.func private @add(%x: f64, %y: f64) -> f64 {
  %a = arith.addf %x, %y : f64
  return %a : f64
}
func.func private @apply_to(%f: !tfx_host.closure<(!tfx_host.param<"T">, !tfx_host.param<"T">) -> !tfx_host.param<"T">>, %x: !tfx_host.param<"T">, %y: !tfx_host.param<"T">) -> !tfx_host.param<"T">
    attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  %r = tfx_host.apply %f(%x, %y) : !tfx_host.closure<(!tfx_host.param<"T">, !tfx_host.param<"T">) -> !tfx_host.param<"T">>
  return %r : !tfx_host.param<"T">
}
func.func private @apply_subset(%x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %f = tfx_host.closure @add() : () -> !tfx_host.closure<(f64, f64) -> f64>
  %r = tfx_host.call @apply_to<[f64]>(%f, %x, %zero) : (!tfx_host.closure<(f64, f64) -> f64>, f64, f64) -> f64
  return %r : f64
}

// The rule says x; the body says 1.
func.func private @x_of(%x: f64, %y: f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0, 1], forward = @x_of.forward, backward = @x_of.backward>} {
  return %x : f64
}
func.func private @x_of.forward(%x: f64, %y: f64) -> (f64, f64) {
  return %x, %x : f64, f64
}
func.func private @x_of.backward(%x: f64, %v: f64) -> (f64, f64) {
  %zero = arith.constant 0.0 : f64
  %xv = arith.mulf %x, %v : f64
  return %xv, %zero : f64, f64
}
func.func private @x_of_3(%x: f64) -> f64 {
  %three = arith.constant 3.0 : f64
  %x_of_x = func.call @x_of(%x, %three) : (f64, f64) -> f64
  return %x_of_x : f64
}

// A function with a parameter by reference has a rule that says 2, 3 and 4: the new value of the
// variable is a result here.
func.func private @update(%x: f64, %y: f64, %z: f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0, 1, 2], forward = @update.forward, backward = @update.backward>} {
  return %y : f64
}
func.func private @update.forward(%x: f64, %y: f64, %z: f64) -> f64 {
  return %y : f64
}
func.func private @update.backward(%dy: f64) -> (f64, f64, f64) {
  %two = arith.constant 2.0 : f64
  %three = arith.constant 3.0 : f64
  %four = arith.constant 4.0 : f64
  return %two, %three, %four : f64, f64, f64
}
func.func private @update_caller(%x: f64, %y: f64, %z: f64) -> f64 {
  %r = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %y, %r : f64
  %a = tfx_host.load %r : !tfx_host.ref<f64>
  %update_x = func.call @update(%x, %a, %z) : (f64, f64, f64) -> f64
  tfx_host.store %update_x, %r : f64
  %b = tfx_host.load %r : !tfx_host.ref<f64>
  return %b : f64
}
func.func private @update_zero(%x: f64, %y: f64, %z: f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0, 1, 2], forward = @update.forward, backward = @update_zero.backward>} {
  return %y : f64
}
func.func private @update_zero.backward(%dy: f64) -> (f64, f64, f64) {
  %zero = arith.constant 0.0 : f64
  return %zero, %dy, %zero : f64, f64, f64
}
func.func private @update_zero_caller(%x: f64, %y: f64, %z: f64) -> f64 {
  %a = func.call @update_zero(%x, %y, %z) : (f64, f64, f64) -> f64
  return %a : f64
}

tfx_host.enum @Optional<"T"> {none(), some(!tfx_host.param<"T">)}
func.func private @optional2(%o: !tfx_host.enum<@Optional<f64>>) -> f64 {
  %ten = arith.constant 10.0 : f64
  tfx_host.switch_enum %o : !tfx_host.enum<@Optional<f64>> ["none" -> ^none, "some" -> ^some]
^some(%x: f64):
  %xx = arith.mulf %x, %x : f64
  return %xx : f64
^none:
  return %ten : f64
}

// By the tag and the payload, without a switch.
func.func private @optional3(%o: !tfx_host.enum<@Optional<f64>>) -> f64 {
  %in1 = arith.constant 1 : index
  %ten = arith.constant 10.0 : f64
  %tag = tfx_host.enum_tag %o : !tfx_host.enum<@Optional<f64>>
  %is_eq = arith.cmpi eq, %tag, %in1 : index
  cf.cond_br %is_eq, ^some, ^none
^some:
  %x = tfx_host.enum_payload %o["some"] : (!tfx_host.enum<@Optional<f64>>) -> f64
  %xx = arith.mulf %x, %x : f64
  return %xx : f64
^none:
  return %ten : f64
}

// A variable that holds the optional.
func.func private @optional4(%o: !tfx_host.enum<@Optional<f64>>) -> f64 {
  %ten = arith.constant 10.0 : f64
  %v = tfx_host.var : !tfx_host.ref<!tfx_host.enum<@Optional<f64>>>
  tfx_host.store %o, %v : !tfx_host.enum<@Optional<f64>>
  %p = tfx_host.load %v : !tfx_host.ref<!tfx_host.enum<@Optional<f64>>>
  tfx_host.switch_enum %p : !tfx_host.enum<@Optional<f64>> ["none" -> ^none, "some" -> ^some]
^some(%x: f64):
  %xx = arith.mulf %x, %x : f64
  return %xx : f64
^none:
  return %ten : f64
}

// A variable that holds the payload.
func.func private @optional5(%o: !tfx_host.enum<@Optional<f64>>) -> f64 {
  %ten = arith.constant 10.0 : f64
  tfx_host.switch_enum %o : !tfx_host.enum<@Optional<f64>> ["none" -> ^none, "some" -> ^some]
^some(%p: f64):
  %x = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %p, %x : f64
  %a = tfx_host.load %x : !tfx_host.ref<f64>
  %b = tfx_host.load %x : !tfx_host.ref<f64>
  %ab = arith.mulf %a, %b : f64
  return %ab : f64
^none:
  return %ten : f64
}

func.func private @payload(%o: !tfx_host.enum<@Optional<f64>>) -> f64 {
  %zero = arith.constant 0.0 : f64
  tfx_host.switch_enum %o : !tfx_host.enum<@Optional<f64>> ["none" -> ^none, "some" -> ^some]
^some(%x: f64):
  return %x : f64
^none:
  return %zero : f64
}

func.func public @main() {
  %ten = arith.constant 10.0 : f64
  %five = arith.constant 5.0 : f64
  %four = arith.constant 4.0 : f64
  %two = arith.constant 2.0 : f64
  %three = arith.constant 3.0 : f64
  %one = arith.constant 1.0 : f64
  %zero = arith.constant 0.0 : f64
  // Case: Swift, custom_derivatives.swift, "differentiableFunction-unary".
  // CHECK: {{^}}unary: 20.0{{$}}
  %d0 = tfx_ad.gradient @unary(%ten) wrt [0] : (f64) -> f64
  tfx_host.print "unary: {}"(%d0) : f64
  // CHECK-NEXT: {{^}}unary_call: 20.0{{$}}
  %d1 = tfx_ad.gradient @unary_call(%ten) wrt [0] : (f64) -> f64
  tfx_host.print "unary_call: {}"(%d1) : f64
  // CHECK-NEXT: {{^}}unary_double: 40.0{{$}}
  %d2 = tfx_ad.gradient @unary_double(%ten) wrt [0] : (f64) -> f64
  tfx_host.print "unary_double: {}"(%d2) : f64
  // Case: Swift, custom_derivatives.swift, "differentiableFunction-binary".
  // CHECK-NEXT: {{^}}binary: 10.0 5.0{{$}}
  %d3.0, %d3.1 = tfx_ad.gradient @binary(%five, %ten) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "binary: {} {}"(%d3.0, %d3.1) : f64, f64
  // CHECK-NEXT: {{^}}binary_call: 10.0 5.0{{$}}
  %d4.0, %d4.1 = tfx_ad.gradient @binary_call(%five, %ten) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "binary_call: {} {}"(%d4.0, %d4.1) : f64, f64
  // CHECK-NEXT: {{^}}binary_double: 20.0 10.0{{$}}
  %d5.0, %d5.1 = tfx_ad.gradient @binary_double(%five, %ten) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "binary_double: {} {}"(%d5.0, %d5.1) : f64, f64
  // Case: Swift, custom_derivatives.swift, "ModifyGradientOfSum".
  // CHECK-NEXT: {{^}}modified_sum: 30.0{{$}}
  %d6 = tfx_ad.gradient @modified_sum(%four) wrt [0] : (f64) -> f64
  tfx_host.print "modified_sum: {}"(%d6) : f64
  // Case: Swift, custom_derivatives.swift, "WithoutDerivative".
  // CHECK-NEXT: {{^}}without: 0.0{{$}}
  %d7 = tfx_ad.gradient @without(%four) wrt [0] : (f64) -> f64
  tfx_host.print "without: {}"(%d7) : f64
  // Case: Swift, superset_adjoint.swift, "Superset".
  // CHECK-NEXT: {{^}}mulxy_3: 3.0{{$}}
  %d8 = tfx_ad.gradient @mulxy_3(%two) wrt [0] : (f64) -> f64
  tfx_host.print "mulxy_3: {}"(%d8) : f64
  // CHECK-NEXT: {{^}}mulxy by x: 3.0{{$}}
  %d9 = tfx_ad.gradient @mulxy(%two, %three) wrt [0] : (f64, f64) -> f64
  tfx_host.print "mulxy by x: {}"(%d9) : f64
  // Case: Swift, superset_adjoint.swift, "SupersetNested".
  // CHECK-NEXT: {{^}}calls_2: 2.0{{$}}
  %d10 = tfx_ad.gradient @calls_2(%three) wrt [0] : (f64) -> f64
  tfx_host.print "calls_2: {}"(%d10) : f64
  // Case: Swift, superset_adjoint.swift, "CrossModuleClosure".
  // CHECK-NEXT: {{^}}plus2: 1.0{{$}}
  %d11 = tfx_ad.gradient @plus2(%one) wrt [0] : (f64) -> f64
  tfx_host.print "plus2: {}"(%d11) : f64
  // Case: Swift, superset_adjoint.swift, "SubsetOfSubset".
  // CHECK-NEXT: {{^}}constant: 0.0{{$}}
  %d12 = tfx_ad.gradient @constant(%zero, %zero, %zero) wrt [0] : (f64, f64, f64) -> f64
  tfx_host.print "constant: {}"(%d12) : f64
  // Case: Swift, superset_adjoint.swift, "ApplySubset".
  // CHECK-NEXT: {{^}}apply_subset: 1.0{{$}}
  %d13 = tfx_ad.gradient @apply_subset(%zero) wrt [0] : (f64) -> f64
  tfx_host.print "apply_subset: {}"(%d13) : f64
  // Case: Swift, superset_adjoint.swift, "IndirectResults".
  // CHECK-NEXT: {{^}}x_of_3: 2.0{{$}}
  %d14 = tfx_ad.gradient @x_of_3(%two) wrt [0] : (f64) -> f64
  tfx_host.print "x_of_3: {}"(%d14) : f64
  // Case: Swift, subset_parameters_thunk.swift, "InoutParametersDirect".
  // CHECK-NEXT: {{^}}update x y z: 2.0 3.0 4.0{{$}}
  %d15.0, %d15.1, %d15.2 = tfx_ad.gradient @update_caller(%three, %four, %five) wrt [0, 1, 2] : (f64, f64, f64) -> (f64, f64, f64)
  tfx_host.print "update x y z: {} {} {}"(%d15.0, %d15.1, %d15.2) : f64, f64, f64
  // CHECK-NEXT: {{^}}update y z: 3.0 4.0{{$}}
  %d16.0, %d16.1 = tfx_ad.gradient @update_caller(%three, %four, %five) wrt [1, 2] : (f64, f64, f64) -> (f64, f64)
  tfx_host.print "update y z: {} {}"(%d16.0, %d16.1) : f64, f64
  // CHECK-NEXT: {{^}}update x z: 2.0 4.0{{$}}
  %d17.0, %d17.1 = tfx_ad.gradient @update_caller(%three, %four, %five) wrt [0, 2] : (f64, f64, f64) -> (f64, f64)
  tfx_host.print "update x z: {} {}"(%d17.0, %d17.1) : f64, f64
  // CHECK-NEXT: {{^}}update x y: 2.0 3.0{{$}}
  %d18.0, %d18.1 = tfx_ad.gradient @update_caller(%three, %four, %five) wrt [0, 1] : (f64, f64, f64) -> (f64, f64)
  tfx_host.print "update x y: {} {}"(%d18.0, %d18.1) : f64, f64
  // Case: Swift, subset_parameters_thunk.swift, "InoutParametersIndirect".
  // CHECK-NEXT: {{^}}update_zero x y z: 0.0 1.0 0.0{{$}}
  %d19.0, %d19.1, %d19.2 = tfx_ad.gradient @update_zero_caller(%three, %four, %five) wrt [0, 1, 2] : (f64, f64, f64) -> (f64, f64, f64)
  tfx_host.print "update_zero x y z: {} {} {}"(%d19.0, %d19.1, %d19.2) : f64, f64, f64
  // CHECK-NEXT: {{^}}update_zero y z: 1.0 0.0{{$}}
  %d20.0, %d20.1 = tfx_ad.gradient @update_zero_caller(%three, %four, %five) wrt [1, 2] : (f64, f64, f64) -> (f64, f64)
  tfx_host.print "update_zero y z: {} {}"(%d20.0, %d20.1) : f64, f64
  // CHECK-NEXT: {{^}}update_zero x z: 0.0 0.0{{$}}
  %d21.0, %d21.1 = tfx_ad.gradient @update_zero_caller(%three, %four, %five) wrt [0, 2] : (f64, f64, f64) -> (f64, f64)
  tfx_host.print "update_zero x z: {} {}"(%d21.0, %d21.1) : f64, f64
  // CHECK-NEXT: {{^}}update_zero x y: 0.0 1.0{{$}}
  %d22.0, %d22.1 = tfx_ad.gradient @update_zero_caller(%three, %four, %five) wrt [0, 1] : (f64, f64, f64) -> (f64, f64)
  tfx_host.print "update_zero x y: {} {}"(%d22.0, %d22.1) : f64, f64
  %c10 = arith.constant 10.0 : f64
  %some = tfx_host.make_enum "some"(%c10) : (f64) -> !tfx_host.enum<@Optional<f64>>
  %none = tfx_host.make_enum "none"() : () -> !tfx_host.enum<@Optional<f64>>
  // Case: Swift, optional.swift, "Let".
  %s2 = tfx_ad.gradient @optional2(%some) wrt [0] : (!tfx_host.enum<@Optional<f64>>) -> !tfx_host.enum<@Optional<f64>>
  %e2 = tfx_ad.gradient @optional2(%none) wrt [0] : (!tfx_host.enum<@Optional<f64>>) -> !tfx_host.enum<@Optional<f64>>
  // CHECK-NEXT: {{^}}optional2: 20.0 0.0{{$}}
  %a = func.call @payload(%s2) : (!tfx_host.enum<@Optional<f64>>) -> f64
  %b = func.call @payload(%e2) : (!tfx_host.enum<@Optional<f64>>) -> f64
  tfx_host.print "optional2: {} {}"(%a, %b) : f64, f64
  // Case: Swift, optional.swift, "Switch".
  %s3 = tfx_ad.gradient @optional3(%some) wrt [0] : (!tfx_host.enum<@Optional<f64>>) -> !tfx_host.enum<@Optional<f64>>
  %e3 = tfx_ad.gradient @optional3(%none) wrt [0] : (!tfx_host.enum<@Optional<f64>>) -> !tfx_host.enum<@Optional<f64>>
  // CHECK-NEXT: {{^}}optional3: 20.0 0.0{{$}}
  %c = func.call @payload(%s3) : (!tfx_host.enum<@Optional<f64>>) -> f64
  %d = func.call @payload(%e3) : (!tfx_host.enum<@Optional<f64>>) -> f64
  tfx_host.print "optional3: {} {}"(%c, %d) : f64, f64
  // Case: Swift, optional.swift, "Var1".
  %s4 = tfx_ad.gradient @optional4(%some) wrt [0] : (!tfx_host.enum<@Optional<f64>>) -> !tfx_host.enum<@Optional<f64>>
  %e4 = tfx_ad.gradient @optional4(%none) wrt [0] : (!tfx_host.enum<@Optional<f64>>) -> !tfx_host.enum<@Optional<f64>>
  // CHECK-NEXT: {{^}}optional4: 20.0 0.0{{$}}
  %e = func.call @payload(%s4) : (!tfx_host.enum<@Optional<f64>>) -> f64
  %f = func.call @payload(%e4) : (!tfx_host.enum<@Optional<f64>>) -> f64
  tfx_host.print "optional4: {} {}"(%e, %f) : f64, f64
  // Case: Swift, optional.swift, "Var2".
  %s5 = tfx_ad.gradient @optional5(%some) wrt [0] : (!tfx_host.enum<@Optional<f64>>) -> !tfx_host.enum<@Optional<f64>>
  %e5 = tfx_ad.gradient @optional5(%none) wrt [0] : (!tfx_host.enum<@Optional<f64>>) -> !tfx_host.enum<@Optional<f64>>
  // CHECK-NEXT: {{^}}optional5: 20.0 0.0{{$}}
  %g = func.call @payload(%s5) : (!tfx_host.enum<@Optional<f64>>) -> f64
  %h = func.call @payload(%e5) : (!tfx_host.enum<@Optional<f64>>) -> f64
  tfx_host.print "optional5: {} {}"(%g, %h) : f64, f64
  return
}
