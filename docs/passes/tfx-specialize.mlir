func.func private @twice(%x: !tfx_host.param<"T">) -> tuple<!tfx_host.param<"T">, !tfx_host.param<"T">>
    attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  %pair = tfx_host.make_tuple(%x, %x) : !tfx_host.param<"T">, !tfx_host.param<"T">
  return %pair : tuple<!tfx_host.param<"T">, !tfx_host.param<"T">>
}
func.func @f(%x: i32) -> tuple<i32, i32> {
  %pair = tfx_host.call @twice<[i32]>(%x) : (i32) -> tuple<i32, i32>
  return %pair : tuple<i32, i32>
}
