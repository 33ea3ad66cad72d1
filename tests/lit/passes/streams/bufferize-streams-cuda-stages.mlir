// RUN: tfx-opt --tfx-bufferize-streams=pipelines=true %s | FileCheck %s
// RUN: tfx-opt --tfx-bufferize-streams=pipelines=true --tfx-pipeline --tfx-assign-streams=streams=1 --tfx-insert-events --tfx-plan-memory --tfx-verify-memory --tfx-verify-schedule --tfx-lower-streams %s -o /dev/null

!t = tensor<8xf32>

// In a loop of stages, what all iterations use is copied before the loop, and what they pass on
// stays in the memory of the device.
// CHECK-LABEL: tfx_stream.schedule @loop.schedule(
// CHECK-SAME:    %[[S:.*]]: !tfx_stream.stream<cpu>, %[[T:.*]]: !tfx_stream.stream<cuda>,
// CHECK:         tfx_stream.copy %[[T]] {{.*}} !tfx_stream.buffer<32, host> to !tfx_stream.buffer<32, cuda>
// CHECK:         tfx_stream.copy %[[T]] {{.*}} !tfx_stream.buffer<32, host> to !tfx_stream.buffer<32, cuda>
// CHECK:         scf.for
// CHECK:           tfx_stream.launch %[[S]] @loop.kernel_0(
// CHECK:           tfx_stream.copy %[[T]] {{.*}} !tfx_stream.buffer<32, host> to !tfx_stream.buffer<32, cuda>
// CHECK-NOT:       tfx_stream.copy
// CHECK:           tfx_stream.launch %[[T]] @loop.kernel_1(
// CHECK-NOT:       tfx_stream.copy
// CHECK:         }
// CHECK:         tfx_stream.copy %[[T]] {{.*}} !tfx_stream.buffer<32, cuda> to !tfx_stream.buffer<32, host>
tfx_tensor.graph @loop(%x: !t, %w: !t, %s: !t) -> !t {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %four = tfx_tensor.const dense<4> : tensor<i32>
  %r:2 = tfx_tensor.while (%i = %zero, %sum = %s) : (tensor<i32>, !t) -> (tensor<i32>, !t) {
    %c = tfx_tensor.op "Less"(%i, %four) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %sum: !t):
    %next = tfx_tensor.op "AddV2"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %f = tfx_tensor.op "Cast"(%i) : (tensor<i32>) -> tensor<f32>
    %a = tfx_tensor.op "Mul"(%x, %f) : (!t, tensor<f32>) -> !t
    %b = tfx_comm.copy %a from <cpu> to <cuda> : !t
    %y = tfx_tensor.op "Mul"(%b, %w) : (!t, !t) -> !t
    %n = tfx_tensor.op "AddV2"(%sum, %y) : (!t, !t) -> !t
    tfx_tensor.yield %next, %n : tensor<i32>, !t
  }
  tfx_tensor.return %r#1 : !t
}
