// Launches that are products of matrices say so: the type, the sizes of the batch, the rows, the
// columns and the sum, and for each matrix its parameter, whether it is transposed in memory, and
// the elements to the next row and to the next matrix.

// RUN: tfx-opt --tfx-lower-gpu %s | FileCheck %s
// The description survives another pass over the text.
// RUN: tfx-opt --tfx-lower-gpu %s -o %t.mlir
// RUN: tfx-opt %t.mlir | FileCheck %s

!s = !tfx_stream.stream<cuda>
!a = !tfx_stream.buffer<384, cuda>
!b = !tfx_stream.buffer<640, cuda>
!c = !tfx_stream.buffer<960, cuda>
!i = !tfx_stream.buffer<256, cuda>

// Both factors are transposed. The working memory is no parameter.
// CHECK-LABEL: tfx_tensor.graph private @batch
// CHECK-SAME:  tfx.launches = {{\[\[}}"{{tfx_kernel_[0-9]+}}", 120, [0, 0, 1, 0, 2, 0], [f64, [2, 6, 10, 4], [0, 1, 6, 24], [1, 1, 4, 40], [2, 0, 10, 60]]]]
tfx_tensor.graph private @batch(%x: tensor<2x4x6xf64>, %w: tensor<2x10x4xf64>) -> tensor<2x6x10xf64> {
  %y = tfx_tensor.op "BatchMatMulV2"(%x, %w) {adj_x = true, adj_y = true} : (tensor<2x4x6xf64>, tensor<2x10x4xf64>) -> tensor<2x6x10xf64>
  tfx_tensor.return %y : tensor<2x6x10xf64>
}

// A matrix by itself, and a function of the product, which is a launch of its own.
// CHECK-LABEL: tfx_tensor.graph private @square
// CHECK-SAME:  tfx.launches = {{\[\[}}"{{tfx_kernel_[0-9]+}}", 64, [0, 0, 0, 0, {{[0-9]+, [0-9]+}}], [f32, [1, 8, 8, 8], [0, 0, 8, 64], [1, 1, 8, 64], [2, 0, 8, 64]]], ["{{tfx_kernel_[0-9]+}}", 64, [{{[0-9, ]*}}]]]
tfx_tensor.graph private @square(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %h = tfx_tensor.op "MatMul"(%x, %x) {transpose_b = true} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = tfx_tensor.op "Sqrt"(%h) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  tfx_tensor.return %y : tensor<8x8xf32>
}

// The elements of a constant factor are in the assembly, unless all are equal: then a launch stores
// them. Integers have no library.
// CHECK-LABEL: tfx_tensor.graph private @constant
// CHECK-SAME:  tfx.launches = {{\[\[}}"{{tfx_kernel_[0-9]+}}", 64, [0, 0, 1, 0]]]
tfx_tensor.graph private @constant(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %w = tfx_tensor.const dense<[
    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]]> : tensor<8x8xf32>
  %y = tfx_tensor.op "MatMul"(%x, %w) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  tfx_tensor.return %y : tensor<8x8xf32>
}

// CHECK-LABEL: tfx_tensor.graph private @integers
// CHECK-SAME:  tfx.launches = {{\[\[}}"{{tfx_kernel_[0-9]+}}", 64, [0, 0, 1, 0, 2, 0]]]
tfx_tensor.graph private @integers(%x: tensor<8x8xi32>, %w: tensor<8x8xi32>) -> tensor<8x8xi32> {
  %y = tfx_tensor.op "MatMul"(%x, %w) : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi32>
  tfx_tensor.return %y : tensor<8x8xi32>
}

tfx_stream.schedule @main(%s: !s, %x: !a, %w: !b, %y: !c, %i: !i, %j: !i, %k: !i) {
  %vx = tfx_stream.input %x : !a
  %vw = tfx_stream.input %w : !b
  %vi = tfx_stream.input %i : !i
  %p = tfx_stream.launch %s @batch(%x read as %vx, %w read as %vw, %y write) : !s, !a, !b, !c
  %q = tfx_stream.launch %s @square(%i read as %vi, %j write) : !s, !i, !i
  %r = tfx_stream.launch %s @constant(%j read as %q, %k write) : !s, !i, !i
  %t = tfx_stream.launch %s @integers(%j read as %q, %k read as %r, %i write) : !s, !i, !i, !i
  tfx_stream.return
}
