// RUN: tfx-opt --tfx-verify-protocol --split-input-file --verify-diagnostics %s

// Messages that the other side does not send or receive.

// expected-note @below {{meanwhile the graph has reached its end}}
tfx_tensor.graph @no_send(%x: f32) channels [#tfx_comm.channel<0, to_host, f32>] {
  tfx_tensor.return
}
func.func @f(%x: f32) {
  // expected-note @below {{the host starts the graph '@no_send' here}}
  %program = tfx_comm.start @no_send(%x) : f32
  // expected-error @below {{the host waits for a message on channel 0 that the graph does not send}}
  // expected-note @below {{the host waits for a message on channel 0}}
  %y = tfx_comm.recv %program from 0 : f32
  tfx_comm.finish %program
  return
}

// -----

tfx_tensor.graph @no_receive(%x: f32) channels [#tfx_comm.channel<0, to_host, f32>] {
  // expected-error @below {{a message on channel 0 is sent here and never received}}
  tfx_comm.send %x to 0 : f32
  tfx_tensor.return
}
func.func @f(%x: f32) {
  // expected-note @below {{the host starts the graph '@no_receive' here}}
  %program = tfx_comm.start @no_receive(%x) : f32
  tfx_comm.finish %program
  return
}

// -----

tfx_tensor.graph @asks(%x: f32) channels [#tfx_comm.channel<0, to_graph, f32>] {
  // expected-error @below {{the graph waits for a message on channel 0 that the host does not send}}
  %y = tfx_comm.recv from 0 : f32
  tfx_tensor.return
}
func.func @f(%x: f32) {
  // expected-note @below {{the host starts the graph '@asks' here}}
  %program = tfx_comm.start @asks(%x) : f32
  // expected-note @below {{meanwhile the host waits for the graph to end}}
  tfx_comm.finish %program
  return
}

// -----

tfx_tensor.graph @twice(%x: f32) channels [#tfx_comm.channel<0, to_host, f32>] {
  // expected-note @below {{channel 0 may have a capacity of 1, and contains the message that is sent here}}
  tfx_comm.send %x to 0 : f32
  // expected-error @below {{the graph sends a message on channel 0 that the host does not receive}}
  tfx_comm.send %x to 0 : f32
  tfx_tensor.return
}
func.func @f(%x: f32) {
  // expected-note @below {{the host starts the graph '@twice' here}}
  %program = tfx_comm.start @twice(%x) : f32
  // expected-note @below {{meanwhile the host waits for the graph to end}}
  tfx_comm.finish %program
  return
}

// -----

// Deadlock: each side receives before it sends.

tfx_tensor.graph @deadlock(%x: f32) channels [#tfx_comm.channel<0, to_host, f32>, #tfx_comm.channel<1, to_graph, f32>] {
  // expected-note @below {{meanwhile the graph waits for a message on channel 1}}
  %y = tfx_comm.recv from 1 : f32
  tfx_comm.send %y to 0 : f32
  tfx_tensor.return
}
func.func @f(%x: f32) {
  // expected-note @below {{the host starts the graph '@deadlock' here}}
  %program = tfx_comm.start @deadlock(%x) : f32
  // expected-error @below {{deadlock: the host and the graph wait for each other}}
  // expected-note @below {{the host waits for a message on channel 0}}
  %y = tfx_comm.recv %program from 0 : f32
  tfx_comm.send %y to %program 1 : f32
  tfx_comm.finish %program
  return
}

// -----

// Deadlock with a capacity of 1; a capacity of 2 would be sufficient.

tfx_tensor.graph @capacity(%x: f32)
    channels [#tfx_comm.channel<0, to_host, f32, capacity = 2>, #tfx_comm.channel<1, to_host, f32>] {
  tfx_comm.send %x to 0 : f32
  // expected-note @below {{meanwhile the graph sends on channel 0}}
  tfx_comm.send %x to 0 : f32
  tfx_comm.send %x to 1 : f32
  tfx_tensor.return
}
func.func @f(%x: f32) {
  // expected-note @below {{the host starts the graph '@capacity' here}}
  %program = tfx_comm.start @capacity(%x) : f32
  // expected-error @below {{deadlock: the host and the graph wait for each other}}
  // expected-note @below {{the host waits for a message on channel 1}}
  %a = tfx_comm.recv %program from 1 : f32
  %b = tfx_comm.recv %program from 0 : f32
  %c = tfx_comm.recv %program from 0 : f32
  tfx_comm.finish %program
  return
}

// -----

// A message must be received in the same execution of the region that sends it.

tfx_tensor.graph @outside(%x: f32, %p: i1) channels [#tfx_comm.channel<0, to_host, f32>, #tfx_comm.channel<1, to_host, f32>] {
  // expected-note @below {{a message on channel 0 is sent here, outside of this region; it must be received in the same region}}
  tfx_comm.send %x to 0 : f32
  // expected-note @below {{meanwhile the graph is at the end of a region of this 'scf.if'}}
  scf.if %p {
    tfx_comm.send %x to 1 : f32
  }
  tfx_tensor.return
}
func.func @f(%x: f32, %p: i1) {
  // expected-note @below {{the host starts the graph '@outside' here}}
  %program = tfx_comm.start @outside(%x, %p) : f32, i1
  scf.if %p {
    // expected-error @below {{the host waits for a message on channel 0 that the graph does not send}}
    // expected-note @below {{the host waits for a message on channel 0}}
    %a = tfx_comm.recv %program from 0 : f32
    %b = tfx_comm.recv %program from 1 : f32
  }
  tfx_comm.finish %program
  return
}

// -----

// Control flow that one side does not have, or that differs.

// expected-note @below {{meanwhile the graph has reached its end}}
tfx_tensor.graph @none() channels [#tfx_comm.channel<0, to_graph, i1>] {
  tfx_tensor.return
}
func.func @f(%p: i1) {
  // expected-note @below {{the host starts the graph '@none' here}}
  %program = tfx_comm.start @none()
  // expected-error @below {{the host has 'scf.if' with messages inside here, but the graph has no corresponding operation}}
  // expected-note @below {{the host is at this 'scf.if'}}
  scf.if %p {
    tfx_comm.send %p to %program 0 : i1
  }
  tfx_comm.finish %program
  return
}

// -----

tfx_tensor.graph @branch(%p: i1) channels [#tfx_comm.channel<0, to_graph, i1>] {
  // expected-error @below {{the graph has 'scf.if' with messages inside here, but the host has no corresponding operation}}
  scf.if %p {
    %q = tfx_comm.recv from 0 : i1
  }
  tfx_tensor.return
}
func.func @f(%p: i1) {
  // expected-note @below {{the host starts the graph '@branch' here}}
  %program = tfx_comm.start @branch(%p) : i1
  tfx_comm.send %p to %program 0 : i1
  // expected-note @below {{meanwhile the host waits for the graph to end}}
  tfx_comm.finish %program
  return
}

// -----

tfx_tensor.graph @counts(%p: i1, %n: index) channels [#tfx_comm.channel<0, to_graph, i1>] {
  // expected-note @below {{the graph reaches this operation}}
  scf.for %i = %n to %n step %n {
    %q = tfx_comm.recv from 0 : i1
  }
  tfx_tensor.return
}
func.func @f(%p: i1, %n: index) {
  // expected-note @below {{the host starts the graph '@counts' here}}
  %program = tfx_comm.start @counts(%p, %n) : i1, index
  // expected-error @below {{the host reaches 'scf.if' here, but the graph reaches 'scf.for': operations with messages inside must correspond}}
  scf.if %p {
    tfx_comm.send %p to %program 0 : i1
  }
  tfx_comm.finish %program
  return
}

// -----

tfx_tensor.graph @cases(%k: index) channels [#tfx_comm.channel<0, to_graph, index>] {
  // expected-note @below {{the graph reaches this operation}}
  scf.index_switch %k
  case 2 {
    %q = tfx_comm.recv from 0 : index
    scf.yield
  }
  default {
  }
  tfx_tensor.return
}
func.func @f(%k: index) {
  // expected-note @below {{the host starts the graph '@cases' here}}
  %program = tfx_comm.start @cases(%k) : index
  // expected-error @below {{the host reaches 'scf.index_switch' here, but the graph reaches 'scf.index_switch' with other cases: operations with messages inside must correspond}}
  scf.index_switch %k
  case 1 {
    tfx_comm.send %k to %program 0 : index
    scf.yield
  }
  default {
  }
  tfx_comm.finish %program
  return
}

// -----

// Both sides must decide by equal values. The host sends one value and tests another.

func.func private @ask() -> i1
tfx_tensor.graph @stale() channels [#tfx_comm.channel<0, to_graph, i1>, #tfx_comm.channel<1, to_graph, i1>] {
  %p = tfx_comm.recv from 0 : i1
  // expected-note @below {{the graph decides here}}
  scf.if %p {
    %q = tfx_comm.recv from 1 : i1
  }
  tfx_tensor.return
}
func.func @f() {
  %program = tfx_comm.start @stale()
  // expected-note @below {{the graph depends on this value, which may differ}}
  %old = func.call @ask() : () -> i1
  tfx_comm.send %old to %program 0 : i1
  // expected-note @below {{the host depends on this value}}
  %new = func.call @ask() : () -> i1
  // expected-error @below {{the host and the graph may run different regions of this branch: cannot prove that they decide by equal values}}
  scf.if %new {
    tfx_comm.send %new to %program 1 : i1
  }
  tfx_comm.finish %program
  return
}

// -----

// A loop whose iteration arguments have different initial values.

tfx_tensor.graph @elsewhere(%n: i32) channels [#tfx_comm.channel<0, to_graph, i32>] {
  // expected-note @below {{the graph depends on this value, which may differ}}
  %one = arith.constant 1 : i32
  // expected-note @below {{the graph decides here}}
  %r = scf.while (%i = %one) : (i32) -> i32 {
    %go = arith.cmpi slt, %i, %n : i32
    scf.condition(%go) %i : i32
  } do {
  ^bb0(%i: i32):
    %j = arith.addi %i, %one : i32
    %k = tfx_comm.recv from 0 : i32
    scf.yield %j : i32
  }
  tfx_tensor.return
}
func.func @f(%n: i32) {
  // expected-note @below {{the host depends on this value}}
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %program = tfx_comm.start @elsewhere(%n) : i32
  // expected-error @below {{the host and the graph may run different numbers of iterations of this loop: cannot prove that they decide by equal values}}
  %r = scf.while (%i = %zero) : (i32) -> i32 {
    %go = arith.cmpi slt, %i, %n : i32
    scf.condition(%go) %i : i32
  } do {
  ^bb0(%i: i32):
    %j = arith.addi %i, %one : i32
    tfx_comm.send %i to %program 0 : i32
    scf.yield %j : i32
  }
  tfx_comm.finish %program
  return
}

// -----

// An arm that aborts on one of two paths; the other path continues.

tfx_tensor.graph @half(%p: i1, %q: i1, %x: f32) channels [#tfx_comm.channel<0, to_host, f32>] {
  // expected-note @below {{the graph decides here}}
  scf.while : () -> () {
    %go = scf.if %p -> i1 {
      scf.if %q {
        tfx_comm.send %x to 0 : f32
      }
      // expected-note @below {{the graph depends on this value, which may differ}}
      %u = tfx_host.undef : i1
      scf.yield %u : i1
    } else {
      scf.yield %p : i1
    }
    scf.condition(%go)
  } do {
    scf.yield
  }
  tfx_tensor.return
}
// expected-note @below {{the host depends on this value}}
func.func @f(%p: i1, %q: i1, %x: f32) {
  %program = tfx_comm.start @half(%p, %q, %x) : i1, i1, f32
  // expected-error @below {{the host and the graph may run different numbers of iterations of this loop: cannot prove that they decide by equal values}}
  scf.while : () -> () {
    %go = scf.if %p -> i1 {
      scf.if %q {
        %y = tfx_comm.recv %program from 0 : f32
        tfx_comm.terminate %program
        tfx_host.abort "x"
      }
      scf.yield %p : i1
    } else {
      scf.yield %p : i1
    }
    scf.condition(%go)
  } do {
    scf.yield
  }
  tfx_comm.finish %program
  return
}

// -----

// A program input equals the value that the host passes.
tfx_tensor.graph @trips(%n: index, %x: tensor<f32>) channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-note @below {{the graph decides here}}
  scf.for %i = %zero to %n step %one {
    tfx_comm.send %x to 0 : tensor<f32>
  }
  tfx_tensor.return
}
// expected-note @below {{the graph depends on this value, which may differ}}
func.func @f(%n: index, %x: tensor<f32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-note @below {{the host depends on this value}}
  %m = arith.addi %n, %one : index
  %program = tfx_comm.start @trips(%n, %x) : index, tensor<f32>
  // expected-error @below {{the host and the graph may run this loop with different bounds: cannot prove that they decide by equal values}}
  scf.for %i = %zero to %m step %one {
    %y = tfx_comm.recv %program from 0 : tensor<f32>
  }
  tfx_comm.finish %program
  return
}

// -----

// The same computation, but two libraries may round it differently.

tfx_tensor.graph @rounds(%x: f32) channels [#tfx_comm.channel<0, to_host, f32>] {
  %e = math.exp %x : f32
  // expected-note @below {{the graph depends on this value, which may differ}}
  %p = arith.cmpf olt, %e, %x : f32
  // expected-note @below {{the graph decides here}}
  scf.if %p {
    tfx_comm.send %x to 0 : f32
  }
  tfx_tensor.return
}
func.func @f(%x: f32) {
  %program = tfx_comm.start @rounds(%x) : f32
  %e = math.exp %x : f32
  // expected-note @below {{the host depends on this value}}
  %p = arith.cmpf olt, %e, %x : f32
  // expected-error @below {{the host and the graph may run different regions of this branch}}
  scf.if %p {
    %y = tfx_comm.recv %program from 0 : f32
  }
  tfx_comm.finish %program
  return
}

// -----

// The lifetime of a program.

tfx_tensor.graph @g() {
  tfx_tensor.return
}
func.func @never_ends() {
  // expected-error @below {{some path neither finishes nor terminates this program: its graph would keep running}}
  // expected-note @below {{end each path with tfx_comm.finish, or with tfx_comm.terminate}}
  %program = tfx_comm.start @g()
  return
}
func.func @ends_twice(%p: i1) {
  // expected-note @below {{it is started here}}
  %program = tfx_comm.start @g()
  tfx_comm.finish %program
  // expected-error @below {{this program has already been finished or terminated}}
  tfx_comm.terminate %program
  return
}
func.func @one_path(%p: i1) {
  // expected-note @below {{it is started here}}
  %program = tfx_comm.start @g()
  // expected-error @below {{a program still runs after one region of this branch, and has ended after another}}
  scf.if %p {
    tfx_comm.finish %program
  }
  return
}
func.func @in_loop(%p: i1) {
  // expected-note @below {{it is started here}}
  %program = tfx_comm.start @g()
  // expected-error @below {{a program that is started before this loop ends inside of it, but the loop may run any number of iterations}}
  scf.while : () -> () {
    scf.condition(%p)
  } do {
    tfx_comm.finish %program
    scf.yield
  }
  return
}
func.func @aborts(%p: i1) {
  // expected-note @below {{the program is started here; it needs tfx_comm.terminate before the abort}}
  %program = tfx_comm.start @g()
  scf.if %p {
    // expected-error @below {{the host aborts here while a graph is running}}
    tfx_host.abort "no"
  }
  tfx_comm.finish %program
  return
}

// -----

tfx_tensor.graph @h(%x: f32) channels [#tfx_comm.channel<0, to_host, f32>] {
  tfx_comm.send %x to 0 : f32
  tfx_tensor.return
}
func.func @too_late(%x: f32) {
  // expected-note @below {{it is started here}}
  %program = tfx_comm.start @h(%x) : f32
  tfx_comm.finish %program
  // expected-error @below {{this program no longer runs: it has already been finished or terminated}}
  %y = tfx_comm.recv %program from 0 : f32
  return
}

// -----

// Programs and control flow that the verifier cannot follow.

tfx_tensor.graph @g() {
  tfx_tensor.return
}
func.func private @elsewhere(!tfx_comm.program)
func.func @escapes() {
  // expected-note @below {{it is started here}}
  %program = tfx_comm.start @g()
  // expected-error @below {{the program is used by 'func.call', whose effect on it is unknown: its protocol cannot be verified}}
  func.call @elsewhere(%program) : (!tfx_comm.program) -> ()
  tfx_comm.finish %program
  return
}
func.func @given(%program: !tfx_comm.program) {
  // expected-error @below {{the start of this program is unknown, and so is its graph: its protocol cannot be verified}}
  // expected-note @below {{start the program in the same function}}
  tfx_comm.finish %program
  return
}
// expected-error @below {{this communicates with a graph and has branches between blocks: its protocol cannot be verified}}
// expected-note @below {{run tfx-verify-protocol on structured control flow}}
func.func @branches(%p: i1) {
  %program = tfx_comm.start @g()
  cf.cond_br %p, ^a, ^a
^a:
  tfx_comm.finish %program
  return
}
func.func @inside() {
  // expected-note @below {{communicate with a graph only inside of scf.if, scf.index_switch, scf.for or scf.while}}
  scf.execute_region {
    // expected-error @below {{'tfx_comm.start' inside of 'scf.execute_region', whose control flow is unknown}}
    %program = tfx_comm.start @g()
    tfx_comm.finish %program
    scf.yield
  }
  return
}

// -----

// expected-note @below {{its channels are declared here}}
tfx_tensor.graph @talks() channels [#tfx_comm.channel<0, to_graph, f32>] {
  %x = tfx_comm.recv from 0 : f32
  tfx_tensor.return
}
tfx_tensor.graph @calls() {
  // expected-error @below {{this calls a graph with channels, but a graph communicates only with the host function that starts it}}
  tfx_tensor.call @talks() : () -> ()
  tfx_tensor.return
}

// -----

// expected-error @below {{channel 0 has a capacity of 4294967295, but the maximum is 2147483647}}
// expected-note @below {{omit the capacity; it is inferred}}
tfx_tensor.graph @huge(%x: f32) channels [#tfx_comm.channel<0, to_host, f32, capacity = 4294967295>] {
  tfx_comm.send %x to 0 : f32
  tfx_tensor.return
}
func.func @f(%x: f32) {
  %program = tfx_comm.start @huge(%x) : f32
  %y = tfx_comm.recv %program from 0 : f32
  tfx_comm.finish %program
  return
}
