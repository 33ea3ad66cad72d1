// Tensors of f16 and bf16: the host holds and prints them, and graphs send and convert them.
//
// RUN: tfxc run %s | FileCheck %s
// RUN: tfxc interpret %s | FileCheck %s
// RUN: tfxc build %s -o %t && %t | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow | FileCheck %s %}
//
// CHECK: {{^}}constant [    1. 65500.]{{$}}
// CHECK-NEXT: {{^}}cast [    0.1    -0.  65500. ]{{$}}
// CHECK-NEXT: {{^}}cast 0.3{{$}}
// CHECK-NEXT: {{^}}back [    0.099975586    -0.{{ +}}65504.{{ +}}]{{$}}
func.func @main() {
  %constant = tfx_tensor.const dense<[1.0, 65504.0]> : tensor<2xf16>
  tfx_host.print "constant {}"(%constant) : tensor<2xf16>
  %numbers = tfx_tensor.const dense<[0.1, -0.0, 65510.0]> : tensor<3xf32>
  %half = tfx_tensor.op "Cast"(%numbers) : (tensor<3xf32>) -> tensor<3xf16>
  tfx_host.print "cast {}"(%half) : tensor<3xf16>
  %number = tfx_tensor.const dense<0.3> : tensor<f64>
  %brain = tfx_tensor.op "Cast"(%number) : (tensor<f64>) -> tensor<bf16>
  tfx_host.print "cast {}"(%brain) : tensor<bf16>
  %back = tfx_tensor.op "Cast"(%half) : (tensor<3xf16>) -> tensor<3xf32>
  tfx_host.print "back {}"(%back) : tensor<3xf32>
  return
}
