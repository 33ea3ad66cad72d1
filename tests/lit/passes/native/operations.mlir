// Each compiled operation computes what the kernel of the embedded executor computes. The sums and
// products are exact, so that their order does not matter, and the exponentials and their like are
// of numbers for which both round alike.
//
// RUN: tfxc run %s 0.5 3 --executor embedded > %t.embedded
// RUN: tfxc run %s 0.5 3 --executor native > %t.native
// RUN: diff %t.embedded %t.native
// RUN: tfxc run %s 0.5 3 --executor native -O0 > %t.native0
// RUN: diff %t.embedded %t.native0
// RUN: tfxc build %s --native -o %t.exe && %t.exe 0.5 3 --executor native > %t.built
// RUN: diff %t.embedded %t.built
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-compile-graph{native=true native-explain=true})' -o /dev/null 2>&1 | FileCheck %s

// All operations are in clusters.
// CHECK-NOT: not compiled
// CHECK: a cluster of native code starts here
// CHECK-NOT: not compiled

func.func private @floats(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> (
    tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
    tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
    tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
    tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
    tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
    tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
    tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi1>, tensor<2x3xi1>,
    tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xf32>,
    tensor<2x3xi32>, tensor<2x3xi64>, tensor<2x3xf64>, tensor<3xi1>, tensor<3xi1>,
    tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xf32>) {
  %0 = tfx_tensor.op "AddV2"(%x, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %1 = tfx_tensor.op "Sub"(%x, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %2 = tfx_tensor.op "Mul"(%x, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %3 = tfx_tensor.op "RealDiv"(%x, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %4 = tfx_tensor.op "DivNoNan"(%x, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %5 = tfx_tensor.op "MulNoNan"(%3, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %6 = tfx_tensor.op "Maximum"(%3, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %7 = tfx_tensor.op "Minimum"(%3, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %8 = tfx_tensor.op "SquaredDifference"(%x, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %9 = tfx_tensor.op "Pow"(%x, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %10 = tfx_tensor.op "Neg"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %11 = tfx_tensor.op "Abs"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %12 = tfx_tensor.op "Sign"(%3) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %13 = tfx_tensor.op "Square"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %14 = tfx_tensor.op "Sqrt"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %15 = tfx_tensor.op "Rsqrt"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %16 = tfx_tensor.op "Reciprocal"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %17 = tfx_tensor.op "Exp"(%1) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %18 = tfx_tensor.op "Log"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %19 = tfx_tensor.op "Sin"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %20 = tfx_tensor.op "Cos"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %21 = tfx_tensor.op "Tanh"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %22 = tfx_tensor.op "Sigmoid"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %23 = tfx_tensor.op "Floor"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %24 = tfx_tensor.op "Ceil"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %25 = tfx_tensor.op "Rint"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %26 = tfx_tensor.op "Relu"(%3) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %27 = tfx_tensor.op "ReluGrad"(%13, %3) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %28 = tfx_tensor.op "TanhGrad"(%21, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %29 = tfx_tensor.op "SigmoidGrad"(%22, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %30 = tfx_tensor.op "SqrtGrad"(%13, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %31 = tfx_tensor.op "RsqrtGrad"(%13, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %32 = tfx_tensor.op "ReciprocalGrad"(%13, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %33 = tfx_tensor.op "Less"(%3, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %34 = tfx_tensor.op "LessEqual"(%x, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %35 = tfx_tensor.op "Greater"(%3, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %36 = tfx_tensor.op "GreaterEqual"(%x, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %37 = tfx_tensor.op "Equal"(%x, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %38 = tfx_tensor.op "NotEqual"(%3, %3) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %39 = tfx_tensor.op "SelectV2"(%33, %x, %y) : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %40 = tfx_tensor.op "Cast"(%3) : (tensor<2x3xf32>) -> tensor<2x3xi32>
  %41 = tfx_tensor.op "Cast"(%3) : (tensor<2x3xf32>) -> tensor<2x3xi64>
  %42 = tfx_tensor.op "Cast"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf64>
  %43 = tfx_tensor.op "Cast"(%y) : (tensor<3xf32>) -> tensor<3xi1>
  %44 = tfx_tensor.op "LogicalNot"(%43) : (tensor<3xi1>) -> tensor<3xi1>
  %45 = tfx_tensor.op "LogicalAnd"(%33, %44) : (tensor<2x3xi1>, tensor<3xi1>) -> tensor<2x3xi1>
  %46 = tfx_tensor.op "LogicalOr"(%33, %44) : (tensor<2x3xi1>, tensor<3xi1>) -> tensor<2x3xi1>
  %47 = tfx_tensor.op "Cast"(%46) : (tensor<2x3xi1>) -> tensor<2x3xf32>
  return
    %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19,
    %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37,
    %38, %39, %40, %41, %42, %43, %44, %45, %46, %47 :
    tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
    tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
    tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
    tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
    tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
    tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
    tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi1>, tensor<2x3xi1>,
    tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xf32>,
    tensor<2x3xi32>, tensor<2x3xi64>, tensor<2x3xf64>, tensor<3xi1>, tensor<3xi1>,
    tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xf32>
}

func.func private @integers(%x: tensor<2x3xi32>) -> (
    tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>,
    tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>,
    tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x2xi32>, tensor<2x3xi1>, tensor<2x3xi64>,
    tensor<2x3xf64>) {
  %d = tfx_tensor.const dense<[[3, -2, -1], [7, 5, 2]]> : tensor<2x3xi32>
  %0 = tfx_tensor.op "FloorDiv"(%x, %d) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %1 = tfx_tensor.op "FloorMod"(%x, %d) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %2 = tfx_tensor.op "TruncateDiv"(%x, %d) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %3 = tfx_tensor.op "TruncateMod"(%x, %d) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %4 = tfx_tensor.op "BitwiseAnd"(%x, %d) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %5 = tfx_tensor.op "BitwiseOr"(%x, %d) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %6 = tfx_tensor.op "BitwiseXor"(%x, %d) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %7 = tfx_tensor.op "Invert"(%x) : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %8 = tfx_tensor.op "Mul"(%x, %x) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %9 = tfx_tensor.op "Abs"(%x) : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %10 = tfx_tensor.op "Sign"(%x) : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %11 = tfx_tensor.op "Maximum"(%x, %d) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %12 = tfx_tensor.op "MatMul"(%x, %d) {transpose_b = true} : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x2xi32>
  %13 = tfx_tensor.op "Less"(%x, %d) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
  %14 = tfx_tensor.op "Cast"(%x) : (tensor<2x3xi32>) -> tensor<2x3xi64>
  %15 = tfx_tensor.op "Cast"(%14) : (tensor<2x3xi64>) -> tensor<2x3xf64>
  return
    %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15 :
    tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>,
    tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>,
    tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x2xi32>, tensor<2x3xi1>, tensor<2x3xi64>,
    tensor<2x3xf64>
}

func.func private @layouts(%x: tensor<2x3x4xf32>) -> (
    tensor<4x2x3xf32>, tensor<2x2x3xf32>, tensor<4x6xf32>, tensor<5x2x3x4xf32>,
    tensor<4x1x2x3xf32>, tensor<2x3x2x4xf32>, tensor<3x5x6xf32>, tensor<5x4x5xf32>) {
  %c0 = tfx_tensor.const dense<[2, 0, 1]> : tensor<3xi32>
  %c1 = tfx_tensor.const dense<[0, 1, 1]> : tensor<3xi32>
  %c2 = tfx_tensor.const dense<[2, 2, 3]> : tensor<3xi32>
  %c3 = tfx_tensor.const dense<[4, 6]> : tensor<2xi32>
  %c4 = tfx_tensor.const dense<[5, 2, 3, 4]> : tensor<4xi32>
  %c5 = tfx_tensor.const dense<1> : tensor<i32>
  %c6 = tfx_tensor.const dense<[[1, 0], [0, 2], [1, 1]]> : tensor<3x2xi32>
  %c7 = tfx_tensor.const dense<7.0> : tensor<f32>
  %0 = tfx_tensor.op "Transpose"(%x, %c0) : (tensor<2x3x4xf32>, tensor<3xi32>) -> tensor<4x2x3xf32>
  %1 = tfx_tensor.op "Slice"(%x, %c1, %c2) : (tensor<2x3x4xf32>, tensor<3xi32>, tensor<3xi32>) -> tensor<2x2x3xf32>
  %2 = tfx_tensor.op "Reshape"(%0, %c3) : (tensor<4x2x3xf32>, tensor<2xi32>) -> tensor<4x6xf32>
  %3 = tfx_tensor.op "BroadcastTo"(%x, %c4) : (tensor<2x3x4xf32>, tensor<4xi32>) -> tensor<5x2x3x4xf32>
  %4 = tfx_tensor.op "ExpandDims"(%0, %c5) : (tensor<4x2x3xf32>, tensor<i32>) -> tensor<4x1x2x3xf32>
  %5 = tfx_tensor.op "Pack"(%x, %x) {axis = 2} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x2x4xf32>
  %7 = tfx_tensor.op "PadV2"(%x, %c6, %c7) : (tensor<2x3x4xf32>, tensor<3x2xi32>, tensor<f32>) -> tensor<3x5x6xf32>
  %8 = tfx_tensor.op "Pad"(%0, %c6) : (tensor<4x2x3xf32>, tensor<3x2xi32>) -> tensor<5x4x5xf32>
  return
    %0, %1, %2, %3, %4, %5, %7, %8 :
    tensor<4x2x3xf32>, tensor<2x2x3xf32>, tensor<4x6xf32>, tensor<5x2x3x4xf32>,
    tensor<4x1x2x3xf32>, tensor<2x3x2x4xf32>, tensor<3x5x6xf32>, tensor<5x4x5xf32>
}

func.func private @reductions(%x: tensor<2x3x4xf32>, %l: tensor<4x3xf32>) -> (
    tensor<3x4xf32>, tensor<1x3x1xf32>, tensor<2x4xf32>, tensor<f32>, tensor<3xf32>,
    tensor<3x4xf32>, tensor<2x4xi1>, tensor<i1>, tensor<3x4xf32>, tensor<3x3xf32>,
    tensor<4x4xf32>, tensor<2x3x3xf32>, tensor<3xf32>) {
  %a0 = tfx_tensor.const dense<0> : tensor<i32>
  %a1 = tfx_tensor.const dense<[1]> : tensor<1xi32>
  %a2 = tfx_tensor.const dense<[0, 2]> : tensor<2xi32>
  %a3 = tfx_tensor.const dense<[0, 1, 2]> : tensor<3xi32>
  %zero = tfx_tensor.const dense<0.0> : tensor<f32>
  %0 = tfx_tensor.op "Sum"(%x, %a0) : (tensor<2x3x4xf32>, tensor<i32>) -> tensor<3x4xf32>
  %1 = tfx_tensor.op "Sum"(%x, %a2) {keep_dims = true} : (tensor<2x3x4xf32>, tensor<2xi32>) -> tensor<1x3x1xf32>
  %2 = tfx_tensor.op "Max"(%x, %a1) : (tensor<2x3x4xf32>, tensor<1xi32>) -> tensor<2x4xf32>
  %3 = tfx_tensor.op "Min"(%x, %a3) : (tensor<2x3x4xf32>, tensor<3xi32>) -> tensor<f32>
  %4 = tfx_tensor.op "Mean"(%x, %a2) : (tensor<2x3x4xf32>, tensor<2xi32>) -> tensor<3xf32>
  %5 = tfx_tensor.op "Prod"(%x, %a0) : (tensor<2x3x4xf32>, tensor<i32>) -> tensor<3x4xf32>
  %6 = tfx_tensor.op "Greater"(%x, %zero) : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xi1>
  %7 = tfx_tensor.op "All"(%6, %a1) : (tensor<2x3x4xi1>, tensor<1xi32>) -> tensor<2x4xi1>
  %8 = tfx_tensor.op "Any"(%6, %a3) : (tensor<2x3x4xi1>, tensor<3xi32>) -> tensor<i1>
  %9 = tfx_tensor.op "AddN"(%0, %0, %5) : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %10 = tfx_tensor.op "MatMul"(%0, %l) : (tensor<3x4xf32>, tensor<4x3xf32>) -> tensor<3x3xf32>
  %11 = tfx_tensor.op "MatMul"(%0, %l) {transpose_a = true, transpose_b = true} : (tensor<3x4xf32>, tensor<4x3xf32>) -> tensor<4x4xf32>
  %12 = tfx_tensor.op "BatchMatMulV2"(%x, %x) {adj_y = true} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
  %13 = tfx_tensor.op "BiasAddGrad"(%l) : (tensor<4x3xf32>) -> tensor<3xf32>
  return
    %0, %1, %2, %3, %4, %5, %7, %8, %9, %10, %11, %12, %13 :
    tensor<3x4xf32>, tensor<1x3x1xf32>, tensor<2x4xf32>, tensor<f32>, tensor<3xf32>,
    tensor<3x4xf32>, tensor<2x4xi1>, tensor<i1>, tensor<3x4xf32>, tensor<3x3xf32>,
    tensor<4x4xf32>, tensor<2x3x3xf32>, tensor<3xf32>
}

func.func @main(%s: f32 {tfx.name = "s"}, %n: i32 {tfx.name = "n"}) {
  %s0 = tfx_tensor.from_scalar %s : f32
  %n0 = tfx_tensor.from_scalar %n : i32
  %x0 = tfx_tensor.const dense<[[1.0, -2.0, 0.5], [3.25, -1.0e10, 2.5]]> : tensor<2x3xf32>
  %y0 = tfx_tensor.const dense<[0.5, -0.5, 1.5]> : tensor<3xf32>
  %x = tfx_tensor.op "AddV2"(%x0, %s0) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %y = tfx_tensor.op "AddV2"(%y0, %s0) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %floats:48 = call @floats(%x, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> (
      tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
      tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
      tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
      tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
      tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
      tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
      tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi1>, tensor<2x3xi1>,
      tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xf32>,
      tensor<2x3xi32>, tensor<2x3xi64>, tensor<2x3xf64>, tensor<3xi1>, tensor<3xi1>,
      tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xf32>)
  %i0 = tfx_tensor.const dense<[[1, -9, -2147483648], [2147483647, -3, 0]]> : tensor<2x3xi32>
  %i = tfx_tensor.op "Mul"(%i0, %n0) : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
  %integers:16 = call @integers(%i) : (tensor<2x3xi32>) -> (
      tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>,
      tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>,
      tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x2xi32>, tensor<2x3xi1>, tensor<2x3xi64>,
      tensor<2x3xf64>)
  %b0 = tfx_tensor.const dense<[[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 1.0, 2.0]],
      [[3.0, 4.0, 5.0, 6.0], [7.0, 8.0, 9.0, 1.0], [2.0, 3.0, 4.0, -5.0]]]> : tensor<2x3x4xf32>
  %b = tfx_tensor.op "Mul"(%b0, %s0) : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  %layouts:8 = call @layouts(%b) : (tensor<2x3x4xf32>) -> (
      tensor<4x2x3xf32>, tensor<2x2x3xf32>, tensor<4x6xf32>, tensor<5x2x3x4xf32>,
      tensor<4x1x2x3xf32>, tensor<2x3x2x4xf32>, tensor<3x5x6xf32>, tensor<5x4x5xf32>)
  %l0 = tfx_tensor.const dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [0.0, 1.0, 0.5]]> : tensor<4x3xf32>
  %l = tfx_tensor.op "AddV2"(%l0, %s0) : (tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  %reductions:13 = call @reductions(%b, %l) : (tensor<2x3x4xf32>, tensor<4x3xf32>) -> (
      tensor<3x4xf32>, tensor<1x3x1xf32>, tensor<2x4xf32>, tensor<f32>, tensor<3xf32>,
      tensor<3x4xf32>, tensor<2x4xi1>, tensor<i1>, tensor<3x4xf32>, tensor<3x3xf32>,
      tensor<4x4xf32>, tensor<2x3x3xf32>, tensor<3xf32>)
  tfx_host.print "{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}"(
      %floats#0, %floats#1, %floats#2, %floats#3, %floats#4, %floats#5, %floats#6, %floats#7,
      %floats#8, %floats#9, %floats#10, %floats#11, %floats#12, %floats#13, %floats#14,
      %floats#15, %floats#16, %floats#17, %floats#18, %floats#19, %floats#20, %floats#21,
      %floats#22, %floats#23, %floats#24, %floats#25, %floats#26, %floats#27, %floats#28,
      %floats#29, %floats#30, %floats#31, %floats#32, %floats#33, %floats#34, %floats#35,
      %floats#36, %floats#37, %floats#38, %floats#39, %floats#40, %floats#41, %floats#42,
      %floats#43, %floats#44, %floats#45, %floats#46, %floats#47)
      :
      tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
      tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
      tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
      tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
      tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
      tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
      tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi1>, tensor<2x3xi1>,
      tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xf32>,
      tensor<2x3xi32>, tensor<2x3xi64>, tensor<2x3xf64>, tensor<3xi1>, tensor<3xi1>,
      tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xf32>
  tfx_host.print "{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}"(
      %integers#0, %integers#1, %integers#2, %integers#3, %integers#4, %integers#5, %integers#6,
      %integers#7, %integers#8, %integers#9, %integers#10, %integers#11, %integers#12,
      %integers#13, %integers#14, %integers#15)
      :
      tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>,
      tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>,
      tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x2xi32>, tensor<2x3xi1>, tensor<2x3xi64>,
      tensor<2x3xf64>
  tfx_host.print "{} {} {} {} {} {} {} {}"(
      %layouts#0, %layouts#1, %layouts#2, %layouts#3, %layouts#4, %layouts#5, %layouts#6,
      %layouts#7)
      :
      tensor<4x2x3xf32>, tensor<2x2x3xf32>, tensor<4x6xf32>, tensor<5x2x3x4xf32>,
      tensor<4x1x2x3xf32>, tensor<2x3x2x4xf32>, tensor<3x5x6xf32>, tensor<5x4x5xf32>
  tfx_host.print "{} {} {} {} {} {} {} {} {} {} {} {} {}"(
      %reductions#0, %reductions#1, %reductions#2, %reductions#3, %reductions#4, %reductions#5,
      %reductions#6, %reductions#7, %reductions#8, %reductions#9, %reductions#10, %reductions#11,
      %reductions#12)
      :
      tensor<3x4xf32>, tensor<1x3x1xf32>, tensor<2x4xf32>, tensor<f32>, tensor<3xf32>,
      tensor<3x4xf32>, tensor<2x4xi1>, tensor<i1>, tensor<3x4xf32>, tensor<3x3xf32>,
      tensor<4x4xf32>, tensor<2x3x3xf32>, tensor<3xf32>
  return
}
