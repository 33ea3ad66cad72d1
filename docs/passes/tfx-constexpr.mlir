func.func @f(%x: tensor<1x2x1xf32>) -> tensor<*xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.addi %one, %one : i32
  %dims = tfx_host.array(%zero, %two) : !tfx_host.array<i32>
  %y = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %dims : !tfx_host.array<i32>) : (tensor<1x2x1xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}
