tfx_tensor.graph @g(%x: tensor<f32>) channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  tfx_comm.send %x to 0 : tensor<f32>
  tfx_tensor.return
}
func.func @f(%x: tensor<f32>) {
  %program = tfx_comm.start @g(%x) : tensor<f32>
  tfx_comm.finish %program
  return
}
