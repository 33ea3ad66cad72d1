// A schedule has a stream for each device of a placed graph, whatever it gains.

// RUN: tfx-opt --split-input-file --tfx-bufferize-streams --tfx-assign-streams=streams=1 --tfx-insert-events --tfx-plan-memory --tfx-verify-memory --tfx-verify-schedule %s 2>%t.warnings | FileCheck %s
// RUN: FileCheck %s --check-prefix=WARN --input-file=%t.warnings

!t = tensor<8xf32>

// A copy to another device is a command of the destination. The skip connection has one, too.
// CHECK-LABEL: tfx_stream.schedule @skip.schedule(
// CHECK-SAME:    %[[S:.*]]: !tfx_stream.stream<cpu>, %[[T:.*]]: !tfx_stream.stream<cpu:1>, %[[U:.*]]: !tfx_stream.stream<cpu:2>
// CHECK:         %[[A:.*]] = tfx_stream.launch %[[S]] @skip.kernel(
// CHECK:         tfx_stream.wait %[[T]] for
// CHECK:         tfx_stream.copy %[[T]]
// CHECK:         tfx_stream.launch %[[T]] @skip.kernel_0(
// CHECK:         tfx_stream.copy %[[U]]
// CHECK:         tfx_stream.copy %[[U]] %{{.*}} as %[[A]] to
// CHECK:         tfx_stream.launch %[[U]] @skip.kernel_1(
tfx_tensor.graph @skip(%x: !t) -> !t {
  %a = tfx_tensor.op "Exp"(%x) : (!t) -> !t
  %b = tfx_comm.copy %a from <cpu> to <cpu:1> : !t
  %c = tfx_tensor.op "Neg"(%b) : (!t) -> !t
  %d = tfx_comm.copy %c from <cpu:1> to <cpu:2> : !t
  %e = tfx_comm.copy %a from <cpu> to <cpu:2> : !t
  %f = tfx_tensor.op "AddV2"(%d, %e) : (!t, !t) -> !t
  tfx_tensor.return %f : !t
}

// -----

// Roles do not share kernels. A copy between them is no command: the bytes are the same.
!t = tensor<8xf32>
// CHECK-LABEL: tfx_stream.schedule @roles.schedule(
// CHECK:         %[[A:.*]] = tfx_stream.launch %{{.*}} @roles.kernel(%{{.*}} read as %{{.*}}, %[[B:.*]] write)
// CHECK-NOT:     tfx_stream.copy
// CHECK:         tfx_stream.launch %{{.*}} @roles.kernel_0(%[[B]] read as %[[A]], %
// CHECK:         tfx_stream.copy
// CHECK:         tfx_stream.launch %{{.*}} @roles.kernel_1(
tfx_tensor.graph @roles(%x: !t) -> !t {
  %a = tfx_tensor.op "Exp"(%x) : (!t) -> !t
  %b = tfx_comm.copy %a from <cpu> to <cpu, "side"> : !t
  %c = tfx_tensor.op "Neg"(%b) : (!t) -> !t
  %d = tfx_comm.copy %c from <cpu, "side"> to <cpu:1> : !t
  %e = tfx_tensor.op "Neg"(%d) : (!t) -> !t
  tfx_tensor.return %e : !t
}

// -----

// What is copied to a result of the graph is a command in any case.
!t = tensor<8xf32>
// CHECK-LABEL: tfx_stream.schedule @returned.schedule(
// CHECK:         tfx_stream.copy
// CHECK:         tfx_stream.copy
tfx_tensor.graph @returned(%x: !t) -> (!t, !t, !t) {
  %a = tfx_tensor.op "Exp"(%x) : (!t) -> !t
  %b = tfx_comm.copy %a from <cpu> to <cpu, "side"> : !t
  %c = tfx_comm.copy %a from <cpu> to <cpu:1> : !t
  %d = tfx_tensor.op "Neg"(%c) : (!t) -> !t
  tfx_tensor.return %a, %b, %d : !t, !t, !t
}

// -----

// A kernel stores a constant that is copied.
!t = tensor<8xf32>
// CHECK-LABEL: tfx_stream.schedule @constant.schedule(
// CHECK:         tfx_stream.launch %{{.*}} @constant.kernel
// CHECK:         tfx_stream.copy
tfx_tensor.graph @constant(%x: !t) -> !t {
  %a = tfx_tensor.const dense<1.0> : !t
  %b = tfx_comm.copy %a from <cpu> to <cpu:1> : !t
  %c = tfx_tensor.op "AddV2"(%b, %x) : (!t, !t) -> !t
  tfx_tensor.return %c : !t
}

// -----

// Without known sizes there is no schedule, so that the places have no effect.
!t = tensor<?xf32>
// CHECK-LABEL: tfx_tensor.graph @unknown
// CHECK-NOT:     tfx_comm.copy
// WARN: bufferize-streams-places.mlir:[[# @LINE + 3]]:8: warning: this copy has no effect, because it has no schedule: {{.*}}?
tfx_tensor.graph @unknown(%x: !t) -> !t {
  %a = tfx_tensor.op "Exp"(%x) : (!t) -> !t
  %b = tfx_comm.copy %a from <cpu> to <cpu:1> : !t
  %c = tfx_tensor.op "Neg"(%b) : (!t) -> !t
  tfx_tensor.return %c : !t
}
