// Code for calls within a process can be cancelled in each iteration of a loop. Other code has no safe points.
//
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-lower-host{in-process=true})' | FileCheck %s
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-lower-host)' | FileCheck %s --check-prefix=EXECUTABLE
//
// EXECUTABLE-NOT: tfx_poll
// EXECUTABLE-NOT: tfx_enter

// Of two nested loops, each has one, at the branch that goes back.

// CHECK-LABEL: func.func @nested
// CHECK-NOT:     tfx_poll
// CHECK:       ^bb2
// CHECK:         %[[INNER:.*]] = llvm.mlir.addressof @tfx.string
// CHECK-NEXT:    call @tfx_poll(%[[INNER]])
// CHECK-NEXT:    cf.cond_br
// CHECK:       ^bb3
// CHECK:         call @tfx_poll
// CHECK-NEXT:    cf.br ^bb1
// CHECK:       ^bb4
// CHECK-NOT:     tfx_poll
func.func @nested(%n: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  cf.br ^outer(%zero : i64)
^outer(%i: i64):
  %more = arith.cmpi slt, %i, %n : i64
  cf.cond_br %more, ^inner(%zero : i64), ^done
^inner(%j: i64):
  %k = arith.addi %j, %one : i64
  %again = arith.cmpi slt, %k, %n : i64
  cf.cond_br %again, ^inner(%k : i64), ^next
^next:
  %m = arith.addi %i, %one : i64
  cf.br ^outer(%m : i64)
^done:
  return %n : i64
}

// A cycle with two entries has one.

// CHECK-LABEL: func.func @irreducible
// CHECK-COUNT-1: call @tfx_poll
// CHECK-NOT:     tfx_poll
func.func @irreducible(%c: i1, %d: i1) -> i64 {
  %one = arith.constant 1 : i64
  cf.cond_br %c, ^a, ^b
^a:
  cf.br ^b
^b:
  cf.cond_br %d, ^a, ^done
^done:
  return %one : i64
}

// Branches that join are no loop.

// CHECK-LABEL: func.func @diamond
// CHECK-NOT:     tfx_poll
func.func @diamond(%c: i1) -> i64 {
  %one = arith.constant 1 : i64
  cf.cond_br %c, ^a, ^b
^a:
  cf.br ^join
^b:
  cf.br ^join
^join:
  return %one : i64
}

// A function that calls itself checks the stack first: also through another one, and through a
// closure. Others do not.

// CHECK-LABEL: func.func @itself
// CHECK-NEXT:    %[[ITSELF:.*]] = llvm.mlir.addressof @tfx.string
// CHECK-NEXT:    call @tfx_enter(%[[ITSELF]])
func.func @itself(%n: i64) -> i64 {
  %r = func.call @itself(%n) : (i64) -> i64
  return %r : i64
}

// CHECK-LABEL: func.func {{.*}}@even
// CHECK:         call @tfx_enter
// CHECK-LABEL: func.func {{.*}}@odd
// CHECK:         call @tfx_enter
func.func private @even(%n: i64) -> i64 {
  %r = func.call @odd(%n) : (i64) -> i64
  return %r : i64
}
func.func private @odd(%n: i64) -> i64 {
  %r = func.call @even(%n) : (i64) -> i64
  return %r : i64
}

// CHECK-LABEL: func.func {{.*}}@applies
// CHECK:         call @tfx_enter
// CHECK-LABEL: func.func {{.*}}@closed
// CHECK:         call @tfx_enter
!F = !tfx_host.closure<escaping (i64) -> i64>
func.func private @applies(%f: !F, %n: i64) -> i64 {
  %r = tfx_host.apply %f(%n) : !F
  return %r : i64
}
func.func private @closed(%f: !F, %n: i64) -> i64 {
  %g = tfx_host.closure @closed(%f) : (!F) -> !F
  %r = func.call @applies(%g, %n) : (!F, i64) -> i64
  return %r : i64
}

// CHECK-LABEL: func.func @calls
// CHECK-NOT:     tfx_enter
func.func @calls(%n: i64) -> i64 {
  %r = func.call @even(%n) : (i64) -> i64
  return %r : i64
}
