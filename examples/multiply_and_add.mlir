// The smallest program: a sequence of two operations.
//
// The graph computes a product and a sum. Its three inputs are passed at the start, its result is
// returned at the end, and no message is sent in between.
//
//   tfxc run examples/multiply_and_add.mlir

func.func @multiply_and_add(%x: tensor<2x3xf32> {tfx.name = "x"}, %w: tensor<3x2xf32> {tfx.name = "w"}, %b: tensor<2xf32> {tfx.name = "b"})
    -> (tensor<2x2xf32> {tfx.name = "y"}) {
  %product = tfx_tensor.op "MatMul"(%x, %w) : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %sum = tfx_tensor.op "AddV2"(%product, %b) : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %sum : tensor<2x2xf32>
}

func.func @main() -> (tensor<2x2xf32> {tfx.name = "y"}) {
  %x = tfx_tensor.const dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %w = tfx_tensor.const dense<[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]> : tensor<3x2xf32>
  %b = tfx_tensor.const dense<[0.5, -0.5]> : tensor<2xf32>
  %y = func.call @multiply_and_add(%x, %w, %b) : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}
