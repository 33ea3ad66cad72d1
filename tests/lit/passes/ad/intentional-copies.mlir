// RUN: tfxc run %s 3.0 2>&1 | FileCheck %s

// The cotangent of a value that is copied intentionally is copied back intentionally.
// CHECK-NOT: warning
// CHECK: {{^}}12.0{{$}}
func.func private @f(%x: tensor<f64>) -> tensor<f64> {
  %a = tfx_comm.to_host %x : tensor<f64>
  %b = tfx_comm.to_accelerator %a : tensor<f64>
  %y = tfx_tensor.op "Mul"(%b, %x) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
func.func @main(%x: f64 {tfx.name = "x"}) {
  %t = tfx_tensor.from_scalar %x : f64
  %two = tfx_tensor.const dense<2.0> : tensor<f64>
  %d = tfx_ad.gradient @f(%t) wrt [0] : (tensor<f64>) -> tensor<f64>
  %dd = tfx_tensor.op "Mul"(%d, %two) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  tfx_host.print "{}"(%dd) : tensor<f64>
  return
}
