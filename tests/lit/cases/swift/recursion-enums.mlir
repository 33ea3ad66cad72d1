// Recursion, enums that the function switches on, throwing calls, and conditions with several
// terms. Swift, test/AutoDiff/validation-test/control_flow.swift, tests "Recursion", "Enums",
// "BranchingCastInstructions" and "ThrowingCalls". Swift's Float is f64 here; a function that may
// throw returns whether it did.
//
// RUN: tfxc run %s | FileCheck %s

func.func private @factorial(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %is_eq = arith.cmpf oeq, %x, %one : f64
  cf.cond_br %is_eq, ^end, ^more
^end:
  return %one : f64
^more:
  %a = arith.subf %x, %one : f64
  %b = func.call @factorial(%a) : (f64) -> f64
  %xb = arith.mulf %x, %b : f64
  return %xb : f64
}

func.func private @factorial_var1(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %y = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %y : f64
  %is_eq = arith.cmpf oeq, %x, %one : f64
  cf.cond_br %is_eq, ^last, ^more
^last:
  tfx_host.store %one, %y : f64
  cf.br ^end
^more:
  tfx_host.store %x, %y : f64
  %y0 = tfx_host.load %y : !tfx_host.ref<f64>
  %a = arith.subf %y0, %one : f64
  %b = func.call @factorial_var1(%a) : (f64) -> f64
  %c = arith.mulf %y0, %b : f64
  tfx_host.store %c, %y : f64
  cf.br ^end
^end:
  %r = tfx_host.load %y : !tfx_host.ref<f64>
  return %r : f64
}

// The initial value is a constant.
func.func private @factorial_var2(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %y = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %one, %y : f64
  %is_eq = arith.cmpf oeq, %x, %one : f64
  cf.cond_br %is_eq, ^last, ^more
^last:
  tfx_host.store %one, %y : f64
  cf.br ^end
^more:
  tfx_host.store %x, %y : f64
  %y0 = tfx_host.load %y : !tfx_host.ref<f64>
  %a = arith.subf %y0, %one : f64
  %b = func.call @factorial_var2(%a) : (f64) -> f64
  %c = arith.mulf %y0, %b : f64
  tfx_host.store %c, %y : f64
  cf.br ^end
^end:
  %r = tfx_host.load %y : !tfx_host.ref<f64>
  return %r : f64
}

func.func private @product(%x: f64, %count: i64) -> f64 {
  %n0 = arith.constant 0 : i64
  %n1 = arith.constant 1 : i64
  %positive = arith.cmpi sgt, %count, %n0 : i64
  tfx_host.assert %positive, "the count is not positive"
  %is_eq = arith.cmpi eq, %count, %n1 : i64
  cf.cond_br %is_eq, ^end, ^more
^end:
  return %x : f64
^more:
  %a = arith.subi %count, %n1 : i64
  %product_x = func.call @product(%x, %a) : (f64, i64) -> f64
  %b = arith.mulf %x, %product_x : f64
  return %b : f64
}

tfx_host.enum @Enum {a(f64), b(f64, f64)}

func.func private @enum_notactive1(%e: !tfx_host.enum<@Enum>, %x: f64) -> f64 {
  tfx_host.switch_enum %e : !tfx_host.enum<@Enum> ["a" -> ^a, "b" -> ^b]
^a(%f: f64):
  %xf = arith.mulf %x, %f : f64
  return %xf : f64
^b(%g: f64, %h: f64):
  %xg = arith.mulf %x, %g : f64
  %xgh = arith.mulf %xg, %h : f64
  return %xgh : f64
}

// Branches and switches on the same enum, with variables.
func.func private @enum_notactive2(%e: !tfx_host.enum<@Enum>, %x: f64) -> f64 {
  %in0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %tag = tfx_host.enum_tag %e : !tfx_host.enum<@Enum>
  %is_a = arith.cmpi eq, %tag, %in0 : index
  %y = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %y : f64
  %is_gt = arith.cmpf ogt, %x, %zero : f64
  cf.cond_br %is_gt, ^positive, ^other
^positive:
  %y0 = tfx_host.load %y : !tfx_host.ref<f64>
  %z = tfx_host.var : !tfx_host.ref<f64>
  %a = arith.addf %y0, %y0 : f64
  tfx_host.store %a, %z : f64
  tfx_host.switch_enum %e : !tfx_host.enum<@Enum> ["a" -> ^a, "b" -> ^b]
^a(%f: f64):
  %z0 = tfx_host.load %z : !tfx_host.ref<f64>
  %b = arith.subf %z0, %y0 : f64
  tfx_host.store %b, %z : f64
  cf.br ^after
^b(%g: f64, %h: f64):
  %c = arith.addf %y0, %x : f64
  tfx_host.store %c, %y : f64
  cf.br ^after
^after:
  %y1 = tfx_host.load %y : !tfx_host.ref<f64>
  %w = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %y1, %w : f64
  cf.cond_br %is_a, ^sum, ^end
^sum:
  %w0 = tfx_host.load %w : !tfx_host.ref<f64>
  %z1 = tfx_host.load %z : !tfx_host.ref<f64>
  %d = arith.addf %w0, %z1 : f64
  tfx_host.store %d, %w : f64
  cf.br ^end
^end:
  %r = tfx_host.load %w : !tfx_host.ref<f64>
  return %r : f64
^other:
  %y2 = tfx_host.load %y : !tfx_host.ref<f64>
  cf.cond_br %is_a, ^both, ^twice
^twice:
  %i = arith.addf %y2, %y2 : f64
  return %i : f64
^both:
  %j = arith.addf %x, %y2 : f64
  return %j : f64
}

tfx_host.enum @Optional<"T"> {none(), some(!tfx_host.param<"T">)}

func.func private @optional_notactive1(%o: !tfx_host.enum<@Optional<f64>>, %x: f64) -> f64 {
  tfx_host.switch_enum %o : !tfx_host.enum<@Optional<f64>> ["none" -> ^none, "some" -> ^some]
^some(%y: f64):
  %xy = arith.mulf %x, %y : f64
  return %xy : f64
^none:
  %a = arith.addf %x, %x : f64
  return %a : f64
}

// The optional weight is a constant of the derivative: the caller leaves it out of `wrt`.
tfx_host.struct @Dense {w1: f64, w2: !tfx_host.enum<@Optional<f64>>}
func.func private @dense(%layer: !tfx_host.struct<@Dense>, %input: f64) -> f64 {
  %w2 = tfx_host.extract %layer["w2"] : !tfx_host.struct<@Dense> -> !tfx_host.enum<@Optional<f64>>
  %w1 = tfx_host.extract %layer["w1"] : !tfx_host.struct<@Dense> -> f64
  %product = arith.mulf %input, %w1 : f64
  tfx_host.switch_enum %w2 : !tfx_host.enum<@Optional<f64>> [
    "none" -> ^end(%product : f64), "some" -> ^some]
^some(%w: f64):
  %a = arith.mulf %product, %w : f64
  cf.br ^end(%a : f64)
^end(%r: f64):
  return %r : f64
}
func.func private @dense_by(%w1: f64, %w2: !tfx_host.enum<@Optional<f64>>, %input: f64) -> f64 {
  %layer = tfx_host.make_struct(%w1, %w2) : (f64, !tfx_host.enum<@Optional<f64>>) -> !tfx_host.struct<@Dense>
  %a = func.call @dense(%layer, %input) : (!tfx_host.struct<@Dense>, f64) -> f64
  return %a : f64
}

// A type parameter selects the branch: two functions here, with a constant condition.
func.func private @type_check(%x: f64, %is_int: i1) -> f64 {
  cf.cond_br %is_int, ^int, ^float
^int:
  %a = arith.addf %x, %x : f64
  return %a : f64
^float:
  %xx = arith.mulf %x, %x : f64
  return %xx : f64
}

// A call that may throw, without influence on the result.
func.func private @throwing() -> i1 {
  %no = arith.constant false
  return %no : i1
}
func.func private @test_throwing(%x: f64) -> f64 {
  %thrown = func.call @throwing() : () -> i1
  cf.cond_br %thrown, ^fail, ^end
^fail:
  tfx_host.abort "thrown"
  tfx_host.unreachable
^end:
  return %x : f64
}

// A function that calls a closure.
func.func private @rethrowing(%body: !tfx_host.closure<() -> i1>) -> i1 {
  %thrown = tfx_host.apply %body() : !tfx_host.closure<() -> i1>
  return %thrown : i1
}
func.func private @test_rethrowing(%x: f64) -> f64 {
  %body = tfx_host.closure @throwing() : () -> !tfx_host.closure<() -> i1>
  %thrown = func.call @rethrowing(%body) : (!tfx_host.closure<() -> i1>) -> i1
  return %x : f64
}

// The same in a loop whose number of iterations comes from the parameter.
func.func private @complex_control_flow(%x: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %n1 = arith.constant 1 : i64
  %yes = arith.constant true
  %body = tfx_host.closure @throwing() : () -> !tfx_host.closure<() -> i1>
  %first = func.call @rethrowing(%body) : (!tfx_host.closure<() -> i1>) -> i1
  %count = arith.fptosi %x : f64 to i64
  cf.br ^head(%n0 : i64)
^head(%i: i64):
  %more = arith.cmpi slt, %i, %count : i64
  cf.cond_br %more, ^body, ^end
^body:
  cf.cond_br %yes, ^then, ^next
^then:
  %inner = func.call @rethrowing(%body) : (!tfx_host.closure<() -> i1>) -> i1
  cf.br ^next
^next:
  %other = func.call @rethrowing(%body) : (!tfx_host.closure<() -> i1>) -> i1
  %a = arith.addi %i, %n1 : i64
  cf.br ^head(%a : i64)
^end:
  %last = func.call @rethrowing(%body) : (!tfx_host.closure<() -> i1>) -> i1
  return %x : f64
}

// Short circuits are branches.
func.func private @short_circuit(%x: f64, %flag: i1) -> f64 {
  cf.cond_br %flag, ^second, ^or
^second:
  cf.cond_br %flag, ^then, ^or
^or:
  cf.cond_br %flag, ^then, ^else
^then:
  %xx = arith.mulf %x, %x : f64
  return %xx : f64
^else:
  %a = arith.addf %x, %x : f64
  return %a : f64
}

func.func public @main() {
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  %three = arith.constant 3.0 : f64
  %four = arith.constant 4.0 : f64
  %five = arith.constant 5.0 : f64
  %ten = arith.constant 10.0 : f64
  %n3 = arith.constant 3 : i64
  %cm10 = arith.constant -10.0 : f64
  %n2 = arith.constant 2 : i64
  %hundred = arith.constant 100.0 : f64
  %n1 = arith.constant 1 : i64
  %cm1337 = arith.constant -1337.0 : f64
  %c4 = arith.constant 4.0 : f64
  %c5 = arith.constant 5.0 : f64
  %c10 = arith.constant 10.0 : f64
  // Case: Swift, control_flow.swift, "Recursion", factorial.
  // CHECK: {{^}}factorial 1: 0.0{{$}}
  %d0 = tfx_ad.gradient @factorial(%one) wrt [0] : (f64) -> f64
  tfx_host.print "factorial 1: {}"(%d0) : f64
  // CHECK-NEXT: {{^}}factorial 2: 1.0{{$}}
  %d1 = tfx_ad.gradient @factorial(%two) wrt [0] : (f64) -> f64
  tfx_host.print "factorial 2: {}"(%d1) : f64
  // CHECK-NEXT: {{^}}factorial 3: 5.0{{$}}
  %d2 = tfx_ad.gradient @factorial(%three) wrt [0] : (f64) -> f64
  tfx_host.print "factorial 3: {}"(%d2) : f64
  // CHECK-NEXT: {{^}}factorial 4: 26.0{{$}}
  %d3 = tfx_ad.gradient @factorial(%four) wrt [0] : (f64) -> f64
  tfx_host.print "factorial 4: {}"(%d3) : f64
  // CHECK-NEXT: {{^}}factorial 5: 154.0{{$}}
  %d4 = tfx_ad.gradient @factorial(%five) wrt [0] : (f64) -> f64
  tfx_host.print "factorial 5: {}"(%d4) : f64
  // Case: Swift, control_flow.swift, "Recursion", factorial_var1.
  // CHECK-NEXT: {{^}}factorial_var1 1: 0.0{{$}}
  %d5 = tfx_ad.gradient @factorial_var1(%one) wrt [0] : (f64) -> f64
  tfx_host.print "factorial_var1 1: {}"(%d5) : f64
  // CHECK-NEXT: {{^}}factorial_var1 3: 5.0{{$}}
  %d6 = tfx_ad.gradient @factorial_var1(%three) wrt [0] : (f64) -> f64
  tfx_host.print "factorial_var1 3: {}"(%d6) : f64
  // CHECK-NEXT: {{^}}factorial_var1 5: 154.0{{$}}
  %d7 = tfx_ad.gradient @factorial_var1(%five) wrt [0] : (f64) -> f64
  tfx_host.print "factorial_var1 5: {}"(%d7) : f64
  // Case: Swift, control_flow.swift, "Recursion", factorial_var2.
  // CHECK-NEXT: {{^}}factorial_var2 1: 0.0{{$}}
  %d8 = tfx_ad.gradient @factorial_var2(%one) wrt [0] : (f64) -> f64
  tfx_host.print "factorial_var2 1: {}"(%d8) : f64
  // CHECK-NEXT: {{^}}factorial_var2 3: 5.0{{$}}
  %d9 = tfx_ad.gradient @factorial_var2(%three) wrt [0] : (f64) -> f64
  tfx_host.print "factorial_var2 3: {}"(%d9) : f64
  // CHECK-NEXT: {{^}}factorial_var2 5: 154.0{{$}}
  %d10 = tfx_ad.gradient @factorial_var2(%five) wrt [0] : (f64) -> f64
  tfx_host.print "factorial_var2 5: {}"(%d10) : f64
  // Case: Swift, control_flow.swift, "Recursion", product.
  // CHECK-NEXT: {{^}}product 10 3: 300.0{{$}}
  %d11 = tfx_ad.gradient @product(%ten, %n3) wrt [0] : (f64, i64) -> f64
  tfx_host.print "product 10 3: {}"(%d11) : f64
  // CHECK-NEXT: {{^}}product -10 2: -20.0{{$}}
  %d12 = tfx_ad.gradient @product(%cm10, %n2) wrt [0] : (f64, i64) -> f64
  tfx_host.print "product -10 2: {}"(%d12) : f64
  // CHECK-NEXT: {{^}}product 100 1: 1.0{{$}}
  %d13 = tfx_ad.gradient @product(%hundred, %n1) wrt [0] : (f64, i64) -> f64
  tfx_host.print "product 100 1: {}"(%d13) : f64
  // Case: Swift, control_flow.swift, "Enums", enum_notactive1.
  %a = tfx_host.make_enum "a"(%c10) : (f64) -> !tfx_host.enum<@Enum>
  %b = tfx_host.make_enum "b"(%c4, %c5) : (f64, f64) -> !tfx_host.enum<@Enum>
  // CHECK-NEXT: {{^}}enum_notactive1 a: 10.0{{$}}
  %d14 = tfx_ad.gradient @enum_notactive1(%a, %two) wrt [1] : (!tfx_host.enum<@Enum>, f64) -> f64
  tfx_host.print "enum_notactive1 a: {}"(%d14) : f64
  // CHECK-NEXT: {{^}}enum_notactive1 b: 20.0{{$}}
  %d15 = tfx_ad.gradient @enum_notactive1(%b, %two) wrt [1] : (!tfx_host.enum<@Enum>, f64) -> f64
  tfx_host.print "enum_notactive1 b: {}"(%d15) : f64
  // Case: Swift, control_flow.swift, "Enums", enum_notactive2.
  // CHECK-NEXT: {{^}}enum_notactive2 a 4: 8.0 2.0{{$}}
  %y17, %d16 = tfx_ad.gradient @enum_notactive2(%a, %four) wrt [1] value : (!tfx_host.enum<@Enum>, f64) -> (f64, f64)
  tfx_host.print "enum_notactive2 a 4: {} {}"(%y17, %d16) : f64, f64
  // CHECK-NEXT: {{^}}enum_notactive2 b 10: 20.0 2.0{{$}}
  %y19, %d18 = tfx_ad.gradient @enum_notactive2(%b, %ten) wrt [1] value : (!tfx_host.enum<@Enum>, f64) -> (f64, f64)
  tfx_host.print "enum_notactive2 b 10: {} {}"(%y19, %d18) : f64, f64
  // CHECK-NEXT: {{^}}enum_notactive2 a -10: -20.0 2.0{{$}}
  %y21, %d20 = tfx_ad.gradient @enum_notactive2(%a, %cm10) wrt [1] value : (!tfx_host.enum<@Enum>, f64) -> (f64, f64)
  tfx_host.print "enum_notactive2 a -10: {} {}"(%y21, %d20) : f64, f64
  // CHECK-NEXT: {{^}}enum_notactive2 b -1337: -2674.0 2.0{{$}}
  %y23, %d22 = tfx_ad.gradient @enum_notactive2(%b, %cm1337) wrt [1] value : (!tfx_host.enum<@Enum>, f64) -> (f64, f64)
  tfx_host.print "enum_notactive2 b -1337: {} {}"(%y23, %d22) : f64, f64
  // Case: Swift, control_flow.swift, "Enums", optional_notactive1.
  %none = tfx_host.make_enum "none"() : () -> !tfx_host.enum<@Optional<f64>>
  %some10 = tfx_host.make_enum "some"(%c10) : (f64) -> !tfx_host.enum<@Optional<f64>>
  %some5 = tfx_host.make_enum "some"(%c5) : (f64) -> !tfx_host.enum<@Optional<f64>>
  // CHECK-NEXT: {{^}}optional_notactive1 none: 2.0{{$}}
  %d24 = tfx_ad.gradient @optional_notactive1(%none, %two) wrt [1] : (!tfx_host.enum<@Optional<f64>>, f64) -> f64
  tfx_host.print "optional_notactive1 none: {}"(%d24) : f64
  // CHECK-NEXT: {{^}}optional_notactive1 some: 10.0{{$}}
  %d25 = tfx_ad.gradient @optional_notactive1(%some10, %two) wrt [1] : (!tfx_host.enum<@Optional<f64>>, f64) -> f64
  tfx_host.print "optional_notactive1 some: {}"(%d25) : f64
  // Case: Swift, control_flow.swift, "Enums", Dense.
  // CHECK-NEXT: {{^}}dense some: 10.0 20.0{{$}}
  %d26.0, %d26.1 = tfx_ad.gradient @dense_by(%four, %some5, %two) wrt [0, 2] : (f64, !tfx_host.enum<@Optional<f64>>, f64) -> (f64, f64)
  tfx_host.print "dense some: {} {}"(%d26.0, %d26.1) : f64, f64
  // CHECK-NEXT: {{^}}dense none: 2.0 4.0{{$}}
  %d27.0, %d27.1 = tfx_ad.gradient @dense_by(%four, %none, %two) wrt [0, 2] : (f64, !tfx_host.enum<@Optional<f64>>, f64) -> (f64, f64)
  tfx_host.print "dense none: {} {}"(%d27.0, %d27.1) : f64, f64
  // Case: Swift, control_flow.swift, "BranchingCastInstructions", typeCheckOperator.
  %yes = arith.constant true
  %no = arith.constant false
  // CHECK-NEXT: {{^}}type_check int: 6.0 2.0{{$}}
  %y29, %d28 = tfx_ad.gradient @type_check(%three, %yes) wrt [0] value : (f64, i1) -> (f64, f64)
  tfx_host.print "type_check int: {} {}"(%y29, %d28) : f64, f64
  // CHECK-NEXT: {{^}}type_check float: 9.0 6.0{{$}}
  %y31, %d30 = tfx_ad.gradient @type_check(%three, %no) wrt [0] value : (f64, i1) -> (f64, f64)
  tfx_host.print "type_check float: {} {}"(%y31, %d30) : f64, f64
  // Case: Swift, control_flow.swift, "ThrowingCalls", testThrowing.
  // CHECK-NEXT: {{^}}throwing: 10.0{{$}}
  %y32, %pullback32 = tfx_ad.vjp @test_throwing(%three) wrt [0] : (f64) -> (f64, !tfx_host.closure<(f64) -> f64>)
  %d33 = tfx_host.apply %pullback32(%ten) : !tfx_host.closure<(f64) -> f64>
  tfx_host.print "throwing: {}"(%d33) : f64
  // Case: Swift, control_flow.swift, "ThrowingCalls", testRethrowingIdentity.
  // CHECK-NEXT: {{^}}rethrowing: 10.0{{$}}
  %y34, %pullback34 = tfx_ad.vjp @test_rethrowing(%three) wrt [0] : (f64) -> (f64, !tfx_host.closure<(f64) -> f64>)
  %d35 = tfx_host.apply %pullback34(%ten) : !tfx_host.closure<(f64) -> f64>
  tfx_host.print "rethrowing: {}"(%d35) : f64
  // Case: Swift, control_flow.swift, "ThrowingCalls", testComplexControlFlow.
  // CHECK-NEXT: {{^}}complex_control_flow: 10.0{{$}}
  %y36, %pullback36 = tfx_ad.vjp @complex_control_flow(%three) wrt [0] : (f64) -> (f64, !tfx_host.closure<(f64) -> f64>)
  %d37 = tfx_host.apply %pullback36(%ten) : !tfx_host.closure<(f64) -> f64>
  tfx_host.print "complex_control_flow: {}"(%d37) : f64
  // Case: Swift, control_flow.swift, "ThrowingCalls", testBooleanShortCircuitingOperations.
  // CHECK-NEXT: {{^}}short_circuit true: 6.0{{$}}
  %d38 = tfx_ad.gradient @short_circuit(%three, %yes) wrt [0] : (f64, i1) -> f64
  tfx_host.print "short_circuit true: {}"(%d38) : f64
  // CHECK-NEXT: {{^}}short_circuit false: 2.0{{$}}
  %d39 = tfx_ad.gradient @short_circuit(%three, %no) wrt [0] : (f64, i1) -> f64
  tfx_host.print "short_circuit false: {}"(%d39) : f64
  return
}
