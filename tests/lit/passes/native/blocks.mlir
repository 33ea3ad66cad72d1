// Products of operands that exceed the cache are computed in blocks of rows and of `k`. All numbers
// are small integers, so that each order of additions has the same result.
//
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-compile-graph{native=true},tfx-lower-kernels{vector-bytes=64})' | FileCheck %s
// RUN: tfxc run %s 300 --executor embedded > %t.embedded
// RUN: tfxc run %s 300 --threads 1 | diff %t.embedded -
// RUN: tfxc run %s 300 --threads 2 --native-vectors 32 | diff %t.embedded -
// RUN: tfxc run %s 300 --native-vectors 16 | diff %t.embedded -
// RUN: tfxc run %s 300 --native-task-cost 1 --threads 2 | diff %t.embedded -
// RUN: tfxc run %s 0 --executor embedded > %t.empty
// RUN: tfxc run %s 0 | diff %t.empty -
// RUN: tfxc run %s 0 --native-task-cost 1 | diff %t.empty -

// The tasks have rows of the result: two of at most 294 rows and more. A task has memory for the
// columns of four tiles and for a block of rows: 4 (256 * 128 + 588 * 272) bytes.
// CHECK-LABEL: func.func private @known.graph.native.code(
// CHECK:         call_indirect %{{.*}}(%arg3, %{{.*}}, %{{.*}}, %c613_i64{{.*}}, %c336_i64{{.*}}, %c770816_i64

// CHECK-LABEL: func.func private @tfx.task.0(
// CHECK:         call @tfx.kernel.[[BLOCKS:[0-9]+]](
// CHECK:       func.func private @tfx.kernel.[[BLOCKS]](%{{.*}}, %[[FROM:[^ ]*]]: i64, %[[TO:[^ ]*]]: i64)
// CHECK:         scf.for %[[ROW:.*]] = %[[FROM]] to %[[TO]] step
// CHECK:           scf.for %[[P:.*]] = %c0_i64{{.*}} to %c301_i64{{.*}} step %c256_i64
// CHECK:             %[[IS_FIRST:.*]] = arith.cmpi eq, %[[P]], %c0_i64
// CHECK:             scf.if %[[IS_FIRST]] -> (vector<16xf32>

// The tasks of a product of few rows have columns, as many as are packed together.
// CHECK-LABEL: func.func private @few.graph.native.code(
// CHECK:         call_indirect %{{.*}}(%arg3, %{{.*}}, %{{.*}}, %c293_i64{{.*}}, %c256_i64{{.*}}, %c770816_i64

// A wide layer is one group: its product has blocks, too.
// CHECK-LABEL: func.func private @wide.graph.native.code(
// CHECK:         call_indirect
// CHECK-NOT:     call_indirect
// CHECK-LABEL: func.func private @tfx.task.2(
// CHECK:         scf.for %{{.*}} step %c294_i64
// CHECK:           func.call @tfx.kernel
// CHECK:           func.call @tfx.kernel
// CHECK-NOT:       func.call
// CHECK:         return

!A = tensor<613x301xf32>
!B = tensor<301x293xf32>
!C = tensor<613x293xf32>
!AT = tensor<301x613xf32>
!BT = tensor<293x301xf32>

func.func private @numbers(%count: i32, %modulus: f32) -> tensor<?xf32> {
  %from = tfx_tensor.const dense<0> : tensor<i32>
  %step = tfx_tensor.const dense<1> : tensor<i32>
  %to = tfx_tensor.from_scalar %count : i32
  %m = tfx_tensor.from_scalar %modulus : f32
  %range = tfx_tensor.op "Range"(%from, %to, %step) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
  %floats = tfx_tensor.op "Cast"(%range) : (tensor<?xi32>) -> tensor<?xf32>
  %numbers = tfx_tensor.op "FloorMod"(%floats, %m) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %numbers : tensor<?xf32>
}

// Prints the sums of the columns and of the rows of a result.
func.func private @show(%result: tensor<?x293xf64>) {
  %rows = tfx_tensor.const dense<0> : tensor<i32>
  %columns = tfx_tensor.const dense<1> : tensor<i32>
  %whole = tfx_tensor.op "Cast"(%result) : (tensor<?x293xf64>) -> tensor<?x293xi64>
  %0 = tfx_tensor.op "Sum"(%whole, %rows) : (tensor<?x293xi64>, tensor<i32>) -> tensor<293xi64>
  %1 = tfx_tensor.op "Sum"(%whole, %columns) : (tensor<?x293xi64>, tensor<i32>) -> tensor<?xi64>
  tfx_host.print "{} {}"(%0, %1) : tensor<293xi64>, tensor<?xi64>
  return
}

func.func private @show_f32(%result: tensor<?x293xf32>) {
  %0 = tfx_tensor.op "Cast"(%result) : (tensor<?x293xf32>) -> tensor<?x293xf64>
  call @show(%0) : (tensor<?x293xf64>) -> ()
  return
}

func.func private @layer(%a: tensor<?x301xf32>, %b: !B, %bias: tensor<293xf32>) -> tensor<?x293xf32> {
  %0 = tfx_tensor.op "MatMul"(%a, %b) : (tensor<?x301xf32>, !B) -> tensor<?x293xf32>
  %1 = tfx_tensor.op "BiasAdd"(%0, %bias) : (tensor<?x293xf32>, tensor<293xf32>) -> tensor<?x293xf32>
  %2 = tfx_tensor.op "Relu"(%1) : (tensor<?x293xf32>) -> tensor<?x293xf32>
  return %2 : tensor<?x293xf32>
}

func.func @known(%a: !A, %b: !B) -> !C {
  %0 = tfx_tensor.op "MatMul"(%a, %b) : (!A, !B) -> !C
  return %0 : !C
}

func.func @few(%a: tensor<101x301xf32>, %b: !B) -> tensor<101x293xf32> {
  %0 = tfx_tensor.op "MatMul"(%a, %b) : (tensor<101x301xf32>, !B) -> tensor<101x293xf32>
  return %0 : tensor<101x293xf32>
}

func.func @wide(%a: tensor<?x301xf32>, %b: !B, %bias: tensor<293xf32>) -> tensor<?x293xf32> {
  %0 = call @layer(%a, %b, %bias) : (tensor<?x301xf32>, !B, tensor<293xf32>) -> tensor<?x293xf32>
  return %0 : tensor<?x293xf32>
}

func.func @main(%rows: i32 {tfx.name = "rows"}) {
  %count_a = arith.constant 184513 : i32
  %count_b = arith.constant 88193 : i32
  %seven = arith.constant 7.0 : f32
  %five = arith.constant 5.0 : f32
  %numbers_a = call @numbers(%count_a, %seven) : (i32, f32) -> tensor<?xf32>
  %numbers_b = call @numbers(%count_b, %five) : (i32, f32) -> tensor<?xf32>
  %shape_a = tfx_tensor.const dense<[613, 301]> : tensor<2xi32>
  %shape_b = tfx_tensor.const dense<[301, 293]> : tensor<2xi32>
  %shape_at = tfx_tensor.const dense<[301, 613]> : tensor<2xi32>
  %shape_bt = tfx_tensor.const dense<[293, 301]> : tensor<2xi32>
  %a = tfx_tensor.op "Reshape"(%numbers_a, %shape_a) : (tensor<?xf32>, tensor<2xi32>) -> !A
  %b = tfx_tensor.op "Reshape"(%numbers_b, %shape_b) : (tensor<?xf32>, tensor<2xi32>) -> !B
  %at = tfx_tensor.op "Reshape"(%numbers_a, %shape_at) : (tensor<?xf32>, tensor<2xi32>) -> !AT
  %bt = tfx_tensor.op "Reshape"(%numbers_b, %shape_bt) : (tensor<?xf32>, tensor<2xi32>) -> !BT
  %0 = tfx_tensor.op "MatMul"(%a, %b) : (!A, !B) -> tensor<?x293xf32>
  %1 = tfx_tensor.op "MatMul"(%at, %b) {transpose_a = true} : (!AT, !B) -> tensor<?x293xf32>
  %2 = tfx_tensor.op "MatMul"(%a, %bt) {transpose_b = true} : (!A, !BT) -> tensor<?x293xf32>
  %3 = tfx_tensor.op "MatMul"(%at, %bt) {transpose_a = true, transpose_b = true} : (!AT, !BT) -> tensor<?x293xf32>
  call @show_f32(%0) : (tensor<?x293xf32>) -> ()
  call @show_f32(%1) : (tensor<?x293xf32>) -> ()
  call @show_f32(%2) : (tensor<?x293xf32>) -> ()
  call @show_f32(%3) : (tensor<?x293xf32>) -> ()
  %a64 = tfx_tensor.op "Cast"(%a) : (!A) -> tensor<613x301xf64>
  %b64 = tfx_tensor.op "Cast"(%b) : (!B) -> tensor<301x293xf64>
  %4 = tfx_tensor.op "MatMul"(%a64, %b64) : (tensor<613x301xf64>, tensor<301x293xf64>) -> tensor<?x293xf64>
  call @show(%4) : (tensor<?x293xf64>) -> ()
  // Few rows: tasks have columns.
  %origin = tfx_tensor.const dense<0> : tensor<2xi32>
  %shape_few = tfx_tensor.const dense<[101, 301]> : tensor<2xi32>
  %few = tfx_tensor.op "Slice"(%a, %origin, %shape_few) : (!A, tensor<2xi32>, tensor<2xi32>) -> tensor<101x301xf32>
  %7 = tfx_tensor.op "MatMul"(%few, %b) : (tensor<101x301xf32>, !B) -> tensor<?x293xf32>
  %8 = tfx_tensor.op "MatMul"(%few, %bt) {transpose_b = true} : (tensor<101x301xf32>, !BT) -> tensor<?x293xf32>
  call @show_f32(%7) : (tensor<?x293xf32>) -> ()
  call @show_f32(%8) : (tensor<?x293xf32>) -> ()
  // The first rows, whose number is not known.
  %start = tfx_tensor.const dense<0> : tensor<2xi32>
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %rows_tensor = tfx_tensor.from_scalar %rows : i32
  %all = tfx_tensor.const dense<301> : tensor<i32>
  %sizes = tfx_tensor.op "Pack"(%rows_tensor, %all) : (tensor<i32>, tensor<i32>) -> tensor<2xi32>
  %first = tfx_tensor.op "Slice"(%a, %start, %sizes) : (!A, tensor<2xi32>, tensor<2xi32>) -> tensor<?x301xf32>
  %bias = tfx_tensor.const dense<-1800.0> : tensor<293xf32>
  %5 = call @layer(%first, %b, %bias) : (tensor<?x301xf32>, !B, tensor<293xf32>) -> tensor<?x293xf32>
  call @show_f32(%5) : (tensor<?x293xf32>) -> ()
  %6 = tfx_tensor.op "MatMul"(%first, %bt) {transpose_b = true} : (tensor<?x301xf32>, !BT) -> tensor<?x293xf32>
  call @show_f32(%6) : (tensor<?x293xf32>) -> ()
  return
}
