// An array of variables, one of which is selected by an index. An arm that aborts, such as that of an
// index out of bounds, selects none, and needs none.
//
// RUN: %if tensorflow %{ tfxc run %s 4 --executor tensorflow | FileCheck %s %}
// RUN: %if tensorflow %{ tfxc run %s 4 --executor tensorflow-queues | FileCheck %s %}
// RUN: %if tensorflow %{ tfxc run %s 4 --executor tensorflow --xla | FileCheck %s %}
// RUN: %if tensorflow %{ tfxc build %s -o %t && env TFX_EXECUTOR=tensorflow %t 4 | FileCheck %s %}
// RUN: %if tensorflow %{ not tfxc run %s 7 --executor tensorflow 2>&1 | FileCheck %s --check-prefixes=CHECK,OUTSIDE %}
//
// CHECK:        1.0
// CHECK-NEXT:   100.0
// CHECK-NEXT:   1.0
// CHECK-NEXT:   100.0
// OUTSIDE-NEXT: 1.0
// OUTSIDE-NEXT: {{.*}}array_of_variables.mlir:36:10: error: index is out of bounds of an array of 2 elements

!R = tensor<!tfx_tensor.resource>
!A = !tfx_host.array<!R>
func.func @main(%n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %five = arith.constant 5 : i32
  %h = tfx_tensor.op "VarHandleOp"() {dtype = f32, shape = [], shared_name = "v"} : () -> !R
  %g = tfx_tensor.op "VarHandleOp"() {dtype = f32, shape = [], shared_name = "w"} : () -> !R
  %c = tfx_tensor.const dense<1.0> : tensor<f32>
  %d = tfx_tensor.const dense<100.0> : tensor<f32>
  tfx_tensor.op "AssignVariableOp"(%h, %c) : (!R, tensor<f32>) -> ()
  tfx_tensor.op "AssignVariableOp"(%g, %d) : (!R, tensor<f32>) -> ()
  %a = tfx_host.array(%h, %g) : !A
  scf.for %i = %zero to %n step %one : i32 {
    %even = arith.remsi %i, %two : i32
    %late = arith.cmpi sge, %i, %five : i32
    %r = arith.select %late, %two, %even : i32
    %k = arith.index_cast %r : i32 to index
    %v = tfx_host.array_get %a[%k] : !A
    %x = tfx_tensor.op "ReadVariableOp"(%v) : (!R) -> tensor<f32>
    tfx_host.print "{}"(%x) : tensor<f32>
  }
  return
}
