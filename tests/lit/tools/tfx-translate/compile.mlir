// A source program is compiled first.
// RUN: tfx-translate --mlir-to-graphdef %s -o /dev/null && test -c /dev/null
// RUN: tfx-translate --mlir-to-graphdef --text %s | FileCheck %s --check-prefix=GRAPH
// RUN: tfx-translate --mlir-to-llvmir %s | FileCheck %s --check-prefix=LLVM

// GRAPH: op: "MatMul"
// LLVM: define {{.*}} @f(
// The host has nothing to do until the end of the graph, which therefore runs on its thread.
// LLVM: call {{.*}} @tfx_program_start_deferred
func.func @f(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %y = tfx_tensor.op "MatMul"(%x, %x) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}
