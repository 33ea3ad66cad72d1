func.func @f(%x: i32) -> i32 {
  %v = tfx_host.var : !tfx_host.ref<i32>
  tfx_host.store %x, %v : i32
  %y = tfx_host.load %v : !tfx_host.ref<i32>
  return %y : i32
}
