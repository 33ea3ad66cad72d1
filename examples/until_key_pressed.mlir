// The host decides when the graph's loop ends.
//
// The loop and its tensor are in the graph. Each iteration sends one boolean to the graph. The
// tensor is returned once, at the end. A copy in one direction is not a round trip: no warning.
//
//   tfxc run examples/until_key_pressed.mlir

module attributes {tfx.link = ["host/keyboard.c"]} {
  func.func private @key_pressed() -> i1

  func.func @main() -> (tensor<2x2xf32> {tfx.name = "r"}) {
    %r0 = tfx_tensor.const dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32>
    %rotation = tfx_tensor.const dense<[[0.8, -0.6], [0.6, 0.8]]> : tensor<2x2xf32>
    cf.br ^loop(%r0 : tensor<2x2xf32>)
  ^loop(%r: tensor<2x2xf32>):
    %stop = func.call @key_pressed() : () -> i1
    cf.cond_br %stop, ^exit, ^body
  ^body:
    %next = tfx_tensor.op "MatMul"(%r, %rotation) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    cf.br ^loop(%next : tensor<2x2xf32>)
  ^exit:
    return %r : tensor<2x2xf32>
  }
}
