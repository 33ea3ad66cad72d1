func.func @f(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %order = tfx_host.array %one, %zero : !tfx_host.array<i32>
  %perm = tfx_tensor.op "Const" {computed = ["value"], dtype = i32}(%order) : (!tfx_host.array<i32>) -> tensor<2xi32>
  %y = tfx_tensor.op "Transpose"(%x, %perm) : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}
