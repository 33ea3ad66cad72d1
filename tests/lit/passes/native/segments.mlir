// Sums and products of segments whose numbers are in order. Their number is known, or that of other
// rows; the code compares it with the last number, and the numbers with each other.
//
// RUN: tfxc run %s 0 0 --executor embedded > %t.embedded
// RUN: tfxc run %s 0 0 | diff %t.embedded -
// RUN: tfxc run %s 0 0 --native-vectors 16 --native-task-cost 1 | diff %t.embedded -
// RUN: tfxc run %s 0 0 --stats 2>&1 >/dev/null | FileCheck %s --check-prefix=STATS
// RUN: tfxc run %s -1 0 --executor embedded > %t.other && tfxc run %s -1 0 | diff %t.other -
// STATS: native code: {{[0-9]+}} calls{{$}}
//
// The number of segments of the last function depends on elements, and on nothing else.
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-compile-graph{native=true native-explain=true})' -o /dev/null 2>&1 | FileCheck %s
// CHECK-NOT:  not compiled
// CHECK:      segments.mlir:[[#@LINE+37]]:15: remark: not compiled to native code: the size of its result depends on the elements of a tensor
// CHECK-NEXT: "SegmentProd"(%x, %ids)
//
// More segments than the code is for, then numbers that decrease, and a negative one.
// RUN: tfxc run %s 0 1 --executor embedded > %t.more && tfxc run %s 0 1 | diff %t.more -
// RUN: not tfxc run %s 3 0 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not tfxc run %s -2 0 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: segments.mlir:[[#@LINE+14]]:8: error: segment ids must be >= 0 and increasing

!X = tensor<6x4xf32>
!S = tensor<4x4xf32>
!I = tensor<6xi32>

// The elements are whole numbers.
func.func private @sums(%x: !X, %ids: !I) -> (!S, tensor<4xi64>, !S) {
  %two = tfx_tensor.const dense<2.0> : tensor<f32>
  %rows = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %column = tfx_tensor.const dense<[1, -2, 3, 4, -5, 6]> : tensor<6xi64>
  %wide = tfx_tensor.op "Cast"(%ids) : (!I) -> tensor<6xi64>
  %more = tfx_tensor.op "AddV2"(%column, %wide) : (tensor<6xi64>, tensor<6xi64>) -> tensor<6xi64>
  %y = tfx_tensor.op "Mul"(%x, %two) : (!X, tensor<f32>) -> !X
  %0 = tfx_tensor.op "SegmentSum"(%y, %ids) : (!X, !I) -> !S
  %1 = tfx_tensor.op "SegmentProd"(%more, %wide) : (tensor<6xi64>, tensor<6xi64>) -> tensor<4xi64>
  // Backwards in both dimensions.
  %2 = tfx_tensor.op "ReverseV2"(%0, %rows) : (!S, tensor<2xi32>) -> !S
  return %0, %1, %2 : !S, tensor<4xi64>, !S
}

// As many segments as another tensor has rows.
func.func private @matched(%x: !X, %ids: !I, %other: !S) -> tensor<?x4xf32> {
  %sums = tfx_tensor.op "SegmentSum"(%x, %ids) : (!X, !I) -> tensor<?x4xf32>
  %both = tfx_tensor.op "Minimum"(%sums, %other) : (tensor<?x4xf32>, !S) -> tensor<?x4xf32>
  return %both : tensor<?x4xf32>
}

func.func private @counted(%x: !X, %ids: !I) -> tensor<?x4xf32> {
  %one = tfx_tensor.const dense<1.0> : tensor<f32>
  %products = tfx_tensor.op "SegmentProd"(%x, %ids) : (!X, !I) -> tensor<?x4xf32>
  %more = tfx_tensor.op "Sub"(%products, %one) : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  return %more : tensor<?x4xf32>
}

func.func @main(%by: i32 {tfx.name = "by"}, %last: i32 {tfx.name = "last"}) -> (!S, tensor<4xi64>, !S, tensor<?x4xf32>, tensor<?x4xf32>) {
  %third = tfx_tensor.const dense<[0, 0, 1, 0, 0, 0]> : !I
  %sixth = tfx_tensor.const dense<[0, 0, 0, 0, 0, 1]> : !I
  %start = tfx_tensor.const dense<[0, 0, 1, 3, 3, 3]> : !I
  %x = tfx_tensor.const dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 1.0, 2.0, 3.0], [-1.0, 0.0, 4.0, 4.0], [2.0, 2.0, 2.0, 2.0], [0.0, 3.0, 0.0, 8.0]]> : !X
  %a = tfx_tensor.from_scalar %by : i32
  %b = tfx_tensor.from_scalar %last : i32
  %moved = tfx_tensor.op "Mul"(%third, %a) : (!I, tensor<i32>) -> !I
  %ended = tfx_tensor.op "Mul"(%sixth, %b) : (!I, tensor<i32>) -> !I
  %both = tfx_tensor.op "AddV2"(%moved, %ended) : (!I, !I) -> !I
  %ids = tfx_tensor.op "AddV2"(%start, %both) : (!I, !I) -> !I
  %s:3 = func.call @sums(%x, %ids) : (!X, !I) -> (!S, tensor<4xi64>, !S)
  %m = func.call @matched(%x, %ids, %s#2) : (!X, !I, !S) -> tensor<?x4xf32>
  %c = func.call @counted(%x, %ids) : (!X, !I) -> tensor<?x4xf32>
  return %s#0, %s#1, %s#2, %m, %c : !S, tensor<4xi64>, !S, tensor<?x4xf32>, tensor<?x4xf32>
}
