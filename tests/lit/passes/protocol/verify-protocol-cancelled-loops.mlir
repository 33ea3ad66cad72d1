// RUN: tfx-opt --split-input-file --tfx-verify-protocol %s | FileCheck %s
// RUN: tfx-opt --split-input-file --tfx-verify-protocol %s | tfx-opt --split-input-file --tfx-verify-protocol | FileCheck %s

// If only messages precede the cancellation of a graph, they may match a prefix of its loops, as far
// as the iterations are certain to run.

// A loop with constant bounds runs five iterations. The host waits for two of them, and the graph may
// have sent all five messages by then.

// CHECK-LABEL: tfx_tensor.graph @counted(
// CHECK-SAME:    tfx_comm.protocol = [{channels = ["0 holds 5"], host = @first_two, order = ["body: 0 to_host, 0 to_host"]}]
tfx_tensor.graph @counted(%x: tensor<f32>) channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %five = arith.constant 5 : index
  scf.for %i = %zero to %five step %one {
    tfx_comm.send %x to 0 : tensor<f32>
  }
  tfx_tensor.return
}
func.func @first_two(%x: tensor<f32>) {
  %program = tfx_comm.start @counted(%x) : tensor<f32>
  %a = tfx_comm.recv %program from 0 : tensor<f32>
  %b = tfx_comm.recv %program from 0 : tensor<f32>
  tfx_comm.terminate %program
  tfx_host.print "{} {}"(%a, %b) : tensor<f32>, tensor<f32>
  return
}

// -----

// A loop whose condition region contains the messages runs at least once.

// CHECK-LABEL: tfx_tensor.graph @tests_at_the_end(
// CHECK-SAME:    tfx_comm.protocol = [{channels = ["0 can grow"], host = @first, order = ["body: 0 to_host"]}]
tfx_tensor.graph @tests_at_the_end(%x: tensor<f32>, %n: i32) channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.while (%i = %zero) : (i32) -> i32 {
    tfx_comm.send %x to 0 : tensor<f32>
    %j = arith.addi %i, %one : i32
    %go = arith.cmpi slt, %j, %n : i32
    scf.condition(%go) %j : i32
  } do {
  ^bb0(%j: i32):
    scf.yield %j : i32
  }
  tfx_tensor.return
}
func.func @first(%x: tensor<f32>, %n: i32) {
  %program = tfx_comm.start @tests_at_the_end(%x, %n) : tensor<f32>, i32
  %a = tfx_comm.recv %program from 0 : tensor<f32>
  tfx_comm.terminate %program
  return
}

// -----

// The host waits for the first message only if the first condition of the loop is true. It has
// computed the condition itself.

// CHECK-LABEL: tfx_tensor.graph @tests_at_the_start(
// CHECK-SAME:    tfx_comm.protocol = [{channels = ["0 can grow"], host = @if_any, order = ["body: 0 to_host"]}]
tfx_tensor.graph @tests_at_the_start(%x: tensor<f32>, %n: i32) channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
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
func.func @if_any(%x: tensor<f32>, %n: i32) -> tensor<f32> {
  %zero = arith.constant 0 : i32
  %program = tfx_comm.start @tests_at_the_start(%x, %n) : tensor<f32>, i32
  %any = arith.cmpi slt, %zero, %n : i32
  %r = scf.if %any -> tensor<f32> {
    %a = tfx_comm.recv %program from 0 : tensor<f32>
    tfx_comm.terminate %program
    scf.yield %a : tensor<f32>
  } else {
    tfx_comm.terminate %program
    scf.yield %x : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

// The host sends two requests to a graph with an endless loop. After the last reply the graph waits,
// so no channel holds more than one message.

// CHECK-LABEL: tfx_tensor.graph @serve(
// CHECK-SAME:    tfx_comm.protocol = [{channels = ["0 holds 1", "1 holds 1"], host = @ask_twice, order = ["body: 0 to_graph, 1 to_host, 0 to_graph, 1 to_host"]}]
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
func.func @ask_twice(%x: tensor<f32>) -> tensor<f32> {
  %program = tfx_comm.start @serve()
  tfx_comm.send %x to %program 0 : tensor<f32>
  %y = tfx_comm.recv %program from 1 : tensor<f32>
  tfx_comm.send %y to %program 0 : tensor<f32>
  %z = tfx_comm.recv %program from 1 : tensor<f32>
  tfx_comm.terminate %program
  return %z : tensor<f32>
}

// -----

// Nested loops, a loop without iterations, and the code after them.

// CHECK-LABEL: tfx_tensor.graph @nested(
// CHECK-SAME:    tfx_comm.protocol = [{channels = ["0 holds 6", "1 holds 1", "2 is not used"], host = @past_the_loops,
// CHECK-SAME:    order = ["body: 0 to_host, 0 to_host, 0 to_host, 0 to_host, 0 to_host, 0 to_host, 1 to_host"]}]
tfx_tensor.graph @nested(%x: tensor<f32>)
    channels [#tfx_comm.channel<0, to_host, tensor<f32>>, #tfx_comm.channel<1, to_host, tensor<f32>>, #tfx_comm.channel<2, to_host, tensor<f32>>] {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  scf.for %i = %zero to %zero step %one : i32 {
    tfx_comm.send %x to 2 : tensor<f32>
  }
  scf.for %i = %zero to %two step %one : i32 {
    %r = scf.while (%j = %zero) : (i32) -> i32 {
      %go = arith.cmpi slt, %j, %three : i32
      scf.condition(%go) %j : i32
    } do {
    ^bb0(%j: i32):
      tfx_comm.send %x to 0 : tensor<f32>
      %k = arith.addi %j, %one : i32
      scf.yield %k : i32
    }
  }
  tfx_comm.send %x to 1 : tensor<f32>
  tfx_tensor.return
}
func.func @past_the_loops(%x: tensor<f32>) {
  %program = tfx_comm.start @nested(%x) : tensor<f32>
  %a = tfx_comm.recv %program from 0 : tensor<f32>
  %b = tfx_comm.recv %program from 0 : tensor<f32>
  %c = tfx_comm.recv %program from 0 : tensor<f32>
  %d = tfx_comm.recv %program from 0 : tensor<f32>
  %e = tfx_comm.recv %program from 0 : tensor<f32>
  %f = tfx_comm.recv %program from 0 : tensor<f32>
  %g = tfx_comm.recv %program from 1 : tensor<f32>
  tfx_comm.terminate %program
  return
}

// -----

// The messages that a graph sends after the last one that the host waits for also occupy the
// channels: in a loop that the host does not have, in a branch, and after the branch in which the
// graph is cancelled. The graph sends nothing after a message that never arrives.

// CHECK-LABEL: tfx_tensor.graph @runs_on(
// CHECK-SAME:    tfx_comm.protocol = [{channels = ["0 holds 3", "1 holds 4", "2 can grow", "3 holds 1", "4 holds 1", "5 is not used"], host = @stops_early
tfx_tensor.graph @runs_on(%x: tensor<f32>, %p: i1, %n: index)
    channels [#tfx_comm.channel<0, to_host, tensor<f32>>, #tfx_comm.channel<1, to_host, tensor<f32>>, #tfx_comm.channel<2, to_host, tensor<f32>>,
              #tfx_comm.channel<3, to_host, tensor<f32>>, #tfx_comm.channel<4, to_graph, tensor<f32>>, #tfx_comm.channel<5, to_host, tensor<f32>>] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  tfx_comm.send %x to 0 : tensor<f32>
  tfx_comm.send %x to 0 : tensor<f32>
  tfx_comm.send %x to 0 : tensor<f32>
  scf.for %i = %zero to %four step %one {
    tfx_comm.send %x to 1 : tensor<f32>
  }
  scf.for %i = %zero to %n step %one {
    tfx_comm.send %x to 2 : tensor<f32>
  }
  scf.if %p {
    tfx_comm.send %x to 3 : tensor<f32>
  }
  %y = tfx_comm.recv from 4 : tensor<f32>
  %z = tfx_comm.recv from 4 : tensor<f32>
  tfx_comm.send %z to 5 : tensor<f32>
  tfx_tensor.return
}
func.func @stops_early(%x: tensor<f32>, %p: i1, %n: index) {
  %program = tfx_comm.start @runs_on(%x, %p, %n) : tensor<f32>, i1, index
  %a = tfx_comm.recv %program from 0 : tensor<f32>
  tfx_comm.send %x to %program 4 : tensor<f32>
  tfx_comm.terminate %program
  return
}

// -----

// CHECK-LABEL: tfx_tensor.graph @behind_a_branch(
// CHECK-SAME:    tfx_comm.protocol = [{channels = ["0 holds 1", "1 holds 2"], host = @stops_in_a_branch
tfx_tensor.graph @behind_a_branch(%x: tensor<f32>, %p: i1)
    channels [#tfx_comm.channel<0, to_host, tensor<f32>>, #tfx_comm.channel<1, to_host, tensor<f32>>] {
  scf.if %p {
    tfx_comm.send %x to 0 : tensor<f32>
    tfx_comm.send %x to 1 : tensor<f32>
  }
  tfx_comm.send %x to 1 : tensor<f32>
  tfx_tensor.return
}
func.func @stops_in_a_branch(%x: tensor<f32>, %p: i1) {
  %program = tfx_comm.start @behind_a_branch(%x, %p) : tensor<f32>, i1
  scf.if %p {
    %a = tfx_comm.recv %program from 0 : tensor<f32>
    tfx_comm.terminate %program
    tfx_host.abort "no"
  }
  %b = tfx_comm.recv %program from 1 : tensor<f32>
  tfx_comm.finish %program
  return
}
