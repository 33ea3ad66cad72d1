// Copies between places fold: one to the same place is its operand, and one of a copy starts from
// the first place.

// RUN: tfx-opt --canonicalize --cse %s | FileCheck %s

// CHECK-LABEL: func.func @same
// CHECK-NEXT: return %arg0
func.func @same(%x: tensor<f32>) -> tensor<f32> {
  %y = tfx_comm.copy %x from <cpu:1> to <cpu:1> : tensor<f32>
  return %y : tensor<f32>
}

// CHECK-LABEL: func.func @roles
// CHECK-NEXT: tfx_comm.copy
func.func @roles(%x: tensor<f32>) -> tensor<f32> {
  %y = tfx_comm.copy %x from <cpu> to <cpu, "norms"> : tensor<f32>
  return %y : tensor<f32>
}

// CHECK-LABEL: func.func @chain
// CHECK-NEXT: %[[COPY:.*]] = tfx_comm.copy %arg0 from <cpu> to <cuda> : tensor<f32>
// CHECK-NEXT: return %[[COPY]]
func.func @chain(%x: tensor<f32>) -> tensor<f32> {
  %a = tfx_comm.copy %x from <cpu> to <cpu:1> : tensor<f32>
  %b = tfx_comm.copy %a from <cpu:1> to <cpu:2> : tensor<f32>
  %c = tfx_comm.copy %b from <cpu:2> to <cuda> : tensor<f32>
  return %c : tensor<f32>
}

// CHECK-LABEL: func.func @back
// CHECK-NEXT: return %arg0
func.func @back(%x: tensor<f32>) -> tensor<f32> {
  %a = tfx_comm.copy %x from <cpu> to <cpu:1> : tensor<f32>
  %b = tfx_comm.copy %a from <cpu:1> to <cpu> : tensor<f32>
  return %b : tensor<f32>
}

// The places of these do not match, which tfx-place reports.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-2: tfx_comm.copy
func.func @others(%x: tensor<f32>) -> tensor<f32> {
  %a = tfx_comm.copy %x from <cpu> to <cpu:1> : tensor<f32>
  %b = tfx_comm.copy %a from <cpu:2> to <cpu> : tensor<f32>
  return %b : tensor<f32>
}

// Equal copies are one.
// CHECK-LABEL: func.func @twice
// CHECK-COUNT-1: tfx_comm.copy
// CHECK-NOT: tfx_comm.copy
func.func @twice(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %a = tfx_comm.copy %x from <cpu> to <cpu:1> : tensor<f32>
  %b = tfx_comm.copy %x from <cpu> to <cpu:1> : tensor<f32>
  return %a, %b : tensor<f32>, tensor<f32>
}
