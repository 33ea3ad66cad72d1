// RUN: %tfx-opt --cse --canonicalize --mlir-print-ir-after-all %s 2>&1 | FileCheck %s --check-prefix=AFTER
// RUN: %tfx-opt --cse --canonicalize --mlir-print-ir-before=cse %s 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: rm -rf %t.tree
// RUN: %tfx-opt --cse --mlir-disable-threading --mlir-print-ir-after-all --mlir-print-ir-tree-dir=%t.tree %s
// RUN: ls %t.tree/builtin_module_no-symbol-name | FileCheck %s --check-prefix=TREE
// RUN: %tfx-opt --cse --mlir-timing --mlir-timing-display=list %s 2>&1 | FileCheck %s --check-prefix=TIMING
// RUN: %tfx-opt --pass-pipeline='builtin.module(func.func(tfx-ssa))' --mlir-pass-statistics %s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STATISTICS

// AFTER: IR Dump After CSE (cse)
// AFTER: IR Dump After Canonicalizer (canonicalize)
// BEFORE: IR Dump Before CSE (cse)
// BEFORE-NOT: IR Dump
// TREE: 0_cse.mlir
// TIMING: Execution time report
// TIMING: CSE
// STATISTICS: Pass statistics report
// STATISTICS: tfx-ssa
// STATISTICS-NEXT: (S)        1 variables-promoted - {{.+}}
func.func @f(%a: i32) -> i32 {
  %variable = tfx_host.var : !tfx_host.ref<i32>
  tfx_host.store %a, %variable : i32
  %b = tfx_host.load %variable : !tfx_host.ref<i32>
  return %b : i32
}
