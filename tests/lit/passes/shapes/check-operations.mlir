// RUN: tfx-opt --tfx-check-operations --split-input-file --verify-diagnostics %s -o /dev/null

// Any operation of TensorFlow is valid, in functions and in graphs, with every kind of attribute.
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

// One error for each operation, at any nesting depth.
tfx_tensor.graph @counts(%x: tensor<2x2xf32>, %p: tensor<i1>) {
  tfx_tensor.if %p : tensor<i1> {
    // expected-error @below {{"MatMul" takes 2 operands, 1 was given}}
    %0 = tfx_tensor.op "MatMul"(%x) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    tfx_tensor.yield
  } else {
    // expected-error @below {{"Neg" returns 1 result, 2 were given}}
    %0:2 = tfx_tensor.op "Neg"(%x) : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
    tfx_tensor.yield
  }
  tfx_tensor.return
}

// -----

func.func @types(%x: tensor<2xf32>, %i: tensor<2xi32>, %s: tensor<2xi1>, %odd: tensor<2xi7>) {
  // expected-error @below {{operand 1 of "AddV2" has element type i32, but operand 0 implies T = f32; both must be the same}}
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
  // expected-error @below {{attribute "transpose_a" of "MatMul" expects a bool, not an integer; write, for example, transpose_a = true}}
  %0 = tfx_tensor.op "MatMul"(%x, %x) {transpose_a = 1} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  // expected-error @below {{attribute "T" of "Neg": TensorFlow has no attribute of the form {}}}
  %1 = tfx_tensor.op "Neg"(%x) {T = {}} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  // expected-error @below {{"Pack" has no attribute "dim"}}
  %2 = tfx_tensor.op "Pack"(%x) {dim = 0} : (tensor<2x2xf32>) -> tensor<1x2x2xf32>
  return
}

// -----

// Computed attributes: their names and kinds are checked before their values are known.
func.func @computed(%x: tensor<2x2xf32>, %n: i32, %b: i1, %f: f64, %s: !tfx_host.string, %list: !tfx_host.array<i64>,
                    %lists: !tfx_host.array<!tfx_host.array<index>>, %tuple: tuple<i64, i64>, %wide: i128) {
  %0 = tfx_tensor.op "MatMul"(%x, %x) computed(transpose_a = %b : i1) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = tfx_tensor.op "LeakyRelu"(%x) computed(alpha = %f : f64) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = tfx_tensor.op "Placeholder"() computed(shape = %list : !tfx_host.array<i64>) : () -> tensor<2x2xf32>
  %3 = tfx_tensor.op "Conv2D"(%x, %x) computed(strides = %list : !tfx_host.array<i64>, padding = %s : !tfx_host.string) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<*xf32>
  %4 = tfx_tensor.op "PaddingFIFOQueueV2"() computed(shapes = %lists : !tfx_host.array<!tfx_host.array<index>>) {component_types = [f32]} : () -> tensor<!tfx_tensor.resource>
  %5 = tfx_tensor.op "Const"() computed(value = %list : !tfx_host.array<i64>) : () -> tensor<?xi64>
  %6 = tfx_tensor.op "Const"() computed(value = %f : f64) : () -> tensor<f64>
  // expected-error @below {{attribute "alpha" of "LeakyRelu" expects a float, not an integer; write, for example, alpha = 1.0}}
  %7 = tfx_tensor.op "LeakyRelu"(%x) computed(alpha = %n : i32) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  // expected-error @below {{attribute "strides" of "Conv2D" expects a list of integers, not an integer}}
  %8 = tfx_tensor.op "Conv2D"(%x, %x) computed(strides = %n : i32) {padding = "SAME"} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<*xf32>
  // expected-error @below {{"MatMul" has no attribute "transpose"; did you mean "transpose_a"?}}
  %9 = tfx_tensor.op "MatMul"(%x, %x) computed(transpose = %b : i1) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  // expected-error @below {{attribute "strides" of "Conv2D" cannot be computed as 'tuple<i64, i64>'; write an integer, float, bool or string, or an array of those}}
  %10 = tfx_tensor.op "Conv2D"(%x, %x) computed(strides = %tuple : tuple<i64, i64>) {padding = "SAME"} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<*xf32>
  // expected-error @below {{attribute "axis" of "Pack" cannot be computed as 'i128'}}
  %11 = tfx_tensor.op "Pack"(%x) computed(axis = %wide : i128) : (tensor<2x2xf32>) -> tensor<1x2x2xf32>
  return
}

// -----

// A generic function is checked once its types are known.
func.func private @generic(%x: tensor<2x2xf32>, %t: !tfx_host.param<"T">) attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  %0 = tfx_tensor.op "LeakyRelu"(%x) computed(alpha = %t : !tfx_host.param<"T">) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}
