// Each operation, type and attribute of tfx_host, in each form of its syntax, is printed as it was
// written and parses back from the custom form, the generic form and bytecode. The custom form
// loses no information: after a round trip, the generic form is unchanged.

// RUN: tfx-opt %s | FileCheck %s
// RUN: tfx-opt %s | tfx-opt | FileCheck %s
// RUN: tfx-opt --mlir-print-op-generic %s | tfx-opt | FileCheck %s
// RUN: tfx-opt --emit-bytecode %s | tfx-opt | FileCheck %s
// RUN: tfx-opt --mlir-print-op-generic %s -o %t.first
// RUN: tfx-opt %s | tfx-opt --mlir-print-op-generic -o %t.second
// RUN: diff %t.first %t.second
// RUN: tfx-opt --mlir-print-debuginfo %s | tfx-opt --mlir-print-debuginfo | FileCheck %s --check-prefix=LOCATION

//===----------------------------------------------------------------------===//
// Types, the attribute, and aliases for them
//===----------------------------------------------------------------------===//

!Point = !tfx_host.struct<@Point>
#T = #tfx_host.type_param<"T", @Layer, @Named>

// CHECK-LABEL: func.func private @types
// CHECK-SAME: (!tfx_host.ref<i32>, !tfx_host.ref<!tfx_host.ref<!tfx_host.struct<@Point>>>,
// CHECK-SAME: !tfx_host.struct<@Point>, !tfx_host.struct<@Pair<i32, tuple<>>>, !tfx_host.struct<@"with space">,
// CHECK-SAME: !tfx_host.enum<@Shape>, !tfx_host.enum<@Option<!tfx_host.enum<@Option<i32>>>>,
// CHECK-SAME: !tfx_host.object<@Counter>, !tfx_host.object<@Box<f32>>,
// CHECK-SAME: !tfx_host.array<i32>, !tfx_host.array<!tfx_host.array<tensor<?x4xf32>>>,
// CHECK-SAME: !tfx_host.any<@Layer>, !tfx_host.string)
func.func private @types(
    !tfx_host.ref<i32>, !tfx_host.ref<!tfx_host.ref<!Point>>,
    !Point, !tfx_host.struct<@Pair<i32, tuple<>>>, !tfx_host.struct<@"with space">,
    !tfx_host.enum<@Shape>, !tfx_host.enum<@Option<!tfx_host.enum<@Option<i32>>>>,
    !tfx_host.object<@Counter>, !tfx_host.object<@Box<f32>>,
    !tfx_host.array<i32>, !tfx_host.array<!tfx_host.array<tensor<?x4xf32>>>,
    !tfx_host.any<@Layer>, !tfx_host.string)

// CHECK-LABEL: func.func private @closure_types
// CHECK-SAME: (!tfx_host.closure<() -> ()>, !tfx_host.closure<(i32, f32) -> i32>, !tfx_host.closure<escaping () -> (i32, f32)>,
// CHECK-SAME: !tfx_host.closure<(!tfx_host.closure<escaping (i32) -> i32>) -> !tfx_host.closure<() -> ()>>, !tfx_host.closure<() -> (() -> i32)>)
func.func private @closure_types(
    !tfx_host.closure<() -> ()>, !tfx_host.closure<(i32, f32) -> i32>, !tfx_host.closure<escaping () -> (i32, f32)>,
    !tfx_host.closure<(!tfx_host.closure<escaping (i32) -> i32>) -> !tfx_host.closure<() -> ()>>, !tfx_host.closure<() -> (() -> i32)>)

// CHECK-LABEL: func.func private @generic_types
// CHECK-SAME: (!tfx_host.param<"T">, !tfx_host.param<"a \22quoted\22 name">,
// CHECK-SAME: !tfx_host.assoc<!tfx_host.param<"T">, @Layer, "Output">,
// CHECK-SAME: !tfx_host.assoc<!tfx_host.assoc<!tfx_host.param<"T">, @Layer, "Next">, @Layer, "Output">)
// CHECK-SAME: attributes {tfx_host.type_params = [#tfx_host.type_param<"T", @Layer, @Named>, #tfx_host.type_param<"a \22quoted\22 name">]}
func.func private @generic_types(
    !tfx_host.param<"T">, !tfx_host.param<"a \"quoted\" name">,
    !tfx_host.assoc<!tfx_host.param<"T">, @Layer, "Output">,
    !tfx_host.assoc<!tfx_host.assoc<!tfx_host.param<"T">, @Layer, "Next">, @Layer, "Output">)
    attributes {tfx_host.type_params = [#T, #tfx_host.type_param<"a \"quoted\" name">]}

// CHECK-LABEL: func.func private @no_type_params
// CHECK-SAME: attributes {tfx_host.type_params = []}
func.func private @no_type_params() attributes {tfx_host.type_params = []}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

// CHECK: tfx_host.struct @Empty {}
tfx_host.struct @Empty {}
// CHECK: tfx_host.struct @Point {x: f32, y: f32}
tfx_host.struct @Point {x: f32, y: f32}
// CHECK: tfx_host.struct private @Pair<"A", "B"> {first: !tfx_host.param<"A">, second: !tfx_host.param<"B">}
tfx_host.struct private @Pair<"A", "B"> {first: !tfx_host.param<"A">, second: !tfx_host.param<"B">}
// A name is printed in quotes only if it is not a keyword.
// CHECK: tfx_host.struct nested @"with space"<"type\09param"> {bare: i32, "two words": i32, "1st": i32, "": i32, private: i32} attributes {note = "kept"}
tfx_host.struct nested @"with space"<"type\09param"> {"bare": i32, "two words": i32, "1st": i32, "": i32, private: i32} attributes {note = "kept"}
// A struct may contain itself.
// CHECK: tfx_host.struct @List<"T"> {head: !tfx_host.param<"T">, tail: !tfx_host.array<!tfx_host.struct<@List<!tfx_host.param<"T">>>>}
tfx_host.struct @List<"T"> {head: !tfx_host.param<"T">, tail: !tfx_host.array<!tfx_host.struct<@List<!tfx_host.param<"T">>>>}

// CHECK: tfx_host.class @Stateless {}
tfx_host.class @Stateless {}
// CHECK: tfx_host.class @Counter {value: i32}
tfx_host.class @Counter {value: i32}
// CHECK: tfx_host.class public @Box<"T"> {"in side": !tfx_host.param<"T">} attributes {note}
tfx_host.class public @Box<"T"> {"in side": !tfx_host.param<"T">} attributes {note}

// CHECK: tfx_host.enum @Never {}
tfx_host.enum @Never {}
// CHECK: tfx_host.enum @Shape {circle(f32), rectangle(f32, f32), empty()}
tfx_host.enum @Shape {circle(f32), rectangle(f32, f32), empty()}
// CHECK: tfx_host.enum private @Option<"T"> {none(), "some thing"(!tfx_host.param<"T">), default(() -> ())} attributes {note = 1 : i32}
tfx_host.enum private @Option<"T"> {none(), "some thing"(!tfx_host.param<"T">), default(() -> ())} attributes {note = 1 : i32}

func.func private @"default reset"(!tfx_host.param<"L">) attributes {tfx_host.type_params = [#tfx_host.type_param<"L", @Layer>]}

// CHECK: tfx_host.protocol @Named {}
tfx_host.protocol @Named {}
// CHECK: tfx_host.protocol @Layer<"Output", "Next"> {call: (!tfx_host.param<"Self">, f32) -> f32, "reset all": (!tfx_host.param<"Self">) -> () = @"default reset", two: () -> (i32, i32)}
tfx_host.protocol @Layer<"Output", "Next"> {
  call: (!tfx_host.param<"Self">, f32) -> f32,
  "reset all": (!tfx_host.param<"Self">) -> () = @"default reset",
  two: () -> (i32, i32)
}
// CHECK: tfx_host.protocol private @Shaped<"Shape"> {} attributes {note}
tfx_host.protocol private @Shaped<"Shape"> {} attributes {note}

// CHECK: tfx_host.witness_table @Point_Named : !tfx_host.struct<@Point> conforms @Named {}
tfx_host.witness_table @Point_Named : !tfx_host.struct<@Point> conforms @Named {}
// Associated types are printed first, in any order of the source.
// CHECK: tfx_host.witness_table private @Pair_Layer<"A", "B"> : !tfx_host.struct<@Pair<!tfx_host.param<"A">, !tfx_host.param<"B">>> conforms @Layer {Output: f32, Next: i32, call = @pair_call, "reset all" = @"pair reset", two = @pair_two} attributes {note}
func.func private @pair_call(!tfx_host.struct<@Pair<!tfx_host.param<"X">, !tfx_host.param<"Y">>>, f32) -> f32
    attributes {tfx_host.type_params = [#tfx_host.type_param<"X">, #tfx_host.type_param<"Y">]}
func.func private @"pair reset"(!tfx_host.struct<@Pair<!tfx_host.param<"A">, !tfx_host.param<"B">>>)
    attributes {tfx_host.type_params = [#tfx_host.type_param<"A">, #tfx_host.type_param<"B", @Layer>]}
func.func private @pair_two() -> (i32, i32)
tfx_host.witness_table private @Pair_Layer<"A", "B"> : !tfx_host.struct<@Pair<!tfx_host.param<"A">, !tfx_host.param<"B">>> conforms @Layer {
  call = @pair_call, Output: f32, "reset all" = @"pair reset", Next: i32, two = @pair_two
} attributes {note}

//===----------------------------------------------------------------------===//
// Aggregates
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @structs
func.func @structs(%x: f32, %n: i32) {
  // CHECK: tfx_host.make_struct() : () -> !tfx_host.struct<@Empty>
  %empty = tfx_host.make_struct() : () -> !tfx_host.struct<@Empty>
  // CHECK: [[P:%.*]] = tfx_host.make_struct(%{{.*}}, %{{.*}}) {note} : (f32, f32) -> !tfx_host.struct<@Point>
  %p = tfx_host.make_struct(%x, %x) {note} : (f32, f32) -> !tfx_host.struct<@Point>
  // The type arguments determine the type of the field.
  // CHECK: [[PAIR:%.*]] = tfx_host.make_struct([[P]], %{{.*}}) : (!tfx_host.struct<@Point>, i32) -> !tfx_host.struct<@Pair<!tfx_host.struct<@Point>, i32>>
  %pair = tfx_host.make_struct(%p, %n) : (!Point, i32) -> !tfx_host.struct<@Pair<!Point, i32>>
  // CHECK: tfx_host.extract [[PAIR]]["first"] : !tfx_host.struct<@Pair<!tfx_host.struct<@Point>, i32>> -> !tfx_host.struct<@Point>
  %first = tfx_host.extract %pair["first"] : !tfx_host.struct<@Pair<!Point, i32>> -> !Point
  // CHECK: tfx_host.extract [[P]]["x"] {note} : !tfx_host.struct<@Point> -> f32
  %px = tfx_host.extract %p["x"] {note} : !Point -> f32
  // CHECK: tfx_host.insert %{{.*}} into [[P]]["y"] : f32, !tfx_host.struct<@Point>
  %q = tfx_host.insert %x into %p["y"] : f32, !Point
  // CHECK: tfx_host.insert %{{.*}} into [[PAIR]]["second"] {note} : i32, !tfx_host.struct<@Pair<!tfx_host.struct<@Point>, i32>>
  %r = tfx_host.insert %n into %pair["second"] {note} : i32, !tfx_host.struct<@Pair<!Point, i32>>
  return
}

// CHECK-LABEL: func.func @tuples
func.func @tuples(%a: i32, %b: f32) {
  // CHECK: tfx_host.make_tuple(){{$}}
  %unit = tfx_host.make_tuple()
  // CHECK: tfx_host.make_tuple() {note}{{$}}
  %noted = tfx_host.make_tuple() {note}
  // CHECK: [[T:%.*]] = tfx_host.make_tuple(%{{.*}}, %{{.*}}) {note} : i32, f32
  %t = tfx_host.make_tuple(%a, %b) {note} : i32, f32
  // CHECK: tfx_host.make_tuple([[T]], %{{.*}}) : tuple<i32, f32>, tuple<>
  %nested = tfx_host.make_tuple(%t, %unit) : tuple<i32, f32>, tuple<>
  // CHECK: tfx_host.tuple_get [[T]][0] : tuple<i32, f32>
  %first = tfx_host.tuple_get %t[0] : tuple<i32, f32>
  // CHECK: tfx_host.tuple_get [[T]][1] {note} : tuple<i32, f32>
  %second = tfx_host.tuple_get %t[1] {note} : tuple<i32, f32>
  // The result types are the types of the elements.
  // CHECK: arith.addi %{{.*}}, %{{.*}} : i32
  %sum = arith.addi %first, %a : i32
  // CHECK: arith.addf %{{.*}}, %{{.*}} : f32
  %product = arith.addf %second, %b : f32
  return
}

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @enums
func.func @enums(%x: f32) {
  // CHECK: tfx_host.make_enum "empty"() : () -> !tfx_host.enum<@Shape>
  %empty = tfx_host.make_enum "empty"() : () -> !tfx_host.enum<@Shape>
  // CHECK: [[E:%.*]] = tfx_host.make_enum "rectangle"(%{{.*}}, %{{.*}}) {note} : (f32, f32) -> !tfx_host.enum<@Shape>
  %e = tfx_host.make_enum "rectangle"(%x, %x) {note} : (f32, f32) -> !tfx_host.enum<@Shape>
  // CHECK: tfx_host.make_enum "some thing"([[E]]) : (!tfx_host.enum<@Shape>) -> !tfx_host.enum<@Option<!tfx_host.enum<@Shape>>>
  %some = tfx_host.make_enum "some thing"(%e) : (!tfx_host.enum<@Shape>) -> !tfx_host.enum<@Option<!tfx_host.enum<@Shape>>>
  // CHECK: tfx_host.enum_tag [[E]] : !tfx_host.enum<@Shape>
  %tag = tfx_host.enum_tag %e : !tfx_host.enum<@Shape>
  // CHECK: tfx_host.enum_tag [[E]] {note} : !tfx_host.enum<@Shape>
  %noted = tfx_host.enum_tag %e {note} : !tfx_host.enum<@Shape>
  // CHECK: tfx_host.enum_payload [[E]]["empty"] : (!tfx_host.enum<@Shape>) -> ()
  tfx_host.enum_payload %e["empty"] : (!tfx_host.enum<@Shape>) -> ()
  // CHECK: tfx_host.enum_payload [[E]]["circle"] {note} : (!tfx_host.enum<@Shape>) -> f32
  %radius = tfx_host.enum_payload %e["circle"] {note} : (!tfx_host.enum<@Shape>) -> f32
  // CHECK: %{{.*}}:2 = tfx_host.enum_payload [[E]]["rectangle"] : (!tfx_host.enum<@Shape>) -> (f32, f32)
  %sides:2 = tfx_host.enum_payload %e["rectangle"] : (!tfx_host.enum<@Shape>) -> (f32, f32)
  return
}

// CHECK-LABEL: func.func @switch_all
func.func @switch_all(%e: !tfx_host.enum<@Shape>, %n: i32) -> f32 {
  // The payload comes first, then the forwarded operands.
  // CHECK: tfx_host.switch_enum %{{.*}} : !tfx_host.enum<@Shape> ["rectangle" -> ^[[TWO:bb[0-9]+]](%{{.*}}, %{{.*}} : i32, i32), "circle" -> ^[[ONE:bb[0-9]+]], "empty" -> ^[[NONE:bb[0-9]+]]] {note}
  tfx_host.switch_enum %e : !tfx_host.enum<@Shape> ["rectangle" -> ^two(%n, %n : i32, i32), "circle" -> ^one, "empty" -> ^none] {note}
^two(%a: f32, %b: f32, %k: i32, %l: i32):
  %area = arith.mulf %a, %b : f32
  return %area : f32
^one(%radius: f32):
  return %radius : f32
^none:
  %zero = arith.constant 0.0 : f32
  return %zero : f32
}

// CHECK-LABEL: func.func @switch_default
func.func @switch_default(%e: !tfx_host.enum<@Option<i32>>, %n: i32) -> i32 {
  // The default may be at any position; it is printed last.
  // CHECK: tfx_host.switch_enum %{{.*}} : !tfx_host.enum<@Option<i32>> ["some thing" -> ^[[DONE:bb[0-9]+]], default -> ^[[DONE]](%{{.*}} : i32)]
  tfx_host.switch_enum %e : !tfx_host.enum<@Option<i32>> [default -> ^done(%n : i32), "some thing" -> ^done]
^done(%x: i32):
  return %x : i32
}

// CHECK-LABEL: func.func @switch_default_only
func.func @switch_default_only(%e: !tfx_host.enum<@Never>) {
  // CHECK: tfx_host.switch_enum %{{.*}} : !tfx_host.enum<@Never> [default -> ^{{bb[0-9]+}}]
  tfx_host.switch_enum %e : !tfx_host.enum<@Never> [default -> ^done]
^done:
  return
}

// CHECK-LABEL: func.func @switch_never
func.func @switch_never(%e: !tfx_host.enum<@Never>) {
  // CHECK: tfx_host.switch_enum %{{.*}} : !tfx_host.enum<@Never> []
  tfx_host.switch_enum %e : !tfx_host.enum<@Never> []
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @variables
func.func @variables(%p: !Point, %object: !tfx_host.object<@Box<i32>>) {
  // CHECK: [[V:%.*]] = tfx_host.var : !tfx_host.ref<!tfx_host.struct<@Point>>
  %v = tfx_host.var : !tfx_host.ref<!Point>
  // CHECK: [[T:%.*]] = tfx_host.var {note} : !tfx_host.ref<tuple<i32, f32>>
  %t = tfx_host.var {note} : !tfx_host.ref<tuple<i32, f32>>
  // CHECK: tfx_host.store %{{.*}}, [[V]] : !tfx_host.struct<@Point>
  tfx_host.store %p, %v : !Point
  // CHECK: [[Q:%.*]] = tfx_host.load [[V]] : !tfx_host.ref<!tfx_host.struct<@Point>>
  %q = tfx_host.load %v : !tfx_host.ref<!Point>
  // CHECK: tfx_host.store [[Q]], [[V]] {note} : !tfx_host.struct<@Point>
  tfx_host.store %q, %v {note} : !Point
  // CHECK: tfx_host.load [[V]] {note} : !tfx_host.ref<!tfx_host.struct<@Point>>
  %r = tfx_host.load %v {note} : !tfx_host.ref<!Point>
  // CHECK: tfx_host.field_ref [[V]]["x"] : !tfx_host.ref<!tfx_host.struct<@Point>> -> !tfx_host.ref<f32>
  %x = tfx_host.field_ref %v["x"] : !tfx_host.ref<!Point> -> !tfx_host.ref<f32>
  // CHECK: tfx_host.field_ref [[T]]["1"] {note} : !tfx_host.ref<tuple<i32, f32>> -> !tfx_host.ref<f32>
  %second = tfx_host.field_ref %t["1"] {note} : !tfx_host.ref<tuple<i32, f32>> -> !tfx_host.ref<f32>
  // CHECK: tfx_host.member_ref %{{.*}}["in side"] : !tfx_host.object<@Box<i32>> -> !tfx_host.ref<i32>
  %member = tfx_host.member_ref %object["in side"] : !tfx_host.object<@Box<i32>> -> !tfx_host.ref<i32>
  // CHECK: tfx_host.member_ref %{{.*}}["in side"] {note} : !tfx_host.object<@Box<i32>> -> !tfx_host.ref<i32>
  %noted = tfx_host.member_ref %object["in side"] {note} : !tfx_host.object<@Box<i32>> -> !tfx_host.ref<i32>
  return
}

//===----------------------------------------------------------------------===//
// Generic and higher-order calls
//===----------------------------------------------------------------------===//

func.func private @identity(!tfx_host.param<"T">) -> !tfx_host.param<"T"> attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]}
func.func private @two() -> (i32, f32)
func.func private @scale(f32, i32) -> f32
func.func private @"no \"arguments\""()

// CHECK-LABEL: func.func @calls
func.func @calls(%n: i32, %x: f32, %c: !tfx_host.closure<(f32, i32) -> (i32, f32)>, %p: !Point) {
  // CHECK: tfx_host.call @identity<[i32]>(%{{.*}}) : (i32) -> i32
  %same = tfx_host.call @identity<[i32]>(%n) : (i32) -> i32
  // CHECK: tfx_host.call @identity<[!tfx_host.struct<@Point>]>(%{{.*}}) {note} : (!tfx_host.struct<@Point>) -> !tfx_host.struct<@Point>
  %q = tfx_host.call @identity<[!Point]>(%p) {note} : (!Point) -> !Point
  // CHECK: %{{.*}}:2 = tfx_host.call @two<[]>() : () -> (i32, f32)
  %two:2 = tfx_host.call @two<[]>() : () -> (i32, f32)
  // CHECK: tfx_host.call @"no \22arguments\22"<[]>() : () -> ()
  tfx_host.call @"no \"arguments\""<[]>() : () -> ()

  // CHECK: tfx_host.witness_call @Layer["call"] of !tfx_host.struct<@Point>(%{{.*}}, %{{.*}}) : (!tfx_host.struct<@Point>, f32) -> f32
  %y = tfx_host.witness_call @Layer["call"] of !Point (%p, %x) : (!Point, f32) -> f32
  // CHECK: tfx_host.witness_call @Layer["reset all"] of !tfx_host.struct<@Point>(%{{.*}}) {note} : (!tfx_host.struct<@Point>) -> ()
  tfx_host.witness_call @Layer["reset all"] of !Point (%p) {note} : (!Point) -> ()
  // CHECK: %{{.*}}:2 = tfx_host.witness_call @Layer["two"] of i32() : () -> (i32, i32)
  %pair:2 = tfx_host.witness_call @Layer["two"] of i32() : () -> (i32, i32)

  // CHECK: [[ALL:%.*]] = tfx_host.closure @scale(%{{.*}}, %{{.*}}) : (f32, i32) -> !tfx_host.closure<() -> f32>
  %all = tfx_host.closure @scale(%x, %n) : (f32, i32) -> !tfx_host.closure<() -> f32>
  // CHECK: [[SOME:%.*]] = tfx_host.closure @scale(%{{.*}}) {note} : (f32) -> !tfx_host.closure<escaping (i32) -> f32>
  %some = tfx_host.closure @scale(%x) {note} : (f32) -> !tfx_host.closure<escaping (i32) -> f32>
  // CHECK: tfx_host.closure @two() : () -> !tfx_host.closure<() -> (i32, f32)>
  %none = tfx_host.closure @two() : () -> !tfx_host.closure<() -> (i32, f32)>
  // CHECK: tfx_host.closure @identity<[i32]>() : () -> !tfx_host.closure<(i32) -> i32>
  %identity = tfx_host.closure @identity<[i32]>() : () -> !tfx_host.closure<(i32) -> i32>
  // CHECK: tfx_host.closure @identity<[f32]>(%{{.*}}) {note} : (f32) -> !tfx_host.closure<() -> f32>
  %given = tfx_host.closure @identity<[f32]>(%x) {note} : (f32) -> !tfx_host.closure<() -> f32>

  // CHECK: tfx_host.apply [[ALL]]() : !tfx_host.closure<() -> f32>
  %z = tfx_host.apply %all() : !tfx_host.closure<() -> f32>
  // CHECK: tfx_host.apply [[SOME]](%{{.*}}) {note} : !tfx_host.closure<escaping (i32) -> f32>
  %w = tfx_host.apply %some(%n) {note} : !tfx_host.closure<escaping (i32) -> f32>
  // CHECK: %{{.*}}:2 = tfx_host.apply %{{.*}}(%{{.*}}, %{{.*}}) : !tfx_host.closure<(f32, i32) -> (i32, f32)>
  %both:2 = tfx_host.apply %c(%x, %n) : !tfx_host.closure<(f32, i32) -> (i32, f32)>
  return
}

// CHECK-LABEL: func.func @generic
// CHECK-SAME: attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]}
func.func @generic(%x: !tfx_host.param<"T">) -> !tfx_host.param<"T"> attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  // CHECK: tfx_host.call @identity<[!tfx_host.array<!tfx_host.param<"T">>]>(%{{.*}}) : (!tfx_host.array<!tfx_host.param<"T">>) -> !tfx_host.array<!tfx_host.param<"T">>
  %array = tfx_host.array(%x) : !tfx_host.array<!tfx_host.param<"T">>
  %same = tfx_host.call @identity<[!tfx_host.array<!tfx_host.param<"T">>]>(%array) : (!tfx_host.array<!tfx_host.param<"T">>) -> !tfx_host.array<!tfx_host.param<"T">>
  return %x : !tfx_host.param<"T">
}

//===----------------------------------------------------------------------===//
// Arrays, objects, existentials
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @arrays
func.func @arrays(%a: i32, %i: index) {
  // CHECK: tfx_host.array() : !tfx_host.array<f32>
  %empty = tfx_host.array() : !tfx_host.array<f32>
  // CHECK: [[A:%.*]] = tfx_host.array(%{{.*}}, %{{.*}}) {note} : !tfx_host.array<i32>
  %array = tfx_host.array(%a, %a) {note} : !tfx_host.array<i32>
  // CHECK: tfx_host.array([[A]]) : !tfx_host.array<!tfx_host.array<i32>>
  %nested = tfx_host.array(%array) : !tfx_host.array<!tfx_host.array<i32>>
  // CHECK: tfx_host.array_get [[A]][%{{.*}}] : !tfx_host.array<i32>
  %x = tfx_host.array_get %array[%i] : !tfx_host.array<i32>
  // CHECK: tfx_host.array_get [[A]][%{{.*}}] {note} : !tfx_host.array<i32>
  %y = tfx_host.array_get %array[%i] {note} : !tfx_host.array<i32>
  // CHECK: tfx_host.array_count [[A]] : !tfx_host.array<i32>
  %n = tfx_host.array_count %array : !tfx_host.array<i32>
  // CHECK: tfx_host.array_count [[A]] {note} : !tfx_host.array<i32>
  %m = tfx_host.array_count %array {note} : !tfx_host.array<i32>
  // CHECK: [[F:%.*]] = tfx_host.array_fill %{{.*}}, %{{.*}} {note} : !tfx_host.array<i32>
  %filled = tfx_host.array_fill %a, %i {note} : !tfx_host.array<i32>
  // CHECK: tfx_host.array_set %{{.*}} into [[F]][%{{.*}}] {note} : !tfx_host.array<i32>
  %set = tfx_host.array_set %a into %filled[%i] {note} : !tfx_host.array<i32>
  return
}

// CHECK-LABEL: func.func @objects
func.func @objects(%n: i32, %x: f32, %p: !Point) {
  // CHECK: tfx_host.new() : () -> !tfx_host.object<@Stateless>
  %stateless = tfx_host.new() : () -> !tfx_host.object<@Stateless>
  // CHECK: [[O:%.*]] = tfx_host.new(%{{.*}}) {note} : (i32) -> !tfx_host.object<@Counter>
  %o = tfx_host.new(%n) {note} : (i32) -> !tfx_host.object<@Counter>
  // CHECK: tfx_host.new(%{{.*}}) : (f32) -> !tfx_host.object<@Box<f32>>
  %box = tfx_host.new(%x) : (f32) -> !tfx_host.object<@Box<f32>>
  // CHECK: [[ANY:%.*]] = tfx_host.erase %{{.*}} : !tfx_host.struct<@Point> to !tfx_host.any<@Layer>
  %any = tfx_host.erase %p : !Point to !tfx_host.any<@Layer>
  // CHECK: tfx_host.erase [[O]] {note} : !tfx_host.object<@Counter> to !tfx_host.any<@Named>
  %named = tfx_host.erase %o {note} : !tfx_host.object<@Counter> to !tfx_host.any<@Named>
  // CHECK: tfx_host.dynamic_call [[ANY]]["call"](%{{.*}}) : (!tfx_host.any<@Layer>, f32) -> f32
  %y = tfx_host.dynamic_call %any["call"](%x) : (!tfx_host.any<@Layer>, f32) -> f32
  // CHECK: tfx_host.dynamic_call [[O]]["bump it"]() {note} : (!tfx_host.object<@Counter>) -> ()
  tfx_host.dynamic_call %o["bump it"]() {note} : (!tfx_host.object<@Counter>) -> ()
  // CHECK: %{{.*}}:2 = tfx_host.dynamic_call [[O]]["both"](%{{.*}}, %{{.*}}) : (!tfx_host.object<@Counter>, i32, f32) -> (i32, f32)
  %both:2 = tfx_host.dynamic_call %o["both"](%n, %x) : (!tfx_host.object<@Counter>, i32, f32) -> (i32, f32)
  return
}

//===----------------------------------------------------------------------===//
// Host effects, and operations that structured control flow needs
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @effects
func.func @effects(%step: i32, %loss: tensor<f32>, %ok: i1) {
  // CHECK: tfx_host.string "Hello \22World\22\0A"
  %s = tfx_host.string "Hello \"World\"\n"
  // CHECK: tfx_host.string "" {note}
  %empty = tfx_host.string "" {note}
  // CHECK: tfx_host.print "done"()
  tfx_host.print "done"()
  // CHECK: tfx_host.print ""() {note}
  tfx_host.print ""() {note}
  // CHECK: tfx_host.print "step {}: loss {}, {}"(%{{.*}}, %{{.*}}, %{{.*}}) {note} : i32, tensor<f32>, !tfx_host.string
  tfx_host.print "step {}: loss {}, {}"(%step, %loss, %s) {note} : i32, tensor<f32>, !tfx_host.string
  // A double brace is a literal brace, not a placeholder.
  // CHECK: tfx_host.print "{{[{][{][}][}]}}"()
  tfx_host.print "{{}}"()
  // CHECK: tfx_host.print "{{[{][{]}}"()
  tfx_host.print "{{"()
  // CHECK: tfx_host.print "{{[}][}]}}"()
  tfx_host.print "}}"()
  // CHECK: tfx_host.print "{}{}"(%{{.*}}, %{{.*}}) : i32, i32
  tfx_host.print "{}{}"(%step, %step) : i32, i32
  // CHECK: tfx_host.print "{{[{][{][{][}][}][}]}}"(%{{.*}}) : i32
  tfx_host.print "{{{}}}"(%step) : i32
  // CHECK: tfx_host.print "{{[}][}][{][{]}}"()
  tfx_host.print "}}{{"()
  // CHECK: tfx_host.print "{{[{][{]}} {} {{[}][}]}}"(%{{.*}}) : i32
  tfx_host.print "{{ {} }}"(%step) : i32
  // CHECK: tfx_host.assert %{{.*}}, "the table is empty"
  tfx_host.assert %ok, "the table is empty"
  // CHECK: tfx_host.assert %{{.*}}, "" {note}
  tfx_host.assert %ok, "" {note}
  // CHECK: tfx_host.undef : tensor<?xf32>
  %x = tfx_host.undef : tensor<?xf32>
  // CHECK: tfx_host.undef {note} : !tfx_host.closure<() -> ()>
  %c = tfx_host.undef {note} : !tfx_host.closure<() -> ()>
  // CHECK: tfx_host.abort "this cannot happen"
  tfx_host.abort "this cannot happen"
  // CHECK: tfx_host.abort "" {note}
  tfx_host.abort "" {note}
  // CHECK: tfx_host.unreachable{{$}}
  tfx_host.unreachable
}

// CHECK-LABEL: func.func @abort_in_a_region
func.func @abort_in_a_region(%wrong: i1) -> i32 {
  %r = scf.if %wrong -> i32 {
    tfx_host.abort "wrong"
    %never = tfx_host.undef : i32
    scf.yield %never : i32
  } else {
    %n = arith.constant 1 : i32
    scf.yield %n : i32
  }
  return %r : i32
}

// CHECK-LABEL: func.func @noted_unreachable
func.func @noted_unreachable() {
  // CHECK: tfx_host.unreachable {note}
  tfx_host.unreachable {note}
}

//===----------------------------------------------------------------------===//
// Queues
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func private @next_pair
func.func private @next_pair(i32, tensor<?xf32>) -> (tensor<2xf32>, i1) attributes {tfx.state = "pairs"}

// CHECK-LABEL: func.func @queue
func.func @queue(%n: i32, %x: tensor<?xf32>) -> tensor<2xf32> {
  // CHECK: [[QUEUE:%.*]] = tfx_host.prefetch @next_pair(%{{.*}}, %{{.*}}) depth(2) : (i32, tensor<?xf32>) -> !tfx_host.queue<tensor<2xf32>, i1>
  %q = tfx_host.prefetch @next_pair(%n, %x) depth(2) : (i32, tensor<?xf32>) -> !tfx_host.queue<tensor<2xf32>, i1>
  // CHECK: [[PAIR:%.*]]:2 = tfx_host.next [[QUEUE]] : !tfx_host.queue<tensor<2xf32>, i1>
  %pair:2 = tfx_host.next %q : !tfx_host.queue<tensor<2xf32>, i1>
  // CHECK: tfx_host.next [[QUEUE]] {note} : !tfx_host.queue<tensor<2xf32>, i1>
  %more:2 = tfx_host.next %q {note} : !tfx_host.queue<tensor<2xf32>, i1>
  // CHECK: tfx_host.close [[QUEUE]] {note} : !tfx_host.queue<tensor<2xf32>, i1>
  tfx_host.close %q {note} : !tfx_host.queue<tensor<2xf32>, i1>
  return %pair#0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @queues_pass
// CHECK-SAME:  (%{{.*}}: !tfx_host.queue<i1, i8, i16, i32, i64, index, f32, f64, tensor<*xi32>>) -> !tfx_host.queue<i1>
func.func @queues_pass(%q: !tfx_host.queue<i1, i8, i16, i32, i64, index, f32, f64, tensor<*xi32>>) -> !tfx_host.queue<i1> {
  %r = tfx_host.undef : !tfx_host.queue<i1>
  return %r : !tfx_host.queue<i1>
}

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

// LOCATION: func.func private @located(!tfx_host.string) loc([[FUNCTION:#loc[0-9]*]])
// LOCATION: tfx_host.struct @Located {x: f32} attributes {note} loc([[STRUCT:#loc[0-9]*]])
// LOCATION: tfx_host.enum @LocatedEnum {a()} loc([[ENUM:#loc[0-9]*]])
func.func private @located(!tfx_host.string) loc("f.src":1:2)
tfx_host.struct @Located {x: f32} attributes {note} loc("f.src":3:4)
tfx_host.enum @LocatedEnum {a()} loc("f.src":5:6)
// LOCATION-DAG: [[FUNCTION]] = loc("f.src":1:2)
// LOCATION-DAG: [[STRUCT]] = loc("f.src":3:4)
// LOCATION-DAG: [[ENUM]] = loc("f.src":5:6)
