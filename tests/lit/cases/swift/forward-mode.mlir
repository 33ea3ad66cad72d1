// Forward mode: tangents of straight lines, structs, methods, tuples, generic functions, protocols
// and closures. Swift, test/AutoDiff/validation-test/forward_mode_simple.swift. Swift's Float is f64
// here.
//
// RUN: tfxc run %s | FileCheck %s

func.func private @identity(%x: f64) -> f64 {
  return %x : f64
}
func.func private @unary(%x: f64) -> f64 {
  %xx = arith.mulf %x, %x : f64
  return %xx : f64
}
func.func private @binary(%x: f64, %y: f64) -> f64 {
  %xy = arith.mulf %x, %y : f64
  return %xy : f64
}
func.func private @lets(%x: f64, %y: f64) -> f64 {
  %a = arith.addf %x, %y : f64
  %minus_y = arith.negf %y : f64
  %b = arith.mulf %a, %minus_y : f64
  return %b : f64
}
func.func private @subset1(%x: i64, %y: f64, %z: i64) -> f64 {
  return %y : f64
}
func.func private @subset2(%x: f64, %y: i64, %z: i64) -> f64 {
  %two = arith.constant 2.0 : f64
  %twox = arith.mulf %two, %x : f64
  return %twox : f64
}
func.func private @subset3(%x: i64, %y: i64, %z: f64) -> f64 {
  %three = arith.constant 3.0 : f64
  %a = arith.mulf %three, %z : f64
  return %a : f64
}
func.func private @unary_vars(%x: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %one = arith.constant 1.0 : f64
  %three = arith.constant 3.0 : f64
  %a = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %a : f64
  tfx_host.store %x, %a : f64
  %a0 = tfx_host.load %a : !tfx_host.ref<f64>
  %b = tfx_host.var : !tfx_host.ref<f64>
  %c = arith.addf %a0, %two : f64
  tfx_host.store %c, %b : f64
  %b0 = tfx_host.load %b : !tfx_host.ref<f64>
  %e = arith.subf %b0, %one : f64
  tfx_host.store %e, %b : f64
  %b1 = tfx_host.load %b : !tfx_host.ref<f64>
  %d = tfx_host.var : !tfx_host.ref<f64>
  %f = arith.addf %a0, %b1 : f64
  %g = arith.addf %f, %three : f64
  %h = arith.subf %g, %one : f64
  tfx_host.store %h, %d : f64
  %d0 = tfx_host.load %d : !tfx_host.ref<f64>
  %i = arith.addf %d0, %d0 : f64
  tfx_host.store %i, %d : f64
  %r = tfx_host.load %d : !tfx_host.ref<f64>
  return %r : f64
}

tfx_host.struct @A {x: f64}
func.func private @struct_init(%x: f64) -> !tfx_host.struct<@A> {
  %two = arith.constant 2.0 : f64
  %twox = arith.mulf %two, %x : f64
  %a = tfx_host.make_struct(%twox) : (f64) -> !tfx_host.struct<@A>
  return %a : !tfx_host.struct<@A>
}
func.func private @struct_extract(%a: !tfx_host.struct<@A>) -> f64 {
  %two = arith.constant 2.0 : f64
  %x = tfx_host.extract %a["x"] : !tfx_host.struct<@A> -> f64
  %twox = arith.mulf %two, %x : f64
  return %twox : f64
}
func.func private @struct_variable(%x: !tfx_host.struct<@A>) -> !tfx_host.struct<@A> {
  %two = arith.constant 2.0 : f64
  %c = tfx_host.extract %x["x"] : !tfx_host.struct<@A> -> f64
  %twoc = arith.mulf %two, %c : f64
  %a = tfx_host.make_struct(%twoc) : (f64) -> !tfx_host.struct<@A>
  %b = tfx_host.var : !tfx_host.ref<!tfx_host.struct<@A>>
  %d = tfx_host.extract %a["x"] : !tfx_host.struct<@A> -> f64
  %e = arith.addf %d, %two : f64
  %b0 = tfx_host.make_struct(%e) : (f64) -> !tfx_host.struct<@A>
  tfx_host.store %b0, %b : !tfx_host.struct<@A>
  %b1 = tfx_host.load %b : !tfx_host.ref<!tfx_host.struct<@A>>
  %f = tfx_host.extract %b1["x"] : !tfx_host.struct<@A> -> f64
  %g = tfx_host.extract %a["x"] : !tfx_host.struct<@A> -> f64
  %h = arith.addf %f, %g : f64
  %b2 = tfx_host.make_struct(%h) : (f64) -> !tfx_host.struct<@A>
  tfx_host.store %b2, %b : !tfx_host.struct<@A>
  %r = tfx_host.load %b : !tfx_host.ref<!tfx_host.struct<@A>>
  return %r : !tfx_host.struct<@A>
}
func.func private @method_a(%a: !tfx_host.struct<@A>) -> !tfx_host.struct<@A> {
  %two = arith.constant 2.0 : f64
  %x = tfx_host.extract %a["x"] : !tfx_host.struct<@A> -> f64
  %twox = arith.mulf %two, %x : f64
  %b = tfx_host.make_struct(%twox) : (f64) -> !tfx_host.struct<@A>
  return %b : !tfx_host.struct<@A>
}
func.func private @times(%a: !tfx_host.struct<@A>, %b: !tfx_host.struct<@A>) -> !tfx_host.struct<@A> {
  %x = tfx_host.extract %a["x"] : !tfx_host.struct<@A> -> f64
  %d = tfx_host.extract %b["x"] : !tfx_host.struct<@A> -> f64
  %xd = arith.mulf %x, %d : f64
  %c = tfx_host.make_struct(%xd) : (f64) -> !tfx_host.struct<@A>
  return %c : !tfx_host.struct<@A>
}
func.func private @complex_method(%x: !tfx_host.struct<@A>, %u: !tfx_host.struct<@A>, %v: f64) -> !tfx_host.struct<@A> {
  %two_ = arith.constant 2.0 : f64
  %one = arith.constant 1.0 : f64
  %two = tfx_host.make_struct(%two_) : (f64) -> !tfx_host.struct<@A>
  %b = func.call @times(%u, %two) : (!tfx_host.struct<@A>, !tfx_host.struct<@A>) -> !tfx_host.struct<@A>
  %a = tfx_host.extract %b["x"] : !tfx_host.struct<@A> -> f64
  %bx = arith.mulf %a, %v : f64
  %b1 = tfx_host.insert %bx into %b["x"] : f64, !tfx_host.struct<@A>
  %d = tfx_host.extract %b1["x"] : !tfx_host.struct<@A> -> f64
  %c = arith.addf %d, %one : f64
  %e = tfx_host.extract %x["x"] : !tfx_host.struct<@A> -> f64
  %f = tfx_host.extract %b1["x"] : !tfx_host.struct<@A> -> f64
  %g = arith.addf %c, %f : f64
  %eg = arith.mulf %e, %g : f64
  %r = tfx_host.make_struct(%eg) : (f64) -> !tfx_host.struct<@A>
  return %r : !tfx_host.struct<@A>
}
func.func private @addition(%x: f64, %y: f64) -> f64 {
  %a = arith.addf %x, %y : f64
  return %a : f64
}
func.func private @division(%x: f64, %y: f64) -> f64 {
  %a = arith.divf %x, %y : f64
  return %a : f64
}
func.func private @products(%x: f64, %y: f64) -> f64 {
  %xy = arith.mulf %x, %y : f64
  %xyx = arith.mulf %xy, %x : f64
  return %xyx : f64
}
func.func private @quotient_lets(%x: f64, %y: f64) -> f64 {
  %a = arith.addf %x, %y : f64
  %b = arith.mulf %a, %a : f64
  %c = arith.divf %b, %x : f64
  %d = arith.addf %c, %y : f64
  return %d : f64
}
func.func private @tuple_let(%x: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %double = arith.mulf %two, %x : f64
  %t = tfx_host.make_tuple(%double, %x) : f64, f64
  %a = tfx_host.tuple_get %t[0] : tuple<f64, f64>
  return %a : f64
}
func.func private @tuple_mutation(%x: f64) -> f64 {
  %t = tfx_host.var : !tfx_host.ref<tuple<f64, f64>>
  %xx = tfx_host.make_tuple(%x, %x) : f64, f64
  tfx_host.store %xx, %t : tuple<f64, f64>
  %t.0 = tfx_host.field_ref %t["0"] : !tfx_host.ref<tuple<f64, f64>> -> !tfx_host.ref<f64>
  %a = tfx_host.load %t.0 : !tfx_host.ref<f64>
  %square = arith.mulf %a, %x : f64
  tfx_host.store %square, %t.0 : f64
  %s = tfx_host.load %t : !tfx_host.ref<tuple<f64, f64>>
  %b = tfx_host.tuple_get %s[0] : tuple<f64, f64>
  %xb = arith.mulf %x, %b : f64
  return %xb : f64
}
func.func private @fifth_power(%x: f64) -> f64 {
  %square = arith.mulf %x, %x : f64
  %t0 = tfx_host.make_tuple(%square, %x) : f64, f64
  %a = tfx_host.tuple_get %t0[0] : tuple<f64, f64>
  %cube = arith.mulf %a, %x : f64
  %t1 = tfx_host.make_tuple(%square, %cube) : f64, f64
  %b = tfx_host.tuple_get %t1[0] : tuple<f64, f64>
  %c = tfx_host.tuple_get %t1[1] : tuple<f64, f64>
  %bc = arith.mulf %b, %c : f64
  return %bc : f64
}

// Generic functions and generic structs.
func.func private @generic_identity(%x: !tfx_host.param<"T">) -> !tfx_host.param<"T">
    attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  return %x : !tfx_host.param<"T">
}
func.func private @call_identity(%x: f64) -> f64 {
  %y = tfx_host.call @generic_identity<[f64]>(%x) : (f64) -> f64
  return %y : f64
}
tfx_host.struct @Wrapped<"Scalar"> {value: f64}
func.func private @plus(%x: !tfx_host.struct<@Wrapped<!tfx_host.param<"T">>>) -> f64
    attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  %a = tfx_host.extract %x["value"] : !tfx_host.struct<@Wrapped<!tfx_host.param<"T">>> -> f64
  %b = arith.addf %a, %a : f64
  return %b : f64
}
func.func private @call_plus(%x: f64) -> f64 {
  %w = tfx_host.make_struct(%x) : (f64) -> !tfx_host.struct<@Wrapped<f64>>
  %y = tfx_host.call @plus<[f64]>(%w) : (!tfx_host.struct<@Wrapped<f64>>) -> f64
  return %y : f64
}
func.func private @wrapped_product(%x: !tfx_host.struct<@Wrapped<!tfx_host.param<"T">>>, %y: !tfx_host.struct<@Wrapped<!tfx_host.param<"T">>>) -> f64
    attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  %a = tfx_host.extract %x["value"] : !tfx_host.struct<@Wrapped<!tfx_host.param<"T">>> -> f64
  %b = tfx_host.extract %y["value"] : !tfx_host.struct<@Wrapped<!tfx_host.param<"T">>> -> f64
  %c = arith.mulf %a, %b : f64
  return %c : f64
}
func.func private @call_wrapped_product(%x: f64, %y: f64) -> f64 {
  %v = tfx_host.make_struct(%x) : (f64) -> !tfx_host.struct<@Wrapped<f64>>
  %w = tfx_host.make_struct(%y) : (f64) -> !tfx_host.struct<@Wrapped<f64>>
  %z = tfx_host.call @wrapped_product<[f64]>(%v, %w) : (!tfx_host.struct<@Wrapped<f64>>, !tfx_host.struct<@Wrapped<f64>>) -> f64
  return %z : f64
}
func.func private @four_products(%x: f64, %y: f64) -> f64 {
  %a = arith.mulf %x, %y : f64
  %b = arith.addf %a, %a : f64
  %c = arith.addf %b, %b : f64
  return %c : f64
}

// A closure is differentiated.
func.func private @sixteen_squares(%x: f64) -> f64 {
  %a = arith.addf %x, %x : f64
  %b = arith.addf %a, %a : f64
  %bb = arith.mulf %b, %b : f64
  return %bb : f64
}

// Protocols: a linear and a quadratic function.
tfx_host.protocol @Prot {foo: (!tfx_host.param<"Self">, f64) -> f64}
tfx_host.struct @Linear {m: f64, b: f64}
tfx_host.struct @Quadratic {a: f64, b: f64, c: f64}
func.func private @linear(%l: !tfx_host.struct<@Linear>, %x: f64) -> f64 {
  %m = tfx_host.extract %l["m"] : !tfx_host.struct<@Linear> -> f64
  %mx = arith.mulf %m, %x : f64
  %b = tfx_host.extract %l["b"] : !tfx_host.struct<@Linear> -> f64
  %a = arith.addf %mx, %b : f64
  return %a : f64
}
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
tfx_host.witness_table @Linear_Prot : !tfx_host.struct<@Linear> conforms @Prot {foo = @linear}
tfx_host.witness_table @Quadratic_Prot : !tfx_host.struct<@Quadratic> conforms @Prot {foo = @quadratic}
func.func private @generic_foo(%t: !tfx_host.param<"T">, %x: f64) -> f64
    attributes {tfx_host.type_params = [#tfx_host.type_param<"T", @Prot>]} {
  %y = tfx_host.witness_call @Prot["foo"] of !tfx_host.param<"T"> (%t, %x) : (!tfx_host.param<"T">, f64) -> f64
  return %y : f64
}
func.func private @call_linear(%x: f64) -> f64 {
  %five = arith.constant 5.0 : f64
  %cm2 = arith.constant -2.0 : f64
  %l = tfx_host.make_struct(%five, %cm2) : (f64, f64) -> !tfx_host.struct<@Linear>
  %y = tfx_host.call @generic_foo<[!tfx_host.struct<@Linear>]>(%l, %x) : (!tfx_host.struct<@Linear>, f64) -> f64
  return %y : f64
}
func.func private @call_quadratic(%x: f64) -> f64 {
  %c11 = arith.constant 11.0 : f64
  %c12 = arith.constant 12.0 : f64
  %c13 = arith.constant 13.0 : f64
  %q = tfx_host.make_struct(%c11, %c12, %c13) : (f64, f64, f64) -> !tfx_host.struct<@Quadratic>
  %y = tfx_host.call @generic_foo<[!tfx_host.struct<@Quadratic>]>(%q, %x) : (!tfx_host.struct<@Quadratic>, f64) -> f64
  return %y : f64
}

// Properties of a value that is built from the parameter.
tfx_host.struct @Functions {x: f64, y: f64}
func.func private @functions(%x: f64) -> !tfx_host.struct<@Functions> {
  %xx = arith.mulf %x, %x : f64
  %f = tfx_host.make_struct(%x, %xx) : (f64, f64) -> !tfx_host.struct<@Functions>
  return %f : !tfx_host.struct<@Functions>
}
func.func private @property_z(%f: !tfx_host.struct<@Functions>) -> f64 {
  %y = tfx_host.extract %f["y"] : !tfx_host.struct<@Functions> -> f64
  %x = tfx_host.extract %f["x"] : !tfx_host.struct<@Functions> -> f64
  %a = arith.addf %y, %x : f64
  return %a : f64
}
func.func private @properties(%x: f64) -> (f64, f64, f64) {
  %f = func.call @functions(%x) : (f64) -> !tfx_host.struct<@Functions>
  %a = tfx_host.extract %f["x"] : !tfx_host.struct<@Functions> -> f64
  %y = tfx_host.extract %f["y"] : !tfx_host.struct<@Functions> -> f64
  %b = func.call @property_z(%f) : (!tfx_host.struct<@Functions>) -> f64
  return %a, %y, %b : f64, f64, f64
}
func.func private @negated_product(%x: f64, %y: f64) -> f64 {
  %minus_x = arith.negf %x : f64
  %a = arith.mulf %minus_x, %y : f64
  return %a : f64
}
func.func private @fanout(%x: f64, %y: f64) -> f64 {
  %a = arith.addf %x, %x : f64
  %xy = arith.mulf %x, %y : f64
  %b = arith.addf %a, %xy : f64
  return %b : f64
}

func.func public @main() {
  %four = arith.constant 4.0 : f64
  %five_ = arith.constant 5.0 : f64
  %one = arith.constant 1.0 : f64
  %n0 = arith.constant 0 : i64
  %six = arith.constant 6.0 : f64
  %seven = arith.constant 7.0 : f64
  %three = arith.constant 3.0 : f64
  %ten = arith.constant 10.0 : f64
  %zero = arith.constant 0.0 : f64
  %two = arith.constant 2.0 : f64
  %a4 = tfx_host.make_struct(%four) : (f64) -> !tfx_host.struct<@A>
  %a5 = tfx_host.make_struct(%five_) : (f64) -> !tfx_host.struct<@A>
  %a1 = tfx_host.make_struct(%one) : (f64) -> !tfx_host.struct<@A>
  // Case: Swift, forward_mode_simple.swift, "Identity".
  // CHECK: {{^}}identity: 4.0 1.0{{$}}
  %y0, %t1 = tfx_ad.jvp @identity(%four) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "identity: {} {}"(%y0, %t1) : f64, f64
  // Case: Swift, forward_mode_simple.swift, "Unary".
  // CHECK-NEXT: {{^}}unary: 16.0 8.0{{$}}
  %y2, %t3 = tfx_ad.jvp @unary(%four) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "unary: {} {}"(%y2, %t3) : f64, f64
  // Case: Swift, forward_mode_simple.swift, "Binary".
  // CHECK-NEXT: {{^}}binary: 20.0 9.0{{$}}
  %y4, %t5 = tfx_ad.jvp @binary(%four, %five_) tangents(%one, %one : f64, f64) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "binary: {} {}"(%y4, %t5) : f64, f64
  // Case: Swift, forward_mode_simple.swift, "BinaryWithLets".
  // CHECK-NEXT: {{^}}lets: -45.0 -19.0{{$}}
  %y6, %t7 = tfx_ad.jvp @lets(%four, %five_) tangents(%one, %one : f64, f64) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "lets: {} {}"(%y6, %t7) : f64, f64
  // Case: Swift, forward_mode_simple.swift, "SubsetParametersDiff".
  // CHECK-NEXT: {{^}}subset1: 5.0 1.0{{$}}
  %y8, %t9 = tfx_ad.jvp @subset1(%n0, %five_, %n0) tangents(%one : f64) wrt [1] : (i64, f64, i64) -> (f64, f64)
  tfx_host.print "subset1: {} {}"(%y8, %t9) : f64, f64
  // CHECK-NEXT: {{^}}subset2: 12.0 2.0{{$}}
  %y10, %t11 = tfx_ad.jvp @subset2(%six, %n0, %n0) tangents(%one : f64) wrt [0] : (f64, i64, i64) -> (f64, f64)
  tfx_host.print "subset2: {} {}"(%y10, %t11) : f64, f64
  // CHECK-NEXT: {{^}}subset3: 21.0 3.0{{$}}
  %y12, %t13 = tfx_ad.jvp @subset3(%n0, %n0, %seven) tangents(%one : f64) wrt [2] : (i64, i64, f64) -> (f64, f64)
  tfx_host.print "subset3: {} {}"(%y12, %t13) : f64, f64
  // Case: Swift, forward_mode_simple.swift, "UnaryWithVars".
  // CHECK-NEXT: {{^}}unary_vars: 22.0 4.0{{$}}
  %y14, %t15 = tfx_ad.jvp @unary_vars(%four) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "unary_vars: {} {}"(%y14, %t15) : f64, f64
  // Case: Swift, forward_mode_simple.swift, "StructInit".
  // CHECK-NEXT: {{^}}struct_init: 8.0 2.0{{$}}
  %y16, %t17 = tfx_ad.jvp @struct_init(%four) tangents(%one : f64) wrt [0] : (f64) -> (!tfx_host.struct<@A>, !tfx_host.struct<@A>)
  %y16_x = tfx_host.extract %y16["x"] : !tfx_host.struct<@A> -> f64
  %t17_x = tfx_host.extract %t17["x"] : !tfx_host.struct<@A> -> f64
  tfx_host.print "struct_init: {} {}"(%y16_x, %t17_x) : f64, f64
  // Case: Swift, forward_mode_simple.swift, "StructExtract".
  // CHECK-NEXT: {{^}}struct_extract: 8.0 2.0{{$}}
  %y18, %t19 = tfx_ad.jvp @struct_extract(%a4) tangents(%a1 : !tfx_host.struct<@A>) wrt [0] : (!tfx_host.struct<@A>) -> (f64, f64)
  tfx_host.print "struct_extract: {} {}"(%y18, %t19) : f64, f64
  // Case: Swift, forward_mode_simple.swift, "LocalStructVariable".
  // CHECK-NEXT: {{^}}struct_variable: 18.0 4.0{{$}}
  %y20, %t21 = tfx_ad.jvp @struct_variable(%a4) tangents(%a1 : !tfx_host.struct<@A>) wrt [0] : (!tfx_host.struct<@A>) -> (!tfx_host.struct<@A>, !tfx_host.struct<@A>)
  %y20_x = tfx_host.extract %y20["x"] : !tfx_host.struct<@A> -> f64
  %t21_x = tfx_host.extract %t21["x"] : !tfx_host.struct<@A> -> f64
  tfx_host.print "struct_variable: {} {}"(%y20_x, %t21_x) : f64, f64
  // Case: Swift, forward_mode_simple.swift, "noParamMethodA".
  // CHECK-NEXT: {{^}}method_a: 8.0 2.0{{$}}
  %y22, %t23 = tfx_ad.jvp @method_a(%a4) tangents(%a1 : !tfx_host.struct<@A>) wrt [0] : (!tfx_host.struct<@A>) -> (!tfx_host.struct<@A>, !tfx_host.struct<@A>)
  %y22_x = tfx_host.extract %y22["x"] : !tfx_host.struct<@A> -> f64
  %t23_x = tfx_host.extract %t23["x"] : !tfx_host.struct<@A> -> f64
  tfx_host.print "method_a: {} {}"(%y22_x, %t23_x) : f64, f64
  // Case: Swift, forward_mode_simple.swift, "complexBinaryMethod".
  // CHECK-NEXT: {{^}}complex_method: 244.0 189.0{{$}}
  %y24, %t25 = tfx_ad.jvp @complex_method(%a4, %a5, %three) tangents(%a1, %a1, %one : !tfx_host.struct<@A>, !tfx_host.struct<@A>, f64) wrt [0, 1, 2] : (!tfx_host.struct<@A>, !tfx_host.struct<@A>, f64) -> (!tfx_host.struct<@A>, !tfx_host.struct<@A>)
  %y24_x = tfx_host.extract %y24["x"] : !tfx_host.struct<@A> -> f64
  %t25_x = tfx_host.extract %t25["x"] : !tfx_host.struct<@A> -> f64
  tfx_host.print "complex_method: {} {}"(%y24_x, %t25_x) : f64, f64
  // Case: Swift, forward_mode_simple.swift, "TrackedAddition".
  // CHECK-NEXT: {{^}}addition: 9.0 2.0{{$}}
  %y26, %t27 = tfx_ad.jvp @addition(%four, %five_) tangents(%one, %one : f64, f64) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "addition: {} {}"(%y26, %t27) : f64, f64
  // Case: Swift, forward_mode_simple.swift, "TrackedDivision".
  // CHECK-NEXT: {{^}}division: 2.0 -{{(0\.2|0\.199999999[0-9]*|0\.200000000[0-9]*)}}{{$}}
  %y28, %t29 = tfx_ad.jvp @division(%ten, %five_) tangents(%one, %one : f64, f64) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "division: {} {}"(%y28, %t29) : f64, f64
  // Case: Swift, forward_mode_simple.swift, "TrackedMultipleMultiplication".
  // CHECK-NEXT: {{^}}products: 80.0 56.0{{$}}
  %y30, %t31 = tfx_ad.jvp @products(%four, %five_) tangents(%one, %one : f64, f64) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "products: {} {}"(%y30, %t31) : f64, f64
  // Case: Swift, forward_mode_simple.swift, "TrackedWithLets".
  // CHECK-NEXT: {{^}}quotient_lets: 25.25 4.9375{{$}}
  %y32, %t33 = tfx_ad.jvp @quotient_lets(%four, %five_) tangents(%one, %one : f64, f64) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "quotient_lets: {} {}"(%y32, %t33) : f64, f64
  // Case: Swift, forward_mode_simple.swift, "TupleLet".
  // CHECK-NEXT: {{^}}tuple_let: 8.0 2.0{{$}}
  %y34, %t35 = tfx_ad.jvp @tuple_let(%four) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "tuple_let: {} {}"(%y34, %t35) : f64, f64
  // Case: Swift, forward_mode_simple.swift, "TupleMutation", foo.
  // CHECK-NEXT: {{^}}tuple_mutation: 27.0 27.0{{$}}
  %y36, %t37 = tfx_ad.jvp @tuple_mutation(%three) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "tuple_mutation: {} {}"(%y36, %t37) : f64, f64
  // Case: Swift, forward_mode_simple.swift, "TupleMutation", fifthPower.
  // CHECK-NEXT: {{^}}fifth_power: 243.0 405.0{{$}}
  %y38, %t39 = tfx_ad.jvp @fifth_power(%three) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "fifth_power: {} {}"(%y38, %t39) : f64, f64
  // Case: Swift, forward_mode_simple.swift, "GenericIdentity".
  // CHECK-NEXT: {{^}}call_identity: 4.0 1.0{{$}}
  %y40, %t41 = tfx_ad.jvp @call_identity(%four) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "call_identity: {} {}"(%y40, %t41) : f64, f64
  // Case: Swift, forward_mode_simple.swift, "GenericTensorPlus".
  // CHECK-NEXT: {{^}}call_plus: 8.0 2.0{{$}}
  %y42, %t43 = tfx_ad.jvp @call_plus(%four) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "call_plus: {} {}"(%y42, %t43) : f64, f64
  // Case: Swift, forward_mode_simple.swift, "GenericTensorBinaryInput".
  // CHECK-NEXT: {{^}}call_wrapped_product: 20.0 9.0{{$}}
  %y44, %t45 = tfx_ad.jvp @call_wrapped_product(%four, %five_) tangents(%one, %one : f64, f64) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "call_wrapped_product: {} {}"(%y44, %t45) : f64, f64
  // Case: Swift, forward_mode_simple.swift, "GenericTrackedBinaryLets".
  // CHECK-NEXT: {{^}}four_products: 80.0 36.0{{$}}
  %y46, %t47 = tfx_ad.jvp @four_products(%four, %five_) tangents(%one, %one : f64, f64) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "four_products: {} {}"(%y46, %t47) : f64, f64
  // Case: Swift, forward_mode_simple.swift, "TrackedDifferentiableFuncType".
  %five = arith.constant 5.0 : f64
  %unit = arith.constant 1.0 : f64
  %c = tfx_host.closure @sixteen_squares() : () -> !tfx_host.closure<(f64) -> f64>
  %yc, %tc = tfx_ad.jvp %c of !tfx_host.closure<(f64) -> f64> (%five) tangents(%unit : f64) wrt [0] : (f64) -> (f64, f64)
  // CHECK-NEXT: {{^}}sixteen_squares: 400.0 160.0{{$}}
  tfx_host.print "sixteen_squares: {} {}"(%yc, %tc) : f64, f64
  // Case: Swift, forward_mode_simple.swift, "Simple Protocol".
  // CHECK-NEXT: {{^}}call_linear: 23.0 5.0{{$}}
  %y48, %t49 = tfx_ad.jvp @call_linear(%five_) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "call_linear: {} {}"(%y48, %t49) : f64, f64
  // Case: Swift, forward_mode_simple.swift, "ProtocolFunc".
  // CHECK-NEXT: {{^}}call_quadratic 0: 13.0 12.0{{$}}
  %y50, %t51 = tfx_ad.jvp @call_quadratic(%zero) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "call_quadratic 0: {} {}"(%y50, %t51) : f64, f64
  // CHECK-NEXT: {{^}}call_quadratic 1: 36.0 34.0{{$}}
  %y52, %t53 = tfx_ad.jvp @call_quadratic(%one) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "call_quadratic 1: {} {}"(%y52, %t53) : f64, f64
  // CHECK-NEXT: {{^}}call_quadratic 2: 81.0 56.0{{$}}
  %y54, %t55 = tfx_ad.jvp @call_quadratic(%two) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "call_quadratic 2: {} {}"(%y54, %t55) : f64, f64
  // Case: Swift, forward_mode_simple.swift, "constructor, accessor, subscript".
  // CHECK-NEXT: {{^}}properties: 2.0 4.0 6.0 1.0 4.0 5.0{{$}}
  %y56.0, %y56.1, %y56.2, %t57.0, %t57.1, %t57.2 = tfx_ad.jvp @properties(%two) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64, f64, f64, f64, f64)
  tfx_host.print "properties: {} {} {} {} {} {}"(%y56.0, %y56.1, %y56.2, %t57.0, %t57.1, %t57.2) : f64, f64, f64, f64, f64, f64
  // Case: Swift, forward_mode_simple.swift, "Arithmetics", foo2.
  // CHECK-NEXT: {{^}}negated_product: -12.0 -7.0{{$}}
  %y58, %t59 = tfx_ad.jvp @negated_product(%three, %four) tangents(%one, %one : f64, f64) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "negated_product: {} {}"(%y58, %t59) : f64, f64
  // Case: Swift, forward_mode_simple.swift, "Fanout", foo3.
  // CHECK-NEXT: {{^}}fanout: 12.0 7.0{{$}}
  %y60, %t61 = tfx_ad.jvp @fanout(%three, %two) tangents(%one, %one : f64, f64) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "fanout: {} {}"(%y60, %t61) : f64, f64
  return
}
