// RUN: tfx-opt --split-input-file --tfx-bufferize-streams='pipelines=true explain=true' %s 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: tfx-opt --split-input-file --tfx-bufferize-streams=pipelines=true --tfx-pipeline --tfx-assign-streams=streams=1 --tfx-insert-events --tfx-plan-memory --tfx-verify-memory --tfx-verify-schedule --tfx-lower-streams %s -o /dev/null
// RUN: tfx-opt --split-input-file --tfx-bufferize-streams=pipelines=true --tfx-pipeline --tfx-assign-streams=streams=3 --tfx-insert-events --tfx-plan-memory --tfx-verify-memory --tfx-verify-schedule --tfx-lower-streams %s -o /dev/null

!t = tensor<8x32xf32>

// A branch of a device is a branch of the schedule. The host reads the byte of the condition. Both
// arms write the result to the same bytes of the device, one by its kernel, and one by a copy of a
// tensor from outside.
// REMARK: remark: the host waits for the device before this branch: its condition depends on what the device computes
// REMARK-NEXT: tfx_tensor.if
// REMARK: note: the device computes this
// CHECK-LABEL: tfx_stream.schedule @branch.schedule(
// CHECK:         %[[C:.*]] = tfx_stream.copy {{.*}} to %[[H:.*]] : {{.*}} to !tfx_stream.buffer<1, host>
// CHECK-NEXT:    %[[D:.*]] = tfx_stream.decide %[[H]] as %[[C]] : !tfx_stream.buffer<1, host> -> i1
// CHECK-NEXT:    %[[R:.*]] = tfx_stream.alloc on {{.*}} : !tfx_stream.buffer<1024, cuda>
// CHECK-NEXT:    %[[V:.*]] = scf.if %[[D]] -> (!tfx_stream.value) {
// CHECK-NEXT:      %[[W:.*]] = tfx_stream.launch {{.*}}, %[[R]] write)
// CHECK-NEXT:      scf.yield %[[W]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[X:.*]] = tfx_stream.copy {{.*}} to %[[R]] : {{.*}}cuda> to {{.*}}cuda>
// CHECK-NEXT:      scf.yield %[[X]]
// CHECK-NEXT:    }
// CHECK:         tfx_stream.copy {{.*}} %[[R]] as %[[V]] to %{{.*}} : {{.*}}, host>
// CHECK:         tfx_stream.free %[[R]]
tfx_tensor.graph @branch(%x: !t, %limit: tensor<f32>) -> !t {
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %a = tfx_comm.copy %x from <cpu> to <cuda> : !t
  %sum = tfx_tensor.op "Sum"(%a, %axes) : (!t, tensor<2xi32>) -> tensor<f32>
  %c = tfx_tensor.op "Less"(%sum, %limit) : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %r = tfx_tensor.if %c : tensor<i1> -> !t {
    %b = tfx_tensor.op "AddV2"(%a, %a) : (!t, !t) -> !t
    tfx_tensor.yield %b : !t
  } else {
    tfx_tensor.yield %a : !t
  }
  %h = tfx_comm.copy %r from <cuda> to <cpu> : !t
  tfx_tensor.return %h : !t
}

// -----

!t = tensor<8x32xf32>

// The host computes a condition of arguments, and does not wait for the device. A tensor that only
// one arm uses is copied to the device before the branch, so that it is there after the branch, too.
// REMARK-NOT: the host waits
// CHECK-LABEL: tfx_stream.schedule @argument.schedule(
// CHECK-SAME:    %[[CPU:arg[0-9]+]]: !tfx_stream.stream<cpu>, %[[CUDA:arg[0-9]+]]: !tfx_stream.stream<cuda>
// CHECK:         %[[C:.*]] = tfx_stream.launch %[[CPU]] {{.*}}, %[[H:.*]] write)
// CHECK:         %[[D:.*]] = tfx_stream.decide %[[H]] as %[[C]] : !tfx_stream.buffer<1, host> -> i1
// CHECK:         scf.if %[[D]]
// CHECK-NOT:       host>
// CHECK:         } else {
// CHECK-NOT:       host>
// CHECK:         }
tfx_tensor.graph @argument(%x: !t, %y: !t, %n: tensor<i32>) -> (!t, !t) {
  %four = tfx_tensor.const dense<4> : tensor<i32>
  %c = tfx_tensor.op "Less"(%n, %four) : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %a = tfx_comm.copy %x from <cpu> to <cuda> : !t
  %b = tfx_comm.copy %y from <cpu> to <cuda> : !t
  %r = tfx_tensor.if %c : tensor<i1> -> !t {
    %s = tfx_tensor.op "AddV2"(%a, %b) : (!t, !t) -> !t
    tfx_tensor.yield %s : !t
  } else {
    %s = tfx_tensor.op "Mul"(%a, %a) : (!t, !t) -> !t
    tfx_tensor.yield %s : !t
  }
  %u = tfx_tensor.op "Mul"(%r, %b) : (!t, !t) -> !t
  %h = tfx_comm.copy %r from <cuda> to <cpu> : !t
  %i = tfx_comm.copy %u from <cuda> to <cpu> : !t
  tfx_tensor.return %h, %i : !t, !t
}

// -----

!t = tensor<8x32xf32>

// A branch in a loop depends on the counter of the host. A loop is in one of its arms, and a branch
// in the other one, of which both results are the same tensor.
// CHECK-LABEL: tfx_stream.schedule @nested.schedule(
// CHECK:         scf.while
// CHECK:         } do {
// CHECK:           %[[D:.*]] = tfx_stream.decide
// CHECK:           scf.if %[[D]] -> (!tfx_stream.value) {
// CHECK:             scf.for
// CHECK:           } else {
// CHECK:             %[[E:.*]] = tfx_stream.decide
// CHECK:             scf.if %[[E]] -> (!tfx_stream.value, !tfx_stream.value) {
// CHECK:               %[[V:.*]] = tfx_stream.launch {{.*}} %[[A:[0-9a-z]+]] write)
// CHECK:               %[[W:.*]] = tfx_stream.copy {{.*}} %[[A]] as %[[V]] to
// CHECK:               scf.yield %[[V]], %[[W]]
tfx_tensor.graph @nested(%x: !t, %n: tensor<i32>) -> !t {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %two = tfx_tensor.const dense<2> : tensor<i32>
  %a = tfx_comm.copy %x from <cpu> to <cuda> : !t
  %r:2 = tfx_tensor.while (%i = %zero, %p = %a) : (tensor<i32>, !t) -> (tensor<i32>, !t) {
    %c = tfx_tensor.op "Less"(%i, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %p: !t):
    %rest = tfx_tensor.op "FloorMod"(%i, %two) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %even = tfx_tensor.op "Equal"(%rest, %zero) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %q = tfx_tensor.if %even : tensor<i1> -> !t {
      %l:2 = tfx_tensor.while (%j = %zero, %s = %p) : (tensor<i32>, !t) -> (tensor<i32>, !t) {
        %c = tfx_tensor.op "Less"(%j, %two) : (tensor<i32>, tensor<i32>) -> tensor<i1>
        tfx_tensor.yield %c : tensor<i1>
      } do {
      ^bb0(%j: tensor<i32>, %s: !t):
        %t = tfx_tensor.op "AddV2"(%s, %a) : (!t, !t) -> !t
        %k = tfx_tensor.op "AddV2"(%j, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
        tfx_tensor.yield %k, %t : tensor<i32>, !t
      }
      tfx_tensor.yield %l#1 : !t
    } else {
      %first = tfx_tensor.op "Equal"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %b:2 = tfx_tensor.if %first : tensor<i1> -> !t, !t {
        %t = tfx_tensor.op "Mul"(%p, %a) : (!t, !t) -> !t
        tfx_tensor.yield %t, %t : !t, !t
      } else {
        tfx_tensor.yield %p, %a : !t, !t
      }
      %m = tfx_tensor.op "Mul"(%b#0, %b#1) : (!t, !t) -> !t
      tfx_tensor.yield %m : !t
    }
    %next = tfx_tensor.op "AddV2"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tfx_tensor.yield %next, %q : tensor<i32>, !t
  }
  %h = tfx_comm.copy %r#1 from <cuda> to <cpu> : !t
  tfx_tensor.return %h : !t
}
