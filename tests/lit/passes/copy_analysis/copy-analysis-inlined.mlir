// RUN: tfx-opt --pass-pipeline='builtin.module(tfx-extract)' %s -o %t 2>&1 | grep -v '^ ' | FileCheck %s
//
// A function that is inlined through another one in several places has one warning, with the call sites of the first.
//
// CHECK:      copy-analysis-inlined.mlir:[[#@LINE+11]]:8: warning: the result of '@host' stalls the accelerator: a value leaves
// CHECK-NEXT: copy-analysis-inlined.mlir:[[#@LINE+15]]:8: note: inlined here, the first of 3 places
// CHECK-NEXT: copy-analysis-inlined.mlir:[[#@LINE+19]]:8: note: which was inlined here
// CHECK-NEXT: copy-analysis-inlined.mlir:[[#@LINE+7]]:8: note: this value is copied to the host (8 bytes)
// CHECK-NEXT: copy-analysis-inlined.mlir:[[#@LINE+7]]:8: note: host code uses it here: call of '@host', which has no graph equivalent
// CHECK-NEXT: copy-analysis-inlined.mlir:[[#@LINE+7]]:8: note: its result is copied back to the accelerator for this operation
// CHECK-NEXT: copy-analysis-inlined.mlir:[[#@LINE+5]]:8: note: if this copy is intentional, mark it with tfx_comm.to_host and tfx_comm.to_accelerator
// CHECK-NOT:  {{warning|error}}
func.func private @host(tensor<2xf32>) -> tensor<2xf32>
func.func private @inner(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = tfx_tensor.op "Exp"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %b = func.call @host(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %c = tfx_tensor.op "Neg"(%b) : (tensor<2xf32>) -> tensor<2xf32>
  return %c : tensor<2xf32>
}
func.func private @outer(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = func.call @inner(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %b = tfx_tensor.op "Neg"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %b : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = func.call @outer(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %b = func.call @outer(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %c = func.call @inner(%b) : (tensor<2xf32>) -> tensor<2xf32>
  return %c : tensor<2xf32>
}
