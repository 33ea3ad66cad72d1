// RUN: tfx-opt --split-input-file --tfx-bufferize-streams='pipelines=true explain=true' %s 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
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

// -----

!t = tensor<8x32xf32>

// The host counts up to an argument: it has a counter of its own, whose buffers are in the order of
// its stream, so that the decisions wait for the device nowhere.
// CHECK-LABEL: tfx_stream.schedule @counted.schedule(
// CHECK-SAME:    %[[CPU:arg[0-9]+]]: !tfx_stream.stream<cpu>, %[[CUDA:arg[0-9]+]]: !tfx_stream.stream<cuda>
// CHECK:         %[[A:.*]] = tfx_stream.alloc on %[[CPU]] : !tfx_stream.buffer<4, host>
// CHECK:         %[[ZERO:.*]] = tfx_stream.launch %[[CPU]] {{.*}}(%[[A]] write)
// CHECK:         %[[B:.*]] = tfx_stream.alloc on %[[CPU]] : !tfx_stream.buffer<4, host>
// CHECK:         %[[D:.*]] = tfx_stream.alloc on %[[CPU]] : !tfx_stream.buffer<1, host>
// CHECK-NEXT:    %[[X:.*]] = tfx_stream.launch %[[CPU]] @[[TEST:[a-z_0-9.]+]](%[[A]] read as %[[ZERO]], {{.*}}, %[[D]] write)
// CHECK-NEXT:    %[[FIRST:.*]] = tfx_stream.decide %[[D]] as %[[X]] : !tfx_stream.buffer<1, host> -> i1
// CHECK-NEXT:    tfx_stream.free %[[D]] on %[[CPU]]
// CHECK-NEXT:    scf.while (%[[GO:[a-z0-9]+]] = %[[FIRST]], {{.*}} = %[[A]], {{.*}} = %[[ZERO]], {{.*}} = %[[B]])
// CHECK-NEXT:      scf.condition(%[[GO]])
// CHECK:         } do {
// CHECK-NOT:       tfx_stream.copy
// CHECK:           tfx_stream.launch %[[CUDA]]
// CHECK:           %[[COUNT:.*]] = tfx_stream.launch %[[CPU]] {{.*}}, %[[NEXT:.*]] write)
// CHECK:           %[[E:.*]] = tfx_stream.alloc on %[[CPU]] : !tfx_stream.buffer<1, host>
// CHECK-NEXT:      %[[Y:.*]] = tfx_stream.launch %[[CPU]] @[[TEST]](%[[NEXT]] read as %[[COUNT]], {{.*}}, %[[E]] write)
// CHECK-NEXT:      %[[AGAIN:.*]] = tfx_stream.decide %[[E]] as %[[Y]] : !tfx_stream.buffer<1, host> -> i1
// CHECK:           scf.yield %[[AGAIN]],
// CHECK:         tfx_stream.free %[[A]] on %[[CPU]]
// CHECK:         tfx_stream.free %[[B]] on %[[CPU]]
tfx_tensor.graph @counted(%x: !t, %n: tensor<i32>) -> !t {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %a = tfx_comm.copy %x from <cpu> to <cuda> : !t
  %r:2 = tfx_tensor.while (%i = %zero, %sum = %a) : (tensor<i32>, !t) -> (tensor<i32>, !t) {
    %c = tfx_tensor.op "Less"(%i, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %sum: !t):
    %f = tfx_tensor.op "Cast"(%i) : (tensor<i32>) -> tensor<f32>
    %next = tfx_tensor.op "AddV2"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %m = tfx_tensor.op "AddV2"(%sum, %f) : (!t, tensor<f32>) -> !t
    tfx_tensor.yield %next, %m : tensor<i32>, !t
  }
  %h = tfx_comm.copy %r#1 from <cuda> to <cpu> : !t
  tfx_tensor.return %h : !t
}

// -----

!t = tensor<8x32xf32>

// A counter that the device does not use moves to the host, and the device has none. The bound is
// computed by the host, too.
// CHECK-LABEL: tfx_stream.schedule @moved.schedule(
// CHECK-SAME:    %[[CPU:arg[0-9]+]]: !tfx_stream.stream<cpu>, %[[CUDA:arg[0-9]+]]: !tfx_stream.stream<cuda>
// CHECK-NOT:     !tfx_stream.buffer<4, cuda>
// CHECK:         scf.while
// CHECK:         } do {
// CHECK:           tfx_stream.launch %[[CUDA]]
// CHECK-NOT:       tfx_stream.launch %[[CUDA]]
// CHECK:           tfx_stream.decide
// CHECK-NOT:     !tfx_stream.buffer<4, cuda>
// CHECK:         tfx_stream.return
tfx_tensor.graph @moved(%x: !t, %n: tensor<i32>) -> !t {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %a = tfx_comm.copy %x from <cpu> to <cuda> : !t
  %bound = tfx_tensor.op "AddV2"(%n, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %r:2 = tfx_tensor.while (%i = %zero, %sum = %a) : (tensor<i32>, !t) -> (tensor<i32>, !t) {
    %c = tfx_tensor.op "Less"(%i, %bound) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %sum: !t):
    %next = tfx_tensor.op "AddV2"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %m = tfx_tensor.op "AddV2"(%sum, %a) : (!t, !t) -> !t
    tfx_tensor.yield %next, %m : tensor<i32>, !t
  }
  %h = tfx_comm.copy %r#1 from <cuda> to <cpu> : !t
  tfx_tensor.return %h : !t
}

// -----

!t = tensor<8x32xf32>

// The device decides: its byte is copied to the host in each iteration.
// CHECK-LABEL: tfx_stream.schedule @converges.schedule(
// CHECK:         tfx_stream.launch {{.*}} @[[TEST:[a-z_0-9.]+]]({{.*}}, %[[D:.*]] write) {{.*}} !tfx_stream.buffer<1, cuda>
// CHECK:         %[[X:.*]] = tfx_stream.copy {{.*}} %[[D]] {{.*}} to %[[H:.*]] : {{.*}} !tfx_stream.buffer<1, cuda> to !tfx_stream.buffer<1, host>
// CHECK-NEXT:    %[[FIRST:.*]] = tfx_stream.decide %[[H]] as %[[X]]
// CHECK:         scf.while ({{.*}} = %[[FIRST]],
// CHECK:           %[[Z:.*]] = tfx_stream.launch {{.*}}, %[[NEXT:.*]] write)
// CHECK:           tfx_stream.launch {{.*}} @[[TEST]](%[[NEXT]] read as %[[Z]], {{.*}}, %[[E:.*]] write)
// CHECK:           %[[Y:.*]] = tfx_stream.copy {{.*}} %[[E]] {{.*}} to %[[G:.*]] : {{.*}} !tfx_stream.buffer<1, cuda> to !tfx_stream.buffer<1, host>
// CHECK-NEXT:      %[[AGAIN:.*]] = tfx_stream.decide %[[G]] as %[[Y]]
// CHECK:           scf.yield %[[AGAIN]],
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

// A condition that is a tensor of the loop, or one from outside, has no kernel.
// CHECK-LABEL: tfx_stream.schedule @flag.schedule(
// CHECK:         tfx_stream.decide
// CHECK:         scf.while
// CHECK:           tfx_stream.decide
tfx_tensor.graph @flag(%x: !t, %go: tensor<i1>) -> !t {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %a = tfx_comm.copy %x from <cpu> to <cuda> : !t
  %r:2 = tfx_tensor.while (%more = %go, %u = %a) : (tensor<i1>, !t) -> (tensor<i1>, !t) {
    tfx_tensor.yield %more : tensor<i1>
  } do {
  ^bb0(%more: tensor<i1>, %u: !t):
    %never = tfx_tensor.op "NotEqual"(%zero, %zero) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %m = tfx_tensor.op "AddV2"(%u, %a) : (!t, !t) -> !t
    tfx_tensor.yield %never, %m : tensor<i1>, !t
  }
  %h = tfx_comm.copy %r#1 from <cuda> to <cpu> : !t
  tfx_tensor.return %h : !t
}

// -----

!t = tensor<8xf32>

// The device would run a loop of small tensors slower than the host, which waits for it anyway.
// REMARK: bufferize-streams-cuda-loops.mlir:[[# @LINE + 9]]:8: remark: the host runs this loop: its tensors are small, and they decide how often it runs
// CHECK-LABEL: tfx_stream.schedule @small.schedule(
// CHECK:         scf.while
// CHECK-NOT:       !tfx_stream.buffer<{{[0-9]+}}, cuda>
// CHECK:           scf.yield
tfx_tensor.graph @small(%x: !t, %most: tensor<f32>) -> !t {
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %a = tfx_comm.copy %x from <cpu> to <cuda> : !t
  %b = tfx_tensor.op "Neg"(%a) : (!t) -> !t
  %r = tfx_tensor.while (%u = %b) : (!t) -> !t {
    %sum = tfx_tensor.op "Sum"(%u, %axis) : (!t, tensor<i32>) -> tensor<f32>
    %c = tfx_tensor.op "Less"(%sum, %most) : (tensor<f32>, tensor<f32>) -> tensor<i1>
    tfx_tensor.yield %c : tensor<i1>
  } do {
  ^bb0(%u: !t):
    %m = tfx_tensor.op "Sub"(%u, %b) : (!t, !t) -> !t
    tfx_tensor.yield %m : !t
  }
  %h = tfx_comm.copy %r from <cuda> to <cpu> : !t
  tfx_tensor.return %h : !t
}
