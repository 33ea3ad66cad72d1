// Maps, reductions, scans, gathers, scatters, histograms and rearrangements of arrays.
// Futhark, tests/ad. A case names its file. Arrays are tensors of f64. A row of a Jacobian is a
// pullback, a column is a tangent.
//
// RUN: tfxc run %s | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow | FileCheck %s %}

func.func private @map0(%xs: tensor<3xf64>, %ys: tensor<3xf64>) -> tensor<3xf64> {
  %p = tfx_tensor.op "Mul"(%xs, %ys) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %p : tensor<3xf64>
}

// The tensor of a scalar is broadcast.
func.func private @map2(%c: f64, %xs: tensor<3xf64>) -> tensor<3xf64> {
  %t = tfx_tensor.from_scalar %c : f64
  %p = tfx_tensor.op "Mul"(%xs, %t) : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
  return %p : tensor<3xf64>
}
func.func private @map4(%xs: tensor<3xf64>) -> tensor<3x3xf64> {
  %s = tfx_tensor.const dense<[3, 1]> : tensor<2xi32>
  %column = tfx_tensor.op "Reshape"(%xs, %s) : (tensor<3xf64>, tensor<2xi32>) -> tensor<3x1xf64>
  %y = tfx_tensor.op "AddV2"(%column, %xs) : (tensor<3x1xf64>, tensor<3xf64>) -> tensor<3x3xf64>
  return %y : tensor<3x3xf64>
}
func.func private @fwd_map0(%x: f64) -> tensor<3xf64> {
  %numbers = tfx_tensor.const dense<[0.0, 1.0, 2.0]> : tensor<3xf64>
  %xx = arith.mulf %x, %x : f64
  %t = tfx_tensor.from_scalar %xx : f64
  %y = tfx_tensor.op "Mul"(%numbers, %t) : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

// Sums of products of neighbours: the parameter is active twice in each product.
func.func private @map7(%x: tensor<8xf64>) -> tensor<4xf64> {
  %n0 = arith.constant 0 : i64
  %n4 = arith.constant 4 : i64
  %n1 = arith.constant 1 : i64
  cf.br ^head(%n0 : i64)
^head(%k: i64):
  %empty = tfx_tensor.const dense<[0.0, 0.0, 0.0, 0.0]> : tensor<4xf64>
  cf.br ^loop(%k, %empty : i64, tensor<4xf64>)
^loop(%i: i64, %r: tensor<4xf64>):
  %more = arith.cmpi slt, %i, %n4 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %at = tfx_tensor.from_scalar %i : i64
  %shape = tfx_tensor.const dense<[1]> : tensor<1xi32>
  %begin = tfx_tensor.op "Reshape"(%at, %shape) : (tensor<i64>, tensor<1xi32>) -> tensor<1xi64>
  %size = tfx_tensor.const dense<4> : tensor<1xi64>
  %row = tfx_tensor.op "Slice"(%x, %begin, %size) : (tensor<8xf64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xf64>
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %a = tfx_tensor.const dense<[4]> : tensor<1xi32>
  %first = tfx_tensor.op "Slice"(%x, %axes, %a) : (tensor<8xf64>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xf64>
  %b = tfx_tensor.const dense<[1]> : tensor<1xi32>
  %c = tfx_tensor.const dense<[4]> : tensor<1xi32>
  %second = tfx_tensor.op "Slice"(%x, %b, %c) : (tensor<8xf64>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xf64>
  %p = tfx_tensor.op "Mul"(%row, %first) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %q = tfx_tensor.op "Mul"(%row, %second) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %d = tfx_tensor.op "Sub"(%p, %q) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %e = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %s = tfx_tensor.op "Sum"(%d, %e) {keep_dims = true} : (tensor<4xf64>, tensor<1xi32>) -> tensor<1xf64>
  %shape1 = tfx_tensor.const dense<[1, 1]> : tensor<2xi32>
  %index = tfx_tensor.op "Reshape"(%at, %shape1) : (tensor<i64>, tensor<2xi32>) -> tensor<1x1xi64>
  %w = tfx_tensor.op "TensorScatterUpdate"(%r, %index, %s) : (tensor<4xf64>, tensor<1x1xi64>, tensor<1xf64>) -> tensor<4xf64>
  %f = arith.addi %i, %n1 : i64
  cf.br ^loop(%f, %w : i64, tensor<4xf64>)
^end:
  return %r : tensor<4xf64>
}

func.func private @sum(%xs: tensor<6xf64>) -> tensor<f64> {
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %s = tfx_tensor.op "Sum"(%xs, %axes) : (tensor<6xf64>, tensor<1xi32>) -> tensor<f64>
  return %s : tensor<f64>
}
func.func private @product3(%xs: tensor<3xf64>) -> tensor<f64> {
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %s = tfx_tensor.op "Prod"(%xs, %axes) : (tensor<3xf64>, tensor<1xi32>) -> tensor<f64>
  return %s : tensor<f64>
}
func.func private @product4(%xs: tensor<4xf64>, %c: f64) -> f64 {
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %s = tfx_tensor.op "Prod"(%xs, %axes) : (tensor<4xf64>, tensor<1xi32>) -> tensor<f64>
  %a = tfx_tensor.to_scalar %s : tensor<f64> -> f64
  %ac = arith.mulf %a, %c : f64
  return %ac : f64
}
func.func private @product_map(%xs: tensor<4xf64>) -> tensor<4xf64> {
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %p = tfx_tensor.op "Prod"(%xs, %axes) : (tensor<4xf64>, tensor<1xi32>) -> tensor<f64>
  %y = tfx_tensor.op "Mul"(%xs, %p) : (tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @fwd_red0(%x: f64) -> f64 {
  %t = tfx_tensor.from_scalar %x : f64
  %c1 = tfx_tensor.const dense<1.0> : tensor<f64>
  %c2 = tfx_tensor.const dense<2.0> : tensor<f64>
  %c4 = tfx_tensor.const dense<4.0> : tensor<f64>
  %a = tfx_tensor.op "Pack"(%c1, %c2, %t, %c4) {axis = 0 : i64} : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<4xf64>
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %p = tfx_tensor.op "Prod"(%a, %axes) : (tensor<4xf64>, tensor<1xi32>) -> tensor<f64>
  %b = tfx_tensor.to_scalar %p : tensor<f64> -> f64
  return %b : f64
}

// The sum is used in the map whose sum is the result.
func.func private @reduce2(%xs: tensor<3xf64>) -> tensor<f64> {
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %m = tfx_tensor.op "Sum"(%xs, %axes) : (tensor<3xf64>, tensor<1xi32>) -> tensor<f64>
  %d = tfx_tensor.op "Sub"(%xs, %m) : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
  %a = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %s = tfx_tensor.op "Sum"(%d, %a) : (tensor<3xf64>, tensor<1xi32>) -> tensor<f64>
  %y = tfx_tensor.op "AddV2"(%s, %m) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
func.func private @reduce3(%a: tensor<5x2xf64>) -> tensor<2xf64> {
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %s = tfx_tensor.op "Sum"(%a, %axes) : (tensor<5x2xf64>, tensor<1xi32>) -> tensor<2xf64>
  return %s : tensor<2xf64>
}
func.func private @vec_product(%xs: tensor<2x4xf64>, %c: f64) -> tensor<4xf64> {
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %p = tfx_tensor.op "Prod"(%xs, %axes) : (tensor<2x4xf64>, tensor<1xi32>) -> tensor<4xf64>
  %t = tfx_tensor.from_scalar %c : f64
  %y = tfx_tensor.op "Mul"(%p, %t) : (tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @vec_product3(%xs: tensor<3x2x2xf64>) -> tensor<2x2xf64> {
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %p = tfx_tensor.op "Prod"(%xs, %axes) : (tensor<3x2x2xf64>, tensor<1xi32>) -> tensor<2x2xf64>
  return %p : tensor<2x2xf64>
}

// The product of matrices of two rows, as scalars.
func.func private @reduce1(%m: tensor<4x2x2xf64>) -> tensor<2x2xf64> {
  %axes = tfx_tensor.const dense<[0, 0, 0]> : tensor<3xi32>
  %e = tfx_tensor.const dense<[1, 2, 2]> : tensor<3xi32>
  %a = tfx_tensor.op "Slice"(%m, %axes, %e) : (tensor<4x2x2xf64>, tensor<3xi32>, tensor<3xi32>) -> tensor<1x2x2xf64>
  %f = tfx_tensor.const dense<[1, 0, 0]> : tensor<3xi32>
  %g = tfx_tensor.const dense<[1, 2, 2]> : tensor<3xi32>
  %b = tfx_tensor.op "Slice"(%m, %f, %g) : (tensor<4x2x2xf64>, tensor<3xi32>, tensor<3xi32>) -> tensor<1x2x2xf64>
  %h = tfx_tensor.const dense<[2, 0, 0]> : tensor<3xi32>
  %i = tfx_tensor.const dense<[1, 2, 2]> : tensor<3xi32>
  %c = tfx_tensor.op "Slice"(%m, %h, %i) : (tensor<4x2x2xf64>, tensor<3xi32>, tensor<3xi32>) -> tensor<1x2x2xf64>
  %j = tfx_tensor.const dense<[3, 0, 0]> : tensor<3xi32>
  %k = tfx_tensor.const dense<[1, 2, 2]> : tensor<3xi32>
  %d = tfx_tensor.op "Slice"(%m, %j, %k) : (tensor<4x2x2xf64>, tensor<3xi32>, tensor<3xi32>) -> tensor<1x2x2xf64>
  %ab = tfx_tensor.op "BatchMatMulV2"(%a, %b) : (tensor<1x2x2xf64>, tensor<1x2x2xf64>) -> tensor<1x2x2xf64>
  %abc = tfx_tensor.op "BatchMatMulV2"(%ab, %c) : (tensor<1x2x2xf64>, tensor<1x2x2xf64>) -> tensor<1x2x2xf64>
  %abcd = tfx_tensor.op "BatchMatMulV2"(%abc, %d) : (tensor<1x2x2xf64>, tensor<1x2x2xf64>) -> tensor<1x2x2xf64>
  %shape = tfx_tensor.const dense<[2, 2]> : tensor<2xi32>
  %y = tfx_tensor.op "Reshape"(%abcd, %shape) : (tensor<1x2x2xf64>, tensor<2xi32>) -> tensor<2x2xf64>
  return %y : tensor<2x2xf64>
}
func.func private @largest(%xs: tensor<7xf64>) -> tensor<f64> {
  %a = tfx_tensor.op "Abs"(%xs) : (tensor<7xf64>) -> tensor<7xf64>
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %m = tfx_tensor.op "Max"(%a, %axes) : (tensor<7xf64>, tensor<1xi32>) -> tensor<f64>
  return %m : tensor<f64>
}
func.func private @smallest(%xs: tensor<7xf64>) -> tensor<f64> {
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %m = tfx_tensor.op "Min"(%xs, %axes) : (tensor<7xf64>, tensor<1xi32>) -> tensor<f64>
  return %m : tensor<f64>
}
func.func private @both(%xs: tensor<7xf64>) -> (tensor<f64>, tensor<f64>) {
  %a = tfx_tensor.op "Abs"(%xs) : (tensor<7xf64>) -> tensor<7xf64>
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %m = tfx_tensor.op "Min"(%a, %axes) : (tensor<7xf64>, tensor<1xi32>) -> tensor<f64>
  %b = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %n = tfx_tensor.op "Max"(%a, %b) : (tensor<7xf64>, tensor<1xi32>) -> tensor<f64>
  return %m, %n : tensor<f64>, tensor<f64>
}

// A scan by multiplication is a loop; one by addition is an operation.
func.func private @products(%xs: tensor<5xf64>) -> tensor<5xf64> {
  %n0 = arith.constant 0 : i64
  %n5 = arith.constant 5 : i64
  %n1 = arith.constant 1 : i64
  %empty = tfx_tensor.const dense<[0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<5xf64>
  %one = tfx_tensor.const dense<1.0> : tensor<f64>
  cf.br ^head(%n0, %one, %empty : i64, tensor<f64>, tensor<5xf64>)
^head(%i: i64, %p: tensor<f64>, %r: tensor<5xf64>):
  %more = arith.cmpi slt, %i, %n5 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %at = tfx_tensor.from_scalar %i : i64
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %e = tfx_tensor.op "GatherV2"(%xs, %at, %axis) : (tensor<5xf64>, tensor<i64>, tensor<i32>) -> tensor<f64>
  %q = tfx_tensor.op "Mul"(%p, %e) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %shape1 = tfx_tensor.const dense<[1, 1]> : tensor<2xi32>
  %index = tfx_tensor.op "Reshape"(%at, %shape1) : (tensor<i64>, tensor<2xi32>) -> tensor<1x1xi64>
  %shape2 = tfx_tensor.const dense<[1]> : tensor<1xi32>
  %update = tfx_tensor.op "Reshape"(%q, %shape2) : (tensor<f64>, tensor<1xi32>) -> tensor<1xf64>
  %w = tfx_tensor.op "TensorScatterUpdate"(%r, %index, %update) : (tensor<5xf64>, tensor<1x1xi64>, tensor<1xf64>) -> tensor<5xf64>
  %a = arith.addi %i, %n1 : i64
  cf.br ^head(%a, %q, %w : i64, tensor<f64>, tensor<5xf64>)
^end:
  return %r : tensor<5xf64>
}
func.func private @sums(%xs: tensor<5xf64>) -> tensor<5xf64> {
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %s = tfx_tensor.op "Cumsum"(%xs, %axis) : (tensor<5xf64>, tensor<i32>) -> tensor<5xf64>
  return %s : tensor<5xf64>
}
func.func private @vec_sums(%xs: tensor<5x2xf64>) -> tensor<5x2xf64> {
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %s = tfx_tensor.op "Cumsum"(%xs, %axis) : (tensor<5x2xf64>, tensor<i32>) -> tensor<5x2xf64>
  return %s : tensor<5x2xf64>
}
func.func private @products_times(%xs: tensor<6xf64>) -> f64 {
  %n0 = arith.constant 0 : i64
  %one = arith.constant 1.0 : f64
  %zero = arith.constant 0.0 : f64
  %n6 = arith.constant 6 : i64
  %n1 = arith.constant 1 : i64
  cf.br ^head(%n0, %one, %zero : i64, f64, f64)
^head(%i: i64, %p: f64, %r: f64):
  %more = arith.cmpi slt, %i, %n6 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %at = tfx_tensor.from_scalar %i : i64
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %t = tfx_tensor.op "GatherV2"(%xs, %at, %axis) : (tensor<6xf64>, tensor<i64>, tensor<i32>) -> tensor<f64>
  %e = tfx_tensor.to_scalar %t : tensor<f64> -> f64
  %q = arith.mulf %p, %e : f64
  %a = arith.addi %i, %n1 : i64
  %qe = arith.mulf %q, %e : f64
  %b = arith.addf %r, %qe : f64
  cf.br ^head(%a, %q, %b : i64, f64, f64)
^end:
  return %r : f64
}

func.func private @gather(%xs: tensor<4xf64>, %at: tensor<4xi32>) -> tensor<4xf64> {
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %g = tfx_tensor.op "GatherV2"(%xs, %at, %axis) : (tensor<4xf64>, tensor<4xi32>, tensor<i32>) -> tensor<4xf64>
  return %g : tensor<4xf64>
}
func.func private @map_gather(%xs: tensor<2x2xf64>, %at: tensor<4xi32>) -> tensor<2x4xf64> {
  %axis = tfx_tensor.const dense<1> : tensor<i32>
  %g = tfx_tensor.op "GatherV2"(%xs, %at, %axis) : (tensor<2x2xf64>, tensor<4xi32>, tensor<i32>) -> tensor<2x4xf64>
  return %g : tensor<2x4xf64>
}
func.func private @gather_matrix(%xs: tensor<4xf64>, %at: tensor<2x2xi32>) -> tensor<2x2xf64> {
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %g = tfx_tensor.op "GatherV2"(%xs, %at, %axis) : (tensor<4xf64>, tensor<2x2xi32>, tensor<i32>) -> tensor<2x2xf64>
  return %g : tensor<2x2xf64>
}

// The last two buckets have no value or do not exist.
func.func private @histogram(%at: tensor<18xi32>, %vs: tensor<18xf64>, %c: tensor<8xf64>) -> tensor<8xf64> {
  %n = tfx_tensor.const dense<9> : tensor<i32>
  %h = tfx_tensor.op "UnsortedSegmentSum"(%vs, %at, %n) : (tensor<18xf64>, tensor<18xi32>, tensor<i32>) -> tensor<9xf64>
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %a = tfx_tensor.const dense<[8]> : tensor<1xi32>
  %r = tfx_tensor.op "Slice"(%h, %axes, %a) : (tensor<9xf64>, tensor<1xi32>, tensor<1xi32>) -> tensor<8xf64>
  %y = tfx_tensor.op "Mul"(%r, %c) : (tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
  return %y : tensor<8xf64>
}
func.func private @histogram_plus(%at: tensor<4xi32>, %vs: tensor<4xf64>) -> tensor<4xf64> {
  %two = tfx_tensor.const dense<2.0> : tensor<f64>
  %n = tfx_tensor.const dense<4> : tensor<i32>
  %v = tfx_tensor.op "AddV2"(%vs, %two) : (tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
  %h = tfx_tensor.op "UnsortedSegmentSum"(%v, %at, %n) : (tensor<4xf64>, tensor<4xi32>, tensor<i32>) -> tensor<4xf64>
  return %h : tensor<4xf64>
}
func.func private @scatter(%xs: tensor<4xf64>, %at: tensor<4x1xi32>, %vs: tensor<4xf64>) -> tensor<4xf64> {
  %y = tfx_tensor.op "TensorScatterUpdate"(%xs, %at, %vs) : (tensor<4xf64>, tensor<4x1xi32>, tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @scatter_two(%xs: tensor<4xf64>, %at: tensor<2x1xi32>, %vs: tensor<2xf64>) -> tensor<4xf64> {
  %y = tfx_tensor.op "TensorScatterUpdate"(%xs, %at, %vs) : (tensor<4xf64>, tensor<2x1xi32>, tensor<2xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @scatter_powers(%x: f64) -> tensor<5xf64> {
  %xx = arith.mulf %x, %x : f64
  %xxx = arith.mulf %xx, %x : f64
  %t1 = tfx_tensor.from_scalar %x : f64
  %t2 = tfx_tensor.from_scalar %xx : f64
  %t3 = tfx_tensor.from_scalar %xxx : f64
  %v = tfx_tensor.op "Pack"(%t1, %t2, %t3) {axis = 0 : i64} : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<3xf64>
  %index = tfx_tensor.const dense<[[0], [1], [2]]> : tensor<3x1xi32>
  %shape = tfx_tensor.const dense<[5]> : tensor<1xi32>
  %y = tfx_tensor.op "ScatterNd"(%index, %v, %shape) : (tensor<3x1xi32>, tensor<3xf64>, tensor<1xi32>) -> tensor<5xf64>
  return %y : tensor<5xf64>
}

// The values are added to the array, also twice to the same element.
func.func private @add_at(%xs: tensor<4xf64>, %at: tensor<4x1xi32>) -> tensor<4xf64> {
  %y = tfx_tensor.op "TensorScatterAdd"(%xs, %at, %xs) : (tensor<4xf64>, tensor<4x1xi32>, tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func private @concat(%xs: tensor<3xf64>) -> tensor<6xf64> {
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %y = tfx_tensor.op "ConcatV2"(%xs, %xs, %axis) : (tensor<3xf64>, tensor<3xf64>, tensor<i32>) -> tensor<6xf64>
  return %y : tensor<6xf64>
}
func.func private @replicate(%xs: tensor<2xf64>) -> tensor<2x2xf64> {
  %shape = tfx_tensor.const dense<[2, 2]> : tensor<2xi32>
  %y = tfx_tensor.op "BroadcastTo"(%xs, %shape) : (tensor<2xf64>, tensor<2xi32>) -> tensor<2x2xf64>
  return %y : tensor<2x2xf64>
}
func.func private @replicate2(%x: f64) -> tensor<2x3xf64> {
  %t = tfx_tensor.from_scalar %x : f64
  %shape = tfx_tensor.const dense<[2, 3]> : tensor<2xi32>
  %y = tfx_tensor.op "Fill"(%shape, %t) : (tensor<2xi32>, tensor<f64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}
func.func private @unflatten(%xs: tensor<4xf64>) -> tensor<2x2xf64> {
  %shape = tfx_tensor.const dense<[2, 2]> : tensor<2xi32>
  %y = tfx_tensor.op "Reshape"(%xs, %shape) : (tensor<4xf64>, tensor<2xi32>) -> tensor<2x2xf64>
  return %y : tensor<2x2xf64>
}
func.func private @rotate(%xs: tensor<4xf64>) -> tensor<4xf64> {
  %axes = tfx_tensor.const dense<[1]> : tensor<1xi32>
  %c = tfx_tensor.const dense<[3]> : tensor<1xi32>
  %a = tfx_tensor.op "Slice"(%xs, %axes, %c) : (tensor<4xf64>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xf64>
  %d = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %e = tfx_tensor.const dense<[1]> : tensor<1xi32>
  %b = tfx_tensor.op "Slice"(%xs, %d, %e) : (tensor<4xf64>, tensor<1xi32>, tensor<1xi32>) -> tensor<1xf64>
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %y = tfx_tensor.op "ConcatV2"(%a, %b, %axis) : (tensor<3xf64>, tensor<1xf64>, tensor<i32>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func private @transpose(%m: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %p = tfx_tensor.const dense<[1, 0]> : tensor<2xi32>
  %t = tfx_tensor.op "Transpose"(%m, %p) : (tensor<2x2xf64>, tensor<2xi32>) -> tensor<2x2xf64>
  return %t : tensor<2x2xf64>
}

// A product of matrices with sums in place of products.
func.func private @matsum(%x: tensor<2x2xf64>, %y: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %s1 = tfx_tensor.const dense<[2, 2, 1]> : tensor<3xi32>
  %s2 = tfx_tensor.const dense<[1, 2, 2]> : tensor<3xi32>
  %a = tfx_tensor.op "Reshape"(%x, %s1) : (tensor<2x2xf64>, tensor<3xi32>) -> tensor<2x2x1xf64>
  %b = tfx_tensor.op "Reshape"(%y, %s2) : (tensor<2x2xf64>, tensor<3xi32>) -> tensor<1x2x2xf64>
  %c = tfx_tensor.op "AddV2"(%a, %b) : (tensor<2x2x1xf64>, tensor<1x2x2xf64>) -> tensor<2x2x2xf64>
  %axes = tfx_tensor.const dense<[1]> : tensor<1xi32>
  %s = tfx_tensor.op "Sum"(%c, %axes) : (tensor<2x2x2xf64>, tensor<1xi32>) -> tensor<2x2xf64>
  return %s : tensor<2x2xf64>
}

func.func public @main() {
  %two = arith.constant 2.0 : f64
  %one = arith.constant 1.0 : f64
  %four = arith.constant 4.0 : f64
  %three = arith.constant 3.0 : f64
  %ten = arith.constant 10.0 : f64
  %five = arith.constant 5.0 : f64
  // Case: Futhark, map0.fut.
  // CHECK: {{^}}map0: {{\[ *}}1. 0. 0.{{ *}}] {{\[ *}}0. 2. 0.{{ *}}] {{\[ *}}0. 0. 3.{{ *}}]{{$}}
  %a = tfx_tensor.const dense<[1.0, 2.0, 3.0]> : tensor<3xf64>
  %b = tfx_tensor.const dense<[4.0, 5.0, 6.0]> : tensor<3xf64>
  %y0, %pullback0 = tfx_ad.vjp @map0(%a, %b) wrt [1] : (tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>)
  %c = tfx_tensor.const dense<[1.0, 0.0, 0.0]> : tensor<3xf64>
  %d1 = tfx_host.apply %pullback0(%c) : !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>
  %d = tfx_tensor.const dense<[0.0, 1.0, 0.0]> : tensor<3xf64>
  %d2 = tfx_host.apply %pullback0(%d) : !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>
  %e = tfx_tensor.const dense<[0.0, 0.0, 1.0]> : tensor<3xf64>
  %d3 = tfx_host.apply %pullback0(%e) : !tfx_host.closure<(tensor<3xf64>) -> tensor<3xf64>>
  tfx_host.print "map0: {} {} {}"(%d1, %d2, %d3) : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
  // CHECK-NEXT: {{^}}forward map0: {{\[ *}}4. 10. 18.{{ *}}] {{\[ *}}0. 2. 0.{{ *}}]{{$}}
  %y4, %t5 = tfx_ad.jvp @map0(%a, %b) tangents(%d : tensor<3xf64>) wrt [1] : (tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  tfx_host.print "forward map0: {} {}"(%y4, %t5) : tensor<3xf64>, tensor<3xf64>
  // Case: Futhark, map1.fut.
  // CHECK-NEXT: {{^}}map1 0: {{\[ *}}4. 10. 18.{{ *}}] {{\[ *}}5. 0. 0.{{ *}}]{{$}}
  %y6, %t7 = tfx_ad.jvp @map0(%a, %b) tangents(%c, %c : tensor<3xf64>, tensor<3xf64>) wrt [0, 1] : (tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  tfx_host.print "map1 0: {} {}"(%y6, %t7) : tensor<3xf64>, tensor<3xf64>
  // CHECK-NEXT: {{^}}map1 1: {{\[ *}}4. 10. 18.{{ *}}] {{\[ *}}0. 7. 0.{{ *}}]{{$}}
  %y8, %t9 = tfx_ad.jvp @map0(%a, %b) tangents(%d, %d : tensor<3xf64>, tensor<3xf64>) wrt [0, 1] : (tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  tfx_host.print "map1 1: {} {}"(%y8, %t9) : tensor<3xf64>, tensor<3xf64>
  // Case: Futhark, map2.fut.
  // CHECK-NEXT: {{^}}forward map2: {{\[ *}}2. 4. 6.{{ *}}] {{\[ *}}1. 2. 3.{{ *}}]{{$}}
  %y10, %t11 = tfx_ad.jvp @map2(%two, %a) tangents(%one : f64) wrt [0] : (f64, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  tfx_host.print "forward map2: {} {}"(%y10, %t11) : tensor<3xf64>, tensor<3xf64>
  // CHECK-NEXT: {{^}}map2: 1.0 2.0 3.0{{$}}
  %y12, %pullback12 = tfx_ad.vjp @map2(%two, %a) wrt [0] : (f64, tensor<3xf64>) -> (tensor<3xf64>, !tfx_host.closure<(tensor<3xf64>) -> f64>)
  %d13 = tfx_host.apply %pullback12(%c) : !tfx_host.closure<(tensor<3xf64>) -> f64>
  %d14 = tfx_host.apply %pullback12(%d) : !tfx_host.closure<(tensor<3xf64>) -> f64>
  %d15 = tfx_host.apply %pullback12(%e) : !tfx_host.closure<(tensor<3xf64>) -> f64>
  tfx_host.print "map2: {} {} {}"(%d13, %d14, %d15) : f64, f64, f64
  // Case: Futhark, map4.fut.
  // CHECK-NEXT: {{^}}map4: {{\[ *}}2. 0. 0.{{ *}}] {{\[ *}}1. 1. 0.{{ *}}] {{\[ *}}0. 1. 1.{{ *}}]{{$}}
  %y16, %pullback16 = tfx_ad.vjp @map4(%a) wrt [0] : (tensor<3xf64>) -> (tensor<3x3xf64>, !tfx_host.closure<(tensor<3x3xf64>) -> tensor<3xf64>>)
  %f = tfx_tensor.const dense<[[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]> : tensor<3x3xf64>
  %d17 = tfx_host.apply %pullback16(%f) : !tfx_host.closure<(tensor<3x3xf64>) -> tensor<3xf64>>
  %g = tfx_tensor.const dense<[[0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]> : tensor<3x3xf64>
  %d18 = tfx_host.apply %pullback16(%g) : !tfx_host.closure<(tensor<3x3xf64>) -> tensor<3xf64>>
  %h = tfx_tensor.const dense<[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]> : tensor<3x3xf64>
  %d19 = tfx_host.apply %pullback16(%h) : !tfx_host.closure<(tensor<3x3xf64>) -> tensor<3xf64>>
  tfx_host.print "map4: {} {} {}"(%d17, %d18, %d19) : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
  // Case: Futhark, fwd/map0.fut.
  // CHECK-NEXT: {{^}}fwd_map0 2: {{\[ *}}0. 4. 8.{{ *}}] {{\[ *}}0. 4. 8.{{ *}}]{{$}}
  %y20, %t21 = tfx_ad.jvp @fwd_map0(%two) tangents(%one : f64) wrt [0] : (f64) -> (tensor<3xf64>, tensor<3xf64>)
  tfx_host.print "fwd_map0 2: {} {}"(%y20, %t21) : tensor<3xf64>, tensor<3xf64>
  // CHECK-NEXT: {{^}}fwd_map0 4: {{\[ *}}0. 16. 32.{{ *}}] {{\[ *}}0. 8. 16.{{ *}}]{{$}}
  %y22, %t23 = tfx_ad.jvp @fwd_map0(%four) tangents(%one : f64) wrt [0] : (f64) -> (tensor<3xf64>, tensor<3xf64>)
  tfx_host.print "fwd_map0 4: {} {}"(%y22, %t23) : tensor<3xf64>, tensor<3xf64>
  // Case: Futhark, map7.fut.
  // CHECK-NEXT: {{^}}map7: {{\[ *}}0. 0. 0. 0. -4. 0. 0. 0.{{ *}}] {{\[ *}}2. 0. 0. 0. -6. 0. 0. 0.{{ *}}] {{\[ *}}3. 1. 0. 0. -7. -1. 0. 0.{{ *}}] {{\[ *}}4. 1. 1. 0. -8. -1. -1. 0.{{ *}}]{{$}}
  %i = tfx_tensor.const dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf64>
  %y24, %pullback24 = tfx_ad.vjp @map7(%i) wrt [0] : (tensor<8xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<8xf64>>)
  %j = tfx_tensor.const dense<[1.0, 0.0, 0.0, 0.0]> : tensor<4xf64>
  %d25 = tfx_host.apply %pullback24(%j) : !tfx_host.closure<(tensor<4xf64>) -> tensor<8xf64>>
  %k = tfx_tensor.const dense<[0.0, 1.0, 0.0, 0.0]> : tensor<4xf64>
  %d26 = tfx_host.apply %pullback24(%k) : !tfx_host.closure<(tensor<4xf64>) -> tensor<8xf64>>
  %l = tfx_tensor.const dense<[0.0, 0.0, 1.0, 0.0]> : tensor<4xf64>
  %d27 = tfx_host.apply %pullback24(%l) : !tfx_host.closure<(tensor<4xf64>) -> tensor<8xf64>>
  %m = tfx_tensor.const dense<[0.0, 0.0, 0.0, 1.0]> : tensor<4xf64>
  %d28 = tfx_host.apply %pullback24(%m) : !tfx_host.closure<(tensor<4xf64>) -> tensor<8xf64>>
  tfx_host.print "map7: {} {} {} {}"(%d25, %d26, %d27, %d28) : tensor<8xf64>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>
  // Case: Futhark, sum.fut.
  // CHECK-NEXT: {{^}}sum: {{\[ *}}1. 1. 1. 1. 1. 1.{{ *}}]{{$}}
  %n = tfx_tensor.const dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf64>
  %d29 = tfx_ad.gradient @sum(%n) wrt [0] : (tensor<6xf64>) -> tensor<6xf64>
  tfx_host.print "sum: {}"(%d29) : tensor<6xf64>
  // Case: Futhark, reduce0.fut.
  // CHECK-NEXT: {{^}}product3: {{\[ *}}6. 3. 2.{{ *}}]{{$}}
  %d30 = tfx_ad.gradient @product3(%a) wrt [0] : (tensor<3xf64>) -> tensor<3xf64>
  tfx_host.print "product3: {}"(%d30) : tensor<3xf64>
  // Case: Futhark, reducemul0.fut.
  // CHECK-NEXT: {{^}}reducemul0: {{\[ *}}0. 0. 0. 0.{{ *}}]{{$}}
  %o = tfx_tensor.const dense<[0.0, 2.0, 0.0, 4.0]> : tensor<4xf64>
  %d31 = tfx_ad.gradient @product4(%o, %one) wrt [0] : (tensor<4xf64>, f64) -> tensor<4xf64>
  tfx_host.print "reducemul0: {}"(%d31) : tensor<4xf64>
  // Case: Futhark, reducemul1.fut.
  // CHECK-NEXT: {{^}}reducemul1: {{\[ *}}0. 36. 0. 0.{{ *}}] 0.0{{$}}
  %p = tfx_tensor.const dense<[1.0, 0.0, 3.0, 4.0]> : tensor<4xf64>
  %d32.0, %d32.1 = tfx_ad.gradient @product4(%p, %three) wrt [0, 1] : (tensor<4xf64>, f64) -> (tensor<4xf64>, f64)
  tfx_host.print "reducemul1: {} {}"(%d32.0, %d32.1) : tensor<4xf64>, f64
  // Case: Futhark, reducemul2.fut.
  // CHECK-NEXT: {{^}}reducemul2: {{\[ *}}0. 0. 0. 0.{{ *}}] 0.0{{$}}
  %q = tfx_tensor.const dense<[1.0, 0.0, 3.0, 0.0]> : tensor<4xf64>
  %d33.0, %d33.1 = tfx_ad.gradient @product4(%q, %three) wrt [0, 1] : (tensor<4xf64>, f64) -> (tensor<4xf64>, f64)
  tfx_host.print "reducemul2: {} {}"(%d33.0, %d33.1) : tensor<4xf64>, f64
  // Case: Futhark, reducemul3.fut.
  // CHECK-NEXT: {{^}}reducemul3: {{\[ *}}72. 36. 24. 18.{{ *}}] 24.0{{$}}
  %r = tfx_tensor.const dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf64>
  %d34.0, %d34.1 = tfx_ad.gradient @product4(%r, %three) wrt [0, 1] : (tensor<4xf64>, f64) -> (tensor<4xf64>, f64)
  tfx_host.print "reducemul3: {} {}"(%d34.0, %d34.1) : tensor<4xf64>, f64
  // Case: Futhark, reducemul4.fut.
  // CHECK-NEXT: {{^}}reducemul4: {{\[ *}}48. 12. 8. 6.{{ *}}] {{\[ *}}48. 48. 16. 12.{{ *}}] {{\[ *}}72. 36. 48. 18.{{ *}}] {{\[ *}}96. 48. 32. 48.{{ *}}]{{$}}
  %y35, %pullback35 = tfx_ad.vjp @product_map(%r) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d36 = tfx_host.apply %pullback35(%j) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  %d37 = tfx_host.apply %pullback35(%k) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  %d38 = tfx_host.apply %pullback35(%l) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  %d39 = tfx_host.apply %pullback35(%m) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "reducemul4: {} {} {} {}"(%d36, %d37, %d38, %d39) : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
  // Case: Futhark, fwd/red0.fut.
  // CHECK-NEXT: {{^}}fwd_red0 3: 24.0 8.0{{$}}
  %y40, %t41 = tfx_ad.jvp @fwd_red0(%three) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "fwd_red0 3: {} {}"(%y40, %t41) : f64, f64
  // CHECK-NEXT: {{^}}fwd_red0 10: 80.0 8.0{{$}}
  %y42, %t43 = tfx_ad.jvp @fwd_red0(%ten) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "fwd_red0 10: {} {}"(%y42, %t43) : f64, f64
  // Case: Futhark, reduce1.fut.
  // CHECK-NEXT: {{^}}reduce1: {{\[\[\[ *}}92. 36.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}0. 0.{{ *}}]]{{$}}
  // CHECK: {{^ +}}{{\[\[ *}}8. 20.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}16. 40.{{ *}}]]{{$}}
  // CHECK: {{^ +}}{{\[\[ *}}32. 16.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}20. 10.{{ *}}]]{{$}}
  // CHECK: {{^ +}}{{\[\[ *}}23. 0.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}36. 0.{{ *}}]]]{{$}}
  %s = tfx_tensor.const dense<[[[1.0, 2.0], [3.0, 4.0]], [[4.0, 3.0], [2.0, 1.0]], [[1.0, 2.0], [3.0, 4.0]], [[4.0, 3.0], [2.0, 1.0]]]> : tensor<4x2x2xf64>
  %y44, %pullback44 = tfx_ad.vjp @reduce1(%s) wrt [0] : (tensor<4x2x2xf64>) -> (tensor<2x2xf64>, !tfx_host.closure<(tensor<2x2xf64>) -> tensor<4x2x2xf64>>)
  %t = tfx_tensor.const dense<[[1.0, 0.0], [0.0, 0.0]]> : tensor<2x2xf64>
  %d45 = tfx_host.apply %pullback44(%t) : !tfx_host.closure<(tensor<2x2xf64>) -> tensor<4x2x2xf64>>
  tfx_host.print "reduce1: {}"(%d45) : tensor<4x2x2xf64>
  // Case: Futhark, reduce2.fut.
  // CHECK-NEXT: {{^}}reduce2: {{\[ *}}-1. -1. -1.{{ *}}]{{$}}
  %u = tfx_tensor.const dense<[3.0, 1.0, 5.0]> : tensor<3xf64>
  %d46 = tfx_ad.gradient @reduce2(%u) wrt [0] : (tensor<3xf64>) -> tensor<3xf64>
  tfx_host.print "reduce2: {}"(%d46) : tensor<3xf64>
  // Case: Futhark, reduce3.fut.
  // CHECK-NEXT: {{^}}reduce3: {{\[\[ *}}1. 1.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}1. 1.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}1. 1.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}1. 1.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}1. 1.{{ *}}]]{{$}}
  %v = tfx_tensor.const dense<[[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [4.0, 4.0], [5.0, 5.0]]> : tensor<5x2xf64>
  %y47, %pullback47 = tfx_ad.vjp @reduce3(%v) wrt [0] : (tensor<5x2xf64>) -> (tensor<2xf64>, !tfx_host.closure<(tensor<2xf64>) -> tensor<5x2xf64>>)
  %w = tfx_tensor.const dense<[1.0, 1.0]> : tensor<2xf64>
  %d48 = tfx_host.apply %pullback47(%w) : !tfx_host.closure<(tensor<2xf64>) -> tensor<5x2xf64>>
  tfx_host.print "reduce3: {}"(%d48) : tensor<5x2xf64>
  // Case: Futhark, reducevecmul0.fut.
  // CHECK-NEXT: {{^}}reducevecmul0: {{\[\[ *}}4. 0. 0. 0.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}0. 0. 0. 0.{{ *}}]]{{$}}
  %x = tfx_tensor.const dense<[[0.0, 2.0, 0.0, 4.0], [4.0, 2.0, 0.0, 0.0]]> : tensor<2x4xf64>
  %y49, %pullback49 = tfx_ad.vjp @vec_product(%x, %one) wrt [0] : (tensor<2x4xf64>, f64) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<2x4xf64>>)
  %d50 = tfx_host.apply %pullback49(%j) : !tfx_host.closure<(tensor<4xf64>) -> tensor<2x4xf64>>
  tfx_host.print "reducevecmul0: {}"(%d50) : tensor<2x4xf64>
  // Case: Futhark, reducevecmul1.fut.
  // CHECK-NEXT: {{^}}reducevecmul1: {{\[\[ *}}0. 0. 0. 6.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}0. 0. 0. 12.{{ *}}]] 8.0{{$}}
  %y = tfx_tensor.const dense<[[1.0, 0.0, 3.0, 4.0], [2.0, 2.0, 2.0, 2.0]]> : tensor<2x4xf64>
  %y51, %pullback51 = tfx_ad.vjp @vec_product(%y, %three) wrt [0, 1] : (tensor<2x4xf64>, f64) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> (tensor<2x4xf64>, f64)>)
  %d52.0, %d52.1 = tfx_host.apply %pullback51(%m) : !tfx_host.closure<(tensor<4xf64>) -> (tensor<2x4xf64>, f64)>
  tfx_host.print "reducevecmul1: {} {}"(%d52.0, %d52.1) : tensor<2x4xf64>, f64
  // Case: Futhark, reducevecmul2.fut.
  // CHECK-NEXT: {{^}}reducevecmul2: {{\[\[ *}}0. 0. 9. 0.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}0. 0. 9. 0.{{ *}}]] 9.0{{$}}
  %z = tfx_tensor.const dense<[[1.0, 0.0, 3.0, 0.0], [1.0, 2.0, 3.0, 4.0]]> : tensor<2x4xf64>
  %y53, %pullback53 = tfx_ad.vjp @vec_product(%z, %three) wrt [0, 1] : (tensor<2x4xf64>, f64) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> (tensor<2x4xf64>, f64)>)
  %d54.0, %d54.1 = tfx_host.apply %pullback53(%l) : !tfx_host.closure<(tensor<4xf64>) -> (tensor<2x4xf64>, f64)>
  tfx_host.print "reducevecmul2: {} {}"(%d54.0, %d54.1) : tensor<2x4xf64>, f64
  // Case: Futhark, reducevecmul3.fut.
  // CHECK-NEXT: {{^}}reducevecmul3: {{\[\[ *}}0. 3. 0. 0.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}0. 6. 0. 0.{{ *}}]] 2.0{{$}}
  %t1 = tfx_tensor.const dense<[[1.0, 2.0, 3.0, 4.0], [1.0, 1.0, 1.0, 1.0]]> : tensor<2x4xf64>
  %y55, %pullback55 = tfx_ad.vjp @vec_product(%t1, %three) wrt [0, 1] : (tensor<2x4xf64>, f64) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> (tensor<2x4xf64>, f64)>)
  %d56.0, %d56.1 = tfx_host.apply %pullback55(%k) : !tfx_host.closure<(tensor<4xf64>) -> (tensor<2x4xf64>, f64)>
  tfx_host.print "reducevecmul3: {} {}"(%d56.0, %d56.1) : tensor<2x4xf64>, f64
  // Case: Futhark, reducevec0.fut.
  // CHECK-NEXT: {{^}}reducevec0: {{\[\[\[ *}}0. 0.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}12. 0.{{ *}}]]{{$}}
  // CHECK: {{^ +}}{{\[\[ *}}0. 0.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}8. 0.{{ *}}]]{{$}}
  // CHECK: {{^ +}}{{\[\[ *}}0. 0.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}6. 0.{{ *}}]]]{{$}}
  %t2 = tfx_tensor.const dense<[[[0.0, 1.0], [2.0, 3.0]], [[5.0, 1.0], [3.0, 0.0]], [[0.0, 1.0], [4.0, 4.0]]]> : tensor<3x2x2xf64>
  %y57, %pullback57 = tfx_ad.vjp @vec_product3(%t2) wrt [0] : (tensor<3x2x2xf64>) -> (tensor<2x2xf64>, !tfx_host.closure<(tensor<2x2xf64>) -> tensor<3x2x2xf64>>)
  %t3 = tfx_tensor.const dense<[[0.0, 0.0], [1.0, 0.0]]> : tensor<2x2xf64>
  %d58 = tfx_host.apply %pullback57(%t3) : !tfx_host.closure<(tensor<2x2xf64>) -> tensor<3x2x2xf64>>
  tfx_host.print "reducevec0: {}"(%d58) : tensor<3x2x2xf64>
  // Case: Futhark, maximum.fut.
  // CHECK-NEXT: {{^}}largest: {{\[ *}}0. 0. 0. 0. 0. -1. 0.{{ *}}]{{$}}
  %t4 = tfx_tensor.const dense<[1.0, 2.0, 3.0, 4.0, 5.0, -6.0, 5.0]> : tensor<7xf64>
  %d59 = tfx_ad.gradient @largest(%t4) wrt [0] : (tensor<7xf64>) -> tensor<7xf64>
  tfx_host.print "largest: {}"(%d59) : tensor<7xf64>
  // Case: Futhark, minimum.fut.
  // CHECK-NEXT: {{^}}smallest: {{\[ *}}1. 0. 0. 0. 0. 0. 0.{{ *}}]{{$}}
  %t6 = tfx_tensor.const dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 5.0]> : tensor<7xf64>
  %d60 = tfx_ad.gradient @smallest(%t6) wrt [0] : (tensor<7xf64>) -> tensor<7xf64>
  tfx_host.print "smallest: {}"(%d60) : tensor<7xf64>
  // Case: Futhark, minmax.fut.
  // CHECK-NEXT: {{^}}both: {{\[ *}}1. 0. 0. 0. 0. {{-?0\.}} 0.{{ *}}] {{\[ *}}0. 0. 0. 0. 0. -1. 0.{{ *}}]{{$}}
  %y61.0, %y61.1, %pullback61 = tfx_ad.vjp @both(%t4) wrt [0] : (tensor<7xf64>) -> (tensor<f64>, tensor<f64>, !tfx_host.closure<(tensor<f64>, tensor<f64>) -> tensor<7xf64>>)
  %t8 = tfx_tensor.const dense<1.0> : tensor<f64>
  %t10 = tfx_tensor.const dense<0.0> : tensor<f64>
  %d62 = tfx_host.apply %pullback61(%t8, %t10) : !tfx_host.closure<(tensor<f64>, tensor<f64>) -> tensor<7xf64>>
  %d63 = tfx_host.apply %pullback61(%t10, %t8) : !tfx_host.closure<(tensor<f64>, tensor<f64>) -> tensor<7xf64>>
  tfx_host.print "both: {} {}"(%d62, %d63) : tensor<7xf64>, tensor<7xf64>
  // Case: Futhark, scan0.fut.
  // CHECK-NEXT: {{^}}products: {{\[ *}}2. 1. 0. 0. 0.{{ *}}] {{\[ *}}24. 12. 8. 6. 0.{{ *}}] {{\[ *}}120. 60. 40. 30. 24.{{ *}}]{{$}}
  %t12 = tfx_tensor.const dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf64>
  %y64, %pullback64 = tfx_ad.vjp @products(%t12) wrt [0] : (tensor<5xf64>) -> (tensor<5xf64>, !tfx_host.closure<(tensor<5xf64>) -> tensor<5xf64>>)
  %t13 = tfx_tensor.const dense<[0.0, 1.0, 0.0, 0.0, 0.0]> : tensor<5xf64>
  %d65 = tfx_host.apply %pullback64(%t13) : !tfx_host.closure<(tensor<5xf64>) -> tensor<5xf64>>
  %t14 = tfx_tensor.const dense<[0.0, 0.0, 0.0, 1.0, 0.0]> : tensor<5xf64>
  %d66 = tfx_host.apply %pullback64(%t14) : !tfx_host.closure<(tensor<5xf64>) -> tensor<5xf64>>
  %t15 = tfx_tensor.const dense<[0.0, 0.0, 0.0, 0.0, 1.0]> : tensor<5xf64>
  %d67 = tfx_host.apply %pullback64(%t15) : !tfx_host.closure<(tensor<5xf64>) -> tensor<5xf64>>
  tfx_host.print "products: {} {} {}"(%d65, %d66, %d67) : tensor<5xf64>, tensor<5xf64>, tensor<5xf64>
  // CHECK-NEXT: {{^}}forward products: {{\[ *}}1. 2. 6. 24. 120.{{ *}}] {{\[ *}}1. 2. 6. 24. 120.{{ *}}]{{$}}
  %t16 = tfx_tensor.const dense<[1.0, 0.0, 0.0, 0.0, 0.0]> : tensor<5xf64>
  %y68, %t69 = tfx_ad.jvp @products(%t12) tangents(%t16 : tensor<5xf64>) wrt [0] : (tensor<5xf64>) -> (tensor<5xf64>, tensor<5xf64>)
  tfx_host.print "forward products: {} {}"(%y68, %t69) : tensor<5xf64>, tensor<5xf64>
  // Case: Futhark, scan1.fut.
  // CHECK-NEXT: {{^}}sums: {{\[ *}}1. 1. 0. 0. 0.{{ *}}] {{\[ *}}1. 1. 1. 1. 1.{{ *}}]{{$}}
  %y70, %pullback70 = tfx_ad.vjp @sums(%t12) wrt [0] : (tensor<5xf64>) -> (tensor<5xf64>, !tfx_host.closure<(tensor<5xf64>) -> tensor<5xf64>>)
  %d71 = tfx_host.apply %pullback70(%t13) : !tfx_host.closure<(tensor<5xf64>) -> tensor<5xf64>>
  %d72 = tfx_host.apply %pullback70(%t15) : !tfx_host.closure<(tensor<5xf64>) -> tensor<5xf64>>
  tfx_host.print "sums: {} {}"(%d71, %d72) : tensor<5xf64>, tensor<5xf64>
  // Case: Futhark, scan2.fut.
  // CHECK-NEXT: {{^}}vec_sums: {{\[\[ *}}1. 1.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}1. 1.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}1. 1.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}0. 0.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}0. 0.{{ *}}]]{{$}}
  %y73, %pullback73 = tfx_ad.vjp @vec_sums(%v) wrt [0] : (tensor<5x2xf64>) -> (tensor<5x2xf64>, !tfx_host.closure<(tensor<5x2xf64>) -> tensor<5x2xf64>>)
  %t17 = tfx_tensor.const dense<[[0.0, 0.0], [0.0, 0.0], [1.0, 1.0], [0.0, 0.0], [0.0, 0.0]]> : tensor<5x2xf64>
  %d74 = tfx_host.apply %pullback73(%t17) : !tfx_host.closure<(tensor<5x2xf64>) -> tensor<5x2xf64>>
  tfx_host.print "vec_sums: {}"(%d74) : tensor<5x2xf64>
  // Case: Futhark, issue2256.fut.
  // CHECK-NEXT: {{^}}products_times: {{\[ *}}5040. 2521. 1684. 1278. 1104. 1440.{{ *}}]{{$}}
  %d75 = tfx_ad.gradient @products_times(%n) wrt [0] : (tensor<6xf64>) -> tensor<6xf64>
  tfx_host.print "products_times: {}"(%d75) : tensor<6xf64>
  %at0 = tfx_tensor.const dense<[0, 1, 2, 3]> : tensor<4xi32>
  %at1 = tfx_tensor.const dense<[0, 0, 3, 3]> : tensor<4xi32>
  %at2 = tfx_tensor.const dense<[1, 0, 1, 1]> : tensor<4xi32>
  %at3 = tfx_tensor.const dense<[[1, 3], [2, 2]]> : tensor<2x2xi32>
  // Case: Futhark, gather0.fut.
  // CHECK-NEXT: {{^}}gather 0: {{\[ *}}0. 1. 0. 0.{{ *}}] {{\[ *}}0. 0. 0. 1.{{ *}}]{{$}}
  %t18 = tfx_tensor.const dense<[4.0, 3.0, 2.0, 1.0]> : tensor<4xf64>
  %y76, %pullback76 = tfx_ad.vjp @gather(%t18, %at0) wrt [0] : (tensor<4xf64>, tensor<4xi32>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d77 = tfx_host.apply %pullback76(%k) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  %d78 = tfx_host.apply %pullback76(%m) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "gather 0: {} {}"(%d77, %d78) : tensor<4xf64>, tensor<4xf64>
  // CHECK-NEXT: {{^}}gather 1: {{\[ *}}1. 0. 0. 0.{{ *}}] {{\[ *}}1. 0. 0. 0.{{ *}}] {{\[ *}}0. 0. 0. 1.{{ *}}]{{$}}
  %y79, %pullback79 = tfx_ad.vjp @gather(%t18, %at1) wrt [0] : (tensor<4xf64>, tensor<4xi32>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d80 = tfx_host.apply %pullback79(%j) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  %d81 = tfx_host.apply %pullback79(%k) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  %d82 = tfx_host.apply %pullback79(%l) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "gather 1: {} {} {}"(%d80, %d81, %d82) : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
  // Case: Futhark, gather1.fut.
  // CHECK-NEXT: {{^}}map_gather: {{\[\[ *}}0. 1.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}0. 0.{{ *}}]] {{\[\[ *}}0. 0.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}1. 0.{{ *}}]]{{$}}
  %t19 = tfx_tensor.const dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf64>
  %y83, %pullback83 = tfx_ad.vjp @map_gather(%t19, %at2) wrt [0] : (tensor<2x2xf64>, tensor<4xi32>) -> (tensor<2x4xf64>, !tfx_host.closure<(tensor<2x4xf64>) -> tensor<2x2xf64>>)
  %t20 = tfx_tensor.const dense<[[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]> : tensor<2x4xf64>
  %d84 = tfx_host.apply %pullback83(%t20) : !tfx_host.closure<(tensor<2x4xf64>) -> tensor<2x2xf64>>
  %t22 = tfx_tensor.const dense<[[0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]> : tensor<2x4xf64>
  %d85 = tfx_host.apply %pullback83(%t22) : !tfx_host.closure<(tensor<2x4xf64>) -> tensor<2x2xf64>>
  tfx_host.print "map_gather: {} {}"(%d84, %d85) : tensor<2x2xf64>, tensor<2x2xf64>
  // Case: Futhark, gather2.fut.
  // CHECK-NEXT: {{^}}gather_matrix: {{\[ *}}0. 1. 0. 0.{{ *}}] {{\[ *}}0. 0. 2. 0.{{ *}}]{{$}}
  %y86, %pullback86 = tfx_ad.vjp @gather_matrix(%r, %at3) wrt [0] : (tensor<4xf64>, tensor<2x2xi32>) -> (tensor<2x2xf64>, !tfx_host.closure<(tensor<2x2xf64>) -> tensor<4xf64>>)
  %d87 = tfx_host.apply %pullback86(%t) : !tfx_host.closure<(tensor<2x2xf64>) -> tensor<4xf64>>
  %t24 = tfx_tensor.const dense<[[0.0, 0.0], [1.0, 1.0]]> : tensor<2x2xf64>
  %d88 = tfx_host.apply %pullback86(%t24) : !tfx_host.closure<(tensor<2x2xf64>) -> tensor<4xf64>>
  tfx_host.print "gather_matrix: {} {}"(%d87, %d88) : tensor<4xf64>, tensor<4xf64>
  // Case: Futhark, hist_add.fut.
  %bins = tfx_tensor.const dense<[4, 5, 2, 4, 5, 2, 0, 0, 4, 5, 1, 4, 1, 3, 3, 1, 8, -1]> : tensor<18xi32>
  // CHECK-NEXT: {{^}}histogram 0: {{\[ *}}0. 0. 0. 0. 0. 0. 1. 1. 0. 0. 0. 0. 0. 0. 0. 0. 0. 0.{{ *}}] {{\[ *}}3. 0. 0. 0. 0. 0. 0. 0.{{ *}}]{{$}}
  %t25 = tfx_tensor.const dense<[11.0, 16.0, 7.0, 0.0, 14.0, 6.0, 2.0, 1.0, 13.0, 0.0, 5.0, 0.0, 3.0, 0.0, 9.0, 4.0, 17.0, 18.0]> : tensor<18xf64>
  %y89, %pullback89 = tfx_ad.vjp @histogram(%bins, %t25, %i) wrt [1, 2] : (tensor<18xi32>, tensor<18xf64>, tensor<8xf64>) -> (tensor<8xf64>, !tfx_host.closure<(tensor<8xf64>) -> (tensor<18xf64>, tensor<8xf64>)>)
  %t26 = tfx_tensor.const dense<[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<8xf64>
  %d90.0, %d90.1 = tfx_host.apply %pullback89(%t26) : !tfx_host.closure<(tensor<8xf64>) -> (tensor<18xf64>, tensor<8xf64>)>
  tfx_host.print "histogram 0: {} {}"(%d90.0, %d90.1) : tensor<18xf64>, tensor<8xf64>
  // CHECK-NEXT: {{^}}histogram 5: {{\[ *}}0. 6. 0. 0. 6. 0. 0. 0. 0. 6. 0. 0. 0. 0. 0. 0. 0. 0.{{ *}}] {{\[ *}}0. 0. 0. 0. 0. 30. 0. 0.{{ *}}]{{$}}
  %y91, %pullback91 = tfx_ad.vjp @histogram(%bins, %t25, %i) wrt [1, 2] : (tensor<18xi32>, tensor<18xf64>, tensor<8xf64>) -> (tensor<8xf64>, !tfx_host.closure<(tensor<8xf64>) -> (tensor<18xf64>, tensor<8xf64>)>)
  %t27 = tfx_tensor.const dense<[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]> : tensor<8xf64>
  %d92.0, %d92.1 = tfx_host.apply %pullback91(%t27) : !tfx_host.closure<(tensor<8xf64>) -> (tensor<18xf64>, tensor<8xf64>)>
  tfx_host.print "histogram 5: {} {}"(%d92.0, %d92.1) : tensor<18xf64>, tensor<8xf64>
  // Case: Futhark, reduce_by_index0.fut.
  // CHECK-NEXT: {{^}}histogram_plus: {{\[ *}}3. 4. 5. 6.{{ *}}] {{\[ *}}0. 1. 0. 0.{{ *}}]{{$}}
  %y93, %t94 = tfx_ad.jvp @histogram_plus(%at0, %r) tangents(%k : tensor<4xf64>) wrt [1] : (tensor<4xi32>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>)
  tfx_host.print "histogram_plus: {} {}"(%y93, %t94) : tensor<4xf64>, tensor<4xf64>
  // Case: Futhark, scatter0.fut.
  %to = tfx_tensor.const dense<[[0], [1], [2], [3]]> : tensor<4x1xi32>
  // CHECK-NEXT: {{^}}scatter: {{\[ *}}1. 0. 0. 0.{{ *}}] {{\[ *}}0. 0. 0. 1.{{ *}}]{{$}}
  %t28 = tfx_tensor.const dense<[0.0, 0.0, 0.0, 0.0]> : tensor<4xf64>
  %t29 = tfx_tensor.const dense<[1.0, 2.0, 3.0, 0.0]> : tensor<4xf64>
  %y95, %pullback95 = tfx_ad.vjp @scatter(%t28, %to, %t29) wrt [2] : (tensor<4xf64>, tensor<4x1xi32>, tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d96 = tfx_host.apply %pullback95(%j) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  %d97 = tfx_host.apply %pullback95(%m) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "scatter: {} {}"(%d96, %d97) : tensor<4xf64>, tensor<4xf64>
  // Case: Futhark, scatter1.fut.
  %to2 = tfx_tensor.const dense<[[0], [1]]> : tensor<2x1xi32>
  // CHECK-NEXT: {{^}}scatter_two: {{\[ *}}0. 0. 0. 0.{{ *}}] {{\[ *}}0. 0. 1. 0.{{ *}}] {{\[ *}}0. 0. 0. 1.{{ *}}]{{$}}
  %t30 = tfx_tensor.const dense<[1.0, 2.0]> : tensor<2xf64>
  %y98, %pullback98 = tfx_ad.vjp @scatter_two(%t28, %to2, %t30) wrt [0] : (tensor<4xf64>, tensor<2x1xi32>, tensor<2xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d99 = tfx_host.apply %pullback98(%j) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  %d100 = tfx_host.apply %pullback98(%l) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  %d101 = tfx_host.apply %pullback98(%m) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "scatter_two: {} {} {}"(%d99, %d100, %d101) : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
  // Case: Futhark, fwd/scatter0.fut.
  // CHECK-NEXT: {{^}}scatter_powers: {{\[ *}}5. 25. 125. 0. 0.{{ *}}] {{\[ *}}1. 10. 75. 0. 0.{{ *}}]{{$}}
  %y102, %t103 = tfx_ad.jvp @scatter_powers(%five) tangents(%one : f64) wrt [0] : (f64) -> (tensor<5xf64>, tensor<5xf64>)
  tfx_host.print "scatter_powers: {} {}"(%y102, %t103) : tensor<5xf64>, tensor<5xf64>
  // Case: Futhark, acc0.fut.
  %to3 = tfx_tensor.const dense<[[0], [0], [1], [1]]> : tensor<4x1xi32>
  // CHECK-NEXT: {{^}}add_at 0: {{\[ *}}2. 0. 0. 0.{{ *}}] {{\[ *}}0. 0. 0. 2.{{ *}}]{{$}}
  %t31 = tfx_tensor.const dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf64>
  %y104, %pullback104 = tfx_ad.vjp @add_at(%t31, %to) wrt [0] : (tensor<4xf64>, tensor<4x1xi32>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d105 = tfx_host.apply %pullback104(%j) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  %d106 = tfx_host.apply %pullback104(%m) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "add_at 0: {} {}"(%d105, %d106) : tensor<4xf64>, tensor<4xf64>
  // CHECK-NEXT: {{^}}add_at 1: {{\[ *}}2. 1. 0. 0.{{ *}}] {{\[ *}}0. 1. 1. 1.{{ *}}] {{\[ *}}0. 0. 1. 0.{{ *}}] {{\[ *}}0. 0. 0. 1.{{ *}}]{{$}}
  %t32 = tfx_tensor.const dense<[0.0, 0.0, 1.0, 1.0]> : tensor<4xf64>
  %y107, %pullback107 = tfx_ad.vjp @add_at(%t32, %to3) wrt [0] : (tensor<4xf64>, tensor<4x1xi32>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %d108 = tfx_host.apply %pullback107(%j) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  %d109 = tfx_host.apply %pullback107(%k) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  %d110 = tfx_host.apply %pullback107(%l) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  %d111 = tfx_host.apply %pullback107(%m) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "add_at 1: {} {} {} {}"(%d108, %d109, %d110, %d111) : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
  // Case: Futhark, concat0.fut.
  // CHECK-NEXT: {{^}}concat: {{\[ *}}1. 2. 3. 1. 2. 3.{{ *}}] {{\[ *}}0. 1. 0. 0. 1. 0.{{ *}}]{{$}}
  %y112, %t113 = tfx_ad.jvp @concat(%a) tangents(%d : tensor<3xf64>) wrt [0] : (tensor<3xf64>) -> (tensor<6xf64>, tensor<6xf64>)
  tfx_host.print "concat: {} {}"(%y112, %t113) : tensor<6xf64>, tensor<6xf64>
  // CHECK-NEXT: {{^}}concat reverse: {{\[ *}}0. 1. 0.{{ *}}] {{\[ *}}2. 2. 2.{{ *}}]{{$}}
  %y114, %pullback114 = tfx_ad.vjp @concat(%a) wrt [0] : (tensor<3xf64>) -> (tensor<6xf64>, !tfx_host.closure<(tensor<6xf64>) -> tensor<3xf64>>)
  %t33 = tfx_tensor.const dense<[0.0, 1.0, 0.0, 0.0, 0.0, 0.0]> : tensor<6xf64>
  %d115 = tfx_host.apply %pullback114(%t33) : !tfx_host.closure<(tensor<6xf64>) -> tensor<3xf64>>
  %t34 = tfx_tensor.const dense<[1.0, 1.0, 1.0, 1.0, 1.0, 1.0]> : tensor<6xf64>
  %d116 = tfx_host.apply %pullback114(%t34) : !tfx_host.closure<(tensor<6xf64>) -> tensor<3xf64>>
  tfx_host.print "concat reverse: {} {}"(%d115, %d116) : tensor<3xf64>, tensor<3xf64>
  // Case: Futhark, replicate0.fut.
  // CHECK-NEXT: {{^}}replicate: {{\[\[ *}}1. 2.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}1. 2.{{ *}}]] {{\[\[ *}}0. 1.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}0. 1.{{ *}}]]{{$}}
  %t35 = tfx_tensor.const dense<[0.0, 1.0]> : tensor<2xf64>
  %y117, %t118 = tfx_ad.jvp @replicate(%t30) tangents(%t35 : tensor<2xf64>) wrt [0] : (tensor<2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)
  tfx_host.print "replicate: {} {}"(%y117, %t118) : tensor<2x2xf64>, tensor<2x2xf64>
  // Case: Futhark, replicate2.fut.
  // CHECK-NEXT: {{^}}replicate2 forward: {{\[\[ *}}2. 2. 2.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}2. 2. 2.{{ *}}]] {{\[\[ *}}1. 1. 1.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}1. 1. 1.{{ *}}]]{{$}}
  %y119, %t120 = tfx_ad.jvp @replicate2(%two) tangents(%one : f64) wrt [0] : (f64) -> (tensor<2x3xf64>, tensor<2x3xf64>)
  tfx_host.print "replicate2 forward: {} {}"(%y119, %t120) : tensor<2x3xf64>, tensor<2x3xf64>
  // CHECK-NEXT: {{^}}replicate2: 6.0{{$}}
  %y121, %pullback121 = tfx_ad.vjp @replicate2(%two) wrt [0] : (f64) -> (tensor<2x3xf64>, !tfx_host.closure<(tensor<2x3xf64>) -> f64>)
  %t36 = tfx_tensor.const dense<[[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]]> : tensor<2x3xf64>
  %d122 = tfx_host.apply %pullback121(%t36) : !tfx_host.closure<(tensor<2x3xf64>) -> f64>
  tfx_host.print "replicate2: {}"(%d122) : f64
  // Case: Futhark, reshape0.fut.
  // CHECK-NEXT: {{^}}unflatten forward: {{\[\[ *}}1. 2.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}3. 4.{{ *}}]] {{\[\[ *}}0. 1.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}0. 0.{{ *}}]]{{$}}
  %y123, %t124 = tfx_ad.jvp @unflatten(%r) tangents(%k : tensor<4xf64>) wrt [0] : (tensor<4xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)
  tfx_host.print "unflatten forward: {} {}"(%y123, %t124) : tensor<2x2xf64>, tensor<2x2xf64>
  // CHECK-NEXT: {{^}}unflatten: {{\[ *}}1. 2. 3. 4.{{ *}}]{{$}}
  %y125, %pullback125 = tfx_ad.vjp @unflatten(%r) wrt [0] : (tensor<4xf64>) -> (tensor<2x2xf64>, !tfx_host.closure<(tensor<2x2xf64>) -> tensor<4xf64>>)
  %d126 = tfx_host.apply %pullback125(%t19) : !tfx_host.closure<(tensor<2x2xf64>) -> tensor<4xf64>>
  tfx_host.print "unflatten: {}"(%d126) : tensor<4xf64>
  // Case: Futhark, rotate0.fut.
  // CHECK-NEXT: {{^}}rotate forward: {{\[ *}}2. 3. 4. 1.{{ *}}] {{\[ *}}2. 3. 4. 1.{{ *}}]{{$}}
  %y127, %t128 = tfx_ad.jvp @rotate(%r) tangents(%r : tensor<4xf64>) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>)
  tfx_host.print "rotate forward: {} {}"(%y127, %t128) : tensor<4xf64>, tensor<4xf64>
  // CHECK-NEXT: {{^}}rotate: {{\[ *}}1. 2. 3. 4.{{ *}}]{{$}}
  %y129, %pullback129 = tfx_ad.vjp @rotate(%r) wrt [0] : (tensor<4xf64>) -> (tensor<4xf64>, !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>)
  %t37 = tfx_tensor.const dense<[2.0, 3.0, 4.0, 1.0]> : tensor<4xf64>
  %d130 = tfx_host.apply %pullback129(%t37) : !tfx_host.closure<(tensor<4xf64>) -> tensor<4xf64>>
  tfx_host.print "rotate: {}"(%d130) : tensor<4xf64>
  // Case: Futhark, rearrange0.fut.
  // CHECK-NEXT: {{^}}transpose forward: {{\[\[ *}}1. 3.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}2. 4.{{ *}}]] {{\[\[ *}}1. 3.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}2. 4.{{ *}}]]{{$}}
  %y131, %t132 = tfx_ad.jvp @transpose(%t19) tangents(%t19 : tensor<2x2xf64>) wrt [0] : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)
  tfx_host.print "transpose forward: {} {}"(%y131, %t132) : tensor<2x2xf64>, tensor<2x2xf64>
  // CHECK-NEXT: {{^}}transpose: {{\[\[ *}}1. 3.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}2. 4.{{ *}}]]{{$}}
  %y133, %pullback133 = tfx_ad.vjp @transpose(%t19) wrt [0] : (tensor<2x2xf64>) -> (tensor<2x2xf64>, !tfx_host.closure<(tensor<2x2xf64>) -> tensor<2x2xf64>>)
  %d134 = tfx_host.apply %pullback133(%t19) : !tfx_host.closure<(tensor<2x2xf64>) -> tensor<2x2xf64>>
  tfx_host.print "transpose: {}"(%d134) : tensor<2x2xf64>
  // Case: Futhark, matmul.fut.
  // CHECK-NEXT: {{^}}matsum: {{\[\[ *}}1. 0.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}1. 0.{{ *}}]] {{\[\[ *}}0. 1.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}0. 1.{{ *}}]]{{$}}
  %t38 = tfx_tensor.const dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf64>
  %y135, %pullback135 = tfx_ad.vjp @matsum(%t19, %t38) wrt [1] : (tensor<2x2xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, !tfx_host.closure<(tensor<2x2xf64>) -> tensor<2x2xf64>>)
  %d136 = tfx_host.apply %pullback135(%t) : !tfx_host.closure<(tensor<2x2xf64>) -> tensor<2x2xf64>>
  %t39 = tfx_tensor.const dense<[[0.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf64>
  %d137 = tfx_host.apply %pullback135(%t39) : !tfx_host.closure<(tensor<2x2xf64>) -> tensor<2x2xf64>>
  tfx_host.print "matsum: {} {}"(%d136, %d137) : tensor<2x2xf64>, tensor<2x2xf64>
  return
}
