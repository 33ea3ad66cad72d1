// The graph adds %x and %z while it waits for the host's %h. The addition fails, but what precedes
// it in the program has happened before the program ends.
//
// RUN: not tfxc run %s 3 4 2>&1 | FileCheck %s
// RUN: not tfxc run %s 3 4 --executor embedded 2>&1 | FileCheck %s
// CHECK-DAG: sum 3
// CHECK-DAG: product 18
// CHECK-DAG: failure_ahead_of_an_answer.mlir:[[#@LINE+24]]:8: error: Incompatible shapes: [3] vs. [4]
// CHECK-NOT: always
// RUN: tfxc run %s 3 3 | FileCheck %s --check-prefix=EQUAL
// EQUAL: sum 3
// EQUAL-NEXT: product 18
// EQUAL-NEXT: always [0 2 4]

func.func @main(%n: i64, %m: i64) {
  %zero = tfx_tensor.const dense<0> : tensor<i64>
  %one = tfx_tensor.const dense<1> : tensor<i64>
  %axis = tfx_tensor.const dense<0> : tensor<1xi64>
  %tn = tfx_tensor.from_scalar %n : i64
  %tm = tfx_tensor.from_scalar %m : i64
  %x = tfx_tensor.op "Range"(%zero, %tn, %one) : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  %z = tfx_tensor.op "Range"(%zero, %tm, %one) : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  %sum = tfx_tensor.op "Sum"(%x, %axis) : (tensor<?xi64>, tensor<1xi64>) -> tensor<i64>
  %s = tfx_tensor.to_scalar %sum : tensor<i64> -> i64
  tfx_host.print "sum {}"(%s) : i64
  %h = arith.addi %s, %n : i64
  %factor = tfx_tensor.from_scalar %h : i64
  %y = tfx_tensor.op "Mul"(%x, %factor) : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
  %sum2 = tfx_tensor.op "Sum"(%y, %axis) : (tensor<?xi64>, tensor<1xi64>) -> tensor<i64>
  %s2 = tfx_tensor.to_scalar %sum2 : tensor<i64> -> i64
  tfx_host.print "product {}"(%s2) : i64
  %w = tfx_tensor.op "AddV2"(%x, %z) : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  tfx_host.print "always {}"(%w) : tensor<?xi64>
  return
}
