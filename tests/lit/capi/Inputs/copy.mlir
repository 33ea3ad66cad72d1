func.func private @host_only(tensor<4xf32>) -> tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = tfx_tensor.op "Neg"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = func.call @host_only(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %c = tfx_tensor.op "Neg"(%b) : (tensor<4xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}
