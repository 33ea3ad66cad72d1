// A loop of the graph without iteration arguments: only the host decides when it ends. TensorFlow's lowering of such a loop crashes, so it gets an iteration
// argument that is never read. The sum stays in the loop, since a print precedes it.
//
// RUN: not tfxc run %s 3 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ not tfxc run %s 3 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-compile-graph 2>/dev/null | tfx-translate --mlir-to-graphdef --text | FileCheck %s --check-prefix=GRAPH
//
// CHECK: next
// CHECK-NEXT: sum 6
// CHECK-NEXT: next
// CHECK-NEXT: sum 6
// CHECK-NEXT: next
// CHECK-NEXT: sum 6
// CHECK-NEXT: next
// CHECK-NEXT: last 6
// CHECK-NEXT: {{.*}}no_iteration_arguments.mlir:{{[0-9]+}}:{{[0-9]+}}: error: {{.*}}enough
//
// GRAPH: op: "While"
// GRAPH-NEXT: input: "[[TICK:[^"]*Const[^"]*]]:output:0"
// GRAPH: input_arg {
// GRAPH: name: "tick"
// GRAPH-NEXT: type: DT_BOOL

!T = tensor<3xi32>
func.func private @again(%n: i32) -> i1 attributes {tfx.state = "world"} {
  %zero = arith.constant 0 : i32
  %go = arith.cmpi sgt, %n, %zero : i32
  return %go : i1
}
func.func @main(%n: i32) {
  %x = tfx_tensor.const dense<[1, 2, 3]> : !T
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  cf.br ^loop(%n : i32)
^loop(%k: i32):
  tfx_host.print "next"()
  %sum = tfx_tensor.op "Sum"(%x, %axis) : (!T, tensor<i32>) -> tensor<i32>
  %go = arith.cmpi sgt, %k, %zero : i32
  cf.cond_br %go, ^body, ^last
^body:
  tfx_host.print "sum {}"(%sum) : tensor<i32>
  %l = arith.subi %k, %one : i32
  cf.br ^loop(%l : i32)
^last:
  tfx_host.print "last {}"(%sum) : tensor<i32>
  tfx_host.abort "enough"
  tfx_host.unreachable
}
