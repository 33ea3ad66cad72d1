tfx_tensor.graph @towers(%x: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %a = tfx_tensor.op "MatMul"(%x, %x) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b = tfx_tensor.op "Tanh"(%a) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %c = tfx_tensor.op "MatMul"(%x, %x) {transpose_a = true} : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %d = tfx_tensor.op "AddV2"(%b, %c) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  tfx_tensor.return %d : tensor<256x256xf32>
}
