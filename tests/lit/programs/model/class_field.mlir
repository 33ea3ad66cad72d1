// A field of a class is read and written in each iteration of a loop: it is stored on the host, so the weights cross in both directions each time, and the warning names the
// field as the reason.
//
// RUN: tfxc run %s 4 2>/dev/null | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 4 --executor tensorflow 2>/dev/null | FileCheck %s %}
// RUN: tfxc run %s 4 --stats 2>&1 >/dev/null | FileCheck %s --check-prefix=STATS
// RUN: %if tensorflow %{ tfxc run %s 4 --stats --executor tensorflow 2>&1 >/dev/null | FileCheck %s --check-prefix=STATS %}
// RUN: tfx-opt %s --tfx-extract 2>/dev/null | FileCheck %s --check-prefix=IR
//
// CHECK: w = [  1. 256.]
//
// STATS:      {{0 +to graph +f32 +4 +32 }}
// STATS-NEXT: {{1 +to host +f32 +4 +32 }}
// STATS-NOT:  {{2 +to}}
//
// IR:      tfx_tensor.graph @main.graph(%{{.*}}: i32)
// IR-SAME:     channels [#tfx_comm.channel<0, to_graph, tensor<2xf32>, capacity = 1>, #tfx_comm.channel<1, to_host, tensor<2xf32>, capacity = 1>]
// IR:      func.func @main(
// IR:        scf.while
// IR:          %[[W:.*]] = tfx_host.load
// IR-NEXT:     tfx_comm.send %[[W]]
// IR-NEXT:     %[[N:.*]] = tfx_comm.recv
// IR-NEXT:     tfx_host.store %[[N]]

!T = tensor<2xf32>
tfx_host.class @Model {w: !T}
!Model = !tfx_host.object<@Model>
func.func private @step(%w: !T) -> !T {
  %two = tfx_tensor.const dense<[1.0, 4.0]> : !T
  %n = tfx_tensor.op "Mul"(%w, %two) : (!T, !T) -> !T
  return %n : !T
}
func.func @main(%n: i32) -> (!T {tfx.name = "w"}) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %w0 = tfx_tensor.const dense<1.0> : !T
  %m = tfx_host.new(%w0) : (!T) -> !Model
  scf.for %i = %zero to %n step %one : i32 {
    %r = tfx_host.member_ref %m["w"] : !Model -> !tfx_host.ref<!T>
    %w = tfx_host.load %r : !tfx_host.ref<!T>
    %next = func.call @step(%w) : (!T) -> !T
    tfx_host.store %next, %r : !T
  }
  %r = tfx_host.member_ref %m["w"] : !Model -> !tfx_host.ref<!T>
  %w = tfx_host.load %r : !tfx_host.ref<!T>
  return %w : !T
}
