// RUN: tfx-opt --tfx-infer-shapes --split-input-file --verify-diagnostics %s -o /dev/null

// A result that contradicts its declaration. One run reports all errors, each once: after an error,
// inference continues with the declared type.
func.func @results(%x: tensor<2xf32>, %y: tensor<2x3xf32>) {
  // expected-error @below {{the result of "Neg" has type tensor<2xf32>, but is declared as tensor<3xf32>; write tensor<2xf32>}}
  %0 = tfx_tensor.op "Neg"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  %1 = tfx_tensor.op "Exp"(%0) : (tensor<3xf32>) -> tensor<3xf32>
  // expected-error @below {{the result of "Exp" has type tensor<3xf32>, but is declared as tensor<f32>; write tensor<3xf32>}}
  %2 = tfx_tensor.op "Exp"(%1) : (tensor<3xf32>) -> tensor<f32>
  // expected-error @below {{result 1 of "Unpack" has type tensor<3xf32>, but is declared as tensor<2xf32>; write tensor<3xf32>}}
  %3:2 = tfx_tensor.op "Unpack"(%y) : (tensor<2x3xf32>) -> (tensor<?xf32>, tensor<2xf32>)
  return
}

// -----

// Operands that do not fit each other: the message shows both types, and a fix if one change
// suffices.
func.func @products(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>, %c: tensor<5x6xf32>, %d: tensor<1x2x3xf32>, %e: tensor<2x3x1xf32>) {
  // expected-error @below {{"MatMul" cannot multiply tensor<2x3xf32> by tensor<2x4xf32>: rows of 3 elements by columns of 2; with transpose_a = true it fits}}
  %0 = tfx_tensor.op "MatMul"(%a, %b) : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<*xf32>
  // expected-error @below {{"MatMul" cannot multiply tensor<2x3xf32> by the transpose of tensor<2x4xf32>: rows of 3 elements by columns of 4}}
  %1 = tfx_tensor.op "MatMul"(%a, %b) {transpose_b} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<*xf32>
  // expected-error @below {{"MatMul" expects a tensor of rank 2 as operand 1, not tensor<1x2x3xf32>}}
  %2 = tfx_tensor.op "MatMul"(%a, %d) : (tensor<2x3xf32>, tensor<1x2x3xf32>) -> tensor<*xf32>
  // expected-error @below {{"BatchMatMul" cannot multiply tensor<1x2x3xf32> by tensor<2x3x1xf32>: their dimensions before the last two must be equal; "BatchMatMulV2" broadcasts them}}
  %3 = tfx_tensor.op "BatchMatMul"(%d, %e) : (tensor<1x2x3xf32>, tensor<2x3x1xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @elements(%p: tensor<2xi1>, %a: tensor<2x3xf32>, %b: tensor<2x4xf32>, %c: tensor<3xf32>) {
  // expected-error @below {{"AddV2" cannot broadcast tensor<2x3xf32> with tensor<2x4xf32>: sizes 3 and 4 differ, and neither is 1}}
  %0 = tfx_tensor.op "AddV2"(%a, %b) : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<*xf32>
  // expected-error @below {{"AddN" expects tensors of one shape, but operand 0 is tensor<2x3xf32> and operand 2 is tensor<2x4xf32>}}
  %1 = tfx_tensor.op "AddN"(%a, %a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<*xf32>
  // expected-error @below {{"Select" cannot select from tensors like tensor<3xf32> by tensor<2xi1>: the condition must be a scalar, have their shape, or have a boolean for each row; "SelectV2" broadcasts its condition}}
  %2 = tfx_tensor.op "Select"(%p, %c, %c) : (tensor<2xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<*xf32>
  // expected-error @below {{"BiasAdd" expects as many biases as dimension 1 has channels, but operand 0 is tensor<2x4xf32> and operand 1 is tensor<3xf32>}}
  %3 = tfx_tensor.op "BiasAdd"(%b, %c) : (tensor<2x4xf32>, tensor<3xf32>) -> tensor<*xf32>
  return
}

// -----

// Mismatches that depend on element values.
func.func @values(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  %two = tfx_tensor.const dense<2> : tensor<i32>
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %four = tfx_tensor.const dense<[4, 2]> : tensor<2xi32>
  %rest = tfx_tensor.const dense<[4, -1]> : tensor<2xi32>
  %order = tfx_tensor.const dense<[0, 0]> : tensor<2xi32>
  // expected-error @below {{"Reshape" cannot give tensor<2x3xf32>, which has 6 elements, the shape 4x2; the product of the sizes must be equal, and one of them may be -1}}
  %0 = tfx_tensor.op "Reshape"(%x, %four) : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<*xf32>
  // expected-error @below {{"Reshape" cannot give tensor<2x3xf32>, which has 6 elements, the shape 4x?; the product of the other sizes is 4, which does not divide 6}}
  %1 = tfx_tensor.op "Reshape"(%x, %rest) : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<*xf32>
  // expected-error @below {{"Sum" has no dimension 2 for tensor<2x3xf32>, which must be from -2 to 1}}
  %2 = tfx_tensor.op "Sum"(%x, %two) : (tensor<2x3xf32>, tensor<i32>) -> tensor<*xf32>
  // expected-error @below {{"ConcatV2" joins tensors that differ in dimension 0 alone, but operand 0 is tensor<2x3xf32> and operand 1 is tensor<2x4xf32>}}
  %3 = tfx_tensor.op "ConcatV2"(%x, %y, %zero) : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<i32>) -> tensor<*xf32>
  // expected-error @below {{"Transpose" takes dimension 0 of tensor<2x3xf32> twice}}
  %4 = tfx_tensor.op "Transpose"(%x, %order) : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<*xf32>
  // expected-error @below {{"Unpack" splits tensor<2x3xf32> along dimension 0 into 2 tensors, but has 3 results; write 2 results}}
  %5:3 = tfx_tensor.op "Unpack"(%x) : (tensor<2x3xf32>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  // expected-error @below {{"Squeeze" can remove a dimension of size 1, but dimension 1 of tensor<2x3xf32> has 3}}
  %6 = tfx_tensor.op "Squeeze"(%x) {squeeze_dims = [1]} : (tensor<2x3xf32>) -> tensor<*xf32>
  return
}

// -----

// If the declared types do not show the mismatch, notes show the inferred types and the
// definitions.
func.func @notes(%x: tensor<2x3xf32>, %p: i1) {
  // expected-note @below {{operand 1, declared as tensor<?x?xf32>, is inferred to be tensor<?x3xf32>}}
  %y = scf.if %p -> (tensor<?x?xf32>) {
    %a = tfx_tensor.op "Neg"(%x) : (tensor<2x3xf32>) -> tensor<?x?xf32>
    scf.yield %a : tensor<?x?xf32>
  } else {
    %t = tfx_tensor.op "ZerosLike"(%x) : (tensor<2x3xf32>) -> tensor<?x?xf32>
    %axis = tfx_tensor.const dense<0> : tensor<i32>
    %b = tfx_tensor.op "ConcatV2"(%x, %t, %axis) : (tensor<2x3xf32>, tensor<?x?xf32>, tensor<i32>) -> tensor<?x?xf32>
    scf.yield %b : tensor<?x?xf32>
  }
  // expected-error @below {{"MatMul" cannot multiply the transpose of tensor<2x3xf32> by the transpose of tensor<?x3xf32>: rows of 2 elements by columns of 3; with transpose_a = false it fits}}
  %z = tfx_tensor.op "MatMul"(%x, %y) {transpose_b, transpose_a} : (tensor<2x3xf32>, tensor<?x?xf32>) -> tensor<*xf32>
  return
}

// -----

// A loop with a mismatch in its second iteration.
func.func @later(%x: tensor<2x3xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %order = tfx_tensor.const dense<[1, 0]> : tensor<2xi32>
  %three = tfx_tensor.const dense<[3, 1]> : tensor<2xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> tensor<2x3xf32> {
    // expected-error @below {{the result of "Transpose" has type tensor<3x2xf32>, but is declared as tensor<2x3xf32>; write tensor<3x2xf32>}}
    %w = tfx_tensor.op "Transpose"(%v, %order) : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
    scf.yield %w : tensor<2x3xf32>
  }
  return
}

// -----

// A mismatch in the first iteration only is no error: the fixed point counts, where the size is
// unknown.
func.func @grows(%x: tensor<2x3xf32>, %y: tensor<4x3xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %init = tfx_tensor.op "Neg"(%x) : (tensor<2x3xf32>) -> tensor<?x3xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %init) -> tensor<?x3xf32> {
    %s = tfx_tensor.op "AddV2"(%v, %y) : (tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
    %w = tfx_tensor.op "ConcatV2"(%v, %x, %axis) : (tensor<?x3xf32>, tensor<2x3xf32>, tensor<i32>) -> tensor<?x3xf32>
    tfx_host.print "{}"(%s) : tensor<?x3xf32>
    scf.yield %w : tensor<?x3xf32>
  }
  return
}

// -----

// The verifier of functional control flow accepts compatible declared types; inference knows more.
tfx_tensor.graph @contradiction(%x: tensor<2xf32>, %p: tensor<i1>) {
  // expected-note @below {{the value is defined here}}
  %n = tfx_tensor.op "Neg"(%x) : (tensor<2xf32>) -> tensor<?xf32>
  // expected-error @below {{a value of type tensor<2xf32> is forwarded as the incompatible type tensor<3xf32>; write tensor<2xf32> or a less specific type}}
  %r = tfx_tensor.while (%v: tensor<3xf32> = %n) : (tensor<?xf32>) -> tensor<3xf32> {
    tfx_tensor.yield %p : tensor<i1>
  } do {
  ^bb0(%v: tensor<3xf32>):
    tfx_tensor.yield %v : tensor<3xf32>
  }
  tfx_tensor.return
}

// -----

// tfx-check-operations reports what the registry rejects.
func.func @unknown(%x: tensor<2xf32>) {
  %0 = tfx_tensor.op "Negg"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return
}
