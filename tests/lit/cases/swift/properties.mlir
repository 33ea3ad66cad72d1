// Optional properties, accessors, wrappers, errors, and protocols that ask for derivatives. Swift,
// test/AutoDiff/validation-test: the case names the file. Swift's Float is f64 here, and `[Float]`
// is a tensor. A function that throws returns an enum.
//
// RUN: tfxc run %s | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow | FileCheck %s %}

func.func private @mul2(%x: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %twox = arith.mulf %two, %x : f64
  return %twox : f64
}
func.func private @mul4(%x: f64) -> f64 {
  %mul2_x = func.call @mul2(%x) : (f64) -> f64
  %a = func.call @mul2(%mul2_x) : (f64) -> f64
  return %a : f64
}

// A struct with an optional, which goes through a tuple.
tfx_host.enum @Optional<"T"> {none(), some(!tfx_host.param<"T">)}
tfx_host.struct @Struct<"T"> {stored: !tfx_host.param<"T">, optional: !tfx_host.enum<@Optional<!tfx_host.param<"T">>>}
func.func private @method(%self: !tfx_host.struct<@Struct<f64>>) -> f64 {
  %stored = tfx_host.extract %self["stored"] : !tfx_host.struct<@Struct<f64>> -> f64
  %optional = tfx_host.extract %self["optional"] : !tfx_host.struct<@Struct<f64>> -> !tfx_host.enum<@Optional<f64>>
  %tmp = tfx_host.make_struct(%stored, %optional) : (f64, !tfx_host.enum<@Optional<f64>>) -> !tfx_host.struct<@Struct<f64>>
  %t = tfx_host.make_tuple(%tmp, %tmp) : !tfx_host.struct<@Struct<f64>>, !tfx_host.struct<@Struct<f64>>
  %s = tfx_host.tuple_get %t[0] : tuple<!tfx_host.struct<@Struct<f64>>, !tfx_host.struct<@Struct<f64>>>
  %o = tfx_host.extract %s["optional"] : !tfx_host.struct<@Struct<f64>> -> !tfx_host.enum<@Optional<f64>>
  tfx_host.switch_enum %o : !tfx_host.enum<@Optional<f64>> ["none" -> ^none, "some" -> ^some]
^some(%x: f64):
  %a = tfx_host.extract %s["stored"] : !tfx_host.struct<@Struct<f64>> -> f64
  %xa = arith.mulf %x, %a : f64
  return %xa : f64
^none:
  %b = tfx_host.extract %s["stored"] : !tfx_host.struct<@Struct<f64>> -> f64
  return %b : f64
}
func.func private @generic_method(%self: !tfx_host.struct<@Struct<!tfx_host.param<"T">>>) -> !tfx_host.param<"T">
    attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  %stored = tfx_host.extract %self["stored"] : !tfx_host.struct<@Struct<!tfx_host.param<"T">>> -> !tfx_host.param<"T">
  %o = tfx_host.extract %self["optional"] : !tfx_host.struct<@Struct<!tfx_host.param<"T">>> -> !tfx_host.enum<@Optional<!tfx_host.param<"T">>>
  tfx_host.switch_enum %o : !tfx_host.enum<@Optional<!tfx_host.param<"T">>> [
    "none" -> ^end(%stored : !tfx_host.param<"T">), "some" -> ^end]
^end(%r: !tfx_host.param<"T">):
  return %r : !tfx_host.param<"T">
}
func.func private @call_generic_method(%self: !tfx_host.struct<@Struct<f64>>) -> f64 {
  %r = tfx_host.call @generic_method<[f64]>(%self) : (!tfx_host.struct<@Struct<f64>>) -> f64
  return %r : f64
}
func.func private @payload(%o: !tfx_host.enum<@Optional<f64>>) -> f64 {
  %zero = arith.constant 0.0 : f64
  tfx_host.switch_enum %o : !tfx_host.enum<@Optional<f64>> ["none" -> ^none, "some" -> ^some]
^some(%x: f64):
  return %x : f64
^none:
  return %zero : f64
}

// An accessor that yields a reference to a field in both arms of a branch.
tfx_host.struct @S {x: f64}
func.func private @scale_by(%v: !tfx_host.ref<f64>, %k: f64) {
  %a = tfx_host.load %v : !tfx_host.ref<f64>
  %b = arith.mulf %a, %k : f64
  tfx_host.store %b, %v : f64
  return
}
func.func private @modify_struct(%x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %s = tfx_host.var : !tfx_host.ref<!tfx_host.struct<@S>>
  %start = tfx_host.make_struct(%x) : (f64) -> !tfx_host.struct<@S>
  tfx_host.store %start, %s : !tfx_host.struct<@S>
  %field = tfx_host.field_ref %s["x"] : !tfx_host.ref<!tfx_host.struct<@S>> -> !tfx_host.ref<f64>
  %k = tfx_host.load %field : !tfx_host.ref<f64>
  %is_gt = arith.cmpf ogt, %k, %zero : f64
  cf.cond_br %is_gt, ^then, ^else
^then:
  func.call @scale_by(%field, %k) : (!tfx_host.ref<f64>, f64) -> ()
  cf.br ^end
^else:
  func.call @scale_by(%field, %k) : (!tfx_host.ref<f64>, f64) -> ()
  cf.br ^end
^end:
  %r = tfx_host.load %s : !tfx_host.ref<!tfx_host.struct<@S>>
  %a = tfx_host.extract %r["x"] : !tfx_host.struct<@S> -> f64
  return %a : f64
}

// Fields that are wrapped in structs.
tfx_host.struct @Wrapper<"T"> {value: !tfx_host.param<"T">}
tfx_host.struct @Wrapped {x: !tfx_host.struct<@Wrapper<!tfx_host.struct<@Wrapper<f64>>>>, y: !tfx_host.struct<@Wrapper<f64>>, z: f64}
func.func private @getter(%s: !tfx_host.struct<@Wrapped>) -> f64 {
  %x = tfx_host.extract %s["x"] : !tfx_host.struct<@Wrapped> -> !tfx_host.struct<@Wrapper<!tfx_host.struct<@Wrapper<f64>>>>
  %value = tfx_host.extract %x["value"] : !tfx_host.struct<@Wrapper<!tfx_host.struct<@Wrapper<f64>>>> -> !tfx_host.struct<@Wrapper<f64>>
  %a = tfx_host.extract %value["value"] : !tfx_host.struct<@Wrapper<f64>> -> f64
  return %a : f64
}
func.func private @setter(%s: !tfx_host.struct<@Wrapped>, %x: f64) -> f64 {
  %v = tfx_host.var : !tfx_host.ref<!tfx_host.struct<@Wrapped>>
  tfx_host.store %s, %v : !tfx_host.struct<@Wrapped>
  %a = tfx_host.extract %s["x"] : !tfx_host.struct<@Wrapped> -> !tfx_host.struct<@Wrapper<!tfx_host.struct<@Wrapper<f64>>>>
  %value = tfx_host.extract %a["value"] : !tfx_host.struct<@Wrapper<!tfx_host.struct<@Wrapper<f64>>>> -> !tfx_host.struct<@Wrapper<f64>>
  %b = tfx_host.extract %value["value"] : !tfx_host.struct<@Wrapper<f64>> -> f64
  %bx = arith.mulf %b, %x : f64
  %z = tfx_host.extract %s["z"] : !tfx_host.struct<@Wrapped> -> f64
  %new = arith.mulf %bx, %z : f64
  %w = tfx_host.make_struct(%new) : (f64) -> !tfx_host.struct<@Wrapper<f64>>
  %ww = tfx_host.make_struct(%w) : (!tfx_host.struct<@Wrapper<f64>>) -> !tfx_host.struct<@Wrapper<!tfx_host.struct<@Wrapper<f64>>>>
  %field = tfx_host.field_ref %v["x"] : !tfx_host.ref<!tfx_host.struct<@Wrapped>> -> !tfx_host.ref<!tfx_host.struct<@Wrapper<!tfx_host.struct<@Wrapper<f64>>>>>
  tfx_host.store %ww, %field : !tfx_host.struct<@Wrapper<!tfx_host.struct<@Wrapper<f64>>>>
  %r = tfx_host.load %v : !tfx_host.ref<!tfx_host.struct<@Wrapped>>
  %getter_r = func.call @getter(%r) : (!tfx_host.struct<@Wrapped>) -> f64
  return %getter_r : f64
}

// A wrapper that is an enum.
tfx_host.enum @Case {case1(f64), case2(f64)}
tfx_host.struct @Real {x: !tfx_host.enum<@Case>, y: f64}
func.func private @wrapped_value(%c: !tfx_host.enum<@Case>) -> f64 {
  %two = arith.constant 2.0 : f64
  tfx_host.switch_enum %c : !tfx_host.enum<@Case> ["case1" -> ^one, "case2" -> ^two]
^one(%a: f64):
  return %a : f64
^two(%b: f64):
  %d = arith.mulf %b, %two : f64
  return %d : f64
}
func.func private @multiply_real(%s: !tfx_host.struct<@Real>) -> f64 {
  %x = tfx_host.extract %s["x"] : !tfx_host.struct<@Real> -> !tfx_host.enum<@Case>
  %a = func.call @wrapped_value(%x) : (!tfx_host.enum<@Case>) -> f64
  %y = tfx_host.extract %s["y"] : !tfx_host.struct<@Real> -> f64
  %ay = arith.mulf %a, %y : f64
  return %ay : f64
}
func.func private @case_payload(%c: !tfx_host.enum<@Case>) -> f64 {
  tfx_host.switch_enum %c : !tfx_host.enum<@Case> ["case1" -> ^end, "case2" -> ^end]
^end(%a: f64):
  return %a : f64
}

// A struct with a boolean: its tangent is a tuple.
tfx_host.struct @Subset {w: f64, b: f64, flag: i1}
func.func private @same(%x: !tfx_host.struct<@Subset>) -> !tfx_host.struct<@Subset> {
  return %x : !tfx_host.struct<@Subset>
}
func.func private @fresh(%x: !tfx_host.struct<@Subset>) -> !tfx_host.struct<@Subset> {
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  %yes = arith.constant true
  %r = tfx_host.make_struct(%one, %two, %yes) : (f64, f64, i1) -> !tfx_host.struct<@Subset>
  return %r : !tfx_host.struct<@Subset>
}
func.func private @subset_squares(%x: !tfx_host.struct<@Subset>) -> !tfx_host.struct<@Subset> {
  %yes = arith.constant true
  %w = tfx_host.extract %x["w"] : !tfx_host.struct<@Subset> -> f64
  %a = tfx_host.extract %x["w"] : !tfx_host.struct<@Subset> -> f64
  %wa = arith.mulf %w, %a : f64
  %b = tfx_host.extract %x["b"] : !tfx_host.struct<@Subset> -> f64
  %c = tfx_host.extract %x["b"] : !tfx_host.struct<@Subset> -> f64
  %bc = arith.mulf %b, %c : f64
  %r = tfx_host.make_struct(%wa, %bc, %yes) : (f64, f64, i1) -> !tfx_host.struct<@Subset>
  return %r : !tfx_host.struct<@Subset>
}

// A function that throws, and callers that catch.
tfx_host.enum @Result {value(f64), error()}
func.func private @throwing(%x: f64) -> !tfx_host.enum<@Result> {
  %zero = arith.constant 0.0 : f64
  %is_lt = arith.cmpf olt, %x, %zero : f64
  cf.cond_br %is_lt, ^throw, ^value
^throw:
  %e = tfx_host.make_enum "error"() : () -> !tfx_host.enum<@Result>
  return %e : !tfx_host.enum<@Result>
^value:
  %xx = arith.mulf %x, %x : f64
  %v = tfx_host.make_enum "value"(%xx) : (f64) -> !tfx_host.enum<@Result>
  return %v : !tfx_host.enum<@Result>
}
func.func private @simple_try(%x: f64) -> f64 {
  %r = func.call @throwing(%x) : (f64) -> !tfx_host.enum<@Result>
  tfx_host.switch_enum %r : !tfx_host.enum<@Result> ["value" -> ^value, "error" -> ^error]
^value(%v: f64):
  return %v : f64
^error:
  tfx_host.abort "an error was thrown"
  tfx_host.unreachable
}
func.func private @catching(%x: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %r = func.call @throwing(%x) : (f64) -> !tfx_host.enum<@Result>
  tfx_host.switch_enum %r : !tfx_host.enum<@Result> ["value" -> ^end, "error" -> ^error]
^error:
  %twox = arith.mulf %two, %x : f64
  cf.br ^end(%twox : f64)
^end(%v: f64):
  return %v : f64
}
func.func private @catching_outer(%x: f64) -> f64 {
  %five = arith.constant 5.0 : f64
  %two = arith.constant 2.0 : f64
  %y = arith.mulf %five, %x : f64
  %z = arith.negf %x : f64
  %r = func.call @throwing(%z) : (f64) -> !tfx_host.enum<@Result>
  tfx_host.switch_enum %r : !tfx_host.enum<@Result> ["value" -> ^end, "error" -> ^error]
^error:
  %twoy = arith.mulf %two, %y : f64
  cf.br ^end(%twoy : f64)
^end(%v: f64):
  return %v : f64
}

// A generic function differentiates a method of its type parameter.
tfx_host.protocol @DiffReq {f: (!tfx_host.param<"Self">, f64) -> f64}
tfx_host.struct @Quadratic {a: f64, b: f64, c: f64}
func.func private @quadratic(%q: !tfx_host.struct<@Quadratic>, %x: f64) -> f64 {
  %a = tfx_host.extract %q["a"] : !tfx_host.struct<@Quadratic> -> f64
  %ax = arith.mulf %a, %x : f64
  %axx = arith.mulf %ax, %x : f64
  %b = tfx_host.extract %q["b"] : !tfx_host.struct<@Quadratic> -> f64
  %bx = arith.mulf %b, %x : f64
  %c = arith.addf %axx, %bx : f64
  %d = tfx_host.extract %q["c"] : !tfx_host.struct<@Quadratic> -> f64
  %e = arith.addf %c, %d : f64
  return %e : f64
}
tfx_host.witness_table @Quadratic_DiffReq : !tfx_host.struct<@Quadratic> conforms @DiffReq {f = @quadratic}
func.func private @call_f(%t: !tfx_host.param<"T">, %x: f64) -> f64
    attributes {tfx_host.type_params = [#tfx_host.type_param<"T", @DiffReq>]} {
  %y = tfx_host.witness_call @DiffReq["f"] of !tfx_host.param<"T"> (%t, %x) : (!tfx_host.param<"T">, f64) -> f64
  return %y : f64
}
func.func private @grad_f(%t: !tfx_host.param<"T">, %x: f64) -> f64
    attributes {tfx_host.type_params = [#tfx_host.type_param<"T", @DiffReq>]} {
  %c = tfx_host.closure @call_f<[!tfx_host.param<"T">]>(%t)
      : (!tfx_host.param<"T">) -> !tfx_host.closure<(f64) -> f64>
  %d = tfx_ad.gradient %c of !tfx_host.closure<(f64) -> f64> (%x) wrt [0] : (f64) -> f64
  return %d : f64
}
func.func private @grad_quadratic(%x: f64) -> f64 {
  %c11 = arith.constant 11.0 : f64
  %c12 = arith.constant 12.0 : f64
  %c13 = arith.constant 13.0 : f64
  %q = tfx_host.make_struct(%c11, %c12, %c13) : (f64, f64, f64) -> !tfx_host.struct<@Quadratic>
  %d = tfx_host.call @grad_f<[!tfx_host.struct<@Quadratic>]>(%q, %x) : (!tfx_host.struct<@Quadratic>, f64) -> f64
  return %d : f64
}

// The first three elements of two tensors, one after the other.
func.func private @sum_first_three(%a: tensor<?xf64>, %b: tensor<?xf64>) -> tensor<f64> {
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %c = tfx_tensor.op "ConcatV2"(%a, %b, %axis) : (tensor<?xf64>, tensor<?xf64>, tensor<i32>) -> tensor<?xf64>
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %e = tfx_tensor.const dense<[3]> : tensor<1xi32>
  %d = tfx_tensor.op "Slice"(%c, %axes, %e) : (tensor<?xf64>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xf64>
  %f = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %s = tfx_tensor.op "Sum"(%d, %f) : (tensor<3xf64>, tensor<1xi32>) -> tensor<f64>
  return %s : tensor<f64>
}

// Properties with a rule.
tfx_host.struct @Space {x: f64, y: f64}
func.func private @space_x(%s: !tfx_host.struct<@Space>) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], forward = @space_x.forward, backward = @space_x.backward>} {
  %x = tfx_host.extract %s["x"] : !tfx_host.struct<@Space> -> f64
  return %x : f64
}
func.func private @space_x.forward(%s: !tfx_host.struct<@Space>) -> f64 {
  %space_x_s = func.call @space_x(%s) : (!tfx_host.struct<@Space>) -> f64
  return %space_x_s : f64
}
func.func private @space_x.backward(%v: f64) -> !tfx_host.struct<@Space> {
  %zero = arith.constant 0.0 : f64
  %d = tfx_host.make_struct(%v, %zero) : (f64, f64) -> !tfx_host.struct<@Space>
  return %d : !tfx_host.struct<@Space>
}
func.func private @two_x(%s: !tfx_host.struct<@Space>) -> f64 {
  %two = arith.constant 2.0 : f64
  %space_x_s = func.call @space_x(%s) : (!tfx_host.struct<@Space>) -> f64
  %a = arith.mulf %two, %space_x_s : f64
  return %a : f64
}
func.func private @three_y(%s: !tfx_host.struct<@Space>) -> f64 {
  %three = arith.constant 3.0 : f64
  %y = tfx_host.extract %s["y"] : !tfx_host.struct<@Space> -> f64
  %a = arith.mulf %three, %y : f64
  return %a : f64
}
func.func private @square_property(%s: !tfx_host.struct<@S>) -> f64 {
  %x = tfx_host.extract %s["x"] : !tfx_host.struct<@S> -> f64
  %a = tfx_host.extract %s["x"] : !tfx_host.struct<@S> -> f64
  %xa = arith.mulf %x, %a : f64
  return %xa : f64
}

func.func public @main() {
  %zero_ = arith.constant 0.0 : f64
  %three_ = arith.constant 3.0 : f64
  %ten = arith.constant 10.0 : f64
  %c20 = arith.constant 20.0 : f64
  %c30 = arith.constant 30.0 : f64
  %two = arith.constant 2.0 : f64
  %one_ = arith.constant 1.0 : f64
  %four_ = arith.constant 4.0 : f64
  %cm2 = arith.constant -2.0 : f64
  %c2_4 = arith.constant 2.4 : f64
  // Case: Swift, repeated_calls.swift, "Repeat".
  // CHECK: {{^}}mul4: 4.0{{$}}
  %d0 = tfx_ad.gradient @mul4(%zero_) wrt [0] : (f64) -> f64
  tfx_host.print "mul4: {}"(%d0) : f64
  %four = arith.constant 4.0 : f64
  %some = tfx_host.make_enum "some"(%four) : (f64) -> !tfx_host.enum<@Optional<f64>>
  %none = tfx_host.make_enum "none"() : () -> !tfx_host.enum<@Optional<f64>>
  %s1 = tfx_host.make_struct(%three_, %some) : (f64, !tfx_host.enum<@Optional<f64>>) -> !tfx_host.struct<@Struct<f64>>
  %s2 = tfx_host.make_struct(%three_, %none) : (f64, !tfx_host.enum<@Optional<f64>>) -> !tfx_host.struct<@Struct<f64>>
  // Case: Swift, optional_property.swift, "Optional struct stored properties", Struct.
  %m1, %g1 = tfx_ad.gradient @method(%s1) wrt [0] value : (!tfx_host.struct<@Struct<f64>>) -> (f64, !tfx_host.struct<@Struct<f64>>)
  %m2, %g2 = tfx_ad.gradient @method(%s2) wrt [0] value : (!tfx_host.struct<@Struct<f64>>) -> (f64, !tfx_host.struct<@Struct<f64>>)
  // CHECK-NEXT: {{^}}method some: 12.0 4.0 3.0{{$}}
  %stored = tfx_host.extract %g1["stored"] : !tfx_host.struct<@Struct<f64>> -> f64
  %optional = tfx_host.extract %g1["optional"] : !tfx_host.struct<@Struct<f64>> -> !tfx_host.enum<@Optional<f64>>
  %a = func.call @payload(%optional) : (!tfx_host.enum<@Optional<f64>>) -> f64
  tfx_host.print "method some: {} {} {}"(%m1, %stored, %a) : f64, f64, f64
  // CHECK-NEXT: {{^}}method none: 3.0 1.0 0.0{{$}}
  %b = tfx_host.extract %g2["stored"] : !tfx_host.struct<@Struct<f64>> -> f64
  %c = tfx_host.extract %g2["optional"] : !tfx_host.struct<@Struct<f64>> -> !tfx_host.enum<@Optional<f64>>
  %payload_c = func.call @payload(%c) : (!tfx_host.enum<@Optional<f64>>) -> f64
  tfx_host.print "method none: {} {} {}"(%m2, %b, %payload_c) : f64, f64, f64
  // Case: Swift, optional_property.swift, "Optional struct stored properties", StructGeneric.
  %m3, %g3 = tfx_ad.gradient @call_generic_method(%s1) wrt [0] value : (!tfx_host.struct<@Struct<f64>>) -> (f64, !tfx_host.struct<@Struct<f64>>)
  %m4, %g4 = tfx_ad.gradient @call_generic_method(%s2) wrt [0] value : (!tfx_host.struct<@Struct<f64>>) -> (f64, !tfx_host.struct<@Struct<f64>>)
  // CHECK-NEXT: {{^}}generic_method some: 4.0 0.0 1.0{{$}}
  %d = tfx_host.extract %g3["stored"] : !tfx_host.struct<@Struct<f64>> -> f64
  %e = tfx_host.extract %g3["optional"] : !tfx_host.struct<@Struct<f64>> -> !tfx_host.enum<@Optional<f64>>
  %payload_e = func.call @payload(%e) : (!tfx_host.enum<@Optional<f64>>) -> f64
  tfx_host.print "generic_method some: {} {} {}"(%m3, %d, %payload_e) : f64, f64, f64
  // CHECK-NEXT: {{^}}generic_method none: 3.0 1.0 0.0{{$}}
  %f = tfx_host.extract %g4["stored"] : !tfx_host.struct<@Struct<f64>> -> f64
  %g = tfx_host.extract %g4["optional"] : !tfx_host.struct<@Struct<f64>> -> !tfx_host.enum<@Optional<f64>>
  %payload_g = func.call @payload(%g) : (!tfx_host.enum<@Optional<f64>>) -> f64
  tfx_host.print "generic_method none: {} {} {}"(%m4, %f, %payload_g) : f64, f64, f64
  // Case: Swift, modify_accessor.swift, "SimpleModifyAccessor".
  // CHECK-NEXT: {{^}}modify_struct: 100.0 20.0{{$}}
  %y2, %d1 = tfx_ad.gradient @modify_struct(%ten) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "modify_struct: {} {}"(%y2, %d1) : f64, f64
  %w10 = tfx_host.make_struct(%ten) : (f64) -> !tfx_host.struct<@Wrapper<f64>>
  %ww10 = tfx_host.make_struct(%w10) : (!tfx_host.struct<@Wrapper<f64>>) -> !tfx_host.struct<@Wrapper<!tfx_host.struct<@Wrapper<f64>>>>
  %w20 = tfx_host.make_struct(%c20) : (f64) -> !tfx_host.struct<@Wrapper<f64>>
  %wrapped = tfx_host.make_struct(%ww10, %w20, %c30) : (!tfx_host.struct<@Wrapper<!tfx_host.struct<@Wrapper<f64>>>>, !tfx_host.struct<@Wrapper<f64>>, f64) -> !tfx_host.struct<@Wrapped>
  // Case: Swift, property_wrappers.swift, "SimpleStruct", getter.
  // CHECK-NEXT: {{^}}getter: 1.0 0.0 0.0{{$}}
  %d3 = tfx_ad.gradient @getter(%wrapped) wrt [0] : (!tfx_host.struct<@Wrapped>) -> !tfx_host.struct<@Wrapped>
  %d3_x = tfx_host.extract %d3["x"] : !tfx_host.struct<@Wrapped> -> !tfx_host.struct<@Wrapper<!tfx_host.struct<@Wrapper<f64>>>>
  %d3_x_value = tfx_host.extract %d3_x["value"] : !tfx_host.struct<@Wrapper<!tfx_host.struct<@Wrapper<f64>>>> -> !tfx_host.struct<@Wrapper<f64>>
  %d3_x_value_value = tfx_host.extract %d3_x_value["value"] : !tfx_host.struct<@Wrapper<f64>> -> f64
  %d3_y = tfx_host.extract %d3["y"] : !tfx_host.struct<@Wrapped> -> !tfx_host.struct<@Wrapper<f64>>
  %d3_y_value = tfx_host.extract %d3_y["value"] : !tfx_host.struct<@Wrapper<f64>> -> f64
  %d3_z = tfx_host.extract %d3["z"] : !tfx_host.struct<@Wrapped> -> f64
  tfx_host.print "getter: {} {} {}"(%d3_x_value_value, %d3_y_value, %d3_z) : f64, f64, f64
  // Case: Swift, property_wrappers.swift, "SimpleStruct", setter.
  // CHECK-NEXT: {{^}}setter: 60.0 0.0 20.0 300.0{{$}}
  %d4.0, %d4.1 = tfx_ad.gradient @setter(%wrapped, %two) wrt [0, 1] : (!tfx_host.struct<@Wrapped>, f64) -> (!tfx_host.struct<@Wrapped>, f64)
  %d4.0_x = tfx_host.extract %d4.0["x"] : !tfx_host.struct<@Wrapped> -> !tfx_host.struct<@Wrapper<!tfx_host.struct<@Wrapper<f64>>>>
  %d4.0_x_value = tfx_host.extract %d4.0_x["value"] : !tfx_host.struct<@Wrapper<!tfx_host.struct<@Wrapper<f64>>>> -> !tfx_host.struct<@Wrapper<f64>>
  %d4.0_x_value_value = tfx_host.extract %d4.0_x_value["value"] : !tfx_host.struct<@Wrapper<f64>> -> f64
  %d4.0_y = tfx_host.extract %d4.0["y"] : !tfx_host.struct<@Wrapped> -> !tfx_host.struct<@Wrapper<f64>>
  %d4.0_y_value = tfx_host.extract %d4.0_y["value"] : !tfx_host.struct<@Wrapper<f64>> -> f64
  %d4.0_z = tfx_host.extract %d4.0["z"] : !tfx_host.struct<@Wrapped> -> f64
  tfx_host.print "setter: {} {} {} {}"(%d4.0_x_value_value, %d4.0_y_value, %d4.0_z, %d4.1) : f64, f64, f64, f64
  %no = arith.constant false
  %subset = tfx_host.make_struct(%zero_, %one_, %no) : (f64, f64, i1) -> !tfx_host.struct<@Subset>
  %subset2 = tfx_host.make_struct(%three_, %four_, %no) : (f64, f64, i1) -> !tfx_host.struct<@Subset>
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %zeros = tfx_host.make_tuple(%zero, %zero) : f64, f64
  %ones = tfx_host.make_tuple(%one, %one) : f64, f64
  // Case: Swift, separate_tangent_type.swift, "Trivial".
  // CHECK-NEXT: {{^}}same: 0.0 0.0 1.0 1.0{{$}}
  %y5, %pullback5 = tfx_ad.vjp @same(%subset) wrt [0] : (!tfx_host.struct<@Subset>) -> (!tfx_host.struct<@Subset>, !tfx_host.closure<(tuple<f64, f64>) -> tuple<f64, f64>>)
  %d6 = tfx_host.apply %pullback5(%zeros) : !tfx_host.closure<(tuple<f64, f64>) -> tuple<f64, f64>>
  %d7 = tfx_host.apply %pullback5(%ones) : !tfx_host.closure<(tuple<f64, f64>) -> tuple<f64, f64>>
  %d60 = tfx_host.tuple_get %d6[0] : tuple<f64, f64>
  %d61 = tfx_host.tuple_get %d6[1] : tuple<f64, f64>
  %d70 = tfx_host.tuple_get %d7[0] : tuple<f64, f64>
  %d71 = tfx_host.tuple_get %d7[1] : tuple<f64, f64>
  tfx_host.print "same: {} {} {} {}"(%d60, %d61, %d70, %d71) : f64, f64, f64, f64
  // Case: Swift, separate_tangent_type.swift, "Initialization".
  // CHECK-NEXT: {{^}}fresh: 0.0 0.0 0.0 0.0{{$}}
  %y8, %pullback8 = tfx_ad.vjp @fresh(%subset) wrt [0] : (!tfx_host.struct<@Subset>) -> (!tfx_host.struct<@Subset>, !tfx_host.closure<(tuple<f64, f64>) -> tuple<f64, f64>>)
  %d9 = tfx_host.apply %pullback8(%zeros) : !tfx_host.closure<(tuple<f64, f64>) -> tuple<f64, f64>>
  %d10 = tfx_host.apply %pullback8(%ones) : !tfx_host.closure<(tuple<f64, f64>) -> tuple<f64, f64>>
  %d90 = tfx_host.tuple_get %d9[0] : tuple<f64, f64>
  %d91 = tfx_host.tuple_get %d9[1] : tuple<f64, f64>
  %d100 = tfx_host.tuple_get %d10[0] : tuple<f64, f64>
  %d101 = tfx_host.tuple_get %d10[1] : tuple<f64, f64>
  tfx_host.print "fresh: {} {} {} {}"(%d90, %d91, %d100, %d101) : f64, f64, f64, f64
  // Case: Swift, separate_tangent_type.swift, "SomeArithmetics".
  // CHECK-NEXT: {{^}}subset_squares: 0.0 0.0 6.0 8.0{{$}}
  %y11, %pullback11 = tfx_ad.vjp @subset_squares(%subset2) wrt [0] : (!tfx_host.struct<@Subset>) -> (!tfx_host.struct<@Subset>, !tfx_host.closure<(tuple<f64, f64>) -> tuple<f64, f64>>)
  %d12 = tfx_host.apply %pullback11(%zeros) : !tfx_host.closure<(tuple<f64, f64>) -> tuple<f64, f64>>
  %d13 = tfx_host.apply %pullback11(%ones) : !tfx_host.closure<(tuple<f64, f64>) -> tuple<f64, f64>>
  %d120 = tfx_host.tuple_get %d12[0] : tuple<f64, f64>
  %d121 = tfx_host.tuple_get %d12[1] : tuple<f64, f64>
  %d130 = tfx_host.tuple_get %d13[0] : tuple<f64, f64>
  %d131 = tfx_host.tuple_get %d13[1] : tuple<f64, f64>
  tfx_host.print "subset_squares: {} {} {} {}"(%d120, %d121, %d130, %d131) : f64, f64, f64, f64
  // Case: Swift, throw.swift, "SimpleTry".
  // CHECK-NEXT: {{^}}simple_try: 4.0{{$}}
  %d14 = tfx_ad.gradient @simple_try(%two) wrt [0] : (f64) -> f64
  tfx_host.print "simple_try: {}"(%d14) : f64
  // Case: Swift, throw.swift, "ActiveTry", g.
  // CHECK-NEXT: {{^}}catching 2: 4.0{{$}}
  %d15 = tfx_ad.gradient @catching(%two) wrt [0] : (f64) -> f64
  tfx_host.print "catching 2: {}"(%d15) : f64
  // CHECK-NEXT: {{^}}catching -2: 2.0{{$}}
  %d16 = tfx_ad.gradient @catching(%cm2) wrt [0] : (f64) -> f64
  tfx_host.print "catching -2: {}"(%d16) : f64
  // Case: Swift, throw.swift, "ActiveTry", h.
  // CHECK-NEXT: {{^}}catching_outer 2: 10.0{{$}}
  %d17 = tfx_ad.gradient @catching_outer(%two) wrt [0] : (f64) -> f64
  tfx_host.print "catching_outer 2: {}"(%d17) : f64
  // CHECK-NEXT: {{^}}catching_outer -2: -4.0{{$}}
  %d18 = tfx_ad.gradient @catching_outer(%cm2) wrt [0] : (f64) -> f64
  tfx_host.print "catching_outer -2: {}"(%d18) : f64
  // Case: Swift, differentiable_protocol_requirements.swift, "func".
  // CHECK-NEXT: {{^}}grad_quadratic 0: 12.0{{$}}
  %y19 = func.call @grad_quadratic(%zero_) : (f64) -> f64
  tfx_host.print "grad_quadratic 0: {}"(%y19) : f64
  // CHECK-NEXT: {{^}}grad_quadratic 1: 34.0{{$}}
  %y20 = func.call @grad_quadratic(%one_) : (f64) -> f64
  tfx_host.print "grad_quadratic 1: {}"(%y20) : f64
  // CHECK-NEXT: {{^}}grad_quadratic 2: 56.0{{$}}
  %y21 = func.call @grad_quadratic(%two) : (f64) -> f64
  tfx_host.print "grad_quadratic 2: {}"(%y21) : f64
  %three = arith.constant 3.0 : f64
  // Case: Swift, closure_specialization/multi_bb_no_bte.swift, "Test1".
  // CHECK-NEXT: {{^}}sum_first_three 2 2: {{\[ *}}1. 1.{{ *}}] {{\[ *}}1. 0.{{ *}}]{{$}}
  %h = tfx_tensor.const dense<[0.0, 0.0]> : tensor<2xf64>
  %i = tfx_tensor.op "Identity"(%h) : (tensor<2xf64>) -> tensor<?xf64>
  %d22.0, %d22.1 = tfx_ad.gradient @sum_first_three(%i, %i) wrt [0, 1] : (tensor<?xf64>, tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>)
  tfx_host.print "sum_first_three 2 2: {} {}"(%d22.0, %d22.1) : tensor<?xf64>, tensor<?xf64>
  // CHECK-NEXT: {{^}}sum_first_three 4 2: {{\[ *}}1. 1. 1. 0.{{ *}}] {{\[ *}}0. 0.{{ *}}]{{$}}
  %j = tfx_tensor.const dense<[0.0, 0.0, 0.0, 0.0]> : tensor<4xf64>
  %k = tfx_tensor.op "Identity"(%j) : (tensor<4xf64>) -> tensor<?xf64>
  %d23.0, %d23.1 = tfx_ad.gradient @sum_first_three(%k, %i) wrt [0, 1] : (tensor<?xf64>, tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>)
  tfx_host.print "sum_first_three 4 2: {} {}"(%d23.0, %d23.1) : tensor<?xf64>, tensor<?xf64>
  // Case: Swift, closure_specialization/multi_bb_no_bte.swift, "Test3".
  %case1 = tfx_host.make_enum "case1"(%three) : (f64) -> !tfx_host.enum<@Case>
  %real = tfx_host.make_struct(%case1, %four_) : (!tfx_host.enum<@Case>, f64) -> !tfx_host.struct<@Real>
  %dr = tfx_ad.gradient @multiply_real(%real) wrt [0] : (!tfx_host.struct<@Real>) -> !tfx_host.struct<@Real>
  // CHECK-NEXT: {{^}}multiply_real: 4.0 3.0{{$}}
  %x = tfx_host.extract %dr["x"] : !tfx_host.struct<@Real> -> !tfx_host.enum<@Case>
  %l = func.call @case_payload(%x) : (!tfx_host.enum<@Case>) -> f64
  %y = tfx_host.extract %dr["y"] : !tfx_host.struct<@Real> -> f64
  tfx_host.print "multiply_real: {} {}"(%l, %y) : f64, f64
  // Case: Swift, differentiable_property.swift, "computed property".
  %space = tfx_host.make_struct(%zero_, %zero_) : (f64, f64) -> !tfx_host.struct<@Space>
  // CHECK-NEXT: {{^}}two_x: 2.0 0.0{{$}}
  %d24 = tfx_ad.gradient @two_x(%space) wrt [0] : (!tfx_host.struct<@Space>) -> !tfx_host.struct<@Space>
  %d24_x = tfx_host.extract %d24["x"] : !tfx_host.struct<@Space> -> f64
  %d24_y = tfx_host.extract %d24["y"] : !tfx_host.struct<@Space> -> f64
  tfx_host.print "two_x: {} {}"(%d24_x, %d24_y) : f64, f64
  // Case: Swift, differentiable_property.swift, "stored property".
  // CHECK-NEXT: {{^}}three_y: 0.0 3.0{{$}}
  %d25 = tfx_ad.gradient @three_y(%space) wrt [0] : (!tfx_host.struct<@Space>) -> !tfx_host.struct<@Space>
  %d25_x = tfx_host.extract %d25["x"] : !tfx_host.struct<@Space> -> f64
  %d25_y = tfx_host.extract %d25["y"] : !tfx_host.struct<@Space> -> f64
  tfx_host.print "three_y: {} {}"(%d25_x, %d25_y) : f64, f64
  // Case: Swift, differentiable_property.swift, "computed property", TF_544.
  %s24 = tfx_host.make_struct(%c2_4) : (f64) -> !tfx_host.struct<@S>
  // CHECK-NEXT: {{^}}square_property: 4.8{{$}}
  %d26 = tfx_ad.gradient @square_property(%s24) wrt [0] : (!tfx_host.struct<@S>) -> !tfx_host.struct<@S>
  %d26_x = tfx_host.extract %d26["x"] : !tfx_host.struct<@S> -> f64
  tfx_host.print "square_property: {}"(%d26_x) : f64
  return
}
