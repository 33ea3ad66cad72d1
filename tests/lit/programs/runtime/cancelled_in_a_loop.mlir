// A host that cancels a graph in a loop of the graph and continues. It awaits the first message only
// if the loop runs an iteration; the later messages of the graph are irrelevant, even if they are a
// million. The second graph runs indefinitely, and is cancelled after two replies.
//
// RUN: tfxc interpret %s 0 | FileCheck %s
// RUN: tfxc interpret %s 1000 | FileCheck %s
// RUN: tfxc run %s 0 | FileCheck %s
// RUN: tfxc run %s 1000000 | FileCheck %s
// RUN: tfxc build %s -o %t && %t 1000000 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 0 --executor tensorflow | FileCheck %s %}
// RUN: %if tensorflow %{ tfxc run %s 1000000 --executor tensorflow | FileCheck %s %}
// RUN: %if tensorflow %{ tfxc run %s 1000000 --executor tensorflow-queues | FileCheck %s %}
//
// CHECK:      first 10.0
// CHECK-NEXT: answers -10.0 10.0

tfx_tensor.graph @count(%x: tensor<f32>, %n: i32) channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.while (%i = %zero) : (i32) -> i32 {
    %go = arith.cmpi slt, %i, %n : i32
    scf.condition(%go) %i : i32
  } do {
  ^bb0(%i: i32):
    tfx_comm.send %x to 0 : tensor<f32>
    %j = arith.addi %i, %one : i32
    scf.yield %j : i32
  }
  tfx_tensor.return
}
tfx_tensor.graph @serve() channels [#tfx_comm.channel<0, to_graph, tensor<f32>>, #tfx_comm.channel<1, to_host, tensor<f32>>] {
  %true = arith.constant true
  scf.while : () -> () {
    scf.condition(%true)
  } do {
    %x = tfx_comm.recv from 0 : tensor<f32>
    %y = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
    tfx_comm.send %y to 1 : tensor<f32>
    scf.yield
  }
  tfx_tensor.return
}
func.func @main(%n: i32) {
  %x = tfx_tensor.const dense<10.0> : tensor<f32>
  %zero = arith.constant 0 : i32
  %count = tfx_comm.start @count(%x, %n) : tensor<f32>, i32
  %any = arith.cmpi slt, %zero, %n : i32
  %r = scf.if %any -> tensor<f32> {
    %a = tfx_comm.recv %count from 0 : tensor<f32>
    tfx_comm.terminate %count
    scf.yield %a : tensor<f32>
  } else {
    tfx_comm.terminate %count
    scf.yield %x : tensor<f32>
  }
  tfx_host.print "first {}"(%r) : tensor<f32>
  %serve = tfx_comm.start @serve()
  tfx_comm.send %x to %serve 0 : tensor<f32>
  %y = tfx_comm.recv %serve from 1 : tensor<f32>
  tfx_comm.send %y to %serve 0 : tensor<f32>
  %z = tfx_comm.recv %serve from 1 : tensor<f32>
  tfx_comm.terminate %serve
  tfx_host.print "answers {} {}"(%y, %z) : tensor<f32>, tensor<f32>
  return
}
