// Each diagnostic of the parsers and verifiers of tfx_tensor, at its location and with its notes.
// Tests use the generic form where the custom form cannot express the error. The pass
// tfx-check-operations checks operations against the definitions of TensorFlow.

// RUN: tfx-opt --split-input-file --verify-diagnostics %s

//===----------------------------------------------------------------------===//
// Types, operations, values
//===----------------------------------------------------------------------===//

// expected-error @below {{unknown  type `text` in dialect `tfx_tensor`}}
func.func private @f(tensor<!tfx_tensor.text>)

// -----

func.func @f() {
  // expected-error @below {{'tfx_tensor.op' op expected the name of a TensorFlow operation, got an empty string}}
  tfx_tensor.op ""() : () -> ()
  return
}

// -----

func.func @f() {
  // expected-error @below {{expected attribute value}}
  tfx_tensor.op NoOp() : () -> ()
  return
}

// -----

func.func @f(%x: f32) {
  // expected-error @below {{'tfx_tensor.op' op operand #0 must be a tensor, but got 'f32'; convert a scalar with tfx_tensor.from_scalar}}
  tfx_tensor.op "Neg"(%x) : (f32) -> ()
  return
}

// -----

func.func @f() {
  // expected-error @below {{'tfx_tensor.op' op result #1 must be variadic of tensor of any type values, but got 'f32'}}
  %r:2 = tfx_tensor.op "Two"() : () -> (tensor<f32>, f32)
  return
}

// -----

func.func @f() {
  // expected-error @below {{'tfx_tensor.op' op attribute 'device' failed to satisfy constraint: string attribute}}
  tfx_tensor.op "NoOp"() {device = 0 : i32} : () -> ()
  return
}

// -----

func.func @f(%n: i64) {
  // expected-error @below {{'tfx_tensor.op' op specifies attribute 'axis' twice}}
  tfx_tensor.op "Op"() computed(axis = %n : i64) {axis = 1} : () -> ()
  return
}

// -----

func.func @f(%n: i64) {
  // expected-error @below {{'tfx_tensor.op' op specifies attribute 'axis' twice}}
  tfx_tensor.op "Op"() computed(axis = %n : i64, axis = %n : i64) : () -> ()
  return
}

// -----

func.func @f(%n: !tfx_host.string) {
  // expected-error @below {{'tfx_tensor.op' op cannot compute 'device', which is not an attribute of TensorFlow; write a constant}}
  tfx_tensor.op "Op"() computed(device = %n : !tfx_host.string) : () -> ()
  return
}

// -----

func.func @eager() {
  // expected-error @below {{'tfx_tensor.op' op is marked 'eager', but has no computed attributes; remove the mark, since a graph can run the operation}}
  tfx_tensor.op "NoOp"() {eager} : () -> ()
  return
}

// -----

func.func @computed_eager(%n: !tfx_host.string) {
  // expected-error @below {{'tfx_tensor.op' op cannot compute 'eager', which is not an attribute of TensorFlow; write a constant}}
  tfx_tensor.op "Op"() computed(eager = %n : !tfx_host.string) : () -> ()
  return
}

// -----

func.func @f(%n: i64) {
  // expected-error @below {{'tfx_tensor.op' op has 2 computed attribute(s), but only 1 operand(s)}}
  "tfx_tensor.op"(%n) {tf_name = "Op", computed = ["a", "b"]} : (i64) -> ()
  return
}

// -----

func.func @f(%n: i64) {
  // expected-error @below {{'tfx_tensor.op' op cannot have 'computed' in its attribute dictionary; use its syntax "Name"(%operands) computed(name = %value : type)}}
  tfx_tensor.op "Op"() {computed = ["axis"]} : () -> ()
  return
}

// -----

func.func @f(%n: i64) {
  // expected-error @below {{expected ':'}}
  tfx_tensor.op "Op"() computed(axis = %n) : () -> ()
  return
}

// -----

func.func @f() {
  // expected-error @below {{invalid kind of attribute specified}}
  %c = tfx_tensor.const 1 : i32
  return
}

// -----

func.func @f() {
  // expected-error @below {{'tfx_tensor.const' op result #0 must be tensor of any type values, but got 'vector<2xi32>'}}
  %c = tfx_tensor.const dense<1> : vector<2xi32>
  return
}

// -----

func.func @f() {
  // expected-error @below {{'tfx_tensor.const' op failed to verify that all of {value, result} have same type}}
  %c = "tfx_tensor.const"() {value = dense<1> : tensor<2xi32>} : () -> tensor<3xi32>
  return
}

// -----

func.func @f() {
  // expected-error @below {{'tfx_tensor.const' op requires attribute 'value'}}
  %c = "tfx_tensor.const"() : () -> tensor<3xi32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error @below {{'tfx_tensor.from_scalar' op operand #0 must be signless integer or floating-point or index, but got 'tensor<f32>'}}
  %t = tfx_tensor.from_scalar %x : tensor<f32>
  return
}

// -----

func.func @f(%x: index) {
  // expected-error @below {{'tfx_tensor.from_scalar' op inferred type(s) 'tensor<i64>' are incompatible with return type(s) of operation 'tensor<index>'}}
  // expected-error @below {{'tfx_tensor.from_scalar' op failed to infer returned types}}
  %t = "tfx_tensor.from_scalar"(%x) : (index) -> tensor<index>
  return
}

// -----

func.func @f(%t: tensor<f32>) {
  // expected-error @below {{'tfx_tensor.to_scalar' op cannot read 'f64' from a tensor with element type 'f32'}}
  %x = tfx_tensor.to_scalar %t : tensor<f32> -> f64
  return
}

// -----

func.func @f(%t: tensor<i32>) {
  // expected-error @below {{'tfx_tensor.to_scalar' op cannot read 'index' from a tensor with element type 'i32'}}
  %x = tfx_tensor.to_scalar %t : tensor<i32> -> index
  return
}

// -----

func.func @f(%t: tensor<2x3xf32>) {
  // expected-error @below {{'tfx_tensor.to_scalar' op expected a tensor with one element, got 'tensor<2x3xf32>'}}
  %x = tfx_tensor.to_scalar %t : tensor<2x3xf32> -> f32
  return
}

// -----

func.func @f(%t: tensor<0xf32>) {
  // expected-error @below {{'tfx_tensor.to_scalar' op expected a tensor with one element, got 'tensor<0xf32>'}}
  %x = tfx_tensor.to_scalar %t : tensor<0xf32> -> f32
  return
}

// -----

func.func @f(%t: f32) {
  // expected-error @below {{invalid kind of type specified}}
  %x = tfx_tensor.to_scalar %t : f32 -> f32
  return
}

//===----------------------------------------------------------------------===//
// yield
//===----------------------------------------------------------------------===//

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error @below {{'tfx_tensor.yield' op expects parent op to be one of 'tfx_tensor.if, tfx_tensor.case, tfx_tensor.while'}}
  tfx_tensor.yield %x : tensor<f32>
}

//===----------------------------------------------------------------------===//
// if
//===----------------------------------------------------------------------===//

// -----

// A use before the operation of a value in its first region, and an invalid second region.
func.func @f(%p: tensor<i1>) {
  // expected-note @below {{previously defined here}}
  %a = tfx_tensor.op "Neg"(%b) : (tensor<f32>) -> tensor<f32>
  tfx_tensor.if %p : tensor<i1> {
    %b = tfx_tensor.const dense<1.0> : tensor<f32>
    tfx_tensor.yield
  } else {
    // expected-error @below {{redefinition of SSA value '%a'}}
    %a = tfx_tensor.const dense<1.0> : tensor<f32>
    tfx_tensor.yield
  }
  return
}

// -----

func.func @f(%p: tensor<i32>) {
  // expected-note @below {{previously defined here}}
  %a = tfx_tensor.op "Neg"(%b) : (tensor<f32>) -> tensor<f32>
  tfx_tensor.case %p : tensor<i32> {
    %b = tfx_tensor.const dense<1.0> : tensor<f32>
    tfx_tensor.yield
  }, {
    // expected-error @below {{redefinition of SSA value '%a'}}
    %a = tfx_tensor.const dense<1.0> : tensor<f32>
    tfx_tensor.yield
  }
  return
}

// -----

// Operands that a region of the operation defines.
func.func @f(%q: tensor<i1>) {
  // expected-error @below {{use of undeclared SSA value name}}
  tfx_tensor.if %p : tensor<i1> {
    %p = tfx_tensor.op "LogicalNot"(%q) : (tensor<i1>) -> tensor<i1>
    tfx_tensor.yield
  } else {
    tfx_tensor.yield
  }
  return
}

// -----

func.func @f(%q: tensor<i1>) {
  // expected-error @below {{use of undeclared SSA value name}}
  tfx_tensor.while (%i = %p) : (tensor<i1>) -> tensor<i1> {
    %p = tfx_tensor.op "LogicalNot"(%q) : (tensor<i1>) -> tensor<i1>
    tfx_tensor.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i1>):
    tfx_tensor.yield %i : tensor<i1>
  }
  return
}

// -----

func.func @f(%p: i1) {
  // expected-error @below {{invalid kind of type specified: expected builtin.tensor, but found 'i1'}}
  tfx_tensor.if %p : i1 {
    tfx_tensor.yield
  } else {
    tfx_tensor.yield
  }
  return
}

// -----

func.func @f(%p: tensor<1xi1>) {
  // expected-error @below {{'tfx_tensor.if' op operand #0 must be 0D tensor of 1-bit signless integer values, but got 'tensor<1xi1>'}}
  tfx_tensor.if %p : tensor<1xi1> {
    tfx_tensor.yield
  } else {
    tfx_tensor.yield
  }
  return
}

// -----

func.func @f(%p: tensor<i1>) {
  tfx_tensor.if %p : tensor<i1> {
    tfx_tensor.yield
  // expected-error @below {{expected 'else'}}
  } {note}
  return
}

// -----

func.func @f(%p: tensor<i1>) {
  // expected-error @below {{'tfx_tensor.if' op expected 1 value(s) in the yield of the then region, got 0}}
  %r = tfx_tensor.if %p : tensor<i1> -> tensor<i1> {
    tfx_tensor.yield
  } else {
    tfx_tensor.yield %p : tensor<i1>
  }
  return
}

// -----

func.func @f(%p: tensor<i1>) {
  // expected-error @below {{'tfx_tensor.if' op expected 0 value(s) in the yield of the else region, got 1}}
  tfx_tensor.if %p : tensor<i1> {
    tfx_tensor.yield
  } else {
    tfx_tensor.yield %p : tensor<i1>
  }
  return
}

// -----

func.func @f(%p: tensor<i1>, %x: tensor<f32>) {
  // expected-error @below {{'tfx_tensor.if' op expected type 'tensor<i1>' at position 0 in the yield of the else region, got 'tensor<f32>'}}
  %r = tfx_tensor.if %p : tensor<i1> -> tensor<i1> {
    tfx_tensor.yield %p : tensor<i1>
  } else {
    tfx_tensor.yield %x : tensor<f32>
  }
  return
}

// -----

func.func @f(%p: tensor<i1>, %x: tensor<2xf32>, %y: tensor<?x3xf32>) {
  // expected-error @below {{'tfx_tensor.if' op expected type 'tensor<?xf32>' at position 0 in the yield of the else region, got 'tensor<?x3xf32>'}}
  %r = tfx_tensor.if %p : tensor<i1> -> tensor<?xf32> {
    tfx_tensor.yield %x : tensor<2xf32>
  } else {
    tfx_tensor.yield %y : tensor<?x3xf32>
  }
  return
}

// -----

func.func @f(%p: tensor<i1>) {
  // expected-error @below {{'tfx_tensor.if' op expected 'tfx_tensor.yield' at the end of the then region}}
  tfx_tensor.if %p : tensor<i1> {
    tfx_host.unreachable
  } else {
    tfx_tensor.yield
  }
  return
}

// -----

func.func @f(%p: tensor<i1>) {
  // expected-error @below {{'tfx_tensor.if' op expected 'tfx_tensor.yield' at the end of the else region}}
  tfx_tensor.if %p : tensor<i1> {
    tfx_tensor.yield
  } else {
    tfx_tensor.op "NoOp"() : () -> ()
  }
  return
}

// -----

func.func @f(%p: tensor<i1>) {
  // expected-error @below {{'tfx_tensor.if' op region #0 should have no arguments}}
  "tfx_tensor.if"(%p) ({
  ^bb0(%x: tensor<f32>):
    tfx_tensor.yield
  }, {
    tfx_tensor.yield
  }) : (tensor<i1>) -> ()
  return
}

// -----

func.func @f(%p: tensor<i1>) {
  // expected-error @below {{'tfx_tensor.if' op region #0 ('then_region') failed to verify constraint: region with 1 blocks}}
  "tfx_tensor.if"(%p) ({}, {}) : (tensor<i1>) -> ()
  return
}

// -----

func.func @f(%p: tensor<i1>) {
  // expected-error @below {{'tfx_tensor.if' op expects a non-empty block}}
  "tfx_tensor.if"(%p) ({
  ^bb0:
  }, {
  ^bb0:
  }) : (tensor<i1>) -> ()
  return
}

// -----

func.func @f(%p: tensor<i1>) {
  // expected-error @below {{'tfx_tensor.if' op expected 2 regions}}
  "tfx_tensor.if"(%p) : (tensor<i1>) -> ()
  return
}

//===----------------------------------------------------------------------===//
// case
//===----------------------------------------------------------------------===//

// -----

func.func @f(%i: tensor<i64>) {
  // expected-error @below {{'tfx_tensor.case' op operand #0 must be 0D tensor of 32-bit signless integer values, but got 'tensor<i64>'}}
  tfx_tensor.case %i : tensor<i64> {
    tfx_tensor.yield
  }
  return
}

// -----

func.func @f(%i: tensor<i32>) {
  // expected-error @below {{'tfx_tensor.case' op expected at least one region}}
  "tfx_tensor.case"(%i) : (tensor<i32>) -> ()
  return
}

// -----

func.func @f(%i: tensor<i32>) {
  // expected-error @below {{'tfx_tensor.case' op region #0 ('branches') failed to verify constraint: region with 1 blocks}}
  "tfx_tensor.case"(%i) ({}) : (tensor<i32>) -> ()
  return
}

// -----

func.func @f(%i: tensor<i32>) {
  // expected-error @below {{'tfx_tensor.case' op expected 1 value(s) in the yield of region 1, got 0}}
  %r = tfx_tensor.case %i : tensor<i32> -> tensor<i32> {
    tfx_tensor.yield %i : tensor<i32>
  }, {
    tfx_tensor.yield
  }
  return
}

// -----

func.func @f(%i: tensor<i32>, %x: tensor<f32>) {
  // expected-error @below {{'tfx_tensor.case' op expected type 'tensor<i32>' at position 1 in the yield of region 0, got 'tensor<f32>'}}
  %r:2 = tfx_tensor.case %i : tensor<i32> -> tensor<f32>, tensor<i32> {
    tfx_tensor.yield %x, %x : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @f(%i: tensor<i32>) {
  // expected-error @below {{'tfx_tensor.case' op expected 'tfx_tensor.yield' at the end of region 1}}
  tfx_tensor.case %i : tensor<i32> {
    tfx_tensor.yield
  }, {
    tfx_host.unreachable
  }
  return
}

// -----

func.func @f(%i: tensor<i32>) {
  // expected-error @below {{'tfx_tensor.case' op region should have no arguments}}
  "tfx_tensor.case"(%i) ({
  ^bb0(%x: tensor<f32>):
    tfx_tensor.yield
  }) : (tensor<i32>) -> ()
  return
}

//===----------------------------------------------------------------------===//
// while
//===----------------------------------------------------------------------===//

// -----

func.func @f(%n: tensor<i32>) {
  // expected-error @below {{'tfx_tensor.while' op has 1 iteration argument(s), but its type lists 2}}
  %r = tfx_tensor.while (%i = %n) : (tensor<i32>, tensor<i32>) -> tensor<i32> {
  } do {
  }
  return
}

// -----

func.func @f(%n: tensor<i32>) {
  // expected-error @below {{expected '('}}
  tfx_tensor.while %n : (tensor<i32>) -> tensor<i32>
  return
}

// -----

func.func @f(%n: tensor<i32>) {
  // expected-error @below {{expected '='}}
  tfx_tensor.while (%i) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

func.func @f(%n: tensor<i32>) {
  // expected-error @below {{expected non-function type}}
  tfx_tensor.while (%i: = %n) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

func.func @f(%p: tensor<i1>) {
  tfx_tensor.while () : () -> () {
    tfx_tensor.yield %p : tensor<i1>
  // expected-error @below {{expected 'do'}}
  } {
    tfx_tensor.yield
  }
  return
}

// -----

// expected-note @below {{prior use here}}
func.func @f(%n: tensor<i32>) {
  // expected-error @below {{use of value '%n' expects different type than prior uses: 'tensor<f32>' vs 'tensor<i32>'}}
  tfx_tensor.while (%i = %n) : (tensor<f32>) -> tensor<f32> {
  } do {
  }
  return
}

// -----

func.func @f(%p: tensor<i1>, %n: tensor<i32>) {
  // expected-error @below {{'tfx_tensor.while' op expected 0 value(s) in the initial values, got 1}}
  tfx_tensor.while (%i = %n) : (tensor<i32>) -> () {
    tfx_tensor.yield %p : tensor<i1>
  } do {
    tfx_tensor.yield
  }
  return
}

// -----

func.func @f(%p: tensor<i1>, %n: tensor<i32>) {
  // expected-error @below {{'tfx_tensor.while' op expected type 'tensor<f32>' at position 0 in the initial values, got 'tensor<i32>'}}
  %r = tfx_tensor.while (%i = %n) : (tensor<i32>) -> tensor<f32> {
    tfx_tensor.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>):
    tfx_tensor.yield %i : tensor<i32>
  }
  return
}

// -----

func.func @f(%p: tensor<i1>, %n: tensor<i32>) {
  // expected-error @below {{'tfx_tensor.while' op expected 1 value(s) in the arguments of the condition, got 0}}
  %r = "tfx_tensor.while"(%n) ({
    tfx_tensor.yield %p : tensor<i1>
  }, {
  ^bb0(%i: tensor<i32>):
    tfx_tensor.yield %i : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

func.func @f(%p: tensor<i1>, %n: tensor<2xi32>) {
  // expected-error @below {{'tfx_tensor.while' op expected type 'tensor<2xi32>' at position 0 in the arguments of the condition, got 'tensor<3xi32>'}}
  %r = tfx_tensor.while (%i: tensor<3xi32> = %n) : (tensor<2xi32>) -> tensor<2xi32> {
    tfx_tensor.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<2xi32>):
    tfx_tensor.yield %i : tensor<2xi32>
  }
  return
}

// -----

func.func @f(%p: tensor<i1>, %n: tensor<i32>) {
  // expected-error @below {{'tfx_tensor.while' op expected 1 value(s) in the arguments of the body, got 0}}
  %r = tfx_tensor.while (%i = %n) : (tensor<i32>) -> tensor<i32> {
    tfx_tensor.yield %p : tensor<i1>
  } do {
    tfx_tensor.yield %n : tensor<i32>
  }
  return
}

// -----

func.func @f(%p: tensor<i1>, %n: tensor<i32>) {
  // expected-error @below {{'tfx_tensor.while' op expected type 'tensor<i32>' at position 0 in the arguments of the body, got 'tensor<f32>'}}
  %r = tfx_tensor.while (%i = %n) : (tensor<i32>) -> tensor<i32> {
    tfx_tensor.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<f32>):
    tfx_tensor.yield %n : tensor<i32>
  }
  return
}

// -----

func.func @f(%p: tensor<i1>, %n: tensor<i32>) {
  // expected-error @below {{'tfx_tensor.while' op expected 1 value(s) in the yield of the body, got 0}}
  %r = tfx_tensor.while (%i = %n) : (tensor<i32>) -> tensor<i32> {
    tfx_tensor.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>):
    tfx_tensor.yield
  }
  return
}

// -----

func.func @f(%p: tensor<i1>, %n: tensor<i32>) {
  // expected-error @below {{'tfx_tensor.while' op expected type 'tensor<i32>' at position 0 in the yield of the body, got 'tensor<i1>'}}
  %r = tfx_tensor.while (%i = %n) : (tensor<i32>) -> tensor<i32> {
    tfx_tensor.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>):
    tfx_tensor.yield %p : tensor<i1>
  }
  return
}

// -----

func.func @f() {
  // expected-error @below {{'tfx_tensor.while' op expected 1 value(s) in the yield of the condition, got 0}}
  tfx_tensor.while () : () -> () {
    tfx_tensor.yield
  } do {
    tfx_tensor.yield
  }
  return
}

// -----

func.func @f(%n: tensor<i32>) {
  // expected-error @below {{'tfx_tensor.while' op expected type 'tensor<i1>' at position 0 in the yield of the condition, got 'tensor<i32>'}}
  tfx_tensor.while () : () -> () {
    tfx_tensor.yield %n : tensor<i32>
  } do {
    tfx_tensor.yield
  }
  return
}

// -----

func.func @f(%p: tensor<i1>) {
  // expected-error @below {{'tfx_tensor.while' op expected 'tfx_tensor.yield' at the end of the body}}
  tfx_tensor.while () : () -> () {
    tfx_tensor.yield %p : tensor<i1>
  } do {
    tfx_host.unreachable
  }
  return
}

// -----

func.func @f(%p: tensor<i1>) {
  // expected-error @below {{'tfx_tensor.while' op expected 'tfx_tensor.yield' at the end of the condition}}
  tfx_tensor.while () : () -> () {
    tfx_host.unreachable
  } do {
    tfx_tensor.yield
  }
  return
}

// -----

func.func @f() {
  // expected-error @below {{'tfx_tensor.while' op region #0 ('condition_region') failed to verify constraint: region with 1 blocks}}
  "tfx_tensor.while"() ({}, {}) : () -> ()
  return
}

// -----

func.func @f(%p: tensor<i1>) {
  // expected-error @below {{'tfx_tensor.while' op expected 2 regions}}
  "tfx_tensor.while"() ({
    tfx_tensor.yield %p : tensor<i1>
  }) : () -> ()
  return
}

//===----------------------------------------------------------------------===//
// graph, return
//===----------------------------------------------------------------------===//

// -----

// expected-error @below {{expected valid '@'-identifier for symbol name}}
tfx_tensor.graph g() {
  tfx_tensor.return
}

// -----

// expected-error @below {{invalid kind of attribute specified}}
tfx_tensor.graph @g() channels 1 {
  tfx_tensor.return
}

// -----

// expected-error @below {{attribute 'channels' occurs more than once}}
tfx_tensor.graph @g() channels [] attributes {channels = []} {
  tfx_tensor.return
}

// -----

// expected-error @below {{expected '{' to begin a region}}
tfx_tensor.graph @g()

// -----

// expected-error @below {{'tfx_tensor.graph' op has no body}}
"tfx_tensor.graph"() ({}) {sym_name = "g", function_type = () -> ()} : () -> ()

// -----

// expected-error @below {{'tfx_tensor.graph' op requires attribute 'function_type'}}
"tfx_tensor.graph"() ({
  tfx_tensor.return
}) {sym_name = "g"} : () -> ()

// -----

// expected-error @below {{'tfx_tensor.graph' op attribute 'function_type' failed to satisfy constraint: type attribute of function type}}
"tfx_tensor.graph"() ({
  tfx_tensor.return
}) {sym_name = "g", function_type = i32} : () -> ()

// -----

// expected-error @below {{'tfx_tensor.graph' op entry block must have 1 arguments to match function signature}}
tfx_tensor.graph @g(tensor<f32>) {
  tfx_tensor.return
}

// -----

// expected-error @below {{'tfx_tensor.graph' op expected #tfx_comm.channel attributes in 'channels', got 1 : i32}}
tfx_tensor.graph @g() channels [1 : i32] {
  tfx_tensor.return
}

// -----

// expected-error @below {{'tfx_tensor.graph' op declares channel 3 twice}}
tfx_tensor.graph @g() channels [#tfx_comm.channel<3, to_host, f32>, #tfx_comm.channel<3, to_graph, f32>] {
  tfx_tensor.return
}

// -----

func.func @f() {
  // expected-error @below {{'tfx_tensor.graph' op symbol's parent must have the SymbolTable trait}}
  tfx_tensor.graph @g() {
    tfx_tensor.return
  }
  return
}

// -----

// expected-note @below {{declared here}}
tfx_tensor.graph @g(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{'tfx_tensor.return' op expected to return types ('tensor<f32>'), got ()}}
  tfx_tensor.return
}

// -----

// expected-note @below {{declared here}}
tfx_tensor.graph @g(%x: tensor<2xf32>, %y: tensor<i1>) -> (tensor<?xf32>, tensor<i1>) {
  // expected-error @below {{'tfx_tensor.return' op expected to return types ('tensor<?xf32>', 'tensor<i1>'), got ('tensor<2xf32>', 'tensor<i1>')}}
  tfx_tensor.return %x, %y : tensor<2xf32>, tensor<i1>
}

// -----

func.func @f() {
  // expected-error @below {{'tfx_tensor.return' op expects parent op 'tfx_tensor.graph'}}
  tfx_tensor.return
}

//===----------------------------------------------------------------------===//
// call
//===----------------------------------------------------------------------===//

// -----

tfx_tensor.graph @g() {
  // expected-error @below {{'tfx_tensor.call' op refers to @nobody, but no tfx_tensor.graph of that name is declared}}
  tfx_tensor.call @nobody() : () -> ()
  tfx_tensor.return
}

// -----

// A graph cannot call a host function.
func.func private @host()
tfx_tensor.graph @g() {
  // expected-error @below {{'tfx_tensor.call' op refers to @host, but no tfx_tensor.graph of that name is declared}}
  tfx_tensor.call @host() : () -> ()
  tfx_tensor.return
}

// -----

// expected-note @below {{declared here}}
tfx_tensor.graph @sum(%x: tensor<?x2xf32>) -> tensor<?xf32> {
  %axis = tfx_tensor.const dense<1> : tensor<i32>
  %y = tfx_tensor.op "Sum"(%x, %axis) : (tensor<?x2xf32>, tensor<i32>) -> tensor<?xf32>
  tfx_tensor.return %y : tensor<?xf32>
}
tfx_tensor.graph @g(%x: tensor<4x3xf32>) {
  // expected-error @below {{'tfx_tensor.call' op has argument or result types that are incompatible with @sum, which has type '(tensor<?x2xf32>) -> tensor<?xf32>'}}
  %y = tfx_tensor.call @sum(%x) : (tensor<4x3xf32>) -> tensor<?xf32>
  tfx_tensor.return
}

// -----

// expected-note @below {{declared here}}
tfx_tensor.graph @double(%x: tensor<f32>) -> tensor<f32> {
  tfx_tensor.return %x : tensor<f32>
}
tfx_tensor.graph @g(%x: tensor<i32>) {
  // expected-error @below {{'tfx_tensor.call' op has argument or result types that are incompatible with @double, which has type '(tensor<f32>) -> tensor<f32>'}}
  %y = tfx_tensor.call @double(%x) : (tensor<i32>) -> tensor<f32>
  tfx_tensor.return
}

// -----

// expected-note @below {{declared here}}
tfx_tensor.graph @double(%x: tensor<f32>) -> tensor<f32> {
  tfx_tensor.return %x : tensor<f32>
}
tfx_tensor.graph @g(%x: tensor<f32>) {
  // expected-error @below {{'tfx_tensor.call' op has argument or result types that are incompatible with @double, which has type '(tensor<f32>) -> tensor<f32>'}}
  tfx_tensor.call @double(%x) : (tensor<f32>) -> ()
  tfx_tensor.return
}
