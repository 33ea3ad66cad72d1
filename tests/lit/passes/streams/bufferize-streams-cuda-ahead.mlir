// RUN: tfx-opt --split-input-file --tfx-find-device-code --tfx-bufferize-streams='pipelines=true explain=true' %s 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: tfx-opt --split-input-file --tfx-find-device-code --tfx-bufferize-streams=pipelines=true --tfx-pipeline --tfx-assign-streams=streams=1 --tfx-insert-events --tfx-plan-memory --tfx-verify-memory --tfx-verify-schedule --tfx-lower-streams %s | FileCheck %s --check-prefix=EVENTS
// RUN: tfx-opt --split-input-file --tfx-find-device-code --tfx-bufferize-streams=pipelines=true --tfx-pipeline --tfx-assign-streams=streams=3 --tfx-insert-events --tfx-plan-memory --tfx-verify-memory --tfx-verify-schedule --tfx-lower-streams %s -o /dev/null

!t = tensor<8x32xf32>

// The iteration after the one that is decided is issued before the host waits. The tensors that are
// passed on have two buffers, and the bytes of the decisions are two: one that is decided, and one
// of the iteration that runs ahead.
// REMARK: remark: the host waits for the device in each iteration of this loop, while the device runs the next one: its condition depends on what the device computes
// CHECK-LABEL: tfx_stream.schedule @converges.schedule(
// CHECK:         %[[VX:.*]] = tfx_stream.copy {{.*}} to %[[X:[0-9a-z]+]] : {{.*}} !tfx_stream.buffer<1024, cuda> to !tfx_stream.buffer<1024, cuda>
// CHECK-NEXT:    %[[Y:.*]] = tfx_stream.alloc {{.*}} !tfx_stream.buffer<1024, cuda>
// CHECK-NEXT:    %[[H0:.*]] = tfx_stream.alloc {{.*}} !tfx_stream.buffer<1, host>
// CHECK-NEXT:    %[[H:.*]] = tfx_stream.alloc {{.*}} !tfx_stream.buffer<1, host>
// CHECK:         tfx_stream.launch {{.*}} @[[TEST:[a-z_0-9.]+]](%[[X]] read as %[[VX]],
// CHECK:         %[[C0:.*]] = tfx_stream.copy {{.*}} to %[[H0]]
// CHECK:         %[[VY:.*]] = tfx_stream.launch {{.*}} @[[BODY:[a-z_0-9.]+]](%[[X]] read as %[[VX]], {{.*}}, %[[Y]] write)
// CHECK:         tfx_stream.launch {{.*}} @[[TEST]](%[[Y]] read as %[[VY]],
// CHECK:         %[[C:.*]] = tfx_stream.copy {{.*}} to %[[H]]
// CHECK:         %[[FIRST:.*]] = tfx_stream.decide %[[H0]] as %[[C0]]
// CHECK-NEXT:    %[[R:.*]]:7 = scf.while ({{.*}} = %[[FIRST]], {{.*}} = %[[X]], {{.*}} = %[[VX]], {{.*}} = %[[Y]], {{.*}} = %[[VY]], {{.*}} = %[[H]], {{.*}} = %[[C]], {{.*}} = %[[H0]])
// CHECK:         ^bb0(%[[A:.*]]: {{.*}}, %{{.*}}: {{.*}}, %[[B:.*]]: {{.*}}, %[[VB:.*]]: {{.*}}, %[[G:.*]]: {{.*}}, %[[D:.*]]: {{.*}}, %[[O:.*]]: !tfx_stream.buffer<1, host>):
// CHECK-NEXT:      %[[W:.*]] = tfx_stream.launch {{.*}} @[[BODY]](%[[B]] read as %[[VB]], {{.*}}, %[[A]] write)
// CHECK:           tfx_stream.launch {{.*}} @[[TEST]](%[[A]] read as %[[W]],
// CHECK:           %[[E:.*]] = tfx_stream.copy {{.*}} to %[[O]]
// CHECK:           %[[NEXT:.*]] = tfx_stream.decide %[[G]] as %[[D]]
// CHECK-NEXT:      scf.yield %[[NEXT]], %[[B]], %[[VB]], %[[A]], %[[W]], %[[O]], %[[E]], %[[G]]
// CHECK:         tfx_stream.free %[[H0]]
// CHECK:         tfx_stream.free %[[H]]
// CHECK:         tfx_stream.copy {{.*}} %[[R]]#0 as %[[R]]#1 to
//
// The host waits for what was issued before the iteration.
// EVENTS-LABEL: tfx_stream.schedule @converges.schedule(
// EVENTS:       } do {
// EVENTS:         %[[E:.*]] = tfx_stream.record
// EVENTS-NEXT:    tfx_stream.launch
// EVENTS-NOT:     tfx_stream.record
// EVENTS:         tfx_stream.host_wait %[[E]]
// EVENTS-NEXT:    tfx_stream.decide
tfx_tensor.graph @converges(%x: !t, %most: tensor<f32>) -> !t {
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %a = tfx_comm.copy %x from <cpu> to <cuda> : !t
  %r = tfx_tensor.while (%u = %a) : (!t) -> !t {
    %sum = tfx_tensor.op "Sum"(%u, %axes) : (!t, tensor<2xi32>) -> tensor<f32>
    %c = tfx_tensor.op "Less"(%sum, %most) : (tensor<f32>, tensor<f32>) -> tensor<i1>
    tfx_tensor.yield %c : tensor<i1>
  } do {
  ^bb0(%u: !t):
    %m = tfx_tensor.op "AddV2"(%u, %a) : (!t, !t) -> !t
    tfx_tensor.yield %m : !t
  }
  %h = tfx_comm.copy %r from <cuda> to <cpu> : !t
  tfx_tensor.return %h : !t
}

// -----

!t = tensor<8x32xf32>

// An iteration that calls a function of the host does not run ahead.
// REMARK: remark: the host waits for the device in each iteration of this loop: its condition depends on what the device computes
// CHECK-LABEL: tfx_stream.schedule @with_a_function.schedule(
// CHECK:         %[[FIRST:.*]] = tfx_stream.decide
// CHECK:         scf.while ({{.*}} = %[[FIRST]], {{.*}})
// CHECK-NOT:     !tfx_stream.buffer<1, host>
// CHECK:         } do {
tfx_tensor.graph @with_a_function(%x: !t, %most: tensor<f32>) -> !t {
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %a = tfx_comm.copy %x from <cpu> to <cuda> : !t
  %r = tfx_tensor.while (%u = %a) : (!t) -> !t {
    %sum = tfx_tensor.op "Sum"(%u, %axes) : (!t, tensor<2xi32>) -> tensor<f32>
    %c = tfx_tensor.op "Less"(%sum, %most) : (tensor<f32>, tensor<f32>) -> tensor<i1>
    tfx_tensor.yield %c : tensor<i1>
  } do {
  ^bb0(%u: !t):
    %m = tfx_tensor.op "Sin"(%u) : (!t) -> !t
    tfx_tensor.yield %m : !t
  }
  %h = tfx_comm.copy %r from <cuda> to <cpu> : !t
  tfx_tensor.return %h : !t
}

// -----

!t = tensor<8x32xf32>

// Neither does one with a loop inside that the device decides: after the last iteration, it might
// not end. The inner loop has none.
// REMARK: remark: the host waits for the device in each iteration of this loop: its condition depends on what the device computes
// REMARK: remark: the host waits for the device in each iteration of this loop, while the device runs the next one: its condition depends on what the device computes
// CHECK-LABEL: tfx_stream.schedule @nested.schedule(
tfx_tensor.graph @nested(%x: !t, %most: tensor<f32>) -> !t {
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %a = tfx_comm.copy %x from <cpu> to <cuda> : !t
  %r = tfx_tensor.while (%u = %a) : (!t) -> !t {
    %sum = tfx_tensor.op "Sum"(%u, %axes) : (!t, tensor<2xi32>) -> tensor<f32>
    %c = tfx_tensor.op "Less"(%sum, %most) : (tensor<f32>, tensor<f32>) -> tensor<i1>
    tfx_tensor.yield %c : tensor<i1>
  } do {
  ^bb0(%u: !t):
    %v = tfx_tensor.while (%p = %u) : (!t) -> !t {
      %sum = tfx_tensor.op "Sum"(%p, %axes) : (!t, tensor<2xi32>) -> tensor<f32>
      %c = tfx_tensor.op "Less"(%sum, %most) : (tensor<f32>, tensor<f32>) -> tensor<i1>
      tfx_tensor.yield %c : tensor<i1>
    } do {
    ^bb0(%p: !t):
      %m = tfx_tensor.op "AddV2"(%p, %a) : (!t, !t) -> !t
      tfx_tensor.yield %m : !t
    }
    %n = tfx_tensor.op "AddV2"(%v, %a) : (!t, !t) -> !t
    tfx_tensor.yield %n : !t
  }
  %h = tfx_comm.copy %r from <cuda> to <cpu> : !t
  tfx_tensor.return %h : !t
}

// -----

!t = tensor<2048x2048xf32>

// An iteration that takes long does not run in vain.
// REMARK: remark: the host waits for the device in each iteration of this loop: its condition depends on what the device computes
// CHECK-LABEL: tfx_stream.schedule @long.schedule(
tfx_tensor.graph @long(%x: !t, %most: tensor<f32>) -> !t {
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %a = tfx_comm.copy %x from <cpu> to <cuda> : !t
  %r = tfx_tensor.while (%u = %a) : (!t) -> !t {
    %sum = tfx_tensor.op "Sum"(%u, %axes) : (!t, tensor<2xi32>) -> tensor<f32>
    %c = tfx_tensor.op "Less"(%sum, %most) : (tensor<f32>, tensor<f32>) -> tensor<i1>
    tfx_tensor.yield %c : tensor<i1>
  } do {
  ^bb0(%u: !t):
    %m = tfx_tensor.op "MatMul"(%u, %a) : (!t, !t) -> !t
    tfx_tensor.yield %m : !t
  }
  %h = tfx_comm.copy %r from <cuda> to <cpu> : !t
  tfx_tensor.return %h : !t
}
