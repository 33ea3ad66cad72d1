// RUN: tfx-opt --tfx-verify-protocol --split-input-file --verify-diagnostics %s

// Both sides decide by the result of a call: the host calls a function, the graph a graph function.
// The results are equal because the bodies are equivalent, with a loop, a branch and nested calls.

func.func private @small(%i: i32) -> i1 {
  %p = func.call @below(%i) : (i32) -> i1
  return %p : i1
}
func.func private @below(%i: i32) -> i1 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sum = scf.for %k = %zero to %i step %one iter_args(%s = %zero) -> i32 : i32 {
    %t = arith.addi %s, %k : i32
    scf.yield %t : i32
  }
  %three = arith.constant 3 : i32
  %p = arith.cmpi slt, %sum, %three : i32
  return %p : i1
}
tfx_tensor.graph private @small.graph(%i: i32) -> i1 {
  %p = tfx_tensor.call @below.graph(%i) : (i32) -> i1
  tfx_tensor.return %p : i1
}
tfx_tensor.graph private @below.graph(%i: i32) -> i1 {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %sum = scf.for %k = %zero to %i step %one iter_args(%s = %zero) -> i32 : i32 {
    %t = arith.addi %s, %k : i32
    scf.yield %t : i32
  }
  %three = arith.constant 3 : i32
  %p = arith.cmpi slt, %sum, %three : i32
  tfx_tensor.return %p : i1
}
tfx_tensor.graph @g(%x: tensor<f32>, %i: i32) channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  %p = tfx_tensor.call @small.graph(%i) : (i32) -> i1
  scf.if %p {
    tfx_comm.send %x to 0 : tensor<f32>
  }
  tfx_tensor.return
}
func.func @main(%x: tensor<f32>, %i: i32) {
  %program = tfx_comm.start @g(%x, %i) : tensor<f32>, i32
  %p = func.call @small(%i) : (i32) -> i1
  scf.if %p {
    %y = tfx_comm.recv %program from 0 : tensor<f32>
    tfx_host.print "{}"(%y) : tensor<f32>
  }
  tfx_comm.finish %program
  return
}

// -----

// The bodies of nested callees differ.

func.func private @small(%i: i32) -> i1 {
  %p = func.call @below(%i) : (i32) -> i1
  return %p : i1
}
func.func private @below(%i: i32) -> i1 {
  %three = arith.constant 3 : i32
  %p = arith.cmpi slt, %i, %three : i32
  return %p : i1
}
tfx_tensor.graph private @small.graph(%i: i32) -> i1 {
  %p = tfx_tensor.call @below.graph(%i) : (i32) -> i1
  tfx_tensor.return %p : i1
}
tfx_tensor.graph private @below.graph(%i: i32) -> i1 {
  %three = arith.constant 4 : i32
  %p = arith.cmpi slt, %i, %three : i32
  tfx_tensor.return %p : i1
}
tfx_tensor.graph @g(%x: tensor<f32>, %i: i32) channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  // expected-note @below {{the graph depends on this value, which may differ}}
  %p = tfx_tensor.call @small.graph(%i) : (i32) -> i1
  // expected-note @below {{the graph decides here}}
  scf.if %p {
    tfx_comm.send %x to 0 : tensor<f32>
  }
  tfx_tensor.return
}
func.func @main(%x: tensor<f32>, %i: i32) {
  %program = tfx_comm.start @g(%x, %i) : tensor<f32>, i32
  // expected-note @below {{the host depends on this value}}
  %p = func.call @small(%i) : (i32) -> i1
  // expected-error @below {{the host and the graph may run different regions of this branch: cannot prove that they decide by equal values}}
  scf.if %p {
    %y = tfx_comm.recv %program from 0 : tensor<f32>
    tfx_host.print "{}"(%y) : tensor<f32>
  }
  tfx_comm.finish %program
  return
}

// -----

// The operands differ.

func.func private @below(%i: i32) -> i1 {
  %three = arith.constant 3 : i32
  %p = arith.cmpi slt, %i, %three : i32
  return %p : i1
}
tfx_tensor.graph private @below.graph(%i: i32) -> i1 {
  %three = arith.constant 3 : i32
  %p = arith.cmpi slt, %i, %three : i32
  tfx_tensor.return %p : i1
}
tfx_tensor.graph @g(%x: tensor<f32>, %i: i32) channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  // expected-note @below {{the graph depends on this value, which may differ}}
  %j = arith.addi %i, %i : i32
  %p = tfx_tensor.call @below.graph(%j) : (i32) -> i1
  // expected-note @below {{the graph decides here}}
  scf.if %p {
    tfx_comm.send %x to 0 : tensor<f32>
  }
  tfx_tensor.return
}
// expected-note @below {{the host depends on this value}}
func.func @main(%x: tensor<f32>, %i: i32) {
  %program = tfx_comm.start @g(%x, %i) : tensor<f32>, i32
  %p = func.call @below(%i) : (i32) -> i1
  // expected-error @below {{the host and the graph may run different regions of this branch: cannot prove that they decide by equal values}}
  scf.if %p {
    %y = tfx_comm.recv %program from 0 : tensor<f32>
    tfx_host.print "{}"(%y) : tensor<f32>
  }
  tfx_comm.finish %program
  return
}

// -----

// A graph may round floats differently.

func.func private @below(%x: f32) -> i1 {
  %three = arith.constant 3.0 : f32
  %y = math.exp %x : f32
  %p = arith.cmpf olt, %y, %three : f32
  return %p : i1
}
tfx_tensor.graph private @below.graph(%x: f32) -> i1 {
  %three = arith.constant 3.0 : f32
  %y = math.exp %x : f32
  %p = arith.cmpf olt, %y, %three : f32
  tfx_tensor.return %p : i1
}
tfx_tensor.graph @g(%x: tensor<f32>, %s: f32) channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  // expected-note @below {{the graph depends on this value, which may differ}}
  %p = tfx_tensor.call @below.graph(%s) : (f32) -> i1
  // expected-note @below {{the graph decides here}}
  scf.if %p {
    tfx_comm.send %x to 0 : tensor<f32>
  }
  tfx_tensor.return
}
func.func @main(%x: tensor<f32>, %s: f32) {
  %program = tfx_comm.start @g(%x, %s) : tensor<f32>, f32
  // expected-note @below {{the host depends on this value}}
  %p = func.call @below(%s) : (f32) -> i1
  // expected-error @below {{the host and the graph may run different regions of this branch: cannot prove that they decide by equal values}}
  scf.if %p {
    %y = tfx_comm.recv %program from 0 : tensor<f32>
    tfx_host.print "{}"(%y) : tensor<f32>
  }
  tfx_comm.finish %program
  return
}

// -----

// Two calls of a foreign function on the host may return different values.

func.func private @random() -> i1
tfx_tensor.graph @g(%x: tensor<f32>, %p: i1) channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  // expected-note @below {{the graph decides here}}
  scf.if %p {
    tfx_comm.send %x to 0 : tensor<f32>
  }
  tfx_tensor.return
}
func.func @main(%x: tensor<f32>, %i: i32) {
  // expected-note @below {{the graph depends on this value, which may differ}}
  %p = func.call @random() : () -> i1
  %program = tfx_comm.start @g(%x, %p) : tensor<f32>, i1
  // expected-note @below {{the host depends on this value}}
  %q = func.call @random() : () -> i1
  // expected-error @below {{the host and the graph may run different regions of this branch: cannot prove that they decide by equal values}}
  scf.if %q {
    %y = tfx_comm.recv %program from 0 : tensor<f32>
    tfx_host.print "{}"(%y) : tensor<f32>
  }
  tfx_comm.finish %program
  return
}
