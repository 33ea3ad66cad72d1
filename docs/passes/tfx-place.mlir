tfx_tensor.graph @stages(%x: tensor<4xi32>) -> tensor<4xi32> {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %four = tfx_tensor.const dense<4> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %n = tfx_tensor.op "Range"(%zero, %four, %one) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4xi32>
  %a = tfx_tensor.op "AddV2"(%x, %n) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %b = tfx_comm.copy %a from <cpu> to <cpu:1> : tensor<4xi32>
  %c = tfx_tensor.op "Mul"(%b, %n) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  tfx_tensor.return %c : tensor<4xi32>
}
