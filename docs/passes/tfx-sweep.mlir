tfx_host.struct @Unused {x: i32}
tfx_host.struct @Used {x: i32}
func.func @f(%s: !tfx_host.struct<@Used>) -> !tfx_host.struct<@Used> {
  return %s : !tfx_host.struct<@Used>
}
