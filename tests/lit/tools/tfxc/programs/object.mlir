// An object with a number and a tensor, changed by a function and in a loop: its tensor comes from the graph and is sent back in every iteration.
//
// RUN: tfxc run %s 3 --stats 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 3 --stats --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfxc build %s -o %t && %t 3 --stats 2>&1 | FileCheck %s
//
// CHECK:      w = [  1. 256.]
// CHECK-NEXT: value = 3
// CHECK:      {{0 +to graph +f32 +3 +24 }}
// CHECK:      {{1 +to host +f32 +3 +24 }}
// CHECK:      objects, closures and arrays: 1 created, 0 not freed, with 0 tensors

tfx_host.class @Counter {value: i32, w: tensor<2xf32>}
func.func private @bump(%c: !tfx_host.object<@Counter>, %by: i32) {
  %r = tfx_host.member_ref %c["value"] : !tfx_host.object<@Counter> -> !tfx_host.ref<i32>
  %v = tfx_host.load %r : !tfx_host.ref<i32>
  %n = arith.addi %v, %by : i32
  tfx_host.store %n, %r : i32
  return
}
func.func @main(%n: i32) -> (i32 {tfx.name = "value"}) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %w = tfx_tensor.const dense<[1.0, 2.0]> : tensor<2xf32>
  %c = tfx_host.new(%zero, %w) : (i32, tensor<2xf32>) -> !tfx_host.object<@Counter>
  scf.for %i = %zero to %n step %one : i32 {
    func.call @bump(%c, %i) : (!tfx_host.object<@Counter>, i32) -> ()
    %rw = tfx_host.member_ref %c["w"] : !tfx_host.object<@Counter> -> !tfx_host.ref<tensor<2xf32>>
    %v = tfx_host.load %rw : !tfx_host.ref<tensor<2xf32>>
    %v2 = tfx_tensor.op "Mul"(%v, %v) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    tfx_host.store %v2, %rw : tensor<2xf32>
  }
  %r = tfx_host.member_ref %c["value"] : !tfx_host.object<@Counter> -> !tfx_host.ref<i32>
  %v = tfx_host.load %r : !tfx_host.ref<i32>
  %rw = tfx_host.member_ref %c["w"] : !tfx_host.object<@Counter> -> !tfx_host.ref<tensor<2xf32>>
  %x = tfx_host.load %rw : !tfx_host.ref<tensor<2xf32>>
  tfx_host.print "w = {}"(%x) : tensor<2xf32>
  return %v : i32
}
