// A graph sends tensors without elements to its host, as messages, results, and in strings. TensorFlow
// has no buffer for such a tensor, so its address must not be requested.
//
// RUN: tfxc interpret %s 3 | FileCheck %s
// RUN: tfxc run %s 3 --executor embedded | FileCheck %s
// RUN: tfxc build %s -o %t && %t 3 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 3 --executor tensorflow | FileCheck %s %}
// RUN: %if tensorflow %{ tfxc run %s 3 --executor tensorflow-queues | FileCheck %s %}
// RUN: %if tensorflow %{ tfxc run %s 3 --executor tensorflow --xla | FileCheck %s %}
// RUN: %if tensorflow %{ env TFX_EXECUTOR=tensorflow %t 3 | FileCheck %s %}
//
// CHECK:      [] (shape 0)
// CHECK-NEXT: back [] (shape 0)
// CHECK-NEXT: [0]
// CHECK-NEXT: back [0]
// CHECK-NEXT: [0 1]
// CHECK-NEXT: back [0 1]
// CHECK-NEXT: names = [] (shape 0)
// CHECK-NEXT: empty = [] (shape 0x3)

func.func @main(%n: i32) -> (tensor<?x!tfx_tensor.string> {tfx.name = "names"}, tensor<?x3xf32> {tfx.name = "empty"}) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %first = tfx_tensor.const dense<0> : tensor<i32>
  %step = tfx_tensor.const dense<1> : tensor<i32>
  scf.for %k = %zero to %n step %one : i32 {
    %t = tfx_tensor.from_scalar %k : i32
    %w = tfx_tensor.op "Range"(%first, %t, %step) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
    tfx_host.print "{}"(%w) : tensor<?xi32>
    // There and back: the host sends one, too.
    %there = tfx_comm.to_host %w : tensor<?xi32>
    tfx_host.print "back {}"(%there) : tensor<?xi32>
  }
  %size = tfx_tensor.const dense<0> : tensor<1xi32>
  %name = tfx_tensor.const dense<"name"> : tensor<!tfx_tensor.string>
  %names = tfx_tensor.op "Fill"(%size, %name) : (tensor<1xi32>, tensor<!tfx_tensor.string>) -> tensor<?x!tfx_tensor.string>
  %sizes = tfx_tensor.const dense<[0, 3]> : tensor<2xi32>
  %value = tfx_tensor.const dense<1.0> : tensor<f32>
  %empty = tfx_tensor.op "Fill"(%sizes, %value) : (tensor<2xi32>, tensor<f32>) -> tensor<?x3xf32>
  return %names, %empty : tensor<?x!tfx_tensor.string>, tensor<?x3xf32>
}
