// Where native code gives up, the interpreter runs its graph: with sizes that the code does not
// expect, and in failures, whose errors are those of the embedded executor.
//
// RUN: tfxc run %s 4 5 --executor embedded > %t.embedded
// RUN: tfxc run %s 4 5 --executor native | diff %t.embedded -
// RUN: tfxc run %s 4 5 --executor native --stats 2>&1 | FileCheck %s --check-prefix=SAME
// SAME:     sums [2 4 6 8]
// SAME:     native code: {{[0-9]+}} calls
// SAME-NOT: gave up
//
// A size of 1 is broadcast.
// RUN: tfxc run %s 1 5 --executor native --stats 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: sums [2 3 4 5]
// ONE: native code: {{.*}} calls, and 1 that gave up and were interpreted
//
// A divisor is 0.
// RUN: not tfxc run %s 4 0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not tfxc run %s 4 0 --executor native 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO:      giving-up.mlir:[[#@LINE+52]]:8: error: Integer division by zero
//
// The same in the third iteration of a loop.
// RUN: not tfxc run %s 4 2 2>&1 | FileCheck %s --check-prefix=LOOP
// RUN: not tfxc run %s 4 2 --executor native 2>&1 | FileCheck %s --check-prefix=LOOP
// LOOP:      parts [1 0 0 0]
// LOOP:      giving-up.mlir:[[#@LINE+59]]:10: error: Integer division by zero
//
// A label is none of the classes.
// RUN: not tfxc run %s 4 -1 2>&1 | FileCheck %s --check-prefix=LABEL
// RUN: not tfxc run %s 4 -1 --executor native 2>&1 | FileCheck %s --check-prefix=LABEL
// LABEL:      giving-up.mlir:[[#@LINE+33]]:22: error:
// LABEL-SAME: label

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

func.func private @sums(%x: !I, %y: !I) -> !I {
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %a = tfx_tensor.op "AddV2"(%x, %y) : (!I, !I) -> !I
  %b = tfx_tensor.op "AddV2"(%a, %one) : (!I, tensor<i32>) -> !I
  %c = tfx_tensor.op "Sub"(%b, %one) : (!I, tensor<i32>) -> !I
  return %c : !I
}

func.func private @losses(%labels: !I, %by: tensor<i32>) -> tensor<?xf32> {
  %row = tfx_tensor.const dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]]> : tensor<1x8xf32>
  %last = tfx_tensor.const dense<-1> : tensor<i32>
  %x = tfx_tensor.op "Cast"(%labels) : (!I) -> tensor<?xf32>
  %column = tfx_tensor.op "ExpandDims"(%x, %last) : (tensor<?xf32>, tensor<i32>) -> tensor<?x1xf32>
  %logits = tfx_tensor.op "Mul"(%column, %row) : (tensor<?x1xf32>, tensor<1x8xf32>) -> tensor<?x8xf32>
  %least = tfx_tensor.op "Minimum"(%labels, %by) : (!I, tensor<i32>) -> !I
  %losses, %slopes = tfx_tensor.op "SparseSoftmaxCrossEntropyWithLogits"(%logits, %least)
    : (tensor<?x8xf32>, !I) -> (tensor<?xf32>, tensor<?x8xf32>)
  return %losses : tensor<?xf32>
}

func.func private @parts(%x: !I, %by: tensor<i32>) -> !I {
  %two = tfx_tensor.const dense<2> : tensor<i32>
  %a = tfx_tensor.op "Mul"(%x, %by) : (!I, tensor<i32>) -> !I
  %b = tfx_tensor.op "FloorDiv"(%two, %a) : (tensor<i32>, !I) -> !I
  %c = tfx_tensor.op "AddV2"(%b, %b) : (!I, !I) -> !I
  %d = tfx_tensor.op "FloorDiv"(%c, %two) : (!I, tensor<i32>) -> !I
  return %d : !I
}

func.func private @loop(%x: !I, %by: tensor<i32>) -> !I {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %most = arith.constant 3 : i32
  %y = scf.for %i = %zero to %most step %one iter_args(%v = %x) -> (!I) : i32 {
    %t = tfx_tensor.from_scalar %i : i32
    %rest = tfx_tensor.op "Sub"(%by, %t) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %w = tfx_tensor.op "TruncateDiv"(%v, %rest) : (!I, tensor<i32>) -> !I
    scf.yield %w : !I
  }
  return %y : !I
}

func.func @main(%n: i64 {tfx.name = "n"}, %by: i32 {tfx.name = "by"}) {
  %four = arith.constant 4 : i64
  %by.t = tfx_tensor.from_scalar %by : i32
  %x = func.call @numbers(%n) : (i64) -> !I
  %y = func.call @numbers(%four) : (i64) -> !I
  %sums = func.call @sums(%x, %y) : (!I, !I) -> !I
  tfx_host.print "sums {}"(%sums) : !I
  %losses = func.call @losses(%x, %by.t) : (!I, tensor<i32>) -> tensor<?xf32>
  tfx_host.print "losses {}"(%losses) : tensor<?xf32>
  %parts = func.call @parts(%x, %by.t) : (!I, tensor<i32>) -> !I
  tfx_host.print "parts {}"(%parts) : !I
  %loop = func.call @loop(%x, %by.t) : (!I, tensor<i32>) -> !I
  tfx_host.print "loop {}"(%loop) : !I
  return
}
