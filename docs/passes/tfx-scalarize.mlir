func.func @f(%x: tensor<f32>, %n: i32) -> tensor<f32> {
  %pair = tfx_host.make_tuple(%x, %n) : tensor<f32>, i32
  %y = tfx_host.tuple_get %pair[0] : tuple<tensor<f32>, i32>
  return %y : tensor<f32>
}
