// RUN: tfx-opt %s --tfx-lower-host | FileCheck %s

// An eager operation: a template of its program, the types of its attributes, and a call. Scalars
// are passed in tensors of rank 0, which are released; arrays are passed unchanged.

// CHECK-DAG:   llvm.mlir.global private constant @tfx.graphdef.f_Squeeze("{{.*}}Squeeze
// CHECK-DAG:   llvm.mlir.global private constant @tfx.image.f_Squeeze()
// CHECK-DAG:   llvm.mlir.global private constant @tfx.attributes.f_Squeeze()
// CHECK-DAG:   llvm.mlir.global private constant @tfx.operation.f_Squeeze()
// CHECK-DAG:   llvm.mlir.global private constant @tfx.operation.f_LeakyRelu()
// CHECK-DAG:   llvm.mlir.global private constant @tfx.operation.f_LeakyRelu_2()
// CHECK-LABEL: func.func private @f(
// CHECK-SAME:    %[[X:.*]]: !llvm.ptr, %[[A:.*]]: f32, %[[DIMS:.*]]: !llvm.ptr) -> !llvm.ptr
// CHECK:         %[[ALPHA:.*]] = call @tfx_scalar_f32(%[[A]])
// CHECK:         llvm.mlir.addressof @tfx.operation.f_LeakyRelu :
// CHECK:         call @tfx_operation_run(
// CHECK-NEXT:    call @tfx_tensor_release(%[[ALPHA]])
// CHECK:         %[[Y:.*]] = llvm.load
// CHECK:         @tfx.operation.f_LeakyRelu_2
// CHECK:         call @tfx_operation_run(
// CHECK:         call @tfx_tensor_release(%[[Y]])
// CHECK:         llvm.store %[[DIMS]],
// CHECK:         call @tfx_operation_run(
// CHECK-NOT:     tfx_tensor.op
func.func private @f(%x: tensor<1x4xf32>, %a: f32, %dims: !tfx_host.array<i64>) -> tensor<4xf32> {
  %y = tfx_tensor.op "LeakyRelu"(%x) computed(alpha = %a : f32) {eager} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %z = tfx_tensor.op "LeakyRelu"(%y) computed(alpha = %a : f32) {eager} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %w = tfx_tensor.op "Squeeze"(%z) computed(squeeze_dims = %dims : !tfx_host.array<i64>) {eager} : (tensor<1x4xf32>) -> tensor<4xf32>
  return %w : tensor<4xf32>
}
