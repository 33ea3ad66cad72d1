// RUN: tfx-opt %s --pass-pipeline='builtin.module(func.func(tfx-sese{print-tree=true verify=true}))' -o /dev/null 2>&1 | FileCheck %s
// RUN: tfx-opt %s --tfx-sese=print-tree=dot -o /dev/null 2>&1 | FileCheck %s --check-prefix=DOT

// DOT:      digraph "f" {
// DOT:        n0 [label="sequence @f"];
// DOT-NEXT:   n1 [label="block bb0"];
// DOT-NEXT:   n0 -> n1;
// DOT-NEXT:   n2 [label="loop: header bb1, latches bb4, exits to bb5, bb3"];
// DOT-NEXT:   n0 -> n2;
// DOT-NEXT:   n3 [label="before"];
// DOT-NEXT:   n2 -> n3;
// DOT:        [label="return"];
// DOT:      }

// CHECK:      sequence @f
// CHECK-NEXT:   block bb0
// CHECK-NEXT:   loop: header bb1, latches bb4, exits to bb5, bb3
// CHECK-NEXT:     before
// CHECK-NEXT:       block bb1
// CHECK-NEXT:       branch of bb1
// CHECK-NEXT:         to bb2
// CHECK-NEXT:           block bb2
// CHECK-NEXT:           branch of bb2
// CHECK-NEXT:             to bb3
// CHECK-NEXT:             to bb4
// CHECK-NEXT:         to bb5
// CHECK-NEXT:     after, from bb4
// CHECK-NEXT:       block bb4
// CHECK-NEXT:   dispatch
// CHECK-NEXT:     to bb3
// CHECK-NEXT:       block bb3
// CHECK-NEXT:     to bb5
// CHECK-NEXT:       block bb5
// CHECK-NEXT:   return
func.func private @decide() -> i1
func.func @f(%a: i32, %b: i32) -> i32 {
  cf.br ^header
^header:
  %p = func.call @decide() : () -> i1
  cf.cond_br %p, ^body, ^exit
^body:
  %q = func.call @decide() : () -> i1
  cf.cond_br %q, ^found, ^latch
^found:
  return %a : i32
^latch:
  cf.br ^header
^exit:
  return %b : i32
}
