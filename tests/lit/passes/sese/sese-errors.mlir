// RUN: tfx-opt %s --pass-pipeline='builtin.module(func.func(tfx-sese{verify=true}))' --split-input-file --verify-diagnostics --allow-unregistered-dialect

func.func @unknown_terminator(%n: i32) {
  // expected-error @+2 {{a block that ends in 'other.branch' cannot be structured}}
  // expected-note @+1 {{use cf.br, cf.cond_br, cf.switch or func.return; or tfx_host.unreachable after an operation that does not return}}
  "other.branch"(%n)[^a, ^b] : (i32) -> ()
^a:
  return
^b:
  return
}

// -----

func.func @wide_switch(%n: i128) {
  // expected-error @+2 {{a switch on a value of type 'i128' cannot be structured}}
  // expected-note @+1 {{switch on an i1, i8, i16, i32 or i64, with case values of the form dense<[...]>}}
  cf.switch %n : i128, [default: ^a, 1: ^b]
^a:
  return
^b:
  return
}

// -----

// Unreachable blocks are erased, whatever their terminators.
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
  // expected-note @+1 {{it runs this operation in each iteration}}
  %z = tfx_tensor.op "Neg"(%y) : (tensor<f32>) -> tensor<f32>
  // expected-error @+2 {{this loop is infinite: no branch leaves it, and it has no observable effect}}
  // expected-note @+1 {{make the loop terminate; only a loop that prints, aborts or calls a host function may run indefinitely}}
  cf.br ^loop(%z : tensor<f32>)
}

// -----

// The call of a host function is observable.
func.func private @serve()
func.func @server(%x: tensor<f32>) -> tensor<f32> {
  cf.br ^loop(%x : tensor<f32>)
^loop(%y: tensor<f32>):
  %z = tfx_tensor.op "Neg"(%y) : (tensor<f32>) -> tensor<f32>
  func.call @serve() : () -> ()
  cf.br ^loop(%z : tensor<f32>)
}

// -----

// An abort is an exit.
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

// The call of a graph function is not observable.
func.func private @step(%x: tensor<f32>) -> tensor<f32> attributes {tfx.graph_function} {
  %y = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
func.func @steps_for_ever(%x: tensor<f32>) -> tensor<f32> {
  cf.br ^loop(%x : tensor<f32>)
^loop(%y: tensor<f32>):
  // expected-note @+1 {{it runs this operation in each iteration}}
  %z = func.call @step(%y) : (tensor<f32>) -> tensor<f32>
  // expected-error @+2 {{this loop is infinite: no branch leaves it, and it has no observable effect}}
  // expected-note @+1 {{make the loop terminate; only a loop that prints, aborts or calls a host function may run indefinitely}}
  cf.br ^loop(%z : tensor<f32>)
}

// -----

// An eager operation with an effect is observable.
func.func @eager_for_ever(%x: tensor<f32>, %shape: tensor<1xi32>, %seed: i64) -> tensor<f32> {
  cf.br ^loop(%x : tensor<f32>)
^loop(%y: tensor<f32>):
  %r = tfx_tensor.op "RandomUniform"(%shape) computed(seed = %seed : i64) {eager} : (tensor<1xi32>) -> tensor<?xf32>
  %z = tfx_tensor.op "Neg"(%y) : (tensor<f32>) -> tensor<f32>
  cf.br ^loop(%z : tensor<f32>)
}

// -----

// The counter is never incremented, so the condition is constant.
func.func @counter_stays(%x: tensor<f32>) -> tensor<f32> {
  %limit = arith.constant 100 : i32
  %zero = arith.constant 0 : i32
  cf.br ^head(%x, %zero : tensor<f32>, i32)
^head(%y: tensor<f32>, %i: i32):
  %j = arith.muli %i, %limit : i32
  %go = arith.cmpi slt, %j, %limit : i32
  // expected-error @+2 {{this loop is infinite: its condition is true in each iteration, and it has no observable effect}}
  // expected-note @+1 {{make the loop terminate; only a loop that prints, aborts or calls a host function may run indefinitely}}
  cf.cond_br %go, ^body, ^exit
^body:
  // expected-note @+1 {{it runs this operation in each iteration}}
  %z = tfx_tensor.op "Neg"(%y) : (tensor<f32>) -> tensor<f32>
  cf.br ^head(%z, %j : tensor<f32>, i32)
^exit:
  return %y : tensor<f32>
}

// -----

// A host loop without observable effects, which exits if its condition is true.
func.func @spins(%n: i32) -> i32 {
  %false = arith.constant false
  cf.br ^loop(%n : i32)
^loop(%i: i32):
  %j = arith.addi %i, %i : i32
  // expected-error @+2 {{this loop is infinite: its condition is false in each iteration, and it has no observable effect}}
  // expected-note @+1 {{make the loop terminate; only a loop}}
  cf.cond_br %false, ^exit, ^loop(%j : i32)
^exit:
  return %j : i32
}

// -----

// The branch that changes the counter is never taken, and the switch always takes the same case.
func.func @guarded(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^loop(%zero : i32)
^loop(%i: i32):
  %more = arith.cmpi sgt, %i, %one : i32
  cf.cond_br %more, ^change, ^test(%i : i32)
^change:
  cf.br ^test(%n : i32)
^test(%j: i32):
  // expected-error @+2 {{this loop is infinite: the switch that would leave it takes the same case in each iteration, and it has no observable effect}}
  // expected-note @+1 {{make the loop terminate; only a loop}}
  cf.switch %j : i32, [default: ^exit, 0: ^loop(%j : i32), 1: ^exit]
^exit:
  return %n : i32
}

// -----

// Accepted: the host prints, calls or aborts; the condition changes; or the loop is unreachable.
func.func private @serve()
func.func @prints() {
  %true = arith.constant true
  cf.br ^loop
^loop:
  tfx_host.print "again"()
  cf.cond_br %true, ^loop, ^exit
^exit:
  return
}
func.func @calls() {
  %true = arith.constant true
  cf.br ^loop
^loop:
  func.call @serve() : () -> ()
  cf.cond_br %true, ^loop, ^exit
^exit:
  return
}
func.func @aborts(%p: i1) {
  %true = arith.constant true
  cf.br ^loop
^loop:
  cf.cond_br %p, ^abort, ^next
^abort:
  tfx_host.abort "enough"
  tfx_host.unreachable
^next:
  cf.cond_br %true, ^loop, ^exit
^exit:
  return
}
func.func @counts() -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %limit = arith.constant 100 : i32
  cf.br ^loop(%zero : i32)
^loop(%i: i32):
  %j = arith.addi %i, %one : i32
  %go = arith.cmpi slt, %j, %limit : i32
  cf.cond_br %go, ^loop(%j : i32), ^exit
^exit:
  return %j : i32
}
func.func @never_reached(%n: i32) -> i32 {
  %false = arith.constant false
  cf.cond_br %false, ^loop(%n : i32), ^exit
^loop(%i: i32):
  %j = arith.addi %i, %i : i32
  %stay = arith.cmpi eq, %false, %false : i1
  cf.cond_br %stay, ^loop(%j : i32), ^exit
^exit:
  return %n : i32
}
