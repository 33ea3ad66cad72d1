// Inout parameters of functions that stay: the value is a parameter, and every exit returns the new value.
//
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-scalarize)' --split-input-file | FileCheck %s --implicit-check-not='-> !tfx_host.ref' --implicit-check-not=field_ref

// Three exits, each of which returns the value of the variable there, after the function's own results. The caller stores the returned value.

// CHECK-LABEL: func.func private @exits(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i1, %[[A1:[^ :,#]*]]: i1, %[[A2:[^ :,#]*]]: i32, %[[A3:[^ :,#]*]]: i32) -> (i1, i32) {
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = tfx_host.var : !tfx_host.ref<i32>
// CHECK-NEXT:    tfx_host.store %[[A2]], %[[V0]] : i32
// CHECK-NEXT:    cf.cond_br %[[A0]], ^[[BB1:bb[0-9]+]], ^[[BB2:bb[0-9]+]]
// CHECK-NEXT:  ^[[BB1]]:
// CHECK-NEXT:    tfx_host.store %[[A3]], %[[V0]] : i32
// CHECK-NEXT:    %[[V1:[^ :,#]*]] = tfx_host.load %[[V0]] : !tfx_host.ref<i32>
// CHECK-NEXT:    return %[[A1]], %[[V1]] : i1, i32
// CHECK-NEXT:  ^[[BB2]]:
// CHECK-NEXT:    cf.cond_br %[[A1]], ^[[BB3:bb[0-9]+]], ^[[BB4:bb[0-9]+]]
// CHECK-NEXT:  ^[[BB3]]:
// CHECK-NEXT:    %[[V2:[^ :,#]*]] = tfx_host.load %[[V0]] : !tfx_host.ref<i32>
// CHECK-NEXT:    return %[[A0]], %[[V2]] : i1, i32
// CHECK-NEXT:  ^[[BB4]]:
// CHECK-NEXT:    tfx_host.abort "no exit"
// CHECK-NEXT:    tfx_host.unreachable
func.func private @exits(%p: i1, %q: i1, %r: !tfx_host.ref<i32>, %x: i32) -> i1 {
  cf.cond_br %p, ^a, ^b
^a:
  tfx_host.store %x, %r : i32
  return %q : i1
^b:
  cf.cond_br %q, ^c, ^d
^c:
  return %p : i1
^d:
  tfx_host.abort "no exit"
  tfx_host.unreachable
}

// CHECK-LABEL: func.func @calls(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i1, %[[A1:[^ :,#]*]]: i32) -> (i1, i32) {
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = tfx_host.var : !tfx_host.ref<i32>
// CHECK-NEXT:    tfx_host.store %[[A1]], %[[V0]] : i32
// CHECK-NEXT:    %[[V1:[^ :,#]*]] = tfx_host.load %[[V0]] : !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V2:[^ :,#]*]]:2 = call @exits(%[[A0]], %[[A0]], %[[V1]], %[[A1]]) {note} : (i1, i1, i32, i32) -> (i1, i32)
// CHECK-NEXT:    tfx_host.store %[[V2]]#1, %[[V0]] : i32
// CHECK-NEXT:    %[[V3:[^ :,#]*]] = tfx_host.load %[[V0]] : !tfx_host.ref<i32>
// CHECK-NEXT:    return %[[V2]]#0, %[[V3]] : i1, i32
func.func @calls(%p: i1, %x: i32) -> (i1, i32) {
  %v = tfx_host.var : !tfx_host.ref<i32>
  tfx_host.store %x, %v : i32
  %a = func.call @exits(%p, %p, %v, %x) {note} : (i1, i1, !tfx_host.ref<i32>, i32) -> i1
  %y = tfx_host.load %v : !tfx_host.ref<i32>
  return %a, %y : i1, i32
}

// -----

// A struct is passed and returned leaf by leaf; two inout parameters are returned in their order. A function that only forwards its parameter does both.

tfx_host.struct @Point {x: i32, y: i32}
!P = !tfx_host.struct<@Point>

// CHECK-LABEL: func.func private @two(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: i32, %[[A2:[^ :,#]*]]: f32) -> (i32, i32, f32) {
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = tfx_host.var : !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V1:[^ :,#]*]] = tfx_host.var : !tfx_host.ref<i32>
// CHECK-NEXT:    tfx_host.store %[[A0]], %[[V0]] : i32
// CHECK-NEXT:    tfx_host.store %[[A1]], %[[V1]] : i32
// CHECK-NEXT:    %[[V2:[^ :,#]*]] = tfx_host.var : !tfx_host.ref<f32>
// CHECK-NEXT:    tfx_host.store %[[A2]], %[[V2]] : f32
// CHECK-NEXT:    %[[C7I32:[^ :,#]*]] = arith.constant 7 : i32
// CHECK-NEXT:    tfx_host.store %[[C7I32]], %[[V1]] : i32
// CHECK-NEXT:    %[[V3:[^ :,#]*]] = tfx_host.load %[[V0]] : !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V4:[^ :,#]*]] = tfx_host.load %[[V1]] : !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V5:[^ :,#]*]] = tfx_host.load %[[V2]] : !tfx_host.ref<f32>
// CHECK-NEXT:    return %[[V3]], %[[V4]], %[[V5]] : i32, i32, f32
func.func private @two(%p: !tfx_host.ref<!P>, %q: !tfx_host.ref<f32>) {
  %y = tfx_host.field_ref %p["y"] : !tfx_host.ref<!P> -> !tfx_host.ref<i32>
  %c = arith.constant 7 : i32
  tfx_host.store %c, %y : i32
  return
}

// CHECK-LABEL: func.func private @hands_on(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: i32, %[[A2:[^ :,#]*]]: f32) -> (f32, i32, i32) {
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = tfx_host.var : !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V1:[^ :,#]*]] = tfx_host.var : !tfx_host.ref<i32>
// CHECK-NEXT:    tfx_host.store %[[A0]], %[[V0]] : i32
// CHECK-NEXT:    tfx_host.store %[[A1]], %[[V1]] : i32
// CHECK-NEXT:    %[[V2:[^ :,#]*]] = tfx_host.var : !tfx_host.ref<f32>
// CHECK-NEXT:    tfx_host.store %[[A2]], %[[V2]] : f32
// CHECK-NEXT:    %[[V3:[^ :,#]*]] = tfx_host.load %[[V0]] : !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V4:[^ :,#]*]] = tfx_host.load %[[V1]] : !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V5:[^ :,#]*]] = tfx_host.load %[[V2]] : !tfx_host.ref<f32>
// CHECK-NEXT:    %[[V6:[^ :,#]*]]:3 = call @two(%[[V3]], %[[V4]], %[[V5]]) : (i32, i32, f32) -> (i32, i32, f32)
// CHECK-NEXT:    tfx_host.store %[[V6]]#0, %[[V0]] : i32
// CHECK-NEXT:    tfx_host.store %[[V6]]#1, %[[V1]] : i32
// CHECK-NEXT:    tfx_host.store %[[V6]]#2, %[[V2]] : f32
// CHECK-NEXT:    %[[V7:[^ :,#]*]] = tfx_host.load %[[V2]] : !tfx_host.ref<f32>
// CHECK-NEXT:    %[[V8:[^ :,#]*]] = tfx_host.load %[[V0]] : !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V9:[^ :,#]*]] = tfx_host.load %[[V1]] : !tfx_host.ref<i32>
// CHECK-NEXT:    return %[[V7]], %[[V8]], %[[V9]] : f32, i32, i32
func.func private @hands_on(%p: !tfx_host.ref<!P>, %f: f32) -> f32 {
  %v = tfx_host.var : !tfx_host.ref<f32>
  tfx_host.store %f, %v : f32
  func.call @two(%p, %v) : (!tfx_host.ref<!P>, !tfx_host.ref<f32>) -> ()
  %g = tfx_host.load %v : !tfx_host.ref<f32>
  return %g : f32
}

// -----

// Foreign functions take the value and return the new one, as in C; the new results have the names of their parameters.

tfx_host.struct @Point {x: i32, y: f64}
!P = !tfx_host.struct<@Point>

// CHECK-LABEL: func.func private @foreign(
// CHECK-SAME:    i32, i32, f64) -> (i1, i32, i32, f64)
func.func private @foreign(!tfx_host.ref<i32>, !tfx_host.ref<!P>) -> i1

// CHECK-LABEL: func.func @named(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32 {tfx.name = "n"}, %[[A1:[^ :,#]*]]: i32 {tfx.name = "p.x"}, %[[A2:[^ :,#]*]]: f64 {tfx.name = "p.y"}) -> (i1 {tfx.name = "done"}, i32 {tfx.name = "p.x"}, f64 {tfx.name = "p.y"}) {
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = tfx_host.var : !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V1:[^ :,#]*]] = tfx_host.var : !tfx_host.ref<f64>
// CHECK-NEXT:    tfx_host.store %[[A1]], %[[V0]] : i32
// CHECK-NEXT:    tfx_host.store %[[A2]], %[[V1]] : f64
// CHECK-NEXT:    %[[V2:[^ :,#]*]] = tfx_host.var : !tfx_host.ref<i32>
// CHECK-NEXT:    tfx_host.store %[[A0]], %[[V2]] : i32
// CHECK-NEXT:    %[[V3:[^ :,#]*]] = tfx_host.load %[[V2]] : !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V4:[^ :,#]*]] = tfx_host.load %[[V0]] : !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V5:[^ :,#]*]] = tfx_host.load %[[V1]] : !tfx_host.ref<f64>
// CHECK-NEXT:    %[[V6:[^ :,#]*]]:4 = call @foreign(%[[V3]], %[[V4]], %[[V5]]) : (i32, i32, f64) -> (i1, i32, i32, f64)
// CHECK-NEXT:    tfx_host.store %[[V6]]#1, %[[V2]] : i32
// CHECK-NEXT:    tfx_host.store %[[V6]]#2, %[[V0]] : i32
// CHECK-NEXT:    tfx_host.store %[[V6]]#3, %[[V1]] : f64
// CHECK-NEXT:    %[[V7:[^ :,#]*]] = tfx_host.load %[[V0]] : !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V8:[^ :,#]*]] = tfx_host.load %[[V1]] : !tfx_host.ref<f64>
// CHECK-NEXT:    return %[[V6]]#0, %[[V7]], %[[V8]] : i1, i32, f64
func.func @named(%n: i32 {tfx.name = "n"}, %p: !tfx_host.ref<!P> {tfx.name = "p"}) -> (i1 {tfx.name = "done"}) {
  %v = tfx_host.var : !tfx_host.ref<i32>
  tfx_host.store %n, %v : i32
  %d = func.call @foreign(%v, %p) : (!tfx_host.ref<i32>, !tfx_host.ref<!P>) -> i1
  return %d : i1
}

// -----

// Recursion: the function copies in and out around its own call.

// CHECK-LABEL: func.func @down(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32) -> i32 {
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = tfx_host.var : !tfx_host.ref<i32>
// CHECK-NEXT:    tfx_host.store %[[A0]], %[[V0]] : i32
// CHECK-NEXT:    %[[C0I32:[^ :,#]*]] = arith.constant 0 : i32
// CHECK-NEXT:    %[[C1I32:[^ :,#]*]] = arith.constant 1 : i32
// CHECK-NEXT:    %[[V1:[^ :,#]*]] = tfx_host.load %[[V0]] : !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V2:[^ :,#]*]] = arith.cmpi eq, %[[V1]], %[[C0I32]] : i32
// CHECK-NEXT:    cf.cond_br %[[V2]], ^[[BB1:bb[0-9]+]], ^[[BB2:bb[0-9]+]]
// CHECK-NEXT:  ^[[BB1]]:
// CHECK-NEXT:    %[[V3:[^ :,#]*]] = tfx_host.load %[[V0]] : !tfx_host.ref<i32>
// CHECK-NEXT:    return %[[V3]] : i32
// CHECK-NEXT:  ^[[BB2]]:
// CHECK-NEXT:    %[[V4:[^ :,#]*]] = arith.subi %[[V1]], %[[C1I32]] : i32
// CHECK-NEXT:    tfx_host.store %[[V4]], %[[V0]] : i32
// CHECK-NEXT:    %[[V5:[^ :,#]*]] = tfx_host.load %[[V0]] : !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V6:[^ :,#]*]] = call @down(%[[V5]]) : (i32) -> i32
// CHECK-NEXT:    tfx_host.store %[[V6]], %[[V0]] : i32
// CHECK-NEXT:    %[[V7:[^ :,#]*]] = tfx_host.load %[[V0]] : !tfx_host.ref<i32>
// CHECK-NEXT:    return %[[V7]] : i32
func.func @down(%n: !tfx_host.ref<i32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %x = tfx_host.load %n : !tfx_host.ref<i32>
  %end = arith.cmpi eq, %x, %zero : i32
  cf.cond_br %end, ^end, ^more
^end:
  return
^more:
  %y = arith.subi %x, %one : i32
  tfx_host.store %y, %n : i32
  func.call @down(%n) : (!tfx_host.ref<i32>) -> ()
  return
}

// -----

// Disjoint fields of one variable may be inout arguments of one call, as siblings or deep in different fields.

tfx_host.struct @Inner {a: i32, b: i32}
tfx_host.struct @Outer {first: !tfx_host.struct<@Inner>, second: !tfx_host.struct<@Inner>}
!I = !tfx_host.struct<@Inner>
!O = !tfx_host.struct<@Outer>

// CHECK-LABEL: func.func private @change(
// CHECK-SAME:    i32, i32, i32, i32) -> (i32, i32, i32, i32)
func.func private @change(!tfx_host.ref<i32>, !tfx_host.ref<i32>, !tfx_host.ref<!I>)

// CHECK-LABEL: func.func @disjoint(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: i32, %[[A2:[^ :,#]*]]: i32, %[[A3:[^ :,#]*]]: i32) -> (i32, i32, i32, i32) {
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = tfx_host.var : !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V1:[^ :,#]*]] = tfx_host.var : !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V2:[^ :,#]*]] = tfx_host.var : !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V3:[^ :,#]*]] = tfx_host.var : !tfx_host.ref<i32>
// CHECK-NEXT:    tfx_host.store %[[A0]], %[[V0]] : i32
// CHECK-NEXT:    tfx_host.store %[[A1]], %[[V1]] : i32
// CHECK-NEXT:    tfx_host.store %[[A2]], %[[V2]] : i32
// CHECK-NEXT:    tfx_host.store %[[A3]], %[[V3]] : i32
// CHECK-NEXT:    %[[V4:[^ :,#]*]] = tfx_host.load %[[V1]] : !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V5:[^ :,#]*]] = tfx_host.load %[[V0]] : !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V6:[^ :,#]*]] = tfx_host.load %[[V2]] : !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V7:[^ :,#]*]] = tfx_host.load %[[V3]] : !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V8:[^ :,#]*]]:4 = call @change(%[[V4]], %[[V5]], %[[V6]], %[[V7]]) : (i32, i32, i32, i32) -> (i32, i32, i32, i32)
// CHECK-NEXT:    tfx_host.store %[[V8]]#0, %[[V1]] : i32
// CHECK-NEXT:    tfx_host.store %[[V8]]#1, %[[V0]] : i32
// CHECK-NEXT:    tfx_host.store %[[V8]]#2, %[[V2]] : i32
// CHECK-NEXT:    tfx_host.store %[[V8]]#3, %[[V3]] : i32
// CHECK-NEXT:    %[[V9:[^ :,#]*]] = tfx_host.load %[[V0]] : !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V10:[^ :,#]*]] = tfx_host.load %[[V1]] : !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V11:[^ :,#]*]] = tfx_host.load %[[V2]] : !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V12:[^ :,#]*]] = tfx_host.load %[[V3]] : !tfx_host.ref<i32>
// CHECK-NEXT:    return %[[V9]], %[[V10]], %[[V11]], %[[V12]] : i32, i32, i32, i32
func.func @disjoint(%o: !O) -> !O {
  %v = tfx_host.var : !tfx_host.ref<!O>
  tfx_host.store %o, %v : !O
  %f = tfx_host.field_ref %v["first"] : !tfx_host.ref<!O> -> !tfx_host.ref<!I>
  %s = tfx_host.field_ref %v["second"] : !tfx_host.ref<!O> -> !tfx_host.ref<!I>
  %fa = tfx_host.field_ref %f["a"] : !tfx_host.ref<!I> -> !tfx_host.ref<i32>
  %fb = tfx_host.field_ref %f["b"] : !tfx_host.ref<!I> -> !tfx_host.ref<i32>
  func.call @change(%fb, %fa, %s) : (!tfx_host.ref<i32>, !tfx_host.ref<i32>, !tfx_host.ref<!I>) -> ()
  %r = tfx_host.load %v : !tfx_host.ref<!O>
  return %r : !O
}

// -----

// A closure that stays takes the value and returns the new one, too; a bound variable is shared, so it stays a reference.

// CHECK-LABEL: func.func @closure(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: f32) -> (i32, f32) {
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = tfx_host.var : !tfx_host.ref<f32>
// CHECK-NEXT:    tfx_host.store %[[A1]], %[[V0]] : f32
// CHECK-NEXT:    %[[V1:[^ :,#]*]] = tfx_host.var : !tfx_host.ref<i32>
// CHECK-NEXT:    tfx_host.store %[[A0]], %[[V1]] : i32
// CHECK-NEXT:    %[[V2:[^ :,#]*]] = tfx_host.closure @both(%[[V0]]) : (!tfx_host.ref<f32>) -> !tfx_host.closure<(i32) -> (i1, i32)>
// CHECK-NEXT:    %[[V3:[^ :,#]*]] = tfx_host.load %[[V1]] : !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V4:[^ :,#]*]]:2 = tfx_host.apply %[[V2]](%[[V3]]) : !tfx_host.closure<(i32) -> (i1, i32)>
// CHECK-NEXT:    tfx_host.store %[[V4]]#1, %[[V1]] : i32
// CHECK-NEXT:    %[[V5:[^ :,#]*]] = tfx_host.load %[[V1]] : !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V6:[^ :,#]*]] = tfx_host.load %[[V0]] : !tfx_host.ref<f32>
// CHECK-NEXT:    return %[[V5]], %[[V6]] : i32, f32
func.func @closure(%x: i32, %y: f32) -> (i32, f32) {
  %shared = tfx_host.var : !tfx_host.ref<f32>
  tfx_host.store %y, %shared : f32
  %v = tfx_host.var : !tfx_host.ref<i32>
  tfx_host.store %x, %v : i32
  %c = tfx_host.closure @both(%shared) : (!tfx_host.ref<f32>) -> !tfx_host.closure<(!tfx_host.ref<i32>) -> i1>
  %p = tfx_host.apply %c(%v) : !tfx_host.closure<(!tfx_host.ref<i32>) -> i1>
  %a = tfx_host.load %v : !tfx_host.ref<i32>
  %b = tfx_host.load %shared : !tfx_host.ref<f32>
  return %a, %b : i32, f32
}

// CHECK-LABEL: func.func private @both(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: !tfx_host.ref<f32>, %[[A1:[^ :,#]*]]: i32) -> (i1, i32) {
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = tfx_host.var : !tfx_host.ref<i32>
// CHECK-NEXT:    tfx_host.store %[[A1]], %[[V0]] : i32
// CHECK-NEXT:    %[[V1:[^ :,#]*]] = tfx_host.load %[[V0]] : !tfx_host.ref<i32>
// CHECK-NEXT:    %[[V2:[^ :,#]*]] = arith.sitofp %[[V1]] : i32 to f32
// CHECK-NEXT:    tfx_host.store %[[V2]], %[[A0]] : f32
// CHECK-NEXT:    %[[VTRUE:[^ :,#]*]] = arith.constant true
// CHECK-NEXT:    %[[V3:[^ :,#]*]] = tfx_host.load %[[V0]] : !tfx_host.ref<i32>
// CHECK-NEXT:    return %[[VTRUE]], %[[V3]] : i1, i32
func.func private @both(%shared: !tfx_host.ref<f32>, %v: !tfx_host.ref<i32>) -> i1 {
  %x = tfx_host.load %v : !tfx_host.ref<i32>
  %f = arith.sitofp %x : i32 to f32
  tfx_host.store %f, %shared : f32
  %t = arith.constant true
  return %t : i1
}
