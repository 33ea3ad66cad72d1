// Passes by name and by pipeline, from a file and from standard input.
// RUN: %tfx-opt --canonicalize --cse %s | FileCheck %s
// RUN: %tfx-opt -canonicalize -cse < %s | FileCheck %s
// RUN: %tfx-opt --pass-pipeline='builtin.module(func.func(canonicalize,cse))' - < %s | FileCheck %s
// RUN: %tfx-opt --canonicalize='max-iterations=3 region-simplify=disabled' --dump-pass-pipeline %s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DUMP

// CHECK-LABEL: func.func @twice
// CHECK-NEXT:    %[[SUM:.*]] = arith.addi %{{.*}}, %{{.*}}
// CHECK-NEXT:    %[[PRODUCT:.*]] = arith.muli %[[SUM]], %[[SUM]]
// CHECK-NEXT:    return %[[PRODUCT]]
// DUMP: builtin.module(
// DUMP-NEXT: canonicalize{{.*}}max-iterations=3{{.*}}region-simplify=disabled
func.func @twice(%a: i32, %b: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %c = arith.addi %a, %zero : i32
  %x = arith.addi %c, %b : i32
  %y = arith.addi %a, %b : i32
  %z = arith.muli %x, %y : i32
  return %z : i32
}
