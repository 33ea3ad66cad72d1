// RUN: tfx-opt --tfx-verify-protocol --split-input-file --verify-diagnostics %s -o /dev/null

// A tensor is sent as one of two scalars of a message and decides in the next iteration. The tensor
// that the graph unpacks equals that of the host.

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

// The opposite direction: the graph sends the scalar in a tensor, and the host puts it into a tensor.

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

// The graph uses the other one of the two scalars.

func.func private @next(tensor<i1>) -> tensor<i1>
tfx_tensor.graph @mistakes(%first: tensor<i1>) channels [#tfx_comm.channel<0, to_graph, tensor<2xi1>>] {
  // expected-note @below {{the graph decides here}}
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
// expected-note @below {{the graph depends on this value, which may differ}}
func.func @f(%first: tensor<i1>, %other: i1) {
  %program = tfx_comm.start @mistakes(%first) : tensor<i1>
  // expected-error @below {{the host and the graph may run different numbers of iterations of this loop: cannot prove that they decide by equal values}}
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
