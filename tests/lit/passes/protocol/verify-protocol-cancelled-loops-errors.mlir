// RUN: tfx-opt --split-input-file --verify-diagnostics --tfx-verify-protocol %s

// A message that a host waits for before it cancels a graph must be certain to arrive: otherwise the
// host may wait indefinitely.

// The loop may run no iteration.
tfx_tensor.graph @count(%x: tensor<f32>, %n: i32) channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // expected-note @below {{cannot prove that this loop runs an iteration}}
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
func.func @first(%x: tensor<f32>, %n: i32) -> tensor<f32> {
  // expected-note @below {{the host starts the graph '@count' here}}
  %program = tfx_comm.start @count(%x, %n) : tensor<f32>, i32
  // expected-error @below {{the host may wait indefinitely for this message on channel 0: the graph sends it in or after a loop that may run no iteration}}
  // expected-note @below {{before the cancellation, wait only for messages of a loop with constant bounds or of the condition region of an scf.while; or wait inside of an scf.if on the first condition of the loop, with only tfx_comm.terminate in its else region}}
  %a = tfx_comm.recv %program from 0 : tensor<f32>
  // expected-note @below {{the host cancels the graph here and does not wait for its end}}
  tfx_comm.terminate %program
  return %a : tensor<f32>
}

// -----

// So may a loop whose bound is not constant.
tfx_tensor.graph @to_n(%x: tensor<f32>, %n: index) channels [#tfx_comm.channel<0, to_host, tensor<f32>>, #tfx_comm.channel<1, to_host, tensor<f32>>] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-note @below {{cannot prove that this loop runs an iteration}}
  scf.for %i = %zero to %n step %one {
    tfx_comm.send %x to 0 : tensor<f32>
  }
  tfx_comm.send %x to 1 : tensor<f32>
  tfx_tensor.return
}
func.func @after_it(%x: tensor<f32>, %n: index) {
  // expected-note @below {{the host starts the graph '@to_n' here}}
  %program = tfx_comm.start @to_n(%x, %n) : tensor<f32>, index
  // The graph sends the message after the loop only if the channel can hold those of the loop.
  // expected-error @below {{the host may wait indefinitely for this message on channel 1: the graph sends it in or after a loop that may run no iteration}}
  // expected-note @below {{before the cancellation, wait only for messages of a loop with constant bounds}}
  %a = tfx_comm.recv %program from 1 : tensor<f32>
  // expected-note @below {{the host cancels the graph here}}
  tfx_comm.terminate %program
  return
}

// -----

// The first iteration is certain, but the second is not.
tfx_tensor.graph @tests_at_the_end(%x: tensor<f32>, %p: i1) channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  // expected-note @below {{cannot prove that this loop runs another iteration}}
  scf.while : () -> () {
    tfx_comm.send %x to 0 : tensor<f32>
    scf.condition(%p)
  } do {
    scf.yield
  }
  tfx_tensor.return
}
func.func @first_two(%x: tensor<f32>, %p: i1) {
  // expected-note @below {{the host starts the graph '@tests_at_the_end' here}}
  %program = tfx_comm.start @tests_at_the_end(%x, %p) : tensor<f32>, i1
  %a = tfx_comm.recv %program from 0 : tensor<f32>
  // expected-error @below {{the host may wait indefinitely for this message on channel 0: the graph sends it in a later iteration of a loop that may end before it, or after the loop}}
  // expected-note @below {{wait only for messages of the first iteration, or make the bounds of the loop constant}}
  %b = tfx_comm.recv %program from 0 : tensor<f32>
  // expected-note @below {{the host cancels the graph here}}
  tfx_comm.terminate %program
  return
}

// -----

// The first condition does not imply the second.
tfx_tensor.graph @tests_at_the_start(%x: tensor<f32>, %n: i32) channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // expected-note @below {{cannot prove that this loop runs another iteration}}
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
func.func @two_if_any(%x: tensor<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  // expected-note @below {{the host starts the graph '@tests_at_the_start' here}}
  %program = tfx_comm.start @tests_at_the_start(%x, %n) : tensor<f32>, i32
  %any = arith.cmpi slt, %zero, %n : i32
  scf.if %any {
    %a = tfx_comm.recv %program from 0 : tensor<f32>
    // expected-error @below {{the host may wait indefinitely for this message on channel 0: the graph sends it in a later iteration of a loop that may end before it, or after the loop}}
    // expected-note @below {{wait only for messages of the first iteration, or make the bounds of the loop constant}}
    %b = tfx_comm.recv %program from 0 : tensor<f32>
    // expected-note @below {{the host cancels the graph here}}
    tfx_comm.terminate %program
  } else {
    tfx_comm.terminate %program
  }
  return
}

// -----

// A different condition does not imply an iteration: this one is true for 0.
tfx_tensor.graph @up_to_n(%x: tensor<f32>, %n: i32) channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // expected-note @below {{cannot prove that this loop runs an iteration}}
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
func.func @if_not_negative(%x: tensor<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  // expected-note @below {{the host starts the graph '@up_to_n' here}}
  %program = tfx_comm.start @up_to_n(%x, %n) : tensor<f32>, i32
  %any = arith.cmpi sle, %zero, %n : i32
  scf.if %any {
    // expected-error @below {{the host may wait indefinitely for this message on channel 0}}
    // expected-note @below {{before the cancellation, wait only for messages of a loop with constant bounds}}
    %a = tfx_comm.recv %program from 0 : tensor<f32>
    // expected-note @below {{the host cancels the graph here}}
    tfx_comm.terminate %program
  } else {
    tfx_comm.terminate %program
  }
  return
}

// -----

// Neither does the condition itself in the arm in which it is false.
tfx_tensor.graph @if_it_holds(%x: tensor<f32>, %p: i1) channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  // expected-note @below {{cannot prove that this loop runs an iteration}}
  scf.while : () -> () {
    scf.condition(%p)
  } do {
    tfx_comm.send %x to 0 : tensor<f32>
    scf.yield
  }
  tfx_tensor.return
}
func.func @if_it_does_not(%x: tensor<f32>, %p: i1) {
  // expected-note @below {{the host starts the graph '@if_it_holds' here}}
  %program = tfx_comm.start @if_it_holds(%x, %p) : tensor<f32>, i1
  scf.if %p {
    tfx_comm.terminate %program
  } else {
    // expected-error @below {{the host may wait indefinitely for this message on channel 0}}
    // expected-note @below {{before the cancellation, wait only for messages of a loop with constant bounds}}
    %a = tfx_comm.recv %program from 0 : tensor<f32>
    // expected-note @below {{the host cancels the graph here}}
    tfx_comm.terminate %program
  }
  return
}

// -----

// The initial values of a nested loop depend on the iteration of the loop around it.
tfx_tensor.graph @inner(%x: tensor<f32>, %n: i32) channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  scf.for %k = %zero to %two step %one : i32 {
    // expected-note @below {{cannot prove that this loop runs an iteration}}
    %r = scf.while (%i = %k) : (i32) -> i32 {
      %go = arith.cmpi slt, %i, %n : i32
      scf.condition(%go) %i : i32
    } do {
    ^bb0(%i: i32):
      tfx_comm.send %x to 0 : tensor<f32>
      %j = arith.addi %i, %one : i32
      scf.yield %j : i32
    }
  }
  tfx_tensor.return
}
func.func @outer(%x: tensor<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  // expected-note @below {{the host starts the graph '@inner' here}}
  %program = tfx_comm.start @inner(%x, %n) : tensor<f32>, i32
  %any = arith.cmpi slt, %zero, %n : i32
  scf.if %any {
    // expected-error @below {{the host may wait indefinitely for this message on channel 0}}
    // expected-note @below {{before the cancellation, wait only for messages of a loop with constant bounds}}
    %a = tfx_comm.recv %program from 0 : tensor<f32>
    // expected-note @below {{the host cancels the graph here}}
    tfx_comm.terminate %program
  } else {
    tfx_comm.terminate %program
  }
  return
}

// -----

// The graph may run the other arm of a branch that the host does not have.
tfx_tensor.graph @maybe(%x: tensor<f32>, %p: i1) channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  // expected-note @below {{cannot prove which region of this branch the graph runs}}
  scf.if %p {
    tfx_comm.send %x to 0 : tensor<f32>
  }
  tfx_tensor.return
}
func.func @surely(%x: tensor<f32>, %p: i1) {
  // expected-note @below {{the host starts the graph '@maybe' here}}
  %program = tfx_comm.start @maybe(%x, %p) : tensor<f32>, i1
  // expected-error @below {{the host may wait indefinitely for this message on channel 0: the graph sends it in or after a branch that the host does not have}}
  // expected-note @below {{wait inside of the same branch on the host, and cancel the graph in each of its regions}}
  %a = tfx_comm.recv %program from 0 : tensor<f32>
  // expected-note @below {{the host cancels the graph here}}
  tfx_comm.terminate %program
  return
}

// -----

// The host waits for one message more than the graph sends.
// expected-note @below {{meanwhile the graph has reached its end}}
tfx_tensor.graph @two(%x: tensor<f32>) channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  scf.for %i = %zero to %two step %one {
    tfx_comm.send %x to 0 : tensor<f32>
  }
  tfx_tensor.return
}
func.func @three(%x: tensor<f32>) {
  // expected-note @below {{the host starts the graph '@two' here}}
  %program = tfx_comm.start @two(%x) : tensor<f32>
  %a = tfx_comm.recv %program from 0 : tensor<f32>
  %b = tfx_comm.recv %program from 0 : tensor<f32>
  // expected-error @below {{the host waits for a message on channel 0 that the graph does not send}}
  // expected-note @below {{the host waits for a message on channel 0}}
  %c = tfx_comm.recv %program from 0 : tensor<f32>
  tfx_comm.terminate %program
  return
}

// -----

// The second message follows one that no one receives, for which the channel may have no space.
tfx_tensor.graph @beside(%x: tensor<f32>) channels [#tfx_comm.channel<0, to_host, tensor<f32>>, #tfx_comm.channel<1, to_host, tensor<f32>>] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  scf.for %i = %zero to %two step %one {
    // expected-error @below {{the graph sends a message on channel 1 that the host does not receive}}
    // expected-note @below {{channel 1 may have a capacity of 1, and contains the message that is sent here}}
    tfx_comm.send %x to 1 : tensor<f32>
    tfx_comm.send %x to 0 : tensor<f32>
  }
  tfx_tensor.return
}
func.func @one_of_both(%x: tensor<f32>) {
  // expected-note @below {{the host starts the graph '@beside' here}}
  %program = tfx_comm.start @beside(%x) : tensor<f32>
  %a = tfx_comm.recv %program from 0 : tensor<f32>
  // expected-note @below {{meanwhile the host waits for a message on channel 0}}
  %b = tfx_comm.recv %program from 0 : tensor<f32>
  tfx_comm.terminate %program
  return
}

// -----

// A host that waits for the end of the graph must have its loop, whatever the trip count.
tfx_tensor.graph @to_the_end(%x: tensor<f32>) channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-error @below {{the graph has 'scf.for' with messages inside here, but the host has no corresponding operation}}
  scf.for %i = %zero to %one step %one {
    tfx_comm.send %x to 0 : tensor<f32>
  }
  tfx_tensor.return
}
func.func @finishes(%x: tensor<f32>) {
  // expected-note @below {{the host starts the graph '@to_the_end' here}}
  %program = tfx_comm.start @to_the_end(%x) : tensor<f32>
  // expected-note @below {{meanwhile the host waits for a message on channel 0}}
  %a = tfx_comm.recv %program from 0 : tensor<f32>
  tfx_comm.finish %program
  return
}
