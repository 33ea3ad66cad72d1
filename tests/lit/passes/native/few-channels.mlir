// Images of 16 channels: the loops over channels become vectors, and a window is combined in
// registers. LLVM would unroll these loops, and then gather elements of different pixels.
//
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-compile-graph{native=true},tfx-lower-kernels{vector-bytes=64})' | FileCheck %s
// RUN: tfxc build %s --native-vectors 64 --emit llvm -o - | FileCheck %s --check-prefix=LLVM
//
// CHECK: #[[VECTORS:.*]] = #llvm.loop_annotation<vectorize = #{{.*}}, unroll = #{{.*}}>

// The bias and the activation.
// CHECK-LABEL: func.func private @tfx.kernel.1(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-COUNT-2:     llvm.load
// CHECK:             llvm.store
// CHECK-NEXT:      } {llvm.loop_annotation = #[[VECTORS]]}

// The largest of four values.
// CHECK-LABEL: func.func private @tfx.kernel.2(
// CHECK-COUNT-3: scf.for
// CHECK:           scf.for
// CHECK-NOT:         scf.for
// CHECK-COUNT-4:     llvm.load
// CHECK-NOT:         llvm.load
// CHECK:             llvm.store
// CHECK-NEXT:      } {llvm.loop_annotation = #[[VECTORS]]}

// LLVM-NOT: gather
// LLVM:     define internal fastcc void @tfx.kernel.1(
// LLVM-NOT: gather
// LLVM:     store <16 x float>
// LLVM-NOT: gather

!X = tensor<32x28x28x1xf32>
!C = tensor<32x26x26x16xf32>
!P = tensor<32x13x13x16xf32>

func.func @main(%x: !X, %w: tensor<3x3x1x16xf32>, %b: tensor<16xf32>) -> !P {
  %c = tfx_tensor.op "Conv2D"(%x, %w) {padding = "VALID", strides = [1, 1, 1, 1]} : (!X, tensor<3x3x1x16xf32>) -> !C
  %d = tfx_tensor.op "BiasAdd"(%c, %b) : (!C, tensor<16xf32>) -> !C
  %r = tfx_tensor.op "Relu"(%d) : (!C) -> !C
  %p = tfx_tensor.op "MaxPool"(%r) {ksize = [1, 2, 2, 1], strides = [1, 2, 2, 1], padding = "VALID"} : (!C) -> !P
  return %p : !P
}
