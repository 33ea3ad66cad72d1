// Each diagnostic of the parsers and verifiers of tfx_comm, at its location and with its notes.
// Tests use the generic form where the custom form cannot express the error.

// RUN: tfx-opt --split-input-file --verify-diagnostics %s

//===----------------------------------------------------------------------===//
// The type and the attribute
//===----------------------------------------------------------------------===//

// expected-error @below {{unknown  type `graph` in dialect `tfx_comm`}}
func.func private @f(!tfx_comm.graph)

// -----

// expected-error @below {{unknown attribute `stream` in dialect `tfx_comm`}}
func.func private @f() attributes {a = #tfx_comm.stream<0>}

// -----

// expected-error @below {{expected to_host or to_graph as the direction of a channel, got 'sideways'}}
func.func private @f() attributes {a = #tfx_comm.channel<0, sideways, f32>}

// -----

// expected-error @below {{expected valid keyword}}
func.func private @f() attributes {a = #tfx_comm.channel<0, "to_host", f32>}

// -----

// expected-error @below {{expected the device 'cpu' or 'cuda', got 'tpu'}}
func.func private @f() attributes {a = #tfx_comm.place<tpu>}

// -----

func.func @f(%x: f32) {
  // expected-error @below {{'tfx_comm.copy' op operand #0 must be tensor of any type values, but got 'f32'}}
  "tfx_comm.copy"(%x) {source = #tfx_comm.place<cpu>, destination = #tfx_comm.place<cpu:1>} : (f32) -> f32
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error @below {{'tfx_comm.copy' op requires attribute 'destination'}}
  %y = "tfx_comm.copy"(%x) {source = #tfx_comm.place<cpu>} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @below {{'tfx_comm.copy' op requires the same type for all operands and results}}
  %y = "tfx_comm.copy"(%x) {source = #tfx_comm.place<cpu>, destination = #tfx_comm.place<cpu:1>} : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

// expected-error @below {{expected a tensor or a scalar as the type of a channel, got '!tfx_host.string'}}
func.func private @f() attributes {a = #tfx_comm.channel<0, to_host, !tfx_host.string>}

// -----

// expected-error @below {{expected a tensor or a scalar as the type of a channel, got 'memref<f32>'}}
func.func private @f() attributes {a = #tfx_comm.channel<0, to_host, memref<f32>>}

// -----

// expected-error @below {{failed to parse TfxComm_ChannelAttr parameter 'id'}}
// expected-error @below {{expected integer value}}
func.func private @f() attributes {a = #tfx_comm.channel<first, to_host, f32>}

// -----

// expected-error @below {{failed to parse TfxComm_ChannelAttr parameter 'id'}}
// expected-error @below {{integer value too large}}
func.func private @f() attributes {a = #tfx_comm.channel<4294967296, to_host, f32>}

// -----

// expected-error @below {{expected 'capacity'}}
func.func private @f() attributes {a = #tfx_comm.channel<0, to_host, f32, size = 1>}

//===----------------------------------------------------------------------===//
// Markers
//===----------------------------------------------------------------------===//

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error @below {{'tfx_comm.to_host' op requires the same type for all operands and results}}
  %y = "tfx_comm.to_host"(%x) : (tensor<f32>) -> tensor<?xf32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error @below {{'tfx_comm.to_accelerator' op requires the same type for all operands and results}}
  %y = "tfx_comm.to_accelerator"(%x) : (tensor<f32>) -> tensor<i32>
  return
}

//===----------------------------------------------------------------------===//
// start, finish, terminate
//===----------------------------------------------------------------------===//

// -----

func.func @f() {
  // expected-error @below {{'tfx_comm.start' op refers to @g, but no tfx_tensor.graph of that name is declared}}
  %p = tfx_comm.start @g()
  return
}

// -----

// The symbol must be a graph.
func.func private @g()
func.func @f() {
  // expected-error @below {{'tfx_comm.start' op refers to @g, but no tfx_tensor.graph of that name is declared}}
  %p = tfx_comm.start @g()
  return
}

// -----

// expected-note @below {{declared here}}
tfx_tensor.graph @g(%x: tensor<f32>) {
  tfx_tensor.return
}
func.func @f(%x: tensor<i32>) {
  // expected-error @below {{'tfx_comm.start' op expected input types ('tensor<f32>') for @g, got ('tensor<i32>')}}
  %p = tfx_comm.start @g(%x) : tensor<i32>
  return
}

// -----

// expected-note @below {{declared here}}
tfx_tensor.graph @g(%x: tensor<f32>) {
  tfx_tensor.return
}
func.func @f() {
  // expected-error @below {{'tfx_comm.start' op expected input types ('tensor<f32>') for @g, got ()}}
  %p = tfx_comm.start @g()
  return
}

// -----

func.func @f() {
  // expected-error @below {{'tfx_comm.start' op requires attribute 'graph'}}
  %p = "tfx_comm.start"() : () -> !tfx_comm.program
  %r = tfx_comm.finish %p : tensor<f32>
  return
}

// -----

// expected-note @below {{declared here}}
tfx_tensor.graph @g() -> tensor<f32> {
  %x = tfx_tensor.const dense<1.0> : tensor<f32>
  tfx_tensor.return %x : tensor<f32>
}
func.func @f() {
  %p = tfx_comm.start @g()
  // expected-error @below {{'tfx_comm.finish' op expected result types ('tensor<f32>') from @g, got ()}}
  tfx_comm.finish %p
  return
}

// -----

// expected-note @below {{declared here}}
tfx_tensor.graph @g() -> tensor<f32> {
  %x = tfx_tensor.const dense<1.0> : tensor<f32>
  tfx_tensor.return %x : tensor<f32>
}
func.func @f() {
  %p = tfx_comm.start @g()
  // expected-error @below {{'tfx_comm.finish' op expected result types ('tensor<f32>') from @g, got ('tensor<f32>', 'tensor<f32>')}}
  %r:2 = tfx_comm.finish %p : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @f(%p: i32) {
  // expected-error @below {{'tfx_comm.finish' op operand #0 must be a running graph, but got 'i32'}}
  "tfx_comm.finish"(%p) : (i32) -> ()
  return
}

// -----

func.func @f(%p: i32) {
  // expected-error @below {{'tfx_comm.terminate' op operand #0 must be a running graph, but got 'i32'}}
  "tfx_comm.terminate"(%p) : (i32) -> ()
  return
}

// -----

// An invalid graph is reported, although its uses precede it.
func.func @f() {
  %p = tfx_comm.start @g()
  %x = tfx_comm.recv %p from 0 : tensor<f32>
  %r = tfx_comm.finish %p : tensor<f32>
  return
}
// expected-error @below {{'tfx_tensor.graph' op requires attribute 'function_type'}}
"tfx_tensor.graph"() ({
  tfx_tensor.return
}) {sym_name = "g"} : () -> ()

// -----

// An invalid start is reported, although its use precedes it.
func.func @f() {
  %r = tfx_comm.finish %p : tensor<f32>
  // expected-error @below {{'tfx_comm.start' op requires attribute 'graph'}}
  %p = "tfx_comm.start"() : () -> !tfx_comm.program
  return
}

//===----------------------------------------------------------------------===//
// send, recv
//===----------------------------------------------------------------------===//

// -----

func.func @f(%x: f32) {
  // expected-error @below {{'tfx_comm.send' op expected the program of the channel, since the operation is outside a graph}}
  tfx_comm.send %x to 0 : f32
  return
}

// -----

func.func @f() {
  // expected-error @below {{'tfx_comm.recv' op expected the program of the channel, since the operation is outside a graph}}
  %x = tfx_comm.recv from 0 : f32
  return
}

// -----

tfx_tensor.graph @g(%p: !tfx_comm.program, %x: tensor<f32>) channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  // expected-error @below {{'tfx_comm.send' op names a program inside a graph; omit the program to use a channel of the graph}}
  tfx_comm.send %x to %p 0 : tensor<f32>
  tfx_tensor.return
}

// -----

tfx_tensor.graph @g(%p: !tfx_comm.program) channels [#tfx_comm.channel<0, to_graph, tensor<f32>>] {
  // expected-error @below {{'tfx_comm.recv' op names a program inside a graph; omit the program to use a channel of the graph}}
  %x = tfx_comm.recv %p from 0 : tensor<f32>
  tfx_tensor.return
}

// -----

// expected-note @below {{declared here}}
tfx_tensor.graph @g(%x: tensor<f32>) {
  // expected-error @below {{'tfx_comm.send' op uses channel 0, which @g does not declare}}
  tfx_comm.send %x to 0 : tensor<f32>
  tfx_tensor.return
}

// -----

// expected-note @below {{declared here}}
tfx_tensor.graph @g() channels [#tfx_comm.channel<0, to_graph, tensor<f32>>] {
  // expected-error @below {{'tfx_comm.recv' op uses channel 1, which @g does not declare}}
  %x = tfx_comm.recv from 1 : tensor<f32>
  tfx_tensor.return
}

// -----

// expected-note @below {{declared here}}
tfx_tensor.graph @g() channels [] {
  tfx_tensor.return
}
func.func @f() {
  %p = tfx_comm.start @g()
  // expected-error @below {{'tfx_comm.recv' op uses channel 1, which @g does not declare}}
  %x = tfx_comm.recv %p from 1 : tensor<f32>
  return
}

// -----

tfx_tensor.graph @g(%x: tensor<f32>) channels [#tfx_comm.channel<0, to_graph, tensor<f32>>] {
  // expected-error @below {{'tfx_comm.send' op sends on channel 0, whose direction is to_graph}}
  tfx_comm.send %x to 0 : tensor<f32>
  tfx_tensor.return
}

// -----

tfx_tensor.graph @g() channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  // expected-error @below {{'tfx_comm.recv' op receives from channel 0, whose direction is to_host}}
  %x = tfx_comm.recv from 0 : tensor<f32>
  tfx_tensor.return
}

// -----

tfx_tensor.graph @g() channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  tfx_tensor.return
}
func.func @f(%x: tensor<f32>) {
  %p = tfx_comm.start @g()
  // expected-error @below {{'tfx_comm.send' op sends on channel 0, whose direction is to_host}}
  tfx_comm.send %x to %p 0 : tensor<f32>
  return
}

// -----

tfx_tensor.graph @g() channels [#tfx_comm.channel<0, to_graph, tensor<f32>>] {
  tfx_tensor.return
}
func.func @f() {
  %p = tfx_comm.start @g()
  // expected-error @below {{'tfx_comm.recv' op receives from channel 0, whose direction is to_graph}}
  %x = tfx_comm.recv %p from 0 : tensor<f32>
  return
}

// -----

tfx_tensor.graph @g(%x: tensor<i32>) channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  // expected-error @below {{'tfx_comm.send' op expected type 'tensor<f32>' for channel 0, got 'tensor<i32>'}}
  tfx_comm.send %x to 0 : tensor<i32>
  tfx_tensor.return
}

// -----

tfx_tensor.graph @g() channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  tfx_tensor.return
}
func.func @f() {
  %p = tfx_comm.start @g()
  // expected-error @below {{'tfx_comm.recv' op expected type 'tensor<f32>' for channel 0, got 'f32'}}
  %x = tfx_comm.recv %p from 0 : f32
  return
}

// -----

func.func @f(%p: !tfx_comm.program, %x: f32) {
  // expected-error @below {{'tfx_comm.send' op attribute 'channel' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
  tfx_comm.send %x to %p -1 : f32
  return
}

// -----

func.func @f(%p: !tfx_comm.program) {
  // expected-error @below {{'tfx_comm.recv' op requires attribute 'channel'}}
  %x = "tfx_comm.recv"(%p) : (!tfx_comm.program) -> f32
  return
}

// -----

func.func @f(%p: i32, %x: f32) {
  // expected-error @below {{'tfx_comm.send' op operand #1 must be a running graph, but got 'i32'}}
  "tfx_comm.send"(%x, %p) {channel = 0 : i32} : (f32, i32) -> ()
  return
}
