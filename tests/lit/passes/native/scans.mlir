// Cumulative sums and products along each dimension, from both ends, with and without the element
// itself. The results are the interpreter's bits: `f32` accumulates in `f64`, in order.
//
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-compile-graph{native=true native-explain=true})' -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-compile-graph{native=true},tfx-lower-kernels{vector-bytes=32 task-cost=4000})' | FileCheck %s
// RUN: tfxc run %s 3 0 --executor embedded > %t.embedded
// RUN: tfxc run %s 3 0 --threads 1 | diff %t.embedded -
// RUN: tfxc run %s 3 0 --native-vectors 16 | diff %t.embedded -
// RUN: tfxc run %s 3 0 --native-vectors 32 --native-task-cost 1 --threads 3 | diff %t.embedded -
// RUN: tfxc run %s 3 0 --stats 2>&1 >/dev/null | FileCheck %s --check-prefix=STATS
// RUN: tfxc run %s 3 0 | FileCheck %s --check-prefix=NUMBERS
// RUN: tfxc run %s 0 0 --executor embedded > %t.none && tfxc run %s 0 0 | diff %t.none -
// RUN: tfxc run %s 1 0 --executor embedded > %t.one && tfxc run %s 1 0 | diff %t.one -
// RUN: tfxc run %s 70 0 --executor embedded > %t.many && tfxc run %s 70 0 --native-task-cost 1 | diff %t.many -
// RUN: tfxc build %s -o %t.exe && %t.exe 3 0 | diff %t.embedded -
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so tfxc run %s 3 0 --streams 1 --streams-offload cuda --streams-offload-all | diff %t.embedded -
//
// An axis that is known only at run time has no code; neither has the operation that makes the
// arguments.
// EXPLAIN-DAG: remark: not compiled to native code: operand 1 of "Cumsum" is not a constant
// EXPLAIN-DAG: remark: not compiled to native code: there is no native code for "InvertPermutation"
// EXPLAIN-NOT: Cumprod
//
// What is accumulated is computed in the loop, and what becomes of it in blocks of the same rows.
// CHECK-LABEL: func.func private @tfx.task.0(
// CHECK:         scf.for
// CHECK:           func.call @tfx.kernel.
// CHECK:           func.call @tfx.kernel.[[SCAN:[0-9]+]](
// CHECK-COUNT-2:   func.call @tfx.kernel.
// CHECK:         return
// CHECK:       func.func private @tfx.kernel.[[SCAN]](
// CHECK:         scf.for
// CHECK:           scf.for {{.*}} iter_args(%[[BEFORE:.*]] = %{{.*}}) -> (f64)
// CHECK:             arith.mulf {{.*}} : f32
// CHECK:             arith.extf {{.*}} : f32 to f64
// CHECK:             %[[NEXT:.*]] = arith.addf %[[BEFORE]], {{.*}} : f64
// CHECK:             arith.truncf %[[NEXT]] : f64 to f32
// CHECK:             scf.yield %[[NEXT]] : f64
//
// STATS: native code: {{[0-9]+}} calls
//
// Known answers, from TensorFlow: tf.math.cumsum([5, 1, 4], exclusive=..., reverse=...).
// NUMBERS: plain = [ 5 6 10]
// NUMBERS: exclusive = [0 5 6]
// NUMBERS: reverse = [10 5 4]
// NUMBERS: both = [5 4 0]
// NUMBERS: products = [1 5 5]

!I = tensor<?xi32>
!M = tensor<?x?xf32>
!X = tensor<600x40xf32>
!C = tensor<4x5x67xf32>
!D = tensor<4x5x67xf64>
!L = tensor<4x5x67xi64>
!A = tensor<i32>

// The numbers below `n`, which are arguments of native code: it does not invert permutations.
func.func private @numbers(%n: i64) -> !I {
  %axis = tfx_tensor.const dense<0> : !A
  %one = tfx_tensor.const dense<1> : !A
  %size = tfx_tensor.from_scalar %n : i64
  %axes = tfx_tensor.op "ExpandDims"(%size, %axis) : (tensor<i64>, !A) -> tensor<1xi64>
  %ones = tfx_tensor.op "Fill"(%axes, %one) : (tensor<1xi64>, !A) -> !I
  %before = tfx_tensor.op "Cumsum"(%ones, %axis) {exclusive = true} : (!I, !A) -> !I
  %inverse = tfx_tensor.op "InvertPermutation"(%before) : (!I) -> !I
  return %inverse : !I
}

// Floats of many digits.
func.func private @floats(%n: i64) -> !X {
  %shape = tfx_tensor.const dense<[600, 40]> : tensor<2xi32>
  %seed = tfx_tensor.const dense<7> : tensor<1xi64>
  %zero = tfx_tensor.const dense<0> : !A
  %number = tfx_tensor.from_scalar %n : i64
  %list = tfx_tensor.op "ExpandDims"(%number, %zero) : (tensor<i64>, !A) -> tensor<1xi64>
  %pair = tfx_tensor.op "ConcatV2"(%seed, %list, %zero) : (tensor<1xi64>, tensor<1xi64>, !A) -> tensor<2xi64>
  %x = tfx_tensor.op "StatelessRandomUniform"(%shape, %pair) : (tensor<2xi32>, tensor<2xi64>) -> !X
  return %x : !X
}

// In a group of rows: the values are computed before, and the results are used after.
func.func private @rows(%x: !X) -> (!X, tensor<600xf32>) {
  %second = tfx_tensor.const dense<1> : !A
  %three = tfx_tensor.const dense<3.0> : tensor<f32>
  %scaled = tfx_tensor.op "Mul"(%x, %three) : (!X, tensor<f32>) -> !X
  %sums = tfx_tensor.op "Cumsum"(%scaled, %second) : (!X, !A) -> !X
  %shifted = tfx_tensor.op "Sub"(%sums, %x) : (!X, !X) -> !X
  %most = tfx_tensor.op "Max"(%shifted, %second) : (!X, !A) -> tensor<600xf32>
  return %shifted, %most : !X, tensor<600xf32>
}

// Along the rows.
func.func private @columns(%x: !X) -> (!X, !X) {
  %first = tfx_tensor.const dense<0> : !A
  %sums = tfx_tensor.op "Cumsum"(%x, %first) {reverse = true} : (!X, !A) -> !X
  %products = tfx_tensor.op "Cumprod"(%x, %first) {exclusive = true} : (!X, !A) -> !X
  return %sums, %products : !X, !X
}

// Three dimensions, of which the last one is more than one part of a row of sums.
func.func private @inner(%x: !X) -> (!C, !C, !D, !L) {
  %start = tfx_tensor.const dense<0> : tensor<2xi32>
  %size = tfx_tensor.const dense<[67, 20]> : tensor<2xi32>
  %shape = tfx_tensor.const dense<[4, 5, 67]> : tensor<3xi32>
  %middle = tfx_tensor.const dense<-2> : !A
  %first = tfx_tensor.const dense<0> : !A
  %last = tfx_tensor.const dense<2> : !A
  %hundred = tfx_tensor.const dense<100.0> : tensor<f32>
  %part = tfx_tensor.op "Slice"(%x, %start, %size) : (!X, tensor<2xi32>, tensor<2xi32>) -> tensor<67x20xf32>
  %c = tfx_tensor.op "Reshape"(%part, %shape) : (tensor<67x20xf32>, tensor<3xi32>) -> !C
  %d = tfx_tensor.op "Cast"(%c) : (!C) -> !D
  %more = tfx_tensor.op "Mul"(%c, %hundred) : (!C, tensor<f32>) -> !C
  %l = tfx_tensor.op "Cast"(%more) : (!C) -> !L
  %a = tfx_tensor.op "Cumsum"(%c, %middle) {exclusive = true, reverse = true} : (!C, !A) -> !C
  %b = tfx_tensor.op "Cumprod"(%c, %last) {reverse = true} : (!C, !A) -> !C
  %e = tfx_tensor.op "Cumprod"(%d, %middle) : (!D, !A) -> !D
  %f = tfx_tensor.op "Cumsum"(%l, %first) {exclusive = true} : (!L, !A) -> !L
  return %a, %b, %e, %f : !C, !C, !D, !L
}

// Unknown sizes, and a dimension of one element.
func.func private @unknown(%list: !I) -> (!M, !M, tensor<?x1xi32>, tensor<?x1xi32>) {
  %first = tfx_tensor.const dense<0> : !A
  %second = tfx_tensor.const dense<1> : !A
  %row = tfx_tensor.op "ExpandDims"(%list, %first) : (!I, !A) -> tensor<1x?xi32>
  %column = tfx_tensor.op "ExpandDims"(%list, %second) : (!I, !A) -> tensor<?x1xi32>
  %table = tfx_tensor.op "BitwiseXor"(%column, %row) : (tensor<?x1xi32>, tensor<1x?xi32>) -> tensor<?x?xi32>
  %x = tfx_tensor.op "Cast"(%table) : (tensor<?x?xi32>) -> !M
  %down = tfx_tensor.op "Cumsum"(%x, %first) {reverse = true} : (!M, !A) -> !M
  %right = tfx_tensor.op "Cumsum"(%x, %second) {exclusive = true, reverse = true} : (!M, !A) -> !M
  %same = tfx_tensor.op "Cumsum"(%column, %second) : (tensor<?x1xi32>, !A) -> tensor<?x1xi32>
  %nothing = tfx_tensor.op "Cumprod"(%column, %second) {exclusive = true} : (tensor<?x1xi32>, !A) -> tensor<?x1xi32>
  return %down, %right, %same, %nothing : !M, !M, tensor<?x1xi32>, tensor<?x1xi32>
}

func.func private @given(%by: i32) -> (!A, tensor<3xi32>) {
  %x = tfx_tensor.const dense<[5, 1, 4]> : tensor<3xi32>
  %axis = tfx_tensor.from_scalar %by : i32
  %y = tfx_tensor.op "Cumsum"(%x, %axis) : (tensor<3xi32>, !A) -> tensor<3xi32>
  return %axis, %y : !A, tensor<3xi32>
}

func.func @main(%n: i64 {tfx.name = "n"}, %axis: i32 {tfx.name = "axis"}) -> (
    tensor<3xi32> {tfx.name = "plain"}, tensor<3xi32> {tfx.name = "exclusive"}, tensor<3xi32> {tfx.name = "reverse"},
    tensor<3xi32> {tfx.name = "both"}, tensor<3xi32> {tfx.name = "products"},
    !X, tensor<600xf32>, !X, !X, !C, !C, !D, !L, !M, !M, tensor<?x1xi32>, tensor<?x1xi32>, tensor<3xi32>) {
  %list = tfx_tensor.const dense<[5, 1, 4]> : tensor<3xi32>
  %zero = tfx_tensor.const dense<0> : !A
  %number = tfx_tensor.from_scalar %axis : i32
  %x = tfx_tensor.op "AddV2"(%list, %number) : (tensor<3xi32>, !A) -> tensor<3xi32>
  %plain = tfx_tensor.op "Cumsum"(%x, %zero) : (tensor<3xi32>, !A) -> tensor<3xi32>
  %exclusive = tfx_tensor.op "Cumsum"(%x, %zero) {exclusive = true} : (tensor<3xi32>, !A) -> tensor<3xi32>
  %reverse = tfx_tensor.op "Cumsum"(%x, %zero) {reverse = true} : (tensor<3xi32>, !A) -> tensor<3xi32>
  %both = tfx_tensor.op "Cumsum"(%x, %zero) {exclusive = true, reverse = true} : (tensor<3xi32>, !A) -> tensor<3xi32>
  %products = tfx_tensor.op "Cumprod"(%x, %zero) {exclusive = true} : (tensor<3xi32>, !A) -> tensor<3xi32>
  %many = func.call @floats(%n) : (i64) -> !X
  %r:2 = func.call @rows(%many) : (!X) -> (!X, tensor<600xf32>)
  %c:2 = func.call @columns(%many) : (!X) -> (!X, !X)
  %i:4 = func.call @inner(%many) : (!X) -> (!C, !C, !D, !L)
  %numbers = func.call @numbers(%n) : (i64) -> !I
  %u:4 = func.call @unknown(%numbers) : (!I) -> (!M, !M, tensor<?x1xi32>, tensor<?x1xi32>)
  %g:2 = func.call @given(%axis) : (i32) -> (!A, tensor<3xi32>)
  return %plain, %exclusive, %reverse, %both, %products, %r#0, %r#1, %c#0, %c#1, %i#0, %i#1, %i#2, %i#3, %u#0, %u#1, %u#2, %u#3, %g#1
    : tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, !X, tensor<600xf32>, !X, !X, !C, !C, !D, !L, !M, !M, tensor<?x1xi32>, tensor<?x1xi32>, tensor<3xi32>
}
