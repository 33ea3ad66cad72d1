// RUN: tfx-opt %s --pass-pipeline='builtin.module(func.func(tfx-sese{verify=true}))' --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// Operations keep their locations; a new one has the location of the branch that it replaces.

// CHECK:      scf.while
// CHECK:        arith.cmpi {{.*}} loc("compare")
// CHECK-NEXT:   scf.condition{{.*}} loc("loop")
// CHECK:        scf.if
// CHECK:          func.call {{.*}} loc("show")
// CHECK:        } loc("branch")
// CHECK:      } loc("loop")
// CHECK:      return loc("return")
func.func private @observe(i32)
func.func @f(%n: i32, %c: i1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^header(%zero : i32)
^header(%i: i32):
  %go = arith.cmpi slt, %i, %n : i32 loc("compare")
  cf.cond_br %go, ^body, ^exit loc("loop")
^body:
  cf.cond_br %c, ^show, ^next loc("branch")
^show:
  func.call @observe(%i) : (i32) -> () loc("show")
  cf.br ^next
^next:
  %i1 = arith.addi %i, %one : i32
  cf.br ^header(%i1 : i32)
^exit:
  return loc("return")
}
