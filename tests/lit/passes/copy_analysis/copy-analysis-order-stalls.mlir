// RUN: tfx-opt --pass-pipeline='builtin.module(tfx-partition,tfx-copy-analysis{remarks=true})' --split-input-file --verify-diagnostics %s -o %t
//
// Order stalls: a receive, an effect that uses the received value, and a later send.

// A loader and a log: the send belongs to the next iteration.
func.func private @next_batch() -> tensor<4xf32>
func.func private @log_loss(tensor<4xf32>)
func.func @loader(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-note @below {{in this loop}}
  %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (tensor<4xf32>) {
    // expected-note @below {{the result of '@next_batch' is copied to the accelerator in the next iteration after that effect}}
    %b = func.call @next_batch() : () -> tensor<4xf32>
    // expected-warning @below {{the accelerator stalls in every iteration of this loop, because effects keep their order: the host receives this value, an effect uses it, and only then is the next value sent (16 bytes, every iteration)}}
    // expected-note @below {{the accelerator waits for it for this operation}}
    // expected-note @below {{if this copy is intentional, mark it with tfx_comm.to_host}}
    %s = tfx_tensor.op "Add"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    // expected-note @below {{this effect waits for the value: call of '@log_loss'}}
    // expected-note @below {{name the state of '@log_loss' and that of '@next_batch' with tfx.state, if '@log_loss' and '@next_batch' do not share a state: then '@next_batch' runs ahead, and with tfx_host.prefetch even further, on a separate thread}}
    func.call @log_loss(%s) : (tensor<4xf32>) -> ()
    scf.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// The send follows the effect in the same iteration, and the effect uses a value that is computed from the received one.
func.func private @next_batch() -> tensor<4xf32>
func.func @same_iteration(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  // expected-note @below {{in this loop}}
  %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (tensor<4xf32>) {
    %m = tfx_tensor.op "Sum"(%a, %axis) : (tensor<4xf32>, tensor<i32>) -> tensor<f32>
    // expected-warning @below {{the accelerator stalls in every iteration of this loop}}
    // expected-note @below {{if this copy is intentional}}
    %l = tfx_tensor.to_scalar %m : tensor<f32> -> f32
    %f = math.fma %l, %l, %l : f32
    // expected-note @below {{this effect waits for the value: it is printed}}
    // expected-note @below {{name the state of '@next_batch' with tfx.state, if the print and '@next_batch' do not share a state}}
    tfx_host.print "{}"(%f) : f32
    // expected-note @below {{the result of '@next_batch' is copied to the accelerator after that effect}}
    %b = func.call @next_batch() : () -> tensor<4xf32>
    // expected-note @below {{the accelerator waits for it for this operation}}
    %s = tfx_tensor.op "Add"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// Both in one region of a branch: each send waits. In another region, or in a branch of its own, some iterations stall.
func.func private @next_batch() -> tensor<4xf32>
func.func private @now() -> i1
func.func private @log(tensor<4xf32>)
func.func @branches(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-note @below {{in this loop}}
  %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (tensor<4xf32>) {
    %p = func.call @now() : () -> i1
    %t = scf.if %p -> (tensor<4xf32>) {
      // expected-note @below {{the result of '@next_batch' is copied to the accelerator in the next iteration}}
      %b = func.call @next_batch() : () -> tensor<4xf32>
      // expected-warning @below {{the accelerator stalls in every iteration of this loop}}
      // expected-note @below {{the accelerator waits for it}}
      // expected-note @below {{if this copy is intentional}}
      %s = tfx_tensor.op "Add"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      // expected-note @below {{this effect waits for the value: call of '@log'}}
      // expected-note @below {{name the state of '@log' and that of '@next_batch'}}
      func.call @log(%s) : (tensor<4xf32>) -> ()
      scf.yield %s : tensor<4xf32>
    } else {
      scf.yield %a : tensor<4xf32>
    }
    scf.yield %t : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
// The same with the loader outside of the branch is a remark.
func.func @now_and_then(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  // expected-note @below {{in this loop}}
  %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (tensor<4xf32>) {
    // expected-note @below {{the result of '@next_batch' is copied to the accelerator in the next iteration}}
    %b = func.call @next_batch() : () -> tensor<4xf32>
    // expected-remark @below {{the accelerator stalls in some iterations of this loop, because effects keep their order: the host receives this value, an effect uses it, and only then is the next value sent (16 bytes, in some iterations)}}
    // expected-note @below {{the accelerator waits for it}}
    // expected-note @below {{if this copy is intentional}}
    %s = tfx_tensor.op "Add"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    // expected-remark @below {{both sides compute this}}
    %rem = arith.remsi %i, %two : index
    // expected-remark @below {{both sides compute this}}
    %show = arith.cmpi eq, %rem, %zero : index
    scf.if %show {
      // expected-note @below {{this effect waits for the value: it is printed}}
      // expected-note @below {{name the state of '@next_batch' with tfx.state}}
      tfx_host.print "{}"(%s) : tensor<4xf32>
    }
    scf.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// The sends of an outer loop wait for the prints of an inner one. The sends of an inner loop do not wait for a later
// print of the outer one.
func.func private @next_batch() -> tensor<4xf32>
func.func @epochs(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-note @below {{in this loop}}
  %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (tensor<4xf32>) {
    // expected-note @below {{the result of '@next_batch' is copied to the accelerator in the next iteration}}
    %b = func.call @next_batch() : () -> tensor<4xf32>
    %s = scf.for %j = %zero to %n step %one iter_args(%c = %a) -> (tensor<4xf32>) {
      // expected-warning @below {{the accelerator stalls in every iteration of this loop}}
      // expected-note @below {{the accelerator waits for it}}
      // expected-note @below {{if this copy is intentional}}
      %t = tfx_tensor.op "Add"(%c, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      // expected-note @below {{this effect waits for the value: it is printed}}
      // expected-note @below {{name the state of '@next_batch' with tfx.state}}
      tfx_host.print "{}"(%t) : tensor<4xf32>
      scf.yield %t : tensor<4xf32>
    }
    scf.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
func.func @once_an_epoch(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-note @below {{in this loop}}
  // expected-note @below {{inside of this loop}}
  %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (tensor<4xf32>) {
    // expected-note @below {{in this loop}}
    %s = scf.for %j = %zero to %n step %one iter_args(%c = %a) -> (tensor<4xf32>) {
      // expected-remark @below {{the result of '@next_batch' is copied to the accelerator (16 bytes, every iteration): the host may run ahead}}
      %b = func.call @next_batch() : () -> tensor<4xf32>
      %t = tfx_tensor.op "Add"(%c, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      scf.yield %t : tensor<4xf32>
    }
    // expected-remark @below {{a value is copied to the host (16 bytes, every iteration): the accelerator may run ahead}}
    %u = tfx_tensor.op "Neg"(%s) : (tensor<4xf32>) -> tensor<4xf32>
    tfx_host.print "{}"(%u) : tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// No stall: an intentional copy.
func.func private @next_batch() -> tensor<4xf32>
func.func @marked(%x: tensor<4xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-note @below {{in this loop}}
  scf.for %i = %zero to %n step %one {
    // expected-remark @below {{the host may run ahead}}
    %b = func.call @next_batch() : () -> tensor<4xf32>
    %s = tfx_tensor.op "Neg"(%b) : (tensor<4xf32>) -> tensor<4xf32>
    %m = tfx_comm.to_host %s : tensor<4xf32>
    tfx_host.print "{}"(%m) : tensor<4xf32>
  }
  return
}

// -----

// No stall: the value is computed one iteration before it is sent, so the accelerator still has work.
func.func private @next_batch() -> tensor<4xf32>
func.func @an_iteration_late(%x: tensor<4xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %no = arith.constant false
  %yes = arith.constant true
  // expected-note @below {{in this loop}}
  // expected-remark @below {{a value is copied to the host (16 bytes, in some iterations): the accelerator may run ahead}}
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%a = %x, %pending = %no) -> (tensor<4xf32>, i1) {
    // expected-remark @below {{the host may run ahead}}
    %b = func.call @next_batch() : () -> tensor<4xf32>
    scf.if %pending {
      tfx_host.print "{}"(%a) : tensor<4xf32>
    }
    %s = tfx_tensor.op "Neg"(%b) : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %s, %yes : tensor<4xf32>, i1
  }
  scf.if %r#1 {
    tfx_host.print "{}"(%r#0) : tensor<4xf32>
  }
  return
}

// -----

// A branch that may abort keeps the order although the states are named.
func.func private @next_batch() -> tensor<4xf32> attributes {tfx.state = "disk"}
func.func @aborts(%n: index, %stop: i1) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-note @below {{in this loop}}
  scf.for %i = %zero to %n step %one {
    // expected-note @below {{is copied to the accelerator in the next iteration}}
    %b = func.call @next_batch() : () -> tensor<4xf32>
    // expected-warning @below {{the accelerator stalls in every iteration of this loop}}
    // expected-note @below {{the accelerator waits for it}}
    // expected-note @below {{if this copy is intentional}}
    %s = tfx_tensor.op "Neg"(%b) : (tensor<4xf32>) -> tensor<4xf32>
    // expected-note @below {{this effect waits for the value: it is printed}}
    // expected-note @below {{'@next_batch' has a state of its own, but something else in this loop keeps it from running ahead}}
    tfx_host.print "{}"(%s) : tensor<4xf32>
    scf.if %stop {
      tfx_host.abort "it is enough"
    }
  }
  return
}

// -----

// The graph receives a batch ahead, so it has one while the host logs.
tfx_tensor.graph @one_ahead.graph(%first: tensor<4xf32>, %n: index)
    channels [#tfx_comm.channel<0, to_graph, tensor<4xf32>>, #tfx_comm.channel<1, to_host, tensor<4xf32>>] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %last = scf.for %i = %zero to %n step %one iter_args(%b = %first) -> (tensor<4xf32>) {
    %next = tfx_comm.recv from 0 : tensor<4xf32>
    %s = tfx_tensor.op "Neg"(%b) : (tensor<4xf32>) -> tensor<4xf32>
    tfx_comm.send %s to 1 : tensor<4xf32>
    scf.yield %next : tensor<4xf32>
  }
  tfx_tensor.return
}
func.func private @next_batch() -> tensor<4xf32>
func.func @one_ahead(%first: tensor<4xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %p = tfx_comm.start @one_ahead.graph(%first, %n) : tensor<4xf32>, index
  // expected-note @below {{in this loop}}
  scf.for %i = %zero to %n step %one {
    %next = func.call @next_batch() : () -> tensor<4xf32>
    // expected-remark @below {{the host may run ahead}}
    tfx_comm.send %next to %p 0 : tensor<4xf32>
    // expected-remark @below {{the accelerator may run ahead}}
    %s = tfx_comm.recv %p from 1 : tensor<4xf32>
    tfx_host.print "{}"(%s) : tensor<4xf32>
  }
  tfx_comm.finish %p
  return
}
