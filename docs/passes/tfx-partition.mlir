func.func private @load() -> tensor<2xf32>
func.func @f() {
  %x = call @load() : () -> tensor<2xf32>
  %y = tfx_tensor.op "Exp"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  tfx_host.print "{}"(%y) : tensor<2xf32>
  %z = tfx_tensor.op "Neg"(%y) : (tensor<2xf32>) -> tensor<2xf32>
  tfx_host.print "{}"(%z) : tensor<2xf32>
  return
}
