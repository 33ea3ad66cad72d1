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

tfx_host.enum @Option {none(), some(i32)}
func.func @enum(%o: !tfx_host.enum<@Option>, %n: i32) -> i32 {
  // expected-error @+2 {{a branch on an enum's case cannot be structured while the enum is still there}}
  // expected-note @+1 {{run tfx-scalarize first: it turns the case into an integer}}
  tfx_host.switch_enum %o : !tfx_host.enum<@Option> ["none" -> ^done(%n : i32), "some" -> ^done]
^done(%x: i32):
  return %x : i32
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
