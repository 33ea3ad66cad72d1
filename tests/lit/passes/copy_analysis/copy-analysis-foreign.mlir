// RUN: tfx-opt --tfx-partition --tfx-copy-analysis --split-input-file --verify-diagnostics %s -o %t
//
// The attributes of foreign functions.

// Two calls that share a state: the second may return what the first was given.
func.func private @log(tensor<2xf32>) attributes {tfx.state = "history"}
func.func private @best() -> tensor<2xf32> attributes {tfx.state = "history"}
func.func @one_state(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-note @below {{this value is copied to the host (8 bytes)}}
  %a = tfx_tensor.op "Exp"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-note @below {{host code uses it here: call of '@log', which has no graph equivalent}}
  func.call @log(%a) : (tensor<2xf32>) -> ()
  // expected-warning @below {{the result of '@best' stalls the accelerator: a value leaves}}
  // expected-note @below {{and then here: call of '@best', which has no graph equivalent}}
  // expected-note @below {{if this copy is intentional}}
  %b = func.call @best() : () -> tensor<2xf32>
  // expected-note @below {{its result is copied back to the accelerator for this operation}}
  %c = tfx_tensor.op "Neg"(%b) : (tensor<2xf32>) -> tensor<2xf32>
  return %c : tensor<2xf32>
}

// -----

// The result of a call depends on whether an earlier call on the same state is made.
func.func private @advance() attributes {tfx.state = "loader"}
func.func private @next_batch() -> tensor<2xf32> attributes {tfx.state = "loader"}
func.func @state_of_a_decision(%x: tensor<2xf32>) -> tensor<2xf32> {
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %a = tfx_tensor.op "Exp"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-note @below {{this value is copied to the host (8 bytes)}}
  %b = tfx_tensor.op "Tanh"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-note @below {{host code uses it here: call of '@good'}}
  %good = func.call @good(%b) : (tensor<2xf32>) -> i1
  // expected-note @below {{and then here: it decides whether this runs}}
  scf.if %good {
    // expected-note @below {{and then here: call of '@advance'}}
    func.call @advance() : () -> ()
  }
  // expected-warning @below {{the result of '@next_batch' stalls the accelerator}}
  // expected-note @below {{and then here: call of '@next_batch'}}
  // expected-note @below {{if this copy is intentional}}
  %batch = func.call @next_batch() : () -> tensor<2xf32>
  // expected-note @below {{its result is copied back to the accelerator for this operation}}
  %c = tfx_tensor.op "Add"(%a, %batch) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %c : tensor<2xf32>
}
func.func private @good(tensor<2xf32>) -> i1

// -----

// A function that stays on the host accesses the states of its callees.
func.func private @log(tensor<2xf32>) attributes {tfx.state = "history"}
func.func private @best() -> tensor<2xf32> attributes {tfx.state = "history"}
func.func private @twice(%x: tensor<2xf32>) {
  func.call @log(%x) : (tensor<2xf32>) -> ()
  func.call @log(%x) : (tensor<2xf32>) -> ()
  return
}
func.func private @best_of() -> tensor<2xf32> {
  %b = func.call @best() : () -> tensor<2xf32>
  return %b : tensor<2xf32>
}
func.func private @other(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @through_functions(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-note @below {{this value is copied to the host (8 bytes)}}
  %a = tfx_tensor.op "Exp"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-note @below {{host code uses it here: call of '@twice'}}
  func.call @twice(%a) : (tensor<2xf32>) -> ()
  // expected-warning @below {{the result of '@best_of' stalls the accelerator}}
  // expected-note @below {{and then here: call of '@best_of'}}
  // expected-note @below {{if this copy is intentional}}
  %b = func.call @best_of() : () -> tensor<2xf32>
  // expected-note @below {{its result is copied back to the accelerator for this operation}}
  %c = tfx_tensor.op "Neg"(%b) : (tensor<2xf32>) -> tensor<2xf32>
  return %c : tensor<2xf32>
}

// -----

// A closure may access any state, since its function is known only at run time.
func.func private @log(tensor<2xf32>) attributes {tfx.state = "history"}
func.func private @best() -> tensor<2xf32> attributes {tfx.state = "history"}
func.func @through_a_closure(%x: tensor<2xf32>, %f: !tfx_host.closure<() -> tensor<2xf32>>) -> tensor<2xf32> {
  // expected-note @below {{this value is copied to the host (8 bytes)}}
  %a = tfx_tensor.op "Exp"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-note @below {{host code uses it here: call of '@log'}}
  func.call @log(%a) : (tensor<2xf32>) -> ()
  // expected-warning @below {{the result of this closure stalls the accelerator}}
  // expected-note @below {{and then here: call of a closure that stays on the host}}
  // expected-note @below {{if this copy is intentional}}
  %b = tfx_host.apply %f() : !tfx_host.closure<() -> tensor<2xf32>>
  // expected-note @below {{its result is copied back to the accelerator for this operation}}
  %c = tfx_tensor.op "Neg"(%b) : (tensor<2xf32>) -> tensor<2xf32>
  return %c : tensor<2xf32>
}

// -----

// An earlier read of a state does not depend on a later write, except through the previous iteration of a loop.
func.func private @log(tensor<2xf32>) attributes {tfx.state = "history"}
func.func private @best() -> tensor<2xf32> attributes {tfx.state = "history"}
func.func @in_order(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = tfx_tensor.op "Exp"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %b = func.call @best() : () -> tensor<2xf32>
  %c = tfx_tensor.op "Add"(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.call @log(%c) : (tensor<2xf32>) -> ()
  %d = tfx_tensor.op "Neg"(%c) : (tensor<2xf32>) -> tensor<2xf32>
  return %d : tensor<2xf32>
}
func.func @in_a_loop(%x: tensor<2xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = tfx_tensor.op "Exp"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-note @below {{in this loop}}
  scf.for %i = %zero to %n step %one iter_args(%v = %a) -> tensor<2xf32> {
    scf.for %j = %zero to %i step %one {
      // expected-warning @below {{the result of '@best' stalls the accelerator in every iteration of this loop}}
      // expected-note @below {{and then here: call of '@best'}}
      // expected-note @below {{if this copy is intentional}}
      %b = func.call @best() : () -> tensor<2xf32>
      // expected-note @below {{its result is copied back to the accelerator for this operation}}
      %c = tfx_tensor.op "Add"(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      tfx_host.print "{}"(%c) : tensor<2xf32>
    }
    // expected-note @below {{this value is copied to the host (8 bytes, every iteration)}}
    %d = tfx_tensor.op "Neg"(%v) : (tensor<2xf32>) -> tensor<2xf32>
    // expected-note @below {{host code uses it here: call of '@log'}}
    func.call @log(%d) : (tensor<2xf32>) -> ()
    scf.yield %d : tensor<2xf32>
  }
  return
}

// -----

// Different states, and no state.
func.func private @log(tensor<2xf32>) attributes {tfx.state = "history"}
func.func private @forget(tensor<2xf32>)
func.func private @next_batch() -> tensor<2xf32> attributes {tfx.state = "loader"}
func.func @two_states(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = tfx_tensor.op "Exp"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  func.call @log(%a) : (tensor<2xf32>) -> ()
  func.call @forget(%a) : (tensor<2xf32>) -> ()
  %b = func.call @next_batch() : () -> tensor<2xf32>
  %c = tfx_tensor.op "Add"(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %c : tensor<2xf32>
}

// -----

// A pure function does not store its argument; another function may.
tfx_host.class @Model {w: tensor<2xf32>}
func.func private @show(!tfx_host.object<@Model>, tensor<2xf32>) attributes {tfx.pure}
func.func @pure(%m: !tfx_host.object<@Model>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %a = tfx_tensor.op "Exp"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  func.call @show(%m, %a) : (!tfx_host.object<@Model>, tensor<2xf32>) -> ()
  %r = tfx_host.member_ref %m["w"] : !tfx_host.object<@Model> -> !tfx_host.ref<tensor<2xf32>>
  %w = tfx_host.load %r : !tfx_host.ref<tensor<2xf32>>
  %c = tfx_tensor.op "Neg"(%w) : (tensor<2xf32>) -> tensor<2xf32>
  return %c : tensor<2xf32>
}

// -----

// The result of a pure function depends on its arguments.
func.func private @clip(tensor<2xf32>) -> tensor<2xf32> attributes {tfx.pure, tfx.graph_operation = "Relu"}
func.func @named(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-note @below {{this value is copied to the host (8 bytes)}}
  %a = tfx_tensor.op "Exp"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-warning @below {{the result of '@clip' stalls the accelerator}}
  // expected-note @below {{host code uses it here: call of '@clip'}}
  // expected-note @below {{the graph can compute this without the host: write tfx_tensor.op "Relu"}}
  // expected-note @below {{if this copy is intentional}}
  %b = func.call @clip(%a) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-note @below {{its result is copied back to the accelerator for this operation}}
  %c = tfx_tensor.op "Neg"(%b) : (tensor<2xf32>) -> tensor<2xf32>
  return %c : tensor<2xf32>
}

// -----

// A function of C's mathematical library is recognized by its name and its type together.
func.func private @expf(f32) -> f32
func.func private @pow(f32) -> f32
func.func @mathematics(%x: tensor<f32>) -> tensor<f32> {
  %s = tfx_tensor.to_scalar %x : tensor<f32> -> f32
  %t = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  // expected-note @below {{this value is copied to the host (4 bytes)}}
  %u = tfx_tensor.to_scalar %t : tensor<f32> -> f32
  // expected-warning @below {{the result of '@expf' stalls the accelerator}}
  // expected-note @below {{host code uses it here: call of '@expf'}}
  // expected-note @below {{the graph can compute this without the host: write math.exp}}
  // expected-note @below {{if this copy is intentional}}
  %e = func.call @expf(%u) : (f32) -> f32
  %a = tfx_tensor.from_scalar %e : f32
  // expected-warning @below {{the result of '@pow' stalls the accelerator}}
  // expected-note @below {{host code uses it here: call of '@pow', which has no graph equivalent}}
  // expected-note @below {{if this copy is intentional}}
  %p = func.call @pow(%u) : (f32) -> f32
  %b = tfx_tensor.from_scalar %p : f32
  %m = arith.maximumf %s, %u : f32
  tfx_host.print "{}"(%m) : f32
  // expected-note @below {{its result is copied back to the accelerator for this operation}}
  %c = tfx_tensor.op "Add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %c : tensor<f32>
}

// -----

// A host operation with a near equivalent in the graph.
func.func @nearly(%x: tensor<f32>, %y: f32) -> tensor<f32> {
  %t = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  // expected-note @below {{this value is copied to the host (4 bytes)}}
  %s = tfx_tensor.to_scalar %t : tensor<f32> -> f32
  // expected-warning @below {{this value stalls the accelerator}}
  // expected-note @below {{host code uses it here: 'math.fma'}}
  // expected-note @below {{the graph can compute this without the host: write arith.mulf and arith.addf, which round twice}}
  // expected-note @below {{if this copy is intentional}}
  %m = math.fma %s, %y, %y : f32
  %a = tfx_tensor.from_scalar %m : f32
  // expected-note @below {{its result is copied back to the accelerator for this operation}}
  %b = tfx_tensor.op "Neg"(%a) : (tensor<f32>) -> tensor<f32>
  return %b : tensor<f32>
}

// -----

// expected-error @below {{foreign function '@f' has 'tfx.pure' and 'tfx.state': a pure function has no state}}
func.func private @f() attributes {tfx.pure, tfx.state = "a"}

// -----

// expected-error @below {{expected a string for 'tfx.state' of foreign function '@f', got}}
func.func private @f() attributes {tfx.state = 3 : i32}

// -----

// expected-error @below {{'tfx.graph_operation' of foreign function '@f': TensorFlow has no operation "Rellu"; did you mean "Relu"?}}
func.func private @f(tensor<2xf32>) -> tensor<2xf32> attributes {tfx.graph_operation = "Rellu"}

// -----

// expected-error @below {{'tfx.pure' describes foreign functions, but function '@f' has a body}}
func.func @f() attributes {tfx.pure} {
  return
}
