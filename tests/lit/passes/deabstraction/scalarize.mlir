// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-scalarize)' --split-input-file | FileCheck %s

// PROGRAMS.md, struct and tuple. The declaration is erased, too.

tfx_host.struct @S {a: tensor<2xf32>, b: tensor<2xf32>, c: !tfx_host.string}

// CHECK-NOT:   tfx_host.struct
// CHECK-LABEL: func.func @struct_and_tuple(
// CHECK-SAME:    %[[T1:[^:]*]]: tensor<2xf32>, %[[T2:[^:]*]]: tensor<2xf32>, %[[T3:[^:]*]]: tensor<2xf32>, %[[T4:[^:]*]]: tensor<2xf32>)
// CHECK-NEXT:    tfx_host.string "Hello World"
// CHECK-NEXT:    tfx_host.print "{}"(%[[T1]])
// CHECK-NEXT:    tfx_host.print "{}"(%[[T3]])
// CHECK-NEXT:    return
func.func @struct_and_tuple(%t1: tensor<2xf32>, %t2: tensor<2xf32>, %t3: tensor<2xf32>, %t4: tensor<2xf32>) {
  %c = tfx_host.string "Hello World"
  %v = tfx_host.make_struct(%t1, %t2, %c) : (tensor<2xf32>, tensor<2xf32>, !tfx_host.string) -> !tfx_host.struct<@S>
  %a = tfx_host.extract %v["a"] : !tfx_host.struct<@S> -> tensor<2xf32>
  tfx_host.print "{}"(%a) : tensor<2xf32>
  %t = tfx_host.make_tuple(%t3, %t4) : tensor<2xf32>, tensor<2xf32>
  %t0 = tfx_host.tuple_get %t[0] : tuple<tensor<2xf32>, tensor<2xf32>>
  tfx_host.print "{}"(%t0) : tensor<2xf32>
  return
}

// -----

// Parameters and results become their leaves in order, with their names. Generic structs nest; one with two arguments is laid out for both.

tfx_host.struct @Pair<"A", "B"> {first: !tfx_host.param<"A">, second: !tfx_host.param<"B">}

// CHECK-LABEL: func.func @signature(
// CHECK-SAME:    %[[N:[^:]*]]: i64 {tfx.name = "n"},
// CHECK-SAME:    %[[A:[^:]*]]: i32 {tfx.name = "p.first"}, %[[B:[^:]*]]: f32 {tfx.name = "p.second.first"}, %[[C:[^:]*]]: i1 {tfx.name = "p.second.second"})
// CHECK-SAME:    -> (f32 {tfx.name = "r.first"}, i1 {tfx.name = "r.second"}, i64)
// CHECK-NEXT:    return %[[B]], %[[C]], %[[N]] : f32, i1, i64
// CHECK:       func.func private @foreign(i32, f32) -> (f32, i32)
func.func @signature(%n: i64 {tfx.name = "n"}, %p: !tfx_host.struct<@Pair<i32, !tfx_host.struct<@Pair<f32, i1>>>> {tfx.name = "p"})
    -> (!tfx_host.struct<@Pair<f32, i1>> {tfx.name = "r"}, i64) {
  %s = tfx_host.extract %p["second"] : !tfx_host.struct<@Pair<i32, !tfx_host.struct<@Pair<f32, i1>>>> -> !tfx_host.struct<@Pair<f32, i1>>
  return %s, %n : !tfx_host.struct<@Pair<f32, i1>>, i64
}
func.func private @foreign(!tfx_host.struct<@Pair<i32, f32>>) -> tuple<f32, i32>

// -----

// Calls, insertion, block arguments and branches of all kinds.

tfx_host.struct @Point {x: i32, y: i32}
tfx_host.enum @Option {none(), some(!tfx_host.struct<@Point>)}

// CHECK-LABEL: func.func @control_flow(
// CHECK-SAME:    %[[P:[^:]*]]: i1, %[[N:[^:]*]]: i32, %[[X:[^:]*]]: i32, %[[Y:[^:]*]]: i32)
// CHECK-NEXT:    cf.cond_br %[[P]], ^[[A:.*]](%[[N]], %[[N]], %[[Y]], %[[N]] : i32, i32, i32, i32), ^[[B:.*]]
// CHECK-NEXT:  ^[[A]](%[[A0:.*]]: i32, %[[A1:.*]]: i32, %[[A2:.*]]: i32, %[[A3:.*]]: i32):
// CHECK-NEXT:    %[[C:.*]]:2 = call @mirror(%[[A1]], %[[A2]]) : (i32, i32) -> (i32, i32)
// CHECK-NEXT:    %[[D:.*]] = arith.addi %[[A0]], %[[A3]]
// CHECK-NEXT:    cf.switch %[[D]] : i32, [
// CHECK-NEXT:      default: ^[[END:.*]](%[[C]]#0, %[[C]]#1 : i32, i32),
// CHECK-NEXT:      1: ^[[END]](%[[X]], %[[Y]] : i32, i32)
// CHECK-NEXT:    ]
// CHECK-NEXT:  ^[[B]]:
// CHECK-NEXT:    cf.br ^[[END]](%[[X]], %[[Y]] : i32, i32)
// CHECK-NEXT:  ^[[END]](%[[EX:.*]]: i32, %[[EY:.*]]: i32):
// CHECK-NEXT:    return %[[EX]], %[[EY]] : i32, i32
// CHECK-LABEL: func.func private @mirror(
// CHECK-SAME:    %[[MX:[^:]*]]: i32, %[[MY:[^:]*]]: i32) -> (i32, i32)
// CHECK-NEXT:    return %[[MY]], %[[MX]] : i32, i32
func.func @control_flow(%p: i1, %n: i32, %q: !tfx_host.struct<@Point>) -> !tfx_host.struct<@Point> {
  %q1 = tfx_host.insert %n into %q["x"] : i32, !tfx_host.struct<@Point>
  cf.cond_br %p, ^a(%n, %q1, %n : i32, !tfx_host.struct<@Point>, i32), ^b
^a(%i: i32, %r: !tfx_host.struct<@Point>, %j: i32):
  %m = func.call @mirror(%r) : (!tfx_host.struct<@Point>) -> !tfx_host.struct<@Point>
  %k = arith.addi %i, %j : i32
  cf.switch %k : i32, [
    default: ^end(%m : !tfx_host.struct<@Point>),
    1: ^end(%q : !tfx_host.struct<@Point>)
  ]
^b:
  cf.br ^end(%q : !tfx_host.struct<@Point>)
^end(%e: !tfx_host.struct<@Point>):
  return %e : !tfx_host.struct<@Point>
}
func.func private @mirror(%p: !tfx_host.struct<@Point>) -> !tfx_host.struct<@Point> {
  %x = tfx_host.extract %p["x"] : !tfx_host.struct<@Point> -> i32
  %y = tfx_host.extract %p["y"] : !tfx_host.struct<@Point> -> i32
  %m = tfx_host.make_struct(%y, %x) : (i32, i32) -> !tfx_host.struct<@Point>
  return %m : !tfx_host.struct<@Point>
}

// An enum is its tag and its payloads. The case without a payload forwards a placeholder.
// CHECK-LABEL: func.func @payload(
// CHECK-SAME:    %[[TAG:[^:]*]]: i32, %[[PX:[^:]*]]: i32, %[[PY:[^:]*]]: i32, %[[X:[^:]*]]: i32, %[[Y:[^:]*]]: i32)
// CHECK-NEXT:    cf.switch %[[TAG]] : i32, [
// CHECK-NEXT:      default: ^[[SOME:.*]](%[[PX]], %[[PY]], %[[X]], %[[Y]] : i32, i32, i32, i32),
// CHECK-NEXT:      0: ^[[NONE:.*]](%[[X]], %[[Y]] : i32, i32)
// CHECK-NEXT:    ]
// CHECK-NEXT:  ^[[NONE]](%[[NX:.*]]: i32, %[[NY:.*]]: i32):
// CHECK-NEXT:    return %[[NX]]
// CHECK-NEXT:  ^[[SOME]](%[[SX:.*]]: i32, %{{.*}}: i32, %{{.*}}: i32, %[[SY:.*]]: i32):
// CHECK:         %[[R:.*]] = arith.addi %[[SX]], %[[SY]]
// CHECK-NEXT:    return %[[R]]
func.func @payload(%o: !tfx_host.enum<@Option>, %p: !tfx_host.struct<@Point>) -> i32 {
  tfx_host.switch_enum %o : !tfx_host.enum<@Option> ["none" -> ^none(%p : !tfx_host.struct<@Point>), "some" -> ^some(%p : !tfx_host.struct<@Point>)]
^none(%a: !tfx_host.struct<@Point>):
  %x = tfx_host.extract %a["x"] : !tfx_host.struct<@Point> -> i32
  return %x : i32
^some(%b: !tfx_host.struct<@Point>, %c: !tfx_host.struct<@Point>):
  %y = tfx_host.extract %b["x"] : !tfx_host.struct<@Point> -> i32
  %z = tfx_host.extract %c["y"] : !tfx_host.struct<@Point> -> i32
  %s = arith.addi %y, %z : i32
  return %s : i32
}

// -----

// A variable becomes one for each leaf, references to fields are resolved, and an inout parameter becomes a parameter and a result.

tfx_host.struct @Point {x: i32, y: i32}
tfx_host.struct @Line {from: !tfx_host.struct<@Point>, to: tuple<i32, i32>}

// CHECK-LABEL: func.func @variable(
// CHECK-SAME:    %[[FX:[^:]*]]: i32, %[[FY:[^:]*]]: i32, %[[TX:[^:]*]]: i32, %[[TY:[^:]*]]: i32, %[[N:[^:]*]]: i32)
// CHECK-NEXT:    %[[V0:.*]] = tfx_host.var
// CHECK-NEXT:    %[[V1:.*]] = tfx_host.var
// CHECK-NEXT:    %[[V2:.*]] = tfx_host.var
// CHECK-NEXT:    %[[V3:.*]] = tfx_host.var
// CHECK-NEXT:    tfx_host.store %[[FX]], %[[V0]]
// CHECK-NEXT:    tfx_host.store %[[FY]], %[[V1]]
// CHECK-NEXT:    tfx_host.store %[[TX]], %[[V2]]
// CHECK-NEXT:    tfx_host.store %[[TY]], %[[V3]]
// CHECK-NEXT:    tfx_host.store %[[N]], %[[V3]]
// CHECK-NEXT:    %[[A:.*]] = tfx_host.load %[[V0]]
// CHECK-NEXT:    %[[B:.*]] = tfx_host.load %[[V1]]
// CHECK-NEXT:    %[[M:.*]]:2 = call @move(%[[A]], %[[B]], %[[N]]) : (i32, i32, i32) -> (i32, i32)
// CHECK-NEXT:    tfx_host.store %[[M]]#0, %[[V0]]
// CHECK-NEXT:    tfx_host.store %[[M]]#1, %[[V1]]
// CHECK-NEXT:    tfx_host.load %[[V0]]
// CHECK-LABEL: func.func private @move(
// CHECK-SAME:    %[[X:[^:]*]]: i32, %[[Y:[^:]*]]: i32, %[[D:[^:]*]]: i32) -> (i32, i32)
// CHECK-NEXT:    %[[VX:.*]] = tfx_host.var
// CHECK-NEXT:    %[[VY:.*]] = tfx_host.var
// CHECK-NEXT:    tfx_host.store %[[X]], %[[VX]]
// CHECK-NEXT:    tfx_host.store %[[Y]], %[[VY]]
// CHECK-NEXT:    tfx_host.store %[[D]], %[[VX]]
// CHECK-NEXT:    %[[RX:.*]] = tfx_host.load %[[VX]]
// CHECK-NEXT:    %[[RY:.*]] = tfx_host.load %[[VY]]
// CHECK-NEXT:    return %[[RX]], %[[RY]]
func.func @variable(%l: !tfx_host.struct<@Line>, %n: i32) -> !tfx_host.struct<@Line> {
  %v = tfx_host.var : !tfx_host.ref<!tfx_host.struct<@Line>>
  tfx_host.store %l, %v : !tfx_host.struct<@Line>
  %to = tfx_host.field_ref %v["to"] : !tfx_host.ref<!tfx_host.struct<@Line>> -> !tfx_host.ref<tuple<i32, i32>>
  %to1 = tfx_host.field_ref %to["1"] : !tfx_host.ref<tuple<i32, i32>> -> !tfx_host.ref<i32>
  tfx_host.store %n, %to1 : i32
  %from = tfx_host.field_ref %v["from"] : !tfx_host.ref<!tfx_host.struct<@Line>> -> !tfx_host.ref<!tfx_host.struct<@Point>>
  func.call @move(%from, %n) : (!tfx_host.ref<!tfx_host.struct<@Point>>, i32) -> ()
  %r = tfx_host.load %v : !tfx_host.ref<!tfx_host.struct<@Line>>
  return %r : !tfx_host.struct<@Line>
}
func.func private @move(%p: !tfx_host.ref<!tfx_host.struct<@Point>>, %d: i32) {
  %x = tfx_host.field_ref %p["x"] : !tfx_host.ref<!tfx_host.struct<@Point>> -> !tfx_host.ref<i32>
  tfx_host.store %d, %x : i32
  return
}

// -----

// The captures of a closure are bound leaf by leaf: values as values, a variable as the variables of its leaves. Structured control flow needs a whole struct,
// so it is rebuilt there, and only there.

tfx_host.struct @Point {x: i32, y: i32}

// CHECK:       tfx_host.struct @Point
// CHECK-LABEL: func.func @whole(
// CHECK-SAME:    %[[P:[^:]*]]: i1, %[[X:[^:]*]]: i32, %[[Y:[^:]*]]: i32)
// CHECK:         tfx_host.closure @sum(%[[X]], %[[Y]]) : (i32, i32) -> !tfx_host.closure<() -> i32>
// CHECK:         %[[IF:.*]] = scf.if
// CHECK:           %[[S:.*]] = tfx_host.make_struct(%[[X]], %[[Y]])
// CHECK:           scf.yield %[[S]]
// CHECK:         %[[RX:.*]] = tfx_host.extract %[[IF]]["x"]
// CHECK:         %[[RY:.*]] = tfx_host.extract %[[IF]]["y"]
// CHECK:         return %[[RX]], %[[RY]]
// CHECK-LABEL: func.func private @sum(
// CHECK-SAME:    %[[QX:.*]]: i32, %[[QY:.*]]: i32) -> i32
// CHECK-NEXT:    arith.addi %[[QX]], %[[QY]]
// CHECK-LABEL: func.func private @keep(
// CHECK-SAME:    %[[KX:.*]]: i32, %[[KY:.*]]: i32) -> (i32, i32)
// CHECK-NEXT:    %[[VX:.*]] = tfx_host.var
// CHECK-NEXT:    %[[VY:.*]] = tfx_host.var
// CHECK:         tfx_host.closure @read(%[[VX]], %[[VY]])
// CHECK-LABEL: func.func private @read(
// CHECK-SAME:    %[[A:.*]]: !tfx_host.ref<i32>, %{{.*}}: !tfx_host.ref<i32>) -> i32
// CHECK-NEXT:    tfx_host.load %[[A]]
func.func @whole(%p: i1, %q: !tfx_host.struct<@Point>) -> !tfx_host.struct<@Point> {
  %c = tfx_host.closure @sum(%q) : (!tfx_host.struct<@Point>) -> !tfx_host.closure<() -> i32>
  %v = tfx_host.var : !tfx_host.ref<!tfx_host.struct<@Point>>
  tfx_host.store %q, %v : !tfx_host.struct<@Point>
  func.call @keep(%v) : (!tfx_host.ref<!tfx_host.struct<@Point>>) -> ()
  %r = scf.if %p -> !tfx_host.struct<@Point> {
    scf.yield %q : !tfx_host.struct<@Point>
  } else {
    %w = tfx_host.load %v : !tfx_host.ref<!tfx_host.struct<@Point>>
    scf.yield %w : !tfx_host.struct<@Point>
  }
  return %r : !tfx_host.struct<@Point>
}
func.func private @sum(%q: !tfx_host.struct<@Point>) -> i32 {
  %x = tfx_host.extract %q["x"] : !tfx_host.struct<@Point> -> i32
  %y = tfx_host.extract %q["y"] : !tfx_host.struct<@Point> -> i32
  %s = arith.addi %x, %y : i32
  return %s : i32
}
func.func private @keep(%r: !tfx_host.ref<!tfx_host.struct<@Point>>) {
  %c = tfx_host.closure @read(%r) : (!tfx_host.ref<!tfx_host.struct<@Point>>) -> !tfx_host.closure<() -> i32>
  return
}
func.func private @read(%r: !tfx_host.ref<!tfx_host.struct<@Point>>) -> i32 {
  %x = tfx_host.field_ref %r["x"] : !tfx_host.ref<!tfx_host.struct<@Point>> -> !tfx_host.ref<i32>
  %y = tfx_host.load %x : !tfx_host.ref<i32>
  return %y : i32
}

// -----

// Two erasures take one tuple of leaves, as an earlier run has left it. That of a struct is built
// for each.

tfx_host.struct @Point {n: i32, v: tensor<4xi32>}
tfx_host.protocol @Counting {count: (!tfx_host.param<"Self">) -> i32} attributes {flat}
tfx_host.witness_table @Point_Counting : !tfx_host.struct<@Point> conforms @Counting {count = @count}

func.func private @count(%n: i32, %v: tensor<4xi32>) -> i32 {
  return %n : i32
}

// CHECK-LABEL: func.func @erase_again(
// CHECK:         %[[P:.*]] = tfx_host.make_tuple(%{{.*}}, %{{.*}}) : i32, tensor<4xi32>
// CHECK-NEXT:    tfx_host.erase %[[P]] {conforming = !tfx_host.struct<@Point>}
// CHECK-NEXT:    tfx_host.erase %[[P]] {conforming = !tfx_host.struct<@Point>}
// CHECK-NOT:     make_tuple
// CHECK:         return
func.func @erase_again(%n: i32, %v: tensor<4xi32>) -> (!tfx_host.any<@Counting>, !tfx_host.any<@Counting>) {
  %p = tfx_host.make_tuple(%n, %v) : i32, tensor<4xi32>
  %a = tfx_host.erase %p {conforming = !tfx_host.struct<@Point>} : tuple<i32, tensor<4xi32>> to !tfx_host.any<@Counting>
  %b = tfx_host.erase %p {conforming = !tfx_host.struct<@Point>} : tuple<i32, tensor<4xi32>> to !tfx_host.any<@Counting>
  return %a, %b : !tfx_host.any<@Counting>, !tfx_host.any<@Counting>
}

// CHECK-LABEL: func.func @erase_struct(
// CHECK:         %[[P:.*]] = tfx_host.make_tuple(%{{.*}}, %{{.*}}) : i32, tensor<4xi32>
// CHECK-NEXT:    tfx_host.erase %[[P]] {conforming = !tfx_host.struct<@Point>}
// CHECK:         %[[Q:.*]] = tfx_host.make_tuple(%{{.*}}, %{{.*}}) : i32, tensor<4xi32>
// CHECK-NEXT:    tfx_host.erase %[[Q]] {conforming = !tfx_host.struct<@Point>}
func.func @erase_struct(%n: i32, %v: tensor<4xi32>) -> (!tfx_host.any<@Counting>, !tfx_host.any<@Counting>) {
  %p = tfx_host.make_struct(%n, %v) : (i32, tensor<4xi32>) -> !tfx_host.struct<@Point>
  %a = tfx_host.erase %p : !tfx_host.struct<@Point> to !tfx_host.any<@Counting>
  %b = tfx_host.erase %p : !tfx_host.struct<@Point> to !tfx_host.any<@Counting>
  return %a, %b : !tfx_host.any<@Counting>, !tfx_host.any<@Counting>
}
