tfx_tensor.graph @g(%v: tensor<2xf32>, %i: tensor<i32>) -> tensor<3x2xf32> {
  %shape = tfx_tensor.const dense<2> : tensor<1xi32>
  %three = tfx_tensor.const dense<3> : tensor<i32>
  %list = tfx_tensor.op "TensorListReserve"(%shape, %three) {element_dtype = f32} : (tensor<1xi32>, tensor<i32>) -> tensor<!tfx_tensor.variant>
  %next = tfx_tensor.op "TensorListSetItem"(%list, %i, %v) : (tensor<!tfx_tensor.variant>, tensor<i32>, tensor<2xf32>) -> tensor<!tfx_tensor.variant>
  %all = tfx_tensor.op "TensorListStack"(%next, %shape) {element_dtype = f32} : (tensor<!tfx_tensor.variant>, tensor<1xi32>) -> tensor<3x2xf32>
  tfx_tensor.return %all : tensor<3x2xf32>
}
