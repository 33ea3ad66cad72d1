func.func private @walk(%x: f64, %w: tensor<4xf64>, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %hundred = arith.constant 100 : i64
  %v = scf.for %i = %zero to %hundred step %one iter_args(%a = %w) -> (tensor<4xf64>) : i64 {
    %t = tfx_tensor.op "Tanh"(%a) : (tensor<4xf64>) -> tensor<4xf64>
    scf.yield %t : tensor<4xf64>
  }
  %y = scf.for %i = %zero to %n step %one iter_args(%a = %v) -> (tensor<4xf64>) : i64 {
    %t = tfx_tensor.op "Sigmoid"(%a) : (tensor<4xf64>) -> tensor<4xf64>
    scf.yield %t : tensor<4xf64>
  }
  %axes = tfx_tensor.const dense<0> : tensor<1xi32>
  %s = tfx_tensor.op "Sum"(%y, %axes) : (tensor<4xf64>, tensor<1xi32>) -> tensor<f64>
  %r = tfx_tensor.to_scalar %s : tensor<f64> -> f64
  %p = arith.mulf %r, %x : f64
  return %p : f64
}
func.func @main(%x: f64 {tfx.name = "x"}, %w: tensor<4xf64> {tfx.name = "w"}, %n: i64 {tfx.name = "n"}) -> (tensor<4xf64> {tfx.name = "dw"}) {
  %d = tfx_ad.gradient @walk(%x, %w, %n) wrt [1] : (f64, tensor<4xf64>, i64) -> tensor<4xf64>
  return %d : tensor<4xf64>
}
