// Parameters by reference, mutating methods, property setters, and methods.
// Swift, test/AutoDiff/validation-test/inout_parameters.swift, inout_control_flow.swift,
// forward_mode_inout.swift and method.swift. Swift's Float is f64 here. `[Float]` is a tensor.
//
// RUN: tfxc run %s | FileCheck %s

// The four operators with assignment, each on a variable.
func.func private @add_to(%x: !tfx_host.ref<f64>, %y: f64) {
  %a = tfx_host.load %x : !tfx_host.ref<f64>
  %b = arith.addf %a, %y : f64
  tfx_host.store %b, %x : f64
  return
}
func.func private @subtract_from(%x: !tfx_host.ref<f64>, %y: f64) {
  %a = tfx_host.load %x : !tfx_host.ref<f64>
  %b = arith.subf %a, %y : f64
  tfx_host.store %b, %x : f64
  return
}
func.func private @multiply_by(%x: !tfx_host.ref<f64>, %y: f64) {
  %a = tfx_host.load %x : !tfx_host.ref<f64>
  %b = arith.mulf %a, %y : f64
  tfx_host.store %b, %x : f64
  return
}
func.func private @divide_by(%x: !tfx_host.ref<f64>, %y: f64) {
  %a = tfx_host.load %x : !tfx_host.ref<f64>
  %b = arith.divf %a, %y : f64
  tfx_host.store %b, %x : f64
  return
}
func.func private @adding(%x: f64, %y: f64) -> f64 {
  %r = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %r : f64
  func.call @add_to(%r, %y) : (!tfx_host.ref<f64>, f64) -> ()
  %v = tfx_host.load %r : !tfx_host.ref<f64>
  return %v : f64
}
func.func private @subtracting(%x: f64, %y: f64) -> f64 {
  %r = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %r : f64
  func.call @subtract_from(%r, %y) : (!tfx_host.ref<f64>, f64) -> ()
  %v = tfx_host.load %r : !tfx_host.ref<f64>
  return %v : f64
}
func.func private @multiplying(%x: f64, %y: f64) -> f64 {
  %r = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %r : f64
  func.call @multiply_by(%r, %y) : (!tfx_host.ref<f64>, f64) -> ()
  %v = tfx_host.load %r : !tfx_host.ref<f64>
  return %v : f64
}
func.func private @dividing(%x: f64, %y: f64) -> f64 {
  %r = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %r : f64
  func.call @divide_by(%r, %y) : (!tfx_host.ref<f64>, f64) -> ()
  %v = tfx_host.load %r : !tfx_host.ref<f64>
  return %v : f64
}

func.func private @nothing(%x: !tfx_host.ref<f64>) {
  return
}
func.func private @identity(%x: f64) -> f64 {
  %r = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %r : f64
  func.call @nothing(%r) : (!tfx_host.ref<f64>) -> ()
  %v = tfx_host.load %r : !tfx_host.ref<f64>
  return %v : f64
}
func.func private @nothing_generic(%x: !tfx_host.ref<!tfx_host.param<"T">>)
    attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  return
}
func.func private @identity_generic(%x: f64) -> f64 {
  %r = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %r : f64
  tfx_host.call @nothing_generic<[f64]>(%r) : (!tfx_host.ref<f64>) -> ()
  %v = tfx_host.load %r : !tfx_host.ref<f64>
  return %v : f64
}

// A loop over the elements of a tensor; the variable is a parameter by reference in the third.
func.func private @product_loop(%t: tensor<3xf64>) -> f64 {
  %one = arith.constant 1.0 : f64
  %n0 = arith.constant 0 : i64
  %n3 = arith.constant 3 : i64
  %n1 = arith.constant 1 : i64
  %r = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %one, %r : f64
  cf.br ^head(%n0 : i64)
^head(%i: i64):
  %more = arith.cmpi slt, %i, %n3 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %at = tfx_tensor.from_scalar %i : i64
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %e = tfx_tensor.op "GatherV2"(%t, %at, %axis) : (tensor<3xf64>, tensor<i64>, tensor<i32>) -> tensor<f64>
  %a = tfx_host.load %r : !tfx_host.ref<f64>
  %b = tfx_tensor.to_scalar %e : tensor<f64> -> f64
  %ab = arith.mulf %a, %b : f64
  tfx_host.store %ab, %r : f64
  %c = arith.addi %i, %n1 : i64
  cf.br ^head(%c : i64)
^end:
  %v = tfx_host.load %r : !tfx_host.ref<f64>
  return %v : f64
}
func.func private @product_loop_custom(%t: tensor<3xf64>) -> f64 {
  %one = arith.constant 1.0 : f64
  %n0 = arith.constant 0 : i64
  %n3 = arith.constant 3 : i64
  %n1 = arith.constant 1 : i64
  %r = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %one, %r : f64
  cf.br ^head(%n0 : i64)
^head(%i: i64):
  %more = arith.cmpi slt, %i, %n3 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %at = tfx_tensor.from_scalar %i : i64
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %e = tfx_tensor.op "GatherV2"(%t, %at, %axis) : (tensor<3xf64>, tensor<i64>, tensor<i32>) -> tensor<f64>
  %s = tfx_tensor.to_scalar %e : tensor<f64> -> f64
  func.call @multiply_by(%r, %s) : (!tfx_host.ref<f64>, f64) -> ()
  %a = arith.addi %i, %n1 : i64
  cf.br ^head(%a : i64)
^end:
  %v = tfx_host.load %r : !tfx_host.ref<f64>
  return %v : f64
}

// Setters of properties: of a field, of a computed one, of one that halves.
tfx_host.struct @S {x: f64}
func.func private @get_doubled(%s: !tfx_host.ref<!tfx_host.struct<@S>>) -> f64 {
  %v = tfx_host.load %s : !tfx_host.ref<!tfx_host.struct<@S>>
  %x = tfx_host.extract %v["x"] : !tfx_host.struct<@S> -> f64
  %a = tfx_host.extract %v["x"] : !tfx_host.struct<@S> -> f64
  %b = arith.addf %x, %a : f64
  return %b : f64
}
func.func private @set_doubled(%s: !tfx_host.ref<!tfx_host.struct<@S>>, %new: f64) {
  %two = arith.constant 2.0 : f64
  %x = tfx_host.field_ref %s["x"] : !tfx_host.ref<!tfx_host.struct<@S>> -> !tfx_host.ref<f64>
  %half = arith.divf %new, %two : f64
  tfx_host.store %half, %x : f64
  return
}
func.func private @squared_by_set(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %s = tfx_host.var : !tfx_host.ref<!tfx_host.struct<@S>>
  %start = tfx_host.make_struct(%one) : (f64) -> !tfx_host.struct<@S>
  tfx_host.store %start, %s : !tfx_host.struct<@S>
  %s.x = tfx_host.field_ref %s["x"] : !tfx_host.ref<!tfx_host.struct<@S>> -> !tfx_host.ref<f64>
  func.call @multiply_by(%s.x, %x) : (!tfx_host.ref<f64>, f64) -> ()
  func.call @multiply_by(%s.x, %x) : (!tfx_host.ref<f64>, f64) -> ()
  %v = tfx_host.load %s.x : !tfx_host.ref<f64>
  return %v : f64
}
func.func private @quadrupled_by_set(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %four = arith.constant 4.0 : f64
  %s = tfx_host.var : !tfx_host.ref<!tfx_host.struct<@S>>
  %start = tfx_host.make_struct(%one) : (f64) -> !tfx_host.struct<@S>
  tfx_host.store %start, %s : !tfx_host.struct<@S>
  %old = func.call @get_doubled(%s) : (!tfx_host.ref<!tfx_host.struct<@S>>) -> f64
  %a = arith.mulf %four, %x : f64
  %new = arith.mulf %old, %a : f64
  func.call @set_doubled(%s, %new) : (!tfx_host.ref<!tfx_host.struct<@S>>, f64) -> ()
  %v = tfx_host.load %s : !tfx_host.ref<!tfx_host.struct<@S>>
  %b = tfx_host.extract %v["x"] : !tfx_host.struct<@S> -> f64
  return %b : f64
}

// A method with a parameter by reference, by a protocol.
tfx_host.struct @Method {}
tfx_host.protocol @HasMethod {method: (!tfx_host.param<"Self">, f64, !tfx_host.ref<f64>) -> ()}
func.func private @method(%self: !tfx_host.struct<@Method>, %x: f64, %y: !tfx_host.ref<f64>) {
  func.call @multiply_by(%y, %x) : (!tfx_host.ref<f64>, f64) -> ()
  return
}
tfx_host.witness_table @Method_HasMethod : !tfx_host.struct<@Method> conforms @HasMethod {method = @method}
func.func private @call_method(%x: f64, %y: f64) -> f64 {
  %s = tfx_host.make_struct() : () -> !tfx_host.struct<@Method>
  %r = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %y, %r : f64
  func.call @method(%s, %x, %r) : (!tfx_host.struct<@Method>, f64, !tfx_host.ref<f64>) -> ()
  %v = tfx_host.load %r : !tfx_host.ref<f64>
  return %v : f64
}
func.func private @generic_method(%s: !tfx_host.param<"T">, %x: f64, %y: f64) -> f64
    attributes {tfx_host.type_params = [#tfx_host.type_param<"T", @HasMethod>]} {
  %r = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %y, %r : f64
  tfx_host.witness_call @HasMethod["method"] of !tfx_host.param<"T"> (%s, %x, %r)
      : (!tfx_host.param<"T">, f64, !tfx_host.ref<f64>) -> ()
  return %x : f64
}
func.func private @call_generic_method(%x: f64, %y: f64) -> f64 {
  %s = tfx_host.make_struct() : () -> !tfx_host.struct<@Method>
  %r = tfx_host.call @generic_method<[!tfx_host.struct<@Method>]>(%s, %x, %y) : (!tfx_host.struct<@Method>, f64, f64) -> f64
  return %r : f64
}

// Mutating methods with a branch that does nothing.
tfx_host.struct @Model {first: f64, second: f64}
func.func private @inner(%m: !tfx_host.ref<!tfx_host.struct<@Model>>) {
  %n50 = arith.constant 50 : i64
  %first = tfx_host.field_ref %m["first"] : !tfx_host.ref<!tfx_host.struct<@Model>> -> !tfx_host.ref<f64>
  %second = tfx_host.field_ref %m["second"] : !tfx_host.ref<!tfx_host.struct<@Model>> -> !tfx_host.ref<f64>
  %v = tfx_host.load %first : !tfx_host.ref<f64>
  tfx_host.store %v, %second : f64
  %five = arith.constant 5 : i64
  %more = arith.cmpi slt, %five, %n50 : i64
  cf.cond_br %more, ^then, ^end
^then:
  cf.br ^end
^end:
  return
}
func.func private @outer(%m: !tfx_host.ref<!tfx_host.struct<@Model>>) {
  func.call @inner(%m) : (!tfx_host.ref<!tfx_host.struct<@Model>>) -> ()
  return
}
func.func private @loss(%model: !tfx_host.struct<@Model>) -> f64 {
  %m = tfx_host.var : !tfx_host.ref<!tfx_host.struct<@Model>>
  tfx_host.store %model, %m : !tfx_host.struct<@Model>
  func.call @outer(%m) : (!tfx_host.ref<!tfx_host.struct<@Model>>) -> ()
  %v = tfx_host.load %m : !tfx_host.ref<!tfx_host.struct<@Model>>
  %second = tfx_host.extract %v["second"] : !tfx_host.struct<@Model> -> f64
  return %second : f64
}

// The same in a generic function of a generic struct.
tfx_host.struct @Model2<"T"> {first: !tfx_host.param<"T">, second: !tfx_host.param<"T">}
tfx_host.protocol @Numeric {times: (!tfx_host.param<"Self">, !tfx_host.param<"Self">) -> !tfx_host.param<"Self">}
func.func private @f64_times(%x: f64, %y: f64) -> f64 {
  %xy = arith.mulf %x, %y : f64
  return %xy : f64
}
tfx_host.witness_table @f64_Numeric : f64 conforms @Numeric {times = @f64_times}
func.func private @adjust(%m: !tfx_host.ref<!tfx_host.struct<@Model2<!tfx_host.param<"T">>>>, %k: !tfx_host.param<"T">)
    attributes {tfx_host.type_params = [#tfx_host.type_param<"T", @Numeric>]} {
  %first = tfx_host.field_ref %m["first"]
      : !tfx_host.ref<!tfx_host.struct<@Model2<!tfx_host.param<"T">>>> -> !tfx_host.ref<!tfx_host.param<"T">>
  %second = tfx_host.field_ref %m["second"]
      : !tfx_host.ref<!tfx_host.struct<@Model2<!tfx_host.param<"T">>>> -> !tfx_host.ref<!tfx_host.param<"T">>
  %v = tfx_host.load %second : !tfx_host.ref<!tfx_host.param<"T">>
  %kv = tfx_host.witness_call @Numeric["times"] of !tfx_host.param<"T"> (%v, %k)
      : (!tfx_host.param<"T">, !tfx_host.param<"T">) -> !tfx_host.param<"T">
  tfx_host.store %kv, %first : !tfx_host.param<"T">
  %yes = arith.constant true
  cf.cond_br %yes, ^then, ^end
^then:
  cf.br ^end
^end:
  return
}
func.func private @loss2(%model: !tfx_host.struct<@Model2<f64>>, %k: f64) -> f64 {
  %m = tfx_host.var : !tfx_host.ref<!tfx_host.struct<@Model2<f64>>>
  tfx_host.store %model, %m : !tfx_host.struct<@Model2<f64>>
  tfx_host.call @adjust<[f64]>(%m, %k) : (!tfx_host.ref<!tfx_host.struct<@Model2<f64>>>, f64) -> ()
  %v = tfx_host.load %m : !tfx_host.ref<!tfx_host.struct<@Model2<f64>>>
  %first = tfx_host.extract %v["first"] : !tfx_host.struct<@Model2<f64>> -> f64
  return %first : f64
}

func.func private @exchange(%x: !tfx_host.ref<!tfx_host.param<"T">>, %y: !tfx_host.ref<!tfx_host.param<"T">>)
    attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  %a = tfx_host.load %x : !tfx_host.ref<!tfx_host.param<"T">>
  %b = tfx_host.load %y : !tfx_host.ref<!tfx_host.param<"T">>
  tfx_host.store %b, %x : !tfx_host.param<"T">
  tfx_host.store %a, %y : !tfx_host.param<"T">
  return
}
func.func private @first_after(%x: f64, %y: f64) -> f64 {
  %p = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %p : f64
  %q = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %y, %q : f64
  tfx_host.call @exchange<[f64]>(%p, %q) : (!tfx_host.ref<f64>, !tfx_host.ref<f64>) -> ()
  %v = tfx_host.load %q : !tfx_host.ref<f64>
  return %v : f64
}
func.func private @second_after(%x: f64, %y: f64) -> f64 {
  %p = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %p : f64
  %q = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %y, %q : f64
  tfx_host.call @exchange<[f64]>(%p, %q) : (!tfx_host.ref<f64>, !tfx_host.ref<f64>) -> ()
  %v = tfx_host.load %p : !tfx_host.ref<f64>
  return %v : f64
}

// A mutating method of a struct that adds a struct.
func.func private @add_struct(%m: !tfx_host.ref<!tfx_host.struct<@S>>, %other: !tfx_host.struct<@S>) {
  %x = tfx_host.field_ref %m["x"] : !tfx_host.ref<!tfx_host.struct<@S>> -> !tfx_host.ref<f64>
  %o = tfx_host.extract %other["x"] : !tfx_host.struct<@S> -> f64
  func.call @add_to(%x, %o) : (!tfx_host.ref<f64>, f64) -> ()
  return
}
func.func private @added_to(%start: f64, %y: f64) -> f64 {
  %m = tfx_host.var : !tfx_host.ref<!tfx_host.struct<@S>>
  %s = tfx_host.make_struct(%start) : (f64) -> !tfx_host.struct<@S>
  tfx_host.store %s, %m : !tfx_host.struct<@S>
  %other = tfx_host.make_struct(%y) : (f64) -> !tfx_host.struct<@S>
  func.call @add_struct(%m, %other) : (!tfx_host.ref<!tfx_host.struct<@S>>, !tfx_host.struct<@S>) -> ()
  %v = tfx_host.load %m : !tfx_host.ref<!tfx_host.struct<@S>>
  %x = tfx_host.extract %v["x"] : !tfx_host.struct<@S> -> f64
  return %x : f64
}
func.func private @identity2(%y: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %a = func.call @added_to(%zero, %y) : (f64, f64) -> f64
  return %a : f64
}
func.func private @double2(%y: f64) -> f64 {
  %a = func.call @added_to(%y, %y) : (f64, f64) -> f64
  return %a : f64
}
func.func private @square2(%y: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %yy = arith.mulf %y, %y : f64
  %a = func.call @added_to(%zero, %yy) : (f64, f64) -> f64
  return %a : f64
}

// Methods of a struct whose derivative is derived.
tfx_host.struct @Parameter {x: f64}
func.func private @squared(%p: !tfx_host.struct<@Parameter>) -> f64 {
  %x = tfx_host.extract %p["x"] : !tfx_host.struct<@Parameter> -> f64
  %a = tfx_host.extract %p["x"] : !tfx_host.struct<@Parameter> -> f64
  %xa = arith.mulf %x, %a : f64
  return %xa : f64
}
func.func private @hundred_squared(%p: !tfx_host.struct<@Parameter>) -> f64 {
  %hundred = arith.constant 100.0 : f64
  %squared_p = func.call @squared(%p) : (!tfx_host.struct<@Parameter>) -> f64
  %a = arith.mulf %hundred, %squared_p : f64
  return %a : f64
}
func.func private @multiplied(%p: !tfx_host.struct<@Parameter>, %other: f64) -> f64 {
  %x = tfx_host.extract %p["x"] : !tfx_host.struct<@Parameter> -> f64
  %a = arith.mulf %x, %other : f64
  return %a : f64
}
func.func private @hundred_multiplied(%p: !tfx_host.struct<@Parameter>) -> f64 {
  %c200 = arith.constant 200.0 : f64
  %hundred = arith.constant 100.0 : f64
  %a = func.call @multiplied(%p, %c200) : (!tfx_host.struct<@Parameter>, f64) -> f64
  %b = arith.mulf %hundred, %a : f64
  return %b : f64
}
func.func private @hundred_multiplied_other(%other: f64) -> f64 {
  %c200 = arith.constant 200.0 : f64
  %hundred = arith.constant 100.0 : f64
  %p = tfx_host.make_struct(%c200) : (f64) -> !tfx_host.struct<@Parameter>
  %a = func.call @multiplied(%p, %other) : (!tfx_host.struct<@Parameter>, f64) -> f64
  %b = arith.mulf %hundred, %a : f64
  return %b : f64
}
func.func private @times(%a: !tfx_host.struct<@Parameter>, %b: !tfx_host.struct<@Parameter>) -> f64 {
  %x = tfx_host.extract %a["x"] : !tfx_host.struct<@Parameter> -> f64
  %c = tfx_host.extract %b["x"] : !tfx_host.struct<@Parameter> -> f64
  %xc = arith.mulf %x, %c : f64
  return %xc : f64
}

// Methods with rules, which clamp the derivative.
func.func private @clamped(%x: f64) -> f64 {
  %cm10 = arith.constant -10.0 : f64
  %ten = arith.constant 10.0 : f64
  %a = arith.maximumf %x, %cm10 : f64
  %b = arith.minimumf %a, %ten : f64
  return %b : f64
}
func.func private @custom_squared(%p: !tfx_host.struct<@Parameter>) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], forward = @custom_squared.forward, backward = @custom_squared.backward>} {
  %x = tfx_host.extract %p["x"] : !tfx_host.struct<@Parameter> -> f64
  %a = tfx_host.extract %p["x"] : !tfx_host.struct<@Parameter> -> f64
  %xa = arith.mulf %x, %a : f64
  return %xa : f64
}
func.func private @custom_squared.forward(%p: !tfx_host.struct<@Parameter>) -> (f64, f64) {
  %a = func.call @custom_squared(%p) : (!tfx_host.struct<@Parameter>) -> f64
  %x = tfx_host.extract %p["x"] : !tfx_host.struct<@Parameter> -> f64
  return %a, %x : f64, f64
}
func.func private @custom_squared.backward(%x: f64, %v: f64) -> !tfx_host.struct<@Parameter> {
  %two = arith.constant 2.0 : f64
  %twox = arith.mulf %two, %x : f64
  %a = func.call @clamped(%twox) : (f64) -> f64
  %av = arith.mulf %a, %v : f64
  %d = tfx_host.make_struct(%av) : (f64) -> !tfx_host.struct<@Parameter>
  return %d : !tfx_host.struct<@Parameter>
}
func.func private @hundred_custom_squared(%p: !tfx_host.struct<@Parameter>) -> f64 {
  %hundred = arith.constant 100.0 : f64
  %a = func.call @custom_squared(%p) : (!tfx_host.struct<@Parameter>) -> f64
  %b = arith.mulf %hundred, %a : f64
  return %b : f64
}
func.func private @custom_multiplied(%p: !tfx_host.struct<@Parameter>, %other: f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0, 1], forward = @custom_multiplied.forward, backward = @custom_multiplied.backward>} {
  %x = tfx_host.extract %p["x"] : !tfx_host.struct<@Parameter> -> f64
  %a = arith.mulf %x, %other : f64
  return %a : f64
}
func.func private @custom_multiplied.forward(%p: !tfx_host.struct<@Parameter>, %other: f64) -> (f64, f64, f64) {
  %a = func.call @custom_multiplied(%p, %other) : (!tfx_host.struct<@Parameter>, f64) -> f64
  %x = tfx_host.extract %p["x"] : !tfx_host.struct<@Parameter> -> f64
  return %a, %x, %other : f64, f64, f64
}
func.func private @custom_multiplied.backward(%x: f64, %other: f64, %v: f64) -> (!tfx_host.struct<@Parameter>, f64) {
  %a = func.call @clamped(%other) : (f64) -> f64
  %av = arith.mulf %a, %v : f64
  %d = tfx_host.make_struct(%av) : (f64) -> !tfx_host.struct<@Parameter>
  %clamped_x = func.call @clamped(%x) : (f64) -> f64
  %e = arith.mulf %clamped_x, %v : f64
  return %d, %e : !tfx_host.struct<@Parameter>, f64
}
func.func private @hundred_custom_multiplied(%p: !tfx_host.struct<@Parameter>) -> f64 {
  %c200 = arith.constant 200.0 : f64
  %hundred = arith.constant 100.0 : f64
  %a = func.call @custom_multiplied(%p, %c200) : (!tfx_host.struct<@Parameter>, f64) -> f64
  %b = arith.mulf %hundred, %a : f64
  return %b : f64
}
func.func private @hundred_custom_multiplied_other(%other: f64) -> f64 {
  %c200 = arith.constant 200.0 : f64
  %hundred = arith.constant 100.0 : f64
  %p = tfx_host.make_struct(%c200) : (f64) -> !tfx_host.struct<@Parameter>
  %a = func.call @custom_multiplied(%p, %other) : (!tfx_host.struct<@Parameter>, f64) -> f64
  %b = arith.mulf %hundred, %a : f64
  return %b : f64
}

func.func public @main() {
  %four = arith.constant 4.0 : f64
  %five = arith.constant 5.0 : f64
  %ten = arith.constant 10.0 : f64
  %three = arith.constant 3.0 : f64
  %two = arith.constant 2.0 : f64
  %one = arith.constant 1.0 : f64
  %c20 = arith.constant 20.0 : f64
  %nine = arith.constant 9.0 : f64
  %hundred = arith.constant 100.0 : f64
  %c200 = arith.constant 200.0 : f64
  // Case: Swift, inout_parameters.swift, "Float.+=".
  // CHECK: {{^}}adding: 1.0 1.0{{$}}
  %d0.0, %d0.1 = tfx_ad.gradient @adding(%four, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "adding: {} {}"(%d0.0, %d0.1) : f64, f64
  // CHECK-NEXT: {{^}}adding pullback: 10.0 10.0{{$}}
  %y1, %pullback1 = tfx_ad.vjp @adding(%four, %five) wrt [0, 1] : (f64, f64) -> (f64, !tfx_host.closure<(f64) -> (f64, f64)>)
  %d2.0, %d2.1 = tfx_host.apply %pullback1(%ten) : !tfx_host.closure<(f64) -> (f64, f64)>
  tfx_host.print "adding pullback: {} {}"(%d2.0, %d2.1) : f64, f64
  // Case: Swift, inout_parameters.swift, "InoutIdentity".
  // CHECK-NEXT: {{^}}identity: 1.0{{$}}
  %d3 = tfx_ad.gradient @identity(%ten) wrt [0] : (f64) -> f64
  tfx_host.print "identity: {}"(%d3) : f64
  // CHECK-NEXT: {{^}}identity pullback: 10.0{{$}}
  %y4, %pullback4 = tfx_ad.vjp @identity(%ten) wrt [0] : (f64) -> (f64, !tfx_host.closure<(f64) -> f64>)
  %d5 = tfx_host.apply %pullback4(%ten) : !tfx_host.closure<(f64) -> f64>
  tfx_host.print "identity pullback: {}"(%d5) : f64
  // Case: Swift, inout_parameters.swift, "ControlFlow", product.
  // CHECK-NEXT: {{^}}product_loop: {{\[ *}}20. 15. 12.{{ *}}]{{$}}
  %a = tfx_tensor.const dense<[3.0, 4.0, 5.0]> : tensor<3xf64>
  %d6 = tfx_ad.gradient @product_loop(%a) wrt [0] : (tensor<3xf64>) -> tensor<3xf64>
  tfx_host.print "product_loop: {}"(%d6) : tensor<3xf64>
  // Case: Swift, inout_parameters.swift, "ControlFlow", productCustom.
  // CHECK-NEXT: {{^}}product_loop_custom: {{\[ *}}20. 15. 12.{{ *}}]{{$}}
  %d7 = tfx_ad.gradient @product_loop_custom(%a) wrt [0] : (tensor<3xf64>) -> tensor<3xf64>
  tfx_host.print "product_loop_custom: {}"(%d7) : tensor<3xf64>
  // Case: Swift, inout_parameters.swift, "SetAccessor", squared.
  // CHECK-NEXT: {{^}}squared_by_set 3: 9.0 6.0{{$}}
  %y9, %d8 = tfx_ad.gradient @squared_by_set(%three) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "squared_by_set 3: {} {}"(%y9, %d8) : f64, f64
  // CHECK-NEXT: {{^}}squared_by_set 4: 16.0 8.0{{$}}
  %y11, %d10 = tfx_ad.gradient @squared_by_set(%four) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "squared_by_set 4: {} {}"(%y11, %d10) : f64, f64
  // Case: Swift, inout_parameters.swift, "SetAccessor", quadrupled.
  // CHECK-NEXT: {{^}}quadrupled_by_set 3: 12.0 4.0{{$}}
  %y13, %d12 = tfx_ad.gradient @quadrupled_by_set(%three) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "quadrupled_by_set 3: {} {}"(%y13, %d12) : f64, f64
  // CHECK-NEXT: {{^}}quadrupled_by_set 4: 16.0 4.0{{$}}
  %y15, %d14 = tfx_ad.gradient @quadrupled_by_set(%four) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "quadrupled_by_set 4: {} {}"(%y15, %d14) : f64, f64
  // Case: Swift, inout_parameters.swift, "non-wrt inout parameter", foo.
  // CHECK-NEXT: {{^}}call_method: 6.0 3.0 2.0{{$}}
  %y17, %d16.0, %d16.1 = tfx_ad.gradient @call_method(%two, %three) wrt [0, 1] value : (f64, f64) -> (f64, f64, f64)
  tfx_host.print "call_method: {} {} {}"(%y17, %d16.0, %d16.1) : f64, f64, f64
  // CHECK-NEXT: {{^}}call_method by x: 6.0 3.0{{$}}
  %y19, %d18 = tfx_ad.gradient @call_method(%two, %three) wrt [0] value : (f64, f64) -> (f64, f64)
  tfx_host.print "call_method by x: {} {}"(%y19, %d18) : f64, f64
  // Case: Swift, inout_parameters.swift, "non-wrt inout parameter", fooGeneric.
  // CHECK-NEXT: {{^}}call_generic_method: 2.0 1.0 0.0{{$}}
  %y21, %d20.0, %d20.1 = tfx_ad.gradient @call_generic_method(%two, %three) wrt [0, 1] value : (f64, f64) -> (f64, f64, f64)
  tfx_host.print "call_generic_method: {} {} {}"(%y21, %d20.0, %d20.1) : f64, f64, f64
  // Case: Swift, inout_control_flow.swift, "MutatingBeforeControlFlow".
  %model = tfx_host.make_struct(%three, %one) : (f64, f64) -> !tfx_host.struct<@Model>
  // CHECK-NEXT: {{^}}loss: 1.0 0.0{{$}}
  %d22 = tfx_ad.gradient @loss(%model) wrt [0] : (!tfx_host.struct<@Model>) -> !tfx_host.struct<@Model>
  %d22_first = tfx_host.extract %d22["first"] : !tfx_host.struct<@Model> -> f64
  %d22_second = tfx_host.extract %d22["second"] : !tfx_host.struct<@Model> -> f64
  tfx_host.print "loss: {} {}"(%d22_first, %d22_second) : f64, f64
  // Case: Swift, inout_control_flow.swift, "InoutParameterWithControlFlow".
  %model2 = tfx_host.make_struct(%one, %three) : (f64, f64) -> !tfx_host.struct<@Model2<f64>>
  // CHECK-NEXT: {{^}}loss2: 0.0 5.0{{$}}
  %d23 = tfx_ad.gradient @loss2(%model2, %five) wrt [0] : (!tfx_host.struct<@Model2<f64>>, f64) -> !tfx_host.struct<@Model2<f64>>
  %d23_first = tfx_host.extract %d23["first"] : !tfx_host.struct<@Model2<f64>> -> f64
  %d23_second = tfx_host.extract %d23["second"] : !tfx_host.struct<@Model2<f64>> -> f64
  tfx_host.print "loss2: {} {}"(%d23_first, %d23_second) : f64, f64
  // Case: Swift, forward_mode_inout.swift, "Float.+=".
  // CHECK-NEXT: {{^}}forward adding: 9.0 20.0{{$}}
  %y24, %t25 = tfx_ad.jvp @adding(%four, %five) tangents(%ten, %ten : f64, f64) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "forward adding: {} {}"(%y24, %t25) : f64, f64
  // Case: Swift, forward_mode_inout.swift, "Float.-=".
  // CHECK-NEXT: {{^}}forward subtracting 10: -1.0 0.0{{$}}
  %y26, %t27 = tfx_ad.jvp @subtracting(%four, %five) tangents(%ten, %ten : f64, f64) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "forward subtracting 10: {} {}"(%y26, %t27) : f64, f64
  // CHECK-NEXT: {{^}}forward subtracting 20: -1.0 10.0{{$}}
  %y28, %t29 = tfx_ad.jvp @subtracting(%four, %five) tangents(%c20, %ten : f64, f64) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "forward subtracting 20: {} {}"(%y28, %t29) : f64, f64
  // Case: Swift, forward_mode_inout.swift, "Float.*=".
  // CHECK-NEXT: {{^}}forward multiplying: 20.0 22.0{{$}}
  %y30, %t31 = tfx_ad.jvp @multiplying(%four, %five) tangents(%two, %three : f64, f64) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "forward multiplying: {} {}"(%y30, %t31) : f64, f64
  // Case: Swift, forward_mode_inout.swift, "Float./=".
  // CHECK-NEXT: {{^}}forward dividing: {{0\.666666666[0-9]*}} -1.0{{$}}
  %y32, %t33 = tfx_ad.jvp @dividing(%two, %three) tangents(%three, %nine : f64, f64) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "forward dividing: {} {}"(%y32, %t33) : f64, f64
  // Case: Swift, forward_mode_inout.swift, "InoutIdentity", generic.
  // CHECK-NEXT: {{^}}forward identity_generic: 10.0 10.0{{$}}
  %y34, %t35 = tfx_ad.jvp @identity_generic(%ten) tangents(%ten : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "forward identity_generic: {} {}"(%y34, %t35) : f64, f64
  // Case: Swift, forward_mode_inout.swift, "MultipleInoutParams".
  // CHECK-NEXT: {{^}}forward first_after: 1.0 1.0{{$}}
  %y36, %t37 = tfx_ad.jvp @first_after(%one, %one) tangents(%one, %two : f64, f64) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "forward first_after: {} {}"(%y36, %t37) : f64, f64
  // CHECK-NEXT: {{^}}forward second_after: 1.0 2.0{{$}}
  %y38, %t39 = tfx_ad.jvp @second_after(%one, %one) tangents(%one, %two : f64, f64) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "forward second_after: {} {}"(%y38, %t39) : f64, f64
  // Case: Swift, forward_mode_inout.swift, "StructMutatingMethod".
  // CHECK-NEXT: {{^}}forward identity2: 1.0 1.0{{$}}
  %y40, %t41 = tfx_ad.jvp @identity2(%one) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "forward identity2: {} {}"(%y40, %t41) : f64, f64
  // CHECK-NEXT: {{^}}forward double2: 2.0 2.0{{$}}
  %y42, %t43 = tfx_ad.jvp @double2(%one) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "forward double2: {} {}"(%y42, %t43) : f64, f64
  // CHECK-NEXT: {{^}}forward square2: 9.0 6.0{{$}}
  %y44, %t45 = tfx_ad.jvp @square2(%three) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "forward square2: {} {}"(%y44, %t45) : f64, f64
  // Case: Swift, method.swift, instance method, called from a function.
  %p2 = tfx_host.make_struct(%two) : (f64) -> !tfx_host.struct<@Parameter>
  %p5 = tfx_host.make_struct(%five) : (f64) -> !tfx_host.struct<@Parameter>
  %p20 = tfx_host.make_struct(%c20) : (f64) -> !tfx_host.struct<@Parameter>
  %p100 = tfx_host.make_struct(%hundred) : (f64) -> !tfx_host.struct<@Parameter>
  %p200 = tfx_host.make_struct(%c200) : (f64) -> !tfx_host.struct<@Parameter>
  // CHECK-NEXT: {{^}}hundred_squared 2: 400.0{{$}}
  %d46 = tfx_ad.gradient @hundred_squared(%p2) wrt [0] : (!tfx_host.struct<@Parameter>) -> !tfx_host.struct<@Parameter>
  %d46_x = tfx_host.extract %d46["x"] : !tfx_host.struct<@Parameter> -> f64
  tfx_host.print "hundred_squared 2: {}"(%d46_x) : f64
  // CHECK-NEXT: {{^}}hundred_squared 20: 4000.0{{$}}
  %d47 = tfx_ad.gradient @hundred_squared(%p20) wrt [0] : (!tfx_host.struct<@Parameter>) -> !tfx_host.struct<@Parameter>
  %d47_x = tfx_host.extract %d47["x"] : !tfx_host.struct<@Parameter> -> f64
  tfx_host.print "hundred_squared 20: {}"(%d47_x) : f64
  // Case: Swift, method.swift, instance method, directly.
  // CHECK-NEXT: {{^}}squared 2: 4.0{{$}}
  %d48 = tfx_ad.gradient @squared(%p2) wrt [0] : (!tfx_host.struct<@Parameter>) -> !tfx_host.struct<@Parameter>
  %d48_x = tfx_host.extract %d48["x"] : !tfx_host.struct<@Parameter> -> f64
  tfx_host.print "squared 2: {}"(%d48_x) : f64
  // CHECK-NEXT: {{^}}squared 20: 40.0{{$}}
  %d49 = tfx_ad.gradient @squared(%p20) wrt [0] : (!tfx_host.struct<@Parameter>) -> !tfx_host.struct<@Parameter>
  %d49_x = tfx_host.extract %d49["x"] : !tfx_host.struct<@Parameter> -> f64
  tfx_host.print "squared 20: {}"(%d49_x) : f64
  // Case: Swift, method.swift, instance method, wrt only self.
  // CHECK-NEXT: {{^}}hundred_multiplied: 20000.0{{$}}
  %d50 = tfx_ad.gradient @hundred_multiplied(%p2) wrt [0] : (!tfx_host.struct<@Parameter>) -> !tfx_host.struct<@Parameter>
  %d50_x = tfx_host.extract %d50["x"] : !tfx_host.struct<@Parameter> -> f64
  tfx_host.print "hundred_multiplied: {}"(%d50_x) : f64
  // Case: Swift, method.swift, instance method, wrt only non-self.
  // CHECK-NEXT: {{^}}hundred_multiplied_other: 20000.0{{$}}
  %d51 = tfx_ad.gradient @hundred_multiplied_other(%one) wrt [0] : (f64) -> f64
  tfx_host.print "hundred_multiplied_other: {}"(%d51) : f64
  // Case: Swift, method.swift, instance method, wrt self and non-self.
  // CHECK-NEXT: {{^}}multiplied: 100.0 200.0{{$}}
  %d52.0, %d52.1 = tfx_ad.gradient @multiplied(%p200, %hundred) wrt [0, 1] : (!tfx_host.struct<@Parameter>, f64) -> (!tfx_host.struct<@Parameter>, f64)
  %d52.0_x = tfx_host.extract %d52.0["x"] : !tfx_host.struct<@Parameter> -> f64
  tfx_host.print "multiplied: {} {}"(%d52.0_x, %d52.1) : f64, f64
  // Case: Swift, method.swift, static method, wrt all parameters.
  // CHECK-NEXT: {{^}}times: 100.0 200.0{{$}}
  %d53.0, %d53.1 = tfx_ad.gradient @times(%p200, %p100) wrt [0, 1] : (!tfx_host.struct<@Parameter>, !tfx_host.struct<@Parameter>) -> (!tfx_host.struct<@Parameter>, !tfx_host.struct<@Parameter>)
  %d53.0_x = tfx_host.extract %d53.0["x"] : !tfx_host.struct<@Parameter> -> f64
  %d53.1_x = tfx_host.extract %d53.1["x"] : !tfx_host.struct<@Parameter> -> f64
  tfx_host.print "times: {} {}"(%d53.0_x, %d53.1_x) : f64, f64
  // Case: Swift, method.swift, instance method with a rule, called from a function.
  // CHECK-NEXT: {{^}}hundred_custom_squared 2: 400.0{{$}}
  %d54 = tfx_ad.gradient @hundred_custom_squared(%p2) wrt [0] : (!tfx_host.struct<@Parameter>) -> !tfx_host.struct<@Parameter>
  %d54_x = tfx_host.extract %d54["x"] : !tfx_host.struct<@Parameter> -> f64
  tfx_host.print "hundred_custom_squared 2: {}"(%d54_x) : f64
  // CHECK-NEXT: {{^}}hundred_custom_squared 20: 1000.0{{$}}
  %d55 = tfx_ad.gradient @hundred_custom_squared(%p20) wrt [0] : (!tfx_host.struct<@Parameter>) -> !tfx_host.struct<@Parameter>
  %d55_x = tfx_host.extract %d55["x"] : !tfx_host.struct<@Parameter> -> f64
  tfx_host.print "hundred_custom_squared 20: {}"(%d55_x) : f64
  // Case: Swift, method.swift, instance method with a rule, directly.
  // CHECK-NEXT: {{^}}custom_squared 2: 4.0{{$}}
  %d56 = tfx_ad.gradient @custom_squared(%p2) wrt [0] : (!tfx_host.struct<@Parameter>) -> !tfx_host.struct<@Parameter>
  %d56_x = tfx_host.extract %d56["x"] : !tfx_host.struct<@Parameter> -> f64
  tfx_host.print "custom_squared 2: {}"(%d56_x) : f64
  // CHECK-NEXT: {{^}}custom_squared 20: 10.0{{$}}
  %d57 = tfx_ad.gradient @custom_squared(%p20) wrt [0] : (!tfx_host.struct<@Parameter>) -> !tfx_host.struct<@Parameter>
  %d57_x = tfx_host.extract %d57["x"] : !tfx_host.struct<@Parameter> -> f64
  tfx_host.print "custom_squared 20: {}"(%d57_x) : f64
  // Case: Swift, method.swift, method with a rule, wrt only self.
  // CHECK-NEXT: {{^}}hundred_custom_multiplied: 1000.0{{$}}
  %d58 = tfx_ad.gradient @hundred_custom_multiplied(%p2) wrt [0] : (!tfx_host.struct<@Parameter>) -> !tfx_host.struct<@Parameter>
  %d58_x = tfx_host.extract %d58["x"] : !tfx_host.struct<@Parameter> -> f64
  tfx_host.print "hundred_custom_multiplied: {}"(%d58_x) : f64
  // Case: Swift, method.swift, method with a rule, wrt only non-self.
  // CHECK-NEXT: {{^}}hundred_custom_multiplied_other: 1000.0{{$}}
  %d59 = tfx_ad.gradient @hundred_custom_multiplied_other(%two) wrt [0] : (f64) -> f64
  tfx_host.print "hundred_custom_multiplied_other: {}"(%d59) : f64
  // Case: Swift, method.swift, method with a rule, wrt self and non-self.
  // CHECK-NEXT: {{^}}custom_multiplied 100 5: 5.0 10.0{{$}}
  %d60.0, %d60.1 = tfx_ad.gradient @custom_multiplied(%p100, %five) wrt [0, 1] : (!tfx_host.struct<@Parameter>, f64) -> (!tfx_host.struct<@Parameter>, f64)
  %d60.0_x = tfx_host.extract %d60.0["x"] : !tfx_host.struct<@Parameter> -> f64
  tfx_host.print "custom_multiplied 100 5: {} {}"(%d60.0_x, %d60.1) : f64, f64
  // CHECK-NEXT: {{^}}custom_multiplied 5 100: 10.0 5.0{{$}}
  %d61.0, %d61.1 = tfx_ad.gradient @custom_multiplied(%p5, %hundred) wrt [0, 1] : (!tfx_host.struct<@Parameter>, f64) -> (!tfx_host.struct<@Parameter>, f64)
  %d61.0_x = tfx_host.extract %d61.0["x"] : !tfx_host.struct<@Parameter> -> f64
  tfx_host.print "custom_multiplied 5 100: {} {}"(%d61.0_x, %d61.1) : f64, f64
  return
}
