tfx_tensor.graph @g() -> tensor<f32> channels [#tfx_comm.channel<0, to_graph, f32>, #tfx_comm.channel<1, to_graph, f32>] {
  %a = tfx_comm.recv from 0 : f32
  %b = tfx_comm.recv from 1 : f32
  %c = arith.addf %a, %b : f32
  %t = tfx_tensor.from_scalar %c : f32
  tfx_tensor.return %t : tensor<f32>
}
func.func @f(%a: f32, %b: f32) -> tensor<f32> {
  %program = tfx_comm.start @g()
  tfx_comm.send %a to %program 0 : f32
  tfx_comm.send %b to %program 1 : f32
  %r = tfx_comm.finish %program : tensor<f32>
  return %r : tensor<f32>
}
