// all=true
tfx_tensor.graph @network(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %a = tfx_tensor.op "MatMul"(%x, %x) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %b = tfx_tensor.op "Sin"(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  tfx_tensor.return %b : tensor<8x8xf32>
}
