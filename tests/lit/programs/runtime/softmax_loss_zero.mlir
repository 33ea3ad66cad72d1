// A loss of zero has the sign that TensorFlow gives it.
//
// RUN: tfxc interpret %s | FileCheck %s
// RUN: tfxc run %s --executor embedded | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow | FileCheck %s %}
//
// CHECK:      loss = [0.]
// CHECK-NEXT: sparse = [0.]

func.func @main() -> (tensor<1xf32> {tfx.name = "loss"}, tensor<1xf32> {tfx.name = "sparse"}) {
  %x = tfx_tensor.const dense<3.0> : tensor<1x1xf32>
  %label = tfx_tensor.const dense<0> : tensor<1xi32>
  %l, %b = tfx_tensor.op "SoftmaxCrossEntropyWithLogits"(%x, %x) : (tensor<1x1xf32>, tensor<1x1xf32>) -> (tensor<1xf32>, tensor<1x1xf32>)
  %s, %c = tfx_tensor.op "SparseSoftmaxCrossEntropyWithLogits"(%x, %label) : (tensor<1x1xf32>, tensor<1xi32>) -> (tensor<1xf32>, tensor<1x1xf32>)
  return %l, %s : tensor<1xf32>, tensor<1xf32>
}
