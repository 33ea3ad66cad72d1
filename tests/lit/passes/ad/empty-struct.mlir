// RUN: tfxc run %s 3.0 | FileCheck %s

// A struct without parts does not change the tangent of a struct around it: a layer without weights
// can be a part of a model whose gradient is a model.
// CHECK: {{^}}6.0{{$}}
tfx_host.struct @Tanh {}
tfx_host.struct @Dense {w: f64}
tfx_host.struct @Pair {first: !tfx_host.struct<@Tanh>, second: !tfx_host.struct<@Dense>}
func.func private @f(%p: !tfx_host.struct<@Pair>) -> f64 {
  %d = tfx_host.extract %p["second"] : !tfx_host.struct<@Pair> -> !tfx_host.struct<@Dense>
  %w = tfx_host.extract %d["w"] : !tfx_host.struct<@Dense> -> f64
  %y = arith.mulf %w, %w : f64
  return %y : f64
}
func.func @main(%x: f64 {tfx.name = "x"}) {
  %t = tfx_host.make_struct() : () -> !tfx_host.struct<@Tanh>
  %d = tfx_host.make_struct(%x) : (f64) -> !tfx_host.struct<@Dense>
  %p = tfx_host.make_struct(%t, %d) : (!tfx_host.struct<@Tanh>, !tfx_host.struct<@Dense>) -> !tfx_host.struct<@Pair>
  %g = tfx_ad.gradient @f(%p) wrt [0] : (!tfx_host.struct<@Pair>) -> !tfx_host.struct<@Pair>
  %s = tfx_host.extract %g["second"] : !tfx_host.struct<@Pair> -> !tfx_host.struct<@Dense>
  %y = tfx_host.extract %s["w"] : !tfx_host.struct<@Dense> -> f64
  tfx_host.print "{}"(%y) : f64
  return
}
