tfx_tensor.graph @g(%x: tensor<f32>) -> tensor<f32> channels [#tfx_comm.channel<0, to_host, tensor<f32>>, #tfx_comm.channel<1, to_graph, tensor<f32>>] {
  tfx_comm.send %x to 0 : tensor<f32>
  %y = tfx_comm.recv from 1 : tensor<f32>
  %z = tfx_tensor.op "Exp"(%y) : (tensor<f32>) -> tensor<f32>
  tfx_tensor.return %z : tensor<f32>
}
func.func private @clip(tensor<f32>) -> tensor<f32>
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %program = tfx_comm.start @g(%x) : tensor<f32>
  %loss = tfx_comm.recv %program from 0 : tensor<f32>
  %clipped = call @clip(%loss) : (tensor<f32>) -> tensor<f32>
  tfx_comm.send %clipped to %program 1 : tensor<f32>
  %r = tfx_comm.finish %program : tensor<f32>
  return %r : tensor<f32>
}
