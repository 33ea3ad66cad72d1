tfx_tensor.graph @g(%x: tensor<f32>, %c: i1) -> tensor<f32> {
  %y = scf.if %c -> tensor<f32> {
    %exp = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
    scf.yield %exp : tensor<f32>
  } else {
    scf.yield %x : tensor<f32>
  }
  tfx_tensor.return %y : tensor<f32>
}
