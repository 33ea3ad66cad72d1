// Code for tensors of unknown sizes computes what the embedded executor computes, for each size.
//
// RUN: tfxc run %s 0 --executor embedded > %t.embedded0 && tfxc run %s 0 --executor native | diff %t.embedded0 -
// RUN: tfxc run %s 1 --executor embedded > %t.embedded1 && tfxc run %s 1 --executor native | diff %t.embedded1 -
// RUN: tfxc run %s 2 --executor embedded > %t.embedded2 && tfxc run %s 2 --executor native | diff %t.embedded2 -
// RUN: tfxc run %s 33 --executor embedded > %t.embedded33 && tfxc run %s 33 --executor native | diff %t.embedded33 -
// RUN: tfxc run %s 70 --executor embedded > %t.embedded70 && tfxc run %s 70 --executor native --native-vectors 16 | diff %t.embedded70 -
// RUN: tfxc run %s 5 --executor embedded > %t.embedded5
// RUN: tfxc build %s --native -o %t.exe && %t.exe 5 --executor native | diff %t.embedded5 -
// RUN: tfxc run %s 5 --executor native --stats 2>&1 | FileCheck %s
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-compile-graph{native=true native-explain=true})' -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXPLAIN
//
// No call gives up.
// CHECK: native code: {{[0-9]+}} calls{{$}}
//
// Only the making of the arguments is not compiled.
// EXPLAIN: not compiled to native code: there is no native code for "InvertPermutation"
// EXPLAIN-NOT: there is no native code

!M = tensor<?x?xf64>
!R = tensor<?x3xf64>
!V = tensor<?xf64>
!I = tensor<?xi32>

// The integers from 1 on.
func.func private @numbers(%n: i64) -> !I {
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %size = tfx_tensor.from_scalar %n : i64
  %axes = tfx_tensor.op "ExpandDims"(%size, %axis) : (tensor<i64>, tensor<i32>) -> tensor<1xi64>
  %ones = tfx_tensor.op "Fill"(%axes, %one) : (tensor<1xi64>, tensor<i32>) -> !I
  %before = tfx_tensor.op "Cumsum"(%ones, %axis) {exclusive = true} : (!I, tensor<i32>) -> !I
  %inverse = tfx_tensor.op "InvertPermutation"(%before) : (!I) -> !I
  %sums = tfx_tensor.op "AddV2"(%inverse, %one) : (!I, tensor<i32>) -> !I
  return %sums : !I
}

// Products of numbers, which are exact.
func.func private @matrix(%rows: !I, %columns: !I) -> !M {
  %last = tfx_tensor.const dense<-1> : tensor<i32>
  %first = tfx_tensor.const dense<0> : tensor<i32>
  %r = tfx_tensor.op "ExpandDims"(%rows, %last) : (!I, tensor<i32>) -> tensor<?x1xi32>
  %c = tfx_tensor.op "ExpandDims"(%columns, %first) : (!I, tensor<i32>) -> tensor<1x?xi32>
  %p = tfx_tensor.op "Mul"(%r, %c) : (tensor<?x1xi32>, tensor<1x?xi32>) -> tensor<?x?xi32>
  %x = tfx_tensor.op "Cast"(%p) : (tensor<?x?xi32>) -> !M
  return %x : !M
}

// Two unknown dimensions: elementwise operations, transpositions, reductions, products.
func.func private @two(%x: !M, %y: !M, %b: !V) -> (!M, !M, !V, !V, !V, tensor<f64>, !M, !M, !M, !M) {
  %first = tfx_tensor.const dense<0> : tensor<i32>
  %second = tfx_tensor.const dense<1> : tensor<i32>
  %both = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %swap = tfx_tensor.const dense<[1, 0]> : tensor<2xi32>
  %s = tfx_tensor.op "AddV2"(%x, %y) : (!M, !M) -> !M
  %biased = tfx_tensor.op "BiasAdd"(%s, %b) : (!M, !V) -> !M
  %t = tfx_tensor.op "Transpose"(%biased, %swap) : (!M, tensor<2xi32>) -> !M
  %columns = tfx_tensor.op "Sum"(%biased, %first) : (!M, tensor<i32>) -> !V
  %rows = tfx_tensor.op "Max"(%biased, %second) : (!M, tensor<i32>) -> !V
  %means = tfx_tensor.op "Mean"(%s, %second) : (!M, tensor<i32>) -> !V
  %all = tfx_tensor.op "Sum"(%t, %both) : (!M, tensor<2xi32>) -> tensor<f64>
  %p = tfx_tensor.op "MatMul"(%x, %y) {transpose_b = true} : (!M, !M) -> !M
  %q = tfx_tensor.op "MatMul"(%x, %y) {transpose_a = true} : (!M, !M) -> !M
  %r = tfx_tensor.op "MatMul"(%p, %x) : (!M, !M) -> !M
  %u = tfx_tensor.op "MatMul"(%y, %p) {transpose_a = true, transpose_b = true} : (!M, !M) -> !M
  return %t, %s, %columns, %rows, %means, %all, %p, %q, %r, %u
    : !M, !M, !V, !V, !V, tensor<f64>, !M, !M, !M, !M
}

// One unknown dimension: shapes, and operations that take one.
func.func private @one(%x: !R) -> (!R, tensor<2xi32>, tensor<i32>, !V, tensor<2x?x3xf64>, tensor<?x6xf64>, tensor<?x1x3xf64>, tensor<?x5xf64>, tensor<?x2xf64>) {
  %axis = tfx_tensor.const dense<1> : tensor<i32>
  %one = tfx_tensor.const dense<1.0> : tensor<f64>
  %row = tfx_tensor.const dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf64>
  %flat = tfx_tensor.const dense<-1> : tensor<1xi32>
  %paddings = tfx_tensor.const dense<[[0, 0], [1, 1]]> : tensor<2x2xi32>
  %begin = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %size = tfx_tensor.const dense<[-1, 2]> : tensor<2xi32>
  %shape = tfx_tensor.op "Shape"(%x) : (!R) -> tensor<2xi32>
  %count = tfx_tensor.op "Size"(%x) : (!R) -> tensor<i32>
  %wide = tfx_tensor.op "BroadcastTo"(%row, %shape) : (tensor<1x3xf64>, tensor<2xi32>) -> !R
  %ones = tfx_tensor.op "Fill"(%shape, %one) : (tensor<2xi32>, tensor<f64>) -> !R
  %w = tfx_tensor.op "Mul"(%wide, %x) : (!R, !R) -> !R
  %sum = tfx_tensor.op "AddN"(%w, %ones, %x) : (!R, !R, !R) -> !R
  %elements = tfx_tensor.op "Reshape"(%sum, %flat) : (!R, tensor<1xi32>) -> !V
  %restored = tfx_tensor.op "Reshape"(%elements, %shape) : (!V, tensor<2xi32>) -> !R
  %pack = tfx_tensor.op "Pack"(%restored, %x) {axis = 0} : (!R, !R) -> tensor<2x?x3xf64>
  %concat = tfx_tensor.op "ConcatV2"(%x, %sum, %axis) : (!R, !R, tensor<i32>) -> tensor<?x6xf64>
  %expand = tfx_tensor.op "ExpandDims"(%x, %axis) : (!R, tensor<i32>) -> tensor<?x1x3xf64>
  %pad = tfx_tensor.op "Pad"(%x, %paddings) : (!R, tensor<2x2xi32>) -> tensor<?x5xf64>
  %slice = tfx_tensor.op "Slice"(%x, %begin, %size) : (!R, tensor<2xi32>, tensor<2xi32>) -> tensor<?x2xf64>
  return %sum, %shape, %count, %elements, %pack, %concat, %expand, %pad, %slice
    : !R, tensor<2xi32>, tensor<i32>, !V, tensor<2x?x3xf64>, tensor<?x6xf64>, tensor<?x1x3xf64>, tensor<?x5xf64>, tensor<?x2xf64>
}

// A loop and a branch that carry tensors of unknown sizes.
func.func private @flow(%x: !R, %n: i64, %c: i1) -> (!R, !R) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %half = tfx_tensor.const dense<0.5> : tensor<f64>
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (!R) : i64 {
    %m = tfx_tensor.op "Mul"(%v, %half) : (!R, tensor<f64>) -> !R
    %w = tfx_tensor.op "AddV2"(%m, %x) : (!R, !R) -> !R
    scf.yield %w : !R
  }
  %z = scf.if %c -> (!R) {
    %a = tfx_tensor.op "AddV2"(%y, %x) : (!R, !R) -> !R
    scf.yield %a : !R
  } else {
    scf.yield %y : !R
  }
  return %y, %z : !R, !R
}

func.func @main(%n: i64 {tfx.name = "n"}) {
  %three = arith.constant 3 : i64
  %limit = arith.constant 2 : i64
  %rows = func.call @numbers(%n) : (i64) -> !I
  %columns = func.call @numbers(%three) : (i64) -> !I
  %x = func.call @matrix(%rows, %columns) : (!I, !I) -> !M
  %y = func.call @matrix(%rows, %columns) : (!I, !I) -> !M
  %b = tfx_tensor.op "Cast"(%columns) : (!I) -> !V
  %t:10 = func.call @two(%x, %y, %b) : (!M, !M, !V) -> (!M, !M, !V, !V, !V, tensor<f64>, !M, !M, !M, !M)
  tfx_host.print "{} {} {} {} {}"(%t#0, %t#1, %t#2, %t#3, %t#4) : !M, !M, !V, !V, !V
  tfx_host.print "{} {} {} {} {}"(%t#5, %t#6, %t#7, %t#8, %t#9) : tensor<f64>, !M, !M, !M, !M
  %z = tfx_tensor.op "Identity"(%x) : (!M) -> !R
  %o:9 = func.call @one(%z) : (!R) -> (!R, tensor<2xi32>, tensor<i32>, !V, tensor<2x?x3xf64>, tensor<?x6xf64>, tensor<?x1x3xf64>, tensor<?x5xf64>, tensor<?x2xf64>)
  tfx_host.print "{} {} {} {} {}"(%o#0, %o#1, %o#2, %o#3, %o#4) : !R, tensor<2xi32>, tensor<i32>, !V, tensor<2x?x3xf64>
  tfx_host.print "{} {} {} {}"(%o#5, %o#6, %o#7, %o#8) : tensor<?x6xf64>, tensor<?x1x3xf64>, tensor<?x5xf64>, tensor<?x2xf64>
  %c = arith.cmpi sgt, %n, %limit : i64
  %f:2 = func.call @flow(%z, %n, %c) : (!R, i64, i1) -> (!R, !R)
  tfx_host.print "{} {}"(%f#0, %f#1) : !R, !R
  return
}
