// RUN: tfx-opt --tfx-partition --tfx-copy-analysis --split-input-file --verify-diagnostics %s -o %t

// A host function in a training step: one warning, and none for the print, the inputs and the result.
func.func private @cpu_only(tensor<?x1xf32>) -> tensor<?x1xf32>
func.func @train_cpu(%inputs: tensor<?x?xf32>, %outputs: tensor<?x1xf32>, %w0: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %steps = arith.constant 1000 : i32
  %every = arith.constant 100 : i32
  // expected-note @below {{in this loop, which runs 1000 times}}
  %end:2 = scf.while (%step = %zero, %w = %w0) : (i32, tensor<?x1xf32>) -> (i32, tensor<?x1xf32>) {
    %go = arith.cmpi slt, %step, %steps : i32
    scf.condition(%go) %step, %w : i32, tensor<?x1xf32>
  } do {
  ^bb0(%step: i32, %w: tensor<?x1xf32>):
    // expected-note @below {{this value is copied to the host (4 bytes x rows, every iteration)}}
    %xw = tfx_tensor.op "MatMul"(%inputs, %w) : (tensor<?x?xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
    // expected-warning @below {{the result of '@cpu_only' stalls the accelerator in every iteration of this loop: a value leaves the accelerator, host code uses it, and the result is copied back}}
    // expected-note @below {{host code uses it here: call of '@cpu_only', which has no graph equivalent}}
    // expected-note @below {{if this copy is intentional, mark it with tfx_comm.to_host and tfx_comm.to_accelerator}}
    %predictions = func.call @cpu_only(%xw) : (tensor<?x1xf32>) -> tensor<?x1xf32>
    // expected-note @below {{its result is copied back to the accelerator for this operation}}
    %errors = tfx_tensor.op "Sub"(%predictions, %outputs) : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
    %next = tfx_tensor.op "Sub"(%w, %errors) : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
    %rem = arith.remsi %step, %every : i32
    %show = arith.cmpi eq, %rem, %zero : i32
    scf.if %show {
      tfx_host.print "Current weights: {}"(%next) : tensor<?x1xf32>
    }
    %step1 = arith.addi %step, %one : i32
    scf.yield %step1, %next : i32, tensor<?x1xf32>
  }
  return %end#1 : tensor<?x1xf32>
}

// -----

// A test of the loss by a host function: one warning, at the condition.
func.func private @good_enough(tensor<f32>) -> i1
func.func @loss_decides(%w0: tensor<f32>) -> tensor<f32> {
  // expected-note @below {{in this loop}}
  // expected-note @below {{its result is copied back to the accelerator as the condition of this loop}}
  %end = scf.while (%w = %w0) : (tensor<f32>) -> tensor<f32> {
    %next = tfx_tensor.op "Sqrt"(%w) : (tensor<f32>) -> tensor<f32>
    // expected-note @below {{this value is copied to the host (4 bytes, every iteration)}}
    %loss = tfx_tensor.op "Square"(%next) : (tensor<f32>) -> tensor<f32>
    // expected-warning @below {{the result of '@good_enough' stalls the accelerator in every iteration of this loop}}
    // expected-note @below {{host code uses it here: call of '@good_enough'}}
    // expected-note @below {{if this copy is intentional}}
    %go = func.call @good_enough(%loss) : (tensor<f32>) -> i1
    scf.condition(%go) %next : tensor<f32>
  } do {
  ^bb0(%w: tensor<f32>):
    scf.yield %w : tensor<f32>
  }
  return %end : tensor<f32>
}

// -----

// Through an iteration argument of the host: the value that is sent is from the previous iteration.
func.func private @first() -> tensor<4xf32>
func.func private @filter(tensor<4xf32>) -> tensor<4xf32>
func.func @carried(%n: index) -> tensor<4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %seed = tfx_tensor.op "Zeros"() : () -> tensor<4xf32>
  %h0 = func.call @first() : () -> tensor<4xf32>
  // expected-note @below {{in this loop}}
  // expected-warning @below {{this iteration argument stalls the accelerator in every iteration}}
  // expected-note @below {{if this copy is intentional}}
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%h = %h0, %r = %seed) -> (tensor<4xf32>, tensor<4xf32>) {
    // expected-note @below {{its result is copied back to the accelerator for this operation}}
    // expected-note @below {{this value is copied to the host (16 bytes, every iteration)}}
    %x = tfx_tensor.op "AddV2"(%h, %r) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    // expected-note @below {{host code uses it here: call of '@filter'}}
    %next = func.call @filter(%x) : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %next, %x : tensor<4xf32>, tensor<4xf32>
  }
  return %end#1 : tensor<4xf32>
}

// -----

// Through a condition: the received value decides which value is sent.
func.func private @is_good(tensor<f32>) -> i1
func.func private @load() -> tensor<f32>
func.func private @store() -> tensor<f32>
func.func @decided(%x: tensor<f32>) -> tensor<f32> {
  // expected-note @below {{this value is copied to the host (4 bytes)}}
  %y = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  // expected-note @below {{host code uses it here: call of '@is_good'}}
  %good = func.call @is_good(%y) : (tensor<f32>) -> i1
  // expected-warning @below {{the value of this branch stalls the accelerator: a value leaves}}
  // expected-note @below {{if this copy is intentional}}
  %z = scf.if %good -> tensor<f32> {
    %a = func.call @load() : () -> tensor<f32>
    scf.yield %a : tensor<f32>
  } else {
    %a = func.call @store() : () -> tensor<f32>
    scf.yield %a : tensor<f32>
  }
  // expected-note @below {{its result is copied back to the accelerator for this operation}}
  %r = tfx_tensor.op "Neg"(%z) : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// Through execution: the received value decides whether a value is sent.
func.func private @is_good(tensor<f32>) -> i1
func.func private @load() -> tensor<f32>
func.func @whether(%x: tensor<f32>) -> tensor<f32> {
  // expected-note @below {{this value is copied to the host (4 bytes)}}
  %y = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  // expected-warning @below {{the result of '@is_good' stalls the accelerator}}
  // expected-note @below {{if this copy is intentional}}
  // expected-note @below {{host code uses it here: call of '@is_good'}}
  %good = func.call @is_good(%y) : (tensor<f32>) -> i1
  // expected-note @below {{its result is copied back to the accelerator to decide this branch}}
  // expected-note @below {{it decides whether this runs}}
  %z = scf.if %good -> tensor<f32> {
    // expected-warning @below {{the result of '@load' stalls the accelerator}}
    // expected-note @below {{if this copy is intentional}}
    %a = func.call @load() : () -> tensor<f32>
    // expected-note @below {{its result is copied back to the accelerator for this operation}}
    %b = tfx_tensor.op "Neg"(%a) : (tensor<f32>) -> tensor<f32>
    scf.yield %b : tensor<f32>
  } else {
    scf.yield %y : tensor<f32>
  }
  return %z : tensor<f32>
}

// -----

// A function with a body that is not inlined because it is recursive: without the recursion, the graph
// could execute it.
func.func private @halved(%x: f32, %n: i32) -> f32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %half = arith.constant 0.5 : f32
  %more = arith.cmpi sgt, %n, %zero : i32
  %r = scf.if %more -> f32 {
    %y = arith.mulf %x, %half : f32
    %m = arith.subi %n, %one : i32
    %z = func.call @halved(%y, %m) : (f32, i32) -> f32
    scf.yield %z : f32
  } else {
    scf.yield %x : f32
  }
  return %r : f32
}
func.func @stays_a_call(%w0: tensor<f32>, %steps: index, %n: i32) -> tensor<f32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-note @below {{in this loop}}
  %end = scf.for %i = %zero to %steps step %one iter_args(%w = %w0) -> (tensor<f32>) {
    %norm = tfx_tensor.op "Sqrt"(%w) : (tensor<f32>) -> tensor<f32>
    // expected-note @below {{this value is copied to the host (4 bytes, every iteration)}}
    %s = tfx_tensor.to_scalar %norm : tensor<f32> -> f32
    // expected-warning @below {{the result of '@halved' stalls the accelerator}}
    // expected-note @below {{host code uses it here: call of '@halved', which stays a call on the host}}
    // expected-note @below {{if this copy is intentional}}
    %rate = func.call @halved(%s, %n) : (f32, i32) -> f32
    %r = tfx_tensor.from_scalar %rate : f32
    // expected-note @below {{its result is copied back to the accelerator for this operation}}
    %next = tfx_tensor.op "Mul"(%w, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    scf.yield %next : tensor<f32>
  }
  return %end : tensor<f32>
}
