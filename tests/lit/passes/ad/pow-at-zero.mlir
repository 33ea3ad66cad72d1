// RUN: tfxc run %s | FileCheck %s

// The mixed second derivative of a power at the exponent 0, of the scalar and of the graph
// operation: 1/x. (JAX, lax_autodiff_test.py, testPowSecondDerivative)
// CHECK: {{^}}0.25 0.25{{$}}
// CHECK-NEXT: {{^}}0.25{{$}}
func.func private @f(%x: f64, %y: f64) -> f64 {
  %z = math.powf %x, %y : f64
  return %z : f64
}
func.func private @by_x(%x: f64, %y: f64) -> f64 {
  %d = tfx_ad.gradient @f(%x, %y) wrt [0] : (f64, f64) -> f64
  return %d : f64
}
func.func private @by_y(%x: f64, %y: f64) -> f64 {
  %d = tfx_ad.gradient @f(%x, %y) wrt [1] : (f64, f64) -> f64
  return %d : f64
}
func.func private @op(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %z = tfx_tensor.op "Pow"(%x, %y) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %z : tensor<f64>
}
func.func private @op_by_x(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %d = tfx_ad.gradient @op(%x, %y) wrt [0] : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %d : tensor<f64>
}
func.func @main() {
  %x = arith.constant 4.0 : f64
  %y = arith.constant 0.0 : f64
  %xy = tfx_ad.gradient @by_x(%x, %y) wrt [1] : (f64, f64) -> f64
  %yx = tfx_ad.gradient @by_y(%x, %y) wrt [0] : (f64, f64) -> f64
  tfx_host.print "{} {}"(%xy, %yx) : f64, f64
  %a = tfx_tensor.const dense<4.0> : tensor<f64>
  %b = tfx_tensor.const dense<0.0> : tensor<f64>
  %ab = tfx_ad.gradient @op_by_x(%a, %b) wrt [1] : (tensor<f64>, tensor<f64>) -> tensor<f64>
  tfx_host.print "{}"(%ab) : tensor<f64>
  return
}
