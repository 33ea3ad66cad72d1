func.func private @next() -> tensor<f32> attributes {tfx.state = "loader"}
func.func @train(%w: tensor<f32>, %n: index) -> tensor<f32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%v = %w) -> (tensor<f32>) {
    %batch = func.call @next() : () -> tensor<f32>
    %loss = tfx_tensor.op "Mul"(%v, %batch) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    tfx_host.print "{}"(%loss) : tensor<f32>
    scf.yield %loss : tensor<f32>
  }
  return %r : tensor<f32>
}
