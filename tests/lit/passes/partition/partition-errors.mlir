// RUN: tfx-opt --tfx-partition --split-input-file --verify-diagnostics %s

// expected-note @below {{run tfx-sese before tfx-partition}}
func.func @branches(%x: tensor<f32>, %p: i1) -> tensor<f32> {
  // expected-error @below {{cannot split a function with graph operations and branches between blocks}}
  cf.cond_br %p, ^a, ^b
^a:
  %y = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
^b:
  return %x : tensor<f32>
}

// Every function that cannot be split is reported.
func.func @unknown_region(%x: tensor<f32>) -> tensor<f32> {
  // expected-note @below {{use scf.if, scf.index_switch, scf.for or scf.while}}
  %r = scf.execute_region -> tensor<f32> {
    // expected-error @below {{cannot split a graph operation inside 'scf.execute_region' between host and graph}}
    %y = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
    scf.yield %y : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

func.func @odd_counter(%x: tensor<f32>, %n: i7) -> tensor<f32> {
  // expected-note @below {{this value; only tensors and scalars of type i1, i8, i16}}
  %zero = arith.constant 0 : i7
  %one = arith.constant 1 : i7
  // expected-error @below {{the graph needs a value of type i7 here, but only the host can have one}}
  %r = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (tensor<f32>) : i7 {
    %y = tfx_tensor.op "Exp"(%v) : (tensor<f32>) -> tensor<f32>
    scf.yield %y : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

// A graph function that contains host code; tfx-inline marks no such function.

// expected-note @below {{this function; remove 'tfx.graph_function' to call it on the host}}
func.func private @shows(%x: tensor<f32>) -> tensor<f32> attributes {tfx.graph_function} {
  // expected-error @below {{'@shows' is marked as a graph function, but it has 'tfx_host.print', which a graph cannot contain}}
  tfx_host.print "{}"(%x) : tensor<f32>
  return %x : tensor<f32>
}
func.func @calls_shows(%x: tensor<f32>) -> tensor<f32> {
  %y = func.call @shows(%x) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

func.func private @helper(%x: f32) -> f32 {
  tfx_host.print "{}"(%x) : f32
  return %x : f32
}
// expected-note @below {{this function}}
func.func private @helped(%x: tensor<f32>) -> tensor<f32> attributes {tfx.graph_function} {
  %s = tfx_tensor.to_scalar %x : tensor<f32> -> f32
  // expected-error @below {{'@helped' is marked as a graph function, but it has 'func.call', which a graph cannot contain}}
  %t = func.call @helper(%s) : (f32) -> f32
  %y = tfx_tensor.from_scalar %t : f32
  return %y : tensor<f32>
}

// -----

// expected-note @below {{this function}}
// expected-error @below {{'@wide' is marked as a graph function, but it has a value of type 'i7', which a graph cannot contain}}
func.func private @wide(%x: i7) -> tensor<f32> attributes {tfx.graph_function} {
  %y = tfx_tensor.const dense<1.0> : tensor<f32>
  return %y : tensor<f32>
}

// -----

func.func @computed(%x: tensor<f32>, %rate: f32) -> tensor<f32> {
  // expected-error @below {{a graph operation cannot have a computed attribute: run tfx-constexpr before tfx-partition}}
  %y = tfx_tensor.op "LeakyRelu"(%x) computed(alpha = %rate : f32) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
