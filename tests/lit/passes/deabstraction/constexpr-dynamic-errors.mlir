// An operation that the host cannot run by itself stays an error, with both reasons: why the attribute is not a constant, and why the host cannot run it.

// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-constexpr{dynamic=host budget=10000})' --split-input-file --verify-diagnostics

// expected-note @below {{parameter 1 of '@resource'}}
func.func @resource(%x: tensor<!tfx_tensor.resource>, %n: i1, %v: tensor<f32>) {
  // expected-error @below {{attribute "validate_shape" of "AssignVariableOp" is not a constant: it depends on parameter 1 of '@resource', which is known only at run time}}
  // expected-note @above {{the host cannot run it either: it cannot hold values of type 'tensor<!tfx_tensor.resource>'}}
  tfx_tensor.op "AssignVariableOp"(%x, %v) computed(validate_shape = %n : i1) : (tensor<!tfx_tensor.resource>, tensor<f32>) -> ()
  return
}

// -----

// expected-note @below {{parameter 0 of '@constant'}}
func.func @constant(%a: f32) {
  // expected-error @below {{attribute "value" of "Const" is not a constant}}
  // expected-note @below {{the host cannot run it either: this attribute is a tensor; build the tensor from scalars instead, with tfx_tensor.from_scalar and "Pack"}}
  %y = tfx_tensor.op "Const"() computed(value = %a : f32) : () -> tensor<f32>
  return
}

// -----

// expected-note @below {{parameter 1 of '@half'}}
// expected-note @below {{the host cannot run it either: at run time, an attribute is given as i1, i8, i16, i32, i64, index, f32, f64, a string, or an array of those, and this is of type 'f16'}}
func.func @half(%x: tensor<*xf32>, %a: f16) {
  // expected-error @below {{attribute "alpha" of "LeakyRelu" is not a constant}}
  %y = tfx_tensor.op "LeakyRelu"(%x) computed(alpha = %a : f16) : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

// An operation that is invalid for any value of the attribute is reported at compile time.

// expected-note @below {{parameter 1 of '@kind'}}
// expected-note @below {{attribute "alpha" is computed from this}}
func.func @kind(%x: tensor<*xf32>, %n: i64) {
  // expected-remark @below {{attribute "alpha" of "LeakyRelu" is not a constant}}
  // expected-note @below {{to keep it in a graph}}
  // expected-error @below {{attribute "alpha" of "LeakyRelu" expects a float, not an integer}}
  %y = tfx_tensor.op "LeakyRelu"(%x) computed(alpha = %n : i64) : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

// An attribute that takes too many steps may be a constant: it stays an error.

func.func @budget(%x: tensor<*xf32>) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %many = arith.constant 1000000 : i64
  cf.br ^header(%zero : i64)
^header(%i: i64):
  %go = arith.cmpi slt, %i, %many : i64
  // expected-note @below {{most in this loop}}
  cf.cond_br %go, ^body, ^exit
^body:
  %j = arith.addi %i, %one : i64
  cf.br ^header(%j : i64)
^exit:
  %dims = tfx_host.array(%i) : !tfx_host.array<i64>
  // expected-error @below {{takes more than 10000 steps to evaluate}}
  %y = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %dims : !tfx_host.array<i64>) : (tensor<*xf32>) -> tensor<*xf32>
  return
}
