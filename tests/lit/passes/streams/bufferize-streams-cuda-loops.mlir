// RUN: tfx-opt --split-input-file --tfx-bufferize-streams=pipelines=true %s | FileCheck %s
// RUN: tfx-opt --split-input-file --tfx-bufferize-streams=pipelines=true --tfx-pipeline --tfx-assign-streams=streams=1 --tfx-insert-events --tfx-plan-memory --tfx-verify-memory --tfx-verify-schedule --tfx-lower-streams %s -o /dev/null

!t = tensor<8xf32>

// A loop of a device with a known number of iterations is a loop of the schedule. What iterations
// pass on has two buffers, which they use in turn: nothing is copied to the host. The counter is a
// tensor of the device, too.
// CHECK-LABEL: tfx_stream.schedule @loop.schedule(
// CHECK:         tfx_stream.copy
// CHECK:         %[[A:.*]] = tfx_stream.alloc {{.*}} !tfx_stream.buffer<32, cuda>
// CHECK:         %[[V:.*]] = tfx_stream.copy {{.*}} to %[[A]]
// CHECK:         %[[B:.*]] = tfx_stream.alloc {{.*}} !tfx_stream.buffer<32, cuda>
// CHECK:         %[[R:.*]]:6 = scf.for {{.*}}, %[[NOW:[a-z0-9]+]] = %[[A]], %[[VALUE:[a-z0-9]+]] = %[[V]], %[[NEXT:[a-z0-9]+]] = %[[B]])
// CHECK-NOT:       tfx_stream.copy
// CHECK:           %[[W:.*]] = tfx_stream.launch {{.*}}%[[NOW]] read as %[[VALUE]], {{.*}}%[[NEXT]] write)
// CHECK-NOT:       tfx_stream.copy
// CHECK:           scf.yield {{.*}}, %[[NEXT]], %[[W]], %[[NOW]]
// CHECK-NOT:     tfx_stream.pipeline
// CHECK:         tfx_stream.copy {{.*}} %[[R]]#3 as %[[R]]#4 to
// CHECK:         tfx_stream.free %[[A]]
// CHECK:         tfx_stream.free %[[B]]
tfx_tensor.graph @loop(%x: !t, %s: !t) -> !t {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %four = tfx_tensor.const dense<40000> : tensor<i32>
  %a = tfx_comm.copy %x from <cpu> to <cuda> : !t
  %b = tfx_comm.copy %s from <cpu> to <cuda> : !t
  %r:2 = tfx_tensor.while (%i = %zero, %sum = %b) : (tensor<i32>, !t) -> (tensor<i32>, !t) {
    %c = tfx_tensor.op "Less"(%i, %four) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %sum: !t):
    %next = tfx_tensor.op "AddV2"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %n = tfx_tensor.op "AddV2"(%sum, %a) : (!t, !t) -> !t
    tfx_tensor.yield %next, %n : tensor<i32>, !t
  }
  %h = tfx_comm.copy %r#1 from <cuda> to <cpu> : !t
  tfx_tensor.return %h : !t
}
