// Products of matrices, packed tensors, stopped gradients, several outputs, loops and reductions.
// TensorFlow, tensorflow/cc/framework/gradients_test.cc and while_gradients_test.cc, and
// tensorflow/cc/gradients/math_grad_test.cc, nn_grad_test.cc and array_grad_test.cc. Integers of
// these tests are f64 here. Where TensorFlow compares graphs or numerical gradients, the values are
// closed forms.
//
// RUN: tfxc run %s | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow | FileCheck %s %}

func.func private @matmul(%x: tensor<2x2xf64>, %y: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %z = tfx_tensor.op "MatMul"(%x, %y) {transpose_a = false, transpose_b = false} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  return %z : tensor<2x2xf64>
}
func.func private @chained(%u: tensor<2x2xf64>, %v: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %y = tfx_tensor.const dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf64>
  %x = tfx_tensor.op "MatMul"(%u, %v) {transpose_a = false, transpose_b = false} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %z = tfx_tensor.op "MatMul"(%x, %y) {transpose_a = false, transpose_b = false} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  return %z : tensor<2x2xf64>
}
func.func private @independent(%t: tensor<2x2xf64>, %u: tensor<2x2xf64>, %x: tensor<2x2xf64>, %y: tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>) {
  %v = tfx_tensor.op "MatMul"(%t, %u) {transpose_a = false, transpose_b = false} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %z = tfx_tensor.op "MatMul"(%x, %y) {transpose_a = false, transpose_b = false} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  return %v, %z : tensor<2x2xf64>, tensor<2x2xf64>
}

// Three tensors are packed and unpacked.
func.func private @stack(%a: tensor<2xf64>, %b: tensor<2xf64>, %c: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) {
  %p = tfx_tensor.op "Pack"(%a, %b, %c) {axis = 0 : i64} : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<3x2xf64>
  %u:3 = tfx_tensor.op "Unpack"(%p) {axis = 0 : i64, num = 3 : i64} : (tensor<3x2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>)
  return %u#0, %u#1, %u#2 : tensor<2xf64>, tensor<2xf64>, tensor<2xf64>
}
func.func private @unstack(%c: tensor<3x2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) {
  %u:3 = tfx_tensor.op "Unpack"(%c) {axis = 0 : i64, num = 3 : i64} : (tensor<3x2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>)
  return %u#0, %u#1, %u#2 : tensor<2xf64>, tensor<2xf64>, tensor<2xf64>
}
func.func private @pack_of_unpack(%c: tensor<3x2xf64>) -> tensor<3x2xf64> {
  %u:3 = tfx_tensor.op "Unpack"(%c) {axis = 0 : i64, num = 3 : i64} : (tensor<3x2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>)
  %p = tfx_tensor.op "Pack"(%u#0, %u#1, %u#2) {axis = 0 : i64} : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<3x2xf64>
  return %p : tensor<3x2xf64>
}

// u v y, by v, and x y, by x.
func.func private @first_product(%v: tensor<1x1xf64>) -> tensor<1x1xf64> {
  %u = tfx_tensor.const dense<[[2.0]]> : tensor<1x1xf64>
  %x = tfx_tensor.op "MatMul"(%u, %v) {transpose_a = false, transpose_b = false} : (tensor<1x1xf64>, tensor<1x1xf64>) -> tensor<1x1xf64>
  %a = func.call @second_product(%x) : (tensor<1x1xf64>) -> tensor<1x1xf64>
  return %a : tensor<1x1xf64>
}
func.func private @second_product(%x: tensor<1x1xf64>) -> tensor<1x1xf64> {
  %y = tfx_tensor.const dense<[[4.0]]> : tensor<1x1xf64>
  %z = tfx_tensor.op "MatMul"(%x, %y) {transpose_a = false, transpose_b = false} : (tensor<1x1xf64>, tensor<1x1xf64>) -> tensor<1x1xf64>
  return %z : tensor<1x1xf64>
}
func.func private @one_output(%x: tensor<2x3xf64>, %y: tensor<3x1xf64>) -> tensor<2x1xf64> {
  %m = tfx_tensor.op "MatMul"(%x, %y) {transpose_a = false, transpose_b = false} : (tensor<2x3xf64>, tensor<3x1xf64>) -> tensor<2x1xf64>
  return %m : tensor<2x1xf64>
}
func.func private @two_outputs(%x: tensor<2x3xf64>, %y: tensor<3x1xf64>, %z: tensor<1x3xf64>) -> (tensor<2x1xf64>, tensor<3x3xf64>) {
  %m = tfx_tensor.op "MatMul"(%x, %y) {transpose_a = false, transpose_b = false} : (tensor<2x3xf64>, tensor<3x1xf64>) -> tensor<2x1xf64>
  %n = tfx_tensor.op "MatMul"(%y, %z) {transpose_a = false, transpose_b = false} : (tensor<3x1xf64>, tensor<1x3xf64>) -> tensor<3x3xf64>
  return %m, %n : tensor<2x1xf64>, tensor<3x3xf64>
}

// Outputs that depend on each other: the sum of their gradients.
func.func private @dependent(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %y0 = tfx_tensor.op "Square"(%x) : (tensor<f64>) -> tensor<f64>
  %y1 = tfx_tensor.op "Square"(%y0) : (tensor<f64>) -> tensor<f64>
  %y2 = tfx_tensor.op "Square"(%y1) : (tensor<f64>) -> tensor<f64>
  return %y0, %y2 : tensor<f64>, tensor<f64>
}
func.func private @dependent_three(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>) {
  %y0 = tfx_tensor.op "Square"(%x) : (tensor<f64>) -> tensor<f64>
  %y1 = tfx_tensor.op "Square"(%y0) : (tensor<f64>) -> tensor<f64>
  %y2 = tfx_tensor.op "Square"(%y0) : (tensor<f64>) -> tensor<f64>
  %y3 = tfx_tensor.op "Square"(%y2) : (tensor<f64>) -> tensor<f64>
  return %y0, %y1, %y3 : tensor<f64>, tensor<f64>, tensor<f64>
}

// Three uses of a matrix, of which some are stopped: `stop` is the operation of tfx_ad, and
// StopGradient that of TensorFlow.
func.func private @edges(%z: tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) {
  %a = tfx_tensor.op "Identity"(%z) : (tensor<2x2xf64>) -> tensor<2x2xf64>
  %b = tfx_tensor.op "Identity"(%z) : (tensor<2x2xf64>) -> tensor<2x2xf64>
  %c = tfx_tensor.op "Identity"(%z) : (tensor<2x2xf64>) -> tensor<2x2xf64>
  return %a, %b, %c : tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>
}
func.func private @stop_first(%z: tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) {
  %a = tfx_tensor.op "StopGradient"(%z) : (tensor<2x2xf64>) -> tensor<2x2xf64>
  %b = tfx_tensor.op "Identity"(%z) : (tensor<2x2xf64>) -> tensor<2x2xf64>
  %c = tfx_tensor.op "Identity"(%z) : (tensor<2x2xf64>) -> tensor<2x2xf64>
  return %a, %b, %c : tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>
}
func.func private @stop_second(%z: tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) {
  %a = tfx_tensor.op "Identity"(%z) : (tensor<2x2xf64>) -> tensor<2x2xf64>
  %b = tfx_ad.stop %z : tensor<2x2xf64>
  %c = tfx_tensor.op "Identity"(%z) : (tensor<2x2xf64>) -> tensor<2x2xf64>
  return %a, %b, %c : tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>
}
func.func private @stop_third(%z: tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) {
  %a = tfx_tensor.op "Identity"(%z) : (tensor<2x2xf64>) -> tensor<2x2xf64>
  %b = tfx_tensor.op "Identity"(%z) : (tensor<2x2xf64>) -> tensor<2x2xf64>
  %c = tfx_tensor.op "StopGradient"(%z) : (tensor<2x2xf64>) -> tensor<2x2xf64>
  return %a, %b, %c : tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>
}
func.func private @stop_first_second(%z: tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) {
  %a = tfx_tensor.op "StopGradient"(%z) : (tensor<2x2xf64>) -> tensor<2x2xf64>
  %b = tfx_ad.stop %z : tensor<2x2xf64>
  %c = tfx_tensor.op "Identity"(%z) : (tensor<2x2xf64>) -> tensor<2x2xf64>
  return %a, %b, %c : tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>
}
func.func private @stop_all(%z: tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) {
  %a = tfx_tensor.op "StopGradient"(%z) : (tensor<2x2xf64>) -> tensor<2x2xf64>
  %b = tfx_ad.stop %z : tensor<2x2xf64>
  %c = tfx_tensor.op "StopGradient"(%z) : (tensor<2x2xf64>) -> tensor<2x2xf64>
  return %a, %b, %c : tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>
}
func.func private @stop_output(%c: tensor<3x2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) {
  %u:3 = tfx_tensor.op "Unpack"(%c) {axis = 0 : i64, num = 3 : i64} : (tensor<3x2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>)
  %s = tfx_ad.stop %u#0 : tensor<2xf64>
  return %s, %u#1, %u#2 : tensor<2xf64>, tensor<2xf64>, tensor<2xf64>
}

// Loops.
func.func private @while_basic(%i: f64) -> f64 {
  %ten = arith.constant 10.0 : f64
  %one = arith.constant 1.0 : f64
  cf.br ^head(%i : f64)
^head(%j: f64):
  %is_lt = arith.cmpf olt, %j, %ten : f64
  cf.cond_br %is_lt, ^body, ^end
^body:
  %a = arith.addf %j, %one : f64
  cf.br ^head(%a : f64)
^end:
  return %j : f64
}
func.func private @while_vars(%i: f64, %j: f64, %k: f64) -> (f64, f64, f64) {
  %ten = arith.constant 10.0 : f64
  %one = arith.constant 1.0 : f64
  cf.br ^head(%i, %j, %k : f64, f64, f64)
^head(%a: f64, %b: f64, %c: f64):
  %is_lt = arith.cmpf olt, %a, %ten : f64
  cf.cond_br %is_lt, ^body, ^end
^body:
  %d = arith.addf %a, %b : f64
  %e = arith.addf %b, %one : f64
  cf.br ^head(%d, %e, %c : f64, f64, f64)
^end:
  return %a, %b, %c : f64, f64, f64
}
func.func private @while_chaining(%i: f64, %j: f64) -> (f64, f64) {
  %two = arith.constant 2.0 : f64
  %zero = arith.constant 0.0 : f64
  %minus_one = arith.constant -1.0 : f64
  %a0 = arith.mulf %i, %two : f64
  %b0 = arith.mulf %j, %two : f64
  cf.br ^head(%a0, %b0 : f64, f64)
^head(%a: f64, %b: f64):
  %is_gt = arith.cmpf ogt, %a, %zero : f64
  %c = arith.cmpf ogt, %b, %zero : f64
  %both = arith.andi %is_gt, %c : i1
  cf.cond_br %both, ^body, ^end
^body:
  %d = arith.addf %a, %minus_one : f64
  cf.br ^head(%d, %b : f64, f64)
^end:
  %minus_a = arith.negf %a : f64
  return %minus_a, %b : f64, f64
}
func.func private @while_devices(%i: f64, %j: f64) -> (f64, f64) {
  %ten = arith.constant 10.0 : f64
  cf.br ^head(%i, %j : f64, f64)
^head(%a: f64, %b: f64):
  %is_lt = arith.cmpf olt, %a, %ten : f64
  cf.cond_br %is_lt, ^body, ^end
^body:
  %c = arith.addf %a, %b : f64
  cf.br ^head(%c, %b : f64, f64)
^end:
  return %a, %b : f64, f64
}

// The transposes of products.
func.func private @matmul_tx(%x: tensor<2x2xf64>, %y: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %z = tfx_tensor.op "MatMul"(%x, %y) {transpose_a = true, transpose_b = false} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  return %z : tensor<2x2xf64>
}
func.func private @matmul_ty(%x: tensor<2x2xf64>, %y: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %z = tfx_tensor.op "MatMul"(%x, %y) {transpose_a = false, transpose_b = true} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  return %z : tensor<2x2xf64>
}
func.func private @matmul_txy(%x: tensor<2x2xf64>, %y: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %z = tfx_tensor.op "MatMul"(%x, %y) {transpose_a = true, transpose_b = true} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  return %z : tensor<2x2xf64>
}
func.func private @min_rows(%x: tensor<2x3xf64>) -> tensor<2xf64> {
  %axes = tfx_tensor.const dense<[-1]> : tensor<1xi32>
  %m = tfx_tensor.op "Min"(%x, %axes) : (tensor<2x3xf64>, tensor<1xi32>) -> tensor<2xf64>
  return %m : tensor<2xf64>
}
func.func private @max_rows(%x: tensor<2x3xf64>) -> tensor<2xf64> {
  %axes = tfx_tensor.const dense<[-1]> : tensor<1xi32>
  %m = tfx_tensor.op "Max"(%x, %axes) : (tensor<2x3xf64>, tensor<1xi32>) -> tensor<2xf64>
  return %m : tensor<2xf64>
}
func.func private @mean_rows(%x: tensor<2x3xf64>) -> tensor<2xf64> {
  %axes = tfx_tensor.const dense<[-1]> : tensor<1xi32>
  %m = tfx_tensor.op "Mean"(%x, %axes) : (tensor<2x3xf64>, tensor<1xi32>) -> tensor<2xf64>
  return %m : tensor<2xf64>
}
func.func private @sum_rows(%x: tensor<2x3xf64>) -> tensor<2xf64> {
  %axes = tfx_tensor.const dense<[-1]> : tensor<1xi32>
  %m = tfx_tensor.op "Sum"(%x, %axes) : (tensor<2x3xf64>, tensor<1xi32>) -> tensor<2xf64>
  return %m : tensor<2xf64>
}
func.func private @broadcast_add(%x: tensor<2x3xf64>, %y: tensor<1x3xf64>) -> tensor<2x3xf64> {
  %z = tfx_tensor.op "AddV2"(%x, %y) : (tensor<2x3xf64>, tensor<1x3xf64>) -> tensor<2x3xf64>
  return %z : tensor<2x3xf64>
}
func.func private @broadcast_mul(%x: tensor<2x3xf64>, %y: tensor<2x1xf64>) -> tensor<2x3xf64> {
  %z = tfx_tensor.op "Mul"(%x, %y) : (tensor<2x3xf64>, tensor<2x1xf64>) -> tensor<2x3xf64>
  return %z : tensor<2x3xf64>
}
func.func private @squared_difference(%x: tensor<2x3xf64>, %y: tensor<1x3xf64>) -> tensor<2x3xf64> {
  %z = tfx_tensor.op "SquaredDifference"(%x, %y) : (tensor<2x3xf64>, tensor<1x3xf64>) -> tensor<2x3xf64>
  return %z : tensor<2x3xf64>
}
func.func private @maximum(%x: tensor<3xf64>, %y: tensor<3xf64>) -> tensor<3xf64> {
  %z = tfx_tensor.op "Maximum"(%x, %y) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %z : tensor<3xf64>
}
func.func private @minimum(%x: tensor<3xf64>, %y: tensor<3xf64>) -> tensor<3xf64> {
  %z = tfx_tensor.op "Minimum"(%x, %y) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %z : tensor<3xf64>
}
func.func private @softmax(%x: tensor<1x3xf64>) -> tensor<1x3xf64> {
  %y = tfx_tensor.op "Softmax"(%x) : (tensor<1x3xf64>) -> tensor<1x3xf64>
  return %y : tensor<1x3xf64>
}
func.func private @log_softmax(%x: tensor<1x3xf64>) -> tensor<1x3xf64> {
  %y = tfx_tensor.op "LogSoftmax"(%x) : (tensor<1x3xf64>) -> tensor<1x3xf64>
  return %y : tensor<1x3xf64>
}
func.func private @l2_loss(%x: tensor<4xf64>) -> tensor<f64> {
  %y = tfx_tensor.op "L2Loss"(%x) : (tensor<4xf64>) -> tensor<f64>
  return %y : tensor<f64>
}
func.func private @relu(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tfx_tensor.op "Relu"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @bias_add(%x: tensor<2x3xf64>, %b: tensor<3xf64>) -> tensor<2x3xf64> {
  %y = tfx_tensor.op "BiasAdd"(%x, %b) : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}
func.func private @gather_nd(%x: tensor<2x2xf64>) -> tensor<2xf64> {
  %at = tfx_tensor.const dense<[[0, 0], [1, 1]]> : tensor<2x2xi32>
  %y = tfx_tensor.op "GatherNd"(%x, %at) : (tensor<2x2xf64>, tensor<2x2xi32>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}
func.func private @gather_rows(%x: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %at = tfx_tensor.const dense<[[1], [0]]> : tensor<2x1xi32>
  %y = tfx_tensor.op "GatherNd"(%x, %at) : (tensor<2x2xf64>, tensor<2x1xi32>) -> tensor<2x2xf64>
  return %y : tensor<2x2xf64>
}
func.func private @stack1(%x: tensor<2xf64>, %y: tensor<2xf64>) -> tensor<2x2xf64> {
  %z = tfx_tensor.op "Pack"(%x, %y) {axis = 1 : i64} : (tensor<2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  return %z : tensor<2x2xf64>
}
func.func private @split(%x: tensor<2x2xf64>) -> (tensor<2x1xf64>, tensor<2x1xf64>) {
  %axis = tfx_tensor.const dense<1> : tensor<i32>
  %y:2 = tfx_tensor.op "Split"(%axis, %x) {num_split = 2 : i64} : (tensor<i32>, tensor<2x2xf64>) -> (tensor<2x1xf64>, tensor<2x1xf64>)
  return %y#0, %y#1 : tensor<2x1xf64>, tensor<2x1xf64>
}
func.func private @band(%x: tensor<4x4xf64>) -> tensor<4x4xf64> {
  %lower = tfx_tensor.const dense<1> : tensor<i64>
  %upper = tfx_tensor.const dense<2> : tensor<i64>
  %y = tfx_tensor.op "MatrixBandPart"(%x, %lower, %upper) : (tensor<4x4xf64>, tensor<i64>, tensor<i64>) -> tensor<4x4xf64>
  return %y : tensor<4x4xf64>
}
func.func private @reshape(%x: tensor<2x3xf64>) -> tensor<3x2xf64> {
  %s = tfx_tensor.const dense<[3, 2]> : tensor<2xi32>
  %y = tfx_tensor.op "Reshape"(%x, %s) : (tensor<2x3xf64>, tensor<2xi32>) -> tensor<3x2xf64>
  return %y : tensor<3x2xf64>
}
func.func private @expand(%x: tensor<2xf64>) -> tensor<1x2xf64> {
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %y = tfx_tensor.op "ExpandDims"(%x, %axis) : (tensor<2xf64>, tensor<i32>) -> tensor<1x2xf64>
  return %y : tensor<1x2xf64>
}
func.func private @squeeze(%x: tensor<1x2x1xf64>) -> tensor<2xf64> {
  %y = tfx_tensor.op "Squeeze"(%x) : (tensor<1x2x1xf64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}
func.func private @transpose(%x: tensor<2x3xf64>) -> tensor<3x2xf64> {
  %p = tfx_tensor.const dense<[1, 0]> : tensor<2xi32>
  %y = tfx_tensor.op "Transpose"(%x, %p) : (tensor<2x3xf64>, tensor<2xi32>) -> tensor<3x2xf64>
  return %y : tensor<3x2xf64>
}
func.func private @reverse_sequence(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %lengths = tfx_tensor.const dense<[2, 3]> : tensor<2xi32>
  %y = tfx_tensor.op "ReverseSequence"(%x, %lengths) {seq_dim = 1 : i64, batch_dim = 0 : i64} : (tensor<2x3xf64>, tensor<2xi32>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}
func.func private @reverse(%x: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %y = tfx_tensor.op "ReverseV2"(%x, %axes) : (tensor<2x2xf64>, tensor<2xi32>) -> tensor<2x2xf64>
  return %y : tensor<2x2xf64>
}
func.func private @add_n(%x: tensor<2xf64>, %y: tensor<2xf64>, %z: tensor<2xf64>) -> tensor<2xf64> {
  %s = tfx_tensor.op "AddN"(%x, %y, %z) : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %s : tensor<2xf64>
}
func.func private @broadcast_sub(%x: tensor<2x3xf64>, %y: tensor<3xf64>) -> tensor<2x3xf64> {
  %z = tfx_tensor.op "Sub"(%x, %y) : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return %z : tensor<2x3xf64>
}

// x / (1 + |x|)
func.func private @div(%x: tensor<3xf64>) -> tensor<3xf64> {
  %one = tfx_tensor.const dense<1.0> : tensor<f64>
  %a = tfx_tensor.op "Abs"(%x) : (tensor<3xf64>) -> tensor<3xf64>
  %b = tfx_tensor.op "AddV2"(%one, %a) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %y = tfx_tensor.op "Div"(%x, %b) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

// All elements are equal.
func.func private @min_multi(%x: tensor<1xf64>) -> tensor<f64> {
  %ones = tfx_tensor.const dense<[1.0, 1.0, 1.0]> : tensor<3xf64>
  %same = tfx_tensor.op "Mul"(%ones, %x) : (tensor<3xf64>, tensor<1xf64>) -> tensor<3xf64>
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %y = tfx_tensor.op "Min"(%same, %axes) : (tensor<3xf64>, tensor<1xi32>) -> tensor<f64>
  return %y : tensor<f64>
}
func.func private @max_multi(%x: tensor<1xf64>) -> tensor<f64> {
  %ones = tfx_tensor.const dense<[1.0, 1.0, 1.0]> : tensor<3xf64>
  %same = tfx_tensor.op "Mul"(%ones, %x) : (tensor<3xf64>, tensor<1xf64>) -> tensor<3xf64>
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %y = tfx_tensor.op "Max"(%same, %axes) : (tensor<3xf64>, tensor<1xi32>) -> tensor<f64>
  return %y : tensor<f64>
}
func.func private @relu6(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tfx_tensor.op "Relu6"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @elu(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tfx_tensor.op "Elu"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @selu(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tfx_tensor.op "Selu"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func public @main() {
  %one = arith.constant 1.0 : f64
  %c11 = arith.constant 11.0 : f64
  %zero = arith.constant 0.0 : f64
  %two = arith.constant 2.0 : f64
  // Case: TensorFlow, gradients_test.cc, OneMatMul.
  // CHECK: {{^}}matmul: {{\[\[ *}}1. 1.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}1. 1.{{ *}}]] {{\[\[ *}}4. 4.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}6. 6.{{ *}}]]{{$}}
  %a = tfx_tensor.const dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf64>
  %b = tfx_tensor.const dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf64>
  %y0, %pullback0 = tfx_ad.vjp @matmul(%a, %b) wrt [0, 1] : (tensor<2x2xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, !tfx_host.closure<(tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)>)
  %c = tfx_tensor.const dense<[[1.0, 1.0], [1.0, 1.0]]> : tensor<2x2xf64>
  %d1.0, %d1.1 = tfx_host.apply %pullback0(%c) : !tfx_host.closure<(tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)>
  tfx_host.print "matmul: {} {}"(%d1.0, %d1.1) : tensor<2x2xf64>, tensor<2x2xf64>
  // Case: TensorFlow, gradients_test.cc, TwoMatMuls_Chained.
  // CHECK-NEXT: {{^}}chained: {{\[\[ *}}1. 1.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}1. 1.{{ *}}]] {{\[\[ *}}4. 4.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}6. 6.{{ *}}]]{{$}}
  %y2, %pullback2 = tfx_ad.vjp @chained(%a, %b) wrt [0, 1] : (tensor<2x2xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, !tfx_host.closure<(tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)>)
  %d3.0, %d3.1 = tfx_host.apply %pullback2(%c) : !tfx_host.closure<(tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)>
  tfx_host.print "chained: {} {}"(%d3.0, %d3.1) : tensor<2x2xf64>, tensor<2x2xf64>
  // Case: TensorFlow, gradients_test.cc, TwoMatMuls_Independent.
  // CHECK-NEXT: {{^}}independent: {{\[\[ *}}1. 1.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}1. 1.{{ *}}]] {{\[\[ *}}4. 4.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}6. 6.{{ *}}]] {{\[\[ *}}1. 1.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}1. 1.{{ *}}]] {{\[\[ *}}12. 12.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}14. 14.{{ *}}]]{{$}}
  %d = tfx_tensor.const dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf64>
  %y4.0, %y4.1, %pullback4 = tfx_ad.vjp @independent(%a, %b, %d, %b) wrt [0, 1, 2, 3] : (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>, !tfx_host.closure<(tensor<2x2xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>)>)
  %d5.0, %d5.1, %d5.2, %d5.3 = tfx_host.apply %pullback4(%c, %c) : !tfx_host.closure<(tensor<2x2xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>)>
  tfx_host.print "independent: {} {} {} {}"(%d5.0, %d5.1, %d5.2, %d5.3) : tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>
  // Case: TensorFlow, gradients_test.cc, StackUnstack_Chained.
  // CHECK-NEXT: {{^}}stack: {{\[ *}}4. 4.{{ *}}] {{\[ *}}5. 5.{{ *}}] {{\[ *}}6. 6.{{ *}}]{{$}}
  %e = tfx_tensor.const dense<[1.0, 1.0]> : tensor<2xf64>
  %f = tfx_tensor.const dense<[2.0, 2.0]> : tensor<2xf64>
  %g = tfx_tensor.const dense<[3.0, 3.0]> : tensor<2xf64>
  %y6.0, %y6.1, %y6.2, %pullback6 = tfx_ad.vjp @stack(%e, %f, %g) wrt [0, 1, 2] : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, !tfx_host.closure<(tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>)>)
  %h = tfx_tensor.const dense<[4.0, 4.0]> : tensor<2xf64>
  %i = tfx_tensor.const dense<[5.0, 5.0]> : tensor<2xf64>
  %j = tfx_tensor.const dense<[6.0, 6.0]> : tensor<2xf64>
  %d7.0, %d7.1, %d7.2 = tfx_host.apply %pullback6(%h, %i, %j) : !tfx_host.closure<(tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>)>
  tfx_host.print "stack: {} {} {}"(%d7.0, %d7.1, %d7.2) : tensor<2xf64>, tensor<2xf64>, tensor<2xf64>
  // Case: TensorFlow, gradients_test.cc, StackUnstack_SubsetOfUnstackOutputs.
  // CHECK-NEXT: {{^}}unstack: {{\[\[ *}}0. 0.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}4. 4.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}5. 5.{{ *}}]]{{$}}
  %k = tfx_tensor.const dense<[[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]> : tensor<3x2xf64>
  %y8.0, %y8.1, %y8.2, %pullback8 = tfx_ad.vjp @unstack(%k) wrt [0] : (tensor<3x2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, !tfx_host.closure<(tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<3x2xf64>>)
  %l = tfx_tensor.const dense<[0.0, 0.0]> : tensor<2xf64>
  %d9 = tfx_host.apply %pullback8(%l, %h, %i) : !tfx_host.closure<(tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<3x2xf64>>
  tfx_host.print "unstack: {}"(%d9) : tensor<3x2xf64>
  // Case: TensorFlow, gradients_test.cc, MultipleNodeOutputGrads.
  // CHECK-NEXT: {{^}}pack_of_unpack: {{\[\[ *}}40. 41.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}50. 51.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}60. 61.{{ *}}]]{{$}}
  %y10, %pullback10 = tfx_ad.vjp @pack_of_unpack(%k) wrt [0] : (tensor<3x2xf64>) -> (tensor<3x2xf64>, !tfx_host.closure<(tensor<3x2xf64>) -> tensor<3x2xf64>>)
  %m = tfx_tensor.const dense<[[40.0, 41.0], [50.0, 51.0], [60.0, 61.0]]> : tensor<3x2xf64>
  %d11 = tfx_host.apply %pullback10(%m) : !tfx_host.closure<(tensor<3x2xf64>) -> tensor<3x2xf64>>
  tfx_host.print "pack_of_unpack: {}"(%d11) : tensor<3x2xf64>
  // Case: TensorFlow, gradients_test.cc, DependentGradOutputs.
  // CHECK-NEXT: {{^}}first_product: {{\[\[ *}}40.{{ *}}]]{{$}}
  %n = tfx_tensor.const dense<[[3.0]]> : tensor<1x1xf64>
  %y12, %pullback12 = tfx_ad.vjp @first_product(%n) wrt [0] : (tensor<1x1xf64>) -> (tensor<1x1xf64>, !tfx_host.closure<(tensor<1x1xf64>) -> tensor<1x1xf64>>)
  %o = tfx_tensor.const dense<[[5.0]]> : tensor<1x1xf64>
  %d13 = tfx_host.apply %pullback12(%o) : !tfx_host.closure<(tensor<1x1xf64>) -> tensor<1x1xf64>>
  tfx_host.print "first_product: {}"(%d13) : tensor<1x1xf64>
  // CHECK-NEXT: {{^}}second_product: {{\[\[ *}}20.{{ *}}]]{{$}}
  %p = tfx_tensor.const dense<[[6.0]]> : tensor<1x1xf64>
  %y14, %pullback14 = tfx_ad.vjp @second_product(%p) wrt [0] : (tensor<1x1xf64>) -> (tensor<1x1xf64>, !tfx_host.closure<(tensor<1x1xf64>) -> tensor<1x1xf64>>)
  %d15 = tfx_host.apply %pullback14(%o) : !tfx_host.closure<(tensor<1x1xf64>) -> tensor<1x1xf64>>
  tfx_host.print "second_product: {}"(%d15) : tensor<1x1xf64>
  // Case: TensorFlow, gradients_test.cc, UnreachableEdgeGradOneOutput.
  // CHECK-NEXT: {{^}}one_output: {{\[\[ *}}2.5{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}3.5{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}4.5{{ *}}]]{{$}}
  %q = tfx_tensor.const dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf64>
  %r = tfx_tensor.const dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf64>
  %y16, %pullback16 = tfx_ad.vjp @one_output(%q, %r) wrt [1] : (tensor<2x3xf64>, tensor<3x1xf64>) -> (tensor<2x1xf64>, !tfx_host.closure<(tensor<2x1xf64>) -> tensor<3x1xf64>>)
  %s = tfx_tensor.const dense<[[0.5], [0.5]]> : tensor<2x1xf64>
  %d17 = tfx_host.apply %pullback16(%s) : !tfx_host.closure<(tensor<2x1xf64>) -> tensor<3x1xf64>>
  tfx_host.print "one_output: {}"(%d17) : tensor<3x1xf64>
  // Case: TensorFlow, gradients_test.cc, UnreachableEdgeGradTwoOutputs.
  // CHECK-NEXT: {{^}}two_outputs: {{\[\[ *}}{{(17\.5|17\.4999999[0-9]*|17\.5000000[0-9]*)}}{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}{{(24\.7|24\.6999999[0-9]*|24\.7000000[0-9]*)}}{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}{{(26\.8|26\.7999999[0-9]*|26\.8000000[0-9]*)}}{{ *}}]]{{$}}
  %t = tfx_tensor.const dense<[[9.0, 10.0, 11.0]]> : tensor<1x3xf64>
  %y18.0, %y18.1, %pullback18 = tfx_ad.vjp @two_outputs(%q, %r, %t) wrt [1] : (tensor<2x3xf64>, tensor<3x1xf64>, tensor<1x3xf64>) -> (tensor<2x1xf64>, tensor<3x3xf64>, !tfx_host.closure<(tensor<2x1xf64>, tensor<3x3xf64>) -> tensor<3x1xf64>>)
  %u = tfx_tensor.const dense<[[0.5, 0.5, 0.5], [0.6, 0.7, 0.8], [0.6, 0.7, 0.9]]> : tensor<3x3xf64>
  %d19 = tfx_host.apply %pullback18(%s, %u) : !tfx_host.closure<(tensor<2x1xf64>, tensor<3x3xf64>) -> tensor<3x1xf64>>
  tfx_host.print "two_outputs: {}"(%d19) : tensor<3x1xf64>
  // Case: TensorFlow, gradients_test.cc, DependentOutputs.
  // CHECK-NEXT: {{^}}dependent: 17502.0{{$}}
  %v = tfx_tensor.const dense<3.0> : tensor<f64>
  %y20.0, %y20.1, %pullback20 = tfx_ad.vjp @dependent(%v) wrt [0] : (tensor<f64>) -> (tensor<f64>, tensor<f64>, !tfx_host.closure<(tensor<f64>, tensor<f64>) -> tensor<f64>>)
  %w = tfx_tensor.const dense<1.0> : tensor<f64>
  %d21 = tfx_host.apply %pullback20(%w, %w) : !tfx_host.closure<(tensor<f64>, tensor<f64>) -> tensor<f64>>
  tfx_host.print "dependent: {}"(%d21) : tensor<f64>
  // Case: TensorFlow, gradients_test.cc, MultiOutputNodeDependentOutputs.
  // CHECK-NEXT: {{^}}dependent_three: 17610.0{{$}}
  %y22.0, %y22.1, %y22.2, %pullback22 = tfx_ad.vjp @dependent_three(%v) wrt [0] : (tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, !tfx_host.closure<(tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>>)
  %d23 = tfx_host.apply %pullback22(%w, %w, %w) : !tfx_host.closure<(tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>>
  tfx_host.print "dependent_three: {}"(%d23) : tensor<f64>
  // Case: TensorFlow, gradients_test.cc, StopGradientSingleOutputMultiEdgeTest,
  // ValidGradAllEdges.
  // CHECK-NEXT: {{^}}edges: {{\[\[ *}}15. 18.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}21. 24.{{ *}}]]{{$}}
  %y24.0, %y24.1, %y24.2, %pullback24 = tfx_ad.vjp @edges(%b) wrt [0] : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>, !tfx_host.closure<(tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>>)
  %x = tfx_tensor.const dense<[[9.0, 10.0], [11.0, 12.0]]> : tensor<2x2xf64>
  %d25 = tfx_host.apply %pullback24(%a, %d, %x) : !tfx_host.closure<(tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>>
  tfx_host.print "edges: {}"(%d25) : tensor<2x2xf64>
  // Case: TensorFlow, gradients_test.cc, StopGradientSingleOutputMultiEdgeTest,
  // StopGradFirstEdge.
  // CHECK-NEXT: {{^}}stop_first: {{\[\[ *}}14. 16.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}18. 20.{{ *}}]]{{$}}
  %y26.0, %y26.1, %y26.2, %pullback26 = tfx_ad.vjp @stop_first(%b) wrt [0] : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>, !tfx_host.closure<(tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>>)
  %d27 = tfx_host.apply %pullback26(%a, %d, %x) : !tfx_host.closure<(tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>>
  tfx_host.print "stop_first: {}"(%d27) : tensor<2x2xf64>
  // Case: TensorFlow, gradients_test.cc, StopGradientSingleOutputMultiEdgeTest,
  // StopGradSecondEdge.
  // CHECK-NEXT: {{^}}stop_second: {{\[\[ *}}10. 12.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}14. 16.{{ *}}]]{{$}}
  %y28.0, %y28.1, %y28.2, %pullback28 = tfx_ad.vjp @stop_second(%b) wrt [0] : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>, !tfx_host.closure<(tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>>)
  %d29 = tfx_host.apply %pullback28(%a, %d, %x) : !tfx_host.closure<(tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>>
  tfx_host.print "stop_second: {}"(%d29) : tensor<2x2xf64>
  // Case: TensorFlow, gradients_test.cc, StopGradientSingleOutputMultiEdgeTest,
  // StopGradThirdEdge.
  // CHECK-NEXT: {{^}}stop_third: {{\[\[ *}}6. 8.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}10. 12.{{ *}}]]{{$}}
  %y30.0, %y30.1, %y30.2, %pullback30 = tfx_ad.vjp @stop_third(%b) wrt [0] : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>, !tfx_host.closure<(tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>>)
  %d31 = tfx_host.apply %pullback30(%a, %d, %x) : !tfx_host.closure<(tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>>
  tfx_host.print "stop_third: {}"(%d31) : tensor<2x2xf64>
  // Case: TensorFlow, gradients_test.cc, StopGradientSingleOutputMultiEdgeTest,
  // StopGradFirstAndSecondEdges.
  // CHECK-NEXT: {{^}}stop_first_second: {{\[\[ *}}9. 10.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}11. 12.{{ *}}]]{{$}}
  %y32.0, %y32.1, %y32.2, %pullback32 = tfx_ad.vjp @stop_first_second(%b) wrt [0] : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>, !tfx_host.closure<(tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>>)
  %d33 = tfx_host.apply %pullback32(%a, %d, %x) : !tfx_host.closure<(tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>>
  tfx_host.print "stop_first_second: {}"(%d33) : tensor<2x2xf64>
  // Case: TensorFlow, gradients_test.cc, StopGradientSingleOutputMultiEdgeTest, StopGradAllEdges,
  // where no gradient is zero.
  // CHECK-NEXT: {{^}}stop_all: {{\[\[ *}}0. 0.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}0. 0.{{ *}}]]{{$}}
  %y34.0, %y34.1, %y34.2, %pullback34 = tfx_ad.vjp @stop_all(%b) wrt [0] : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>, !tfx_host.closure<(tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>>)
  %d35 = tfx_host.apply %pullback34(%a, %d, %x) : !tfx_host.closure<(tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>>
  tfx_host.print "stop_all: {}"(%d35) : tensor<2x2xf64>
  // Case: TensorFlow, gradients_test.cc, StopGradientMultiOutputTest, StopGradFirstOutput.
  // CHECK-NEXT: {{^}}stop_output: {{\[\[ *}}0. 0.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}9. 10.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}17. 18.{{ *}}]]{{$}}
  %y36.0, %y36.1, %y36.2, %pullback36 = tfx_ad.vjp @stop_output(%k) wrt [0] : (tensor<3x2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, !tfx_host.closure<(tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<3x2xf64>>)
  %y = tfx_tensor.const dense<[1.0, 2.0]> : tensor<2xf64>
  %z = tfx_tensor.const dense<[9.0, 10.0]> : tensor<2xf64>
  %t1 = tfx_tensor.const dense<[17.0, 18.0]> : tensor<2xf64>
  %d37 = tfx_host.apply %pullback36(%y, %z, %t1) : !tfx_host.closure<(tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<3x2xf64>>
  tfx_host.print "stop_output: {}"(%d37) : tensor<3x2xf64>
  // Case: TensorFlow, while_gradients_test.cc, Basic.
  // CHECK-NEXT: {{^}}while_basic 1: 1.0{{$}}
  %d38 = tfx_ad.gradient @while_basic(%one) wrt [0] : (f64) -> f64
  tfx_host.print "while_basic 1: {}"(%d38) : f64
  // CHECK-NEXT: {{^}}while_basic 11: 1.0{{$}}
  %d39 = tfx_ad.gradient @while_basic(%c11) wrt [0] : (f64) -> f64
  tfx_host.print "while_basic 11: {}"(%d39) : f64
  // Case: TensorFlow, while_gradients_test.cc, MultipleLoopVars.
  // CHECK-NEXT: {{^}}while_vars 0 1 2: 1.0 5.0 1.0{{$}}
  %y40.0, %y40.1, %y40.2, %pullback40 = tfx_ad.vjp @while_vars(%zero, %one, %two) wrt [0, 1, 2] : (f64, f64, f64) -> (f64, f64, f64, !tfx_host.closure<(f64, f64, f64) -> (f64, f64, f64)>)
  %d41.0, %d41.1, %d41.2 = tfx_host.apply %pullback40(%one, %one, %one) : !tfx_host.closure<(f64, f64, f64) -> (f64, f64, f64)>
  tfx_host.print "while_vars 0 1 2: {} {} {}"(%d41.0, %d41.1, %d41.2) : f64, f64, f64
  // CHECK-NEXT: {{^}}while_vars 1 1 0: 1.0 5.0 1.0{{$}}
  %y42.0, %y42.1, %y42.2, %pullback42 = tfx_ad.vjp @while_vars(%one, %one, %zero) wrt [0, 1, 2] : (f64, f64, f64) -> (f64, f64, f64, !tfx_host.closure<(f64, f64, f64) -> (f64, f64, f64)>)
  %d43.0, %d43.1, %d43.2 = tfx_host.apply %pullback42(%one, %one, %one) : !tfx_host.closure<(f64, f64, f64) -> (f64, f64, f64)>
  tfx_host.print "while_vars 1 1 0: {} {} {}"(%d43.0, %d43.1, %d43.2) : f64, f64, f64
  // CHECK-NEXT: {{^}}while_vars 0 0 0: 1.0 6.0 1.0{{$}}
  %y44.0, %y44.1, %y44.2, %pullback44 = tfx_ad.vjp @while_vars(%zero, %zero, %zero) wrt [0, 1, 2] : (f64, f64, f64) -> (f64, f64, f64, !tfx_host.closure<(f64, f64, f64) -> (f64, f64, f64)>)
  %d45.0, %d45.1, %d45.2 = tfx_host.apply %pullback44(%one, %one, %one) : !tfx_host.closure<(f64, f64, f64) -> (f64, f64, f64)>
  tfx_host.print "while_vars 0 0 0: {} {} {}"(%d45.0, %d45.1, %d45.2) : f64, f64, f64
  // Case: TensorFlow, while_gradients_test.cc, Chaining.
  // CHECK-NEXT: {{^}}while_chaining 1: -2.0 2.0{{$}}
  %y46.0, %y46.1, %pullback46 = tfx_ad.vjp @while_chaining(%one, %one) wrt [0, 1] : (f64, f64) -> (f64, f64, !tfx_host.closure<(f64, f64) -> (f64, f64)>)
  %d47.0, %d47.1 = tfx_host.apply %pullback46(%one, %one) : !tfx_host.closure<(f64, f64) -> (f64, f64)>
  tfx_host.print "while_chaining 1: {} {}"(%d47.0, %d47.1) : f64, f64
  // CHECK-NEXT: {{^}}while_chaining 0: -2.0 2.0{{$}}
  %y48.0, %y48.1, %pullback48 = tfx_ad.vjp @while_chaining(%zero, %zero) wrt [0, 1] : (f64, f64) -> (f64, f64, !tfx_host.closure<(f64, f64) -> (f64, f64)>)
  %d49.0, %d49.1 = tfx_host.apply %pullback48(%one, %one) : !tfx_host.closure<(f64, f64) -> (f64, f64)>
  tfx_host.print "while_chaining 0: {} {}"(%d49.0, %d49.1) : f64, f64
  // Case: TensorFlow, while_gradients_test.cc, MultipleDevices.
  // CHECK-NEXT: {{^}}while_devices: 1.0 11.0{{$}}
  %y50.0, %y50.1, %pullback50 = tfx_ad.vjp @while_devices(%zero, %one) wrt [0, 1] : (f64, f64) -> (f64, f64, !tfx_host.closure<(f64, f64) -> (f64, f64)>)
  %d51.0, %d51.1 = tfx_host.apply %pullback50(%one, %one) : !tfx_host.closure<(f64, f64) -> (f64, f64)>
  tfx_host.print "while_devices: {} {}"(%d51.0, %d51.1) : f64, f64
  // Case: TensorFlow, math_grad_test.cc, MathGradTest, MatMulGrad_TransposeX.
  // CHECK-NEXT: {{^}}matmul_tx: {{\[\[ *}}17. 39.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}23. 53.{{ *}}]] {{\[\[ *}}7. 10.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}15. 22.{{ *}}]]{{$}}
  %y52, %pullback52 = tfx_ad.vjp @matmul_tx(%a, %d) wrt [0, 1] : (tensor<2x2xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, !tfx_host.closure<(tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)>)
  %d53.0, %d53.1 = tfx_host.apply %pullback52(%a) : !tfx_host.closure<(tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)>
  tfx_host.print "matmul_tx: {} {}"(%d53.0, %d53.1) : tensor<2x2xf64>, tensor<2x2xf64>
  // Case: TensorFlow, math_grad_test.cc, MathGradTest, MatMulGrad_TransposeY.
  // CHECK-NEXT: {{^}}matmul_ty: {{\[\[ *}}19. 22.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}43. 50.{{ *}}]] {{\[\[ *}}10. 14.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}14. 20.{{ *}}]]{{$}}
  %y54, %pullback54 = tfx_ad.vjp @matmul_ty(%a, %d) wrt [0, 1] : (tensor<2x2xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, !tfx_host.closure<(tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)>)
  %d55.0, %d55.1 = tfx_host.apply %pullback54(%a) : !tfx_host.closure<(tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)>
  tfx_host.print "matmul_ty: {} {}"(%d55.0, %d55.1) : tensor<2x2xf64>, tensor<2x2xf64>
  // Case: TensorFlow, math_grad_test.cc, MathGradTest, MatMulGrad_TransposeX_TransposeY.
  // CHECK-NEXT: {{^}}matmul_txy: {{\[\[ *}}19. 43.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}22. 50.{{ *}}]] {{\[\[ *}}7. 15.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}10. 22.{{ *}}]]{{$}}
  %y56, %pullback56 = tfx_ad.vjp @matmul_txy(%a, %d) wrt [0, 1] : (tensor<2x2xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, !tfx_host.closure<(tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)>)
  %d57.0, %d57.1 = tfx_host.apply %pullback56(%a) : !tfx_host.closure<(tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)>
  tfx_host.print "matmul_txy: {} {}"(%d57.0, %d57.1) : tensor<2x2xf64>, tensor<2x2xf64>
  // Case: TensorFlow, math_grad_test.cc, NaryGradTest, Sum.
  // CHECK-NEXT: {{^}}sum_rows: {{\[\[ *}}1. 1. 1.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}2. 2. 2.{{ *}}]]{{$}}
  %t2 = tfx_tensor.const dense<[[0.5, 0.7, 0.2], [1.0, 1.5, -2.8]]> : tensor<2x3xf64>
  %y58, %pullback58 = tfx_ad.vjp @sum_rows(%t2) wrt [0] : (tensor<2x3xf64>) -> (tensor<2xf64>, !tfx_host.closure<(tensor<2xf64>) -> tensor<2x3xf64>>)
  %d59 = tfx_host.apply %pullback58(%y) : !tfx_host.closure<(tensor<2xf64>) -> tensor<2x3xf64>>
  tfx_host.print "sum_rows: {}"(%d59) : tensor<2x3xf64>
  // Case: TensorFlow, math_grad_test.cc, NaryGradTest, Mean.
  // CHECK-NEXT: {{^}}mean_rows: {{\[\[ *}}1. 1. 1.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}2. 2. 2.{{ *}}]]{{$}}
  %y60, %pullback60 = tfx_ad.vjp @mean_rows(%t2) wrt [0] : (tensor<2x3xf64>) -> (tensor<2xf64>, !tfx_host.closure<(tensor<2xf64>) -> tensor<2x3xf64>>)
  %t3 = tfx_tensor.const dense<[3.0, 6.0]> : tensor<2xf64>
  %d61 = tfx_host.apply %pullback60(%t3) : !tfx_host.closure<(tensor<2xf64>) -> tensor<2x3xf64>>
  tfx_host.print "mean_rows: {}"(%d61) : tensor<2x3xf64>
  // Case: TensorFlow, math_grad_test.cc, NaryGradTest, Min.
  // CHECK-NEXT: {{^}}min_rows: {{\[\[ *}}0. 0. 1.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}0. 0. 2.{{ *}}]]{{$}}
  %y62, %pullback62 = tfx_ad.vjp @min_rows(%t2) wrt [0] : (tensor<2x3xf64>) -> (tensor<2xf64>, !tfx_host.closure<(tensor<2xf64>) -> tensor<2x3xf64>>)
  %d63 = tfx_host.apply %pullback62(%y) : !tfx_host.closure<(tensor<2xf64>) -> tensor<2x3xf64>>
  tfx_host.print "min_rows: {}"(%d63) : tensor<2x3xf64>
  // Case: TensorFlow, math_grad_test.cc, NaryGradTest, Max.
  // CHECK-NEXT: {{^}}max_rows: {{\[\[ *}}0. 1. 0.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}0. 2. 0.{{ *}}]]{{$}}
  %y64, %pullback64 = tfx_ad.vjp @max_rows(%t2) wrt [0] : (tensor<2x3xf64>) -> (tensor<2xf64>, !tfx_host.closure<(tensor<2xf64>) -> tensor<2x3xf64>>)
  %d65 = tfx_host.apply %pullback64(%y) : !tfx_host.closure<(tensor<2xf64>) -> tensor<2x3xf64>>
  tfx_host.print "max_rows: {}"(%d65) : tensor<2x3xf64>
  // Case: TensorFlow, math_grad_test.cc, NaryGradTest, Add, with a broadcast.
  // CHECK-NEXT: {{^}}broadcast_add: {{\[\[ *}}1. 2. 3.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}4. 5. 6.{{ *}}]] {{\[\[ *}}5. 7. 9.{{ *}}]]{{$}}
  %t4 = tfx_tensor.const dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf64>
  %y66, %pullback66 = tfx_ad.vjp @broadcast_add(%q, %t4) wrt [0, 1] : (tensor<2x3xf64>, tensor<1x3xf64>) -> (tensor<2x3xf64>, !tfx_host.closure<(tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<1x3xf64>)>)
  %d67.0, %d67.1 = tfx_host.apply %pullback66(%q) : !tfx_host.closure<(tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<1x3xf64>)>
  tfx_host.print "broadcast_add: {} {}"(%d67.0, %d67.1) : tensor<2x3xf64>, tensor<1x3xf64>
  // Case: TensorFlow, math_grad_test.cc, NaryGradTest, Mul, with a broadcast.
  // CHECK-NEXT: {{^}}broadcast_mul: {{\[\[ *}}2. 2. 2.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}3. 3. 3.{{ *}}]] {{\[\[ *}}6.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}15.{{ *}}]]{{$}}
  %t5 = tfx_tensor.const dense<[[2.0], [3.0]]> : tensor<2x1xf64>
  %y68, %pullback68 = tfx_ad.vjp @broadcast_mul(%q, %t5) wrt [0, 1] : (tensor<2x3xf64>, tensor<2x1xf64>) -> (tensor<2x3xf64>, !tfx_host.closure<(tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x1xf64>)>)
  %t6 = tfx_tensor.const dense<[[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]> : tensor<2x3xf64>
  %d69.0, %d69.1 = tfx_host.apply %pullback68(%t6) : !tfx_host.closure<(tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x1xf64>)>
  tfx_host.print "broadcast_mul: {} {}"(%d69.0, %d69.1) : tensor<2x3xf64>, tensor<2x1xf64>
  // Case: TensorFlow, math_grad_test.cc, NaryGradTest, SquaredDifference.
  // CHECK-NEXT: {{^}}squared_difference: {{\[\[ *}}0. 2. 4.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}6. 8. 10.{{ *}}]] {{\[\[ *}}-6. -10. -14.{{ *}}]]{{$}}
  %t7 = tfx_tensor.const dense<[[1.0, 1.0, 1.0]]> : tensor<1x3xf64>
  %y70, %pullback70 = tfx_ad.vjp @squared_difference(%q, %t7) wrt [0, 1] : (tensor<2x3xf64>, tensor<1x3xf64>) -> (tensor<2x3xf64>, !tfx_host.closure<(tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<1x3xf64>)>)
  %d71.0, %d71.1 = tfx_host.apply %pullback70(%t6) : !tfx_host.closure<(tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<1x3xf64>)>
  tfx_host.print "squared_difference: {} {}"(%d71.0, %d71.1) : tensor<2x3xf64>, tensor<1x3xf64>
  // Case: TensorFlow, math_grad_test.cc, NaryGradTest, AddN.
  // CHECK-NEXT: {{^}}add_n: {{\[ *}}7. 8.{{ *}}] {{\[ *}}7. 8.{{ *}}] {{\[ *}}7. 8.{{ *}}]{{$}}
  %t8 = tfx_tensor.const dense<[3.0, 4.0]> : tensor<2xf64>
  %t9 = tfx_tensor.const dense<[5.0, 6.0]> : tensor<2xf64>
  %y72, %pullback72 = tfx_ad.vjp @add_n(%y, %t8, %t9) wrt [0, 1, 2] : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, !tfx_host.closure<(tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>)>)
  %t10 = tfx_tensor.const dense<[7.0, 8.0]> : tensor<2xf64>
  %d73.0, %d73.1, %d73.2 = tfx_host.apply %pullback72(%t10) : !tfx_host.closure<(tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>)>
  tfx_host.print "add_n: {} {} {}"(%d73.0, %d73.1, %d73.2) : tensor<2xf64>, tensor<2xf64>, tensor<2xf64>
  // Case: TensorFlow, math_grad_test.cc, NaryGradTest, Sub, with a broadcast.
  // CHECK-NEXT: {{^}}broadcast_sub: {{\[\[ *}}1. 2. 3.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}4. 5. 6.{{ *}}]] {{\[ *}}-5. -7. -9.{{ *}}]{{$}}
  %t11 = tfx_tensor.const dense<[1.0, 2.0, 3.0]> : tensor<3xf64>
  %y74, %pullback74 = tfx_ad.vjp @broadcast_sub(%q, %t11) wrt [0, 1] : (tensor<2x3xf64>, tensor<3xf64>) -> (tensor<2x3xf64>, !tfx_host.closure<(tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<3xf64>)>)
  %d75.0, %d75.1 = tfx_host.apply %pullback74(%q) : !tfx_host.closure<(tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<3xf64>)>
  tfx_host.print "broadcast_sub: {} {}"(%d75.0, %d75.1) : tensor<2x3xf64>, tensor<3xf64>
  // Case: TensorFlow, math_grad_test.cc, NaryGradTest, Div.
  // CHECK-NEXT: {{^}}div: {{\[ *}}1. 1. 3.{{ *}}]{{$}}
  %t12 = tfx_tensor.const dense<[1.0, -3.0, 0.0]> : tensor<3xf64>
  %y76, %pullback76 = tfx_ad.vjp @div(%t12) wrt [0] : (tensor<3xf64>) -> (tensor<3xf64>, !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>)
  %t13 = tfx_tensor.const dense<[4.0, 16.0, 3.0]> : tensor<3xf64>
  %d77 = tfx_host.apply %pullback76(%t13) : !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>
  tfx_host.print "div: {}"(%d77) : tensor<3xf64>
  // Case: TensorFlow, math_grad_test.cc, NaryGradTest, MinMulti.
  // CHECK-NEXT: {{^}}min_multi: {{\[ *}}{{(1\.0?|0\.999999999[0-9]*|1\.00000000[0-9]*)}}{{ *}}]{{$}}
  %t14 = tfx_tensor.const dense<[2.0]> : tensor<1xf64>
  %d78 = tfx_ad.gradient @min_multi(%t14) wrt [0] : (tensor<1xf64>) -> tensor<1xf64>
  tfx_host.print "min_multi: {}"(%d78) : tensor<1xf64>
  // Case: TensorFlow, math_grad_test.cc, NaryGradTest, MaxMulti.
  // CHECK-NEXT: {{^}}max_multi: {{\[ *}}{{(1\.0?|0\.999999999[0-9]*|1\.00000000[0-9]*)}}{{ *}}]{{$}}
  %d79 = tfx_ad.gradient @max_multi(%t14) wrt [0] : (tensor<1xf64>) -> tensor<1xf64>
  tfx_host.print "max_multi: {}"(%d79) : tensor<1xf64>
  // Case: TensorFlow, math_grad_test.cc, NaryGradTest, Maximum.
  // CHECK-NEXT: {{^}}maximum: {{\[ *}}0. 2. 0.{{ *}}] {{\[ *}}1. 0. 3.{{ *}}]{{$}}
  %t15 = tfx_tensor.const dense<[1.0, 5.0, 3.0]> : tensor<3xf64>
  %t16 = tfx_tensor.const dense<[2.0, 4.0, 6.0]> : tensor<3xf64>
  %y80, %pullback80 = tfx_ad.vjp @maximum(%t15, %t16) wrt [0, 1] : (tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, !tfx_host.closure<(tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)>)
  %d81.0, %d81.1 = tfx_host.apply %pullback80(%t11) : !tfx_host.closure<(tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)>
  tfx_host.print "maximum: {} {}"(%d81.0, %d81.1) : tensor<3xf64>, tensor<3xf64>
  // Case: TensorFlow, math_grad_test.cc, NaryGradTest, Minimum.
  // CHECK-NEXT: {{^}}minimum: {{\[ *}}1. 0. 3.{{ *}}] {{\[ *}}0. 2. 0.{{ *}}]{{$}}
  %y82, %pullback82 = tfx_ad.vjp @minimum(%t15, %t16) wrt [0, 1] : (tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, !tfx_host.closure<(tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)>)
  %d83.0, %d83.1 = tfx_host.apply %pullback82(%t11) : !tfx_host.closure<(tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)>
  tfx_host.print "minimum: {} {}"(%d83.0, %d83.1) : tensor<3xf64>, tensor<3xf64>
  // Case: TensorFlow, nn_grad_test.cc, SoftmaxGrad.
  // CHECK-NEXT: {{^}}softmax: {{\[\[ *}}{{0\.0819250690[0-9]*}} -{{0\.0220330445[0-9]*}} -{{0\.0598920245[0-9]*}}{{ *}}]]{{$}}
  %t17 = tfx_tensor.const dense<[[0.0, 1.0, 2.0]]> : tensor<1x3xf64>
  %y84, %pullback84 = tfx_ad.vjp @softmax(%t17) wrt [0] : (tensor<1x3xf64>) -> (tensor<1x3xf64>, !tfx_host.closure<(tensor<1x3xf64>) -> tensor<1x3xf64>>)
  %t18 = tfx_tensor.const dense<[[1.0, 0.0, 0.0]]> : tensor<1x3xf64>
  %d85 = tfx_host.apply %pullback84(%t18) : !tfx_host.closure<(tensor<1x3xf64>) -> tensor<1x3xf64>>
  tfx_host.print "softmax: {}"(%d85) : tensor<1x3xf64>
  // Case: TensorFlow, nn_grad_test.cc, LogSoftmaxGrad.
  // CHECK-NEXT: {{^}}log_softmax: {{\[\[ *}}{{0\.909969426[0-9]*}} -{{0\.244728471[0-9]*}} -{{0\.665240955[0-9]*}}{{ *}}]]{{$}}
  %y86, %pullback86 = tfx_ad.vjp @log_softmax(%t17) wrt [0] : (tensor<1x3xf64>) -> (tensor<1x3xf64>, !tfx_host.closure<(tensor<1x3xf64>) -> tensor<1x3xf64>>)
  %d87 = tfx_host.apply %pullback86(%t18) : !tfx_host.closure<(tensor<1x3xf64>) -> tensor<1x3xf64>>
  tfx_host.print "log_softmax: {}"(%d87) : tensor<1x3xf64>
  // Case: TensorFlow, nn_grad_test.cc, L2LossGrad.
  // CHECK-NEXT: {{^}}l2_loss: {{\[ *}}1. -2. 3. 0.5{{ *}}]{{$}}
  %t19 = tfx_tensor.const dense<[1.0, -2.0, 3.0, 0.5]> : tensor<4xf64>
  %d88 = tfx_ad.gradient @l2_loss(%t19) wrt [0] : (tensor<4xf64>) -> tensor<4xf64>
  tfx_host.print "l2_loss: {}"(%d88) : tensor<4xf64>
  // Case: TensorFlow, nn_grad_test.cc, ReluGrad.
  // CHECK-NEXT: {{^}}relu: {{\[ *}}0. 2. 0. 4.{{ *}}]{{$}}
  %t20 = tfx_tensor.const dense<[-1.0, 2.0, -0.5, 3.0]> : tensor<4xf64>
  %y89, %pullback89 = tfx_ad.vjp @relu(%t20) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %t21 = tfx_tensor.const dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf64>
  %d90 = tfx_host.apply %pullback89(%t21) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "relu: {}"(%d90) : tensor<4xf64>
  // Case: TensorFlow, nn_grad_test.cc, Relu6Grad.
  // CHECK-NEXT: {{^}}relu6: {{\[ *}}0. 2. 3. 0.{{ *}}]{{$}}
  %t22 = tfx_tensor.const dense<[-0.9, 0.5, 5.5, 6.1]> : tensor<4xf64>
  %y91, %pullback91 = tfx_ad.vjp @relu6(%t22) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d92 = tfx_host.apply %pullback91(%t21) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "relu6: {}"(%d92) : tensor<4xf64>
  // Case: TensorFlow, nn_grad_test.cc, EluGrad.
  // CHECK-NEXT: {{^}}elu: {{\[ *}}{{0\.406569659[0-9]*}} {{1\.80967483[0-9]*}} 3. 4.{{ *}}]{{$}}
  %t23 = tfx_tensor.const dense<[-0.9, -0.1, 0.3, 0.9]> : tensor<4xf64>
  %y93, %pullback93 = tfx_ad.vjp @elu(%t23) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d94 = tfx_host.apply %pullback93(%t21) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "elu: {}"(%d94) : tensor<4xf64>
  // Case: TensorFlow, nn_grad_test.cc, SeluGrad.
  // CHECK-NEXT: {{^}}selu: {{\[ *}}{{0\.714789850[0-9]*}} {{1\.59079406[0-9]*}} {{1\.05070098[0-9]*}} {{1\.05070098[0-9]*}}{{ *}}]{{$}}
  %y95, %pullback95 = tfx_ad.vjp @selu(%t23) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %t24 = tfx_tensor.const dense<[1.0, 1.0, 1.0, 1.0]> : tensor<4xf64>
  %d96 = tfx_host.apply %pullback95(%t24) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "selu: {}"(%d96) : tensor<4xf64>
  // Case: TensorFlow, nn_grad_test.cc, BiasAddGradHelper.
  // CHECK-NEXT: {{^}}bias_add: {{\[\[ *}}1. 2. 3.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}4. 5. 6.{{ *}}]] {{\[ *}}5. 7. 9.{{ *}}]{{$}}
  %t25 = tfx_tensor.const dense<[0.0, 0.0, 0.0]> : tensor<3xf64>
  %y97, %pullback97 = tfx_ad.vjp @bias_add(%q, %t25) wrt [0, 1] : (tensor<2x3xf64>, tensor<3xf64>) -> (tensor<2x3xf64>, !tfx_host.closure<(tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<3xf64>)>)
  %d98.0, %d98.1 = tfx_host.apply %pullback97(%q) : !tfx_host.closure<(tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<3xf64>)>
  tfx_host.print "bias_add: {} {}"(%d98.0, %d98.1) : tensor<2x3xf64>, tensor<3xf64>
  // Case: TensorFlow, array_grad_test.cc, GatherNdGrad_SimpleIndexing.
  // CHECK-NEXT: {{^}}gather_nd: {{\[\[ *}}5. 0.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}0. 6.{{ *}}]]{{$}}
  %y99, %pullback99 = tfx_ad.vjp @gather_nd(%a) wrt [0] : (tensor<2x2xf64>) -> (tensor<2xf64>, !tfx_host.closure<(tensor<2xf64>) -> tensor<2x2xf64>>)
  %d100 = tfx_host.apply %pullback99(%t9) : !tfx_host.closure<(tensor<2xf64>) -> tensor<2x2xf64>>
  tfx_host.print "gather_nd: {}"(%d100) : tensor<2x2xf64>
  // Case: TensorFlow, array_grad_test.cc, GatherNdGrad_SliceIndexing.
  // CHECK-NEXT: {{^}}gather_rows: {{\[\[ *}}7. 8.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}5. 6.{{ *}}]]{{$}}
  %y101, %pullback101 = tfx_ad.vjp @gather_rows(%a) wrt [0] : (tensor<2x2xf64>) -> (tensor<2x2xf64>, !tfx_host.closure<(tensor<2x2xf64>) -> tensor<2x2xf64>>)
  %d102 = tfx_host.apply %pullback101(%d) : !tfx_host.closure<(tensor<2x2xf64>) -> tensor<2x2xf64>>
  tfx_host.print "gather_rows: {}"(%d102) : tensor<2x2xf64>
  // Case: TensorFlow, array_grad_test.cc, StackGrad_Axis1.
  // CHECK-NEXT: {{^}}stack1: {{\[ *}}5. 7.{{ *}}] {{\[ *}}6. 8.{{ *}}]{{$}}
  %y103, %pullback103 = tfx_ad.vjp @stack1(%y, %t8) wrt [0, 1] : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2x2xf64>, !tfx_host.closure<(tensor<2x2xf64>) -> (tensor<2xf64>, tensor<2xf64>)>)
  %d104.0, %d104.1 = tfx_host.apply %pullback103(%d) : !tfx_host.closure<(tensor<2x2xf64>) -> (tensor<2xf64>, tensor<2xf64>)>
  tfx_host.print "stack1: {} {}"(%d104.0, %d104.1) : tensor<2xf64>, tensor<2xf64>
  // Case: TensorFlow, array_grad_test.cc, SplitGrad.
  // CHECK-NEXT: {{^}}split: {{\[\[ *}}5. 7.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}6. 8.{{ *}}]]{{$}}
  %y105.0, %y105.1, %pullback105 = tfx_ad.vjp @split(%a) wrt [0] : (tensor<2x2xf64>) -> (tensor<2x1xf64>, tensor<2x1xf64>, !tfx_host.closure<(tensor<2x1xf64>, tensor<2x1xf64>) -> tensor<2x2xf64>>)
  %t26 = tfx_tensor.const dense<[[5.0], [6.0]]> : tensor<2x1xf64>
  %t27 = tfx_tensor.const dense<[[7.0], [8.0]]> : tensor<2x1xf64>
  %d106 = tfx_host.apply %pullback105(%t26, %t27) : !tfx_host.closure<(tensor<2x1xf64>, tensor<2x1xf64>) -> tensor<2x2xf64>>
  tfx_host.print "split: {}"(%d106) : tensor<2x2xf64>
  // Case: TensorFlow, array_grad_test.cc, MatrixBandPartGrad.
  // CHECK-NEXT: {{^}}band: {{\[\[ *}}1. 2. 3. 0.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}5. 6. 7. 8.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}0. 1. 2. 3.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}0. 0. 6. 7.{{ *}}]]{{$}}
  %t28 = tfx_tensor.const dense<[[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]> : tensor<4x4xf64>
  %y107, %pullback107 = tfx_ad.vjp @band(%t28) wrt [0] : (tensor<4x4xf64>) -> (tensor<4x4xf64>, !tfx_host.closure<(tensor<4x4xf64>) -> tensor<4x4xf64>>)
  %t29 = tfx_tensor.const dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]]> : tensor<4x4xf64>
  %d108 = tfx_host.apply %pullback107(%t29) : !tfx_host.closure<(tensor<4x4xf64>) -> tensor<4x4xf64>>
  tfx_host.print "band: {}"(%d108) : tensor<4x4xf64>
  // Case: TensorFlow, array_grad_test.cc, ReshapeGrad.
  // CHECK-NEXT: {{^}}reshape: {{\[\[ *}}1. 2. 3.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}4. 5. 6.{{ *}}]]{{$}}
  %t30 = tfx_tensor.const dense<[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]> : tensor<2x3xf64>
  %y109, %pullback109 = tfx_ad.vjp @reshape(%t30) wrt [0] : (tensor<2x3xf64>) -> (tensor<3x2xf64>, !tfx_host.closure<(tensor<3x2xf64>) -> tensor<2x3xf64>>)
  %t31 = tfx_tensor.const dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf64>
  %d110 = tfx_host.apply %pullback109(%t31) : !tfx_host.closure<(tensor<3x2xf64>) -> tensor<2x3xf64>>
  tfx_host.print "reshape: {}"(%d110) : tensor<2x3xf64>
  // Case: TensorFlow, array_grad_test.cc, ExpandDimsGrad.
  // CHECK-NEXT: {{^}}expand: {{\[ *}}3. 4.{{ *}}]{{$}}
  %y111, %pullback111 = tfx_ad.vjp @expand(%y) wrt [0] : (tensor<2xf64>) -> (tensor<1x2xf64>, !tfx_host.closure<(tensor<1x2xf64>) -> tensor<2xf64>>)
  %t32 = tfx_tensor.const dense<[[3.0, 4.0]]> : tensor<1x2xf64>
  %d112 = tfx_host.apply %pullback111(%t32) : !tfx_host.closure<(tensor<1x2xf64>) -> tensor<2xf64>>
  tfx_host.print "expand: {}"(%d112) : tensor<2xf64>
  // Case: TensorFlow, array_grad_test.cc, SqueezeGrad.
  // CHECK-NEXT: {{^}}squeeze: {{\[ *}}1. 2.{{ *}}] {{\[ *}}3. 4.{{ *}}]{{$}}
  %t33 = tfx_tensor.const dense<[[[1.0], [2.0]]]> : tensor<1x2x1xf64>
  %t34 = tfx_tensor.const dense<[[[3.0], [4.0]]]> : tensor<1x2x1xf64>
  %y113, %t114 = tfx_ad.jvp @squeeze(%t33) tangents(%t34 : tensor<1x2x1xf64>) wrt [0] : (tensor<1x2x1xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  tfx_host.print "squeeze: {} {}"(%y113, %t114) : tensor<2xf64>, tensor<2xf64>
  // Case: TensorFlow, array_grad_test.cc, TransposeGrad.
  // CHECK-NEXT: {{^}}transpose: {{\[\[ *}}1. 3. 5.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}2. 4. 6.{{ *}}]]{{$}}
  %y115, %pullback115 = tfx_ad.vjp @transpose(%t30) wrt [0] : (tensor<2x3xf64>) -> (tensor<3x2xf64>, !tfx_host.closure<(tensor<3x2xf64>) -> tensor<2x3xf64>>)
  %d116 = tfx_host.apply %pullback115(%t31) : !tfx_host.closure<(tensor<3x2xf64>) -> tensor<2x3xf64>>
  tfx_host.print "transpose: {}"(%d116) : tensor<2x3xf64>
  // Case: TensorFlow, array_grad_test.cc, ReverseSequenceGrad.
  // CHECK-NEXT: {{^}}reverse_sequence: {{\[\[ *}}2. 1. 3.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}6. 5. 4.{{ *}}]]{{$}}
  %y117, %pullback117 = tfx_ad.vjp @reverse_sequence(%t30) wrt [0] : (tensor<2x3xf64>) -> (tensor<2x3xf64>, !tfx_host.closure<(tensor<2x3xf64>) -> tensor<2x3xf64>>)
  %d118 = tfx_host.apply %pullback117(%q) : !tfx_host.closure<(tensor<2x3xf64>) -> tensor<2x3xf64>>
  tfx_host.print "reverse_sequence: {}"(%d118) : tensor<2x3xf64>
  // Case: TensorFlow, array_grad_test.cc, ReverseGrad.
  // CHECK-NEXT: {{^}}reverse: {{\[\[ *}}4. 3.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}2. 1.{{ *}}]]{{$}}
  %t35 = tfx_tensor.const dense<[[0.0, 0.0], [0.0, 0.0]]> : tensor<2x2xf64>
  %y119, %pullback119 = tfx_ad.vjp @reverse(%t35) wrt [0] : (tensor<2x2xf64>) -> (tensor<2x2xf64>, !tfx_host.closure<(tensor<2x2xf64>) -> tensor<2x2xf64>>)
  %d120 = tfx_host.apply %pullback119(%a) : !tfx_host.closure<(tensor<2x2xf64>) -> tensor<2x2xf64>>
  tfx_host.print "reverse: {}"(%d120) : tensor<2x2xf64>
  return
}
