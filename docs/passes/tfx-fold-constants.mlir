tfx_tensor.graph @g(%x: tensor<4x2xf32>) -> tensor<2x4xf32> {
  %order = tfx_tensor.const dense<[1, 0]> : tensor<2xi32>
  %back = tfx_tensor.op "InvertPermutation"(%order) : (tensor<2xi32>) -> tensor<2xi32>
  %y = tfx_tensor.op "Transpose"(%x, %back) : (tensor<4x2xf32>, tensor<2xi32>) -> tensor<2x4xf32>
  tfx_tensor.return %y : tensor<2x4xf32>
}
