// Enums become their tag and the union of their payloads, and a branch on an enum becomes one on its tag.
//
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-scalarize)' --split-input-file | FileCheck %s --implicit-check-not=make_enum --implicit-check-not=enum_ --implicit-check-not='!tfx_host.enum' --implicit-check-not=tfx_host.enum --implicit-check-not=_enum --implicit-check-not=tfx_host.struct

// Each operation. Payloads of one type share slots: four cases need only i32, f32, i32. A case fills its own slots; the others are undefined.

tfx_host.enum @Shape {circle(f32), box(i32, i32), both(i32, f32), empty()}
!S = !tfx_host.enum<@Shape>

// CHECK-LABEL: func.func @make_box(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: i32) -> (i32, f32, i32, i32) {
// CHECK-NEXT:    %[[C1I32:[^ :,#]*]] = arith.constant 1 : i32
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = tfx_host.undef : f32
// CHECK-NEXT:    return %[[C1I32]], %[[V0]], %[[A0]], %[[A1]] : i32, f32, i32, i32
func.func @make_box(%x: i32, %y: i32) -> !S {
  %s = tfx_host.make_enum "box"(%x, %y) : (i32, i32) -> !S
  return %s : !S
}

// CHECK-LABEL: func.func @make_both(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: f32) -> (i32, f32, i32, i32) {
// CHECK-NEXT:    %[[C2I32:[^ :,#]*]] = arith.constant 2 : i32
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = tfx_host.undef : i32
// CHECK-NEXT:    return %[[C2I32]], %[[A1]], %[[A0]], %[[V0]] : i32, f32, i32, i32
func.func @make_both(%x: i32, %y: f32) -> !S {
  %s = tfx_host.make_enum "both"(%x, %y) : (i32, f32) -> !S
  return %s : !S
}

// CHECK-LABEL: func.func @make_empty(
// CHECK-SAME:    ) -> (i32, f32, i32, i32) {
// CHECK-NEXT:    %[[C3I32:[^ :,#]*]] = arith.constant 3 : i32
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = tfx_host.undef : f32
// CHECK-NEXT:    %[[V1:[^ :,#]*]] = tfx_host.undef : i32
// CHECK-NEXT:    %[[V2:[^ :,#]*]] = tfx_host.undef : i32
// CHECK-NEXT:    return %[[C3I32]], %[[V0]], %[[V1]], %[[V2]] : i32, f32, i32, i32
func.func @make_empty() -> !S {
  %s = tfx_host.make_enum "empty"() : () -> !S
  return %s : !S
}

// CHECK-LABEL: func.func @tag(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: f32, %[[A2:[^ :,#]*]]: i32, %[[A3:[^ :,#]*]]: i32) -> index {
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = arith.index_castui %[[A0]] : i32 to index
// CHECK-NEXT:    return %[[V0]] : index
func.func @tag(%s: !S) -> index {
  %t = tfx_host.enum_tag %s : !S
  return %t : index
}

// CHECK-LABEL: func.func @payload(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: f32, %[[A2:[^ :,#]*]]: i32, %[[A3:[^ :,#]*]]: i32) -> (i32, f32) {
// CHECK-NEXT:    return %[[A2]], %[[A1]] : i32, f32
func.func @payload(%s: !S) -> (i32, f32) {
  %p:2 = tfx_host.enum_payload %s["both"] : (!S) -> (i32, f32)
  return %p#0, %p#1 : i32, f32
}

// -----

// All cases are listed, in any order: the last one listed serves as the default.

tfx_host.enum @Shape {circle(f32), box(f32, f32), empty()}
!S = !tfx_host.enum<@Shape>

// CHECK-LABEL: func.func @all_cases(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: f32, %[[A2:[^ :,#]*]]: f32, %[[A3:[^ :,#]*]]: f32) -> f32 {
// CHECK-NEXT:    cf.switch %[[A0]] : i32, [
// CHECK-NEXT:    default: ^[[BB2:bb[0-9]+]](%[[A1]] : f32),
// CHECK-NEXT:    2: ^[[BB2]](%[[A3]] : f32),
// CHECK-NEXT:    1: ^[[BB1:bb[0-9]+]](%[[A1]], %[[A2]], %[[A3]] : f32, f32, f32)
// CHECK-NEXT:    ]
// CHECK-NEXT:  ^[[BB1]](%[[V0:[^ :,#]*]]: f32, %[[V1:[^ :,#]*]]: f32, %[[V2:[^ :,#]*]]: f32):
// CHECK-NEXT:    %[[V3:[^ :,#]*]] = arith.addf %[[V0]], %[[V1]] : f32
// CHECK-NEXT:    %[[V4:[^ :,#]*]] = arith.addf %[[V3]], %[[V2]] : f32
// CHECK-NEXT:    return %[[V4]] : f32
// CHECK-NEXT:  ^[[BB2]](%[[V5:[^ :,#]*]]: f32):
// CHECK-NEXT:    return %[[V5]] : f32
func.func @all_cases(%s: !S, %x: f32) -> f32 {
  tfx_host.switch_enum %s : !S ["empty" -> ^end(%x : f32), "box" -> ^box(%x : f32), "circle" -> ^end]
^box(%a: f32, %b: f32, %c: f32):
  %d = arith.addf %a, %b : f32
  %e = arith.addf %d, %c : f32
  return %e : f32
^end(%r: f32):
  return %r : f32
}

// A default has no payload; a listed case has the number of its tag.

// CHECK-LABEL: func.func @with_default(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: f32, %[[A2:[^ :,#]*]]: f32, %[[A3:[^ :,#]*]]: f32) -> f32 {
// CHECK-NEXT:    cf.switch %[[A0]] : i32, [
// CHECK-NEXT:    default: ^[[BB2:bb[0-9]+]](%[[A3]] : f32),
// CHECK-NEXT:    1: ^[[BB1:bb[0-9]+]](%[[A1]], %[[A2]] : f32, f32)
// CHECK-NEXT:    ]
// CHECK-NEXT:  ^[[BB1]](%[[V0:[^ :,#]*]]: f32, %[[V1:[^ :,#]*]]: f32):
// CHECK-NEXT:    return %[[V1]] : f32
// CHECK-NEXT:  ^[[BB2]](%[[V2:[^ :,#]*]]: f32):
// CHECK-NEXT:    return %[[V2]] : f32
func.func @with_default(%s: !S, %x: f32) -> f32 {
  tfx_host.switch_enum %s : !S ["box" -> ^box, default -> ^other(%x : f32)]
^box(%a: f32, %b: f32):
  return %b : f32
^other(%y: f32):
  return %y : f32
}

// CHECK-LABEL: func.func @only_default(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: f32, %[[A2:[^ :,#]*]]: f32, %[[A3:[^ :,#]*]]: f32) -> f32 {
// CHECK-NEXT:    cf.br ^[[BB1:bb[0-9]+]](%[[A3]] : f32)
// CHECK-NEXT:  ^[[BB1]](%[[V0:[^ :,#]*]]: f32):
// CHECK-NEXT:    return %[[V0]] : f32
func.func @only_default(%s: !S, %x: f32) -> f32 {
  tfx_host.switch_enum %s : !S [default -> ^other(%x : f32)]
^other(%y: f32):
  return %y : f32
}

// Several cases lead to one block: each forwards its own values.

// CHECK-LABEL: func.func @one_block(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: f32, %[[A2:[^ :,#]*]]: f32, %[[A3:[^ :,#]*]]: f32) -> f32 {
// CHECK-NEXT:    cf.switch %[[A0]] : i32, [
// CHECK-NEXT:    default: ^[[BB1:bb[0-9]+]](%[[A1]], %[[A3]] : f32, f32),
// CHECK-NEXT:    2: ^[[BB1]](%[[A3]], %[[A3]] : f32, f32),
// CHECK-NEXT:    1: ^[[BB1]](%[[A1]], %[[A2]] : f32, f32)
// CHECK-NEXT:    ]
// CHECK-NEXT:  ^[[BB1]](%[[V0:[^ :,#]*]]: f32, %[[V1:[^ :,#]*]]: f32):
// CHECK-NEXT:    %[[V2:[^ :,#]*]] = arith.subf %[[V0]], %[[V1]] : f32
// CHECK-NEXT:    return %[[V2]] : f32
func.func @one_block(%s: !S, %x: f32) -> f32 {
  tfx_host.switch_enum %s : !S ["empty" -> ^same(%x, %x : f32, f32), "box" -> ^same, "circle" -> ^same(%x : f32)]
^same(%a: f32, %b: f32):
  %c = arith.subf %a, %b : f32
  return %c : f32
}

// -----

// With one case, there is no branch.

tfx_host.enum @Only {this(i32, f32)}
!O = !tfx_host.enum<@Only>

// CHECK-LABEL: func.func @one_case(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: f32) -> f32 {
// CHECK-NEXT:    %[[C0I32:[^ :,#]*]] = arith.constant 0 : i32
// CHECK-NEXT:    cf.br ^[[BB1:bb[0-9]+]](%[[A0]], %[[A1]] : i32, f32)
// CHECK-NEXT:  ^[[BB1]](%[[V0:[^ :,#]*]]: i32, %[[V1:[^ :,#]*]]: f32):
// CHECK-NEXT:    return %[[V1]] : f32
func.func @one_case(%x: i32, %y: f32) -> f32 {
  %o = tfx_host.make_enum "this"(%x, %y) : (i32, f32) -> !O
  tfx_host.switch_enum %o : !O ["this" -> ^this]
^this(%a: i32, %b: f32):
  return %b : f32
}

// -----

// A payload that is a struct, a tuple or an enum is flattened into the union, and shares slots with the others: Outer is tag, i32, i32 and f32 for the
// struct; the tag and the number of the inner enum use the first two.

tfx_host.struct @Point {x: i32, y: i32, z: f32}
tfx_host.enum @Inner {none(), number(i32)}
tfx_host.enum @Outer {point(!tfx_host.struct<@Point>), inner(!tfx_host.enum<@Inner>), pair(tuple<f32, tuple<i32>>)}
!P = !tfx_host.struct<@Point>
!I = !tfx_host.enum<@Inner>
!O = !tfx_host.enum<@Outer>

// CHECK-LABEL: func.func @make_point(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: f32) -> (i32, i32, i32, f32) {
// CHECK-NEXT:    %[[C0I32:[^ :,#]*]] = arith.constant 0 : i32
// CHECK-NEXT:    return %[[C0I32]], %[[A0]], %[[A0]], %[[A1]] : i32, i32, i32, f32
func.func @make_point(%x: i32, %z: f32) -> !O {
  %p = tfx_host.make_struct(%x, %x, %z) : (i32, i32, f32) -> !P
  %o = tfx_host.make_enum "point"(%p) : (!P) -> !O
  return %o : !O
}

// CHECK-LABEL: func.func @make_inner(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32) -> (i32, i32, i32, f32) {
// CHECK-NEXT:    %[[C1I32:[^ :,#]*]] = arith.constant 1 : i32
// CHECK-NEXT:    %[[C1I320:[^ :,#]*]] = arith.constant 1 : i32
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = tfx_host.undef : f32
// CHECK-NEXT:    return %[[C1I320]], %[[C1I32]], %[[A0]], %[[V0]] : i32, i32, i32, f32
func.func @make_inner(%x: i32) -> !O {
  %i = tfx_host.make_enum "number"(%x) : (i32) -> !I
  %o = tfx_host.make_enum "inner"(%i) : (!I) -> !O
  return %o : !O
}

// CHECK-LABEL: func.func @take_apart(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: i32, %[[A2:[^ :,#]*]]: i32, %[[A3:[^ :,#]*]]: f32) -> i32 {
// CHECK-NEXT:    cf.switch %[[A0]] : i32, [
// CHECK-NEXT:    default: ^[[BB3:bb[0-9]+]](%[[A3]], %[[A1]] : f32, i32),
// CHECK-NEXT:    0: ^[[BB1:bb[0-9]+]](%[[A1]], %[[A2]], %[[A3]] : i32, i32, f32),
// CHECK-NEXT:    1: ^[[BB2:bb[0-9]+]](%[[A1]], %[[A2]] : i32, i32)
// CHECK-NEXT:    ]
// CHECK-NEXT:  ^[[BB1]](%[[V0:[^ :,#]*]]: i32, %[[V1:[^ :,#]*]]: i32, %[[V2:[^ :,#]*]]: f32):
// CHECK-NEXT:    return %[[V1]] : i32
// CHECK-NEXT:  ^[[BB2]](%[[V3:[^ :,#]*]]: i32, %[[V4:[^ :,#]*]]: i32):
// CHECK-NEXT:    return %[[V4]] : i32
// CHECK-NEXT:  ^[[BB3]](%[[V5:[^ :,#]*]]: f32, %[[V6:[^ :,#]*]]: i32):
// CHECK-NEXT:    return %[[V6]] : i32
func.func @take_apart(%o: !O) -> i32 {
  tfx_host.switch_enum %o : !O ["point" -> ^point, "inner" -> ^inner, "pair" -> ^pair]
^point(%p: !P):
  %y = tfx_host.extract %p["y"] : !P -> i32
  return %y : i32
^inner(%i: !I):
  %n = tfx_host.enum_payload %i["number"] : (!I) -> i32
  return %n : i32
^pair(%t: tuple<f32, tuple<i32>>):
  %u = tfx_host.tuple_get %t[1] : tuple<f32, tuple<i32>>
  %m = tfx_host.tuple_get %u[0] : tuple<i32>
  return %m : i32
}

// -----

// A generic enum is laid out for its arguments, also inside of itself.

tfx_host.enum @Option<"T"> {none(), some(!tfx_host.param<"T">)}
!O = !tfx_host.enum<@Option<i32>>
!OO = !tfx_host.enum<@Option<!O>>

// CHECK-LABEL: func.func @generic(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: i32, %[[A2:[^ :,#]*]]: i32, %[[A3:[^ :,#]*]]: f32) -> (i32, i32, i32) {
// CHECK-NEXT:    %[[C1I32:[^ :,#]*]] = arith.constant 1 : i32
// CHECK-NEXT:    return %[[C1I32]], %[[A0]], %[[A1]] : i32, i32, i32
func.func @generic(%o: !O, %f: !tfx_host.enum<@Option<f32>>) -> !OO {
  %s = tfx_host.make_enum "some"(%o) : (!O) -> !OO
  return %s : !OO
}

// CHECK-LABEL: func.func private @foreign(
// CHECK-SAME:    i32, i32, i32) -> (i32, f32, i64)
func.func private @foreign(!OO) -> !tfx_host.enum<@Option<tuple<f32, i64>>>

// -----

// Through block arguments, a loop, variables and fields of variables, calls, class fields and closures. Names are extended for the leaves.

tfx_host.enum @State {start(), at(i32)}
tfx_host.struct @Machine {state: !tfx_host.enum<@State>, steps: i32}
tfx_host.class @Keeper {state: !tfx_host.enum<@State>}
!S = !tfx_host.enum<@State>
!M = !tfx_host.struct<@Machine>

// CHECK-LABEL: func.func @named(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32 {tfx.name = "s.tag"}, %[[A1:[^ :,#]*]]: i32 {tfx.name = "s.0"}) -> (i32 {tfx.name = "r.tag"}, i32 {tfx.name = "r.0"}) {
// CHECK-NEXT:    %[[V0:[^ :,#]*]]:2 = call @same(%[[A0]], %[[A1]]) : (i32, i32) -> (i32, i32)
// CHECK-NEXT:    return %[[V0]]#0, %[[V0]]#1 : i32, i32
func.func @named(%s: !S {tfx.name = "s"}) -> (!S {tfx.name = "r"}) {
  %r = func.call @same(%s) : (!S) -> !S
  return %r : !S
}
// CHECK-LABEL: func.func private @same(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: i32) -> (i32, i32) {
// CHECK-NEXT:    return %[[A0]], %[[A1]] : i32, i32
func.func private @same(%s: !S) -> !S {
  return %s : !S
}

// CHECK-LABEL: func.func @loop(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32) -> (i32, i32) {
// CHECK-NEXT:    %[[C0I32:[^ :,#]*]] = arith.constant 0 : i32
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = tfx_host.undef : i32
// CHECK-NEXT:    cf.br ^[[BB1:bb[0-9]+]](%[[C0I32]], %[[V0]] : i32, i32)
// CHECK-NEXT:  ^[[BB1]](%[[V1:[^ :,#]*]]: i32, %[[V2:[^ :,#]*]]: i32):
// CHECK-NEXT:    cf.switch %[[V1]] : i32, [
// CHECK-NEXT:    default: ^[[BB2:bb[0-9]+]](%[[V2]] : i32),
// CHECK-NEXT:    0: ^[[BB3:bb[0-9]+]](%[[A0]] : i32)
// CHECK-NEXT:    ]
// CHECK-NEXT:  ^[[BB2]](%[[V3:[^ :,#]*]]: i32):
// CHECK-NEXT:    %[[V4:[^ :,#]*]] = arith.cmpi sgt, %[[V3]], %[[A0]] : i32
// CHECK-NEXT:    cf.cond_br %[[V4]], ^[[BB4:bb[0-9]+]](%[[V1]], %[[V2]] : i32, i32), ^[[BB3]](%[[V3]] : i32)
// CHECK-NEXT:  ^[[BB3]](%[[V5:[^ :,#]*]]: i32):
// CHECK-NEXT:    %[[V6:[^ :,#]*]] = arith.addi %[[V5]], %[[A0]] : i32
// CHECK-NEXT:    %[[C1I32:[^ :,#]*]] = arith.constant 1 : i32
// CHECK-NEXT:    cf.br ^[[BB1]](%[[C1I32]], %[[V6]] : i32, i32)
// CHECK-NEXT:  ^[[BB4]](%[[V7:[^ :,#]*]]: i32, %[[V8:[^ :,#]*]]: i32):
// CHECK-NEXT:    return %[[V7]], %[[V8]] : i32, i32
func.func @loop(%n: i32) -> !S {
  %s = tfx_host.make_enum "start"() : () -> !S
  cf.br ^header(%s : !S)
^header(%a: !S):
  tfx_host.switch_enum %a : !S ["start" -> ^next(%n : i32), "at" -> ^check]
^check(%i: i32):
  %done = arith.cmpi sgt, %i, %n : i32
  cf.cond_br %done, ^exit(%a : !S), ^next(%i : i32)
^next(%j: i32):
  %k = arith.addi %j, %n : i32
  %b = tfx_host.make_enum "at"(%k) : (i32) -> !S
  cf.br ^header(%b : !S)
^exit(%r: !S):
  return %r : !S
}

// CHECK-LABEL: func.func @variable(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: i32, %[[A2:[^ :,#]*]]: i32, %[[A3:[^ :,#]*]]: i32, %[[A4:[^ :,#]*]]: i32) -> i32 {
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = tfx_host.var : !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V1:[^ :,#]*]] = tfx_host.var : !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V2:[^ :,#]*]] = tfx_host.var : !tfx_host.ref<i32>
// CHECK-NEXT:    tfx_host.store %[[A0]], %[[V0]] : i32
// CHECK-NEXT:    tfx_host.store %[[A1]], %[[V1]] : i32
// CHECK-NEXT:    tfx_host.store %[[A2]], %[[V2]] : i32
// CHECK-NEXT:    tfx_host.store %[[A3]], %[[V0]] : i32
// CHECK-NEXT:    tfx_host.store %[[A4]], %[[V1]] : i32
// CHECK-NEXT:    %[[V3:[^ :,#]*]] = tfx_host.load %[[V1]] : !tfx_host.ref<i32>
// CHECK-NEXT:    return %[[V3]] : i32
func.func @variable(%m: !M, %s: !S) -> i32 {
  %v = tfx_host.var : !tfx_host.ref<!M>
  tfx_host.store %m, %v : !M
  %r = tfx_host.field_ref %v["state"] : !tfx_host.ref<!M> -> !tfx_host.ref<!S>
  tfx_host.store %s, %r : !S
  %t = tfx_host.load %r : !tfx_host.ref<!S>
  %x = tfx_host.enum_payload %t["at"] : (!S) -> i32
  return %x : i32
}

// CHECK-LABEL: func.func @object(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: i32) -> (i32, i32) {
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = tfx_host.new(%[[A0]], %[[A1]]) : (i32, i32) -> !tfx_host.object<@Keeper>
// CHECK-NEXT:    %[[V1:[^ :,#]*]] = tfx_host.member_ref %[[V0]]["state.tag"] : !tfx_host.object<@Keeper> -> !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V2:[^ :,#]*]] = tfx_host.member_ref %[[V0]]["state.0"] : !tfx_host.object<@Keeper> -> !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V3:[^ :,#]*]] = tfx_host.load %[[V1]] : !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V4:[^ :,#]*]] = tfx_host.load %[[V2]] : !tfx_host.ref<i32>
// CHECK-NEXT:    return %[[V3]], %[[V4]] : i32, i32
func.func @object(%s: !S) -> !S {
  %k = tfx_host.new(%s) : (!S) -> !tfx_host.object<@Keeper>
  %r = tfx_host.member_ref %k["state"] : !tfx_host.object<@Keeper> -> !tfx_host.ref<!S>
  %t = tfx_host.load %r : !tfx_host.ref<!S>
  return %t : !S
}

// CHECK-LABEL: func.func @bound(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: i32) -> !tfx_host.closure<(i32, i32) -> (i32, i32)> {
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = tfx_host.closure @second(%[[A0]], %[[A1]]) : (i32, i32) -> !tfx_host.closure<(i32, i32) -> (i32, i32)>
// CHECK-NEXT:    return %[[V0]] : !tfx_host.closure<(i32, i32) -> (i32, i32)>
func.func @bound(%s: !S) -> !tfx_host.closure<(!S) -> !S> {
  %c = tfx_host.closure @second(%s) : (!S) -> !tfx_host.closure<(!S) -> !S>
  return %c : !tfx_host.closure<(!S) -> !S>
}
// CHECK-LABEL: func.func private @second(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: i32, %[[A2:[^ :,#]*]]: i32, %[[A3:[^ :,#]*]]: i32) -> (i32, i32) {
// CHECK-NEXT:    return %[[A2]], %[[A3]] : i32, i32
func.func private @second(%s: !S, %t: !S) -> !S {
  return %t : !S
}

// -----

// Closures and tensors in payloads are leaves, each in a slot of its own type; an array of enums becomes an array of tags and one for each slot.

tfx_host.enum @Step {apply(!tfx_host.closure<(f32) -> f32>), add(tensor<2xf32>), sub(tensor<2xf32>), stop()}
!S = !tfx_host.enum<@Step>

// CHECK-LABEL: func.func @slots(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: tensor<2xf32>) -> (i32, !tfx_host.closure<(f32) -> f32>, tensor<2xf32>) {
// CHECK-NEXT:    %[[C2I32:[^ :,#]*]] = arith.constant 2 : i32
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = tfx_host.undef : !tfx_host.closure<(f32) -> f32>
// CHECK-NEXT:    return %[[C2I32]], %[[V0]], %[[A0]] : i32, !tfx_host.closure<(f32) -> f32>, tensor<2xf32>
func.func @slots(%x: tensor<2xf32>) -> !S {
  %s = tfx_host.make_enum "sub"(%x) : (tensor<2xf32>) -> !S
  return %s : !S
}

// CHECK-LABEL: func.func @elements(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: !tfx_host.closure<(f32) -> f32>, %[[A2:[^ :,#]*]]: tensor<2xf32>, %[[A3:[^ :,#]*]]: i32, %[[A4:[^ :,#]*]]: !tfx_host.closure<(f32) -> f32>, %[[A5:[^ :,#]*]]: tensor<2xf32>, %[[A6:[^ :,#]*]]: index) -> (i32, !tfx_host.closure<(f32) -> f32>, tensor<2xf32>) {
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = tfx_host.array(%[[A0]], %[[A3]]) : !tfx_host.array<i32>
// CHECK-NEXT:    %[[V1:[^ :,#]*]] = tfx_host.array(%[[A1]], %[[A4]]) : !tfx_host.array<!tfx_host.closure<(f32) -> f32>>
// CHECK-NEXT:    %[[V2:[^ :,#]*]] = tfx_host.array(%[[A2]], %[[A5]]) : !tfx_host.array<tensor<2xf32>>
// CHECK-NEXT:    %[[V3:[^ :,#]*]] = tfx_host.array_get %[[V0]][%[[A6]]] : !tfx_host.array<i32>
// CHECK-NEXT:    %[[V4:[^ :,#]*]] = tfx_host.array_get %[[V1]][%[[A6]]] : !tfx_host.array<!tfx_host.closure<(f32) -> f32>>
// CHECK-NEXT:    %[[V5:[^ :,#]*]] = tfx_host.array_get %[[V2]][%[[A6]]] : !tfx_host.array<tensor<2xf32>>
// CHECK-NEXT:    return %[[V3]], %[[V4]], %[[V5]] : i32, !tfx_host.closure<(f32) -> f32>, tensor<2xf32>
func.func @elements(%a: !S, %b: !S, %i: index) -> !S {
  %l = tfx_host.array(%a, %b) : !tfx_host.array<!S>
  %e = tfx_host.array_get %l[%i] : !tfx_host.array<!S>
  return %e : !S
}
