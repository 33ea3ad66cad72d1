// RUN: tfx-translate --mlir-to-graphdef --text %s | FileCheck %s
// RUN: cat %s | tfx-translate --mlir-to-graphdef --text - | FileCheck %s --check-prefix=STDIN
// RUN: tfx-translate --mlir-to-graphdef %s -o %t.pb && tfx-translate --mlir-to-graphdef %s > %t.2.pb && cmp %t.pb %t.2.pb

// CHECK: name: "double_it/arg_0"
// CHECK: name: "double_it/call"
// CHECK-NEXT: op: "StatefulPartitionedCall"
// CHECK: name: "double_it/result_0"
// CHECK: name: "graphdef.mlir_[[#@LINE+4]]_8_AddV2"
// CHECK: s: "{{.*}}graphdef.mlir:[[#@LINE+3]]:8"
// STDIN: name: "tfx-_[[#@LINE+2]]_8_AddV2"
tfx_tensor.graph @double.it(%x: tensor<f32>) -> tensor<f32> {
  %y = tfx_tensor.op "AddV2"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  tfx_tensor.return %y : tensor<f32>
}
