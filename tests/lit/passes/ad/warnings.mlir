// RUN: tfx-opt %s --split-input-file --verify-diagnostics --tfx-differentiate

// A float goes through an integer.
func.func private @rounded(%x: f64) -> f64 {
  // expected-note @+1 {{'arith.fptosi' has the derivative zero, or none}}
  %n = arith.fptosi %x : f64 to i64
  %y = arith.sitofp %n : i64 to f64
  return %y : f64
}
func.func @g(%x: f64) -> f64 {
  // expected-warning @+1 {{the derivative of '@rounded' with respect to parameter 0 is zero: no result depends on it by operations that have derivatives}}
  %d = tfx_ad.gradient @rounded(%x) wrt [0] : (f64) -> f64
  return %d : f64
}

// -----

// The result does not depend on the parameter at all; the other parameter is used.
// expected-note @+1 {{the function is defined here}}
func.func private @first(%x: f64, %y: f64) -> f64 {
  %s = math.sin %x : f64
  return %s : f64
}
func.func @g(%x: f64) -> (f64, f64) {
  // expected-warning @+1 {{the derivative of '@first' with respect to parameter 1 is zero}}
  %d:2 = tfx_ad.gradient @first(%x, %x) wrt [0, 1] : (f64, f64) -> (f64, f64)
  return %d#0, %d#1 : f64, f64
}

// -----

// The user cut the path; and a parameter that reaches the result only through a callee.
func.func private @stopped(%x: f64) -> f64 {
  %s = tfx_ad.stop %x : f64
  %y = math.sin %s : f64
  return %y : f64
}
func.func private @sine(%x: f64) -> f64 {
  %y = math.sin %x : f64
  return %y : f64
}
func.func private @twice(%x: f64) -> f64 {
  %a = func.call @sine(%x) : (f64) -> f64
  %b = func.call @sine(%a) : (f64) -> f64
  return %b : f64
}
func.func @g(%x: f64) -> (f64, f64) {
  %d = tfx_ad.gradient @stopped(%x) wrt [0] : (f64) -> f64
  %e = tfx_ad.gradient @twice(%x) wrt [0] : (f64) -> f64
  return %d, %e : f64, f64
}

// -----

// A tensor of integers in between.
func.func private @indices(%x: tensor<3xf32>) -> tensor<f32> {
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  // expected-note @+1 {{'ArgMax' has the derivative zero, or none}}
  %i = tfx_tensor.op "ArgMax"(%x, %axis) : (tensor<3xf32>, tensor<i32>) -> tensor<i64>
  %f = tfx_tensor.op "Cast"(%i) : (tensor<i64>) -> tensor<f32>
  return %f : tensor<f32>
}
func.func @g(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-warning @+1 {{the derivative of '@indices' with respect to parameter 0 is zero}}
  %d = tfx_ad.gradient @indices(%x) wrt [0] : (tensor<3xf32>) -> tensor<3xf32>
  return %d : tensor<3xf32>
}
