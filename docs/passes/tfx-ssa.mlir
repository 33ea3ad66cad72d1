func.func @f(%c: i1, %a: i32, %b: i32) -> i32 {
  %v = tfx_host.var : !tfx_host.ref<i32>
  tfx_host.store %a, %v : i32
  cf.cond_br %c, ^then, ^after
^then:
  tfx_host.store %b, %v : i32
  cf.br ^after
^after:
  %r = tfx_host.load %v : !tfx_host.ref<i32>
  return %r : i32
}
