func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{TensorFlow has no operation "Nag"; did you mean "Neg"?}}
  %a = tfx_tensor.op "Nag"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}
