tfx_tensor.graph @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = tfx_tensor.op "Exp"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = tfx_tensor.op "AddV2"(%a, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %c = tfx_tensor.op "Neg"(%b) : (tensor<4xf32>) -> tensor<4xf32>
  tfx_tensor.return %c : tensor<4xf32>
}
