// Arrays: of aggregates, in tfx-scalarize; replaced by their elements, in tfx-resolve.
//
// RUN: split-file %s %t
// RUN: tfx-opt %t/scalarize.mlir --pass-pipeline='builtin.module(tfx-scalarize)' --split-input-file | FileCheck %t/scalarize.mlir --implicit-check-not=tfx_host.struct --implicit-check-not=tuple
// RUN: tfx-opt %t/resolve.mlir --pass-pipeline='builtin.module(tfx-resolve)' --split-input-file | FileCheck %t/resolve.mlir --implicit-check-not=tfx_host.array
// RUN: tfx-opt %t/deabstract.mlir --tfx-deabstract --split-input-file | FileCheck %t/deabstract.mlir --implicit-check-not=tfx_host.array --implicit-check-not=tfx_host.var --implicit-check-not=closure
// RUN: tfx-opt %t/stays.mlir --tfx-deabstract --split-input-file --verify-diagnostics

//--- scalarize.mlir

// An array of structs is one array for each leaf; so is an array in a struct, and an array of arrays.

tfx_host.struct @Point {x: i32, y: f32}
tfx_host.struct @Path {points: !tfx_host.array<!tfx_host.struct<@Point>>, closed: i1}
!P = !tfx_host.struct<@Point>
!Path = !tfx_host.struct<@Path>

// CHECK-LABEL: func.func @literal(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: f32, %[[A2:[^ :,#]*]]: i32, %[[A3:[^ :,#]*]]: f32, %[[A4:[^ :,#]*]]: i1) -> (!tfx_host.array<i32>, !tfx_host.array<f32>, i1) {
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = tfx_host.array(%[[A0]], %[[A2]]) : !tfx_host.array<i32>
// CHECK-NEXT:    %[[V1:[^ :,#]*]] = tfx_host.array(%[[A1]], %[[A3]]) : !tfx_host.array<f32>
// CHECK-NEXT:    return %[[V0]], %[[V1]], %[[A4]] : !tfx_host.array<i32>, !tfx_host.array<f32>, i1
func.func @literal(%p: !P, %q: !P, %c: i1) -> !Path {
  %l = tfx_host.array(%p, %q) : !tfx_host.array<!P>
  %r = tfx_host.make_struct(%l, %c) : (!tfx_host.array<!P>, i1) -> !Path
  return %r : !Path
}

// CHECK-LABEL: func.func @read(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: !tfx_host.array<i32>, %[[A1:[^ :,#]*]]: !tfx_host.array<f32>, %[[A2:[^ :,#]*]]: i1, %[[A3:[^ :,#]*]]: index) -> (f32, index) {
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = tfx_host.array_get %[[A0]][%[[A3]]] : !tfx_host.array<i32>
// CHECK-NEXT:    %[[V1:[^ :,#]*]] = tfx_host.array_get %[[A1]][%[[A3]]] : !tfx_host.array<f32>
// CHECK-NEXT:    %[[V2:[^ :,#]*]] = tfx_host.array_count %[[A0]] : !tfx_host.array<i32>
// CHECK-NEXT:    return %[[V1]], %[[V2]] : f32, index
func.func @read(%p: !Path, %i: index) -> (f32, index) {
  %l = tfx_host.extract %p["points"] : !Path -> !tfx_host.array<!P>
  %e = tfx_host.array_get %l[%i] : !tfx_host.array<!P>
  %y = tfx_host.extract %e["y"] : !P -> f32
  %n = tfx_host.array_count %l : !tfx_host.array<!P>
  return %y, %n : f32, index
}

// CHECK-LABEL: func.func @nested(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: f32) -> (!tfx_host.array<!tfx_host.array<i32>>, !tfx_host.array<!tfx_host.array<f32>>) {
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = tfx_host.array(%[[A0]]) : !tfx_host.array<i32>
// CHECK-NEXT:    %[[V1:[^ :,#]*]] = tfx_host.array(%[[A1]]) : !tfx_host.array<f32>
// CHECK-NEXT:    %[[V2:[^ :,#]*]] = tfx_host.array(%[[V0]], %[[V0]]) : !tfx_host.array<!tfx_host.array<i32>>
// CHECK-NEXT:    %[[V3:[^ :,#]*]] = tfx_host.array(%[[V1]], %[[V1]]) : !tfx_host.array<!tfx_host.array<f32>>
// CHECK-NEXT:    return %[[V2]], %[[V3]] : !tfx_host.array<!tfx_host.array<i32>>, !tfx_host.array<!tfx_host.array<f32>>
func.func @nested(%p: !P) -> !tfx_host.array<!tfx_host.array<!P>> {
  %l = tfx_host.array(%p) : !tfx_host.array<!P>
  %m = tfx_host.array(%l, %l) : !tfx_host.array<!tfx_host.array<!P>>
  return %m : !tfx_host.array<!tfx_host.array<!P>>
}

// -----

// An array of empty structs or tuples keeps its number of elements.

tfx_host.struct @Unit {}
!U = !tfx_host.struct<@Unit>

// CHECK-LABEL: func.func @count(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: !tfx_host.array<i1>) -> index {
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = tfx_host.array_count %[[A0]] : !tfx_host.array<i1>
// CHECK-NEXT:    return %[[V0]] : index
func.func @count(%l: !tfx_host.array<!U>) -> index {
  %n = tfx_host.array_count %l : !tfx_host.array<!U>
  return %n : index
}

// CHECK-LABEL: func.func @units(
// CHECK-SAME:    ) -> !tfx_host.array<i1> {
// CHECK-NEXT:    %[[VFALSE:[^ :,#]*]] = arith.constant false
// CHECK-NEXT:    %[[VFALSE0:[^ :,#]*]] = arith.constant false
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = tfx_host.array(%[[VFALSE]], %[[VFALSE0]]) : !tfx_host.array<i1>
// CHECK-NEXT:    return %[[V0]] : !tfx_host.array<i1>
func.func @units() -> !tfx_host.array<!U> {
  %u = tfx_host.make_struct() : () -> !U
  %l = tfx_host.array(%u, %u) : !tfx_host.array<!U>
  return %l : !tfx_host.array<!U>
}

// CHECK-LABEL: func.func @no_elements(
// CHECK-SAME:    ) -> (!tfx_host.array<i32>, !tfx_host.array<f32>) {
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = tfx_host.array() : !tfx_host.array<i32>
// CHECK-NEXT:    %[[V1:[^ :,#]*]] = tfx_host.array() : !tfx_host.array<f32>
// CHECK-NEXT:    return %[[V0]], %[[V1]] : !tfx_host.array<i32>, !tfx_host.array<f32>
func.func @no_elements() -> !tfx_host.array<tuple<i32, f32>> {
  %l = tfx_host.array() : !tfx_host.array<tuple<i32, f32>>
  return %l : !tfx_host.array<tuple<i32, f32>>
}

// -----

// Through a variable, a branch and a call.

!T = tuple<i32, f32>
!L = !tfx_host.array<!T>

// CHECK-LABEL: func.func @through(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: !tfx_host.array<i32>, %[[A1:[^ :,#]*]]: !tfx_host.array<f32>, %[[A2:[^ :,#]*]]: !tfx_host.array<i32>, %[[A3:[^ :,#]*]]: !tfx_host.array<f32>, %[[A4:[^ :,#]*]]: i1) -> (!tfx_host.array<i32>, !tfx_host.array<f32>) {
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = tfx_host.var : !tfx_host.ref<!tfx_host.array<i32>>
// CHECK-NEXT:    %[[V1:[^ :,#]*]] = tfx_host.var : !tfx_host.ref<!tfx_host.array<f32>>
// CHECK-NEXT:    cf.cond_br %[[A4]], ^[[BB1:bb[0-9]+]](%[[A0]], %[[A1]] : !tfx_host.array<i32>, !tfx_host.array<f32>), ^[[BB1]](%[[A2]], %[[A3]] : !tfx_host.array<i32>, !tfx_host.array<f32>)
// CHECK-NEXT:  ^[[BB1]](%[[V2:[^ :,#]*]]: !tfx_host.array<i32>, %[[V3:[^ :,#]*]]: !tfx_host.array<f32>):
// CHECK-NEXT:    tfx_host.store %[[V2]], %[[V0]] : !tfx_host.array<i32>
// CHECK-NEXT:    tfx_host.store %[[V3]], %[[V1]] : !tfx_host.array<f32>
// CHECK-NEXT:    %[[V4:[^ :,#]*]] = tfx_host.load %[[V0]] : !tfx_host.ref<!tfx_host.array<i32>>
// CHECK-NEXT:    %[[V5:[^ :,#]*]] = tfx_host.load %[[V1]] : !tfx_host.ref<!tfx_host.array<f32>>
// CHECK-NEXT:    %[[V6:[^ :,#]*]]:2 = call @same(%[[V4]], %[[V5]]) : (!tfx_host.array<i32>, !tfx_host.array<f32>) -> (!tfx_host.array<i32>, !tfx_host.array<f32>)
// CHECK-NEXT:    return %[[V6]]#0, %[[V6]]#1 : !tfx_host.array<i32>, !tfx_host.array<f32>
func.func @through(%l: !L, %m: !L, %c: i1) -> !L {
  %v = tfx_host.var : !tfx_host.ref<!L>
  cf.cond_br %c, ^join(%l : !L), ^join(%m : !L)
^join(%a: !L):
  tfx_host.store %a, %v : !L
  %b = tfx_host.load %v : !tfx_host.ref<!L>
  %r = func.call @same(%b) : (!L) -> !L
  return %r : !L
}
// CHECK-LABEL: func.func private @same(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: !tfx_host.array<i32>, %[[A1:[^ :,#]*]]: !tfx_host.array<f32>) -> (!tfx_host.array<i32>, !tfx_host.array<f32>) {
// CHECK-NEXT:    return %[[A0]], %[[A1]] : !tfx_host.array<i32>, !tfx_host.array<f32>
func.func private @same(%l: !L) -> !L {
  return %l : !L
}
//--- resolve.mlir

// A constant index selects the element; the count is a constant.

// CHECK-LABEL: func.func @constants(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: i32) -> (i32, index) {
// CHECK-NEXT:    %[[C2:[^ :,#]*]] = arith.constant 2 : index
// CHECK-NEXT:    return %[[A1]], %[[C2]] : i32, index
func.func @constants(%x: i32, %y: i32) -> (i32, index) {
  %i1 = arith.constant 1 : index
  %a = tfx_host.array(%x, %y) : !tfx_host.array<i32>
  %e = tfx_host.array_get %a[%i1] : !tfx_host.array<i32>
  %n = tfx_host.array_count %a : !tfx_host.array<i32>
  return %e, %n : i32, index
}

// -----

// Any other index becomes a switch, which aborts if the index is out of bounds; so does a constant index that is out of bounds.

// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: i32, %[[A2:[^ :,#]*]]: index) -> i32 {
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = arith.index_cast %[[A2]] : index to i64
// CHECK-NEXT:    cf.switch %[[V0]] : i64, [
// CHECK-NEXT:    default: ^[[BB1:bb[0-9]+]],
// CHECK-NEXT:    0: ^[[BB2:bb[0-9]+]](%[[A0]] : i32),
// CHECK-NEXT:    1: ^[[BB2]](%[[A1]] : i32)
// CHECK-NEXT:    ]
// CHECK-NEXT:  ^[[BB1]]:
// CHECK-NEXT:    tfx_host.abort "index is out of bounds of an array of 2 elements"
// CHECK-NEXT:    tfx_host.unreachable
// CHECK-NEXT:  ^[[BB2]](%[[V1:[^ :,#]*]]: i32):
// CHECK-NEXT:    %[[V2:[^ :,#]*]] = arith.addi %[[V1]], %[[A0]] : i32
// CHECK-NEXT:    return %[[V2]] : i32
func.func @dynamic(%x: i32, %y: i32, %i: index) -> i32 {
  %a = tfx_host.array(%x, %y) : !tfx_host.array<i32>
  %e = tfx_host.array_get %a[%i] : !tfx_host.array<i32>
  %f = arith.addi %e, %x : i32
  return %f : i32
}

// CHECK-LABEL: func.func @outside(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32) -> i32 {
// CHECK-NEXT:    %[[C1:[^ :,#]*]] = arith.constant 1 : index
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = arith.index_cast %[[C1]] : index to i64
// CHECK-NEXT:    cf.switch %[[V0]] : i64, [
// CHECK-NEXT:    default: ^[[BB1:bb[0-9]+]],
// CHECK-NEXT:    0: ^[[BB2:bb[0-9]+]](%[[A0]] : i32)
// CHECK-NEXT:    ]
// CHECK-NEXT:  ^[[BB1]]:
// CHECK-NEXT:    tfx_host.abort "index is out of bounds of an array of 1 element
// CHECK-NEXT:    tfx_host.unreachable
// CHECK-NEXT:  ^[[BB2]](%[[V1:[^ :,#]*]]: i32):
// CHECK-NEXT:    return %[[V1]] : i32
func.func @outside(%x: i32) -> i32 {
  %i1 = arith.constant 1 : index
  %a = tfx_host.array(%x) : !tfx_host.array<i32>
  %e = tfx_host.array_get %a[%i1] : !tfx_host.array<i32>
  return %e : i32
}

// CHECK-LABEL: func.func @negative(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32) -> i32 {
// CHECK-NEXT:    %[[CM1:[^ :,#]*]] = arith.constant -1 : index
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = arith.index_cast %[[CM1]] : index to i64
// CHECK-NEXT:    cf.switch %[[V0]] : i64, [
// CHECK-NEXT:    default: ^[[BB1:bb[0-9]+]],
// CHECK-NEXT:    0: ^[[BB2:bb[0-9]+]](%[[A0]] : i32)
// CHECK-NEXT:    ]
// CHECK-NEXT:  ^[[BB1]]:
// CHECK-NEXT:    tfx_host.abort "index is out of bounds of an array of 1 element
// CHECK-NEXT:    tfx_host.unreachable
// CHECK-NEXT:  ^[[BB2]](%[[V1:[^ :,#]*]]: i32):
// CHECK-NEXT:    return %[[V1]] : i32
func.func @negative(%x: i32) -> i32 {
  %i = arith.constant -1 : index
  %a = tfx_host.array(%x) : !tfx_host.array<i32>
  %e = tfx_host.array_get %a[%i] : !tfx_host.array<i32>
  return %e : i32
}

// CHECK-LABEL: func.func @empty(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: index) -> i32 {
// CHECK-NEXT:    tfx_host.abort "index is out of bounds of an array of 0 elements"
// CHECK-NEXT:    tfx_host.unreachable
func.func @empty(%i: index) -> i32 {
  %a = tfx_host.array() : !tfx_host.array<i32>
  %e = tfx_host.array_get %a[%i] : !tfx_host.array<i32>
  return %e : i32
}

// -----

// Two reads in one block, the first with a constant index: the operations between them stay in place.

// CHECK-LABEL: func.func @two_reads(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: i32, %[[A2:[^ :,#]*]]: index) -> i32 {
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = arith.index_cast %[[A2]] : index to i64
// CHECK-NEXT:    cf.switch %[[V0]] : i64, [
// CHECK-NEXT:    default: ^[[BB1:bb[0-9]+]],
// CHECK-NEXT:    0: ^[[BB2:bb[0-9]+]](%[[A0]] : i32),
// CHECK-NEXT:    1: ^[[BB2]](%[[A1]] : i32)
// CHECK-NEXT:    ]
// CHECK-NEXT:  ^[[BB1]]:
// CHECK-NEXT:    tfx_host.abort "index is out of bounds of an array of 2 elements"
// CHECK-NEXT:    tfx_host.unreachable
// CHECK-NEXT:  ^[[BB2]](%[[V1:[^ :,#]*]]: i32):
// CHECK-NEXT:    tfx_host.print "between"()
// CHECK-NEXT:    %[[V2:[^ :,#]*]] = arith.index_cast %[[A2]] : index to i64
// CHECK-NEXT:    cf.switch %[[V2]] : i64, [
// CHECK-NEXT:    default: ^[[BB3:bb[0-9]+]],
// CHECK-NEXT:    0: ^[[BB4:bb[0-9]+]](%[[A0]] : i32),
// CHECK-NEXT:    1: ^[[BB4]](%[[A1]] : i32)
// CHECK-NEXT:    ]
// CHECK-NEXT:  ^[[BB3]]:
// CHECK-NEXT:    tfx_host.abort "index is out of bounds of an array of 2 elements"
// CHECK-NEXT:    tfx_host.unreachable
// CHECK-NEXT:  ^[[BB4]](%[[V3:[^ :,#]*]]: i32):
// CHECK-NEXT:    %[[V4:[^ :,#]*]] = arith.addi %[[V1]], %[[V3]] : i32
// CHECK-NEXT:    %[[V5:[^ :,#]*]] = arith.addi %[[V4]], %[[A0]] : i32
// CHECK-NEXT:    return %[[V5]] : i32
func.func @two_reads(%x: i32, %y: i32, %i: index) -> i32 {
  %i0 = arith.constant 0 : index
  %a = tfx_host.array(%x, %y) : !tfx_host.array<i32>
  %e = tfx_host.array_get %a[%i] : !tfx_host.array<i32>
  tfx_host.print "between"()
  %f = tfx_host.array_get %a[%i] : !tfx_host.array<i32>
  %g = tfx_host.array_get %a[%i0] : !tfx_host.array<i32>
  %s = arith.addi %e, %f : i32
  %t = arith.addi %s, %g : i32
  return %t : i32
}

// -----

// Arrays of one length through branches: a block argument for each element that is read.

// CHECK-LABEL: func.func @branches(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i1, %[[A1:[^ :,#]*]]: i32, %[[A2:[^ :,#]*]]: i32) -> i32 {
// CHECK-NEXT:    cf.cond_br %[[A0]], ^[[BB1:bb[0-9]+]](%[[A2]] : i32), ^[[BB1]](%[[A1]] : i32)
// CHECK-NEXT:  ^[[BB1]](%[[V0:[^ :,#]*]]: i32):
// CHECK-NEXT:    return %[[V0]] : i32
func.func @branches(%p: i1, %x: i32, %y: i32) -> i32 {
  %i1 = arith.constant 1 : index
  %a = tfx_host.array(%x, %y) : !tfx_host.array<i32>
  %b = tfx_host.array(%y, %x) : !tfx_host.array<i32>
  cf.cond_br %p, ^join(%a : !tfx_host.array<i32>), ^join(%b : !tfx_host.array<i32>)
^join(%c: !tfx_host.array<i32>):
  %e = tfx_host.array_get %c[%i1] : !tfx_host.array<i32>
  return %e : i32
}

// A loop replaces the array in each iteration; another argument is unchanged.

// CHECK-LABEL: func.func @loop(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: i32, %[[A2:[^ :,#]*]]: i32) -> i32 {
// CHECK-NEXT:    %[[C0I32:[^ :,#]*]] = arith.constant 0 : i32
// CHECK-NEXT:    %[[C1I32:[^ :,#]*]] = arith.constant 1 : i32
// CHECK-NEXT:    cf.br ^[[BB1:bb[0-9]+]](%[[C0I32]], %[[A1]], %[[A2]] : i32, i32, i32)
// CHECK-NEXT:  ^[[BB1]](%[[V0:[^ :,#]*]]: i32, %[[V1:[^ :,#]*]]: i32, %[[V2:[^ :,#]*]]: i32):
// CHECK-NEXT:    %[[V3:[^ :,#]*]] = arith.cmpi slt, %[[V0]], %[[A0]] : i32
// CHECK-NEXT:    %[[V4:[^ :,#]*]] = arith.addi %[[V0]], %[[C1I32]] : i32
// CHECK-NEXT:    %[[V5:[^ :,#]*]] = arith.addi %[[V1]], %[[V2]] : i32
// CHECK-NEXT:    cf.cond_br %[[V3]], ^[[BB1]](%[[V4]], %[[V2]], %[[V5]] : i32, i32, i32), ^[[BB2:bb[0-9]+]]
// CHECK-NEXT:  ^[[BB2]]:
// CHECK-NEXT:    return %[[V1]] : i32
func.func @loop(%n: i32, %x: i32, %y: i32) -> i32 {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a = tfx_host.array(%x, %y) : !tfx_host.array<i32>
  cf.br ^header(%a, %zero : !tfx_host.array<i32>, i32)
^header(%l: !tfx_host.array<i32>, %k: i32):
  %e = tfx_host.array_get %l[%i0] : !tfx_host.array<i32>
  %f = tfx_host.array_get %l[%i1] : !tfx_host.array<i32>
  %more = arith.cmpi slt, %k, %n : i32
  %k1 = arith.addi %k, %one : i32
  %s = arith.addi %e, %f : i32
  %m = tfx_host.array(%f, %s) : !tfx_host.array<i32>
  cf.cond_br %more, ^header(%m, %k1 : !tfx_host.array<i32>, i32), ^exit
^exit:
  return %e : i32
}

// -----

// Nested arrays: each round resolves one level.

// CHECK-LABEL: func.func @nested(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: i32, %[[A2:[^ :,#]*]]: i32, %[[A3:[^ :,#]*]]: index) -> i32 {
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = arith.index_cast %[[A3]] : index to i64
// CHECK-NEXT:    cf.switch %[[V0]] : i64, [
// CHECK-NEXT:    default: ^[[BB1:bb[0-9]+]],
// CHECK-NEXT:    0: ^[[BB2:bb[0-9]+]](%[[A0]] : i32),
// CHECK-NEXT:    1: ^[[BB2]](%[[A1]] : i32)
// CHECK-NEXT:    ]
// CHECK-NEXT:  ^[[BB1]]:
// CHECK-NEXT:    tfx_host.abort "index is out of bounds of an array of 2 elements"
// CHECK-NEXT:    tfx_host.unreachable
// CHECK-NEXT:  ^[[BB2]](%[[V1:[^ :,#]*]]: i32):
// CHECK-NEXT:    return %[[V1]] : i32
func.func @nested(%x: i32, %y: i32, %z: i32, %i: index) -> i32 {
  %i0 = arith.constant 0 : index
  %a = tfx_host.array(%x, %y) : !tfx_host.array<i32>
  %b = tfx_host.array(%y, %z) : !tfx_host.array<i32>
  %m = tfx_host.array(%a, %b) : !tfx_host.array<!tfx_host.array<i32>>
  %r = tfx_host.array_get %m[%i] : !tfx_host.array<!tfx_host.array<i32>>
  %e = tfx_host.array_get %r[%i0] : !tfx_host.array<i32>
  return %e : i32
}
//--- deabstract.mlir

// Arrays in structs in variables, replaced in a loop by an inout method: only block arguments for the elements remain.

tfx_host.struct @Model {w: !tfx_host.array<f32>, n: i32}
!M = !tfx_host.struct<@Model>
!L = !tfx_host.array<f32>

// CHECK-LABEL: func.func @renewed(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: f32, %[[A1:[^ :,#]*]]: f32, %[[A2:[^ :,#]*]]: i1) -> f32 {
// CHECK-NEXT:    cf.br ^[[BB1:bb[0-9]+]](%[[A0]], %[[A1]] : f32, f32)
// CHECK-NEXT:  ^[[BB1]](%[[V0:[^ :,#]*]]: f32, %[[V1:[^ :,#]*]]: f32):
// CHECK-NEXT:    cf.cond_br %[[A2]], ^[[BB1]](%[[V1]], %[[V0]] : f32, f32), ^[[BB2:bb[0-9]+]]
// CHECK-NEXT:  ^[[BB2]]:
// CHECK-NEXT:    return %[[V1]] : f32
func.func @renewed(%a: f32, %b: f32, %go: i1) -> f32 {
  %i0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %l = tfx_host.array(%a, %b) : !L
  %m = tfx_host.make_struct(%l, %zero) : (!L, i32) -> !M
  %v = tfx_host.var : !tfx_host.ref<!M>
  tfx_host.store %m, %v : !M
  cf.br ^header
^header:
  %r = tfx_host.field_ref %v["w"] : !tfx_host.ref<!M> -> !tfx_host.ref<!L>
  func.call @turn(%r) : (!tfx_host.ref<!L>) -> ()
  cf.cond_br %go, ^header, ^exit
^exit:
  %w = tfx_host.load %r : !tfx_host.ref<!L>
  %x = tfx_host.array_get %w[%i0] : !L
  return %x : f32
}
func.func private @turn(%r: !tfx_host.ref<!L>) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %l = tfx_host.load %r : !tfx_host.ref<!L>
  %a = tfx_host.array_get %l[%i0] : !L
  %b = tfx_host.array_get %l[%i1] : !L
  %m = tfx_host.array(%b, %a) : !L
  tfx_host.store %m, %r : !L
  return
}

// -----

// Closures in an array, with a dynamic index: their captures, and a switch between calls that are inlined.

// CHECK-LABEL: func.func @closures(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: i32, %[[A2:[^ :,#]*]]: index) -> i32 {
// CHECK-NEXT:    %[[C0I32:[^ :,#]*]] = arith.constant 0 : i32
// CHECK-NEXT:    %[[C1I32:[^ :,#]*]] = arith.constant 1 : i32
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = arith.index_cast %[[A2]] : index to i64
// CHECK-NEXT:    cf.switch %[[V0]] : i64, [
// CHECK-NEXT:    default: ^[[BB1:bb[0-9]+]],
// CHECK-NEXT:    0: ^[[BB2:bb[0-9]+]](%[[C0I32]], %[[A0]] : i32, i32),
// CHECK-NEXT:    1: ^[[BB2]](%[[C1I32]], %[[A1]] : i32, i32)
// CHECK-NEXT:    ]
// CHECK-NEXT:  ^[[BB1]]:
// CHECK-NEXT:    tfx_host.abort "index is out of bounds of an array of 2 elements"
// CHECK-NEXT:    tfx_host.unreachable
// CHECK-NEXT:  ^[[BB2]](%[[V1:[^ :,#]*]]: i32, %[[V2:[^ :,#]*]]: i32):
// CHECK-NEXT:    cf.switch %[[V1]] : i32, [
// CHECK-NEXT:    default: ^[[BB4:bb[0-9]+]],
// CHECK-NEXT:    0: ^[[BB3:bb[0-9]+]]
// CHECK-NEXT:    ]
// CHECK-NEXT:  ^[[BB3]]:
// CHECK-NEXT:    %[[V3:[^ :,#]*]] = call @plus(%[[V2]], %[[A1]]) : (i32, i32) -> i32
// CHECK-NEXT:    cf.br ^[[BB5:bb[0-9]+]](%[[V3]] : i32)
// CHECK-NEXT:  ^[[BB4]]:
// CHECK-NEXT:    %[[V4:[^ :,#]*]] = call @times(%[[V2]], %[[A1]]) : (i32, i32) -> i32
// CHECK-NEXT:    cf.br ^[[BB5]](%[[V4]] : i32)
// CHECK-NEXT:  ^[[BB5]](%[[V5:[^ :,#]*]]: i32):
// CHECK-NEXT:    return %[[V5]] : i32
func.func @closures(%x: i32, %y: i32, %i: index) -> i32 {
  %f = tfx_host.closure @plus(%x) : (i32) -> !tfx_host.closure<(i32) -> i32>
  %g = tfx_host.closure @times(%y) : (i32) -> !tfx_host.closure<(i32) -> i32>
  %l = tfx_host.array(%f, %g) : !tfx_host.array<!tfx_host.closure<(i32) -> i32>>
  %h = tfx_host.array_get %l[%i] : !tfx_host.array<!tfx_host.closure<(i32) -> i32>>
  %r = tfx_host.apply %h(%y) : !tfx_host.closure<(i32) -> i32>
  return %r : i32
}
// CHECK-LABEL: func.func private @plus(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: i32) -> i32 {
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = arith.addi %[[A0]], %[[A1]] : i32
// CHECK-NEXT:    return %[[V0]] : i32
func.func private @plus(%a: i32, %b: i32) -> i32 {
  %c = arith.addi %a, %b : i32
  return %c : i32
}
// CHECK-LABEL: func.func private @times(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i32, %[[A1:[^ :,#]*]]: i32) -> i32 {
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = arith.muli %[[A0]], %[[A1]] : i32
// CHECK-NEXT:    return %[[V0]] : i32
func.func private @times(%a: i32, %b: i32) -> i32 {
  %c = arith.muli %a, %b : i32
  return %c : i32
}

// -----

// An array is an attribute, and is read after a branch: each use has its own array.

// CHECK-LABEL: func.func @attribute_too(
// CHECK-SAME:    %[[A0:[^ :,#]*]]: i1, %[[A1:[^ :,#]*]]: tensor<1x4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:    %[[V0:[^ :,#]*]] = tfx_tensor.op "Squeeze"(%[[A1]]) {squeeze_dims = [0]} : (tensor<1x4xf32>) -> tensor<4xf32>
// CHECK-NEXT:    cf.cond_br %[[A0]], ^[[BB1:bb[0-9]+]], ^[[BB2:bb[0-9]+]]
// CHECK-NEXT:  ^[[BB1]]:
// CHECK-NEXT:    %[[C1:[^ :,#]*]] = arith.constant 1 : index
// CHECK-NEXT:    tfx_host.print "{}"(%[[C1]]) : index
// CHECK-NEXT:    cf.br ^[[BB2]]
// CHECK-NEXT:  ^[[BB2]]:
// CHECK-NEXT:    return %[[V0]] : tensor<4xf32>
func.func @attribute_too(%p: i1, %x: tensor<1x4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0 : i32
  %a = tfx_host.array(%zero) : !tfx_host.array<i32>
  %y = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %a : !tfx_host.array<i32>) : (tensor<1x4xf32>) -> tensor<4xf32>
  cf.cond_br %p, ^read(%a : !tfx_host.array<i32>), ^exit
^read(%b: !tfx_host.array<i32>):
  %n = tfx_host.array_count %b : !tfx_host.array<i32>
  tfx_host.print "{}"(%n) : index
  cf.br ^exit
^exit:
  return %y : tensor<4xf32>
}

//--- stays.mlir

// Arrays of different lengths in one value: it stays on the host, with all its reads.

func.func @lengths(%p: i1, %x: i32, %i: index) -> (i32, index) {
  // expected-remark @below {{array stays on the host, because not all of its uses are known at compile time; an array whose elements are only read would be removed}}
  %a = tfx_host.array(%x) : !tfx_host.array<i32>
  // expected-remark @below {{array stays on the host}}
  %b = tfx_host.array(%x, %x) : !tfx_host.array<i32>
  // expected-note @below {{here it is merged with values of unknown origin}}
  cf.cond_br %p, ^join(%a : !tfx_host.array<i32>), ^join(%b : !tfx_host.array<i32>)
// expected-note @below {{it comes from here}}
^join(%c: !tfx_host.array<i32>):
  // expected-remark @below {{read of an array that is known only at run time stays on the host}}
  %e = tfx_host.array_get %c[%i] : !tfx_host.array<i32>
  // expected-remark @below {{read of an array that is known only at run time stays on the host}}
  %n = tfx_host.array_count %c : !tfx_host.array<i32>
  return %e, %n : i32, index
}

// -----

// An array that an object holds, or that is returned; reads of the literal itself are resolved, so they are not reported.

tfx_host.class @Keeper {l: !tfx_host.array<i32>}
func.func @kept(%x: i32) -> (i32, !tfx_host.array<i32>) {
  %i0 = arith.constant 0 : index
  // expected-remark @below {{array stays on the host}}
  %a = tfx_host.array(%x) : !tfx_host.array<i32>
  %e = tfx_host.array_get %a[%i0] : !tfx_host.array<i32>
  // expected-note @below {{an object holds it}}
  // expected-remark @below {{class instance stays on the host}}
  %k = tfx_host.new(%a) : (!tfx_host.array<i32>) -> !tfx_host.object<@Keeper>
  // expected-remark @below {{array stays on the host}}
  %b = tfx_host.array(%e, %e) : !tfx_host.array<i32>
  // expected-note @below {{it is returned here}}
  return %e, %b : i32, !tfx_host.array<i32>
}
