// The graph receives a number, replies, and then runs a loop without messages, as does the host,
// which ends the program in one of its own iterations. The loop must run neither before the reply nor
// before the operations that the reply waits for, although neither needs the other's values.
//
// RUN: not tfxc interpret %s 2 2>&1 | FileCheck %s
// RUN: not tfxc run %s 2 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ not tfxc run %s 2 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: %if tensorflow %{ not tfxc run %s 2 --executor tensorflow-queues 2>&1 | FileCheck %s %}
//
// CHECK:      answer 20
// CHECK-NEXT: endless_after_a_message.mlir:[[@LINE+39]]:7: error: spent
//
// RUN: tfx-opt %s --tfx-compile-graph 2>/dev/null \
// RUN:   | tfx-translate --mlir-to-graphdef --text | FileCheck %s --check-prefix=GRAPH
//
// GRAPH:      name: "[[SEND:tfx.*QueueEnqueueV2]]"
// GRAPH:      op: "StatelessWhile"
// GRAPH:      input: "^[[SEND]]"

tfx_tensor.graph @spin(%x: i32) channels [#tfx_comm.channel<0, to_graph, i32>, #tfx_comm.channel<1, to_host, i32>] {
  %two = arith.constant 2 : i32
  %one = arith.constant 1 : i32
  %y = tfx_comm.recv from 0 : i32
  %z = arith.muli %x, %y : i32
  tfx_comm.send %z to 1 : i32
  %r = scf.while (%i = %x) : (i32) -> i32 {
    %j = arith.addi %i, %one : i32
    %go = arith.cmpi eq, %x, %two : i32
    scf.condition(%go) %j : i32
  } do {
  ^bb0(%i: i32):
    scf.yield %i : i32
  }
  tfx_tensor.return
}
func.func @main(%x: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %ten = arith.constant 10 : i32
  %run = tfx_comm.start @spin(%x) : i32
  tfx_comm.send %ten to %run 0 : i32
  %answer = tfx_comm.recv %run from 1 : i32
  tfx_host.print "answer {}"(%answer) : i32
  %r = scf.while (%i = %zero) : (i32) -> i32 {
    %spent = arith.cmpi eq, %i, %three : i32
    scf.if %spent {
      tfx_comm.terminate %run
      tfx_host.abort "spent"
    }
    %j = arith.addi %i, %one : i32
    %go = arith.cmpi eq, %x, %two : i32
    scf.condition(%go) %j : i32
  } do {
  ^bb0(%i: i32):
    scf.yield %i : i32
  }
  tfx_comm.finish %run
  return
}
