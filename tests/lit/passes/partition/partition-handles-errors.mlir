// RUN: tfx-opt --tfx-partition --split-input-file --verify-diagnostics %s

// A resource stays in the graph. A recursive function stays on the host.

!R = tensor<!tfx_tensor.resource>
// expected-note @below {{'@rec' is recursive, so its calls stay on the host; write a loop instead}}
func.func private @rec(%n: i32, %h: !R) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = tfx_tensor.const dense<1.0> : tensor<f32>
  %more = arith.cmpi sgt, %n, %zero : i32
  scf.if %more {
    tfx_tensor.op "AssignAddVariableOp"(%h, %c) : (!R, tensor<f32>) -> ()
    %m = arith.subi %n, %one : i32
    func.call @rec(%m, %h) : (i32, !R) -> ()
  }
  return
}
func.func @main(%n: i32) {
  // expected-note @below {{this value, which the graph computes}}
  %h = tfx_tensor.op "VarHandleOp"() {dtype = f32, shape = [], shared_name = "v"} : () -> !R
  // expected-error @below {{a value of type tensor<!tfx_tensor.resource> would be copied to the host here, but the host cannot hold resources or variants}}
  func.call @rec(%n, %h) : (i32, !R) -> ()
  return
}

// -----

!R = tensor<!tfx_tensor.resource>
!V = tensor<!tfx_tensor.variant>
// expected-note @below {{'@shown' is a foreign function, which runs on the host}}
func.func private @shown(!R)
func.func @main() -> !R {
  // expected-note @below {{this value, which the graph computes}}
  %h = tfx_tensor.op "VarHandleOp"() {dtype = f32, shape = [], shared_name = "v"} : () -> !R
  %shape = tfx_tensor.const dense<-1> : tensor<i32>
  // expected-note @below {{this value, which the graph computes}}
  %list = tfx_tensor.op "EmptyTensorList"(%shape, %shape) {element_dtype = f32} : (tensor<i32>, tensor<i32>) -> !V
  // expected-error @below {{a value of type tensor<!tfx_tensor.resource> would be copied to the host here}}
  func.call @shown(%h) : (!R) -> ()
  // expected-error @below {{a value of type tensor<!tfx_tensor.resource> would be copied to the host here}}
  // expected-note @below {{'tfx_host.print' runs on the host}}
  tfx_host.print "{}"(%h) : !R
  // expected-error @below {{a value of type tensor<!tfx_tensor.variant> would be copied to the host here}}
  // expected-note @below {{'tfx_host.print' runs on the host}}
  tfx_host.print "{}"(%list) : !V
  // expected-error @below {{a value of type tensor<!tfx_tensor.resource> would be copied to the host here}}
  // expected-note @below {{the results of a function that is called on the host are copied to the host}}
  return %h : !R
}

// -----

// The host does not pass one to a graph either.

!R = tensor<!tfx_tensor.resource>
func.func private @variable() -> !R
func.func @main() -> tensor<f32> {
  // expected-note @below {{this value, which host code computes or receives as an argument; compute it by a graph operation}}
  %h = func.call @variable() : () -> !R
  // expected-error @below {{the host would send a value of type tensor<!tfx_tensor.resource> to the graph here, but the host cannot hold resources or variants}}
  %x = tfx_tensor.op "ReadVariableOp"(%h) : (!R) -> tensor<f32>
  return %x : tensor<f32>
}

// -----

// A selection between two resources is made in the graph.

!R = tensor<!tfx_tensor.resource>
func.func private @decide() -> i1
func.func @main() -> tensor<f32> {
  %p = func.call @decide() : () -> i1
  %h = tfx_tensor.op "VarHandleOp"() {dtype = f32, shape = [], shared_name = "v"} : () -> !R
  %g = tfx_tensor.op "VarHandleOp"() {dtype = f32, shape = [], shared_name = "w"} : () -> !R
  %v = scf.if %p -> !R {
    scf.yield %h : !R
  } else {
    scf.yield %g : !R
  }
  %x = tfx_tensor.op "ReadVariableOp"(%v) : (!R) -> tensor<f32>
  return %x : tensor<f32>
}
