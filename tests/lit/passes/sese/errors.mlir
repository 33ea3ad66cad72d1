// RUN: tfx-opt %s --pass-pipeline='builtin.module(func.func(tfx-sese))' --split-input-file --verify-diagnostics --allow-unregistered-dialect

func.func @unknown_terminator(%n: i32) {
  // expected-error @+2 {{a block that ends in 'other.branch' cannot be structured}}
  // expected-note @+1 {{use cf.br, cf.cond_br, cf.switch or func.return, or tfx_host.unreachable after what does not come back}}
  "other.branch"(%n)[^a, ^b] : (i32) -> ()
^a:
  return
^b:
  return
}

// -----

func.func @wide_switch(%n: i128) {
  // expected-error @+2 {{a switch on a value of type 'i128' cannot be structured}}
  // expected-note @+1 {{switch on an i1, i8, i16, i32 or i64, whose cases are written as dense<[...]>}}
  cf.switch %n : i128, [default: ^a, 1: ^b]
^a:
  return
^b:
  return
}

// -----

// What cannot be reached is dropped whatever it is.
func.func @unreachable(%n: i32) {
  cf.br ^end
^nowhere:
  "other.branch"(%n)[^end] : (i32) -> ()
^end:
  return
}

// -----

func.func @graph_for_ever(%x: tensor<f32>) -> tensor<f32> {
  cf.br ^loop(%x : tensor<f32>)
^loop(%y: tensor<f32>):
  // expected-note @+1 {{it runs this operation in every trip}}
  %z = tfx_tensor.op "Neg"(%y) : (tensor<f32>) -> tensor<f32>
  // expected-error @+2 {{this loop never ends, and the host has no part in it: its graph would run for ever}}
  // expected-note @+1 {{give the loop an exit, or let the host decide inside of it}}
  cf.br ^loop(%z : tensor<f32>)
}

// -----

// The host has a part in it.
func.func private @serve()
func.func @server(%x: tensor<f32>) -> tensor<f32> {
  cf.br ^loop(%x : tensor<f32>)
^loop(%y: tensor<f32>):
  %z = tfx_tensor.op "Neg"(%y) : (tensor<f32>) -> tensor<f32>
  func.call @serve() : () -> ()
  cf.br ^loop(%z : tensor<f32>)
}

// -----

// An abort is a way out.
func.func @until_abort(%x: tensor<f32>, %p: i1) -> tensor<f32> {
  cf.br ^loop(%x : tensor<f32>)
^loop(%y: tensor<f32>):
  %z = tfx_tensor.op "Neg"(%y) : (tensor<f32>) -> tensor<f32>
  cf.cond_br %p, ^loop(%z : tensor<f32>), ^out
^out:
  tfx_host.abort "enough"
  tfx_host.unreachable
}

// -----

// A call of a graph function is no part of the host's.
func.func private @step(%x: tensor<f32>) -> tensor<f32> attributes {tfx.graph_function} {
  %y = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
func.func @steps_for_ever(%x: tensor<f32>) -> tensor<f32> {
  cf.br ^loop(%x : tensor<f32>)
^loop(%y: tensor<f32>):
  // expected-note @+1 {{it runs this operation in every trip}}
  %z = func.call @step(%y) : (tensor<f32>) -> tensor<f32>
  // expected-error @+2 {{this loop never ends, and the host has no part in it: its graph would run for ever}}
  // expected-note @+1 {{give the loop an exit, or let the host decide inside of it}}
  cf.br ^loop(%z : tensor<f32>)
}

// -----

// An operation that the host runs by itself is the host's part, if it has an effect.
func.func @eager_for_ever(%x: tensor<f32>, %shape: tensor<1xi32>, %seed: i64) -> tensor<f32> {
  cf.br ^loop(%x : tensor<f32>)
^loop(%y: tensor<f32>):
  %r = tfx_tensor.op "RandomUniform"(%shape) computed(seed = %seed : i64) {eager} : (tensor<1xi32>) -> tensor<?xf32>
  %z = tfx_tensor.op "Neg"(%y) : (tensor<f32>) -> tensor<f32>
  cf.br ^loop(%z : tensor<f32>)
}
