// The three dialects share a context with all upstream dialects. Their names have a prefix, since
// upstream has a `tensor` dialect, too; here both dialects operate on the same values.

// RUN: %tfx-opt --show-dialects | FileCheck %s --check-prefix=OURS
// RUN: tfx-opt %s | FileCheck %s
// RUN: tfx-opt --emit-bytecode %s | tfx-opt | FileCheck %s
// RUN: tfx-opt --canonicalize --cse %s | FileCheck %s --check-prefix=OPTIMIZED

// tfx-opt has all dialects of mlir-opt except test dialects, and those of tfx.
// RUN: mlir-opt --show-dialects | tail -1 | tr ',' '\n' | sed 's/.*: *//' | grep -v -e '^test' -e '^transform_test' | sort > %t.upstream
// RUN: %tfx-opt --show-dialects | tail -1 | tr ',' '\n' | sed 's/.*: *//' | sort > %t.all
// RUN: comm -23 %t.upstream %t.all | count 0
// RUN: comm -13 %t.upstream %t.all | FileCheck %s --check-prefix=MORE --match-full-lines

// OURS: Available Dialects:
// OURS-SAME: affine,{{.*}}arith,{{.*}}bufferization,{{.*}}builtin,{{.*}}cf,{{.*}}func,{{.*}}gpu,{{.*}}index,{{.*}}linalg,{{.*}}llvm,{{.*}}math,{{.*}}memref,{{.*}}scf,{{.*}}tensor,{{.*}}tfx_ad,tfx_comm,tfx_host,tfx_stream,tfx_tensor,{{.*}}vector

// MORE: tfx_ad
// MORE-NEXT: tfx_comm
// MORE-NEXT: tfx_host
// MORE-NEXT: tfx_stream
// MORE-NEXT: tfx_tensor
// MORE-NOT: {{.}}

// CHECK-LABEL: func.func @both
func.func @both(%x: tensor<4xf32>, %i: index) -> tensor<2xf32> {
  // CHECK: tensor.extract %{{.*}}[%{{.*}}] : tensor<4xf32>
  %e = tensor.extract %x[%i] : tensor<4xf32>
  // CHECK: tfx_tensor.from_scalar %{{.*}} : f32
  %t = tfx_tensor.from_scalar %e : f32
  // CHECK: tensor.extract_slice %{{.*}}[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %s = tensor.extract_slice %x[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
  // CHECK: tfx_tensor.op "Mul"(%{{.*}}, %{{.*}}) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %y = tfx_tensor.op "Mul"(%s, %t) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // CHECK: tensor.cast %{{.*}} : tensor<2xf32> to tensor<?xf32>
  %c = tensor.cast %y : tensor<2xf32> to tensor<?xf32>
  // CHECK: tfx_host.print "{}"(%{{.*}}) : tensor<?xf32>
  tfx_host.print "{}"(%c) : tensor<?xf32>
  // CHECK: tfx_comm.to_host %{{.*}} : tensor<2xf32>
  %h = tfx_comm.to_host %y : tensor<2xf32>
  return %h : tensor<2xf32>
}

// Upstream passes optimize operations that TensorFlow declares stateless, and keep the others.
// OPTIMIZED-LABEL: func.func @effects
// OPTIMIZED-NEXT: %[[R:.*]] = tfx_tensor.op "RandomStandardNormal"
// OPTIMIZED-NEXT: tfx_tensor.op "RandomStandardNormal"
// OPTIMIZED-NEXT: %[[N:.*]] = tfx_tensor.op "Neg"(%[[R]])
// OPTIMIZED-NEXT: tfx_tensor.op "AddV2"(%[[N]], %[[N]])
// OPTIMIZED-NEXT: return
func.func @effects(%shape: tensor<1xi32>) -> tensor<?xf32> {
  %r = tfx_tensor.op "RandomStandardNormal"(%shape) : (tensor<1xi32>) -> tensor<?xf32>
  %unused = tfx_tensor.op "RandomStandardNormal"(%shape) : (tensor<1xi32>) -> tensor<?xf32>
  %dead = tfx_tensor.op "Neg"(%unused) : (tensor<?xf32>) -> tensor<?xf32>
  %n = tfx_tensor.op "Neg"(%r) : (tensor<?xf32>) -> tensor<?xf32>
  %again = tfx_tensor.op "Neg"(%r) : (tensor<?xf32>) -> tensor<?xf32>
  %sum = tfx_tensor.op "AddV2"(%n, %again) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %sum : tensor<?xf32>
}
