// Two fields of an object that nothing in the loop writes: they are read before the loop and are inputs
// of the graph, so that nothing crosses.
//
// RUN: tfxc run %s 5 --stats 2>&1 | FileCheck %s
// RUN: tfxc run %s 0 --stats 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %if tensorflow %{ tfxc run %s 5 --stats --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: %if tensorflow %{ tfxc run %s 0 --stats --executor tensorflow 2>&1 | FileCheck %s --check-prefix=NONE %}
// RUN: tfxc interpret %s 5 | FileCheck %s --check-prefix=RESULT
//
// RESULT:     w = -12.0
// CHECK:      w = -12.0
// CHECK:      no channels
// NONE:       w = 8.0
// NONE:       no channels

!T = tensor<f32>
tfx_host.class @Hyper {rate: f32, w: tensor<f32>}
!H = !tfx_host.object<@Hyper>
func.func @main(%n: i32) -> (!T {tfx.name = "w"}) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %half = arith.constant 0.5 : f32
  %w0 = tfx_tensor.const dense<8.0> : !T
  %h = tfx_host.new(%half, %w0) : (f32, !T) -> !H
  %w = scf.for %i = %zero to %n step %one iter_args(%a = %w0) -> !T : i32 {
    %rr = tfx_host.member_ref %h["rate"] : !H -> !tfx_host.ref<f32>
    %rate = tfx_host.load %rr : !tfx_host.ref<f32>
    %t = tfx_tensor.from_scalar %rate : f32
    %rw = tfx_host.member_ref %h["w"] : !H -> !tfx_host.ref<!T>
    %k = tfx_host.load %rw : !tfx_host.ref<!T>
    %d = tfx_tensor.op "Mul"(%k, %t) : (!T, !T) -> !T
    %b = tfx_tensor.op "Sub"(%a, %d) : (!T, !T) -> !T
    scf.yield %b : !T
  }
  return %w : !T
}
