// Kernels of CUDA devices have their operands and results in memory of the device.

// RUN: tfx-opt --split-input-file --tfx-bufferize-streams=pipelines=true --tfx-assign-streams=streams=1 --tfx-insert-events --tfx-plan-memory --tfx-verify-memory --tfx-verify-schedule --tfx-lower-streams %s | FileCheck %s

!t = tensor<8xf32>

// A copy from the host is a command of the device, and so is one to the host. The result of a
// kernel that is returned is copied to the memory of the caller.
// CHECK-LABEL: tfx_stream.schedule @there_and_back.schedule(
// CHECK-SAME:    %[[S:.*]]: !tfx_stream.stream<cpu>, %[[T:.*]]: !tfx_stream.stream<cuda>,
// CHECK:         tfx_stream.launch %[[S]] @there_and_back.kernel(
// CHECK:         tfx_stream.wait %[[T]] for
// CHECK:         tfx_stream.copy %[[T]] {{.*}} !tfx_stream.buffer<32, host> to !tfx_stream.buffer<32, cuda>
// CHECK:         tfx_stream.launch %[[T]] @there_and_back.kernel_0(
// CHECK:         tfx_stream.copy %[[T]] {{.*}} !tfx_stream.buffer<32, cuda> to !tfx_stream.buffer<32, host>
// CHECK:         tfx_stream.wait %[[S]] for
// CHECK:         tfx_stream.launch %[[S]] @there_and_back.kernel_1(
tfx_tensor.graph @there_and_back(%x: !t) -> !t {
  %a = tfx_tensor.op "Exp"(%x) : (!t) -> !t
  %b = tfx_comm.copy %a from <cpu> to <cuda> : !t
  %c = tfx_tensor.op "Neg"(%b) : (!t) -> !t
  %d = tfx_comm.copy %c from <cuda> to <cpu> : !t
  %e = tfx_tensor.op "Exp"(%d) : (!t) -> !t
  tfx_tensor.return %e : !t
}

// -----

// An argument is copied to each device that uses it, once, and a result is copied back where it is
// computed. A copy from one device to another is a command of the destination.
!t = tensor<8xf32>
// CHECK-LABEL: tfx_stream.schedule @two_devices.schedule(
// CHECK-SAME:    %[[S:.*]]: !tfx_stream.stream<cuda>, %[[T:.*]]: !tfx_stream.stream<cuda:1>, %[[X:[a-z0-9]+]]: !tfx_stream.buffer<32, host>
// CHECK-DAG:     tfx_stream.copy %[[S]] %[[X]] {{.*}} !tfx_stream.buffer<32, host> to !tfx_stream.buffer<32, cuda>
// CHECK-DAG:     tfx_stream.copy %[[T]] %[[X]] {{.*}} !tfx_stream.buffer<32, host> to !tfx_stream.buffer<32, cuda:1>
// CHECK-DAG:     tfx_stream.copy %[[T]] {{.*}} !tfx_stream.buffer<32, cuda> to !tfx_stream.buffer<32, cuda:1>
// CHECK-DAG:     tfx_stream.copy %[[S]] {{.*}} !tfx_stream.buffer<32, cuda> to !tfx_stream.buffer<32, host>
// CHECK-DAG:     tfx_stream.copy %[[T]] {{.*}} !tfx_stream.buffer<32, cuda:1> to !tfx_stream.buffer<32, host>
// CHECK-NOT:     tfx_stream.copy
tfx_tensor.graph @two_devices(%x: !t) -> (!t, !t) {
  %n = tfx_tensor.op "Neg"(%x) : (!t) -> !t
  %a = tfx_comm.copy %n from <cuda> to <cuda:1> : !t
  %b = tfx_tensor.op "AddV2"(%a, %x) : (!t, !t) -> !t
  tfx_tensor.return %n, %b : !t, !t
}
