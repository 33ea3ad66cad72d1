// A reproducer holds the pipeline with its options, and runs again.
// RUN: %tfx-opt --pass-pipeline='builtin.module(canonicalize{max-iterations=3},func.func(cse))' \
// RUN:   --mlir-generate-reproducer=%t.mlir %s -o %t.out
// RUN: FileCheck %s --check-prefix=STORED < %t.mlir
// RUN: %tfx-opt --run-reproducer --dump-pass-pipeline %t.mlir 2>&1 | FileCheck %s

// So does a pass that fails, here because one iteration is not enough.
// RUN: not %tfx-opt --mlir-pass-pipeline-crash-reproducer=%t.crash.mlir \
// RUN:   --pass-pipeline='builtin.module(cse,canonicalize{max-iterations=1 test-convergence})' %s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FAILED
// RUN: FileCheck %s --check-prefix=CRASH < %t.crash.mlir
// RUN: not %tfx-opt --run-reproducer %t.crash.mlir

// STORED: mlir_reproducer
// STORED: pipeline: "builtin.module(canonicalize{{.*}}max-iterations=3{{.*}},func.func(cse))"
// CHECK: max-iterations=3
// CHECK: func.func @f
// FAILED: reproducer.mlir{{.*}}: error: Failures have been detected while processing an MLIR pass pipeline
// FAILED: note: Pipeline failed while executing [`Canonicalizer` on 'builtin.module' operation]: reproducer generated at
// CRASH: mlir_reproducer
// CRASH: pipeline: "builtin.module(cse, canonicalize{{.*}}max-iterations=1{{.*}}test-convergence=true
func.func @f(%a: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %b = arith.addi %a, %zero : i32
  return %b : i32
}
