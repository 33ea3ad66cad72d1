// Lookups by an index, with the results of the embedded executor: known and unknown sizes, indices
// in memory, computed and scalar, and failures at their places. All sums are of small whole numbers.
//
// RUN: tfxc run %s 5 1 --executor embedded > %t.embedded
// RUN: tfxc run %s 5 1 --executor native | diff %t.embedded -
// RUN: tfxc run %s 5 1 --executor native --native-vectors 16 | diff %t.embedded -
// RUN: tfxc run %s 5 1 --executor native -O0 | diff %t.embedded -
// RUN: tfxc build %s --native -o %t.exe && %t.exe 5 1 --executor native | diff %t.embedded -
// RUN: tfxc run %s 5 1 --executor native --stats 2>&1 | FileCheck %s --check-prefix=STATS
// STATS:     native code: {{[0-9]+}} calls
// STATS-NOT: gave up
//
// Without elements.
// RUN: tfxc run %s 0 0 --executor embedded > %t.embedded0
// RUN: tfxc run %s 0 0 --executor native | diff %t.embedded0 -
//
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-compile-graph{native=true native-explain=true})' -o /dev/null 2>&1 | FileCheck %s
// CHECK-NOT: not compiled to native code: {{.*}}"{{Gather|GatherV2|GatherNd|OneHot|ArgMax|ArgMin|ScatterNd}}"
// CHECK-NOT: not compiled to native code: {{.*}}"{{TensorScatter|UnsortedSegment}}
// CHECK: a cluster of native code starts here
//
// An index is too large, or negative. The place is that of the operation.
// RUN: not tfxc run %s 5 9 --executor native 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: lookups.mlir:[[#@LINE+41]]:8: error: indices[{{[0-9]+}}] = {{[0-9]+}} is not in [0, 5)
// RUN: not tfxc run %s 5 -3 --executor native 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: lookups.mlir:[[#@LINE+39]]:8: error: indices[{{[0-9]+}}] = -{{[0-9]+}} is not in [0, 5)

!I = tensor<?xi32>
!M = tensor<?x4xf32>

// The numbers `start`, `start + 1`, ...
func.func private @numbers(%n: i64, %start: i32) -> !I {
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %size = tfx_tensor.from_scalar %n : i64
  %first = tfx_tensor.from_scalar %start : i32
  %axes = tfx_tensor.op "ExpandDims"(%size, %axis) : (tensor<i64>, tensor<i32>) -> tensor<1xi64>
  %ones = tfx_tensor.op "Fill"(%axes, %one) : (tensor<1xi64>, tensor<i32>) -> !I
  %before = tfx_tensor.op "Cumsum"(%ones, %axis) {exclusive = true} : (!I, tensor<i32>) -> !I
  %inverse = tfx_tensor.op "InvertPermutation"(%before) : (!I) -> !I
  %sums = tfx_tensor.op "AddV2"(%inverse, %one) : (!I, tensor<i32>) -> !I
  %zero = tfx_tensor.op "Sub"(%sums, %one) : (!I, tensor<i32>) -> !I
  %all = tfx_tensor.op "AddV2"(%zero, %first) : (!I, tensor<i32>) -> !I
  return %all : !I
}

func.func private @matrix(%i: !I) -> !M {
  %last = tfx_tensor.const dense<-1> : tensor<i32>
  %row = tfx_tensor.const dense<[[7, -3, 5, 2]]> : tensor<1x4xi32>
  %eleven = tfx_tensor.const dense<11> : tensor<i32>
  %column = tfx_tensor.op "ExpandDims"(%i, %last) : (!I, tensor<i32>) -> tensor<?x1xi32>
  %products = tfx_tensor.op "Mul"(%column, %row) : (tensor<?x1xi32>, tensor<1x4xi32>) -> tensor<?x4xi32>
  %small = tfx_tensor.op "FloorMod"(%products, %eleven) : (tensor<?x4xi32>, tensor<i32>) -> tensor<?x4xi32>
  %x = tfx_tensor.op "Cast"(%small) : (tensor<?x4xi32>) -> !M
  return %x : !M
}

// Rows, columns, elements; indices that are lazy, in memory, and a scalar. The first lookup is the
// one that fails.
func.func private @gathers(%x: !M, %i: !I, %by: tensor<i32>) -> (!M, !M, tensor<?x?xf32>, tensor<4xf32>, tensor<?xf32>, tensor<2x3x?xi64>) {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %three = tfx_tensor.const dense<3> : tensor<i32>
  %scaled = tfx_tensor.op "Mul"(%i, %by) : (!I, tensor<i32>) -> !I
  %0 = tfx_tensor.op "GatherV2"(%x, %scaled, %zero) : (!M, !I, tensor<i32>) -> !M
  %1 = tfx_tensor.op "AddV2"(%0, %x) : (!M, !M) -> !M
  %small = tfx_tensor.op "Minimum"(%i, %three) : (!I, tensor<i32>) -> !I
  %2 = tfx_tensor.op "GatherV2"(%x, %small, %one) : (!M, !I, tensor<i32>) -> tensor<?x?xf32>
  %rows = tfx_tensor.const dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>
  %at = tfx_tensor.op "ClipByValue"(%by, %zero, %one) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
  %3 = tfx_tensor.op "Gather"(%rows, %at) : (tensor<2x4xf32>, tensor<i32>) -> tensor<4xf32>
  %4 = tfx_tensor.op "GatherV2"(%3, %small, %zero) : (tensor<4xf32>, !I, tensor<i32>) -> tensor<?xf32>
  %t = tfx_tensor.const dense<[[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [10, 11, 12]]]> : tensor<2x2x3xi64>
  %least = tfx_tensor.op "Minimum"(%i, %one) : (!I, tensor<i32>) -> !I
  %5 = tfx_tensor.op "GatherV2"(%t, %least, %one) : (tensor<2x2x3xi64>, !I, tensor<i32>) -> tensor<2x?x3xi64>
  %order = tfx_tensor.const dense<[0, 2, 1]> : tensor<3xi32>
  %6 = tfx_tensor.op "Transpose"(%5, %order) : (tensor<2x?x3xi64>, tensor<3xi32>) -> tensor<2x3x?xi64>
  return %0, %1, %2, %3, %4, %6 : !M, !M, tensor<?x?xf32>, tensor<4xf32>, tensor<?xf32>, tensor<2x3x?xi64>
}

func.func private @batches(%x: tensor<2x3x4xf64>, %i: tensor<2x2xi64>) -> (tensor<2x2x4xf64>, tensor<2x3x2xf64>, tensor<2x4xf64>, tensor<2xf64>) {
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %two = tfx_tensor.const dense<2> : tensor<i32>
  %0 = tfx_tensor.op "GatherV2"(%x, %i, %one) {batch_dims = 1 : i64} : (tensor<2x3x4xf64>, tensor<2x2xi64>, tensor<i32>) -> tensor<2x2x4xf64>
  %1 = tfx_tensor.op "GatherV2"(%x, %i, %two) {batch_dims = -1 : i64} : (tensor<2x3x4xf64>, tensor<2x2xi64>, tensor<i32>) -> tensor<2x3x2xf64>
  %2 = tfx_tensor.op "GatherNd"(%x, %i) : (tensor<2x3x4xf64>, tensor<2x2xi64>) -> tensor<2x4xf64>
  %all = tfx_tensor.const dense<[[1, 2, 3], [0, 1, 0]]> : tensor<2x3xi64>
  %3 = tfx_tensor.op "GatherNd"(%x, %all) : (tensor<2x3x4xf64>, tensor<2x3xi64>) -> tensor<2xf64>
  return %0, %1, %2, %3 : tensor<2x2x4xf64>, tensor<2x3x2xf64>, tensor<2x4xf64>, tensor<2xf64>
}

func.func private @one_hots(%i: !I, %j: tensor<2x2xi64>) -> (!M, tensor<3x?xi32>, tensor<2x5x2xf64>, tensor<3xi1>) {
  %zero = tfx_tensor.const dense<0.0> : tensor<f32>
  %one = tfx_tensor.const dense<1.0> : tensor<f32>
  %four = tfx_tensor.const dense<4> : tensor<i32>
  %0 = tfx_tensor.op "OneHot"(%i, %four, %one, %zero) : (!I, tensor<i32>, tensor<f32>, tensor<f32>) -> !M
  %three = tfx_tensor.const dense<3> : tensor<i32>
  %on = tfx_tensor.const dense<7> : tensor<i32>
  %off = tfx_tensor.const dense<-1> : tensor<i32>
  %1 = tfx_tensor.op "OneHot"(%i, %three, %on, %off) {axis = 0 : i64} : (!I, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x?xi32>
  %five = tfx_tensor.const dense<5> : tensor<i32>
  %half = tfx_tensor.const dense<0.5> : tensor<f64>
  %none = tfx_tensor.const dense<0.0> : tensor<f64>
  %2 = tfx_tensor.op "OneHot"(%j, %five, %half, %none) {axis = 1 : i64} : (tensor<2x2xi64>, tensor<i32>, tensor<f64>, tensor<f64>) -> tensor<2x5x2xf64>
  %yes = tfx_tensor.const dense<true> : tensor<i1>
  %no = tfx_tensor.const dense<false> : tensor<i1>
  %at = tfx_tensor.const dense<2> : tensor<i64>
  %3 = tfx_tensor.op "OneHot"(%at, %three, %yes, %no) : (tensor<i64>, tensor<i32>, tensor<i1>, tensor<i1>) -> tensor<3xi1>
  return %0, %1, %2, %3 : !M, tensor<3x?xi32>, tensor<2x5x2xf64>, tensor<3xi1>
}

func.func private @positions(%x: !M, %i: tensor<2x2xi64>) -> (tensor<?xi64>, tensor<?xi32>, tensor<3xi64>, tensor<3xi64>, tensor<2xi64>, tensor<2xi64>, tensor<i64>) {
  %last = tfx_tensor.const dense<-1> : tensor<i32>
  %first = tfx_tensor.const dense<0> : tensor<i32>
  %0 = tfx_tensor.op "ArgMax"(%x, %last) : (!M, tensor<i32>) -> tensor<?xi64>
  %1 = tfx_tensor.op "ArgMin"(%x, %last) {output_type = i32} : (!M, tensor<i32>) -> tensor<?xi32>
  // NaN and infinities: no NaN is the largest, and neither is minus infinity.
  %odd = tfx_tensor.const dense<[[0x7FC00000, 1.0, -1.0], [0xFF800000, 0x7F800000, 0x7FC00000], [-0.0, 0.0, 0x7F800000]]> : tensor<3x3xf32>
  %2 = tfx_tensor.op "ArgMax"(%odd, %first) : (tensor<3x3xf32>, tensor<i32>) -> tensor<3xi64>
  %3 = tfx_tensor.op "ArgMin"(%odd, %last) : (tensor<3x3xf32>, tensor<i32>) -> tensor<3xi64>
  %4 = tfx_tensor.op "ArgMax"(%i, %first) : (tensor<2x2xi64>, tensor<i32>) -> tensor<2xi64>
  %bits = tfx_tensor.op "Cast"(%i) : (tensor<2x2xi64>) -> tensor<2x2xi1>
  %5 = tfx_tensor.op "ArgMin"(%bits, %last) : (tensor<2x2xi1>, tensor<i32>) -> tensor<2xi64>
  %6 = tfx_tensor.op "ArgMax"(%4, %first) : (tensor<2xi64>, tensor<i32>) -> tensor<i64>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<?xi64>, tensor<?xi32>, tensor<3xi64>, tensor<3xi64>, tensor<2xi64>, tensor<2xi64>, tensor<i64>
}

func.func private @scatters(%x: !M, %i: !I) -> (!M, !M, !M, tensor<6x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x?xi32>) {
  %two = tfx_tensor.const dense<2> : tensor<i32>
  %halves = tfx_tensor.op "FloorDiv"(%i, %two) : (!I, tensor<i32>) -> !I
  %0 = tfx_tensor.op "TensorScatterAdd"(%x, %halves, %x) : (!M, !I, !M) -> !M
  %1 = tfx_tensor.op "TensorScatterSub"(%x, %halves, %0) : (!M, !I, !M) -> !M
  %2 = tfx_tensor.op "TensorScatterUpdate"(%x, %halves, %0) : (!M, !I, !M) -> !M
  %last = tfx_tensor.const dense<-1> : tensor<i32>
  %columns = tfx_tensor.op "ExpandDims"(%halves, %last) : (!I, tensor<i32>) -> tensor<?x1xi32>
  %shape = tfx_tensor.const dense<[6, 4]> : tensor<2xi32>
  %3 = tfx_tensor.op "ScatterNd"(%columns, %x, %shape) : (tensor<?x1xi32>, !M, tensor<2xi32>) -> tensor<6x4xf32>
  // A negative number drops a row.
  %ids = tfx_tensor.op "Sub"(%two, %i) : (tensor<i32>, !I) -> !I
  %three = tfx_tensor.const dense<3> : tensor<i32>
  %4 = tfx_tensor.op "UnsortedSegmentSum"(%x, %ids, %three) : (!M, !I, tensor<i32>) -> tensor<3x4xf32>
  %5 = tfx_tensor.op "UnsortedSegmentProd"(%x, %ids, %three) : (!M, !I, tensor<i32>) -> tensor<3x4xf32>
  %6 = tfx_tensor.op "UnsortedSegmentMax"(%x, %ids, %three) : (!M, !I, tensor<i32>) -> tensor<3x4xf32>
  %ones = tfx_tensor.op "Minimum"(%ids, %last) : (!I, tensor<i32>) -> !I
  %7 = tfx_tensor.op "UnsortedSegmentMin"(%x, %ones, %three) : (!M, !I, tensor<i32>) -> tensor<3x4xf32>
  %row = tfx_tensor.const dense<[[1], [2], [4]]> : tensor<3x1xi32>
  %wide = tfx_tensor.op "Mul"(%row, %i) : (tensor<3x1xi32>, !I) -> tensor<3x?xi32>
  %order = tfx_tensor.const dense<[2, 0, 2]> : tensor<3xi64>
  %8 = tfx_tensor.op "UnsortedSegmentSum"(%wide, %order, %three) : (tensor<3x?xi32>, tensor<3xi64>, tensor<i32>) -> tensor<3x?xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : !M, !M, !M, tensor<6x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x?xi32>
}

// Rows of a table in a loop, whose table changes.
func.func private @loop(%x: !M, %i: !I) -> !M {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %most = arith.constant 3 : i32
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %y = scf.for %k = %zero to %most step %one iter_args(%t = %x) -> (!M) : i32 {
    %rows = tfx_tensor.op "GatherV2"(%t, %i, %axis) : (!M, !I, tensor<i32>) -> !M
    %next = tfx_tensor.op "TensorScatterAdd"(%t, %i, %rows) : (!M, !I, !M) -> !M
    scf.yield %next : !M
  }
  return %y : !M
}

func.func @main(%n: i64 {tfx.name = "n"}, %by: i32 {tfx.name = "by"}) {
  %zero = arith.constant 0 : i32
  %by.t = tfx_tensor.from_scalar %by : i32
  %i = func.call @numbers(%n, %zero) : (i64, i32) -> !I
  %x = func.call @matrix(%i) : (!I) -> !M
  %none = tfx_tensor.const dense<0> : tensor<i32>
  %nothing = tfx_tensor.op "Mul"(%by.t, %none) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %offset = tfx_tensor.op "Cast"(%nothing) : (tensor<i32>) -> tensor<i64>
  %j0 = tfx_tensor.const dense<[[1, 2], [0, 1]]> : tensor<2x2xi64>
  %j = tfx_tensor.op "AddV2"(%j0, %offset) : (tensor<2x2xi64>, tensor<i64>) -> tensor<2x2xi64>
  %h:4 = func.call @one_hots(%i, %j) : (!I, tensor<2x2xi64>) -> (!M, tensor<3x?xi32>, tensor<2x5x2xf64>, tensor<3xi1>)
  %p:7 = func.call @positions(%x, %j) : (!M, tensor<2x2xi64>) -> (tensor<?xi64>, tensor<?xi32>, tensor<3xi64>, tensor<3xi64>, tensor<2xi64>, tensor<2xi64>, tensor<i64>)
  %t = tfx_tensor.const dense<[[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0]], [[12.0, 13.0, 14.0, 15.0], [16.0, 17.0, 18.0, 19.0], [20.0, 21.0, 22.0, 23.0]]]> : tensor<2x3x4xf64>
  %b:4 = func.call @batches(%t, %j) : (tensor<2x3x4xf64>, tensor<2x2xi64>) -> (tensor<2x2x4xf64>, tensor<2x3x2xf64>, tensor<2x4xf64>, tensor<2xf64>)
  %s:9 = func.call @scatters(%x, %i) : (!M, !I) -> (!M, !M, !M, tensor<6x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x?xi32>)
  %l = func.call @loop(%x, %i) : (!M, !I) -> !M
  %g:6 = func.call @gathers(%x, %i, %by.t) : (!M, !I, tensor<i32>) -> (!M, !M, tensor<?x?xf32>, tensor<4xf32>, tensor<?xf32>, tensor<2x3x?xi64>)
  tfx_host.print "{} {} {} {}"(%h#0, %h#1, %h#2, %h#3) : !M, tensor<3x?xi32>, tensor<2x5x2xf64>, tensor<3xi1>
  tfx_host.print "{} {} {} {} {} {} {}"(%p#0, %p#1, %p#2, %p#3, %p#4, %p#5, %p#6) : tensor<?xi64>, tensor<?xi32>, tensor<3xi64>, tensor<3xi64>, tensor<2xi64>, tensor<2xi64>, tensor<i64>
  tfx_host.print "{} {} {} {}"(%b#0, %b#1, %b#2, %b#3) : tensor<2x2x4xf64>, tensor<2x3x2xf64>, tensor<2x4xf64>, tensor<2xf64>
  tfx_host.print "{} {} {} {} {} {} {} {} {}"(%s#0, %s#1, %s#2, %s#3, %s#4, %s#5, %s#6, %s#7, %s#8) : !M, !M, !M, tensor<6x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x?xi32>
  tfx_host.print "{}"(%l) : !M
  tfx_host.print "{} {} {} {} {} {}"(%g#0, %g#1, %g#2, %g#3, %g#4, %g#5) : !M, !M, tensor<?x?xf32>, tensor<4xf32>, tensor<?xf32>, tensor<2x3x?xi64>
  return
}
