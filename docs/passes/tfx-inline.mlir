func.func private @square(%x: tensor<f32>) -> tensor<f32> {
  %y = tfx_tensor.op "Mul"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %y = call @square(%x) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
