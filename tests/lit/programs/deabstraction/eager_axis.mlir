// An attribute that is known only at run time, with dynamic=host: the axis of a OneHot changes in a loop whose graph runs concurrently.
//
// RUN: tfxc run %s --dynamic=host 2 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --dynamic=host --executor tensorflow 2 2>&1 | FileCheck %s %}
// RUN: tfxc build %s --dynamic=host -o %t 2>/dev/null && %t 2 2>&1 | FileCheck %s --check-prefix=VALUES
// RUN: tfxc run %s --dynamic=host --stats 2 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: not tfxc run %s 2 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not tfxc run %s --dynamic=host 3 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: %if tensorflow %{ not tfxc run %s --dynamic=host --executor tensorflow 3 2>&1 | FileCheck %s --check-prefix=BAD %}
// RUN: not tfxc run %s --dynamic=now 2 2>&1 | FileCheck %s --check-prefix=OPTION
//
// CHECK: eager_axis.mlir:[[# @LINE + 42]]:12: remark: attribute "axis" of "OneHot" is not a constant: it changes between iterations of the loop that contains the operation; so the operation runs by itself on the host, outside of any graph
// CHECK: eager_axis.mlir:[[# @LINE + 41]]:12: note: to keep it in a graph, make "axis" a constant, or use an operation that takes it as a tensor, as built by tfx_tensor.from_scalar
// VALUES-NOT: remark
//
// CHECK:      {{^}}axis 0: {{\[\[}}1. 0.]
// CHECK-NEXT: [0. 0.]
// CHECK-NEXT: [0. 1.]]
// CHECK-NEXT: {{^}}axis 1: {{\[\[}}1. 0. 0.]
// CHECK-NEXT: [0. 0. 1.]]
// CHECK-NEXT: axis 0: {{\[\[}}1. 0.]
// CHECK-NEXT: [0. 0.]
// CHECK-NEXT: [0. 1.]]
// CHECK-NEXT: axis 1: {{\[\[}}1. 0. 0.]
// CHECK-NEXT: [0. 0. 1.]]
// CHECK-NEXT: sum = 8.0
//
// VALUES:     axis 1: {{\[\[}}1. 0. 0.]
// VALUES:     sum = 8.0
//
// STATS: program main_OneHot, started 4 times
//
// REFUSED: error: attribute "axis" of "OneHot" is not a constant
//
// BAD: axis 1:
// BAD: eager_axis.mlir:[[# @LINE + 18]]:12: error: {{.*axis.*2.*}}(operation OneHot)
//
// OPTION: error: invalid value 'now' for '--dynamic <DYNAMIC>': expected 'error' or 'host'

func.func @main(%n: i64) -> (tensor<f32> {tfx.name = "sum"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : index
  %indices = tfx_tensor.const dense<[0, 2]> : tensor<2xi32>
  %depth = tfx_tensor.const dense<3> : tensor<i32>
  %on = tfx_tensor.const dense<1.0> : tensor<f32>
  %off = tfx_tensor.const dense<0.0> : tensor<f32>
  %zero = tfx_tensor.const dense<0.0> : tensor<f32>
  %both = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %end = arith.index_cast %n : i64 to index
  %sum = scf.for %round = %c0 to %two step %c1 iter_args(%outer = %zero) -> (tensor<f32>) {
    %inner = scf.for %i = %c0 to %end step %c1 iter_args(%s = %outer) -> (tensor<f32>) {
      %axis = arith.index_cast %i : index to i64
      %y = tfx_tensor.op "OneHot"(%indices, %depth, %on, %off) computed(axis = %axis : i64)
        : (tensor<2xi32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<?x?xf32>
      %t = tfx_tensor.op "Sum"(%y, %both) : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<f32>
      %next = tfx_tensor.op "AddV2"(%s, %t) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      tfx_host.print "axis {}: {}"(%axis, %y) : i64, tensor<?x?xf32>
      scf.yield %next : tensor<f32>
    }
    scf.yield %inner : tensor<f32>
  }
  return %sum : tensor<f32>
}
