// RUN: tfx-opt --tfx-lower-kernels=vector-bytes=16 --split-input-file %s | FileCheck %s
// A second run changes nothing.
// RUN: tfx-opt --tfx-lower-kernels=vector-bytes=16 --split-input-file %s -o %t.once && tfx-opt --tfx-lower-kernels=vector-bytes=16 --split-input-file %t.once | diff %t.once -

// Elementwise operations are fused, also into a reduction. The loop over a whole tensor is one loop.

// CHECK-LABEL: tfx_tensor.graph private @fused
// CHECK-SAME:    attributes {tfx.cluster, tfx.code = {{\[\[}}[16, @fused.code]], 0, {{\[}}[1, 4, 20], [1, 20]], {{\[}}[1, 4]], [], []]}
// CHECK-LABEL: func.func private @fused.code(
// CHECK-COUNT-1: call @tfx.kernel.0(
// CHECK-NOT:     call
// CHECK-LABEL: func.func private @tfx.kernel.0(
// CHECK-SAME:    !llvm.ptr {llvm.noalias}
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             arith.addf
// CHECK:             math.sin
// CHECK:             arith.mulf
// CHECK:             arith.addf {{.*}} fastmath<reassoc>
// CHECK-NOT:   func.func
tfx_tensor.graph private @fused(%x: tensor<4x20xf32>, %b: tensor<20xf32>) -> tensor<4xf32> attributes {tfx.cluster} {
  %axis = tfx_tensor.const dense<1> : tensor<i32>
  %0 = tfx_tensor.op "AddV2"(%x, %b) : (tensor<4x20xf32>, tensor<20xf32>) -> tensor<4x20xf32>
  %1 = tfx_tensor.op "Sin"(%0) : (tensor<4x20xf32>) -> tensor<4x20xf32>
  %2 = tfx_tensor.op "Mul"(%1, %x) : (tensor<4x20xf32>, tensor<4x20xf32>) -> tensor<4x20xf32>
  %3 = tfx_tensor.op "Sum"(%2, %axis) : (tensor<4x20xf32>, tensor<i32>) -> tensor<4xf32>
  tfx_tensor.return %3 : tensor<4xf32>
}

// -----

// A sum of a few consecutive values is a tree, in one loop over the rows.

// CHECK-LABEL: func.func private @few.code(
// CHECK-LABEL: func.func private @tfx.kernel.0(
// CHECK:         scf.for
// CHECK:           %[[A:.*]] = arith.addf %{{.*}}, %{{.*}} fastmath<reassoc>
// CHECK-NEXT:      %[[B:.*]] = arith.addf %{{.*}}, %{{.*}} fastmath<reassoc>
// CHECK-NEXT:      %[[C:.*]] = arith.addf %[[A]], %[[B]] fastmath<reassoc>
// CHECK-NEXT:      arith.addf %[[C]], %{{.*}} fastmath<reassoc>
// CHECK-NOT:   scf.for
tfx_tensor.graph private @few(%x: tensor<4x5xf32>) -> tensor<4xf32> attributes {tfx.cluster} {
  %axis = tfx_tensor.const dense<1> : tensor<i32>
  %0 = tfx_tensor.op "Square"(%x) : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %1 = tfx_tensor.op "Sum"(%0, %axis) : (tensor<4x5xf32>, tensor<i32>) -> tensor<4xf32>
  tfx_tensor.return %1 : tensor<4xf32>
}

// -----

// Equal kernels share a function. A result with several uses is stored, in memory that is reused.

// CHECK-LABEL: tfx_tensor.graph private @shared
// CHECK-SAME:    tfx.code = {{\[\[}}[16, @shared.code]], 512,
// CHECK-LABEL: func.func private @shared.code(
// CHECK:         call @tfx.kernel.0(
// CHECK:         call @tfx.kernel.1(
// CHECK:         call @tfx.kernel.1(
// CHECK:         call @tfx.kernel.1(
// CHECK:         return
// CHECK-LABEL: func.func private @tfx.kernel.0(
// CHECK:         math.cos
// CHECK-LABEL: func.func private @tfx.kernel.1(
// CHECK:         scf.for
// CHECK-NOT:     scf.for
// CHECK:         math.sin
// CHECK:         arith.mulf
// CHECK-NOT:   func.func
tfx_tensor.graph private @shared(%x: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {tfx.cluster} {
  %a = tfx_tensor.op "Cos"(%x) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %b = tfx_tensor.op "Sin"(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %c = tfx_tensor.op "Mul"(%b, %a) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %d = tfx_tensor.op "Sin"(%c) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %e = tfx_tensor.op "Mul"(%d, %c) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %f = tfx_tensor.op "Sin"(%e) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %g = tfx_tensor.op "Mul"(%f, %e) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  tfx_tensor.return %g : tensor<8x8xf32>
}

// -----

// A loop carries scalars in registers, and a tensor in two buffers, of which it passes the
// addresses. Each iteration reads the byte that cancels it.

// CHECK-LABEL: func.func private @loop.code(
// CHECK-SAME:    %[[ARGS:.*]]: !llvm.ptr, %[[RESULTS:.*]]: !llvm.ptr, %[[MEMORY:.*]]: !llvm.ptr, %[[GIVEN:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i32
// CHECK:         %[[CANCELLED:.*]] = llvm.load %[[GIVEN]]
// CHECK:         scf.while ({{.*}}) : (i32, !llvm.ptr, !llvm.ptr) -> (i32, !llvm.ptr, !llvm.ptr)
// CHECK:           arith.cmpi slt
// CHECK:           llvm.load volatile %[[CANCELLED]]
// CHECK:           scf.condition
// CHECK:         } do {
// CHECK:         ^bb0(%{{.*}}: i32, %[[CURRENT:.*]]: !llvm.ptr, %[[NEXT:.*]]: !llvm.ptr):
// CHECK:           call @tfx.kernel.0(%[[CURRENT]], %[[NEXT]])
// CHECK:           %[[OTHER:.*]] = arith.select
// CHECK:           scf.yield %{{.*}}, %[[NEXT]], %[[OTHER]]
tfx_tensor.graph private @loop(%n: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> attributes {tfx.cluster} {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %y:2 = tfx_tensor.while (%i = %zero, %v = %x) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
    %go = tfx_tensor.op "Less"(%i, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %v: tensor<4xf32>):
    %w = tfx_tensor.op "Mul"(%v, %v) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %j = tfx_tensor.op "AddV2"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tfx_tensor.yield %j, %w : tensor<i32>, tensor<4xf32>
  }
  tfx_tensor.return %y#1 : tensor<4xf32>
}
