// A graph function with a tape in its signature: a list of tensors there, too.
//
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx_tensor.graph(tfx-legalize-graph))' | FileCheck %s

// CHECK-LABEL: tfx_tensor.graph private @longer(
// CHECK-SAME:      %arg0: f64, %[[TAPE:.+]]: tensor<!tfx_tensor.variant>) -> tensor<!tfx_tensor.variant> {
// CHECK:         %[[X:.+]] = tfx_tensor.from_scalar %arg0
// CHECK:         %[[LIST:.+]] = tfx_tensor.op "TensorListPushBack"(%[[TAPE]], %[[X]])
// CHECK:         tfx_tensor.return %[[LIST]] : tensor<!tfx_tensor.variant>
tfx_tensor.graph private @longer(%x: f64, %tape: !tfx_ad.tape<f64>) -> !tfx_ad.tape<f64> {
  %longer = tfx_ad.push %x to %tape : !tfx_ad.tape<f64>
  tfx_tensor.return %longer : !tfx_ad.tape<f64>
}

// CHECK-LABEL: tfx_tensor.graph @main(
// CHECK:         %[[EMPTY:.+]] = tfx_tensor.op "EmptyTensorList"
// CHECK:         tfx_tensor.call @longer(%{{.+}}, %[[EMPTY]]) {pure} : (f64, tensor<!tfx_tensor.variant>) -> tensor<!tfx_tensor.variant>
// CHECK:         tfx_tensor.op "TensorListPopBack"
tfx_tensor.graph @main(%x: f64) -> f64 {
  %empty = tfx_ad.empty_tape : !tfx_ad.tape<f64>
  %tape = tfx_tensor.call @longer(%x, %empty) {pure} : (f64, !tfx_ad.tape<f64>) -> !tfx_ad.tape<f64>
  %rest, %y = tfx_ad.pop %tape : !tfx_ad.tape<f64>
  tfx_tensor.return %y : f64
}
