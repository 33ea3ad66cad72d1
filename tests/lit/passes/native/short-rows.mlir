// Rows of ten elements are vectors of which some lanes are left out: nothing is gathered from several
// rows, nor scattered to them.
//
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-compile-graph{native=true},tfx-lower-kernels{vector-bytes=64})' > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: FileCheck %s --check-prefix=PRODUCT < %t.mlir
// RUN: tfxc build %s --native-vectors 64 --emit llvm -o - | FileCheck %s --check-prefix=LLVM
// RUN: tfxc build %s --native-vectors 32 --emit llvm -o - | FileCheck %s --check-prefix=LLVM
// RUN: tfxc run %s 3 --executor embedded > %t.embedded
// RUN: tfxc run %s 3 | diff %t.embedded -
// RUN: tfxc run %s 3 --native-vectors 32 | diff %t.embedded -
// RUN: tfxc run %s 3 --native-vectors 16 | diff %t.embedded -
// RUN: tfxc run %s 3 --native-task-cost 1 --threads 2 | diff %t.embedded -

// LLVM-NOT: gather
// LLVM-NOT: scatter
// LLVM:     masked.load

// The sums of ten columns stay in registers.
// CHECK:     scf.for {{.*}} iter_args(%{{[^)]*}}) -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)
// CHECK:     } {llvm.loop_annotation = #{{.*}}}

// The gradient of 32 x 10 is the transposition of one of 10 x 32, in tiles of ten rows and two
// vectors.
// PRODUCT:   scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) : i64

!X = tensor<600x32xf32>
!W = tensor<32x10xf32>
!Y = tensor<600x10xf32>

func.func @main(%n: i32) -> (tensor<1x32x10xf32> {tfx.name = "of_batch"}, !W {tfx.name = "gradient"}, tensor<10xf32> {tfx.name = "of_bias"}, tensor<600xf32> {tfx.name = "largest"}, tensor<600xf32> {tfx.name = "sums"}) {
  %zero = tfx_tensor.const dense<0.0> : tensor<f32>
  %one = tfx_tensor.const dense<1.0> : tensor<f32>
  %end = tfx_tensor.const dense<19200.0> : tensor<f32>
  %five = tfx_tensor.const dense<5.0> : tensor<f32>
  %far = tfx_tensor.const dense<200.0> : tensor<f32>
  %parts = tfx_tensor.const dense<2520.0> : tensor<f32>
  %shape = tfx_tensor.const dense<[600, 32]> : tensor<2xi32>
  %of_weights = tfx_tensor.const dense<[32, 10]> : tensor<2xi32>
  %begin = tfx_tensor.const dense<[7]> : tensor<1xi32>
  %size = tfx_tensor.const dense<[320]> : tensor<1xi32>
  %rows = tfx_tensor.const dense<0> : tensor<i32>
  %columns = tfx_tensor.const dense<1> : tensor<i32>
  %scalar = tfx_tensor.from_scalar %n : i32
  %shift = tfx_tensor.op "Cast"(%scalar) : (tensor<i32>) -> tensor<f32>
  %numbers = tfx_tensor.op "Range"(%zero, %end, %one) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<19200xf32>
  %moved = tfx_tensor.op "AddV2"(%numbers, %shift) : (tensor<19200xf32>, tensor<f32>) -> tensor<19200xf32>
  %small = tfx_tensor.op "FloorMod"(%moved, %five) : (tensor<19200xf32>, tensor<f32>) -> tensor<19200xf32>
  %x = tfx_tensor.op "Reshape"(%small, %shape) : (tensor<19200xf32>, tensor<2xi32>) -> !X
  %some = tfx_tensor.op "Slice"(%small, %begin, %size) : (tensor<19200xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<320xf32>
  %w = tfx_tensor.op "Reshape"(%some, %of_weights) : (tensor<320xf32>, tensor<2xi32>) -> !W
  %y = tfx_tensor.op "MatMul"(%x, %w) : (!X, !W) -> !Y
  // The elements are equal or far apart, so that the parts are exact.
  %apart = tfx_tensor.op "Mul"(%y, %far) : (!Y, tensor<f32>) -> !Y
  %softmax = tfx_tensor.op "Softmax"(%apart) : (!Y) -> !Y
  %scaled = tfx_tensor.op "Mul"(%softmax, %parts) : (!Y, tensor<f32>) -> !Y
  %d = tfx_tensor.op "Rint"(%scaled) : (!Y) -> !Y
  %gradient = tfx_tensor.op "MatMul"(%x, %d) {transpose_a = true} : (!X, !Y) -> !W
  // Batches of one matrix.
  %of_x = tfx_tensor.const dense<[1, 600, 32]> : tensor<3xi32>
  %of_d = tfx_tensor.const dense<[1, 600, 10]> : tensor<3xi32>
  %batch = tfx_tensor.op "Reshape"(%x, %of_x) : (!X, tensor<3xi32>) -> tensor<1x600x32xf32>
  %dbatch = tfx_tensor.op "Reshape"(%d, %of_d) : (!Y, tensor<3xi32>) -> tensor<1x600x10xf32>
  %of_batch = tfx_tensor.op "BatchMatMulV2"(%batch, %dbatch) {adj_x = true} : (tensor<1x600x32xf32>, tensor<1x600x10xf32>) -> tensor<1x32x10xf32>
  %of_bias = tfx_tensor.op "BiasAddGrad"(%d) : (!Y) -> tensor<10xf32>
  %largest = tfx_tensor.op "Max"(%y, %columns) : (!Y, tensor<i32>) -> tensor<600xf32>
  %sums = tfx_tensor.op "Sum"(%y, %columns) : (!Y, tensor<i32>) -> tensor<600xf32>
  return %of_batch, %gradient, %of_bias, %largest, %sums : tensor<1x32x10xf32>, !W, tensor<10xf32>, tensor<600xf32>, tensor<600xf32>
}
