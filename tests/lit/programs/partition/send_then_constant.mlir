// A branch sends a value to the host and yields a constant; the loop after it uses the constant and sends, too. TensorFlow, which moves the constant out of the
// branch and removes a control input as redundant if there is a data input from the same node, must not lose the message of the branch.
//
// RUN: tfxc run %s 1 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 1 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfxc run %s 0 2>&1 | FileCheck %s --check-prefix=SILENT
// RUN: %if tensorflow %{ tfxc run %s 0 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=SILENT %}
// RUN: tfx-opt %s --tfx-compile-graph | tfx-translate --mlir-to-graphdef --text | FileCheck %s --check-prefix=GRAPH
//
// CHECK: sum 10.0
// CHECK-NEXT: at 1.0
// CHECK-NEXT: at 2.0
// CHECK-NEXT: at 4.0
// CHECK-NEXT: y = -8.0
//
// SILENT-NOT: sum
// SILENT: at 2.0
// SILENT-NEXT: at 4.0
// SILENT-NEXT: at 8.0
// SILENT-NEXT: y = -16.0
//
// GRAPH: name: "[[IF:[^"]*If]]"
// GRAPH: name: "[[IF]]_done"
// GRAPH-NEXT: op: "NoOp"
// GRAPH-NEXT: input: "^[[IF]]"
// GRAPH: op: "While"
// GRAPH: input: "[[IF]]:output:0"
// GRAPH: input: "^[[IF]]_done"

!T = tensor<f32>
func.func @main(%loud: i1) -> (!T {tfx.name = "y"}) {
  %values = tfx_tensor.const dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %start = scf.if %loud -> !T {
    %sum = tfx_tensor.op "Sum"(%values, %axis) : (tensor<4xf32>, tensor<i32>) -> !T
    tfx_host.print "sum {}"(%sum) : !T
    %a = tfx_tensor.const dense<1.0> : !T
    scf.yield %a : !T
  } else {
    %b = tfx_tensor.const dense<2.0> : !T
    scf.yield %b : !T
  }
  %y = scf.for %i = %zero to %three step %one iter_args(%v = %start) -> !T {
    tfx_host.print "at {}"(%v) : !T
    %w = tfx_tensor.op "AddV2"(%v, %v) : (!T, !T) -> !T
    scf.yield %w : !T
  }
  %z = tfx_tensor.op "Neg"(%y) : (!T) -> !T
  return %z : !T
}
