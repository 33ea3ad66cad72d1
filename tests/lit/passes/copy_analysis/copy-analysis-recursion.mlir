// RUN: tfx-opt --tfx-verify-protocol --tfx-copy-analysis %s -o %t 2>&1 | grep -v '^ ' | FileCheck %s --implicit-check-not=warning
//
// A recursive function is not inlined. Its result, received from its own graph, is sent to the graph of its
// caller, and its argument is sent to its own graph.

tfx_tensor.graph @step.graph(%x: tensor<f32>) channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  %y = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
  tfx_comm.send %y to 0 : tensor<f32>
  tfx_tensor.return
}
func.func private @step(%x: tensor<f32>, %n: i32) -> (tensor<f32>, i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %more = arith.cmpi sgt, %n, %zero : i32
  %r = scf.if %more -> tensor<f32> {
    %p = tfx_comm.start @step.graph(%x) : tensor<f32>
    %y = tfx_comm.recv %p from 0 : tensor<f32>
    tfx_comm.finish %p
    %m = arith.subi %n, %one : i32
    %z:2 = func.call @step(%y, %m) : (tensor<f32>, i32) -> (tensor<f32>, i32)
    scf.yield %z#0 : tensor<f32>
  } else {
    scf.yield %x : tensor<f32>
  }
  return %r, %n : tensor<f32>, i32
}

tfx_tensor.graph @main.graph() channels [#tfx_comm.channel<0, to_graph, tensor<f32>>, #tfx_comm.channel<1, to_graph, i32>] {
  %x = tfx_comm.recv from 0 : tensor<f32>
  %n = tfx_comm.recv from 1 : i32
  tfx_tensor.return
}
// CHECK:      copy-analysis-recursion.mlir:[[#@LINE+8]]:{{.*}}: warning: {{.*}} stalls the accelerator
// CHECK-NEXT: copy-analysis-recursion.mlir:[[#@LINE-17]]:{{.*}}: note: this value is copied to the host (4 bytes)
// CHECK-NEXT: copy-analysis-recursion.mlir:[[#@LINE+5]]:{{.*}}: note: host code uses it here: call of '@step'
func.func @main(%a: tensor<f32>) {
  %two = arith.constant 2 : i32
  %p = tfx_comm.start @main.graph()
  // The returned number does not depend on a receive.
  %r:2 = func.call @step(%a, %two) : (tensor<f32>, i32) -> (tensor<f32>, i32)
  tfx_comm.send %r#0 to %p 0 : tensor<f32>
  tfx_comm.send %r#1 to %p 1 : i32
  tfx_comm.finish %p
  return
}

// A received value is stored in an object that a recursive function gets and reads.
tfx_host.class @Box {x: tensor<f32>}
tfx_tensor.graph @read.graph() channels [#tfx_comm.channel<0, to_graph, tensor<f32>>] {
  %x = tfx_comm.recv from 0 : tensor<f32>
  tfx_tensor.return
}
// CHECK:      copy-analysis-recursion.mlir:[[#@LINE+10]]:{{.*}}: warning: {{.*}} stalls the accelerator
// CHECK-NEXT: copy-analysis-recursion.mlir:[[#@LINE+23]]:{{.*}}: note: this value is copied to the host (4 bytes)
func.func private @read(%box: !tfx_host.object<@Box>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %more = arith.cmpi sgt, %n, %zero : i32
  scf.if %more {
    %p = tfx_comm.start @read.graph()
    %ref = tfx_host.member_ref %box["x"] : !tfx_host.object<@Box> -> !tfx_host.ref<tensor<f32>>
    %x = tfx_host.load %ref : !tfx_host.ref<tensor<f32>>
    tfx_comm.send %x to %p 0 : tensor<f32>
    tfx_comm.finish %p
    %m = arith.subi %n, %one : i32
    func.call @read(%box, %m) : (!tfx_host.object<@Box>, i32) -> ()
  }
  return
}
tfx_tensor.graph @stores.graph() channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  %x = tfx_tensor.const dense<1.0> : tensor<f32>
  tfx_comm.send %x to 0 : tensor<f32>
  tfx_tensor.return
}
func.func @stores(%box: !tfx_host.object<@Box>, %n: i32) {
  %p = tfx_comm.start @stores.graph()
  %x = tfx_comm.recv %p from 0 : tensor<f32>
  tfx_comm.finish %p
  %ref = tfx_host.member_ref %box["x"] : !tfx_host.object<@Box> -> !tfx_host.ref<tensor<f32>>
  tfx_host.store %x, %ref : tensor<f32>
  func.call @read(%box, %n) : (!tfx_host.object<@Box>, i32) -> ()
  return
}
