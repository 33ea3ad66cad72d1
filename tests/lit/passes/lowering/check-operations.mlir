// RUN: tfx-opt --tfx-check-operations --split-input-file --verify-diagnostics %s -o /dev/null

// Whatever TensorFlow has is fine, in functions and in graphs, with every kind of attribute.
func.func @fine(%x: tensor<?x4xf32>, %w: tensor<2x4xf32>, %i: tensor<i32>) {
  %0 = tfx_tensor.op "MatMul"(%x, %w) {transpose_b = true} : (tensor<?x4xf32>, tensor<2x4xf32>) -> tensor<?x2xf32>
  %1 = tfx_tensor.op "MatMul"(%x, %w) {transpose_b, device = "/cpu:0"} : (tensor<?x4xf32>, tensor<2x4xf32>) -> tensor<?x2xf32>
  %2 = tfx_tensor.op "Pack"(%i, %i, %i) {axis = 0} : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3xi32>
  %3 = tfx_tensor.op "Cast"(%i) : (tensor<i32>) -> tensor<f64>
  %4 = tfx_tensor.op "Placeholder"() {shape = [2, -1]} : () -> tensor<2x?xf32>
  %5 = tfx_tensor.op "Placeholder"() {shape} : () -> tensor<*xf32>
  %6 = tfx_tensor.op "Const"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>
  %7 = tfx_tensor.op "Squeeze"(%2) {squeeze_dims = []} : (tensor<3xi32>) -> tensor<3xi32>
  %8 = tfx_tensor.op "ArgMax"(%x, %i) {output_type = i32, _mine = "any"} : (tensor<?x4xf32>, tensor<i32>) -> tensor<?xi32>
  return
}

// -----

func.func @names(%x: tensor<2x2xf32>) {
  // expected-error @below {{TensorFlow has no operation "MatMull"; did you mean "MatMul"?}}
  %0 = tfx_tensor.op "MatMull"(%x, %x) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  // expected-error @below {{"MatMul" has no attribute "transpose"; did you mean "transpose_a"?}}
  %1 = tfx_tensor.op "MatMul"(%x, %x) {transpose = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

// One error for each operation, wherever it is.
tfx_tensor.graph @counts(%x: tensor<2x2xf32>, %p: tensor<i1>) {
  tfx_tensor.if %p : tensor<i1> {
    // expected-error @below {{"MatMul" takes 2 operands, 1 was given}}
    %0 = tfx_tensor.op "MatMul"(%x) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    tfx_tensor.yield
  } else {
    // expected-error @below {{"Neg" gives 1 result, 2 were given}}
    %0:2 = tfx_tensor.op "Neg"(%x) : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
    tfx_tensor.yield
  }
  tfx_tensor.return
}

// -----

func.func @types(%x: tensor<2xf32>, %i: tensor<2xi32>, %s: tensor<2xi1>, %odd: tensor<2xi7>) {
  // expected-error @below {{operand 1 of "AddV2" has element type i32, but operand 0 made T = f32; both must be the same}}
  %0 = tfx_tensor.op "AddV2"(%x, %i) : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  // expected-error @below {{operand 0 of "MatMul" has element type i1, which T cannot be}}
  %1 = tfx_tensor.op "MatMul"(%s, %s) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  // expected-error @below {{operand 0 has element type i7, which TensorFlow does not have}}
  %2 = tfx_tensor.op "Neg"(%odd) : (tensor<2xi7>) -> tensor<2xi7>
  // expected-error @below {{result 0 (z) of "Less" must have element type i1, not f32}}
  %3 = tfx_tensor.op "Less"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @attributes(%x: tensor<2x2xf32>) {
  // expected-error @below {{attribute "transpose_a" of "MatMul" wants a bool, not an integer; write, for example, transpose_a = true}}
  %0 = tfx_tensor.op "MatMul"(%x, %x) {transpose_a = 1} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  // expected-error @below {{attribute "T" of "Neg": {} is nothing that TensorFlow could read}}
  %1 = tfx_tensor.op "Neg"(%x) {T = {}} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  // expected-error @below {{"Pack" has no attribute "dim"}}
  %2 = tfx_tensor.op "Pack"(%x) {dim = 0} : (tensor<2x2xf32>) -> tensor<1x2x2xf32>
  return
}
