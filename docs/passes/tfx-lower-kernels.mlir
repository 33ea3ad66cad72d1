// vector-bytes=16
tfx_tensor.graph private @g.native(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tfx.cluster} {
  %a = tfx_tensor.op "Sqrt"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = tfx_tensor.op "AddV2"(%a, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  tfx_tensor.return %b : tensor<4xf32>
}
