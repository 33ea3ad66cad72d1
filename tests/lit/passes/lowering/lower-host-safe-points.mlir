// Code for calls within a process can be cancelled in each iteration of a loop. Other code has no safe points.
//
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-lower-host{in-process=true})' | FileCheck %s
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-lower-host)' | FileCheck %s --check-prefix=EXECUTABLE
//
// EXECUTABLE-NOT: tfx_poll

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
