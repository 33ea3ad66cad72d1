// The code of kernels for CUDA devices: launches with a thread for each result.

// RUN: tfx-opt --tfx-lower-gpu %s 2>%t.warnings -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: FileCheck %s --check-prefix=WARN --input-file=%t.warnings
// The text of the assembly, with its line breaks.
// RUN: sed -n 's/.*tfx_stream.ptx = "\([^"]*\)".*/\1/p' %t.mlir | sed 's/\\0A/\n/g; s/\\09/ /g' > %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx
// RUN: tfx-opt --tfx-lower-gpu="chip=sm_90 features=+ptx80" %s 2>/dev/null | FileCheck %s --check-prefix=NEWER
// NEWER: .version 8.0\0A.target sm_90

!s = !tfx_stream.stream<cuda>
!m = !tfx_stream.buffer<16384, cuda>
!n = !tfx_stream.buffer<4, cuda>

// A product and a function of its elements: one launch each. The columns are not packed, so the
// only working memory is the product.
// CHECK-LABEL: tfx_tensor.graph private @layer
// CHECK-SAME:  tfx.launches = {{\[\[}}"[[PRODUCT:tfx_kernel_[0-9]+]]", 4096, [0, 0, 1, 0, {{[0-9, ]*}}], [f32, [1, 64, 64, 64], [0, 0, 64, 4096], [1, 0, 64, 4096], [2, 0, 64, 4096]]], ["[[TANH:tfx_kernel_[0-9]+]]", 4096, [3, {{[0-9]+}}, 2, 0]]]
tfx_tensor.graph private @layer(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %h = tfx_tensor.op "MatMul"(%x, %w) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %y = tfx_tensor.op "Tanh"(%h) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  tfx_tensor.return %y : tensor<64x64xf32>
}

// Scalars stay on the device: the exponential of the argument is in the working memory, and the
// argument itself is read where it is.
// CHECK-LABEL: tfx_tensor.graph private @scaled
// CHECK-SAME:  tfx.launches = {{\[\[}}"{{tfx_kernel_[0-9]+}}", 1, [1, 0, 3, {{[0-9]+}}]], ["{{tfx_kernel_[0-9]+}}", 4096, [0, 0, 2, 0, 3, {{[0-9]+}}, 1, 0]]]
tfx_tensor.graph private @scaled(%x: tensor<64x64xf32>, %s: tensor<f32>) -> tensor<64x64xf32> {
  %e = tfx_tensor.op "Exp"(%s) : (tensor<f32>) -> tensor<f32>
  %a = tfx_tensor.op "Mul"(%x, %e) : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  %y = tfx_tensor.op "AddV2"(%a, %s) : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  tfx_tensor.return %y : tensor<64x64xf32>
}

// Each scalar has bytes of its own.
// CHECK-LABEL: tfx_tensor.graph private @within
// CHECK-SAME:  tfx.launches = {{\[\[}}"{{tfx_kernel_[0-9]+}}", 1, [1, 0, 3, 8, 3, 16]], ["{{tfx_kernel_[0-9]+}}", 4096, [0, 0, 2, 0, 3, 8, 3, 16]]]
tfx_tensor.graph private @within(%x: tensor<64x64xf32>, %s: tensor<f32>) -> tensor<64x64xf32> {
  %low = tfx_tensor.op "Neg"(%s) : (tensor<f32>) -> tensor<f32>
  %high = tfx_tensor.op "Exp"(%s) : (tensor<f32>) -> tensor<f32>
  %a = tfx_tensor.op "Maximum"(%x, %low) : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  %y = tfx_tensor.op "Minimum"(%a, %high) : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  tfx_tensor.return %y : tensor<64x64xf32>
}

// An equal kernel has the same entries.
// CHECK-LABEL: tfx_tensor.graph private @same_layer
// CHECK-SAME:  "[[PRODUCT]]"
// CHECK-SAME:  "[[TANH]]"
tfx_tensor.graph private @same_layer(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %h = tfx_tensor.op "MatMul"(%x, %w) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %y = tfx_tensor.op "Tanh"(%h) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  tfx_tensor.return %y : tensor<64x64xf32>
}

// A sum of many values has a launch for parts of it, and one that combines them. The result is also
// a scalar of the kernel.
// CHECK-LABEL: tfx_tensor.graph private @sum
// CHECK-SAME:  tfx.launches = {{\[\[}}"{{tfx_kernel_[0-9]+}}", 256, [0, 0, 2, [[AT:[0-9]+]]]], ["{{tfx_kernel_[0-9]+}}", 1, [2, [[AT]], 1, 0]], ["{{tfx_kernel_[0-9]+}}", 1, [1, 0, 2, 0]]]
tfx_tensor.graph private @sum(%x: tensor<64x64xf32>) -> tensor<f32> {
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %y = tfx_tensor.op "Sum"(%x, %axes) : (tensor<64x64xf32>, tensor<2xi32>) -> tensor<f32>
  tfx_tensor.return %y : tensor<f32>
}

// These have no code for devices.
// CHECK-LABEL: tfx_tensor.graph private @waves
// CHECK-NOT:   tfx.launches
// WARN: lower-gpu.mlir:[[#@LINE+2]]:{{[0-9]+}}: warning: this runs on the host, and not on the device: it calls a function of C's library, which devices do not have
tfx_tensor.graph private @waves(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = tfx_tensor.op "Sin"(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  tfx_tensor.return %y : tensor<64x64xf32>
}

// CHECK:       tfx_stream.schedule @main(
// CHECK-SAME:  tfx_stream.ptx =
// CHECK:       %[[M:.*]] = tfx_stream.alloc on %[[S:.*]] : !tfx_stream.buffer<{{[0-9]+}}, cuda>
// CHECK:       tfx_stream.launch %[[S]] @layer({{.*}} write, %[[M]] scratch)
// CHECK:       tfx_stream.free %[[M]] on %[[S]]
// CHECK:       tfx_stream.launch %{{.*}} @scaled({{.*}} scratch)
// CHECK:       tfx_stream.launch %{{.*}} @sum({{.*}} scratch)
// CHECK:       tfx_stream.launch %{{.*}} @waves(
// CHECK-NOT:   scratch
// CHECK:       tfx_stream.launch %{{.*}} @within({{.*}} scratch)
// CHECK:       tfx_stream.return
tfx_stream.schedule @main(%s: !s, %x: !m, %w: !m, %f: !n, %y: !m, %z: !m) {
  %vx = tfx_stream.input %x : !m
  %vw = tfx_stream.input %w : !m
  %vf = tfx_stream.input %f : !n
  %a = tfx_stream.launch %s @layer(%x read as %vx, %w read as %vw, %y write) : !s, !m, !m, !m
  %b = tfx_stream.launch %s @scaled(%y read as %a, %f read as %vf, %z write) : !s, !m, !n, !m
  %c = tfx_stream.launch %s @same_layer(%x read as %vx, %z read as %b, %y write) : !s, !m, !m, !m
  %e = tfx_stream.launch %s @sum(%y read as %c, %f write) : !s, !m, !n
  %d = tfx_stream.launch %s @waves(%y read as %c, %w read as %vw, %z write) : !s, !m, !m, !m
  tfx_stream.launch %s @within(%y read as %c, %f read as %e, %z write) : !s, !m, !n, !m
  tfx_stream.return
}

// A sum of a product is fused, as in native code; the threads beyond the results do nothing.
// PTX: .version 6.0
// PTX: .target sm_70
// PTX: .visible .entry tfx_kernel_0(
// PTX: setp.gt.u64 %p{{[0-9]+}}, %rd{{[0-9]+}}, 4095;
// PTX: fma.rn.f32
// PTX: .visible .entry tfx_kernel_1(
