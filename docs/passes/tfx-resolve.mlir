func.func private @exp(%x: tensor<f32>) -> tensor<f32> {
  %y = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @neg(%x: tensor<f32>) -> tensor<f32> {
  %y = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
func.func @f(%c: i1, %x: tensor<f32>) -> tensor<f32> {
  %exp = tfx_host.closure @exp() : () -> !tfx_host.closure<(tensor<f32>) -> tensor<f32>>
  %neg = tfx_host.closure @neg() : () -> !tfx_host.closure<(tensor<f32>) -> tensor<f32>>
  cf.cond_br %c, ^apply(%exp : !tfx_host.closure<(tensor<f32>) -> tensor<f32>>), ^apply(%neg : !tfx_host.closure<(tensor<f32>) -> tensor<f32>>)
^apply(%g: !tfx_host.closure<(tensor<f32>) -> tensor<f32>>):
  %y = tfx_host.apply %g(%x) : !tfx_host.closure<(tensor<f32>) -> tensor<f32>>
  return %y : tensor<f32>
}
