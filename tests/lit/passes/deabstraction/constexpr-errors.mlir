// Each reason why an attribute is not a constant, at the operation, with the path to its cause.

// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-constexpr{budget=10000})' --split-input-file --verify-diagnostics

func.func @parameter(%x: tensor<*xf32>, %a: f32,
                     // expected-note @below {{parameter 2 of '@parameter'}}
                     %b: f32) {
  // expected-note @below {{computed here}}
  %c = arith.addf %b, %b : f32
  // expected-error @below {{attribute "alpha" of "LeakyRelu" is not a constant: it depends on parameter 2 of '@parameter', which is known only at run time}}
  %y = tfx_tensor.op "LeakyRelu"(%x) computed(alpha = %c : f32) : (tensor<*xf32>) -> tensor<*xf32>
  // expected-note @above {{with the option dynamic=host}}
  return
}

// -----

// expected-note @unknown {{parameter 'rate' of '@named'}}
func.func @named(%x: tensor<*xf32>, %a: f32 loc("rate")) {
  // expected-error @below {{attribute "alpha" of "LeakyRelu" is not a constant: it depends on parameter 'rate' of '@named', which is known only at run time}}
  %y = tfx_tensor.op "LeakyRelu"(%x) computed(alpha = %a : f32) : (tensor<*xf32>) -> tensor<*xf32>
  // expected-note @above {{with the option dynamic=host}}
  return
}

// -----

func.func private @measure(f32) -> f32
func.func private @scaled(%a: f32) -> f32 {
  // expected-note @below {{'@measure' is called here}}
  %b = func.call @measure(%a) : (f32) -> f32
  // expected-note @below {{computed here}}
  %c = arith.mulf %b, %b : f32
  return %c : f32
}
func.func @foreign(%x: tensor<*xf32>) {
  %one = arith.constant 1.0 : f32
  // expected-note @below {{'@scaled' is called here}}
  %c = func.call @scaled(%one) : (f32) -> f32
  // expected-error @below {{attribute "alpha" of "LeakyRelu" is not a constant: it depends on a result of the foreign function '@measure'}}
  %y = tfx_tensor.op "LeakyRelu"(%x) computed(alpha = %c : f32) : (tensor<*xf32>) -> tensor<*xf32>
  // expected-note @above {{with the option dynamic=host}}
  return
}

// -----

func.func @tensor(%x: tensor<*xf32>, %t: tensor<f32>) {
  // expected-note @below {{the tensor operation}}
  %a = tfx_tensor.to_scalar %t : tensor<f32> -> f32
  // expected-error @below {{attribute "alpha" of "LeakyRelu" is not a constant: it depends on a tensor, which only the graph computes}}
  %y = tfx_tensor.op "LeakyRelu"(%x) computed(alpha = %a : f32) : (tensor<*xf32>) -> tensor<*xf32>
  // expected-note @above {{with the option dynamic=host}}
  return
}

// -----

func.func @trips(%x: tensor<*xf32>) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  cf.br ^header(%zero : i64)
// expected-note @below {{this value differs between iterations}}
^header(%i: i64):
  %go = arith.cmpi slt, %i, %three : i64
  cf.cond_br %go, ^body, ^exit
^body:
  %dims = tfx_host.array(%i) : !tfx_host.array<i64>
  // expected-error @below {{attribute "squeeze_dims" of "Squeeze" is not a constant: it changes between iterations of the loop that contains the operation}}
  %y = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %dims : !tfx_host.array<i64>) : (tensor<*xf32>) -> tensor<*xf32>
  // expected-note @above {{with the option dynamic=host}}
  %j = arith.addi %i, %one : i64
  cf.br ^header(%j : i64)
^exit:
  return
}

// -----

// The trip count is unknown.

// expected-note @below {{parameter 1 of '@count'}}
func.func @count(%x: tensor<*xf32>, %n: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  cf.br ^header(%zero : i64)
// expected-note @below {{the last iteration of a loop decides it}}
^header(%i: i64):
  // expected-note @below {{computed here}}
  %go = arith.cmpi slt, %i, %n : i64
  // expected-note @below {{the path is chosen here}}
  cf.cond_br %go, ^body, ^exit
^body:
  %j = arith.addi %i, %one : i64
  cf.br ^header(%j : i64)
^exit:
  %dims = tfx_host.array(%i) : !tfx_host.array<i64>
  // expected-error @below {{attribute "squeeze_dims" of "Squeeze" is not a constant: it depends on parameter 1 of '@count', which is known only at run time}}
  %y = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %dims : !tfx_host.array<i64>) : (tensor<*xf32>) -> tensor<*xf32>
  // expected-note @above {{with the option dynamic=host}}
  return
}

// -----

// The value is known on each path, but the path is not.

// expected-note @below {{parameter 1 of '@way'}}
func.func @way(%x: tensor<*xf32>, %p: i1) {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  // expected-note @below {{the path is chosen here}}
  cf.cond_br %p, ^join(%one : i64), ^join(%two : i64)
^join(%n: i64):
  %dims = tfx_host.array(%n) : !tfx_host.array<i64>
  // expected-error @below {{attribute "squeeze_dims" of "Squeeze" is not a constant: it depends on parameter 1 of '@way', which is known only at run time}}
  %y = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %dims : !tfx_host.array<i64>) : (tensor<*xf32>) -> tensor<*xf32>
  // expected-note @above {{with the option dynamic=host}}
  return
}

// -----

func.func private @stop() -> i1
func.func private @steps() -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  cf.br ^header(%zero : i64)
^header(%i: i64):
  // expected-note @below {{'@stop' is called here}}
  %end = func.call @stop() : () -> i1
  // expected-note @below {{the path is chosen here}}
  cf.cond_br %end, ^exit, ^latch
^latch:
  %j = arith.addi %i, %one : i64
  cf.br ^header(%j : i64)
^exit:
  return %i : i64
}
func.func @in_a_callee(%x: tensor<*xf32>) {
  // expected-note @below {{'@steps' is called here}}
  %n = func.call @steps() : () -> i64
  %dims = tfx_host.array(%n) : !tfx_host.array<i64>
  // expected-error @below {{attribute "squeeze_dims" of "Squeeze" is not a constant: it depends on a result of the foreign function '@stop'}}
  %y = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %dims : !tfx_host.array<i64>) : (tensor<*xf32>) -> tensor<*xf32>
  // expected-note @above {{with the option dynamic=host}}
  return
}

// -----

// One run reports all errors.

func.func @arithmetic(%x: tensor<*xf32>) {
  %zero = arith.constant 0 : i64
  %minus = arith.constant -1 : i64
  %least = arith.constant -9223372036854775808 : i64
  %large = arith.constant 1.0e30 : f32
  // expected-note @below {{computed here}}
  %a = arith.divsi %minus, %zero : i64
  %as = tfx_host.array(%a) : !tfx_host.array<i64>
  // expected-error @below {{attribute "squeeze_dims" of "Squeeze" is not a constant: its computation divides by zero}}
  %p = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %as : !tfx_host.array<i64>) : (tensor<*xf32>) -> tensor<*xf32>
  // expected-note @above {{with the option dynamic=host}}
  // expected-note @below {{computed here}}
  %b = arith.divsi %least, %minus : i64
  %bs = tfx_host.array(%b) : !tfx_host.array<i64>
  // expected-error @below {{attribute "squeeze_dims" of "Squeeze" is not a constant: its computation divides the minimum value of its type by -1, which overflows}}
  %q = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %bs : !tfx_host.array<i64>) : (tensor<*xf32>) -> tensor<*xf32>
  // expected-note @above {{with the option dynamic=host}}
  %bits = arith.constant 64 : i64
  // expected-note @below {{computed here}}
  %c = arith.shli %minus, %bits : i64
  %cs = tfx_host.array(%c) : !tfx_host.array<i64>
  // expected-error @below {{attribute "squeeze_dims" of "Squeeze" is not a constant: its computation shifts a value of type i64 by 64 bits}}
  %r = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %cs : !tfx_host.array<i64>) : (tensor<*xf32>) -> tensor<*xf32>
  // expected-note @above {{with the option dynamic=host}}
  // expected-note @below {{computed here}}
  %d = arith.fptosi %large : f32 to i64
  %ds = tfx_host.array(%d) : !tfx_host.array<i64>
  // expected-error @below {{attribute "squeeze_dims" of "Squeeze" is not a constant: its computation converts 1.000000e+30 : f32 to an integer of type i64, which cannot represent it}}
  %s = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %ds : !tfx_host.array<i64>) : (tensor<*xf32>) -> tensor<*xf32>
  // expected-note @above {{with the option dynamic=host}}
  return
}

// -----

func.func @outside(%x: tensor<*xf32>) {
  %zero = arith.constant 0 : i64
  %two = arith.constant 2 : index
  %list = tfx_host.array(%zero, %zero) : !tfx_host.array<i64>
  // expected-note @below {{read here}}
  %a = tfx_host.array_get %list[%two] : !tfx_host.array<i64>
  %dims = tfx_host.array(%a) : !tfx_host.array<i64>
  // expected-error @below {{attribute "squeeze_dims" of "Squeeze" is not a constant: its computation reads element 2 of an array of length 2}}
  %y = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %dims : !tfx_host.array<i64>) : (tensor<*xf32>) -> tensor<*xf32>
  // expected-note @above {{with the option dynamic=host}}
  return
}

// -----

func.func private @checked(%n: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %ok = arith.cmpi sge, %n, %zero : i64
  // expected-note @below {{the program ends here}}
  tfx_host.assert %ok, "sizes are positive"
  return %n : i64
}
func.func @asserts(%x: tensor<*xf32>) {
  %minus = arith.constant -1 : i64
  // expected-note @below {{'@checked' is called here}}
  %n = func.call @checked(%minus) : (i64) -> i64
  %dims = tfx_host.array(%n) : !tfx_host.array<i64>
  // expected-error @below {{attribute "squeeze_dims" of "Squeeze" is not a constant: its computation ends the program: "sizes are positive"}}
  %y = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %dims : !tfx_host.array<i64>) : (tensor<*xf32>) -> tensor<*xf32>
  // expected-note @above {{with the option dynamic=host}}
  return
}

// -----

// The steps of a loop, and their location.

func.func @long(%x: tensor<*xf32>) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %many = arith.constant 1000000000 : i64
  cf.br ^header(%zero : i64)
^header(%i: i64):
  %go = arith.cmpi slt, %i, %many : i64
  // expected-note @below {{10001 of them in '@long', most in this loop}}
  cf.cond_br %go, ^body, ^exit
^body:
  %j = arith.addi %i, %one : i64
  cf.br ^header(%j : i64)
^exit:
  %dims = tfx_host.array(%i) : !tfx_host.array<i64>
  // expected-error @below {{attribute "squeeze_dims" of "Squeeze" takes more than 10000 steps to evaluate; if this is intended, give tfx-constexpr a larger budget}}
  %y = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %dims : !tfx_host.array<i64>) : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

// expected-note @below {{of them in '@endless', which is called repeatedly}}
func.func private @endless(%n: i64) -> i64 {
  %one = arith.constant 1 : i64
  %m = arith.addi %n, %one : i64
  %r = func.call @endless(%m) : (i64) -> i64
  return %r : i64
}
func.func @recursion(%x: tensor<*xf32>) {
  %zero = arith.constant 0 : i64
  %n = func.call @endless(%zero) : (i64) -> i64
  %dims = tfx_host.array(%n) : !tfx_host.array<i64>
  // expected-error @below {{attribute "squeeze_dims" of "Squeeze" takes more than 10000 steps to evaluate}}
  %y = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %dims : !tfx_host.array<i64>) : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

// The value is checked once it is known.

func.func @bounds(%x: tensor<4xf32>, %n: tensor<4xi32>) {
  %zero = arith.constant 0 : i64
  // expected-note @below {{attribute "N" is computed from this}}
  %minus = arith.subi %zero, %zero : i64
  // expected-error @below {{attribute "N" of "ParallelConcat" must be at least 1, not 0}}
  %y = tfx_tensor.op "ParallelConcat"(%x) computed(N = %minus : i64) {shape = [4]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @string(%x: tensor<4x4x4x4xf32>) {
  // expected-note @below {{attribute "padding" is computed from this}}
  %padding = tfx_host.string "SAMEE"
  // expected-error @below {{attribute "padding" of "Conv2D" cannot be "SAMEE"; it can be "SAME", "VALID", "EXPLICIT"}}
  %y = tfx_tensor.op "Conv2D"(%x, %x) computed(padding = %padding : !tfx_host.string) {strides = [1, 1, 1, 1]} : (tensor<4x4x4x4xf32>, tensor<4x4x4x4xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @elements() {
  %one = arith.constant 1 : i64
  %list = tfx_host.array(%one, %one) : !tfx_host.array<i64>
  // expected-error @below {{attribute "value" of "Const" is not a constant: the value has 2 elements, but its type is tensor<3xi64>}}
  // expected-note @below {{this tensor}}
  %y = tfx_tensor.op "Const"() computed(value = %list : !tfx_host.array<i64>) : () -> tensor<3xi64>
  return
}

// -----

func.func @fits() {
  %large = arith.constant 4294967296 : i64
  // expected-error @below {{attribute "value" of "Const" is not a constant: an element of the value does not fit the element type i32}}
  // expected-note @below {{this tensor}}
  %y = tfx_tensor.op "Const"() computed(value = %large : i64) : () -> tensor<i32>
  return
}

// -----

// Control flow that is not a graph of blocks is not evaluated.

func.func @structured(%x: tensor<*xf32>, %p: i1) {
  %one = arith.constant 1.0 : f32
  // expected-note @below {{used here}}
  %a = scf.if %p -> f32 {
    scf.yield %one : f32
  } else {
    scf.yield %one : f32
  }
  // expected-error @below {{attribute "alpha" of "LeakyRelu" is not a constant: the compiler cannot evaluate 'scf.if'}}
  %y = tfx_tensor.op "LeakyRelu"(%x) computed(alpha = %a : f32) : (tensor<*xf32>) -> tensor<*xf32>
  // expected-note @above {{with the option dynamic=host}}
  return
}

// -----

// The second one of several results.

func.func private @next() -> (i1, f32) attributes {tfx.state = "loader"}
func.func @taken(%x: tensor<*xf32>) {
  %q = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i1, f32>
  // expected-note @below {{taken from it here}}
  %p, %a = tfx_host.next %q : !tfx_host.queue<i1, f32>
  tfx_host.close %q : !tfx_host.queue<i1, f32>
  // expected-error @below {{attribute "alpha" of "LeakyRelu" is not a constant: it depends on a result of a queue}}
  %y = tfx_tensor.op "LeakyRelu"(%x) computed(alpha = %a : f32) : (tensor<*xf32>) -> tensor<*xf32>
  // expected-note @above {{with the option dynamic=host}}
  return
}
