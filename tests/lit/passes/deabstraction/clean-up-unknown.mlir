// An unknown branch may forward any values to a block: all arguments of the block stay, and so do the values that others forward.
//
// RUN: tfx-opt %s --allow-unregistered-dialect --pass-pipeline='builtin.module(func.func(tfx-clean-up))' | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK:         %[[ONE:.*]] = arith.constant 1
// CHECK-NEXT:    %[[TWO:.*]] = arith.constant 2
// CHECK-NEXT:    cf.cond_br %{{.*}}, ^[[JOIN:bb[0-9]+]](%[[TWO]] : i32), ^[[OTHER:bb[0-9]+]]
// CHECK:       ^[[OTHER]]:
// CHECK-NEXT:    "test.branch"(%[[ONE]])[^[[JOIN]]] : (i32) -> ()
// CHECK:       ^[[JOIN]](%{{.*}}: i32):
// CHECK-NEXT:    return
func.func @f(%p: i1) {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  cf.cond_br %p, ^join(%two : i32), ^other
^other:
  "test.branch"(%one)[^join] : (i32) -> ()
^join(%unused: i32):
  return
}
