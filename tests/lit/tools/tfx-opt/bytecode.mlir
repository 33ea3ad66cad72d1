// RUN: %tfx-opt --emit-bytecode %s -o %t.bc
// RUN: %tfx-opt %t.bc | FileCheck %s
// RUN: %tfx-opt --verify-roundtrip %s | FileCheck %s
// RUN: %tfx-opt --mlir-print-op-generic %s | FileCheck %s --check-prefix=GENERIC
// RUN: %tfx-opt --mlir-print-debuginfo --mlir-print-local-scope %s | FileCheck %s --check-prefix=LOCATIONS
// RUN: %tfx-opt --no-implicit-module %s | FileCheck %s --check-prefix=BARE
// RUN: %tfx-opt --allow-unregistered-dialect %S/Inputs/unregistered.mlir | FileCheck %s --check-prefix=UNREGISTERED

// CHECK: tfx_tensor.op "AddV2"
// GENERIC: "tfx_tensor.op"(
// LOCATIONS: tfx_tensor.op "AddV2"{{.*}} loc("{{.*}}bytecode.mlir":[[@LINE+5]]:8)
// BARE-NOT: module
// BARE: func.func @double
// UNREGISTERED: "some.thing"
func.func @double(%x: tensor<f32>) -> tensor<f32> {
  %y = tfx_tensor.op "AddV2"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
