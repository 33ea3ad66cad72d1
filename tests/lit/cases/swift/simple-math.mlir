// Straight lines, closures, tuples, structs and generic structs.
// Swift, test/AutoDiff/validation-test/simple_math.swift and simple_model.swift. Swift's Float is
// f64 here.
//
// RUN: tfxc run %s | FileCheck %s

func.func private @product(%x: f64, %y: f64) -> f64 {
  %xy = arith.mulf %x, %y : f64
  return %xy : f64
}
func.func private @negated_product(%x: f64, %y: f64) -> f64 {
  %minus_x = arith.negf %x : f64
  %a = arith.mulf %minus_x, %y : f64
  return %a : f64
}
func.func private @negated_sum(%x: f64, %y: f64) -> f64 {
  %minus_x = arith.negf %x : f64
  %a = arith.addf %minus_x, %y : f64
  return %a : f64
}
func.func private @difference(%x: f64) -> f64 {
  %a = arith.subf %x, %x : f64
  return %a : f64
}
func.func private @double(%x: f64) -> f64 {
  %a = arith.addf %x, %x : f64
  return %a : f64
}
func.func private @fanout(%x: f64, %y: f64) -> f64 {
  %a = arith.addf %x, %x : f64
  %xy = arith.mulf %x, %y : f64
  %b = arith.addf %a, %xy : f64
  return %b : f64
}

// A closure is called in the function.
func.func private @triple(%x: f64) -> f64 {
  %three = arith.constant 3.0 : f64
  %a = arith.mulf %x, %three : f64
  return %a : f64
}
func.func private @function_call(%x: f64, %y: f64) -> f64 {
  %three_ = arith.constant 3.0 : f64
  %c = tfx_host.closure @triple() : () -> !tfx_host.closure<(f64) -> f64>
  %three = arith.constant 3.0 : f64
  %nine = tfx_host.apply %c(%three) : !tfx_host.closure<(f64) -> f64>
  %a = arith.mulf %three_, %x : f64
  %b = arith.mulf %nine, %y : f64
  %d = arith.addf %a, %b : f64
  return %d : f64
}

// One result of two, of a generic function in the second case.
func.func private @pair(%x: f64, %y: f64) -> (f64, f64) {
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  %a = arith.addf %x, %one : f64
  %b = arith.addf %y, %two : f64
  return %a, %b : f64, f64
}
func.func private @first(%x: f64, %y: f64) -> f64 {
  %a, %b = func.call @pair(%x, %y) : (f64, f64) -> (f64, f64)
  return %a : f64
}
func.func private @second(%x: f64, %y: f64) -> f64 {
  %a, %b = func.call @pair(%x, %y) : (f64, f64) -> (f64, f64)
  return %b : f64
}
func.func private @generic_pair(%x: !tfx_host.param<"T">, %y: !tfx_host.param<"T">) -> tuple<!tfx_host.param<"T">, !tfx_host.param<"T">>
    attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  %t = tfx_host.make_tuple(%x, %y) : !tfx_host.param<"T">, !tfx_host.param<"T">
  return %t : tuple<!tfx_host.param<"T">, !tfx_host.param<"T">>
}
func.func private @generic_first(%x: f64, %y: f64) -> f64 {
  %t = tfx_host.call @generic_pair<[f64]>(%x, %y) : (f64, f64) -> tuple<f64, f64>
  %a = tfx_host.tuple_get %t[0] : tuple<f64, f64>
  return %a : f64
}
func.func private @generic_second(%x: f64, %y: f64) -> f64 {
  %t = tfx_host.call @generic_pair<[f64]>(%x, %y) : (f64, f64) -> tuple<f64, f64>
  %a = tfx_host.tuple_get %t[1] : tuple<f64, f64>
  return %a : f64
}

func.func private @results(%x: f64, %y: f64) -> tuple<f64, f64> {
  %a = tfx_host.make_tuple(%x, %y) : f64, f64
  return %a : tuple<f64, f64>
}
func.func private @multiply(%x: f64, %y: f64) -> f64 {
  %z = func.call @results(%x, %y) : (f64, f64) -> tuple<f64, f64>
  %a = tfx_host.tuple_get %z[0] : tuple<f64, f64>
  %b = tfx_host.tuple_get %z[1] : tuple<f64, f64>
  %ab = arith.mulf %a, %b : f64
  return %ab : f64
}

// Two parameters by reference.
func.func private @swap(%x: !tfx_host.ref<f64>, %y: !tfx_host.ref<f64>) {
  %a = tfx_host.load %x : !tfx_host.ref<f64>
  %b = tfx_host.load %y : !tfx_host.ref<f64>
  tfx_host.store %b, %x : f64
  tfx_host.store %a, %y : f64
  return
}
func.func private @multiply_swap(%x: f64, %y: f64) -> f64 {
  %t = tfx_host.var : !tfx_host.ref<tuple<f64, f64>>
  %xy = tfx_host.make_tuple(%x, %y) : f64, f64
  tfx_host.store %xy, %t : tuple<f64, f64>
  %t.0 = tfx_host.field_ref %t["0"] : !tfx_host.ref<tuple<f64, f64>> -> !tfx_host.ref<f64>
  %t.1 = tfx_host.field_ref %t["1"] : !tfx_host.ref<tuple<f64, f64>> -> !tfx_host.ref<f64>
  func.call @swap(%t.0, %t.1) : (!tfx_host.ref<f64>, !tfx_host.ref<f64>) -> ()
  %s = tfx_host.load %t : !tfx_host.ref<tuple<f64, f64>>
  %a = tfx_host.tuple_get %s[0] : tuple<f64, f64>
  %b = tfx_host.tuple_get %s[1] : tuple<f64, f64>
  %ab = arith.mulf %a, %b : f64
  return %ab : f64
}

func.func private @swap_generic(%x: !tfx_host.ref<!tfx_host.param<"T">>, %y: !tfx_host.ref<!tfx_host.param<"T">>)
    attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  %a = tfx_host.load %x : !tfx_host.ref<!tfx_host.param<"T">>
  %b = tfx_host.load %y : !tfx_host.ref<!tfx_host.param<"T">>
  tfx_host.store %b, %x : !tfx_host.param<"T">
  tfx_host.store %a, %y : !tfx_host.param<"T">
  return
}
func.func private @multiply_swap_generic(%x: f64, %y: f64) -> f64 {
  %p = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %p : f64
  %q = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %y, %q : f64
  tfx_host.call @swap_generic<[f64]>(%p, %q) : (!tfx_host.ref<f64>, !tfx_host.ref<f64>) -> ()
  %a = tfx_host.load %p : !tfx_host.ref<f64>
  %b = tfx_host.load %q : !tfx_host.ref<f64>
  %ab = arith.mulf %a, %b : f64
  return %ab : f64
}

// By reference, and with a result.
func.func private @swap_and_multiply(%x: !tfx_host.ref<f64>, %y: !tfx_host.ref<f64>) -> f64 {
  func.call @swap(%x, %y) : (!tfx_host.ref<f64>, !tfx_host.ref<f64>) -> ()
  %a = tfx_host.load %x : !tfx_host.ref<f64>
  %b = tfx_host.load %y : !tfx_host.ref<f64>
  %ab = arith.mulf %a, %b : f64
  return %ab : f64
}
func.func private @multiply_swap_result(%x: f64, %y: f64) -> f64 {
  %p = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %p : f64
  %q = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %y, %q : f64
  %r = func.call @swap_and_multiply(%p, %q) : (!tfx_host.ref<f64>, !tfx_host.ref<f64>) -> f64
  return %r : f64
}

func.func private @fourth_power(%x: f64) -> f64 {
  %a = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %a : f64
  %a0 = tfx_host.load %a : !tfx_host.ref<f64>
  %b = arith.mulf %a0, %x : f64
  tfx_host.store %b, %a : f64
  %a1 = tfx_host.load %a : !tfx_host.ref<f64>
  %c = arith.mulf %a1, %x : f64
  tfx_host.store %c, %a : f64
  %a2 = tfx_host.load %a : !tfx_host.ref<f64>
  %d = arith.mulf %a2, %x : f64
  return %d : f64
}

// A tuple of integers and tuples, of which one float is read.
func.func private @nested_tuple(%x: f64) -> f64 {
  %c1 = arith.constant 1 : i64
  %a = tfx_host.make_tuple(%x, %c1) : f64, i64
  %b = tfx_host.make_tuple(%a, %c1) : tuple<f64, i64>, i64
  %t = tfx_host.make_tuple(%c1, %c1, %b) : i64, i64, tuple<tuple<f64, i64>, i64>
  %c = tfx_host.tuple_get %t[2] : tuple<i64, i64, tuple<tuple<f64, i64>, i64>>
  %d = tfx_host.tuple_get %c[0] : tuple<tuple<f64, i64>, i64>
  %e = tfx_host.tuple_get %d[0] : tuple<f64, i64>
  return %e : f64
}

func.func private @tuple_mutation(%x: f64) -> f64 {
  %t = tfx_host.var : !tfx_host.ref<tuple<f64, f64>>
  %xx = tfx_host.make_tuple(%x, %x) : f64, f64
  tfx_host.store %xx, %t : tuple<f64, f64>
  %t.0 = tfx_host.field_ref %t["0"] : !tfx_host.ref<tuple<f64, f64>> -> !tfx_host.ref<f64>
  %a = tfx_host.load %t.0 : !tfx_host.ref<f64>
  %square = arith.mulf %a, %x : f64
  tfx_host.store %square, %t.0 : f64
  %b = tfx_host.load %t.0 : !tfx_host.ref<f64>
  %xb = arith.mulf %x, %b : f64
  return %xb : f64
}
func.func private @tuple_fifth_power(%x: f64) -> f64 {
  %t = tfx_host.var : !tfx_host.ref<tuple<f64, f64>>
  %xx = tfx_host.make_tuple(%x, %x) : f64, f64
  tfx_host.store %xx, %t : tuple<f64, f64>
  %t.0 = tfx_host.field_ref %t["0"] : !tfx_host.ref<tuple<f64, f64>> -> !tfx_host.ref<f64>
  %t.1 = tfx_host.field_ref %t["1"] : !tfx_host.ref<tuple<f64, f64>> -> !tfx_host.ref<f64>
  %a = tfx_host.load %t.0 : !tfx_host.ref<f64>
  %square = arith.mulf %a, %x : f64
  tfx_host.store %square, %t.0 : f64
  %cube = arith.mulf %square, %x : f64
  tfx_host.store %cube, %t.1 : f64
  %s = tfx_host.load %t : !tfx_host.ref<tuple<f64, f64>>
  %b = tfx_host.tuple_get %s[0] : tuple<f64, f64>
  %c = tfx_host.tuple_get %s[1] : tuple<f64, f64>
  %bc = arith.mulf %b, %c : f64
  return %bc : f64
}
func.func private @nested_fifth_power(%x: f64) -> f64 {
  %t = tfx_host.var : !tfx_host.ref<tuple<tuple<f64, f64>, f64>>
  %xx = tfx_host.make_tuple(%x, %x) : f64, f64
  %xxx = tfx_host.make_tuple(%xx, %x) : tuple<f64, f64>, f64
  tfx_host.store %xxx, %t : tuple<tuple<f64, f64>, f64>
  %inner = tfx_host.field_ref %t["0"] : !tfx_host.ref<tuple<tuple<f64, f64>, f64>> -> !tfx_host.ref<tuple<f64, f64>>
  %t.0 = tfx_host.field_ref %inner["0"] : !tfx_host.ref<tuple<f64, f64>> -> !tfx_host.ref<f64>
  %t.1 = tfx_host.field_ref %inner["1"] : !tfx_host.ref<tuple<f64, f64>> -> !tfx_host.ref<f64>
  %a = tfx_host.load %t.0 : !tfx_host.ref<f64>
  %square = arith.mulf %a, %x : f64
  tfx_host.store %square, %t.0 : f64
  %b = tfx_host.load %t.0 : !tfx_host.ref<f64>
  %cube = arith.mulf %b, %x : f64
  tfx_host.store %cube, %t.1 : f64
  %s = tfx_host.load %t : !tfx_host.ref<tuple<tuple<f64, f64>, f64>>
  %c = tfx_host.tuple_get %s[0] : tuple<tuple<f64, f64>, f64>
  %d = tfx_host.tuple_get %c[0] : tuple<f64, f64>
  %e = tfx_host.tuple_get %s[0] : tuple<tuple<f64, f64>, f64>
  %f = tfx_host.tuple_get %e[1] : tuple<f64, f64>
  %df = arith.mulf %d, %f : f64
  return %df : f64
}

func.func private @tuple_with_constant(%x: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %c1 = arith.constant 1 : i64
  %double = arith.mulf %two, %x : f64
  %t = tfx_host.make_tuple(%double, %c1) : f64, i64
  %a = tfx_host.tuple_get %t[0] : tuple<f64, i64>
  return %a : f64
}

// x * x, by a tuple of integers and floats that changes.
func.func private @mixed_tuple(%x: f64) -> f64 {
  %c1 = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f64
  %t = tfx_host.var : !tfx_host.ref<tuple<i64, tuple<i64, f64>, f64>>
  %p = tfx_host.make_tuple(%c1, %zero) : i64, f64
  %q = tfx_host.make_tuple(%c1, %p, %zero) : i64, tuple<i64, f64>, f64
  tfx_host.store %q, %t : tuple<i64, tuple<i64, f64>, f64>
  %t.1 = tfx_host.field_ref %t["1"] : !tfx_host.ref<tuple<i64, tuple<i64, f64>, f64>> -> !tfx_host.ref<tuple<i64, f64>>
  %t.11 = tfx_host.field_ref %t.1["1"] : !tfx_host.ref<tuple<i64, f64>> -> !tfx_host.ref<f64>
  %t.2 = tfx_host.field_ref %t["2"] : !tfx_host.ref<tuple<i64, tuple<i64, f64>, f64>> -> !tfx_host.ref<f64>
  tfx_host.store %x, %t.11 : f64
  tfx_host.store %x, %t.2 : f64
  %s = tfx_host.load %t : !tfx_host.ref<tuple<i64, tuple<i64, f64>, f64>>
  %a = tfx_host.tuple_get %s[1] : tuple<i64, tuple<i64, f64>, f64>
  %b = tfx_host.tuple_get %a[1] : tuple<i64, f64>
  %c = tfx_host.tuple_get %s[2] : tuple<i64, tuple<i64, f64>, f64>
  %bc = arith.mulf %b, %c : f64
  return %bc : f64
}

tfx_host.struct @Foo {stored: f64}
func.func private @add_foo(%a: !tfx_host.struct<@Foo>, %b: !tfx_host.struct<@Foo>) -> !tfx_host.struct<@Foo> {
  %stored = tfx_host.extract %a["stored"] : !tfx_host.struct<@Foo> -> f64
  %c = tfx_host.extract %b["stored"] : !tfx_host.struct<@Foo> -> f64
  %d = arith.addf %stored, %c : f64
  %sum = tfx_host.make_struct(%d) : (f64) -> !tfx_host.struct<@Foo>
  return %sum : !tfx_host.struct<@Foo>
}
func.func private @computed(%f: !tfx_host.struct<@Foo>) -> f64 {
  %stored = tfx_host.extract %f["stored"] : !tfx_host.struct<@Foo> -> f64
  %a = tfx_host.extract %f["stored"] : !tfx_host.struct<@Foo> -> f64
  %b = arith.mulf %stored, %a : f64
  return %b : f64
}
func.func private @init(%x: f64) -> !tfx_host.struct<@Foo> {
  %foo = tfx_host.make_struct(%x) : (f64) -> !tfx_host.struct<@Foo>
  return %foo : !tfx_host.struct<@Foo>
}
func.func private @init_sum(%x: f64) -> !tfx_host.struct<@Foo> {
  %foo = tfx_host.make_struct(%x) : (f64) -> !tfx_host.struct<@Foo>
  %sum = func.call @add_foo(%foo, %foo) : (!tfx_host.struct<@Foo>, !tfx_host.struct<@Foo>) -> !tfx_host.struct<@Foo>
  %stored = tfx_host.extract %sum["stored"] : !tfx_host.struct<@Foo> -> f64
  %r = tfx_host.make_struct(%stored) : (f64) -> !tfx_host.struct<@Foo>
  return %r : !tfx_host.struct<@Foo>
}
func.func private @init_computed(%x: f64) -> f64 {
  %foo = tfx_host.make_struct(%x) : (f64) -> !tfx_host.struct<@Foo>
  %a = func.call @computed(%foo) : (!tfx_host.struct<@Foo>) -> f64
  return %a : f64
}
func.func private @init_product(%x: f64) -> f64 {
  %foo = tfx_host.make_struct(%x) : (f64) -> !tfx_host.struct<@Foo>
  %a = func.call @computed(%foo) : (!tfx_host.struct<@Foo>) -> f64
  %stored = tfx_host.extract %foo["stored"] : !tfx_host.struct<@Foo> -> f64
  %b = arith.mulf %a, %stored : f64
  return %b : f64
}

// A struct with a constant.
tfx_host.struct @Model319 {x: f64, constant: f64}
func.func private @applied(%m: !tfx_host.struct<@Model319>, %input: f64) -> f64 {
  %x = tfx_host.extract %m["x"] : !tfx_host.struct<@Model319> -> f64
  %constant = tfx_host.extract %m["constant"] : !tfx_host.struct<@Model319> -> f64
  %a = tfx_ad.stop %constant : f64
  %xa = arith.mulf %x, %a : f64
  %b = arith.mulf %xa, %input : f64
  return %b : f64
}
func.func private @struct_init(%input: f64) -> f64 {
  %ten = arith.constant 10.0 : f64
  %two = arith.constant 2.0 : f64
  %m = tfx_host.make_struct(%ten, %two) : (f64, f64) -> !tfx_host.struct<@Model319>
  %applied_m = func.call @applied(%m, %input) : (!tfx_host.struct<@Model319>, f64) -> f64
  return %applied_m : f64
}

tfx_host.struct @Point {x: f64, y: f64, z: f64}
func.func private @double_point(%input: f64) -> !tfx_host.struct<@Point> {
  %p = tfx_host.make_struct(%input, %input, %input) : (f64, f64, f64) -> !tfx_host.struct<@Point>
  %x = tfx_host.extract %p["x"] : !tfx_host.struct<@Point> -> f64
  %a = tfx_host.extract %p["x"] : !tfx_host.struct<@Point> -> f64
  %b = arith.addf %x, %a : f64
  %y = tfx_host.extract %p["y"] : !tfx_host.struct<@Point> -> f64
  %c = tfx_host.extract %p["y"] : !tfx_host.struct<@Point> -> f64
  %d = arith.addf %y, %c : f64
  %z = tfx_host.extract %p["z"] : !tfx_host.struct<@Point> -> f64
  %e = tfx_host.extract %p["z"] : !tfx_host.struct<@Point> -> f64
  %f = arith.addf %z, %e : f64
  %q = tfx_host.make_struct(%b, %d, %f) : (f64, f64, f64) -> !tfx_host.struct<@Point>
  return %q : !tfx_host.struct<@Point>
}
func.func private @point_fifth_power(%input: f64) -> f64 {
  %p = tfx_host.var : !tfx_host.ref<!tfx_host.struct<@Point>>
  %start = tfx_host.make_struct(%input, %input, %input) : (f64, f64, f64) -> !tfx_host.struct<@Point>
  tfx_host.store %start, %p : !tfx_host.struct<@Point>
  %p.x = tfx_host.field_ref %p["x"] : !tfx_host.ref<!tfx_host.struct<@Point>> -> !tfx_host.ref<f64>
  %p.y = tfx_host.field_ref %p["y"] : !tfx_host.ref<!tfx_host.struct<@Point>> -> !tfx_host.ref<f64>
  %x = tfx_host.load %p.x : !tfx_host.ref<f64>
  %square = arith.mulf %x, %input : f64
  tfx_host.store %square, %p.x : f64
  %x2 = tfx_host.load %p.x : !tfx_host.ref<f64>
  %cube = arith.mulf %x2, %input : f64
  tfx_host.store %cube, %p.y : f64
  %end = tfx_host.load %p : !tfx_host.ref<!tfx_host.struct<@Point>>
  %a = tfx_host.extract %end["x"] : !tfx_host.struct<@Point> -> f64
  %y = tfx_host.extract %end["y"] : !tfx_host.struct<@Point> -> f64
  %ay = arith.mulf %a, %y : f64
  return %ay : f64
}
// A struct in a tuple.
func.func private @mix(%input: f64) -> f64 {
  %p = tfx_host.make_struct(%input, %input, %input) : (f64, f64, f64) -> !tfx_host.struct<@Point>
  %t = tfx_host.make_tuple(%p, %input) : !tfx_host.struct<@Point>, f64
  %p1 = tfx_host.tuple_get %t[0] : tuple<!tfx_host.struct<@Point>, f64>
  %f = tfx_host.tuple_get %t[1] : tuple<!tfx_host.struct<@Point>, f64>
  %x = tfx_host.extract %p1["x"] : !tfx_host.struct<@Point> -> f64
  %square = arith.mulf %x, %f : f64
  %p2 = tfx_host.insert %square into %p1["x"] : f64, !tfx_host.struct<@Point>
  %a = tfx_host.extract %p2["x"] : !tfx_host.struct<@Point> -> f64
  %cube = arith.mulf %a, %input : f64
  %p3 = tfx_host.insert %cube into %p2["y"] : f64, !tfx_host.struct<@Point>
  %b = tfx_host.extract %p3["x"] : !tfx_host.struct<@Point> -> f64
  %y = tfx_host.extract %p3["y"] : !tfx_host.struct<@Point> -> f64
  %by = arith.mulf %b, %y : f64
  return %by : f64
}

tfx_host.struct @Add {bias: f64}
func.func private @applied_add(%m: !tfx_host.struct<@Add>, %input: f64) -> f64 {
  %tmp = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %input, %tmp : f64
  %a = tfx_host.load %tmp : !tfx_host.ref<f64>
  %bias = tfx_host.extract %m["bias"] : !tfx_host.struct<@Add> -> f64
  %b = arith.addf %a, %bias : f64
  tfx_host.store %b, %tmp : f64
  %r = tfx_host.load %tmp : !tfx_host.ref<f64>
  return %r : f64
}

tfx_host.struct @Generic<"T"> {x: !tfx_host.param<"T">, y: !tfx_host.param<"T">, z: !tfx_host.param<"T">}
func.func private @make_generic(%input: f64) -> !tfx_host.struct<@Generic<f64>> {
  %g = tfx_host.make_struct(%input, %input, %input) : (f64, f64, f64) -> !tfx_host.struct<@Generic<f64>>
  return %g : !tfx_host.struct<@Generic<f64>>
}
func.func private @generic_fifth_power(%input: f64) -> f64 {
  %g = tfx_host.make_struct(%input, %input, %input) : (f64, f64, f64) -> !tfx_host.struct<@Generic<f64>>
  %x = tfx_host.extract %g["x"] : !tfx_host.struct<@Generic<f64>> -> f64
  %square = arith.mulf %x, %input : f64
  %g1 = tfx_host.insert %square into %g["x"] : f64, !tfx_host.struct<@Generic<f64>>
  %a = tfx_host.extract %g1["x"] : !tfx_host.struct<@Generic<f64>> -> f64
  %cube = arith.mulf %a, %input : f64
  %g2 = tfx_host.insert %cube into %g1["y"] : f64, !tfx_host.struct<@Generic<f64>>
  %b = tfx_host.extract %g2["x"] : !tfx_host.struct<@Generic<f64>> -> f64
  %y = tfx_host.extract %g2["y"] : !tfx_host.struct<@Generic<f64>> -> f64
  %by = arith.mulf %b, %y : f64
  return %by : f64
}

// A function with a closure as parameter, called in the function.
func.func private @loss_sum(%x: f64, %y: f64) -> f64 {
  %a = arith.addf %x, %y : f64
  return %a : f64
}
func.func private @square_then(%loss: !tfx_host.closure<(f64, f64) -> f64>, %x: f64) -> f64 {
  %ten = arith.constant 10.0 : f64
  %xx = arith.mulf %x, %x : f64
  %y = tfx_host.apply %loss(%xx, %ten) : !tfx_host.closure<(f64, f64) -> f64>
  return %y : f64
}
func.func private @square_then_sum(%x: f64) -> f64 {
  %loss = tfx_host.closure @loss_sum() : () -> !tfx_host.closure<(f64, f64) -> f64>
  %y = func.call @square_then(%loss, %x) : (!tfx_host.closure<(f64, f64) -> f64>, f64) -> f64
  return %y : f64
}

// A parameter without a derivative.
func.func private @loss_int(%x: f64, %y: i64) -> f64 {
  %fy = arith.sitofp %y : i64 to f64
  %a = arith.addf %x, %fy : f64
  return %a : f64
}
func.func private @square_then_int(%x: f64) -> f64 {
  %n10 = arith.constant 10 : i64
  %xx = arith.mulf %x, %x : f64
  %a = func.call @loss_int(%xx, %n10) : (f64, i64) -> f64
  return %a : f64
}

func.func private @captured(%z: f64, %x: f64) -> f64 {
  %zx = arith.mulf %z, %x : f64
  return %zx : f64
}

// The sum of the gradients of a use of the struct and of a use of its field.
tfx_host.struct @Small {stored: f64}
func.func private @call_small(%m: !tfx_host.struct<@Small>) -> f64 {
  %stored = tfx_host.extract %m["stored"] : !tfx_host.struct<@Small> -> f64
  return %stored : f64
}
func.func private @doubled(%m: !tfx_host.struct<@Small>) -> f64 {
  %a = func.call @call_small(%m) : (!tfx_host.struct<@Small>) -> f64
  %stored = tfx_host.extract %m["stored"] : !tfx_host.struct<@Small> -> f64
  %b = arith.addf %a, %stored : f64
  return %b : f64
}

// Three layers of w * x + b, and a squared loss.
tfx_host.struct @Layer {w: f64, b: f64}
tfx_host.struct @Model {l1: !tfx_host.struct<@Layer>, l2: !tfx_host.struct<@Layer>, l3: !tfx_host.struct<@Layer>}
func.func private @layer(%l: !tfx_host.struct<@Layer>, %input: f64) -> f64 {
  %w = tfx_host.extract %l["w"] : !tfx_host.struct<@Layer> -> f64
  %a = arith.mulf %input, %w : f64
  %b = tfx_host.extract %l["b"] : !tfx_host.struct<@Layer> -> f64
  %c = arith.addf %a, %b : f64
  return %c : f64
}
func.func private @prediction(%m: !tfx_host.struct<@Model>, %input: f64) -> f64 {
  %l3 = tfx_host.extract %m["l3"] : !tfx_host.struct<@Model> -> !tfx_host.struct<@Layer>
  %l2 = tfx_host.extract %m["l2"] : !tfx_host.struct<@Model> -> !tfx_host.struct<@Layer>
  %l1 = tfx_host.extract %m["l1"] : !tfx_host.struct<@Model> -> !tfx_host.struct<@Layer>
  %layer_l1 = func.call @layer(%l1, %input) : (!tfx_host.struct<@Layer>, f64) -> f64
  %layer_l2 = func.call @layer(%l2, %layer_l1) : (!tfx_host.struct<@Layer>, f64) -> f64
  %layer_l3 = func.call @layer(%l3, %layer_l2) : (!tfx_host.struct<@Layer>, f64) -> f64
  return %layer_l3 : f64
}
func.func private @loss(%m: !tfx_host.struct<@Model>, %input: f64, %label: f64) -> f64 {
  %p = func.call @prediction(%m, %input) : (!tfx_host.struct<@Model>, f64) -> f64
  %a = arith.subf %p, %label : f64
  %b = arith.subf %p, %label : f64
  %ab = arith.mulf %a, %b : f64
  return %ab : f64
}

func.func public @main() {
  %three = arith.constant 3.0 : f64
  %four = arith.constant 4.0 : f64
  %hundred = arith.constant 100.0 : f64
  %two = arith.constant 2.0 : f64
  %five = arith.constant 5.0 : f64
  %ten = arith.constant 10.0 : f64
  %one = arith.constant 1.0 : f64
  %zero = arith.constant 0.0 : f64
  // Case: Swift, simple_math.swift, "Arithmetics", foo1.
  // CHECK: {{^}}product: 4.0 3.0{{$}}
  %d0.0, %d0.1 = tfx_ad.gradient @product(%three, %four) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "product: {} {}"(%d0.0, %d0.1) : f64, f64
  // Case: Swift, simple_math.swift, "Arithmetics", foo2.
  // CHECK-NEXT: {{^}}negated_product: -4.0 -3.0{{$}}
  %d1.0, %d1.1 = tfx_ad.gradient @negated_product(%three, %four) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "negated_product: {} {}"(%d1.0, %d1.1) : f64, f64
  // Case: Swift, simple_math.swift, "Arithmetics", foo3.
  // CHECK-NEXT: {{^}}negated_sum: -1.0 1.0{{$}}
  %d2.0, %d2.1 = tfx_ad.gradient @negated_sum(%three, %four) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "negated_sum: {} {}"(%d2.0, %d2.1) : f64, f64
  // Case: Swift, simple_math.swift, "Fanout", foo1.
  // CHECK-NEXT: {{^}}difference: 0.0{{$}}
  %d3 = tfx_ad.gradient @difference(%hundred) wrt [0] : (f64) -> f64
  tfx_host.print "difference: {}"(%d3) : f64
  // Case: Swift, simple_math.swift, "Fanout", foo2.
  // CHECK-NEXT: {{^}}double: 2.0{{$}}
  %d4 = tfx_ad.gradient @double(%hundred) wrt [0] : (f64) -> f64
  tfx_host.print "double: {}"(%d4) : f64
  // Case: Swift, simple_math.swift, "Fanout", foo3.
  // CHECK-NEXT: {{^}}fanout: 4.0 3.0{{$}}
  %d5.0, %d5.1 = tfx_ad.gradient @fanout(%three, %two) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "fanout: {} {}"(%d5.0, %d5.1) : f64, f64
  // Case: Swift, simple_math.swift, "FunctionCall", foo.
  // CHECK-NEXT: {{^}}function_call: 3.0 9.0{{$}}
  %d6.0, %d6.1 = tfx_ad.gradient @function_call(%three, %four) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "function_call: {} {}"(%d6.0, %d6.1) : f64, f64
  // CHECK-NEXT: {{^}}function_call by x: 3.0{{$}}
  %d7 = tfx_ad.gradient @function_call(%three, %four) wrt [0] : (f64, f64) -> f64
  tfx_host.print "function_call by x: {}"(%d7) : f64
  // Case: Swift, simple_math.swift, "ResultSelection", tuple.
  // CHECK-NEXT: {{^}}first: 1.0 0.0{{$}}
  %d8.0, %d8.1 = tfx_ad.gradient @first(%three, %three) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "first: {} {}"(%d8.0, %d8.1) : f64, f64
  // CHECK-NEXT: {{^}}second: 0.0 1.0{{$}}
  %d9.0, %d9.1 = tfx_ad.gradient @second(%three, %three) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "second: {} {}"(%d9.0, %d9.1) : f64, f64
  // Case: Swift, simple_math.swift, "ResultSelection", tupleGeneric.
  // CHECK-NEXT: {{^}}generic_first: 1.0 0.0{{$}}
  %d10.0, %d10.1 = tfx_ad.gradient @generic_first(%three, %three) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "generic_first: {} {}"(%d10.0, %d10.1) : f64, f64
  // CHECK-NEXT: {{^}}generic_second: 0.0 1.0{{$}}
  %d11.0, %d11.1 = tfx_ad.gradient @generic_second(%three, %three) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "generic_second: {} {}"(%d11.0, %d11.1) : f64, f64
  // Case: Swift, simple_math.swift, "MultipleResults", multiply.
  // CHECK-NEXT: {{^}}multiply 3 4: 4.0 3.0{{$}}
  %d12.0, %d12.1 = tfx_ad.gradient @multiply(%three, %four) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "multiply 3 4: {} {}"(%d12.0, %d12.1) : f64, f64
  // CHECK-NEXT: {{^}}multiply 5 10: 10.0 5.0{{$}}
  %d13.0, %d13.1 = tfx_ad.gradient @multiply(%five, %ten) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "multiply 5 10: {} {}"(%d13.0, %d13.1) : f64, f64
  // Case: Swift, simple_math.swift, "MultipleResults", multiply_swap.
  // CHECK-NEXT: {{^}}multiply_swap 3 4: 4.0 3.0{{$}}
  %d14.0, %d14.1 = tfx_ad.gradient @multiply_swap(%three, %four) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "multiply_swap 3 4: {} {}"(%d14.0, %d14.1) : f64, f64
  // CHECK-NEXT: {{^}}multiply_swap 5 10: 10.0 5.0{{$}}
  %d15.0, %d15.1 = tfx_ad.gradient @multiply_swap(%five, %ten) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "multiply_swap 5 10: {} {}"(%d15.0, %d15.1) : f64, f64
  // Case: Swift, simple_math.swift, "MultipleResults", multiply_swapGeneric.
  // CHECK-NEXT: {{^}}multiply_swap_generic 3 4: 4.0 3.0{{$}}
  %d16.0, %d16.1 = tfx_ad.gradient @multiply_swap_generic(%three, %four) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "multiply_swap_generic 3 4: {} {}"(%d16.0, %d16.1) : f64, f64
  // CHECK-NEXT: {{^}}multiply_swap_generic 5 10: 10.0 5.0{{$}}
  %d17.0, %d17.1 = tfx_ad.gradient @multiply_swap_generic(%five, %ten) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "multiply_swap_generic 5 10: {} {}"(%d17.0, %d17.1) : f64, f64
  // Case: Swift, simple_math.swift, "MultipleResults", multiply_swapAndReturnProduct.
  // CHECK-NEXT: {{^}}multiply_swap_result: 4.0 3.0{{$}}
  %d18.0, %d18.1 = tfx_ad.gradient @multiply_swap_result(%three, %four) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "multiply_swap_result: {} {}"(%d18.0, %d18.1) : f64, f64
  // Case: Swift, simple_math.swift, "CaptureLocal", foo, with a closure.
  %ten_ = arith.constant 10.0 : f64
  %nought = arith.constant 0.0 : f64
  %c = tfx_host.closure @captured(%ten_) : (f64) -> !tfx_host.closure<(f64) -> f64>
  %dc = tfx_ad.gradient %c of !tfx_host.closure<(f64) -> f64> (%nought) wrt [0] : (f64) -> f64
  // CHECK-NEXT: {{^}}captured: 10.0{{$}}
  tfx_host.print "captured: {}"(%dc) : f64
  // Case: Swift, simple_math.swift, "Mutation", fourthPower.
  // CHECK-NEXT: {{^}}fourth_power: 108.0{{$}}
  %d19 = tfx_ad.gradient @fourth_power(%three) wrt [0] : (f64) -> f64
  tfx_host.print "fourth_power: {}"(%d19) : f64
  // Case: Swift, simple_math.swift, "Tuple", nested.
  // CHECK-NEXT: {{^}}nested_tuple: 1.0{{$}}
  %d20 = tfx_ad.gradient @nested_tuple(%three) wrt [0] : (f64) -> f64
  tfx_host.print "nested_tuple: {}"(%d20) : f64
  // Case: Swift, simple_math.swift, "TupleMutation", foo.
  // CHECK-NEXT: {{^}}tuple_mutation: 27.0{{$}}
  %d21 = tfx_ad.gradient @tuple_mutation(%three) wrt [0] : (f64) -> f64
  tfx_host.print "tuple_mutation: {}"(%d21) : f64
  // Case: Swift, simple_math.swift, "TupleMutation", fifthPower.
  // CHECK-NEXT: {{^}}tuple_fifth_power: 405.0{{$}}
  %d22 = tfx_ad.gradient @tuple_fifth_power(%three) wrt [0] : (f64) -> f64
  tfx_host.print "tuple_fifth_power: {}"(%d22) : f64
  // Case: Swift, simple_math.swift, "TupleMutation", nested.
  // CHECK-NEXT: {{^}}nested_fifth_power: 405.0{{$}}
  %d23 = tfx_ad.gradient @nested_fifth_power(%three) wrt [0] : (f64) -> f64
  tfx_host.print "nested_fifth_power: {}"(%d23) : f64
  // Case: Swift, simple_math.swift, "TupleNonDifferentiableElements", tupleLet.
  // CHECK-NEXT: {{^}}tuple_with_constant: 8.0 2.0{{$}}
  %y25, %d24 = tfx_ad.gradient @tuple_with_constant(%four) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "tuple_with_constant: {} {}"(%y25, %d24) : f64, f64
  // Case: Swift, simple_math.swift, "TupleNonDifferentiableElements", nested.
  // CHECK-NEXT: {{^}}mixed_tuple: 16.0 8.0{{$}}
  %y27, %d26 = tfx_ad.gradient @mixed_tuple(%four) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "mixed_tuple: {} {}"(%y27, %d26) : f64, f64
  // Case: Swift, simple_math.swift, "StructMemberwiseInitializer", Foo.init.
  %ct10 = tfx_host.make_struct(%ten) : (f64) -> !tfx_host.struct<@Foo>
  %ct1 = tfx_host.make_struct(%one) : (f64) -> !tfx_host.struct<@Foo>
  // CHECK-NEXT: {{^}}init: 10.0{{$}}
  %y28, %pullback28 = tfx_ad.vjp @init(%four) wrt [0] : (f64) -> (!tfx_host.struct<@Foo>, !tfx_host.closure<(!tfx_host.struct<@Foo>) -> f64>)
  %d29 = tfx_host.apply %pullback28(%ct10) : !tfx_host.closure<(!tfx_host.struct<@Foo>) -> f64>
  tfx_host.print "init: {}"(%d29) : f64
  // Case: Swift, simple_math.swift, "StructMemberwiseInitializer", a sum of structs.
  // CHECK-NEXT: {{^}}init_sum: 2.0{{$}}
  %y30, %pullback30 = tfx_ad.vjp @init_sum(%four) wrt [0] : (f64) -> (!tfx_host.struct<@Foo>, !tfx_host.closure<(!tfx_host.struct<@Foo>) -> f64>)
  %d31 = tfx_host.apply %pullback30(%ct1) : !tfx_host.closure<(!tfx_host.struct<@Foo>) -> f64>
  tfx_host.print "init_sum: {}"(%d31) : f64
  // Case: Swift, simple_math.swift, "StructMemberwiseInitializer", computed.
  // CHECK-NEXT: {{^}}init_computed: 8.0{{$}}
  %d32 = tfx_ad.gradient @init_computed(%four) wrt [0] : (f64) -> f64
  tfx_host.print "init_computed: {}"(%d32) : f64
  // Case: Swift, simple_math.swift, "StructMemberwiseInitializer", product.
  // CHECK-NEXT: {{^}}init_product: 48.0{{$}}
  %d33 = tfx_ad.gradient @init_product(%four) wrt [0] : (f64) -> f64
  tfx_host.print "init_product: {}"(%d33) : f64
  // Case: Swift, simple_math.swift, "StructConstantStoredProperty", applied.
  %m319 = tfx_host.make_struct(%ten, %two) : (f64, f64) -> !tfx_host.struct<@Model319>
  // CHECK-NEXT: {{^}}applied: 6.0 0.0{{$}}
  %d34 = tfx_ad.gradient @applied(%m319, %three) wrt [0] : (!tfx_host.struct<@Model319>, f64) -> !tfx_host.struct<@Model319>
  %d34_x = tfx_host.extract %d34["x"] : !tfx_host.struct<@Model319> -> f64
  %d34_constant = tfx_host.extract %d34["constant"] : !tfx_host.struct<@Model319> -> f64
  tfx_host.print "applied: {} {}"(%d34_x, %d34_constant) : f64, f64
  // Case: Swift, simple_math.swift, "StructConstantStoredProperty", testStructInit.
  // CHECK-NEXT: {{^}}struct_init: 20.0{{$}}
  %d35 = tfx_ad.gradient @struct_init(%three) wrt [0] : (f64) -> f64
  tfx_host.print "struct_init: {}"(%d35) : f64
  // Case: Swift, simple_math.swift, "StructMutation", double.
  %ones = tfx_host.make_struct(%one, %one, %one) : (f64, f64, f64) -> !tfx_host.struct<@Point>
  // CHECK-NEXT: {{^}}double_point: 6.0{{$}}
  %y36, %pullback36 = tfx_ad.vjp @double_point(%four) wrt [0] : (f64) -> (!tfx_host.struct<@Point>, !tfx_host.closure<(!tfx_host.struct<@Point>) -> f64>)
  %d37 = tfx_host.apply %pullback36(%ones) : !tfx_host.closure<(!tfx_host.struct<@Point>) -> f64>
  tfx_host.print "double_point: {}"(%d37) : f64
  // Case: Swift, simple_math.swift, "StructMutation", fifthPower.
  // CHECK-NEXT: {{^}}point_fifth_power: 405.0{{$}}
  %d38 = tfx_ad.gradient @point_fifth_power(%three) wrt [0] : (f64) -> f64
  tfx_host.print "point_fifth_power: {}"(%d38) : f64
  // Case: Swift, simple_math.swift, "StructMutation", mix.
  // CHECK-NEXT: {{^}}mix: 405.0{{$}}
  %d39 = tfx_ad.gradient @mix(%three) wrt [0] : (f64) -> f64
  tfx_host.print "mix: {}"(%d39) : f64
  // Case: Swift, simple_math.swift, "StructMutation", Add.
  %add = tfx_host.make_struct(%one) : (f64) -> !tfx_host.struct<@Add>
  // CHECK-NEXT: {{^}}add: 1.0{{$}}
  %d40 = tfx_ad.gradient @applied_add(%add, %one) wrt [0] : (!tfx_host.struct<@Add>, f64) -> !tfx_host.struct<@Add>
  %d40_bias = tfx_host.extract %d40["bias"] : !tfx_host.struct<@Add> -> f64
  tfx_host.print "add: {}"(%d40_bias) : f64
  // Case: Swift, simple_math.swift, "StructGeneric", the initializer.
  %generic_ones = tfx_host.make_struct(%one, %one, %one) : (f64, f64, f64) -> !tfx_host.struct<@Generic<f64>>
  // CHECK-NEXT: {{^}}make_generic: 3.0{{$}}
  %y41, %pullback41 = tfx_ad.vjp @make_generic(%three) wrt [0] : (f64) -> (!tfx_host.struct<@Generic<f64>>, !tfx_host.closure<(!tfx_host.struct<@Generic<f64>>) -> f64>)
  %d42 = tfx_host.apply %pullback41(%generic_ones) : !tfx_host.closure<(!tfx_host.struct<@Generic<f64>>) -> f64>
  tfx_host.print "make_generic: {}"(%d42) : f64
  // Case: Swift, simple_math.swift, "StructGeneric", fifthPower.
  // CHECK-NEXT: {{^}}generic_fifth_power: 405.0{{$}}
  %d43 = tfx_ad.gradient @generic_fifth_power(%three) wrt [0] : (f64) -> f64
  tfx_host.print "generic_fifth_power: {}"(%d43) : f64
  // Case: Swift, simple_math.swift, "SubsetIndices", grad.
  // CHECK-NEXT: {{^}}square_then_sum: 2.0{{$}}
  %d44 = tfx_ad.gradient @square_then_sum(%one) wrt [0] : (f64) -> f64
  tfx_host.print "square_then_sum: {}"(%d44) : f64
  // Case: Swift, simple_math.swift, "SubsetIndices", gradWRTNonDiff.
  // CHECK-NEXT: {{^}}square_then_int: 4.0{{$}}
  %d45 = tfx_ad.gradient @square_then_int(%two) wrt [0] : (f64) -> f64
  tfx_host.print "square_then_int: {}"(%d45) : f64
  // Case: Swift, simple_math.swift, "Adjoint value accumulation for aggregate lhs and concrete
  // rhs", doubled.
  %small = tfx_host.make_struct(%three) : (f64) -> !tfx_host.struct<@Small>
  // CHECK-NEXT: {{^}}doubled: 2.0{{$}}
  %d46 = tfx_ad.gradient @doubled(%small) wrt [0] : (!tfx_host.struct<@Small>) -> !tfx_host.struct<@Small>
  %d46_stored = tfx_host.extract %d46["stored"] : !tfx_host.struct<@Small> -> f64
  tfx_host.print "doubled: {}"(%d46_stored) : f64
  // Case: Swift, simple_model.swift, "gradient", Model.
  %l = tfx_host.make_struct(%one, %zero) : (f64, f64) -> !tfx_host.struct<@Layer>
  %model = tfx_host.make_struct(%l, %l, %l) : (!tfx_host.struct<@Layer>, !tfx_host.struct<@Layer>, !tfx_host.struct<@Layer>) -> !tfx_host.struct<@Model>
  // CHECK-NEXT: {{^}}model: -4.0 -4.0 -4.0 -4.0 -4.0 -4.0{{$}}
  %d47 = tfx_ad.gradient @loss(%model, %one, %three) wrt [0] : (!tfx_host.struct<@Model>, f64, f64) -> !tfx_host.struct<@Model>
  %d47_l1 = tfx_host.extract %d47["l1"] : !tfx_host.struct<@Model> -> !tfx_host.struct<@Layer>
  %d47_l1_w = tfx_host.extract %d47_l1["w"] : !tfx_host.struct<@Layer> -> f64
  %d47_l1_b = tfx_host.extract %d47_l1["b"] : !tfx_host.struct<@Layer> -> f64
  %d47_l2 = tfx_host.extract %d47["l2"] : !tfx_host.struct<@Model> -> !tfx_host.struct<@Layer>
  %d47_l2_w = tfx_host.extract %d47_l2["w"] : !tfx_host.struct<@Layer> -> f64
  %d47_l2_b = tfx_host.extract %d47_l2["b"] : !tfx_host.struct<@Layer> -> f64
  %d47_l3 = tfx_host.extract %d47["l3"] : !tfx_host.struct<@Model> -> !tfx_host.struct<@Layer>
  %d47_l3_w = tfx_host.extract %d47_l3["w"] : !tfx_host.struct<@Layer> -> f64
  %d47_l3_b = tfx_host.extract %d47_l3["b"] : !tfx_host.struct<@Layer> -> f64
  tfx_host.print "model: {} {} {} {} {} {}"(%d47_l1_w, %d47_l1_b, %d47_l2_w, %d47_l2_b, %d47_l3_w, %d47_l3_b) : f64, f64, f64, f64, f64, f64
  return
}
