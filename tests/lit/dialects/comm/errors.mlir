// What tfx_comm says of wrong input: each message of its parsers and verifiers, at its place, with its notes. The generic
// form stands where the custom one cannot say something wrong.

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

// expected-error @below {{'sideways' is no direction of a channel; it is to_host or to_graph}}
func.func private @f() attributes {a = #tfx_comm.channel<0, sideways, f32>}

// -----

// expected-error @below {{expected valid keyword}}
func.func private @f() attributes {a = #tfx_comm.channel<0, "to_host", f32>}

// -----

// expected-error @below {{a channel carries a tensor or a scalar, not '!tfx_host.string'}}
func.func private @f() attributes {a = #tfx_comm.channel<0, to_host, !tfx_host.string>}

// -----

// expected-error @below {{a channel carries a tensor or a scalar, not 'memref<f32>'}}
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
  // expected-error @below {{'tfx_comm.start' op names @g, but no tfx_tensor.graph of that name is declared}}
  %p = tfx_comm.start @g()
  return
}

// -----

// What is started is a graph, not any symbol.
func.func private @g()
func.func @f() {
  // expected-error @below {{'tfx_comm.start' op names @g, but no tfx_tensor.graph of that name is declared}}
  %p = tfx_comm.start @g()
  return
}

// -----

// expected-note @below {{declared here}}
tfx_tensor.graph @g(%x: tensor<f32>) {
  tfx_tensor.return
}
func.func @f(%x: tensor<i32>) {
  // expected-error @below {{'tfx_comm.start' op gives inputs of types ('tensor<i32>'), but @g takes ('tensor<f32>')}}
  %p = tfx_comm.start @g(%x) : tensor<i32>
  return
}

// -----

// expected-note @below {{declared here}}
tfx_tensor.graph @g(%x: tensor<f32>) {
  tfx_tensor.return
}
func.func @f() {
  // expected-error @below {{'tfx_comm.start' op gives inputs of types (), but @g takes ('tensor<f32>')}}
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
  // expected-error @below {{'tfx_comm.finish' op takes results of types (), but @g gives ('tensor<f32>')}}
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
  // expected-error @below {{'tfx_comm.finish' op takes results of types ('tensor<f32>', 'tensor<f32>'), but @g gives ('tensor<f32>')}}
  %r:2 = tfx_comm.finish %p : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @f(%p: i32) {
  // expected-error @below {{'tfx_comm.finish' op operand #0 must be a running graph, as its host holds it, but got 'i32'}}
  "tfx_comm.finish"(%p) : (i32) -> ()
  return
}

// -----

func.func @f(%p: i32) {
  // expected-error @below {{'tfx_comm.terminate' op operand #0 must be a running graph, as its host holds it, but got 'i32'}}
  "tfx_comm.terminate"(%p) : (i32) -> ()
  return
}

// -----

// A graph that is wrong itself is what is complained of, though what uses it stands before it.
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

// So is a start that is wrong itself.
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
  // expected-error @below {{'tfx_comm.send' op is on the host's side and must name the program}}
  tfx_comm.send %x to 0 : f32
  return
}

// -----

func.func @f() {
  // expected-error @below {{'tfx_comm.recv' op is on the host's side and must name the program}}
  %x = tfx_comm.recv from 0 : f32
  return
}

// -----

tfx_tensor.graph @g(%p: !tfx_comm.program, %x: tensor<f32>) channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  // expected-error @below {{'tfx_comm.send' op names a program inside a graph; a graph's own channels need none}}
  tfx_comm.send %x to %p 0 : tensor<f32>
  tfx_tensor.return
}

// -----

tfx_tensor.graph @g(%p: !tfx_comm.program) channels [#tfx_comm.channel<0, to_graph, tensor<f32>>] {
  // expected-error @below {{'tfx_comm.recv' op names a program inside a graph; a graph's own channels need none}}
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
  // expected-error @below {{'tfx_comm.send' op sends on channel 0, which goes to_graph}}
  tfx_comm.send %x to 0 : tensor<f32>
  tfx_tensor.return
}

// -----

tfx_tensor.graph @g() channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  // expected-error @below {{'tfx_comm.recv' op receives from channel 0, which goes to_host}}
  %x = tfx_comm.recv from 0 : tensor<f32>
  tfx_tensor.return
}

// -----

tfx_tensor.graph @g() channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  tfx_tensor.return
}
func.func @f(%x: tensor<f32>) {
  %p = tfx_comm.start @g()
  // expected-error @below {{'tfx_comm.send' op sends on channel 0, which goes to_host}}
  tfx_comm.send %x to %p 0 : tensor<f32>
  return
}

// -----

tfx_tensor.graph @g() channels [#tfx_comm.channel<0, to_graph, tensor<f32>>] {
  tfx_tensor.return
}
func.func @f() {
  %p = tfx_comm.start @g()
  // expected-error @below {{'tfx_comm.recv' op receives from channel 0, which goes to_graph}}
  %x = tfx_comm.recv %p from 0 : tensor<f32>
  return
}

// -----

tfx_tensor.graph @g(%x: tensor<i32>) channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  // expected-error @below {{'tfx_comm.send' op has type 'tensor<i32>', but channel 0 carries 'tensor<f32>'}}
  tfx_comm.send %x to 0 : tensor<i32>
  tfx_tensor.return
}

// -----

tfx_tensor.graph @g() channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  tfx_tensor.return
}
func.func @f() {
  %p = tfx_comm.start @g()
  // expected-error @below {{'tfx_comm.recv' op has type 'f32', but channel 0 carries 'tensor<f32>'}}
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
  // expected-error @below {{'tfx_comm.send' op operand #1 must be a running graph, as its host holds it, but got 'i32'}}
  "tfx_comm.send"(%x, %p) {channel = 0 : i32} : (f32, i32) -> ()
  return
}
