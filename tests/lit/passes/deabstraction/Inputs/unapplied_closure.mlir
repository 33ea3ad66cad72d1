// Only a closure that is never applied prevents the promotion of a variable.
func.func private @decide() -> i1
func.func private @remember(%v: !tfx_host.ref<tensor<4xi32>>, %x: tensor<4xi32>) -> tensor<4xi32> {
  %old = tfx_host.load %v : !tfx_host.ref<tensor<4xi32>>
  tfx_host.store %x, %v : tensor<4xi32>
  return %old : tensor<4xi32>
}
func.func @main(%t: tensor<4xi32>) -> i1 {
  %x = tfx_host.var : !tfx_host.ref<tensor<4xi32>>
  tfx_host.store %t, %x : tensor<4xi32>
  %f = tfx_host.closure @remember(%x) : (!tfx_host.ref<tensor<4xi32>>) -> !tfx_host.closure<(tensor<4xi32>) -> tensor<4xi32>>
  %c = func.call @decide() : () -> i1
  return %c : i1
}
