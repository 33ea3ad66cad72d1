// RUN: not tfx-translate --mlir-to-graphdef %s -o %t.none 2>&1 | FileCheck %s --check-prefix=SOURCE
// RUN: not test -e %t.none
// RUN: tfx-translate --mlir-to-graphdef --compile --text %s | FileCheck %s --check-prefix=GRAPH
// RUN: tfx-translate --mlir-to-llvmir --compile %s | FileCheck %s --check-prefix=LLVM

// GRAPH: op: "MatMul"
// LLVM: define {{.*}} @f(
// LLVM: call {{.*}} @tfx_program_start
func.func @f(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // SOURCE: compile.mlir:[[#@LINE+1]]:8: error: this tensor code is not in a graph yet; run the pipeline tfx-compile-graph first (tfx-opt --tfx-compile-graph), or give --compile
  %y = tfx_tensor.op "MatMul"(%x, %x) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}
