func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<*xf32> {
  %z = tfx_tensor.op "MatMul"(%x, %y) : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<*xf32>
  return %z : tensor<*xf32>
}
