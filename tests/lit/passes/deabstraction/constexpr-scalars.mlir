// Scalars are evaluated as in the program: integers wrap, floats have the precision of their type, an index has 64 bits.

// RUN: tfx-opt %s --tfx-constexpr | FileCheck %s

// CHECK-LABEL: func.func @integers(
// CHECK:         {squeeze_dims = [-56, 9223372036854775807, -7, 249, 1, -128, 2, -4, -3, 10000000000, 144]}
func.func @integers(%x: tensor<*xf32>) {
  %hundred = arith.constant 100 : i8
  %wraps = arith.addi %hundred, %hundred : i8
  %least = arith.constant -9223372036854775808 : i64
  %one = arith.constant 1 : i64
  %most = arith.subi %least, %one : i64
  %seven = arith.constant -7 : i8
  %signed = arith.extsi %seven : i8 to i64
  %unsigned = arith.extui %seven : i8 to i64
  %less = arith.cmpi ult, %hundred, %seven : i8
  %truth = arith.extui %less : i1 to i64
  %m = arith.constant -128 : i8
  %minus = arith.constant -1 : i8
  %product = arith.muli %m, %minus : i8
  %three = arith.constant 3 : i8
  %rest = arith.remui %hundred, %seven : i8
  %shift = arith.shrui %rest, %three : i8
  %two = arith.constant 2 : i8
  %seventh = arith.floordivsi %seven, %two : i8
  %ceiling = arith.ceildivsi %seven, %two : i8
  %big = index.constant 100000
  %square = index.mul %big, %big
  %wide = arith.constant 400 : i32
  %narrow = arith.trunci %wide : i32 to i8
  %byte = arith.extui %narrow : i8 to i64
  %shiftr = arith.shrsi %hundred, %three : i8
  %a = arith.extsi %wraps : i8 to i64
  %b = arith.extsi %product : i8 to i64
  %bit = arith.constant 2 : i64
  %c = arith.extsi %seventh : i8 to i64
  %d = arith.extsi %ceiling : i8 to i64
  %e = arith.index_cast %square : index to i64
  %dims = tfx_host.array(%a, %most, %signed, %unsigned, %truth, %b, %bit, %c, %d, %e, %byte) : !tfx_host.array<i64>
  %y = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %dims : !tfx_host.array<i64>) : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// An index has 64 bits, not 32, where that makes a difference.

// CHECK-LABEL: func.func @indices(
// CHECK:         {squeeze_dims = [3333333333, -3333333334, -3333333333, 1, 1024, 1]}
func.func @indices(%x: tensor<*xf32>) {
  %big = index.constant 10000000000
  %negative = index.constant -10000000000
  %three = index.constant 3
  %forty = index.constant 40
  %a = index.divs %big, %three
  %b = index.floordivs %negative, %three
  %c = index.ceildivs %negative, %three
  %d = index.remu %big, %three
  %e = index.shl %three, %forty
  %thirty = index.constant 30
  %one = index.constant 1
  %f = index.shl %one, %forty
  %g = index.shru %f, %thirty
  %less = index.cmp slt(%three, %big)
  %truth = arith.extui %less : i1 to i64
  %h = index.castu %truth : i64 to index
  %dims = tfx_host.array(%a, %b, %c, %d, %g, %h) : !tfx_host.array<index>
  %y = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %dims : !tfx_host.array<index>) : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// Floats: 0.1 has a different value in each type; 16777216 + 1 is 16777216 in f32; NaN is not less than any number, and unordered.

// CHECK-LABEL: func.func @floats(
// CHECK:         tfx_tensor.const dense<1.000000e-01> : tensor<f32>
// CHECK:         tfx_tensor.const dense<9.997550e-02> : tensor<f16>
// CHECK:         tfx_tensor.const dense<0x4B800000> : tensor<f32>
// CHECK:         tfx_tensor.const dense<false> : tensor<i1>
// CHECK:         tfx_tensor.const dense<true> : tensor<i1>
// CHECK:         tfx_tensor.const dense<5.000000e-01> : tensor<f32>
// CHECK:         tfx_tensor.const dense<1.100000e+01> : tensor<f64>
// CHECK:         tfx_tensor.const dense<-2> : tensor<i32>
func.func @floats() -> (tensor<f32>, tensor<f16>, tensor<f32>, tensor<i1>, tensor<i1>, tensor<f32>, tensor<f64>, tensor<i32>) {
  %tenth = arith.constant 0.1 : f64
  %a = arith.truncf %tenth : f64 to f32
  %b = arith.truncf %tenth : f64 to f16
  %large = arith.constant 16777216.0 : f32
  %one = arith.constant 1.0 : f32
  %c = arith.addf %large, %one : f32
  %zero = arith.constant 0.0 : f32
  %nan = arith.divf %zero, %zero : f32
  %d = arith.cmpf olt, %nan, %one : f32
  %e = arith.cmpf ult, %nan, %one : f32
  %four = arith.constant 4.0 : f32
  %f = math.rsqrt %four : f32
  %two = arith.constant 2.0 : f64
  %three = arith.constant 3.0 : f64
  %five = arith.constant 5.0 : f64
  %g = math.fma %two, %three, %five : f64
  %negative = arith.negf %three : f64
  %half = arith.divf %negative, %two : f64
  %rounded = math.roundeven %half : f64
  %h = arith.fptosi %rounded : f64 to i32
  %p = tfx_tensor.from_scalar %a : f32
  %q = tfx_tensor.from_scalar %b : f16
  %r = tfx_tensor.from_scalar %c : f32
  %s = tfx_tensor.from_scalar %d : i1
  %t = tfx_tensor.from_scalar %e : i1
  %u = tfx_tensor.from_scalar %f : f32
  %v = tfx_tensor.from_scalar %g : f64
  %w = tfx_tensor.from_scalar %h : i32
  return %p, %q, %r, %s, %t, %u, %v, %w : tensor<f32>, tensor<f16>, tensor<f32>, tensor<i1>, tensor<i1>, tensor<f32>, tensor<f64>, tensor<i32>
}
