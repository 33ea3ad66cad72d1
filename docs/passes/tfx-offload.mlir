// device=cuda
tfx_tensor.graph @network(%x: tensor<512x512xf32>, %w: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %a = tfx_tensor.op "MatMul"(%x, %w) {tfx.has_device_code} : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %b = tfx_tensor.op "Tanh"(%a) {tfx.has_device_code} : (tensor<512x512xf32>) -> tensor<512x512xf32>
  tfx_tensor.return %b : tensor<512x512xf32>
}
