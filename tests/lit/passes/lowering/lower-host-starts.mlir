// A graph runs on the thread of the host, which creates no thread, if the host has nothing to do
// between its start and its end. The runtime starts graphs with channels on a thread in any case.

// RUN: tfx-opt --pass-pipeline='builtin.module(tfx-lower-host)' %s | FileCheck %s
// RUN: tfxc run %s --stats 2>&1 | FileCheck %s --check-prefix=OUTPUT

tfx_tensor.graph @double(%x: tensor<f32>) -> tensor<f32> {
  %y = tfx_tensor.op "AddV2"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  tfx_tensor.return %y : tensor<f32>
}

// CHECK-LABEL: func.func @at_once
// CHECK: call @tfx_program_start_deferred
// CHECK: call @tfx_program_finish
func.func @at_once(%x: tensor<f32>, %n: i32) -> (tensor<f32>, i32) {
  %p = tfx_comm.start @double(%x) : tensor<f32>
  %m = arith.addi %n, %n : i32
  %y = tfx_comm.finish %p : tensor<f32>
  return %y, %m : tensor<f32>, i32
}

// The host prints while the graph runs.
// CHECK-LABEL: func.func @later
// CHECK: call @tfx_program_start(
// CHECK: call @tfx_print
// CHECK: call @tfx_program_finish
func.func @later(%x: tensor<f32>, %n: i32) -> tensor<f32> {
  %p = tfx_comm.start @double(%x) : tensor<f32>
  tfx_host.print "meanwhile {}"(%n) : i32
  %y = tfx_comm.finish %p : tensor<f32>
  return %y : tensor<f32>
}

// Two graphs run concurrently, so that only the second one may wait for its finish.
// CHECK-LABEL: func.func @both
// CHECK: call @tfx_program_start(
// CHECK: call @tfx_program_start(
func.func @both(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %p = tfx_comm.start @double(%x) : tensor<f32>
  %q = tfx_comm.start @double(%x) : tensor<f32>
  %y = tfx_comm.finish %p : tensor<f32>
  %z = tfx_comm.finish %q : tensor<f32>
  return %y, %z : tensor<f32>, tensor<f32>
}

// OUTPUT: 4.0 8
// OUTPUT: meanwhile 4
// OUTPUT: 4.0
// OUTPUT: 4.0 4.0
func.func @main() {
  %x = tfx_tensor.const dense<2.0> : tensor<f32>
  %n = arith.constant 4 : i32
  %0:2 = call @at_once(%x, %n) : (tensor<f32>, i32) -> (tensor<f32>, i32)
  tfx_host.print "{} {}"(%0#0, %0#1) : tensor<f32>, i32
  %1 = call @later(%x, %n) : (tensor<f32>, i32) -> tensor<f32>
  tfx_host.print "{}"(%1) : tensor<f32>
  %2:2 = call @both(%x) : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  tfx_host.print "{} {}"(%2#0, %2#1) : tensor<f32>, tensor<f32>
  return
}
