// RUN: tfx-opt --tfx-verify-protocol --split-input-file %s -o %t.once
// RUN: FileCheck %s < %t.once
// The certificate round-trips, and a second verification writes the same one.
// RUN: tfx-opt --tfx-verify-protocol --split-input-file %t.once | diff %t.once -

// A round trip in a loop: each side waits for the other once in each iteration. The loops correspond,
// although that of the graph starts from program inputs and has more iteration arguments.

// CHECK-LABEL: tfx_tensor.graph @round_trip.graph(
// CHECK-SAME:    channels [#tfx_comm.channel<0, to_host, tensor<f32>, capacity = 1>, #tfx_comm.channel<1, to_graph, tensor<f32>, capacity = 1>]
// CHECK-SAME:    attributes {tfx_comm.protocol = [{channels = ["0 holds 1", "1 holds 1"], host = @round_trip,
// CHECK-SAME:      order = ["body: while 0", "while 0 body: 0 to_host, 1 to_graph"]}]} {
func.func private @h(tensor<f32>) -> tensor<f32>
tfx_tensor.graph @round_trip.graph(%x: tensor<f32>, %n: i32) -> tensor<f32>
    channels [#tfx_comm.channel<0, to_host, tensor<f32>>, #tfx_comm.channel<1, to_graph, tensor<f32>>] {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r:2 = scf.while (%v = %x, %i = %zero) : (tensor<f32>, i32) -> (tensor<f32>, i32) {
    %go = arith.cmpi slt, %i, %n : i32
    scf.condition(%go) %v, %i : tensor<f32>, i32
  } do {
  ^bb0(%v: tensor<f32>, %i: i32):
    tfx_comm.send %v to 0 : tensor<f32>
    %w = tfx_comm.recv from 1 : tensor<f32>
    %j = arith.addi %i, %one : i32
    scf.yield %w, %j : tensor<f32>, i32
  }
  tfx_tensor.return %r#0 : tensor<f32>
}
func.func @round_trip(%x: tensor<f32>, %trips: i32) -> tensor<f32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %program = tfx_comm.start @round_trip.graph(%x, %trips) : tensor<f32>, i32
  %r = scf.while (%i = %zero) : (i32) -> i32 {
    %go = arith.cmpi slt, %i, %trips : i32
    scf.condition(%go) %i : i32
  } do {
  ^bb0(%i: i32):
    %v = tfx_comm.recv %program from 0 : tensor<f32>
    %w = func.call @h(%v) : (tensor<f32>) -> tensor<f32>
    %j = arith.addi %i, %one : i32
    tfx_comm.send %w to %program 1 : tensor<f32>
    scf.yield %j : i32
  }
  %y = tfx_comm.finish %program : tensor<f32>
  return %y : tensor<f32>
}

// -----

// The orders differ, but a capacity of 1 is sufficient. Messages without a reply may accumulate,
// unless their number is known.

// CHECK-LABEL: tfx_tensor.graph @orders.graph(
// CHECK-SAME:    #tfx_comm.channel<0, to_host, f32, capacity = 3>, #tfx_comm.channel<1, to_host, i32, capacity = 1>,
// CHECK-SAME:    #tfx_comm.channel<2, to_graph, f32>, #tfx_comm.channel<3, to_graph, i1, capacity = 5>]
// CHECK-SAME:    channels = ["0 holds 3", "1 holds 1", "2 can grow", "3 holds 1"], host = @orders,
// CHECK-SAME:    order = ["body: 1 to_host, 0 to_host, 0 to_host, 3 to_graph, 0 to_host, for 0", "for 0 body: 2 to_graph"]
tfx_tensor.graph @orders.graph(%x: f32, %i: i32, %n: index)
    channels [#tfx_comm.channel<0, to_host, f32>, #tfx_comm.channel<1, to_host, i32>, #tfx_comm.channel<2, to_graph, f32>,
              #tfx_comm.channel<3, to_graph, i1, capacity = 5>] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  tfx_comm.send %x to 0 : f32
  tfx_comm.send %i to 1 : i32
  tfx_comm.send %x to 0 : f32
  tfx_comm.send %x to 0 : f32
  %b = tfx_comm.recv from 3 : i1
  scf.for %k = %zero to %n step %one {
    %f = tfx_comm.recv from 2 : f32
  }
  tfx_tensor.return
}
func.func @orders(%x: f32, %i: i32, %n: index, %b: i1) {
  %program = tfx_comm.start @orders.graph(%x, %i, %n) : f32, i32, index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %j = tfx_comm.recv %program from 1 : i32
  %a0 = tfx_comm.recv %program from 0 : f32
  %a1 = tfx_comm.recv %program from 0 : f32
  tfx_comm.send %b to %program 3 : i1
  %a2 = tfx_comm.recv %program from 0 : f32
  scf.for %k = %zero to %n step %one {
    tfx_comm.send %a2 to %program 2 : f32
  }
  tfx_comm.finish %program
  return
}

// -----

// A reply in one arm bounds nothing, a reply in each arm does. A message that is sent directly after
// a reply may still be in the channel when the next one is sent.

// CHECK-LABEL: tfx_tensor.graph @replies.graph(
// CHECK-SAME:    channels = ["0 holds 2", "1 holds 1", "2 can grow", "3 holds 1"]
tfx_tensor.graph @replies.graph(%n: index)
    channels [#tfx_comm.channel<0, to_host, i1>, #tfx_comm.channel<1, to_graph, i1>, #tfx_comm.channel<2, to_host, i1>,
              #tfx_comm.channel<3, to_graph, i1>] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %true = arith.constant true
  scf.for %k = %zero to %n step %one {
    %c = tfx_comm.recv from 1 : i1
    tfx_comm.send %c to 0 : i1
    tfx_comm.send %true to 0 : i1
  }
  scf.for %k = %zero to %n step %one {
    %last = arith.cmpi eq, %k, %one : index
    tfx_comm.send %true to 2 : i1
    scf.if %last {
      %c = tfx_comm.recv from 3 : i1
    }
  }
  tfx_tensor.return
}
func.func @replies(%n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %true = arith.constant true
  %program = tfx_comm.start @replies.graph(%n) : index
  scf.for %k = %zero to %n step %one {
    tfx_comm.send %true to %program 1 : i1
    %c = tfx_comm.recv %program from 0 : i1
    %d = tfx_comm.recv %program from 0 : i1
  }
  scf.for %k = %zero to %n step %one {
    %last = arith.cmpi eq, %k, %one : index
    %c = tfx_comm.recv %program from 2 : i1
    scf.if %last {
      tfx_comm.send %true to %program 3 : i1
    }
  }
  tfx_comm.finish %program
  return
}

// -----

// Loops with a constant trip count bound their messages: 3 in one loop, 2 in each iteration of
// another, 3 times 4 in a nest, and one more in a condition region. A large bound is recorded, but
// the channel keeps the capacity of the runtime.

// CHECK-LABEL: tfx_tensor.graph @counted.graph(
// CHECK-SAME:    channels [#tfx_comm.channel<0, to_host, i1, capacity = 4>, #tfx_comm.channel<1, to_host, i1, capacity = 12>,
// CHECK-SAME:    #tfx_comm.channel<2, to_host, i1, capacity = 6>, #tfx_comm.channel<3, to_host, i1>, #tfx_comm.channel<4, to_host, i1>]
// CHECK-SAME:    channels = ["0 holds 4", "1 holds 12", "2 holds 6", "3 holds 1000", "4 can grow"]
tfx_tensor.graph @counted.graph(%n: index)
    channels [#tfx_comm.channel<0, to_host, i1>, #tfx_comm.channel<1, to_host, i1>, #tfx_comm.channel<2, to_host, i1>,
              #tfx_comm.channel<3, to_host, i1>, #tfx_comm.channel<4, to_host, i1>] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c1000 = arith.constant 1000 : index
  %true = arith.constant true
  %end = scf.while (%i = %c0) : (index) -> index {
    tfx_comm.send %true to 0 : i1
    %go = arith.cmpi slt, %i, %c3 : index
    scf.condition(%go) %i : index
  } do {
  ^bb0(%i: index):
    %j = arith.addi %i, %c1 : index
    scf.for %k = %c0 to %c4 step %c1 {
      tfx_comm.send %true to 1 : i1
    }
    scf.yield %j : index
  }
  scf.for %i = %c0 to %c3 step %c1 {
    tfx_comm.send %true to 2 : i1
    tfx_comm.send %true to 2 : i1
  }
  scf.for %i = %c0 to %c1000 step %c1 {
    tfx_comm.send %true to 3 : i1
  }
  scf.for %i = %c0 to %n step %c1 {
    scf.for %k = %c0 to %c3 step %c1 {
      tfx_comm.send %true to 4 : i1
    }
  }
  tfx_tensor.return
}
func.func @counted(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c1000 = arith.constant 1000 : index
  %program = tfx_comm.start @counted.graph(%n) : index
  %end = scf.while (%i = %c0) : (index) -> index {
    %a = tfx_comm.recv %program from 0 : i1
    %go = arith.cmpi slt, %i, %c3 : index
    scf.condition(%go) %i : index
  } do {
  ^bb0(%i: index):
    %j = arith.addi %i, %c1 : index
    scf.for %k = %c0 to %c4 step %c1 {
      %a = tfx_comm.recv %program from 1 : i1
    }
    scf.yield %j : index
  }
  scf.for %i = %c0 to %c3 step %c1 {
    %a = tfx_comm.recv %program from 2 : i1
    %b = tfx_comm.recv %program from 2 : i1
  }
  scf.for %i = %c0 to %c1000 step %c1 {
    %a = tfx_comm.recv %program from 3 : i1
  }
  scf.for %i = %c0 to %n step %c1 {
    scf.for %k = %c0 to %c3 step %c1 {
      %a = tfx_comm.recv %program from 4 : i1
    }
  }
  tfx_comm.finish %program
  return
}

// -----

// Decisions are computed from received values, through a loop without messages and a branch. The
// graph does not have the branch in which the host aborts.

// CHECK-LABEL: tfx_tensor.graph @computed.graph(
// CHECK-SAME:    order = ["body: 0 to_graph, if 0, switch 1", "if 0 then: 1 to_host", "switch 1 default: 2 to_host", "switch 1 case 3: 3 to_host"]
func.func private @ask() -> i32
tfx_tensor.graph @computed.graph(%x: tensor<f32>)
    channels [#tfx_comm.channel<0, to_graph, i32>, #tfx_comm.channel<1, to_host, tensor<f32>>, #tfx_comm.channel<2, to_host, tensor<f32>>,
              #tfx_comm.channel<3, to_host, tensor<f32>>] {
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %n = tfx_comm.recv from 0 : i32
  %sum:2 = scf.while (%s = %zero, %i = %n) : (i32, i32) -> (i32, i32) {
    %go = arith.cmpi sgt, %i, %zero : i32
    scf.condition(%go) %s, %i : i32, i32
  } do {
  ^bb0(%s: i32, %i: i32):
    %t = arith.addi %s, %i : i32
    %j = arith.subi %i, %two : i32
    scf.yield %t, %j : i32, i32
  }
  %big = arith.cmpi sgt, %sum#0, %two : i32
  %c = scf.if %big -> i32 {
    tfx_comm.send %x to 1 : tensor<f32>
    scf.yield %sum#0 : i32
  } else {
    scf.yield %two : i32
  }
  %k = arith.index_cast %c : i32 to index
  scf.index_switch %k
  case 3 {
    tfx_comm.send %x to 3 : tensor<f32>
    scf.yield
  }
  default {
    tfx_comm.send %x to 2 : tensor<f32>
  }
  tfx_tensor.return
}
func.func @computed(%x: tensor<f32>) {
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %program = tfx_comm.start @computed.graph(%x) : tensor<f32>
  %n = func.call @ask() : () -> i32
  tfx_comm.send %n to %program 0 : i32
  // The host also counts the iterations, and its iteration arguments have a different order.
  %sum:3 = scf.while (%trips = %zero, %i = %n, %s = %zero) : (i32, i32, i32) -> (i32, i32, i32) {
    %go = arith.cmpi sgt, %i, %zero : i32
    scf.condition(%go) %s, %trips, %i : i32, i32, i32
  } do {
  ^bb0(%s: i32, %trips: i32, %i: i32):
    %t = arith.addi %s, %i : i32
    %j = arith.subi %i, %two : i32
    %u = arith.addi %trips, %two : i32
    scf.yield %u, %j, %t : i32, i32, i32
  }
  %wrong = arith.cmpi eq, %sum#1, %two : i32
  %c = scf.if %wrong -> i32 {
    tfx_comm.terminate %program
    tfx_host.abort "wrong"
    scf.yield %zero : i32
  } else {
    %big = arith.cmpi sgt, %sum#0, %two : i32
    %d = scf.if %big -> i32 {
      %a = tfx_comm.recv %program from 1 : tensor<f32>
      tfx_host.print "{}"(%a) : tensor<f32>
      scf.yield %sum#0 : i32
    } else {
      scf.yield %two : i32
    }
    scf.yield %d : i32
  }
  %k = arith.index_cast %c : i32 to index
  scf.index_switch %k
  case 3 {
    %a = tfx_comm.recv %program from 3 : tensor<f32>
    tfx_host.print "{}"(%a) : tensor<f32>
    scf.yield
  }
  default {
    %a = tfx_comm.recv %program from 2 : tensor<f32>
    tfx_host.print "{}"(%a) : tensor<f32>
  }
  tfx_comm.finish %program
  return
}

// -----

// An abort after messages of the graph; two programs that run at the same time, one of them started
// in each iteration of a loop; a program that ends separately in each arm. A graph that is started
// twice has two entries.

// CHECK-LABEL: tfx_tensor.graph @asked.graph(
// CHECK-SAME:    host = @two_ends, order = ["body: if 0", "if 0 then: 0 to_host"]}, {{.*}} host = @two_ends
// CHECK-LABEL: tfx_tensor.graph @echo.graph(
// CHECK-SAME:    host = @two_ends, order = ["body: 0 to_graph, 1 to_host"]
tfx_tensor.graph @asked.graph(%x: tensor<f32>, %p: i1) channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  scf.if %p {
    tfx_comm.send %x to 0 : tensor<f32>
  }
  tfx_tensor.return
}
tfx_tensor.graph @echo.graph() channels [#tfx_comm.channel<0, to_graph, tensor<f32>>, #tfx_comm.channel<1, to_host, tensor<f32>>] {
  %x = tfx_comm.recv from 0 : tensor<f32>
  tfx_comm.send %x to 1 : tensor<f32>
  tfx_tensor.return
}
func.func @two_ends(%x: tensor<f32>, %p: i1, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %outer = tfx_comm.start @asked.graph(%x, %p) : tensor<f32>, i1
  scf.for %i = %zero to %n step %one {
    %inner = tfx_comm.start @echo.graph()
    tfx_comm.send %x to %inner 0 : tensor<f32>
    %y = tfx_comm.recv %inner from 1 : tensor<f32>
    tfx_comm.finish %inner
  }
  scf.if %p {
    %y = tfx_comm.recv %outer from 0 : tensor<f32>
    tfx_host.print "{}"(%y) : tensor<f32>
    tfx_comm.terminate %outer
    tfx_host.abort "no"
  }
  tfx_comm.finish %outer
  %last = tfx_comm.start @asked.graph(%x, %p) : tensor<f32>, i1
  scf.if %p {
    %y = tfx_comm.recv %last from 0 : tensor<f32>
    tfx_comm.finish %last
  } else {
    tfx_comm.terminate %last
  }
  return
}

// -----

// Both sides extract the scalar that decides from a tensor. The tensor is a program input of the
// graph, and the host made it from a scalar.

// CHECK-LABEL: tfx_tensor.graph @from_tensor.graph(
// CHECK-SAME:    tfx_comm.protocol
tfx_tensor.graph @from_tensor.graph(%n: tensor<i32>, %x: tensor<f32>) channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  %zero = arith.constant 0 : i32
  %scalar = tfx_tensor.to_scalar %n : tensor<i32> -> i32
  scf.while : () -> () {
    tfx_comm.send %x to 0 : tensor<f32>
    %go = arith.cmpi slt, %scalar, %zero : i32
    scf.condition(%go)
  } do {
    scf.yield
  }
  tfx_tensor.return
}
func.func @from_tensor(%n: i32, %x: tensor<f32>) {
  %made = tfx_tensor.from_scalar %n : i32
  %program = tfx_comm.start @from_tensor.graph(%made, %x) : tensor<i32>, tensor<f32>
  %zero = arith.constant 0 : i32
  %scalar = tfx_tensor.to_scalar %made : tensor<i32> -> i32
  scf.while : () -> () {
    %y = tfx_comm.recv %program from 0 : tensor<f32>
    tfx_host.print "{}"(%y) : tensor<f32>
    %go = arith.cmpi slt, %scalar, %zero : i32
    scf.condition(%go)
  } do {
    scf.yield
  }
  tfx_comm.finish %program
  return
}

// -----

// The graph has the first of two branches that abort, but not the nested one. The result does not
// depend on their source locations.

// CHECK-LABEL: tfx_tensor.graph @one_of_two(
tfx_tensor.graph @one_of_two() channels [#tfx_comm.channel<0, to_graph, i1>, #tfx_comm.channel<1, to_graph, i32>, #tfx_comm.channel<2, to_graph, i32>] {
  %stop = tfx_comm.recv from 0 : i1
  scf.if %stop {
  } else {
    %a = tfx_comm.recv from 1 : i32
    %b = tfx_comm.recv from 2 : i32
  }
  tfx_tensor.return
}
func.func private @decide() -> i1
func.func @two_of_two(%x: i32) {
  %program = tfx_comm.start @one_of_two()
  %stop = func.call @decide() : () -> i1
  tfx_comm.send %stop to %program 0 : i1
  scf.if %stop {
    tfx_comm.terminate %program
    tfx_host.abort "first"
  } else {
    tfx_comm.send %x to %program 1 : i32
    %again = func.call @decide() : () -> i1
    scf.if %again {
      tfx_comm.terminate %program
      tfx_host.abort "second"
    } else {
      tfx_comm.send %x to %program 2 : i32
    }
  }
  tfx_comm.finish %program
  return
}
