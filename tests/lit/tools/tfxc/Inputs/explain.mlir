func.func private @rate() -> f32
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %y = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  %r = func.call @rate() : () -> f32
  %s = tfx_tensor.to_scalar %y : tensor<f32> -> f32
  %p = arith.mulf %s, %r : f32
  %t = tfx_tensor.from_scalar %p : f32
  %z = tfx_tensor.op "Neg"(%t) : (tensor<f32>) -> tensor<f32>
  tfx_host.print "{}"(%p) : f32
  return %z : tensor<f32>
}
func.func @host_only(%a: i32) -> i32 {
  %b = arith.addi %a, %a : i32
  return %b : i32
}
