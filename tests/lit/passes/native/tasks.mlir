// Loops are split into tasks, whose results do not depend on the number of threads.
//
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-compile-graph{native=true},tfx-lower-kernels{vector-bytes=32})' | FileCheck %s --check-prefix=WHOLE
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-compile-graph{native=true},tfx-lower-kernels{vector-bytes=32 task-cost=16000})' | FileCheck %s
// RUN: tfxc run %s 3 --executor embedded > %t.embedded
// RUN: tfxc run %s 3 --threads 1 | diff %t.embedded -
// RUN: tfxc run %s 3 --native-task-cost 1 --threads 1 | diff %t.embedded -
// RUN: tfxc run %s 3 --native-task-cost 1 --threads 2 | diff %t.embedded -
// RUN: env TFX_THREADS=5 tfxc run %s 3 --native-task-cost 100 | diff %t.embedded -
// RUN: tfxc build %s --native-task-cost 16000 -o %t && %t 3 --threads 3 | diff %t.embedded -

// Usually one thread runs loops that are as short.
// WHOLE-LABEL: func.func private @main.graph.native.code(
// WHOLE-NOT:     tfx.task
// WHOLE-LABEL: func.func private @tfx.kernel.

// An elementwise kernel by itself: tasks need no memory.
// CHECK-LABEL: func.func private @main.graph.native.code(
// CHECK:         %[[CONTEXT:.*]] = llvm.alloca %{{.*}} x i64
// CHECK:         constant @tfx.task.0 :
// CHECK:         call_indirect %{{.*}}(%arg3, %{{.*}}, %[[CONTEXT]], %c9600_i64{{.*}}, %c384_i64{{.*}}, %c0_i64

// The gradient combines all rows of the group. A task adds to a sum of its own, which is added to the
// result in the end. Its memory is for blocks of rows and for packed columns.
// CHECK:         call @tfx.kernel.{{.*}}(%{{.*}}) :
// CHECK:         %[[IS_SPLIT:.*]] = arith.cmpi sgt
// CHECK:         %[[PARTIAL:.*]] = arith.select %[[IS_SPLIT]], %{{.*}} : !llvm.ptr
// CHECK:         scf.if %[[IS_SPLIT]] {
// CHECK-NEXT:      constant
// CHECK:           func.call @tfx.kernel.
// CHECK:         llvm.store %[[PARTIAL]], %{{.*}} : !llvm.ptr, !llvm.ptr
// CHECK:         constant @tfx.task.1 :
// CHECK:         call_indirect %{{.*}}(%arg3, %{{.*}}, %[[CONTEXT]], %c600_i64{{.*}}, %c84_i64{{.*}}, %c32768_i64
// CHECK:         scf.if %[[IS_SPLIT]] {
// CHECK:           func.call @tfx.kernel.{{.*}}(%{{.*}}, %{{.*}}, %{{.*}})

// The columns of wide products.
// CHECK:         constant @tfx.task.2 :
// CHECK:         call_indirect %{{.*}}(%arg3, %{{.*}}, %[[CONTEXT]], %c300_i64{{.*}}, %c160_i64{{.*}}
// CHECK:         constant @tfx.task.3 :
// CHECK:         return

// The sum of a task is at its number.
// CHECK-LABEL: func.func private @tfx.task.1(
// CHECK-SAME:    %[[ITS_CONTEXT:.*]]: !llvm.ptr, %[[FIRST:.*]]: i64, %[[LAST:.*]]: i64, %[[MEMORY:.*]]: !llvm.ptr)
// CHECK:         %[[NUMBER:.*]] = arith.divui %[[FIRST]], %c84_i64
// CHECK:         arith.muli %[[NUMBER]], %c128_i64
// CHECK:         scf.for %{{.*}} = %[[FIRST]] to %[[LAST]]
// CHECK-COUNT-3:   func.call @tfx.kernel.

// A kernel of some columns of a product.
// CHECK-LABEL: func.func private @tfx.task.2(
// CHECK:         call @tfx.kernel.[[COLUMNS:[0-9]+]](
// CHECK-LABEL: func.func private @tfx.kernel.{{[0-9]+}}(
// CHECK-SAME:    %[[FROM:[^ ]*]]: i64, %[[TO:[^ ]*]]: i64)
// CHECK:         arith.minsi %[[TO]], %

!X = tensor<600x16xf32>
!W = tensor<16x8xf32>
!H = tensor<600x8xf32>
!V = tensor<8x300xf32>

func.func @main(%n: i32 {tfx.name = "n"}) -> (!W {tfx.name = "gradient"}, tensor<8xf32> {tfx.name = "sums"}) {
  %five = tfx_tensor.const dense<5.0> : tensor<f32>
  %last = tfx_tensor.const dense<1> : tensor<i32>
  %shape = tfx_tensor.const dense<[600, 16]> : tensor<2xi32>
  %zero = tfx_tensor.const dense<0.0> : tensor<f32>
  %one = tfx_tensor.const dense<1.0> : tensor<f32>
  %end = tfx_tensor.const dense<9600.0> : tensor<f32>
  %w = tfx_tensor.const dense<1.0> : !W
  %v = tfx_tensor.const dense<2.0> : !V
  %scalar = tfx_tensor.from_scalar %n : i32
  %shift = tfx_tensor.op "Cast"(%scalar) : (tensor<i32>) -> tensor<f32>
  %numbers = tfx_tensor.op "Range"(%zero, %end, %one) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<9600xf32>
  %moved = tfx_tensor.op "AddV2"(%numbers, %shift) : (tensor<9600xf32>, tensor<f32>) -> tensor<9600xf32>
  // Small whole numbers: all sums are exact.
  %small = tfx_tensor.op "FloorMod"(%moved, %five) : (tensor<9600xf32>, tensor<f32>) -> tensor<9600xf32>
  %x = tfx_tensor.op "Reshape"(%small, %shape) : (tensor<9600xf32>, tensor<2xi32>) -> !X
  %h = tfx_tensor.op "MatMul"(%x, %w) : (!X, !W) -> !H
  %r = tfx_tensor.op "Relu"(%h) : (!H) -> !H
  %d = tfx_tensor.op "ReluGrad"(%r, %h) : (!H, !H) -> !H
  %g = tfx_tensor.op "MatMul"(%x, %d) {transpose_a = true} : (!X, !H) -> !W
  %u = tfx_tensor.op "Sign"(%g) : (!W) -> !W
  %p = tfx_tensor.op "MatMul"(%u, %v) : (!W, !V) -> tensor<16x300xf32>
  %m = tfx_tensor.op "MatMul"(%u, %p) {transpose_a = true} : (!W, tensor<16x300xf32>) -> !V
  %s = tfx_tensor.op "Sum"(%m, %last) : (!V, tensor<i32>) -> tensor<8xf32>
  return %g, %s : !W, tensor<8xf32>
}
