// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-inline)' --split-input-file --verify-diagnostics

// Marked, but not tensor-only: each error names the obstacle, at its location.

// expected-note @below {{it is marked here; without 'tfx.graph_function' its calls are inlined}}
func.func @prints(%x: tensor<f32>) -> tensor<f32> attributes {tfx.graph_function} {
  // expected-error @below {{'@prints' cannot be a graph function: it contains 'tfx_host.print', which only the host can run}}
  tfx_host.print "{}"(%x) : tensor<f32>
  %a = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
  return %a : tensor<f32>
}

// -----

func.func private @foreign(tensor<f32>) -> tensor<f32>
func.func private @calls(%x: tensor<f32>) -> tensor<f32> {
  %a = func.call @foreign(%x) : (tensor<f32>) -> tensor<f32>
  return %a : tensor<f32>
}
// expected-note @below {{it is marked here}}
func.func @deep(%x: tensor<f32>) -> tensor<f32> attributes {tfx.graph_function} {
  // expected-error @below {{'@deep' cannot be a graph function: it calls '@calls', which is not tensor-only}}
  %a = func.call @calls(%x) : (tensor<f32>) -> tensor<f32>
  return %a : tensor<f32>
}
// expected-note @below {{it is marked here}}
func.func @near(%x: tensor<f32>) -> tensor<f32> attributes {tfx.graph_function} {
  // expected-error @below {{'@near' cannot be a graph function: it calls the foreign function '@foreign'}}
  %a = func.call @foreign(%x) : (tensor<f32>) -> tensor<f32>
  return %a : tensor<f32>
}

// -----

// expected-note @below {{it is marked here}}
// expected-error @below {{'@refers' cannot be a graph function: its signature has the type '!tfx_host.ref<tensor<f32>>', which graphs do not support}}
func.func @refers(%x: !tfx_host.ref<tensor<f32>>) attributes {tfx.graph_function} {
  return
}

// -----

// expected-note @below {{it is marked here}}
// expected-remark @below {{'@forever' is recursive (@forever -> @forever), so its calls stay on the host; write a loop instead}}
func.func @forever(%x: tensor<f32>) -> tensor<f32> attributes {tfx.graph_function} {
  // expected-error @below {{'@forever' cannot be a graph function: it is recursive through '@forever'}}
  // expected-note @below {{called here}}
  %a = func.call @forever(%x) : (tensor<f32>) -> tensor<f32>
  return %a : tensor<f32>
}

// -----

// expected-note @below {{it is marked here}}
func.func @strings(%x: tensor<f32>) -> tensor<f32> attributes {tfx.graph_function} {
  %v = tfx_host.undef : tensor<f32>
  // expected-error @below {{'@strings' cannot be a graph function: it has a value of type '!tfx_host.string', which graphs do not support}}
  %s = tfx_host.undef : !tfx_host.string
  return %v : tensor<f32>
}

// -----

// expected-note @below {{it is marked here}}
func.func private @slope(%x: tensor<4xf32>, %alpha: f32) -> tensor<4xf32> attributes {tfx.graph_function} {
  // expected-error @below {{'@slope' cannot be a graph function: an attribute of this operation depends on parameters of the function, which are known only where it is inlined}}
  %y = tfx_tensor.op "LeakyRelu"(%x) computed(alpha = %alpha : f32) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @calls_slope(%x: tensor<4xf32>) -> tensor<4xf32> {
  %alpha = arith.constant 0.5 : f32
  %y = func.call @slope(%x, %alpha) : (tensor<4xf32>, f32) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
