// RUN: tfx-opt --tfx-verify-protocol --split-input-file --verify-diagnostics %s -o /dev/null

// A tensor crosses as a scalar in a message of two, and decides in the next trip: what the graph unpacks is the tensor that the host goes on with.

func.func private @next(tensor<i1>) -> tensor<i1>
tfx_tensor.graph @unpacks(%first: tensor<i1>) channels [#tfx_comm.channel<0, to_graph, tensor<2xi1>>] {
  %last = scf.while (%go = %first) : (tensor<i1>) -> tensor<i1> {
    %again = tfx_tensor.to_scalar %go : tensor<i1> -> i1
    scf.condition(%again) %go : tensor<i1>
  } do {
  ^bb0(%before: tensor<i1>):
    %message = tfx_comm.recv from 0 : tensor<2xi1>
    %both:2 = tfx_tensor.op "Unpack"(%message) : (tensor<2xi1>) -> (tensor<i1>, tensor<i1>)
    scf.yield %both#1 : tensor<i1>
  }
  tfx_tensor.return
}
func.func @f(%first: tensor<i1>, %other: i1) {
  %program = tfx_comm.start @unpacks(%first) : tensor<i1>
  %last = scf.while (%go = %first) : (tensor<i1>) -> tensor<i1> {
    %again = tfx_tensor.to_scalar %go : tensor<i1> -> i1
    scf.condition(%again) %go : tensor<i1>
  } do {
  ^bb0(%before: tensor<i1>):
    %next = func.call @next(%before) : (tensor<i1>) -> tensor<i1>
    %scalar = tfx_tensor.to_scalar %next : tensor<i1> -> i1
    %message = tensor.from_elements %other, %scalar : tensor<2xi1>
    tfx_comm.send %message to %program 0 : tensor<2xi1>
    scf.yield %next : tensor<i1>
  }
  tfx_comm.finish %program
  return
}

// -----

// The other way: the graph sends the scalar of a tensor, and the host makes a tensor of it.

tfx_tensor.graph @packs(%first: tensor<i1>) channels [#tfx_comm.channel<0, to_host, tensor<2xi1>>] {
  %last = scf.while (%go = %first) : (tensor<i1>) -> tensor<i1> {
    %again = tfx_tensor.to_scalar %go : tensor<i1> -> i1
    scf.condition(%again) %go : tensor<i1>
  } do {
  ^bb0(%before: tensor<i1>):
    %next = tfx_tensor.op "LogicalNot"(%before) : (tensor<i1>) -> tensor<i1>
    %scalar = tfx_tensor.to_scalar %next : tensor<i1> -> i1
    %made = tfx_tensor.from_scalar %scalar : i1
    %message = tfx_tensor.op "Pack"(%before, %made) : (tensor<i1>, tensor<i1>) -> tensor<2xi1>
    tfx_comm.send %message to 0 : tensor<2xi1>
    scf.yield %next : tensor<i1>
  }
  tfx_tensor.return
}
func.func @f(%first: tensor<i1>) {
  %program = tfx_comm.start @packs(%first) : tensor<i1>
  %last = scf.while (%go = %first) : (tensor<i1>) -> tensor<i1> {
    %again = tfx_tensor.to_scalar %go : tensor<i1> -> i1
    scf.condition(%again) %go : tensor<i1>
  } do {
  ^bb0(%before: tensor<i1>):
    %message = tfx_comm.recv %program from 0 : tensor<2xi1>
    %place = arith.constant 1 : index
    %scalar = tensor.extract %message[%place] : tensor<2xi1>
    %next = tfx_tensor.from_scalar %scalar : i1
    scf.yield %next : tensor<i1>
  }
  tfx_comm.finish %program
  return
}

// -----

// The graph takes the other one of the two.

func.func private @next(tensor<i1>) -> tensor<i1>
tfx_tensor.graph @mistakes(%first: tensor<i1>) channels [#tfx_comm.channel<0, to_graph, tensor<2xi1>>] {
  // expected-note @below {{it is here in the graph}}
  %last = scf.while (%go = %first) : (tensor<i1>) -> tensor<i1> {
    %again = tfx_tensor.to_scalar %go : tensor<i1> -> i1
    scf.condition(%again) %go : tensor<i1>
  } do {
  ^bb0(%before: tensor<i1>):
    %message = tfx_comm.recv from 0 : tensor<2xi1>
    %both:2 = tfx_tensor.op "Unpack"(%message) : (tensor<2xi1>) -> (tensor<i1>, tensor<i1>)
    scf.yield %both#0 : tensor<i1>
  }
  tfx_tensor.return
}
// expected-note @below {{where the graph depends on this one, which is not known to be the same}}
func.func @f(%first: tensor<i1>, %other: i1) {
  %program = tfx_comm.start @mistakes(%first) : tensor<i1>
  // expected-error @below {{the host and the graph may leave this loop after different trips: nothing proves that they decide alike}}
  %last = scf.while (%go = %first) : (tensor<i1>) -> tensor<i1> {
    %again = tfx_tensor.to_scalar %go : tensor<i1> -> i1
    scf.condition(%again) %go : tensor<i1>
  } do {
  ^bb0(%before: tensor<i1>):
    // expected-note @below {{the host depends on this value}}
    %next = func.call @next(%before) : (tensor<i1>) -> tensor<i1>
    %scalar = tfx_tensor.to_scalar %next : tensor<i1> -> i1
    %message = tensor.from_elements %other, %scalar : tensor<2xi1>
    tfx_comm.send %message to %program 0 : tensor<2xi1>
    scf.yield %next : tensor<i1>
  }
  tfx_comm.finish %program
  return
}
