func.func private @load() -> tensor<f32> attributes {tfx.state = "loader"}
func.func @next() -> tensor<f32> {
  %x = call @load() : () -> tensor<f32>
  return %x : tensor<f32>
}
func.func @f() {
  %queue = tfx_host.prefetch @next() depth(2) : () -> !tfx_host.queue<tensor<f32>>
  %x = tfx_host.next %queue : !tfx_host.queue<tensor<f32>>
  return
}
